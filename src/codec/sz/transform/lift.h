/* lift.h: kernel text: the levels of a tile's transform and its inverse, in place, by lifting.
 * Lines along an axis are lifted some side by side: value i of line k is at i * width + k. Sums are
 * of single products in one order, whatever the instruction set. */

enum { CACHE_LINE = 64 };
enum { LOW_MARGIN = ZTI_TF_LINE_MARGIN, HIGH_MARGIN = 2, AHEAD = 4 };

/* Low and high values of lines side by side, with margins; and which are needed: values, and those
 * that they are made from. */
struct lines {
    number *low, *high;
    uint32_t n, lows, highs;
    size_t width;
    struct zti_tf_span need, need_low, need_high;
    /* The low and high values that stand before and behind the others, from the nearest on. */
    uint32_t before_low[LOW_MARGIN], behind_low[LOW_MARGIN];
    uint32_t before_high[HIGH_MARGIN], behind_high[HIGH_MARGIN];
};

static struct lines lines_of(uint32_t n)
{
    struct lines l = {.n = n, .lows = (n + 1) / 2, .highs = n / 2};
    for (int64_t k = 1; k <= LOW_MARGIN; k++) {
        l.before_low[k - 1] = tf_mirror(-2 * k, n) / 2;
        l.behind_low[k - 1] = tf_mirror(2 * ((int64_t)l.lows - 1 + k), n) / 2;
    }
    for (int64_t k = 1; k <= HIGH_MARGIN; k++) {
        l.before_high[k - 1] = tf_mirror(1 - 2 * k, n) / 2;
        l.behind_high[k - 1] = tf_mirror(2 * ((int64_t)l.highs - 1 + k) + 1, n) / 2;
    }
    return l;
}

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

/* Prefetch a line of numbers that are next to each other. */
ZTI_INLINE void prefetch_line(const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += CACHE_LINE)
        __builtin_prefetch((const uint8_t *)from + i);
}

/* Make lines before and behind others, by numbers of these. */
ZTI_INLINE void mirror(number *line, uint32_t lines, size_t w, const uint32_t *before,
                       const uint32_t *behind, uint32_t margin)
{
    for (uint32_t k = 0; k < margin && w == 1; k++) {
        line[-1 - (ptrdiff_t)k] = line[before[k]];
        line[lines + k] = line[behind[k]];
    }
    for (uint32_t k = 0; k < margin && w > 1; k++) {
        copy(line - (k + 1) * w, line + before[k] * w, w);
        copy(line + (lines + k) * w, line + behind[k] * w, w);
    }
}

static void mirror_lows(const struct lines *l)
{
    mirror(l->low, l->lows, l->width, l->before_low, l->behind_low, LOW_MARGIN);
}

static void mirror_highs(const struct lines *l)
{
    mirror(l->high, l->highs, l->width, l->before_high, l->behind_high, HIGH_MARGIN);
}

#define PREDICTION(at)                                                                             \
    ZTI_TF_PREDICT(number, (at)[-2 * w], (at)[-w], (at)[0], (at)[w], (at)[2 * w], (at)[3 * w])
#define UPDATE(at) ZTI_TF_UPDATE(number, (at)[-2 * w], (at)[-w], (at)[0], (at)[w])

/* n high values less what predicts them, here and to another place; w: see PREDICTION. */
ZTI_INLINE void take_prediction(number *restrict high, const number *low, size_t n, ptrdiff_t w,
                                number *restrict to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = high[i] = high[i] - PREDICTION(low + i);
}

ZTI_INLINE void add_prediction(const number *high, const number *low, size_t n, ptrdiff_t w,
                               number *restrict to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = high[i] + PREDICTION(low + i);
}

/* n low values plus, or less, the update, to another place. */
ZTI_INLINE void add_update(const number *low, const number *high, size_t n, ptrdiff_t w,
                           number *restrict to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = low[i] + UPDATE(high + i);
}

