/* lanes.h: bits to bit planes, a tile a lane: two groups of 16 tiles of 16 values whose
 * places are known, at fixed rate or by an index. A step is a long chain, so two groups take turns.
 *
 * Every lane takes a plane a step, as x86/bits_to_planes.h does it. Pulling a string's own bits
 * together (pext there) goes by nibbles: a table says what is left of a nibble, whose first bit may
 * be a group test, and the pieces are joined in widening lanes. */
#ifndef ZTI_ZFP_X86_AVX512_LANES_H
#define ZTI_ZFP_X86_AVX512_LANES_H

#include "codec/zfp/x86/avx512/cube.h"

enum { LANES = 16, GROUPS = 2 };

/* The tiles of a group. */
struct lanes {
    uint64_t at[LANES];        /* bit positions */
    uint32_t precision[LANES]; /* planes; 0: none */
    uint32_t left[LANES];      /* bits of the budget, where there is one */
};

/* The same while planes are taken. */
struct group {
    __m512i at[2], precision, left, c;
};

/* What is left of four bits when the second of two paired ones is taken out, by these bits plus 16
 * where the first of them is a second one. */
static const uint8_t own_bits_of_nibble[64] = {0, 1, 2, 1, 4, 5, 2, 3, 8, 9, 10, 5, 4, 5, 6, 3,
                                               0, 0, 1, 1, 2, 2, 1, 1, 4, 4, 5,  5, 2, 2, 3, 3};

/* The bits of v that are no group tests, together. */
ZTI_INLINE __m512i own_bits32(__m512i v, __m512i tests)
{
    const __m512i table = v_load(own_bits_of_nibble), m4 = _mm512_set1_epi8(15);
    const __m512i m8 = _mm512_set1_epi16(0xff), bit = _mm512_set1_epi8(1);
    const __m512i m16 = _mm512_set1_epi32(0xffff);
    const __m512i tests_high = _mm512_srli_epi16(tests, 4);
    const __m512i low =
        _mm512_permutexvar_epi8(_mm512_or_si512(_mm512_and_si512(v, m4),
                                                _mm512_slli_epi16(_mm512_and_si512(tests, bit), 4)),
                                table);
    const __m512i high = _mm512_permutexvar_epi8(
        _mm512_or_si512(_mm512_and_si512(_mm512_srli_epi16(v, 4), m4),
                        _mm512_slli_epi16(_mm512_and_si512(tests_high, bit), 4)),
        table);
    const __m512i n4 =
        _mm512_sub_epi8(_mm512_set1_epi8(4), _mm512_popcnt_epi8(_mm512_and_si512(tests, m4)));
    const __m512i even =
        _mm512_or_si512(_mm512_and_si512(low, m8),
                        _mm512_sllv_epi16(_mm512_and_si512(high, m8), _mm512_and_si512(n4, m8)));
    const __m512i odd =
        _mm512_or_si512(_mm512_srli_epi16(low, 8),
                        _mm512_sllv_epi16(_mm512_srli_epi16(high, 8), _mm512_srli_epi16(n4, 8)));
    const __m512i n8 =
        _mm512_sub_epi16(_mm512_set1_epi16(8), _mm512_popcnt_epi16(_mm512_and_si512(tests, m8)));
    const __m512i half = _mm512_or_si512(even, _mm512_sllv_epi16(odd, n8));
    const __m512i n16 =
        _mm512_sub_epi32(_mm512_set1_epi32(16), _mm512_popcnt_epi32(_mm512_and_si512(tests, m16)));
    return _mm512_or_si512(_mm512_and_si512(half, m16),
                           _mm512_sllv_epi32(_mm512_srli_epi32(half, 16), n16));
}

/* 57 bits of eight lanes. */
ZTI_INLINE __m512i windows64(const uint8_t *base, __m512i at)
{
    return _mm512_srlv_epi64(_mm512_i64gather_epi64(_mm512_srli_epi64(at, 3), base, 1),
                             _mm512_and_si512(at, _mm512_set1_epi64(7)));
}

/* The low 32 bits of two times eight. */
ZTI_INLINE __m512i narrowed(__m512i a, __m512i b)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(a)),
                              _mm512_cvtepi64_epi32(b), 1);
}

ZTI_INLINE __m512i widened(__m512i v, uint32_t half)
{
    return _mm512_cvtepu32_epi64(half ? _mm512_extracti64x4_epi64(v, 1)
                                      : _mm512_castsi512_si256(v));
}

