/* axes.c: choose the axes along which an sz stream takes differences, and the shape of its groups
 * of values, from samples in two rounds.
 *
 * The first round measures small boxes spread over the array: the bits of their values with each
 * set of axes, counting only values that have a predecessor along every axis (sample,
 * lorenzo/encode.h). In a tile, the first values along an axis have no predecessor, so they take as
 * many bits as with a smaller set; the tiles that a set would have give the number of these values.
 * So one measurement gives an estimate for every set.
 *
 * The second round compares the best sets: it codes the tiles of each, at half of the places, with
 * both shapes of groups. */
#include "codec/sz/spec.h"

enum { FAR_PART = 8, WORSE_ONE = 128 };

/* The sets to compare; without a first round, the coding's axes. */
static struct zti_sz_finalists finalists_of(const struct zti_coding *coding)
{
    struct zti_sz_finalists f = sz_of(coding)->finalists;
    if (f.count == 0)
        f = (struct zti_sz_finalists){.count = 1, .axes = {(uint8_t)sz_of(coding)->axes}};
    return f;
}

/* The number of tiles or boxes in a round. */
static uint64_t samples_of(const struct zti_coding *coding)
{
    enum { LEAST = 24, PART = 4 };
    const uint64_t tiles = coding->grid.count, some = tiles / PART;
    if (tiles <= LEAST)
        return tiles;
    return some < LEAST ? LEAST : some < ZTI_SZ_SAMPLES ? some : ZTI_SZ_SAMPLES;
}

/* Sample i of 'samples': the coding's tiles are cut into equal parts, and one of each is chosen, at
 * irregular distances. */
static uint64_t sample_tile(const struct zti_coding *coding, uint64_t i, uint64_t samples)
{
    const uint64_t whole = coding->grid.count / samples, rest = coding->grid.count % samples;
    return i * whole + i * rest / samples + (i + 1) * UINT32_C(2654435769) % UINT32_MAX % whole;
}

/* The middle of a tile. */
static void middle_of(const struct zti_grid *grid, uint64_t tile, uint64_t *place)
{
    const struct zti_walk walk = zti_walk_from(grid, tile);
    for (uint32_t i = 0; i < grid->rank; i++)
        place[i] = walk.origin[i] + extent_at(grid, i, walk.origin[i]) / 2;
}

uint64_t zti_sz_tile_at(const struct zti_grid *grid, const uint64_t *place)
{
    uint64_t tile = 0;
    for (uint32_t i = 0; i < grid->rank; i++)
        tile = tile * grid->tiles[i] + place[i] / grid->side[i];
    return tile;
}

/* The coding with boxes instead of tiles. A box is a part of a tile, nearly a cube. */
static struct zti_coding with_boxes(const struct zti_coding *coding)
{
    struct zti_coding own = *coding;
    uint32_t side[ZT_MAX_RANK] = {1, 1, 1, 1}, values = 1;
    for (uint32_t i = 0; i < coding->grid.rank; i++) {
        side[i] = extent_at(&coding->grid, i, 0);
        values *= side[i];
    }
    while (values > ZTI_SZ_BOX_VALUES) {
        uint32_t longest = 0;
        for (uint32_t i = 1; i < coding->grid.rank; i++)
            longest = side[i] > side[longest] ? i : longest;
        values /= side[longest];
        side[longest] = (side[longest] + 1) / 2;
        values *= side[longest];
    }
    own.grid = zti_grid_of(coding->grid.rank, coding->grid.shape, side);
    return own;
}

/* The coding with other axes. If they are the same, its tiles stay; they need not be those of
 * zti_sz_set_grid, since planning codes an array's tiles one after another. */
static struct zti_coding with_axes(const struct zti_coding *coding, uint32_t axes)
{
    struct zti_coding own = *coding;
    if (axes != sz_of(&own)->axes) {
        sz_in(&own)->axes = axes;
        zti_sz_set_grid(&own);
    }
    return own;
}

/* A sample: a tile of a grid of its own. */
struct sample {
    uint64_t home;            /* the coding's tile around it */
    uint32_t number;          /* of the place */
    uint32_t set;             /* in the second round: which of the sets */
    struct zti_coding coding; /* with that grid */
    uint64_t tile;
};

/* Place sample i of a round: in the first a box at each place, in the second the tiles of all sets
 * at every other place. False past the last. */
