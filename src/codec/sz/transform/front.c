/* front.c: what a tile's bytes say before its symbols; read_front.h reads it.
 *
 *     2 bits     for each of four axes: zti_tf_axis
 *     2 bits     least_code
 *     6 bits     step_parts - 1
 *     5 bits     shift
 *     4 bits     parts_way
 *     for each octave of bands that the tile has, the finest first:
 *     1 bit      whether it has centroids; if not, all are 32
 *     3 * 6 bits the centroids
 *     4 bits     models - 1
 *     7 bits     for each model but the last: how many contexts have it
 *     tables     of the models (entropy/ans) */
#include "codec/sz/transform/transform.h"

_Static_assert((int)ZTI_TF_CONTEXTS <= (int)ZTI_LL_GROUPS, "there are counts for each context");
_Static_assert(ZTI_TF_CONTEXTS < 1 << ZTI_TF_RUN_BITS, "runs of contexts have room");

_Static_assert(ZTI_TF_CENTROID_PARTS <= 1 << ZTI_TF_CENTROID_BITS, "centroids have room");

static bool has_centroids(const uint8_t *centroid)
{
    bool has_any = false;
    for (uint32_t k = 0; k < ZTI_TF_CENTROIDS; k++)
        has_any = has_any || centroid[k] != ZTI_TF_CENTROID_NONE;
    return has_any;
}

uint64_t zti_tf_encode_front(const struct zti_tf_slot *slot, const struct zti_tf_front *front,
                             struct zti_bit_writer *w)
{
    struct zti_items to = {w, 0};
    const uint32_t octaves = tf_octaves(&slot->layout);
    uint64_t bits = 0;
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        zti_items_field(&to, front->way.axis[a], ZTI_TF_AXIS_BITS);
    zti_items_field(&to, front->way.least_code, ZTI_TF_LEAST_BITS);
    zti_items_field(&to, front->step_parts - 1, ZTI_TF_STEP_BITS);
    zti_items_field(&to, front->shift, ZTI_TF_SHIFT_BITS);
    zti_items_field(&to, front->parts_way, ZTI_TF_PARTS_BITS);
    for (uint32_t g = 0; g < ZTI_TF_OCTAVES; g++) {
        if (!(octaves >> g & 1))
            continue;
        zti_items_field(&to, has_centroids(front->centroid[g]), 1);
        for (uint32_t k = 0; k < ZTI_TF_CENTROIDS && has_centroids(front->centroid[g]); k++)
            zti_items_field(&to, front->centroid[g][k], ZTI_TF_CENTROID_BITS);
    }
    zti_ll_encode_models(front->models, front->model_of, ZTI_TF_CONTEXTS, ZTI_TF_RUN_BITS, &to);
    bits = to.bits;
    for (uint32_t k = 0; k < front->models; k++) {
        bits += zti_ans_stored_bits(&slot->model[k]);
        if (w)
            zti_ans_write(&slot->model[k], w);
    }
    return bits;
}

bool zti_tf_decode_front(struct zti_bit_reader *r, struct zti_tf_slot *slot,
                         struct zti_tf_front *front)
{
    struct zti_tf_span all[ZTI_TF_AXES];
    const bool is_good = tf_read_front(r, &slot->layout, slot->model, front);
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        all[a] = (struct zti_tf_span){0, slot->layout.extent[a]};
    zti_tf_set_need(&slot->layout, all);
    for (uint32_t k = 0; is_good && k < front->models; k++)
        zti_ans_make_decoder(&slot->model[k]);
    return is_good;
}
