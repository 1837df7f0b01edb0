/* device_test.cc: device.cu itself, over a machine with two GPUs that this file makes up: which one
 * is current while CUDA is asked for something and after each call, and what a machine lacks. */
extern "C" {
#include "array/mirror.h"
#include "ztile_cuda.h"
}
#include "core/device.h"
#include "gpu/scan.h"
#include "gpu/strided.h"

#include <cuda_runtime.h>
#include <mutex>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct machine {
    int driver; /* 13000: CUDA 13.0; 0: there is none */
    int devices;
    int major[2], minor[2];
    int current;
    cudaError_t kernels;    /* what loading them on its device comes to */
    cudaMemoryType address; /* where addresses are */
} machine;

static bool pinned_is_had = true; /* there is pinned memory */
static int wanted = -1;           /* the device that has to be current where it matters; -1: any */
static unsigned failures, asked;

static void fail(const char *what, int line)
{
    printf("%s:%d: %s\n", __FILE__, line, what);
    failures++;
}

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail(#condition, __LINE__);                                                            \
    } while (0)

/* ---- CUDA's functions ---- */

static cudaError_t on_device(const char *function)
{
    asked++;
    if (wanted >= 0 && machine.current != wanted)
        fail(function, 0);
    return cudaSuccess;
}

#define ON_DEVICE on_device(__func__)

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorNoDevice ? "no CUDA-capable device is detected" : "an error";
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = machine.driver;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = machine.devices;
    return machine.driver < 13000 ? cudaErrorInsufficientDriver
           : machine.devices == 0 ? cudaErrorNoDevice
                                  : cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = machine.current;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    machine.current = device;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    *value = attribute == cudaDevAttrComputeCapabilityMajor ? machine.major[device]
                                                            : machine.minor[device];
    return cudaSuccess;
}

/* The GPU's memory, where there is some; other addresses are where the machine says. */
static const uint8_t *gpu_begin, *gpu_end;

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *address)
{
    const uint8_t *const at = (const uint8_t *)address;
    attributes->type = at >= gpu_begin && at < gpu_end ? cudaMemoryTypeDevice : machine.address;
    attributes->device = 1;
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, const void *kernel)
{
    return !kernel               ? cudaErrorInvalidDeviceFunction
           : on_device(__func__) ? cudaSuccess
                                 : machine.kernels;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    *available = *total = (size_t)1 << 30;
    return ON_DEVICE;
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    *memory = malloc(bytes);
    return ON_DEVICE;
}

cudaError_t cudaFree(void *memory)
{
    free(memory);
    return ON_DEVICE;
}

/* Copies are made as late as can be: when somebody waits. */
struct fake_event {
    unsigned copies; /* that were queued when it was recorded */
};

static struct queued {
    void *to;
    const void *from;
    size_t bytes;
} queued[64];
static unsigned copies, copied;
static const void *unpinned; /* memory of the host that no copy is to be asked of */
static size_t unpinned_bytes;

static bool is_unpinned(const void *address)
{
    return (size_t)((const uint8_t *)address - (const uint8_t *)unpinned) < unpinned_bytes;
}
static std::mutex mutex; /* workers ask for copies at once */

static void make_copies(unsigned until)
{
    for (; copied < until; copied++) {
        const struct queued *const q = &queued[copied % 64];
        memcpy(q->to, q->from, q->bytes);
    }
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t)
{
    const std::lock_guard<std::mutex> own(mutex);
    CHECK(!is_unpinned(to) && !is_unpinned(from));
    if (copies - copied == 64)
        make_copies(copied + 1);
    queued[copies++ % 64] = {to, from, bytes};
    return ON_DEVICE;
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned)
{
    *memory = pinned_is_had ? malloc(bytes) : NULL;
    return *memory ? ON_DEVICE : cudaErrorMemoryAllocation;
}

