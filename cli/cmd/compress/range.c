/* range.c: the first reading of an array that can be read twice: its range, for bounds that are
 * parts of it, and its values that are not finite. */
#include "cmd/compress/range.h"
#include "ztile_quality.h"

#include "cmd/compress/fill_check.h"
#include "cmd/compress/scan.h"
#include "util/errors.h"
#include "util/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Read so much at a time; scan so much at a time of what is mapped. */
enum { READ_BYTES = 4 << 20, SCAN_BYTES = 256 << 20 };

static int take_nothing(void *user, const void *data, size_t bytes)
{
    (void)user;
    (void)data;
    (void)bytes;
    return 1;
}

/* Have room for what is found in each frame of a .zt file. Frames do not depend on the range, which
 * is not known yet. */
static bool open_frames(struct compress_job *job, struct ztio_error *error)
{
    const struct ztio_meta *const meta = job->meta;
    const zt_array whole = zt_array_nd(NULL, (zt_type)meta->type, meta->rank, meta->shape);
    const zt_sink nowhere = {.write = take_nothing};
    zt_params params = job->params;
    zt_writer *writer;
    params.range_lo = params.range_hi = 0;
    const zt_status status = zt_writer_open(job->context, &nowhere, &whole, &params, &writer);
    if (status != ZT_OK)
        return fail_zt(error, job->context, status, input_name(job->place));
    job->frame_slices = zt_writer_slab_extent(writer);
    zt_writer_free(writer);
    const uint64_t frames = (meta->shape[0] - 1) / job->frame_slices + 1;
    job->frame_stats =
        frames < SIZE_MAX / sizeof(zt_stats) ? malloc((size_t)frames * sizeof(zt_stats)) : NULL;
    for (uint64_t i = 0; job->frame_stats && i < frames; i++)
        stats_begin(job, &job->frame_stats[i]);
    return job->frame_stats ||
           fail(error, ZTIO_LACKING, "%s: no memory; free some", input_name(job->place));
}

/* Count and measure the whole array; only where it can be read again. What was begun to be looked
 * for is. */
static bool scan_all(struct compress_job *job, zt_stats *stats, struct ztio_error *error)
{
    uint64_t shape[ZT_MAX_RANK], left = job->meta->shape[0], got;
    const char *const map = ztio_map(job->input, 0, left);
    const uint64_t step_bytes = map ? SCAN_BYTES : READ_BYTES;
    const uint64_t step =
        job->slice_bytes && job->slice_bytes < step_bytes ? step_bytes / job->slice_bytes : 1;
    void *slab = NULL;
    bool scanned = true;
    stats_begin(job, stats);
    if (!map && !allocate_slab(job, step < left ? step : left, &slab, error))
        return false;
    memcpy(shape, job->meta->shape, sizeof shape);
    for (uint64_t first = 0; scanned && left; first += got, left -= got) {
        const void *const part = map ? map + first * job->slice_bytes : slab;
        const uint64_t rest =
            job->frame_stats ? job->frame_slices - first % job->frame_slices : left;
        got = step < left ? step : left;
        got = got < rest ? got : rest;
        scanned = map || ztio_read(job->input, first, got, slab, &got, error);
        if (!scanned)
            break;
        shape[0] = got;
        const zt_array a =
            zt_array_const_nd(part, (zt_type)job->meta->type, job->meta->rank, shape);
        zt_stats own;
        stats_begin(job, &own);
        scanned = scan_slices(job, &a, first, &own, error);
        stats_add(stats, &own);
        if (job->frame_stats)
            stats_add(&job->frame_stats[first / job->frame_slices], &own);
        progress_slab(&job->progress, got * job->slice_bytes);
    }
    free(slab);
    return scanned;
}

static bool fail_count(const struct compress_job *job, const zt_stats *stats,
                       struct ztio_error *error)
{
    return fail(error, ZTIO_BAD_DATA,
                "%s: holds %" PRIu64 " NaN and %" PRIu64 " infinite values, for which a lossy zfp "
                "stream has no place; write a .zt file, or use --lossless",
                input_name(job->place), stats->nan_values, stats->inf_values);
}

bool fail_nonfinite(struct compress_job *job, zt_status status, struct ztio_error *error)
{
    zt_stats stats;
    progress_end(&job->progress);
    if (!ztio_is_seekable(job->input) || !scan_all(job, &stats, error))
        return fail_zt(error, job->context, status, input_name(job->place));
    return fail_count(job, &stats, error);
}

bool measure_range(struct compress_job *job, struct ztio_error *error)
{
    zt_stats stats;
    zt_params *p = &job->params;
    if (!is_of_range(p) || !isnan(p->range_lo))
        return true;
    if (p->bound.value == 0) { /* lossless: the range does not matter */
        p->range_lo = p->range_hi = 0;
        return true;
    }
    if (!ztio_is_seekable(job->input))
        return fail(error, ZTIO_BAD_USE,
                    "%s: the range of a pipe cannot be measured beforehand; give --range LO:HI, "
                    "or use --abs",
                    input_name(job->place));
    if (!far_open(job, error) || (job->format == FORMAT_ZT && !open_frames(job, error)))
        return false;
    progress_begin(&job->progress, "scan", job->meta->shape[0] * job->slice_bytes,
                   job->options->quiet, job->context);
    bool scanned = scan_all(job, &stats, error);
    progress_end(&job->progress);
    if (!scanned || !far_refuse(job, error))
        return false;
    if (job->format == FORMAT_ZFP && !job->options->allow_nonfinite &&
        stats.nan_values + stats.inf_values > 0)
        return fail_count(job, &stats, error);
    p->range_lo = isnan(stats.min) ? 0 : stats.min;
    p->range_hi = isnan(stats.max) ? 0 : stats.max;
    return true;
}
