/* words.h: the words of x86/avx512/words.h, which says what they mean, for AVX2. */
#ifndef ZTI_ZFP_X86_AVX2_WORDS_H
#define ZTI_ZFP_X86_AVX2_WORDS_H

#include "core/core.h"

#include <immintrin.h>

typedef __m256i vec;
typedef __m256i mask64; /* all bits of a lane, or none */
typedef __m256i mask32;

enum { VEC_BYTES = 32, LANES32 = 8, LANES64 = 4 };

ZTI_INLINE vec v_load(const void *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}
ZTI_INLINE void v_store(void *to, vec v)
{
    _mm256_storeu_si256((__m256i *)to, v);
}

ZTI_INLINE vec v_zero(void)
{
    return _mm256_setzero_si256();
}
ZTI_INLINE vec v_all8(char x)
{
    return _mm256_set1_epi8(x);
}
ZTI_INLINE vec v_all16(short x)
{
    return _mm256_set1_epi16(x);
}
ZTI_INLINE vec v_all32(uint32_t x)
{
    return _mm256_set1_epi32((int32_t)x);
}
ZTI_INLINE vec v_all64(uint64_t x)
{
    return _mm256_set1_epi64x((int64_t)x);
}

ZTI_INLINE vec v_and(vec a, vec b)
{
    return _mm256_and_si256(a, b);
}
ZTI_INLINE vec v_or(vec a, vec b)
{
    return _mm256_or_si256(a, b);
}
ZTI_INLINE vec v_xor(vec a, vec b)
{
    return _mm256_xor_si256(a, b);
}
ZTI_INLINE vec v_without(vec a, vec b)
{
    return _mm256_andnot_si256(b, a);
}

ZTI_INLINE vec v_add16(vec a, vec b)
{
    return _mm256_add_epi16(a, b);
}
ZTI_INLINE vec v_add32(vec a, vec b)
{
    return _mm256_add_epi32(a, b);
}
ZTI_INLINE vec v_add64(vec a, vec b)
{
    return _mm256_add_epi64(a, b);
}
ZTI_INLINE vec v_sub32(vec a, vec b)
{
    return _mm256_sub_epi32(a, b);
}
ZTI_INLINE vec v_sub64(vec a, vec b)
{
    return _mm256_sub_epi64(a, b);
}
ZTI_INLINE vec v_max32(vec a, vec b)
{
    return _mm256_max_epu32(a, b);
}
ZTI_INLINE vec v_min32(vec a, vec b)
{
    return _mm256_min_epu32(a, b);
}
ZTI_INLINE vec v_rest(vec a, vec b)
{
    return _mm256_subs_epu16(a, b);
}

ZTI_INLINE vec v_right16(vec v, uint8_t n)
{
    return _mm256_srli_epi16(v, n);
}
ZTI_INLINE vec v_right32(vec v, uint8_t n)
{
    return _mm256_srli_epi32(v, n);
}
ZTI_INLINE vec v_right64(vec v, uint8_t n)
{
    return _mm256_srli_epi64(v, n);
}
ZTI_INLINE vec v_left16(vec v, uint8_t n)
{
    return _mm256_slli_epi16(v, n);
}
ZTI_INLINE vec v_left32(vec v, uint8_t n)
{
    return _mm256_slli_epi32(v, n);
}
ZTI_INLINE vec v_left64(vec v, uint8_t n)
{
    return _mm256_slli_epi64(v, n);
}
ZTI_INLINE vec v_rightv32(vec v, vec n)
{
    return _mm256_srlv_epi32(v, n);
}
ZTI_INLINE vec v_rightv64(vec v, vec n)
{
    return _mm256_srlv_epi64(v, n);
}
ZTI_INLINE vec v_leftv32(vec v, vec n)
{
    return _mm256_sllv_epi32(v, n);
}
ZTI_INLINE vec v_leftv64(vec v, vec n)
{
    return _mm256_sllv_epi64(v, n);
}

ZTI_INLINE vec v_look_up(__m128i table, vec index)
{
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), index);
}

