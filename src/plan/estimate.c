/* estimate.c: estimate the bits that a plan takes, from a few values of an array.
 *
 * Codecs with tiles of 4^rank values code bricks: boxes of the array that hold a whole tile under
 * every plan. So all plans code the same values. Other codecs have tiles of thousands of values,
 * which depend on the coded shape. A batch is then the tile that holds a given place of the array:
 * the same place under every plan, and the same tile if only the order of axes differs. Codecs that
 * choose axes of prediction are estimated in ways.c. */
#include "plan/estimate.h"

#include "core/cpu.h"
#include "core/map.h"
#include "exec/exec.h"
#include "plan/sample.h"
#include "plan/trial.h"
#include "quality/quality.h"

#include <math.h>
#include <stdlib.h>

enum { BRICK_VALUES = 64 };

/* ---- values ---- */

/* Where the elements of a box of the coded array lie, as a sum of one number for each coded
 * axis, counted in elements from the array's first: offset[sum of the sides before + i] is that
 * of element i of a side. */
static void find_offsets(const struct zti_plan *plan, const struct zti_array *array,
                         const uint64_t *origin, const uint64_t *side, int64_t *offset)
{
    uint32_t rank = 0;
    for (uint32_t from = 0, to; from < plan->rank; from = to, rank++) {
        uint64_t digit[ZT_MAX_RANK] = {0}, left = origin[rank];
        to = zti_plan_axis_end(plan, from);
        for (uint32_t k = to; k-- > from; left /= array->shape[plan->axis[k]])
            digit[k] = left % array->shape[plan->axis[k]];
        for (uint64_t i = 0; i < side[rank]; i++) {
            int64_t at = 0;
            for (uint32_t k = from; k < to; k++)
                at += (int64_t)digit[k] * array->stride[plan->axis[k]];
            *offset++ = at;
            for (uint32_t k = to; k-- > from;) {
                if (++digit[k] < array->shape[plan->axis[k]])
                    break;
                digit[k] = 0;
            }
        }
    }
}

/* Whether n elements are consecutive in memory. */
static bool is_contiguous(const int64_t *offset, uint64_t n)
{
    uint64_t i = 1;
    while (i < n && offset[i] == offset[i - 1] + 1)
        i++;
    return i == n;
}

static void copy_row(const char *from, const int64_t *offset, uint64_t n, size_t value_bytes,
                     uint8_t *to)
{
    for (uint64_t i = 0; i < n && value_bytes == 4; i++)
        memcpy(to + 4 * i, from + 4 * offset[i], 4);
    for (uint64_t i = 0; i < n && value_bytes == 8; i++)
        memcpy(to + 8 * i, from + 8 * offset[i], 8);
}

/* Replace special values by the value before, which is roughly what is coded in their place. */
static void replace_special(const struct zti_estimator *e, uint8_t *values, uint64_t n)
{
    const size_t value_bytes = zt_type_bytes(e->array->type);
    const zt_params *params = e->target->params;
    uint64_t last = 0;
    if (e->target->special_values == 0)
        return;
    for (uint64_t i = 0; i < n; i++, values += value_bytes) {
        const uint64_t bits = zti_bits_at(values, 0, value_bytes);
        if (zti_is_special(e->array->type, bits, params->fills, params->fill))
            zti_set_bits_at(values, last, value_bytes);
        else
            last = bits;
    }
}

