/* levels.c: effort 'high' of the sz codec: interpolation from coarse to fine, from decoded values.
 * This file has the shapes of levels and bands, their memory, and the coarse grid.
 *
 * Values are quantized to integers, multiples of a unit; an odd number of units (the reach) is a
 * step. If the values at multiples of 2^l along the interpolated axes are decoded, those midway are
 * predicted: by cubic (or linear) interpolation of decoded values along each axis in which their
 * index is odd, and the mean of these predictions. Their residuals are multiples of the level's
 * step. All decoded integers are within half a reach of the original ones, and all arithmetic is on
 * integers: nothing is rounded to floating point in between.
 *
 * The points at multiples of the anchors' distance are the coarse grid. The stream's head has it,
 * coded once by the same levels of prediction down to the array's first point. A tile uses the
 * coarse grid within it and on the next plane after its end along each interpolated axis; the other
 * points of that plane are set to their predictions.
 *
 * The points of a level that are odd along the same axes are a band, and contiguous in memory.
 * Residuals are coded with ANS models; the context is the level and the magnitudes of neighbouring
 * residuals: those of the points on both sides, and those of the rows before in the band.
 *
 * docs/format/sz.md describes the stream. */
#include "codec/sz/interp/interp.h"
#include "core/cpu.h"
#include "core/threads.h"
#include "core/wire.h"

/* ---- shapes ---- */

uint32_t zti_sz_high_axes(const struct zti_coding *coding)
{
    return sz_of(coding)->axes << (ZT_MAX_RANK - coding->grid.rank);
}

/* Place the bands of one level from 'at' on; returns their end. */
static size_t lay_out(struct zti_sz_level *level, uint32_t axes, uint32_t has_next, size_t at)
{
    for (uint32_t odd = 0; (odd = zti_sz_high_next_band(axes, odd)) != 0;) {
        struct zti_sz_band *const band = &level->band[level->bands];
        size_t points = 1;
        band->odd = odd;
        band->at = at;
        for (uint32_t i = 0; i < 4; i++) {
            const bool is_odd = odd >> i & 1;
            band->dim[i] = zti_sz_high_along(level->dim[i], is_odd, axes >> i & 1);
            band->own[i] = zti_sz_high_own_along(band->dim[i], is_odd, has_next >> i & 1);
            points *= band->dim[i];
        }
        if (points == 0)
            continue;
        level->band_of[odd] = (uint8_t)level->bands++;
        at += points;
    }
    return at;
}

size_t zti_sz_high_shape(const struct zti_coding *coding, uint32_t axes, const uint32_t *dim,
                         const uint32_t *own, uint32_t first, uint32_t levels,
                         struct zti_sz_pyramid *p)
{
    uint32_t has_next = 0;
    size_t at = 0, points = 1;
    for (uint32_t i = 0; i < 4; i++) {
        has_next |= (uint32_t)(own[i] < dim[i]) << i;
        points *= dim[i];
    }
    p->axes = axes;
    p->levels = levels;
    p->is_linear = sz_of(coding)->tuning & ZTI_SZ_HIGH_LINEAR;
    p->integer_bytes = zti_sz_high_integer_bytes(coding);
    for (uint32_t l = 0; l <= levels; l++) {
        struct zti_sz_level *const level = &p->level[l];
        level->bands = 0;
        level->step = zti_sz_high_step(sz_of(coding), first + l);
        level->depth = zti_sz_high_depth(first + l);
        for (uint32_t i = 0; i < 4; i++)
            level->dim[i] = (uint32_t)ZTI_SZ_HIGH_POINTS((uint64_t)dim[i], axes >> i & 1, l);
        if (l < levels)
            at = lay_out(level, axes, has_next, at);
    }
    return points;
}

/* The levels of a box without a next tile's points, until no interpolated axis has two points. */
uint32_t zti_sz_high_all_levels(uint32_t axes, const uint32_t *dim)
{
    uint32_t levels = 0;
    for (uint32_t i = 0; i < 4; i++)
        while (axes >> i & 1 && (UINT64_C(1) << levels) < dim[i])
            levels++;
    return levels;
}

