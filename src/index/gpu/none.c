/* none.c: a build without CUDA has no kernels for indexes. */
#include "index/gpu/expand.h"
#include "index/gpu/find.h"
#include "index/gpu/store.h"

bool zti_cuda_can_expand(const struct zti_index *index, uint64_t count)
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

void zti_cuda_index_expand(const struct zti_index_expand_args *args, void *queue)
{
    (void)args;
    (void)queue;
}

uint64_t zti_cuda_index_room(const struct zti_index_layout *layout, uint64_t chunks)
{
    (void)layout;
    (void)chunks;
    return 0;
}

uint64_t zti_cuda_index_blocks(uint64_t chunks)
{
    (void)chunks;
    return 0;
}

void zti_cuda_index_store(const struct zti_index_store_args *args, void *queue)
{
    (void)args;
    (void)queue;
}

void zti_cuda_index_find(const struct zti_index_find_args *args, void *queue)
{
    (void)args;
    (void)queue;
}