uint8_t *zti_estimate_gather(struct zti_estimator *e, const struct zti_plan *plan,
                             const struct zti_array *array, uint32_t rank, const uint64_t *origin,
                             const uint64_t *side, uint8_t *to)
{
    const size_t value_bytes = zt_type_bytes(array->type);
    const int64_t *table[ZT_MAX_RANK];
    uint64_t at[ZT_MAX_RANK] = {0};
    uint8_t *const first = to;
    find_offsets(plan, array, origin, side, e->offset);
    table[0] = e->offset;
    for (uint32_t i = 1; i < rank; i++)
        table[i] = table[i - 1] + side[i - 1];
    const int64_t *const last = table[rank - 1];
    const bool is_row = is_contiguous(last, side[rank - 1]);
    for (uint32_t axis = 1; axis > 0;) {
        int64_t sum = 0;
        for (uint32_t i = 0; i + 1 < rank; i++)
            sum += table[i][at[i]];
        const char *const from = (const char *)array->data + sum * (int64_t)value_bytes;
        if (is_row)
            memcpy(to, from + last[0] * (int64_t)value_bytes, side[rank - 1] * value_bytes);
        else
            copy_row(from, last, side[rank - 1], value_bytes, to);
        to += side[rank - 1] * value_bytes;
        for (axis = rank; axis-- > 1;) {
            if (++at[axis - 1] < side[axis - 1])
                break;
            at[axis - 1] = 0;
        }
        axis = axis == UINT32_MAX ? 0 : axis;
    }
    replace_special(e, first, zti_array_values(rank, side));
    return to;
}

/* The origin of the tile of the coded array, which has shape 'coded', that holds a place of the
 * array. A tile that the array's end would cut is moved inside. */
static void find_whole_tile(const struct zti_plan *plan, const uint64_t *shape,
                            const uint64_t *place, const uint64_t *coded, const uint64_t *side,
                            uint64_t *origin)
{
    const uint32_t rank = zti_plan_place(plan, shape, place, origin);
    for (uint32_t i = 0; i < rank; i++) {
        origin[i] -= origin[i] % side[i];
        if (origin[i] + side[i] > coded[i])
            origin[i] = coded[i] - side[i];
    }
}

/* ---- codings ---- */

zt_status zti_estimate_configure(const struct zti_estimator *e, const struct zti_found *found,
                                 uint32_t rank, const uint64_t *shape, struct zti_coding *coding)
{
    struct zti_target target = *e->target;
    if (found)
        target.found = *found;
    *coding = zti_coding_of(e->codec, e->array->type, rank, shape);
    const zt_status status = e->codec->configure(e->context, &target, coding);
    coding->run.isa = zti_isa_of(e->context);
    coding->verify_bound = (double)NAN;
    return status;
}

zt_status zti_estimate_room(struct zti_estimator *e, uint64_t bits)
{
    return zti_buffer_reserve(e->context, &e->stream, bits / 8 + 2 * ZTI_BIT_MARGIN_BYTES, 0);
}

/* Encode all tiles of an array, without the passes over all values, and add up their bits. */
static zt_status encode_tiles(struct zti_estimator *e, const struct zti_coding *coding,
                              const struct zti_array *array, uint64_t *bits)
{
    const struct zti_codec *codec = e->codec;
    const zt_status status =
        zti_estimate_room(e, coding->grid.count * (codec->sizes(coding).tile_max_bits + 64));
    if (status)
        return status;
    struct zti_bit_writer w = zti_bit_writer_at(e->stream.bytes);
    (void)codec->encode(coding, array, 0, coding->grid.count, &w);
    *bits += zti_bits_written(&w);
    return ZT_OK;
}

/* Tiles at the end of an axis are padded to whole tiles. The factor by which the array has more
 * padding than its bricks. */
static double padding_factor(const struct zti_estimator *e, const struct zti_plan *plan,
                             const uint64_t *brick)
{
    uint64_t coded[ZT_MAX_RANK];
    const uint32_t rank = zti_plan_shape(plan, e->array->shape, coded);
    double factor = 1;
    for (uint32_t i = 0; i < rank; i++) {
        factor *= (double)zti_round_up(coded[i], 4) / (double)coded[i];
        factor *= (double)brick[i] / (double)zti_round_up(brick[i], 4);
    }
    return factor;
}

