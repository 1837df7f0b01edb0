/* decode.h: kernel text: parts back to coefficients. Blocks that are parts are decoded some side by
 * side, each from its own codes: they do not wait for each other. */

/* What a tile is decoded from. */
struct source {
    struct zti_tf_slot *slot;
    struct zti_tf_front front;
    const uint32_t *table[ZTI_TF_CONTEXTS]; /* of each context's model */
    double step;
    bool has_all; /* the whole tile is wanted, else what its layout needs */
    atomic_bool is_bad;
#if defined(ZTI_WITH_AVX2)
    struct lane_tables lanes;
#endif
};

static void set_weights(struct zti_tf_slot *slot, uint32_t shift)
{
    for (uint32_t symbol = 0; symbol < ZTI_TF_SYMBOLS; symbol++)
        slot->weight[symbol] = weight_of((number)tf_least_magnitude(symbol), part_of_shift(shift));
}

static bool open_codes(const struct zti_tf_part *part, struct codes *codes)
{
    struct zti_bit_reader r = {.base = part->codes, .end = 8 * (uint64_t)part->code_bytes};
    struct zti_ans_mixed m;
    const bool is_good = zti_ans_mixed_open(&m, &r, ZTI_ANS_FEW);
    *codes = (struct codes){.base = part->codes, .at = m.r.at, .end = r.end};
    memcpy(codes->state, m.state, sizeof codes->state);
    return is_good;
}

/* Whether all codes were read, no bit beyond them, and all states are 0. */
static bool codes_end(const struct codes *c)
{
    return c->at == c->end && (c->state[0] | c->state[1] | c->state[2] | c->state[3]) == 0;
}

/* The next symbol, in a context. has_bits: at least 64 bits are left. */
ZTI_INLINE uint32_t decode_symbol(const uint32_t *const *table, struct codes *c, uint32_t context,
                                  bool has_bits)
{
    const struct zti_bit_reader r = {.base = c->base, .at = c->at, .end = c->end};
    uint64_t bits = has_bits ? zti_peek_bits(&r) : zti_peek_either(&r);
    const uint8_t symbol =
        zti_ans_mixed_step(table[context], &c->state[c->next % ZTI_ANS_FEW], &bits, &c->at);
    c->next++;
    return symbol;
}

/* The symbols of places of some blocks' rows. */
ZTI_INLINE void read_places(const struct source *from, const uint32_t *scale, uint32_t at,
                            uint32_t end, const struct lane_row *lane, uint32_t lanes,
                            struct row_weights w, bool has_bits)
{
    const uint16_t *const weight = from->slot->weight;
    for (uint32_t i = at; i < end; i++)
        for (uint32_t k = 0; k < lanes; k++) {
            const struct lane_row *const l = &lane[k];
            const uint32_t sum =
                l->sum[i] + w.one * l->cell[(ptrdiff_t)i - 1] + w.two * l->cell[(ptrdiff_t)i - 2];
            const uint32_t symbol =
                decode_symbol(from->table, l->codes, tf_context_of_one(sum, scale[i]), has_bits);
            l->symbol[i] = (uint8_t)symbol;
            l->cell[i] = weight[symbol];
        }
}

/* The symbols of a row of all blocks of a run. */
static void decode_row(const struct source *from, const struct cells *c, const uint32_t *scale,
                       const struct lane_row *lane, uint32_t lanes)
{
    const uint32_t n = c->extent[ZTI_TF_AXES - 1];
    const bool is_shared = lane[0].codes == lane[lanes - 1].codes;
    const uint32_t most_bits =
        64 + (is_shared ? lanes : 1) * (uint32_t)ZTI_TF_SEGMENT * ZTI_ANS_STATE_BITS;
    const struct row_weights w = row_weights_of(c);
    for (uint32_t at = 0, some; at < n; at += some) {
        struct lane_row active[ZTI_TF_DECODED_LANES];
        uint32_t count = 0;
        bool has_bits = true;
        some = tf_segment(n, at);
        for (uint32_t k = 0; k < lanes; k++) {
            const bool is_active =
                n < ZTI_TF_LEAST_ROW ||
                decode_symbol(
                    from->table, lane[k].codes,
                    tf_segment_context(segment_sum(w, lane[k].cell, lane[k].sum, at, some)), false);
            if (is_active) {
                active[count++] = lane[k];
            } else {
                memset(lane[k].symbol + at, 0, some);
                memset(lane[k].cell + at, 0, some * sizeof *lane[k].cell);
            }
            has_bits = has_bits && lane[k].codes->at + most_bits <= lane[k].codes->end;
        }
#if defined(ZTI_WITH_AVX2)
        if (has_bits && !is_shared && count >= LEAST_LANES && some >= ZTI_TF_LEAST_ROW) {
            read_lanes(&from->lanes, scale, at, at + some, active, count, w);
            continue;
        }
#endif
        if (has_bits && count == ZTI_TF_LANES)
            read_places(from, scale, at, at + some, active, ZTI_TF_LANES, w, true);
        else if (has_bits)
            read_places(from, scale, at, at + some, active, count, w, true);
        else
            read_places(from, scale, at, at + some, active, count, w, false);
    }
}

