/* sz_log.h: kernel text: numbers of one floating-point type to logarithms, as integers, and back:
 * for a bound that is a part of each value. The includer defines
 *   scalar      float or double
 *   NAME(x)     x with this instance's suffix
 *
 * |x| = (1 + m) 2^e, 0 <= m < 1, has the logarithm e + L(m) with L(m) = A m / (1 + (A - 1) m) and
 * A = sqrt 2, which is log2(1 + m) nearly: both ends are the same, and where one binade meets the
 * next L has a derivative too. It is made of one division, and so is its inverse
 * y / (A - (A - 1) y): any machine computes the same bits of both, and vectors of them. Its steps,
 * relative to x, are smallest where m = sqrt 2 - 1 and 3 % larger at the ends, where they are
 * 1 / sqrt 2 of a step of L: that they are not all alike costs 0.03 bits a value on average.
 *
 * Integers are the multiples of 8 / M of the logarithm, M the fineness: q stands for e and L(m)
 * with 8 q = e M + L(m) M. Zeros and signs are kept apart (sz_marks.c). Each integer is turned
 * back and compared before it is accepted. */

#define ROOT 0x1.6a09e667f3bcdp0 /* A */

/* The number that stands for e and r = L(m) M, 0 <= r < M, rounded once where it is subnormal. */
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

/* The number of an integer below 2^31 in magnitude: exponent and rest of 8 q over M. */
ZTI_INLINE scalar NAME(number)(double q, double fineness, double inverse)
{
    const double magic = 0x1.8p52, u = 8 * q;
    const double near = u * inverse + magic - magic, r = u - near * fineness;
    return NAME(power)(r < 0 ? near - 1 : near, r < 0 ? r + fineness : r, fineness);
}

/* The same of any integer. */
static inline scalar NAME(wide_number)(int64_t q, const struct zti_sz *sz)
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

/* The parts of the logarithm of a normal number of doubles' range. */
ZTI_INLINE double NAME(parts)(double v, double *e)
{
    const uint64_t bits = zti_bits_of_double(v), one = UINT64_C(0x3ff) << 52;
    const double magic = 0x1p52;
    const double m = zti_double_from_bits((bits & (UINT64_MAX >> 12)) | one) - 1;
    *e = zti_double_from_bits(zti_bits_of_double(magic) | (bits >> 52 & 0x7ff)) - magic - 1023;
    return ROOT * m / (1 + (ROOT - 1) * m);
}

/* Whether y may stand for v > 0: sz->bound is so much below what was asked for that the rounding of
 * the product does no harm, and v - y is exact where it is small. */
ZTI_INLINE bool NAME(is_near)(double v, double y, double bound)
{
    return fabs(v - y) <= bound * v;
}

/* The integer for one magnitude v > 0; false where none keeps the bound. Where that is tiny or huge
 * it is scaled so that nothing is subnormal, exactly. */
