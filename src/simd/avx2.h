/* avx2.h: the verbs of vectors.h, as plain.h explains them, with AVX2. */
#ifndef ZTI_SIMD_AVX2_H
#define ZTI_SIMD_AVX2_H

/* The upper half of 'first' and the lower one of v. */
ZTI_INLINE __m256i v_middle(__m256i v, __m256i first)
{
    return _mm256_permute2x128_si256(first, v, 0x21);
}

ZTI_INLINE u32s v_before_32(u32s v, u32s first)
{
    return (u32s)_mm256_alignr_epi8((__m256i)v, v_middle((__m256i)v, (__m256i)first), 12);
}
ZTI_INLINE u64s v_before_64(u64s v, u64s first)
{
    return (u64s)_mm256_alignr_epi8((__m256i)v, v_middle((__m256i)v, (__m256i)first), 8);
}

ZTI_INLINE u32s v_sums_32(u32s v)
{
    v += (u32s)_mm256_slli_si256((__m256i)v, 4);
    v += (u32s)_mm256_slli_si256((__m256i)v, 8);
    return v + (u32s)_mm256_shuffle_epi32(v_middle((__m256i)v, _mm256_setzero_si256()), 0xff);
}
ZTI_INLINE u64s v_sums_64(u64s v)
{
    v += (u64s)_mm256_slli_si256((__m256i)v, 8);
    return v + (u64s)_mm256_shuffle_epi32(v_middle((__m256i)v, _mm256_setzero_si256()), 0xee);
}

ZTI_INLINE u32s v_last_32(u32s v)
{
    return (u32s)_mm256_permutevar8x32_epi32((__m256i)v, _mm256_set1_epi32(7));
}
ZTI_INLINE u64s v_last_64(u64s v)
{
    return (u64s)_mm256_permute4x64_epi64((__m256i)v, 0xff);
}

ZTI_INLINE u32s v_turn_32(u32s v, uint32_t n)
{
    return (u32s)_mm256_or_si256(_mm256_sll_epi32((__m256i)v, _mm_cvtsi32_si128((int)n)),
                                 _mm256_srl_epi32((__m256i)v, _mm_cvtsi32_si128((int)(32 - n))));
}
ZTI_INLINE u64s v_turn_64(u64s v, uint32_t n)
{
    return (u64s)_mm256_or_si256(_mm256_sll_epi64((__m256i)v, _mm_cvtsi32_si128((int)n)),
                                 _mm256_srl_epi64((__m256i)v, _mm_cvtsi32_si128((int)(64 - n))));
}

ZTI_INLINE u32s v_iota_32(void)
{
    return (u32s){0, 1, 2, 3, 4, 5, 6, 7};
}

ZTI_INLINE u32s v_min_32(u32s a, u32s b)
{
    return (u32s)_mm256_min_epu32((__m256i)a, (__m256i)b);
}
ZTI_INLINE u32s v_size_32(u32s v)
{
    return (u32s)_mm256_abs_epi32((__m256i)v);
}

ZTI_INLINE bool v_is_any(u32s v)
{
    return !_mm256_testz_si256((__m256i)v, (__m256i)v);
}

ZTI_INLINE void v_store_bytes_32(uint8_t *to, u32s v)
{
    typedef uint8_t bytes __attribute__((vector_size(8)));
    const bytes narrow = __builtin_convertvector(v, bytes);
    memcpy(to, &narrow, sizeof narrow);
}
ZTI_INLINE u32s v_load_bytes_32(const uint8_t *from)
{
    return (u32s)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from));
}

/* Places 0, 2 (1, 3) of both halves of a and b in the right order. */
ZTI_INLINE u32s v_even_32(u32s a, u32s b)
{
    const __m256 halves = _mm256_shuffle_ps((__m256)a, (__m256)b, 0x88);
    return (u32s)_mm256_permute4x64_epi64((__m256i)halves, 0xd8);
}
ZTI_INLINE u32s v_odd_32(u32s a, u32s b)
{
    const __m256 halves = _mm256_shuffle_ps((__m256)a, (__m256)b, 0xdd);
    return (u32s)_mm256_permute4x64_epi64((__m256i)halves, 0xd8);
}

ZTI_INLINE u32s v_zip_low_32(u32s a, u32s b)
{
    return (u32s)_mm256_permute2x128_si256(_mm256_unpacklo_epi32((__m256i)a, (__m256i)b),
                                           _mm256_unpackhi_epi32((__m256i)a, (__m256i)b), 0x20);
}
ZTI_INLINE u32s v_zip_high_32(u32s a, u32s b)
{
    return (u32s)_mm256_permute2x128_si256(_mm256_unpacklo_epi32((__m256i)a, (__m256i)b),
                                           _mm256_unpackhi_epi32((__m256i)a, (__m256i)b), 0x31);
}

ZTI_INLINE void v_stream_line(void *to, const void *from)
{
    const uint8_t *const bytes = from;
    _mm256_stream_si256((__m256i *)to, (__m256i)v_load_8(bytes));
    _mm256_stream_si256((__m256i *)to + 1, (__m256i)v_load_8(bytes + 32));
}

#endif
