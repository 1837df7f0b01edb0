/* contest.c: which codec, effort and plan: what takes part, in which order all of an array is coded
 * with it, and when that is enough. */
#include "plan/contest.h"

uint32_t zti_candidates(bool is_lossy, const zt_params *params, struct zti_candidate *list)
{
    const struct zti_codec *codec;
    uint32_t n = 0;
    for (uint32_t i = 0; (codec = zti_codec_number(i)) != NULL; i++) {
        const struct zti_planning *const planning = zti_planning_of(codec);
        if (params->codec != ZT_CODEC_AUTO && params->codec != codec->id)
            continue;
        if (planning && planning->candidates)
            n += planning->candidates(params, is_lossy, list + n);
        else
            list[n++] = (struct zti_candidate){
                .codec = codec->id, .effort = params->effort, .is_lossy = is_lossy};
    }
    return n;
}

/* Where there is no choice of codecs the ratio counts, whatever is preferred; and so it does where
 * an effort says that. */
static uint32_t prefer_of(const struct zti_result *results, uint32_t count, const zt_params *params)
{
    bool is_for_ratio = params->codec != ZT_CODEC_AUTO;
    for (uint32_t i = 0; i < count; i++)
        is_for_ratio = is_for_ratio || results[i].candidate.is_for_ratio;
    return is_for_ratio ? ZT_PREFER_RATIO : params->prefer;
}

/* ---- the order ---- */

static double bytes_of(const struct zti_result *r)
{
    return r->coded_bytes > 0     ? r->coded_bytes
           : r->choice.is_sampled ? r->choice.bytes + r->special_bytes
                                  : 0;
}

/* The fastest of those that count under a preference, or the one of the least bytes. */
static uint32_t best_of(const struct zti_result *results, uint32_t count, uint32_t prefer)
{
    uint32_t least = 0, fastest = 0, best = 0;
    for (uint32_t i = 1; i < count; i++) {
        if (bytes_of(&results[i]) < bytes_of(&results[least]))
            least = i;
        if (results[i].candidate.speed > results[fastest].candidate.speed)
            fastest = i;
    }
    if (prefer == ZT_PREFER_RATIO)
        return least;
    if (prefer == ZT_PREFER_SPEED) { /* the best ratio at half the greatest speed or more */
        best = fastest;
        for (uint32_t i = 0; i < count; i++)
            if (2 * results[i].candidate.speed >= results[fastest].candidate.speed &&
                bytes_of(&results[i]) < bytes_of(&results[best]))
                best = i;
        return best;
    }
    best = least; /* the greatest speed at no more than an eighth above the least bytes */
    for (uint32_t i = 0; i < count; i++)
        if (bytes_of(&results[i]) <= 1.125 * bytes_of(&results[least]) &&
            results[i].candidate.speed > results[best].candidate.speed)
            best = i;
    return best;
}

/* Add a result to those that are sorted by their bytes; of equals the slower one is first. */
static void add(struct zti_result *results, uint32_t *count, const struct zti_result *one)
{
    uint32_t at = (*count)++;
    for (; at > 0; at--) {
        const struct zti_result *const other = &results[at - 1];
        if (bytes_of(other) < bytes_of(one) ||
            (bytes_of(other) <= bytes_of(one) && other->candidate.speed <= one->candidate.speed &&
             other->candidate.effort >= one->candidate.effort))
            break;
        results[at] = *other;
    }
    results[at] = *one;
}

/* A candidate with the plan that was chosen, and without one. */
static void add_both(struct zti_result *results, uint32_t *count,
                     const struct zti_candidate *candidate, const struct zti_choice *choice)
{
    struct zti_result one = {.candidate = *candidate, .choice = *choice};
    add(results, count, &one);
    if (!choice->is_other)
        return;
    zti_choice_set_plain(&one.choice);
    add(results, count, &one);
}

static struct zti_result take_out(struct zti_result *results, uint32_t *count, uint32_t i)
{
    const struct zti_result one = results[i];
    (*count)--;
    memmove(&results[i], &results[i + 1], (*count - i) * sizeof *results);
    return one;
}

