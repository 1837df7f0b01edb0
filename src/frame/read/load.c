/* load.c: one frame of a file, from bytes to values. Reads the parts of the frame that a view
 * needs, verifies their checksums, and decodes them. */
#include "array/mirror.h"
#include "frame/read/reader.h"

#include <inttypes.h>
#include <math.h>

static bool is_same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

zt_status zti_check_same_array(struct zt_reader *r, uint64_t number, const struct zti_frame *f)
{
    const struct zti_frame *first = &r->first;
    bool is_same = f->type == first->type && f->rank == first->rank &&
                   (f->coding.codec == first->coding.codec || zti_is_raw(f) || zti_is_raw(first));
    for (uint32_t i = 1; i < first->rank && is_same; i++)
        is_same = f->shape[i] == first->shape[i];
    if (!is_same)
        return zti_fail(r->context, ZT_CORRUPT,
                        "frame %" PRIu64 " has another type, shape or codec than the first",
                        number);
    if (f->bound.kind != first->bound.kind || f->bound.flags != first->bound.flags ||
        !is_same_number(f->bound.value, first->bound.value) ||
        !is_same_number(f->abs_bound, first->abs_bound) || f->range != first->range ||
        f->mean.kind != first->mean.kind || !is_same_number(f->mean.value, first->mean.value) ||
        f->limits.lo != first->limits.lo || f->limits.hi != first->limits.hi)
        return zti_fail(r->context, ZT_CORRUPT,
                        "frame %" PRIu64 " has another bound than the first", number);
    return ZT_OK;
}

bool zti_fits_place(const struct zti_frame *f, const struct zti_place *place)
{
    return zti_frame_bytes(f) == place->bytes && f->first == place->first &&
           f->shape[0] == place[1].first - place->first;
}

zt_status zti_load_header(struct zt_reader *r, uint64_t number, struct zti_frame *f)
{
    const struct zti_place *place = &r->places[number];
    const uint8_t *bytes;
    uint32_t n = 0;
    zt_status status =
        zti_input_view(&r->input, place->at, ZTI_FRAME_ALIGN_BYTES, &r->head, &bytes);
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
    if (!zti_fits_place(f, place))
        return zti_fail(r->context, ZT_CORRUPT,
                        "frame %" PRIu64 " is not what the seek table says: %" PRIu64
                        " bytes, slices from %" PRIu64,
                        number, place->bytes, place->first);
    return number == 0 ? ZT_OK : zti_check_same_array(r, number, f);
}

zt_status zti_load_tail(struct zt_reader *r, uint64_t number, const struct zti_frame *f,
                        uint64_t at, struct zti_tail *tail)
{
    const uint8_t *bytes;
    zt_status status =
        zti_input_view(&r->input, at, ZTI_GAP_BYTES + f->tail_bytes, &r->tail, &bytes);
    if (status)
        return status;
    if (!zti_all_zero(bytes, ZTI_GAP_BYTES))
        return zti_fail(r->context, ZT_CORRUPT,
                        "frame %" PRIu64 ": the bytes after its payload are not zero", number);
    status = zti_tail_parse(r->context, number, f, bytes + ZTI_GAP_BYTES, &r->map, tail);
    if (!status && f->special_values > 0)
        zti_special_fills(&tail->special, &r->fills, r->fill);
    return status;
}

/* Read and verify those ranges of bytes [first, last) of a payload that were not read yet; calls go
 * through a payload in ascending order. */
