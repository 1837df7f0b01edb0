/* tile.c: effort 'high': encode a tile of values to bytes, and decode it.
 *
 *     u8       0: all residuals are 0; 1: they are coded; 3: raw values follow instead
 *              | 4 if symbols leave bits open | 8 if exact values follow | 16 if there are many
 *              states
 *     varint   if residuals are coded: bytes of the two next sections
 *     section  if bit 2 is set: varint, its bytes; the bits that symbols leave open
 *     section  the ANS stream (entropy/ans/mixed.h)
 *     section  if bit 3 is set: u32, its bytes; exact values for each 4096 values of the tile
 *              (exact.c) */
#include "codec/sz/interp/interp.h"
#include "core/wire.h"

/* ---- a tile ---- */

static struct zti_sz_box box_of(const struct zti_coding *coding, const struct zti_walk *walk)
{
    return zti_sz_high_box(&coding->grid, sz_of(coding)->axes, walk);
}

/* Copy a tile's part of the coarse grid to its coarsest level. */
static void copy_coarse(const struct zti_coding *coding, const struct zti_sz_box *box,
                        struct zti_sz_pyramid *p)
{
    const struct zti_sz_high *const high = coding->model;
    const uint32_t bits = zti_sz_high_distance(sz_of(coding)->axes), skip = 4 - coding->grid.rank;
    uint32_t from[4] = {0};
    for (uint32_t i = skip; i < 4; i++)
        from[i] = (uint32_t)(box->origin[i] >> (p->axes >> i & 1 ? bits : 0));
    zti_sz_high_coarse_box(high, from, p->level[p->levels].dim, p->grid[p->levels & 1],
                           p->grid_magnitudes[p->levels & 1]);
}

static void shape_tile(const struct zti_coding *coding, const struct zti_sz_box *box,
                       struct zti_sz_pyramid *p)
{
    p->has_anchors = false;
    (void)zti_sz_high_shape(coding, zti_sz_high_axes(coding), box->dim, box->own, 1,
                            zti_sz_high_distance(sz_of(coding)->axes), p);
}

/* Encode a tile to symbols; returns whether all values are known to keep the bound. */
static bool code_tile(const struct zti_coding *coding, const struct zti_array *array,
                      const struct zti_sz_box *box, struct zti_sz_pyramid *p,
                      struct zti_sz_extras *extras)
{
    const struct zti_sz_high *const high = coding->model;
    const struct zti_sz_high_ops *const ops = zti_sz_high_ops_of(coding);
    shape_tile(coding, box, p);
    const bool is_near =
        zti_sz_high_gather(coding, array, box->origin + 4 - coding->grid.rank, box->dim, 0, p);
    copy_coarse(coding, box, p);
    ops->code(p, high->has, extras);
    return is_near && high->is_sure;
}

void zti_sz_high_count(const struct zti_coding *coding, const struct zti_array *array,
                       uint64_t tile, struct zti_sz_high_counts *counts)
{
    const struct zti_walk walk = zti_walk_from(&coding->grid, tile);
    const struct zti_sz_box box =
        zti_sz_high_counted_box(&coding->grid, sz_of(coding)->axes, &walk);
    struct zti_sz_slot *const slot = zti_sz_high_claim_slot(coding->model);
    struct zti_sz_extras extras = {.most_bits = UINT64_MAX};
    (void)code_tile(coding, array, &box, &slot->pyramid, &extras);
    zti_sz_high_add(&slot->pyramid, extras.bits, counts);
    counts->values += box.values;
    zti_sz_high_release_slot(slot);
}

/* The rows of a tile's own values. */
struct rows {
    const struct zti_sz_box *box;
    struct zti_sz_high_rows all;
    uint32_t at[3];
    bool is_done;
};

static struct rows rows_of(const struct zti_sz_box *box, bool is_joined)
{
    return (struct rows){.box = box, .all = zti_sz_high_rows_of(box->own, is_joined)};
}

static void next_row(struct rows *rows)
{
    rows->is_done = !zti_sz_high_next_row(rows->all.dim, rows->at);
}

