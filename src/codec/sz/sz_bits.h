/* sz_bits.h: small codes that the instances of the sz codec share: words of bits, classes, numbers
 * without a limit. */
#ifndef ZTI_SZ_BITS_H
#define ZTI_SZ_BITS_H

#include "codec/sz/sz.h"

/* With these instructions the two loops below are one each. */
#if defined(__BMI2__)
#include <immintrin.h>
#define gather_bits(word, mask) _pext_u64(word, mask)
#define scatter_bits(word, mask) _pdep_u64(word, mask)
#else
/* The bits of word where the mask has ones, together at the low end; and back. */
static inline uint64_t gather_bits(uint64_t word, uint64_t mask)
{
    uint64_t out = 0;
    if (mask == ~UINT64_C(0))
        return word;
    for (uint64_t place = 1; mask; mask &= mask - 1, place <<= 1)
        if (word & mask & (0 - mask))
            out |= place;
    return out;
}

static inline uint64_t scatter_bits(uint64_t word, uint64_t mask)
{
    uint64_t out = 0;
    if (mask == ~UINT64_C(0))
        return word;
    for (; mask; mask &= mask - 1, word >>= 1)
        if (word & 1)
            out |= mask & (0 - mask);
    return out;
}
#endif

#if defined(__GNUC__)
#define count_ones(word) ((uint32_t)__builtin_popcountll(word))
#define lowest_bit(word) ((uint32_t)__builtin_ctzll(word)) /* of a word that is not 0 */
#define highest_bit(word) (63 - (uint32_t)__builtin_clzll(word))
#else
static inline uint32_t count_ones(uint64_t word)
{
    uint32_t n = 0;
    for (; word; word &= word - 1)
        n++;
    return n;
}

static inline uint32_t lowest_bit(uint64_t word)
{
    return count_ones((word & (0 - word)) - 1);
}

static inline uint32_t highest_bit(uint64_t word)
{
    uint32_t n = 0;
    while (word >>= 1)
        n++;
    return n;
}
#endif

/* zti_put_bits64 with fewer steps: n <= 64 bits, the higher ones zero. */
ZTI_INLINE void put_word(struct zti_bit_writer *w, uint64_t v, uint32_t n)
{
    const uint32_t held = w->held_bits, bits = held + n;
    const uint64_t low = w->held | v << held;
    zti_put_le64(w->next, low);
    w->next += bits >> 3;
    w->held_bits = bits & 7;
    w->held = bits >= 64 ? v >> 1 >> (63 - held) : low >> (bits & 56);
    *w->next = (uint8_t)w->held; /* what the store before did not hold */
}

/* zti_take_bits64 with one load and a byte. */
ZTI_INLINE uint64_t take_word(struct zti_bit_reader *r, uint32_t n)
{
    const uint8_t *const at = r->base + (r->at >> 3);
    const uint32_t down = r->at & 7;
    const uint64_t v = zti_get_le64(at) >> down | (uint64_t)at[8] << 1 << (63 - down);
    r->at += n;
    return n < 64 ? v & ((UINT64_C(1) << n) - 1) : v;
}

/* v + 1 = 2^n + rest: n in 6 bits, the rest in n. */
static inline void put_number(struct zti_bit_writer *w, uint64_t v)
{
    const uint32_t n = highest_bit(v + 1);
    zti_put_bits(w, n, 6);
    zti_put_bits64(w, v + 1 - (UINT64_C(1) << n), n);
}

static inline uint64_t take_number(struct zti_bit_reader *r)
{
    const uint32_t n = (uint32_t)zti_take_bits(r, 6);
    return (UINT64_C(1) << n) - 1 + zti_take_bits64(r, n);
}

/* v in unary code; where it has more than 11 zeros, what is above as a number. */
static inline void put_value(struct zti_bit_writer *w, uint64_t v)
{
    if (v < ZTI_SZ_ROUNDS) {
        zti_put_bits(w, UINT64_C(1) << v, (uint32_t)v + 1);
    } else {
        zti_put_bits(w, 0, ZTI_SZ_ROUNDS);
        put_number(w, v - ZTI_SZ_ROUNDS);
    }
}

