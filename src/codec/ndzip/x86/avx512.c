/* avx512.c: the AVX-512 instance of the ndzip kernels: transposition and packing of bits; the rest
 * is in tile/. Bits are transposed in squares of 8 x 8 by one instruction (GFNI), between two
 * permutations of bytes. Zero planes are left out by compression under a mask, and put back by
 * expansion. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx512.h"

#include "simd/vectors.h"

/* Eight indices of bytes, 'step' apart. */
#define EVERY(first, step)                                                                         \
    (first), (first) + (step), (first) + 2 * (step), (first) + 3 * (step), (first) + 4 * (step),   \
        (first) + 5 * (step), (first) + 6 * (step), (first) + 7 * (step)

/* The 8 x 8 matrix with bit i set in byte i. gf2p8affine with a square of bits as its matrix and
 * this as its bytes gives the square transposed, the last row first. With this as its matrix it
 * reverses the bits of each byte. */
static const uint64_t diagonal = UINT64_C(0x8040201008040201);

/* ---- 32 bits ---- */

/* Gathers from 16 words the bytes c of each eight words: c = 0 .. 3 of words 0 .. 7, then of words
 * 8 .. 15. */
static const uint8_t octets_32[64]
    __attribute__((aligned(64))) = {EVERY(0, 4),  EVERY(1, 4),  EVERY(2, 4),  EVERY(3, 4),
                                    EVERY(32, 4), EVERY(33, 4), EVERY(34, 4), EVERY(35, 4)};

/* After that, byte 8 c + q is plane 8 c + q of the first eight words, and byte 32 + 8 c + q that of
 * the other eight. This arranges them in 16-bit halves of planes, the first words highest, in the
 * order that unpacklo and unpackhi need. */
#define HALVES(b) 32 + (b), (b), 31 + (b), (b)-1, 30 + (b), (b)-2, 29 + (b), (b)-3
static const uint8_t halves_32[64] __attribute__((aligned(64))) = {
    HALVES(31), HALVES(15), HALVES(27), HALVES(11), HALVES(23), HALVES(7), HALVES(19), HALVES(3)};

/* Transpose 32 words to their planes 31 .. 16 and 15 .. 0, or back. */
ZTI_INLINE void transpose_32(__m512i *a, __m512i *b)
{
    const __m512i squares = _mm512_set1_epi64((int64_t)diagonal);
    const __m512i octets = _mm512_load_si512(octets_32), halves = _mm512_load_si512(halves_32);
    const __m512i high = _mm512_permutexvar_epi8(
        halves, _mm512_gf2p8affine_epi64_epi8(squares, _mm512_permutexvar_epi8(octets, *a), 0));
    const __m512i low = _mm512_permutexvar_epi8(
        halves, _mm512_gf2p8affine_epi64_epi8(squares, _mm512_permutexvar_epi8(octets, *b), 0));
    *a = _mm512_unpacklo_epi16(low, high);
    *b = _mm512_unpackhi_epi16(low, high);
}

/* Reverse the bits of masks, which count planes from the highest down. */
ZTI_INLINE __m128i reverse_32(__m128i v)
{
    const __m128i bytes = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
    return _mm_gf2p8affine_epi64_epi8(_mm_shuffle_epi8(v, bytes),
                                      _mm_set1_epi64x((int64_t)diagonal), 0);
}

ZTI_INLINE uint8_t *pack_32(const uint32_t *f, uint8_t *masks, uint8_t *to)
{
    uint64_t there = 0;
    for (uint32_t g = 0; g < 2; g++, f += 32) {
        __m512i high = _mm512_load_si512(f), low = _mm512_load_si512(f + 16);
        transpose_32(&high, &low);
        const __mmask16 k = _mm512_test_epi32_mask(high, high);
        const __mmask16 m = _mm512_test_epi32_mask(low, low);
        _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(k, high));
        to += 4 * _mm_popcnt_u32(k);
        _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(m, low));
        to += 4 * _mm_popcnt_u32(m);
        there |= ((uint64_t)k | (uint64_t)m << 16) << 32 * g;
    }
    _mm_storeu_si64(masks, reverse_32(_mm_cvtsi64_si128((int64_t)there)));
    return to;
}

ZTI_INLINE const uint8_t *unpack_32(const uint8_t *masks, const uint8_t *from, uint32_t *f)
{
    const uint64_t there = (uint64_t)_mm_cvtsi128_si64(reverse_32(_mm_loadu_si64(masks)));
    for (uint32_t g = 0; g < 2; g++, f += 32) {
        const __mmask16 k = (__mmask16)(there >> 32 * g), m = (__mmask16)(there >> 32 * g >> 16);
        __m512i high = _mm512_maskz_expand_epi32(k, _mm512_loadu_si512(from));
        from += 4 * _mm_popcnt_u32(k);
        __m512i low = _mm512_maskz_expand_epi32(m, _mm512_loadu_si512(from));
        from += 4 * _mm_popcnt_u32(m);
        transpose_32(&high, &low);
        _mm512_store_si512(f, high);
        _mm512_store_si512(f + 16, low);
    }
    return from;
}

