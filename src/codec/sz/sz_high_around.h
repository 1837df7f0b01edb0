/* sz_high_around.h: kernel text of effort 'high': contexts of the points of a row, by the magnitudes
 * of residuals around them. Included by sz_high_text.h. */

/* Up to SEGMENT points of a row of a band, from number 'first'. */
struct segment {
    const struct row *row;
    const uint32_t *dim, *at; /* the band's, and the row in it */
    const struct zti_sz_level *level;
    uint32_t first, n;
    uint32_t own_n; /* that are coded here */
    size_t place;   /* of its first among the bands */
};

/* The magnitudes around the points of a row: of those that they are between, and of those before
 * them in their own band. Their weighted sum, in sixteenths, is below 2^12. */
struct around {
    const uint8_t *between[8], *before[3];
    uint32_t axes, rows;
    bool is_last; /* the last point has none behind it: between[0] stands for between[1] */
};

#define STEP(most) most,
static const int16_t ladder[ZTI_SZ_HIGH_MAGNITUDES - 1] = {ZTI_SZ_HIGH_LADDER(STEP)};
#undef STEP

ZTI_INLINE struct around look_around(const struct segment *s, const uint8_t *own)
{
    const struct row *const row = s->row;
    const uint32_t first = s->first;
    struct around a;
    size_t step = s->dim[3];
    a.axes = a.rows = 0;
    a.is_last = false;
    if (row->odd & 8) {
        a.between[0] = row->parent[3].loud + first;
        a.between[1] = row->parent[3].loud + first + 1;
        a.axes = 1;
        a.is_last = first + s->own_n >= row->parent[3].of;
    }
    for (uint32_t i = 0; i < 3; i++) {
        const struct parent *const parent = &row->parent[i];
        if (!(row->odd >> i & 1))
            continue;
        a.between[2 * a.axes] = parent->loud + first;
        a.between[2 * a.axes + 1] =
            parent->loud + first + (row->across >> i & 1 ? parent->step : 0);
        a.axes++;
    }
    for (uint32_t i = 3; i-- > 0; step *= s->dim[i])
        if (s->at[i] > 0)
            a.before[a.rows++] = own - step;
    return a;
}

/* The sums of points from number k on. Those of four magnitudes are bytes. */
ZTI_INLINE words sums_of(const struct around *a, uint32_t k)
{
    words between = {0};
    small before = {0};
    for (uint32_t i = 0; i < a->axes; i += 2) {
        small pair = load_small(a->between[2 * i] + k) + load_small(a->between[2 * i + 1] + k);
        if (i + 1 < a->axes)
            pair += load_small(a->between[2 * i + 2] + k) + load_small(a->between[2 * i + 3] + k);
        between += __builtin_convertvector(pair, words);
    }
    for (uint32_t i = 0; i < a->rows; i++)
        before += load_small(a->before[i] + k);
    return between * (int16_t)zti_sz_high_share(a->axes) +
           __builtin_convertvector(before, words) * (int16_t)zti_sz_high_row_share(a->rows);
}

ZTI_INLINE uint32_t sum_of_last(const struct around *a, uint32_t k)
{
    uint32_t between = 0, before = 0;
    for (uint32_t i = 0; i < 2 * a->axes; i++)
        between += a->between[i == 1 ? 0 : i][k];
    for (uint32_t i = 0; i < a->rows; i++)
        before += a->before[i][k];
    return between * zti_sz_high_share(a->axes) + before * zti_sz_high_row_share(a->rows);
}

ZTI_INLINE void kinds_of(const struct around *a, uint32_t n, uint32_t depth, uint8_t *contexts)
{
    for (uint32_t k = 0; k < n; k += WIDE) {
        const words sums = sums_of(a, k);
        words kind = (words){0} + (int16_t)(depth * ZTI_SZ_HIGH_MAGNITUDES);
        for (uint32_t i = 0; i < ZTI_SZ_HIGH_MAGNITUDES - 1; i++)
            kind -= sums > ladder[i];
        store_small(__builtin_convertvector(kind, small), contexts + k);
    }
    if (a->is_last)
        contexts[n - 1] = zti_sz_high_kind(sum_of_last(a, n - 1), depth);
}

/* Where no row is before it, four points look at the last two of the four before. */
ZTI_INLINE void sums_between(const struct around *a, uint32_t n, uint16_t *sum)
{
    for (uint32_t k = 0; k < n; k += WIDE) {
        const words sums = sums_of(a, k);
        memcpy(sum + k, &sums, sizeof sums);
    }
    if (a->is_last)
        sum[n - 1] = (uint16_t)sum_of_last(a, n - 1);
}

ZTI_INLINE void kinds_of_four(const uint16_t *sum, const uint8_t *own, bool is_first, uint32_t n,
                              uint32_t depth, uint8_t *contexts)
{
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t with = is_first ? 2u * sum[k] : sum[k] + 16u * own[-1] + 16u * own[-2];
        contexts[k] = zti_sz_high_kind(with, depth);
    }
}
