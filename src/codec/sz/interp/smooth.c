/* smooth.c: tell whether a small array, such as a chunk, is so smooth beside its bound that effort
 * default interpolates it. Without a plan nothing else compares the two, as coding samples of a
 * small array with both would take longer than coding it.
 *
 * Differences of smooth values are mostly their rounding to steps; cubic interpolation leaves zeros
 * there. So in runs along the last axis, the finest two levels of interpolation must predict nearly
 * all values within the bound, while some values differ from those before them. */
#include "codec/sz/interp/interp.h"

#include <math.h>

enum {
    LEAST_VALUES = 1 << 14,
    MOST_VALUES = 1 << 18,
    RUN = 64,
    REACH = 6, /* of the second level's cubic */
    LEAST_POINTS = 512,
    OFF_PART = 256,   /* the finest level may miss the bound at one point in 256, */
    OFF_2_PART = 64,  /* the second level at one in 64 */
    CHANGED_PART = 10 /* one value in ten, or more, is in another step than the value before it */
};

bool zti_sz_may_be_smooth(const struct zti_target *target, const struct zti_coding *coding)
{
    const struct zti_sz *const sz = sz_of(coding);
    const uint64_t values = zti_array_values(coding->grid.rank, coding->grid.shape);
    const bool is_chosen = target->params->plan != ZT_PLAN_OFF ||
                           target->params->prefer == ZT_PREFER_SPEED || sz->has_axes;
    return sz->coder == ZTI_SZ_DEFAULT && sz->source == ZTI_SZ_LATTICE && !sz->wants_high &&
           !is_chosen && sz->is_pointwise && !sz->has_mean && values >= LEAST_VALUES &&
           values <= MOST_VALUES;
}

struct points {
    uint32_t all, off, off_2, changed;
};

/* Whether a value is farther than the bound from the cubic through the values 'apart' and three
 * times that before and behind it. */
static bool is_off(const double *value, int32_t apart, double bound)
{
    return zti_is_off_cubic(*value, value[-apart] + value[apart],
                            value[-3 * apart] + value[3 * apart], bound);
}

/* Count the points of a run, which begins at value 'first' in C order, that have all neighbours in
 * their row. */
static void count_run(const double *run, uint64_t first, uint64_t row, double bound,
                      struct points *p)
{
    for (uint32_t i = REACH; i < RUN - REACH; i++) {
        const uint64_t at = (first + i) % row;
        if (at < REACH || at + REACH >= row)
            continue;
        p->all++;
        p->off += is_off(run + i, 1, bound);
        p->off_2 += is_off(run + i, 2, bound);
        p->changed += rint(run[i] / (2 * bound)) - rint(run[i - 1] / (2 * bound)) != 0;
    }
}

static bool are_smooth(const struct points *p)
{
    return p->all >= LEAST_POINTS && p->off <= p->all / OFF_PART &&
           p->off_2 <= p->all / OFF_2_PART && p->changed >= p->all / CHANGED_PART;
}

zt_status zti_sz_is_smooth(zt_context *context, const struct zti_coding *coding,
                           const struct zti_array *array, bool *is_smooth)
{
    uint64_t first[ZTI_SZ_SOURCE_VALUES / RUN];
    double values[ZTI_SZ_SOURCE_VALUES];
    struct points points = {.all = 0};
    uint32_t n = 0;
    *is_smooth = false;
    if (!sz_of(coding)->may_be_smooth)
        return ZT_OK;
    const zt_status status = zti_sz_draw(context, array, RUN, first, values, &n);
    for (uint32_t i = 0; i < n && !status; i += RUN)
        count_run(values + i, first[i / RUN], array->shape[array->rank - 1], sz_of(coding)->bound,
                  &points);
    *is_smooth = !status && are_smooth(&points);
    return status;
}

zt_status zti_sz_begin_smooth(zt_context *context, struct zti_coding *coding)
{
    sz_in(coding)->has_few_samples = true;
    const zt_status status = zti_sz_high_begin(context, coding);
    if (!status && sz_of(coding)->coder == ZTI_SZ_HIGH) {
        struct zti_sz_high *const high = coding->model;
        high->lorenzo_bits = UINT64_MAX; /* not compared with others */
    }
    return status;
}
