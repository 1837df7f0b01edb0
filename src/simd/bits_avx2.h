/* bits_avx2.h: bits of eight numbers at a time, side by side in a stream, with AVX2. */
#ifndef ZTI_SIMD_BITS_AVX2_H
#define ZTI_SIMD_BITS_AVX2_H

#include "bits/bits.h"

#include <immintrin.h>

/* What eight numbers may have for zti_fields_8, each and together. */
enum { ZTI_FIELD_BITS = 25, ZTI_FIELDS_BITS = 96 };

/* Sums of lanes up to each. */
ZTI_INLINE __m256i zti_sums_8(__m256i n)
{
    const __m256i two = _mm256_add_epi32(n, _mm256_bslli_epi128(n, 4));
    const __m256i own = _mm256_add_epi32(two, _mm256_bslli_epi128(two, 8)); /* in each half */
    const __m256i half = _mm256_shuffle_epi32(own, 0xff);
    return _mm256_add_epi32(own, _mm256_permute2x128_si256(half, half, 0x08));
}

/* Take n bits for each lane, of which these are the sums. The next 28 bytes are looked at, or
 * fewer. */
ZTI_INLINE __m256i zti_fields_8(struct zti_bit_reader *r, __m256i n, __m256i sums)
{
    const __m256i first = _mm256_set1_epi32(0x03020100);
    const __m256i four = _mm256_setr_epi64x(0x0404040400000000, 0x0c0c0c0c08080808,
                                            0x0404040400000000, 0x0c0c0c0c08080808);
    const __m256i at =
        _mm256_add_epi32(_mm256_sub_epi32(sums, n), _mm256_set1_epi32((int32_t)(r->at & 7)));
    const __m256i byte = _mm256_shuffle_epi8(_mm256_srli_epi32(at, 3), four);
    const __m256i window = _mm256_broadcastsi128_si256(
        _mm_loadu_si128((const __m128i *)(const void *)(r->base + (r->at >> 3))));
    const __m256i field =
        _mm256_srlv_epi32(_mm256_shuffle_epi8(window, _mm256_add_epi8(byte, first)),
                          _mm256_and_si256(at, _mm256_set1_epi32(7)));
    r->at += (uint32_t)_mm256_extract_epi32(sums, 7);
    return _mm256_andnot_si256(_mm256_sllv_epi32(_mm256_set1_epi32(-1), n), field);
}

/* Numbers of n bits, put together by four, and above bit 56 how many bits these are: 56 at most. */
ZTI_INLINE __m256i zti_join_8(__m256i v, __m256i n)
{
    const __m256i even = _mm256_set1_epi64x(UINT32_MAX), own = _mm256_and_si256(n, even);
    const __m256i two = _mm256_or_si256(_mm256_and_si256(v, even),
                                        _mm256_sllv_epi64(_mm256_srli_epi64(v, 32), own));
    const __m256i n_two = _mm256_add_epi64(own, _mm256_srli_epi64(n, 32));
    const __m256i all = _mm256_or_si256(two, _mm256_sllv_epi64(_mm256_bsrli_epi128(two, 8), n_two));
    const __m256i n_all = _mm256_add_epi64(n_two, _mm256_bsrli_epi128(n_two, 8));
    return _mm256_or_si256(all, _mm256_slli_epi64(n_all, 56));
}

#endif
