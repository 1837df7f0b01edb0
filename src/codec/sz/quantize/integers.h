/* integers.h: kernel text: quantize values of one floating-point type to integers, which are
 * multiples of a step or logarithms; 64 at a time if all keep the bound at the first trial. The
 * includer defines
 *   scalar      float or double
 *   NAME(x)     x with this instance's suffix
 * and has included quantize/lattice.h and quantize/logarithms.h. */

/* The integer of one value; false if it must be stored exactly. */
ZTI_INLINE bool NAME(integer_of)(const struct zti_sz *sz, bool is_log, scalar x, double limit,
                                 int64_t *q)
{
    return is_log ? NAME(log_or_exact)(sz, x, q) : NAME(nearest)(sz, x, limit, q);
}

/* Quantize n values to 64-bit integers. */
static inline void NAME(quantize_wide)(const struct zti_sz *sz, bool is_log, const scalar *x,
                                       uint32_t n, uint64_t *q, struct exact *exact)
{
    begin_exact(exact);
    for (uint32_t i = 0; i < n; i++) {
        int64_t one = 0;
        if (!NAME(integer_of)(sz, is_log, x[i], ZTI_SZ_WIDE_LIMIT, &one))
            note_exact(exact, i);
        q[i] = (uint64_t)one;
    }
}

/* Quantize n values to 32-bit integers; false if a finite double needs more bits. x and q are
 * readable and writable to the end of the last group. */
static bool NAME(quantize)(const struct zti_sz *sz, bool is_log, const scalar *x, uint32_t n,
                           uint32_t *q, struct exact *exact)
{
    struct NAME(lattice) lattice = {.step = 0};
    begin_exact(exact);
    if (is_log)
        NAME(mark)(x, n, exact);
    else
        lattice = NAME(lattice_of)(sz);
    for (uint32_t first = 0; first < n; first += 64) {
        if (first + 64 <= n && (is_log ? NAME(log_64)(sz, x + first, q + first)
                                       : NAME(quantize_64)(&lattice, x + first, q + first)))
            continue;
        for (uint32_t i = first; i < first + 64 && i < n; i++) {
            int64_t one = 0;
            const bool is_exact = !NAME(integer_of)(sz, is_log, x[i], ZTI_SZ_NARROW_LIMIT, &one);
            if (is_log ? !is_narrow_log(one) : is_exact && NAME(is_for_wide)(sz, x[i]))
                return false;
            if (is_exact)
                note_exact(exact, i);
            q[i] = (uint32_t)one;
        }
    }
    return true;
}
