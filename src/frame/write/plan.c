/* plan.c: what the writer has to choose from: plans for each frame, codec and effort with the
 * first one; and what samples say of them. */
#include "array/mirror.h"
#include "frame/write/stages.h"
#include "plan/plans.h"

#include <math.h>

/* Whether a codec has several ways to keep a relative bound, which are tried out later. */
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

/* What samples are coded under: for a PSNR the absolute bound that errors spread evenly need. */
static struct zti_ask ask_of_plan(const struct zti_frame *f, const struct zti_ask *ask)
{
    struct zti_ask own = *ask;
    if (own.kind == ZT_PSNR) {
        own.kind = ZT_ABS;
        own.abs_bound = zti_psnr_bound(f->bound.value, f->range);
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

/* All that may be chosen for a writer, with loss and without: an absolute bound may come to 0. */
static uint32_t candidates_of(const struct zt_writer *w, struct zti_candidate *list)
{
    const uint32_t n = zti_candidates(true, &w->params, list);
    return n + zti_candidates(false, &w->params, list + n);
}

uint32_t zti_side_of_all(const struct zt_writer *w)
{
    struct zti_candidate list[2 * ZTI_CANDIDATES_MOST];
    const uint32_t n = candidates_of(w, list);
    uint32_t most = 1; /* sides are powers of two */
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t side = zti_codec_by_id(list[i].codec)->tile_shape[w->rank - 1][0];
        most = side > most ? side : most;
    }
    return most;
}

void zti_frame_take(struct zti_frame *f, const struct zti_choice *choice, struct zti_ask *ask)
{
    zti_frame_set_plan(f, &choice->plan);
    ask->found = choice->found;
    if (ask->kind != ZT_ABS && ask->kind != ZT_LOSSLESS) /* the bound, with which it goes, is still
                                                            to be found */
        ask->found.has_rest = false;
}

/* Those that take part, as the array is, of which nothing is known. */
static uint32_t unplanned(const struct zt_writer *w, const struct zti_ask *ask,
                          struct zti_result *results)
{
    struct zti_candidate list[ZTI_CANDIDATES_MOST];
    const uint32_t n = w->fixed ? 1 : zti_candidates(ask->kind != ZT_LOSSLESS, &w->params, list);
    const struct zti_candidate own = {.codec = w->codec->id, .effort = w->params.effort};
    for (uint32_t i = 0; i < n; i++) { /* the slowest is the last of them */
        struct zti_result *const one = &results[n - 1 - i];
        *one = (struct zti_result){.candidate = w->fixed ? own : list[i]};
        one->choice.plan = one->choice.plain = zti_plan_none(w->rank);
        if (w->fixed) {
            one->choice = *w->fixed;
            one->choice.found.has_rest = false; /* it was another frame's */
        }
    }
    return n;
}

zt_status zti_writer_contest(struct zt_writer *w, const struct zti_frame *f,
                             const struct zti_ask *ask, const struct zti_array *slab,
                             struct zti_result *results, uint32_t *count)
{
    const struct zti_ask own = ask_of_plan(f, ask);
    if (!zti_has_planning(&w->params) || w->fixed) {
        *count = unplanned(w, ask, results);
        return ZT_OK;
    }
    const zt_progress progress = zti_pause_progress(w->context);
    const zt_status status = zti_plan_contest(w->context, slab, &own, results, count);
    zti_resume_progress(w->context, progress);
    return status;
}

zt_status zti_writer_turn(struct zt_writer *w, const struct zti_frame *f,
                          const struct zti_array *slab, struct zti_array *coded)
{
    const struct zti_grid *grid = &f->coding.grid;
    if (zti_plan_view(&f->plan, slab, coded) && zti_has_near_values(coded))
        return ZT_OK;
    const uint64_t bytes = zti_array_values(f->rank, f->shape) * zt_type_bytes(f->type);
    const zt_status status = zti_buffer_reserve(w->context, &w->turned, bytes, 0);
    if (status)
        return status;
    zti_plan_copy(&f->plan, slab, w->turned.bytes);
    *coded = zti_array_packed(w->turned.bytes, f->type, grid->rank, grid->shape);
    return ZT_OK;
}

/* The most that any plan takes with the codec that is set. */
static zt_status bound_of_plans(struct zt_writer *w, uint64_t extent, uint64_t *bytes)
{
    struct zti_plan list[ZTI_PLANS_MOST];
    uint64_t shape[ZT_MAX_RANK];
    memcpy(shape, w->shape, sizeof shape);
    shape[0] = extent;
    zt_status status = zti_writer_bound_of(w, extent, w->fixed ? &w->fixed->plan : NULL, bytes);
    const uint32_t plans = zti_has_planning(&w->params) ? zti_plans_of(w->rank, shape, list) : 0;
    for (uint32_t i = 0; i < plans && !status; i++) {
        uint64_t planned = 0;
        status = zti_writer_bound_of(w, extent, &list[i], &planned);
        *bytes = planned > *bytes ? planned : *bytes;
    }
    return status;
}

zt_status zti_writer_frame_bound(struct zt_writer *w, uint64_t extent, uint64_t *bytes)
{
    struct zti_candidate list[2 * ZTI_CANDIDATES_MOST];
    const struct zti_codec *codec = w->codec;
    const uint32_t effort = w->params.effort;
    const uint32_t n = w->is_codec_open ? candidates_of(w, list) : 0;
    zt_status status = ZT_OK;
    *bytes = 0;
    if (n == 0)
        return bound_of_plans(w, extent, bytes);
    for (uint32_t i = 0; i < n && !status; i++) {
        uint64_t own = 0;
        w->codec = zti_codec_by_id(list[i].codec);
        if (!list[i].is_lossy && !zti_is_lossless(&w->params.bound)) /* another is, or it cannot */
            continue;
        w->params.effort = list[i].effort;
        status = bound_of_plans(w, extent, &own);
        *bytes = own > *bytes ? own : *bytes;
    }
    w->codec = codec;
    w->params.effort = effort;
    return status;
}

/* ---- zt_plan_options ---- */

static void describe_option(const struct zti_result *r, const struct zti_tried *tried,
                            const uint64_t *shape, zt_option *option)
{
    const struct zti_plan *plan = &tried->plan;
    memset(option, 0, sizeof *option);
    option->codec = r->candidate.codec;
    option->effort = r->candidate.effort;
    option->stream_bytes = tried->bytes;
    if (zti_plan_is_none(plan))
        return;
    option->plan.rank = plan->rank;
    option->plan.coded_rank = zti_plan_shape(plan, shape, option->plan.coded_shape);
    memcpy(option->plan.axis, plan->axis, sizeof plan->axis); /* 0 beyond the rank */
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++)
        option->plan.joined[k] = plan->is_joined[k];
}

