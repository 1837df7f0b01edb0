/* writer.c: before the first stage: cuts the slices that callers append into slabs of one
 * thickness, a frame each. A slab is coded from the caller's memory if one call brings all of it,
 * else from a C-contiguous copy (pending). The bytes never depend on the portions. */
#include "frame/write/writer.h"

#include "array/mirror.h"

#include <inttypes.h>
#include <math.h>

zt_status zti_writer_init(zt_context *context, const struct zti_array *whole,
                          const zt_params *params, struct zt_writer *w)
{
    memset(w, 0, sizeof *w);
    w->context = context;
    return zti_request_init(context, whole, params, &w->request);
}

void zti_writer_clear(struct zt_writer *w)
{
    zti_release(w->context, w->scanned);
    zti_buffer_free(w->context, &w->pending);
    zti_buffer_free(w->context, &w->scratch.permuted);
    zti_buffer_free(w->context, &w->scratch.decoded);
    zti_buffer_free(w->context, &w->scratch.payload);
    zti_buffer_free(w->context, &w->scratch.starts);
    zti_buffer_free(w->context, &w->scratch.window);
    zti_output_free(w->context, &w->output);
}

zt_status zti_writer_measure(struct zt_writer *w, const struct zti_array *array)
{
    struct zti_request *const r = &w->request;
    if (!zti_needs_range(&r->params) || !isnan(r->params.range_lo))
        return ZT_OK;
    const uint64_t frames = (r->shape[0] - 1) / r->thickness + 1;
    w->scanned = frames <= SIZE_MAX / sizeof *w->scanned
                     ? zti_alloc(w->context, (size_t)frames * sizeof *w->scanned)
                     : NULL;
    if (!w->scanned)
        return zti_fail(w->context, ZT_NO_MEMORY, "no memory for the ranges of %" PRIu64 " frames",
                        frames);
    return zti_measure_range(w->context, r, array, r->thickness, w->scanned);
}

/* ---- slabs ---- */

/* Slices of the next frame to be coded; the full thickness while the array's extent is unknown. */
static uint64_t next_extent(const struct zt_writer *w)
{
    if (w->request.shape[0] == ZT_UNKNOWN)
        return w->request.thickness;
    uint64_t left = w->request.shape[0] - w->output.table.extent;
    return left < w->request.thickness ? left : w->request.thickness;
}

/* Make room for 'slices' pending slices: for the whole frame at once if the array's extent is
 * known, else by doubling, so that a short array of unknown extent costs little memory. */
static zt_status reserve_pending(struct zt_writer *w, uint64_t slices)
{
    uint64_t most = next_extent(w), wanted = slices, bytes;
    if (w->request.shape[0] != ZT_UNKNOWN)
        wanted = most;
    else if (w->pending.capacity / w->request.slice_bytes < slices)
        wanted = slices < most / 2 ? 2 * slices : most;
    if (!zti_mul(wanted, w->request.slice_bytes, &bytes))
        return zti_fail(w->context, ZT_NO_MEMORY, "no memory for a slab of %" PRIu64 " slices",
                        wanted);
    return zti_buffer_reserve(w->context, &w->pending, bytes,
                              (size_t)(w->pending_slices * w->request.slice_bytes));
}

/* The pending slices as an array. */
static struct zti_array pending_array(const struct zt_writer *w)
{
    uint64_t shape[ZT_MAX_RANK];
    memcpy(shape, w->request.shape, sizeof shape);
    shape[0] = w->pending_slices;
    return zti_array_packed(w->pending.bytes, w->request.type, w->request.rank, shape);
}

static zt_status write_frame(struct zt_writer *w, const struct zti_array *slab)
{
    const struct zti_scanned *const scanned = w->known     ? w->known
                                              : w->scanned ? &w->scanned[w->output.table.frames]
                                                           : NULL;
    return zti_write_frame(w->context, &w->request, &w->scratch, &w->output, slab, scanned,
                           &w->options);
}

static zt_status write_pending(struct zt_writer *w)
{
    const struct zti_array slab = pending_array(w);
    const zt_status status = write_frame(w, &slab);
    w->pending_slices = 0;
    return status;
}

