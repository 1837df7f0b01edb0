/* contest.c: choose codec, effort and plan. Candidates code samples; then all of the array is coded
 * with one after another, the most promising first, until no other can be smaller. */
#include "plan/contest.h"

/* Remove the candidates that are for floats only. */
static uint32_t keep_any_type(struct zti_candidate *list, uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!list[i].is_for_floats)
            list[kept++] = list[i];
    return kept;
}

uint32_t zti_candidates(uint32_t type, bool is_lossy, const zt_params *params,
                        struct zti_candidate *list)
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
    return zti_is_float(type) ? n : keep_any_type(list, n);
}

/* The caller's preference. With a given codec, or an effort that asks for ratio, it is ratio. */
static uint32_t find_preference(const struct zti_result *results, uint32_t count,
                                const zt_params *params)
{
    bool is_for_ratio = params->codec != ZT_CODEC_AUTO;
    for (uint32_t i = 0; i < count; i++)
        is_for_ratio = is_for_ratio || results[i].candidate.is_for_ratio;
    return is_for_ratio ? ZT_PREFER_RATIO : params->prefer;
}

/* ---- the order ---- */

static double known_bytes(const struct zti_result *r)
{
    return r->coded_bytes > 0     ? r->coded_bytes
           : r->choice.is_sampled ? r->choice.bytes + r->special_bytes
                                  : 0;
}

/* What a far candidate's far_part is relative to: the result without a plan of its codec's
 * candidate with a predictor of its own. 'count': there is none. */
static uint32_t find_near(const struct zti_result *results, uint32_t count, uint32_t far)
{
    for (uint32_t i = 0; i < count; i++)
        if (results[i].candidate.has_own_predictor && !results[i].choice.is_other &&
            results[i].candidate.codec == results[far].candidate.codec)
            return i;
    return count;
}

/* The bytes to expect of a far candidate: those of find_near, times far_part; 0: not known. */
static double expect_far(const struct zti_result *results, uint32_t count, uint32_t i)
{
    if (results[i].candidate.is_lossless)
        return results[i].choice.bytes;
    const uint32_t near = find_near(results, count, i);
    return near < count ? results[i].far_part * known_bytes(&results[near]) : 0;
}

/* The best result under a preference. Far candidates count only once they are coded. */
static uint32_t find_best(const struct zti_result *results, uint32_t count, uint32_t prefer)
{
    uint32_t least = 0, fastest = 0, best = 0;
    for (uint32_t i = 1; i < count; i++) {
        if (results[i].candidate.is_far && results[i].coded_bytes == 0)
            continue;
        if (known_bytes(&results[i]) < known_bytes(&results[least]))
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
                known_bytes(&results[i]) < known_bytes(&results[best]))
                best = i;
        return best;
    }
    best = least; /* the greatest speed at no more than an eighth above the least bytes */
    for (uint32_t i = 0; i < count; i++)
        if (known_bytes(&results[i]) <= 1.125 * known_bytes(&results[least]) &&
            results[i].candidate.speed > results[best].candidate.speed)
            best = i;
    return best;
}

/* Insert a result into a list sorted by bytes; of two with equal bytes the slower is first. */
static void insert_result(struct zti_result *results, uint32_t *count, const struct zti_result *one)
{
    uint32_t at = (*count)++;
    for (; at > 0; at--) {
        const struct zti_result *const other = &results[at - 1];
        if (known_bytes(other) < known_bytes(one) ||
            (known_bytes(other) <= known_bytes(one) &&
             other->candidate.speed <= one->candidate.speed &&
             other->candidate.effort >= one->candidate.effort))
            break;
        results[at] = *other;
    }
    results[at] = *one;
}

/* Insert a candidate with its plan, and without. */
static void insert_both(struct zti_result *results, uint32_t *count,
                        const struct zti_candidate *candidate, const struct zti_choice *choice)
{
    struct zti_result one = {.candidate = *candidate, .choice = *choice};
    insert_result(results, count, &one);
    if (!choice->is_other)
        return;
    zti_choice_drop_plan(&one.choice);
    insert_result(results, count, &one);
}

static struct zti_result remove_result(struct zti_result *results, uint32_t *count, uint32_t i)
{
    const struct zti_result one = results[i];
    (*count)--;
    memmove(&results[i], &results[i + 1], (*count - i) * sizeof *results);
    return one;
}

