/* writer.c: from slabs to frames: re-cutting, coding, and the order in which bytes go out.
 *
 * A frame is coded from the caller's memory where a put holds all of it and nothing is staged,
 * else from a C-contiguous copy. Its payload is coded into a buffer of the writer, or, where the
 * file is made in memory, at the place where it will stay: the header is as long as its contents
 * need, which is known afterwards, so its length is guessed from the largest numbers that can
 * come, and a guess that was too long (rare: lengths are whole units of 64 bytes) costs one
 * memmove. The bytes never depend on how slabs were put, nor on where they go. */
#include "array/mirror.h"
#include "frame/write/stages.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Of the values of a frame, this part at most is kept beside the stream; with more the frame is
 * coded without loss, which is then about as small. */
enum { MISSES_PART = 8 };

struct zti_index_layout zti_layout_of(const zt_params *p, const struct zti_coding *coding)
{
    struct zti_index_layout layout = {
        .kind = p->index, .chunk_tiles = p->index_chunk, .partition = p->index_partition};
    if (layout.kind == ZT_INDEX_DEFAULT)
        layout.kind = ZT_INDEX_COMPACT;
    if (layout.chunk_tiles == 0)
        layout.chunk_tiles = zti_usual_chunk_tiles(coding);
    if (layout.partition == 0 && layout.kind == ZT_INDEX_HYBRID)
        layout.partition = ZTI_INDEX_PARTITION;
    return layout;
}

bool zti_is_lossless(const zt_bound *bound)
{
    return bound->kind == ZT_LOSSLESS ||
           ((bound->kind == ZT_ABS || bound->kind == ZT_REL || bound->kind == ZT_PWREL) &&
            bound->value == 0);
}

zt_status zti_writer_init(zt_context *context, const struct zti_array *whole,
                          const zt_params *params, struct zt_writer *w)
{
    memset(w, 0, sizeof *w);
    w->context = context;
    zt_status status = zti_params_load(context, params, &w->params);
    if (!status && w->params.bound.kind == ZT_PWREL && !zti_is_float(whole->type))
        status = zti_fail(context, ZT_UNSUPPORTED,
                          "a bound relative to each value (pwrel) is for floating-point arrays; "
                          "use abs or rel for integers, or no bound");
    if (status)
        return status;

    if (w->params.bound.value == 0)
        w->params.bound.value = 0; /* -0 is not another bound */
    if (w->params.name)
        memcpy(w->name, w->params.name, strlen(w->params.name));
    if (w->params.units)
        memcpy(w->units, w->params.units, strlen(w->params.units));
    w->params.name = w->params.units = NULL; /* the caller's */
    const uint32_t kind = zti_is_lossless(&w->params.bound) ? ZT_LOSSLESS : w->params.bound.kind;
    w->codec = w->params.codec == ZT_CODEC_AUTO ? zti_codec_auto(whole->type, kind)
                                                : zti_codec_by_id(w->params.codec);
    w->type = whole->type;
    w->rank = whole->rank;
    memcpy(w->shape, whole->shape, sizeof w->shape);
    w->slice_bytes = zti_array_values(w->rank - 1, w->shape + 1) * zt_type_bytes(w->type);

    w->is_codec_open = w->params.codec == ZT_CODEC_AUTO && zti_has_planning(&w->params) &&
                       w->params.bound.kind != ZT_PWREL;
    if (!w->is_codec_open)
        w->params.codec = w->codec->id;
    const uint32_t side =
        w->is_codec_open ? zti_side_of_all(w) : w->codec->tile_shape[w->rank - 1][0];
    uint64_t layer_bytes, layers = 1;
    if (zti_mul(w->slice_bytes, side, &layer_bytes) && w->params.slab_bytes > layer_bytes)
        layers = w->params.slab_bytes / layer_bytes;
    w->thickness = layers * side;
    if (w->thickness > w->shape[0])
        w->thickness = w->shape[0];
    return ZT_OK;
}

