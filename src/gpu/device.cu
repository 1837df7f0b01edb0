/* device.cu: the device of the cuda policy over CUDA's runtime library, which is linked statically
 * and finds the driver when it is called: where there is none, opening fails with a sentence. */
#include "core/device.h"
#include "gpu/bounce.h"
#include "gpu/hash.h"
#include "gpu/ring.h"
#include "gpu/scan.h"
#include "gpu/strided.h"

#include <cuda_runtime.h>
#include <stdio.h>
#if defined(__linux__)
#include <dlfcn.h>
#endif

/* A kernel that does nothing: a device that there is code of it for has code of all others. */
__global__ void probe(void) {}

/* The compute capabilities that this build has kernels for, times 100. */
static const int capabilities[] = {__CUDA_ARCH_LIST__};

/* The device, and what only this file knows of it. */
struct gpu {
    struct zti_device device; /* first */
    int number;
    cudaStream_t queues[ZTI_QUEUES]; /* that of the kernels is the caller's */
    cudaEvent_t event;
    struct ring ring;     /* for large copies */
    struct bounce bounce; /* for small ones */
    void *memory[ZTI_DEVICE_PARTS];
    uint64_t bytes[ZTI_DEVICE_PARTS];
    uint8_t *lent; /* the caller's memory, of which so many bytes are taken; or NULL */
    uint64_t lent_bytes, taken_bytes;
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

/* ---- the current device ---- */

/* Makes a device the calling thread's current one, and returns the one that was, or -1. */
static int set_current(int number)
{
    int before = -1;
    if (cudaGetDevice(&before) == cudaSuccess && before == number)
        return number;
    (void)cudaSetDevice(number); /* a failure shows in what is asked for next */
    return before;
}

static int enter(const zt_context *context)
{
    return set_current(gpu_of(context)->number);
}

static void leave(int before)
{
    if (before >= 0)
        (void)set_current(before);
}

/* A device is the current one while a variable of this type lives. */
struct current {
    int before;
    explicit current(int number) : before(set_current(number)) {}
    explicit current(const zt_context *context) : before(enter(context)) {}
    ~current() { leave(before); }
};

/* ---- memory ---- */

static cudaError_t wait_for_all(const struct gpu *g)
{
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < ZTI_QUEUES && error == cudaSuccess; i++)
        error = cudaStreamSynchronize(g->queues[i]);
    return error;
}

/* The same, with all copies made that are only noted. */
static cudaError_t finish_all(zt_context *context)
{
    struct gpu *const g = gpu_of(context);
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < ZTI_QUEUES && error == cudaSuccess; i++)
        error = ring_finish(context, &g->ring, g->queues[i]);
    error = error != cudaSuccess ? error : wait_for_all(g);
    for (int i = 0; i < ZTI_QUEUES; i++)
        bounce_finish(&g->bounce, g->queues[i]);
    return error;
}

/* A piece of the caller's memory. What a part had before is not used again. */
static zt_status use_lent(zt_context *context, enum zti_device_part part, uint64_t bytes)
{
    struct gpu *const g = gpu_of(context);
    const uint64_t want = zti_round_up(bytes, ZTI_PART_ALIGN_BYTES);
    if (want > g->lent_bytes - g->taken_bytes)
        return zti_fail(context, ZT_NO_MEMORY,
                        "the scratch memory of %llu bytes is too small; "
                        "zt_cuda_scratch_bytes says what suffices",
                        (unsigned long long)g->lent_bytes);
    g->memory[part] = g->lent + g->taken_bytes;
    g->bytes[part] = want;
    g->taken_bytes += want;
    return ZT_OK;
}

/* Memory of the current device. */
static zt_status allocate(zt_context *context, uint64_t bytes, void **memory)
{
    const cudaError_t error = cudaMalloc(memory, bytes);
    if (error == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError(); /* the next call is not to report it */
        return zti_fail(context, ZT_NO_MEMORY,
                        "the GPU has no %llu bytes left; lower slab_bytes, or use omp",
                        (unsigned long long)bytes);
    }
    return check(context, error, "allocate memory");
}

