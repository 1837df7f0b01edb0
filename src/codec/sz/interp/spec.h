/* spec.h: what the CPU's text and the kernels of effort 'high' have in common, written
 * once: shapes, what is predicted, contexts, symbols of residuals, what a tile consists of, and
 * values of integers. */
#ifndef ZTI_SZ_INTERP_SPEC_H
#define ZTI_SZ_INTERP_SPEC_H

#include "codec/sz/spec.h"
#include "core/wire.h"
#include "entropy/ans/mixed.h"

#include <math.h>

enum {
    ZTI_SZ_HIGH_VALUES = 1 << 18,       /* of a tile, at most */
    ZTI_SZ_HIGH_SMALL_VALUES = 1 << 16, /* of a small one */
    ZTI_SZ_HIGH_SEGMENT = 256,          /* values of a row that are predicted together */
    ZTI_SZ_HIGH_SHORT = 15,             /* values of a row that is joined with others, at most */
    ZTI_SZ_HIGH_LEVELS = 32,            /* of halving, at most */
    ZTI_SZ_HIGH_BANDS = 15,             /* of a level in four axes */
    ZTI_SZ_HIGH_DEPTHS = 4,             /* kinds of levels that contexts tell apart */
    ZTI_SZ_HIGH_MAGNITUDES = 12,        /* kinds of neighbourhoods */
    ZTI_SZ_HIGH_CONTEXTS = ZTI_SZ_HIGH_DEPTHS * ZTI_SZ_HIGH_MAGNITUDES + 1, /* and anchors */
    ZTI_SZ_HIGH_ANCHOR = ZTI_SZ_HIGH_CONTEXTS - 1,
    ZTI_SZ_HIGH_MODELS = 24, /* at most */
    ZTI_SZ_HIGH_ALPHABET = 256,
    ZTI_SZ_HIGH_DIRECT = 127,        /* folded residuals below have a symbol each */
    ZTI_SZ_HIGH_ESCAPE = 255,        /* any other integer, in 32 bits */
    ZTI_SZ_HIGH_MOST_MAGNITUDE = 63, /* magnitudes are cut there */
    ZTI_SZ_HIGH_LEAST_OPEN = 5,      /* bits of larger ones that symbols leave open, at least */
    ZTI_SZ_HIGH_RANGE = 1 << 26,     /* integers are below, in magnitude */
    ZTI_SZ_HIGH_REACH = 63           /* units in a step, where the range allows it; odd */
};

enum { /* passes over the values, in order */
       ZTI_SZ_HIGH_AXES_PASS,
       ZTI_SZ_HIGH_TUNING_PASS,
       ZTI_SZ_HIGH_COUNT_PASS,
       ZTI_SZ_HIGH_PASSES
};

/* sz.tuning: ways to predict, all of which are tried; and small tiles */
enum {
    ZTI_SZ_HIGH_LINEAR = 1,
    ZTI_SZ_HIGH_FINER = 2,
    ZTI_SZ_HIGH_WAYS = 4,
    ZTI_SZ_HIGH_SMALL = 4,
    ZTI_SZ_HIGH_TUNINGS = 8
};

_Static_assert((int)ZTI_SZ_HIGH_DIRECT == 2 * (int)ZTI_SZ_HIGH_MOST_MAGNITUDE + 1 &&
                   (int)ZTI_SZ_HIGH_MOST_MAGNITUDE + 1 == 2 << (int)ZTI_SZ_HIGH_LEAST_OPEN,
               "residuals that have a symbol each are those whose magnitudes are not cut");

/* ---- shapes ---------------------------------------------------------------------------------- */

ZTI_STATIC uint32_t zti_sz_high_axes_count(uint32_t axes)
{
    return (axes & 1) + (axes >> 1 & 1) + (axes >> 2 & 1) + (axes >> 3 & 1);
}

/* The coarse grid has every 2^n-th point along each of these axes: by their number 6, 4, 3, 2. */
ZTI_STATIC uint32_t zti_sz_high_distance(uint32_t axes)
{
    return 0x23460u >> 4 * zti_sz_high_axes_count(axes) & 15;
}