ZTI_INLINE void take_update(const number *low, const number *high, size_t n, ptrdiff_t w,
                            number *restrict to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = low[i] - UPDATE(high + i);
}

/* Where the value number i of lines is put. */
ZTI_INLINE number *line_in(const struct lines *l, uint32_t i)
{
    return (i % 2 ? l->high : l->low) + i / 2 * l->width;
}

/* n values less, or plus, what these functions subtract or add, in place. */
ZTI_INLINE void predict_in_place(number *restrict high, const number *low, size_t n, ptrdiff_t w)
{
    for (size_t i = 0; i < n; i++)
        high[i] -= PREDICTION(low + i);
}

ZTI_INLINE void update_in_place(number *restrict low, const number *high, size_t n, ptrdiff_t w)
{
    for (size_t i = 0; i < n; i++)
        low[i] += UPDATE(high + i);
}

/* Copy numbers past the caches: whole lines of these, at both places. */
ZTI_INLINE void stream_lines(number *to, const number *from, size_t n)
{
    for (size_t i = 0; i < n; i += CACHE_LINE / sizeof *to)
        v_stream_line(to + i, from + i);
}

/* Whether lines can be streamed. */
static bool are_whole_lines(const struct lines *l, const number *to, size_t stride)
{
    return ((uintptr_t)to | stride * sizeof *to | l->width * sizeof *to) % CACHE_LINE == 0;
}

/* lift_lines past the caches. */
static void lift_and_stream(const struct lines *l, number *to, size_t stride)
{
    const size_t w = l->width;
    mirror_lows(l);
    for (uint32_t i = 0; i < l->highs; i++) {
        predict_in_place(l->high + i * w, l->low + i * w, w, (ptrdiff_t)w);
        stream_lines(to + (l->lows + i) * stride, l->high + i * w, w);
    }
    mirror_highs(l);
    for (uint32_t i = 0; i < l->lows; i++) {
        update_in_place(l->low + i * w, l->high + i * w, w, (ptrdiff_t)w);
        stream_lines(to + i * stride, l->low + i * w, w);
    }
    v_stream_end();
}

/* Lift lines whose values are in place, to where their first values are next to each other. */
static void lift_lines(const struct lines *l, number *to, size_t stride)
{
    const size_t w = l->width;
    mirror_lows(l);
    for (uint32_t i = 0; i < l->highs; i++)
        take_prediction(l->high + i * w, l->low + i * w, w, (ptrdiff_t)w,
                        to + (l->lows + i) * stride);
    mirror_highs(l);
    for (uint32_t i = 0; i < l->lows; i++)
        add_update(l->low + i * w, l->high + i * w, w, (ptrdiff_t)w, to + i * stride);
}

/* Undo that in place. All values are read before the first one is written. */
static void unlift_lines(const struct lines *l, number *from, size_t stride)
{
    const size_t w = l->width;
    for (uint32_t i = l->need_high.from; i < l->need_high.to; i++) {
        if (i + AHEAD < l->need_high.to)
            prefetch_line(from + (l->lows + i + AHEAD) * stride, w * sizeof *from);
        copy(l->high + i * w, from + (l->lows + i) * stride, w);
    }
    mirror_highs(l);
    for (uint32_t i = l->need_low.from; i < l->need_low.to; i++) {
        if (i + AHEAD < l->need_low.to)
            prefetch_line(from + (i + AHEAD) * stride, w * sizeof *from);
        take_update(from + i * stride, l->high + i * w, w, (ptrdiff_t)w, l->low + i * w);
    }
    mirror_lows(l);
    for (uint32_t i = l->need.from; i < l->need.to; i++) {
        number *const to = from + i * stride;
        if (i % 2)
            add_prediction(l->high + i / 2 * w, l->low + i / 2 * w, w, (ptrdiff_t)w, to);
        else
            copy(to, l->low + i / 2 * w, w);
    }
}

