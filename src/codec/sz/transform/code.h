/* code.h: kernel text: coefficients to symbols in contexts. The symbols of a block are in the order
 * of segments: for each, what is said of it, then the magnitudes of its places. In a part of
 * several blocks those of a run are side by side: what is said of a segment in all of them, then
 * its magnitudes, at each place those of all blocks that have some. */

/* Cells of blocks side by side: magnitudes as contexts count them (weight_of), with margins of
 * zeros along the axes of more than one value. Along the first of these axes only as many planes
 * are kept as contexts reach back to; a new plane replaces the oldest. */
enum { PLANES = ZTI_TF_BEFORE + 1 };

struct cells {
    uint32_t extent[ZTI_TF_AXES];
    size_t stride[ZTI_TF_AXES], first, all;
    uint32_t turning; /* the axis with planes that are replaced; the last axis: there is none */
    uint32_t taps, row_taps; /* those in the row itself are the last ones */
    struct zti_tf_tap tap[ZTI_TF_TAPS];
    ptrdiff_t at[PLANES][ZTI_TF_TAPS]; /* of taps, from a cell of each plane */
};

static struct cells cells_of(const uint32_t *extent)
{
    struct cells c = {.all = 1, .turning = 0};
    while (c.turning + 1 < ZTI_TF_AXES && extent[c.turning] == 1)
        c.turning++;
    for (uint32_t a = ZTI_TF_AXES; a-- > 0;) {
        const bool has_planes = a == c.turning && a + 1 < ZTI_TF_AXES;
        const bool has_margin = extent[a] > 1 && !has_planes;
        c.extent[a] = extent[a];
        c.stride[a] = c.all;
        c.first += has_margin ? ZTI_TF_BEFORE * c.all : 0;
        c.all *= has_planes ? (uint32_t)PLANES
                            : extent[a] + (has_margin ? ZTI_TF_BEFORE + ZTI_TF_BEHIND : 0);
    }
    c.taps = tf_taps(extent, c.tap);
    c.row_taps = extent[ZTI_TF_AXES - 1] > 1 ? 2 : 0;
    for (uint32_t plane = 0; plane < PLANES; plane++)
        for (uint32_t i = 0; i < c.taps; i++)
            for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
                const int32_t step = c.tap[i].step[a];
                const int32_t turned =
                    a == c.turning && a + 1 < ZTI_TF_AXES
                        ? (int32_t)((plane + PLANES + (uint32_t)step) % PLANES) - (int32_t)plane
                        : step;
                c.at[plane][i] += turned * (ptrdiff_t)c.stride[a];
            }
    return c;
}

/* ---- a row's scales, by the weights of the neighbours that are in the block ---- */

/* A row's place in its block or band; the last number is 0. */
struct row {
    uint32_t at[ZTI_TF_AXES];
};

/* Rows of one class have the same neighbours in their block. Scales of the first three places and
 * of the last one, learnt for a row, serve the rows of its class in the same run. */
enum { ROW_CLASSES = 6 * 6 * 6, OWN_SCALES = 4 };

