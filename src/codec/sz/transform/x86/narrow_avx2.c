/* narrow_avx2.c: the AVX2 instance of the transform coder for narrow streams. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx2.h"

#define OPS       zti_tf_narrow_avx2
#define PUT_CODES zti_ans_mixed_encode_avx2
#define IS_NARROW 1
#include "codec/sz/transform/instance.h"

#include "simd/end.h"
#endif
