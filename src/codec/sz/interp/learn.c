/* learn.c: effort 'high': the learning passes before tiles are coded. Samples decide the axes and
 * the variant of interpolation; then the coarse grid is encoded, and it and the tiles give the
 * models. Out: the stream's head and coding->model.
 *
 * The head of a stream:
 *
 *     5 bits   models, less one
 *     bits     for each context: 0, the model of the context before (at first 0); or 1 and 5 bits
 *     tables   of the models (entropy/ans/model.c), and zeros to a whole byte
 *     varint   bytes of the next section
 *     section  bits that the symbols of the coarse grid leave open
 *     section  the coarse grid's symbols, as in a tile */
#include "array/array.h"
#include "codec/sz/bits.h"
#include "codec/sz/interp/interp.h"
#include "codec/sz/stored.h"
#include "core/wire.h"

#include <float.h>

enum {
    MODEL_BITS = 5,
    TABLE_BYTES = 3 * ZTI_SZ_HIGH_ALPHABET + 16, /* most bytes of a model's table */
    FRACTION = 16,                               /* fraction bits of logarithms */
    TILE_BITS = 96,                              /* bits of a tile beside its residuals */
    REGIONS = 4,                                 /* most regions; small arrays have two */
    REGION_VALUES = 1 << 19,                     /* of an array: a region more for each */
    FEW_SHIFT = 4                                /* few samples: arrays of a 16th are one region */
};

static uint64_t values_of(const struct zti_coding *coding)
{
    uint64_t values = 1;
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        values *= coding->grid.shape[i];
    return values;
}

/* Bytes of integers: f32 has too few bits for wide streams. */
static uint32_t most_integer_bytes(const struct zti_coding *coding)
{
    return coding->type == ZT_F32 ? 4 : 8;
}

uint64_t zti_sz_high_head_most(const struct zti_coding *coding)
{
    return ZTI_SZ_HIGH_MODELS * (uint64_t)TABLE_BYTES +
           (most_integer_bytes(coding) + 2) * zti_sz_high_coarse_most(values_of(coding)) + 256;
}

/* ---- logarithms of integers ---- */

struct logarithms {
    uint32_t of[257]; /* of 1 + i / 256 */
};

/* Compute log2 by repeated squaring, a bit at a time. */
static struct logarithms make_logarithms(void)
{
    struct logarithms logs;
    for (uint32_t i = 0; i <= 256; i++) {
        uint64_t x = (uint64_t)(256 + i) << 22; /* from 2^30 to 2^31 */
        uint32_t log = i == 256 ? 1u << FRACTION : 0;
        for (uint32_t bit = FRACTION; i < 256 && bit-- > 0;) {
            x = x * x >> 30;
            if (x >> 31) {
                x >>= 1;
                log |= 1u << bit;
            }
        }
        logs.of[i] = log;
    }
    return logs;
}

static uint64_t log_of(const struct logarithms *logs, uint64_t v)
{
    const uint32_t bits = zti_bit_length64(v) - 1;
    const uint64_t below = bits > 16 ? v >> (bits - 16) : v << (16 - bits);
    const uint32_t i = (uint32_t)(below >> 8 & 255), rest = (uint32_t)(below & 255);
    return ((uint64_t)bits << FRACTION) + logs->of[i] +
           ((uint64_t)(logs->of[i + 1] - logs->of[i]) * rest >> 8);
}

/* How many symbols there are up to the last that was counted. */
static uint32_t count_symbols(const struct zti_sz_high_counts *counts)
{
    uint64_t seen[ZTI_SZ_HIGH_ALPHABET] = {0};
    uint32_t n = ZTI_SZ_HIGH_ALPHABET;
    for (uint32_t i = 0; i < ZTI_SZ_HIGH_CONTEXTS; i++)
        for (uint32_t s = 0; s < ZTI_SZ_HIGH_ALPHABET; s++)
            seen[s] |= counts->count[i][s];
    while (n > 0 && seen[n - 1] == 0)
        n--;
    return n;
}

/* Bits, times 2^16, of the symbols below 'symbols' counted in one or two histograms, and of their
 * table. */
static uint64_t cost_of(const struct logarithms *logs, uint32_t symbols, const uint64_t *a,
                        const uint64_t *b, bool has_table)
{
    uint64_t all = 0, sum = 0, used = 0, last = 0;
    for (uint32_t s = 0; s < symbols; s++) {
        const uint64_t n = a[s] + (b ? b[s] : 0);
        all += n;
        if (n == 0)
            continue;
        sum += n * log_of(logs, n);
        used++;
        last = s;
    }
    if (all == 0)
        return 0;
    const uint64_t bits = all * log_of(logs, all), table = 16 + (used > 1 ? 3 * used + last : 0);
    return (bits > sum ? bits - sum : 0) + (has_table ? table << FRACTION : 0);
}