/* ---- the contest ---- */

static double least_of(const struct zti_choice *choice)
{
    return choice->is_other && choice->unplanned_bytes < choice->bytes ? choice->unplanned_bytes
                                                                       : choice->bytes;
}

/* One with a way of its own, with the plan of the plain one where a sample says that this is worth
 * it, and without. As it chooses between the two it takes no more than that, though samples may
 * say more, which are smaller than what it predicts from. How much less is of interest where
 * others are smaller. */
static zt_status judge_own_way(zt_context *context, const struct zti_array *array,
                               const struct zti_candidate *candidate,
                               const struct zti_target *target, const struct zti_choice *other,
                               bool is_close, struct zti_choice *choice)
{
    static const double worth = 0.97; /* interpolation along several axes gains little by orders */
    const double most = 0.999 * least_of(other); /* of two that are alike it is the one */
    *choice = *other;
    choice->tried = 0;
    choice->found.has_axes = choice->found.has_rest = false;
    choice->is_other = memcmp(&choice->plan, &choice->plain, sizeof choice->plan) != 0;
    choice->is_limit = !is_close && !choice->is_other;
    if (!choice->is_limit) {
        const zt_status status = zti_plan_measure(context, array, candidate, target, choice);
        if (status)
            return status;
    }
    if (!choice->is_other || choice->bytes > worth * choice->unplanned_bytes)
        zti_choice_set_plain(choice);
    const double own = least_of(choice);
    if (own > most) {
        choice->bytes *= most / own;
        choice->unplanned_bytes *= most / own;
    }
    return ZT_OK;
}

/* One that samples say nothing of: as it lies, and taken to be no larger than the others. */
static void guess_whole(const struct zti_array *array, const struct zti_result *others,
                        uint32_t count, struct zti_choice *choice)
{
    *choice = (struct zti_choice){.plan = zti_plan_none(array->rank), .is_limit = true};
    choice->plain = choice->plan;
    choice->is_sampled = count > 0;
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || 0.999 * bytes_of(&others[i]) < choice->bytes)
            choice->bytes = 0.999 * bytes_of(&others[i]);
    choice->unplanned_bytes = choice->bytes;
}

/* Efforts of one codec that follow each other share the plan that was found for the first. */
zt_status zti_plan_contest(zt_context *context, const struct zti_array *array,
                           const struct zti_target *target, struct zti_result *results,
                           uint32_t *count)
{
    struct zti_candidate list[ZTI_CANDIDATES_MOST];
    const uint32_t n = zti_candidates(target->kind != ZT_LOSSLESS, target->params, list);
    struct zti_choice choice, plain = {.bytes = 0}; /* that of the one before */
    *count = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct zti_codec *const codec = zti_codec_by_id(list[i].codec);
        zt_params params = *target->params;
        struct zti_target own = *target;
        zt_status status = ZT_OK;
        params.effort = list[i].effort;
        own.params = &params;
        if (list[i].is_whole) {
            guess_whole(array, results, *count, &choice);
        } else if (list[i].is_own_way) {
            const bool is_close = *count > 0 && results[0].candidate.codec != list[i].codec;
            status = judge_own_way(context, array, &list[i], &own, &plain, is_close, &choice);
        } else {
            if (i > 0 && list[i - 1].codec == list[i].codec)
                choice = plain;
            else
                status = zti_plan_choose(context, array, codec, &own, &choice);
            const bool is_asked = n > 1 || (choice.is_other && !choice.is_sampled);
            if (!status && is_asked)
                status = zti_plan_measure(context, array, &list[i], &own, &choice);
            plain = choice;
        }
        if (status)
            return status;
        add_both(results, count, &list[i], &choice);
    }
    if (n == 0)
        return zti_fail(context, ZT_UNSUPPORTED, "no codec takes part in a choice of one");
    const struct zti_result first = take_out(
        results, count, best_of(results, *count, prefer_of(results, *count, target->params)));
    memmove(&results[1], &results[0], *count * sizeof *results);
    results[0] = first;
    (*count)++;
    return ZT_OK;
}

