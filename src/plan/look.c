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

enum { REACH = 3, CUBICS = 512, MOST_OFF = CUBICS / 8 };

/* The value at 'steps' elements along an axis from an element of the array. */
static double neighbour(const struct zti_array *array, const char *at, uint32_t axis, int64_t steps)
{
    const int64_t bytes = (int64_t)zt_type_bytes(array->type);
    return zti_number_at(array->type, at + steps * array->stride[axis] * bytes);
}

/* Count points that are farther than the bound from the cubic. */
static uint32_t count_off(const struct zti_array *array, uint32_t axis, double abs_bound)
{
    uint32_t off = 0;
    struct zti_array inner = *array; /* points that have all neighbours */
    inner.shape[axis] -= 2 * REACH;
    for (uint32_t k = 0; k < CUBICS && off <= MOST_OFF; k++) {
        uint64_t at[ZT_MAX_RANK];
        zti_array_point(&inner, k, at);
        at[axis] += REACH;
        const char *const here = zti_array_at(array, at);
        const double near = neighbour(array, here, axis, -1) + neighbour(array, here, axis, 1);
        const double far = neighbour(array, here, axis, -3) + neighbour(array, here, axis, 3);
        off += zti_is_off_cubic(neighbour(array, here, axis, 0), near, far, abs_bound);
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

enum { TIMES = 4 }; /* the largest box beside the smallest */

/* A box that a candidate codes as an array by itself. */
struct box_job {
    const struct zti_candidate *of;
    uint32_t k;     /* its number */
    bool is_tile;   /* a tile of the candidate's, if that is about as large, else about a cube */
    zt_context own; /* if there are several workers */
    zt_status status;
    double bytes; /* of the whole array at the box's rate */
    double fixed; /* of these, what a box of a far candidate may have beside its values */
    double rough; /* the box's roughness, where that is asked for */
};

/* Boxes are coded one after the other, or each on a thread. */
struct box_race {
    zt_context *context;
    const struct zti_array *array;
    const struct zti_target *target;
    uint64_t values; /* of a box */
    double step;     /* for roughness; 0: it is not asked for */
    uint32_t workers, jobs;
    struct box_job *job;
};

/* A box has a 32nd of the array's values, within limits. */
static uint64_t box_values(const struct zti_array *array, uint64_t least_values)
{
    enum { PART = 32 };
    const uint64_t some = zti_array_values(array->rank, array->shape) / PART;
    return some < least_values           ? least_values
           : some < TIMES * least_values ? some
                                         : TIMES * least_values;
}

/* The numbers of the first boxes, at most n, that are not flat; returns how many there are. A flat
 * box takes its head and little more in any coder. */
static uint32_t pick_boxes(const struct zti_array *array, uint64_t values, double abs_bound,
                           uint32_t n, uint32_t *k)
{
    enum { TRIES_EACH = 4, LEAST_TRIES = 8 };
    const uint32_t tries = TRIES_EACH * n > LEAST_TRIES ? TRIES_EACH * n : LEAST_TRIES;
    uint64_t box[ZT_MAX_RANK], at[ZT_MAX_RANK];
    uint32_t found = 0;
    zti_sample_shape(array, values, box);
    for (uint32_t i = 0; i < tries && found < n; i++) {
        zti_sample_place(array, box, i, at);
        if (!zti_array_is_flat(array, at, box, 2 * abs_bound))
            k[found++] = i;
    }
    return found;
}

/* Place point number k of a box that is inner along an axis. Some lie in a row each, as an array in
 * a file is mapped page by page. */
static void place_point(const struct zti_array *array, const uint64_t *origin, const uint64_t *box,
                        uint32_t axis, uint32_t k, uint64_t *at)
{
    enum { ROW = 4, APART = 8 };
    for (uint32_t i = 0; i < array->rank; i++) {
        const uint64_t room = box[i] - (i == axis ? 2 : 0);
        const uint64_t along = i + 1 == array->rank ? k % ROW * APART : 0;
        at[i] = origin[i] + (i == axis) + (zti_spread_along(room, i, k / ROW) + along) % room;
    }
}

/* The least over the axes of a box: the mean over points of log2(1 + d), where d is the second
 * difference along the axis in steps. The caller may give pages back now and then (context; NULL:
 * it is not asked). */
static double measure_roughness(const zt_context *context, const struct zti_array *array,
                                const uint64_t *origin, const uint64_t *box, double step)
{
    enum { POINTS = 1 << 12, TOLD = 64 };
    double least = (double)INFINITY;
    for (uint32_t axis = 0; axis < array->rank; axis++) {
        double sum = 0;
        for (uint32_t k = 0; k < POINTS && box[axis] > 2; k++) {
            uint64_t at[ZT_MAX_RANK];
            if (k % TOLD == 0)
                zti_stage(context, ZT_STAGE_SAMPLES);
            place_point(array, origin, box, axis, k, at);
            const char *const here = zti_array_at(array, at);
            const double sides = neighbour(array, here, axis, -1) + neighbour(array, here, axis, 1);
            const double d = fabs(neighbour(array, here, axis, 0) - sides / 2) / step;
            sum += d < 1e30 ? zti_log2_about(1 + d) : 0;
        }
        if (box[axis] > 2 && sum / POINTS < least)
            least = sum / POINTS;
    }
    return isfinite(least) ? least : 0;
}

/* The shape of a job's box. */
static zt_status shape_box(struct zti_estimator *e, struct box_job *job, uint64_t values,
                           uint64_t *box)
{
    struct zti_coding coding;
    zti_sample_shape(e->array, values, box);
    if (!job->is_tile)
        return ZT_OK;
    const zt_status status =
        zti_estimate_configure(e, NULL, e->array->rank, e->array->shape, &coding);
    uint64_t tile = 1;
    for (uint32_t i = 0; i < e->array->rank && !status; i++)
        tile *= coding.grid.side[i];
    job->is_tile = !status && tile >= values && tile <= TIMES * values;
    for (uint32_t i = 0; i < e->array->rank && job->is_tile; i++)
        box[i] = coding.grid.side[i];
    return status;
}

static zt_status code_box(zt_context *context, const struct box_race *r, struct box_job *job)
{
    enum { FIXED_BYTES = 512 };
    const struct zti_plan none = zti_plan_none(r->array->rank);
    const zt_params params = zti_params_for(r->target->params, job->of);
    struct zti_target own = zti_target_for(r->target, job->of, &params);
    own.has_few_samples = own.has_few_samples || r->step > 0;
    uint64_t box[ZT_MAX_RANK], at[ZT_MAX_RANK];
    struct zti_estimator e;
    zt_status status =
        zti_estimator_open(context, r->array, zti_codec_by_id(job->of->codec), &own, 0, &e);
    if (!status)
        status = shape_box(&e, job, r->values, box);
    if (!status)
        status = zti_estimate_box(&e, &none, job->k, box, &job->bytes);
    zti_estimator_free(&e);
    if (!status && job->of->is_far && !job->is_tile)
        job->fixed = FIXED_BYTES * (double)zti_array_values(r->array->rank, r->array->shape) /
                     (double)zti_array_values(r->array->rank, box);
    if (!status && r->step > 0) {
        zti_sample_place(r->array, box, job->k, at);
        job->rough = measure_roughness(NULL, r->array, at, box, r->step);
    }
    return status;
}

static bool race_box(void *shared, uint32_t worker, uint64_t number)
{
    struct box_race *const r = shared;
    struct box_job *const job = &r->job[number];
    if (worker == 0) /* the calling thread, whose caller may give pages back */
        zti_stage(r->context, ZT_STAGE_SAMPLES);
    if (r->workers > 1)
        job->own = zti_context_of_thread(r->context);
    job->status = code_box(r->workers > 1 ? &job->own : r->context, r, job);
    return job->status == ZT_OK;
}

/* Code all boxes. */
static zt_status run_jobs(struct box_race *r)
{
    r->workers = zti_map_workers(r->context, r->jobs);
    zti_map(r->context, r->jobs, race_box, r);
    for (uint32_t i = 0; i < r->jobs; i++)
        if (r->job[i].status)
            return r->workers > 1
                       ? zti_fail(r->context, r->job[i].status, "%s", r->job[i].own.sentence)
                       : r->job[i].status;
    return ZT_OK;
}

zt_status zti_plan_compare_boxes(zt_context *context, const struct zti_array *array,
                                 const struct zti_candidate *one, const struct zti_candidate *other,
                                 const struct zti_target *target, const struct zti_boxes *boxes,
                                 double *part)
{
    enum { MOST = 2 };
    uint32_t k[MOST];
    double of_one = 0, of_other = 0;
    struct box_job job[2 * MOST];
    struct box_race r = {.context = context,
                         .array = array,
                         .target = target,
                         .values = box_values(array, boxes->least_values),
                         .job = job};
    const uint32_t n = pick_boxes(array, r.values, target->abs_bound, boxes->count, k);
    for (r.jobs = 0; r.jobs < 2 * n; r.jobs++) /* the slower first */
        job[r.jobs] = (struct box_job){.of = r.jobs < n ? one : other, .k = k[r.jobs % n]};
    const zt_status status = run_jobs(&r);
    for (uint32_t i = 0; i < r.jobs && !status; i++)
        *(i < n ? &of_one : &of_other) += job[i].bytes - job[i].fixed;
    if (!status && of_other > 0)
        *part = of_one > 0 ? of_one / of_other : 0;
    return status;
}

/* ---- what to expect of a large array ---- */

/* By boxes of it, and as the array is rougher than they are: bytes are taken as proportional to
 * roughness (a ratio estimator, with its standard error). */
static struct zti_expected expect(const struct box_job *job, uint32_t n, double all)
{
    double bytes = 0, rough = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++) {
        bytes += job[i].bytes / n;
        rough += job[i].rough / n;
    }
    if (!(rough > 0))
        return (struct zti_expected){.bytes = 0};
    for (uint32_t i = 0; i < n; i++) {
        const double d = job[i].bytes - bytes / rough * job[i].rough;
        squares += d * d;
    }
    const double own = bytes - job->fixed, least = own - 2 * sqrt(squares / n / (n - 1));
    return (struct zti_expected){.bytes = bytes * all / rough,
                                 .least = least > 0 ? least * all / rough : 0,
                                 .of_boxes = job->is_tile || own < 0 ? 0 : own};
}

zt_status zti_plan_expect(zt_context *context, const struct zti_array *array,
                          const struct zti_candidate *of, uint32_t count,
                          const struct zti_target *target, struct zti_expected *expected)
{
    enum { LEAST = 4, MOST = 8, EACH = 1 << 23, VALUES = 1 << 17 };
    static const uint64_t corner[ZT_MAX_RANK] = {0};
    const uint64_t some = zti_array_values(array->rank, array->shape) / EACH;
    const uint32_t n = some < LEAST ? LEAST : some < MOST ? (uint32_t)some : MOST;
    const double bound = target->abs_bound;
    uint32_t k[MOST];
    struct box_race r = {.context = context,
                         .array = array,
                         .target = target,
                         .values = VALUES,
                         .step = 2 * (zti_is_float(array->type) ? bound : floor(bound)) +
                                 !zti_is_float(array->type),
                         .jobs = n * count};
    memset(expected, 0, count * sizeof *expected);
    if (pick_boxes(array, VALUES, bound, n, k) < n)
        return ZT_OK;
    r.job = zti_alloc_zeroed(context, r.jobs * sizeof *r.job);
    if (!r.job)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for boxes of an array");
    for (uint32_t i = 0; i < r.jobs; i++) {
        r.job[i].of = &of[i / n];
        r.job[i].k = k[i % n];
        r.job[i].is_tile = true;
    }
    const zt_status status = run_jobs(&r);
    const double all = status ? 0 : measure_roughness(context, array, corner, array->shape, r.step);
    for (uint32_t i = 0; i < count && !status; i++)
        expected[i] = expect(&r.job[i * n], n, all);
    zti_release(context, r.job);
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
    uint64_t shape[ZT_MAX_RANK];
    double box[BOXES] = {0};
    zt_status status =
        zti_estimator_open(context, array, zti_codec_by_id(candidate->codec), &own, 0, &e);
    zti_sample_shape(array, VALUES, shape);
    for (uint32_t i = 0; i < BOXES && !status; i++)
        status = zti_estimate_box(&e, &none, i, shape, &box[i]);
    zti_estimator_free(&e);
    *bytes = (box[0] + box[1]) / BOXES;
    return status;
}
