/* contest.c: which codec, effort and plan: what takes part, in which order all of an array is coded
 * with it, and when that is enough. */
#include "plan/contest.h"

/* Speeds are MB/s of raw values on one core, without a plan: geometric means over the float32
 * fields of shared/data at rel 1e-2, 1e-3 and 1e-4, and without loss, all in turn in one run
 * (plan_bench --speed) on a Xeon with AVX-512, rounded. Other machines are faster or slower, but
 * only the order and the distance of these matter. */
static const struct zti_contender contenders[] = {
    {ZT_CODEC_SZ, ZT_EFFORT_DEFAULT, true, 410},      {ZT_CODEC_SZ, ZT_EFFORT_FAST, true, 610},
    {ZT_CODEC_ZFP, ZT_EFFORT_DEFAULT, true, 540},     {ZT_CODEC_SZ, ZT_EFFORT_HIGH, true, 65},
    {ZT_CODEC_NDZIP, ZT_EFFORT_DEFAULT, false, 1900}, {ZT_CODEC_ZFP, ZT_EFFORT_DEFAULT, false, 470},
    {ZT_CODEC_SZ, ZT_EFFORT_DEFAULT, false, 320},
};

/* Where effort 'high' is asked for the ratio counts, whatever is preferred; and so it does
 * where there is no choice of codecs. */
static uint32_t prefer_of(const zt_params *params)
{
    const bool is_open = params->codec == ZT_CODEC_AUTO && params->effort != ZT_EFFORT_HIGH;
    return is_open ? params->prefer : ZT_PREFER_RATIO;
}

/* Those of a codec that is named. */
static uint32_t contenders_of_codec(bool is_lossy, const zt_params *params,
                                    struct zti_contender *list)
{
    const bool is_high = params->codec == ZT_CODEC_SZ && params->effort == ZT_EFFORT_HIGH;
    uint32_t n = 0;
    list[n++] = (struct zti_contender){.codec = params->codec,
                                       .effort = is_high ? ZT_EFFORT_DEFAULT : params->effort,
                                       .is_lossy = is_lossy};
    if (is_high && is_lossy && params->bound.kind != ZT_PWREL) /* else they are the same */
        list[n++] = (struct zti_contender){
            .codec = params->codec, .effort = ZT_EFFORT_HIGH, .is_lossy = true};
    return n;
}

uint32_t zti_contenders(bool is_lossy, const zt_params *params, struct zti_contender *list)
{
    const uint32_t other = prefer_of(params) == ZT_PREFER_RATIO ? ZT_EFFORT_FAST : ZT_EFFORT_HIGH;
    const bool is_named = params->effort == ZT_EFFORT_FAST || params->effort == ZT_EFFORT_PAPER;
    uint32_t n = 0;
    if (params->codec != ZT_CODEC_AUTO)
        return contenders_of_codec(is_lossy, params, list);
    for (size_t i = 0; i < sizeof contenders / sizeof *contenders; i++) {
        struct zti_contender one = contenders[i];
        if (one.is_lossy != is_lossy || !zti_codec_by_id(one.codec) || one.effort == other)
            continue;
        if (one.codec == ZT_CODEC_SZ && is_named) {
            if (one.effort != ZT_EFFORT_DEFAULT)
                continue;
            one.effort = params->effort;
        }
        list[n++] = one;
    }
    return n;
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
        if (results[i].contender.speed > results[fastest].contender.speed)
            fastest = i;
    }
    if (prefer == ZT_PREFER_RATIO)
        return least;
    if (prefer == ZT_PREFER_SPEED) { /* the best ratio at half the greatest speed or more */
        best = fastest;
        for (uint32_t i = 0; i < count; i++)
            if (2 * results[i].contender.speed >= results[fastest].contender.speed &&
                bytes_of(&results[i]) < bytes_of(&results[best]))
                best = i;
        return best;
    }
    best = least; /* the greatest speed at no more than an eighth above the least bytes */
    for (uint32_t i = 0; i < count; i++)
        if (bytes_of(&results[i]) <= 1.125 * bytes_of(&results[least]) &&
            results[i].contender.speed > results[best].contender.speed)
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
            (bytes_of(other) <= bytes_of(one) && other->contender.speed <= one->contender.speed &&
             other->contender.effort >= one->contender.effort))
            break;
        results[at] = *other;
    }
    results[at] = *one;
}

