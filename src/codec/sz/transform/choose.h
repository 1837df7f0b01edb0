/* choose.h: kernel text: choose a tile's way. Each axis in turn is tried in other roles (enum
 * zti_tf_axis) on all of the tile, or on a box in the middle of a large one. */

/* The quantizer's step under a bound on each value: 1.5 times 2 bounds, as corrections are rare. */
enum { BOUND_PARTS = 24 };

/* Ways are compared on a small sample of a tile: a part of it, from LEAST_VALUES to SMALL_VALUES.
 * Where one takes no more than 1 / CLOSE_PART more than the best, they are compared on a large one.
 */
enum {
    SMALL_VALUES = 1 << 18,
    SMALL_PART = 8, /* the small sample is this part of a tile */
    LEAST_VALUES = 1 << 15,
    LARGE_VALUES = 1 << 20,
    CLOSE_PART = 40
};

static uint64_t find_models(const struct coder *c, struct zti_tf_front *front);
static bool make_symbols(struct coder *c, const struct zti_coding *coding,
                         const struct zti_array *array, const struct place *place,
                         const struct zti_tf_way *way);

/* A box in the middle of a tile that has 'most' values or fewer. */
static struct place middle_of(const struct zti_coding *coding, const struct place *tile,
                              uint64_t most)
{
    struct place p = *tile;
    for (;;) {
        uint64_t values = 1;
        uint32_t longest = 0;
        for (uint32_t i = 0; i < coding->grid.rank; i++) {
            values *= p.extent[i];
            longest = p.extent[i] > p.extent[longest] ? i : longest;
        }
        if (values <= most)
            return p;
        p.origin[longest] += p.extent[longest] / 4;
        p.extent[longest] = (p.extent[longest] + 1) / 2;
    }
}

static uint64_t small_values(uint64_t tile_values)
{
    const uint64_t part = tile_values / SMALL_PART;
    return part < LEAST_VALUES ? LEAST_VALUES : part < SMALL_VALUES ? part : SMALL_VALUES;
}

/* Boxes all over a tile, on which quantizer steps are compared: of the same extents, each of
 * ZTI_TF_BOX_VALUES or fewer; or the whole tile as one box. */
struct boxes {
    uint32_t n;
    struct place box[ZTI_TF_BOXES];
    bool is_kept[ZTI_TF_BOXES]; /* a box has been transformed */
};

_Static_assert((ZTI_TF_BOXES + 1) * (int)ZTI_TF_BOX_VALUES <= (int)ZTI_TF_FEW_VALUES,
               "boxes of a larger tile have room in it");

static struct boxes boxes_of(const struct zti_coding *coding, const struct place *tile)
{
    static const uint32_t turn[ZT_MAX_RANK] = {1, 3, 5, 7};
    struct boxes b = {.n = 1, .box = {*tile}};
    if (box_values(tile, coding->grid.rank) <= ZTI_TF_FEW_VALUES)
        return b;
    const struct place first = middle_of(coding, tile, ZTI_TF_BOX_VALUES);
    for (b.n = 0; b.n < ZTI_TF_BOXES; b.n++) {
        struct place *const p = &b.box[b.n];
        *p = first;
        for (uint32_t i = 0; i < coding->grid.rank; i++) {
            const uint64_t room = tile->extent[i] - p->extent[i];
            p->origin[i] = tile->origin[i] + room * ((2 * b.n + 1) * turn[i] % (2 * ZTI_TF_BOXES)) /
                                                 (2 * ZTI_TF_BOXES);
        }
    }
    return b;
}

/* The best way so far, and what two samples take by it, in bits times 2^16; 0: not known. */
struct race {
    const struct zti_coding *coding;
    const struct zti_array *array;
    struct place small, large;
    bool has_large;
    struct zti_tf_way best;
    uint64_t small_cost, large_cost;
};

/* The bits of a sample by a way, times 2^16; UINT64_MAX: it cannot be coded. */
static uint64_t cost_of(struct coder *c, const struct race *r, const struct place *sample,
                        const struct zti_tf_way *way)
{
    struct zti_tf_front front;
    set_extent(r->coding, sample, &c->slot->layout);
    if (!make_symbols(c, r->coding, r->array, sample, way))
        return UINT64_MAX;
    return find_models(c, &front) + (c->tally.open_bits << 16);
}

/* Make a way the best where it is better: on the small sample or, if there is a large one, on that,
 * which is tried where the small one is close. Returns whether it is. */
static bool try_way(struct coder *c, struct race *r, const struct zti_tf_way *way)
{
    const uint64_t small = cost_of(c, r, &r->small, way);
    uint64_t large = 0;
    if (small > r->small_cost + r->small_cost / CLOSE_PART)
        return false;
    if (r->has_large) {
        if (r->large_cost == 0)
            r->large_cost = cost_of(c, r, &r->large, &r->best);
        large = cost_of(c, r, &r->large, way);
    }
    if (r->has_large ? large >= r->large_cost : small >= r->small_cost)
        return false;
    r->best = *way;
    r->small_cost = small;
    r->large_cost = large;
    return true;
}

/* The least shift with which half of the magnitudes other than 0 have at most 9 bits in contexts,
 * by the counts of the last sample. */