void zti_writer_clear(struct zt_writer *w)
{
    zti_buffer_free(w->context, &w->stage);
    zti_buffer_free(w->context, &w->payload);
    zti_buffer_free(w->context, &w->tail);
    zti_buffer_free(w->context, &w->starts);
    zti_buffer_free(w->context, &w->turned);
    zti_buffer_free(w->context, &w->decoded);
    zti_table_free(w->context, &w->table);
}

/* ---- one frame: what it is ---- */

zt_status zti_writer_prepare(struct zt_writer *w, const struct zti_array *slab,
                             const zt_stats *stats, struct zti_frame *f, struct zti_ask *ask)
{
    memset(f, 0, sizeof *f);
    f->first = w->table.extent;
    f->type = w->type;
    f->rank = w->rank;
    memcpy(f->shape, slab->shape, sizeof f->shape);
    f->bound = w->params.bound;
    if (w->table.frames == 0) {
        memcpy(f->name, w->name, sizeof f->name);
        memcpy(f->units, w->units, sizeof f->units);
    }
    f->coding.codec = w->codec;
    f->coding.type = w->type;
    f->coding.verify_bound = (double)NAN;
    zti_frame_set_plan(f, w->fixed ? &w->fixed->plan : NULL);

    *ask = (struct zti_ask){.params = &w->params, .min = (double)NAN, .max = (double)NAN};
    zt_status status = zti_bound_resolve(w->context, &w->params.bound, w->type, w->params.range_lo,
                                         w->params.range_hi, &ask->kind, &ask->abs_bound);
    f->abs_bound = ask->abs_bound;
    ask->part = w->params.bound.value;
    if (w->params.bound.kind == ZT_PSNR)
        f->range = zti_range_of(w->type, w->params.range_lo, w->params.range_hi);
    if (status || ask->kind == ZT_LOSSLESS ||
        !(zti_is_float(w->type) || ask->kind == ZT_ABS || ask->kind == ZT_PSNR ||
          w->params.fills > 0))
        return status;

    zt_stats own;
    if (!stats) {
        (void)zt_stats_init(&own, sizeof own);
        zti_stats_set_fills(&own, &w->params);
        status = zti_scan(w->context, slab, &own);
        stats = &own;
    }
    ask->min = stats->min;
    ask->max = stats->max;
    f->special_values = stats->nan_values + stats->inf_values + stats->fill_values;
    ask->special_values = f->special_values;
    return status;
}

/* Take the special values out of a slab, into *special; *slab is then what the codec is given. With
 * too many different ones it is given all of them, without loss. */
static zt_status take_out_special(struct zt_writer *w, struct zti_frame *f, struct zti_ask *ask,
                                  struct zti_special *special, struct zti_array *slab)
{
    if (f->special_values == 0)
        return ZT_OK;
    zt_status status = zti_special_find(w->context, slab, w->params.fills, w->params.fill, special);
    if (status)
        return status;
    if (special->is_over) {
        zti_frame_leave_special(f);
        ask->kind = ZT_LOSSLESS;
        ask->abs_bound = 0;
        return ZT_OK;
    }
    f->special_bytes = special->body_bytes;
    return zti_special_fill(w->context, slab, &f->coding, ask, f->range, special, slab);
}

/* ---- one frame: its bytes ---- */

static uint64_t misses_limit(const struct zti_frame *f)
{
    return zti_array_values(f->rank, f->shape) / MISSES_PART;
}

/* Where the next header begins. */
static uint64_t next_frame_at(const struct zt_writer *w)
{
    return zti_round_up(w->at, ZTI_FRAME_ALIGN_BYTES);
}

zt_status zti_writer_no_space(const struct zt_writer *w)
{
    return zti_fail(w->context, ZT_NO_SPACE,
                    "the output buffer of %zu bytes is too small; zt_compress_bound says what "
                    "suffices",
                    w->memory_bytes);
}

static uint64_t chunks_of(const struct zti_frame *f)
{
    return zti_index_chunks(f->coding.grid.count, f->index.chunk_tiles);
}

/* Chunks from which on the default is an index: a smaller frame is decoded in no time. Of large
 * tiles fewer do. */
