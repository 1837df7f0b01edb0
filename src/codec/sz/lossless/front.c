/* front.c: what a tile's bytes say before its symbols: the transform, the predictor, rows that
 * repeat rows, and which contexts share a model. Reading checks each field, and takes memory that
 * the tile's shape accounts for. */
#include "codec/sz/lossless/lossless.h"
#include "entropy/items.h"

enum {
    KIND_BITS = 3,
    BASE_BITS = 11,
    SHIFT_BITS = 6,
    DIGITS_BITS = 5,
    LOWEST_BITS = 11,
    LOWEST_FROM = -1024,
    RANKS_BITS = 12,
    LENGTH_BITS = 7,
    AXES_BITS = 4,
    MIRROR_BITS = 22,
    ROW_BITS = 20,
    MODELS_BITS = 4,
    RUN_BITS = 10
};

_Static_assert(ZTI_LL_MODELS <= 1 << MODELS_BITS, "the number of models has room");

static void write_wide(struct zti_items *to, uint64_t v, uint32_t n)
{
    const uint32_t low = n < 32 ? n : 32;
    zti_items_field(to, v & ((UINT64_C(1) << low) - 1), low);
    zti_items_field(to, n > 32 ? v >> 32 : 0, n - low);
}

static uint32_t mantissa_bits(uint32_t type)
{
    return type == ZT_F32 ? 23 : 52;
}

static bool has_regime(const struct zti_ll_shape *s, uint32_t regime)
{
    const uint32_t all =
        (s->dim[2] > 1 ? 1u : 0) | (s->dim[1] > 1 ? 2u : 0) | (s->dim[0] > 1 ? 4u : 0);
    return (regime & ~all) == 0;
}

/* ---- the transform ---- */

/* The first exponent that has low bits to store; base: none has. */
static uint32_t first_low(const struct zti_ll_transform *t)
{
    uint32_t e = 0;
    while (e < t->base && t->low[e] == 0)
        e++;
    return e;
}

static void write_linear(const struct zti_ll_transform *t, struct zti_items *to)
{
    const uint32_t first = first_low(t);
    zti_items_field(to, t->base, BASE_BITS);
    zti_items_field(to, t->zeros, SHIFT_BITS);
    zti_items_field(to, first, BASE_BITS);
    for (uint32_t e = first; e < t->base; e++)
        zti_items_field(to, t->low[e], SHIFT_BITS);
}

static bool read_linear(uint32_t type, struct zti_bit_reader *r, struct zti_ll_transform *t)
{
    const uint32_t mantissa = mantissa_bits(type);
    bool is_good = true;
    t->base = zti_get_within(r, BASE_BITS);
    t->zeros = zti_get_within(r, SHIFT_BITS);
    const uint32_t first = zti_get_within(r, BASE_BITS);
    for (uint32_t e = first; e < t->base; e++) {
        t->low[e] = (uint8_t)zti_get_within(r, SHIFT_BITS);
        is_good = is_good && t->low[e] <= mantissa;
    }
    return is_good && t->base > mantissa && t->base < (type == ZT_F32 ? 256 : 2048) &&
           t->zeros <= mantissa && first <= t->base;
}

/* Ascending numbers: the first, then what each is more than the one before, less 1, behind its
 * length. */
static void write_ranks(const struct zti_ll_transform *t, struct zti_items *to)
{
    zti_items_field(to, t->ranks - 1, RANKS_BITS);
    write_wide(to, t->rank[0], 64);
    for (uint32_t i = 1; i < t->ranks; i++) {
        const uint64_t more = t->rank[i] - t->rank[i - 1] - 1;
        const uint32_t length = zti_bit_length64(more);
        zti_items_field(to, length, LENGTH_BITS);
        if (length > 1)
            write_wide(to, more & ~(UINT64_C(1) << (length - 1)), length - 1);
    }
}

static bool read_ranks(struct zti_bit_reader *r, struct zti_ll_transform *t)
{
    t->ranks = zti_get_within(r, RANKS_BITS) + 1;
    t->rank[0] = ll_get(r, 64);
    for (uint32_t i = 1; i < t->ranks; i++) {
        const uint32_t length = zti_get_within(r, LENGTH_BITS);
        if (length > 64)
            return false;
        const uint64_t more =
            length == 0 ? 0
                        : UINT64_C(1) << (length - 1) | (length > 1 ? ll_get(r, length - 1) : 0);
        t->rank[i] = t->rank[i - 1] + more + 1;
    }
    return true;
}

