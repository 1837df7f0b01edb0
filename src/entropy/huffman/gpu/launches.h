/* launches.h: declarations that the Huffman kernels share: their launches, and loads of symbols of
 * 1, 2 or 4 bytes. */
#ifndef ZTI_HUFFMAN_GPU_LAUNCHES_H
#define ZTI_HUFFMAN_GPU_LAUNCHES_H

#include "gpu/simt.h"

#include "entropy/huffman/gpu/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

void zti_cuda_count(const struct zti_symbols *symbols, uint64_t *counts, uint64_t *strays,
                    void *queue);
size_t zti_cuda_build_bytes(uint32_t alphabet);
void zti_cuda_build(const uint64_t *counts, const struct zti_cuda_book *book, void *scratch,
                    void *queue);
uint64_t zti_cuda_merge_states(uint64_t chunks);
void zti_cuda_code_chunks(const struct zti_cuda_merging *m, void *queue);
void zti_cuda_merge(const struct zti_cuda_merging *m, void *queue);
void zti_cuda_unmerge(const struct zti_cuda_unmerging *u, void *queue);

#ifdef __cplusplus
}
#endif

/* The most blocks of a launch whose blocks take one chunk after another: enough to fill any device
 * from sm_80 on, few enough that tables are loaded seldom. */
enum { ZTI_CUDA_BLOCKS_MOST = 2048 };

/* The largest alphabet whose codes fit in a block's shared memory. */
enum { ZTI_FEW_CODES = 2048 };

static __device__ __forceinline__ uint32_t symbol_at(const struct zti_symbols *s, uint64_t i)
{
    if (s->bytes == 2)
        return ((const uint16_t *)s->data)[i];
    return s->bytes == 1 ? ((const uint8_t *)s->data)[i] : ((const uint32_t *)s->data)[i];
}

/* Load n <= 4 symbols from 'first' on, 16 bits each; zeros after the last. */
static __device__ __forceinline__ uint64_t four_symbols(const struct zti_symbols *s, uint64_t first,
                                                        uint32_t n)
{
    uint64_t four = 0;
    if (n == 4 && s->bytes == 2)
        return *(const uint64_t *)((const uint16_t *)s->data + first);
    for (uint32_t k = 0; k < n; k++)
        four |= (uint64_t)symbol_at(s, first + k) << 16 * k;
    return four;
}

#endif
