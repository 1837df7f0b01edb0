/* stream.c: the sz codec: the layout of its stream, its parameters in a frame, and its table of
 * functions. Values are quantized to integers within a bound that holds for every value in exact
 * arithmetic; the integers are predicted, and the residuals entropy-coded.
 *
 * docs/format/sz.md describes the stream byte by byte. It consists of tiles of at most 4096 values,
 * each decodable by itself, in whole bytes:
 *
 *     u8       form | 8 if there are exact values | bytes of the base << 4
 *     bytes    the base: the tile's first integer less the stream's centre, folded
 *     section  exact values (exact.c); of logarithms also zeros and signs (marks.c)
 *     section  the integers less the base, differenced along the stream's axes: with effort 'fast'
 *              in Rice codes (lorenzo/rice.h), 'default' in Huffman codes (lorenzo/huffman.h), by
 *              method cusz as published (lorenzo/cusz.h)
 *
 * A floating-point value becomes the nearest multiple of a step w <= 2 bound. w has so few
 * significant bits that multiples within the array's range are numbers of the type, so decoding
 * does not round them. The encoder compares every multiple with its value before it accepts it, so
 * the bound needs no verification. Under a bound relative to each value, a value becomes the
 * nearest of numbers a fixed ratio apart (quantize/logarithms.h), and is compared in the same way.
 * All else is integer arithmetic modulo 2^32 or 2^64, so any build writes the same bytes.
 *
 * The codec's part of a frame header:
 *
 *     u8       effort (low four bits), source
 *     u8       axes that differences are taken along: bit i for axis i; 16 where groups are blocks
 *     source   lattice: 3 bytes mantissa, 2 bytes exponent (signed) of the step;
 *              steps: varint, the step; bits: nothing; logarithms: varint, the fineness;
 *              decimals: a byte, digits; significant digits: a byte, digits, and 2 bytes, the
 *              lowest power of ten; short bits: a byte, zeros
 *     varint   the centre, folded
 *     varint   bins; the cuSZ coder only
 *     varint   bytes of the head; not with effort 'fast' and the transform, which have none
 */
#include "codec/sz/interp/interp.h"
#include "codec/sz/lossless/lossless.h"
#include "codec/sz/lorenzo/sampling.h"
#include "codec/sz/stored.h"
#include "codec/sz/transform/transform.h"
#include "core/cpu.h"
#include "core/wire.h"

#include <math.h>

const struct zti_sz_ops *zti_sz_ops_of(const struct zti_coding *coding)
{
#if defined(ZTI_HAS_X86_INSTANCES)
    if (coding->run.isa == ZT_ISA_AVX512)
        return &zti_sz_avx512;
    if (coding->run.isa == ZT_ISA_AVX2)
        return &zti_sz_avx2;
#else
    (void)coding;
#endif
    return &zti_sz_plain;
}

static uint32_t chunk_tiles(uint32_t rank)
{
    (void)rank;
    return 4;
}

static void configure_bound(const struct zti_target *target, struct zti_coding *coding)
{
    struct zti_sz *sz = sz_in(coding);
    if (!zti_is_float(coding->type)) {
        const double most = coding->type == ZT_I32 ? 0x1p31 - 1 : 0x1p61;
        const double whole = target->kind == ZT_ABS ? floor(fmin(target->abs_bound, most)) : 0;
        sz->source = ZTI_SZ_STEPS;
        sz->whole_step = 2 * (uint64_t)whole + 1;
    } else if (target->kind == ZT_LOSSLESS) {
        sz->source = ZTI_SZ_BITS;
    } else if (target->kind == ZT_PWREL) {
        sz->source = ZTI_SZ_LOG;
        sz->bound =
            fmin(target->part, 0.5) * (1 - 0x1p-50); /* see is_near in quantize/logarithms.h */
        sz->fineness = zti_sz_fineness(coding->type, sz->bound);
        if (sz->fineness == 0)
            sz->source = ZTI_SZ_BITS;
    } else {
        sz->source = ZTI_SZ_LATTICE;
        sz->bound = fmin(target->abs_bound, 0x1p1000);
        sz->step = zti_sz_step(coding->type, sz->bound, fmax(fabs(target->min), fabs(target->max)));
    }
}

