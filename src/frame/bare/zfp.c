/* zfp.c: zt_zfp_*: codes and decodes zfp streams without a .zt file around them. */
#include "frame/bare/zfp.h"

#include "array/mirror.h"
#include "quality/quality.h"

#include <math.h>

zt_status zti_bare_zfp_coding(zt_context *context, const struct zti_array *array, const zt_zfp *zfp,
                              struct zti_coding *coding)
{
    memset(coding, 0, sizeof *coding);
    coding->codec = &zti_codec_zfp;
    coding->type = array->type;
    coding->grid = zti_codec_grid(&zti_codec_zfp, array->rank, array->shape);
    coding->verify_bound = NAN;
    zt_status status = zti_zfp_check(context, zfp, zfp_in(coding));
    if (status == ZT_OK)
        status = zti_zfp_check_decodable(context, zfp_of(coding), array->type,
                                         (zfp->flags & ZT_ZFP_HEADER) != 0);
    return status;
}

zt_status zt_zfp_compress_bound(zt_context *context, const zt_array *given, const zt_zfp *zfp,
                                size_t *capacity_bytes)
{
    struct zti_coding coding;
    struct zti_array array;
    zt_status status = zti_array_check(context, given, ZTI_SHAPE_ONLY, &array);
    if (status == ZT_OK)
        status = zti_bare_zfp_coding(context, &array, zfp, &coding);
    if (status != ZT_OK)
        return status;
    if (!capacity_bytes)
        return zti_fail(context, ZT_BAD_ARG, "no place for the capacity given");
    uint64_t bits;
    if (!zti_mul(coding.grid.count, zti_codec_zfp.sizes(&coding).tile_max_bits, &bits) ||
        !zti_add(bits, ZTI_ZFP_HEADER_MAX_BITS + 63, &bits) || bits / 8 > SIZE_MAX)
        return zti_fail(context, ZT_BAD_ARG,
                        "the stream could take more than this machine's "
                        "address space");
    *capacity_bytes = (size_t)(zti_round_up(bits - 63, zfp->word_bits) / 8);
    return ZT_OK;
}

bool zti_bare_zfp_accepts_nonfinite(const struct zti_zfp *z, uint32_t type, uint32_t rank)
{
    return z->as_libzfp || type == ZT_I32 || type == ZT_I64 || zti_zfp_is_lossless(z, type, rank);
}

zt_status zti_bare_zfp_refuse_nonfinite(zt_context *context, const struct zti_array *array,
                                        const struct zti_zfp *z)
{
    zt_stats stats;
    if (zti_bare_zfp_accepts_nonfinite(z, array->type, array->rank))
        return ZT_OK;
    (void)zt_stats_init(&stats, sizeof stats);
    const zt_status status = zti_scan(context, array, &stats);
    if (status != ZT_OK || stats.nan_values + stats.inf_values == 0)
        return status;
    return zti_fail(context, ZT_NONFINITE,
                    "%llu NaN and %llu infinite values have no place in a lossy zfp stream; "
                    "replace them, use the reversible mode, or allow what libzfp makes of them",
                    (unsigned long long)stats.nan_values, (unsigned long long)stats.inf_values);
}

zt_status zti_bare_zfp_encode(zt_context *context, const struct zti_array *array, const zt_zfp *zfp,
                              const struct zti_coding *coding, void *out, size_t out_capacity_bytes,
                              size_t *out_bytes, const struct zti_starts *starts,
                              uint64_t *header_bits)
{
    uint8_t head[24 + ZTI_BIT_MARGIN_BYTES] = {0};
    struct zti_bit_writer w = zti_bit_writer_at(head);
    zt_status status = ZT_OK;
    if (!out || !out_bytes)
        status = zti_fail(context, ZT_BAD_ARG, "no place for the stream given");
    if (status == ZT_OK)
        status = zti_check_memory(context, out, "the output buffer");
    if (status == ZT_OK)
        status = zti_bare_zfp_refuse_nonfinite(context, array, zfp_of(coding));
    if (status == ZT_OK && zfp->flags & ZT_ZFP_HEADER)
        status = zti_zfp_encode_file_header(context, zfp_of(coding), array, &w);
    if (status != ZT_OK)
        return status;
    *header_bits = zti_bits_written(&w);
    const size_t header_bytes = (size_t)((*header_bits + 7) / 8);
    if (header_bytes > out_capacity_bytes)
        return zti_fail(context, ZT_NO_SPACE, "the output buffer has no room for zfp's header");
    uint64_t end_bits = 0;
    status = zti_copy_bytes(context, out, head, header_bytes);
    if (status == ZT_OK)
        status = zti_exec_encode(context, coding, array, out, out_capacity_bytes, *header_bits,
                                 &end_bits, NULL, starts);
    if (status == ZT_OK)
        *out_bytes = (size_t)(end_bits / 8);
    return status;
}

