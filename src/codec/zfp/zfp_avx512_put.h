/* zfp_avx512_put.h: bit planes to bits, all planes of a tile at once.
 *
 * Let w be a plane, c the coefficients known to be significant before it, x = w >> c. What
 * zfp_planes.h codes with group tests and runs is the same as: the c low bits of w; a 1; the bits
 * of x from the lowest up to its top 1, each 1 doubled; and the very last 1 of all that made 0. So
 * for x = 0 the string is one 0. Where the tile's last coefficient becomes significant, its two
 * bits are left out. With I the OR of all planes down to this one and E that of those before it,
 *
 *     c = bit length of E,  n' = bit length of I,  length = n' + popcount(x) + 1, or
 *     (n - 1) + max(popcount(x), 1) where the last coefficient is significant
 *
 * so nothing but a running OR connects the planes: a lane is a plane. Ones are doubled by a table
 * of nibbles, whose results are put together in widening lanes. */
#ifndef ZTI_ZFP_AVX512_PUT_H
#define ZTI_ZFP_AVX512_PUT_H

#include "codec/zfp/zfp_avx512_cube.h"
#include "codec/zfp/zfp_planes.h"

/* A writer of words: 'held' has the 'count' < 64 bits that are not stored for good. */
struct fast_writer {
    uint8_t *next;
    uint64_t held;
    uint64_t count;
    uint64_t left; /* of the tile's budget */
};

ZTI_INLINE struct fast_writer fast_writer_of(const struct zti_bit_writer *w)
{
    return (struct fast_writer){.next = w->next, .held = w->held, .count = w->held_bits};
}

ZTI_INLINE void close_fast_writer(const struct fast_writer *f, struct zti_bit_writer *w)
{
    zti_put_le64(f->next, f->held);
    w->next = f->next + (f->count >> 3);
    w->held = f->held >> (f->count & ~UINT64_C(7));
    w->held_bits = f->count & 7;
}

ZTI_INLINE uint64_t fast_bits(const struct fast_writer *f, const uint8_t *base)
{
    return (uint64_t)(f->next - base) * 8 + f->count;
}

/* Append n <= 64 bits; the higher ones must be zero. */
ZTI_INLINE void put(struct fast_writer *f, uint64_t v, uint64_t n)
{
    const uint64_t spill = v >> 1 >> (~f->count & 63);
    f->held |= v << f->count;
    zti_put_le64(f->next, f->held);
    f->count += n;
    f->held = f->count & 64 ? spill : f->held;
    f->next += f->count >> 6 << 3;
    f->count &= 63;
}

/* The same, but not beyond the budget. */
ZTI_INLINE void put_within(struct fast_writer *f, uint64_t v, uint64_t n, bool is_limited)
{
    if (is_limited) {
        n = n < f->left ? n : f->left;
        f->left -= n;
        v = _bzhi_u64(v, (uint32_t)n);
    }
    put(f, v, n);
}

static inline void put_fast_zeros(struct fast_writer *f, uint64_t n)
{
    for (; n > 64; n -= 64)
        put(f, 0, 64);
    put(f, 0, n);
}

/* ---- 64 coefficients: a lane is 64 bits ---- */

/* Nibbles with each 1 doubled. */
ZTI_INLINE __m512i doubled_nibbles(__m512i nibbles)
{
    const __m128i table = _mm_setr_epi8(0x00, 0x03, 0x06, 0x0f, 0x0c, 0x1b, 0x1e, 0x3f, 0x18, 0x33,
                                        0x36, 0x6f, 0x3c, 0x7b, 0x7e, (char)0xff);
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), nibbles);
}

/* Shift the upper half of each lane of 2 'bits' bits down so that it follows the 'length' bits of
 * the lower half: */
ZTI_INLINE __m512i joined16(__m512i low, __m512i high, __m512i length)
{
    return _mm512_or_si512(low, _mm512_sllv_epi16(high, length));
}

