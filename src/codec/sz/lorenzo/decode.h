/* decode.h: kernel text: decode the bytes of tiles to values of a view. Each instance includes it
 * once.
 *
 * Tiles whose places are known (a chunk each) are decoded side by side, one codebook at a time: the
 * place of a Huffman code depends on the code before, so decoding one tile alone leaves the
 * processor waiting. */

enum { SIDE_BY_SIDE = ZTI_HUFFMAN_PARTS };

/* A tile that is being decoded. */
struct lane {
    struct tile tile;
    const struct zti_view *to; /* where its values go: the array or a strip; NULL: it is skipped */
    bool is_streamed;          /* values are written past the caches */
    struct zti_bit_reader r;
    uint64_t end_bits;  /* the end of the longest tile that may begin here */
    uint32_t form;      /* as in its first byte */
    uint64_t away;      /* distance of the base from the centre, folded */
    const uint8_t *raw; /* the values of a raw tile, else the exact values */
    struct exact exact; /* which values are exact; of logarithms, zeros and signs too */
    bool is_wide;
    bool is_good; /* no error was found */
    struct coded coded;
    bool is_small; /* residuals are in bytes */
    _Alignas(64) uint8_t small[ZTI_SZ_TILE_VALUES + ZTI_SZ_BEHIND];
    union integers u;
};

struct unpacked {
    struct lane lanes[SIDE_BY_SIDE];
    union integers spare;
    union values values;
    struct zti_ll_power ten[2 * ZTI_LL_POWERS + 1]; /* of significant digits only */
};

static void begin_unpacked(const struct zti_coding *coding, struct unpacked *s)
{
    if (sz_of(coding)->source == ZTI_SZ_DIGITS)
        ll_make_powers(s->ten);
}

/* Write a row of a tile. */
ZTI_INLINE void store_row(void *to, int64_t to_stride, const void *from, uint32_t n,
                          size_t value_bytes, bool is_streamed)
{
    if (is_streamed && to_stride == 1)
        stream_bytes(to, from, n * value_bytes);
    else
        copy_row(to, to_stride, from, 1, n, value_bytes);
}

/* Write the part of a tile that is in a view. */
static void scatter_tile(const struct tile *tile, const struct zti_view *view,
                         const uint8_t *values, bool is_streamed)
{
    const uint32_t last = tile->rank - 1;
    const size_t value_bytes = zt_type_bytes(view->out.type);
    uint64_t lo[ZT_MAX_RANK], hi[ZT_MAX_RANK], at[ZT_MAX_RANK];
    for (uint32_t i = 0; i < tile->rank; i++) {
        const uint64_t end = tile->origin[i] + tile->extent[i];
        lo[i] = at[i] = view->lo[i] > tile->origin[i] ? view->lo[i] : tile->origin[i];
        hi[i] = view->hi[i] < end ? view->hi[i] : end;
        if (lo[i] >= hi[i])
            return;
    }
    uint64_t from = 0, to_at[ZT_MAX_RANK], step[ZT_MAX_RANK], width = 1;
    for (uint32_t i = last + 1; i-- > 0; width *= tile->extent[i]) {
        from += (lo[i] - tile->origin[i]) * width;
        step[i] = width;
        to_at[i] = lo[i] - view->lo[i];
    }
    /* rows that are contiguous in both are joined */
    uint64_t run = hi[last] - lo[last];
    uint32_t axes = last;
    for (; axes > 0 && view->out.stride[last] == 1 && run == step[axes - 1] &&
           view->out.stride[axes - 1] == (int64_t)run;
         axes--)
        run *= hi[axes - 1] - lo[axes - 1];
    char *to = zti_array_at(&view->out, to_at);
    for (uint32_t i = 0; i <= axes;) {
        store_row(to, view->out.stride[last], values + from * value_bytes, (uint32_t)run,
                  value_bytes, is_streamed);
        for (i = axes; i-- > 0;) {
            const int64_t stride = view->out.stride[i] * (int64_t)value_bytes;
            to += stride;
            from += step[i];
            if (++at[i] < hi[i])
                break;
            to -= (int64_t)(hi[i] - lo[i]) * stride;
            from -= (hi[i] - lo[i]) * step[i];
            at[i] = lo[i];
        }
    }
}

