/* none.c: a build without CUDA has no kernels that emit frames. */
#include "frame/write/gpu/emit.h"

uint64_t zti_cuda_moving_words(uint64_t payload_bytes)
{
    (void)payload_bytes;
    return 0;
}

void zti_cuda_choose_chunks(const struct zti_emission *emission, void *queue)
{
    (void)emission;
    (void)queue;
}

void zti_cuda_emit(const struct zti_emission *emission, void *queue)
{
    (void)emission;
    (void)queue;
}
