/* ends.c: the table that an ndzip stream begins with, as an index:
 *
 *     size       field
 *     u32 each   where a chunk ends, in units from the first tile
 *
 * It is read here; the codec writes it as part of its stream. */
#include "index/layout.h"

static uint64_t end_of(const struct zti_index *index, uint64_t chunk)
{
    return zti_get_le32(index->body + 4 * chunk);
}

static uint64_t start(const struct zti_index *index, uint64_t chunk)
{
    return chunk == 0 ? 0 : end_of(index, chunk - 1);
}

static zt_status open(zt_context *context, struct zti_index *index)
{
    return zti_index_set_end(context, index,
                             index->chunks > 0 ? end_of(index, index->chunks - 1) : 0);
}

static zt_status check(zt_context *context, struct zti_index *index)
{
    uint64_t last = 0;
    for (uint64_t i = 0; i < index->chunks; i++) {
        const uint64_t end = end_of(index, i);
        if (end < last || end > index->end)
            return zti_fail(context, ZT_CORRUPT,
                            "the stream's table is damaged: tile %llu ends at %llu, the one "
                            "before at %llu, the stream at %llu",
                            (unsigned long long)i, (unsigned long long)end,
                            (unsigned long long)last, (unsigned long long)index->end);
        last = end;
    }
    return ZT_OK;
}

static void window(const struct zti_index *index, uint64_t first, uint64_t last,
                   struct zti_index_window *w)
{
    (void)index;
    const uint64_t from = first > 0 ? first - 1 : 0;
    w->at[0] = 4 * from;
    w->bytes[0] = 4 * (last - from);
}

const struct zti_layout zti_layout_ends = {
    .name = "ends", .open = open, .check = check, .start = start, .window = window};
