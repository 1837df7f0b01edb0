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
 *     its place, and the budget cuts the last. Eight lanes encode the words of a plane, so four
 *     planes at a time.
 *
 * When decoding, the place of a plane is known only when the plane above was read. So each lane
 * first finds the planes of a tile of its own (gpu/notes.h). Then the warp decodes one of these
 * tiles after another, by the same steps in reverse.
 *
 * The writer holds the header and counts bits. The bits are in a slot of shared memory: a word of
 * 32 bits with their number, an unused word, and the bits. */
#ifndef ZTI_ZFP_GPU_WARP_H
#define ZTI_ZFP_GPU_WARP_H

#include "codec/zfp/gpu/kernels.h"
#include "codec/zfp/gpu/thread.h"

/* ---- the bits of a plane ----
 *
 * With c known coefficients and the last 1 at number top - 1, a plane is coded as its c low bits, a
 * positive group test (a 1), and the bits from c on with a group test behind each 1. The group test
 * behind the last 1 is negative. If that is the tile's last coefficient, neither it nor the test is
 * coded. Each word of a plane is coded by itself: its place follows from the 1s from c on in the
 * words before. The bits of the slot are 0 before, so only 1s are stored. */

/* A byte with each of its 1s twice. */
static __device__ const uint16_t doubled_ones[256] = {
    0,     3,     6,     15,   12,   27,    30,   63,    24,    51,    54,   111,   60,    123,
    126,   255,   48,    99,   102,  207,   108,  219,   222,   447,   120,  243,   246,   495,
    252,   507,   510,   1023, 96,   195,   198,  399,   204,   411,   414,  831,   216,   435,
    438,   879,   444,   891,  894,  1791,  240,  483,   486,   975,   492,  987,   990,   1983,
    504,   1011,  1014,  2031, 1020, 2043,  2046, 4095,  192,   387,   390,  783,   396,   795,
    798,   1599,  408,   819,  822,  1647,  828,  1659,  1662,  3327,  432,  867,   870,   1743,
    876,   1755,  1758,  3519, 888,  1779,  1782, 3567,  1788,  3579,  3582, 7167,  480,   963,
    966,   1935,  972,   1947, 1950, 3903,  984,  1971,  1974,  3951,  1980, 3963,  3966,  7935,
    1008,  2019,  2022,  4047, 2028, 4059,  4062, 8127,  2040,  4083,  4086, 8175,  4092,  8187,
    8190,  16383, 384,   771,  774,  1551,  780,  1563,  1566,  3135,  792,  1587,  1590,  3183,
    1596,  3195,  3198,  6399, 816,  1635,  1638, 3279,  1644,  3291,  3294, 6591,  1656,  3315,
    3318,  6639,  3324,  6651, 6654, 13311, 864,  1731,  1734,  3471,  1740, 3483,  3486,  6975,
    1752,  3507,  3510,  7023, 3516, 7035,  7038, 14079, 1776,  3555,  3558, 7119,  3564,  7131,
    7134,  14271, 3576,  7155, 7158, 14319, 7164, 14331, 14334, 28671, 960,  1923,  1926,  3855,
    1932,  3867,  3870,  7743, 1944, 3891,  3894, 7791,  3900,  7803,  7806, 15615, 1968,  3939,
    3942,  7887,  3948,  7899, 7902, 15807, 3960, 7923,  7926,  15855, 7932, 15867, 15870, 31743,
    2016,  4035,  4038,  8079, 4044, 8091,  8094, 16191, 4056,  8115,  8118, 16239, 8124,  16251,
    16254, 32511, 4080,  8163, 8166, 16335, 8172, 16347, 16350, 32703, 8184, 16371, 16374, 32751,
    16380, 32763, 32766, 65535};

/* A word with each of its 1s twice. */
FN uint64_t double_ones(uint32_t v)
{
    const uint32_t low = doubled_ones[v & 255] | (uint32_t)doubled_ones[v >> 8 & 255]
                                                     << (8 + (uint32_t)__popc(v & 255));
    const uint32_t high = doubled_ones[v >> 16 & 255] |
                          (uint32_t)doubled_ones[v >> 24] << (8 + (uint32_t)__popc(v >> 16 & 255));
    return low | (uint64_t)high << (16 + (uint32_t)__popc(v & 0xffff));
}

/* The content of a slot, and its bits. */
struct content {
    uint32_t *words;
    uint32_t bits;
};

/* OR bits into a slot at bit 'at', except those beyond its end. */
FN void or_word(const struct content *s, uint32_t i, uint32_t v)
{
    if (v != 0)
        (void)atomicOr(s->words + i, v);
}

FN void or_code(const struct content *s, uint32_t at, uint64_t code)
{
    const uint32_t room = s->bits > at ? s->bits - at : 0, i = at / 32;
    const uint32_t low = (uint32_t)code & simt_ones(room);
    const uint32_t high = (uint32_t)(code >> 32) & simt_ones(room > 32 ? room - 32 : 0);
    or_word(s, i, low << at % 32);
    or_word(s, i + 1, __funnelshift_l(low, high, at));
    or_word(s, i + 2, __funnelshift_l(high, 0, at));
}

