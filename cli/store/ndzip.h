/* ndzip.h: bare ndzip streams. */
#ifndef ZTI_STORE_NDZIP_H
#define ZTI_STORE_NDZIP_H

#include "store/opened.h"

/* Behind stored_open, stored_read and stored_read_box. */
bool stored_ndzip_open(struct stored *stored, const struct options *options,
                       struct ztio_error *error);
bool stored_ndzip_read(struct stored *stored, void *buffer, struct ztio_error *error);
bool stored_ndzip_read_box(struct stored *stored, const zt_box *box, void *buffer,
                           struct ztio_error *error);

#endif
