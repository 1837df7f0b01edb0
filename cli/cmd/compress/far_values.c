/* far_values.c: values that look as if they were fill values, found while an array goes by once:
 * such a value is among the largest or the smallest few. */
#include "cmd/compress/far_values.h"
#include "cmd/compress/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_COUNT = 3, BLOCK_VALUES = 1 << 14 };

static const double least_distance = 10; /* ranges */

/* The sample of a known number of values has at most about FAR_SAMPLE, without being thinned. */
void far_begin(struct far_values *f, uint32_t fills, const uint64_t *fill, uint64_t values)
{
    memset(f, 0, sizeof *f);
    f->step = 1;
    while (values != ZT_UNKNOWN && values / f->step > FAR_SAMPLE)
        f->step *= 2;
    f->fills = fills;
    memcpy(f->fill, fill, fills * sizeof *fill);
}

static bool is_fill(const struct far_values *f, const zt_array *a, uint64_t i)
{
    const bool is_short = zt_type_bytes(a->type) == 4;
    const uint64_t bits =
        is_short ? ((const uint32_t *)a->data)[i] : ((const uint64_t *)a->data)[i];
    for (uint32_t k = 0; k < f->fills; k++)
        if (f->fill[k] == bits)
            return true;
    return false;
}

/* Count 'count' equal values if they are among the outermost ones in a direction, 1 or -1. */
static void keep(struct far_value *list, uint32_t *n, double v, uint64_t count, double direction)
{
    uint32_t at = *n;
    if (at == FAR_KEPT && direction * v < direction * list[at - 1].value)
        return;
    while (at > 0 && direction * v >= direction * list[at - 1].value)
        at--;
    if (at < *n && list[at].value == v) {
        list[at].count += count;
        return;
    }
    if (*n < FAR_KEPT)
        ++*n;
    memmove(list + at + 1, list + at, (*n - at - 1) * sizeof *list);
    list[at] = (struct far_value){.value = v, .count = count};
}

/* Splitmix64: the sample is to have nothing to do with rows. */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* Every second value is dropped when there are too many. */
static void sample(struct far_values *f, double v)
{
    if (f->sampled == FAR_SAMPLE) {
        for (uint32_t i = 0; i < FAR_SAMPLE / 2; i++)
            f->sample[i] = f->sample[2 * i];
        f->sampled /= 2;
        f->step *= 2;
    }
    if (isfinite(v))
        f->sample[f->sampled++] = v;
}

static void sample_slab(struct far_values *f, const zt_array *a, uint64_t n, uint64_t first)
{
    for (uint64_t i = mix(~first) % (2 * f->step - 1); i < n;
         i += 1 + mix(first + i) % (2 * f->step - 1))
        if (!is_fill(f, a, i))
            sample(f, value_at(a, i));
}

/* What a value must reach, upwards or downwards, to be one of the outermost. */
static double least_high(const struct far_values *f)
{
    return f->highs < FAR_KEPT ? -(double)INFINITY : f->high[FAR_KEPT - 1].value;
}

static double most_low(const struct far_values *f)
{
    return f->lows < FAR_KEPT ? (double)INFINITY : f->low[FAR_KEPT - 1].value;
}

static void keep_both(struct far_values *f, const zt_array *a, uint64_t i, double v)
{
    if (!isfinite(v) || is_fill(f, a, i))
        return;
    keep(f->high, &f->highs, v, 1, 1);
    keep(f->low, &f->lows, v, 1, -1);
}

#define TAKE_BLOCK(type)                                                                           \
    for (uint64_t i = 0; i < a->shape[0]; i++) {                                                   \
        const double v = (double)((const type *)a->data)[i];                                       \
        if (v < high && v > low)                                                                   \
            continue;                                                                              \
        keep_both(f, a, i, v);                                                                     \
        high = least_high(f);                                                                      \
        low = most_low(f);                                                                         \
    }

static void take_block(struct far_values *f, const zt_array *a)
{
    double high = least_high(f), low = most_low(f);
    switch (a->type) {
    case ZT_F32: TAKE_BLOCK(float) break;
    case ZT_F64: TAKE_BLOCK(double) break;
    case ZT_I32: TAKE_BLOCK(int32_t) break;
    default: TAKE_BLOCK(int64_t)
    }
}

/* Whether none of the values is one of the outermost. */
static bool is_within(const struct far_values *f, const zt_stats *stats)
{
    return !(stats->max >= least_high(f) || stats->min <= most_low(f));
}

/* Most slabs, and most blocks of others, have none of the outermost values, which a scan says. */
zt_status far_take(struct far_values *f, zt_context *context, const zt_array *slab,
                   uint64_t first_value, const zt_stats *slab_stats)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < slab->rank; i++)
        n *= slab->shape[i];
    sample_slab(f, slab, n, first_value);
    if (slab_stats && is_within(f, slab_stats))
        return ZT_OK;
    for (uint64_t first = 0; first < n; first += BLOCK_VALUES) {
        const uint64_t count = n - first < BLOCK_VALUES ? n - first : BLOCK_VALUES;
        const zt_array block = zt_array_1d((char *)slab->data + first * zt_type_bytes(slab->type),
                                           (zt_type)slab->type, count);
        zt_stats stats;
        (void)zt_stats_init(&stats, sizeof stats);
        stats.fills = f->fills;
        memcpy(stats.fill, f->fill, sizeof stats.fill);
        const zt_status status = zt_scan(context, &block, &stats);
        if (status)
            return status;
        if (!is_within(f, &stats))
            take_block(f, &block);
    }
    return ZT_OK;
}

