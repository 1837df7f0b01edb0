/* planning.c: the sz codec's functions for planning: which efforts are candidates, estimates of the
 * bits of samples with each set of axes of differences, and the bits of samples that are coded with
 * their own codebooks. Estimates are for Rice codes, which need no learning. */
#include "codec/sz/sz.h"
#include "core/map.h"

/* Speeds of compression, in MB/s of raw values on one core, without planning: geometric means over
 * the float32 fields of shared/data at rel 1e-2, 1e-3 and 1e-4, and lossless, measured in one run
 * (plan_bench --speed) on a Xeon with AVX-512, rounded. Only their order and ratios matter, so they
 * serve for other machines too. */
enum {
    SPEED = 410,
    FAST_SPEED = 610,
    HIGH_SPEED = 65,
    LOSSLESS_SPEED = 320,
    WHOLE_SPEED = 40,
    TRANSFORM_SPEED = 60
};

/* A coder of large tiles beside interpolation and differences. */
static struct zti_candidate far_coder(uint32_t method)
{
    return (struct zti_candidate){.codec = ZT_CODEC_SZ,
                                  .effort = ZT_EFFORT_HIGH,
                                  .method = method,
                                  .is_lossy = true,
                                  .speed = WHOLE_SPEED,
                                  .is_far = true,
                                  .far_most = 1.1,
                                  .is_for_ratio = true};
}

/* Where boxes say that it is larger, the whole array takes at most 6 % less than they say. */
static struct zti_candidate transform(void)
{
    struct zti_candidate one = far_coder(ZT_SZ_TRANSFORM);
    one.speed = TRANSFORM_SPEED;
    one.far_most = 1.06;
    one.is_for_floats = true;
    return one;
}

/* Values with few digits or bits are smaller without loss than under a tight bound. */
static struct zti_candidate without_loss(void)
{
    struct zti_candidate one = far_coder(0);
    one.is_lossless = true;
    one.far_most = 1.3; /* its boxes are small */
    return one;
}

/* Interpolation beside differences, which take its place where they are smaller. */
static struct zti_candidate interpolation(bool is_for_ratio)
{
    return (struct zti_candidate){.codec = ZT_CODEC_SZ,
                                  .effort = ZT_EFFORT_HIGH,
                                  .is_lossy = true,
                                  .speed = HIGH_SPEED,
                                  .has_own_predictor = true,
                                  .is_for_ratio = is_for_ratio};
}

/* Effort default takes interpolation, which takes three to ten times as long, where it halves the
 * file: for smooth values, whose differences are mostly rounding to steps. */
static struct zti_candidate much_smaller(void)
{
    struct zti_candidate one = interpolation(false);
    one.most_part = 0.5;
    one.is_for_floats = true;
    return one;
}

/* Effort default takes the coder of effort high without loss where lattices or numbers of distinct
 * values make the file a third smaller. */
static struct zti_candidate packed(void)
{
    return (struct zti_candidate){.codec = ZT_CODEC_SZ,
                                  .effort = ZT_EFFORT_HIGH,
                                  .speed = WHOLE_SPEED,
                                  .is_whole = true,
                                  .most_part = 0.67,
                                  .is_smaller = zti_sz_is_packed,
                                  .is_for_floats = true};
}

static void set_method(zt_params *params, uint32_t method)
{
    zt_params_set_sz(params, (zt_sz_method)method, 0);
}

/* A coder of large tiles, which samples cannot predict: of effort 'high' without loss (lossless/),
 * and of the methods transform and multiples, whatever they code. */
static struct zti_candidate large_tiles(bool is_lossy)
{
    return (struct zti_candidate){.codec = ZT_CODEC_SZ,
                                  .effort = ZT_EFFORT_HIGH,
                                  .is_lossy = is_lossy,
                                  .speed = WHOLE_SPEED,
                                  .is_whole = true,
                                  .is_for_ratio = true};
}

/* Effort 'high' and the transform are candidates if the ratio is preferred, 'fast' if it is not.
 * Effort 'default' has interpolation of floats beside it, or without loss the coder of effort high,
 * if the call plans and does not prefer speed; 'fast' is the only candidate. Bounds relative to
 * each value have no 'high', and method 'prediction' leaves out the transform, multiples and coding
 * without loss. */
