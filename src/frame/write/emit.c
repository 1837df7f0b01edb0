/* emit.c: the last stage: writes header, payload and tail of a frame, and after the last one the
 * seek table, to a sink or into the caller's memory.
 *
 * In memory, a payload is coded where it will stay. The header's length depends on numbers that are
 * known only afterwards, so it is guessed from their maxima. Lengths are multiples of 64 bytes, so
 * a wrong guess is rare; it costs one memmove, or in a store reading and writing once more. The
 * bytes never depend on where they go. */
#include "array/memory.h"
#include "frame/write/stages.h"

#include <inttypes.h>

void zti_output_free(zt_context *context, struct zti_output *o)
{
    zti_buffer_free(context, &o->tail);
    zti_table_free(context, &o->table);
}

/* Return ZT_NO_SPACE, with its message in the context. */
static zt_status fail_for_space(zt_context *context, const struct zti_output *o)
{
    return zti_fail(context, ZT_NO_SPACE,
                    "the output buffer of %zu bytes is too small; zt_compress_bound says what "
                    "suffices",
                    o->memory_bytes);
}

zt_status zti_sink_check(zt_context *context, const zt_sink *sink)
{
    if (!sink || !sink->write || sink->reserved[0])
        return zti_fail(context, ZT_BAD_ARG,
                        "no sink with a write function and a reserved word of 0");
    return ZT_OK;
}

static bool is_memory(const struct zti_output *o)
{
    return !zti_output_is_written(o) && !o->is_on_device;
}

uint64_t zti_payload_at_most(uint64_t before, const struct zti_frame *f, uint64_t most_bytes)
{
    struct zti_frame largest = *f;
    uint8_t header[ZTI_HEADER_STORED_BYTES];
    zti_frame_set_largest(&largest, most_bytes);
    return zti_frame_at(before) + zti_header_store(&largest, header);
}

uint8_t *zti_output_room(const struct zti_output *o, const struct zti_frame *f, size_t capacity,
                         size_t *room_bytes)
{
    if (zti_output_is_written(o))
        return NULL;
    const uint64_t at = zti_payload_at_most(o->at, f, capacity);
    if (at > o->memory_bytes || o->memory_bytes - at < capacity)
        return NULL;
    *room_bytes = o->memory_bytes - (size_t)at;
    return o->memory + at;
}

zt_status zti_store_check(zt_context *context, const zt_store *store)
{
    if (!store || !store->write || !store->read != !store->cut || store->reserved[0] ||
        store->reserved[1])
        return zti_fail(context, ZT_BAD_ARG,
                        "no store with functions to write and, both or none, to read and to cut, "
                        "and reserved words of 0");
    return ZT_OK;
}

zt_status zti_output_write_at(zt_context *context, struct zti_output *o, uint64_t at,
                              const uint8_t *bytes, size_t n)
{
    if (n > 0 && o->store.write(o->store.user, at, bytes, n) != 0)
        return zti_fail(context, ZT_IO, "writing %zu bytes at byte %" PRIu64 " failed", n, at);
    if (at + n > o->end)
        o->end = at + n;
    return ZT_OK;
}

zt_status zti_output_read_at(zt_context *context, const struct zti_output *o, uint64_t at,
                             uint8_t *bytes, size_t n)
{
    if (o->store.read(o->store.user, at, bytes, n) != 0)
        return zti_fail(context, ZT_IO, "reading back %zu bytes at byte %" PRIu64 " failed", n, at);
    return ZT_OK;
}

/* Append to the sink, the store or the GPU's memory. */
static zt_status write_out(zt_context *context, struct zti_output *o, const uint8_t *bytes,
                           size_t n)
{
    if (o->is_on_device) {
        if (n > o->memory_bytes - o->at)
            return fail_for_space(context, o);
        const zt_status status = zti_copy_bytes(context, o->memory + o->at, bytes, n);
        o->at += n;
        return status;
    }
    if (zti_output_is_store(o)) {
        const zt_status status = zti_output_write_at(context, o, o->at, bytes, n);
        o->at += n;
        return status;
    }
    if (n > 0 && o->sink.write(o->sink.user, bytes, n) != 0)
        return zti_fail(context, ZT_IO, "writing %zu bytes at byte %" PRIu64 " failed", n, o->at);
    o->at += n;
    return ZT_OK;
}

