/* integers.h: text of effort 'high': the rules of single integers, residuals and symbols, for a
 * width. The includer defines what this text undefines:
 *
 *     OF(name)      a function's name for this width, as formulas.h has them
 *     INTEGER       int32_t or int64_t
 *     NATURAL       uint32_t or uint64_t
 *     WIDTH         32 or 64
 *     RANGE         limit of integers' magnitudes */

/* The nearest integer modulo 2^WIDTH, for |v| < 2^51: adding 3 * 2^51 rounds. */
ZTI_INLINE INTEGER OF(rint)(double v)
{
    const double sum = v + 0x1.8p52;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return (INTEGER)(NATURAL)(bits - (UINT64_C(0x4338) << 48));
}

/* The integer nearest to d / step; per is 1.0 / step. The step is odd, so no quotient is midway
 * between two integers, and doubles are exact enough for |d| < 2^48. */
ZTI_INLINE INTEGER OF(nearest)(INTEGER d, double per)
{
    return OF(rint)((double)d * per);
}

/* The symbol of a residual. If its context lacks the symbol, the escape is used. */
ZTI_STATIC uint32_t OF(symbol)(INTEGER q)
{
    const NATURAL v = (NATURAL)q, folded = OF(fold)(v);
    const NATURAL bits = OF(bits_of)(v);
    if (WIDTH == 64 && bits > ZTI_SZ_HIGH_MOST_OPEN)
        return ZTI_SZ_HIGH_ESCAPE;
    return (uint32_t)(folded < ZTI_SZ_HIGH_DIRECT ? folded : OF(symbol_of)(v, bits));
}

/* The number of bits that a symbol leaves open; and these bits of a residual. The escape's bits are
 * the residual. */
ZTI_STATIC uint32_t OF(open_bits)(uint32_t symbol)
{
    return symbol == ZTI_SZ_HIGH_ESCAPE ? WIDTH : (uint32_t)OF(bits_in)(symbol);
}

ZTI_STATIC NATURAL OF(open)(uint32_t bits, INTEGER q)
{
    return bits == WIDTH ? (NATURAL)q : OF(open_of)((NATURAL)q, bits);
}

ZTI_STATIC INTEGER OF(residual)(uint32_t symbol, NATURAL open)
{
    return (INTEGER)(symbol == ZTI_SZ_HIGH_ESCAPE ? open : OF(residual_of)(symbol, open));
}

/* A residual's magnitude in contexts. */
ZTI_STATIC uint8_t OF(magnitude)(INTEGER q)
{
    const NATURAL size = q < 0 ? 0 - (NATURAL)q : (NATURAL)q, most = ZTI_SZ_HIGH_MOST_MAGNITUDE;
    return (uint8_t)(size < most ? size : most);
}

/* Whether a value has an integer; units: the value's distance from the centre. */
ZTI_INLINE bool OF(has_integer)(double units)
{
    return fabs(units) < 2 * (double)(RANGE);
}

/* The value of an integer, before it is rounded to the type. */
ZTI_INLINE double OF(number)(INTEGER x, double centre, double step)
{
    return ((double)x + centre) * step;
}

/* The integer of a value of an integer type; the array's range is known to fit. The inverses are
 * whole_32 and whole_64: for 64 bits, the encoder keeps away from the ends of the range. */
ZTI_INLINE INTEGER OF(from_whole)(int64_t v, int64_t centre)
{
    return (INTEGER)(NATURAL)((uint64_t)v - (uint64_t)centre);
}

ZTI_INLINE int32_t OF(whole_32)(INTEGER x, int64_t centre)
{
    const int64_t v = (int64_t)((uint64_t)x + (uint64_t)centre);
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
}

ZTI_INLINE int64_t OF(whole_64)(INTEGER x, int64_t centre)
{
    return (int64_t)((uint64_t)x + (uint64_t)centre);
}

#undef OF
#undef INTEGER
#undef NATURAL
#undef WIDTH
#undef RANGE
