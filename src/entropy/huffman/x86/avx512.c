/* avx512.c: the AVX-512 encoder for books with a window. Codes and lengths of the window's 256
 * symbols are in twelve registers; 64 symbols are looked up at once and merged in pairs, fours and
 * eights. If eight codes have more than 64 bits, which is rare in data that compress, fours are
 * appended, which always fit. 64 symbols of which one is outside the window are encoded by
 * encode_text.h.
 *
 * Each quarter (128 bits) of a register has sixteen symbols, so that unpacking keeps their order:
 * the first eight of each quarter go to one register of pairs and fours (a), the others to a second
 * (b). */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx512.h"

#include "entropy/huffman/instances.h"
#include "simd/vectors.h"

#define NAME(x) x##_avx512
#include "entropy/huffman/encode_text.h"
#undef NAME

enum { AT_ONCE = 64, AHEAD_BYTES = 4096 };

/* The output: the bits that do not fill a word yet, negated (see write_words), and their number,
 * both in all lanes of a register. */
struct output {
    __m512i minus_held, held_bits;
    uint8_t *next;
};

static inline struct output output_from(const struct zti_bit_writer *w)
{
    return (struct output){_mm512_set1_epi64(-(int64_t)w->held),
                           _mm512_set1_epi64((int64_t)w->held_bits), w->next};
}

static inline void output_to(const struct output *o, struct zti_bit_writer *w)
{
    const uint64_t held = 0 - (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(o->minus_held));
    const uint32_t bits = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(o->held_bits));
    zti_put_le64(o->next, held);
    w->next = o->next + (bits >> 3);
    w->held = held >> (bits & 56);
    w->held_bits = bits & 7;
}

/* Encode symbols by encode_text.h. */
static void write_plain(const uint32_t *codes, const uint16_t *symbols, size_t n, struct output *o)
{
    struct zti_bit_writer w = {.base = o->next};
    output_to(o, &w);
    encode_avx512(codes, symbols, n, &w);
    *o = output_from(&w);
}

/* Append eight words v of 'bits' <= 64 bits each, whose higher bits are zero. Each is shifted to
 * its position in a word of the output; 'over' is the part that belongs to the next word. The parts
 * of a word have no bits in common, so their sum is their union, and a sum of consecutive lanes is
 * a difference of prefix sums. A lane that fills a word (fills) thus gives that word as the prefix
 * sum at it minus the one at the lane that filled the word before. */
static inline void write_words(struct output *o, __m512i v, __m512i bits)
{
    const __m512i last = _mm512_set1_epi64(7), in_word = _mm512_set1_epi64(63);
    const __m512i ends = (__m512i)(v_sums_64((u64s)bits) + (u64s)o->held_bits);
    const __m512i begins = _mm512_sub_epi64(ends, bits), up = _mm512_and_si512(begins, in_word);
    const __m512i over = _mm512_srlv_epi64(v, _mm512_sub_epi64(_mm512_set1_epi64(64), up));
    const __m512i sums = (__m512i)v_sums_64((u64s)_mm512_sllv_epi64(v, up));
    const __m512i all = _mm512_permutexvar_epi64(last, sums);
    const __mmask8 fills = _mm512_cmpgt_epu64_mask(_mm512_xor_si512(begins, ends), in_word);
    const uint32_t words = zti_popcount64(fills);
    const __m512i sum_at = _mm512_mask_compress_epi64(all, fills, sums);
    const __m512i gone = _mm512_sub_epi64(sum_at, _mm512_maskz_compress_epi64(fills, over));
    const __m512i before = _mm512_alignr_epi64(gone, o->minus_held, 7);
    _mm512_mask_storeu_epi64(o->next, (__mmask8)((1u << words) - 1),
                             _mm512_sub_epi64(sum_at, before));
    const __m512i from = _mm512_set1_epi64((int64_t)words - 1); /* -1: the held bits */
    o->minus_held = _mm512_sub_epi64(_mm512_permutex2var_epi64(gone, from, o->minus_held), all);
    o->held_bits = _mm512_and_si512(_mm512_permutexvar_epi64(last, ends), in_word);
    o->next += 8 * words;
}

/* 256 bytes. */
struct bytes {
    __m512i of[4];
};

static inline struct bytes load_bytes(const uint8_t *from)
{
    return (struct bytes){{_mm512_loadu_si512(from), _mm512_loadu_si512(from + 64),
                           _mm512_loadu_si512(from + 128), _mm512_loadu_si512(from + 192)}};
}

/* Look up the bytes at 64 places; zero in lanes without is_there. */
static inline __m512i look_up(const struct bytes *t, __m512i place, __mmask64 is_there)
{
    const __m512i low = _mm512_maskz_permutex2var_epi8(is_there, t->of[0], place, t->of[1]);
    const __m512i high = _mm512_permutex2var_epi8(t->of[2], place, t->of[3]);
    return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(place) & is_there, high);
}

/* From the sixteen bytes of each quarter, the four at first, first + 2, first + 4, first + 6, in
 * lanes of 32 bits. */
