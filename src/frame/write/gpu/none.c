/* none.c: a build without CUDA has no kernels that emit frames. */
#include "frame/write/gpu/emit.h"

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
