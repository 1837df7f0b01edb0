/* reindex.c: zt_replace_index: copies a .zt file with another index in each frame. Payloads, exact
 * and special values stay as they are; tiles are parsed to find where chunks begin. */
#include "frame/read/reader.h"
#include "frame/write/stages.h"

#include <inttypes.h>

struct copy {
    struct zt_reader reader;
    struct zti_output output;
    zt_params params;         /* with the wanted index */
    struct zti_buffer exact;  /* of the current frame, struct zti_miss */
    struct zti_buffer starts; /* of its chunks, uint64_t */
};

/* Load the exact values of a frame as a list, as the encoder has them. */
static zt_status read_exact(struct copy *c, const struct zti_frame *f, const struct zti_tail *tail)
{
    struct zti_cursor cursor = {.at = tail->positions, .end = tail->values};
    const size_t value_bytes = zt_type_bytes(f->type);
    uint64_t bytes, next = 0; /* the position after the value before */
    if (f->exact_values == 0)
        return ZT_OK;
    if (!zti_mul(f->exact_values, sizeof(struct zti_miss), &bytes))
        return zti_fail(c->reader.context, ZT_NO_MEMORY, "no memory for %" PRIu64 " exact values",
                        f->exact_values);
    const zt_status status = zti_buffer_reserve(c->reader.context, &c->exact, bytes, 0);
    struct zti_miss *const list = (struct zti_miss *)(void *)c->exact.bytes;
    for (uint64_t i = 0; status == ZT_OK && i < f->exact_values; i++) {
        list[i].at = next + zti_get_varint(&cursor);
        list[i].bits = zti_get_value(tail->values + i * value_bytes, value_bytes);
        next = list[i].at + 1;
    }
    return status;
}

/* ZT_CORRUPT unless the frame's present index, or the codec's table of ends, agrees with its
 * tiles. */
static zt_status check_chunks(struct copy *c, const struct zti_frame *was,
                              const struct zti_coding *coding, const struct zti_tail *tail,
                              const uint8_t *payload)
{
    zt_context *const context = c->reader.context;
    struct zti_index opened = {.sums = NULL}, *index = NULL;
    zt_status status = zti_load_index(&c->reader, was, tail, payload, &opened, &index);
    if (!status && index)
        status = zti_index_check(context, index);
    if (!status && index)
        status = zti_exec_check(context, coding, payload, (size_t)was->payload_bytes,
                                zti_head_bytes(coding) * 8, index);
    zti_index_close(context, &opened);
    return status;
}

/* Find where chunks begin in a payload; sets index_bytes. */
static zt_status find_chunks(struct copy *c, uint64_t number, const struct zti_coding *coding,
                             struct zti_frame *f, const uint8_t *payload)
{
    struct zti_starts starts = {.list = NULL};
    uint64_t end_bits = 0;
    zt_status status = zti_starts_room(c->reader.context, f, &c->starts, &starts);
    if (!status)
        status = zti_exec_scan(c->reader.context, coding, payload, (size_t)f->payload_bytes,
                               zti_head_bytes(coding) * 8, &starts, &end_bits);
    if (!status)
        status = zti_check_end(&c->reader, number, f, end_bits);
    if (!status)
        zti_set_index(&c->params, f, &starts);
    return status;
}

/* Check a frame's present index, and make the new one. */
static zt_status replace(struct copy *c, uint64_t number, struct zti_frame *f,
                         const struct zti_tail *tail, const uint8_t *payload)
{
    zt_context *const context = c->reader.context;
    struct zti_coding coding = f->coding; /* with what is learnt from the head */
    zt_status status = zti_decode_head(context, &coding, payload);
    if (!status)
        status = check_chunks(c, f, &coding, tail, payload);
    f->index_bytes = 0;
    zti_choose_index(&c->params, f);
    if (!status && f->index.kind != ZT_INDEX_NONE)
        status = find_chunks(c, number, &coding, f, payload);
    zti_forget(context, &coding);
    return status;
}

static zt_status copy_frame(struct copy *c, uint64_t number)
{
    struct zt_reader *const r = &c->reader;
    const uint8_t *payload;
    struct zti_frame f;
    struct zti_tail tail;
    zt_status status = zti_load_header(r, number, &f);
    if (status)
        return status;
    const uint64_t at = r->places[number].at + f.header_bytes;
    status = zti_load_tail(r, number, &f, at + f.payload_bytes, &tail);
    if (!status)
        status = zti_input_view(&r->input, at, f.payload_bytes, &r->payload, &payload);
    if (!status)
        status = zti_checksums_verify(r->context, number, &f, &tail, payload, 0, f.payload_bytes);
    if (!status)
        status = zti_check_padding(r, number);
    if (!status)
        status = read_exact(c, &f, &tail);
    if (status)
        return status;
    status = replace(c, number, &f, &tail, payload);
    f.special_bytes = tail.special.body_bytes;
    const struct zti_tail_parts parts = {.exact =
                                             (const struct zti_miss *)(const void *)c->exact.bytes,
                                         .special = tail.special.body,
                                         .starts = (const uint64_t *)(const void *)c->starts.bytes};
    if (status)
        return status;
    zti_measure_frame(&c->params, &f, &parts);
    return zti_emit(r->context, &c->output, &f, payload, &parts);
}

/* Check params and sink. */
static zt_status set_up(struct copy *c, const zt_sink *sink, const zt_params *params)
{
    zt_status status = zti_params_load(c->reader.context, params, &c->params);
    if (!status)
        status = zti_sink_check(c->reader.context, sink);
    if (!status)
        c->output.sink = *sink;
    return status;
}

static zt_status copy_all(struct copy *c)
{
    zt_status status = ZT_OK;
    for (uint64_t i = 0; !status && i < c->reader.frames; i++)
        status = copy_frame(c, i);
    return status ? status : zti_emit_table(c->reader.context, &c->output);
}

zt_status zt_replace_index(zt_context *context, const zt_source *source, const zt_sink *sink,
                           zt_index_kind kind, uint32_t chunk, uint32_t partition)
{
    zt_params params;
    zt_params_init(&params, sizeof params);
    params.index = (uint32_t)kind;
    params.index_chunk = chunk;
    params.index_partition = partition;
    struct zti_input input;
    struct copy c;
    memset(&c, 0, sizeof c);
    zt_status status = zti_input_of_source(context, source, &input);
    if (status)
        return status;
    status = zti_reader_init(context, &input, &c.reader);
    if (!status)
        status = set_up(&c, sink, &params);
    if (!status)
        status = copy_all(&c);
    zti_buffer_free(context, &c.exact);
    zti_buffer_free(context, &c.starts);
    zti_output_free(context, &c.output);
    zti_reader_clear(&c.reader);
    return status;
}
