/* residuals.h: kernel text: convert a tile to folded residuals in the order of groups, in one pass
 * over its rows: subtract the base, take differences along all axes at once, fold them, move them
 * to blocks. In: integers or, if all are within the limits of quantize/nearest.h, an array's
 * floating-point values, which are quantized in the same pass. Rows consist of whole lines. The
 * includer defines uval, VAL_BITS and NAME(x), and has included lorenzo/lines.h, and lorenzo/sums.h
 * up to its blocks. */

#ifndef ZTI_SZ_ROWS_OF
#define ZTI_SZ_ROWS_OF
/* The type of a row's values. */
enum { ROWS_OF_INTEGERS, ROWS_OF_F32, ROWS_OF_F64 };

/* Of larger multiples, too many values are near the middle between two for 'sure' to help. */
enum { MOST_SURE = 1 << 15 };

/* Number of axes other than the last, the slowest first; missing ones have extent 1 and come
 * first. */
enum { ACROSS = ZT_MAX_RANK - 1 };

#endif

struct NAME(rows) {
    uint32_t of;          /* ROWS_OF_... */
    const char *from;     /* the first value */
    int64_t step[ACROSS]; /* bytes between neighbours along an axis */
    const struct lattice_f32 *f32;
    const struct lattice_f64 *f64;
    uval base;
    bool is_along;         /* differences are taken along the last axis */
    uint32_t columns;      /* values this far apart in a row are neighbours; fewer than LANES */
    uint32_t lasts[LANES]; /* for each place of a line, the last place of its column */
    uint32_t length;       /* of a row */
    uint32_t extent[ACROSS];
    uint32_t inner[ACROSS], outer[ACROSS]; /* from a row's place to that of the next row in the
                                              block, and of the first row of the next block */
    uint32_t side[ACROSS];                 /* of a block: 1, 2, 4 or 8 */
    uint32_t part;                         /* as in write_line */
    /* a value's place: the index's bits of 'within', plus the others times 'apart' */
    uint32_t within, apart;
    uint32_t axes;      /* bit i: differences are taken along axis i, whose extent is not 1 */
    uval *held[ACROSS]; /* the row before along such an axis */
};

/* Whether a tile's rows are whole lines. */
static bool NAME(is_in_lines)(const struct tile *tile)
{
    return tile->block == 0 && tile->extent[tile->rank - 1] % LANES == 0;
}

/* The tile with rows shorter than a line joined. */
static struct tile NAME(tile_of_lines)(const struct zti_coding *coding, const struct tile *tile,
                                       uint32_t *columns)
{
    return joined_tile(coding, tile, VAL_BITS == 32 ? LANES : 0, columns);
}

/* Set where a tile's values go, and the parts of 'held' (one value for each of the tile) for rows
 * before. */
static void NAME(set_places)(struct NAME(rows) * r, const struct tile *tile, uint32_t columns,
                             uint32_t axes, const struct blocks *blocks, uval *held)
{
    const uint32_t last = tile->rank - 1;
    uint32_t step = tile->extent[last], in_block = blocks->row;
    uint32_t block = blocks->count > 0 ? ZTI_SZ_GROUP * blocks->tiles[last] : 0;
    r->axes = 0;
    r->is_along = axes >> last & 1;
    r->columns = columns;
    for (uint32_t i = 0; i < LANES && columns > 1; i++)
        r->lasts[i] = LANES - columns + i % columns;
    r->length = tile->extent[last];
    r->part = blocks->count > 0 ? blocks->row : 0;
    r->within = r->part ? r->part - 1 : 0;
    r->apart = blocks->count > 0 ? ZTI_SZ_GROUP / blocks->row : 1;
    for (uint32_t to = ACROSS; to-- > 0;) {
        const bool is_there = to + last >= ACROSS;
        const uint32_t i = is_there ? to + last - ACROSS : 0;
        const uint32_t extent = is_there ? tile->extent[i] : 1;
        const bool is_held = is_there && (axes >> i & 1) && extent > 1;
        r->extent[to] = extent;
        r->axes |= (uint32_t)is_held << to;
        r->held[to] = held;
        held += is_held ? step : 0;
        r->side[to] = is_there && blocks->count > 0 ? extent / blocks->tiles[i] : 1;
        r->inner[to] = in_block;
        r->outer[to] = (blocks->count > 0 ? block : step) - (r->side[to] - 1) * in_block;
        in_block *= r->side[to];
        block *= is_there && blocks->count > 0 ? blocks->tiles[i] : 1;
        step *= extent;
    }
}