static uint32_t candidates(const zt_params *params, bool is_lossy, struct zti_candidate *list)
{
    const bool is_open = params->codec == ZT_CODEC_AUTO, is_cusz = zti_sz_is_cusz(params);
    const bool is_high = params->effort == ZT_EFFORT_HIGH && !is_cusz;
    const bool is_for_ratio = is_high || params->prefer == ZT_PREFER_RATIO;
    const bool is_given = is_cusz || params->effort == ZT_EFFORT_FAST;
    uint32_t n = 0;
    if ((!is_lossy && is_high) || zti_sz_is_transform(params) || zti_sz_is_multiples(params)) {
        list[n++] = large_tiles(is_lossy);
        return n;
    }
    list[n++] = (struct zti_candidate){.codec = ZT_CODEC_SZ,
                                       .effort = is_given ? params->effort : ZT_EFFORT_DEFAULT,
                                       .is_lossy = is_lossy,
                                       .speed = is_lossy ? SPEED : LOSSLESS_SPEED,
                                       .is_fallback = !is_given,
                                       .is_for_ratio = is_high};
    const bool is_planned = params->plan != ZT_PLAN_OFF && params->prefer != ZT_PREFER_SPEED;
    if (!is_lossy && is_open && !is_given && params->prefer == ZT_PREFER_RATIO)
        list[n++] = large_tiles(false);
    if (!is_lossy && !is_open && !is_given && is_planned)
        list[n++] = packed();
    if (!is_lossy || is_given || params->bound.kind == ZT_PWREL)
        return n;
    if (is_open && !is_for_ratio)
        list[n++] = (struct zti_candidate){
            .codec = ZT_CODEC_SZ, .effort = ZT_EFFORT_FAST, .is_lossy = true, .speed = FAST_SPEED};
    else if (is_open || is_high)
        list[n++] = interpolation(is_high);
    else if (is_planned)
        list[n++] = much_smaller();
    if (is_for_ratio && (is_open || is_high) && !zti_sz_is_prediction(params)) {
        list[n++] = far_coder(ZT_SZ_MULTIPLES); /* sooner done */
        list[n++] = transform();
        list[n++] = without_loss();
    }
    return n;
}

/* A pass over samples: ranges of tiles on the context's threads, each with a tally. */
enum { LOOK_RANGES = 16 };

struct looking {
    const struct zti_coding *coding;
    const struct zti_array *array;
    uint32_t pass;
    struct zti_sz_tally *tally;
};

static bool tally_range(void *shared, uint32_t worker, uint64_t number)
{
    const struct looking *const l = shared;
    const uint64_t count = l->coding->grid.count;
    const uint64_t each = count / LOOK_RANGES, rest = count % LOOK_RANGES;
    const uint64_t first = number * each + (number < rest ? number : rest);
    zti_sz_learning.tally(l->coding, l->pass, l->array, first, first + each + (number < rest),
                          &l->tally[worker]);
    return true;
}

static zt_status tally_samples(zt_context *context, const struct zti_coding *coding, uint32_t pass,
                               const struct zti_array *array, struct zti_sz_tally *tally)
{
    const uint32_t workers = zti_map_workers(context, LOOK_RANGES);
    struct looking l = {.coding = coding, .array = array, .pass = pass};
    l.tally = zti_alloc_zeroed(context, workers * sizeof *l.tally);
    if (!l.tally)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for tallies of samples");
    zti_map(context, LOOK_RANGES, tally_range, &l);
    for (uint32_t i = 0; i < workers; i++)
        zti_sz_learning.merge(coding, pass, tally, &l.tally[i]);
    zti_release(context, l.tally);
    return ZT_OK;
}

static zt_status look_at(zt_context *context, struct zti_coding *coding,
                         const struct zti_array *array, struct zti_look *look)
{
    const struct zti_learning *const learning = &zti_sz_learning;
    const bool is_fixed = sz_of(coding)->coder == ZTI_SZ_CUSZ;
    const uint32_t passes = is_fixed ? ZTI_SZ_RACE_PASS : ZTI_SZ_BOOKS_PASS;
    struct zti_sz_tally tally;
    zt_status status = ZT_OK;
    memset(look, 0, sizeof *look);
    if (is_fixed)
        sz_in(coding)->coder = ZTI_SZ_FAST;
    if (zti_sz_may_have_keys(coding))
        status = zti_sz_choose_source(context, coding, array);
    for (uint32_t i = 0; i < ZT_MAX_RANK && is_fixed; i++)
        look->fixed[i] = i == 3 ? 14 : (2u << i) - 1; /* rank 4: a sequence of volumes */
    for (uint32_t pass = ZTI_SZ_LOOK_PASS; pass < passes && !status; pass++) {
        memset(&tally, 0, sizeof tally);
        status = tally_samples(context, coding, pass, array, &tally);
        if (!status)
            status = learning->learn(context, coding, pass, array, &tally);
        if (pass == ZTI_SZ_LOOK_PASS)
            memcpy(look->bits, tally.bits, sizeof look->bits);
    }
    const struct zti_sz *const sz = sz_of(coding);
    look->found =
        (struct zti_found){.has_axes = true,
                           .axes = sz->axes,
                           .has_rest = !is_fixed,
                           .rest = {sz->is_blocked, sz->centre, zti_sz_source_number(sz)}};
    look->step = sz->source == ZTI_SZ_LATTICE ? sz->step
                 : sz->source == ZTI_SZ_STEPS ? (double)sz->whole_step
                                              : 0;
    return status;
}