static zt_status room(zt_context *context, enum zti_device_part part, uint64_t bytes, void **memory)
{
    struct gpu *const g = gpu_of(context);
    const current device(context);
    zt_status status = ZT_OK;
    zti_device_note_room(&g->device, part);
    if (bytes > g->bytes[part] && g->lent) {
        status = use_lent(context, part, bytes);
    } else if (bytes > g->bytes[part]) {
        status = check(context, finish_all(context), "allocate memory");
        (void)cudaFree(g->memory[part]);
        g->memory[part] = NULL;
        g->bytes[part] = 0;
        if (status == ZT_OK)
            status = allocate(context, bytes, &g->memory[part]);
        g->bytes[part] = status == ZT_OK ? bytes : 0;
    }
    if (status == ZT_OK)
        *memory = g->memory[part];
    return status;
}

static void free_parts(struct gpu *g)
{
    for (int i = 0; i < ZTI_DEVICE_PARTS; i++) {
        if (!g->lent)
            (void)cudaFree(g->memory[i]);
        g->memory[i] = NULL;
        g->bytes[i] = 0;
    }
}

static zt_status lend(zt_context *context, void *memory, uint64_t bytes)
{
    struct gpu *const g = gpu_of(context);
    const current device(context);
    const cudaError_t error = finish_all(context);
    free_parts(g);
    zti_device_note_room(&g->device, ZTI_DEVICE_VALUES);
    const uint64_t skip = -(uint64_t)(uintptr_t)memory % ZTI_PART_ALIGN_BYTES;
    g->lent = memory && skip < bytes ? (uint8_t *)memory + skip : NULL;
    g->lent_bytes = g->lent ? bytes - skip : 0;
    g->taken_bytes = 0;
    return check(context, error, "wait for its queues");
}

/* Whether CUDA's driver is in this process: without it no address is of a GPU, and asking must not
 * start it. */
static bool has_driver(void)
{
#if defined(__linux__)
    void *const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver)
        (void)dlclose(driver);
    return driver != NULL;
#else
    return true;
#endif
}

extern "C" enum zti_memory zti_memory_of(const zt_context *context, const void *address)
{
    cudaPointerAttributes attributes;
    if (!address || !has_driver())
        return ZTI_MEMORY_HOST;
    if (cudaPointerGetAttributes(&attributes, address) != cudaSuccess) {
        (void)cudaGetLastError();
        return ZTI_MEMORY_HOST;
    }
    if (attributes.type != cudaMemoryTypeDevice)
        return ZTI_MEMORY_HOST;
    return context && context->device && gpu_of(context)->number == attributes.device
               ? ZTI_MEMORY_DEVICE
               : ZTI_MEMORY_ELSEWHERE;
}

extern "C" zt_status zti_device_of(zt_context *context, const void *address, int32_t *device)
{
    cudaPointerAttributes attributes = {};
    cudaError_t error = cudaSuccess;
    if (address && has_driver())
        error = cudaPointerGetAttributes(&attributes, address);
    if (error != cudaSuccess)
        (void)cudaGetLastError();
    if (error != cudaSuccess ||
        (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged))
        return zti_fail(context, ZT_BAD_ARG, "this address is not in a GPU's memory");
    *device = attributes.device;
    return ZT_OK;
}

extern "C" zt_status zti_device_allocate(zt_context *context, uint64_t bytes, void **memory)
{
    const current device(context);
    return allocate(context, bytes, memory);
}

extern "C" void zti_device_free(int32_t device, void *memory)
{
    const current own(device);
    (void)cudaFree(memory);
}

/* ---- queues ---- */