/* Units in a step, of level 1 and up: coarse levels can have finer ones, down to half. */
ZTI_STATIC uint32_t zti_sz_high_step(const struct zti_sz *sz, uint32_t level)
{
    const uint32_t part = level < 2 ? 256 : level == 2 ? 205 : level == 3 ? 164 : 128;
    if (!(sz->tuning & ZTI_SZ_HIGH_FINER))
        return sz->reach;
    return (uint32_t)((uint64_t)sz->reach * part >> 8) | 1;
}

/* Of a level from 1 up, for contexts. */
ZTI_STATIC uint32_t zti_sz_high_depth(uint32_t level)
{
    return level - 1 < ZTI_SZ_HIGH_DEPTHS ? level - 1 : (uint32_t)ZTI_SZ_HIGH_DEPTHS - 1;
}

/* Points along an axis of so many values of any unsigned type, of every 2^bits-th if it is halved.
 */
#define ZTI_SZ_HIGH_POINTS(extent, is_halved, bits)                                                \
    ((is_halved) ? (((extent)-1) >> (bits)) + 1 : (extent))

/* Points of a band along an axis of a level with so many; those of them that are a tile's own,
 * where the last point of the level is the next tile's. */
ZTI_STATIC uint32_t zti_sz_high_along(uint32_t dim, bool is_odd, bool is_halved)
{
    return is_odd ? dim / 2 : is_halved ? (dim + 1) / 2 : dim;
}

ZTI_STATIC uint32_t zti_sz_high_own_along(uint32_t along, bool is_odd, bool has_next)
{
    return along - (has_next && !is_odd ? 1 : 0);
}

/* Bands are named by the axes that their points are odd along, and coded in this order: along one
 * axis, two, three, four. The one of halved axes after another, or 0 after the last; at first after
 * 0. Four bits a band: all of them in order and 0, and the place of each. */
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

/* Whether the box of a tile, which has 'own' values along an axis of the 'rest' from its first on,
 * has the next tile's first ones too. */
ZTI_STATIC bool zti_sz_high_has_more(uint64_t own, uint64_t rest, bool is_halved)
{
    return is_halved && rest > own;
}

/* A tile, and the planes behind it that it predicts. */
struct zti_sz_box {
    /* of four axes, the last ones the array's */
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

/* ---- which tiles are counted, of which models are made --------------------------------------- */

enum { ZTI_SZ_HIGH_SAMPLES = 32 /* tiles that pieces are counted of, at least */ };

/* Whether quarters of tiles are counted instead of tiles. */
ZTI_STATIC bool zti_sz_high_is_in_pieces(const struct zti_grid *grid)
{
    return grid->count >= 2 * ZTI_SZ_HIGH_SAMPLES;
}

/* One tile in so many is counted; of many tiles, pieces of more of them. */
ZTI_STATIC uint64_t zti_sz_high_part(const struct zti_grid *grid)
{
    const uint64_t tiles = grid->count, samples = ZTI_SZ_HIGH_SAMPLES, most = 4;
    return tiles < samples                   ? 1
           : !zti_sz_high_is_in_pieces(grid) ? tiles / (samples / 2)
           : tiles < most * samples          ? tiles / samples
                                             : most;
}

/* Number i of those counted, one in each 'part' tiles; the last may be beyond the grid's. */
ZTI_STATIC uint64_t zti_sz_high_counted(uint64_t part, uint64_t i)
{
    return i * part + i * 5 % part;
}

/* A quarter of a tile, which is counted as if it were one: two axes are halved, the longest, where
 * that leaves some levels of interpolation; which half of each goes by the tile's number. */
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
        const bool is_halved = axes >> (axis - skip) & 1;
        const uint32_t step = is_halved ? apart : 1, half = own / 2 / step * step;
        if (half < 2 * step)
            break;
        const bool is_second = walk->tile * UINT64_C(0x9e3779b97f4a7c15) >> (63 - turn) & 1;
        for (uint32_t i = 0; i < 4; i++) { /* known places, which kernels have in registers */
            if (i != axis)
                continue;
            const bool has_more = box.dim[i] > own;
            box.origin[i] += is_second ? half : 0;
            box.own[i] = is_second ? own - half : half;
            box.dim[i] = box.own[i] + (is_second ? has_more : is_halved);
        }
    }
    box.values = box.points = 1;
    for (uint32_t i = 0; i < 4; i++) {
        box.values *= box.own[i];
        box.points *= box.dim[i];
    }
    return box;
}

