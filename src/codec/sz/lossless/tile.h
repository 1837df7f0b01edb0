/* tile.h: kernel text: a tile to bytes and back.
 *
 *     u8, varint   large_tile.h
 *     varints  bytes of the first three parts
 *     front    front.c, and the tables of the models
 *     codes    symbols, an ANS stream (entropy/ans/mixed.h)
 *     open     bits that symbols leave open
 *     rest     bits that the transform leaves open, and values that have no key
 */

/* ---- values ---- */

static void gather_row(const value *from, int64_t stride, uint32_t n, value *to)
{
    if (stride == 1)
        memcpy(to, from, n * sizeof *to);
    else
        for (uint32_t i = 0; i < n; i++)
            to[i] = from[(int64_t)i * stride];
}

static void scatter_row(const value *from, uint32_t n, int64_t stride, value *to)
{
    if (stride == 1)
        memcpy(to, from, n * sizeof *to);
    else
        for (uint32_t i = 0; i < n; i++)
            to[(int64_t)i * stride] = from[i];
}

/* The values of a box of an array, or the numbers of their multiples, in C order; false: one has no
 * multiple within the bound. */
static bool gather(const struct zti_coding *coding, const struct zti_array *array,
                   const struct place *place, value *to)
{
    const uint32_t last = array->rank - 1, n = place->extent[last];
    const int64_t stride = array->stride[last];
    uint64_t at[ZT_MAX_RANK];
    bool is_good = true;
    memcpy(at, place->origin, sizeof at);
    for (;;) {
        const void *const from = zti_array_at(array, at);
        if (ll_is_of_multiples(coding))
            is_good &= quantize_row(coding, from, stride, n, to);
        else
            gather_row(from, stride, n, to);
        to += n;
        uint32_t axis = last;
        while (axis > 0 && ++at[axis - 1] == place->origin[axis - 1] + place->extent[axis - 1]) {
            at[axis - 1] = place->origin[axis - 1];
            axis--;
        }
        if (axis == 0)
            return is_good;
    }
}

/* The same, backwards: what a view has of the values of a tile. */
static void scatter(const struct zti_coding *coding, const struct zti_view *view,
                    const struct place *place, const value *from)
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
        void *const out = zti_array_at(&view->out, to);
        const uint32_t n = (uint32_t)(hi[last] - lo[last]);
        if (ll_is_of_multiples(coding))
            dequantize_row(coding, from + first, n, view->out.stride[last], out);
        else
            scatter_row(from + first, n, view->out.stride[last], out);
        uint32_t axis = last;
        while (axis > 0 && ++at[axis - 1] == hi[axis - 1]) {
            at[axis - 1] = lo[axis - 1];
            axis--;
        }
        if (axis == 0)
            return;
    }
}

/* The values of a box, if an array has them as they are wanted: one after another, in C order. */
static value *values_in_place(const struct zti_coding *coding, const struct zti_array *array,
                              const struct place *place, const uint64_t *at)
{
    int64_t stride = 1;
    if (ll_is_of_multiples(coding))
        return NULL;
    for (uint32_t i = array->rank; i-- > 0; stride *= place->extent[i])
        if (place->extent[i] > 1 && array->stride[i] != stride)
            return NULL;
    return zti_array_at(array, at);
}

/* Values in C order are moved to the order of coding, and back: to rows of lanes, where lanes with
 * one value more come first, or to rows along other axes. */
ZTI_INLINE bool is_reordered(const struct zti_ll_shape *s)
{
    return s->is_lanes || s->is_turned;
}

static void to_turned(const struct zti_ll_shape *s, const value *from, value *to)
{
    for (uint32_t number = 0; number < s->rows; number++) {
        const value *const row = from + ll_turned_row(s, number);
        for (size_t x = 0; x < s->width; x++)
            *to++ = row[x * s->step[3]];
    }
}

static void from_turned(const struct zti_ll_shape *s, const value *from, value *to)
{
    for (uint32_t number = 0; number < s->rows; number++) {
        value *const row = to + ll_turned_row(s, number);
        for (size_t x = 0; x < s->width; x++)
            row[x * s->step[3]] = *from++;
    }
}

/* Values of lanes to rows, or back. Some lanes are moved together: in a row their values fill a
 * cache line. */
