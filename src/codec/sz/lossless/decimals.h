/* decimals.h: floats that are decimals, as integers and back: n / 10^k by one rounded division, and
 * m 10^e of so many significant digits, numbered in order, by a product with a power of ten in 128
 * bits. Only what comes back bit for bit is taken. */
#ifndef ZTI_SZ_LOSSLESS_DECIMALS_H
#define ZTI_SZ_LOSSLESS_DECIMALS_H

#include "codec/sz/lossless/spec.h"

/* 10^e, exact, or 1 for e < 0; -ZTI_LL_EXACT <= e <= ZTI_LL_EXACT. */
ZTI_STATIC double ll_ten_to(int64_t e)
{
    static const double ten[] = {1,    1,    1,    1,    1,    1,    1,    1,   1,    1,    1,
                                 1,    1,    1,    1,    1,    1,    1,    1,   1,    1,    1e1,
                                 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9, 1e10, 1e11, 1e12,
                                 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20};
    return ten[e + ZTI_LL_EXACT];
}

/* Most digits behind the point, and significant ones. */
ZTI_STATIC uint32_t ll_most_decimals(uint32_t type)
{
    return type == ZT_F32 ? 7 : 15;
}

ZTI_STATIC uint32_t ll_most_digits(uint32_t type)
{
    return type == ZT_F32 ? 6 : 14;
}

/* Powers of ten from 10^0 to both sides: a multiplication or a division by 10 a step, truncated to
 * 128 bits. */
ZTI_STATIC void ll_make_powers(struct zti_ll_power *ten)
{
    __extension__ typedef unsigned __int128 wide;
    struct zti_ll_power one = {.high = UINT64_C(1) << 63, .low = 0, .exponent = -127};
    ten[ZTI_LL_POWERS] = one;
    for (uint32_t k = 1; k <= ZTI_LL_POWERS; k++) {
        const wide low = (wide)one.low * 10, high = (wide)one.high * 10 + (uint64_t)(low >> 64);
        const uint32_t more = zti_bit_length64((uint64_t)(high >> 64)); /* 3 or 4 */
        one.high = (uint64_t)(high >> more);
        one.low = (uint64_t)high << (64 - more) | (uint64_t)low >> more;
        one.exponent += (int32_t)more;
        ten[ZTI_LL_POWERS + k] = one;
    }
    one = ten[ZTI_LL_POWERS];
    for (uint32_t k = 1; k <= ZTI_LL_POWERS; k++) {
        uint64_t part[3], rest = 0;
        const uint64_t in[3] = {one.high, one.low, 0};
        for (uint32_t i = 0; i < 3; i++) { /* 2^64 is 10 times tenth, and 6 */
            const uint64_t tenth = UINT64_MAX / 10, units = 6 * rest + in[i] % 10;
            part[i] = rest * tenth + in[i] / 10 + units / 10;
            rest = units % 10;
        }
        const uint32_t up = 64 - zti_bit_length64(part[0]); /* 3 or 4 */
        one.high = part[0] << up | part[1] >> (64 - up);
        one.low = part[1] << up | part[2] >> (64 - up);
        one.exponent -= (int32_t)up;
        ten[ZTI_LL_POWERS - k] = one;
    }
}

/* The high 128 bits of a product of 64 and 128 bits. */
ZTI_STATIC void ll_multiply(uint64_t a, const struct zti_ll_power *p, uint64_t *high, uint64_t *low)
{
    __extension__ typedef unsigned __int128 wide;
    const wide below = (wide)a * p->low;
    const wide sum = (wide)a * p->high + (uint64_t)(below >> 64);
    *high = (uint64_t)(sum >> 64);
    *low = (uint64_t)sum;
}

/* m 2^e, where it is a normal number and 2^52 <= m <= 2^53. */
ZTI_STATIC double ll_double(bool is_negative, uint64_t m, int32_t e)
{
    const uint64_t field = (uint64_t)(e + 52 + 1023);
    return zti_double_from_bits(((uint64_t)is_negative << 63) + (field << 52) +
                                (m - (UINT64_C(1) << 52)));
}

