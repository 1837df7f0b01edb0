/* front.c: writes what a tile's bytes say before its symbols: the transform, the predictor, rows
 * that repeat rows, and which contexts share a model. read_front.h reads it. */
#include "codec/sz/large_tile.h"
#include "codec/sz/lossless/kernels.h"
#include "codec/sz/lossless/lossless.h"

_Static_assert(ZTI_LL_MODELS <= 1 << ZTI_LL_MODELS_BITS, "the number of models has room");

static void write_wide(struct zti_items *to, uint64_t v, uint32_t n)
{
    const uint32_t low = n < 32 ? n : 32;
    zti_items_field(to, v & ((UINT64_C(1) << low) - 1), low);
    zti_items_field(to, n > 32 ? v >> 32 : 0, n - low);
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
    zti_items_field(to, t->base, ZTI_LL_BASE_BITS);
    zti_items_field(to, t->zeros, ZTI_LL_SHIFT_BITS);
    zti_items_field(to, first, ZTI_LL_BASE_BITS);
    for (uint32_t e = first; e < t->base; e++)
        zti_items_field(to, t->low[e], ZTI_LL_SHIFT_BITS);
}

/* Ascending numbers: the first, then what each is more than the one before, less 1, behind its
 * length. */
static void write_ranks(const struct zti_ll_transform *t, struct zti_items *to)
{
    zti_items_field(to, t->ranks - 1, ZTI_LL_RANKS_BITS);
    write_wide(to, t->rank[0], 64);
    for (uint32_t i = 1; i < t->ranks; i++) {
        const uint64_t more = t->rank[i] - t->rank[i - 1] - 1;
        const uint32_t length = zti_bit_length64(more);
        zti_items_field(to, length, ZTI_LL_LENGTH_BITS);
        if (length > 1)
            write_wide(to, more & ~(UINT64_C(1) << (length - 1)), length - 1);
    }
}

static void write_transform(uint32_t type, const struct zti_ll_shape *shape,
                            const struct zti_ll_transform *t, struct zti_items *to)
{
    zti_items_field(to, t->kind, ZTI_LL_KIND_BITS);
    zti_items_field(to, t->has_marks, 1);
    zti_items_field(to, t->has_fill, 1);
    if (t->has_fill)
        write_wide(to, t->fill, 8 * (uint32_t)zt_type_bytes(type));
    if (t->kind == ZTI_LL_LINEAR)
        write_linear(t, to);
    if (t->kind == ZTI_LL_DECIMAL || t->kind == ZTI_LL_DIGITS)
        zti_items_field(to, t->digits, ZTI_LL_DIGITS_BITS);
    if (t->kind == ZTI_LL_DIGITS)
        zti_items_field(to, (uint64_t)(t->lowest - ZTI_LL_LOWEST_FROM), ZTI_LL_LOWEST_BITS);
    for (uint32_t i = 0; t->kind == ZTI_LL_LATTICE && i < shape->slices; i++) {
        write_wide(to, zti_bits_of_double(t->offset[i]), 64);
        write_wide(to, zti_bits_of_double(t->step[i]), 64);
    }
    if (t->kind == ZTI_LL_RANK)
        write_ranks(t, to);
}

/* ---- rows that repeat rows: most go on by one from the row before ---- */

static void write_rows(const struct zti_ll_shape *shape, const struct zti_ll_transform *t,
                       struct zti_items *to)
{
    struct zti_ll_reference before = {.row = -1, .step = 1};
    zti_items_field(to, t->mirror, ZTI_LL_MIRROR_BITS);
    for (uint32_t i = 0; i < shape->rows; i++) {
        zti_items_field(to, t->source[i] >= 0, 1);
        if (t->source[i] < 0)
            continue;
        const bool goes_on = t->source[i] == ll_expected(&before) && t->how[i] == before.how;
        zti_items_field(to, goes_on, 1);
        if (!goes_on) {
            zti_items_field(to, t->how[i], 2);
            zti_items_field(to, (uint64_t)t->source[i], ZTI_LL_ROW_BITS);
        }
        ll_note_reference(&before, t->source[i], t->how[i]);
    }
}

/* ---- the predictor ---- */

static void write_predictor(const struct zti_ll_shape *shape, const struct zti_ll_predictor *p,
                            struct zti_items *to)
{
    zti_items_field(to, p->axes, ZTI_LL_AXES_BITS);
    for (uint32_t g = 0; g < ZTI_LL_REGIMES; g++) {
        if (!ll_has_regime(shape, g))
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

/* ---- models ---- */

void zti_ll_encode_models(uint32_t models, const uint8_t *model_of, uint32_t contexts,
                          uint32_t run_bits, struct zti_items *to)
{
    zti_items_field(to, models - 1, ZTI_LL_MODELS_BITS);
    for (uint32_t k = 0, c = 0, begin; k + 1 < models; k++) {
        begin = c;
        while (c < contexts && model_of[c] == k)
            c++;
        zti_items_field(to, c - begin, run_bits);
    }
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
        zti_ll_encode_models(front->models, front->model_of, ZTI_LL_CONTEXTS, ZTI_LL_RUN_BITS, &to);
    return to.bits;
}

size_t zti_ll_begin_tile(const struct zti_ll_coded *c, uint8_t *to)
{
    const size_t lengths = zti_varint_bytes(c->front_bytes) + zti_varint_bytes(c->code_bytes) +
                           zti_varint_bytes(c->open_bytes);
    const size_t bytes = lengths + c->front_bytes + c->code_bytes + c->open_bytes + c->rest_bytes;
    const uint8_t *const begin = to;
    if (!is_shorter_than_raw(bytes, c->most))
        return 0;
    to = begin_coded_tile(to, bytes);
    to = zti_put_varint(to, c->front_bytes);
    to = zti_put_varint(to, c->code_bytes);
    to = zti_put_varint(to, c->open_bytes);
    return (size_t)(to - begin);
}

/* ---- and back ---- */

bool zti_ll_decode_models(struct zti_bit_reader *r, uint32_t contexts, uint32_t run_bits,
                          uint32_t *models, uint8_t *model_of, struct zti_ans_model *model)
{
    const bool is_good = ll_read_models(r, contexts, run_bits, models, model_of, model);
    for (uint32_t k = 0; is_good && k < *models; k++)
        zti_ans_make_decoder(&model[k]);
    return is_good;
}

bool zti_ll_decode_front(uint32_t type, const struct zti_ll_shape *shape, struct zti_bit_reader *r,
                         struct zti_ll_slot *slot, struct zti_ll_front *front)
{
    const struct zti_ll_lists lists = {slot->lattices, slot->ranks, slot->source, slot->how,
                                       slot->model};
    const bool is_good = ll_read_front(type, shape, r, &lists, front);
    for (uint32_t k = 0; is_good && k < front->models; k++)
        zti_ans_make_decoder(&slot->model[k]);
    return is_good;
}
