/* zfp_avx512.c: the AVX-512 instance of the zfp codec (VBMI, VBMI2, GFNI and BITALG included). */
#include "codec/zfp/zfp_avx512_put.h"
#include "codec/zfp/zfp_bmi_take.h"
#include "codec/zfp/zfp_plain.h"

#define WIDTH 32
#define NEGABINARY UINT32_C(0xaaaaaaaa)
#define EXPONENT_BITS 8
#define BIAS 127
#define MANTISSA_BITS 23
#define PRECISION_BITS 5
#define ZMMS 4
#define word uint32_t
#define lane i32x16
#define ulane u32x16
#define NAME(x) x##_v32
#define CUBE(x) x##_32
#define INTS(x) x##_32
#define TABLE(x) x##_32
#define SCALAR(x) x##_f32
#define INTEGER(x) x##_i32
#define FILL(x) ((u32x16)_mm512_set1_epi32((int32_t)(x)))
#define MAX(a, b) _mm512_max_epu32(a, b)
#define NOT_ZERO(v) ((uint32_t)_mm512_test_epi32_mask(v, v))
#define LESS(a, b) ((uint32_t)_mm512_cmplt_epi32_mask(a, b))
#define BLEND(mask, a, b) _mm512_mask_blend_epi32((__mmask16)(mask), a, b)
#define SWAP_ELEMENTS(v) _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0xb1)
#define SWAP_PAIRS(v) _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0x4e)
#define REDUCE_OR(v) ((uint32_t)_mm512_reduce_or_epi32(v))
#define LEADING(v) _mm512_lzcnt_epi32(v)
#define SHIFT_LEFT(a, b) _mm512_sllv_epi32(a, b)
#define SHIFT_RIGHT(a, b) _mm512_srlv_epi32(a, b)
#define TO_INT(v) _mm512_cvttps_epi32((__m512)(v))
#define TO_FLOAT(v) ((__m512i)_mm512_cvtepi32_ps(v))
#define MULTIPLY(a, b) ((__m512i)_mm512_mul_ps((__m512)(a), (__m512)(b)))
#define BROADCAST_LANE(p) _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(p)))
#define FN ZTI_INLINE
#include "codec/zfp/zfp_avx512_texts.h" /* encode_v32 */

#define WIDTH 64
#define NEGABINARY UINT64_C(0xaaaaaaaaaaaaaaaa)
#define EXPONENT_BITS 11
#define BIAS 1023
#define MANTISSA_BITS 52
#define PRECISION_BITS 6
#define ZMMS 8
#define word uint64_t
#define lane i64x8
#define ulane u64x8
#define NAME(x) x##_v64
#define CUBE(x) x##_64
#define INTS(x) x##_64
#define TABLE(x) x##_64
#define SCALAR(x) x##_f64
#define INTEGER(x) x##_i64
#define FILL(x) ((u64x8)_mm512_set1_epi64((int64_t)(x)))
#define MAX(a, b) _mm512_max_epu64(a, b)
#define NOT_ZERO(v) ((uint32_t)_mm512_test_epi64_mask(v, v))
#define LESS(a, b) ((uint32_t)_mm512_cmplt_epi64_mask(a, b))
#define BLEND(mask, a, b) _mm512_mask_blend_epi64((__mmask8)(mask), a, b)
#define SWAP_ELEMENTS(v) _mm512_permutex_epi64(v, 0xb1)
#define SWAP_PAIRS(v) _mm512_permutex_epi64(v, 0x4e)
#define REDUCE_OR(v) ((uint64_t)_mm512_reduce_or_epi64(v))
#define LEADING(v) _mm512_lzcnt_epi64(v)
#define SHIFT_LEFT(a, b) _mm512_sllv_epi64(a, b)
#define SHIFT_RIGHT(a, b) _mm512_srlv_epi64(a, b)
#define TO_INT(v) _mm512_cvttpd_epi64((__m512d)(v))
#define TO_FLOAT(v) ((__m512i)_mm512_cvtepi64_pd(v))
#define MULTIPLY(a, b) ((__m512i)_mm512_mul_pd((__m512d)(a), (__m512d)(b)))
#define BROADCAST_LANE(p) _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)(p)))
#define FN ZTI_INLINE
#include "codec/zfp/zfp_avx512_texts.h" /* encode_v64 */

/* Whether a tile's budget can bind. */
static bool is_limited(const struct zti_coding *coding)
{
    const struct zti_zfp free = {.maxbits = UINT32_MAX, .maxprec = ZTI_ZFP_MAX_PREC,
                                 .minexp = coding->zfp.minexp};
    return coding->zfp.maxbits < zti_zfp_tile_reach(&free, coding->type, coding->grid.rank);
}

/* What no text here does: tiles of integers that are lowered to be coded, and reversible tiles of
 * a limited size. */
static bool goes_plainly(const struct zti_coding *coding)
{
    return coding->zfp.shift < 0 || (zti_zfp_is_reversible(&coding->zfp) && is_limited(coding));
}

