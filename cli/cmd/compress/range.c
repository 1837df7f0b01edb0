/* range.c: the first reading of an array that can be read twice: its range, for bounds that are
 * parts of it, and its values that are not finite. */
#include "cmd/compress/range.h"
#include "ztile_quality.h"

#include "cmd/compress/fill_check.h"
#include "util/errors.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Count and measure the whole array; only where it can be read again. What was begun to be looked
 * for is. An array that is one frame of a .zt file stays in memory, to be coded from there. */
static bool scan_all(struct compress_job *job, zt_stats *stats, struct ztio_error *error)
{
    enum { STEP_BYTES = 8 << 20 }; /* read by parts that stay in a cache until they are scanned */
    uint64_t shape[ZT_MAX_RANK], left = job->meta->shape[0], got;
    uint64_t step =
        job->slice_bytes < STEP_BYTES && job->slice_bytes ? STEP_BYTES / job->slice_bytes : 1;
    const bool is_kept =
        job->format == FORMAT_ZT && left * job->slice_bytes <= job->params.slab_bytes;
    void *slab;
    bool scanned = true;
    (void)zt_stats_init(stats, sizeof *stats);
    stats->fills = job->params.fills;
    memcpy(stats->fill, job->params.fill, sizeof stats->fill);
    if (!allocate_slab(job, is_kept ? left : step, &slab, error))
        return false;
    memcpy(shape, job->meta->shape, sizeof shape);
    for (uint64_t first = 0; scanned && left; first += got, left -= got) {
        shape[0] = step < left ? step : left;
        char *part = (char *)slab + (is_kept ? first * job->slice_bytes : 0);
        scanned = ztio_read(job->input, first, shape[0], part, &got, error);
        if (!scanned)
            break;
        shape[0] = got;
        zt_array a = zt_array_nd(part, (zt_type)job->meta->type, job->meta->rank, shape);
        zt_status status = zt_scan(job->context, &a, stats);
        scanned = status == ZT_OK ? far_note(job, &a, error)
                                  : fail_zt(error, job->context, status, input_name(job->place));
        progress_slab(&job->progress, got * job->slice_bytes);
    }
    if (scanned && is_kept)
        job->whole = slab;
    else
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
    if ((p->bound.kind != ZT_REL && p->bound.kind != ZT_PSNR) || !isnan(p->range_lo))
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
    if (!far_open(job, error))
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
