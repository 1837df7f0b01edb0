/* sample.h: boxes spread over an array, as an array of their own. */
#ifndef ZTI_PLAN_SAMPLE_H
#define ZTI_PLAN_SAMPLE_H

#include "codec/codec.h"

/* A box of at least 'wanted' values, or all of the array, nearly a cube; its sides are whole
 * axes or multiples of 4. */
void zti_sample_shape(const struct zti_array *array, uint64_t wanted, uint64_t *box);

/* Place box number k, at multiples of 4. Boxes 0 .. n - 1 are spread evenly for every n. */
void zti_sample_place(const struct zti_array *array, const uint64_t *box, uint32_t k, uint64_t *at);

struct zti_sample {
    struct zti_array array; /* boxes stacked along the slowest axis, or the whole array */
    uint8_t *memory;        /* the copy of the boxes; NULL: 'array' is the whole array */
};

/* Copy boxes with 'values' values together, or use the whole array if it has at most twice as many.
 * Free the sample in any case. */
zt_status zti_sample_copy(zt_context *context, const struct zti_array *array, const uint64_t *box,
                          uint64_t values, struct zti_sample *sample);

/* The same with boxes of the codec's tile shape. */
zt_status zti_sample_tiles(zt_context *context, const struct zti_codec *codec,
                           const struct zti_array *array, uint64_t values,
                           struct zti_sample *sample);

static inline void zti_sample_free(zt_context *context, struct zti_sample *sample)
{
    zti_release(context, sample->memory);
}

#endif