/* ---- models ---- */

/* Contexts that share a model: clusters are merged in pairs as long as that saves bits. */
struct clusters {
    uint32_t count, symbols;
    uint32_t of[ZTI_SZ_HIGH_CONTEXTS]; /* the context whose histogram includes this one's */
    uint64_t cost[ZTI_SZ_HIGH_CONTEXTS];
    int64_t gain[ZTI_SZ_HIGH_CONTEXTS][ZTI_SZ_HIGH_CONTEXTS];
    bool is_there[ZTI_SZ_HIGH_CONTEXTS];
};

static void weigh_pair(const struct logarithms *logs, const struct zti_sz_high_counts *counts,
                       struct clusters *c, uint32_t i, uint32_t k)
{
    const uint64_t both = cost_of(logs, c->symbols, counts->count[i], counts->count[k], true);
    c->gain[i < k ? i : k][i < k ? k : i] = (int64_t)(c->cost[i] + c->cost[k]) - (int64_t)both;
}

static bool best_pair(const struct clusters *c, uint32_t *a, uint32_t *b)
{
    int64_t best = INT64_MIN;
    for (uint32_t i = 0; i < ZTI_SZ_HIGH_CONTEXTS; i++)
        for (uint32_t k = i + 1; k < ZTI_SZ_HIGH_CONTEXTS; k++)
            if (c->is_there[i] && c->is_there[k] && c->gain[i][k] > best) {
                best = c->gain[i][k];
                *a = i;
                *b = k;
            }
    return best > 0 || (c->count > ZTI_SZ_HIGH_MODELS && best > INT64_MIN);
}

static void merge_contexts(struct zti_sz_high_counts *counts, struct clusters *c)
{
    const struct logarithms logs = make_logarithms();
    c->count = 0;
    c->symbols = count_symbols(counts);
    for (uint32_t i = 0; i < ZTI_SZ_HIGH_CONTEXTS; i++) {
        c->of[i] = i;
        c->cost[i] = cost_of(&logs, c->symbols, counts->count[i], NULL, true);
        c->is_there[i] = c->cost[i] > 0;
        c->count += c->is_there[i];
        for (uint32_t k = 0; k < i && c->is_there[i]; k++)
            if (c->is_there[k])
                weigh_pair(&logs, counts, c, i, k);
    }
    for (uint32_t a = 0, b = 0; c->count > 1 && best_pair(c, &a, &b); c->count--) {
        for (uint32_t s = 0; s < c->symbols; s++)
            counts->count[a][s] += counts->count[b][s];
        c->cost[a] = cost_of(&logs, c->symbols, counts->count[a], NULL, true);
        c->is_there[b] = false;
        for (uint32_t i = 0; i < ZTI_SZ_HIGH_CONTEXTS; i++) {
            c->of[i] = c->of[i] == b ? a : c->of[i];
            if (i != a && c->is_there[i])
                weigh_pair(&logs, counts, c, a, i);
        }
    }
}

/* Set high->of to each context's model. */
static void link_models(struct zti_sz_high *high)
{
    for (uint32_t i = 0; i < ZTI_SZ_HIGH_CONTEXTS; i++)
        high->of[i] = &high->model[high->model_of[i]];
}

/* Note which symbols have a frequency, if not all symbols were counted. */
static zt_status note_seen(zt_context *context, struct zti_sz_high *high)
{
    high->has = zti_alloc(context, ZTI_SZ_HIGH_CONTEXTS * sizeof *high->has);
    if (!high->has)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for what symbols there are");
    for (uint32_t i = 0; i < ZTI_SZ_HIGH_CONTEXTS; i++)
        for (uint32_t s = 0; s < ZTI_SZ_HIGH_ALPHABET; s++)
            high->has[i][s] = high->of[i]->frequencies[s] > 0;
    return ZT_OK;
}

/* Make the models from counts, which are overwritten; *bits is the bits of the symbols. */
static zt_status make_models(zt_context *context, struct zti_sz_high *high,
                             struct zti_sz_high_counts *counts, bool is_sample, uint64_t *bits)
{
    struct clusters *const c = zti_alloc(context, sizeof *c);
    uint32_t number[ZTI_SZ_HIGH_CONTEXTS], before = 0;
    zt_status status = ZT_OK;
    if (!c)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for %zu bytes of costs", sizeof *c);
    merge_contexts(counts, c);
    for (uint32_t i = 0; i < ZTI_SZ_HIGH_CONTEXTS && status == ZT_OK; i++) {
        if (!c->is_there[i])
            continue;
        counts->count[i][ZTI_SZ_HIGH_ESCAPE] += is_sample;
        number[i] = high->models;
        status = zti_ans_build(context, counts->count[i], ZTI_SZ_HIGH_ALPHABET,
                               &high->model[high->models]);
        *bits += status ? 0 : zti_ans_cost_bits(&high->model[high->models], counts->count[i]);
        high->models++;
    }
    for (uint32_t i = 0; i < ZTI_SZ_HIGH_CONTEXTS && status == ZT_OK; i++) {
        /* a context without counts has the model of the one before */
        before = c->is_there[c->of[i]] ? number[c->of[i]] : before;
        high->model_of[i] = (uint8_t)before;
    }
    zti_release(context, c);
    link_models(high);
    if (status == ZT_OK)
        status = zti_ans_mixed_make(context, high->of, ZTI_SZ_HIGH_CONTEXTS, &high->table);
    return status == ZT_OK && is_sample ? note_seen(context, high) : status;
}

