/* sums.h: kernel text: Lorenzo residuals, one axis at a time: differences modulo 2^VAL_BITS, and
 * the prefix sums that undo them; blocks; and a tile's integers encoded, estimated and counted. The
 * includer defines
 *   uval        uint32_t or uint64_t
 *   VAL_BITS    their width
 *   NAME(x)     x with this instance's suffix */

/* to[i] = from[i] - from[i - step], but to[i] = from[i] at the start of each run and, in a run, of
 * each piece. */
ZTI_INLINE void NAME(difference)(const uval *from, uval *to, uint32_t n, uint32_t step,
                                 uint32_t run, uint32_t piece)
{
    for (uint32_t i = step; i < n; i++)
        to[i] = (uval)(from[i] - from[i - step]);
    for (uint32_t start = 0; start < n; start += run)
        for (uint32_t at = start; at < start + run; at += piece)
            for (uint32_t i = 0; i < step; i++)
                to[at + i] = from[at + i];
}

/* The elements of a piece along axis i, whose neighbours are 'step' apart: of a restart, or of the
 * whole axis. */
static inline uint32_t NAME(piece_of)(const struct tile *tile, uint32_t i, uint32_t step)
{
    return step * (tile->block && tile->block < tile->extent[i] ? tile->block : tile->extent[i]);
}

/* Take differences along the tile's axes, from *a to *b and back; the result is in *a. */
static void NAME(differences)(const struct tile *tile, uint32_t axes, uval **a, uval **b)
{
    uint32_t step = 1;
    for (uint32_t i = tile->rank; i-- > 0; step *= tile->extent[i]) {
        if (!(axes >> i & 1) || tile->extent[i] == 1)
            continue;
        NAME(difference)
        (*a, *b, tile->n, step, step * tile->extent[i], NAME(piece_of)(tile, i, step));
        uval *const other = *a;
        *a = *b;
        *b = other;
    }
}

ZTI_INLINE void NAME(add_row)(uval *restrict to, const uval *restrict from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = (uval)(to[i] + from[i]);
}

/* Prefix sums along one axis, in place. */
ZTI_INLINE void NAME(sum_piece)(uval *u, uint32_t step, uint32_t piece)
{
    if (step == 1) {
        NAME(sum_row)(u, piece);
        return;
    }
    for (uint32_t row = step; row < piece; row += step)
        NAME(add_row)(u + row, u + row - step, step);
}

static void NAME(sums)(const struct tile *tile, uint32_t axes, uval *u)
{
    uint32_t step = 1;
    for (uint32_t i = tile->rank; i-- > 0; step *= tile->extent[i]) {
        const uint32_t run = step * tile->extent[i], piece = NAME(piece_of)(tile, i, step);
        if (!(axes >> i & 1) || tile->extent[i] == 1)
            continue;
        for (uint32_t start = 0; start < tile->n; start += run)
            for (uint32_t at = start; at < start + run; at += piece)
                NAME(sum_piece)(u + at, step, piece < start + run - at ? piece : start + run - at);
    }
}

/* Fold n values, and append zeros to the end of the last group. */
static void NAME(fold)(uval *u, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        u[i] = ZTI_SZ_FOLDED(u[i], VAL_BITS);
    for (uint32_t i = n; i % ZTI_SZ_GROUP != 0; i++)
        u[i] = 0;
}

static void NAME(unfold)(uval *u, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        u[i] = ZTI_SZ_UNFOLDED(u[i]);
}

/* Subtract the first integer from all, if has_base; returns it, or 0. *is_zero: all results are
 * 0. */
static uval NAME(subtract_base)(uval *u, uint32_t n, bool has_base, bool *is_zero)
{
    const uval base = has_base ? u[0] : 0;
    uval any = 0;
    for (uint32_t i = 0; i < n; i++) {
        u[i] = (uval)(u[i] - base);
        any |= u[i];
    }
    *is_zero = any == 0;
    return base;
}

