/* code.c: the fourth stage: the codec codes the coded array under the target. In: job->values and
 * target. Out: the payload, the values that miss the bound, and where chunks begin. */
#include "array/mirror.h"
#include "frame/write/stages.h"
#include "quality/quality.h"

#include <math.h>

/* At most 1 in MISSES_PART values of a frame is kept beside the stream; with more the frame is
 * coded without loss, which is then about as small. */
enum { MISSES_PART = 8 };

uint64_t zti_misses_limit(const struct zti_frame *f)
{
    return zti_array_values(f->rank, f->shape) / MISSES_PART;
}

/* The most bytes that a stream may take: no more than the values. In a search for a mean error
 * also longer ones are coded, because their error is needed for the next bound. */
static uint64_t stream_limit(const struct zti_frame *f, uint64_t most)
{
    const uint64_t raw = zti_array_values(f->rank, f->shape) * zt_type_bytes(f->type);
    return zti_has_limit(&f->bound) && f->mean.kind == ZT_LOSSLESS && raw < most ? raw : most;
}

/* Set job->stream to room for a payload of 'capacity' bytes: in the output if possible, else in
 * job->payload. */
static zt_status payload_room(struct zti_job *j, size_t capacity, size_t *room_bytes)
{
    j->stream = zti_there_room(j, capacity, room_bytes);
    if (!j->stream && !j->is_aside && !j->output->is_on_device)
        j->stream = zti_output_room(j->output, &j->frame, capacity, room_bytes);
    if (j->stream)
        return ZT_OK;
    const zt_status status = zti_buffer_reserve(j->context, &j->payload, capacity, 0);
    j->stream = j->payload.bytes;
    *room_bytes = j->payload.capacity;
    return status;
}

zt_status zti_encode_payload(struct zti_job *j, const struct zti_array *values, uint64_t most_bytes,
                             struct zti_misses *misses, const struct zti_starts *starts)
{
    struct zti_frame *const f = &j->frame;
    const struct zti_coding *const coding = &f->coding;
    size_t room_bytes = 0;
    uint64_t end_bits = 0;
    zt_status status;
    if (zti_spools(j)) {
        status = zti_spool_encode(j, coding, values, most_bytes, misses, starts);
        f->payload_bytes = j->spool.bytes;
        return status;
    }
    status = payload_room(j, (size_t)most_bytes, &room_bytes);
    if (status)
        return status;
    if (room_bytes > most_bytes)
        room_bytes = (size_t)most_bytes;
    status = zti_exec_encode(j->context, coding, values, j->stream, room_bytes,
                             zti_head_bytes(coding) * 8, &end_bits, misses, starts);
    f->payload_bytes = end_bits / 8;
    return status;
}

/* Encode the values with frame.coding. */
static zt_status encode(struct zti_job *j)
{
    struct zti_frame *const f = &j->frame;
    struct zti_misses *const misses = &j->misses;
    const uint64_t head_bytes = zti_head_bytes(&f->coding);
    size_t capacity = 0;
    struct zti_starts starts = {.list = NULL};
    zti_choose_index(&j->request->params, f);
    zt_status status = zti_exec_capacity(j->context, &f->coding, &capacity);
    const uint64_t limit = stream_limit(f, head_bytes + capacity);
    misses->is_over = head_bytes > limit;
    if (!status && !misses->is_over)
        status = zti_starts_room(j->context, f, &j->starts, &starts);
    if (status || misses->is_over)
        return status;
    status = zti_encode_payload(j, &j->values, limit, misses, starts.list ? &starts : NULL);
    if (status == ZT_NO_SPACE) {
        misses->is_over = true;
        status = ZT_OK;
    }
    if (status || misses->is_over)
        return status;
    if (j->there.place)
        status = zti_there_put_head(j, &starts);
    else
        zti_put_head(&f->coding, starts.list, j->stream);
    zti_set_index(f, &starts);
    return status;
}

/* Decode the stream and set frame.error. */
static zt_status measure(struct zti_job *j)
{
    struct zti_frame *const f = &j->frame;
    struct zti_buffer *const decoded = &j->scratch->decoded;
    f->error = 0;
    if (j->target.kind == ZT_LOSSLESS)
        return ZT_OK;
    const zt_progress progress = zti_pause_progress(j->context);
    const zt_status status =
        zti_decode_own(j->context, &f->coding, j->stream, f->payload_bytes, decoded);
    zti_resume_progress(j->context, progress);
    if (status)
        return status;
    const struct zti_array back =
        zti_array_packed(decoded->bytes, f->type, j->values.rank, j->values.shape);
    zti_limits_apply(j->context, &f->limits, &back);
    const size_t value_bytes = zt_type_bytes(f->type);
    for (uint64_t i = 0; i < j->misses.count; i++) /* these are kept exactly */
        zti_set_bits_at(decoded->bytes + j->misses.list[i].at * value_bytes, j->misses.list[i].bits,
                        value_bytes);
    f->error = zti_sum_errors(j->context, &j->values, decoded->bytes,
                              j->special.count > 0 ? j->special.mask : NULL,
                              zti_is_absolute_mean(f->mean.kind), f->range) /
               (double)zti_counted_values(f);
    return status;
}

/* Learn and encode. Where the host does a part of it, it gets a copy of values that it cannot
 * reach. */
static zt_status code_values(struct zti_job *j)
{
    struct zti_frame *const f = &j->frame;
    const struct zti_passing passing = zti_passing_of(j->output, j->slab);
    const struct zti_array given = j->values;
    struct zti_mirror copy = {.array = given};
    zt_status status = ZT_OK;
    if (zti_exec_reads_values(j->context, &f->coding))
        status = zti_mirror_open(j->context, &given, &copy);
    j->values = copy.array;
    if (!status)
        status = zti_exec_survey(j->context, &f->coding, &j->values, &passing);
    if (!status)
        status = encode(j);
    f->exact_values = j->misses.count;
    if (!status && j->has_search && !j->misses.is_over)
        status = measure(j);
    j->values = given;
    zti_mirror_close(&copy);
    return status;
}

zt_status zti_code(struct zti_job *j)
{
    struct zti_frame *const f = &j->frame;
    struct zti_coding *const coding = &f->coding;
    zti_misses_free(j->context, &j->misses);
    j->misses = (struct zti_misses){.limit = zti_misses_limit(f)};
    if (j->target.loose_planes > 0 && j->misses_most < j->misses.limit)
        j->misses.limit = j->misses_most;
    zti_forget(j->context, coding);
    coding->grid = zti_codec_grid(coding->codec, j->values.rank, j->values.shape);
    zt_status status = zti_configure(j->context, &j->target, coding);
    if (zti_is_mean(f->bound.kind))
        coding->verify_bound = (double)NAN; /* no bound on single values */
    f->limits.is_applied = zti_has_limits(&f->limits) && j->target.kind != ZT_LOSSLESS;
    return status ? status : code_values(j);
}
