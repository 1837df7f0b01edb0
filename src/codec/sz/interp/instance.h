/* instance.h: kernel text of effort 'high': encode the rows of bands from predictions to symbols,
 * and decode them. The includer defines OPS and the coder of symbols, for each instruction set. All
 * instances give the same results: where floating-point numbers are used, they give the same
 * integers. */
#include "codec/sz/bits.h"
#include "codec/sz/interp/interp.h"
#include "codec/sz/interp/lanes.h"

#include "codec/sz/interp/values.h"

#include "codec/sz/interp/symbols.h"

ZTI_INLINE size_t row_at(const uint32_t *dim, const uint32_t *at)
{
    return (((size_t)at[0] * dim[1] + at[1]) * dim[2] + at[2]) * dim[3];
}

/* Whether rows are joined: short rows are contiguous in all bands if the last axis is not
 * interpolated, so many are processed at a time. */
ZTI_INLINE bool has_joined_rows(const struct zti_sz_pyramid *p)
{
    return !(p->axes & 8) && p->level[0].dim[3] <= ZTI_SZ_HIGH_SHORT;
}

/* The integers of the bands, and those of a level. */
ZTI_INLINE integer *bands_of(const struct zti_sz_pyramid *p)
{
    return p->bands;
}

ZTI_INLINE integer *grid_of(const struct zti_sz_pyramid *p, uint32_t l)
{
    return p->grid[l & 1];
}

#include "codec/sz/interp/bands.h"
#include "codec/sz/interp/predict.h"

#include "codec/sz/interp/context.h"
#include "codec/sz/interp/chain.h"

/* ---- residuals and symbols ---- */

/* The integers nearest to d / step, where step is odd; per = 1 / step. Floats are exact enough for
 * |d| < 2^21: the quotient is at least 1 / (2 step) from the middle between two integers and below
 * 2^21 / step, and its two roundings of 2^-24 make at most 1 / (4 step). Adding 3 * 2^22 rounds. */
ZTI_INLINE uints nearest_of(uints d, uint32_t step, float per)
{
#if IS_WIDE
    const bool is_far = true;
    (void)per;
#else
    enum { FAR = 1 << 21 };
    const bool is_far = v_is_any((d + FAR) & ~(2u * FAR - 1));
#endif
    if (__builtin_expect(is_far, IS_WIDE)) {
        for (uint32_t i = 0; i < LANES; i++)
            d[i] = (natural)RULE(nearest)((integer)d[i], 1.0 / step);
        return d;
    }
#if !IS_WIDE
    const float rounds = 0x1.8p23F;
    uint32_t zero;
    memcpy(&zero, &rounds, sizeof zero);
    return (u32s)(__builtin_convertvector((i32s)d, f32s) * per + rounds) - zero;
#endif
}

/* The arrays and numbers of a row that is quantized. */
struct residuals {
    integer *restrict x; /* integers; overwritten by the decoded ones */
    const integer *restrict predicted;
    integer *restrict q;                             /* residuals */
    uint8_t *restrict magnitudes, *restrict symbols; /* symbols of small residuals */
    uint32_t step;
    float per; /* 1 / step */
};

/* Quantize a block of residuals with n values; the integers after these stay. Returns the OR of the
 * magnitudes. */
ZTI_INLINE uints quantize_block(const struct residuals *r, uint32_t k, uint32_t n, bool is_whole)
{
    uints size[PARTS], folded[PARTS], any = {0};
    for (uint32_t part = 0; part < PARTS; part++) {
        const uint32_t at = part * LANES;
        const uints in = V_W(load)(r->x + k + at), predicted = V_W(load)(r->predicted + k + at);
        const ints keep = (ints)(V_W(iota)() + at) < (integer)n;
        uints v = nearest_of(in - predicted, r->step, r->per);
        v = is_whole ? v : v & (uints)keep;
        const uints decoded = predicted + v * r->step;
        V_W(store)(r->x + k + at, is_whole ? decoded : either(keep, decoded, in));
        V_W(store)(r->q + k + at, v);
        size[part] = V_W(size)(v);
        any |= size[part];
        size[part] = V_W(min)(size[part], V_W(all)(ZTI_SZ_HIGH_MOST_MAGNITUDE));
        folded[part] = v_fold(v);
    }
    store_block(size, r->magnitudes + k);
    store_block(folded, r->symbols + k);
    return any;
}

static bool quantize(const struct residuals *residuals, uint32_t n)
{
    const struct residuals r = *residuals;
    uints any = {0};
    uint32_t k = 0;
    for (; k + BLOCK <= n; k += BLOCK)
        any |= quantize_block(&r, k, BLOCK, true);
    if (k < n)
        any |= quantize_block(&r, k, n - k, false);
    return v_is_any((u32s)(any & ~(natural)ZTI_SZ_HIGH_MOST_MAGNITUDE));
}