enum { DEFAULT_INDEX_CHUNKS = 64, DEFAULT_INDEX_TILES = 8 };

void zti_writer_choose_index(const struct zt_writer *w, struct zti_frame *f)
{
    const bool is_default = w->params.index == ZT_INDEX_DEFAULT;
    f->index = zti_layout_of(&w->params, &f->coding);
    const uint32_t least =
        zti_usual_chunk_tiles(&f->coding) == 1 ? DEFAULT_INDEX_TILES : DEFAULT_INDEX_CHUNKS;
    if (f->index.kind == ZT_INDEX_NONE || zti_fixed_bits(&f->coding) > 0 ||
        chunks_of(f) < (is_default ? least : 2) || (is_default && zti_has_ends(&f->coding)))
        f->index = (struct zti_index_layout){.kind = ZT_INDEX_NONE};
}

/* The lengths of f set to the most that they can be. */
void zti_frame_set_largest(struct zti_frame *f, uint64_t payload_bytes)
{
    f->payload_bytes = payload_bytes;
    f->exact_values = misses_limit(f);
    if (f->special_values > 0 && f->special_bytes == 0)
        f->special_bytes = zti_special_bytes_max(f->type, f->special_values);
    f->index_bytes =
        f->index.kind == ZT_INDEX_NONE ? 0 : zti_index_bytes_max(&f->index, chunks_of(f));
    f->tail_bytes = zti_tail_bytes_max(f);
}

zt_status zti_writer_payload_room(struct zt_writer *w, const struct zti_frame *f, size_t capacity,
                                  uint8_t **room, size_t *room_bytes)
{
    if (!w->sink.write && !w->is_aside) {
        struct zti_frame largest = *f;
        uint8_t header[ZTI_HEADER_STORED_BYTES];
        zti_frame_set_largest(&largest, capacity);
        const uint64_t at = next_frame_at(w) + zti_header_store(&largest, header);
        if (at <= w->memory_bytes && w->memory_bytes - at >= capacity) {
            *room = w->memory + at;
            *room_bytes = w->memory_bytes - (size_t)at;
            return ZT_OK;
        }
    }
    const zt_status status = zti_buffer_reserve(w->context, &w->payload, capacity, 0);
    *room = w->payload.bytes;
    *room_bytes = w->payload.capacity;
    return status;
}

zt_status zti_writer_starts_room(struct zt_writer *w, const struct zti_frame *f,
                                 struct zti_starts *starts)
{
    const bool has_index = f->index.kind != ZT_INDEX_NONE;
    uint64_t bytes;
    if (!has_index && !zti_has_ends(&f->coding))
        return ZT_OK;
    starts->chunk_tiles = zti_has_ends(&f->coding) ? 1 : f->index.chunk_tiles;
    if (!zti_mul(zti_index_chunks(f->coding.grid.count, starts->chunk_tiles) + 1, sizeof(uint64_t),
                 &bytes))
        return zti_fail(w->context, ZT_NO_MEMORY, "no memory for an index");
    zt_status status = zti_buffer_reserve(w->context, &w->starts, bytes, 0);
    starts->list = (uint64_t *)(void *)w->starts.bytes;
    return status;
}

void zti_writer_set_index(struct zti_frame *f, const struct zti_starts *starts)
{
    const struct zti_coding *coding = &f->coding;
    if (f->index.kind == ZT_INDEX_NONE)
        return;
    const uint64_t chunks = chunks_of(f), step = f->index.chunk_tiles / starts->chunk_tiles;
    const uint64_t end = (f->payload_bytes - zti_head_bytes(coding)) * 8;
    const uint32_t unit_bits = zti_unit_bits(coding);
    for (uint64_t i = 0; i < chunks; i++)
        starts->list[i] = starts->list[i * step] / unit_bits;
    starts->list[chunks] = end / unit_bits; /* padding is the last chunk's */
    f->index_bytes = zti_index_bytes(&f->index, starts->list, chunks);
}

/* Bytes of a stream beyond which it is of no use. In a search for a PSNR it is: the next bound is
 * found with it. */