static void NAME(add_base)(uval *u, uint32_t n, uval base)
{
    for (uint32_t i = 0; i < n; i++)
        u[i] = (uval)(u[i] + base);
}

/* Give exact values integers that suit their neighbours: that of the value before in the row; at a
 * row's start, that of the value above; at the tile's start, that of the first value that is not
 * exact. */
static void NAME(bridge)(const struct tile *tile, const uint64_t *is_exact, uval *u, uval centre)
{
    const uint32_t row = tile->extent[tile->rank - 1];
    uval first = centre;
    for (uint32_t i = 0; i < tile->n; i++)
        if (!(is_exact[i / 64] >> i % 64 & 1)) {
            first = u[i];
            break;
        }
    for (uint32_t i = 0; i < tile->n; i++)
        if (is_exact[i / 64] >> i % 64 & 1)
            u[i] = i % row != 0 ? u[i - 1] : i > 0 ? u[i - row] : first;
}

/* Move a tile's values from C order to one block after another, or back. row: b->row, known to the
 * compiler. */
ZTI_INLINE void NAME(move_rows)(const struct tile *tile, const struct blocks *b, uint32_t row,
                                bool is_back, const uval *from, uval *to)
{
    for (uint32_t number = 0; number < b->count; number++) {
        uint32_t place = 0, left = number;
        for (uint32_t i = tile->rank; i-- > 0; left /= b->tiles[i])
            place += left % b->tiles[i] * b->step[i];
        const uval *source = from + (is_back ? number * ZTI_SZ_GROUP : place);
        uval *target = to + (is_back ? place : number * ZTI_SZ_GROUP);
        for (uint32_t i = 0; i < b->rows; i++)
            memcpy(target + (is_back ? b->row_at[i] : i * row),
                   source + (is_back ? i * row : b->row_at[i]), row * sizeof *to);
    }
}

static void NAME(move_blocks)(const struct tile *tile, const struct blocks *b, bool is_back,
                              const uval *from, uval *to)
{
    if (b->row == 4)
        NAME(move_rows)(tile, b, 4, is_back, from, to);
    else if (b->row == 8)
        NAME(move_rows)(tile, b, 8, is_back, from, to);
    else
        NAME(move_rows)(tile, b, b->row, is_back, from, to);
}

/* Folded residuals in the order of groups: d itself, or moved to spare. */
static uval *NAME(in_blocks)(const struct zti_coding *coding, const struct tile *tile, uval *d,
                             uval *spare)
{
    const struct blocks blocks = group_blocks(coding, tile);
    if (blocks.count == 0)
        return d;
    NAME(move_blocks)(tile, &blocks, false, d, spare);
    return spare;
}

#include "codec/sz/lorenzo/residuals.h" /* residuals_in_lines */

#include "codec/sz/lorenzo/integers.h" /* sums_in_lines */

/* Convert a tile's integers in a to folded residuals in the order of groups; returns these, in a or
 * b (as long). If all are zero, only sets *is_zero. */
static uval *NAME(residuals)(const struct zti_coding *coding, const struct tile *tile, uval *a,
                             uval *b, bool *is_zero)
{
    uint32_t columns;
    const struct tile own = NAME(tile_of_lines)(coding, tile, &columns);
    if (NAME(is_in_lines)(&own)) {
        const struct blocks blocks = group_blocks(coding, tile);
        *is_zero = NAME(residuals_in_lines)(&own, columns, sz_of(coding)->axes, &blocks, a, b) == 0;
        return b;
    }
    (void)NAME(subtract_base)(a, tile->n, has_base(sz_of(coding)->coder), is_zero);
    if (*is_zero)
        return a;
    NAME(differences)(tile, sz_of(coding)->axes, &a, &b);
    NAME(fold)(a, tile->n);
    return NAME(in_blocks)(coding, tile, a, b);
}

