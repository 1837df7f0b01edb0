/* zfp_async.c: zt_zfp_*_async: zfp streams of fixed rate, coded on a GPU without waiting.
 * Everything that is checked is known beforehand: parameters, shapes, lengths, and whose memory
 * addresses are. */
#include "exec/async.h"
#include "array/on_device.h"
#include "frame/bare/zfp.h"
#include "ztile_cuda.h"

/* Check what all calls have in common. */
static zt_status open_coding(zt_context *context, const struct zti_array *array, const zt_zfp *zfp,
                             struct zti_coding *coding, uint64_t *scratch_bytes)
{
    zt_status status = zti_bare_zfp_coding(context, array, zfp, coding);
    if (status == ZT_OK && (zfp->flags & ZT_ZFP_HEADER) != 0)
        status = zti_fail(context, ZT_BAD_ARG,
                          "a stream that is coded without waiting has no header; clear "
                          "ZT_ZFP_HEADER");
    return status == ZT_OK ? zti_async_scratch_bytes(context, coding, scratch_bytes) : status;
}

/* The length of a stream, in whole words of its own and of 64 bits; 0 on overflow. */
static uint64_t stream_bytes(const struct zti_coding *coding, uint32_t word_bits)
{
    uint64_t bits;
    return zti_mul(coding->grid.count, zti_fixed_bits(coding), &bits) && bits <= UINT64_MAX - 64
               ? zti_round_up(bits, word_bits) / 8
               : 0;
}

zt_status zt_zfp_async_scratch_bytes(zt_context *context, const zt_array *given, const zt_zfp *zfp,
                                     size_t *bytes)
{
    struct zti_array array;
    struct zti_coding coding;
    uint64_t needed = 0;
    zt_status status = zti_check_shape_there(context, given, bytes, &array);
    if (status == ZT_OK)
        status = open_coding(context, &array, zfp, &coding, &needed);
    if (status == ZT_OK)
        *bytes = (size_t)needed;
    return status;
}

zt_status zt_zfp_compress_async(zt_context *context, const zt_array *given, const zt_zfp *zfp,
                                void *out, size_t out_capacity_bytes, void *scratch,
                                size_t scratch_bytes, size_t *out_bytes)
{
    struct zti_array array;
    struct zti_coding coding;
    uint64_t needed = 0;
    zt_status status = zti_check_array_there(context, given, ZTI_TO_READ, &array);
    if (status == ZT_OK)
        status = open_coding(context, &array, zfp, &coding, &needed);
    if (status == ZT_OK && !out_bytes)
        status = zti_fail(context, ZT_BAD_ARG, "no place for the stream's length given");
    if (status == ZT_OK && !zti_bare_zfp_accepts_nonfinite(zfp_of(&coding), array.type, array.rank))
        status = zti_fail(context, ZT_BAD_ARG,
                          "NaN and infinities are not looked for without waiting; say with "
                          "ZT_ZFP_AS_LIBZFP that what libzfp makes of them will do");
    if (status == ZT_OK)
        status = zti_check_words_there(context, out, "the output buffer");
    if (status == ZT_OK)
        status = zti_check_scratch_there(context, scratch, scratch_bytes, needed);
    if (status != ZT_OK)
        return status;
    const uint64_t whole = stream_bytes(&coding, 64);
    if (whole == 0 || out_capacity_bytes < whole)
        return zti_fail(context, ZT_NO_SPACE,
                        "the output buffer of %zu bytes is too small; this stream needs %llu, in "
                        "whole words of 64 bits",
                        out_capacity_bytes, (unsigned long long)whole);
    *out_bytes = (size_t)stream_bytes(&coding, zfp->word_bits);
    return zti_encode_async(context, &coding, &array, out, scratch, NULL);
}

zt_status zt_zfp_decompress_async(zt_context *context, const void *data, size_t data_bytes,
                                  const zt_zfp *zfp, const zt_array *given, void *scratch,
                                  size_t scratch_bytes)
{
    struct zti_array array;
    struct zti_coding coding;
    uint64_t needed = 0;
    zt_status status = zti_check_array_there(context, given, ZTI_TO_WRITE, &array);
    if (status == ZT_OK)
        status = open_coding(context, &array, zfp, &coding, &needed);
    if (status == ZT_OK)
        status = zti_check_words_there(context, data, "the stream");
    if (status == ZT_OK)
        status = zti_check_scratch_there(context, scratch, scratch_bytes, needed);
    if (status != ZT_OK)
        return status;
    const uint64_t bytes = stream_bytes(&coding, 8);
    if (bytes == 0 || data_bytes < bytes)
        return zti_fail(context, ZT_CORRUPT,
                        "the zfp stream is cut short: it has %zu bytes, this array takes %llu",
                        data_bytes, (unsigned long long)bytes);
    return zti_decode_async(context, &coding, data, bytes, &array, scratch, NULL);
}
