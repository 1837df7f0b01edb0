/* words.h: vector operations of zfp's texts that simd/vectors.h lacks. */
#ifndef ZTI_ZFP_X86_WORDS_H
#define ZTI_ZFP_X86_WORDS_H

#include "simd/vectors.h"

typedef v_register vec; /* lanes of any width */
typedef v_register unaligned_vec __attribute__((aligned(1)));

ZTI_INLINE vec v_load(const void *from)
{
    return *(const unaligned_vec *)from;
}
ZTI_INLINE void v_store(void *to, vec v)
{
    *(unaligned_vec *)to = v;
}

/* Shuffle each 16 bytes by the low four bits of an index's bytes; look up bytes of a table by those
 * of v. */
ZTI_INLINE u8s v_shuffled(u8s v, __m128i index)
{
    return v_shuffle_8(v, v_all_128(index));
}
ZTI_INLINE u8s v_look_up(__m128i table, u8s index)
{
    return v_shuffle_8(v_all_128(table), index);
}

/* max(a - b, 0), for numbers below 2^16. */
ZTI_INLINE u64s v_rest(u64s a, u64s b)
{
    return (u64s)v_rest_16((u16s)a, (u16s)b);
}

/* At least 57 bits at each lane's bit position. */
ZTI_INLINE u64s v_windows_64(const uint8_t *base, u64s at)
{
    return v_right_64(v_gather_bytes_64(base, at >> 3), at & 7);
}

/* Numbers of ones of x, whose nibbles are in a byte each: of8 in the lower byte of each 16 bits,
 * of16 in the lower half of each 32, of32 in that of each 64; all32 and all64 in all of each 32 and
 * 64. The other functions give shifts for v_left_16, from the number of ones in nibbles or from
 * numbers up to 7 in bytes: without shifts of 16 bits by lane, they are powers of two to multiply
 * with. */
struct ones {
    u16s of8;
    u32s of16, all32;
    u64s of32, all64;
};
#if defined(ZTI_WITH_AVX512)
ZTI_INLINE struct ones v_ones(u64s x, u8s low_nibbles, u8s high_nibbles)
{
    (void)low_nibbles, (void)high_nibbles;
    return (struct ones){.of8 = (u16s)_mm512_popcnt_epi16((vec)((u16s)x & 0xff)),
                         .of16 = (u32s)_mm512_popcnt_epi32((vec)((u32s)x & 0xffff)),
                         .of32 = (u64s)_mm512_popcnt_epi64((vec)(x & 0xffffffff)),
                         .all32 = (u32s)_mm512_popcnt_epi32((vec)x),
                         .all64 = (u64s)_mm512_popcnt_epi64((vec)x)};
}
ZTI_INLINE u8s v_shifts_of_nibbles(u8s nibbles)
{
    return (u8s)_mm512_popcnt_epi8((vec)nibbles);
}
ZTI_INLINE u8s v_shifts_of_bytes(u8s numbers)
{
    return numbers;
}
ZTI_INLINE u16s v_left_16(u16s v, u16s shifts)
{
    return (u16s)_mm512_sllv_epi16((vec)v, (vec)shifts);
}
#else
ZTI_INLINE u8s v_ones_of_nibbles(u8s nibbles)
{
    return v_look_up(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4), nibbles);
}
ZTI_INLINE struct ones v_ones(u64s x, u8s low_nibbles, u8s high_nibbles)
{
    (void)x;
    const u8s n8 = v_ones_of_nibbles(low_nibbles) + v_ones_of_nibbles(high_nibbles);
    const u8s n16 = n8 + (u8s)((u16s)n8 >> 8), n32 = n16 + (u8s)((u32s)n16 >> 16);
    return (struct ones){.of8 = (u16s)n8 & 0xff,
                         .of16 = (u32s)n16 & 0xff,
                         .of32 = (u64s)n32 & 0xff,
                         .all32 = (u32s)n32 & 0xff,
                         .all64 = (u64s)_mm256_sad_epu8((vec)n8, _mm256_setzero_si256())};
}
ZTI_INLINE u8s v_shifts_of_nibbles(u8s nibbles)
{
    return v_look_up(_mm_setr_epi8(1, 2, 2, 4, 2, 4, 4, 8, 2, 4, 4, 8, 4, 8, 8, 16), nibbles);
}
ZTI_INLINE u8s v_shifts_of_bytes(u8s numbers)
{
    return v_look_up(_mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, (char)128, 0, 0, 0, 0, 0, 0, 0, 0),
                     numbers);
}
ZTI_INLINE u16s v_left_16(u16s v, u16s shifts)
{
    return v * shifts;
}
#endif

#endif
