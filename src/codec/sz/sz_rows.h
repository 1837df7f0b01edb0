/* sz_rows.h: kernel text: a tile's integers to folded residuals in the order of groups, in one pass
 * over its rows: less the base, differenced along all axes at once, folded, and moved to blocks.
 * Rows are made of whole lines, which are as long as a register. The includer defines uval,
 * VAL_BITS and NAME(x), and has included sz_sums.h up to its blocks. */

/* What is worked on together. */
#if defined(__AVX512F__)
#define LANES (512 / VAL_BITS)
#elif defined(__AVX2__)
#define LANES (256 / VAL_BITS)
#else
#define LANES (128 / VAL_BITS)
#endif
typedef uval NAME(line) __attribute__((vector_size(LANES * VAL_BITS / 8)));

/* Rows of a tile in the order of memory: what was before them along the axes other than the last,
 * and where their values go. */
struct NAME(row_walk) {
    uint32_t axes; /* other than the last */
    uint32_t place[ZT_MAX_RANK], extent[ZT_MAX_RANK];
    uint32_t step[ZT_MAX_RANK]; /* between neighbours, in values */
    uval *held[ZT_MAX_RANK];    /* of so many values, what they were before the axis; or NULL */
    uint32_t to[ZT_MAX_RANK];   /* where the row goes is the sum of these */
    uint32_t inner[ZT_MAX_RANK], outer[ZT_MAX_RANK]; /* added for the next in a block, and for the
                                                        first of the next block */
    uint32_t side[ZT_MAX_RANK];                      /* of a block: 1, 2, 4 or 8 */
};

/* Rows of a line or two are sooner done with an axis at a time. */
static bool NAME(is_in_lines)(const struct tile *tile)
{
    const uint32_t length = tile->extent[tile->rank - 1];
    return tile->block == 0 && length >= 32 && length % LANES == 0;
}

/* 'held' has room for as many values as the tile has. */
static struct NAME(row_walk) NAME(row_walk_of)(const struct tile *tile, uint32_t axes,
                                               const struct blocks *blocks, uval *held)
{
    const uint32_t last = tile->rank - 1;
    struct NAME(row_walk) walk = {.axes = last};
    uint32_t step = tile->extent[last], in_block = blocks->row;
    uint32_t block = blocks->count > 0 ? ZTI_SZ_GROUP * blocks->tiles[last] : 0;
    for (uint32_t i = last; i-- > 0; step *= tile->extent[i]) {
        const bool is_held = (axes >> i & 1) && tile->extent[i] > 1;
        walk.extent[i] = tile->extent[i];
        walk.step[i] = step;
        walk.held[i] = is_held ? held : NULL;
        held += is_held ? step : 0;
        walk.side[i] = blocks->count > 0 ? tile->extent[i] / blocks->tiles[i] : 1;
        walk.inner[i] = in_block;
        walk.outer[i] = (blocks->count > 0 ? block : step) - (walk.side[i] - 1) * in_block;
        in_block *= walk.side[i];
        block *= blocks->count > 0 ? blocks->tiles[i] : 1;
    }
    return walk;
}

ZTI_INLINE void NAME(walk_on)(struct NAME(row_walk) * walk)
{
    for (uint32_t i = walk->axes; i-- > 0;) {
        const bool is_new = (++walk->place[i] & (walk->side[i] - 1)) == 0;
        walk->to[i] += is_new ? walk->outer[i] : walk->inner[i];
        if (walk->place[i] < walk->extent[i])
            return;
        walk->place[i] = walk->to[i] = 0;
    }
}

ZTI_INLINE NAME(line) NAME(load_line)(const uval *from)
{
    NAME(line) v;
    memcpy(&v, from, sizeof v);
    return v;
}

ZTI_INLINE void NAME(store_line)(NAME(line) v, uval *to)
{
    memcpy(to, &v, sizeof v);
}

/* A line less what is before each value; before the first of a row is the base. The value in front
 * of the line is readable. */
ZTI_INLINE NAME(line) NAME(differences_in_line)(const uval *u, bool begins_row, uval base)
{
    const NAME(line) first = {(uval)-1}, left = NAME(load_line)(u - 1);
    const NAME(line) before = begins_row ? (left & ~first) | (first & base) : left;
    return NAME(load_line)(u) - before;
}

