/* copy.h: copies values between arrays with different strides. */
#ifndef ZTI_COPY_H
#define ZTI_COPY_H

#include "core/core.h"

/* Copy n[0] * ... * n[rank - 1] values of 4 or 8 bytes; strides count values. */
void zti_copy_values(size_t value_bytes, uint32_t rank, const uint64_t *n, const void *from,
                     const int64_t *from_stride, void *to, const int64_t *to_stride);

#endif
