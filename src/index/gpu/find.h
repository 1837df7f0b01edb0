/* find.h: where chunks begin and end, found by kernels in an index of which the host knows nothing.
 * In: the bytes of zti_index_store. Out: two places for each chunk. Kernels are queued; the host
 * does not wait. */
#ifndef ZTI_INDEX_GPU_FIND_H
#define ZTI_INDEX_GPU_FIND_H

#include "index/index.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An index in the device's memory, as its file describes it. */
struct zti_index_stored {
    struct zti_index_layout layout; /* kind ZT_INDEX_NONE: all tiles are one chunk */
    const uint8_t *bytes;
    uint64_t bytes_count;
};

/* The kernels' arguments; pointers are to the device's memory. */
struct zti_index_find_args {
    const struct zti_index_stored *index;
    const uint64_t *tiles;       /* number of tiles of the stream */
    uint64_t tiles_most;         /* its maximum; with more, nothing is found */
    const uint64_t *first_bit;   /* of the stream's first tile */
    const uint64_t *stream_bits; /* end of the last tile */
    uint32_t unit_bits;
    uint64_t *chunks;      /* receives the number of chunks */
    uint32_t *chunk_tiles; /* receives the tiles of a chunk */
    uint64_t *places; /* receives each chunk's start and end, in bits of the stream; the last one's
                         end is that of the stream */
    uint64_t *status; /* raised to ZT_CORRUPT if the index cannot be this stream's; if it is not
                         ZT_OK before, nothing is done */
};

void zti_cuda_index_find(const struct zti_index_find_args *args, void *queue);

#ifdef __cplusplus
}
#endif

#endif
