/* lift.h: kernel text: the levels of a tile's transform and its inverse, in place, by lifting.
 * Lines along an axis are lifted some side by side: value i of line k is at i * width + k. Sums are
 * of single products in one order, whatever the instruction set. */

enum { LOW_MARGIN = ZTI_TF_LINE_MARGIN, HIGH_MARGIN = 2 };

/* Low and high values of lines side by side, with margins; and which are needed: values, and those
 * that they are made from. */
struct lines {
    number *low, *high;
    uint32_t n, lows, highs;
    size_t width;
    struct zti_tf_span need, need_low, need_high;
};

/* Copy some numbers, by vectors: what compilers make of memcpy takes long to begin. */
ZTI_INLINE void copy(number *to, const number *from, size_t n)
{
    enum { AT_A_TIME = V_BYTES / sizeof(number) };
    size_t i = 0;
    for (; i + AT_A_TIME <= n; i += AT_A_TIME)
        v_store_32(to + i, v_load_32(from + i));
    for (; i < n; i++)
        to[i] = from[i];
}

static void mirror_lows(const struct lines *l)
{
    const size_t w = l->width;
    for (int64_t k = 1; k <= LOW_MARGIN; k++) {
        const int64_t last = (int64_t)l->lows - 1 + k;
        copy(l->low - (size_t)k * w, l->low + tf_mirror(-2 * k, l->n) / 2 * w, w);
        copy(l->low + (size_t)last * w, l->low + tf_mirror(2 * last, l->n) / 2 * w, w);
    }
}

static void mirror_highs(const struct lines *l)
{
    const size_t w = l->width;
    for (int64_t k = 1; k <= HIGH_MARGIN; k++) {
        const int64_t last = (int64_t)l->highs - 1 + k;
        copy(l->high - (size_t)k * w, l->high + tf_mirror(1 - 2 * k, l->n) / 2 * w, w);
        copy(l->high + (size_t)last * w, l->high + tf_mirror(2 * last + 1, l->n) / 2 * w, w);
    }
}

#define PREDICTION(at)                                                                             \
    ZTI_TF_PREDICT(number, (at)[-2 * w], (at)[-w], (at)[0], (at)[w], (at)[2 * w], (at)[3 * w])
#define UPDATE(at) ZTI_TF_UPDATE(number, (at)[-2 * w], (at)[-w], (at)[0], (at)[w])

static void lift(const struct lines *l)
{
    const ptrdiff_t w = (ptrdiff_t)l->width;
    number *restrict const low = l->low, *restrict const high = l->high;
    mirror_lows(l);
    for (ptrdiff_t i = 0; i < w * (ptrdiff_t)l->highs; i++)
        high[i] -= PREDICTION(low + i);
    mirror_highs(l);
    for (ptrdiff_t i = 0; i < w * (ptrdiff_t)l->lows; i++)
        low[i] += UPDATE(high + i);
}

static void unlift(const struct lines *l)
{
    const ptrdiff_t w = (ptrdiff_t)l->width;
    const ptrdiff_t low_end = w * (ptrdiff_t)l->need_low.to;
    const ptrdiff_t odd_end = w * (ptrdiff_t)(l->need.to / 2);
    number *restrict const low = l->low, *restrict const high = l->high;
    mirror_highs(l);
    for (ptrdiff_t i = w * (ptrdiff_t)l->need_low.from; i < low_end; i++)
        low[i] -= UPDATE(high + i);
    mirror_lows(l);
    for (ptrdiff_t i = w * (ptrdiff_t)(l->need.from / 2); i < odd_end; i++)
        high[i] += PREDICTION(low + i);
}

/* Lift lines whose first values are next to each other, from 'from' on. */
static void lift_lines(const struct lines *l, number *from, size_t stride)
{
    const size_t w = l->width;
    for (uint32_t i = 0; i < l->n; i++)
        copy(i % 2 ? l->high + i / 2 * w : l->low + i / 2 * w, from + i * stride, w);
    lift(l);
    for (uint32_t i = 0; i < l->lows; i++)
        copy(from + i * stride, l->low + i * w, w);
    for (uint32_t i = 0; i < l->highs; i++)
        copy(from + (l->lows + i) * stride, l->high + i * w, w);
}

static void unlift_lines(const struct lines *l, number *from, size_t stride)
{
    const size_t w = l->width;
    for (uint32_t i = l->need_low.from; i < l->need_low.to; i++)
        copy(l->low + i * w, from + i * stride, w);
    for (uint32_t i = l->need_high.from; i < l->need_high.to; i++)
        copy(l->high + i * w, from + (l->lows + i) * stride, w);
    unlift(l);
    for (uint32_t i = l->need.from; i < l->need.to; i++)
        copy(from + i * stride, i % 2 ? l->high + i / 2 * w : l->low + i / 2 * w, w);
}

