/* integers.h: kernel text: folded residuals in the order of groups to a tile's integers, or to
 * the numbers that these are multiples for, in one pass over its rows: taken from blocks, unfolded,
 * summed along all axes at once, the base added. The inverse of lorenzo/residuals.h, whose walk it
 * takes. The includer defines uval, VAL_BITS and NAME(x), and has included lorenzo/residuals.h.
 *
 * A row is worked on in lines, which are as long as a register. The last of them may be longer than
 * what is left of the row: its other values are read from what is behind, and only what is held for
 * the rows that follow and integers, whose next row is written later, get to know them. */

/* What becomes of integers. */
enum NAME(product) {
    NAME(PLAIN),     /* they stay integers */
    NAME(F32),       /* floats: the products of doubles, rounded */
    NAME(F32_SHORT), /* floats: the products of floats, where these are the same */
    NAME(F64)
};

/* What the lines of a row have in common. */
struct NAME(row_back) {
    const struct NAME(residuals) * from;
    double step;
    bool is_streamed;
    uval base;
    uint32_t length;     /* of a row */
    uval *held[ACROSS];  /* along each axis but the last one, */
    uval before[ACROSS]; /* and all ones where the row has one before it */
};

/* Bytes of what becomes of an integer. */
ZTI_INLINE uint32_t NAME(product_bytes)(uint32_t product)
{
    return product == NAME(F64) ? 8 : product == NAME(PLAIN) ? (uint32_t)sizeof(uval) : 4;
}

/* What becomes of a line: register i of it. */
ZTI_INLINE line_32 NAME(product_of)(NAME(line) v, uint32_t product, uint32_t i, double step)
{
    return product == NAME(F64)         ? (line_32)NAME(doubles_of)(v, i, step)
           : product == NAME(F32)       ? (line_32)floats_of_32((line_32)v, step)
           : product == NAME(F32_SHORT) ? (line_32)short_floats_of_32((line_32)v, (float)step)
                                        : (line_32)v;
}

/* The first so many bytes of it to 'to'; all of it, if that is allowed. */
ZTI_INLINE void NAME(put_product)(NAME(line) v, uint32_t product, double step, uint32_t bytes,
                                  bool is_streamed, uint8_t *to)
{
    for (uint32_t i = 0; i * sizeof v < LANES * NAME(product_bytes)(product); i++) {
        const line_32 part = NAME(product_of)(v, product, i, step);
        const uint32_t at = i * (uint32_t)sizeof v;
        if (bytes <= at) /* of a row of 8 doubles, say, where a line is made of two registers */
            return;
        if (is_streamed)
            stream_line(part, to + at);
        else if (product == NAME(PLAIN) || zti_likely(bytes >= at + sizeof v))
            memcpy(to + at, &part, sizeof v);
        else
            store_part(part, bytes - at, to + at);
    }
}

/* A line of residuals, in pieces or not. */
ZTI_INLINE NAME(line)
    NAME(residuals_in_line)(const struct NAME(residuals) * d, uint32_t from, uint32_t part)
{
    const NAME(line) v = d->is_small ? NAME(pieces_of_bytes)(d->small + from, part)
                                     : NAME(pieces)(d->u + from, part);
    return ZTI_SZ_UNFOLDED(v);
}

/* A line summed up along the row, of values so far apart; and the last sums of a line, where the
 * next one goes on from them. */
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

/* A row, which is at 'at' among the residuals, to 'to'. 'axes' has a bit for each that sums are
 * taken along but the last one. To 'any' are added, of floats, the bits of magnitudes. */
ZTI_INLINE NAME(line)
    NAME(take_row)(const struct NAME(row_back) * r, const struct NAME(rows) * rows, uint32_t axes,
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
        NAME(put_product)
        (v, product, r->step, (r->length - x) * value_bytes, is_streamed,
         to + (size_t)x * value_bytes);
    }
    return any;
}

/* All rows of a tile to 'to', with the axes that are held of; returns the bits of magnitudes. */
ZTI_INLINE NAME(line)
    NAME(take_rows_along)(const struct NAME(rows) * rows, uint32_t axes, uint32_t columns,
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
                any = NAME(take_row)(&back, &r, axes, columns, product,
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

/* The same with loops of its own for each set of axes, but for tiles of columns. */
ZTI_INLINE uval NAME(take_rows)(const struct tile *tile, uint32_t columns, uint32_t axes,
                                const struct blocks *blocks, struct NAME(row_back) back,
                                uint32_t product, struct rows *to)
{
    const uint32_t last = tile->rank - 1, length = tile->extent[last];
    const bool is_blocked = blocks->count > 0;
    struct tile padded = *tile; /* to whole lines, for what is held */
    padded.extent[last] = (length + LANES - 1) / LANES * LANES;
    _Alignas(64) uval held[2 * ZTI_SZ_TILE_VALUES]; /* lines of memory */
    struct NAME(rows) r;
    NAME(line) any;
    NAME(set_places)(&r, &padded, columns, axes, blocks, held);
    back.length = length;
#define CASE(n)                                                                                    \
    case n: any = NAME(take_rows_along)(&r, n, 1, is_blocked, back, product, to); break
    switch (VAL_BITS == 32 && columns > 1 ? 8 : r.axes) {
        CASE(0);
        CASE(1);
        CASE(2);
        CASE(3);
        CASE(4);
        CASE(5);
        CASE(6);
        CASE(7);
    default: any = NAME(take_rows_along)(&r, r.axes, columns, false, back, product, to);
    }
#undef CASE
    uval each[LANES], all = 0;
    NAME(store_line)(any, each);
    for (uint32_t i = 0; i < LANES; i++)
        all |= each[i];
    return all;
}

/* Shorter rows, and those of which differences begin anew, are done with an axis at a time. */
static bool NAME(is_back_in_lines)(const struct zti_coding *coding, const struct tile *tile)
{
    uint32_t columns;
    const struct tile own = NAME(tile_of_lines)(coding, tile, &columns);
    return own.block == 0 && own.extent[own.rank - 1] >= 8;
}

/* Where a tile's rows, which go to such rows, go where they are joined: these are, too. */
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
/* Zeros behind the last group, where lines of the last rows look that are longer than what is left
 * of these: else the magnitudes that decide about short products would be of what was in memory. */
static void clear_behind_32(const struct residuals_32 *d, uint32_t n)
{
    const uint32_t end = groups_in(n) * ZTI_SZ_GROUP;
    if (d->is_small)
        memset(d->small + end, 0, ZTI_SZ_BEHIND);
    else
        memset(d->u + end, 0, ZTI_SZ_BEHIND * sizeof *d->u);
}
#endif

/* From residuals, ZTI_SZ_BEHIND beyond which are readable and writable, to the rows of an array. */
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
        (void)NAME(take_rows)(&own, columns, axes, &blocks, back, NAME(PLAIN), &to);
        return;
    }
    if (product == NAME(F64)) {
        (void)NAME(take_rows)(&own, columns, axes, &blocks, back, NAME(F64), &to);
        return;
    }
#if VAL_BITS == 32
    if (own.extent[own.rank - 1] % LANES != 0)
        clear_behind_32(d, tile->n);
    /* With a step that is a normal float, products of less than 2^24 with it are exact in doubles,
     * and those of floats are the same rounded once. */
    if ((double)(float)back.step == back.step && back.step >= 0x1p-126 &&
        NAME(take_rows)(&own, columns, axes, &blocks, back, NAME(F32_SHORT), &to) < 1u << 24)
        return;
    to = first;
    (void)NAME(take_rows)(&own, columns, axes, &blocks, back, NAME(F32), &to);
#endif
}
