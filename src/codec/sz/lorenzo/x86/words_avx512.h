/* words_avx512.h: lorenzo/plain/words.h for integers of 32 bits, with AVX-512. */

ZTI_INLINE uint32_t any_32(const uint32_t *u)
{
    const __m512i a = _mm512_or_si512(_mm512_loadu_si512(u), _mm512_loadu_si512(u + 16));
    const __m512i b = _mm512_or_si512(_mm512_loadu_si512(u + 32), _mm512_loadu_si512(u + 48));
    const __m512i all = _mm512_or_si512(a, b);
    if (_mm512_test_epi32_mask(all, _mm512_set1_epi32(-256)) == 0)
        return 255; /* or less, which is all that anyone wants to know */
    return (uint32_t)_mm512_reduce_or_epi32(all);
}

/* 64 values below 256 in a register. */
ZTI_INLINE struct small packed(const __m512i *part)
{
    const __m512i lanes = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
    const __m512i low = _mm512_packus_epi32(part[0], part[1]);
    const __m512i bytes = _mm512_packus_epi16(low, _mm512_packus_epi32(part[2], part[3]));
    return (struct small){_mm512_permutexvar_epi32(lanes, bytes)};
}

ZTI_INLINE struct small bytes_above_32(const uint32_t *u, uint32_t k, bool is_cut)
{
    const __m128i down = _mm_cvtsi32_si128((int32_t)k);
    const __m512i most = _mm512_set1_epi32(255);
    __m512i part[4];
    for (uint32_t i = 0; i < 4; i++) {
        const __m512i high = _mm512_srl_epi32(_mm512_loadu_si512(u + 16 * i), down);
        part[i] = is_cut ? _mm512_and_si512(high, most) : _mm512_min_epu32(high, most);
    }
    return packed(part);
}
