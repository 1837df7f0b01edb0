/* lift.h: kernel text: the levels of a tile's transform and its inverse, in place, by lifting.
 * Lines along an axis are lifted some side by side: value i of line k is at i * width + k. Sums are
 * of single products in one order, whatever the instruction set. */

enum { LOW_MARGIN = ZTI_TF_LINE_MARGIN, HIGH_MARGIN = 2 };

/* Low and high values of lines side by side, with margins. */
struct lines {
    number *low, *high;
    uint32_t n, lows, highs;
    size_t width;
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
    number *restrict const low = l->low, *restrict const high = l->high;
    mirror_highs(l);
    for (ptrdiff_t i = 0; i < w * (ptrdiff_t)l->lows; i++)
        low[i] -= UPDATE(high + i);
    mirror_lows(l);
    for (ptrdiff_t i = 0; i < w * (ptrdiff_t)l->highs; i++)
        high[i] += PREDICTION(low + i);
}

/* Lift lines whose first values are next to each other, from 'from' on. */
static void lift_lines(const struct lines *l, number *from, size_t stride, bool is_inverse)
{
    const size_t w = l->width;
    for (uint32_t i = 0; i < l->n; i++) {
        number *const at = i % 2 ? l->high + i / 2 * w : l->low + i / 2 * w;
        const uint32_t place = i % 2 ? l->lows + i / 2 : i / 2;
        copy(at, from + (is_inverse ? place : i) * stride, w);
    }
    (is_inverse ? unlift : lift)(l);
    for (uint32_t i = 0; i < l->n; i++) {
        const number *const at = i % 2 ? l->high + i / 2 * w : l->low + i / 2 * w;
        const uint32_t place = i % 2 ? l->lows + i / 2 : i / 2;
        copy(from + (is_inverse ? i : place) * stride, at, w);
    }
}

/* The same for one line whose values are next to each other. */
static void lift_row(const struct lines *l, number *from, bool is_inverse)
{
    if (is_inverse) {
        copy(l->low, from, l->lows);
        copy(l->high, from + l->lows, l->highs);
        unlift(l);
        for (uint32_t i = 0; i < l->highs; i++) {
            from[2 * i] = l->low[i];
            from[2 * i + 1] = l->high[i];
        }
        if (l->lows > l->highs)
            from[l->n - 1] = l->low[l->lows - 1];
        return;
    }
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

static struct lines lines_of(const struct zti_tf_slot *slot, uint32_t n, size_t width)
{
    struct lines l = {.n = n, .lows = (n + 1) / 2, .highs = n / 2, .width = width};
    l.low = (number *)slot->lines + LOW_MARGIN * width;
    l.high = l.low + (l.lows + LOW_MARGIN + HIGH_MARGIN) * width;
    return l;
}

/* One level, along all lines of its axis. */
static void lift_level(const struct zti_tf_slot *slot, const struct zti_tf_level *level,
                       bool is_inverse)
{
    const size_t *const stride = slot->plan.stride;
    const uint32_t a = level->axis, last = ZTI_TF_AXES - 1, n = level->extent[a];
    const size_t row = a == last ? 1 : level->extent[last], most = tf_lines_at_once(n);
    uint32_t at[ZTI_TF_AXES] = {0};
    for (;;) {
        size_t from = 0;
        uint32_t axis = last;
        for (uint32_t i = 0; i < last; i++)
            from += at[i] * stride[i];
        for (size_t k = 0, w; k < row; k += w) {
            w = row - k < most ? row - k : most;
            const struct lines l = lines_of(slot, n, w);
            if (a == last)
                lift_row(&l, (number *)slot->values + from, is_inverse);
            else
                lift_lines(&l, (number *)slot->values + from + k, stride[a], is_inverse);
        }
        while (axis > 0 && (axis - 1 == a || ++at[axis - 1] == level->extent[axis - 1]))
            at[--axis] = 0;
        if (axis == 0)
            return;
    }
}

static void transform(const struct zti_tf_slot *slot)
{
    for (uint32_t i = 0; i < slot->plan.levels; i++)
        lift_level(slot, &slot->plan.level[i], false);
}

static void transform_back(const struct zti_tf_slot *slot)
{
    for (uint32_t i = slot->plan.levels; i-- > 0;)
        lift_level(slot, &slot->plan.level[i], true);
}