void zti_sz_high_add(const struct zti_sz_pyramid *p, uint64_t extra_bits,
                     struct zti_sz_high_counts *counts)
{
    for (size_t i = 0; i < p->count; i++)
        counts->count[p->contexts[i]][p->symbols[i]]++;
    counts->extra_bits += extra_bits;
    counts->anchor_bits += p->has_anchors ? p->anchor_bits : 0;
}

/* ---- the head ---- */

static zt_status encode_head(zt_context *context, struct zti_coding *coding)
{
    struct zti_sz_high *const high = coding->model;
    const struct zti_sz_pyramid *const p = &high->coarse;
    const size_t most = zti_ans_mixed_bytes(p->count);
    const size_t extra_bytes = (size_t)(high->coarse_extra_bits + 7) / 8;
    uint8_t *const scratch = zti_alloc(context, most);
    high->head = zti_alloc_zeroed(context, ZTI_SZ_HIGH_MODELS * (size_t)TABLE_BYTES + 256 +
                                               extra_bytes + most);
    if (!high->head || !scratch) {
        zti_release(context, scratch);
        return zti_fail(context, ZT_NO_MEMORY, "no memory for the head of a stream");
    }
    struct zti_bit_writer w = zti_bit_writer_at(high->head);
    zti_put_bits(&w, high->models - 1, MODEL_BITS);
    for (uint32_t i = 0, before = 0; i < ZTI_SZ_HIGH_CONTEXTS; i++) {
        zti_put_bits(&w, high->model_of[i] != before, 1);
        if (high->model_of[i] != before)
            zti_put_bits(&w, high->model_of[i], MODEL_BITS);
        before = high->model_of[i];
    }
    for (uint32_t i = 0; i < high->models; i++)
        zti_ans_write(&high->model[i], &w);
    uint8_t *at = high->head + (zti_bits_written(&w) + 7) / 8;
    at = zti_put_varint(at, extra_bytes);
    memcpy(at, high->coarse_extras, extra_bytes);
    at += extra_bytes;
    const uint8_t *const codes =
        zti_sz_high_ops_of(coding)->write_codes(&high->table, p, ZTI_ANS_FEW, scratch);
    const size_t code_bytes = (size_t)(scratch + most - codes);
    memcpy(at, codes, code_bytes);
    high->coarse_code_bits = 8 * (uint64_t)code_bytes;
    sz_in(coding)->head_bits = 8 * (uint64_t)(at + code_bytes - high->head);
    zti_release(context, scratch);
    return ZT_OK;
}

static zt_status read_models(zt_context *context, struct zti_bit_reader *r,
                             struct zti_sz_high *high)
{
    const uint32_t models = zti_get_within(r, MODEL_BITS) + 1;
    zt_status status = ZT_OK;
    if (models > ZTI_SZ_HIGH_MODELS)
        return zti_fail(context, ZT_CORRUPT, "the head of a stream names %u models", models);
    for (uint32_t i = 0, model = 0; i < ZTI_SZ_HIGH_CONTEXTS; i++) {
        model = zti_get_within(r, 1) ? zti_get_within(r, MODEL_BITS) : model;
        if (model >= models)
            return zti_fail(context, ZT_CORRUPT, "the head of a stream names model %u of %u", model,
                            models);
        high->model_of[i] = (uint8_t)model;
    }
    for (uint32_t i = 0; i < models && status == ZT_OK; i++) {
        status = zti_ans_load(context, r, ZTI_SZ_HIGH_ALPHABET, &high->model[i]);
        high->models += status == ZT_OK;
        if (status == ZT_OK && high->model[i].used == 0)
            status = zti_fail(context, ZT_CORRUPT, "the head of a stream has an empty model");
    }
    link_models(high);
    return status;
}

static struct zti_sz_high *new_model(zt_context *context, struct zti_coding *coding)
{
    coding->model = zti_alloc_zeroed(context, sizeof(struct zti_sz_high));
    if (!coding->model)
        (void)zti_fail(context, ZT_NO_MEMORY, "no memory for models");
    return coding->model;
}

