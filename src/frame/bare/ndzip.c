/* ndzip.c: zt_ndzip_*: codes and decodes ndzip streams without a .zt file around them.
 *
 *     table of ends | records of the whole tiles | border: values outside whole tiles
 *
 * The border is in C order. The position of row (z, y) in it is the number of values of all rows
 * before, less those in tiles; so any thread can copy any row. The ends of rows that tiles cover
 * otherwise are copied together with the tiles (struct zti_ndzip_tails), not in a pass of their
 * own. */
#include "array/mirror.h"
#include "codec/ndzip/ndzip.h"
#include "core/map.h"
#include "exec/exec.h"
#include "frame/bare/box.h"
#include "ztile_ndzip.h"

#include <math.h>

/* A stream, and the array that it codes. */
struct stream {
    struct zti_coding coding;    /* of the part of the array that tiles cover */
    uint64_t inner[ZT_MAX_RANK]; /* the shape of that part */
    uint64_t head_bytes;
    uint64_t border_values;
    uint32_t value_bytes;
};

static bool is_empty(const zt_array *array)
{
    if (!array || array->rank < 1 || array->rank > 3)
        return false;
    for (uint32_t i = 0; i < array->rank; i++)
        if (array->shape[i] == 0)
            return true;
    return false;
}

/* Check an array that may have no values. */
static zt_status check_array(zt_context *context, const zt_array *given, enum zti_use use,
                             struct zti_array *array)
{
    if (!is_empty(given))
        return zti_array_check(context, given, use, array);
    *array = zti_array_packed(given->data, given->type, given->rank, given->shape);
    return ZT_OK;
}

static zt_status stream_of(zt_context *context, const struct zti_array *array, struct stream *s)
{
    uint64_t values = 1, tiles = 1;
    memset(s, 0, sizeof *s);
    if (array->type != ZT_F32 && array->type != ZT_F64)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "an ndzip stream is of float or double; integers go into a .zt file");
    if (array->rank > 3)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "an ndzip stream has 1 to 3 dimensions; 4 go into a .zt file");
    for (uint32_t i = 0; i < array->rank; i++)
        if (!zti_mul(values, array->shape[i], &values) || values > UINT32_MAX)
            return zti_fail(context, ZT_UNSUPPORTED,
                            "an ndzip stream has less than 2^32 elements; larger arrays go into a "
                            ".zt file");
    const uint32_t *side = zti_codec_ndzip.tile_shape[array->rank - 1];
    s->value_bytes = (uint32_t)zt_type_bytes(array->type);
    for (uint32_t i = 0; i < array->rank; i++) {
        s->inner[i] = array->shape[i] / side[i] * side[i];
        tiles *= array->shape[i] / side[i];
    }
    if (tiles == 0)
        memset(s->inner, 0, sizeof s->inner);
    s->coding.codec = &zti_codec_ndzip;
    s->coding.type = array->type;
    s->coding.verify_bound = NAN;
    s->coding.grid = zti_grid_of(array->rank, s->inner, side);
    s->head_bytes = zti_round_up(4 * tiles, s->value_bytes);
    s->border_values = values - tiles * ZTI_NDZIP_VALUES;
    return ZT_OK;
}

/* ---- the border ---- */

/* A copy between a box of the array and the border; threads take rows. */
struct border {
    const struct stream *stream;
    const uint64_t *shape; /* of the array */
    struct zti_view view;  /* the box, and the memory of its values */
    uint8_t *bytes;        /* of the border */
    bool is_encoding;
    bool has_tails; /* the ends of rows were copied with the tiles */
    uint32_t tasks;
};

/* Values of the border before row (z, y) of an array with three axes. */
static uint64_t border_before(const uint64_t *shape, const uint64_t *inner, uint64_t z, uint64_t y)
{
    const uint64_t full = z < inner[0] ? z : inner[0];
    const uint64_t rest = z < inner[0] ? (y < inner[1] ? y : inner[1]) : 0;
    return (z * shape[1] + y) * shape[2] - (full * inner[1] + rest) * inner[2];
}

