/* spec.h: the rules of effort 'high', as functions for the CPU and for kernels: shapes of levels
 * and bands, stencils, contexts, symbols of residuals, the parts of a tile's bytes, and values of
 * integers. */
#ifndef ZTI_SZ_INTERP_SPEC_H
#define ZTI_SZ_INTERP_SPEC_H

#include "codec/sz/spec.h"
#include "core/wire.h"
#include "entropy/ans/mixed.h"

#include <math.h>

enum {
    ZTI_SZ_HIGH_VALUES = 1 << 18,       /* most values of a tile */
    ZTI_SZ_HIGH_SMALL_VALUES = 1 << 16, /* most values of a small tile */
    ZTI_SZ_HIGH_SEGMENT = 256,          /* values of a row that are predicted together */
    ZTI_SZ_HIGH_SHORT = 15,             /* most values of a row that is joined with others */
    ZTI_SZ_HIGH_LEVELS = 32,            /* most levels */
    ZTI_SZ_HIGH_BANDS = 15,             /* bands of a level along four axes */
    ZTI_SZ_HIGH_DEPTHS = 4,             /* kinds of levels in contexts */
    ZTI_SZ_HIGH_MAGNITUDES = 12,        /* kinds of neighbourhoods */
    ZTI_SZ_HIGH_CONTEXTS = ZTI_SZ_HIGH_DEPTHS * ZTI_SZ_HIGH_MAGNITUDES + 1, /* one for anchors */
    ZTI_SZ_HIGH_ANCHOR = ZTI_SZ_HIGH_CONTEXTS - 1,
    ZTI_SZ_HIGH_MODELS = 24, /* at most */
    ZTI_SZ_HIGH_ALPHABET = 256,
    ZTI_SZ_HIGH_DIRECT = 127,        /* folded residuals below it are symbols themselves */
    ZTI_SZ_HIGH_ESCAPE = 255,        /* any other integer, in all its bits */
    ZTI_SZ_HIGH_MOST_MAGNITUDE = 63, /* magnitudes are clipped to it */
    ZTI_SZ_HIGH_LEAST_OPEN = 5,      /* least bits that symbols of larger residuals leave open */
    ZTI_SZ_HIGH_MOST_OPEN = 36,      /* most bits; larger residuals have the escape */
    ZTI_SZ_HIGH_RANGE = 1 << 26,     /* limit of integers' magnitudes */
    ZTI_SZ_HIGH_REACH = 63           /* units in a step, if the range allows it; odd */
};

enum { /* learning passes, in order */
       ZTI_SZ_HIGH_AXES_PASS,
       ZTI_SZ_HIGH_TUNING_PASS,
       ZTI_SZ_HIGH_COUNT_PASS,
       ZTI_SZ_HIGH_PASSES
};

/* bits of sz.tuning: variants of prediction, which are all tried; small tiles; integers of 64
 * bits */
enum {
    ZTI_SZ_HIGH_LINEAR = 1,
    ZTI_SZ_HIGH_FINER = 2,
    ZTI_SZ_HIGH_WAYS = 4,
    ZTI_SZ_HIGH_SMALL = 4,
    ZTI_SZ_HIGH_WIDE = 8,
    ZTI_SZ_HIGH_TUNINGS = 16
};

/* Limit of integers' magnitudes in wide streams: a stencil's sum has 5 bits more, and doubles have
 * all of them. */
#define ZTI_SZ_HIGH_WIDE_RANGE 0x1p45

_Static_assert((int)ZTI_SZ_HIGH_DIRECT == 2 * (int)ZTI_SZ_HIGH_MOST_MAGNITUDE + 1 &&
                   (int)ZTI_SZ_HIGH_MOST_MAGNITUDE + 1 == 2 << (int)ZTI_SZ_HIGH_LEAST_OPEN,
               "residuals that have a symbol each are those whose magnitudes are not cut");

