/* sz_high_text.h: kernel text of effort 'high': bands of points, what they are predicted to be, and
 * their residuals. The includer defines OPS; it is compiled for each instruction set, and all
 * arithmetic is on integers, so that all do the same.
 *
 * Integers come back modulo 2^32 from whatever a stream holds, hence the unsigned sums. */
#include "codec/sz/sz_bits.h"
#include "codec/sz/sz_high.h"
#include "codec/sz/sz_high_values.h"

enum { SEGMENT = ZTI_SZ_HIGH_SEGMENT, BLOCK = 16, ROOM = SEGMENT + 2 * BLOCK };

/* What is worked on together: integers, LANES at a time, and 16-bit numbers and bytes, WIDE at a
 * time. What compilers make of plain loops over blocks is several times slower, or no vectors at
 * all. Not more than BLOCK, in which bytes are stored: a load that spans two stores waits for
 * both. */
#if defined(__AVX512F__)
enum { LANES = BLOCK, WIDE = BLOCK };
#elif defined(__AVX2__)
enum { LANES = BLOCK / 2, WIDE = BLOCK };
#else
enum { LANES = BLOCK / 4, WIDE = BLOCK / 2 };
#endif
typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t signed_lanes __attribute__((vector_size(4 * LANES)));
typedef uint8_t narrow_lanes __attribute__((vector_size(LANES)));
typedef int16_t words __attribute__((vector_size(2 * WIDE)));
typedef uint8_t small __attribute__((vector_size(WIDE)));

ZTI_INLINE lanes load_lanes(const int32_t *from)
{
    lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}

ZTI_INLINE void store_lanes(lanes v, int32_t *to)
{
    memcpy(to, &v, sizeof v);
}

#include "codec/sz/sz_high_loud.h"

ZTI_INLINE size_t row_at(const uint32_t *dim, const uint32_t *at)
{
    return (((size_t)at[0] * dim[1] + at[1]) * dim[2] + at[2]) * dim[3];
}

/* The next of the rows of a box; false after the last one. */
ZTI_INLINE bool next_row(const uint32_t *dim, uint32_t *at)
{
    for (uint32_t i = 3; i-- > 0;) {
        if (++at[i] < dim[i])
            return true;
        at[i] = 0;
    }
    return false;
}

/* ---- points of a level to bands, and back ---- */

/* The rows that a row of a level's points consists of: even points and odd ones. */
struct row_parts {
    size_t even, odd;  /* among the bands, or the points of the coarser level */
    bool is_even_grid; /* the former are there */
};

ZTI_INLINE struct row_parts parts_of(const struct zti_sz_pyramid *p, uint32_t number,
                                 const uint32_t *at)
{
    const struct zti_sz_level *const level = &p->level[number];
    struct row_parts parts = {.even = 0};
    uint32_t odd = 0, half[4] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        const bool is_halved = p->axes >> i & 1;
        odd |= is_halved ? (at[i] & 1) << i : 0;
        half[i] = is_halved ? at[i] / 2 : at[i];
    }
    parts.is_even_grid = odd == 0;
    if (odd == 0) {
        parts.even = row_at(p->level[number + 1].dim, half);
    } else {
        const struct zti_sz_band *const band = &level->band[level->band_of[odd]];
        parts.even = band->at + row_at(band->dim, half);
    }
    if (p->axes & 8 && level->dim[3] > 1) {
        const struct zti_sz_band *const band = &level->band[level->band_of[odd | 8]];
        parts.odd = band->at + row_at(band->dim, half);
    }
    return parts;
}