/* The most bytes of an array that may be in the caches. */
enum { OWN_BYTES = 16 << 20 };

/* Prefetch the memory of a tile's values before it is decoded, if the whole tile is in the view. A
 * cache line must be read before a part of it is written; so must one that is written whole, unless
 * it is cached or written past the caches. Strips are cached, and contiguous short rows are mostly
 * whole lines. */
static void prefetch_lines(const struct zti_coding *coding, const struct lane *l)
{
    const struct tile *const tile = &l->tile;
    const uint64_t values = zti_array_values(coding->grid.rank, coding->grid.shape);
    const bool is_waited_for =
        !coding->run.is_streamed && values * zt_type_bytes(coding->type) > OWN_BYTES;
    uint32_t columns;
    const struct tile own = tile_of_lines_32(coding, tile, &columns);
    struct rows rows;
    if (!l->to || l->is_streamed != coding->run.is_streamed || !is_in_view(tile, l->to, &rows) ||
        rows.bytes == 0)
        return;
    const bool is_joined = own.rank < tile->rank && rows.step[rows.axes - 1] == rows.bytes;
    const uint32_t bytes = rows.bytes * (is_joined ? tile->extent[own.rank - 1] : 1);
    if (!is_waited_for && (uintptr_t)rows.at % 64 == 0 && bytes % 64 == 0)
        return;
    rows = joined(rows);
    if (l->is_streamed && rows.axes < tile->rank - 1 && !is_back_in_lines_32(coding, tile))
        return;
    for (uint64_t left = tile->n * zt_type_bytes(coding->type); left > 0;
         left -= rows.bytes, next_row(&rows)) {
        for (uint32_t i = 0; i < rows.bytes; i += 64)
            zti_prefetch_to_write(rows.at + i);
        zti_prefetch_to_write(rows.at + rows.bytes - 1);
    }
}

/* ---- a tile's residuals ---- */

static struct residuals_32 residuals_of_32(struct lane *l)
{
    return (struct residuals_32){l->small, l->u.u32, l->is_small, groups_in(l->tile.n)};
}

static struct residuals_64 residuals_of_64(struct lane *l)
{
    return (struct residuals_64){l->small, l->u.u64, l->is_small, groups_in(l->tile.n)};
}

/* The part of a tile's residuals that is decoded: if its codes are decoded with those of other
 * tiles, all between classes and codes, or all after the codes; else everything. */
enum turn { BEFORE_CODES, BEHIND_CODES, ALONE };

static bool decode_turn(const struct zti_coding *coding, struct lane *l, enum turn turn)
{
    const uint32_t n = l->tile.n;
    const uint64_t end = l->end_bits;
    struct residuals_32 narrow = residuals_of_32(l);
    struct residuals_64 wide = residuals_of_64(l);
    bool is_good;
    if (turn == BEFORE_CODES)
        is_good = l->is_wide ? begin_coded_64(&l->coded, &l->r, &wide, n, end)
                             : begin_coded_32(&l->coded, &l->r, &narrow, n, end);
    else if (turn == BEHIND_CODES)
        is_good = l->is_wide ? end_coded_64(&l->coded, &l->r, &wide, n, end)
                             : end_coded_32(&l->coded, &l->r, &narrow, n, end);
    else
        is_good = l->is_wide ? decode_residuals_64(coding, &l->tile, l->form, &l->r, end, &wide)
                             : decode_residuals_32(coding, &l->tile, l->form, &l->r, end, &narrow);
    l->is_small = l->is_wide ? wide.is_small : narrow.is_small;
    return is_good;
}

/* ---- integers to values ---- */

