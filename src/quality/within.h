/* within.h: whether a float is within a bound of another, exactly: functions for the CPU and for
 * kernels. */
#ifndef ZTI_QUALITY_WITHIN_H
#define ZTI_QUALITY_WITHIN_H

#include "core/core.h"

#include <math.h>

/* The value of a float that is given as its bits. */
ZTI_INLINE double zti_float_from_bits(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float v;
    memcpy(&v, &low, sizeof v);
    return (double)v;
}

/* The difference of two finite values rounded to nearest, and what the rounding left out (exact
 * but where the difference overflows; D. Knuth's two-sum). */
ZTI_STATIC double zti_difference(double a, double b, double *rest)
{
    const double d = a - b;
    const double part = d - a;
    *rest = (a - (d - part)) - (b + part);
    return d;
}

/* Whether |a - b| <= bound exactly. Rounding is monotonic, so a rounded difference below or above
 * the bound settles it; only one that equals the bound needs the rest. */
ZTI_STATIC bool zti_doubles_within(double a, double b, double bound)
{
    double rest;
    const double d = zti_difference(a, b, &rest);
    if (fabs(d) != bound)
        return fabs(d) < bound;
    return isfinite(d) && (d > 0 ? rest <= 0 : rest >= 0);
}

/* zti_within, of floats. */
ZTI_STATIC bool zti_floats_within(uint32_t type, uint64_t original, uint64_t reconstructed,
                                  double bound)
{
    if (original == reconstructed)
        return true;
    return type == ZT_F32 ? zti_doubles_within(zti_float_from_bits(original),
                                               zti_float_from_bits(reconstructed), bound)
                          : zti_doubles_within(zti_double_from_bits(original),
                                               zti_double_from_bits(reconstructed), bound);
}

#endif