/* What encoding needs beside the pyramid. */
struct coder {
    const uint8_t (*has)[ZTI_SZ_HIGH_ALPHABET];  /* NULL: all */
    uint8_t least[ZTI_SZ_HIGH_CONTEXTS + BLOCK]; /* the least symbol that a context lacks, or 255 */
    struct zti_sz_extras *extras;
    struct kinds kinds;
};

struct decoder {
    const uint32_t *const *tables;
    struct zti_ans_mixed *codes; /* NULL: all symbols are 0 */
    struct zti_bit_reader *extras;
    struct kinds kinds;
    struct chain chain;
};

/* Set the next tile's points to their predictions, with magnitude 0. */
ZTI_INLINE void set_predicted(const struct segment *s, const integer *predicted, integer *x,
                              uint8_t *magnitudes)
{
    for (uint32_t k = s->own_n; k < s->n; k++) {
        x[k] = predicted[k];
        magnitudes[k] = 0;
    }
}

/* Whether a context may lack a symbol. All contexts have one depth; symbols are 0 after the last to
 * the end of its block. */
ZTI_INLINE bool may_need_escape(const struct coder *c, uint32_t depth, const uint8_t *contexts,
                                uint32_t n, const uint8_t *symbols)
{
    const uint32_t base = zti_sz_high_first_context(depth);
    small bad = {0};
    for (uint32_t k = 0; k < n; k += WIDE) {
        const small kind = load_small(contexts + k) - (uint8_t)base;
        bad |= (small)(load_small(symbols + k) >= look_up(c->least + base, kind));
    }
    return is_any(bad);
}

/* Complete the symbols of n residuals, in contexts of one depth, and append their open bits. */
ZTI_INLINE void write_symbols(const struct coder *c, const integer *q, uint32_t n, bool is_large,
                              uint32_t depth, const uint8_t *contexts, uint8_t *symbols)
{
    bool lacks = IS_WIDE && is_large; /* the escape is rare, but is needed */
#if !IS_WIDE
    struct open_bits open;
    const uint32_t sum = is_large ? large_symbols(q, n, symbols, &open) : 0;
#endif
    if (!lacks && c->has && may_need_escape(c, depth, contexts, n, symbols))
        for (uint32_t k = 0; k < n; k++)
            lacks |= !c->has[contexts[k]][symbols[k]];
    if (lacks)
        for (uint32_t k = 0; k < n; k++)
            symbols[k] = large_symbol(q[k], c->has ? c->has[contexts[k]] : NULL, c->extras);
#if !IS_WIDE
    else if (sum > 0)
        write_open(c->extras, &open, n, sum);
#endif
}

ZTI_INLINE void code_segment(struct zti_sz_pyramid *p, const struct segment *s, const void *user)
{
    const struct coder *const c = user;
    _Alignas(64) integer q[ROOM], predicted[ROOM];
    uint16_t sum[ROOM];
    const uint32_t own_n = s->own_n, depth = s->level->depth, step = s->level->step;
    integer *const x = bands_of(p) + s->place;
    uint8_t *const magnitudes = p->band_magnitudes + s->place;
    uint8_t *const symbols = p->symbols + p->count, *const contexts = p->contexts + p->count;
    const struct residuals residuals = {x,    predicted,          q, magnitudes, symbols,
                                        step, (float)(1.0 / step)};
    predict(s->row, s->first, s->n, predicted);
    const bool is_large = quantize(&residuals, own_n);
    set_predicted(s, predicted, x, magnitudes);
    if (own_n == 0)
        return;
    struct around around;
    load_neighbours(s, magnitudes, &around);
    if (around.rows > 0)
        kinds_of(&around, &c->kinds, own_n, depth, contexts);
    else
        sums_without(&around, 0, own_n, sum);
    for (uint32_t k = 0; around.rows == 0 && k < own_n; k += 4)
        kinds_of_four(&c->kinds, sum + k, magnitudes + k, s->first + k == 0,
                      own_n - k < 4 ? own_n - k : 4, depth, contexts + k);
    write_symbols(c, q, own_n, is_large, depth, contexts, symbols);
    p->count += own_n;
}

