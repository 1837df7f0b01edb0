/* avx2.c: the AVX2 instance of the ndzip kernels: the transposition of bits; the rest is in tile/.
 * Bytes of equal significance of 32 values are gathered in a register, the last value's lowest;
 * then one instruction extracts the highest bit of each byte, a plane. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx2.h"

#include "simd/vectors.h"

/* Store the bit planes of 32 bytes, the highest first, to every 'step'th word. */
ZTI_INLINE void write_bits(__m256i bytes, uint32_t *to, uint32_t step)
{
    for (uint32_t q = 0; q < 8; q++) {
        to[q * step] = (uint32_t)_mm256_movemask_epi8(bytes);
        bytes = _mm256_add_epi8(bytes, bytes);
    }
}

/* ---- 32 bits ---- */

ZTI_INLINE void transpose_group(uint32_t *a)
{
    const __m256i group = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(12, 8, 4, 0, 13, 9, 5, 1, 14, 10, 6, 2, 15, 11, 7, 3));
    const __m256i order = _mm256_setr_epi32(4, 0, 5, 1, 6, 2, 7, 3);
    __m256i s[4], byte[4];
    for (uint32_t i = 0; i < 4; i++) /* in each four words: byte 0 of all, byte 1 of all, ... */
        s[i] = _mm256_shuffle_epi8((__m256i)v_load_32(a + 24 - 8 * i), group);
    const __m256i t0 = _mm256_unpacklo_epi32(s[0], s[1]), t1 = _mm256_unpackhi_epi32(s[0], s[1]);
    const __m256i t2 = _mm256_unpacklo_epi32(s[2], s[3]), t3 = _mm256_unpackhi_epi32(s[2], s[3]);
    byte[0] = _mm256_unpacklo_epi64(t0, t2);
    byte[1] = _mm256_unpackhi_epi64(t0, t2);
    byte[2] = _mm256_unpacklo_epi64(t1, t3);
    byte[3] = _mm256_unpackhi_epi64(t1, t3);
    for (uint32_t c = 0; c < 4; c++)
        write_bits(_mm256_permutevar8x32_epi32(byte[c], order), a + 24 - 8 * c, 1);
}

static void transpose_32(uint32_t *a)
{
    transpose_group(a);
    transpose_group(a + 32);
}

/* ---- 64 bits ---- */

/* Store the bit planes of words 0 .. 31 of 'a', from the highest, to every other word of 'to'. */
static void transpose_half(const uint64_t *a, uint32_t *to)
{
    const __m256i pair = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(8, 0, 9, 1, 10, 2, 11, 3, 12, 4, 13, 5, 14, 6, 15, 7));
    const __m256i mix = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
    __m256i s[8], t[8], u[8];
    for (uint32_t i = 0; i < 8; i++) /* in each two words: byte 0 of both, byte 1 of both, ... */
        s[i] = _mm256_shuffle_epi8((__m256i)v_load_32(a + 28 - 4 * i), pair);
    for (uint32_t i = 0; i < 4; i++) {
        t[i] = _mm256_unpacklo_epi16(s[2 * i], s[2 * i + 1]);     /* bytes 0 .. 3 of 4 words */
        t[i + 4] = _mm256_unpackhi_epi16(s[2 * i], s[2 * i + 1]); /* bytes 4 .. 7 */
    }
    for (uint32_t i = 0; i < 8; i += 4) {
        u[i] = _mm256_unpacklo_epi32(t[i], t[i + 1]); /* bytes i, i + 1 of 8 words */
        u[i + 1] = _mm256_unpackhi_epi32(t[i], t[i + 1]);
        u[i + 2] = _mm256_unpacklo_epi32(t[i + 2], t[i + 3]);
        u[i + 3] = _mm256_unpackhi_epi32(t[i + 2], t[i + 3]);
    }
    for (uint32_t c = 0; c < 8; c++) {
        const uint32_t i = c / 4 * 4 + c % 4 / 2;
        const __m256i bytes =
            c % 2 ? _mm256_unpackhi_epi64(u[i], u[i + 2]) : _mm256_unpacklo_epi64(u[i], u[i + 2]);
        write_bits(_mm256_shuffle_epi8(_mm256_permute4x64_epi64(bytes, 0x72), mix),
                   to + 2 * (56 - 8 * c), 2);
    }
}

static void transpose_64(uint64_t *a)
{
    uint32_t halves[128];
    transpose_half(a, halves + 1);
    transpose_half(a + 32, halves);
    memcpy(a, halves, sizeof halves);
}

#define KERNELS zti_ndzip_avx2
#include "codec/ndzip/tile/instance.h"

#include "simd/end.h"
#endif
