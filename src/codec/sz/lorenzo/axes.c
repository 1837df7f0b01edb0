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
#include "codec/sz/lorenzo/sampling.h"

/* The coding with other axes, and the grid that belongs to them. */
static struct zti_coding with_axes(const struct zti_coding *coding, uint32_t axes)
{
    struct zti_coding own = *coding;
    own.grid = grid_with_axes(&coding->grid, sz_of(coding), axes);
    sz_in(&own)->axes = axes;
    return own;
}

void zti_sz_axes_tally(const struct zti_coding *coding, const struct zti_sz_ops *ops, uint32_t pass,
                       const struct zti_array *array, uint64_t first, uint64_t last,
                       struct zti_sz_tally *t)
{
    struct zti_sz_sample s;
    for (uint64_t i = 0; place_sample(&coding->grid, sz_of(coding), pass, i, &s); i++) {
        struct zti_coding own = *coding;
        if (s.home < first || s.home >= last)
            continue;
        find_sample(&coding->grid, sz_of(coding), pass, &s);
        own.grid = s.grid;
        sz_in(&own)->axes = s.axes;
        if (pass == ZTI_SZ_LOOK_PASS)
            ops->sample(&own, array, s.tile, sz_of(coding)->has_axes ? NULL : t->bits,
                        &t->base[s.number]);
        else
            t->values[s.set] += ops->try_groups(&own, array, s.tile, t->race[s.set]);
    }
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

/* The centre of tiles, by the sampled bases. */
static int64_t centre_by(const int64_t *base, uint64_t n)
{
    uint32_t i = 0;
    while (!is_median(base, (uint32_t)n, i))
        i++;
    return centre_of(base[i]);
}

static void find_costs(const struct zti_coding *coding, const uint64_t *bits, uint64_t *cost)
{
    for (uint32_t set = 0; set < 1u << coding->grid.rank; set++)
        cost[set] = cost_of_axes(&coding->grid, sz_of(coding), set, bits);
}

void zti_sz_axes_learn(struct zti_coding *coding, uint32_t pass, const struct zti_sz_tally *t)
{
    if (pass == ZTI_SZ_LOOK_PASS) {
        uint64_t cost[1 << ZT_MAX_RANK];
        sz_in(coding)->centre = centre_by(t->base, samples_of(&coding->grid));
        if (!sz_of(coding)->has_axes) {
            find_costs(coding, t->bits, cost);
            sz_in(coding)->finalists = find_finalists(coding->grid.rank, cost);
        }
        *coding = with_axes(coding, finalists_of(sz_of(coding)).axes[0]);
    } else {
        const struct zti_sz_finalists f = finalists_of(sz_of(coding));
        uint32_t is_blocked;
        *coding = with_axes(coding, f.axes[find_winner(&f, t, &is_blocked)]);
        sz_in(coding)->is_blocked = is_blocked;
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
    excerpt_of(coding, array, holes, tile_of_place(&coding->grid, place), &e);
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
    const uint64_t samples = samples_of(&coding->grid);
    const uint32_t sets = 1u << coding->grid.rank;
    uint64_t cost[1 << ZT_MAX_RANK], least = UINT64_MAX, best_bits = 0, best_values = 0;
    uint32_t best = sz_of(coding)->axes;
    find_costs(coding, bits, cost);
    for (uint32_t set = 0; set < sets; set++)
        least = cost[set] < least ? cost[set] : least;
    for (uint32_t set = 0; set < sets; set++) {
        const struct zti_coding own = with_axes(coding, set);
        uint64_t own_bits = 0, values = 0;
        for (uint64_t i = 0; i < samples && cost[set] <= least + least / ZTI_SZ_FAR_PART; i += 2) {
            uint64_t place[ZT_MAX_RANK];
            middle_of(&coding->grid, sample_tile(&coding->grid, i, samples), place);
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
        sz->coder == ZTI_SZ_CUSZ || sz->coder >= ZTI_SZ_LOSSLESS_HIGH)
        return false;
    zti_sz_axes_tally(coding, ops, ZTI_SZ_LOOK_PASS, array, 0, coding->grid.count, &tally);
    sz_in(coding)->centre = centre_by(tally.base, samples_of(&coding->grid));
    if (!sz->has_axes)
        *coding = with_axes(coding, race_fits(coding, ops, array, holes, tally.bits));
    return true;
}
