/* frame.c: salvages one damaged frame whose header is valid: decodes the tiles that are whole, and
 * reports the others as lost boxes.
 *
 * Checksums say which ranges of the payload are intact. Decoding starts wherever a tile can be
 * located: at each chunk of an index, at each tile at fixed rate, else at the first tile only. It
 * goes on while tiles lie in intact ranges. Each run of tiles that is not decoded is reported as a
 * few boxes.
 *
 * A tail that fails its hash, even after one bit was corrected, is not used. Its checksums still
 * are: one that matches its range is valid. If the header says that there are exact or special
 * values, all values are then unverified. */
#include "array/scatter.h"
#include "frame/read/reader.h"

#include <inttypes.h>

struct frame {
    struct zt_reader *r;
    const struct zti_frame *f;
    const struct zti_array *out;
    zt_salvage *salvage;
    struct zti_coding coding; /* with what was learnt from the head */
    uint64_t have_bytes; /* of the payload in the file; without checksums, those before the first
                            unreadable one */
    bool is_cut;         /* the file ends before the payload does */
    bool has_tail;       /* the tail's hash matches */
    bool has_checksums;  /* the tail's checksums can be used */
    struct zti_tail tail;
    struct zti_buffer bad;  /* a byte for each range of the payload; not 0: damaged */
    struct zti_buffer runs; /* of lost tiles: first, end, first, end ... */
    uint64_t runs_count;
};

/* ---- boxes ---- */

static uint64_t fill_bits(uint32_t type, const zt_salvage *salvage)
{
    if (salvage->has_fill)
        return salvage->fill;
    return type == ZT_F32   ? UINT64_C(0x7fc00000)
           : type == ZT_F64 ? UINT64_C(0x7ff8000000000000)
                            : 0;
}

static void fill_box(const struct zti_array *out, const zt_box *box, uint64_t bits)
{
    const size_t value_bytes = zt_type_bytes(out->type);
    const uint32_t last = out->rank - 1;
    uint64_t at[ZT_MAX_RANK];
    memcpy(at, box->lo, sizeof at);
    for (;;) {
        for (at[last] = box->lo[last]; at[last] < box->hi[last]; at[last]++)
            zti_set_bits_at(zti_array_at(out, at), bits, value_bytes);
        uint32_t axis = last;
        while (axis > 0 && ++at[axis - 1] == box->hi[axis - 1]) {
            axis--;
            at[axis] = box->lo[axis];
        }
        if (axis == 0)
            return;
    }
}

static zt_status report(struct zt_reader *r, zt_loss loss, const zt_box *box, const char *why,
                        zt_salvage *salvage)
{
    zt_box in_array = *box; /* in the array's coordinates, not the frame's */
    uint64_t values = 1;
    for (uint32_t i = 0; i < r->first.rank; i++)
        values *= box->hi[i] - box->lo[i];
    in_array.lo[0] += r->now.frame.first;
    in_array.hi[0] += r->now.frame.first;
    *(loss == ZT_LOSS_LOST ? &salvage->lost_boxes : &salvage->unverified_boxes) += 1;
    *(loss == ZT_LOSS_LOST ? &salvage->lost_values : &salvage->unverified_values) += values;
    if (salvage->part && salvage->part(salvage->user, loss, &in_array, why) != 0)
        return zti_fail(r->context, ZT_CANCELLED, "cancelled while damage was reported");
    return ZT_OK;
}

zt_status zti_salvage_lost(struct zt_reader *r, const struct zti_array *out, const zt_box *box,
                           const char *why, zt_salvage *salvage)
{
    fill_box(out, box, fill_bits(out->type, salvage));
    return report(r, ZT_LOSS_LOST, box, why, salvage);
}

static zt_status lose_tiles(struct frame *s, uint64_t first, uint64_t last)
{
    uint64_t *runs = (uint64_t *)(void *)s->runs.bytes;
    if (s->runs_count > 0 && runs[2 * s->runs_count - 1] == first) {
        runs[2 * s->runs_count - 1] = last;
        return ZT_OK;
    }
    const size_t used = (size_t)s->runs_count * 2 * sizeof *runs;
    if (used + 2 * sizeof *runs > s->runs.capacity) {
        const zt_status status =
            zti_buffer_reserve(s->r->context, &s->runs, 2 * used + 64 * sizeof *runs, used);
        if (status)
            return status;
        runs = (uint64_t *)(void *)s->runs.bytes;
    }
    runs[2 * s->runs_count] = first;
    runs[2 * s->runs_count + 1] = last;
    s->runs_count++;
    return ZT_OK;
}

