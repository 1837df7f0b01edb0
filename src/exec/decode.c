/* decode.c: decodes a run of tiles on one thread, and cuts a view into runs. In: a stream, a place
 * in it, and an index or none. Out: values in a view or scatter, and where the run ends.
 *
 * Most bit readers do not check for the end of the data. So tiles are decoded from the data only as
 * long as a worst-case group of tiles fits before its end, and the rest from a copy of the last
 * bytes that is followed by zeros. */
#include "codec/batch.h"
#include "exec/run.h"

/* Tiles of at least this number of values are one chunk each. */
enum { LARGE_TILE_VALUES = 1 << 14 };

uint32_t zti_default_chunk_tiles(const struct zti_coding *coding)
{
    const struct zti_grid *grid = &coding->grid;
    return zti_array_values(grid->rank, grid->shape) / grid->count >= LARGE_TILE_VALUES
               ? 1
               : coding->codec->chunk_tiles(grid->rank);
}

struct zti_tile_source zti_tile_source_at(const struct zti_coding *coding, const uint8_t *data,
                                          size_t data_bytes, uint64_t start_bits)
{
    const struct zti_sizes sizes = coding->codec->sizes(coding);
    return (struct zti_tile_source){
        .data = data,
        .data_bytes = data_bytes,
        .sizes = sizes,
        .read_max_bytes = sizes.tile_read_max_bits / 8 + 2 * ZTI_BIT_MARGIN_BYTES,
        .reader = {.base = data, .at = start_bits, .end = (uint64_t)data_bytes * 8}};
}

void zti_tile_source_free(zt_context *context, struct zti_tile_source *source)
{
    if (source->end_copy != source->spare)
        zti_release(context, source->end_copy);
    source->end_copy = NULL;
}

uint64_t zti_tile_source_bits(const struct zti_tile_source *source)
{
    return (source->end_copy ? source->end_copy_at * 8 : 0) + source->reader.at;
}

/* Bytes of a view from which on room is allocated. */
enum { ROOM_VIEW_BYTES = 1 << 20 };

void zti_room_open(zt_context *context, const struct zti_view *view, struct zti_coding *coding)
{
    const size_t bytes = coding->codec->sizes(coding).room_bytes;
    const uint64_t values = zti_array_values(view->out.rank, view->out.shape);
    const bool is_worthwhile = coding->run.is_streamed && bytes > 0 &&
                               values * zt_type_bytes(coding->type) >= ROOM_VIEW_BYTES;
    coding->run.room = is_worthwhile ? zti_alloc(context, bytes) : NULL;
    coding->run.room_bytes = coding->run.room ? bytes : 0;
}

void zti_room_close(zt_context *context, struct zti_coding *coding)
{
    zti_release(context, coding->run.room);
    coding->run.room = NULL;
}

static zt_status use_end_copy(zt_context *context, struct zti_tile_source *s)
{
    const uint64_t at = s->reader.at;
    s->end_copy_at = at / 8;
    const size_t have = (size_t)(s->data_bytes - s->end_copy_at); /* at most read_max_bytes */
    s->end_copy = 2 * s->read_max_bytes <= s->spare_bytes
                      ? s->spare
                      : zti_alloc(context, (size_t)(2 * s->read_max_bytes));
    if (!s->end_copy)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a tile");
    memcpy(s->end_copy, s->data + s->end_copy_at, have);
    memset(s->end_copy + have, 0, (size_t)(2 * s->read_max_bytes) - have);
    s->reader = (struct zti_bit_reader){
        .base = s->end_copy, .at = at - s->end_copy_at * 8, .end = have * 8};
    return ZT_OK;
}

/* Fail: the stream ended before tile 'next'. */
static zt_status cut_short(zt_context *context, const struct zti_coding *coding, uint64_t next)
{
    return zti_fail(context, ZT_CORRUPT,
                    "the %s stream is damaged or cut short: it ends in tile %llu of %llu",
                    coding->codec->name, (unsigned long long)(next > 0 ? next - 1 : 0),
                    (unsigned long long)coding->grid.count);
}

static void decode_run(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                       uint64_t last, const struct zti_view *view)
{
    if (view)
        coding->codec->decode(coding, r, first, last, view);
    else
        coding->codec->skip(coding, r, first, last);
}

/* Most tiles decoded by one call, between two checks of the data's end. */
enum { CALL_TILES = 4 * ZTI_GROUP_TILES };

