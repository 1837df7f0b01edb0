/* words.h: the words that the texts zfp_vector_*.h are written in, for AVX-512 (VBMI,
 * VBMI2, GFNI and BITALG are part of it). x86/avx2/words.h has the same ones.
 *
 * A 'vec' is a register. The number after a word is the width of its lanes; a mask has a truth for
 * each of them. Shifts by a lane's own amount give 0 where that is not below the width. */
#ifndef ZTI_ZFP_X86_AVX512_WORDS_H
#define ZTI_ZFP_X86_AVX512_WORDS_H

#include "core/core.h"

#include <immintrin.h>

typedef __m512i vec;
typedef __mmask8 mask64;
typedef __mmask16 mask32;

enum { VEC_BYTES = 64, LANES32 = 16, LANES64 = 8 };

ZTI_INLINE vec v_load(const void *from)
{
    return _mm512_loadu_si512(from);
}
ZTI_INLINE void v_store(void *to, vec v)
{
    _mm512_storeu_si512(to, v);
}

ZTI_INLINE vec v_zero(void)
{
    return _mm512_setzero_si512();
}
ZTI_INLINE vec v_all8(char x)
{
    return _mm512_set1_epi8(x);
}
ZTI_INLINE vec v_all16(short x)
{
    return _mm512_set1_epi16(x);
}
ZTI_INLINE vec v_all32(uint32_t x)
{
    return _mm512_set1_epi32((int32_t)x);
}
ZTI_INLINE vec v_all64(uint64_t x)
{
    return _mm512_set1_epi64((int64_t)x);
}

ZTI_INLINE vec v_and(vec a, vec b)
{
    return _mm512_and_si512(a, b);
}
ZTI_INLINE vec v_or(vec a, vec b)
{
    return _mm512_or_si512(a, b);
}
ZTI_INLINE vec v_xor(vec a, vec b)
{
    return _mm512_xor_si512(a, b);
}
ZTI_INLINE vec v_without(vec a, vec b)
{
    return _mm512_andnot_si512(b, a);
} /* a & ~b */

ZTI_INLINE vec v_add16(vec a, vec b)
{
    return _mm512_add_epi16(a, b);
}
ZTI_INLINE vec v_add32(vec a, vec b)
{
    return _mm512_add_epi32(a, b);
}
ZTI_INLINE vec v_add64(vec a, vec b)
{
    return _mm512_add_epi64(a, b);
}
ZTI_INLINE vec v_sub32(vec a, vec b)
{
    return _mm512_sub_epi32(a, b);
}
ZTI_INLINE vec v_sub64(vec a, vec b)
{
    return _mm512_sub_epi64(a, b);
}
ZTI_INLINE vec v_max32(vec a, vec b)
{
    return _mm512_max_epu32(a, b);
}
ZTI_INLINE vec v_min32(vec a, vec b)
{
    return _mm512_min_epu32(a, b);
}
/* a - b, or 0; of numbers below 2^16. */
ZTI_INLINE vec v_rest(vec a, vec b)
{
    return _mm512_subs_epu16(a, b);
}

ZTI_INLINE vec v_right16(vec v, uint8_t n)
{
    return _mm512_srli_epi16(v, n);
}
ZTI_INLINE vec v_right32(vec v, uint8_t n)
{
    return _mm512_srli_epi32(v, n);
}
ZTI_INLINE vec v_right64(vec v, uint8_t n)
{
    return _mm512_srli_epi64(v, n);
}
ZTI_INLINE vec v_left16(vec v, uint8_t n)
{
    return _mm512_slli_epi16(v, n);
}
ZTI_INLINE vec v_left32(vec v, uint8_t n)
{
    return _mm512_slli_epi32(v, n);
}
ZTI_INLINE vec v_left64(vec v, uint8_t n)
{
    return _mm512_slli_epi64(v, n);
}
ZTI_INLINE vec v_rightv32(vec v, vec n)
{
    return _mm512_srlv_epi32(v, n);
}
ZTI_INLINE vec v_rightv64(vec v, vec n)
{
    return _mm512_srlv_epi64(v, n);
}
ZTI_INLINE vec v_leftv32(vec v, vec n)
{
    return _mm512_sllv_epi32(v, n);
}
ZTI_INLINE vec v_leftv64(vec v, vec n)
{
    return _mm512_sllv_epi64(v, n);
}

