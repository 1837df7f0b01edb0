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
    const uint32_t kind = params->bound.kind;
    return params->plan != ZT_PLAN_OFF &&
           (kind == ZT_ABS || kind == ZT_REL || kind == ZT_LOSSLESS || kind == ZT_PSNR ||
            (kind == ZT_PWREL && !is_chosen_later(params->codec)));
}

struct zti_target zti_target_of_samples(const struct zti_job *job)
{
    struct zti_target own = job->target;
    if (own.kind == ZT_PSNR) {
        own.kind = ZT_ABS;
        own.abs_bound = zti_psnr_bound(job->frame.bound.value, job->frame.range);
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
    const uint32_t n = zti_candidates(true, &r->params, list);
    return n + zti_candidates(false, &r->params, list + n);
}

/* The candidates without a plan, or with the request's fixed one. */
static uint32_t unplanned(const struct zti_job *j, struct zti_result *results)
{
    const struct zti_request *const r = j->request;
    struct zti_candidate list[ZTI_CANDIDATES_MOST];
    const uint32_t n =
        r->fixed ? 1 : zti_candidates(j->target.kind != ZT_LOSSLESS, &r->params, list);
    const struct zti_candidate own = {.codec = r->codec->id, .effort = r->params.effort};
    /* candidates are listed from fast to slow; the slowest comes first here */
    for (uint32_t i = 0; i < n; i++) {
        struct zti_result *const one = &results[n - 1 - i];
        *one = (struct zti_result){.candidate = r->fixed ? own : list[i]};
        one->choice.plan = one->choice.plain = zti_plan_none(r->rank);
        if (r->fixed) {
            one->choice = *r->fixed;
            one->choice.found.has_rest = false; /* measured on another frame */
        }
    }
    return n;
}

zt_status zti_plan_frame(const struct zti_job *j, struct zti_result *results, uint32_t *count)
{
    const struct zti_target own = zti_target_of_samples(j);
    if (!zti_has_planning(&j->request->params) || j->request->fixed) {
        *count = unplanned(j, results);
        return ZT_OK;
    }
    const zt_progress progress = zti_pause_progress(j->context);
    const zt_status status = zti_plan_contest(j->context, j->slab, &own, results, count);
    zti_resume_progress(j->context, progress);
    return status;
}

/* Set job->values to the coded array. */
static zt_status turn(struct zti_job *j)
{
    const struct zti_frame *const f = &j->frame;
    const struct zti_grid *const grid = &f->coding.grid;
    if (zti_plan_view(&f->plan, j->slab, &j->values) && zti_has_near_values(&j->values))
        return ZT_OK;
    struct zti_buffer *const turned = &j->scratch->turned;
    const uint64_t bytes = zti_array_values(f->rank, f->shape) * zt_type_bytes(f->type);
    const zt_status status = zti_buffer_reserve(j->context, turned, bytes, 0);
    if (status)
        return status;
    zti_plan_copy(&f->plan, j->slab, turned->bytes);
    j->values = zti_array_packed(turned->bytes, f->type, grid->rank, grid->shape);
    return ZT_OK;
}

zt_status zti_take_plan(struct zti_job *j, const struct zti_result *result)
{
    struct zti_target *const target = &j->target;
    j->params = j->request->params;
    j->params.effort = result->candidate.effort;
    target->params = &j->params;
    target->found = result->choice.found;
    if (target->kind != ZT_ABS && target->kind != ZT_LOSSLESS) /* the bound is not known yet */
        target->found.has_rest = false;
    j->frame.coding.codec = zti_codec_by_id(result->candidate.codec);
    zti_frame_set_plan(&j->frame, &result->choice.plan);
    return turn(j);
}
