/* trial.c: a sample of a slab, and what a codec makes of it under one bound or another. */
#include "frame/write/trial.h"

#include "quality/quality.h"

#include <math.h>

/* ---- the sample ---- */

zt_status zti_trial_take(zt_context *context, const struct zti_codec *codec, const zt_array *slab,
                         uint64_t values, struct zti_trial *trial)
{
    const uint32_t *const side = codec->tile_shape[slab->rank - 1];
    uint64_t box[ZT_MAX_RANK];
    memset(trial, 0, sizeof *trial);
    for (uint32_t i = 0; i < slab->rank; i++)
        box[i] = slab->shape[i] < side[i] ? slab->shape[i] : side[i];
    return zti_sample_take(context, slab, box, values, &trial->sample);
}

void zti_trial_free(zt_context *context, struct zti_trial *trial)
{
    zti_sample_free(context, &trial->sample);
    zti_buffer_free(context, &trial->room);
    zti_buffer_free(context, &trial->decoded);
}

/* ---- trials ---- */

/* Code the sample; *coding is then to be forgotten, and trial->room has the stream. */
static zt_status code_sample(zt_context *context, const struct zti_codec *codec,
                             const struct zti_ask *ask, struct zti_trial *trial,
                             struct zti_coding *coding, struct zti_misses *misses,
                             uint64_t *stream_bytes)
{
    size_t capacity = 0;
    uint64_t end_bits = 0;
    const zt_array *const sample = &trial->sample.array;
    *coding = zti_coding_of(codec, sample->type, sample->rank, sample->shape);
    zt_status status = codec->configure(context, ask, coding);
    if (!misses)
        coding->verify_bound = (double)NAN;
    if (!status)
        status = zti_exec_survey(context, coding, &trial->sample.array);
    if (!status)
        status = zti_exec_capacity(context, coding, &capacity);
    const uint64_t head_bytes = status ? 0 : zti_head_bytes(coding);
    if (!status)
        status = zti_buffer_reserve(context, &trial->room, head_bytes + capacity, 0);
    if (!status)
        status = zti_exec_encode(context, coding, &trial->sample.array, trial->room.bytes,
                                 trial->room.capacity, head_bytes * 8, &end_bits, misses, NULL);
    if (!status && head_bytes > 0)
        zti_put_head(coding, NULL, trial->room.bytes);
    *stream_bytes = end_bits / 8;
    return status;
}

zt_status zti_trial_error(zt_context *context, const struct zti_codec *codec,
                          const struct zti_ask *ask, struct zti_trial *trial, double range,
                          double *error)
{
    const uint64_t values = zti_array_values(trial->sample.array.rank, trial->sample.array.shape);
    struct zti_coding coding;
    uint64_t bytes;
    zt_status status = code_sample(context, codec, ask, trial, &coding, NULL, &bytes);
    if (!status)
        status = zti_buffer_reserve(context, &trial->decoded,
                                    values * zt_type_bytes(trial->sample.array.type), 0);
    if (!status)
        status = zti_decode_own(context, &coding, trial->room.bytes, bytes, trial->decoded.bytes);
    if (!status)
        *error = zti_sum_squares(context, &trial->sample.array, trial->decoded.bytes, NULL, range) /
                 (double)values;
    zti_forget(context, &coding);
    return status;
}

/* Bits that the sample takes when coded as is asked, exact values with their places included;
 * UINT64_MAX where these are more than a frame may have. */
static zt_status sample_bits(zt_context *context, const struct zti_codec *codec,
                             const struct zti_ask *ask, struct zti_trial *trial, uint64_t limit,
                             uint64_t *bits)
{
    const uint64_t values = zti_array_values(trial->sample.array.rank, trial->sample.array.shape);
    struct zti_misses misses = {.limit = limit};
    struct zti_coding coding;
    uint64_t bytes;
    zt_status status = code_sample(context, codec, ask, trial, &coding, &misses, &bytes);
    const uint64_t gap = misses.count ? values / misses.count : 0;
    *bits = 8 * (bytes + misses.count * (zt_type_bytes(coding.type) + (gap < 128 ? 1 : 2)));
    if (misses.is_over)
        *bits = UINT64_MAX;
    zti_misses_free(context, &misses);
    zti_forget(context, &coding);
    return status;
}

/* Within a run, from the loosest way to the tightest, the bits fall while exact values become
 * fewer, and then rise: a run is left when they have risen twice. */
zt_status zti_choose(struct zt_writer *w, const struct zti_frame *f, struct zti_ask *ask,
                     const zt_array *slab)
{
    enum { SAMPLE_VALUES = 1 << 15, RISES = 2, PART = 8 };
    const struct zti_codec *codec = f->coding.codec;
    uint32_t ends[ZTI_CHOICE_RUNS], best = 0, at = 0;
    uint64_t least = UINT64_MAX, bits;
    struct zti_trial trial;
    const struct zti_planning *const planning = zti_planning_of(codec);
    if (!planning || !planning->choices)
        return ZT_OK;
    const uint32_t runs = planning->choices(&f->coding, ends);
    zt_status status = zti_trial_take(w->context, codec, slab, SAMPLE_VALUES, &trial);
    const uint64_t limit = zti_array_values(slab->rank, trial.sample.array.shape) / PART;
    const zt_progress progress = zti_pause_progress(w->context);
    for (uint32_t run = 0; run < runs; run++) {
        uint64_t low = UINT64_MAX;
        uint32_t rises = 0;
        for (at = run > 0 ? ends[run - 1] : 0; at < ends[run] && rises < RISES && !status; at++) {
            ask->choice = at;
            status = sample_bits(w->context, codec, ask, &trial, limit, &bits);
            rises = bits < low || bits == UINT64_MAX ? 0 : rises + 1;
            low = bits < low ? bits : low;
            if (bits < least) {
                least = bits;
                best = at;
            }
        }
    }
    zti_resume_progress(w->context, progress);
    ask->choice = least == UINT64_MAX ? ends[0] - 1 : best;
    zti_trial_free(w->context, &trial);
    return status;
}
