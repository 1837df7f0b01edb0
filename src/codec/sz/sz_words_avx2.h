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

struct group_32 {
    __m256i v[8];
};

ZTI_INLINE struct group_32 load_32(const uint32_t *u)
{
    struct group_32 g;
    for (uint32_t i = 0; i < 8; i++)
        g.v[i] = _mm256_loadu_si256((const __m256i *)(const void *)(u + 8 * i));
    return g;
}

ZTI_INLINE void store_32(const struct group_32 *g, uint32_t *u)
{
    for (uint32_t i = 0; i < 8; i++)
        _mm256_storeu_si256((__m256i *)(void *)(u + 8 * i), g->v[i]);
}

ZTI_INLINE void add_32(struct group_32 *g, uint64_t word, uint32_t amount)
{
    const __m256i more = _mm256_set1_epi32((int32_t)amount);
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    for (uint32_t i = 0; i < 8; i++) {
        const __m256i eight = _mm256_set1_epi32((int32_t)(word >> 8 * i & 255));
        const __m256i mask = _mm256_cmpeq_epi32(_mm256_and_si256(eight, bits), bits);
        g->v[i] = _mm256_add_epi32(g->v[i], _mm256_and_si256(mask, more));
    }
}

ZTI_INLINE bool pack_32(const uint32_t *u, uint32_t shift, bool is_pairs, uint16_t *to)
{
    const __m256i most = _mm256_set1_epi32(is_pairs ? 15 : 3);
    const __m128i down = _mm_cvtsi32_si128((int32_t)shift);
    __m256i any = _mm256_setzero_si256();
    for (uint32_t i = 0; i < 4; i++) {
        __m256i part[2];
        for (uint32_t j = 0; j < 2; j++) {
            const uint32_t *const from = u + 16 * i + 8 * j;
            const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)from);
            part[j] = _mm256_min_epu32(_mm256_srl_epi32(v, down), most);
            any = _mm256_or_si256(any, _mm256_cmpeq_epi32(part[j], most));
        }
        const __m256i words = _mm256_permute4x64_epi64(_mm256_packus_epi32(part[0], part[1]), 0xd8);
        const __m256i pairs = /* each two neighbours in 32 bits */
            _mm256_madd_epi16(words, _mm256_set1_epi32(is_pairs ? 0x00100001 : 0x00040001));
        const __m128i eight = _mm_packus_epi32(_mm256_castsi256_si128(pairs),
                                               _mm256_extracti128_si256(pairs, 1));
        if (is_pairs) {
            _mm_storeu_si128((__m128i *)(void *)(to + 8 * i), eight);
        } else {
            const __m128i fours = _mm_madd_epi16(eight, _mm_set1_epi32(0x00100001));
            _mm_storel_epi64((__m128i *)(void *)(to + 4 * i), _mm_packus_epi32(fours, fours));
        }
    }
    return !_mm256_testz_si256(any, any);
}

ZTI_INLINE void spread_32(const uint16_t *from, bool is_pairs, uint32_t shift, uint32_t *u)
{
    for (uint32_t i = 0; i < 32 && is_pairs; i++) {
        u[2 * i] = (uint32_t)(from[i] & 15) << shift;
        u[2 * i + 1] = (uint32_t)(from[i] >> 4) << shift;
    }
    for (uint32_t i = 0; i < 64 && !is_pairs; i++)
        u[i] = from[i / 4] >> 2 * (i % 4) & 3;
}

ZTI_INLINE void sum_row_32(uint32_t *u, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        u[i] = sum += u[i];
}
