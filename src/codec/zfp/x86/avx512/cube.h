/* cube.h: cubes, which are 64 values in vector registers: load, store and transpose them, and
 * convert them to bytes and back.
 *
 * A cube is one tile of 64 values, 4 of 16, 16 of 4, or a quarter of a tile of 256. It is four
 * registers of four lanes of four elements. With 32-bit values a register is a zmm and a lane 128
 * bits; with 64-bit values a register is two zmm and a lane 256 bits. It is loaded as
 *     register z, lane y, element x           64 values
 *     register tile, lane y, element x        4 tiles of 16
 *     register t / 4, lane t % 4, element x   16 tiles (number t) of 4
 * and transposed so that the axis to be transformed is always that of the registers. The last
 * order, in which 'spot' is 16 register + 4 lane + element, is
 *     register z or tile, lane x, element y;   of tiles of 4: register x, lane t % 4, element t / 4
 */
#ifndef ZTI_ZFP_X86_AVX512_CUBE_H
#define ZTI_ZFP_X86_AVX512_CUBE_H

#include "codec/zfp/tables/avx512_permutations.h"
#include "codec/zfp/x86/words.h"

/* Bytes of a and b, or of c and d if bit 7 of the index is set, by the index modulo 128. */
ZTI_INLINE __m512i bytes_of_four(__m512i a, __m512i b, __m512i c, __m512i d, __m512i index)
{
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), _mm512_permutex2var_epi8(a, index, b),
                                  _mm512_permutex2var_epi8(c, index, d));
}

/* Transpose the 8x8 bits of each qword. Rows in falling order become planes, highest first; planes,
 * highest first, become rows in rising order. */
ZTI_INLINE __m512i columns_of_rows(__m512i rows)
{
    return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64(INT64_C(0x0102040810204080)), rows, 0);
}

ZTI_INLINE __m512i rows_of_planes(__m512i planes)
{
    return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64((int64_t)UINT64_C(0x8040201008040201)),
                                         planes, 0);
}

/* ---- 32-bit values: r[register] ---- */

/* Exchange the axes of registers and elements. */
ZTI_INLINE void turn_elements_32(u32s *r)
{
    const __m512i a = _mm512_unpacklo_epi32((__m512i)r[0], (__m512i)r[1]);
    const __m512i b = _mm512_unpackhi_epi32((__m512i)r[0], (__m512i)r[1]);
    const __m512i c = _mm512_unpacklo_epi32((__m512i)r[2], (__m512i)r[3]);
    const __m512i d = _mm512_unpackhi_epi32((__m512i)r[2], (__m512i)r[3]);
    r[0] = (u32s)_mm512_unpacklo_epi64(a, c);
    r[1] = (u32s)_mm512_unpackhi_epi64(a, c);
    r[2] = (u32s)_mm512_unpacklo_epi64(b, d);
    r[3] = (u32s)_mm512_unpackhi_epi64(b, d);
}

/* Exchange the axes of registers and lanes. */
ZTI_INLINE void turn_lanes_32(u32s *r)
{
    const __m512i a = _mm512_shuffle_i32x4((__m512i)r[0], (__m512i)r[1], 0x44);
    const __m512i b = _mm512_shuffle_i32x4((__m512i)r[0], (__m512i)r[1], 0xee);
    const __m512i c = _mm512_shuffle_i32x4((__m512i)r[2], (__m512i)r[3], 0x44);
    const __m512i d = _mm512_shuffle_i32x4((__m512i)r[2], (__m512i)r[3], 0xee);
    r[0] = (u32s)_mm512_shuffle_i32x4(a, c, 0x88);
    r[1] = (u32s)_mm512_shuffle_i32x4(a, c, 0xdd);
    r[2] = (u32s)_mm512_shuffle_i32x4(b, d, 0x88);
    r[3] = (u32s)_mm512_shuffle_i32x4(b, d, 0xdd);
}

/* Load lane l of register i from the 4 values at from[i] + l * step. */
ZTI_INLINE void load_cube_32(u32s *r, const uint32_t *const *from, int64_t step)
{
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t *p = from[i];
        __m256i low = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)p));
        __m256i high = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(p + 2 * step)));
        low = _mm256_inserti128_si256(low, _mm_loadu_si128((const __m128i *)(p + step)), 1);
        high = _mm256_inserti128_si256(high, _mm_loadu_si128((const __m128i *)(p + 3 * step)), 1);
        r[i] = (u32s)_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    }
}

ZTI_INLINE void store_cube_32(const u32s *r, uint32_t *const *to, int64_t step)
{
    for (uint32_t i = 0; i < 4; i++) {
        const __m512i v = (__m512i)r[i];
        _mm_storeu_si128((__m128i *)to[i], _mm512_castsi512_si128(v));
        _mm_storeu_si128((__m128i *)(to[i] + step), _mm512_extracti32x4_epi32(v, 1));
        _mm_storeu_si128((__m128i *)(to[i] + 2 * step), _mm512_extracti32x4_epi32(v, 2));
        _mm_storeu_si128((__m128i *)(to[i] + 3 * step), _mm512_extracti32x4_epi32(v, 3));
    }
}

