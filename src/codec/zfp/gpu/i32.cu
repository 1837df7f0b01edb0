/* i32.cu: the CUDA instance of the zfp codec for i32. */
#define IS_FLOAT         false
#define BITS             32
#define ZTI_ZFP_LAUNCHES zti_zfp_cuda_i32
#include "codec/zfp/gpu/kernel.h"