static bool place_sample(const struct zti_coding *coding, uint32_t pass, uint64_t i,
                         struct sample *s)
{
    const uint64_t samples = samples_of(coding), sets = finalists_of(coding).count;
    const bool is_race = pass == ZTI_SZ_RACE_PASS;
    const uint64_t number = is_race ? i / sets * 2 : i;
    if (number >= samples)
        return false;
    s->number = (uint32_t)number;
    s->set = is_race ? (uint32_t)(i % sets) : 0;
    s->home = sample_tile(coding, number, samples);
    return true;
}

/* Set coding and tile of a placed sample. */
static void find_sample(const struct zti_coding *coding, uint32_t pass, struct sample *s)
{
    uint64_t place[ZT_MAX_RANK];
    s->coding = pass == ZTI_SZ_RACE_PASS ? with_axes(coding, finalists_of(coding).axes[s->set])
                                         : with_boxes(coding);
    middle_of(&coding->grid, s->home, place);
    s->tile = zti_sz_tile_at(&s->coding.grid, place);
}

/* Measure a sample, which is tile 'tile' of an array. */
static void measure(const struct sample *s, const struct zti_sz_ops *ops, uint32_t pass,
                    const struct zti_array *array, uint64_t tile, struct zti_sz_tally *t)
{
    if (pass == ZTI_SZ_LOOK_PASS)
        ops->sample(&s->coding, array, tile, sz_of(&s->coding)->has_axes ? NULL : t->bits,
                    &t->base[s->number]);
    else
        t->values[s->set] += ops->try_groups(&s->coding, array, tile, t->race[s->set]);
}

void zti_sz_axes_tally(const struct zti_coding *coding, const struct zti_sz_ops *ops, uint32_t pass,
                       const struct zti_array *array, uint64_t first, uint64_t last,
                       struct zti_sz_tally *t)
{
    struct sample s;
    for (uint64_t i = 0; place_sample(coding, pass, i, &s); i++) {
        if (s.home < first || s.home >= last)
            continue;
        find_sample(coding, pass, &s);
        measure(&s, ops, pass, array, s.tile, t);
    }
}

bool zti_sz_axes_excerpt(const struct zti_coding *coding, uint32_t pass, uint32_t i, zt_box *box)
{
    struct sample s;
    if (!place_sample(coding, pass, i, &s))
        return false;
    find_sample(coding, pass, &s);
    const struct zti_walk walk = zti_walk_from(&s.coding.grid, s.tile);
    memset(box, 0, sizeof *box);
    for (uint32_t k = 0; k < coding->grid.rank; k++) {
        box->lo[k] = walk.origin[k];
        box->hi[k] = walk.origin[k] + extent_at(&s.coding.grid, k, walk.origin[k]);
    }
    return true;
}

void zti_sz_axes_tally_excerpt(const struct zti_coding *coding, const struct zti_sz_ops *ops,
                               uint32_t pass, uint32_t i, const struct zti_array *values,
                               struct zti_sz_tally *t)
{
    struct sample s;
    if (!place_sample(coding, pass, i, &s))
        return;
    find_sample(coding, pass, &s);
    s.coding.grid = zti_grid_of(values->rank, values->shape, s.coding.grid.side);
    measure(&s, ops, pass, values, 0, t);
}

void zti_sz_axes_merge(struct zti_sz_tally *into, const struct zti_sz_tally *from)
{
    for (uint32_t i = 0; i < 1u << ZT_MAX_RANK; i++)
        into->bits[i] += from->bits[i];
    for (uint32_t i = 0; i < ZTI_SZ_SAMPLES; i++)
        into->base[i] += from->base[i]; /* each sample is in one tally only */
    for (uint32_t k = 0; k < ZTI_SZ_FINALISTS; k++) {
        into->race[k][0] += from->race[k][0];
        into->race[k][1] += from->race[k][1];
        into->values[k] += from->values[k];
    }
}

