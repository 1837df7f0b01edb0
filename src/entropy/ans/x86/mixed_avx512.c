/* mixed_avx512.c: decodes mixed ANS streams of 32 states in at most 16 models with AVX-512, 16
 * symbols at a time. States are kept in the order in which the next symbols use them. */
#include "core/cpu.h"
#include "entropy/ans/mixed.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx512.h"
#include "simd/bits_avx512.h"
#include "simd/vectors.h"

/* Bits of a state for each lane, from bit *at on. */
ZTI_INLINE u32s read_fields(const struct zti_bit_reader *r, uint64_t *at, u32s bits)
{
    const __m512i lowest = _mm512_set1_epi32(0x03020100);
    const __m512i copies =
        _mm512_broadcast_i32x4(_mm_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c));
    const u32s sums = v_sums_32(bits), begin = sums - bits + (uint32_t)(*at & 7);
    const __m512i window = zti_window_64(r->base, *at, r->end);
    const __m512i byte =
        _mm512_add_epi8(_mm512_shuffle_epi8((__m512i)(begin >> 3), copies), lowest);
    const u32s fields = (u32s)_mm512_permutexvar_epi8(byte, window) >> (begin & 7);
    *at += sums[15];
    return fields & ~(v_all_32(UINT32_MAX) << bits);
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

void zti_ans_mixed_decode_16_avx512(struct zti_ans_mixed *m, const uint32_t *const *tables,
                                    const uint8_t *contexts, size_t n, uint8_t *out)
{
    enum { AT_ONCE = 16 };
    const __m512i offset = offsets_of(tables);
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint64_t at = m->r.at;
    if (m->states != ZTI_ANS_MANY) {
        zti_ans_mixed_decode_avx2(m, tables, contexts, n, out);
        return;
    }
    __m512i near = _mm512_load_si512((const void *)m->state);
    __m512i far = _mm512_load_si512((const void *)(m->state + AT_ONCE));
    for (size_t i = 0; i < n; i += AT_ONCE) {
        const uint32_t some = n - i < AT_ONCE ? (uint32_t)(n - i) : AT_ONCE;
        const __mmask16 mask = (__mmask16)(0xffffu >> (AT_ONCE - some));
        const __m512i context = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(mask, contexts + i));
        const __m512i place = _mm512_add_epi32(near, _mm512_permutexvar_epi32(context, offset));
        const u32s entry = (u32s)_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), mask, place,
                                                             (const void *)tables[0], 4);
        const u32s field = read_fields(&m->r, &at, ZTI_ANS_BITS(entry));
        const __m512i next = (__m512i)(ZTI_ANS_BASE(entry) + field);
        _mm_mask_storeu_epi8(out + i, mask, _mm512_cvtepi32_epi8((__m512i)entry));
        if (some == AT_ONCE) {
            near = far;
            far = next;
            continue;
        }
        const __m512i from = _mm512_add_epi32(lane, _mm512_set1_epi32((int32_t)some));
        const __m512i first = _mm512_permutex2var_epi32(near, from, far);
        far = _mm512_permutex2var_epi32(far, from, next);
        near = first;
    }
    _mm512_store_si512((void *)m->state, near);
    _mm512_store_si512((void *)(m->state + AT_ONCE), far);
    m->r.at = at;
}

#include "simd/end.h"
#endif
