/* header.c: a frame's header, stored and parsed. The bytes are described in format.h. */
#include "frame/format/format.h"

#include <inttypes.h>
#include <math.h>
#include <xxhash.h>

const uint8_t zti_frame_magic[4] = {ZTI_FRAME_MAGIC};
const uint8_t zti_table_magic[4] = {ZTI_TABLE_MAGIC};
const uint8_t zti_end_magic[4] = {ZTI_END_MAGIC};

/* The largest header that is stored: numbers (payload, tail, exact values, first, extents), three
 * f64, codec parameters with their length, eight sections with type and length, hash. */
_Static_assert(ZTI_AT_NUMBERS + (4 + ZT_MAX_RANK) * ZTI_VARINT_MAX_BYTES + 3 * 8 + 1 +
                       ZTI_CODEC_PARAMS_BYTES + 2 + ZTI_NAME_BYTES + 2 + ZTI_UNITS_BYTES + 3 +
                       3 * ZTI_VARINT_MAX_BYTES + 2 * (2 + ZTI_VARINT_MAX_BYTES) + 2 +
                       ZTI_PLAN_BYTES + 2 + 25 + 2 + 16 + ZTI_HASH_BYTES <=
                   ZTI_HEADER_STORED_BYTES,
               "ZTI_HEADER_STORED_BYTES is too small");
_Static_assert(ZTI_HEADER_STORED_BYTES % ZTI_FRAME_ALIGN_BYTES == 0, "headers are whole units");
_Static_assert((2 + ZT_MAX_RANK) * ZTI_VARINT_MAX_BYTES + 3 * 8 <=
                       sizeof((struct zti_header_text){.numbers_bytes = 0}.numbers) &&
                   2 * (2 + ZTI_VARINT_MAX_BYTES) + 2 + 25 + 2 + 16 + 2 + ZTI_PLAN_BYTES <=
                       sizeof((struct zti_header_text){.numbers_bytes = 0}.rest) &&
                   ZTI_CODEC_PARAMS_BYTES <=
                       sizeof((struct zti_header_numbers){.index_kind = 0}.params),
               "a header's parts have too little room");

uint64_t zti_hash(const uint8_t *bytes, size_t n)
{
    return XXH3_64bits(bytes, n);
}

static bool has_value(uint32_t kind)
{
    return kind != ZT_LOSSLESS && kind != ZT_EXPERT;
}

static uint8_t *write_text(uint8_t *at, uint8_t section, const char *text)
{
    size_t n = strlen(text);
    if (n == 0)
        return at;
    *at++ = section;
    at = zti_put_varint(at, n);
    memcpy(at, text, n);
    return at + n;
}

/* A bound on the mean error that stands beside another. */
static uint8_t *write_mean(uint8_t *at, const struct zti_frame *frame)
{
    if (frame->mean.kind == ZT_LOSSLESS || zti_is_mean(frame->bound.kind))
        return at;
    *at++ = ZTI_SECTION_MEAN;
    *at++ = 1 + 3 * 8;
    *at++ = (uint8_t)frame->mean.kind;
    at = zti_put_f64(at, frame->mean.value);
    at = zti_put_f64(at, frame->range);
    return zti_put_f64(at, frame->error);
}

static uint8_t *write_limits(uint8_t *at, const struct zti_limits *limits)
{
    if (!zti_has_limits(limits))
        return at;
    *at++ = ZTI_SECTION_LIMITS | (limits->is_applied ? ZTI_SECTION_CRITICAL : 0);
    *at++ = 2 * 8;
    at = zti_put_f64(at, limits->lo);
    return zti_put_f64(at, limits->hi);
}

/* A section with a count; none if it is 0. */
static uint8_t *write_count(uint8_t *at, uint8_t type, uint64_t count)
{
    if (count == 0)
        return at;
    *at++ = type;
    at = zti_put_varint(at, zti_varint_bytes(count));
    return zti_put_varint(at, count);
}

