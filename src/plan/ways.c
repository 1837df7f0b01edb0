/* ways.c: for codecs that choose along which axes they predict: orders of axes, joins and axes of
 * prediction, and what they cost.
 *
 * What a value costs with differences along some axes does not depend on the order of axes, but for
 * the values that are grouped with it. So one look at small boxes tells what each set of axes costs
 * inside of tiles; how many values are at the edges of tiles, or where a joined axis goes on in the
 * next row, follows from the tiles that a way would have. That sorts all ways out but a few, of
 * which pieces of tiles are looked at, by the codec's estimate: those that hold the same places of
 * the array under each. Pieces, as places differ more than the values of a tile do.
 *
 * Pieces of different shapes are not the same values, though, and some parts of an array take many
 * times what others do. So beside what a piece takes there is what is to be expected of its values,
 * from how much they differ from their neighbours, and chance has a part only in what that does
 * not explain. */
#include "plan/ways.h"

#include "plan/plans.h"
#include "plan/sample.h"

#include <math.h>

enum {
    ONE = 1 << 16, /* of parts of the values */
    SHORT = 8,     /* an axis of at most so many elements may be joined to another */
};

/* The coding of the array under a way. */
static zt_status configure(const struct zti_estimator *e, const struct zti_plan *plan,
                           uint32_t axes, struct zti_coding *coding)
{
    const struct zti_found found = {.has_axes = true, .axes = axes};
    uint64_t shape[ZT_MAX_RANK];
    const uint32_t rank = zti_plan_shape(plan, e->array->shape, shape);
    return zti_estimate_configure(e, &found, rank, shape, coding);
}

/* ---- a look at the array ---- */

/* log2(1 + x), about, x >= 0: the same on every machine. */
static double log_of(double x)
{
    enum { FRACTION = 52, BIAS = 1023 };
    uint64_t bits;
    x += 1;
    memcpy(&bits, &x, sizeof bits);
    return (double)bits / (double)(UINT64_C(1) << FRACTION) - BIAS;
}

/* How many bits the difference of the value so far from the array's first has, from its neighbour:
 * the one before, or behind it where it is the first. */
static double roughness(const struct zti_estimator *e, const struct zti_seen *seen, int64_t offset,
                        bool is_first)
{
    const int64_t value_bytes = (int64_t)zt_type_bytes(e->array->type);
    const int64_t away = e->array->stride[seen->along] * value_bytes;
    const char *const at = (const char *)e->array->data + offset * value_bytes;
    const double d = zti_number_at(e->array->type, at) -
                     zti_number_at(e->array->type, is_first ? at + away : at - away);
    const double steps = fabs(d) * seen->scale;
    return steps < 1e30 ? log_of(steps) : 0;
}

/* Neighbours are those along the fastest axis of those that the codec predicts along. */
static void find_neighbours(const struct zti_estimator *e, struct zti_seen *seen)
{
    seen->scale = seen->look.step > 0 ? 1 / seen->look.step : 0;
    for (uint32_t i = 0; i < e->array->rank; i++)
        if (e->array->shape[i] > 1 && (seen->look.found.axes >> i & 1)) {
            seen->along = i;
            seen->is_rough_known = seen->look.step > 0;
        }
}

/* A tile of a way, which is copied. */
struct piece {
    uint64_t origin[ZT_MAX_RANK]; /* in the coded array */
    struct zti_grid grid;         /* of an array that is this tile */
};

/* The coded axis that holds an axis of the array; its elements, so many after each other, have the
 * same place along that. */
static uint32_t coded_axis_of(const struct zti_plan *plan, const uint64_t *shape, uint32_t axis,
                              uint64_t *inner)
{
    uint32_t rank = 0, found = 0;
    *inner = 1;
    for (uint32_t k = 0; k < plan->rank; k++) {
        const bool is_inside = k > 0 && plan->is_joined[k];
        rank += k > 0 && !is_inside;
        if (plan->axis[k] == axis) {
            found = rank;
            *inner = 1;
        } else if (is_inside && rank == found) {
            *inner *= shape[plan->axis[k]];
        }
    }
    return found;
}

/* How rough the values are of a tile that was just copied: one in eleven of them, which is no
 * part of a day's values or a year's months. */
