/* words_avx2.h: lorenzo/plain/words.h for integers of 32 bits, with AVX2. */

ZTI_INLINE __m256i eight_at(const uint32_t *u, uint32_t i)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)(u + 8 * i));
}

ZTI_INLINE uint32_t any_32(const uint32_t *u)
{
    __m256i all = eight_at(u, 0);
    for (uint32_t i = 1; i < 8; i++)
        all = _mm256_or_si256(all, eight_at(u, i));
    if (_mm256_testz_si256(all, _mm256_set1_epi32(-256)))
        return 255; /* or less, which is all that anyone wants to know */
    __m128i four = _mm_or_si128(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    four = _mm_or_si128(four, _mm_unpackhi_epi64(four, four));
    return (uint32_t)(_mm_cvtsi128_si32(four) | _mm_extract_epi32(four, 1));
}

/* 64 values below 256, eight in each register, in two registers. */
ZTI_INLINE struct small packed(const __m256i *part)
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    struct small s;
    for (uint32_t i = 0; i < 2; i++) {
        const __m256i low = _mm256_packus_epi32(part[4 * i], part[4 * i + 1]);
        const __m256i high = _mm256_packus_epi32(part[4 * i + 2], part[4 * i + 3]);
        s.v[i] = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
    }
    return s;
}

ZTI_INLINE struct small bytes_above_32(const uint32_t *u, uint32_t k, bool is_cut)
{
    const __m128i down = _mm_cvtsi32_si128((int32_t)k);
    const __m256i most = _mm256_set1_epi32(255);
    __m256i part[8];
    for (uint32_t i = 0; i < 8; i++) {
        const __m256i high = _mm256_srl_epi32(eight_at(u, i), down);
        part[i] = is_cut ? _mm256_and_si256(high, most) : _mm256_min_epu32(high, most);
    }
    return packed(part);
}
