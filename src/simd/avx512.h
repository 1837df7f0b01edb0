/* avx512.h: as avx2.h, for AVX-512 as core/cpu.c looks for it; AVX2 is part of it. */
#if !defined(V_VERBS)
#define ZTI_WITH_AVX2
#define ZTI_WITH_AVX512
#if defined(__clang__)
#pragma clang attribute push(                                                                      \
    __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512dq,"         \
                          "avx512cd,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq,gfni"))),  \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512dq,avx512cd")
#pragma GCC target(                                                                                \
    "avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq,gfni,prefer-vector-width=512")
#endif

#include <immintrin.h>

#define V_VERBS          "simd/avx512.h"
#define V_REGISTER_BYTES 64

#else

typedef __m512i v_register;

ZTI_INLINE __m256i v_half(__m512i v, uint32_t half)
{
    return half ? _mm512_extracti64x4_epi64(v, 1) : _mm512_castsi512_si256(v);
}
#define V_X86(operation) _mm512_##operation
#include "simd/x86.h"

ZTI_INLINE u32s v_before_32(u32s v, u32s first)
{
    return (u32s)_mm512_alignr_epi32((__m512i)v, (__m512i)first, 15);
}
ZTI_INLINE u64s v_before_64(u64s v, u64s first)
{
    return (u64s)_mm512_alignr_epi64((__m512i)v, (__m512i)first, 7);
}

/* Sums within each 128 bits, then within each half, then of all. */
ZTI_INLINE u32s v_sums_32(u32s v)
{
    const __m512i quarter = _mm512_setr_epi32(0, 0, 0, 0, 3, 3, 3, 3, 0, 0, 0, 0, 11, 11, 11, 11);
    v += (u32s)_mm512_bslli_epi128((__m512i)v, 4);
    v += (u32s)_mm512_bslli_epi128((__m512i)v, 8);
    v += (u32s)_mm512_maskz_permutexvar_epi32(0xf0f0, quarter, (__m512i)v);
    return v + (u32s)_mm512_maskz_permutexvar_epi32(0xff00, _mm512_set1_epi32(7), (__m512i)v);
}
ZTI_INLINE u64s v_sums_64(u64s v)
{
    const __m512i quarter = _mm512_setr_epi64(0, 0, 1, 1, 0, 0, 5, 5);
    v += (u64s)_mm512_bslli_epi128((__m512i)v, 8);
    v += (u64s)_mm512_maskz_permutexvar_epi64(0xcc, quarter, (__m512i)v);
    return v + (u64s)_mm512_maskz_permutexvar_epi64(0xf0, _mm512_set1_epi64(3), (__m512i)v);
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

ZTI_INLINE bool v_is_any(u32s v)
{
    return _mm512_test_epi32_mask((__m512i)v, (__m512i)v) != 0;
}

ZTI_INLINE uint64_t v_or_64(u64s v)
{
    return (uint64_t)_mm512_reduce_or_epi64((__m512i)v);
}
ZTI_INLINE uint32_t v_or_32(u32s v)
{
    return (uint32_t)_mm512_reduce_or_epi32((__m512i)v);
}

ZTI_INLINE void v_store_bytes_32(uint8_t *to, u32s v)
{
    _mm_storeu_si128((__m128i *)(void *)to, _mm512_cvtepi32_epi8((__m512i)v));
}
ZTI_INLINE u32s v_load_bytes_32(const uint8_t *from)
{
    return (u32s)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)from));
}

ZTI_INLINE void v_store_half_32(void *to, u32s v)
{
    _mm256_storeu_si256((__m256i *)to, _mm512_cvtepi32_epi16((__m512i)v));
}
ZTI_INLINE u32s v_load_half_32(const void *from)
{
    return (u32s)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)from));
}

ZTI_INLINE u8s v_bytes_32(const u32s *v)
{
    const __m512i low = _mm512_packus_epi32((__m512i)v[0], (__m512i)v[1]);
    const __m512i high = _mm512_packus_epi32((__m512i)v[2], (__m512i)v[3]);
    return (u8s)_mm512_permutexvar_epi32(
        _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0),
        _mm512_packus_epi16(low, high));
}

/* A bit for each lane: its highest one. */
ZTI_INLINE uint32_t v_signs_32(u32s v)
{
    return _mm512_movepi32_mask((__m512i)v);
}

ZTI_INLINE uint64_t v_bits_above_8(u8s v, u8s other)
{
    return _mm512_cmpgt_epu8_mask((__m512i)v, (__m512i)other);
}
ZTI_INLINE u8s v_raise_8(u8s v, uint64_t bits)
{
    return (u8s)_mm512_mask_add_epi8((__m512i)v, bits, (__m512i)v, _mm512_set1_epi8(1));
}
ZTI_INLINE uint32_t v_sum_8(u8s v)
{
    return (uint32_t)_mm512_reduce_add_epi64(_mm512_sad_epu8((__m512i)v, _mm512_setzero_si512()));
}

