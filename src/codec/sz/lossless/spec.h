/* spec.h: the rules of the lossless coder: how a tile's values lie in rows, which neighbours
 * predict a key, magnitude codes, contexts of symbols, and the values' transforms to integer keys
 * and back. docs/format/sz.md, effort 4, has them in words. */
#ifndef ZTI_SZ_LOSSLESS_SPEC_H
#define ZTI_SZ_LOSSLESS_SPEC_H

#include "codec/sz/spec.h"

#include <math.h>

enum {
    ZTI_LL_VALUES = 1 << 18,       /* of a tile, about */
    ZTI_LL_LARGE_VALUES = 1 << 20, /* of a large one */
    ZTI_LL_IS_LARGE = 1,           /* bits of zti_sz.tuning: large tiles; */
    ZTI_LL_IS_WIDE = 2,            /* numbers of multiples have 64 bits, not 32 */
    ZTI_LL_LANES_BITS = 7,         /* lanes of a tile that is one row, at most */
    ZTI_LL_LANE_BITS = 11,         /* a lane has 2^11 values, or there is one lane */
    ZTI_LL_NARROW = 16,            /* values of a row; shorter rows are turned to columns */
    ZTI_LL_FLAT = 8,               /* rows of a plane; of fewer, rows of planes change places */
    ZTI_LL_MARGIN = 4,             /* cells before and behind a row */
    ZTI_LL_TAPS = 16,              /* neighbours that predict a key, at most */
    ZTI_LL_REGIMES = 8,
    ZTI_LL_PIECE = 32,  /* symbols that share a context in a row that has no row before it */
    ZTI_LL_MODELS = 16, /* of a tile, at most */
    ZTI_LL_MOST_RANKS = 4096,
    ZTI_LL_HASH_BITS = 18,  /* of a table of values' places, at most */
    ZTI_LL_MOST_CODE = 125, /* of keys whose symbols have their signs */
    ZTI_LL_MARK_RAW = 254,  /* symbols: the value follows as it is; */
    ZTI_LL_MARK_FILL = 255, /* it is the fill value */
    ZTI_LL_EXPONENTS = 2048,
    ZTI_LL_POWERS = 330, /* of ten, to both sides */
    ZTI_LL_EXACT = 20    /* of these, what is a number of 64 bits or less */
};

#define ZTI_LL_HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15) /* 2^64 divided by the golden ratio */

/* Of multiples: the centre's magnitude when coding, and a number's most. */
#define ZTI_LL_MOST_CENTRE 0x1p50
#define ZTI_LL_MOST_NUMBER 0x1p52

/* How values become keys. */
enum zti_ll_kind {
    ZTI_LL_ORDER,   /* order-preserving integers of the bits */
    ZTI_LL_LINEAR,  /* the same from an exponent on, below it multiples of its last place */
    ZTI_LL_DECIMAL, /* n of n / 10^digits */
    ZTI_LL_DIGITS,  /* decimals of so many significant digits, numbered */
    ZTI_LL_LATTICE, /* n of offset + n step, a slice */
    ZTI_LL_RANK,    /* the place in a table */
    ZTI_LL_KINDS
};

/* Whether values become multiples of a step before they are coded, and the type of what is coded:
 * that of the values, or integers. */
ZTI_STATIC bool ll_is_of_multiples(const struct zti_coding *coding)
{
    const struct zti_sz *const sz = sz_of(coding);
    return sz->source == ZTI_SZ_LATTICE || (sz->source == ZTI_SZ_STEPS && sz->whole_step > 1);
}

ZTI_STATIC uint32_t ll_coded_type(const struct zti_coding *coding)
{
    const uint32_t number = sz_of(coding)->tuning & ZTI_LL_IS_WIDE ? ZT_I64 : ZT_I32;
    return ll_is_of_multiples(coding) ? number : coding->type;
}

/* ---- a tile's values in rows ----------------------------------------------------------------- */

/* A tile, its axes of one value left out, as rows of its fastest axis; where that is its only axis,
 * as rows of lanes: row r has value r of each lane; where it is narrow and the next axis is longer,
 * as rows of that one; and where planes have few rows and are more, each such row's planes are one.
 * Cells are rows with margins. */