/* The points of the coarse grid along each axis; 0 if they are too many. */
static uint64_t coarse_dim(const struct zti_coding *coding, uint32_t *dim)
{
    const uint32_t rank = coding->grid.rank, bits = zti_sz_high_distance(sz_of(coding)->axes);
    uint64_t points = 1, values = 1;
    for (uint32_t i = 0; i < 4; i++) {
        const uint64_t extent = i < 4 - rank ? 1 : coding->grid.shape[i - (4 - rank)];
        const bool is_interpolated = zti_sz_high_axes(coding) >> i & 1;
        const uint64_t along = ZTI_SZ_HIGH_POINTS(extent, is_interpolated, bits);
        dim[i] = (uint32_t)along;
        values *= extent;
        if (along > UINT32_MAX || !zti_mul(points, along, &points))
            return 0;
    }
    return points <= zti_sz_high_coarse_most(values) ? points : 0;
}

uint64_t zti_sz_high_coarse_most(uint64_t values)
{
    const uint64_t most = values / 32 + 256;
    return most < UINT32_MAX ? most : UINT32_MAX;
}

bool zti_sz_high_can(const struct zti_coding *coding)
{
    uint32_t dim[4];
    return sz_of(coding)->axes != 0 && coarse_dim(coding, dim) > 0;
}

/* ---- memory ---- */

void zti_sz_pyramid_free(zt_context *context, struct zti_sz_pyramid *p)
{
    zti_release(context, p->memory);
    memset(p, 0, sizeof *p);
}

/* Allocate arrays for the bands and for two levels' points, with points[i] integers in array i, and
 * for 'coded' symbols. Rows are processed in blocks and from the point before them, so
 * some bytes around the arrays are read. */
static zt_status alloc_arrays(zt_context *context, const size_t *points, size_t coded,
                              uint32_t integer_bytes, struct zti_sz_pyramid *p)
{
    enum { BEFORE = 64 };
    size_t padded[4], bytes = 0;
    p->integer_bytes = integer_bytes;
    for (uint32_t i = 0; i < 4; i++) {
        padded[i] = (((i < 3 ? points[i] : coded) + 127) & ~(size_t)63) + BEFORE;
        bytes += padded[i] * (i < 3 ? integer_bytes + 1 : 2);
    }
    p->memory = zti_alloc(context, bytes);
    if (!p->memory)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for %zu bytes of points", bytes);
    uint8_t *at = p->memory + BEFORE * (size_t)integer_bytes;
    p->bands = at;
    p->grid[0] = at += padded[0] * integer_bytes;
    p->grid[1] = at += padded[1] * integer_bytes;
    p->band_magnitudes = at + (padded[2] - BEFORE) * integer_bytes + BEFORE;
    p->grid_magnitudes[0] = p->band_magnitudes + padded[0];
    p->grid_magnitudes[1] = p->grid_magnitudes[0] + padded[1];
    p->symbols = p->grid_magnitudes[1] + padded[2];
    p->contexts = p->symbols + padded[3];
    return ZT_OK;
}

/* Allocate a pyramid for boxes of up to 'points' points. */
static zt_status alloc_pyramid(zt_context *context, size_t points, uint32_t integer_bytes,
                               struct zti_sz_pyramid *p)
{
    const size_t each[3] = {points, points, points};
    return alloc_arrays(context, each, points, integer_bytes, p);
}

size_t zti_sz_high_points(const struct zti_coding *coding)
{
    size_t points = 1;
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        points *= coding->grid.side[i] + (size_t)zti_sz_high_has_more(coding->grid.side[i],
                                                                      coding->grid.shape[i],
                                                                      sz_of(coding)->axes >> i & 1);
    return points;
}

/* Make a slot for each thread that has work, for tiles of the coding's grid and samples. */
zt_status zti_sz_high_slots(zt_context *context, const struct zti_coding *coding, size_t points)
{
    struct zti_sz_high *const high = coding->model;
    const uint64_t threads = zti_threads_wanted(context);
    const uint32_t wanted = (uint32_t)(threads < coding->grid.count ? threads : coding->grid.count);
    const size_t tile = zti_sz_high_points(coding);
    const uint32_t integer_bytes = zti_sz_high_integer_bytes(coding);
    zti_sz_high_free_slots(context, high);
    points = points > tile ? points : tile;
    high->slot = zti_alloc_zeroed(context, wanted * sizeof *high->slot);
    if (!high->slot)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for %u threads", wanted);
    high->slots = wanted;
    for (uint32_t i = 0; i < wanted; i++) {
        struct zti_sz_slot *const slot = &high->slot[i];
        atomic_flag_clear(&slot->is_claimed);
        const zt_status status = alloc_pyramid(context, points, integer_bytes, &slot->pyramid);
        if (status != ZT_OK)
            return status;
        slot->most_extra_bytes = integer_bytes * points;
        slot->bytes = zti_alloc(context, slot->most_extra_bytes + 3 * points + 512);
        slot->is_exact = zti_alloc(context, points / 8 + 64);
        if (!slot->bytes || !slot->is_exact)
            return zti_fail(context, ZT_NO_MEMORY, "no memory for the bits of %zu points", points);
    }
    return ZT_OK;
}

