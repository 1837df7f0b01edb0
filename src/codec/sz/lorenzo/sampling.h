/* sampling.h: the rules by which efforts fast and default choose the axes of differences and the
 * shape of groups, as functions for the CPU and for kernels: where samples are, and what follows
 * from their bits. axes.c explains the two rounds. */
#ifndef ZTI_SZ_SAMPLING_H
#define ZTI_SZ_SAMPLING_H

#include "codec/sz/lorenzo/spec.h"

/* Whether a pass is over samples, and is made. The cuSZ coder skips both, and so does a coding that
 * is given all they find. Where axes and the shape of groups are given, the first pass finds the
 * centre. */
ZTI_STATIC bool zti_sz_has_pass(const struct zti_sz *sz, uint32_t pass)
{
    return pass < ZTI_SZ_BOOKS_PASS && sz->coder != ZTI_SZ_CUSZ && sz->coder != ZTI_SZ_HIGH &&
           !sz->has_groups && (pass != ZTI_SZ_RACE_PASS || !sz->has_shape);
}

/* The sets of axes to compare; without a first round, those of the stream. */
ZTI_STATIC struct zti_sz_finalists finalists_of(const struct zti_sz *sz)
{
    struct zti_sz_finalists f = sz->finalists;
    if (f.count == 0) {
        f.count = 1;
        f.axes[0] = (uint8_t)sz->axes;
        f.worse[0] = 0;
    }
    return f;
}

/* ---- where samples are ----------------------------------------------------------------------- */

/* The number of tiles or boxes in a round. */
ZTI_STATIC uint64_t samples_of(const struct zti_grid *grid)
{
    const uint64_t least = 24, most = ZTI_SZ_SAMPLES, tiles = grid->count, some = tiles / 4;
    if (tiles <= least)
        return tiles;
    return some < least ? least : some < most ? some : most;
}

/* Sample i of 'samples': the tiles are cut into equal parts, and one of each is chosen, at
 * irregular distances. */
ZTI_STATIC uint64_t sample_tile(const struct zti_grid *grid, uint64_t i, uint64_t samples)
{
    const uint64_t whole = grid->count / samples, rest = grid->count % samples;
    return i * whole + i * rest / samples + (i + 1) * UINT32_C(2654435769) % UINT32_MAX % whole;
}

/* The middle of a tile, and the tile that holds a place. */
ZTI_STATIC void middle_of(const struct zti_grid *grid, uint64_t tile, uint64_t *place)
{
    const struct zti_walk walk = zti_walk_from(grid, tile);
    for (uint32_t i = 0; i < grid->rank; i++)
        place[i] = walk.origin[i] + extent_at(grid, i, walk.origin[i]) / 2;
}

ZTI_STATIC uint64_t tile_of_place(const struct zti_grid *grid, const uint64_t *place)
{
    uint64_t tile = 0;
    for (uint32_t i = 0; i < grid->rank; i++)
        tile = tile * grid->tiles[i] + place[i] / grid->side[i];
    return tile;
}

/* The array's grid with boxes instead of tiles. A box is a part of a tile, nearly a cube; where
 * nothing but the centre is to be found, a value. */
ZTI_STATIC struct zti_grid grid_of_boxes(const struct zti_grid *grid, bool has_shape)
{
    const uint32_t most = has_shape ? 1 : ZTI_SZ_BOX_VALUES;
    uint32_t side[ZT_MAX_RANK] = {1, 1, 1, 1}, values = 1;
    for (uint32_t i = 0; i < grid->rank; i++) {
        side[i] = extent_at(grid, i, 0);
        values *= side[i];
    }
    while (values > most) {
        uint32_t longest = 0;
        for (uint32_t i = 1; i < grid->rank; i++)
            longest = side[i] > side[longest] ? i : longest;
        values /= side[longest];
        side[longest] = (side[longest] + 1) / 2;
        values *= side[longest];
    }
    return zti_grid_of(grid->rank, grid->shape, side);
}

/* The array's grid with differences along other axes. If they are the same, its tiles stay; they
 * need not be those of zti_sz_grid, since planning codes an array's tiles one after another. */
ZTI_STATIC struct zti_grid grid_with_axes(const struct zti_grid *grid, const struct zti_sz *sz,
                                          uint32_t axes)
{
    return axes == sz->axes ? *grid : zti_sz_grid(grid->rank, grid->shape, axes);
}

/* A sample: a tile of a grid of its own. */
struct zti_sz_sample {
    uint64_t home;        /* the stream's tile around it */
    uint32_t number;      /* of the place */
    uint32_t set;         /* in the second round: which of the sets */
    uint32_t axes;        /* of differences */
    struct zti_grid grid; /* its own */
    uint64_t tile;        /* in this grid */
};

/* Place sample i of a round: in the first a box at each place, in the second the tiles of all sets
 * at every other place. False past the last. */
ZTI_STATIC bool place_sample(const struct zti_grid *grid, const struct zti_sz *sz, uint32_t pass,
                             uint64_t i, struct zti_sz_sample *s)
{
    const bool is_race = pass == ZTI_SZ_RACE_PASS;
    const uint64_t samples = samples_of(grid), sets = is_race ? finalists_of(sz).count : 1;
    const uint64_t number = is_race ? i / sets * 2 : i;
    if (number >= samples)
        return false;
    s->number = (uint32_t)number;
    s->set = (uint32_t)(i % sets);
    s->home = sample_tile(grid, number, samples);
    return true;
}

