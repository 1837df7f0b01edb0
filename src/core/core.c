/* core.c: status names, sentences, memory. */
#include "core/core.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *zt_strerror(zt_status status)
{
    switch (status) {
    case ZT_OK: return "done";
    case ZT_BAD_ARG: return "bad argument";
    case ZT_CORRUPT: return "damaged or foreign data";
    case ZT_UNSUPPORTED: return "not supported by this build";
    case ZT_NO_MEMORY: return "out of memory";
    case ZT_NO_SPACE: return "output buffer too small";
    case ZT_IO: return "input or output failed";
    case ZT_NONFINITE: return "array holds NaN or infinities";
    case ZT_CANCELLED: return "cancelled";
    }
    return "unknown status";
}

const char *zt_version(void)
{
    return ZT_VERSION_STRING;
}

zt_status zti_fail(zt_context *context, zt_status status, const char *format, ...)
{
    if (context && status == ZT_NO_MEMORY &&
        __atomic_exchange_n(&context->is_over, false, __ATOMIC_RELAXED)) {
        (void)snprintf(context->sentence, sizeof context->sentence,
                       "this needs more than the memory limit of %" PRIu64 " bytes",
                       context->most_bytes);
    } else if (context) {
        va_list args;
        va_start(args, format);
        (void)vsnprintf(context->sentence, sizeof context->sentence, format, args);
        va_end(args);
    }
    return status;
}

/* ---- memory ---- */

/* What a context has given is counted: the bytes stand before each block. */
enum { COUNT_BYTES = 16 }; /* so that blocks are aligned for any type */

/* Count bytes as held, and those for the count; false where that is more than the context's limit. */
static bool hold(zt_context *context, size_t bytes, size_t *all)
{
    if (bytes > SIZE_MAX - COUNT_BYTES)
        return false;
    *all = bytes + COUNT_BYTES;
    const uint64_t held = __atomic_add_fetch(&context->held_bytes, *all, __ATOMIC_RELAXED);
    if (context->most_bytes == 0 || held <= context->most_bytes)
        return true;
    (void)__atomic_sub_fetch(&context->held_bytes, *all, __ATOMIC_RELAXED);
    __atomic_store_n(&context->is_over, true, __ATOMIC_RELAXED);
    return false;
}

static void *give(zt_context *context, void *memory, size_t all)
{
    if (!memory) {
        (void)__atomic_sub_fetch(&context->held_bytes, all, __ATOMIC_RELAXED);
        return NULL;
    }
    const uint64_t count = all;
    memcpy(memory, &count, sizeof count);
    return (char *)memory + COUNT_BYTES;
}

void *zti_alloc(zt_context *context, size_t bytes)
{
    size_t all;
    if (!context)
        return malloc(bytes ? bytes : 1);
    if (!hold(context, bytes, &all))
        return NULL;
    return give(context,
                context->allocator.alloc ? context->allocator.alloc(context->allocator.user, all)
                                         : malloc(all),
                all);
}

void *zti_alloc_zeroed(zt_context *context, size_t bytes)
{
    size_t all;
    if (!context)
        return calloc(bytes ? bytes : 1, 1); /* large ones are zero without being touched */
    if (context->allocator.alloc) {
        void *const memory = zti_alloc(context, bytes);
        return memory ? memset(memory, 0, bytes) : NULL;
    }
    return hold(context, bytes, &all) ? give(context, calloc(all, 1), all) : NULL;
}

void zti_release(zt_context *context, void *memory)
{
    uint64_t all;
    if (!context || !memory) {
        free(memory);
        return;
    }
    memory = (char *)memory - COUNT_BYTES;
    memcpy(&all, memory, sizeof all);
    (void)__atomic_sub_fetch(&context->held_bytes, all, __ATOMIC_RELAXED);
    if (context->allocator.release)
        context->allocator.release(context->allocator.user, memory);
    else
        free(memory);
}