/* Pairs of values of a row from number 'first' up to 'end', of low ones and of high ones less what
 * predicts them. */
ZTI_INLINE void interleave(const struct lines *l, uint32_t first, uint32_t end, number *restrict to)
{
    const ptrdiff_t w = 1;
    const number *const low = l->low, *const high = l->high;
    for (size_t i = first; i < end; i++) {
        to[2 * i] = low[i];
        to[2 * i + 1] = high[i] + PREDICTION(low + i);
    }
}

/* The low and high values of a row's pairs. */
ZTI_INLINE void part_pairs(const number *from, uint32_t pairs, number *low, number *high)
{
    uint32_t i = 0;
#if IS_NARROW && defined(ZTI_WITH_AVX2)
    for (; i + V_LANES_32 <= pairs; i += V_LANES_32) {
        const u32s a = v_load_32(from + 2 * i), b = v_load_32(from + 2 * i + V_LANES_32);
        v_store_32(low + i, v_even_32(a, b));
        v_store_32(high + i, v_odd_32(a, b));
    }
#endif
    for (; i < pairs; i++) {
        low[i] = from[2 * i];
        high[i] = from[2 * i + 1];
    }
}

/* The same for one line whose values are next to each other. */
static void lift_row(const struct lines *l, number *from)
{
    part_pairs(from, l->highs, l->low, l->high);
    if (l->lows > l->highs)
        l->low[l->lows - 1] = from[l->n - 1];
    mirror_lows(l);
    take_prediction(l->high, l->low, l->highs, 1, from + l->lows);
    mirror_highs(l);
    add_update(l->low, l->high, l->lows, 1, from);
}