/* Whether the rows of a tile are contiguous in an array. */
static bool are_side_by_side(const struct zti_sz_box *box, const struct zti_array *array)
{
    return array->rank > 1 && box->own[3] == box->dim[3] && array->stride[array->rank - 1] == 1 &&
           array->stride[array->rank - 2] == (int64_t)box->own[3];
}

static const char *row_in(const struct zti_coding *coding, const struct zti_array *array,
                          const struct rows *rows)
{
    uint64_t place[ZT_MAX_RANK];
    const uint32_t skip = 4 - coding->grid.rank;
    for (uint32_t i = skip; i < 4; i++)
        place[i - skip] = rows->box->origin[i] + (i < 3 ? rows->at[i] : 0);
    return zti_array_at(array, place);
}

/* Mark the values that do not keep the bound; returns their number. */
static size_t find_exact(const struct zti_coding *coding, const struct zti_array *array,
                         const struct zti_sz_box *box, const struct zti_sz_pyramid *p,
                         uint64_t *is_exact)
{
    const struct zti_sz_high_ops *const ops = zti_sz_high_ops_of(coding);
    const size_t value_bytes = zt_type_bytes(coding->type);
    const int64_t stride = array->stride[coding->grid.rank - 1];
    const uint32_t rank = coding->grid.rank;
    const int64_t to_next = rank > 1 ? array->stride[rank - 2] * (int64_t)value_bytes : 0;
    struct rows rows = rows_of(box, are_side_by_side(box, array));
    size_t count = 0, number = 0;
    if (sz_of(coding)->source != ZTI_SZ_LATTICE)
        return 0;
    for (; !rows.is_done; next_row(&rows)) {
        const char *from = row_in(coding, array, &rows);
        if (stride == 1 && rows.at[2] + 1 < rows.all.dim[2])
            zti_sz_high_prefetch(from + to_next, box->own[3] * value_bytes);
        for (uint32_t k = 0; k < rows.all.length; k += rows.all.piece) {
            uint64_t row[ZTI_SZ_HIGH_SEGMENT];
            const uint32_t left = rows.all.length - k;
            const uint32_t n = left < rows.all.piece ? left : rows.all.piece;
            int64_t row_x[ZTI_SZ_HIGH_SEGMENT]; /* or integers of 32 bits */
            const char *const x = (const char *)row_x, *values = from;
            ops->merge_row(p, rows.at, k, n, row_x);
            if (stride != 1) {
                zti_sz_gather_row(row, from, stride, n, value_bytes);
                values = (const char *)row;
            }
            const bool is_good = ops->check(coding, x, values, n);
            for (uint32_t i = 0; !is_good && i < n; i++)
                if (!ops->check(coding, x + i * p->integer_bytes, values + i * value_bytes, 1)) {
                    if (count++ == 0)
                        memset(is_exact, 0, (box->values + 63) / 64 * sizeof *is_exact);
                    is_exact[(number + i) / 64] |= UINT64_C(1) << (number + i) % 64;
                }
            from += stride * (int64_t)(n * value_bytes);
            number += n;
        }
    }
    return count;
}

/* Copy values [first, first + n) of a tile, in C order. */
static void values_of(const struct zti_coding *coding, const struct zti_array *array,
                      const struct zti_sz_box *box, size_t first, uint32_t n, uint8_t *to)
{
    const size_t value_bytes = zt_type_bytes(coding->type);
    const uint32_t skip = 4 - coding->grid.rank;
    for (size_t i = first; i < first + n; i++, to += value_bytes) {
        uint64_t place[ZT_MAX_RANK];
        size_t rest = i;
        for (uint32_t a = 4; a-- > skip; rest /= box->own[a])
            place[a - skip] = box->origin[a] + rest % box->own[a];
        memcpy(to, zti_array_at(array, place), value_bytes);
    }
}