/* Copy n values from or to a run of the border. */
static void copy_run(const struct border *b, uint8_t *stream, uint8_t *memory, int64_t step,
                     uint64_t n)
{
    const uint32_t bytes = b->stream->value_bytes;
    if (b->is_encoding)
        zti_ndzip_copy_row(stream, bytes, memory, step, n, bytes);
    else
        zti_ndzip_copy_row(memory, step, stream, bytes, n, bytes);
}

/* Rows to prefetch ahead: runs are short, and a row apart. */
enum { AHEAD_ROWS = 32 };

/* Copy part 'task' of the rows of the box. */
static bool border_task(void *shared, uint32_t worker, uint64_t task)
{
    const struct border *b = shared;
    (void)worker;
    const uint32_t rank = b->stream->coding.grid.rank, pad = 3 - rank;
    const int64_t bytes = (int64_t)b->stream->value_bytes;
    uint64_t shape[3] = {1, 1, 1}, inner[3] = {1, 1, 1}, lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1};
    int64_t step[3] = {0, 0, 0};
    for (uint32_t i = 0; i < rank; i++) {
        shape[pad + i] = b->shape[i];
        inner[pad + i] = b->stream->inner[i];
        lo[pad + i] = b->view.lo[i];
        hi[pad + i] = b->view.hi[i];
        step[pad + i] = b->view.out.stride[i] * bytes;
    }
    if (inner[2] == 0) /* there are no tiles */
        inner[0] = inner[1] = 0;
    const uint64_t lines = hi[1] - lo[1], rows = (hi[0] - lo[0]) * lines;
    const uint64_t last =
        rows / b->tasks * (task + 1) + (task + 1 == b->tasks ? rows % b->tasks : 0);
    uint64_t row = rows / b->tasks * task, z = lo[0] + row / lines, y = lo[1] + row % lines;
    for (; row < last; row++, z += y + 1 == hi[1], y = y + 1 == hi[1] ? lo[1] : y + 1) {
        /* where the row's border begins */
        const uint64_t begin = z < inner[0] && y < inner[1] ? inner[2] : 0;
        const uint64_t x = begin > lo[2] ? begin : lo[2];
        if (begin > 0 && (b->has_tails || begin >= hi[2])) { /* skip rows that tiles cover */
            const uint64_t skip = (inner[1] < hi[1] ? inner[1] : hi[1]) - y - 1;
            row += skip;
            y += skip;
            continue;
        }
        if (x >= hi[2])
            continue;
        uint8_t *const memory = (uint8_t *)b->view.out.data + (int64_t)(z - lo[0]) * step[0] +
                                (int64_t)(y - lo[1]) * step[1] + (int64_t)(x - lo[2]) * step[2];
        zti_prefetch_to_write(memory + AHEAD_ROWS * step[1]);
        copy_run(b, b->bytes + (border_before(shape, inner, z, y) + x - begin) * (uint64_t)bytes,
                 memory, step[2], hi[2] - x);
    }
    return true;
}

/* Values at the end of each row that tiles cover otherwise, if they are copied with the tiles; 0 on
 * a GPU, which does not do that. */
static uint32_t tail_values(const zt_context *context, const struct stream *s,
                            const uint64_t *shape)
{
    const uint32_t rank = s->coding.grid.rank;
    const bool is_with_tiles =
        rank > 1 && s->coding.grid.count > 0 && !zti_exec_is_by_kernels(context, &s->coding);
    return is_with_tiles ? (uint32_t)(shape[rank - 1] - s->inner[rank - 1]) : 0;
}

/* The fewest rows for another thread. */
enum { LEAST_ROWS = 4096 };

