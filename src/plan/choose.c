/* choose.c: which plans are tried, and on how few values.
 *
 * Of an array of rank 4 there are 24 orders of axes and 8 ways to join them: too many to try. What
 * matters differs by codec.
 *
 * zfp and ndzip treat the axes of a tile nearly alike; what matters is along which axes tiles
 * extend: any of 15 sets. Other axes are joined to one of these as the slower part, by which tiles
 * are their own neighbours along the faster one. The best set is then tried with its axes in other
 * orders, which is worth a few per cent (coefficients are coded in an order that is not quite
 * symmetric).
 *
 * sz chooses itself along which axes it takes differences, but groups what is left in runs along
 * the last axis: which one that is comes first. The best are then tried with the others in other
 * orders, and with axes joined.
 *
 * Plans race: each is estimated on one batch of values after the other (estimate.h), and is out
 * once its mean difference from the best is too large for chance. So clear cases take a few
 * batches, and what is left of the budget, a part of the array, goes to near ties. Another plan
 * than none at all is taken if it is better by enough in the end. */
#include "plan/choose.h"

#include "plan/estimate.h"

#include <math.h>

enum { AXES_MOST = ZT_MAX_RANK };

/* What another plan than none has to gain to be taken. */
static const double least_gain = 0.004, least_gain_ordered = 0.015,
                    least_gain_joined = 0.03, least_gain_high = 0.03;

/* The axes that have more than one element, slowest first. */
static uint32_t real_axes(uint32_t rank, const uint64_t *shape, uint8_t *axes)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < rank; i++)
        if (shape[i] > 1)
            axes[n++] = (uint8_t)i;
    return n;
}

/* The plan with n axes in this order; bit k of joins: axis k is joined to the one before. Axes of
 * one element are joined to the first. */
static struct zti_plan make_plan(uint32_t rank, const uint64_t *shape, const uint8_t *order,
                                 uint32_t n, uint32_t joins)
{
    struct zti_plan plan = {.rank = (uint8_t)rank};
    uint32_t k = 0;
    for (uint32_t i = 0; i < rank; i++)
        if (shape[i] == 1) {
            plan.is_joined[k] = k > 0;
            plan.axis[k++] = (uint8_t)i;
        }
    for (uint32_t i = 0; i < n; i++) {
        plan.is_joined[k] = k > 0 && (i == 0 || (joins >> i & 1));
        plan.axis[k++] = order[i];
    }
    return plan;
}

/* Permutation number 'code' of n axes, by its digits in base 4; false where that is none. */
static bool order_of(uint32_t code, const uint8_t *axes, uint32_t n, uint8_t *order)
{
    uint32_t seen = 0;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t digit = code >> 2 * k & 3;
        if (digit >= n || (seen >> digit & 1))
            return false;
        seen |= 1u << digit;
        order[k] = axes[digit];
    }
    return code >> 2 * n == 0;
}

uint32_t zti_plans_of(uint32_t rank, const uint64_t *shape, struct zti_plan *list)
{
    uint8_t axes[AXES_MOST], order[AXES_MOST];
    const uint32_t n = real_axes(rank, shape, axes);
    uint32_t count = 0;
    for (uint32_t code = 0; code < 256; code++)
        if (order_of(code, axes, n, order))
            for (uint32_t joins = 0; joins < 1u << n; joins += 2)
                list[count++] = make_plan(rank, shape, order, n, joins);
    if (count == 0)
        list[count++] = make_plan(rank, shape, axes, 0, 0);
    return count;
}

/* ---- the race ---- */

enum { BATCHES_MOST = 96, BATCHES_LEAST = 3 };

struct runner {
    struct zti_plan plan;
    uint32_t batches; /* that were estimated */
    bool is_out;
    double rate[BATCHES_MOST];
};

struct race {
    const zt_array *array;
    struct zti_estimator estimator;
    uint8_t axes[AXES_MOST]; /* of more than one element */
    uint32_t n;
    bool is_ordered; /* the order of axes matters most */
    uint32_t count;  /* runner[0] is no plan at all, which is never out */
    struct runner runner[ZTI_TRIED_MOST];
};

static bool is_same(const struct zti_plan *a, const struct zti_plan *b)
{
    return memcmp(a->axis, b->axis, sizeof a->axis) == 0 &&
           memcmp(a->is_joined, b->is_joined, sizeof a->is_joined) == 0;
}