/* How many tiles can be decoded from the data without reading past its end: as many as fit at their
 * largest, at least one while the most that a tile reads remains; 0: use the copy of the end. */
static uint64_t safe_tiles(const struct zti_tile_source *s)
{
    if (s->sizes.is_bounded)
        return 1;
    const uint64_t most = s->sizes.tile_max_bits, read_max = s->read_max_bytes * 8;
    const uint64_t rest_bytes = s->data_bytes - s->reader.at / 8;
    if (rest_bytes <= s->read_max_bytes)
        return 0;
    const uint64_t n = (rest_bytes - s->read_max_bytes) * 8 / (most > read_max ? most : read_max);
    return n == 0 ? 1 : n < CALL_TILES ? n : CALL_TILES;
}

zt_status zti_decode_tiles(zt_context *context, const struct zti_coding *coding,
                           struct zti_tile_source *s, uint64_t first, uint64_t last,
                           const struct zti_view *view)
{
    if (!view && s->sizes.tile_max_bits == 0) /* tiles of no bits */
        return ZT_OK;
    while (first < last && !s->end_copy) {
        if (s->reader.at > s->reader.end)
            return cut_short(context, coding, first);
        uint64_t n = safe_tiles(s);
        if (n == 0)
            break;
        if (n > last - first)
            n = last - first;
        decode_run(coding, &s->reader, first, first + n, view);
        first += n;
    }
    if (first < last && !s->end_copy) {
        const zt_status status = use_end_copy(context, s);
        if (status != ZT_OK)
            return status;
    }
    for (; first < last && s->reader.at <= s->reader.end; first++)
        decode_run(coding, &s->reader, first, first + 1, view);
    return s->reader.at > s->reader.end ? cut_short(context, coding, first) : ZT_OK;
}

zt_status zti_decode_noting(zt_context *context, const struct zti_coding *coding,
                            struct zti_tile_source *s, uint64_t start_bits, uint64_t first,
                            uint64_t last, const struct zti_view *view,
                            const struct zti_starts *starts)
{
    zt_status status = ZT_OK;
    if (!starts)
        return zti_decode_tiles(context, coding, s, first, last, view);
    for (uint64_t next; status == ZT_OK && first < last; first = next) {
        const uint64_t chunk = first / starts->chunk_tiles;
        next = (chunk + 1) * starts->chunk_tiles;
        if (first == chunk * starts->chunk_tiles)
            starts->list[chunk] = zti_tile_source_bits(s) - start_bits;
        if (next > last)
            next = last;
        status = zti_decode_tiles(context, coding, s, first, next, view);
    }
    return status;
}

uint64_t zti_chunk_start_bits(uint32_t unit_bits, const struct zti_index *index,
                              uint64_t start_bits, uint64_t chunk)
{
    uint64_t bits;
    return zti_mul(zti_index_start(index, chunk), unit_bits, &bits) &&
                   zti_add(bits, start_bits, &bits)
               ? bits
               : UINT64_MAX;
}

/* Move the source to a bit; if that is beyond the data, decoding the next tile is ZT_CORRUPT. */
static void move_to(zt_context *context, const struct zti_coding *coding, struct zti_tile_source *s,
                    uint64_t bits)
{
    struct zti_tile_source at = zti_tile_source_at(coding, s->data, (size_t)s->data_bytes, bits);
    at.spare = s->spare;
    at.spare_bytes = s->spare_bytes;
    zti_tile_source_free(context, s);
    *s = at;
}

zt_status zti_seek_tile(zt_context *context, const struct zti_coding *coding,
                        struct zti_tile_source *s, uint64_t start_bits,
                        const struct zti_index *index, uint64_t here, uint64_t tile)
{
    const uint64_t fixed = s->sizes.tile_fixed_bits;
    if (here == tile)
        return ZT_OK;
    if (fixed > 0) {
        uint64_t bits;
        const bool is_there = zti_mul(tile, fixed, &bits) && zti_add(bits, start_bits, &bits);
        move_to(context, coding, s, is_there ? bits : UINT64_MAX);
        return ZT_OK;
    }
    const uint64_t chunk = index ? tile / index->layout.chunk_tiles : 0;
    zt_status status = ZT_OK;
    if (index && chunk * index->layout.chunk_tiles > here) {
        status = zti_skip_to_chunk_end(context, coding, s, start_bits, index, here);
        here = chunk * index->layout.chunk_tiles;
        move_to(context, coding, s,
                zti_chunk_start_bits(s->sizes.unit_bits, index, start_bits, chunk));
    }
    return status == ZT_OK ? zti_decode_tiles(context, coding, s, here, tile, NULL) : status;
}

