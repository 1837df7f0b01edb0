/* predict.h: kernel text of effort 'high': predict the points of a row, LANES at a time. Included
 * by interp/instance.h.
 *
 * Sums are unsigned, because a damaged stream may give any integers modulo 2^32 or 2^64. Points
 * read before a row's start and after its end are not used. */

/* The points that a row's points lie between along one axis. */
struct parent {
    const integer *row, *first; /* that of the current row, and of the band's first row */
    const uint8_t *magnitudes, *first_magnitudes;
    const uint32_t *dim;
    size_t step;     /* to the next row along the axis */
    uint32_t at, of; /* index along the axis, and number of points */
};

/* The stencil and the rows from which a row is predicted along an axis other than the last. */
struct term {
    enum zti_sz_high_stencil stencil;
    const integer *z, *a, *b, *c; /* a, if there is no such row */
};

struct row {
    uint32_t odd;
    struct parent parent[4]; /* by axis */
    uint32_t across; /* axes other than the last along which there are points on both sides */
    uint32_t terms;  /* number of predictions, without that along the last axis */
    struct term term[3];
    bool is_linear, is_plain; /* plain: all terms are cubic */
    enum zti_sz_high_stencil
        ends[2]; /* along the last axis: stencils of the first point and the last but one */
};

/* Set the fields that the rows of a band share. */
static struct row rows_of(const struct zti_sz_pyramid *p, uint32_t l,
                          const struct zti_sz_band *band)
{
    const struct zti_sz_level *const level = &p->level[l];
    struct row row = {.odd = band->odd, .is_linear = p->is_linear};
    for (uint32_t i = 0; i < 4; i++) {
        if (!(band->odd >> i & 1))
            continue;
        const uint32_t odd = band->odd & ~(1u << i);
        const struct zti_sz_band *const other = odd ? &level->band[level->band_of[odd]] : NULL;
        struct parent *const parent = &row.parent[i];
        parent->dim = other ? other->dim : p->level[l + 1].dim;
        parent->first = other ? bands_of(p) + other->at : grid_of(p, ~l);
        parent->first_magnitudes =
            other ? p->band_magnitudes + other->at : p->grid_magnitudes[~l & 1];
        parent->of = parent->dim[i];
        parent->step = 1;
        for (uint32_t k = i + 1; k < 4; k++)
            parent->step *= parent->dim[k];
    }
    for (uint32_t i = 0; i < 2 && row.odd & 8; i++) {
        const uint32_t of = row.parent[3].of;
        row.ends[i] = zti_sz_high_stencil(i == 0 || of < 2 ? 0 : of - 2, of, row.is_linear);
    }
    return row;
}

ZTI_INLINE void add_term(struct row *row, const struct parent *parent,
                         enum zti_sz_high_stencil stencil)
{
    struct term *const term = &row->term[row->terms++];
    const integer *const a = parent->row;
    term->stencil = stencil;
    term->z = parent->at > 0 ? a - parent->step : a;
    term->a = a;
    term->b = parent->at + 1 < parent->of ? a + parent->step : a;
    term->c = parent->at + 2 < parent->of ? a + 2 * parent->step : a;
    row->is_plain = row->is_plain && stencil == ZTI_SZ_HIGH_CUBIC;
}

ZTI_INLINE void place_row(struct row *row, const uint32_t *at)
{
    row->across = row->terms = 0;
    row->is_plain = true;
    for (uint32_t i = 0; i < 4; i++) {
        struct parent *const parent = &row->parent[i];
        if (!(row->odd >> i & 1))
            continue;
        const size_t first = row_at(parent->dim, at);
        parent->row = parent->first + first;
        parent->magnitudes = parent->first_magnitudes + first;
        parent->at = i < 3 ? at[i] : 0;
        const enum zti_sz_high_stencil stencil =
            zti_sz_high_stencil(parent->at, parent->of, row->is_linear);
        if (i < 3 && stencil != ZTI_SZ_HIGH_BEYOND) {
            row->across |= 1u << i;
            add_term(row, parent, stencil);
        }
    }
    for (uint32_t i = 0; row->terms == 0 && i < 3; i++) /* no axis has points on both sides */
        if (row->odd >> i & 1 && zti_sz_high_is_beyond(row->odd, i))
            add_term(row, &row->parent[i], ZTI_SZ_HIGH_BEYOND);
}

