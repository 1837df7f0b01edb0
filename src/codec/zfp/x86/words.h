/* words.h: the words that the texts of this folder are written in: verbs of simd/vectors.h for a
 * 'vec', a register whose lanes have no type. The number after a word is the width of its lanes. */
#ifndef ZTI_ZFP_X86_WORDS_H
#define ZTI_ZFP_X86_WORDS_H

#include "simd/vectors.h"

typedef v_register vec;
typedef v_register unaligned_vec __attribute__((aligned(1)));
typedef b64s mask64;
typedef b32s mask32;

enum { VEC_BYTES = V_BYTES, LANES32 = V_LANES_32, LANES64 = V_LANES_64 };

#define WORD(name, value, ...)                                                                     \
    ZTI_INLINE vec name(__VA_ARGS__)                                                               \
    {                                                                                              \
        return (vec)(value);                                                                       \
    }

WORD(v_load, *(const unaligned_vec *)from, const void *from)
WORD(v_zero, v_all_64(0), void)
WORD(v_all8, v_all_8((uint8_t)x), char x)
WORD(v_all16, v_all_16((uint16_t)x), short x)
WORD(v_all32, v_all_32(x), uint32_t x)
WORD(v_all64, v_all_64(x), uint64_t x)
WORD(v_and, a &b, vec a, vec b)
WORD(v_or, a | b, vec a, vec b)
WORD(v_xor, a ^ b, vec a, vec b)
WORD(v_without, a & ~b, vec a, vec b)
WORD(v_add16, (u16s)a + (u16s)b, vec a, vec b)
WORD(v_add32, (u32s)a + (u32s)b, vec a, vec b)
WORD(v_add64, (u64s)a + (u64s)b, vec a, vec b)
WORD(v_sub32, (u32s)a - (u32s)b, vec a, vec b)
WORD(v_sub64, (u64s)a - (u64s)b, vec a, vec b)
WORD(v_max32, v_max_32((u32s)a, (u32s)b), vec a, vec b)
WORD(v_min32, v_min_32((u32s)a, (u32s)b), vec a, vec b)
WORD(v_rest, v_rest_16((u16s)a, (u16s)b), vec a, vec b) /* a - b, or 0; of numbers below 2^16 */
WORD(v_right16, (u16s)v >> n, vec v, uint8_t n)
WORD(v_right32, (u32s)v >> n, vec v, uint8_t n)
WORD(v_right64, (u64s)v >> n, vec v, uint8_t n)
WORD(v_left16, (u16s)v << n, vec v, uint8_t n)
WORD(v_left32, (u32s)v << n, vec v, uint8_t n)
WORD(v_left64, (u64s)v << n, vec v, uint8_t n)
WORD(v_rightv32, v_right_32((u32s)v, (u32s)n), vec v, vec n)
WORD(v_rightv64, v_right_64((u64s)v, (u64s)n), vec v, vec n)
WORD(v_leftv32, v_left_32((u32s)v, (u32s)n), vec v, vec n)
WORD(v_leftv64, v_left_64((u64s)v, (u64s)n), vec v, vec n)
WORD(v_bit_length32, v_bit_length_32((u32s)v), vec v) /* of numbers below 2^16 */
WORD(v_bit_length64, v_bit_length_64((u64s)v), vec v)
WORD(v_running_or32, v_ors_32((u32s)v), vec v)
WORD(v_running_or64, v_ors_64((u64s)v), vec v)
WORD(v_before32, v_before_32((u32s)v, (u32s)first), vec v, vec first)
WORD(v_before64, v_before_64((u64s)v, (u64s)first), vec v, vec first)
WORD(v_last32, v_last_32((u32s)v), vec v)
WORD(v_last64, v_last_64((u64s)v), vec v)
WORD(v_widened16, v_widen_16((u16s)v, half), vec v, uint32_t half)
WORD(v_widened32, v_widen_32((u32s)v, half), vec v, uint32_t half)
WORD(v_gather32, v_gather_32(table, (u32s)index), const uint32_t *table, vec index)
WORD(v_look_up, v_shuffle_8(v_all_128(table), (u8s)index), __m128i table, vec index)
WORD(v_inner_bytes_exchanged32,
     v_shuffle_8((u8s)v,
                 v_all_128(_mm_setr_epi8(0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15))),
     vec v)
WORD(v_bytes_reversed32,
     v_shuffle_8((u8s)v,
                 v_all_128(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12))),
     vec v)
