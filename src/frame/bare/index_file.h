/* index_file.h: an index apart from its stream: the .zti file, version 1. docs/format/zti.md
 * describes the same bytes for readers without this source. All numbers are little-endian, varints
 * those of core/wire.h, XXH3 is XXH3-64 with seed 0.
 *
 *     offset      size     field
 *     0           4        93 5A 54 49  (93 "ZTI")
 *     4           1        version, 1
 *     5           1        codec of the stream: the number of zt_codec; 1, zfp
 *     6           varint   bytes of the stream, with all that stands before its first tile
 *                 varint   bits before the first tile
 *                 varint   number of tiles
 *                 varint   bits of all tiles, without padding behind the last one
 *                 8        XXH3 of the stream's first 4096 bytes, or of all where it is shorter
 *                 8        XXH3 of its last 4096 bytes, likewise
 *                 bytes    the index, described in index/index.h
 *     end - 8     8        XXH3 of all bytes before */
#ifndef ZTI_FRAME_BARE_INDEX_FILE_H
#define ZTI_FRAME_BARE_INDEX_FILE_H

#include "frame/format/format.h"
#include "frame/read/input.h"

enum {
    ZTI_INDEX_FILE_VERSION = 1,
    ZTI_INDEX_FILE_END_BYTES = 4096, /* hashed at either end of a stream */
    /* the most bytes of a file without its index */
    ZTI_INDEX_FILE_MOST_BYTES = 6 + 4 * ZTI_VARINT_MAX_BYTES + 3 * ZTI_HASH_BYTES
};

struct zti_index_file {
    uint32_t codec;
    uint64_t stream_bytes;
    uint64_t start_bits; /* before the first tile */
    uint64_t tiles;
    uint64_t tile_bits;  /* of all tiles */
    uint64_t first_hash; /* of the stream's first bytes, and of its last */
    uint64_t last_hash;
    const uint8_t *index; /* set by parsing: points into the file's bytes */
    size_t index_bytes;
};

/* Write a file with an index of chunks at starts (file->index and index_bytes are ignored) to out,
 * which has room for ZTI_INDEX_FILE_MOST_BYTES and the index. Returns the bytes written. */
size_t zti_index_file_store(const struct zti_index_file *file,
                            const struct zti_index_layout *layout, const uint64_t *starts,
                            uint8_t *out);

/* Parse a file: ZT_CORRUPT if it is damaged or no .zti file, ZT_UNSUPPORTED for a later version. */
zt_status zti_index_file_parse(zt_context *context, const uint8_t *bytes, size_t n,
                               struct zti_index_file *file);

/* Set the hashes of a stream's ends. */
zt_status zti_index_file_hash(struct zti_input *stream, struct zti_buffer *buffer,
                              struct zti_index_file *file);

/* ZT_CORRUPT, with the first difference in the message, unless file's stream is 'stream'. */
zt_status zti_index_file_compare(zt_context *context, const struct zti_index_file *file,
                                 const struct zti_index_file *stream);

#endif
