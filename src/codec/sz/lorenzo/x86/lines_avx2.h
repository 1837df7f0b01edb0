/* lines_avx2.h: the operations of lorenzo/plain/lines.h with AVX2. */

ZTI_INLINE line_32 line_of_bytes_32(two_words v)
{
    return (line_32)_mm256_cvtepu8_epi32((__m128i)v);
}

ZTI_INLINE line_64 line_of_bytes_64(two_words v)
{
    return (line_64)_mm256_cvtepu8_epi64((__m128i)v);
}

ZTI_INLINE line_32 bytes_at_32(const uint8_t *from)
{
    return v_load_bytes_32(from);
}

ZTI_INLINE line_64 bytes_at_64(const uint8_t *from)
{
    return line_of_bytes_64((two_words){zti_get_le32(from), 0});
}

ZTI_INLINE f64s doubles_in(line_32 v, uint32_t i)
{
    const __m256i u = (__m256i)v;
    const __m128i half = i > 0 ? _mm256_extracti128_si256(u, 1) : _mm256_castsi256_si128(u);
    return (f64s)_mm256_cvtepi32_pd(half);
}

ZTI_INLINE f64s doubles_at(const float *from)
{
    return (f64s)_mm256_cvtps_pd(_mm_loadu_ps(from));
}

ZTI_INLINE f32s floats_of(f64s low, f64s high)
{
    return (f32s)_mm256_set_m128(_mm256_cvtpd_ps((__m256d)high), _mm256_cvtpd_ps((__m256d)low));
}

#define PRODUCT_ERROR 0x1p-22F /* see sure_of in quantize/nearest.h */

ZTI_INLINE f32s product_and(f32s a, f32s b, f32s c)
{
    return a * b + c;
}

ZTI_INLINE f32s less_product(f32s c, f32s a, f32s b)
{
    return c - a * b;
}

ZTI_INLINE u32s two_halves(const void *low, const void *high)
{
    return (u32s)_mm256_loadu2_m128i(high, low);
}

ZTI_INLINE line_32 moved_by_32(line_32 v, line_32 before, uint32_t by)
{
    const __m256i lane = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    const __m256i up = _mm256_set1_epi32((int32_t)by), from = _mm256_sub_epi32(lane, up);
    return (line_32)_mm256_blendv_epi8(_mm256_permutevar8x32_epi32((__m256i)v, from),
                                       _mm256_permutevar8x32_epi32((__m256i)before, from),
                                       _mm256_cmpgt_epi32(up, lane));
}

/* Each lane's value 'by' lanes before it, or 0 if there is none. */
ZTI_INLINE line_32 moved_up_32(line_32 v, uint32_t by)
{
    const __m256i lane = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    const __m256i up = _mm256_set1_epi32((int32_t)by);
    return (line_32)_mm256_andnot_si256(
        _mm256_cmpgt_epi32(up, lane),
        _mm256_permutevar8x32_epi32((__m256i)v, _mm256_sub_epi32(lane, up)));
}

ZTI_INLINE line_32 sums_apart_32(line_32 v, uint32_t apart)
{
    v += moved_up_32(v, apart);
    return v + moved_up_32(v, 2 * apart); /* 4 * apart is at least 8 */
}

ZTI_INLINE line_32 last_apart_32(line_32 v, uint32_t apart, const uint32_t *lasts)
{
    (void)apart;
    return (line_32)_mm256_permutevar8x32_epi32(
        (__m256i)v, _mm256_loadu_si256((const __m256i *)(const void *)lasts));
}

ZTI_INLINE void store_part(line_32 v, uint32_t bytes, uint8_t *to)
{
    __m128i part = _mm256_castsi256_si128((__m256i)v);
    if (bytes & 16) {
        _mm_storeu_si128((__m128i *)(void *)to, part);
        part = _mm256_extracti128_si256((__m256i)v, 1);
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

ZTI_INLINE void stream_line(line_32 v, uint8_t *to)
{
    _mm256_stream_si256((__m256i *)(void *)to, (__m256i)v);
}