/* m 10^e with -20 <= e <= 20, rounded once to a double. Of a whole m < 10^15 ll_times_power would
 * make the same, only slower: a number that is halfway between doubles has a numerator of 54 bits
 * or more, so none is one, and the nearest to one is off by 2^-120.5 of it, while products with
 * powers truncated to 128 bits are off by 2^-122. */
ZTI_STATIC double ll_times(double m, int64_t e)
{
    const double ten = ll_ten_to(e < 0 ? -e : e);
    return e < 0 ? m / ten : m * ten;
}

/* As ll_times, without branches: products with 1 and quotients by 1 are exact. */
ZTI_STATIC double ll_times_evenly(double m, int64_t e)
{
    return m * ll_ten_to(e) / ll_ten_to(-e);
}

/* m 10^e with 0 < m < 10^15, rounded once; 0 where that is too large or too small. */
ZTI_STATIC double ll_times_power(const struct zti_ll_power *ten, uint32_t type, bool is_negative,
                                 uint64_t m, int64_t e)
{
    uint64_t high, low;
    if (type == ZT_F64 && e >= -ZTI_LL_EXACT && e <= ZTI_LL_EXACT)
        return ll_times(is_negative ? -(double)(int64_t)m : (double)(int64_t)m, e);
    if (e < -ZTI_LL_POWERS || e > ZTI_LL_POWERS)
        return 0;
    const uint32_t length = zti_bit_length64(m), bits = type == ZT_F32 ? 24 : 53;
    const struct zti_ll_power *const p = &ten[e + ZTI_LL_POWERS];
    ll_multiply(m << (64 - length), p, &high, &low);
    int32_t exponent = p->exponent + 128 - 64 + (int32_t)length; /* of 'high', a whole number */
    if (!(high >> 63)) {
        high = high << 1 | low >> 63;
        low <<= 1;
        exponent--;
    }
    const uint32_t down = 64 - bits;
    const uint64_t rest = high & ((UINT64_C(1) << down) - 1), half = UINT64_C(1) << (down - 1);
    uint64_t top = high >> down;
    top += rest > half || (rest == half && (low != 0 || top & 1));
    exponent += (int32_t)down;
    const int32_t place = exponent + (int32_t)bits; /* the number is below 2^place, about */
    if (place > (type == ZT_F32 ? 127 : 1023) || place < (type == ZT_F32 ? -124 : -1020))
        return 0;
    return ll_double(is_negative, top << (53 - bits), exponent + (int32_t)bits - 53);
}

/* A key's number: m 10^e with 10^(digits - 1) <= m < 10^digits. */
ZTI_STATIC double ll_of_digits(const struct zti_ll_power *ten, uint32_t type, uint32_t digits,
                               int32_t lowest, int64_t key)
{
    const uint64_t first = (uint64_t)ll_ten_to(digits - 1);
    uint64_t u = key < 0 ? 0 - (uint64_t)key : (uint64_t)key;
    if (u-- == 0)
        return 0;
    const uint64_t decade = u / (9 * first);
    const int64_t e = (int64_t)(decade < 4096 ? decade : 4096) + lowest;
    return ll_times_power(ten, type, key < 0, u - decade * (9 * first) + first, e);
}

/* The exponent of a normal number >= 2^-1022, whose mantissa is below 2. */
ZTI_STATIC int32_t ll_exponent(double x)
{
    return (int32_t)(zti_bits_of_double(x) >> 52 & 2047) - 1023;
}

/* The power of ten that is at most x >= 1e-300, or one less than the greatest such. */
ZTI_STATIC int32_t ll_decade(double x)
{
    return (int32_t)floor(ll_exponent(x) * 0.30102999566398120);
}

