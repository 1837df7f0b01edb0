/* report.c: calls the context's progress function. */
#include "exec/run.h"

zt_status zti_report(zt_context *context, uint64_t done, uint64_t total)
{
    if (context && context->progress && context->progress(context->progress_user, done, total) != 0)
        return zti_fail(context, ZT_CANCELLED, "cancelled after %llu of %llu tiles",
                        (unsigned long long)done, (unsigned long long)total);
    return ZT_OK;
}

uint64_t zti_report_tiles(const struct zti_coding *coding)
{
    uint64_t group_bytes = ZTI_GROUP_TILES * zt_type_bytes(coding->type);
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        group_bytes *= coding->grid.side[i];
    return group_bytes < 1u << 20 ? (1u << 20) / group_bytes * ZTI_GROUP_TILES : ZTI_GROUP_TILES;
}