struct zti_ll_shape {
    bool is_lanes, is_turned;
    uint32_t dim[4];  /* dim[3] is the row; of lanes, dim[2] rows */
    uint32_t step[4]; /* values of the tile, in C order, to the next along an axis */
    uint32_t rows, width, last_width; /* the last row of lanes may have fewer */
    uint32_t stride;                  /* cells of a row */
    uint64_t inverse[2];              /* of dim[1] and dim[2]: see ll_part */
    uint32_t values, slices;          /* slices have a lattice of their own: planes */
};

ZTI_STATIC uint32_t ll_lanes(uint32_t values)
{
    uint32_t lanes = 0;
    while (lanes < ZTI_LL_LANES_BITS && values >> (ZTI_LL_LANE_BITS + lanes + 1))
        lanes++;
    return 1u << lanes;
}

/* Let two axes change places. */
ZTI_STATIC void ll_exchange(struct zti_ll_shape *s, uint32_t a, uint32_t b)
{
    const uint32_t dim = s->dim[a], step = s->step[a];
    s->dim[a] = s->dim[b];
    s->step[a] = s->step[b];
    s->dim[b] = dim;
    s->step[b] = step;
    s->is_turned = true;
}

/* Divisions of rows' numbers, at most 2^20, by dimensions, at most 2^20: exact. */
enum { ZTI_LL_INVERSE_BITS = 40 };

ZTI_INLINE uint32_t ll_part(uint32_t number, uint64_t inverse)
{
    return (uint32_t)(number * inverse >> ZTI_LL_INVERSE_BITS);
}

ZTI_STATIC void ll_set_inverses(struct zti_ll_shape *s)
{
    for (uint32_t i = 0; i < 2; i++)
        s->inverse[i] = (UINT64_C(1) << ZTI_LL_INVERSE_BITS) / s->dim[i + 1] + 1;
}

ZTI_STATIC struct zti_ll_shape ll_shape(uint32_t rank, const uint32_t *extent)
{
    struct zti_ll_shape s;
    uint32_t place = 4;
    memset(&s, 0, sizeof s);
    s.values = 1;
    for (uint32_t i = 0; i < 4; i++)
        s.dim[i] = 1;
    for (uint32_t i = rank; i-- > 0;) {
        s.values *= extent[i];
        if (extent[i] > 1)
            s.dim[--place] = extent[i];
    }
    s.is_lanes = place >= 3;
    for (uint32_t i = 4, step = 1; i-- > 0; step *= s.dim[i])
        s.step[i] = step;
    if (s.is_lanes) {
        s.width = ll_lanes(s.values);
        s.dim[3] = s.width;
        s.dim[2] = (s.values + s.width - 1) / s.width;
    } else {
        if (s.dim[3] < ZTI_LL_NARROW && s.dim[2] > s.dim[3])
            ll_exchange(&s, 2, 3);
        if (s.dim[2] < ZTI_LL_FLAT && s.dim[1] > s.dim[2])
            ll_exchange(&s, 1, 2);
        s.width = s.dim[3];
    }
    s.rows = s.dim[0] * s.dim[1] * s.dim[2];
    s.last_width = s.values - (s.rows - 1) * s.width;
    s.stride = s.width + 2 * ZTI_LL_MARGIN;
    s.slices = s.dim[0] * s.dim[1];
    ll_set_inverses(&s);
    return s;
}

/* Cells of a tile, with some that wide loads look at. */
ZTI_STATIC size_t ll_cells(const struct zti_ll_shape *s)
{
    return (size_t)s->rows * s->stride + 64;
}

/* The first value's cell of a row. */
ZTI_STATIC size_t ll_cell(const struct zti_ll_shape *s, uint32_t row)
{
    return (size_t)row * s->stride + ZTI_LL_MARGIN;
}

ZTI_STATIC uint32_t ll_width(const struct zti_ll_shape *s, uint32_t row)
{
    return row + 1 < s->rows ? s->width : s->last_width;
}

