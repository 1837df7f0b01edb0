/* huffman_avx512.c: the encoder for books with a window: codes of 128 symbols in four registers, 32
 * symbols looked up at once and merged in registers, as reduce-merge does it: in pairs, fours and
 * eights. Eight codes have at most 56 bits wherever data compress; where they do not, fours are
 * appended, which always fit. 32 symbols of which one is outside of the window go through the plain
 * text. */
#include "entropy/instances.h"

#include <immintrin.h>

#define NAME(x) x##_avx512
#include "entropy/encode_text.h"
#undef NAME

enum { AT_ONCE = 32, PUT_MOST_BITS = 56, AHEAD_BYTES = 4096 };

/* Codes and their lengths, in the same lanes of two registers. */
struct merged {
    __m512i codes, bits;
};

/* Entries of the window, 16 bits each, in pairs: lanes of 32 bits. */
static inline struct merged merge_pairs(__m512i entries)
{
    const __m512i code = _mm512_set1_epi32(0xfff), length = _mm512_set1_epi32(15);
    const __m512i left_bits = _mm512_and_si512(_mm512_srli_epi32(entries, 12), length);
    const __m512i right = _mm512_and_si512(_mm512_srli_epi32(entries, 16), code);
    return (struct merged){
        _mm512_or_si512(_mm512_and_si512(entries, code), _mm512_sllv_epi32(right, left_bits)),
        _mm512_add_epi32(left_bits, _mm512_srli_epi32(entries, 28))};
}

/* Pairs of 32 bits to lanes of 64: at most 48 bits. */
static inline struct merged merge_fours(struct merged m)
{
    const __m512i low = _mm512_set1_epi64(0xffffffff);
    const __m512i left_bits = _mm512_and_si512(m.bits, low);
    return (struct merged){
        _mm512_or_si512(_mm512_and_si512(m.codes, low),
                        _mm512_sllv_epi64(_mm512_srli_epi64(m.codes, 32), left_bits)),
        _mm512_add_epi64(left_bits, _mm512_srli_epi64(m.bits, 32))};
}

/* Lanes 1, 3, 5, 7 behind lanes 0, 2, 4, 6, where the result is. */
static inline struct merged merge_eights(struct merged m)
{
    const __m512i right = _mm512_unpackhi_epi64(m.codes, m.codes);
    return (struct merged){_mm512_or_si512(m.codes, _mm512_sllv_epi64(right, m.bits)),
                           _mm512_add_epi64(m.bits, _mm512_unpackhi_epi64(m.bits, m.bits))};
}

void zti_encode_avx512(const struct zti_codebook *book, const uint16_t *symbols, size_t n,
                       struct zti_bit_writer *writer)
{
    const __m512i t0 = _mm512_loadu_si512(book->window), t1 = _mm512_loadu_si512(book->window + 32);
    const __m512i t2 = _mm512_loadu_si512(book->window + 64);
    const __m512i t3 = _mm512_loadu_si512(book->window + 96);
    const __m512i first = _mm512_set1_epi16((short)book->window_first);
    struct zti_bit_writer w = *writer;
    size_t i = 0;
    for (; i + AT_ONCE <= n; i += AT_ONCE) {
        zti_prefetch((const void *)((uintptr_t)(symbols + i) + AHEAD_BYTES));
        const __m512i place = _mm512_sub_epi16(_mm512_loadu_si512(symbols + i), first);
        const __m512i entries = _mm512_mask_blend_epi16(
            _mm512_test_epi16_mask(place, _mm512_set1_epi16(64)),
            _mm512_permutex2var_epi16(t0, place, t1), _mm512_permutex2var_epi16(t2, place, t3));
        const __mmask32 is_outside =
            _mm512_cmpge_epu16_mask(place, _mm512_set1_epi16(ZTI_HUFFMAN_WINDOW)) |
            _mm512_testn_epi16_mask(entries, entries);
        if (zti_unlikely(is_outside != 0)) {
            struct zti_bit_writer plain = w;
            encode_avx512(book->codes, symbols + i, AT_ONCE, &plain);
            w = plain;
            continue;
        }
        const struct merged fours = merge_fours(merge_pairs(entries));
        const struct merged eights = merge_eights(fours);
        uint64_t codes[8], bits[8];
        const __mmask8 too_long = _mm512_mask_cmpgt_epu64_mask(
            0x55, eights.bits, _mm512_set1_epi64(PUT_MOST_BITS));
        if (zti_likely(too_long == 0)) {
            _mm512_storeu_si512(codes, eights.codes);
            _mm512_storeu_si512(bits, eights.bits);
            for (int k = 0; k < 8; k += 2)
                zti_put_bits(&w, codes[k], (uint32_t)bits[k]);
        } else {
            _mm512_storeu_si512(codes, fours.codes);
            _mm512_storeu_si512(bits, fours.bits);
            for (int k = 0; k < 8; k++)
                zti_put_bits(&w, codes[k], (uint32_t)bits[k]);
        }
    }
    encode_avx512(book->codes, symbols + i, n - i, &w);
    *writer = w;
}