/* The median of the sampled bases, clamped to 31 bits. */
static int64_t median(const int64_t *base, uint64_t n)
{
    int64_t sorted[ZTI_SZ_SAMPLES] = {0};
    for (uint64_t i = 0; i < n; i++) {
        uint64_t at = i;
        for (; at > 0 && sorted[at - 1] > base[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = base[i];
    }
    const int64_t middle = sorted[n / 2], most = INT64_C(1) << 30;
    return middle > most ? most : middle < -most ? -most : middle;
}

/* The estimated bits with a set of axes, times 65536. One in 'side' values of a tile is the first
 * along an axis, and has differences along the other axes only. */
static uint64_t cost_of(const struct zti_coding *coding, uint32_t axes, const uint64_t *bits)
{
    const struct zti_coding own = with_axes(coding, axes);
    uint64_t sum = 0;
    for (uint32_t set = 0; set <= axes; set++) {
        uint64_t part = UINT64_C(1) << 16;
        if (set & ~axes)
            continue;
        for (uint32_t i = 0; i < own.grid.rank; i++) {
            const uint64_t extent = own.grid.shape[i], edge = (own.grid.tiles[i] << 16) / extent;
            if (axes >> i & 1)
                part = part * (set >> i & 1 ? (UINT64_C(1) << 16) - edge : edge) >> 16;
        }
        sum += part * bits[set];
    }
    return sum;
}

/* The best sets of axes, without those that are much worse than the first. */
static struct zti_sz_finalists find_finalists(const struct zti_coding *coding, const uint64_t *bits)
{
    uint64_t cost[ZTI_SZ_FINALISTS + 1];
    uint32_t axes[ZTI_SZ_FINALISTS + 1];
    struct zti_sz_finalists f = {.count = 0};
    for (uint32_t set = 1u << coding->grid.rank; set-- > 0;) {
        const uint64_t own = cost_of(coding, set, bits);
        uint32_t at = f.count;
        for (; at > 0 && cost[at - 1] > own; at--) {
            cost[at] = cost[at - 1];
            axes[at] = axes[at - 1];
        }
        cost[at] = own;
        axes[at] = set;
        f.count = (uint8_t)(f.count + (f.count < ZTI_SZ_FINALISTS));
    }
    while (f.count > 1 && cost[f.count - 1] > cost[0] + cost[0] / FAR_PART)
        f.count--;
    for (uint32_t k = 0; k < f.count; k++) {
        f.axes[k] = (uint8_t)axes[k];
        f.worse[k] = (uint8_t)((cost[k] - cost[0]) * WORSE_ONE / (cost[0] + (cost[0] == 0)));
    }
    return f;
}

/* Choose the set and the shape of groups with the fewest bits a value. Tiles of different shapes
 * have different values, so this round has random errors; the first round has errors of its
 * estimate. How much worse a set was in the first round counts twice. */
static void take_winner(struct zti_coding *coding, const struct zti_sz_tally *t)
{
    const struct zti_sz_finalists f = finalists_of(coding);
    uint32_t best = 0, shape = 0;
    for (uint32_t k = 0; k < f.count; k++)
        for (uint32_t i = 0; i < 2; i++)
            if (t->race[k][i] * (WORSE_ONE + 2u * f.worse[k]) * t->values[best] <
                t->race[best][shape] * (WORSE_ONE + 2u * f.worse[best]) * t->values[k]) {
                best = k;
                shape = i;
            }
    *coding = with_axes(coding, f.axes[best]);
    sz_in(coding)->is_blocked = shape;
}

void zti_sz_axes_learn(struct zti_coding *coding, uint32_t pass, const struct zti_sz_tally *t)
{
    if (pass == ZTI_SZ_LOOK_PASS) {
        sz_in(coding)->centre = median(t->base, samples_of(coding));
        if (!sz_of(coding)->has_axes)
            sz_in(coding)->finalists = find_finalists(coding, t->bits);
        *coding = with_axes(coding, finalists_of(coding).axes[0]);
    } else {
        take_winner(coding, t);
    }
}

/* ---- arrays with holes ---- */

/* A tile by itself, with its holes. */
struct excerpt {
    struct zti_array array;
    struct zti_grid grid;
    uint64_t holes[ZTI_SZ_TILE_VALUES / 64];
    uint64_t values[ZTI_SZ_TILE_VALUES]; /* of any type */
};

static void excerpt_of(const struct zti_coding *coding, const struct zti_array *array,
                       const uint64_t *holes, uint64_t tile, struct excerpt *e)
{
    const struct zti_walk walk = zti_walk_from(&coding->grid, tile);
    struct zti_array box = *array;
    uint32_t side[ZT_MAX_RANK];
    for (uint32_t i = 0; i < array->rank; i++)
        box.shape[i] = side[i] = extent_at(&coding->grid, i, walk.origin[i]);
    box.data = zti_array_at(array, walk.origin);
    zti_array_copy(&box, (uint8_t *)e->values);
    e->array = zti_array_packed(e->values, array->type, array->rank, box.shape);
    e->grid = zti_grid_of(array->rank, box.shape, side);
    memset(e->holes, 0, sizeof e->holes);
    for (uint64_t k = 0, n = zti_array_values(array->rank, box.shape); k < n; k++) {
        uint64_t at = 0, rest = k, place[ZT_MAX_RANK];
        for (uint32_t i = array->rank; i-- > 0; rest /= side[i])
            place[i] = rest % side[i];
        for (uint32_t i = 0; i < array->rank; i++)
            at = at * array->shape[i] + walk.origin[i] + place[i];
        e->holes[k / 64] |= (holes[at / 64] >> at % 64 & 1) << k % 64;
    }
}

/* Fit the holes of the tile at a place to the coding's axes, and add the tile's bits; returns its
 * number of values. */
static uint64_t price_fit(const struct zti_coding *coding, const struct zti_sz_ops *ops,
                          const struct zti_array *array, const uint64_t *holes,
                          const uint64_t *place, uint64_t *bits)
{
    struct excerpt e;
    struct zti_coding own = *coding;
    uint64_t shapes[2] = {0, 0};
    excerpt_of(coding, array, holes, zti_sz_tile_at(&coding->grid, place), &e);
    own.grid = e.grid;
    zti_sz_fit_holes(&own, &e.array, e.holes, 0, 1);
    const uint64_t values = ops->try_groups(&own, &e.array, 0, shapes);
    *bits += shapes[0] < shapes[1] ? shapes[0] : shapes[1];
    return values;
}

/* The best axes for smooth values in holes are not those for fitted ones. So each set of axes that
 * is nearly the best with smooth values is measured on tiles whose holes are fitted to it. */
static uint32_t race_fits(const struct zti_coding *coding, const struct zti_sz_ops *ops,
                          const struct zti_array *array, const uint64_t *holes,
                          const uint64_t *bits)
{
    const uint64_t samples = samples_of(coding);
    const uint32_t sets = 1u << coding->grid.rank;
    uint64_t cost[1 << ZT_MAX_RANK], least = UINT64_MAX, best_bits = 0, best_values = 0;
    uint32_t best = sz_of(coding)->axes;
    for (uint32_t set = 0; set < sets; set++) {
        cost[set] = cost_of(coding, set, bits);
        least = cost[set] < least ? cost[set] : least;
    }
    for (uint32_t set = 0; set < sets; set++) {
        const struct zti_coding own = with_axes(coding, set);
        uint64_t own_bits = 0, values = 0;
        for (uint64_t i = 0; i < samples && cost[set] <= least + least / FAR_PART; i += 2) {
            uint64_t place[ZT_MAX_RANK];
            middle_of(&coding->grid, sample_tile(coding, i, samples), place);
            values += price_fit(&own, ops, array, holes, place, &own_bits);
        }
        if (values > 0 && (best_values == 0 || own_bits * best_values < best_bits * values)) {
            best = set;
            best_bits = own_bits;
            best_values = values;
        }
    }
    return best;
}

bool zti_sz_learn_holes(const struct zti_sz_ops *ops, struct zti_coding *coding,
                        const struct zti_array *array, const uint64_t *holes)
{
    const struct zti_sz *const sz = sz_of(coding);
    struct zti_sz_tally tally = {.bits = {0}};
    if ((sz->source != ZTI_SZ_LATTICE && sz->source != ZTI_SZ_STEPS) || sz->wants_high ||
        sz->coder == ZTI_SZ_CUSZ || sz->coder == ZTI_SZ_TRANSFORM)
        return false;
    zti_sz_axes_tally(coding, ops, ZTI_SZ_LOOK_PASS, array, 0, coding->grid.count, &tally);
    sz_in(coding)->centre = median(tally.base, samples_of(coding));
    if (!sz->has_axes)
        *coding = with_axes(coding, race_fits(coding, ops, array, holes, tally.bits));
    return true;
}
