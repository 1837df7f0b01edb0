/* logarithm.h: text for the CPU and for kernels: quantize one value to an integer logarithm, for a
 * bound relative to each value, and dequantize it. The includer defines
 *   scalar      float or double
 *   NAME(x)     x with this instance's suffix
 *
 * |x| = (1 + m) 2^e, 0 <= m < 1, has the logarithm e + L(m), with L(m) = A m / (1 + (A - 1) m) and
 * A = sqrt 2. L(m) is close to log2(1 + m): it is equal at both ends, and continuously
 * differentiable from one binade to the next. L and its inverse y / (A - (A - 1) y) need one
 * division each, so all machines compute the same bits, in vectors too. A step of L is smallest
 * relative to x at m = sqrt 2 - 1, and 3 % larger at the ends, where it is 1 / sqrt 2 of a step of
 * L; that steps differ costs 0.03 bits a value on average.
 *
 * The logarithm is quantized to multiples of 8 / M, M the fineness: the integer q stands for e and
 * L(m) with 8 q = e M + L(m) M. Zeros and signs are stored apart (marks.c). The encoder dequantizes
 * each integer and compares it with the value before it accepts it. */

#define ROOT 0x1.6a09e667f3bcdp0 /* A */

/* The number with exponent e and r = L(m) M, 0 <= r < M; rounded once if it is subnormal. */
ZTI_INLINE scalar NAME(power)(double e, double r, double fineness)
{
    const double magic = 0x1p52, least = -1022, most = 1023;
    const double y = r / fineness, m = y / (ROOT - (ROOT - 1) * y);
    double first = e < least ? least : e, second;
    first = first > most ? most : first;
    second = e - first;
    second = second < least ? least : second > most ? most : second;
    const double big = zti_double_from_bits(zti_bits_of_double(first + 1023 + magic) << 52);
    if (sizeof(scalar) == 4)
        return (scalar)((1 + m) * big);
    const double rest = zti_double_from_bits(zti_bits_of_double(second + 1023 + magic) << 52);
    return (scalar)((1 + m) * big * rest);
}

/* The number of an integer below 2^31 in magnitude: quotient and remainder of 8 q / M. */
ZTI_INLINE scalar NAME(number)(double q, double fineness, double inverse)
{
    const double magic = 0x1.8p52, u = 8 * q;
    const double near = u * inverse + magic - magic, r = u - near * fineness;
    return NAME(power)(r < 0 ? near - 1 : near, r < 0 ? r + fineness : r, fineness);
}

/* As number, for any integer. */
ZTI_STATIC scalar NAME(wide_number)(int64_t q, const struct zti_sz *sz)
{
    const int64_t most = INT64_C(1) << 59, fineness = (int64_t)sz->fineness;
    const int64_t u = 8 * (q > most ? most : q < -most ? -most : q);
    int64_t e = u / fineness, r = u % fineness;
    if (r < 0) {
        e--;
        r += fineness;
    }
    return NAME(power)((double)e, (double)r, (double)fineness);
}

/* The parts e and L(m) of the logarithm of a normal double. */
ZTI_INLINE double NAME(parts)(double v, double *e)
{
    const uint64_t bits = zti_bits_of_double(v), one = UINT64_C(0x3ff) << 52;
    const double magic = 0x1p52;
    const double m = zti_double_from_bits((bits & (UINT64_MAX >> 12)) | one) - 1;
    *e = zti_double_from_bits(zti_bits_of_double(magic) | (bits >> 52 & 0x7ff)) - magic - 1023;
    return ROOT * m / (1 + (ROOT - 1) * m);
}

/* Whether y keeps the bound for v > 0. sz->bound is below the requested one by more than the
 * product's rounding error, and v - y is exact if it is small. */
ZTI_INLINE bool NAME(is_near)(double v, double y, double bound)
{
    return fabs(v - y) <= bound * v;
}

/* The integer for one magnitude v > 0; false if none keeps the bound. A tiny or huge v is scaled by
 * a power of two, so that nothing is subnormal or overflows. */
ZTI_STATIC bool NAME(nearest_log)(const struct zti_sz *sz, double v, int64_t *q)
{
    const double tiny = 0x1p-900, up = 0x1p200, fineness = (double)sz->fineness;
    const double scale = v < tiny ? up : 1;
    double e;
    if (!(v <= 0x1.fffffffffffffp1023))
        return false;
    const double y = NAME(parts)(v * scale, &e);
    const int64_t u =
        (int64_t)(v < tiny ? e - 200 : e) * (int64_t)sz->fineness + (int64_t)rint(y * fineness);
    *q = (u + 4) >> 3;
    for (uint32_t trial = 0; trial < 2; trial++) {
        const double back = (double)NAME(wide_number)(*q, sz);
        if (back <= 0x1p1023 * 1.5 ? NAME(is_near)(v * scale, back * scale, sz->bound)
                                   : NAME(is_near)(v / 4, back / 4, sz->bound))
            return true;
        *q += v > back ? 1 : -1;
    }
    return false;
}

/* Quantize one of 64 values that are tried together: true if it is 0, or the first trial keeps the
 * bound with an integer within 2^30. inverse: 1 / fineness. */
ZTI_INLINE bool NAME(log_at_once)(scalar x, double fineness, double inverse, double bound,
                                  uint32_t *q)
{
    const double magic = 0x1.8p52, step = fineness / 8, v = fabs((double)x);
    double e;
    const double y = NAME(parts)(v, &e), t = e * step + y * step, sum = t + magic;
    const double back = (double)NAME(number)(sum - magic, fineness, inverse);
    const bool is_good = (fabs(t) < ZTI_SZ_NARROW_LIMIT) & (v >= 0x1p-900) & (v <= 0x1p1000) &
                         NAME(is_near)(v, back, bound);
    *q = (uint32_t)zti_bits_of_double(sum);
    return is_good | (v == 0);
}

/* The integer for one value, 0 for zeros; false, and 0, if it must be stored exactly. */
ZTI_STATIC bool NAME(log_or_exact)(const struct zti_sz *sz, scalar x, int64_t *q)
{
    const bool is_good = x == 0 || NAME(nearest_log)(sz, fabs((double)x), q);
    *q = is_good && x != 0 ? *q : 0;
    return is_good;
}

#undef ROOT
