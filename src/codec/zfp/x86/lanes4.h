/* lanes4.h: text: decode bits to the bit planes of tiles of 4 values whose places are known, with a
 * tile in each lane of 32 bits. The includer has the words of its instruction set.
 *
 * In a step, each lane reads one plane: a table (tables/short_strings.h) is indexed by the next 7
 * bits; a 1 above the last bit of a tile's budget marks its end. A step has a long latency, so
 * several groups of lanes take turns. The 28 bits of four planes are loaded at once. */
#ifndef ZTI_ZFP_X86_LANES4_H
#define ZTI_ZFP_X86_LANES4_H

#include "codec/zfp/tables/short_strings.h"

enum { TILES4 = 32, GROUPS4 = TILES4 / V_LANES_32 };

/* Tiles side by side: where their planes begin, how many planes they have, and how many bits of
 * their budgets are left, at most INT32_MAX. */
struct tiles4 {
    uint64_t at[TILES4];
    uint32_t precision[TILES4], left[TILES4];
};

/* A group of these tiles while its planes are read. */
struct group4 {
    u64s at[2];
    u32s precision, left, row; /* row: 256 times the coefficients known */
};

/* The 32 bits at each lane's position. */
ZTI_INLINE u32s windows4(const uint8_t *base, const struct group4 *g)
{
    return v_even_32((u32s)v_windows_64(base, g->at[0]), (u32s)v_windows_64(base, g->at[1]));
}

ZTI_INLINE void pass4(struct group4 *g, u32s used)
{
    g->at[0] += v_widen_32(used, 0);
    g->at[1] += v_widen_32(used, 1);
    g->left -= used;
}

/* Read planes i to i + 3, the upper or lower four of eight, to every second nibble of 'planes', the
 * first plane to the highest of these. */
ZTI_INLINE u32s read_four4(const uint8_t *base, struct group4 *g, u32s planes, uint32_t i)
{
    const uint32_t top = i % 8 == 0 ? 28 : 24;
    const u32s have = v_min_32(g->left, v_all_32(31)), one = v_all_32(1);
    u32s s = windows4(base, g), used = v_all_32(0);
    s = (s & ~v_left_32(v_all_32(UINT32_MAX), have)) | v_left_32(one, have);
    for (uint32_t j = 0; j < 4; j++) {
        const u32s next = v_min_32(s, (s & 127) | 128);
        const u32s e = v_where_32(v_is_less_32(v_all_32(i + j), g->precision),
                                  v_gather_32(step1, g->row + next));
        const u32s length = e & 7;
        planes |= e >> 28 << (top - 8 * j);
        g->row = e & 0x700;
        used += length;
        s = v_right_32(s, length);
    }
    pass4(g, used);
    return planes;
}

/* Exchange the bits of 'mask' with those 'n' places above. */
ZTI_INLINE u32s exchanged(u32s v, uint32_t n, uint32_t mask)
{
    const u32s t = (v ^ v >> n) & mask;
    return v ^ t ^ t << n;
}

/* Read planes i to i + 7 of tiles of which all coefficients are known: one nibble a plane, lowest
 * first. */
