/* choose.h: kernel text: chooses the transform and the predictor of a tile. Candidates are compared
 * by the bits of some boxes of the tile; close ones are compared by the bits of the whole tile. */

enum {
    BOXES = 4,
    BOX_VALUES = 6144,
    DIFFERENCES = 3,
    CLOSE_PART = 25,
    WEIGHTS_PART = 16 /* weights have to save this part of the bits, for the time that they take */
};

struct choice {
    struct zti_ll_transform t;
    struct zti_ll_predictor p;
    uint64_t cost;      /* bits, times 2^16 */
    bool is_close;      /* differences and weights take about the same */
    bool has_keys;      /* the tile's keys are made */
    uint64_t rest_bits; /* that these leave open */
};

/* ---- parts of a tile ---- */

static struct part whole_of(const struct tile *tile)
{
    struct zti_ll_slot *const slot = tile->slot;
    return (struct part){.s = tile->s,
                         .values = tile->values,
                         .keys = slot->keys,
                         .marks = slot->marks,
                         .codes = slot->magnitudes,
                         .residuals = slot->residuals,
                         .is_far = is_far(tile)};
}

/* Sides of a box of about BOX_VALUES values. */
static void box_sides(const struct zti_ll_shape *s, uint32_t *side)
{
    static const uint32_t usual[4][4] = {
        {1, 1, 1, BOX_VALUES}, {1, 1, 56, 112}, {1, 10, 20, 32}, {4, 8, 12, 16}};
    const uint32_t rank = s->dim[0] > 1 ? 3 : s->dim[1] > 1 ? 2 : s->dim[2] > 1 ? 1 : 0;
    uint64_t values = 1;
    for (uint32_t i = 0; i < 4; i++) {
        side[i] = usual[rank][i] < s->dim[i] ? usual[rank][i] : s->dim[i];
        values *= side[i];
    }
    for (uint32_t i = 4; i-- > 0;) {
        const uint64_t longer = side[i] * (uint64_t)BOX_VALUES / values;
        if (values * 10 >= BOX_VALUES * 9 || side[i] == s->dim[i])
            continue;
        values /= side[i];
        side[i] = longer < s->dim[i] ? (uint32_t)longer : s->dim[i];
        values *= side[i];
    }
}

static struct zti_ll_shape box_shape(const struct zti_ll_shape *s)
{
    struct zti_ll_shape box = *s;
    if (s->is_lanes)
        box.dim[2] = BOX_VALUES / s->width;
    else
        box_sides(s, box.dim);
    box.width = box.dim[3];
    box.rows = box.dim[0] * box.dim[1] * box.dim[2];
    box.last_width = box.width;
    box.stride = box.width + 2 * ZTI_LL_MARGIN;
    box.values = box.rows * box.width;
    box.slices = box.dim[0] * box.dim[1];
    ll_set_inverses(&box);
    return box;
}

/* Boxes at fixed places of a tile, with values of their own behind the tile's. */
static void find_boxes(const struct tile *tile, struct part *part)
{
    static const uint8_t place[BOXES][4] = {/* twentieths */
                                            {2, 12, 6, 16},
                                            {18, 2, 14, 4},
                                            {8, 18, 1, 10},
                                            {12, 6, 19, 0}};
    const struct zti_ll_shape *const s = &tile->s;
    const struct zti_ll_shape box = box_shape(s);
    value *const to = (value *)tile->slot->values + s->values;
    struct zti_ll_box boxes[BOXES];
    for (uint32_t b = 0; b < BOXES; b++) {
        uint32_t *const at = boxes[b].at;
        part[b] = whole_of(tile);
        part[b].is_far = false;
        part[b].s = box;
        part[b].values = to + (size_t)b * box.values;
        part[b].keys += b * ll_cells(&box);
        part[b].marks += b * ll_cells(&box);
        part[b].codes += b * ll_cells(&box);
        part[b].residuals += (size_t)b * box.values;
        for (uint32_t i = 0; i < 4; i++) {
            boxes[b].dim[i] = box.dim[i];
            at[i] = (s->dim[i] - box.dim[i]) * place[b][i] / 20;
        }
        part[b].first_slice = at[0] * s->dim[1] + at[1];
    }
    copy_boxes(tile, boxes, BOXES, to);
}

/* ---- comparing ---- */

