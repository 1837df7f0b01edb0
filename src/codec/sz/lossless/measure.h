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
    for (uint32_t row = 0; row < s->rows; row++) {
        const size_t cell = ll_cell(s, row);
        const uint32_t slice = t->kind == ZTI_LL_LATTICE ? slice_of(tile, part, row) : 0;
        raw += row_to_keys(tile, t, slice, part->values + (size_t)row * s->width, ll_width(s, row),
                           part->keys + cell, part->marks + cell, &open);
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

/* Residuals of a part; returns bits that are set in one magnitude or another. */
static uint64_t make_residuals(const struct tile *tile, const struct part *part,
                               const struct zti_ll_transform *t, const struct zti_ll_predictor *p)
{
    const struct zti_ll_shape *const s = &part->s;
    value any = 0;
    for (uint32_t number = 0; number < s->rows; number++) {
        const struct row row = row_of(s, t, p, number);
        key *const residual = part->residuals + (size_t)number * s->width;
        row_to_residuals(s, t, &row, part->keys, tile->slot->sums, residual);
        for (uint32_t i = 0; i < row.width; i++) {
            residual[i] = t->has_marks && part->marks[row.cell + i] ? 0 : residual[i];
            any |= size_of(residual[i]);
        }
    }
    return any;
}

/* Means and contexts of a row, or of a piece of one that has no row before it. */
ZTI_INLINE void find_row_contexts(const struct tile *tile, const struct part *part,
                                  const struct zti_ll_transform *t, const struct row *row,
                                  const struct zti_ll_near *near, uint32_t first, uint32_t n,
                                  uint16_t *context)
{
    const struct beside beside = beside_of(&part->s, row);
    float *const mean = tile->slot->means;
    const float *const magnitude = part->magnitudes + row->cell + first;
    if (near->count > 0) {
        find_means(near, magnitude, n, mean);
    } else {
        const float m = first > 0 ? mean_of_piece(magnitude - ZTI_LL_PIECE) : 0;
        for (uint32_t i = 0; i < n; i++)
            mean[i] = m;
    }
    find_contexts(row, &beside, part->marks + row->cell + first, t->has_marks, mean, n, context);
}

/* Symbols and contexts of a part. Returns the bits that symbols leave open. */
static uint64_t make_symbols(const struct tile *tile, const struct part *part,
                             const struct zti_ll_transform *t, bool has_signs, uint8_t *symbol,
                             uint16_t *context)
{
    const struct zti_ll_shape *const s = &part->s;
    const struct zti_ll_predictor none = {.axes = 0};
    uint64_t open = 0;
    for (uint32_t number = 0; number < s->rows; number++) {
        const struct row row = row_of(s, t, &none, number);
        const struct zti_ll_near near = ll_near(s, number, t->has_rows ? t->source : NULL);
        const size_t first = (size_t)number * s->width;
        const uint32_t most = near.count > 0 ? row.width : ZTI_LL_PIECE;
        for (uint32_t i = 0, n; i < row.width; i += n) {
            n = row.width - i < most ? row.width - i : most;
            find_row_contexts(tile, part, t, &row, &near, i, n, context + first + i);
            open += residuals_to_symbols(tile, has_signs, part->residuals + first + i,
                                         t->has_marks ? part->marks + row.cell + i : NULL,
                                         tile->slot->means, n, symbol + first + i,
                                         part->magnitudes + row.cell + i);
        }
        end_row(s, &row, part->magnitudes, part->marks);
    }
    return open;
}

static void count_symbols(zti_ll_counts *counts, const uint8_t *symbol, const uint16_t *context,
                          size_t n)
{
    for (size_t i = 0; i < n; i++)
        (*counts)[context[i]][symbol[i]]++;
}

/* Bits, times 2^16, of all symbols, contexts being four by four together. */
static uint64_t cost_of_boxes(const struct tile *tile)
{
    zti_ll_counts *const counts = tile->slot->counts;
    uint64_t cost = 0;
    for (uint32_t c = 0; c < ZTI_LL_CONTEXTS; c += 4) {
        for (uint32_t k = c + 1; k < c + 4 && k < ZTI_LL_CONTEXTS; k++)
            for (uint32_t i = 0; i < ZTI_LL_ALPHABET; i++)
                (*counts)[c][i] += (*counts)[k][i];
        cost += zti_ll_cost(tile->tables, (*counts)[c]);
    }
    return cost;
}

/* Bits, times 2^16, that residuals of parts take whose keys are there. */
static uint64_t cost_of(const struct tile *tile, const struct part *part, uint32_t parts,
                        const struct zti_ll_transform *t, const struct zti_ll_predictor *p)
{
    uint64_t any = 0, open = 0, cost = 0;
    uint8_t model_of[ZTI_LL_CONTEXTS];
    memset(tile->slot->counts, 0, sizeof *tile->slot->counts);
    for (uint32_t i = 0; i < parts; i++)
        any |= make_residuals(tile, &part[i], t, p);
    const bool has_signs = ll_code(any) <= ZTI_LL_MOST_CODE;
    for (uint32_t i = 0; i < parts; i++) {
        open +=
            make_symbols(tile, &part[i], t, has_signs, tile->slot->symbols, tile->slot->contexts);
        count_symbols(tile->slot->counts, tile->slot->symbols, tile->slot->contexts,
                      part[i].s.values);
    }
    if (parts > 1)
        cost = cost_of_boxes(tile);
    else
        (void)zti_ll_merge(tile->tables, *tile->slot->counts, model_of, &cost);
    return cost + (open << 16);
}
