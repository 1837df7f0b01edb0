/* width32.h: what the AVX-512 texts need defined for 32-bit values; the list is in
 * x86/encode.h. x86/width_end.h undefines it. */
#define WIDTH             32
#define REGISTERS         4
#define PARTS             1
#define ELEMENTS          16
#define word              uint32_t
#define lane              i32x16
#define ulane             u32x16
#define NAME(x)           x##_v32
#define CUBE(x)           x##_32
#define INTS(x)           x##_32
#define TABLE(x)          x##_32
#define FILL(x)           ((u32x16)_mm512_set1_epi32((int32_t)(x)))
#define MAX(a, b)         _mm512_max_epu32(a, b)
#define NOT_ZERO(v)       ((uint32_t)_mm512_test_epi32_mask(v, v))
#define LESS(a, b)        ((uint32_t)_mm512_cmplt_epi32_mask(a, b))
#define BLEND(mask, a, b) _mm512_mask_blend_epi32((__mmask16)(mask), a, b)
#define SWAP_ELEMENTS(v)  _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0xb1)
#define SWAP_PAIRS(v)     _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0x4e)
#define REDUCE_OR(v)      ((uint32_t)_mm512_reduce_or_epi32(v))
#define BELOW_TOP(v)      SHIFT_RIGHT((__m512i)FILL(((word)-1) >> 1), _mm512_lzcnt_epi32(v))
#define LOAD_WORDS(p)     _mm512_loadu_si512(p)
#define SHIFT_LEFT(a, b)  _mm512_sllv_epi32(a, b)
#define SHIFT_RIGHT(a, b) _mm512_srlv_epi32(a, b)
#define TO_INT(v)         _mm512_cvttps_epi32((__m512)(v))
#define TO_FLOAT(v)       ((__m512i)_mm512_cvtepi32_ps(v))
#define MULTIPLY(a, b)    ((__m512i)_mm512_mul_ps((__m512)(a), (__m512)(b)))
#define BROADCAST_LANE(p) _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(p)))
#define FN                ZTI_INLINE
#include "codec/zfp/tile/arithmetic.h"