struct far_values *far_beside(const struct far_values *f)
{
    struct far_values *const other = malloc(sizeof *other);
    if (!other)
        return NULL;
    far_begin(other, f->fills, f->fill, ZT_UNKNOWN);
    other->step = f->step;
    return other;
}

/* A value that is among the outermost of all is among those of each part that has it, so its counts
 * add up. */
void far_merge(struct far_values *into, const struct far_values *from)
{
    for (uint32_t i = 0; i < from->highs; i++)
        keep(into->high, &into->highs, from->high[i].value, from->high[i].count, 1);
    for (uint32_t i = 0; i < from->lows; i++)
        keep(into->low, &into->lows, from->low[i].value, from->low[i].count, -1);
    for (uint32_t i = 0; i < from->sampled; i++)
        sample(into, from->sample[i]);
}

/* ---- what is far ---- */

static bool is_found(const struct far_value *found, uint32_t n, double v)
{
    for (uint32_t i = 0; i < n; i++)
        if (found[i].value == v)
            return true;
    return false;
}

/* The outermost value in a list that is neither v nor found; v where there is none. */
static double outermost(const struct far_value *list, uint32_t n, const struct far_value *found,
                        uint32_t founds, double v)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i].value != v && !is_found(found, founds, list[i].value))
            return list[i].value;
    return v;
}

/* What is known while it is searched. */
struct search {
    const struct far_values *f;
    double *sorted; /* the sample, once it was needed */
    double *others; /* room for as many */
    struct far_value *found;
    uint32_t founds;
    bool is_sorted;
};

static void sort_sample(struct search *s)
{
    if (s->is_sorted)
        return;
    memcpy(s->sorted, s->f->sample, s->f->sampled * sizeof *s->sorted);
    qsort(s->sorted, s->f->sampled, sizeof *s->sorted, compare_values);
    s->is_sorted = true;
}

/* The range that 99 % of the sample are in without v and what was found; where that is 0 the one of
 * all values, and where these are all the same their magnitude. */
static double range_without(struct search *s, double v)
{
    const struct far_values *const f = s->f;
    uint32_t n = 0;
    sort_sample(s);
    for (uint32_t i = 0; i < f->sampled; i++)
        if (s->sorted[i] != v && !is_found(s->found, s->founds, s->sorted[i]))
            s->others[n++] = s->sorted[i];
    const uint32_t tail = n / 200;
    const double inner = n > 0 ? s->others[n - 1 - tail] - s->others[tail] : 0;
    const double high = outermost(f->high, f->highs, s->found, s->founds, v);
    const double low = outermost(f->low, f->lows, s->found, s->founds, v);
    return inner > 0 ? inner : high != low ? fabs(high - low) : fabs(high == v ? 0 : high);
}

/* Whether the range that range_without finds, where it is of the sample, is at least 'width': more
 * than the tail's values are at or below some value, and as many at least 'width' above it. Far
 * less work than to sort; false: not known. */
static bool is_surely_wide(const struct search *s, double v, double width)
{
    const struct far_values *const f = s->f;
    uint32_t n = 0, low = 0, lower = 0, high = 0, higher = 0;
    const double middle = f->sampled > 0 ? f->sample[0] : 0;
    if (middle + width == middle || middle - width == middle)
        return false;
    for (uint32_t i = 0; i < f->sampled; i++) {
        const double x = f->sample[i];
        if (x == v || is_found(s->found, s->founds, x))
            continue;
        n++;
        low += x <= middle;
        lower += x <= middle - width;
        high += x >= middle;
        higher += x >= middle + width;
    }
    const uint32_t tail = n / 200;
    return (low > tail && higher > tail) || (lower > tail && high > tail);
}

/* Whether value i of a list is far from the values beside it. */
static bool is_far(struct search *s, const struct far_value *list, uint32_t n, uint32_t i)
{
    if (i + 1 >= n || list[i].count < LEAST_COUNT || is_found(s->found, s->founds, list[i].value))
        return false;
    double gap = fabs(list[i].value - list[i + 1].value);
    if (i > 0 && !is_found(s->found, s->founds, list[i - 1].value))
        gap = fmin(gap, fabs(list[i].value - list[i - 1].value));
    if (gap > 0 && is_surely_wide(s, list[i].value, gap / least_distance))
        return false;
    const double range = range_without(s, list[i].value);
    return range > 0 && gap > least_distance * range;
}

/* What is found makes the range of the others smaller, so that more may be. */
static void search_lists(struct search *s)
{
    const struct far_values *const f = s->f;
    for (uint32_t i = 0; i < 2 * FAR_KEPT && s->founds < ZT_MAX_FILLS; i++) {
        const struct far_value *const list = i % 2 == 0 ? f->high : f->low;
        if (is_far(s, list, i % 2 == 0 ? f->highs : f->lows, i / 2)) {
            s->found[s->founds++] = list[i / 2];
            i = UINT32_MAX; /* again */
        }
    }
}

uint32_t far_find(const struct far_values *f, struct far_value *found)
{
    double *const room = malloc(2 * sizeof f->sample);
    struct search s = {.f = f, .sorted = room, .others = room + FAR_SAMPLE, .found = found};
    if (!room)
        return 0;
    search_lists(&s);
    free(room);
    return s.founds;
}