/* Report a box of the coded array as boxes of the frame. 'box' already holds the axes before
 * 'axis'. A range of a joined axis is split into boxes of its original axes: those at first ..
 * last - 1 of the plan, of which the one at 'step_at' is the slowest that a piece covers in part.
 */
static zt_status report_coded(struct frame *s, zt_loss loss, const zt_box *coded, uint32_t axis,
                              zt_box *box, const char *why)
{
    const struct zti_plan *plan = &s->f->plan;
    uint32_t first = 0, last, step_at;
    if (axis == s->coding.grid.rank)
        return loss == ZT_LOSS_LOST ? zti_salvage_lost(s->r, s->out, box, why, s->salvage)
                                    : report(s->r, loss, box, why, s->salvage);
    for (uint32_t k = 1, n = 0; k < plan->rank && n < axis; k++)
        if (!plan->is_joined[k] && ++n == axis)
            first = k;
    for (last = first + 1; last < plan->rank && plan->is_joined[last]; last++)
        continue;
    zt_status status = ZT_OK;
    for (uint64_t at = coded->lo[axis]; !status && at < coded->hi[axis];) {
        uint64_t step = s->coding.grid.shape[axis], rest = at;
        for (step_at = first;; step_at++) {
            step /= s->f->shape[plan->axis[step_at]];
            if (at % step == 0 && coded->hi[axis] - at >= step)
                break;
        }
        uint64_t n = (coded->hi[axis] - at) / step;
        for (uint32_t k = last; k-- > first;) {
            const uint32_t own = plan->axis[k];
            const uint64_t extent = s->f->shape[own], index = rest % extent;
            rest /= extent;
            if (k == step_at && n > extent - index)
                n = extent - index;
            box->lo[own] = index;
            box->hi[own] = k > step_at ? extent : k == step_at ? index + n : index + 1;
        }
        status = report_coded(s, loss, coded, axis + 1, box, why);
        at += n * step;
    }
    return status;
}

/* ---- bytes ---- */

/* Load the tail, and find out what of it can be used. */
static zt_status load_tail(struct frame *s, uint64_t at)
{
    struct zt_reader *const r = s->r;
    const uint64_t bytes = ZTI_GAP_BYTES + s->f->tail_bytes;
    uint64_t whole;
    if (at > r->input.bytes || bytes > r->input.bytes - at || s->f->tail_bytes < ZTI_HASH_BYTES)
        return ZT_OK;
    zt_status status = zti_buffer_reserve(r->context, &r->tail, bytes, 0);
    if (status)
        return status;
    zti_read_leniently(r, at, bytes, r->tail.bytes, &whole);
    uint8_t *const tail = r->tail.bytes + ZTI_GAP_BYTES;
    if (zti_repair(r, tail, (size_t)s->f->tail_bytes, &r->repairs.tail_trial_bytes)) {
        status = zti_tail_parse(r->context, r->now.number, s->f, tail, &r->map, &s->tail);
        if (status == ZT_UNSUPPORTED)
            return status;
        s->has_tail = status == ZT_OK;
    }
    s->has_checksums = s->has_tail || zti_tail_find_checksums(s->f, tail, &s->tail);
    return ZT_OK;
}

static zt_status load_payload(struct frame *s, uint64_t at)
{
    struct zt_reader *const r = s->r;
    const uint64_t there = at < r->input.bytes ? r->input.bytes - at : 0;
    const uint64_t bytes = there < s->f->payload_bytes ? there : s->f->payload_bytes;
    uint64_t whole;
    s->is_cut = bytes < s->f->payload_bytes;
    zt_status status = zti_buffer_reserve(r->context, &r->payload, bytes + 1, 0);
    if (status)
        return status;
    zti_read_leniently(r, at, bytes, r->payload.bytes, &whole);
    s->have_bytes = s->has_checksums ? bytes : whole;
    return ZT_OK;
}

