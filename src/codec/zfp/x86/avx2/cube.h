/* cube.h: cubes as x86/avx512/cube.h has them, in ymm: a register of four lanes of four
 * elements is two ymm of 32-bit values, whose lanes are 128 bits, and four ymm of 64-bit values,
 * whose lanes are ymm. In memory, elements follow each other by register, lane and element. */
#ifndef ZTI_ZFP_X86_AVX2_CUBE_H
#define ZTI_ZFP_X86_AVX2_CUBE_H

#include "codec/zfp/x86/words.h"

/* ---- bytes ---- */

/* Transpose the 8x8 bits of each qword about the other diagonal: the first byte's low bit and the
 * last byte's top bit are exchanged. Rows in falling order become planes, highest first; planes,
 * highest first, become rows in falling order. */
ZTI_INLINE vec turned_bits(vec v)
{
    vec t = _mm256_and_si256(_mm256_xor_si256(v, _mm256_srli_epi64(v, 9)),
                             _mm256_set1_epi64x(INT64_C(0x0055005500550055)));
    v = _mm256_xor_si256(v, _mm256_xor_si256(t, _mm256_slli_epi64(t, 9)));
    t = _mm256_and_si256(_mm256_xor_si256(v, _mm256_srli_epi64(v, 18)),
                         _mm256_set1_epi64x(INT64_C(0x0000333300003333)));
    v = _mm256_xor_si256(v, _mm256_xor_si256(t, _mm256_slli_epi64(t, 18)));
    t = _mm256_and_si256(_mm256_xor_si256(v, _mm256_srli_epi64(v, 36)),
                         _mm256_set1_epi64x(INT64_C(0x000000000f0f0f0f)));
    return _mm256_xor_si256(v, _mm256_xor_si256(t, _mm256_slli_epi64(t, 36)));
}

/* Transpose the 8x8 bytes of two registers of qwords; if is_falling, the last byte of each qword
 * goes to the first. */
ZTI_INLINE void turn_bytes(vec *a, vec *b, bool is_falling)
{
    const __m128i pairs = is_falling
                              ? _mm_setr_epi8(7, 15, 6, 14, 5, 13, 4, 12, 3, 11, 2, 10, 1, 9, 0, 8)
                              : _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    const vec order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const vec x = (vec)v_shuffled((u8s)*a, pairs), y = (vec)v_shuffled((u8s)*b, pairs);
    const vec even = _mm256_permute2x128_si256(x, y, 0x20);
    const vec odd = _mm256_permute2x128_si256(x, y, 0x31);
    *a = _mm256_permutevar8x32_epi32(_mm256_unpacklo_epi16(even, odd), order);
    *b = _mm256_permutevar8x32_epi32(_mm256_unpackhi_epi16(even, odd), order);
}

/* Reorder 64 bytes: if byte i comes from lane's 16 bytes, index[lane][i] is its place there; else
 * the index has its top bit set. */
ZTI_INLINE void reorder_bytes(const vec *from, const uint8_t (*index)[64], vec *to)
{
    const vec lane[4] = {
        _mm256_permute4x64_epi64(from[0], 0x44), _mm256_permute4x64_epi64(from[0], 0xee),
        _mm256_permute4x64_epi64(from[1], 0x44), _mm256_permute4x64_epi64(from[1], 0xee)};
    for (uint32_t i = 0; i < 2; i++) {
        vec v = _mm256_shuffle_epi8(lane[0], v_load(index[0] + 32 * i));
        for (uint32_t l = 1; l < 4; l++)
            v = _mm256_or_si256(v, _mm256_shuffle_epi8(lane[l], v_load(index[l] + 32 * i)));
        to[i] = v;
    }
}

/* ---- 32-bit values: r[2 register + lane / 2] ---- */

/* Transpose the 4x4 elements of each lane of four registers. */
ZTI_INLINE void turn_dwords(vec *a, vec *b, vec *c, vec *d)
{
    const vec w = _mm256_unpacklo_epi32(*a, *b), x = _mm256_unpackhi_epi32(*a, *b);
    const vec y = _mm256_unpacklo_epi32(*c, *d), z = _mm256_unpackhi_epi32(*c, *d);
    *a = _mm256_unpacklo_epi64(w, y);
    *b = _mm256_unpackhi_epi64(w, y);
    *c = _mm256_unpacklo_epi64(x, z);
    *d = _mm256_unpackhi_epi64(x, z);
}

