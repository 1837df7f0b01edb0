/* index.h: where the chunks of a stream begin, in few bytes. An index knows neither the codec nor
 * the policy: it maps chunk numbers to positions, counted in the codec's unit (1 bit for zfp).
 *
 * A chunk is chunk_tiles consecutive tiles, the last one of a stream cut by its end.
 *
 *     size       field
 *     u8         kind: the number of zt_index_kind
 *     varint     C, tiles a chunk, 1 .. 2^32 - 1
 *     varint     P, chunks a partition, 1 .. 65536; hybrid only
 *     bytes      body: the byte table at the top of offsets.c, lengths.c, hybrid.c, compact.c
 *
 * Numbers are little-endian, varints those of core/wire.h. The number of chunks follows from the
 * number of tiles. The size of offsets follows from it; that of lengths needs W too, that of hybrid
 * W and P, and compact has a directory. */
#ifndef ZTI_INDEX_H
#define ZTI_INDEX_H

#include "core/core.h"

enum {
    ZTI_INDEX_PARTITION = 32,        /* P of the published hybrid layout, and our default */
    ZTI_INDEX_MAX_PARTITION = 65536, /* a look-up adds up to P - 1 lengths */
    ZTI_INDEX_PADDING_UNITS = 63     /* between the last chunk and the end of a padded stream */
};

struct zti_index_layout {
    uint32_t kind;        /* zt_index_kind: offsets, lengths, hybrid or compact */
    uint32_t chunk_tiles; /* C >= 1 */
    uint32_t partition;   /* P, chunks; hybrid only */
};

/* Chunks that so many tiles make. */
static inline uint64_t zti_index_chunks(uint64_t tiles, uint32_t chunk_tiles)
{
    return tiles / chunk_tiles + (tiles % chunk_tiles != 0);
}

/* Bytes of an index, and the index itself, for chunks that begin at starts[0 .. chunks - 1] and
 * end at starts[chunks]; starts[0] is 0 and starts never decrease. */
uint64_t zti_index_bytes(const struct zti_index_layout *layout, const uint64_t *starts,
                         uint64_t chunks);
/* The most bytes that zti_index_bytes returns for so many chunks. */
static inline uint64_t zti_index_bytes_max(const struct zti_index_layout *layout, uint64_t chunks)
{
    return 64 + 12 * chunks + 4 * (uint64_t)layout->partition;
}

void zti_index_store(const struct zti_index_layout *layout, const uint64_t *starts, uint64_t chunks,
                     uint8_t *out);

/* An index that was opened: over bytes that the caller keeps, and with what its look-up needs
 * beside them. */
struct zti_index {
    struct zti_index_layout layout;
    uint64_t chunks;
    uint64_t end;    /* of the last chunk; for offsets, and for lengths and hybrid before
                        zti_index_check, of the stream, padding included */
    bool is_checked; /* zti_index_check has been there */
    /* for the layouts' own files */
    const uint8_t *body;
    uint64_t body_bytes;
    uint64_t *sums; /* lengths: where every so-many-th chunk begins */
    uint32_t width; /* bytes of a length, or of a number of compact's directory */
    uint64_t at;    /* compact: of the blocks within body */
};

/* Open an index of a stream of so many tiles and units; ZT_CORRUPT where its size is not that of
 * one of this stream's, ZT_UNSUPPORTED for a kind of a later version. stream_units may include the
 * padding behind the last tile. A constant number of steps. */
zt_status zti_index_open(zt_context *context, const uint8_t *bytes, size_t n, uint64_t tiles,
                         uint64_t stream_units, struct zti_index *index);
/* An index that is part of the stream itself: a 32-bit number for each tile, where it ends. */
zt_status zti_index_open_ends(zt_context *context, const uint8_t *ends, uint64_t tiles,
                              uint64_t stream_units, struct zti_index *index);

/* Check an index, if that was not done yet, and make it ready for look-ups; ZT_CORRUPT where it
 * cannot be one of this stream's.
 *
 * Look-ups through an index that passed never read outside its bytes, whatever is in them, and
 * give at most index->end. Linear in the index's bytes; for compact only in its directory, about a
 * 40th of them. */
zt_status zti_index_check(zt_context *context, struct zti_index *index);

void zti_index_close(zt_context *context, struct zti_index *index);

/* Where a chunk begins, in at most a constant number of steps; chunk == chunks gives the end.
 * A damaged index can pass the check and give a wrong start, at most the end: the caller compares
 * where a chunk's tiles end with where the next begins. Before the check only the first chunk and
 * the end may be asked for. */
uint64_t zti_index_start(const struct zti_index *index, uint64_t chunk);

/* The parts of the body that say where chunks [first, last) begin and the last one ends: their
 * positions and lengths in it. */
struct zti_index_window {
    uint64_t at[2], bytes[2];
    uint64_t first_number; /* compact: of the directory, the one that the first part begins with */
    uint64_t first_byte;   /* compact: of the blocks, the one that the second part begins with */
};

struct zti_index_window zti_index_window_of(const struct zti_index *index, uint64_t first,
                                            uint64_t last);

/* The most bytes of such a window of so many chunks, in an index that ztile writes. */
static inline uint64_t zti_index_window_max(uint64_t chunks)
{
    return 8192 + 9 * chunks;
}

#endif