/* What v_leftv16 takes for shifts by the number of ones in nibbles, or by numbers up to 7, given as
 * bytes: the numbers. */
ZTI_INLINE vec v_shifts_of_nibbles(vec nibbles)
{
    return _mm512_popcnt_epi8(nibbles);
}
ZTI_INLINE vec v_shifts_of_bytes(vec numbers)
{
    return numbers;
}
ZTI_INLINE vec v_leftv16(vec v, vec shifts)
{
    return _mm512_sllv_epi16(v, shifts);
}

/* 16 bytes by the low four bits of each byte. */
ZTI_INLINE vec v_look_up(__m128i table, vec index)
{
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), index);
}

/* Ones of x: of8 of the lower byte of 16 bits, of16 of the lower half of 32, of32 of 64; and of
 * all of 32 and of 64. The nibbles are x's, each in a byte. */
struct ones {
    vec of8, of16, of32, all32, all64;
};

ZTI_INLINE struct ones v_ones(vec x, vec low_nibbles, vec high_nibbles)
{
    (void)low_nibbles, (void)high_nibbles;
    return (struct ones){
        .of8 = _mm512_popcnt_epi16(_mm512_and_si512(x, _mm512_set1_epi16(0xff))),
        .of16 = _mm512_popcnt_epi32(_mm512_and_si512(x, _mm512_set1_epi32(0xffff))),
        .of32 = _mm512_popcnt_epi64(_mm512_and_si512(x, _mm512_set1_epi64(0xffffffff))),
        .all32 = _mm512_popcnt_epi32(x),
        .all64 = _mm512_popcnt_epi64(x)};
}

/* Of numbers below 2^16, and of any. */
ZTI_INLINE vec v_bit_length32(vec v)
{
    return _mm512_sub_epi32(_mm512_set1_epi32(32), _mm512_lzcnt_epi32(v));
}

ZTI_INLINE vec v_bit_length64(vec v)
{
    return _mm512_sub_epi64(_mm512_set1_epi64(64), _mm512_lzcnt_epi64(v));
}

/* OR of each lane with all before it. */
ZTI_INLINE vec v_running_or64(vec v)
{
    const vec zero = _mm512_setzero_si512();
    v = _mm512_or_si512(v, _mm512_alignr_epi64(v, zero, 7));
    v = _mm512_or_si512(v, _mm512_alignr_epi64(v, zero, 6));
    return _mm512_or_si512(v, _mm512_alignr_epi64(v, zero, 4));
}

ZTI_INLINE vec v_running_or32(vec v)
{
    const vec zero = _mm512_setzero_si512();
    v = _mm512_or_si512(v, _mm512_alignr_epi32(v, zero, 15));
    v = _mm512_or_si512(v, _mm512_alignr_epi32(v, zero, 14));
    v = _mm512_or_si512(v, _mm512_alignr_epi32(v, zero, 12));
    return _mm512_or_si512(v, _mm512_alignr_epi32(v, zero, 8));
}

/* Each lane's predecessor; the first one's is the last of 'first'. */
ZTI_INLINE vec v_before64(vec v, vec first)
{
    return _mm512_alignr_epi64(v, first, 7);
}
ZTI_INLINE vec v_before32(vec v, vec first)
{
    return _mm512_alignr_epi32(v, first, 15);
}

/* The last lane everywhere. */
ZTI_INLINE vec v_last64(vec v)
{
    return _mm512_permutexvar_epi64(_mm512_set1_epi64(7), v);
}
ZTI_INLINE vec v_last32(vec v)
{
    return _mm512_permutexvar_epi32(_mm512_set1_epi32(15), v);
}