static void copy_border(const zt_context *context, struct border *b)
{
    const uint32_t rank = b->stream->coding.grid.rank;
    uint64_t rows = 1;
    for (uint32_t i = 0; i + 1 < rank; i++)
        rows *= b->view.hi[i] - b->view.lo[i];
    b->tasks = zti_map_workers(context, rows / LEAST_ROWS + 1);
    if (b->stream->border_values > 0)
        zti_map(context, b->tasks, border_task, b);
}

/* ---- compression ---- */

/* Prepare a buffer for the ends of rows, because the border's place in the stream is not known
 * before all tiles are coded. tails->bytes is NULL where there are none, or no memory. */
static void open_tails(zt_context *context, struct stream *s, const struct zti_array *array,
                       struct zti_ndzip_tails *tails)
{
    const uint32_t n = tail_values(context, s, array->shape), rank = array->rank;
    uint64_t bytes = n * s->value_bytes * (rank > 1 ? s->inner[rank - 2] : 0);
    *tails = (struct zti_ndzip_tails){.values = n, .plane_bytes = bytes};
    bytes *= rank > 2 ? s->inner[0] : 1;
    if (n > 0 && bytes <= SIZE_MAX)
        tails->bytes = zti_alloc(context, (size_t)bytes);
    if (tails->bytes)
        s->coding.model = tails;
}

/* Copy the ends of rows into the border. */
static void close_tails(zt_context *context, const struct stream *s, const struct zti_array *array,
                        const struct zti_ndzip_tails *tails, uint8_t *border)
{
    const bool has_planes = array->rank > 2;
    const uint64_t planes = has_planes ? s->inner[0] : 1;
    const uint64_t rows_bytes =
        has_planes ? (array->shape[1] - s->inner[1]) * array->shape[2] * s->value_bytes : 0;
    for (uint64_t z = 0; border && tails->bytes && z < planes; z++)
        memcpy(border + z * (tails->plane_bytes + rows_bytes),
               tails->bytes + z * tails->plane_bytes, (size_t)tails->plane_bytes);
    zti_release(context, tails->bytes);
}

zt_status zt_ndzip_compress_bound(zt_context *context, const zt_array *given,
                                  size_t *capacity_bytes)
{
    struct stream s;
    struct zti_array array;
    zt_status status = check_array(context, given, ZTI_SHAPE_ONLY, &array);
    if (status == ZT_OK)
        status = stream_of(context, &array, &s);
    if (status == ZT_OK && !capacity_bytes)
        status = zti_fail(context, ZT_BAD_ARG, "no place for the capacity given");
    if (status != ZT_OK)
        return status;
    const uint64_t bytes =
        s.head_bytes + s.coding.grid.count * (zti_codec_ndzip.sizes(&s.coding).tile_max_bits / 8) +
        s.border_values * s.value_bytes;
    if (bytes > SIZE_MAX)
        return zti_fail(context, ZT_BAD_ARG,
                        "the stream could take more than this machine's "
                        "address space");
    *capacity_bytes = (size_t)bytes;
    return ZT_OK;
}

/* Write the table of ends, which the host makes, to the stream, which may be in a GPU's memory. */
static zt_status write_table(zt_context *context, const struct stream *s, uint64_t *starts,
                             uint8_t *out)
{
    struct zti_mirror table;
    zt_status status = zti_mirror_open_room(context, out, s->head_bytes, &table);
    if (status == ZT_OK) {
        zti_encode_head(&s->coding, starts, table.room);
        status = zti_mirror_store_bytes(&table, out, s->head_bytes);
    }
    zti_mirror_close(&table);
    return status;
}

