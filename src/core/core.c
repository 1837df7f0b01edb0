/* core.c: status names, sentences, memory. */
#include "core/core.h"

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
    if (context) {
        va_list args;
        va_start(args, format);
        (void)vsnprintf(context->sentence, sizeof context->sentence, format, args);
        va_end(args);
    }
    return status;
}

void *zti_alloc(zt_context *context, size_t bytes)
{
    if (bytes == 0)
        bytes = 1;
    if (context && context->allocator.alloc)
        return context->allocator.alloc(context->allocator.user, bytes);
    return malloc(bytes);
}

void *zti_alloc_zeroed(zt_context *context, size_t bytes)
{
    if (!context || !context->allocator.alloc)
        return calloc(bytes ? bytes : 1, 1); /* large ones are zero without being touched */
    void *memory = zti_alloc(context, bytes);
    if (memory)
        memset(memory, 0, bytes);
    return memory;
}

void zti_release(zt_context *context, void *memory)
{
    if (context && context->allocator.release)
        context->allocator.release(context->allocator.user, memory);
    else
        free(memory);
}