/* What is counted of a tile. */
ZTI_STATIC struct zti_sz_box zti_sz_high_counted_box(const struct zti_grid *grid, uint32_t axes,
                                                     const struct zti_walk *walk)
{
    return zti_sz_high_is_in_pieces(grid) ? zti_sz_high_quarter(grid, axes, walk)
                                          : zti_sz_high_box(grid, axes, walk);
}

/* ---- prediction ------------------------------------------------------------------------------ */

/* What a point is predicted by along an axis that it is odd along, of the even points around it:
 * z, a, those that it lies between or behind, a and b, and c. */
enum zti_sz_high_stencil {
    ZTI_SZ_HIGH_CUBIC, /* all four */
    ZTI_SZ_HIGH_LEFT,  /* quadratic: z, a and b */
    ZTI_SZ_HIGH_RIGHT, /* quadratic: a, b and c */
    ZTI_SZ_HIGH_MIDWAY,
    ZTI_SZ_HIGH_BEYOND /* the line through z and a; a stands for z where there is none */
};

/* Whether all four points are there around the one behind number 'at' of so many even ones; and
 * what its stencil is. */
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

/* A point's prediction is the mean of those along the axes with a point on both sides. Where there
 * is none, it is the one along this axis of those it is odd along: the fastest, or the slowest. */
ZTI_INLINE bool zti_sz_high_is_beyond(uint32_t odd, uint32_t axis)
{
    return odd >> (ZT_MAX_RANK - 1) ? axis == ZT_MAX_RANK - 1 : (odd & ((1u << axis) - 1)) == 0;
}

#define V           uint32_t
#define OF(name)    zti_sz_high_##name
#define SHIFT(v, n) ((uint32_t)((int32_t)(v) >> (n)))
#define SIZE(v)     ((int32_t)(v) < 0 ? 0 - (v) : (v))
#define FROM(v, n)  (0 - (uint32_t)((v) >= (uint32_t)(n)))
#define HIGHEST(v)  (zti_bit_length64(v) - 1)
#include "codec/sz/interp/formulas.h"

/* ---- contexts -------------------------------------------------------------------------------- */

/* A point's context is the depth of its level and the kind of its neighbourhood: of a sum of
 * magnitudes in sixteenths, below 2^12. It has those of the points that it lies between: along each
 * of the 'axes' that it is odd along the one before and the one behind, for which the former stands
 * where there is none. And those of the points before it in its band along all axes but the
 * fastest, of which there are 'rows'. Sums are of a type whose factors are of type 'number'. */
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

/* Where there are no rows, four points at a time see the last two of the four before them: the
 * magnitudes of these, beside the sum between. The first four see none, and that sum twice. */
ZTI_STATIC uint32_t zti_sz_high_first_row(uint32_t between, bool is_first, uint32_t two)
{
    return is_first ? 2 * between : between + 16 * two;
}

/* Above so many sixteenths a neighbourhood is of the next kind. */
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

/* The nearest integer, of less than 2^51 in magnitude, modulo 2^32: adding 3 * 2^51 rounds. */
ZTI_INLINE int32_t zti_sz_high_rint(double v)
{
    const double sum = v + 0x1.8p52;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return (int32_t)(uint32_t)bits;
}

/* The nearest multiple of the step, an odd number, so that no quotient is midway and doubles are
 * exact enough; per is 1.0 / step. */
ZTI_INLINE int32_t zti_sz_high_nearest(int32_t d, double per)
{
    return zti_sz_high_rint((double)d * per);
}

/* The symbol of a residual, if its context has it; else it is the escape. */
ZTI_STATIC uint32_t zti_sz_high_symbol(int32_t q)
{
    const uint32_t v = (uint32_t)q, folded = zti_sz_high_fold(v);
    return folded < ZTI_SZ_HIGH_DIRECT ? folded : zti_sz_high_symbol_of(v, zti_sz_high_bits_of(v));
}

/* How many bits a symbol leaves open; what they are of a residual, of so many: the escape's are the
 * residual. */
ZTI_STATIC uint32_t zti_sz_high_open_bits(uint32_t symbol)
{
    return symbol == ZTI_SZ_HIGH_ESCAPE ? 32 : zti_sz_high_bits_in(symbol);
}

