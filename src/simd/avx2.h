/* avx2.h: AVX2 with BMI1, BMI2, LZCNT and POPCNT. Included before every other header of an
 * instance, and only where cpu.h says that the build has such instances: what follows, up to end.h,
 * is compiled for this set, whatever the compiler's flags. Texts ask for ZTI_WITH_AVX2, as clang's
 * attribute does not define __AVX2__. Included again by vectors.h it has the verbs, which plain.h
 * explains.
 */
#if !defined(V_VERBS)
#define ZTI_WITH_AVX2
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"))),                \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")
#endif

#include <immintrin.h>

#define V_VERBS          "simd/avx2.h"
#define V_REGISTER_BYTES 32

#else

typedef __m256i v_register;

ZTI_INLINE __m128i v_half(__m256i v, uint32_t half)
{
    return half ? _mm256_extracti128_si256(v, 1) : _mm256_castsi256_si128(v);
}
#define V_X86(operation) _mm256_##operation
#include "simd/x86.h"

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

ZTI_INLINE bool v_is_any(u32s v)
{
    return !_mm256_testz_si256((__m256i)v, (__m256i)v);
}

ZTI_INLINE uint64_t v_or_64(u64s v)
{
    const __m128i two =
        _mm256_castsi256_si128((__m256i)v) | _mm256_extracti128_si256((__m256i)v, 1);
    return (uint64_t)_mm_cvtsi128_si64(two) | (uint64_t)_mm_extract_epi64(two, 1);
}
ZTI_INLINE uint32_t v_or_32(u32s v)
{
    const uint64_t two = v_or_64((u64s)v);
    return (uint32_t)(two | two >> 32);
}

ZTI_INLINE void v_store_bytes_32(uint8_t *to, u32s v)
{
    const __m256i lowest = _mm256_set1_epi32(0x0c080400);
    const __m256i four = _mm256_shuffle_epi8((__m256i)v, lowest); /* of each half */
    _mm_storel_epi64((__m128i *)(void *)to, _mm_unpacklo_epi32(v_half(four, 0), v_half(four, 1)));
}
ZTI_INLINE u32s v_load_bytes_32(const uint8_t *from)
{
    return (u32s)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from));
}

ZTI_INLINE void v_store_half_32(void *to, u32s v)
{
    const __m256i half = _mm256_packus_epi32((__m256i)v, (__m256i)v);
    _mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(
                                        _mm256_permute4x64_epi64(half, _MM_SHUFFLE(3, 1, 2, 0))));
}
ZTI_INLINE u32s v_load_half_32(const void *from)
{
    return (u32s)_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)from));
}

ZTI_INLINE u8s v_bytes_32(const u32s *v)
{
    const __m256i low = _mm256_packus_epi32((__m256i)v[0], (__m256i)v[1]);
    const __m256i high = _mm256_packus_epi32((__m256i)v[2], (__m256i)v[3]);
    return (u8s)_mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high),
                                            _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

ZTI_INLINE uint64_t v_top_bits_8(u8s v)
{
    return (uint32_t)_mm256_movemask_epi8((__m256i)v);
}
/* A bit for each lane: its highest one. */
ZTI_INLINE uint32_t v_signs_32(u32s v)
{
    return (uint32_t)_mm256_movemask_ps((__m256)v);
}

ZTI_INLINE uint64_t v_bits_above_8(u8s v, u8s other)
{
    return (uint32_t)~v_top_bits_8((u8s)(v_min_8(v, other) == v));
}
ZTI_INLINE u8s v_raise_8(u8s v, uint64_t bits)
{
    const __m256i which =
        _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const u8s of = (u8s)v_all_64(UINT64_C(0x8040201008040201));
    const u8s all = (u8s)_mm256_shuffle_epi8(_mm256_set1_epi32((int32_t)(uint32_t)bits), which);
    return v - (u8s)((all & of) == of);
}
ZTI_INLINE uint32_t v_sum_8(u8s v)
{
    const __m256i eights = _mm256_sad_epu8((__m256i)v, _mm256_setzero_si256());
    const __m128i two =
        _mm_add_epi32(_mm256_castsi256_si128(eights), _mm256_extracti128_si256(eights, 1));
    return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi32(two, _mm_unpackhi_epi64(two, two)));
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

