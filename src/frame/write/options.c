/* options.c: zt_plan_options: the candidates and plans for an array, with the bytes that samples
 * predict for each; also the list of what a writer chose from. */
#include "array/mirror.h"
#include "frame/write/stages.h"

#include <math.h>

static void describe_option(const struct zti_result *r, const struct zti_tried *tried,
                            const uint64_t *shape, zt_option *option)
{
    *option = (zt_option){.codec = r->candidate.codec,
                          .effort = r->candidate.effort,
                          .method = r->candidate.method,
                          .lossless = r->candidate.is_lossless,
                          .stream_bytes = tried->bytes};
    zti_plan_describe(&tried->plan, shape, &option->plan);
}

static bool is_among(const struct zti_result *results, uint32_t count, const struct zti_result *r,
                     const struct zti_plan *plan)
{
    for (uint32_t i = 0; i < count; i++)
        if (results[i].candidate.codec == r->candidate.codec &&
            results[i].candidate.effort == r->candidate.effort &&
            results[i].candidate.method == r->candidate.method &&
            results[i].candidate.is_lossless == r->candidate.is_lossless &&
            memcmp(&results[i].choice.plan, plan, sizeof *plan) == 0)
            return true;
    return false;
}

uint32_t zti_describe_results(const struct zti_result *results, uint32_t count, uint32_t taken,
                              const uint64_t *shape, zt_option *options, uint32_t room)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < count && n < room; k++) { /* the chosen result comes first */
        const struct zti_result *const r = &results[k == 0 ? taken : k <= taken ? k - 1 : k];
        const bool is_known = r->choice.is_sampled && !r->choice.is_limit;
        const bool is_over = results[taken].coded_bytes > 0; /* all of the array was coded */
        if (r->coded_bytes == 0 && (r->candidate.is_lossless || (r->candidate.is_far && is_over)))
            continue; /* boxes have excluded it */
        const struct zti_tried own = {.plan = r->choice.plan,
                                      .bytes = is_known ? r->choice.bytes : 0};
        describe_option(r, &own, shape, &options[n]);
        options[n++].coded_bytes = r->coded_bytes;
    }
    for (uint32_t k = 0; k < count; k++) {
        const struct zti_choice *const c = &results[k].choice;
        /* skip plans with a lower estimate that the race found to be chance */
        for (uint32_t i = 0; i < c->tried && n < room; i++)
            if (c->is_sampled && c->list[i].bytes >= c->bytes &&
                !is_among(results, count, &results[k], &c->list[i].plan))
                describe_option(&results[k], &c->list[i], shape, &options[n++]);
    }
    return n;
}

/* Choose the way to keep a bound relative to each value, in which samples will be coded: as for the
 * array without a plan. */
static zt_status choose_way(struct zti_job *job)
{
    struct zti_job own = *job;
    own.values = *job->slab;
    zt_status status = zti_fill(&own);
    if (!status && own.target.kind == ZT_PWREL)
        status = zti_choose_way(&own);
    job->target.choice = own.target.choice;
    zti_job_free(&own);
    return status;
}

/* Estimate a result's bytes from samples, where planning has not. */
static zt_status measure_result(zt_context *context, const struct zti_array *array,
                                const struct zti_target *asked, struct zti_result *result)
{
    struct zti_choice *const choice = &result->choice;
    const double limit = choice->is_limit ? choice->bytes : (double)INFINITY;
    const zt_params params = zti_params_for(asked->params, &result->candidate);
    const struct zti_target target = zti_target_for(asked, &result->candidate, &params);
    choice->is_limit = false;
    const zt_status status = zti_plan_measure(context, array, &result->candidate, &target, choice);
    choice->bytes = choice->bytes < limit ? choice->bytes : limit;
    return status;
}

/* zt_plan_options for an array in the host's memory. */
static zt_status plan_options(zt_context *context, const struct zti_array *array,
                              const zt_params *params, zt_option *options, uint32_t room,
                              uint32_t *count)
{
    struct zti_result results[ZTI_RESULTS_MOST];
    uint32_t found = 0;
    struct zti_request request;
    struct zti_scratch scratch = {.permuted = {.bytes = NULL}};
    struct zti_output output = {.memory = NULL};
    struct zti_scanned scanned;
    zt_params planned;
    zt_status status = zti_params_load(context, params, &planned);
    planned.plan = ZT_PLAN_ON;
    if (!status)
        status = zti_request_init(context, array, &planned, &request);
    if (status)
        return status;
    if (!zti_has_planning(&request.params))
        return zti_fail(context, ZT_UNSUPPORTED,
                        "planning needs a bound on errors or none, and with zfp none that is "
                        "relative to each value");
    const bool is_scanned = zti_needs_range(&request.params) && isnan(request.params.range_lo);
    if (is_scanned)
        status = zti_measure_range(context, &request, array, array->shape[0], &scanned);
    struct zti_job job = {.context = context,
                          .request = &request,
                          .scratch = &scratch,
                          .output = &output,
                          .slab = array};
    if (!status)
        status = zti_resolve(&job, is_scanned ? &scanned : NULL);
    if (!status && job.target.kind == ZT_PWREL)
        status = choose_way(&job);
    if (!status)
        status = zti_plan_frame(&job, results, &found);
    if (!status && !results[0].candidate.is_whole &&
        (!results[0].choice.is_sampled || results[0].choice.is_limit)) {
        const struct zti_target target = zti_target_of_samples(&job);
        status = measure_result(context, array, &target, &results[0]);
    }
    if (!status)
        *count = zti_describe_results(results, found, 0, job.frame.shape, options, room);
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
