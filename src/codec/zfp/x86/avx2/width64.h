/* width64.h: what the texts zfp_vector_*.h need defined for 64-bit values and AVX2; the
 * list is in x86/encode.h. x86/width_end.h undefines it. */
#define WIDTH             64
#define REGISTERS         16
#define PARTS             4
#define ELEMENTS          4
#define word              uint64_t
#define lane              i64x4
#define ulane             u64x4
#define NAME(x)           x##_v64
#define CUBE(x)           x##_64
#define INTS(x)           x##_64
#define TABLE(x)          x##_64
#define FILL(x)           ((u64x4)_mm256_set1_epi64x((int64_t)(x)))
#define MAX(a, b)         max_64(a, b)
#define NOT_ZERO(v)       (mask_of_64(_mm256_cmpeq_epi64(v, _mm256_setzero_si256())) ^ 0xf)
#define LESS(a, b)        mask_of_64(_mm256_cmpgt_epi64(b, a))
#define BLEND(mask, a, b) picked_64(mask, a, b)
#define SWAP_ELEMENTS(v)  _mm256_permute4x64_epi64(v, 0xb1)
#define SWAP_PAIRS(v)     _mm256_permute4x64_epi64(v, 0x4e)
#define REDUCE_OR(v)      or_of_64(v)
#define BELOW_TOP(v)      below_top_64(v)
#define LOAD_WORDS(p)     _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)(p)))
#define SHIFT_LEFT(a, b)  _mm256_sllv_epi64(a, b)
#define SHIFT_RIGHT(a, b) _mm256_srlv_epi64(a, b)
#define TO_INT(v)         to_int_64((__m256i)(v))
#define TO_FLOAT(v)       to_float_64(v)
#define MULTIPLY(a, b)    ((__m256i)_mm256_mul_pd((__m256d)(a), (__m256d)(b)))
#define BROADCAST_LANE(p) _mm256_loadu_si256((const __m256i *)(p))
#define FN                ZTI_INLINE
#include "codec/zfp/tile/arithmetic.h"
