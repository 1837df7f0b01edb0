/* avx512.c: the AVX-512 instance of the transform coder. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx512.h"

#define OPS       zti_tf_avx512
#define PUT_CODES zti_ans_mixed_encode_avx2
#define IS_NARROW 0
#include "codec/sz/transform/instance.h"

#include "simd/end.h"
#endif
