/* choose.h: kernel text: which way suits a tile: axes one after the other are tried in other parts,
 * on all of a tile, or of a large one on a box in its middle. */

/* The quantizer's step under a bound on each value: 1.5 times 2 bounds, as corrections are rare. */
enum { BOUND_PARTS = 24 };

/* Ways and steps are compared on at most so many values. */
enum { TRIED_VALUES = 1 << 17 };

static uint64_t find_models(const struct coder *c, struct zti_tf_front *front);
static bool make_symbols(struct coder *c, const struct zti_array *array, const struct place *place,
                         const struct zti_tf_way *way);

/* Bits, times 2^16, that a tile takes by a way; UINT64_MAX: it cannot be coded. */
static uint64_t cost_of(struct coder *c, const struct zti_array *array, const struct place *place,
                        const struct zti_tf_way *way)
{
    struct zti_tf_front front;
    if (!make_symbols(c, array, place, way))
        return UINT64_MAX;
    return find_models(c, &front) + (c->open_bits << 16);
}

/* Take a way where it is better. */
static bool try_way(struct coder *c, const struct zti_array *array, const struct place *place,
                    const struct zti_tf_way *way, struct zti_tf_way *best, uint64_t *least)
{
    const uint64_t cost = cost_of(c, array, place, way);
    if (cost >= *least)
        return false;
    *least = cost;
    *best = *way;
    return true;
}

/* The middle of a tile, not too large. */
static struct place middle_of(const struct zti_coding *coding, const struct place *place)
{
    struct place p = *place;
    for (;;) {
        uint64_t values = 1;
        uint32_t longest = 0;
        for (uint32_t i = 0; i < coding->grid.rank; i++) {
            values *= p.extent[i];
            longest = p.extent[i] > p.extent[longest] ? i : longest;
        }
        if (values <= TRIED_VALUES)
            return p;
        p.origin[longest] += p.extent[longest] / 4;
        p.extent[longest] = (p.extent[longest] + 1) / 2;
    }
}

/* How many bits contexts leave out, so that half of the magnitudes other than 0 have at most 9. */
static uint32_t shift_of(const struct coder *c)
{
    enum { BITS = 9 };
    size_t number[ZTI_TF_SYMBOLS] = {0}, half = 0, n = 0;
    uint32_t symbol = 0;
    for (size_t i = 0; i < c->symbols; i++)
        if (c->slot->contexts[i] < ZTI_TF_MAGNITUDE_CONTEXTS && c->slot->symbols[i] > 0) {
            number[c->slot->symbols[i]]++;
            half++;
        }
    for (half /= 2; n < half; n += number[symbol])
        symbol++;
    const uint32_t bits = zti_bit_length64(tf_least_magnitude(symbol)), most = 31;
    return bits <= BITS ? 0 : bits - BITS < most ? bits - BITS : most;
}

/* Choose a tile's way and shift; false where it cannot be coded. */
static bool choose_way(struct coder *c, const struct zti_coding *coding,
                       const struct zti_array *array, const struct place *whole,
                       struct zti_tf_front *front)
{
    enum { LEAST_2, LEAST_4 };
    struct zti_tf_way *const best = &front->way;
    struct zti_tf_plan *const plan = &c->slot->plan;
    const struct place place = middle_of(coding, whole);
    uint64_t least = UINT64_MAX;
    struct zti_tf_way way = {.least_code = LEAST_4};
    set_extent(coding, &place, plan);
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        way.axis[a] = plan->extent[a] > 1 ? ZTI_TF_JOINT : ZTI_TF_KEPT;
    set_middles(c->slot, 0);
    const bool is_good = try_way(c, array, &place, &way, best, &least);
    front->shift = is_good ? shift_of(c) : 0;
    if (front->shift > 0) {
        set_middles(c->slot, front->shift);
        least = cost_of(c, array, &place, best);
    }
    bool is_new = is_good; /* else a round would try the same again */
    for (uint32_t round = 0; round < 2 && is_new; round++) {
        is_new = false;
        for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
            for (uint8_t k = 0; k <= ZTI_TF_FIRST; k++) {
                way = *best;
                way.axis[a] = k;
                if (plan->extent[a] == 1 || k == best->axis[a])
                    continue;
                is_new |= try_way(c, array, &place, &way, best, &least);
            }
    }
    way = *best;
    way.least_code = LEAST_2;
    (void)try_way(c, array, &place, &way, best, &least);
    set_extent(coding, whole, plan);
    return is_good;
}
