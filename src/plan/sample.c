/* sample.c: boxes of an array: their shape, their places, their copies. */
#include "plan/sample.h"

enum { LEAST_SIDE = 4 };

/* Sides double, the shortest first, until the box has enough values. A side that is more than half
 * of its axis becomes the whole axis. */
void zti_sample_shape(const struct zti_array *array, uint64_t wanted, uint64_t *box)
{
    const uint64_t *const shape = array->shape;
    for (uint32_t i = 0; i < array->rank; i++)
        box[i] = shape[i] < 2 * LEAST_SIDE ? shape[i] : LEAST_SIDE;
    for (;;) {
        uint32_t least = array->rank;
        for (uint32_t i = array->rank; i-- > 0;)
            if (box[i] < shape[i] && (least == array->rank || box[i] < box[least]))
                least = i;
        if (least == array->rank || zti_array_values(array->rank, box) >= wanted)
            return;
        box[least] *= 2;
        if (shape[least] < 2 * box[least])
            box[least] = shape[least];
    }
}

void zti_sample_place(const struct zti_array *array, const uint64_t *box, uint32_t k, uint64_t *at)
{
    for (uint32_t i = 0; i < array->rank; i++) {
        at[i] = zti_spread_along(array->shape[i] - box[i] + 1, i, k);
        at[i] -= at[i] % LEAST_SIDE;
    }
}

zt_status zti_sample_copy(zt_context *context, const struct zti_array *array, const uint64_t *box,
                          uint64_t values, struct zti_sample *s)
{
    const uint64_t all = zti_array_values(array->rank, array->shape);
    const uint64_t box_values = zti_array_values(array->rank, box);
    const uint32_t boxes = (uint32_t)(values / box_values + 1);
    uint64_t shape[ZT_MAX_RANK];
    *s = (struct zti_sample){.array = *array};
    if (all <= 2 * boxes * box_values)
        return ZT_OK;
    const size_t box_bytes = (size_t)box_values * zt_type_bytes(array->type);
    s->memory = zti_alloc(context, boxes * box_bytes);
    if (!s->memory)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a sample of an array");
    for (uint32_t k = 0; k < boxes; k++) {
        uint64_t at[ZT_MAX_RANK];
        struct zti_array one = *array;
        zti_sample_place(array, box, k, at);
        one.data = zti_array_at(array, at);
        memcpy(one.shape, box, array->rank * sizeof *box);
        zti_array_copy(&one, s->memory + k * box_bytes);
    }
    memcpy(shape, box, sizeof shape);
    shape[0] *= boxes;
    s->array = zti_array_packed(s->memory, array->type, array->rank, shape);
    return ZT_OK;
}

zt_status zti_sample_tiles(zt_context *context, const struct zti_codec *codec,
                           const struct zti_array *array, uint64_t values, struct zti_sample *s)
{
    const uint32_t *const side = codec->tile_shape[array->rank - 1];
    uint64_t box[ZT_MAX_RANK];
    for (uint32_t i = 0; i < array->rank; i++)
        box[i] = array->shape[i] < side[i] ? array->shape[i] : side[i];
    return zti_sample_copy(context, array, box, values, s);
}
