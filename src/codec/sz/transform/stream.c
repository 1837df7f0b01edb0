/* stream.c: the transform coder: its tiles, its memory, and its instances. A tile is all of an
 * array, or about 2^23 values of a larger one: a wavelet gains from far neighbours. Nothing is in
 * the stream's head: a tile has its own models. */
#include "codec/sz/large_tile.h"
#include "codec/sz/transform/transform.h"
#include "core/cpu.h"
#include "core/threads.h"

static const struct zti_tf_ops *ops_of(const struct zti_coding *coding)
{
    const bool is_narrow = zti_tf_is_narrow(coding);
#if defined(ZTI_HAS_X86_INSTANCES)
    if (coding->run.isa == ZT_ISA_AVX512)
        return is_narrow ? &zti_tf_narrow_avx512 : &zti_tf_avx512;
    if (coding->run.isa == ZT_ISA_AVX2)
        return is_narrow ? &zti_tf_narrow_avx2 : &zti_tf_avx2;
#endif
    return is_narrow ? &zti_tf_narrow : &zti_tf_plain;
}

/* f32 has 24 bits: enough where the bound is at least 2^-17 of the values, and all are far from the
 * type's limits. */
void zti_tf_set_narrow(struct zti_coding *coding, double magnitude)
{
    const double bound = sz_of(coding)->bound;
    sz_in(coding)->tuning = bound >= magnitude * 0x1p-17 && bound >= 0x1p-100 && bound <= 0x1p100 &&
                            magnitude <= 0x1p100;
}

/* ---- tiles ---- */

bool zti_tf_can(const struct zti_coding *coding)
{
    return zti_is_float(coding->type) && sz_of(coding)->source == ZTI_SZ_LATTICE;
}

/* Halve the longest axis (of equal ones the slowest) until a tile is not too large. */
void zti_tf_set_grid(struct zti_coding *coding)
{
    const uint32_t rank = coding->grid.rank;
    const uint64_t *const shape = coding->grid.shape;
    uint64_t parts[ZT_MAX_RANK] = {1, 1, 1, 1};
    uint32_t side[ZT_MAX_RANK] = {1, 1, 1, 1};
    for (;;) {
        uint64_t values = 1;
        uint32_t longest = 0;
        bool is_large = false;
        for (uint32_t i = 0; i < rank; i++) {
            const uint64_t n = (shape[i] + parts[i] - 1) / parts[i];
            is_large = is_large || n > ZTI_TF_VALUES / values;
            values *= is_large ? 1 : n;
            side[i] = (uint32_t)n;
            if (n > (shape[longest] + parts[longest] - 1) / parts[longest])
                longest = i;
        }
        if (!is_large)
            break;
        parts[longest] *= 2;
    }
    coding->grid = zti_grid_of(rank, shape, side);
}

/* A tile's extents, the first ones 1 where it has fewer axes. */
static void extents_of(const struct zti_grid *grid, uint32_t *extent)
{
    for (uint32_t i = 0; i < ZTI_TF_AXES; i++)
        extent[i] = i + grid->rank < ZTI_TF_AXES ? 1 : grid->side[i + grid->rank - ZTI_TF_AXES];
}

/* ---- memory ---- */

/* The most values of lines that are lifted side by side, at any level. */
static size_t line_values(const uint32_t *extent)
{
    const uint32_t last = ZTI_TF_AXES - 1;
    size_t most = tf_lines_room(extent[last], 1);
    for (uint32_t i = 0; i < last; i++) {
        const size_t values = tf_lines_room(extent[i], extent[last]);
        most = values > most ? values : most;
    }
    return most;
}

/* Chunks of corrections of a tile. */
static size_t most_chunks(size_t values)
{
    return values / tf_chunk_values(0) + 1;
}