/* Set what look_at has found of an array for samples of it. */
static void set_found(struct zti_coding *coding, const struct zti_look *look)
{
    sz_in(coding)->centre = look->found.rest[1];
    zti_sz_set_source(sz_in(coding), look->found.rest[2]);
}

static void set_axes(struct zti_coding *coding, uint32_t axes)
{
    sz_in(coding)->axes = axes;
    zti_sz_set_grid(coding);
}

/* The bits of tiles in Rice codes, each with the better shape of groups. */
static uint64_t estimate(const struct zti_coding *coding, const struct zti_look *look,
                         const struct zti_array *array)
{
    struct zti_coding fast = *coding;
    uint64_t sum = 0;
    sz_in(&fast)->coder = ZTI_SZ_FAST;
    set_found(&fast, look);
    for (uint64_t tile = 0; tile < coding->grid.count; tile++) {
        uint64_t bits[2] = {0, 0};
        (void)zti_sz_ops_of(coding)->try_groups(&fast, array, tile, bits);
        sum += bits[0] < bits[1] ? bits[0] : bits[1];
    }
    return sum;
}

/* Make an array the only tile. */
static void set_tile(struct zti_coding *coding, const struct zti_array *tile)
{
    uint32_t side[ZT_MAX_RANK] = {1, 1, 1, 1};
    for (uint32_t i = 0; i < tile->rank; i++)
        side[i] = (uint32_t)tile->shape[i];
    coding->grid = zti_grid_of(tile->rank, tile->shape, side);
}

/* Make a learning pass over every step-th of the tiles. */
static zt_status learn(zt_context *context, struct zti_coding *coding, uint32_t pass,
                       const struct zti_array *tiles, uint32_t count, uint32_t step)
{
    const struct zti_learning *const learning = &zti_sz_learning;
    const size_t bytes = learning->tally_bytes(coding, pass);
    void *const tally = bytes > 0 ? zti_alloc_zeroed(context, bytes) : NULL;
    if (bytes == 0)
        return ZT_OK;
    if (!tally)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for %zu bytes", bytes);
    for (uint32_t k = 0; k < count; k += step) {
        set_tile(coding, &tiles[k]);
        learning->tally(coding, pass, &tiles[k], 0, 1, tally);
    }
    const zt_status status = learning->learn(context, coding, pass, NULL, tally);
    zti_release(context, tally);
    return status;
}

static zt_status code(zt_context *context, struct zti_coding *coding, const struct zti_look *look,
                      const struct zti_array *tiles, uint32_t count, uint8_t *scratch,
                      uint64_t *bits, uint64_t *head_bits)
{
    set_found(coding, look);
    zt_status status = learn(context, coding, ZTI_SZ_RACE_PASS, tiles, count, 2);
    if (!status)
        status = learn(context, coding, ZTI_SZ_BOOKS_PASS, tiles, count, 1);
    for (uint32_t k = 0; k < count && !status; k++) {
        struct zti_bit_writer w = zti_bit_writer_at(scratch);
        set_tile(coding, &tiles[k]);
        (void)coding->codec->encode(coding, &tiles[k], 0, 1, &w);
        bits[k] = zti_bits_written(&w);
    }
    *head_bits = status ? 0 : 8 * zti_head_bytes(coding);
    zti_sz_forget(context, coding);
    return status;
}

static const struct zti_axes_planning axes_planning = {.group_values = ZTI_SZ_GROUP,
                                                       .look = look_at,
                                                       .set_axes = set_axes,
                                                       .estimate = estimate,
                                                       .code = code};

static bool is_compared(const struct zti_coding *coding)
{
    return sz_of(coding)->is_compared;
}

const struct zti_planning zti_sz_planning = {.candidates = candidates,
                                             .set_method = set_method,
                                             .is_compared = is_compared,
                                             .axes = &axes_planning};