static double expected(const struct zti_estimator *e, const struct zti_seen *seen,
                       const struct zti_plan *plan, const struct piece *piece)
{
    enum { PART = 11 };
    const struct zti_grid *const tile = &piece->grid;
    const int64_t *table[ZT_MAX_RANK];
    const uint32_t last = tile->rank - 1;
    uint64_t at[ZT_MAX_RANK] = {0}, inner, n = 0;
    const uint32_t along = coded_axis_of(plan, e->array->shape, seen->along, &inner);
    double sum = 0;
    table[0] = e->offset;
    for (uint32_t i = 1; i < tile->rank; i++)
        table[i] = table[i - 1] + tile->shape[i - 1];
    for (uint32_t axis = 1; axis > 0 && seen->is_rough_known;) {
        int64_t row = 0;
        for (uint32_t i = 0; i < last; i++)
            row += table[i][at[i]];
        for (; at[last] < tile->shape[last]; at[last] += PART, n++) {
            const uint64_t place = (piece->origin[along] + at[along]) / inner;
            sum += roughness(e, seen, row + table[last][at[last]],
                             place % e->array->shape[seen->along] == 0);
        }
        at[last] -= tile->shape[last]; /* where the next one is, in the next row */
        for (axis = last; axis > 0; axis--) {
            if (++at[axis - 1] < tile->shape[axis - 1])
                break;
            at[axis - 1] = 0;
        }
    }
    return n > 0 ? sum / (double)n : 0;
}

zt_status zti_ways_look(struct zti_estimator *e, struct zti_seen *seen)
{
    struct zti_coding coding;
    memset(seen, 0, sizeof *seen);
    zt_status status = zti_estimate_configure(e, NULL, e->array->rank, e->array->shape, &coding);
    if (!status)
        status = zti_axes_planning_of(e->codec)->look(e->context, &coding, e->array, &seen->look);
    if (!status)
        find_neighbours(e, seen);
    return status;
}

uint32_t zti_ways_axes(const struct zti_seen *seen, const struct zti_plan *plan,
                       const uint64_t *shape)
{
    uint32_t axes = 0, rank = 0;
    for (uint32_t k = 0; k < plan->rank; k++) {
        rank += k > 0 && !plan->is_joined[k];
        if (shape[plan->axis[k]] > 1)
            axes |= (seen->look.found.axes >> plan->axis[k] & 1) << rank;
    }
    return axes;
}

/* ---- which ways there are ---- */

/* A coded axis: the fastest axis of the array in it, the one before that where axes are joined, and
 * of the coded array's values the part that is first along it in a tile, or in a row of the fastest
 * axis. */
struct side {
    uint32_t fast, slow;
    uint64_t edge, seam;
};

/* The cost of values at an edge is that of differences along the other axes. Where a row of a
 * joined axis ends, the slower axis goes on. */
static uint64_t weigh(const struct zti_seen *seen, const struct side *side, uint32_t rank,
                      uint32_t axes, uint32_t set, uint64_t part)
{
    uint32_t i = 0;
    while (i < rank && !(axes >> i & 1))
        i++;
    if (i == rank)
        return part * seen->look.bits[set];
    const uint32_t left = axes & ~(1u << i);
    const uint64_t edge = part * side[i].edge >> 16;
    const uint64_t seam = (part - edge) * side[i].seam >> 16;
    uint64_t sum = weigh(seen, side, rank, left, set | 1u << side[i].fast, part - edge - seam);
    if (edge > 0)
        sum += weigh(seen, side, rank, left, set, edge);
    if (seam > 0)
        sum += weigh(seen, side, rank, left, set | 1u << side[i].slow, seam);
    return sum;
}

/* Whether an axis may be a part of the one before, split off: a row goes on in the next then. */
static bool is_split(uint32_t slow, uint32_t fast, const uint64_t *shape)
{
    return fast == slow + 1 && shape[fast] <= SHORT;
}

