/* lanes.h: decode bits to the bit planes of tiles of 16 values whose places are known, by a fixed
 * rate or an index. Each lane has a tile, a group 16 tiles. A step has a long latency, so two
 * groups take turns.
 *
 * In a step, each lane reads one plane as x86/bits_to_planes.h does. A string's own bits are
 * collected (pext there) by nibbles: a table gives the own bits of a nibble, whose first bit may be
 * a group test, and the pieces are joined in lanes of growing width. */
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

/* The tiles of a group while its planes are read. */
struct group {
    u64s at[2];
    u32s precision, left, c;
};

/* The own bits of four bits: what is left when the second 1 of each pair is removed. The index is
 * the four bits, plus 16 if the first of them is a pair's second 1. */
static const uint8_t own_bits_of_nibble[64] = {0, 1, 2, 1, 4, 5, 2, 3, 8, 9, 10, 5, 4, 5, 6, 3,
                                               0, 0, 1, 1, 2, 2, 1, 1, 4, 4, 5,  5, 2, 2, 3, 3};

ZTI_INLINE u8s own_bits_of(u8s nibbles, u8s is_second)
{
    const u8s index = nibbles | (u8s)((u16s)is_second << 4);
    return (u8s)_mm512_permutexvar_epi8((vec)index, v_load(own_bits_of_nibble));
}

/* The bits of v that are not group tests, collected. */
ZTI_INLINE u32s own_bits32(u32s v, u32s tests)
{
    const u8s upper = (u8s)((u16s)v >> 4) & 15, upper_tests = (u8s)((u16s)tests >> 4) & 1;
    const u16s low = (u16s)own_bits_of((u8s)v & 15, (u8s)tests & 1);
    const u16s high = (u16s)own_bits_of(upper, upper_tests);
    const u16s n4 = (u16s)(4 - (u8s)_mm512_popcnt_epi8((vec)((u8s)tests & 15)));
    const u16s n8 = 8 - (u16s)_mm512_popcnt_epi16((vec)((u16s)tests & 0xff));
    const u32s n16 = 16 - (u32s)_mm512_popcnt_epi32((vec)(tests & 0xffff));
    const u16s even = (low & 0xff) | v_left_16(high & 0xff, n4 & 0xff);
    const u16s odd = low >> 8 | v_left_16(high >> 8, n4 >> 8);
    const u32s half = (u32s)(even | v_left_16(odd, n8));
    return (half & 0xffff) | v_left_32(half >> 16, n16);
}

/* The low 32 bits of two times eight lanes. */
ZTI_INLINE u32s narrowed(u64s a, u64s b)
{
    const __m512i low = _mm512_castsi256_si512(_mm512_cvtepi64_epi32((vec)a));
    return (u32s)_mm512_inserti64x4(low, _mm512_cvtepi64_epi32((vec)b), 1);
}

ZTI_INLINE u32s ones32(u32s v)
{
    return (u32s)_mm512_popcnt_epi32((vec)v);
}

/* The tiles that have plane i, or a part of it. */
ZTI_INLINE b32s has_plane(const struct group *g, uint32_t i, bool is_limited)
{
    const b32s is_there = v_is_less_32(v_all_32(i), g->precision);
    return is_limited ? (b32s)(is_there & v_is_set_32(g->left)) : is_there;
}

/* Store a plane of the tiles that have it, and advance their positions. */
ZTI_INLINE void store_plane16(struct group *g, uint16_t *plane, b32s is_there, u32s word, u32s used)
{
    const u32s step = v_where_32(is_there, used);
    _mm256_storeu_si256((__m256i *)plane, _mm512_maskz_cvtepi32_epi16(is_there, (vec)word));
    g->at[0] += v_widen_32(step, 0);
    g->at[1] += v_widen_32(step, 1);
}

/* Read plane i of a group, if not all coefficients of all tiles are known. */
ZTI_INLINE void read_plane16_of_group(const uint8_t *base, struct group *g, uint16_t *plane,
                                      uint32_t i, bool is_limited)
{
    const u32s ones = v_all_32(UINT32_MAX), c = g->c;
    const b32s is_there = has_plane(g, i, is_limited);
    u32s w = narrowed(v_windows_64(base, g->at[0]), v_windows_64(base, g->at[1]));
    if (is_limited)
        w &= ~v_left_32(ones, g->left);
    const u32s v = v_right_32(w, c) << 1 | 1;
    const u32s starts = v & ~(v << 1), first = (v + (starts & 0x55555555)) ^ 0x55555555;
    const u32s tests = v & ~first, ends = v & ~(v >> 1) & first;
    const u32s string = ends ^ (ends - 1); /* bits up to the end; all, if there is none */
    const u32s n = ones32(string & ~tests) - 1, known = c + n;
    const u32s rest = (u32s)_mm512_max_epi32((vec)(15 - c), (vec){0});
    const b32s is_over = (b32s)(v_is_less_32(v_all_32(15), known) | ~v_is_set_32(ends));
    const b32s is_last = (b32s)(is_over & v_is_less_32(c, v_all_32(16)));
    const u32s own = own_bits32(v, tests) >> 1 & ~v_left_32(ones, v_min_32(n, rest));
    const u32s used = v_if_32(is_over, 16 + ones32(own), c + ones32(string));
    u32s last = v_all_32(15);
    if (is_limited) { /* a run that the budget cuts is taken to end at the next coefficient, as
                         libzfp does */
        const b32s is_cut = (b32s)(v_is_less_32(g->left, used) & v_is_less_32(c, g->left));
        last = v_if_32(is_cut, g->left - 1 - ones32(own), last);
        g->left -= v_where_32(is_there, v_min_32(used, g->left));
    }
    const u32s word = (w & ~v_left_32(ones, c)) | v_left_32(own, c) |
                      v_where_32(is_last, v_left_32(v_all_32(1), last));
    g->c = v_if_32(is_there, v_if_32(is_over, v_all_32(16), known), c);
    store_plane16(g, plane, is_there, word, used);
}