struct scales {
    uint32_t class;
    uint32_t of[ZTI_TF_LONGEST_ROW + ZTI_TF_SEGMENT]; /* vectors read behind a row */
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

/* The plane of cells that a row is in. */
static uint32_t plane_of(const struct cells *c, const struct row *row)
{
    return c->turning + 1 < ZTI_TF_AXES ? row->at[c->turning] % PLANES : 0;
}

/* The cell of a row's first value. */
static size_t row_cell(const struct cells *c, const struct row *row)
{
    size_t cell = c->first;
    for (uint32_t a = 0; a + 1 < ZTI_TF_AXES; a++)
        cell += (a == c->turning ? plane_of(c, row) : row->at[a]) * c->stride[a];
    return cell;
}

static size_t row_value(const struct zti_tf_layout *layout, const struct row *row)
{
    size_t at = 0;
    for (uint32_t a = 0; a + 1 < ZTI_TF_AXES; a++)
        at += row->at[a] * layout->stride[a];
    return at;
}

static bool next_row(const uint32_t *extent, struct row *row)
{
    for (uint32_t a = ZTI_TF_AXES - 1; a-- > 0; row->at[a] = 0)
        if (++row->at[a] < extent[a])
            return true;
    return false;
}

/* Rows of a block are far from each other in memory, so the next ones are prefetched. */
struct ahead {
    struct row row;
    bool is_left;
};

ZTI_INLINE void prefetch_next(const struct zti_tf_layout *layout, const uint32_t *extent,
                              const number *block, struct ahead *a)
{
    enum { LINE = 64 / sizeof(number) };
    const uint32_t n = extent[ZTI_TF_AXES - 1];
    if (!a->is_left)
        return;
    const number *const value = block + row_value(layout, &a->row);
    for (uint32_t i = 0; i < n; i += LINE)
        __builtin_prefetch(value + i, 1);
    __builtin_prefetch(value + n - 1, 1);
    a->is_left = next_row(extent, &a->row);
}

/* Prefetch the first rows of a block. */
static struct ahead ahead_of(const struct zti_tf_layout *layout, const uint32_t *extent,
                             const number *block)
{
    enum { ROWS = 16 };
    struct ahead a = {.is_left = true};
    for (uint32_t i = 0; i < ROWS; i++)
        prefetch_next(layout, extent, block, &a);
    return a;
}

/* Sums over some neighbours, at these places from a cell, of the places of a row. */
ZTI_INLINE void sum_taps(const struct cells *c, const ptrdiff_t *at, const uint16_t *cell,
                         uint32_t taps, uint32_t *restrict sum)
{
    const uint32_t n = c->extent[ZTI_TF_AXES - 1];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t all = 0;
#pragma GCC unroll 18
        for (uint32_t k = 0; k < taps; k++)
            all += c->tap[k].weight * cell[(ptrdiff_t)i + at[k]];
        sum[i] = all;
    }
}

/* Sums over the neighbours in other rows. */
static void sum_rows(const struct cells *c, uint32_t plane, const uint16_t *cell,
                     uint32_t *restrict sum)
{
    enum { PLANE = 4, VOLUME = 10, ALL = 18 }; /* neighbours in other rows, by axes */
    const uint32_t taps = c->taps - c->row_taps;
#if defined(ZTI_WITH_AVX2)
    const uint32_t n = c->extent[ZTI_TF_AXES - 1];
    if (taps == VOLUME)
        sum_vectors(c->at[plane], 6, 2, c->tap[0].weight, c->tap[6].weight, cell, n, sum);
    else if (taps == PLANE)
        sum_vectors(c->at[plane], 2, 1, c->tap[0].weight, c->tap[2].weight, cell, n, sum);
#else
    if (taps == VOLUME)
        sum_taps(c, c->at[plane], cell, VOLUME, sum);
    else if (taps == PLANE)
        sum_taps(c, c->at[plane], cell, PLANE, sum);
#endif
    else if (taps == ALL)
        sum_taps(c, c->at[plane], cell, ALL, sum);
    else
        sum_taps(c, c->at[plane], cell, taps, sum);
}

/* The weights of the places one and two before in the same row; 0 in rows of one value. */
struct row_weights {
    uint32_t one, two;
};

static struct row_weights row_weights_of(const struct cells *c)
{
    if (c->row_taps == 0)
        return (struct row_weights){0, 0};
    return (struct row_weights){c->tap[c->taps - 2].weight, c->tap[c->taps - 1].weight};
}

/* The sum of weighted magnitudes from which a segment's context comes: those of other rows over all
 * its places, and those of the two places before it. */
ZTI_INLINE uint32_t segment_sum(struct row_weights w, const uint16_t *cell, const uint32_t *sum,
                                uint32_t at, uint32_t n)
{
    u32s some = {0};
    uint32_t all = 0, i = 0;
    for (; i + V_LANES_32 <= n; i += V_LANES_32)
        some += v_load_32(sum + at + i);
    for (uint32_t k = 0; k < V_LANES_32; k++)
        all += some[k];
    for (; i < n; i++)
        all += sum[at + i];
    return all + w.one * cell[(ptrdiff_t)at - 1] + w.two * cell[(ptrdiff_t)at - 2];
}