/* The set of axes for differences that is tried as number i, among the axes that the tile has. */
static uint32_t axes_number(const struct zti_ll_shape *s, uint32_t i)
{
    const uint32_t slower =
        (s->dim[2] > 1 ? 1u : 0) | (s->dim[1] > 1 ? 2u : 0) | (s->dim[0] > 1 ? 4u : 0);
    if (s->is_lanes)
        return i == 0 ? 1 : i == 1 ? 0 : 1;
    return i == 0 ? slower | 8 : i == 1 ? slower : 8;
}

/* Which predictors are compared: differences along sets of axes, weights. */
struct tries {
    uint32_t sets, axes[DIFFERENCES];
    bool has_weights;
    const struct choice *made; /* NULL, or whose keys are those of the transform */
};

/* The best predictor of a transform. */
static void try_transform(const struct tile *tile, const struct part *part, uint32_t parts,
                          const struct zti_ll_transform *given, const struct tries *tries,
                          struct choice *best)
{
    struct choice own = {.cost = UINT64_MAX, .has_keys = false};
    struct zti_ll_transform t = *given;
    struct zti_ll_predictor p = {.axes = tries->axes[0]};
    struct zti_ll_front front = {.models = 0};
    uint64_t side = 0, keyed = 0, values = 0, weights = UINT64_MAX;
    t.has_marks = false;
    for (uint32_t i = 0; i < parts; i++) {
        bool has_marks;
        keyed += part[i].s.values;
        values += values_looked_at(&part[i]);
        if (tries->made)
            continue;
        side += make_keys(tile, &part[i], &t, &has_marks);
        t.has_marks |= has_marks;
    }
    if (tries->made) {
        side = tries->made->rest_bits;
        t.has_marks = tries->made->t.has_marks;
    }
    for (uint32_t i = 0; i < tries->sets; i++) {
        p.axes = tries->axes[i];
        const uint64_t cost = cost_of(tile, part, parts, &t, &p);
        if (cost < own.cost) {
            own.cost = cost;
            own.p = p;
        }
    }
    const uint64_t differences = own.cost;
    if (tries->sets > 0)
        p.axes = own.p.axes;
    if (tries->has_weights) {
        fit(tile, part, parts, &t, &p);
        weights = cost_of(tile, part, parts, &t, &p);
        weights += weights / WEIGHTS_PART;
    }
    if (weights < own.cost) {
        own.cost = weights;
        own.p = p;
    }
    own.t = t;
    own.rest_bits = side;
    own.has_keys = parts == 1;
    own.is_close = weights - weights / CLOSE_PART < differences &&
                   differences - differences / CLOSE_PART < weights;
    front.t = own.t;
    front.p = own.p;
    const uint64_t bits = zti_ll_encode_front(tile->type, &tile->s, &front, NULL);
    own.cost = (uint64_t)((double)own.cost * tile->s.values / (double)values) + (bits << 16);
    own.cost += (uint64_t)((double)(side << 16) * tile->s.values / (double)keyed);
    if (own.cost < best->cost)
        *best = own;
}

/* Candidates with a fill value and without one, or one of both if that won elsewhere. */
static uint32_t with_fills(const struct zti_ll_known *known, uint64_t fill,
                           struct zti_ll_transform *list, uint32_t n)
{
    const bool with = !known->is_learnt || known->with_fill;
    const bool without = !known->is_learnt || known->without_fill;
    for (uint32_t i = 0, all = n; i < all; i++) {
        const bool is_linear =
            list[i].kind == ZTI_LL_LINEAR; /* whose zeros are not the fill value's */
        if (list[i].kind == ZTI_LL_RANK || !(with || is_linear))
            continue;
        if (without && !is_linear)
            list[n++] = list[i];
        list[i].has_fill = true;
        list[i].fill = fill;
    }
    return n;
}

/* Weights for a transform, from all of a tile. */
static void fit_whole(const struct tile *tile, struct choice *best)
{
    const struct part whole = whole_of(tile);
    bool has_marks;
    best->rest_bits = make_keys(tile, &whole, &best->t, &has_marks);
    best->has_keys = true;
    best->t.has_marks = has_marks;
    fit(tile, &whole, 1, &best->t, &best->p);
}

static bool has_weights(const struct zti_ll_predictor *p)
{
    bool any = false;
    for (uint32_t g = 0; g < ZTI_LL_REGIMES; g++)
        any |= p->has_weights[g];
    return any;
}

