/* mixed_avx512.c: decodes mixed ANS streams of 32 states in at most 16 models with AVX-512, 16
 * symbols at a time. States are kept in the order in which the next symbols use them. */
#include "core/cpu.h"
#include "entropy/ans/mixed.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx512.h"
#include "simd/bits_avx512.h"
#include "simd/vectors.h"

/* Fields of a window, of these numbers of bits, that begin at these bits. */
ZTI_INLINE u32s fields_of(__m512i window, u32s begin, u32s bits)
{
    const __m512i at = (__m512i)(begin >> 5);
    const __m512i low = _mm512_permutexvar_epi32(at, window);
    const __m512i high = _mm512_permutexvar_epi32((__m512i)((begin >> 5) + 1), window);
    return (u32s)_mm512_shrdv_epi32(low, high, (__m512i)begin) & ~(v_all_32(UINT32_MAX) << bits);
}

/* Where the tables of 16 models begin, counted from the first. */
ZTI_INLINE __m512i offsets_of(const uint32_t *const *tables)
{
    const __m512i first = _mm512_set1_epi64((int64_t)(intptr_t)tables[0]);
    const __m512i low = _mm512_sub_epi64(_mm512_loadu_si512((const void *)tables), first);
    const __m512i high = _mm512_sub_epi64(_mm512_loadu_si512((const void *)(tables + 8)), first);
    return _mm512_inserti64x4(
        _mm512_castsi256_si512(_mm512_cvtepi64_epi32(_mm512_srai_epi64(low, 2))),
        _mm512_cvtepi64_epi32(_mm512_srai_epi64(high, 2)), 1);
}

/* What is the same for all symbols. */
struct source {
    const struct zti_bit_reader *r;
    const uint32_t *table;
    __m512i offset;
};

/* Entries of 16 states in tables of the models that these contexts have. */
ZTI_INLINE u32s entries_of(const struct source *from, const uint8_t *context, __mmask16 some,
                           __m512i state)
{
    const __m512i model = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(some, context));
    const __m512i at = _mm512_add_epi32(state, _mm512_permutexvar_epi32(model, from->offset));
    return (u32s)_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), some, at,
                                             (const void *)from->table, 4);
}

/* Take 32 symbols: one window has the bits of all, whose entries do not wait for each other. */
ZTI_INLINE void take_32(const struct source *from, const uint8_t *context, uint64_t *at,
                        __m512i *near, __m512i *far, uint8_t *out)
{
    const u32s one = entries_of(from, context, 0xffff, *near);
    const u32s other = entries_of(from, context + 16, 0xffff, *far);
    const u32s bits = ZTI_ANS_BITS(one), more = ZTI_ANS_BITS(other);
    const u32s end = v_sums_32(bits) + (uint32_t)(*at & 7);
    const u32s last = v_sums_32(more) + v_last_32(end);
    const __m512i window = zti_window_64(from->r->base, *at, from->r->end);
    *near = (__m512i)(ZTI_ANS_BASE(one) + fields_of(window, end - bits, bits));
    *far = (__m512i)(ZTI_ANS_BASE(other) + fields_of(window, last - more, more));
    *at = (*at & ~UINT64_C(7)) + last[15];
    _mm_storeu_si128((void *)out, _mm512_cvtepi32_epi8((__m512i)one));
    _mm_storeu_si128((void *)(out + 16), _mm512_cvtepi32_epi8((__m512i)other));
}

/* Take 1 to 16 symbols. */
ZTI_INLINE void take_some(const struct source *from, const uint8_t *context, uint32_t n,
                          uint64_t *at, __m512i *near, __m512i *far, uint8_t *out)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __mmask16 some = (__mmask16)(0xffffu >> (16 - n));
    const u32s entry = entries_of(from, context, some, *near), bits = ZTI_ANS_BITS(entry);
    const u32s end = v_sums_32(bits) + (uint32_t)(*at & 7);
    const __m512i window = zti_window_64(from->r->base, *at, from->r->end);
    const __m512i next = (__m512i)(ZTI_ANS_BASE(entry) + fields_of(window, end - bits, bits));
    const __m512i first = _mm512_add_epi32(lane, _mm512_set1_epi32((int32_t)n));
    *near = _mm512_permutex2var_epi32(*near, first, *far);
    *far = _mm512_permutex2var_epi32(*far, first, next);
    *at = (*at & ~UINT64_C(7)) + end[15];
    _mm_mask_storeu_epi8(out, some, _mm512_cvtepi32_epi8((__m512i)entry));
}

void zti_ans_mixed_decode_16_avx512(struct zti_ans_mixed *m, const uint32_t *const *tables,
                                    const uint8_t *contexts, size_t n, uint8_t *out)
{
    enum { LANES = 16 };
    const struct source from = {&m->r, tables[0], offsets_of(tables)};
    uint64_t at = m->r.at;
    size_t i = 0;
    if (m->states != ZTI_ANS_MANY) {
        zti_ans_mixed_decode_avx2(m, tables, contexts, n, out);
        return;
    }
    __m512i near = _mm512_load_si512((const void *)m->state);
    __m512i far = _mm512_load_si512((const void *)(m->state + LANES));
    for (; i + 2 * LANES <= n; i += 2 * LANES)
        take_32(&from, contexts + i, &at, &near, &far, out + i);
    for (; i < n; i += LANES)
        take_some(&from, contexts + i, n - i < LANES ? (uint32_t)(n - i) : LANES, &at, &near, &far,
                  out + i);
    _mm512_store_si512((void *)m->state, near);
    _mm512_store_si512((void *)(m->state + LANES), far);
    m->r.at = at;
}

#include "simd/end.h"
#endif