/* Read a tile's residuals, in the order of groups, from Rice codes or cuSZ's format. Huffman codes
 * of effort 'default' are read in decode.h, for several tiles at once. */
static bool NAME(decode_residuals)(const struct zti_coding *coding, const struct tile *tile,
                                   uint32_t form, struct zti_bit_reader *r, uint64_t end_bits,
                                   struct NAME(residuals) * to)
{
    if (!is_coded(sz_of(coding)->coder, form))
        return NAME(decode_groups)(r, to, tile->n, end_bits);
    to->is_small = false;
    return NAME(decode_cusz)(coding, r, to->u, tile->n, end_bits);
}

/* The distance of a tile's base from the centre, folded; and the inverse. */
ZTI_INLINE uval NAME(away_of)(const struct zti_coding *coding, uval first)
{
    const uval away =
        (uval)((has_base(sz_of(coding)->coder) ? first : 0) - (uval)sz_of(coding)->centre);
    return ZTI_SZ_FOLDED(away, VAL_BITS);
}

ZTI_INLINE uval NAME(base_of)(const struct zti_coding *coding, uint64_t away)
{
    const uval half = (uval)away;
    return (uval)sz_of(coding)->centre + ZTI_SZ_UNFOLDED(half);
}

/* Write a tile as stream.c describes, from its residuals u in the order of groups and its first
 * integer, base; false if it takes more than most_bytes. kept: what is known of it, or NULL.
 * 'ahead' is prefetched meanwhile. */
static bool NAME(encode_residuals)(const struct zti_coding *coding, const struct tile *tile,
                                   uint32_t form, const struct exact *exact, const uval *u,
                                   const struct zti_sz_counted *kept, uval base, bool is_zero,
                                   struct rows *ahead, uint8_t *out, uint32_t most_bytes,
                                   uint32_t *bytes)
{
    const uval folded = NAME(away_of)(coding, base);
    const uint32_t base_bytes = base_bytes_of(folded);
    uint8_t *at = out;
    form = is_zero ? zero_form(form) : form;
    *at++ = (uint8_t)first_byte(form, exact->count > 0, base_bytes);
    for (uint32_t i = 0; i < base_bytes; i++)
        *at++ = (uint8_t)(folded >> 8 * i);
    if (exact->count)
        at = zti_sz_encode_exact(at, exact->bits, tile->n, exact->values,
                                 zt_type_bytes(coding->type));
    if (has_marks(sz_of(coding), form))
        at = zti_sz_encode_marks(at, exact->zero, exact->negative, tile->n,
                                 tile->extent[tile->rank - 1]);
    if ((uint32_t)(at - out) > most_bytes)
        return false;
    if (is_zero) {
        fetch_share(ahead, tile->n);
    } else {
        struct zti_bit_writer w = zti_bit_writer_at(at);
        const uint32_t left = most_bytes - (uint32_t)(at - out);
        const bool fits = !is_coded(sz_of(coding)->coder, form)
                              ? NAME(encode_groups)(&w, u, tile->n, ahead, left)
                          : sz_of(coding)->coder == ZTI_SZ_CUSZ
                              ? NAME(encode_cusz)(coding, &w, u, tile->n, left)
                              : NAME(write_coded)(coding, &w, u, tile->n, kept, ahead, left);
        if (!fits)
            return false;
        at += (zti_bits_written(&w) + 7) / 8;
    }
    *bytes = (uint32_t)(at - out);
    return *bytes <= most_bytes;
}

/* As encode_residuals, from integers in a (b is as long). */
static bool NAME(encode_integers)(const struct zti_coding *coding, const struct tile *tile,
                                  uint32_t form, const struct exact *exact, uval *a, uval *b,
                                  struct rows *ahead, uint8_t *out, uint32_t most_bytes,
                                  uint32_t *bytes)
{
    const uval base = a[0];
    bool is_zero;
    if (is_cusz(sz_of(coding)->coder, form)) {
        (void)NAME(subtract_base)(a, tile->n, false, &is_zero);
        NAME(differences)(tile, sz_of(coding)->axes, &a, &b);
    } else {
        a = NAME(residuals)(coding, tile, a, b, &is_zero);
    }
    return NAME(encode_residuals)(coding, tile, form, exact, a, NULL, base, is_zero, ahead, out,
                                  most_bytes, bytes);
}

