/* reader.c: opens a file, goes from frame to frame, and reads boxes; load.c reads each frame.
 *
 * A file of known size is opened from its end, where the seek table is. A sequential one is read
 * frame by frame; at its end the seek table must agree with the frames. */
#include "frame/read/reader.h"

#include <inttypes.h>
#include <math.h>

/* ---- opening ---- */

void zti_reader_clear(struct zt_reader *r)
{
    zti_close_frame(r);
    zti_release(r->context, r->places);
    zti_table_free(r->context, &r->now.met);
    zti_buffer_free(r->context, &r->head);
    zti_buffer_free(r->context, &r->payload);
    zti_buffer_free(r->context, &r->front);
    zti_buffer_free(r->context, &r->tail);
    zti_buffer_free(r->context, &r->map);
    zti_buffer_free(r->context, &r->input.ends);
}

void zti_reader_shape(const struct zt_reader *r, uint64_t *shape)
{
    memcpy(shape, r->first.shape, sizeof r->first.shape);
    shape[0] = r->places         ? r->places[r->frames].first
               : r->now.is_ended ? r->now.met.extent
                                 : ZT_UNKNOWN;
}

bool zti_extent_fits(const struct zti_frame *f, uint64_t extent)
{
    uint64_t shape[ZT_MAX_RANK];
    memcpy(shape, f->shape, sizeof shape);
    shape[0] = extent;
    return zti_shape_fits(f->type, f->rank, shape);
}

static zt_status check_extent(struct zt_reader *r, uint64_t extent)
{
    return zti_extent_fits(&r->first, extent)
               ? ZT_OK
               : zti_fail(r->context, ZT_CORRUPT,
                          "the file's %" PRIu64 " slices are an impossible size", extent);
}

void zti_reader_count(struct zt_reader *r, const struct zti_frame *f)
{
    if (zti_is_raw(f))
        r->sums.raw_frames++;
    else if (!r->sums.coded.coding.codec)
        r->sums.coded = *f;
    r->sums.frames++;
    r->sums.stream_bytes += f->payload_bytes;
    r->sums.exact_values += f->exact_values;
    r->sums.special_values += f->special_values;
    r->sums.index_bytes += f->index_bytes;
    r->sums.counted_values += zti_counted_values(f);
    if (f->mean.kind != ZT_LOSSLESS)
        r->sums.error += f->error * (double)zti_counted_values(f);
}

static zt_status cut_short(struct zt_reader *r)
{
    return zti_fail(r->context, ZT_CORRUPT,
                    "the file is cut short or was not finished: there is no seek table at its end");
}

static zt_status open_known(struct zt_reader *r)
{
    struct zti_input *in = &r->input;
    const uint8_t *bytes;
    uint32_t header_bytes;
    uint64_t front = in->bytes < ZTI_FRAME_ALIGN_BYTES ? in->bytes : ZTI_FRAME_ALIGN_BYTES;
    zt_status status = zti_input_bring_ends(in);
    if (!status)
        status = zti_input_view(in, 0, front, &r->head, &bytes);
    if (status)
        return status;
    if (front >= sizeof zti_frame_magic + 1 && front < ZTI_FRAME_ALIGN_BYTES &&
        memcmp(bytes, zti_frame_magic, sizeof zti_frame_magic) == 0)
        return cut_short(r);
    if (front < ZTI_FRAME_ALIGN_BYTES)
        return zti_fail(r->context, ZT_CORRUPT, "not a .zt file: it has %" PRIu64 " bytes only",
                        in->bytes);
    status = zti_header_bytes(r->context, 0, bytes, &header_bytes);
    if (status)
        return status;

    status = zti_input_view(in, in->bytes - 8, 8, &r->head, &bytes);
    if (status)
        return status;
    uint64_t table_bytes = zti_get_le32(bytes);
    if (memcmp(bytes + 4, zti_end_magic, sizeof zti_end_magic) != 0)
        return cut_short(r);
    if (table_bytes < ZTI_TABLE_MIN_BYTES || table_bytes > in->bytes - ZTI_FRAME_ALIGN_BYTES)
        return zti_fail(r->context, ZT_CORRUPT, "the seek table at the end of the file is damaged");
    status = zti_input_view(in, in->bytes - table_bytes, table_bytes, &r->tail, &bytes);
    if (!status)
        status = zti_table_parse(r->context, bytes, (size_t)table_bytes, in->bytes, &r->places,
                                 &r->frames);
    if (!status)
        status = zti_load_header(r, 0, &r->first);
    if (!status)
        status = check_extent(r, r->places[r->frames].first);
    return status;
}

