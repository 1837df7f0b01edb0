/* transform.h: kernel text: the transform of a tile's integers to coefficients in rank order, and
 * its inverse, for one width.
 *
 * The includer defines what tile/arithmetic.h lists; a lane has a tile. A tile is 4^rank lanes in
 * block order (the array's last axis fastest), and later in rank order (coefficients by total
 * degree). */

#include "codec/zfp/tile/arithmetic.h"

/* The largest value of the tile, and the OR of all: here one thread has all values. */
FN ulane NAME(find_most)(ulane most)
{
    return most;
}

FN ulane NAME(find_or)(ulane any)
{
    return any;
}

/* The fastest axis first, because the shifts round. */
FN void NAME(transform)(ulane *p, uint32_t rank, bool is_exact)
{
    const uint32_t n = 1u << 2 * rank;
    for (uint32_t s = 1; s < n; s *= 4)
        for (uint32_t outer = 0; outer < n; outer += 4 * s)
            for (uint32_t i = 0; i < s; i++)
                NAME(transform_axis)(p + outer + i, s, is_exact);
}

FN void NAME(untransform)(ulane *p, uint32_t rank, bool is_exact)
{
    const uint32_t n = 1u << 2 * rank;
    for (uint32_t s = n / 4; s > 0; s /= 4)
        for (uint32_t outer = 0; outer < n; outer += 4 * s)
            for (uint32_t i = 0; i < s; i++)
                NAME(untransform_axis)(p + outer + i, s, is_exact);
}

/* Between block order and rank order in negabinary. */
FN void NAME(to_rank_order)(const ulane *p, ulane *u, uint32_t rank)
{
    for (uint32_t i = 0; i < 1u << 2 * rank; i++)
        u[i] = NAME(to_negabinary)(p[zti_zfp_order[rank - 1][i]]);
}

FN void NAME(from_rank_order)(const ulane *u, ulane *p, uint32_t rank)
{
    for (uint32_t i = 0; i < 1u << 2 * rank; i++)
        p[zti_zfp_order[rank - 1][i]] = NAME(of_negabinary)(u[i]);
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
