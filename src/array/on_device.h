/* on_device.h: what calls that do not wait check, whose memory addresses are and lengths, and how
 * they divide scratch memory. */
#ifndef ZTI_ARRAY_ON_DEVICE_H
#define ZTI_ARRAY_ON_DEVICE_H

#include "array/array.h"
#include "array/memory.h"

/* An address in the GPU's memory, aligned to words. */
static inline zt_status zti_check_words_there(zt_context *context, const void *address,
                                              const char *what)
{
    if ((uintptr_t)address % 8 > 0)
        return zti_fail(context, ZT_BAD_ARG, "the address of %s is not a multiple of 8", what);
    return zti_check_on_device(context, address, what);
}

static inline zt_status zti_check_scratch_there(zt_context *context, const void *scratch,
                                                size_t scratch_bytes, uint64_t needed_bytes)
{
    if (scratch_bytes < needed_bytes)
        return zti_fail(context, ZT_NO_MEMORY,
                        "the scratch memory of %zu bytes is too small; this array needs %llu",
                        scratch_bytes, (unsigned long long)needed_bytes);
    return zti_check_words_there(context, scratch, "the scratch memory");
}

/* Places of parts that lie one behind the other, and the end; 'at' has one more than 'bytes'. */
static inline void zti_lay_out_scratch(const uint64_t *bytes, size_t parts, uint64_t *at)
{
    at[0] = 0;
    for (size_t i = 0; i < parts; i++)
        at[i + 1] = at[i] + zti_round_up(bytes[i], 16);
}

/* A shape, and a place for the number of bytes that it needs. */
static inline zt_status zti_check_shape_there(zt_context *context, const zt_array *given,
                                              const size_t *bytes, struct zti_array *array)
{
    const zt_status status = zti_array_check(context, given, ZTI_SHAPE_ONLY, array);
    return status == ZT_OK && !bytes
               ? zti_fail(context, ZT_BAD_ARG, "no place for the number of bytes")
               : status;
}

static inline zt_status zti_check_array_there(zt_context *context, const zt_array *given,
                                              enum zti_use use, struct zti_array *array)
{
    const zt_status status = zti_array_check(context, given, use, array);
    return status == ZT_OK ? zti_check_on_device(context, given->data, "the array") : status;
}

#endif
