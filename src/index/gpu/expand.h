/* expand.h: expands an index by kernels. In: the bytes of any layout. Out: where each chunk begins
 * and ends, checked as zti_index_check does. Kernels are queued; the host does not wait. */
#ifndef ZTI_INDEX_GPU_EXPAND_H
#define ZTI_INDEX_GPU_EXPAND_H

#include "index/index.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Stands for the end of the stream's last chunk, which is not known. */
#define ZTI_PLACE_ANY_END UINT64_MAX

/* The kernels' results, in the index's units. */
struct zti_index_expand_result {
    uint64_t is_bad; /* not 0: the index does not belong to this stream */
    uint64_t first;  /* where the first chunk begins */
    uint64_t last;   /* where the last chunk begins */
    uint64_t end;    /* where the last chunk ends */
};

/* The kernels' arguments: chunks [first, first + count) of an index. Pointers are to the device's
 * memory. */
struct zti_index_expand_args {
    struct zti_index index; /* opened; its own pointers are not used */
    struct zti_index_window window;
    const uint8_t *parts[2]; /* the window's parts, each aligned to 8 bytes */
    uint64_t first, count;
    uint64_t before; /* lengths: where the first chunk begins */
    uint32_t unit_bits;
    uint64_t start_bits; /* where chunk 0 begins in the data */
    uint64_t *places; /* for each chunk its start and end, in bits from the word of 64 bits in which
                         the first chunk begins; the stream's last chunk ends at ANY_END */
    struct zti_index_expand_result *result; /* zeroed */
    uint64_t *states;                       /* zeroed; zti_cuda_index_words of them */
};

/* Whether the build has these kernels, and their sums fit into look-back states. */
bool zti_cuda_can_expand(const struct zti_index *index, uint64_t count);

uint64_t zti_cuda_index_words(uint64_t count);
void zti_cuda_index_expand(const struct zti_index_expand_args *args, void *queue);

#ifdef __cplusplus
}
#endif

#endif
