/* model.c: ANS models: counts to weights to frequencies; the stored table of weights; and the
 * tables for encoder and decoder.
 *
 * The table stores weights, rounded to a few bits after their leading one; writer and reader both
 * compute frequencies from these. Fewer bits give a shorter table and longer streams: the writer
 * tries all eight precisions.
 *
 *   2 bits   none, one or a list, as in items.h; then for a list:
 *   3 bits   precision p: bits of a weight below its leading one
 *   ...      number of symbols in the list, minus one, in as many bits as a symbol's number
 *   ...      the list of exponents (items.h): e + 1 for a weight in [2^e, 2^(e+1)), 0 for a symbol
 *            that does not occur; the number before the first is 16
 *   ...      for each symbol that occurs, the min(e, p) bits after the leading one
 *
 * Weights are below 2^16. Frequency = weight * 4096 / sum, rounded down, at least 1. If the sum of
 * frequencies is too small, it is raised one by one where that saves most bits; if it is too large,
 * lowered where that costs least. Only integers are compared.
 *
 * States are assigned to symbols in steps of 2563, which is odd and near 5/8 of 4096, so that a
 * symbol's states are far apart. The k-th state of a symbol with frequency f stands for the number
 * x = f + k; decoding shifts bits into x until it is 4096 or more. */
#include "entropy/ans/table.h"

enum { COST_FRACTION_BITS = 12 };

_Static_assert(ZTI_ANS_PRECISIONS == 1 << ZTI_ANS_PRECISION_BITS, "each precision has a code");

/* ---- memory ---- */

static size_t model_words(uint32_t alphabet)
{
    return ZTI_ANS_STATES + 2 * (size_t)alphabet;
}

size_t zti_ans_model_bytes(uint32_t alphabet)
{
    return model_words(alphabet) * (sizeof(uint32_t) + sizeof(uint16_t));
}

void zti_ans_place(void *memory, uint32_t alphabet, struct zti_ans_model *model)
{
    uint32_t *const words = memory;
    memset(model, 0, sizeof *model);
    model->alphabet = alphabet;
    model->decode = words;
    model->steps = words + ZTI_ANS_STATES;
    model->next = (uint16_t *)(void *)(words + model_words(alphabet));
    model->frequencies = model->next + ZTI_ANS_STATES;
    model->weights = model->frequencies + alphabet;
    memset(model->steps, 0, 2 * alphabet * sizeof *model->steps);
    memset(model->frequencies, 0, 2 * alphabet * sizeof *model->frequencies);
}

static zt_status alloc_model(zt_context *context, uint32_t alphabet, struct zti_ans_model *model)
{
    memset(model, 0, sizeof *model);
    if (alphabet == 0 || alphabet > ZTI_ANS_MAX_ALPHABET)
        return zti_fail(context, ZT_BAD_ARG, "an alphabet of %u symbols is not in 1 to %d",
                        alphabet, ZTI_ANS_MAX_ALPHABET);
    void *const memory = zti_alloc(context, zti_ans_model_bytes(alphabet));
    if (!memory)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a model of %u symbols", alphabet);
    memset(memory, 0, zti_ans_model_bytes(alphabet));
    zti_ans_place(memory, alphabet, model);
    return ZT_OK;
}

void zti_ans_free(zt_context *context, struct zti_ans_model *model)
{
    zti_release(context, model->decode);
    memset(model, 0, sizeof *model);
}

static uint32_t floor_log2(uint32_t v)
{
    return v > 1 ? 31 - (uint32_t)__builtin_clz(v) : 0;
}

/* ---- weights and frequencies ---- */

/* Scale counts to weights of at most 16 bits, rounded to 'precision' bits after the leading one; no
 * count above 0 becomes 0. */
