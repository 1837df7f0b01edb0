/* spec.h: the rules of the transform coder: levels and bands of a tile, blocks of a band, the
 * lifting steps' weights, symbols of magnitudes, and contexts. docs/format/sz.md, effort 5, has
 * them in words. */
#ifndef ZTI_SZ_TRANSFORM_SPEC_H
#define ZTI_SZ_TRANSFORM_SPEC_H

#include "codec/sz/spec.h"

enum {
    ZTI_TF_VALUES = 1 << 23, /* of a tile, at most */
    ZTI_TF_AXES = 4,         /* a tile has four axes, the first ones of one value */
    ZTI_TF_LANES = 8,        /* blocks that are coded side by side, at most */
    ZTI_TF_BEFORE = 2,       /* cells before a block along an axis, and behind it */
    ZTI_TF_BEHIND = 1,
    ZTI_TF_OCTAVES = 8, /* of bands, each with centroids of its own */
    ZTI_TF_CENTROIDS = 3,
    ZTI_TF_CENTROID_BITS = 6,
    ZTI_TF_CENTROID_PARTS = 64,  /* of a step: what centroids count */
    ZTI_TF_CENTROID_NONE = 32,   /* magnitudes are decoded as they are */
    ZTI_TF_SHIFT_BITS = 5,       /* of how many bits contexts leave out */
    ZTI_TF_STEP_PARTS = 16,      /* the quantizer's step is in 16ths of the stream's */
    ZTI_TF_STEP_BITS = 6,        /* of their number less 1 */
    ZTI_TF_PARTS_BITS = 4,       /* of how a tile is cut into parts */
    ZTI_TF_MAGNITUDE_BITS = 12,  /* of magnitudes in contexts, at most */
    ZTI_TF_PLAIN_MAGNITUDES = 16 /* symbols that are the magnitude itself */
};

/* How an axis takes part in the transform. */
enum zti_tf_axis {
    ZTI_TF_KEPT = 0,  /* not at all */
    ZTI_TF_JOINT = 1, /* a level at a time, in turns with the other joint axes */
    ZTI_TF_FIRST = 2  /* all of its levels before the joint ones */
};

/* The transform of a tile. */
struct zti_tf_way {
    uint8_t axis[ZTI_TF_AXES]; /* zti_tf_axis */
    uint8_t least_code;        /* shorter lines than tf_least are not cut */
};

enum { ZTI_TF_LEAST_CODES = 4 };

ZTI_STATIC uint32_t tf_least(const struct zti_tf_way *way)
{
    return 2u << way->least_code;
}

/* ---- levels and bands -------------------------------------------------------------------------
 * A level cuts a line of n values into (n + 1) / 2 low ones, which come first, and n / 2 high
 * ones. */

/* How much a basis function of a level weighs, for a low coefficient and for a high one: about the
 * norms of those of the filters below. */
#define ZTI_TF_LOW  0x1.6a09e667f3bcdp+0 /* the root of 2 */
#define ZTI_TF_HIGH 0.77

/* A level along an axis, on the corner of the tile with these extents. */
struct zti_tf_level {
    uint32_t axis;
    uint32_t extent[ZTI_TF_AXES];
};

/* Coefficients of one level along each axis: a box of the tile. */
struct zti_tf_band {
    uint32_t origin[ZTI_TF_AXES], extent[ZTI_TF_AXES];
    uint32_t levels[ZTI_TF_AXES]; /* of lifting behind it, along each axis */
    bool is_high[ZTI_TF_AXES];    /* it has the last level's high coefficients, else the low ones */
    double gain;                  /* the product of the weights */
    uint32_t octave;              /* whose centroids it has: 0 for the finest bands */
};

/* Levels of all axes: log2 of the values, and one for each axis as halves are rounded up. */
enum { ZTI_TF_LEVELS = 32 };

/* How many levels a line of n values has. */
ZTI_STATIC uint32_t tf_levels(uint32_t n, uint32_t least)
{
    uint32_t levels = 0;
    for (; n >= least; n = (n + 1) / 2)
        levels++;
    return levels;
}

/* ---- lifting ----------------------------------------------------------------------------------
 * Interpolation of Deslauriers and Dubuc: a high value less the cubic or quintic through its
 * neighbours among the low ones; a low value plus half of what interpolates the high ones there.
 * Lines are mirrored at their first and last value. */

#define ZTI_TF_PREDICT(type, a3, a2, a1, b1, b2, b3)                                               \
    ((type)(150.0 / 256) * ((a1) + (b1)) - (type)(25.0 / 256) * ((a2) + (b2)) +                    \
     (type)(3.0 / 256) * ((a3) + (b3)))
#define ZTI_TF_UPDATE(type, a2, a1, b1, b2)                                                        \
    ((type)(9.0 / 32) * ((a1) + (b1)) - (type)(1.0 / 32) * ((a2) + (b2)))