static void values_of_logs(const struct zti_coding *coding, uint32_t n, const struct exact *exact,
                           const uint32_t *narrow, const uint64_t *wide, union values *to)
{
    if (coding->type == ZT_F32)
        numbers_f32(sz_of(coding), exact, narrow, n, to->f32);
    else if (narrow)
        numbers_f64(sz_of(coding), exact, narrow, n, to->f64);
    else
        numbers_wide_f64(sz_of(coding), exact, wide, n, to->f64);
}

static void values_of_keys(const struct zti_coding *coding, uint32_t n,
                           const struct zti_ll_power *ten, const uint32_t *narrow,
                           const uint64_t *wide, union values *to)
{
    if (coding->type == ZT_F32)
        of_keys_f32(sz_of(coding), ten, narrow, n, to->f32);
    else if (narrow)
        of_keys_f64(sz_of(coding), ten, narrow, n, to->f64);
    else
        of_wide_keys_f64(sz_of(coding), ten, wide, n, to->f64);
}

/* Convert integers of 32 or 64 bits to values; the other pointer is NULL. */
static void values_from(const struct zti_coding *coding, uint32_t n, bool is_bits,
                        const struct exact *exact, const struct zti_ll_power *ten,
                        const uint32_t *narrow, const uint64_t *wide, union values *to)
{
    const struct zti_sz *sz = sz_of(coding);
    const int64_t step = (int64_t)sz->whole_step;
    if (is_bits) {
        order_bits(coding->type, n, narrow ? (const void *)narrow : wide, to->bytes);
    } else if (sz->source == ZTI_SZ_LOG) {
        values_of_logs(coding, n, exact, narrow, wide, to);
    } else if (is_of_keys(sz)) {
        values_of_keys(coding, n, ten, narrow, wide, to);
    } else if (coding->type == ZT_F32) {
        dequantize_f32(sz->step, narrow, n, to->f32);
    } else if (coding->type == ZT_F64 && narrow) {
        dequantize_f64(sz->step, narrow, n, to->f64);
    } else if (coding->type == ZT_F64) {
        dequantize_wide_f64(sz->step, wide, n, to->f64);
    } else if (coding->type == ZT_I32) {
        for (uint32_t i = 0; i < n; i++)
            to->u32[i] = (uint32_t)multiple((int32_t)narrow[i], step, INT32_MIN, INT32_MAX);
    } else {
        for (uint32_t i = 0; i < n; i++)
            to->u64[i] = (uint64_t)multiple(wide ? (int64_t)wide[i] : (int32_t)narrow[i], step,
                                            INT64_MIN, INT64_MAX);
    }
}

/* ---- a tile's bytes ---- */

/* Read a tile up to its residuals; returns where these begin, or NULL if the bytes are not
 * valid. */
static const uint8_t *decode_head(const struct zti_coding *coding, struct lane *l,
                                  const uint8_t *at, const uint8_t *end)
{
    const uint32_t first = *at++, kind = first & ZTI_SZ_KIND;
    const uint32_t value_bytes = (uint32_t)zt_type_bytes(coding->type);
    l->form = first & ZTI_SZ_FORM;
    l->exact.count = 0;
    l->is_wide = kind == ZTI_SZ_ZERO ? value_bytes == 8 : kind == ZTI_SZ_WIDE;
    if (!is_first_byte(sz_of(coding), l->tile.n, value_bytes, first))
        return NULL;
    l->away = 0;
    for (uint32_t i = 0; i < base_bytes_in(first); i++)
        l->away |= (uint64_t)*at++ << 8 * i;
    l->raw = at;
    if (first & ZTI_SZ_HAS_EXACT) {
        l->exact.count = 1;
        at = zti_sz_decode_exact(at, end, l->tile.n, value_bytes, l->exact.bits, &l->raw);
    }
    if (at && has_marks(sz_of(coding), first))
        at = zti_sz_decode_marks(at, end, l->tile.n, l->tile.extent[l->tile.rank - 1],
                                 l->exact.zero, l->exact.negative);
    return at;
}

