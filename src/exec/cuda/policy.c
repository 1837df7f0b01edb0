/* policy.c: the table of the cuda policy; each function makes the context's device the current one
 * while it runs. */
#include "exec/policy.h"

#include "exec/cuda/cuda.h"
#include "exec/run.h"

static zt_status encode(zt_context *context, const struct zti_coding *coding,
                        const struct zti_array *array, struct zti_tiles all, uint8_t *out,
                        size_t out_capacity_bytes, uint64_t start_bits, uint64_t *end_bits,
                        struct zti_misses *misses, const struct zti_starts *starts)
{
    (void)all;
    const int before = context->device->enter(context);
    const zt_status status = zti_cuda_encode(context, coding, array, out, out_capacity_bytes,
                                             start_bits, end_bits, misses, starts);
    context->device->leave(before);
    return status;
}

static zt_status decode(zt_context *context, const struct zti_coding *coding, const uint8_t *data,
                        size_t data_bytes, uint64_t start_bits, const struct zti_index *index,
                        const struct zti_view *view, const struct zti_scatter *scatter,
                        const struct zti_starts *starts, uint64_t *end_bits)
{
    const int before = context->device->enter(context);
    const zt_status status = zti_cuda_decode(context, coding, data, data_bytes, start_bits, index,
                                             view, scatter, starts, end_bits);
    context->device->leave(before);
    return status;
}

/* Whether a scatter wants only a small part of its cover's tiles: the device would decode all of
 * them. */
static bool is_sparse(const struct zti_coding *coding, const struct zti_scatter *scatter)
{
    enum { PART = 4 };
    struct zti_runs all = zti_runs_of(&coding->grid, &scatter->cover, NULL);
    struct zti_runs runs = zti_runs_of(&coding->grid, &scatter->cover, scatter->spans);
    uint64_t first, last, tiles = 1, wanted = 0;
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        tiles *= all.hi[i] - all.lo[i];
    while (wanted <= tiles / PART && zti_runs_next(&runs, UINT64_MAX, &first, &last))
        wanted += last - first;
    return wanted <= tiles / PART;
}

static bool can_decode(const struct zti_coding *coding, const struct zti_scatter *scatter)
{
    return !(scatter && is_sparse(coding, scatter));
}

static zt_status tally(zt_context *context, struct zti_coding *coding, uint32_t pass,
                       const struct zti_array *array, void *tally,
                       const struct zti_passing *passing)
{
    bool is_done;
    const int before = context->device->enter(context);
    const zt_status status = zti_cuda_tally(context, coding, pass, array, tally, &is_done);
    context->device->leave(before);
    return status || is_done ? status
                             : zti_tally_on_host(context, coding, pass, array, tally, passing);
}

/* The scratch of kernels depends on the current device. */
static zt_status scratch(zt_context *context, const struct zti_coding *coding,
                         const struct zti_index_layout *layout, uint64_t *bytes)
{
    const int before = context->device->enter(context);
    const zt_status status = zti_cuda_scratch(context, coding, layout, bytes);
    context->device->leave(before);
    return status;
}

const struct zti_policy zti_cuda = {.is_by_kernels = true,
                                    .encode = encode,
                                    .decode = decode,
                                    .tally = tally,
                                    .can_decode = can_decode,
                                    .checks_index = zti_cuda_expands,
                                    .scratch = scratch};
