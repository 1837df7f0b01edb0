/* places.c: locates parts of a stream: the pieces of a damaged stream that can be decoded
 * independently, and the byte ranges that a view needs. */
#include "exec/exec.h"
#include "exec/run.h"

void zti_exec_piece(const struct zti_coding *coding, const struct zti_index *index,
                    uint64_t start_bits, uint64_t tile, uint64_t *last, uint64_t *at_bits)
{
    const uint64_t fixed = zti_fixed_bits(coding), count = coding->grid.count;
    uint64_t bits;
    *at_bits = tile == 0 ? start_bits : UINT64_MAX;
    *last = count;
    if (fixed > 0) {
        *last = tile + 1;
        if (zti_mul(tile, fixed, &bits) && zti_add(bits, start_bits, &bits))
            *at_bits = bits;
    } else if (index) {
        const uint64_t chunk = tile / index->layout.chunk_tiles;
        *at_bits = zti_chunk_start_bits(zti_unit_bits(coding), index, start_bits, chunk);
        if (count - tile > index->layout.chunk_tiles)
            *last = (chunk + 1) * index->layout.chunk_tiles;
    }
}

zt_status zti_exec_decode_until(zt_context *context, const struct zti_coding *coding,
                                const uint8_t *data, size_t data_bytes, uint64_t limit_bits,
                                uint64_t *tile, uint64_t last, uint64_t *at_bits,
                                const struct zti_view *view)
{
    uint8_t spare[ZTI_SPARE_BYTES];
    struct zti_tile_source s = zti_tile_source_at(coding, data, data_bytes, *at_bits);
    zt_status status = ZT_OK;
    s.spare = spare;
    s.spare_bytes = sizeof spare;
    while (*tile < last) {
        status = zti_decode_tiles(context, coding, &s, *tile, *tile + 1, view);
        const uint64_t end_bits = zti_tile_source_bits(&s);
        if (status != ZT_OK || end_bits > limit_bits)
            break;
        *at_bits = end_bits;
        ++*tile;
    }
    zti_tile_source_free(context, &s);
    return status == ZT_CORRUPT ? ZT_OK : status; /* a tile reached beyond the data */
}

struct zti_extents zti_exec_extents(const struct zti_coding *coding, const struct zti_index *index,
                                    const struct zti_view *view, const struct zti_spans *spans,
                                    uint64_t start_bits, uint64_t stream_bytes)
{
    struct zti_extents extents = {.coding = coding,
                                  .index = index,
                                  .start_bits = start_bits,
                                  .stream_bytes = stream_bytes,
                                  .runs = zti_runs_of(&coding->grid, view, spans)};
    if (index) /* the tiles between closer runs lie in chunks that are read anyway */
        extents.runs.join_below_tiles = index->layout.chunk_tiles;
    return extents;
}

/* The byte range of tiles [first, last) at fixed rate, or of their chunks. */
static void bytes_of_tiles(const struct zti_extents *e, uint64_t first, uint64_t last,
                           uint64_t *first_byte, uint64_t *last_byte)
{
    const uint64_t fixed = zti_fixed_bits(e->coding);
    uint64_t from, to;
    bool is_end;
    if (fixed > 0) {
        from =
            zti_mul(first, fixed, &from) && zti_add(from, e->start_bits, &from) ? from : UINT64_MAX;
        to = zti_mul(last, fixed, &to) && zti_add(to, e->start_bits, &to) ? to : UINT64_MAX;
        is_end = last == e->coding->grid.count;
    } else {
        const uint32_t c = e->index->layout.chunk_tiles;
        from = zti_chunk_start_bits(zti_unit_bits(e->coding), e->index, e->start_bits, first / c);
        to = zti_chunk_start_bits(zti_unit_bits(e->coding), e->index, e->start_bits,
                                  zti_index_chunks(last, c));
        is_end = zti_index_chunks(last, c) == e->index->chunks;
    }
    if (is_end) /* include the padding */
        to = UINT64_MAX;
    *first_byte = from / 8 < e->stream_bytes ? from / 8 : e->stream_bytes;
    *last_byte = zti_bytes_of_bits(to) < e->stream_bytes ? zti_bytes_of_bits(to) : e->stream_bytes;
    if (*last_byte < *first_byte) /* a damaged index, which decoding will report */
        *last_byte = *first_byte;
}

bool zti_extents_next(struct zti_extents *e, uint64_t *first_byte, uint64_t *last_byte)
{
    uint64_t first, last;
    if (e->is_done)
        return false;
    if (!e->index && zti_fixed_bits(e->coding) == 0) {
        e->is_done = true;
        *first_byte = 0;
        *last_byte = e->stream_bytes;
        return true;
    }
    if (!zti_runs_next(&e->runs, UINT64_MAX, &first, &last))
        return false;
    bytes_of_tiles(e, first, last, first_byte, last_byte);
    return true;
}