/* The ones of x doubled: *low from the lower 32 bits of a lane, *high from the upper. */
ZTI_INLINE void double_ones(__m512i x, __m512i *low, __m512i *high)
{
    const __m512i m8 = _mm512_set1_epi16(0xff), m16 = _mm512_set1_epi32(0xffff);
    const __m512i m32 = _mm512_set1_epi64(0xffffffff), m4 = _mm512_set1_epi8(15);
    const __m512i a = _mm512_and_si512(x, m4);
    const __m512i b = _mm512_and_si512(_mm512_srli_epi16(x, 4), m4);
    const __m512i code_a = doubled_nibbles(a), code_b = doubled_nibbles(b);
    const __m512i length_a = _mm512_add_epi8(_mm512_popcnt_epi8(a), _mm512_set1_epi8(4));
    /* bytes of x to 16 bits: those at even places, those at odd ones */
    const __m512i even8 = joined16(_mm512_and_si512(code_a, m8), _mm512_and_si512(code_b, m8),
                                   _mm512_and_si512(length_a, m8));
    const __m512i odd8 = joined16(_mm512_srli_epi16(code_a, 8), _mm512_srli_epi16(code_b, 8),
                                  _mm512_srli_epi16(length_a, 8));
    const __m512i length8 = _mm512_add_epi16(_mm512_popcnt_epi16(_mm512_and_si512(x, m8)),
                                             _mm512_set1_epi16(8));
    /* 16 bits of x to 32 */
    const __m512i even16 = _mm512_or_si512(
        _mm512_and_si512(even8, m16),
        _mm512_sllv_epi32(_mm512_and_si512(odd8, m16), _mm512_and_si512(length8, m16)));
    const __m512i odd16 = _mm512_or_si512(
        _mm512_srli_epi32(even8, 16),
        _mm512_sllv_epi32(_mm512_srli_epi32(odd8, 16), _mm512_srli_epi32(length8, 16)));
    const __m512i length16 = _mm512_add_epi32(_mm512_popcnt_epi32(_mm512_and_si512(x, m16)),
                                              _mm512_set1_epi32(16));
    /* 32 bits of x to 64 */
    *low = _mm512_or_si512(
        _mm512_and_si512(even16, m32),
        _mm512_sllv_epi64(_mm512_and_si512(odd16, m32), _mm512_and_si512(length16, m32)));
    *high = _mm512_or_si512(
        _mm512_srli_epi64(even16, 32),
        _mm512_sllv_epi64(_mm512_srli_epi64(odd16, 32), _mm512_srli_epi64(length16, 32)));
}

/* Coded planes, one a lane: length bits of low and, above 64, of high. */
struct strings {
    uint64_t low[8], high[8], length[8];
};

/* The string of a lane from its refinement bits, its group test and x: refined bits of w below c,
 * 'test' (0 or 1) at c, and after the 'open' bits of a test (0 or 1) x with its ones doubled; cut
 * to 'kept' bits, of which 'length' count. */
ZTI_INLINE void store_strings(struct strings *s, __m512i w, __m512i c, __m512i test, __m512i open,
                              __m512i x, __m512i kept, __m512i length)
{
    const __m512i ones = _mm512_set1_epi64(-1), n64 = _mm512_set1_epi64(64);
    __m512i a, b;
    double_ones(x, &a, &b);
    const __m512i length_a = _mm512_add_epi64(
        _mm512_popcnt_epi64(_mm512_and_si512(x, _mm512_set1_epi64(0xffffffff))),
        _mm512_set1_epi64(32));
    const __m512i low = _mm512_or_si512(a, _mm512_sllv_epi64(b, length_a));
    const __m512i high = _mm512_srlv_epi64(b, _mm512_sub_epi64(n64, length_a));
    const __m512i at = _mm512_add_epi64(c, open);
    __m512i string = _mm512_or_si512(_mm512_andnot_si512(_mm512_sllv_epi64(ones, c), w),
                                     _mm512_sllv_epi64(test, c));
    string = _mm512_or_si512(string, _mm512_sllv_epi64(low, at));
    const __m512i rest = _mm512_or_si512(_mm512_srlv_epi64(low, _mm512_sub_epi64(n64, at)),
                                         _mm512_sllv_epi64(high, at));
    const __m512i over = _mm512_max_epi64(_mm512_sub_epi64(kept, n64), _mm512_setzero_si512());
    _mm512_storeu_si512(s->low, _mm512_andnot_si512(_mm512_sllv_epi64(ones, kept), string));
    _mm512_storeu_si512(s->high, _mm512_andnot_si512(_mm512_sllv_epi64(ones, over), rest));
    _mm512_storeu_si512(s->length, length);
}

