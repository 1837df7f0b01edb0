/* mirror.h: arrays and bytes of a GPU's memory, as the host sees them: copies, fetched for what
 * only the host does. What is in the host's memory already is not copied.
 *
 * While a mirror is open its memory counts as the device's too (the twin of core/device.h): what
 * the kernels read of it is not copied back to the GPU. */
#ifndef ZTI_ARRAY_MIRROR_H
#define ZTI_ARRAY_MIRROR_H

#include "array/array.h"

/* Whether an address is in the memory of the context's GPU. */
bool zti_is_on_device(const zt_context *context, const void *address);

/* ZT_BAD_ARG for an address in the memory of a GPU that the context does not use. what: "the
 * array", "the stream", ... */
zt_status zti_check_memory(zt_context *context, const void *address, const char *what);

/* ZT_BAD_ARG for an address in any GPU's memory, where a call cannot do with that. */
zt_status zti_check_on_host(zt_context *context, const void *address, const char *what);

struct zti_mirror {
    zt_context *context;
    zt_array array;                            /* to be used instead */
    const void *bytes;                         /* the same of bytes */
    uint8_t *own;                              /* NULL: there was nothing to copy */
    const void *twin_on_host, *twin_on_device; /* as they were before */
    uint64_t twin_bytes;
};

/* Fetch an array. The mirror is to be closed, whatever is returned. */
zt_status zti_mirror_open(zt_context *context, const zt_array *array, struct zti_mirror *mirror);

/* Memory of the host for an array that is to be written: nothing is fetched. */
zt_status zti_mirror_open_output(zt_context *context, const zt_array *array,
                                 struct zti_mirror *mirror);

/* Bring what was written to the array that the mirror is of. */
zt_status zti_mirror_store(const struct zti_mirror *mirror, const zt_array *array);

/* Fetch bytes, or those of them that are wanted in the host's memory. */
zt_status zti_mirror_open_bytes(zt_context *context, const void *bytes, uint64_t n,
                                struct zti_mirror *mirror);

void zti_mirror_close(struct zti_mirror *mirror);

/* Copy bytes to, from or within the device's memory, and wait; plain memory is just copied. */
zt_status zti_move(zt_context *context, void *to, const void *from, uint64_t bytes);

/* Elements of an array that follow each other in C order without gaps. */
bool zti_array_is_contiguous(const zt_array *array);

/* An array of the device's memory to C-contiguous memory of the host, and wait. */
zt_status zti_fetch_array(zt_context *context, const zt_array *array, void *to);

#endif
