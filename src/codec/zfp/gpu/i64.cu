/* i64.cu: the CUDA instance of the zfp codec for i64. */
#define IS_FLOAT         false
#define BITS             64
#define ZTI_ZFP_LAUNCHES zti_zfp_cuda_i64
#include "codec/zfp/gpu/kernel.h"