/* Encode the coarsest points; each is predicted by the one before. */
static void code_anchors(struct zti_sz_pyramid *p, const uint8_t (*has)[ZTI_SZ_HIGH_ALPHABET],
                         struct zti_sz_extras *extras)
{
    const struct zti_sz_level *const level = &p->level[p->levels];
    const size_t n = row_at(level->dim, (const uint32_t[3]){level->dim[0], 0, 0});
    integer *const x = grid_of(p, p->levels);
    natural before = 0;
    for (size_t i = 0; i < n; x[i++] = (integer)before) {
        const integer q = RULE(nearest)((integer)((natural)x[i] - before), 1.0 / level->step);
        before += (natural)q * level->step;
        p->grid_magnitudes[p->levels & 1][i] = 0;
        p->contexts[p->count] = ZTI_SZ_HIGH_ANCHOR;
        p->symbols[p->count++] = large_symbol(q, has ? has[ZTI_SZ_HIGH_ANCHOR] : NULL, extras);
    }
    p->anchor_bits = extras->bits;
}

static void decode_anchors(struct zti_sz_pyramid *p, const uint32_t *const *tables,
                           struct zti_ans_mixed *codes, struct zti_bit_reader *extras)
{
    const struct zti_sz_level *const level = &p->level[p->levels];
    const size_t n = row_at(level->dim, (const uint32_t[3]){level->dim[0], 0, 0});
    integer *const x = grid_of(p, p->levels);
    natural before = 0;
    for (size_t i = 0; i < n; i++) {
        const uint8_t context = ZTI_SZ_HIGH_ANCHOR;
        uint8_t symbol[2 * BLOCK] = {0}, magnitudes[BLOCK];
        integer q[BLOCK];
        TAKE_CODES(codes, tables, &context, 1, symbol);
        residuals_of(symbol, 1, extras, q, magnitudes);
        before += (natural)q[0] * level->step;
        x[i] = (integer)before;
        p->grid_magnitudes[p->levels & 1][i] = 0;
    }
}

/* Whether this tile codes the row, except perhaps its end. */
ZTI_INLINE bool is_own_row(const struct zti_sz_band *band, const uint32_t *at)
{
    return at[0] < band->own[0] && at[1] < band->own[1] && at[2] < band->own[2];
}

/* The number of rows of a band that are joined from row 'at' on: they have the same stencils and
 * kinds of rows before, and this tile codes all or none of them. */
ZTI_INLINE uint32_t joined_from(const struct zti_sz_band *band, const struct row *row,
                                const uint32_t *at)
{
    const uint32_t i = at[2], own = i < band->own[2] ? band->own[2] : band->dim[2];
    const uint32_t of = band->odd & 4 ? row->parent[2].of : UINT32_MAX;
    if (!ZTI_SZ_HIGH_HAS_FOUR(i, of))
        return 1;
    return (own < of - 2 ? own : of - 2) - i;
}

typedef void visitor(struct zti_sz_pyramid *, const struct segment *, const void *);

/* Visit all segments of a band. */
ZTI_INLINE void visit_segments_of_band(struct zti_sz_pyramid *p, uint32_t l,
                                       const struct zti_sz_band *band, bool is_joined,
                                       visitor *visit, const void *user)
{
    struct row row = rows_of(p, l, band);
    uint32_t at[3] = {0};
    do {
        place_row(&row, at);
        const size_t place = band->at + row_at(band->dim, at);
        const uint32_t rows = is_joined ? joined_from(band, &row, at) : 1;
        const uint32_t length = rows * band->dim[3];
        const uint32_t own = is_own_row(band, at) ? rows * band->own[3] : 0;
        for (uint32_t k = 0; k < length; k += SEGMENT) {
            const uint32_t left = length - k, n = left < SEGMENT ? left : SEGMENT;
            const uint32_t own_left = own > k ? own - k : 0;
            const struct segment s = {.row = &row,
                                      .dim = band->dim,
                                      .at = at,
                                      .level = &p->level[l],
                                      .first = k,
                                      .n = n,
                                      .own_n = own_left < n ? own_left : n,
                                      .place = place + k,
                                      .is_joined = is_joined && rows > 1};
            visit(p, &s, user);
        }
        at[2] += rows - 1;
    } while (zti_sz_high_next_row(band->dim, at));
}

/* Visit all segments of all levels but the coarsest, in the order of coding, and merge all levels
 * but the finest. */