/* ---- coding all of the array ---- */

uint32_t zti_contest_winner(const struct zti_result *results, uint32_t count,
                            const zt_params *params)
{
    struct zti_result coded[ZTI_RESULTS_MOST];
    uint32_t of[ZTI_RESULTS_MOST], n = 0;
    for (uint32_t i = 0; i < count; i++)
        if (results[i].coded_bytes > 0) {
            of[n] = i;
            coded[n++] = results[i];
        }
    return n > 0 ? of[best_of(coded, n, prefer_of(results, count, params))] : 0;
}

/* Samples say little where many values are special, as what comes to be in their place is not what
 * samples have there. */
static bool has_holes(const struct zti_target *target, uint64_t values)
{
    enum { MANY_PART = 1000 };
    return target->special_values > values / MANY_PART;
}

/* Whether a result has to be coded because one with a way of its own was: the plain one, unless
 * samples of it are larger by far, as the other is smaller but not always, and a sixth of the time
 * is not much; and its own way without a plan where it was coded with one, as no sample is sure of
 * what that does. */
static bool is_check(const struct zti_result *results, uint32_t count, uint32_t i, bool is_vague,
                     double won)
{
    static const double far = 1.15;
    const bool is_own_way = results[i].candidate.is_own_way;
    const bool is_far = !is_vague && bytes_of(&results[i]) > far * won;
    bool was_coded = false;
    if (!is_own_way && (!results[i].candidate.is_plain || is_far))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        if (results[k].coded_bytes == 0)
            continue;
        if (!is_own_way && !is_vague && results[k].candidate.is_plain)
            return false; /* the better one */
        was_coded = was_coded || (results[k].candidate.is_own_way &&
                                  (!is_own_way || results[k].choice.is_other));
    }
    return was_coded;
}

/* Whether a result may be smaller than what came out, though samples did not say so: of a small
 * array, which they are a large part of, where it is close; and of the same codec, with or without
 * its plan, where samples say little, and where errors count on average and bounds are powers of
 * two, as one more is half the stream. */
static bool is_near(const struct zti_result *r, const struct zti_result *winner,
                    const struct zti_target *target, uint64_t values)
{
    enum { SMALL = 1 << 18 };
    static const double near = 1.03;
    const bool is_same = r->candidate.codec == winner->candidate.codec &&
                         r->candidate.effort == winner->candidate.effort;
    const bool is_coarse =
        target->kind == ZT_PSNR && zti_has_power_bounds(zti_codec_by_id(r->candidate.codec));
    return (values <= SMALL && bytes_of(r) <= near * winner->coded_bytes) ||
           (is_same && (is_coarse || has_holes(target, values)));
}

/* Another is coded too where samples said that it would be smaller than what came out: by 4 %, or
 * by anything if that is 10 % more than they said of it. */
uint32_t zti_contest_next(const struct zti_result *results, uint32_t count,
                          const struct zti_target *target, uint64_t values)
{
    static const double broken = 1.1, worth = 0.96;
    enum { SLACK_BYTES = 256 };
    const uint32_t prefer = prefer_of(results, count, target->params);
    const struct zti_result *const winner =
        &results[zti_contest_winner(results, count, target->params)];
    const double won = winner->coded_bytes, own = won - winner->special_bytes;
    if (won == 0)
        return 0;
    const bool is_vague = has_holes(target, values);
    const uint32_t best = best_of(results, count, prefer);
    const bool is_broken =
        winner->choice.is_sampled && own > broken * winner->choice.bytes + SLACK_BYTES;
    if (results[best].coded_bytes == 0 && results[best].choice.is_sampled &&
        (is_broken || bytes_of(&results[best]) + SLACK_BYTES < worth * won))
        return best;
    for (uint32_t i = 0; i < count && prefer == ZT_PREFER_RATIO; i++)
        if (results[i].coded_bytes == 0 && (is_check(results, count, i, is_vague, won) ||
                                            is_near(&results[i], winner, target, values)))
            return i;
    return count;
}
