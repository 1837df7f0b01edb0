/* avx2_64.c: the AVX2 instance of the lossless coder, for values of 64 bits. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx2.h"

#define WIDTH      64
#define OPS        zti_ll_avx2_64
#define PUT_CODES  zti_ans_mixed_encode_avx2
#define TAKE_CODES zti_ans_mixed_decode_avx2
#include "codec/sz/lossless/instance.h"

#include "simd/end.h"
#endif
