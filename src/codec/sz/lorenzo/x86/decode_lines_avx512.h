/* decode_lines_avx512.h: lorenzo/plain/decode_lines.h with AVX-512. */

enum { LINE_BYTES = 64 };

typedef __m512i full_line;

/* v with its full_line moved up by so many, and zeros below. */
#define UP_32(v, by) _mm512_alignr_epi32(v, _mm512_setzero_si512(), 16 - (by))
#define UP_64(v, by) _mm512_alignr_epi64(v, _mm512_setzero_si512(), 8 - (by))

ZTI_INLINE full_line sums_of_32(full_line v)
{
    v = _mm512_add_epi32(v, UP_32(v, 1));
    v = _mm512_add_epi32(v, UP_32(v, 2));
    v = _mm512_add_epi32(v, UP_32(v, 4));
    return _mm512_add_epi32(v, UP_32(v, 8));
}

ZTI_INLINE full_line sums_of_64(full_line v)
{
    v = _mm512_add_epi64(v, UP_64(v, 1));
    v = _mm512_add_epi64(v, UP_64(v, 2));
    return _mm512_add_epi64(v, UP_64(v, 4));
}
#undef UP_32
#undef UP_64

/* Moved up by so many or more, there is nothing left of a line. */
ZTI_INLINE full_line moved_up_32(full_line v, uint32_t by)
{
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i up = _mm512_set1_epi32((int32_t)by);
    return _mm512_maskz_permutexvar_epi32(_mm512_cmpge_epi32_mask(lane, up),
                                          _mm512_sub_epi32(lane, up), v);
}

ZTI_INLINE full_line sums_apart_32(full_line v, uint32_t apart)
{
    v = _mm512_add_epi32(v, moved_up_32(v, apart));
    v = _mm512_add_epi32(v, moved_up_32(v, 2 * apart));
    return _mm512_add_epi32(v, moved_up_32(v, 4 * apart)); /* and 8 or more are 16 */
}

ZTI_INLINE full_line last_apart_32(full_line v, uint32_t apart, const uint32_t *lasts)
{
    (void)apart;
    return _mm512_permutexvar_epi32(_mm512_loadu_si512(lasts), v);
}

ZTI_INLINE full_line last_of_32(full_line v)
{
    return _mm512_permutexvar_epi32(_mm512_set1_epi32(15), v);
}

ZTI_INLINE full_line last_of_64(full_line v)
{
    return _mm512_permutexvar_epi64(_mm512_set1_epi64(7), v);
}

ZTI_INLINE __m128i quarter_at(const void *from)
{
    return _mm_loadu_si128((const __m128i *)from);
}

ZTI_INLINE __m256i half_at(const void *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

ZTI_INLINE full_line pieces_32(const uint32_t *from, uint32_t part)
{
    if (part == 0)
        return _mm512_loadu_si512(from);
    if (part == 8)
        return _mm512_inserti64x4(_mm512_castsi256_si512(half_at(from)),
                                  half_at(from + ZTI_SZ_GROUP), 1);
    const __m512i one = _mm512_castsi128_si512(quarter_at(from));
    const __m512i two = _mm512_inserti32x4(one, quarter_at(from + ZTI_SZ_GROUP), 1);
    const __m512i three = _mm512_inserti32x4(two, quarter_at(from + 2 * ZTI_SZ_GROUP), 2);
    return _mm512_inserti32x4(three, quarter_at(from + 3 * ZTI_SZ_GROUP), 3);
}

ZTI_INLINE full_line pieces_64(const uint64_t *from, uint32_t part)
{
    if (part != 4)
        return _mm512_loadu_si512(from);
    return _mm512_inserti64x4(_mm512_castsi256_si512(half_at(from)), half_at(from + ZTI_SZ_GROUP),
                              1);
}

ZTI_INLINE __m128i eight_bytes(const uint8_t *from)
{
    return _mm_loadl_epi64((const __m128i *)(const void *)from);
}

ZTI_INLINE __m128i four_bytes(const uint8_t *from, uint32_t piece)
{
    return _mm_cvtsi32_si128((int32_t)zti_get_le32(from + piece * ZTI_SZ_GROUP));
}

ZTI_INLINE full_line pieces_of_bytes_32(const uint8_t *from, uint32_t part)
{
    __m128i v;
    if (part == 0)
        v = quarter_at(from);
    else if (part == 8)
        v = _mm_unpacklo_epi64(eight_bytes(from), eight_bytes(from + ZTI_SZ_GROUP));
    else
        v = _mm_unpacklo_epi64(_mm_unpacklo_epi32(four_bytes(from, 0), four_bytes(from, 1)),
                               _mm_unpacklo_epi32(four_bytes(from, 2), four_bytes(from, 3)));
    return _mm512_cvtepu8_epi32(v);
}

ZTI_INLINE full_line pieces_of_bytes_64(const uint8_t *from, uint32_t part)
{
    const __m128i v = part != 4 ? eight_bytes(from)
                                : _mm_unpacklo_epi32(four_bytes(from, 0), four_bytes(from, 1));
    return _mm512_cvtepu8_epi64(v);
}

/* The products of half i of a line. */
ZTI_INLINE __m512d half_products(full_line v, uint32_t i, double step)
{
    const __m256i half = i > 0 ? _mm512_extracti64x4_epi64(v, 1) : _mm512_castsi512_si256(v);
    return _mm512_mul_pd(_mm512_cvtepi32_pd(half), _mm512_set1_pd(step));
}

ZTI_INLINE full_line doubles_of_32(full_line v, uint32_t i, double step)
{
    return _mm512_castpd_si512(half_products(v, i, step));
}

ZTI_INLINE full_line doubles_of_64(full_line v, uint32_t i, double step)
{
    (void)i;
    return _mm512_castpd_si512(_mm512_mul_pd(_mm512_cvtepi64_pd(v), _mm512_set1_pd(step)));
}

ZTI_INLINE full_line floats_of_32(full_line v, double step)
{
    const __m256 low = _mm512_cvtpd_ps(half_products(v, 0, step));
    const __m256 high = _mm512_cvtpd_ps(half_products(v, 1, step));
    return _mm512_castps_si512(_mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1));
}

ZTI_INLINE full_line short_floats_of_32(full_line v, float step)
{
    return _mm512_castps_si512(_mm512_mul_ps(_mm512_cvtepi32_ps(v), _mm512_set1_ps(step)));
}

ZTI_INLINE void store_part(full_line v, uint32_t bytes, uint8_t *to)
{
    _mm512_mask_storeu_epi32(to, (__mmask16)((1u << bytes / 4) - 1), v);
}

ZTI_INLINE void stream_line(full_line v, uint8_t *to)
{
    _mm512_stream_si512((__m512i *)(void *)to, v);
}
