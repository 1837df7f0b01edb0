/* walk.c: encodes and decodes a run of cubes: finds the values of each in the array, calls the
 * kernels, and copies values that kernels cannot load directly. Also the raw form, and skipping.
 *
 * A whole cube whose rows are contiguous in memory is coded in place. Any other goes through a
 * buffer: one whose rows have strides, one cut by a view, and one at the end of the array, which is
 * padded. */
#include "codec/ndzip/tile/part.h"

/* The rows of neighbouring cubes, a strip, are prefetched together, because consecutive cache lines
 * load faster than scattered ones. */
enum { STRIP_ROW_BYTES = 512 };

/* The number of cubes in the strip of cube x in a line of cubes: a power of two. */
static uint32_t strip_of(const struct shape *s, uint64_t x, uint64_t cubes)
{
    uint32_t n = STRIP_ROW_BYTES / (s->side * s->value_bytes);
    while (x / n * n + n > cubes)
        n /= 2;
    return n;
}

/* Set the rows of the next strip that this cube shall prefetch, if that strip lies in the run
 * [first, last): lines that another thread writes should not be loaded. Nothing prefetches the
 * first strip of a run. */
static void look_far(const struct zti_grid *grid, const struct shape *s, struct zti_walk at,
                     uint64_t first, uint64_t last, const struct zti_view *view,
                     struct zti_ndzip_rows *rows)
{
    const uint32_t axis = grid->rank - 1;
    const uint64_t x = at.origin[axis] / grid->side[axis], cubes = grid->tiles[axis];
    if (s->rank < 3)
        return;
    const uint32_t n = strip_of(s, x, cubes), k = (uint32_t)(x % n);
    rows->is_fetched = at.tile > first + k && last - at.tile >= n - k;
    for (uint32_t i = k; i < n; i++)
        zti_walk_next(grid, &at);
    if (at.tile >= last)
        return;
    const uint32_t next_n = strip_of(s, at.origin[axis] / grid->side[axis], cubes);
    const struct part next = part_of(grid, *s, &at, &view->out, view->lo, view->hi);
    if (last - at.tile < next_n || !next.is_plain)
        return;
    rows->far = next.data + k * (s->side / n) * rows->plane_bytes;
    rows->far_rows = s->side * s->side / n;
    rows->far_bytes = next_n * s->side * s->value_bytes;
}

static struct zti_ndzip_rows rows_of(const struct part *p, const struct part *next)
{
    return (struct zti_ndzip_rows){.at = p->data,
                                   .ahead = next->is_plain ? next->data : p->data,
                                   .row_bytes = p->stride_bytes[1],
                                   .plane_bytes = p->stride_bytes[0]};
}

/* The rows of a cube in a buffer. */
static struct zti_ndzip_rows rows_in(uint8_t *buffer, const struct shape *s)
{
    const int64_t row = s->side * s->value_bytes;
    return (struct zti_ndzip_rows){
        .at = buffer, .ahead = buffer, .row_bytes = row, .plane_bytes = row * s->side};
}

/* For fewer values, a loop is faster than memcpy. */
enum { MEMCPY_VALUES = 9 };

void zti_ndzip_copy_row(uint8_t *to, int64_t to_step, const uint8_t *from, int64_t from_step,
                        uint64_t n, uint32_t value_bytes)
{
    if (to_step == from_step && to_step == (int64_t)value_bytes && n >= MEMCPY_VALUES)
        memcpy(to, from, (size_t)n * value_bytes);
    else if (value_bytes == 4)
        for (; n > 0; n--, to += to_step, from += from_step)
            memcpy(to, from, 4);
    else
        for (; n > 0; n--, to += to_step, from += from_step)
            memcpy(to, from, 8);
}