/* Copy slices behind the pending ones. */
static zt_status append_pending(struct zt_writer *w, const struct zti_array *piece)
{
    zt_status status = reserve_pending(w, w->pending_slices + piece->shape[0]);
    if (!status)
        status = zti_fetch_array(w->context, piece,
                                 w->pending.bytes + w->pending_slices * w->request.slice_bytes);
    if (!status)
        w->pending_slices += piece->shape[0];
    return status;
}

zt_status zti_writer_put(struct zt_writer *w, const struct zti_array *slab)
{
    for (uint64_t done = 0, part; done < slab->shape[0]; done += part) {
        const uint64_t left = slab->shape[0] - done, whole = next_extent(w);
        const uint64_t wanted = whole - w->pending_slices;
        part = left < wanted ? left : wanted;
        const struct zti_array piece = zti_array_slab(slab, done, part);
        zt_status status = part == whole ? write_frame(w, &piece) : append_pending(w, &piece);
        if (!status && w->pending_slices == whole)
            status = write_pending(w);
        if (status)
            return status;
    }
    w->put += slab->shape[0];
    return ZT_OK;
}

zt_status zti_writer_finish(struct zt_writer *w)
{
    const uint64_t all = w->request.shape[0];
    if (w->put == 0 || (all != ZT_UNKNOWN && w->put < all))
        return zti_fail(w->context, ZT_BAD_ARG,
                        "%" PRIu64 " slices were put, %" PRIu64 " belong to the array", w->put,
                        all == ZT_UNKNOWN ? 1 : all);
    const zt_status status = w->pending_slices > 0 ? write_pending(w) : ZT_OK;
    return status ? status : zti_emit_table(w->context, &w->output);
}

/* ---- public calls ---- */

/* Check an array whose number of slices may be unknown. */
static zt_status check_whole(zt_context *context, const zt_array *given, struct zti_array *whole)
{
    if (!given)
        return zti_fail(context, ZT_BAD_ARG, "no array");
    zt_array known = *given;
    if (given->shape[0] == ZT_UNKNOWN)
        known.shape[0] = 1;
    const zt_status status = zti_array_check(context, &known, ZTI_SHAPE_ONLY, whole);
    whole->shape[0] = given->shape[0];
    return status;
}

/* Open a writer whose output the caller sets. */
static zt_status open_writer(zt_context *context, const zt_array *given, const zt_params *params,
                             zt_writer **writer)
{
    struct zt_writer w;
    if (!writer)
        return zti_fail(context, ZT_BAD_ARG, "no place for the writer");
    struct zti_array whole;
    zt_status status = check_whole(context, given, &whole);
    if (!status)
        status = zti_writer_init(context, &whole, params, &w);
    zt_bound_kind kind;
    double abs_bound, range;
    if (!status) /* report a missing range before the first slab */
        status = zti_params_resolve(context, &w.request.params, w.request.type, &kind, &abs_bound,
                                    &range);
    if (status)
        return status;
    struct zt_writer *opened = (struct zt_writer *)zti_alloc(context, sizeof *opened);
    if (!opened)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a writer");
    *opened = w;
    *writer = opened;
    return ZT_OK;
}

zt_status zt_writer_open(zt_context *context, const zt_sink *sink, const zt_array *whole,
                         const zt_params *params, zt_writer **writer)
{
    zt_status status = zti_sink_check(context, sink);
    if (!status)
        status = open_writer(context, whole, params, writer);
    if (!status)
        (*writer)->output.sink = *sink;
    return status;
}

zt_status zt_writer_open_store(zt_context *context, const zt_store *store, const zt_array *whole,
                               const zt_params *params, zt_writer **writer)
{
    zt_status status = zti_store_check(context, store);
    if (!status)
        status = open_writer(context, whole, params, writer);
    if (!status)
        (*writer)->output.store = *store;
    return status;
}

uint64_t zt_writer_slab_extent(const zt_writer *writer)
{
    return writer ? writer->request.thickness : 0;
}