/* The coder that params ask for. */
static uint32_t coder_of(const zt_params *params)
{
    const bool is_high = params->effort == ZT_EFFORT_HIGH || zti_sz_is_transform(params) ||
                         zti_sz_is_multiples(params);
    return zti_sz_is_cusz(params)             ? ZTI_SZ_CUSZ
           : is_high                          ? ZTI_SZ_HIGH
           : params->effort == ZT_EFFORT_FAST ? ZTI_SZ_FAST
                                              : ZTI_SZ_DEFAULT;
}

/* Ways as a number: 4 bits of axes, 1 if groups are blocks, then the rank. */
enum { WAYS_BLOCKED = 16, WAYS_RANK_AT = 5 };

static uint32_t ways_of(const struct zti_coding *coding)
{
    const struct zti_sz *const sz = sz_of(coding);
    if ((sz->coder != ZTI_SZ_DEFAULT && sz->coder != ZTI_SZ_FAST) || sz->wants_high)
        return 0;
    return sz->axes | (sz->is_blocked ? WAYS_BLOCKED : 0) | coding->grid.rank << WAYS_RANK_AT;
}

/* Whether params ask for ways. A plan has ways of its own, of other axes. */
static bool has_ways(const zt_params *params)
{
    return zti_sz_ways(params) != 0 && params->plan == ZT_PLAN_OFF;
}

static zt_status check_ways(zt_context *context, const zt_params *params, uint32_t rank)
{
    const uint32_t ways = zti_sz_ways(params), axes = ways % WAYS_BLOCKED;
    if (has_ways(params) && (ways >> WAYS_RANK_AT != rank || axes >> rank != 0))
        return zti_fail(context, ZT_BAD_ARG,
                        "%u are no ways of sz for arrays of %u dimensions; take those of a file "
                        "of such an array",
                        ways, rank);
    return ZT_OK;
}

static void set_ways(struct zti_coding *coding, uint32_t ways)
{
    struct zti_sz *const sz = sz_in(coding);
    sz->axes = ways % WAYS_BLOCKED;
    sz->is_blocked = (ways & WAYS_BLOCKED) != 0;
    sz->has_axes = sz->has_shape = true;
}