/* Whether the tile's codes are decoded with those of other tiles. */
static bool is_shared(const struct zti_coding *coding, const struct lane *l)
{
    return l->is_good && has_residuals(l->form) && sz_of(coding)->coder == ZTI_SZ_DEFAULT &&
           is_coded(sz_of(coding)->coder, l->form);
}

/* Read the tile l->tile at l->r up to its first code. */
static void begin_lane(const struct zti_coding *coding, struct lane *l)
{
    const uint8_t *const start = l->r.base + l->r.at / 8;
    const uint8_t *const end =
        start + tile_most_bytes(l->tile.n, (uint32_t)zt_type_bytes(coding->type));
    l->end_bits = (uint64_t)(end - l->r.base) * 8;
    l->is_good = l->r.at <= l->r.end;
    const uint8_t *const at = l->is_good ? decode_head(coding, l, start, end) : NULL;
    l->is_good = at != NULL;
    memset(l->coded.count, 0, sizeof l->coded.count);
    l->is_small = false;
    if (!at)
        return;
    l->r.at += (uint64_t)(at - start) * 8;
    if (is_shared(coding, l)) {
        l->coded.count[0] = groups_in(l->tile.n);
        l->coded.first[0] = 0;
    }
}

/* Decode the symbols of one book, for all tiles. */
static void read_book(const struct zti_coding *coding, struct lane *lanes, uint32_t n,
                      uint32_t book)
{
    const struct zti_sz_model *const model = coding->model;
    struct zti_huffman_part part[SIDE_BY_SIDE];
    struct lane *of[SIDE_BY_SIDE];
    uint64_t buffer_bits = 0;
    uint32_t parts = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct lane *const l = &lanes[i];
        const uint64_t end = l->end_bits < l->r.end ? l->end_bits : l->r.end;
        if (!is_shared(coding, l) || l->coded.count[book] == 0)
            continue;
        if (l->r.at > end) {
            l->is_good = false;
            continue;
        }
        buffer_bits = l->r.end > buffer_bits ? l->r.end : buffer_bits;
        of[parts] = l;
        part[parts++] = (struct zti_huffman_part){.at = l->r.at,
                                                  .end = end,
                                                  .out = l->coded.symbols + l->coded.first[book],
                                                  .symbols = l->coded.count[book]};
    }
    if (parts == 0)
        return;
    (void)zti_huffman_decode(&model->decoder[book], coding->run.isa, lanes->r.base,
                             (size_t)(buffer_bits / 8), part, parts);
    for (uint32_t i = 0; i < parts; i++) {
        of[i]->r.at = part[i].at;
        of[i]->is_good = part[i].symbols == 0 && part[i].at <= part[i].end;
    }
}

/* Read the tile's residuals, in the order of groups; the reader is then after them. */
static void read_rest(const struct zti_coding *coding, struct lane *l)
{
    if ((l->form & ZTI_SZ_KIND) == ZTI_SZ_ZERO)
        return;
    if ((l->form & ZTI_SZ_KIND) == ZTI_SZ_RAW) {
        l->r.at = l->end_bits;
        return;
    }
    l->is_good =
        is_shared(coding, l) ? decode_turn(coding, l, BEHIND_CODES) : decode_turn(coding, l, ALONE);
    l->r.at = (l->r.at + 7) & ~UINT64_C(7);
}

static void write_value_at(union values *values, size_t value_bytes, uint32_t i,
                           const uint8_t *from)
{
    if (value_bytes == 4)
        values->u32[i] = zti_get_le32(from);
    else
        values->u64[i] = zti_get_le64(from);
}