/* The bits of several symbols, one in each field of a word: 'each' has a 1 in each field of 8 bits
 * or more. From 127 on a symbol or the next one has bit 7 set; the escape, 255, has both. */
ZTI_STATIC uint32_t zti_sz_high_open_bits_of(uint32_t symbols, uint32_t each)
{
    const uint32_t next = (symbols & 127 * each) + each,
                   mask = ((next | symbols) >> 7 & each) * 255;
    const uint32_t sizes =
        (symbols & mask) -
        (mask & (uint32_t)(ZTI_SZ_HIGH_DIRECT - 4 * ZTI_SZ_HIGH_LEAST_OPEN) * each);
    return (sizes >> 2 & 31 * each) + 27 * ((next & symbols) >> 7 & each); /* 5, not 32 */
}

ZTI_STATIC uint32_t zti_sz_high_open(uint32_t bits, int32_t q)
{
    return bits == 32 ? (uint32_t)q : zti_sz_high_open_of((uint32_t)q, bits);
}

ZTI_STATIC int32_t zti_sz_high_residual(uint32_t symbol, uint32_t open)
{
    return (int32_t)(symbol == ZTI_SZ_HIGH_ESCAPE ? open : zti_sz_high_residual_of(symbol, open));
}

/* A residual's magnitude, as contexts see it; and by its symbol, but for the escape. */
ZTI_STATIC uint32_t zti_sz_high_cut(uint32_t size)
{
    return size < ZTI_SZ_HIGH_MOST_MAGNITUDE ? size : (uint32_t)ZTI_SZ_HIGH_MOST_MAGNITUDE;
}

ZTI_STATIC uint8_t zti_sz_high_magnitude(int32_t q)
{
    return (uint8_t)zti_sz_high_cut(q < 0 ? 0 - (uint32_t)q : (uint32_t)q);
}

#define ZTI_SZ_HIGH_MAGNITUDE_OF(symbol) (((symbol) + 1) >> 1)

/* ---- what a tile consists of ----------------------------------------------------------------- */

enum {
    ZTI_SZ_HIGH_ZERO = 0,
    ZTI_SZ_HIGH_CODED = 1,
    ZTI_SZ_HIGH_RAW = 3,
    ZTI_SZ_HIGH_KIND = 3,
    ZTI_SZ_HIGH_HAS_EXTRAS = 4,
    ZTI_SZ_HIGH_HAS_EXACT = 8,
    ZTI_SZ_HIGH_HAS_MANY = 16,    /* states: ZTI_ANS_MANY, or ZTI_ANS_FEW */
    ZTI_SZ_HIGH_MANY_FROM = 8192, /* symbols other than 0, where there are so many states */
    ZTI_SZ_HIGH_MARKS_MOST = 515  /* bytes of the marks of 4096 values, at most */
};

/* States of a tile's codes: by its symbols other than 0, and by its first byte. */
ZTI_STATIC uint32_t zti_sz_high_states(uint32_t others)
{
    return others < ZTI_SZ_HIGH_MANY_FROM ? ZTI_ANS_FEW : ZTI_ANS_MANY;
}

ZTI_STATIC uint32_t zti_sz_high_states_in(uint32_t first)
{
    return first & ZTI_SZ_HIGH_HAS_MANY ? ZTI_ANS_MANY : ZTI_ANS_FEW;
}

/* Write what is before a tile's sections, of such lengths: of so many values of so many bytes each,
 * 'exact' are kept as they are; 'others' of its symbols are not 0. Returns the place behind it. A
 * tile that would not be shorter than its values is raw. */
ZTI_STATIC uint8_t *zti_sz_high_put_front(uint8_t *to, uint64_t values, uint32_t value_bytes,
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
    const uint8_t *extras, *codes; /* extras are before codes */
    uint64_t extra_bytes, code_bytes;
    const uint8_t *exact, *exact_end, *raw;
};