/* Encode table and records; *end_bytes is where they end. */
static zt_status encode_tiles(zt_context *context, const struct stream *s,
                              const struct zti_array *array, uint8_t *out, size_t capacity_bytes,
                              uint64_t *end_bytes)
{
    const uint64_t count = s->coding.grid.count;
    struct zti_starts starts = {.chunk_tiles = 1};
    uint64_t end_bits = 0, bytes;
    struct zti_array inner = *array;
    memcpy(inner.shape, s->inner, sizeof inner.shape);
    if (capacity_bytes < s->head_bytes)
        return zti_fail(context, ZT_NO_SPACE,
                        "the output buffer of %zu bytes has no room for the stream's table of %llu",
                        capacity_bytes, (unsigned long long)s->head_bytes);
    starts.list = zti_mul(count + 1, sizeof *starts.list, &bytes) && bytes <= SIZE_MAX
                      ? zti_alloc(context, (size_t)bytes)
                      : NULL;
    if (!starts.list)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for the places of %llu tiles",
                        (unsigned long long)count);
    zt_status status = zti_exec_encode(context, &s->coding, &inner, out, capacity_bytes,
                                       s->head_bytes * 8, &end_bits, NULL, &starts);
    if (status == ZT_OK && starts.list[count] / (8 * s->value_bytes) > UINT32_MAX)
        status = zti_fail(context, ZT_UNSUPPORTED,
                          "the table of an ndzip stream ends at 2^32 words; use a .zt file");
    if (status == ZT_OK)
        status = write_table(context, s, starts.list, out);
    *end_bytes = end_bits / 8;
    zti_release(context, starts.list);
    return status;
}

/* Write the border by the host; array and place may be in a GPU's memory. */
static zt_status write_border(zt_context *context, const struct stream *s,
                              const struct zti_array *array, uint8_t *place)
{
    const uint64_t bytes = s->border_values * s->value_bytes;
    struct zti_mirror values, room = {.own = NULL};
    if (bytes == 0)
        return ZT_OK;
    zt_status status = zti_mirror_open(context, array, &values);
    if (status == ZT_OK)
        status = zti_mirror_open_room(context, place, bytes, &room);
    struct border border = {.stream = s,
                            .shape = array->shape,
                            .view = zti_view_whole(&values.array),
                            .bytes = room.room,
                            .is_encoding = true,
                            .has_tails = s->coding.model != NULL};
    if (status == ZT_OK)
        copy_border(context, &border);
    if (status == ZT_OK)
        status = zti_mirror_store_bytes(&room, place, bytes);
    zti_mirror_close(&room);
    zti_mirror_close(&values);
    return status;
}

zt_status zt_ndzip_compress(zt_context *context, const zt_array *given, void *out,
                            size_t out_capacity_bytes, size_t *out_bytes)
{
    struct stream s;
    struct zti_array array;
    uint64_t end_bytes = 0;
    zt_status status = check_array(context, given, ZTI_TO_READ, &array);
    if (status == ZT_OK)
        status = stream_of(context, &array, &s);
    if (status == ZT_OK && (!out || !out_bytes))
        status = zti_fail(context, ZT_BAD_ARG, "no place for the stream given");
    if (status == ZT_OK)
        status = zti_check_memory(context, out, "the output buffer");
    if (status != ZT_OK)
        return status;
    struct zti_ndzip_tails tails;
    open_tails(context, &s, &array, &tails);
    if (s.coding.grid.count > 0)
        status = encode_tiles(context, &s, &array, out, out_capacity_bytes, &end_bytes);
    const uint64_t border_bytes = s.border_values * s.value_bytes;
    const bool has_room = status == ZT_OK && out_capacity_bytes - end_bytes >= border_bytes;
    close_tails(context, &s, &array, &tails, has_room ? (uint8_t *)out + end_bytes : NULL);
    if (status != ZT_OK)
        return status;
    if (!has_room)
        return zti_fail(context, ZT_NO_SPACE,
                        "the stream needs %llu bytes and the output buffer has %zu",
                        (unsigned long long)(end_bytes + border_bytes), out_capacity_bytes);
    status = write_border(context, &s, &array, (uint8_t *)out + end_bytes);
    if (status == ZT_OK)
        *out_bytes = (size_t)(end_bytes + border_bytes);
    return status;
}

