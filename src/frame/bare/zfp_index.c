/* zfp_index.c: indexes of bare zfp streams. They are made while coding, by a scan or while
 * decoding, and used to decode a stream or a box of it, from memory or from a source. */
#include "frame/bare/zfp.h"

#include "array/memory.h"
#include "core/core.h"
#include "exec/exec.h"
#include "frame/bare/box.h"
#include "frame/bare/index_file.h"
#include "frame/write/stages.h"

#include <inttypes.h>

/* ---- the caller's index ---- */

zt_status zt_zfp_index_init(zt_zfp_index *index, size_t index_struct_bytes)
{
    if (!index || index_struct_bytes < sizeof *index || index_struct_bytes > UINT32_MAX)
        return ZT_BAD_ARG;
    memset(index, 0, index_struct_bytes);
    index->struct_bytes = (uint32_t)index_struct_bytes;
    index->kind = ZT_INDEX_COMPACT;
    return ZT_OK;
}

static zt_status check_struct(zt_context *context, const zt_zfp_index *index)
{
    if (!index || index->struct_bytes < sizeof *index)
        return zti_fail(context, ZT_BAD_ARG,
                        "the index is missing or was not set up by zt_zfp_index_init");
    bool is_known = index->reserved[0] == 0 && index->reserved[1] == 0;
    for (size_t i = sizeof *index; is_known && i < index->struct_bytes; i++)
        is_known = ((const uint8_t *)index)[i] == 0;
    if (!is_known)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "fields of zt_zfp_index of a later version are set; use its library");
    if (index->index_bytes > 0 && !index->bytes)
        return zti_fail(context, ZT_BAD_ARG, "the index has %zu bytes at no place",
                        index->index_bytes);
    return ZT_OK;
}

/* The layout that the caller asks for. */
static zt_status layout_of(zt_context *context, const zt_zfp_index *index,
                           const struct zti_coding *coding, struct zti_index_layout *layout)
{
    zt_params params, known;
    zt_status status = check_struct(context, index);
    if (status != ZT_OK)
        return status;
    if (index->kind == ZT_INDEX_NONE)
        return zti_fail(context, ZT_BAD_ARG, "no kind of index is asked for");
    (void)zt_params_init(&params, sizeof params);
    params.index = index->kind;
    params.index_chunk = index->chunk;
    params.index_partition = index->partition;
    status = zti_params_load(context, &params, &known);
    if (status == ZT_OK)
        *layout = zti_layout_of(&known, coding);
    return status;
}

static uint64_t bytes_max(const struct zti_coding *coding, const struct zti_index_layout *layout)
{
    const uint64_t chunks = zti_index_chunks(coding->grid.count, layout->chunk_tiles);
    return ZTI_INDEX_FILE_MOST_BYTES + zti_index_bytes_max(layout, chunks);
}

zt_status zt_zfp_index_bound(zt_context *context, const zt_array *given, const zt_zfp *zfp,
                             const zt_zfp_index *index, size_t *capacity_bytes)
{
    struct zti_coding coding;
    struct zti_array array;
    struct zti_index_layout layout;
    zt_status status = zti_array_check(context, given, ZTI_SHAPE_ONLY, &array);
    if (status == ZT_OK)
        status = zti_bare_zfp_coding(context, &array, zfp, &coding);
    if (status == ZT_OK)
        status = layout_of(context, index, &coding, &layout);
    if (status != ZT_OK)
        return status;
    const uint64_t bytes = bytes_max(&coding, &layout);
    if (!capacity_bytes || bytes > SIZE_MAX)
        return zti_fail(context, ZT_BAD_ARG,
                        capacity_bytes ? "the index could take more than this machine's address "
                                         "space; use larger chunks"
                                       : "no place for the capacity given");
    *capacity_bytes = (size_t)bytes;
    return ZT_OK;
}

/* ---- making an index ---- */

/* An index while its chunks are found; starts.list NULL: none is made. */
struct maker {
    struct zti_index_layout layout;
    struct zti_starts starts;
};

