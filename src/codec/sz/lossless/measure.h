/* measure.h: kernel text: what a transform and a predictor make of a tile, or of boxes of it: keys,
 * residuals, symbols by context, and their cost. */

/* The slice of a tile that a part's row is in. */
ZTI_INLINE uint32_t slice_of(const struct tile *tile, const struct part *part, uint32_t row)
{
    const uint32_t slice = part->s.is_lanes ? 0 : row / part->s.dim[2];
    return part->first_slice + slice / part->s.dim[1] * tile->s.dim[1] + slice % part->s.dim[1];
}

/* Keys of a part, and the bits beside their residuals'. *marks says whether any value has none. */
static uint64_t make_keys(const struct tile *tile, const struct part *part,
                          const struct zti_ll_transform *t, bool *has_marks)
{
    const struct zti_ll_shape *const s = &part->s;
    uint64_t open = 0, raw = 0;
    struct opens opens;
    if (part->is_far)
        return tile->kernels->make_keys(tile->kernels, t, has_marks);
    make_opens(t, &opens);
    for (uint32_t row = 0; row < s->rows; row++) {
        const size_t cell = ll_cell(s, row);
        const uint32_t slice = t->kind == ZTI_LL_LATTICE ? slice_of(tile, part, row) : 0;
        raw += row_to_keys(tile, t, &opens, slice, part->values + (size_t)row * s->width,
                           ll_width(s, row), part->keys + cell, part->marks + cell, &open);
        set_mark_margins(s, part->marks, row);
    }
    *has_marks = t->has_fill || raw > 0;
    for (uint32_t row = 0; row < s->rows; row++) {
        set_margin_before(s, part->keys, row);
        if (*has_marks)
            fill_row(s, part->keys, part->marks, row);
        set_margin_behind(s, part->keys, row);
    }
    return open + raw * WIDTH;
}

/* Residuals of a part; returns a number that none of their magnitudes is above. */
static uint64_t make_residuals(const struct tile *tile, const struct part *part,
                               const struct zti_ll_transform *t, const struct zti_ll_predictor *p)
{
    const struct zti_ll_shape *const s = &part->s;
    value any = 0;
    struct rows rows;
    open_rows(&rows, s, t, p);
    for (uint32_t number = 0; number < s->rows; number++) {
        if (!is_looked_at(part, number))
            continue;
        const struct row row = row_of(&rows, number);
        key *const residual = part->residuals + (size_t)number * s->width;
        row_to_residuals(s, t, &row, part->keys, tile->slot->sums, residual);
        for (uint32_t i = 0; t->has_marks && i < row.width; i++)
            residual[i] = part->marks[row.cell + i] ? 0 : residual[i];
        for (uint32_t i = 0; i < row.width; i++) /* of a negative one, the magnitude less 1 */
            any |= (value)(residual[i] ^ (residual[i] >> (WIDTH - 1)));
    }
    return (uint64_t)any + 1;
}

/* Means and contexts of a row, or of a piece of one that has no row before it. */
ZTI_INLINE void find_row_contexts(const struct tile *tile, const struct part *part,
                                  const struct zti_ll_transform *t, const struct row *row,
                                  const struct zti_ll_near *near, uint32_t first, uint32_t n,
                                  uint16_t *context)
{
    const struct zti_ll_beside beside =
        ll_beside(&part->s, row->number, row->regime, row->source >= 0);
    uint16_t *const mean = tile->slot->means;
    const uint8_t *const code = part->codes + row->cell + first;
    if (near->rows > 0) {
        find_means(&part->s, near, code, n, mean);
    } else {
        const uint32_t m = first > 0 ? mean_of_piece(code - ZTI_LL_PIECE) : 0;
        for (uint32_t i = 0; i < n; i++)
            mean[i] = (uint16_t)m;
    }
    find_contexts(row, &beside, part->marks + row->cell + first, t->has_marks, mean, n, context);
}

/* Symbols and contexts of a part. Returns the bits that symbols leave open. */
static uint64_t make_symbols(const struct tile *tile, const struct part *part,
                             const struct zti_ll_transform *t, bool has_signs, uint8_t *symbol,
                             uint16_t *context)
{
    const struct zti_ll_shape *const s = &part->s;
    struct near_rows near_rows = {.known = 0};
    size_t to = 0;
    uint64_t open = 0;
    if (part->band > 0)
        memset(part->codes, 0, ll_cell(s, s->rows));
    for (uint32_t number = 0; number < s->rows; number++) {
        if (!is_looked_at(part, number))
            continue;
        const struct row row = row_at(s, t, number);
        const struct zti_ll_near *const near = near_of(&near_rows, s, t, &row);
        const size_t first = (size_t)number * s->width;
        const uint32_t most = near->rows > 0 ? row.width : ZTI_LL_PIECE;
        for (uint32_t i = 0, n; i < row.width; i += n, to += n) {
            n = row.width - i < most ? row.width - i : most;
            find_row_contexts(tile, part, t, &row, near, i, n, context + to);
            uint8_t *const mark = part->marks + row.cell + i;
            open += residuals_to_symbols(has_signs, part->residuals + first + i,
                                         t->has_marks ? mark : NULL, n, symbol + to);
            symbols_to_codes(has_signs, t->has_marks, symbol + to, tile->slot->means, n, mark,
                             part->codes + row.cell + i);
        }
        end_row(s, &row, t->has_marks, part->codes, part->marks);
    }
    return open;
}