/* Tiles that have a plane i, or a part of it. */
ZTI_INLINE __mmask16 has_plane(const struct group *g, uint32_t i, bool is_limited)
{
    const __mmask16 is_there = _mm512_cmplt_epu32_mask(_mm512_set1_epi32((int32_t)i), g->precision);
    return is_limited ? is_there & _mm512_test_epi32_mask(g->left, g->left) : is_there;
}

/* Take plane i of a group whose tiles do not all know all coefficients. */
ZTI_INLINE void take_plane16_of_group(const uint8_t *base, struct group *g, uint16_t *plane,
                                      uint32_t i, bool is_limited)
{
    const __m512i zero = _mm512_setzero_si512(), ones = _mm512_set1_epi32(-1);
    const __m512i one = _mm512_set1_epi32(1), n15 = _mm512_set1_epi32(15);
    const __m512i n16 = _mm512_set1_epi32(16), even = _mm512_set1_epi32(0x55555555);
    const __m512i c = g->c;
    const __mmask16 is_there = has_plane(g, i, is_limited);
    __m512i w = narrowed(windows64(base, g->at[0]), windows64(base, g->at[1]));
    if (is_limited)
        w = _mm512_andnot_si512(_mm512_sllv_epi32(ones, g->left), w);
    const __m512i v = _mm512_or_si512(_mm512_slli_epi32(_mm512_srlv_epi32(w, c), 1), one);
    const __m512i starts = _mm512_andnot_si512(_mm512_slli_epi32(v, 1), v);
    const __m512i first =
        _mm512_xor_si512(_mm512_add_epi32(v, _mm512_and_si512(starts, even)), even);
    const __m512i tests = _mm512_andnot_si512(first, v);
    const __m512i ends = _mm512_and_si512(_mm512_andnot_si512(_mm512_srli_epi32(v, 1), v), first);
    /* bits up to the end, all where there is none */
    const __m512i string = _mm512_xor_si512(ends, _mm512_sub_epi32(ends, one));
    const __m512i x = _mm512_srli_epi32(own_bits32(v, tests), 1);
    const __m512i n =
        _mm512_sub_epi32(_mm512_popcnt_epi32(_mm512_andnot_si512(tests, string)), one);
    const __m512i known = _mm512_add_epi32(c, n);
    const __m512i rest = _mm512_max_epi32(_mm512_sub_epi32(n15, c), zero);
    const __mmask16 is_over =
        _mm512_cmpge_epu32_mask(known, n16) | _mm512_testn_epi32_mask(ends, ends);
    const __mmask16 is_last = is_over & _mm512_cmplt_epu32_mask(c, n16);
    const __m512i own = _mm512_andnot_si512(_mm512_sllv_epi32(ones, _mm512_min_epu32(n, rest)), x);
    const __m512i used = _mm512_mask_add_epi32(_mm512_add_epi32(c, _mm512_popcnt_epi32(string)),
                                               is_over, n16, _mm512_popcnt_epi32(own));
    __m512i word = _mm512_or_si512(_mm512_andnot_si512(_mm512_sllv_epi32(ones, c), w),
                                   _mm512_sllv_epi32(own, c));
    __m512i last = n15;
    if (is_limited) { /* a run that the budget cut: libzfp's guess is the next coefficient */
        const __mmask16 is_cut =
            _mm512_cmpgt_epu32_mask(used, g->left) & _mm512_cmpgt_epu32_mask(g->left, c);
        last = _mm512_mask_sub_epi32(last, is_cut, _mm512_sub_epi32(g->left, one),
                                     _mm512_popcnt_epi32(own));
        g->left =
            _mm512_mask_sub_epi32(g->left, is_there, g->left, _mm512_min_epu32(used, g->left));
    }
    word = _mm512_mask_or_epi32(word, is_last, word, _mm512_sllv_epi32(one, last));
    g->c = _mm512_mask_mov_epi32(c, is_there, _mm512_mask_mov_epi32(known, is_over, n16));
    _mm256_storeu_si256((__m256i *)plane, _mm512_maskz_cvtepi32_epi16(is_there, word));
    const __m512i step = _mm512_maskz_mov_epi32(is_there, used);
    g->at[0] = _mm512_add_epi64(g->at[0], widened(step, 0));
    g->at[1] = _mm512_add_epi64(g->at[1], widened(step, 1));
}

