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

/* ---- keys to values ---- */

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
