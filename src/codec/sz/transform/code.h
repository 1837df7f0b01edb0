/* code.h: kernel text: coefficients to symbols in contexts, and back, in runs of blocks side by
 * side. Symbols of a run are in the order of segments: for each, what is said of it in all blocks,
 * then the magnitudes of its places, at each place those of all blocks that have some. Signs, and
 * bits that symbols leave open, are in the order of blocks. */

/* Cells of a block: magnitudes, with margins of zeros along its axes of more than one value. */
struct cells {
    uint32_t extent[ZTI_TF_AXES];
    size_t stride[ZTI_TF_AXES], first, all;
    uint32_t taps, row_taps; /* those in the row itself are the last ones */
    struct zti_tf_tap tap[ZTI_TF_TAPS];
    ptrdiff_t at[ZTI_TF_TAPS]; /* of taps, from a cell */
};

static struct cells cells_of(const uint32_t *extent)
{
    struct cells c = {.all = 1};
    for (uint32_t a = ZTI_TF_AXES; a-- > 0;) {
        const bool has_margin = extent[a] > 1;
        c.extent[a] = extent[a];
        c.stride[a] = c.all;
        c.first += has_margin ? ZTI_TF_BEFORE * c.all : 0;
        c.all *= extent[a] + (has_margin ? ZTI_TF_BEFORE + ZTI_TF_BEHIND : 0);
    }
    c.taps = tf_taps(extent, c.tap);
    c.row_taps = extent[ZTI_TF_AXES - 1] > 1 ? 2 : 0;
    for (uint32_t i = 0; i < c.taps; i++)
        for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
            c.at[i] += c.tap[i].step[a] * (ptrdiff_t)c.stride[a];
    return c;
}

/* ---- a row's scales: by the weights of the neighbours that are in the block ---- */

/* A row's place in its block or band; the last number is 0. */
struct row {
    uint32_t at[ZTI_TF_AXES];
};

struct scales {
    uint32_t class; /* rows of one class have the same neighbours */
    uint32_t of[ZTI_TF_LONGEST_ROW];
};

static uint32_t weights_at(const struct cells *c, const uint32_t *at)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < c->taps; i++) {
        bool is_there = true;
        for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
            is_there = is_there && (uint32_t)((int32_t)at[a] + c->tap[i].step[a]) < c->extent[a];
        sum += is_there ? c->tap[i].weight : 0;
    }
    return sum;
}

static uint32_t class_of(const struct cells *c, const uint32_t *at)
{
    uint32_t class = 1;
    for (uint32_t a = 0; a + 1 < ZTI_TF_AXES; a++)
        class = class * 8 + (at[a] < 2 ? at[a] : 2) + (at[a] + 1 == c->extent[a] ? 4 : 0);
    return class;
}

static void set_scales(const struct cells *c, const struct row *row, struct scales *scales)
{
    const uint32_t last = ZTI_TF_AXES - 1, n = c->extent[last], class = class_of(c, row->at);
    uint32_t at[ZTI_TF_AXES], weights = 0;
    if (class == scales->class)
        return;
    scales->class = class;
    memcpy(at, row->at, sizeof at);
    for (uint32_t i = 0; i < n; i++) {
        at[last] = i;
        if (i <= 2 || i + 1 == n)
            weights = weights_at(c, at);
        scales->of[i] = ZTI_TF_SCALE(weights > 0 ? weights : 1);
    }
}

/* The cell of a row's first value. */
static size_t row_cell(const struct cells *c, const struct row *row)
{
    size_t cell = c->first;
    for (uint32_t a = 0; a + 1 < ZTI_TF_AXES; a++)
        cell += row->at[a] * c->stride[a];
    return cell;
}

static size_t row_value(const struct zti_tf_plan *plan, const struct row *row)
{
    size_t at = 0;
    for (uint32_t a = 0; a + 1 < ZTI_TF_AXES; a++)
        at += row->at[a] * plan->stride[a];
    return at;
}

static bool next_row(const struct cells *c, struct row *row)
{
    for (uint32_t a = ZTI_TF_AXES - 1; a-- > 0; row->at[a] = 0)
        if (++row->at[a] < c->extent[a])
            return true;
    return false;
}