/* Take three planes that are there as they are: so many fit in a window. */
ZTI_INLINE void take_whole_planes16(const uint8_t *base, struct group *g, uint16_t (*plane)[LANES],
                                    uint32_t i, bool is_limited)
{
    const __m512i ones = _mm512_set1_epi32(-1), n16 = _mm512_set1_epi32(16);
    const __m512i window[2] = {windows64(base, g->at[0]), windows64(base, g->at[1])};
    for (uint32_t j = 0; j < 3; j++) {
        const __mmask16 is_there = has_plane(g, i + j, is_limited);
        __m512i w =
            narrowed(_mm512_srli_epi64(window[0], 16 * j), _mm512_srli_epi64(window[1], 16 * j));
        if (is_limited) {
            w = _mm512_andnot_si512(_mm512_sllv_epi32(ones, g->left), w);
            g->left = _mm512_sub_epi32(g->left, _mm512_min_epu32(g->left, n16));
        }
        _mm256_storeu_si256((__m256i *)plane[i + j], _mm512_maskz_cvtepi32_epi16(is_there, w));
        const __m512i step = _mm512_maskz_mov_epi32(is_there, n16);
        g->at[0] = _mm512_add_epi64(g->at[0], widened(step, 0));
        g->at[1] = _mm512_add_epi64(g->at[1], widened(step, 1));
    }
}

/* Whether a tile of the group has planes from i on in which coefficients may become known. */
ZTI_INLINE bool is_learning(const struct group *g, uint32_t i, bool is_limited)
{
    return _mm512_mask_cmplt_epu32_mask(has_plane(g, i, is_limited), g->c, _mm512_set1_epi32(16)) !=
           0;
}

/* Take the planes of the groups: plane[group][i] are the 16 bits of each tile. The first 'zeros'
 * planes of all tiles are known to have no bits. Returns how many planes of some tile may have
 * bits; moves the positions, at a limit to no known place. */
ZTI_INLINE uint32_t take_planes16_of_lanes(const uint8_t *base, struct lanes *s, uint32_t groups,
                                           uint16_t (*plane)[64 + 32][LANES], uint32_t zeros,
                                           uint32_t most, bool is_limited)
{
    struct group g[GROUPS];
    uint32_t i = zeros < most ? zeros : most;
    for (uint32_t k = 0; k < groups; k++) {
        const __m512i step =
            _mm512_min_epu32(v_load(s[k].precision), _mm512_set1_epi32((int32_t)i));
        g[k] = (struct group){.at = {_mm512_add_epi64(v_load(s[k].at), widened(step, 0)),
                                     _mm512_add_epi64(v_load(s[k].at + 8), widened(step, 1))},
                              .precision = v_load(s[k].precision),
                              .left = v_load(s[k].left),
                              .c = _mm512_setzero_si512()};
        g[k].left = _mm512_sub_epi32(g[k].left, _mm512_min_epu32(g[k].left, step));
        memset(plane[k], 0, i * sizeof plane[k][0]);
    }
    for (; i < most; i++) {
        if (!is_learning(&g[0], i, is_limited) &&
            !(groups > 1 && is_learning(&g[1], i, is_limited)))
            break;
        for (uint32_t k = 0; k < groups; k++)
            take_plane16_of_group(base, &g[k], plane[k][i], i, is_limited);
    }
    for (; i < most; i += 3) {
        __mmask16 has_bits = 0xffff;
        if (is_limited)
            has_bits = _mm512_test_epi32_mask(g[0].left, g[0].left) |
                       (groups > 1 ? _mm512_test_epi32_mask(g[1].left, g[1].left) : 0);
        if (has_bits == 0)
            break;
        for (uint32_t k = 0; k < groups; k++)
            take_whole_planes16(base, &g[k], plane[k], i, is_limited);
    }
    for (uint32_t k = 0; k < groups; k++) {
        _mm512_storeu_si512(s[k].at, g[k].at[0]);
        _mm512_storeu_si512(s[k].at + 8, g[k].at[1]);
    }
    return i;
}

/* 32 planes by plane to a register for each of 16 tiles. */
ZTI_INLINE void turn_planes16(uint16_t (*plane)[LANES], __m512i *of_tile)
{
    u32x16 r[16];
    for (uint32_t i = 0; i < 16; i++) {
        const __m256i even = _mm256_loadu_si256((const __m256i *)plane[2 * i]);
        const __m256i odd = _mm256_loadu_si256((const __m256i *)plane[2 * i + 1]);
        r[i] = (u32x16)_mm512_or_si512(_mm512_cvtepu16_epi32(even),
                                       _mm512_slli_epi32(_mm512_cvtepu16_epi32(odd), 16));
    }
    for (uint32_t i = 0; i < 16; i += 4)
        turn_elements_32(r + i);
    for (uint32_t e = 0; e < 4; e++) {
        u32x16 a[4] = {r[e], r[4 + e], r[8 + e], r[12 + e]};
        turn_lanes_32(a);
        for (uint32_t l = 0; l < 4; l++)
            of_tile[4 * l + e] = (__m512i)a[l];
    }
}

#endif
