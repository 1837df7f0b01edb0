/* room.c: upper limits that hold for any values: the bytes of a frame, for zt_compress_bound, and
 * the device memory that coding it takes, for zt_cuda_*. */
#include "array/mirror.h"
#include "core/device.h"
#include "frame/read/reader.h"
#include "frame/write/writer.h"
#include "plan/plans.h"
#include "ztile_cuda.h"

#include <float.h>
#include <math.h>

/* A request, whose codec becomes that of one candidate after the other. */
struct rooms {
    zt_context *context;
    struct zti_request request;
    uint64_t extent;
    uint64_t *device_parts;
};

void zti_frame_set_largest(struct zti_frame *f, uint64_t payload_bytes)
{
    f->payload_bytes = payload_bytes;
    f->exact_values = zti_misses_limit(f->rank, f->shape);
    if (f->special_values > 0 && f->special_bytes == 0)
        f->special_bytes = zti_special_bytes_max(f->type, f->special_values);
    f->index_bytes =
        f->index.kind == ZT_INDEX_NONE ? 0 : zti_index_bytes_max(&f->index, zti_frame_chunks(f));
    f->tail_bytes = zti_tail_bytes_max(f);
}

/* Raise *bytes to the most that a stream of this coding takes, whatever it will learn from
 * values. */
static zt_status stream_most(const struct rooms *r, const struct zti_coding *coding,
                             uint64_t *bytes)
{
    const struct zti_learning *const learning = zti_learning_of(coding->codec);
    size_t capacity = 0;
    zt_status status = zti_exec_capacity(r->context, coding, &capacity);
    const uint64_t head = learning ? learning->head_max_bytes(coding) : 0;
    const uint64_t most = head + capacity;
    struct zti_index_layout layout = zti_layout_of(&r->request.params, coding);
    if (zti_has_ends(coding))
        layout.chunk_tiles = 1;
    if (most > *bytes)
        *bytes = most;
    if (!status && r->device_parts)
        status = zti_exec_scratch(r->context, coding, &layout, r->device_parts);
    return status;
}

/* If the bound lets no frame be longer than a raw one, make it the raw one, with the index that was
 * asked for. */
static void limit_frame(const struct zti_request *asked, struct zti_frame *f)
{
    if (!zti_has_limit(&asked->params.bound))
        return;
    const struct zti_frame coded = *f;
    zti_frame_set_raw(f);
    f->index = asked->params.index == ZT_INDEX_DEFAULT ? f->index : coded.index;
    f->index_bytes = coded.index_bytes;
}

/* The most bytes of a frame under a plan, with the padding before it. */
static zt_status bound_under(const struct rooms *r, const struct zti_plan *plan, uint64_t *bytes)
{
    const struct zti_request *const asked = &r->request;
    struct zti_frame f;
    memset(&f, 0, sizeof f);
    f.type = asked->type;
    f.rank = asked->rank;
    memcpy(f.shape, asked->shape, sizeof f.shape);
    f.shape[0] = r->extent;
    f.coding.codec = asked->codec;
    f.coding.type = asked->type;
    zti_frame_set_plan(&f, plan);

    /* The values are not known. So rel may come to the smallest absolute bound there is, and any
     * lossy frame may end up lossless (with too many different special values). */
    const zt_bound *bound = &asked->params.bound;
    struct zti_target target = {
        .params = &asked->params, .kind = ZT_LOSSLESS, .min = (double)NAN, .max = (double)NAN};
    const bool is_lossless = zti_is_lossless(bound);
    const bool has_abs = !is_lossless && zti_limits_errors(bound->kind);
    const bool is_searched = zti_mean_of(&asked->params).kind != ZT_LOSSLESS;
    uint64_t most = 0;
    zt_status status = ZT_OK;
    if (has_abs || (!is_lossless && (zti_is_float(asked->type) || asked->params.fills > 0))) {
        status = asked->codec->configure(r->context, &target, &f.coding);
        if (!status)
            status = stream_most(r, &f.coding, &most);
    }
    if (has_abs) {
        target.kind = bound->kind == ZT_PWREL ? ZT_PWREL : ZT_ABS;
        target.part = bound->value;
        target.abs_bound = bound->kind == ZT_ABS && !is_searched ? bound->value : DBL_TRUE_MIN;
    } else if (!is_lossless) {
        target.kind = (zt_bound_kind)bound->kind;
        target.abs_bound = (double)NAN;
    }
    f.coding.verify_bound = (double)NAN;
    if (!status)
        status = asked->codec->configure(r->context, &target, &f.coding);
    if (has_abs && isnan(f.coding.verify_bound)) /* a bound that is known may have to be verified */
        f.coding.verify_bound = 0;
    if (!status)
        status = stream_most(r, &f.coding, &most);
    if (status)
        return status;
    f.index = zti_layout_of(&asked->params, &f.coding); /* the largest that it can have */
    if (!is_lossless)
        f.special_values = zti_array_values(f.rank, f.shape);
    zti_frame_set_largest(&f, most);
    if (!has_abs)
        f.exact_values = 0;
    limit_frame(asked, &f);
    *bytes = ZTI_FRAME_ALIGN_BYTES + ZTI_HEADER_STORED_BYTES + f.payload_bytes + ZTI_GAP_BYTES +
             zti_tail_bytes_max(&f);
    return ZT_OK;
}