/* Byte b of the 64 values, in the order of a table. */
ZTI_INLINE __m512i byte_of_cube_32(const u32s *r, uint32_t b, const uint8_t *order, uint64_t upper)
{
    (void)upper;
    return bytes_of_four((__m512i)r[0], (__m512i)r[1], (__m512i)r[2], (__m512i)r[3],
                         _mm512_add_epi8(v_load(order), _mm512_set1_epi8((char)b)));
}

/* The values from their bytes; byte[0] has the top bytes, and bytes from 'count' on are zero. */
ZTI_INLINE void cube_of_bytes_32(u32s *r, const __m512i *byte, const uint8_t (*order)[64],
                                 uint32_t count)
{
    for (uint32_t i = 0; i < 4; i++) {
        const __m512i index = v_load(order[i]);
        __m512i v =
            _mm512_maskz_permutex2var_epi8(UINT64_C(0xcccccccccccccccc), byte[1], index, byte[0]);
        if (count > 2)
            v = _mm512_mask_blend_epi8(UINT64_C(0x3333333333333333), v,
                                       _mm512_permutex2var_epi8(byte[3], index, byte[2]));
        r[i] = (u32s)v;
    }
}

/* Transpose 8x8 qwords. */
ZTI_INLINE void turn_qwords(const void *from, void *to)
{
    __m512i a[8], b[8];
    memcpy(a, from, sizeof a);
    for (uint32_t i = 0; i < 8; i += 2) {
        b[i] = _mm512_unpacklo_epi64(a[i], a[i + 1]);
        b[i + 1] = _mm512_unpackhi_epi64(a[i], a[i + 1]);
    }
    for (uint32_t i = 0; i < 2; i++) { /* columns i, i + 2, i + 4, i + 6 by lane */
        const __m512i c = _mm512_shuffle_i64x2(b[i], b[2 + i], 0x88);
        const __m512i d = _mm512_shuffle_i64x2(b[4 + i], b[6 + i], 0x88);
        const __m512i e = _mm512_shuffle_i64x2(b[i], b[2 + i], 0xdd);
        const __m512i f = _mm512_shuffle_i64x2(b[4 + i], b[6 + i], 0xdd);
        a[i] = _mm512_shuffle_i64x2(c, d, 0x88);
        a[4 + i] = _mm512_shuffle_i64x2(c, d, 0xdd);
        a[2 + i] = _mm512_shuffle_i64x2(e, f, 0x88);
        a[6 + i] = _mm512_shuffle_i64x2(e, f, 0xdd);
    }
    memcpy(to, a, sizeof a);
}

/* ---- 64-bit values: r[2 register + lane / 2] ---- */

ZTI_INLINE void turn_elements_64(u64s *r)
{
    const __m512i even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    for (uint32_t h = 0; h < 2; h++) {
        const __m512i a = _mm512_unpacklo_epi64((__m512i)r[h], (__m512i)r[2 + h]);
        const __m512i b = _mm512_unpackhi_epi64((__m512i)r[h], (__m512i)r[2 + h]);
        const __m512i c = _mm512_unpacklo_epi64((__m512i)r[4 + h], (__m512i)r[6 + h]);
        const __m512i d = _mm512_unpackhi_epi64((__m512i)r[4 + h], (__m512i)r[6 + h]);
        r[h] = (u64s)_mm512_permutex2var_epi64(a, even, c);
        r[2 + h] = (u64s)_mm512_permutex2var_epi64(b, even, d);
        r[4 + h] = (u64s)_mm512_permutex2var_epi64(a, odd, c);
        r[6 + h] = (u64s)_mm512_permutex2var_epi64(b, odd, d);
    }
}

ZTI_INLINE void turn_lanes_64(u64s *r)
{
    __m512i a[8];
    memcpy(a, r, sizeof a);
    for (uint32_t h = 0; h < 2; h++) {
        r[4 * h] = (u64s)_mm512_shuffle_i64x2(a[h], a[2 + h], 0x44);
        r[4 * h + 1] = (u64s)_mm512_shuffle_i64x2(a[4 + h], a[6 + h], 0x44);
        r[4 * h + 2] = (u64s)_mm512_shuffle_i64x2(a[h], a[2 + h], 0xee);
        r[4 * h + 3] = (u64s)_mm512_shuffle_i64x2(a[4 + h], a[6 + h], 0xee);
    }
}

ZTI_INLINE void load_cube_64(u64s *r, const uint64_t *const *from, int64_t step)
{
    for (uint32_t i = 0; i < 8; i++) {
        const uint64_t *p = from[i / 2] + (i % 2 * 2) * step;
        const __m512i low = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)p));
        r[i] = (u64s)_mm512_inserti64x4(low, _mm256_loadu_si256((const __m256i *)(p + step)), 1);
    }
}