cudaError_t cudaFreeHost(void *memory)
{
    free(memory);
    return ON_DEVICE;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t)
{
    memset(to, value, bytes);
    return ON_DEVICE;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    static uintptr_t number;
    *stream = (cudaStream_t)(8 * ++number); /* only compared */
    return ON_DEVICE;
}
cudaError_t cudaStreamDestroy(cudaStream_t)
{
    return ON_DEVICE;
}
cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    const std::lock_guard<std::mutex> own(mutex);
    make_copies(copies);
    return ON_DEVICE;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned)
{
    return ON_DEVICE;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    *event = new fake_event();
    return ON_DEVICE;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    const std::lock_guard<std::mutex> own(mutex);
    make_copies(event->copies);
    return ON_DEVICE;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
    const std::lock_guard<std::mutex> own(mutex);
    event->copies = copies;
    return ON_DEVICE;
}
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    return ON_DEVICE;
}

/* Launches. */
extern "C" void zti_cuda_pack(const struct zti_array *, void *, void *)
{
    (void)ON_DEVICE;
}
extern "C" void zti_cuda_unpack(const void *, const struct zti_array *, void *)
{
    (void)ON_DEVICE;
}

extern "C" void zti_cuda_hash(const uint8_t *, uint64_t, uint32_t, uint32_t *, void *)
{
    (void)ON_DEVICE;
}

extern "C" void zti_cuda_scan(const struct zti_array *, const struct zti_scan_fills *,
                              struct zti_scan_found *, void *)
{
    (void)ON_DEVICE;
}

/* ---- tests ---- */

static const struct machine two_gpus = {
    13000, 2, {7, 9}, {0, 0}, 0, cudaSuccess, cudaMemoryTypeHost};

static zt_status choose(zt_context *context, const struct machine *m, int device)
{
    zt_cuda cuda;
    memset(&cuda, 0, sizeof cuda);
    cuda.device = device;
    machine = *m;
    return zt_context_set_cuda(context, &cuda);
}

static void says(zt_context *context, const char *sentence)
{
    if (strcmp(zt_context_error(context), sentence) != 0) {
        printf("says '%s'\nand not '%s'\n", zt_context_error(context), sentence);
        failures++;
    }
}

static void test_what_a_machine_lacks_is_said(zt_context *context)
{
    struct machine no_driver = {}, no_gpu = {}, old_driver = {}, old_gpu = two_gpus;
    no_gpu.driver = 13000;
    old_driver.driver = 12040;
    old_driver.devices = 1;
    CHECK(choose(context, &no_driver, 0) == ZT_UNSUPPORTED);
    says(context, "there is no CUDA driver on this machine; use serial or omp");
    CHECK(choose(context, &no_gpu, 0) == ZT_UNSUPPORTED);
    says(context, "there is no GPU that CUDA can use (no CUDA-capable device is detected); "
                  "use serial or omp");
    CHECK(choose(context, &old_driver, 0) == ZT_UNSUPPORTED);
    says(context, "the driver is of CUDA 12.4, this build needs that of CUDA 13; update it, or use "
                  "serial or omp");
    for (int missing = 0; missing < 2; missing++) {
        old_gpu.kernels =
            missing ? cudaErrorNoKernelImageForDevice : cudaErrorInvalidDeviceFunction;
        CHECK(choose(context, &old_gpu, 0) == ZT_UNSUPPORTED);
        says(context, "CUDA device 0 has compute capability 7.0, this build has kernels for 7.5, "
                      "8.0, 12.0; build with ZTILE_CUDA_ARCHITECTURES=70, or use serial or omp");
    }
    old_gpu.kernels = cudaErrorUnsupportedPtxVersion;
    CHECK(choose(context, &old_gpu, 1) == ZT_UNSUPPORTED);
    says(context, "CUDA device 1 has compute capability 9.0, for which the driver has to compile "
                  "this build's kernels (for 7.5, 8.0, 12.0), and that of CUDA 13.0 cannot; update "
                  "it, or build with ZTILE_CUDA_ARCHITECTURES=90");
    old_gpu.kernels = cudaErrorMemoryAllocation;
    CHECK(choose(context, &old_gpu, 1) == ZT_NO_MEMORY);
    CHECK(choose(context, &two_gpus, 2) == ZT_BAD_ARG);
    says(context, "there is no CUDA device 2; this machine has 2");
    CHECK(machine.current == 0 && zt_context_policy(context) == ZT_SERIAL);
}