static void split(struct zti_sz_pyramid *p)
{
    for (uint32_t l = 0; l < p->levels; l++) {
        const uint32_t *const dim = p->level[l].dim, n = dim[3];
        const int32_t *from = p->grid[l & 1];
        uint32_t at[3] = {0};
        do {
            const struct row_parts parts = parts_of(p, l, at);
            int32_t *const even =
                (parts.is_even_grid ? p->grid[~l & 1] : p->bands) + parts.even;
            if (p->axes & 8) {
                int32_t *const odd = p->bands + parts.odd;
                for (uint32_t i = 0; i < n / 2; i++) {
                    even[i] = from[2 * i];
                    odd[i] = from[2 * i + 1];
                }
                if (n & 1)
                    even[n / 2] = from[n - 1];
            } else {
                memcpy(even, from, n * sizeof *even);
            }
            from += n;
        } while (next_row(dim, at));
    }
}

static void merge(struct zti_sz_pyramid *p, uint32_t l)
{
    const uint32_t *const dim = p->level[l].dim, n = dim[3];
    int32_t *to = p->grid[l & 1];
    uint8_t *loud = p->grid_loud[l & 1];
    const bool is_heard = l > 0 || p->has_anchors; /* by what is coded next */
    uint32_t at[3] = {0};
    do {
        const struct row_parts parts = parts_of(p, l, at);
        const int32_t *const even =
            (parts.is_even_grid ? p->grid[~l & 1] : p->bands) + parts.even;
        const uint8_t *const even_loud =
            (parts.is_even_grid ? p->grid_loud[~l & 1] : p->band_loud) + parts.even;
        if (p->axes & 8) {
            const int32_t *const odd = p->bands + parts.odd;
            const uint8_t *const odd_loud = p->band_loud + parts.odd;
            for (uint32_t i = 0; i < n / 2; i++) {
                to[2 * i] = even[i];
                to[2 * i + 1] = odd[i];
            }
            for (uint32_t i = 0; is_heard && i < n / 2; i++) {
                loud[2 * i] = even_loud[i];
                loud[2 * i + 1] = odd_loud[i];
            }
            if (n & 1) {
                to[n - 1] = even[n / 2];
                loud[n - 1] = even_loud[n / 2];
            }
        } else {
            memcpy(to, even, n * sizeof *to);
            memcpy(loud, even_loud, n);
        }
        to += n;
        loud += n;
    } while (next_row(dim, at));
}

/* ---- prediction ---- */

/* What is between the points before and behind a row's along one axis. */
struct parent {
    const int32_t *row, *first; /* the row, and that of a band's first row */
    const uint8_t *loud, *first_loud;
    const uint32_t *dim;
    size_t step;     /* to the next row along the axis */
    uint32_t at, of; /* the row's place along the axis, of so many */
};

struct row {
    uint32_t odd;
    struct parent parent[4]; /* by axis */
    uint32_t across;         /* axes but the last, with a point on both sides */
    bool is_linear;
};

/* What the rows of a band have in common. */
static struct row rows_of(const struct zti_sz_pyramid *p, uint32_t l,
                          const struct zti_sz_band *band)
{
    const struct zti_sz_level *const level = &p->level[l];
    struct row row = {.odd = band->odd, .is_linear = p->is_linear};
    for (uint32_t i = 0; i < 4; i++) {
        if (!(band->odd >> i & 1))
            continue;
        const uint32_t odd = band->odd & ~(1u << i);
        const struct zti_sz_band *const other = odd ? &level->band[level->band_of[odd]] : NULL;
        struct parent *const parent = &row.parent[i];
        parent->dim = other ? other->dim : p->level[l + 1].dim;
        parent->first = other ? p->bands + other->at : p->grid[~l & 1];
        parent->first_loud = other ? p->band_loud + other->at : p->grid_loud[~l & 1];
        parent->of = parent->dim[i];
        parent->step = 1;
        for (uint32_t k = i + 1; k < 4; k++)
            parent->step *= parent->dim[k];
    }
    return row;
}