/* Let a plan take part unless it does. */
static void propose(struct race *r, const struct zti_plan *plan)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (is_same(&r->runner[i].plan, plan))
            return;
    if (r->count < ZTI_TRIED_MOST && zti_estimate_can(&r->estimator, plan)) {
        r->runner[r->count] = (struct runner){.plan = *plan};
        r->count++;
    }
}

/* The mean of the first n rates. */
static double mean(const struct runner *one, uint32_t n)
{
    double sum = 0;
    for (uint32_t b = 0; b < n; b++)
        sum += one->rate[b];
    return n > 0 ? sum / n : 0;
}

/* By how much 'one' is worse than 'other' in the batches of both, and the standard error of
 * that. */
static double worse_by(const struct runner *one, const struct runner *other, double *error)
{
    const uint32_t n = one->batches < other->batches ? one->batches : other->batches;
    const double by = mean(one, n) - mean(other, n);
    double squares = 0;
    for (uint32_t b = 0; b < n; b++) {
        const double d = one->rate[b] - other->rate[b] - by;
        squares += d * d;
    }
    *error = n > 1 ? sqrt(squares / n / (n - 1)) : (double)INFINITY;
    return by;
}

static uint32_t leader_of(const struct race *r)
{
    uint32_t best = 0;
    double error;
    for (uint32_t i = 1; i < r->count; i++)
        if (!r->runner[i].is_out && r->runner[i].batches >= BATCHES_LEAST &&
            worse_by(&r->runner[i], &r->runner[best], &error) < 0)
            best = i;
    return best;
}

/* Who is worse than the best by more than chance explains is out; so is who is hardly
 * different. */
static void sort_out(struct race *r, uint32_t batches)
{
    const uint32_t best = leader_of(r);
    const double rate = mean(&r->runner[best], r->runner[best].batches);
    for (uint32_t i = 1; i < r->count; i++) {
        double error;
        struct runner *one = &r->runner[i];
        if (one->is_out || i == best || one->batches < BATCHES_LEAST || batches < BATCHES_LEAST)
            continue;
        const double by = worse_by(one, &r->runner[best], &error);
        if (r->is_ordered) /* such estimates are off by that much whatever they are made of */
            one->is_out = by > 2 * error + 0.04 * rate;
        else
            one->is_out =
                by > 2 * error + 0.003 * rate || (by >= 0 && by + 2 * error < 0.004 * rate);
    }
}

/* The one that is next: who has the fewest batches. r->count where the race is over: one is left,
 * beside none at all if that is out of the question. */
static uint32_t next_of(const struct race *r)
{
    uint32_t next = r->count, live = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->runner[i].is_out)
            continue;
        live++;
        if (r->runner[i].batches < BATCHES_MOST &&
            (next == r->count || r->runner[i].batches < r->runner[next].batches))
            next = i;
    }
    if (live == 2 && next < r->count && r->runner[next].batches >= BATCHES_LEAST) {
        double error;
        const uint32_t best = leader_of(r);
        const double by = worse_by(&r->runner[0], &r->runner[best], &error);
        if (best > 0 && by > 3 * error + 0.05 * mean(&r->runner[best], BATCHES_LEAST))
            return r->count;
    }
    return live < 2 ? r->count : next;
}

/* Run until so many values were looked at or all is clear. */
static zt_status run(struct race *r, uint64_t budget)
{
    uint32_t next;
    zt_status status = ZT_OK;
    uint32_t lap = 0;
    while (!status && (next = next_of(r)) < r->count) {
        struct runner *one = &r->runner[next];
        if (one->batches > lap) { /* all have as many */
            lap = one->batches;
            sort_out(r, lap);
            if (lap >= BATCHES_LEAST && r->estimator.spent >= budget)
                return ZT_OK;
            if (r->runner[next].is_out)
                continue;
        }
        status = zti_estimate(&r->estimator, &one->plan, one->batches, &one->rate[one->batches]);
        one->batches++;
    }
    return status;
}

/* ---- who takes part ---- */

static void propose_order(struct race *r, const uint8_t *order, uint32_t joins)
{
    const struct zti_plan plan = make_plan(r->array->rank, r->array->shape, order, r->n, joins);
    propose(r, &plan);
}

/* Tiles that extend along the axes of a set: each other axis is joined to the next faster one of
 * the set, as the slower part; those behind the last one of the set come first. */
