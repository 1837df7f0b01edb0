/* no_device.c: the cuda policy in a build without CUDA. */
#include "core/device.h"

static zt_status refuse(zt_context *context)
{
    return zti_fail(context, ZT_UNSUPPORTED,
                    "the cuda policy is not in this build; use serial or omp");
}

zt_status zti_device_open(zt_context *context, const zt_cuda *cuda)
{
    (void)cuda;
    return refuse(context);
}

zt_status zti_device_allocate(zt_context *context, uint64_t bytes, void **memory)
{
    (void)bytes;
    (void)memory;
    return refuse(context);
}

void zti_device_free(int32_t device, void *memory)
{
    (void)device;
    (void)memory;
}

zt_status zti_device_of(zt_context *context, const void *address, int32_t *device)
{
    (void)address;
    (void)device;
    return refuse(context);
}

enum zti_memory zti_memory_of(const zt_context *context, const void *address)
{
    (void)context;
    (void)address;
    return ZTI_MEMORY_HOST;
}