static uint8_t *write_exact(const struct zti_coding *coding, const struct zti_array *array,
                            const struct zti_sz_box *box, const uint64_t *is_exact, uint8_t *to)
{
    uint8_t *const length = to;
    uint8_t values[ZTI_SZ_RAW_BYTES];
    to += 4;
    for (size_t first = 0; first < box->values; first += ZTI_SZ_TILE_VALUES) {
        const size_t left = box->values - first;
        const uint32_t n = left < ZTI_SZ_TILE_VALUES ? (uint32_t)left : ZTI_SZ_TILE_VALUES;
        values_of(coding, array, box, first, n, values);
        to = zti_sz_encode_exact(to, is_exact + first / 64, n, values, zt_type_bytes(coding->type));
    }
    zti_put_le32(length, (uint32_t)(to - length - 4));
    return to;
}

/* Convert n values to little-endian bytes, and back. */
static void write_bytes(uint8_t *restrict to, const void *restrict values, uint32_t n,
                        size_t value_bytes)
{
    for (uint32_t i = 0; i < n && value_bytes == 4; i++)
        zti_put_le32(to + 4 * (size_t)i, ((const uint32_t *)values)[i]);
    for (uint32_t i = 0; i < n && value_bytes == 8; i++)
        zti_put_le64(to + 8 * (size_t)i, ((const uint64_t *)values)[i]);
}

static void read_bytes(const uint8_t *restrict from, void *restrict values, uint32_t n,
                       size_t value_bytes)
{
    for (uint32_t i = 0; i < n && value_bytes == 4; i++)
        ((uint32_t *)values)[i] = zti_get_le32(from + 4 * (size_t)i);
    for (uint32_t i = 0; i < n && value_bytes == 8; i++)
        ((uint64_t *)values)[i] = zti_get_le64(from + 8 * (size_t)i);
}

static uint8_t *write_raw(const struct zti_coding *coding, const struct zti_array *array,
                          const struct zti_sz_box *box, uint8_t *to)
{
    const size_t value_bytes = zt_type_bytes(coding->type);
    const int64_t stride = array->stride[coding->grid.rank - 1];
    *to++ = ZTI_SZ_HIGH_RAW;
    for (struct rows rows = rows_of(box, false); !rows.is_done; next_row(&rows)) {
        const char *from = row_in(coding, array, &rows);
        for (uint32_t k = 0; k < box->own[3]; k += ZTI_SZ_HIGH_SEGMENT) {
            uint64_t row[ZTI_SZ_HIGH_SEGMENT];
            const uint32_t left = box->own[3] - k;
            const uint32_t n = left < ZTI_SZ_HIGH_SEGMENT ? left : ZTI_SZ_HIGH_SEGMENT;
            zti_sz_gather_row(row, from, stride, n, value_bytes);
            write_bytes(to, row, n, value_bytes);
            from += stride * (int64_t)(n * value_bytes);
            to += n * value_bytes;
        }
    }
    return to;
}

/* The number of symbols that are not 0; counting stops at ZTI_SZ_HIGH_MANY_FROM or more. */
static uint32_t count_others(const struct zti_sz_pyramid *p)
{
    uint32_t count = 0;
    for (size_t i = 0; i < p->count && count < ZTI_SZ_HIGH_MANY_FROM;) {
        const size_t end = p->count - i < 1024 ? p->count : i + 1024;
        for (; i < end; i++)
            count += p->symbols[i] != 0;
    }
    return count;
}

