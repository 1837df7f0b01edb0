/* arithmetic.h: kernel text: zfp's arithmetic on values and coefficients of one width: block
 * floating point, lifted transforms, negabinary.
 *
 * The includer defines
 *   WIDTH         32 or 64
 *   word          the unsigned integer of the width
 *   lane, ulane   signed and unsigned integer of the width, or vectors of them
 *   FN            storage class (and target attribute)
 *   NAME(x)       x with this instance's suffix
 *
 * All arithmetic is modulo 2^width, as zfp defines it: sums are unsigned, right shifts
 * arithmetic. */

/* ---- transforms ---- */

FN ulane NAME(half)(ulane v)
{
    return (ulane)((lane)v >> 1);
}

/* 1/16 * ( 4  4  4  4 | 5  1 -1 -5 | -4  4  4 -4 | -2  6 -6  2 ) applied to 4 values s apart. */
FN void NAME(lift)(ulane *p, uint32_t s)
{
    ulane x = p[0], y = p[s], z = p[2 * s], w = p[3 * s];

    x += w;
    x = NAME(half)(x);
    w -= x;
    z += y;
    z = NAME(half)(z);
    y -= z;
    x += z;
    x = NAME(half)(x);
    z -= x;
    w += y;
    w = NAME(half)(w);
    y -= w;
    w += NAME(half)(y);
    y -= NAME(half)(w);

    p[0] = x;
    p[s] = y;
    p[2 * s] = z;
    p[3 * s] = w;
}

/* 1/4 * ( 4  6 -4 -1 | 4  2  4  5 | 4 -2  4 -5 | 4 -6 -4  1 ): undoes lift but for the bits that
 * its shifts dropped. */
FN void NAME(unlift)(ulane *p, uint32_t s)
{
    ulane x = p[0], y = p[s], z = p[2 * s], w = p[3 * s];

    y += NAME(half)(w);
    w -= NAME(half)(y);
    y += w;
    w += w;
    w -= y;
    z += x;
    x += x;
    x -= z;
    y += z;
    z += z;
    z -= y;
    w += x;
    x += x;
    x -= w;

    p[0] = x;
    p[s] = y;
    p[2 * s] = z;
    p[3 * s] = w;
}

/* Third differences: ( 1 0 0 0 | -1 1 0 0 | 1 -2 1 0 | -1 3 -3 1 ), exact modulo 2^width. */
FN void NAME(difference)(ulane *p, uint32_t s)
{
    ulane x = p[0], y = p[s], z = p[2 * s], w = p[3 * s];

    w -= z;
    z -= y;
    y -= x;
    w -= z;
    z -= y;
    w -= z;

    p[s] = y;
    p[2 * s] = z;
    p[3 * s] = w;
}

/* ( 1 0 0 0 | 1 1 0 0 | 1 2 1 0 | 1 3 3 1 ): undoes difference. */
FN void NAME(accumulate)(ulane *p, uint32_t s)
{
    ulane x = p[0], y = p[s], z = p[2 * s], w = p[3 * s];

    w += z;
    z += y;
    w += z;
    y += x;
    z += y;
    w += z;

    p[s] = y;
    p[2 * s] = z;
    p[3 * s] = w;
}

/* The transform along one axis, lossy or reversible, and its inverse. */
FN void NAME(transform_axis)(ulane *p, uint32_t s, bool is_exact)
{
    if (is_exact)
        NAME(difference)(p, s);
    else
        NAME(lift)(p, s);
}

FN void NAME(untransform_axis)(ulane *p, uint32_t s, bool is_exact)
{
    if (is_exact)
        NAME(accumulate)(p, s);
    else
        NAME(unlift)(p, s);
}

/* ---- integers ---- */

FN ulane NAME(to_negabinary)(ulane v)
{
    const word mask = (word)UINT64_C(0xaaaaaaaaaaaaaaaa);
    return (v + mask) ^ mask;
}

FN ulane NAME(of_negabinary)(ulane v)
{
    const word mask = (word)UINT64_C(0xaaaaaaaaaaaaaaaa);
    return (v ^ mask) - mask;
}

/* Convert the bits of a floating-point value to an integer of the same order, or back: all bits but
 * the sign are flipped if it is negative. */
FN ulane NAME(flipped)(ulane v)
{
    return v ^ (ulane)((ulane)((lane)v >> (WIDTH - 1)) >> 1);
}

/* value * 2^shift: under an absolute bound, integers are scaled to use their upper bits. */
FN ulane NAME(raised)(ulane v, int32_t shift)
{
    return shift > 0 ? v << shift : (ulane)((lane)v >> -shift);
}

/* The inverse for shift > 0, rounded to the nearest integer. */
FN ulane NAME(lowered)(ulane v, int32_t shift)
{
    return (ulane)((lane)v >> shift) + (v >> (shift - 1) & 1);
}

/* ---- block floating point: values in units of 2^(emax - (WIDTH - 2)) ---- */

/* The bits of 1 / unit, from the exponent field of the tile's largest value. The field is at least
 * WIDTH - 2, so that neither the unit nor its inverse overflows or is subnormal. */
FN ulane NAME(scale_bits)(ulane field)
{
    const word largest = (word)(2 * zti_zfp_bias(WIDTH) - 1 + WIDTH - 2);
    return (largest - field) << zti_zfp_mantissa_bits(WIDTH);
}

FN ulane NAME(unit_bits)(ulane field)
{
    const ulane unit = (field - (word)(WIDTH - 3)) << zti_zfp_mantissa_bits(WIDTH);
    return unit & (word)((word)-1 >> 1);
}