/* Sums over the neighbours in other rows. */
static void sum_rows(const struct cells *c, const uint16_t *cell, uint32_t *restrict sum)
{
    const uint32_t n = c->extent[ZTI_TF_AXES - 1];
    memset(sum, 0, n * sizeof *sum);
    for (uint32_t k = 0; k + c->row_taps < c->taps; k++) {
        const uint16_t *const from = cell + c->at[k];
        const uint32_t weight = c->tap[k].weight;
        for (uint32_t i = 0; i < n; i++)
            sum[i] += weight * from[i];
    }
}

static void set_middles(struct zti_tf_slot *slot, uint32_t shift)
{
    for (uint32_t symbol = 0; symbol < ZTI_TF_SYMBOLS; symbol++)
        slot->middle[symbol] = (uint16_t)tf_middle(symbol, shift);
}

/* ---- to symbols ---- */

/* What the coder of a tile has. */
struct coder {
    const struct zti_tf *model;
    struct zti_tf_slot *slot;
    double step;                                      /* the quantizer's */
    int64_t off[ZTI_TF_GROUPS][ZTI_TF_CENTROIDS];     /* by how much magnitudes are off, in */
    uint32_t number[ZTI_TF_GROUPS][ZTI_TF_CENTROIDS]; /* 2^-16 of a step: sums, and of how many */
    size_t symbols;                                   /* in the slot's list */
    uint64_t open_bits;
    uint32_t last; /* the last magnitude of the run before */
    bool is_over;  /* a magnitude has no symbol */
};

/* Quantize a row of coefficients in place: multiples of the step, and symbols. */
static void quantize_row(struct coder *c, const struct zti_tf_band *band, double *restrict value,
                         uint32_t n, uint8_t *restrict symbol)
{
    const double scale = band->gain / c->step;
    int64_t *const off = c->off[band->group];
    uint32_t *const number = c->number[band->group];
    bool is_over = false;
    for (uint32_t i = 0; i < n; i++) {
        const double v = fabs(value[i]) * scale, m = floor(v + ZTI_TF_ROUNDING);
        is_over |= !(m < 0x1p52);
        const double most = m < 0x1p52 ? m : 0;
        symbol[i] = (uint8_t)tf_symbol(most);
        value[i] = value[i] < 0 ? -most : most;
        if (most > 0) {
            const uint32_t k = most < 3 ? (uint32_t)most - 1 : 2;
            off[k] += (int64_t)((v - most) * 65536);
            number[k]++;
            c->open_bits += 1 + tf_open_bits(symbol[i]);
        }
    }
    c->is_over |= is_over;
}

/* Contexts of a row whose cells are known. */
static void find_contexts(const struct cells *c, const struct scales *scales, const uint16_t *cell,
                          uint32_t *restrict sum, uint8_t *restrict context)
{
    const uint32_t n = c->extent[ZTI_TF_AXES - 1];
    for (uint32_t k = c->taps - c->row_taps; k < c->taps; k++) {
        const uint16_t *const from = cell + c->at[k];
        const uint32_t weight = c->tap[k].weight;
        for (uint32_t i = 0; i < n; i++)
            sum[i] += weight * from[i];
    }
    for (uint32_t i = 0; i < n; i++)
        context[i] = (uint8_t)tf_context(sum[i], scales->of[i]);
}

static size_t block_values(const uint32_t *extent)
{
    size_t values = 1;
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        values *= extent[a];
    return values;
}

/* The sum that says the context of a segment: over its places, by the sums of other rows, and the
 * cells before it. */
static uint32_t segment_sum(const struct cells *c, const uint16_t *cell, const uint32_t *sum,
                            uint32_t at, uint32_t n)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < n; i++)
        all += sum[at + i];
    for (uint32_t k = c->taps - c->row_taps; k < c->taps; k++)
        all += c->tap[k].weight * cell[(ptrdiff_t)at + c->at[k]];
    return all;
}