/* Where a row's first value is in C order. */
ZTI_STATIC uint32_t ll_turned_row(const struct zti_ll_shape *s, uint32_t number)
{
    const uint32_t y = number % s->dim[2], z = number / s->dim[2] % s->dim[1];
    const uint32_t t = number / s->dim[2] / s->dim[1];
    return t * s->step[0] + z * s->step[1] + y * s->step[2];
}

/* Of value i in the order of coding: its cell, and its place in C order. */
ZTI_STATIC size_t ll_cell_of(const struct zti_ll_shape *s, uint32_t i)
{
    const uint32_t row = i / s->width;
    return ll_cell(s, row) + (i - row * s->width);
}

ZTI_STATIC uint32_t ll_place_in_order(const struct zti_ll_shape *s, uint32_t i)
{
    const uint32_t row = i / s->width, x = i - row * s->width;
    if (s->is_lanes) {
        const uint32_t length = s->values / s->width, more = s->values % s->width;
        return x * length + (x < more ? x : more) + row;
    }
    return s->is_turned ? ll_turned_row(s, row) + x * s->step[3] : i;
}

/* Which slower axes have a row before this one: bit 0 the slowest but one of a plane (y), bit 1 the
 * plane before (z), bit 2 the volume before (t). */
ZTI_INLINE uint32_t ll_regime(const struct zti_ll_shape *s, uint32_t row)
{
    const uint32_t plane = ll_part(row, s->inverse[1]), t = ll_part(plane, s->inverse[0]);
    const bool has_y = row != plane * s->dim[2], has_z = plane != t * s->dim[1];
    return (uint32_t)has_y | (uint32_t)has_z << 1 | (uint32_t)(t > 0) << 2;
}

/* Rows to the row before along y, z, t. */
ZTI_STATIC uint32_t ll_rows_back(const struct zti_ll_shape *s, uint32_t axis)
{
    return axis == 0 ? 1 : axis == 1 ? s->dim[2] : s->dim[2] * s->dim[1];
}

/* ---- taps ------------------------------------------------------------------------------------ */

struct zti_ll_tap {
    int8_t t, z, y, x;
};

/* Neighbours in the order in which they are taken, those of rows before; and how many are in the
 * row itself, at x - 1, x - 2 ... Regime 0 has only these. */
struct zti_ll_taps {
    uint32_t before, own;
    struct zti_ll_tap tap[ZTI_LL_TAPS];
};

ZTI_STATIC struct zti_ll_taps ll_lane_taps(uint32_t regime)
{
    struct zti_ll_taps taps;
    taps.before = taps.own = 0;
    while (regime && taps.before < ZTI_LL_TAPS) {
        const struct zti_ll_tap tap = {0, 0, (int8_t)(-1 - (int)taps.before), 0};
        taps.tap[taps.before++] = tap;
    }
    return taps;
}

ZTI_STATIC struct zti_ll_taps ll_taps(const struct zti_ll_shape *s, uint32_t regime)
{
    static const struct zti_ll_tap order[] = {
        {0, 0, 0, -1},   {0, 0, -1, 0},   {0, -1, 0, 0},   {-1, 0, 0, 0},  {0, 0, -1, -1},
        {0, -1, 0, -1},  {-1, 0, 0, -1},  {0, -1, -1, 0},  {-1, 0, -1, 0}, {-1, -1, 0, 0},
        {0, 0, -1, 1},   {0, -1, 0, 1},   {0, -1, 1, 0},   {0, 0, 0, -2},  {0, 0, -2, 0},
        {0, -2, 0, 0},   {-1, 0, 0, 1},   {-1, 0, 1, 0},   {-2, 0, 0, 0},  {0, -1, -1, -1},
        {-1, 0, -1, -1}, {-1, -1, 0, -1}, {-1, -1, -1, 0}, {0, -1, -1, 1}, {0, -1, 1, -1},
        {0, -1, 1, 1},   {0, 0, -1, -2},  {0, 0, -1, 2},   {0, 0, -2, -1}, {0, 0, -2, 1},
        {0, 0, 0, -3},   {0, 0, -3, 0},   {0, 0, -2, 2},   {0, 0, -2, -2}, {0, 0, 0, -4}};
    struct zti_ll_taps taps;
    taps.before = taps.own = 0;
    if (s->is_lanes)
        return ll_lane_taps(regime);
    for (uint32_t i = 0; i < sizeof order / sizeof *order; i++) {
        const struct zti_ll_tap tap = order[i];
        const bool is_there = (tap.y >= 0 || regime & 1) && (tap.z >= 0 || regime & 2) &&
                              (tap.t >= 0 || regime & 4) && (tap.y <= 0 || s->dim[2] > 1);
        if (!is_there || taps.before + taps.own == ZTI_LL_TAPS)
            continue;
        if (tap.t == 0 && tap.z == 0 && tap.y == 0)
            taps.own++;
        else
            taps.tap[taps.before++] = tap;
    }
    return taps;
}

