/* stored.h: an array however it is kept: a .zt file, a bare stream, a plain file. */
#ifndef ZTI_STORE_STORED_H
#define ZTI_STORE_STORED_H

#include "store/opened.h"

/* Open a .zt file, a bare stream or, where plain_too, an array in a plain file. hints (may be
 * NULL) are used for a plain raw file that does not say its own type and shape. */
bool stored_open(struct stored *stored, const char *place, const struct options *options,
                 bool plain_too, const struct ztio_meta *hints, zt_context *context,
                 struct ztio_error *error);

/* Go to the next slab, in order; *extent is 0 after the last. */
bool stored_next(struct stored *stored, uint64_t *first, uint64_t *extent,
                 struct ztio_error *error);

/* Its values, contiguous. Once a slab. */
bool stored_read(struct stored *stored, void *buffer, struct ztio_error *error);

/* The values of a box, contiguous. On a pipe only whole slices in order, of a plain array. */
bool stored_read_box(struct stored *stored, const zt_box *box, void *buffer,
                     struct ztio_error *error);

/* Bytes of the file: all that was read, where it is a pipe. */
uint64_t stored_file_bytes(const struct stored *stored);

/* The part of a contiguous array in a box, contiguous. */
void cut_box(uint32_t type, uint32_t rank, const uint64_t *shape, const void *from,
             const zt_box *box, void *to);

/* May follow a failed open of a zeroed struct. */
void stored_close(struct stored *stored);

#endif