static void weigh(const uint64_t *counts, uint32_t precision, struct zti_ans_model *model)
{
    uint64_t most = 1;
    for (uint32_t s = 0; s < model->alphabet; s++)
        most = counts[s] > most ? counts[s] : most;
    uint32_t up = 0, down = 0; /* shifts that give the largest 16 bits */
    while (most >> down >= UINT64_C(1) << ZTI_ANS_WEIGHT_BITS)
        down++;
    while (most << (up + 1) < UINT64_C(1) << ZTI_ANS_WEIGHT_BITS)
        up++;
    for (uint32_t s = 0; s < model->alphabet; s++) {
        uint32_t w = (uint32_t)(counts[s] >> down << up);
        if (counts[s] > 0 && w == 0)
            w = 1;
        const uint32_t exponent = floor_log2(w);
        if (exponent > precision) {
            const uint32_t unit = UINT32_C(1) << (exponent - precision);
            const uint32_t rounded = (w + unit / 2) & ~(unit - 1);
            w = rounded < 1u << ZTI_ANS_WEIGHT_BITS ? rounded : w & ~(unit - 1);
        }
        model->weights[s] = (uint16_t)w;
    }
    model->precision = precision;
}

static void normalise(struct zti_ans_model *model)
{
    struct zti_ans_heap heap;
    zti_ans_normalise(model, &heap);
}

/* log2(v) for 1 <= v <= 4096, rounded down to COST_FRACTION_BITS fraction bits, by repeated
 * squaring. */
static uint32_t log2_of(uint32_t v)
{
    uint32_t bits = floor_log2(v), fraction = 0;
    uint64_t x = (uint64_t)v << (31 - bits); /* 1 <= x / 2^31 < 2 */
    for (uint32_t k = 0; k < COST_FRACTION_BITS; k++) {
        x = x * x >> 31;
        fraction = fraction << 1 | (uint32_t)(x >> 32);
        x >>= x >> 32;
    }
    return bits << COST_FRACTION_BITS | fraction;
}

uint64_t zti_ans_cost_bits(const struct zti_ans_model *model, const uint64_t *counts)
{
    uint64_t cost = 0;
    for (uint32_t s = 0; s < model->alphabet; s++) {
        if (counts[s] == 0)
            continue;
        const uint32_t f = model->frequencies[s];
        if (f == 0)
            return UINT64_MAX;
        cost += counts[s] * ((ZTI_ANS_STATE_BITS << COST_FRACTION_BITS) - log2_of(f));
    }
    return (cost >> COST_FRACTION_BITS) + 1;
}

/* ---- the table that is stored ---- */

static uint32_t list_end(const struct zti_ans_model *model)
{
    uint32_t end = model->alphabet;
    while (end > 0 && model->weights[end - 1] == 0)
        end--;
    return end;
}

static void write_table(const struct zti_ans_model *model, struct zti_items *to)
{
    const uint32_t number_bits = zti_symbol_bits(model->alphabet);
    zti_items_write_kind(to, model->used, model->only, model->alphabet);
    if (model->used < 2)
        return;
    const uint32_t end = list_end(model);
    zti_items_field(to, model->precision, ZTI_ANS_PRECISION_BITS);
    zti_items_field(to, end - 1, number_bits);
    uint8_t exponents[ZTI_ANS_MAX_ALPHABET];
    for (uint32_t s = 0; s < end; s++)
        exponents[s] = (uint8_t)(model->weights[s] > 0 ? floor_log2(model->weights[s]) + 1 : 0);
    zti_items_write(to, exponents, end, ZTI_ANS_FIRST_BEFORE);
    for (uint32_t s = 0; s < end; s++) {
        if (exponents[s] == 0)
            continue;
        const uint32_t e = exponents[s] - 1u, p = model->precision < e ? model->precision : e;
        const uint32_t weight = model->weights[s];
        zti_items_field(to, weight >> (e - p) & ((UINT32_C(1) << p) - 1), p);
    }
}

uint64_t zti_ans_stored_bits(const struct zti_ans_model *model)
{
    struct zti_items to = {NULL, 0};
    write_table(model, &to);
    return to.bits;
}

void zti_ans_write(const struct zti_ans_model *model, struct zti_bit_writer *writer)
{
    struct zti_items to = {writer, 0};
    write_table(model, &to);
}

