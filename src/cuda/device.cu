/* device.cu: the device of the cuda policy over CUDA's runtime library, which is linked statically
 * and finds the driver when it is called: where there is none, opening fails with a sentence. */
#include "core/device.h"

#include <cuda_runtime.h>

/* The device, and what only this file knows of it. */
struct gpu {
    struct zti_device device; /* first */
    int number;
    void *memory[ZTI_DEVICE_PARTS];
    uint64_t bytes[ZTI_DEVICE_PARTS];
};

static struct gpu *gpu_of(const zt_context *context)
{
    return (struct gpu *)context->device;
}

static zt_status check(zt_context *context, cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return ZT_OK;
    return zti_fail(context, error == cudaErrorMemoryAllocation ? ZT_NO_MEMORY : ZT_UNSUPPORTED,
                    "CUDA failed to %s: %s", what, cudaGetErrorString(error));
}

static cudaStream_t queue_of(const zt_context *context)
{
    return (cudaStream_t)context->device->queue;
}

static zt_status room(zt_context *context, enum zti_device_part part, uint64_t bytes,
                      void **memory)
{
    struct gpu *const g = gpu_of(context);
    cudaError_t error = cudaSetDevice(g->number);
    if (error == cudaSuccess && bytes > g->bytes[part]) {
        error = cudaStreamSynchronize(queue_of(context));
        (void)cudaFree(g->memory[part]);
        g->memory[part] = NULL;
        g->bytes[part] = 0;
        if (error == cudaSuccess)
            error = cudaMalloc(&g->memory[part], bytes);
        if (error == cudaErrorMemoryAllocation) {
            (void)cudaGetLastError(); /* the next call is not to report it */
            return zti_fail(context, ZT_NO_MEMORY,
                            "the GPU has no %llu bytes left; lower slab_bytes, or use omp",
                            (unsigned long long)bytes);
        }
        g->bytes[part] = error == cudaSuccess ? bytes : 0;
    }
    *memory = g->memory[part];
    return check(context, error, "allocate memory");
}

static zt_status put(zt_context *context, void *to, const void *from, uint64_t bytes)
{
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, queue_of(context));
    return check(context, error, "copy to the GPU");
}

static zt_status get(zt_context *context, void *to, const void *from, uint64_t bytes)
{
    cudaError_t error = cudaGetLastError(); /* of a launch */
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, queue_of(context));
    return check(context, error, "copy from the GPU");
}

static zt_status zero(zt_context *context, void *to, uint64_t bytes)
{
    return check(context, cudaMemsetAsync(to, 0, bytes, queue_of(context)), "clear memory");
}

static zt_status wait(zt_context *context)
{
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(queue_of(context));
    return check(context, error, "run the kernels");
}

static void close(zt_context *context)
{
    struct gpu *const g = gpu_of(context);
    (void)cudaSetDevice(g->number);
    (void)cudaStreamSynchronize(queue_of(context));
    for (int i = 0; i < ZTI_DEVICE_PARTS; i++)
        (void)cudaFree(g->memory[i]);
    zti_release(context, g);
}

/* Values that are worked on at a time: with the coded bits and what belongs to them a slab takes
 * some three times its size. */
static uint64_t slab_bytes(void)
{
    size_t available = 0, total = 0;
    if (cudaMemGetInfo(&available, &total) != cudaSuccess)
        return 64u << 20;
    const uint64_t part = available / 8;
    return part > 1u << 30 ? 1u << 30 : part;
}

extern "C" zt_status zti_device_open(zt_context *context, const zt_cuda *cuda)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "there is no GPU that CUDA can use (%s); use serial or omp",
                        error != cudaSuccess ? cudaGetErrorString(error) : "no device");
    if (cuda->device >= count)
        return zti_fail(context, ZT_BAD_ARG, "there is no CUDA device %d; this machine has %d",
                        (int)cuda->device, count);
    error = cudaSetDevice(cuda->device);
    if (error != cudaSuccess)
        return check(context, error, "open the device");
    struct gpu *const g = (struct gpu *)zti_alloc_zeroed(context, sizeof *g);
    if (!g)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a device");
    g->number = cuda->device;
    g->device.queue = cuda->stream;
    g->device.slab_bytes = slab_bytes();
    g->device.room = room;
    g->device.put = put;
    g->device.get = get;
    g->device.zero = zero;
    g->device.wait = wait;
    g->device.close = close;
    if (context->device)
        context->device->close(context);
    context->device = &g->device;
    return ZT_OK;
}