ZTI_INLINE void move_lanes(const struct zti_ll_shape *s, bool is_back, const value *from, value *to)
{
    enum { MOST = 64 / sizeof(value) };
    const uint32_t length = s->values / s->width, more = s->values % s->width;
    const uint32_t n = s->width < MOST ? s->width : MOST; /* both are powers of two */
    for (uint32_t lane = 0; lane < s->width; lane += n) {
        uint32_t begin[MOST];
        for (uint32_t k = 0; k < n; k++)
            begin[k] = ll_place_in_order(s, lane + k); /* of the first row */
        for (uint32_t i = 0; i <= length; i++) {
            const uint32_t left = lane < more ? more - lane : 0;
            const uint32_t some = i < length ? n : left < n ? left : n;
            const size_t row = (size_t)i * s->width + lane;
            for (uint32_t k = 0; k < some; k++) {
                const size_t place = (size_t)begin[k] + i;
                to[is_back ? place : row + k] = from[is_back ? row + k : place];
            }
        }
    }
}

static void to_coding(const struct zti_ll_shape *s, const value *from, value *to)
{
    if (s->is_lanes)
        move_lanes(s, false, from, to);
    else
        to_turned(s, from, to);
}

static void from_coding(const struct zti_ll_shape *s, const value *from, value *to)
{
    if (s->is_lanes)
        move_lanes(s, true, from, to);
    else
        from_turned(s, from, to);
}

/* ---- to bytes ---- */

/* What a tile's parts take. */
struct sizes {
    uint64_t front_bits, open_bits, rest_bits;
};

/* Models of contexts of rows that repeat rows, or of others. */
static void find_model_numbers(const struct zti_ll_front *front, bool is_repeat,
                               const uint16_t *context, uint32_t n, uint8_t *model)
{
    if (is_repeat)
        look_up(front->model_of + ZTI_LL_REPEATS, 2, ZTI_LL_REPEATS, context, n, model);
    else if (front->t.has_marks)
        look_up(front->model_of, 3, 0, context, n, model);
    else
        look_up(front->model_of, 2, 0, context, n, model);
}

/* The models that contexts come to, given how often these occur, and the encoder's table; front has
 * the models. */
static void make_models(const struct tile *tile, const uint32_t *count, struct zti_ll_front *front,
                        struct sizes *sizes)
{
    struct zti_ll_slot *const slot = tile->slot;
    const struct zti_ans_model *of[ZTI_LL_MODELS];
    uint64_t cost;
    front->models = find_models(tile, count, tile->s.values, front->model_of, &cost);
    sizes->front_bits = zti_ll_encode_front(tile->type, &tile->s, front, NULL);
    for (uint32_t k = 0; k < front->models; k++) {
        uint64_t all[ZTI_LL_ALPHABET];
        for (uint32_t i = 0; i < ZTI_LL_ALPHABET; i++)
            all[i] = slot->counts[0][k][i];
        zti_ans_place(slot->model[k].decode, ZTI_LL_ALPHABET, &slot->model[k]);
        zti_ans_make_quickly(all, ZTI_TILE_PRECISIONS, &slot->model[k]);
        sizes->front_bits += zti_ans_stored_bits(&slot->model[k]);
        of[k] = &slot->model[k];
    }
    zti_ans_mixed_fill(of, front->models, &slot->table);
}

/* Symbols in their models. Returns the stream's bytes, which end with those for a tile's codes. */
static const uint8_t *code_symbols(const struct tile *tile, const struct zti_ll_front *front)
{
    struct zti_ll_slot *const slot = tile->slot;
    const uint32_t n = tile->s.values;
    uint8_t *const model = slot->codes + zti_ans_mixed_bytes(n);
    if (front->t.has_rows)
        look_up(front->model_of, ZTI_LL_TABLE / 128, 0, slot->contexts, n, model);
    else
        find_model_numbers(front, false, slot->contexts, n, model);
    return PUT_CODES(&slot->table, model, slot->symbols, n, ll_states(tile->s.values), slot->codes);
}

static void write_front(const struct tile *tile, const struct zti_ll_front *front, uint8_t *to)
{
    struct zti_bit_writer w = zti_bit_writer_at(to);
    (void)zti_ll_encode_front(tile->type, &tile->s, front, &w);
    for (uint32_t k = 0; k < front->models; k++)
        zti_ans_write(&tile->slot->model[k], &w);
}

