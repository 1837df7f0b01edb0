/* lines_avx512.h: the operations of lorenzo/plain/lines.h with AVX-512. */

ZTI_INLINE line_32 line_of_bytes_32(two_words v)
{
    return (line_32)_mm512_cvtepu8_epi32((__m128i)v);
}

ZTI_INLINE line_64 line_of_bytes_64(two_words v)
{
    return (line_64)_mm512_cvtepu8_epi64((__m128i)v);
}

ZTI_INLINE line_32 bytes_at_32(const uint8_t *from)
{
    return v_load_bytes_32(from);
}

ZTI_INLINE line_64 bytes_at_64(const uint8_t *from)
{
    return line_of_bytes_64((two_words){zti_get_le64(from), 0});
}

ZTI_INLINE f64s doubles_in(line_32 v, uint32_t i)
{
    const __m512i u = (__m512i)v;
    const __m256i half = i > 0 ? _mm512_extracti64x4_epi64(u, 1) : _mm512_castsi512_si256(u);
    return (f64s)_mm512_cvtepi32_pd(half);
}

ZTI_INLINE f64s doubles_at(const float *from)
{
    return (f64s)_mm512_cvtps_pd(_mm256_loadu_ps(from));
}

ZTI_INLINE f32s floats_of(f64s low, f64s high)
{
    const __m512 first = _mm512_castps256_ps512(_mm512_cvtpd_ps((__m512d)low));
    return (f32s)_mm512_insertf32x8(first, _mm512_cvtpd_ps((__m512d)high), 1);
}

#define PRODUCT_ERROR 0x1.6p-23F /* fused; see sure_of in quantize/nearest.h */

ZTI_INLINE f32s product_and(f32s a, f32s b, f32s c)
{
    return (f32s)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

ZTI_INLINE f32s less_product(f32s c, f32s a, f32s b)
{
    return (f32s)_mm512_fnmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

ZTI_INLINE __m256i half_at(const void *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

ZTI_INLINE u32s two_halves(const void *low, const void *high)
{
    return (u32s)_mm512_inserti64x4(_mm512_castsi256_si512(half_at(low)), half_at(high), 1);
}

ZTI_INLINE u32s four_quarters(const void *from, size_t apart_bytes)
{
    __m128i v[4];
    for (uint32_t i = 0; i < 4; i++)
        v[i] =
            _mm_loadu_si128((const __m128i *)(const void *)((const char *)from + i * apart_bytes));
    const __m512i two = _mm512_inserti32x4(_mm512_castsi128_si512(v[0]), v[1], 1);
    return (u32s)_mm512_inserti32x4(_mm512_inserti32x4(two, v[2], 2), v[3], 3);
}

ZTI_INLINE line_32 moved_by_32(line_32 v, line_32 before, uint32_t by)
{
    const __m512i lane =
        _mm512_set_epi32(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16);
    return (line_32)_mm512_permutex2var_epi32(
        (__m512i)before, _mm512_sub_epi32(lane, _mm512_set1_epi32((int32_t)by)), (__m512i)v);
}

/* Each lane's value 'by' lanes before it, or 0 if there is none. */
ZTI_INLINE line_32 moved_up_32(line_32 v, uint32_t by)
{
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i up = _mm512_set1_epi32((int32_t)by);
    return (line_32)_mm512_maskz_permutexvar_epi32(_mm512_cmpge_epi32_mask(lane, up),
                                                   _mm512_sub_epi32(lane, up), (__m512i)v);
}

ZTI_INLINE line_32 sums_apart_32(line_32 v, uint32_t apart)
{
    v += moved_up_32(v, apart);
    v += moved_up_32(v, 2 * apart);
    return v + moved_up_32(v, 4 * apart); /* 8 * apart is at least 16 */
}

ZTI_INLINE line_32 last_apart_32(line_32 v, uint32_t apart, const uint32_t *lasts)
{
    (void)apart;
    return (line_32)_mm512_permutexvar_epi32(_mm512_loadu_si512(lasts), (__m512i)v);
}

ZTI_INLINE void store_part(line_32 v, uint32_t bytes, uint8_t *to)
{
    _mm512_mask_storeu_epi32(to, (__mmask16)((1u << bytes / 4) - 1), (__m512i)v);
}

ZTI_INLINE void stream_line(line_32 v, uint8_t *to)
{
    _mm512_stream_si512((__m512i *)(void *)to, (__m512i)v);
}
