/* ndzip_async.c: zt_ndzip_*_async: ndzip streams coded on a GPU without waiting. Kernels write and
 * read the table of ends. Arrays have whole tiles alone, so there is no border. */
#include "codec/ndzip/ndzip.h"
#include "exec/async.h"
#include "array/on_device.h"
#include "ztile_cuda.h"
#include "ztile_ndzip.h"

#include <math.h>

/* The coding of an array, and what its stream and its coding take. */
static zt_status open_coding(zt_context *context, const struct zti_array *array,
                             struct zti_coding *coding, uint64_t *scratch_bytes)
{
    const uint32_t *const side = zti_codec_ndzip.tile_shape[array->rank - 1];
    memset(coding, 0, sizeof *coding);
    if ((array->type != ZT_F32 && array->type != ZT_F64) || array->rank > 3)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "an ndzip stream is of float or double, with 1 to 3 dimensions");
    for (uint32_t i = 0; i < array->rank; i++)
        if (array->shape[i] % side[i] > 0)
            return zti_fail(context, ZT_UNSUPPORTED,
                            "without waiting, ndzip codes extents that are multiples of %u alone",
                            side[i]);
    coding->codec = &zti_codec_ndzip;
    coding->type = array->type;
    coding->verify_bound = NAN;
    coding->grid = zti_grid_of(array->rank, array->shape, side);
    const uint32_t width = 8 * (uint32_t)zt_type_bytes(array->type);
    if (coding->grid.count > UINT32_MAX / zti_ndzip_most_words(width))
        return zti_fail(context, ZT_UNSUPPORTED,
                        "the stream could outgrow the 32-bit table of an ndzip stream; code parts "
                        "of the array");
    return zti_async_scratch_bytes(context, coding, scratch_bytes);
}

zt_status zt_ndzip_async_scratch_bytes(zt_context *context, const zt_array *given, size_t *bytes)
{
    struct zti_array array;
    struct zti_coding coding;
    uint64_t needed = 0;
    zt_status status = zti_check_shape_there(context, given, bytes, &array);
    if (status == ZT_OK)
        status = open_coding(context, &array, &coding, &needed);
    if (status == ZT_OK)
        *bytes = (size_t)needed;
    return status;
}

zt_status zt_ndzip_compress_async(zt_context *context, const zt_array *given, void *out,
                                  size_t out_capacity_bytes, void *scratch, size_t scratch_bytes,
                                  uint64_t *out_bytes)
{
    struct zti_array array;
    struct zti_coding coding;
    uint64_t needed = 0;
    size_t most = 0;
    zt_status status = zti_check_array_there(context, given, ZTI_TO_READ, &array);
    if (status == ZT_OK)
        status = open_coding(context, &array, &coding, &needed);
    if (status == ZT_OK)
        status = zti_check_words_there(context, out, "the output buffer");
    if (status == ZT_OK)
        status = zti_check_words_there(context, out_bytes, "the place for the stream's length");
    if (status == ZT_OK)
        status = zti_check_scratch_there(context, scratch, scratch_bytes, needed);
    if (status == ZT_OK)
        status = zt_ndzip_compress_bound(context, given, &most);
    if (status == ZT_OK && out_capacity_bytes < most)
        status = zti_fail(context, ZT_NO_SPACE,
                          "the output buffer of %zu bytes is too small; without waiting it has the "
                          "most bytes that the stream can take, %zu",
                          out_capacity_bytes, most);
    return status == ZT_OK ? zti_encode_async(context, &coding, &array, out, scratch, out_bytes)
                           : status;
}

zt_status zt_ndzip_decompress_async(zt_context *context, const void *data, size_t data_bytes,
                                    const zt_array *given, void *scratch, size_t scratch_bytes,
                                    uint64_t *damage)
{
    struct zti_array array;
    struct zti_coding coding;
    uint64_t needed = 0;
    zt_status status = zti_check_array_there(context, given, ZTI_TO_WRITE, &array);
    if (status == ZT_OK)
        status = open_coding(context, &array, &coding, &needed);
    if (status == ZT_OK)
        status = zti_check_words_there(context, data, "the stream");
    if (status == ZT_OK)
        status = zti_check_words_there(context, damage, "the place for what is damaged");
    if (status == ZT_OK)
        status = zti_check_scratch_there(context, scratch, scratch_bytes, needed);
    if (status == ZT_OK && data_bytes / 4 < coding.grid.count)
        status = zti_fail(context, ZT_CORRUPT,
                          "the ndzip stream is cut short: %zu bytes do not hold the table of %llu "
                          "tiles",
                          data_bytes, (unsigned long long)coding.grid.count);
    return status == ZT_OK
               ? zti_decode_async(context, &coding, data, data_bytes, &array, scratch, damage)
               : status;
}
