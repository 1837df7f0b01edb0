/* candidates.h: kernel text: transforms that may suit a tile, from samples of its values. */

enum {
    CANDIDATES = 16,
    SAMPLE = 2048,
    FEW_SAMPLE = 512,  /* for the most frequent value */
    RANK_SAMPLE = 2048 /* for few distinct ones */
};

/* The most frequent of some values, if at least one in a hundred is equal to it. */
static bool find_fill(const struct tile *tile, const value *v, uint64_t *fill)
{
    uint64_t *const some = tile->slot->sample;
    const uint32_t n = tile->s.values, every = n / FEW_SAMPLE + 1;
    uint32_t m = 0, run = 0, most = 0, count = 0;
    for (uint32_t i = 0; i < n; i += every)
        some[m++] = v[i];
    zti_ll_sort(some, tile->slot->sorted, m);
    for (uint32_t i = 0; i < m; i++) {
        run = i > 0 && some[i] == some[i - 1] ? run + 1 : 1;
        *fill = run > most ? some[i] : *fill;
        most = run > most ? run : most;
    }
    if (most < 2)
        return false;
    for (uint32_t i = 0; i < n; i++)
        count += v[i] == (value)*fill;
    return (uint64_t)count * 100 >= n;
}

/* Exponents of a tile's values that are neither 0 nor the fill value, and the low bits that are
 * zero in all values of each. */
struct exponents {
    uint32_t count[ZTI_LL_EXPONENTS], all, highest;
    uint8_t zeros[ZTI_LL_EXPONENTS];
};

enum { PIECE = 64, PIECES_APART = 512, GAIN_PART = 32 };

/* Count them: all, or those of one piece of values in eight. They are counted in some places, so
 * that values do not wait for those before them. */
static void count_values(const value *v, uint32_t n, bool is_all, value none, struct exponents *e)
{
    enum { PLACES = 4 };
    value bits[PLACES][EXPONENTS];
    uint32_t count[PLACES][EXPONENTS];
    memset(e, 0, sizeof *e);
    memset(bits, 0, sizeof bits);
    memset(count, 0, sizeof count);
    for (uint32_t first = 0; first < n; first += is_all ? PIECE : PIECES_APART)
        for (uint32_t i = first; i < n && i < first + PIECE; i++) {
            const uint32_t exponent = (uint32_t)(v[i] >> MANTISSA) & (EXPONENTS - 1);
            const value is_some = 0 - (value)(v[i] != none);
            bits[i % PLACES][exponent] |= v[i] & (ONE - 1) & is_some;
            count[i % PLACES][exponent] += (uint32_t)is_some & 1;
        }
    for (uint32_t i = 0; i < EXPONENTS; i++) {
        value any = 0;
        for (uint32_t k = 0; k < PLACES; k++) {
            any |= bits[k][i];
            e->count[i] += i > 0 && i < EXPONENTS - 1 ? count[k][i] : 0;
        }
        e->zeros[i] = any ? (uint8_t)zti_ctz64(any) : MANTISSA;
        e->all += e->count[i];
        e->highest = e->count[i] > 0 ? i : e->highest;
    }
}

/* All values are counted only where a part of them has low bits that are zero in all of the part.
 */
static void count_exponents(const struct tile *tile, const value *v, const uint64_t *fill,
                            struct exponents *e)
{
    const value none = fill ? (value)*fill : 0; /* zeros count for nothing */
    uint64_t gain = 0;
    count_values(v, tile->s.values, false, none, e);
    for (uint32_t i = 0; i < EXPONENTS; i++)
        gain += (uint64_t)e->count[i] * e->zeros[i];
    if (gain * GAIN_PART >= e->all)
        count_values(v, tile->s.values, true, none, e);
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
                                          : digits_of(tile, t, v[i], &k);
        if (i >= 32 && good * 2 < i)
            return false;
    }
    return n > 0 && good * 10 >= n * 9;
}

static int32_t lowest_decade(const struct tile *tile, const value *v)
{
    double least = (double)INFINITY;
    for (uint32_t i = 0; i < tile->s.values; i++) {
        const double x = fabs(number_of(tile->type, v[i]));
        if (x > 1e-290 && x < least)
            least = x;
    }
    return isfinite(least) ? ll_decade(least) : 0;
}

static uint32_t add_decimals(const struct tile *tile, const value *v, const value *some, uint32_t m,
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
            t->lowest = lowest_decade(tile, v) - (int32_t)t->digits;
            return n + 1;
        }
    }
    return n;
}

