/* tile.h: kernel text: a tile to bytes and back.
 *
 *     u8       0; 3: the values follow as they are, in C order
 *     varint   bytes of all that follows, then of the first three parts
 *     front    front.c, and the tables of the models
 *     codes    symbols, an ANS stream (entropy/ans/mixed.h)
 *     open     bits that symbols leave open
 *     rest     bits that the transform leaves open, and values that have no key
 */

enum {
    MANY_FROM = 4096,    /* symbols that are coded with many states */
    TRIED_PRECISIONS = 4 /* of weights in models' tables */
};

static uint32_t states_of(const struct zti_ll_shape *s)
{
    return s->values < MANY_FROM ? ZTI_ANS_FEW : ZTI_ANS_MANY;
}

/* ---- values ---- */

/* A tile's place and size. */
struct place {
    uint32_t extent[ZT_MAX_RANK];
    uint64_t origin[ZT_MAX_RANK];
};

static struct place place_of(const struct zti_coding *coding, const struct zti_walk *walk)
{
    struct place place;
    for (uint32_t i = 0; i < ZT_MAX_RANK; i++) {
        const bool is_there = i < coding->grid.rank;
        const uint64_t rest = is_there ? coding->grid.shape[i] - walk->origin[i] : 1;
        place.extent[i] =
            !is_there || rest < coding->grid.side[i] ? (uint32_t)rest : coding->grid.side[i];
        place.origin[i] = is_there ? walk->origin[i] : 0;
    }
    return place;
}

/* The values of a box of an array, in C order. */
static void gather(const struct zti_array *array, const struct place *place, value *to)
{
    const uint32_t last = array->rank - 1, n = place->extent[last];
    const int64_t stride = array->stride[last];
    uint64_t at[ZT_MAX_RANK];
    memcpy(at, place->origin, sizeof at);
    for (;;) {
        const value *const from = zti_array_at(array, at);
        for (uint32_t i = 0; i < n; i++)
            to[i] = from[(int64_t)i * stride];
        to += n;
        uint32_t axis = last;
        while (axis > 0 && ++at[axis - 1] == place->origin[axis - 1] + place->extent[axis - 1]) {
            at[axis - 1] = place->origin[axis - 1];
            axis--;
        }
        if (axis == 0)
            return;
    }
}

/* The same, backwards: what a view has of the values of a tile. */
static void scatter(const struct zti_view *view, const struct place *place, const value *from)
{
    const uint32_t rank = view->out.rank, last = rank - 1;
    uint64_t lo[ZT_MAX_RANK], hi[ZT_MAX_RANK], at[ZT_MAX_RANK], to[ZT_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        const uint64_t end = place->origin[i] + place->extent[i];
        lo[i] = view->lo[i] > place->origin[i] ? view->lo[i] : place->origin[i];
        hi[i] = view->hi[i] < end ? view->hi[i] : end;
        at[i] = lo[i];
        if (lo[i] >= hi[i])
            return;
    }
    for (;;) {
        size_t first = 0;
        for (uint32_t i = 0; i < rank; i++) {
            first = first * place->extent[i] + (size_t)(at[i] - place->origin[i]);
            to[i] = at[i] - view->lo[i];
        }
        value *const out = zti_array_at(&view->out, to);
        for (uint64_t i = 0; i < hi[last] - lo[last]; i++)
            out[(int64_t)i * view->out.stride[last]] = from[first + i];
        uint32_t axis = last;
        while (axis > 0 && ++at[axis - 1] == hi[axis - 1]) {
            at[axis - 1] = lo[axis - 1];
            axis--;
        }
        if (axis == 0)
            return;
    }
}

/* Values in order to rows of lanes, and back. Lanes that have a value more come first. */
static void to_lanes(const struct zti_ll_shape *s, const value *from, value *to)
{
    const uint32_t length = s->values / s->width, more = s->values % s->width;
    for (uint32_t lane = 0; lane < s->width; lane++) {
        const uint32_t n = length + (lane < more);
        for (uint32_t i = 0; i < n; i++)
            to[(size_t)i * s->width + lane] = *from++;
    }
}