/* Allocate the starts for an index of a coding's stream; none at fixed rate. */
static zt_status begin(zt_context *context, const struct zti_coding *coding, zt_zfp_index *index,
                       struct maker *m)
{
    uint64_t bytes;
    *m = (struct maker){.starts = {.list = NULL}};
    zt_status status = layout_of(context, index, coding, &m->layout);
    if (status != ZT_OK)
        return status;
    index->index_bytes = 0;
    if (zti_fixed_bits(coding) > 0)
        return ZT_OK;
    const uint64_t most = bytes_max(coding, &m->layout);
    if (!index->bytes || index->capacity_bytes < most)
        return zti_fail(context, ZT_NO_SPACE,
                        "the index may take %" PRIu64 " bytes, of which %zu are there; "
                        "zt_zfp_index_bound says what suffices",
                        most, index->bytes ? index->capacity_bytes : 0);
    m->starts.chunk_tiles = m->layout.chunk_tiles;
    const uint64_t chunks = zti_index_chunks(coding->grid.count, m->layout.chunk_tiles);
    if (zti_mul(chunks + 1, sizeof *m->starts.list, &bytes) && bytes <= SIZE_MAX)
        m->starts.list = zti_alloc(context, (size_t)bytes);
    return m->starts.list
               ? ZT_OK
               : zti_fail(context, ZT_NO_MEMORY,
                          "no memory for the places of %" PRIu64 " chunks; use larger ones",
                          chunks);
}

/* Store the index of a stream whose chunks were found, and free what begin allocated. */
static zt_status end(zt_context *context, const struct zti_coding *coding, const void *stream,
                     size_t stream_bytes, uint64_t start_bits, struct maker *m, zt_status status,
                     zt_zfp_index *index)
{
    if (status == ZT_OK && m->starts.list) {
        struct zti_input input;
        struct zti_buffer ends = {.bytes = NULL};
        const uint64_t chunks = zti_index_chunks(coding->grid.count, m->layout.chunk_tiles);
        struct zti_index_file f = {.codec = coding->codec->id,
                                   .stream_bytes = stream_bytes,
                                   .start_bits = start_bits,
                                   .tiles = coding->grid.count,
                                   .tile_bits = m->starts.list[chunks]};
        status = zti_input_open(context, stream, stream_bytes, "the stream", &input);
        if (status == ZT_OK)
            status = zti_index_file_hash(&input, &ends, &f);
        zti_buffer_free(context, &ends);
        if (status == ZT_OK)
            index->index_bytes = zti_index_file_store(&f, &m->layout, m->starts.list, index->bytes);
    }
    zti_release(context, m->starts.list);
    return status;
}

/* The coding that a reader of the stream will find: zfp's header stores 0 for minbits and maxbits
 * as 1. */
static struct zti_coding as_read(const struct zti_coding *coding, const zt_zfp *zfp)
{
    struct zti_coding read = *coding;
    if (zfp->flags & ZT_ZFP_HEADER) {
        zfp_in(&read)->minbits += zfp_of(&read)->minbits == 0;
        zfp_in(&read)->maxbits += zfp_of(&read)->maxbits == 0;
    }
    return read;
}

zt_status zt_zfp_compress_indexed(zt_context *context, const zt_array *given, const zt_zfp *zfp,
                                  void *out, size_t out_capacity_bytes, size_t *out_bytes,
                                  zt_zfp_index *index)
{
    struct zti_coding coding;
    struct zti_array array;
    struct maker m;
    uint64_t header_bits = 0;
    zt_status status = zti_array_check(context, given, ZTI_TO_READ, &array);
    if (status == ZT_OK)
        status = zti_bare_zfp_coding(context, &array, zfp, &coding);
    if (status != ZT_OK)
        return status;
    const struct zti_coding read = as_read(&coding, zfp);
    status = begin(context, &read, index, &m);
    if (status != ZT_OK)
        return status;
    status = zti_bare_zfp_encode(context, &array, zfp, &coding, out, out_capacity_bytes, out_bytes,
                                 m.starts.list ? &m.starts : NULL, &header_bits);
    return end(context, &coding, out, status == ZT_OK ? *out_bytes : 0, header_bits, &m, status,
               index);
}

