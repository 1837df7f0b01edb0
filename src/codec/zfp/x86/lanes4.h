/* lanes4.h: text: bits to bit planes of tiles of 4 values whose places are known, a tile a lane
 * of 32 bits. The includer has the words of its instruction set.
 *
 * Every lane takes a plane a step: a table has what the next 7 bits say, among them the 1 above the
 * last bit of a tile's budget (tables/short_strings.h). A step is a long chain, so that several
 * groups of lanes take turns. Four planes' 28 bits are loaded at once. */
#ifndef ZTI_ZFP_X86_LANES4_H
#define ZTI_ZFP_X86_LANES4_H

#include "codec/zfp/tables/short_strings.h"

enum { TILES4 = 32, GROUPS4 = TILES4 / LANES32 };

/* Tiles side by side: where their planes begin, how many they have, and how many bits of a budget
 * are left, at most INT32_MAX. */
struct tiles4 {
    uint64_t at[TILES4];
    uint32_t precision[TILES4], left[TILES4];
};

/* A group of them while planes are taken. */
struct group4 {
    vec at[2], precision, left, row; /* row: 256 times the coefficients known */
};

/* Take planes i to i + 3, which are the upper or lower four of eight, to every second nibble of
 * 'planes', the first one's above the others'. */
ZTI_INLINE vec take_four4(const uint8_t *base, struct group4 *g, vec planes, uint32_t i,
                          bool is_upper)
{
    const vec low7 = v_all32(127), bit7 = v_all32(128);
    const vec have = v_min32(g->left, v_all32(31));
    vec s = v_windows32(base, g->at[0], g->at[1]);
    s = v_or(v_without(s, v_leftv32(v_all32(UINT32_MAX), have)), v_leftv32(v_all32(1), have));
    vec used = v_zero();
    for (uint32_t j = 0; j < 4; j++) {
        const vec next = v_min32(s, v_or(bit7, v_and(s, low7)));
        const vec e = v_where32(v_is_less32(v_all32(i + j), g->precision),
                                v_gather32(step1, v_add32(g->row, next)));
        const vec length = v_and(e, v_all32(7)), plane = v_right32(e, 28);
        planes = v_or(planes, j == 0   ? v_left32(plane, is_upper ? 28 : 24)
                              : j == 1 ? v_left32(plane, is_upper ? 20 : 16)
                              : j == 2 ? v_left32(plane, is_upper ? 12 : 8)
                                       : v_left32(plane, is_upper ? 4 : 0));
        g->row = v_and(e, v_all32(0x700));
        used = v_add32(used, length);
        s = v_rightv32(s, length);
    }
    g->at[0] = v_add64(g->at[0], v_widened32(used, 0));
    g->at[1] = v_add64(g->at[1], v_widened32(used, 1));
    g->left = v_sub32(g->left, used);
    return planes;
}

/* Exchange bits: those of 'mask' with those 'n' above. */
ZTI_INLINE vec exchanged(vec v, uint8_t n, uint32_t mask)
{
    const vec t = v_and(v_xor(v, v_right32(v, n)), v_all32(mask));
    return v_xor(v, v_xor(t, v_left32(t, n)));
}

/* Take planes i to i + 7 of tiles all of whose coefficients are known: they are there as they are,
 * in rising order of nibbles. */
ZTI_INLINE vec take_eight4(const uint8_t *base, struct group4 *g, uint32_t i)
{
    const vec rest = v_min32(v_rest(g->precision, v_all32(i)), v_all32(8));
    const vec used = v_min32(v_left32(rest, 2), g->left), low4 = v_all32(0x0f0f0f0f);
    vec v = v_windows32(base, g->at[0], g->at[1]);
    v = v_without(v, v_leftv32(v_all32(UINT32_MAX), used));
    g->at[0] = v_add64(g->at[0], v_widened32(used, 0));
    g->at[1] = v_add64(g->at[1], v_widened32(used, 1));
    g->left = v_sub32(g->left, used);
    v = exchanged(exchanged(v, 8, 0x0000ff00), 4, 0x00f000f0);
    v = v_bytes_reversed32(v);
    return v_or(v_and(v_right32(v, 4), low4), v_left32(v_and(v, low4), 4));
}

