/* f32.cu: the CUDA instance of the zfp codec for f32. */
#define IS_FLOAT         true
#define BITS             32
#define ZTI_ZFP_LAUNCHES zti_zfp_cuda_f32
#include "codec/zfp/gpu/kernel.h"
