/* load.c: one frame of a file, from its bytes to values: what has to be read is read, what is read
 * is verified, and then decoded. */
#include "frame/read.h"

#include <inttypes.h>
#include <math.h>

static bool is_same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

zt_status zti_same_array(struct zt_reader *r, uint64_t number, const struct zti_frame *f)
{
    const struct zti_frame *first = &r->first;
    bool is_same = f->type == first->type && f->rank == first->rank &&
                   f->coding.codec == first->coding.codec;
    for (uint32_t i = 1; i < first->rank && is_same; i++)
        is_same = f->shape[i] == first->shape[i];
    if (!is_same)
        return zti_fail(r->context, ZT_CORRUPT,
                        "frame %" PRIu64 " has another type, shape or codec than the first",
                        number);
    if (f->bound.kind != first->bound.kind || f->bound.flags != first->bound.flags ||
        !is_same_number(f->bound.value, first->bound.value) ||
        !is_same_number(f->abs_bound, first->abs_bound))
        return zti_fail(r->context, ZT_CORRUPT,
                        "frame %" PRIu64 " has another bound than the first", number);
    return ZT_OK;
}

zt_status zti_load_header(struct zt_reader *r, uint64_t number, struct zti_frame *f)
{
    const struct zti_place *place = &r->places[number];
    const uint8_t *bytes;
    uint32_t n = 0;
    zt_status status = zti_input_view(&r->input, place->at, ZTI_FRAME_ALIGN_BYTES, &r->head,
                                      &bytes);
    if (!status)
        status = zti_header_bytes(r->context, number, bytes, &n);
    if (status)
        return status;
    if (n > place->bytes)
        return zti_fail(r->context, ZT_CORRUPT,
                        "frame %" PRIu64 ": the header is longer than the frame", number);
    if (n > ZTI_FRAME_ALIGN_BYTES)
        status = zti_input_view(&r->input, place->at, n, &r->head, &bytes);
    if (!status)
        status = zti_header_parse(r->context, number, bytes, n, f);
    if (status)
        return status;
    if (zti_frame_bytes(f) != place->bytes || f->first != place->first ||
        f->shape[0] != place[1].first - place->first)
        return zti_fail(r->context, ZT_CORRUPT,
                        "frame %" PRIu64 " is not what the seek table says: %" PRIu64
                        " bytes, slices from %" PRIu64, number, place->bytes, place->first);
    return number == 0 ? ZT_OK : zti_same_array(r, number, f);
}

/* The zero bytes after a payload and the tail, which lie together. */
static zt_status load_tail(struct zt_reader *r, uint64_t number, const struct zti_frame *f,
                           uint64_t at, struct zti_tail *tail)
{
    const uint8_t *bytes;
    zt_status status = zti_input_view(&r->input, at, ZTI_GAP_BYTES + f->tail_bytes, &r->tail,
                                      &bytes);
    if (status)
        return status;
    if (!zti_all_zero(bytes, ZTI_GAP_BYTES))
        return zti_fail(r->context, ZT_CORRUPT,
                        "frame %" PRIu64 ": the bytes after its payload are not zero", number);
    return zti_tail_parse(r->context, number, f, bytes + ZTI_GAP_BYTES, tail);
}

/* Read and verify bytes [first, last) of a payload, which begins at 'payload' in memory and at byte
 * 'at' of the file. */
static zt_status load_range(struct zt_reader *r, uint64_t number, const struct zti_frame *f,
                            const struct zti_tail *tail, uint64_t at, uint64_t first,
                            uint64_t last, uint8_t *payload)
{
    zt_status status =
        zti_input_read(&r->input, at + first, (size_t)(last - first), payload + first);
    return status ? status
                  : zti_tail_verify(r->context, number, f, tail, payload + first, first, last);
}

/* What decoding a view needs of a payload at byte 'at', read and verified; *payload is where byte
 * 0 is, or would be. */
static zt_status load_payload(struct zt_reader *r, uint64_t number, const struct zti_frame *f,
                              const struct zti_tail *tail, const struct zti_index *index,
                              uint64_t at, const struct zti_view *view, const uint8_t **payload)
{
    const uint64_t range_bytes = UINT64_C(1) << tail->range_log2;
    struct zti_extents extents = zti_exec_extents(&f->coding, index, view, f->payload_bytes);
    uint64_t first, last, done = 0;
    zt_status status;
    if (r->input.memory) {
        status = zti_input_view(&r->input, at, f->payload_bytes, &r->payload, payload);
    } else { /* room for all of it, so that offsets stay. What is not read stays untouched, and is
              * zero, because an index that lies can lead there */
        status = zti_buffer_reserve_zeroed(r->context, &r->payload, f->payload_bytes + 1);
        *payload = r->payload.bytes;
    }
    while (!status && zti_extents_next(&extents, &first, &last)) {
        first -= first % range_bytes;
        last = zti_round_up(last, range_bytes);
        if (last > f->payload_bytes)
            last = f->payload_bytes;
        if (first < done) /* ranges in ascending order: these bytes are there */
            first = done;
        if (first >= last)
            continue;
        status = r->input.memory
                     ? zti_tail_verify(r->context, number, f, tail, *payload + first, first, last)
                     : load_range(r, number, f, tail, at, first, last, r->payload.bytes);
        done = last;
    }
    return status;
}

