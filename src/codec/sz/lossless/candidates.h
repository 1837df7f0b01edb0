/* candidates.h: kernel text: transforms that may suit a tile, from samples of its values. */

enum {
    CANDIDATES = 16,
    SAMPLE = 2048,
    FEW_SAMPLE = 512 /* for the most frequent value */
};

/* The most frequent of some values, if at least one in a hundred is equal to it. */
static bool find_fill(const struct tile *tile, uint64_t *fill)
{
    uint64_t *const some = tile->slot->sample;
    const uint32_t n = tile->s.values;
    value v[FEW_SAMPLE];
    const uint32_t m = sample_values(tile, 0, n / FEW_SAMPLE + 1, n, v);
    uint32_t run = 0, most = 0;
    for (uint32_t i = 0; i < m; i++)
        some[i] = v[i];
    zti_ll_sort(some, tile->slot->sorted, m);
    for (uint32_t i = 0; i < m; i++) {
        run = i > 0 && some[i] == some[i - 1] ? run + 1 : 1;
        *fill = run > most ? some[i] : *fill;
        most = run > most ? run : most;
    }
    if (most < 2)
        return false;
    return (uint64_t)count_equal(tile, (value)*fill) * 100 >= n;
}

/* All values are counted only where a part of them has low bits that are zero in all of the part.
 */
static void count_exponents(const struct tile *tile, const uint64_t *fill, struct exponents *e)
{
    const value none = fill ? (value)*fill : 0; /* zeros count for nothing */
    uint64_t gain = 0;
    count_values(tile, false, none, e);
    for (uint32_t i = 0; i < EXPONENTS; i++)
        gain += (uint64_t)e->count[i] * e->zeros[i];
    if (gain * GAIN_PART >= e->all)
        count_values(tile, true, none, e);
    else
        memset(e->zeros, 0, sizeof e->zeros);
}

/* The least exponent that at least part / 1000 of the values have or are below. */
static uint32_t quantile(const struct exponents *e, uint32_t part)
{
    uint64_t sum = 0;
    uint32_t i = 0;
    if (part == 1000)
        return e->highest;
    while (i + 1 < EXPONENTS && (sum + e->count[i]) * 1000 < (uint64_t)e->all * part)
        sum += e->count[i++];
    return i;
}

static uint32_t add_linear(const struct exponents *e, struct zti_ll_transform *list, uint32_t n)
{
    static const uint32_t part[] = {1000, 995, 900, 600};
    uint32_t last = 0;
    for (uint32_t j = 0; j < sizeof part / sizeof *part; j++) {
        const uint32_t base = quantile(e, part[j]);
        struct zti_ll_transform *const t = &list[n];
        if (base == last || base <= MANTISSA + 1)
            continue;
        last = base;
        n++;
        memset(t, 0, sizeof *t);
        t->kind = ZTI_LL_LINEAR;
        t->part = j;
        t->base = base;
        t->zeros = MANTISSA;
        for (uint32_t i = base; i < EXPONENTS; i++)
            t->zeros = e->zeros[i] < t->zeros ? e->zeros[i] : t->zeros;
        for (uint32_t i = 1; i < base; i++)
            t->low[i] = e->count[i] > 0 ? e->zeros[i] : 0;
    }
    return n;
}

/* Decimals: the fewest digits that suit nine tenths of a sample. */
static bool suits(const struct tile *tile, const struct zti_ll_transform *t, const value *v,
                  uint32_t n)
{
    uint32_t good = 0;
    key k;
    for (uint32_t i = 0; i < n; i++) {
        good += t->kind == ZTI_LL_DECIMAL ? decimal_of(ll_ten_to(t->digits), v[i], &k)
                                          : digits_of(tile->tables->ten, tile->type, t, v[i], &k);
        if (i >= 32 && good * 2 < i)
            return false;
    }
    return n > 0 && good * 10 >= n * 9;
}

static int32_t lowest_decade(const struct tile *tile)
{
    const double least = least_magnitude(tile);
    return isfinite(least) ? ll_decade(least) : 0;
}

static uint32_t add_decimals(const struct tile *tile, const value *some, uint32_t m,
                             struct zti_ll_transform *list, uint32_t n)
{
    struct zti_ll_transform *t = &list[n];
    memset(t, 0, sizeof *t);
    t->kind = ZTI_LL_DECIMAL;
    for (t->digits = 0; t->digits <= ll_most_decimals(tile->type); t->digits++)
        if (suits(tile, t, some, m)) {
            t = &list[++n];
            break;
        }
    memset(t, 0, sizeof *t);
    t->kind = ZTI_LL_DIGITS;
    t->lowest = -ZTI_LL_POWERS;
    for (t->digits = 1; t->digits <= ll_most_digits(tile->type); t->digits++) {
        t->lowest = -300;
        if (suits(tile, t, some, m)) {
            t->lowest = lowest_decade(tile) - (int32_t)t->digits;
            return n + 1;
        }
    }
    return n;
}

