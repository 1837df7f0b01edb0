/* room.c: how much room frames need at most: bytes of a file, and memory of a GPU that they are
 * coded in. Neither looks at values. */
#include "array/mirror.h"
#include "core/device.h"
#include "frame/write/stages.h"
#include "ztile_cuda.h"

#include <float.h>
#include <math.h>

/* The most bytes that a stream of this coding takes, of which nothing was learnt yet. */
static zt_status stream_most(struct zt_writer *w, const struct zti_coding *coding, uint64_t *bytes)
{
    const struct zti_learning *const learning = zti_learning_of(coding->codec);
    size_t capacity = 0;
    zt_status status = zti_exec_capacity(w->context, coding, &capacity);
    const uint64_t head = learning ? learning->head_max_bytes(coding) : 0;
    const uint64_t most = head + capacity;
    if (most > *bytes)
        *bytes = most;
    if (!status && w->device_parts)
        status = zti_exec_scratch(
            w->context, coding,
            zti_has_ends(coding) ? 1 : zti_layout_of(&w->params, coding).chunk_tiles,
            w->device_parts);
    return status;
}

zt_status zti_writer_bound_of(struct zt_writer *w, uint64_t extent, const struct zti_plan *plan,
                              uint64_t *bytes)
{
    struct zti_frame f;
    memset(&f, 0, sizeof f);
    f.type = w->type;
    f.rank = w->rank;
    memcpy(f.shape, w->shape, sizeof f.shape);
    f.shape[0] = extent;
    f.coding.codec = w->codec;
    f.coding.type = w->type;
    zti_frame_set_plan(&f, plan);

    /* Not knowing the values, the absolute bound that rel comes to may be the smallest there is;
     * a frame with a bound may also end up lossless, one with any where special values are too
     * many different ones. */
    const zt_bound *bound = &w->params.bound;
    struct zti_ask ask = {
        .params = &w->params, .kind = ZT_LOSSLESS, .min = (double)NAN, .max = (double)NAN};
    const bool is_lossless = zti_is_lossless(bound);
    const bool has_abs = !is_lossless && (bound->kind == ZT_PWREL || bound->kind == ZT_ABS ||
                                          bound->kind == ZT_REL || bound->kind == ZT_PSNR);
    uint64_t most = 0;
    zt_status status = ZT_OK;
    if (has_abs || (!is_lossless && (zti_is_float(w->type) || w->params.fills > 0))) {
        status = w->codec->configure(w->context, &ask, &f.coding);
        if (!status)
            status = stream_most(w, &f.coding, &most);
    }
    if (has_abs) {
        ask.kind = bound->kind == ZT_PWREL ? ZT_PWREL : ZT_ABS;
        ask.part = bound->value;
        ask.abs_bound = bound->kind == ZT_ABS ? bound->value : DBL_TRUE_MIN;
    } else if (!is_lossless) {
        ask.kind = (zt_bound_kind)bound->kind;
        ask.abs_bound = (double)NAN;
    }
    f.coding.verify_bound = (double)NAN;
    if (!status)
        status = w->codec->configure(w->context, &ask, &f.coding);
    if (!status)
        status = stream_most(w, &f.coding, &most);
    if (status)
        return status;
    f.index = zti_layout_of(&w->params, &f.coding); /* if there is one */
    if (!is_lossless)
        f.special_values = zti_array_values(f.rank, f.shape);
    zti_frame_set_largest(&f, most);
    if (!has_abs)
        f.exact_values = 0;
    if (zti_has_limit(bound)) {
        const struct zti_frame coded = f;
        zti_frame_set_raw(&f);
        f.index = w->params.index == ZT_INDEX_DEFAULT ? f.index : coded.index;
        f.index_bytes = coded.index_bytes;
    }
    *bytes = ZTI_FRAME_ALIGN_BYTES + ZTI_HEADER_STORED_BYTES + f.payload_bytes + ZTI_GAP_BYTES +
             zti_tail_bytes_max(&f);
    return ZT_OK;
}

/* ---- memory of a GPU ---- */

/* Bytes of each part of the device's memory. */
static zt_status device_parts(zt_context *context, const zt_array *given, const zt_params *params,
                              uint64_t *parts)
{
    struct zt_writer w;
    if (!context || !context->device)
        return zti_fail(context, ZT_BAD_ARG, "scratch memory on a GPU is for the cuda policy");
    struct zti_array array;
    zt_status status = zti_array_check(context, given, ZTI_SHAPE_ONLY, &array);
    if (!status)
        status = zti_writer_init(context, &array, params, &w);
    if (status)
        return status;
    w.device_parts = parts;
    const uint64_t rest = w.shape[0] % w.thickness;
    uint64_t ignored;
    status = zti_writer_frame_bound(&w, w.thickness, &ignored);
    if (!status && rest > 0)
        status = zti_writer_frame_bound(&w, rest, &ignored);
    zti_writer_clear(&w);
    if (!status && zti_packed_bytes(&array) > 0)
        parts[ZTI_DEVICE_PACKED] = zti_packed_bytes(&array);
    return status;
}

zt_status zt_cuda_scratch_bytes(zt_context *context, const zt_array *array, const zt_params *params,
                                size_t *bytes)
{
    uint64_t parts[ZTI_DEVICE_PARTS] = {0}, sum = ZTI_PART_ALIGN_BYTES;
    if (!bytes)
        return zti_fail(context, ZT_BAD_ARG, "no place for the number of bytes");
    const zt_status status = device_parts(context, array, params, parts);
    for (uint32_t i = 0; i < ZTI_DEVICE_PARTS; i++)
        sum += zti_round_up(parts[i], ZTI_PART_ALIGN_BYTES);
    if (!status)
        *bytes = (size_t)sum;
    return status;
}

zt_status zt_cuda_reserve(zt_context *context, const zt_array *array, const zt_params *params)
{
    uint64_t parts[ZTI_DEVICE_PARTS] = {0};
    void *memory;
    zt_status status = device_parts(context, array, params, parts);
    for (uint32_t i = 0; i < ZTI_DEVICE_PARTS && !status; i++)
        if (parts[i] > 0)
            status = context->device->room(context, (enum zti_device_part)i, parts[i], &memory);
    return status;
}

zt_status zt_cuda_set_scratch(zt_context *context, void *memory, size_t bytes)
{
    if (!context || !context->device)
        return zti_fail(context, ZT_BAD_ARG, "scratch memory on a GPU is for the cuda policy");
    if (memory && zti_memory_of(context, memory) != ZTI_MEMORY_DEVICE)
        return zti_fail(context, ZT_BAD_ARG,
                        "the scratch memory is not in the memory of the policy's GPU");
    return context->device->lend(context, memory, memory ? bytes : 0);
}
