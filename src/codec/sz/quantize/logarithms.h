/* logarithms.h: kernel text: quantize values of one floating-point type to integer logarithms, for
 * a bound relative to each value, and dequantize them. quantize/logarithm.h has the functions for
 * one value, and the parameters of both texts. */
#include "codec/sz/quantize/logarithm.h"

/* Quantize 64 values; false if one fails the first trial. */
ZTI_INLINE bool NAME(log_64)(const struct zti_sz *sz, const scalar *x, uint32_t *q)
{
    const double fineness = (double)sz->fineness, inverse = 1 / fineness, bound = sz->bound;
    uint64_t bad = 0;
    for (uint32_t i = 0; i < 64; i++)
        bad |= (uint64_t)!NAME(log_at_once)(x[i], fineness, inverse, bound, &q[i]);
    return bad == 0;
}

/* Mark which of n values are zero, and which are negative. */
static void NAME(mark)(const scalar *x, uint32_t n, struct exact *exact)
{
    memset(exact->zero, 0, sizeof exact->zero);
    memset(exact->negative, 0, sizeof exact->negative);
    exact->has_zeros = false;
    for (uint32_t first = 0; first < n; first += 64) {
        const uint32_t count = n - first < 64 ? n - first : 64;
        uint64_t zero = 0, negative = 0;
        for (uint32_t i = 0; i < count; i++) {
            zero |= (uint64_t)(x[first + i] == 0) << i;
            negative |= (uint64_t)(signbit(x[first + i]) != 0) << i;
        }
        exact->zero[first / 64] = zero;
        exact->negative[first / 64] = negative;
        exact->has_zeros |= zero != 0;
    }
}

/* Apply zeros and signs to n values; x is writable to the end of the last group. */
static void NAME(apply_marks)(const struct exact *exact, uint32_t n, scalar *x)
{
    for (uint32_t first = 0; first < n; first += 64) {
        const uint64_t zero = exact->zero[first / 64], negative = exact->negative[first / 64];
        if (!(zero | negative))
            continue;
        for (uint32_t i = 0; i < 64; i++) {
            const scalar v = zero >> i & 1 ? 0 : x[first + i];
            x[first + i] = negative >> i & 1 ? -v : v;
        }
    }
}

static void NAME(numbers)(const struct zti_sz *sz, const struct exact *exact, const uint32_t *q,
                          uint32_t n, scalar *x)
{
    const double fineness = (double)sz->fineness, inverse = 1 / fineness;
    for (uint32_t first = 0; first < n; first += 64)
        for (uint32_t i = 0; i < 64; i++)
            x[first + i] = NAME(number)((double)(int32_t)q[first + i], fineness, inverse);
    NAME(apply_marks)(exact, n, x);
}

static inline void NAME(numbers_wide)(const struct zti_sz *sz, const struct exact *exact,
                                      const uint64_t *q, uint32_t n, scalar *x)
{
    for (uint32_t i = 0; i < n; i++)
        x[i] = NAME(wide_number)((int64_t)q[i], sz);
    NAME(apply_marks)(exact, n, x);
}