/* ---- shapes ---------------------------------------------------------------------------------- */

ZTI_STATIC uint32_t zti_sz_high_axes_count(uint32_t axes)
{
    return (axes & 1) + (axes >> 1 & 1) + (axes >> 2 & 1) + (axes >> 3 & 1);
}

/* log2 of the coarse grid's distance along each interpolated axis; for 1 to 4 axes 6, 4, 3, 2. */
ZTI_STATIC uint32_t zti_sz_high_distance(uint32_t axes)
{
    return 0x23460u >> 4 * zti_sz_high_axes_count(axes) & 15;
}

/* Units in a step of a level, from 1 on; coarse levels may have finer steps, down to half. */
ZTI_STATIC uint32_t zti_sz_high_step(const struct zti_sz *sz, uint32_t level)
{
    const uint32_t part = level < 2 ? 256 : level == 2 ? 205 : level == 3 ? 164 : 128;
    if (!(sz->tuning & ZTI_SZ_HIGH_FINER))
        return sz->reach;
    return (uint32_t)((uint64_t)sz->reach * part >> 8) | 1;
}

/* The kind of a level (from 1 on) in contexts. */
ZTI_STATIC uint32_t zti_sz_high_depth(uint32_t level)
{
    return level - 1 < ZTI_SZ_HIGH_DEPTHS ? level - 1 : (uint32_t)ZTI_SZ_HIGH_DEPTHS - 1;
}

/* The number of points along an axis of 'extent' values (of any unsigned type): every 2^bits-th
 * value if the axis is interpolated. */
#define ZTI_SZ_HIGH_POINTS(extent, is_interpolated, bits)                                          \
    ((is_interpolated) ? (((extent)-1) >> (bits)) + 1 : (extent))

/* The points of a band along an axis of a level with 'dim' points; and those that the tile codes,
 * if the level's last point is the next tile's. */
ZTI_STATIC uint32_t zti_sz_high_along(uint32_t dim, bool is_odd, bool is_interpolated)
{
    return is_odd ? dim / 2 : is_interpolated ? (dim + 1) / 2 : dim;
}

ZTI_STATIC uint32_t zti_sz_high_own_along(uint32_t along, bool is_odd, bool has_next)
{
    return along - (has_next && !is_odd ? 1 : 0);
}

/* The band after 'odd', or 0 after the last; the first one is after 0. A band is named by the axes
 * along which its points are odd. Bands that are odd along one axis come first, then two, three,
 * four. The constants have all bands in order, 0 last, and the place of each, in four bits. */
ZTI_INLINE uint32_t zti_sz_high_next_band(uint32_t axes, uint32_t odd)
{
    const uint64_t bands = UINT64_C(0x0fedb7ca96538421), places = UINT64_C(0xedc9b873a652410f);
    uint32_t place = (uint32_t)(places >> 4 * odd & 15);
    do {
        place = (place + 1) & 15;
        odd = (uint32_t)(bands >> 4 * place & 15);
    } while (odd & ~axes);
    return odd;
}

/* Whether a tile's box includes the next tile's first points along an axis. The tile has 'own' of
 * the 'rest' values from its origin to the array's end. */
ZTI_STATIC bool zti_sz_high_has_more(uint64_t own, uint64_t rest, bool is_interpolated)
{
    return is_interpolated && rest > own;
}

/* A tile, and the next tiles' planes that it predicts. */
struct zti_sz_box {
    /* for four axes; the array's axes are the last ones */
    uint64_t origin[4]; /* in the array */
    uint32_t own[4];
    uint32_t dim[4];
    size_t values;
    size_t points;
};

