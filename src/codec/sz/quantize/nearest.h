/* nearest.h: text for the CPU and for kernels: quantize a value of one floating-point type to the
 * nearest multiple of a step. The includer defines
 *   scalar      float or double
 *   word        uint32_t or uint64_t: as wide
 *   NAME(x)     x with this instance's suffix
 *
 * An accepted integer keeps the bound in exact arithmetic. The decoder computes y = q * step, so
 * only x - y matters. If x and y are within a factor of two of each other, or y is 0, the
 * difference is exact. Else |q| is 1 (a larger one would be off by more than a step), and so the
 * computed |x| / step is above one half. Its two roundings of 2^-53 are too small for an |x| for
 * which the rounded |x - y| is within the bound and the exact one is not. */

/* The number of an integer. */
ZTI_INLINE scalar NAME(multiple_of)(double q, double step)
{
    return (scalar)(q * step);
}

/* The integer for one value: that of the nearest multiple, or its neighbour if the quotient was
 * rounded to the wrong side; false if none keeps the bound. */
ZTI_STATIC bool NAME(nearest)(const struct zti_sz *sz, scalar x, double limit, int64_t *q)
{
    const double v = (double)x, t = rint(v * (1 / sz->step));
    if (!(fabs(t) < limit))
        return false;
    *q = (int64_t)t;
    scalar y = NAME(multiple_of)((double)*q, sz->step);
    if (fabs(v - (double)y) <= sz->bound)
        return true;
    *q += v > (double)y ? 1 : -1;
    y = NAME(multiple_of)((double)*q, sz->step);
    return fabs(v - (double)y) <= sz->bound;
}

/* Whether a value that has no narrow integer may have a wide one. */
ZTI_STATIC bool NAME(is_for_wide)(const struct zti_sz *sz, scalar x)
{
    const double steps = fabs((double)x * (1 / sz->step));
    return sizeof(scalar) == 8 && steps < ZTI_SZ_WIDE_LIMIT && !(steps < ZTI_SZ_NARROW_LIMIT);
}

/* ---- values at the first trial --------------------------------------------------------------- */

/* Limits with which magnitudes are compared as integers; NaN and infinities are above both. Both
 * are slightly below the limits of 'nearest', so that the rounding of x - y does not matter; a
 * value in between is given to 'nearest', with the same result. */
struct NAME(limits) {
    word reach; /* magnitude of 2^29 steps */
    word error; /* slightly below the bound; 0 if the type cannot express that */
};

ZTI_INLINE word NAME(magnitude)(scalar x)
{
    word bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & (word)-1 >> 1;
}

ZTI_STATIC struct NAME(limits) NAME(limits_of)(const struct zti_sz *sz)
{
    const double most = sizeof(scalar) == 4 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
    const scalar error = (scalar)fmin(sz->bound * (1 - 0x1p-20), most);
    const bool is_below = (double)error <= sz->bound * (1 - 0x1p-21); /* not if it is subnormal */
    const struct NAME(limits) limits = {NAME(magnitude)((scalar)fmin(0x1p29 * sz->step, most)),
                                        is_below ? NAME(magnitude)(error) : 0};
    return limits;
}

/* The limit 'sure' for proofs in float: a multiple k of step, computed in float, is the nearest to
 * x and keeps the bound if |x - k step| + e |x| <= sure. How k was computed does not matter, only
 * the error of x - k step. It has three parts: step is rounded to float (2^-24 of k step), the
 * product is rounded (the same; none if fused), and the decoder rounds k step to float (the same).
 * If |k| >= 2, |x| is at least 3/4 of k step, so e |x| covers them with e = 2^-22, or with 1.375 *
 * 2^-23 if fused. 'sure' is below half a step by 2^-20 steps, which covers the rounding of the
 * sums, and |k| = 1. Beyond 2^21 steps nothing is proved, so k is exact. */
ZTI_STATIC word NAME(sure_of)(const struct zti_sz *sz, word limit)
{
    scalar error;
    memcpy(&error, &limit, sizeof error);
    const double most = fmin(sz->step / 2, (double)error) - 0x1p-20 * sz->step;
    const bool is_usual = sz->step > 0x1p-100 && sz->step < 0x1p100 && most > 0;
    return sizeof(scalar) == 4 && is_usual ? NAME(magnitude)((scalar)(most * (1 - 0x1p-23))) : 0;
}

/* The constants with which values are quantized. */
struct NAME(lattice) {
    double step, r; /* and 1 / step */
    struct {
        scalar step, r;
    } rounded; /* the same as floats, if sure is not 0 */
    word sure; /* limit of proofs in float (sure_of); 0: none */
    struct NAME(limits) limits;
};

ZTI_STATIC struct NAME(lattice) NAME(lattice_of)(const struct zti_sz *sz)
{
    struct NAME(lattice) lattice = {sz->step, 1 / sz->step, {0, 0}, 0, NAME(limits_of)(sz)};
    lattice.sure = NAME(sure_of)(sz, lattice.limits.error);
    if (lattice.sure) {
        lattice.rounded.step = (scalar)lattice.step;
        lattice.rounded.r = (scalar)lattice.r;
    }
    return lattice;
}

/* The integer of a value within the limits, and its error *off; r = 1 / step. */
ZTI_INLINE uint32_t NAME(at_once)(scalar x, double step, double r, word *off)
{
    const double sum = ZTI_SZ_NEAREST_SUM((double)x, r);
    const scalar y = (scalar)ZTI_SZ_OF_SUM(sum, step);
    *off = NAME(magnitude)((scalar)(x - y));
    return (uint32_t)zti_bits_of_double(sum);
}