static zt_status configure(zt_context *context, const struct zti_target *target,
                           struct zti_coding *coding)
{
    const uint32_t bins = zti_sz_cusz_bins(target->params);
    if (target->kind != ZT_LOSSLESS && target->kind != ZT_ABS && target->kind != ZT_PWREL)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "the sz codec has no bound of this kind; use abs, rel, pwrel or psnr, or "
                        "the zfp codec");
    const uint32_t method = zti_sz_method(target->params);
    if (method > ZT_SZ_MULTIPLES || !zti_sz_are_bins(bins))
        return zti_fail(context, ZT_BAD_ARG,
                        "%u is no method of sz, or its %u bins are no even number in 4..65536",
                        method, bins);
    const zt_status status = check_ways(context, target->params, coding->grid.rank);
    if (status)
        return status;
    memset(sz_in(coding), 0, sizeof(struct zti_sz));
    configure_bound(target, coding);
    const uint32_t coder = coder_of(target->params);
    const bool is_high = coder == ZTI_SZ_HIGH;
    const bool has_axes = target->found.has_axes && !is_high; /* effort 'high' has other axes */
    const bool is_lossless = target->kind == ZT_LOSSLESS;
    sz_in(coding)->wants_high =
        is_high && !is_lossless && sz_of(coding)->source != ZTI_SZ_LOG; /* it has holes */
    const bool is_transformed = zti_sz_is_transform(target->params) && zti_tf_can(coding);
    const bool is_of_multiples = zti_sz_is_multiples(target->params) && target->kind == ZT_ABS &&
                                 zti_ll_set_multiples(coding, target->min, target->max);
    sz_in(coding)->wants_high = sz_of(coding)->wants_high && !is_transformed && !is_of_multiples;
    sz_in(coding)->is_pointwise = !zti_is_mean(target->params->bound.kind);
    sz_in(coding)->has_mean = zti_mean_of(target->params).kind != ZT_LOSSLESS;
    sz_in(coding)->coder = !is_high                         ? coder
                           : is_transformed                 ? (uint32_t)ZTI_SZ_TRANSFORM
                           : is_lossless || is_of_multiples ? (uint32_t)ZTI_SZ_LOSSLESS_HIGH
                                                            : (uint32_t)ZTI_SZ_DEFAULT;
    if (sz_of(coding)->coder == ZTI_SZ_TRANSFORM && target->each_bound > sz_of(coding)->bound)
        sz_in(coding)->bound = fmin(target->each_bound, 0x1p1000);
    sz_in(coding)->least = target->min;
    sz_in(coding)->most = target->max;
    sz_in(coding)->bins = bins;
    sz_in(coding)->axes =
        sz_of(coding)->coder >= ZTI_SZ_LOSSLESS_HIGH ? 0 : (1u << coding->grid.rank) - 1;
    if (sz_of(coding)->coder == ZTI_SZ_CUSZ && coding->grid.rank == 4)
        sz_in(coding)->axes &= ~1u; /* as a sequence of volumes */
    else if (has_axes)
        sz_in(coding)->axes = target->found.axes;
    sz_in(coding)->has_few_samples = target->has_few_samples;
    sz_in(coding)->has_axes = has_axes;
    sz_in(coding)->has_groups = has_axes && target->found.has_rest;
    if (sz_of(coding)->has_groups) {
        sz_in(coding)->is_blocked = (uint32_t)target->found.rest[0];
        sz_in(coding)->centre = target->found.rest[1];
        if (zti_sz_may_have_keys(coding))
            zti_sz_set_source(sz_in(coding), target->found.rest[2]);
    }
    if (has_ways(target->params) && !is_high && coder != ZTI_SZ_CUSZ)
        set_ways(coding, zti_sz_ways(target->params));
    if (is_transformed)
        zti_tf_set_narrow(coding, fmax(fabs(target->min), fabs(target->max)));
    sz_in(coding)->may_be_smooth = zti_sz_may_be_smooth(target, coding);
    zti_sz_set_grid(coding);
    coding->verify_bound = (double)NAN;
    return ZT_OK;
}

static size_t store_params(const struct zti_coding *coding, uint8_t *out)
{
    return zti_sz_store(sz_of(coding), out);
}

/* Read the parameters of effort 'high'. */
static bool read_high(struct zti_cursor *c, struct zti_coding *coding, uint64_t centre)
{
    struct zti_sz *const sz = sz_in(coding);
    const uint64_t reach = zti_get_varint(c);
    sz->reach = (uint32_t)reach;
    sz->tuning = zti_get_byte(c);
    return reach % 2 == 1 && reach <= ZTI_SZ_HIGH_RANGE && sz->tuning < ZTI_SZ_HIGH_TUNINGS &&
           (sz->source == ZTI_SZ_LATTICE || sz->source == ZTI_SZ_STEPS) && !sz->is_blocked &&
           centre <= UINT64_C(1) << 62 && zti_sz_high_can(coding);
}

/* Read what effort 'high' without loss has, or the method multiples: the tiles' size, and the width
 * of numbers. */
