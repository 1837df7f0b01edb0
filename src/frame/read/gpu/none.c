/* none.c: a build without CUDA has no kernels that open files. */
#include "frame/read/gpu/open.h"

void zti_cuda_open(const struct zti_opening *opening, void *queue)
{
    (void)opening;
    (void)queue;
}

void zti_cuda_unpack_raw(const struct zti_opening *opening, void *queue)
{
    (void)opening;
    (void)queue;
}
