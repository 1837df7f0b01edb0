/* formulas.h: text of effort 'high': the arithmetic that decides bytes, for one number or a vector:
 * the prediction of a point from its neighbours, and the conversion of residuals to symbols and
 * back.
 *
 * The includer defines a type of numbers modulo 2^WIDTH, which this text undefines:
 *
 *     V             uint32_t or uint64_t, or a vector of it
 *     WIDTH         32 or 64
 *     OF(name)      a function's name for this type
 *     SHIFT(v, n)   arithmetic shift to the right
 *     SIZE(v)       magnitudes of signed numbers
 *     FROM(v, n)    all ones if v is n or more, else 0
 *     HIGHEST(v)    the place of the highest bit; of 0 any number */

/* ---- prediction, from points z, a, b and c that follow each other along an axis -------------- */

/* sum / 2^bits, rounded. */
ZTI_INLINE V OF(round)(V sum, uint32_t bits)
{
    return SHIFT(sum + (1u << bits >> 1), bits);
}

/* Predict the point between a and b or, if there is no b, after a. */
ZTI_INLINE V OF(interpolate)(enum zti_sz_high_stencil stencil, V z, V a, V b, V c)
{
    return stencil == ZTI_SZ_HIGH_CUBIC    ? OF(round)(9 * (a + b) - z - c, 4)
           : stencil == ZTI_SZ_HIGH_LEFT   ? OF(round)(6 * a + 3 * b - z, 3)
           : stencil == ZTI_SZ_HIGH_RIGHT  ? OF(round)(6 * b + 3 * a - c, 3)
           : stencil == ZTI_SZ_HIGH_MIDWAY ? OF(round)(a + b, 1)
                                           : OF(round)(3 * a - z, 1);
}

/* The mean of 1 to 4 predictions, from their sum. 'last' is the prediction along the fastest axis;
 * among three it has slightly more weight. */
ZTI_INLINE V OF(mean)(uint32_t terms, V sum, V last)
{
    return terms == 1   ? sum
           : terms == 2 ? OF(round)(sum, 1)
           : terms == 3 ? OF(round)(5 * sum + last, 4)
                        : OF(round)(sum, 2);
}

/* ---- residuals and symbols ------------------------------------------------------------------- */

/* Zigzag: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...; and the inverse. */
ZTI_INLINE V OF(fold)(V q)
{
    return q << 1 ^ SHIFT(q, WIDTH - 1);
}

ZTI_INLINE V OF(unfold)(V folded)
{
    return folded >> 1 ^ (0 - (folded & 1));
}

/* The number of bits of a residual that its symbol leaves open: the low bits of its magnitude, all
 * but the top two. It is 0 for small residuals, whose symbols are their folded values. */
ZTI_INLINE V OF(bits_of)(V q)
{
    return (HIGHEST(SIZE(q)) - 1) & FROM(OF(fold)(q), ZTI_SZ_HIGH_DIRECT);
}

/* The symbol of a residual that leaves 'bits' bits open; and these bits. */
ZTI_INLINE V OF(symbol_of)(V q, V bits)
{
    const V folded = OF(fold)(q), is_large = FROM(folded, ZTI_SZ_HIGH_DIRECT);
    const V large = ZTI_SZ_HIGH_DIRECT + 4 * (bits - ZTI_SZ_HIGH_LEAST_OPEN) +
                    2 * (SIZE(q) >> bits & 1) + (q >> (WIDTH - 1));
    return (large & is_large) | (folded & ~is_large);
}

ZTI_INLINE V OF(open_of)(V q, V bits)
{
    return SIZE(q) & ~(~(bits & 0) << bits);
}

/* The number of bits that a symbol other than the escape leaves open; and the residual of a symbol
 * with these bits. */
ZTI_INLINE V OF(bits_in)(V symbol)
{
    return ((symbol - ZTI_SZ_HIGH_DIRECT) / 4 + ZTI_SZ_HIGH_LEAST_OPEN) & (WIDTH - 1) &
           FROM(symbol, ZTI_SZ_HIGH_DIRECT);
}

ZTI_INLINE V OF(residual_of)(V symbol, V open)
{
    const V number = symbol - ZTI_SZ_HIGH_DIRECT, is_large = FROM(symbol, ZTI_SZ_HIGH_DIRECT);
    const V size = (2 | (number >> 1 & 1)) << OF(bits_in)(symbol) | open, sign = 0 - (number & 1);
    return (((size ^ sign) - sign) & is_large) | (OF(unfold)(symbol) & ~is_large);
}

#undef V
#undef WIDTH
#undef OF
#undef SHIFT
#undef SIZE
#undef FROM
#undef HIGHEST
