/* made.c: see made.h. Fields are random walks unless their name says otherwise: a step's standard
 * deviation is 0.3, so that multiples of u differ by log2(0.3 / u * sqrt(2 pi e)) bits. */
#include "support/made.h"

#include "support/awkward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 1 << 17, ROWS = 32, SLICES = 8, KEY_BITS = 40 };

static const double deviation = 0.3, spread = 4.132731; /* sqrt(2 pi e) */

static double bits_of_steps(double unit)
{
    return log2(deviation / unit * spread);
}

/* The next value of a walk that stays near 20. */
static double walk(double at, struct rng *r)
{
    return at + 0.6 * (rng_unit(r) + rng_unit(r) + rng_unit(r) - 1.5) - (at - 20) * 0.001;
}

static struct test_array new_field(uint32_t type, uint32_t rows)
{
    const uint64_t shape[2] = {rows, VALUES / rows};
    int64_t stride[ZT_MAX_RANK];
    const uint32_t rank = rows > 1 ? 2 : 1;
    contiguous_strides(rank, rows > 1 ? shape : shape + 1, stride);
    return test_array_new(type, rank, rows > 1 ? shape : shape + 1, stride);
}

/* Decimals of so many digits; 0: of 1 to 3, by chance. */
static struct made_field decimals(const char *name, uint32_t type, uint32_t digits)
{
    struct made_field f = {.name = name, .values = new_field(type, 1)};
    struct rng r = {1};
    double x = 20;
    for (uint32_t i = 0; i < VALUES; i++) {
        const double ten = pow(10, digits > 0 ? digits : 1 + (double)rng_below(&r, 3));
        x = walk(x, &r);
        set_number(&f.values.array, i, rint(x * ten) / ten);
    }
    f.ideal_bits = digits > 0 ? bits_of_steps(pow(10, -(double)digits))
                              : log2(3) + bits_of_steps(0.01); /* the mean of 0.1, 0.01, 0.001 */
    return f;
}

/* A walk's multiples of a unit. Angles are 'scale' times the multiple, in the type's arithmetic. */
static struct made_field multiples(const char *name, uint32_t type, double unit, double scale)
{
    struct made_field f = {.name = name, .values = new_field(type, 1)};
    struct rng r = {2};
    double x = 20;
    for (uint32_t i = 0; i < VALUES; i++) {
        x = walk(x, &r);
        const double n = rint(x / unit);
        set_number(&f.values.array, i,
                   type == ZT_F32 ? (double)((float)n * (float)scale) : n * scale);
    }
    f.ideal_bits = bits_of_steps(unit);
    return f;
}

/* A walk with so many bits of mantissa behind the leading one. */
static struct made_field widened(const char *name, uint32_t type, int bits)
{
    struct made_field f = {.name = name, .values = new_field(type, 1)};
    struct rng r = {3};
    double x = 20;
    for (uint32_t i = 0; i < VALUES; i++) {
        int exponent;
        x = walk(x, &r);
        (void)frexp(x, &exponent);
        const double unit = ldexp(1, exponent - 1 - bits);
        set_number(&f.values.array, i, rint(x / unit) * unit);
        f.ideal_bits += bits_of_steps(unit) / VALUES;
    }
    return f;
}

/* Slices of 16-bit integers, each with its own scale and offset: waves with noise that is the sum
 * of two uniform ones of 40 steps. */
static struct made_field packed(const char *name, uint32_t type)
{
    static const uint64_t shape[3] = {SLICES, VALUES / SLICES / 128, 128};
    int64_t stride[ZT_MAX_RANK];
    struct rng r = {4};
    contiguous_strides(3, shape, stride);
    struct made_field f = {.name = name, .values = test_array_new(type, 3, shape, stride)};
    for (uint32_t z = 0; z < SLICES; z++) {
        const double scale = (double)(float)(0.002 + 0.008 * rng_unit(&r));
        const double offset = (double)(float)(300 * rng_unit(&r));
        for (uint32_t i = 0; i < VALUES / SLICES; i++) {
            const double wave = sin(i % 128 * 0.05 + z) * cos(i / 128 * 0.04);
            const double n = floor(16000 + 12000 * wave + 40 * (rng_unit(&r) + rng_unit(&r)));
            set_number(&f.values.array, z * (VALUES / SLICES) + i,
                       type == ZT_I32 ? n : n * scale + offset);
        }
    }
    f.ideal_bits = log2(40) + 0.5 / log(2); /* of the sum of two uniform ones */
    return f;
}

/* Rows of random doubles that repeat the first of them. */
static struct made_field repeated_rows(const char *name)
{
    struct made_field f = {.name = name, .values = new_field(ZT_F64, ROWS)};
    double *const v = f.values.array.data;
    struct rng r = {5};
    for (uint32_t i = 0; i < VALUES; i++)
        v[i] = i < VALUES / ROWS ? rng_unit(&r) : v[i - VALUES / ROWS];
    f.ideal_bits = 53.0 / ROWS;
    return f;
}

static struct made_field noise(const char *name, uint32_t type)
{
    struct made_field f = {.name = name, .values = new_field(type, 1)};
    struct rng r = {6};
    for (uint32_t i = 0; i < VALUES; i++)
        set_bits(&f.values.array, i, rng_next(&r));
    f.ideal_bits = 8 * (double)zt_type_bytes(type);
    return f;
}

