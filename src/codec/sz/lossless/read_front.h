/* read_front.h: what a lossless tile's bytes say before its symbols, and how it is read: functions
 * for the CPU and for kernels. Each field is checked, and memory is taken that the tile's shape
 * accounts for. front.c writes it. */
#ifndef ZTI_SZ_LOSSLESS_READ_FRONT_H
#define ZTI_SZ_LOSSLESS_READ_FRONT_H

#include "codec/sz/lossless/spec.h"
#include "entropy/ans/mixed.h"
#include "entropy/ans/table.h"

enum {
    ZTI_LL_ALPHABET = 256,
    ZTI_LL_TABLE = 640, /* bytes of a table by contexts: of all, for vectors */
    ZTI_LL_KIND_BITS = 3,
    ZTI_LL_BASE_BITS = 11,
    ZTI_LL_SHIFT_BITS = 6,
    ZTI_LL_DIGITS_BITS = 5,
    ZTI_LL_LOWEST_BITS = 11,
    ZTI_LL_LOWEST_FROM = -1024,
    ZTI_LL_RANKS_BITS = 12,
    ZTI_LL_LENGTH_BITS = 7,
    ZTI_LL_AXES_BITS = 4,
    ZTI_LL_MIRROR_BITS = 22,
    ZTI_LL_ROW_BITS = 20,
    ZTI_LL_MODELS_BITS = 4,
    ZTI_LL_RUN_BITS = 10
};

struct zti_ll_front {
    struct zti_ll_transform t;
    struct zti_ll_predictor p;
    bool has_signs; /* in symbols */
    uint32_t models;
    uint8_t model_of[ZTI_LL_TABLE];
};

/* Where lists of a front are stored: 2 numbers a slice, ZTI_LL_MOST_RANKS, a row, a row; and models
 * without weights. */
struct zti_ll_lists {
    double *lattices;
    uint64_t *ranks;
    int32_t *source;
    uint8_t *how;
    struct zti_ans_model *model;
};

/* States of the stream of a tile's symbols. */
ZTI_STATIC uint32_t ll_states(uint32_t values)
{
    enum { MANY_FROM = 4096 };
    return values < MANY_FROM ? ZTI_ANS_FEW : ZTI_ANS_MANY;
}

/* Get n <= 64 bits; beyond the end they are zeros, and zti_is_past_end says so. */
ZTI_STATIC uint64_t ll_get(struct zti_bit_reader *r, uint32_t n)
{
    const uint32_t low = n < 32 ? n : 32;
    const uint64_t v = zti_peek_either(r) & ((UINT64_C(1) << low) - 1);
    r->at += low;
    return n > 32 ? v | (uint64_t)zti_get_within(r, n - 32) << 32 : v;
}

ZTI_STATIC uint32_t ll_value_bits(uint32_t type)
{
    return type == ZT_F32 || type == ZT_I32 ? 32 : 64;
}

ZTI_STATIC uint32_t ll_mantissa_bits(uint32_t type)
{
    return type == ZT_F32 ? 23 : 52;
}

ZTI_STATIC bool ll_has_regime(const struct zti_ll_shape *s, uint32_t regime)
{
    const uint32_t all =
        (s->dim[2] > 1 ? 1u : 0) | (s->dim[1] > 1 ? 2u : 0) | (s->dim[0] > 1 ? 4u : 0);
    return (regime & ~all) == 0;
}

/* ---- the transform ---- */

ZTI_STATIC bool ll_read_linear(uint32_t type, struct zti_bit_reader *r, struct zti_ll_transform *t)
{
    const uint32_t mantissa = ll_mantissa_bits(type);
    bool is_good = true;
    t->base = zti_get_within(r, ZTI_LL_BASE_BITS);
    t->zeros = zti_get_within(r, ZTI_LL_SHIFT_BITS);
    const uint32_t first = zti_get_within(r, ZTI_LL_BASE_BITS);
    for (uint32_t e = first; e < t->base; e++) {
        t->low[e] = (uint8_t)zti_get_within(r, ZTI_LL_SHIFT_BITS);
        is_good = is_good && t->low[e] <= mantissa;
    }
    return is_good && t->base > mantissa && t->base < (type == ZT_F32 ? 256 : 2048) &&
           t->zeros <= mantissa && first <= t->base;
}

ZTI_STATIC bool ll_read_ranks(struct zti_bit_reader *r, struct zti_ll_transform *t)
{
    t->ranks = zti_get_within(r, ZTI_LL_RANKS_BITS) + 1;
    t->rank[0] = ll_get(r, 64);
    for (uint32_t i = 1; i < t->ranks; i++) {
        const uint32_t length = zti_get_within(r, ZTI_LL_LENGTH_BITS);
        if (length > 64)
            return false;
        const uint64_t more =
            length == 0 ? 0
                        : UINT64_C(1) << (length - 1) | (length > 1 ? ll_get(r, length - 1) : 0);
        t->rank[i] = t->rank[i - 1] + more + 1;
    }
    return true;
}

