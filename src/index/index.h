/* index.h: where the chunks of a stream begin, stored in few bytes. An index maps chunk numbers to
 * positions in the codec's unit (1 bit for zfp); it knows neither the codec nor the policy.
 *
 * A chunk is chunk_tiles consecutive tiles; the last one of a stream may have fewer.
 *
 *     size       field
 *     u8         kind: the number of zt_index_kind
 *     varint     C, tiles a chunk, 1 .. 2^32 - 1
 *     varint     P, chunks a partition, 1 .. 65536; hybrid only
 *     bytes      body: the byte table at the top of offsets.c, lengths.c, hybrid.c, compact.c
 *
 * Numbers are little-endian, varints those of core/wire.h. The number of chunks follows from the
 * number of tiles. */
#ifndef ZTI_INDEX_H
#define ZTI_INDEX_H

#include "core/core.h"

enum {
    ZTI_INDEX_PARTITION = 32,         /* P of the published hybrid layout, and our default */
    ZTI_INDEX_PARTITION_MOST = 65536, /* a look-up adds up to P - 1 lengths */
    ZTI_INDEX_PADDING_UNITS = 63 /* most units between the last chunk and a padded stream's end */
};

struct zti_index_layout {
    uint32_t kind;        /* zt_index_kind: offsets, lengths, hybrid or compact */
    uint32_t chunk_tiles; /* C >= 1 */
    uint32_t partition;   /* P, chunks; hybrid only */
};

/* The number of chunks of a number of tiles. */
ZTI_STATIC uint64_t zti_index_chunks(uint64_t tiles, uint32_t chunk_tiles)
{
    return zti_ceil_div(tiles, chunk_tiles);
}

/* Bytes of an index for chunks that begin at starts[0 .. chunks - 1]; the last one ends at
 * starts[chunks]. starts[0] is 0, and starts never decrease. zti_index_store writes it. */
uint64_t zti_index_bytes(const struct zti_index_layout *layout, const uint64_t *starts,
                         uint64_t chunks);
/* The most bytes that zti_index_bytes returns for a number of chunks. */
ZTI_STATIC uint64_t zti_index_bytes_max(const struct zti_index_layout *layout, uint64_t chunks)
{
    const uint64_t most = 8; /* bytes of a length, and of a partition's begin */
    return 64 + 2 * most * chunks + most * layout->partition;
}

void zti_index_store(const struct zti_index_layout *layout, const uint64_t *starts, uint64_t chunks,
                     uint8_t *out);

/* An opened index. The caller keeps its bytes. */
struct zti_index {
    struct zti_index_layout layout;
    uint64_t chunks;
    uint64_t end;    /* of the last chunk. Until zti_index_check (lengths, hybrid), and always for
                        offsets: of the stream with its padding */
    bool is_checked; /* zti_index_check has passed */
    /* used by the layouts' files only */
    const uint8_t *body;
    uint64_t body_bytes;
    uint64_t *sums;     /* lengths: where every SUM_CHUNKS-th chunk begins */
    uint32_t width;     /* bytes of a length, or of an entry of compact's directory */
    uint64_t blocks_at; /* compact: where the blocks begin in body */
};

/* Open an index of a stream of 'tiles' tiles and stream_units units, which may include padding
 * after the last tile. ZT_CORRUPT if its size does not fit such a stream, ZT_UNSUPPORTED for a kind
 * of a later version. Takes constant time. */
zt_status zti_index_open(zt_context *context, const uint8_t *bytes, size_t n, uint64_t tiles,
                         uint64_t stream_units, struct zti_index *index);
/* Open an index that is part of the stream: for each tile, its end as a 32-bit number. */
zt_status zti_index_open_ends(zt_context *context, const uint8_t *ends, uint64_t tiles,
                              uint64_t stream_units, struct zti_index *index);

/* Check an index, unless it was checked before, and prepare it for look-ups. ZT_CORRUPT if it
 * cannot belong to this stream.
 *
 * Look-ups in an index that passed never read outside its bytes and return at most index->end, even
 * if it is damaged. Takes time linear in the index's bytes; for compact, linear in its directory,
 * about a 40th of them. */
zt_status zti_index_check(zt_context *context, struct zti_index *index);

void zti_index_close(zt_context *context, struct zti_index *index);

/* Where a chunk begins, in constant time; chunk == chunks gives the end. A damaged index can pass
 * the check and return a wrong start (at most the end), so the caller compares the end of a chunk's
 * tiles with the start of the next chunk. Before zti_index_check, only the first chunk and the end
 * are allowed. */
uint64_t zti_index_start(const struct zti_index *index, uint64_t chunk);

/* The parts of the body that a look-up of chunks [first, last] reads: positions and lengths in
 * bytes. */
struct zti_index_window {
    uint64_t at[2], bytes[2];
    uint64_t first_entry; /* compact: the first part begins with this entry of the directory */
    uint64_t first_byte;  /* compact: the second part begins with this byte of the blocks */
};

struct zti_index_window zti_index_window_of(const struct zti_index *index, uint64_t first,
                                            uint64_t last);

/* The most bytes of such a window for a number of chunks, in an index of this layout that ztile
 * writes. */
uint64_t zti_index_window_max(const struct zti_index_layout *layout, uint64_t chunks);

#endif