static uint32_t shift_of(const struct coder *c)
{
    enum { BITS = 9 };
    size_t half = 0, n = 0;
    uint32_t symbol = 0;
    for (uint32_t s = 1; s < ZTI_TF_SYMBOLS; s++)
        half += c->times[s];
    for (half /= 2; n < half; n += c->times[symbol])
        symbol++;
    const uint32_t bits = zti_bit_length64(tf_least_magnitude(symbol)), most = 31;
    return bits <= BITS ? 0 : bits - BITS < most ? bits - BITS : most;
}

/* Try other roles for each axis in turn, until none is better. */
static void try_axes(struct coder *c, struct race *r, const uint32_t *extent)
{
    bool is_new = true; /* else a round would try the same again */
    for (uint32_t round = 0; round < 2 && is_new; round++) {
        is_new = false;
        for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
            for (uint8_t k = 0; k <= ZTI_TF_FIRST; k++) {
                struct zti_tf_way way = r->best;
                way.axis[a] = k;
                if (extent[a] == 1 || k == r->best.axis[a])
                    continue;
                is_new |= try_way(c, r, &way);
            }
    }
}

/* Choose how a tile is cut into parts by an estimate of its bytes: the lengths and final ANS states
 * of parts are to take a small share of them. */
static void choose_parts(struct coder *c, const struct race *r, struct zti_tf_front *front)
{
    enum { PART_BYTES = 11, CHUNK_BYTES = 14, ALONE_SHARE = 700, SHARE = 1000 };
    struct zti_tf_layout *const layout = &c->slot->layout;
    const bool is_large = r->large_cost > 0;
    const uint64_t cost = is_large ? r->large_cost : r->small_cost;
    const uint64_t of = box_values(is_large ? &r->large : &r->small, r->coding->grid.rank);
    const uint64_t bytes = (cost >> 19) * layout->values / of;
    zti_tf_set_way(layout, &front->way);
    front->parts_way = 0;
    if ((uint64_t)zti_tf_count_parts(layout, 0) * PART_BYTES * ALONE_SHARE <= bytes)
        return;
    for (front->parts_way = 1; front->parts_way + 1 < ZTI_TF_PARTS_WAYS; front->parts_way++)
        if ((layout->values / tf_part_values(front->parts_way) + 1) * (PART_BYTES + CHUNK_BYTES) *
                SHARE <=
            bytes)
            return;
}

static bool is_flat(const struct coder *c, const struct zti_array *array, const uint64_t *origin,
                    const uint64_t *shape)
{
    return c->kernels ? c->kernels->is_flat(c->kernels, origin, shape, c->step)
                      : zti_array_is_flat(array, origin, shape, c->step);
}

/* The middle of a tile, or another box of its extents where that is flat, as zeros are. */
static struct place sample_of(const struct coder *c, const struct zti_coding *coding,
                              const struct zti_array *array, const struct place *tile,
                              uint64_t most)
{
    enum { TRIES = 8 };
    const struct place middle = middle_of(coding, tile, most);
    struct place p = middle;
    for (uint32_t k = 0; k < TRIES; k++) {
        uint64_t shape[ZT_MAX_RANK];
        for (uint32_t i = 0; i < coding->grid.rank; i++)
            shape[i] = p.extent[i];
        if (!is_flat(c, array, p.origin, shape))
            return p;
        for (uint32_t i = 0; i < coding->grid.rank; i++)
            p.origin[i] =
                tile->origin[i] + zti_spread_along(tile->extent[i] - p.extent[i] + 1, i, k + 1);
    }
    return middle;
}

/* Choose a tile's way and shift; false where it cannot be coded. */
static bool choose_way(struct coder *c, const struct zti_coding *coding,
                       const struct zti_array *array, const struct place *tile,
                       struct zti_tf_front *front)
{
    enum { LEAST_2, LEAST_4 };
    struct zti_tf_layout *const layout = &c->slot->layout;
    struct race r = {.coding = coding, .array = array, .best = {.least_code = LEAST_4}};
    const uint64_t small = small_values(layout->values);
    r.small = sample_of(c, coding, array, tile, small);
    r.large = sample_of(c, coding, array, tile, LARGE_VALUES);
    r.has_large = layout->values > small;
    uint32_t extent[ZTI_TF_AXES];
    memcpy(extent, layout->extent, sizeof extent);
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        r.best.axis[a] = layout->extent[a] > 1 ? ZTI_TF_JOINT : ZTI_TF_KEPT;
    c->shift = 0;
    c->parts_way = 0;
    r.small_cost = cost_of(c, &r, &r.small, &r.best);
    const bool is_good = r.small_cost < UINT64_MAX;
    c->shift = front->shift = is_good ? shift_of(c) : 0;
    if (c->shift > 0)
        r.small_cost = cost_of(c, &r, &r.small, &r.best);
    if (is_good)
        try_axes(c, &r, extent);
    struct zti_tf_way way = r.best;
    way.least_code = LEAST_2;
    r.has_large = false; /* it matters little */
    if (is_good)
        (void)try_way(c, &r, &way);
    front->way = r.best;
    set_extent(coding, tile, layout);
    if (is_good)
        choose_parts(c, &r, front);
    return is_good;
}
