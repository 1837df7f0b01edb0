/* sz_nearest.h: text for the CPU and for kernels: a number of one floating-point type to the
 * multiple of a step that is nearest. The includer defines
 *   scalar      float or double
 *   NAME(x)     x with this instance's suffix
 *
 * What is accepted is within the bound in exact arithmetic. y = q * step is what the decoder makes
 * of q, so only x - y matters. Where x and y are within a factor of two of each other, or y is 0,
 * the difference is exact. Else |q| is 1 (more would be off by more than a step), and it is 1 only
 * where |x| / step came out above one half; two roundings of 2^-53 do not bring |x| there from a
 * place where |x - y|, rounded, hides that it is above the bound. */

/* The integer for one value: the nearest multiple, or one beside it where the quotient was rounded
 * to the wrong side; false where none keeps the bound. */
ZTI_STATIC bool NAME(nearest)(const struct zti_sz *sz, scalar x, double limit, int64_t *q)
{
    const double v = (double)x, t = rint(v * (1 / sz->step));
    if (!(fabs(t) < limit))
        return false;
    *q = (int64_t)t;
    scalar y = (scalar)((double)*q * sz->step);
    if (fabs(v - (double)y) <= sz->bound)
        return true;
    *q += v > (double)y ? 1 : -1;
    y = (scalar)((double)*q * sz->step);
    return fabs(v - (double)y) <= sz->bound;
}
