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

/* Rows of one class have the same neighbours. What is known of a class is kept for a run: scales of
 * the first three places, and of the last one. */
enum { ROW_CLASSES = 6 * 6 * 6, OWN_SCALES = 4 };

struct scales {
    uint32_t class;
    uint32_t of[ZTI_TF_LONGEST_ROW];
    bool is_known[ROW_CLASSES];
    uint32_t known[ROW_CLASSES][OWN_SCALES];
};

static void forget_scales(struct scales *scales)
{
    scales->class = ROW_CLASSES;
    memset(scales->is_known, 0, sizeof scales->is_known);
}

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
    uint32_t class = 0;
    for (uint32_t a = 0; a + 1 < ZTI_TF_AXES; a++)
        class = class * 6 + (at[a] < 2 ? at[a] : 2) + (at[a] + 1 == c->extent[a] ? 3 : 0);
    return class;
}

static void learn_scales(const struct cells *c, const struct row *row, uint32_t *known)
{
    const uint32_t last = ZTI_TF_AXES - 1, n = c->extent[last];
    uint32_t at[ZTI_TF_AXES];
    memcpy(at, row->at, sizeof at);
    for (uint32_t i = 0; i < OWN_SCALES; i++) {
        at[last] = i + 1 < OWN_SCALES && i < n ? i : n - 1;
        const uint32_t weights = weights_at(c, at);
        known[i] = ZTI_TF_SCALE(weights > 0 ? weights : 1);
    }
}

static void set_scales(const struct cells *c, const struct row *row, struct scales *scales)
{
    const uint32_t n = c->extent[ZTI_TF_AXES - 1], class = class_of(c, row->at);
    uint32_t *const known = scales->known[class];
    if (class == scales->class)
        return;
    scales->class = class;
    if (!scales->is_known[class])
        learn_scales(c, row, known);
    scales->is_known[class] = true;
    for (uint32_t i = 0; i < n; i++)
        scales->of[i] = known[2];
    scales->of[n - 1] = known[OWN_SCALES - 1];
    for (uint32_t i = 0; i < 2 && i < n; i++)
        scales->of[i] = known[i];
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

/* Sums over some neighbours of the places of a row. */
ZTI_INLINE void sum_taps(const struct cells *c, const uint16_t *cell, uint32_t first, uint32_t taps,
                         uint32_t *restrict sum)
{
    const uint32_t n = c->extent[ZTI_TF_AXES - 1];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t all = 0;
#pragma GCC unroll 18
        for (uint32_t k = 0; k < taps; k++)
            all += c->tap[first + k].weight * cell[(ptrdiff_t)i + c->at[first + k]];
        sum[i] = all;
    }
}

/* Sums over the neighbours in other rows. */
static void sum_rows(const struct cells *c, const uint16_t *cell, uint32_t *restrict sum)
{
    enum { PLANE = 4, VOLUME = 10, ALL = 18 }; /* neighbours in other rows, by axes */
    const uint32_t taps = c->taps - c->row_taps;
    if (taps == VOLUME)
        sum_taps(c, cell, 0, VOLUME, sum);
    else if (taps == PLANE)
        sum_taps(c, cell, 0, PLANE, sum);
    else if (taps == ALL)
        sum_taps(c, cell, 0, ALL, sum);
    else
        sum_taps(c, cell, 0, taps, sum);
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
    uint32_t shift;                                   /* see tf_middle */
    int64_t off[ZTI_TF_GROUPS][ZTI_TF_CENTROIDS];     /* by how much magnitudes are off, in */
    uint32_t number[ZTI_TF_GROUPS][ZTI_TF_CENTROIDS]; /* 2^-16 of a step: sums, and of how many */
    size_t symbols;                                   /* in the slot's list */
    uint64_t open_bits, most_open_bits;
    struct zti_bit_writer *open; /* signs and bits that symbols leave open; NULL: not wanted */
    uint32_t last;               /* the last magnitude of the run before */
    bool is_over;                /* a magnitude has no symbol, or there are too many open bits */
};

/* What quantizing a row adds up: by how much magnitudes of 1, 2 and others are off, and how
 * many there are. */
struct tally {
    int32_t off[ZTI_TF_CENTROIDS], number[ZTI_TF_CENTROIDS];
    integer is_over;
};

/* Quantize at most AT_ONCE coefficients in place to multiples of the step, and add to a tally.
 * There are no branches in loops, so that compilers make vectors of them, here and below. */