static void from_lanes(const struct zti_ll_shape *s, const value *from, value *to)
{
    const uint32_t length = s->values / s->width, more = s->values % s->width;
    for (uint32_t lane = 0; lane < s->width; lane++) {
        const uint32_t n = length + (lane < more);
        for (uint32_t i = 0; i < n; i++)
            *to++ = from[(size_t)i * s->width + lane];
    }
}

static void put_values(const value *from, uint32_t n, uint8_t *to)
{
    for (uint32_t i = 0; i < n; i++)
        to = zti_put_value(to, from[i], sizeof *from);
}

static void take_values(const uint8_t *from, uint32_t n, value *to)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = (value)zti_get_value(from + i * sizeof *to, sizeof *to);
}

/* ---- to bytes ---- */

/* What a tile's parts take. */
struct sizes {
    uint64_t front_bits, open_bits, rest_bits;
    size_t code_bytes;
};

static size_t bytes_of(uint64_t bits)
{
    return (size_t)((bits + 7) / 8);
}

/* Symbols in the models that contexts come to; front has these. Returns the stream's bytes. */
static const uint8_t *code_symbols(const struct zti_coding *coding, const struct tile *tile,
                                   struct zti_ll_front *front, struct sizes *sizes)
{
    struct zti_ll_slot *const slot = tile->slot;
    const struct zti_ans_model *of[ZTI_LL_MODELS];
    const uint32_t n = tile->s.values;
    uint64_t cost;
    memset(slot->counts, 0, sizeof *slot->counts);
    count_symbols(slot->counts, slot->symbols, slot->contexts, n);
    front->models = zti_ll_merge(tile->tables, *slot->counts, front->model_of, &cost);
    sizes->front_bits = zti_ll_put_front(coding, &tile->s, front, NULL);
    for (uint32_t k = 0; k < front->models; k++) {
        uint64_t count[ZTI_LL_ALPHABET];
        for (uint32_t i = 0; i < ZTI_LL_ALPHABET; i++)
            count[i] = (*slot->counts)[k][i];
        zti_ans_place(slot->model[k].decode, ZTI_LL_ALPHABET, &slot->model[k]);
        zti_ans_make(count, TRIED_PRECISIONS, &slot->model[k]);
        sizes->front_bits += zti_ans_stored_bits(&slot->model[k]);
        of[k] = &slot->model[k];
    }
    zti_ans_mixed_fill(of, front->models, &slot->table);
    uint8_t *const model = slot->codes + zti_ans_mixed_bytes(n);
    for (uint32_t i = 0; i < n; i++)
        model[i] = front->model_of[slot->contexts[i]];
    (void)coding;
    const uint8_t *const codes =
        PUT_CODES(&slot->table, model, slot->symbols, n, states_of(&tile->s), slot->codes);
    sizes->code_bytes = (size_t)(slot->codes + zti_ans_mixed_bytes(n) - codes);
    return codes;
}

static uint8_t *put_raw(const struct tile *tile, uint8_t *to)
{
    const value *from = tile->slot->values;
    *to++ = ZTI_LL_RAW;
    if (tile->s.is_lanes) {
        from_lanes(&tile->s, from, (value *)(void *)tile->slot->all);
        from = (const value *)(void *)tile->slot->all;
    }
    put_values(from, tile->s.values, to);
    return to + (size_t)tile->s.values * sizeof(value);
}

static uint8_t *put_open_parts(const struct tile *tile, const struct zti_ll_front *front,
                               const struct sizes *sizes, uint8_t *to)
{
    struct zti_ll_slot *const slot = tile->slot;
    struct zti_bit_writer w = zti_bit_writer_at(to);
    put_residuals(front->has_signs, slot->residuals, slot->symbols, front->t.has_marks,
                  tile->s.values, &w);
    to += bytes_of(sizes->open_bits);
    w = zti_bit_writer_at(to);
    for (uint32_t row = 0; row < tile->s.rows; row++)
        put_open(&front->t, (const value *)slot->values + (size_t)row * tile->s.width,
                 slot->marks + ll_cell(&tile->s, row), ll_width(&tile->s, row), &w);
    return to + bytes_of(sizes->rest_bits);
}