/* The walks over tiles, for one type and rank. */
#define RANGES(kind, width, rank, is_float)                                                        \
    static bool encode_##kind##_##rank##d(const struct zti_coding *coding, const zt_array *array,  \
                                          uint64_t first, uint64_t last, struct zti_bit_writer *w) \
    {                                                                                              \
        if (goes_plainly(coding))                                                                  \
            return zti_zfp_ranges_plain[coding->type - 1][rank - 1].encode(coding, array, first,   \
                                                                           last, w);               \
        if (zti_zfp_is_reversible(&coding->zfp))                                                   \
            return encode_v##width(coding, array, first, last, w, rank, is_float, true, false);    \
        if (is_limited(coding))                                                                    \
            return encode_v##width(coding, array, first, last, w, rank, is_float, false, true);    \
        return encode_v##width(coding, array, first, last, w, rank, is_float, false, false);       \
    }                                                                                              \
    static void decode_##kind##_##rank##d(const struct zti_coding *coding,                         \
                                          struct zti_bit_reader *r, uint64_t first, uint64_t last, \
                                          const struct zti_view *view)                             \
    {                                                                                              \
        if (goes_plainly(coding))                                                                  \
            zti_zfp_ranges_plain[coding->type - 1][rank - 1].decode(coding, r, first, last, view); \
        else if (zti_zfp_is_reversible(&coding->zfp))                                              \
            decode_v##width(coding, r, first, last, view, rank, is_float, true, false);            \
        else if (is_limited(coding))                                                               \
            decode_v##width(coding, r, first, last, view, rank, is_float, false, true);            \
        else                                                                                       \
            decode_v##width(coding, r, first, last, view, rank, is_float, false, false);           \
    }                                                                                              \
    static void skip_##kind##_##rank##d(const struct zti_coding *coding, struct zti_bit_reader *r, \
                                        uint64_t first, uint64_t last)                             \
    {                                                                                              \
        if (goes_plainly(coding))                                                                  \
            zti_zfp_ranges_plain[coding->type - 1][rank - 1].skip(coding, r, first, last);         \
        else if (zti_zfp_is_reversible(&coding->zfp))                                              \
            skip_v##width(coding, r, first, last, rank, is_float, true, false);                    \
        else if (is_limited(coding))                                                               \
            skip_v##width(coding, r, first, last, rank, is_float, false, true);                    \
        else                                                                                       \
            skip_v##width(coding, r, first, last, rank, is_float, false, false);                   \
    }

RANGES(f32, 32, 1, true) /* encode_f32_1d, decode_f32_1d, skip_f32_1d */
RANGES(f32, 32, 2, true) /* encode_f32_2d, decode_f32_2d, skip_f32_2d */
RANGES(f32, 32, 3, true) /* encode_f32_3d, decode_f32_3d, skip_f32_3d */
RANGES(f32, 32, 4, true) /* encode_f32_4d, decode_f32_4d, skip_f32_4d */
RANGES(f64, 64, 1, true) /* encode_f64_1d, decode_f64_1d, skip_f64_1d */
RANGES(f64, 64, 2, true) /* encode_f64_2d, decode_f64_2d, skip_f64_2d */
RANGES(f64, 64, 3, true) /* encode_f64_3d, decode_f64_3d, skip_f64_3d */
RANGES(f64, 64, 4, true) /* encode_f64_4d, decode_f64_4d, skip_f64_4d */
RANGES(i32, 32, 1, false) /* encode_i32_1d, decode_i32_1d, skip_i32_1d */
RANGES(i32, 32, 2, false) /* encode_i32_2d, decode_i32_2d, skip_i32_2d */
RANGES(i32, 32, 3, false) /* encode_i32_3d, decode_i32_3d, skip_i32_3d */
RANGES(i32, 32, 4, false) /* encode_i32_4d, decode_i32_4d, skip_i32_4d */
RANGES(i64, 64, 1, false) /* encode_i64_1d, decode_i64_1d, skip_i64_1d */
RANGES(i64, 64, 2, false) /* encode_i64_2d, decode_i64_2d, skip_i64_2d */
RANGES(i64, 64, 3, false) /* encode_i64_3d, decode_i64_3d, skip_i64_3d */
RANGES(i64, 64, 4, false) /* encode_i64_4d, decode_i64_4d, skip_i64_4d */

const struct zti_zfp_ranges zti_zfp_ranges_avx512[4][ZT_MAX_RANK] = {
    {{encode_f32_1d, decode_f32_1d, skip_f32_1d}, {encode_f32_2d, decode_f32_2d, skip_f32_2d},
     {encode_f32_3d, decode_f32_3d, skip_f32_3d}, {encode_f32_4d, decode_f32_4d, skip_f32_4d}},
    {{encode_f64_1d, decode_f64_1d, skip_f64_1d}, {encode_f64_2d, decode_f64_2d, skip_f64_2d},
     {encode_f64_3d, decode_f64_3d, skip_f64_3d}, {encode_f64_4d, decode_f64_4d, skip_f64_4d}},
    {{encode_i32_1d, decode_i32_1d, skip_i32_1d}, {encode_i32_2d, decode_i32_2d, skip_i32_2d},
     {encode_i32_3d, decode_i32_3d, skip_i32_3d}, {encode_i32_4d, decode_i32_4d, skip_i32_4d}},
    {{encode_i64_1d, decode_i64_1d, skip_i64_1d}, {encode_i64_2d, decode_i64_2d, skip_i64_2d},
     {encode_i64_3d, decode_i64_3d, skip_i64_3d}, {encode_i64_4d, decode_i64_4d, skip_i64_4d}},
};