/* Whether a tile of a group has planes from i on in which coefficients may become known. */
ZTI_INLINE bool is_learning4(const struct group4 *g, uint32_t i)
{
    return v_any_is_less32(v_where32(v_is_less32(v_all32(i), g->precision), g->row),
                           v_where32(v_is_less32(v_all32(i), g->precision), v_all32(4 * 256)));
}

/* Eight planes by nibble as take_four4 leaves them: byte x gets coefficient x's bits. */
ZTI_INLINE vec bytes_of_nibbles(vec v)
{
    return exchanged(exchanged(v, 14, 0x0000cccc), 7, 0x00aa00aa);
}

/* Take planes from i on, four by four, until 'stop' of them are taken or no tile has bits
 * left; the number of planes taken. */
ZTI_INLINE uint32_t take_steps4(const uint8_t *base, struct group4 *g, vec (*eight)[GROUPS4],
                                uint32_t i, uint32_t stop)
{
    for (bool has_bits = true; i < stop && has_bits; i += 4) {
        has_bits = false;
        for (uint32_t k = 0; k < GROUPS4; k++) {
            vec *planes = &eight[i / 8][k];
            *planes = i % 8 == 0 ? take_four4(base, &g[k], *planes, i, true)
                                 : take_four4(base, &g[k], *planes, i, false);
            has_bits |= v_any_is_less32(v_zero(), g[k].left);
        }
    }
    return i;
}

/* Take the tiles' planes, of which the first 'zeros' have no bits, and 'most' are the most of a
 * tile: of group k, u[k][half][x] are the upper or lower 32 bits of coefficient x of each lane.
 * Moves the positions. may_be_deep: tiles may have more than 32 planes. */
ZTI_INLINE void take_planes4_of_lanes(const uint8_t *base, struct tiles4 *tiles, uint32_t zeros,
                                      uint32_t most, bool may_be_deep, vec (*u)[2][4])
{
    struct group4 g[GROUPS4];
    vec eight[8][GROUPS4];
    uint32_t i = (zeros < most ? zeros : most) / 4 * 4;
    for (uint32_t k = 0; k < GROUPS4; k++) {
        g[k].precision = v_load(tiles->precision + k * LANES32);
        g[k].left = v_load(tiles->left + k * LANES32);
        g[k].row = v_zero();
        const vec step = v_min32(v_min32(g[k].precision, g[k].left), v_all32(i));
        g[k].left = v_sub32(g[k].left, step);
        for (uint32_t h = 0; h < 2; h++)
            g[k].at[h] =
                v_add64(v_load(tiles->at + k * LANES32 + h * LANES64), v_widened32(step, h));
        for (uint32_t q = 0; q < 8; q++)
            eight[q][k] = v_zero();
    }
    i = take_steps4(base, g, eight, i, may_be_deep && most > 32 ? 32 : most);
    if (may_be_deep && i >= 32) { /* now it pays to look whether all coefficients are known */
        bool is_learning = false;
        for (uint32_t k = 0; k < GROUPS4; k++)
            is_learning |= is_learning4(&g[k], i);
        if (is_learning)
            (void)take_steps4(base, g, eight, i, most);
        for (; !is_learning && i < most; i += 8)
            for (uint32_t k = 0; k < GROUPS4; k++)
                eight[i / 8][k] = take_eight4(base, &g[k], i);
    }
    for (uint32_t k = 0; k < GROUPS4; k++) {
        for (uint32_t h = 0; h < 2; h++) {
            v_store(tiles->at + k * LANES32 + h * LANES64, g[k].at[h]);
            /* bytes of four dwords transposed */
            vec v[4];
            for (uint32_t q = 0; q < 4; q++)
                v[q] = bytes_of_nibbles(eight[4 * h + q][k]);
            const vec m16 = v_all32(0xffff);
            for (uint32_t x = 0; x < 4; x += 2) {
                const vec a = v_inner_bytes_exchanged32(
                    x == 0 ? v_or(v_left32(v[0], 16), v_and(v[1], m16))
                           : v_or(v_without(v[0], m16), v_right32(v[1], 16)));
                const vec b = v_inner_bytes_exchanged32(
                    x == 0 ? v_or(v_left32(v[2], 16), v_and(v[3], m16))
                           : v_or(v_without(v[2], m16), v_right32(v[3], 16)));
                u[k][h][x] = v_or(v_left32(a, 16), v_and(b, m16));
                u[k][h][x + 1] = v_or(v_without(a, m16), v_right32(b, 16));
            }
        }
    }
}

#endif