zt_status zti_sz_high_decode_head(zt_context *context, struct zti_coding *coding,
                                  const uint8_t *head)
{
    struct zti_sz_high *const high = new_model(context, coding);
    struct zti_bit_reader r = {.base = head, .end = sz_of(coding)->head_bits};
    zt_status status = high ? read_models(context, &r, high) : ZT_NO_MEMORY;
    if (status == ZT_OK)
        status = zti_sz_high_slots(context, coding, 0);
    if (status != ZT_OK)
        return status;
    const uint8_t *const end = head + sz_of(coding)->head_bits / 8;
    struct zti_cursor c = {
        .at = head + (r.at + 7) / 8, .end = end, .is_bad = r.at > sz_of(coding)->head_bits};
    const uint64_t extra_bytes = zti_get_varint(&c);
    struct zti_bit_reader extras = {.base = zti_get_bytes(&c, extra_bytes), .end = extra_bytes * 8};
    const struct zti_bit_reader in = {.base = c.at, .end = zti_cursor_left(&c) * 8};
    struct zti_ans_mixed codes;
    if (c.is_bad || !zti_ans_mixed_open(&codes, &in, ZTI_ANS_FEW))
        return zti_fail(context, ZT_CORRUPT, "the head of a stream is damaged");
    return zti_sz_high_coarse_decode(context, coding, &codes, &extras);
}

void zti_sz_high_forget(zt_context *context, struct zti_coding *coding)
{
    struct zti_sz_high *const high = coding->model;
    coding->model = NULL;
    if (!high)
        return;
    if (high->lorenzo_model) {
        struct zti_coding lorenzo = {.model = high->lorenzo_model};
        *sz_in(&lorenzo) = high->lorenzo;
        zti_sz_forget(context, &lorenzo);
    }
    for (uint32_t i = 0; i < high->models; i++)
        zti_ans_free(context, &high->model[i]);
    zti_ans_mixed_free(context, &high->table);
    zti_sz_pyramid_free(context, &high->coarse);
    zti_sz_high_free_slots(context, high);
    zti_release(context, high->coarse_extras);
    zti_release(context, high->has);
    zti_release(context, high->head);
    zti_release(context, high);
}

/* ---- samples ---- */

/* Regions along four axes are only 16 or 8 wide, so small arrays have as many as large ones. */
static uint32_t regions_along_four(const struct zti_coding *coding)
{
    return sz_of(coding)->has_few_samples ? REGIONS / 2 : REGIONS;
}

/* Set the sides of a sampled region: the whole array, if it is not larger. */
static size_t region_of(const struct zti_coding *coding, uint32_t *side)
{
    static const uint32_t many[ZT_MAX_RANK] = {16384, 128, 32, 16};
    static const uint32_t few[ZT_MAX_RANK] = {4096, 64, 16, 8};
    const bool is_few = sz_of(coding)->has_few_samples;
    const uint32_t *const sides = is_few ? few : many;
    const uint32_t rank = coding->grid.rank;
    const uint64_t region = 65536u >> (is_few ? FEW_SHIFT : 0);
    const uint64_t whole = rank > 3 ? regions_along_four(coding) * region : region;
    const bool is_whole = values_of(coding) <= whole;
    size_t points = 1;
    for (uint32_t i = 0; i < rank; i++) {
        const uint64_t extent = coding->grid.shape[i];
        const uint64_t most = is_whole ? extent : sides[rank - 1];
        side[i] = (uint32_t)(extent < most ? extent : most);
        points *= side[i];
    }
    return points;
}

static uint32_t regions_of(const struct zti_coding *coding)
{
    uint32_t side[ZT_MAX_RANK];
    const uint64_t values = values_of(coding), wanted = values / REGION_VALUES + 2;
    if (region_of(coding, side) == values)
        return 1;
    if (coding->grid.rank > 3)
        return regions_along_four(coding);
    return wanted > REGIONS ? (uint32_t)REGIONS : (uint32_t)wanted;
}

/* Place r in [0, room) of irregularly spread places along one axis. */
static uint64_t spread_out(uint32_t r, uint32_t axis, uint64_t room)
{
    static const uint32_t spread[ZT_MAX_RANK] = {2654435769u, 1640531527u, 3242174889u,
                                                 2447445413u};
    const uint32_t part = (2 * r + 1) * spread[axis] >> 16; /* of 2^16 */
    return (room >> 16) * part + ((room & 65535) * part >> 16);
}

void zti_sz_high_place(const struct zti_coding *coding, const struct zti_walk *walk, uint32_t k,
                       uint64_t *place)
{
    for (uint32_t i = 0; i < coding->grid.rank; i++) {
        const uint64_t rest = coding->grid.shape[i] - walk->origin[i];
        const uint64_t side = rest < coding->grid.side[i] ? rest : coding->grid.side[i];
        place[i] = walk->origin[i] + spread_out(k, i, side);
    }
}

