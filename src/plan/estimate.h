/* estimate.h: estimate the size of an array under a plan, in batches of few values. */
#ifndef ZTI_PLAN_ESTIMATE_H
#define ZTI_PLAN_ESTIMATE_H

#include "codec/learning.h"
#include "codec/planning.h"
#include "core/buffer.h"
#include "plan/plan.h"

/* A plan, and for codecs that choose them the axes of prediction: bit i is axis i of the coded
 * array. */
struct zti_way {
    struct zti_plan plan;
    uint32_t axes;
};

/* Batch number b has the same places of the array under every plan, so plans are compared batch by
 * batch. Batches are spread evenly over the array. */
struct zti_estimator {
    zt_context *context;
    const struct zti_array *array;
    const struct zti_codec *codec;
    const struct zti_target *target;
    uint64_t brick[ZT_MAX_RANK]; /* shape of a brick; used by codecs with small tiles */
    uint64_t brick_values;
    uint32_t bricks;           /* of a batch */
    struct zti_buffer batches; /* bricks as they are in the array, batch after batch */
    uint32_t copied;           /* batches that are there */
    uint64_t spent;            /* values that were coded or estimated so far */
    int64_t *offset;           /* scratch */
    uint8_t *values;
    struct zti_buffer stream;
};

/* Prepare for batches of about batch_values values. Free the estimator in any case. */
zt_status zti_estimator_open(zt_context *context, const struct zti_array *array,
                             const struct zti_codec *codec, const struct zti_target *target,
                             uint64_t batch_values, struct zti_estimator *estimator);
void zti_estimator_free(struct zti_estimator *estimator);

/* Estimate the bits for each value of a batch under a plan. What all plans have in common may be
 * left out. */
zt_status zti_estimate(struct zti_estimator *estimator, const struct zti_plan *plan, uint32_t batch,
                       double *rate);

/* Estimate the bytes of the array under a plan: encode about 'values' values of it, in boxes of a
 * tile, as an array of their own with all passes, codebooks and heads, and scale the result. */
zt_status zti_estimate_whole(struct zti_estimator *estimator, const struct zti_plan *plan,
                             uint64_t values, double *bytes);

/* The same from one box of this shape (in the array's axes), number k of those spread over the
 * array, 0 about its middle: for codecs that predict from distant values, which the borders of many
 * small boxes would disturb. */
zt_status zti_estimate_box(struct zti_estimator *estimator, const struct zti_plan *plan, uint32_t k,
                           const uint64_t *box, double *bytes);

/* Configure a coding of this shape under the estimator's bound, without verification. found (may be
 * NULL): what the codec need not search for again. */
zt_status zti_estimate_configure(const struct zti_estimator *estimator,
                                 const struct zti_found *found, uint32_t rank,
                                 const uint64_t *shape, struct zti_coding *coding);

/* Copy a box of an array's coded array, C-contiguous, with special values replaced; returns the end
 * of the copy. estimator->offset then has the places of the box's elements. */
uint8_t *zti_estimate_gather(struct zti_estimator *estimator, const struct zti_plan *plan,
                             const struct zti_array *array, uint32_t rank, const uint64_t *origin,
                             const uint64_t *side, uint8_t *to);

/* Make estimator->stream long enough for this number of bits. */
zt_status zti_estimate_room(struct zti_estimator *estimator, uint64_t bits);

/* About how many values a tile of this codec has, and whether these are few enough for bricks. */
uint64_t zti_count_tile_values(const struct zti_codec *codec, uint32_t rank);
bool zti_has_bricks(const struct zti_codec *codec);

#endif