static zt_status copy(zt_context *context, enum zti_device_queue queue, void *to, const void *from,
                      uint64_t bytes)
{
    const current device(context);
    struct gpu *const g = gpu_of(context);
    const cudaStream_t stream = g->queues[queue];
    cudaError_t error = cudaGetLastError(); /* of a launch */
    bool is_done = false;
    if (error == cudaSuccess && bounce_take(&g->bounce, to, from, bytes, stream, &error))
        return check(context, error, "copy to or from the GPU");
    if (error == cudaSuccess && ring_suits(&g->ring, from, bytes)) {
        error = ring_write(context, &g->ring, to, from, bytes, stream);
        is_done = error != cudaErrorMemoryAllocation;
    } else if (error == cudaSuccess && ring_suits(&g->ring, to, bytes)) {
        is_done = ring_note(&g->ring, to, from, bytes, stream);
    }
    if (!is_done && (error == cudaSuccess || error == cudaErrorMemoryAllocation)) {
        (void)cudaGetLastError(); /* of the ring */
        error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
    }
    return check(context, error, "copy to or from the GPU");
}

static zt_status zero(zt_context *context, enum zti_device_queue queue, void *to, uint64_t bytes)
{
    const current device(context);
    return check(context, cudaMemsetAsync(to, 0, bytes, gpu_of(context)->queues[queue]),
                 "clear memory");
}

static void pack(zt_context *context, void *to, const struct zti_array *from)
{
    const current device(context);
    zti_cuda_pack(from, to, context->device->queue);
}

static void unpack(zt_context *context, const struct zti_array *to, const void *from)
{
    const current device(context);
    zti_cuda_unpack(from, to, context->device->queue);
}

static void scan(zt_context *context, const struct zti_array *array,
                 const struct zti_scan_fills *fills, struct zti_scan_found *found)
{
    const current device(context);
    zti_cuda_scan(array, fills, found, context->device->queue);
}

static void hash(zt_context *context, const uint8_t *bytes, uint64_t n, uint32_t log2,
                 uint32_t *sums)
{
    const current device(context);
    zti_cuda_hash(bytes, n, log2, sums, context->device->queue);
}

static zt_status after(zt_context *context, enum zti_device_queue later,
                       enum zti_device_queue earlier)
{
    const struct gpu *const g = gpu_of(context);
    const current device(context);
    cudaError_t error = cudaEventRecord(g->event, g->queues[earlier]);
    if (error == cudaSuccess) /* on what was recorded; the event can be recorded anew */
        error = cudaStreamWaitEvent(g->queues[later], g->event, 0);
    return check(context, error, "order its queues");
}

static zt_status launched(zt_context *context)
{
    return check(context, cudaGetLastError(), "launch a kernel");
}

static zt_status wait(zt_context *context, enum zti_device_queue queue)
{
    const current device(context);
    struct gpu *const g = gpu_of(context);
    cudaError_t error = cudaGetLastError();
    const cudaError_t taken = ring_finish(context, &g->ring, g->queues[queue]);
    error = error != cudaSuccess ? error : taken;
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(g->queues[queue]);
    bounce_finish(&g->bounce, g->queues[queue]);
    return check(context, error, "run the kernels");
}

/* ---- opening and closing ---- */

static void close(zt_context *context)
{
    struct gpu *const g = gpu_of(context);
    const current device(context);
    (void)wait_for_all(g);
    free_parts(g);
    for (int i = ZTI_QUEUE_KERNELS + 1; i < ZTI_QUEUES; i++)
        (void)cudaStreamDestroy(g->queues[i]);
    (void)cudaEventDestroy(g->event);
    ring_free(&g->ring);
    bounce_free(&g->bounce);
    zti_release(context, g);
}

/* Values that are worked on at a time. Two slabs are under way, and with the coded bits and what
 * belongs to them each takes some three times its size. Small enough that an array of a few hundred
 * megabytes has several, of which one is copied while kernels run over another. */
static uint64_t slab_bytes(void)
{
    size_t available = 0, total = 0;
    if (cudaMemGetInfo(&available, &total) != cudaSuccess)
        return 64u << 20;
    const uint64_t part = available / 16;
    return part > 128u << 20 ? 128u << 20 : part;
}

/* The queues and the event. */
static cudaError_t make_queues(struct gpu *g, void *stream)
{
    cudaError_t error = cudaEventCreateWithFlags(&g->event, cudaEventDisableTiming);
    g->queues[ZTI_QUEUE_KERNELS] = (cudaStream_t)stream;
    for (int i = ZTI_QUEUE_KERNELS + 1; i < ZTI_QUEUES && error == cudaSuccess; i++)
        error = cudaStreamCreateWithFlags(&g->queues[i], cudaStreamNonBlocking);
    return error;
}