static uint64_t stream_limit(const struct zt_writer *w, const struct zti_frame *f, uint64_t most)
{
    const uint64_t raw = zti_array_values(f->rank, f->shape) * zt_type_bytes(f->type);
    return zti_has_limit(&f->bound) && w->params.bound.kind != ZT_PSNR && raw < most ? raw : most;
}

/* Code a slab once, with f->coding as it is. */
static zt_status encode_once(struct zt_writer *w, struct zti_frame *f, const struct zti_array *slab,
                             struct zti_misses *misses, uint8_t **payload)
{
    const uint64_t head_bytes = zti_head_bytes(&f->coding);
    size_t capacity = 0, room_bytes = 0;
    uint64_t end_bits = 0;
    struct zti_starts starts = {.list = NULL};
    zti_writer_choose_index(w, f);
    zt_status status = zti_exec_capacity(w->context, &f->coding, &capacity);
    const uint64_t limit = stream_limit(w, f, head_bytes + capacity);
    misses->is_over = head_bytes > limit;
    if (!status && !misses->is_over)
        status = zti_writer_starts_room(w, f, &starts);
    if (!status && !misses->is_over)
        status = zti_writer_payload_room(w, f, (size_t)limit, payload, &room_bytes);
    if (status || misses->is_over)
        return status;
    if (room_bytes > limit)
        room_bytes = (size_t)limit;
    status = zti_exec_encode(w->context, &f->coding, slab, *payload, room_bytes, head_bytes * 8,
                             &end_bits, misses, starts.list ? &starts : NULL);
    if (status == ZT_NO_SPACE) {
        misses->is_over = true;
        status = ZT_OK;
    }
    f->payload_bytes = end_bits / 8;
    if (status || misses->is_over)
        return status;
    zti_put_head(&f->coding, starts.list, *payload);
    zti_writer_set_index(f, &starts);
    return ZT_OK;
}

zt_status zti_writer_code(struct zt_writer *w, struct zti_frame *f, const struct zti_ask *ask,
                          const struct zti_array *slab, struct zti_misses *misses,
                          uint8_t **payload)
{
    zti_forget(w->context, &f->coding);
    f->coding.grid = zti_codec_grid(f->coding.codec, slab->rank, slab->shape);
    zt_status status = zti_configure(w->context, ask, &f->coding);
    if (w->params.bound.kind == ZT_PSNR)
        f->coding.verify_bound = (double)NAN; /* it is the mean that counts */
    if (!status)
        status = zti_exec_survey(w->context, &f->coding, slab);
    return status ? status : encode_once(w, f, slab, misses, payload);
}

/* Code a slab with as many planes less as ask says; where so many values were left beyond the bound
 * that it does not pay, which samples have not shown, with one plane more, and then strictly. */
static zt_status encode_loosely(struct zt_writer *w, struct zti_frame *f, struct zti_ask *ask,
                                const struct zti_array *slab, uint64_t misses_most,
                                struct zti_misses *misses, uint8_t **payload)
{
    for (bool is_second = false;; is_second = true) {
        *misses = (struct zti_misses){.limit = misses_limit(f)};
        if (ask->loose_planes > 0 && misses_most < misses->limit)
            misses->limit = misses_most;
        const zt_status status = zti_writer_code(w, f, ask, slab, misses, payload);
        if (status || ask->loose_planes == 0 ||
            !zti_is_too_loose(misses, f->type, f->payload_bytes))
            return status;
        zti_misses_free(w->context, misses);
        ask->loose_planes = is_second ? 0 : ask->loose_planes - 1;
    }
}

/* Trials are not told as progress. */
static zt_status tighten(struct zt_writer *w, struct zti_ask *ask, const struct zti_array *slab,
                         uint64_t *misses_most)
{
    const zt_progress progress = zti_pause_progress(w->context);
    const zt_status status = zti_plan_tighten(w->context, slab, w->codec, ask, misses_most);
    zti_resume_progress(w->context, progress);
    return status;
}

/* Code a slab; without loss where too many values would have to be kept exactly, or the stream
 * would be longer than they are. misses->is_over: it is so without loss, too. */
