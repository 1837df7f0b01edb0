/* integers.h: kernel text: convert folded residuals in the order of groups to a tile's integers, or
 * to the values that these stand for, in one pass over its rows: move them from blocks, unfold
 * them, take prefix sums along all axes at once, add the base. The inverse of lorenzo/residuals.h,
 * with the same order of rows. The includer defines uval, VAL_BITS and NAME(x), and has included
 * lorenzo/residuals.h.
 *
 * A row is decoded in lines, which are as long as a register. The last line may pass the row's end;
 * it then reads residuals after the row. Their sums are stored only in 'held', and among integers,
 * where the next row overwrites them. */

/* What integers are converted to. */
enum NAME(product) {
    NAME(PLAIN),     /* they stay integers */
    NAME(F32),       /* floats: products of doubles, rounded */
    NAME(F32_SHORT), /* floats: products of floats, if these are the same */
    NAME(F64)
};

/* What the lines of a row share. */
struct NAME(row_back) {
    const struct NAME(residuals) * from;
    double step;
    bool is_streamed;
    uval base;
    uint32_t length;     /* of a row */
    uval *held[ACROSS];  /* the row before along each axis but the last, */
    uval before[ACROSS]; /* and all ones if there is one */
};

/* Bytes of a converted integer. */
ZTI_INLINE uint32_t NAME(product_bytes)(uint32_t product)
{
    return product == NAME(F64) ? 8 : product == NAME(PLAIN) ? (uint32_t)sizeof(uval) : 4;
}

/* Convert a line; returns register i of the result. */
ZTI_INLINE line_32 NAME(product_of)(NAME(line) v, uint32_t product, uint32_t i, double step)
{
    return product == NAME(F64)         ? (line_32)NAME(doubles_of)(v, i, step)
           : product == NAME(F32)       ? (line_32)floats_of_32((line_32)v, step)
           : product == NAME(F32_SHORT) ? (line_32)short_floats_of_32((line_32)v, (float)step)
                                        : (line_32)v;
}

/* Convert a line and write its first 'bytes' bytes; all of it, if there is room. */
ZTI_INLINE void NAME(write_product)(NAME(line) v, uint32_t product, double step, uint32_t bytes,
                                    bool is_streamed, uint8_t *to)
{
    for (uint32_t i = 0; i * sizeof v < LANES * NAME(product_bytes)(product); i++) {
        const line_32 part = NAME(product_of)(v, product, i, step);
        const uint32_t at = i * (uint32_t)sizeof v;
        if (bytes <= at) /* for example a row of 8 doubles, if a line becomes two registers */
            return;
        if (is_streamed)
            stream_line(part, to + at);
        else if (product == NAME(PLAIN) || zti_likely(bytes >= at + sizeof v))
            memcpy(to + at, &part, sizeof v);
        else
            store_part(part, bytes - at, to + at);
    }
}

/* Load a line of residuals, unfolded; it may be in pieces of several blocks. */
ZTI_INLINE NAME(line)
    NAME(residuals_in_line)(const struct NAME(residuals) * d, uint32_t from, uint32_t part)
{
    const NAME(line) v = d->is_small ? NAME(pieces_of_bytes)(d->small + from, part)
                                     : NAME(pieces)(d->u + from, part);
    return ZTI_SZ_UNFOLDED(v);
}

/* The prefix sums of a line, of values 'apart' apart; and the last sums of a line, to which the
 * next line adds. */
ZTI_INLINE NAME(line) NAME(sums_along)(NAME(line) v, uint32_t apart)
{
#if VAL_BITS == 32
    if (apart > 1)
        return sums_apart_32(v, apart);
#endif
    (void)apart;
    return NAME(v_sums)(v);
}

ZTI_INLINE NAME(line) NAME(last_along)(NAME(line) v, uint32_t apart, const uint32_t *lasts)
{
#if VAL_BITS == 32
    if (apart > 1)
        return last_apart_32(v, apart, lasts);
#endif
    (void)apart, (void)lasts;
    return NAME(v_last)(v);
}

/* Decode the row at 'at' of the residuals to 'to'. 'axes' has a bit for each axis but the last that
 * sums are taken along. For F32_SHORT, returns 'any' with the bits of the integers' magnitudes. */
