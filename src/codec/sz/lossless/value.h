/* value.h: kernel text: one value, key or symbol at a time, as C and kernels decode it. The
 * includer defines WIDTH; 'value' is its unsigned type, 'key' the signed one. */
#include "codec/sz/lossless/decimals.h"
#include "codec/sz/lossless/read_front.h"

#if WIDTH == 32
typedef uint32_t value;
typedef int32_t key;
typedef float real; /* of predictions */
enum { MANTISSA = 23, EXPONENTS = 256 };
#else
typedef uint64_t value;
typedef int64_t key;
typedef double real;
enum { MANTISSA = 52, EXPONENTS = 2048 };
#endif

#define SIGN ((value)1 << (WIDTH - 1))
#define ONE  ((value)1 << MANTISSA)

enum { FLOAT = WIDTH == 32 ? ZT_F32 : ZT_F64 };

/* ---- bits ---- */

ZTI_INLINE value bits_of(double x)
{
    value v;
#if WIDTH == 32
    const float f = (float)x;
    memcpy(&v, &f, sizeof v);
#else
    memcpy(&v, &x, sizeof v);
#endif
    return v;
}

ZTI_INLINE key order_of(bool is_float, value v)
{
    return (key)(is_float ? ZTI_SZ_ORDERED(v, WIDTH) : v);
}

/* ---- numbers of multiples ---- */

#define ZTI_LL_MOST_MULTIPLE (WIDTH == 32 ? 0x1p31 - 1 : ZTI_LL_MOST_NUMBER)

/* The number of the nearest multiple of a step, less the centre; false, and 0, where none is within
 * the bound. The quotient is rounded, so a number may first be one off. The multiple that will be
 * decoded is compared with the value, and a difference that is within the bound is exact, for the
 * reasons of quantize/nearest.h. */
#define ZTI_LL_NUMBER(name, scalar)                                                                \
    ZTI_INLINE bool name(const struct zti_sz *sz, scalar from, value *to)                          \
    {                                                                                              \
        const double step = sz->step, r = 1 / step, bound = sz->bound;                             \
        const double v = (double)from, first = rint(v * r), off = v - first * step;                \
        const double k = first + (off > bound ? 1.0 : 0.0) - (off < -bound ? 1.0 : 0.0);           \
        const double number = k - (double)sz->centre, back = (double)(scalar)(k * step);           \
        const bool is_in =                                                                         \
            (fabs(v - back) <= bound) & (number >= 0) & (number <= ZTI_LL_MOST_MULTIPLE);          \
        *to = (value)(key)(is_in ? number : 0.0);                                                  \
        return is_in;                                                                              \
    }

ZTI_LL_NUMBER(number_of_float, float)
ZTI_LL_NUMBER(number_of_double, double)
#undef ZTI_LL_NUMBER

ZTI_INLINE bool number_of_integer(const struct zti_sz *sz, int64_t from, value *to)
{
    const int64_t number = nearest_multiple(from, (int64_t)sz->whole_step) - sz->centre;
    *to = (value)number;
    return number >= 0 && number <= (int64_t)ZTI_LL_MOST_MULTIPLE;
}

/* ---- values to keys ---- */

ZTI_INLINE double number_of(uint32_t type, value v)
{
#if WIDTH == 32
    float f;
    memcpy(&f, &v, sizeof f);
    return type == ZT_F32 ? (double)f : (double)(int32_t)v;
#else
    double d;
    memcpy(&d, &v, sizeof d);
    return type == ZT_F64 ? d : (double)(int64_t)v;
#endif
}

/* The key of a value that is linear below an exponent. */
ZTI_INLINE key linear_key(value base, value zeros, value v)
{
    const value less = (base << MANTISSA) - ONE;
    const value size = v & (SIGN - 1), e = size >> MANTISSA;
    const value sign = (value)((key)v >> (WIDTH - 1));
    const value down = base + zeros - e;
    const value low =
        e == 0 || down > MANTISSA ? 0 : ((size & (ONE - 1)) | ONE) >> (down & (WIDTH - 1));
    const value linear = e >= base ? (size - less) >> zeros : low;
    return (key)(linear ^ sign);
}

