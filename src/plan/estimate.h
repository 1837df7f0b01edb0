/* estimate.h: how small a plan makes an array, found out batch by batch, from few values each. */
#ifndef ZTI_PLAN_ESTIMATE_H
#define ZTI_PLAN_ESTIMATE_H

#include "codec/codec.h"
#include "plan/plan.h"

/* Batch number b is of the same places of the array under every plan, so that plans are compared
 * batch by batch; batches are spread over the array alike. */
struct zti_estimator {
    zt_context *context;
    const zt_array *array;
    const struct zti_codec *codec;
    const struct zti_ask *ask;
    bool has_axes;                /* the codec chooses axes to take differences along: */
    uint32_t axes;                /* bit i: axis i of the array */
    uint64_t brick[ZT_MAX_RANK];  /* values of the array that are coded together, where tiles are */
    uint64_t brick_values;        /* small; else tiles of the coded array are */
    uint32_t bricks;              /* of a batch */
    uint64_t spent;               /* values that were looked at */
    int64_t *offset;              /* scratch */
    uint8_t *values;
    uint8_t *stream;
    size_t stream_bytes;
};

/* Get ready for batches of about so many values. Free it in any case. */
zt_status zti_estimator_open(zt_context *context, const zt_array *array,
                             const struct zti_codec *codec, const struct zti_ask *ask,
                             uint64_t batch_values, struct zti_estimator *estimator);
void zti_estimator_free(struct zti_estimator *estimator);

/* The axes along which the coded array's differences are taken; false where that is not known. */
bool zti_estimate_axes(const struct zti_estimator *estimator, const struct zti_plan *plan,
                       uint32_t *axes);

/* False of plans that leave no axis of those along which the codec takes differences. */
bool zti_estimate_can(const struct zti_estimator *estimator, const struct zti_plan *plan);

/* Bits for each value of a batch under a plan, about; what all plans have in common may be missing
 * in it. */
zt_status zti_estimate(struct zti_estimator *estimator, const struct zti_plan *plan,
                       uint32_t batch, double *rate);

/* The same from the first so many batches, with all that the codec learns of these values: of
 * codecs that learn the more precise measure. */
zt_status zti_estimate_learnt(struct zti_estimator *estimator, const struct zti_plan *plan,
                              uint32_t batches, double *rate);

/* Copy boxes of the array as it is coded under a plan, tiles of it or so, one behind the other: to
 * be coded for good, codebooks and all. *bytes is what the array takes, by these. */
zt_status zti_estimate_whole(struct zti_estimator *estimator, const struct zti_plan *plan,
                             uint64_t values, double *bytes);

/* Values of a tile of this codec, about. */
uint64_t zti_estimate_tile(const struct zti_codec *codec, uint32_t rank);

#endif
