/* finals.c: a frame is coded with what samples say is the smallest; where that takes more than they
 * said, or they cannot tell, also with others, and the smallest of these is written. */
#include "frame/write/stages.h"

/* A frame as it was coded once. */
struct final {
    struct zti_frame f;
    struct zti_special special;
    struct zti_misses misses;
    struct zti_buffer starts, payload;
    uint8_t *stream; /* in payload, or in the memory that the file is made in */
};

static void free_final(struct zt_writer *w, struct final *one)
{
    zti_misses_free(w->context, &one->misses);
    zti_special_free(w->context, &one->special);
    zti_forget(w->context, &one->f.coding);
}

static struct zti_tail_parts parts_of(const struct final *one)
{
    return (struct zti_tail_parts){.exact = one->misses.list,
                                   .special = one->special.body.bytes,
                                   .starts = (const uint64_t *)(void *)one->starts.bytes};
}

static void swap_buffers(struct zti_buffer *a, struct zti_buffer *b)
{
    const struct zti_buffer was = *a;
    *a = *b;
    *b = was;
}

/* Code a slab. */
static zt_status code(struct zt_writer *w, const struct zti_frame *f, const struct zti_ask *asked,
                      const struct zti_array *slab, struct zti_result *result, struct final *one)
{
    zt_params params = w->params;
    struct zti_ask ask = *asked;
    params.effort = result->candidate.effort;
    ask.params = &params;
    w->codec = zti_codec_by_id(result->candidate.codec);
    one->f = *f;
    one->f.coding.codec = w->codec;
    zti_frame_take(&one->f, &result->choice, &ask);
    zt_status status =
        zti_writer_encode(w, &one->f, &ask, slab, &one->special, &one->misses, &one->stream);
    swap_buffers(&w->starts, &one->starts);
    const struct zti_tail_parts parts = parts_of(one);
    if (!status)
        status = zti_writer_keep_short(w, &one->f, slab, one->misses.is_over, &parts, &one->stream);
    if (status)
        return status;
    swap_buffers(&w->payload, &one->payload);
    zti_writer_measure_frame(w, &one->f, &parts);
    result->coded_bytes = (double)zti_frame_bytes(&one->f);
    result->special_bytes = one->f.special_values > 0 ? (double)one->f.special_bytes : 0;
    return ZT_OK;
}

/* Code one after the other until there is no reason to code another one; *best is the one to be
 * written, *winner which it is. Codings after the first are not told as progress. */
static zt_status code_all(struct zt_writer *w, const struct zti_frame *f, const struct zti_ask *ask,
                          const struct zti_array *slab, struct zti_result *results, uint32_t count,
                          struct final *best, uint32_t *winner)
{
    const uint64_t values = zti_array_values(slab->rank, slab->shape);
    const zt_progress progress = w->context ? w->context->progress : NULL;
    zt_status status = ZT_OK;
    uint32_t next;
    while (!status && (next = zti_contest_next(results, count, ask, values)) < count) {
        struct final one = {.stream = NULL};
        status = code(w, f, ask, slab, &results[next], &one);
        *winner = zti_contest_winner(results, count, &w->params);
        for (uint32_t i = 0; i < count; i++) /* about what the others take for them */
            if (results[i].coded_bytes == 0)
                results[i].special_bytes = results[next].special_bytes;
        if (!status && *winner == next) {
            const struct final other = *best;
            *best = one;
            one = other;
        }
        free_final(w, &one);
        swap_buffers(&w->starts, &one.starts);
        swap_buffers(&w->payload, &one.payload);
        zti_buffer_free(w->context, &one.starts);
        zti_buffer_free(w->context, &one.payload);
        w->is_aside = true;
        (void)zti_pause_progress(w->context);
    }
    w->is_aside = false;
    zti_resume_progress(w->context, progress);
    return status;
}

/* What the first frame was coded with is what those after it are. */
static void settle(struct zt_writer *w, const struct zti_candidate *winner)
{
    w->codec = zti_codec_by_id(winner->codec);
    if (!w->is_codec_open)
        return;
    w->is_codec_open = false;
    w->params.codec = winner->codec;
    w->params.effort = winner->effort;
}

zt_status zti_writer_code_slab(struct zt_writer *w, const struct zti_array *slab,
                               const zt_stats *stats)
{
    struct zti_result results[ZTI_RESULTS_MOST];
    struct final best = {.stream = NULL};
    struct zti_frame f;
    struct zti_ask ask;
    uint32_t count = 0, winner = 0;
    zt_status status = zti_writer_prepare(w, slab, stats, &f, &ask);
    if (!status)
        status = zti_writer_contest(w, &f, &ask, slab, results, &count);
    if (!status)
        status = code_all(w, &f, &ask, slab, results, count, &best, &winner);
    if (!status && w->table.frames == 0)
        w->options_count =
            zti_describe_results(results, count, winner, f.shape, w->options, ZTI_OPTIONS_MOST);
    if (!status) {
        settle(w, &results[winner].candidate);
        const struct zti_tail_parts parts = parts_of(&best);
        status = zti_writer_emit(w, &best.f, best.stream, &parts);
    }
    free_final(w, &best);
    if (!w->starts.bytes)
        swap_buffers(&w->starts, &best.starts);
    if (!w->payload.bytes)
        swap_buffers(&w->payload, &best.payload);
    zti_buffer_free(w->context, &best.starts);
    zti_buffer_free(w->context, &best.payload);
    return status;
}

uint32_t zt_writer_options(const zt_writer *writer, zt_option *options, uint32_t room)
{
    const uint32_t count = writer && options ? writer->options_count : 0;
    const uint32_t n = count < room ? count : room;
    if (n > 0)
        memcpy(options, writer->options, n * sizeof *options);
    return n;
}
