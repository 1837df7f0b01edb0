/* zfp_avx2.c: the AVX2 and BMI2 instance of the zfp codec. */
#include "codec/zfp/zfp_plain.h"

#define ZTI_ZFP_INSTANCE zti_zfp_ranges_avx2
#include "codec/zfp/zfp_ranges.h"
