/* decode_lines_avx2.h: lorenzo/plain/decode_lines.h with AVX2. */

enum { LINE_BYTES = 32 };

typedef __m256i full_line;

ZTI_INLINE full_line sums_of_32(full_line v)
{
    v = _mm256_add_epi32(v, _mm256_slli_si256(v, 4));
    v = _mm256_add_epi32(v, _mm256_slli_si256(v, 8));
    const __m256i low = _mm256_permute2x128_si256(v, v, 0x08);
    return _mm256_add_epi32(v, _mm256_shuffle_epi32(low, 0xff));
}

ZTI_INLINE full_line sums_of_64(full_line v)
{
    v = _mm256_add_epi64(v, _mm256_slli_si256(v, 8));
    const __m256i low = _mm256_permute2x128_si256(v, v, 0x08);
    return _mm256_add_epi64(v, _mm256_unpackhi_epi64(low, low));
}

/* Moved up by so many or more, there is nothing left of a line. */
ZTI_INLINE full_line moved_up_32(full_line v, uint32_t by)
{
    const __m256i lane = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    const __m256i up = _mm256_set1_epi32((int32_t)by);
    return _mm256_andnot_si256(_mm256_cmpgt_epi32(up, lane),
                               _mm256_permutevar8x32_epi32(v, _mm256_sub_epi32(lane, up)));
}

ZTI_INLINE full_line sums_apart_32(full_line v, uint32_t apart)
{
    v = _mm256_add_epi32(v, moved_up_32(v, apart));
    return _mm256_add_epi32(v, moved_up_32(v, 2 * apart)); /* and 4 or more are 8 */
}

ZTI_INLINE full_line last_apart_32(full_line v, uint32_t apart, const uint32_t *lasts)
{
    (void)apart;
    return _mm256_permutevar8x32_epi32(v, _mm256_loadu_si256((const __m256i *)(const void *)lasts));
}

ZTI_INLINE full_line last_of_32(full_line v)
{
    return _mm256_permutevar8x32_epi32(v, _mm256_set1_epi32(7));
}

ZTI_INLINE full_line last_of_64(full_line v)
{
    return _mm256_permute4x64_epi64(v, 0xff);
}

ZTI_INLINE full_line pieces_32(const uint32_t *from, uint32_t part)
{
    if (part != 4)
        return _mm256_loadu_si256((const __m256i *)(const void *)from);
    const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)from);
    const __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(from + ZTI_SZ_GROUP));
    return _mm256_set_m128i(high, low);
}

ZTI_INLINE full_line pieces_64(const uint64_t *from, uint32_t part)
{
    (void)part; /* a piece is as long or longer */
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

ZTI_INLINE __m128i four_bytes(const uint8_t *from)
{
    return _mm_cvtsi32_si128((int32_t)zti_get_le32(from));
}

ZTI_INLINE full_line pieces_of_bytes_32(const uint8_t *from, uint32_t part)
{
    if (part == 4)
        return _mm256_cvtepu8_epi32(
            _mm_unpacklo_epi32(four_bytes(from), four_bytes(from + ZTI_SZ_GROUP)));
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from));
}

ZTI_INLINE full_line pieces_of_bytes_64(const uint8_t *from, uint32_t part)
{
    (void)part;
    return _mm256_cvtepu8_epi64(four_bytes(from));
}

/* The products of half i of a line. */
ZTI_INLINE __m256d half_products(full_line v, uint32_t i, double step)
{
    const __m128i half = i > 0 ? _mm256_extracti128_si256(v, 1) : _mm256_castsi256_si128(v);
    return _mm256_mul_pd(_mm256_cvtepi32_pd(half), _mm256_set1_pd(step));
}

ZTI_INLINE full_line doubles_of_32(full_line v, uint32_t i, double step)
{
    return _mm256_castpd_si256(half_products(v, i, step));
}

ZTI_INLINE full_line doubles_of_64(full_line v, uint32_t i, double step)
{
    int64_t u[4];
    double x[4];
    memcpy(u, &v, sizeof v);
    for (uint32_t k = 0; k < 4; k++)
        x[k] = (double)u[k] * step;
    memcpy(&v, x, sizeof v);
    (void)i;
    return v;
}

ZTI_INLINE full_line floats_of_32(full_line v, double step)
{
    const __m128 low = _mm256_cvtpd_ps(half_products(v, 0, step));
    const __m128 high = _mm256_cvtpd_ps(half_products(v, 1, step));
    return _mm256_castps_si256(_mm256_set_m128(high, low));
}

ZTI_INLINE full_line short_floats_of_32(full_line v, float step)
{
    return _mm256_castps_si256(_mm256_mul_ps(_mm256_cvtepi32_ps(v), _mm256_set1_ps(step)));
}

ZTI_INLINE void store_part(full_line v, uint32_t bytes, uint8_t *to)
{
    __m128i part = _mm256_castsi256_si128(v);
    if (bytes & 16) {
        _mm_storeu_si128((__m128i *)(void *)to, part);
        part = _mm256_extracti128_si256(v, 1);
        to += 16;
    }
    if (bytes & 8) {
        _mm_storel_epi64((__m128i *)(void *)to, part);
        part = _mm_srli_si128(part, 8);
        to += 8;
    }
    if (bytes & 4)
        memcpy(to, &(uint32_t){(uint32_t)_mm_cvtsi128_si32(part)}, 4);
}

ZTI_INLINE void stream_line(full_line v, uint8_t *to)
{
    _mm256_stream_si256((__m256i *)(void *)to, v);
}