/* Convert what was read of a tile to values. */
static void finish_lane(const struct zti_coding *coding, struct lane *l, struct unpacked *s)
{
    union values *const values = &s->values;
    const size_t value_bytes = zt_type_bytes(coding->type);
    const bool is_bits = is_of_bits(sz_of(coding), l->form);
    if ((l->form & ZTI_SZ_KIND) == ZTI_SZ_RAW) {
        for (uint32_t i = 0; i < l->tile.n; i++)
            write_value_at(values, value_bytes, i, l->raw + i * value_bytes);
        return;
    }
    struct residuals_32 narrow = residuals_of_32(l);
    struct residuals_64 wide = residuals_of_64(l);
    if (l->is_wide)
        values_from(coding, l->tile.n, is_bits, &l->exact, s->ten, NULL,
                    integers_64(coding, &l->tile, l->form, l->away, &wide, s->spare.u64), values);
    else
        values_from(coding, l->tile.n, is_bits, &l->exact, s->ten,
                    integers_32(coding, &l->tile, l->form, l->away, &narrow, s->spare.u32), NULL,
                    values);
    for (uint32_t word = 0; l->exact.count && word < ZTI_SZ_GROUPS; word++)
        for (uint64_t left = l->exact.bits[word]; left; left &= left - 1, l->raw += value_bytes)
            write_value_at(values, value_bytes, word * 64 + zti_ctz64(left), l->raw);
}

/* Whether a tile's rows are decoded in lines and can be written directly to those of a view. Joined
 * rows need contiguous rows there. */
static bool are_rows_there(const struct zti_coding *coding, const struct lane *l, struct rows *rows)
{
    const struct tile *const tile = &l->tile;
    uint32_t columns;
    const struct tile own = tile_of_lines_32(coding, tile, &columns);
    if (!(l->is_wide ? is_back_in_lines_64(coding, tile) : is_back_in_lines_32(coding, tile)) ||
        !is_in_view(tile, l->to, rows) || rows->bytes == 0)
        return false;
    return l->is_wide || own.rank == tile->rank || rows->step[rows->axes - 1] == rows->bytes;
}

/* Decode a tile of multiples of a step directly to the view; false if that is not possible. */
static bool finish_straight(const struct zti_coding *coding, struct lane *l)
{
    struct rows rows;
    if (sz_of(coding)->source != ZTI_SZ_LATTICE || (l->form & ZTI_SZ_LOSSLESS) ||
        l->exact.count > 0 || !has_residuals(l->form) || !are_rows_there(coding, l, &rows))
        return false;
    rows.is_streamed = l->is_streamed;
    const struct residuals_32 narrow = residuals_of_32(l);
    const struct residuals_64 wide = residuals_of_64(l);
    if (l->is_wide)
        sums_in_lines_64(coding, &l->tile, base_of_64(coding, l->away), &wide, F64_64, &rows);
    else
        sums_in_lines_32(coding, &l->tile, base_of_32(coding, l->away), &narrow,
                         coding->type == ZT_F64 ? F64_32 : F32_32, &rows);
    return true;
}

/* Decode a tile from each of n readers. */
static void decode_tiles(const struct zti_coding *coding, struct unpacked *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        prefetch_lines(coding, &s->lanes[i]);
    for (uint32_t i = 0; i < n; i++)
        begin_lane(coding, &s->lanes[i]);
    read_book(coding, s->lanes, n, 0);
    for (uint32_t i = 0; i < n; i++) {
        struct lane *const l = &s->lanes[i];
        if (is_shared(coding, l))
            l->is_good = decode_turn(coding, l, BEFORE_CODES);
    }
    for (uint32_t book = 1; book < ZTI_SZ_BOOKS; book++)
        read_book(coding, s->lanes, n, book);
    for (uint32_t i = 0; i < n; i++) {
        struct lane *const l = &s->lanes[i];
        if (l->is_good)
            read_rest(coding, l);
        if (!l->is_good || !l->to || finish_straight(coding, l))
            continue;
        finish_lane(coding, l, s);
        scatter_tile(&l->tile, l->to, s->values.bytes, l->is_streamed);
    }
}