/* Place k of a line of n >= 2 values that is mirrored at both ends. */
ZTI_STATIC uint32_t tf_mirror(int64_t k, uint32_t n)
{
    const int64_t period = 2 * ((int64_t)n - 1);
    k = (k % period + period) % period;
    return (uint32_t)(k < (int64_t)n ? k : period - k);
}

/* ---- blocks -----------------------------------------------------------------------------------
 * A band is cut into blocks of about equal lengths. Neighbours come from the same block only; in a
 * part of several runs of blocks, to the sum of a block's first place is added the last magnitude
 * of the run before. */

ZTI_STATIC uint32_t tf_block_axes(const uint32_t *extent)
{
    uint32_t axes = 0;
    for (uint32_t i = 0; i < ZTI_TF_AXES; i++)
        axes += extent[i] > 1;
    return axes;
}

enum { ZTI_TF_LONGEST_ROW = 4096 };

/* How long blocks are at most along an axis, in a band with so many axes of more than one value. */
ZTI_STATIC uint32_t tf_most_side(uint32_t axes)
{
    return axes < 2 ? (uint32_t)ZTI_TF_LONGEST_ROW : axes == 2 ? 64 : axes == 3 ? 32 : 16;
}

ZTI_STATIC uint32_t tf_block_side(uint32_t n, uint32_t axes)
{
    const uint32_t most = tf_most_side(axes);
    const uint32_t parts = (n + most - 1) / most;
    return (n + parts - 1) / parts;
}

/* ---- parts ------------------------------------------------------------------------------------
 * A part has codes and open bits of its own, so that it is decoded without others. A tile says in
 * which of several ways it is cut into parts. Way 0: each block of ZTI_TF_ALONE_VALUES and more is
 * a part. Other blocks, and all blocks in other ways, are taken run by run until they have
 * tf_part_values, or a block that is a part follows; these are a part. */

enum {
    ZTI_TF_ALONE_VALUES = 1 << 11, /* of a block that is a part, at least */
    ZTI_TF_PART_VALUES = 1 << 15,  /* of other parts in ways 0 and 1; each further way doubles it */
    ZTI_TF_PARTS_WAYS = 10
};

ZTI_STATIC uint32_t tf_part_values(uint32_t parts_way)
{
    return (uint32_t)ZTI_TF_PART_VALUES << (parts_way > 0 ? parts_way - 1 : 0);
}

/* Values of a chunk of corrections, in C order. */
ZTI_STATIC uint32_t tf_chunk_values(uint32_t parts_way)
{
    return 2 * tf_part_values(parts_way);
}

/* ---- symbols of magnitudes --------------------------------------------------------------------
 * Magnitudes below 16 are symbols; then each doubling has four, which leave the lower bits open. */

/* The symbol of a magnitude of 16 and more; the bits are those of a floating-point number. */
#define ZTI_TF_OPEN_SYMBOL(bits, mantissa_bits, bias)                                              \
    (((bits) >> ((mantissa_bits)-2)) - (4 * ((bias) + 4) - ZTI_TF_PLAIN_MAGNITUDES))

/* m is an integer below 2^53, the bits those of a floating-point number m. */
#define ZTI_TF_SYMBOL(m, bits, mantissa_bits, bias)                                                \
    ((m) < (int)ZTI_TF_PLAIN_MAGNITUDES ? (uint32_t)(int32_t)(m)                                   \
                                        : (uint32_t)ZTI_TF_OPEN_SYMBOL(bits, mantissa_bits, bias))

ZTI_INLINE uint32_t tf_symbol(double m)
{
    return ZTI_TF_SYMBOL(m, zti_bits_of_double(m), 52, 1023);
}

enum { ZTI_TF_SYMBOLS = 16 + 4 * 49 };

/* Bits that a symbol of 16 and more leaves open. */
#define ZTI_TF_OPEN_BITS(symbol) (((symbol)-ZTI_TF_PLAIN_MAGNITUDES / 2) >> 2)

/* Bits that a symbol leaves open, and the least magnitude that has it. */
ZTI_INLINE uint32_t tf_open_bits(uint32_t symbol)
{
    return symbol < ZTI_TF_PLAIN_MAGNITUDES ? 0 : ZTI_TF_OPEN_BITS(symbol);
}

ZTI_INLINE uint64_t tf_least_magnitude(uint32_t symbol)
{
    return symbol < ZTI_TF_PLAIN_MAGNITUDES ? symbol
                                            : (uint64_t)(4 + symbol % 4) << tf_open_bits(symbol);
}

/* The bits of the middle of all magnitudes, from 16 on, that have the symbol of one of them: the
 * two bits behind its leading one are the symbol's, the next one is set, and no others are. */