/* Predict LANES points from point k on along an axis other than the last. */
ZTI_INLINE uints across_axis(const struct term *term, uint32_t k, bool is_plain)
{
    return v_interpolate(is_plain ? ZTI_SZ_HIGH_CUBIC : term->stencil, V_W(load)(term->z + k),
                         V_W(load)(term->a + k), V_W(load)(term->b + k), V_W(load)(term->c + k));
}

/* The points of a stencil along the last axis. */
struct along {
    uints z, a, b, c;
};

/* Predict points near a row's ends, where neighbours are missing. 'along' has the predictions of
 * the other points along the last axis; 'sum' is the sum of 'terms' predictions along the other
 * axes, and 'other' the last of these (v_mean). */
ZTI_INLINE uints at_ends(const struct row *row, uint32_t k, const struct along *p, uint32_t terms,
                         uints sum, uints other, uints along)
{
    const uint32_t last = row->parent[3].of - 1; /* the point without one after it, if any */
    const uints number = (V_W(iota)() + k);
    if (k == 0 && row->ends[0] == ZTI_SZ_HIGH_RIGHT)
        along =
            either(number == 0, v_interpolate(ZTI_SZ_HIGH_RIGHT, p->a, p->a, p->b, p->c), along);
    if (k + LANES >= last && row->ends[1] == ZTI_SZ_HIGH_LEFT)
        along = either(number == last - 1, v_interpolate(ZTI_SZ_HIGH_LEFT, p->z, p->a, p->b, p->b),
                       along);
    const uints all = v_mean(terms + 1, sum + along, along);
    if (k + LANES <= last)
        return all;
    const uints z = last > 0 ? p->z : p->a;
    const uints end = terms > 0 ? v_mean(terms, sum, other)
                                : v_interpolate(ZTI_SZ_HIGH_BEYOND, z, p->a, p->a, p->a);
    return either(number == last, end, all);
}

/* The mean of predictions along the last axis and along the others. */
ZTI_INLINE uints with_last_axis(const struct row *row, uint32_t k, uint32_t terms, uints sum,
                                uints other)
{
    const integer *const from = row->parent[3].row + k;
    const struct along p = {V_W(load)(from - 1), V_W(load)(from), V_W(load)(from + 1),
                            V_W(load)(from + 2)};
    const uints along = row->ends[0] == ZTI_SZ_HIGH_RIGHT
                            ? v_interpolate(ZTI_SZ_HIGH_CUBIC, p.z, p.a, p.b, p.c)
                            : v_interpolate(ZTI_SZ_HIGH_MIDWAY, p.z, p.a, p.b, p.c);
    if (k == 0 || k + LANES + 1 >= row->parent[3].of)
        return at_ends(row, k, &p, terms, sum, other, along);
    return v_mean(terms + 1, sum + along, along);
}

ZTI_INLINE void predict_with(const struct row *row, uint32_t first, uint32_t n, integer *out,
                             uint32_t terms, bool has_last, bool is_plain)
{
    for (uint32_t k = 0; k < n; k += LANES) {
        uints sum = {0}, last = {0};
        for (uint32_t i = 0; i < terms; i++) {
            last = across_axis(&row->term[i], first + k, is_plain);
            sum += last;
        }
        V_W(store)
        (out + k,
         has_last ? with_last_axis(row, first + k, terms, sum, last) : v_mean(terms, sum, last));
    }
}

/* Predict points [first, first + n) of a row, rounded up to whole vectors. */
static void predict(const struct row *row, uint32_t first, uint32_t n, integer *out)
{
#define CASE(terms, has_last)                                                                      \
    case 4 * (terms) + 2 * (has_last):                                                             \
        predict_with(row, first, n, out, terms, has_last, false);                                  \
        break;                                                                                     \
    case 4 * (terms) + 2 * (has_last) + 1:                                                         \
        predict_with(row, first, n, out, terms, has_last, true);                                   \
        break;
    switch (4 * row->terms + 2 * (row->odd >> 3) + row->is_plain) {
        CASE(0, 1) CASE(1, 0) CASE(1, 1) CASE(2, 0) CASE(2, 1) CASE(3, 0) CASE(3, 1)
    }
#undef CASE
}