/* ---- decompression ---- */

/* Check the table and that the stream is whole; *total_bytes is the stream's length. */
static zt_status read_table(zt_context *context, struct stream *s, const uint8_t *data,
                            size_t data_bytes, uint64_t *total_bytes)
{
    const uint64_t count = s->coding.grid.count;
    uint64_t words = 0;
    zt_status status = ZT_OK;
    if (s->head_bytes > data_bytes)
        return zti_fail(context, ZT_CORRUPT,
                        "the ndzip stream is cut short, or of another shape: %zu bytes do not hold "
                        "the table of %llu tiles",
                        data_bytes, (unsigned long long)count);
    if (count > 0) {
        status = zti_decode_head(context, &s->coding, data);
        words = zti_get_le32(data + 4 * (count - 1));
    }
    *total_bytes = s->head_bytes + (words + s->border_values) * s->value_bytes;
    if (status == ZT_OK && *total_bytes > data_bytes)
        status = zti_fail(context, ZT_CORRUPT,
                          "the ndzip stream is cut short, or of another shape: it has %zu of %llu "
                          "bytes",
                          data_bytes, (unsigned long long)*total_bytes);
    return status;
}

/* Decode those values of a view that are in tiles. */
static zt_status decode_tiles(zt_context *context, const struct stream *s, const uint8_t *head,
                              const uint8_t *data, uint64_t records_end,
                              const struct zti_view *view)
{
    const uint32_t rank = s->coding.grid.rank;
    struct zti_view inner = *view;
    struct zti_index index;
    uint64_t end_bits = 0;
    bool is_whole = true;
    for (uint32_t i = 0; i < rank; i++) {
        if (inner.lo[i] >= s->inner[i])
            return ZT_OK;
        inner.hi[i] = inner.hi[i] < s->inner[i] ? inner.hi[i] : s->inner[i];
        inner.out.shape[i] = inner.hi[i] - inner.lo[i];
        is_whole &= inner.out.shape[i] == s->inner[i];
    }
    zt_status status = zti_index_open_ends(context, head, s->coding.grid.count,
                                           (records_end - s->head_bytes) / s->value_bytes, &index);
    if (status == ZT_OK && !zti_exec_checks_index(context, &s->coding, &index, &inner, NULL))
        status = zti_index_check(context, &index);
    if (status == ZT_OK)
        status = zti_exec_decode(context, &s->coding, data, (size_t)records_end, s->head_bytes * 8,
                                 &index, &inner, &end_bits);
    zti_index_close(context, &index);
    if (status == ZT_OK && is_whole && end_bits != records_end * 8)
        status = zti_fail(context, ZT_CORRUPT,
                          "the ndzip stream is damaged: its last tile ends elsewhere than its "
                          "table says");
    return status;
}

static bool is_whole(const struct zti_view *view, const struct zti_array *whole)
{
    for (uint32_t i = 0; i < whole->rank; i++)
        if (view->lo[i] != 0 || view->hi[i] != whole->shape[i])
            return false;
    return true;
}

/* Copy those values of a view that are in the border, whose bytes are at 'bytes'. */
static zt_status read_border(zt_context *context, const struct stream *s,
                             const struct zti_array *whole, const struct zti_view *view,
                             const uint8_t *bytes)
{
    union {
        const void *in;
        uint8_t *out; /* not written to when decoding */
    } u;
    struct zti_mirror border_bytes;
    if (s->border_values == 0)
        return ZT_OK;
    const zt_status status =
        zti_mirror_open_bytes(context, bytes, s->border_values * s->value_bytes, &border_bytes);
    u.in = border_bytes.bytes;
    struct border border = {.stream = s,
                            .shape = whole->shape,
                            .view = *view,
                            .bytes = u.out,
                            .has_tails = s->coding.model != NULL};
    if (status == ZT_OK)
        copy_border(context, &border);
    zti_mirror_close(&border_bytes);
    return status;
}

