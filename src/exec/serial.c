/* serial.c: run all tiles of a stream on the calling thread.
 *
 *     encode   tiles are appended in groups. While the buffer has room for a group at its largest,
 *              they are written where they stay; then one at a time through a buffer of their own.
 *              A group that the codec does not vouch for is decoded at once and compared.
 *     decode   while a worst-case group remains before the end of the data, straight from them;
 *              the rest from a copy of the last bytes, followed by zeros. */
#include "exec/exec.h"
#include "quality/quality.h"

#include <math.h>
#include <stdlib.h>

/* Tiles between two looks at the room that is left, at the bound and at the progress. */
enum { GROUP_TILES = 256 };

static uint64_t bytes_of_bits(uint64_t bits)
{
    return bits / 8 + (bits % 8 != 0);
}

zt_status zti_exec_capacity(zt_context *context, const struct zti_coding *coding,
                            size_t *capacity_bytes)
{
    uint64_t bits;
    if (!zti_mul(coding->grid.count, coding->codec->tile_max_bits(coding), &bits) ||
        bits / 8 + 4 * ZTI_BIT_MARGIN_BYTES > SIZE_MAX)
        return zti_fail(context, ZT_BAD_ARG, "the stream could take more than this machine's "
                        "address space");
    *capacity_bytes = (size_t)(bits / 8 + 2 * ZTI_BIT_MARGIN_BYTES);
    return ZT_OK;
}

static zt_status report(zt_context *context, uint64_t done, uint64_t total)
{
    if (context && context->progress &&
        context->progress(context->progress_user, done, total) != 0)
        return zti_fail(context, ZT_CANCELLED, "cancelled after %llu of %llu tiles",
                        (unsigned long long)done, (unsigned long long)total);
    return ZT_OK;
}

/* Groups a mebibyte of raw values has. */
static uint64_t report_every(const struct zti_coding *coding)
{
    uint64_t group_bytes = GROUP_TILES * zt_type_bytes(coding->type);
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        group_bytes *= coding->grid.side[i];
    return group_bytes < 1u << 20 ? (1u << 20) / group_bytes : 1;
}

/* ---- the bound ---- */

void zti_misses_free(zt_context *context, struct zti_misses *misses)
{
    zti_release(context, misses->list);
    misses->list = NULL;
    misses->count = misses->capacity = 0;
}

static zt_status add_miss(zt_context *context, struct zti_misses *misses, uint64_t at,
                          uint64_t bits)
{
    if (misses->count >= misses->limit) {
        misses->is_over = true;
        return ZT_OK;
    }
    if (misses->count == misses->capacity) {
        const uint64_t capacity = misses->capacity ? 2 * misses->capacity : 1024;
        struct zti_miss *list = zti_alloc(context, (size_t)capacity * sizeof *list);
        if (!list)
            return zti_fail(context, ZT_NO_MEMORY, "no memory for the values beyond the bound");
        if (misses->count)
            memcpy(list, misses->list, (size_t)misses->count * sizeof *list);
        zti_release(context, misses->list);
        misses->list = list;
        misses->capacity = capacity;
    }
    misses->list[misses->count++] = (struct zti_miss){.at = at, .bits = bits};
    return ZT_OK;
}

static int by_place(const void *a, const void *b)
{
    const uint64_t x = ((const struct zti_miss *)a)->at, y = ((const struct zti_miss *)b)->at;
    return (x > y) - (x < y);
}

static uint64_t bits_of(const void *value, size_t value_bytes)
{
    uint32_t low;
    uint64_t all;
    if (value_bytes == 4) {
        memcpy(&low, value, 4);
        return low;
    }
    memcpy(&all, value, 8);
    return all;
}

/* Values a tile of any codec holds at most; where verification decodes them to. */
enum { TILE_VALUES = 4096 };