/* How many low bits the key of a magnitude with this exponent leaves open; WIDTH: all of it. */
ZTI_STATIC uint32_t open_bits(const struct zti_ll_transform *t, uint32_t e)
{
    if (e >= t->base)
        return 0;
    const uint32_t down = t->base - e + t->zeros;
    if (e == 0 || down > MANTISSA)
        return WIDTH;
    return down > t->low[e] ? down - t->low[e] : 0;
}

/* The bits that it leaves open of a value, given how many of one with its exponent: WIDTH or fewer;
 * *count becomes how many there are. */
ZTI_INLINE uint64_t linear_field(const struct zti_ll_transform *t, uint32_t open, value v,
                                 uint32_t *count)
{
    const value size = v & (SIGN - 1);
    *count = open < WIDTH ? open : size ? WIDTH : 1;
    if (open < WIDTH)
        return (size >> t->low[size >> MANTISSA]) & (((value)1 << open) - 1);
    return size ? (uint64_t)size << 1 | 1 : 0;
}

/* A float that is a decimal to its key; 0 and false if it is none. Written without branches, so
 * that the compiler takes several values at a time. Minus zero is none: GCC 12, told that nobody
 * looks at the flags of operations, makes -0.0 of (double)(int64_t)-0.0. */
ZTI_INLINE bool decimal_of(double ten, value v, key *k)
{
    const double y = number_of(FLOAT, v) * ten;
    const bool is_small = fabs(y) < (WIDTH == 32 ? 0x1p30 : 9e15);
    *k = (key)rint(is_small ? y : 0);
    return is_small & (bits_of((double)*k / ten) == v) & (v != SIGN);
}

/* The same of a lattice's number; a step of 0 has none. */
ZTI_INLINE bool lattice_of(double offset, double step, value v, key *k)
{
    const double y = (number_of(FLOAT, v) - offset) / step;
    const bool is_small = fabs(y) < 1e9;
    *k = (key)rint(is_small ? y : 0);
    return is_small & (bits_of(offset + (double)*k * step) == v) & (v != SIGN) & (step > 0);
}

ZTI_INLINE bool digits_of(const struct zti_ll_power *ten, uint32_t type,
                          const struct zti_ll_transform *t, value v, key *k)
{
    int64_t wide;
    const bool is_one = ll_to_digits(ten, type, t->digits, t->lowest, number_of(type, v), &wide);
    *k = (key)wide;
    return is_one;
}

/* The same of those near 1, which a compiler takes several at a time. */
ZTI_INLINE bool near_digits_of(const struct zti_ll_digits *form, value v, key *k)
{
    int64_t wide;
    const bool is_one = ll_to_near_digits(form, number_of(ZT_F64, v), &wide);
    *k = (key)wide;
    return is_one;
}