/* The lattice of a slice, from at most so many of its values. */
static bool find_slice(const struct tile *tile, const value *v, uint32_t n, uint32_t most,
                       const uint64_t *fill, double *offset, double *step)
{
    uint64_t *const some = tile->slot->sample;
    const uint32_t every = n / most + 1;
    const value none = fill ? (value)*fill : ~(value)0; /* that is no number */
    uint64_t last = 0;
    uint32_t m = 0, distinct = 0;
    for (uint32_t i = 0; i < n; i += every) {
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

static uint32_t add_lattices(const struct tile *tile, const value *v, const uint64_t *fill,
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
        const bool is_one = find_slice(tile, v + (size_t)i * values, values, ZTI_LL_SLICE_SAMPLE,
                                       fill, &t->offset[i], &t->step[i]);
        found += is_one;
        if (!is_one)
            t->offset[i] = t->step[i] = 0;
        if (i > 1 && !found)
            return n;
    }
    return found * 2 > slices ? n + 1 : n;
}

/* A list of the distinct values, of at most ZTI_LL_MOST_RANKS; returns how many there are, or one
 * more than that. */
static uint32_t distinct_values(const struct tile *tile, const value *v, uint64_t *list)
{
    enum { BITS = 14 }; /* of places: four a value */
    const bool is_float = zti_is_float(tile->type);
    int32_t *const place = tile->slot->places; /* in the list */
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < 1u << BITS; i++)
        place[i] = -1;
    for (uint32_t i = 0; i < tile->s.values; i++) {
        if (i > 0 && v[i] == v[i - 1])
            continue;
        const uint64_t one = ranked(order_of(is_float, v[i]));
        uint32_t at = (uint32_t)(one * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BITS));
        while (place[at] >= 0 && list[place[at]] != one)
            at = (at + 1) & ((1u << BITS) - 1);
        if (place[at] >= 0)
            continue;
        if (distinct == ZTI_LL_MOST_RANKS)
            return distinct + 1;
        place[at] = (int32_t)distinct;
        list[distinct++] = one;
    }
    return distinct;
}

/* A table of the distinct values, where these are few and not all next to each other. */
static uint32_t add_ranks(const struct tile *tile, const value *v, struct zti_ll_transform *list,
                          uint32_t n)
{
    const bool is_float = zti_is_float(tile->type);
    const uint32_t values = tile->s.values, every = values / RANK_SAMPLE + 1;
    uint64_t *const some = tile->slot->sample, *const table = tile->slot->ranks;
    struct zti_ll_transform *const t = &list[n];
    uint32_t m = 0, distinct = 0;
    for (uint32_t i = 0; i < values; i += every)
        some[m++] = ranked(order_of(is_float, v[i]));
    zti_ll_sort(some, tile->slot->sorted, m);
    for (uint32_t i = 0; i < m; i++)
        distinct += i == 0 || some[i] != some[i - 1];
    if (distinct >= m / 2)
        return n;
    distinct = distinct_values(tile, v, table);
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
static uint32_t find_some(const struct tile *tile, const value *v, const uint64_t *fill,
                          struct zti_ll_transform *list)
{
    value some[SAMPLE];
    const uint32_t every = tile->s.values / SAMPLE + 1;
    uint32_t n = 0, m = 0;
    memset(&list[n], 0, sizeof list[n]);
    list[n++].kind = ZTI_LL_ORDER;
    for (uint32_t i = 0; i < tile->s.values; i += every)
        if (!fill || v[i] != (value)*fill)
            some[m++] = v[i];
    if (zti_is_float(tile->type)) {
        struct exponents e;
        if (is_tried(tile, ZTI_LL_LINEAR)) {
            count_exponents(tile, v, fill, &e);
            n = add_linear(&e, list, n);
        }
        if (is_tried(tile, ZTI_LL_DECIMAL) || is_tried(tile, ZTI_LL_DIGITS))
            n = add_decimals(tile, v, some, m, list, n);
        if (is_tried(tile, ZTI_LL_LATTICE))
            n = add_lattices(tile, v, fill, list, n);
    }
    if (is_tried(tile, ZTI_LL_RANK))
        n = add_ranks(tile, v, list, n);
    return keep_known(tile, list, n);
}

/* The same from all kinds, if those that won elsewhere do not suit. */
static uint32_t find_candidates(const struct tile *tile, const value *v, const uint64_t *fill,
                                struct zti_ll_transform *list)
{
    const struct zti_ll_known nothing = {.is_learnt = false};
    struct tile all = *tile;
    const uint32_t n = find_some(tile, v, fill, list);
    all.known = &nothing;
    return n > 0 ? n : find_some(&all, v, fill, list);
}
