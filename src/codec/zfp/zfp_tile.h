/* zfp_tile.h: kernel text: the straight-line part of a zfp tile, over integers of one width.
 *
 * The includer defines
 *   lane, ulane   signed and unsigned integer of the width; one lane is one tile
 *   FN            storage class (and target attribute)
 *   NAME(x)       x with this instance's suffix
 *
 * A tile is 4^rank lanes in block order (the array's last axis fastest), and later in rank order
 * (coefficients by total degree). All arithmetic is modulo 2^width, as zfp's is defined: sums
 * are unsigned, right shifts arithmetic. */

FN ulane NAME(half)(ulane v)
{
    return (ulane)((lane)v >> 1);
}

/* 1/16 * ( 4  4  4  4 | 5  1 -1 -5 | -4  4  4 -4 | -2  6 -6  2 ) applied to 4 values s apart. */
FN void NAME(lift)(ulane *p, uint32_t s)
{
    ulane x = p[0], y = p[s], z = p[2 * s], w = p[3 * s];

    x += w; x = NAME(half)(x); w -= x;
    z += y; z = NAME(half)(z); y -= z;
    x += z; x = NAME(half)(x); z -= x;
    w += y; w = NAME(half)(w); y -= w;
    w += NAME(half)(y); y -= NAME(half)(w);

    p[0] = x; p[s] = y; p[2 * s] = z; p[3 * s] = w;
}

/* 1/4 * ( 4  6 -4 -1 | 4  2  4  5 | 4 -2  4 -5 | 4 -6 -4  1 ): undoes lift but for the bits that
 * its shifts dropped. */
FN void NAME(unlift)(ulane *p, uint32_t s)
{
    ulane x = p[0], y = p[s], z = p[2 * s], w = p[3 * s];

    y += NAME(half)(w); w -= NAME(half)(y);
    y += w; w += w; w -= y;
    z += x; x += x; x -= z;
    y += z; z += z; z -= y;
    w += x; x += x; x -= w;

    p[0] = x; p[s] = y; p[2 * s] = z; p[3 * s] = w;
}

/* Third differences: ( 1 0 0 0 | -1 1 0 0 | 1 -2 1 0 | -1 3 -3 1 ), exact modulo 2^width. */
FN void NAME(difference)(ulane *p, uint32_t s)
{
    ulane x = p[0], y = p[s], z = p[2 * s], w = p[3 * s];

    w -= z; z -= y; y -= x;
    w -= z; z -= y;
    w -= z;

    p[s] = y; p[2 * s] = z; p[3 * s] = w;
}

/* ( 1 0 0 0 | 1 1 0 0 | 1 2 1 0 | 1 3 3 1 ): undoes difference. */
FN void NAME(accumulate)(ulane *p, uint32_t s)
{
    ulane x = p[0], y = p[s], z = p[2 * s], w = p[3 * s];

    w += z;
    z += y; w += z;
    y += x; z += y; w += z;

    p[s] = y; p[2 * s] = z; p[3 * s] = w;
}

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