/* Quantize a block of a run, to symbols and contexts of all its places, and of its segments. */
static void code_block(struct coder *c, const struct zti_tf_band *band, size_t first,
                       const struct cells *cells, struct scales *scales, struct zti_tf_lane *lane)
{
    struct zti_tf_slot *const slot = c->slot;
    const uint32_t n = cells->extent[ZTI_TF_AXES - 1];
    struct row row = {.at = {0}};
    uint8_t *symbol = lane->symbol, *context = lane->context, *segment = lane->segment;
    memset(slot->cells, 0, cells->all * sizeof *slot->cells);
    do {
        uint16_t *const cell = slot->cells + row_cell(cells, &row);
        const bool is_first = cell == slot->cells + cells->first;
        set_scales(cells, &row, scales);
        quantize_row(c, band, slot->values + first + row_value(&slot->plan, &row), n, symbol);
        for (uint32_t i = 0; i < n; i++)
            cell[i] = c->slot->middle[symbol[i]];
        sum_rows(cells, cell, slot->sums);
        slot->sums[0] += is_first ? c->last : 0;
        for (uint32_t i = 0, some; i < n && n >= ZTI_TF_LEAST_ROW; i += some) {
            uint32_t any = 0;
            some = tf_segment(n, i);
            for (uint32_t k = 0; k < some; k++)
                any |= symbol[i + k];
            *segment++ =
                (uint8_t)(2 * tf_segment_context(segment_sum(cells, cell, slot->sums, i, some)) +
                          (any > 0));
        }
        find_contexts(cells, scales, cell, slot->sums, context);
        symbol += n;
        context += n;
    } while (next_row(cells, &row));
}

static void put_symbol(struct coder *c, uint32_t context, uint32_t symbol)
{
    c->slot->contexts[c->symbols] = (uint8_t)context;
    c->slot->symbols[c->symbols++] = (uint8_t)symbol;
}

/* The symbols of a run's blocks in the order of coding. */
static void put_run(struct coder *c, const struct zti_tf_run *run)
{
    const uint32_t n = run->extent[ZTI_TF_AXES - 1];
    const size_t values = block_values(run->extent);
    struct zti_tf_lane *const lane = c->slot->lane;
    for (size_t first = 0, segment = 0; first < values; first += n)
        for (uint32_t at = 0, some; at < n; at += some) {
            uint32_t active[ZTI_TF_LANES], lanes = 0;
            some = tf_segment(n, at);
            for (uint32_t k = 0; k < run->lanes; k++) {
                const uint32_t s = n < ZTI_TF_LEAST_ROW ? 1 : lane[k].segment[segment];
                if (n >= ZTI_TF_LEAST_ROW)
                    put_symbol(c, s / 2, s % 2);
                if (s % 2)
                    active[lanes++] = k;
            }
            segment++;
            for (size_t i = first + at; i < first + at + some; i++)
                for (uint32_t k = 0; k < lanes; k++)
                    put_symbol(c, lane[active[k]].context[i], lane[active[k]].symbol[i]);
        }
}

/* All coefficients of a tile to multiples of the step, symbols and contexts. */
static void code_bands(struct coder *c)
{
    struct zti_tf_slot *const slot = c->slot;
    struct zti_tf_run run;
    struct scales scales;
    for (uint32_t i = 0; i < slot->plan.bands; i++) {
        struct zti_tf_walk walk = zti_tf_walk_of(&slot->plan, &slot->plan.band[i]);
        while (zti_tf_next_run(&walk, &run)) {
            const struct cells cells = cells_of(run.extent);
            scales.class = 0;
            for (uint32_t lane = 0; lane < run.lanes; lane++)
                code_block(c, &slot->plan.band[i], run.at[lane], &cells, &scales,
                           &slot->lane[lane]);
            put_run(c, &run);
            c->last =
                c->slot->middle[slot->lane[run.lanes - 1].symbol[block_values(run.extent) - 1]];
        }
    }
}

/* ---- signs, and bits that symbols leave open ---- */

static void put_open(double value, struct zti_bit_writer *w)
{
    const double m = fabs(value);
    if (m == 0)
        return;
    const uint32_t open = tf_open_bits(tf_symbol(m));
    const uint64_t low = (uint64_t)m & ((UINT64_C(1) << open) - 1);
    zti_put_bits(w, (uint64_t)(value < 0) | low << 1, open + 1);
}

static void put_open_bits(const struct zti_tf_slot *slot, struct zti_bit_writer *w)
{
    struct zti_tf_run run;
    for (uint32_t i = 0; i < slot->plan.bands; i++) {
        struct zti_tf_walk walk = zti_tf_walk_of(&slot->plan, &slot->plan.band[i]);
        while (zti_tf_next_run(&walk, &run)) {
            const struct cells cells = cells_of(run.extent);
            for (uint32_t lane = 0; lane < run.lanes; lane++) {
                struct row row = {.at = {0}};
                do {
                    const double *const value =
                        slot->values + run.at[lane] + row_value(&slot->plan, &row);
                    for (uint32_t k = 0; k < run.extent[ZTI_TF_AXES - 1]; k++)
                        put_open(value[k], w);
                } while (next_row(&cells, &row));
            }
        }
    }
}

