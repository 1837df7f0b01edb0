/* head.c: the public functions of index.h: stores and parses the head, which all layouts share, and
 * calls the layout's own functions for the body. */
#include "index/layout.h"

static const struct zti_layout *const layouts[] = {
    [ZT_INDEX_OFFSETS] = &zti_layout_offsets, [ZT_INDEX_LENGTHS] = &zti_layout_lengths,
    [ZT_INDEX_HYBRID] = &zti_layout_hybrid,   [ZT_INDEX_COMPACT] = &zti_layout_compact,
    [ZT_INDEX_STREAM] = &zti_layout_ends,
};

enum { KINDS = ZT_INDEX_COMPACT + 1 }; /* kinds that can be stored outside a stream */

uint64_t zti_index_bytes(const struct zti_index_layout *layout, const uint64_t *starts,
                         uint64_t chunks)
{
    return zti_index_head_bytes(layout) + layouts[layout->kind]->body_bytes(layout, starts, chunks);
}

void zti_index_store(const struct zti_index_layout *layout, const uint64_t *starts, uint64_t chunks,
                     uint8_t *out)
{
    out = zti_index_put_head(layout, out);
    layouts[layout->kind]->store(layout, starts, chunks, out);
}

static zt_status decode_head(zt_context *context, struct zti_cursor *c,
                             struct zti_index_layout *layout)
{
    const uint32_t kind = zti_get_byte(c);
    if (c->is_bad || kind <= ZT_INDEX_NONE)
        return zti_fail(context, ZT_CORRUPT, "the index is damaged: it has no kind");
    if (kind >= KINDS)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "an index of kind %u is of a later version of ztile", kind);
    const uint64_t chunk_tiles = zti_get_varint(c);
    const uint64_t partition = kind == ZT_INDEX_HYBRID ? zti_get_varint(c) : 1;
    if (c->is_bad || chunk_tiles < 1 || chunk_tiles > UINT32_MAX || partition < 1 ||
        partition > ZTI_INDEX_PARTITION_MOST)
        return zti_fail(context, ZT_CORRUPT,
                        "the index is damaged: %llu tiles a chunk, %llu chunks a partition",
                        (unsigned long long)chunk_tiles, (unsigned long long)partition);
    *layout =
        (struct zti_index_layout){.kind = kind,
                                  .chunk_tiles = (uint32_t)chunk_tiles,
                                  .partition = kind == ZT_INDEX_HYBRID ? (uint32_t)partition : 0};
    return ZT_OK;
}

zt_status zti_index_open(zt_context *context, const uint8_t *bytes, size_t n, uint64_t tiles,
                         uint64_t stream_units, struct zti_index *index)
{
    struct zti_cursor c = {.at = bytes, .end = bytes + n};
    memset(index, 0, sizeof *index);
    zt_status status = decode_head(context, &c, &index->layout);
    if (status != ZT_OK)
        return status;
    index->chunks = zti_index_chunks(tiles, index->layout.chunk_tiles);
    index->end = stream_units;
    index->body = c.at;
    index->body_bytes = zti_cursor_left(&c);
    if (index->chunks > UINT64_MAX >> 8) /* their bytes would not fit in 64 bits */
        return zti_index_bad_size(context, index);
    status = layouts[index->layout.kind]->open(context, index);
    if (status != ZT_OK)
        zti_index_close(context, index);
    return status;
}

zt_status zti_index_open_ends(zt_context *context, const uint8_t *ends, uint64_t tiles,
                              uint64_t stream_units, struct zti_index *index)
{
    *index = (struct zti_index){.layout = {.kind = ZT_INDEX_STREAM, .chunk_tiles = 1},
                                .chunks = tiles,
                                .end = stream_units,
                                .body = ends,
                                .body_bytes = 4 * tiles};
    return zti_layout_ends.open(context, index);
}

void zti_index_close(zt_context *context, struct zti_index *index)
{
    zti_release(context, index->sums);
    memset(index, 0, sizeof *index);
}

uint64_t zti_index_start(const struct zti_index *index, uint64_t chunk)
{
    if (chunk == 0 && index->chunks > 0)
        return 0;
    return chunk < index->chunks ? layouts[index->layout.kind]->start(index, chunk) : index->end;
}

zt_status zti_index_check(zt_context *context, struct zti_index *index)
{
    if (index->is_checked)
        return ZT_OK;
    const zt_status status = layouts[index->layout.kind]->check(context, index);
    index->is_checked = status == ZT_OK;
    return status;
}

struct zti_index_window zti_index_window_of(const struct zti_index *index, uint64_t first,
                                            uint64_t last)
{
    struct zti_index_window w = {.at = {0}};
    layouts[index->layout.kind]->window(index, first, last, &w);
    return w;
}

/* Of compact, 9 bytes a chunk are more than its block's parts (at most 59 bits a chunk) and two
 * directory entries. The 8192 cover the first and the last block, which may be there for one chunk
 * each. */
uint64_t zti_index_window_max(const struct zti_index_layout *layout, uint64_t chunks)
{
    if (layout->kind != ZT_INDEX_HYBRID)
        return 8192 + 9 * chunks;
    return (chunks / layout->partition + 2) * zti_partition_bytes(layout->partition, 8);
}

zt_status zti_index_bad_size(zt_context *context, const struct zti_index *index)
{
    return zti_fail(context, ZT_CORRUPT,
                    "the index is damaged or another stream's: %llu bytes of %s do not hold %llu "
                    "chunks",
                    (unsigned long long)index->body_bytes, layouts[index->layout.kind]->name,
                    (unsigned long long)index->chunks);
}

zt_status zti_index_set_end(zt_context *context, struct zti_index *index, uint64_t end)
{
    if (end > index->end || index->end - end > ZTI_INDEX_PADDING_UNITS)
        return zti_fail(context, ZT_CORRUPT,
                        "the index is damaged or another stream's: it ends at %llu, the stream "
                        "at %llu",
                        (unsigned long long)end, (unsigned long long)index->end);
    index->end = end;
    return ZT_OK;
}
