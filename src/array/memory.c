/* memory.c: finds out whether an address is in the host's memory or a GPU's, and copies between
 * them (memory.h). */
#include "array/memory.h"

#include "core/device.h"

bool zti_is_on_device(const zt_context *context, const void *address)
{
    return context && context->device && zti_memory_of(context, address) == ZTI_MEMORY_DEVICE;
}

const void *zti_bytes_there(const zt_context *context, const void *bytes, uint64_t n)
{
    const void *const there = zti_original_of(context->device, bytes, n);
    return zti_is_on_device(context, there) ? there : NULL;
}

zt_status zti_find_memory(zt_context *context, const void *address, const char *what,
                          bool *is_on_device)
{
    const enum zti_memory memory = zti_memory_of(context, address);
    *is_on_device = memory == ZTI_MEMORY_DEVICE;
    if (memory != ZTI_MEMORY_ELSEWHERE)
        return ZT_OK;
    return zti_fail(context, ZT_BAD_ARG,
                    context && context->device
                        ? "%s is in the memory of another GPU than the cuda policy's"
                        : "%s is in a GPU's memory, which the cuda policy can use and the others "
                          "cannot",
                    what);
}

zt_status zti_check_memory(zt_context *context, const void *address, const char *what)
{
    bool is_on_device;
    return zti_find_memory(context, address, what, &is_on_device);
}

zt_status zti_check_on_host(zt_context *context, const void *address, const char *what)
{
    if (zti_memory_of(context, address) == ZTI_MEMORY_HOST)
        return ZT_OK;
    return zti_fail(context, ZT_BAD_ARG,
                    "%s is in a GPU's memory; this call takes memory of the host", what);
}

zt_status zti_check_on_device(zt_context *context, const void *address, const char *what)
{
    if (zti_is_on_device(context, address))
        return ZT_OK;
    return zti_fail(context, ZT_BAD_ARG, "%s is not in the memory of the policy's GPU", what);
}

zt_status zti_copy_bytes(zt_context *context, void *to, const void *from, uint64_t bytes)
{
    if (bytes == 0)
        return ZT_OK;
    if (!context || !context->device) {
        memcpy(to, from, (size_t)bytes);
        return ZT_OK;
    }
    const zt_status status = context->device->copy(context, ZTI_QUEUE_KERNELS, to, from, bytes);
    return status ? status : context->device->wait(context, ZTI_QUEUE_KERNELS);
}

zt_status zti_zero_bytes(zt_context *context, void *to, uint64_t bytes)
{
    if (!zti_is_on_device(context, to)) {
        memset(to, 0, (size_t)bytes);
        return ZT_OK;
    }
    const zt_status status = context->device->zero(context, ZTI_QUEUE_KERNELS, to, bytes);
    return status ? status : context->device->wait(context, ZTI_QUEUE_KERNELS);
}
