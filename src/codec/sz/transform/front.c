/* front.c: what a tile's bytes say before its symbols.
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
#include "entropy/items.h"

enum { AXIS_BITS = 2, LEAST_BITS = 2, RUN_BITS = 7 };

_Static_assert((int)ZTI_TF_CONTEXTS <= (int)ZTI_LL_GROUPS, "there are counts for each context");
_Static_assert(ZTI_TF_CONTEXTS < 1 << RUN_BITS, "runs of contexts have room");

_Static_assert(ZTI_TF_CENTROID_PARTS <= 1 << ZTI_TF_CENTROID_BITS, "centroids have room");

/* Bit k: the tile has bands of octave k. */
static uint32_t octaves_of(const struct zti_tf_layout *layout)
{
    uint32_t octaves = 0;
    for (uint32_t i = 0; i < layout->bands; i++)
        octaves |= 1u << layout->band[i].octave;
    return octaves;
}

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
    const uint32_t octaves = octaves_of(&slot->layout);
    uint64_t bits = 0;
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        zti_items_field(&to, front->way.axis[a], AXIS_BITS);
    zti_items_field(&to, front->way.least_code, LEAST_BITS);
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
    zti_ll_encode_models(front->models, front->model_of, ZTI_TF_CONTEXTS, RUN_BITS, &to);
    bits = to.bits;
    for (uint32_t k = 0; k < front->models; k++) {
        bits += zti_ans_stored_bits(&slot->model[k]);
        if (w)
            zti_ans_write(&slot->model[k], w);
    }
    return bits;
}

static bool read_way(struct zti_bit_reader *r, const struct zti_tf_layout *layout,
                     struct zti_tf_way *way)
{
    bool is_good = true;
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
        way->axis[a] = (uint8_t)zti_get_within(r, AXIS_BITS);
        is_good = is_good && way->axis[a] <= ZTI_TF_FIRST &&
                  (layout->extent[a] > 1 || way->axis[a] == ZTI_TF_KEPT);
    }
    way->least_code = (uint8_t)zti_get_within(r, LEAST_BITS);
    return is_good;
}

bool zti_tf_decode_front(struct zti_bit_reader *r, struct zti_tf_slot *slot,
                         struct zti_tf_front *front)
{
    memset(front, 0, sizeof *front);
    if (!read_way(r, &slot->layout, &front->way))
        return false;
    zti_tf_set_way(&slot->layout, &front->way);
    const uint32_t octaves = octaves_of(&slot->layout);
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
           zti_ll_decode_models(r, ZTI_TF_CONTEXTS, RUN_BITS, &front->models, front->model_of,
                                slot->model);
}
