/* report.c: calls the context's progress function, and tells how far a pass is. */
#include "exec/run.h"

zt_status zti_report(zt_context *context, uint64_t done, uint64_t total)
{
    if (context && context->progress && context->progress(context->progress_user, done, total) != 0)
        return zti_fail(context, ZT_CANCELLED, "cancelled after %llu of %llu tiles",
                        (unsigned long long)done, (unsigned long long)total);
    return ZT_OK;
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
    uint64_t group_bytes = ZTI_GROUP_TILES * zt_type_bytes(coding->type);
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        group_bytes *= coding->grid.side[i];
    return group_bytes < 1u << 20 ? (1u << 20) / group_bytes * ZTI_GROUP_TILES : ZTI_GROUP_TILES;
}