/* A contender with the plan that was chosen, and without one. */
static void add_both(struct zti_result *results, uint32_t *count,
                     const struct zti_contender *contender, const struct zti_choice *choice)
{
    struct zti_result one = {.contender = *contender, .choice = *choice};
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

/* Effort 'high', with the plan of 'default' where a sample says that this is worth it, and without.
 * As it chooses between 'default' and its own way, it takes no more than that, though samples may
 * say more, which are smaller than what it predicts from. How much less is of interest where
 * others are smaller. */
static zt_status judge_high(zt_context *context, const zt_array *array,
                            const struct zti_codec *codec, const struct zti_ask *ask,
                            const struct zti_choice *other, bool is_close,
                            struct zti_choice *choice)
{
    static const double worth = 0.97; /* interpolation along several axes gains little by orders */
    const double most = 0.999 * least_of(other); /* of two that are alike it is the one */
    *choice = *other;
    choice->tried = 0;
    choice->has_axes = choice->has_groups = false;
    choice->is_other = memcmp(&choice->plan, &choice->plain, sizeof choice->plan) != 0;
    choice->is_limit = !is_close && !choice->is_other;
    if (!choice->is_limit) {
        const zt_status status = zti_plan_measure(context, array, codec, ask, choice);
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

/* Efforts of one codec that follow each other share the plan that was found for the first. */
zt_status zti_plan_contest(zt_context *context, const zt_array *array, const struct zti_ask *ask,
                           struct zti_result *results, uint32_t *count)
{
    struct zti_contender list[ZTI_CONTENDERS_MOST];
    const uint32_t n = zti_contenders(ask->kind != ZT_LOSSLESS, ask->params, list);
    struct zti_choice choice, sz = {.bytes = 0};
    *count = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct zti_codec *const codec = zti_codec_by_id(list[i].codec);
        zt_params params = *ask->params;
        struct zti_ask own = *ask;
        zt_status status = ZT_OK;
        params.effort = list[i].effort;
        own.params = &params;
        if (list[i].codec == ZT_CODEC_SZ && list[i].effort == ZT_EFFORT_HIGH) {
            const bool is_close = *count > 0 && results[0].contender.codec != ZT_CODEC_SZ;
            status = judge_high(context, array, codec, &own, &sz, is_close, &choice);
        } else {
            if (i > 0 && list[i - 1].codec == list[i].codec)
                choice = sz;
            else
                status = zti_plan_choose(context, array, codec, &own, &choice);
            const bool is_asked = n > 1 || (choice.is_other && !choice.is_sampled);
            if (!status && is_asked)
                status = zti_plan_measure(context, array, codec, &own, &choice);
            if (list[i].codec == ZT_CODEC_SZ)
                sz = choice;
        }
        if (status)
            return status;
        add_both(results, count, &list[i], &choice);
    }
    if (n == 0)
        return zti_fail(context, ZT_UNSUPPORTED, "no codec takes part in a choice of one");
    const struct zti_result first =
        take_out(results, count, best_of(results, *count, prefer_of(ask->params)));
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
    return n > 0 ? of[best_of(coded, n, prefer_of(params))] : 0;
}

/* Samples say little where many values are special, as what comes to be in their place is not what
 * samples have there. */
static bool has_holes(const struct zti_ask *ask, uint64_t values)
{
    enum { MANY_PART = 1000 };
    return ask->special_values > values / MANY_PART;
}

static bool is_of_sz(const struct zti_result *r, uint32_t effort)
{
    return r->contender.codec == ZT_CODEC_SZ && r->contender.effort == effort;
}

/* Whether a result has to be coded because effort 'high' was: 'default', unless samples of it are
 * larger by far, as 'high' is smaller but not always, and a sixth of the time is not much; and
 * 'high' without a plan where it was coded with one, as no sample is sure of what that does. */
static bool is_check(const struct zti_result *results, uint32_t count, uint32_t i, bool is_vague,
                     double won)
{
    static const double far = 1.15;
    const bool is_high = is_of_sz(&results[i], ZT_EFFORT_HIGH);
    const bool is_far = !is_vague && bytes_of(&results[i]) > far * won;
    bool has_high = false;
    if (!is_high && (!is_of_sz(&results[i], ZT_EFFORT_DEFAULT) || is_far))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        if (results[k].coded_bytes == 0)
            continue;
        if (!is_high && !is_vague && is_of_sz(&results[k], ZT_EFFORT_DEFAULT))
            return false; /* the better one */
        has_high = has_high || (is_of_sz(&results[k], ZT_EFFORT_HIGH) &&
                                (!is_high || results[k].choice.is_other));
    }
    return has_high;
}

/* Whether a result may be smaller than what came out, though samples did not say so: of a small
 * array, which they are a large part of, where it is close; and of the same codec, with or without
 * its plan, where samples say little, and where errors count on average and bounds are powers of
 * two, as one more is half the stream. */
static bool is_near(const struct zti_result *r, const struct zti_result *winner,
                    const struct zti_ask *ask, uint64_t values)
{
    enum { SMALL = 1 << 18 };
    static const double near = 1.03;
    const bool is_same = r->contender.codec == winner->contender.codec &&
                         r->contender.effort == winner->contender.effort;
    const bool is_coarse =
        ask->kind == ZT_PSNR && zti_codec_by_id(r->contender.codec)->has_power_bounds;
    return (values <= SMALL && bytes_of(r) <= near * winner->coded_bytes) ||
           (is_same && (is_coarse || has_holes(ask, values)));
}

/* Another is coded too where samples said that it would be smaller than what came out: by 4 %, or
 * by anything if that is 10 % more than they said of it. */
uint32_t zti_contest_next(const struct zti_result *results, uint32_t count,
                          const struct zti_ask *ask, uint64_t values)
{
    static const double broken = 1.1, worth = 0.96;
    enum { SLACK_BYTES = 256 };
    const uint32_t prefer = prefer_of(ask->params);
    const struct zti_result *const winner =
        &results[zti_contest_winner(results, count, ask->params)];
    const double won = winner->coded_bytes, own = won - winner->special_bytes;
    if (won == 0)
        return 0;
    const bool is_vague = has_holes(ask, values);
    const uint32_t best = best_of(results, count, prefer);
    const bool is_broken =
        winner->choice.is_sampled && own > broken * winner->choice.bytes + SLACK_BYTES;
    if (results[best].coded_bytes == 0 && results[best].choice.is_sampled &&
        (is_broken || bytes_of(&results[best]) + SLACK_BYTES < worth * won))
        return best;
    for (uint32_t i = 0; i < count && prefer == ZT_PREFER_RATIO; i++)
        if (results[i].coded_bytes == 0 && (is_check(results, count, i, is_vague, won) ||
                                            is_near(&results[i], winner, ask, values)))
            return i;
    return count;
}