static void propose_set(struct race *r, uint32_t set)
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
    propose_order(r, order, joins);
}

/* Each axis as the last, the others in their order; and with a short axis joined to it, whose
 * elements then lie side by side. */
static void propose_lasts(struct race *r)
{
    enum { SHORT = 8 };
    for (uint32_t last = 0; last < r->n; last++) {
        for (uint32_t with = 0; with < r->n; with++) {
            uint8_t order[AXES_MOST];
            uint32_t n = 0;
            if (with != last && r->array->shape[r->axes[with]] > SHORT)
                continue;
            for (uint32_t k = 0; k < r->n; k++)
                if (k != last && k != with)
                    order[n++] = r->axes[k];
            order[n++] = r->axes[last];
            if (with != last)
                order[n] = r->axes[with];
            propose_order(r, order, with != last ? 1u << n : 0);
        }
    }
}

/* The coded axes of a plan in all other orders; in rank 4 backwards only. */
static void propose_turns(struct race *r, const struct zti_plan *plan)
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
        if (!order_of(code, axes, rank, order) || (rank == 4 && code != 0x1b))
            continue;
        for (uint32_t i = 0; i < rank; i++)
            for (uint32_t k = start[order[i]]; k < start[order[i] + 1]; k++, to++) {
                turned.axis[to] = plan->axis[k];
                turned.is_joined[to] = plan->is_joined[k];
            }
        propose(r, &turned);
    }
}

/* A plan with its axes joined in all ways; and, without joins, with the slower axes swapped. */
static void propose_near(struct race *r, const struct zti_plan *plan)
{
    uint8_t order[AXES_MOST];
    uint32_t n = 0;
    for (uint32_t k = 0; k < plan->rank; k++)
        if (r->array->shape[plan->axis[k]] > 1)
            order[n++] = plan->axis[k];
    for (uint32_t joins = 0; joins < 1u << n; joins += 2)
        propose_order(r, order, joins);
    for (uint32_t k = 0; k + 2 < n; k++) {
        uint8_t swapped[AXES_MOST];
        memcpy(swapped, order, sizeof swapped);
        swapped[k] = order[k + 1];
        swapped[k + 1] = order[k];
        propose_order(r, swapped, 0);
    }
}

static void propose_first(struct race *r)
{
    const struct zti_plan none =
        make_plan(r->array->rank, r->array->shape, r->axes, r->n, 0);
    propose(r, &none);
    if (r->is_ordered)
        propose_lasts(r);
    for (uint32_t set = 1; set < 1u << r->n && !r->is_ordered; set++)
        propose_set(r, set);
}

/* What is near the best one; false where what is left of the budget does not suffice. */
static bool propose_second(struct race *r, uint64_t budget)
{
    const struct zti_plan best = r->runner[leader_of(r)].plan;
    const uint32_t before = r->count;
    const uint64_t left = budget > r->estimator.spent ? budget - r->estimator.spent : 0;
    uint32_t batches = 0;
    for (uint32_t i = 0; i < before; i++)
        batches += r->runner[i].batches;
    if (r->is_ordered)
        propose_near(r, &best);
    else
        propose_turns(r, &best);
    if (left / BATCHES_LEAST * batches < (r->count - before) * r->estimator.spent)
        r->count = before;
    return r->count > before;
}

/* ---- the choice ---- */

/* Values that may be looked at: the part of the array whose coding takes about a tenth of the time
 * that all of it does; of a large one so many that chance does not matter. */
static uint64_t budget_of(const struct race *r)
{
    enum { PART = 28, PART_ORDERED = 10, MOST = 1 << 19, MOST_ORDERED = 3 << 17 };
    const uint64_t all = zti_array_values(r->array->rank, r->array->shape);
    const uint64_t some = all / (r->is_ordered ? PART_ORDERED : PART);
    const uint64_t most = r->is_ordered ? MOST_ORDERED : MOST;
    return some < most ? some : most;
}

