/* width64.h: what the AVX-512 texts need defined for 64-bit values. */
#define WIDTH             64
#define REGISTERS         8
#define PARTS             2
#define ELEMENTS          8
#define word              uint64_t
#define lane              i64x8
#define ulane             u64x8
#define NAME(x)           x##_v64
#define CUBE(x)           x##_64
#define INTS(x)           x##_64
#define TABLE(x)          x##_64
#define FILL(x)           ((u64x8)_mm512_set1_epi64((int64_t)(x)))
#define MAX(a, b)         _mm512_max_epu64(a, b)
#define NOT_ZERO(v)       ((uint32_t)_mm512_test_epi64_mask(v, v))
#define LESS(a, b)        ((uint32_t)_mm512_cmplt_epi64_mask(a, b))
#define BLEND(mask, a, b) _mm512_mask_blend_epi64((__mmask8)(mask), a, b)
#define SWAP_ELEMENTS(v)  _mm512_permutex_epi64(v, 0xb1)
#define SWAP_PAIRS(v)     _mm512_permutex_epi64(v, 0x4e)
#define REDUCE_OR(v)      ((uint64_t)_mm512_reduce_or_epi64(v))
#define BELOW_TOP(v)      SHIFT_RIGHT((__m512i)FILL(((word)-1) >> 1), _mm512_lzcnt_epi64(v))
#define LOAD_WORDS(p)     _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(p)))
#define SHIFT_LEFT(a, b)  _mm512_sllv_epi64(a, b)
#define SHIFT_RIGHT(a, b) _mm512_srlv_epi64(a, b)
#define TO_INT(v)         _mm512_cvttpd_epi64((__m512d)(v))
#define TO_FLOAT(v)       ((__m512i)_mm512_cvtepi64_pd(v))
#define MULTIPLY(a, b)    ((__m512i)_mm512_mul_pd((__m512d)(a), (__m512d)(b)))
#define BROADCAST_LANE(p) _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)(p)))
#define FN                ZTI_INLINE
#include "codec/zfp/tile/arithmetic.h"
