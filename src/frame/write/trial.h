/* trial.h: codings that are tried out before one is chosen: on a sample of a slab, and for a PSNR
 * on the whole of it. */
#ifndef ZTI_FRAME_WRITE_TRIAL_H
#define ZTI_FRAME_WRITE_TRIAL_H

#include "frame/write/stages.h"
#include "plan/sample.h"

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

/* ---- trial.c ---- */

/* Some tiles of a slab, or all of it where that is small. */
struct zti_trial {
    struct zti_sample sample;
    struct zti_buffer room; /* for its stream and for its values decoded */
    struct zti_buffer decoded;
};

/* Tiles of the codec's own shape, from all over the slab, about 'values' values. */
zt_status zti_trial_take(zt_context *context, const struct zti_codec *codec, const zt_array *slab,
                         uint64_t values, struct zti_trial *trial);
void zti_trial_free(zt_context *context, struct zti_trial *trial);

/* Set ask->choice to the codec's way of keeping a bound of ZT_PWREL that makes the smallest stream,
 * exact values included. */
zt_status zti_choose(struct zt_writer *writer, const struct zti_frame *frame, struct zti_ask *ask,
                     const zt_array *slab);

/* The mean squared error of a sample over the square of range, when coded as is asked. */
zt_status zti_trial_error(zt_context *context, const struct zti_codec *codec,
                          const struct zti_ask *ask, struct zti_trial *trial, double range,
                          double *error);

/* ---- psnr.c ---- */

/* Decode a stream that was just made into C-contiguous memory of the slab's shape. */
zt_status zti_decode_own(zt_context *context, const struct zti_coding *coding,
                         const uint8_t *stream, uint64_t stream_bytes, uint8_t *decoded);

/* The sum of squared differences between an array and C-contiguous memory of its shape, over the
 * square of range; values whose bit in mask (NULL: none) is set do not count. It does not depend on
 * the context. Infinite where a difference is no number. */
double zti_sum_squares(zt_context *context, const zt_array *array, const uint8_t *decoded,
                       const uint64_t *mask, double range);

/* Code a slab with the largest error that meets the PSNR asked for, and note in f what it is.
 * *special says which values do not count. */
zt_status zti_psnr_code(struct zt_writer *writer, struct zti_frame *f, struct zti_ask *ask,
                        const zt_array *slab, const struct zti_special *special,
                        struct zti_misses *misses, uint8_t **payload);

#endif