/* How far each of the race got, the best first. */
static void list(const struct race *r, struct zti_choice *choice)
{
    const struct runner *none = &r->runner[0];
    const double values = (double)zti_array_values(r->array->rank, r->array->shape);
    const double rate = mean(none, none->batches);
    double error;
    choice->unplanned_bytes = values / 8 * rate;
    for (uint32_t i = 0; i < r->count; i++) {
        struct zti_tried tried = {.plan = r->runner[i].plan};
        if (r->runner[i].batches == 0)
            continue;
        tried.bytes = values / 8 * (rate + worse_by(&r->runner[i], none, &error));
        uint32_t at = choice->tried++;
        for (; at > 0 && choice->list[at - 1].bytes > tried.bytes; at--)
            choice->list[at] = choice->list[at - 1];
        choice->list[at] = tried;
        if (is_same(&tried.plan, &choice->plan))
            choice->bytes = tried.bytes;
    }
}

/* Smaller arrays are coded as they are: nothing can be said of them in a tenth of the time. */
static uint64_t least_values(const struct race *r)
{
    enum { LEAST = 1 << 14, LEAST_TILES = 1 << 18 };
    return r->estimator.codec->id == ZT_CODEC_ZFP ? LEAST : LEAST_TILES;
}

/* Take the best plan, or none if that is hardly worse. */
static void decide(const struct race *r, struct zti_choice *choice)
{
    const uint32_t best = leader_of(r);
    const struct runner *none = &r->runner[0], *one = &r->runner[best];
    double error;
    const double by = worse_by(none, one, &error);
    if (best > 0 && by > least_gain * mean(none, none->batches) && by > error)
        choice->plan = one->plan;
}

static bool has_joins(const struct zti_plan *plan)
{
    bool is_joined = false;
    for (uint32_t k = 1; k < plan->rank; k++)
        is_joined = is_joined || plan->is_joined[k];
    return is_joined;
}

/* The best of none and of the plans that are left, two at most, by what the codec makes of so many
 * batches with all that it learns. */
static zt_status run_final(struct race *r, uint32_t batches, struct zti_choice *choice)
{
    enum { MANY = 128 };
    const struct zti_plan none = r->runner[0].plan;
    const uint32_t most = batches < MANY ? 1 : 2;
    double least = 0, rate;
    zt_status status = zti_estimate_learnt(&r->estimator, &none, batches, &least);
    least *= 1 - least_gain_ordered;
    for (uint32_t turn = 0; turn < most && !status; turn++) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < r->count; i++)
            if (!r->runner[i].is_out && (best == 0 || mean(&r->runner[i], BATCHES_LEAST) <
                                                          mean(&r->runner[best], BATCHES_LEAST)))
                best = i;
        if (best == 0)
            break;
        r->runner[best].is_out = true;
        status = zti_estimate_learnt(&r->estimator, &r->runner[best].plan, batches, &rate);
        if (has_joins(&r->runner[best].plan)) /* whose tiles are elsewhere than those of none */
            rate *= 1 + least_gain_joined;
        if (!status && rate < least) {
            least = rate;
            choice->plan = r->runner[best].plan;
            choice->has_axes =
                zti_estimate_axes(&r->estimator, &choice->plan, &choice->axes);
        }
    }
    return status;
}

/* Give up a plan that chance has favoured: coded for good, samples have to be smaller with it. */
static zt_status check(struct race *r, struct zti_choice *choice)
{
    enum { PART = 96, LEAST = 1 << 14, MOST = 1 << 16 };
    const uint64_t part = zti_array_values(r->array->rank, r->array->shape) / PART;
    const uint64_t values = part < LEAST ? LEAST : part < MOST ? part : MOST;
    const struct zti_plan none = r->runner[0].plan;
    double with, without;
    if (is_same(&none, &choice->plan))
        return ZT_OK;
    zt_status status = zti_estimate_whole(&r->estimator, &none, values, &without);
    if (!status)
        status = zti_estimate_whole(&r->estimator, &choice->plan, values, &with);
    if (!status && with > without * (1 - least_gain)) {
        choice->plan = none;
        choice->has_axes = false;
    }
    return status;
}

/* Where the codec learns from all values, estimates sort out and a final decides. */
static zt_status race_ordered(struct race *r, uint64_t budget, struct zti_choice *choice)
{
    enum { PART_VALUES = 1 << 10 };
    const uint64_t batches = budget / 2 / 2 / PART_VALUES;
    zt_status status = r->count > 2 ? run(r, budget / 3) : ZT_OK;
    if (!status && r->count > 2 && propose_second(r, budget / 2))
        status = run(r, budget / 2);
    if (!status)
        status = run_final(r, batches < 8 ? 8 : (uint32_t)batches, choice);
    return status ? status : check(r, choice);
}