/* ---- the contest ---- */

static double least_bytes(const struct zti_choice *choice)
{
    return choice->is_other && choice->unplanned_bytes < choice->bytes ? choice->unplanned_bytes
                                                                       : choice->bytes;
}

/* Judge an effort with a predictor of its own (interpolation), which falls back on the effort
 * before it ('other') where that is smaller. So it takes no more bytes than that one, even if
 * samples say more: they are smaller than its stencils need. It gets the other's plan if a sample
 * shows that the plan pays. It is measured only if another codec is close. */
static zt_status judge_own_predictor(zt_context *context, const struct zti_array *array,
                                     const struct zti_candidate *candidate,
                                     const struct zti_target *target,
                                     const struct zti_choice *other, bool is_close,
                                     struct zti_choice *choice)
{
    static const double worth = 0.97; /* interpolation along several axes gains little by orders */
    const double most = 0.999 * least_bytes(other); /* a little less, so that it comes first */
    *choice = *other;
    choice->tried = 0;
    choice->found.has_axes = choice->found.has_rest = false;
    choice->is_other = memcmp(&choice->plan, &choice->unplanned, sizeof choice->plan) != 0;
    choice->is_limit = !is_close && !choice->is_other;
    if (!choice->is_limit) {
        const zt_status status = zti_plan_measure(context, array, candidate, target, choice);
        if (status)
            return status;
    }
    if (!choice->is_other || choice->bytes > worth * choice->unplanned_bytes)
        zti_choice_drop_plan(choice);
    const double own = least_bytes(choice);
    if (own > most) {
        choice->bytes *= most / own;
        choice->unplanned_bytes *= most / own;
    }
    return ZT_OK;
}

/* A candidate that samples cannot judge: no plan, and assumed to be a little smaller than others.
 */
static void assume_smaller(const struct zti_array *array, const struct zti_result *others,
                           uint32_t count, struct zti_choice *choice)
{
    *choice = (struct zti_choice){.plan = zti_plan_none(array->rank), .is_limit = true};
    choice->unplanned = choice->plan;
    choice->is_sampled = count > 0;
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || 0.999 * known_bytes(&others[i]) < choice->bytes)
            choice->bytes = 0.999 * known_bytes(&others[i]);
    choice->unplanned_bytes = choice->bytes;
}

/* Whether a candidate that must be much smaller than the one before it (most_part) is. It tells
 * itself, or one small box does, and before it a look at single values, as the one before is fast.
 */
static zt_status compare_with_faster(zt_context *context, const struct zti_array *array,
                                     const struct zti_candidate *candidate,
                                     const struct zti_target *target, const struct zti_found *found,
                                     bool *is_smaller)
{
    static const struct zti_boxes boxes = {1, 1 << 14};
    double part = 1;
    zt_status status = ZT_OK;
    *is_smaller = false;
    if (zti_array_values(array->rank, array->shape) < boxes.least_values)
        return ZT_OK;
    if (candidate->is_smaller)
        return candidate->is_smaller(context, array, found, is_smaller);
    if (zti_is_smooth(array, target->abs_bound))
        status =
            zti_plan_compare_boxes(context, array, candidate, candidate - 1, target, &boxes, &part);
    *is_smaller = part < candidate->most_part;
    return status;
}

/* Put such a candidate in the place of the results before it, which are of its codec, if it is much
 * smaller. It has their plan if that joins axes and a box shows that it pays; another order of axes
 * is worth little. */
static zt_status try_much_smaller(zt_context *context, const struct zti_array *array,
                                  const struct zti_candidate *candidate,
                                  const struct zti_target *target, const struct zti_choice *other,
                                  struct zti_result *results, uint32_t *count)
{
    struct zti_result one = {.candidate = *candidate};
    bool is_smaller = false;
    zt_status status =
        compare_with_faster(context, array, candidate, target, &other->found, &is_smaller);
    if (status || !is_smaller)
        return status;
    if (candidate->is_whole) {
        assume_smaller(array, results, *count, &one.choice);
        results[0] = one;
        *count = 1;
        return ZT_OK;
    }
    struct zti_choice own = *other;
    if (memcmp(own.plan.is_joined, own.unplanned.is_joined, sizeof own.plan.is_joined) == 0)
        zti_choice_drop_plan(&own);
    status = judge_own_predictor(context, array, candidate, target, &own, false, &one.choice);
    results[0] = one;
    *count = 1;
    return status;
}

