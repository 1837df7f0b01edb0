/* buffer.h: buffers that only grow. */
#ifndef ZTI_CORE_BUFFER_H
#define ZTI_CORE_BUFFER_H

#include "core/core.h"

struct zti_buffer {
    uint8_t *bytes;
    size_t capacity;
};

/* Make room for 'bytes' bytes; keeps the first 'kept' of the old ones, or has none if that is 0. */
zt_status zti_buffer_reserve(zt_context *context, struct zti_buffer *buffer, uint64_t bytes,
                             size_t kept);

/* Make room for 'bytes' bytes; keeps none. Newly allocated memory is zero. */
zt_status zti_buffer_reserve_zeroed(zt_context *context, struct zti_buffer *buffer, uint64_t bytes);
void zti_buffer_free(zt_context *context, struct zti_buffer *buffer);

#endif