/* Set a lane to a tile of the window. */
static void set_lane(const struct zti_coding *coding, struct lane *l, const struct window *w,
                     uint32_t number)
{
    l->tile = w->tile[number];
    l->to = w->to[number];
    l->is_streamed = coding->run.is_streamed && l->to == w->view;
}

/* The number of tiles in the next window: up to the end of a row of tiles, if the window reaches
 * one. */
static uint32_t window_tiles(const struct zti_coding *coding, const struct zti_walk *walk,
                             uint64_t last)
{
    const uint32_t axis = coding->grid.rank - 1;
    const uint64_t across = coding->grid.tiles[axis], rest = last - walk->tile;
    const uint32_t most = rest < WINDOW_TILES ? (uint32_t)rest : WINDOW_TILES;
    const uint64_t row = across - walk->origin[axis] / coding->grid.side[axis];
    return row < most ? most - (uint32_t)((most - row) % across) : most;
}

/* Write a window whose tiles are all decoded. */
static void end_window(const struct zti_coding *coding, const struct window *w)
{
    write_strips(w);
    if (coding->run.is_streamed)
        v_stream_end();
}

static void decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                   uint64_t last, const struct zti_view *view)
{
    struct zti_walk walk = zti_walk_from(&coding->grid, first);
    struct unpacked s;
    struct window w = {.view = view};
    struct lane *const lane = &s.lanes[0];
    begin_unpacked(coding, &s);
    while (walk.tile < last) {
        w.tiles = window_tiles(coding, &walk, last);
        for (uint32_t i = 0; i < w.tiles; i++, zti_walk_next(&coding->grid, &walk))
            w.tile[i] = tile_at(coding, &walk);
        lay_window(coding, &w);
        for (uint32_t i = 0; i < w.tiles; i++) {
            set_lane(coding, lane, &w, i);
            lane->r = *r;
            decode_tiles(coding, &s, 1);
            r->at = lane->is_good ? lane->r.at : r->end + 1; /* as if cut: exec refuses it */
            if (!lane->is_good)
                return;
        }
        end_window(coding, &w);
    }
}

static void decode_runs(const struct zti_coding *coding, const uint8_t *base, uint64_t *at,
                        uint32_t runs, uint64_t first, uint32_t run_tiles,
                        const struct zti_view *view)
{
    const uint64_t run_bits =
        run_tiles * (uint64_t)(1 + zt_type_bytes(coding->type) * ZTI_SZ_TILE_VALUES) * 8;
    struct zti_walk walk[SIDE_BY_SIDE];
    struct unpacked s;
    struct window w = {.view = view};
    bool is_good = true;
    begin_unpacked(coding, &s);
    for (uint32_t i = 0; i < runs; i++) {
        walk[i] = zti_walk_from(&coding->grid, first + (uint64_t)i * run_tiles);
        s.lanes[i].r = (struct zti_bit_reader){.base = base, .at = at[i], .end = at[i] + run_bits};
    }
    for (uint32_t done = 0, some; done < run_tiles; done += some) {
        some = run_tiles - done < WINDOW_TILES / runs ? run_tiles - done : WINDOW_TILES / runs;
        w.tiles = runs * some;
        for (uint32_t i = 0; i < w.tiles; i++) {
            w.tile[i] = tile_at(coding, &walk[i / some]);
            zti_walk_next(&coding->grid, &walk[i / some]);
        }
        lay_window(coding, &w);
        for (uint32_t tile = 0; tile < some; tile++) {
            for (uint32_t i = 0; i < runs; i++)
                set_lane(coding, &s.lanes[i], &w, i * some + tile);
            decode_tiles(coding, &s, runs);
            for (uint32_t i = 0; i < runs; i++) {
                is_good &= s.lanes[i].is_good;
                if (!s.lanes[i].is_good)
                    s.lanes[i].r.at = s.lanes[i].r.end + 1;
            }
        }
        if (is_good)
            end_window(coding, &w);
    }
    for (uint32_t i = 0; i < runs; i++)
        at[i] = s.lanes[i].r.at;
}