ZTI_INLINE void visit_segments(struct zti_sz_pyramid *p, visitor *visit, const void *user)
{
    const bool is_joined = has_joined_rows(p);
    for (uint32_t l = p->levels; l-- > 0;) {
        const struct zti_sz_level *const level = &p->level[l];
        for (uint32_t b = 0; b < level->bands; b++) {
            if (is_joined)
                visit_segments_of_band(p, l, &level->band[b], true, visit, user);
            else
                visit_segments_of_band(p, l, &level->band[b], false, visit, user);
        }
        if (l > 0)
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
    make_kinds(&coder.kinds);
    p->count = 0;
    if (p->has_anchors)
        code_anchors(p, has, extras);
    visit_segments(p, code_segment, &coder);
}

/* Decode the residuals of joined rows, and their magnitudes. */
__attribute__((noinline)) static void decode_joined(const struct decoder *d,
                                                    const struct segment *s,
                                                    const struct around *around, integer *q,
                                                    uint8_t *magnitudes)
{
    const uint32_t share = zti_sz_high_row_share(around->rows);
    uint8_t symbols[ROOM];
    uint16_t sum[ROOM];
    /* leave out the row before along axis 2, which is the first */
    sums_without(around, 1, s->own_n, sum);
    for (uint32_t k = 0, n; k < s->own_n; k += n) {
        n = read_chain(d->codes, d->chain.tables[s->level->depth], sum + k, share, s->dim[3],
                       s->own_n - k, magnitudes + k, symbols + k);
        residuals_of(symbols + k, n, d->extras, q + k, magnitudes + k);
    }
}

/* Decode the residuals of a row, and their magnitudes. */
ZTI_INLINE void decode_residuals(const struct decoder *d, const struct segment *s, integer *q,
                                 uint8_t *magnitudes)
{
    const uint32_t own_n = s->own_n;
    uint8_t contexts[ROOM], symbols[ROOM];
    uint16_t sum[ROOM];
    struct around around;
    load_neighbours(s, magnitudes, &around);
    if (s->is_joined) {
        decode_joined(d, s, &around, q, magnitudes);
        return;
    }
    if (around.rows > 0) {
        kinds_of(&around, &d->kinds, own_n, s->level->depth, contexts);
        TAKE_CODES(d->codes, d->tables, contexts, own_n, symbols);
        residuals_of(symbols, own_n, d->extras, q, magnitudes);
        return;
    }
    sums_without(&around, 0, own_n, sum);
    for (uint32_t k = 0; k < 4 && s->first == 0; k++)
        sum[k] = (uint16_t)zti_sz_high_first_row(sum[k], true, 0);
    for (uint32_t k = 0, n; k < own_n; k += n) {
        uint8_t *const own = magnitudes + k;
        const uint32_t before = s->first + k > 0 ? own[-1] + own[-2] : 0;
        n = read_fours(d->codes, d->chain.tables[s->level->depth], sum + k, before, own_n - k,
                       symbols + k);
        residuals_of(symbols + k, n, d->extras, q + k, own);
    }
}

ZTI_INLINE void decode_segment(struct zti_sz_pyramid *p, const struct segment *s, const void *user)
{
    const struct decoder *const d = user;
    _Alignas(64) integer q[ROOM], predicted[ROOM];
    const uint32_t own_n = s->own_n;
    integer *const x = bands_of(p) + s->place;
    uint8_t *const magnitudes = p->band_magnitudes + s->place;
    if (own_n > 0 && d->codes) {
        decode_residuals(d, s, q, magnitudes);
    } else if (own_n > 0) {
        memset(q, 0, (own_n + BLOCK) * sizeof *q);
        memset(magnitudes, 0, own_n);
    }
    predict(s->row, s->first, s->n, predicted);
    for (uint32_t k = 0; k < own_n; k += LANES)
        V_W(store)(x + k, V_W(load)(predicted + k) + V_W(load)(q + k) * s->level->step);
    set_predicted(s, predicted, x, magnitudes);
}

static bool decode(struct zti_sz_pyramid *p, const struct zti_ans_model *const *of,
                   struct zti_ans_mixed *codes, struct zti_bit_reader *extras)
{
    const uint32_t *tables[ZTI_SZ_HIGH_CONTEXTS];
    struct decoder decoder;
    decoder.tables = tables;
    decoder.codes = codes;
    decoder.extras = extras;
    make_kinds(&decoder.kinds);
    for (uint32_t i = 0; i < ZTI_SZ_HIGH_CONTEXTS; i++)
        tables[i] = of[i]->decode;
    make_chain(&decoder.kinds, tables, &decoder.chain);
    if (p->has_anchors)
        decode_anchors(p, tables, codes, extras);
    visit_segments(p, decode_segment, &decoder);
    return extras->at <= extras->end;
}

static uint8_t *write_codes(const struct zti_ans_mixed_table *table, const struct zti_sz_pyramid *p,
                            uint32_t states, uint8_t *scratch)
{
    return PUT_CODES(table, p->contexts, p->symbols, p->count, states, scratch);
}

const struct zti_sz_high_ops OPS = {.split_row = split_row,
                                    .merge_row = merge_row,
                                    .split = split,
                                    .code = code,
                                    .decode = decode,
                                    .write_codes = write_codes,
                                    .integers = integers,
                                    .values = values,
                                    .check = check};
