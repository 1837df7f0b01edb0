/* resolve.c: the first stage: turns the caller's bound into what a codec is asked for, an absolute
 * bound or no loss. In: the parameters, the array's range, and what one pass over the slab finds. A
 * mean error, a bound relative to each value and dropped bit planes need a search over the values
 * as well: mean.c, pwrel.c and plan/loosen.h. */
#include "frame/write/stages.h"

#include <float.h>
#include <math.h>

/* ---- bounds and ranges ---- */

/* Move the ends of a range of int64 inwards where they may have been rounded, from 2^53 on; false
 * where nothing is left between them. */
static bool narrow_range(uint32_t type, double *lo, double *hi)
{
    const double exact = 9007199254740992.0; /* 2^53 */
    if (type == ZT_I64) {
        *lo = fabs(*lo) >= exact ? nextafter(*lo, (double)INFINITY) : *lo;
        *hi = fabs(*hi) >= exact ? nextafter(*hi, -(double)INFINITY) : *hi;
    }
    return *lo < *hi;
}

/* value * (hi - lo) without overflow and never rounded up. Each of the two operations is off by
 * half a unit in the last place at most; where one was inexact, the result is moved down by two
 * units. */
static double of_range(uint32_t type, double value, double lo, double hi)
{
    if (!narrow_range(type, &lo, &hi))
        return 0;
    double range = hi - lo;
    double bound = isfinite(range) ? value * range : value * hi - value * lo;
    if (!isfinite(bound))
        return DBL_MAX;
    double part = range - hi; /* what rounding took from hi - lo, by Knuth's two-sum */
    double lost = (hi - (range - part)) + (-lo - part);
    const double fine = 0x1p-969; /* from here on the product's rounding error is representable */
    bool is_exact = lost == 0 && bound >= fine && fma(value, range, -bound) == 0;
    return is_exact ? bound : nextafter(nextafter(bound, 0), 0);
}

/* The width of a range, as the PSNR uses it: never more than the true width, as the ends of an
 * int64 range may be rounded. 0 where the range is empty, below 2^-1000 or infinite. */
static double range_of(uint32_t type, double lo, double hi)
{
    const bool is_range = narrow_range(type, &lo, &hi);
    return is_range && hi - lo >= 0x1p-1000 && isfinite(hi - lo) ? hi - lo : 0;
}

/* Whether the bound's value is a multiple of the range. */
static bool is_of_range(uint32_t kind)
{
    return kind == ZT_REL || kind == ZT_RMSE_REL || kind == ZT_MAE_REL;
}

static bool needs_range(const zt_bound *bound)
{
    return bound->kind == ZT_PSNR || (is_of_range(bound->kind) && bound->value > 0);
}

bool zti_needs_range(const zt_params *params)
{
    return !zti_is_lossless(&params->bound) &&
           (needs_range(&params->bound) || needs_range(&params->mean));
}

/* Of mean_range: 1 over it is a normal number. */
static const double most_mean_range = 0x1p1020;

/* What errors are measured in under a bound on their mean: psnr: the array's range, see
 * range_of; else the error that was asked for, absolute. 0: nothing may be lost. */
static double mean_range(const zt_bound *mean, uint32_t type, double lo, double hi)
{
    const double least = 0x1p-1000;
    if (mean->kind == ZT_PSNR)
        return range_of(type, lo, hi);
    const double error =
        is_of_range(mean->kind) ? of_range(type, mean->value, lo, hi) : mean->value;
    return error < least ? 0 : fmin(error, most_mean_range);
}

double zti_mean_reached(const zt_bound *mean, double range, double sum, uint64_t values)
{
    const double error = values > 0 ? sum / (double)values : 0;
    if (mean->kind == ZT_PSNR)
        return sum > 0 ? -10 * log10(error) : (double)INFINITY;
    const double part = zti_is_absolute_mean(mean->kind) ? error : sqrt(error);
    if (!is_of_range(mean->kind))
        return part * range;
    return range < most_mean_range ? part * mean->value : (double)NAN;
}

