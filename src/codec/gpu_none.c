/* gpu_none.c: a build without CUDA has kernels for no codec. */
#include "codec/gpu.h"
#include "codec/gpu_alone.h"
#include "codec/gpu_heads.h"

const struct zti_cuda_codec *zti_cuda_codec_of(uint32_t id)
{
    (void)id;
    return NULL;
}

const struct zti_cuda_heads *zti_cuda_heads_of(uint32_t id)
{
    (void)id;
    return NULL;
}

const struct zti_cuda_alone *zti_cuda_alone_of(uint32_t id)
{
    (void)id;
    return NULL;
}