/* Exchange the axes of registers and elements. */
ZTI_INLINE void turn_elements_32(u32s *r)
{
    for (uint32_t i = 0; i < 2; i++) {
        vec v[4] = {(vec)r[i], (vec)r[2 + i], (vec)r[4 + i], (vec)r[6 + i]};
        turn_dwords(&v[0], &v[1], &v[2], &v[3]);
        for (uint32_t j = 0; j < 4; j++)
            r[2 * j + i] = (u32s)v[j];
    }
}

/* Exchange the axes of registers and lanes. */
ZTI_INLINE void turn_lanes_32(u32s *r)
{
    vec v[8];
    memcpy(v, r, sizeof v);
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t h = 0; h < 2; h++) {
            r[4 * i + h] = (u32s)_mm256_permute2x128_si256(v[4 * h + i], v[4 * h + 2 + i], 0x20);
            r[4 * i + 2 + h] =
                (u32s)_mm256_permute2x128_si256(v[4 * h + i], v[4 * h + 2 + i], 0x31);
        }
}

/* Load lane l of register i from the 4 values at from[i] + l * step. */
ZTI_INLINE void load_cube_32(u32s *r, const uint32_t *const *from, int64_t step)
{
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t *p = from[i / 2] + i % 2 * 2 * step;
        r[i] = (u32s)_mm256_inserti128_si256(
            _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)p)),
            _mm_loadu_si128((const __m128i *)(p + step)), 1);
    }
}

ZTI_INLINE void store_cube_32(const u32s *r, uint32_t *const *to, int64_t step)
{
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t *p = to[i / 2] + i % 2 * 2 * step;
        _mm_storeu_si128((__m128i *)p, _mm256_castsi256_si128((vec)r[i]));
        _mm_storeu_si128((__m128i *)(p + step), _mm256_extracti128_si256((vec)r[i], 1));
    }
}

/* Transpose the bytes of each four elements, the top bytes first; and the inverse. */
ZTI_INLINE vec bytes_apart_32(vec v)
{
    return (vec)v_shuffled((u8s)v,
                           _mm_setr_epi8(3, 7, 11, 15, 2, 6, 10, 14, 1, 5, 9, 13, 0, 4, 8, 12));
}

ZTI_INLINE vec bytes_together_32(vec v)
{
    return (vec)v_shuffled((u8s)v,
                           _mm_setr_epi8(12, 8, 4, 0, 13, 9, 5, 1, 14, 10, 6, 2, 15, 11, 7, 3));
}

/* ---- 64-bit values: r[4 register + lane] ---- */

/* Transpose 4x4 elements. */
ZTI_INLINE void turn_qwords(vec *a, vec *b, vec *c, vec *d)
{
    const vec w = _mm256_unpacklo_epi64(*a, *b), x = _mm256_unpackhi_epi64(*a, *b);
    const vec y = _mm256_unpacklo_epi64(*c, *d), z = _mm256_unpackhi_epi64(*c, *d);
    *a = _mm256_permute2x128_si256(w, y, 0x20);
    *b = _mm256_permute2x128_si256(x, z, 0x20);
    *c = _mm256_permute2x128_si256(w, y, 0x31);
    *d = _mm256_permute2x128_si256(x, z, 0x31);
}

ZTI_INLINE void turn_elements_64(u64s *r)
{
    for (uint32_t i = 0; i < 4; i++) {
        vec v[4] = {(vec)r[i], (vec)r[4 + i], (vec)r[8 + i], (vec)r[12 + i]};
        turn_qwords(&v[0], &v[1], &v[2], &v[3]);
        for (uint32_t j = 0; j < 4; j++)
            r[4 * j + i] = (u64s)v[j];
    }
}

ZTI_INLINE void turn_lanes_64(u64s *r)
{
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t j = 0; j < i; j++) {
            const u64s v = r[4 * i + j];
            r[4 * i + j] = r[4 * j + i];
            r[4 * j + i] = v;
        }
}

ZTI_INLINE void load_cube_64(u64s *r, const uint64_t *const *from, int64_t step)
{
    for (uint32_t i = 0; i < 16; i++)
        r[i] = (u64s)v_load(from[i / 4] + i % 4 * step);
}

ZTI_INLINE void store_cube_64(const u64s *r, uint64_t *const *to, int64_t step)
{
    for (uint32_t i = 0; i < 16; i++)
        v_store(to[i / 4] + i % 4 * step, (vec)r[i]);
}

/* ---- numbers of either width ---- */

ZTI_INLINE u32s to_int_32(f32s v)
{
    return (u32s)_mm256_cvttps_epi32((__m256)v);
}
ZTI_INLINE f32s to_float_32(u32s v)
{
    return (f32s)_mm256_cvtepi32_ps((vec)v);
}