static uint8_t *write_plan(uint8_t *at, const struct zti_plan *plan)
{
    if (zti_plan_is_none(plan))
        return at;
    *at++ = ZTI_SECTION_PLAN;
    at = zti_put_varint(at, ZTI_PLAN_BYTES);
    zti_plan_store(plan, at);
    return at + ZTI_PLAN_BYTES;
}

/* Numbers of exact values and of the first slice, extents, and what belongs to the bound. */
static uint8_t *write_numbers(uint8_t *at, const struct zti_frame *frame)
{
    at = zti_put_varint(at, frame->exact_values);
    at = zti_put_varint(at, frame->first);
    for (uint32_t i = 0; i < frame->rank; i++)
        at = zti_put_varint(at, frame->shape[i]);
    if (has_value(frame->bound.kind))
        at = zti_put_f64(at, frame->bound.value);
    if (frame->bound.kind == ZT_REL)
        at = zti_put_f64(at, frame->abs_bound);
    if (zti_is_mean(frame->bound.kind)) {
        at = zti_put_f64(at, frame->range);
        at = zti_put_f64(at, frame->error);
    }
    return at;
}

void zti_header_split(const struct zti_frame *frame, struct zti_header_text *t,
                      struct zti_header_numbers *n)
{
    const struct zti_index_layout *const index = &frame->index;
    uint8_t *at = t->names;
    memcpy(t->front, zti_frame_magic, sizeof zti_frame_magic);
    t->front[ZTI_AT_VERSION] = ZTI_FORMAT_VERSION;
    t->front[ZTI_AT_TYPE] = (uint8_t)(frame->type | frame->rank << 4);
    t->front[ZTI_AT_CODEC] = (uint8_t)frame->coding.codec->id;
    t->front[ZTI_AT_BOUND] = (uint8_t)(frame->bound.kind | frame->bound.flags << 4);
    t->front[ZTI_AT_UNITS] = 0;
    t->numbers_bytes = (uint32_t)(write_numbers(t->numbers, frame) - t->numbers);
    at = write_text(at, ZTI_SECTION_NAME, frame->name);
    at = write_text(at, ZTI_SECTION_UNITS, frame->units);
    t->names_bytes = (uint32_t)(at - t->names);
    at = write_count(t->rest, ZTI_SECTION_SPECIAL, frame->special_values);
    at = write_count(at, ZTI_SECTION_UNCOUNTED, frame->uncounted_values);
    at = write_mean(at, frame);
    at = write_limits(at, &frame->limits);
    at = write_plan(at, &frame->plan);
    t->rest_bytes = (uint32_t)(at - t->rest);
    *n = (struct zti_header_numbers){.payload_bytes = frame->payload_bytes,
                                     .tail_bytes = frame->tail_bytes,
                                     .index_bytes = frame->index_bytes,
                                     .index_chunk_tiles = index->chunk_tiles,
                                     .index_kind = index->kind};
    n->index_partition = index->kind == ZT_INDEX_HYBRID ? index->partition : 0;
    n->params_bytes = (uint32_t)frame->coding.codec->store_params(&frame->coding, n->params);
}

size_t zti_header_store(const struct zti_frame *frame, uint8_t *out)
{
    struct zti_header_text text;
    struct zti_header_numbers numbers;
    zti_header_split(frame, &text, &numbers);
    const size_t bytes = zti_header_join(&text, &numbers, out);
    zti_put_le64(out + bytes - ZTI_HASH_BYTES, zti_hash(out, bytes - ZTI_HASH_BYTES));
    return bytes;
}