/* ---- values ---- */

/* What magnitudes of a band stand for: a step, and by how much 0, 1, 2 and others are off. */
struct scale {
    double step, off[ZTI_TF_CENTROIDS + 1];
};

static struct scale scale_of(const struct zti_tf_front *front, const struct zti_tf_band *band,
                             double step)
{
    struct scale s = {.step = step / band->gain};
    for (uint32_t k = 0; k < ZTI_TF_CENTROIDS; k++)
        s.off[k + 1] = ZTI_TF_CENTROID(front->centroid[band->group][k]);
    return s;
}

ZTI_INLINE double value_of(const struct scale *s, double m, bool is_negative)
{
    const double v = (m + s->off[m < 3 ? (uint32_t)m : 3]) * s->step;
    return is_negative ? -v : v;
}

/* Multiples of the step, in place of which their values come. */
static void restore_bands(const struct zti_tf_slot *slot, const struct zti_tf_front *front,
                          double step)
{
    for (uint32_t i = 0; i < slot->plan.bands; i++) {
        const struct zti_tf_band *const band = &slot->plan.band[i];
        const struct scale s = scale_of(front, band, step);
        struct row row = {.at = {0}};
        const struct cells cells = cells_of(band->extent);
        const size_t first = (size_t)(band->origin[0] * slot->plan.stride[0] +
                                      band->origin[1] * slot->plan.stride[1] +
                                      band->origin[2] * slot->plan.stride[2] + band->origin[3]);
        do {
            double *const value = slot->values + first + row_value(&slot->plan, &row);
            for (uint32_t k = 0; k < band->extent[ZTI_TF_AXES - 1]; k++)
                value[k] = value_of(&s, fabs(value[k]), value[k] < 0);
        } while (next_row(&cells, &row));
    }
}

/* ---- and back ---- */

/* What a tile's symbols are decoded from. */
struct source {
    struct zti_tf_front front;
    const uint32_t *table[ZTI_TF_CONTEXTS]; /* of each context's model */
    struct zti_ans_mixed codes;
    struct zti_bit_reader open;
    double step;
    uint32_t last;
};

/* The next symbol, in a context. */
ZTI_INLINE uint8_t take_symbol(struct source *from, uint32_t context, uint32_t *next)
{
    struct zti_ans_mixed *const m = &from->codes;
    uint64_t bits = zti_peek_either(&m->r);
    const uint8_t symbol =
        zti_ans_mixed_step(from->table[context], &m->state[*next], &bits, &m->r.at);
    *next = (*next + 1) % ZTI_ANS_FEW;
    return symbol;
}

/* A row of a block while it is decoded. */
struct lane_row {
    const uint32_t *sum; /* of other rows */
    uint16_t *cell;
    uint8_t *symbol;
};

/* The symbols of places of some blocks' rows. */
ZTI_INLINE void take_places(struct source *from, const uint16_t *middle,
                            const struct scales *scales, uint32_t at, uint32_t end,
                            const struct lane_row *lane, uint32_t lanes, uint32_t near,
                            uint32_t far)
{
    uint32_t next = from->codes.next;
    for (uint32_t i = at; i < end; i++)
        for (uint32_t k = 0; k < lanes; k++) {
            const struct lane_row *const l = &lane[k];
            const uint32_t sum =
                l->sum[i] + near * l->cell[(ptrdiff_t)i - 1] + far * l->cell[(ptrdiff_t)i - 2];
            const uint8_t symbol = take_symbol(from, tf_context(sum, scales->of[i]), &next);
            l->symbol[i] = symbol;
            l->cell[i] = middle[symbol];
        }
    from->codes.next = next;
}

