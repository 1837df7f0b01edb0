/* avx2.c: the AVX2 instance of effort 'high'. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx2.h"

#define IS_WIDE    0
#define OPS        zti_sz_high_avx2
#define PUT_CODES  zti_ans_mixed_encode_avx2
#define TAKE_CODES zti_ans_mixed_decode_avx2
#include "codec/sz/interp/instance.h"

#include "simd/end.h"
#endif