static uint8_t *put_tile(const struct zti_coding *coding, const struct tile *tile, uint8_t *to)
{
    const struct part whole = whole_of(tile);
    struct zti_ll_front front = {.models = 0};
    struct sizes sizes = {.front_bits = 0};
    struct choice best;
    const size_t most = (size_t)tile->s.values * sizeof(value);
    choose(tile, &best);
    front.t = best.t;
    front.p = best.p;
    sizes.rest_bits = make_keys(tile, &whole, &front.t, &front.t.has_marks);
    front.has_signs = ll_code(make_residuals(tile, &whole, &front.t, &front.p)) <= ZTI_LL_MOST_CODE;
    sizes.open_bits = make_symbols(tile, &whole, &front.t, front.has_signs, tile->slot->symbols,
                                   tile->slot->contexts);
    if (bytes_of(sizes.rest_bits) + bytes_of(sizes.open_bits) >= most)
        return put_raw(tile, to);
    const uint8_t *const codes = code_symbols(coding, tile, &front, &sizes);
    const size_t front_bytes = bytes_of(sizes.front_bits), open_bytes = bytes_of(sizes.open_bits);
    const size_t lengths = zti_varint_bytes(front_bytes) + zti_varint_bytes(sizes.code_bytes) +
                           zti_varint_bytes(open_bytes);
    const size_t bytes =
        lengths + front_bytes + sizes.code_bytes + open_bytes + bytes_of(sizes.rest_bits);
    if (bytes + zti_varint_bytes(bytes) >= most)
        return put_raw(tile, to);
    *to++ = ZTI_LL_CODED;
    to = zti_put_varint(to, bytes);
    to = zti_put_varint(to, front_bytes);
    to = zti_put_varint(to, sizes.code_bytes);
    to = zti_put_varint(to, open_bytes);
    struct zti_bit_writer w = zti_bit_writer_at(to);
    (void)zti_ll_put_front(coding, &tile->s, &front, &w);
    for (uint32_t k = 0; k < front.models; k++)
        zti_ans_put(&tile->slot->model[k], &w);
    to += front_bytes;
    memcpy(to, codes, sizes.code_bytes);
    return put_open_parts(tile, &front, &sizes, to + sizes.code_bytes);
}

static struct tile tile_of(const struct zti_coding *coding, const struct place *place,
                           struct zti_ll_slot *slot)
{
    const struct zti_ll *const model = coding->model;
    return (struct tile){.tables = &model->tables,
                         .known = &model->known,
                         .slot = slot,
                         .type = coding->type,
                         .s = ll_shape(coding->grid.rank, place->extent)};
}

/* The values of a tile, in the order of coding. */
static struct tile bring_tile(const struct zti_coding *coding, const struct zti_array *array,
                              const struct zti_walk *walk, struct zti_ll_slot *slot)
{
    const struct place place = place_of(coding, walk);
    const struct tile tile = tile_of(coding, &place, slot);
    gather(array, &place, tile.s.is_lanes ? (value *)(void *)slot->all : slot->values);
    if (tile.s.is_lanes)
        to_lanes(&tile.s, (const value *)(void *)slot->all, slot->values);
    return tile;
}

static void encode(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *w)
{
    struct zti_ll_slot *const slot = zti_ll_take_slot(coding->model);
    struct zti_walk walk = zti_walk_from(&coding->grid, first);
    for (; walk.tile < last; zti_walk_next(&coding->grid, &walk)) {
        const struct tile tile = bring_tile(coding, array, &walk, slot);
        w->next = put_tile(coding, &tile, w->next); /* whole bytes: nothing is held */
    }
    zti_ll_give_slot(slot);
}

/* ---- and back ---- */

/* What a tile is decoded from. */
struct source {
    struct zti_ll_front front;
    struct zti_ans_mixed codes;
    struct zti_bit_reader open, rest;
};