/* The symbols of some blocks of a run. last: the last magnitude of the run before in the same part,
 * or 0; returns the last magnitude of these. */
static uint32_t decode_run(const struct source *from, const struct zti_tf_worker *w,
                           const struct cells *cells, struct codes *const *codes, uint32_t lanes,
                           uint32_t last)
{
    const uint32_t n = cells->extent[ZTI_TF_AXES - 1];
    struct lane_row lane[ZTI_TF_DECODED_LANES];
    struct row row = {.at = {0}};
    struct scales scales;
    size_t at = 0;
    forget_scales(&scales);
    memset(w->cells, 0, (lanes * cells->all + ZTI_TF_BEFORE) * sizeof *w->cells);
    do {
        const size_t first = row_cell(cells, &row);
        const uint32_t plane = plane_of(cells, &row);
        set_scales(cells, &row, &scales);
        for (uint32_t k = 0; k < lanes; k++) {
            uint32_t *const sum = w->sums + (size_t)k * n;
            lane[k] = (struct lane_row){.sum = sum,
                                        .cell = w->cells + ZTI_TF_BEFORE + k * cells->all + first,
                                        .symbol = w->symbol[k] + at,
                                        .codes = codes[k]};
            sum_rows(cells, plane, lane[k].cell, sum);
            sum[0] += at == 0 ? last : 0;
        }
        decode_row(from, cells, scales.of, lane, lanes);
        at += n;
    } while (next_row(cells->extent, &row));
    return from->slot->weight[w->symbol[lanes - 1][at - 1]];
}

/* ---- open bits ---- */

#if IS_NARROW && defined(ZTI_WITH_AVX2)
/* read_open by vectors, up to the end of the stream or a long field. Returns how many. */
static uint32_t read_open_fields(struct zti_bit_reader *r, const uint8_t *symbol, uint32_t n,
                                 number *value)
{
    uint32_t i = 0;
    for (uint32_t some; i < n; i += some) {
        some = n - i < FIELDS ? n - i : FIELDS;
        const fields s = load_bytes(symbol + i) & first_fields(some);
        const fields is_open = (fields)((i_fields)s >= ZTI_TF_PLAIN_MAGNITUDES);
        const fields open = (((s - ZTI_TF_PLAIN_MAGNITUDES) >> 2) + 2) & is_open;
        const fields least = (s & ~is_open) | ((((s & 3) | 4) << open) & is_open);
        fields bits;
        if (!read_fields(r, &r->at, (open + 1) & (fields)(s != 0), &bits))
            break;
        const f32s m = __builtin_convertvector((i_fields)(least + (bits >> 1)), f32s);
        v_store_32(value + i, (fields)m | bits << 31);
    }
    return i;
}
#else
static uint32_t read_open_fields(struct zti_bit_reader *r, const uint8_t *symbol, uint32_t n,
                                 number *value)
{
    (void)r;
    (void)symbol;
    (void)n;
    (void)value;
    return 0;
}
#endif

/* Values whose symbols may have open bits, at most a segment: read a sign and those bits for each
 * that is not 0. Values behind the first n have no meaning. */
static void read_open(struct zti_bit_reader *r, const uint8_t *symbol, uint32_t n,
                      number *restrict value)
{
    for (uint32_t i = read_open_fields(r, symbol, n, value); i < n; i++) {
        const uint32_t open = tf_open_bits(symbol[i]);
        const uint64_t bits = zti_peek_either(r), low = bits >> 1 & ((UINT64_C(1) << open) - 1);
        const number m = (number)(tf_least_magnitude(symbol[i]) + low);
        r->at += symbol[i] > 0 ? open + 1 : 0;
        value[i] = symbol[i] > 0 && bits & 1 ? -m : m;
    }
}

/* read_open for at most a segment of values whose symbols are their magnitudes: signs only. Loops
 * have the length of a segment, so that they become vectors; values behind the first n have no
 * meaning. */