zt_status zt_zfp_index_build(zt_context *context, const void *stream, size_t stream_bytes,
                             const zt_zfp *zfp, const zt_array *given, zt_zfp_index *index)
{
    struct zti_coding coding;
    struct zti_array array;
    struct maker m;
    uint32_t header_bits;
    uint64_t end_bits;
    zt_status status = zti_array_check(context, given, ZTI_SHAPE_ONLY, &array);
    if (status == ZT_OK)
        status =
            zti_bare_zfp_open(context, stream, stream_bytes, zfp, &array, &coding, &header_bits);
    if (status == ZT_OK)
        status = begin(context, &coding, index, &m);
    if (status != ZT_OK)
        return status;
    if (m.starts.list)
        status = zti_exec_scan(context, &coding, stream, stream_bytes, header_bits, &m.starts,
                               &end_bits);
    return end(context, &coding, stream, stream_bytes, header_bits, &m, status, index);
}

/* ---- a stream and its index, opened ---- */

struct opened {
    struct zti_input input;
    struct zti_buffer buffer;
    struct zti_coding coding;
    uint32_t header_bits;
    uint64_t tile_bits; /* of all tiles, as the index says */
    struct zti_index own;
    const struct zti_index *index; /* NULL: none */
};

static void close_stream(struct opened *s)
{
    zti_buffer_free(s->input.context, &s->buffer);
    zti_index_close(s->input.context, &s->own);
}

/* Open the index of a stream whose coding is known, and check it, unless decoding 'view' (may be
 * NULL) will. */
static zt_status open_index(struct opened *s, const zt_zfp_index *index,
                            const struct zti_view *view)
{
    zt_context *const context = s->input.context;
    struct zti_index_file file, stream = {.codec = s->coding.codec->id,
                                          .stream_bytes = s->input.bytes,
                                          .start_bits = s->header_bits,
                                          .tiles = s->coding.grid.count};
    zt_status status = zti_index_file_parse(context, index->bytes, index->index_bytes, &file);
    if (status == ZT_OK)
        status = zti_index_file_hash(&s->input, &s->buffer, &stream);
    if (status == ZT_OK)
        status = zti_index_file_compare(context, &file, &stream);
    if (status == ZT_OK)
        status = zti_index_open(context, file.index, file.index_bytes, file.tiles, file.tile_bits,
                                &s->own);
    if (status == ZT_OK &&
        !(view && zti_exec_checks_index(context, &s->coding, &s->own, view, NULL)))
        status = zti_index_check(context, &s->own);
    if (status == ZT_OK)
        s->index = &s->own;
    s->tile_bits = file.tile_bits;
    return status;
}

/* Open a stream, and its index if there is one; view as for open_index. The caller calls
 * close_stream, also on failure. */
static zt_status open_stream(struct opened *s, const struct zti_input *input, const zt_zfp *zfp,
                             const struct zti_array *array, const zt_zfp_index *index,
                             const struct zti_view *view)
{
    const uint64_t head_bytes =
        input->bytes < ZTI_INDEX_FILE_END_BYTES ? input->bytes : ZTI_INDEX_FILE_END_BYTES;
    const uint8_t *head;
    memset(s, 0, sizeof *s);
    s->input = *input;
    zt_status status = index ? check_struct(input->context, index) : ZT_OK;
    if (status == ZT_OK)
        status = zti_input_view(&s->input, 0, head_bytes, &s->buffer, &head);
    if (status == ZT_OK)
        status = zti_bare_zfp_open(input->context, head, (size_t)head_bytes, zfp, array, &s->coding,
                                   &s->header_bits);
    return status == ZT_OK && index && index->index_bytes > 0 ? open_index(s, index, view) : status;
}

static zt_status memory_input(zt_context *context, const void *data, size_t data_bytes,
                              struct zti_input *input)
{
    return data ? zti_input_open(context, data, data_bytes, "the stream", input)
                : zti_fail(context, ZT_BAD_ARG, "no stream given");
}

/* ZT_BAD_ARG unless an index is there. */
static zt_status check_present(zt_context *context, const zt_zfp_index *index)
{
    const zt_status status = index ? check_struct(context, index) : ZT_OK;
    return status != ZT_OK || (index && index->index_bytes > 0)
               ? status
               : zti_fail(context, ZT_BAD_ARG, "no index given");
}

