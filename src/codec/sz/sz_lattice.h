/* sz_lattice.h: kernel text: numbers of one floating-point type to multiples of a step and back.
 * The includer defines
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
static inline bool NAME(nearest)(const struct zti_sz *sz, scalar x, double limit, int64_t *q)
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

/* 64 values; false where not all of them are within 2^30 steps and, at the first trial, within the
 * bound. Adding 3 * 2^51 rounds to an integer, half to even, and leaves it in the low bits. */
ZTI_INLINE bool NAME(quantize_64)(const struct zti_sz *sz, const scalar *x, uint32_t *q)
{
    const double magic = 0x1.8p52, r = 1 / sz->step, step = sz->step, bound = sz->bound;
    uint64_t bad = 0;
    for (uint32_t i = 0; i < 64; i++) {
        const double v = (double)x[i], t = v * r, sum = t + magic;
        const scalar y = (scalar)((sum - magic) * step);
        q[i] = (uint32_t)zti_bits_of_double(sum);
        bad |= (uint64_t)!(fabs(t) < 0x1p30) | (uint64_t)!(fabs(v - (double)y) <= bound);
    }
    return bad == 0;
}

ZTI_INLINE void NAME(dequantize_64)(double step, const uint32_t *q, scalar *x)
{
    for (uint32_t i = 0; i < 64; i++)
        x[i] = (scalar)((double)(int32_t)q[i] * step);
}

/* n values of 64-bit integers. */
ZTI_INLINE void NAME(quantize_wide)(const struct zti_sz *sz, const scalar *x, uint32_t n,
                                    uint64_t *q, struct exact *exact)
{
    exact->count = 0;
    memset(exact->bits, 0, sizeof exact->bits);
    for (uint32_t i = 0; i < n; i++) {
        int64_t one = 0;
        if (!NAME(nearest)(sz, x[i], 0x1p62, &one)) {
            exact->bits[i / 64] |= UINT64_C(1) << i % 64;
            exact->count++;
        }
        q[i] = (uint64_t)one;
    }
}

/* n values of 32-bit integers; false where a finite value of doubles needs more. x and q are
 * readable and writable to the end of the last group. */
static bool NAME(quantize)(const struct zti_sz *sz, const scalar *x, uint32_t n, uint32_t *q,
                           struct exact *exact)
{
    exact->count = 0;
    memset(exact->bits, 0, sizeof exact->bits);
    for (uint32_t first = 0; first < n; first += 64) {
        if (first + 64 <= n && NAME(quantize_64)(sz, x + first, q + first))
            continue;
        for (uint32_t i = first; i < first + 64 && i < n; i++) {
            int64_t one = 0;
            if (!NAME(nearest)(sz, x[i], 0x1p30, &one)) {
                if (sizeof(scalar) == 8 && fabs((double)x[i] * (1 / sz->step)) < 0x1p62 &&
                    !(fabs((double)x[i] * (1 / sz->step)) < 0x1p30))
                    return false;
                exact->bits[i / 64] |= UINT64_C(1) << i % 64;
                exact->count++;
            }
            q[i] = (uint32_t)one;
        }
    }
    return true;
}

static void NAME(dequantize)(double step, const uint32_t *q, uint32_t n, scalar *x)
{
    for (uint32_t first = 0; first < n; first += 64)
        NAME(dequantize_64)(step, q + first, x + first);
}

ZTI_INLINE void NAME(dequantize_wide)(double step, const uint64_t *q, uint32_t n, scalar *x)
{
    for (uint32_t i = 0; i < n; i++)
        x[i] = (scalar)((double)(int64_t)q[i] * step);
}