/* Verify the payload's checksums. */
static zt_status find_bad(struct frame *s)
{
    if (!s->has_checksums)
        return ZT_OK;
    const uint64_t range = UINT64_C(1) << s->tail.range_log2;
    const uint64_t ranges = (s->f->payload_bytes + range - 1) >> s->tail.range_log2;
    zt_status status = zti_buffer_reserve(s->r->context, &s->bad, ranges + 1, 0);
    for (uint64_t i = 0; !status && i < ranges; i++) {
        const uint64_t first = i * range;
        const uint64_t last =
            s->f->payload_bytes - first < range ? s->f->payload_bytes : first + range;
        s->bad.bytes[i] = last > s->have_bytes ||
                          zti_checksums_verify(NULL, s->r->now.number, s->f, &s->tail,
                                               s->r->payload.bytes + first, first, last) != ZT_OK;
    }
    return status;
}

/* The end of the intact bytes that begin at 'from'; 'from' itself if that byte is damaged. */
static uint64_t intact_until(const struct frame *s, uint64_t from)
{
    if (!s->has_checksums || from >= s->have_bytes)
        return from < s->have_bytes ? s->have_bytes : from;
    const uint32_t log2 = s->tail.range_log2;
    uint64_t i = from >> log2;
    while (i << log2 < s->have_bytes && !s->bad.bytes[i])
        i++;
    const uint64_t end = i << log2 < s->have_bytes ? i << log2 : s->have_bytes;
    return end > from ? end : from;
}

/* ---- values ---- */

/* Decode the piece that begins at 'tile', and set *last to its end. If it does not end where the
 * index or the payload says, it is lost; without an index, only its last tile. */
static zt_status decode_piece(struct frame *s, const struct zti_index *index, uint64_t tile,
                              uint64_t *last, const struct zti_view *view)
{
    const uint64_t start_bits = zti_head_bytes(&s->coding) * 8;
    uint64_t at, next, after, done = tile;
    zt_status status = ZT_OK;
    zti_exec_piece(&s->coding, index, start_bits, tile, last, &at);
    const uint64_t limit = at == UINT64_MAX ? 0 : intact_until(s, at / 8) * 8;
    if (at < limit)
        status = zti_exec_decode_until(s->r->context, &s->coding, s->r->payload.bytes,
                                       (size_t)s->have_bytes, limit, &done, *last, &at, view);
    if (!status && done == *last && index && *last < s->coding.grid.count) {
        zti_exec_piece(&s->coding, index, start_bits, *last, &after, &next);
        if (next != at)
            done = tile; /* the index is wrong */
    }
    if (!status && done == *last && *last == s->coding.grid.count && !zti_is_end(s->f, at))
        done = index ? tile : *last - 1;
    return status || done == *last ? status : lose_tiles(s, done, *last);
}

static zt_status decode_pieces(struct frame *s, const struct zti_view *view)
{
    const uint64_t head = zti_head_bytes(&s->coding);
    bool is_head_intact = head == 0 || intact_until(s, 0) >= head;
    struct zti_index opened = {.sums = NULL}, *index = NULL;
    zt_status status = ZT_OK;
    if (!is_head_intact && s->has_tail && s->tail.head && head <= s->have_bytes) {
        memcpy(s->r->payload.bytes, s->tail.head, (size_t)head);
        is_head_intact = true;
    }
    if (!is_head_intact && !zti_has_ends(&s->coding))
        return lose_tiles(s, 0, s->coding.grid.count);
    if (is_head_intact)
        status = zti_decode_head(s->r->context, &s->coding, s->r->payload.bytes);
    if (status)
        return status == ZT_NO_MEMORY ? status : lose_tiles(s, 0, s->coding.grid.count);
    const bool is_stored = s->f->index.kind != ZT_INDEX_NONE;
    if (s->has_tail ? is_stored || is_head_intact : is_head_intact && !is_stored)
        status = zti_load_index(s->r, s->f, &s->tail, s->r->payload.bytes, &opened, &index);
    if (!status && index)
        status = zti_index_check(s->r->context, index);
    if (status && status != ZT_NO_MEMORY) {
        status = ZT_OK;
        index = NULL;
    }
    for (uint64_t tile = 0, last; !status && tile < s->coding.grid.count; tile = last)
        status = decode_piece(s, index, tile, &last, view);
    zti_index_close(s->r->context, &opened);
    return status;
}