/* A bound relative to each value: lossless if it is smaller than the gap between neighbouring
 * numbers of the type. */
static void resolve_part(const zt_bound *bound, uint32_t type, zt_bound_kind *kind,
                         double *abs_bound)
{
    if (bound->value == 0)
        *abs_bound = 0;
    if (bound->value <= (type == ZT_F32 ? 0x1p-24 : 0x1p-53))
        *kind = ZT_LOSSLESS;
}

static zt_status lacks_range(zt_context *context, const zt_bound *bound)
{
    return zti_fail(context, ZT_BAD_ARG,
                    "%s needs the range of the whole array; set range_lo and range_hi",
                    bound->kind == ZT_PSNR ? "a PSNR" : "a bound relative to the range");
}

/* Resolve the caller's bound for an array of a type to the kind and absolute bound for the codec.
 * lo and hi: the whole array's range, for rel and psnr. */
static zt_status resolve_bound(zt_context *context, const zt_bound *bound, uint32_t type, double lo,
                               double hi, zt_bound_kind *kind, double *abs_bound)
{
    *kind = (zt_bound_kind)bound->kind;
    *abs_bound = bound->kind == ZT_LOSSLESS ? 0 : (double)NAN;
    if (bound->kind == ZT_PWREL) {
        resolve_part(bound, type, kind, abs_bound);
        return ZT_OK;
    }
    if (needs_range(bound) && isnan(lo))
        return lacks_range(context, bound);
    if (bound->kind == ZT_PSNR && range_of(type, lo, hi) == 0)
        *kind = ZT_LOSSLESS;
    if (bound->kind != ZT_ABS && bound->kind != ZT_REL)
        return ZT_OK;
    if (bound->kind == ZT_ABS || bound->value == 0)
        *abs_bound = bound->value;
    else
        *abs_bound = of_range(type, bound->value, lo, hi);
    *kind = *abs_bound > 0 ? ZT_ABS : ZT_LOSSLESS;
    return ZT_OK;
}

zt_status zti_params_resolve(zt_context *context, const zt_params *p, uint32_t type,
                             zt_bound_kind *kind, double *abs_bound, double *range)
{
    const zt_bound mean = zti_mean_of(p);
    const zt_status status =
        resolve_bound(context, &p->bound, type, p->range_lo, p->range_hi, kind, abs_bound);
    *range = 0;
    if (!status && zti_is_lossless(&p->bound))
        *kind = ZT_LOSSLESS;
    if (status || mean.kind == ZT_LOSSLESS || *kind == ZT_LOSSLESS)
        return status;
    if (needs_range(&mean) && isnan(p->range_lo))
        return lacks_range(context, &mean);
    *range = mean_range(&mean, type, p->range_lo, p->range_hi);
    *kind = *range > 0 ? ZT_PSNR : ZT_LOSSLESS;
    return ZT_OK;
}

/* ---- what is asked of all frames ---- */

/* Slices of a frame: a multiple of the tile's extent for every codec that may be chosen. */
static uint64_t thickness_of(const struct zti_request *r)
{
    struct zti_candidate list[2 * ZTI_CANDIDATES_MOST];
    const uint32_t n = r->is_codec_open ? zti_candidates_of(r, list) : 0;
    uint64_t layer_bytes, layers = 1;
    uint32_t side = n > 0 ? 1 : r->codec->tile_shape[r->rank - 1][0]; /* a power of two */
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t own = zti_codec_by_id(list[i].codec)->tile_shape[r->rank - 1][0];
        side = own > side ? own : side;
    }
    if (zti_mul(r->slice_bytes, side, &layer_bytes) && r->params.slab_bytes > layer_bytes)
        layers = r->params.slab_bytes / layer_bytes;
    return layers * side < r->shape[0] ? layers * side : r->shape[0];
}