/* The place of a row's value in the order of groups. */
ZTI_INLINE uint32_t NAME(place_in_row)(const struct NAME(rows) * r, uint32_t x)
{
    /* no line of 8 values or more begins within a part */
    return LANES >= 8 ? x * r->apart : (x & ~r->within) * r->apart + (x & r->within);
}

/* The step from the place of index 'at' along an axis to that of the next index. */
ZTI_INLINE uint32_t NAME(to_next)(const struct NAME(rows) * r, uint32_t axis, uint32_t at)
{
    return (at + 1) & (r->side[axis] - 1) ? r->inner[axis] : r->outer[axis];
}

/* Load a line as integers. */
ZTI_INLINE NAME(line)
    NAME(line_at)(const struct NAME(rows) * r, const char *from, struct beyond *beyond)
{
#if VAL_BITS == 32
    if (r->of != ROWS_OF_INTEGERS) {
        return r->of == ROWS_OF_F32
                   ? multiples_f32((const float *)(const void *)from, r->f32, beyond)
                   : multiples_f64((const double *)(const void *)from, r->f64, beyond);
    }
#endif
    (void)r, (void)beyond;
    return NAME(load_line)((const uval *)(const void *)from);
}

/* Subtract the row before along an axis, if there is one, and hold v for the next row. */
ZTI_INLINE NAME(line) NAME(less_held)(NAME(line) v, uval *held, uval has_one)
{
    const NAME(line) was = NAME(load_line)(held);
    NAME(store_line)(v, held);
    return v - (was & has_one);
}

/* The predecessor of each value along a row. */
ZTI_INLINE NAME(line) NAME(before_of)(const struct NAME(rows) * r, NAME(line) v, NAME(line) last)
{
#if VAL_BITS == 32
    if (r->columns > 1)
        return moved_by_32(v, last, r->columns);
#endif
    (void)r;
    return NAME(v_before)(v, last);
}

/* Convert a row to residuals at 'to'; returns 'any' or'ed with them. 'axes' has a bit for each axis
 * across rows with differences; before[i] is all ones if there is a row before along axis i. */
ZTI_INLINE NAME(line) NAME(convert_row)(const struct NAME(rows) * r, uint32_t axes,
                                        const char *from, uval *const *held, const uval *before,
                                        uval *restrict to, NAME(line) any, struct beyond *beyond)
{
    const size_t value_bytes = r->of == ROWS_OF_F64 ? 8 : VAL_BITS / 8;
    const NAME(line) base = (NAME(line)){0} + r->base;
    NAME(line) last = base;
    for (uint32_t x = 0; x < r->length; x += LANES, from += LANES * value_bytes) {
        const NAME(line) in = NAME(line_at)(r, from, beyond);
        NAME(line) v = in - (r->is_along ? NAME(before_of)(r, in, last) : base);
        last = in;
        for (uint32_t i = 0; i < ACROSS; i++)
            if (axes >> i & 1)
                v = NAME(less_held)(v, held[i] + x, before[i]);
        v = ZTI_SZ_FOLDED(v, VAL_BITS);
        any |= v;
        NAME(write_line)(v, to + NAME(place_in_row)(r, x), r->part);
    }
    return any;
}

/* Convert all rows to residuals at 'to'; *any is the OR of all. Returns false, before the end, if a
 * value is not within the limits. */
ZTI_INLINE bool NAME(convert_rows)(const struct NAME(rows) * rows, uint32_t axes, uval *restrict to,
                                   NAME(line) * any)
{
    const struct NAME(rows) r = *rows;
    NAME(line) all = {0};
    struct beyond beyond = {{0}, {0}};
    uval before[ACROSS];
    uint32_t at[ACROSS], place[ACROSS] = {0}, across = 0;
    for (at[0] = 0; at[0] < r.extent[0]; at[0]++) {
        before[0] = at[0] ? (uval)-1 : 0;
        for (at[1] = place[1] = across = 0; at[1] < r.extent[1]; at[1]++) {
            before[1] = at[1] ? (uval)-1 : 0;
            const char *from = r.from + at[0] * r.step[0] + at[1] * r.step[1];
            for (at[2] = place[2] = 0; at[2] < r.extent[2]; at[2]++, from += r.step[2]) {
                uval *const held[ACROSS] = {r.held[0] + across, r.held[1] + at[2] * r.length,
                                            r.held[2]};
                before[2] = at[2] ? (uval)-1 : 0;
                all = NAME(convert_row)(&r, axes, from, held, before,
                                        to + place[0] + place[1] + place[2], all, &beyond);
                across += r.length;
                place[2] += NAME(to_next)(&r, 2, at[2]);
            }
            place[1] += NAME(to_next)(&r, 1, at[1]);
        }
        place[0] += NAME(to_next)(&r, 0, at[0]);
        if (r.of != ROWS_OF_INTEGERS && is_beyond(&beyond))
            return false;
    }
    *any = all;
    return true;
}

