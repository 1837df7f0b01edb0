/* avx2.c: the AVX2 and BMI2 instances of encode_text.h and decode_text.h. BMI2's shifts take their
 * count from any register and leave the flags alone. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx2.h"

#include "entropy/huffman/instances.h"

#define NAME(x) x##_avx2
#include "entropy/huffman/encode_text.h"

/* narrow_plain with one widening load instead of shifts. */
ZTI_INLINE uint32_t narrow_avx2(const uint32_t *entry, uint16_t *out)
{
    const __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)entry);
    _mm_storel_epi64((__m128i *)(void *)out, _mm_cvtepu8_epi16(bytes));
    return ((const uint8_t *)entry)[3];
}

#include "entropy/huffman/decode_text.h"
#undef NAME

void zti_encode_avx2(const uint32_t *codes, const uint16_t *symbols, size_t n,
                     struct zti_bit_writer *writer)
{
    encode_avx2(codes, symbols, n, writer);
}

void zti_decode_avx2(const struct zti_huffman_decoder *decoder, const uint8_t *buffer,
                     size_t buffer_bytes, struct zti_huffman_part *parts, uint32_t part_count)
{
    decode_avx2(decoder, buffer, buffer_bytes, parts, part_count);
}

/* with_next of decode.c for eight entries; at: their indices. */
ZTI_INLINE __m256i with_next_avx2(const uint32_t *table, __m256i entry, __m256i at, uint32_t bits)
{
    const __m256i length = _mm256_set1_epi32(63 << 24);
    const __m256i used = _mm256_srli_epi32(_mm256_and_si256(entry, length), 24);
    const __m256i next =
        _mm256_i32gather_epi32((const int *)(const void *)table, _mm256_srlv_epi32(at, used), 4);
    const __m256i symbol = _mm256_and_si256(next, _mm256_set1_epi32(255));
    const __m256i more = _mm256_and_si256(next, length);
    const __m256i all = _mm256_add_epi32(used, _mm256_srli_epi32(more, 24));
    const __m256i up = _mm256_slli_epi32(_mm256_srli_epi32(entry, 30), 3);
    const __m256i code = _mm256_add_epi32(_mm256_sllv_epi32(symbol, up),
                                          _mm256_add_epi32(more, _mm256_set1_epi32(1 << 30)));
    const __m256i fails = _mm256_or_si256(_mm256_cmpeq_epi32(next, _mm256_setzero_si256()),
                                          _mm256_cmpgt_epi32(all, _mm256_set1_epi32((int)bits)));
    return _mm256_add_epi32(entry, _mm256_andnot_si256(fails, code));
}

/* Of eight entries, the next codes' entries lie below them, or among the first eight, which are all
 * loaded before one is stored. */
void zti_join_codes_avx2(uint32_t *table, uint32_t bits)
{
    const __m256i each = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (uint32_t i = UINT32_C(1) << bits; i > 0;) {
        i -= 8;
        const __m256i at = _mm256_add_epi32(_mm256_set1_epi32((int)i), each);
        __m256i entry = _mm256_loadu_si256((const __m256i *)(const void *)(table + i));
        entry = with_next_avx2(table, entry, at, bits);
        entry = with_next_avx2(table, entry, at, bits);
        _mm256_storeu_si256((__m256i *)(void *)(table + i), entry);
    }
}

#include "simd/end.h"
#endif