/* Decode the tile at walk and note each value that is off by more than the bound. */
static zt_status check_tile(zt_context *context, const struct zti_coding *coding,
                            const zt_array *array, const struct zti_walk *walk,
                            struct zti_bit_reader *reader, struct zti_misses *misses)
{
    uint64_t decoded[TILE_VALUES];
    const struct zti_grid *grid = &coding->grid;
    const size_t value_bytes = zt_type_bytes(coding->type);
    struct zti_view view;
    uint64_t shape[ZT_MAX_RANK], n = 1;
    for (uint32_t i = 0; i < grid->rank; i++) {
        const uint64_t rest = grid->shape[i] - walk->origin[i];
        shape[i] = rest < grid->side[i] ? rest : grid->side[i];
        n *= shape[i];
        view.lo[i] = walk->origin[i];
        view.hi[i] = walk->origin[i] + shape[i];
    }
    view.out = zt_array_nd(decoded, (zt_type)coding->type, grid->rank, shape);
    coding->codec->decode(coding, reader, walk->tile, walk->tile + 1, &view);
    for (uint64_t v = 0; v < n; v++) {
        uint64_t at[ZT_MAX_RANK], rest = v, place = 0;
        for (uint32_t i = grid->rank; i-- > 0; rest /= shape[i])
            at[i] = walk->origin[i] + rest % shape[i];
        const uint64_t original = bits_of(zti_array_at(array, at), value_bytes);
        const uint64_t back = bits_of((const char *)decoded + v * value_bytes, value_bytes);
        if (zti_within(coding->type, original, back, coding->verify_bound))
            continue;
        for (uint32_t i = 0; i < grid->rank; i++)
            place = place * grid->shape[i] + at[i];
        const zt_status status = add_miss(context, misses, place, original);
        if (status != ZT_OK || misses->is_over)
            return status;
    }
    return ZT_OK;
}

/* Check tiles [first, last), which begin at bit start of what has been written. */
static zt_status check_tiles(zt_context *context, const struct zti_coding *coding,
                             const zt_array *array, uint64_t first, uint64_t last,
                             const struct zti_bit_writer *w, uint64_t start,
                             struct zti_misses *misses)
{
    struct zti_bit_reader r = {.base = w->base, .at = start, .end = zti_bits_written(w)};
    struct zti_walk walk = zti_walk_from(&coding->grid, first);
    zt_status status = ZT_OK;
    zti_put_le64(w->next, w->held);
    for (; walk.tile < last && status == ZT_OK && !misses->is_over;
         zti_walk_next(&coding->grid, &walk))
        status = check_tile(context, coding, array, &walk, &r, misses);
    return status;
}

/* ---- encode ---- */

/* Append tiles to a writer whose buffer has room for them. */
static zt_status put_tiles(zt_context *context, const struct zti_coding *coding,
                           const zt_array *array, uint64_t first, uint64_t last,
                           struct zti_bit_writer *w, struct zti_misses *misses)
{
    const uint64_t start = zti_bits_written(w);
    if (coding->codec->encode(coding, array, first, last, w) || isnan(coding->verify_bound) ||
        misses->is_over)
        return ZT_OK;
    return check_tiles(context, coding, array, first, last, w, start, misses);
}

/* Append one tile to an output that may be too small for it, through a buffer of its own. */
static zt_status put_tile_closely(zt_context *context, const struct zti_coding *coding,
                                  const zt_array *array, uint64_t tile, uint8_t *scratch,
                                  uint64_t capacity_bits, struct zti_bit_writer *w,
                                  struct zti_misses *misses)
{
    struct zti_bit_writer own = zti_bit_writer_at(scratch);
    zti_put_bits(&own, w->held, w->held_bits);
    zt_status status = put_tiles(context, coding, array, tile, tile + 1, &own, misses);
    if (status != ZT_OK)
        return status;
    zti_put_le64(own.next, own.held);
    const uint64_t begin = (uint64_t)(w->next - w->base);
    const uint64_t bits = begin * 8 + zti_bits_written(&own);
    if (bits > capacity_bits)
        return zti_fail(context, ZT_NO_SPACE,
                        "the stream needs more than the output buffer's %llu bytes",
                        (unsigned long long)(capacity_bits / 8));
    memcpy(w->next, scratch, (size_t)(bytes_of_bits(bits) - begin));
    w->next += own.next - own.base;
    w->held = own.held;
    w->held_bits = own.held_bits;
    return ZT_OK;
}

