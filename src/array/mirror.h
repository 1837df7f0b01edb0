/* mirror.h: host copies of arrays and bytes in a GPU's memory, for what only the host does. What is
 * in the host's memory already is not copied.
 *
 * While a mirror is open, its memory is registered as a host copy (core/device.h):
 * kernels that are to read it read the device's original, and nothing is uploaded again. */
#ifndef ZTI_ARRAY_MIRROR_H
#define ZTI_ARRAY_MIRROR_H

#include "array/array.h"
#include "array/memory.h"

struct zti_mirror {
    zt_context *context;
    struct zti_array array;                  /* to be used instead of the array */
    const void *bytes;                       /* to be used instead of bytes that are read */
    uint8_t *room;                           /* to be used instead of bytes that are written */
    uint8_t *own;                            /* NULL: there was nothing to copy */
    const void *host_copy, *device_original; /* as they were before */
    uint64_t copied_bytes;
};

/* Fetch an array. The mirror is to be closed, whatever is returned. */
zt_status zti_mirror_open(zt_context *context, const struct zti_array *array,
                          struct zti_mirror *mirror);

/* Memory of the host for an array that is to be written: nothing is fetched. */
zt_status zti_mirror_open_output(zt_context *context, const struct zti_array *array,
                                 struct zti_mirror *mirror);

/* Bring what was written to the array that the mirror is of. */
zt_status zti_mirror_store(const struct zti_mirror *mirror, const struct zti_array *array);

/* Fetch n bytes. */
zt_status zti_mirror_open_bytes(zt_context *context, const void *bytes, uint64_t n,
                                struct zti_mirror *mirror);

/* Memory of the host for n bytes that are to be written: nothing is fetched. */
zt_status zti_mirror_open_room(zt_context *context, void *place, uint64_t n,
                               struct zti_mirror *mirror);

/* Bring the first n bytes of what was written to the place that the mirror is of. */
zt_status zti_mirror_store_bytes(const struct zti_mirror *mirror, void *place, uint64_t n);

/* Mirrors are closed in the reverse of the order in which they were opened. */
void zti_mirror_close(struct zti_mirror *mirror);

/* Elements of an array that follow each other in C order without gaps. */
bool zti_array_is_contiguous(const struct zti_array *array);

/* Bytes of the device's memory that copying an array from there to the host takes. */
uint64_t zti_packed_bytes(const struct zti_array *array);

/* Whether a coder loads rows of an array as they are: elements lie side by side, or kernels load
 * them. */
bool zti_has_near_values(const struct zti_array *array);

/* An array to C-contiguous memory of the host, and wait. */
zt_status zti_fetch_array(zt_context *context, const struct zti_array *array, void *to);

#endif
