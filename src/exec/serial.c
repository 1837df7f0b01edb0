/* serial.c: the serial policy: runs one tile after the other on the calling thread. */
#include "exec/policy.h"
#include "exec/run.h"

static zt_status serial_encode(zt_context *context, const struct zti_coding *coding,
                               const struct zti_array *array, struct zti_tiles tiles, uint8_t *out,
                               size_t out_capacity_bytes, uint64_t start_bits, uint64_t *end_bits,
                               struct zti_misses *misses, const struct zti_starts *starts)
{
    return zti_encode_run(context, coding, array, tiles.first, tiles.last, out, out_capacity_bytes,
                          start_bits, end_bits, misses, starts);
}

static zt_status serial_decode(zt_context *context, const struct zti_coding *as_shared,
                               const uint8_t *data, size_t data_bytes, uint64_t start_bits,
                               const struct zti_index *index, const struct zti_view *view,
                               const struct zti_scatter *scatter, const struct zti_starts *starts,
                               uint64_t *end_bits)
{
    struct zti_coding own = *as_shared, *const coding = &own;
    uint8_t spare[ZTI_SPARE_BYTES];
    struct zti_tile_source source = zti_tile_source_at(coding, data, data_bytes, start_bits);
    struct zti_tile_sink sink;
    zti_room_open(context, view, &own);
    source.spare = spare;
    source.spare_bytes = sizeof spare;
    struct zti_runs runs = zti_runs_of(&coding->grid, view, scatter ? scatter->spans : NULL);
    const uint64_t every = zti_report_tiles(coding);
    uint64_t first, last, here = 0, reported = 0;
    zt_status status = zti_tile_sink_open(context, coding, view, scatter, &sink);
    runs.join_below_tiles = zti_interleaved_chunk_tiles(coding, index);
    const uint64_t most = scatter ? sink.scratch_tiles : every;
    while (status == ZT_OK && zti_runs_next(&runs, most, &first, &last)) {
        status = zti_seek_tile(context, coding, &source, start_bits, index, here, first);
        if (status == ZT_OK)
            status = starts ? zti_decode_noting(context, coding, &source, start_bits, first, last,
                                                view, starts)
                            : zti_decode_to_sink(context, coding, &source, start_bits, index, first,
                                                 last, &sink);
        here = last;
        if (status == ZT_OK && here - reported >= every) {
            reported = here;
            status = zti_report(context, here, coding->grid.count);
        }
    }
    if (status == ZT_OK)
        status = zti_skip_to_chunk_end(context, coding, &source, start_bits, index, here);
    *end_bits = zti_tile_source_bits(&source);
    zti_tile_source_free(context, &source);
    zti_tile_sink_close(context, &sink);
    zti_room_close(context, &own);
    return status;
}

const struct zti_policy zti_serial = {
    .encode = serial_encode, .decode = serial_decode, .tally = zti_tally_on_host};
