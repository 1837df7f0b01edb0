/* reach.h: kernel text of the lossless coder: what predicts the keys of a row, whose neighbours are
 * there, and margins beside rows. */

/* What predicts a row. By weights: 'taps' differences from a base, the sum's terms in their order;
 * those of 'own' come from the row itself. By differences: terms, added or subtracted. */
struct reach {
    uint32_t own, taps;
    bool has_weights, has_own; /* differences along the row */
    int32_t skew;
    real weight[ZTI_LL_TAPS]; /* of a term, or 0 behind the last; the first is the base's */
    struct zti_ll_tap tap[ZTI_LL_TAPS];
    struct zti_ll_terms term, first; /* of a row's values, and of the first of them */
};

/* Set by one thread for all rows of a group. */
static __device__ inline void open_reach(const struct zti_ll_shape *s,
                                         const struct zti_ll_predictor *p, uint32_t regime,
                                         struct reach *reach)
{
    const uint32_t axes = p->axes & (regime | 8);
    reach->has_weights = p->has_weights[regime];
    reach->has_own = axes & 8;
    reach->own = reach->taps = 0;
    reach->skew = 1;
    if (!reach->has_weights) {
        ll_find_terms(s, axes, &reach->term);
        ll_find_terms(s, axes & 7, &reach->first);
        return;
    }
    const uint32_t before = p->taps[regime].before;
    reach->own = p->taps[regime].own;
    memset(reach->weight, 0, sizeof reach->weight);
    for (uint32_t k = 0; k < before; k++) {
        reach->tap[k] = p->taps[regime].tap[k];
        reach->weight[k] = (real)p->weight[regime][k];
        if (reach->tap[k].x >= reach->skew)
            reach->skew = reach->tap[k].x + 1;
    }
    reach->taps = before > 0 ? before : 1;
    for (uint32_t k = reach->own; k >= (before > 0 ? 1u : 2u); k--) {
        const struct zti_ll_tap tap = {0, 0, 0, (int8_t) - (int)k};
        reach->tap[reach->taps] = tap;
        reach->weight[reach->taps++] = (real)p->weight[regime][before + k - 1];
    }
    if (before == 0) {
        const struct zti_ll_tap base = {0, 0, 0, -1};
        reach->tap[0] = base;
    }
}

/* Where the taps of a row are, from its own cells; behind the last its own. */
struct offsets {
    int32_t tap[ZTI_LL_TAPS];
};

static __device__ inline struct offsets offsets_of(const struct zti_ll_shape *s, uint32_t row,
                                                   const struct reach *reach)
{
    const struct zti_ll_place place = ll_place(s, row);
    struct offsets o;
    SIMT_UNROLL
    for (uint32_t k = 0; k < ZTI_LL_TAPS; k++)
        o.tap[k] = k < reach->taps ? (int32_t)((ptrdiff_t)ll_tap_cell(s, &place, reach->tap[k]) -
                                               (ptrdiff_t)ll_cell(s, row))
                                   : 0;
    return o;
}

/* Terms without weight are added too: they are 0, and the loads of all are on their way together.
 */
static __device__ __forceinline__ value predict_by_weights(const struct reach *reach,
                                                           const struct offsets *o, const key *own)
{
    key tap[ZTI_LL_TAPS];
    real sum = 0;
    SIMT_UNROLL
    for (uint32_t k = 0; k < ZTI_LL_TAPS; k++)
        tap[k] = own[o->tap[k]];
    SIMT_UNROLL
    for (uint32_t k = 1; k < ZTI_LL_TAPS; k++)
        sum += reach->weight[k] * (real)difference(tap[k], tap[0]);
    return (value)tap[0] + (value)rounded(sum);
}

static __device__ inline value predict_by_terms(const struct zti_ll_terms *terms, const key *own)
{
    value sum = 0;
    for (uint32_t k = 0; k < terms->n; k++) {
        const value term = (value)own[-terms->back[k]];
        sum += terms->is_added[k] ? term : 0 - term;
    }
    return sum;
}

/* Margins before and behind a row. */
static __device__ inline void begin_margin(const struct zti_ll_shape *s, uint32_t row, key *k)
{
    const key first = margin_before(s, k, row);
    for (uint32_t i = 1; i <= ZTI_LL_MARGIN; i++)
        k[ll_cell(s, row) - i] = first;
}

static __device__ inline void end_margin(const struct zti_ll_shape *s, uint32_t row, key *k)
{
    const size_t end = ll_cell(s, row) + ll_width(s, row);
    for (size_t i = end; i < ll_cell(s, row) + s->width + ZTI_LL_MARGIN; i++)
        k[i] = k[end - 1];
}