static uint8_t *write_open_parts(const struct tile *tile, const struct zti_ll_front *front,
                                 const struct sizes *sizes, uint8_t *to)
{
    struct zti_ll_slot *const slot = tile->slot;
    struct zti_bit_writer w = zti_bit_writer_at(to);
    encode_residuals(front->has_signs, slot->residuals, tile->s.values, &w);
    to += bytes_of(sizes->open_bits);
    w = zti_bit_writer_at(to);
    struct opens opens;
    make_opens(&front->t, &opens);
    for (uint32_t row = 0; row < tile->s.rows; row++)
        write_open(&front->t, &opens, tile->values + (size_t)row * tile->s.width,
                   slot->marks + ll_cell(&tile->s, row), ll_width(&tile->s, row), &w);
    return to + bytes_of(sizes->rest_bits);
}

static struct zti_ll_coded coded_of(const struct sizes *sizes, size_t code_bytes, size_t most)
{
    return (struct zti_ll_coded){.most = most,
                                 .front_bytes = bytes_of(sizes->front_bits),
                                 .code_bytes = code_bytes,
                                 .open_bytes = bytes_of(sizes->open_bits),
                                 .rest_bytes = bytes_of(sizes->rest_bits)};
}

/* Whether what symbols and the transform leave open is as much as a raw tile. */
static bool is_too_much(const struct sizes *sizes, size_t most)
{
    return bytes_of(sizes->rest_bits) + bytes_of(sizes->open_bits) >= most;
}

/* Write a tile's bytes and return their end, or NULL where they are no fewer than 'most', as a raw
 * tile has. */
static uint8_t *encode_tile(const struct tile *tile, size_t most, uint8_t *to)
{
    const struct part whole = whole_of(tile);
    const uint32_t n = tile->s.values;
    struct zti_ll_front front = {.models = 0};
    struct sizes sizes = {.front_bits = 0};
    uint32_t count[ZTI_LL_CONTEXTS];
    struct choice best;
    choose(tile, &best);
    front.t = best.t;
    front.p = best.p;
    sizes.rest_bits =
        best.has_keys ? best.rest_bits : make_keys(tile, &whole, &front.t, &front.t.has_marks);
    front.has_signs = ll_have_signs(make_residuals(tile, &whole, &front.t, &front.p));
    sizes.open_bits = make_symbols(tile, &whole, &front.t, front.has_signs, tile->slot->symbols,
                                   tile->slot->contexts);
    if (is_too_much(&sizes, most))
        return NULL;
    count_contexts(tile->slot->contexts, n, count);
    make_models(tile, count, &front, &sizes);
    const uint8_t *const codes = code_symbols(tile, &front);
    const size_t code_bytes = (size_t)(tile->slot->codes + zti_ans_mixed_bytes(n) - codes);
    const struct zti_ll_coded coded = coded_of(&sizes, code_bytes, most);
    const size_t head_bytes = zti_ll_begin_tile(&coded, to);
    if (head_bytes == 0)
        return NULL;
    to += head_bytes;
    write_front(tile, &front, to);
    to += coded.front_bytes;
    memcpy(to, codes, code_bytes);
    return write_open_parts(tile, &front, &sizes, to + code_bytes);
}

/* The same by kernels, which write the tile's bytes; false: a raw tile takes no more. A tile that
 * is compared as a whole is in the host's memory too, where its transform is chosen. */
static bool encode_far(const struct tile *tile, size_t most)
{
    struct zti_ll_kernels *const k = tile->kernels;
    struct zti_ll_slot *const slot = tile->slot;
    struct zti_ll_front front = {.models = 0};
    struct sizes sizes = {.front_bits = 0};
    struct choice best;
    choose(tile, &best);
    front.t = best.t;
    front.p = best.p;
    sizes.rest_bits = best.has_keys && is_far(tile) ? best.rest_bits
                                                    : k->make_keys(k, &front.t, &front.t.has_marks);
    sizes.open_bits = k->make_symbols(k, &front.t, &front.p, &front.has_signs);
    if (k->has_failed || is_too_much(&sizes, most))
        return false;
    make_models(tile, far_counts(tile), &front, &sizes);
    if (k->has_failed)
        return false;
    const struct zti_ll_coded coded = coded_of(&sizes, 0, most);
    const struct zti_ll_table table = {slot->table.entry,
                                       zti_ans_mixed_table_bytes(front.models, front.models)};
    write_front(tile, &front, k->front);
    k->finish(k, &coded, front.model_of, &table);
    return true;
}