static void read_signs(struct zti_bit_reader *r, const uint8_t *restrict symbol, uint32_t n,
                       number *restrict value)
{
    uint8_t some[ZTI_TF_SEGMENT];
    for (uint32_t i = 0; i < ZTI_TF_SEGMENT; i++)
        some[i] = symbol[i] > 0;
    const uint64_t is_some = bits_of_marks(some, ZTI_TF_SEGMENT) & ((UINT64_C(1) << n) - 1);
    const uint32_t signs = (uint32_t)scatter_bits(zti_peek_either(r), is_some);
    for (uint32_t i = 0; i < ZTI_TF_SEGMENT; i++) {
        const int32_t m = symbol[i], sign = (int32_t)(signs >> i & 1);
        value[i] = (number)((m ^ -sign) + sign);
    }
    r->at += zti_popcount64(is_some);
}

/* The values of a row of a block. Symbols up to a segment behind the row are read, but not used. */
static void read_values_of_row(struct zti_bit_reader *r, const struct scale *s,
                               const uint8_t *symbol, uint32_t n, number *value)
{
    for (uint32_t at = 0, some; at < n; at += some) {
        number own[ZTI_TF_SEGMENT] = {0};
        uint32_t all = 0;
        some = n - at < ZTI_TF_SEGMENT ? n - at : (uint32_t)ZTI_TF_SEGMENT;
        for (uint32_t i = at; i < at + some; i++)
            all |= symbol[i];
        if (all >= ZTI_TF_PLAIN_MAGNITUDES)
            read_open(r, symbol + at, some, own);
        else
            read_signs(r, symbol + at, some, own);
        restore_row(s, ZTI_TF_SEGMENT, own);
        copy(value + at, own, some);
    }
}

/* The values of a block whose symbols are decoded. */
static void read_values(const struct source *from, const struct zti_tf_run *run, uint32_t lane,
                        const uint8_t *symbol, struct zti_bit_reader *open)
{
    const struct scale s = scale_of(&from->front, run->band, from->step);
    const uint32_t n = run->extent[ZTI_TF_AXES - 1];
    const struct zti_tf_layout *const layout = &from->slot->layout;
    number *const block = (number *)from->slot->values + run->at[lane];
    struct row row = {.at = {0}};
    struct ahead ahead = ahead_of(layout, run->extent, block);
    do {
        number *const value = block + row_value(layout, &row);
        prefetch_next(layout, run->extent, block, &ahead);
        read_values_of_row(open, &s, symbol, n, value);
        symbol += n;
    } while (next_row(run->extent, &row));
}

/* ---- items ---- */

/* Whether the view needs a block of a run. */
static bool is_needed(const struct source *from, const struct zti_tf_run *run, uint32_t lane)
{
    const struct zti_tf_layout *const layout = &from->slot->layout;
    size_t at = run->at[lane];
    for (uint32_t a = 0; a < ZTI_TF_AXES && !from->has_all; a++) {
        const struct zti_tf_need *const need = &layout->need[a];
        const uint32_t levels = run->band->levels[a];
        const bool is_high = run->band->is_high[a];
        const struct zti_tf_span *const s = is_high ? &need->high[levels - 1] : &need->low[levels];
        const uint32_t place = (uint32_t)(at / layout->stride[a]);
        const uint32_t first = place - (is_high ? need->length[levels] : 0);
        at %= layout->stride[a];
        if (first >= s->to || first + run->extent[a] <= s->from)
            return false;
    }
    return true;
}

static bool is_any_needed(const struct source *from, const struct zti_tf_item *item)
{
    struct zti_tf_walk walk = item->walk;
    struct zti_tf_run run;
    for (uint32_t i = 0; i < item->runs && zti_tf_next_run(&from->slot->layout, &walk, &run); i++)
        for (uint32_t lane = 0; lane < run.lanes; lane++)
            if (is_needed(from, &run, lane))
                return true;
    return false;
}

static struct zti_bit_reader open_of(const struct zti_tf_part *part)
{
    return (struct zti_bit_reader){.base = part->open, .end = 8 * (uint64_t)part->open_bytes};
}

static bool open_ends(const struct zti_bit_reader *open)
{
    return open->at <= open->end && open->end - open->at < 8;
}

/* Decode those blocks of one or two runs of the same extents that are needed; each block is a part.
 */