/* Truncate to integers; magnitudes are below 2^63. */
ZTI_INLINE u64s to_int_64(f64s v)
{
    const u64s bits = (u64s)v, exponent = bits >> 52 & 0x7ff;
    const u64s mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    const u64s sign = (u64s)v_is_less_64(bits, v_all_64(0));
    const u64s magnitude =
        v_right_64(mantissa, 1075 - exponent) | v_left_64(mantissa, exponent - 1075);
    return (magnitude ^ sign) - sign;
}

/* Convert to the nearest double. The upper 16 bits h (signed) give 3 * 2^67 + 2^48 h, the lower 48
 * bits l give 2^52 + l, both exact; only their sum is rounded. */
ZTI_INLINE f64s to_float_64(u64s v)
{
    const f64s upper = (f64s){0} + 442721857769029238784.0;        /* 3 * 2^67 */
    const f64s both = (f64s){0} + 442726361368656609280.0;         /* and 2^52 */
    const vec lower = (vec)v_all_64(UINT64_C(0x4330000000000000)); /* 2^52 */
    const vec top = _mm256_blend_epi16(_mm256_srai_epi32((vec)v, 16), _mm256_setzero_si256(), 0x33);
    const u64s high = (u64s)top + (u64s)upper;
    return ((f64s)high - both) + (f64s)_mm256_blend_epi16((vec)v, lower, 0x88);
}

/* The larger elements; 64-bit numbers are below 2^63. */
ZTI_INLINE u32s max_of_32(u32s a, u32s b)
{
    return v_max_32(a, b);
}
ZTI_INLINE u64s max_of_64(u64s a, u64s b)
{
    const vec is_more = _mm256_cmpgt_epi64((vec)a, (vec)b);
    return (u64s)_mm256_blendv_epi8((vec)b, (vec)a, is_more);
}

/* ---- masks with a bit for each element ---- */

/* b if the element's bit is set, else a. */
ZTI_INLINE u32s picked_32(uint32_t mask, u32s a, u32s b)
{
    const u32s bits = v_left_32(v_all_32(1), v_iota_32());
    return (u32s)_mm256_blendv_epi8((vec)a, (vec)b, (vec)((bits & mask) == bits));
}
ZTI_INLINE u64s picked_64(uint32_t mask, u64s a, u64s b)
{
    const u64s bits = {1, 2, 4, 8};
    return (u64s)_mm256_blendv_epi8((vec)a, (vec)b, (vec)((bits & mask) == bits));
}

ZTI_INLINE uint32_t are_less_32(u32s a, u32s b)
{
    return (uint32_t)_mm256_movemask_ps((__m256)v_is_less_32(a, b));
}
ZTI_INLINE uint32_t are_less_64(u64s a, u64s b)
{
    return (uint32_t)_mm256_movemask_pd((__m256d)v_is_less_64(a, b));
}
ZTI_INLINE uint32_t are_set_32(u32s v)
{
    return (uint32_t)_mm256_movemask_ps((__m256)v_is_set_32(v));
}
ZTI_INLINE uint32_t are_set_64(u64s v)
{
    return (uint32_t)_mm256_movemask_pd((__m256d)v_is_set_64(v));
}

/* Ones below the top bit of each element. */
ZTI_INLINE u32s below_top_32(u32s v)
{
    for (uint32_t n = 1; n < 32; n *= 2)
        v |= v >> n;
    return v >> 1;
}
ZTI_INLINE u64s below_top_64(u64s v)
{
    for (uint32_t n = 1; n < 64; n *= 2)
        v |= v >> n;
    return v >> 1;
}

/* Four values in every lane. */
ZTI_INLINE u32s lane_everywhere_32(const uint32_t *p)
{
    return (u32s)_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)p));
}
ZTI_INLINE u64s lane_everywhere_64(const uint64_t *p)
{
    return v_load_64(p);
}

ZTI_INLINE u32s swapped_elements_32(u32s v)
{
    return (u32s)_mm256_shuffle_epi32((vec)v, 0xb1);
}
ZTI_INLINE u64s swapped_elements_64(u64s v)
{
    return (u64s)_mm256_permute4x64_epi64((vec)v, 0xb1);
}
ZTI_INLINE u32s swapped_pairs_32(u32s v)
{
    return (u32s)_mm256_shuffle_epi32((vec)v, 0x4e);
}
ZTI_INLINE u64s swapped_pairs_64(u64s v)
{
    return (u64s)_mm256_permute4x64_epi64((vec)v, 0x4e);
}

#endif