/* Copy a cube to a buffer, and pad it beyond the array's end. */
static void gather(const struct part *p, const struct shape *s, uint8_t *buffer)
{
    const struct zti_ndzip_rows rows = rows_in(buffer, s);
    const uint32_t bytes = s->value_bytes, side = s->side;
    const uint32_t planes = s->rank > 2 ? side : 1, lines = s->rank > 1 ? side : 1;
    for (uint32_t z = 0; z < p->extent[0]; z++) {
        uint8_t *const plane = buffer + z * rows.plane_bytes;
        for (uint32_t y = 0; y < p->extent[1]; y++) {
            uint8_t *const row = plane + y * rows.row_bytes;
            zti_ndzip_copy_row(row, bytes,
                               p->data + z * p->stride_bytes[0] + y * p->stride_bytes[1],
                               p->stride_bytes[2], p->extent[2], bytes);
            for (uint32_t x = p->extent[2]; x < side; x++)
                memcpy(row + x * bytes, row + (x - 1) * bytes, bytes);
        }
        for (uint32_t y = p->extent[1]; y < lines; y++)
            memcpy(plane + y * rows.row_bytes, plane + (y - 1) * rows.row_bytes,
                   (size_t)rows.row_bytes);
    }
    for (uint32_t z = p->extent[0]; z < planes; z++)
        memcpy(buffer + z * rows.plane_bytes, buffer + (z - 1) * rows.plane_bytes,
               (size_t)rows.plane_bytes);
}

/* Copy the wanted part of a cube from a buffer to its place. */
static void scatter(const struct part *p, const struct shape *s, const uint8_t *buffer)
{
    const uint32_t bytes = s->value_bytes, side = s->side;
    for (uint32_t z = 0; z < p->extent[0]; z++)
        for (uint32_t y = 0; y < p->extent[1]; y++) {
            const uint32_t at = ((z + p->skip[0]) * side + y + p->skip[1]) * side + p->skip[2];
            zti_ndzip_copy_row(p->data + z * p->stride_bytes[0] + y * p->stride_bytes[1],
                               p->stride_bytes[2], buffer + at * bytes, bytes, p->extent[2], bytes);
        }
}

/* If cube 'at' is the last of its line, copy the ends of its rows to the stream, or from it. */
static void copy_tails(const struct zti_coding *coding, const struct zti_walk *at,
                       const struct zti_array *memory, bool is_encoding)
{
    const struct zti_grid *grid = &coding->grid;
    const struct zti_ndzip_tails *tails = coding->model;
    const uint32_t x = grid->rank - 1, bytes = (uint32_t)zt_type_bytes(coding->type);
    if (!tails || at->origin[x] + grid->side[x] < grid->shape[x])
        return;
    const bool has_planes = grid->rank > 2;
    const uint64_t planes = has_planes ? grid->side[0] : 1, z0 = has_planes ? at->origin[0] : 0;
    const int64_t plane_step = has_planes ? memory->stride[0] : 0;
    const int64_t step = memory->stride[x] * (int64_t)bytes;
    for (uint64_t z = z0; z < z0 + planes; z++)
        for (uint64_t y = at->origin[x - 1]; y < at->origin[x - 1] + grid->side[x - 1]; y++) {
            uint8_t *const row =
                (uint8_t *)memory->data + (int64_t)grid->shape[x] * step +
                ((int64_t)z * plane_step + (int64_t)y * memory->stride[x - 1]) * (int64_t)bytes;
            uint8_t *const tail = tails->bytes + z * tails->plane_bytes + y * tails->values * bytes;
            if (is_encoding)
                zti_ndzip_copy_row(tail, bytes, row, step, tails->values, bytes);
            else
                zti_ndzip_copy_row(row, step, tail, bytes, tails->values, bytes);
        }
}

/* ---- raw values ---- */

/* Copy values [first, last), in C order, of the grid's array between view->out and the stream. */
static void copy_values(const struct zti_grid *grid, const struct zti_view *view, uint64_t first,
                        uint64_t last, uint8_t *stream, bool is_encoding)
{
    const uint32_t bytes = (uint32_t)zt_type_bytes(view->out.type), x = grid->rank - 1;
    const int64_t step = view->out.stride[x] * (int64_t)bytes;
    while (first < last) {
        const struct zti_walk at = zti_walk_from(grid, first);
        const uint64_t rest = grid->shape[x] - at.origin[x];
        const uint32_t n = (uint32_t)(rest < last - first ? rest : last - first);
        int64_t offset = 0;
        for (uint32_t i = 0; i < grid->rank; i++)
            offset += (int64_t)(at.origin[i] - view->lo[i]) * view->out.stride[i];
        uint8_t *const row = (uint8_t *)view->out.data + offset * (int64_t)bytes;
        if (is_encoding)
            zti_ndzip_copy_row(stream, bytes, row, step, n, bytes);
        else
            zti_ndzip_copy_row(row, step, stream, bytes, n, bytes);
        stream += (size_t)n * bytes;
        first += n;
    }
}

