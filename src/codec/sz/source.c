/* source.c: choose the integers that floats become where nothing may be lost: their bits in the
 * order of the numbers, or keys (quantize/keys.h) that are smaller; and tell whether those that
 * only the coder of effort high has are far smaller.
 *
 * Runs of neighbouring values are drawn from the array, and each candidate's keys are priced by the
 * lengths of their differences. A smaller key is the same number in a coarser unit, so what it
 * saves hardly depends on the predictor. */
#include "array/mirror.h"
#include "codec/sz/lossless/decimals.h"
#include "codec/sz/lossless/lossless.h"
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
    LONG_RUN = 512,
    VALUES = (int)ZTI_SZ_SOURCE_VALUES,
    APART = 32,         /* values between those with which keys are tried first */
    BITS_OF_EXACT = 10, /* of a value without a key, beside its own */
    LEAST_PART = 32     /* keys must save one part of so many */
};

struct sample {
    uint32_t type, n, run; /* n values, in runs of 'run' neighbours */
    double values[VALUES];
    int64_t keys[VALUES];
    struct zti_ll_power ten[2 * ZTI_LL_POWERS + 1];
};

zt_status zti_sz_draw(zt_context *context, const struct zti_array *array, uint32_t length,
                      uint64_t *first, double *values, uint32_t *n)
{
    const uint64_t all = zti_array_values(array->rank, array->shape), most = VALUES / length;
    const uint64_t runs = all / length < most ? all / length : most;
    float f;
    *n = (uint32_t)runs * length;
    for (uint64_t run = 0; run < runs; run++) {
        const uint64_t from = run * (all / runs), room = all / runs - length;
        first[run] = from + (run + 1) * UINT32_C(2654435769) % UINT32_MAX % (room + 1);
    }
    const zt_status status = zti_fetch_runs(context, array, first, (uint32_t)runs, length, values);
    for (uint32_t i = *n; i-- > 0 && array->type == ZT_F32;) {
        memcpy(&f, (const uint8_t *)values + i * sizeof f, sizeof f);
        values[i] = (double)f;
    }
    return status;
}

static zt_status draw(zt_context *context, const struct zti_array *array, uint32_t length,
                      struct sample *s)
{
    uint64_t first[VALUES / RUN];
    s->type = array->type;
    s->run = length;
    return zti_sz_draw(context, array, length, first, s->values, &s->n);
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
        const bool is_first = i % s->run == 0;
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

/* The source whose keys take the fewest bits; its other fields are those of 'own'. */
static struct zti_sz choose(const struct zti_sz *own, struct sample *s)
{
    struct zti_sz best = *own, other = best;
    ll_make_powers(s->ten);
    other.source = ZTI_SZ_SHORT;
    const uint64_t plain = price(&other, s);
    uint64_t least = plain - plain / LEAST_PART;
    other.zeros = (uint8_t)zeros_of(s);
    if (other.zeros > 0)
        compare(&best, &least, &other, s);
    other.zeros = 0;
    other.source = ZTI_SZ_DECIMALS;
    compare_decimals(&best, &least, other, s);
    other.source = ZTI_SZ_DIGITS;
    compare_decimals(&best, &least, other, s);
    return best;
}

zt_status zti_sz_choose_source(zt_context *context, struct zti_coding *coding,
                               const struct zti_array *array)
{
    struct sample s;
    const zt_status status = draw(context, array, RUN, &s);
    if (!status)
        *sz_in(coding) = choose(sz_of(coding), &s);
    return status;
}

/* ---- integers that only effort high has: numbers of distinct values, or of steps of a lattice
 * that each slice has for itself ---- */

/* Bits of the differences of a run's numbers. */
static uint64_t price_run(const int64_t *key, uint32_t n)
{
    uint64_t bits = 0;
    for (uint32_t i = 1; i < n; i++)
        bits += zti_bit_length64(ZTI_SZ_FOLDED((uint64_t)key[i] - (uint64_t)key[i - 1], 64));
    return bits;
}

/* Far fewer bits: a third less, where a value takes four or more. Where it takes fewer, a coder
 * that is three times as slow saves little. */
static bool is_far_less(uint64_t own, uint64_t plain, uint32_t n)
{
    return plain > 4 * (uint64_t)n && 3 * own < 2 * plain;
}

/* Sort bits of numbers; returns how many are distinct, which come first. */
static uint32_t sort_distinct(uint64_t *list, uint64_t *scratch, uint32_t n)
{
    uint32_t distinct = 0;
    zti_ll_sort(list, scratch, n);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || list[i] != list[distinct - 1])
            list[distinct++] = list[i];
    return distinct;
}

