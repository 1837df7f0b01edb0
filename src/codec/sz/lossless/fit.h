/* fit.h: kernel text: weights of taps by least squares over a tile's keys, each point weighted by
 * the inverse square of its neighbours' mean distance: normal equations in doubles, in one order,
 * and Cholesky's decomposition. */

enum {
    FIT_POINTS = 2500,
    FIT_BOX_POINTS = 2048,
    POINTS_A_TAP = 24,
    REGIME_PART = 8 /* of a regime's values, where these are few */
};

/* A part of a tile that is looked at: all of it, or a box of its values. */
struct part {
    struct zti_ll_shape s;
    const value *values;
    key *keys; /* cells; and of these: */
    uint8_t *marks;
    uint8_t *codes; /* of magnitudes */
    key *residuals;
    bool is_far;           /* values and all of these are in a GPU's memory */
    uint32_t first_slice;  /* of the part along axes 0 and 1 of the tile */
    uint32_t band, one_in; /* band: its rows, or 0. One band in 'one_in' is looked at; without bands
                              all rows are. All have keys. */
};

/* Whether a row's residuals are made. */
ZTI_INLINE bool is_looked_at(const struct part *part, uint32_t row)
{
    return part->band == 0 || row / part->band % part->one_in == part->one_in - 1;
}

static uint32_t values_looked_at(const struct part *part)
{
    uint32_t values = 0;
    for (uint32_t row = 0; row < part->s.rows; row++)
        values += is_looked_at(part, row) ? ll_width(&part->s, row) : 0;
    return values;
}

/* Points wait until there are as many as are added at a time. */
enum { POINTS = 32, PARTIAL = 8 /* sums: each is of every eighth point */ };

struct equations {
    uint32_t n; /* unknowns */
    double a[ZTI_LL_TAPS][ZTI_LL_TAPS], b[ZTI_LL_TAPS];
    double sums[ZTI_LL_TAPS][ZTI_LL_TAPS + 1][PARTIAL]; /* of a, above its diagonal, and b */
};

/* Set a and b from their sums. */
static void add_sums(struct equations *e)
{
    for (uint32_t i = 0; i < e->n; i++)
        for (uint32_t k = i; k <= e->n; k++) {
            double sum = 0;
            for (uint32_t j = 0; j < PARTIAL; j++)
                sum += e->sums[i][k][j];
            *(k < e->n ? &e->a[i][k] : &e->b[i]) = sum;
        }
}

/* Solve for w[0 .. n); false where there is no one solution. */
static bool solve(struct equations *e, double *w)
{
    double l[ZTI_LL_TAPS][ZTI_LL_TAPS], trace = 0;
    add_sums(e);
    for (uint32_t i = 0; i < e->n; i++)
        trace += e->a[i][i];
    if (!(trace > 0) || !isfinite(trace))
        return false;
    for (uint32_t i = 0; i < e->n; i++)
        e->a[i][i] += 1e-9 * e->a[i][i] + 1e-12 * trace;
    for (uint32_t i = 0; i < e->n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double q = e->a[j][i];
            for (uint32_t k = 0; k < j; k++)
                q -= l[i][k] * l[j][k];
            if (i == j && !(q > 0))
                return false;
            l[i][j] = i == j ? sqrt(q) : q / l[j][j];
        }
    for (uint32_t i = 0; i < e->n; i++) {
        double q = e->b[i];
        for (uint32_t k = 0; k < i; k++)
            q -= l[i][k] * w[k];
        w[i] = q / l[i][i];
    }
    for (uint32_t i = e->n; i-- > 0;) {
        double q = w[i];
        for (uint32_t k = i + 1; k < e->n; k++)
            q -= l[k][i] * w[k];
        w[i] = q / l[i][i];
    }
    return true;
}

/* Of each point its differences, its weight times these, and at [ZTI_LL_TAPS] the value's own
 * difference. */
