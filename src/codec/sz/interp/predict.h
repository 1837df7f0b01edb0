/* predict.h: kernel text of effort 'high': what the points of a row are predicted to be, as
 * many at a time as there are lanes. Included by interp/instance.h.
 *
 * Integers come back modulo 2^32 from whatever a stream holds, hence the unsigned sums. What is
 * read before a row and behind its end is not made use of. */

/* What is between the points before and behind a row's along one axis. */
struct parent {
    const int32_t *row, *first; /* the row, and that of a band's first row */
    const uint8_t *loud, *first_loud;
    const uint32_t *dim;
    size_t step;     /* to the next row along the axis */
    uint32_t at, of; /* the row's place along the axis, of so many */
};

/* How a row is predicted along an axis, by the points there are. */
enum kind {
    BOTH,   /* cubic, from two before and two behind */
    LEFT,   /* from two before and one behind */
    RIGHT,  /* from one before and two behind */
    MIDWAY, /* linear, from one before and one behind */
    BEYOND  /* on the line through the last two */
};

struct term {
    const int32_t *from; /* the row before */
    size_t step;         /* to the one behind; of BEYOND, from the one before that */
    enum kind kind;
};

struct row {
    uint32_t odd;
    struct parent parent[4]; /* by axis */
    uint32_t across;         /* axes but the last, with a point on both sides */
    uint32_t terms;          /* predictions, but for that along the last axis */
    struct term term[3];
    bool is_linear, is_plain; /* plain: all terms are BOTH */
};

/* What the rows of a band have in common. */
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
        parent->first = other ? p->bands + other->at : p->grid[~l & 1];
        parent->first_loud = other ? p->band_loud + other->at : p->grid_loud[~l & 1];
        parent->of = parent->dim[i];
        parent->step = 1;
        for (uint32_t k = i + 1; k < 4; k++)
            parent->step *= parent->dim[k];
    }
    return row;
}

ZTI_INLINE enum kind kind_of(const struct parent *parent, bool is_linear)
{
    const bool has_left = parent->at > 0, has_right = parent->at + 2 < parent->of;
    return is_linear || !(has_left || has_right) ? MIDWAY
           : !has_left                           ? RIGHT
           : !has_right                          ? LEFT
                                                 : BOTH;
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
        parent->loud = parent->first_loud + first;
        parent->at = i < 3 ? at[i] : 0;
        if (i < 3 && parent->at + 1 < parent->of) {
            const enum kind kind = kind_of(parent, row->is_linear);
            row->across |= 1u << i;
            row->is_plain = row->is_plain && kind == BOTH;
            row->term[row->terms++] = (struct term){parent->row, parent->step, kind};
        }
    }
    if (row->terms == 0 && !(row->odd & 8)) { /* the last row along the first of its axes */
        const struct parent *const parent = &row->parent[lowest_bit(row->odd)];
        row->term[row->terms++] =
            (struct term){parent->row, parent->at > 0 ? parent->step : 0, BEYOND};
        row->is_plain = false;
    }
}

/* Sums in units of 1 / 2^bits, rounded. */
ZTI_INLINE lanes half_of(lanes sum, int32_t bits)
{
    return (lanes)((signed_lanes)(sum + (1u << bits >> 1)) >> bits);
}

/* Points from number k on, along an axis but the last. */
ZTI_INLINE lanes across_axis(const struct term *term, uint32_t k, bool is_plain)
{
    const int32_t *const from = term->from + k, *const next = from + term->step;
    const lanes a = load_lanes(from);
    if (is_plain || term->kind == BOTH)
        return half_of(ZTI_SZ_HIGH_BOTH(a, load_lanes(next), load_lanes(from - term->step),
                                        load_lanes(next + term->step)),
                       4);
    if (term->kind == MIDWAY)
        return half_of(a + load_lanes(next), 1);
    if (term->kind == RIGHT)
        return half_of(ZTI_SZ_HIGH_LEFT(load_lanes(next), a, load_lanes(next + term->step)), 3);
    const lanes before = load_lanes(from - term->step);
    return term->kind == LEFT ? half_of(ZTI_SZ_HIGH_LEFT(a, load_lanes(next), before), 3)
                              : half_of(ZTI_SZ_HIGH_BEYOND(a, before), 1);
}

/* The mean of up to four predictions. */
ZTI_INLINE lanes mean_of(const lanes *t, uint32_t terms)
{
    return terms == 1   ? t[0]
           : terms == 2 ? half_of(t[0] + t[1], 1)
           : terms == 3 ? half_of(ZTI_SZ_HIGH_MEAN_3(t[0], t[1], t[2]), 4)
                        : half_of(t[0] + t[1] + t[2] + t[3], 2);
}

/* The row's ends, where points miss one beside them: 'along' is what the others are, 't' the
 * predictions along the other axes, from number k on. */
ZTI_INLINE lanes at_ends(const struct row *row, uint32_t k, uint32_t terms, lanes *t, lanes along)
{
    const struct parent *const parent = &row->parent[3];
    const int32_t *const from = parent->row + k;
    const uint32_t last = parent->of - 1; /* the point that may have none behind it */
    const lanes a = load_lanes(from), b = load_lanes(from + 1), before = load_lanes(from - 1);
    const lanes number = numbers_from(k);
    const bool is_cubic = !row->is_linear && last > 1;
    if (is_cubic && k == 0)
        along = either((lanes)(number == 0),
                       half_of(ZTI_SZ_HIGH_LEFT(b, a, load_lanes(from + 2)), 3), along);
    if (is_cubic && k + LANES >= last)
        along =
            either((lanes)(number == last - 1), half_of(ZTI_SZ_HIGH_LEFT(a, b, before), 3), along);
    t[terms] = along;
    const lanes all = mean_of(t, terms + 1);
    if (k + LANES <= last)
        return all;
    const lanes left = last > 0 ? before : a;
    const lanes end = terms > 0 ? mean_of(t, terms) : half_of(ZTI_SZ_HIGH_BEYOND(a, left), 1);
    return either((lanes)(number == last), end, all);
}

/* Along the last axis too; 't' has the others. */
ZTI_INLINE lanes with_last_axis(const struct row *row, uint32_t k, uint32_t terms, lanes *t)
{
    const struct parent *const parent = &row->parent[3];
    const int32_t *const from = parent->row + k;
    const lanes a = load_lanes(from), b = load_lanes(from + 1);
    t[terms] = row->is_linear || parent->of < 3
                   ? half_of(a + b, 1)
                   : half_of(ZTI_SZ_HIGH_BOTH(a, b, load_lanes(from - 1), load_lanes(from + 2)), 4);
    if (k == 0 || k + LANES + 1 >= parent->of)
        return at_ends(row, k, terms, t, t[terms]);
    return mean_of(t, terms + 1);
}

ZTI_INLINE void predict_with(const struct row *row, uint32_t first, uint32_t n, int32_t *out,
                             uint32_t terms, bool has_last, bool is_plain)
{
    for (uint32_t k = 0; k < n; k += LANES) {
        lanes t[4];
        for (uint32_t i = 0; i < terms; i++)
            t[i] = across_axis(&row->term[i], first + k, is_plain);
        store_lanes(has_last ? with_last_axis(row, first + k, terms, t) : mean_of(t, terms),
                    out + k);
    }
}

/* Points [first, first + n) of a row, and on to whole lanes. */
static void predict(const struct row *row, uint32_t first, uint32_t n, int32_t *out)
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
