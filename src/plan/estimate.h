/* estimate.h: how small a plan makes an array, found out batch by batch, from few values each. */
#ifndef ZTI_PLAN_ESTIMATE_H
#define ZTI_PLAN_ESTIMATE_H

#include "codec/learning.h"
#include "codec/planning.h"
#include "core/buffer.h"
#include "plan/plan.h"

/* A plan; and where the codec chooses, along which axes of the coded array it predicts: bit i for
 * axis i. */
struct zti_way {
    struct zti_plan plan;
    uint32_t axes;
};

/* Batch number b is of the same places of the array under every plan, so that plans are compared
 * batch by batch; batches are spread over the array alike. */
struct zti_estimator {
    zt_context *context;
    const struct zti_array *array;
    const struct zti_codec *codec;
    const struct zti_target *target;
    uint64_t brick[ZT_MAX_RANK]; /* values of the array that are coded together, where tiles are */
    uint64_t brick_values;       /* small; else tiles of the coded array are */
    uint32_t bricks;             /* of a batch */
    uint64_t spent;              /* values that were looked at */
    int64_t *offset;             /* scratch */
    uint8_t *values;
    struct zti_buffer stream;
};

/* Get ready for batches of about so many values. Free it in any case. */
zt_status zti_estimator_open(zt_context *context, const struct zti_array *array,
                             const struct zti_codec *codec, const struct zti_target *target,
                             uint64_t batch_values, struct zti_estimator *estimator);
void zti_estimator_free(struct zti_estimator *estimator);

/* Bits for each value of a batch under a plan, about; what all plans have in common may be missing
 * in it. */
zt_status zti_estimate(struct zti_estimator *estimator, const struct zti_plan *plan, uint32_t batch,
                       double *rate);

/* Copy boxes of the array as it is coded under a plan, tiles of it or so, one behind the other: to
 * be coded for good, codebooks and all. *bytes is what the array takes, by these. */
zt_status zti_estimate_whole(struct zti_estimator *estimator, const struct zti_plan *plan,
                             uint64_t values, double *bytes);

/* The same of one box of the array, about its middle, that is coded as an array of its own: for
 * what predicts from far away, to which the ends of many boxes are what an array does not have. */
zt_status zti_estimate_box(struct zti_estimator *estimator, const struct zti_plan *plan,
                           uint64_t values, double *bytes);

/* The coding of an array of this shape, under the estimator's bound, of which nothing is verified;
 * found (NULL: nothing): what the codec need not look for. */
zt_status zti_estimate_configure(const struct zti_estimator *estimator,
                                 const struct zti_found *found, uint32_t rank,
                                 const uint64_t *shape, struct zti_coding *coding);

/* Copy a box of the coded array, C-contiguous, with special values smoothed over; returns the place
 * behind it. */
uint8_t *zti_estimate_gather(struct zti_estimator *estimator, const struct zti_plan *plan,
                             uint32_t rank, const uint64_t *origin, const uint64_t *side,
                             uint8_t *to);

/* Make estimator->stream long enough for so many bits. */
zt_status zti_estimate_room(struct zti_estimator *estimator, uint64_t bits);

/* Values of a tile of this codec, about; and whether they are so few that bricks of the array hold
 * whole tiles. */
uint64_t zti_estimate_tile(const struct zti_codec *codec, uint32_t rank);
bool zti_has_bricks(const struct zti_codec *codec);

#endif