/* There is no shift of 16 bits by a lane's own amount; powers of two to multiply with are. */
ZTI_INLINE vec v_shifts_of_nibbles(vec nibbles)
{
    return v_look_up(_mm_setr_epi8(1, 2, 2, 4, 2, 4, 4, 8, 2, 4, 4, 8, 4, 8, 8, 16), nibbles);
}
ZTI_INLINE vec v_shifts_of_bytes(vec numbers)
{
    return v_look_up(_mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, (char)128, 0, 0, 0, 0, 0, 0, 0, 0),
                     numbers);
}
ZTI_INLINE vec v_leftv16(vec v, vec shifts)
{
    return _mm256_mullo_epi16(v, shifts);
}

struct ones {
    vec of8, of16, of32, all32, all64;
};

ZTI_INLINE vec v_ones_of_nibbles(vec nibbles)
{
    return v_look_up(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4), nibbles);
}

ZTI_INLINE struct ones v_ones(vec x, vec low_nibbles, vec high_nibbles)
{
    (void)x;
    const vec n8 = _mm256_add_epi8(v_ones_of_nibbles(low_nibbles), v_ones_of_nibbles(high_nibbles));
    const vec n16 = _mm256_add_epi8(n8, _mm256_srli_epi16(n8, 8));
    const vec n32 = _mm256_add_epi8(n16, _mm256_srli_epi32(n16, 16));
    return (struct ones){.of8 = _mm256_and_si256(n8, _mm256_set1_epi16(0xff)),
                         .of16 = _mm256_and_si256(n16, _mm256_set1_epi32(0xff)),
                         .of32 = _mm256_and_si256(n32, _mm256_set1_epi64x(0xff)),
                         .all32 = _mm256_and_si256(n32, _mm256_set1_epi32(0xff)),
                         .all64 = _mm256_sad_epu8(n8, _mm256_setzero_si256())};
}

/* From the exponents of the numbers as floating-point values, which are exact. */
ZTI_INLINE vec v_bit_length32(vec v)
{
    const vec exponent = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(v)), 23);
    return _mm256_subs_epu16(exponent, _mm256_set1_epi16(126));
}

/* Of each half x with the bits of 2^52 above it, as a number, minus 2^52. */
ZTI_INLINE vec v_bit_length64(vec v)
{
    const vec bits = _mm256_set1_epi64x(INT64_C(0x4330000000000000));
    const __m256d base = _mm256_castsi256_pd(bits);
    const vec high = _mm256_or_si256(_mm256_srli_epi64(v, 32), bits);
    const vec low = _mm256_blend_epi32(v, bits, 0xaa);
    const vec a =
        _mm256_srli_epi64(_mm256_castpd_si256(_mm256_sub_pd(_mm256_castsi256_pd(high), base)), 52);
    const vec b =
        _mm256_srli_epi64(_mm256_castpd_si256(_mm256_sub_pd(_mm256_castsi256_pd(low), base)), 52);
    return _mm256_subs_epu16(_mm256_max_epu16(_mm256_add_epi64(a, _mm256_set1_epi64x(32)), b),
                             _mm256_set1_epi16(1022));
}

/* A lane may be ORed with itself. */
ZTI_INLINE vec v_running_or64(vec v)
{
    v = _mm256_or_si256(v, _mm256_permute4x64_epi64(v, _MM_SHUFFLE(2, 1, 0, 0)));
    return _mm256_or_si256(v, _mm256_permute4x64_epi64(v, _MM_SHUFFLE(1, 0, 0, 0)));
}

ZTI_INLINE vec v_running_or32(vec v)
{
    v = _mm256_or_si256(v, _mm256_slli_si256(v, 4));
    v = _mm256_or_si256(v, _mm256_slli_si256(v, 8));
    const vec lower = _mm256_permute4x64_epi64(v, _MM_SHUFFLE(1, 1, 1, 1));
    return _mm256_or_si256(
        v, _mm256_blend_epi32(_mm256_setzero_si256(), _mm256_shuffle_epi32(lower, 0xff), 0xf0));
}

