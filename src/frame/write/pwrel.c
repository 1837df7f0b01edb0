/* pwrel.c: part of the first stage: a codec may have several ways to keep a bound relative to each
 * value (ZT_PWREL). Each is tried on a sample of tiles, and the one with the fewest bits, exact
 * values included, is set as target.choice. */
#include "frame/write/stages.h"

/* Bits of the sample's stream and of its exact values with their positions; UINT64_MAX where there
 * are more exact values than 'limit'. */
static zt_status sample_bits(const struct zti_job *job, const struct zti_target *target,
                             struct zti_trial *trial, uint64_t limit, uint64_t *bits)
{
    const struct zti_array *const sample = &trial->sample.array;
    const uint64_t values = zti_array_values(sample->rank, sample->shape);
    struct zti_misses misses = {.limit = limit};
    struct zti_coding coding;
    uint64_t bytes;
    const zt_status status = zti_trial_encode(job->context, job->frame.coding.codec, target, sample,
                                              &misses, &trial->stream, &coding, &bytes);
    const uint64_t gap = misses.count ? values / misses.count : 0;
    *bits = 8 * (bytes + misses.count * (zt_type_bytes(coding.type) + (gap < 128 ? 1 : 2)));
    if (misses.exceeds_limit)
        *bits = UINT64_MAX;
    zti_misses_free(job->context, &misses);
    zti_forget(job->context, &coding);
    return status;
}

/* A codec lists its ways in runs, each from the loosest to the tightest. Within a run the bits fall
 * as long as exact values become fewer, then rise; the search leaves a run when they have risen
 * twice. */
zt_status zti_choose_way(struct zti_job *j)
{
    enum { SAMPLE_VALUES = 1 << 15, RISES = 2 };
    const struct zti_coding *const coding = &j->frame.coding;
    struct zti_target *const target = &j->target;
    uint32_t ends[ZTI_CHOICE_RUNS], best = 0, at = 0;
    uint64_t least = UINT64_MAX, bits;
    struct zti_trial trial = {.stream = {.bytes = NULL}};
    const struct zti_planning *const planning = zti_planning_of(coding->codec);
    if (!planning || !planning->choices)
        return ZT_OK;
    const uint32_t runs = planning->choices(coding, ends);
    zt_status status =
        zti_sample_tiles(j->context, coding->codec, &j->values, SAMPLE_VALUES, &trial.sample);
    const uint64_t limit = zti_misses_limit(j->values.rank, trial.sample.array.shape);
    for (uint32_t run = 0; run < runs; run++) {
        uint64_t low = UINT64_MAX;
        uint32_t rises = 0;
        for (at = run > 0 ? ends[run - 1] : 0; at < ends[run] && rises < RISES && !status; at++) {
            target->choice = at;
            status = sample_bits(j, target, &trial, limit, &bits);
            rises = bits < low || bits == UINT64_MAX ? 0 : rises + 1;
            low = bits < low ? bits : low;
            if (bits < least) {
                least = bits;
                best = at;
            }
        }
    }
    target->choice = least == UINT64_MAX ? ends[0] - 1 : best;
    zti_trial_free(j->context, &trial);
    return status;
}
