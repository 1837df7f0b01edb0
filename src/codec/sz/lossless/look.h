/* look.h: kernel text: what choosing looks at of a tile's values: samples, counts and extremes,
 * from the host's memory, or by kernels where the values are in a GPU's. */

/* Whether a tile's values are in a GPU's memory alone. */
ZTI_INLINE bool is_far(const struct tile *tile)
{
    return tile->values == NULL;
}

/* Values 'first', first + every, and so on, below 'end'. Returns how many there are. */
static uint32_t sample_values(const struct tile *tile, uint32_t first, uint32_t every, uint32_t end,
                              value *to)
{
    const uint32_t n = (end - first + every - 1) / every;
    if (is_far(tile))
        tile->kernels->sample(tile->kernels, first, every, n, to);
    else
        for (uint32_t i = 0; i < n; i++)
            to[i] = tile->values[(size_t)first + (size_t)i * every];
    return n;
}

static uint32_t count_equal(const struct tile *tile, value bits)
{
    uint32_t count = 0;
    if (is_far(tile))
        return tile->kernels->count_equal(tile->kernels, bits);
    for (uint32_t i = 0; i < tile->s.values; i++)
        count += tile->values[i] == bits;
    return count;
}

/* The values of boxes, row by row, box by box. */
static void copy_boxes(const struct tile *tile, const struct zti_ll_box *box, uint32_t n, value *to)
{
    const struct zti_ll_shape *const s = &tile->s;
    if (is_far(tile)) {
        tile->kernels->boxes(tile->kernels, box, n, to);
        return;
    }
    for (uint32_t b = 0; b < n; b++) {
        const uint32_t *const dim = box[b].dim;
        for (uint32_t row = 0; row < dim[0] * dim[1] * dim[2]; row++, to += dim[3])
            memcpy(to, tile->values + ll_box_row(s, &box[b], row), dim[3] * sizeof *to);
    }
}

/* Exponents of a tile's values that are neither 0 nor the fill value, and the low bits that are
 * zero in all values of each. */
struct exponents {
    uint32_t count[ZTI_LL_EXPONENTS], all, highest;
    uint8_t zeros[ZTI_LL_EXPONENTS];
};

enum { GAIN_PART = 32 };

/* Count exponents in some places, so that values do not wait for those before them. */
static void count_places(const struct tile *tile, bool is_all, value none,
                         struct zti_ll_exponents *to)
{
    enum { PLACES = 4 };
    const value *const v = tile->values;
    const uint32_t n = tile->s.values;
    value bits[PLACES][EXPONENTS];
    uint32_t count[PLACES][EXPONENTS];
    memset(bits, 0, sizeof bits);
    memset(count, 0, sizeof count);
    for (uint32_t first = 0; first < n; first += is_all ? ZTI_LL_PIECE_VALUES : ZTI_LL_PIECES_APART)
        for (uint32_t i = first; i < n && i < first + ZTI_LL_PIECE_VALUES; i++) {
            const uint32_t exponent = (uint32_t)(v[i] >> MANTISSA) & (EXPONENTS - 1);
            const value is_some = 0 - (value)(v[i] != none);
            bits[i % PLACES][exponent] |= v[i] & (ONE - 1) & is_some;
            count[i % PLACES][exponent] += (uint32_t)is_some & 1;
        }
    for (uint32_t i = 0; i < EXPONENTS; i++) {
        to->bits[i] = bits[0][i] | bits[1][i] | bits[2][i] | bits[3][i];
        to->count[i] = count[0][i] + count[1][i] + count[2][i] + count[3][i];
    }
}

/* Count exponents: of all values, or those of one piece of values in eight. */
static void count_values(const struct tile *tile, bool is_all, value none, struct exponents *e)
{
    struct zti_ll_exponents all;
    memset(e, 0, sizeof *e);
    if (is_far(tile))
        tile->kernels->count_exponents(tile->kernels, is_all, none, &all);
    else
        count_places(tile, is_all, none, &all);
    for (uint32_t i = 0; i < EXPONENTS; i++) {
        e->count[i] = i > 0 && i < EXPONENTS - 1 ? all.count[i] : 0;
        e->zeros[i] = all.bits[i] ? (uint8_t)zti_ctz64(all.bits[i]) : MANTISSA;
        e->all += e->count[i];
        e->highest = e->count[i] > 0 ? i : e->highest;
    }
}

/* The least magnitude that is not about 0; infinity: there is none. */
static double least_magnitude(const struct tile *tile)
{
    double least = (double)INFINITY;
    if (is_far(tile))
        return tile->kernels->least(tile->kernels);
    for (uint32_t i = 0; i < tile->s.values; i++) {
        const double x = fabs(number_of(tile->type, tile->values[i]));
        if (x > ZTI_LL_LEAST_MAGNITUDE && x < least)
            least = x;
    }
    return least;
}

/* A list of the distinct values, of at most ZTI_LL_MOST_RANKS; returns how many there are, or one
 * more than that. */
static uint32_t distinct_values(const struct tile *tile, uint64_t *list)
{
    enum { BITS = ZTI_LL_DISTINCT_BITS };
    const bool is_float = zti_is_float(tile->type);
    const value *const v = tile->values;
    int32_t *const place = tile->slot->places; /* in the list */
    uint32_t distinct = 0;
    if (is_far(tile))
        return tile->kernels->distinct(tile->kernels, list);
    for (uint32_t i = 0; i < 1u << BITS; i++)
        place[i] = -1;
    for (uint32_t i = 0; i < tile->s.values; i++) {
        if (i > 0 && v[i] == v[i - 1])
            continue;
        const uint64_t one = ranked(order_of(is_float, v[i]));
        uint32_t at = ll_place_of_distinct(one);
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
