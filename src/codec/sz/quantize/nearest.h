/* nearest.h: text for the CPU and for kernels: a number of one floating-point type to the
 * multiple of a step that is nearest. The includer defines
 *   scalar      float or double
 *   word        uint32_t or uint64_t: as wide
 *   NAME(x)     x with this instance's suffix
 *
 * What is accepted is within the bound in exact arithmetic. y = q * step is what the decoder makes
 * of q, so only x - y matters. Where x and y are within a factor of two of each other, or y is 0,
 * the difference is exact. Else |q| is 1 (more would be off by more than a step), and it is 1 only
 * where |x| / step came out above one half; two roundings of 2^-53 do not bring |x| there from a
 * place where |x - y|, rounded, hides that it is above the bound. */

/* The number of an integer. */
ZTI_INLINE scalar NAME(multiple_of)(double q, double step)
{
    return (scalar)(q * step);
}

/* The integer for one value: the nearest multiple, or one beside it where the quotient was rounded
 * to the wrong side; false where none keeps the bound. */
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

/* What values are compared with: by magnitude, as integers, which NaN and infinities are above.
 * Both are a little less than what decides about a value (nearest), so that the rounding of x - y
 * does not matter; what is in between goes the slow way to the same result. */
struct NAME(limits) {
    word reach; /* of values within 2^29 steps */
    word error; /* a little below the bound; 0 where that cannot be said */
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

/* In floats alone, a multiple k of a value x, of which it is sure that it is the nearest and within
 * the bound: |x - k step| + |x| 2^-22 <= sure. What comes out for k does not matter, only how much
 * x - k step may be off: a step rounded to a float (2^-24 of k step), the product rounded (as much,
 * none if fused), and k step as a float, which the decoder makes of it (as much). From |k| = 2 on
 * |x| is at least 3/4 of k step, so that |x| 2^-22 is as much as all three; the difference between
 * that and what 'sure' is below half a step, 2^-20 steps, is enough for |k| = 1 and what the sums
 * are rounded by. Beyond 2^21 steps nothing is sure, so k is exact. */
ZTI_STATIC word NAME(sure_of)(const struct zti_sz *sz, word limit)
{
    scalar error;
    memcpy(&error, &limit, sizeof error);
    const double most = fmin(sz->step / 2, (double)error) - 0x1p-20 * sz->step;
    const bool is_usual = sz->step > 0x1p-100 && sz->step < 0x1p100 && most > 0;
    return sizeof(scalar) == 4 && is_usual ? NAME(magnitude)((scalar)(most * (1 - 0x1p-23))) : 0;
}

/* What a value is coded with. */
struct NAME(lattice) {
    double step, r; /* and 1 / step */
    struct {
        scalar step, r;
    } rounded; /* the same, where sure is not 0 */
    word sure; /* what is computed in floats is, up to this; 0: do not (sure_of) */
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

/* The integer of a value within the limits, r = 1 / step, and by how much it is off. */
ZTI_INLINE uint32_t NAME(at_once)(scalar x, double step, double r, word *off)
{
    const double sum = ZTI_SZ_NEAREST_SUM((double)x, r);
    const scalar y = (scalar)ZTI_SZ_OF_SUM(sum, step);
    *off = NAME(magnitude)((scalar)(x - y));
    return (uint32_t)zti_bits_of_double(sum);
}
