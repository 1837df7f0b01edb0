/* warp.h: kernel text: encode and decode a 4-D tile by one warp, as its 256 values do not fit the
 * registers of a thread.
 *
 * tile/types.h is the text of the tile, as on the CPU, and every lane runs it. A lane has 8 of the
 * values in registers; header, limits, writer and reader are the same in all lanes. Arrays,
 * lifting, order and planes are in gpu/warp_coder.h and use shuffles.
 *
 *     values, 8 a lane --> lifted along an axis: two bits of a value's place select the register;
 *          |               for the next axis they are exchanged with two bits of the lane
 *          v
 *     stage (shared), in block order --> coefficients in rank order, number 32 j + lane
 *                                             |
 *                                             v
 *     planes (shared) <-- squares of bits transposed: the lane has planes lane and 32 + lane
 *          |
 *          v
 *     The number of coefficients known before a plane is the largest one with a bit in the planes
 *     above: a prefix maximum. With it each plane's length in bits is known; a prefix sum gives
 *     its place, and the budget cuts the last. Each lane encodes its planes, all at once.
 *
 * When decoding, the place of a plane is known only when the plane above was read. All lanes read
 * the same bits, so nothing must be exchanged; lane j keeps word j of the plane. The other steps
 * are reversed.
 *
 * The writer holds the header and counts bits. The bits are in a slot of shared memory: a word of
 * 32 bits with their number, an unused word, and the bits. */
#ifndef ZTI_ZFP_GPU_WARP_H
#define ZTI_ZFP_GPU_WARP_H

#include "codec/zfp/gpu/kernels.h"
#include "codec/zfp/gpu/thread.h"

/* A lane's part of a string of bits in a slot. */
struct strand {
    uint32_t *words;
    uint32_t word, held_bits; /* the word that is being filled, and its bits so far */
    uint64_t held;
    uint32_t end; /* bits of the slot; later bits are not stored */
};

FN void store_held(const struct strand *s)
{
    const uint32_t first = s->word * 32;
    const uint32_t room = first < s->end ? s->end - first : 0;
    const uint32_t v = (uint32_t)(s->held & low_mask(room < 32 ? room : 32));
    if (v != 0)
        (void)atomicOr(s->words + s->word, v);
}

/* Append n <= 32 bits; the higher ones are zero. */
FN void append(struct strand *s, uint32_t bits, uint32_t n)
{
    s->held |= (uint64_t)bits << s->held_bits;
    s->held_bits += n;
    if (s->held_bits >= 32) {
        store_held(s);
        s->held >>= 32;
        s->held_bits -= 32;
        s->word++;
    }
}

FN void append_zeros(struct strand *s, uint32_t n)
{
    s->held_bits += n;
    if (s->held_bits >= 32) {
        store_held(s);
        s->held = 0;
        s->word += s->held_bits / 32;
        s->held_bits %= 32;
    }
}

/* Bits that a plane takes: n coefficients, the first c known, the last 1 at number top - 1. These
 * are the bits up to that 1, a positive group test for each 1 from c on, and a negative group test
 * at the end. If top is n there is no negative test, and the last 1 is implied. */
FN uint32_t plane_bits(const uint32_t *plane, uint32_t n, uint32_t c, uint32_t top)
{
    uint32_t ones = 0;
    if (top <= c)
        return c < n ? c + 1 : n;
    for (uint32_t j = c / 32; 32 * j < top; j++)
        ones += (uint32_t)__popc(plane[j] & ~(j == c / 32 ? (uint32_t)low_mask(c % 32) : 0));
    return top + ones + (top < n ? 1u : 0u) - (top < n ? 0u : 1u);
}

/* Read the bits of the c known coefficients; the lane keeps those of coefficients 32 lane to
 * 32 lane + 31. */
FN void take_known_of_warp(struct zti_bit_reader *r, uint32_t *word, uint32_t c)
{
    const uint32_t me = threadIdx.x % 32;
    if (32 * me < c) {
        struct zti_bit_reader own = *r;
        own.at += 32 * me;
        *word = (uint32_t)(zti_peek_bits(&own) & low_mask(c - 32 * me));
    }
    r->at += c;
}

#define PLANE(x)               x##_of_warp
#define SINK                   struct strand
#define PUT_BITS               32
#define WORD                   uint32_t
#define WORD_AT(p, j)          (p)[j]
#define PUT                    append
#define PUT_WORD(s, v, n)      append(s, low_bits(v, n), (n) < 32 ? (n) : 32)
#define PUT_RUN(s, zeros)      (append(s, 1, 1), append_zeros(s, zeros))
#define TAKEN                  uint32_t
#define TAKE_KNOWN(r, p, n, c) take_known_of_warp(r, p, c)
#define SET(p, n, i)           (*(p) |= (i) / 32 == threadIdx.x % 32 ? 1u << (i) % 32 : 0)
#include "codec/zfp/tile/plane.h" /* put_plane_of_warp, take_plane_of_warp */

/* Exclusive prefix maximum over the lanes, beginning with *before, which becomes the maximum of
 * all. */
FN uint32_t scan_most(uint32_t v, uint32_t *before)
{
    const uint32_t me = threadIdx.x % 32;
    for (uint32_t step = 1; step < 32; step *= 2) {
        const uint32_t left = __shfl_up_sync(SIMT_ALL_LANES, v, (int)step);
        v = me >= step && left > v ? left : v;
    }
    const uint32_t left = __shfl_up_sync(SIMT_ALL_LANES, v, 1), all = *before;
    v = v > all ? v : all;
    *before = __shfl_sync(SIMT_ALL_LANES, v, 31);
    return me > 0 && left > all ? left : all;
}

/* A lane has 8 of the 256 values. */
#define OF(x, width)     x##_warp_##width
#define OWN_VALUES(rank) ((1u << 2 * (rank)) / 32)
#define ZTI_ZFP_CODER    "codec/zfp/gpu/warp_coder.h"
#include "codec/zfp/tile/types.h" /* put_tile_warp_32, ... */
#undef OF
#undef OWN_VALUES
#undef ZTI_ZFP_CODER

/* Word i of 64 bits of a slot's content; zeros follow it. */
FN uint64_t slot_word(const uint32_t *slot, uint64_t i)
{
    const uint32_t *const at = slot + 2 + 2 * i;
    return 64 * i < slot[0] ? at[0] | (uint64_t)at[1] << 32 : 0;
}

/* Store the 'bits' bits of a slot at bit 'at' of the stream, except those in a word whose first bit
 * is another tile's. */
FN void store_slot(uint64_t *words, uint64_t at, const uint32_t *slot, uint64_t bits)
{
    const uint32_t shift = (uint32_t)(at % 64);
    uint64_t *const to = words + at / 64;
    for (uint64_t i = threadIdx.x % 32 + (shift > 0); 64 * i < shift + bits; i += 32)
        to[i] = shift > 0 ? slot_word(slot, i) << shift | slot_word(slot, i - 1) >> (64 - shift)
                          : slot_word(slot, i);
}

/* The bits of that word. */
FN uint64_t head_of_slot(uint64_t at, const uint32_t *slot)
{
    return at % 64 > 0 ? slot_word(slot, 0) << at % 64 : 0;
}

#endif