WORD(v_if32, v_if_32(m, (u32s)a, (u32s)b), mask32 m, vec a, vec b)
WORD(v_if64, v_if_64(m, (u64s)a, (u64s)b), mask64 m, vec a, vec b)
WORD(v_where32, v_where_32(m, (u32s)v), mask32 m, vec v)
WORD(v_where64, v_where_64(m, (u64s)v), mask64 m, vec v)
#undef WORD

ZTI_INLINE void v_store(void *to, vec v)
{
    *(unaligned_vec *)to = v;
}

/* 32 bits from the bit positions of each lane; those of the first half of the lanes in 'low'. */
ZTI_INLINE vec v_windows32(const uint8_t *base, vec low, vec high)
{
    const u64s a = v_right_64(v_gather_bytes_64(base, (u64s)low >> 3), (u64s)low & 7);
    const u64s b = v_right_64(v_gather_bytes_64(base, (u64s)high >> 3), (u64s)high & 7);
    return (vec)v_even_32((u32s)a, (u32s)b);
}

/* Ones of x: of8 of the lower byte of 16 bits, of16 of the lower half of 32, of32 of 64; and of
 * all of 32 and of 64. The nibbles are x's, each in a byte. And what v_leftv16 takes for shifts by
 * the number of ones in nibbles, or by numbers up to 7, given as bytes: where 16 bits have no
 * shifts by a lane's own amount, powers of two to multiply with. */
struct ones {
    vec of8, of16, of32, all32, all64;
};
#if defined(ZTI_WITH_AVX512)
ZTI_INLINE struct ones v_ones(vec x, vec low_nibbles, vec high_nibbles)
{
    (void)low_nibbles, (void)high_nibbles;
    return (struct ones){.of8 = _mm512_popcnt_epi16(v_and(x, v_all16(0xff))),
                         .of16 = _mm512_popcnt_epi32(v_and(x, v_all32(0xffff))),
                         .of32 = _mm512_popcnt_epi64(v_and(x, v_all64(0xffffffff))),
                         .all32 = _mm512_popcnt_epi32(x),
                         .all64 = _mm512_popcnt_epi64(x)};
}

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
#else
ZTI_INLINE vec v_ones_of_nibbles(vec nibbles)
{
    return v_look_up(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4), nibbles);
}

ZTI_INLINE struct ones v_ones(vec x, vec low_nibbles, vec high_nibbles)
{
    (void)x;
    const vec n8 =
        (vec)((u8s)v_ones_of_nibbles(low_nibbles) + (u8s)v_ones_of_nibbles(high_nibbles));
    const vec n16 = (vec)((u8s)n8 + (u8s)v_right16(n8, 8));
    const vec n32 = (vec)((u8s)n16 + (u8s)v_right32(n16, 16));
    return (struct ones){.of8 = v_and(n8, v_all16(0xff)),
                         .of16 = v_and(n16, v_all32(0xff)),
                         .of32 = v_and(n32, v_all64(0xff)),
                         .all32 = v_and(n32, v_all32(0xff)),
                         .all64 = _mm256_sad_epu8(n8, v_zero())};
}

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
    return (vec)((u16s)v * (u16s)shifts);
}
#endif

/* ---- masks ---- */

ZTI_INLINE mask64 m_both64(mask64 a, mask64 b)
{
    return (mask64)(a & b);
}
ZTI_INLINE mask64 m_without64(mask64 a, mask64 b)
{
    return (mask64)(a & (mask64)~b);
}
ZTI_INLINE mask64 v_is_set64(vec v)
{
    return v_is_set_64((u64s)v);
}
ZTI_INLINE mask64 v_is_top_set64(vec v)
{
    return v_is_negative_64((u64s)v);
}
ZTI_INLINE mask64 v_is_less64(vec a, vec b)
{
    return v_is_less_64((u64s)a, (u64s)b);
}
ZTI_INLINE bool v_any_is_less64(vec a, vec b)
{
    return m_any_64(v_is_less_64((u64s)a, (u64s)b));
}
ZTI_INLINE mask32 v_is_bit_set32(vec v, uint32_t bit)
{
    return v_is_bit_set_32((u32s)v, bit);
}
ZTI_INLINE mask32 v_is_less32(vec a, vec b)
{
    return v_is_less_32((u32s)a, (u32s)b);
}
ZTI_INLINE bool v_any_is_less32(vec a, vec b)
{
    return m_any_32(v_is_less_32((u32s)a, (u32s)b));
}
ZTI_INLINE mask32 m_first32(uint32_t n)
{
    return m_first_32(n);
}

#endif