zt_status zti_header_bytes(zt_context *context, uint64_t number, const uint8_t *bytes,
                           uint32_t *header_bytes)
{
    bool has_magic = memcmp(bytes, zti_frame_magic, sizeof zti_frame_magic) == 0;
    if (!has_magic && number == 0)
        return zti_fail(context, ZT_CORRUPT,
                        "not a .zt file: it does not begin with one's magic bytes");
    if (!has_magic)
        return zti_fail(context, ZT_CORRUPT,
                        "frame %" PRIu64 " does not begin with its magic bytes", number);
    if (bytes[ZTI_AT_VERSION] != ZTI_FORMAT_VERSION)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "frame %" PRIu64 " has format version %u, this library reads version %d; "
                        "use a later one",
                        number, bytes[ZTI_AT_VERSION], ZTI_FORMAT_VERSION);
    if (bytes[ZTI_AT_UNITS] == 0)
        return zti_fail(context, ZT_CORRUPT, "frame %" PRIu64 " has a header of 0 bytes", number);
    *header_bytes = (uint32_t)bytes[ZTI_AT_UNITS] * ZTI_FRAME_ALIGN_BYTES;
    return ZT_OK;
}

bool zti_is_utf8(const uint8_t *text, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint32_t lead = text[i++];
        if (lead == 0)
            return false;
        if (lead < 0x80)
            continue;
        uint32_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
        if (lead < 0xc2 || lead > 0xf4 || more > n - i)
            return false;
        uint32_t code = lead & (0x3fu >> more);
        for (; more > 0; more--, i++) {
            if ((text[i] & 0xc0) != 0x80)
                return false;
            code = code << 6 | (text[i] & 0x3fu);
        }
        if ((lead == 0xe0 && code < 0x800) || (lead >= 0xf0 && (code < 0x10000 || code > 0x10ffff)))
            return false;
        if (code >= 0xd800 && code <= 0xdfff)
            return false;
    }
    return true;
}

static zt_status read_text(zt_context *context, uint64_t number, const uint8_t *body,
                           uint64_t body_bytes, size_t max_bytes, char *text)
{
    if (body_bytes == 0 || body_bytes > max_bytes || *text || !zti_is_utf8(body, body_bytes))
        return zti_fail(context, ZT_CORRUPT,
                        "frame %" PRIu64 " has a name or units that are not 1 to %zu bytes of "
                        "UTF-8, once",
                        number, max_bytes);
    memcpy(text, body, body_bytes);
    return ZT_OK;
}

static zt_status read_index(zt_context *context, uint64_t number, const uint8_t *body,
                            uint64_t body_bytes, struct zti_frame *frame)
{
    struct zti_cursor c = {.at = body, .end = body + body_bytes, .is_bad = false};
    const uint8_t kind = zti_get_byte(&c);
    const uint64_t chunk = zti_get_varint(&c), partition = zti_get_varint(&c);
    const uint64_t bytes = zti_get_varint(&c);
    if (c.is_bad || zti_cursor_left(&c) > 0 || frame->index.kind != ZT_INDEX_NONE ||
        !zti_is_index_named(kind, chunk, partition) || bytes > frame->tail_bytes)
        return zti_fail(context, ZT_CORRUPT, "frame %" PRIu64 " describes an impossible index",
                        number);
    frame->index = (struct zti_index_layout){
        .kind = kind, .chunk_tiles = (uint32_t)chunk, .partition = (uint32_t)partition};
    frame->index_bytes = bytes;
    return ZT_OK;
}

/* Parse the number of special or uncounted values. */
static zt_status read_count(zt_context *context, uint64_t number, const char *what,
                            const uint8_t *body, uint64_t body_bytes, const struct zti_frame *frame,
                            uint64_t *count)
{
    struct zti_cursor c = {.at = body, .end = body + body_bytes, .is_bad = false};
    const uint64_t most = zti_counted_values(frame);
    const bool is_second = *count > 0;
    *count = zti_get_varint(&c);
    if (c.is_bad || zti_cursor_left(&c) > 0 || is_second || *count == 0 || *count > most)
        return zti_fail(context, ZT_CORRUPT,
                        "frame %" PRIu64 " has an impossible number of %s values", number, what);
    return ZT_OK;
}