/* Write padding, header, payload, gap and tail to the sink, the store or the GPU's memory. A
 * payload whose checksums parts->sums has was written before. */
static zt_status emit_in_order(zt_context *context, struct zti_output *o, const struct zti_frame *f,
                               const uint8_t *header, const uint8_t *payload,
                               const struct zti_tail_parts *parts)
{
    uint8_t front[ZTI_FRAME_ALIGN_BYTES + ZTI_HEADER_STORED_BYTES];
    const size_t pad = (size_t)(zti_frame_at(o->at) - o->at);
    memset(front, 0, pad);
    memcpy(front + pad, header, f->header_bytes);
    zt_status status = zti_buffer_reserve(context, &o->tail, ZTI_GAP_BYTES + f->tail_bytes, 0);
    if (status)
        return status;
    memset(o->tail.bytes, 0, ZTI_GAP_BYTES);
    zti_tail_store(context, f, payload, parts, o->tail.bytes + ZTI_GAP_BYTES);
    status = write_out(context, o, front, pad + f->header_bytes);
    if (parts->sums)
        o->at += f->payload_bytes;
    else if (!status)
        status = write_out(context, o, payload, (size_t)f->payload_bytes);
    if (!status)
        status = write_out(context, o, o->tail.bytes, (size_t)(ZTI_GAP_BYTES + f->tail_bytes));
    return status;
}

/* Write the same to memory, where the payload lies already, or is moved to its place. */
static zt_status emit_to_memory(zt_context *context, struct zti_output *o,
                                const struct zti_frame *f, const uint8_t *header,
                                const uint8_t *payload, const struct zti_tail_parts *parts)
{
    const size_t at = (size_t)zti_frame_at(o->at);
    const uint64_t end = at + zti_frame_bytes(f);
    if (end > o->memory_bytes)
        return fail_for_space(context, o);
    uint8_t *const place = o->memory + zti_payload_at(o->at, f);
    if (payload != place)
        memmove(place, payload, (size_t)f->payload_bytes);
    memset(o->memory + o->at, 0, at - (size_t)o->at);
    memcpy(o->memory + at, header, f->header_bytes);
    memset(place + f->payload_bytes, 0, ZTI_GAP_BYTES);
    zti_tail_store(context, f, place, parts, place + f->payload_bytes + ZTI_GAP_BYTES);
    o->at = end;
    return ZT_OK;
}

zt_status zti_emit(zt_context *context, struct zti_output *o, const struct zti_frame *f,
                   const uint8_t *payload, const struct zti_tail_parts *parts)
{
    uint8_t header[ZTI_HEADER_STORED_BYTES];
    (void)zti_header_store(f, header);
    const zt_status status = zti_table_add(context, &o->table, zti_frame_bytes(f), f->shape[0]);
    if (status)
        return status;
    o->special_values += f->special_values;
    o->counted_values += zti_counted_values(f);
    o->range = f->range;
    o->error += f->error * (double)zti_counted_values(f);
    return (is_memory(o) ? emit_to_memory : emit_in_order)(context, o, f, header, payload, parts);
}

zt_status zti_emit_table(zt_context *context, struct zti_output *o)
{
    const uint64_t bytes = zti_table_bytes(&o->table);
    if (is_memory(o)) {
        if (bytes > o->memory_bytes - o->at)
            return fail_for_space(context, o);
        zti_table_store(&o->table, o->memory + o->at);
        o->at += bytes;
        return ZT_OK;
    }
    zt_status status = zti_buffer_reserve(context, &o->tail, bytes, 0);
    if (status)
        return status;
    zti_table_store(&o->table, o->tail.bytes);
    status = write_out(context, o, o->tail.bytes, (size_t)bytes);
    if (!status && o->end > o->at && o->store.cut(o->store.user, o->at) != 0)
        status = zti_fail(context, ZT_IO, "the file cannot be cut to %" PRIu64 " bytes", o->at);
    if (!status && ((o->sink.sync && o->sink.sync(o->sink.user) != 0) ||
                    (o->store.sync && o->store.sync(o->store.user) != 0)))
        status = zti_fail(context, ZT_IO, "the sink cannot make what it was given durable");
    return status;
}
