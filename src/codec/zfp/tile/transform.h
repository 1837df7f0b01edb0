/* transform.h: kernel text: the straight-line part of a zfp tile, over integers of one width.
 *
 * The includer defines
 *   lane, ulane   signed and unsigned integer of the width; one lane is one tile
 *   FN            storage class (and target attribute)
 *   NAME(x)       x with this instance's suffix
 *
 * A tile is 4^rank lanes in block order (the array's last axis fastest), and later in rank order
 * (coefficients by total degree). All arithmetic is modulo 2^width, as zfp's is defined: sums
 * are unsigned, right shifts arithmetic. */

#include "codec/zfp/tile/lift.h"

/* The fastest axis first, because the shifts round. */
FN void NAME(transform)(ulane *p, uint32_t rank)
{
    const uint32_t n = 1u << 2 * rank;
    for (uint32_t s = 1; s < n; s *= 4)
        for (uint32_t outer = 0; outer < n; outer += 4 * s)
            for (uint32_t i = 0; i < s; i++)
                NAME(lift)(p + outer + i, s);
}

FN void NAME(untransform)(ulane *p, uint32_t rank)
{
    const uint32_t n = 1u << 2 * rank;
    for (uint32_t s = n / 4; s > 0; s /= 4)
        for (uint32_t outer = 0; outer < n; outer += 4 * s)
            for (uint32_t i = 0; i < s; i++)
                NAME(unlift)(p + outer + i, s);
}

FN void NAME(transform_exact)(ulane *p, uint32_t rank)
{
    const uint32_t n = 1u << 2 * rank;
    for (uint32_t s = 1; s < n; s *= 4)
        for (uint32_t outer = 0; outer < n; outer += 4 * s)
            for (uint32_t i = 0; i < s; i++)
                NAME(difference)(p + outer + i, s);
}

FN void NAME(untransform_exact)(ulane *p, uint32_t rank)
{
    const uint32_t n = 1u << 2 * rank;
    for (uint32_t s = n / 4; s > 0; s /= 4)
        for (uint32_t outer = 0; outer < n; outer += 4 * s)
            for (uint32_t i = 0; i < s; i++)
                NAME(accumulate)(p + outer + i, s);
}

/* To rank order and negabinary, and back. mask is the width's 1010...10. */
FN void NAME(to_negabinary)(const ulane *p, ulane *u, const uint8_t *order, uint32_t n, ulane mask)
{
    for (uint32_t i = 0; i < n; i++)
        u[i] = (p[order[i]] + mask) ^ mask;
}

FN void NAME(from_negabinary)(const ulane *u, ulane *p, const uint8_t *order, uint32_t n,
                              ulane mask)
{
    for (uint32_t i = 0; i < n; i++)
        p[order[i]] = (u[i] ^ mask) - mask;
}

/* Transpose every rows x rows block of bits of a[0..rows-1]: bit b of row r of a block goes to
 * bit r of row b. rows is a power of two up to the width; its own inverse. */
FN void NAME(transpose)(ulane *a, uint32_t rows)
{
    for (uint32_t s = rows / 2; s > 0; s /= 2) {
        const ulane low = (ulane)-1 / (ulane)(((ulane)1 << s) + 1);
        for (uint32_t outer = 0; outer < rows; outer += 2 * s)
            for (uint32_t i = outer; i < outer + s; i++) {
                ulane t = ((a[i] >> s) ^ a[i + s]) & low;
                a[i + s] ^= t;
                a[i] ^= t << s;
            }
    }
}
