/* width32.h: what the texts zfp_vector_*.h need defined for 32-bit values and AVX2; the
 * list is in x86/encode.h. x86/width_end.h undefines it. */
#define WIDTH             32
#define REGISTERS         8
#define PARTS             2
#define ELEMENTS          8
#define word              uint32_t
#define lane              i32x8
#define ulane             u32x8
#define NAME(x)           x##_v32
#define CUBE(x)           x##_32
#define INTS(x)           x##_32
#define TABLE(x)          x##_32
#define FILL(x)           ((u32x8)_mm256_set1_epi32((int32_t)(x)))
#define MAX(a, b)         _mm256_max_epu32(a, b)
#define NOT_ZERO(v)       (mask_of_32(_mm256_cmpeq_epi32(v, _mm256_setzero_si256())) ^ 0xff)
#define LESS(a, b)        mask_of_32(_mm256_cmpgt_epi32(b, a))
#define BLEND(mask, a, b) picked_32(mask, a, b)
#define SWAP_ELEMENTS(v)  _mm256_shuffle_epi32(v, 0xb1)
#define SWAP_PAIRS(v)     _mm256_shuffle_epi32(v, 0x4e)
#define REDUCE_OR(v)      or_of_32(v)
#define BELOW_TOP(v)      below_top_32(v)
#define LOAD_WORDS(p)     _mm256_loadu_si256((const __m256i *)(p))
#define SHIFT_LEFT(a, b)  _mm256_sllv_epi32(a, b)
#define SHIFT_RIGHT(a, b) _mm256_srlv_epi32(a, b)
#define TO_INT(v)         _mm256_cvttps_epi32((__m256)(v))
#define TO_FLOAT(v)       ((__m256i)_mm256_cvtepi32_ps(v))
#define MULTIPLY(a, b)    ((__m256i)_mm256_mul_ps((__m256)(a), (__m256)(b)))
#define BROADCAST_LANE(p) _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(p)))
#define FN                ZTI_INLINE
#include "codec/zfp/tile/arithmetic.h"