/* Whether a part was taken to its end. */
static bool is_taken(const struct zti_bit_reader *r)
{
    return r->at <= r->end && r->end - r->at < 8;
}

/* Find a tile's parts in bytes that are all of it but the first number. */
static bool open_parts(const struct zti_coding *coding, const struct tile *tile,
                       struct zti_cursor *c, struct source *from)
{
    const uint64_t front = zti_take_varint(c), codes = zti_take_varint(c);
    const uint64_t open = zti_take_varint(c);
    struct zti_bit_reader r = {.base = zti_take_bytes(c, front), .end = front * 8};
    struct zti_bit_reader in = {.base = zti_take_bytes(c, codes), .end = codes * 8};
    from->open = (struct zti_bit_reader){.base = zti_take_bytes(c, open), .end = open * 8};
    from->rest = (struct zti_bit_reader){.base = c->at, .end = zti_cursor_left(c) * 8};
    if (c->is_bad)
        return false;
    for (uint32_t k = 0; k < ZTI_LL_MODELS; k++)
        zti_ans_place(tile->slot->model[k].decode, ZTI_LL_ALPHABET, &tile->slot->model[k]);
    return zti_ll_take_front(coding, &tile->s, &r, tile->slot, &from->front) && is_taken(&r) &&
           zti_ans_mixed_open(&from->codes, &in, states_of(&tile->s));
}

/* The symbols of a row, its marks and magnitudes. */
static void take_symbols(const struct tile *tile, const struct part *part, struct source *from,
                         const struct row *row, const uint32_t *const *tables, uint8_t *symbol)
{
    struct zti_ll_slot *const slot = tile->slot;
    const struct zti_ll_transform *const t = &from->front.t;
    const struct zti_ll_near near = ll_near(&tile->s, row->number, t->has_rows ? t->source : NULL);
    const uint32_t most = near.count > 0 ? row->width : ZTI_LL_PIECE;
    uint8_t *const model = slot->codes;
    for (uint32_t i = 0, n; i < row->width; i += n) {
        n = row->width - i < most ? row->width - i : most;
        find_row_contexts(tile, part, t, row, &near, i, n, slot->contexts);
        for (uint32_t k = 0; k < n; k++)
            model[k] = from->front.model_of[slot->contexts[k]];
        TAKE_CODES(&from->codes, tables, model, n, symbol + i);
        symbols_to_magnitudes(tile, from->front.has_signs, t->has_marks, symbol + i, slot->means, n,
                              part->marks + row->cell + i, part->magnitudes + row->cell + i);
    }
    end_row(&tile->s, row, part->magnitudes, part->marks);
}

static bool take_rows(const struct tile *tile, struct source *from)
{
    struct zti_ll_slot *const slot = tile->slot;
    const struct zti_ll_shape *const s = &tile->s;
    const struct part part = whole_of(tile);
    const struct zti_ll_transform *const t = &from->front.t;
    const uint32_t *tables[ZTI_LL_MODELS];
    for (uint32_t k = 0; k < ZTI_LL_MODELS; k++)
        tables[k] = slot->model[k].decode;
    for (uint32_t number = 0; number < s->rows; number++) {
        const struct row row = row_of(s, t, &from->front.p, number);
        const uint32_t slice = t->kind == ZTI_LL_LATTICE ? slice_of(tile, &part, number) : 0;
        take_symbols(tile, &part, from, &row, tables, slot->symbols);
        take_residuals(from->front.has_signs, slot->symbols, t->has_marks, row.width, &from->open,
                       slot->residuals);
        set_margin_before(s, slot->keys, number);
        residuals_to_row(s, t, &row, slot->keys, slot->marks, slot->sums, slot->residuals);
        set_margin_behind(s, slot->keys, number);
        keys_to_row(tile, t, slice, (const key *)slot->keys + row.cell, slot->marks + row.cell,
                    row.width, (value *)slot->values + (size_t)number * s->width, &from->rest);
    }
    return zti_ans_mixed_ends(&from->codes) && is_taken(&from->open) && is_taken(&from->rest);
}

