/* predict.h: kernel text: a row's keys predicted by neighbours, to residuals and back. Sums are of
 * single products in one order, whatever the instruction set. */

/* What predicts rows of a regime: cells of taps before a row, from its own first one on, or terms.
 */
struct reach {
    bool is_made;
    uint32_t edges;       /* of the tile that the taps are at */
    uint32_t before, own; /* taps */
    ptrdiff_t tap[ZTI_LL_TAPS];
    struct zti_ll_terms terms, first; /* of a row's values, and of the first of them */
    bool has_own;                     /* differences along the row too */
};

/* A tile's rows, as they are asked for. */
struct rows {
    const struct zti_ll_shape *s;
    const struct zti_ll_transform *t;
    const struct zti_ll_predictor *p;
    struct reach reach[ZTI_LL_REGIMES];
};

/* A row of a tile, and what predicts it. */
struct row {
    uint32_t number, width, regime;
    size_t cell;
    int32_t source; /* the row that it repeats, or -1 */
    uint32_t how;
    bool has_weights;
    uint32_t before, own; /* taps */
    const struct reach *reach;
    const float *weight;
};

ZTI_INLINE void open_rows(struct rows *rows, const struct zti_ll_shape *s,
                          const struct zti_ll_transform *t, const struct zti_ll_predictor *p)
{
    rows->s = s;
    rows->t = t;
    rows->p = p;
    for (uint32_t i = 0; i < ZTI_LL_REGIMES; i++)
        rows->reach[i].is_made = false;
}

/* A row without what predicts it. */
ZTI_INLINE struct row row_at(const struct zti_ll_shape *s, const struct zti_ll_transform *t,
                             uint32_t number)
{
    struct row row = {.number = number,
                      .width = ll_width(s, number),
                      .regime = ll_regime(s, number),
                      .cell = ll_cell(s, number),
                      .source = t->has_rows ? t->source[number] : -1,
                      .how = t->has_rows ? t->how[number] : 0};
    return row;
}

/* Which edges of the tile taps of a row may reach over. */
ZTI_INLINE uint32_t edges_of(const struct zti_ll_shape *s, const struct zti_ll_place *place)
{
    const uint32_t y = place->y < 3 ? (uint32_t)place->y : 3; /* taps reach 3 rows back */
    const uint32_t z = place->z < 2 ? (uint32_t)place->z : 2;
    const uint32_t t = place->t < 2 ? (uint32_t)place->t : 2;
    if (s->is_lanes)
        return place->y < ZTI_LL_TAPS ? (uint32_t)place->y : ZTI_LL_TAPS;
    return y | z << 2 | t << 4 | (uint32_t)(place->y + 1 == s->dim[2]) << 6;
}

static void find_taps(const struct rows *rows, const struct row *row,
                      const struct zti_ll_place *place, struct reach *reach)
{
    const struct zti_ll_taps *const taps = &rows->p->taps[row->regime];
    reach->before = taps->before;
    reach->own = taps->own;
    reach->tap[0] = 0; /* where there are no taps before, too */
    for (uint32_t k = 0; k < taps->before; k++)
        reach->tap[k] = (ptrdiff_t)ll_tap_cell(rows->s, place, taps->tap[k]) - (ptrdiff_t)row->cell;
}

/* A row; what predicts it is valid until the next is asked for. */
ZTI_INLINE struct row row_of(struct rows *rows, uint32_t number)
{
    const struct zti_ll_shape *const s = rows->s;
    struct row row = row_at(s, rows->t, number);
    struct reach *const reach = &rows->reach[row.regime];
    row.has_weights = rows->p->has_weights[row.regime];
    row.weight = rows->p->weight[row.regime];
    row.reach = reach;
    if (row.has_weights) {
        const struct zti_ll_place place = ll_place(s, number);
        const uint32_t edges = edges_of(s, &place);
        if (!reach->is_made || reach->edges != edges)
            find_taps(rows, &row, &place, reach);
        reach->edges = edges;
        row.before = reach->before;
        row.own = reach->own;
    } else if (!reach->is_made) {
        const uint32_t axes = rows->p->axes & (row.regime | 8);
        reach->has_own = axes & 8;
        ll_find_terms(s, axes, &reach->terms);
        ll_find_terms(s, axes & 7, &reach->first);
    }
    reach->is_made = true;
    return row;
}

/* Margins: before a row stands the first key of the row before it, behind it its last key. */
static void set_margin_before(const struct zti_ll_shape *s, key *k, uint32_t number)
{
    const size_t cell = ll_cell(s, number);
    const key first = margin_before(s, k, number);
    for (uint32_t i = 1; i <= ZTI_LL_MARGIN; i++)
        k[cell - i] = first;
}