zt_status zti_skip_to_chunk_end(zt_context *context, const struct zti_coding *coding,
                                struct zti_tile_source *s, uint64_t start_bits,
                                const struct zti_index *index, uint64_t here)
{
    const uint64_t each = index ? index->layout.chunk_tiles : zti_default_chunk_tiles(coding);
    const uint64_t rest = coding->grid.count - here, remainder = here % each;
    if (remainder == 0 || s->sizes.tile_fixed_bits > 0)
        return ZT_OK;
    return zti_decode_indexed(context, coding, s, start_bits, index, here,
                              here + (rest < each - remainder ? rest : each - remainder), NULL);
}

/* ZT_CORRUPT if tile 'tile', the source's position, begins a chunk and is not where the index
 * says. */
static zt_status check_place(zt_context *context, const struct zti_coding *coding,
                             const struct zti_tile_source *s, uint64_t start_bits,
                             const struct zti_index *index, uint64_t tile)
{
    if (!index || tile % index->layout.chunk_tiles != 0 || tile == coding->grid.count)
        return ZT_OK;
    const uint64_t chunk = tile / index->layout.chunk_tiles;
    if (zti_tile_source_bits(s) ==
        zti_chunk_start_bits(s->sizes.unit_bits, index, start_bits, chunk))
        return ZT_OK;
    return zti_fail(context, ZT_CORRUPT,
                    "the index is not this stream's: chunk %llu of %llu ends elsewhere",
                    (unsigned long long)chunk, (unsigned long long)index->chunks);
}

/* Set bits[] to where chunks first .. first + count begin in the data; false if one is outside, or
 * so close to the end that a damaged chunk could reach beyond it. */
static bool known_places(const struct zti_tile_source *s, uint64_t start_bits,
                         const struct zti_index *index, uint64_t first, uint32_t count,
                         uint64_t *bits)
{
    const uint64_t most = s->sizes.tile_max_bits;
    const uint64_t read_max = s->read_max_bytes * 8, end = s->data_bytes * 8;
    uint64_t chunk_bits;
    if (!zti_mul(index->layout.chunk_tiles, most > read_max ? most : read_max, &chunk_bits) ||
        chunk_bits > end)
        return false;
    for (uint32_t i = 0; i <= count; i++) {
        bits[i] = zti_chunk_start_bits(s->sizes.unit_bits, index, start_bits, first + i);
        if (i < count && bits[i] > end - chunk_bits)
            return false;
    }
    return true;
}

/* Decode or skip tiles from the source's position to the end of the chunk or to 'last'. */
static zt_status decode_of_chunk(zt_context *context, const struct zti_coding *coding,
                                 struct zti_tile_source *s, uint64_t start_bits,
                                 const struct zti_index *index, uint64_t *first, uint64_t last,
                                 const struct zti_view *view)
{
    const uint64_t rest =
        index ? index->layout.chunk_tiles - *first % index->layout.chunk_tiles : last - *first;
    const uint64_t next = last - *first < rest ? last : *first + rest;
    const zt_status status = zti_decode_tiles(context, coding, s, *first, next, view);
    *first = next;
    return status ? status : check_place(context, coding, s, start_bits, index, next);
}

uint64_t zti_interleaved_chunk_tiles(const struct zti_coding *coding, const struct zti_index *index)
{
    const struct zti_batch *const batch = index ? zti_batch_of(coding->codec) : NULL;
    return batch && batch->runs(coding) > 1 ? index->layout.chunk_tiles : 0;
}