static uint64_t cost_of(const struct zti_estimator *e, const struct zti_seen *seen,
                        const struct zti_way *way, const struct zti_grid *grid)
{
    struct side side[ZT_MAX_RANK] = {{0, 0, 0, 0}};
    uint32_t rank = 0;
    for (uint32_t k = 0; k < way->plan.rank; k++) {
        const uint32_t axis = way->plan.axis[k];
        if (k > 0 && !way->plan.is_joined[k])
            rank++;
        struct side *const own = &side[rank];
        if (e->array->shape[axis] == 1)
            continue;
        own->seam = own->edge > 0 && !is_split(own->fast, axis, e->array->shape)
                        ? ONE / e->array->shape[axis]
                        : 0;
        own->slow = own->fast;
        own->fast = axis;
        own->edge = (grid->tiles[rank] << 16) / grid->shape[rank];
    }
    return weigh(seen, side, rank + 1, way->axes, 0, ONE);
}

struct scored {
    uint64_t cost;
    struct zti_way way;
};

/* Keep the list sorted, the first of equals first. */
static uint32_t insert(struct scored *list, uint32_t n, uint32_t most, const struct scored *one)
{
    uint32_t at = n;
    while (at > 0 && list[at - 1].cost > one->cost)
        at--;
    if (at == most)
        return n;
    memmove(&list[at + 1], &list[at], ((n < most ? n : n - 1) - at) * sizeof *list);
    list[at] = *one;
    return n < most ? n + 1 : n;
}

/* Plans that others are hardly better than: any axis may be the last, the others stay in their
 * order; and a short axis may be joined to another. */
static bool is_worth_it(const struct zti_plan *plan, const uint64_t *shape)
{
    uint32_t start[ZT_MAX_RANK], rank = 0, longs = 0;
    for (uint32_t k = 0; k < plan->rank; k++) {
        const uint32_t axis = plan->axis[k];
        if (shape[axis] == 1)
            continue;
        if (!plan->is_joined[k] || rank == 0) {
            start[rank++] = axis;
            longs = 0;
        }
        longs += shape[axis] > SHORT;
        if (longs > 1)
            return false;
    }
    for (uint32_t i = 0; i + 2 < rank; i++)
        if (start[i] > start[i + 1])
            return false;
    return true;
}

uint32_t zti_ways_list(const struct zti_estimator *e, const struct zti_seen *seen, uint32_t most,
                       struct zti_way *list)
{
    enum { FAR_PART = 6 };
    const struct zti_axes_planning *const planning = zti_axes_planning_of(e->codec);
    struct zti_plan plans[ZTI_PLANS_MOST];
    struct scored *const best = zti_alloc(e->context, (most + 1) * sizeof *best);
    const uint32_t count = zti_plans_of(e->array->rank, e->array->shape, plans);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count && best; i++) {
        struct zti_coding coding;
        if (!is_worth_it(&plans[i], e->array->shape) || configure(e, &plans[i], 0, &coding))
            continue;
        const uint32_t sets = 1u << coding.grid.rank;
        const uint32_t fixed = seen->look.fixed[coding.grid.rank - 1];
        for (uint32_t axes = 0; axes < sets; axes++) {
            struct scored one = {.way = {.plan = plans[i], .axes = axes}};
            if (fixed > 0 && axes != fixed)
                continue;
            planning->set_axes(&coding, axes);
            one.cost = cost_of(e, seen, &one.way, &coding.grid);
            if (n == 0 || one.cost <= best[0].cost + best[0].cost / FAR_PART)
                n = insert(best, n, most, &one);
        }
    }
    while (n > 1 && best[n - 1].cost > best[0].cost + best[0].cost / FAR_PART)
        n--;
    for (uint32_t i = 0; i < n; i++)
        list[i] = best[i].way;
    zti_release(e->context, best);
    return n;
}

/* ---- tiles ---- */

/* The tile of the coded array that holds a place of the array, as it is: one at the end is cut. */
static uint64_t tile_of(const struct zti_estimator *e, const struct zti_plan *plan,
                        const struct zti_grid *grid, uint32_t k)
{
    zt_box box, cover;
    uint64_t place[ZT_MAX_RANK], tile = 0;
    zti_sample_point(e->array, k, place);
    for (uint32_t i = 0; i < plan->rank; i++) {
        box.lo[i] = place[i];
        box.hi[i] = place[i] + 1;
    }
    zti_plan_cover(plan, e->array->shape, &box, &cover);
    for (uint32_t i = 0; i < grid->rank; i++)
        tile = tile * grid->tiles[i] + cover.lo[i] / grid->side[i];
    return tile;
}