zt_status zt_zfp_compress(zt_context *context, const zt_array *given, const zt_zfp *zfp, void *out,
                          size_t out_capacity_bytes, size_t *out_bytes)
{
    struct zti_coding coding;
    uint64_t header_bits;
    struct zti_array array;
    zt_status status = zti_array_check(context, given, ZTI_TO_READ, &array);
    if (status == ZT_OK)
        status = zti_bare_zfp_coding(context, &array, zfp, &coding);
    return status == ZT_OK ? zti_bare_zfp_encode(context, &array, zfp, &coding, out,
                                                 out_capacity_bytes, out_bytes, NULL, &header_bits)
                           : status;
}

/* Read the header of a stream, which may be in a GPU's memory. */
static zt_status read_header(zt_context *context, const void *data, size_t data_bytes,
                             struct zti_zfp *zfp, struct zti_array *array, uint32_t *header_bits)
{
    struct zti_mirror head;
    const size_t most = ZTI_ZFP_HEADER_MAX_BITS / 8 + 1;
    zt_status status =
        zti_mirror_open_bytes(context, data, data_bytes < most ? data_bytes : most, &head);
    if (status == ZT_OK)
        status = zti_zfp_decode_file_header(context, head.bytes,
                                            head.own && data_bytes > most ? most : data_bytes, zfp,
                                            array, header_bits);
    zti_mirror_close(&head);
    return status;
}

zt_status zt_zfp_read_header(zt_context *context, const void *data, size_t data_bytes, zt_zfp *zfp,
                             zt_array *array, uint32_t *header_bits)
{
    struct zti_zfp z;
    struct zti_array found;
    uint32_t bits;
    zt_status status = zti_zfp_check(context, zfp, &z);
    if (status != ZT_OK)
        return status;
    if (!data || !array)
        return zti_fail(context, ZT_BAD_ARG, "no stream, or no place for what its header says");
    status = zti_check_memory(context, data, "the stream");
    if (status == ZT_OK)
        status = read_header(context, data, data_bytes, &z, &found, &bits);
    if (status != ZT_OK)
        return status;
    *array = zt_array_nd(NULL, (zt_type)found.type, found.rank, found.shape);
    zfp->minbits = z.minbits;
    zfp->maxbits = z.maxbits;
    zfp->maxprec = z.maxprec;
    zfp->minexp = z.minexp;
    if (header_bits)
        *header_bits = bits;
    return ZT_OK;
}

zt_status zti_bare_zfp_open(zt_context *context, const void *data, size_t data_bytes,
                            const zt_zfp *zfp, const struct zti_array *array,
                            struct zti_coding *coding, uint32_t *header_bits)
{
    struct zti_array found;
    zt_status status = zti_bare_zfp_coding(context, array, zfp, coding);
    *header_bits = 0;
    if (status == ZT_OK && !data)
        status = zti_fail(context, ZT_BAD_ARG, "no stream given");
    if (status == ZT_OK)
        status = zti_check_memory(context, data, "the stream");
    if (status != ZT_OK || !(zfp->flags & ZT_ZFP_HEADER))
        return status;
    status = read_header(context, data, data_bytes, zfp_in(coding), &found, header_bits);
    if (status == ZT_OK && !zti_array_is_of(&found, array->type, array->rank, array->shape))
        status = zti_fail(context, ZT_BAD_ARG,
                          "the zfp header names another type or shape than the array has");
    if (status == ZT_OK)
        status = zti_zfp_check_decodable(context, zfp_of(coding), array->type, false);
    return status;
}

size_t zti_bare_zfp_consumed(const struct zti_coding *coding, uint64_t end_bits, size_t data_bytes)
{
    const uint64_t bytes = zti_round_up(end_bits, zfp_of(coding)->word_bits) / 8;
    return bytes < data_bytes ? (size_t)bytes : data_bytes;
}

zt_status zt_zfp_decompress(zt_context *context, const void *data, size_t data_bytes,
                            const zt_zfp *zfp, const zt_array *out, size_t *consumed_bytes)
{
    return zt_zfp_decompress_indexed(context, data, data_bytes, zfp, NULL, out, consumed_bytes);
}
