/* corrections.h: the rules of corrections, for the CPU and for kernels: what a value needs that the
 * transform leaves beyond the bound, and its symbols. correct.h has the format. */
#ifndef ZTI_SZ_TRANSFORM_CORRECTIONS_H
#define ZTI_SZ_TRANSFORM_CORRECTIONS_H

#include "codec/sz/transform/spec.h"
#include "quality/within.h"

#include <math.h>
#include <stdlib.h>

/* The correction of a value that is decoded beyond the bound. The low 23 bits: the value's place in
 * the tile, in C order; the upper 9: what is added to it, in steps, or 0 if the value is stored as
 * it is. */
typedef uint32_t zti_tf_correction;

enum { ZTI_TF_PLACE_BITS = 23, ZTI_TF_MOST_STEPS = 255 };

_Static_assert((int)ZTI_TF_VALUES <= 1 << ZTI_TF_PLACE_BITS, "places of corrections have room");

ZTI_STATIC uint32_t tf_place_of(zti_tf_correction c)
{
    return c & ((UINT32_C(1) << ZTI_TF_PLACE_BITS) - 1);
}

ZTI_STATIC int32_t tf_steps_of(zti_tf_correction c)
{
    return (int32_t)c >> ZTI_TF_PLACE_BITS;
}

ZTI_STATIC zti_tf_correction tf_correction_of(uint32_t place, int32_t steps)
{
    return place | (uint32_t)steps << ZTI_TF_PLACE_BITS;
}

/* Models of corrections: gaps between them, and steps. At most 1 in 4 values has one; of a chunk, 1
 * in 2. */
enum {
    ZTI_TF_GAP,
    ZTI_TF_STEPS,
    ZTI_TF_CORRECTION_MODELS,
    ZTI_TF_CORRECTED_PART = 4,
    ZTI_TF_CHUNK_CORRECTED_PART = 2
};

/* ---- a value ---- */

/* A value of the type, as its bits. */
ZTI_STATIC uint64_t tf_bits_of_number(uint32_t type, double v)
{
    const float narrow = (float)v;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return type == ZT_F32 ? bits : zti_bits_of_double(v);
}

ZTI_STATIC double tf_number_of(uint32_t type, uint64_t bits)
{
    return type == ZT_F32 ? zti_float_from_bits(bits) : zti_double_from_bits(bits);
}

/* A value that is farther off than this many bounds is beyond its bound, however it is rounded. */
#define ZTI_TF_UNSURE 1.001

/* A little less than the bound, so that rounding does not matter. */
ZTI_STATIC double tf_sure_bound(double bound)
{
    return bound * (1 - 0x1p-40);
}

/* A quick look at a value that is decoded as v: whether it surely needs nothing. f32 has a limit of
 * its own: a little less than the sure bound, or below 0 where that is out of its range. A value
 * that passes may seem to be beyond the bound before it is rounded to the type. */
ZTI_STATIC float tf_sure_single(double sure)
{
    return sure >= 0x1p-100 && sure <= 0x1p100 ? (float)(sure * (1 - 0x1p-20)) : -1;
}

ZTI_INLINE bool tf_is_sure_single(float x, float v, float limit)
{
    return fabsf(x - v) <= limit;
}

ZTI_INLINE bool tf_is_sure_double(double x, double v, double sure)
{
    return fabs(x - v) <= sure;
}

/* A value as the stream's type has it: in narrow streams it is rounded. */
ZTI_STATIC double tf_rounded(bool is_narrow, double v)
{
    return is_narrow ? (double)(float)v : v;
}

/* Whether a value that is decoded as v is within the bound. */
ZTI_STATIC bool tf_is_within(uint32_t type, uint64_t original, double v, double bound)
{
    return zti_floats_within(type, original, tf_bits_of_number(type, v), bound);
}

/* Whether an exact value is within the bound. */
ZTI_STATIC bool tf_is_near_enough(uint32_t type, bool is_narrow, uint64_t original, double bound)
{
    return tf_is_within(type, original, tf_rounded(is_narrow, tf_number_of(type, original)), bound);
}

/* What a value that is decoded as v, and is not sure, needs: *steps, 0 for nothing; false: to be
 * stored exactly. */
ZTI_STATIC bool tf_find_correction(const struct zti_sz *sz, uint32_t type, bool is_narrow,
                                   uint64_t original, double v, int32_t *steps)
{
    const double bound = sz->bound, step = sz->step, x = tf_number_of(type, original);
    *steps = 0;
    if (fabs(x - v) <= bound * ZTI_TF_UNSURE && tf_is_within(type, original, v, bound))
        return true;
    const double k = rint((x - v) / step);
    if (!(fabs(k) <= (int)ZTI_TF_MOST_STEPS))
        return false;
    *steps = (int32_t)k;
    const double corrected = tf_rounded(is_narrow, v + k * step);
    const double decoded = tf_number_of(type, tf_bits_of_number(type, corrected));
    return k != 0 && (fabs(x - decoded) <= tf_sure_bound(bound) ||
                      tf_is_within(type, original, corrected, bound));
}

/* ---- its symbols ---- */

/* A correction as symbols, and what these leave open. */
struct zti_tf_pair {
    uint8_t gap, steps;
    uint32_t open_bits;
    uint64_t open;
};

/* before: the place of the correction before it in the chunk, or that before the chunk. */
ZTI_INLINE struct zti_tf_pair tf_pair_of(zti_tf_correction c, int64_t before)
{
    const int32_t by = tf_steps_of(c);
    const uint64_t gap = (uint64_t)((int64_t)tf_place_of(c) - before - 1);
    const uint64_t steps = (uint64_t)abs(by) - 1;
    const uint32_t g = tf_symbol((double)(int64_t)gap), s = tf_symbol((double)(int64_t)steps);
    const uint32_t gap_bits = tf_open_bits(g), bits = tf_open_bits(s);
    const uint64_t low_gap = gap & ((UINT64_C(1) << gap_bits) - 1);
    const uint64_t low_steps = steps & ((UINT64_C(1) << bits) - 1);
    struct zti_tf_pair pair;
    pair.gap = (uint8_t)g;
    pair.steps = (uint8_t)s;
    pair.open_bits = gap_bits + 1 + bits;
    pair.open = low_gap | ((uint64_t)(by < 0) | low_steps << 1) << gap_bits;
    return pair;
}

#endif