zt_status zt_zfp_index_describe(zt_context *context, zt_zfp_index *index)
{
    struct zti_index_file file;
    struct zti_index opened = {.sums = NULL};
    zt_status status = check_present(context, index);
    if (status == ZT_OK)
        status = zti_index_file_parse(context, index->bytes, index->index_bytes, &file);
    if (status == ZT_OK)
        status = zti_index_open(context, file.index, file.index_bytes, file.tiles, file.tile_bits,
                                &opened);
    if (status == ZT_OK) {
        index->kind = opened.layout.kind;
        index->chunk = opened.layout.chunk_tiles;
        index->partition = opened.layout.partition;
    }
    zti_index_close(context, &opened);
    return status;
}

zt_status zt_zfp_index_check(zt_context *context, const void *stream, size_t stream_bytes,
                             const zt_zfp *zfp, const zt_array *given, const zt_zfp_index *index)
{
    struct zti_input input;
    struct zti_array array;
    struct opened s;
    zt_status status = memory_input(context, stream, stream_bytes, &input);
    if (status == ZT_OK)
        status = zti_array_check(context, given, ZTI_SHAPE_ONLY, &array);
    if (status == ZT_OK)
        status = check_present(context, index);
    if (status != ZT_OK)
        return status;
    status = open_stream(&s, &input, zfp, &array, index, NULL);
    close_stream(&s);
    return status;
}

/* ---- decoding ---- */

/* Decode a stream with its index. */
static zt_status decode_by(zt_context *context, const void *data, size_t data_bytes,
                           const zt_zfp *zfp, const zt_zfp_index *index,
                           const struct zti_array *out, struct zti_coding *coding,
                           uint64_t *end_bits)
{
    struct zti_input input;
    struct opened s;
    const struct zti_view view = zti_view_whole(out);
    zt_status status = memory_input(context, data, data_bytes, &input);
    if (status != ZT_OK)
        return status;
    status = open_stream(&s, &input, zfp, out, index, &view);
    if (status == ZT_OK)
        status = zti_exec_decode(context, &s.coding, data, data_bytes, s.header_bits, s.index,
                                 &view, end_bits);
    if (status == ZT_OK && *end_bits - s.header_bits != s.tile_bits)
        status = zti_fail(context, ZT_CORRUPT,
                          "the index is not this stream's: the last chunk ends elsewhere");
    *coding = s.coding;
    close_stream(&s);
    return status;
}

/* Decode a stream without an index, and make one if index is not NULL. */
static zt_status decode_without(zt_context *context, const void *data, size_t data_bytes,
                                const zt_zfp *zfp, zt_zfp_index *index, const struct zti_array *out,
                                struct zti_coding *coding, uint64_t *end_bits)
{
    struct maker m = {.starts = {.list = NULL}};
    uint32_t header_bits;
    const struct zti_view view = zti_view_whole(out);
    zt_status status = zti_bare_zfp_open(context, data, data_bytes, zfp, out, coding, &header_bits);
    if (status == ZT_OK && index)
        status = begin(context, coding, index, &m);
    if (status != ZT_OK)
        return status;
    status = m.starts.list ? zti_exec_decode_noting(context, coding, data, data_bytes, header_bits,
                                                    &view, &m.starts, end_bits)
                           : zti_exec_decode(context, coding, data, data_bytes, header_bits, NULL,
                                             &view, end_bits);
    return end(context, coding, data, data_bytes, header_bits, &m, status, index);
}

static zt_status decompress(zt_context *context, const void *data, size_t data_bytes,
                            const zt_zfp *zfp, const zt_zfp_index *by, zt_zfp_index *noted,
                            const zt_array *given, size_t *consumed_bytes)
{
    struct zti_coding coding;
    struct zti_array out;
    uint64_t end_bits = 0;
    zt_status status = zti_array_check(context, given, ZTI_TO_WRITE, &out);
    if (status == ZT_OK && (by || noted))
        status = check_struct(context, by ? by : noted);
    if (status != ZT_OK)
        return status;
    if (by && by->index_bytes > 0)
        status = decode_by(context, data, data_bytes, zfp, by, &out, &coding, &end_bits);
    else
        status = decode_without(context, data, data_bytes, zfp, noted, &out, &coding, &end_bits);
    if (status == ZT_OK && consumed_bytes)
        *consumed_bytes = zti_bare_zfp_consumed(&coding, end_bits, data_bytes);
    return status;
}

