/* bits.h: reading and writing of words of bits, and of the small codes of lorenzo/spec.h, on the
 * CPU. */
#ifndef ZTI_SZ_BITS_H
#define ZTI_SZ_BITS_H

#include "codec/sz/lorenzo/spec.h"

/* PEXT and PDEP do what the two loops below do. */
#if defined(ZTI_WITH_AVX2)
#include <immintrin.h>
#define gather_bits(word, mask)  _pext_u64(word, mask)
#define scatter_bits(word, mask) _pdep_u64(word, mask)
#else
/* Collect the bits of word at the mask's ones, at the low end; and the inverse. */
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

/* As zti_put_bits64, with fewer steps: n <= 64 bits, the higher ones zero. */
ZTI_INLINE void write_word(struct zti_bit_writer *w, uint64_t v, uint32_t n)
{
    const uint32_t held = w->held_bits, bits = held + n;
    const uint64_t low = w->held | v << held;
    zti_put_le64(w->next, low);
    w->next += bits >> 3;
    w->held_bits = bits & 7;
    w->held = bits >= 64 ? v >> 1 >> (63 - held) : low >> (bits & 56);
    *w->next = (uint8_t)w->held; /* bits that the store above cannot hold */
}

/* As zti_get_bits64, with one load and a byte. */
ZTI_INLINE uint64_t read_word(struct zti_bit_reader *r, uint32_t n)
{
    const uint8_t *const at = r->base + (r->at >> 3);
    const uint32_t down = r->at & 7;
    const uint64_t v = zti_get_le64(at) >> down | (uint64_t)at[8] << 1 << (63 - down);
    r->at += n;
    return n < 64 ? v & ((UINT64_C(1) << n) - 1) : v;
}

/* The codes of a number and of a value in lorenzo/spec.h. */
static inline void write_number(struct zti_bit_writer *w, uint64_t v)
{
    const uint32_t n = number_rest_bits(v);
    zti_put_bits(w, n, ZTI_SZ_NUMBER_BITS);
    zti_put_bits64(w, number_rest(v, n), n);
}

static inline void write_value(struct zti_bit_writer *w, uint64_t v)
{
    if (v < ZTI_SZ_ROUNDS) {
        zti_put_bits(w, UINT64_C(1) << v, (uint32_t)v + 1);
    } else {
        zti_put_bits(w, 0, ZTI_SZ_ROUNDS);
        write_number(w, v - ZTI_SZ_ROUNDS);
    }
}

static inline void write_code(struct zti_bit_writer *w, struct zti_sz_code code)
{
    zti_put_bits(w, code.bits, code.count);
}

#endif