/* The symbols of a row of all blocks of a run. */
static void take_row(struct source *from, const uint16_t *middle, const struct cells *c,
                     const struct scales *scales, const struct lane_row *lane, uint32_t lanes)
{
    const uint32_t n = c->extent[ZTI_TF_AXES - 1];
    const uint32_t near = c->row_taps > 0 ? c->tap[c->taps - 2].weight : 0;
    const uint32_t far = c->row_taps > 0 ? c->tap[c->taps - 1].weight : 0;
    for (uint32_t at = 0, some; at < n; at += some) {
        struct lane_row active[ZTI_TF_LANES];
        uint32_t count = 0;
        some = tf_segment(n, at);
        for (uint32_t k = 0; k < lanes; k++) {
            uint32_t next = from->codes.next;
            const bool is_active =
                n < ZTI_TF_LEAST_ROW ||
                take_symbol(from,
                            tf_segment_context(segment_sum(c, lane[k].cell, lane[k].sum, at, some)),
                            &next);
            from->codes.next = next;
            if (is_active)
                active[count++] = lane[k];
            else
                memset(lane[k].symbol + at, 0, some);
        }
        if (count == ZTI_TF_LANES)
            take_places(from, middle, scales, at, at + some, active, ZTI_TF_LANES, near, far);
        else
            take_places(from, middle, scales, at, at + some, active, count, near, far);
    }
}

/* The symbols of a run of blocks. */
static void take_run(struct source *from, struct zti_tf_slot *slot, const struct zti_tf_run *run,
                     const struct cells *cells)
{
    const uint32_t n = run->extent[ZTI_TF_AXES - 1];
    struct lane_row lane[ZTI_TF_LANES];
    struct row row = {.at = {0}};
    struct scales scales;
    size_t at = 0;
    scales.class = 0;
    memset(slot->cells, 0, (run->lanes * cells->all + ZTI_TF_BEFORE) * sizeof *slot->cells);
    do {
        const size_t first = row_cell(cells, &row);
        set_scales(cells, &row, &scales);
        for (uint32_t k = 0; k < run->lanes; k++) {
            uint32_t *const sum = slot->sums + (size_t)k * n;
            lane[k] =
                (struct lane_row){.sum = sum,
                                  .cell = slot->cells + ZTI_TF_BEFORE + k * cells->all + first,
                                  .symbol = slot->lane[k].symbol + at};
            sum_rows(cells, lane[k].cell, sum);
            sum[0] += first == cells->first ? from->last : 0;
        }
        take_row(from, slot->middle, cells, &scales, lane, run->lanes);
        at += n;
    } while (next_row(cells, &row));
    from->last = slot->middle[slot->lane[run->lanes - 1].symbol[at - 1]];
}

/* The magnitude and sign of a symbol; n bits are used of those at hand. */
ZTI_INLINE double take_open(struct zti_bit_reader *r, uint32_t symbol, bool *is_negative)
{
    if (symbol == 0) {
        *is_negative = false;
        return 0;
    }
    const uint32_t open = tf_open_bits(symbol);
    const uint64_t bits = zti_peek_either(r);
    r->at += open + 1;
    *is_negative = bits & 1;
    return (double)(tf_least_magnitude(symbol) + (bits >> 1 & ((UINT64_C(1) << open) - 1)));
}

static void take_values(struct source *from, struct zti_tf_slot *slot, const struct zti_tf_run *run,
                        const struct cells *cells, const struct scale *s)
{
    for (uint32_t lane = 0; lane < run->lanes; lane++) {
        const uint8_t *symbol = slot->lane[lane].symbol;
        struct row row = {.at = {0}};
        do {
            double *const value = slot->values + run->at[lane] + row_value(&slot->plan, &row);
            for (uint32_t i = 0; i < run->extent[ZTI_TF_AXES - 1]; i++, symbol++) {
                bool is_negative;
                const double m = take_open(&from->open, *symbol, &is_negative);
                value[i] = value_of(s, m, is_negative);
            }
        } while (next_row(cells, &row));
    }
}

/* All coefficients of a tile; false if the bytes are not those of one. */
static bool take_bands(struct source *from, struct zti_tf_slot *slot)
{
    struct zti_tf_run run;
    for (uint32_t i = 0; i < slot->plan.bands; i++) {
        const struct zti_tf_band *const band = &slot->plan.band[i];
        const struct scale s = scale_of(&from->front, band, from->step);
        struct zti_tf_walk walk = zti_tf_walk_of(&slot->plan, band);
        while (zti_tf_next_run(&walk, &run)) {
            const struct cells cells = cells_of(run.extent);
            take_run(from, slot, &run, &cells);
            take_values(from, slot, &run, &cells, &s);
            if (from->codes.r.at > from->codes.r.end || from->open.at > from->open.end)
                return false;
        }
    }
    return zti_ans_mixed_ends(&from->codes) && from->open.end - from->open.at < 8;
}