/* OR of each lane with all before it. */
ZTI_INLINE __m512i running_or64(__m512i v)
{
    const __m512i zero = _mm512_setzero_si512();
    v = _mm512_or_si512(v, _mm512_alignr_epi64(v, zero, 7));
    v = _mm512_or_si512(v, _mm512_alignr_epi64(v, zero, 6));
    return _mm512_or_si512(v, _mm512_alignr_epi64(v, zero, 4));
}

ZTI_INLINE __m512i bit_length64(__m512i v)
{
    return _mm512_sub_epi64(_mm512_set1_epi64(64), _mm512_lzcnt_epi64(v));
}

ZTI_INLINE void put_strings(struct fast_writer *f, const struct strings *s, uint32_t count,
                            bool is_limited)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t n = s->length[i] < 64 ? s->length[i] : 64;
        put_within(f, s->low[i], n, is_limited);
        if (s->length[i] > 64)
            put_within(f, s->high[i], s->length[i] - 64, is_limited);
    }
}

/* Append 'count' <= 8 planes of a tile of 64, highest first; *seen is the OR of those before, in
 * all lanes. */
ZTI_INLINE void put_planes64(struct fast_writer *f, __m512i w, __m512i *seen, uint32_t count,
                             bool is_limited)
{
    const __m512i one = _mm512_set1_epi64(1);
    const __m512i all = _mm512_or_si512(running_or64(w), *seen);
    const __m512i c = bit_length64(_mm512_alignr_epi64(all, *seen, 7));
    const __m512i x = _mm512_srlv_epi64(w, c), ones = _mm512_popcnt_epi64(x);
    const __mmask8 is_full = _mm512_movepi64_mask(all);
    struct strings s;
    __m512i length = _mm512_add_epi64(_mm512_add_epi64(bit_length64(all), ones), one);
    length = _mm512_mask_add_epi64(length, is_full, _mm512_max_epi64(ones, one),
                                   _mm512_set1_epi64(63));
    const __m512i kept = _mm512_mask_sub_epi64(length, (__mmask8)~is_full, length, one);
    *seen = _mm512_permutexvar_epi64(_mm512_set1_epi64(7), all);
    store_strings(&s, w, c, one, one, x, kept, length);
    put_strings(f, &s, count, is_limited);
}

/* ---- 256 coefficients: a lane is a quarter of a plane ---- */

struct planes256 {
    __m512i quarter[4];
};

/* Append planes the plain way; c of each is known. */
static void put_planes256_plainly(struct fast_writer *f, const struct planes256 *p, __m512i known,
                                  uint32_t count, bool is_limited)
{
    uint64_t word[4][8], c[8];
    for (uint32_t q = 0; q < 4; q++)
        _mm512_storeu_si512(word[q], p->quarter[q]);
    _mm512_storeu_si512(c, known);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t buffer[2 * 64 + ZTI_BIT_MARGIN_BYTES];
        const uint64_t plane[4] = {word[0][i], word[1][i], word[2][i], word[3][i]};
        struct zti_bit_writer w = zti_bit_writer_at(buffer);
        (void)put_plane256(&w, plane, (uint32_t)c[i]);
        zti_put_le64(w.next, w.held);
        const uint64_t n = zti_bits_written(&w);
        for (uint64_t at = 0; at < n; at += 64) {
            const uint64_t here = n - at < 64 ? n - at : 64;
            put_within(f, _bzhi_u64(zti_get_le64(buffer + at / 8), (uint32_t)here), here,
                       is_limited);
        }
    }
}

/* As put_planes64. Where a quarter's string is longer than 128 bits (64 ones after the first
 * significant coefficient) the planes go the plain way. */