static zt_status load_range(struct zt_reader *r, uint64_t number, const struct zti_frame *f,
                            const struct zti_tail *tail, uint64_t first, uint64_t last,
                            struct zti_payload *p)
{
    const uint64_t range_bytes = UINT64_C(1) << tail->range_log2;
    zt_status status = ZT_OK;
    first -= first % range_bytes;
    last = zti_round_up(last, range_bytes);
    if (first < p->done)
        first = p->done;
    if (first >= last)
        return ZT_OK;
    p->done = last;
    if (last > f->payload_bytes)
        last = f->payload_bytes;
    if (!r->input.memory && !p->is_on_device)
        status = zti_input_read(&r->input, p->at + first, (size_t)(last - first),
                                r->payload.bytes + (first - p->first));
    if (!status)
        status = (p->is_on_device ? zti_checksums_verify_on_device : zti_checksums_verify)(
            r->context, number, f, tail, p->bytes + first, first, last);
    return status;
}

/* Move the window of a payload to bytes [first, last): those that it holds move to its front, the
 * others are read and verified. */
static zt_status move_window(struct zt_reader *r, uint64_t number, const struct zti_frame *f,
                             const struct zti_tail *tail, uint64_t first, uint64_t last,
                             struct zti_payload *p)
{
    const uint64_t range_bytes = UINT64_C(1) << tail->range_log2;
    first -= first % range_bytes;
    last = zti_round_up(last, range_bytes);
    last = last < f->payload_bytes ? last : f->payload_bytes;
    if (p->bytes && first >= p->first && last <= p->done)
        return ZT_OK;
    const bool has_some = first >= p->first && first < p->done;
    const uint64_t held = has_some ? p->done - first : 0;
    zt_status status = ZT_OK;
    if (held > 0)
        memmove(r->payload.bytes, r->payload.bytes + (first - p->first), (size_t)held);
    p->first = first;
    p->done = p->end = first + held; /* what is there, if memory for more is missing */
    status = zti_buffer_reserve(r->context, &r->payload, last - first + 1, (size_t)held);
    p->bytes = status ? NULL : r->payload.bytes - first;
    if (status)
        return status;
    p->end = last;
    return load_range(r, number, f, tail, first + held, last, p);
}

/* Read and verify the extents of a payload that decoding a view needs. */
static zt_status load_payload(struct zt_reader *r, uint64_t number, const struct zti_frame *f,
                              const struct zti_tail *tail, struct zti_extents *extents,
                              struct zti_payload *p)
{
    uint64_t first, last, least = UINT64_MAX, most = 0;
    zt_status status = ZT_OK;
    /* an extent of no bytes counts, too: decoding begins at its place */
    while (p->is_windowed && zti_extents_next(extents, &first, &last)) {
        least = first < least ? first : least;
        most = last > most ? last : most;
    }
    if (p->is_windowed)
        return move_window(r, number, f, tail, least <= most ? least : 0,
                           least <= most ? most : f->payload_bytes, p);
    while (!status && zti_extents_next(extents, &first, &last))
        status = load_range(r, number, f, tail, first, last, p);
    return status;
}

/* Set p->bytes: the payload in memory, or room for all of it, so that offsets stay the same. Bytes
 * that are not read are zero, because a wrong index can make the decoder read them. For a window
 * there is room for the head. The tail behind it was read, so all of the payload is there. */
static zt_status open_payload(struct zt_reader *r, const struct zti_frame *f, struct zti_payload *p)
{
    p->end = p->is_windowed ? 0 : f->payload_bytes;
    if (r->input.memory)
        return zti_input_view(&r->input, p->at, f->payload_bytes, &r->payload, &p->bytes);
    if (p->is_on_device)
        p->bytes = r->input.device + p->at;
    if (p->is_windowed || p->is_on_device)
        return ZT_OK;
    zt_status status = zti_buffer_reserve_zeroed(r->context, &r->payload, f->payload_bytes + 1);
    p->bytes = r->payload.bytes;
    return status;
}

bool zti_is_end(const struct zti_frame *f, uint64_t end_bits)
{
    const uint64_t bits = f->payload_bytes * 8;
    const uint64_t align = f->coding.codec->sizes(&f->coding).align_bits;
    return end_bits <= bits && zti_round_up(end_bits, align) == bits;
}