/* Decode several chunks at a time from the source's position, as long as enough are left. */
static zt_status decode_interleaved(zt_context *context, const struct zti_coding *coding,
                                    struct zti_tile_source *s, uint64_t start_bits,
                                    const struct zti_index *index, uint64_t *first, uint64_t last,
                                    const struct zti_view *view)
{
    const struct zti_batch *const batch = zti_batch_of(coding->codec);
    const uint32_t most = batch->runs(coding), chunk_tiles = index->layout.chunk_tiles;
    uint64_t starts[ZTI_RUNS_MOST + 1], at[ZTI_RUNS_MOST];
    zt_status status = ZT_OK;
    while (status == ZT_OK && !s->end_copy) {
        const uint64_t chunks = (last - *first) / chunk_tiles, chunk = *first / chunk_tiles;
        const uint32_t n = chunks < most ? (uint32_t)chunks : most;
        if (n < most / 2 || !known_places(s, start_bits, index, chunk, n, starts) ||
            starts[0] != s->reader.at)
            break;
        memcpy(at, starts, n * sizeof *at);
        batch->decode(coding, s->reader.base, at, n, *first, chunk_tiles, view);
        for (uint32_t i = 0; i < n && status == ZT_OK; i++) {
            *first += chunk_tiles;
            s->reader.at = at[i];
            if (at[i] != starts[i + 1])
                status = check_place(context, coding, s, start_bits, index, *first);
        }
    }
    return status;
}

zt_status zti_decode_indexed(zt_context *context, const struct zti_coding *coding,
                             struct zti_tile_source *s, uint64_t start_bits,
                             const struct zti_index *index, uint64_t first, uint64_t last,
                             const struct zti_view *view)
{
    const uint64_t chunk_tiles = view ? zti_interleaved_chunk_tiles(coding, index) : 0;
    zt_status status = ZT_OK;
    if (chunk_tiles > 0 && first % chunk_tiles > 0 && first < last)
        status = decode_of_chunk(context, coding, s, start_bits, index, &first, last, view);
    if (chunk_tiles > 0 && status == ZT_OK && first < last)
        status = decode_interleaved(context, coding, s, start_bits, index, &first, last, view);
    while (status == ZT_OK && first < last)
        status = decode_of_chunk(context, coding, s, start_bits, index, &first, last, view);
    return status;
}

/* ---- sinks ---- */

/* Bytes of a scratch, unless a tile has more. A larger one writes more adjacent values of the array
 * at a time where its fastest axis is a slow one of the coded array. */
enum { SCRATCH_BYTES = 4 << 20 };

static uint64_t clipped_tile_bytes(const struct zti_coding *coding)
{
    uint64_t bytes = zt_type_bytes(coding->type);
    for (uint32_t i = 0; i < coding->grid.rank; i++) {
        const uint64_t side = coding->grid.side[i], extent = coding->grid.shape[i];
        bytes *= side < extent ? side : extent;
    }
    return bytes;
}

zt_status zti_tile_sink_open(zt_context *context, const struct zti_coding *coding,
                             const struct zti_view *view, const struct zti_scatter *scatter,
                             struct zti_tile_sink *o)
{
    *o = (struct zti_tile_sink){.view = view, .scatter = scatter};
    if (!scatter)
        return ZT_OK;
    const uint64_t bytes = clipped_tile_bytes(coding);
    const struct zti_runs runs = zti_runs_of(&coding->grid, view, NULL);
    uint64_t tiles = 1;
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        tiles *= runs.hi[i] - runs.lo[i];
    o->scratch_tiles = bytes < SCRATCH_BYTES ? SCRATCH_BYTES / bytes : 1;
    if (o->scratch_tiles > tiles)
        o->scratch_tiles = tiles;
    o->scratch = zti_alloc(context, (size_t)(o->scratch_tiles * bytes));
    return o->scratch ? ZT_OK
                      : zti_fail(context, ZT_NO_MEMORY, "no memory for %llu bytes of tiles",
                                 (unsigned long long)(o->scratch_tiles * bytes));
}

void zti_tile_sink_close(zt_context *context, struct zti_tile_sink *o)
{
    zti_release(context, o->scratch);
    o->scratch = NULL;
}

zt_status zti_decode_to_sink(zt_context *context, const struct zti_coding *coding,
                             struct zti_tile_source *s, uint64_t start_bits,
                             const struct zti_index *index, uint64_t first, uint64_t last,
                             const struct zti_tile_sink *o)
{
    const struct zti_grid *const grid = &coding->grid;
    zt_status status = ZT_OK;
    if (!o->scatter)
        return zti_decode_indexed(context, coding, s, start_bits, index, first, last, o->view);
    for (uint64_t next = first; status == ZT_OK && first < last; first = next) {
        const uint64_t most = last - first < o->scratch_tiles ? last - first : o->scratch_tiles;
        const zt_box box = zti_box_of_tiles(grid, &next, first + most);
        struct zti_view part;
        uint64_t shape[ZT_MAX_RANK] = {0};
        for (uint32_t i = 0; i < grid->rank; i++)
            shape[i] = box.hi[i] - box.lo[i];
        part.out = zti_array_packed(o->scratch, coding->type, grid->rank, shape);
        memcpy(part.lo, box.lo, sizeof part.lo);
        memcpy(part.hi, box.hi, sizeof part.hi);
        status = zti_decode_indexed(context, coding, s, start_bits, index, first, next, &part);
        if (status == ZT_OK)
            o->scatter->put(o->scatter, &box, o->scratch);
    }
    return status;
}