/* Convert a tile's residuals and its base to integers, in d->u or in spare. */
static uval *NAME(integers)(const struct zti_coding *coding, const struct tile *tile, uint32_t form,
                            uint64_t away, struct NAME(residuals) * d, uval *spare)
{
    const uval base = NAME(base_of)(coding, away);
    uval *u = d->u;
    if ((form & ZTI_SZ_KIND) == ZTI_SZ_ZERO) {
        memset(u, 0, tile->n * sizeof *u);
    } else if (is_cusz(sz_of(coding)->coder, form)) {
        NAME(sums)(tile, sz_of(coding)->axes, u);
    } else if (NAME(is_back_in_lines)(coding, tile)) {
        const struct rows rows = side_by_side(tile, spare, sizeof *spare);
        NAME(sums_in_lines)(coding, tile, base, d, NAME(PLAIN), &rows);
        return spare;
    } else {
        NAME(make_wide)(d);
        const struct blocks blocks = group_blocks(coding, tile);
        if (blocks.count > 0) {
            NAME(move_blocks)(tile, &blocks, true, u, spare);
            u = spare;
        }
        NAME(unfold)(u, tile->n);
        NAME(sums)(tile, sz_of(coding)->axes, u);
    }
    NAME(add_base)(u, tile->n, base);
    return u;
}

/* A box of values whose bits are estimated with each set of axes. */
struct NAME(box) {
    const struct tile *tile;
    uint32_t step[ZT_MAX_RANK];
    uint32_t count, rows, row; /* of values with a predecessor along every axis: they lie in rows */
    uint16_t row_at[ZTI_SZ_BOX_VALUES];
    uval *spare, *left; /* spare: a box for each axis; left: one box */
    uint64_t *bits;
};

static void NAME(find_inside)(struct NAME(box) * box)
{
    const struct tile *const tile = box->tile;
    const uint32_t last = tile->rank - 1, row = tile->extent[last];
    uint32_t at[ZT_MAX_RANK] = {0}, step = 1;
    for (uint32_t i = tile->rank; i-- > 0; step *= tile->extent[i])
        box->step[i] = step;
    box->rows = 0;
    box->row = row > 1 ? row - 1 : 1;
    for (uint32_t i = 0; i < tile->n; i += row) {
        bool is_inside = true;
        for (uint32_t axis = 0; axis < last; axis++)
            is_inside &= at[axis] > 0 || tile->extent[axis] == 1;
        if (is_inside)
            box->row_at[box->rows++] = (uint16_t)(i + (row > 1));
        for (uint32_t axis = last; axis-- > 0 && ++at[axis] == tile->extent[axis];)
            at[axis] = 0;
    }
    box->count = box->rows * box->row;
}

/* Join the rows. Lines are copied where what they have too much lies in the next row, and is
 * overwritten by it. */
ZTI_INLINE void NAME(join_rows)(const struct NAME(box) * box, const uval *u)
{
    const uint32_t by_lines = 2 * box->row >= LANES ? box->rows - 1 : 0;
    uval *to = box->left;
    for (uint32_t i = 0; i < by_lines; i++, to += box->row) {
        const uval *const from = u + box->row_at[i];
        for (uint32_t k = 0; k < box->row; k += LANES)
            NAME(store_line)(NAME(load_line)(from + k), to + k);
    }
    for (uint32_t i = by_lines; i < box->rows; i++, to += box->row)
        memcpy(to, u + box->row_at[i], box->row * sizeof *u);
}

/* Add the bits of the differences along a set of axes, and of those along more axes. Differences at
 * the box's edges are wrong, and are not counted. */
