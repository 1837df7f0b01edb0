/* decode_avx2.h: decodes streams of 32 states with AVX2, 8 symbols at a time. Included by
 * ans/mixed_text.h. */
#include "simd/bits_avx2.h"
#include "simd/vectors.h"

/* Decode 8 symbols: returns their entries, and advances their states. */
ZTI_INLINE __m256i read_8(struct zti_bit_reader *r, const uint32_t *const *tables,
                          const uint8_t *contexts, uint32_t *state)
{
#define ENTRY(k) tables[contexts[k]][state[k]]
    const u32s entry = {ENTRY(0), ENTRY(1), ENTRY(2), ENTRY(3),
                        ENTRY(4), ENTRY(5), ENTRY(6), ENTRY(7)};
#undef ENTRY
    const u32s bits = ZTI_ANS_BITS(entry);
    v_store_32(state, ZTI_ANS_BASE(entry) +
                          (u32s)zti_fields_8(r, (__m256i)bits, (__m256i)v_sums_32(bits)));
    return (__m256i)entry;
}

/* The symbols of 16 entries: their lowest bytes. */
ZTI_INLINE __m128i symbols_of(__m256i a, __m256i b)
{
    const __m256i first = _mm256_setr_epi32(0x0c080400, -1, -1, -1, 0x0c080400, -1, -1, -1);
    const __m256i second = _mm256_setr_epi32(-1, 0x0c080400, -1, -1, -1, 0x0c080400, -1, -1);
    const __m256i both =
        _mm256_or_si256(_mm256_shuffle_epi8(a, first), _mm256_shuffle_epi8(b, second));
    return _mm_unpacklo_epi32(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
}

static void read_many(struct zti_ans_mixed *m, const uint32_t *const *tables,
                      const uint8_t *contexts, size_t n, uint8_t *out)
{
    struct zti_bit_reader r = m->r;
    uint32_t next = m->next;
    for (size_t i = 0; i < n; next %= ZTI_ANS_MANY) {
        uint32_t *const state = m->state + next;
        const size_t left = n - i, room = ZTI_ANS_MANY - next, most = left < room ? left : room;
        const bool is_far = r.at + 8 * 32 <= r.end; /* at least the bits of 16 symbols are left */
        if (is_far && most >= 16) {
            const __m256i a = read_8(&r, tables, contexts + i, state);
            const __m256i b = read_8(&r, tables, contexts + i + 8, state + 8);
            _mm_storeu_si128((__m128i *)(void *)(out + i), symbols_of(a, b));
            i += 16;
            next += 16;
        } else if (is_far && most >= 8) {
            const __m256i a = read_8(&r, tables, contexts + i, state);
            _mm_storel_epi64((__m128i *)(void *)(out + i), symbols_of(a, a));
            i += 8;
            next += 8;
        } else {
            uint64_t bits = zti_peek_either(&r);
            out[i] = zti_ans_mixed_step(tables[contexts[i]], state, &bits, &r.at);
            i++;
            next++;
        }
    }
    m->r.at = r.at; /* copying all of r would wait for stores of its parts */
    m->next = next;
}
