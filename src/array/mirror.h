/* mirror.h: host copies of arrays and bytes in a GPU's memory, for steps that only the host does.
 * Data in the host's memory are used where they are.
 *
 * While a mirror is open, its memory is registered as a host copy (core/device.h): kernels that
 * shall read it read the device's original, so nothing is copied back. */
#ifndef ZTI_ARRAY_MIRROR_H
#define ZTI_ARRAY_MIRROR_H

#include "array/array.h"
#include "array/memory.h"

struct zti_mirror {
    zt_context *context;
    struct zti_array array;                  /* use this instead of the array */
    const void *bytes;                       /* use this instead of the bytes that are read */
    uint8_t *room;                           /* use this instead of the bytes that are written */
    uint8_t *own;                            /* the host copy; NULL: none was needed */
    const void *host_copy, *device_original; /* the device's fields before opening */
    uint64_t copied_bytes;
};

/* Copy an array to the host. The caller closes the mirror, also on failure. */
zt_status zti_mirror_open(zt_context *context, const struct zti_array *array,
                          struct zti_mirror *mirror);

/* Host memory for an array that will be written; nothing is copied. */
zt_status zti_mirror_open_output(zt_context *context, const struct zti_array *array,
                                 struct zti_mirror *mirror);

/* Copy what was written to the mirror to its array. */
zt_status zti_mirror_store(const struct zti_mirror *mirror, const struct zti_array *array);

/* Copy n bytes to the host. */
zt_status zti_mirror_open_bytes(zt_context *context, const void *bytes, uint64_t n,
                                struct zti_mirror *mirror);

/* Host memory for n bytes that will be written; nothing is copied. */
zt_status zti_mirror_open_room(zt_context *context, void *place, uint64_t n,
                               struct zti_mirror *mirror);

/* Copy the first n bytes of what was written to the mirror to their place. */
zt_status zti_mirror_store_bytes(const struct zti_mirror *mirror, void *place, uint64_t n);

/* Mirrors are closed in the reverse of the order in which they were opened. */
void zti_mirror_close(struct zti_mirror *mirror);

/* Whether the elements of an array lie in C order without gaps. */
bool zti_array_is_contiguous(const struct zti_array *array);

/* Bytes of ZTI_DEVICE_PACKED that copying an array from the device to the host needs. */
uint64_t zti_packed_bytes(const struct zti_array *array);

/* Whether a coder can load rows of an array as they are: elements of a row are adjacent, or kernels
 * load them. */
bool zti_has_near_values(const struct zti_array *array);

/* Copy an array to C-contiguous memory of the host, and wait for completion. */
zt_status zti_fetch_array(zt_context *context, const struct zti_array *array, void *to);

/* The same of some runs of n values each, in C order, that begin at the values with these numbers.
 * Those of the device come by way of ZTI_DEVICE_MODEL. */
zt_status zti_fetch_runs(zt_context *context, const struct zti_array *array, const uint64_t *first,
                         uint32_t runs, uint32_t n, void *to);

#endif
