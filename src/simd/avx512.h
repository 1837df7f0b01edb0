/* avx512.h: the verbs of vectors.h, as plain.h explains them, with AVX-512. */
#ifndef ZTI_SIMD_AVX512_H
#define ZTI_SIMD_AVX512_H

ZTI_INLINE u32s v_before_32(u32s v, u32s first)
{
    return (u32s)_mm512_alignr_epi32((__m512i)v, (__m512i)first, 15);
}
ZTI_INLINE u64s v_before_64(u64s v, u64s first)
{
    return (u64s)_mm512_alignr_epi64((__m512i)v, (__m512i)first, 7);
}

ZTI_INLINE u32s v_sums_32(u32s v)
{
    const __m512i none = _mm512_setzero_si512();
    v += (u32s)_mm512_alignr_epi32((__m512i)v, none, 15);
    v += (u32s)_mm512_alignr_epi32((__m512i)v, none, 14);
    v += (u32s)_mm512_alignr_epi32((__m512i)v, none, 12);
    return v + (u32s)_mm512_alignr_epi32((__m512i)v, none, 8);
}
ZTI_INLINE u64s v_sums_64(u64s v)
{
    const __m512i none = _mm512_setzero_si512();
    v += (u64s)_mm512_alignr_epi64((__m512i)v, none, 7);
    v += (u64s)_mm512_alignr_epi64((__m512i)v, none, 6);
    return v + (u64s)_mm512_alignr_epi64((__m512i)v, none, 4);
}

ZTI_INLINE u32s v_last_32(u32s v)
{
    return (u32s)_mm512_permutexvar_epi32(_mm512_set1_epi32(15), (__m512i)v);
}
ZTI_INLINE u64s v_last_64(u64s v)
{
    return (u64s)_mm512_permutexvar_epi64(_mm512_set1_epi64(7), (__m512i)v);
}

ZTI_INLINE u32s v_turn_32(u32s v, uint32_t n)
{
    return (u32s)_mm512_rolv_epi32((__m512i)v, _mm512_set1_epi32((int32_t)n));
}
ZTI_INLINE u64s v_turn_64(u64s v, uint32_t n)
{
    return (u64s)_mm512_rolv_epi64((__m512i)v, _mm512_set1_epi64(n));
}

ZTI_INLINE u32s v_iota_32(void)
{
    return (u32s){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}

ZTI_INLINE u32s v_min_32(u32s a, u32s b)
{
    return (u32s)_mm512_min_epu32((__m512i)a, (__m512i)b);
}
ZTI_INLINE u32s v_size_32(u32s v)
{
    return (u32s)_mm512_abs_epi32((__m512i)v);
}

ZTI_INLINE bool v_is_any(u32s v)
{
    return _mm512_test_epi32_mask((__m512i)v, (__m512i)v) != 0;
}

ZTI_INLINE void v_store_bytes_32(uint8_t *to, u32s v)
{
    _mm_storeu_si128((__m128i *)(void *)to, _mm512_cvtepi32_epi8((__m512i)v));
}
ZTI_INLINE u32s v_load_bytes_32(const uint8_t *from)
{
    return (u32s)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)from));
}

ZTI_INLINE u32s v_even_32(u32s a, u32s b)
{
    return (u32s)_mm512_permutex2var_epi32((__m512i)a, (__m512i)(v_iota_32() * 2), (__m512i)b);
}
ZTI_INLINE u32s v_odd_32(u32s a, u32s b)
{
    return (u32s)_mm512_permutex2var_epi32((__m512i)a, (__m512i)(v_iota_32() * 2 + 1), (__m512i)b);
}

ZTI_INLINE u32s v_zip_low_32(u32s a, u32s b)
{
    const u32s at = v_iota_32() / 2 + (v_iota_32() & 1) * V_LANES_32;
    return (u32s)_mm512_permutex2var_epi32((__m512i)a, (__m512i)at, (__m512i)b);
}
ZTI_INLINE u32s v_zip_high_32(u32s a, u32s b)
{
    const u32s at = v_iota_32() / 2 + (v_iota_32() & 1) * V_LANES_32 + V_LANES_32 / 2;
    return (u32s)_mm512_permutex2var_epi32((__m512i)a, (__m512i)at, (__m512i)b);
}

/* ---- masks ---- */

#define V_HAS_MASKS
typedef __mmask16 m32;
typedef __mmask8 m64;

ZTI_INLINE m32 v_is_less_32(u32s a, u32s b)
{
    return _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b);
}
ZTI_INLINE m64 v_is_less_64(u64s a, u64s b)
{
    return _mm512_cmplt_epi64_mask((__m512i)a, (__m512i)b);
}
ZTI_INLINE m32 v_is_set_32(u32s v)
{
    return _mm512_test_epi32_mask((__m512i)v, (__m512i)v);
}
ZTI_INLINE m64 v_is_set_64(u64s v)
{
    return _mm512_test_epi64_mask((__m512i)v, (__m512i)v);
}
ZTI_INLINE u32s v_where_32(m32 m, u32s v)
{
    return (u32s)_mm512_maskz_mov_epi32(m, (__m512i)v);
}
ZTI_INLINE u64s v_where_64(m64 m, u64s v)
{
    return (u64s)_mm512_maskz_mov_epi64(m, (__m512i)v);
}
ZTI_INLINE u32s v_if_32(m32 m, u32s a, u32s b)
{
    return (u32s)_mm512_mask_blend_epi32(m, (__m512i)b, (__m512i)a);
}
ZTI_INLINE u64s v_if_64(m64 m, u64s a, u64s b)
{
    return (u64s)_mm512_mask_blend_epi64(m, (__m512i)b, (__m512i)a);
}
ZTI_INLINE bool m_any_32(m32 m)
{
    return m != 0;
}
ZTI_INLINE bool m_any_64(m64 m)
{
    return m != 0;
}

ZTI_INLINE void v_stream_line(void *to, const void *from)
{
    _mm512_stream_si512((__m512i *)to, (__m512i)v_load_8(from));
}

#endif