static struct made_field distinct(const char *name)
{
    static const double few[5] = {0.1, 0.7, 3.141592653589793, 1e10, -3.3e-5};
    struct made_field f = {.name = name, .values = new_field(ZT_F64, 1)};
    struct rng r = {7};
    for (uint32_t i = 0; i < VALUES; i++)
        set_number(&f.values.array, i, few[rng_below(&r, 5)]);
    f.ideal_bits = log2(5);
    return f;
}

static struct made_field counter(const char *name)
{
    struct made_field f = {.name = name, .values = new_field(ZT_I64, 1)};
    for (uint32_t i = 0; i < VALUES; i++)
        set_bits(&f.values.array, i, UINT64_C(1000000000000) + i);
    return f;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Random keys in order: their number's logarithm, less that of the orders they could be in. */
static struct made_field sorted_keys(const char *name)
{
    struct made_field f = {.name = name, .values = new_field(ZT_I64, 1)};
    struct rng r = {8};
    for (uint32_t i = 0; i < VALUES; i++)
        set_bits(&f.values.array, i, rng_below(&r, UINT64_C(1) << KEY_BITS));
    qsort(f.values.array.data, VALUES, sizeof(uint64_t), ascending);
    f.ideal_bits = KEY_BITS - log2(VALUES) + 1 / log(2);
    return f;
}

static struct made_field field_of(uint32_t k)
{
    static const char *const digits[] = {"1 digit",  "2 digits",  "3 digits",  "4 digits",
                                         "5 digits", "6 digits",  "7 digits",  "8 digits",
                                         "9 digits", "10 digits", "11 digits", "12 digits"};
    const double turn = 360.0 / 65536, pi = 3.14159265358979323846;
    switch (k) {
    case 12: return decimals("1 to 3 digits", ZT_F64, 0);
    case 13: return decimals("2 digits, f32", ZT_F32, 2);
    case 14: return packed("16-bit slices, i32", ZT_I32);
    case 15: return packed("16-bit slices, f32", ZT_F32);
    case 16: return packed("16-bit slices, f64", ZT_F64);
    case 17: return multiples("integers, f32", ZT_F32, 0.02, 1);
    case 18: return multiples("integers, f64", ZT_F64, 0.02, 1);
    case 19: return widened("halves, f32", ZT_F32, 10);
    case 20: return widened("bfloat16, f32", ZT_F32, 7);
    case 21: return widened("f32, f64", ZT_F64, 23);
    case 22: return repeated_rows("repeated rows, f64");
    case 23: return noise("noise, f32", ZT_F32);
    case 24: return noise("noise, f64", ZT_F64);
    case 25: return distinct("5 values, f64");
    case 26: return counter("counter, i64");
    case 27: return sorted_keys("sorted 40-bit keys, i64");
    case 28: return multiples("degrees / 65536, f32", ZT_F32, 0.01, turn);
    case 29: return multiples("degrees / 65536, f64", ZT_F64, 0.01, turn);
    case 30: return multiples("radians / 32768, f64", ZT_F64, 0.01, pi / 32768);
    default: return decimals(digits[k], ZT_F64, k + 1);
    }
}

/* What a field takes that is more than a fiftieth and a tenth of a bit (default: a quarter) above
 * its entropy; 0: it is not. */
static const struct {
    uint32_t field;
    double high_bits, default_bits;
} taken[] = {{12, 10.5, 10.7}, /* a value's digits are not known */
             {14, 6.8, 7.7},   /* nor are the waves */
             {15, 6.8, 6.8},   {16, 6.8, 6.8}, {26, 0, 1.1}, {27, 25.8, 25.8}};

struct made_field made_field_of(uint32_t k)
{
    struct made_field f = field_of(k);
    f.high_bits = 1.02 * f.ideal_bits + 0.1;
    f.default_bits = 1.02 * f.ideal_bits + 0.25;
    for (uint32_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        if (taken[i].field != k)
            continue;
        f.high_bits = taken[i].high_bits > 0 ? taken[i].high_bits : f.high_bits;
        f.default_bits = taken[i].default_bits;
    }
    return f;
}

size_t made_field_bytes(zt_context *context, const struct made_field *field, uint32_t coder)
{
    const zt_array *const a = &field->values.array;
    const size_t raw = (size_t)values_of(a->rank, a->shape) * zt_type_bytes(a->type);
    zt_params params;
    size_t capacity, bytes;
    (void)zt_params_init(&params, sizeof params);
    params.codec = ZT_CODEC_SZ;
    set_coder(&params, coder);
    params.plan = coder == CODER_DEFAULT ? ZT_PLAN_ON : ZT_PLAN_OFF; /* as the command has it */
    zt_status status = zt_compress_bound(context, a, &params, &capacity);
    void *const file = need(status == ZT_OK ? capacity : 1);
    zt_array back = *a;
    back.data = need(raw);
    if (status == ZT_OK)
        status = zt_compress(context, a, &params, file, capacity, &bytes);
    if (status == ZT_OK)
        status = zt_decompress(context, file, bytes, &back);
    if (status != ZT_OK || memcmp(back.data, a->data, raw) != 0) {
        fprintf(stderr, "%s: %s\n", field->name,
                status != ZT_OK ? zt_context_error(context) : "other bits come back");
        exit(1);
    }
    free(back.data);
    free(file);
    return bytes;
}
