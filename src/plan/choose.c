/* choose.c: choose a plan by estimates of its size on samples.
 *
 * An array of rank 4 has 24 orders of axes and 8 sets of joins, too many to try all. Two kinds of
 * codecs need two searches.
 *
 * Most codecs treat the axes of a tile nearly alike. For these the set of axes along which tiles
 * extend matters most; there are 15 sets. Each other axis is joined to an axis of the set as its
 * slower part. The axes of the best set are then tried in other orders, which gains a few per cent,
 * because coefficients are coded in an order that is not quite symmetric.
 *
 * Codecs that choose their axes of prediction themselves compare ways (ways.h): plans together with
 * axes of prediction. There are too many to code even one tile with each.
 *
 * Plans race. Each is estimated on one batch of values after another (estimate.h). A plan is
 * dropped once its mean distance from the best is larger than chance explains. So clear cases take
 * a few batches, and the rest of the budget, a part of the array, is spent on near ties. The array
 * is left as it is unless the best plan gains enough. A plan under which decoding takes far longer
 * (decode_time.h) is dropped whatever it gains. */
#include "plan/choose.h"

#include "plan/decode_time.h"
#include "plan/plans.h"
#include "plan/sample.h"
#include "plan/ways.h"

#include <math.h>

enum { AXES_MOST = ZT_MAX_RANK };

/* The part of the bytes that a plan must save to be chosen. */
static const double least_gain = 0.004;

/* ---- the race ---- */

enum { BATCHES_MOST = 128, BATCHES_LEAST = 3, BATCHES_LEAST_OF_WAYS = 5 };

struct runner {
    struct zti_way way;
    bool is_out;
    struct zti_rates rates; /* bits for each value in the batches so far */
};

struct race {
    const struct zti_array *array;
    struct zti_estimator estimator;
    uint8_t axes[AXES_MOST]; /* of more than one element */
    uint32_t n;
    bool is_of_ways; /* the codec chooses axes of prediction */
    struct zti_seen seen;
    double slope;   /* of a line through all batches: bits over roughness */
    uint32_t count; /* runner[0] is the array as it is, which is never dropped */
    struct runner runner[ZTI_TRIED_MOST];
};

/* Batches that a runner needs before it can be compared. */
static uint32_t least_batches(const struct race *r)
{
    return r->is_of_ways ? BATCHES_LEAST_OF_WAYS : BATCHES_LEAST;
}

static bool is_same(const struct zti_plan *a, const struct zti_plan *b)
{
    return memcmp(a->axis, b->axis, sizeof a->axis) == 0 &&
           memcmp(a->is_joined, b->is_joined, sizeof a->is_joined) == 0;
}

/* Add a runner, unless there is one with this way. */
static void add_way(struct race *r, const struct zti_way *way)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (is_same(&r->runner[i].way.plan, &way->plan) && r->runner[i].way.axes == way->axes)
            return;
    if (r->count < ZTI_TRIED_MOST)
        r->runner[r->count++] = (struct runner){.way = *way};
}

static void add_plan(struct race *r, const struct zti_plan *plan)
{
    const struct zti_way way = {.plan = *plan};
    add_way(r, &way);
}

/* The bits of a batch less those that its roughness explains. */
static double unexplained_bits(const struct zti_rates *r, uint32_t batch, double slope)
{
    return r->rate[batch] - slope * r->rough[batch];
}

/* Their mean over the first n batches. */
static double mean_unexplained(const struct zti_rates *r, uint32_t n, double slope)
{
    double sum = 0;
    for (uint32_t b = 0; b < n; b++)
        sum += unexplained_bits(r, b, slope);
    return n > 0 ? sum / n : 0;
}

/* The bits for each value that 'one' takes above 'other' in the batches that both have, and the
 * standard error of this difference. */
static double compare_rates(const struct zti_rates *one, const struct zti_rates *other,
                            double slope, double *error)
{
    const uint32_t n = one->count < other->count ? one->count : other->count;
    const double by = mean_unexplained(one, n, slope) - mean_unexplained(other, n, slope);
    double squares = 0;
    for (uint32_t b = 0; b < n; b++) {
        const double d = unexplained_bits(one, b, slope) - unexplained_bits(other, b, slope) - by;
        squares += d * d;
    }
    *error = n > 1 ? sqrt(squares / n / (n - 1)) : (double)INFINITY;
    return by;
}

/* Sums for a least-squares line of rates over roughness, each runner about its own mean. */
struct line {
    double together, squares;
};

