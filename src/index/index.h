/* index.h: where the chunks of a stream begin, in few bytes. An index knows neither the codec nor
 * the policy: it maps chunk numbers to positions, counted in the codec's unit (1 bit for zfp).
 *
 * A chunk is chunk_tiles consecutive tiles, the last one of a stream cut by its end. */
#ifndef ZTI_INDEX_H
#define ZTI_INDEX_H

#include "core/core.h"

struct zti_index_layout {
    uint32_t kind;        /* zt_index_kind: offsets, lengths, hybrid or compact */
    uint32_t chunk_tiles; /* C */
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

void zti_index_store(const struct zti_index_layout *layout, const uint64_t *starts,
                     uint64_t chunks, uint8_t *out);

/* An index that was opened: over bytes that the caller keeps, and with what its look-up needs
 * beside them. The fields are those of index.c. */
struct zti_index {
    struct zti_index_layout layout;
    uint64_t chunks;
    uint64_t end; /* of the last chunk */
    const uint8_t *body;
    uint64_t body_bytes;
    uint64_t *sums; /* lengths: where every so-many-th chunk begins */
    uint32_t width; /* bytes of a length, or bits of a low part */
    uint64_t at;    /* of a table within body */
};

/* Check an index of a stream of so many tiles and units, and make it ready. ZT_CORRUPT where it
 * cannot be one of this stream's; ZT_UNSUPPORTED for a kind of a later version. Look-ups through
 * an index that passed never read outside its bytes, whatever is in them. */
zt_status zti_index_open(zt_context *context, const uint8_t *bytes, size_t n, uint64_t tiles,
                         uint64_t stream_units, struct zti_index *index);
void zti_index_close(zt_context *context, struct zti_index *index);

/* Where a chunk begins, in at most a constant number of steps; chunk == chunks gives the end.
 * A damaged index may give any number: the caller compares with the stream's length, and where
 * a chunk's tiles end with where the next begins. */
uint64_t zti_index_start(const struct zti_index *index, uint64_t chunk);

#endif
