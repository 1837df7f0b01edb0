/* table.h: a model's stored table of weights to frequencies, and these to the decoder's table: the
 * rules of model.c that readers need, as functions for the CPU and for kernels. */
#ifndef ZTI_ANS_TABLE_H
#define ZTI_ANS_TABLE_H

#include "entropy/ans/ans.h"
#include "entropy/items.h"

#include <math.h>

enum {
    ZTI_ANS_PRECISION_BITS = 3,
    ZTI_ANS_WEIGHT_BITS = 16,
    ZTI_ANS_FIRST_BEFORE = ZTI_ANS_WEIGHT_BITS, /* before the first symbol: exponent + 1 */
    ZTI_ANS_SPREAD_STEP = 2563
};

/* ---- weights as they are stored ---- */

/* Read a list of weights: exponents first, then the bits below the leading ones. Returns NULL, or
 * what is wrong, for a message. */
ZTI_STATIC const char *zti_ans_read_list(struct zti_bit_reader *r, struct zti_ans_model *model)
{
    uint16_t *const weights = model->weights;
    uint32_t before = ZTI_ANS_FIRST_BEFORE, exponent;
    model->precision = zti_get_within(r, ZTI_ANS_PRECISION_BITS);
    const uint32_t end = zti_get_within(r, zti_symbol_bits(model->alphabet)) + 1;
    if (end > model->alphabet)
        return "names symbols that are not in the alphabet";
    for (uint32_t s = 0; s < end;) {
        const uint32_t n = zti_items_read(r, before, &exponent);
        if (zti_is_past_end(r))
            return "is cut short";
        if (n == 0 || n > end - s)
            return "holds no valid weights";
        for (uint32_t i = 0; i < n; i++)
            weights[s++] = (uint16_t)exponent;
        if (exponent > 0) {
            before = exponent;
            model->used += n;
        }
    }
    if (model->used < 2 || weights[end - 1] == 0)
        return "is longer than it has symbols";
    for (uint32_t s = 0; s < end; s++) {
        if (weights[s] == 0)
            continue;
        const uint32_t e = weights[s] - 1u, p = model->precision < e ? model->precision : e;
        const uint32_t below = zti_get_within(r, p);
        weights[s] = (uint16_t)((UINT32_C(1) << e) | below << (e - p));
    }
    return NULL;
}

/* Read the weights of a model that has none yet: used, only and weights are set; where a single
 * symbol is used, its frequency is. Returns NULL, or what is wrong. */
ZTI_STATIC const char *zti_ans_read_weights(struct zti_bit_reader *r, struct zti_ans_model *model)
{
    uint32_t kind;
    const char *wrong = zti_items_read_kind(r, model->alphabet, &kind, &model->only);
    model->used = kind == ZTI_ITEMS_ONE;
    if (!wrong && kind == ZTI_ITEMS_ONE)
        model->frequencies[model->only] = ZTI_ANS_STATES;
    if (!wrong && kind == ZTI_ITEMS_LIST)
        wrong = zti_ans_read_list(r, model);
    return wrong ? wrong : zti_is_past_end(r) ? "is cut short" : NULL;
}

/* ---- weights to frequencies ---- */

/* Symbols in a heap: the one whose frequency is changed first is at its top. */
struct zti_ans_heap {
    double gain[ZTI_ANS_MAX_ALPHABET]; /* of a change: quotients of small integers, which are
                                          different as doubles where they are different */
    uint16_t symbol[ZTI_ANS_MAX_ALPHABET];
    uint32_t n;
};

ZTI_INLINE bool zti_ans_is_before(const struct zti_ans_heap *h, uint32_t a, uint32_t b)
{
    const uint32_t s = h->symbol[a], t = h->symbol[b];
    return h->gain[s] > h->gain[t] || (h->gain[s] == h->gain[t] && s < t);
}

ZTI_STATIC void zti_ans_sift(struct zti_ans_heap *h, uint32_t at)
{
    for (uint32_t child; (child = 2 * at + 1) < h->n; at = child) {
        if (child + 1 < h->n && zti_ans_is_before(h, child + 1, child))
            child++;
        if (!zti_ans_is_before(h, child, at))
            return;
        const uint16_t s = h->symbol[at];
        h->symbol[at] = h->symbol[child];
        h->symbol[child] = s;
    }
}

/* log(f + 1) - log(f) is about 2 / (2 f + 1): of all w / (2 f + 1), or w / (2 f - 1) where
 * frequencies shrink, the greatest, or the least, comes first. */
ZTI_STATIC double zti_ans_gain(uint32_t weight, uint32_t f, bool grows)
{
    if (!grows && f == 1)
        return -(double)INFINITY;
    return grows ? weight / (2.0 * f + 1) : -(weight / (2.0 * f - 1));
}

/* Compute frequencies from weights. Between 1 and 4096 of these are not 0. */
ZTI_STATIC void zti_ans_normalise(struct zti_ans_model *model, struct zti_ans_heap *h)
{
    uint64_t sum = 0;
    uint32_t total = 0;
    h->n = 0;
    for (uint32_t s = 0; s < model->alphabet; s++)
        sum += model->weights[s];
    for (uint32_t s = 0; s < model->alphabet; s++) {
        const uint32_t w = model->weights[s];
        const uint32_t f = (uint32_t)((uint64_t)w * ZTI_ANS_STATES / sum);
        model->frequencies[s] = (uint16_t)(f > 0 || w == 0 ? f : 1);
        total += model->frequencies[s];
        if (w > 0)
            h->symbol[h->n++] = (uint16_t)s;
    }
    if (total == ZTI_ANS_STATES)
        return;
    const bool grows = total < ZTI_ANS_STATES;
    for (uint32_t i = 0; i < h->n; i++) {
        const uint32_t s = h->symbol[i];
        h->gain[s] = zti_ans_gain(model->weights[s], model->frequencies[s], grows);
    }
    for (uint32_t i = h->n / 2; i-- > 0;)
        zti_ans_sift(h, i);
    for (; total != ZTI_ANS_STATES; total += grows ? 1 : UINT32_MAX) {
        const uint32_t s = h->symbol[0];
        model->frequencies[s] = (uint16_t)(model->frequencies[s] + (grows ? 1 : -1));
        h->gain[s] = zti_ans_gain(model->weights[s], model->frequencies[s], grows);
        zti_ans_sift(h, 0);
    }
}

/* ---- the decoder's table ---- */

/* The entry of a symbol's state: of f states the first has number f, 1 to 2^13 - 1. */
ZTI_INLINE uint32_t zti_ans_entry(uint32_t symbol, uint32_t number)
{
    const uint32_t bits = ZTI_ANS_STATE_BITS + 1 - zti_bit_length64(number | 1);
    return ZTI_ANS_ENTRY(symbol, bits, (number << bits) - ZTI_ANS_STATES);
}

#endif
