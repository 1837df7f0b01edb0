/* ans_take_avx2.h: symbols of streams of many states with AVX2, 8 at a time. Included by
 * ans_mixed_text.h. */
#include <immintrin.h>

/* For lanes of which each takes n bits of what comes, up to 12: 25 or more from its first on. The
 * next 16 bytes are looked at. */
ZTI_INLINE __m256i fields(struct zti_bit_reader *r, __m256i n)
{
    const __m256i first = _mm256_set1_epi32(0x03020100);
    const __m256i four = _mm256_setr_epi64x(0x0404040400000000, 0x0c0c0c0c08080808,
                                            0x0404040400000000, 0x0c0c0c0c08080808);
    const __m256i two = _mm256_add_epi32(n, _mm256_bslli_epi128(n, 4));
    const __m256i own = _mm256_add_epi32(two, _mm256_bslli_epi128(two, 8)); /* in each half */
    const __m256i half = _mm256_shuffle_epi32(own, 0xff);
    const __m256i all = _mm256_add_epi32(own, _mm256_permute2x128_si256(half, half, 0x08));
    const __m256i at =
        _mm256_add_epi32(_mm256_sub_epi32(all, n), _mm256_set1_epi32((int32_t)(r->at & 7)));
    const __m256i byte = _mm256_shuffle_epi8(_mm256_srli_epi32(at, 3), four);
    const __m256i window = _mm256_broadcastsi128_si256(
        _mm_loadu_si128((const __m128i *)(const void *)(r->base + (r->at >> 3))));
    const __m256i field = _mm256_shuffle_epi8(window, _mm256_add_epi8(byte, first));
    r->at += (uint32_t)_mm256_extract_epi32(all, 7);
    return _mm256_srlv_epi32(field, _mm256_and_si256(at, _mm256_set1_epi32(7)));
}

/* The entries of the next 8 symbols, and their states that follow. */
ZTI_INLINE __m256i take_8(struct zti_bit_reader *r, const uint32_t *const *tables,
                          const uint8_t *contexts, uint32_t *state)
{
#define ENTRY(k) (int32_t)tables[contexts[k]][state[k]]
    const __m256i entry = _mm256_setr_epi32(ENTRY(0), ENTRY(1), ENTRY(2), ENTRY(3), ENTRY(4),
                                            ENTRY(5), ENTRY(6), ENTRY(7));
#undef ENTRY
    const __m256i bits = _mm256_and_si256(_mm256_srli_epi32(entry, 16), _mm256_set1_epi32(15));
    const __m256i above = _mm256_sllv_epi32(_mm256_set1_epi32(-1), bits);
    const __m256i value = _mm256_andnot_si256(above, fields(r, bits));
    _mm256_storeu_si256((__m256i *)(void *)state,
                        _mm256_add_epi32(_mm256_srli_epi32(entry, 20), value));
    return entry;
}

/* The lowest bytes of 16 entries. */
ZTI_INLINE __m128i symbols_of(__m256i a, __m256i b)
{
    const __m256i first = _mm256_setr_epi32(0x0c080400, -1, -1, -1, 0x0c080400, -1, -1, -1);
    const __m256i second = _mm256_setr_epi32(-1, 0x0c080400, -1, -1, -1, 0x0c080400, -1, -1);
    const __m256i both =
        _mm256_or_si256(_mm256_shuffle_epi8(a, first), _mm256_shuffle_epi8(b, second));
    return _mm_unpacklo_epi32(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
}

static void take_many(struct zti_ans_mixed *m, const uint32_t *const *tables,
                      const uint8_t *contexts, size_t n, uint8_t *out)
{
    struct zti_bit_reader r = m->r;
    uint32_t next = m->next;
    for (size_t i = 0; i < n; next %= ZTI_ANS_MANY) {
        uint32_t *const state = m->state + next;
        const size_t left = n - i, room = ZTI_ANS_MANY - next, most = left < room ? left : room;
        const bool is_far = r.at + 8 * 32 <= r.end; /* and what 16 symbols want is there */
        if (is_far && most >= 16) {
            const __m256i a = take_8(&r, tables, contexts + i, state);
            const __m256i b = take_8(&r, tables, contexts + i + 8, state + 8);
            _mm_storeu_si128((__m128i *)(void *)(out + i), symbols_of(a, b));
            i += 16;
            next += 16;
        } else if (is_far && most >= 8) {
            const __m256i a = take_8(&r, tables, contexts + i, state);
            _mm_storel_epi64((__m128i *)(void *)(out + i), symbols_of(a, a));
            i += 8;
            next += 8;
        } else {
            uint64_t bits = zti_peek_either(&r);
            out[i] = step(tables[contexts[i]], state, &bits, &r.at);
            i++;
            next++;
        }
    }
    m->r.at = r.at; /* all of it, put together from parts, would be waited for */
    m->next = next;
}
