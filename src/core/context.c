/* context.c: the public calls on contexts: allocator, policy, progress, limits. */
#include "core/cpu.h"
#include "core/device.h"
#include "core/wire.h"

#include <stdlib.h>

enum { KEPT_BYTES = 128 << 20 }; /* what a context keeps at most unless it is told */

zt_status zt_context_new(const zt_allocator *allocator, zt_context **context)
{
    if (!context)
        return ZT_BAD_ARG;
    if (allocator && (!allocator->alloc || !allocator->release || allocator->reserved[0] ||
                      allocator->reserved[1]))
        return ZT_BAD_ARG;
    zt_context *c = allocator ? allocator->alloc(allocator->user, sizeof *c) : malloc(sizeof *c);
    if (!c)
        return ZT_NO_MEMORY;
    memset(c, 0, sizeof *c);
    if (allocator)
        c->allocator = *allocator;
    c->policy = ZT_SERIAL;
    c->held = &c->own_held;
    c->held->kept.most_bytes = allocator ? 0 : KEPT_BYTES;
    c->isa = zti_isa_of(NULL);
    *context = c;
    return ZT_OK;
}

static void close_device(zt_context *context)
{
    if (context->device)
        context->device->close(context);
    context->device = NULL;
    context->cuda = (zt_cuda){.device = 0};
}

void zt_context_free(zt_context *context)
{
    if (!context)
        return;
    close_device(context);
    zti_keep_at_most(context, 0);
    zt_allocator a = context->allocator;
    if (a.release)
        a.release(a.user, context);
    else
        free(context);
}

const char *zt_context_error(const zt_context *context)
{
    return context ? context->sentence : "";
}

zt_status zt_context_set_omp(zt_context *context, const zt_omp *omp)
{
    if (!context)
        return ZT_BAD_ARG;
    if (omp && (omp->reserved[0] || omp->reserved[1]))
        return zti_fail(context, ZT_BAD_ARG, "reserved words of zt_omp are not zero");
    if (omp && omp->threads > ZTI_MAX_THREADS)
        return zti_fail(context, ZT_BAD_ARG, "%u threads are more than %d", omp->threads,
                        ZTI_MAX_THREADS);
#if defined(ZTI_HAS_THREADS)
    close_device(context);
    context->policy = ZT_OMP;
    context->omp = omp ? *omp : (zt_omp){.threads = 0};
    return ZT_OK;
#else
    return zti_fail(context, ZT_UNSUPPORTED, "the omp policy is not in this build; use serial");
#endif
}

zt_status zt_context_set_cuda(zt_context *context, const zt_cuda *cuda)
{
    if (!context)
        return ZT_BAD_ARG;
    const zt_cuda own = cuda ? *cuda : (zt_cuda){.device = 0};
    if (own.reserved[0] || own.reserved[1] || own.flags)
        return zti_fail(context, ZT_BAD_ARG, "flags or reserved words of zt_cuda are not zero");
    if (own.device < 0)
        return zti_fail(context, ZT_BAD_ARG, "there is no CUDA device %d", (int)own.device);
    const zt_status status = zti_device_open(context, &own);
    if (status != ZT_OK)
        return status;
    context->policy = ZT_CUDA;
    context->omp = (zt_omp){.threads = 0};
    context->cuda = own;
    return ZT_OK;
}

zt_status zt_cuda_allocate(zt_context *context, size_t bytes, void **memory)
{
    if (!context || !context->device)
        return zti_fail(context, ZT_BAD_ARG, "memory on a GPU is for the cuda policy");
    if (!memory)
        return zti_fail(context, ZT_BAD_ARG, "no place for the address");
    return zti_device_allocate(context, bytes > 0 ? bytes : 1, memory);
}

void zt_cuda_free(int32_t device, void *memory)
{
    if (memory)
        zti_device_free(device, memory);
}

zt_status zt_cuda_device_of(zt_context *context, const void *address, int32_t *device)
{
    if (!device)
        return zti_fail(context, ZT_BAD_ARG, "no place for the device's number");
    return zti_device_of(context, address, device);
}

zt_status zt_context_set_policy(zt_context *context, zt_policy policy)
{
    if (!context)
        return ZT_BAD_ARG;
    switch (policy) {
    case ZT_SERIAL:
        context->policy = ZT_SERIAL;
        context->omp = (zt_omp){.threads = 0};
        close_device(context);
        return ZT_OK;
    case ZT_OMP: return zt_context_set_omp(context, NULL);
    case ZT_CUDA: return zt_context_set_cuda(context, NULL);
    }
    return zti_fail(context, ZT_BAD_ARG, "%d is no execution policy", (int)policy);
}

zt_policy zt_context_policy(const zt_context *context)
{
    return context ? context->policy : ZT_SERIAL;
}

zt_status zt_context_omp(const zt_context *context, zt_omp *omp)
{
    if (!context || !omp || context->policy != ZT_OMP)
        return ZT_BAD_ARG;
    *omp = context->omp;
    return ZT_OK;
}

zt_status zt_context_set_progress(zt_context *context, zt_progress progress, void *user)
{
    if (!context)
        return ZT_BAD_ARG;
    context->progress = progress;
    context->progress_user = user;
    return ZT_OK;
}

zt_status zt_context_set_stages(zt_context *context, zt_stage_begins begins, void *user)
{
    if (!context)
        return ZT_BAD_ARG;
    context->stage_begins = begins;
    context->stage_user = user;
    return ZT_OK;
}

zt_status zt_limits_init(zt_limits *limits, size_t limits_bytes)
{
    if (!limits || limits_bytes < sizeof *limits || limits_bytes > UINT32_MAX)
        return ZT_BAD_ARG;
    memset(limits, 0, limits_bytes);
    limits->struct_bytes = (uint32_t)limits_bytes;
    return ZT_OK;
}

zt_status zt_context_set_kept(zt_context *context, uint64_t bytes)
{
    if (!context)
        return ZT_BAD_ARG;
    if (context->allocator.alloc && bytes > 0)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "a context with an allocator of its own keeps no memory");
    zti_keep_at_most(context, bytes);
    context->held->kept.most_bytes = bytes;
    return ZT_OK;
}

zt_status zt_context_set_limits(zt_context *context, const zt_limits *limits)
{
    if (!context)
        return ZT_BAD_ARG;
    if (limits && limits->struct_bytes < sizeof *limits)
        return zti_fail(context, ZT_BAD_ARG, "no zt_limits that zt_limits_init has set");
    if (limits && !zti_all_zero((const uint8_t *)limits + sizeof *limits,
                                limits->struct_bytes - sizeof *limits))
        return zti_fail(context, ZT_UNSUPPORTED,
                        "zt_limits asks for what this version does not have; use a later one");
    if (limits && limits->reserved)
        return zti_fail(context, ZT_BAD_ARG, "the reserved word of zt_limits is not zero");
    context->most_bytes = limits ? limits->memory_bytes : 0;
    context->most_output_bytes = limits ? limits->output_bytes : 0;
    return ZT_OK;
}