static struct tile tile_of(const struct zti_coding *coding, const struct place *place,
                           struct zti_ll_slot *slot)
{
    const struct zti_ll *const model = coding->model;
    return (struct tile){.tables = &model->tables,
                         .known = &model->known,
                         .slot = slot,
                         .type = ll_coded_type(coding),
                         .s = ll_shape(coding->grid.rank, place->extent)};
}

/* The values of a tile, or the numbers of their multiples, in the order of coding. */
static struct tile bring_tile(const struct zti_coding *coding, const struct zti_array *array,
                              const struct place *place, struct zti_ll_slot *slot)
{
    struct tile tile = tile_of(coding, place, slot);
    const value *in_order = values_in_place(coding, array, place, place->origin);
    if (!in_order) {
        value *const all = is_reordered(&tile.s) ? (value *)(void *)slot->all : slot->values;
        tile.is_beyond = !gather(coding, array, place, all);
        in_order = all;
    }
    tile.values = in_order;
    if (is_reordered(&tile.s)) {
        to_coding(&tile.s, in_order, slot->values);
        tile.values = slot->values;
    }
    return tile;
}

static void encode(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *w)
{
    struct zti_ll_slot *const slot = zti_ll_claim_slot(coding->model);
    struct zti_walk walk = zti_walk_from(&coding->grid, first);
    for (; walk.tile < last; zti_walk_next(&coding->grid, &walk)) {
        const struct place place = place_of(coding, &walk);
        const struct tile tile = bring_tile(coding, array, &place, slot);
        const size_t most = (size_t)tile.s.values * zt_type_bytes(coding->type);
        uint8_t *const end = tile.is_beyond ? NULL : encode_tile(&tile, most, w->next);
        /* whole bytes: the writer holds nothing */
        w->next = end ? end : write_raw_tile(array, &place, w->next);
    }
    zti_ll_release_slot(slot);
}

/* Code a tile by kernels, on the calling thread. Where choosing looks at all values, because they
 * are few, these are copied. */
static void encode_by(struct zti_ll_kernels *kernels, const struct zti_coding *coding,
                      const uint64_t *origin, const uint32_t *extent)
{
    struct zti_ll_slot *const slot = zti_ll_claim_slot(coding->model);
    struct place place = {.extent = {1, 1, 1, 1}};
    memcpy(place.origin, origin, coding->grid.rank * sizeof *origin);
    memcpy(place.extent, extent, coding->grid.rank * sizeof *extent);
    struct tile tile = tile_of(coding, &place, slot);
    const uint32_t n = tile.s.values;
    tile.kernels = kernels;
    tile.is_beyond = !kernels->bring(kernels, origin, extent, &tile.s);
    if (n <= ZTI_LL_WHOLE && !tile.is_beyond) {
        (void)sample_values(&tile, 0, 1, n, slot->values);
        tile.values = slot->values;
    }
    if (tile.is_beyond || !encode_far(&tile, (size_t)n * zt_type_bytes(coding->type)))
        kernels->put_raw(kernels);
    zti_ll_release_slot(slot);
}

/* ---- and back ---- */

/* What a tile is decoded from. */
struct source {
    struct zti_ll_front front;
    struct zti_ans_mixed codes;
    struct zti_bit_reader open, rest;
    struct steps steps;
    struct lengths lengths;
    const uint32_t *tables[ZTI_LL_MODELS];
    struct near_rows near_rows;
};

/* Whether a part was read to its end. */
static bool is_at_end(const struct zti_bit_reader *r)
{
    return r->at <= r->end && r->end - r->at < 8;
}

/* Find a tile's parts in bytes that are all of it but the first number. */
static bool open_parts(const struct tile *tile, struct zti_cursor *c, struct source *from)
{
    const uint64_t front = zti_get_varint(c), codes = zti_get_varint(c);
    const uint64_t open = zti_get_varint(c);
    struct zti_bit_reader r = {.base = zti_get_bytes(c, front), .end = front * 8};
    struct zti_bit_reader in = {.base = zti_get_bytes(c, codes), .end = codes * 8};
    from->open = (struct zti_bit_reader){.base = zti_get_bytes(c, open), .end = open * 8};
    from->rest = (struct zti_bit_reader){.base = c->at, .end = zti_cursor_left(c) * 8};
    if (c->is_bad)
        return false;
    for (uint32_t k = 0; k < ZTI_LL_MODELS; k++)
        zti_ans_place(tile->slot->model[k].decode, ZTI_LL_ALPHABET, &tile->slot->model[k]);
    return zti_ll_decode_front(tile->type, &tile->s, &r, tile->slot, &from->front) &&
           is_at_end(&r) && zti_ans_mixed_open(&from->codes, &in, ll_states(tile->s.values));
}