/* Two thirds of what may be looked at are for the first round. The first three laps of it take a
 * third, or more where a batch is a tile. */
static zt_status race(struct race *r, zt_context *context, const struct zti_codec *codec,
                      const struct zti_ask *ask, struct zti_choice *choice)
{
    const uint64_t budget = budget_of(r);
    const uint64_t sets = (1u << r->n) - 1;
    if (r->n < r->array->rank) /* axes of one element vanish in any case */
        choice->plan = make_plan(r->array->rank, r->array->shape, r->axes, r->n, 0);
    if (r->n < 2 || zti_array_values(r->array->rank, r->array->shape) < least_values(r))
        return ZT_OK;
    zt_status status = zti_estimator_open(context, r->array, codec, ask,
                                          budget / 3 / BATCHES_LEAST / sets, &r->estimator);
    propose_first(r);
    if (!status && r->is_ordered) {
        status = race_ordered(r, budget, choice);
    } else if (!status) {
        status = run(r, budget / 3 * 2);
        if (!status && propose_second(r, budget))
            status = run(r, budget);
        if (!status)
            decide(r, choice);
    }
    if (!status)
        list(r, choice);
    zti_estimator_free(&r->estimator);
    return status;
}

static zt_status choose(zt_context *context, const zt_array *array, const struct zti_codec *codec,
                        const struct zti_ask *ask, struct zti_choice *choice)
{
    struct race *const r = zti_alloc_zeroed(context, sizeof *r);
    memset(choice, 0, sizeof *choice);
    choice->plan = zti_plan_none(array->rank);
    if (!r)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a choice of plans");
    r->array = array;
    r->estimator.codec = codec;
    r->is_ordered = codec->id == ZT_CODEC_SZ;
    r->n = real_axes(array->rank, array->shape, r->axes);
    const zt_status status = race(r, context, codec, ask, choice);
    zti_release(context, r);
    return status;
}

/* ---- short axes ---- */

/* Whether samples, coded for good, are smaller by far under a plan than under none. */
static zt_status is_far_smaller(zt_context *context, const zt_array *array,
                                const struct zti_codec *codec, const struct zti_ask *ask,
                                const struct zti_plan *plan, bool *is_smaller)
{
    enum { PART = 16, LEAST = 1 << 15, MOST = 1 << 17 };
    const double part_of = 0.99;
    const uint64_t part = zti_array_values(array->rank, array->shape) / PART;
    const uint64_t values = part < LEAST ? LEAST : part < MOST ? part : MOST;
    const struct zti_plan none = zti_plan_none(array->rank);
    struct zti_estimator e;
    double with = 0, without = 0;
    zt_status status = zti_estimator_open(context, array, codec, ask, 0, &e);
    if (!status)
        status = zti_estimate_whole(&e, &none, values, &without);
    if (!status)
        status = zti_estimate_whole(&e, plan, values, &with);
    zti_estimator_free(&e);
    *is_smaller = with < part_of * without;
    return status;
}

/* The plan of an array from one of its view under 'outer', which has fewer axes. */
static struct zti_plan composed(const struct zti_plan *outer, const struct zti_plan *inner)
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
static void compose(struct zti_choice *choice, const struct zti_plan *outer)
{
    choice->plan = composed(outer, &choice->plan);
    for (uint32_t i = 0; i < choice->tried; i++)
        choice->list[i].plan = composed(outer, &choice->list[i].plan);
}

/* An axis of a few elements may be a part of its neighbour, split off: where the array with both
 * joined is far smaller, what is planned is that array. *is_found: *choice was made so. */
static zt_status choose_joined(zt_context *context, const zt_array *array,
                               const struct zti_codec *codec, const struct zti_ask *ask,
                               struct zti_choice *choice, bool *is_found)
{
    enum { SHORT = 4, LEAST = 1 << 14 };
    uint8_t axes[AXES_MOST];
    zt_status status = ZT_OK;
    const uint32_t n = real_axes(array->rank, array->shape, axes);
    *is_found = false;
    if (n < 2 || zti_array_values(array->rank, array->shape) < LEAST)
        return ZT_OK;
    for (uint32_t k = 0; k < n && !status && !*is_found; k++) {
        const struct zti_plan plan =
            make_plan(array->rank, array->shape, axes, n, 1u << (k > 0 ? k : 1));
        zt_array joined;
        if (array->shape[axes[k]] > SHORT || !zti_plan_view(&plan, array, &joined))
            continue;
        status = is_far_smaller(context, array, codec, ask, &plan, is_found);
        if (status || !*is_found)
            continue;
        status = choose(context, &joined, codec, ask, choice);
        if (!status)
            compose(choice, &plan);
    }
    return status;
}