/* ---- 64 bits ---- */

/* Gathers the bytes c of eight words, c = 0 .. 7: a transposed square of bytes. */
static const uint8_t octets_64[64]
    __attribute__((aligned(64))) = {EVERY(0, 8), EVERY(1, 8), EVERY(2, 8), EVERY(3, 8),
                                    EVERY(4, 8), EVERY(5, 8), EVERY(6, 8), EVERY(7, 8)};

/* The same with the last row first. */
static const uint8_t planes_64[64]
    __attribute__((aligned(64))) = {EVERY(7, 8), EVERY(6, 8), EVERY(5, 8), EVERY(4, 8),
                                    EVERY(3, 8), EVERY(2, 8), EVERY(1, 8), EVERY(0, 8)};

/* Columns 0, 2, 4 and 6 (or 1, 3, 5, 7) of a square of words, from its rows interleaved in
 * pairs. */
ZTI_INLINE void columns(const __m512i *pairs, __m512i *column)
{
    const __m512i a = _mm512_shuffle_i64x2(pairs[0], pairs[1], 0x88);
    const __m512i b = _mm512_shuffle_i64x2(pairs[2], pairs[3], 0x88);
    const __m512i c = _mm512_shuffle_i64x2(pairs[0], pairs[1], 0xdd);
    const __m512i d = _mm512_shuffle_i64x2(pairs[2], pairs[3], 0xdd);
    column[0] = _mm512_shuffle_i64x2(a, b, 0x88);
    column[4] = _mm512_shuffle_i64x2(a, b, 0xdd);
    column[2] = _mm512_shuffle_i64x2(c, d, 0x88);
    column[6] = _mm512_shuffle_i64x2(c, d, 0xdd);
}

/* Transpose 64 words to their planes 63 .. 56, 55 .. 48, ..., or back. */
ZTI_INLINE void transpose_64(__m512i *v)
{
    const __m512i squares = _mm512_set1_epi64((int64_t)diagonal);
    const __m512i octets = _mm512_load_si512(octets_64), planes = _mm512_load_si512(planes_64);
    __m512i even[4], odd[4], column[8];
    for (uint32_t i = 0; i < 8; i++)
        v[i] = _mm512_gf2p8affine_epi64_epi8(squares, _mm512_permutexvar_epi8(octets, v[i]), 0);
    for (uint32_t i = 0; i < 4; i++) { /* the first words go into the highest bytes */
        even[i] = _mm512_unpacklo_epi64(v[7 - 2 * i], v[6 - 2 * i]);
        odd[i] = _mm512_unpackhi_epi64(v[7 - 2 * i], v[6 - 2 * i]);
    }
    columns(even, column);
    columns(odd, column + 1);
    for (uint32_t i = 0; i < 8; i++)
        v[i] = _mm512_permutexvar_epi8(planes, column[7 - i]);
}

ZTI_INLINE __m128i reverse_64(__m128i v)
{
    const __m128i bytes = _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
    return _mm_gf2p8affine_epi64_epi8(_mm_shuffle_epi8(v, bytes),
                                      _mm_set1_epi64x((int64_t)diagonal), 0);
}

ZTI_INLINE uint8_t *pack_64(const uint64_t *f, uint8_t *masks, uint8_t *to)
{
    __m512i v[8];
    uint64_t there = 0;
    for (uint32_t i = 0; i < 8; i++)
        v[i] = _mm512_load_si512(f + 8 * i);
    transpose_64(v);
    for (uint32_t i = 0; i < 8; i++) {
        const __mmask8 k = _mm512_test_epi64_mask(v[i], v[i]);
        _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(k, v[i]));
        to += 8 * _mm_popcnt_u32(k);
        there |= (uint64_t)k << 8 * i;
    }
    _mm_storeu_si64(masks, reverse_64(_mm_cvtsi64_si128((int64_t)there)));
    return to;
}

ZTI_INLINE const uint8_t *unpack_64(const uint8_t *masks, const uint8_t *from, uint64_t *f)
{
    const uint64_t there = (uint64_t)_mm_cvtsi128_si64(reverse_64(_mm_loadu_si64(masks)));
    __m512i v[8];
    for (uint32_t i = 0; i < 8; i++) {
        const __mmask8 k = (__mmask8)(there >> 8 * i);
        v[i] = _mm512_maskz_expand_epi64(k, _mm512_loadu_si512(from));
        from += 8 * _mm_popcnt_u32(k);
    }
    transpose_64(v);
    for (uint32_t i = 0; i < 8; i++)
        _mm512_store_si512(f + 8 * i, v[i]);
    return from;
}

#define HAS_PACK
#define KERNELS zti_ndzip_avx512
#include "codec/ndzip/tile/instance.h"

#include "simd/end.h"
#endif