/* How many ways a pass may try; each has its counts. */
static uint32_t ways_of(const struct zti_coding *coding, uint32_t pass)
{
    switch (pass) {
    case ZTI_SZ_HIGH_AXES_PASS: return 1u << coding->grid.rank;
    case ZTI_SZ_HIGH_TUNING_PASS: return ZTI_SZ_HIGH_WAYS;
    case ZTI_SZ_HIGH_COUNT_PASS: return 1;
    default: return 0;
    }
}

/* Set a way that a pass tries; false if there is no such way. Axes are tried without tuning. */
static bool set_way(struct zti_coding *coding, uint32_t pass, uint32_t way)
{
    if (pass == ZTI_SZ_HIGH_TUNING_PASS) {
        sz_in(coding)->tuning = (sz_of(coding)->tuning & ZTI_SZ_HIGH_WIDE) | way;
        return way > 0;
    }
    sz_in(coding)->axes = way;
    return zti_sz_high_can(coding);
}

/* Move the points of a sample to the bands. */
static void write_sample(const struct zti_sz_high_ops *ops, struct zti_sz_pyramid *p,
                         const uint8_t *sample)
{
    const uint32_t *const dim = p->level[0].dim;
    uint32_t at[3];
    for (at[0] = 0; at[0] < dim[0]; at[0]++)
        for (at[1] = 0; at[1] < dim[1]; at[1]++)
            for (at[2] = 0; at[2] < dim[2]; at[2]++, sample += dim[3] * (size_t)p->integer_bytes)
                ops->split_row(p, at, 0, dim[3], sample);
    ops->split(p);
}

/* Place a region: where values are not all one value within the bound, as zeros, which no way codes
 * better than another. */
static void place_region(const struct zti_coding *coding, const struct zti_array *array,
                         const uint32_t *side, uint32_t region, uint64_t *origin)
{
    enum { TRIES = 8 };
    const uint32_t regions = regions_of(coding);
    const uint64_t shape[ZT_MAX_RANK] = {side[0], side[1], side[2], side[3]};
    for (uint32_t k = 0; k <= TRIES; k++) {
        for (uint32_t i = 0; i < coding->grid.rank; i++)
            origin[i] = spread_out(region + k % TRIES * regions, i, /* the last is the first */
                                   coding->grid.shape[i] - side[i] + 1);
        if (!zti_array_is_flat(array, origin, shape, 2 * sz_of(coding)->bound))
            return;
    }
}

static void sample_region(const struct zti_coding *coding, uint32_t pass,
                          const struct zti_array *array, uint32_t region,
                          struct zti_sz_high_counts *counts)
{
    struct zti_sz_slot *const slot = zti_sz_high_claim_slot(coding->model);
    struct zti_sz_pyramid *const p = &slot->pyramid;
    const struct zti_sz_high_ops *const ops = zti_sz_high_ops_of(coding);
    uint32_t side[ZT_MAX_RANK] = {0}, dim[4] = {1, 1, 1, 1};
    uint64_t origin[ZT_MAX_RANK];
    const size_t points = region_of(coding, side);
    place_region(coding, array, side, region, origin);
    memcpy(dim + 4 - coding->grid.rank, side, coding->grid.rank * sizeof *dim);
    uint8_t *const sample = slot->bytes;
    p->axes = p->levels = 0; /* stored in order */
    memcpy(p->level[0].dim, dim, sizeof dim);
    (void)zti_sz_high_gather(coding, array, origin, dim, 0, p);
    memcpy(sample, p->grid[0], points * p->integer_bytes);
    for (uint32_t way = 0; way < ways_of(coding, pass); way++) {
        struct zti_coding trial = *coding;
        struct zti_sz_extras extras = {.most_bits = UINT64_MAX};
        if (!set_way(&trial, pass, way))
            continue;
        const uint32_t axes = zti_sz_high_axes(&trial);
        p->has_anchors = true;
        (void)zti_sz_high_shape(&trial, axes, dim, dim, 1, zti_sz_high_all_levels(axes, dim), p);
        write_sample(ops, p, sample);
        ops->code(p, NULL, &extras);
        zti_sz_high_add(p, extras.bits, &counts[way]);
        counts[way].values += points;
    }
    zti_sz_high_release_slot(slot);
}

/* An estimate of the array's bits if coded like the samples. A region has more anchors for its size
 * than the array, so their bits are scaled. */