/* Read three planes of which all coefficients are known: a window has so many. */
ZTI_INLINE void read_whole_planes16(const uint8_t *base, struct group *g, uint16_t (*plane)[LANES],
                                    uint32_t i, bool is_limited)
{
    const u32s n16 = v_all_32(16);
    const u64s window[2] = {v_windows_64(base, g->at[0]), v_windows_64(base, g->at[1])};
    for (uint32_t j = 0; j < 3; j++) {
        const b32s is_there = has_plane(g, i + j, is_limited);
        u32s w = narrowed(window[0] >> 16 * j, window[1] >> 16 * j);
        if (is_limited) {
            w &= ~v_left_32(v_all_32(UINT32_MAX), g->left);
            g->left -= v_min_32(g->left, n16);
        }
        store_plane16(g, plane[i + j], is_there, w, n16);
    }
}

/* Whether a tile of the group has planes from i on in which coefficients may become known. */
ZTI_INLINE bool is_learning16(const struct group *g, uint32_t i, bool is_limited)
{
    return (has_plane(g, i, is_limited) & v_is_less_32(g->c, v_all_32(16))) != 0;
}

/* Read the planes of the groups: plane[group][i] gets the 16 bits of each tile. The first 'zeros'
 * planes of all tiles have no bits. Returns the largest number of planes of a tile that may have
 * bits. Advances the positions to the tiles' ends, unless there is a limit. */
ZTI_INLINE uint32_t read_planes16_of_lanes(const uint8_t *base, struct lanes *s, uint32_t groups,
                                           uint16_t (*plane)[64 + 32][LANES], uint32_t zeros,
                                           uint32_t most, bool is_limited)
{
    struct group g[GROUPS];
    uint32_t i = zeros < most ? zeros : most;
    for (uint32_t k = 0; k < groups; k++) {
        const u32s step = v_min_32(v_load_32(s[k].precision), v_all_32(i));
        g[k].precision = v_load_32(s[k].precision);
        g[k].left = v_load_32(s[k].left) - v_min_32(v_load_32(s[k].left), step);
        g[k].c = v_all_32(0);
        for (uint32_t h = 0; h < 2; h++)
            g[k].at[h] = v_load_64(s[k].at + 8 * h) + v_widen_32(step, h);
        memset(plane[k], 0, i * sizeof plane[k][0]);
    }
    for (; i < most; i++) {
        if (!is_learning16(&g[0], i, is_limited) &&
            !(groups > 1 && is_learning16(&g[1], i, is_limited)))
            break;
        for (uint32_t k = 0; k < groups; k++)
            read_plane16_of_group(base, &g[k], plane[k][i], i, is_limited);
    }
    for (; i < most; i += 3) {
        if (is_limited && !m_any_32(v_is_set_32(g[0].left)) &&
            !(groups > 1 && m_any_32(v_is_set_32(g[1].left))))
            break;
        for (uint32_t k = 0; k < groups; k++)
            read_whole_planes16(base, &g[k], plane[k], i, is_limited);
    }
    for (uint32_t k = 0; k < groups; k++)
        for (uint32_t h = 0; h < 2; h++)
            v_store_64(s[k].at + 8 * h, g[k].at[h]);
    return i;
}

/* Transpose 32 planes of 16 tiles to a register for each tile. */
ZTI_INLINE void turn_planes16(uint16_t (*plane)[LANES], __m512i *of_tile)
{
    u32s r[16];
    for (uint32_t i = 0; i < 16; i++) {
        const u16s both = (u16s)v_load(plane[2 * i]);
        r[i] = v_widen_16(both, 0) | v_widen_16(both, 1) << 16;
    }
    for (uint32_t i = 0; i < 16; i += 4)
        turn_elements_32(r + i);
    for (uint32_t e = 0; e < 4; e++) {
        u32s a[4] = {r[e], r[4 + e], r[8 + e], r[12 + e]};
        turn_lanes_32(a);
        for (uint32_t l = 0; l < 4; l++)
            of_tile[4 * l + e] = (__m512i)a[l];
    }
}

#endif
