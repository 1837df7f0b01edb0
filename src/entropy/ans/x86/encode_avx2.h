/* encode_avx2.h: encodes streams of 32 states with AVX2, 8 symbols at a time. Included by
 * ans/mixed_text.h. */
#include "simd/bits_avx2.h"
#include "simd/vectors.h"

/* Encode 8 symbols: returns their next states. four: the emitted bits of each four symbols
 * together, and their number from bit 56 on. */
ZTI_INLINE u32s write_8(const struct zti_ans_mixed_entry *entry, const uint16_t *number, u32s state,
                        uint64_t *four)
{
    const uint16_t *const states = (const uint16_t *)(const void *)entry;
#define ENTRY(k) zti_get_le64((const uint8_t *)(const void *)&entry[number[k]])
    const __m256 a = (__m256)(u64s){ENTRY(0), ENTRY(1), ENTRY(4), ENTRY(5)};
    const __m256 b = (__m256)(u64s){ENTRY(2), ENTRY(3), ENTRY(6), ENTRY(7)};
#undef ENTRY
    const u32s n = ZTI_ANS_EMITTED(state, (u32s)_mm256_shuffle_ps(a, b, 0x88));
    uint32_t at[8];
    v_store_32(at, ZTI_ANS_NUMBER(state, n, (u32s)_mm256_shuffle_ps(a, b, 0xdd)));
    __asm__("" : "+m"(at)); /* through memory: extracting from the register is slower */
    const __m256i joined = zti_join_8((__m256i)(state & ~(v_all_32(UINT32_MAX) << n)), (__m256i)n);
    four[0] = (uint64_t)_mm256_extract_epi64(joined, 0);
    four[1] = (uint64_t)_mm256_extract_epi64(joined, 2);
    __m128i v = _mm_cvtsi32_si128(states[at[0]]);
    v = _mm_insert_epi16(v, states[at[1]], 1);
    v = _mm_insert_epi16(v, states[at[2]], 2);
    v = _mm_insert_epi16(v, states[at[3]], 3);
    v = _mm_insert_epi16(v, states[at[4]], 4);
    v = _mm_insert_epi16(v, states[at[5]], 5);
    v = _mm_insert_epi16(v, states[at[6]], 6);
    v = _mm_insert_epi16(v, states[at[7]], 7);
    return (u32s)_mm256_cvtepu16_epi32(v);
}

/* Encode n symbols, a multiple of 32, from the last to the first. */
__attribute__((noinline)) static void write_many(const struct zti_ans_mixed_table *table,
                                                 const uint16_t *number, size_t n, uint64_t *state,
                                                 struct front *front)
{
    struct front f = *front;
    uint32_t own[ZTI_ANS_MANY];
    u32s eight[4];
    for (uint32_t k = 0; k < ZTI_ANS_MANY; k++)
        own[k] = (uint32_t)state[k];
    for (uint32_t k = 0; k < 4; k++)
        eight[k] = v_load_32(own + 8 * k);
    while (n > 0) {
        uint64_t four[8];
        n -= 32;
        for (uint32_t k = 4; k-- > 0;)
            eight[k] = write_8(table->entry, number + n + 8 * k, eight[k], four + 2 * k);
        for (uint32_t k = 8; k-- > 0; store(&f))
            emit(&f, four[k] & (UINT64_MAX >> 8), four[k] >> 56);
    }
    for (uint32_t k = 0; k < 4; k++)
        v_store_32(own + 8 * k, eight[k]);
    for (uint32_t k = 0; k < ZTI_ANS_MANY; k++)
        state[k] = own[k];
    *front = f;
}
