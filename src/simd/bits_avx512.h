/* bits_avx512.h: bits of a stream for vectors, with AVX-512. */
#ifndef ZTI_SIMD_BITS_AVX512_H
#define ZTI_SIMD_BITS_AVX512_H

#include "bits/bits.h"

#include <immintrin.h>

/* The 64 bytes from that of bit 'at' on; what is beyond the byte of the last bit is 0. */
ZTI_INLINE __m512i zti_window_64(const uint8_t *base, uint64_t at, uint64_t end)
{
    const uint64_t first = at / 8, left = (end + 7) / 8 > first ? (end + 7) / 8 - first : 0;
    if (left >= 64)
        return _mm512_loadu_si512((const void *)(base + first));
    return _mm512_maskz_loadu_epi8(((__mmask64)1 << left) - 1, base + first);
}

#endif
