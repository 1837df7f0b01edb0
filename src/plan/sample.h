/* sample.h: boxes spread over an array, as an array of their own. */
#ifndef ZTI_PLAN_SAMPLE_H
#define ZTI_PLAN_SAMPLE_H

#include "codec/codec.h"

/* A box of at least 'wanted' values, or all of the array, nearly a cube; its sides are whole
 * axes or multiples of 4. */
void zti_sample_shape(const struct zti_array *array, uint64_t wanted, uint64_t *box);

/* Where box number k is: boxes 0 .. n - 1 are spread evenly for any n. Multiples of 4. */
void zti_sample_place(const struct zti_array *array, const uint64_t *box, uint32_t k, uint64_t *at);

/* The k-th of points that are spread over the array: at any of its elements. */
void zti_sample_point(const struct zti_array *array, uint32_t k, uint64_t *at);

struct zti_sample {
    struct zti_array
        array;       /* the boxes one after another along the slowest axis; or all that there is */
    uint8_t *memory; /* the copy, or NULL */
};

/* Take boxes with about 'values' values together; all of the array where it has less than twice as
 * many. Free it in any case. */
zt_status zti_sample_take(zt_context *context, const struct zti_array *array, const uint64_t *box,
                          uint64_t values, struct zti_sample *sample);

/* The same of tiles of the codec's own shape. */
zt_status zti_sample_tiles(zt_context *context, const struct zti_codec *codec,
                           const struct zti_array *array, uint64_t values,
                           struct zti_sample *sample);

static inline void zti_sample_free(zt_context *context, struct zti_sample *sample)
{
    zti_release(context, sample->memory);
}

#endif
