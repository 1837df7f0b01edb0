/* host.h: the HDF5 library that called a plug-in, and what both plug-ins do with it.
 *
 * A process may hold several HDF5 libraries (h5py brings its own), none of them visible to all. So
 * the host is found from the return address of the call at hand: the shared object that it is in,
 * whose symbols, and those of what it is linked to, are looked up by name. */
#ifndef ZTILE_H5_HOST_H
#define ZTILE_H5_HOST_H

#include "abi.h"
#include "ztile.h"

#include <stdbool.h>

/* What a chunk of a dataset is. */
struct zh_chunk {
    uint32_t type; /* zt_type: what its values are coded as */
    bool is_unsigned;
    uint32_t rank;
    uint64_t shape[ZH_MAX_RANK]; /* slowest first */
    bool has_fill;               /* the creator of the dataset gave one, and not 0 */
    uint64_t fill;               /* its bits */
};

/* To be taken in the function that HDF5 or netCDF calls. */
#define ZH_CALLER __builtin_return_address(0)

/* Put a sentence on the error stack of the HDF5 that called. Nothing where caller is NULL. */
void zh_complain(void *caller, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The chunks of a dataset to be created; false, and a complaint, for other types than ours. */
bool zh_chunk_of_dataset(void *caller, zh_hid dcpl, zh_hid type, struct zh_chunk *chunk);

/* Likewise of a netCDF variable (NCZarr). */
bool zh_chunk_of_variable(void *caller, int ncid, int varid, struct zh_chunk *chunk);

/* A filter's numbers in a property list; get: *count is the room before and the number after. */
bool zh_get_values(void *caller, zh_hid dcpl, int filter, unsigned *flags, size_t *count,
                   unsigned *values);
bool zh_set_values(void *caller, zh_hid dcpl, int filter, unsigned flags, size_t count,
                   const unsigned *values);

/* A filter's bound is one on what it is given, so no other may stand before it in the property list
 * of a dataset to be created. A lossless one may be given any bytes, as many as its values have:
 * HDF5's own filters that change their number are refused before one that must work. False after a
 * complaint. */
bool zh_check_pipeline(void *caller, zh_hid dcpl, int filter, bool is_lossless, bool is_optional);

/* How many threads the environment's ZTILE_THREADS says: 1 if it says nothing, 0 for all
 * processors. False after a complaint. */
bool zh_threads(void *caller, uint32_t *threads);

/* A context with as many threads; NULL after a complaint. */
zt_context *zh_context(void *caller);
zt_context *zh_context_of(void *caller, uint32_t threads);

/* Leave out axes of extent 1 (but one, where there is no other). Returns how many are left. */
uint32_t zh_drop_unit_axes(struct zh_chunk *chunk);

/* Bytes of an array; 0 where they do not fit in size_t. */
size_t zh_raw_bytes(uint32_t type, uint32_t rank, const uint64_t *shape);

#endif