static zt_status encode(struct zt_writer *w, struct zti_frame *f, struct zti_ask *ask,
                        const struct zti_array *slab, const struct zti_special *special,
                        struct zti_misses *misses, uint8_t **payload)
{
    uint64_t misses_most = UINT64_MAX;
    zt_status status = ZT_OK;
    if (ask->kind == ZT_PSNR)
        return zti_psnr_code(w, f, ask, slab, special, misses, payload);
    if (ask->kind == ZT_PWREL)
        status = zti_choose(w, f, ask, slab);
    if (!status && w->params.plan == ZT_PLAN_TIGHT)
        status = tighten(w, ask, slab, &misses_most);
    if (!status)
        status = encode_loosely(w, f, ask, slab, misses_most, misses, payload);
    if (!status && misses->is_over && ask->kind != ZT_LOSSLESS) {
        zti_misses_free(w->context, misses);
        *misses = (struct zti_misses){.list = NULL};
        ask->kind = ZT_LOSSLESS;
        ask->abs_bound = 0;
        status = zti_writer_code(w, f, ask, slab, misses, payload);
    }
    f->exact_values = misses->count;
    return status;
}

static zt_status write_out(struct zt_writer *w, const uint8_t *bytes, size_t n)
{
    if (w->sink.write(w->sink.user, bytes, n) != 0)
        return zti_fail(w->context, ZT_IO, "writing %zu bytes at byte %" PRIu64 " failed", n,
                        w->at);
    w->at += n;
    return ZT_OK;
}

/* Zero bytes to the frame's place, header, payload, zero bytes and tail, to the sink. */
static zt_status emit_to_sink(struct zt_writer *w, const struct zti_frame *f, const uint8_t *header,
                              const uint8_t *payload, const struct zti_tail_parts *parts)
{
    uint8_t front[ZTI_FRAME_ALIGN_BYTES + ZTI_HEADER_STORED_BYTES];
    size_t pad = (size_t)(next_frame_at(w) - w->at);
    memset(front, 0, pad);
    memcpy(front + pad, header, f->header_bytes);
    zt_status status = zti_buffer_reserve(w->context, &w->tail, ZTI_GAP_BYTES + f->tail_bytes, 0);
    if (status)
        return status;
    memset(w->tail.bytes, 0, ZTI_GAP_BYTES);
    zti_tail_store(w->context, f, payload, parts, w->tail.bytes + ZTI_GAP_BYTES);
    status = write_out(w, front, pad + f->header_bytes);
    if (!status && f->payload_bytes > 0)
        status = write_out(w, payload, (size_t)f->payload_bytes);
    if (!status)
        status = write_out(w, w->tail.bytes, (size_t)(ZTI_GAP_BYTES + f->tail_bytes));
    return status;
}

/* The same in memory, where the payload is already, or nearly. */
static zt_status emit_to_memory(struct zt_writer *w, const struct zti_frame *f,
                                const uint8_t *header, const uint8_t *payload,
                                const struct zti_tail_parts *parts)
{
    size_t at = (size_t)next_frame_at(w);
    uint64_t end = at + zti_frame_bytes(f);
    if (end > w->memory_bytes)
        return zti_writer_no_space(w);
    uint8_t *place = w->memory + at + f->header_bytes;
    if (payload != place)
        memmove(place, payload, (size_t)f->payload_bytes);
    memset(w->memory + w->at, 0, at - (size_t)w->at);
    memcpy(w->memory + at, header, f->header_bytes);
    memset(place + f->payload_bytes, 0, ZTI_GAP_BYTES);
    zti_tail_store(w->context, f, place, parts, place + f->payload_bytes + ZTI_GAP_BYTES);
    w->at = end;
    return ZT_OK;
}

void zti_writer_measure_frame(const struct zt_writer *w, struct zti_frame *f,
                              const struct zti_tail_parts *parts)
{
    if (w->params.index == ZT_INDEX_DEFAULT)
        zti_frame_limit_index(f, parts);
    zti_frame_measure(f, parts);
}