struct place {
    const uint8_t *at; /* in the array */
    uint64_t number;   /* of the brick, among those that are copied together */
};

static int by_address(const void *a, const void *b)
{
    const uint8_t *const x = ((const struct place *)a)->at;
    const uint8_t *const y = ((const struct place *)b)->at;
    return (x > y) - (x < y);
}

/* Boxes [first, first + n) in the order of memory, so that each page of a mapped file is loaded
 * once; NULL: no memory. */
static struct place *order_places(struct zti_estimator *e, const uint64_t *box, uint64_t first,
                                  uint64_t n)
{
    struct place *const places = zti_alloc(e->context, (size_t)n * sizeof *places);
    for (uint64_t i = 0; i < n && places; i++) {
        uint64_t at[ZT_MAX_RANK];
        zti_sample_place(e->array, box, (uint32_t)(first + i), at);
        places[i] = (struct place){.at = zti_array_at(e->array, at), .number = i};
    }
    if (places)
        qsort(places, (size_t)n, sizeof *places, by_address);
    return places;
}

/* The caller may give pages back now and then, when it is told the stage before box i. */
static void tell_stage(const struct zti_estimator *e, uint64_t i, uint64_t box_values)
{
    enum { TOLD_VALUES = 1024 };
    if (box_values >= TOLD_VALUES || i % (TOLD_VALUES / box_values) == 0)
        zti_stage(e->context, ZT_STAGE_SAMPLES);
}

/* Bricks in the order of memory, which threads copy. */
struct copying {
    const struct zti_estimator *e;
    const struct place *places;
    uint64_t n;
    uint8_t *to;
};

enum { COPIED_TOGETHER = 16 };

static bool copy_some_bricks(void *shared, uint32_t worker, uint64_t number)
{
    const struct copying *const c = shared;
    const struct zti_array *const array = c->e->array;
    const uint64_t brick_bytes = c->e->brick_values * zt_type_bytes(array->type);
    const uint64_t first = number * COPIED_TOGETHER, left = c->n - first;
    const uint64_t end = first + (left < COPIED_TOGETHER ? left : COPIED_TOGETHER);
    for (uint64_t i = first; i < end; i++) {
        const struct place *const place = &c->places[i];
        struct zti_array brick = *array;
        if (worker == 0) /* the calling thread */
            tell_stage(c->e, i, c->e->brick_values);
        brick.data = (uint8_t *)brick.data + (place->at - (const uint8_t *)brick.data);
        memcpy(brick.shape, c->e->brick, sizeof brick.shape);
        zti_array_copy(&brick, c->to + place->number * brick_bytes);
    }
    return true;
}

static zt_status copy_bricks(struct zti_estimator *e, uint64_t first, uint64_t n, uint8_t *to)
{
    struct place *const places = order_places(e, e->brick, first, n);
    struct copying c = {e, places, n, to};
    if (!places)
        return zti_fail(e->context, ZT_NO_MEMORY, "no memory for a sample of an array");
    zti_map(e->context, (n + COPIED_TOGETHER - 1) / COPIED_TOGETHER, copy_some_bricks, &c);
    zti_release(e->context, places);
    return ZT_OK;
}

/* Make sure that a batch's bricks are in e->batches; some later batches are copied with them. All
 * plans are compared by the same bricks. */
static zt_status load_batch(struct zti_estimator *e, uint32_t batch)
{
    enum { BATCHES = 8 };
    const uint64_t batch_bytes = e->bricks * e->brick_values * zt_type_bytes(e->array->type);
    const uint64_t used = e->copied * batch_bytes;
    if (batch < e->copied)
        return ZT_OK;
    const uint32_t all = 2 * batch > BATCHES ? 2 * batch : BATCHES;
    zt_status status = zti_buffer_reserve(e->context, &e->batches, all * batch_bytes, (size_t)used);
    if (!status)
        status = copy_bricks(e, (uint64_t)e->copied * e->bricks,
                             (uint64_t)(all - e->copied) * e->bricks, e->batches.bytes + used);
    if (!status)
        e->copied = all;
    return status;
}

