/* exec.h: run a codec's tiles: all tiles of an array into one stream, and back. Which thread runs
 * a tile is decided here, and never visible in the bytes. */
#ifndef ZTI_EXEC_H
#define ZTI_EXEC_H

#include "array/scatter.h"
#include "codec/learning.h"
#include "exec/stream.h"
#include "index/index.h"

/* Let the codec learn what it must know of all values before it codes the first: sets coding->model
 * and other numbers of the coding, also which tiles there are. Nothing for codecs that learn
 * nothing. What comes out does not depend on the policy. */
zt_status zti_exec_survey(zt_context *context, struct zti_coding *coding,
                          const struct zti_array *array);

/* Whether a GPU codes this under the context's policy, and not the host. */
bool zti_exec_is_on_device(const zt_context *context, const struct zti_coding *coding);

/* Bytes of buffer that zti_exec_encode needs for a coding, worst case and margin included.
 * ZT_BAD_ARG where that does not fit in size_t. */
zt_status zti_exec_capacity(zt_context *context, const struct zti_coding *coding,
                            size_t *capacity_bytes);

/* For the cuda policy: raise bytes[part], for each part of the device's memory (core/device.h), to
 * what coding and decoding take, where chunks of chunk_tiles tiles are noted. Nothing under other
 * policies, or where the host does it. */
zt_status zti_exec_scratch(zt_context *context, const struct zti_coding *coding,
                           uint32_t chunk_tiles, uint64_t *bytes);

/* Encode the array into out, from bit start_bits (what is before, in the first byte, is kept).
 * out_capacity_bytes may be less than zti_exec_capacity says; ZT_NO_SPACE if the stream does not
 * fit. *end_bits: after padding to the codec's alignment, counted from out. misses may be NULL
 * where verify_bound is NaN, starts where they are not wanted. */
zt_status zti_exec_encode(zt_context *context, const struct zti_coding *coding,
                          const struct zti_array *array, uint8_t *out, size_t out_capacity_bytes,
                          uint64_t start_bits, uint64_t *end_bits, struct zti_misses *misses,
                          const struct zti_starts *starts);

/* Decode a stream that begins at bit start_bits of data into a view. index may be NULL: then tiles
 * before the view's are passed over, or at fixed rate computed. *end_bits: where the last tile
 * that was looked at ends, before alignment; for a whole view the end of the stream.
 * ZT_CORRUPT if tiles reach beyond data, or chunks do not begin where the index says. No byte
 * outside data is read. */
zt_status zti_exec_decode(zt_context *context, const struct zti_coding *coding, const uint8_t *data,
                          size_t data_bytes, uint64_t start_bits, const struct zti_index *index,
                          const struct zti_view *view, uint64_t *end_bits);

/* The same where what is wanted is no view: tiles of which nothing is are passed over, and each of
 * the others is decoded once, into memory of 4 MiB or a tile for each thread. */
zt_status zti_exec_decode_scattered(zt_context *context, const struct zti_coding *coding,
                                    const uint8_t *data, size_t data_bytes, uint64_t start_bits,
                                    const struct zti_index *index,
                                    const struct zti_scatter *scatter, uint64_t *end_bits);

/* Whether zti_exec_decode checks the index itself that it is given with this view, or
 * zti_exec_decode_scattered with a scatter (else NULL) whose cover it is; otherwise it must have
 * been checked (zti_index_check) before. index may be NULL. */
bool zti_exec_checks_index(const zt_context *context, const struct zti_coding *coding,
                           const struct zti_index *index, const struct zti_view *view,
                           const struct zti_scatter *scatter);

/* zti_exec_decode for all of an array, without an index, noting on the way where chunks begin; not
 * for streams at fixed rate, where nobody has to look. */
zt_status zti_exec_decode_noting(zt_context *context, const struct zti_coding *coding,
                                 const uint8_t *data, size_t data_bytes, uint64_t start_bits,
                                 const struct zti_view *view, const struct zti_starts *starts,
                                 uint64_t *end_bits);

/* For streams that are damaged in places. The tiles from 'tile' on that can be found on their own:
 * a chunk of the index, the tile at fixed rate, else all. *last: the tile after them; *at_bits:
 * where they begin, UINT64_MAX where that is nowhere. */
void zti_exec_piece(const struct zti_coding *coding, const struct zti_index *index,
                    uint64_t start_bits, uint64_t tile, uint64_t *last, uint64_t *at_bits);

/* Decode tiles [*tile, last), the first of which begins at bit *at_bits of data, into a view, as
 * long as they end at or before bit limit_bits. *tile, *at_bits: the first one that does not. What
 * is in the view of that one and of others after it is undefined. One thread, plain instances. */
zt_status zti_exec_decode_until(zt_context *context, const struct zti_coding *coding,
                                const uint8_t *data, size_t data_bytes, uint64_t limit_bits,
                                uint64_t *tile, uint64_t last, uint64_t *at_bits,
                                const struct zti_view *view);

/* Note where chunks begin, and reconstruct nothing. One thread under any policy: where a tile
 * begins is known when the one before was parsed. */
zt_status zti_exec_scan(zt_context *context, const struct zti_coding *coding, const uint8_t *data,
                        size_t data_bytes, uint64_t start_bits, const struct zti_starts *starts,
                        uint64_t *end_bits);

/* Pass over all tiles; ZT_CORRUPT where a chunk ends elsewhere than the index says. One thread. */
zt_status zti_exec_check(zt_context *context, const struct zti_coding *coding, const uint8_t *data,
                         size_t data_bytes, uint64_t start_bits, const struct zti_index *index);

/* The bytes of a stream that decoding a view must read beside its head, one range after the other
 * in ascending order; ranges may touch. */
struct zti_extents {
    const struct zti_coding *coding;
    const struct zti_index *index; /* or NULL */
    uint64_t start_bits;           /* of the first tile */
    uint64_t stream_bytes;
    struct zti_runs runs;
    bool is_done;
};

/* spans: of a scatter, whose cover is the view; else NULL. */
struct zti_extents zti_exec_extents(const struct zti_coding *coding, const struct zti_index *index,
                                    const struct zti_view *view, const struct zti_spans *spans,
                                    uint64_t start_bits, uint64_t stream_bytes);

/* The next range; false after the last one. */
bool zti_extents_next(struct zti_extents *extents, uint64_t *first_byte, uint64_t *last_byte);

#endif