static bool is_whole(const struct zti_frame *f, const struct zti_view *view)
{
    for (uint32_t i = 0; i < f->rank; i++)
        if (view->lo[i] != 0 || view->hi[i] != f->shape[i])
            return false;
    return true;
}

/* The stream of a whole frame must end where the payload does. */
static zt_status check_end(struct zt_reader *r, uint64_t number, const struct zti_frame *f,
                           uint64_t end_bits)
{
    uint64_t align = f->coding.codec->stream_align_bits(&f->coding);
    uint64_t over = end_bits % align;
    if (over)
        end_bits += align - over;
    if (end_bits != f->payload_bytes * 8)
        return zti_fail(r->context, ZT_CORRUPT,
                        "frame %" PRIu64 ": the stream ends at bit %" PRIu64 " of a payload of %"
                        PRIu64 " bytes", number, end_bits, f->payload_bytes);
    return ZT_OK;
}

/* The index of a frame, opened; *index stays NULL where there is none, or none that this version
 * knows: it is not needed. */
static zt_status open_index(struct zt_reader *r, const struct zti_frame *f,
                            const struct zti_tail *tail, struct zti_index *opened,
                            const struct zti_index **index)
{
    const uint64_t units = f->payload_bytes * 8 / f->coding.codec->unit_bits;
    *index = NULL;
    if (f->index.kind == ZT_INDEX_NONE || f->index.kind > ZT_INDEX_COMPACT)
        return ZT_OK;
    zt_status status = zti_index_open(r->context, tail->index, (size_t)f->index_bytes,
                                      f->coding.grid.count, units, opened);
    if (!status && (opened->layout.kind != f->index.kind ||
                    opened->layout.chunk_tiles != f->index.chunk_tiles))
        status = zti_fail(r->context, ZT_CORRUPT, "header and tail differ on the index");
    *index = opened;
    return status;
}

/* A sequential source: all of the payload, then the tail. */
static zt_status load_in_order(struct zt_reader *r, uint64_t number, const struct zti_frame *f,
                               uint64_t at, struct zti_tail *tail, const uint8_t **payload)
{
    zt_status status = zti_input_view(&r->input, at, f->payload_bytes, &r->payload, payload);
    if (!status)
        status = load_tail(r, number, f, at + f->payload_bytes, tail);
    if (!status)
        status = zti_tail_verify(r->context, number, f, tail, *payload, 0, f->payload_bytes);
    return status;
}

zt_status zti_load_view(struct zt_reader *r, uint64_t number, const struct zti_frame *f,
                        uint64_t at, const struct zti_view *view)
{
    const uint64_t payload_at = at + f->header_bytes;
    const bool is_sequential = zti_is_sequential(&r->input);
    const uint8_t *payload = NULL;
    const struct zti_index *index = NULL;
    struct zti_index opened = {.sums = NULL};
    struct zti_tail tail;
    uint64_t end_bits = 0;
    zt_status status = is_sequential
                           ? load_in_order(r, number, f, payload_at, &tail, &payload)
                           : load_tail(r, number, f, payload_at + f->payload_bytes, &tail);
    if (!status)
        status = open_index(r, f, &tail, &opened, &index);
    if (!status && !is_sequential)
        status = load_payload(r, number, f, &tail, index, payload_at, view, &payload);
    if (!status)
        status = zti_exec_decode(r->context, &f->coding, payload, (size_t)f->payload_bytes, 0,
                                 index, view, &end_bits);
    if (!status && is_whole(f, view))
        status = check_end(r, number, f, end_bits);
    if (!status)
        zti_tail_apply(f, &tail, view);
    zti_index_close(r->context, &opened);
    return status;
}

zt_status zti_check_frame(struct zt_reader *r, uint64_t number)
{
    enum { LEAST_STEP_BYTES = 1 << 20 };
    const struct zti_place *place = &r->places[number];
    const uint8_t *bytes;
    struct zti_frame f;
    struct zti_tail tail;
    zt_status status = zti_load_header(r, number, &f);
    if (status)
        return status;
    uint64_t at = place->at + f.header_bytes;
    status = load_tail(r, number, &f, at + f.payload_bytes, &tail);
    const uint64_t step = status ? 0 : zti_round_up(LEAST_STEP_BYTES,
                                                    UINT64_C(1) << tail.range_log2);
    for (uint64_t from = 0; !status && from < f.payload_bytes; from += step) {
        uint64_t left = f.payload_bytes - from;
        uint64_t n = left < step ? left : step;
        status = zti_input_view(&r->input, at + from, n, &r->payload, &bytes);
        if (!status)
            status = zti_tail_verify(r->context, number, &f, &tail, bytes, from, from + n);
    }
    uint64_t pad = place[1].at - (place->at + place->bytes);
    if (!status)
        status = zti_input_view(&r->input, place->at + place->bytes, pad, &r->head, &bytes);
    if (!status && !zti_all_zero(bytes, (size_t)pad))
        status = zti_fail(r->context, ZT_CORRUPT,
                          "frame %" PRIu64 ": the bytes after it are not zero", number);
    return status;
}