static void set_margin_behind(const struct zti_ll_shape *s, key *k, uint32_t number)
{
    const size_t end = ll_cell(s, number) + ll_width(s, number);
    for (size_t i = end; i < ll_cell(s, number) + s->width + ZTI_LL_MARGIN; i++)
        k[i] = k[end - 1];
}

/* Marks of margins are those at the row's ends. */
static void set_mark_margins(const struct zti_ll_shape *s, uint8_t *mark, uint32_t number)
{
    const size_t first = ll_cell(s, number), end = first + ll_width(s, number);
    for (uint32_t i = 1; i <= ZTI_LL_MARGIN; i++)
        mark[first - i] = mark[first];
    for (size_t i = end; i < first + s->width + ZTI_LL_MARGIN; i++)
        mark[i] = mark[end - 1];
}

static void fill_row(const struct zti_ll_shape *s, key *k, const uint8_t *mark, uint32_t number)
{
    const size_t cell = ll_cell(s, number);
    const uint32_t width = ll_width(s, number), regime = ll_regime(s, number);
    for (uint32_t x = next_mark(mark + cell, 0, width); x < width;
         x = next_mark(mark + cell, x + 1, width))
        k[cell + x] = filler(s, k, regime, cell + x, x == 0);
}

/* ---- weights ---- */

#include "codec/sz/lossless/lanes.h"

/* Weighted differences of the taps of rows before to the first of them. */
ZTI_INLINE void sum_before(const struct row *row, const key *k, uint32_t n, real *sum)
{
    const key *const own = k + row->cell;
    for (uint32_t i = 0; i < n; i++)
        sum[i] = 0;
    if (row->before == 0)
        return;
    const key *const base = own + row->reach->tap[0];
    for (uint32_t j = 1; j < row->before; j++) {
        const key *const tap = own + row->reach->tap[j];
        const real w = (real)row->weight[j];
        for (uint32_t i = 0; i < n; i++)
            sum[i] += w * (real)difference(tap[i], base[i]);
    }
}

/* Those of the row's own keys, the farthest first. */
ZTI_INLINE real sum_own(const struct row *row, const key *own, key base, real sum, uint32_t nearest)
{
    for (uint32_t j = row->own; j >= nearest; j--) {
        const real w = (real)row->weight[row->before + j - 1];
        sum += w * (real)difference(own[-(ptrdiff_t)j], base);
    }
    return sum;
}

/* The same of n values of a row, which are known. */
ZTI_INLINE void add_own(const struct row *row, const key *own, const key *base, uint32_t n,
                        real *sum)
{
    for (uint32_t j = row->own; j >= (row->before > 0 ? 1u : 2u); j--) {
        const key *const tap = own - j;
        const real w = (real)row->weight[row->before + j - 1];
        for (uint32_t i = 0; i < n; i++)
            sum[i] += w * (real)difference(tap[i], base[i]);
    }
}

ZTI_INLINE key predicted_by_weights(const struct row *row, const key *own, const key *base,
                                    real sum)
{
    const key from = row->before > 0 ? *base : own[-1];
    sum = sum_own(row, own, from, row->before > 0 ? sum : 0, row->before > 0 ? 1 : 2);
    return (key)((value)from + (value)rounded(sum));
}

/* ---- differences ---- */

ZTI_INLINE void sum_terms(const struct row *row, const key *own, uint32_t n, value *sum)
{
    const struct zti_ll_terms *const terms = &row->reach->terms;
    for (uint32_t i = 0; i < n; i++)
        sum[i] = 0;
    for (uint32_t j = 0; j < terms->n; j++) {
        const key *const term = own - terms->back[j];
        if (terms->is_added[j])
            for (uint32_t i = 0; i < n; i++)
                sum[i] += (value)term[i];
        else
            for (uint32_t i = 0; i < n; i++)
                sum[i] -= (value)term[i];
    }
}

ZTI_INLINE value first_predicted(const struct row *row, const key *own)
{
    const struct zti_ll_terms *const terms = &row->reach->first;
    value sum = 0;
    for (uint32_t j = 0; j < terms->n; j++) {
        const value term = (value)own[-terms->back[j]];
        sum += terms->is_added[j] ? term : 0 - term;
    }
    return sum;
}