static void NAME(add_bits)(const struct NAME(box) * box, const uval *u, uint32_t axes,
                           uint32_t next)
{
    const uint32_t n = box->tile->n;
    NAME(join_rows)(box, u);
    NAME(fold)(box->left, box->count);
    box->bits[axes] += NAME(groups_bits)(box->left, box->count);
    for (uint32_t axis = next; axis < box->tile->rank; axis++) {
        uval *const to = box->spare + axis * n;
        NAME(difference)(u, to, n, box->tile->extent[axis] > 1 ? box->step[axis] : n, n, n);
        NAME(add_bits)(box, to, axes | 1u << axis, axis + 1);
    }
}

/* Add the bits of a tile's integers with each set of axes. Only values with a predecessor along
 * every axis count, since the tiles of a stream are longer along the axes of differences than this
 * one (zti_sz_set_grid). spare and left are scratch. */
static void NAME(look)(const struct tile *tile, const uval *from, uval *spare, uval *left,
                       uint64_t *bits)
{
    struct NAME(box) box = {.tile = tile, .spare = spare, .left = left, .bits = bits};
    NAME(find_inside)(&box);
    NAME(add_bits)(&box, from, 0, 0);
}

/* Count the symbols of a tile's residuals, which are in the order of groups; sets smalls and
 * symbols. */
static void NAME(count_residuals)(const struct zti_coding *coding, const struct tile *tile,
                                  const uval *u, struct smalls *smalls, struct symbols *symbols,
                                  struct rows *ahead, struct zti_sz_counts *counts)
{
    counts->rice_bits += NAME(symbols_of)(u, smalls, tile->n, ahead, symbols);
    for (uint32_t i = 0; i < ZTI_SZ_BOOKS; i++)
        zti_sz_count(coding, counts, i, symbols->of[i], symbols->about.count[i]);
}

/* Count the symbols of a tile's integers in a (b is as long) by the cuSZ coder. */
static void NAME(count_cusz)(const struct zti_coding *coding, const struct tile *tile, uval *a,
                             uval *b, struct zti_sz_counts *counts)
{
    uint16_t symbols[ZTI_SZ_TILE_VALUES];
    bool is_zero;
    (void)NAME(subtract_base)(a, tile->n, has_base(sz_of(coding)->coder), &is_zero);
    if (is_zero)
        return;
    NAME(differences)(tile, sz_of(coding)->axes, &a, &b);
    NAME(cusz_symbols)(a, tile->n, sz_of(coding)->bins, symbols);
    zti_sz_count(coding, counts, 0, symbols, tile->n);
}

/* Add the bits of a tile's folded residuals in Rice codes, with groups that are runs, and with
 * groups that are blocks if the tile consists of these. spare is as long as u. */
static void NAME(add_shapes)(const struct zti_coding *coding, const struct tile *tile,
                             const uval *u, uval *spare, uval base, bool is_zero, uint64_t *bits)
{
    const struct blocks blocks = blocks_of(tile);
    const uint64_t away = NAME(away_of)(coding, base);
    uint64_t own = is_zero ? 0 : NAME(groups_bits)(u, tile->n);
    bits[0] += raced_bits(away, own);
    if (blocks.count > 0 && !is_zero) {
        NAME(move_blocks)(tile, &blocks, false, u, spare);
        own = NAME(groups_bits)(spare, tile->n);
    }
    bits[1] += raced_bits(away, own);
}

/* The same of a tile's integers in a (b is as long). The coding's groups are runs. */
static void NAME(try_groups)(const struct zti_coding *coding, const struct tile *tile, uval *a,
                             uval *b, uint64_t *bits)
{
    const uval base = a[0];
    bool is_zero;
    const uval *const u = NAME(residuals)(coding, tile, a, b, &is_zero);
    NAME(add_shapes)(coding, tile, u, u == a ? b : a, base, is_zero, bits);
}