/* What was asked of CUDA was asked on device 1, and 0 is current again. */
#define ASKS(call)                                                                                 \
    do {                                                                                           \
        asked = 0;                                                                                 \
        call;                                                                                      \
        CHECK(asked > 0);                                                                          \
        CHECK(machine.current == 0);                                                               \
    } while (0)

static void test_the_callers_device_stays_current(zt_context *context)
{
    static float values[64], there[64];
    const uint64_t shape[] = {64};
    const struct zti_array array = zti_array_packed(values, ZT_F32, 1, shape);
    struct zti_scan_found found;
    void *memory;
    wanted = 1;
    ASKS(CHECK(choose(context, &two_gpus, 1) == ZT_OK));
    struct zti_device *const device = context->device;
    ASKS(CHECK(zti_copy_bytes(context, there, values, sizeof values) ==
               ZT_OK)); /* before any room */
    ASKS(CHECK(device->room(context, ZTI_DEVICE_VALUES, 1000, &memory) == ZT_OK));
    ASKS(CHECK(device->copy(context, ZTI_QUEUE_IN, memory, values, sizeof values) == ZT_OK));
    ASKS(CHECK(device->zero(context, ZTI_QUEUE_OUT, memory, 1000) == ZT_OK));
    ASKS(CHECK(device->after(context, ZTI_QUEUE_OUT, ZTI_QUEUE_IN) == ZT_OK));
    ASKS(CHECK(device->wait(context, ZTI_QUEUE_KERNELS) == ZT_OK));
    ASKS(device->pack(context, memory, &array));
    ASKS(device->unpack(context, &array, memory));
    ASKS(device->scan(context, &array, NULL, &found));
    ASKS(CHECK(device->lend(context, there, sizeof there) == ZT_OK));
    const zt_cuda again = context->cuda;
    const int before = device->enter(context);
    CHECK(before == 0 && machine.current == 1);
    device->leave(before);
    ASKS(CHECK(zt_context_set_cuda(context, &again) == ZT_OK));
    ASKS(CHECK(zt_context_set_policy(context, ZT_SERIAL) == ZT_OK));
    wanted = -1;
}

/* Memory for results is of the context's device, and freed there without it. */
static void test_memory_is_of_the_device_that_it_is_for(zt_context *context)
{
    void *memory = NULL;
    int32_t device = -1;
    CHECK(choose(context, &two_gpus, 1) == ZT_OK);
    wanted = 1;
    ASKS(CHECK(zt_cuda_allocate(context, 100, &memory) == ZT_OK && memory));
    ASKS(zt_cuda_free(1, memory));
    wanted = -1;
    CHECK(zt_cuda_allocate(context, 100, NULL) == ZT_BAD_ARG);
    CHECK(zt_context_set_policy(context, ZT_SERIAL) == ZT_OK);
    CHECK(zt_cuda_allocate(context, 100, &memory) == ZT_BAD_ARG);
    zt_cuda_free(0, NULL);
    CHECK(zt_cuda_device_of(context, NULL, &device) == ZT_BAD_ARG);
    says(context, "this address is not in a GPU's memory");
    CHECK(zt_cuda_device_of(context, &device, NULL) == ZT_BAD_ARG);
}

/* Large copies to the GPU and back, by way of pinned pieces and, where there are none, directly;
 * copies of two queues are under way at once. */