/* As convert_rows, compiled for each set of axes. */
ZTI_INLINE bool NAME(convert_rows_of)(struct NAME(rows) r, uint32_t of, uval *to, NAME(line) * any)
{
    r.of = of;
#define CASE(n)                                                                                    \
    case n: return NAME(convert_rows)(&r, n, to, any)
    switch (r.axes) {
        CASE(0);
        CASE(1);
        CASE(2);
        CASE(3);
        CASE(4);
        CASE(5);
        CASE(6);
    default: return NAME(convert_rows)(&r, 7, to, any);
    }
#undef CASE
}

/* Append zeros to the end of the last group; returns the OR of a line's values. */
static uval NAME(end_rows)(uval *to, uint32_t n, NAME(line) any)
{
    for (uint32_t i = n; i % ZTI_SZ_GROUP != 0; i++)
        to[i] = 0;
    for (uint32_t i = 1; i < LANES; i++)
        any[0] |= any[i];
    return any[0];
}

/* Convert integers u to residuals at 'to', with zeros to the end of the last group; returns the OR
 * of all residuals. */
static uval NAME(residuals_in_lines)(const struct tile *tile, uint32_t columns, uint32_t axes,
                                     const struct blocks *blocks, const uval *u, uval *to)
{
    uval held[ZTI_SZ_TILE_VALUES];
    struct NAME(rows) r = {.from = (const char *)u, .base = u[0]};
    NAME(line) any = {0};
    NAME(set_places)(&r, tile, columns, axes, blocks, held);
    int64_t step = (int64_t)(r.length * sizeof *u);
    for (uint32_t i = ACROSS; i-- > 0; step *= r.extent[i])
        r.step[i] = step;
    (void)NAME(convert_rows_of)(r, ROWS_OF_INTEGERS, to, &any);
    return NAME(end_rows)(to, tile->n, any);
}

#if VAL_BITS == 32
static bool convert_rows_f32(struct rows_32 r, uint32_t *to, line_32 *any)
{
    return convert_rows_of_32(r, ROWS_OF_F32, to, any);
}

static bool convert_rows_f64(struct rows_32 r, uint32_t *to, line_32 *any)
{
    return convert_rows_of_32(r, ROWS_OF_F64, to, any);
}

/* Quantize a tile of the array to a lattice and convert it to residuals at 'to'; sets *base to its
 * first integer. False if a value is not within the limits, or the tile is of another kind. */
static bool residuals_of_values(const struct zti_coding *coding, const struct tile *tile,
                                const struct zti_array *array, uint32_t *to, uint32_t *base,
                                bool *is_zero)
{
    uint32_t columns;
    const struct tile own = tile_of_lines_32(coding, tile, &columns);
    const uint32_t last = own.rank - 1, end = tile->rank - 1;
    const bool is_f32 = array->type == ZT_F32;
    if (sz_of(coding)->source != ZTI_SZ_LATTICE || array->stride[end] != 1 ||
        !is_in_lines_32(&own) || (last < end && array->stride[last] != tile->extent[end]))
        return false;
    struct lattice_f32 f32 = lattice_of_f32(sz_of(coding));
    const struct lattice_f64 f64 = lattice_of_f64(sz_of(coding));
    struct beyond beyond = {{0}, {0}};
    uint32_t held[ZTI_SZ_TILE_VALUES];
    struct rows_32 r = {.from = zti_array_at(array, tile->origin), .f32 = &f32, .f64 = &f64};
    line_32 any = {0};
    const struct blocks blocks = group_blocks(coding, tile);
    set_places_32(&r, &own, columns, sz_of(coding)->axes, &blocks, held);
    for (uint32_t i = ACROSS - last; i < ACROSS; i++)
        r.step[i] = array->stride[i + last - ACROSS] * (int64_t)zt_type_bytes(array->type);
    r.of = is_f32 ? ROWS_OF_F32 : ROWS_OF_F64;
    *base = r.base = line_at_32(&r, r.from, &beyond)[0];
    if (*base + MOST_SURE > 2 * MOST_SURE)
        f32.sure = 0;
    if (!(is_f32 ? convert_rows_f32(r, to, &any) : convert_rows_f64(r, to, &any)))
        return false;
    *is_zero = end_rows_32(to, tile->n, any) == 0;
    return true;
}
#endif