/* A row's place along y, z and t. */
struct zti_ll_place {
    int64_t y, z, t;
};

ZTI_INLINE struct zti_ll_place ll_place(const struct zti_ll_shape *s, uint32_t row)
{
    const uint32_t plane = ll_part(row, s->inverse[1]), t = ll_part(plane, s->inverse[0]);
    const struct zti_ll_place place = {row - plane * s->dim[2], plane - t * s->dim[1], t};
    return place;
}

/* The cell of a tap of a row's first value; what is beyond a face of the tile is taken from it. */
ZTI_INLINE size_t ll_tap_cell(const struct zti_ll_shape *s, const struct zti_ll_place *place,
                              struct zti_ll_tap tap)
{
    int64_t y = place->y + tap.y, z = place->z + tap.z, t = place->t + tap.t;
    y = y < 0 ? 0 : y >= s->dim[2] ? (int64_t)s->dim[2] - 1 : y;
    z = z < 0 ? 0 : z;
    t = t < 0 ? 0 : t;
    return ll_cell(s, (uint32_t)((t * s->dim[1] + z) * s->dim[2] + y)) + (size_t)(ptrdiff_t)tap.x;
}

/* How the keys of a tile are predicted: by weights of taps, of each regime that has any, else by
 * differences along axes (bits 0, 1, 2 as in a regime, 3 along the row). */
struct zti_ll_predictor {
    bool has_weights[ZTI_LL_REGIMES];
    struct zti_ll_taps taps[ZTI_LL_REGIMES]; /* of those that have */
    uint32_t axes;
    float weight[ZTI_LL_REGIMES][ZTI_LL_TAPS]; /* of the taps before, then of the row's own; the
                                                  first one's is what all others leave of 1 */
};

/* Weights are no larger, so that sums are finite. */
#define ZTI_LL_MOST_WEIGHT 0x1p16F

/* Neighbours at the corners of a difference: cells back, with signs. */
struct zti_ll_terms {
    uint32_t n;
    ptrdiff_t back[16];
    bool is_added[16];
};

/* The terms of the difference along some axes: the neighbours at each corner but the value's own;
 * has_own: without the one beside it in the row. */
ZTI_STATIC void ll_find_terms(const struct zti_ll_shape *s, uint32_t axes,
                              struct zti_ll_terms *terms)
{
    terms->n = 0;
    for (uint32_t set = 1; set < 16; set++) {
        uint32_t count = set >> 3;
        ptrdiff_t at = set >> 3;
        if (set & ~axes || set == 8)
            continue;
        for (uint32_t axis = 0; axis < 3; axis++)
            if (set >> axis & 1) {
                at += (ptrdiff_t)ll_rows_back(s, axis) * s->stride;
                count++;
            }
        terms->back[terms->n] = at;
        terms->is_added[terms->n++] = count & 1;
    }
}

/* ---- magnitude codes of residuals ------------------------------------------------------------ */

/* Bits that the code of a magnitude leaves open, given the place of its leading one and one more
 * (0: none); and the code. Of numbers or vectors. */
#define ZTI_LL_CODE(magnitude, open) (4 * (open) + ((magnitude) >> (open)))

ZTI_STATIC uint32_t ll_open(uint64_t magnitude)
{
    const uint32_t length = zti_bit_length64(magnitude);
    return length > 3 ? length - 3 : 0;
}

