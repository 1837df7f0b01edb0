/* buffer.c: buffers that only grow (buffer.h). */
#include "core/buffer.h"

#include <inttypes.h>

zt_status zti_buffer_reserve(zt_context *context, struct zti_buffer *buffer, uint64_t bytes,
                             size_t kept)
{
    if (bytes <= buffer->capacity)
        return ZT_OK;
    uint8_t *grown = bytes <= SIZE_MAX ? (uint8_t *)zti_alloc(context, (size_t)bytes) : NULL;
    if (!grown)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for %" PRIu64 " bytes", bytes);
    if (kept > 0)
        memcpy(grown, buffer->bytes, kept);
    zti_release(context, buffer->bytes);
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