#if defined(ZTI_WITH_AVX2)
ZTI_INLINE vector terms_at(const struct zti_ll_terms *terms, const key *own)
{
    vector sum = {0};
    for (uint32_t j = 0; j < terms->n; j++) {
        const vector term = (vector)load_keys(own - terms->back[j]);
        sum = terms->is_added[j] ? sum + term : sum - term;
    }
    return sum;
}
#endif

/* The residuals of a row by differences. */
static void differences_to_residuals(const struct row *row, const key *own, void *sums,
                                     key *residual)
{
    const bool has_own = row->reach->has_own;
    const uint32_t n = row->width;
#if defined(ZTI_WITH_AVX2)
    (void)sums;
    for (uint32_t i = 0; i < n; i += LANES) {
        vector one = (vector)load_keys(own + i) - terms_at(&row->reach->terms, own + i);
        if (has_own)
            one -= (vector)load_keys(own + i - 1);
        memcpy(residual + i, &one, sizeof one);
    }
#else
    value *const sum = sums;
    sum_terms(row, own, n, sum);
    for (uint32_t i = 0; i < n; i++)
        residual[i] = (key)((value)own[i] - sum[i] - (has_own ? (value)own[(ptrdiff_t)i - 1] : 0));
#endif
    residual[0] = (key)((value)own[0] - first_predicted(row, own));
}

/* ---- rows that repeat rows ---- */

/* What a row that repeats one is predicted as. */
static void repeat_row(const struct zti_ll_shape *s, const struct zti_ll_transform *t,
                       const struct row *row, const key *k, key *restrict to)
{
    const key *const from = k + ll_cell(s, (uint32_t)row->source);
    const uint32_t n = row->width;
    if (row->how & 1) {
        const uint32_t first = ll_mirrored(1, t->mirror, n, 0) + 1, turn = first < n ? first : n;
        for (uint32_t x = 0; x < turn; x++)
            to[x] = from[first - 1 - x];
        for (uint32_t x = turn; x < n; x++)
            to[x] = from[first - 1 + n - x];
    } else {
        memcpy(to, from, n * sizeof *to);
    }
    const bool is_turned = row->how & 2;
    if (is_turned && t->kind <= ZTI_LL_LINEAR)
        for (uint32_t x = 0; x < n; x++)
            to[x] = ~to[x];
    else if (is_turned)
        for (uint32_t x = 0; x < n; x++)
            to[x] = (key)(0 - (value)to[x]);
}

/* ---- a row ---- */

#if defined(ZTI_WITH_AVX2)
/* The prediction of a vector of keys by weights. The keys of the taps are known. Of the row's own
 * taps, those nearer than 'nearest' are left out. */
ZTI_INLINE vector predicted_vector(const struct row *row, const key *k, const key *base, uint32_t i,
                                   uint32_t nearest)
{
    const key *const own = k + row->cell;
    const keys origin = load_keys(base + i);
    reals s = {0};
    for (uint32_t j = 1; j < row->before; j++)
        s += (real)row->weight[j] * distance(load_keys(own + row->reach->tap[j] + i), origin);
    for (uint32_t j = row->own; j >= nearest; j--)
        s += (real)row->weight[row->before + j - 1] * distance(load_keys(own + i - j), origin);
    return (vector)origin + (vector)rounded_all(s);
}
#endif

/* The residuals of a row by weights. What is behind the row, up to a vector, is overwritten. */
static void weights_to_residuals(const struct row *row, const key *k, real *sum, key *residual)
{
    const key *const own = k + row->cell;
    const key *const base = row->before > 0 ? own + row->reach->tap[0] : own - 1;
    const uint32_t nearest = row->before > 0 ? 1 : 2, n = row->width;
#if defined(ZTI_WITH_AVX2)
    (void)sum;
    for (uint32_t i = 0; i < n; i += LANES) {
        const vector one = (vector)load_keys(own + i) - predicted_vector(row, k, base, i, nearest);
        memcpy(residual + i, &one, sizeof one);
    }
#else
    (void)nearest;
    sum_before(row, k, n, sum);
    add_own(row, own, base, n, sum);
    for (uint32_t i = 0; i < n; i++)
        residual[i] = (key)((value)own[i] - (value)base[i] - (value)rounded(sum[i]));
#endif
}

/* The residuals of a row's keys. */
static void row_to_residuals(const struct zti_ll_shape *s, const struct zti_ll_transform *t,
                             const struct row *row, const key *k, void *sums, key *residual)
{
    const key *const own = k + row->cell;
    const uint32_t n = row->width;
    if (row->source >= 0) {
        key *const from = sums;
        repeat_row(s, t, row, k, from);
        for (uint32_t i = 0; i < n; i++)
            residual[i] = difference(own[i], from[i]);
    } else if (row->has_weights) {
        weights_to_residuals(row, k, sums, residual);
    } else {
        differences_to_residuals(row, own, sums, residual);
    }
}