zt_status zti_writer_emit(struct zt_writer *w, struct zti_frame *f, const uint8_t *payload,
                          const struct zti_tail_parts *parts)
{
    uint8_t header[ZTI_HEADER_STORED_BYTES];
    zti_writer_measure_frame(w, f, parts);
    (void)zti_header_store(f, header);
    const zt_status status = zti_table_add(w->context, &w->table, zti_frame_bytes(f), f->shape[0]);
    if (status)
        return status;
    w->special_values += f->special_values;
    w->counted_values += zti_counted_values(f);
    w->error += f->error * (double)zti_counted_values(f);
    return w->sink.write ? emit_to_sink(w, f, header, payload, parts)
                         : emit_to_memory(w, f, header, payload, parts);
}

zt_status zti_writer_encode(struct zt_writer *w, struct zti_frame *f, struct zti_ask *ask,
                            const struct zti_array *slab, struct zti_special *special,
                            struct zti_misses *misses, uint8_t **payload)
{
    struct zti_array values; /* that the codec is given */
    zt_status status = zti_writer_turn(w, f, slab, &values);
    if (!status)
        status = take_out_special(w, f, ask, special, &values);
    if (!status)
        status = encode(w, f, ask, &values, special, misses, payload);
    return status;
}

/* Whether the host has to look at a frame's values: for special values, for a plan, to verify a
 * bound, or to learn before the first is coded. */
static bool is_looked_at(const struct zt_writer *w)
{
    const uint32_t kind = w->params.bound.kind;
    const bool is_exact_type = !zti_is_float(w->type) && w->params.fills == 0 && kind != ZT_ABS &&
                               kind != ZT_REL && kind != ZT_PSNR;
    return zti_has_planning(&w->params) || w->fixed || zti_learns(w->codec) ||
           !(zti_is_lossless(&w->params.bound) || is_exact_type);
}

/* Whether it has to for special values alone, of which a scan says whether there are any. */
static bool is_only_scanned(const struct zt_writer *w)
{
    const uint32_t kind = w->params.bound.kind;
    return !zti_has_planning(&w->params) && !w->fixed && !zti_learns(w->codec) &&
           (kind == ZT_RATE || kind == ZT_PRECISION || kind == ZT_EXPERT);
}

/* Code a slab, which is fetched from a GPU's memory where the host has to look at it. */
static zt_status code_frame(struct zt_writer *w, const struct zti_array *slab,
                            const zt_stats *stats)
{
    struct zti_mirror values = {.array = *slab};
    zt_status status = ZT_OK;
    zt_stats own;
    bool is_fetched = is_looked_at(w);
    if (is_fetched && is_only_scanned(w) && !stats) {
        (void)zt_stats_init(&own, sizeof own);
        zti_stats_set_fills(&own, &w->params);
        status = zti_scan(w->context, slab, &own);
        stats = &own;
        is_fetched = own.nan_values + own.inf_values + own.fill_values > 0;
    }
    if (!status && is_fetched)
        status = zti_mirror_open(w->context, slab, &values);
    if (!status)
        status = zti_writer_code_slab(w, &values.array, stats);
    zti_mirror_close(&values);
    return status;
}

/* ---- slabs ---- */

/* Slices of the frame that is next to be coded, as far as is known. */
static uint64_t next_extent(const struct zt_writer *w)
{
    if (w->shape[0] == ZT_UNKNOWN)
        return w->thickness;
    uint64_t left = w->shape[0] - w->table.extent;
    return left < w->thickness ? left : w->thickness;
}

/* Room for 'slices' staged ones: at once for all of a frame whose extent is known, else doubling,
 * so that a short array of unknown extent costs little. */
static zt_status reserve_stage(struct zt_writer *w, uint64_t slices)
{
    uint64_t most = next_extent(w), wanted = slices, bytes;
    if (w->shape[0] != ZT_UNKNOWN)
        wanted = most;
    else if (w->stage.capacity / w->slice_bytes < slices)
        wanted = slices < most / 2 ? 2 * slices : most;
    if (!zti_mul(wanted, w->slice_bytes, &bytes))
        return zti_fail(w->context, ZT_NO_MEMORY, "no memory for a slab of %" PRIu64 " slices",
                        wanted);
    return zti_buffer_reserve(w->context, &w->stage, bytes, (size_t)(w->staged * w->slice_bytes));
}

