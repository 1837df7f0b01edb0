/* sample.h: a few bricks of an array, and how small a codec makes them under a plan. */
#ifndef ZTI_PLAN_SAMPLE_H
#define ZTI_PLAN_SAMPLE_H

#include "codec/codec.h"
#include "plan/plan.h"

/* Bricks of one shape, spread over an array, each C-contiguous in the array's axes. They are the
 * same for every plan, so that plans are compared on the same values. */
struct zti_sample {
    zt_context *context;
    uint32_t type;
    uint32_t rank;
    uint64_t shape[ZT_MAX_RANK]; /* of the array */
    uint64_t brick[ZT_MAX_RANK]; /* of a brick: whole axes, or multiples of 4 of at least 4 */
    uint64_t brick_values;
    uint32_t bricks;
    double share; /* of what is going on in the array, for each part of its values: 1 where bricks
                     were taken evenly */
    uint8_t *values;
    uint8_t *coded; /* room for as many, in a plan's order */
    uint8_t *stream;
    size_t stream_bytes; /* room */
};

/* Take about 'values' values in bricks of at least 'brick_values'; all of the array where that is
 * less than twice as much. With by_activity, where there is an absolute bound, bricks in which more
 * is going on are taken more often. Special values (see frame/special.h) are replaced by the valid
 * one before them. */
zt_status zti_sample_take(zt_context *context, const zt_array *array, const struct zti_ask *ask,
                          uint64_t values, uint64_t brick_values, bool by_activity,
                          struct zti_sample *sample);
void zti_sample_free(struct zti_sample *sample);

/* Code an array of bricks into s->stream, which is made large enough. */
zt_status zti_sample_stream(struct zti_sample *sample, const struct zti_coding *coding,
                            const zt_array *bricks, uint64_t *end_bits);

/* Estimate the bytes of the array's stream under a plan. */
zt_status zti_sample_code(struct zti_sample *sample, const struct zti_codec *codec,
                          const struct zti_ask *ask, const struct zti_plan *plan, double *bytes);

#endif
