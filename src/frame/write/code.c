/* code.c: the fourth stage: the codec codes the coded array under the target. In: job->values and
 * target. Out: the payload, the values that miss the bound, and where chunks begin. */
#include "array/mirror.h"
#include "frame/write/stages.h"

#include <math.h>

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
    j->stream = zti_device_payload_room(j, capacity, room_bytes);
    if (!j->stream && !j->is_aside && !j->output->is_on_device)
        j->stream = zti_output_room(j->output, &j->frame, capacity, room_bytes);
    if (j->stream)
        return ZT_OK;
    const zt_status status = zti_buffer_reserve(j->context, &j->payload, capacity, 0);
    j->stream = j->payload.bytes;
    *room_bytes = j->payload.capacity;
    return status;
}

/* Windows of a stream are appended to job->payload, which grows with them. */
struct kept {
    struct zti_job *job;
    uint64_t bytes, most_bytes;
};

static zt_status keep(void *user, const uint8_t *bytes, uint64_t n)
{
    struct kept *const k = user;
    struct zti_buffer *const payload = &k->job->payload;
    const uint64_t end = k->bytes + n, room = end + ZTI_GAP_BYTES;
    zt_status status = ZT_OK;
    if (end > k->most_bytes)
        return ZT_NO_SPACE;
    if (room > payload->capacity)
        status = zti_buffer_reserve(k->job->context, payload, room + room / 2, (size_t)k->bytes);
    if (!status)
        memcpy(payload->bytes + k->bytes, bytes, (size_t)n);
    k->bytes = end;
    return status;
}

/* Encode in windows: memory grows with the stream, and a store learns how far the pass has come. */
static zt_status encode_in_windows(struct zti_job *j, const struct zti_array *values,
                                   uint64_t most_bytes, struct zti_misses *misses,
                                   const struct zti_starts *starts)
{
    const struct zti_coding *const coding = &j->frame.coding;
    struct kept kept = {.job = j, .bytes = zti_head_bytes(coding), .most_bytes = most_bytes};
    const struct zti_drain drain = {
        .take = keep, .user = &kept, .passing = zti_passing_of(j->output, j->slab)};
    struct zti_window window = {.used_bits = 0};
    uint64_t bytes = 0;
    zt_status status = zti_exec_window_bytes(j->context, coding, &bytes);
    if (!status)
        status = zti_buffer_reserve(j->context, &j->scratch->window, bytes, 0);
    if (!status)
        status = zti_buffer_reserve(j->context, &j->payload, kept.bytes + ZTI_GAP_BYTES, 0);
    window.bytes = j->scratch->window.bytes;
    window.capacity_bytes = (size_t)bytes;
    if (!status)
        status =
            zti_exec_encode_pieces(j->context, coding, values, &window, &drain, misses, starts);
    j->stream = j->payload.bytes;
    j->frame.payload_bytes = kept.bytes;
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
    if (zti_output_is_written(j->output) && !zti_exec_is_by_kernels(j->context, coding))
        return encode_in_windows(j, values, most_bytes, misses, starts);
    status = payload_room(j, (size_t)most_bytes, &room_bytes);
    if (status)
        return status;
    /* kernels need room for tiles at their largest, and are not stopped half-way */
    if (room_bytes > most_bytes && !j->on_device.place)
        room_bytes = (size_t)most_bytes;
    status = zti_exec_encode(j->context, coding, values, j->stream, room_bytes,
                             zti_head_bytes(coding) * 8, &end_bits, misses, starts);
    f->payload_bytes = end_bits / 8;
    return !status && f->payload_bytes > most_bytes ? ZT_NO_SPACE : status;
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
    f->coding.run.won_bytes = j->won_bytes;
    misses->exceeds_limit = head_bytes > limit;
    if (!status && !misses->exceeds_limit)
        status = zti_starts_room(j->context, f, &j->starts, &starts);
    if (status || misses->exceeds_limit)
        return status;
    status = zti_encode_payload(j, &j->values, limit, misses, starts.list ? &starts : NULL);
    if (status == ZT_NO_SPACE) {
        misses->exceeds_limit = true;
        status = ZT_OK;
    }
    if (status || misses->exceeds_limit)
        return status;
    if (j->on_device.place)
        status = zti_device_payload_write_head(j, &starts);
    else
        zti_encode_head(&f->coding, starts.list, j->stream);
    zti_set_index(&j->request->params, f, &starts);
    return status;
}

/* Learn and encode. If the host does a part of it, values in a GPU's memory are copied to it
 * first. */
static zt_status code_values(struct zti_job *j)
{
    struct zti_frame *const f = &j->frame;
    const struct zti_passing passing = zti_passing_of(j->output, j->slab);
    const struct zti_array given = j->values;
    struct zti_mirror copy = {.array = given};
    zt_status status = zti_choose_coder(j->context, &f->coding, &given);
    if (!status && zti_exec_reads_values(j->context, &f->coding))
        status = zti_mirror_open(j->context, &given, &copy);
    j->values = copy.array;
    if (!status)
        status = zti_exec_survey(j->context, &f->coding, &j->values, &passing);
    if (!status)
        status = encode(j);
    f->exact_values = j->misses.count;
    if (!status && j->has_search && !j->misses.exceeds_limit)
        status = zti_measure(j);
    j->values = given;
    zti_mirror_close(&copy);
    return status;
}

zt_status zti_code(struct zti_job *j)
{
    struct zti_frame *const f = &j->frame;
    struct zti_coding *const coding = &f->coding;
    zti_misses_free(j->context, &j->misses);
    j->misses = (struct zti_misses){.limit = zti_misses_limit(f->rank, f->shape)};
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
