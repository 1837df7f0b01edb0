/* stream.c: the lossless coder of effort 'high': its tiles, its memory, and what it does before the
 * first tile. Tiles are whole slices of about 2^18 values, so that rows are long; or of 2^20, where
 * rows repeat rows that are farther away. Nothing is in the stream's head: a tile has its own
 * models. */
#include "array/mirror.h"
#include "codec/sz/large_tile.h"
#include "codec/sz/lossless/decimals.h"
#include "codec/sz/lossless/kernels.h"
#include "codec/sz/lossless/lossless.h"
#include "codec/sz/stored.h"
#include "core/cpu.h"
#include "core/threads.h"

static const struct zti_ll_ops *ops_of(const struct zti_coding *coding)
{
    const bool is_wide = zt_type_bytes(ll_coded_type(coding)) == 8;
#if defined(ZTI_HAS_X86_INSTANCES)
    if (coding->run.isa == ZT_ISA_AVX512)
        return is_wide ? &zti_ll_avx512_64 : &zti_ll_avx512_32;
    if (coding->run.isa == ZT_ISA_AVX2)
        return is_wide ? &zti_ll_avx2_64 : &zti_ll_avx2_32;
#endif
    return is_wide ? &zti_ll_plain_64 : &zti_ll_plain_32;
}

/* ---- tiles ---- */

/* Whole slices of the slowest axis that is too long; parts of it are about alike. */
void zti_ll_set_grid(struct zti_coding *coding)
{
    const uint64_t most =
        sz_of(coding)->tuning & ZTI_LL_IS_LARGE ? ZTI_LL_LARGE_VALUES : ZTI_LL_VALUES;
    const uint64_t *const shape = coding->grid.shape;
    uint32_t side[ZT_MAX_RANK] = {1, 1, 1, 1};
    uint64_t values = 1;
    for (uint32_t i = coding->grid.rank; i-- > 0 && values < most;) {
        const uint64_t fit = most / values;
        if (shape[i] <= fit) {
            side[i] = (uint32_t)shape[i];
            values *= shape[i];
            continue;
        }
        const uint64_t parts = (shape[i] + fit - 1) / fit;
        side[i] = (uint32_t)((shape[i] + parts - 1) / parts);
        break;
    }
    coding->grid = zti_grid_of(coding->grid.rank, shape, side);
}

static struct zti_ll_shape tile_shape(const struct zti_coding *coding)
{
    return ll_shape(coding->grid.rank, coding->grid.side);
}

/* Large tiles have rows whose margins take little. */
bool zti_ll_has_grid(const struct zti_coding *coding)
{
    enum { LEAST_WIDTH = 32 };
    const struct zti_ll_shape s = tile_shape(coding);
    return !(sz_of(coding)->tuning & ZTI_LL_IS_LARGE) || (!s.is_lanes && s.width >= LEAST_WIDTH);
}

/* ---- multiples of a step ---- */

/* Whether multiples of a float's step up to 'largest' are numbers of the type. */
static bool are_numbers(uint32_t type, double step, double largest)
{
    int exponent;
    const uint32_t mantissa = (uint32_t)ldexp(frexp(step, &exponent), 24);
    const int bits = 24 - (int)zti_ctz64(mantissa);
    return zti_sz_quotient_bits(largest, step) + (bits > 1 ? bits : 0) <=
           (type == ZT_F32 ? 24 : 53);
}

/* The centre is below the number of the least value's multiple. Numbers up to 2^50 are exact in
 * double, and leave room for the centre. */
bool zti_ll_set_multiples(struct zti_coding *coding, double least, double most)
{
    struct zti_sz *const sz = sz_in(coding);
    const bool is_float = zti_is_float(coding->type);
    const double step = is_float ? sz->step : (double)sz->whole_step;
    const double low = floor(least / step) - 1, high = ceil(most / step) + 1;
    if (!ll_is_of_multiples(coding))
        return true;
    if (!isfinite(1 / step) || !(fmax(fabs(low), fabs(high)) < ZTI_LL_MOST_CENTRE))
        return false;
    if (is_float && !are_numbers(coding->type, step, fmax(fabs(least), fabs(most))))
        return false;
    sz->centre = (int64_t)low;
    sz->tuning = high - low <= INT32_MAX ? 0 : ZTI_LL_IS_WIDE;
    return zt_type_bytes(coding->type) == 8 || sz->tuning == 0;
}