static zt_status tell_tiles(struct frame *s)
{
    const uint64_t *runs = (const uint64_t *)(const void *)s->runs.bytes;
    const char *why = s->is_cut ? "the file is cut short" : "the payload is damaged";
    zt_status status = ZT_OK;
    for (uint64_t i = 0; !status && i < s->runs_count; i++)
        for (uint64_t tile = runs[2 * i]; !status && tile < runs[2 * i + 1];) {
            const zt_box coded = zti_box_of_tiles(&s->coding.grid, &tile, runs[2 * i + 1]);
            zt_box box = {{0}, {0}};
            status = report_coded(s, ZT_LOSS_LOST, &coded, 0, &box, why);
        }
    return status;
}

/* Report all tiles that are not lost as unverified. */
static zt_status tell_unverified(struct frame *s)
{
    const uint64_t *runs = (const uint64_t *)(const void *)s->runs.bytes;
    const char *why = s->f->exact_values + s->f->special_values > 0
                          ? "the frame's exact and special values are lost"
                          : "the frame's checksums are lost";
    zt_status status = ZT_OK;
    uint64_t tile = 0;
    for (uint64_t i = 0; !status && i <= s->runs_count; i++) {
        const uint64_t end = i < s->runs_count ? runs[2 * i] : s->coding.grid.count;
        while (!status && tile < end) {
            const zt_box coded = zti_box_of_tiles(&s->coding.grid, &tile, end);
            zt_box box = {{0}, {0}};
            status = report_coded(s, ZT_LOSS_UNVERIFIED, &coded, 0, &box, why);
        }
        tile = i < s->runs_count ? runs[2 * i + 1] : tile;
    }
    return status;
}

/* Decode what is intact; if the plan needs it, in scratch memory first. */
static zt_status decode(struct frame *s)
{
    const struct zti_frame *f = s->f;
    const struct zti_grid *grid = &s->coding.grid;
    uint8_t *scratch = NULL;
    struct zti_array coded;
    if (!zti_plan_view(&f->plan, s->out, &coded)) {
        const uint64_t values = zti_array_values(grid->rank, grid->shape);
        scratch = zti_alloc_zeroed(s->r->context, (size_t)values * zt_type_bytes(f->type));
        if (!scratch)
            return zti_fail(s->r->context, ZT_NO_MEMORY, "no memory for %" PRIu64 " values",
                            values);
        coded = zti_array_packed(scratch, f->type, grid->rank, grid->shape);
    }
    const struct zti_view view = zti_view_whole(&coded), out = zti_view_whole(s->out);
    const zt_status status = decode_pieces(s, &view);
    if (!status && scratch) {
        zt_box all = {{0}, {0}};
        memcpy(all.hi, grid->shape, grid->rank * sizeof *all.hi);
        zti_plan_uncover(&f->plan, f->shape, &all, scratch, &out);
    }
    if (!status)
        zti_limits_apply(s->r->context, &f->limits, s->out);
    if (!status && s->has_tail)
        zti_tail_apply(f, &s->tail, &out);
    zti_release(s->r->context, scratch);
    return status;
}

static zt_status salvage_parts(struct frame *s)
{
    const struct zti_frame *f = s->f;
    const uint64_t at = s->r->places[s->r->now.number].at + f->header_bytes;
    zt_status status = load_tail(s, at + f->payload_bytes);
    if (!status)
        status = load_payload(s, at);
    if (!status)
        status = find_bad(s);
    if (!status)
        status = decode(s);
    if (!status && !s->has_tail && (!s->has_checksums || f->exact_values + f->special_values > 0))
        status = tell_unverified(s);
    return status ? status : tell_tiles(s);
}

zt_status zti_salvage_frame(struct zt_reader *r, const struct zti_array *out, zt_salvage *salvage)
{
    const struct zti_view view = zti_view_whole(out);
    zt_status status =
        zti_load_view(r, r->now.number, &r->now.frame, r->places[r->now.number].at, &view);
    if (status != ZT_CORRUPT && status != ZT_UNSUPPORTED && status != ZT_IO)
        return status;
    struct frame s = {
        .r = r, .f = &r->now.frame, .out = out, .salvage = salvage, .coding = r->now.frame.coding};
    salvage->damaged_frames++;
    status = salvage_parts(&s);
    zti_forget(r->context, &s.coding);
    zti_buffer_free(r->context, &s.bad);
    zti_buffer_free(r->context, &s.runs);
    return status;
}
