/* sz_words_avx512.h: sz_words.h for integers of 32 bits, with AVX-512. */

ZTI_INLINE uint64_t join_16(__mmask16 a, __mmask16 b, __mmask16 c, __mmask16 d)
{
    return (uint64_t)a | (uint64_t)b << 16 | (uint64_t)c << 32 | (uint64_t)d << 48;
}

ZTI_INLINE uint64_t above_32(const uint32_t *u, uint32_t limit)
{
    const __m512i most = _mm512_set1_epi32((int32_t)limit);
    return join_16(_mm512_cmpgt_epu32_mask(_mm512_loadu_si512(u), most),
                   _mm512_cmpgt_epu32_mask(_mm512_loadu_si512(u + 16), most),
                   _mm512_cmpgt_epu32_mask(_mm512_loadu_si512(u + 32), most),
                   _mm512_cmpgt_epu32_mask(_mm512_loadu_si512(u + 48), most));
}

ZTI_INLINE uint64_t plane_32(const uint32_t *u, uint32_t j)
{
    const __m512i bit = _mm512_set1_epi32((int32_t)(1u << j));
    return join_16(_mm512_test_epi32_mask(_mm512_loadu_si512(u), bit),
                   _mm512_test_epi32_mask(_mm512_loadu_si512(u + 16), bit),
                   _mm512_test_epi32_mask(_mm512_loadu_si512(u + 32), bit),
                   _mm512_test_epi32_mask(_mm512_loadu_si512(u + 48), bit));
}

ZTI_INLINE uint32_t unary_32(const uint32_t *u, uint32_t k)
{
    const __m512i most = _mm512_set1_epi32(ZTI_SZ_UNARY_MOST);
    const __m128i down = _mm_cvtsi32_si128((int32_t)k);
    __m512i sum = _mm512_setzero_si512();
    for (uint32_t i = 0; i < 4; i++) {
        const __m512i high = _mm512_srl_epi32(_mm512_loadu_si512(u + 16 * i), down);
        sum = _mm512_add_epi32(sum, _mm512_min_epu32(high, most));
    }
    return (uint32_t)_mm512_reduce_add_epi32(sum);
}

ZTI_INLINE void add_32(uint32_t *u, uint64_t word, uint32_t amount)
{
    const __m512i more = _mm512_set1_epi32((int32_t)amount);
    for (uint32_t i = 0; i < 4; i++) {
        const __m512i v = _mm512_loadu_si512(u + 16 * i);
        _mm512_storeu_si512(u + 16 * i,
                            _mm512_mask_add_epi32(v, (__mmask16)(word >> 16 * i), v, more));
    }
}
