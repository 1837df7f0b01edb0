/* exec.h: runs a codec's tiles: encodes all tiles of an array into one stream, and decodes tiles of
 * a stream. The execution policy decides which thread or GPU runs a tile; the bytes do not depend
 * on it. */
#ifndef ZTI_EXEC_H
#define ZTI_EXEC_H

#include "array/scatter.h"
#include "codec/learning.h"
#include "exec/stream.h"
#include "index/index.h"

/* Whether the host reads the values to learn or to code. */
bool zti_exec_reads_values(const zt_context *context, const struct zti_coding *coding);

/* Let the codec make its passes over all values before the first tile is coded: sets coding->model
 * and other fields of the coding, also the grid. Does nothing for codecs without passes. The
 * results do not depend on the policy. An array of a GPU's memory must be mirrored by the caller if
 * zti_exec_reads_values. passing may be NULL. */
zt_status zti_exec_survey(zt_context *context, struct zti_coding *coding,
                          const struct zti_array *array, const struct zti_passing *passing);

/* Whether, under the context's policy, a GPU encodes this and not the host; or decodes it. */
bool zti_exec_is_by_kernels(const zt_context *context, const struct zti_coding *coding);
bool zti_exec_decodes_by_kernels(const zt_context *context, const struct zti_coding *coding);

/* Bytes of buffer that zti_exec_encode needs for a coding in the worst case, with the margin.
 * ZT_BAD_ARG if that does not fit in size_t. */
zt_status zti_exec_capacity(zt_context *context, const struct zti_coding *coding,
                            size_t *capacity_bytes);

/* For the cuda policy: raise bytes[part] of each part of the device's memory (core/device.h) to
 * what coding and decoding need, with an index of this layout. Does nothing under other policies,
 * or if the host codes. */
zt_status zti_exec_scratch(zt_context *context, const struct zti_coding *coding,
                           const struct zti_index_layout *layout, uint64_t *bytes);

/* Encode the array into out from bit start_bits on; earlier bits of that byte are kept.
 * out_capacity_bytes may be less than zti_exec_capacity says; ZT_NO_SPACE if the stream, or already
 * start_bits, does not fit. *end_bits: the end after padding to the codec's alignment, counted from
 * out. misses may be NULL if verify_bound is NaN; starts may be NULL. */
zt_status zti_exec_encode(zt_context *context, const struct zti_coding *coding,
                          const struct zti_array *array, uint8_t *out, size_t out_capacity_bytes,
                          uint64_t start_bits, uint64_t *end_bits, struct zti_misses *misses,
                          const struct zti_starts *starts);

/* Bytes of a window for zti_exec_encode_pieces: some MiB a thread. */
zt_status zti_exec_window_bytes(zt_context *context, const struct zti_coding *coding,
                                uint64_t *window_bytes);

/* zti_exec_encode for streams that need not be in memory as a whole, by the host. The window may
 * begin with used_bits of other data, in whole bytes. The payload bytes before the window are then
 * a multiple of align_bits. ZT_NO_MEMORY for a window without room for a tile. A status other than
 * ZT_OK of the drain ends the call. */
zt_status zti_exec_encode_pieces(zt_context *context, const struct zti_coding *coding,
                                 const struct zti_array *array, struct zti_window *window,
                                 const struct zti_drain *drain, struct zti_misses *misses,
                                 const struct zti_starts *starts);

/* Decode a stream that begins at bit start_bits of data into a view. With index NULL, tiles before
 * the view's are skipped, or at fixed rate their places computed. *end_bits: where the last decoded
 * or skipped tile ends, before alignment; for a whole view the end of the stream. ZT_CORRUPT if
 * tiles reach beyond data, or chunks do not begin where the index says. Never reads outside
 * data. */
zt_status zti_exec_decode(zt_context *context, const struct zti_coding *coding, const uint8_t *data,
                          size_t data_bytes, uint64_t start_bits, const struct zti_index *index,
                          const struct zti_view *view, uint64_t *end_bits);

/* zti_exec_decode into a scatter: tiles without wanted values are skipped; each of the others is
 * decoded once, into scratch of 4 MiB or one tile for each thread. */
zt_status zti_exec_decode_scattered(zt_context *context, const struct zti_coding *coding,
                                    const uint8_t *data, size_t data_bytes, uint64_t start_bits,
                                    const struct zti_index *index,
                                    const struct zti_scatter *scatter, uint64_t *end_bits);

/* Whether zti_exec_decode with this index and view, or zti_exec_decode_scattered with a scatter
 * (else NULL) whose cover is the view, checks the index itself. If not, the caller must have called
 * zti_index_check. index may be NULL. */
bool zti_exec_checks_index(const zt_context *context, const struct zti_coding *coding,
                           const struct zti_index *index, const struct zti_view *view,
                           const struct zti_scatter *scatter);

/* zti_exec_decode for a whole array without an index, which also notes where chunks begin. Not for
 * streams at fixed rate, where that can be computed. */
zt_status zti_exec_decode_noting(zt_context *context, const struct zti_coding *coding,
                                 const uint8_t *data, size_t data_bytes, uint64_t start_bits,
                                 const struct zti_view *view, const struct zti_starts *starts,
                                 uint64_t *end_bits);

/* For damaged streams: the piece of tiles from 'tile' on that can be located by itself: a chunk of
 * the index, whose first tile it must be, one tile at fixed rate, else all. *last: the tile after
 * it; *at_bits: where it begins, UINT64_MAX if that is unknown. */
void zti_exec_piece(const struct zti_coding *coding, const struct zti_index *index,
                    uint64_t start_bits, uint64_t tile, uint64_t *last, uint64_t *at_bits);

/* Decode tiles [*tile, last), which begin at bit *at_bits of data, into a view, as long as they end
 * at or before bit limit_bits. Sets *tile and *at_bits to the first tile that does not; values of
 * this and later tiles are undefined. One thread, plain instances. */
zt_status zti_exec_decode_until(zt_context *context, const struct zti_coding *coding,
                                const uint8_t *data, size_t data_bytes, uint64_t limit_bits,
                                uint64_t *tile, uint64_t last, uint64_t *at_bits,
                                const struct zti_view *view);

/* Parse a stream and note where chunks begin, without reconstructing values. One thread under any
 * policy, because a tile's start is known only when the one before was parsed. */
zt_status zti_exec_scan(zt_context *context, const struct zti_coding *coding, const uint8_t *data,
                        size_t data_bytes, uint64_t start_bits, const struct zti_starts *starts,
                        uint64_t *end_bits);

/* Parse all tiles; ZT_CORRUPT if a chunk ends elsewhere than the index says. One thread. */
zt_status zti_exec_check(zt_context *context, const struct zti_coding *coding, const uint8_t *data,
                         size_t data_bytes, uint64_t start_bits, const struct zti_index *index);

/* An iterator over the byte ranges of a stream, beside its head, that decoding a view needs, in
 * ascending order; ranges may overlap. */
struct zti_extents {
    const struct zti_coding *coding;
    const struct zti_index *index; /* NULL: none */
    uint64_t start_bits;           /* bit of the first tile */
    uint64_t stream_bytes;
    struct zti_runs runs;
    bool is_done;
};

/* spans: those of a scatter whose cover is the view; else NULL. */
struct zti_extents zti_exec_extents(const struct zti_coding *coding, const struct zti_index *index,
                                    const struct zti_view *view, const struct zti_spans *spans,
                                    uint64_t start_bits, uint64_t stream_bytes);

/* The next range; false after the last one. */
bool zti_extents_next(struct zti_extents *extents, uint64_t *first_byte, uint64_t *last_byte);

#endif
