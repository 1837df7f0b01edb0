/* simt_memory.c: memory for the cases of ztile-gpu-check on the CPU: device_host.c's. */
#include "gpu/policy_cases.h"
#include "simt_device.h"

const struct gpu_memory *gpu_memory(void)
{
    static const struct gpu_memory memory = {simt_device_take, simt_device_give, simt_device_move};
    return &memory;
}
