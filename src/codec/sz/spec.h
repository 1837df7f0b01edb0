/* spec.h: the rules that both coders of the sz codec share, each written once for the CPU and for
 * kernels: extents of tiles, multiples of a step, bits of values and their runs, and how exact
 * values and marks are written. Those of one coder are in lorenzo/spec.h and interp/spec.h. */
#ifndef ZTI_SZ_SPEC_H
#define ZTI_SZ_SPEC_H

#include "codec/sz/sz.h"

enum {
    ZTI_SZ_EXACT_ALL = 0, /* how exact values are marked: exact.c */
    ZTI_SZ_EXACT_RUNS = 1,
    ZTI_SZ_EXACT_BITMAP = 2,
    ZTI_SZ_MARKS_NONE = 0, /* how zeros and signs are marked: marks.c */
    ZTI_SZ_MARKS_ALL = 1,
    ZTI_SZ_MARKS_BITMAP = 2,
    ZTI_SZ_MARKS_RUNS = 3,
    ZTI_SZ_MARKS_ORDERS = 8, /* of Golomb's code */
    ZTI_SZ_MARKS_TOP = 13    /* bits of a number, less 1: more is longer than any tile */
};

/* Values of a tile along an axis, on which it begins at 'origin'. */
ZTI_STATIC uint32_t extent_at(const struct zti_grid *grid, uint32_t axis, uint64_t origin)
{
    const uint64_t rest = grid->shape[axis] - origin;
    return rest < grid->side[axis] ? (uint32_t)rest : grid->side[axis];
}

/* ---- integers and multiples of a step -------------------------------------------------------- */

ZTI_STATIC int64_t nearest_multiple(int64_t x, int64_t step)
{
    const int64_t q = x / step, rest = x % step;
    return rest > step / 2 ? q + 1 : rest < -(step / 2) ? q - 1 : q;
}

/* The multiple, or the end of the type's range where it is beyond: where q is not among those from
 * 'least' to 'most', divided by the step. */
ZTI_STATIC int64_t multiple_within(int64_t q, int64_t step, int64_t least_q, int64_t most_q,
                                   int64_t least, int64_t most)
{
    return q > most_q ? most : q < least_q ? least : q * step;
}

ZTI_STATIC int64_t multiple(int64_t q, int64_t step, int64_t least, int64_t most)
{
    return multiple_within(q, step, least / step, most / step, least, most);
}

/* ---- a bit for each value -------------------------------------------------------------------- */

ZTI_STATIC bool bit_at(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> i % 64 & 1;
}

/* The first i from 'from' on whose bit is not 'is_set', or n. */
ZTI_STATIC uint32_t run_end(const uint64_t *bits, uint32_t from, uint32_t n, bool is_set)
{
    const uint64_t flip = is_set ? ~UINT64_C(0) : 0;
    for (uint32_t i = from; i < n; i = (i / 64 + 1) * 64) {
        const uint64_t other = (bits[i / 64] ^ flip) >> i % 64;
        const uint32_t end = other ? i + zti_ctz64(other) : n;
        if (other)
            return end < n ? end : n;
    }
    return n;
}

/* Bits of the length of a run in Golomb's code of exponential order k. */
ZTI_STATIC uint32_t run_bits(uint32_t number, uint32_t k)
{
    const uint32_t top = zti_bit_length64(number + (1u << k)) - 1;
    return 2 * top - k + 1;
}

#endif