/* The bricks of a batch are stacked along the slowest axis and coded as one array, unless a tile
 * would lie in two bricks. */
static zt_status estimate_bricks(struct zti_estimator *e, const struct zti_plan *plan,
                                 uint32_t batch, double *rate)
{
    static const uint64_t zero[ZT_MAX_RANK] = {0};
    uint64_t side[ZT_MAX_RANK], shape[ZT_MAX_RANK], bits = 0;
    const uint32_t rank = zti_plan_shape(plan, e->brick, side);
    const uint32_t type = e->array->type;
    const uint64_t brick_bytes = e->brick_values * zt_type_bytes(type);
    const bool is_stack = side[0] % 4 == 0 || rank == 1;
    const uint32_t together = is_stack ? e->bricks : 1;
    struct zti_coding coding;
    memcpy(shape, side, sizeof shape);
    shape[0] *= together;
    zt_status status = zti_estimate_configure(e, NULL, rank, shape, &coding);
    const struct zti_array array = zti_array_packed(e->values, type, rank, shape);
    uint8_t *to = e->values;
    if (!status)
        status = load_batch(e, batch);
    for (uint32_t i = 0; i < e->bricks && !status; i++) {
        uint8_t *const values = e->batches.bytes + ((uint64_t)batch * e->bricks + i) * brick_bytes;
        const struct zti_array brick = zti_array_packed(values, type, e->array->rank, e->brick);
        to = zti_estimate_gather(e, plan, &brick, rank, zero, side, to);
        if (is_stack && i + 1 < e->bricks)
            continue;
        status = encode_tiles(e, &coding, &array, &bits);
        to = e->values;
    }
    e->spent += e->bricks * e->brick_values;
    *rate = (double)bits / (double)(e->bricks * e->brick_values) * padding_factor(e, plan, side);
    return status;
}

/* The sides of the tiles of a coded array. */
static zt_status find_sides(const struct zti_estimator *e, const struct zti_plan *plan,
                            uint64_t *coded, uint64_t *side, struct zti_coding *coding)
{
    const uint32_t rank = zti_plan_shape(plan, e->array->shape, coded);
    const zt_status status = zti_estimate_configure(e, NULL, rank, coded, coding);
    for (uint32_t i = 0; i < rank && !status; i++)
        side[i] = coding->grid.side[i] < coded[i] ? coding->grid.side[i] : coded[i];
    return status;
}

static zt_status estimate_tile(struct zti_estimator *e, const struct zti_plan *plan, uint32_t batch,
                               double *rate)
{
    static const uint64_t one[ZT_MAX_RANK] = {1, 1, 1, 1};
    uint64_t coded[ZT_MAX_RANK], side[ZT_MAX_RANK], place[ZT_MAX_RANK], origin[ZT_MAX_RANK];
    struct zti_coding coding;
    uint64_t bits = 0;
    zt_status status = find_sides(e, plan, coded, side, &coding);
    if (status)
        return status;
    const uint32_t rank = coding.grid.rank;
    const uint64_t values = zti_array_values(rank, side);
    zti_stage(e->context, ZT_STAGE_SAMPLES);
    zti_sample_place(e->array, one, batch, place);
    find_whole_tile(plan, e->array->shape, place, coded, side, origin);
    (void)zti_estimate_gather(e, plan, e->array, rank, origin, side, e->values);
    const struct zti_array tile = zti_array_packed(e->values, e->array->type, rank, side);
    coding.grid = zti_codec_grid(e->codec, rank, side);
    status = encode_tiles(e, &coding, &tile, &bits);
    e->spent += values;
    *rate = (double)bits / (double)values;
    return status;
}

