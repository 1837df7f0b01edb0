/* values.c: copies the values of a slab to the device under the cuda policy, for passes over values
 * and for coding; values in the device's memory are used in place. Two slabs have memory there, so
 * the first two of an array are copied for a pass and are still there for coding. */
#include "array/mirror.h"
#include "exec/cuda/cuda.h"

/* The slab's values, if they are on the device from before. */
static void *find_kept(const struct zti_device *device, const struct zti_cuda_bringing *b,
                       const struct zti_array *slab, uint64_t bytes)
{
    const struct zti_kept *const kept = b->kept;
    const bool is_it = kept->number > 0 && kept->number == device->values_number &&
                       kept->slab[b->number].from == slab->data &&
                       kept->slab[b->number].bytes == bytes;
    return is_it ? kept->slab[b->number].there : NULL;
}

/* Note that the slab's values are on the device. 'before': device->values_number before 'room' was
 * called. */
static void keep(const struct zti_device *device, const struct zti_cuda_bringing *b,
                 const struct zti_array *slab, uint64_t bytes, uint64_t before)
{
    struct zti_kept *const kept = b->kept;
    if (kept->number != before)
        memset(kept, 0, sizeof *kept);
    kept->number = device->values_number;
    kept->slab[b->number].from = slab->data;
    kept->slab[b->number].bytes = bytes;
    kept->slab[b->number].there = b->there.data;
}

zt_status zti_cuda_bring(zt_context *context, const struct zti_array *slab,
                         struct zti_cuda_bringing *b)
{
    struct zti_device *const device = context->device;
    const uint64_t bytes = zti_array_bytes(slab);
    const uint64_t before = device->values_number;
    const bool is_whole = zti_array_is_contiguous(slab);
    const void *from = slab->data;
    void *there = NULL;
    b->staged = NULL;
    b->there = *slab;
    if (slab->is_on_device)
        return ZT_OK;
    if (is_whole && zti_original_of(device, from, bytes) != from)
        there = (void *)(uintptr_t)zti_original_of(device, from, bytes); /* only read */
    else
        there = find_kept(device, b, slab, bytes);
    if (!there && !is_whole) {
        from = b->staged = zti_alloc(context, (size_t)bytes);
        if (!from)
            return zti_fail(context, ZT_NO_MEMORY, "no memory for a slab of %llu bytes",
                            (unsigned long long)bytes);
        zti_array_copy(slab, b->staged);
    }
    const bool is_new = !there;
    zt_status status = ZT_OK;
    if (is_new)
        status = device->room(context, zti_part_of(ZTI_DEVICE_VALUES, b->number), bytes, &there);
    b->there = zti_array_packed(there, slab->type, slab->rank, slab->shape);
    b->there.is_on_device = true;
    if (status == ZT_OK && is_new)
        status = device->copy(context, b->queue, there, from, bytes);
    if (status == ZT_OK && is_new)
        keep(device, b, slab, bytes, before);
    return status;
}
