/* plan.c: the second stage: chooses codec, effort and order of axes for a slab by samples, and
 * turns the slab into the coded array. */
#include "array/mirror.h"
#include "frame/write/stages.h"

/* Whether a codec has several ways to keep a bound relative to each value (pwrel.c tries them). */
static bool is_chosen_later(uint32_t codec)
{
    const struct zti_planning *const planning = zti_planning_of(zti_codec_by_id(codec));
    return planning && planning->choices;
}

bool zti_has_planning(const zt_params *params)
{
    return params->plan != ZT_PLAN_OFF && zti_has_limit(&params->bound) &&
           (params->bound.kind != ZT_PWREL || !is_chosen_later(params->codec));
}

struct zti_target zti_target_of_samples(const struct zti_job *job)
{
    struct zti_target own = job->target;
    if (own.kind == ZT_PSNR) {
        own.kind = ZT_ABS;
        own.abs_bound = zti_mean_bound(&job->frame);
    }
    return own;
}

void zti_frame_set_plan(struct zti_frame *f, const struct zti_plan *plan)
{
    uint64_t coded[ZT_MAX_RANK];
    f->plan = plan ? *plan : zti_plan_none(f->rank);
    const uint32_t rank = zti_plan_shape(&f->plan, f->shape, coded);
    f->coding.grid = zti_codec_grid(f->coding.codec, rank, coded);
}

uint32_t zti_candidates_of(const struct zti_request *r,
                           struct zti_candidate list[2 * ZTI_CANDIDATES_MOST])
{
    const uint32_t n = zti_candidates(r->type, true, &r->params, list);
    return n + zti_candidates(r->type, false, &r->params, list + n);
}

/* The candidate with the request's fixed plan. */
static struct zti_result fixed_result(const struct zti_request *r)
{
    const struct zti_candidate own = {.codec = r->codec->id, .effort = r->params.effort};
    return (struct zti_result){.candidate = own, .choice = *r->fixed};
}

/* List the candidates without a plan: the slowest first, but those that work over large tiles
 * (is_far) last. */
static zt_status list_unplanned(const struct zti_job *j, const struct zti_target *target,
                                struct zti_result *results, uint32_t *count)
{
    const struct zti_request *const r = j->request;
    struct zti_candidate list[ZTI_CANDIDATES_MOST];
    const uint32_t n = zti_candidates(r->type, j->target.kind != ZT_LOSSLESS, &r->params, list);
    *count = 0;
    for (uint32_t i = n; i-- > 0;)
        if (!list[i].is_far)
            results[(*count)++] = zti_result_unplanned(r->rank, &list[i]);
    for (uint32_t i = 0; i < n; i++)
        if (list[i].is_far)
            results[(*count)++] = zti_result_unplanned(r->rank, &list[i]);
    return zti_contest_measure_far(j->context, j->slab, target, results, *count);
}

zt_status zti_plan_frame(const struct zti_job *j, struct zti_result *results, uint32_t *count)
{
    const struct zti_target own = zti_target_of_samples(j);
    if (j->request->fixed) {
        results[0] = fixed_result(j->request);
        *count = 1;
        return ZT_OK;
    }
    const zt_progress progress = zti_pause_progress(j->context);
    const zt_status status = zti_has_planning(&j->request->params)
                                 ? zti_plan_contest(j->context, j->slab, &own, results, count)
                                 : list_unplanned(j, &own, results, count);
    zti_resume_progress(j->context, progress);
    return status;
}

/* Set job->values to the coded array: the slab with permuted strides, or a permuted copy. */
static zt_status permute_slab(struct zti_job *j)
{
    const struct zti_frame *const f = &j->frame;
    const struct zti_grid *const grid = &f->coding.grid;
    if (zti_plan_view(&f->plan, j->slab, &j->values) && zti_has_near_values(&j->values))
        return ZT_OK;
    struct zti_buffer *const permuted = &j->scratch->permuted;
    const uint64_t bytes = zti_array_values(f->rank, f->shape) * zt_type_bytes(f->type);
    const zt_status status = zti_buffer_reserve(j->context, permuted, bytes, 0);
    if (status)
        return status;
    zti_plan_copy(&f->plan, j->slab, permuted->bytes);
    j->values = zti_array_packed(permuted->bytes, f->type, grid->rank, grid->shape);
    return ZT_OK;
}

zt_status zti_apply_plan(struct zti_job *j, const struct zti_result *result)
{
    struct zti_target *const target = &j->target;
    j->params = zti_params_for(&j->request->params, &result->candidate);
    *target = zti_target_for(target, &result->candidate, &j->params);
    target->found = result->choice.found;
    if (target->kind != ZT_ABS && target->kind != ZT_LOSSLESS) /* the bound is not known yet */
        target->found.has_rest = false;
    if (result->candidate.is_lossless)
        zti_target_lossless(target);
    j->frame.coding.codec = zti_codec_by_id(result->candidate.codec);
    zti_frame_set_plan(&j->frame, &result->choice.plan);
    return permute_slab(j);
}