enum { AT_ONCE = 64 };

static void quantize(number *restrict value, uint32_t n, number scale, struct tally *tally)
{
    enum { COUNTED = 1 << 16 };
    number by[AT_ONCE];
    integer is_over = 0;
    int32_t off1 = 0, off2 = 0, off3 = 0, n1 = 0, n2 = 0, n3 = 0;
    for (uint32_t i = 0; i < n; i++) {
        const number v = magnitude_of(value[i]) * scale;
        const number up = floor_of(v + (number)ZTI_TF_ROUNDING), off = (v - up) * 65536;
        by[i] = choose(up < COUNTED, off, 0);
        value[i] = choose(value[i] < 0, -up, up);
    }
    for (uint32_t i = 0; i < n; i++) {
        const number m = magnitude_of(value[i]);
        const int32_t off = (int32_t)by[i];
        const int32_t is1 = -(m == 1), is2 = -(m == 2), is3 = -((m >= 3) & (m < COUNTED));
        is_over |= -!(m < (number)0x1p52);
        off1 += off & is1;
        off2 += off & is2;
        off3 += off & is3;
        n1 -= is1;
        n2 -= is2;
        n3 -= is3;
    }
    tally->off[0] += off1;
    tally->off[1] += off2;
    tally->off[2] += off3;
    tally->number[0] += n1;
    tally->number[1] += n2;
    tally->number[2] += n3;
    tally->is_over |= is_over;
}

/* The symbols of a row of multiples, and what they count for in contexts; returns all symbols
 * combined by or. */
static uint32_t find_symbols(const number *restrict value, uint32_t n, uint32_t shift,
                             uint8_t *restrict symbol, uint16_t *restrict cell)
{
    const number part = (number)1 / (number)(UINT32_C(1) << shift);
    const number most = (1 << ZTI_TF_MAGNITUDE_BITS) - 1;
    word all = 0;
    for (uint32_t i = 0; i < n; i++) {
        const number m = magnitude_of(value[i]);
        const word s = symbol_of(m);
        const number middle = m < ZTI_TF_PLAIN_MAGNITUDES ? m : symbol_middle(m);
        const number weight = middle * part;
        all |= s;
        symbol[i] = (uint8_t)s;
        cell[i] = (uint16_t)(int32_t)(weight < most ? weight : most);
    }
    return (uint32_t)all;
}

/* Few symbols of a row; whether any of at most so many leaves bits open. */
enum { FEW_SYMBOLS = 8 };

static bool is_any_open(const uint8_t *symbol, uint32_t n)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < n; i++)
        all |= symbol[i];
    return all >= ZTI_TF_PLAIN_MAGNITUDES;
}

/* Append the signs of at most a segment whose symbols leave no bits open. */
static void put_signs(const number *value, const uint8_t *symbol, uint32_t n,
                      struct zti_bit_writer *w)
{
    uint64_t signs = 0;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < n; i++) {
        signs |= (uint64_t)(value[i] < 0) << bits;
        bits += symbol[i] > 0;
    }
    zti_put_bits(w, signs, bits);
}

/* Append the signs of a row, with the bits that its symbols leave open, if any does. */
static void put_open(const number *value, const uint8_t *symbol, uint32_t n, bool has_open,
                     struct zti_bit_writer *w)
{
    const uint32_t most = has_open ? (uint32_t)FEW_SYMBOLS : (uint32_t)ZTI_TF_SEGMENT;
    for (uint32_t at = 0, some; at < n; at += some) {
        some = n - at < most ? n - at : most;
        if (!has_open || !is_any_open(symbol + at, some)) {
            put_signs(value + at, symbol + at, some, w);
            continue;
        }
        for (uint32_t i = at; i < at + some; i++) {
            const uint32_t open = tf_open_bits(symbol[i]);
            const uint64_t low = (uint64_t)magnitude_of(value[i]) & ((UINT64_C(1) << open) - 1);
            const bool is_some = symbol[i] > 0;
            zti_put_bits(w, is_some ? (uint64_t)(value[i] < 0) | low << 1 : 0,
                         is_some ? open + 1 : 0);
        }
    }
}

static void add_tally(struct coder *c, uint32_t group, const struct tally *t)
{
    for (uint32_t k = 0; k < ZTI_TF_CENTROIDS; k++) {
        c->off[group][k] += t->off[k];
        c->number[group][k] += (uint32_t)t->number[k];
    }
    c->is_over |= t->is_over != 0;
}

