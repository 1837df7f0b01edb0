/* core.c: names of statuses, and error messages. */
#include "core/core.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

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
        __atomic_exchange_n(&context->held->is_over, false, __ATOMIC_RELAXED)) {
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

uint64_t zti_array_values(uint32_t rank, const uint64_t *shape)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < rank; i++)
        n *= shape[i];
    return n;
}