static bool is_among(const struct zti_result *results, uint32_t count, const struct zti_result *r,
                     const struct zti_plan *plan)
{
    for (uint32_t i = 0; i < count; i++)
        if (results[i].candidate.codec == r->candidate.codec &&
            results[i].candidate.effort == r->candidate.effort &&
            memcmp(&results[i].choice.plan, plan, sizeof *plan) == 0)
            return true;
    return false;
}

uint32_t zti_describe_results(const struct zti_result *results, uint32_t count, uint32_t taken,
                              const uint64_t *shape, zt_option *options, uint32_t room)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < count && n < room; k++) { /* what was taken is first */
        const struct zti_result *const r = &results[k == 0 ? taken : k <= taken ? k - 1 : k];
        const bool is_known = r->choice.is_sampled && !r->choice.is_limit;
        const struct zti_tried own = {.plan = r->choice.plan,
                                      .bytes = is_known ? r->choice.bytes : 0};
        describe_option(r, &own, shape, &options[n]);
        options[n++].coded_bytes = r->coded_bytes;
    }
    for (uint32_t k = 0; k < count; k++) {
        const struct zti_choice *const c = &results[k].choice;
        for (uint32_t i = 0; i < c->tried && n < room; i++) /* no more than chance is better */
            if (c->is_sampled && c->list[i].bytes >= c->bytes &&
                !is_among(results, count, &results[k], &c->list[i].plan))
                describe_option(&results[k], &c->list[i], shape, &options[n++]);
    }
    return n;
}