/* And back by weights: each key waits for the one before it. */
ZTI_INLINE void residuals_by_weights(const struct row *row, const real *sum, const key *base,
                                     uint32_t taps, const key *residual, key *own)
{
    real weight[ZTI_LL_TAPS] = {0};
    for (uint32_t j = 0; j < taps; j++)
        weight[j] = (real)row->weight[row->before + j];
    for (uint32_t i = 0; i < row->width; i++) {
        real s = sum[i];
        for (uint32_t j = taps; j > 0; j--)
            s += weight[j - 1] * (real)difference(own[(ptrdiff_t)i - (ptrdiff_t)j], base[i]);
        own[i] = (key)((value)base[i] + (value)rounded(s) + (value)residual[i]);
    }
}

/* The same of a row that has no marks, of any number of its own taps. */
static void residuals_to_unmarked(const struct row *row, key *k, real *sum, const key *residual)
{
    key *const own = k + row->cell;
    const key *const base = own + row->reach->tap[0];
#if defined(ZTI_WITH_AVX2)
    for (uint32_t i = 0; row->own == 0 && i < row->width; i += LANES) {
        const vector one = predicted_vector(row, k, base, i, 1) + (vector)load_keys(residual + i);
        memcpy(own + i, &one, sizeof one);
    }
    if (row->own == 0)
        return;
#endif
    sum_before(row, k, row->width, sum);
    switch (row->own) {
    case 0: residuals_by_weights(row, sum, base, 0, residual, own); break;
    case 1: residuals_by_weights(row, sum, base, 1, residual, own); break;
    case 2: residuals_by_weights(row, sum, base, 2, residual, own); break;
    default: residuals_by_weights(row, sum, base, row->own, residual, own); break;
    }
}

/* The same of rows that have no marks, without weights. */
#if defined(ZTI_WITH_AVX2)
static void differences_to_row(const struct row *row, value *sum, const key *residual, key *own)
{
    const struct zti_ll_terms *const terms = &row->reach->terms;
    const value first = first_predicted(row, own) + (value)residual[0];
    const bool has_own = row->reach->has_own;
    vector last = {0};
    (void)sum;
    for (uint32_t i = 0; i < row->width; i += LANES) {
        vector one = (vector)load_keys(residual + i) + terms_at(terms, own + i);
        if (i == 0)
            one[0] = first;
        if (has_own) {
            one = V(sums)(one) + last;
            last = V(last)(one);
        }
        memcpy(own + i, &one, sizeof one);
    }
}
#else
static void differences_to_row(const struct row *row, value *restrict sum,
                               const key *restrict residual, key *restrict own)
{
    const uint32_t n = row->width;
    const value first = first_predicted(row, own) + (value)residual[0];
    value last = first;
    sum_terms(row, own, n, sum);
    own[0] = (key)first;
    if (row->reach->has_own)
        for (uint32_t i = 1; i < n; i++) {
            last += sum[i] + (value)residual[i];
            own[i] = (key)last;
        }
    else
        for (uint32_t i = 1; i < n; i++)
            own[i] = (key)(sum[i] + (value)residual[i]);
}
#endif

static void repeats_to_row(const struct zti_ll_shape *s, const struct zti_ll_transform *t,
                           const struct row *row, key *restrict k, key *restrict from,
                           const key *restrict residual)
{
    key *const own = k + row->cell;
    repeat_row(s, t, row, k, from);
    for (uint32_t i = 0; i < row->width; i++)
        own[i] = (key)((value)from[i] + (value)residual[i]);
}

#if defined(ZTI_WITH_AVX2)
/* The first key of such a row. */
ZTI_INLINE void begin_marked_row(const struct zti_ll_shape *s, const struct row *row, key *k,
                                 const uint8_t *mark, const key *residual)
{
    key *const own = k + row->cell;
    own[0] = mark[row->cell] ? filler(s, k, row->regime, row->cell, true)
                             : (key)(first_predicted(row, own) + (value)residual[0]);
}

/* Keys x to end - 1, some of them marked, one after another; 'some' has what residuals and the rows
 * before make of the keys from 'first' on. Fillers are those of 'filler'. */