/* ---- runs of cubes ---- */

bool zti_ndzip_encode(const struct zti_coding *coding, const struct zti_array *array,
                      uint64_t first, uint64_t last, struct zti_bit_writer *w)
{
    const struct zti_grid *grid = &coding->grid;
    const struct zti_view all = zti_view_whole(array);
    if (zti_ndzip_is_stored(coding)) {
        copy_values(grid, &all, first, last, w->next, true);
        w->next += (last - first) * zt_type_bytes(coding->type);
        return true;
    }
    const struct shape s = shape_of(coding);
    const struct zti_ndzip_kernels *k =
        zti_ndzip_kernels_of(coding->run.isa, 8 * s.value_bytes, s.rank);
    uint8_t *(*const put)(const struct zti_ndzip_rows *, uint32_t, uint8_t *) =
        coding->run.is_streamed && k->stream ? k->stream : k->put;
    struct zti_walk at = zti_walk_from(grid, first);
    struct part part = part_of(grid, s, &at, array, all.lo, all.hi);
    while (at.tile < last) {
        const struct zti_walk here = at;
        zti_walk_next(grid, &at);
        const struct part next =
            at.tile < grid->count ? part_of(grid, s, &at, array, all.lo, all.hi) : part;
        _Alignas(64) uint8_t buffer[8 * ZTI_NDZIP_VALUES];
        struct zti_ndzip_rows rows = rows_of(&part, &next);
        if (part.is_plain) {
            look_far(grid, &s, here, first, grid->count, &all, &rows);
        } else {
            gather(&part, &s, buffer);
            rows = rows_in(buffer, &s);
        }
        w->next = put(&rows, zti_ndzip_rotation(coding->type), w->next);
        copy_tails(coding, &here, array, true);
        part = next;
    }
    return true;
}

void zti_ndzip_decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                      uint64_t last, const struct zti_view *view)
{
    const struct zti_grid *grid = &coding->grid;
    const uint8_t *from = r->base + r->at / 8;
    if (zti_ndzip_is_stored(coding)) {
        copy_values(grid, view, first, last, (uint8_t *)from, false);
        r->at += (last - first) * zt_type_bytes(coding->type) * 8;
        return;
    }
    const struct shape s = shape_of(coding);
    const struct zti_ndzip_kernels *k =
        zti_ndzip_kernels_of(coding->run.isa, 8 * s.value_bytes, s.rank);
    struct zti_walk at = zti_walk_from(grid, first);
    struct part part = part_of(grid, s, &at, &view->out, view->lo, view->hi);
    while (at.tile < last) {
        const struct zti_walk here = at;
        zti_walk_next(grid, &at);
        const struct part next =
            at.tile < last ? part_of(grid, s, &at, &view->out, view->lo, view->hi) : part;
        _Alignas(64) uint8_t buffer[8 * ZTI_NDZIP_VALUES];
        struct zti_ndzip_rows rows = rows_of(&part, &next);
        if (part.is_plain)
            look_far(grid, &s, here, first, last, view, &rows);
        else
            rows = rows_in(buffer, &s);
        from = k->take(from, zti_ndzip_rotation(coding->type), &rows);
        if (!part.is_plain)
            scatter(&part, &s, buffer);
        copy_tails(coding, &here, &view->out, false);
        part = next;
    }
    r->at = (uint64_t)(from - r->base) * 8;
}

void zti_ndzip_skip(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                    uint64_t last)
{
    const uint32_t width = 8 * (uint32_t)zt_type_bytes(coding->type);
    if (zti_ndzip_is_stored(coding)) {
        r->at += (last - first) * width;
        return;
    }
    const uint32_t mask_bytes = ZTI_NDZIP_VALUES / 8; /* a record's masks: a multiple of 64 bits */
    for (; first < last; first++) {
        const uint8_t *masks = r->base + r->at / 8;
        uint64_t planes = 0;
        for (uint32_t i = 0; i < mask_bytes; i += 8)
            planes += zti_popcount64(zti_get_le64(masks + i));
        r->at += 8 * mask_bytes + planes * width;
    }
}
