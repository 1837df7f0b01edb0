/* lattice.h: kernel text: numbers of one floating-point type to multiples of a step and back, 64
 * at a time. The includer defines
 *   scalar      float or double
 *   word        uint32_t or uint64_t: as wide
 *   NAME(x)     x with this instance's suffix
 * and has included quantize/multiples.h. */

/* 64 values; false where not all of them are within the limits. */
ZTI_INLINE bool NAME(quantize_64)(const struct NAME(lattice) * l, const scalar *x, uint32_t *q)
{
    struct beyond beyond = {{0}, {0}};
    for (uint32_t i = 0; i < 64; i += V_LANES_32)
        store_line_32(NAME(multiples)(x + i, l, &beyond), q + i);
    return !is_beyond(&beyond);
}

ZTI_INLINE void NAME(dequantize_64)(double step, const uint32_t *q, scalar *x)
{
    for (uint32_t i = 0; i < 64; i++)
        x[i] = NAME(multiple_of)((double)(int32_t)q[i], step);
}

/* n values of 64-bit integers. */
ZTI_INLINE void NAME(quantize_wide)(const struct zti_sz *sz, const scalar *x, uint32_t n,
                                    uint64_t *q, struct exact *exact)
{
    exact->count = 0;
    memset(exact->bits, 0, sizeof exact->bits);
    for (uint32_t i = 0; i < n; i++) {
        int64_t one = 0;
        if (!NAME(nearest)(sz, x[i], ZTI_SZ_WIDE_LIMIT, &one)) {
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
    const struct NAME(lattice) lattice = NAME(lattice_of)(sz);
    exact->count = 0;
    memset(exact->bits, 0, sizeof exact->bits);
    for (uint32_t first = 0; first < n; first += 64) {
        if (first + 64 <= n && NAME(quantize_64)(&lattice, x + first, q + first))
            continue;
        for (uint32_t i = first; i < first + 64 && i < n; i++) {
            int64_t one = 0;
            if (!NAME(nearest)(sz, x[i], ZTI_SZ_NARROW_LIMIT, &one)) {
                if (NAME(is_for_wide)(sz, x[i]))
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
        x[i] = NAME(multiple_of)((double)(int64_t)q[i], step);
}