ZTI_STATIC bool ll_read_transform(uint32_t type, const struct zti_ll_shape *shape,
                                  struct zti_bit_reader *r, const struct zti_ll_lists *lists,
                                  struct zti_ll_transform *t)
{
    t->kind = zti_get_within(r, ZTI_LL_KIND_BITS);
    t->has_marks = zti_get_within(r, 1);
    t->has_fill = zti_get_within(r, 1);
    if (t->kind >= ZTI_LL_KINDS ||
        (!zti_is_float(type) && t->kind != ZTI_LL_ORDER && t->kind != ZTI_LL_RANK))
        return false;
    if (t->has_fill)
        t->fill = ll_get(r, ll_value_bits(type));
    if (t->kind == ZTI_LL_LINEAR)
        return ll_read_linear(type, r, t);
    if (t->kind == ZTI_LL_DECIMAL || t->kind == ZTI_LL_DIGITS)
        t->digits = zti_get_within(r, ZTI_LL_DIGITS_BITS);
    if (t->kind == ZTI_LL_DIGITS)
        t->lowest = (int32_t)zti_get_within(r, ZTI_LL_LOWEST_BITS) + ZTI_LL_LOWEST_FROM;
    t->offset = lists->lattices;
    t->step = lists->lattices + shape->slices;
    for (uint32_t i = 0; t->kind == ZTI_LL_LATTICE && i < shape->slices; i++) {
        t->offset[i] = zti_double_from_bits(ll_get(r, 64));
        t->step[i] = zti_double_from_bits(ll_get(r, 64));
    }
    t->rank = lists->ranks;
    return t->digits <= 15 && (t->kind != ZTI_LL_DIGITS || t->digits > 0) &&
           (t->kind != ZTI_LL_RANK || ll_read_ranks(r, t));
}

/* ---- rows that repeat rows: most go on by one from the row before ---- */

struct zti_ll_reference {
    int32_t row, step;
    uint32_t how;
};

/* What the next row is expected to repeat; row -1: nothing. */
ZTI_STATIC int32_t ll_expected(const struct zti_ll_reference *before)
{
    return before->row < 0 ? -1 : before->row + before->step;
}

ZTI_STATIC void ll_note_reference(struct zti_ll_reference *before, int32_t row, uint32_t how)
{
    if (before->row >= 0 && row != ll_expected(before))
        before->step = row > before->row ? 1 : -1;
    before->row = row;
    before->how = how;
}

ZTI_STATIC bool ll_read_rows(const struct zti_ll_shape *shape, struct zti_bit_reader *r,
                             const struct zti_ll_lists *lists, struct zti_ll_transform *t)
{
    struct zti_ll_reference before = {-1, 1, 0};
    t->source = lists->source;
    t->how = lists->how;
    t->mirror = zti_get_within(r, ZTI_LL_MIRROR_BITS);
    for (uint32_t i = 0; i < shape->rows; i++) {
        t->source[i] = -1;
        t->how[i] = 0;
        if (!zti_get_within(r, 1))
            continue;
        if (zti_get_within(r, 1)) {
            t->source[i] = ll_expected(&before);
            t->how[i] = (uint8_t)before.how;
        } else {
            t->how[i] = (uint8_t)zti_get_within(r, 2);
            t->source[i] = (int32_t)zti_get_within(r, ZTI_LL_ROW_BITS);
        }
        if (t->source[i] < 0 || t->source[i] >= (int32_t)i)
            return false;
        ll_note_reference(&before, t->source[i], t->how[i]);
    }
    return !shape->is_lanes && t->mirror < 2 * shape->width;
}

/* ---- the predictor ---- */

ZTI_STATIC bool ll_read_predictor(const struct zti_ll_shape *shape, struct zti_bit_reader *r,
                                  struct zti_ll_predictor *p)
{
    bool is_good = true;
    p->axes = zti_get_within(r, ZTI_LL_AXES_BITS);
    for (uint32_t g = 0; g < ZTI_LL_REGIMES; g++) {
        p->has_weights[g] = ll_has_regime(shape, g) && zti_get_within(r, 1);
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

/* Read which contexts have which model, as the lengths of their runs, of run_bits each, and the
 * models' weights; false: something is invalid, or beyond the reader's end. */
ZTI_STATIC bool ll_read_models(struct zti_bit_reader *r, uint32_t contexts, uint32_t run_bits,
                               uint32_t *models, uint8_t *model_of, struct zti_ans_model *model)
{
    uint32_t c = 0;
    *models = zti_get_within(r, ZTI_LL_MODELS_BITS) + 1;
    for (uint32_t k = 0; k + 1 < *models; k++) {
        const uint32_t run = zti_get_within(r, run_bits);
        if (run > contexts - c)
            return false;
        memset(model_of + c, (int)k, run);
        c += run;
    }
    memset(model_of + c, (int)*models - 1, contexts - c);
    for (uint32_t k = 0; k < *models; k++)
        if (zti_ans_read_weights(r, &model[k]) || model[k].used == 0)
            return false;
    return !zti_is_past_end(r);
}

/* ---- all of it ---- */

ZTI_STATIC bool ll_read_front(uint32_t type, const struct zti_ll_shape *shape,
                              struct zti_bit_reader *r, const struct zti_ll_lists *lists,
                              struct zti_ll_front *front)
{
    memset(front, 0, sizeof *front);
    if (!ll_read_transform(type, shape, r, lists, &front->t))
        return false;
    front->t.has_rows = zti_get_within(r, 1);
    if (front->t.has_rows && !ll_read_rows(shape, r, lists, &front->t))
        return false;
    if (!ll_read_predictor(shape, r, &front->p))
        return false;
    front->has_signs = zti_get_within(r, 1);
    return ll_read_models(r, ZTI_LL_CONTEXTS, ZTI_LL_RUN_BITS, &front->models, front->model_of,
                          lists->model);
}

#endif