static double bits_of_way(const struct zti_coding *coding, const struct logarithms *logs,
                          const struct zti_sz_high_counts *counts)
{
    const uint32_t symbols = count_symbols(counts);
    double bits = 0, part = 1, anchors = 0;
    for (uint32_t i = 0; i < ZTI_SZ_HIGH_ANCHOR; i++)
        bits += (double)cost_of(logs, symbols, counts->count[i], NULL, false);
    for (uint32_t s = 0; s < symbols; s++)
        anchors += (double)counts->count[ZTI_SZ_HIGH_ANCHOR][s];
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        part /= sz_of(coding)->axes >> i & 1 ? (double)coding->grid.shape[i] : 1;
    const double of_anchors =
        (double)cost_of(logs, symbols, counts->count[ZTI_SZ_HIGH_ANCHOR], NULL, false) * 0x1p-16 +
        (double)counts->anchor_bits;
    return bits * 0x1p-16 + (double)(counts->extra_bits - counts->anchor_bits) +
           of_anchors * (part * (double)counts->values / anchors);
}

/* The price by which ways are compared. Short rows along an interpolated axis cannot be joined and
 * take several times as long, so such a way must save 5 %. */
static double price_of(const struct zti_coding *coding, double bits)
{
    const uint32_t last = coding->grid.rank - 1;
    const bool is_short = coding->grid.shape[last] <= ZTI_SZ_HIGH_SHORT;
    return sz_of(coding)->axes >> last & 1 && is_short ? 1.05 * bits : bits;
}

static void choose_way(struct zti_coding *coding, uint32_t pass,
                       const struct zti_sz_high_counts *counts)
{
    const struct logarithms logs = make_logarithms();
    struct zti_sz_high *const high = coding->model;
    struct zti_sz best = *sz_of(coding);
    double least = pass == ZTI_SZ_HIGH_TUNING_PASS ? high->least_bits : -1;
    double least_price = price_of(coding, least);
    for (uint32_t way = 0; way < ways_of(coding, pass); way++) {
        struct zti_coding trial = *coding;
        if (counts[way].values == 0 || !set_way(&trial, pass, way))
            continue;
        const double bits = bits_of_way(&trial, &logs, &counts[way]);
        if (least < 0 || price_of(&trial, bits) < least_price) {
            least = bits;
            least_price = price_of(&trial, bits);
            best = *sz_of(&trial);
        }
    }
    *sz_in(coding) = best;
    high->least_bits = least;
}

/* Choose tiles of a quarter of the usual size: four times as many are decoded at a time, and each
 * has a quarter of the symbols, which are decoded one after another. They cost bits at tiles'
 * borders, where predictions are worse; that is little if residuals take several bits a value.
 * Small arrays are decoded fast anyway, and keep large tiles. */
static zt_status choose_size(zt_context *context, struct zti_coding *coding)
{
    enum { BITS = 3, LEAST_VALUES = 1 << 20 };
    struct zti_sz_high *const high = coding->model;
    uint32_t side[ZT_MAX_RANK];
    const double sampled = (double)region_of(coding, side) * regions_of(coding);
    if (high->least_bits < BITS * sampled || values_of(coding) < LEAST_VALUES)
        return ZT_OK;
    sz_in(coding)->tuning |= ZTI_SZ_HIGH_SMALL;
    zti_sz_set_grid(coding);
    return zti_sz_high_slots(context, coding, 0);
}

/* ---- passes ---- */

/* Limit of integers' magnitudes. */
static double range_of(const struct zti_sz *sz)
{
    return sz->tuning & ZTI_SZ_HIGH_WIDE ? ZTI_SZ_HIGH_WIDE_RANGE : (double)ZTI_SZ_HIGH_RANGE;
}

static bool set_whole_lattice(struct zti_sz *sz)
{
    const double low = sz->least, high = sz->most;
    if (fmax(fabs(low), fabs(high)) >= 0x1p52)
        return false;
    sz->reach = (uint32_t)fmin((double)sz->whole_step, ZTI_SZ_HIGH_RANGE - 1);
    sz->centre = (int64_t)rint((low + high) / 2);
    return high - low + (double)sz->reach < range_of(sz);
}

/* Set the lattice of effort 'high', in a narrow or wide stream: an odd number of units is a step
 * that keeps the bound despite all rounding; false if the integers would be too large. */
static bool set_lattice(struct zti_coding *coding, bool is_wide)
{
    struct zti_sz *const sz = sz_in(coding);
    const double low = sz->least, high = sz->most, largest = fmax(fabs(low), fabs(high));
    if (!isfinite(low) || !isfinite(high))
        return false;
    sz->tuning = is_wide ? ZTI_SZ_HIGH_WIDE : 0;
    if (sz->source == ZTI_SZ_STEPS)
        return set_whole_lattice(sz);
    const double room = sz->bound - largest * (coding->type == ZT_F32 ? 0x1.001p-24 : 0x1p-50);
    if (sz->source != ZTI_SZ_LATTICE || !(room > sz->bound / 2) || !isfinite(high - low))
        return false;
    for (sz->reach = ZTI_SZ_HIGH_REACH; sz->reach >= 7; sz->reach /= 2) {
        sz->step = zti_sz_round_down(room * (2 - 0x1p-10) / sz->reach, 24);
        if (sz->step < 0x1p-1000)
            return false;
        if (!(largest / sz->step < 0x1p44))
            continue;
        sz->centre = (int64_t)rint((low / 2 + high / 2) / sz->step); /* low + high may overflow */
        if ((high - low) / sz->step < range_of(sz))
            return true;
    }
    return false;
}