/* How many bits symbols leave open, with signs. */
static uint32_t open_bits_of(const uint8_t *symbol, uint32_t n)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < n; i++)
        bits += symbol[i] > 0 ? 1 + tf_open_bits(symbol[i]) : 0;
    return bits;
}

/* A row of coefficients to multiples of the step, symbols, cells, and open bits. */
static void code_row(struct coder *c, const struct zti_tf_band *band, number *value, uint32_t n,
                     uint8_t *symbol, uint16_t *cell)
{
    const number scale = (number)(band->gain / c->step);
    struct tally tally = {.is_over = 0};
    for (uint32_t i = 0; i < n; i += AT_ONCE)
        quantize(value + i, n - i < AT_ONCE ? n - i : (uint32_t)AT_ONCE, scale, &tally);
    add_tally(c, band->group, &tally);
    if (c->is_over)
        return;
    const uint32_t all = find_symbols(value, n, c->shift, symbol, cell);
    c->open_bits += open_bits_of(symbol, n);
    c->is_over |= c->open_bits > c->most_open_bits;
    if (all > 0 && c->open && !c->is_over)
        put_open(value, symbol, n, all >= ZTI_TF_PLAIN_MAGNITUDES, c->open);
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
        code_row(c, band, (number *)slot->values + first + row_value(&slot->plan, &row), n, symbol,
                 cell);
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

/* The bytes of eight lanes from a place on, eight of each, a place after the other. */
ZTI_INLINE void turn_8(const uint8_t *const *lane, size_t at, uint8_t *to)
{
    uint64_t v[8];
    for (uint32_t k = 0; k < 8; k++)
        v[k] = zti_get_le64(lane[k] + at);
    for (uint32_t k = 0; k < 4; k++) {
        const uint64_t t = (v[k] >> 32 ^ v[k + 4]) & UINT32_MAX;
        v[k] ^= t << 32;
        v[k + 4] ^= t;
    }
    for (uint32_t k = 0; k < 8; k += k % 4 == 1 ? 3 : 1) {
        const uint64_t t = (v[k] >> 16 ^ v[k + 2]) & UINT64_C(0xffff0000ffff);
        v[k] ^= t << 16;
        v[k + 2] ^= t;
    }
    for (uint32_t k = 0; k < 8; k += 2) {
        const uint64_t t = (v[k] >> 8 ^ v[k + 1]) & UINT64_C(0xff00ff00ff00ff);
        v[k] ^= t << 8;
        v[k + 1] ^= t;
    }
    for (uint32_t k = 0; k < 8; k++)
        zti_put_le64(to + 8 * k, v[k]);
}

/* Bytes of lanes at places from 'at' on, a place after the other; returns past the last. */
static uint8_t *put_places(const uint8_t *const *lane, uint32_t lanes, size_t at, uint32_t n,
                           uint8_t *restrict to)
{
    uint32_t i = 0;
    for (; lanes == 8 && i + 8 <= n; i += 8, to += 64)
        turn_8(lane, at + i, to);
    for (; i < n; i++)
        for (uint32_t k = 0; k < lanes; k++)
            *to++ = lane[k][at + i];
    return to;
}

/* The symbols of a run's blocks in the order of coding. */
static void put_run(struct coder *c, const struct zti_tf_run *run)
{
    const uint32_t n = run->extent[ZTI_TF_AXES - 1];
    const size_t values = block_values(run->extent);
    const struct zti_tf_lane *const lane = c->slot->lane;
    uint8_t *symbols = c->slot->symbols + c->symbols, *contexts = c->slot->contexts + c->symbols;
    for (size_t first = 0, segment = 0; first < values; first += n)
        for (uint32_t at = 0, some; at < n; at += some) {
            const uint8_t *symbol[ZTI_TF_LANES], *context[ZTI_TF_LANES];
            uint32_t lanes = 0;
            some = tf_segment(n, at);
            for (uint32_t k = 0; k < run->lanes; k++) {
                const uint32_t s = n < ZTI_TF_LEAST_ROW ? 1 : lane[k].segment[segment];
                if (n >= ZTI_TF_LEAST_ROW) {
                    *contexts++ = (uint8_t)(s / 2);
                    *symbols++ = s % 2;
                }
                symbol[lanes] = lane[k].symbol;
                context[lanes] = lane[k].context;
                lanes += s % 2;
            }
            segment++;
            symbols = put_places(symbol, lanes, first + at, some, symbols);
            contexts = put_places(context, lanes, first + at, some, contexts);
        }
    c->symbols = (size_t)(symbols - c->slot->symbols);
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
            forget_scales(&scales);
            for (uint32_t lane = 0; lane < run.lanes; lane++)
                code_block(c, &slot->plan.band[i], run.at[lane], &cells, &scales,
                           &slot->lane[lane]);
            put_run(c, &run);
            const uint8_t *const symbol = slot->lane[run.lanes - 1].symbol;
            c->last = tf_middle(symbol[block_values(run.extent) - 1], c->shift);
        }
    }
}