/* Decode a view in the host's memory, or one that kernels alone fill. head: the table, in the
 * host's memory. */
static zt_status decode_view(zt_context *context, struct stream *s, const uint8_t *head,
                             const uint8_t *data, uint64_t total_bytes,
                             const struct zti_array *whole, const struct zti_view *view)
{
    const uint64_t records_end = total_bytes - s->border_values * s->value_bytes;
    union {
        const void *in;
        uint8_t *out; /* not written to when decoding */
    } stream = {.in = data};
    struct zti_ndzip_tails tails = {.bytes = stream.out + records_end,
                                    .values = tail_values(context, s, whole->shape)};
    zt_status status = ZT_OK;
    if (whole->rank > 2)
        tails.plane_bytes =
            (whole->shape[1] * whole->shape[2] - s->inner[1] * s->inner[2]) * s->value_bytes;
    if (tails.values > 0 && is_whole(view, whole))
        s->coding.model = &tails;
    if (s->coding.grid.count > 0)
        status = decode_tiles(context, s, head, data, records_end, view);
    if (status == ZT_OK)
        status = read_border(context, s, whole, view, data + records_end);
    s->coding.model = NULL;
    return status;
}

static zt_status decompress(zt_context *context, const void *data, size_t data_bytes,
                            const struct zti_array *whole, const struct zti_view *view,
                            size_t *consumed_bytes)
{
    struct stream s;
    struct zti_mirror head = {.own = NULL}, values = {.array = view->out};
    struct zti_view here = *view;
    uint64_t total_bytes = 0;
    zt_status status = stream_of(context, whole, &s);
    if (status == ZT_OK && !data)
        status = zti_fail(context, ZT_BAD_ARG, "no stream given");
    if (status == ZT_OK)
        status = zti_check_memory(context, data, "the stream");
    if (status != ZT_OK)
        return status;
    const uint64_t head_bytes = s.head_bytes < data_bytes ? s.head_bytes : data_bytes;
    status = zti_mirror_open_bytes(context, data, head_bytes, &head);
    if (status == ZT_OK)
        status = read_table(context, &s, head.bytes, data_bytes, &total_bytes);
    if (status == ZT_OK && s.border_values > 0)
        status = zti_mirror_open_output(context, &view->out, &values);
    here.out = values.array;
    if (status == ZT_OK)
        status = decode_view(context, &s, head.bytes, data, total_bytes, whole, &here);
    if (status == ZT_OK)
        status = zti_mirror_store(&values, &view->out);
    if (status == ZT_OK && consumed_bytes)
        *consumed_bytes = (size_t)total_bytes;
    zti_mirror_close(&values);
    zti_mirror_close(&head);
    return status;
}

zt_status zt_ndzip_decompress(zt_context *context, const void *data, size_t data_bytes,
                              const zt_array *given, size_t *consumed_bytes)
{
    struct zti_array out;
    const zt_status status = check_array(context, given, ZTI_TO_WRITE, &out);
    if (status != ZT_OK)
        return status;
    const struct zti_view view = zti_view_whole(&out);
    return decompress(context, data, data_bytes, &out, &view, consumed_bytes);
}

zt_status zt_ndzip_decompress_box(zt_context *context, const void *data, size_t data_bytes,
                                  const zt_array *given_whole, const zt_box *box,
                                  const zt_array *given)
{
    struct zti_array whole;
    struct zti_view view;
    zt_status status = zti_array_check(context, given_whole, ZTI_SHAPE_ONLY, &whole);
    if (status == ZT_OK)
        status = zti_bare_box_check(context, &whole, box, given, ZTI_TO_WRITE, &view);
    return status == ZT_OK ? decompress(context, data, data_bytes, &whole, &view, NULL) : status;
}