/* ---- a sequential source ---- */

/* Read the rest of a header whose first ZTI_FRAME_ALIGN_BYTES are in r->head from byte 'skip' on,
 * and parse it. */
static zt_status read_header(struct zt_reader *r, size_t skip, uint64_t number, struct zti_frame *f)
{
    uint32_t n;
    zt_status status = zti_header_bytes(r->context, number, r->head.bytes + skip, &n);
    if (!status)
        status = zti_buffer_reserve(r->context, &r->head, skip + n, skip + ZTI_FRAME_ALIGN_BYTES);
    if (status)
        return status;
    size_t rest = n - ZTI_FRAME_ALIGN_BYTES, got = 0;
    status = zti_input_next(&r->input, rest, r->head.bytes + skip + ZTI_FRAME_ALIGN_BYTES, &got);
    if (status)
        return status;
    if (got < rest)
        return cut_short(r);
    return zti_header_parse(r->context, number, r->head.bytes + skip, n, f);
}

static zt_status open_sequential(struct zt_reader *r)
{
    size_t got = 0;
    zt_status status = zti_buffer_reserve(r->context, &r->head, ZTI_FRAME_ALIGN_BYTES, 0);
    if (!status)
        status = zti_input_next(&r->input, ZTI_FRAME_ALIGN_BYTES, r->head.bytes, &got);
    if (status)
        return status;
    if (got < ZTI_FRAME_ALIGN_BYTES)
        return zti_fail(r->context, ZT_CORRUPT, "not a .zt file: it has %zu bytes only", got);
    status = read_header(r, 0, 0, &r->first);
    if (!status && r->first.first != 0)
        status =
            zti_fail(r->context, ZT_CORRUPT, "frame 0 begins at slice %" PRIu64, r->first.first);
    return status;
}

/* Read the rest of the seek table, of which r->head has 'got' bytes; the source must end there. */
static zt_status read_table(struct zt_reader *r, size_t got)
{
    uint64_t bytes = zti_table_bytes(&r->now.met);
    size_t want = (size_t)bytes + 1, more = 0; /* one more byte, to detect the end */
    zt_status status = zti_buffer_reserve(r->context, &r->head, want, got);
    if (!status)
        status = zti_buffer_reserve(r->context, &r->tail, bytes, 0);
    if (!status && got < want)
        status = zti_input_next(&r->input, want - got, r->head.bytes + got, &more);
    if (status)
        return status;
    zti_table_store(&r->now.met, r->tail.bytes);
    got += more;
    if (got < bytes && memcmp(r->head.bytes, r->tail.bytes, got) == 0)
        return cut_short(r);
    if (got < bytes || memcmp(r->head.bytes, r->tail.bytes, (size_t)bytes) != 0)
        return zti_fail(r->context, ZT_CORRUPT,
                        "the seek table does not fit the %" PRIu64 " frames before it", r->frames);
    if (got > bytes)
        return zti_fail(r->context, ZT_CORRUPT, "there are bytes after the end of the file");
    r->now.end_bytes = r->input.at;
    r->now.is_ended = true;
    return ZT_OK;
}

/* Read what follows a frame: the seek table, or padding and the next header. */
static zt_status read_next(struct zt_reader *r)
{
    uint64_t at = r->input.at;
    size_t pad = (size_t)(zti_frame_at(at) - at), got = 0;
    size_t want = pad + ZTI_FRAME_ALIGN_BYTES;
    zt_status status = zti_buffer_reserve(r->context, &r->head, want, 0);
    if (!status)
        status = zti_input_next(&r->input, want, r->head.bytes, &got);
    if (status)
        return status;
    if (got >= sizeof zti_table_magic &&
        memcmp(r->head.bytes, zti_table_magic, sizeof zti_table_magic) == 0)
        return read_table(r, got);
    if (got < want)
        return cut_short(r);
    if (!zti_all_zero(r->head.bytes, pad))
        return zti_fail(r->context, ZT_CORRUPT, "the bytes after frame %" PRIu64 " are not zero",
                        r->now.number);
    status = read_header(r, pad, r->now.number + 1, &r->now.frame);
    if (!status)
        status = zti_check_same_array(r, r->now.number + 1, &r->now.frame);
    if (!status && r->now.frame.first != r->now.met.extent)
        status = zti_fail(r->context, ZT_CORRUPT,
                          "frame %" PRIu64 " begins at slice %" PRIu64 ", not %" PRIu64,
                          r->now.number + 1, r->now.frame.first, r->now.met.extent);
    if (!status)
        status = check_extent(r, r->now.met.extent + r->now.frame.shape[0]);
    return status;
}

