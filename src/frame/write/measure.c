/* measure.c: part of the fourth stage: the mean error of a frame as a reader gets it. The stream
 * that was just made is decoded some MiB at a time by the frame's index, or at once if the frame
 * has none. */
#include "core/threads.h"
#include "frame/write/stages.h"
#include "quality/quality.h"

enum { STEP_A_THREAD_BYTES = 8 << 20 };

/* A stream being decoded. */
struct decoding {
    struct zti_job *job;
    struct zti_coding coding; /* as a reader loads it */
    struct zti_index index;
    bool has_index;
    uint8_t *index_bytes;
    uint64_t slice_values;
    uint64_t step; /* slices at a time */
    uint64_t miss; /* number of the next miss */
};

static zt_status open_index(struct decoding *d)
{
    const struct zti_frame *const f = &d->job->frame;
    zt_context *const context = d->job->context;
    const uint64_t bits = (f->payload_bytes - zti_head_bytes(&f->coding)) * 8;
    if (f->index.kind == ZT_INDEX_NONE)
        return ZT_OK;
    d->index_bytes = zti_alloc(context, (size_t)f->index_bytes + ZTI_BIT_MARGIN_BYTES);
    if (!d->index_bytes)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for an index");
    zti_index_store(&f->index, (const uint64_t *)(const void *)d->job->starts.bytes,
                    zti_frame_chunks(f), d->index_bytes);
    zt_status status =
        zti_index_open(context, d->index_bytes, (size_t)f->index_bytes, f->coding.grid.count,
                       bits / zti_unit_bits(&f->coding), &d->index);
    d->has_index = !status;
    return status ? status : zti_index_check(context, &d->index);
}

/* Slices that are decoded at a time: whole tiles; all slices if there is no index to find tiles. */
static uint64_t step_of(const struct decoding *d)
{
    const struct zti_job *const j = d->job;
    const struct zti_grid *const grid = &j->frame.coding.grid;
    const uint64_t slice_bytes = d->slice_values * zt_type_bytes(j->frame.type);
    const uint64_t most = (uint64_t)zti_threads_wanted(j->context) * STEP_A_THREAD_BYTES;
    const uint64_t tiles = most / slice_bytes / grid->side[0];
    if (!d->has_index || zti_exec_decodes_by_kernels(j->context, &j->frame.coding))
        return grid->shape[0];
    return (tiles > 0 ? tiles : 1) * grid->side[0];
}

/* Decode slices [lo, hi) to 'to', and put those values there that are kept exactly. */
static zt_status decode_slices(struct decoding *d, uint64_t lo, uint64_t hi, uint8_t *to)
{
    struct zti_job *const j = d->job;
    const struct zti_frame *const f = &j->frame;
    const size_t value_bytes = zt_type_bytes(f->type);
    uint64_t shape[ZT_MAX_RANK], end_bits;
    memcpy(shape, j->values.shape, sizeof shape);
    shape[0] = hi - lo;
    const struct zti_array part = zti_array_packed(to, f->type, j->values.rank, shape);
    struct zti_view view = zti_view_whole(&part);
    view.lo[0] = lo;
    view.hi[0] = hi;
    const zt_status status = zti_exec_decode(
        j->context, &d->coding, j->stream, (size_t)f->payload_bytes, zti_head_bytes(&d->coding) * 8,
        d->has_index ? &d->index : NULL, &view, &end_bits);
    if (status)
        return status;
    zti_limits_apply(j->context, &f->limits, &part);
    const struct zti_miss *const list = j->misses.list;
    for (; d->miss < j->misses.count && list[d->miss].at < hi * d->slice_values; d->miss++)
        zti_set_bits_at(to + (list[d->miss].at - lo * d->slice_values) * value_bytes,
                        list[d->miss].bits, value_bytes);
    return ZT_OK;
}

/* Add the errors of all slices, in parts of ZTI_ERRORS_PART values; the rest of a step waits for
 * the next one. */
static zt_status add_errors(struct decoding *d, struct zti_error_sum *sum)
{
    struct zti_job *const j = d->job;
    struct zti_buffer *const decoded = &j->scratch->decoded;
    const struct zti_passing passing = zti_passing_of(j->output, j->slab);
    const struct zti_grid *const grid = &j->frame.coding.grid;
    const uint64_t all = j->values.shape[0], step = d->step < all ? d->step : all;
    const size_t value_bytes = zt_type_bytes(j->frame.type);
    uint64_t held = 0;
    zt_status status = zti_buffer_reserve(
        j->context, decoded, (step * d->slice_values + ZTI_ERRORS_PART) * value_bytes, 0);
    for (uint64_t lo = 0, hi; !status && lo < all; lo = hi) {
        hi = all - lo < step ? all : lo + step;
        status = decode_slices(d, lo, hi, decoded->bytes + held * value_bytes);
        if (status)
            break;
        held += (hi - lo) * d->slice_values;
        const uint64_t n = hi == all ? held : held - held % ZTI_ERRORS_PART;
        zti_add_errors(j->context, sum, decoded->bytes, n);
        held -= n;
        memmove(decoded->bytes, decoded->bytes + n * value_bytes, (size_t)held * value_bytes);
        zti_pass(&passing, grid, &j->values,
                 hi == all ? grid->count : hi / grid->side[0] * (grid->count / grid->tiles[0]));
    }
    return status;
}

zt_status zti_measure(struct zti_job *j)
{
    struct zti_frame *const f = &j->frame;
    struct decoding d = {.job = j};
    struct zti_error_sum sum = {.array = &j->values,
                                .mask = j->special.count > 0 ? j->special.mask : NULL,
                                .is_absolute = zti_is_absolute_mean(f->mean.kind),
                                .range = f->range};
    f->error = 0;
    if (j->target.kind == ZT_LOSSLESS)
        return ZT_OK;
    const zt_progress progress = zti_pause_progress(j->context);
    d.slice_values = zti_array_values(j->values.rank, j->values.shape) / j->values.shape[0];
    zt_status status = zti_trial_open(j->context, &f->coding, j->stream, &d.coding);
    if (!status)
        status = open_index(&d);
    d.step = status ? 0 : step_of(&d);
    if (!status)
        status = add_errors(&d, &sum);
    if (d.has_index)
        zti_index_close(j->context, &d.index);
    zti_release(j->context, d.index_bytes);
    zti_forget(j->context, &d.coding);
    zti_resume_progress(j->context, progress);
    f->error = zti_end_errors(&sum) / (double)zti_counted_values(f);
    return status;
}