ZTI_INLINE void store_cube_64(const u64s *r, uint64_t *const *to, int64_t step)
{
    for (uint32_t i = 0; i < 8; i++) {
        uint64_t *p = to[i / 2] + (i % 2 * 2) * step;
        _mm256_storeu_si256((__m256i *)p, _mm512_castsi512_si256((__m512i)r[i]));
        _mm256_storeu_si256((__m256i *)(p + step), _mm512_extracti64x4_epi64((__m512i)r[i], 1));
    }
}

ZTI_INLINE __m512i byte_of_cube_64(const u64s *r, uint32_t b, const uint8_t *order, uint64_t upper)
{
    const __m512i index = _mm512_add_epi8(v_load(order), _mm512_set1_epi8((char)b));
    return _mm512_mask_blend_epi8(
        upper, bytes_of_four((__m512i)r[0], (__m512i)r[1], (__m512i)r[2], (__m512i)r[3], index),
        bytes_of_four((__m512i)r[4], (__m512i)r[5], (__m512i)r[6], (__m512i)r[7], index));
}

ZTI_INLINE void cube_of_bytes_64(u64s *r, const __m512i *byte, const uint8_t (*order)[64],
                                 uint32_t count)
{
    for (uint32_t i = 0; i < 8; i++) {
        const __m512i index = v_load(order[i]);
        __m512i v =
            _mm512_maskz_permutex2var_epi8(UINT64_C(0xc0c0c0c0c0c0c0c0), byte[1], index, byte[0]);
        if (count > 2)
            v = _mm512_mask_blend_epi8(UINT64_C(0x3030303030303030), v,
                                       _mm512_permutex2var_epi8(byte[3], index, byte[2]));
        if (count > 4)
            v = _mm512_mask_blend_epi8(UINT64_C(0x0c0c0c0c0c0c0c0c), v,
                                       _mm512_permutex2var_epi8(byte[5], index, byte[4]));
        if (count > 6)
            v = _mm512_mask_blend_epi8(UINT64_C(0x0303030303030303), v,
                                       _mm512_permutex2var_epi8(byte[7], index, byte[6]));
        r[i] = (u64s)v;
    }
}

/* ---- numbers of either width ---- */

ZTI_INLINE u32s to_int_32(f32s v)
{
    return (u32s)_mm512_cvttps_epi32((__m512)v);
}
ZTI_INLINE u64s to_int_64(f64s v)
{
    return (u64s)_mm512_cvttpd_epi64((__m512d)v);
}
ZTI_INLINE f32s to_float_32(u32s v)
{
    return (f32s)_mm512_cvtepi32_ps((vec)v);
}
ZTI_INLINE f64s to_float_64(u64s v)
{
    return (f64s)_mm512_cvtepi64_pd((vec)v);
}
ZTI_INLINE u32s max_of_32(u32s a, u32s b)
{
    return v_max_32(a, b);
}
ZTI_INLINE u64s max_of_64(u64s a, u64s b)
{
    return (u64s)_mm512_max_epu64((vec)a, (vec)b);
}

/* b if the element's bit is set, else a. */
ZTI_INLINE u32s picked_32(uint32_t mask, u32s a, u32s b)
{
    return (u32s)_mm512_mask_blend_epi32((b32s)mask, (vec)a, (vec)b);
}
ZTI_INLINE u64s picked_64(uint32_t mask, u64s a, u64s b)
{
    return (u64s)_mm512_mask_blend_epi64((b64s)mask, (vec)a, (vec)b);
}

#define are_less_32 v_is_less_32
#define are_less_64 v_is_less_64
#define are_set_32  v_is_set_32
#define are_set_64  v_is_set_64

/* Ones below the top bit of each element. */
ZTI_INLINE u32s below_top_32(u32s v)
{
    return v_right_32(v_all_32(INT32_MAX), (u32s)_mm512_lzcnt_epi32((vec)v));
}
ZTI_INLINE u64s below_top_64(u64s v)
{
    return v_right_64(v_all_64(INT64_MAX), (u64s)_mm512_lzcnt_epi64((vec)v));
}

/* Four values in every lane. */
ZTI_INLINE u32s lane_everywhere_32(const uint32_t *p)
{
    return (u32s)_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)p));
}
ZTI_INLINE u64s lane_everywhere_64(const uint64_t *p)
{
    return (u64s)_mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)p));
}

ZTI_INLINE u32s swapped_elements_32(u32s v)
{
    return (u32s)_mm512_shuffle_epi32((vec)v, (_MM_PERM_ENUM)0xb1);
}
ZTI_INLINE u64s swapped_elements_64(u64s v)
{
    return (u64s)_mm512_permutex_epi64((vec)v, 0xb1);
}
ZTI_INLINE u32s swapped_pairs_32(u32s v)
{
    return (u32s)_mm512_shuffle_epi32((vec)v, (_MM_PERM_ENUM)0x4e);
}
ZTI_INLINE u64s swapped_pairs_64(u64s v)
{
    return (u64s)_mm512_permutex_epi64((vec)v, 0x4e);
}

#endif
