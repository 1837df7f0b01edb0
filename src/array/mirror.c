/* mirror.c: host copies of arrays and bytes in a GPU's memory (mirror.h). */
#include "array/mirror.h"

#include "core/device.h"

bool zti_array_is_contiguous(const struct zti_array *array)
{
    const struct zti_array packed = zti_array_packed(NULL, array->type, array->rank, array->shape);
    for (uint32_t i = 0; i < array->rank; i++)
        if (array->shape[i] != 1 && array->stride[i] != packed.stride[i])
            return false;
    return true;
}

zt_status zti_fetch_array(zt_context *context, const struct zti_array *array, void *to)
{
    const uint64_t bytes = zti_array_bytes(array);
    void *packed = array->data;
    if (!array->is_on_device) {
        zti_array_copy(array, to);
        return ZT_OK;
    }
    if (!zti_array_is_contiguous(array)) {
        const zt_status status = context->device->room(context, ZTI_DEVICE_PACKED, bytes, &packed);
        if (status)
            return status;
        context->device->pack(context, packed, array);
    }
    return zti_copy_bytes(context, to, packed, bytes);
}

/* Copy, or queue a copy of, n values of an array from value 'first' on, row by row. */
static void copy_run(zt_context *context, const struct zti_array *array, uint64_t first, uint32_t n,
                     uint8_t *to)
{
    const uint32_t last = array->rank - 1;
    const size_t value_bytes = zt_type_bytes(array->type);
    struct zti_array piece = *array;
    piece.rank = 1;
    piece.stride[0] = array->stride[last];
    for (uint64_t i = 0; i < n; i += piece.shape[0]) {
        uint64_t number = first + i, place[ZT_MAX_RANK];
        for (uint32_t k = array->rank; k-- > 0; number /= array->shape[k])
            place[k] = number % array->shape[k];
        const uint64_t left = array->shape[last] - place[last];
        piece.data = zti_array_at(array, place);
        piece.shape[0] = left < n - i ? left : n - i;
        if (piece.is_on_device)
            context->device->pack(context, to + i * value_bytes, &piece);
        else
            zti_array_copy(&piece, to + i * value_bytes);
    }
}

zt_status zti_fetch_runs(zt_context *context, const struct zti_array *array, const uint64_t *first,
                         uint32_t runs, uint32_t n, void *to)
{
    const struct zti_array joined = zti_array_joined(array);
    const size_t run_bytes = n * zt_type_bytes(array->type);
    void *packed = to;
    if (array->is_on_device) {
        const zt_status status =
            context->device->room(context, ZTI_DEVICE_MODEL, runs * run_bytes, &packed);
        if (status)
            return status;
    }
    for (uint32_t i = 0; i < runs; i++)
        copy_run(context, &joined, first[i], n, (uint8_t *)packed + i * run_bytes);
    return array->is_on_device ? zti_copy_bytes(context, to, packed, runs * run_bytes) : ZT_OK;
}

uint64_t zti_packed_bytes(const struct zti_array *array)
{
    return array->is_on_device && !zti_array_is_contiguous(array) ? zti_array_bytes(array) : 0;
}

bool zti_has_near_values(const struct zti_array *array)
{
    return array->stride[array->rank - 1] == 1 || array->is_on_device;
}

/* Allocate host memory for n bytes at 'original' if these are on the device; else use them. */
static zt_status open_mirror(zt_context *context, const void *original, uint64_t n,
                             bool is_on_device, struct zti_mirror *m)
{
    memset(m, 0, sizeof *m);
    m->context = context;
    m->bytes = original;
    if (!is_on_device)
        return ZT_OK;
    m->own = n <= SIZE_MAX ? zti_alloc(context, n > 0 ? (size_t)n : 1) : NULL;
    m->bytes = m->own;
    return m->own ? ZT_OK
                  : zti_fail(context, ZT_NO_MEMORY,
                             "no memory for %llu bytes that the host has to see of the GPU's",
                             (unsigned long long)n);
}

/* Register the host copy, so that kernels read the device's original. */
static void register_copy(struct zti_mirror *m, const void *original, uint64_t bytes)
{
    struct zti_device *const device = m->context->device;
    m->host_copy = device->host_copy;
    m->device_original = device->device_original;
    m->copied_bytes = device->copied_bytes;
    device->host_copy = m->own;
    device->device_original = original;
    device->copied_bytes = bytes;
}

static void unregister_copy(struct zti_mirror *m)
{
    struct zti_device *const device = m->context->device;
    if (device->host_copy != m->own)
        return;
    device->host_copy = m->host_copy;
    device->device_original = m->device_original;
    device->copied_bytes = m->copied_bytes;
}

zt_status zti_mirror_open_output(zt_context *context, const struct zti_array *array,
                                 struct zti_mirror *m)
{
    const zt_status status =
        open_mirror(context, array->data, zti_array_bytes(array), array->is_on_device, m);
    m->array = *array;
    if (m->own)
        m->array = zti_array_packed(m->own, array->type, array->rank, array->shape);
    return status;
}

zt_status zti_mirror_open(zt_context *context, const struct zti_array *array, struct zti_mirror *m)
{
    zt_status status = zti_mirror_open_output(context, array, m);
    if (!status && m->own)
        status = zti_fetch_array(context, array, m->own);
    if (!status && m->own && zti_array_is_contiguous(array))
        register_copy(m, array->data, zti_array_bytes(array));
    return status;
}

zt_status zti_mirror_store(const struct zti_mirror *m, const struct zti_array *array)
{
    zt_context *const context = m->context;
    const uint64_t bytes = zti_array_bytes(array);
    void *packed;
    if (!m->own)
        return ZT_OK;
    if (zti_array_is_contiguous(array))
        return zti_copy_bytes(context, array->data, m->own, bytes);
    zt_status status = context->device->room(context, ZTI_DEVICE_PACKED, bytes, &packed);
    if (!status)
        status = context->device->copy(context, ZTI_QUEUE_KERNELS, packed, m->own, bytes);
    if (status)
        return status;
    context->device->unpack(context, array, packed);
    return context->device->wait(context, ZTI_QUEUE_KERNELS);
}

zt_status zti_mirror_open_bytes(zt_context *context, const void *bytes, uint64_t n,
                                struct zti_mirror *m)
{
    zt_status status = open_mirror(context, bytes, n, zti_is_on_device(context, bytes), m);
    if (!status && m->own && n > 0)
        status = zti_copy_bytes(context, m->own, bytes, n);
    if (!status && m->own)
        register_copy(m, bytes, n);
    return status;
}

zt_status zti_mirror_open_room(zt_context *context, void *place, uint64_t n, struct zti_mirror *m)
{
    const zt_status status = open_mirror(context, place, n, zti_is_on_device(context, place), m);
    m->room = m->own ? m->own : place;
    return status;
}

zt_status zti_mirror_store_bytes(const struct zti_mirror *m, void *place, uint64_t n)
{
    return m->own ? zti_copy_bytes(m->context, place, m->own, n) : ZT_OK;
}

void zti_mirror_close(struct zti_mirror *m)
{
    if (!m->own)
        return;
    unregister_copy(m);
    zti_release(m->context, m->own);
    m->own = NULL;
}