zt_status zti_plan_check_high(zt_context *context, const zt_array *array,
                              const struct zti_codec *codec, const struct zti_ask *ask,
                              struct zti_choice *choice)
{
    enum { PART = 16, LEAST = 1 << 17, MOST = 1 << 19 };
    const uint64_t part = zti_array_values(array->rank, array->shape) / PART;
    const uint64_t values = part < LEAST ? LEAST : part < MOST ? part : MOST;
    const struct zti_plan none = zti_plan_none(array->rank);
    struct zti_estimator e;
    double with = 0, without = 0;
    if (zti_plan_is_none(&choice->plan))
        return ZT_OK;
    zt_status status = zti_estimator_open(context, array, codec, ask, 0, &e);
    if (!status)
        status = zti_estimate_whole(&e, &none, values, &without);
    if (!status)
        status = zti_estimate_whole(&e, &choice->plan, values, &with);
    zti_estimator_free(&e);
    if (!status && with > without * (1 - least_gain_high)) {
        choice->plan = none;
        choice->has_axes = false;
        choice->bytes = choice->unplanned_bytes;
    }
    return status;
}

/* Axes of one element are no matter. */
zt_status zti_plan_choose(zt_context *context, const zt_array *array,
                          const struct zti_codec *codec, const struct zti_ask *ask,
                          struct zti_choice *choice)
{
    uint8_t axes[AXES_MOST];
    const uint32_t n = real_axes(array->rank, array->shape, axes);
    const struct zti_plan real = make_plan(array->rank, array->shape, axes, n, 0);
    zt_array seen = *array;
    zt_params params = *ask->params;
    struct zti_ask own = *ask;
    bool is_found = false;
    if (params.effort == ZT_EFFORT_HIGH) /* which chooses between 'default' and its own way */
        params.effort = ZT_EFFORT_DEFAULT;
    own.params = &params;
    const bool is_seen = n < array->rank && zti_plan_view(&real, array, &seen);
    zt_status status = ZT_OK;
    if (codec->id == ZT_CODEC_SZ)
        status = choose_joined(context, &seen, codec, &own, choice, &is_found);
    if (!status && !is_found)
        status = choose(context, &seen, codec, &own, choice);
    if (!status && ask->params->effort == ZT_EFFORT_HIGH)
        status = zti_plan_check_high(context, &seen, codec, ask, choice);
    if (!status && is_seen)
        compose(choice, &real);
    return status;
}

/* ---- what a choice takes ---- */

zt_status zti_plan_measure(zt_context *context, const zt_array *array,
                           const struct zti_codec *codec, const struct zti_ask *ask,
                           bool is_exact, struct zti_choice *choice)
{
    enum { PART = 24, LEAST = 1 << 15, LEAST_EXACT = 1 << 17, MOST = 1 << 19 };
    const uint64_t part = zti_array_values(array->rank, array->shape) / PART;
    const uint64_t least = is_exact ? LEAST_EXACT : LEAST;
    const uint64_t values = part < least ? least : part < MOST ? part : MOST;
    const struct zti_plan none = zti_plan_none(array->rank);
    const double guessed = choice->bytes;
    struct zti_estimator e;
    zt_status status = zti_estimator_open(context, array, codec, ask, 0, &e);
    if (!status)
        status = zti_estimate_whole(&e, &choice->plan, values, &choice->bytes);
    choice->unplanned_bytes = choice->bytes;
    if (!status && is_exact && !zti_plan_is_none(&choice->plan))
        status = zti_estimate_whole(&e, &none, values, &choice->unplanned_bytes);
    zti_estimator_free(&e);
    for (uint32_t i = 0; i < choice->tried && !status; i++) {
        struct zti_tried *one = &choice->list[i];
        one->bytes *= choice->bytes / guessed;
        if (zti_plan_is_none(&one->plan))
            one->bytes = choice->unplanned_bytes;
    }
    if (choice->tried == 0)
        choice->list[choice->tried++] =
            (struct zti_tried){.plan = none, .bytes = choice->unplanned_bytes};
    return status;
}
