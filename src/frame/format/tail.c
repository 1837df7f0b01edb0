/* tail.c: a frame's tail, stored and parsed: checksums of the payload, exact values that the codec
 * would have left beyond the bound, special values, the index, and a copy of header and head. The
 * bytes are described in format.h. */
#include "frame/format/format.h"

#include <inttypes.h>

/* The number that is stored for the position of exact value i. */
static uint64_t step_to(const struct zti_miss *list, uint64_t i)
{
    return i == 0 ? list[0].at : list[i].at - list[i - 1].at - 1;
}

static uint64_t side_body_bytes(uint32_t type, const struct zti_miss *list, uint64_t count)
{
    uint64_t bytes = 1 + count * zt_type_bytes(type);
    for (uint64_t i = 0; i < count; i++)
        bytes += zti_varint_bytes(step_to(list, i));
    return bytes;
}

static uint64_t index_section_bytes(const struct zti_frame *f)
{
    return f->index.kind == ZT_INDEX_NONE ? 0 : zti_section_bytes(f->index_bytes);
}

static uint64_t special_section_bytes(const struct zti_frame *f)
{
    return f->special_values == 0 ? 0 : zti_section_bytes(f->special_bytes);
}

/* Bytes of the payload's head in the copy; 0: it is too long. */
static uint64_t copied_bytes(const struct zti_frame *f)
{
    return zti_copied_bytes(f->payload_bytes, zti_head_bytes(&f->coding));
}

void zti_frame_measure(struct zti_frame *f, const struct zti_tail_parts *parts)
{
    struct zti_header_text text;
    struct zti_header_numbers numbers;
    zti_header_split(f, &text, &numbers);
    struct zti_lengths l = {.values_bytes =
                                zti_array_values(f->rank, f->shape) * zt_type_bytes(f->type),
                            .payload_bytes = f->payload_bytes,
                            .head_bytes = zti_head_bytes(&f->coding),
                            .sections_bytes = index_section_bytes(f) + special_section_bytes(f),
                            .header_rest_bytes = zti_header_rest_bytes(&text, &numbers)};
    if (f->exact_values > 0)
        l.sections_bytes +=
            zti_section_bytes(side_body_bytes(f->type, parts->exact, f->exact_values));
    zti_lengths_measure(&l);
    f->range_log2 = l.range_log2;
    f->tail_bytes = l.tail_bytes;
    f->header_bytes = l.header_bytes;
}

uint64_t zti_tail_bytes_max(const struct zti_frame *f)
{
    const uint64_t values = zti_array_values(f->rank, f->shape);
    const uint64_t value_bytes = zt_type_bytes(f->type) + zti_varint_bytes(values);
    uint64_t bytes = ZTI_HASH_BYTES +
                     zti_section_bytes(zti_checksums_body_bytes(f->payload_bytes, ZTI_RANGE_LOG2));
    if (f->exact_values > 0)
        bytes += zti_section_bytes(1 + f->exact_values * value_bytes);
    if (zti_has_copy(f->payload_bytes))
        bytes += zti_section_bytes(f->payload_bytes / ZTI_COPY_PART + ZTI_HEADER_STORED_BYTES);
    return bytes + index_section_bytes(f) + special_section_bytes(f);
}

static uint8_t *write_checksums(zt_context *context, uint8_t *at, const uint8_t *payload,
                                const uint8_t *sums, const struct zti_frame *f)
{
    const uint64_t bytes = zti_checksums_body_bytes(f->payload_bytes, f->range_log2);
    at = zti_put_section(at, ZTI_SECTION_CHECKSUMS, bytes);
    *at = (uint8_t)f->range_log2;
    if (sums)
        memcpy(at + 1, sums, (size_t)bytes - 1);
    else
        zti_checksums_make(context, payload, f->payload_bytes, f->range_log2, at + 1);
    return at + bytes;
}

static uint8_t *write_side(uint8_t *at, uint32_t type, const struct zti_miss *list, uint64_t count)
{
    size_t value_bytes = zt_type_bytes(type);
    at = zti_put_section(at, ZTI_SECTION_SIDE, side_body_bytes(type, list, count));
    *at++ = 0;
    for (uint64_t i = 0; i < count; i++)
        at = zti_put_varint(at, step_to(list, i));
    for (uint64_t i = 0; i < count; i++)
        at = zti_put_value(at, list[i].bits, value_bytes);
    return at;
}