static void add_to_line(struct line *line, const struct zti_rates *r)
{
    double rate = 0, rough = 0;
    for (uint32_t b = 0; b < r->count; b++) {
        rate += r->rate[b] / r->count;
        rough += r->rough[b] / r->count;
    }
    for (uint32_t b = 0; b < r->count; b++) {
        line->together += (r->rate[b] - rate) * (r->rough[b] - rough);
        line->squares += (r->rough[b] - rough) * (r->rough[b] - rough);
    }
}

static double fit_slope(const struct line *line)
{
    return line->squares > 0 && line->together > 0 ? line->together / line->squares : 0;
}

static double compare_runners(const struct race *r, uint32_t one, uint32_t other, double *error)
{
    return compare_rates(&r->runner[one].rates, &r->runner[other].rates, r->slope, error);
}

/* Whether decoding takes too long under a plan: about twice the time that it takes without. The
 * constants of decode_time.h are not exact, hence 1.7. */
static bool decodes_slowly(const struct race *r, uint32_t one)
{
    static const double most = 1.7;
    const struct runner *const runner = &r->runner[one], *const none = &r->runner[0];
    const struct zti_codec *const codec = r->estimator.codec;
    if (runner->rates.count == 0)
        return false;
    return zti_decode_time(codec, r->array->type, &runner->way.plan, r->array->shape,
                           mean_unexplained(&runner->rates, runner->rates.count, 0)) >
           most * zti_decode_time(codec, r->array->type, &none->way.plan, r->array->shape,
                                  mean_unexplained(&none->rates, none->rates.count, 0));
}

static uint32_t find_leader(const struct race *r)
{
    uint32_t best = 0;
    double error;
    for (uint32_t i = 1; i < r->count; i++)
        if (!r->runner[i].is_out && r->runner[i].rates.count >= least_batches(r) &&
            !decodes_slowly(r, i) && compare_runners(r, i, best, &error) < 0)
            best = i;
    return best;
}

/* Whether a runner has the same rates as one before it, so it has the same tiles. */
static bool repeats_another(const struct race *r, uint32_t one)
{
    const struct zti_rates *const own = &r->runner[one].rates;
    for (uint32_t i = 0; i < one; i++) {
        const struct zti_rates *const other = &r->runner[i].rates;
        if (other->count >= own->count &&
            memcmp(own->rate, other->rate, own->count * sizeof *own->rate) == 0)
            return true;
    }
    return false;
}

/* Drop runners that are worse than the best by more than chance explains, that hardly differ from
 * it, or that decode slowly. */
static void drop_losers(struct race *r, uint32_t batches)
{
    struct line line = {0, 0};
    for (uint32_t i = 0; i < r->count; i++)
        add_to_line(&line, &r->runner[i].rates);
    r->slope = fit_slope(&line);
    const uint32_t best = find_leader(r);
    const double rate = mean_unexplained(&r->runner[best].rates, r->runner[best].rates.count, 0);
    for (uint32_t i = 1; i < r->count; i++) {
        double error;
        struct runner *one = &r->runner[i];
        if (one->is_out || (i == best && !r->is_of_ways) || one->rates.count < least_batches(r) ||
            batches < least_batches(r))
            continue;
        const double by = compare_runners(r, i, best, &error);
        if (r->is_of_ways) /* these estimates are 1 % off however many batches there are */
            one->is_out = by > 1.5 * error + 0.01 * rate || repeats_another(r, i);
        else
            one->is_out = decodes_slowly(r, i) || by > 2 * error + 0.003 * rate ||
                          (by >= 0 && by + 2 * error < 0.004 * rate);
    }
}

/* The next runner to estimate: one with the fewest batches. r->count: the race is over, because one
 * runner is left, or one that is certainly better than the array as it is. */
static uint32_t choose_next(const struct race *r)
{
    uint32_t next = r->count, live = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->runner[i].is_out)
            continue;
        live++;
        if (r->runner[i].rates.count < BATCHES_MOST &&
            (next == r->count || r->runner[i].rates.count < r->runner[next].rates.count))
            next = i;
    }
    if (live == 2 && next < r->count && r->runner[next].rates.count >= least_batches(r)) {
        double error;
        const uint32_t best = find_leader(r);
        const double by = compare_runners(r, 0, best, &error);
        if (best > 0 &&
            by > 3 * error + 0.05 * mean_unexplained(&r->runner[best].rates, least_batches(r), 0))
            return r->count;
    }
    return live < 2 ? r->count : next;
}