static bool read_lossless(struct zti_cursor *c, struct zti_coding *coding, uint64_t centre)
{
    struct zti_sz *const sz = sz_in(coding);
    sz->tuning = zti_get_byte(c);
    zti_sz_set_grid(coding);
    const bool may_be_wide = ll_is_of_multiples(coding) && zt_type_bytes(coding->type) == 8;
    return sz->tuning <= (ZTI_LL_IS_LARGE | (may_be_wide ? ZTI_LL_IS_WIDE : 0)) &&
           zti_ll_has_grid(coding) &&
           centre <= (ll_is_of_multiples(coding) ? UINT64_C(1) << 52 : 0) && sz->axes == 0 &&
           !sz->is_blocked &&
           (sz->source == ZTI_SZ_BITS || sz->source == ZTI_SZ_STEPS ||
            sz->source == ZTI_SZ_LATTICE);
}

static bool is_transform(const struct zti_coding *coding)
{
    return sz_of(coding)->coder == ZTI_SZ_TRANSFORM;
}

/* Read the parameters of the transform. */
static bool read_transform(struct zti_cursor *c, struct zti_coding *coding, uint64_t centre)
{
    struct zti_sz *const sz = sz_in(coding);
    sz->tuning = zti_get_byte(c);
    return sz->tuning <= 1 && zti_tf_can(coding) && centre == 0 && sz->axes == 0 && !sz->is_blocked;
}

static zt_status load_params(zt_context *context, const uint8_t *in, size_t in_bytes,
                             struct zti_coding *coding)
{
    struct zti_cursor c = {.at = in, .end = in + in_bytes, .is_bad = false};
    struct zti_sz *sz = sz_in(coding);
    memset(sz, 0, sizeof *sz);
    uint64_t centre;
    bool is_good = zti_sz_read(&c, coding->type, coding->grid.rank, sz, &centre);
    const uint64_t bins = sz->coder == ZTI_SZ_CUSZ ? zti_get_varint(&c) : 0;
    is_good = is_good && (sz->coder != ZTI_SZ_CUSZ || zti_sz_are_bins(bins));
    sz->bins = is_good ? (uint32_t)bins : 4;
    is_good = is_good && (sz->coder != ZTI_SZ_HIGH || read_high(&c, coding, centre));
    const bool is_lossless = sz->coder == ZTI_SZ_LOSSLESS_HIGH;
    is_good = is_good && (!is_lossless || read_lossless(&c, coding, centre));
    is_good = is_good && (!is_transform(coding) || read_transform(&c, coding, centre));
    const bool has_head = sz->coder != ZTI_SZ_FAST && !is_lossless && !is_transform(coding);
    const uint64_t head = has_head ? zti_get_varint(&c) : 0;
    is_good = is_good && head <= zti_sz_head_most(coding);
    sz->head_bits = 8 * head;
    if (!is_good || c.is_bad || zti_cursor_left(&c) > 0 ||
        (sz->coder != ZTI_SZ_HIGH && !is_lossless && !zti_sz_is_centre(centre)))
        return zti_fail(context, ZT_CORRUPT, "the sz parameters of a frame make no sense");
    if (sz->coder > ZTI_SZ_TRANSFORM)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "the frame has sz effort %u, which this version does not know; use a "
                        "later one",
                        sz->coder);
    zti_sz_set_grid(coding);
    return ZT_OK;
}

static bool is_lossless_high(const struct zti_coding *coding)
{
    return sz_of(coding)->coder == ZTI_SZ_LOSSLESS_HIGH;
}

static void describe(const struct zti_coding *coding, zt_info *info)
{
    const struct zti_sz *const sz = sz_of(coding);
    const double step = sz->source == ZTI_SZ_LATTICE ? sz->step
                        : sz->source == ZTI_SZ_LOG   ? (double)sz->fineness / 8
                                                     : (double)sz->whole_step;
    info->codec_words[0] = sz->coder | (uint64_t)sz->axes << 32;
    info->codec_words[1] = zti_bits_of_double(step);
    info->codec_words[2] = sz->coder == ZTI_SZ_CUSZ   ? sz->bins
                           : is_lossless_high(coding) ? (uint64_t)ll_is_of_multiples(coding)
                                                      : 0;
    info->codec_words[3] = ways_of(coding);
}

static uint64_t tile_max_bits(const struct zti_coding *coding)
{
    return 8 * (1 + zti_tile_bytes(coding));
}

