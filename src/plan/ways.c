/* ways.c: estimate orders of axes, joins and axes of prediction together.
 *
 * The bits of a residual depend on the axes of prediction, and hardly on the order of axes. So the
 * codec measures small boxes once, for each set of axes. How many values lie at edges of tiles, or
 * where a joined axis continues in the next row, follows from the tiles of a way. Together they
 * give a cost for each way, which leaves a few ways. The codec then estimates pieces of tiles of
 * these ways, at the same places of the array. Pieces are smaller than tiles, because places differ
 * more than the values within a tile.
 *
 * Pieces of different shapes hold different values, and some parts of an array take many times the
 * bits of others. So the roughness of a piece (log2 of differences between neighbours) is measured
 * too, and ways are compared by the bits that roughness does not explain. */
#include "plan/ways.h"

#include "array/array.h"
#include "plan/plans.h"
#include "plan/sample.h"

#include <math.h>

enum {
    ONE = 1 << 16, /* fixed point: all values */
    SHORT = 8,     /* axes of at most 8 elements may be joined to another */
};

/* The coding of the array under a way. */
static zt_status configure_way(const struct zti_estimator *e, const struct zti_plan *plan,
                               uint32_t axes, struct zti_coding *coding)
{
    const struct zti_found found = {.has_axes = true, .axes = axes};
    uint64_t shape[ZT_MAX_RANK];
    const uint32_t rank = zti_plan_shape(plan, e->array->shape, shape);
    return zti_estimate_configure(e, &found, rank, shape, coding);
}

/* ---- measuring the array ---- */

/* The roughness of a value, 'offset' values from the array's first: log2 of the difference from its
 * neighbour before it or, for the first of a row, after it. */
static double measure_roughness(const struct zti_estimator *e, const struct zti_seen *seen,
                                int64_t offset, bool is_first)
{
    const int64_t value_bytes = (int64_t)zt_type_bytes(e->array->type);
    const int64_t away = e->array->stride[seen->along] * value_bytes;
    const char *const at = (const char *)e->array->data + offset * value_bytes;
    const double d = zti_number_at(e->array->type, at) -
                     zti_number_at(e->array->type, is_first ? at + away : at - away);
    const double steps = fabs(d) * seen->scale;
    return steps < 1e30 ? zti_log2_about(1 + steps) : 0;
}

/* Neighbours lie along the fastest of the axes of prediction. */
static void find_neighbours(const struct zti_estimator *e, struct zti_seen *seen)
{
    seen->scale = seen->look.step > 0 ? 1 / seen->look.step : 0;
    for (uint32_t i = 0; i < e->array->rank; i++)
        if (e->array->shape[i] > 1 && (seen->look.found.axes >> i & 1)) {
            seen->along = i;
            seen->is_rough_known = seen->look.step > 0;
        }
}

/* A copied tile. */
struct piece {
    uint64_t origin[ZT_MAX_RANK]; /* in the coded array */
    struct zti_grid grid;         /* of an array that is this tile */
};

/* The coded axis that contains an axis of the array. *inner: how many neighbours along the coded
 * axis have the same index along the array's axis. */
