/* source.c: choose the integers that floats become where nothing may be lost: their bits in the
 * order of the numbers, or keys (quantize/keys.h) that are smaller.
 *
 * Runs of neighbouring values are drawn from the array, and each candidate's keys are priced by the
 * lengths of their differences. A smaller key is the same number in a coarser unit, so what it
 * saves hardly depends on the predictor. */
#include "array/mirror.h"
#include "codec/sz/lossless/decimals.h"
#include "codec/sz/spec.h"

#define scalar  float
#define word    uint32_t
#define NAME(x) x##_f32
#include "codec/sz/quantize/keys.h"
#undef scalar
#undef word
#undef NAME

#define scalar  double
#define word    uint64_t
#define NAME(x) x##_f64
#include "codec/sz/quantize/keys.h"
#undef scalar
#undef word
#undef NAME

enum {
    RUN = 64, /* neighbouring values, in C order */
    RUNS = (int)ZTI_SZ_SOURCE_VALUES / RUN,
    APART = 32,         /* values between those with which keys are tried first */
    BITS_OF_EXACT = 10, /* of a value without a key, beside its own */
    LEAST_PART = 32     /* keys must save one part of so many */
};

struct sample {
    uint32_t type, n; /* number of values, runs of RUN */
    double values[RUNS * RUN];
    int64_t keys[RUNS * RUN];
    struct zti_ll_power ten[2 * ZTI_LL_POWERS + 1];
};

/* Draw runs at irregular distances; if the array is small, all of it. */
static zt_status draw(zt_context *context, const struct zti_array *array, struct sample *s)
{
    const uint64_t values = zti_array_values(array->rank, array->shape);
    const uint64_t runs = values / RUN < RUNS ? values / RUN : RUNS;
    uint64_t first[RUNS];
    float f;
    s->type = array->type;
    s->n = (uint32_t)runs * RUN;
    for (uint64_t run = 0; run < runs; run++) {
        const uint64_t from = run * (values / runs), room = values / runs - RUN;
        first[run] = from + (run + 1) * UINT32_C(2654435769) % UINT32_MAX % (room + 1);
    }
    const zt_status status = zti_fetch_runs(context, array, first, (uint32_t)runs, RUN, s->values);
    for (uint32_t i = s->n; i-- > 0 && s->type == ZT_F32;) {
        memcpy(&f, (const uint8_t *)s->values + i * sizeof f, sizeof f);
        s->values[i] = (double)f;
    }
    return status;
}

static bool key_at(const struct zti_sz *sz, struct sample *s, uint32_t i)
{
    return s->type == ZT_F32 ? key_of_f32(sz, s->ten, (float)s->values[i], &s->keys[i])
                             : key_of_f64(sz, s->ten, s->values[i], &s->keys[i]);
}

/* Whether most samples have a key, tried with some of them. */
static bool may_fit(const struct zti_sz *sz, struct sample *s)
{
    uint32_t exact = 0;
    for (uint32_t i = 0; i < s->n; i += APART)
        exact += !key_at(sz, s, i);
    return exact <= s->n / APART / 4;
}

/* Bits of the samples with a source: lengths of differences in runs, and values without keys. */
static uint64_t price(const struct zti_sz *sz, struct sample *s)
{
    const uint32_t value_bits = 8 * (uint32_t)zt_type_bytes(s->type);
    uint64_t bits = 0;
    uint32_t exact = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const bool is_first = i % RUN == 0;
        if (!key_at(sz, s, i)) {
            s->keys[i] = is_first ? 0 : s->keys[i - 1];
            exact++;
        }
        const uint64_t off = is_first ? 0 : (uint64_t)s->keys[i] - (uint64_t)s->keys[i - 1];
        bits += zti_bit_length64(ZTI_SZ_FOLDED(off, 64));
    }
    return bits + (uint64_t)exact * (value_bits + BITS_OF_EXACT);
}

/* Low bits that are 0 in all samples. */
static uint32_t zeros_of(const struct sample *s)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < s->n; i++)
        all |= s->type == ZT_F32 ? bits_of_f32((float)s->values[i]) : bits_of_f64(s->values[i]);
    return all ? zti_ctz64(all) : 0;
}

/* The power of ten of the least digit of the smallest sample, with some room below. */
static int16_t lowest_of(const struct sample *s, uint32_t digits)
{
    enum { ROOM = 3, MOST = 1000 };
    int32_t lowest = MOST;
    for (uint32_t i = 0; i < s->n; i++) {
        const double size = fabs(s->values[i]);
        const int32_t own =
            size > 1e-290 && size < 1e290 ? ll_decade(size) - (int32_t)digits + 1 : MOST;
        lowest = own < lowest ? own : lowest;
    }
    return (int16_t)(lowest == MOST ? 0 : lowest - ROOM);
}

/* Keep the better of a source and another. */
static void compare(struct zti_sz *best, uint64_t *least, const struct zti_sz *other,
                    struct sample *s)
{
    const uint64_t bits = price(other, s);
    if (bits >= *least)
        return;
    *least = bits;
    *best = *other;
}

static void set_digits(struct zti_sz *sz, const struct sample *s, uint32_t digits)
{
    sz->digits = (uint8_t)digits;
    sz->lowest = sz->source == ZTI_SZ_DIGITS ? lowest_of(s, digits) : 0;
}

/* Decimals: the fewest digits that most values have, and one more, which more values may have. */
static void compare_decimals(struct zti_sz *best, uint64_t *least, struct zti_sz other,
                             struct sample *s)
{
    const bool is_behind = other.source == ZTI_SZ_DECIMALS;
    const uint32_t most = is_behind ? ll_most_decimals(s->type) : ll_most_digits(s->type);
    uint32_t digits = is_behind ? 0 : 1;
    for (; digits <= most; digits++) {
        set_digits(&other, s, digits);
        if (may_fit(&other, s))
            break;
    }
    for (uint32_t more = 0; more < 2 && digits + more <= most; more++) {
        set_digits(&other, s, digits + more);
        compare(best, least, &other, s);
    }
}

zt_status zti_sz_choose_source(zt_context *context, struct zti_coding *coding,
                               const struct zti_array *array)
{
    struct sample s;
    struct zti_sz best = *sz_of(coding), other = best;
    const zt_status status = draw(context, array, &s);
    if (status)
        return status;
    ll_make_powers(s.ten);
    other.source = ZTI_SZ_SHORT;
    const uint64_t plain = price(&other, &s);
    uint64_t least = plain - plain / LEAST_PART;
    other.zeros = (uint8_t)zeros_of(&s);
    if (other.zeros > 0)
        compare(&best, &least, &other, &s);
    other.zeros = 0;
    other.source = ZTI_SZ_DECIMALS;
    compare_decimals(&best, &least, other, &s);
    other.source = ZTI_SZ_DIGITS;
    compare_decimals(&best, &least, other, &s);
    *sz_in(coding) = best;
    return ZT_OK;
}

/* ---- as a number ---- */

int64_t zti_sz_source_number(const struct zti_sz *sz)
{
    if (sz->source < ZTI_SZ_DECIMALS)
        return 0;
    return (int64_t)(sz->source | (uint64_t)sz->digits << 8 | (uint64_t)sz->zeros << 16 |
                     (uint64_t)(uint16_t)sz->lowest << 24);
}

void zti_sz_set_source(struct zti_sz *sz, int64_t number)
{
    if (number == 0)
        return;
    sz->source = number & 255;
    sz->digits = (uint8_t)(number >> 8);
    sz->zeros = (uint8_t)(number >> 16);
    sz->lowest = (int16_t)(uint16_t)(number >> 24);
}