zt_status zt_zfp_decompress_indexed(zt_context *context, const void *data, size_t data_bytes,
                                    const zt_zfp *zfp, const zt_zfp_index *index,
                                    const zt_array *given, size_t *consumed_bytes)
{
    return decompress(context, data, data_bytes, zfp, index, NULL, given, consumed_bytes);
}

zt_status zt_zfp_decompress_and_index(zt_context *context, const void *data, size_t data_bytes,
                                      const zt_zfp *zfp, zt_zfp_index *index, const zt_array *given,
                                      size_t *consumed_bytes)
{
    if (!index)
        return zti_fail(context, ZT_BAD_ARG, "there is no place for the index");
    return decompress(context, data, data_bytes, zfp, NULL, index, given, consumed_bytes);
}

/* ---- boxes ---- */

/* Read the parts of a stream that decoding a view needs; *data is where the stream begins. Bytes
 * that are not read are zero. */
static zt_status load(struct opened *s, const struct zti_view *view, const uint8_t **data)
{
    struct zti_extents extents =
        zti_exec_extents(&s->coding, s->index, view, NULL, s->header_bits, s->input.bytes);
    uint64_t first, last, done = 0;
    zt_status status = ZT_OK;
    if (s->input.memory || s->input.device) {
        *data = s->input.memory ? s->input.memory : s->input.device;
        return ZT_OK;
    }
    zti_buffer_free(s->input.context, &s->buffer);
    status = zti_buffer_reserve_zeroed(s->input.context, &s->buffer, s->input.bytes + 1);
    *data = s->buffer.bytes;
    while (status == ZT_OK && zti_extents_next(&extents, &first, &last)) {
        if (first < done) /* extents ascend: bytes before 'done' were read */
            first = done;
        if (first >= last)
            continue;
        status = zti_input_read(&s->input, first, (size_t)(last - first), s->buffer.bytes + first);
        done = last;
    }
    return status;
}

static zt_status decode_box(const struct zti_input *input, const zt_zfp *zfp,
                            const zt_zfp_index *index, const zt_array *given_whole,
                            const zt_box *box, const zt_array *given)
{
    zt_context *const context = input->context;
    struct opened s;
    struct zti_array whole;
    struct zti_view view;
    const uint8_t *data;
    uint64_t end_bits;
    zt_status status = zti_array_check(context, given_whole, ZTI_SHAPE_ONLY, &whole);
    if (status == ZT_OK)
        status = zti_bare_box_check(context, &whole, box, given, ZTI_TO_WRITE, &view);
    if (status != ZT_OK)
        return status;
    status = open_stream(&s, input, zfp, &whole, index, &view);
    if (status == ZT_OK)
        status = load(&s, &view, &data);
    if (status == ZT_OK)
        status = zti_exec_decode(context, &s.coding, data, (size_t)input->bytes, s.header_bits,
                                 s.index, &view, &end_bits);
    close_stream(&s);
    return status;
}

zt_status zt_zfp_decompress_box(zt_context *context, const void *data, size_t data_bytes,
                                const zt_zfp *zfp, const zt_zfp_index *index, const zt_array *whole,
                                const zt_box *box, const zt_array *out)
{
    struct zti_input input;
    const zt_status status = memory_input(context, data, data_bytes, &input);
    return status == ZT_OK ? decode_box(&input, zfp, index, whole, box, out) : status;
}

zt_status zt_zfp_read_box(zt_context *context, const zt_source *source, const zt_zfp *zfp,
                          const zt_zfp_index *index, const zt_array *whole, const zt_box *box,
                          const zt_array *out)
{
    struct zti_input input;
    const zt_status status = zti_input_of_source(context, source, &input);
    return status == ZT_OK ? decode_box(&input, zfp, index, whole, box, out) : status;
}
