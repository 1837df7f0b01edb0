/* gpu_registry.cu: the codecs that the cuda policy has kernels for. */
#include "gpu/simt.h"

#include "codec/gpu.h"
#include "codec/gpu_alone.h"
#include "codec/gpu_heads.h"

extern "C" {
extern const struct zti_cuda_codec zti_cuda_ndzip;
extern const struct zti_cuda_codec zti_cuda_sz;
extern const struct zti_cuda_codec zti_cuda_zfp;
extern const struct zti_cuda_alone zti_cuda_sz_alone;
extern const struct zti_cuda_heads zti_cuda_ndzip_heads;
}

extern "C" const struct zti_cuda_codec *zti_cuda_codec_of(uint32_t id)
{
    return id == ZT_CODEC_NDZIP ? &zti_cuda_ndzip
           : id == ZT_CODEC_ZFP ? &zti_cuda_zfp
           : id == ZT_CODEC_SZ  ? &zti_cuda_sz
                                : NULL;
}

extern "C" const struct zti_cuda_heads *zti_cuda_heads_of(uint32_t id)
{
    return id == ZT_CODEC_NDZIP ? &zti_cuda_ndzip_heads : NULL;
}

extern "C" const struct zti_cuda_alone *zti_cuda_alone_of(uint32_t id)
{
    return id == ZT_CODEC_SZ ? &zti_cuda_sz_alone : NULL;
}
