/* spec.h: the rules that both coders of the sz codec share, as functions for the CPU and for
 * kernels: extents of tiles, multiples of a step, runs of bits, and the codes of exact values and
 * marks. lorenzo/spec.h and interp/spec.h have the rules of each coder. */
#ifndef ZTI_SZ_SPEC_H
#define ZTI_SZ_SPEC_H

#include "codec/sz/sz.h"
#include "core/wire.h"

enum {
    ZTI_SZ_EXACT_ALL = 0, /* forms of the marks of exact values: exact.c */
    ZTI_SZ_EXACT_RUNS = 1,
    ZTI_SZ_EXACT_BITMAP = 2,
    ZTI_SZ_MARKS_NONE = 0, /* forms of the marks of zeros and signs: marks.c */
    ZTI_SZ_MARKS_ALL = 1,
    ZTI_SZ_MARKS_BITMAP = 2,
    ZTI_SZ_MARKS_RUNS = 3,
    ZTI_SZ_MARKS_ORDERS = 8, /* of Golomb's code */
    ZTI_SZ_MARKS_TOP = 13    /* most bits of a number, less 1, since runs are in a tile */
};

/* The extent along an axis of the tile at 'origin'. */
ZTI_STATIC uint32_t extent_at(const struct zti_grid *grid, uint32_t axis, uint64_t origin)
{
    const uint64_t rest = grid->shape[axis] - origin;
    return rest < grid->side[axis] ? (uint32_t)rest : grid->side[axis];
}

/* ---- the bytes of a large tile (large_tile.h) ---- */

enum { ZTI_TILE_CODED = 0, ZTI_TILE_RAW = 3 };

/* A tile's bytes behind its first number, as a cursor of their own; *c goes to the tile's end.
 * *is_raw: they are the values, which take raw_bytes. */
ZTI_STATIC struct zti_cursor sz_tile_bytes(struct zti_cursor *c, uint64_t raw_bytes, bool *is_raw)
{
    const uint8_t kind = zti_get_byte(c);
    *is_raw = kind == ZTI_TILE_RAW;
    c->is_bad = c->is_bad || (kind != ZTI_TILE_RAW && kind != ZTI_TILE_CODED);
    const uint64_t bytes = *is_raw ? raw_bytes : zti_get_varint(c);
    c->is_bad = c->is_bad || bytes > raw_bytes;
    const uint8_t *const at = zti_get_bytes(c, bytes);
    const struct zti_cursor own = {at, at ? at + bytes : at, c->is_bad};
    return own;
}

/* ---- the sides of tiles ---------------------------------------------------------------------- */

/* Double the shortest side (of several, the first or last) among some axes; false if none can
 * grow. */
ZTI_STATIC bool grow_side(uint32_t rank, const uint64_t *shape, uint32_t axes, uint32_t most,
                          bool is_first, uint32_t *side)
{
    uint32_t values = 1, least = rank;
    for (uint32_t i = rank; i-- > 0;) {
        values *= side[i];
        if (axes >> i & 1 && side[i] < shape[i] &&
            (least == rank || side[i] < side[least] + is_first))
            least = i;
    }
    if (least == rank)
        return false;
    const uint64_t longer =
        2 * (uint64_t)side[least] < shape[least] ? 2 * (uint64_t)side[least] : shape[least];
    if (values / side[least] * longer > most)
        return false;
    side[least] = (uint32_t)longer;
    return true;
}

/* Tiles of at most 'most' values are long along axes with differences, so that few values lack a
 * predecessor; they extend along other axes only if values are left. For speed, rows have a least
 * length 'row'. */
ZTI_STATIC void grow_sides(uint32_t rank, const uint64_t *shape, uint32_t axes, uint32_t row,
                           uint32_t most, bool is_first, uint32_t *side)
{
    const uint32_t all = (1u << rank) - 1;
    axes = axes ? axes : all;
    for (uint32_t i = 0; i < ZT_MAX_RANK; i++)
        side[i] = 1;
    if (row > 0)
        side[rank - 1] = shape[rank - 1] < row ? (uint32_t)shape[rank - 1] : row;
    while (grow_side(rank, shape, axes, most, is_first, side))
        continue;
    while (grow_side(rank, shape, all, most, is_first, side))
        continue;
}

/* The tiles of efforts fast and default and of the cuSZ coder. */
ZTI_STATIC struct zti_grid zti_sz_grid(uint32_t rank, const uint64_t *shape, uint32_t axes)
{
    const bool is_along = axes == 0 || axes >> (rank - 1) & 1; /* rows grow anyway */
    uint32_t side[ZT_MAX_RANK];
    grow_sides(rank, shape, axes, is_along ? 0 : ZTI_SZ_ROW, ZTI_SZ_TILE_VALUES, false, side);
    return zti_grid_of(rank, shape, side);
}

/* ---- integers, of an unsigned type of so many bits or of lanes of it --------------------------
 */

/* Zigzag: 0, -1, 1, -2, 2, ... as 0, 1, 2, 3, 4, ...; and back. */
#define ZTI_SZ_FOLDED(v, bits) ((v) << 1 ^ (0 - ((v) >> ((bits)-1))))
#define ZTI_SZ_UNFOLDED(v)     ((v) >> 1 ^ (0 - ((v)&1)))

/* The bits of a float as an integer of the same order; its own inverse. */
#define ZTI_SZ_ORDERED(v, bits) ((v) ^ (0 - ((v) >> ((bits)-1))) >> 1)

/* ---- multiples of a step --------------------------------------------------------------------- */

/* A sum whose low bits are the number of the multiple nearest to x (half to even), for a double or
 * lanes of doubles; r = 1 / step, and the number is below 2^51. ZTI_SZ_OF_SUM is the multiple. */