zt_status zti_request_init(zt_context *context, const struct zti_array *whole,
                           const zt_params *params, struct zti_request *r)
{
    memset(r, 0, sizeof *r);
    zt_status status = zti_params_load(context, params, &r->params);
    zt_bound *const bound = &r->params.bound;
    if (!status && bound->kind == ZT_PWREL && !zti_is_float(whole->type))
        status = zti_fail(context, ZT_UNSUPPORTED,
                          "a bound relative to each value (pwrel) is for floating-point arrays; "
                          "use abs or rel for integers, or no bound");
    if (status)
        return status;

    if (bound->value == 0)
        bound->value = 0; /* -0 becomes 0, so that both give the same bytes */
    if (r->params.mean.value == 0)
        r->params.mean.value = 0;
    if (r->params.name)
        memcpy(r->name, r->params.name, strlen(r->params.name));
    if (r->params.units)
        memcpy(r->units, r->params.units, strlen(r->params.units));
    r->params.name = r->params.units = NULL; /* the caller's */
    r->type = whole->type;
    r->rank = whole->rank;
    memcpy(r->shape, whole->shape, sizeof r->shape);
    r->slice_bytes = zti_array_values(r->rank - 1, r->shape + 1) * zt_type_bytes(r->type);
    const bool is_auto = r->params.codec == ZT_CODEC_AUTO;
    const uint32_t mean = zti_mean_of(&r->params).kind;
    const uint32_t kind = zti_is_lossless(bound) ? ZT_LOSSLESS : mean ? mean : bound->kind;
    r->codec = is_auto ? zti_codec_auto(r->type, kind) : zti_codec_by_id(r->params.codec);
    r->is_codec_open = is_auto && zti_has_planning(&r->params) && bound->kind != ZT_PWREL;
    if (!r->is_codec_open)
        r->params.codec = r->codec->id;
    r->thickness = thickness_of(r);
    return ZT_OK;
}

/* ---- what a pass over values finds ---- */

/* Go through a slab's values once. */
static zt_status scan_slab(zt_context *context, const struct zti_request *r,
                           const struct zti_array *slab, struct zti_scanned *scanned)
{
    zt_stats stats;
    (void)zt_stats_init(&stats, sizeof stats);
    stats.fills = r->params.fills;
    memcpy(stats.fill, r->params.fill, sizeof stats.fill);
    const zt_status status = zti_scan(context, slab, &stats);
    *scanned = zti_scanned_of(&stats);
    return status;
}

zt_status zti_measure_range(zt_context *context, struct zti_request *r,
                            const struct zti_array *array, uint64_t step,
                            struct zti_scanned *scanned)
{
    double lo = (double)NAN, hi = (double)NAN;
    zt_status status = ZT_OK;
    for (uint64_t first = 0; !status && first < array->shape[0]; first += step) {
        const uint64_t left = array->shape[0] - first;
        const struct zti_array slab = zti_array_slab(array, first, left < step ? left : step);
        struct zti_scanned *const own = &scanned[first / step];
        status = scan_slab(context, r, &slab, own);
        lo = fmin(lo, own->min); /* NaN: no finite value */
        hi = fmax(hi, own->max);
    }
    r->params.range_lo = isnan(lo) ? 0 : lo; /* no finite value: an empty range */
    r->params.range_hi = isnan(hi) ? 0 : hi;
    return status;
}

/* ---- one frame ---- */