void zti_sz_high_free_slots(zt_context *context, struct zti_sz_high *high)
{
    for (uint32_t i = 0; i < high->slots; i++) {
        zti_sz_pyramid_free(context, &high->slot[i].pyramid);
        zti_release(context, high->slot[i].bytes);
        zti_release(context, high->slot[i].is_exact);
    }
    zti_release(context, high->slot);
    high->slot = NULL;
    high->slots = 0;
}

/* There are as many slots as the policy had threads, so a wait is short and rare. */
struct zti_sz_slot *zti_sz_high_claim_slot(struct zti_sz_high *high)
{
    for (uint32_t i = 0;; i = (i + 1) % high->slots)
        if (!atomic_flag_test_and_set_explicit(&high->slot[i].is_claimed, memory_order_acquire))
            return &high->slot[i];
}

void zti_sz_high_release_slot(struct zti_sz_slot *slot)
{
    atomic_flag_clear_explicit(&slot->is_claimed, memory_order_release);
}

const struct zti_sz_high_ops *zti_sz_high_ops_of(const struct zti_coding *coding)
{
    if (zti_sz_high_is_wide(coding))
        return &zti_sz_high_wide;
#if defined(ZTI_HAS_X86_INSTANCES)
    if (coding->run.isa == ZT_ISA_AVX512)
        return &zti_sz_high_avx512;
    if (coding->run.isa == ZT_ISA_AVX2)
        return &zti_sz_high_avx2;
#endif
    return &zti_sz_high_plain;
}

/* ---- the coarse grid ---- */

static size_t shape_coarse(zt_context *context, const struct zti_coding *coding)
{
    struct zti_sz_high *const high = coding->model;
    const uint32_t axes = zti_sz_high_axes(coding),
                   bits = zti_sz_high_distance(sz_of(coding)->axes);
    uint32_t dim[4];
    zti_sz_pyramid_free(context, &high->coarse);
    const uint64_t points = coarse_dim(coding, dim);
    high->coarse.has_anchors = true;
    (void)zti_sz_high_shape(coding, axes, dim, dim, bits + 1, zti_sz_high_all_levels(axes, dim),
                            &high->coarse);
    return (size_t)points;
}

zt_status zti_sz_high_coarse_shape(zt_context *context, const struct zti_coding *coding)
{
    struct zti_sz_high *const high = coding->model;
    return alloc_pyramid(context, shape_coarse(context, coding), zti_sz_high_integer_bytes(coding),
                         &high->coarse);
}

/* Whether the models make every residual of the coarse grid 0: only symbol 0 has a frequency in
 * contexts of zeros. Then all its integers are 0 too. */
static bool is_silent(const struct zti_sz_high *high)
{
    const struct zti_ans_model *const anchors = high->of[ZTI_SZ_HIGH_ANCHOR];
    bool is_zero = anchors->used == 1 && anchors->only == 0;
    for (uint32_t l = 0; l < high->coarse.levels; l++) {
        const struct zti_ans_model *const model =
            high->of[zti_sz_high_first_context(high->coarse.level[l].depth)];
        is_zero = is_zero && model->used == 1 && model->only == 0;
    }
    return is_zero;
}

static size_t points_of(const struct zti_sz_pyramid *p, uint32_t l)
{
    const uint32_t *const dim = p->level[l].dim;
    return l <= p->levels ? (size_t)dim[0] * dim[1] * dim[2] * dim[3] : 0;
}

/* Allocate memory to decode the coarse grid: all bands, and the points of two levels at a time. */
static zt_status alloc_to_decode(zt_context *context, uint32_t integer_bytes,
                                 struct zti_sz_pyramid *p)
{
    const size_t even = points_of(p, p->levels > 0 ? 2 : 0), odd = points_of(p, 1);
    const size_t points[3] = {points_of(p, 0) - points_of(p, p->levels), even, odd};
    return alloc_arrays(context, points, 0, integer_bytes, p);
}

