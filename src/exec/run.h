/* run.h: functions that the policies share: encode and decode a run of tiles on one thread, and cut
 * a view into runs. Used in src/exec only. */
#ifndef ZTI_EXEC_RUN_H
#define ZTI_EXEC_RUN_H

#include "exec/stream.h"
#include "index/index.h"

/* Most tiles encoded by one call, between two checks of the free space. */
enum { ZTI_GROUP_TILES = 256 };

static inline uint64_t zti_bytes_of_bits(uint64_t bits)
{
    return zti_ceil_div(bits, 8);
}

/* Whole bytes that a tile takes at its largest, wherever it begins. */
static inline uint64_t zti_tile_most_bytes(const struct zti_coding *coding)
{
    return coding->codec->sizes(coding).tile_max_bits / 8 + 1;
}

/* Call the context's progress function, if there is one; ZT_CANCELLED if it says so. */
zt_status zti_report(zt_context *context, uint64_t done_tiles, uint64_t total_tiles);

/* Fail with ZT_NO_SPACE: a stream does not fit in its buffer. */
zt_status zti_fail_for_space(zt_context *context, uint64_t capacity_bytes);

/* Tiles between two reports: those of about 1 MiB of values, in whole groups. */
uint64_t zti_report_tiles(const struct zti_coding *coding);

/* ---- encoding: encode.c, verify.c ---- */

/* Add a value that misses the bound; past the limit only set is_over. */
zt_status zti_add_miss(zt_context *context, struct zti_misses *misses, uint64_t at, uint64_t bits);

/* Decode tiles [first, last), which begin at bit 'start' of w's output, and add each value that
 * misses the bound to misses. ZT_UNSUPPORTED for larger tiles than codec.h says (encode). */
zt_status zti_check_tiles(zt_context *context, const struct zti_coding *coding,
                          const struct zti_array *array, uint64_t first, uint64_t last,
                          const struct zti_bit_writer *w, uint64_t start,
                          struct zti_misses *misses);

/* Encode tiles [first, last) of the array into out from bit start_bits on, which is in out. Never
 * writes at or beyond out_capacity_bytes; ZT_NO_SPACE if that is too little. Bits of the last byte
 * from *end_bits on are undefined. */
zt_status zti_encode_run(zt_context *context, const struct zti_coding *coding,
                         const struct zti_array *array, uint64_t first, uint64_t last, uint8_t *out,
                         size_t out_capacity_bytes, uint64_t start_bits, uint64_t *end_bits,
                         struct zti_misses *misses, const struct zti_starts *starts);

/* ---- decoding: decode.c ---- */

/* Where tiles are decoded from: the data, and near their end a copy of the last bytes that is
 * followed by zeros, so that no tile is read beyond the data. */
struct zti_tile_source {
    const uint8_t *data;
    uint64_t data_bytes;
    struct zti_sizes sizes;
    uint64_t read_max_bytes; /* the most bytes that decoding a tile reads, with the margin */
    uint8_t *end_copy; /* NULL, or in use: 2 read_max_bytes, from byte end_copy_at of the data */
    uint64_t end_copy_at;
    struct zti_bit_reader reader;
    uint8_t *spare; /* the caller's memory for end_copy, or NULL; if large enough, nothing is
                       allocated */
    uint64_t spare_bytes;
};

enum { ZTI_SPARE_BYTES = 8192 }; /* at least twice what a tile of 256 values reads */

/* Set up a source at a bit of the data, which may be beyond its end (then the first tile is
 * ZT_CORRUPT). */
struct zti_tile_source zti_tile_source_at(const struct zti_coding *coding, const uint8_t *data,
                                          size_t data_bytes, uint64_t start_bits);
void zti_tile_source_free(zt_context *context, struct zti_tile_source *source);

/* Allocate the scratch (run.room) with which the codec decodes a large view faster; none if the
 * view is small, stores do not go past the caches, or there is no memory. */
void zti_room_open(zt_context *context, const struct zti_view *view, struct zti_coding *coding);
void zti_room_close(zt_context *context, struct zti_coding *coding);