/* The staged slices as an array, or the place after them. */
static struct zti_array staged_array(const struct zt_writer *w)
{
    uint64_t shape[ZT_MAX_RANK];
    memcpy(shape, w->shape, sizeof shape);
    shape[0] = w->staged;
    return zti_array_packed(w->stage.bytes, w->type, w->rank, shape);
}

static zt_status code_staged(struct zt_writer *w)
{
    struct zti_array slab = staged_array(w);
    zt_status status = code_frame(w, &slab, NULL);
    w->staged = 0;
    return status;
}

zt_status zti_writer_put(struct zt_writer *w, const struct zti_array *slab, const zt_stats *stats)
{
    uint64_t extent = slab->shape[0], done = 0;
    while (done < extent) {
        uint64_t left = extent - done, whole = next_extent(w);
        uint64_t part = w->staged == 0 ? whole : whole - w->staged;
        part = left < part ? left : part;
        struct zti_array piece = zti_array_slab(slab, done, part);
        zt_status status;
        if (part == whole) {
            status = code_frame(w, &piece, stats);
        } else {
            status = reserve_stage(w, w->staged + part);
            uint8_t *const to = status ? NULL : w->stage.bytes + w->staged * w->slice_bytes;
            if (!status)
                status = zti_fetch_array(w->context, &piece, to);
            if (!status) {
                w->staged += part;
                if (w->staged == whole)
                    status = code_staged(w);
            }
        }
        if (status)
            return status;
        done += part;
    }
    w->put += extent;
    return ZT_OK;
}

zt_status zti_writer_finish(struct zt_writer *w)
{
    if (w->put == 0 || (w->shape[0] != ZT_UNKNOWN && w->put < w->shape[0]))
        return zti_fail(w->context, ZT_BAD_ARG,
                        "%" PRIu64 " slices were put, %" PRIu64 " belong to the array", w->put,
                        w->shape[0] == ZT_UNKNOWN ? 1 : w->shape[0]);
    zt_status status = w->staged > 0 ? code_staged(w) : ZT_OK;
    uint64_t bytes = zti_table_bytes(&w->table);
    if (status)
        return status;
    if (!w->sink.write) {
        if (bytes > w->memory_bytes - w->at)
            return zti_writer_no_space(w);
        zti_table_store(&w->table, w->memory + w->at);
        w->at += bytes;
        return ZT_OK;
    }
    status = zti_buffer_reserve(w->context, &w->tail, bytes, 0);
    if (status)
        return status;
    zti_table_store(&w->table, w->tail.bytes);
    status = write_out(w, w->tail.bytes, (size_t)bytes);
    if (!status && w->params.flags & ZT_SYNC && w->sink.sync && w->sink.sync(w->sink.user) != 0)
        status = zti_fail(w->context, ZT_IO, "the sink cannot make what it was given durable");
    return status;
}

zt_status zti_sink_check(zt_context *context, const zt_sink *sink, const zt_params *params)
{
    if (!sink || !sink->write || sink->reserved[0])
        return zti_fail(context, ZT_BAD_ARG,
                        "no sink with a write function and a reserved word of 0");
    if (params->flags & ZT_SYNC && !sink->sync)
        return zti_fail(context, ZT_BAD_ARG, "ZT_SYNC needs a sink that has a sync function");
    return ZT_OK;
}

/* ---- public calls ---- */

/* An array of which the number of slices may be unknown. */
static zt_status check_whole(zt_context *context, const zt_array *given, struct zti_array *whole)
{
    if (!given)
        return zti_fail(context, ZT_BAD_ARG, "no array");
    zt_array known = *given;
    if (given->shape[0] == ZT_UNKNOWN)
        known.shape[0] = 1;
    const zt_status status = zti_array_check(context, &known, ZTI_SHAPE_ONLY, whole);
    whole->shape[0] = given->shape[0];
    return status;
}

