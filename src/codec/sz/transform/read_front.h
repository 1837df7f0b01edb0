/* read_front.h: what a transformed tile's bytes say before its symbols, and how it is read:
 * functions for the CPU and for kernels. front.c writes it. */
#ifndef ZTI_SZ_TRANSFORM_READ_FRONT_H
#define ZTI_SZ_TRANSFORM_READ_FRONT_H

#include "codec/sz/lossless/read_front.h"
#include "codec/sz/transform/layout.h"

enum { ZTI_TF_AXIS_BITS = 2, ZTI_TF_LEAST_BITS = 2, ZTI_TF_RUN_BITS = 7 };

struct zti_tf_front {
    struct zti_tf_way way;
    uint32_t step_parts; /* the quantizer's step, in parts of the stream's */
    uint32_t shift;      /* of magnitudes in contexts, see weight_of */
    uint32_t parts_way;  /* how blocks are cut into parts */
    uint8_t centroid[ZTI_TF_OCTAVES][ZTI_TF_CENTROIDS];
    uint32_t models;
    uint8_t model_of[ZTI_LL_CONTEXTS];
};

/* Bit k: the tile has bands of octave k. */
ZTI_STATIC uint32_t tf_octaves(const struct zti_tf_layout *layout)
{
    uint32_t octaves = 0;
    for (uint32_t i = 0; i < layout->bands; i++)
        octaves |= 1u << layout->band[i].octave;
    return octaves;
}

ZTI_STATIC bool tf_read_way(struct zti_bit_reader *r, const struct zti_tf_layout *layout,
                            struct zti_tf_way *way)
{
    bool is_good = true;
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
        way->axis[a] = (uint8_t)zti_get_within(r, ZTI_TF_AXIS_BITS);
        is_good = is_good && way->axis[a] <= ZTI_TF_FIRST &&
                  (layout->extent[a] > 1 || way->axis[a] == ZTI_TF_KEPT);
    }
    way->least_code = (uint8_t)zti_get_within(r, ZTI_TF_LEAST_BITS);
    return is_good;
}

/* Read a front, set the layout's levels and bands, and read the models' weights; false: something
 * is invalid, or beyond the reader's end. */
ZTI_STATIC bool tf_read_front(struct zti_bit_reader *r, struct zti_tf_layout *layout,
                              struct zti_ans_model *model, struct zti_tf_front *front)
{
    memset(front, 0, sizeof *front);
    if (!tf_read_way(r, layout, &front->way))
        return false;
    tf_set_way(layout, &front->way);
    const uint32_t octaves = tf_octaves(layout);
    front->step_parts = zti_get_within(r, ZTI_TF_STEP_BITS) + 1;
    front->shift = zti_get_within(r, ZTI_TF_SHIFT_BITS);
    front->parts_way = zti_get_within(r, ZTI_TF_PARTS_BITS);
    memset(front->centroid, ZTI_TF_CENTROID_NONE, sizeof front->centroid);
    for (uint32_t g = 0; g < ZTI_TF_OCTAVES; g++) {
        if (!(octaves >> g & 1) || !zti_get_within(r, 1))
            continue;
        for (uint32_t k = 0; k < ZTI_TF_CENTROIDS; k++)
            front->centroid[g][k] = (uint8_t)zti_get_within(r, ZTI_TF_CENTROID_BITS);
    }
    return front->parts_way < ZTI_TF_PARTS_WAYS &&
           ll_read_models(r, ZTI_TF_CONTEXTS, ZTI_TF_RUN_BITS, &front->models, front->model_of,
                          model);
}

#endif