static uint8_t *encode_tile(const struct zti_coding *coding, const struct zti_array *array,
                            const struct zti_sz_box *box, struct zti_sz_slot *slot, uint8_t *to)
{
    const struct zti_sz_high *const high = coding->model;
    const uint32_t value_bytes = (uint32_t)zt_type_bytes(coding->type);
    struct zti_sz_pyramid *const p = &slot->pyramid;
    struct zti_sz_extras extras = {.writer = zti_bit_writer_at(slot->bytes),
                                   .most_bits = slot->most_extra_bytes * 8};
    const bool is_sure = code_tile(coding, array, box, p, &extras);
    const size_t exact = is_sure ? 0 : find_exact(coding, array, box, p, slot->is_exact);
    const uint32_t others = count_others(p), states = zti_sz_high_states(others);
    uint8_t *const scratch = slot->bytes + slot->most_extra_bytes + 64;
    const uint8_t *const codes =
        others ? zti_sz_high_ops_of(coding)->write_codes(&high->table, p, states, scratch)
               : scratch;
    const size_t code_bytes =
        others ? (size_t)(scratch + zti_ans_mixed_bytes(p->count) - codes) : 0;
    const size_t extra_bytes = (size_t)(extras.bits + 7) / 8;
    uint8_t *at = zti_sz_high_encode_front(to, box->values, value_bytes, exact, others, extra_bytes,
                                           code_bytes);
    if (extras.is_over || *to == ZTI_SZ_HIGH_RAW)
        return write_raw(coding, array, box, to);
    memcpy(at, slot->bytes, extra_bytes);
    at += extra_bytes;
    memcpy(at, codes, code_bytes);
    at += code_bytes;
    return exact ? write_exact(coding, array, box, slot->is_exact, at) : at;
}

void zti_sz_high_encode(const struct zti_coding *coding, const struct zti_array *array,
                        uint64_t first, uint64_t last, struct zti_bit_writer *w)
{
    struct zti_sz_slot *const slot = zti_sz_high_claim_slot(coding->model);
    struct zti_walk walk = zti_walk_from(&coding->grid, first);
    for (; walk.tile < last; zti_walk_next(&coding->grid, &walk)) {
        const struct zti_sz_box box = box_of(coding, &walk);
        w->next =
            encode_tile(coding, array, &box, slot, w->next); /* whole bytes: no bits are held */
    }
    zti_sz_high_release_slot(slot);
}

/* ---- bytes to a tile ---- */

/* Whether a row of a tile is in a view. */
static bool is_seen(const struct zti_coding *coding, const struct zti_view *view,
                    const struct rows *rows)
{
    const uint32_t skip = 4 - coding->grid.rank;
    for (uint32_t i = skip; i < 3; i++) {
        const uint64_t at = rows->box->origin[i] + rows->at[i];
        if (at < view->lo[i - skip] || at >= view->hi[i - skip])
            return false;
    }
    return true;
}

/* Write those of values [first, last) of a row that are in the view. */
static void store_row(const struct zti_coding *coding, const struct zti_view *view,
                      const struct rows *rows, uint32_t first, uint32_t last, const uint8_t *values)
{
    const uint32_t rank = coding->grid.rank, skip = 4 - rank;
    const size_t value_bytes = zt_type_bytes(coding->type);
    const uint64_t start = rows->box->origin[3];
    const uint64_t lo = view->lo[rank - 1] > start + first ? view->lo[rank - 1] : start + first;
    const uint64_t hi = view->hi[rank - 1] < start + last ? view->hi[rank - 1] : start + last;
    uint64_t place[ZT_MAX_RANK];
    if (lo >= hi)
        return;
    for (uint32_t i = skip; i < 3; i++)
        place[i - skip] = rows->box->origin[i] + rows->at[i] - view->lo[i - skip];
    place[rank - 1] = lo - view->lo[rank - 1];
    char *to = zti_array_at(&view->out, place);
    const int64_t stride = view->out.stride[rank - 1];
    values += (lo - start - first) * value_bytes;
    if (stride == 1) {
        memcpy(to, values, (size_t)(hi - lo) * value_bytes);
        return;
    }
    for (uint64_t i = lo; i < hi; i++, values += value_bytes, to += stride * (int64_t)value_bytes)
        memcpy(to, values, value_bytes);
}

/* Whether a view has all joined rows of a tile, and they are contiguous there. */
static bool has_joined(const struct zti_coding *coding, const struct zti_view *view,
                       const struct zti_sz_box *box)
{
    const uint32_t rank = coding->grid.rank, skip = 4 - rank;
    if (rank < 2 || !are_side_by_side(box, &view->out))
        return false;
    for (uint32_t i = 2; i < 4; i++)
        if (view->lo[i - skip] > box->origin[i] ||
            view->hi[i - skip] < box->origin[i] + box->own[i])
            return false;
    return true;
}

