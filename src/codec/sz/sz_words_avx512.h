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

struct group_32 {
    __m512i v[4];
};

ZTI_INLINE struct group_32 load_32(const uint32_t *u)
{
    return (struct group_32){{_mm512_loadu_si512(u), _mm512_loadu_si512(u + 16),
                              _mm512_loadu_si512(u + 32), _mm512_loadu_si512(u + 48)}};
}

ZTI_INLINE void store_32(const struct group_32 *g, uint32_t *u)
{
    for (uint32_t i = 0; i < 4; i++)
        _mm512_storeu_si512(u + 16 * i, g->v[i]);
}

ZTI_INLINE void add_32(struct group_32 *g, uint64_t word, uint32_t amount)
{
    const __m512i more = _mm512_set1_epi32((int32_t)amount);
    for (uint32_t i = 0; i < 4; i++)
        g->v[i] = _mm512_mask_add_epi32(g->v[i], (__mmask16)(word >> 16 * i), g->v[i], more);
}

ZTI_INLINE bool pack_32(const uint32_t *u, uint32_t shift, bool is_pairs, uint16_t *to)
{
    const __m512i most = _mm512_set1_epi32(is_pairs ? 15 : 3);
    const __m128i down = _mm_cvtsi32_si128((int32_t)shift);
    uint8_t bytes[64];
    __mmask16 any = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const __m512i high = _mm512_srl_epi32(_mm512_loadu_si512(u + 16 * i), down);
        const __m512i part = _mm512_min_epu32(high, most);
        any |= _mm512_cmpeq_epi32_mask(part, most);
        _mm_storeu_si128((__m128i *)(void *)(bytes + 16 * i), _mm512_cvtepi32_epi8(part));
    }
    const __m512i all = _mm512_loadu_si512(bytes);
    const __m512i pairs = _mm512_maddubs_epi16(all, _mm512_set1_epi16(is_pairs ? 0x1001 : 0x0401));
    if (is_pairs) {
        _mm512_storeu_si512(to, pairs);
    } else {
        const __m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00100001));
        _mm256_storeu_si256((__m256i *)(void *)to, _mm512_cvtepi32_epi16(fours));
    }
    return any != 0;
}

ZTI_INLINE void spread_32(const uint16_t *from, bool is_pairs, uint32_t shift, uint32_t *u)
{
    const __m128i up = _mm_cvtsi32_si128((int32_t)shift);
    if (is_pairs) {
        for (uint32_t i = 0; i < 4; i++) {
            const __m512i two = _mm512_cvtepu16_epi64(
                _mm_loadu_si128((const __m128i *)(const void *)(from + 8 * i)));
            const __m512i both = _mm512_or_si512(_mm512_and_si512(two, _mm512_set1_epi64(15)),
                                                 _mm512_slli_epi64(_mm512_srli_epi64(two, 4), 32));
            _mm512_storeu_si512(u + 16 * i, _mm512_sll_epi32(both, up));
        }
        return;
    }
    const __m512i places = _mm512_set_epi32(6, 4, 2, 0, 6, 4, 2, 0, 6, 4, 2, 0, 6, 4, 2, 0);
    const __m512i index = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    for (uint32_t i = 0; i < 4; i++) {
        const __m128i four = _mm_cvtepu16_epi32(
            _mm_loadl_epi64((const __m128i *)(const void *)(from + 4 * i)));
        const __m512i each = _mm512_permutexvar_epi32(index, _mm512_castsi128_si512(four));
        _mm512_storeu_si512(u + 16 * i, _mm512_and_si512(_mm512_srlv_epi32(each, places),
                                                         _mm512_set1_epi32(3)));
    }
}

/* v with its lanes moved up by so many, and zeros below. */
#define moved_up(v, lanes) _mm512_alignr_epi32(v, _mm512_setzero_si512(), 16 - (lanes))

ZTI_INLINE void sum_row_32(uint32_t *u, uint32_t n)
{
    __m512i before = _mm512_setzero_si512(); /* in all lanes */
    for (uint32_t i = 0; i < n; i += 16) {
        const __mmask16 here = (__mmask16)(n - i < 16 ? (1u << (n - i)) - 1 : 0xffffu);
        __m512i v = _mm512_maskz_loadu_epi32(here, u + i);
        v = _mm512_add_epi32(v, moved_up(v, 1));
        v = _mm512_add_epi32(v, moved_up(v, 2));
        v = _mm512_add_epi32(v, moved_up(v, 4));
        v = _mm512_add_epi32(v, moved_up(v, 8));
        v = _mm512_add_epi32(v, before);
        _mm512_mask_storeu_epi32(u + i, here, v);
        before = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), v);
    }
}
#undef moved_up