/* ---- tables ---- */

/* log2(v), rounded down, by the usual squaring, a bit a time. */
static uint32_t log2_of(uint32_t v)
{
    uint32_t bits = zti_bit_length64(v) - 1;
    uint64_t x = (uint64_t)v << (31 - bits); /* 1 <= x / 2^31 < 2 */
    for (uint32_t k = 0; k < 16; k++) {
        x = x * x >> 31;
        bits = bits << 1 | (uint32_t)(x >> 32);
        x >>= x >> 32;
    }
    return bits;
}

void zti_ll_make_tables(struct zti_ll_tables *tables)
{
    ll_make_powers(tables->ten);
    for (uint32_t v = 1; v <= 4096; v++)
        tables->log2[v] = log2_of(v);
    tables->groups = zti_ll_group_samples(tables->sample_groups);
}

/* ---- memory ---- */

enum { ROOM = 6144 + 64 /* values of a row of a box, at most */ };

static void lay_out(struct parts *p, const struct zti_ll_room *s, size_t value_bytes,
                    bool is_encoded, struct zti_ll_slot *slot)
{
    const size_t more = is_encoded ? ZTI_LL_WHOLE : 0; /* boxes */
    const size_t cells = s->cells + 3 * more, n = s->values + more;
    const size_t model = zti_ans_model_bytes(ZTI_LL_ALPHABET);
    const bool is_copied = is_encoded || s->is_reordered;
    slot->values = part_of(p, n * value_bytes);
    slot->keys = part_of(p, cells * value_bytes);
    slot->magnitudes = part_of(p, cells);
    slot->marks = part_of(p, cells);
    const size_t block = ZTI_LL_WAVE_ROWS * s->width;
    slot->residuals = part_of(p, (is_encoded || n < block ? n : block) * value_bytes);
    slot->symbols = part_of(p, is_encoded ? n : s->width);
    slot->contexts = part_of(p, 2 * (is_encoded ? n : s->width + ZTI_LL_PIECE));
    slot->means = part_of(p, (s->width + ROOM) * sizeof(uint16_t));
    slot->sums = part_of(p, (s->width + ROOM) * 8);
    slot->lattices = part_of(p, 2 * s->slices * sizeof(double));
    slot->ranks = part_of(p, ZTI_LL_MOST_RANKS * sizeof(uint64_t));
    slot->source = part_of(p, s->rows * sizeof(int32_t));
    slot->how = part_of(p, s->rows);
    slot->all = part_of(p, is_copied ? n * value_bytes : 0);
    slot->codes = part_of(p, is_encoded ? zti_ans_mixed_bytes(n) + n : s->width + ZTI_LL_PIECE);
    for (uint32_t k = 0; k < ZTI_LL_MODELS; k++)
        slot->model[k].decode = part_of(p, model);
    if (!is_encoded) {
        slot->wave = part_of(p, ZTI_LL_WAVE_BYTES);
        return;
    }
    slot->sample = part_of(p, ZTI_LL_SLICE_SAMPLE * sizeof(uint64_t));
    slot->sorted = part_of(p, ZTI_LL_SLICE_SAMPLE * sizeof(uint64_t));
    slot->found = part_of(p, n * 5 * sizeof(int32_t));
    slot->places = part_of(p, 2 * sizeof(int32_t) << ZTI_LL_HASH_BITS);
    slot->votes = part_of(p, 4 * (s->rows + s->width) * sizeof(uint32_t));
    slot->counts = part_of(p, 2 * sizeof *slot->counts);
    slot->table.entry = part_of(p, zti_ans_mixed_table_bytes(ZTI_LL_MODELS, ZTI_LL_MODELS));
}

static void free_slots(zt_context *context, struct zti_ll *model)
{
    for (uint32_t i = 0; i < model->slots; i++)
        zti_release(context, model->slot[i].memory);
    zti_release(context, model->slot);
    model->slot = NULL;
    model->slots = 0;
}

static void place_slot(const struct zti_ll_room *s, size_t value_bytes, bool is_encoded,
                       struct zti_ll_slot *slot)
{
    struct parts p = {.memory = slot->memory + (64 - (uintptr_t)slot->memory % 64) % 64};
    lay_out(&p, s, value_bytes, is_encoded, slot);
}