ZTI_STATIC uint32_t ll_code(uint64_t magnitude)
{
    const uint32_t open = ll_open(magnitude);
    return (uint32_t)ZTI_LL_CODE(magnitude, open);
}

/* Whether symbols have signs, given a number that no magnitude is above. */
ZTI_STATIC bool ll_have_signs(uint64_t most)
{
    return ll_code(most) <= ZTI_LL_MOST_CODE;
}

/* Bits that a code leaves open, and the least magnitude that has it. */
ZTI_STATIC uint32_t ll_open_bits(uint32_t code)
{
    return code < 8 ? 0 : code / 4 - 1;
}

ZTI_STATIC uint64_t ll_least(uint32_t code)
{
    return code < 8 ? code : (uint64_t)(4 | (code & 3)) << (code / 4 - 1);
}

/* ---- contexts -------------------------------------------------------------------------------- */

enum {
    ZTI_LL_LEVELS = 248,          /* of the mean of codes */
    ZTI_LL_FILLS = ZTI_LL_LEVELS, /* a neighbour is the fill value: three kinds of 31 levels */
    ZTI_LL_FILL_LEVELS = 31,
    ZTI_LL_ALL_FILLS = ZTI_LL_FILLS + 3 * ZTI_LL_FILL_LEVELS,
    ZTI_LL_REPEATS = ZTI_LL_ALL_FILLS + 1, /* of rows that repeat rows */
    ZTI_LL_CONTEXTS = ZTI_LL_REPEATS + ZTI_LL_LEVELS
};

/* The level of a mean of codes in eighths: the mean, or this where it is less: levels of an eighth
 * below 16, of two codes from there on. */
#define ZTI_LL_LEVEL_ABOVE(mean) (120 + ((mean) >> 4))

/* With the neighbours that are the fill value, twice those across the row: 0 to 6. */
ZTI_INLINE uint32_t ll_context(uint32_t level, uint32_t fills)
{
    if (fills == 0)
        return level;
    const uint32_t kind = fills <= 1 ? 0 : fills <= 3 ? 1 : 2;
    return fills == 6 ? (uint32_t)ZTI_LL_ALL_FILLS
                      : ZTI_LL_FILLS + kind * ZTI_LL_FILL_LEVELS + level / 8;
}

/* Rows whose codes are averaged, as cells from the value's own, three at most: of each the five
 * codes around the value's place and one of row 'far'; of lanes six rows. None: see ZTI_LL_PIECE.
 */
struct zti_ll_near {
    uint32_t rows;
    ptrdiff_t at[6], far[3];
};

/* Weighted sums of a row's codes at distance 0, 1 and 2, and of the far row's;
 * of lanes' rows; of numbers or vectors. Weights sum to 16. The mean is in
 * eighths: 2^-16 times the sum times ZTI_LL_EIGHTHS of the number of rows. */
enum { ZTI_LL_LANES_NEAR = 6 };
#define ZTI_LL_ROW_SUM(at_0, at_1, at_2, far) (6 * (at_0) + 3 * (at_1) + (at_2) + 2 * (far))
#define ZTI_LL_LANE_SUM(row_1, rows_23, row_4, rows_56)                                            \
    (5 * (row_1) + 3 * ((rows_23) + (row_4)) + (rows_56))

ZTI_INLINE uint32_t ll_eighths(uint32_t rows)
{
    return rows == 1 ? 32768 : rows == 2 ? 16384 : 10923;
}

/* All that those of a row depend on: of lanes, how many rows are before it; else the axes that have
 * them, and whether it is behind the second row of a plane. source[row] >= 0 says which rows repeat
 * rows (NULL: none): these are among themselves. */
enum { ZTI_LL_NEAR_KINDS = 16 };

ZTI_INLINE uint32_t ll_near_kind(const struct zti_ll_shape *s, uint32_t row, uint32_t regime,
                                 const int32_t *source)
{
    uint32_t axes = regime;
    if (s->is_lanes)
        return row < ZTI_LL_LANES_NEAR ? row : (uint32_t)ZTI_LL_LANES_NEAR;
    for (uint32_t axis = 0; source && axis < 3; axis++)
        if (regime >> axis & 1 && (source[row - ll_rows_back(s, axis)] >= 0) != (source[row] >= 0))
            axes &= ~(1u << axis);
    return axes | (uint32_t)(ll_place(s, row).y > 1) << 3;
}