/* A thread codes several strips of tiles at a time (lorenzo/encode.h), so that most of them were
 * prefetched. Its room holds 16 tiles of doubles (lorenzo/strips.h), in rows of whole cache
 * lines. */
enum { PIECE_BYTES = 1 << 20, ROOM_BYTES = 640 << 10 };

static struct zti_sizes sizes(const struct zti_coding *coding)
{
    const uint64_t most = tile_max_bits(coding);
    return (struct zti_sizes){.tile_min_bits = 8,
                              .tile_max_bits = most,
                              .tile_read_max_bits =
                                  most + 8 * ZTI_SZ_GROUP_MOST_BYTES + ZTI_SZ_CLASS_MOST_BITS + 64,
                              .align_bits = 8,
                              .unit_bits = 8,
                              .piece_bytes = PIECE_BYTES,
                              .room_bytes = ROOM_BYTES,
                              .is_wide = is_transform(coding),
                              .is_bounded = is_transform(coding)};
}

/* ---- learning ---- */

/* The first two passes learn the axes and the shape of groups from samples (lorenzo/axes.c). The
 * third learns the codebooks, from all tiles or, if these are many, from some. The coders of large
 * tiles have no passes. */
enum { BOOKS_PASS = ZTI_SZ_BOOKS_PASS, HIGH_PASS = ZTI_SZ_HIGH_PASS };

static bool has_pass(const struct zti_coding *coding, uint32_t pass)
{
    return zti_sz_has_pass(sz_of(coding), pass);
}

/* Whether a pass learns codebooks. A coding that 'choose' has changed to effort 'high' has none. */
static bool counts_symbols(const struct zti_coding *coding, uint32_t pass)
{
    return pass == BOOKS_PASS && sz_of(coding)->coder != ZTI_SZ_HIGH;
}

/* Whether the source of floats without loss is chosen from samples. */
static bool chooses_source(const struct zti_coding *coding)
{
    return has_pass(coding, ZTI_SZ_LOOK_PASS) && zti_sz_may_have_keys(coding);
}

static size_t tally_bytes(const struct zti_coding *coding, uint32_t pass)
{
    if (is_lossless_high(coding) || is_transform(coding))
        return 0;
    if (pass >= HIGH_PASS)
        return sz_of(coding)->coder == ZTI_SZ_HIGH
                   ? zti_sz_high_tally_bytes(coding, pass - HIGH_PASS)
                   : 0;
    if (pass < BOOKS_PASS)
        return sizeof(struct zti_sz_tally);
    if (pass == BOOKS_PASS && !counts_symbols(coding, pass))
        return sizeof(struct zti_sz_tally);
    const bool has_books = sz_of(coding)->coder != ZTI_SZ_FAST;
    return pass == BOOKS_PASS && has_books ? zti_sz_count_bytes(coding) : 0;
}

static bool is_sampled(const struct zti_coding *coding, uint32_t pass)
{
    (void)coding;
    return pass < BOOKS_PASS || (pass >= HIGH_PASS && pass - HIGH_PASS < ZTI_SZ_HIGH_COUNT_PASS);
}

static void count_tiles(const struct zti_coding *coding, const struct zti_array *array,
                        uint64_t first, uint64_t last, struct zti_sz_counts *counts)
{
    const uint32_t part = zti_sz_count_part(coding);
    uint64_t tile = first, next;
    while (tile < last && !zti_sz_is_counted(tile, part))
        tile++;
    for (; tile < last; tile = next) {
        for (next = tile + 1; next < last && !zti_sz_is_counted(next, part);)
            next++;
        zti_sz_ops_of(coding)->count(coding, array, tile, next, counts);
    }
}

