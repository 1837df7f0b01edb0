/* choose.c: which plans are tried, and how few values of each.
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
 * the last axis and cuts tiles accordingly: what matters first is the order of axes. The best
 * orders are then tried with axes joined.
 *
 * Each of the three rounds has fewer plans and more values of each. Another plan than none at all
 * has to be better in the last one: by little where the round had all values, by more where it had
 * samples, most where these say least. */
#include "plan/choose.h"

enum { AXES_MOST = ZT_MAX_RANK };

/* What another plan than none has to gain to be taken, by what was found out about it. */
static const double gain_of_sample = 0.01, gain_of_sample_ordered = 0.04, gain_of_all = 0.002;

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

/* ---- what is tried ---- */

struct search {
    zt_context *context;
    const zt_array *array;
    const struct zti_codec *codec;
    const struct zti_ask *ask;
    struct zti_choice *choice;
    uint8_t axes[AXES_MOST];
    uint32_t n; /* of axes */
    bool has_all; /* the last round's sample was the whole array */
};

static bool is_same(const struct zti_plan *a, const struct zti_plan *b)
{
    return memcmp(a->axis, b->axis, sizeof a->axis) == 0 &&
           memcmp(a->is_joined, b->is_joined, sizeof a->is_joined) == 0;
}

/* Put a plan on the list unless it is there. */
static void propose(struct search *s, const struct zti_plan *plan)
{
    struct zti_choice *c = s->choice;
    for (uint32_t i = 0; i < c->tried; i++)
        if (is_same(&c->list[i].plan, plan))
            return;
    if (c->tried < ZTI_TRIED_MOST)
        c->list[c->tried++] = (struct zti_tried){.plan = *plan};
}

static void propose_order(struct search *s, const uint8_t *order, uint32_t joins)
{
    const struct zti_plan plan =
        make_plan(s->array->rank, s->array->shape, order, s->n, joins);
    propose(s, &plan);
}

/* Tiles that extend along the axes of a set: each other axis is joined to the next faster one of
 * the set, as the slower part; those behind the last one of the set come first. */
static void propose_set(struct search *s, uint32_t set)
{
    uint8_t order[AXES_MOST];
    uint32_t n = 0, joins = 0, last = 0;
    for (uint32_t k = 0; k < s->n; k++)
        last = set >> k & 1 ? k : last;
    for (uint32_t k = last + 1; k < s->n; k++) {
        joins |= 2u << n;
        order[n++] = s->axes[k];
    }
    for (uint32_t k = 0; k <= last; k++) {
        joins |= set >> k & 1 ? 0 : 2u << n;
        order[n++] = s->axes[k];
    }
    propose_order(s, order, joins);
}

/* The coded axes of a plan in all other orders; in rank 4 backwards only. */
static void propose_turns(struct search *s, const struct zti_plan *plan)
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
        propose(s, &turned);
    }
}

/* A plan with its axes joined in all ways. */
static void propose_joins(struct search *s, const struct zti_plan *plan)
{
    uint8_t order[AXES_MOST];
    uint32_t n = 0;
    for (uint32_t k = 0; k < plan->rank; k++)
        if (s->array->shape[plan->axis[k]] > 1)
            order[n++] = plan->axis[k];
    for (uint32_t joins = 0; joins < 1u << n; joins += 2)
        propose_order(s, order, joins);
}

static bool is_ordered(const struct search *s)
{
    return s->codec->id == ZT_CODEC_SZ;
}

static void propose_first(struct search *s)
{
    const struct zti_plan none = zti_plan_none(s->array->rank);
    uint8_t order[AXES_MOST];
    propose(s, &none);
    if (is_ordered(s)) {
        for (uint32_t code = 0; code < 256; code++)
            if (order_of(code, s->axes, s->n, order))
                propose_order(s, order, 0);
    } else {
        for (uint32_t set = 1; set < 1u << s->n; set++)
            propose_set(s, set);
    }
}

/* What is near the best ones. */
static void propose_second(struct search *s)
{
    const uint32_t best = s->choice->tried;
    for (uint32_t i = 0; i < best; i++) {
        const struct zti_plan plan = s->choice->list[i].plan;
        if (is_ordered(s))
            propose_joins(s, &plan);
        else if (i == 0)
            propose_turns(s, &plan);
    }
}

/* ---- rounds ---- */

/* Values that a round may code, for all plans on the list together: so many that three rounds take
 * less than a tenth of the time that the array takes; and, where that is nothing, what takes a few
 * milliseconds (sz: some tens of them, as it is slower and its plans differ by less). */