static void put_planes256(struct fast_writer *f, const struct planes256 *p,
                          struct planes256 *seen, uint32_t count, bool is_limited)
{
    const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi64(1);
    const __m512i n64 = _mm512_set1_epi64(64);
    __m512i all[4], c[4], x[4], later = zero;
    struct strings s[4];
    __m512i most = zero, known = zero;
    for (uint32_t q = 0; q < 4; q++) {
        all[q] = _mm512_or_si512(running_or64(p->quarter[q]), seen->quarter[q]);
        const __m512i before = _mm512_alignr_epi64(all[q], seen->quarter[q], 7);
        seen->quarter[q] = _mm512_permutexvar_epi64(_mm512_set1_epi64(7), all[q]);
        const __mmask8 is_known = _mm512_test_epi64_mask(before, before);
        known = _mm512_mask_add_epi64(known, is_known, bit_length64(before),
                                      _mm512_set1_epi64(64 * q));
    }
    for (uint32_t q = 0; q < 4; q++) {
        c[q] = _mm512_sub_epi64(known, _mm512_set1_epi64(64 * q));
        c[q] = _mm512_min_epi64(_mm512_max_epi64(c[q], zero), n64);
        x[q] = _mm512_srlv_epi64(p->quarter[q], c[q]);
    }
    const __mmask8 is_last = _mm512_movepi64_mask(p->quarter[3]) &
                             _mm512_cmplt_epi64_mask(known, _mm512_set1_epi64(256));
    for (uint32_t q = 4; q-- > 0;) {
        const __mmask8 goes_on = _mm512_test_epi64_mask(later, later);
        const __mmask8 has_x = _mm512_test_epi64_mask(x[q], x[q]);
        const __mmask8 is_open =
            _mm512_cmplt_epi64_mask(c[q], n64) &
            _mm512_cmpge_epi64_mask(known, _mm512_set1_epi64(64 * q));
        later = _mm512_or_si512(later, x[q]);
        const __m512i open = _mm512_maskz_mov_epi64(is_open, one);
        const __m512i test =
            _mm512_maskz_mov_epi64(is_open & _mm512_test_epi64_mask(later, later), one);
        /* all of x where a later quarter has ones; else up to its top one, whose pair is 1 0 */
        __m512i length = _mm512_maskz_mov_epi64(has_x, bit_length64(x[q]));
        length = _mm512_mask_sub_epi64(length, goes_on, n64, c[q]);
        length = _mm512_add_epi64(length, _mm512_popcnt_epi64(x[q]));
        length = _mm512_add_epi64(_mm512_add_epi64(length, open), c[q]);
        if (q == 3)
            length = _mm512_mask_sub_epi64(length, is_last, length, _mm512_set1_epi64(2));
        const __mmask8 ends = has_x & (__mmask8)~goes_on & (q == 3 ? (__mmask8)~is_last : 0xff);
        const __m512i kept = _mm512_mask_sub_epi64(length, ends, length, one);
        store_strings(&s[q], p->quarter[q], c[q], test, open, x[q], kept, length);
        most = _mm512_max_epi64(most, length);
    }
    if (zti_likely(!_mm512_cmpgt_epi64_mask(most, _mm512_set1_epi64(128)))) {
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t q = 0; q < 4 && (s[q].length[i] > 0 || q == 0); q++) {
                const uint64_t n = s[q].length[i];
                put_within(f, s[q].low[i], n < 64 ? n : 64, is_limited);
                if (n > 64)
                    put_within(f, s[q].high[i], n - 64, is_limited);
            }
        return;
    }
    put_planes256_plainly(f, p, known, count, is_limited);
}

/* ---- 16 coefficients: a lane is 32 bits ---- */

ZTI_INLINE __m512i bit_length32(__m512i v)
{
    return _mm512_sub_epi32(_mm512_set1_epi32(32), _mm512_lzcnt_epi32(v));
}

