/* run.h: what the policies share: runs of tiles on one thread, the runs that a view is made of, and
 * threads to give them to. Inside exec only. */
#ifndef ZTI_EXEC_RUN_H
#define ZTI_EXEC_RUN_H

#include "exec/stream.h"
#include "index/index.h"

/* Tiles between two looks at the room that is left, at the bound and at the progress. */
enum { ZTI_GROUP_TILES = 256 };

static inline uint64_t zti_bytes_of_bits(uint64_t bits)
{
    return bits / 8 + (bits % 8 != 0);
}

/* Call the context's progress function, if there is one. */
zt_status zti_report(zt_context *context, uint64_t done_tiles, uint64_t total_tiles);

/* Tiles that a mebibyte of raw values has; whole groups. */
uint64_t zti_report_tiles(const struct zti_coding *coding);

/* ---- encoding: encode.c, verify.c ---- */

/* Note a value that is beyond the bound; past the limit only is_over is set. */
zt_status zti_add_miss(zt_context *context, struct zti_misses *misses, uint64_t at, uint64_t bits);

/* Decode tiles [first, last), which begin at bit start of what w has written, and note each value
 * that is off by more than the bound. */
zt_status zti_check_tiles(zt_context *context, const struct zti_coding *coding,
                          const struct zti_array *array, uint64_t first, uint64_t last,
                          const struct zti_bit_writer *w, uint64_t start,
                          struct zti_misses *misses);

/* Encode tiles [first, last) of the array into out from bit start_bits. No byte at or beyond
 * out_capacity_bytes is written; ZT_NO_SPACE if that is too few. Of the byte that holds *end_bits,
 * the bits from there on are undefined. */
zt_status zti_encode_run(zt_context *context, const struct zti_coding *coding,
                         const struct zti_array *array, uint64_t first, uint64_t last, uint8_t *out,
                         size_t out_capacity_bytes, uint64_t start_bits, uint64_t *end_bits,
                         struct zti_misses *misses, const struct zti_starts *starts);

/* ---- decoding: decode.c ---- */

/* Where tiles are taken from: the data, and near their end a copy of their last bytes with zeros
 * behind, so that no tile can be read beyond it. */
struct zti_tile_source {
    const uint8_t *data;
    uint64_t data_bytes;
    struct zti_sizes sizes;
    uint64_t reach_bytes; /* of a tile, with the margin */
    uint8_t *tail;        /* once it is in use: 2 reach_bytes, from data byte tail_at */
    uint64_t tail_at;
    struct zti_bit_reader reader;
    uint8_t *spare; /* the caller's memory for the tail, or NULL; where it is large enough, nothing
                       is allocated */
    uint64_t spare_bytes;
};

enum { ZTI_SPARE_BYTES = 8192 }; /* twice what a tile of 256 values reaches, and more */

/* Start at a bit of the data, which may be beyond its end (then the first tile is ZT_CORRUPT). */
struct zti_tile_source zti_tile_source_at(const struct zti_coding *coding, const uint8_t *data,
                                          size_t data_bytes, uint64_t start_bits);
void zti_tile_source_free(zt_context *context, struct zti_tile_source *source);

/* Give a thread's coding the room that its codec would rather have to decode a view; none where the
 * view is small, where caches are not written past, or where there is no memory for it. */
void zti_room_open(zt_context *context, const struct zti_view *view, struct zti_coding *coding);
void zti_room_close(zt_context *context, struct zti_coding *coding);

/* The bit of the data that is read next. */
uint64_t zti_tile_source_bits(const struct zti_tile_source *source);

/* Take tiles [first, last), of which the source is at the first, into a view, or pass over them
 * where it is NULL. ZT_CORRUPT if they reach beyond the data. */
zt_status zti_take_tiles(zt_context *context, const struct zti_coding *coding,
                         struct zti_tile_source *source, uint64_t first, uint64_t last,
                         const struct zti_view *view);

/* The same, noting in starts (which may be NULL) where chunks that begin in [first, last) do;
 * the stream begins at start_bits. */
zt_status zti_take_noting(zt_context *context, const struct zti_coding *coding,
                          struct zti_tile_source *source, uint64_t start_bits, uint64_t first,
                          uint64_t last, const struct zti_view *view,
                          const struct zti_starts *starts);

/* The same into a view or over tiles with an index, or NULL: chunks side by side where the codec
 * wants that. ZT_CORRUPT also where a chunk ends elsewhere than the index says. */
zt_status zti_take_indexed(zt_context *context, const struct zti_coding *coding,
                           struct zti_tile_source *source, uint64_t start_bits,
                           const struct zti_index *index, uint64_t first, uint64_t last,
                           const struct zti_view *view);

/* Where a thread's tiles go. */
struct zti_output {
    const struct zti_view *view;
    const struct zti_scatter *scatter; /* or NULL; then the view is its cover */
    uint8_t *scratch;                  /* values on their way there, or NULL */
    uint64_t scratch_tiles;
};

/* ZT_NO_MEMORY where there is no scratch for a scatter; to be closed all the same. */
zt_status zti_output_open(zt_context *context, const struct zti_coding *coding,
                          const struct zti_view *view, const struct zti_scatter *scatter,
                          struct zti_output *output);
void zti_output_close(zt_context *context, struct zti_output *output);

/* zti_take_indexed to where an output says. */
zt_status zti_take_out(zt_context *context, const struct zti_coding *coding,
                       struct zti_tile_source *source, uint64_t start_bits,
                       const struct zti_index *index, uint64_t first, uint64_t last,
                       const struct zti_output *output);

/* Where chunk 'chunk' begins by an index that counts unit_bits, in bits of the data; UINT64_MAX
 * where that is nowhere. */
uint64_t zti_index_bits(uint32_t unit_bits, const struct zti_index *index, uint64_t start_bits,
                        uint64_t chunk);

/* Go to a tile: by computing where it is, by the index, or by passing over the tiles from 'here',
 * where the source is. A chunk that is left is gone through to its end, as zti_end_chunk does. */
zt_status zti_go_to(zt_context *context, const struct zti_coding *coding,
                    struct zti_tile_source *source, uint64_t start_bits,
                    const struct zti_index *index, uint64_t here, uint64_t tile);

/* Pass over the tiles from 'here', where the source is, to the end of its chunk, if that has begun;
 * ZT_CORRUPT if it ends elsewhere than the index says. So all policies look at whole chunks; those
 * of a stream without an index have the usual number of tiles. Nothing at fixed rate. */
zt_status zti_end_chunk(zt_context *context, const struct zti_coding *coding,
                        struct zti_tile_source *source, uint64_t start_bits,
                        const struct zti_index *index, uint64_t here);

/* ZT_CORRUPT if tile 'tile' begins a chunk and the source, which is at it, is not where the index
 * says. */
zt_status zti_check_place(zt_context *context, const struct zti_coding *coding,
                          const struct zti_tile_source *source, uint64_t start_bits,
                          const struct zti_index *index, uint64_t tile);

/* spans: NULL where all of the view is wanted. */
struct zti_runs zti_runs_of(const struct zti_grid *grid, const struct zti_view *view,
                            const struct zti_spans *spans);

/* Tiles of a chunk where chunks are decoded side by side; 0 where they are not. Where they are,
 * runs are longer the better, so that fewer tiles than these between two runs are decoded with
 * them: their chunks are gone through in any case. */
uint64_t zti_side_by_side(const struct zti_coding *coding, const struct zti_index *index);

/* The next run, or at most 'most' tiles of it; false after the last one. */
bool zti_runs_next(struct zti_runs *runs, uint64_t most, uint64_t *first, uint64_t *last);

#endif
