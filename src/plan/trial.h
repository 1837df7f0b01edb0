/* trial.h: encode a sample or a whole array completely, and decode it, to measure the result. */
#ifndef ZTI_PLAN_TRIAL_H
#define ZTI_PLAN_TRIAL_H

#include "codec/learning.h"
#include "core/buffer.h"
#include "exec/exec.h"
#include "plan/sample.h"

/* A sample, and what was last made of it. */
struct zti_trial {
    struct zti_sample sample;
    struct zti_buffer stream;
    struct zti_buffer decoded; /* the sample's values, C-contiguous */
};

void zti_trial_free(zt_context *context, struct zti_trial *trial);

/* Trials do not report progress. */
static inline zt_progress zti_pause_progress(zt_context *context)
{
    const zt_progress progress = context ? context->progress : NULL;
    if (context)
        context->progress = NULL;
    return progress;
}

static inline void zti_resume_progress(zt_context *context, zt_progress progress)
{
    if (context)
        context->progress = progress;
}

/* Configure a coding, which has codec, type and grid, for a target, and drop target->loose_planes
 * planes. */
zt_status zti_configure(zt_context *context, const struct zti_target *target,
                        struct zti_coding *coding);

/* Encode an array for a target into 'stream', completely: the codec's passes, the head and all
 * tiles. A head that is a table of tile ends is left empty. misses NULL: nothing is verified. The
 * caller releases *coding with zti_forget in any case. */
zt_status zti_trial_encode(zt_context *context, const struct zti_codec *codec,
                           const struct zti_target *target, const struct zti_array *array,
                           struct zti_misses *misses, struct zti_buffer *stream,
                           struct zti_coding *coding, uint64_t *stream_bytes);

/* Load the coding of a stream that was just made, as a reader does. zti_forget it in any case. */
zt_status zti_trial_open(zt_context *context, const struct zti_coding *coding,
                         const uint8_t *stream, struct zti_coding *read);

/* Decode a stream that was just made into the buffer, C-contiguous. */
zt_status zti_trial_decode(zt_context *context, const struct zti_coding *coding,
                           const uint8_t *stream, uint64_t stream_bytes,
                           struct zti_buffer *decoded);

#endif