static void unlift_row(const struct lines *l, number *from)
{
    const uint32_t odd = l->need.from % 2, first = l->need.from / 2, end = l->need.to / 2;
    const uint32_t low = l->need_low.from;
    copy(l->high + l->need_high.from, from + l->lows + l->need_high.from,
         l->need_high.to - l->need_high.from);
    mirror_highs(l);
    take_update(from + low, l->high + low, l->need_low.to - low, 1, l->low + low);
    mirror_lows(l);
    if (odd && first < end)
        add_prediction(l->high + first, l->low + first, 1, 1, from + 2 * first + 1);
    interleave(l, first + odd, end, from);
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

/* ---- a level ---- */

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

struct origin;

/* The work at one level of a tile: bundles of lines that are lifted side by side. */
struct level_work {
    const struct zti_tf_slot *slot;
    const struct zti_tf_level *level;
    struct lines lines; /* without memory */
    bool is_inverse;
    struct origin *origin;           /* of values, if they are not in the slot */
    struct places rows[ZTI_TF_AXES]; /* along other axes */
    uint32_t most;                   /* lines of a bundle, at most */
    uint32_t row_bundles;            /* bundles of a row; 1 along the last axis */
    uint64_t bundles;
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

/* Values of an array to the slot's type; returns whether all are finite. */
static bool take_values(const struct zti_array *array, const void *from, size_t n, number *to)
{
    const int64_t stride = array->stride[array->rank - 1];
    const word infinite = bits_of((number)INFINITY);
    word is_bad = 0;
    if (array->type == ZT_F32 && stride == 1)
        for (size_t i = 0; i < n; i++)
            to[i] = (number)((const float *)from)[i];
    else if (array->type == ZT_F32)
        for (size_t i = 0; i < n; i++)
            to[i] = (number)((const float *)from)[(int64_t)i * stride];
    else
        for (size_t i = 0; i < n; i++)
            to[i] = (number)((const double *)from)[(int64_t)i * stride];
    for (size_t i = 0; i < n; i++)
        is_bad |= (word)((bits_of(to[i]) & infinite) == infinite);
    return is_bad == 0;
}

/* Where a tile's values are before its first level. */
struct origin {
    const struct zti_array *array;
    const struct place *place;
    atomic_bool is_bad; /* some values are not finite */
};

/* The values of lines out of an array; 'at': the first one's number in the tile. */
static void load_origin(struct origin *o, const struct level_work *s, const struct lines *l,
                        size_t at)
{
    const struct zti_array *const array = o->array;
    const uint32_t skipped = ZTI_TF_AXES - array->rank, a = s->level->axis - skipped;
    const int64_t value_bytes = (int64_t)zt_type_bytes(array->type);
    uint64_t where[ZT_MAX_RANK];
    bool is_good = true;
    for (uint32_t i = 0; i < array->rank; i++) {
        where[i] = o->place->origin[i] + at / s->slot->layout.stride[i + skipped];
        at %= s->slot->layout.stride[i + skipped];
    }
    const uint8_t *const from = zti_array_at(array, where);
    for (uint32_t i = 0; i < l->n; i++) {
        if (i + AHEAD < l->n && array->stride[array->rank - 1] == 1)
            prefetch_line(from + (int64_t)(i + AHEAD) * array->stride[a] * value_bytes,
                          l->width * (size_t)value_bytes);
        is_good &= take_values(array, from + (int64_t)i * array->stride[a] * value_bytes, l->width,
                               line_in(l, i));
    }
    if (!is_good)
        atomic_store_explicit(&o->is_bad, true, memory_order_relaxed);
}

/* A tile of this many values or more does not stay in the caches from one level to the next. */
enum { STREAMED_VALUES = 1 << 21 };

static void lift_bundle(const struct level_work *s, uint64_t which, number *memory)
{
    const uint32_t a = s->level->axis;
    const size_t stride = s->slot->layout.stride[a];
    struct lines l = s->lines;
    number *const at = bundle_at(s, which, &l.width);
    l.low = memory + LOW_MARGIN * l.width;
    l.high = l.low + (l.lows + LOW_MARGIN + HIGH_MARGIN) * l.width;
    if (s->is_inverse)
        a == ZTI_TF_AXES - 1 ? unlift_row(&l, at) : unlift_lines(&l, at, stride);
    else if (a == ZTI_TF_AXES - 1)
        lift_row(&l, at);
    else {
        if (s->origin)
            load_origin(s->origin, s, &l, (size_t)(at - (number *)s->slot->values));
        for (uint32_t i = 0; i < l.n && !s->origin; i++) {
            if (i + AHEAD < l.n)
                prefetch_line(at + (i + AHEAD) * stride, l.width * sizeof *at);
            copy(line_in(&l, i), at + i * stride, l.width);
        }
        const bool is_large = s->slot->layout.values >= STREAMED_VALUES;
        const bool is_streamed = s->origin && is_large && are_whole_lines(&l, at, stride);
        (is_streamed ? lift_and_stream : lift_lines)(&l, at, stride);
    }
}

/* ---- levels, on all threads ---- */

/* Levels that are lifted together, in slabs: of each slab one level after the other, while it is in
 * a cache. A slab is what has the same place along the first axis of more than one value; the
 * levels are along other axes. One level by itself has each bundle as a slab. */
enum { LEVELS_TOGETHER = 8, ITEM_VALUES = 1 << 15 };

struct levels_work {
    uint32_t levels;
    struct level_work level[LEVELS_TOGETHER];
    uint64_t slabs, item_slabs;
};

static void lift_item(void *shared, uint32_t worker, uint64_t item)
{
    const struct levels_work *const s = shared;
    const uint64_t first = item * s->item_slabs, left = s->slabs - first;
    const uint64_t end = first + (left < s->item_slabs ? left : s->item_slabs);
    for (uint64_t slab = first; slab < end; slab++)
        for (uint32_t k = 0; k < s->levels; k++) {
            const struct level_work *const level = &s->level[k];
            const uint64_t bundles = level->bundles / s->slabs;
            for (uint64_t i = 0; i < bundles; i++)
                lift_bundle(level, slab * bundles + i, level->slot->worker[worker].lines);
        }
}

static struct level_work level_work_of(const struct zti_tf_slot *slot, uint32_t index,
                                       bool is_inverse)
{
    const struct zti_tf_level *const level = &slot->layout.level[index];
    const uint32_t a = level->axis, last = ZTI_TF_AXES - 1, n = level->extent[a];
    uint32_t done[ZTI_TF_AXES] = {0}; /* levels before this one */
    struct level_work s = {.slot = slot,
                           .level = level,
                           .lines = lines_of(n),
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
    return s;
}

/* The first axis of more than one value. */
static uint32_t first_axis(const struct zti_tf_layout *layout)
{
    uint32_t a = 0;
    while (a + 1 < ZTI_TF_AXES && layout->extent[a] == 1)
        a++;
    return a;
}

/* The levels from a number on, down to the first one if they are undone, that are lifted
 * together. */
static void find_together(const struct zti_tf_slot *slot, uint32_t index, bool is_inverse,
                          struct levels_work *s)
{
    const uint32_t slab_axis = first_axis(&slot->layout);
    const struct zti_tf_level *const level = slot->layout.level, *const first = &level[index];
    uint32_t most = is_inverse ? index + 1 : slot->layout.levels - index;
    s->level[0] = level_work_of(slot, index, is_inverse);
    s->levels = 1;
    s->slabs = s->level[0].bundles;
    if (first->axis == slab_axis || s->level[0].rows[slab_axis].count < slot->workers)
        return;
    most = most < LEVELS_TOGETHER ? most : (uint32_t)LEVELS_TOGETHER;
    for (; s->levels < most; s->levels++) {
        const uint32_t next = is_inverse ? index - s->levels : index + s->levels;
        if (level[next].axis == slab_axis ||
            level[next].extent[slab_axis] != first->extent[slab_axis])
            break;
        s->level[s->levels] = level_work_of(slot, next, is_inverse);
    }
    s->slabs = s->level[0].rows[slab_axis].count;
}

/* Lift the levels from a number on that are lifted together, or undo that; returns how many. */
static uint32_t lift_levels(const struct zti_tf_slot *slot, uint32_t index, bool is_inverse,
                            struct origin *origin)
{
    struct levels_work s;
    find_together(slot, index, is_inverse, &s);
    const struct level_work *const first = &s.level[0];
    s.level[0].origin = origin;
    if (first->level->axis == ZTI_TF_AXES - 1 &&
        is_long_row(slot, first->lines.n, first->bundles)) {
        for (uint64_t i = 0; i < first->bundles; i++) {
            size_t width;
            number *const at = bundle_at(first, i, &width);
            lift_long_row(slot, &first->lines, at, is_inverse);
        }
        return 1;
    }
    const uint64_t lines = first->level->axis == ZTI_TF_AXES - 1 ? 1 : first->most;
    const uint64_t slab_values = first->bundles / s.slabs * first->lines.n * lines;
    s.item_slabs = 1 + ITEM_VALUES / slab_values;
    zti_crew_map(slot->crew, (s.slabs + s.item_slabs - 1) / s.item_slabs, lift_item, &s);
    return s.levels;
}

/* Whether the first level's values can come straight out of an array. */
static bool has_origin(const struct zti_tf_layout *layout)
{
    return layout->levels > 0 && layout->level[0].axis != ZTI_TF_AXES - 1 &&
           layout->level[0].axis == first_axis(layout);
}

static void transform(const struct zti_tf_slot *slot, struct origin *origin)
{
    for (uint32_t i = 0; i < slot->layout.levels; origin = NULL)
        i += lift_levels(slot, i, false, origin);
}

static void transform_back(const struct zti_tf_slot *slot)
{
    for (uint32_t i = slot->layout.levels; i > 0;)
        i -= lift_levels(slot, i - 1, true, NULL);
}