/* The symbols of a row, its marks and codes. */
static void read_symbols(const struct tile *tile, const struct part *part, struct source *from,
                         const struct row *row, uint8_t *symbol)
{
    struct zti_ll_slot *const slot = tile->slot;
    const struct zti_ll_transform *const t = &from->front.t;
    const struct zti_ll_near *const near = near_of(&from->near_rows, &tile->s, t, row);
    const uint32_t most = near->rows > 0 ? row->width : ZTI_LL_PIECE;
    uint8_t *const model = slot->codes;
    for (uint32_t i = 0, n; i < row->width; i += n) {
        n = row->width - i < most ? row->width - i : most;
        find_row_contexts(tile, part, t, row, near, i, n, slot->contexts);
        find_model_numbers(&from->front, row->source >= 0, slot->contexts, n, model);
        TAKE_CODES(&from->codes, from->tables, model, n, symbol + i);
        symbols_to_codes(from->front.has_signs, t->has_marks, symbol + i, slot->means, n,
                         part->marks + row->cell + i, part->codes + row->cell + i);
    }
    end_row(&tile->s, row, t->has_marks, part->codes, part->marks);
}

#if defined(ZTI_WITH_AVX2)
/* How many rows, from a row on, are predicted alike by weights and decoded side by side. */
ZTI_INLINE uint32_t rows_of_block(const struct zti_ll_shape *s, const struct zti_ll_transform *t,
                                  const struct zti_ll_predictor *p, const struct row *row)
{
    const struct zti_ll_taps *const taps = &p->taps[row->regime];
    uint32_t n = 0;
    if (!row->has_weights || s->is_lanes || !(row->regime & 1) || taps->before == 0 ||
        taps->own == 0)
        return 1;
    const uint32_t left = s->dim[2] - (uint32_t)ll_place(s, row->number).y;
    const uint32_t most = left < WAVE_ROWS ? left : WAVE_ROWS;
    while (n < most && !(t->has_rows && t->source[row->number + n] >= 0))
        n++;
    return n < WAVE_LEAST ? 1 : n;
}

static bool residuals_to_block(const struct tile *tile, const struct zti_ll_predictor *p,
                               bool has_marks, const struct row *row, uint32_t n, key *k,
                               const key *residual)
{
    if (n == 1)
        return false;
    struct wave w = {.s = &tile->s, .rows = n, .has_marks = has_marks};
    if (!open_wave(&w, p, row, tile->slot->wave))
        return false;
    residuals_to_rows(&w, k, tile->slot->marks, row, residual);
    return true;
}
#else
ZTI_INLINE uint32_t rows_of_block(const struct zti_ll_shape *s, const struct zti_ll_transform *t,
                                  const struct zti_ll_predictor *p, const struct row *row)
{
    (void)s;
    (void)t;
    (void)p;
    (void)row;
    return 1;
}

static bool residuals_to_block(const struct tile *tile, const struct zti_ll_predictor *p,
                               bool has_marks, const struct row *row, uint32_t n, key *k,
                               const key *residual)
{
    (void)tile;
    (void)p;
    (void)has_marks;
    (void)row;
    (void)n;
    (void)k;
    (void)residual;
    return false;
}
#endif

/* Keys of n rows from their residuals. */
static void read_keys(const struct tile *tile, struct source *from, struct rows *rows,
                      const struct row *row, uint32_t n)
{
    const struct zti_ll_shape *const s = &tile->s;
    struct zti_ll_slot *const slot = tile->slot;
    const struct zti_ll_transform *const t = &from->front.t;
    key *const k = slot->keys;
    const key *const residual = slot->residuals;
    const uint32_t first = row->number;
    const bool is_done =
        residuals_to_block(tile, &from->front.p, t->has_marks, row, n, k, residual);
    for (uint32_t i = 0; i < n; i++) {
        const struct row own = is_done || i == 0 ? *row : row_of(rows, first + i);
        set_margin_before(s, k, first + i);
        if (!is_done)
            residuals_to_row(s, t, &own, k, slot->marks, slot->sums,
                             residual + (size_t)i * s->width);
        set_margin_behind(s, k, first + i);
    }
}