/* Copy a tile to memory, as an array of one tile of its own. Returns the place behind it. */
static uint8_t *take_tile(struct zti_estimator *e, const struct zti_plan *plan,
                          const struct zti_grid *grid, uint64_t tile, uint8_t *to,
                          struct piece *piece)
{
    const struct zti_walk walk = zti_walk_from(grid, tile);
    uint64_t side[ZT_MAX_RANK] = {0};
    uint32_t sides[ZT_MAX_RANK] = {1, 1, 1, 1};
    for (uint32_t i = 0; i < grid->rank; i++) {
        const uint64_t rest = grid->shape[i] - walk.origin[i];
        side[i] = rest < grid->side[i] ? rest : grid->side[i];
        sides[i] = (uint32_t)side[i];
    }
    memcpy(piece->origin, walk.origin, sizeof piece->origin);
    piece->grid = zti_grid_of(grid->rank, side, sides);
    return zti_estimate_gather(e, plan, grid->rank, walk.origin, side, to);
}

/* How many times more the tiles of a grid take than one of them, by their edges alone: one that the
 * array's end cuts has more of them, and few of these may be among the samples. */
static double edges_of(const struct zti_estimator *e, const struct zti_seen *seen,
                       const struct zti_way *way, const struct zti_grid *grid,
                       const struct zti_grid *tile)
{
    const uint64_t own = cost_of(e, seen, way, tile);
    return own > 0 ? (double)cost_of(e, seen, way, grid) / (double)own : 1;
}

static struct zti_array array_of(const struct zti_estimator *e, const struct zti_grid *grid,
                                 uint8_t *data)
{
    return zti_array_packed(data, e->array->type, grid->rank, grid->shape);
}

/* A grid of pieces of tiles: rows of so many values stay, as these are coded together, and so do
 * short sides in favour of long ones, as what is cut off is one more edge. */
static struct zti_grid in_pieces(const struct zti_grid *grid, uint32_t most, uint32_t row)
{
    enum { SHORTEST = 4 };
    uint32_t side[ZT_MAX_RANK] = {1, 1, 1, 1}, values = 1;
    const uint32_t last = grid->rank - 1;
    for (uint32_t i = 0; i <= last; i++) {
        side[i] = grid->side[i] < grid->shape[i] ? grid->side[i] : (uint32_t)grid->shape[i];
        values *= side[i];
    }
    while (values > most) {
        uint32_t longest = last;
        for (uint32_t i = 0; i < last; i++)
            if (longest == last ? side[i] > (side[last] > row ? SHORTEST : 1)
                                : side[i] > side[longest])
                longest = i;
        values /= side[longest];
        side[longest] = (side[longest] + 1) / 2;
        values *= side[longest];
    }
    return zti_grid_of(grid->rank, grid->shape, side);
}

zt_status zti_ways_guess(struct zti_estimator *e, const struct zti_seen *seen,
                         const struct zti_way *way, struct zti_rates *rates)
{
    const struct zti_axes_planning *const planning = zti_axes_planning_of(e->codec);
    const uint32_t k = rates->count, most = (uint32_t)zti_estimate_tile(e->codec, 1) / 4;
    struct zti_coding coding;
    struct piece piece;
    const zt_status status = configure(e, &way->plan, way->axes, &coding);
    if (status)
        return status;
    const struct zti_grid grid = coding.grid;
    const struct zti_grid pieces = in_pieces(&grid, most, planning->group_values);
    (void)take_tile(e, &way->plan, &pieces, tile_of(e, &way->plan, &pieces, k), e->values, &piece);
    coding.grid = piece.grid;
    const struct zti_array tile = array_of(e, &coding.grid, e->values);
    const uint64_t values = zti_array_values(tile.rank, tile.shape);
    rates->rough[k] = expected(e, seen, &way->plan, &piece);
    rates->rate[k] = (double)planning->estimate(&coding, &seen->look, &tile) / (double)values *
                     edges_of(e, seen, way, &grid, &coding.grid);
    rates->count++;
    e->spent += values;
    return ZT_OK;
}