ZTI_INLINE u32s read_eight4(const uint8_t *base, struct group4 *g, uint32_t i)
{
    const u32s rest = v_min_32((u32s)v_rest((u64s)g->precision, (u64s)v_all_32(i)), v_all_32(8));
    const u32s used = v_min_32(rest << 2, g->left);
    u32s v = windows4(base, g) & ~v_left_32(v_all_32(UINT32_MAX), used);
    pass4(g, used);
    v = exchanged(exchanged(v, 8, 0x0000ff00), 4, 0x00f000f0);
    v = (u32s)v_shuffled((u8s)v,
                         _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
    return (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
}

/* Whether a tile of a group has planes from i on in which coefficients may become known. */
ZTI_INLINE bool is_learning4(const struct group4 *g, uint32_t i)
{
    const b32s is_there = v_is_less_32(v_all_32(i), g->precision);
    return m_any_32(
        v_is_less_32(v_where_32(is_there, g->row), v_where_32(is_there, v_all_32(4 * 256))));
}

/* Transpose eight planes, by nibble as read_four4 leaves them: byte x gets coefficient x's bits. */
ZTI_INLINE u32s bytes_of_nibbles(u32s v)
{
    return exchanged(exchanged(v, 14, 0x0000cccc), 7, 0x00aa00aa);
}

/* The second and third byte exchanged. */
ZTI_INLINE u32s inner_bytes_exchanged(u32s v)
{
    return (u32s)v_shuffled((u8s)v,
                            _mm_setr_epi8(0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15));
}

/* Read planes i to stop - 1, four by four, until no tile has bits left; returns the number of
 * planes read. */
ZTI_INLINE uint32_t read_steps4(const uint8_t *base, struct group4 *g, u32s (*eight)[GROUPS4],
                                uint32_t i, uint32_t stop)
{
    for (bool has_bits = true; i < stop && has_bits; i += 4) {
        has_bits = false;
        for (uint32_t k = 0; k < GROUPS4; k++) {
            u32s *planes = &eight[i / 8][k];
            *planes = read_four4(base, &g[k], *planes, i);
            has_bits |= m_any_32(v_is_set_32(g[k].left));
        }
    }
    return i;
}

/* Read the tiles' planes, at most 'most' of a tile; the first 'zeros' of them have no bits. For
 * group k, u[k][half][x] gets the upper or lower 32 bits of coefficient x of each lane. Advances
 * the positions. may_be_deep: tiles may have more than 32 planes. */
ZTI_INLINE void read_planes4_of_lanes(const uint8_t *base, struct tiles4 *tiles, uint32_t zeros,
                                      uint32_t most, bool may_be_deep, u32s (*u)[2][4])
{
    struct group4 g[GROUPS4];
    u32s eight[8][GROUPS4];
    uint32_t i = (zeros < most ? zeros : most) / 4 * 4;
    for (uint32_t k = 0; k < GROUPS4; k++) {
        g[k].precision = v_load_32(tiles->precision + k * V_LANES_32);
        g[k].left = v_load_32(tiles->left + k * V_LANES_32);
        g[k].row = v_all_32(0);
        for (uint32_t h = 0; h < 2; h++)
            g[k].at[h] = v_load_64(tiles->at + k * V_LANES_32 + h * V_LANES_64);
        pass4(&g[k], v_min_32(v_min_32(g[k].precision, g[k].left), v_all_32(i)));
        for (uint32_t q = 0; q < 8; q++)
            eight[q][k] = v_all_32(0);
    }
    i = read_steps4(base, g, eight, i, may_be_deep && most > 32 ? 32 : most);
    if (may_be_deep && i >= 32) { /* only now is it worth checking for known coefficients */
        bool is_learning = false;
        for (uint32_t k = 0; k < GROUPS4; k++)
            is_learning |= is_learning4(&g[k], i);
        if (is_learning)
            (void)read_steps4(base, g, eight, i, most);
        for (; !is_learning && i < most; i += 8)
            for (uint32_t k = 0; k < GROUPS4; k++)
                eight[i / 8][k] = read_eight4(base, &g[k], i);
    }
    for (uint32_t k = 0; k < GROUPS4; k++)
        for (uint32_t h = 0; h < 2; h++) {
            v_store_64(tiles->at + k * V_LANES_32 + h * V_LANES_64, g[k].at[h]);
            /* bytes of four dwords transposed */
            u32s v[4], pair[2][2];
            for (uint32_t q = 0; q < 4; q++)
                v[q] = bytes_of_nibbles(eight[4 * h + q][k]);
            for (uint32_t q = 0; q < 2; q++) {
                pair[q][0] = inner_bytes_exchanged(v[2 * q] << 16 | (v[2 * q + 1] & 0xffff));
                pair[q][1] = inner_bytes_exchanged((v[2 * q] & 0xffff0000) | v[2 * q + 1] >> 16);
            }
            for (uint32_t x = 0; x < 2; x++) {
                u[k][h][2 * x] = pair[0][x] << 16 | (pair[1][x] & 0xffff);
                u[k][h][2 * x + 1] = (pair[0][x] & 0xffff0000) | pair[1][x] >> 16;
            }
        }
}

#endif
