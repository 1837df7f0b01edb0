/* contest.c: which codec and effort. */
#include "plan/contest.h"

/* Speeds are MB/s of raw values on one core, without a plan: geometric means over the float32
 * fields of shared/data at rel 1e-2, 1e-3 and 1e-4, and without loss, all in turn in one run
 * (plan_bench --speed) on a Xeon with AVX-512, rounded. Other machines are faster or slower, but
 * only the order and the distance of these matter. */
static const struct zti_contender contenders[] = {
    {ZT_CODEC_SZ, ZT_EFFORT_DEFAULT, true, 410},
    {ZT_CODEC_SZ, ZT_EFFORT_FAST, true, 610},
    {ZT_CODEC_ZFP, ZT_EFFORT_DEFAULT, true, 540},
    {ZT_CODEC_SZ, ZT_EFFORT_HIGH, true, 65},
    {ZT_CODEC_NDZIP, ZT_EFFORT_DEFAULT, false, 1900},
    {ZT_CODEC_ZFP, ZT_EFFORT_DEFAULT, false, 470},
    {ZT_CODEC_SZ, ZT_EFFORT_DEFAULT, false, 320},
};

uint32_t zti_contenders(uint32_t type, bool is_lossy, const zt_params *params,
                        struct zti_contender *list)
{
    uint32_t n = 0;
    for (size_t i = 0; i < sizeof contenders / sizeof *contenders; i++) {
        struct zti_contender one = contenders[i];
        const uint32_t other =
            params->prefer == ZT_PREFER_RATIO ? ZT_EFFORT_FAST : ZT_EFFORT_HIGH;
        if (one.is_lossy != is_lossy || !zti_codec_by_id(one.codec) || one.effort == other)
            continue;
        if (one.codec == ZT_CODEC_SZ && params->effort != ZT_EFFORT_DEFAULT) {
            if (one.effort != ZT_EFFORT_DEFAULT)
                continue;
            one.effort = params->effort;
        }
        list[n++] = one;
    }
    (void)type;
    return n;
}

/* The fastest of those that count under a preference, or the one of the least bytes. */
static uint32_t best_of(const struct zti_result *results, uint32_t count, uint32_t prefer)
{
    uint32_t least = 0, fastest = 0, best = 0;
    for (uint32_t i = 1; i < count; i++) {
        if (results[i].choice.bytes < results[least].choice.bytes)
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
                results[i].choice.bytes < results[best].choice.bytes)
                best = i;
        return best;
    }
    best = least; /* the greatest speed at no more than an eighth above the least bytes */
    for (uint32_t i = 0; i < count; i++)
        if (results[i].choice.bytes <= 1.125 * results[least].choice.bytes &&
            results[i].contender.speed > results[best].contender.speed)
            best = i;
    return best;
}

/* What an effort 'high' takes: no more than 'default', as it chooses between that and its own
 * way. The plan is that of 'default', or none: then that is no more is no longer certain, and it is
 * measured where the plan is worth much. */
static zt_status judge_high(zt_context *context, const zt_array *array,
                            const struct zti_codec *codec, const struct zti_ask *ask,
                            const struct zti_choice *other, bool is_close,
                            struct zti_choice *choice)
{
    const double part = 0.999; /* of two that are alike it is the one */
    const double worth = 1.06; /* of a plan that is given up: too much */
    *choice = *other;
    choice->has_axes = false;
    zt_status status = zti_plan_check_high(context, array, codec, ask, choice);
    const bool is_given_up =
        zti_plan_is_none(&choice->plan) && choice->bytes > worth * other->bytes;
    if (!status && (is_close || is_given_up))
        status = zti_plan_measure(context, array, codec, ask, true, choice);
    if (!status && !(is_given_up && choice->bytes > worth * other->bytes) &&
        choice->bytes > part * other->bytes)
        choice->bytes = part * other->bytes;
    return status;
}

/* Efforts of one codec, which follow each other, share the plan that was found for the first. The
 * high one is last, and is not tried where it is better than the first and that is the best. */
zt_status zti_plan_contest(zt_context *context, const zt_array *array, const struct zti_ask *ask,
                           bool is_exact, struct zti_result *results, uint32_t *count)
{
    struct zti_contender list[ZTI_CONTENDERS_MOST];
    const uint32_t n = zti_contenders(array->type, ask->kind == ZT_ABS, ask->params, list);
    for (uint32_t i = 0; i < n; i++) {
        zt_params params = *ask->params;
        struct zti_ask own = *ask;
        params.effort = list[i].effort;
        own.params = &params;
        results[i].contender = list[i];
        const struct zti_codec *codec = zti_codec_by_id(list[i].codec);
        zt_status status = ZT_OK;
        if (i > 0 && list[i].effort == ZT_EFFORT_HIGH) {
            const bool is_close =
                is_exact || best_of(results, i, ZT_PREFER_RATIO) != 0;
            status = judge_high(context, array, codec, &own, &results[0].choice, is_close,
                                &results[i].choice);
        } else {
            if (i > 0 && list[i - 1].codec == list[i].codec)
                results[i].choice = results[i - 1].choice;
            else
                status = zti_plan_choose(context, array, codec, &own, &results[i].choice);
            if (!status)
                status = zti_plan_measure(context, array, codec, &own, is_exact,
                                          &results[i].choice);
        }
        if (status)
            return status;
    }
    if (n == 0)
        return zti_fail(context, ZT_UNSUPPORTED, "no codec takes part in a choice of one");
    const uint32_t best = best_of(results, n, ask->params->prefer);
    const struct zti_result winner = results[best];
    for (uint32_t i = best; i > 0; i--)
        results[i] = results[i - 1];
    results[0] = winner;
    *count = n;
    return ZT_OK;
}
