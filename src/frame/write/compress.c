/* compress.c: zt_compress and zt_compress_bound: a writer whose output is the caller's memory, of
 * the host or of a GPU. */
#include "array/memory.h"
#include "frame/write/writer.h"

zt_status zt_compress_bound(zt_context *context, const zt_array *given, const zt_params *params,
                            size_t *capacity_bytes)
{
    if (!given || !capacity_bytes)
        return zti_fail(context, ZT_BAD_ARG, "no array, or no place for the number of bytes");
    struct zti_array array;
    struct zti_request r;
    zt_status status = zti_array_check(context, given, ZTI_SHAPE_ONLY, &array);
    if (!status)
        status = zti_request_init(context, &array, params, &r);
    if (status)
        return status;
    const uint64_t full = r.shape[0] / r.thickness;
    uint64_t full_bytes = 0, rest_bytes = 0, entries, sum;
    status = zti_frames_bound(context, &r, NULL, &full_bytes, &rest_bytes);
    if (status)
        return status;
    bool fits = zti_mul(full, full_bytes, &sum) && zti_add(sum, rest_bytes, &sum) &&
                zti_mul(full + 1, 2 * ZTI_VARINT_MAX_BYTES, &entries) &&
                zti_add(sum, entries, &sum) &&
                zti_add(sum, ZTI_TABLE_HEAD_MAX_BYTES + ZTI_TABLE_FOOT_BYTES, &sum);
    const uint64_t at_once = zti_at_once_of(context, &r).out_bytes;
    sum = at_once > sum ? at_once : sum;
    if (!fits || sum > SIZE_MAX / 2)
        return zti_fail(context, ZT_BAD_ARG,
                        "the compressed array may need more memory than there are addresses; use "
                        "a writer");
    *capacity_bytes = (size_t)sum;
    return ZT_OK;
}

zt_status zt_compress(zt_context *context, const zt_array *given, const zt_params *params,
                      void *out, size_t out_capacity_bytes, size_t *out_bytes)
{
    if (!given || !out_bytes || (!out && out_capacity_bytes > 0))
        return zti_fail(context, ZT_BAD_ARG,
                        "no array, no output buffer or no place for the number of bytes");
    struct zti_array array;
    zt_status status = zti_array_check(context, given, ZTI_TO_READ, &array);
    struct zt_writer w;
    bool is_out_on_device = false, is_done = false;
    if (!status)
        status = zti_find_memory(context, out, "the output buffer", &is_out_on_device);
    if (!status)
        status = zti_writer_init(context, &array, params, &w);
    if (status)
        return status;
    w.output.memory = (uint8_t *)out;
    w.output.memory_bytes = out_capacity_bytes;
    w.output.is_on_device = is_out_on_device;
    status = zti_writer_measure(&w, &array);
    if (!status)
        status = zti_write_at_once(&w, &array, &is_done);
    if (!status && !is_done)
        status = zti_writer_put(&w, &array);
    if (!status && !is_done)
        status = zti_writer_finish(&w);
    if (!status)
        *out_bytes = (size_t)w.output.at;
    zti_writer_clear(&w);
    return status;
}
