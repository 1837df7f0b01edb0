/* device_payload.c: a payload that stays in the GPU's memory, where kernels code it: the host gets
 * its head and the checksums of its ranges. */
#include "array/memory.h"
#include "array/mirror.h"
#include "core/device.h"
#include "frame/write/stages.h"

uint8_t *zti_device_payload_room(struct zti_job *j, size_t capacity, size_t *room_bytes)
{
    struct zti_device_payload *const t = &j->on_device;
    t->place = NULL;
    if (!j->output->is_on_device || j->is_aside || j->has_search ||
        !zti_exec_is_by_kernels(j->context, &j->frame.coding))
        return NULL;
    t->place = zti_output_room(j->output, &j->frame, capacity, room_bytes);
    return t->place;
}

zt_status zti_device_payload_write_head(struct zti_job *j, const struct zti_starts *starts)
{
    struct zti_device_payload *const t = &j->on_device;
    const uint64_t bytes = zti_head_bytes(&j->frame.coding);
    zt_status status = zti_buffer_reserve(j->context, &t->head, bytes + 1, 0);
    j->stream = t->head.bytes;
    if (!status)
        zti_encode_head(&j->frame.coding, starts->list, t->head.bytes);
    return status ? status : zti_copy_bytes(j->context, t->place, t->head.bytes, bytes);
}

/* Move n bytes of the GPU's memory to an earlier place, which may overlap theirs: through scratch
 * that coding no longer needs, or through the host if the caller's scratch is smaller. */
static zt_status move_on_device(zt_context *context, uint8_t *to, const uint8_t *from, uint64_t n)
{
    const uint64_t most = n < ZTI_DEVICE_WAY_BYTES ? n : (uint64_t)ZTI_DEVICE_WAY_BYTES;
    struct zti_mirror bytes;
    void *way;
    zt_status status = context->device->room(context, ZTI_DEVICE_STREAM, most, &way);
    if (status == ZT_NO_MEMORY) {
        status = zti_mirror_open_bytes(context, from, n, &bytes);
        if (!status)
            status = zti_copy_bytes(context, to, bytes.bytes, n);
        zti_mirror_close(&bytes);
        return status;
    }
    for (uint64_t at = 0; !status && at < n; at += most) {
        const uint64_t part = n - at < most ? n - at : most;
        status = context->device->copy(context, ZTI_QUEUE_KERNELS, way, from + at, part);
        if (!status)
            status = context->device->copy(context, ZTI_QUEUE_KERNELS, to + at, way, part);
    }
    return zti_device_settle(context, status);
}

zt_status zti_device_payload_end(struct zti_job *j)
{
    struct zti_device_payload *const t = &j->on_device;
    const struct zti_frame *const f = &j->frame;
    const uint64_t n = f->payload_bytes;
    if (!t->place)
        return ZT_OK;
    uint8_t *const place = j->output->memory + zti_payload_at(j->output->at, f);
    zt_status status = zti_buffer_reserve(j->context, &t->sums,
                                          ((n >> f->range_log2) + 1) * ZTI_CHECKSUM_BYTES, 0);
    if (!status && n > 0)
        status =
            zti_checksums_make_on_device(j->context, t->place, n, f->range_log2, t->sums.bytes);
    if (!status && t->place != place && n > 0)
        status = move_on_device(j->context, place, t->place, n);
    return status;
}

void zti_device_payload_free(zt_context *context, struct zti_device_payload *t)
{
    zti_buffer_free(context, &t->head);
    zti_buffer_free(context, &t->sums);
}