static zt_status put_last_tiles(zt_context *context, const struct zti_coding *coding,
                                const zt_array *array, uint64_t first, size_t capacity_bytes,
                                struct zti_bit_writer *w, struct zti_misses *misses)
{
    const uint64_t tile_bytes = coding->codec->tile_max_bits(coding) / 8;
    uint8_t *scratch = tile_bytes < SIZE_MAX - 2 * ZTI_BIT_MARGIN_BYTES
                           ? zti_alloc(context, (size_t)tile_bytes + 2 * ZTI_BIT_MARGIN_BYTES)
                           : NULL;
    if (!scratch)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a tile of %llu bytes",
                        (unsigned long long)tile_bytes);
    zt_status status = ZT_OK;
    for (; first < coding->grid.count && status == ZT_OK; first++)
        status = put_tile_closely(context, coding, array, first, scratch,
                                  (uint64_t)capacity_bytes * 8, w, misses);
    zti_release(context, scratch);
    return status;
}

/* Pad to the codec's alignment; the bytes that are written end there. */
static zt_status finish(zt_context *context, const struct zti_coding *coding,
                        const struct zti_bit_writer *w, size_t capacity_bytes, uint64_t *end_bits)
{
    const uint64_t bits = zti_bits_written(w);
    const uint64_t end = zti_round_up(bits, coding->codec->stream_align_bits(coding));
    if (end / 8 > capacity_bytes)
        return zti_fail(context, ZT_NO_SPACE,
                        "the stream needs %llu bytes and the output buffer has %zu",
                        (unsigned long long)(end / 8), capacity_bytes);
    uint8_t held[8];
    zti_put_le64(held, w->held);
    const uint64_t from = bits / 8;
    memset(w->base + from, 0, (size_t)(end / 8 - from));
    if (w->held_bits)
        w->base[from] = held[0];
    *end_bits = end;
    return ZT_OK;
}

zt_status zti_exec_encode(zt_context *context, const struct zti_coding *coding,
                          const zt_array *array, uint8_t *out, size_t out_capacity_bytes,
                          uint64_t start_bits, uint64_t *end_bits, struct zti_misses *misses)
{
    const uint64_t total = coding->grid.count, every = report_every(coding);
    const uint64_t tile_bits = coding->codec->tile_max_bits(coding);
    struct zti_bit_writer w = zti_bit_writer_at(out);
    zt_status status = ZT_OK;
    uint64_t first = 0;

    w.next += start_bits / 8;
    w.held_bits = start_bits % 8;
    w.held = w.held_bits ? *w.next & ((1u << w.held_bits) - 1) : 0;
    for (uint64_t group = 1; first < total; group++) {
        const uint64_t rest = total - first;
        const uint64_t n = rest < GROUP_TILES ? rest : GROUP_TILES;
        const uint64_t room = out_capacity_bytes - (uint64_t)(w.next - w.base);
        uint64_t need;
        if (!zti_mul(n, tile_bits, &need) || room < need / 8 + 2 * ZTI_BIT_MARGIN_BYTES)
            break;
        status = put_tiles(context, coding, array, first, first + n, &w, misses);
        first += n;
        if (status == ZT_OK && group % every == 0)
            status = report(context, first, total);
        if (status != ZT_OK || (misses && misses->is_over))
            return status;
    }
    if (first < total)
        status = put_last_tiles(context, coding, array, first, out_capacity_bytes, &w, misses);
    if (status == ZT_OK)
        status = report(context, total, total);
    if (status == ZT_OK)
        status = finish(context, coding, &w, out_capacity_bytes, end_bits);
    if (status == ZT_OK && misses && misses->count > 1)
        qsort(misses->list, (size_t)misses->count, sizeof *misses->list, by_place);
    return status;
}

/* ---- decode ---- */