ZTI_INLINE bool rank_of(const struct zti_ll_transform *t, value v, key *k)
{
    const uint64_t wanted = (uint64_t)(int64_t)(key)v ^ UINT64_C(1) << 63;
    uint32_t low = 0, high = t->ranks - 1;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (t->rank[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    *k = (key)low;
    return t->rank[low] == wanted;
}

/* The ordered integer whose rank is looked for, of one that 'order_of' makes. */
ZTI_INLINE uint64_t ranked(key ordered)
{
    return (uint64_t)(int64_t)ordered ^ UINT64_C(1) << 63;
}

/* ---- keys to values ---- */

ZTI_INLINE key unranked(uint64_t r)
{
    return (key)(int64_t)(r ^ UINT64_C(1) << 63);
}

/* What the linear transform makes of keys by the length of their magnitude: exponents, and bits
 * that are left open. */
struct lengths {
    value field[65];
    uint8_t down[65], up[65], open[65];
};

ZTI_STATIC void make_lengths(const struct zti_ll_transform *t, struct lengths *lengths)
{
    memset(lengths, 0, sizeof *lengths);
    for (uint32_t length = 1; t->kind == ZTI_LL_LINEAR && length <= MANTISSA - t->zeros; length++) {
        const uint32_t down = MANTISSA + 1 - length, e = t->base + t->zeros - down;
        lengths->down[length] = (uint8_t)down;
        lengths->field[length] = (value)e << MANTISSA;
        lengths->up[length] = t->low[e];
        lengths->open[length] = (uint8_t)(down > t->low[e] ? down - t->low[e] : 0);
    }
}

/* The value of a key of a linear transform. */
ZTI_INLINE value linear_value(const struct zti_ll_transform *t, const struct lengths *lengths,
                              key k, struct zti_bit_reader *r)
{
    const value sign = k < 0 ? SIGN : 0, linear = (value)k ^ (value)(k >> (WIDTH - 1));
    if (linear >= ONE >> t->zeros)
        return (((linear << t->zeros) + ((value)t->base << MANTISSA) - ONE) & (SIGN - 1)) | sign;
    if (linear == 0)
        return sign | (zti_get_within(r, 1) ? (value)ll_get(r, WIDTH - 1) : 0);
    const uint32_t length = zti_bit_length64(linear), open = lengths->open[length];
    const value bits = (value)(zti_peek_either(r) & ((UINT64_C(1) << open) - 1));
    r->at += open;
    return sign | lengths->field[length] | ((linear << lengths->down[length]) & (ONE - 1)) |
           bits << lengths->up[length];
}

/* The value with this rank. A damaged stream has any key. */
ZTI_INLINE value ranked_value(const struct zti_ll_transform *t, bool is_float, key k)
{
    const uint64_t at = (uint64_t)k;
    return (value)order_of(is_float, (value)unranked(t->rank[at < t->ranks ? at : 0]));
}

ZTI_INLINE value decimal_value(double ten, key k)
{
    return bits_of((double)k / ten);
}

ZTI_INLINE value lattice_value(double offset, double step, key k)
{
    return bits_of(offset + (double)k * step);
}

/* A multiple of a step from its number less the centre; of integers, within their type. */
ZTI_INLINE double multiple_of(key k, double centre, double step)
{
    return ((double)k + centre) * step;
}

ZTI_INLINE int64_t whole_multiple_of(key k, int64_t centre, int64_t step, int64_t least,
                                     int64_t most)
{
    const uint64_t q = (uint64_t)(int64_t)k + (uint64_t)centre;
    return multiple((int64_t)q, step, least, most);
}

/* ---- predictions ---- */

/* What stands before a row: the first key of the row before it. */
ZTI_INLINE key margin_before(const struct zti_ll_shape *s, const key *k, uint32_t number)
{
    const uint32_t regime = ll_regime(s, number);
    key first = 0;
    for (uint32_t axis = 3; axis-- > 0;)
        if (regime >> axis & 1)
            first = k[ll_cell(s, number - ll_rows_back(s, axis))];
    return first;
}

/* What a marked value has for a key. */
ZTI_INLINE key filler(const struct zti_ll_shape *s, const key *k, uint32_t regime, size_t cell,
                      bool is_first)
{
    const size_t up = cell - (regime & 1 ? s->stride : 0);
    if (s->is_lanes || is_first)
        return regime & 1   ? k[up]
               : regime & 2 ? k[cell - (size_t)ll_rows_back(s, 1) * s->stride]
                            : 0;
    return regime & 1 ? (key)((k[cell - 1] >> 1) + (k[up] >> 1)) : k[cell - 1];
}

ZTI_INLINE key rounded(real sum)
{
#if WIDTH == 32
    sum = sum > 2e9F ? 2e9F : sum < -2e9F ? -2e9F : sum;
    return (key)rintf(sum);
#else
    sum = sum > 4e18 ? 4e18 : sum < -4e18 ? -4e18 : sum;
    return (key)rint(sum);
#endif
}

ZTI_INLINE key difference(key a, key b)
{
    return (key)((value)a - (value)b);
}

/* ---- residuals to symbols ---- */

ZTI_INLINE value size_of(key residual)
{
    return residual < 0 ? 0 - (value)residual : (value)residual;
}

ZTI_INLINE uint8_t symbol_of(bool has_signs, key residual)
{
    const uint32_t code = ll_code(size_of(residual));
    return (uint8_t)(has_signs ? 2 * code - (residual < 0) : code);
}

/* What a symbol leaves open: bits below the two after the leading one, above the sign where
 * symbols have none. */
ZTI_INLINE uint64_t open_bits_of(bool has_signs, key residual, uint64_t *count)
{
    const value size = size_of(residual);
    const uint32_t open = ll_open(size);
    const uint64_t bits = size & ~(~(value)0 << open);
    *count = has_signs ? open : open + (size != 0);
    return has_signs ? bits : bits << 1 | (residual < 0);
}

/* ---- symbols to residuals ---- */

/* Of each symbol: its least magnitude, and how many bits it leaves open. */
struct steps {
    value least[ZTI_LL_ALPHABET];
    uint8_t open[ZTI_LL_ALPHABET];
};

ZTI_STATIC void make_step(bool has_signs, bool has_marks, uint32_t symbol, struct steps *steps)
{
    const uint32_t code = has_signs ? (symbol + 1) / 2 : symbol;
    const bool is_mark = has_marks && symbol >= ZTI_LL_MARK_RAW;
    steps->least[symbol] = is_mark ? 0 : (value)ll_least(code);
    steps->open[symbol] = (uint8_t)(is_mark ? 0 : ll_open_bits(code) + (!has_signs && code > 0));
}

/* The residual of a symbol and of its open bits. */
ZTI_INLINE key residual_of(bool has_signs, const struct steps *steps, uint8_t symbol, uint64_t bits)
{
    const value sign = 0 - (value)(has_signs ? symbol & 1u : bits & 1);
    const value size = steps->least[symbol] + (value)(has_signs ? bits : bits >> 1);
    return (key)((size ^ sign) - sign);
}

/* ---- rows that repeat rows ---- */

enum {
    COLUMN_BITS = 20, /* of a place */
    NEAR_SHIFT = 6
};

ZTI_INLINE uint64_t hash_of(value size)
{
    return (uint64_t)size * ZTI_LL_HASH_FACTOR;
}

/* A number that two magnitudes beside each other have in either order; for numbers and vectors. */
#define ZTI_LL_PAIR(size, before) (((size) + (before)) ^ ((size) ^ (before)) << 7)

ZTI_INLINE uint64_t hash_of_pair(value size, value before)
{
    return hash_of((value)ZTI_LL_PAIR(size, before));
}

/* Whether a value is looked up: none that is 0 or equals the one before it; of others only those
 * whose hash begins with 'skipped' zero bits. The hash is of the value's magnitude or, for pairs,
 * of that and the magnitude before it. sign: the bit that is none of a magnitude, or 0. */
ZTI_INLINE bool is_looked_up(value own, value before, value sign, uint32_t skipped, bool are_pairs,
                             uint64_t *hash)
{
    const value size = own & ~sign, other = before & ~sign;
    *hash = are_pairs ? hash_of_pair(size, other) : hash_of(size);
    const bool is_new = are_pairs ? size != other : own != before;
    return (*hash <= UINT64_MAX >> skipped) & is_new & (size != 0);
}

/* Bits of a hash, and the sign, that two values with the same magnitude have. */
ZTI_INLINE uint32_t tag_of(uint64_t hash, bool is_negative)
{
    return (uint32_t)(hash & 2047) << 1 | is_negative;
}

/* Whether two pairs of magnitudes beside each other are the same, in either order. */
ZTI_INLINE bool is_pair(value a, value before_a, value b, value before_b, value sign)
{
    const value first = a & ~sign, second = before_a & ~sign;
    const value other = b & ~sign, before = before_b & ~sign;
    return (first == other && second == before) || (first == before && second == other);
}

/* Whether a value is 64 times nearer to what is repeated than to the one before it. */
ZTI_INLINE bool is_near(bool is_float, value own, value before, value repeated)
{
    const key k = order_of(is_float, own);
    const value near = size_of(difference(k, order_of(is_float, repeated)));
    return near <= size_of(difference(k, order_of(is_float, before))) >> NEAR_SHIFT;
}
