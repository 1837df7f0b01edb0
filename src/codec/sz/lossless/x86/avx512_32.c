/* avx512_32.c: the AVX-512 instance of the lossless coder, for values of 32 bits. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx512.h"

#define WIDTH      32
#define OPS        zti_ll_avx512_32
#define PUT_CODES  zti_ans_mixed_encode_avx2
#define TAKE_CODES zti_ans_mixed_decode_16_avx512
#include "codec/sz/lossless/instance.h"

#include "simd/end.h"
#endif