/* The source's position, in bits of the data. */
uint64_t zti_tile_source_bits(const struct zti_tile_source *source);

/* Decode tiles [first, last) from the source's position into a view; view NULL: skip them.
 * ZT_CORRUPT if they reach beyond the data. */
zt_status zti_decode_tiles(zt_context *context, const struct zti_coding *coding,
                           struct zti_tile_source *source, uint64_t first, uint64_t last,
                           const struct zti_view *view);

/* zti_decode_tiles, and note in starts (may be NULL) where chunks in [first, last) begin, counted
 * from start_bits. */
zt_status zti_decode_noting(zt_context *context, const struct zti_coding *coding,
                            struct zti_tile_source *source, uint64_t start_bits, uint64_t first,
                            uint64_t last, const struct zti_view *view,
                            const struct zti_starts *starts);

/* zti_decode_tiles with an index (may be NULL): decodes several chunks at a time if the codec can.
 * ZT_CORRUPT also if a chunk ends elsewhere than the index says. */
zt_status zti_decode_indexed(zt_context *context, const struct zti_coding *coding,
                             struct zti_tile_source *source, uint64_t start_bits,
                             const struct zti_index *index, uint64_t first, uint64_t last,
                             const struct zti_view *view);

/* Where a thread writes decoded tiles. */
struct zti_tile_sink {
    const struct zti_view *view;
    const struct zti_scatter *scatter; /* NULL, or the view is its cover */
    uint8_t *scratch;                  /* decoded values before 'put'; NULL without a scatter */
    uint64_t scratch_tiles;
};

/* ZT_NO_MEMORY if there is no scratch for a scatter. The caller closes it, also on failure. */
zt_status zti_tile_sink_open(zt_context *context, const struct zti_coding *coding,
                             const struct zti_view *view, const struct zti_scatter *scatter,
                             struct zti_tile_sink *sink);
void zti_tile_sink_close(zt_context *context, struct zti_tile_sink *sink);

/* zti_decode_indexed into a sink. */
zt_status zti_decode_to_sink(zt_context *context, const struct zti_coding *coding,
                             struct zti_tile_source *source, uint64_t start_bits,
                             const struct zti_index *index, uint64_t first, uint64_t last,
                             const struct zti_tile_sink *sink);

/* Where a chunk begins, in bits of the data, by an index in units of unit_bits; UINT64_MAX on
 * overflow. */
uint64_t zti_chunk_start_bits(uint32_t unit_bits, const struct zti_index *index,
                              uint64_t start_bits, uint64_t chunk);

/* Move the source from tile 'here' to tile 'tile': by computing its place, by the index, or by
 * skipping tiles. A chunk that is left unfinished is skipped to its end (zti_skip_to_chunk_end). */
zt_status zti_seek_tile(zt_context *context, const struct zti_coding *coding,
                        struct zti_tile_source *source, uint64_t start_bits,
                        const struct zti_index *index, uint64_t here, uint64_t tile);

/* Skip from tile 'here', the source's position, to the end of a chunk that has begun; ZT_CORRUPT if
 * it ends elsewhere than the index says. So all policies check whole chunks; without an index these
 * have zti_default_chunk_tiles tiles. Does nothing at fixed rate. */
zt_status zti_skip_to_chunk_end(zt_context *context, const struct zti_coding *coding,
                                struct zti_tile_source *source, uint64_t start_bits,
                                const struct zti_index *index, uint64_t here);

/* Cut the wanted tiles of a view into runs. spans: NULL if all of the view is wanted. */
struct zti_runs zti_runs_of(const struct zti_grid *grid, const struct zti_view *view,
                            const struct zti_spans *spans);

/* Tiles of a chunk if the codec decodes several chunks interleaved, else 0. Used as zti_runs'
 * join_below_tiles. */
uint64_t zti_interleaved_chunk_tiles(const struct zti_coding *coding,
                                     const struct zti_index *index);

/* Get the next run, or at most 'most' tiles of it; false after the last one. */
bool zti_runs_next(struct zti_runs *runs, uint64_t most, uint64_t *first, uint64_t *last);

#endif