/* The lattice of a slice, from at most so many of its values. */
static bool find_slice(const struct tile *tile, uint32_t first, uint32_t n, uint32_t most,
                       const uint64_t *fill, double *offset, double *step)
{
    uint64_t *const some = tile->slot->sample;
    value *const v = (value *)(void *)tile->slot->sorted;
    const value none = fill ? (value)*fill : ~(value)0; /* that is no number */
    const uint32_t all = sample_values(tile, first, n / most + 1, first + n, v);
    uint64_t last = 0;
    uint32_t m = 0, distinct = 0;
    for (uint32_t i = 0; i < all; i++) {
        const double x = number_of(FLOAT, v[i]);
        const uint64_t bits = zti_bits_of_double(x + 0.0);
        const uint64_t flips = bits >> 63 ? ~UINT64_C(0) : UINT64_C(1) << 63;
        some[m] = bits ^ flips;
        m += (v[i] != none) & (fabs(x) < (double)INFINITY);
    }
    zti_ll_sort(some, tile->slot->sorted, m);
    double *const number = (double *)(void *)some;
    for (uint32_t i = 0; i < m; i++) {
        const uint64_t own = some[i], bits = own >> 63 ? own & (UINT64_MAX >> 1) : ~own;
        number[distinct] = zti_double_from_bits(bits);
        distinct += i == 0 || own != last;
        last = own;
    }
    return zti_ll_find_lattice(tile->type, number, distinct, offset, step);
}

static uint32_t add_lattices(const struct tile *tile, const uint64_t *fill,
                             struct zti_ll_transform *list, uint32_t n)
{
    const uint32_t slices = tile->s.slices, values = tile->s.values / slices;
    struct zti_ll_transform *const t = &list[n];
    uint32_t found = 0;
    memset(t, 0, sizeof *t);
    t->kind = ZTI_LL_LATTICE;
    t->offset = tile->slot->lattices;
    t->step = t->offset + slices;
    for (uint32_t i = 0; i < slices; i++) {
        const bool is_one = find_slice(tile, i * values, values, ZTI_LL_SLICE_SAMPLE, fill,
                                       &t->offset[i], &t->step[i]);
        found += is_one;
        if (!is_one)
            t->offset[i] = t->step[i] = 0;
        if (i > 1 && !found)
            return n;
    }
    return found * 2 > slices ? n + 1 : n;
}

/* A table of the distinct values, where these are few, as a sample of m says, and not all next to
 * each other. */
static uint32_t add_ranks(const struct tile *tile, const value *v, uint32_t m,
                          struct zti_ll_transform *list, uint32_t n)
{
    const bool is_float = zti_is_float(tile->type);
    const uint32_t values = tile->s.values;
    uint64_t *const some = tile->slot->sample, *const table = tile->slot->ranks;
    struct zti_ll_transform *const t = &list[n];
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < m; i++)
        some[i] = ranked(order_of(is_float, v[i]));
    zti_ll_sort(some, tile->slot->sorted, m);
    for (uint32_t i = 0; i < m; i++)
        distinct += i == 0 || some[i] != some[i - 1];
    if (distinct >= m / 2)
        return n;
    distinct = distinct_values(tile, table);
    if (distinct > ZTI_LL_MOST_RANKS)
        return n;
    zti_ll_sort(table, tile->slot->sorted, distinct);
    if ((uint64_t)distinct * 16 >= values ||
        (double)(table[distinct - 1] - table[0]) <= 1.5 * distinct)
        return n;
    memset(t, 0, sizeof *t);
    t->kind = ZTI_LL_RANK;
    t->ranks = distinct;
    t->rank = table;
    return n + 1;
}

/* Whether transforms of a kind are tried: those that won elsewhere, or all. */
static bool is_tried(const struct tile *tile, uint32_t kind)
{
    return !tile->known->is_learnt || tile->known->parts[kind] != 0;
}

/* Leave out those that won nowhere. */
static uint32_t keep_known(const struct tile *tile, struct zti_ll_transform *list, uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!tile->known->is_learnt || tile->known->parts[list[i].kind] >> list[i].part & 1)
            list[kept++] = list[i];
    return kept;
}

/* Transforms that may suit a tile, without fill values; fill is NULL, or a value that has no key.
 */
static uint32_t find_some(const struct tile *tile, const uint64_t *fill,
                          struct zti_ll_transform *list)
{
    value all[SAMPLE], some[SAMPLE];
    const uint32_t values = tile->s.values;
    const uint32_t sampled = sample_values(tile, 0, values / SAMPLE + 1, values, all);
    uint32_t n = 0, m = 0;
    memset(&list[n], 0, sizeof list[n]);
    list[n++].kind = ZTI_LL_ORDER;
    for (uint32_t i = 0; i < sampled; i++)
        if (!fill || all[i] != (value)*fill)
            some[m++] = all[i];
    if (zti_is_float(tile->type)) {
        struct exponents e;
        if (is_tried(tile, ZTI_LL_LINEAR)) {
            count_exponents(tile, fill, &e);
            n = add_linear(&e, list, n);
        }
        if (is_tried(tile, ZTI_LL_DECIMAL) || is_tried(tile, ZTI_LL_DIGITS))
            n = add_decimals(tile, some, m, list, n);
        if (is_tried(tile, ZTI_LL_LATTICE))
            n = add_lattices(tile, fill, list, n);
    }
    if (is_tried(tile, ZTI_LL_RANK))
        n = add_ranks(tile, all, sampled, list, n);
    return keep_known(tile, list, n);
}

/* The same from all kinds, if those that won elsewhere do not suit. */
static uint32_t find_candidates(const struct tile *tile, const uint64_t *fill,
                                struct zti_ll_transform *list)
{
    const struct zti_ll_known nothing = {.is_learnt = false};
    struct tile all = *tile;
    const uint32_t n = find_some(tile, fill, list);
    all.known = &nothing;
    return n > 0 ? n : find_some(&all, fill, list);
}