/* The most bytes of a frame with the request's codec, under any plan. */
static zt_status bound_of_plans(const struct rooms *r, uint64_t *bytes)
{
    const struct zti_request *const asked = &r->request;
    struct zti_plan list[ZTI_PLANS_MOST];
    uint64_t shape[ZT_MAX_RANK], most = 0;
    memcpy(shape, asked->shape, sizeof shape);
    shape[0] = r->extent;
    zt_status status = bound_under(r, asked->fixed ? &asked->fixed->plan : NULL, &most);
    const uint32_t plans =
        zti_has_planning(&asked->params) ? zti_plans_of(asked->rank, shape, list) : 0;
    for (uint32_t i = 0; i < plans && !status; i++) {
        *bytes = most > *bytes ? most : *bytes;
        status = bound_under(r, &list[i], &most);
    }
    *bytes = most > *bytes ? most : *bytes;
    return status;
}

/* The most bytes of a frame of 'extent' slices with any candidate and plan. */
static zt_status frame_bound(zt_context *context, const struct zti_request *request,
                             uint64_t extent, uint64_t *device_parts, uint64_t *bytes)
{
    struct rooms r = {context, *request, extent, device_parts};
    struct zti_candidate list[2 * ZTI_CANDIDATES_MOST];
    const bool is_open = request->is_codec_open || zti_has_planning(&request->params);
    const uint32_t n = is_open && !request->fixed ? zti_candidates_of(request, list) : 0;
    *bytes = 0;
    zt_status status = n == 0 ? bound_of_plans(&r, bytes) : ZT_OK;
    for (uint32_t i = 0; i < n && !status; i++) {
        if (!list[i].is_lossy && !zti_is_lossless(&request->params.bound))
            continue; /* a lossy candidate takes part, or none is possible */
        r.request.codec = zti_codec_by_id(list[i].codec);
        r.request.params = zti_params_for(&request->params, &list[i]);
        status = bound_of_plans(&r, bytes);
    }
    return status;
}

zt_status zti_frames_bound(zt_context *context, const struct zti_request *request,
                           uint64_t *device_parts, uint64_t *full_bytes, uint64_t *rest_bytes)
{
    const uint64_t rest = request->shape[0] % request->thickness;
    *rest_bytes = 0;
    const zt_status status =
        frame_bound(context, request, request->thickness, device_parts, full_bytes);
    return status || rest == 0 ? status
                               : frame_bound(context, request, rest, device_parts, rest_bytes);
}

/* ---- memory of a GPU ---- */

/* Raise *bytes to what the kernels of calls that wait once take. */
static void raise_to_at_once(zt_context *context, const struct zti_request *request,
                             const struct zti_array *array, uint64_t *bytes)
{
    const uint64_t coding = zti_at_once_of(context, request).scratch_bytes;
    const uint64_t decoding = zti_decoding_at_once_bytes(context, array);
    *bytes = coding > *bytes ? coding : *bytes;
    *bytes = decoding > *bytes ? decoding : *bytes;
}

/* Bytes of each part of the device's memory. */
static zt_status device_parts(zt_context *context, const zt_array *given, const zt_params *params,
                              uint64_t *parts)
{
    struct zti_request request;
    if (!context || !context->device)
        return zti_fail(context, ZT_BAD_ARG, "scratch memory on a GPU is for the cuda policy");
    struct zti_array array;
    zt_status status = zti_array_check(context, given, ZTI_SHAPE_ONLY, &array);
    if (!status)
        status = zti_request_init(context, &array, params, &request);
    if (status)
        return status;
    uint64_t full, rest;
    parts[ZTI_DEVICE_STATES] = sizeof(struct zti_scan_found);
    status = zti_frames_bound(context, &request, parts, &full, &rest);
    if (!status && zti_packed_bytes(&array) > 0)
        parts[ZTI_DEVICE_PACKED] = zti_packed_bytes(&array);
    if (!status)
        raise_to_at_once(context, &request, &array, &parts[ZTI_DEVICE_WORK]);
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
    const zt_status status =
        memory ? zti_check_on_device(context, memory, "the scratch memory") : ZT_OK;
    return status ? status : context->device->lend(context, memory, memory ? bytes : 0);
}