/* A run of tiles, decoded or passed over, that a view needs in stream order. */
static void take_run(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                     uint64_t last, const struct zti_view *view)
{
    if (view)
        coding->codec->decode(coding, r, first, last, view);
    else
        coding->codec->skip(coding, r, first, last);
}

/* Where tiles are taken from: the data, and near their end a copy of their last bytes with zeros
 * behind, so that no tile can be read beyond it. */
struct input {
    const uint8_t *data;
    uint64_t data_bytes;
    uint64_t reach_bytes; /* of a tile, with the margin */
    uint8_t *tail;        /* once it is in use: 2 reach_bytes, from data byte tail_at */
    uint64_t tail_at;
    struct zti_bit_reader reader;
};

/* Bits read so far, from the beginning of the data. */
static uint64_t position(const struct input *in)
{
    return (in->tail ? in->tail_at * 8 : 0) + in->reader.at;
}

static zt_status use_tail(zt_context *context, struct input *in)
{
    const uint64_t at = in->reader.at;
    in->tail_at = at / 8 < in->data_bytes ? at / 8 : in->data_bytes;
    const size_t have = (size_t)(in->data_bytes - in->tail_at);
    in->tail = zti_alloc(context, (size_t)(2 * in->reach_bytes));
    if (!in->tail)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a tile");
    memcpy(in->tail, in->data + in->tail_at, have);
    memset(in->tail + have, 0, (size_t)(2 * in->reach_bytes) - have);
    in->reader = (struct zti_bit_reader){.base = in->tail, .at = at - in->tail_at * 8,
                                         .end = have * 8};
    return ZT_OK;
}

static zt_status cut_short(zt_context *context, const struct zti_coding *coding, uint64_t tile)
{
    return zti_fail(context, ZT_CORRUPT,
                    "the %s stream is damaged or cut short: it ends in tile %llu of %llu",
                    coding->codec->name, (unsigned long long)tile,
                    (unsigned long long)coding->grid.count);
}

/* Take tiles [first, last) into a view, or pass over them where it is NULL. */
static zt_status take_tiles(zt_context *context, const struct zti_coding *coding,
                            struct input *in, uint64_t first, uint64_t last,
                            const struct zti_view *view)
{
    const uint64_t most = coding->codec->tile_max_bits(coding);
    const uint64_t longest = most > in->reach_bytes * 8 ? most : in->reach_bytes * 8;
    while (first < last && !in->tail) {
        const uint64_t at = in->reader.at;
        if (at > in->data_bytes * 8)
            return cut_short(context, coding, first - 1);
        if (in->data_bytes - at / 8 < in->reach_bytes + 1)
            break;
        uint64_t safe = (in->data_bytes - at / 8 - in->reach_bytes) * 8 / longest;
        if (safe == 0)
            safe = 1;
        if (safe > last - first)
            safe = last - first;
        if (safe > 4 * GROUP_TILES)
            safe = 4 * GROUP_TILES;
        take_run(coding, &in->reader, first, first + safe, view);
        first += safe;
    }
    if (first == last)
        return ZT_OK;
    if (!in->tail) {
        const zt_status status = use_tail(context, in);
        if (status != ZT_OK)
            return status;
    }
    for (; first < last; first++) {
        if (in->reader.at > in->reader.end)
            return cut_short(context, coding, first - 1);
        take_run(coding, &in->reader, first, first + 1, view);
    }
    return ZT_OK;
}

/* Tiles along the last axis that a view meets. */
static void columns_of(const struct zti_coding *coding, const struct zti_view *view,
                       uint64_t *first, uint64_t *last)
{
    const uint32_t axis = coding->grid.rank - 1, side = coding->grid.side[axis];
    *first = view->lo[axis] / side;
    *last = (view->hi[axis] - 1) / side + 1;
}

/* The number of the tile that holds the element at these coordinates. */
static uint64_t tile_at(const struct zti_grid *grid, const uint64_t *at)
{
    uint64_t tile = 0;
    for (uint32_t i = 0; i < grid->rank; i++)
        tile = tile * grid->tiles[i] + at[i] / grid->side[i];
    return tile;
}