static void tally(const struct zti_coding *coding, uint32_t pass, const struct zti_array *array,
                  uint64_t first, uint64_t last, void *out)
{
    if (pass >= HIGH_PASS) {
        zti_sz_high_tally(coding, pass - HIGH_PASS, array, first, last, out);
        return;
    }
    if (has_pass(coding, pass))
        zti_sz_axes_tally(coding, zti_sz_ops_of(coding), pass, array, first, last, out);
    if (counts_symbols(coding, pass))
        count_tiles(coding, array, first, last, out);
}

/* Effort 'high' does. Coders of other large tiles copy the tiles that they learn from, and the
 * choice of a source for floats without loss its samples. */
static bool reads_array(const struct zti_coding *coding)
{
    return sz_of(coding)->wants_high || sz_of(coding)->coder == ZTI_SZ_HIGH;
}

static void merge(const struct zti_coding *coding, uint32_t pass, void *into, const void *from)
{
    if (pass >= HIGH_PASS) {
        zti_sz_high_merge(coding, pass - HIGH_PASS, into, from);
        return;
    }
    if (counts_symbols(coding, pass)) {
        zti_sz_merge_counts(coding, into, from);
        return;
    }
    zti_sz_axes_merge(into, from);
}

/* Variants, by i: each set of axes with effort 'default' or 'fast'; each set with effort 'fast';
 * then, if effort 'high' is wanted, each set with it, with large tiles and with small ones. */
static bool vary(struct zti_coding *coding, uint32_t i)
{
    const uint32_t sets = 1u << coding->grid.rank;
    if (is_transform(coding)) {
        zti_sz_set_grid(coding);
        return i == 0;
    }
    if (is_lossless_high(coding)) {
        sz_in(coding)->tuning = (sz_of(coding)->tuning & ZTI_LL_IS_WIDE) | i;
        zti_sz_set_grid(coding);
        return i <= ZTI_LL_IS_LARGE && zti_ll_has_grid(coding);
    }
    if (i >= 2 * sets) {
        sz_in(coding)->axes = i % sets;
        sz_in(coding)->coder = zti_sz_high_can(coding) ? ZTI_SZ_HIGH : ZTI_SZ_FAST;
        sz_in(coding)->tuning = i < 3 * sets ? 0 : ZTI_SZ_HIGH_SMALL;
        zti_sz_set_grid(coding);
        return (sz_of(coding)->wants_high || sz_of(coding)->may_be_smooth) && i < 4 * sets;
    }
    if (sz_of(coding)->coder == ZTI_SZ_HIGH)
        sz_in(coding)->coder = ZTI_SZ_DEFAULT;
    else if (sz_of(coding)->coder == ZTI_SZ_DEFAULT && i == sets)
        sz_in(coding)->coder = ZTI_SZ_FAST;
    sz_in(coding)->axes = i % sets;
    zti_sz_set_grid(coding);
    return i < 2 * sets;
}

static bool learn_holes(struct zti_coding *coding, const struct zti_array *array,
                        const uint64_t *holes)
{
    return zti_sz_learn_holes(zti_sz_ops_of(coding), coding, array, holes);
}

/* The bytes and values of some coded tiles. */
struct measured {
    uint64_t bytes, values;
    uint8_t *out; /* room for one tile */
};

static void measure(const struct zti_coding *coding, const struct zti_array *array, uint64_t tile,
                    struct measured *m)
{
    const struct zti_walk walk = zti_walk_from(&coding->grid, tile);
    struct zti_bit_writer w = zti_bit_writer_at(m->out);
    uint64_t values = 1;
    for (uint32_t i = 0; i < coding->grid.rank; i++) {
        const uint64_t rest = coding->grid.shape[i] - walk.origin[i];
        values *= rest < coding->grid.side[i] ? rest : coding->grid.side[i];
    }
    zti_sz_ops_of(coding)->encode(coding, array, tile, tile + 1, &w);
    m->bytes += (uint64_t)(w.next - m->out) + 1; /* plus about a byte of the index */
    m->values += values;
}

/* Estimate the bits of the stream with the alternative to effort 'high', from tiles at the places
 * of those in which effort 'high' was measured. */