ZTI_INLINE vec v_before64(vec v, vec first)
{
    return _mm256_permute4x64_epi64(_mm256_blend_epi32(v, first, 0xc0), _MM_SHUFFLE(2, 1, 0, 3));
}
ZTI_INLINE vec v_before32(vec v, vec first)
{
    return _mm256_permutevar8x32_epi32(_mm256_blend_epi32(v, first, 0x80),
                                       _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6));
}
ZTI_INLINE vec v_last64(vec v)
{
    return _mm256_permute4x64_epi64(v, 0xff);
}
ZTI_INLINE vec v_last32(vec v)
{
    return _mm256_permutevar8x32_epi32(v, _mm256_set1_epi32(7));
}

ZTI_INLINE vec v_widened16(vec v, uint32_t half)
{
    return _mm256_cvtepu16_epi32(half ? _mm256_extracti128_si256(v, 1) : _mm256_castsi256_si128(v));
}

ZTI_INLINE vec v_widened32(vec v, uint32_t half)
{
    return _mm256_cvtepu32_epi64(half ? _mm256_extracti128_si256(v, 1) : _mm256_castsi256_si128(v));
}

ZTI_INLINE vec v_gather32(const uint32_t *table, vec index)
{
    return _mm256_i32gather_epi32((const int *)table, index, 4);
}

ZTI_INLINE vec v_windows32(const uint8_t *base, vec low, vec high)
{
    const vec bit = _mm256_set1_epi64x(7);
    const long long *p = (const long long *)(const void *)base;
    low = _mm256_srlv_epi64(_mm256_i64gather_epi64(p, _mm256_srli_epi64(low, 3), 1),
                            _mm256_and_si256(low, bit));
    high = _mm256_srlv_epi64(_mm256_i64gather_epi64(p, _mm256_srli_epi64(high, 3), 1),
                             _mm256_and_si256(high, bit));
    return _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(
                                        _mm256_castsi256_ps(low), _mm256_castsi256_ps(high), 0x88)),
                                    0xd8);
}

ZTI_INLINE vec v_inner_bytes_exchanged32(vec v)
{
    return _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(_mm_setr_epi8(
                                      0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15)));
}

ZTI_INLINE vec v_bytes_reversed32(vec v)
{
    return _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(_mm_setr_epi8(
                                      3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)));
}

/* ---- masks ---- */

ZTI_INLINE mask64 m_both64(mask64 a, mask64 b)
{
    return _mm256_and_si256(a, b);
}
ZTI_INLINE mask64 m_without64(mask64 a, mask64 b)
{
    return _mm256_andnot_si256(b, a);
}
ZTI_INLINE mask64 v_is_set64(vec v)
{
    return _mm256_xor_si256(_mm256_cmpeq_epi64(v, _mm256_setzero_si256()), _mm256_set1_epi64x(-1));
}
ZTI_INLINE mask64 v_is_less64(vec a, vec b)
{
    return _mm256_cmpgt_epi64(b, a);
}
ZTI_INLINE mask64 v_is_top_set64(vec v)
{
    return _mm256_cmpgt_epi64(_mm256_setzero_si256(), v);
}
ZTI_INLINE vec v_if64(mask64 m, vec a, vec b)
{
    return _mm256_blendv_epi8(b, a, m);
}
ZTI_INLINE vec v_where64(mask64 m, vec v)
{
    return _mm256_and_si256(m, v);
}
ZTI_INLINE bool v_any_is_less64(vec a, vec b)
{
    return _mm256_movemask_epi8(_mm256_cmpgt_epi64(b, a)) != 0;
}

ZTI_INLINE mask32 v_is_bit_set32(vec v, uint32_t bit)
{
    return _mm256_srai_epi32(_mm256_slli_epi32(v, 31 - (int)bit), 31);
}
ZTI_INLINE mask32 v_is_less32(vec a, vec b)
{
    return _mm256_cmpgt_epi32(b, a);
}
ZTI_INLINE bool v_any_is_less32(vec a, vec b)
{
    return _mm256_movemask_epi8(_mm256_cmpgt_epi32(b, a)) != 0;
}
ZTI_INLINE mask32 m_first32(uint32_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)n),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
ZTI_INLINE vec v_if32(mask32 m, vec a, vec b)
{
    return _mm256_blendv_epi8(b, a, m);
}
ZTI_INLINE vec v_where32(mask32 m, vec v)
{
    return _mm256_and_si256(m, v);
}

#endif
