/* lattice.c: a step and an offset of numbers that were packed into integers with a scale and an
 * offset, found from the numbers alone (GRIB, netCDF). Each number is known within half a unit in
 * its last place, so a distance of k steps bounds the step from both sides; the bounds narrow from
 * the least gap outward. Operations are exact or rounded once: the result is the same on any
 * machine. */
#include "codec/sz/lossless/lossless.h"

enum { DIVISORS = 6, TRIALS = 50, DECIMALS = 16, SPARSE = 1024, STEPS = 8 };

struct numbers {
    uint32_t type, n;
    const double *v;
    double half; /* of the last place, at the largest magnitude */
};

struct range {
    double low, high;
};

#define ROUND 0x1.8p52 /* adding it rounds numbers below 2^51 to whole ones */

/* As rint, which is a call where the machine need not have an instruction for it. */
ZTI_INLINE double nearest_whole(double x)
{
    return fabs(x) < 0x1p51 ? x + ROUND - ROUND : rint(x);
}

/* Half a unit in the last place of a normal number; of others about. */
static double half_place(uint32_t type, double x)
{
    const uint64_t field = zti_bits_of_double(x) >> 52 & 2047, places = type == ZT_F32 ? 24 : 53;
    return zti_double_from_bits((field > places ? field - places : 1) << 52);
}

/* The offsets that a step allows for: none where high < low. */
static struct range offsets(const struct numbers *s, uint32_t every, double step)
{
    struct range r = {-(double)INFINITY, (double)INFINITY};
    for (uint32_t i = 0; i < s->n; i += every) {
        const double k = nearest_whole((s->v[i] - s->v[0]) / step), at = s->v[i] - k * step;
        const double half = half_place(s->type, s->v[i]);
        r.low = at - half > r.low ? at - half : r.low;
        r.high = at + half < r.high ? at + half : r.high;
    }
    return r;
}

static double slack(const struct numbers *s, uint32_t every, double step)
{
    const struct range r = offsets(s, every, step);
    return r.high - r.low;
}

/* The least gap of all; partial ones, so that the compiler takes several at a time. */
static double least_of_gaps(const struct numbers *s)
{
    enum { PARTS = 8 };
    const uint32_t gaps = s->n - 1, whole = gaps - gaps % PARTS;
    double least = s->v[gaps] - s->v[0], part[PARTS];
    for (uint32_t k = 0; k < PARTS; k++)
        part[k] = least;
    for (uint32_t i = 0; i < whole; i += PARTS)
        for (uint32_t k = 0; k < PARTS; k++) {
            const double gap = s->v[i + k + 1] - s->v[i + k];
            part[k] = gap < part[k] ? gap : part[k];
        }
    for (uint32_t i = whole; i < gaps; i++)
        least = s->v[i + 1] - s->v[i] < least ? s->v[i + 1] - s->v[i] : least;
    for (uint32_t k = 0; k < PARTS; k++)
        least = part[k] < least ? part[k] : least;
    return least;
}

/* The least gap; of several, the one nearest to the middle of the list. */
static uint32_t least_gap(const struct numbers *s)
{
    const double most = least_of_gaps(s) + 2.1 * s->half;
    const uint32_t middle = s->n / 2;
    for (uint32_t far = 0;; far++) {
        const uint32_t after = middle + far, before = middle - far;
        if (far <= middle && s->v[before + 1] - s->v[before] <= most)
            return before;
        if (after + 1 < s->n && s->v[after + 1] - s->v[after] <= most)
            return after;
    }
}

/* Narrow the range of steps by a distance; false where it is no multiple. *inverse is one over the
 * range's middle. */
ZTI_INLINE bool narrow_by(double d, double unit, struct range *step, double *inverse)
{
    const double k = nearest_whole(d * *inverse);
    if (k < 1 || d * (step->high - step->low) > 0.8 * step->low * step->high)
        return false;
    if (d - unit <= step->low * k && d + unit >= step->high * k)
        return true;
    const double low = (d - unit) / k, high = (d + unit) / k;
    step->low = low > step->low ? low : step->low;
    step->high = high < step->high ? high : step->high;
    *inverse = 2 / (step->low + step->high);
    return step->low <= step->high;
}

