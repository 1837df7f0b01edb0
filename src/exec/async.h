/* async.h: coding without waiting, on the GPU of a context (cuda/async.c). */
#ifndef ZTI_EXEC_ASYNC_H
#define ZTI_EXEC_ASYNC_H

#include "codec/codec.h"

/* Scratch bytes for zti_encode_async and zti_decode_async. ZT_BAD_ARG where the policy is not cuda,
 * ZT_UNSUPPORTED where tiles have neither a fixed number of bits nor a head that kernels know. */
zt_status zti_async_scratch_bytes(zt_context *context, const struct zti_coding *coding,
                                  uint64_t *bytes);

/* Queue the coding of a whole array, its head included. array, stream, scratch and result are in
 * the device's memory, the last three aligned to 8; stream has room for all tiles at their largest,
 * up to a word of 64 bits. With a head, encoding sets *result to the stream's bytes, and decoding
 * sets it to 0 if the stream is intact. Without one *result is not written. */
zt_status zti_encode_async(zt_context *context, const struct zti_coding *coding,
                           const struct zti_array *array, void *stream, void *scratch,
                           uint64_t *result);
zt_status zti_decode_async(zt_context *context, const struct zti_coding *coding, const void *stream,
                           uint64_t stream_bytes, const struct zti_array *out, void *scratch,
                           uint64_t *result);

#endif
