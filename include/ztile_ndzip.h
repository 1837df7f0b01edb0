/* ztile_ndzip.h: bare ndzip streams, for exchange with ndzip. What holds for every declaration of
 * ztile.h holds here. */
#ifndef ZTILE_NDZIP_H
#define ZTILE_NDZIP_H

#include "ztile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- bare ndzip streams: exchange with ndzip ----------------------------------------------- */

/* The stream that ndzip writes since 2021: lossless, of float or double, 1 to 3 dimensions and less
 * than 2^32 elements (else ZT_UNSUPPORTED). It names neither type nor shape: whoever decodes it
 * must know both. ZT_CORRUPT where its lengths are not those of this type and shape; it has no
 * checksum. Other than elsewhere an extent may be 0: the stream is then empty.
 *
 * capacity_bytes: the most that zt_ndzip_compress can write. consumed_bytes (may be NULL): how long
 * the stream is; there may be more behind it. whole: type and shape of the array that was
 * compressed, its data and strides are not looked at; a box is found by the stream's own table. */
ZT_API zt_status zt_ndzip_compress_bound(zt_context *context, const zt_array *array,
                                         size_t *capacity_bytes);
ZT_API zt_status zt_ndzip_compress(zt_context *context, const zt_array *array, void *out,
                                   size_t out_capacity_bytes, size_t *out_bytes);
ZT_API zt_status zt_ndzip_decompress(zt_context *context, const void *data, size_t data_bytes,
                                     const zt_array *out, size_t *consumed_bytes);
ZT_API zt_status zt_ndzip_decompress_box(zt_context *context, const void *data, size_t data_bytes,
                                         const zt_array *whole, const zt_box *box,
                                         const zt_array *out);

#ifdef __cplusplus
}
#endif

#endif