/* The same for one line whose values are next to each other. */
static void lift_row(const struct lines *l, number *from)
{
    for (uint32_t i = 0; i < l->highs; i++) {
        l->low[i] = from[2 * i];
        l->high[i] = from[2 * i + 1];
    }
    if (l->lows > l->highs)
        l->low[l->lows - 1] = from[l->n - 1];
    lift(l);
    copy(from, l->low, l->lows);
    copy(from + l->lows, l->high, l->highs);
}

static void unlift_row(const struct lines *l, number *from)
{
    const uint32_t odd = l->need.from % 2, first = l->need.from / 2, end = l->need.to / 2;
    copy(l->low + l->need_low.from, from + l->need_low.from, l->need_low.to - l->need_low.from);
    copy(l->high + l->need_high.from, from + l->lows + l->need_high.from,
         l->need_high.to - l->need_high.from);
    unlift(l);
    if (odd && first < end)
        from[2 * first + 1] = l->high[first];
    for (uint32_t i = first + odd; i < end; i++) {
        from[2 * i] = l->low[i];
        from[2 * i + 1] = l->high[i];
    }
    if (l->need.to % 2)
        from[l->need.to - 1] = l->low[l->need.to / 2];
}

/* ---- a long row, on all threads ---- */

/* A long row is lifted piece by piece to another place and copied back. A piece has margins of what
 * other pieces make again, by the same operations; past the row's ends these are mirrored. */
struct long_row {
    const struct zti_tf_slot *slot;
    number *from, *to;
    uint32_t n, lows;
    uint32_t first, end; /* pairs that are lifted: value 2 i, and 2 i + 1 if there is one */
    bool is_inverse;
};

/* The pairs of a piece with their margins, from pair 'first' on: low and high values. */
struct piece {
    int64_t first;
    uint32_t pairs;
    number *low, *high;
};

static uint32_t pieces_of_row(const struct long_row *r)
{
    return (r->end - r->first + ZTI_TF_PIECE - 1) / ZTI_TF_PIECE;
}

static struct piece piece_of(const struct long_row *r, uint32_t worker, uint64_t which)
{
    const uint32_t at = r->first + (uint32_t)which * ZTI_TF_PIECE, left = r->end - at;
    const uint32_t own = left < ZTI_TF_PIECE ? left : (uint32_t)ZTI_TF_PIECE;
    struct piece p = {.first = (int64_t)at - ZTI_TF_PIECE_MARGIN,
                      .pairs = own + 2 * ZTI_TF_PIECE_MARGIN,
                      .low = r->slot->worker[worker].piece};
    p.high = p.low + p.pairs;
    return p;
}

/* Values of a row to a piece. */
static void load_values(const struct long_row *r, const struct piece *p)
{
    const bool is_inside = p->first >= 0 && 2 * (p->first + p->pairs) <= (int64_t)r->n;
    if (!is_inside) {
        for (uint32_t i = 0; i < p->pairs; i++) {
            p->low[i] = r->from[tf_mirror(2 * (p->first + i), r->n)];
            p->high[i] = r->from[tf_mirror(2 * (p->first + i) + 1, r->n)];
        }
        return;
    }
    const number *const from = r->from + 2 * p->first;
    for (uint32_t i = 0; i < p->pairs; i++) {
        p->low[i] = from[2 * (size_t)i];
        p->high[i] = from[2 * (size_t)i + 1];
    }
}

/* Coefficients of a row to a piece. */
static void load_coefficients(const struct long_row *r, const struct piece *p)
{
    const bool is_inside = p->first >= 0 && 2 * (p->first + p->pairs) <= (int64_t)r->n;
    if (is_inside) {
        copy(p->low, r->from + p->first, p->pairs);
        copy(p->high, r->from + r->lows + p->first, p->pairs);
        return;
    }
    for (uint32_t i = 0; i < p->pairs; i++) {
        p->low[i] = r->from[tf_mirror(2 * (p->first + i), r->n) / 2];
        p->high[i] = r->from[r->lows + tf_mirror(2 * (p->first + i) + 1, r->n) / 2];
    }
}

static void lift_piece(const struct long_row *r, const struct piece *p)
{
    enum { MARGIN = ZTI_TF_PIECE_MARGIN };
    const ptrdiff_t w = 1, pairs = (ptrdiff_t)p->pairs;
    number *restrict const low = p->low, *restrict const high = p->high;
    const uint32_t at = (uint32_t)(p->first + MARGIN), own = p->pairs - 2 * MARGIN;
    const uint32_t highs = r->n / 2 - at < own ? r->n / 2 - at : own;
    load_values(r, p);
    for (ptrdiff_t i = 2; i < pairs - 3; i++)
        high[i] -= PREDICTION(low + i);
    for (ptrdiff_t i = MARGIN; i < pairs - MARGIN; i++)
        low[i] += UPDATE(high + i);
    copy(r->to + at, low + MARGIN, own);
    copy(r->to + r->lows + at, high + MARGIN, highs);
}