static uint32_t find_coded_axis(const struct zti_plan *plan, const uint64_t *shape, uint32_t axis,
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

/* The mean roughness of the tile that was copied last, of one in eleven values: 11 divides neither
 * the hours of a day nor the months of a year. */
static double mean_roughness(const struct zti_estimator *e, const struct zti_seen *seen,
                             const struct zti_plan *plan, const struct piece *piece)
{
    enum { PART = 11 };
    const struct zti_grid *const tile = &piece->grid;
    const int64_t *table[ZT_MAX_RANK];
    const uint32_t last = tile->rank - 1;
    uint64_t at[ZT_MAX_RANK] = {0}, inner, n = 0;
    const uint32_t along = find_coded_axis(plan, e->array->shape, seen->along, &inner);
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
            sum += measure_roughness(e, seen, row + table[last][at[last]],
                                     place % e->array->shape[seen->along] == 0);
        }
        at[last] -= tile->shape[last]; /* continue counting in the next row */
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

/* ---- the cost of a way ---- */

/* A coded axis: the fastest axis of the array in it; the next slower one if axes are joined; and as
 * parts of all values, in fixed point, those at an edge (first along it in a tile) and those at a
 * seam (first in a row of the fastest axis, inside a tile). */
struct side {
    uint32_t fast, slow;
    uint64_t edge, seam;
};

/* Sum the costs of 'part' of the values, for differences along the coded axes 'axes' beside those
 * along 'set'. Values at an edge have no difference along that axis; at a seam the difference is
 * one along the slower axis. */
static uint64_t sum_costs(const struct zti_seen *seen, const struct side *side, uint32_t rank,
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
    uint64_t sum = sum_costs(seen, side, rank, left, set | 1u << side[i].fast, part - edge - seam);
    if (edge > 0)
        sum += sum_costs(seen, side, rank, left, set, edge);
    if (seam > 0)
        sum += sum_costs(seen, side, rank, left, set | 1u << side[i].slow, seam);
    return sum;
}

/* Whether an axis may be a piece split off the one before it: the two are then one axis, and a
 * row's end is no seam. */
static bool is_split(uint32_t slow, uint32_t fast, const uint64_t *shape)
{
    return fast == slow + 1 && shape[fast] <= SHORT;
}

static uint64_t estimate_cost(const struct zti_estimator *e, const struct zti_seen *seen,
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
    return sum_costs(seen, side, rank + 1, way->axes, 0, ONE);
}

struct scored {
    uint64_t cost;
    struct zti_way way;
};

/* Insert into a list sorted by cost; of two with equal cost the earlier one is first. */
static uint32_t insert_scored(struct scored *list, uint32_t n, uint32_t most,
                              const struct scored *one)
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

/* The plans worth trying: any axis may be the fastest while the others keep their order, and a
 * short axis may be joined to another. */
static bool is_worth_trying(const struct zti_plan *plan, const uint64_t *shape)
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
        if (!is_worth_trying(&plans[i], e->array->shape) || configure_way(e, &plans[i], 0, &coding))
            continue;
        const uint32_t sets = 1u << coding.grid.rank;
        const uint32_t fixed = seen->look.fixed[coding.grid.rank - 1];
        for (uint32_t axes = 0; axes < sets; axes++) {
            struct scored one = {.way = {.plan = plans[i], .axes = axes}};
            if (fixed > 0 && axes != fixed)
                continue;
            planning->set_axes(&coding, axes);
            one.cost = estimate_cost(e, seen, &one.way, &coding.grid);
            if (n == 0 || one.cost <= best[0].cost + best[0].cost / FAR_PART)
                n = insert_scored(best, n, most, &one);
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

/* The number of the tile of the coded array that holds sampled point k of the array. */
static uint64_t tile_of_point(const struct zti_estimator *e, const struct zti_plan *plan,
                              const struct zti_grid *grid, uint32_t k)
{
    uint64_t place[ZT_MAX_RANK], coded[ZT_MAX_RANK], tile = 0;
    zti_array_point(e->array, k, place);
    (void)zti_plan_place(plan, e->array->shape, place, coded);
    for (uint32_t i = 0; i < grid->rank; i++)
        tile = tile * grid->tiles[i] + coded[i] / grid->side[i];
    return tile;
}

/* Copy a tile, as an array of one tile; returns the end of the copy. */
static uint8_t *gather_tile(struct zti_estimator *e, const struct zti_plan *plan,
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
    return zti_estimate_gather(e, plan, e->array, grid->rank, walk.origin, side, to);
}

/* The mean cost of all tiles of a grid over that of one of them, by their edges: tiles that the
 * array's end cuts have more edge, and few of them may be among the samples. */
static double edge_factor(const struct zti_estimator *e, const struct zti_seen *seen,
                          const struct zti_way *way, const struct zti_grid *grid,
                          const struct zti_grid *tile)
{
    const uint64_t own = estimate_cost(e, seen, way, tile);
    return own > 0 ? (double)estimate_cost(e, seen, way, grid) / (double)own : 1;
}

static struct zti_array view_tile(const struct zti_estimator *e, const struct zti_grid *grid,
                                  uint8_t *data)
{
    return zti_array_packed(data, e->array->type, grid->rank, grid->shape);
}

/* Cut the tiles of a grid into pieces of at most 'most' values. Rows of 'row' values, which are
 * coded together, stay whole. Long sides are cut before short ones, since each cut adds an edge. */
static struct zti_grid cut_tiles(const struct zti_grid *grid, uint32_t most, uint32_t row)
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
    const uint32_t k = rates->count, most = (uint32_t)zti_count_tile_values(e->codec, 1) / 4;
    struct zti_coding coding;
    struct piece piece;
    const zt_status status = configure_way(e, &way->plan, way->axes, &coding);
    if (status)
        return status;
    const struct zti_grid grid = coding.grid;
    const struct zti_grid pieces = cut_tiles(&grid, most, planning->group_values);
    (void)gather_tile(e, &way->plan, &pieces, tile_of_point(e, &way->plan, &pieces, k), e->values,
                      &piece);
    coding.grid = piece.grid;
    const struct zti_array tile = view_tile(e, &coding.grid, e->values);
    const uint64_t values = zti_array_values(tile.rank, tile.shape);
    rates->rough[k] = mean_roughness(e, seen, &way->plan, &piece);
    rates->rate[k] = (double)planning->estimate(&coding, &seen->look, &tile) / (double)values *
                     edge_factor(e, seen, way, &grid, &coding.grid);
    rates->count++;
    e->spent += values;
    return ZT_OK;
}

/* Copies of tiles, one after another. */
struct tiles {
    uint32_t count;
    bool is_all; /* of the array */
    uint8_t *memory;
    struct zti_grid *grid; /* of an array that is this tile */
    struct zti_array *array;
    uint64_t *bits; /* that each takes */
};

/* About the bits of an index for each tile, with chunks of four tiles. */
static const double index_bits = 3;

/* The bytes of the array from those of all its tiles, or of some. */
static double sum_bytes(const struct zti_estimator *e, const struct zti_seen *seen,
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
                              : rate * edge_factor(e, seen, way, grid, own) * all / tiles->count;
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

/* Copy the tiles that hold the first 'places' places, or all tiles of the grid if these are hardly
 * more. Free them in any case. */
static zt_status gather_tiles(struct zti_estimator *e, const struct zti_plan *plan,
                              const struct zti_grid *grid, uint32_t places, struct tiles *tiles)
{
    const uint64_t all = zti_array_values(grid->rank, grid->shape);
    const uint64_t most = zti_count_tile_values(e->codec, 1);
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
        const uint64_t tile = is_all ? k : tile_of_point(e, plan, grid, k);
        uint8_t *const from = to;
        struct piece piece;
        to = gather_tile(e, plan, grid, tile, to, &piece);
        tiles->grid[k] = piece.grid;
        tiles->array[k] = view_tile(e, &piece.grid, from);
    }
    return ZT_OK;
}

zt_status zti_ways_code(struct zti_estimator *e, const struct zti_seen *seen,
                        const struct zti_way *way, uint32_t places, double *bytes)
{
    struct zti_coding coding;
    struct tiles tiles;
    uint64_t head_bits = 0;
    zt_status status = configure_way(e, &way->plan, way->axes, &coding);
    if (status)
        return status;
    const struct zti_grid grid = coding.grid;
    status = gather_tiles(e, &way->plan, &grid, places, &tiles);
    if (!status) /* a tile is never longer than its raw values */
        status = zti_estimate_room(e, 8 * (8 * zti_count_tile_values(e->codec, 1) + 64));
    if (!status)
        status = zti_axes_planning_of(e->codec)->code(e->context, &coding, &seen->look, tiles.array,
                                                      tiles.count, e->stream.bytes, tiles.bits,
                                                      &head_bits);
    if (!status)
        *bytes = sum_bytes(e, seen, way, &grid, &tiles) + (double)head_bits / 8;
    free_tiles(e, &tiles);
    return status;
}