static zt_status measure_other(zt_context *context, struct zti_coding *coding,
                               const struct zti_array *array)
{
    enum { MOST = 512, SAMPLES = 256 }; /* at most MOST tiles: all of them; else SAMPLES */
    struct zti_sz_high *const high = coding->model;
    struct zti_coding other = *coding;
    struct measured m = {.bytes = 0};
    uint64_t values = 1, counted = 0;
    *sz_in(&other) = high->lorenzo;
    other.model = high->lorenzo_model;
    zti_sz_set_grid(&other);
    m.out = zti_alloc(context, (size_t)(tile_max_bits(&other) / 8) + 2 * ZTI_BIT_MARGIN_BYTES);
    if (!m.out)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a tile");
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        values *= coding->grid.shape[i];
    for (uint64_t tile = 0; tile < coding->grid.count; tile++)
        counted += zti_sz_high_is_counted(coding, tile);
    const uint64_t a_tile = SAMPLES / counted + 1;
    for (uint64_t tile = 0; other.grid.count <= MOST && tile < other.grid.count; tile++)
        measure(&other, array, tile, &m);
    for (uint64_t tile = 0; other.grid.count > MOST && tile < coding->grid.count; tile++) {
        const struct zti_walk walk = zti_walk_from(&coding->grid, tile);
        for (uint32_t k = 0; k < a_tile && zti_sz_high_is_counted(coding, tile); k++) {
            uint64_t place[ZT_MAX_RANK];
            zti_sz_high_place(coding, &walk, k, place);
            measure(&other, array, tile_of_place(&other.grid, place), &m);
        }
    }
    zti_release(context, m.out);
    high->lorenzo_bits = (uint64_t)((double)m.bytes * 8 * ((double)values / (double)m.values)) +
                         sz_of(&other)->head_bits;
    return ZT_OK;
}

static zt_status learn_books(zt_context *context, struct zti_coding *coding,
                             struct zti_sz_counts *counts)
{
    zt_status status = zti_sz_learn_books(context, coding, counts);
    if (status != ZT_OK || !sz_of(coding)->wants_high)
        return status;
    sz_in(coding)->wants_high = false;
    return zti_sz_high_begin(context, coding);
}

static zt_status learn_high(zt_context *context, struct zti_coding *coding, uint32_t pass,
                            const struct zti_array *array, void *tallied)
{
    zt_status status = ZT_OK;
    if (pass == ZTI_SZ_HIGH_COUNT_PASS && !sz_of(coding)->may_be_smooth)
        status = measure_other(context, coding, array);
    return status == ZT_OK ? zti_sz_high_learn(context, coding, pass, array, tallied) : status;
}

/* Whether effort default interpolates. */
static zt_status choose(zt_context *context, struct zti_coding *coding,
                        const struct zti_array *array)
{
    bool is_smooth;
    const zt_status status = zti_sz_is_smooth(context, coding, array, &is_smooth);
    return status || !is_smooth ? status : zti_sz_begin_smooth(context, coding);
}

/* Before the passes: the memory of coders of large tiles, or the source of floats without loss. */
static zt_status begin(zt_context *context, struct zti_coding *coding,
                       const struct zti_array *array)
{
    if (is_lossless_high(coding))
        return zti_ll_begin(context, coding, array);
    if (is_transform(coding))
        return zti_tf_begin(context, coding, true);
    if (chooses_source(coding))
        return zti_sz_choose_source(context, coding, array);
    return ZT_OK;
}

static zt_status learn(zt_context *context, struct zti_coding *coding, uint32_t pass,
                       const struct zti_array *array, void *tallied)
{
    if (pass >= HIGH_PASS)
        return learn_high(context, coding, pass - HIGH_PASS, array, tallied);
    if (counts_symbols(coding, pass))
        return learn_books(context, coding, tallied);
    if (has_pass(coding, pass))
        zti_sz_axes_learn(coding, pass, tallied);
    return pass == ZTI_SZ_RACE_PASS ? zti_sz_keep_counted(context, coding) : ZT_OK;
}

