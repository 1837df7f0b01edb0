/* memory.h: whether an address is in the host's memory or a GPU's, and copies between them. */
#ifndef ZTI_ARRAY_MEMORY_H
#define ZTI_ARRAY_MEMORY_H

#include "core/core.h"

/* Whether an address is in the memory of the context's GPU. Used in src/array only; others read
 * is_on_device of a struct zti_array or call zti_find_memory. */
bool zti_is_on_device(const zt_context *context, const void *address);

/* ZT_BAD_ARG for an address in the memory of a GPU that the context does not use. what: "the
 * array", "the stream", ..., for the message. */
zt_status zti_check_memory(zt_context *context, const void *address, const char *what);

/* Where kernels find n bytes: in the device's memory, or its original of a copy on the host
 * (mirror.h). NULL: only in the host's memory. */
const void *zti_bytes_there(const zt_context *context, const void *bytes, uint64_t n);

/* zti_check_memory; also sets *is_on_device. */
zt_status zti_find_memory(zt_context *context, const void *address, const char *what,
                          bool *is_on_device);

/* ZT_BAD_ARG for an address in any GPU's memory, for calls that take only the host's. */
zt_status zti_check_on_host(zt_context *context, const void *address, const char *what);

/* ZT_BAD_ARG for an address that is not in the memory of the context's GPU. */
zt_status zti_check_on_device(zt_context *context, const void *address, const char *what);

/* Copy or zero bytes in any memory that the context can use, and wait for completion. */
zt_status zti_copy_bytes(zt_context *context, void *to, const void *from, uint64_t bytes);
zt_status zti_zero_bytes(zt_context *context, void *to, uint64_t bytes);

#endif