ZTI_STATIC struct zti_sz_box zti_sz_high_box(const struct zti_grid *grid, uint32_t axes,
                                             const struct zti_walk *walk)
{
    const uint32_t skip = 4 - grid->rank;
    struct zti_sz_box box;
    memset(&box, 0, sizeof box);
    box.values = box.points = 1;
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t extent = 1, more = 0;
        if (i >= skip) {
            const uint64_t rest = grid->shape[i - skip] - walk->origin[i - skip];
            box.origin[i] = walk->origin[i - skip];
            extent = rest < grid->side[i - skip] ? rest : grid->side[i - skip];
            more = zti_sz_high_has_more(extent, rest, axes >> (i - skip) & 1);
        }
        box.own[i] = (uint32_t)extent;
        box.dim[i] = (uint32_t)(extent + more);
        box.values *= box.own[i];
        box.points *= box.dim[i];
    }
    return box;
}

/* ---- the tiles that are counted for models --------------------------------------------------- */

enum { ZTI_SZ_HIGH_SAMPLES = 32 /* least number of tiles of which quarters are counted */ };

/* Whether quarters of tiles are counted instead of tiles. */
ZTI_STATIC bool zti_sz_high_is_in_pieces(const struct zti_grid *grid)
{
    return grid->count >= 2 * ZTI_SZ_HIGH_SAMPLES;
}

/* One of this many tiles is counted; of many tiles, quarters are counted instead. */
ZTI_STATIC uint64_t zti_sz_high_part(const struct zti_grid *grid)
{
    const uint64_t tiles = grid->count, samples = ZTI_SZ_HIGH_SAMPLES, most = 4;
    return tiles < samples                   ? 1
           : !zti_sz_high_is_in_pieces(grid) ? tiles / (samples / 2)
           : tiles < most * samples          ? tiles / samples
                                             : most;
}

/* The i-th counted tile, one of each 'part' tiles; it may be past the grid's end. */
ZTI_STATIC uint64_t zti_sz_high_counted(uint64_t part, uint64_t i)
{
    return i * part + i * 5 % part;
}

/* A quarter of a tile, which is counted like a tile: the two longest axes are cut in half, if that
 * leaves levels of interpolation. A hash of the tile's number chooses the halves. */
ZTI_STATIC struct zti_sz_box zti_sz_high_quarter(const struct zti_grid *grid, uint32_t axes,
                                                 const struct zti_walk *walk)
{
    const uint32_t skip = 4 - grid->rank, apart = 1u << zti_sz_high_distance(axes);
    struct zti_sz_box box = zti_sz_high_box(grid, axes, walk);
    for (uint32_t turn = 0; turn < 2; turn++) {
        uint32_t axis = skip, own = 1;
        for (uint32_t i = 0; i < 4; i++) {
            axis = box.own[i] > own ? i : axis;
            own = box.own[i] > own ? box.own[i] : own;
        }
        const bool is_interpolated = axes >> (axis - skip) & 1;
        const uint32_t step = is_interpolated ? apart : 1, half = own / 2 / step * step;
        if (half < 2 * step)
            break;
        const bool is_second = walk->tile * UINT64_C(0x9e3779b97f4a7c15) >> (63 - turn) & 1;
        for (uint32_t i = 0; i < 4; i++) { /* constant indices: kernels use registers */
            if (i != axis)
                continue;
            const bool has_more = box.dim[i] > own;
            box.origin[i] += is_second ? half : 0;
            box.own[i] = is_second ? own - half : half;
            box.dim[i] = box.own[i] + (is_second ? has_more : is_interpolated);
        }
    }
    box.values = box.points = 1;
    for (uint32_t i = 0; i < 4; i++) {
        box.values *= box.own[i];
        box.points *= box.dim[i];
    }
    return box;
}

/* The box of a tile that is counted. */
ZTI_STATIC struct zti_sz_box zti_sz_high_counted_box(const struct zti_grid *grid, uint32_t axes,
                                                     const struct zti_walk *walk)
{
    return zti_sz_high_is_in_pieces(grid) ? zti_sz_high_quarter(grid, axes, walk)
                                          : zti_sz_high_box(grid, axes, walk);
}

/* ---- prediction ------------------------------------------------------------------------------ */