/* The numbers of 16 bits in one half, in 32. */
ZTI_INLINE vec v_widened16(vec v, uint32_t half)
{
    return _mm512_cvtepu16_epi32(half ? _mm512_extracti64x4_epi64(v, 1)
                                      : _mm512_castsi512_si256(v));
}

/* And those of 32 bits in 64. */
ZTI_INLINE vec v_widened32(vec v, uint32_t half)
{
    return _mm512_cvtepu32_epi64(half ? _mm512_extracti64x4_epi64(v, 1)
                                      : _mm512_castsi512_si256(v));
}

/* Numbers of a table, by lane. */
ZTI_INLINE vec v_gather32(const uint32_t *table, vec index)
{
    return _mm512_i32gather_epi32(index, table, 4);
}

/* 32 bits from the bit positions of each lane; those of the first half of the lanes in 'low'. */
ZTI_INLINE vec v_windows32(const uint8_t *base, vec low, vec high)
{
    const vec bit = _mm512_set1_epi64(7);
    low = _mm512_srlv_epi64(_mm512_i64gather_epi64(_mm512_srli_epi64(low, 3), base, 1),
                            _mm512_and_si512(low, bit));
    high = _mm512_srlv_epi64(_mm512_i64gather_epi64(_mm512_srli_epi64(high, 3), base, 1),
                             _mm512_and_si512(high, bit));
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)),
                              _mm512_cvtepi64_epi32(high), 1);
}

/* The second and third byte of 32 bits exchanged. */
ZTI_INLINE vec v_inner_bytes_exchanged32(vec v)
{
    return _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(_mm_setr_epi8(0, 2, 1, 3, 4, 6, 5, 7, 8,
                                                                       10, 9, 11, 12, 14, 13, 15)));
}

/* Bytes of 32 bits in reverse order. */
ZTI_INLINE vec v_bytes_reversed32(vec v)
{
    return _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11,
                                                                       10, 9, 8, 15, 14, 13, 12)));
}

/* ---- masks ---- */

ZTI_INLINE mask64 m_both64(mask64 a, mask64 b)
{
    return a & b;
}
ZTI_INLINE mask64 m_without64(mask64 a, mask64 b)
{
    return a & (mask64)~b;
}
ZTI_INLINE mask64 v_is_set64(vec v)
{
    return _mm512_test_epi64_mask(v, v);
}
ZTI_INLINE mask64 v_is_top_set64(vec v)
{
    return _mm512_movepi64_mask(v);
}
ZTI_INLINE mask64 v_is_less64(vec a, vec b)
{
    return _mm512_cmplt_epi64_mask(a, b);
}
ZTI_INLINE vec v_if64(mask64 m, vec a, vec b)
{
    return _mm512_mask_blend_epi64(m, b, a);
}
ZTI_INLINE vec v_where64(mask64 m, vec v)
{
    return _mm512_maskz_mov_epi64(m, v);
}
ZTI_INLINE bool v_any_is_less64(vec a, vec b)
{
    return _mm512_cmplt_epi64_mask(a, b) != 0;
}

ZTI_INLINE mask32 v_is_bit_set32(vec v, uint32_t bit)
{
    return _mm512_test_epi32_mask(v, _mm512_set1_epi32((int32_t)(UINT32_C(1) << bit)));
}
ZTI_INLINE mask32 v_is_less32(vec a, vec b)
{
    return _mm512_cmplt_epi32_mask(a, b);
}
ZTI_INLINE bool v_any_is_less32(vec a, vec b)
{
    return _mm512_cmplt_epi32_mask(a, b) != 0;
}
ZTI_INLINE mask32 m_first32(uint32_t n)
{
    return (mask32)((1u << n) - 1);
}
ZTI_INLINE vec v_if32(mask32 m, vec a, vec b)
{
    return _mm512_mask_blend_epi32(m, b, a);
}
ZTI_INLINE vec v_where32(mask32 m, vec v)
{
    return _mm512_maskz_mov_epi32(m, v);
}

#endif