static inline uint64_t take_value(struct zti_bit_reader *r)
{
    const uint32_t zeros = lowest_bit(zti_peek_bits(r) | UINT64_C(1) << ZTI_SZ_ROUNDS);
    if (zeros < ZTI_SZ_ROUNDS) {
        r->at += zeros + 1;
        return zeros;
    }
    r->at += ZTI_SZ_ROUNDS;
    return zeros + take_number(r);
}

/* Parameter of the Rice code of gaps in a list of so many values: about the gap's mean. */
static const uint8_t gap_bits[ZTI_SZ_SPARSE + 1] = {5, 5, 4, 4, 3, 3, 3, 2, 2,
                                                    2, 2, 2, 2, 1, 1, 1, 1};

/* Planes of a group: all that are counted in its class, or where the rest is in Huffman codes. */
static inline uint32_t class_planes(uint32_t c)
{
    return c > ZTI_SZ_FEW ? c - ZTI_SZ_FEW - 1 : 0;
}

static inline uint32_t shift_of(uint32_t k)
{
    return k > 1 ? k - 1 : 0;
}

static inline uint32_t class_shift(uint32_t c)
{
    return shift_of(class_planes(c));
}

static inline bool is_list(uint32_t c)
{
    return c <= ZTI_SZ_SPARSE;
}

/* The book of a class that is no list. */
static inline uint32_t book_of(uint32_t c)
{
    return c - ZTI_SZ_FEW < ZTI_SZ_BOOKS - 2 ? c - ZTI_SZ_FEW + 1 : ZTI_SZ_BOOKS - 1;
}

/* Classes numbered without those that Huffman codes have no use for, and back. */
static inline uint32_t class_number(uint32_t c)
{
    return is_list(c) ? c : c - (ZTI_SZ_SPARSE - ZTI_SZ_SPARSE_CODED);
}

static inline uint32_t class_of_number(uint32_t number)
{
    return number <= ZTI_SZ_SPARSE_CODED ? number
                                         : number + (ZTI_SZ_SPARSE - ZTI_SZ_SPARSE_CODED);
}

/* A class, knowing the one before: after class 0 in Elias's gamma code, else the difference in a
 * Rice code, of which more than 14 zeros say that 7 bits follow with the class itself. */
static inline uint32_t class_bits(uint32_t before)
{
    return before > ZTI_SZ_SPARSE ? 0 : before > 4 ? 2 : 1;
}

static inline void put_class(struct zti_bit_writer *w, uint32_t c, uint32_t before)
{
    if (before == 0) {
        const uint32_t n = highest_bit(c + 1);
        zti_put_bits(w, (UINT64_C(1) | (uint64_t)(c + 1 - (1u << n)) << 1) << n, 2 * n + 1);
        return;
    }
    const uint32_t k = class_bits(before);
    const uint32_t d = c >= before ? 2 * (c - before) : 2 * (before - c) - 1;
    const uint32_t zeros = d >> k;
    if (zeros < 15)
        zti_put_bits(w, (UINT64_C(1) | (uint64_t)(d & ((1u << k) - 1)) << 1) << zeros,
                     zeros + 1 + k);
    else
        zti_put_bits(w, (uint64_t)c << 15, 15 + 7);
}

/* Any bits give a number; the caller compares it with the largest class. */
static inline uint32_t take_class(struct zti_bit_reader *r, uint32_t before)
{
    const uint64_t bits = zti_peek_bits(r);
    const uint32_t zeros = lowest_bit(bits | UINT64_C(1) << 15);
    if (before == 0) {
        r->at += 2 * zeros + 1;
        return (1u << zeros) - 1 + (uint32_t)(bits >> (zeros + 1) & ((1u << zeros) - 1));
    }
    if (zeros == 15) {
        r->at += 15 + 7;
        return (uint32_t)(bits >> 15 & 127);
    }
    const uint32_t k = class_bits(before);
    r->at += zeros + 1 + k;
    const uint32_t d = zeros << k | (uint32_t)(bits >> (zeros + 1) & ((1u << k) - 1));
    return d & 1 ? before - (d + 1) / 2 : before + d / 2;
}

#endif