/* How many candidates take part whatever boxes say. */
static uint32_t count_certain(const struct zti_candidate *list, uint32_t n)
{
    uint32_t certain = 0;
    for (uint32_t i = 0; i < n; i++)
        certain += list[i].most_part <= 0;
    return certain;
}

struct zti_result zti_result_unplanned(uint32_t rank, const struct zti_candidate *candidate)
{
    struct zti_result one = {.candidate = *candidate};
    one.choice.plan = one.choice.unplanned = zti_plan_none(rank);
    return one;
}

/* Set what to expect of the far candidates that lose something, and of the one beside them. */
static zt_status expect_all(zt_context *context, const struct zti_array *array,
                            const struct zti_target *target, struct zti_result *results,
                            uint32_t count, uint32_t near)
{
    struct zti_candidate list[ZTI_CANDIDATES_MOST] = {{0}};
    struct zti_expected expected[ZTI_CANDIDATES_MOST];
    uint32_t of[ZTI_CANDIDATES_MOST], n = 0;
    for (uint32_t i = count; i-- > 0;) /* the slowest are last */
        if (i == near || (results[i].candidate.is_far && !results[i].candidate.is_lossless)) {
            of[n] = i;
            list[n++] = results[i].candidate;
        }
    const zt_status status = zti_plan_expect(context, array, list, n, target, expected);
    for (uint32_t i = 0; i < n && !status; i++)
        results[of[i]].expected = expected[i];
    const struct zti_expected *const beside = &results[near].expected;
    for (uint32_t i = 0; i < n && !status && beside->of_boxes > 0; i++) {
        struct zti_result *const r = &results[of[i]];
        r->far_part = r->expected.of_boxes / beside->of_boxes; /* of the same boxes */
        if (r->far_part * beside->least > r->expected.least)
            r->expected.least = r->far_part * beside->least;
    }
    return status;
}

zt_status zti_contest_measure_far(zt_context *context, const struct zti_array *array,
                                  const struct zti_target *target, struct zti_result *results,
                                  uint32_t count)
{
    enum { SMALL = 1 << 19, LARGE = 1 << 22 };
    static const struct zti_boxes boxes = {2, 1 << 17};
    const uint64_t values = zti_array_values(array->rank, array->shape);
    const bool is_open = zti_mean_of(target->params).kind != ZT_LOSSLESS;
    bool is_asked = false; /* what to expect */
    uint32_t near = count;
    zt_status status = ZT_OK;
    for (uint32_t i = 0; i < count && !status; i++) {
        struct zti_result *const r = &results[i];
        if (r->candidate.is_lossless) {
            status =
                zti_plan_measure_lossless(context, array, &r->candidate, target, &r->choice.bytes);
            continue;
        }
        near = r->candidate.is_far ? find_near(results, count, i) : count;
        if (near == count || is_open || values <= SMALL)
            continue;
        if (values >= LARGE && target->special_values == 0 && !is_asked) {
            status = expect_all(context, array, target, results, count, near);
            is_asked = true;
        }
        if (!status && results[near].expected.bytes <= 0)
            status = zti_plan_compare_boxes(context, array, &r->candidate, &results[near].candidate,
                                            target, &boxes, &r->far_part);
    }
    return status;
}

