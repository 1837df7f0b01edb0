/* ans_put_avx512.h: streams of many states made with AVX-512, 16 symbols at a time. Included by
 * ans_mixed.h. */
#include <immintrin.h>

/* What 16 symbols shed: bits of each, up to 12, in 32; four together, and above bit 56 how many. */
ZTI_INLINE void zti_ans_join_16(__m512i low, __m512i n, uint64_t *four)
{
    const __m512i even = _mm512_set1_epi64(UINT32_MAX), own = _mm512_and_si512(n, even);
    const __m512i two = _mm512_or_si512(_mm512_and_si512(low, even),
                                        _mm512_sllv_epi64(_mm512_srli_epi64(low, 32), own));
    const __m512i n_two = _mm512_add_epi64(own, _mm512_srli_epi64(n, 32));
    const __m512i all = _mm512_or_si512(two, _mm512_sllv_epi64(_mm512_bsrli_epi128(two, 8), n_two));
    const __m512i n_all = _mm512_add_epi64(n_two, _mm512_bsrli_epi128(n_two, 8));
    const __m512i joined = _mm512_or_si512(all, _mm512_slli_epi64(n_all, 56));
    const __m512i in_order =
        _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), joined);
    _mm256_storeu_si256((__m256i *)(void *)four, _mm512_castsi512_si256(in_order));
}

/* The states before 16 symbols, from those behind them, and what is shed between. */
ZTI_INLINE __m512i zti_ans_put_16(const struct zti_ans_mixed_table *t, const uint16_t *number,
                                  __m512i state, uint64_t *four)
{
    const __m512i numbers =
        _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)number));
    const __m512i ones = _mm512_set1_epi32(-1), entry = _mm512_i32gather_epi32(numbers, t->joint, 4);
    const __m512i less = _mm512_and_si512(entry, _mm512_set1_epi32(ZTI_ANS_STATES - 1));
    const __m512i most = _mm512_sub_epi32(_mm512_lzcnt_epi32(less),
                                          _mm512_set1_epi32(31 - ZTI_ANS_STATE_BITS));
    const __m512i limit = _mm512_sllv_epi32(_mm512_sub_epi32(less, ones), most);
    const __m512i n = _mm512_mask_add_epi32(most, _mm512_cmplt_epu32_mask(state, limit), most, ones);
    const __m512i at = _mm512_add_epi32(_mm512_srai_epi32(entry, ZTI_ANS_STATE_BITS),
                                        _mm512_srlv_epi32(state, n));
    zti_ans_join_16(_mm512_andnot_si512(_mm512_sllv_epi32(ones, n), state), n, four);
    return _mm512_and_si512(_mm512_i32gather_epi32(at, t->next, 2), _mm512_set1_epi32(UINT16_MAX));
}

/* n symbols, a multiple of 32, from the last to the first. */
__attribute__((noinline, unused)) static void
zti_ans_mixed_put_many(const struct zti_ans_mixed_table *table, const uint16_t *number, size_t n,
                       uint64_t *state, struct zti_ans_front *front)
{
    const struct zti_ans_mixed_table t = *table;
    struct zti_ans_front f = *front;
    __m256i part[4];
    for (uint32_t k = 0; k < 4; k++)
        part[k] = _mm512_cvtepi64_epi32(_mm512_loadu_si512(state + 8 * k));
    __m512i a = _mm512_inserti64x4(_mm512_castsi256_si512(part[0]), part[1], 1);
    __m512i b = _mm512_inserti64x4(_mm512_castsi256_si512(part[2]), part[3], 1);
    while (n > 0) {
        uint64_t four[8];
        n -= 32;
        b = zti_ans_put_16(&t, number + n + 16, b, four + 4);
        a = zti_ans_put_16(&t, number + n, a, four);
        for (uint32_t k = 8; k-- > 0; zti_ans_store(&f))
            zti_ans_shed(&f, four[k] & (UINT64_MAX >> 8), four[k] >> 56);
    }
    for (uint32_t k = 0; k < 2; k++) {
        _mm512_storeu_si512(state + 16 * k, _mm512_cvtepu32_epi64(_mm512_castsi512_si256(k ? b : a)));
        _mm512_storeu_si512(state + 16 * k + 8,
                            _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(k ? b : a, 1)));
    }
    *front = f;
}