ZTI_INLINE u32s v_even_32(u32s a, u32s b)
{
    return (u32s)_mm512_permutex2var_epi32((__m512i)a, (__m512i)(v_iota_32() * 2), (__m512i)b);
}
ZTI_INLINE u32s v_odd_32(u32s a, u32s b)
{
    return (u32s)_mm512_permutex2var_epi32((__m512i)a, (__m512i)(v_iota_32() * 2 + 1), (__m512i)b);
}

ZTI_INLINE u32s v_saturated_64(u64s a, u64s b)
{
    const __m512i most = _mm512_set1_epi64(UINT32_MAX);
    return v_even_32((u32s)_mm512_min_epu64((__m512i)a, most),
                     (u32s)_mm512_min_epu64((__m512i)b, most));
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

ZTI_INLINE u32s v_bit_length_32(u32s v)
{
    return 32 - (u32s)_mm512_lzcnt_epi32((__m512i)v);
}
ZTI_INLINE u64s v_bit_length_64(u64s v)
{
    return 64 - (u64s)_mm512_lzcnt_epi64((__m512i)v);
}

ZTI_INLINE u32s v_ors_32(u32s v)
{
    const __m512i none = _mm512_setzero_si512();
    v |= (u32s)_mm512_alignr_epi32((__m512i)v, none, 15);
    v |= (u32s)_mm512_alignr_epi32((__m512i)v, none, 14);
    v |= (u32s)_mm512_alignr_epi32((__m512i)v, none, 12);
    return v | (u32s)_mm512_alignr_epi32((__m512i)v, none, 8);
}
ZTI_INLINE u64s v_ors_64(u64s v)
{
    const __m512i none = _mm512_setzero_si512();
    v |= (u64s)_mm512_alignr_epi64((__m512i)v, none, 7);
    v |= (u64s)_mm512_alignr_epi64((__m512i)v, none, 6);
    return v | (u64s)_mm512_alignr_epi64((__m512i)v, none, 4);
}

ZTI_INLINE u8s v_all_128(__m128i x)
{
    return (u8s)_mm512_broadcast_i32x4(x);
}

ZTI_INLINE u32s v_gather_32(const uint32_t *table, u32s at)
{
    return (u32s)_mm512_i32gather_epi32((__m512i)at, table, 4);
}
ZTI_INLINE u64s v_gather_bytes_64(const uint8_t *base, u64s at)
{
    return (u64s)_mm512_i64gather_epi64((__m512i)at, base, 1);
}

/* ---- masks ---- */

#define V_HAS_MASKS
typedef __mmask16 b32s;
typedef __mmask8 b64s;

ZTI_INLINE b32s v_is_less_32(u32s a, u32s b)
{
    return _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b);
}
ZTI_INLINE b64s v_is_less_64(u64s a, u64s b)
{
    return _mm512_cmplt_epi64_mask((__m512i)a, (__m512i)b);
}
ZTI_INLINE b32s v_is_set_32(u32s v)
{
    return _mm512_test_epi32_mask((__m512i)v, (__m512i)v);
}
ZTI_INLINE b64s v_is_set_64(u64s v)
{
    return _mm512_test_epi64_mask((__m512i)v, (__m512i)v);
}
ZTI_INLINE b32s m_first_32(uint32_t n)
{
    return (b32s)((1u << n) - 1);
}
ZTI_INLINE u32s v_where_32(b32s m, u32s v)
{
    return (u32s)_mm512_maskz_mov_epi32(m, (__m512i)v);
}
ZTI_INLINE u64s v_where_64(b64s m, u64s v)
{
    return (u64s)_mm512_maskz_mov_epi64(m, (__m512i)v);
}
ZTI_INLINE u32s v_if_32(b32s m, u32s a, u32s b)
{
    return (u32s)_mm512_mask_blend_epi32(m, (__m512i)b, (__m512i)a);
}
ZTI_INLINE u64s v_if_64(b64s m, u64s a, u64s b)
{
    return (u64s)_mm512_mask_blend_epi64(m, (__m512i)b, (__m512i)a);
}
ZTI_INLINE bool m_any_32(b32s m)
{
    return m != 0;
}
ZTI_INLINE bool m_any_64(b64s m)
{
    return m != 0;
}

ZTI_INLINE void v_stream_line(void *to, const void *from)
{
    _mm512_stream_si512((__m512i *)to, (__m512i)v_load_8(from));
}

#endif
