/* lift.h: kernel text: zfp's transforms on four values, over integers of one width.
 *
 * The includer defines
 *   lane, ulane   signed and unsigned integer of the width, or vectors of them
 *   FN            storage class (and target attribute)
 *   NAME(x)       x with this instance's suffix
 *
 * All arithmetic is modulo 2^width, as zfp's is defined: sums are unsigned, right shifts
 * arithmetic. */

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