/* One for each thread that there is work for; those that are there are kept where they do. */
static zt_status make_slots(zt_context *context, const struct zti_coding *coding, uint64_t wanted,
                            bool is_encoded)
{
    struct zti_ll *const model = coding->model;
    const struct zti_ll_room s = ll_room(&coding->grid);
    const size_t value_bytes = zt_type_bytes(ll_coded_type(coding));
    struct parts need = {.memory = NULL, .bytes = 0};
    struct zti_ll_slot none;
    lay_out(&need, &s, value_bytes, is_encoded, &none);
    wanted = wanted < coding->grid.count ? wanted : coding->grid.count;
    const bool is_kept = model->slots == wanted && model->slot_bytes >= need.bytes;
    if (!is_kept) {
        free_slots(context, model);
        model->slot = zti_alloc_zeroed(context, (size_t)wanted * sizeof *model->slot);
        if (!model->slot)
            return zti_fail(context, ZT_NO_MEMORY, "no memory for %u threads", (uint32_t)wanted);
        model->slots = (uint32_t)wanted;
        model->slot_bytes = need.bytes;
    }
    for (uint32_t i = 0; i < model->slots; i++) {
        struct zti_ll_slot *const slot = &model->slot[i];
        atomic_flag_clear(&slot->is_claimed);
        if (!is_kept)
            slot->memory = zti_alloc(context, need.bytes + 64);
        if (!slot->memory)
            return zti_fail(context, ZT_NO_MEMORY, "no memory for tiles of %zu values", s.values);
        place_slot(&s, value_bytes, is_encoded, slot);
    }
    return ZT_OK;
}

struct zti_ll_slot *zti_ll_claim_slot(struct zti_ll *model)
{
    for (uint32_t i = 0;; i = (i + 1) % model->slots)
        if (!atomic_flag_test_and_set_explicit(&model->slot[i].is_claimed, memory_order_acquire))
            return &model->slot[i];
}

void zti_ll_release_slot(struct zti_ll_slot *slot)
{
    atomic_flag_clear_explicit(&slot->is_claimed, memory_order_release);
}

static struct zti_ll *new_model(zt_context *context, struct zti_coding *coding)
{
    struct zti_ll *const model = zti_alloc_zeroed(context, sizeof *model);
    coding->model = model;
    if (model)
        zti_ll_make_tables(&model->tables);
    else
        (void)zti_fail(context, ZT_NO_MEMORY, "no memory for the tables of a coder");
    return model;
}

void zti_ll_forget(zt_context *context, struct zti_coding *coding)
{
    if (coding->model)
        free_slots(context, coding->model);
    zti_release(context, coding->model);
    coding->model = NULL;
}

/* ---- before the first tile ---- */

/* Cut the array into tiles of a size; false where that does not suit it. */
static bool set_size(struct zti_coding *coding, uint32_t is_large)
{
    sz_in(coding)->tuning = (sz_of(coding)->tuning & ZTI_LL_IS_WIDE) | is_large;
    zti_ll_set_grid(coding);
    return zti_ll_has_grid(coding);
}

/* A tile's own array, in the host's memory. The caller closes it, also on failure. */
static zt_status open_tile(zt_context *context, const struct zti_coding *coding,
                           const struct zti_array *array, uint64_t number, struct zti_mirror *tile)
{
    const struct zti_walk at = zti_walk_from(&coding->grid, number);
    struct zti_array own = *array;
    own.data = zti_array_at(array, at.origin);
    for (uint32_t i = 0; i < array->rank; i++)
        own.shape[i] = extent_at(&coding->grid, i, at.origin[i]);
    return zti_mirror_open(context, &own, tile);
}

/* Whether pairs of values of one tile occur again in another, of the first tiles that would make up
 * a large one. */
static zt_status may_repeat_far(zt_context *context, const struct zti_coding *coding,
                                const struct zti_array *array, bool *may)
{
    enum { TILES = ZTI_LL_LARGE_VALUES / ZTI_LL_VALUES, A_PART = 32 };
    struct zti_ll *const model = coding->model;
    struct zti_ll_far far = {.rows = 0};
    zt_status status = ZT_OK;
    for (uint64_t i = 0; i < TILES && i < coding->grid.count && status == ZT_OK; i++) {
        struct zti_mirror tile;
        status = open_tile(context, coding, array, i, &tile);
        if (status == ZT_OK)
            ops_of(coding)->look_far(coding, &tile.array, model->slot, &far);
        zti_mirror_close(&tile);
    }
    *may = status == ZT_OK && far.far * A_PART > far.all;
    return status;
}