/* ---- values ---- */

/* What magnitudes of a band stand for: a step, and by how much 1, 2 and others are off. */
struct scale {
    number step, off[ZTI_TF_CENTROIDS];
};

static struct scale scale_of(const struct zti_tf_front *front, const struct zti_tf_band *band,
                             double step)
{
    struct scale s = {.step = (number)(step / band->gain)};
    for (uint32_t k = 0; k < ZTI_TF_CENTROIDS; k++)
        s.off[k] = (number)ZTI_TF_CENTROID(front->centroid[band->group][k]);
    return s;
}

/* The value of a magnitude, before its sign. */
ZTI_INLINE number value_of(const struct scale *s, number m)
{
    const number off = m < 1 ? 0 : m < 2 ? s->off[0] : m < 3 ? s->off[1] : s->off[2];
    return (m + off) * s->step;
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
            number *const value = (number *)slot->values + first + row_value(&slot->plan, &row);
            for (uint32_t k = 0; k < band->extent[ZTI_TF_AXES - 1]; k++) {
                const number v = value_of(&s, magnitude_of(value[k]));
                value[k] = value[k] < 0 ? -v : v;
            }
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
    forget_scales(&scales);
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

/* Magnitudes with signs, of which symbols leave bits open. */
static void take_open(struct zti_bit_reader *r, const uint8_t *symbol, uint32_t n,
                      number *restrict value)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t open = tf_open_bits(symbol[i]);
        const uint64_t bits = zti_peek_either(r), low = bits >> 1 & ((UINT64_C(1) << open) - 1);
        const number m = (number)(tf_least_magnitude(symbol[i]) + low);
        r->at += symbol[i] > 0 ? open + 1 : 0;
        value[i] = symbol[i] > 0 && bits & 1 ? -m : m;
    }
}

/* The same of at most a segment where symbols are magnitudes. */
static void take_signs(struct zti_bit_reader *r, const uint8_t *restrict symbol, uint32_t n,
                       number *restrict value)
{
    int32_t sign[ZTI_TF_SEGMENT];
    uint64_t bits = zti_peek_either(r);
    uint32_t used = 0;
    for (uint32_t i = 0; i < n; i++) {
        sign[i] = (int32_t)bits & 1;
        bits >>= symbol[i] > 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        const int32_t m = symbol[i];
        value[i] = (number)((m ^ -sign[i]) + sign[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        used += symbol[i] > 0;
    r->at += used;
}

/* The multiples of a row. */
static void take_multiples(struct zti_bit_reader *r, const uint8_t *symbol, uint32_t n,
                           number *value)
{
    const bool has_open = is_any_open(symbol, n);
    const uint32_t most = has_open ? (uint32_t)FEW_SYMBOLS : (uint32_t)ZTI_TF_SEGMENT;
    for (uint32_t at = 0, some; at < n; at += some) {
        some = n - at < most ? n - at : most;
        if (has_open && is_any_open(symbol + at, some))
            take_open(r, symbol + at, some, value + at);
        else
            take_signs(r, symbol + at, some, value + at);
    }
}

static void take_values(struct source *from, struct zti_tf_slot *slot, const struct zti_tf_run *run,
                        const struct cells *cells, const struct scale *s)
{
    const uint32_t n = run->extent[ZTI_TF_AXES - 1];
    for (uint32_t lane = 0; lane < run->lanes; lane++) {
        const uint8_t *symbol = slot->lane[lane].symbol;
        struct row row = {.at = {0}};
        do {
            number *const value =
                (number *)slot->values + run->at[lane] + row_value(&slot->plan, &row);
            take_multiples(&from->open, symbol, n, value);
            for (uint32_t i = 0; i < n; i++) {
                const number v = value_of(s, magnitude_of(value[i]));
                value[i] = value[i] < 0 ? -v : v;
            }
            symbol += n;
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