struct points {
    uint32_t n;
    double v[ZTI_LL_TAPS + 1][POINTS], weighted[ZTI_LL_TAPS][POINTS];
};

/* Add products of all points to sums. */
ZTI_INLINE void add_products(double *restrict sums, const double *restrict a,
                             const double *restrict b)
{
    double part[PARTIAL];
    memcpy(part, sums, sizeof part);
    for (uint32_t i = 0; i < POINTS; i += PARTIAL)
        for (uint32_t k = 0; k < PARTIAL; k++)
            part[k] += a[i + k] * b[i + k];
    memcpy(sums, part, sizeof part);
}

static void add_points(struct equations *e, struct points *p)
{
    double near[POINTS] = {0};
    for (uint32_t k = 0; k <= e->n; k++)
        for (uint32_t i = p->n; i < POINTS; i++)
            p->v[k][i] = 0;
    for (uint32_t k = 0; k < e->n; k++)
        for (uint32_t i = 0; i < POINTS; i++)
            near[i] += fabs(p->v[k][i]);
    for (uint32_t i = 0; i < POINTS; i++) {
        near[i] = near[i] / e->n + 1;
        near[i] = 1 / (near[i] * near[i]);
    }
    for (uint32_t k = 0; k < e->n; k++)
        for (uint32_t i = 0; i < POINTS; i++)
            p->weighted[k][i] = near[i] * p->v[k][i];
    for (uint32_t i = 0; i < e->n; i++)
        for (uint32_t k = i; k <= e->n; k++)
            add_products(e->sums[i][k], p->weighted[i], p->v[k]);
    p->n = 0;
}

/* Add value x of a row, whose taps are cells from the row's first value. */
ZTI_INLINE void add_point(struct equations *e, struct points *p, const key *const *tap,
                          const key *own, uint32_t x)
{
    const key base = tap[0][x];
    for (uint32_t i = 0; i < e->n; i++)
        p->v[i][p->n] = (double)difference(tap[i + 1][x], base);
    p->v[e->n][p->n] = (double)difference(own[x], base);
    if (++p->n == POINTS)
        add_points(e, p);
}

static bool is_marked(const struct part *part, const uint8_t *const *tap, const uint8_t *own,
                      uint32_t x, uint32_t taps)
{
    bool any = part->marks && own[x];
    for (uint32_t k = 0; k < taps && !any; k++)
        any = tap[k][x];
    return any;
}

/* Whether a column is not looked at: the first of rows that are not narrow. */
ZTI_INLINE bool is_left_out(const struct zti_ll_shape *s, uint32_t x)
{
    return x == 0 && s->width > 8 && !s->is_lanes;
}

/* Add a row's values 'from', from + 'every', and so on. */
static void add_row(struct equations *e, struct points *p, const struct part *part, bool has_marks,
                    uint32_t row, const struct zti_ll_taps *taps, uint32_t from, uint32_t every)
{
    const struct zti_ll_shape *const s = &part->s;
    const size_t cell = ll_cell(s, row);
    const struct zti_ll_place place = ll_place(s, row);
    const key *tap[ZTI_LL_TAPS];
    const uint8_t *mark[ZTI_LL_TAPS];
    for (uint32_t k = 0; k < taps->before + taps->own; k++) {
        const size_t at =
            k < taps->before ? ll_tap_cell(s, &place, taps->tap[k]) : cell - 1 - (k - taps->before);
        tap[k] = part->keys + at;
        mark[k] = part->marks + at;
    }
    for (uint32_t x = from; x < ll_width(s, row); x += every) {
        if (is_left_out(s, x) ||
            (has_marks && is_marked(part, mark, part->marks + cell, x, e->n + 1)))
            continue;
        add_point(e, p, tap, part->keys + cell, x);
    }
}

/* Add values of a regime from all of a tile whose keys are in a GPU's memory: the same values that
 * add_row takes of rows that follow each other. */