static void unlift_piece(const struct long_row *r, const struct piece *p)
{
    enum { MARGIN = ZTI_TF_PIECE_MARGIN };
    const ptrdiff_t w = 1, pairs = (ptrdiff_t)p->pairs;
    number *restrict const low = p->low, *restrict const high = p->high;
    const uint32_t at = (uint32_t)(p->first + MARGIN), own = p->pairs - 2 * MARGIN;
    number *const to = r->to + 2 * (size_t)at;
    load_coefficients(r, p);
    for (ptrdiff_t i = 2; i < pairs - 1; i++)
        low[i] -= UPDATE(high + i);
    for (ptrdiff_t i = MARGIN; i < pairs - MARGIN; i++)
        high[i] += PREDICTION(low + i);
    for (uint32_t i = 0; i + 1 < own; i++) {
        to[2 * (size_t)i] = low[MARGIN + i];
        to[2 * (size_t)i + 1] = high[MARGIN + i];
    }
    to[2 * (size_t)(own - 1)] = low[MARGIN + own - 1];
    if (2 * (at + own) <= r->n)
        to[2 * (size_t)own - 1] = high[MARGIN + own - 1];
}

static void lift_piece_item(void *shared, uint32_t worker, uint64_t which)
{
    const struct long_row *const r = shared;
    const struct piece p = piece_of(r, worker, which);
    (r->is_inverse ? unlift_piece : lift_piece)(r, &p);
}

/* Copy back what a piece's pairs became: values, or as many of all coefficients. */
static void copy_back_item(void *shared, uint32_t worker, uint64_t which)
{
    const struct long_row *const r = shared;
    const size_t at = 2 * (r->first + (size_t)which * ZTI_TF_PIECE), most = 2 * ZTI_TF_PIECE;
    const size_t end = 2 * (size_t)r->end < r->n ? 2 * (size_t)r->end : r->n;
    (void)worker;
    copy(r->from + at, r->to + at, end - at < most ? end - at : most);
}

/* Whether rows are lifted piece by piece: where there are fewer than threads. */
static bool is_long_row(const struct zti_tf_slot *slot, uint32_t n, uint64_t rows)
{
    return n >= ZTI_TF_LEAST_LONG && rows < slot->workers;
}

/* Lift a row, or undo that; undoing may compute only the values that are needed. */
static void lift_long_row(const struct zti_tf_slot *slot, const struct lines *l, number *from,
                          bool is_inverse)
{
    struct long_row r = {.slot = slot,
                         .from = from,
                         .to = slot->worker[0].lines,
                         .n = l->n,
                         .lows = l->lows,
                         .end = l->lows,
                         .is_inverse = is_inverse};
    if (is_inverse) {
        r.first = l->need.from / 2;
        r.end = (l->need.to + 1) / 2;
    }
    zti_crew_map(slot->crew, pieces_of_row(&r), lift_piece_item, &r);
    zti_crew_map(slot->crew, pieces_of_row(&r), copy_back_item, &r);
}

/* ---- a level, on all threads ---- */

/* The places along an axis that are lifted. */
struct places {
    uint32_t spans, count;
    struct zti_tf_span span[ZTI_TF_SPANS];
};

/* The place by its number among these. */
static uint32_t place_of_number(const struct places *p, uint32_t at)
{
    uint32_t i = 0;
    for (; at >= p->span[i].to - p->span[i].from; i++)
        at -= p->span[i].to - p->span[i].from;
    return p->span[i].from + at;
}

/* The work at one level of a tile: bundles of lines that are lifted side by side; an item of work
 * is some bundles. */
struct level_work {
    const struct zti_tf_slot *slot;
    const struct zti_tf_level *level;
    struct lines lines; /* without memory */
    bool is_inverse;
    struct places rows[ZTI_TF_AXES]; /* along other axes */
    uint32_t most;                   /* lines of a bundle, at most */
    uint32_t row_bundles;            /* bundles of a row; 1 along the last axis */
    uint64_t bundles, item_bundles;
};

static uint32_t bundles_of(const struct zti_tf_span *span, uint32_t most)
{
    return (span->to - span->from + most - 1) / most;
}