static bool NAME(nearest_log)(const struct zti_sz *sz, double v, int64_t *q)
{
    const double tiny = 0x1p-900, up = 0x1p200, fineness = (double)sz->fineness;
    const double scale = v < tiny ? up : 1;
    double e;
    if (!(v <= 0x1.fffffffffffffp1023))
        return false;
    const double y = NAME(parts)(v * scale, &e);
    const int64_t u = (int64_t)(v < tiny ? e - 200 : e) * (int64_t)sz->fineness +
                      (int64_t)rint(y * fineness);
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

/* 64 values; false where not all of them are 0 or, at the first trial, within the bound of a number
 * whose integer is within 2^30. */
ZTI_INLINE bool NAME(log_64)(const struct zti_sz *sz, const scalar *x, uint32_t *q)
{
    const double magic = 0x1.8p52, fineness = (double)sz->fineness, inverse = 1 / fineness;
    const double step = fineness / 8, bound = sz->bound;
    uint64_t bad = 0;
    for (uint32_t i = 0; i < 64; i++) {
        const double v = fabs((double)x[i]);
        double e;
        const double y = NAME(parts)(v, &e), t = e * step + y * step, sum = t + magic;
        const double back = (double)NAME(number)(sum - magic, fineness, inverse);
        const bool is_good = (fabs(t) < 0x1p30) & (v >= 0x1p-900) & (v <= 0x1p1000) &
                             NAME(is_near)(v, back, bound);
        q[i] = (uint32_t)zti_bits_of_double(sum);
        bad |= (uint64_t)!(is_good | (v == 0));
    }
    return bad == 0;
}

/* Which of n values are zero, and which are negative. x is readable to the end of the last group.
 * */
static void NAME(mark)(const scalar *x, uint32_t n, struct exact *exact)
{
    memset(exact->zero, 0, sizeof exact->zero);
    memset(exact->negative, 0, sizeof exact->negative);
    exact->has_zeros = false;
    for (uint32_t first = 0; first < n; first += 64) {
        const uint32_t count = n - first < 64 ? n - first : 64;
        uint64_t zero = 0, negative = 0;
        for (uint32_t i = 0; i < count; i++) {
            zero |= (uint64_t)(x[first + i] == 0) << i;
            negative |= (uint64_t)(signbit(x[first + i]) != 0) << i;
        }
        exact->zero[first / 64] = zero;
        exact->negative[first / 64] = negative;
        exact->has_zeros |= zero != 0;
    }
}

/* The integer for one value, 0 for zeros; false, and 0, where it is to be kept as it is. */
static bool NAME(log_or_exact)(const struct zti_sz *sz, scalar x, int64_t *q)
{
    const bool is_good = x == 0 || NAME(nearest_log)(sz, fabs((double)x), q);
    *q = is_good && x != 0 ? *q : 0;
    return is_good;
}

/* n values as integers of 64 bits. */
static inline void NAME(logs_wide)(const struct zti_sz *sz, const scalar *x, uint32_t n,
                                   uint64_t *q, struct exact *exact)
{
    NAME(mark)(x, n, exact);
    exact->count = 0;
    memset(exact->bits, 0, sizeof exact->bits);
    for (uint32_t i = 0; i < n; i++) {
        int64_t one = 0;
        if (!NAME(log_or_exact)(sz, x[i], &one)) {
            exact->bits[i / 64] |= UINT64_C(1) << i % 64;
            exact->count++;
        }
        q[i] = (uint64_t)one;
    }
}

/* The same of 32 bits; false where they do not suffice. x and q are readable and writable to the
 * end of the last group. */
static bool NAME(logs)(const struct zti_sz *sz, const scalar *x, uint32_t n, uint32_t *q,
                       struct exact *exact)
{
    NAME(mark)(x, n, exact);
    exact->count = 0;
    memset(exact->bits, 0, sizeof exact->bits);
    for (uint32_t first = 0; first < n; first += 64) {
        if (first + 64 <= n && NAME(log_64)(sz, x + first, q + first))
            continue;
        for (uint32_t i = first; i < first + 64 && i < n; i++) {
            int64_t one = 0;
            if (!NAME(log_or_exact)(sz, x[i], &one)) {
                exact->bits[i / 64] |= UINT64_C(1) << i % 64;
                exact->count++;
            }
            if (one <= -(INT64_C(1) << 30) || one >= INT64_C(1) << 30)
                return false;
            q[i] = (uint32_t)one;
        }
    }
    return true;
}

/* Zeros and signs; x is writable to the end of the last group. */
static void NAME(apply_marks)(const struct exact *exact, uint32_t n, scalar *x)
{
    for (uint32_t first = 0; first < n; first += 64) {
        const uint64_t zero = exact->zero[first / 64], negative = exact->negative[first / 64];
        if (!(zero | negative))
            continue;
        for (uint32_t i = 0; i < 64; i++) {
            const scalar v = zero >> i & 1 ? 0 : x[first + i];
            x[first + i] = negative >> i & 1 ? -v : v;
        }
    }
}

static void NAME(numbers)(const struct zti_sz *sz, const struct exact *exact, const uint32_t *q,
                          uint32_t n, scalar *x)
{
    const double fineness = (double)sz->fineness, inverse = 1 / fineness;
    for (uint32_t first = 0; first < n; first += 64)
        for (uint32_t i = 0; i < 64; i++)
            x[first + i] = NAME(number)((double)(int32_t)q[first + i], fineness, inverse);
    NAME(apply_marks)(exact, n, x);
}

static inline void NAME(numbers_wide)(const struct zti_sz *sz, const struct exact *exact,
                                      const uint64_t *q, uint32_t n, scalar *x)
{
    for (uint32_t i = 0; i < n; i++)
        x[i] = NAME(wide_number)((int64_t)q[i], sz);
    NAME(apply_marks)(exact, n, x);
}

#undef ROOT