/* Estimate batches until 'budget' values were coded or the race is over. */
static zt_status run_race(struct race *r, uint64_t budget)
{
    uint32_t next;
    zt_status status = ZT_OK;
    uint32_t lap = 0;
    while (!status && (next = choose_next(r)) < r->count) {
        struct runner *one = &r->runner[next];
        if (one->rates.count > lap) { /* each runner has this many batches */
            lap = one->rates.count;
            drop_losers(r, lap);
            if (lap >= least_batches(r) && r->estimator.spent >= budget)
                return ZT_OK;
            if (r->runner[next].is_out)
                continue;
        }
        if (r->is_of_ways) {
            status = zti_ways_guess(&r->estimator, &r->seen, &one->way, &one->rates);
        } else {
            status = zti_estimate(&r->estimator, &one->way.plan, one->rates.count,
                                  &one->rates.rate[one->rates.count]);
            one->rates.count++;
        }
    }
    return status;
}

/* ---- who takes part ---- */

static void add_order(struct race *r, const uint8_t *order, uint32_t joins)
{
    const struct zti_plan plan = zti_plan_make(r->array->rank, r->array->shape, order, r->n, joins);
    add_plan(r, &plan);
}

/* Add the plan whose tiles extend along the axes of a set. Each other axis is joined to the next
 * faster axis of the set as its slower part; axes faster than all of the set come first. */
static void add_set(struct race *r, uint32_t set)
{
    uint8_t order[AXES_MOST];
    uint32_t n = 0, joins = 0, last = 0;
    for (uint32_t k = 0; k < r->n; k++)
        last = set >> k & 1 ? k : last;
    for (uint32_t k = last + 1; k < r->n; k++) {
        joins |= 2u << n;
        order[n++] = r->axes[k];
    }
    for (uint32_t k = 0; k <= last; k++) {
        joins |= set >> k & 1 ? 0 : 2u << n;
        order[n++] = r->axes[k];
    }
    add_order(r, order, joins);
}

/* Add plans with the coded axes of a plan in all other orders, in rank 4 only in reverse. */
static void add_orders(struct race *r, const struct zti_plan *plan)
{
    uint8_t start[AXES_MOST + 1], axes[AXES_MOST] = {0, 1, 2, 3}, order[AXES_MOST];
    uint32_t rank = 0;
    for (uint32_t k = 0; k < plan->rank; k++)
        if (!plan->is_joined[k])
            start[rank++] = (uint8_t)k;
    start[rank] = plan->rank;
    for (uint32_t code = 0; code < 256; code++) {
        struct zti_plan turned = {.rank = plan->rank};
        uint32_t to = 0;
        if (!zti_axes_order(code, axes, rank, order) || (rank == 4 && code != 0x1b))
            continue;
        for (uint32_t i = 0; i < rank; i++)
            for (uint32_t k = start[order[i]]; k < start[order[i] + 1]; k++, to++) {
                turned.axis[to] = plan->axis[k];
                turned.is_joined[to] = plan->is_joined[k];
            }
        add_plan(r, &turned);
    }
}

static void add_first_round(struct race *r)
{
    const struct zti_plan none = zti_plan_make(r->array->rank, r->array->shape, r->axes, r->n, 0);
    add_plan(r, &none);
    for (uint32_t set = 1; set < 1u << r->n; set++)
        add_set(r, set);
}

/* Add the best plan in other orders; false if the rest of the budget is too small for them. */
static bool add_second_round(struct race *r, uint64_t budget)
{
    const struct zti_plan best = r->runner[find_leader(r)].way.plan;
    const uint32_t before = r->count;
    const uint64_t left = budget > r->estimator.spent ? budget - r->estimator.spent : 0;
    uint32_t batches = 0;
    for (uint32_t i = 0; i < before; i++)
        batches += r->runner[i].rates.count;
    add_orders(r, &best);
    if (left / BATCHES_LEAST * batches < (r->count - before) * r->estimator.spent)
        r->count = before;
    return r->count > before;
}

/* ---- the choice ---- */

/* Values to code for estimates: the part of the array whose coding takes about a tenth of the time
 * of all, but no more than make chance negligible. */
static uint64_t choose_budget(const struct race *r)
{
    enum { PART = 28, MOST = 1 << 19 };
    const uint64_t some = zti_array_values(r->array->rank, r->array->shape) / PART;
    return some < MOST ? some : MOST;
}

