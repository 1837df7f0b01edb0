/* expand.h: an index expanded by kernels: where chunks begin and end, from the bytes of any
 * layout, checked on the way as zti_index_check does. Queued, and not waited for. */
#ifndef ZTI_INDEX_GPU_EXPAND_H
#define ZTI_INDEX_GPU_EXPAND_H

#include "index/index.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A chunk of which it is not known where it must end, because it is the last one. */
#define ZTI_PLACE_ANY_END UINT64_MAX

/* What an expansion leaves, in the index's units. */
struct zti_index_borders {
    uint64_t is_bad; /* not 0: no index of this stream */
    uint64_t first;  /* where the first chunk begins */
    uint64_t last;   /* where the last chunk begins */
    uint64_t end;    /* and where it ends */
};

/* Chunks [first, first + count) of an index; pointers are to the device's memory. */
struct zti_index_expansion {
    struct zti_index index; /* opened; its own pointers are not used */
    struct zti_index_window window;
    const uint8_t *parts[2]; /* what the window says, each aligned to 8 */
    uint64_t first, count;
    uint64_t before; /* lengths: where the first chunk begins */
    uint32_t unit_bits;
    uint64_t start_bits; /* of the data: where chunk 0 begins */
    uint64_t *places;    /* two a chunk: where it begins and ends, in bits from the byte of the data
                            that the first one begins in; the stream's last one: ANY_END */
    struct zti_index_borders *borders; /* zeroed */
    uint64_t *states;                  /* zeroed, as many words as zti_cuda_index_words says */
};

/* Whether there is such a kernel in the build, and an expansion's sums fit into its words. */
bool zti_cuda_index_takes(const struct zti_index *index, uint64_t count);

uint64_t zti_cuda_index_words(uint64_t count);
void zti_cuda_index_expand(const struct zti_index_expansion *expansion, void *queue);

#ifdef __cplusplus
}
#endif

#endif