#define ZTI_SZ_NEAREST_SUM(x, r) ((x) * (r) + 0x1.8p52)
#define ZTI_SZ_OF_SUM(sum, step) (((sum)-0x1.8p52) * (step))

/* Numbers of smaller magnitude than these have an integer of 32 bits, or of 64. */
#define ZTI_SZ_NARROW_LIMIT 0x1p30
#define ZTI_SZ_WIDE_LIMIT   0x1p62

/* Whether an integer has 32 bits: of integers and floats, and of logarithms. */
ZTI_STATIC bool is_narrow_integer(int64_t q)
{
    return ((uint64_t)q + (UINT64_C(1) << 30)) >> 31 == 0;
}

ZTI_STATIC bool is_narrow_log(int64_t q)
{
    return q > -(INT64_C(1) << 30) && q < INT64_C(1) << 30;
}

ZTI_STATIC int64_t nearest_multiple(int64_t x, int64_t step)
{
    const int64_t q = x / step, rest = x % step;
    return rest > step / 2 ? q + 1 : rest < -(step / 2) ? q - 1 : q;
}

/* The multiple q * step, clamped to [least, most]; least_q and most_q are these divided by the
 * step. */
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

/* The bits of a code, and their number. */
struct zti_sz_code {
    uint64_t bits;
    uint32_t count;
};

ZTI_STATIC struct zti_sz_code code_of(uint64_t bits, uint32_t count)
{
    const struct zti_sz_code code = {bits, count};
    return code;
}

/* ---- exact values: exact.c ------------------------------------------------------------------- */

/* The code of a run's length, one or two bytes. */
ZTI_STATIC struct zti_sz_code exact_run_code(uint32_t length)
{
    return length < 128 ? code_of(length, 8) : code_of((length & 127) | 128 | length >> 7 << 8, 16);
}

/* The form of the marks of exact values, if runs take runs_bytes; and the bytes of a form. */
ZTI_STATIC uint32_t exact_way(bool are_all, uint32_t runs_bytes, uint32_t n)
{
    return are_all                     ? (uint32_t)ZTI_SZ_EXACT_ALL
           : runs_bytes <= (n + 7) / 8 ? (uint32_t)ZTI_SZ_EXACT_RUNS
                                       : (uint32_t)ZTI_SZ_EXACT_BITMAP;
}

ZTI_STATIC uint32_t exact_way_bytes(uint32_t way, uint32_t runs_bytes, uint32_t n)
{
    return 1 + (way == ZTI_SZ_EXACT_ALL ? 0 : way == ZTI_SZ_EXACT_RUNS ? runs_bytes : (n + 7) / 8);
}

/* The form, and its bytes, for the marks 'bits'. */
ZTI_STATIC uint32_t exact_mark_bytes(const uint64_t *bits, uint32_t n, uint32_t *way)
{
    uint32_t runs_bytes = 0;
    bool is_set = false;
    for (uint32_t at = 0, end; at < n; at = end, is_set = !is_set) {
        end = run_end(bits, at, n, is_set);
        runs_bytes += exact_run_code(end - at).count / 8;
    }
    *way = exact_way(run_end(bits, 0, n, true) == n, runs_bytes, n);
    return exact_way_bytes(*way, runs_bytes, n);
}

/* ---- zeros and signs: marks.c ---------------------------------------------------------------- */

/* A run's length less 1 (of the first run, its length) in Golomb's code of exponential order k: the
 * number of bits, and the code. */
ZTI_STATIC uint32_t run_bits(uint32_t number, uint32_t k)
{
    return 2 * zti_bit_length64(number + (1u << k)) - 1 - k;
}

ZTI_STATIC struct zti_sz_code run_code(uint32_t number, uint32_t k)
{
    const uint32_t v = number + (1u << k), top = zti_bit_length64(v) - 1;
    return code_of((UINT64_C(1) | (uint64_t)(v & ((1u << top) - 1)) << 1) << (top - k),
                   2 * top - k + 1);
}

/* Whether all bits of a mark with this number of runs are equal. The first run is of bits that are
 * not set, and may be empty. */
ZTI_STATIC bool is_uniform_mark(bool begins_set, uint32_t runs)
{
    return runs == (begins_set ? 2 : 1);
}

/* The form of a mark, and the bytes of a form. 'best' is the form with runs that takes the fewest
 * bits, 'bits': its order k, plus ZTI_SZ_MARKS_ORDERS if it is against the row before. */
ZTI_STATIC uint32_t mark_way(bool begins_set, uint32_t runs, uint32_t bits, uint32_t best,
                             uint32_t n)
{
    if (is_uniform_mark(begins_set, runs))
        return begins_set ? ZTI_SZ_MARKS_ALL : ZTI_SZ_MARKS_NONE;
    return bits < n ? ZTI_SZ_MARKS_RUNS + best : (uint32_t)ZTI_SZ_MARKS_BITMAP;
}

ZTI_STATIC uint32_t mark_way_bytes(uint32_t way, uint32_t bits, uint32_t n)
{
    return 1 + (way < ZTI_SZ_MARKS_BITMAP ? 0 : ((way == ZTI_SZ_MARKS_BITMAP ? n : bits) + 7) / 8);
}

ZTI_STATIC bool is_against_row(uint32_t way)
{
    return way >= ZTI_SZ_MARKS_RUNS + ZTI_SZ_MARKS_ORDERS;
}

ZTI_STATIC uint32_t order_of_way(uint32_t way)
{
    return (way - ZTI_SZ_MARKS_RUNS) % ZTI_SZ_MARKS_ORDERS;
}

#endif
