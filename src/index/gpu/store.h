/* store.h: the bytes of an index, by kernels. In: where each chunk begins, how many there are, and
 * where the last one ends, in the device's memory. Out: the bytes of zti_index_store and their
 * number. Kernels are queued; the host does not wait. */
#ifndef ZTI_INDEX_GPU_STORE_H
#define ZTI_INDEX_GPU_STORE_H

#include "index/index.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is found out before bytes are written. */
struct zti_index_found {
    uint64_t bytes;      /* of the index */
    uint64_t block_bits; /* compact: of all blocks */
    uint32_t width;      /* bytes of a length, or of an entry of compact's directory */
};

/* The kernels' arguments; pointers are to the device's memory. */
struct zti_index_store_args {
    struct zti_index_layout layout; /* chunk_tiles: not looked at */
    const uint32_t *chunk_tiles;    /* how many tiles a chunk has */
    const uint64_t *starts;         /* each *step-th is a chunk's, in bits from the first tile */
    const uint32_t *step;
    const uint64_t *chunks; /* how many chunks there are */
    uint64_t chunks_most;   /* its maximum */
    const uint64_t *end;    /* end of the last chunk, bits */
    uint32_t unit_bits;
    uint64_t *blocks; /* scratch: a word for each 256 chunks */
    uint32_t *words;  /* zeroed; room for zti_cuda_index_room bytes */
    struct zti_index_found *found;
};

/* Bytes of 'words' for at most so many chunks, a multiple of 8, and words of 'blocks'. */
uint64_t zti_cuda_index_room(const struct zti_index_layout *layout, uint64_t chunks);
uint64_t zti_cuda_index_blocks(uint64_t chunks);

void zti_cuda_index_store(const struct zti_index_store_args *args, void *queue);

#ifdef __cplusplus
}
#endif

#endif
