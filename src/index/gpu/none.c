/* none.c: a build without CUDA has no kernels for indexes. */
#include "index/gpu/expand.h"

bool zti_cuda_index_takes(const struct zti_index *index, uint64_t count)
{
    (void)index;
    (void)count;
    return false;
}

uint64_t zti_cuda_index_words(uint64_t count)
{
    (void)count;
    return 0;
}

void zti_cuda_index_expand(const struct zti_index_expansion *expansion, void *queue)
{
    (void)expansion;
    (void)queue;
}