ZTI_INLINE NAME(line)
    NAME(decode_row)(const struct NAME(row_back) * r, const struct NAME(rows) * rows, uint32_t axes,
                     uint32_t columns, uint32_t product, uint32_t at, uint8_t *to, NAME(line) any)
{
    const struct NAME(residuals) d = *r->from;
    const uint32_t value_bytes = NAME(product_bytes)(product), part = rows->part;
    const bool is_along = rows->is_along;
    const bool is_streamed = product != NAME(PLAIN) && r->is_streamed && (uintptr_t)to % 64 == 0 &&
                             r->length * value_bytes % 64 == 0;
    uval has_any = 0;
    for (uint32_t i = 0; i < ACROSS; i++)
        has_any |= axes >> i & 1 ? r->before[i] : 0;
    NAME(line) before = (NAME(line)){0} + (r->base & ~has_any);
    for (uint32_t x = 0; x < r->length; x += LANES) {
        const uint32_t from = at + NAME(place_in_row)(rows, x);
        const NAME(line) in = NAME(residuals_in_line)(&d, from, part);
        NAME(line) v = before + (is_along ? NAME(sums_along)(in, columns) : in);
        if (is_along)
            before = NAME(last_along)(v, columns, rows->lasts);
        for (uint32_t i = 0; i < ACROSS; i++) {
            if (!(axes >> i & 1))
                continue;
            v += NAME(load_line)(r->held[i] + x) & r->before[i];
            NAME(store_line)(v, r->held[i] + x);
        }
        if (product == NAME(F32_SHORT))
            any |= v ^ -(v >> (VAL_BITS - 1));
        NAME(write_product)
        (v, product, r->step, (r->length - x) * value_bytes, is_streamed,
         to + (size_t)x * value_bytes);
    }
    return any;
}

/* Decode all rows of a tile to 'to', with sums along 'axes'; returns the bits of magnitudes. */
ZTI_INLINE NAME(line)
    NAME(decode_rows_along)(const struct NAME(rows) * rows, uint32_t axes, uint32_t columns,
                            bool is_blocked, struct NAME(row_back) back, uint32_t product,
                            struct rows *to)
{
    const struct NAME(rows) r = *rows;
    NAME(line) any = {0};
    uint32_t at[ACROSS], place[ACROSS] = {0}, across = 0, done = 0;
    for (at[0] = 0; at[0] < r.extent[0]; at[0]++) {
        back.before[0] = at[0] ? (uval)-1 : 0;
        for (at[1] = place[1] = across = 0; at[1] < r.extent[1]; at[1]++) {
            back.before[1] = at[1] ? (uval)-1 : 0;
            for (at[2] = place[2] = 0; at[2] < r.extent[2]; at[2]++, next_row(to)) {
                back.before[2] = at[2] ? (uval)-1 : 0;
                back.held[0] = r.held[0] + across;
                back.held[1] = r.held[1] + at[2] * r.length;
                back.held[2] = r.held[2];
                any = NAME(decode_row)(&back, &r, axes, columns, product,
                                       is_blocked ? place[0] + place[1] + place[2] : done,
                                       (uint8_t *)(uintptr_t)to->at, any);
                across += r.length;
                done += back.length;
                place[2] += NAME(to_next)(&r, 2, at[2]);
            }
            place[1] += NAME(to_next)(&r, 1, at[1]);
        }
        place[0] += NAME(to_next)(&r, 0, at[0]);
    }
    return any;
}