void zti_tail_store(zt_context *context, const struct zti_frame *f, const uint8_t *payload,
                    const struct zti_tail_parts *parts, uint8_t *out)
{
    uint8_t *at = write_checksums(context, out, payload, parts->sums, f);
    if (f->exact_values > 0)
        at = write_side(at, f->type, parts->exact, f->exact_values);
    if (f->special_values > 0) {
        at = zti_put_section(at, ZTI_SECTION_SPECIAL, f->special_bytes);
        memcpy(at, parts->special, (size_t)f->special_bytes);
        at += f->special_bytes;
    }
    if (f->index.kind != ZT_INDEX_NONE) {
        at = zti_put_section(at, ZTI_SECTION_INDEX, f->index_bytes);
        zti_index_store(&f->index, parts->starts,
                        zti_index_chunks(f->coding.grid.count, f->index.chunk_tiles), at);
        at += f->index_bytes;
    }
    if (zti_has_copy(f->payload_bytes)) {
        uint8_t header[ZTI_HEADER_STORED_BYTES];
        const size_t head_bytes = (size_t)copied_bytes(f);
        const size_t header_bytes = zti_header_store(f, header);
        at = zti_put_section(at, ZTI_SECTION_COPY, head_bytes + header_bytes);
        memcpy(at, payload, head_bytes);
        memcpy(at + head_bytes, header, header_bytes);
        at += head_bytes + header_bytes;
    }
    zti_put_le64(at, zti_hash(out, (size_t)f->tail_bytes - ZTI_HASH_BYTES));
}

static zt_status parse_side(zt_context *context, uint64_t number, const struct zti_frame *frame,
                            const uint8_t *body, uint64_t body_bytes, struct zti_tail *tail)
{
    uint64_t count = frame->exact_values, value_bytes = zt_type_bytes(frame->type);
    if (body_bytes > 0 && body[0] != 0)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "frame %" PRIu64 " keeps exact values by method %u, which this version "
                        "does not know; use a later one",
                        number, body[0]);
    uint64_t values = zti_array_values(frame->rank, frame->shape), at = 0;
    bool is_good = count > 0 && body_bytes > 0 && count <= (body_bytes - 1) / (1 + value_bytes);
    if (is_good) {
        tail->positions = body + 1;
        tail->values = body + (body_bytes - count * value_bytes);
        struct zti_cursor c = {.at = tail->positions, .end = tail->values, .is_bad = false};
        for (uint64_t i = 0; i < count && is_good; i++) {
            uint64_t step = zti_get_varint(&c);
            is_good = !c.is_bad && step < values - at; /* at: the position after the value before */
            at += step + 1;
        }
        is_good = is_good && c.at == c.end;
    }
    if (!is_good)
        return zti_fail(context, ZT_CORRUPT,
                        "frame %" PRIu64 ": the side section does not hold %" PRIu64
                        " values of the frame",
                        number, count);
    return ZT_OK;
}

static zt_status parse_checksums(zt_context *context, uint64_t number,
                                 const struct zti_frame *frame, const uint8_t *body,
                                 uint64_t body_bytes, struct zti_tail *tail)
{
    const uint32_t log2 = body_bytes > 0 ? body[0] : 0;
    if (log2 < ZTI_RANGE_LEAST_LOG2 || log2 > ZTI_RANGE_MOST_LOG2 ||
        body_bytes != zti_checksums_body_bytes(frame->payload_bytes, log2))
        return zti_fail(context, ZT_CORRUPT,
                        "frame %" PRIu64 " does not have one checksum for each range of its "
                        "payload",
                        number);
    tail->range_log2 = log2;
    tail->checksums = body + 1;
    return ZT_OK;
}

static zt_status parse_section(zt_context *context, uint64_t number, const struct zti_frame *frame,
                               uint8_t type, const uint8_t *body, uint64_t body_bytes,
                               struct zti_buffer *map, struct zti_tail *tail)
{
    if ((type == ZTI_SECTION_CHECKSUMS && tail->checksums) ||
        (type == ZTI_SECTION_SIDE && tail->values) || (type == ZTI_SECTION_INDEX && tail->index) ||
        (type == ZTI_SECTION_SPECIAL && tail->special.count > 0))
        return zti_fail(context, ZT_CORRUPT, "frame %" PRIu64 " has section %02x twice", number,
                        type);
    if (type == ZTI_SECTION_CHECKSUMS)
        return parse_checksums(context, number, frame, body, body_bytes, tail);
    if (type == ZTI_SECTION_INDEX) {
        if (frame->index.kind == ZT_INDEX_NONE || body_bytes != frame->index_bytes)
            return zti_fail(context, ZT_CORRUPT,
                            "frame %" PRIu64 ": header and tail differ on the index", number);
        tail->index = body;
        return ZT_OK;
    }
    if (type == ZTI_SECTION_SPECIAL)
        return zti_special_parse(context, number, body, body_bytes, frame->type,
                                 frame->coding.grid.rank, frame->coding.grid.shape,
                                 frame->special_values, map, &tail->special);
    if (type == ZTI_SECTION_COPY && body_bytes > frame->header_bytes &&
        body_bytes == frame->header_bytes + copied_bytes(frame))
        tail->head = body;
    if (type == ZTI_SECTION_SIDE)
        return parse_side(context, number, frame, body, body_bytes, tail);
    if (type & ZTI_SECTION_CRITICAL)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "frame %" PRIu64 " needs section type %02x of its tail, which this "
                        "version does not know; use a later one",
                        number, type);
    return ZT_OK;
}

