/* integers.h: kernel text: quantize values of one floating-point type to integers, which are
 * multiples of a step, logarithms or keys; 64 at a time if all keep the bound at the first trial.
 * The includer defines
 *   scalar      float or double
 *   NAME(x)     x with this instance's suffix
 * and has included quantize/lattice.h, quantize/logarithms.h and quantize/keys.h. 'ten' has powers
 * of ten, for keys. */

/* The integer of one value; false if it must be stored exactly. */
ZTI_INLINE bool NAME(integer_of)(const struct zti_sz *sz, const struct zti_ll_power *ten, scalar x,
                                 double limit, int64_t *q)
{
    return sz->source == ZTI_SZ_LATTICE ? NAME(nearest)(sz, x, limit, q)
           : sz->source == ZTI_SZ_LOG   ? NAME(log_or_exact)(sz, x, q)
                                        : NAME(key_of)(sz, ten, x, q);
}

/* Quantize 64 values to 32-bit integers; false if one needs more care. */
ZTI_INLINE bool NAME(integers_64)(const struct zti_sz *sz, const struct NAME(lattice) * lattice,
                                  const scalar *x, uint32_t *q)
{
    return sz->source == ZTI_SZ_LATTICE    ? NAME(quantize_64)(lattice, x, q)
           : sz->source == ZTI_SZ_LOG      ? NAME(log_64)(sz, x, q)
           : sz->source == ZTI_SZ_DECIMALS ? NAME(decimals_64)(sz, x, q)
           : sz->source == ZTI_SZ_SHORT    ? NAME(shorts_64)(sz, x, q)
                                        : sz->source == ZTI_SZ_DIGITS && NAME(digits_64)(sz, x, q);
}

/* Quantize n values to 64-bit integers. */
static inline void NAME(quantize_wide)(const struct zti_sz *sz, const struct zti_ll_power *ten,
                                       const scalar *x, uint32_t n, uint64_t *q,
                                       struct exact *exact)
{
    begin_exact(exact);
    for (uint32_t i = 0; i < n; i++) {
        int64_t one = 0;
        if (!NAME(integer_of)(sz, ten, x[i], ZTI_SZ_WIDE_LIMIT, &one))
            note_exact(exact, i);
        q[i] = (uint64_t)one;
    }
}

/* Quantize n values to 32-bit integers; false if a finite double needs more bits. x and q are
 * readable and writable to the end of the last group. */
static bool NAME(quantize)(const struct zti_sz *sz, const struct zti_ll_power *ten, const scalar *x,
                           uint32_t n, uint32_t *q, struct exact *exact)
{
    const bool is_lattice = sz->source == ZTI_SZ_LATTICE;
    struct NAME(lattice) lattice = {.step = 0};
    begin_exact(exact);
    if (sz->source == ZTI_SZ_LOG)
        NAME(mark)(x, n, exact);
    if (is_lattice)
        lattice = NAME(lattice_of)(sz);
    for (uint32_t first = 0; first < n; first += 64) {
        if (first + 64 <= n && NAME(integers_64)(sz, &lattice, x + first, q + first))
            continue;
        for (uint32_t i = first; i < first + 64 && i < n; i++) {
            int64_t one = 0;
            const bool is_exact = !NAME(integer_of)(sz, ten, x[i], ZTI_SZ_NARROW_LIMIT, &one);
            if (is_lattice ? is_exact && NAME(is_for_wide)(sz, x[i])
                           : sizeof(scalar) == 8 && !is_narrow_log(one))
                return false;
            if (is_exact)
                note_exact(exact, i);
            q[i] = (uint32_t)one;
        }
    }
    return true;
}
