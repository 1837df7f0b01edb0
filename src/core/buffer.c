/* buffer.c: buffers that only grow (buffer.h). */
#include "core/buffer.h"

#include "core/grow.h"

#include <inttypes.h>

zt_status zti_buffer_reserve(zt_context *context, struct zti_buffer *buffer, uint64_t bytes,
                             size_t kept)
{
    if (bytes <= buffer->capacity)
        return ZT_OK;
    if (kept == 0)
        zti_buffer_free(context, buffer); /* before there is more */
    uint8_t *const grown = bytes > SIZE_MAX ? NULL
                           : buffer->bytes  ? zti_grow(context, buffer->bytes, (size_t)bytes)
                                            : zti_alloc(context, (size_t)bytes);
    if (!grown)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for %" PRIu64 " bytes", bytes);
    buffer->bytes = grown;
    buffer->capacity = (size_t)bytes;
    return ZT_OK;
}

zt_status zti_buffer_reserve_zeroed(zt_context *context, struct zti_buffer *buffer, uint64_t bytes)
{
    if (bytes <= buffer->capacity)
        return ZT_OK;
    zti_buffer_free(context, buffer);
    buffer->bytes = bytes <= SIZE_MAX ? zti_alloc_zeroed(context, (size_t)bytes) : NULL;
    if (!buffer->bytes)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for %" PRIu64 " bytes", bytes);
    buffer->capacity = (size_t)bytes;
    return ZT_OK;
}

void zti_buffer_free(zt_context *context, struct zti_buffer *buffer)
{
    zti_release(context, buffer->bytes);
    *buffer = (struct zti_buffer){.bytes = NULL, .capacity = 0};
}