static uint64_t round_values(const struct search *s, bool is_last)
{
    enum { PART = 48, LEAST = 1 << 17, LEAST_ORDERED = 1 << 19 };
    const uint64_t some = zti_array_values(s->array->rank, s->array->shape) / PART;
    const uint64_t least = !is_ordered(s) ? LEAST : is_last ? 3 * LEAST_ORDERED : LEAST_ORDERED;
    return some > least ? some : least;
}

/* Estimate all plans on the list and sort it, equal ones in the order they were proposed. What zfp
 * makes of a few values anywhere is what it makes of them; sz learns from bricks, and needs such as
 * are not nearly empty. */
static zt_status try_all(struct search *s, bool is_last)
{
    enum { BRICK_VALUES = 4096 };
    struct zti_choice *c = s->choice;
    struct zti_sample sample;
    const uint64_t values = round_values(s, is_last) / c->tried;
    zt_status status = zti_sample_take(s->context, s->array, s->ask, values, BRICK_VALUES,
                                       is_ordered(s), &sample);
    s->has_all =
        !status && sample.brick_values == zti_array_values(sample.rank, sample.shape);
    for (uint32_t i = 0; i < c->tried && !status; i++) {
        struct zti_tried one = c->list[i];
        status = zti_sample_code(&sample, s->codec, s->ask, &one.plan, &one.bytes);
        uint32_t at = i;
        for (; at > 0 && c->list[at - 1].bytes > one.bytes; at--)
            c->list[at] = c->list[at - 1];
        c->list[at] = one;
    }
    zti_sample_free(&sample);
    return status;
}

/* Keep the best ones, and no plan at all, which is put at the end where it is not among them. */
static void keep(struct search *s, uint32_t count)
{
    struct zti_choice *c = s->choice;
    for (uint32_t i = count; i < c->tried; i++)
        if (zti_plan_is_none(&c->list[i].plan)) {
            c->list[count] = c->list[i];
            c->tried = count + 1;
            return;
        }
    c->tried = count < c->tried ? count : c->tried;
}

static zt_status rounds(struct search *s)
{
    propose_first(s);
    zt_status status = try_all(s, false);
    if (status)
        return status;
    const struct zti_plan first = s->choice->list[0].plan;
    keep(s, is_ordered(s) && s->n < ZT_MAX_RANK ? 4 : 2);
    propose_second(s);
    status = try_all(s, false);
    if (status)
        return status;
    keep(s, 2);
    if (is_ordered(s))
        propose(s, &first); /* of more values than the second round had for each */
    return try_all(s, true);
}

/* Whether axes are joined that do not lie together in memory. Of these, bricks tell sz wrong. */
static bool has_far_joins(const struct zti_plan *plan)
{
    for (uint32_t k = 1; k < plan->rank; k++)
        if (plan->is_joined[k] && plan->axis[k] != plan->axis[k - 1] + 1)
            return true;
    return false;
}

/* Take the first plan of the list, or none. */
static void decide(struct search *s)
{
    struct zti_choice *choice = s->choice;
    const struct zti_tried *best = &choice->list[0];
    for (uint32_t i = 0; i < choice->tried; i++)
        if (zti_plan_is_none(&choice->list[i].plan))
            choice->unplanned_bytes = choice->list[i].bytes;
    const double gain = s->has_all         ? gain_of_all
                        : is_ordered(s) ? gain_of_sample_ordered
                                        : gain_of_sample;
    const bool is_better = best->bytes < (1 - gain) * choice->unplanned_bytes &&
                           (s->has_all || !is_ordered(s) || !has_far_joins(&best->plan));
    if (is_better)
        choice->plan = best->plan;
    choice->bytes = is_better ? best->bytes : choice->unplanned_bytes;
}

static struct search search_of(zt_context *context, const zt_array *array,
                               const struct zti_codec *codec, const struct zti_ask *ask,
                               struct zti_choice *choice)
{
    struct search s = {.context = context, .array = array, .codec = codec, .ask = ask,
                       .choice = choice};
    memset(choice, 0, sizeof *choice);
    choice->plan = zti_plan_none(array->rank);
    s.n = real_axes(array->rank, array->shape, s.axes);
    return s;
}

zt_status zti_plan_choose(zt_context *context, const zt_array *array,
                          const struct zti_codec *codec, const struct zti_ask *ask,
                          struct zti_choice *choice)
{
    struct search s = search_of(context, array, codec, ask, choice);
    const zt_status status = rounds(&s);
    if (!status)
        decide(&s);
    return status;
}

zt_status zti_plan_compare(zt_context *context, const zt_array *array,
                           const struct zti_codec *codec, const struct zti_ask *ask,
                           const struct zti_plan *plan, struct zti_choice *choice)
{
    struct search s = search_of(context, array, codec, ask, choice);
    propose(&s, &choice->plan);
    propose(&s, plan);
    const zt_status status = try_all(&s, true);
    if (!status)
        decide(&s);
    return status;
}