zt_status zti_resolve(struct zti_job *j, const struct zti_scanned *scanned)
{
    const struct zti_request *const r = j->request;
    const zt_params *const p = &r->params;
    struct zti_frame *const f = &j->frame;
    struct zti_target *const target = &j->target;
    memset(f, 0, sizeof *f);
    f->first = j->output->table.extent;
    f->type = r->type;
    f->rank = r->rank;
    memcpy(f->shape, j->slab->shape, sizeof f->shape);
    f->bound = p->bound;
    if (j->output->table.frames == 0) {
        memcpy(f->name, r->name, sizeof f->name);
        memcpy(f->units, r->units, sizeof f->units);
    }
    f->coding.codec = r->codec;
    f->coding.type = r->type;
    f->coding.verify_bound = (double)NAN;
    zti_frame_set_plan(f, NULL);

    *target = (struct zti_target){
        .params = p, .part = p->bound.value, .min = (double)NAN, .max = (double)NAN};
    f->mean = zti_mean_of(p);
    f->limits.lo = isnan(p->within_lo) ? -(double)INFINITY : p->within_lo;
    f->limits.hi = isnan(p->within_hi) ? (double)INFINITY : p->within_hi;
    zt_status status =
        zti_params_resolve(j->context, p, r->type, &target->kind, &target->abs_bound, &f->range);
    f->abs_bound = target->abs_bound;
    const bool is_lossless = target->kind == ZT_LOSSLESS;
    const bool has_special = zti_is_float(r->type) || p->fills > 0;
    const bool needs_scan =
        zti_has_limits(&f->limits) ||
        (!is_lossless && (has_special || target->kind == ZT_ABS || target->kind == ZT_PSNR));
    if (status || !needs_scan)
        return status;

    struct zti_scanned own;
    if (!scanned) {
        status = scan_slab(j->context, r, j->slab, &own);
        scanned = &own;
    }
    if (!status && (scanned->min < f->limits.lo || scanned->max > f->limits.hi))
        status = zti_fail(j->context, ZT_BAD_ARG,
                          "values from %g to %g are not all within %g to %g; give wider limits, or "
                          "the values outside as fill values",
                          scanned->min, scanned->max, f->limits.lo, f->limits.hi);
    if (status || is_lossless)
        return status;
    target->min = scanned->min;
    target->max = scanned->max;
    f->special_values = target->special_values = scanned->special_values;
    return status;
}

/* The search's bound as the target. */
static void set_searched(struct zti_job *j)
{
    struct zti_target *const target = &j->target;
    target->kind = j->search.bound > 0 ? ZT_ABS : ZT_LOSSLESS;
    target->abs_bound = j->search.bound;
    target->each_bound = j->frame.abs_bound > 0 ? j->frame.abs_bound : 0;
}

zt_status zti_resolve_by_values(struct zti_job *j)
{
    struct zti_target *const target = &j->target;
    zt_status status = ZT_OK;
    j->misses_most = UINT64_MAX;
    j->has_search = target->kind == ZT_PSNR;
    if (j->has_search) {
        status = zti_search_begin(j);
        set_searched(j);
        return status;
    }
    const zt_progress progress = zti_pause_progress(j->context);
    if (target->kind == ZT_PWREL)
        status = zti_choose_way(j);
    if (!status && j->request->params.plan == ZT_PLAN_TIGHT)
        status =
            zti_plan_loosen(j->context, &j->values, j->frame.coding.codec, target, &j->misses_most);
    zti_resume_progress(j->context, progress);
    return status;
}

bool zti_resolve_again(struct zti_job *j)
{
    struct zti_target *const target = &j->target;
    if (j->has_search) {
        if (j->misses.exceeds_limit && target->kind != ZT_LOSSLESS) {
            j->search.is_last = true;
            zti_target_lossless(target);
            return true;
        }
        if (!zti_search_next(&j->search, j->frame.error))
            return false;
        set_searched(j);
        return true;
    }
    if (target->loose_planes > 0) { /* dropped planes cost more than they saved */
        if (!zti_is_too_loose(&j->misses, j->frame.type, j->frame.payload_bytes))
            return false;
        target->loose_planes = j->is_loosened ? 0 : target->loose_planes - 1;
        j->is_loosened = true;
        return true;
    }
    if (!j->misses.exceeds_limit || target->kind == ZT_LOSSLESS)
        return false;
    zti_target_lossless(target);
    return true;
}
