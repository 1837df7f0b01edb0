/* offsets.c: the layout 'offsets': where each chunk begins, in 64 bits.
 *
 *     size       field
 *     u64 each   where a chunk begins, in units from the first tile; the first is 0 */
#include "index/layout.h"

static uint64_t body_bytes(const struct zti_index_layout *layout, const uint64_t *starts,
                           uint64_t chunks)
{
    (void)starts;
    return zti_index_body_bytes(layout, chunks, 8, 0);
}

static void store(const struct zti_index_layout *layout, const uint64_t *starts, uint64_t chunks,
                  uint8_t *out)
{
    (void)layout;
    for (uint64_t i = 0; i < chunks; i++)
        zti_put_le64(out + 8 * i, starts[i]);
}

static uint64_t start(const struct zti_index *index, uint64_t chunk)
{
    return zti_get_le64(index->body + 8 * chunk);
}

static zt_status open(zt_context *context, struct zti_index *index)
{
    if (index->body_bytes != zti_index_body_bytes(&index->layout, index->chunks, 8, 0))
        return zti_index_bad_size(context, index);
    return ZT_OK;
}

static zt_status check(zt_context *context, struct zti_index *index)
{
    uint64_t last = 0;
    for (uint64_t i = 0; i < index->chunks; i++) {
        const uint64_t at = start(index, i);
        if (at < last || at > index->end || (i == 0 && at != 0))
            return zti_fail(context, ZT_CORRUPT,
                            "the index is damaged or another stream's: chunk %llu begins at %llu, "
                            "the one before at %llu, the stream ends at %llu",
                            (unsigned long long)i, (unsigned long long)at, (unsigned long long)last,
                            (unsigned long long)index->end);
        last = at;
    }
    return ZT_OK;
}

/* The last chunk ends where the next one begins. */
static void window(const struct zti_index *index, uint64_t first, uint64_t last,
                   struct zti_index_window *w)
{
    w->at[0] = 8 * first;
    w->bytes[0] = 8 * (last - first + (last < index->chunks));
}

const struct zti_layout zti_layout_offsets = {.name = "offsets",
                                              .body_bytes = body_bytes,
                                              .store = store,
                                              .open = open,
                                              .check = check,
                                              .start = start,
                                              .window = window};
