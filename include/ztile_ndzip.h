/** @file
 * Bare ndzip streams, for exchange with ndzip. The rules of ztile.h hold here.
 *
 * The streams are those that ndzip writes since 2021: lossless, of float or double, 1 to 3
 * dimensions and less than 2^32 elements. Other arrays are ZT_UNSUPPORTED. A stream names neither
 * type nor shape, so whoever decodes it must know both, and it has no checksum. In these calls an
 * extent may be 0: the stream is then empty. Source: Knorr et al., "ndzip", DCC
 * 2021.
 */
#ifndef ZTILE_NDZIP_H
#define ZTILE_NDZIP_H

#include "ztile.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The most bytes that zt_ndzip_compress() can write; array->data may be NULL. */
ZT_API zt_status zt_ndzip_compress_bound(zt_context *context, const zt_array *array,
                                         size_t *capacity_bytes);

/** Write the stream that ndzip writes for this array.
 * @param context NULL is allowed
 * @param array to be compressed
 * @param out gets the stream
 * @param out_capacity_bytes room at out; zt_ndzip_compress_bound() says how much suffices
 * @param out_bytes how much was used
 * @return ZT_NO_SPACE, ZT_UNSUPPORTED, ZT_CANCELLED */
ZT_API zt_status zt_ndzip_compress(zt_context *context, const zt_array *array, void *out,
                                   size_t out_capacity_bytes, size_t *out_bytes);

/** Decode a stream.
 * @param context NULL is allowed
 * @param data begins with the stream
 * @param data_bytes its length, or more
 * @param out type and shape of the array that was compressed, any strides
 * @param consumed_bytes gets the length of the stream; may be NULL
 * @return ZT_CORRUPT if lengths in the stream are not those of this type and shape; ZT_UNSUPPORTED,
 *         ZT_CANCELLED */
ZT_API zt_status zt_ndzip_decompress(zt_context *context, const void *data, size_t data_bytes,
                                     const zt_array *out, size_t *consumed_bytes);

/** Decode a box of a stream; only the tiles that meet the box are decoded.
 * @param context NULL is allowed
 * @param data begins with the stream
 * @param data_bytes its length, or more
 * @param whole type and shape of the array that was compressed; its data is not looked at
 * @param box of that array
 * @param out gets the box and has its shape
 * @return as zt_ndzip_decompress() */
ZT_API zt_status zt_ndzip_decompress_box(zt_context *context, const void *data, size_t data_bytes,
                                         const zt_array *whole, const zt_box *box,
                                         const zt_array *out);

#ifdef __cplusplus
}
#endif

#endif