/* How often contexts occur, about: four in sixteen are counted, in four places so that counts of
 * neighbours do not wait for each other. */
static void count_contexts(const uint16_t *context, size_t n, uint32_t *count)
{
    uint32_t part[4][ZTI_LL_CONTEXTS];
    memset(part, 0, sizeof part);
    for (size_t i = 0; i + 4 <= n; i += 16)
        for (uint32_t k = 0; k < 4; k++)
            part[k][context[i + k]]++;
    for (uint32_t c = 0; c < ZTI_LL_CONTEXTS; c++)
        count[c] = part[0][c] + part[1][c] + part[2][c] + part[3][c];
}

/* Add symbols of groups: counts are in two places. */
static void count_symbols(zti_ll_counts *counts, const uint8_t *group_of, const uint8_t *symbol,
                          const uint16_t *context, size_t n)
{
    enum { AT_A_TIME = 512 };
    uint32_t *const even = &counts[0][0][0], *const odd = &counts[1][0][0];
    uint8_t group[AT_A_TIME];
    uint16_t number[AT_A_TIME];
    for (size_t i = 0; i < n; i += AT_A_TIME) {
        const uint32_t some = n - i < AT_A_TIME ? (uint32_t)(n - i) : AT_A_TIME;
        look_up(group_of, ZTI_LL_TABLE / 128, 0, context + i, some, group);
        for (uint32_t k = 0; k < some; k++)
            number[k] = (uint16_t)(group[k] * ZTI_LL_ALPHABET + symbol[i + k]);
        for (uint32_t k = 0; k + 2 <= some; k += 2) {
            even[number[k]]++;
            odd[number[k + 1]]++;
        }
        if (some % 2)
            even[number[some - 1]]++;
    }
}

static void join_counts(zti_ll_counts *counts, uint32_t groups)
{
    for (uint32_t g = 0; g < groups; g++)
        for (uint32_t i = 0; i < ZTI_LL_ALPHABET; i++)
            counts[0][g][i] += counts[1][g][i];
}

static void clear_counts(zti_ll_counts *counts, uint32_t groups)
{
    memset(counts[0], 0, groups * sizeof counts[0][0]);
    memset(counts[1], 0, groups * sizeof counts[1][0]);
}

enum { WORTH_PART = 128 /* of all bits: what a model more has to save, for the time it takes */ };

/* What kernels counted of contexts. */
static const uint32_t *far_counts(const struct tile *tile)
{
    return tile->kernels ? tile->kernels->contexts : NULL;
}

/* The models of a tile's or another part's symbols, and which context has which, given how often
 * contexts occur: if kernels counted those, they count symbols too. Counts are in the first place.
 */
static uint32_t find_models(const struct tile *tile, const uint32_t *count, uint32_t values,
                            uint8_t *model_of, uint64_t *cost)
{
    struct zti_ll_slot *const slot = tile->slot;
    uint8_t group_of[ZTI_LL_TABLE] = {0}, model[ZTI_LL_GROUPS];
    const uint32_t groups = zti_ll_group(count, group_of);
    if (count == far_counts(tile)) {
        tile->kernels->count_symbols(tile->kernels, group_of, groups, slot->counts[0]);
    } else {
        clear_counts(slot->counts, groups);
        count_symbols(slot->counts, group_of, slot->symbols, slot->contexts, values);
        join_counts(slot->counts, groups);
    }
    const uint32_t models =
        zti_ll_merge(tile->tables, slot->counts[0], groups, WORTH_PART, model, cost);
    for (uint32_t c = 0; c < ZTI_LL_CONTEXTS; c++)
        model_of[c] = model[group_of[c]];
    return models;
}

/* Bits, times 2^16, that residuals of parts take whose keys are there. */
static uint64_t cost_of(const struct tile *tile, const struct part *part, uint32_t parts,
                        const struct zti_ll_transform *t, const struct zti_ll_predictor *p)
{
    struct zti_ll_slot *const slot = tile->slot;
    const uint32_t groups = tile->tables->groups;
    uint64_t any = 0, open = 0, cost = 0;
    uint32_t count[ZTI_LL_CONTEXTS];
    uint8_t model_of[ZTI_LL_CONTEXTS];
    if (part->is_far) {
        bool signs;
        open = tile->kernels->make_symbols(tile->kernels, t, p, &signs);
        (void)find_models(tile, far_counts(tile), tile->s.values, model_of, &cost);
        return cost + (open << 16);
    }
    for (uint32_t i = 0; i < parts; i++)
        any |= make_residuals(tile, &part[i], t, p);
    const bool has_signs = ll_have_signs(any);
    clear_counts(slot->counts, groups);
    for (uint32_t i = 0; i < parts; i++) {
        open += make_symbols(tile, &part[i], t, has_signs, slot->symbols, slot->contexts);
        if (parts > 1)
            count_symbols(slot->counts, tile->tables->sample_groups, slot->symbols, slot->contexts,
                          part[i].s.values);
    }
    if (parts == 1) {
        const uint32_t values = values_looked_at(part);
        count_contexts(slot->contexts, values, count);
        (void)find_models(tile, count, values, model_of, &cost);
    } else {
        join_counts(slot->counts, groups);
    }
    for (uint32_t g = 0; parts > 1 && g < groups; g++)
        cost += zti_ll_cost(tile->tables, slot->counts[0][g], ZTI_LL_ALPHABET);
    return cost + (open << 16);
}