/* Where values [first, last) of a row in the view go; NULL if not all are in the view, or they are
 * not contiguous there. */
static char *whole_row(const struct zti_coding *coding, const struct zti_view *view,
                       const struct rows *rows, uint32_t first, uint32_t last)
{
    const uint32_t rank = coding->grid.rank, skip = 4 - rank;
    const uint64_t start = rows->box->origin[3];
    uint64_t place[ZT_MAX_RANK];
    if (!rows->all.is_joined &&
        (view->lo[rank - 1] > start + first || view->hi[rank - 1] < start + last ||
         view->out.stride[rank - 1] != 1))
        return NULL;
    for (uint32_t i = skip; i < 4; i++)
        place[i - skip] = rows->box->origin[i] + (i < 3 ? rows->at[i] : first) - view->lo[i - skip];
    return zti_array_at(&view->out, place);
}

static void write_values(const struct zti_coding *coding, const struct zti_sz_box *box,
                         const struct zti_sz_pyramid *p, const struct zti_view *view)
{
    const struct zti_sz_high_ops *const ops = zti_sz_high_ops_of(coding);
    struct rows rows = rows_of(box, has_joined(coding, view, box)), ahead = rows;
    const size_t row_bytes = rows.all.length * zt_type_bytes(coding->type);
    uint64_t row[ZTI_SZ_HIGH_SEGMENT];
    ahead.is_done = row_bytes > ZTI_SZ_HIGH_ASKED;
    for (uint32_t k = zti_sz_high_ahead(row_bytes); k > 0 && !ahead.is_done; k--)
        next_row(&ahead);
    for (; !rows.is_done; next_row(&rows)) {
        char *const later = ahead.is_done || !is_seen(coding, view, &ahead)
                                ? NULL
                                : whole_row(coding, view, &ahead, 0, rows.all.length);
        if (later)
            zti_sz_high_prefetch_to_write(later, row_bytes);
        if (!ahead.is_done)
            next_row(&ahead);
        if (!is_seen(coding, view, &rows))
            continue;
        for (uint32_t k = 0; k < rows.all.length; k += rows.all.piece) {
            const uint32_t left = rows.all.length - k;
            const uint32_t n = left < rows.all.piece ? left : rows.all.piece;
            int64_t x[ZTI_SZ_HIGH_SEGMENT]; /* or integers of 32 bits */
            char *const to = whole_row(coding, view, &rows, k, k + n);
            ops->merge_row(p, rows.at, k, n, x);
            ops->values(coding, x, n, to ? (void *)to : row);
            if (!to)
                store_row(coding, view, &rows, k, k + n, (const uint8_t *)row);
        }
    }
}

static void read_raw(const struct zti_coding *coding, const struct zti_sz_box *box,
                     const uint8_t *from, const struct zti_view *view)
{
    const size_t value_bytes = zt_type_bytes(coding->type);
    uint64_t row[ZTI_SZ_HIGH_SEGMENT];
    for (struct rows rows = rows_of(box, false); !rows.is_done; next_row(&rows)) {
        const bool is_wanted = is_seen(coding, view, &rows);
        for (uint32_t k = 0, n; k < box->own[3]; k += n, from += n * value_bytes) {
            const uint32_t left = box->own[3] - k;
            n = left < ZTI_SZ_HIGH_SEGMENT ? left : ZTI_SZ_HIGH_SEGMENT;
            if (!is_wanted)
                continue;
            read_bytes(from, row, n, value_bytes);
            store_row(coding, view, &rows, k, k + n, (const uint8_t *)row);
        }
    }
}