static zt_status check_slab(struct zt_writer *w, const zt_array *given, struct zti_array *slab)
{
    if (w->state != ZTI_WRITER_OPEN)
        return zti_fail(w->context, ZT_BAD_ARG, "the writer %s; nothing can be put",
                        w->state == ZTI_WRITER_CLOSED ? "is closed" : "has failed before");
    if (!given)
        return zti_fail(w->context, ZT_BAD_ARG, "no slab");
    zt_status status = zti_array_check(w->context, given, ZTI_TO_READ, slab);
    if (status)
        return status;
    bool is_same = slab->type == w->request.type && slab->rank == w->request.rank;
    for (uint32_t i = 1; i < w->request.rank && is_same; i++)
        is_same = slab->shape[i] == w->request.shape[i];
    if (!is_same)
        return zti_fail(w->context, ZT_BAD_ARG,
                        "the slab's type, rank or extents are not those of the array that was "
                        "announced");
    uint64_t sum, bytes;
    bool fits = zti_add(w->put, slab->shape[0], &sum) &&
                zti_mul(sum, w->request.slice_bytes, &bytes) && bytes <= INT64_MAX;
    if (!fits || (w->request.shape[0] != ZT_UNKNOWN && sum > w->request.shape[0]))
        return zti_fail(w->context, ZT_BAD_ARG,
                        "%" PRIu64 " slices after %" PRIu64 " are more than the array can have",
                        slab->shape[0], w->put);
    return ZT_OK;
}

zt_status zt_writer_put(zt_writer *writer, const zt_array *given)
{
    struct zti_array slab;
    if (!writer)
        return ZT_BAD_ARG;
    zt_status status = check_slab(writer, given, &slab);
    if (!status)
        status = zti_writer_put(writer, &slab);
    if (status)
        writer->state = ZTI_WRITER_FAILED;
    return status;
}

zt_status zt_writer_put_scanned(zt_writer *writer, const zt_array *given, const zt_stats *stats)
{
    if (!writer)
        return ZT_BAD_ARG;
    if (!stats || !given || writer->pending_slices > 0 || given->shape[0] != next_extent(writer))
        return zti_fail(writer->context, ZT_BAD_ARG,
                        stats ? "the slab that was scanned is no frame" : "no statistics");
    const struct zti_scanned known = zti_scanned_of(stats);
    writer->known = &known;
    const zt_status status = zt_writer_put(writer, given);
    writer->known = NULL;
    return status;
}

zt_status zt_writer_close(zt_writer *writer)
{
    if (!writer)
        return ZT_BAD_ARG;
    if (writer->state != ZTI_WRITER_OPEN)
        return zti_fail(writer->context, ZT_BAD_ARG, "the writer %s",
                        writer->state == ZTI_WRITER_CLOSED ? "is closed already"
                                                           : "has failed before");
    zt_status status = zti_writer_finish(writer);
    writer->state = status ? ZTI_WRITER_FAILED : ZTI_WRITER_CLOSED;
    return status;
}

uint64_t zt_writer_special_values(const zt_writer *writer)
{
    return writer ? writer->output.special_values : 0;
}

double zt_writer_mean_error(const zt_writer *writer)
{
    const zt_bound mean = writer ? zti_mean_of(&writer->request.params) : zt_lossless();
    return mean.kind == ZT_LOSSLESS
               ? (double)NAN
               : zti_mean_reached(&mean, writer->output.range, writer->output.error,
                                  writer->output.counted_values);
}

double zt_writer_psnr(const zt_writer *writer)
{
    return writer && zti_mean_of(&writer->request.params).kind == ZT_PSNR
               ? zt_writer_mean_error(writer)
               : (double)NAN;
}

void zt_writer_free(zt_writer *writer)
{
    if (!writer)
        return;
    zt_context *context = writer->context;
    zti_writer_clear(writer);
    zti_release(context, writer);
}

uint32_t zt_writer_options(const zt_writer *writer, zt_option *options, uint32_t room)
{
    const uint32_t count = writer && options ? writer->options.count : 0;
    const uint32_t n = count < room ? count : room;
    if (n > 0)
        memcpy(options, writer->options.list, n * sizeof *options);
    return n;
}