static bool decode_alone(const struct source *from, const struct zti_tf_worker *w,
                         const struct zti_tf_item *item, const struct zti_tf_run *run,
                         uint32_t runs)
{
    const struct zti_tf_part *part[ZTI_TF_DECODED_LANES];
    struct codes codes[ZTI_TF_DECODED_LANES], *of[ZTI_TF_DECODED_LANES];
    uint32_t block[ZTI_TF_DECODED_LANES], lanes = 0;
    const struct cells cells = cells_of(run->extent);
    bool is_good = true;
    for (uint32_t k = 0; k < runs * ZTI_TF_LANES; k++) {
        const uint32_t of_run = k / ZTI_TF_LANES, lane = k % ZTI_TF_LANES;
        if (lane >= run[of_run].lanes || !is_needed(from, &run[of_run], lane))
            continue;
        part[lanes] = &from->slot->part[item[of_run].part + lane];
        is_good = is_good && open_codes(part[lanes], &codes[lanes]);
        of[lanes] = &codes[lanes];
        block[lanes++] = k;
    }
    if (!is_good || lanes == 0)
        return is_good;
    (void)decode_run(from, w, &cells, of, lanes, 0);
    for (uint32_t k = 0; k < lanes && is_good; k++) {
        struct zti_bit_reader open = open_of(part[k]);
        is_good = codes_end(&codes[k]);
        if (is_good)
            read_values(from, &run[block[k] / ZTI_TF_LANES], block[k] % ZTI_TF_LANES, w->symbol[k],
                        &open);
        is_good = is_good && open_ends(&open);
    }
    return is_good;
}

/* A part of several runs. */
static bool decode_joined(const struct source *from, const struct zti_tf_worker *w,
                          const struct zti_tf_item *item)
{
    const struct zti_tf_part *const part = &from->slot->part[item->part];
    struct zti_bit_reader open = open_of(part);
    struct codes codes, *of[ZTI_TF_LANES];
    struct zti_tf_walk walk = item->walk;
    struct zti_tf_run run;
    uint32_t last = 0;
    bool is_good = open_codes(part, &codes);
    for (uint32_t k = 0; k < ZTI_TF_LANES; k++)
        of[k] = &codes;
    for (uint32_t i = 0;
         is_good && i < item->runs && zti_tf_next_run(&from->slot->layout, &walk, &run); i++) {
        const struct cells cells = cells_of(run.extent);
        last = decode_run(from, w, &cells, of, run.lanes, last);
        for (uint32_t lane = 0; lane < run.lanes; lane++)
            read_values(from, &run, lane, w->symbol[lane], &open);
        is_good = codes.at <= codes.end && open.at <= open.end;
    }
    return is_good && codes_end(&codes) && open_ends(&open);
}

/* Items that are decoded together. */
#if defined(ZTI_WITH_AVX2)
enum { ITEMS_TOGETHER = 2 };
#else
enum { ITEMS_TOGETHER = 1 };
#endif

/* How many items, up to 'most', are runs of blocks of the same extents whose blocks are parts; sets
 * these runs. */
static uint32_t alone_runs(const struct source *from, const struct zti_tf_item *item, uint32_t most,
                           struct zti_tf_run *run)
{
    uint32_t n = 0;
    for (; n < most && item[n].is_alone; n++) {
        struct zti_tf_walk walk = item[n].walk;
        (void)zti_tf_next_run(&from->slot->layout, &walk, &run[n]);
        if (memcmp(run[n].extent, run[0].extent, sizeof run[0].extent) != 0)
            break;
    }
    return n;
}

static void decode_items(void *shared, uint32_t worker, uint64_t which)
{
    struct source *const from = shared;
    const struct zti_tf_layout *const layout = &from->slot->layout;
    const struct zti_tf_worker *const w = &from->slot->worker[worker];
    const uint32_t first = (uint32_t)which * ITEMS_TOGETHER;
    const uint32_t left = layout->items - first;
    const uint32_t end = first + (left < ITEMS_TOGETHER ? left : (uint32_t)ITEMS_TOGETHER);
    for (uint32_t i = first;
         i < end && !atomic_load_explicit(&from->is_bad, memory_order_relaxed);) {
        const struct zti_tf_item *const item = &layout->item[i];
        struct zti_tf_run run[ITEMS_TOGETHER];
        const uint32_t n = alone_runs(from, item, end - i, run);
        const bool is_good =
            n > 0 ? decode_alone(from, w, item, run, n)
                  : (!from->has_all && !is_any_needed(from, item)) || decode_joined(from, w, item);
        if (!is_good)
            atomic_store_explicit(&from->is_bad, true, memory_order_relaxed);
        i += n > 0 ? n : 1;
    }
}

/* The coefficients of a tile that are needed; false if the bytes are not those of one. */
static bool decode_bands(struct source *from)
{
    const uint64_t items = from->slot->layout.items;
    zti_crew_map(from->slot->crew, (items + ITEMS_TOGETHER - 1) / ITEMS_TOGETHER, decode_items,
                 from);
    return !atomic_load_explicit(&from->is_bad, memory_order_relaxed);
}