/* Of the current device: whether there is code for it, or text that the driver can compile. */
static zt_status check_kernels(zt_context *context, int number)
{
    cudaFuncAttributes attributes;
    int major = 0, minor = 0, driver = 0, n = 0;
    char list[100] = "";
    const cudaError_t error = cudaFuncGetAttributes(&attributes, (const void *)probe);
    if (error == cudaSuccess)
        return ZT_OK;
    (void)cudaGetLastError();
    (void)cudaDriverGetVersion(&driver);
    (void)cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, number);
    (void)cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, number);
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities && n < 80; i++)
        n += snprintf(list + n, sizeof list - (size_t)n, "%s%d.%d", i > 0 ? ", " : "",
                      capabilities[i] / 100, capabilities[i] / 10 % 10);
    if (error == cudaErrorUnsupportedPtxVersion)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "CUDA device %d has compute capability %d.%d, for which the driver has to "
                        "compile this build's kernels (for %s), and that of CUDA %d.%d cannot; "
                        "update it, or build with ZTILE_CUDA_ARCHITECTURES=%d%d",
                        number, major, minor, list, driver / 1000, driver / 10 % 100, major, minor);
    if (error != cudaErrorInvalidDeviceFunction && error != cudaErrorNoKernelImageForDevice)
        return check(context, error, "load the kernels");
    return zti_fail(context, ZT_UNSUPPORTED,
                    "CUDA device %d has compute capability %d.%d, this build has kernels for %s; "
                    "build with ZTILE_CUDA_ARCHITECTURES=%d%d, or use serial or omp",
                    number, major, minor, list, major, minor);
}

/* Whether there is a device of that number. */
static zt_status check_device(zt_context *context, int number)
{
    int count = 0, version = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    const bool has_version = cudaDriverGetVersion(&version) == cudaSuccess;
    if (error != cudaSuccess)
        (void)cudaGetLastError();
    if (error != cudaSuccess && has_version && version == 0)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "there is no CUDA driver on this machine; use serial or omp");
    if (error == cudaErrorInsufficientDriver)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "the driver is of CUDA %d.%d, this build needs that of CUDA %d; update it, "
                        "or use serial or omp",
                        version / 1000, version / 10 % 100, CUDART_VERSION / 1000);
    if (error != cudaSuccess || count == 0)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "there is no GPU that CUDA can use (%s); use serial or omp",
                        error != cudaSuccess ? cudaGetErrorString(error) : "no device");
    if (number >= count)
        return zti_fail(context, ZT_BAD_ARG, "there is no CUDA device %d; this machine has %d",
                        number, count);
    return ZT_OK;
}

extern "C" zt_status zti_device_open(zt_context *context, const zt_cuda *cuda)
{
    zt_status status = check_device(context, cuda->device);
    if (status != ZT_OK)
        return status;
    const current device(cuda->device);
    status = check_kernels(context, cuda->device);
    if (status != ZT_OK)
        return status;
    struct gpu *const g = (struct gpu *)zti_alloc_zeroed(context, sizeof *g);
    if (!g)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a device");
    const cudaError_t error = make_queues(g, cuda->stream);
    if (error != cudaSuccess) {
        zti_release(context, g);
        return check(context, error, "make its queues");
    }
    g->number = cuda->device;
    g->device.queue = cuda->stream;
    g->device.slab_bytes = slab_bytes();
    g->device.room = room;
    g->device.lend = lend;
    g->device.copy = copy;
    g->device.zero = zero;
    g->device.pack = pack;
    g->device.unpack = unpack;
    g->device.scan = scan;
    g->device.hash = hash;
    g->device.after = after;
    g->device.launched = launched;
    g->device.wait = wait;
    g->device.enter = enter;
    g->device.leave = leave;
    g->device.close = close;
    bounce_open(&g->bounce);
    if (context->device)
        context->device->close(context);
    context->device = &g->device;
    return ZT_OK;
}