/* List all plans with the bytes expected of them, the smallest first. */
static void list_tried(const struct race *r, struct zti_choice *choice)
{
    const struct runner *none = &r->runner[0];
    const double values = (double)zti_array_values(r->array->rank, r->array->shape);
    const double rate = mean_unexplained(&none->rates, none->rates.count, 0);
    double error;
    choice->unplanned_bytes = values / 8 * rate;
    for (uint32_t i = 0; i < r->count; i++) {
        struct zti_tried tried = {.plan = r->runner[i].way.plan};
        if (r->runner[i].rates.count == 0 || decodes_slowly(r, i))
            continue;
        tried.bytes = values / 8 * (rate + compare_runners(r, i, 0, &error));
        uint32_t at = 0;
        while (at < choice->tried && !is_same(&choice->list[at].plan, &tried.plan))
            at++;
        if (at < choice->tried && choice->list[at].bytes <= tried.bytes)
            continue; /* a plan is listed with its best way */
        choice->tried += at == choice->tried;
        for (; at > 0 && choice->list[at - 1].bytes > tried.bytes; at--)
            choice->list[at] = choice->list[at - 1];
        choice->list[at] = tried;
        if (is_same(&tried.plan, &choice->plan))
            choice->bytes = tried.bytes;
    }
}

/* Smaller arrays are coded as they are: a tenth of their time is too short for an estimate. */
static uint64_t least_values(const struct race *r)
{
    enum { LEAST = 1 << 14, LEAST_TILES = 1 << 18 };
    return zti_has_bricks(r->estimator.codec) || r->is_of_ways ? LEAST : LEAST_TILES;
}

/* A plan must gain more where values are special: the values put in their place are not those that
 * samples have there. */
static double special_gain(const struct race *r)
{
    static const double part = 0.15;
    return part * (double)r->estimator.target->special_values /
           (double)zti_array_values(r->array->rank, r->array->shape);
}

/* Choose the best plan, or none if the best gains too little. */
static void choose_plan(const struct race *r, struct zti_choice *choice)
{
    const uint32_t best = find_leader(r);
    const struct zti_rates *const none = &r->runner[0].rates;
    double error;
    const double by = compare_runners(r, 0, best, &error);
    const double gain = least_gain + special_gain(r);
    if (best > 0 && by > gain * mean_unexplained(none, none->count, 0) && by > error) {
        choice->plan = r->runner[best].way.plan;
        choice->is_other = true;
    }
}

/* ---- the choice of a way ---- */

enum { WAYS_MOST = 6 }; /* and the array as it is */

/* Values to estimate: a third of the array's tiles, at least 16 and at most 24, and a sixteenth of
 * the tiles if that is more, up to 192. An estimate of 16 tiles takes about half a millisecond. */
static uint64_t choose_budget_of_ways(const struct race *r)
{
    enum { TINY = 16, SMALL_PART = 3, SMALL = 24, PART = 16, MOST = 192 }; /* tiles */
    const uint64_t tile = zti_count_tile_values(r->estimator.codec, 1);
    const uint64_t all = zti_array_values(r->array->rank, r->array->shape) / tile;
    const uint64_t some = all < SMALL_PART * SMALL ? all / SMALL_PART : SMALL;
    if (some < TINY)
        return TINY * tile;
    return (all / PART < some ? some : all / PART < MOST ? all / PART : MOST) * tile;
}

/* The gain beyond chance that a way needs: enough to pay for the copy of the array that it may
 * need. Other axes of prediction alone need twice that, because the codec chose its axes by tiles
 * of its own. */
static double least_gain_of_way(const struct race *r, bool is_axes_alone)
{
    static const double least = 0.01;
    return (is_axes_alone ? 2 : 1) * least + special_gain(r);
}

/* Choose the best way, or none if the best gains too little. */
static void choose_way(const struct race *r, struct zti_choice *choice)
{
    const uint32_t best = find_leader(r);
    const struct zti_rates *const none = &r->runner[0].rates;
    const bool is_axes_alone = is_same(&r->runner[best].way.plan, &r->runner[0].way.plan);
    double error;
    const double by = compare_runners(r, 0, best, &error);
    if (best == 0 ||
        by - (is_axes_alone ? 2 : 1) * error <=
            least_gain_of_way(r, is_axes_alone) * mean_unexplained(none, none->count, 0))
        return;
    choice->plan = r->runner[best].way.plan;
    choice->is_other = true;
    choice->found = (struct zti_found){.has_axes = true, .axes = r->runner[best].way.axes};
}