/* ---- to symbols ---- */

/* The state of the coder of a tile. kernels: NULL, or what codes the values in its place. */
struct coder {
    const struct zti_tf *model;
    struct zti_tf_kernels *kernels;
    struct zti_tf_slot *slot;
    double step;    /* the quantizer's */
    uint32_t shift; /* see weight_of */
    uint32_t parts_way;
    struct zti_tf_tally tally;
    size_t times[ZTI_LL_ALPHABET]; /* how often magnitudes have a symbol */
    number *kept;                  /* NULL, or coefficients that are coded with several steps */
    bool *is_kept;                 /* whether they are there */
};

/* Contexts of a row whose cells are known. */
static void find_contexts(struct row_weights w, const struct scales *scales, const uint16_t *cell,
                          uint32_t n, const uint32_t *restrict sum, uint8_t *restrict context)
{
#if defined(ZTI_WITH_AVX2)
    find_context_vectors(w.one, w.two, scales->of, cell, n, sum, context);
#else
    for (uint32_t i = 0; i < n; i++)
        context[i] = (uint8_t)tf_context(sum[i] + w.one * cell[(ptrdiff_t)i - 1] +
                                             w.two * cell[(ptrdiff_t)i - 2],
                                         scales->of[i]);
#endif
}

/* Copy at most a segment of bytes. */
ZTI_INLINE void copy_bytes(uint8_t *restrict to, const uint8_t *restrict from, uint32_t n)
{
    if (n == ZTI_TF_SEGMENT) {
        memcpy(to, from, ZTI_TF_SEGMENT);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        to[i] = from[i];
}

/* Transpose 8 x 8 bytes: eight of each lane, from a place on. */
ZTI_INLINE void transpose_bytes(const uint8_t *const *lane, size_t at, uint8_t *to)
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

/* Bytes of several lanes at places from 'at' on, a place after the other; returns past the last. */
static uint8_t *write_places(const uint8_t *const *lane, uint32_t lanes, size_t at, uint32_t n,
                             uint8_t *restrict to)
{
    uint32_t i = 0;
    for (; lanes == 8 && i + 8 <= n; i += 8, to += 64)
        transpose_bytes(lane, at + i, to);
    for (; i < n; i++)
        for (uint32_t k = 0; k < lanes; k++)
            *to++ = lane[k][at + i];
    return to;
}

/* Where symbols and contexts are appended. */
struct list {
    uint8_t *symbols, *contexts;
};

/* Whether any symbol of at most a segment is not 0. */
ZTI_INLINE bool is_any(const uint8_t *symbol, uint32_t n)
{
    uint64_t any = 0;
    uint32_t i = 0;
    for (; i + 8 <= n; i += 8)
        any |= zti_get_le64(symbol + i);
    for (; i < n; i++)
        any |= symbol[i];
    return any > 0;
}

/* Append the symbols of one row of each block, with their contexts. The worker has the row's
 * symbols, the contexts of its places, and the sums over other rows. */
static void append_row(const struct zti_tf_worker *w, struct row_weights back, uint32_t n,
                       uint32_t lanes, uint16_t *const *cell, struct list *list)
{
    struct list to = *list;
    for (uint32_t at = 0, some; at < n; at += some) {
        const uint8_t *symbol[ZTI_TF_LANES], *context[ZTI_TF_LANES];
        uint32_t active = 0;
        some = tf_segment(n, at);
        for (uint32_t k = 0; k < lanes; k++) {
            const bool has_any = n < ZTI_TF_LEAST_ROW || is_any(w->symbol[k] + at, some);
            if (n >= ZTI_TF_LEAST_ROW) {
                *to.contexts++ = (uint8_t)tf_segment_context(
                    segment_sum(back, cell[k], w->sums + (size_t)k * n, at, some));
                *to.symbols++ = has_any;
            }
            symbol[active] = w->symbol[k];
            context[active] = w->context[k];
            active += has_any;
        }
        if (active == 1) {
            copy_bytes(to.symbols, symbol[0] + at, some);
            copy_bytes(to.contexts, context[0] + at, some);
            to.symbols += some;
            to.contexts += some;
        } else if (active > 1) {
            to.symbols = write_places(symbol, active, at, some, to.symbols);
            to.contexts = write_places(context, active, at, some, to.contexts);
        }
    }
    *list = to;
}

/* Quantize blocks side by side, and append their symbols. scales: of blocks of a run. last: the
 * last magnitude of the run before in the same part, or 0; returns the last magnitude of these. */
static uint32_t code_blocks(const struct coder *c, const struct zti_tf_worker *w,
                            const struct cells *cells, struct scales *scales,
                            const struct zti_tf_run *run, uint32_t first_lane, uint32_t lanes,
                            uint32_t last, struct list *to)
{
    const uint32_t n = cells->extent[ZTI_TF_AXES - 1];
    const struct row_weights back = row_weights_of(cells);
    struct row row = {.at = {0}};
    uint16_t *cell[ZTI_TF_LANES] = {NULL};
    bool is_first = true;
    number *block[ZTI_TF_LANES];
    struct ahead ahead[ZTI_TF_LANES];
    const number scale = (number)(run->band->gain / c->step), part = part_of_shift(c->shift);
    struct tally tally;
    memset(&tally, 0, sizeof tally);
    for (uint32_t k = 0; k < lanes; k++) {
        block[k] = (number *)c->slot->values + run->at[first_lane + k];
        ahead[k] = ahead_of(&c->slot->layout, run->extent, block[k]);
    }
    memset(w->cells, 0, (lanes * cells->all + ZTI_TF_BEFORE) * sizeof *w->cells);
    do {
        const size_t first = row_cell(cells, &row), place = row_value(&c->slot->layout, &row);
        const uint32_t plane = plane_of(cells, &row);
        set_scales(cells, &row, scales);
        for (uint32_t k = 0; k < lanes; k++) {
            uint32_t *const sum = w->sums + (size_t)k * n;
            cell[k] = w->cells + ZTI_TF_BEFORE + k * cells->all + first;
            prefetch_next(&c->slot->layout, run->extent, block[k], &ahead[k]);
            quantize_row(block[k] + place, n, scale, part, w->symbol[k], cell[k], &tally);
            sum_rows(cells, plane, cell[k], sum);
            sum[0] += is_first ? last : 0;
            find_contexts(back, scales, cell[k], n, sum, w->context[k]);
        }
        append_row(w, back, n, lanes, cell, to);
        is_first = false;
        if (tally.values >= TALLIED_VALUES)
            add_tally(w->tally, run->band->octave, &tally);
    } while (next_row(cells->extent, &row));
    add_tally(w->tally, run->band->octave, &tally);
    return cell[lanes - 1][n - 1];
}

/* Count symbols in contexts. */
static void count_symbols(const uint8_t *context, const uint8_t *symbol, size_t n,
                          zti_ll_counts *counts)
{
    enum { SOME = 256 };
    uint32_t *const count = &(*counts)[0][0];
    for (size_t from = 0, some; from < n; from += some) {
        uint16_t cell[SOME];
        some = n - from < SOME ? n - from : (size_t)SOME;
        for (size_t i = 0; i < some; i++)
            cell[i] = (uint16_t)(context[from + i] * ZTI_LL_ALPHABET + symbol[from + i]);
        for (size_t i = 0; i < some; i++)
            count[cell[i]]++;
    }
}

/* Count the symbols of a part, and note how many they are and how many bits they leave open. */
static void end_part(const struct coder *c, const struct zti_tf_worker *w, uint64_t open_before,
                     const struct list *to, struct zti_tf_part *part)
{
    const uint8_t *const symbol = c->slot->symbols + part->at;
    const uint8_t *const context = c->slot->contexts + part->at;
    part->symbols = (size_t)(to->symbols - symbol);
    part->open_bits = w->tally->open_bits - open_before;
    count_symbols(context, symbol, part->symbols, w->counts);
}

static struct list list_at(const struct zti_tf_slot *slot, size_t at)
{
    return (struct list){slot->symbols + at, slot->contexts + at};
}

/* An item's blocks to symbols. */
static void code_item(void *shared, uint32_t worker, uint64_t which)
{
    const struct coder *const c = shared;
    const struct zti_tf_layout *const layout = &c->slot->layout;
    const struct zti_tf_item *const item = &layout->item[which];
    const struct zti_tf_worker *const w = &c->slot->worker[worker];
    struct zti_tf_part *part = &c->slot->part[item->part];
    struct zti_tf_walk walk = item->walk;
    struct zti_tf_run run;
    struct scales scales;
    struct list to = list_at(c->slot, item->symbols_at);
    uint64_t open_before = w->tally->open_bits;
    uint32_t last = 0;
    part->at = item->symbols_at;
    for (uint32_t i = 0; i < item->runs && zti_tf_next_run(layout, &walk, &run); i++) {
        const struct cells cells = cells_of(run.extent);
        const size_t block = zti_tf_block_symbols(run.extent);
        forget_scales(&scales);
        if (!item->is_alone)
            last = code_blocks(c, w, &cells, &scales, &run, 0, run.lanes, last, &to);
        for (uint32_t lane = 0; item->is_alone && lane < run.lanes; lane++, part++) {
            part->at = item->symbols_at + lane * block;
            to = list_at(c->slot, part->at);
            open_before = w->tally->open_bits;
            (void)code_blocks(c, w, &cells, &scales, &run, lane, 1, 0, &to);
            end_part(c, w, open_before, &to, part);
        }
        if (w->tally->is_over)
            return;
    }
    if (!item->is_alone)
        end_part(c, w, open_before, &to, part);
}

/* All coefficients of a tile to multiples of the step, symbols and contexts, with their counts. */
static void code_bands(struct coder *c)
{
    struct zti_tf_slot *const slot = c->slot;
    for (uint32_t k = 0; k < slot->workers; k++) {
        memset(slot->worker[k].tally, 0, sizeof *slot->worker[k].tally);
        memset(slot->worker[k].counts, 0, sizeof *slot->worker[k].counts);
    }
    zti_tf_set_items(&slot->layout, c->parts_way);
    zti_crew_map(slot->crew, slot->layout.items, code_item, c);
    memset(slot->counts, 0, sizeof *slot->counts);
    memset(&c->tally, 0, sizeof c->tally);
    for (uint32_t k = 0; k < slot->workers; k++) {
        const struct zti_tf_tally *const t = slot->worker[k].tally;
        for (uint32_t i = 0; i < ZTI_TF_CONTEXTS; i++)
            for (uint32_t s = 0; s < ZTI_LL_ALPHABET; s++)
                (*slot->counts)[i][s] += (*slot->worker[k].counts)[i][s];
        for (uint32_t g = 0; g < ZTI_TF_OCTAVES; g++)
            for (uint32_t i = 0; i < ZTI_TF_CENTROIDS; i++) {
                c->tally.off[g][i] += t->off[g][i];
                c->tally.times[g][i] += t->times[g][i];
            }
        c->tally.open_bits += t->open_bits;
        c->tally.is_over |= t->is_over;
    }
}

/* How often magnitudes have each symbol, by the counts of contexts. */
static void count_times(struct coder *c)
{
    memset(c->times, 0, sizeof c->times);
    for (uint32_t i = 0; i < ZTI_TF_MAGNITUDE_CONTEXTS; i++)
        for (uint32_t s = 0; s < ZTI_LL_ALPHABET; s++)
            c->times[s] += (*c->slot->counts)[i][s];
}