static void test_large_copies_arrive(zt_context *context)
{
    enum { MOST = (70 << 20) + 13 };
    static const size_t sizes[] = {MOST, (2 << 20) + 1, 8 << 20, (37 << 20) + 4096};
    uint8_t *const gpu = (uint8_t *)malloc(MOST), *const values = (uint8_t *)malloc(MOST);
    uint8_t *const back = (uint8_t *)malloc(MOST);
    struct machine m = two_gpus;
    m.address = cudaMemoryTypeUnregistered;
    gpu_begin = gpu;
    gpu_end = gpu + MOST;
    for (size_t i = 0; i < MOST; i++)
        values[i] = (uint8_t)(i * UINT64_C(0x9E3779B97F4A7C15) >> 56);
    for (int pinned = 0; pinned < 2; pinned++) {
        pinned_is_had = pinned > 0;
        CHECK(choose(context, &m, 1) == ZT_OK);
        struct zti_device *const device = context->device;
        for (size_t n : sizes) {
            const size_t half = n / 2;
            memset(gpu, 0, MOST);
            memset(back, 0, MOST);
            CHECK(device->copy(context, ZTI_QUEUE_IN, gpu, values, n) == ZT_OK);
            CHECK(device->wait(context, ZTI_QUEUE_IN) == ZT_OK);
            CHECK(memcmp(gpu, values, n) == 0);
            CHECK(device->copy(context, ZTI_QUEUE_OUT, back, gpu, half) == ZT_OK);
            CHECK(device->copy(context, ZTI_QUEUE_KERNELS, back + half, gpu + half, n - half) ==
                  ZT_OK);
            CHECK(device->wait(context, ZTI_QUEUE_OUT) == ZT_OK);
            CHECK(device->wait(context, ZTI_QUEUE_KERNELS) == ZT_OK);
            CHECK(memcmp(back, values, n) == 0 && (n == MOST || back[n] == 0));
        }
    }
    CHECK(zt_context_set_policy(context, ZT_SERIAL) == ZT_OK);
    gpu_begin = gpu_end = NULL;
    free(gpu);
    free(values);
    free(back);
}

/* Small copies both ways arrive when their queue is waited for, and what is put may change at once;
 * also where there are more than pinned memory takes. */
static void test_small_copies_arrive(zt_context *context)
{
    enum { EACH = 1000, COPIES = 20, BYTES = EACH * COPIES };
    static uint8_t gpu[BYTES], values[BYTES], back[BYTES];
    struct machine m = two_gpus;
    m.address = cudaMemoryTypeUnregistered;
    gpu_begin = gpu;
    gpu_end = gpu + BYTES;
    CHECK(choose(context, &m, 1) == ZT_OK);
    struct zti_device *const device = context->device;
    for (size_t times = 1; times <= 2; times++) {
        const size_t n = times * COPIES;
        for (size_t i = 0; i < BYTES; i++)
            values[i] = (uint8_t)(i * 7 + i / 256 + times);
        memset(back, 0, BYTES);
        unpinned = values;
        unpinned_bytes = times == 1 ? BYTES : 0;
        for (size_t i = 0, at = 0; i < n; i++, at = (at + EACH) % BYTES)
            CHECK(device->copy(context, ZTI_QUEUE_IN, gpu + at, values + at, EACH) == ZT_OK);
        values[0] ^= 255;
        CHECK(device->wait(context, ZTI_QUEUE_IN) == ZT_OK);
        values[0] ^= times == 1 ? 255 : 0;
        CHECK(memcmp(gpu + 1, values + 1, BYTES - 1) == 0 && (times == 2 || gpu[0] == values[0]));
        unpinned = back;
        for (size_t i = 0, at = 0; i < n; i++, at = (at + EACH) % BYTES)
            CHECK(device->copy(context, i % 2 ? ZTI_QUEUE_OUT : ZTI_QUEUE_KERNELS, back + at,
                               gpu + at, EACH) == ZT_OK);
        CHECK(device->wait(context, ZTI_QUEUE_KERNELS) == ZT_OK);
        CHECK(memcmp(back, gpu, EACH) == 0 && memcmp(back + 2 * EACH, gpu + 2 * EACH, EACH) == 0);
        CHECK(times == 2 || back[EACH + 1] == 0); /* of the other queue */
        CHECK(device->wait(context, ZTI_QUEUE_OUT) == ZT_OK);
        CHECK(memcmp(back, gpu, BYTES) == 0);
    }
    unpinned_bytes = 0;
    CHECK(zt_context_set_policy(context, ZT_SERIAL) == ZT_OK);
    gpu_begin = gpu_end = NULL;
}

int main(void)
{
    zt_context *context = NULL;
    if (zt_context_new(NULL, &context) != ZT_OK)
        return 1;
    test_what_a_machine_lacks_is_said(context);
    test_the_callers_device_stays_current(context);
    test_memory_is_of_the_device_that_it_is_for(context);
    test_large_copies_arrive(context);
    test_small_copies_arrive(context);
    zt_context_free(context);
    printf("%u failures\n", failures);
    return failures != 0;
}