ZTI_INLINE void place_row(struct row *row, const uint32_t *at)
{
    row->across = 0;
    for (uint32_t i = 0; i < 4; i++) {
        struct parent *const parent = &row->parent[i];
        if (!(row->odd >> i & 1))
            continue;
        const size_t first = row_at(parent->dim, at);
        parent->row = parent->first + first;
        parent->loud = parent->first_loud + first;
        parent->at = i < 3 ? at[i] : 0;
        row->across |= i < 3 && parent->at + 1 < parent->of ? 1u << i : 0;
    }
}

#define HALF(sum, bits) ((int32_t)zti_sz_high_round(sum, bits))

/* The same of sums in lanes. */
ZTI_INLINE lanes half_of(lanes sum, int32_t bits)
{
    return (lanes)((signed_lanes)(sum + (1u << bits >> 1)) >> bits);
}

/* What is done to a row is done to whole blocks, or as many values as fit in lanes: what that reads
 * and writes behind the row's end is nobody's or is overwritten. */
#define EACH(k, n, block)                                                                          \
    for (uint32_t k##_base = 0; k##_base < (n); k##_base += (block))                               \
        for (uint32_t k = k##_base; k < k##_base + (block); k++)

/* Midway between from[0] and from[step], with what there is on both sides of them. */
ZTI_INLINE void between(const int32_t *restrict from, size_t step, bool has_left, bool has_right,
                        bool is_linear, uint32_t n, int32_t *restrict out)
{
    const int32_t *const next = from + step, *const left = from - (has_left ? step : 0),
                        *const right = next + (has_right ? step : 0);
    if (is_linear || !(has_left || has_right)) {
        for (uint32_t i = 0; i < n; i += LANES)
            store_lanes(half_of(load_lanes(from + i) + load_lanes(next + i), 1), out + i);
    } else if (has_left && has_right) {
        for (uint32_t i = 0; i < n; i += LANES)
            store_lanes(half_of(ZTI_SZ_HIGH_BOTH(load_lanes(from + i), load_lanes(next + i),
                                                 load_lanes(left + i), load_lanes(right + i)), 4),
                        out + i);
    } else if (has_left) {
        for (uint32_t i = 0; i < n; i += LANES)
            store_lanes(half_of(ZTI_SZ_HIGH_LEFT(load_lanes(from + i), load_lanes(next + i),
                                                 load_lanes(left + i)), 3), out + i);
    } else {
        for (uint32_t i = 0; i < n; i += LANES)
            store_lanes(half_of(ZTI_SZ_HIGH_LEFT(load_lanes(next + i), load_lanes(from + i),
                                                 load_lanes(right + i)), 3), out + i);
    }
}

/* The same for one point. */
ZTI_INLINE int32_t between_two(const int32_t *from, bool has_left, bool has_right, bool is_linear)
{
    const uint32_t a = (uint32_t)from[0], b = (uint32_t)from[1];
    if (is_linear || !(has_left || has_right))
        return HALF(a + b, 1);
    return has_left ? HALF(ZTI_SZ_HIGH_LEFT(a, b, (uint32_t)from[-1]), 3)
                    : HALF(ZTI_SZ_HIGH_LEFT(b, a, (uint32_t)from[2]), 3);
}

/* Beyond the last point, on the line through the last two. */
ZTI_INLINE void beyond(const int32_t *restrict from, size_t step, bool has_left, uint32_t n,
                       int32_t *restrict out)
{
    const int32_t *const left = from - (has_left ? step : 0);
    for (uint32_t i = 0; i < n; i++)
        out[i] = HALF(ZTI_SZ_HIGH_BEYOND((uint32_t)from[i], (uint32_t)left[i]), 1);
}

/* The same within a row: n points from number 'first', all with one on both sides. */
ZTI_INLINE void within(const struct parent *parent, uint32_t first, uint32_t n, bool is_linear,
                       int32_t *restrict out)
{
    const int32_t *const from = parent->row + first;
    const uint32_t head = first == 0 && n > 0, whole = parent->of - 1;
    const uint32_t tail = n > head && first + n == whole;
    if (n > head + tail)
        between(from + head, 1, true, true, is_linear, n - head - tail, out + head);
    if (head)
        out[0] = between_two(from, false, 2 < parent->of, is_linear);
    if (tail)
        out[n - 1] = between_two(from + n - 1, true, false, is_linear);
}

/* The mean of up to four predictions. */
ZTI_INLINE lanes mean_of_lanes(const lanes *t, uint32_t terms)
{
    return terms == 1   ? t[0]
           : terms == 2 ? half_of(t[0] + t[1], 1)
           : terms == 3 ? half_of(ZTI_SZ_HIGH_MEAN_3(t[0], t[1], t[2]), 4)
                        : half_of(t[0] + t[1] + t[2] + t[3], 2);
}

ZTI_INLINE void mean_of(int32_t (*restrict t)[ROOM], uint32_t terms, uint32_t n,
                        int32_t *restrict out)
{
    for (uint32_t i = 0; i < n; i += LANES) {
        lanes at[4] = {{0}};
        for (uint32_t k = 0; k < terms; k++)
            at[k] = load_lanes(t[k] + i);
        store_lanes(mean_of_lanes(at, terms), out + i);
    }
}

/* Points [first, first + n) of a row. */
static void predict(const struct row *row, uint32_t first, uint32_t n, int32_t *out)
{
    int32_t t[4][ROOM];
    uint32_t terms = 0, full = n;
    for (uint32_t i = 0; i < 3; i++) {
        const struct parent *const parent = &row->parent[i];
        if (row->across >> i & 1)
            between(parent->row + first, parent->step, parent->at > 0, parent->at + 2 < parent->of,
                    row->is_linear, n, t[terms++]);
    }
    if (row->odd & 8) {
        const struct parent *const parent = &row->parent[3];
        full = first + n < parent->of ? n : n - 1; /* the last may have none behind it */
        within(parent, first, full, row->is_linear, t[terms]);
        if (terms == 0)
            mean_of(t, 1, full, out);
        else if (terms == 1)
            mean_of(t, 2, full, out);
        else if (terms == 2)
            mean_of(t, 3, full, out);
        else
            mean_of(t, 4, full, out);
        if (full < n && terms == 0)
            beyond(parent->row + first + full, 1, first + full > 0, 1, out + full);
    }
    if (terms > 0 && !(row->odd & 8)) {
        mean_of(t, terms, n, out);
    } else if (terms > 0 && full < n) {
        lanes last[4] = {{0}};
        for (uint32_t k = 0; k < terms; k++)
            last[k][0] = (uint32_t)t[k][full];
        out[full] = (int32_t)mean_of_lanes(last, terms)[0];
    } else if (!(row->odd & 8)) { /* the last row along the first of its axes */
        const uint32_t axis = lowest_bit(row->odd);
        const struct parent *const parent = &row->parent[axis];
        beyond(parent->row + first, parent->step, parent->at > 0, n, out);
    }
}

/* ---- contexts ---- */

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
    uint32_t betweens, rows;
    bool is_last; /* the last point has none behind it: between[0] stands for between[1] */
};

#define STEP(most) most,
static const int16_t ladder[ZTI_SZ_HIGH_MAGNITUDES - 1] = {ZTI_SZ_HIGH_LADDER(STEP)};
#undef STEP

ZTI_INLINE struct around look_around(const struct segment *s, const uint8_t *own)
{
    const struct row *const row = s->row;
    const uint32_t first = s->first;
    struct around a = {.betweens = 0};
    size_t step = s->dim[3];
    if (row->odd & 8) {
        a.between[a.betweens++] = row->parent[3].loud + first;
        a.between[a.betweens++] = row->parent[3].loud + first + 1;
        a.is_last = first + s->own_n >= row->parent[3].of;
    }
    for (uint32_t i = 0; i < 3; i++) {
        const struct parent *const parent = &row->parent[i];
        if (!(row->odd >> i & 1))
            continue;
        a.between[a.betweens++] = parent->loud + first;
        a.between[a.betweens++] =
            parent->loud + first + (row->across >> i & 1 ? parent->step : 0);
    }
    for (uint32_t i = 3; i-- > 0; step *= s->dim[i])
        if (s->at[i] > 0)
            a.before[a.rows++] = own - step;
    return a;
}

ZTI_INLINE words heard(const uint8_t *at)
{
    small loud;
    memcpy(&loud, at, sizeof loud);
    return __builtin_convertvector(loud, words);
}

/* The sums of points from number k on. */
ZTI_INLINE words sums_of(const struct around *a, uint32_t k)
{
    words between = {0}, before = {0};
    for (uint32_t i = 0; i < a->betweens; i++)
        between += heard(a->between[i] + k);
    for (uint32_t i = 0; i < a->rows; i++)
        before += heard(a->before[i] + k);
    return between * (int16_t)zti_sz_high_share(a->betweens / 2) +
           before * (int16_t)zti_sz_high_row_share(a->rows);
}

ZTI_INLINE uint32_t sum_of_last(const struct around *a, uint32_t k)
{
    uint32_t between = 0, before = 0;
    for (uint32_t i = 0; i < a->betweens; i++)
        between += a->between[i == 1 ? 0 : i][k];
    for (uint32_t i = 0; i < a->rows; i++)
        before += a->before[i][k];
    return between * zti_sz_high_share(a->betweens / 2) + before * zti_sz_high_row_share(a->rows);
}

ZTI_INLINE void kinds_of(const struct around *a, uint32_t n, uint32_t depth, uint8_t *contexts)
{
    for (uint32_t k = 0; k < n; k += WIDE) {
        const words sums = sums_of(a, k);
        words kind = (words){0} + (int16_t)(depth * ZTI_SZ_HIGH_MAGNITUDES);
        for (uint32_t i = 0; i < ZTI_SZ_HIGH_MAGNITUDES - 1; i++)
            kind -= sums > ladder[i];
        const small narrow = __builtin_convertvector(kind, small);
        memcpy(contexts + k, &narrow, sizeof narrow);
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

/* ---- residuals and symbols ---- */

/* Residuals of integers in units. Returns the bits that are set in one magnitude or another. */
ZTI_INLINE uint32_t quantize(const int32_t *restrict x, const int32_t *restrict predicted,
                             uint32_t n, uint32_t step, int32_t *restrict q,
                             int32_t *restrict decoded, uint8_t *restrict loud)
{
    const double per = 1.0 / step;
    lanes any = {0};
    uint32_t all = 0;
    EACH(k, n, BLOCK) {
        const int32_t d = (int32_t)((uint32_t)x[k] - (uint32_t)predicted[k]);
        q[k] = zti_sz_high_nearest(d, per);
    }
    for (uint32_t k = n; k % BLOCK; k++)
        q[k] = 0; /* what is behind the row's end is not looked at */
    for (uint32_t k = 0; k < whole_blocks(n); k += LANES) {
        const lanes v = load_lanes(q + k), sign = sign_of(v);
        const lanes size = (v ^ sign) - sign, is_more = (lanes)(size > ZTI_SZ_HIGH_LOUDEST);
        const lanes cut = (size & ~is_more) | (is_more & ZTI_SZ_HIGH_LOUDEST);
        any |= size;
        store_narrow(cut, loud + k);
        store_lanes(load_lanes(predicted + k) + v * step, decoded + k);
    }
    for (uint32_t k = 0; k < LANES; k++)
        all |= any[k];
    return all;
}

/* What coding and decoding want beside the pyramid. */
struct coder {
    const uint8_t (*has)[ZTI_SZ_HIGH_ALPHABET]; /* NULL: all */
    uint8_t least[ZTI_SZ_HIGH_CONTEXTS]; /* that a context has not, or 255 */
    struct zti_sz_extras *extras;
};

struct decoder {
    const uint32_t *const *tables;
    struct zti_ans_mixed *codes;
    struct zti_bit_reader *extras;
};

/* A neighbour's points: as if they were predicted well. */
ZTI_INLINE void take_predicted(const struct segment *s, const int32_t *predicted, int32_t *x,
                               uint8_t *loud)
{
    for (uint32_t k = s->own_n; k < s->n; k++) {
        x[k] = predicted[k];
        loud[k] = 0;
    }
}

/* Whether a symbol is perhaps none that its context has; contexts are of one depth, and symbols
 * are 0 behind the last to the end of its block. */
ZTI_INLINE bool may_lack(const struct coder *c, uint32_t depth, const uint8_t *contexts,
                         uint32_t n, const uint8_t *symbols)
{
    const uint32_t base = depth * ZTI_SZ_HIGH_MAGNITUDES;
    small bad = {0};
    for (uint32_t k = 0; k < n; k += WIDE) {
        small kind, symbol, least = {0};
        memcpy(&kind, contexts + k, sizeof kind);
        memcpy(&symbol, symbols + k, sizeof symbol);
        for (uint32_t i = base; i < base + ZTI_SZ_HIGH_MAGNITUDES; i++)
            least |= (small)(kind == (uint8_t)i) & c->least[i];
        bad |= (small)(symbol >= least);
    }
    return is_any(bad);
}

/* The symbols of n residuals in contexts of one depth. */
ZTI_INLINE void put_symbols(const struct coder *c, const int32_t *q, uint32_t n, bool is_loud,
                            uint32_t depth, const uint8_t *contexts, uint8_t *symbols)
{
    struct open_bits open;
    uint32_t sum = 0;
    bool lacks = false;
    if (is_loud)
        sum = loud_symbols(q, n, symbols, &open);
    for (uint32_t k = 0; !is_loud && k < whole_blocks(n); k += LANES) {
        const lanes v = load_lanes(q + k);
        store_narrow(v << 1 ^ sign_of(v), symbols + k);
    }
    if (c->has && may_lack(c, depth, contexts, n, symbols))
        for (uint32_t k = 0; k < n; k++)
            lacks |= !c->has[contexts[k]][symbols[k]];
    if (lacks)
        for (uint32_t k = 0; k < n; k++)
            symbols[k] = loud_symbol(q[k], c->has[contexts[k]], c->extras);
    else if (sum > 0)
        put_open(c->extras, &open, n, sum);
}

static void code_segment(struct zti_sz_pyramid *p, const struct segment *s, const void *user)
{
    const struct coder *const c = user;
    int32_t predicted[ROOM], decoded[ROOM], q[ROOM], behind[BLOCK];
    uint8_t sizes[ROOM];
    uint16_t sum[ROOM];
    const uint32_t own_n = s->own_n;
    int32_t *const restrict x = p->bands + s->place;
    uint8_t *const restrict loud = p->band_loud + s->place;
    uint8_t *const symbols = p->symbols + p->count, *const contexts = p->contexts + p->count;
    predict(s->row, s->first, s->n, predicted);
    const uint32_t any = quantize(x, predicted, own_n, s->level->step, q, decoded, sizes);
    memcpy(behind, x + own_n, sizeof behind);
    EACH(k, own_n, BLOCK)
        x[k] = decoded[k];
    memcpy(x + own_n, behind, sizeof behind);
    EACH(k, own_n, BLOCK)
        loud[k] = sizes[k];
    take_predicted(s, predicted, x, loud);
    if (own_n == 0)
        return;
    const struct around around = look_around(s, loud);
    if (around.rows > 0)
        kinds_of(&around, own_n, s->level->depth, contexts);
    else
        sums_between(&around, own_n, sum);
    for (uint32_t k = 0; around.rows == 0 && k < own_n; k += 4)
        kinds_of_four(sum + k, loud + k, s->first + k == 0, own_n - k < 4 ? own_n - k : 4,
                      s->level->depth, contexts + k);
    put_symbols(c, q, own_n, any > ZTI_SZ_HIGH_LOUDEST, s->level->depth, contexts, symbols);
    p->count += own_n;
}

/* The coarsest points of all, each with the one before as its prediction. */
static void code_anchors(struct zti_sz_pyramid *p, const uint8_t (*has)[ZTI_SZ_HIGH_ALPHABET],
                         struct zti_sz_extras *extras)
{
    const struct zti_sz_level *const level = &p->level[p->levels];
    const size_t n = row_at(level->dim, (const uint32_t[3]){level->dim[0], 0, 0});
    int32_t *const x = p->grid[p->levels & 1], before = 0, q[BLOCK], decoded[BLOCK];
    uint8_t loud[BLOCK];
    for (size_t i = 0; i < n; before = x[i++]) {
        const int32_t in[BLOCK] = {x[i]}, predicted[BLOCK] = {before};
        (void)quantize(in, predicted, 1, level->step, q, decoded, loud);
        x[i] = decoded[0];
        p->grid_loud[p->levels & 1][i] = 0;
        p->contexts[p->count] = ZTI_SZ_HIGH_ANCHOR;
        p->symbols[p->count++] = loud_symbol(q[0], has ? has[ZTI_SZ_HIGH_ANCHOR] : NULL, extras);
    }
    p->anchor_bits = extras->bits;
}

static void decode_anchors(struct zti_sz_pyramid *p, const uint32_t *const *tables,
                           struct zti_ans_mixed *codes, struct zti_bit_reader *extras)
{
    const struct zti_sz_level *const level = &p->level[p->levels];
    const size_t n = row_at(level->dim, (const uint32_t[3]){level->dim[0], 0, 0});
    int32_t *const x = p->grid[p->levels & 1];
    uint32_t before = 0;
    for (size_t i = 0; i < n; i++) {
        const uint8_t context = ZTI_SZ_HIGH_ANCHOR;
        uint8_t symbol[2 * BLOCK] = {0}, loud[BLOCK];
        int32_t q[BLOCK];
        zti_ans_mixed_take(codes, tables, &context, 1, symbol);
        residuals_of(symbol, 1, extras, q, loud);
        before += (uint32_t)q[0] * level->step;
        x[i] = (int32_t)before;
        p->grid_loud[p->levels & 1][i] = 0;
    }
}

/* Whether all of a row but its end is coded here. */
ZTI_INLINE bool is_own_row(const struct zti_sz_band *band, const uint32_t *at)
{
    return at[0] < band->own[0] && at[1] < band->own[1] && at[2] < band->own[2];
}

/* All points of all levels but the coarsest, in the order of coding; those of the finest level are
 * merged if they are wanted afterwards. */
ZTI_INLINE void each_segment(struct zti_sz_pyramid *p, bool is_wanted,
                             void (*visit)(struct zti_sz_pyramid *, const struct segment *,
                                           const void *), const void *user)
{
    for (uint32_t l = p->levels; l-- > 0;) {
        const struct zti_sz_level *const level = &p->level[l];
        for (uint32_t b = 0; b < level->bands; b++) {
            const struct zti_sz_band *const band = &level->band[b];
            struct row row = rows_of(p, l, band);
            uint32_t at[3] = {0};
            do {
                place_row(&row, at);
                const size_t place = band->at + row_at(band->dim, at);
                const uint32_t own = is_own_row(band, at) ? band->own[3] : 0;
                for (uint32_t k = 0; k < band->dim[3]; k += SEGMENT) {
                    const uint32_t left = band->dim[3] - k, n = left < SEGMENT ? left : SEGMENT;
                    const uint32_t own_left = own > k ? own - k : 0;
                    const struct segment s = {.row = &row, .dim = band->dim, .at = at,
                                              .level = level, .first = k, .n = n,
                                              .own_n = own_left < n ? own_left : n,
                                              .place = place + k};
                    visit(p, &s, user);
                }
            } while (next_row(band->dim, at));
        }
        if (l > 0 || is_wanted)
            merge(p, l);
    }
}

static void code(struct zti_sz_pyramid *p, const uint8_t (*has)[ZTI_SZ_HIGH_ALPHABET],
                 struct zti_sz_extras *extras)
{
    struct coder coder = {.has = has, .extras = extras};
    for (uint32_t i = 0; has && i < ZTI_SZ_HIGH_CONTEXTS; i++)
        while (coder.least[i] < 255 && has[i][coder.least[i]])
            coder.least[i]++;
    p->count = 0;
    if (p->has_anchors)
        code_anchors(p, has, extras);
    each_segment(p, extras->writer.base != NULL, code_segment, &coder);
}

/* Not part of what calls it, so that all it has is in registers. */
__attribute__((noinline)) static void take_symbols(const struct decoder *d,
                                                   const uint8_t *contexts, uint32_t n,
                                                   uint8_t *symbols)
{
    zti_ans_mixed_take(d->codes, d->tables, contexts, n, symbols);
}

static void decode_segment(struct zti_sz_pyramid *p, const struct segment *s, const void *user)
{
    const struct decoder *const d = user;
    int32_t predicted[ROOM], q[ROOM];
    uint8_t contexts[ROOM], symbols[ROOM];
    uint16_t sum[ROOM];
    struct around around = {.rows = 0};
    const uint32_t own_n = s->own_n;
    int32_t *const restrict x = p->bands + s->place;
    uint8_t *const loud = p->band_loud + s->place;
    predict(s->row, s->first, s->n, predicted);
    if (own_n > 0)
        around = look_around(s, loud);
    if (own_n > 0 && around.rows == 0)
        sums_between(&around, own_n, sum);
    if (own_n > 0 && around.rows > 0) {
        kinds_of(&around, own_n, s->level->depth, contexts);
        take_symbols(d, contexts, own_n, symbols);
        residuals_of(symbols, own_n, d->extras, q, loud);
    }
    for (uint32_t k = 0; k < own_n && around.rows == 0; k += 4) {
        const uint32_t four = own_n - k < 4 ? own_n - k : 4;
        kinds_of_four(sum + k, loud + k, s->first + k == 0, four, s->level->depth, contexts);
        take_symbols(d, contexts, four, symbols);
        residuals_of(symbols, four, d->extras, q + k, loud + k);
    }
    EACH(k, own_n, BLOCK)
        x[k] = (int32_t)((uint32_t)predicted[k] + (uint32_t)q[k] * s->level->step);
    take_predicted(s, predicted, x, loud);
}

static bool decode(struct zti_sz_pyramid *p, const struct zti_ans_model *const *of,
                   struct zti_ans_mixed *codes, struct zti_bit_reader *extras)
{
    const uint32_t *tables[ZTI_SZ_HIGH_CONTEXTS];
    const struct decoder decoder = {tables, codes, extras};
    for (uint32_t i = 0; i < ZTI_SZ_HIGH_CONTEXTS; i++)
        tables[i] = of[i]->decode;
    if (p->has_anchors)
        decode_anchors(p, tables, codes, extras);
    each_segment(p, true, decode_segment, &decoder);
    return extras->at <= extras->end;
}

static uint8_t *put_codes(const struct zti_ans_model *const *of, const struct zti_sz_pyramid *p,
                          uint8_t *scratch)
{
    return zti_ans_mixed_put(of, ZTI_SZ_HIGH_CONTEXTS, p->contexts, p->symbols, p->count,
                             scratch);
}

const struct zti_sz_high_ops OPS = {.split = split,
                                    .code = code,
                                    .decode = decode,
                                    .put_codes = put_codes,
                                    .integers = integers,
                                    .values = values,
                                    .check = check};
