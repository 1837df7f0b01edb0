/* report.c: calls the context's progress function, and tells how far a pass is. */
#include "exec/run.h"

zt_status zti_report(zt_context *context, uint64_t done, uint64_t total)
{
    if (context && context->progress && context->progress(context->progress_user, done, total) != 0)
        return zti_fail(context, ZT_CANCELLED, "cancelled after %llu of %llu tiles",
                        (unsigned long long)done, (unsigned long long)total);
    return ZT_OK;
}

zt_status zti_fail_for_space(zt_context *context, uint64_t capacity_bytes)
{
    return zti_fail(context, ZT_NO_SPACE,
                    "the stream needs more than the output buffer's %llu bytes",
                    (unsigned long long)capacity_bytes);
}

void zti_pass(const struct zti_passing *passing, const struct zti_grid *grid,
              const struct zti_array *array, uint64_t tile)
{
    if (!passing || !passing->passed)
        return;
    const struct zti_array *const slab = passing->slab;
    bool is_in_order = array->data == slab->data && array->stride[0] > 0 && slab->stride[0] > 0;
    for (uint32_t i = 1; i < array->rank && is_in_order; i++)
        is_in_order = array->stride[i] >= 0 && array->stride[i] <= array->stride[0];
    const uint64_t row = tile / (grid->count / grid->tiles[0]) * grid->side[0];
    if (tile == grid->count)
        passing->passed(passing->user, slab->shape[0]);
    else if (is_in_order && row > 0)
        passing->passed(passing->user,
                        row * (uint64_t)array->stride[0] / (uint64_t)slab->stride[0]);
}

uint64_t zti_report_tiles(const struct zti_coding *coding)
{
    const uint64_t group_bytes = ZTI_GROUP_TILES * zti_tile_bytes(coding);
    return group_bytes < 1u << 20 ? (1u << 20) / group_bytes * ZTI_GROUP_TILES : ZTI_GROUP_TILES;
}