/* Append 'count' <= 16 planes of a tile of 16; neighbours are joined, and written two by two. */
ZTI_INLINE void put_planes16(struct fast_writer *f, __m512i w, __m512i *seen, uint32_t count,
                             bool is_limited)
{
    const __m512i zero = _mm512_setzero_si512(), ones = _mm512_set1_epi32(-1);
    const __m512i one = _mm512_set1_epi32(1), m8 = _mm512_set1_epi32(0x00ff00ff);
    const __mmask16 is_there = (__mmask16)((1u << count) - 1);
    __m512i all = _mm512_or_si512(w, _mm512_alignr_epi32(w, zero, 15));
    all = _mm512_or_si512(all, _mm512_alignr_epi32(all, zero, 14));
    all = _mm512_or_si512(all, _mm512_alignr_epi32(all, zero, 12));
    all = _mm512_or_si512(all, _mm512_alignr_epi32(all, zero, 8));
    all = _mm512_or_si512(all, *seen);
    const __m512i c = bit_length32(_mm512_alignr_epi32(all, *seen, 15));
    *seen = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), all);
    const __m512i x = _mm512_srlv_epi32(w, c), count_x = _mm512_popcnt_epi32(x);
    const __mmask16 is_full = _mm512_test_epi32_mask(all, _mm512_set1_epi32(0x8000));
    __m512i length = _mm512_add_epi32(_mm512_add_epi32(bit_length32(all), count_x), one);
    length = _mm512_mask_add_epi32(length, is_full, _mm512_max_epi32(count_x, one),
                                   _mm512_set1_epi32(15));
    const __m512i kept = _mm512_mask_sub_epi32(length, (__mmask16)~is_full, length, one);
    /* x's four nibbles to bytes, doubled, and put together again */
    __m512i y = _mm512_and_si512(_mm512_or_si512(x, _mm512_slli_epi32(x, 8)), m8);
    y = _mm512_and_si512(_mm512_or_si512(y, _mm512_slli_epi32(y, 4)), _mm512_set1_epi8(15));
    const __m512i code = doubled_nibbles(y);
    const __m512i n4 = _mm512_add_epi8(_mm512_popcnt_epi8(y), _mm512_set1_epi8(4));
    const __m512i n8 = _mm512_add_epi16(_mm512_and_si512(n4, m8), _mm512_srli_epi16(n4, 8));
    const __m512i code8 = joined16(_mm512_and_si512(code, m8), _mm512_srli_epi16(code, 8),
                                   _mm512_and_si512(n4, m8));
    const __m512i m16 = _mm512_set1_epi32(0xffff);
    const __m512i doubled = _mm512_or_si512(
        _mm512_and_si512(code8, m16),
        _mm512_sllv_epi32(_mm512_srli_epi32(code8, 16), _mm512_and_si512(n8, m16)));
    const __m512i tested = _mm512_or_si512(_mm512_slli_epi32(doubled, 1), one);
    __m512i string = _mm512_or_si512(_mm512_andnot_si512(_mm512_sllv_epi32(ones, c), w),
                                     _mm512_sllv_epi32(tested, c));
    string = _mm512_maskz_andnot_epi32(is_there, _mm512_sllv_epi32(ones, kept), string);
    length = _mm512_maskz_mov_epi32(is_there, length);
    uint64_t pair[8], pair_length[8];
    const __m512i m32 = _mm512_set1_epi64(0xffffffff), low_length = _mm512_and_si512(length, m32);
    _mm512_storeu_si512(pair, _mm512_or_si512(_mm512_and_si512(string, m32),
                                              _mm512_sllv_epi64(_mm512_srli_epi64(string, 32),
                                                                low_length)));
    _mm512_storeu_si512(pair_length,
                        _mm512_add_epi64(low_length, _mm512_srli_epi64(length, 32)));
    for (uint32_t i = 0; i < (count + 1) / 2; i++)
        put_within(f, pair[i], pair_length[i], is_limited);
}

/* ---- 4 coefficients: a byte is a plane ---- */

/* Each byte is a plane's 4 bits, 16 c (modulo 64), 64 where c is 4, and 128 where it is coded: to
 * eight qwords of eight planes each, at most 44 bits. */
ZTI_INLINE void code_planes4(__m512i planes, __m512i *string, __m512i *length)
{
    const __mmask64 is_coded = _mm512_movepi8_mask(planes);
    const __m512i m8 = _mm512_set1_epi16(0xff), m16 = _mm512_set1_epi32(0xffff);
    const __m512i m32 = _mm512_set1_epi64(0xffffffff);
    __m512i v = _mm512_maskz_permutex2var_epi8(is_coded, load512(code1[0]), planes,
                                               load512(code1[1]));
    __m512i n = _mm512_maskz_permutex2var_epi8(is_coded, load512(length1[0]), planes,
                                               load512(length1[1]));
    __m512i low = _mm512_and_si512(n, m8);
    v = joined16(_mm512_and_si512(v, m8), _mm512_srli_epi16(v, 8), low);
    n = _mm512_add_epi16(low, _mm512_srli_epi16(n, 8));
    low = _mm512_and_si512(n, m16);
    v = _mm512_or_si512(_mm512_and_si512(v, m16),
                        _mm512_sllv_epi32(_mm512_srli_epi32(v, 16), low));
    n = _mm512_add_epi32(low, _mm512_srli_epi32(n, 16));
    low = _mm512_and_si512(n, m32);
    *string = _mm512_or_si512(_mm512_and_si512(v, m32),
                              _mm512_sllv_epi64(_mm512_srli_epi64(v, 32), low));
    *length = _mm512_add_epi64(low, _mm512_srli_epi64(n, 32));
}

#endif
