/* zfp.h: a bare zfp stream, and its index in a file beside it. */
#ifndef ZTI_STORE_ZFP_H
#define ZTI_STORE_ZFP_H

#include "store/opened.h"

/* Behind stored_open, stored_read and stored_read_box. */
bool stored_zfp_open(struct stored *stored, const struct options *options, bool has_header,
                     struct ztio_error *error);
bool stored_zfp_read(struct stored *stored, void *buffer, struct ztio_error *error);
bool stored_zfp_read_box(struct stored *stored, const zt_box *box, void *buffer,
                         struct ztio_error *error);

/* Read all of the stream, if that was not done yet. */
bool stored_zfp_load(struct stored *stored, struct ztio_error *error);

/* Read all of the stream, verify that the index is its own, and put into stored->info what the
 * index is. Nothing where there is none. */
bool stored_zfp_check_index(struct stored *stored, struct ztio_error *error);

/* PLACE.zti, to be freed; NULL where there is no memory. */
char *index_place_of(const char *place);

#endif