/* Stencils along an axis. z, a, b, c are successive even points; the predicted point lies between a
 * and b, or after a if there is no b. */
enum zti_sz_high_stencil {
    ZTI_SZ_HIGH_CUBIC, /* all four */
    ZTI_SZ_HIGH_LEFT,  /* quadratic: z, a and b */
    ZTI_SZ_HIGH_RIGHT, /* quadratic: a, b and c */
    ZTI_SZ_HIGH_MIDWAY,
    ZTI_SZ_HIGH_BEYOND /* extrapolation from z and a; from a alone if there is no z */
};

/* Whether the point after even point 'at', of 'of', has all four neighbours; and its stencil. */
#define ZTI_SZ_HIGH_HAS_FOUR(at, of) ((at) > 0 && (at) + 2 < (of))

ZTI_INLINE enum zti_sz_high_stencil zti_sz_high_stencil(uint32_t at, uint32_t of, bool is_linear)
{
    const bool has_z = at > 0, has_c = at + 2 < of;
    return ZTI_SZ_HIGH_HAS_FOUR(at, of) && !is_linear ? ZTI_SZ_HIGH_CUBIC
           : at + 1 >= of                             ? ZTI_SZ_HIGH_BEYOND
           : is_linear || !(has_z || has_c)           ? ZTI_SZ_HIGH_MIDWAY
           : has_z                                    ? ZTI_SZ_HIGH_LEFT
                                                      : ZTI_SZ_HIGH_RIGHT;
}

/* A point's prediction is the mean of those along the axes with points on both sides. If there is
 * no such axis, it is extrapolated along one axis: whether 'axis' is that one. It is the fastest
 * axis, if the point is odd along it, else the slowest one along which it is odd. */
ZTI_INLINE bool zti_sz_high_is_beyond(uint32_t odd, uint32_t axis)
{
    return odd >> (ZT_MAX_RANK - 1) ? axis == ZT_MAX_RANK - 1 : (odd & ((1u << axis) - 1)) == 0;
}

/* Of integers of 32 bits; and of 64, in wide streams. */
#define V           uint32_t
#define WIDTH       32
#define OF(name)    zti_sz_high_##name
#define SHIFT(v, n) ((uint32_t)((int32_t)(v) >> (n)))
#define SIZE(v)     ((int32_t)(v) < 0 ? 0 - (v) : (v))
#define FROM(v, n)  (0 - (uint32_t)((v) >= (uint32_t)(n)))
#define HIGHEST(v)  (zti_bit_length64(v) - 1)
#include "codec/sz/interp/formulas.h"
#define OF(name) zti_sz_high_##name
#define INTEGER  int32_t
#define NATURAL  uint32_t
#define WIDTH    32
#define RANGE    ZTI_SZ_HIGH_RANGE
#include "codec/sz/interp/integers.h"

#define V           uint64_t
#define WIDTH       64
#define OF(name)    zti_sz_wide_##name
#define SHIFT(v, n) ((uint64_t)((int64_t)(v) >> (n)))
#define SIZE(v)     ((int64_t)(v) < 0 ? 0 - (v) : (v))
#define FROM(v, n)  (0 - (uint64_t)((v) >= (uint64_t)(n)))
#define HIGHEST(v)  ((uint64_t)zti_bit_length64(v) - 1)
#include "codec/sz/interp/formulas.h"
#define OF(name) zti_sz_wide_##name
#define INTEGER  int64_t
#define NATURAL  uint64_t
#define WIDTH    64
#define RANGE    ZTI_SZ_HIGH_WIDE_RANGE
#include "codec/sz/interp/integers.h"

/* ---- contexts -------------------------------------------------------------------------------- */