/* Set how far values may be from the centre, in units, and whether such values keep the bound
 * without a check (is_sure). A decoded value is within half a reach of the value, at most room * (1
 * - 2^-11). The rest of the room, and what the bound has beyond it, exceed all rounding errors: to
 * the type, less than the largest value * 2^-24 (2^-50 for doubles); in double, of products and
 * sums of numbers up to the largest value in units, less than 2^-50 of it. Below the least normal
 * float, rounding errs by up to 2^-150 for any value, so 2^-12 of the room must be more than that.
 * Near the type's largest number, half a reach more may overflow. Values beyond the measured range
 * are checked. */
static void set_farthest(const struct zti_coding *coding, struct zti_sz_high *high)
{
    const struct zti_sz *const sz = sz_of(coding);
    const double least_room = coding->type == ZT_F32 ? 0x1p-136 : 0;
    const double end = coding->type == ZT_F32 ? (double)FLT_MAX : DBL_MAX;
    const double largest = fmax(fabs(sz->least), fabs(sz->most));
    const double most = (sz->most / sz->step - sz->least / sz->step) / 2 + 2;
    const double room = sz->step * sz->reach / 2;
    high->farthest = fmin(most, 2 * range_of(sz));
    high->is_sure = sz->source == ZTI_SZ_STEPS || (largest + 3 * sz->step < room * 0x1p38 &&
                                                   room > least_room && largest < end - 2 * room);
}

zt_status zti_sz_high_begin(zt_context *context, struct zti_coding *coding)
{
    const struct zti_sz other = *sz_of(coding);
    void *const other_model = coding->model;
    uint32_t side[ZT_MAX_RANK];
    if (!set_lattice(coding, false)) {
        *sz_in(coding) = other;
        if (coding->type == ZT_F32 || !set_lattice(coding, true)) {
            *sz_in(coding) = other;
            return ZT_OK;
        }
    }
    struct zti_sz_high *const high = new_model(context, coding);
    if (!high) {
        *sz_in(coding) = other;
        coding->model = other_model;
        return ZT_NO_MEMORY;
    }
    set_farthest(coding, high);
    high->lorenzo = other;
    high->lorenzo_model = other_model;
    sz_in(coding)->coder = ZTI_SZ_HIGH;
    sz_in(coding)->is_blocked = 0;
    sz_in(coding)->tuning &= ZTI_SZ_HIGH_WIDE;
    sz_in(coding)->head_bits = 0;
    sz_in(coding)->axes = (1u << coding->grid.rank) - 1;
    zti_sz_set_grid(coding);
    return zti_sz_high_slots(context, coding, region_of(coding, side));
}

/* A tally is an array of counts, one of each way. */
size_t zti_sz_high_tally_bytes(const struct zti_coding *coding, uint32_t pass)
{
    return ways_of(coding, pass) * sizeof(struct zti_sz_high_counts);
}

bool zti_sz_high_is_counted(const struct zti_coding *coding, uint64_t tile)
{
    const uint64_t part = zti_sz_high_part(&coding->grid);
    return tile == zti_sz_high_counted(part, tile / part);
}

void zti_sz_high_tally(const struct zti_coding *coding, uint32_t pass,
                       const struct zti_array *array, uint64_t first, uint64_t last, void *tally)
{
    const uint32_t regions = regions_of(coding);
    for (uint32_t r = 0; pass < ZTI_SZ_HIGH_COUNT_PASS && r < regions; r++) {
        const uint64_t tile = r * coding->grid.count / regions;
        if (tile >= first && tile < last)
            sample_region(coding, pass, array, r, tally);
    }
    for (uint64_t tile = first; pass == ZTI_SZ_HIGH_COUNT_PASS && tile < last; tile++)
        if (zti_sz_high_is_counted(coding, tile))
            zti_sz_high_count(coding, array, tile, tally);
}

static void add_counts(struct zti_sz_high_counts *into, const struct zti_sz_high_counts *from)
{
    into->values += from->values;
    into->extra_bits += from->extra_bits;
    into->anchor_bits += from->anchor_bits;
    for (uint32_t i = 0; i < ZTI_SZ_HIGH_CONTEXTS; i++)
        for (uint32_t s = 0; s < ZTI_SZ_HIGH_ALPHABET; s++)
            into->count[i][s] += from->count[i][s];
}

void zti_sz_high_merge(const struct zti_coding *coding, uint32_t pass, void *into, const void *from)
{
    struct zti_sz_high_counts *const to = into;
    const struct zti_sz_high_counts *const other = from;
    for (uint32_t i = 0; i < ways_of(coding, pass); i++)
        add_counts(&to[i], &other[i]);
}

