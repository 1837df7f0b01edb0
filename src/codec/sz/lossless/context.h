/* context.h: kernel text: contexts of a row's symbols, from the magnitudes and marks of rows that
 * are complete; and residuals to symbols and back. */

/* The mean magnitudes that n values of a row, from value 'first' on, have their contexts of. */
ZTI_INLINE void find_means(const struct zti_ll_near *near, const float *magnitude, uint32_t n,
                           float *mean)
{
    for (uint32_t i = 0; i < n; i++)
        mean[i] = 0;
    for (uint32_t k = 0; k < near->count; k++) {
        const float *const from = magnitude + near->at[k];
        const float w = near->weight[k];
        for (uint32_t i = 0; i < n; i++)
            mean[i] += w * from[i];
    }
}

/* Neighbours whose marks count: those above, left and right of that, and before the row. */
struct beside {
    bool has_any;
    ptrdiff_t up, left, right, other;
};

static struct beside beside_of(const struct zti_ll_shape *s, const struct row *row)
{
    const ptrdiff_t stride = s->stride;
    struct beside b = {.has_any = row->regime != 0 && row->source < 0};
    const uint32_t axis = row->regime & 1 ? 0 : row->regime & 2 ? 1 : 2;
    if (!b.has_any)
        return b;
    b.up = -(ptrdiff_t)ll_rows_back(s, axis) * stride;
    b.left = b.up - !s->is_lanes;
    b.right = b.up + !s->is_lanes;
    b.other = b.left;
    if (s->is_lanes && row->number > 1)
        b.other = -2 * stride;
    else if (axis == 0 && row->regime & 6)
        b.other = -(ptrdiff_t)ll_rows_back(s, row->regime & 2 ? 1 : 2) * stride;
    return b;
}

/* Contexts of n values of a row by their means. */
ZTI_INLINE void find_contexts(const struct row *row, const struct beside *b, const uint8_t *mark,
                              bool has_marks, const float *mean, uint32_t n, uint16_t *context)
{
    if (row->source >= 0) {
        for (uint32_t i = 0; i < n; i++)
            context[i] = (uint16_t)(ZTI_LL_REPEATS + ll_level(mean[i]));
        return;
    }
    if (!has_marks || !b->has_any) {
        for (uint32_t i = 0; i < n; i++)
            context[i] = (uint16_t)ll_level(mean[i]);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        const int fills = 2 * (mark[i + b->up] == ZTI_LL_MARK_FILL) +
                          2 * (mark[i + b->other] == ZTI_LL_MARK_FILL) +
                          (mark[i + b->left] == ZTI_LL_MARK_FILL) +
                          (mark[i + b->right] == ZTI_LL_MARK_FILL);
        context[i] = (uint16_t)ll_context(ll_level(mean[i]), (uint32_t)fills);
    }
}

/* Magnitudes and marks of a row's margins are those at its ends. */
static void end_row(const struct zti_ll_shape *s, const struct row *row, float *magnitude,
                    uint8_t *mark)
{
    const size_t first = row->cell, end = first + row->width;
    for (uint32_t i = 1; i <= ZTI_LL_MARGIN; i++)
        magnitude[first - i] = magnitude[first];
    for (size_t i = end; i < first + s->width + ZTI_LL_MARGIN; i++)
        magnitude[i] = magnitude[end - 1];
    set_mark_margins(s, mark, row->number);
}

/* The mean of a piece's magnitudes, which the next piece of a row that has no row before it has for
 * all of its means. */
ZTI_INLINE float mean_of_piece(const float *magnitude)
{
    float sum = 0;
    for (uint32_t i = 0; i < ZTI_LL_PIECE; i++)
        sum += magnitude[i];
    return sum / ZTI_LL_PIECE;
}

ZTI_INLINE value size_of(key residual)
{
    return residual < 0 ? 0 - (value)residual : (value)residual;
}

/* Symbols of n residuals, and magnitudes for contexts. Returns the bits that they leave open. */
static uint64_t residuals_to_symbols(const struct tile *tile, bool has_signs, const key *residual,
                                     const uint8_t *mark, const float *mean, uint32_t n,
                                     uint8_t *symbol, float *magnitude)
{
    uint64_t open = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (mark && mark[i]) {
            symbol[i] = mark[i];
            magnitude[i] = mean[i];
            continue;
        }
        const value size = size_of(residual[i]);
        const uint32_t code = ll_code(size);
        symbol[i] = (uint8_t)(has_signs ? 2 * code - (residual[i] < 0) : code);
        magnitude[i] = tile->tables->middle[code];
        open += ll_open_bits(code) + (!has_signs && size != 0);
    }
    return open;
}

/* The marks and magnitudes of n symbols. */
static void symbols_to_magnitudes(const struct tile *tile, bool has_signs, bool has_marks,
                                  const uint8_t *symbol, const float *mean, uint32_t n,
                                  uint8_t *mark, float *magnitude)
{
    for (uint32_t i = 0; i < n; i++) {
        const bool is_mark = has_marks && symbol[i] >= ZTI_LL_MARK_RAW;
        const uint32_t code = has_signs ? (symbol[i] + 1u) / 2 : symbol[i];
        mark[i] = is_mark ? symbol[i] : 0;
        magnitude[i] = is_mark ? mean[i] : tile->tables->middle[code];
    }
}

/* What symbols leave open: signs, where these have none, and bits below the two highest. */
static void put_residuals(bool has_signs, const key *residual, const uint8_t *symbol,
                          bool has_marks, size_t n, struct zti_bit_writer *w)
{
    for (size_t i = 0; i < n; i++) {
        if (has_marks && symbol[i] >= ZTI_LL_MARK_RAW)
            continue;
        const uint32_t code = has_signs ? (symbol[i] + 1u) / 2 : symbol[i];
        const uint32_t open = ll_open_bits(code);
        const value size = size_of(residual[i]);
        if (!has_signs && code > 0)
            zti_put_bits(w, residual[i] < 0, 1);
        if (open > 0)
            zti_put_bits64(w, size & (((value)1 << open) - 1), open);
    }
}

static void take_residuals(bool has_signs, const uint8_t *symbol, bool has_marks, uint32_t n,
                           struct zti_bit_reader *r, key *residual)
{
    for (uint32_t i = 0; i < n; i++) {
        if (has_marks && symbol[i] >= ZTI_LL_MARK_RAW) {
            residual[i] = 0;
            continue;
        }
        const uint32_t code = has_signs ? (symbol[i] + 1u) / 2 : symbol[i];
        const uint32_t open = ll_open_bits(code);
        bool is_negative = has_signs && symbol[i] & 1;
        if (!has_signs && code > 0)
            is_negative = zti_take_within(r, 1);
        value size = (value)ll_least(code);
        if (open > 0)
            size |= (value)ll_take(r, open);
        residual[i] = (key)(is_negative ? 0 - size : size);
    }
}