static void write_transform(uint32_t type, const struct zti_ll_shape *shape,
                            const struct zti_ll_transform *t, struct zti_items *to)
{
    zti_items_field(to, t->kind, KIND_BITS);
    zti_items_field(to, t->has_marks, 1);
    zti_items_field(to, t->has_fill, 1);
    if (t->has_fill)
        write_wide(to, t->fill, 8 * (uint32_t)zt_type_bytes(type));
    if (t->kind == ZTI_LL_LINEAR)
        write_linear(t, to);
    if (t->kind == ZTI_LL_DECIMAL || t->kind == ZTI_LL_DIGITS)
        zti_items_field(to, t->digits, DIGITS_BITS);
    if (t->kind == ZTI_LL_DIGITS)
        zti_items_field(to, (uint64_t)(t->lowest - LOWEST_FROM), LOWEST_BITS);
    for (uint32_t i = 0; t->kind == ZTI_LL_LATTICE && i < shape->slices; i++) {
        write_wide(to, zti_bits_of_double(t->offset[i]), 64);
        write_wide(to, zti_bits_of_double(t->step[i]), 64);
    }
    if (t->kind == ZTI_LL_RANK)
        write_ranks(t, to);
}

static bool read_transform(uint32_t type, const struct zti_ll_shape *shape,
                           struct zti_bit_reader *r, struct zti_ll_slot *slot,
                           struct zti_ll_transform *t)
{
    t->kind = zti_get_within(r, KIND_BITS);
    t->has_marks = zti_get_within(r, 1);
    t->has_fill = zti_get_within(r, 1);
    if (t->kind >= ZTI_LL_KINDS ||
        (!zti_is_float(type) && t->kind != ZTI_LL_ORDER && t->kind != ZTI_LL_RANK))
        return false;
    if (t->has_fill)
        t->fill = ll_get(r, 8 * (uint32_t)zt_type_bytes(type));
    if (t->kind == ZTI_LL_LINEAR)
        return read_linear(type, r, t);
    if (t->kind == ZTI_LL_DECIMAL || t->kind == ZTI_LL_DIGITS)
        t->digits = zti_get_within(r, DIGITS_BITS);
    if (t->kind == ZTI_LL_DIGITS)
        t->lowest = (int32_t)zti_get_within(r, LOWEST_BITS) + LOWEST_FROM;
    t->offset = slot->lattices;
    t->step = slot->lattices + shape->slices;
    for (uint32_t i = 0; t->kind == ZTI_LL_LATTICE && i < shape->slices; i++) {
        t->offset[i] = zti_double_from_bits(ll_get(r, 64));
        t->step[i] = zti_double_from_bits(ll_get(r, 64));
    }
    t->rank = slot->ranks;
    return t->digits <= 15 && (t->kind != ZTI_LL_DIGITS || t->digits > 0) &&
           (t->kind != ZTI_LL_RANK || read_ranks(r, t));
}

/* ---- rows that repeat rows: most go on by one from the row before ---- */

struct reference {
    int32_t row, step;
    uint32_t how;
};

/* What the next row is expected to repeat; row -1: nothing. */
static int32_t expected(const struct reference *before)
{
    return before->row < 0 ? -1 : before->row + before->step;
}

static void note_reference(struct reference *before, int32_t row, uint32_t how)
{
    if (before->row >= 0 && row != expected(before))
        before->step = row > before->row ? 1 : -1;
    before->row = row;
    before->how = how;
}

static void write_rows(const struct zti_ll_shape *shape, const struct zti_ll_transform *t,
                       struct zti_items *to)
{
    struct reference before = {.row = -1, .step = 1};
    zti_items_field(to, t->mirror, MIRROR_BITS);
    for (uint32_t i = 0; i < shape->rows; i++) {
        zti_items_field(to, t->source[i] >= 0, 1);
        if (t->source[i] < 0)
            continue;
        const bool goes_on = t->source[i] == expected(&before) && t->how[i] == before.how;
        zti_items_field(to, goes_on, 1);
        if (!goes_on) {
            zti_items_field(to, t->how[i], 2);
            zti_items_field(to, (uint64_t)t->source[i], ROW_BITS);
        }
        note_reference(&before, t->source[i], t->how[i]);
    }
}

static bool read_rows(const struct zti_ll_shape *shape, struct zti_bit_reader *r,
                      struct zti_ll_slot *slot, struct zti_ll_transform *t)
{
    struct reference before = {.row = -1, .step = 1};
    t->source = slot->source;
    t->how = slot->how;
    t->mirror = zti_get_within(r, MIRROR_BITS);
    for (uint32_t i = 0; i < shape->rows; i++) {
        t->source[i] = -1;
        t->how[i] = 0;
        if (!zti_get_within(r, 1))
            continue;
        if (zti_get_within(r, 1)) {
            t->source[i] = expected(&before);
            t->how[i] = (uint8_t)before.how;
        } else {
            t->how[i] = (uint8_t)zti_get_within(r, 2);
            t->source[i] = (int32_t)zti_get_within(r, ROW_BITS);
        }
        if (t->source[i] < 0 || t->source[i] >= (int32_t)i)
            return false;
        note_reference(&before, t->source[i], t->how[i]);
    }
    return !shape->is_lanes && t->mirror < 2 * shape->width;
}