/* Set axes, grid and tile of a placed sample. */
ZTI_STATIC void find_sample(const struct zti_grid *grid, const struct zti_sz *sz, uint32_t pass,
                            struct zti_sz_sample *s)
{
    uint64_t place[ZT_MAX_RANK];
    const bool is_race = pass == ZTI_SZ_RACE_PASS;
    s->axes = is_race ? finalists_of(sz).axes[s->set] : sz->axes;
    s->grid = is_race ? grid_with_axes(grid, sz, s->axes) : grid_of_boxes(grid, sz->has_shape);
    middle_of(grid, s->home, place);
    s->tile = tile_of_place(&s->grid, place);
}

/* ---- the bits of a sample -------------------------------------------------------------------- */

/* What counts of the bits of groups in Rice codes: a tile can be raw. */
ZTI_STATIC uint64_t sampled_bits(uint64_t bits)
{
    return bits / 8 <= ZTI_SZ_RAW_BYTES ? bits : (uint64_t)8 * ZTI_SZ_RAW_BYTES;
}

/* The bits of a tile of the second round: of its first byte, its base and its groups. away: its
 * base less the centre, folded. */
ZTI_STATIC uint64_t raced_bits(uint64_t away, uint64_t groups_bits)
{
    return (8 + 8 * (uint64_t)base_bytes_of(away) + groups_bits + 7) / 8 * 8;
}

/* ---- what follows ---------------------------------------------------------------------------- */

/* Whether base i of n is their median: half of the bases are before it in order. */
ZTI_STATIC bool is_median(const int64_t *base, uint32_t n, uint32_t i)
{
    uint32_t before = 0;
    for (uint32_t k = 0; k < n; k++)
        before += base[k] < base[i] || (base[k] == base[i] && k < i);
    return before == n / 2;
}

/* The centre for tiles with this median of bases. */
ZTI_STATIC int64_t centre_of(int64_t median)
{
    const int64_t most = INT64_C(1) << 30;
    return median > most ? most : median < -most ? -most : median;
}

/* The estimated bits with a set of axes, times 65536. One in 'side' values of a tile is the first
 * along an axis, and has differences along the other axes only. bits: those of the first round. */
ZTI_STATIC uint64_t cost_of_axes(const struct zti_grid *grid, const struct zti_sz *sz,
                                 uint32_t axes, const uint64_t *bits)
{
    const struct zti_grid own = grid_with_axes(grid, sz, axes);
    uint64_t edge[ZT_MAX_RANK], sum = 0; /* the part of values that are first along an axis */
    for (uint32_t i = 0; i < own.rank; i++)
        edge[i] = (own.tiles[i] << 16) / own.shape[i];
    for (uint32_t set = 0; set <= axes; set++) {
        uint64_t part = UINT64_C(1) << 16;
        if (set & ~axes)
            continue;
        for (uint32_t i = 0; i < own.rank; i++)
            if (axes >> i & 1)
                part = part * (set >> i & 1 ? (UINT64_C(1) << 16) - edge[i] : edge[i]) >> 16;
        sum += part * bits[set];
    }
    return sum;
}

enum { ZTI_SZ_FAR_PART = 8, ZTI_SZ_WORSE_ONE = 128 };

/* The best sets of axes by their costs, without those that are much worse than the first. */
ZTI_STATIC struct zti_sz_finalists find_finalists(uint32_t rank, const uint64_t *cost_of)
{
    uint64_t cost[ZTI_SZ_FINALISTS + 1];
    uint32_t axes[ZTI_SZ_FINALISTS + 1], count = 0;
    struct zti_sz_finalists f;
    for (uint32_t set = 1u << rank; set-- > 0;) {
        uint32_t at = count;
        for (; at > 0 && cost[at - 1] > cost_of[set]; at--) {
            cost[at] = cost[at - 1];
            axes[at] = axes[at - 1];
        }
        cost[at] = cost_of[set];
        axes[at] = set;
        count += count < ZTI_SZ_FINALISTS;
    }
    while (count > 1 && cost[count - 1] > cost[0] + cost[0] / ZTI_SZ_FAR_PART)
        count--;
    f.count = (uint8_t)count;
    for (uint32_t k = 0; k < ZTI_SZ_FINALISTS; k++) {
        const bool is_one = k < count;
        f.axes[k] = (uint8_t)(is_one ? axes[k] : 0);
        f.worse[k] =
            (uint8_t)(is_one ? (cost[k] - cost[0]) * ZTI_SZ_WORSE_ONE / (cost[0] + (cost[0] == 0))
                             : 0);
    }
    return f;
}

/* Choose the set and the shape of groups with the fewest bits a value; returns the set's number.
 * Tiles of different shapes have different values, so this round has random errors; the first round
 * has errors of its estimate. How much worse a set was in the first round counts twice. */
ZTI_STATIC uint32_t find_winner(const struct zti_sz_finalists *f, const struct zti_sz_tally *t,
                                uint32_t *is_blocked)
{
    uint32_t best = 0, shape = 0;
    for (uint32_t k = 0; k < f->count; k++)
        for (uint32_t i = 0; i < 2; i++)
            if (t->race[k][i] * (ZTI_SZ_WORSE_ONE + 2u * f->worse[k]) * t->values[best] <
                t->race[best][shape] * (ZTI_SZ_WORSE_ONE + 2u * f->worse[best]) * t->values[k]) {
                best = k;
                shape = i;
            }
    *is_blocked = shape;
    return best;
}

#endif