/* A point's context is the depth of its level and the kind of its neighbourhood. The kind comes
 * from a weighted sum of magnitudes, in sixteenths, below 2^12. 'between' is the sum for the points
 * before and after it along each of the 'axes' axes along which it is odd; if there is none after
 * it, the one before counts twice. 'before' is the sum for the points before it in its band along
 * the other axes than the fastest; there are 'rows' of these. 'number' is the type of the
 * factors. */
#define ZTI_SZ_HIGH_NEIGHBOURHOOD(number, between, axes, before, rows)                             \
    ((between) * (number)zti_sz_high_share(axes) + (before) * (number)zti_sz_high_row_share(rows))

ZTI_STATIC uint32_t zti_sz_high_share(uint32_t axes)
{
    return (uint32_t)(UINT64_C(0x0405081000) >> 8 * axes & 255);
}

ZTI_STATIC uint32_t zti_sz_high_row_share(uint32_t rows)
{
    return 0x0b102000u >> 8 * rows & 255;
}

/* The sum for points without rows before. Points form fours; 'two' is the sum of the last two
 * magnitudes of the four before. For the first four, 'between' counts twice instead. */
ZTI_STATIC uint32_t zti_sz_high_first_row(uint32_t between, bool is_first, uint32_t two)
{
    return is_first ? 2 * between : between + 16 * two;
}

/* The sums, in sixteenths, above which a neighbourhood is of the next kind. */
#define ZTI_SZ_HIGH_LADDER(step)                                                                   \
    step(15) step(47) step(79) step(127) step(191) step(287) step(431) step(655) step(1007)        \
        step(1615) step(2895)

ZTI_STATIC uint32_t zti_sz_high_first_context(uint32_t depth)
{
    return depth * ZTI_SZ_HIGH_MAGNITUDES;
}

ZTI_STATIC uint8_t zti_sz_high_context(uint32_t sum, uint32_t depth)
{
    uint32_t kind = zti_sz_high_first_context(depth);
#define ZTI_SZ_HIGH_ABOVE(most) kind += sum > most;
    ZTI_SZ_HIGH_LADDER(ZTI_SZ_HIGH_ABOVE)
#undef ZTI_SZ_HIGH_ABOVE
    return (uint8_t)kind;
}

/* ---- residuals and symbols ------------------------------------------------------------------- */

/* zti_sz_high_open_bits for several symbols in fields of a word, of 8 bits or more; 'each' has a 1
 * in each field. Bit 7 of a symbol or of symbol + 1 is set if the symbol is 127 or more; of both if
 * it is the escape, 255. */
ZTI_STATIC uint32_t zti_sz_high_open_bits_of(uint32_t symbols, uint32_t each)
{
    const uint32_t next = (symbols & 127 * each) + each,
                   mask = ((next | symbols) >> 7 & each) * 255;
    const uint32_t sizes =
        (symbols & mask) -
        (mask & (uint32_t)(ZTI_SZ_HIGH_DIRECT - 4 * ZTI_SZ_HIGH_LEAST_OPEN) * each);
    return (sizes >> 2 & 31 * each) + 27 * ((next & symbols) >> 7 & each); /* 5, not 32 */
}

/* A magnitude in contexts; and a residual's from its symbol, if that is not the escape. */
ZTI_STATIC uint32_t zti_sz_high_cut(uint32_t size)
{
    return size < ZTI_SZ_HIGH_MOST_MAGNITUDE ? size : (uint32_t)ZTI_SZ_HIGH_MOST_MAGNITUDE;
}

#define ZTI_SZ_HIGH_MAGNITUDE_OF(symbol) (((symbol) + 1) >> 1)

/* ---- the parts of a tile --------------------------------------------------------------------- */