/* A number's bits, as an unsigned number of the same order, and back. */
static uint64_t order_of_number(double x)
{
    return ZTI_SZ_ORDERED(zti_bits_of_double(x), 64) ^ UINT64_C(1) << 63;
}

static double number_of_order(uint64_t order)
{
    const uint64_t own = order ^ UINT64_C(1) << 63;
    return zti_double_from_bits(ZTI_SZ_ORDERED(own, 64));
}

/* Whether numbers of few distinct values are far smaller than keys, which are lost. */
static bool are_ranks_smaller(struct sample *s)
{
    enum { FEW_PART = 8 };
    uint64_t list[VALUES], own = 0, plain = 0;
    int64_t rank[RUN];
    for (uint32_t first = 0; first < s->n; first += RUN)
        plain += price_run(s->keys + first, RUN);
    for (uint32_t i = 0; i < s->n; i++)
        list[i] = order_of_number(s->values[i]);
    const uint32_t distinct = sort_distinct(list, (uint64_t *)s->keys, s->n);
    if (distinct * FEW_PART > s->n)
        return false;
    for (uint32_t first = 0; first < s->n; first += RUN) {
        for (uint32_t i = 0; i < RUN; i++) {
            const uint64_t order = order_of_number(s->values[first + i]);
            uint32_t low = 0, high = distinct;
            while (high - low > 1) {
                const uint32_t middle = (low + high) / 2;
                *(list[middle] <= order ? &low : &high) = middle;
            }
            rank[i] = low;
        }
        own += price_run(rank, RUN);
    }
    return is_far_less(own, plain, s->n);
}

/* Runs of a sample: those that have enough numbers to tell, those that are on a lattice, and the
 * bits of these as such, and by keys. */
struct lattices {
    uint32_t known, found;
    uint64_t own, plain;
};

static void look_for_lattice(const struct sample *s, uint32_t first, struct lattices *l)
{
    uint64_t list[LONG_RUN], scratch[LONG_RUN];
    double number[LONG_RUN], offset, step;
    int64_t key[LONG_RUN];
    const double *const v = s->values + first;
    for (uint32_t i = 0; i < s->run; i++) {
        if (!(fabs(v[i]) < (double)INFINITY))
            return;
        list[i] = order_of_number(v[i]);
    }
    const uint32_t distinct = sort_distinct(list, scratch, s->run);
    for (uint32_t i = 0; i < distinct; i++)
        number[i] = number_of_order(list[i]);
    if (distinct < RUN / 4)
        return;
    l->known++;
    if (!zti_ll_find_lattice(s->type, number, distinct, &offset, &step))
        return;
    for (uint32_t i = 0; i < s->run; i++) {
        const double k = (v[i] - offset) / step;
        key[i] = fabs(k) < 0x1p62 ? (int64_t)rint(k) : 0;
    }
    l->found++;
    l->own += price_run(key, s->run);
    l->plain += price_run(s->keys + first, s->run);
}

/* Some of the runs; if any is on a lattice, longer ones, whose bits decide. */
static zt_status are_lattices_smaller(zt_context *context, const struct zti_array *array,
                                      const struct zti_sz *keys, struct sample *s, bool *is_packed)
{
    enum { EVERY = 6 * RUN, FOUND_LEAST = 2 };
    struct lattices some = {.known = 0}, all = some;
    for (uint32_t first = 0; first < s->n; first += EVERY)
        look_for_lattice(s, first, &some);
    *is_packed = false;
    if (some.found == 0)
        return ZT_OK;
    const zt_status status = draw(context, array, LONG_RUN, s);
    if (status)
        return status;
    (void)price(keys, s);
    for (uint32_t first = 0; first < s->n; first += LONG_RUN)
        look_for_lattice(s, first, &all);
    *is_packed = all.found >= FOUND_LEAST && 4 * all.found >= 3 * all.known &&
                 is_far_less(all.own, all.plain, all.found * LONG_RUN);
    return ZT_OK;
}

zt_status zti_sz_is_packed(zt_context *context, const struct zti_array *array,
                           const struct zti_found *found, bool *is_packed)
{
    struct zti_sz keys = {.source = ZTI_SZ_BITS};
    struct sample s;
    const zt_status status = draw(context, array, RUN, &s);
    *is_packed = false;
    if (status || s.n == 0)
        return status;
    ll_make_powers(s.ten);
    if (found->has_rest)
        zti_sz_set_source(&keys, found->rest[2]);
    else
        keys = choose(&keys, &s);
    if (keys.source == ZTI_SZ_BITS)
        keys.source = ZTI_SZ_SHORT; /* without zeros: the same */
    (void)price(&keys, &s);
    *is_packed = are_ranks_smaller(&s);
    return *is_packed ? ZT_OK : are_lattices_smaller(context, array, &keys, &s, is_packed);
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