ZTI_STATIC struct zti_ll_near ll_near(const struct zti_ll_shape *s, uint32_t kind)
{
    struct zti_ll_near near;
    near.rows = 0;
    for (uint32_t k = 0; s->is_lanes && kind > 0 && k < ZTI_LL_LANES_NEAR; k++) {
        near.rows = 1;
        near.at[k] = -(ptrdiff_t)(k < kind ? k + 1 : 1) * s->stride;
    }
    for (uint32_t axis = 0; !s->is_lanes && axis < 3; axis++) {
        if (!(kind >> axis & 1))
            continue;
        near.at[near.rows] = -(ptrdiff_t)ll_rows_back(s, axis) * s->stride;
        near.far[near.rows] = near.at[near.rows] * (axis == 0 && kind >> 3 ? 2 : 1);
        near.rows++;
    }
    return near;
}

/* The code that a mark counts as. */
ZTI_INLINE uint8_t ll_code_of_mean(uint32_t mean)
{
    return (uint8_t)((mean + 4) / 8);
}

/* Neighbours whose marks count: those above, left and right of that, and before the row. */
struct zti_ll_beside {
    bool has_any;
    ptrdiff_t up, left, right, other;
};

/* Those of a row of a regime, which repeats a row or not. */
ZTI_STATIC struct zti_ll_beside ll_beside(const struct zti_ll_shape *s, uint32_t number,
                                          uint32_t regime, bool is_repeat)
{
    const ptrdiff_t stride = s->stride;
    struct zti_ll_beside b = {regime != 0 && !is_repeat, 0, 0, 0, 0};
    const uint32_t axis = regime & 1 ? 0 : regime & 2 ? 1 : 2;
    if (!b.has_any)
        return b;
    b.up = -(ptrdiff_t)ll_rows_back(s, axis) * stride;
    b.left = b.up - !s->is_lanes;
    b.right = b.up + !s->is_lanes;
    b.other = b.left;
    if (s->is_lanes && number > 1)
        b.other = -2 * stride;
    else if (axis == 0 && regime & 6)
        b.other = -(ptrdiff_t)ll_rows_back(s, regime & 2 ? 1 : 2) * stride;
    return b;
}

/* ---- what a transform keeps ------------------------------------------------------------------ */

struct zti_ll_transform {
    uint32_t kind;
    bool has_fill, has_marks;
    uint64_t fill;
    uint32_t part;                 /* linear: which of the exponents that are tried; not stored */
    uint32_t base, zeros;          /* linear: exponent field, low bits that are 0 from it on */
    uint8_t low[ZTI_LL_EXPONENTS]; /* below it: low bits that are 0, by exponent */
    uint32_t digits;               /* decimals */
    int32_t lowest;                /* significant digits: the power of ten of the least */
    uint32_t ranks;
    uint64_t *rank;        /* ordered, [ZTI_LL_MOST_RANKS] */
    double *offset, *step; /* lattices: a slice */
    bool has_rows;         /* rows that repeat rows: */
    uint32_t mirror;
    int32_t *source; /* a row: which, or -1 */
    uint8_t *how;    /* 1: from its end; 2: negated */
};

/* Which row a row repeats, or -1. */
ZTI_INLINE int32_t ll_source(const struct zti_ll_transform *t, uint32_t row)
{
    return t->has_rows ? t->source[row] : -1;
}

/* A power of ten: mantissa of 128 bits, the highest set, times 2^exponent; truncated. */
struct zti_ll_power {
    uint64_t high, low;
    int32_t exponent;
};

/* Where a row's repeated row has what belongs to x. */
ZTI_INLINE uint32_t ll_mirrored(uint32_t how, uint32_t mirror, uint32_t width, uint32_t x)
{
    if (!(how & 1))
        return x;
    const int64_t q = (int64_t)mirror - x;
    return (uint32_t)(q < 0 ? q + width : q >= width ? q - width : q);
}