/* The way to keep a bound relative to each value that samples are coded in, as that of an array
 * without a plan would be chosen. */
static zt_status choose_way(struct zt_writer *w, const struct zti_frame *f, struct zti_ask *ask,
                            const struct zti_array *slab)
{
    struct zti_special special = {.mask = NULL};
    struct zti_array values = *slab;
    zt_status status = ZT_OK;
    if (f->special_values > 0)
        status = zti_special_find(w->context, slab, w->params.fills, w->params.fill, &special);
    if (!status && f->special_values > 0 && !special.is_over)
        status = zti_special_fill(w->context, slab, &f->coding, ask, f->range, &special, &values);
    if (!status)
        status = zti_choose(w, f, ask, &values);
    zti_special_free(w->context, &special);
    return status;
}

/* What samples say of a result that did not have to be asked about. */
static zt_status ask_samples(zt_context *context, const struct zti_array *array,
                             const struct zti_ask *asked, struct zti_result *result)
{
    struct zti_choice *const choice = &result->choice;
    const double limit = choice->is_limit ? choice->bytes : (double)INFINITY;
    zt_params params = *asked->params;
    struct zti_ask ask = *asked;
    params.effort = result->candidate.effort;
    ask.params = &params;
    choice->is_limit = false;
    const zt_status status = zti_plan_measure(context, array, &result->candidate, &ask, choice);
    choice->bytes = choice->bytes < limit ? choice->bytes : limit;
    return status;
}

/* The same of an array in the host's memory. */
static zt_status plan_options(zt_context *context, const struct zti_array *array,
                              const zt_params *params, zt_option *options, uint32_t room,
                              uint32_t *count)
{
    struct zti_result results[ZTI_RESULTS_MOST];
    uint32_t found = 0;
    struct zt_writer w;
    struct zti_frame f;
    struct zti_ask ask;
    zt_status status = zti_writer_init(context, array, params, &w);
    if (status)
        return status;
    w.params.plan = ZT_PLAN_ON;
    if (!zti_has_planning(&w.params))
        return zti_fail(context, ZT_UNSUPPORTED,
                        "planning needs a bound on errors or none, and with zfp none that is "
                        "relative to each value");
    zt_stats stats;
    const zt_bound *bound = &w.params.bound;
    if (zti_needs_range(bound) && isnan(w.params.range_lo))
        status = zti_writer_measure(&w, array, &stats);
    if (!status)
        status = zti_writer_prepare(&w, array, NULL, &f, &ask);
    if (!status && ask.kind == ZT_PWREL)
        status = choose_way(&w, &f, &ask, array);
    if (!status)
        status = zti_writer_contest(&w, &f, &ask, array, results, &found);
    if (!status && (!results[0].choice.is_sampled || results[0].choice.is_limit)) {
        ask = ask_of_plan(&f, &ask);
        status = ask_samples(context, array, &ask, &results[0]);
    }
    zti_writer_clear(&w);
    if (!status)
        *count = zti_describe_results(results, found, 0, f.shape, options, room);
    return status;
}

zt_status zt_plan_options(zt_context *context, const zt_array *given, const zt_params *params,
                          zt_option *options, uint32_t room, uint32_t *count)
{
    struct zti_mirror values;
    if (!given || !options || room == 0 || !count)
        return zti_fail(context, ZT_BAD_ARG, "no array, or no room for options or their number");
    struct zti_array array;
    zt_status status = zti_array_check(context, given, ZTI_TO_READ, &array);
    if (status)
        return status;
    status = zti_mirror_open(context, &array, &values);
    if (!status)
        status = plan_options(context, &values.array, params, options, room, count);
    zti_mirror_close(&values);
    return status;
}