/* A tile's bytes, of which the first is taken, to its values in C order; NULL: they are none. */
static const value *take_tile(const struct zti_coding *coding, const struct tile *tile,
                              struct zti_cursor *c)
{
    struct source from;
    if (!open_parts(coding, tile, c, &from) || !take_rows(tile, &from))
        return NULL;
    if (!tile->s.is_lanes)
        return tile->slot->values;
    from_lanes(&tile->s, tile->slot->values, (value *)(void *)tile->slot->all);
    return (const value *)(void *)tile->slot->all;
}

/* The bytes of a tile, as a cursor over what is behind its first number; *is_raw: its values. */
static struct zti_cursor tile_bytes(const struct zti_bit_reader *r, size_t raw_bytes, bool *is_raw)
{
    struct zti_cursor c = {.at = r->base + r->at / 8, .end = r->base + r->end / 8};
    const uint8_t kind = zti_take_byte(&c);
    *is_raw = kind == ZTI_LL_RAW;
    c.is_bad = c.is_bad || (kind != ZTI_LL_RAW && kind != ZTI_LL_CODED);
    const uint64_t bytes = *is_raw ? raw_bytes : zti_take_varint(&c);
    const uint8_t *const at = zti_take_bytes(&c, bytes);
    c.is_bad = c.is_bad || bytes > raw_bytes;
    if (!c.is_bad) {
        c.at = at;
        c.end = at + bytes;
    }
    return c;
}

static void decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                   uint64_t last, const struct zti_view *view)
{
    struct zti_ll_slot *const slot = view ? zti_ll_take_slot(coding->model) : NULL;
    struct zti_walk walk = zti_walk_from(&coding->grid, first);
    for (; walk.tile < last && r->at <= r->end; zti_walk_next(&coding->grid, &walk)) {
        const struct place place = place_of(coding, &walk);
        const struct tile tile = tile_of(coding, &place, slot);
        bool is_raw;
        struct zti_cursor c = tile_bytes(r, tile.s.values * sizeof(value), &is_raw);
        const uint8_t *const end = c.end;
        const value *values = NULL;
        if (!c.is_bad && view && is_raw) {
            take_values(c.at, tile.s.values, slot->values);
            values = slot->values;
        } else if (!c.is_bad && view) {
            values = take_tile(coding, &tile, &c);
        }
        if (values)
            scatter(view, &place, values);
        if (values || (!c.is_bad && !view))
            r->at = (uint64_t)(end - r->base) * 8;
        else
            r->at = r->end + 1; /* as if it were cut short: exec refuses it */
    }
    if (slot)
        zti_ll_give_slot(slot);
}

/* ---- before the first tile ---- */

static void learn(const struct zti_coding *coding, const struct zti_array *array, uint64_t number,
                  struct zti_ll_slot *slot, struct zti_ll_known *known)
{
    const struct zti_walk walk = zti_walk_from(&coding->grid, number);
    const struct tile tile = bring_tile(coding, array, &walk, slot);
    struct choice best;
    choose(&tile, &best);
    known->parts[best.t.kind] |= 1u << best.t.part;
    known->has_rows |= best.t.has_rows;
    known->has_differences |= best.is_close || !has_weights(&best.p);
}

static bool repeats_far(const struct zti_coding *coding, const struct zti_array *array,
                        struct zti_ll_slot *slot)
{
    struct place place = {.origin = {0}};
    struct zti_ll_transform t = {.has_rows = false};
    uint32_t far = 0;
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        place.extent[i] = coding->grid.side[i];
    const struct tile tile = tile_of(coding, &place, slot);
    gather(array, &place, slot->values);
    if (!find_rows(&tile, slot->values, &t))
        return false;
    const uint32_t rows = tile.s.rows, near = ZTI_LL_VALUES / tile.s.width;
    for (uint32_t row = 0; row < rows; row++)
        far += t.source[row] >= 0 && row - (uint32_t)t.source[row] > near;
    return far * 8 > rows;
}
