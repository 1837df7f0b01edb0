/* ans_take_avx512.h: symbols of streams of many states with AVX-512, 16 at a time: those of the one
 * half of the states are looked up while those of the other are put in place. Included by
 * ans_mixed.h. */
#include <immintrin.h>

/* 32 bytes from that of a reader's next bit on; zeros beyond its end. */
ZTI_INLINE __m512i zti_ans_window(const struct zti_bit_reader *r)
{
    const uint64_t byte = r->at >> 3, bytes = (r->end >> 3) + ((r->end & 7) != 0);
    if (byte + 32 <= bytes)
        return _mm512_castsi256_si512(
            _mm256_loadu_si256((const __m256i *)(const void *)(r->base + byte)));
    const uint32_t left = byte < bytes ? (uint32_t)(bytes - byte) : 0;
    return _mm512_castsi256_si512(
        _mm256_maskz_loadu_epi8((UINT32_C(1) << left) - 1, left ? r->base + byte : r->base));
}

/* For lanes of which each takes n bits of what comes, up to 12: the 32 from its first on. */
ZTI_INLINE __m512i zti_ans_fields(struct zti_bit_reader *r, __m512i n)
{
    const __m128i own = _mm512_cvtepi32_epi8(n);
    __m128i all = _mm_add_epi8(own, _mm_bslli_si128(own, 1));
    all = _mm_add_epi8(all, _mm_bslli_si128(all, 2));
    all = _mm_add_epi8(all, _mm_bslli_si128(all, 4));
    all = _mm_add_epi8(all, _mm_bslli_si128(all, 8));
    const __m512i at = _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm_sub_epi8(all, own)),
                                        _mm512_set1_epi32((int32_t)(r->at & 7)));
    const __m512i window = zti_ans_window(r), word = _mm512_srli_epi32(at, 5);
    const __m512i next = _mm512_add_epi32(word, _mm512_set1_epi32(1));
    r->at += (uint8_t)_mm_extract_epi8(all, 15);
    return _mm512_shrdv_epi32(_mm512_permutexvar_epi32(word, window),
                              _mm512_permutexvar_epi32(next, window), at);
}

/* The next n symbols, up to 16; returns the states that follow. Masks make loads and stores
 * slower. */
ZTI_INLINE __m512i zti_ans_take_16(struct zti_bit_reader *r, const struct zti_ans_mixed_tables *t,
                                   uint32_t n, const uint8_t *contexts, __m512i state, uint8_t *out)
{
    const __mmask16 there = (__mmask16)((1u << n) - 1);
    const __m128i context = n == 16 ? _mm_loadu_si128((const __m128i *)(const void *)contexts)
                                    : _mm_maskz_loadu_epi8(there, contexts);
    const __m512i models = _mm512_permutexvar_epi8(_mm512_castsi128_si512(context),
                                                   _mm512_loadu_si512(t->model));
    const __m512i model = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(models));
    const __m512i number = _mm512_add_epi32(_mm512_slli_epi32(model, ZTI_ANS_STATE_BITS), state);
    const __m512i entry =
        _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), there, number, t->entry, 4);
    const __m512i bits = _mm512_and_si512(_mm512_srli_epi32(entry, 16), _mm512_set1_epi32(15));
    const __m512i above = _mm512_sllv_epi32(_mm512_set1_epi32(-1), bits);
    const __m512i value = _mm512_andnot_si512(above, zti_ans_fields(r, bits));
    const __m128i symbols = _mm512_cvtepi32_epi8(entry);
    if (n == 16)
        _mm_storeu_si128((__m128i *)(void *)out, symbols);
    else
        _mm_mask_storeu_epi8(out, there, symbols);
    return _mm512_mask_add_epi32(state, there, _mm512_srli_epi32(entry, 20), value);
}

/* Lanes from number 'by' of a and b on, as those of one. */
ZTI_INLINE void zti_ans_turn(uint32_t by, __m512i *a, __m512i *b)
{
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i from = _mm512_add_epi32(lane, _mm512_set1_epi32((int32_t)by));
    const __m512i first = _mm512_permutex2var_epi32(*a, from, *b);
    *b = _mm512_permutex2var_epi32(*b, from, *a);
    *a = first;
}

/* zti_ans_mixed_take. */
ZTI_INLINE void zti_ans_mixed_take_many(struct zti_ans_mixed *m,
                                        const struct zti_ans_mixed_tables *t,
                                        const uint8_t *contexts, size_t n, uint8_t *out)
{
    const uint32_t half = m->next & 16, by = m->next & 15; /* the next symbol's state */
    __m512i a = _mm512_loadu_si512(m->state + half), b = _mm512_loadu_si512(m->state + (half ^ 16));
    struct zti_bit_reader r = m->r;
    size_t i = 0;
    if (by)
        zti_ans_turn(by, &a, &b);
    for (; i + 32 <= n; i += 32) {
        a = zti_ans_take_16(&r, t, 16, contexts + i, a, out + i);
        b = zti_ans_take_16(&r, t, 16, contexts + i + 16, b, out + i + 16);
    }
    if (i + 16 <= n)
        a = zti_ans_take_16(&r, t, 16, contexts + i, a, out + i);
    if (i + 16 <= n && i + 16 < n)
        b = zti_ans_take_16(&r, t, (uint32_t)(n - i - 16), contexts + i + 16, b, out + i + 16);
    else if (i < n && n - i < 16)
        a = zti_ans_take_16(&r, t, (uint32_t)(n - i), contexts + i, a, out + i);
    if (by)
        zti_ans_turn(ZTI_ANS_MANY - by, &a, &b);
    _mm512_storeu_si512(m->state + half, a);
    _mm512_storeu_si512(m->state + (half ^ 16), b);
    m->r.at = r.at; /* all of it, put together from parts, would be waited for */
    m->next = (m->next + (uint32_t)n) % ZTI_ANS_MANY;
}