/* A line to its place: so many values are side by side in a block; 0: all are. */
ZTI_INLINE void NAME(put_line)(NAME(line) v, uval *to, uint32_t part)
{
    uval u[LANES];
    if (part == 0 || part >= LANES) {
        NAME(store_line)(v, to);
        return;
    }
    NAME(store_line)(v, u);
    if (part == 4)
        for (uint32_t i = 0; i + 4 <= LANES; i += 4)
            memcpy(to + i / 4 * ZTI_SZ_GROUP, u + i, 4 * sizeof *to);
    else
        for (uint32_t i = 0; i + 8 <= LANES; i += 8)
            memcpy(to + i / 8 * ZTI_SZ_GROUP, u + i, 8 * sizeof *to);
}

/* Where that place is. */
ZTI_INLINE uint32_t NAME(place_in_row)(uint32_t x, uint32_t part)
{
    return part == 0 ? x : part == 4 ? x / 4 * ZTI_SZ_GROUP + x % 4 : x / 8 * ZTI_SZ_GROUP + x % 8;
}

/* What the lines of a row have in common. */
struct NAME(row) {
    uval *held[ZT_MAX_RANK];   /* for each axis that differences are taken along but the last, */
    bool has_one[ZT_MAX_RANK]; /* and whether the row has one before it */
    bool is_along;             /* differences along the last axis */
    uval base;
    uint32_t length, part; /* part: of put_line */
};

/* A row with so many axes to 'to'; to 'any' is added what bits its values have. */
ZTI_INLINE NAME(line) NAME(put_row)(const struct NAME(row) * row, uint32_t axes, const uval *u,
                                    const uval *first, uval *restrict to, NAME(line) any)
{
    const struct NAME(row) r = *row;
    for (uint32_t x = 0; x < r.length; x += LANES) {
        const uval *const from = x ? u + x : first;
        NAME(line)
        v = r.is_along ? NAME(differences_in_line)(from, x == 0, r.base)
                       : NAME(load_line)(from) - r.base;
        for (uint32_t i = 0; i < axes; i++) {
            const NAME(line) was = NAME(load_line)(r.held[i] + x);
            NAME(store_line)(v, r.held[i] + x);
            v -= r.has_one[i] ? was : (NAME(line)){0};
        }
        v = v << 1 ^ (0 - (v >> (VAL_BITS - 1)));
        any |= v;
        NAME(put_line)(v, to + NAME(place_in_row)(x, r.part), r.part);
    }
    return any;
}

/* The row that the walk is at; returns how many axes there are, and in *to where it goes. */
ZTI_INLINE uint32_t NAME(row_at)(const struct NAME(row_walk) * walk, struct NAME(row) * row,
                                 uint32_t *to)
{
    uint32_t axes = 0;
    *to = 0;
    for (uint32_t i = walk->axes, off = 0; i-- > 0; off += walk->place[i] * walk->step[i]) {
        *to += walk->to[i];
        row->held[axes] = walk->held[i] ? walk->held[i] + off : NULL;
        row->has_one[axes] = walk->place[i] > 0;
        axes += walk->held[i] != NULL;
    }
    return axes;
}

/* From u to 'to', zeros up to the end of its last group; returns all bits that some value has. */
static uval NAME(residuals_in_lines)(const struct tile *tile, uint32_t axes,
                                     const struct blocks *blocks, const uval *u, uval *to)
{
    const uint32_t last = tile->rank - 1;
    struct NAME(row) row = {.is_along = axes >> last & 1,
                            .base = u[0],
                            .length = tile->extent[last],
                            .part = blocks->count > 0 ? blocks->row : 0};
    uval held[ZTI_SZ_TILE_VALUES], start[2 * LANES] = {0};
    NAME(line) any = {0};
    struct NAME(row_walk) walk = NAME(row_walk_of)(tile, axes, blocks, held);
    memcpy(start + LANES, u, LANES * sizeof *u);
    for (uint32_t done = 0; done < tile->n; done += row.length, NAME(walk_on)(&walk)) {
        const uval *const from = u + done, *const first = done ? from : start + LANES;
        uint32_t at;
        const uint32_t across = NAME(row_at)(&walk, &row, &at);
        if (across == 0)
            any = NAME(put_row)(&row, 0, from, first, to + at, any);
        else if (across == 1)
            any = NAME(put_row)(&row, 1, from, first, to + at, any);
        else if (across == 2)
            any = NAME(put_row)(&row, 2, from, first, to + at, any);
        else
            any = NAME(put_row)(&row, 3, from, first, to + at, any);
    }
    for (uint32_t i = tile->n; i % ZTI_SZ_GROUP != 0; i++)
        to[i] = 0;
    for (uint32_t i = 1; i < LANES; i++)
        any[0] |= any[i];
    return any[0];
}
#undef LANES