/* ---- the tables for coding ---- */

/* Give states to symbols: in the decoder's table each state has its symbol. Symbols stand in runs
 * first; state x is number x * BACK of these. */
static void spread(struct zti_ans_model *model)
{
    enum { BACK = 171, MASK = ZTI_ANS_STATES - 1 };
    _Static_assert(((int)ZTI_ANS_SPREAD_STEP * BACK & MASK) == 1, "one undoes the other");
    uint16_t run[ZTI_ANS_STATES];
    uint32_t at = 0;
    for (uint32_t s = 0; s < model->alphabet; s++)
        for (uint32_t n = model->frequencies[s]; n > 0; n--)
            run[at++] = (uint16_t)s;
    for (uint32_t x = 0; x < ZTI_ANS_STATES; x++)
        model->decode[x] = run[x * BACK & MASK];
}

/* Set the encoder's steps of a symbol (spec.h); its states begin at 'place' in next. */
static void make_steps(struct zti_ans_model *model, uint32_t symbol, uint32_t place)
{
    const uint32_t f = model->frequencies[symbol];
    const uint32_t most = ZTI_ANS_STATE_BITS - (f > 1 ? floor_log2(f - 1) : 0);
    model->steps[2 * symbol] =
        f > 1 ? (most << 16) - (f << most) : (ZTI_ANS_STATE_BITS << 16) - ZTI_ANS_STATES;
    model->steps[2 * symbol + 1] = place - f;
}

/* The encoder's tables, of states that have symbols. Those of a symbol are filled from both ends: a
 * place that has just been counted up or down is waited for. */
static void make_encoder(struct zti_ans_model *model)
{
    uint16_t first[ZTI_ANS_MAX_ALPHABET], end[ZTI_ANS_MAX_ALPHABET];
    uint32_t at = 0;
    for (uint32_t s = 0; s < model->alphabet; s++) {
        first[s] = (uint16_t)at;
        if (model->frequencies[s] > 0)
            make_steps(model, s, at);
        at += model->frequencies[s];
        end[s] = (uint16_t)at;
    }
    for (uint32_t x = 0, y = ZTI_ANS_STATES - 1; x < y; x++, y--) {
        model->next[first[model->decode[x]]++] = (uint16_t)(ZTI_ANS_STATES + x);
        model->next[--end[model->decode[y]]] = (uint16_t)(ZTI_ANS_STATES + y);
    }
}

/* The decoder's table: the entries of states that have symbols, in their place. */
static void make_entries(struct zti_ans_model *model)
{
    uint32_t number[ZTI_ANS_MAX_ALPHABET];
    for (uint32_t s = 0; s < model->alphabet; s++)
        number[s] = model->frequencies[s];
    for (uint32_t x = 0; x < ZTI_ANS_STATES; x++) {
        const uint32_t s = model->decode[x];
        model->decode[x] = zti_ans_entry(s, number[s]++);
    }
}

/* ---- the whole ---- */

/* Which symbols there are; of one, its frequency. Returns whether there are several. */
static bool count_used(const uint64_t *counts, struct zti_ans_model *model)
{
    for (uint32_t s = 0; s < model->alphabet; s++)
        if (counts[s] > 0) {
            model->used++;
            model->only = s;
        }
    if (model->used == 1)
        model->frequencies[model->only] = ZTI_ANS_STATES;
    return model->used > 1;
}

/* The same model without symbols behind the last one that is used: loops over symbols are short. */
static struct zti_ans_model used_part(const struct zti_ans_model *model)
{
    struct zti_ans_model part = *model;
    part.alphabet = model->used > 0 ? model->only + 1 : 0;
    return part;
}

/* Weights with a precision, and frequencies. */
static void set_precision(const uint64_t *counts, uint32_t precision, struct zti_ans_model *model)
{
    struct zti_ans_model part = used_part(model);
    weigh(counts, precision, &part);
    normalise(&part);
    model->precision = precision;
}