/* Write value i of a tile from little-endian bytes. */
static void write_value(const struct zti_coding *coding, const struct zti_sz_box *box,
                        const struct zti_view *view, size_t i, const uint8_t *from)
{
    const size_t value_bytes = zt_type_bytes(coding->type);
    struct rows rows = {.box = box};
    const uint32_t x = (uint32_t)(i % box->own[3]);
    size_t rest = i / box->own[3];
    for (uint32_t a = 3; a-- > 0; rest /= box->own[a])
        rows.at[a] = (uint32_t)(rest % box->own[a]);
    const uint64_t bits = zti_get_value(from, value_bytes);
    const uint32_t narrow = (uint32_t)bits;
    uint8_t value[8];
    memcpy(value, value_bytes == 8 ? (const void *)&bits : (const void *)&narrow, value_bytes);
    if (is_seen(coding, view, &rows))
        store_row(coding, view, &rows, x, x + 1, value);
}

static bool read_exact(const struct zti_coding *coding, const struct zti_sz_box *box,
                       const struct zti_sz_parts *parts, const struct zti_view *view)
{
    const size_t value_bytes = zt_type_bytes(coding->type);
    const uint8_t *at = parts->exact;
    for (size_t first = 0; first < box->values; first += ZTI_SZ_TILE_VALUES) {
        const size_t left = box->values - first;
        const uint32_t n = left < ZTI_SZ_TILE_VALUES ? (uint32_t)left : ZTI_SZ_TILE_VALUES;
        uint64_t is_exact[ZTI_SZ_GROUPS];
        const uint8_t *values;
        at = zti_sz_decode_exact(at, parts->exact_end, n, value_bytes, is_exact, &values);
        if (!at)
            return false;
        for (uint32_t i = 0; i < n; i++)
            if (is_exact[i / 64] >> i % 64 & 1) {
                write_value(coding, box, view, first + i, values);
                values += value_bytes;
            }
    }
    return at == parts->exact_end;
}

static bool decode_tile(const struct zti_coding *coding, const struct zti_sz_box *box,
                        const struct zti_sz_parts *parts, struct zti_sz_slot *slot,
                        const struct zti_view *view)
{
    const struct zti_sz_high *const high = coding->model;
    struct zti_sz_pyramid *const p = &slot->pyramid;
    const struct zti_bit_reader in = {.base = parts->codes, .end = parts->code_bytes * 8};
    struct zti_bit_reader extras = {.base = parts->extras, .end = parts->extra_bytes * 8};
    struct zti_ans_mixed codes;
    const bool is_zero = (parts->first & ZTI_SZ_HIGH_KIND) == ZTI_SZ_HIGH_ZERO;
    if (parts->first == ZTI_SZ_HIGH_RAW) {
        read_raw(coding, box, parts->raw, view);
        return true;
    }
    if (!is_zero && !zti_ans_mixed_open(&codes, &in, zti_sz_high_states_in(parts->first)))
        return false;
    shape_tile(coding, box, p);
    copy_coarse(coding, box, p);
    if (!zti_sz_high_ops_of(coding)->decode(p, high->of, is_zero ? NULL : &codes, &extras))
        return false;
    if (!is_zero && !zti_ans_mixed_ends(&codes))
        return false;
    write_values(coding, box, p, view);
    return !(parts->first & ZTI_SZ_HIGH_HAS_EXACT) || read_exact(coding, box, parts, view);
}

void zti_sz_high_decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                        uint64_t last, const struct zti_view *view)
{
    struct zti_sz_slot *const slot = view ? zti_sz_high_claim_slot(coding->model) : NULL;
    struct zti_walk walk = zti_walk_from(&coding->grid, first);
    for (; walk.tile < last && r->at <= r->end; zti_walk_next(&coding->grid, &walk)) {
        const struct zti_sz_box box = box_of(coding, &walk);
        struct zti_sz_parts parts;
        const uint8_t *const end =
            zti_sz_high_parts(box.values * zt_type_bytes(coding->type), r->base + r->at / 8,
                              r->base + r->end / 8, &parts);
        if (end && (!view || decode_tile(coding, &box, &parts, slot, view)))
            r->at = (uint64_t)(end - r->base) * 8;
        else
            r->at = r->end + 1; /* as if the stream were cut: exec refuses it */
    }
    if (slot)
        zti_sz_high_release_slot(slot);
}