static zt_status read_plan(zt_context *context, uint64_t number, const uint8_t *body,
                           uint64_t body_bytes, struct zti_frame *frame)
{
    const bool is_second = !zti_plan_is_none(&frame->plan);
    const zt_status status =
        is_second ? ZT_CORRUPT : zti_plan_load(frame->rank, body, body_bytes, &frame->plan);
    if (status == ZT_UNSUPPORTED)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "frame %" PRIu64 " has a plan of version %u, which this version does not "
                        "know; use a later one",
                        number, body[0]);
    if (status)
        return zti_fail(context, ZT_CORRUPT, "frame %" PRIu64 " has an impossible plan", number);
    return ZT_OK;
}

static bool is_good_mean(const struct zti_frame *frame)
{
    return isfinite(frame->range) && frame->range >= 0 && isfinite(frame->error) &&
           frame->error >= 0 && zti_bound_check(NULL, &frame->mean) == ZT_OK;
}

static zt_status read_mean(zt_context *context, uint64_t number, const uint8_t *body,
                           uint64_t body_bytes, struct zti_frame *frame)
{
    struct zti_cursor c = {.at = body, .end = body + body_bytes, .is_bad = false};
    const bool is_second = frame->mean.kind != ZT_LOSSLESS;
    const uint8_t kind = zti_get_byte(&c);
    frame->mean = zt_bound_of((zt_bound_kind)kind, zti_get_f64(&c));
    frame->range = zti_get_f64(&c);
    frame->error = zti_get_f64(&c);
    if (c.is_bad || zti_cursor_left(&c) > 0 || is_second || !zti_is_mean(kind) ||
        (frame->bound.kind != ZT_ABS && frame->bound.kind != ZT_REL) || !is_good_mean(frame))
        return zti_fail(context, ZT_CORRUPT,
                        "frame %" PRIu64 " has an impossible bound on the mean error", number);
    return ZT_OK;
}

static zt_status read_limits(zt_context *context, uint64_t number, const uint8_t *body,
                             uint64_t body_bytes, bool is_applied, struct zti_frame *frame)
{
    struct zti_cursor c = {.at = body, .end = body + body_bytes, .is_bad = false};
    const bool is_second = zti_has_limits(&frame->limits);
    frame->limits.lo = zti_get_f64(&c);
    frame->limits.hi = zti_get_f64(&c);
    frame->limits.is_applied = is_applied;
    if (c.is_bad || zti_cursor_left(&c) > 0 || is_second || !zti_has_limits(&frame->limits) ||
        !(frame->limits.lo <= frame->limits.hi))
        return zti_fail(context, ZT_CORRUPT, "frame %" PRIu64 " has impossible limits", number);
    return ZT_OK;
}

