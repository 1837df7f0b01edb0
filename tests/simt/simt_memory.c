/* simt_memory.c: memory and a queue for the cases of ztile-gpu-check on the CPU: device_host.c's.
 */
#include "gpu/async_cases.h"
#include "simt_device.h"

const struct gpu_memory *gpu_memory(void)
{
    static const struct gpu_memory memory = {simt_device_take, simt_device_give, simt_device_move};
    return &memory;
}

static uint64_t waits, allocations; /* when recording began */

static void record(void *stream)
{
    (void)stream;
    waits = simt_waits;
    allocations = simt_allocations;
}

static bool play(void *stream)
{
    (void)stream;
    const bool is_recorded = waits == simt_waits && allocations == simt_allocations;
    simt_device_finish();
    return is_recorded;
}

const struct gpu_queue *gpu_queue(void)
{
    static int stream;
    static const struct gpu_queue queue = {&stream, record, play};
    return &queue;
}
