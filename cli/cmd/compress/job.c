/* job.c: what the ways to compress an array share: memory for a slab, what its output is. */
#include "cmd/compress/job.h"

#include "util/errors.h"
#include "util/memory.h"

bool allocate_slab(const struct compress_job *job, uint64_t extent, void **slab,
                   struct ztio_error *error)
{
    uint64_t bytes;
    if (job->slice_bytes && extent > UINT64_MAX / job->slice_bytes)
        return fail(error, ZTIO_LACKING, "%s: a slab is too large for memory; lower --slab-bytes",
                    input_name(job->place));
    bytes = extent * job->slice_bytes;
    return allocate(slab, bytes, input_name(job->place), error);
}

bool fail_empty(const struct compress_job *job, struct ztio_error *error)
{
    return fail(error, ZTIO_BAD_DATA, "%s is empty; check what should write to it",
                input_name(job->place));
}