/* Efforts of one codec stand next to each other and share the plan found for the first. */
zt_status zti_plan_contest(zt_context *context, const struct zti_array *array,
                           const struct zti_target *target, struct zti_result *results,
                           uint32_t *count)
{
    struct zti_candidate list[ZTI_CANDIDATES_MOST];
    const uint32_t n =
        zti_candidates(array->type, target->kind != ZT_LOSSLESS, target->params, list);
    struct zti_result far[ZTI_CANDIDATES_MOST];
    uint32_t fars = 0;
    struct zti_choice choice, codecs_first = {.bytes = 0}; /* of the codec's first effort */
    *count = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct zti_codec *const codec = zti_codec_by_id(list[i].codec);
        const zt_params params = zti_params_for(target->params, &list[i]);
        const struct zti_target own = zti_target_for(target, &list[i], &params);
        zt_status status = ZT_OK;
        if (list[i].is_far) {
            far[fars++] = zti_result_unplanned(array->rank, &list[i]);
            continue;
        }
        if (list[i].most_part > 0) {
            status =
                try_much_smaller(context, array, &list[i], &own, &codecs_first, results, count);
            if (status)
                return status;
            continue;
        }
        if (list[i].is_whole) {
            assume_smaller(array, results, *count, &choice);
        } else if (list[i].has_own_predictor) {
            const bool is_close = *count > 0 && results[0].candidate.codec != list[i].codec;
            status = judge_own_predictor(context, array, &list[i], &own, &codecs_first, is_close,
                                         &choice);
        } else {
            if (i > 0 && list[i - 1].codec == list[i].codec)
                choice = codecs_first;
            else
                status = zti_plan_choose(context, array, codec, &own, &choice);
            const bool is_asked =
                count_certain(list, n) > 1 || (choice.is_other && !choice.is_sampled);
            if (!status && is_asked)
                status = zti_plan_measure(context, array, &list[i], &own, &choice);
            codecs_first = choice;
        }
        if (status)
            return status;
        insert_both(results, count, &list[i], &choice);
    }
    if (n == 0)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "no codec can be chosen for this array and these parameters");
    const struct zti_result first =
        remove_result(results, count,
                      find_best(results, *count, find_preference(results, *count, target->params)));
    memmove(&results[1], &results[0], *count * sizeof *results);
    results[0] = first;
    (*count)++;
    memcpy(&results[*count], far, fars * sizeof *far);
    *count += fars;
    return zti_contest_measure_far(context, array, target, results, *count);
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
    return n > 0 ? of[find_best(coded, n, find_preference(results, count, params))] : 0;
}

/* Samples are unreliable where many values are special: the values put in their place are not those
 * that samples have there. */
static bool has_holes(const struct zti_target *target, uint64_t values)
{
    enum { MANY_PART = 1000 };
    return target->special_values > values / MANY_PART;
}

/* Whether result i is a fallback that was coded, or that the codec has compared with the effort
 * that falls back on it, which was coded under the same plan. */
static bool is_fallback_known(const struct zti_result *results, uint32_t count, uint32_t i)
{
    const struct zti_result *const own = &results[i];
    if (!own->candidate.is_fallback)
        return false;
    for (uint32_t k = 0; k < count; k++)
        if (results[k].is_compared && results[k].candidate.has_own_predictor &&
            results[k].candidate.codec == own->candidate.codec &&
            memcmp(&results[k].choice.plan, &own->choice.plan, sizeof own->choice.plan) == 0 &&
            !own->choice.is_other)
            return true;
    return own->coded_bytes > 0;
}

/* Whether a result must be coded because an effort with a predictor of its own was coded:
 * - the effort that it falls back on, unless samples say that it is far larger, or the codec has
 *   compared the two. It is smaller at times, and takes a sixth of the time.
 * - the same effort without a plan if it was coded with one, since samples cannot tell which is
 *   smaller. */
static bool needs_coding(const struct zti_result *results, uint32_t count, uint32_t i,
                         bool is_vague, double won)
{
    static const double far = 1.15;
    const bool has_own_predictor = results[i].candidate.has_own_predictor;
    const bool is_far = !is_vague && known_bytes(&results[i]) > far * won;
    bool was_coded = false;
    if (!has_own_predictor && (!results[i].candidate.is_fallback || is_far))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        const bool is_coded = results[k].coded_bytes > 0;
        if (!has_own_predictor && !is_vague && (is_coded || k <= i) &&
            is_fallback_known(results, count, k))
            return false; /* with the better plan */
        if (!is_coded)
            continue;
        was_coded = was_coded || (results[k].candidate.has_own_predictor &&
                                  (!has_own_predictor || results[k].choice.is_other));
    }
    return was_coded;
}

/* The bytes to expect of a result; 0: not known. */
static double expect_bytes(const struct zti_result *results, uint32_t count, uint32_t i)
{
    const struct zti_result *const r = &results[i];
    return r->expected.bytes > 0 ? r->expected.bytes
           : r->candidate.is_far ? expect_far(results, count, i)
                                 : known_bytes(r);
}