/* What is tried with a tile: all candidates, or those that won in other tiles. */
static struct tries tries_of(const struct tile *tile)
{
    const struct zti_ll_known *const known = tile->known;
    struct tries tries = {.sets = 1, .has_weights = true};
    for (uint32_t i = 0; i < DIFFERENCES; i++)
        tries.axes[i] = axes_number(&tile->s, i);
    if (!known->is_learnt)
        return tries;
    const bool is_one = known->has_weights != known->has_differences;
    const bool weights_win = known->weights * 2 > known->tiles;
    tries.axes[0] = known->axes;
    tries.has_weights = known->has_weights || (weights_win && !known->has_differences);
    tries.sets = is_one || !known->has_weights ? !tries.has_weights : 1;
    return tries;
}

/* Find the best of the candidates by boxes, or by all of a small tile. A single candidate is not
 * compared if it is known which kind of predictor wins. */
static void choose_transform(const struct tile *tile, const struct tries *tries,
                             struct choice *best)
{
    struct zti_ll_transform list[CANDIDATES];
    struct part part[BOXES];
    uint64_t fill = 0;
    uint32_t parts = 1;
    const bool is_learnt = tile->known->is_learnt, has_fill = find_fill(tile, &fill);
    uint32_t n = find_candidates(tile, has_fill ? &fill : NULL, list);
    if (has_fill)
        n = with_fills(tile->known, fill, list, n);
    if (n == 1 && is_learnt && tries->sets + tries->has_weights == 1) {
        memset(best, 0, sizeof *best);
        best->t = list[0];
        best->p.axes = tries->axes[0];
        return;
    }
    part[0] = whole_of(tile);
    if (tile->s.values > ZTI_LL_WHOLE) {
        parts = BOXES;
        find_boxes(tile, part);
    }
    for (uint32_t i = 0; i < n; i++)
        try_transform(tile, part, parts, &list[i], tries, best);
    best->has_keys = false;
    if (is_learnt)
        return;
    struct choice again = {.cost = UINT64_MAX};
    struct tries all = *tries;
    all.sets = DIFFERENCES;
    try_transform(tile, part, parts, &best->t, &all, &again);
    *best = again;
}

/* The whole tile, or the part of it that is looked at where only the choice is wanted. */
static struct part compared_of(const struct tile *tile)
{
    enum { BANDS = 6 };
    const uint32_t large = tile->s.values > ZTI_LL_VALUES ? ZTI_LL_LARGE_VALUES / ZTI_LL_VALUES : 1;
    struct part part = whole_of(tile);
    part.band = tile->is_sample && !tile->s.is_lanes ? tile->s.rows / (BANDS * large) : 0;
    part.one_in = large > 1 ? 8 : 3;
    return part;
}

/* Rows that repeat rows, where the tile is shorter with them. */
static bool choose_rows(const struct tile *tile, const struct tries *tries, struct choice *best)
{
    const struct part whole = compared_of(tile);
    struct choice again = {.cost = UINT64_MAX};
    struct tries one = *tries;
    struct zti_ll_transform t = best->t;
    bool many;
    if (t.kind == ZTI_LL_LATTICE || (tile->known->is_learnt && !tile->known->has_rows) ||
        !find_rows(tile, &t, &many))
        return false;
    if (tile->known->is_learnt) {
        best->t = t;
        return false;
    }
    one.axes[0] = best->p.axes;
    if (!best->is_close) {
        one.has_weights = has_weights(&best->p);
        one.sets = !one.has_weights;
    }
    if (!many || !tile->is_sample)
        try_transform(tile, &whole, 1, &best->t, &one, &again);
    const struct choice first = again;
    one.made = again.cost < UINT64_MAX ? &first : NULL;
    try_transform(tile, &whole, 1, &t, &one, &again);
    if (t.kind == ZTI_LL_LINEAR) {
        t.kind = ZTI_LL_ORDER;
        t.part = 0;
        one.made = NULL;
        try_transform(tile, &whole, 1, &t, &one, &again);
        again.has_keys = again.t.kind == ZTI_LL_ORDER;
    }
    *best = again;
    return true;
}

static void choose(const struct tile *tile, struct choice *best)
{
    const struct part whole = whole_of(tile);
    struct tries tries = tries_of(tile);
    best->cost = UINT64_MAX;
    choose_transform(tile, &tries, best);
    const bool by_weights = best->cost == 0 ? tries.has_weights : has_weights(&best->p);
    if (choose_rows(tile, &tries, best))
        return;
    if (tile->is_sample)
        return;
    if (best->is_close && !tile->known->is_learnt) {
        struct choice again = {.cost = UINT64_MAX};
        tries.axes[0] = best->p.axes;
        try_transform(tile, &whole, 1, &best->t, &tries, &again);
        *best = again;
    } else if (by_weights) {
        fit_whole(tile, best);
    }
}