static zt_status parse_sections(zt_context *context, uint64_t number, struct zti_cursor *c,
                                struct zti_frame *frame)
{
    while (zti_cursor_left(c) > 0) {
        uint8_t type = zti_get_byte(c);
        if (type == ZTI_SECTION_END)
            break;
        uint64_t n = zti_get_varint(c);
        const uint8_t *body = zti_get_bytes(c, n);
        zt_status status = ZT_OK;
        if (!body)
            return zti_fail(context, ZT_CORRUPT,
                            "frame %" PRIu64 ": a section reaches beyond the header", number);
        if (type == ZTI_SECTION_NAME)
            status = read_text(context, number, body, n, ZTI_NAME_BYTES, frame->name);
        else if (type == ZTI_SECTION_UNITS)
            status = read_text(context, number, body, n, ZTI_UNITS_BYTES, frame->units);
        else if (type == ZTI_SECTION_INDEX)
            status = read_index(context, number, body, n, frame);
        else if (type == ZTI_SECTION_SPECIAL)
            status = read_count(context, number, "special", body, n, frame, &frame->special_values);
        else if (type == ZTI_SECTION_UNCOUNTED)
            status =
                read_count(context, number, "uncounted", body, n, frame, &frame->uncounted_values);
        else if (type == ZTI_SECTION_PLAN)
            status = read_plan(context, number, body, n, frame);
        else if (type == ZTI_SECTION_MEAN)
            status = read_mean(context, number, body, n, frame);
        else if ((type & ~ZTI_SECTION_CRITICAL) == ZTI_SECTION_LIMITS)
            status = read_limits(context, number, body, n, type & ZTI_SECTION_CRITICAL, frame);
        else if (type & ZTI_SECTION_CRITICAL)
            status = zti_fail(context, ZT_UNSUPPORTED,
                              "frame %" PRIu64 " needs section type %02x of its header, which "
                              "this version does not know; use a later one",
                              number, type);
        if (status)
            return status;
    }
    if (!zti_all_zero(c->at, zti_cursor_left(c)))
        return zti_fail(context, ZT_CORRUPT,
                        "frame %" PRIu64 " has bytes after the last section of its header", number);
    return ZT_OK;
}

static zt_status parse_bound(zt_context *context, uint64_t number, uint8_t byte,
                             struct zti_cursor *c, struct zti_frame *frame)
{
    zt_bound *bound = &frame->bound;
    *bound = zt_bound_of((zt_bound_kind)(byte & 15), 0);
    bound->flags = byte >> 4;
    if (bound->kind > ZT_MAE_REL)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "frame %" PRIu64 " has bound kind %u, which this version does not know; "
                        "use a later one",
                        number, bound->kind);
    if (has_value(bound->kind))
        bound->value = zti_get_f64(c);
    const bool has_mean = zti_is_mean(bound->kind);
    frame->mean = has_mean ? *bound : zt_lossless();
    frame->range = has_mean ? zti_get_f64(c) : 0;
    frame->error = has_mean ? zti_get_f64(c) : 0;
    frame->limits = (struct zti_limits){.lo = -(double)INFINITY, .hi = (double)INFINITY};
    const bool is_none =
        bound->kind == ZT_LOSSLESS || (bound->kind == ZT_PWREL && bound->value == 0);
    frame->abs_bound = is_none                 ? 0
                       : bound->kind == ZT_ABS ? bound->value
                       : bound->kind == ZT_REL ? zti_get_f64(c)
                                               : (double)NAN;
    bool is_good = bound->kind != ZT_REL || (isfinite(frame->abs_bound) && frame->abs_bound >= 0);
    is_good &= !has_mean || is_good_mean(frame);
    is_good &= bound->kind != ZT_PWREL || frame->type == ZT_F32 || frame->type == ZT_F64;
    if (c->is_bad || !is_good || zti_bound_check(NULL, bound) != ZT_OK)
        return zti_fail(context, ZT_CORRUPT, "frame %" PRIu64 " has an impossible bound", number);
    return ZT_OK;
}

/* Parse type, shape and lengths; check_payload checks the payload's length against them later. */
static zt_status parse_numbers(zt_context *context, uint64_t number, uint8_t type_byte,
                               struct zti_cursor *c, struct zti_frame *frame)
{
    frame->type = type_byte & 15;
    frame->rank = type_byte >> 4;
    frame->payload_bytes = zti_get_varint(c);
    frame->tail_bytes = zti_get_varint(c);
    frame->exact_values = zti_get_varint(c);
    frame->first = zti_get_varint(c);
    for (uint32_t i = 0; i < frame->rank && i < ZT_MAX_RANK; i++)
        frame->shape[i] = zti_get_varint(c);
    if (c->is_bad || zt_type_bytes(frame->type) == 0 || frame->rank < 1 ||
        frame->rank > ZT_MAX_RANK)
        return zti_fail(context, ZT_CORRUPT, "frame %" PRIu64 " has no valid type, rank or numbers",
                        number);
    uint64_t most = UINT64_C(1) << 61; /* so that sums of two lengths do not overflow */
    if (!zti_shape_fits(frame->type, frame->rank, frame->shape) || frame->first > INT64_MAX ||
        frame->payload_bytes > most || frame->tail_bytes > most ||
        frame->exact_values > zti_array_values(frame->rank, frame->shape))
        return zti_fail(context, ZT_CORRUPT, "frame %" PRIu64 " has an impossible shape or length",
                        number);
    return ZT_OK;
}

