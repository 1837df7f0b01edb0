/* sz_words_avx2.h: sz_words.h for integers of 32 bits, with AVX2. */

/* The top bits of 8 integers. */
ZTI_INLINE uint64_t top_bits(__m256i v)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(v));
}

ZTI_INLINE uint64_t above_32(const uint32_t *u, uint32_t limit)
{
    const __m256i top = _mm256_set1_epi32(INT32_MIN);
    const __m256i most = _mm256_set1_epi32((int32_t)(limit ^ UINT32_C(0x80000000)));
    uint64_t word = 0;
    for (uint32_t i = 0; i < 8; i++) {
        const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(u + 8 * i));
        word |= top_bits(_mm256_cmpgt_epi32(_mm256_xor_si256(v, top), most)) << 8 * i;
    }
    return word;
}

ZTI_INLINE uint64_t plane_32(const uint32_t *u, uint32_t j)
{
    const __m128i up = _mm_cvtsi32_si128((int32_t)(31 - j));
    uint64_t word = 0;
    for (uint32_t i = 0; i < 8; i++) {
        const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(u + 8 * i));
        word |= top_bits(_mm256_sll_epi32(v, up)) << 8 * i;
    }
    return word;
}

ZTI_INLINE uint32_t unary_32(const uint32_t *u, uint32_t k)
{
    const __m256i most = _mm256_set1_epi32(ZTI_SZ_UNARY_MOST);
    const __m128i down = _mm_cvtsi32_si128((int32_t)k);
    __m256i sum = _mm256_setzero_si256();
    for (uint32_t i = 0; i < 8; i++) {
        const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(u + 8 * i));
        sum = _mm256_add_epi32(sum, _mm256_min_epu32(_mm256_srl_epi32(v, down), most));
    }
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0xb1));
    return (uint32_t)_mm_cvtsi128_si32(four);
}

ZTI_INLINE void add_32(uint32_t *u, uint64_t word, uint32_t amount)
{
    const __m256i more = _mm256_set1_epi32((int32_t)amount);
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    for (uint32_t i = 0; i < 8; i++) {
        const __m256i eight = _mm256_set1_epi32((int32_t)(word >> 8 * i & 255));
        const __m256i mask = _mm256_cmpeq_epi32(_mm256_and_si256(eight, bits), bits);
        __m256i *const at = (__m256i *)(void *)(u + 8 * i);
        _mm256_storeu_si256(at, _mm256_add_epi32(_mm256_loadu_si256(at),
                                                 _mm256_and_si256(mask, more)));
    }
}
