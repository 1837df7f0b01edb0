/* stages.c: takes a slab through all stages. It is coded with the candidate that samples say is the
 * smallest. Where the frame is larger than predicted, or samples cannot tell, it is also coded with
 * others; the smallest frame is written. */
#include "frame/write/stages.h"

#include "array/mirror.h"

/* Return a buffer to the scratch, which keeps the larger one. */
static void give_back(zt_context *context, struct zti_buffer *own, struct zti_buffer *place)
{
    zti_buffer_free(context, own->capacity > place->capacity ? place : own);
    if (own->bytes)
        *place = *own;
    *own = (struct zti_buffer){.bytes = NULL};
}

static struct zti_buffer borrow(struct zti_buffer *place)
{
    const struct zti_buffer own = *place;
    *place = (struct zti_buffer){.bytes = NULL};
    return own;
}

void zti_job_free(struct zti_job *j)
{
    if (!j->scratch) /* it was not begun */
        return;
    zti_misses_free(j->context, &j->misses);
    zti_special_free(j->context, &j->special);
    zti_forget(j->context, &j->frame.coding);
    give_back(j->context, &j->starts, &j->scratch->starts);
    give_back(j->context, &j->payload, &j->scratch->payload);
    zti_spool_free(j->context, &j->spool);
    zti_device_payload_free(j->context, &j->on_device);
}

/* Take a resolved slab through plan, fill and code with one candidate. */
static zt_status code_with(struct zti_job *j, struct zti_result *result)
{
    j->starts = borrow(&j->scratch->starts);
    j->payload = borrow(&j->scratch->payload);
    zt_status status = zti_apply_plan(j, result);
    if (!status)
        status = zti_fill(j);
    if (!status)
        status = zti_resolve_by_values(j);
    if (status)
        return status;
    do
        status = zti_code(j);
    while (!status && zti_resolve_again(j));
    if (!status)
        status = zti_keep_short(j);
    if (status)
        return status;
    const struct zti_tail_parts parts = zti_job_parts(j);
    zti_measure_frame(&j->params, &j->frame, &parts);
    const struct zti_coding *const coding = &j->frame.coding;
    const struct zti_planning *const planning = zti_planning_of(coding->codec);
    result->is_compared =
        !j->has_search && planning && planning->is_compared && planning->is_compared(coding);
    result->coded_bytes = (double)zti_frame_bytes(&j->frame);
    result->special_bytes = j->frame.special_values > 0 ? (double)j->frame.special_bytes : 0;
    return ZT_OK;
}

/* Code with one candidate after the other for as long as zti_contest_next names one. *best becomes
 * the job to be written, *winner its place in results. Only the first coding reports progress. */
static zt_status code_finalists(const struct zti_job *resolved, struct zti_result *results,
                                uint32_t count, struct zti_job *best, uint32_t *winner)
{
    zt_context *const context = resolved->context;
    const uint64_t values = zti_array_values(resolved->frame.rank, resolved->frame.shape);
    const zt_progress progress = context ? context->progress : NULL;
    zt_status status = ZT_OK;
    uint32_t next;
    *best = *resolved;
    while (!status &&
           (next = zti_contest_next(results, count, &resolved->target, values)) < count) {
        struct zti_job one = *resolved;
        one.is_aside = best->stream != NULL;
        one.won_bytes = (uint64_t)results[*winner].coded_bytes; /* at first 0 */
        status = code_with(&one, &results[next]);
        *winner = zti_contest_winner(results, count, &resolved->request->params);
        for (uint32_t i = 0; i < count; i++) /* the best guess for those not coded yet */
            if (results[i].coded_bytes == 0)
                results[i].special_bytes = results[next].special_bytes;
        if (!status && *winner == next) {
            const struct zti_job other = *best;
            *best = one;
            one = other;
        }
        zti_job_free(&one);
        (void)zti_pause_progress(context);
    }
    zti_resume_progress(context, progress);
    return status;
}

/* Have all later frames coded with the codec and effort of the first. */
static void fix_codec(struct zti_request *r, const struct zti_candidate *winner)
{
    r->codec = zti_codec_by_id(winner->codec);
    if (!r->is_codec_open)
        return;
    r->is_codec_open = false;
    r->params.codec = winner->codec;
    r->params.effort = winner->effort;
    r->params.prefer = ZT_PREFER_SPEED; /* nothing slower takes its place: the choice was made */
}

/* Whether a stage on the host reads a frame's values: to plan, to choose between coders, to search
 * for a bound, or to find special values. */
static bool is_read_by_host(const struct zti_job *j)
{
    const zt_params *const p = &j->request->params;
    struct zti_candidate list[ZTI_CANDIDATES_MOST];
    return zti_has_planning(p) || j->request->fixed || p->plan == ZT_PLAN_TIGHT ||
           zti_candidates(j->request->type, j->target.kind != ZT_LOSSLESS, p, list) > 1 ||
           j->target.kind == ZT_PSNR || j->target.kind == ZT_PWREL || j->frame.special_values > 0;
}

zt_status zti_write_frame(zt_context *context, struct zti_request *request,
                          struct zti_scratch *scratch, struct zti_output *output,
                          const struct zti_array *slab, const struct zti_scanned *scanned,
                          struct zti_options *options)
{
    struct zti_result results[ZTI_RESULTS_MOST];
    struct zti_mirror values = {.array = *slab};
    struct zti_job best = {.scratch = NULL}, job = {.context = context,
                                                    .request = request,
                                                    .scratch = scratch,
                                                    .output = output,
                                                    .slab = slab};
    uint32_t count = 0, winner = 0;
    zt_status status = zti_resolve(&job, scanned);
    if (!status && is_read_by_host(&job))
        status = zti_mirror_open(context, slab, &values);
    job.slab = &values.array;
    if (!status)
        status = zti_plan_frame(&job, results, &count);
    zti_stage(context, ZT_STAGE_OTHER);
    if (output->store.passed)
        output->store.passed(output->store.user, slab->shape[0]);
    if (!status)
        status = code_finalists(&job, results, count, &best, &winner);
    if (!status && output->table.frames == 0)
        options->count = zti_describe_results(results, count, winner, job.frame.shape,
                                              options->list, ZTI_OPTIONS_MOST);
    if (!status) {
        fix_codec(request, &results[winner].candidate);
        status = zti_spool_end(&best);
        if (!status)
            status = zti_device_payload_end(&best);
        const struct zti_tail_parts parts = zti_job_parts(&best);
        if (!status)
            status = zti_emit(context, output, &best.frame, best.stream, &parts);
    }
    zti_job_free(&best);
    zti_mirror_close(&values);
    return status;
}