/* The costs of a few boxes leave a few ways, which race on pieces of tiles. */
static zt_status race_ways(struct race *r, struct zti_choice *choice)
{
    struct zti_way list[WAYS_MOST];
    zt_status status = zti_ways_look(&r->estimator, &r->seen);
    if (status)
        return status;
    const struct zti_way none = {
        .plan = zti_plan_make(r->array->rank, r->array->shape, r->axes, r->n, 0),
        .axes = r->seen.look.found.axes};
    add_way(r, &none);
    if (r->estimator.target->special_values == 0) /* filled-in values may prefer other axes */
        choice->found = r->seen.look.found;
    const uint32_t n = zti_ways_list(&r->estimator, &r->seen, WAYS_MOST, list);
    for (uint32_t i = 0; i < n; i++)
        add_way(r, &list[i]);
    status = run_race(r, choose_budget_of_ways(r));
    if (!status)
        choose_way(r, choice);
    return status;
}

/* ---- plans and ways ---- */

/* The first round has two thirds of the budget. Its first three batches take a third, or more where
 * a batch is a tile. */
static zt_status race_plans(struct race *r, zt_context *context, const struct zti_codec *codec,
                            const struct zti_target *target, struct zti_choice *choice)
{
    const uint64_t budget = choose_budget(r);
    const uint64_t sets = (1u << r->n) - 1;
    if (r->n < r->array->rank) /* axes of one element vanish in any case */
        choice->plan = choice->unplanned =
            zti_plan_make(r->array->rank, r->array->shape, r->axes, r->n, 0);
    if (r->n < 2 || zti_array_values(r->array->rank, r->array->shape) < least_values(r))
        return ZT_OK;
    zt_status status = zti_estimator_open(context, r->array, codec, target,
                                          budget / 3 / BATCHES_LEAST / sets, &r->estimator);
    if (!status && r->is_of_ways) {
        status = race_ways(r, choice);
    } else if (!status) {
        add_first_round(r);
        status = run_race(r, budget / 3 * 2);
        if (!status && add_second_round(r, budget))
            status = run_race(r, budget);
        if (!status)
            choose_plan(r, choice);
        choice->is_sampled = zti_has_bricks(codec); /* many bricks, coded as they will be */
    }
    if (!status)
        list_tried(r, choice);
    zti_estimator_free(&r->estimator);
    return status;
}

static zt_status choose_for_view(zt_context *context, const struct zti_array *array,
                                 const struct zti_codec *codec, const struct zti_target *target,
                                 struct zti_choice *choice)
{
    struct race *const r = zti_alloc_zeroed(context, sizeof *r);
    memset(choice, 0, sizeof *choice);
    choice->plan = choice->unplanned = zti_plan_none(array->rank);
    if (!r)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a choice of plans");
    r->array = array;
    r->estimator.codec = codec;
    r->is_of_ways = zti_axes_planning_of(codec) != NULL;
    r->n = zti_real_axes(array->rank, array->shape, r->axes);
    const zt_status status = race_plans(r, context, codec, target, choice);
    zti_release(context, r);
    return status;
}

/* ---- axes of one element ---- */

/* 'inner' is a plan for the array as 'outer' shows it; make of both one plan for the array. */
static struct zti_plan compose_plans(const struct zti_plan *outer, const struct zti_plan *inner)
{
    struct zti_plan plan = {.rank = outer->rank};
    uint8_t first[AXES_MOST + 1];
    uint32_t parts = 0, to = 0;
    for (uint32_t k = 0; k < outer->rank; k++)
        if (!outer->is_joined[k])
            first[parts++] = (uint8_t)k;
    first[parts] = outer->rank;
    for (uint32_t i = 0; i < inner->rank; i++)
        for (uint32_t k = first[inner->axis[i]]; k < first[inner->axis[i] + 1]; k++, to++) {
            plan.axis[to] = outer->axis[k];
            plan.is_joined[to] = k > first[inner->axis[i]] || inner->is_joined[i];
        }
    return plan;
}

/* The choice for an array, as one for its view under 'outer'. */
static void compose_choice(struct zti_choice *choice, const struct zti_plan *outer)
{
    choice->plan = compose_plans(outer, &choice->plan);
    choice->unplanned = compose_plans(outer, &choice->unplanned);
    for (uint32_t i = 0; i < choice->tried; i++)
        choice->list[i].plan = compose_plans(outer, &choice->list[i].plan);
}