static inline __m512i every_other(__m512i v, int first)
{
    const __m512i steps =
        _mm512_set4_epi32((int)0x80808006, (int)0x80808004, (int)0x80808002, (int)0x80808000);
    return _mm512_shuffle_epi8(v, _mm512_add_epi32(steps, _mm512_set1_epi32(first)));
}

/* Merge codes of 16 bits in pairs: lanes of 32 bits. */
static inline __m512i merge_pairs(__m512i codes, __m512i left_bits)
{
    const __m512i right = _mm512_sllv_epi32(_mm512_srli_epi32(codes, 16), left_bits);
    return _mm512_or_si512(_mm512_and_si512(codes, _mm512_set1_epi32(0xffff)), right);
}

/* Merge pairs in fours: lanes of 64 bits. */
static inline __m512i merge_fours(__m512i pairs, __m512i left_bits)
{
    const __m512i right = _mm512_sllv_epi64(_mm512_srli_epi64(pairs, 32), left_bits);
    return _mm512_or_si512(_mm512_and_si512(pairs, _mm512_set1_epi64(0xffffffff)), right);
}

/* The places of up to 64 symbols in the window, as bytes in order; false if one is outside. */
static inline bool places_of(const uint16_t *symbols, __mmask64 is_there, __m512i first,
                             __m512i *places)
{
    const __mmask32 low = (__mmask32)is_there, high = (__mmask32)(is_there >> 32);
    const __m512i a = _mm512_maskz_sub_epi16(low, _mm512_maskz_loadu_epi16(low, symbols), first);
    const __m512i b =
        _mm512_maskz_sub_epi16(high, _mm512_maskz_loadu_epi16(high, symbols + 32), first);
    const __m512i quarters = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
    *places = _mm512_permutexvar_epi64(quarters, _mm512_packus_epi16(a, b));
    return _mm512_test_epi16_mask(_mm512_or_si512(a, b), _mm512_set1_epi16((short)0xff00)) == 0;
}

/* Append 64 codes, given as their low and high bytes and lengths. */
ZTI_INLINE void write_merged(struct output *o, __m512i low, __m512i high, __m512i bits)
{
    const __m512i one = _mm512_set1_epi64(0xffffffff);
    const __m512i pair_bits = _mm512_maddubs_epi16(bits, _mm512_set1_epi8(1));
    const __m512i four_bits = _mm512_madd_epi16(pair_bits, _mm512_set1_epi16(1));
    const __m512i a = merge_fours(
        merge_pairs(_mm512_unpacklo_epi8(low, high), every_other(bits, 0)),
        _mm512_and_si512(_mm512_unpacklo_epi16(pair_bits, _mm512_setzero_si512()), one));
    const __m512i b = merge_fours(
        merge_pairs(_mm512_unpackhi_epi8(low, high), every_other(bits, 8)),
        _mm512_and_si512(_mm512_unpackhi_epi16(pair_bits, _mm512_setzero_si512()), one));
    const __m512i left = _mm512_unpacklo_epi64(a, b), right = _mm512_unpackhi_epi64(a, b);
    const __m512i left_bits = _mm512_and_si512(four_bits, one);
    const __m512i right_bits = _mm512_srli_epi64(four_bits, 32);
    const __m512i eight_bits = _mm512_add_epi64(left_bits, right_bits);
    if (zti_likely(_mm512_cmpgt_epu64_mask(eight_bits, _mm512_set1_epi64(64)) == 0)) {
        write_words(o, _mm512_or_si512(left, _mm512_sllv_epi64(right, left_bits)), eight_bits);
        return;
    }
    const __m512i first = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
    const __m512i last = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    write_words(o, _mm512_permutex2var_epi64(left, first, right),
                _mm512_permutex2var_epi64(left_bits, first, right_bits));
    write_words(o, _mm512_permutex2var_epi64(left, last, right),
                _mm512_permutex2var_epi64(left_bits, last, right_bits));
}

void zti_encode_avx512(const struct zti_codebook *book, const uint16_t *symbols, size_t n,
                       struct zti_bit_writer *writer)
{
    const struct bytes low = load_bytes(book->window_low), high = load_bytes(book->window_high);
    const struct bytes lengths = load_bytes(book->window_bits);
    const __m512i first = _mm512_set1_epi16((short)book->window_first);
    struct output o = output_from(writer);
    for (size_t i = 0; i < n; i += AT_ONCE) {
        const size_t left = n - i, some = left < AT_ONCE ? left : AT_ONCE;
        const __mmask64 is_there = ~UINT64_C(0) >> (AT_ONCE - some);
        __m512i places;
        zti_prefetch((const void *)((uintptr_t)(symbols + i) + AHEAD_BYTES));
        zti_prefetch((const void *)((uintptr_t)(symbols + i) + AHEAD_BYTES + 64));
        if (zti_likely(places_of(symbols + i, is_there, first, &places)))
            write_merged(&o, look_up(&low, places, is_there), look_up(&high, places, is_there),
                         look_up(&lengths, places, is_there));
        else
            write_plain(book->codes, symbols + i, some, &o);
    }
    output_to(&o, writer);
}

#include "simd/end.h"
#endif