/* Whether a result must be coded because by its boxes it may be smaller than the winner, in a large
 * array by 5 %. There boxes overstate what it takes by far_most, or 6 %; those that are tiles of
 * the candidate by 3 %. */
static bool may_be_better(const struct zti_result *results, uint32_t count, uint32_t i,
                          bool is_vague, double won)
{
    static const double vague = 1.3, worth = 0.95, by_boxes = 1.06, by_tiles = 1.03;
    const struct zti_result *const r = &results[i];
    const double most = r->candidate.far_most;
    const double overstated = r->expected.of_boxes <= 0 ? by_tiles
                              : most > by_boxes         ? most
                                                        : by_boxes;
    if (r->expected.bytes > 0 && r->expected.least >= overstated * worth * won)
        return false;
    if (r->expected.bytes > 0 && (r->far_part <= 0 || !r->candidate.is_far ||
                                  results[find_near(results, count, i)].coded_bytes <= 0))
        return true;
    return r->candidate.is_far &&
           expect_far(results, count, i) < (is_vague && most < vague ? vague : most) * won;
}

/* The result to code next of those that boxes speak of, the one that promises most; count: there is
 * none. */
static uint32_t find_promising(const struct zti_result *results, uint32_t count, bool is_vague,
                               double won)
{
    uint32_t best = count;
    for (uint32_t i = 0; i < count; i++)
        if (results[i].coded_bytes == 0 && may_be_better(results, count, i, is_vague, won) &&
            (best == count || expect_bytes(results, count, i) < expect_bytes(results, count, best)))
            best = i;
    return best;
}

/* The result to code first: that of the samples, unless in a large array boxes promise more. */
static uint32_t find_first(const struct zti_result *results, uint32_t count)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < count; i++)
        if (results[i].expected.bytes > 0 &&
            results[i].expected.bytes < expect_bytes(results, count, first))
            first = i;
    return first;
}

/* Whether a result may be smaller than the winner though samples do not say so:
 * - in a small array, of which samples are a large part, if it is close;
 * - with the winner's codec and effort but another plan, where samples are unreliable, and for a
 *   PSNR with bounds that are powers of two, where the next bound is half the stream. */
static bool may_be_smaller(const struct zti_result *r, const struct zti_result *winner,
                           const struct zti_target *target, uint64_t values)
{
    enum { SMALL = 1 << 18 };
    static const double near = 1.03;
    const bool is_same = r->candidate.codec == winner->candidate.codec &&
                         r->candidate.effort == winner->candidate.effort;
    const bool is_coarse =
        target->kind == ZT_PSNR && zti_has_power_bounds(zti_codec_by_id(r->candidate.codec));
    return (values <= SMALL && known_bytes(r) <= near * winner->coded_bytes) ||
           (is_same && (is_coarse || has_holes(target, values)));
}

/* Another result is coded if its samples are 4 % smaller than the winner, or smaller at all where
 * the winner came out 10 % larger than its own samples. */
uint32_t zti_contest_next(const struct zti_result *results, uint32_t count,
                          const struct zti_target *target, uint64_t values)
{
    static const double broken = 1.1, worth = 0.96;
    enum { SLACK_BYTES = 256 };
    const uint32_t prefer = find_preference(results, count, target->params);
    const struct zti_result *const winner =
        &results[zti_contest_winner(results, count, target->params)];
    const double won = winner->coded_bytes, own = won - winner->special_bytes;
    if (won == 0)
        return find_first(results, count);
    const bool is_vague = has_holes(target, values);
    const uint32_t best = find_best(results, count, prefer);
    const bool is_broken =
        winner->choice.is_sampled && own > broken * winner->choice.bytes + SLACK_BYTES;
    if (results[best].coded_bytes == 0 && results[best].choice.is_sampled &&
        (is_broken || known_bytes(&results[best]) + SLACK_BYTES < worth * won))
        return best;
    for (uint32_t i = 0; i < count && prefer == ZT_PREFER_RATIO; i++)
        if (results[i].coded_bytes == 0 && !results[i].candidate.is_far &&
            (needs_coding(results, count, i, is_vague, won) ||
             may_be_smaller(&results[i], winner, target, values)))
            return i;
    return prefer == ZT_PREFER_RATIO ? find_promising(results, count, is_vague, won) : count;
}