/* The bundle of a row, by its number: its first place, and its lines. */
static uint32_t bundle_of(const struct level_work *s, uint32_t which, size_t *width)
{
    const struct places *const row = &s->rows[ZTI_TF_AXES - 1];
    for (uint32_t i = 0;; i++) {
        const struct zti_tf_span *const span = &row->span[i];
        const uint32_t bundles = bundles_of(span, s->most);
        if (which < bundles) {
            const uint32_t at = span->from + which * s->most;
            *width = span->to - at < s->most ? span->to - at : s->most;
            return at;
        }
        which -= bundles;
    }
}

/* Where a bundle's first line begins, and its lines. */
static number *bundle_at(const struct level_work *s, uint64_t which, size_t *width)
{
    const uint32_t a = s->level->axis, last = ZTI_TF_AXES - 1;
    const size_t *const stride = s->slot->layout.stride;
    size_t from = 0;
    *width = 1;
    if (a != last)
        from = bundle_of(s, (uint32_t)(which % s->row_bundles), width);
    which /= s->row_bundles;
    for (uint32_t i = last; i-- > 0;) {
        if (i == a)
            continue;
        from += place_of_number(&s->rows[i], (uint32_t)(which % s->rows[i].count)) * stride[i];
        which /= s->rows[i].count;
    }
    return (number *)s->slot->values + from;
}

static void lift_bundle(const struct level_work *s, uint64_t which, number *memory)
{
    const uint32_t a = s->level->axis;
    struct lines l = s->lines;
    number *const at = bundle_at(s, which, &l.width);
    l.low = memory + LOW_MARGIN * l.width;
    l.high = l.low + (l.lows + LOW_MARGIN + HIGH_MARGIN) * l.width;
    if (a == ZTI_TF_AXES - 1)
        (s->is_inverse ? unlift_row : lift_row)(&l, at);
    else
        (s->is_inverse ? unlift_lines : lift_lines)(&l, at, s->slot->layout.stride[a]);
}

static void lift_item(void *shared, uint32_t worker, uint64_t item)
{
    const struct level_work *const s = shared;
    const uint64_t first = item * s->item_bundles, left = s->bundles - first;
    for (uint64_t i = 0; i < (left < s->item_bundles ? left : s->item_bundles); i++)
        lift_bundle(s, first + i, s->slot->worker[worker].lines);
}

static void lift_level(const struct zti_tf_slot *slot, uint32_t index, bool is_inverse)
{
    enum { ITEM_VALUES = 1 << 15 };
    const struct zti_tf_level *const level = &slot->layout.level[index];
    const uint32_t a = level->axis, last = ZTI_TF_AXES - 1, n = level->extent[a];
    uint32_t done[ZTI_TF_AXES] = {0}; /* levels before this one */
    struct level_work s = {.slot = slot,
                           .level = level,
                           .lines = {.n = n, .lows = (n + 1) / 2, .highs = n / 2},
                           .is_inverse = is_inverse,
                           .most = (uint32_t)tf_lines_at_once(n),
                           .row_bundles = a == last,
                           .bundles = 1};
    for (uint32_t i = 0; i < index; i++)
        done[slot->layout.level[i].axis]++;
    for (uint32_t i = 0; i < ZTI_TF_AXES; i++) {
        struct places *const p = &s.rows[i];
        p->spans = zti_tf_needed(&slot->layout.need[i], done[i], level->extent[i], p->span);
        for (uint32_t k = 0; k < p->spans; k++)
            p->count += p->span[k].to - p->span[k].from;
        s.bundles *= i == a || i == last ? 1 : p->count;
    }
    for (uint32_t k = 0; k < s.rows[last].spans && a != last; k++)
        s.row_bundles += bundles_of(&s.rows[last].span[k], s.most);
    s.bundles *= s.row_bundles;
    s.lines.need = slot->layout.need[a].low[done[a]];
    s.lines.need_low = slot->layout.need[a].low[done[a] + 1];
    s.lines.need_high = slot->layout.need[a].high[done[a]];
    if (a == last && is_long_row(slot, n, s.bundles)) {
        for (uint64_t i = 0; i < s.bundles; i++) {
            size_t width;
            number *const at = bundle_at(&s, i, &width);
            lift_long_row(slot, &s.lines, at, is_inverse);
        }
        return;
    }
    s.item_bundles = 1 + ITEM_VALUES / ((size_t)n * (a == last ? 1 : s.most));
    zti_crew_map(slot->crew, (s.bundles + s.item_bundles - 1) / s.item_bundles, lift_item, &s);
}

static void transform(const struct zti_tf_slot *slot)
{
    for (uint32_t i = 0; i < slot->layout.levels; i++)
        lift_level(slot, i, false);
}

static void transform_back(const struct zti_tf_slot *slot)
{
    for (uint32_t i = slot->layout.levels; i-- > 0;)
        lift_level(slot, i, true);
}