ZTI_INLINE void chain_marked(const struct zti_ll_shape *s, const struct row *row, key *k,
                             const uint8_t *mark, const vector *some, uint32_t x, uint32_t end,
                             uint32_t first)
{
    key *const own = k + row->cell;
    const value has_own = row->reach->has_own ? ~(value)0 : 0;
    const bool has_up = row->regime & 1;
    const key *const up = own - (has_up ? s->stride : 0);
    key sum[LANES], last = own[(ptrdiff_t)x - 1];
    memcpy(sum, some, sizeof sum);
    for (; x < end; x++) {
        const key next = (key)((value)sum[x - first] + ((value)last & has_own));
        const key fill = has_up ? (key)((last >> 1) + (up[x] >> 1)) : last;
        const key aside = s->is_lanes ? filler(s, k, row->regime, row->cell + x, false) : fill;
        last = mark[x] ? aside : next;
        own[x] = last;
    }
}

/* Whether any of LANES values has a mark. */
ZTI_INLINE bool is_any_marked(const uint8_t *mark)
{
    enum { EIGHTS = (LANES + 7) / 8 };
    uint64_t some[EIGHTS] = {0}, any = 0;
    memcpy(some, mark, LANES);
    for (uint32_t i = 0; i < EIGHTS; i++)
        any |= some[i];
    return any != 0;
}

/* The same of a row without weights that has marks, LANES values at a time where none of them has
 * one. */
static void marked_differences_to_row(const struct zti_ll_shape *s, const struct row *row, key *k,
                                      const uint8_t *mark, const key *residual)
{
    const struct zti_ll_terms *const terms = &row->reach->terms;
    const bool has_own = row->reach->has_own;
    key *const own = k + row->cell;
    const uint32_t n = row->width;
    vector last = {0};
    for (uint32_t i = 0, end; i < n; i = end) {
        end = n - i < LANES ? n : i + LANES;
        const vector sums = terms_at(terms, own + i);
        if (i > 0 && end == i + LANES && !is_any_marked(mark + row->cell + i)) {
            vector one = (vector)load_keys(residual + i) + sums;
            if (has_own) {
                one = V(sums)(one) + last;
                last = V(last)(one);
            }
            memcpy(own + i, &one, sizeof one);
            continue;
        }
        const vector some = (vector)load_keys(residual + i) + sums;
        if (i == 0)
            begin_marked_row(s, row, k, mark, residual);
        chain_marked(s, row, k, mark + row->cell, &some, i + (i == 0), end, i);
        last = V(all)((value)own[end - 1]);
    }
}
#endif

/* The same of a row that has marks. */
static void residuals_to_marked(const struct zti_ll_shape *s, const struct zti_ll_transform *t,
                                const struct row *row, key *k, const uint8_t *mark, void *sums,
                                const key *residual)
{
    key *const own = k + row->cell;
    const uint32_t n = row->width;
    real *const real_sum = sums;
    value *const sum = sums;
    const bool by_weights = row->has_weights && row->source < 0;
    if (row->source >= 0)
        repeat_row(s, t, row, k, sums);
    else if (by_weights && row->before > 0)
        sum_before(row, k, n, real_sum);
    else if (!by_weights)
        sum_terms(row, own, n, sum);
    for (uint32_t i = 0; i < n; i++) {
        value p;
        if (t->has_marks && mark[row->cell + i]) {
            own[i] = filler(s, k, row->regime, row->cell + i, i == 0);
            continue;
        }
        if (row->source >= 0)
            p = sum[i];
        else if (by_weights)
            p = (value)predicted_by_weights(row, own + i, own + row->reach->tap[0] + i,
                                            real_sum[i]);
        else if (i == 0)
            p = first_predicted(row, own);
        else
            p = sum[i] + (row->reach->has_own ? (value)own[i - 1] : 0);
        own[i] = (key)(p + (value)residual[i]);
    }
}

/* And back. */
static void residuals_to_row(const struct zti_ll_shape *s, const struct zti_ll_transform *t,
                             const struct row *row, key *k, const uint8_t *mark, void *sums,
                             const key *residual)
{
#if defined(ZTI_WITH_AVX2)
    if (t->has_marks && row->source < 0 && !row->has_weights) {
        marked_differences_to_row(s, row, k, mark, residual);
        return;
    }
#endif
    if (t->has_marks || (row->has_weights && row->source < 0 && row->before == 0)) {
        residuals_to_marked(s, t, row, k, mark, sums, residual);
    } else if (row->source >= 0) {
        repeats_to_row(s, t, row, k, sums, residual);
    } else if (row->has_weights) {
        residuals_to_unmarked(row, k, sums, residual);
    } else {
        differences_to_row(row, sums, residual, k + row->cell);
    }
}