/* ---- runs ---- */

/* Find the next range of wanted tiles along an axis, from tile 'from' on. */
static bool next_tiles(struct zti_runs *runs, uint32_t axis, uint64_t from)
{
    const struct zti_spans *const spans = runs->spans ? &runs->spans[axis] : NULL;
    const uint64_t side = runs->grid->side[axis];
    uint64_t first, last, end;
    if (!spans || !zti_spans_next(spans, from * side, &first, &end))
        return false;
    runs->lo[axis] = runs->at[axis] = first / side > from ? first / side : from;
    runs->hi[axis] = (end - 1) / side + 1;
    while (zti_spans_next(spans, end, &first, &last) && first / side <= runs->hi[axis]) {
        runs->hi[axis] = (last - 1) / side + 1;
        end = last;
    }
    return true;
}

struct zti_runs zti_runs_of(const struct zti_grid *grid, const struct zti_view *view,
                            const struct zti_spans *spans)
{
    struct zti_runs runs = {.grid = grid, .spans = spans, .axis = grid->rank - 1, .rest_tiles = 1};
    for (uint32_t i = 0; i < grid->rank; i++) {
        runs.lo[i] = runs.at[i] = view->lo[i] / grid->side[i];
        runs.hi[i] = (view->hi[i] - 1) / grid->side[i] + 1;
        (void)next_tiles(&runs, i, 0);
    }
    while (runs.axis > 0 && runs.hi[runs.axis] - runs.lo[runs.axis] == grid->tiles[runs.axis])
        runs.rest_tiles *= grid->tiles[runs.axis--];
    return runs;
}

/* Go to the next wanted tile along an axis; false: back to the first one. */
static bool step_along(struct zti_runs *runs, uint32_t axis, uint64_t next)
{
    if (next < runs->hi[axis]) {
        runs->at[axis] = next;
        return true;
    }
    if (next_tiles(runs, axis, next))
        return true;
    if (!next_tiles(runs, axis, 0))
        runs->at[axis] = runs->lo[axis];
    return false;
}

/* Find the next run of wanted consecutive tiles along the runs' axis. */
static bool next_run(struct zti_runs *runs, uint64_t *first, uint64_t *last)
{
    const uint32_t axis = runs->axis;
    if (runs->is_done)
        return false;
    *first = 0;
    for (uint32_t i = 0; i < runs->grid->rank; i++)
        *first = *first * runs->grid->tiles[i] + runs->at[i];
    *last = *first + (runs->hi[axis] - runs->lo[axis]) * runs->rest_tiles;
    runs->is_done = !step_along(runs, axis, runs->hi[axis]);
    for (uint32_t i = axis; i-- > 0 && runs->is_done;)
        runs->is_done = !step_along(runs, i, runs->at[i] + 1);
    return true;
}

bool zti_runs_next(struct zti_runs *runs, uint64_t most, uint64_t *first, uint64_t *last)
{
    if (runs->first == runs->last) {
        runs->first = runs->ahead_first;
        runs->last = runs->ahead_last;
        runs->ahead_first = runs->ahead_last;
        if (runs->first == runs->last && !next_run(runs, &runs->first, &runs->last))
            return false;
    }
    while (runs->join_below_tiles > 0 && runs->last - runs->first < most &&
           (runs->ahead_first < runs->ahead_last ||
            next_run(runs, &runs->ahead_first, &runs->ahead_last)) &&
           runs->ahead_first - runs->last < runs->join_below_tiles) {
        runs->last = runs->ahead_last;
        runs->ahead_first = runs->ahead_last;
    }
    *first = runs->first;
    *last = runs->last - *first < most ? runs->last : *first + most;
    if (*last < runs->last && runs->join_below_tiles > 0 &&
        *last - *last % runs->join_below_tiles > *first)
        *last -= *last % runs->join_below_tiles;
    runs->first = *last;
    return true;
}