/* The nearest whole number to x 10^e, below 2^62; or 0. */
ZTI_STATIC uint64_t ll_scaled(const struct zti_ll_power *ten, double x, int32_t e)
{
    const uint64_t one = UINT64_C(1) << 52;
    const uint64_t mantissa = ((zti_bits_of_double(x) & (one - 1)) | one) << 11;
    const struct zti_ll_power *const p = &ten[e + ZTI_LL_POWERS];
    uint64_t high, low;
    ll_multiply(mantissa, p, &high, &low);
    const int32_t down = -(ll_exponent(x) + 1 - 64 + p->exponent + 128);
    if (down < 2 || down > 63)
        return 0;
    return (high >> (down - 1)) / 2 + ((high >> (down - 1)) & 1);
}

/* The place of m 10^e in the list of all numbers whose m has 'digits' digits, in ascending order;
 * 10^(digits - 1) 10^lowest has place 1. */
ZTI_STATIC int64_t ll_number_of(uint32_t digits, int32_t lowest, uint64_t m, int32_t e)
{
    const uint64_t first = (uint64_t)ll_ten_to(digits - 1);
    return (int64_t)((uint64_t)(e - lowest) * 9 * first + (m - first)) + 1;
}

/* What all numbers of 'digits' significant digits have in common. */
struct zti_ll_digits {
    double first;                    /* the least m */
    int64_t numbers, lowest, digits; /* of a decade; the least e */
};

ZTI_STATIC struct zti_ll_digits ll_digits_of(uint32_t digits, int32_t lowest)
{
    const double first = ll_ten_to(digits - 1);
    return (struct zti_ll_digits){first, 9 * (int64_t)first, lowest, digits};
}

/* ll_to_digits of doubles whose power is small, without branches; false where it is not, or the
 * number may not be one. A number that is one has but one m. */
ZTI_STATIC bool ll_to_near_digits(const struct zti_ll_digits *form, double x, int64_t *key)
{
    const double size = fabs(x), most = 10 * form->first;
    const int64_t e = ll_decade(size) - (form->digits - 1);
    const bool is_near = (e >= -ZTI_LL_EXACT) & (e < ZTI_LL_EXACT) & (e >= form->lowest - 1) &
                         (e - form->lowest < 600);
    const int64_t above = e > -ZTI_LL_EXACT ? e : -ZTI_LL_EXACT;
    const int64_t near = above < ZTI_LL_EXACT - 1 ? above : ZTI_LL_EXACT - 1;
    const int64_t place = near + (rint(ll_times_evenly(size, -near)) >= most);
    const double m = rint(ll_times_evenly(size, -place));
    const bool is_one = is_near & (m >= form->first) & (m < most) & (place >= form->lowest) &
                        (ll_times_evenly(m, place) == size);
    const double after = is_one ? m - form->first : 0;
    const int64_t u = (place - form->lowest) * form->numbers + (int64_t)after + 1;
    *key = x < 0 ? -u : u;
    return is_one;
}

/* The key of a number that has at most 'digits' significant digits and is a multiple of
 * 10^lowest. */
ZTI_STATIC bool ll_to_digits(const struct zti_ll_power *ten, uint32_t type, uint32_t digits,
                             int32_t lowest, double x, int64_t *key)
{
    const double size = fabs(x), least = type == ZT_F32 ? 0x1p-120 : 1e-290;
    const uint64_t first = (uint64_t)ll_ten_to(digits - 1);
    *key = 0;
    if (x == 0)
        return !signbit(x);
    if (!(size > least && size < 1e290))
        return false;
    int32_t e = ll_decade(size) - (int32_t)(digits - 1);
    const struct zti_ll_digits form = ll_digits_of(digits, lowest);
    if (type == ZT_F64 && ll_to_near_digits(&form, x, key))
        return true;
    uint64_t m = ll_scaled(ten, size, -e);
    if (m >= 10 * first)
        m = ll_scaled(ten, size, -++e);
    if (m < first || m >= 10 * first || e < lowest || e - lowest > 600)
        return false;
    const int64_t u = ll_number_of(digits, lowest, m, e);
    *key = x < 0 ? -u : u;
    if (type == ZT_F32 && u > INT64_C(1) << 30)
        return false;
    return ll_times_power(ten, type, x < 0, m, e) == x;
}

#endif