#define ZTI_TF_MIDDLE(bits, mantissa_bits)                                                         \
    (((bits) >> ((mantissa_bits)-2) << 1 | 1) << ((mantissa_bits)-3))

/* ---- contexts ---------------------------------------------------------------------------------
 * The weighted mean of the magnitudes of neighbours in the block that are coded before: one and two
 * steps back along each axis, and diagonally in each plane. Weights add up to 156, or 96 along one
 * axis. */

struct zti_tf_tap {
    int8_t step[ZTI_TF_AXES];
    uint32_t weight;
};

enum { ZTI_TF_TAPS = 2 * ZTI_TF_AXES + ZTI_TF_AXES * (ZTI_TF_AXES - 1) };

/* The taps of a block; returns how many. Those in the row itself come last. */
ZTI_STATIC uint32_t tf_taps(const uint32_t *extent, struct zti_tf_tap *tap)
{
    const uint32_t axes = tf_block_axes(extent);
    const uint32_t diagonal = axes == 2 ? 30 : axes == 3 ? 10 : 5;
    uint32_t n = 0;
    memset(tap, 0, ZTI_TF_TAPS * sizeof *tap);
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        for (uint32_t b = a + 1; b < ZTI_TF_AXES; b++) {
            if (extent[a] == 1 || extent[b] == 1)
                continue;
            for (int8_t side = -1; side <= 1; side = (int8_t)(side + 2), n++) {
                tap[n].step[a] = -1;
                tap[n].step[b] = side;
                tap[n].weight = diagonal;
            }
        }
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        for (int8_t back = 1; back <= 2 && extent[a] > 1; back++, n++) {
            tap[n].step[a] = (int8_t)-back;
            tap[n].weight = (back == 1 ? 72 : 24) / axes;
        }
    return n;
}

/* A sum of weighted magnitudes, with the weights of those that are there, as a context: a number
 * with two bits behind its leading one. */
#define ZTI_TF_SCALE(weights) (10650u / (weights))

enum { ZTI_TF_MAGNITUDE_CONTEXTS = 4 * 15 };

/* The same, as fits one value after the other: numbers below 2^24 are exact. */
ZTI_INLINE uint32_t tf_context_of_one(uint32_t sum, uint32_t scale)
{
    const uint32_t v = (sum * scale >> 8) + 8, bits = 31 - (uint32_t)__builtin_clz(v);
    return (v >> (bits - 2)) + 4 * bits - 4 * 4;
}

ZTI_INLINE uint32_t tf_context(uint32_t sum, uint32_t scale)
{
    const float v = (float)(int32_t)((sum * scale >> 8) + 8);
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (bits >> 21) - 4 * (127 + 3);
}

/* ---- segments ---------------------------------------------------------------------------------
 * A row of 8 values and more consists of segments of 32; the last one may be shorter. A symbol
 * before each says whether it has a magnitude other than 0. */

enum {
    ZTI_TF_SEGMENT = 32,
    ZTI_TF_LEAST_ROW = 8,
    ZTI_TF_SEGMENT_CONTEXTS = 16,
    ZTI_TF_CONTEXTS = ZTI_TF_MAGNITUDE_CONTEXTS + ZTI_TF_SEGMENT_CONTEXTS
};

/* How many values from place 'at' of a row of n are in the same segment. */
ZTI_INLINE uint32_t tf_segment(uint32_t n, uint32_t at)
{
    return n < ZTI_TF_LEAST_ROW || n - at < ZTI_TF_SEGMENT ? n - at : (uint32_t)ZTI_TF_SEGMENT;
}

/* The context of the symbol before a segment, by the sum of weighted magnitudes: those of other
 * rows over all its places, and those before it in the row. */
ZTI_STATIC uint32_t tf_segment_context(uint32_t sum)
{
    const uint32_t level = zti_bit_length64(sum), most = ZTI_TF_SEGMENT_CONTEXTS - 1;
    return ZTI_TF_MAGNITUDE_CONTEXTS + (level < most ? level : most);
}

/* ---- values -----------------------------------------------------------------------------------
 * A coefficient c of a band is sign(c) times floor(|c| gain / step + 0.43) steps; and is taken to
 * be a centroid's part of a step away from that. */

#define ZTI_TF_ROUNDING 0.43

/* Magnitudes below this one have symbols. */
#define ZTI_TF_MOST_MAGNITUDE 0x1p52

/* Those below this one are counted for centroids, by how many of these parts of a step they are off
 * their multiple. */
enum { ZTI_TF_COUNTED = 1 << 16, ZTI_TF_OFF_PARTS = 1 << 16 };

/* Centroid number k as a part of a step. */
#define ZTI_TF_CENTROID(k) (((double)(k) - (int)ZTI_TF_CENTROID_NONE) / (int)ZTI_TF_CENTROID_PARTS)

#endif