/* Step at[] to the first column of the next row of tiles that meets the view; false after the
 * last one. */
static bool next_tile_row(const struct zti_grid *grid, const struct zti_view *view, uint64_t *at)
{
    for (uint32_t i = grid->rank - 1; i-- > 0;) {
        at[i] = (at[i] / grid->side[i] + 1) * grid->side[i];
        if (at[i] < view->hi[i])
            return true;
        at[i] = view->lo[i];
    }
    return false;
}

/* Go to a tile: at fixed size by computing where it is, otherwise by passing over the tiles
 * before it. */
static zt_status go_to(zt_context *context, const struct zti_coding *coding, struct input *in,
                       uint64_t start_bits, uint64_t here, uint64_t tile)
{
    const uint64_t fixed = coding->codec->tile_fixed_bits(coding);
    if (fixed == 0 || in->tail || here == tile)
        return take_tiles(context, coding, in, here, tile, NULL);
    uint64_t bits;
    if (!zti_mul(tile, fixed, &bits) || !zti_add(bits, start_bits, &bits) ||
        bits > in->data_bytes * 8)
        return cut_short(context, coding, tile);
    in->reader.at = bits;
    return ZT_OK;
}

static zt_status take_view(zt_context *context, const struct zti_coding *coding, struct input *in,
                           uint64_t start_bits, const struct zti_view *view)
{
    const struct zti_grid *grid = &coding->grid;
    const uint64_t every = report_every(coding) * GROUP_TILES;
    uint64_t at[ZT_MAX_RANK], left, right, here = 0, reported = 0;
    zt_status status = ZT_OK;
    columns_of(coding, view, &left, &right);
    memcpy(at, view->lo, sizeof at);
    do {
        const uint64_t row = tile_at(grid, at);
        status = go_to(context, coding, in, start_bits, here, row);
        here = row;
        while (status == ZT_OK && here < row + (right - left)) {
            const uint64_t rest = row + (right - left) - here;
            const uint64_t n = rest < every ? rest : every;
            status = take_tiles(context, coding, in, here, here + n, view);
            here += n;
            if (status == ZT_OK && here - reported >= every) {
                status = report(context, here, grid->count);
                reported = here;
            }
        }
    } while (status == ZT_OK && next_tile_row(grid, view, at));
    if (status == ZT_OK && in->reader.at > in->reader.end)
        status = cut_short(context, coding, here - 1);
    return status == ZT_OK ? report(context, grid->count, grid->count) : status;
}

zt_status zti_exec_decode(zt_context *context, const struct zti_coding *coding,
                          const uint8_t *data, size_t data_bytes, uint64_t start_bits,
                          const struct zti_view *view, uint64_t *end_bits)
{
    struct input in = {
        .data = data,
        .data_bytes = data_bytes,
        .reach_bytes = coding->codec->tile_reach_bits(coding) / 8 + 2 * ZTI_BIT_MARGIN_BYTES,
        .reader = {.base = data, .at = start_bits, .end = (uint64_t)data_bytes * 8}};
    zt_status status = take_view(context, coding, &in, start_bits, view);
    *end_bits = position(&in);
    zti_release(context, in.tail);
    return status;
}

void zti_exec_extent(const struct zti_coding *coding, const struct zti_view *view,
                     uint64_t stream_bytes, uint64_t *first_byte, uint64_t *last_byte)
{
    const uint64_t fixed = coding->codec->tile_fixed_bits(coding);
    uint64_t at[ZT_MAX_RANK], bits;
    *first_byte = 0;
    *last_byte = stream_bytes;
    if (fixed == 0)
        return;
    if (zti_mul(tile_at(&coding->grid, view->lo), fixed, &bits) && bits / 8 < stream_bytes)
        *first_byte = bits / 8;
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        at[i] = view->hi[i] - 1;
    if (zti_mul(tile_at(&coding->grid, at) + 1, fixed, &bits) &&
        bytes_of_bits(bits) < stream_bytes)
        *last_byte = bytes_of_bits(bits);
}