/* Whether distances of numbers from 'origin' are multiples of any step of the range, so that they
 * do not narrow it. Most distances do not, and this has no divisions and waits for none of them. */
static bool are_within(const double *v, uint32_t n, double origin, double unit, struct range step,
                       double inverse)
{
    enum { PARTS = 8 };
    double most[PARTS] = {0};
    if (n % PARTS || fabs(v[0] - origin) * inverse > 0x1p50 ||
        fabs(v[n - 1] - origin) * inverse > 0x1p50)
        return false;
    for (uint32_t i = 0; i < n; i += PARTS)
        for (uint32_t j = 0; j < PARTS; j++) {
            const double d = fabs(v[i + j] - origin), k = d * inverse + ROUND - ROUND;
            const double low = d - unit - step.low * k, high = step.high * k - (d + unit);
            const double far = low > high ? low : high, none = k < 1 ? 1 : far;
            most[j] = none > most[j] ? none : most[j];
        }
    double all = 0;
    for (uint32_t j = 0; j < PARTS; j++)
        all = most[j] > all ? most[j] : all;
    return all <= 0;
}

/* Narrow the range by the distances of numbers first to end - 1, some at a time. */
static bool narrow_by_all(const struct numbers *s, uint32_t from, uint32_t first, uint32_t end,
                          struct range *step, double *inverse)
{
    enum { AT_A_TIME = 64 };
    const double unit = 2 * s->half, origin = s->v[from];
    for (uint32_t i = first, n; i < end; i += n) {
        n = end - i < AT_A_TIME ? end - i : AT_A_TIME;
        if (are_within(s->v + i, n, origin, unit, *step, *inverse))
            continue;
        for (uint32_t j = i; j < i + n; j++)
            if (!narrow_by(fabs(s->v[j] - origin), unit, step, inverse))
                return false;
    }
    return true;
}

/* The same by all distances from number 'from', the least first until the range is narrow enough
 * for any; false where one is no multiple. */
static bool narrow(const struct numbers *s, uint32_t from, struct range *step)
{
    const double unit = 2 * s->half, all = s->v[s->n - 1] - s->v[0];
    double inverse = 2 / (step->low + step->high);
    uint32_t l = from, r = from + 1;
    while ((l > 0 || r + 1 < s->n) &&
           all * (step->high - step->low) > 0.4 * step->low * step->high) {
        const double left = l > 0 ? s->v[from] - s->v[l - 1] : (double)INFINITY;
        const double right = r + 1 < s->n ? s->v[r + 1] - s->v[from] : (double)INFINITY;
        if (!narrow_by(left < right ? left : right, unit, step, &inverse))
            return false;
        if (left < right)
            l--;
        else
            r++;
    }
    return narrow_by_all(s, from, 0, l, step, &inverse) &&
           narrow_by_all(s, from, r + 1, s->n, step, &inverse);
}

/* A power of two within a range, or the decimal of fewest digits, or its middle. */
static double simplest(struct range r, bool *is_power)
{
    int exponent;
    (void)frexp(r.high, &exponent);
    const double power = ldexp(1, exponent - 1);
    *is_power = power >= r.low && power <= r.high;
    if (*is_power)
        return power;
    double ten = 10;
    for (uint32_t k = 1; k < DECIMALS; k++, ten *= 10) {
        const double decimal = rint(r.low / 2 * ten + r.high / 2 * ten) / ten;
        if (decimal >= r.low && decimal <= r.high)
            return decimal;
    }
    return (r.low + r.high) / 2;
}

/* The slack is concave in the step: a search by golden sections finds its most. */
static double widest(const struct numbers *s, struct range r)
{
    const double part = 0.61803398874989485;
    const uint32_t every = s->n / SPARSE + 1;
    double a = r.high - part * (r.high - r.low), b = r.low + part * (r.high - r.low);
    double at_a = slack(s, every, a), at_b = slack(s, every, b);
    for (uint32_t i = 0; i < TRIALS; i++) {
        if (at_a < at_b) {
            r.low = a;
            a = b;
            at_a = at_b;
            b = r.low + part * (r.high - r.low);
            at_b = slack(s, every, b);
        } else {
            r.high = b;
            b = a;
            at_b = at_a;
            a = r.high - part * (r.high - r.low);
            at_a = slack(s, every, a);
        }
    }
    const double step = (r.low + r.high) / 2;
    return slack(s, every, (double)(float)step) > 0 ? (double)(float)step : step;
}