enum {
    ZTI_SZ_HIGH_ZERO = 0,
    ZTI_SZ_HIGH_CODED = 1,
    ZTI_SZ_HIGH_RAW = 3,
    ZTI_SZ_HIGH_KIND = 3,
    ZTI_SZ_HIGH_HAS_EXTRAS = 4,
    ZTI_SZ_HIGH_HAS_EXACT = 8,
    ZTI_SZ_HIGH_HAS_MANY = 16,    /* states: ZTI_ANS_MANY, or ZTI_ANS_FEW */
    ZTI_SZ_HIGH_MANY_FROM = 8192, /* least symbols other than 0 with so many states */
    ZTI_SZ_HIGH_MARKS_MOST = 515  /* most bytes of the marks of 4096 values */
};

/* The number of ANS states of a tile: from its symbols other than 0, and from its first byte. */
ZTI_STATIC uint32_t zti_sz_high_states(uint32_t others)
{
    return others < ZTI_SZ_HIGH_MANY_FROM ? ZTI_ANS_FEW : ZTI_ANS_MANY;
}

ZTI_STATIC uint32_t zti_sz_high_states_in(uint32_t first)
{
    return first & ZTI_SZ_HIGH_HAS_MANY ? ZTI_ANS_MANY : ZTI_ANS_FEW;
}

/* Write a tile's bytes before its sections; returns their end. The tile has 'values' values of
 * value_bytes each; 'exact' of them are stored exactly; 'others' symbols are not 0. If the tile may
 * not be shorter than its values, it is raw. */
ZTI_STATIC uint8_t *zti_sz_high_encode_front(uint8_t *to, uint64_t values, uint32_t value_bytes,
                                             uint64_t exact, uint32_t others, uint64_t extra_bytes,
                                             uint64_t code_bytes)
{
    const uint64_t parts = values / ZTI_SZ_TILE_VALUES + 1;
    const uint64_t exact_most =
        exact ? exact * value_bytes + 4 + parts * ZTI_SZ_HIGH_MARKS_MOST : 0;
    const bool is_zero = others == 0;
    if (code_bytes + extra_bytes + exact_most + 8 > values * value_bytes) {
        *to++ = ZTI_SZ_HIGH_RAW;
        return to;
    }
    *to++ =
        (uint8_t)((is_zero ? ZTI_SZ_HIGH_ZERO : ZTI_SZ_HIGH_CODED) |
                  (extra_bytes ? ZTI_SZ_HIGH_HAS_EXTRAS : 0) | (exact ? ZTI_SZ_HIGH_HAS_EXACT : 0) |
                  (zti_sz_high_states(others) == ZTI_ANS_MANY ? ZTI_SZ_HIGH_HAS_MANY : 0));
    if (!is_zero)
        to = zti_put_varint(to, code_bytes + extra_bytes +
                                    (extra_bytes ? zti_varint_bytes(extra_bytes) : 0));
    return extra_bytes ? zti_put_varint(to, extra_bytes) : to;
}

struct zti_sz_parts {
    uint32_t first;
    const uint8_t *extras, *codes; /* extras precede codes */
    uint64_t extra_bytes, code_bytes;
    const uint8_t *exact, *exact_end, *raw;
};

/* Find the parts of a tile; returns its end, or NULL if it is not valid. */
ZTI_STATIC const uint8_t *zti_sz_high_parts(uint64_t raw_bytes, const uint8_t *at,
                                            const uint8_t *end, struct zti_sz_parts *parts)
{
    struct zti_cursor c = {at, end, false};
    memset(parts, 0, sizeof *parts);
    parts->first = zti_get_byte(&c);
    if (parts->first == ZTI_SZ_HIGH_RAW) {
        parts->raw = zti_get_bytes(&c, raw_bytes);
        return parts->raw ? c.at : NULL;
    }
    const bool is_coded = parts->first & ZTI_SZ_HIGH_CODED;
    const bool has_extras = parts->first & ZTI_SZ_HIGH_HAS_EXTRAS;
    if ((parts->first & ZTI_SZ_HIGH_KIND) > ZTI_SZ_HIGH_CODED || parts->first > 31 ||
        (parts->first & (ZTI_SZ_HIGH_HAS_EXTRAS | ZTI_SZ_HIGH_HAS_MANY) && !is_coded))
        return NULL;
    const uint64_t bytes = is_coded ? zti_get_varint(&c) : 0;
    const uint8_t *const coded = zti_get_bytes(&c, bytes);
    if (c.is_bad || bytes > raw_bytes)
        return NULL;
    struct zti_cursor in = {coded, coded + bytes, false};
    parts->extra_bytes = has_extras ? zti_get_varint(&in) : 0;
    parts->extras = zti_get_bytes(&in, parts->extra_bytes);
    if (in.is_bad)
        return NULL;
    parts->codes = in.at;
    parts->code_bytes = zti_cursor_left(&in);
    if (parts->first & ZTI_SZ_HIGH_HAS_EXACT) {
        const uint32_t exact_bytes = zti_get_u32(&c);
        parts->exact = zti_get_bytes(&c, exact_bytes);
        parts->exact_end = c.at;
    }
    return c.is_bad ? NULL : c.at;
}