/* Check that a payload of this length can hold its head and tiles, before memory for the array is
 * allocated. */
static zt_status check_payload(zt_context *context, uint64_t number, const struct zti_frame *frame)
{
    const struct zti_coding *coding = &frame->coding;
    const struct zti_sizes sizes = coding->codec->sizes(coding);
    const uint64_t head = zti_head_bytes(coding), align = sizes.align_bits;
    uint64_t bits = frame->payload_bytes * 8, least = 0, most = 0;
    bool is_good = bits % align == 0 && head <= frame->payload_bytes;
    bits -= is_good ? head * 8 : 0;
    is_good = is_good && zti_mul(coding->grid.count, sizes.tile_min_bits, &least) && bits >= least;
    if (is_good && zti_mul(coding->grid.count, sizes.tile_max_bits, &most))
        is_good = bits <= most || bits - most < align;
    if (!is_good)
        return zti_fail(context, ZT_CORRUPT,
                        "frame %" PRIu64 ": %" PRIu64 " bytes of payload cannot hold its %" PRIu64
                        " tiles",
                        number, frame->payload_bytes, coding->grid.count);
    return ZT_OK;
}

zt_status zti_header_parse(zt_context *context, uint64_t number, const uint8_t *bytes,
                           uint32_t header_bytes, struct zti_frame *frame)
{
    uint32_t end = header_bytes - ZTI_HASH_BYTES;
    if (zti_get_le64(bytes + end) != zti_hash(bytes, end))
        return zti_fail(context, ZT_CORRUPT, "frame %" PRIu64 ": the header is damaged", number);

    memset(frame, 0, sizeof *frame);
    frame->header_bytes = header_bytes;
    struct zti_cursor c = {.at = bytes + ZTI_AT_NUMBERS, .end = bytes + end, .is_bad = false};
    zt_status status = parse_numbers(context, number, bytes[ZTI_AT_TYPE], &c, frame);
    if (!status)
        status = parse_bound(context, number, bytes[ZTI_AT_BOUND], &c, frame);
    if (status)
        return status;

    struct zti_coding *coding = &frame->coding;
    coding->codec = zti_codec_by_id(bytes[ZTI_AT_CODEC]);
    if (!coding->codec)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "frame %" PRIu64 " has codec %u, which is not in this version; use a "
                        "later one",
                        number, bytes[ZTI_AT_CODEC]);
    frame->index.kind = ZT_INDEX_NONE;
    frame->plan = zti_plan_none(frame->rank);
    coding->type = frame->type;
    coding->verify_bound = (double)NAN;
    uint64_t n = zti_get_byte(&c);
    const uint8_t *params = zti_get_bytes(&c, n);
    if (!params)
        return zti_fail(context, ZT_CORRUPT,
                        "frame %" PRIu64 ": the codec's parameters reach beyond the header",
                        number);
    status = parse_sections(context, number, &c, frame);
    if (status)
        return status;
    uint64_t coded[ZT_MAX_RANK];
    const uint32_t coded_rank = zti_plan_shape(&frame->plan, frame->shape, coded);
    coding->grid = zti_codec_grid(coding->codec, coded_rank, coded);
    status = coding->codec->load_params(context, params, (size_t)n, coding);
    if (!status)
        status = check_payload(context, number, frame);
    return status;
}