zt_status zti_sz_high_coarse_decode(zt_context *context, const struct zti_coding *coding,
                                    struct zti_ans_mixed *codes, struct zti_bit_reader *extras)
{
    struct zti_sz_high *const high = coding->model;
    struct zti_sz_pyramid *const p = &high->coarse;
    bool is_good = true;
    (void)shape_coarse(context, coding);
    if (!is_silent(high)) {
        const zt_status status = alloc_to_decode(context, zti_sz_high_integer_bytes(coding), p);
        if (status != ZT_OK)
            return status;
        is_good = zti_sz_high_ops_of(coding)->decode(p, high->of, codes, extras);
    }
    if (!is_good || !zti_ans_mixed_ends(codes))
        return zti_fail(context, ZT_CORRUPT, "the head of a stream is damaged");
    return ZT_OK;
}

/* Integers and magnitudes of a row. */
struct row {
    const uint8_t *integers;
    const uint8_t *magnitudes;
};

/* The row of a place whose points are odd along some axes: a row of a band, or of the points that
 * are even along all axes. */
static struct row row_of(const struct zti_sz_pyramid *p, const uint32_t *place, uint32_t odd)
{
    /* the level of even points; without levels, the grid itself */
    const uint32_t other = p->levels > 0 ? 1 : 0;
    const struct zti_sz_band *const band = &p->level[0].band[p->level[0].band_of[odd]];
    const uint32_t *const dim = odd ? band->dim : p->level[other].dim;
    uint32_t at[3];
    for (uint32_t i = 0; i < 3; i++)
        at[i] = other && p->axes >> i & 1 ? place[i] / 2 : place[i];
    const size_t first = (((size_t)at[0] * dim[1] + at[1]) * dim[2] + at[2]) * dim[3];
    const size_t number = odd ? band->at + first : first;
    const uint8_t *const integers = odd ? p->bands : p->grid[other];
    return (struct row){integers + number * p->integer_bytes,
                        (odd ? p->band_magnitudes : p->grid_magnitudes[other]) + number};
}

void zti_sz_high_coarse_box(const struct zti_sz_high *high, const uint32_t *from,
                            const uint32_t *dim, void *integers, uint8_t *magnitudes)
{
    const struct zti_sz_pyramid *const p = &high->coarse;
    const size_t bytes = p->integer_bytes;
    uint8_t *to = integers;
    const bool is_split = p->levels > 0 && p->axes & 8;
    uint32_t at[4] = {0};
    if (!p->memory) {
        const size_t points = (size_t)dim[0] * dim[1] * dim[2] * dim[3];
        memset(to, 0, points * bytes);
        memset(magnitudes, 0, points);
        return;
    }
    do {
        uint32_t place[3], odd = 0;
        for (uint32_t i = 0; i < 3; i++) {
            place[i] = from[i] + at[i];
            odd |= p->levels > 0 && p->axes >> i & 1 ? (place[i] & 1) << i : 0;
        }
        struct row row[2] = {row_of(p, place, odd)};
        if (is_split && p->level[0].dim[3] > 1)
            row[1] = row_of(p, place, odd | 8);
        for (uint32_t k = 0; k < dim[3]; k++) {
            const uint32_t place_3 = from[3] + k, part = is_split ? place_3 & 1 : 0;
            const uint32_t at_3 = is_split ? place_3 / 2 : place_3;
            if (bytes == 8)
                memcpy(to + 8 * (size_t)k, row[part].integers + 8 * (size_t)at_3, 8);
            else
                memcpy(to + 4 * (size_t)k, row[part].integers + 4 * (size_t)at_3, 4);
            magnitudes[k] = row[part].magnitudes[at_3];
        }
        to += dim[3] * bytes;
        magnitudes += dim[3];
    } while (zti_sz_high_next_row(dim, at));
}

/* Quantize a box of an array from 'origin', every 2^bits-th value along interpolated axes, row by
 * row. */