zt_status zti_tail_parse(zt_context *context, uint64_t number, const struct zti_frame *frame,
                         const uint8_t *bytes, struct zti_buffer *map, struct zti_tail *tail)
{
    memset(tail, 0, sizeof *tail);
    if (frame->tail_bytes < ZTI_HASH_BYTES)
        return zti_fail(context, ZT_CORRUPT, "frame %" PRIu64 ": the tail is too short", number);
    size_t end = (size_t)frame->tail_bytes - ZTI_HASH_BYTES;
    if (zti_get_le64(bytes + end) != zti_hash(bytes, end))
        return zti_fail(context, ZT_CORRUPT, "frame %" PRIu64 ": the tail is damaged", number);
    struct zti_cursor c = {.at = bytes, .end = bytes + end, .is_bad = false};
    while (zti_cursor_left(&c) > 0) {
        uint8_t type = zti_get_byte(&c);
        uint64_t n = zti_get_varint(&c);
        const uint8_t *body = zti_get_bytes(&c, n);
        if (!body)
            return zti_fail(context, ZT_CORRUPT,
                            "frame %" PRIu64 ": a section reaches beyond the tail", number);
        zt_status status = parse_section(context, number, frame, type, body, n, map, tail);
        if (status)
            return status;
    }
    if (!tail->checksums || (frame->exact_values > 0 && !tail->values) ||
        (frame->index.kind != ZT_INDEX_NONE && !tail->index) ||
        (frame->special_values > 0 && tail->special.count == 0))
        return zti_fail(context, ZT_CORRUPT,
                        "frame %" PRIu64 ": the tail lacks its checksums, its exact or special "
                        "values or its index",
                        number);
    return ZT_OK;
}

bool zti_tail_find_checksums(const struct zti_frame *frame, const uint8_t *bytes,
                             struct zti_tail *tail)
{
    memset(tail, 0, sizeof *tail);
    if (frame->tail_bytes < ZTI_HASH_BYTES)
        return false;
    struct zti_cursor c = {.at = bytes, .end = bytes + (frame->tail_bytes - ZTI_HASH_BYTES)};
    const uint8_t type = zti_get_byte(&c); /* the writer stores them first */
    const uint64_t n = zti_get_varint(&c);
    const uint8_t *body = zti_get_bytes(&c, n);
    return body && type == ZTI_SECTION_CHECKSUMS &&
           parse_checksums(NULL, 0, frame, body, n, tail) == ZT_OK;
}

static void apply_exact(const struct zti_frame *frame, const struct zti_tail *tail,
                        const uint64_t *shape, const struct zti_view *view)
{
    struct zti_cursor c = {.at = tail->positions, .end = tail->values, .is_bad = false};
    size_t value_bytes = zt_type_bytes(frame->type);
    uint64_t next = 0; /* the position after the value before */
    for (uint64_t k = 0; k < frame->exact_values; k++) {
        uint64_t at = next + zti_get_varint(&c), rest = at, place[ZT_MAX_RANK];
        next = at + 1;
        bool is_inside = true;
        for (uint32_t i = frame->rank; i-- > 0;) {
            uint64_t x = rest % shape[i];
            rest /= shape[i];
            is_inside = is_inside && x >= view->lo[i] && x < view->hi[i];
            place[i] = x - view->lo[i];
        }
        if (!is_inside)
            continue;
        zti_set_bits_at(zti_array_at(&view->out, place),
                        zti_get_value(tail->values + k * value_bytes, value_bytes), value_bytes);
    }
}

/* Positions count in C order of the coded axes; joining axes does not change them. */
void zti_tail_apply(const struct zti_frame *frame, const struct zti_tail *tail,
                    const struct zti_view *view)
{
    uint64_t shape[ZT_MAX_RANK];
    struct zti_view turned = *view;
    for (uint32_t k = 0; k < frame->rank; k++) {
        const uint32_t axis = frame->plan.axis[k];
        shape[k] = frame->shape[axis];
        turned.lo[k] = view->lo[axis];
        turned.hi[k] = view->hi[axis];
        turned.out.shape[k] = view->out.shape[axis];
        turned.out.stride[k] = view->out.stride[axis];
    }
    apply_exact(frame, tail, shape, &turned);
    if (frame->special_values > 0)
        zti_special_apply(&tail->special, frame->rank, shape, &turned);
}