/* As decode_rows_along, compiled for each set of axes, unless rows are joined (columns > 1). */
ZTI_INLINE uval NAME(decode_rows)(const struct tile *tile, uint32_t columns, uint32_t axes,
                                  const struct blocks *blocks, struct NAME(row_back) back,
                                  uint32_t product, struct rows *to)
{
    const uint32_t last = tile->rank - 1, length = tile->extent[last];
    const bool is_blocked = blocks->count > 0;
    struct tile padded = *tile; /* to whole lines, for 'held' */
    padded.extent[last] = (length + LANES - 1) / LANES * LANES;
    _Alignas(64) uval held[2 * ZTI_SZ_TILE_VALUES]; /* cache lines */
    struct NAME(rows) r;
    NAME(line) any;
    NAME(set_places)(&r, &padded, columns, axes, blocks, held);
    back.length = length;
#define CASE(n)                                                                                    \
    case n: any = NAME(decode_rows_along)(&r, n, 1, is_blocked, back, product, to); break
    switch (VAL_BITS == 32 && columns > 1 ? 8 : r.axes) {
        CASE(0);
        CASE(1);
        CASE(2);
        CASE(3);
        CASE(4);
        CASE(5);
        CASE(6);
        CASE(7);
    default: any = NAME(decode_rows_along)(&r, r.axes, columns, false, back, product, to);
    }
#undef CASE
    uval each[LANES], all = 0;
    NAME(store_line)(any, each);
    for (uint32_t i = 0; i < LANES; i++)
        all |= each[i];
    return all;
}

/* Whether a tile is decoded in lines. Tiles of shorter rows, or whose differences restart, are
 * summed one axis at a time. */
static bool NAME(is_back_in_lines)(const struct zti_coding *coding, const struct tile *tile)
{
    uint32_t columns;
    const struct tile own = NAME(tile_of_lines)(coding, tile, &columns);
    return own.block == 0 && own.extent[own.rank - 1] >= 8;
}

/* The rows to which a tile's rows are written; they are joined as the tile's rows are. */
static struct rows NAME(rows_of_lines)(const struct tile *own, const struct tile *tile,
                                       uint32_t product, const struct rows *rows)
{
    struct rows to = *rows;
    if (product == NAME(PLAIN))
        return side_by_side(own, rows->at, sizeof(uval));
    if (own->rank < tile->rank)
        to.bytes *= to.extent[--to.axes];
    return to;
}

#if VAL_BITS == 32
/* Set zeros after the last group, which the last line of a row may read. Without them, old contents
 * of memory would affect the magnitudes that decide about F32_SHORT. */
static void clear_behind_32(const struct residuals_32 *d, uint32_t n)
{
    const uint32_t end = groups_in(n) * ZTI_SZ_GROUP;
    if (d->is_small)
        memset(d->small + end, 0, ZTI_SZ_BEHIND);
    else
        memset(d->u + end, 0, ZTI_SZ_BEHIND * sizeof *d->u);
}
#endif

/* Decode residuals to the rows of an array. ZTI_SZ_BEHIND residuals after those of the tile are
 * readable and writable. */
static void NAME(sums_in_lines)(const struct zti_coding *coding, const struct tile *tile, uval base,
                                const struct NAME(residuals) * d, uint32_t product,
                                const struct rows *rows)
{
    const struct blocks blocks = group_blocks(coding, tile);
    const struct NAME(row_back) back = {
        .from = d, .step = sz_of(coding)->step, .is_streamed = rows->is_streamed, .base = base};
    uint32_t columns;
    const struct tile own = NAME(tile_of_lines)(coding, tile, &columns);
    const struct rows first = NAME(rows_of_lines)(&own, tile, product, rows);
    struct rows to = first;
    const uint32_t axes = sz_of(coding)->axes;
    if (product == NAME(PLAIN)) {
        (void)NAME(decode_rows)(&own, columns, axes, &blocks, back, NAME(PLAIN), &to);
        return;
    }
    if (product == NAME(F64)) {
        (void)NAME(decode_rows)(&own, columns, axes, &blocks, back, NAME(F64), &to);
        return;
    }
#if VAL_BITS == 32
    if (own.extent[own.rank - 1] % LANES != 0)
        clear_behind_32(d, tile->n);
    /* If the step is a normal float, its products with integers below 2^24 are exact in double, so
     * products of floats are the same, rounded once. */
    if ((double)(float)back.step == back.step && back.step >= 0x1p-126 &&
        NAME(decode_rows)(&own, columns, axes, &blocks, back, NAME(F32_SHORT), &to) < 1u << 24)
        return;
    to = first;
    (void)NAME(decode_rows)(&own, columns, axes, &blocks, back, NAME(F32), &to);
#endif
}