/* ---- the predictor ---- */

static void write_predictor(const struct zti_ll_shape *shape, const struct zti_ll_predictor *p,
                            struct zti_items *to)
{
    zti_items_field(to, p->axes, AXES_BITS);
    for (uint32_t g = 0; g < ZTI_LL_REGIMES; g++) {
        if (!has_regime(shape, g))
            continue;
        zti_items_field(to, p->has_weights[g], 1);
        if (!p->has_weights[g])
            continue;
        const struct zti_ll_taps taps = ll_taps(shape, g);
        for (uint32_t k = 1; k < taps.before + taps.own; k++) {
            uint32_t bits;
            memcpy(&bits, &p->weight[g][k], sizeof bits);
            zti_items_field(to, bits, 32);
        }
    }
}

static bool read_predictor(const struct zti_ll_shape *shape, struct zti_bit_reader *r,
                           struct zti_ll_predictor *p)
{
    bool is_good = true;
    p->axes = zti_get_within(r, AXES_BITS);
    for (uint32_t g = 0; g < ZTI_LL_REGIMES; g++) {
        p->has_weights[g] = has_regime(shape, g) && zti_get_within(r, 1);
        if (!p->has_weights[g])
            continue;
        const struct zti_ll_taps taps = p->taps[g] = ll_taps(shape, g);
        is_good = is_good && taps.before + taps.own > 0;
        for (uint32_t k = 1; k < taps.before + taps.own; k++) {
            const uint32_t bits = zti_get_within(r, 32);
            memcpy(&p->weight[g][k], &bits, sizeof bits);
            is_good = is_good && fabsf(p->weight[g][k]) <= ZTI_LL_MOST_WEIGHT;
        }
    }
    return is_good;
}

/* ---- models ---- */

void zti_ll_encode_models(uint32_t models, const uint8_t *model_of, uint32_t contexts,
                          uint32_t run_bits, struct zti_items *to)
{
    zti_items_field(to, models - 1, MODELS_BITS);
    for (uint32_t k = 0, c = 0, begin; k + 1 < models; k++) {
        begin = c;
        while (c < contexts && model_of[c] == k)
            c++;
        zti_items_field(to, c - begin, run_bits);
    }
}

bool zti_ll_decode_models(struct zti_bit_reader *r, uint32_t contexts, uint32_t run_bits,
                          uint32_t *models, uint8_t *model_of, struct zti_ans_model *model)
{
    uint32_t c = 0;
    *models = zti_get_within(r, MODELS_BITS) + 1;
    for (uint32_t k = 0; k + 1 < *models; k++) {
        const uint32_t run = zti_get_within(r, run_bits);
        if (run > contexts - c)
            return false;
        memset(model_of + c, (int)k, run);
        c += run;
    }
    memset(model_of + c, (int)*models - 1, contexts - c);
    for (uint32_t k = 0; k < *models; k++)
        if (zti_ans_read(r, &model[k]) || model[k].used == 0)
            return false;
    return r->at <= r->end;
}

/* ---- all of it ---- */

uint64_t zti_ll_encode_front(uint32_t type, const struct zti_ll_shape *shape,
                             const struct zti_ll_front *front, struct zti_bit_writer *w)
{
    struct zti_items to = {w, 0};
    write_transform(type, shape, &front->t, &to);
    zti_items_field(&to, front->t.has_rows, 1);
    if (front->t.has_rows)
        write_rows(shape, &front->t, &to);
    write_predictor(shape, &front->p, &to);
    zti_items_field(&to, front->has_signs, 1);
    if (front->models > 0)
        zti_ll_encode_models(front->models, front->model_of, ZTI_LL_CONTEXTS, RUN_BITS, &to);
    return to.bits;
}

bool zti_ll_decode_front(uint32_t type, const struct zti_ll_shape *shape, struct zti_bit_reader *r,
                         struct zti_ll_slot *slot, struct zti_ll_front *front)
{
    memset(front, 0, sizeof *front);
    if (!read_transform(type, shape, r, slot, &front->t))
        return false;
    front->t.has_rows = zti_get_within(r, 1);
    if (front->t.has_rows && !read_rows(shape, r, slot, &front->t))
        return false;
    if (!read_predictor(shape, r, &front->p))
        return false;
    front->has_signs = zti_get_within(r, 1);
    return zti_ll_decode_models(r, ZTI_LL_CONTEXTS, RUN_BITS, &front->models, front->model_of,
                                slot->model);
}
