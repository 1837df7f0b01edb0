/* keys.h: kernel text: integer keys of values of one floating-point type that come back bit for
 * bit: decimals with so many digits behind the point, decimals of so many significant digits, and
 * bits without low ones that are always 0. A value without such a key is stored exactly. The
 * includer defines
 *   scalar      float or double
 *   word        uint32_t or uint64_t: as wide
 *   NAME(x)     x with this instance's suffix */

ZTI_INLINE word NAME(bits_of)(scalar x)
{
    word bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* ---- significant digits: m 10^e with so many of them, numbered in order ---- */

/* Powers of ten that are doubles, or 1: m 10^e is m power_down / power_up, one product or one
 * division. -EXACT_POWERS <= e <= EXACT_POWERS. */
#ifndef ZTI_SZ_KEYS_POWERS
#define ZTI_SZ_KEYS_POWERS
enum { EXACT_POWERS = 22 };

ZTI_INLINE double power_up(int32_t e)
{
    static const double power[] = {
        1e22, 1e21, 1e20, 1e19, 1e18, 1e17, 1e16, 1e15, 1e14, 1e13, 1e12, 1e11, 1e10, 1e9, 1e8,
        1e7,  1e6,  1e5,  1e4,  1e3,  1e2,  1e1,  1,    1,    1,    1,    1,    1,    1,   1,
        1,    1,    1,    1,    1,    1,    1,    1,    1,    1,    1,    1,    1,    1,   1};
    return power[e + EXACT_POWERS];
}

ZTI_INLINE double power_down(int32_t e)
{
    static const double power[] = {
        1,   1,   1,    1,    1,    1,    1,    1,    1,    1,    1,    1,    1,    1,    1,
        1,   1,   1,    1,    1,    1,    1,    1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
        1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    return power[e + EXACT_POWERS];
}

ZTI_INLINE void powers_of(const int32_t *e, double *up, double *down)
{
    for (uint32_t i = 0; i < 64; i++) {
        up[i] = power_up(e[i]);
        down[i] = power_down(e[i]);
    }
}

/* Numbers of a power of ten, and the least of them. */
struct decades {
    double first, count, limit;
    int32_t lowest;
};

ZTI_INLINE struct decades decades_of(const struct zti_sz *sz)
{
    const double first = ll_ten_to(sz->digits - 1u);
    const struct decades d = {first, 9 * first, 10 * first, sz->lowest};
    return d;
}

/* The power of ten of a magnitude's last significant digit, or one below it; and given the
 * magnitude's quotient by that, the right one. */
ZTI_INLINE int32_t decade_about(double size, int32_t digits)
{
    const int32_t exponent = (int32_t)(zti_bits_of_double(size) >> 52) - 1023;
    const int32_t e = exponent * 1233 / 4096 - digits; /* log10 2 is about 1233 / 4096 */
    const int32_t most = e > EXACT_POWERS - 2 ? EXACT_POWERS - 2 : e;
    return most < -EXACT_POWERS ? -EXACT_POWERS : most;
}

ZTI_INLINE int32_t decade_by(const struct decades *d, int32_t e, double quotient)
{
    return e + (quotient > d->limit - 0.5) + (quotient > 10 * d->limit - 5);
}
#endif

/* The narrow key of a value whose last digit's power of ten is e, which up and down are of; false,
 * and 0, if it has none. */
ZTI_INLINE bool NAME(key_of_decade)(const struct decades *d, scalar x, int32_t e, double up,
                                    double down, uint32_t *q)
{
    const double magic = 0x1.8p52, v = (double)x, size = fabs(v);
    const double m = size * up / down + magic - magic;
    const double back = (double)(scalar)(m * down / up);
    const double u = (double)(e - d->lowest) * d->count + (m - d->first) + 1;
    const bool is_zero = NAME(bits_of)(x) == 0;
    const bool is_good = (m >= d->first) & (m < d->limit) & (e >= d->lowest) &
                         (u < ZTI_SZ_NARROW_LIMIT) & (back == size);
    const int32_t key = (int32_t)((is_zero | !is_good) ? 0 : u);
    *q = (uint32_t)(v < 0 ? -key : key);
    return is_good | is_zero;
}

/* The same of any value; none if its power of ten is no double. */
ZTI_INLINE bool NAME(digits_at_once)(const struct decades *d, int32_t digits, scalar x, uint32_t *q)
{
    const double size = fabs((double)x);
    const int32_t about = decade_about(size, digits);
    const int32_t e = decade_by(d, about, size * power_up(about) / power_down(about));
    return NAME(key_of_decade)(d, x, e, power_up(e), power_down(e), q);
}

/* The same of 64 values; false if one has none. Only look-ups are not of vectors. */
ZTI_INLINE bool NAME(digits_64)(const struct zti_sz *sz, const scalar *x, uint32_t *q)
{
    const struct decades d = decades_of(sz);
    double up[64], down[64];
    int32_t e[64];
    uint32_t bad = 0;
    for (uint32_t i = 0; i < 64; i++)
        e[i] = decade_about(fabs((double)x[i]), sz->digits);
    powers_of(e, up, down);
    for (uint32_t i = 0; i < 64; i++)
        e[i] = decade_by(&d, e[i], fabs((double)x[i]) * up[i] / down[i]);
    powers_of(e, up, down);
    for (uint32_t i = 0; i < 64; i++)
        bad |= (uint32_t)!NAME(key_of_decade)(&d, x[i], e[i], up[i], down[i], &q[i]);
    return bad == 0;
}

/* Values of 64 narrow keys; false if a power of ten is no double. A half more than a number of up
 * to 31 bits is so far from multiples of 'count' that its product with the inverse is rounded down
 * to the right decade. */
ZTI_INLINE bool NAME(of_digits_64)(const struct zti_sz *sz, const uint32_t *q, scalar *x)
{
    const struct decades d = decades_of(sz);
    const double inverse = 1 / d.count;
    double m[64], up[64], down[64];
    int32_t at[64];
    uint32_t bad = 0;
    for (uint32_t i = 0; i < 64; i++) {
        const double u = fabs((double)(int32_t)q[i]) - 1;
        const int32_t decade = (int32_t)((u + 0.5) * inverse), e = decade + d.lowest;
        const int32_t least = e < -EXACT_POWERS ? -EXACT_POWERS : e;
        at[i] = least > EXACT_POWERS ? EXACT_POWERS : least;
        bad |= (uint32_t)(at[i] ^ e) & (0 - (uint32_t)(q[i] != 0));
        m[i] = u - decade * d.count + d.first;
    }
    powers_of(at, up, down);
    for (uint32_t i = 0; i < 64; i++) {
        const word sign = (word)(q[i] >> 31) << (8 * sizeof sign - 1);
        const word size = NAME(bits_of)((scalar)(m[i] * down[i] / up[i]));
        const word bits = (size | sign) & (0 - (word)(q[i] != 0));
        memcpy(&x[i], &bits, sizeof bits);
    }
    return bad == 0;
}

/* The value of any key of significant digits. */
ZTI_STATIC scalar NAME(of_digits)(const struct zti_sz *sz, const struct zti_ll_power *ten,
                                  int64_t key)
{
    const uint32_t type = sizeof(scalar) == 4 ? ZT_F32 : ZT_F64;
    const uint64_t first = (uint64_t)ll_ten_to(sz->digits - 1u);
    const uint64_t u = (key < 0 ? 0 - (uint64_t)key : (uint64_t)key) - 1;
    const uint64_t decade = u / (9 * first);
    const int64_t e = (int64_t)(decade < 4096 ? decade : 4096) + sz->lowest;
    if (key == 0 || e < -EXACT_POWERS || e > EXACT_POWERS)
        return (scalar)ll_of_digits(ten, type, sz->digits, sz->lowest, key);
    const double m = (double)(u % (9 * first) + first);
    const double size = m * power_down((int32_t)e) / power_up((int32_t)e);
    return (scalar)(key < 0 ? -size : size);
}

/* ---- one value ---- */

ZTI_INLINE scalar NAME(of_short)(const struct zti_sz *sz, int64_t q)
{
    const word low = ((word)1 << sz->zeros) - 1;
    const word ordered = (word)q << sz->zeros | (q < 0 ? low : 0);
    const word bits = ZTI_SZ_ORDERED(ordered, 8 * sizeof bits);
    scalar x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

ZTI_INLINE int64_t NAME(short_of)(const struct zti_sz *sz, scalar x)
{
    const word ordered = ZTI_SZ_ORDERED(NAME(bits_of)(x), 8 * sizeof ordered);
    return sizeof(word) == 4 ? (int32_t)ordered >> sz->zeros : (int64_t)ordered >> sz->zeros;
}

/* The value of any key. */
ZTI_INLINE scalar NAME(of_key)(const struct zti_sz *sz, const struct zti_ll_power *ten, int64_t q)
{
    return sz->source == ZTI_SZ_DECIMALS ? (scalar)((double)q / ll_ten_to(sz->digits))
           : sz->source == ZTI_SZ_DIGITS ? NAME(of_digits)(sz, ten, q)
                                         : NAME(of_short)(sz, q);
}

/* The key of a value; false, and 0, if it has none. */
ZTI_STATIC bool NAME(key_of)(const struct zti_sz *sz, const struct zti_ll_power *ten, scalar x,
                             int64_t *q)
{
    const uint32_t type = sizeof(scalar) == 4 ? ZT_F32 : ZT_F64;
    int64_t key = 0;
    bool is_good = true;
    if (sz->source == ZTI_SZ_DECIMALS) {
        const double y = (double)x * ll_ten_to(sz->digits);
        is_good = fabs(y) < 0x1p51;
        key = is_good ? (int64_t)rint(y) : 0;
    } else if (sz->source == ZTI_SZ_DIGITS) {
        is_good = ll_to_digits(ten, type, sz->digits, sz->lowest, (double)x, &key);
    } else {
        key = NAME(short_of)(sz, x);
    }
    is_good = is_good && (sizeof(scalar) == 8 || key == (int32_t)key) &&
              NAME(bits_of)(NAME(of_key)(sz, ten, key)) == NAME(bits_of)(x);
    *q = is_good ? key : 0;
    return is_good;
}

/* ---- 64 values ---- */

/* Narrow keys of decimals; 'bad' is not 0 if a value has none. */
ZTI_INLINE uint32_t NAME(decimal_at_once)(double ten, scalar x, uint64_t *bad)
{
    const double magic = 0x1.8p52, y = (double)x * ten, sum = y + magic;
    const scalar back = (scalar)((sum - magic) / ten);
    *bad |= (uint64_t) !(fabs(y) < ZTI_SZ_NARROW_LIMIT) | (NAME(bits_of)(back) ^ NAME(bits_of)(x));
    return (uint32_t)zti_bits_of_double(sum);
}

ZTI_INLINE bool NAME(decimals_64)(const struct zti_sz *sz, const scalar *x, uint32_t *q)
{
    const double ten = ll_ten_to(sz->digits);
    uint64_t bad = 0;
    for (uint32_t i = 0; i < 64; i++)
        q[i] = NAME(decimal_at_once)(ten, x[i], &bad);
    return bad == 0;
}

ZTI_INLINE void NAME(of_decimals_64)(const struct zti_sz *sz, const uint32_t *q, scalar *x)
{
    const double ten = ll_ten_to(sz->digits);
    for (uint32_t i = 0; i < 64; i++)
        x[i] = (scalar)((double)(int32_t)q[i] / ten);
}

/* Narrow keys of short bits; the same. */
ZTI_INLINE uint32_t NAME(short_at_once)(const struct zti_sz *sz, scalar x, word *bad)
{
    const word low = ((word)1 << sz->zeros) - 1, first = (word)1 << (8 * sizeof(word) - 1);
    const word ordered = ZTI_SZ_ORDERED(NAME(bits_of)(x), 8 * sizeof ordered);
    const int64_t key = NAME(short_of)(sz, x);
    *bad |= (ordered ^ (0 - (word)((ordered & first) != 0))) & low;
    *bad |= (word)(sizeof(word) == 8 && !is_narrow_log(key));
    return (uint32_t)key;
}

ZTI_INLINE bool NAME(shorts_64)(const struct zti_sz *sz, const scalar *x, uint32_t *q)
{
    word bad = 0;
    for (uint32_t i = 0; i < 64; i++)
        q[i] = NAME(short_at_once)(sz, x[i], &bad);
    return bad == 0;
}

/* Values of 64 such keys, as of_short. */
ZTI_INLINE void NAME(of_shorts_64)(const struct zti_sz *sz, const uint32_t *q, scalar *x)
{
    const uint32_t zeros = sz->zeros;
    const word low = ((word)1 << zeros) - 1;
    word bits[64];
    for (uint32_t i = 0; i < 64; i++) {
        const word own = (word)(int32_t)q[i], sign = 0 - (own >> (8 * sizeof own - 1));
        const word ordered = own << zeros | (sign & low);
        bits[i] = ZTI_SZ_ORDERED(ordered, 8 * sizeof ordered);
    }
    memcpy(x, bits, sizeof bits);
}

/* The narrow key of one of 64 values, which counts if all have one; else false. */
ZTI_INLINE bool NAME(key_at_once)(const struct zti_sz *sz, scalar x, uint32_t *q)
{
    uint64_t bad = 0;
    word bad_bits = 0;
    if (sz->source == ZTI_SZ_DIGITS) {
        const struct decades d = decades_of(sz);
        return NAME(digits_at_once)(&d, sz->digits, x, q);
    }
    *q = sz->source == ZTI_SZ_DECIMALS ? NAME(decimal_at_once)(ll_ten_to(sz->digits), x, &bad)
                                       : NAME(short_at_once)(sz, x, &bad_bits);
    return bad == 0 && bad_bits == 0;
}

/* ---- a tile ---- */

/* Values of n narrow keys; x and q are writable and readable to the end of the last group. */
static inline void NAME(of_keys)(const struct zti_sz *sz, const struct zti_ll_power *ten,
                                 const uint32_t *q, uint32_t n, scalar *x)
{
    for (uint32_t first = 0; first < n; first += 64) {
        if (sz->source == ZTI_SZ_DECIMALS) {
            NAME(of_decimals_64)(sz, q + first, x + first);
            continue;
        }
        if (sz->source == ZTI_SZ_SHORT) {
            NAME(of_shorts_64)(sz, q + first, x + first);
            continue;
        }
        if (sz->source == ZTI_SZ_DIGITS && NAME(of_digits_64)(sz, q + first, x + first))
            continue;
        for (uint32_t i = first; i < first + 64 && i < n; i++)
            x[i] = NAME(of_key)(sz, ten, (int32_t)q[i]);
    }
}

static inline void NAME(of_wide_keys)(const struct zti_sz *sz, const struct zti_ll_power *ten,
                                      const uint64_t *q, uint32_t n, scalar *x)
{
    if (sz->source == ZTI_SZ_SHORT)
        for (uint32_t i = 0; i < n; i++)
            x[i] = NAME(of_short)(sz, (int64_t)q[i]);
    else
        for (uint32_t i = 0; i < n; i++)
            x[i] = NAME(of_key)(sz, ten, (int64_t)q[i]);
}
