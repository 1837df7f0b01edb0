/* look.c: look at points and boxes of an array before all of it is coded: whether values are smooth
 * beside a bound, and what candidates make of boxes that predict from so far away that smaller
 * samples say little of them. */
#include "plan/look.h"

#include "array/array.h"
#include "core/map.h"
#include "plan/estimate.h"
#include "plan/sample.h"

#include <math.h>

/* ---- points: the finest level of a cubic interpolation ---- */

enum { REACH = 3, POINTS = 512, MOST_OFF = POINTS / 8 };

/* The value at 'steps' elements along an axis from an element of the array. */
static double neighbour(const struct zti_array *array, const char *at, uint32_t axis, int64_t steps)
{
    const int64_t bytes = (int64_t)zt_type_bytes(array->type);
    return zti_number_at(array->type, at + steps * array->stride[axis] * bytes);
}

/* Count points that are farther than the bound from the cubic; NaN counts as far. */
static uint32_t count_off(const struct zti_array *array, uint32_t axis, double abs_bound)
{
    uint32_t off = 0;
    struct zti_array inner = *array; /* points that have all neighbours */
    inner.shape[axis] -= 2 * REACH;
    for (uint32_t k = 0; k < POINTS && off <= MOST_OFF; k++) {
        uint64_t at[ZT_MAX_RANK];
        zti_array_point(&inner, k, at);
        at[axis] += REACH;
        const char *const here = zti_array_at(array, at);
        const double near = neighbour(array, here, axis, -1) + neighbour(array, here, axis, 1);
        const double far = neighbour(array, here, axis, -3) + neighbour(array, here, axis, 3);
        const double value = neighbour(array, here, axis, 0);
        off += !(fabs(value - (9 * near - far) / 16) <= abs_bound);
    }
    return off;
}

bool zti_is_smooth(const struct zti_array *array, double abs_bound)
{
    for (uint32_t axis = 0; axis < array->rank; axis++)
        if (array->shape[axis] > 2 * REACH && count_off(array, axis, abs_bound) <= MOST_OFF)
            return true;
    return false;
}

/* ---- boxes ---- */

/* Boxes of an array that two candidates code, one after the other or each on a thread. */
enum { BOXES_MOST = 2 };

struct box_race {
    zt_context *context;
    const struct zti_array *array;
    const struct zti_candidate *of[2];
    const struct zti_target *target;
    uint64_t values; /* of a box */
    uint32_t boxes;
    uint32_t k[BOXES_MOST]; /* their numbers */
    uint32_t workers;
    struct {
        zt_context own; /* if there are several workers */
        zt_status status;
        double bytes;
    } box[2 * BOXES_MOST];
};

/* A box has a 32nd of the array's values, within limits. */
static uint64_t box_values(const struct zti_array *array, uint64_t least_values)
{
    enum { PART = 32, MOST_TIMES = 4 };
    const uint64_t some = zti_array_values(array->rank, array->shape) / PART;
    return some < least_values                ? least_values
           : some < MOST_TIMES * least_values ? some
                                              : MOST_TIMES * least_values;
}

/* The numbers of the first boxes, at most n, that are not flat; returns how many there are. A flat
 * box takes its head and little more in any coder. */
static uint32_t pick_boxes(const struct zti_array *array, uint64_t values, double abs_bound,
                           uint32_t n, uint32_t *k)
{
    enum { TRIES = 8 };
    uint64_t box[ZT_MAX_RANK], at[ZT_MAX_RANK];
    uint32_t found = 0;
    zti_sample_shape(array, values, box);
    for (uint32_t i = 0; i < TRIES && found < n; i++) {
        zti_sample_place(array, box, i, at);
        if (!zti_array_is_flat(array, at, box, 2 * abs_bound))
            k[found++] = i;
    }
    return found;
}

/* Code box number k as an array by itself; *bytes: those of the whole array at that rate. */
static zt_status code_box(zt_context *context, const struct zti_array *array,
                          const struct zti_candidate *candidate, const struct zti_target *target,
                          uint32_t k, uint64_t values, double *bytes)
{
    const struct zti_plan none = zti_plan_none(array->rank);
    const zt_params params = zti_params_for(target->params, candidate);
    const struct zti_target own = zti_target_for(target, candidate, &params);
    struct zti_estimator e;
    zt_status status =
        zti_estimator_open(context, array, zti_codec_by_id(candidate->codec), &own, 0, &e);
    if (!status)
        status = zti_estimate_box(&e, &none, k, values, bytes);
    zti_estimator_free(&e);
    return status;
}

static bool race_box(void *shared, uint32_t worker, uint64_t number)
{
    struct box_race *const r = shared;
    zt_context *const own = &r->box[number].own;
    (void)worker;
    if (r->workers > 1)
        *own = zti_context_of_thread(r->context);
    r->box[number].status =
        code_box(r->workers > 1 ? own : r->context, r->array, r->of[number / r->boxes], r->target,
                 r->k[number % r->boxes], r->values, &r->box[number].bytes);
    return r->box[number].status == ZT_OK;
}

zt_status zti_plan_compare_boxes(zt_context *context, const struct zti_array *array,
                                 const struct zti_candidate *one, const struct zti_candidate *other,
                                 const struct zti_target *target, const struct zti_boxes *boxes,
                                 double *part)
{
    double of_one = 0, of_other = 0;
    struct box_race r = {.context = context,
                         .array = array,
                         .of = {one, other}, /* the slower first */
                         .target = target,
                         .values = box_values(array, boxes->least_values)};
    zt_status status = ZT_OK;
    r.boxes = pick_boxes(array, r.values, target->abs_bound, boxes->count, r.k);
    r.workers = zti_map_workers(context, 2 * r.boxes);
    zti_map(context, 2 * r.boxes, race_box, &r);
    for (uint32_t i = 0; i < 2 * r.boxes && !status; i++) {
        status = r.box[i].status;
        *(i < r.boxes ? &of_one : &of_other) += r.box[i].bytes;
        if (status && r.workers > 1)
            (void)zti_fail(context, status, "%s", r.box[i].own.sentence);
    }
    if (!status && of_other > 0)
        *part = of_one / of_other;
    return status;
}

zt_status zti_plan_measure_lossless(zt_context *context, const struct zti_array *array,
                                    const struct zti_candidate *candidate,
                                    const struct zti_target *target, double *bytes)
{
    enum { VALUES = 1 << 14, BOXES = 2 };
    const struct zti_plan none = zti_plan_none(array->rank);
    const zt_params params = zti_params_for(target->params, candidate);
    struct zti_target own = {.params = &params, .kind = ZT_LOSSLESS};
    struct zti_estimator e;
    double box[BOXES] = {0};
    zt_status status =
        zti_estimator_open(context, array, zti_codec_by_id(candidate->codec), &own, 0, &e);
    for (uint32_t i = 0; i < BOXES && !status; i++)
        status = zti_estimate_box(&e, &none, i, VALUES, &box[i]);
    zti_estimator_free(&e);
    *bytes = (box[0] + box[1]) / BOXES;
    return status;
}