static void add_far(const struct tile *tile, struct equations *e, struct points *p,
                    const struct zti_ll_transform *t, uint32_t regime, uint32_t every)
{
    const struct zti_ll_shape *const s = &tile->s;
    uint32_t number[FIT_POINTS + 1], skip = 0, n = 0;
    uint8_t marked[FIT_POINTS + 1];
    const key *tap[ZTI_LL_TAPS + 1];
    key *const list = (key *)(void *)tile->slot->found;
    for (uint32_t row = 0; row < s->rows; row++) {
        if (ll_regime(s, row) != regime || (t->has_rows && t->source[row] >= 0))
            continue;
        for (uint32_t x = (every - skip % every) % every; x < ll_width(s, row); x += every)
            if (!is_left_out(s, x))
                number[n++] = row * s->width + x;
        skip += s->width;
    }
    if (n == 0)
        return;
    tile->kernels->points(tile->kernels, regime, number, n, list, marked);
    for (uint32_t k = 0; k < e->n + 2; k++)
        tap[k] = list + (size_t)k * n;
    for (uint32_t i = 0; i < n; i++)
        if (!t->has_marks || !marked[i])
            add_point(e, p, tap, tap[e->n + 1], i);
}

/* Values of a regime in all parts. */
static uint64_t count_regime(const struct part *part, uint32_t parts, uint32_t regime)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < parts; i++)
        for (uint32_t row = 0; row < part[i].s.rows; row++)
            if (ll_regime(&part[i].s, row) == regime)
                count += part[i].s.width;
    return count;
}

static void fit_regime(const struct tile *tile, const struct part *part, uint32_t parts,
                       const struct zti_ll_transform *t, uint32_t regime,
                       struct zti_ll_predictor *p)
{
    const struct zti_ll_taps taps = ll_taps(&part->s, regime);
    const uint32_t n = taps.before + taps.own;
    const uint64_t count = count_regime(part, parts, regime);
    struct equations e = {.n = n - 1};
    struct points points;
    double w[ZTI_LL_TAPS];
    points.n = 0;
    p->has_weights[regime] = false;
    if (n < 2 || count < (uint64_t)POINTS_A_TAP * n)
        return;
    const uint64_t few =
        count / REGIME_PART > POINTS_A_TAP * n ? count / REGIME_PART : POINTS_A_TAP * n;
    const uint64_t most = parts > 1 ? FIT_BOX_POINTS : few < FIT_POINTS ? few : FIT_POINTS;
    uint32_t every = (uint32_t)(count / most) + 1, skip = 0;
    every += every > 1 && part->s.width % every == 0;
    if (part->is_far)
        add_far(tile, &e, &points, t, regime, every);
    for (uint32_t i = 0; !part->is_far && i < parts; i++)
        for (uint32_t row = 0; row < part[i].s.rows; row++) {
            if (ll_regime(&part[i].s, row) != regime || (t->has_rows && t->source[row] >= 0))
                continue;
            add_row(&e, &points, &part[i], t->has_marks, row, &taps, (every - skip % every) % every,
                    every);
            skip += part[i].s.width;
        }
    add_points(&e, &points);
    if (!solve(&e, w))
        return;
    for (uint32_t k = 1; k < n; k++) {
        if (!(fabs(w[k - 1]) <= (double)ZTI_LL_MOST_WEIGHT))
            return;
        p->weight[regime][k] = (float)w[k - 1];
    }
    p->taps[regime] = taps;
    p->has_weights[regime] = true;
}

static void fit(const struct tile *tile, const struct part *part, uint32_t parts,
                const struct zti_ll_transform *t, struct zti_ll_predictor *p)
{
    const uint32_t last = part->s.rows - 1, all = ll_regime(&part->s, last);
    for (uint32_t regime = 0; regime < ZTI_LL_REGIMES; regime++)
        if ((regime & ~all) == 0)
            fit_regime(tile, part, parts, t, regime, p);
        else
            p->has_weights[regime] = false;
}
