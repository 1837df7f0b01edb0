/* decompress.c: zt_decompress, zt_decompress_box and zt_inspect: a reader over the caller's memory.
 * Payloads are decoded where they are, in the memory of the host or of a GPU. */
#include "frame/read/reader.h"

static zt_status open_memory(zt_context *context, const void *data, size_t data_bytes,
                             struct zt_reader *reader)
{
    memset(reader, 0, sizeof *reader);
    reader->context = context;
    if (!data)
        return zti_fail(context, ZT_BAD_ARG, "no data");
    struct zti_input input;
    const zt_status status = zti_input_open(context, data, data_bytes, "the file", &input);
    return status ? status : zti_reader_init(context, &input, reader);
}

zt_status zt_decompress_box(zt_context *context, const void *data, size_t data_bytes,
                            const zt_box *box, const zt_array *out)
{
    struct zt_reader reader;
    zt_status status = open_memory(context, data, data_bytes, &reader);
    if (!status)
        status = zt_reader_read_box(&reader, box, out);
    zti_reader_clear(&reader);
    return status;
}

zt_status zt_decompress(zt_context *context, const void *data, size_t data_bytes,
                        const zt_array *out)
{
    struct zt_reader reader;
    zt_box box;
    memset(&box, 0, sizeof box);
    zt_status status = open_memory(context, data, data_bytes, &reader);
    if (!status) {
        zti_reader_shape(&reader, box.hi);
        status = zt_reader_read_box(&reader, &box, out);
    }
    zti_reader_clear(&reader);
    return status;
}

zt_status zt_inspect(zt_context *context, const void *data, size_t data_bytes, zt_info *info)
{
    zt_status status = zti_info_check(context, info);
    if (status)
        return status;
    struct zt_reader reader;
    status = open_memory(context, data, data_bytes, &reader);
    if (!status)
        status = zt_reader_info(&reader, info);
    zti_reader_clear(&reader);
    return status;
}