zt_status zti_estimate(struct zti_estimator *e, const struct zti_plan *plan, uint32_t batch,
                       double *rate)
{
    return zti_has_bricks(e->codec) ? estimate_bricks(e, plan, batch, rate)
                                    : estimate_tile(e, plan, batch, rate);
}

uint64_t zti_count_tile_values(const struct zti_codec *codec, uint32_t rank)
{
    uint64_t values = 1;
    for (uint32_t i = 0; i < rank; i++)
        values *= codec->tile_shape[rank - 1][i];
    return values;
}

bool zti_has_bricks(const struct zti_codec *codec)
{
    enum { SMALL = 256 };
    return zti_count_tile_values(codec, ZT_MAX_RANK) <= SMALL;
}

/* ---- samples coded with all passes ---- */

/* A sample: n boxes of the coded array, stacked along the slowest axis. */
struct boxes {
    uint64_t coded[ZT_MAX_RANK], side[ZT_MAX_RANK], n;
    bool is_all; /* the coded array is the one box */
};

static struct boxes lay_out_boxes(uint64_t values, const struct zti_coding *coding)
{
    struct boxes b = {.n = 1};
    const uint32_t rank = coding->grid.rank;
    memcpy(b.coded, coding->grid.shape, sizeof b.coded);
    b.is_all = zti_array_values(rank, b.coded) <= values + values / 2;
    memcpy(b.side, b.coded, sizeof b.side);
    if (b.is_all)
        return b;
    for (uint32_t i = 0; i < rank; i++)
        b.side[i] = coding->grid.side[i] < b.coded[i] ? coding->grid.side[i] : b.coded[i];
    b.n = values / zti_array_values(rank, b.side) + 1;
    return b;
}

static zt_status gather_boxes(struct zti_estimator *e, const struct zti_plan *plan, uint32_t rank,
                              const struct boxes *b, uint8_t *to)
{
    static const uint64_t one[ZT_MAX_RANK] = {1, 1, 1, 1};
    const uint64_t values = zti_array_values(rank, b->side);
    if (b->is_all) {
        zti_plan_copy(plan, e->array, to);
        replace_special(e, to, values);
        return ZT_OK;
    }
    struct place *const places = order_places(e, one, 0, b->n);
    for (uint64_t i = 0; i < b->n && places; i++) {
        const uint64_t k = places[i].number;
        uint64_t place[ZT_MAX_RANK], origin[ZT_MAX_RANK];
        tell_stage(e, i, values);
        zti_sample_place(e->array, one, (uint32_t)k, place);
        find_whole_tile(plan, e->array->shape, place, b->coded, b->side, origin);
        (void)zti_estimate_gather(e, plan, e->array, rank, origin, b->side,
                                  to + k * values * zt_type_bytes(e->array->type));
    }
    zti_release(e->context, places);
    return places ? ZT_OK
                  : zti_fail(e->context, ZT_NO_MEMORY, "no memory for a sample of an array");
}

zt_status zti_estimate_whole(struct zti_estimator *e, const struct zti_plan *plan, uint64_t values,
                             double *bytes)
{
    uint64_t coded[ZT_MAX_RANK], side[ZT_MAX_RANK], shape[ZT_MAX_RANK], stream_bytes = 0;
    struct zti_coding coding;
    zt_status status = find_sides(e, plan, coded, side, &coding);
    if (status)
        return status;
    const uint32_t rank = coding.grid.rank;
    const struct boxes b = lay_out_boxes(values, &coding);
    memcpy(shape, b.side, sizeof shape);
    shape[0] *= b.n;
    const uint64_t taken = zti_array_values(rank, shape);
    uint8_t *const memory = zti_alloc(e->context, (size_t)taken * zt_type_bytes(e->array->type));
    zti_release(e->context, e->offset);
    e->offset =
        zti_alloc(e->context, (size_t)(zti_array_values(rank, b.side) + 64) * sizeof *e->offset);
    if (!memory || !e->offset) {
        zti_release(e->context, memory);
        return zti_fail(e->context, ZT_NO_MEMORY, "no memory for a sample of an array");
    }
    gather_boxes(e, plan, rank, &b, memory);
    const struct zti_array array = zti_array_packed(memory, e->array->type, rank, shape);
    status = zti_trial_encode(e->context, e->codec, e->target, &array, NULL, &e->stream, &coding,
                              &stream_bytes);
    const double scale = (double)zti_array_values(rank, coded) / (double)taken;
    const uint64_t head_bytes = status ? 0 : zti_head_bytes(&coding);
    const double head = (double)head_bytes;
    *bytes = (double)(stream_bytes - head_bytes) * scale *
                 (zti_has_bricks(e->codec) && !b.is_all ? padding_factor(e, plan, side) : 1) +
             head * (!status && zti_has_ends(&coding) ? scale : 1);
    zti_forget(e->context, &coding);
    zti_release(e->context, memory);
    return status;
}

