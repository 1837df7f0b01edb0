/* device_host.c: the device of the cuda policy for the tests: the CPU's own memory. Kernels run
 * when they are launched. */
#include "core/device.h"
#include "simt_device.h"
#include "simt_runtime.h"

#include <stdlib.h>

uint64_t simt_slab_bytes = 1 << 20;

struct host {
    struct zti_device device; /* first */
    void *memory[ZTI_DEVICE_PARTS];
};

static struct host *host_of(const zt_context *context)
{
    return (struct host *)(void *)context->device;
}

/* Exactly as many bytes as were asked for, with rubbish in them, so that sanitizers see what is
 * beyond or never written. */
static zt_status room(zt_context *context, enum zti_device_part part, uint64_t bytes,
                      void **memory)
{
    struct host *const h = host_of(context);
    free(h->memory[part]);
    h->memory[part] = malloc((size_t)bytes);
    if (!h->memory[part])
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a test");
    simt_rubbish(h->memory[part], (size_t)bytes);
    *memory = h->memory[part];
    return ZT_OK;
}

static zt_status copy(zt_context *context, void *to, const void *from, uint64_t bytes)
{
    (void)context;
    memcpy(to, from, (size_t)bytes);
    return ZT_OK;
}

static zt_status zero(zt_context *context, void *to, uint64_t bytes)
{
    (void)context;
    memset(to, 0, (size_t)bytes);
    return ZT_OK;
}

static zt_status wait(zt_context *context)
{
    (void)context;
    return ZT_OK;
}

static void close(zt_context *context)
{
    struct host *const h = host_of(context);
    for (int i = 0; i < ZTI_DEVICE_PARTS; i++)
        free(h->memory[i]);
    free(h);
}

zt_status zti_device_open(zt_context *context, const zt_cuda *cuda)
{
    struct host *const h = calloc(1, sizeof *h);
    if (!h)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a test");
    h->device = (struct zti_device){.queue = cuda->stream, .slab_bytes = simt_slab_bytes,
                                    .room = room, .put = copy, .get = copy, .zero = zero,
                                    .wait = wait, .close = close};
    if (context->device)
        context->device->close(context);
    context->device = &h->device;
    return ZT_OK;
}