static bool decode_rows(const struct tile *tile, struct source *from, value *values)
{
    struct zti_ll_slot *const slot = tile->slot;
    const struct zti_ll_shape *const s = &tile->s;
    const struct part part = whole_of(tile);
    const struct zti_ll_transform *const t = &from->front.t;
    struct rows rows;
    from->near_rows.known = 0;
    for (uint32_t k = 0; k < ZTI_LL_MODELS; k++)
        from->tables[k] = slot->model[k].decode;
    make_steps(from->front.has_signs, t->has_marks, &from->steps);
    make_lengths(t, &from->lengths);
    open_rows(&rows, s, t, &from->front.p);
    for (uint32_t number = 0, n; number < s->rows; number += n) {
        const struct row row = row_of(&rows, number);
        n = rows_of_block(s, t, &from->front.p, &row);
        for (uint32_t i = 0; i < n; i++) {
            const struct row own = i == 0 ? row : row_at(s, t, number + i);
            read_symbols(tile, &part, from, &own, slot->symbols);
            decode_residuals(from->front.has_signs, t->has_marks, &from->steps, slot->symbols,
                             own.width, &from->open, (key *)slot->residuals + (size_t)i * s->width);
        }
        read_keys(tile, from, &rows, &row, n);
        for (uint32_t i = number; i < number + n; i++) {
            const uint32_t slice = t->kind == ZTI_LL_LATTICE ? slice_of(tile, &part, i) : 0;
            const size_t cell = ll_cell(s, i);
            keys_to_row(tile, t, &from->lengths, slice, (const key *)slot->keys + cell,
                        slot->marks + cell, ll_width(s, i), values + (size_t)i * s->width,
                        &from->rest);
        }
    }
    return zti_ans_mixed_ends(&from->codes) && is_at_end(&from->open) && is_at_end(&from->rest);
}

/* A tile's bytes behind its first to its values in C order; false: they are none. */
static bool decode_tile(const struct tile *tile, struct zti_cursor *c, value *to)
{
    struct source from;
    value *const values = is_reordered(&tile->s) ? tile->slot->values : to;
    if (!open_parts(tile, c, &from) || !decode_rows(tile, &from, values))
        return false;
    if (is_reordered(&tile->s))
        from_coding(&tile->s, values, to);
    return true;
}

/* Where a view has all values of a tile, one after another; NULL: it has not. */
static value *tile_in_view(const struct zti_coding *coding, const struct zti_view *view,
                           const struct place *place)
{
    uint64_t at[ZT_MAX_RANK];
    for (uint32_t i = 0; i < view->out.rank; i++) {
        if (view->lo[i] > place->origin[i] || view->hi[i] < place->origin[i] + place->extent[i])
            return NULL;
        at[i] = place->origin[i] - view->lo[i];
    }
    return values_in_place(coding, &view->out, place, at);
}

/* Decode a tile's bytes into a view. */
static bool decode_into(const struct zti_coding *coding, const struct tile *tile,
                        const struct place *place, struct zti_cursor *c, bool is_raw,
                        const struct zti_view *view)
{
    struct zti_ll_slot *const slot = tile->slot;
    value *const in_place = tile_in_view(coding, view, place);
    value *const aside = is_reordered(&tile->s) ? (value *)(void *)slot->all : slot->values;
    value *const to = in_place ? in_place : aside;
    if (is_raw)
        scatter_raw_tile(view, place, c->at);
    else if (!decode_tile(tile, c, to))
        return false;
    else if (!in_place)
        scatter(coding, view, place, to);
    return true;
}

static void decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                   uint64_t last, const struct zti_view *view)
{
    struct zti_ll_slot *const slot = view ? zti_ll_claim_slot(coding->model) : NULL;
    struct zti_walk walk = zti_walk_from(&coding->grid, first);
    for (; walk.tile < last && r->at <= r->end; zti_walk_next(&coding->grid, &walk)) {
        const struct place place = place_of(coding, &walk);
        const struct tile tile = tile_of(coding, &place, slot);
        bool is_raw;
        struct zti_cursor c =
            tile_bytes(r, (size_t)tile.s.values * zt_type_bytes(coding->type), &is_raw);
        const uint8_t *const end = c.end;
        if (!c.is_bad && (!view || decode_into(coding, &tile, &place, &c, is_raw, view)))
            r->at = (uint64_t)(end - r->base) * 8;
        else
            r->at = r->end + 1; /* as if it were cut short: exec refuses it */
    }
    if (slot)
        zti_ll_release_slot(slot);
}

