/* trial.h: code an array for good, to see what comes out: a sample mostly, under one bound or
 * another. */
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

/* Trials are not told as progress. */
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

/* Configure a coding, which has codec, type and grid, as is asked, and drop the planes that are to
 * be. */
zt_status zti_configure(zt_context *context, const struct zti_target *target,
                        struct zti_coding *coding);

/* Code an array as is asked: what the codec learns of it, its head (but for one that says where
 * tiles end, which is left empty) and all its tiles, into 'stream'. misses NULL: nothing is
 * verified. *coding, by which that was done, is to be forgotten in any case. */
zt_status zti_code_for_good(zt_context *context, const struct zti_codec *codec,
                            const struct zti_target *target, const struct zti_array *array,
                            struct zti_misses *misses, struct zti_buffer *stream,
                            struct zti_coding *coding, uint64_t *stream_bytes);

/* Decode a stream that was just made into C-contiguous memory of the array's shape, which the
 * buffer gets. */
zt_status zti_decode_own(zt_context *context, const struct zti_coding *coding,
                         const uint8_t *stream, uint64_t stream_bytes, struct zti_buffer *decoded);

#endif
