/* f64.cu: the CUDA instance of the zfp codec for f64. */
#define IS_FLOAT         true
#define BITS             64
#define ZTI_ZFP_LAUNCHES zti_zfp_cuda_f64
#include "codec/zfp/gpu/kernel.h"