/* A step whose products with whole numbers are the numbers, rounded to doubles: angles, for
 * instance. The quotients of the largest numbers leave but a few doubles for it. */
static bool find_multiples(const struct numbers *s, struct range r, double *step)
{
    const double about = (r.low + r.high) / 2;
    struct range own = {0, (double)INFINITY};
    for (uint32_t i = 0; i < s->n; i++) {
        const double size = fabs(s->v[i]), k = rint(size / about), half = half_place(s->type, size);
        if (k < 1 && size > 0)
            return false;
        if (k < 1)
            continue;
        own.low = (size - half) / k > own.low ? (size - half) / k : own.low;
        own.high = (size + half) / k < own.high ? (size + half) / k : own.high;
        if (own.low * (1 - 0x1p-51) > own.high)
            return false;
    }
    *step = nextafter(own.low, 0);
    for (uint32_t trial = 0; trial < STEPS; trial++, *step = nextafter(*step, (double)INFINITY)) {
        uint32_t i = 0;
        while (i < s->n && rint(s->v[i] / about) * *step == s->v[i])
            i++;
        if (i == s->n)
            return true;
    }
    return false;
}

bool zti_ll_find_lattice(uint32_t type, const double *number, uint32_t n, double *offset,
                         double *step)
{
    struct numbers s = {.type = type, .n = n, .v = number};
    if (n < 8)
        return false;
    s.half = half_place(type, fmax(fabs(number[0]), fabs(number[n - 1])));
    const uint32_t from = least_gap(&s);
    const double gap = number[from + 1] - number[from];
    if (!(gap > 3 * s.half) || !isfinite(number[n - 1] - number[0]))
        return false;
    for (uint32_t j = 1; j <= DIVISORS; j++) {
        struct range r = {(gap - 2 * s.half) / j, (gap + 2 * s.half) / j};
        bool is_power;
        if (!narrow(&s, from, &r))
            continue;
        if (type == ZT_F64 && find_multiples(&s, r, step)) {
            *offset = 0;
            return true;
        }
        *step = simplest(r, &is_power);
        if (*step < 6 * s.half)
            continue; /* there is nothing to be had */
        struct range o = offsets(&s, 1, *step);
        if (o.low > o.high && !is_power) {
            *step = widest(&s, r);
            o = offsets(&s, 1, *step);
        }
        if (o.low > o.high)
            continue;
        const double middle = (o.low + o.high) / 2;
        const bool is_short = (double)(float)middle >= o.low && (double)(float)middle <= o.high;
        *offset = is_short ? (double)(float)middle : middle;
        return true;
    }
    return false;
}

/* By digits of their bits that differ, the lowest first. */
void zti_ll_sort(uint64_t *list, uint64_t *scratch, size_t n)
{
    enum { MOST_BITS = 11, FEW_BITS = 8, MANY = 4096 };
    const uint32_t bits = n < MANY ? FEW_BITS : MOST_BITS;
    const uint64_t digit = (UINT64_C(1) << bits) - 1;
    uint64_t *from = list, *to = scratch, different = 0;
    for (size_t i = 0; i < n; i++)
        different |= list[i] ^ list[0];
    for (uint32_t shift = 0; different >> shift != 0; shift += bits) {
        uint32_t start[1 << MOST_BITS] = {0}, at = 0;
        shift += (uint32_t)zti_ctz64(different >> shift);
        for (size_t i = 0; i < n; i++)
            start[from[i] >> shift & digit]++;
        for (uint64_t d = 0; d <= digit; d++) {
            const uint32_t count = start[d];
            start[d] = at;
            at += count;
        }
        for (size_t i = 0; i < n; i++)
            to[start[from[i] >> shift & digit]++] = from[i];
        uint64_t *const other = from;
        from = to;
        to = other;
        if (shift + bits >= 64)
            break;
    }
    if (from != list)
        memcpy(list, from, n * sizeof *list);
}