/* Find what a tile consists of; returns its end, or NULL where it makes no sense. */
ZTI_STATIC const uint8_t *zti_sz_high_parts(uint64_t raw_bytes, const uint8_t *at,
                                            const uint8_t *end, struct zti_sz_parts *parts)
{
    struct zti_cursor c = {at, end, false};
    memset(parts, 0, sizeof *parts);
    parts->first = zti_take_byte(&c);
    if (parts->first == ZTI_SZ_HIGH_RAW) {
        parts->raw = zti_take_bytes(&c, raw_bytes);
        return parts->raw ? c.at : NULL;
    }
    const bool is_coded = parts->first & ZTI_SZ_HIGH_CODED;
    const bool has_extras = parts->first & ZTI_SZ_HIGH_HAS_EXTRAS;
    if ((parts->first & ZTI_SZ_HIGH_KIND) > ZTI_SZ_HIGH_CODED || parts->first > 31 ||
        (parts->first & (ZTI_SZ_HIGH_HAS_EXTRAS | ZTI_SZ_HIGH_HAS_MANY) && !is_coded))
        return NULL;
    const uint64_t bytes = is_coded ? zti_take_varint(&c) : 0;
    const uint8_t *const coded = zti_take_bytes(&c, bytes);
    if (c.is_bad || bytes > raw_bytes)
        return NULL;
    struct zti_cursor in = {coded, coded + bytes, false};
    parts->extra_bytes = has_extras ? zti_take_varint(&in) : 0;
    parts->extras = zti_take_bytes(&in, parts->extra_bytes);
    if (in.is_bad)
        return NULL;
    parts->codes = in.at;
    parts->code_bytes = zti_cursor_left(&in);
    if (parts->first & ZTI_SZ_HIGH_HAS_EXACT) {
        const uint32_t exact_bytes = zti_take_le32(&c);
        parts->exact = zti_take_bytes(&c, exact_bytes);
        parts->exact_end = c.at;
    }
    return c.is_bad ? NULL : c.at;
}

/* ---- what kernels are told of a stream's head: models and the coarse grid -------------------- */

/* Bytes: the number of each context's model; of all models the tables of zti_ans_model; the symbols
 * that a context has; and the coarse grid, integers and then magnitudes. */
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

/* How many bytes that is, of a coding whose coarse grid is not too large; and writing them, to
 * memory that is aligned to 8. */
uint64_t zti_sz_high_model_bytes(const struct zti_coding *coding);
void zti_sz_high_put_model(const struct zti_coding *coding, void *memory);

/* Of a coding that is ready. */
uint32_t zti_sz_high_models(const struct zti_coding *coding);

/* Units from the centre below which the bound of a value needs no look. */
double zti_sz_high_farthest(const struct zti_coding *coding);

/* Points of the largest tile's box. */
size_t zti_sz_high_points(const struct zti_coding *coding);

/* What kernels counted: of each context but that of anchors, each symbol. To a tally of
 * ZTI_SZ_HIGH_COUNT_PASS. */
enum { ZTI_SZ_HIGH_COUNTERS = ZTI_SZ_HIGH_ANCHOR * ZTI_SZ_HIGH_ALPHABET };
void zti_sz_high_add_counts(const struct zti_coding *coding, const uint64_t *counts, void *tally);

#ifdef __cplusplus
}
#endif

/* ---- integers and values --------------------------------------------------------------------- */

/* A floating-point number in units from the centre; whether it has an integer. per is 1 / step. */
ZTI_INLINE double zti_sz_high_units(double v, double per, double centre)
{
    return v * per - centre;
}

ZTI_INLINE bool zti_sz_high_has_integer(double units)
{
    return fabs(units) < 2 * (double)ZTI_SZ_HIGH_RANGE;
}

/* The number that an integer stands for, to be rounded to the type; whether it, then, will do. */
ZTI_INLINE double zti_sz_high_number(int32_t x, double centre, double step)
{
    return ((double)x + centre) * step;
}

ZTI_INLINE bool zti_sz_high_is_near(double v, double number, double bound)
{
    return fabs(v - number) <= bound;
}

/* The integer of a value of an integer type; the range of all is known to fit. And back: an encoder
 * leaves room at the ends of the range of 64 bits. */
ZTI_INLINE int32_t zti_sz_high_from_whole(int64_t v, int64_t centre)
{
    return (int32_t)(uint32_t)((uint64_t)v - (uint64_t)centre);
}

ZTI_INLINE int32_t zti_sz_high_whole_32(int32_t x, int64_t centre)
{
    const int64_t v = (int64_t)((uint64_t)x + (uint64_t)centre);
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
}

ZTI_INLINE int64_t zti_sz_high_whole_64(int32_t x, int64_t centre)
{
    return (int64_t)((uint64_t)x + (uint64_t)centre);
}

#endif
