/* index.c: part of the fourth stage: which index a frame gets, room for the starts of its chunks,
 * and the index's length in bytes. */
#include "frame/write/stages.h"

/* Noting where each tile begins takes little memory if tiles have at least this number of values.
 */
enum { NOTED_TILE_VALUES = 1024 };

bool zti_fits_chunks(const zt_params *p, const struct zti_coding *coding)
{
    const struct zti_grid *const grid = &coding->grid;
    return p->index == ZT_INDEX_DEFAULT && p->index_chunk == 0 &&
           zti_array_values(grid->rank, grid->shape) / grid->count >= NOTED_TILE_VALUES;
}

struct zti_index_layout zti_layout_of(const zt_params *p, const struct zti_coding *coding)
{
    struct zti_index_layout layout = {
        .kind = p->index, .chunk_tiles = p->index_chunk, .partition = p->index_partition};
    if (layout.kind == ZT_INDEX_DEFAULT)
        layout.kind = ZT_INDEX_COMPACT;
    if (layout.chunk_tiles == 0)
        layout.chunk_tiles = zti_fits_chunks(p, coding) ? 1 : zti_default_chunk_tiles(coding);
    if (layout.partition == 0 && layout.kind == ZT_INDEX_HYBRID)
        layout.partition = ZTI_INDEX_PARTITION;
    return layout;
}

uint32_t zti_counted_chunk_tiles(const zt_params *p, const struct zti_coding *coding)
{
    return zti_fits_chunks(p, coding) ? zti_default_chunk_tiles(coding)
                                      : zti_layout_of(p, coding).chunk_tiles;
}

uint64_t zti_least_chunks(const zt_params *p, const struct zti_coding *coding)
{
    const bool is_large = zti_fits_chunks(p, coding) || zti_default_chunk_tiles(coding) == 1;
    return zti_index_least_chunks(p->index == ZT_INDEX_DEFAULT, is_large);
}

uint64_t zti_frame_chunks(const struct zti_frame *f)
{
    return zti_index_chunks(f->coding.grid.count, f->index.chunk_tiles);
}

void zti_choose_index(const zt_params *params, struct zti_frame *f)
{
    const bool is_default = params->index == ZT_INDEX_DEFAULT;
    f->index = zti_layout_of(params, &f->coding);
    const uint32_t each = zti_counted_chunk_tiles(params, &f->coding);
    if (f->index.kind == ZT_INDEX_NONE || zti_fixed_bits(&f->coding) > 0 ||
        zti_index_chunks(f->coding.grid.count, each) < zti_least_chunks(params, &f->coding) ||
        (is_default && zti_has_ends(&f->coding)))
        f->index = (struct zti_index_layout){.kind = ZT_INDEX_NONE};
}

zt_status zti_starts_room(zt_context *context, const struct zti_frame *f, struct zti_buffer *buffer,
                          struct zti_starts *starts)
{
    const bool has_index = f->index.kind != ZT_INDEX_NONE;
    uint64_t bytes;
    if (!has_index && !zti_has_ends(&f->coding))
        return ZT_OK;
    starts->chunk_tiles = zti_has_ends(&f->coding) ? 1 : f->index.chunk_tiles;
    if (!zti_mul(zti_index_chunks(f->coding.grid.count, starts->chunk_tiles) + 1, sizeof(uint64_t),
                 &bytes))
        return zti_fail(context, ZT_NO_MEMORY, "no memory for an index");
    zt_status status = zti_buffer_reserve(context, buffer, bytes, 0);
    starts->list = (uint64_t *)(void *)buffer->bytes;
    return status;
}

void zti_set_index(const zt_params *params, struct zti_frame *f, const struct zti_starts *starts)
{
    const struct zti_coding *coding = &f->coding;
    if (f->index.kind == ZT_INDEX_NONE)
        return;
    const uint64_t end = (f->payload_bytes - zti_head_bytes(coding)) * 8;
    if (zti_fits_chunks(params, coding)) {
        const uint32_t usual = zti_default_chunk_tiles(coding);
        if (!zti_index_pays(usual, zti_index_chunks(coding->grid.count, usual), end)) {
            f->index = (struct zti_index_layout){.kind = ZT_INDEX_NONE};
            return;
        }
        f->index.chunk_tiles = zti_index_fit_chunk(usual, coding->grid.count, end);
    }
    const uint64_t chunks = zti_frame_chunks(f), step = f->index.chunk_tiles / starts->chunk_tiles;
    const uint32_t unit_bits = zti_unit_bits(coding);
    for (uint64_t i = 0; i < chunks && (step > 1 || unit_bits > 1); i++)
        starts->list[i] = starts->list[i * step] / unit_bits;
    starts->list[chunks] = end / unit_bits; /* padding is the last chunk's */
    f->index_bytes = zti_index_bytes(&f->index, starts->list, chunks);
}