zt_status zt_writer_open(zt_context *context, const zt_sink *sink, const zt_array *given,
                         const zt_params *params, zt_writer **writer)
{
    struct zt_writer w;
    if (!writer)
        return zti_fail(context, ZT_BAD_ARG, "no place for the writer");
    struct zti_array whole;
    zt_status status = check_whole(context, given, &whole);
    if (!status)
        status = zti_writer_init(context, &whole, params, &w);
    if (!status)
        status = zti_sink_check(context, sink, &w.params);
    zt_bound_kind kind;
    double abs_bound;
    if (!status) /* so that a missing range is told before the first slab */
        status = zti_bound_resolve(context, &w.params.bound, w.type, w.params.range_lo,
                                   w.params.range_hi, &kind, &abs_bound);
    if (status)
        return status;
    w.sink = *sink;
    struct zt_writer *opened = (struct zt_writer *)zti_alloc(context, sizeof *opened);
    if (!opened)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a writer");
    *opened = w;
    *writer = opened;
    return ZT_OK;
}

uint64_t zt_writer_slab_extent(const zt_writer *writer)
{
    return writer ? writer->thickness : 0;
}

static zt_status check_slab(struct zt_writer *w, const zt_array *given, struct zti_array *slab)
{
    if (w->state != ZTI_WRITER_OPEN)
        return zti_fail(w->context, ZT_BAD_ARG, "the writer %s; nothing can be put",
                        w->state == ZTI_WRITER_CLOSED ? "is closed" : "has failed before");
    if (!given)
        return zti_fail(w->context, ZT_BAD_ARG, "no slab");
    zt_status status = zti_array_check(w->context, given, ZTI_TO_READ, slab);
    if (status)
        return status;
    bool is_same = slab->type == w->type && slab->rank == w->rank;
    for (uint32_t i = 1; i < w->rank && is_same; i++)
        is_same = slab->shape[i] == w->shape[i];
    if (!is_same)
        return zti_fail(w->context, ZT_BAD_ARG,
                        "the slab's type, rank or extents are not those of the array that was "
                        "announced");
    uint64_t sum, bytes;
    bool fits = zti_add(w->put, slab->shape[0], &sum) && zti_mul(sum, w->slice_bytes, &bytes) &&
                bytes <= INT64_MAX;
    if (!fits || (w->shape[0] != ZT_UNKNOWN && sum > w->shape[0]))
        return zti_fail(w->context, ZT_BAD_ARG,
                        "%" PRIu64 " slices after %" PRIu64 " are more than the array can have",
                        slab->shape[0], w->put);
    return ZT_OK;
}

zt_status zt_writer_put(zt_writer *writer, const zt_array *given)
{
    struct zti_array slab;
    if (!writer)
        return ZT_BAD_ARG;
    zt_status status = check_slab(writer, given, &slab);
    if (!status)
        status = zti_writer_put(writer, &slab, NULL);
    if (status)
        writer->state = ZTI_WRITER_FAILED;
    return status;
}

zt_status zt_writer_close(zt_writer *writer)
{
    if (!writer)
        return ZT_BAD_ARG;
    if (writer->state != ZTI_WRITER_OPEN)
        return zti_fail(writer->context, ZT_BAD_ARG, "the writer %s",
                        writer->state == ZTI_WRITER_CLOSED ? "is closed already"
                                                           : "has failed before");
    zt_status status = zti_writer_finish(writer);
    writer->state = status ? ZTI_WRITER_FAILED : ZTI_WRITER_CLOSED;
    return status;
}

uint64_t zt_writer_special_values(const zt_writer *writer)
{
    return writer ? writer->special_values : 0;
}

double zt_writer_psnr(const zt_writer *writer)
{
    if (!writer || writer->params.bound.kind != ZT_PSNR)
        return (double)NAN;
    return zti_psnr_of(writer->error, writer->counted_values);
}

void zt_writer_free(zt_writer *writer)
{
    if (!writer)
        return;
    zt_context *context = writer->context;
    zti_writer_clear(writer);
    zti_release(context, writer);
}