zt_status zti_estimate_box(struct zti_estimator *e, const struct zti_plan *plan, uint32_t k,
                           const uint64_t *box, double *bytes)
{
    uint64_t at[ZT_MAX_RANK], coded[ZT_MAX_RANK], stream_bytes = 0;
    struct zti_coding coding;
    struct zti_array part = *e->array;
    zti_sample_place(e->array, box, k, at);
    part.data = zti_array_at(e->array, at);
    memcpy(part.shape, box, part.rank * sizeof *box);
    const uint64_t taken = zti_array_values(part.rank, box);
    const uint32_t rank = zti_plan_shape(plan, box, coded);
    uint8_t *const memory = zti_alloc(e->context, (size_t)taken * zt_type_bytes(part.type));
    if (!memory)
        return zti_fail(e->context, ZT_NO_MEMORY, "no memory for a sample of an array");
    zti_plan_copy(plan, &part, memory);
    replace_special(e, memory, taken);
    const struct zti_array array = zti_array_packed(memory, part.type, rank, coded);
    const zt_status status = zti_trial_encode(e->context, e->codec, e->target, &array, NULL,
                                              &e->stream, &coding, &stream_bytes);
    const double all = (double)zti_array_values(part.rank, e->array->shape);
    const uint64_t head_bytes = status ? 0 : zti_head_bytes(&coding);
    *bytes = (double)(stream_bytes - head_bytes) * (all / (double)taken) + (double)head_bytes;
    zti_forget(e->context, &coding);
    zti_release(e->context, memory);
    return status;
}

/* ---- setting up ---- */

zt_status zti_estimator_open(zt_context *context, const struct zti_array *array,
                             const struct zti_codec *codec, const struct zti_target *target,
                             uint64_t batch_values, struct zti_estimator *e)
{
    const bool has_bricks = zti_has_bricks(codec);
    *e = (struct zti_estimator){
        .context = context, .array = array, .codec = codec, .target = target};
    uint64_t values = zti_count_tile_values(codec, array->rank);
    if (has_bricks) {
        zti_sample_shape(array, BRICK_VALUES, e->brick);
        e->brick_values = zti_array_values(array->rank, e->brick);
        const uint64_t bricks = batch_values / e->brick_values;
        e->bricks = bricks < 1 ? 1 : (uint32_t)bricks;
        values = e->bricks * e->brick_values;
    }
    e->values = zti_alloc(context, (size_t)values * zt_type_bytes(array->type));
    e->offset = zti_alloc(context, (size_t)(values + 64) * sizeof *e->offset);
    if (!e->values || !e->offset)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a sample of an array");
    return ZT_OK;
}

void zti_estimator_free(struct zti_estimator *e)
{
    zti_release(e->context, e->values);
    zti_release(e->context, e->offset);
    zti_buffer_free(e->context, &e->batches);
    zti_buffer_free(e->context, &e->stream);
}
