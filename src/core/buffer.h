/* buffer.h: memory that only grows. */
#ifndef ZTI_CORE_BUFFER_H
#define ZTI_CORE_BUFFER_H

#include "core/core.h"

struct zti_buffer {
    uint8_t *bytes;
    size_t capacity;
};

/* Make room for 'bytes', of which the first 'kept' survive. */
zt_status zti_buffer_reserve(zt_context *context, struct zti_buffer *buffer, uint64_t bytes,
                             size_t kept);

/* The same without what was there; memory that is new is zero. */
zt_status zti_buffer_reserve_zeroed(zt_context *context, struct zti_buffer *buffer, uint64_t bytes);
void zti_buffer_free(zt_context *context, struct zti_buffer *buffer);

#endif