bool zti_sz_high_gather(const struct zti_coding *coding, const struct zti_array *array,
                        const uint64_t *origin, const uint32_t *dim, uint32_t bits,
                        struct zti_sz_pyramid *p)
{
    const struct zti_sz_high_ops *const ops = zti_sz_high_ops_of(coding);
    const uint32_t rank = coding->grid.rank, skip = 4 - rank, axes = zti_sz_high_axes(coding);
    const size_t value_bytes = zt_type_bytes(coding->type);
    const uint32_t apart = axes >> 3 & 1 ? bits : 0;
    const int64_t stride = array->stride[rank - 1] * ((int64_t)1 << apart);
    const char *const first = zti_array_at(array, origin);
    int64_t step[4] = {0};
    uint64_t row[ZTI_SZ_HIGH_SEGMENT];
    uint32_t at[4] = {0}, ahead[4] = {0};
    int64_t before = 0, x[ZTI_SZ_HIGH_SEGMENT]; /* or integers of 32 bits */
    bool is_far = false;
    for (uint32_t i = skip; i < 3; i++)
        step[i] = array->stride[i - skip] * (int64_t)(value_bytes << (axes >> i & 1 ? bits : 0));
    const struct zti_sz_high_rows rows =
        zti_sz_high_rows_of(dim, stride == 1 && step[2] == (int64_t)(dim[3] * value_bytes));
    bool is_ahead = stride == 1 && rows.length * value_bytes <= ZTI_SZ_HIGH_ASKED;
    for (uint32_t k = zti_sz_high_ahead(rows.length * value_bytes); k > 0 && is_ahead; k--)
        is_ahead = zti_sz_high_next_row(rows.dim, ahead);
    for (bool is_more = true; is_more; is_more = zti_sz_high_next_row(rows.dim, at)) {
        const char *from = first + at[0] * step[0] + at[1] * step[1] + at[2] * step[2];
        if (is_ahead) {
            zti_sz_high_prefetch(first + ahead[0] * step[0] + ahead[1] * step[1] +
                                     ahead[2] * step[2],
                                 rows.length * value_bytes);
            is_ahead = zti_sz_high_next_row(rows.dim, ahead);
        }
        for (uint32_t k = 0; k < rows.length; k += rows.piece) {
            const uint32_t left = rows.length - k;
            const uint32_t n = left < rows.piece ? left : rows.piece;
            const void *values = from;
            if (stride != 1) {
                zti_sz_gather_row(row, from, stride, n, value_bytes);
                values = row;
            }
            before = ops->integers(coding, values, n, before, x, &is_far);
            ops->split_row(p, at, k, n, x);
            from += stride * (int64_t)(n * value_bytes);
        }
    }
    ops->split(p);
    return !is_far;
}

/* ---- for kernels ---- */

uint64_t zti_sz_high_model_bytes(const struct zti_coding *coding)
{
    uint32_t dim[4];
    const uint64_t points = coarse_dim(coding, dim);
    return zti_round_up(ZTI_SZ_HIGH_COARSE_AT + points * (sizeof(int32_t) + 1), 8);
}

uint32_t zti_sz_high_models(const struct zti_coding *coding)
{
    const struct zti_sz_high *const high = coding->model;
    return high->models;
}

double zti_sz_high_farthest(const struct zti_coding *coding)
{
    const struct zti_sz_high *const high = coding->model;
    return high->is_sure ? high->farthest : 0;
}

void zti_sz_high_store_model(const struct zti_coding *coding, void *memory)
{
    const struct zti_sz_high *const high = coding->model;
    uint8_t *const to = memory;
    static const uint32_t from[4] = {0};
    uint32_t dim[4];
    const size_t points = (size_t)coarse_dim(coding, dim);
    memcpy(to, high->model_of, sizeof high->model_of);
    for (size_t i = 0; i < high->models; i++) {
        const struct zti_ans_model *const model = &high->model[i];
        memcpy(to + ZTI_SZ_HIGH_TABLES_AT + 4 * i * ZTI_SZ_HIGH_STATES, model->decode,
               4 * (size_t)ZTI_SZ_HIGH_STATES);
        memcpy(to + ZTI_SZ_HIGH_STEPS_AT + 8 * i * ZTI_SZ_HIGH_ALPHABET, model->steps,
               8 * (size_t)ZTI_SZ_HIGH_ALPHABET);
        memcpy(to + ZTI_SZ_HIGH_NEXT_AT + 2 * i * ZTI_SZ_HIGH_STATES, model->next,
               2 * (size_t)ZTI_SZ_HIGH_STATES);
    }
    memset(to + ZTI_SZ_HIGH_HAS_AT, 1, ZTI_SZ_HIGH_CONTEXTS * ZTI_SZ_HIGH_ALPHABET);
    if (high->has)
        memcpy(to + ZTI_SZ_HIGH_HAS_AT, high->has, ZTI_SZ_HIGH_CONTEXTS * ZTI_SZ_HIGH_ALPHABET);
    zti_sz_high_coarse_box(high, from, dim, (int32_t *)(void *)(to + ZTI_SZ_HIGH_COARSE_AT),
                           to + ZTI_SZ_HIGH_COARSE_AT + points * sizeof(int32_t));
}