void zti_sz_high_add_counts(const struct zti_coding *coding, const uint64_t *counts, void *tally)
{
    struct zti_sz_high_counts *const to = tally;
    const uint64_t part = zti_sz_high_part(&coding->grid);
    for (uint32_t i = 0; i < ZTI_SZ_HIGH_ANCHOR; i++)
        for (uint32_t s = 0; s < ZTI_SZ_HIGH_ALPHABET; s++) {
            const uint64_t n = counts[i * ZTI_SZ_HIGH_ALPHABET + s];
            to->count[i][s] += n;
            to->extra_bits += n * zti_sz_high_open_bits(s);
        }
    for (uint64_t i = 0, tile; (tile = zti_sz_high_counted(part, i)) < coding->grid.count; i++) {
        const struct zti_walk walk = zti_walk_from(&coding->grid, tile);
        to->values += zti_sz_high_counted_box(&coding->grid, sz_of(coding)->axes, &walk).values;
    }
}

/* Encode the coarse grid to symbols; its integers become the decoded ones. */
static zt_status code_coarse(zt_context *context, struct zti_coding *coding,
                             const struct zti_array *array)
{
    struct zti_sz_high *const high = coding->model;
    struct zti_sz_pyramid *const p = &high->coarse;
    const struct zti_sz_high_ops *const ops = zti_sz_high_ops_of(coding);
    const uint64_t origin[ZT_MAX_RANK] = {0};
    zt_status status = zti_sz_high_coarse_shape(context, coding);
    if (status != ZT_OK)
        return status;
    size_t points = 1;
    for (uint32_t i = 0; i < 4; i++)
        points *= p->level[0].dim[i];
    high->coarse_extras = zti_alloc(context, zti_sz_high_integer_bytes(coding) * points + 64);
    if (!high->coarse_extras)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for the bits of %zu points", points);
    struct zti_sz_extras extras = {.writer = zti_bit_writer_at(high->coarse_extras),
                                   .most_bits = UINT64_MAX};
    (void)zti_sz_high_gather(coding, array, origin, p->level[0].dim,
                             zti_sz_high_distance(sz_of(coding)->axes), p);
    ops->code(p, NULL, &extras);
    high->coarse_extra_bits = extras.bits;
    return ZT_OK;
}

/* Return to the coding before effort 'high'. */
static void restore_lorenzo(zt_context *context, struct zti_coding *coding)
{
    struct zti_sz_high *const high = coding->model;
    const struct zti_sz lorenzo = high->lorenzo;
    struct zti_sz_model *const model = high->lorenzo_model;
    high->lorenzo_model = NULL;
    zti_sz_high_forget(context, coding);
    *sz_in(coding) = lorenzo;
    coding->model = model;
    zti_sz_set_grid(coding);
}

static zt_status learn_models(zt_context *context, struct zti_coding *coding,
                              struct zti_sz_high_counts *counts)
{
    static const double clearly = 1.01; /* samples of both coders, at the same places */
    struct zti_sz_high *const high = coding->model;
    const bool is_sample = zti_sz_high_part(&coding->grid) > 1;
    const uint64_t values = values_of(coding);
    uint64_t bits = 0;
    const uint64_t tile_extras = counts->extra_bits;
    const double scale = counts->values ? (double)values / (double)counts->values : 1;
    zti_sz_high_add(&high->coarse, 0, counts);
    zt_status status = make_models(context, high, counts, is_sample, &bits);
    if (status == ZT_OK)
        status = encode_head(context, coding);
    if (status != ZT_OK)
        return status;
    bits -= bits < high->coarse_code_bits ? bits : high->coarse_code_bits;
    const double all = ((double)bits + (double)tile_extras) * scale +
                       (double)sz_of(coding)->head_bits + TILE_BITS * (double)coding->grid.count;
    const double other = (double)high->lorenzo_bits;
    if (all >= other)
        restore_lorenzo(context, coding);
    sz_in(coding)->is_compared = all >= other || other > clearly * all;
    return ZT_OK;
}

zt_status zti_sz_high_learn(zt_context *context, struct zti_coding *coding, uint32_t pass,
                            const struct zti_array *array, void *tally)
{
    if (pass == ZTI_SZ_HIGH_COUNT_PASS)
        return learn_models(context, coding, tally);
    choose_way(coding, pass, tally);
    if (pass == ZTI_SZ_HIGH_AXES_PASS) {
        uint32_t side[ZT_MAX_RANK];
        zti_sz_set_grid(coding);
        return zti_sz_high_slots(context, coding, region_of(coding, side));
    }
    const zt_status status = choose_size(context, coding);
    return status == ZT_OK ? code_coarse(context, coding, array) : status;
}