/* Axes of one element are left out first. */
zt_status zti_plan_choose(zt_context *context, const struct zti_array *array,
                          const struct zti_codec *codec, const struct zti_target *target,
                          struct zti_choice *choice)
{
    uint8_t axes[AXES_MOST];
    const uint32_t n = zti_real_axes(array->rank, array->shape, axes);
    const struct zti_plan real = zti_plan_make(array->rank, array->shape, axes, n, 0);
    struct zti_array seen = *array;
    const bool is_seen = n < array->rank && zti_plan_view(&real, array, &seen);
    zt_status status = choose_for_view(context, &seen, codec, target, choice);
    if (!status && is_seen)
        compose_choice(choice, &real);
    return status;
}

/* ---- what a choice takes ---- */

/* By tiles, predicted along the axes that were chosen. */
static zt_status measure_ways(struct zti_estimator *e, uint64_t values, struct zti_choice *choice)
{
    struct zti_seen seen;
    const uint64_t tiles = values / zti_count_tile_values(e->codec, 1) + 1;
    const uint32_t places = tiles < ZTI_PLACES_MOST ? (uint32_t)tiles : ZTI_PLACES_MOST;
    zt_status status = zti_ways_look(e, &seen);
    struct zti_way way = {.plan = choice->plan, .axes = choice->found.axes};
    if (!choice->found.has_axes)
        way.axes = zti_ways_axes(&seen, &way.plan, e->array->shape);
    if (!status)
        status = zti_ways_code(e, &seen, &way, places, &choice->bytes);
    choice->unplanned_bytes = choice->bytes;
    way.plan = choice->unplanned;
    way.axes = zti_ways_axes(&seen, &way.plan, e->array->shape);
    if (!status && choice->is_other)
        status = zti_ways_code(e, &seen, &way, places, &choice->unplanned_bytes);
    return status;
}

/* By one box, or by tiles. */
static zt_status estimate(struct zti_estimator *e, bool is_box, const struct zti_plan *plan,
                          uint64_t values, double *bytes)
{
    uint64_t box[ZT_MAX_RANK];
    zti_sample_shape(e->array, values, box);
    return is_box ? zti_estimate_box(e, plan, 0, box, bytes)
                  : zti_estimate_whole(e, plan, values, bytes);
}

static zt_status measure_whole(struct zti_estimator *e, bool is_box, uint64_t values,
                               struct zti_choice *choice)
{
    const zt_status status = estimate(e, is_box, &choice->plan, values, &choice->bytes);
    choice->unplanned_bytes = choice->bytes;
    return status || !choice->is_other
               ? status
               : estimate(e, is_box, &choice->unplanned, values, &choice->unplanned_bytes);
}

zt_status zti_plan_measure(zt_context *context, const struct zti_array *array,
                           const struct zti_candidate *candidate, const struct zti_target *target,
                           struct zti_choice *choice)
{
    enum { PART = 8, LEAST = 1 << 17, MOST = 1 << 19, FEW_SHIFT = 3 };
    const struct zti_codec *const codec = zti_codec_by_id(candidate->codec);
    const bool is_box = candidate->has_own_predictor,
               is_of_ways = zti_axes_planning_of(codec) && !is_box;
    const uint64_t times = is_box ? 2 : 1; /* one box says less */
    const uint64_t part = zti_array_values(array->rank, array->shape) / PART;
    const uint64_t values = (part < times * LEAST  ? times * LEAST
                             : part < times * MOST ? part
                                                   : times * MOST) >>
                            (target->has_few_samples ? FEW_SHIFT : 0);
    const double guessed = choice->bytes;
    struct zti_estimator e;
    zt_status status = zti_estimator_open(context, array, codec, target, 0, &e);
    if (!status)
        status = is_of_ways ? measure_ways(&e, values, choice)
                            : measure_whole(&e, is_box, values, choice);
    zti_estimator_free(&e);
    choice->is_sampled = true;
    for (uint32_t i = 0; i < choice->tried && !status; i++)
        choice->list[i].bytes *= guessed > 0 ? choice->bytes / guessed : 1;
    return status;
}

void zti_choice_drop_plan(struct zti_choice *choice)
{
    choice->plan = choice->unplanned;
    choice->bytes = choice->unplanned_bytes;
    choice->is_other = choice->found.has_axes = choice->found.has_rest = false;
    choice->tried = 0;
}