zt_status zti_check_end(struct zt_reader *r, uint64_t number, const struct zti_frame *f,
                        uint64_t end_bits)
{
    if (!zti_is_end(f, end_bits))
        return zti_fail(r->context, ZT_CORRUPT,
                        "frame %" PRIu64 ": the stream ends at bit %" PRIu64
                        " of a payload of %" PRIu64 " bytes",
                        number, end_bits, f->payload_bytes);
    return ZT_OK;
}

zt_status zti_load_index(struct zt_reader *r, const struct zti_frame *f,
                         const struct zti_tail *tail, const uint8_t *head, struct zti_index *opened,
                         struct zti_index **index)
{
    const uint64_t bits = (f->payload_bytes - zti_head_bytes(&f->coding)) * 8;
    const uint64_t units = bits / zti_unit_bits(&f->coding);
    const bool is_stored = f->index.kind != ZT_INDEX_NONE && f->index.kind <= ZT_INDEX_COMPACT &&
                           zti_fixed_bits(&f->coding) == 0;
    zt_status status = ZT_OK;
    *index = NULL;
    if (!is_stored && !zti_has_ends(&f->coding))
        return ZT_OK;
    if (is_stored)
        status = zti_index_open(r->context, tail->index, (size_t)f->index_bytes,
                                f->coding.grid.count, units, opened);
    else
        status = zti_index_open_ends(r->context, head, f->coding.grid.count, units, opened);
    if (!status && is_stored &&
        (opened->layout.kind != f->index.kind ||
         opened->layout.chunk_tiles != f->index.chunk_tiles ||
         (f->index.kind == ZT_INDEX_HYBRID && opened->layout.partition != f->index.partition)))
        status = zti_fail(r->context, ZT_CORRUPT, "header and tail differ on the index");
    *index = opened;
    return status;
}

/* Load all of the payload, then the tail, from a sequential source. */
static zt_status load_in_order(struct zt_reader *r, uint64_t number, const struct zti_frame *f,
                               struct zti_tail *tail, struct zti_payload *p)
{
    zt_status status = zti_input_view(&r->input, p->at, f->payload_bytes, &r->payload, &p->bytes);
    if (!status)
        status = zti_load_tail(r, number, f, p->at + f->payload_bytes, tail);
    if (!status)
        status = zti_checksums_verify(r->context, number, f, tail, p->bytes, 0, f->payload_bytes);
    p->done = p->end = f->payload_bytes;
    p->head = p->bytes;
    return status;
}

/* Load a frame's tail and the payload's head; from a sequential source all of the payload. */
static zt_status load_ends(struct zt_reader *r, uint64_t number, const struct zti_frame *f,
                           struct zti_tail *tail, struct zti_payload *p)
{
    const uint64_t head_bytes = zti_head_bytes(&f->coding);
    if (zti_is_sequential(&r->input))
        return load_in_order(r, number, f, tail, p);
    zt_status status = zti_load_tail(r, number, f, p->at + f->payload_bytes, tail);
    if (!status)
        status = open_payload(r, f, p);
    if (!status && head_bytes > 0)
        status = p->is_windowed ? move_window(r, number, f, tail, 0, head_bytes, p)
                                : load_range(r, number, f, tail, 0, head_bytes, p);
    p->head = p->bytes;
    if (status || (!p->is_windowed && !p->is_on_device))
        return status;
    status = zti_buffer_reserve(r->context, &r->front, head_bytes + ZTI_GAP_BYTES, 0);
    p->head = r->front.bytes;
    if (!status && p->is_on_device)
        status = zti_input_read(&r->input, p->at, (size_t)head_bytes, r->front.bytes);
    else if (!status && head_bytes > 0) /* the window will move on */
        memcpy(r->front.bytes, p->bytes, (size_t)head_bytes);
    return status;
}

/* Decode a view of the coded array. With a scatter the view is its cover, and only the spans that
 * it wants are decoded. */
