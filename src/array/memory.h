/* memory.h: which memory an address is in, and bytes from one to the other. */
#ifndef ZTI_ARRAY_MEMORY_H
#define ZTI_ARRAY_MEMORY_H

#include "core/core.h"

/* Whether an address is in the memory of the context's GPU; only src/array asks. Others read it of
 * a struct zti_array or are told by zti_find_memory. */
bool zti_is_on_device(const zt_context *context, const void *address);

/* ZT_BAD_ARG for an address in the memory of a GPU that the context does not use. what: "the
 * array", "the stream", ... */
zt_status zti_check_memory(zt_context *context, const void *address, const char *what);

/* The same, and where it is. */
zt_status zti_find_memory(zt_context *context, const void *address, const char *what,
                          bool *is_on_device);

/* ZT_BAD_ARG for an address in any GPU's memory, where a call cannot do with that. */
zt_status zti_check_on_host(zt_context *context, const void *address, const char *what);

/* ZT_BAD_ARG for an address that is not in the memory of the context's GPU. */
zt_status zti_check_on_device(zt_context *context, const void *address, const char *what);

/* Copy or zero bytes of any memory that the context can use, and wait. */
zt_status zti_copy_bytes(zt_context *context, void *to, const void *from, uint64_t bytes);
zt_status zti_zero_bytes(zt_context *context, void *to, uint64_t bytes);

#endif
