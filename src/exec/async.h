/* async.h: coding without waiting, on the GPU of a context (cuda/async.c). */
#ifndef ZTI_EXEC_ASYNC_H
#define ZTI_EXEC_ASYNC_H

#include "codec/codec.h"

/* Bytes of device memory that the others work in. ZT_BAD_ARG where the policy is not cuda,
 * ZT_UNSUPPORTED where not all tiles have the same number of bits. */
zt_status zti_async_scratch_bytes(zt_context *context, const struct zti_coding *coding,
                                  uint64_t *bytes);

/* Queue the coding of a whole array. array, words and scratch are in the device's memory, words and
 * scratch aligned to 8; words has room for all tiles, up to a whole word. */
zt_status zti_encode_async(zt_context *context, const struct zti_coding *coding,
                           const struct zti_array *array, void *words, void *scratch);
zt_status zti_decode_async(zt_context *context, const struct zti_coding *coding, const void *words,
                           uint64_t words_count, const struct zti_array *out, void *scratch);

#endif