/* ---- before the first tile ---- */

/* The place of a tile that has an array of its own. */
static struct place place_of_own(const struct zti_array *array)
{
    struct place place = {.extent = {1, 1, 1, 1}};
    for (uint32_t i = 0; i < array->rank; i++)
        place.extent[i] = (uint32_t)array->shape[i];
    return place;
}

static void learn(const struct zti_coding *coding, const struct zti_array *array,
                  struct zti_ll_slot *slot, struct zti_ll_known *known)
{
    const struct place place = place_of_own(array);
    struct tile tile = bring_tile(coding, array, &place, slot);
    struct choice best;
    uint64_t fill;
    tile.is_sample = true;
    choose(&tile, &best);
    const bool has_fill = find_fill(&tile, &fill);
    known->with_fill |= !has_fill || best.t.has_fill;
    known->without_fill |= !has_fill || !best.t.has_fill;
    known->parts[best.t.kind] |= 1u << best.t.part;
    known->has_rows |= best.t.has_rows;
    known->has_weights |= !best.is_close && has_weights(&best.p);
    known->has_differences |= !best.is_close && !has_weights(&best.p);
    known->weights += has_weights(&best.p);
    known->tiles++;
    known->axes = best.p.axes;
}

/* Count values of a row, those of one hash in 2^FAR_BITS: all, and those that were more than so
 * many rows before. */
enum { FAR_BITS = 5, FAR_PLACES_BITS = 16 };

static void count_far(const value *v, uint32_t width, value sign, uint32_t row, uint32_t near,
                      struct at *place, uint32_t *column, uint64_t *all, uint64_t *far)
{
    const uint32_t n = select_columns(v, width, sign, FAR_BITS, true, column);
    for (uint32_t i = 0; i < n; i++) {
        const value *const own = v + column[i];
        const uint64_t hash = hash_of_pair(own[0] & ~sign, own[-1] & ~sign);
        struct at *const at = &place[hash << FAR_BITS >> (64 - FAR_PLACES_BITS)];
        const uint32_t rest = (uint32_t)hash;
        *far += (at->row >= 0) & (at->x == rest) & (row - (uint32_t)at->row > near);
        *at = (struct at){(int32_t)row, rest};
    }
    *all += n;
}

static void look_far(const struct zti_coding *coding, const struct zti_array *array,
                     struct zti_ll_slot *slot, struct zti_ll_far *far)
{
    const value sign = zti_is_float(ll_coded_type(coding)) ? SIGN : 0;
    struct at *const place = (struct at *)(void *)slot->places;
    const struct place place_of_tile = place_of_own(array);
    const struct tile tile = bring_tile(coding, array, &place_of_tile, slot);
    const uint32_t width = tile.s.width, near = ZTI_LL_VALUES / width;
    for (size_t i = 0; far->rows == 0 && i < (size_t)1 << FAR_PLACES_BITS; i++)
        place[i].row = -1;
    for (uint32_t i = 0; i < tile.s.rows; i++)
        count_far(tile.values + (size_t)i * width, ll_width(&tile.s, i), sign, far->rows++, near,
                  place, tile.slot->sums, &far->all, &far->far);
}

static bool repeats_far(const struct zti_coding *coding, const struct zti_array *array,
                        struct zti_ll_slot *slot)
{
    const struct place place = place_of_own(array);
    struct zti_ll_transform t = {.has_rows = false};
    uint32_t far = 0;
    bool many;
    struct tile tile = tile_of(coding, &place, slot);
    tile.values = values_in_place(coding, array, &place, place.origin);
    if (!tile.values) {
        (void)gather(coding, array, &place, slot->values);
        tile.values = slot->values;
    }
    if (!find_rows(&tile, &t, &many))
        return false;
    const uint32_t rows = tile.s.rows, near = ZTI_LL_VALUES / tile.s.width;
    for (uint32_t row = 0; row < rows; row++)
        far += t.source[row] >= 0 && row - (uint32_t)t.source[row] > near;
    return far * 8 > rows;
}