static zt_status decode_coded(struct zt_reader *r, const struct zti_view *view,
                              const struct zti_scatter *scatter, uint64_t *end_bits)
{
    struct zti_opened *const o = &r->opened;
    const struct zti_frame *f = &o->frame;
    const uint64_t start_bits = zti_head_bytes(&o->coding) * 8;
    zt_status status = ZT_OK;
    if (o->index && !zti_exec_checks_index(r->context, &o->coding, o->index, view, scatter))
        status = zti_index_check(r->context, o->index);
    if (status)
        return status;
    struct zti_extents extents = zti_exec_extents(
        &o->coding, o->index, view, scatter ? scatter->spans : NULL, start_bits, f->payload_bytes);
    status = load_payload(r, o->number, f, &o->tail, &extents, &o->payload);
    if (status)
        return status;
    return scatter ? zti_exec_decode_scattered(r->context, &o->coding, o->payload.bytes,
                                               (size_t)o->payload.end, start_bits, o->index,
                                               scatter, end_bits)
                   : zti_exec_decode(r->context, &o->coding, o->payload.bytes,
                                     (size_t)o->payload.end, start_bits, o->index, view, end_bits);
}

/* Whether decoding a view of the coded array reaches the stream's last chunk. */
static bool reaches_end(const struct zti_opened *o, const struct zti_view *cover)
{
    const struct zti_grid *const grid = &o->coding.grid;
    const uint64_t each = zti_fixed_bits(&o->coding) > 0 ? 1
                          : o->index                     ? o->index->layout.chunk_tiles
                                                         : zti_default_chunk_tiles(&o->coding);
    uint64_t tile = 0;
    for (uint32_t i = 0; i < grid->rank; i++)
        tile = tile * grid->tiles[i] + (cover->hi[i] - 1) / grid->side[i];
    return tile / each == (grid->count - 1) / each;
}

/* Decode a view of the frame: as a view of the coded array where strides can express that and its
 * rows are contiguous, else by scattering. */
static zt_status decode_view(struct zt_reader *r, const struct zti_view *view)
{
    const struct zti_frame *f = &r->opened.frame;
    struct zti_plan_scatter parts;
    struct zti_view coded;
    const struct zti_view *cover = &coded;
    uint64_t end_bits = 0;
    zt_status status;
    if (zti_plan_part(&f->plan, f->shape, view, &coded) &&
        (zti_plan_is_none(&f->plan) || coded.out.stride[coded.out.rank - 1] == 1)) {
        status = decode_coded(r, &coded, NULL, &end_bits);
    } else {
        zti_plan_scatter(&f->plan, f->shape, f->coding.grid.side, view, &parts);
        cover = &parts.scatter.cover;
        status = decode_coded(r, cover, &parts.scatter, &end_bits);
    }
    if (!status && reaches_end(&r->opened, cover))
        status = zti_check_end(r, r->opened.number, f, end_bits);
    if (!status)
        zti_limits_apply(r->context, &f->limits, &view->out);
    if (!status)
        zti_tail_apply(f, &r->opened.tail, view);
    return status;
}

void zti_close_frame(struct zt_reader *r)
{
    if (!r->opened.is_open)
        return;
    zti_index_close(r->context, &r->opened.sums);
    zti_forget(r->context, &r->opened.coding);
    r->opened.is_open = false;
}

/* Whether kernels decode a payload in the GPU's memory. With another order of axes the host may
 * have to, so the payload is copied to it. */
static bool is_coded_on_device(const struct zt_reader *r, const struct zti_frame *f)
{
    return r->input.device && zti_plan_is_none(&f->plan) &&
           zti_exec_decodes_by_kernels(r->context, &f->coding);
}