static void make_tables(const struct zti_ans_model *model)
{
    struct zti_ans_model part = used_part(model);
    if (model->used > 0) {
        spread(&part);
        make_encoder(&part);
    }
}

void zti_ans_make(const uint64_t *counts, uint32_t precisions, struct zti_ans_model *model)
{
    uint64_t least = UINT64_MAX;
    uint32_t best = 0;
    const bool are_several = count_used(counts, model);
    const struct zti_ans_model part = used_part(model);
    for (uint32_t p = 0; are_several && p < precisions; p++) {
        set_precision(counts, p, model);
        const uint64_t cost = zti_ans_cost_bits(&part, counts) + zti_ans_stored_bits(model);
        if (cost < least) {
            least = cost;
            best = p;
        }
    }
    if (are_several)
        set_precision(counts, best, model);
    make_tables(model);
}

/* Bits that symbols take by weights, and the table; 'log2' is of the numbers below 16. */
static uint64_t weights_cost(const uint64_t *counts, const uint32_t *log2,
                             const struct zti_ans_model *model)
{
    enum { TOP = 4 }; /* bits of a weight that count */
    uint64_t sum = 0, all = 0, cost = 0;
    for (uint32_t s = 0; s < model->alphabet; s++) {
        const uint32_t w = model->weights[s];
        const uint32_t down = w >> TOP ? floor_log2(w) - (TOP - 1) : 0;
        sum += w;
        all += counts[s];
        cost += counts[s] * (log2[w >> down] + (down << COST_FRACTION_BITS));
    }
    const uint32_t down =
        sum >> ZTI_ANS_STATE_BITS ? zti_bit_length64(sum) - ZTI_ANS_STATE_BITS : 0;
    const uint64_t whole = log2_of((uint32_t)(sum >> down)) + (down << COST_FRACTION_BITS);
    return ((all * whole - cost) >> COST_FRACTION_BITS) + zti_ans_stored_bits(model);
}

void zti_ans_make_quickly(const uint64_t *counts, uint32_t precisions, struct zti_ans_model *model)
{
    uint32_t log2[16] = {0}, best = 0;
    uint64_t least = UINT64_MAX;
    const bool are_several = count_used(counts, model);
    for (uint32_t v = 1; v < 16; v++)
        log2[v] = log2_of(v);
    for (uint32_t p = 0; are_several && p < precisions; p++) {
        weigh(counts, p, model);
        const uint64_t cost = weights_cost(counts, log2, model);
        if (cost < least) {
            least = cost;
            best = p;
        }
    }
    if (are_several)
        set_precision(counts, best, model);
    make_tables(model);
}

zt_status zti_ans_build(zt_context *context, const uint64_t *counts, uint32_t alphabet,
                        struct zti_ans_model *model)
{
    const zt_status status = alloc_model(context, alphabet, model);
    if (status != ZT_OK)
        return status;
    zti_ans_make(counts, ZTI_ANS_PRECISIONS, model);
    if (model->used > 0)
        make_entries(model);
    return ZT_OK;
}

void zti_ans_make_decoder(struct zti_ans_model *model)
{
    if (model->used > 1)
        normalise(model);
    spread(model);
    make_entries(model);
}

const char *zti_ans_read(struct zti_bit_reader *reader, struct zti_ans_model *model)
{
    const char *const wrong = zti_ans_read_weights(reader, model);
    if (!wrong && model->used > 0)
        zti_ans_make_decoder(model);
    return wrong;
}

zt_status zti_ans_load(zt_context *context, struct zti_bit_reader *reader, uint32_t alphabet,
                       struct zti_ans_model *model)
{
    const zt_status status = alloc_model(context, alphabet, model);
    if (status != ZT_OK)
        return status;
    const char *const wrong = zti_ans_read(reader, model);
    if (!wrong)
        return ZT_OK;
    zti_ans_free(context, model);
    return zti_fail(context, ZT_CORRUPT, "the ANS table %s", wrong);
}