FN void or_bit(const struct content *s, uint32_t at)
{
    if (at < s->bits)
        (void)atomicOr(s->words + at / 32, 1u << at % 32);
}

/* 1s from number c on in a plane of n coefficients. */
FN uint32_t ones_from(const uint32_t *plane, uint32_t n, uint32_t c)
{
    uint32_t ones = 0;
    SIMT_UNROLL
    for (uint32_t j = 0; j < n / 32; j++)
        ones += (uint32_t)__popc(plane[j] & ~simt_ones(c > 32 * j ? c - 32 * j : 0));
    return ones;
}

/* Bits that a plane takes. ones: its 1s from coefficient c on. */
FN uint32_t plane_bits(uint32_t n, uint32_t c, uint32_t top, uint32_t ones)
{
    return top > c ? top + ones + (top < n ? 1 : 0) - (top < n ? 0 : 1) : c < n ? c + 1 : n;
}

/* Store word j of a plane that begins at bit 'at', without the plane's last 1. Eight lanes call
 * this, for j = 0 to 7. */
FN void write_word(const struct content *s, uint32_t at, uint32_t c, uint32_t j, uint32_t v)
{
    const uint32_t known = c < 32 * j ? 0 : c - 32 * j < 32 ? c - 32 * j : 32;
    const uint32_t rest = (uint32_t)((uint64_t)v >> known), ones = (uint32_t)__popc(rest);
    const uint32_t before = part_sums(ones, 8) - ones;
    const uint64_t code = double_ones(rest);
    or_code(s, at + 32 * j + before + (known == 0 ? 1 : 0),
            known == 0 ? code : code << (known + 1) | (v & simt_ones(known)));
}

/* ---- and back ---- */

/* OR up to 32 bits into a plane from coefficient i on. */
FN void or_coefficients(uint32_t *plane, uint32_t i, uint32_t v)
{
    const uint32_t low = v << i % 32, high = __funnelshift_l(v, 0, i);
    if (low != 0)
        (void)atomicOr(plane + i / 32, low);
    if (high != 0)
        (void)atomicOr(plane + i / 32 + 1, high);
}

/* Decode a plane that begins at 'place', with c known coefficients and 'more' in its tail. The
 * last of these is 1. Eight lanes call this, for j = 0 to 7, each for a word of the known
 * coefficients and for 32 bits of the tail, and again where a tail is longer. */
FN void read_words(const struct bit_words *b, uint32_t *plane, uint32_t place, uint32_t c,
                   uint32_t more, uint32_t j)
{
    const uint32_t before = (1u << threadIdx.x % 32) - (1u << (threadIdx.x % 32 - j)); /* lanes */
    const uint32_t end = c + more;
    uint32_t carry = 0, at = c; /* after the lanes' bits of before */
    if (32 * j < c)
        (void)atomicOr(plane + j, bits_at(b, place + 32 * j) & simt_ones(c - 32 * j));
    for (uint32_t from = 0; __any_sync(SIMT_ALL_LANES, from < 2 * more); from += 256) {
        const uint32_t bits = from < 2 * more ? bits_at(b, place + c + 1 + from + 32 * j) : 0;
        const uint32_t last_ones = (uint32_t)__clz((int)~bits);
        const uint32_t odd = __ballot_sync(SIMT_ALL_LANES, last_ones & 1);
        const uint32_t mixed = __ballot_sync(SIMT_ALL_LANES, last_ones < 32);
        const uint32_t left = mixed & before;
        const uint32_t is_test = left ? odd >> simt_highest(left) & 1 : carry;
        const uint32_t ones = coefficients_of(bits, is_test);
        const uint32_t count = 32 - (uint32_t)__popc(bits & ~ones);
        const uint32_t sum = part_sums(count, 8), i = at + sum - count;
        if (i < end)
            or_coefficients(plane, i, coefficient_bits(bits, ones, is_test) & simt_ones(end - i));
        at += __shfl_sync(SIMT_ALL_LANES, sum, 7, 8);
        carry = __shfl_sync(SIMT_ALL_LANES, last_ones < 32 ? last_ones & 1 : is_test, 7, 8);
    }
}

/* Exclusive prefix maximum over the lanes, beginning with *before, which becomes the maximum of
 * all. */
FN uint32_t scan_most(uint32_t v, uint32_t *before)
{
    const uint32_t all = *before;
    SIMT_UNROLL
    for (uint32_t step = 1; step < 32; step *= 2) {
        /* the first lanes get their own value back */
        const uint32_t left = __shfl_up_sync(SIMT_ALL_LANES, v, (int)step);
        v = left > v ? left : v;
    }
    const uint32_t left = __shfl_up_sync(SIMT_ALL_LANES, v, 1);
    v = v > all ? v : all;
    *before = __shfl_sync(SIMT_ALL_LANES, v, 31);
    return threadIdx.x % 32 > 0 && left > all ? left : all;
}

/* A lane has 8 of the 256 values. */
#define OF(x, width)     x##_warp_##width
#define OWN_VALUES(rank) ((1u << 2 * (rank)) / 32)
#define ZTI_ZFP_CODER    "codec/zfp/gpu/warp_coder.h"
#include "codec/zfp/tile/types.h" /* encode_tile_warp_32, ... */
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