static size_t power(size_t base, uint32_t exponent)
{
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

/* The longest row of a block. axes: how many axes of its band have more than one value. */
static size_t longest_row(uint32_t axes)
{
    return tf_most_side(axes < 2 ? 1 : axes);
}

/* The memory of a thread, with room for what vectors store behind rows. Bands with fewer axes than
 * the tile have long rows, but few values; so the most is sought over all numbers of axes. A tile
 * of one row is lifted by the first thread. */
static void lay_out_worker(struct parts *p, const uint32_t *extent, size_t number_bytes,
                           bool is_encoded, bool is_first, struct zti_tf_worker *w)
{
    enum { MARGINS = ZTI_TF_BEFORE + ZTI_TF_BEHIND, PLANES = ZTI_TF_BEFORE + 1 };
    uint32_t most_axes = tf_block_axes(extent);
    size_t cells = 0, block = 0;
    most_axes = most_axes > 0 ? most_axes : 1;
    for (uint32_t axes = 1; axes <= most_axes; axes++) {
        const size_t side = longest_row(axes), row = side + MARGINS;
        const size_t own = axes == 1 ? row : PLANES * power(row, axes - 1);
        cells = own > cells ? own : cells;
        block = power(side, axes) > block ? power(side, axes) : block;
    }
    const bool is_row = tf_block_axes(extent) < 2;
    const size_t box_values = tf_lines_room(ZTI_TF_BOX_VALUES, 1);
    const size_t values = is_first || !is_row ? line_values(extent) : is_encoded ? box_values : 0;
    w->lines = part_of(p, values * number_bytes);
    const bool is_long = extent[ZTI_TF_AXES - 1] >= ZTI_TF_LEAST_LONG;
    w->piece = part_of(p, is_long ? tf_piece_room() * number_bytes : 0);
    w->cells =
        part_of(p, (ZTI_TF_DECODED_LANES * cells + ZTI_TF_BEFORE + MARGINS) * sizeof *w->cells);
    w->sums =
        part_of(p, (ZTI_TF_DECODED_LANES * longest_row(1) + ZTI_TF_SEGMENT) * sizeof *w->sums);
    for (uint32_t k = 0; k < ZTI_TF_DECODED_LANES; k++)
        w->symbol[k] = part_of(p, block + ZTI_TF_SEGMENT);
    if (!is_encoded)
        return;
    for (uint32_t k = 0; k < ZTI_TF_LANES; k++)
        w->context[k] = part_of(p, longest_row(1) + ZTI_TF_SEGMENT);
    w->counts = part_of(p, sizeof *w->counts);
    w->tally = part_of(p, sizeof *w->tally);
}

/* Lists of symbols; corrections overlie them later. */
static void lay_out_lists(struct parts *p, size_t n, struct zti_tf_slot *slot)
{
    enum { A_CORRECTION = 2 };                           /* symbols */
    const size_t symbols = n + n / ZTI_TF_LEAST_ROW + 1; /* a segment has 8 values, on average */
    const size_t steps = A_CORRECTION * (n / ZTI_TF_CORRECTED_PART) + 1;
    struct parts corrections = *p;
    slot->symbols = part_of(p, symbols);
    slot->contexts = part_of(p, symbols);
    slot->codes = part_of(p, zti_tf_codes_bytes(symbols, zti_tf_most_parts(n)));
    slot->corrections =
        part_of(&corrections, (n / ZTI_TF_CHUNK_CORRECTED_PART + 1) * sizeof *slot->corrections);
    slot->correction_symbols = part_of(&corrections, steps);
    slot->correction_contexts = part_of(&corrections, steps);
    slot->correction_codes = part_of(&corrections, zti_tf_codes_bytes(steps, most_chunks(n)));
    p->bytes = p->bytes > corrections.bytes ? p->bytes : corrections.bytes;
}

/* What tiles of n values or fewer take beside the memory of threads. */
static void lay_out_tile(struct parts *p, size_t n, size_t bands, size_t number_bytes,
                         bool is_encoded, struct zti_tf_slot *slot)
{
    const size_t model = zti_ans_model_bytes(ZTI_LL_ALPHABET), most_parts = zti_tf_most_parts(n);
    slot->values = part_of(p, n * number_bytes);
    slot->layout.band = part_of(p, bands * sizeof *slot->layout.band);
    slot->layout.item = part_of(p, most_parts * sizeof *slot->layout.item);
    slot->part = part_of(p, most_parts * sizeof *slot->part);
    slot->chunk = part_of(p, most_chunks(n) * sizeof *slot->chunk);
    for (uint32_t k = 0; k < ZTI_LL_MODELS; k++)
        slot->model[k].decode = part_of(p, model);
    for (uint32_t k = 0; k < ZTI_TF_CORRECTION_MODELS; k++)
        slot->correction_model[k].decode = part_of(p, model);
    if (!is_encoded)
        return;
    slot->kept = n <= ZTI_TF_FEW_VALUES ? part_of(p, n * number_bytes) : NULL;
    lay_out_lists(p, n, slot);
    slot->counts = part_of(p, sizeof *slot->counts);
    slot->table.entry = part_of(p, zti_ans_mixed_table_bytes(ZTI_LL_MODELS, ZTI_LL_MODELS));
}

/* Slots for boxes of a tile, one for each thread, which has its memory elsewhere. What follows
 * overlies them: boxes are coded before their tile. */
static void lay_out_boxes(struct parts *p, size_t bands, size_t number_bytes,
                          struct zti_tf_slot *slot)
{
    for (uint32_t k = 0; k < slot->workers; k++) {
        struct zti_tf_slot none = {.workers = 1};
        if (p->memory)
            slot->box[k] = none;
        lay_out_tile(p, ZTI_TF_BOX_VALUES, bands, number_bytes, true,
                     p->memory ? &slot->box[k] : &none);
    }
}

static void lay_out(struct parts *p, const uint32_t *extent, size_t number_bytes, bool is_encoded,
                    struct zti_tf_slot *slot)
{
    const size_t bands = zti_tf_most_bands(extent);
    zti_tf_set_extent(&slot->layout, extent);
    const size_t n = slot->layout.values;
    const bool has_boxes = is_encoded && slot->workers > 1 && n > ZTI_TF_FEW_VALUES;
    slot->worker = part_of(p, slot->workers * sizeof *slot->worker);
    for (uint32_t k = 0; k < slot->workers; k++) {
        struct zti_tf_worker none;
        lay_out_worker(p, extent, number_bytes, is_encoded, k == 0,
                       p->memory ? &slot->worker[k] : &none);
    }
    slot->box = part_of(p, has_boxes ? slot->workers * sizeof *slot->box : 0);
    struct parts boxes = *p;
    if (has_boxes)
        lay_out_boxes(&boxes, bands, number_bytes, slot);
    lay_out_tile(p, n, bands, number_bytes, is_encoded, slot);
    p->bytes = p->bytes > boxes.bytes ? p->bytes : boxes.bytes;
}

/* How many threads work on a tile with this number of values. */
static uint32_t workers_of(const zt_context *context, size_t values)
{
    enum { WORKER_VALUES = 1 << 16 };
    const uint32_t threads = zti_threads_wanted(context);
    const size_t most = values / WORKER_VALUES + 1;
    return most < threads ? (uint32_t)most : threads;
}

static zt_status make_slot(zt_context *context, const struct zti_coding *coding, bool is_encoded,
                           struct zti_tf_slot *slot)
{
    const size_t number_bytes = zti_tf_is_narrow(coding) ? sizeof(float) : sizeof(double);
    uint32_t extent[ZTI_TF_AXES];
    extents_of(&coding->grid, extent);
    struct parts p = {.memory = NULL, .bytes = 0};
    zti_tf_set_extent(&slot->layout, extent);
    slot->workers = workers_of(context, slot->layout.values);
    lay_out(&p, extent, number_bytes, is_encoded, slot);
    slot->memory = zti_alloc(context, p.bytes + 64);
    if (!slot->memory)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for tiles of %zu values",
                        slot->layout.values);
    p = parts_in(slot->memory);
    lay_out(&p, extent, number_bytes, is_encoded, slot);
    return ZT_OK;
}

zt_status zti_tf_begin(zt_context *context, struct zti_coding *coding, bool is_encoded)
{
    struct zti_tf *const model = zti_alloc_zeroed(context, sizeof *model);
    coding->model = model;
    if (!model)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for the tables of a coder");
    zti_ll_make_tables(&model->tables);
    return make_slot(context, coding, is_encoded, &model->slot);
}

void zti_tf_forget(zt_context *context, struct zti_coding *coding)
{
    struct zti_tf *const model = coding->model;
    if (model)
        zti_release(context, model->slot.memory);
    zti_release(context, model);
    coding->model = NULL;
}

/* ---- coding ---- */

void zti_tf_encode(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *w)
{
    ops_of(coding)->encode(coding, array, first, last, w);
}

void zti_tf_encode_by(struct zti_tf_kernels *kernels, const struct zti_coding *coding,
                      const uint64_t *origin, const uint32_t *extent)
{
    ops_of(coding)->encode_by(kernels, coding, origin, extent);
}

void zti_tf_decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                   uint64_t last, const struct zti_view *view)
{
    ops_of(coding)->decode(coding, r, first, last, view);
}