zt_status zti_open_frame(struct zt_reader *r, uint64_t number, const struct zti_frame *f,
                         uint64_t at, bool is_windowed)
{
    struct zti_opened *const o = &r->opened;
    zti_close_frame(r);
    is_windowed = is_windowed && !r->input.memory && !zti_is_sequential(&r->input) &&
                  !zti_exec_decodes_by_kernels(r->context, &f->coding);
    *o = (struct zti_opened){.is_open = true,
                             .number = number,
                             .frame = *f,
                             .coding = f->coding,
                             .payload = {.at = at + f->header_bytes,
                                         .is_windowed = is_windowed,
                                         .is_on_device = is_coded_on_device(r, f)}};
    o->coding.run.is_padded = o->payload.is_on_device; /* a tail follows */
    o->coding.run.is_by_kernels =
        o->payload.is_on_device && (f->index.kind != ZT_INDEX_NONE || f->coding.grid.count == 1);
    zt_status status = load_ends(r, number, f, &o->tail, &o->payload);
    if (!status) {
        zti_stage(r->context, ZT_STAGE_TABLES);
        status = zti_decode_head(r->context, &o->coding, o->payload.head);
        zti_stage(r->context, ZT_STAGE_OTHER);
    }
    if (!status)
        status = zti_load_index(r, f, &o->tail, o->payload.head, &o->sums, &o->index);
    if (status)
        zti_close_frame(r);
    return status;
}

/* Output in a GPU's memory is decoded in a host copy if the host has to add exact or special
 * values, to apply limits or to change the order of axes. */
zt_status zti_decode_part(struct zt_reader *r, const struct zti_view *view)
{
    const struct zti_frame *f = &r->opened.frame;
    struct zti_mirror values = {.array = view->out};
    struct zti_view here = *view;
    zt_status status = ZT_OK;
    if (f->exact_values > 0 || f->special_values > 0 || f->limits.is_applied ||
        !zti_plan_is_none(&f->plan))
        status = zti_mirror_open_output(r->context, &view->out, &values);
    here.out = values.array;
    if (!status)
        status = decode_view(r, &here);
    if (!status)
        status = zti_mirror_store(&values, &view->out);
    zti_mirror_close(&values);
    return status;
}

zt_status zti_load_view(struct zt_reader *r, uint64_t number, const struct zti_frame *f,
                        uint64_t at, const struct zti_view *view)
{
    zt_status status = zti_open_frame(r, number, f, at, false);
    if (!status)
        status = zti_decode_part(r, view);
    zti_close_frame(r);
    return status;
}

zt_status zti_check_padding(struct zt_reader *r, uint64_t number)
{
    const struct zti_place *place = &r->places[number];
    const uint64_t at = place->at + place->bytes, pad = place[1].at - at;
    const uint8_t *bytes;
    zt_status status = zti_input_view(&r->input, at, pad, &r->head, &bytes);
    if (!status && !zti_all_zero(bytes, (size_t)pad))
        status = zti_fail(r->context, ZT_CORRUPT,
                          "frame %" PRIu64 ": the bytes after it are not zero", number);
    return status;
}

zt_status zti_check_frame(struct zt_reader *r, uint64_t number)
{
    enum { LEAST_STEP_BYTES = 1 << 24 };
    const struct zti_place *place = &r->places[number];
    const uint8_t *bytes;
    struct zti_frame f;
    struct zti_tail tail;
    zt_status status = zti_load_header(r, number, &f);
    if (status)
        return status;
    uint64_t at = place->at + f.header_bytes;
    status = zti_load_tail(r, number, &f, at + f.payload_bytes, &tail);
    const uint64_t step =
        status ? 0 : zti_round_up(LEAST_STEP_BYTES, UINT64_C(1) << tail.range_log2);
    for (uint64_t from = 0; !status && from < f.payload_bytes; from += step) {
        uint64_t left = f.payload_bytes - from;
        uint64_t n = left < step ? left : step;
        status = zti_input_view(&r->input, at + from, n, &r->payload, &bytes);
        if (!status)
            status = zti_checksums_verify(r->context, number, &f, &tail, bytes, from, from + n);
    }
    return status ? status : zti_check_padding(r, number);
}