/* ---- a stream's head for kernels: models and the coarse grid --------------------------------- */

/* Offsets in bytes of: the number of each context's model (at 0); the tables of all models, as in
 * zti_ans_model; the symbols that each context has; and the coarse grid, integers, then
 * magnitudes. */
enum {
    ZTI_SZ_HIGH_STATES = 4096, /* of a model: ZTI_ANS_STATES */
    ZTI_SZ_HIGH_TABLES_AT = 64,
    ZTI_SZ_HIGH_STEPS_AT = ZTI_SZ_HIGH_TABLES_AT + 4 * ZTI_SZ_HIGH_MODELS * ZTI_SZ_HIGH_STATES,
    ZTI_SZ_HIGH_NEXT_AT = ZTI_SZ_HIGH_STEPS_AT + 8 * ZTI_SZ_HIGH_MODELS * ZTI_SZ_HIGH_ALPHABET,
    ZTI_SZ_HIGH_HAS_AT = ZTI_SZ_HIGH_NEXT_AT + 2 * ZTI_SZ_HIGH_MODELS * ZTI_SZ_HIGH_STATES,
    ZTI_SZ_HIGH_COARSE_AT = ZTI_SZ_HIGH_HAS_AT + ZTI_SZ_HIGH_CONTEXTS * ZTI_SZ_HIGH_ALPHABET
};

#ifdef __cplusplus
extern "C" {
#endif

/* The number of these bytes, for a coding whose coarse grid is not too large; and writing them to
 * memory aligned to 8 bytes. */
uint64_t zti_sz_high_model_bytes(const struct zti_coding *coding);
void zti_sz_high_store_model(const struct zti_coding *coding, void *memory);

/* The number of models of a coding that is ready. */
uint32_t zti_sz_high_models(const struct zti_coding *coding);

/* Units from the centre up to which a value keeps the bound without a check. */
double zti_sz_high_farthest(const struct zti_coding *coding);

/* Points of the largest tile's box. */
size_t zti_sz_high_points(const struct zti_coding *coding);

/* Add counts of kernels, of each symbol in each context but that of anchors, to a tally of
 * ZTI_SZ_HIGH_COUNT_PASS. */
enum { ZTI_SZ_HIGH_COUNTERS = ZTI_SZ_HIGH_ANCHOR * ZTI_SZ_HIGH_ALPHABET };
void zti_sz_high_add_counts(const struct zti_coding *coding, const uint64_t *counts, void *tally);

#ifdef __cplusplus
}
#endif

/* ---- integers and values --------------------------------------------------------------------- */

/* A floating-point value in units from the centre. per is 1 / step. */
ZTI_INLINE double zti_sz_high_units(double v, double per, double centre)
{
    return v * per - centre;
}

/* Whether a number, rounded to the type, keeps the bound. */
ZTI_INLINE bool zti_sz_high_is_near(double v, double number, double bound)
{
    return fabs(v - number) <= bound;
}

#endif