/* ---- which rows repeat rows: values that are looked up, and thresholds --------------------------
 */

enum { ZTI_LL_PAIR_BITS = 4 /* of their hashes: one pair in 2^these is looked up */ };

/* One in 2^these values is looked up, chosen by its hash: in long rows these are enough. */
ZTI_STATIC uint32_t ll_sampled_bits(uint32_t width)
{
    const uint32_t length = zti_bit_length64(width);
    return width < 24 ? 0 : length < 12 ? length - 4 : 8;
}

/* Bits of the number of places in a table of values. */
ZTI_STATIC uint32_t ll_places_bits(uint32_t values, uint32_t skipped)
{
    const uint32_t most = zti_bit_length64(values >> skipped);
    return most < ZTI_LL_HASH_BITS ? most : (uint32_t)ZTI_LL_HASH_BITS;
}

/* Whether there are enough pairs that occurred in a row before: one in a thousand. */
ZTI_STATIC bool ll_are_hits(size_t hits, size_t looked_at)
{
    return hits * 1000 > looked_at;
}

/* Whether too few values occurred in a row before; 'equal' rows have all of theirs. */
ZTI_STATIC bool ll_are_few_hits(const struct zti_ll_shape *s, size_t hits, uint32_t equal)
{
    return (size_t)equal * s->width + (hits << ll_sampled_bits(s->width)) <= s->values / 50;
}

/* Whether a row repeats another, given how many of its values are in the other. */
ZTI_STATIC bool ll_is_source(uint32_t width, uint32_t values)
{
    return values * 8 >= width || values >= 24;
}

/* Whether a row is near another: one value in this many is looked at, and more values than this
 * have to be near. */
ZTI_STATIC uint32_t ll_near_every(uint32_t width)
{
    enum { FEW_OF = 32, EVERY = 4 };
    return width >= FEW_OF ? EVERY : 1;
}

ZTI_STATIC uint32_t ll_least_near(uint32_t width)
{
    return width * 3 / 5;
}

/* Whether rows that repeat rows are enough, by the values that they have in common; *many: these
 * are a quarter of all or more. */
ZTI_STATIC bool ll_have_rows(const struct zti_ll_shape *s, size_t common, bool *many)
{
    *many = common * 4 > s->values;
    return common * 40 > s->values;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* What the tiles of a grid, cut ones included, take at most. */
struct zti_ll_room {
    size_t cells, values, rows, width, slices;
    bool is_reordered;
};

ZTI_STATIC void ll_widen(struct zti_ll_room *room, const struct zti_ll_shape *s)
{
    room->cells = ll_cells(s) > room->cells ? ll_cells(s) : room->cells;
    room->values = s->values > room->values ? s->values : room->values;
    room->rows = s->rows > room->rows ? s->rows : room->rows;
    room->width = s->width > room->width ? s->width : room->width;
    room->slices = s->slices > room->slices ? s->slices : room->slices;
    room->is_reordered |= s->is_lanes || s->is_turned;
}

ZTI_STATIC struct zti_ll_room ll_room(const struct zti_grid *grid)
{
    struct zti_ll_room room = {0, 0, 0, 0, 0, false};
    for (uint32_t cut = 0; cut < 1u << grid->rank; cut++) {
        uint32_t extent[ZT_MAX_RANK];
        for (uint32_t i = 0; i < grid->rank; i++) {
            const uint32_t rest = (uint32_t)(grid->shape[i] % grid->side[i]);
            extent[i] = cut >> i & 1 && rest > 0 ? rest : grid->side[i];
        }
        const struct zti_ll_shape s = ll_shape(grid->rank, extent);
        ll_widen(&room, &s);
    }
    return room;
}

/* The powers of ten, ZTI_LL_POWERS to both sides, as kernels read them: their bytes, and these to
 * memory of the host's. */
#ifdef __cplusplus
extern "C" {
#endif

uint64_t zti_ll_model_bytes(void);
void zti_ll_store_powers(void *memory);

#ifdef __cplusplus
}
#endif

#endif