/* Tiles in memory, one behind the other. */
struct tiles {
    uint32_t count;
    bool is_all; /* of the array */
    uint8_t *memory;
    struct zti_grid *grid; /* of an array that is this tile */
    struct zti_array *array;
    uint64_t *bits; /* that each takes */
};

/* What an index takes for each tile, about: its chunks are of four. */
static const double index_bits = 3;

/* What the array takes by tiles of a way: by all, or by those of some places. */
static double sum_of(const struct zti_estimator *e, const struct zti_seen *seen,
                     const struct zti_way *way, const struct zti_grid *grid,
                     const struct tiles *tiles)
{
    const double all = (double)zti_array_values(grid->rank, grid->shape);
    double bits = 0;
    for (uint32_t k = 0; k < tiles->count; k++) {
        const struct zti_grid *const own = &tiles->grid[k];
        const double values = (double)zti_array_values(own->rank, own->shape);
        const double rate = ((double)tiles->bits[k] + index_bits) / values;
        bits += tiles->is_all ? rate * values
                              : rate * edges_of(e, seen, way, grid, own) * all / tiles->count;
    }
    return bits / 8;
}

static void free_tiles(const struct zti_estimator *e, struct tiles *tiles)
{
    zti_release(e->context, tiles->memory);
    zti_release(e->context, tiles->bits);
    zti_release(e->context, tiles->grid);
    zti_release(e->context, tiles->array);
}

/* All tiles of a grid where they are hardly more than the places, or those that hold the first of
 * these. Free them in any case. */
static zt_status take_tiles(struct zti_estimator *e, const struct zti_plan *plan,
                            const struct zti_grid *grid, uint32_t places, struct tiles *tiles)
{
    const uint64_t all = zti_array_values(grid->rank, grid->shape);
    const uint64_t most = zti_estimate_tile(e->codec, 1);
    const bool is_all = all <= (places + places / 2) * most;
    const uint32_t n = is_all ? (uint32_t)grid->count : places;
    const uint64_t values = is_all ? all : n * most;
    const size_t bytes = (size_t)values * zt_type_bytes(e->array->type);
    *tiles = (struct tiles){.count = n,
                            .is_all = is_all,
                            .memory = zti_alloc(e->context, bytes),
                            .bits = zti_alloc(e->context, n * sizeof *tiles->bits),
                            .grid = zti_alloc(e->context, n * sizeof *tiles->grid),
                            .array = zti_alloc(e->context, n * sizeof *tiles->array)};
    if (!tiles->memory || !tiles->bits || !tiles->grid || !tiles->array)
        return zti_fail(e->context, ZT_NO_MEMORY, "no memory for a sample of an array");
    uint8_t *to = tiles->memory;
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t tile = is_all ? k : tile_of(e, plan, grid, k);
        uint8_t *const from = to;
        struct piece piece;
        to = take_tile(e, plan, grid, tile, to, &piece);
        tiles->grid[k] = piece.grid;
        tiles->array[k] = array_of(e, &piece.grid, from);
    }
    return ZT_OK;
}

zt_status zti_ways_code(struct zti_estimator *e, const struct zti_seen *seen,
                        const struct zti_way *way, uint32_t places, double *bytes)
{
    struct zti_coding coding;
    struct tiles tiles;
    uint64_t head_bits = 0;
    zt_status status = configure(e, &way->plan, way->axes, &coding);
    if (status)
        return status;
    const struct zti_grid grid = coding.grid;
    status = take_tiles(e, &way->plan, &grid, places, &tiles);
    if (!status) /* a tile that is larger than its values is kept as these */
        status = zti_estimate_room(e, 8 * (8 * zti_estimate_tile(e->codec, 1) + 64));
    if (!status)
        status = zti_axes_planning_of(e->codec)->code(e->context, &coding, &seen->look, tiles.array,
                                                      tiles.count, e->stream.bytes, tiles.bits,
                                                      &head_bits);
    if (!status)
        *bytes = sum_of(e, seen, way, &grid, &tiles) + (double)head_bits / 8;
    free_tiles(e, &tiles);
    return status;
}