/* Whether rows of the first large tile repeat rows far away. */
static zt_status repeats_far(zt_context *context, const struct zti_coding *coding,
                             const struct zti_array *array, bool *repeats)
{
    struct zti_ll *const model = coding->model;
    struct zti_mirror tile;
    const zt_status status = open_tile(context, coding, array, 0, &tile);
    *repeats = status == ZT_OK && ops_of(coding)->repeats_far(coding, &tile.array, model->slot);
    zti_mirror_close(&tile);
    return status;
}

/* Turn to large tiles where rows of the first of them repeat rows far away. */
static zt_status choose_size(zt_context *context, struct zti_coding *coding,
                             const struct zti_array *array)
{
    if (coding->grid.count < 2)
        return ZT_OK;
    bool is_far = set_size(coding, ZTI_LL_IS_LARGE);
    (void)set_size(coding, 0);
    zt_status status = is_far ? make_slots(context, coding, 1, true) : ZT_OK;
    if (is_far && status == ZT_OK)
        status = may_repeat_far(context, coding, array, &is_far);
    is_far = is_far && status == ZT_OK && set_size(coding, ZTI_LL_IS_LARGE);
    if (!is_far)
        return status;
    status = make_slots(context, coding, 1, true);
    if (status == ZT_OK)
        status = repeats_far(context, coding, array, &is_far);
    if (status != ZT_OK || !is_far)
        (void)set_size(coding, 0);
    return status;
}

/* What some tiles, spread over all, come to: one in A_PART, at least one, where there are many. */
static zt_status learn_tiles(zt_context *context, struct zti_coding *coding,
                             const struct zti_array *array)
{
    enum { MANY = 4, MANY_LARGE = 2, MOST = 4, A_PART = 16 };
    struct zti_ll *const model = coding->model;
    struct zti_ll_known known = {.is_learnt = false};
    const uint64_t tiles = coding->grid.count, part = tiles / A_PART;
    const bool is_large = sz_of(coding)->tuning & ZTI_LL_IS_LARGE;
    const uint64_t some = part < 1 ? 1 : part < MOST ? part : MOST;
    zt_status status = ZT_OK;
    known.is_learnt = tiles >= (is_large ? MANY_LARGE : MANY);
    for (uint64_t i = 0; known.is_learnt && i < some && status == ZT_OK; i++) {
        struct zti_mirror tile;
        status = open_tile(context, coding, array, (2 * i + 1) * tiles / (2 * some), &tile);
        if (status == ZT_OK)
            ops_of(coding)->learn(coding, &tile.array, model->slot, &known);
        zti_mirror_close(&tile);
    }
    model->known = known;
    return status;
}

zt_status zti_ll_begin(zt_context *context, struct zti_coding *coding,
                       const struct zti_array *array)
{
    zt_status status = new_model(context, coding) ? ZT_OK : ZT_NO_MEMORY;
    if (status == ZT_OK)
        status = choose_size(context, coding, array);
    if (status == ZT_OK)
        status = make_slots(context, coding, zti_threads_wanted(context), true);
    if (status == ZT_OK)
        status = learn_tiles(context, coding, array);
    return status;
}

zt_status zti_ll_decode_head(zt_context *context, struct zti_coding *coding)
{
    if (!new_model(context, coding))
        return ZT_NO_MEMORY;
    return coding->run.is_by_kernels
               ? ZT_OK
               : make_slots(context, coding, zti_threads_wanted(context), false);
}

uint64_t zti_ll_model_bytes(void)
{
    return sizeof((struct zti_ll_tables *)NULL)->ten;
}

void zti_ll_store_powers(void *memory)
{
    ll_make_powers(memory);
}

void zti_ll_encode(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *w)
{
    ops_of(coding)->encode(coding, array, first, last, w);
}

void zti_ll_encode_by(struct zti_ll_kernels *kernels, const struct zti_coding *coding,
                      const uint64_t *origin, const uint32_t *extent)
{
    ops_of(coding)->encode_by(kernels, coding, origin, extent);
}

void zti_ll_decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                   uint64_t last, const struct zti_view *view)
{
    ops_of(coding)->decode(coding, r, first, last, view);
}
