/* no_device.c: the cuda policy in a build without CUDA. */
#include "core/device.h"

zt_status zti_device_open(zt_context *context, const zt_cuda *cuda)
{
    (void)cuda;
    return zti_fail(context, ZT_UNSUPPORTED,
                    "the cuda policy is not in this build; use serial or omp");
}

enum zti_memory zti_memory_of(const zt_context *context, const void *address)
{
    (void)context;
    (void)address;
    return ZTI_MEMORY_HOST;
}