ZTI_INLINE u32s v_saturated_64(u64s a, u64s b)
{
    return v_even_32((u32s)a, (u32s)b) | (u32s)(v_odd_32((u32s)a, (u32s)b) != 0);
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

/* From the exponents of the numbers as floating-point values; without the bit below the leading one
 * none is rounded up to the next power of two, and the highest bit is a sign. */
ZTI_INLINE u32s v_bit_length_32(u32s v)
{
    const u32s exponent = (u32s)_mm256_cvtepi32_ps((__m256i)(v & ~(v >> 1))) >> 23 & 0xff;
    return (u32s)v_rest_16((u16s)exponent, v_all_16(126));
}

/* Of each half x with the bits of 2^52 above it, as a number, minus 2^52. */
ZTI_INLINE u64s v_bit_length_64(u64s v)
{
    const u64s bits = v_all_64(UINT64_C(0x4330000000000000));
    const u64s high = (v >> 32) | bits;
    const u64s low = (u64s)_mm256_blend_epi32((__m256i)v, (__m256i)bits, 0xaa);
    const u64s a = (u64s)((f64s)high - (f64s)bits) >> 52, b = (u64s)((f64s)low - (f64s)bits) >> 52;
    const u16s most = (u16s)_mm256_max_epu16((__m256i)(a + 32), (__m256i)b);
    return (u64s)v_rest_16(most, v_all_16(1022));
}

ZTI_INLINE u32s v_ors_32(u32s v)
{
    v |= (u32s)_mm256_slli_si256((__m256i)v, 4);
    v |= (u32s)_mm256_slli_si256((__m256i)v, 8);
    const __m256i lower = _mm256_permute4x64_epi64((__m256i)v, _MM_SHUFFLE(1, 1, 1, 1));
    return v | (u32s)_mm256_blend_epi32(_mm256_setzero_si256(), _mm256_shuffle_epi32(lower, 0xff),
                                        0xf0);
}

/* A lane may be ORed with itself. */
ZTI_INLINE u64s v_ors_64(u64s v)
{
    v |= (u64s)_mm256_permute4x64_epi64((__m256i)v, _MM_SHUFFLE(2, 1, 0, 0));
    return v | (u64s)_mm256_permute4x64_epi64((__m256i)v, _MM_SHUFFLE(1, 0, 0, 0));
}

ZTI_INLINE u8s v_all_128(__m128i x)
{
    return (u8s)_mm256_broadcastsi128_si256(x);
}

ZTI_INLINE u32s v_gather_32(const uint32_t *table, u32s at)
{
    return (u32s)_mm256_i32gather_epi32((const int *)table, (__m256i)at, 4);
}
ZTI_INLINE u64s v_gather_bytes_64(const uint8_t *base, u64s at)
{
    return (u64s)_mm256_i64gather_epi64((const long long *)(const void *)base, (__m256i)at, 1);
}

/* ---- masks ---- */

ZTI_INLINE u32s m_first_32(uint32_t n)
{
    return (u32s)((i32s)v_iota_32() < (int32_t)n);
}
ZTI_INLINE u32s v_if_32(u32s m, u32s a, u32s b)
{
    return (u32s)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)m);
}
ZTI_INLINE u64s v_if_64(u64s m, u64s a, u64s b)
{
    return (u64s)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)m);
}

ZTI_INLINE void v_stream_line(void *to, const void *from)
{
    const uint8_t *const bytes = from;
    _mm256_stream_si256((__m256i *)to, (__m256i)v_load_8(bytes));
    _mm256_stream_si256((__m256i *)to + 1, (__m256i)v_load_8(bytes + 32));
}

#endif