static uint64_t head_bytes(const struct zti_coding *coding)
{
    return (sz_of(coding)->head_bits + 7) / 8;
}

static void encode_head(const struct zti_coding *coding, const uint64_t *starts, uint8_t *head)
{
    (void)starts;
    zti_sz_encode_head(coding, head);
}

/* ---- tiles ---- */

static bool encode(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *writer)
{
    if (is_lossless_high(coding))
        zti_ll_encode(coding, array, first, last, writer);
    else if (is_transform(coding))
        zti_tf_encode(coding, array, first, last, writer);
    else if (sz_of(coding)->coder == ZTI_SZ_HIGH)
        zti_sz_high_encode(coding, array, first, last, writer);
    else
        zti_sz_ops_of(coding)->encode(coding, array, first, last, writer);
    return true;
}

static void decode(const struct zti_coding *coding, struct zti_bit_reader *reader, uint64_t first,
                   uint64_t last, const struct zti_view *view)
{
    if (is_lossless_high(coding))
        zti_ll_decode(coding, reader, first, last, view);
    else if (is_transform(coding))
        zti_tf_decode(coding, reader, first, last, view);
    else if (sz_of(coding)->coder == ZTI_SZ_HIGH)
        zti_sz_high_decode(coding, reader, first, last, view);
    else
        zti_sz_ops_of(coding)->decode(coding, reader, first, last, view);
}

static void skip(const struct zti_coding *coding, struct zti_bit_reader *reader, uint64_t first,
                 uint64_t last)
{
    decode(coding, reader, first, last, NULL);
}

/* Decode Huffman codes of several chunks in turns. */
static uint32_t side_by_side(const struct zti_coding *coding)
{
    return sz_of(coding)->coder == ZTI_SZ_DEFAULT ? ZTI_HUFFMAN_PARTS : 0;
}

static void decode_runs(const struct zti_coding *coding, const uint8_t *base, uint64_t *at,
                        uint32_t runs, uint64_t first, uint32_t run_tiles,
                        const struct zti_view *view)
{
    zti_sz_ops_of(coding)->decode_runs(coding, base, at, runs, first, run_tiles, view);
}

/* Slabs are cut at multiples of the first side; zti_sz_set_grid sets the tiles of a stream. */
static const uint32_t tile_shape[ZT_MAX_RANK][ZT_MAX_RANK] = {
    {4096}, {64, 64}, {16, 16, 16}, {8, 8, 8, 8}};

_Static_assert(sizeof(struct zti_sz) <= ZTI_NUMBERS_BYTES, "a coding has room for the numbers");

const struct zti_learning zti_sz_learning = {.choose = choose,
                                             .begin = begin,
                                             .tally_bytes = tally_bytes,
                                             .is_sampled = is_sampled,
                                             .tally = tally,
                                             .merge = merge,
                                             .reads_array = reads_array,
                                             .learn = learn,
                                             .vary = vary,
                                             .forget = zti_sz_forget,
                                             .head_max_bytes = zti_sz_head_most,
                                             .head_bytes = head_bytes,
                                             .encode_head = encode_head,
                                             .decode_head = zti_sz_decode_head};

static const struct zti_holes filling = {.learn = learn_holes, .fit = zti_sz_fit_holes};

static const struct zti_batch batch = {.runs = side_by_side, .decode = decode_runs};

static const struct zti_tables tables = {
    .learning = &zti_sz_learning, .planning = &zti_sz_planning, .holes = &filling, .batch = &batch};

const struct zti_codec zti_codec_sz = {.name = "sz",
                                       .id = ZT_CODEC_SZ,
                                       .tile_shape = tile_shape,
                                       .chunk_tiles = chunk_tiles,
                                       .configure = configure,
                                       .store_params = store_params,
                                       .load_params = load_params,
                                       .describe = describe,
                                       .sizes = sizes,
                                       .encode = encode,
                                       .decode = decode,
                                       .skip = skip,
                                       .tables = &tables};