static zt_status next_sequential(struct zt_reader *r)
{
    const struct zti_frame *f = &r->now.frame;
    zt_status status = ZT_OK;
    if (!r->now.has_frame) {
        r->now.frame = r->first;
        r->now.number = 0;
    } else {
        if (!r->now.is_read)
            status = zti_input_skip(&r->input, zti_frame_bytes(f) - f->header_bytes, &r->payload);
        if (!status)
            status = read_next(r);
        if (status || r->now.is_ended)
            return status;
        r->now.number++;
    }
    r->frames = r->now.number + 1;
    zti_reader_count(r, f);
    return zti_table_add(r->context, &r->now.met, zti_frame_bytes(f), f->shape[0]);
}

static zt_status next_known(struct zt_reader *r)
{
    uint64_t number = r->now.has_frame ? r->now.number + 1 : 0;
    if (number == r->frames) {
        r->now.is_ended = true;
        return ZT_OK;
    }
    r->now.number = number;
    if (number > 0)
        return zti_load_header(r, number, &r->now.frame);
    r->now.frame = r->first;
    return ZT_OK;
}

/* ---- boxes ---- */

/* The number of the frame that holds a slice. */
static uint64_t frame_of_slice(const struct zt_reader *r, uint64_t slice)
{
    uint64_t lo = 0, hi = r->frames; /* places[lo].first <= slice < places[hi].first */
    while (hi - lo > 1) {
        uint64_t middle = lo + (hi - lo) / 2;
        if (r->places[middle].first <= slice)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

zt_status zti_output_check(struct zt_reader *r, const zt_array *given, const uint64_t *shape,
                           const char *what, struct zti_array *out)
{
    if (!given)
        return zti_fail(r->context, ZT_BAD_ARG, "no output array");
    zt_status status = zti_array_check(r->context, given, ZTI_TO_WRITE, out);
    if (!status && !zti_array_is_of(out, r->first.type, r->first.rank, shape))
        status =
            zti_fail(r->context, ZT_BAD_ARG,
                     "the output array does not have the type, rank and shape of the %s", what);
    return status;
}

static bool is_whole(const struct zti_view *view, const struct zti_frame *f)
{
    for (uint32_t i = 0; i < f->rank; i++)
        if (view->lo[i] != 0 || view->hi[i] != f->shape[i])
            return false;
    return true;
}

/* Check a box and an output array, and decode the box. */
static zt_status read_box(struct zt_reader *r, const zt_box *box, const zt_array *given)
{
    struct zti_array out;
    uint64_t shape[ZT_MAX_RANK], extents[ZT_MAX_RANK];
    zti_reader_shape(r, shape);
    zt_status status = zti_box_check(r->context, box, r->first.rank, shape);
    for (uint32_t i = 0; i < r->first.rank && !status; i++)
        extents[i] = box->hi[i] - box->lo[i];
    if (!status)
        status = zti_output_check(r, given, extents, "box", &out);
    uint64_t number = status ? r->frames : frame_of_slice(r, box->lo[0]);
    for (; !status && number < r->frames && r->places[number].first < box->hi[0]; number++) {
        const struct zti_place *place = &r->places[number];
        uint64_t from = box->lo[0] > place->first ? box->lo[0] : place->first;
        uint64_t to = box->hi[0] < place[1].first ? box->hi[0] : place[1].first;
        struct zti_view view;
        memset(&view, 0, sizeof view);
        view.out = zti_array_slab(&out, from - box->lo[0], to - from);
        memcpy(view.lo, box->lo, sizeof view.lo);
        memcpy(view.hi, box->hi, sizeof view.hi);
        view.lo[0] = from - place->first;
        view.hi[0] = to - place->first;
        struct zti_frame f = r->first;
        bool is_done = false;
        if (number > 0)
            status = zti_load_header(r, number, &f);
        if (!status && is_whole(&view, &f))
            status = zti_load_at_once(r, &f, &view.out, &is_done);
        if (!status && !is_done)
            status = zti_load_view(r, number, &f, place->at, &view);
        if (!status && is_whole(&view, &f))
            status = zti_check_padding(r, number);
    }
    return status;
}

/* ---- public calls ---- */

zt_status zti_reader_init(zt_context *context, const struct zti_input *input, struct zt_reader *r)
{
    memset(r, 0, sizeof *r);
    r->context = context;
    r->input = *input;
    return zti_is_sequential(input) ? open_sequential(r) : open_known(r);
}

zt_status zti_source_check(zt_context *context, const zt_source *source, zt_reader **reader)
{
    if (!source || !source->read || source->reserved[0] || source->reserved[1] || !reader)
        return zti_fail(context, ZT_BAD_ARG,
                        "no source with a read function and reserved words of 0, or no place for "
                        "the reader");
    if (source->source_bytes > INT64_MAX && source->source_bytes != ZT_UNKNOWN)
        return zti_fail(context, ZT_BAD_ARG, "a source of %" PRIu64 " bytes is not possible",
                        source->source_bytes);
    return ZT_OK;
}

zt_status zt_reader_open(zt_context *context, const zt_source *source, zt_reader **reader)
{
    zt_status status = zti_source_check(context, source, reader);
    if (status)
        return status;
    struct zt_reader *r = (struct zt_reader *)zti_alloc(context, sizeof *r);
    if (!r)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a reader");
    struct zti_input input = {.context = context, .source = *source, .bytes = source->source_bytes};
    status = zti_reader_init(context, &input, r);
    if (status) {
        zt_reader_close(r);
        return status;
    }
    *reader = r;
    return ZT_OK;
}

void zt_reader_close(zt_reader *reader)
{
    if (!reader)
        return;
    zt_context *context = reader->context;
    zti_reader_clear(reader);
    zti_release(context, reader);
}

static void describe(const struct zt_reader *r, zt_info *info)
{
    const struct zti_frame *f = &r->first;
    const struct zti_frame *const coded = r->sums.coded.coding.codec ? &r->sums.coded : f;
    memset(info, 0, sizeof *info);
    info->format_version = ZTI_FORMAT_VERSION;
    info->codec = coded->coding.codec->id;
    info->type = f->type;
    info->rank = f->rank;
    info->index = coded->index.kind;
    info->index_chunk = coded->index.chunk_tiles;
    info->index_partition = coded->index.partition;
    if (coded->index.kind == ZT_INDEX_NONE && zti_has_ends(&coded->coding)) {
        info->index = ZT_INDEX_STREAM;
        info->index_chunk = 1;
    }
    zti_reader_shape(r, info->shape);
    info->bound = f->bound;
    info->abs_bound = f->abs_bound;
    info->slab_extent = f->shape[0];
    info->raw_bytes = info->stream_bytes = info->file_bytes = info->frames = ZT_UNKNOWN;
    info->exact_values = info->special_values = info->index_bytes = ZT_UNKNOWN;
    info->raw_frames = ZT_UNKNOWN;
    info->psnr = info->mean_error = (double)NAN;
    info->range = f->mean.kind == ZT_PSNR ? f->range : (double)NAN;
    info->mean = f->mean;
    info->within_lo = isfinite(f->limits.lo) ? f->limits.lo : (double)NAN;
    info->within_hi = isfinite(f->limits.hi) ? f->limits.hi : (double)NAN;
    if (info->shape[0] != ZT_UNKNOWN) {
        info->raw_bytes = zti_array_values(f->rank, info->shape) * zt_type_bytes(f->type);
        info->stream_bytes = r->sums.stream_bytes;
        info->exact_values = r->sums.exact_values;
        info->special_values = r->sums.special_values;
        info->index_bytes = r->sums.index_bytes;
        info->frames = r->frames;
        info->raw_frames = r->sums.raw_frames;
        if (f->mean.kind != ZT_LOSSLESS)
            info->mean_error =
                zti_mean_reached(&f->mean, f->range, r->sums.error, r->sums.counted_values);
        if (f->mean.kind == ZT_PSNR)
            info->psnr = info->mean_error;
        info->file_bytes = zti_is_sequential(&r->input) ? r->now.end_bytes : r->input.bytes;
    }
    coded->coding.codec->describe(&coded->coding, info);
    zt_plan plan = {.rank = 0};
    zti_plan_describe(&coded->plan, coded->shape, &plan);
    memcpy(info->plan_words, &plan, sizeof info->plan_words);
    memcpy(info->name, f->name, sizeof f->name);
    memcpy(info->units, f->units, sizeof f->units);
}

zt_status zt_reader_info(zt_reader *reader, zt_info *info)
{
    if (!reader)
        return ZT_BAD_ARG;
    zt_status status = zti_info_check(reader->context, info);
    while (!status && reader->places && reader->sums.frames < reader->frames) {
        struct zti_frame f;
        status = zti_load_header(reader, reader->sums.frames, &f);
        if (!status)
            zti_reader_count(reader, &f);
    }
    if (status)
        return status;
    zt_info known;
    describe(reader, &known);
    zti_info_store(&known, info);
    return ZT_OK;
}

_Static_assert(offsetof(zt_plan, reserved) == sizeof((zt_info *)0)->plan_words,
               "a zt_info has room for a plan");

zt_status zt_info_plan(const zt_info *info, zt_plan *plan)
{
    if (!info || !plan)
        return ZT_BAD_ARG;
    memset(plan, 0, sizeof *plan);
    memcpy(plan, info->plan_words, sizeof info->plan_words);
    return ZT_OK;
}

zt_status zt_reader_read_box(zt_reader *reader, const zt_box *box, const zt_array *out)
{
    if (!reader)
        return ZT_BAD_ARG;
    if (!box || !reader->places || reader->is_damaged)
        return zti_fail(reader->context, ZT_BAD_ARG,
                        !box ? "no box"
                        : reader->places
                            ? "a damaged file cannot be read by boxes; go through its frames"
                            : "a sequential source cannot be read by boxes; go through its frames");
    return read_box(reader, box, out);
}

zt_status zt_reader_next(zt_reader *reader, uint64_t *first, uint64_t *extent)
{
    if (!reader)
        return ZT_BAD_ARG;
    if (!first || !extent)
        return zti_fail(reader->context, ZT_BAD_ARG, "no place for the frame's slices");
    if (reader->now.is_failed)
        return zti_fail(reader->context, ZT_BAD_ARG,
                        "the reader has failed before; open another one");
    zt_status status = ZT_OK;
    zti_close_frame(reader);
    if (!reader->now.is_ended)
        status = reader->is_damaged ? zti_salvage_next(reader)
                 : reader->places   ? next_known(reader)
                                    : next_sequential(reader);
    reader->now.is_failed = status != ZT_OK;
    if (status)
        return status;
    reader->now.has_frame = true;
    reader->now.is_read = false;
    reader->now.slices = 0;
    if (reader->now.is_ended) {
        uint64_t shape[ZT_MAX_RANK];
        zti_reader_shape(reader, shape);
        *first = shape[0];
        *extent = 0;
    } else {
        *first = reader->now.frame.first;
        *extent = reader->now.frame.shape[0];
    }
    return ZT_OK;
}

/* ---- the current frame, whole or in parts ---- */

/* Decode the next slices of the current frame, as many as out has. */
static zt_status read_part(struct zt_reader *r, const struct zti_array *out)
{
    const uint64_t extent = out->shape[0];
    const uint64_t at =
        r->places ? r->places[r->now.number].at : r->input.at - r->now.frame.header_bytes;
    zt_status status = ZT_OK;
    r->now.is_read = true;
    if (!r->opened.is_open)
        status =
            zti_open_frame(r, r->now.number, &r->now.frame, at, extent < r->now.frame.shape[0]);
    struct zti_view view = zti_view_whole(out);
    view.lo[0] = r->now.slices;
    view.hi[0] = r->now.slices + extent;
    if (!status)
        status = zti_decode_part(r, &view);
    r->now.slices += extent;
    if (status || r->now.slices == r->now.frame.shape[0])
        zti_close_frame(r);
    if (!status && r->now.slices == r->now.frame.shape[0] && r->places)
        status = zti_check_padding(r, r->now.number);
    r->now.is_failed = status != ZT_OK && !r->places;
    if (status)
        r->now.slices = r->now.frame.shape[0]; /* nothing more can be read of it */
    return status;
}

/* Check that the current frame has slices that were not read. */
static zt_status check_at_hand(const struct zt_reader *r)
{
    if (!r->now.has_frame || r->now.is_ended || r->now.slices == r->now.frame.shape[0] ||
        r->now.is_failed)
        return zti_fail(r->context, ZT_BAD_ARG,
                        "there is no frame to be read; zt_reader_next goes to the next one");
    return r->is_damaged ? zti_fail(r->context, ZT_BAD_ARG,
                                    "the file was opened as a damaged one; use zt_reader_salvage")
                         : ZT_OK;
}

zt_status zt_reader_read(zt_reader *reader, const zt_array *out)
{
    struct zti_array array;
    uint64_t shape[ZT_MAX_RANK];
    if (!reader)
        return ZT_BAD_ARG;
    zt_status status = check_at_hand(reader);
    if (status)
        return status;
    const uint64_t left = reader->now.frame.shape[0] - reader->now.slices;
    memcpy(shape, reader->now.frame.shape, sizeof shape);
    shape[0] = out && out->shape[0] < left ? out->shape[0] : left;
    status = zti_output_check(reader, out, shape, "part of a frame", &array);
    return status ? status : read_part(reader, &array);
}

/* The fewest slices that whole tiles make up; 0: slices do not follow each other along the slowest
 * axis of the coded array. */
static uint64_t tile_slices(const struct zti_frame *f)
{
    uint64_t rows = 1; /* of a slice, along the slowest coded axis */
    uint64_t common = f->coding.grid.side[0], rest;
    if (f->plan.axis[0] != 0)
        return 0;
    for (uint32_t i = 1; i < f->rank && f->plan.is_joined[i]; i++) {
        if (f->plan.axis[i] != i)
            return 0;
        rows *= f->shape[i];
    }
    for (uint64_t b = rows; b > 0; b = rest) { /* the greatest common divisor */
        rest = common % b;
        common = b;
    }
    return f->coding.grid.side[0] / common;
}

uint64_t zt_reader_part_extent(const zt_reader *reader, uint64_t part_bytes)
{
    if (!reader || !reader->now.has_frame || reader->now.is_ended)
        return 0;
    const struct zti_frame *const f = &reader->now.frame;
    const uint64_t left = f->shape[0] - reader->now.slices;
    const uint64_t slice_bytes =
        zti_array_values(f->rank - 1, f->shape + 1) * zt_type_bytes(f->type);
    const bool has_places = f->index.kind != ZT_INDEX_NONE || zti_has_ends(&f->coding) ||
                            zti_fixed_bits(&f->coding) > 0;
    const uint64_t side = tile_slices(f);
    if (side == 0 || !has_places)
        return left; /* several parts would decode the same tiles */
    uint64_t extent = part_bytes / slice_bytes / side * side;
    if (extent == 0)
        extent = side;
    return extent < left ? extent : left;
}

zt_status zt_reader_fills(const zt_reader *reader, uint32_t *fills, uint64_t *fill)
{
    if (!reader)
        return ZT_BAD_ARG;
    if (!fills || !fill)
        return zti_fail(reader->context, ZT_BAD_ARG, "no place for fill values");
    *fills = reader->fills;
    memcpy(fill, reader->fill, sizeof reader->fill);
    return ZT_OK;
}

zt_status zt_reader_check(zt_reader *reader)
{
    if (!reader)
        return ZT_BAD_ARG;
    if (!reader->places || reader->is_damaged)
        return zti_fail(reader->context, ZT_BAD_ARG,
                        "a sequential source, or one opened as damaged, cannot be checked; read "
                        "it");
    zt_status status = ZT_OK;
    zti_close_frame(reader); /* its buffers are needed */
    for (uint64_t i = 0; i < reader->frames && !status; i++)
        status = zti_check_frame(reader, i);
    return status;
}
