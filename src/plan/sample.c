/* sample.c: bricks of an array: where they are, what they hold, and what coding them takes. */
#include "plan/sample.h"

#include "exec/exec.h"
#include "quality/quality.h"

#include <math.h>

enum { LEAST_SIDE = 4 };

/* The shape of a brick: sides double, the shortest first, until it has as many values as wanted. An
 * axis that is not twice as long as its side is taken whole. */
static void shape_brick(struct zti_sample *s, uint64_t wanted)
{
    for (uint32_t i = 0; i < s->rank; i++)
        s->brick[i] = s->shape[i] < 2 * LEAST_SIDE ? s->shape[i] : LEAST_SIDE;
    for (;;) {
        uint32_t least = s->rank;
        for (uint32_t i = s->rank; i-- > 0;)
            if (s->brick[i] < s->shape[i] && (least == s->rank || s->brick[i] < s->brick[least]))
                least = i;
        s->brick_values = zti_array_values(s->rank, s->brick);
        if (least == s->rank || s->brick_values >= wanted)
            return;
        s->brick[least] *= 2;
        if (s->shape[least] < 2 * s->brick[least])
            s->brick[least] = s->shape[least];
    }
}

/* Where brick number k begins along an axis: multiples of a side of 4, spread evenly for any number
 * of bricks (a sequence of Kronecker's, whose steps are those of roots that have little to do with
 * each other). */
static uint64_t brick_at(const struct zti_sample *s, uint32_t axis, uint32_t k)
{
    /* fractions of 2^32: powers of 1 / 1.1673, the root of x^5 = x + 1: Roberts' sequence */
    static const uint32_t step[ZT_MAX_RANK] = {3679390609u, 3152041523u, 2700274805u, 2313257604u};
    const uint64_t room = s->shape[axis] - s->brick[axis];
    const uint32_t fraction = 0x80000000u + k * step[axis];
    const uint64_t high = room >> 32, low = room & UINT32_MAX; /* room * fraction / 2^32 */
    const uint64_t at = high * fraction + (low * fraction >> 32);
    return at - at % LEAST_SIDE;
}

static void smooth(const struct zti_sample *s, const zt_params *params, uint8_t *values)
{
    const size_t value_bytes = zt_type_bytes(s->type);
    uint64_t last = 0;
    for (uint64_t i = 0; i < s->brick_values; i++, values += value_bytes) {
        const uint64_t bits = zti_bits_at(values, 0, value_bytes);
        if (zti_is_special(s->type, bits, params->fills, params->fill))
            zti_set_bits_at(values, last, value_bytes);
        else
            last = bits;
    }
}

static uint64_t brick_bytes(const struct zti_sample *s)
{
    return s->brick_values * zt_type_bytes(s->type);
}

/* Brick number k of the array. */
static zt_array brick_of(const struct zti_sample *s, const zt_array *array, uint32_t k)
{
    uint64_t at[ZT_MAX_RANK] = {0};
    zt_array brick = *array;
    for (uint32_t i = 0; i < s->rank; i++) {
        at[i] = brick_at(s, i, k);
        brick.shape[i] = s->brick[i];
    }
    brick.data = zti_array_at(array, at);
    return brick;
}

static double number_at(const zt_array *array, const uint64_t *at)
{
    const size_t value_bytes = zt_type_bytes(array->type);
    const uint64_t bits = zti_bits_at(zti_array_at(array, at), 0, value_bytes);
    if (array->type == ZT_F64)
        return zti_double_from_bits(bits);
    if (array->type == ZT_I64)
        return (double)(int64_t)bits;
    const uint32_t low = (uint32_t)bits;
    int32_t whole;
    float number;
    memcpy(&whole, &low, sizeof whole);
    memcpy(&number, &low, sizeof number);
    return array->type == ZT_I32 ? (double)whole : (double)number;
}

/* About how many bits neighbours in a brick differ by, in multiples of twice the bound: at a few
 * places, and never 0. */
static uint64_t activity(const zt_array *brick, double bound)
{
    enum { PLACES = 24 };
    uint64_t sum = 1, at[ZT_MAX_RANK] = {0};
    for (uint32_t p = 0; p < PLACES; p++) {
        for (uint32_t i = 0; i < brick->rank; i++)
            at[i] = (uint64_t)(p * UINT32_C(2654435769) >> (i + 3)) % brick->shape[i];
        const double here = number_at(brick, at);
        for (uint32_t i = 0; i < brick->rank; i++) {
            if (brick->shape[i] < 2)
                continue;
            const uint64_t place = at[i];
            at[i] = place + 1 < brick->shape[i] ? place + 1 : place - 1;
            const double steps = fabs(number_at(brick, at) - here) / (2 * bound) * 8;
            at[i] = place;
            sum += steps < 1 ? 0 : steps < 0x1p60 ? zti_bit_length64((uint64_t)steps) : 0;
        }
    }
    return sum;
}

/* Choose bricks[0 .. s->bricks - 1] among 'probes' ones, the more often the more is going on in
 * them; s->share is by how much too often. */
static void choose_bricks(struct zti_sample *s, const zt_array *array, double bound,
                          uint32_t probes, uint64_t *weight, uint32_t *bricks)
{
    uint64_t total = 0, before = 0, chosen = 0;
    for (uint32_t k = 0; k < probes; k++) {
        const zt_array brick = brick_of(s, array, k);
        weight[k] = activity(&brick, bound);
        total += weight[k];
    }
    uint32_t n = 0;
    for (uint32_t k = 0; k < probes; before += weight[k++])
        for (; n < s->bricks && (2 * n + 1) * total < (before + weight[k]) * 2 * s->bricks; n++) {
            bricks[n] = k;
            chosen += weight[k];
        }
    s->share = (double)chosen / s->bricks / ((double)total / probes);
}

zt_status zti_sample_take(zt_context *context, const zt_array *array, const struct zti_ask *ask,
                          uint64_t values, uint64_t brick_values, bool by_activity,
                          struct zti_sample *s)
{
    enum { PROBES = 6 }; /* for each brick */
    const uint64_t all = zti_array_values(array->rank, array->shape);
    *s = (struct zti_sample){.context = context, .type = array->type, .rank = array->rank,
                             .share = 1};
    memcpy(s->shape, array->shape, sizeof s->shape);
    shape_brick(s, all < 2 * values ? all : brick_values);
    s->bricks = s->brick_values < values ? (uint32_t)(values / s->brick_values) : 1;
    if (s->brick_values == all)
        s->bricks = 1;
    const uint32_t probes = s->brick_values == all ? 1 : PROBES * s->bricks;
    s->values = zti_alloc(context, (size_t)(s->bricks * brick_bytes(s)));
    s->coded = zti_alloc(context, (size_t)(s->bricks * brick_bytes(s)));
    uint64_t *weight = zti_alloc(context, probes * sizeof *weight);
    uint32_t *bricks = zti_alloc(context, s->bricks * sizeof *bricks);
    zt_status status = ZT_OK;
    if (!s->values || !s->coded || !weight || !bricks)
        status = zti_fail(context, ZT_NO_MEMORY, "no memory for a sample of an array");
    for (uint32_t k = 0; k < s->bricks && !status; k++)
        bricks[k] = k;
    if (!status && by_activity && ask->kind == ZT_ABS && probes > 1)
        choose_bricks(s, array, ask->abs_bound, probes, weight, bricks);
    for (uint32_t k = 0; k < s->bricks && !status; k++) {
        const zt_array brick = brick_of(s, array, bricks[k]);
        zti_array_copy(&brick, s->values + k * brick_bytes(s));
        if (ask->kind != ZT_LOSSLESS)
            smooth(s, ask->params, s->values + k * brick_bytes(s));
    }
    zti_release(context, weight);
    zti_release(context, bricks);
    return status;
}

void zti_sample_free(struct zti_sample *s)
{
    zti_release(s->context, s->values);
    zti_release(s->context, s->coded);
    zti_release(s->context, s->stream);
}

/* Set up the coding of the bricks under a plan, one behind the other along the slowest axis of the
 * coded array. */
static zt_status set_up(struct zti_sample *s, const struct zti_codec *codec,
                        const struct zti_ask *ask, const struct zti_plan *plan,
                        struct zti_coding *coding, zt_array *array)
{
    uint64_t coded[ZT_MAX_RANK];
    const uint32_t rank = zti_plan_shape(plan, s->brick, coded);
    coded[0] *= s->bricks;
    for (uint32_t k = 0; k < s->bricks; k++) {
        const zt_array brick = zt_array_nd(s->values + k * brick_bytes(s), (zt_type)s->type,
                                           s->rank, s->brick);
        zti_plan_copy(plan, &brick, s->coded + k * brick_bytes(s));
    }
    *array = zt_array_nd(s->coded, (zt_type)s->type, rank, coded);
    *coding = (struct zti_coding){.codec = codec, .type = s->type,
                                  .grid = zti_codec_grid(codec, rank, coded)};
    const zt_status status = codec->configure(s->context, ask, coding);
    coding->verify_bound = (double)NAN;
    return status;
}

/* What tiles that reach beyond the array's end cost more in it than in the sample: zfp fills them
 * up and codes them whole, other codecs do not. */
static double padding(const struct zti_sample *s, const struct zti_coding *coding,
                      const struct zti_plan *plan)
{
    uint64_t coded[ZT_MAX_RANK];
    const uint32_t rank = zti_plan_shape(plan, s->shape, coded);
    double factor = 1;
    for (uint32_t i = 0; i < rank && coding->codec->id == ZT_CODEC_ZFP; i++) {
        const uint32_t side = coding->grid.side[i];
        factor *= (double)((coded[i] + side - 1) / side * side) / (double)coded[i];
        factor *= (double)coding->grid.shape[i] / (double)(coding->grid.tiles[i] * side);
    }
    return factor;
}

static zt_status room_for(struct zti_sample *s, size_t bytes)
{
    if (bytes <= s->stream_bytes)
        return ZT_OK;
    zti_release(s->context, s->stream);
    s->stream = zti_alloc(s->context, bytes);
    s->stream_bytes = s->stream ? bytes : 0;
    return s->stream ? ZT_OK
                     : zti_fail(s->context, ZT_NO_MEMORY, "no memory for a sample's stream");
}

zt_status zti_sample_stream(struct zti_sample *s, const struct zti_coding *coding,
                            const zt_array *bricks, uint64_t *end_bits)
{
    size_t capacity = 0;
    zt_status status = zti_exec_capacity(s->context, coding, &capacity);
    if (!status)
        status = room_for(s, capacity);
    if (!status)
        status = zti_exec_encode(s->context, coding, bricks, s->stream, s->stream_bytes, 0,
                                 end_bits, NULL, NULL);
    return status;
}

zt_status zti_sample_code(struct zti_sample *s, const struct zti_codec *codec,
                          const struct zti_ask *ask, const struct zti_plan *plan, double *bytes)
{
    struct zti_coding coding;
    zt_array array;
    uint64_t end_bits = 0;
    zt_status status = set_up(s, codec, ask, plan, &coding, &array);
    if (!status)
        status = zti_exec_survey(s->context, &coding, &array);
    if (!status)
        status = zti_sample_stream(s, &coding, &array, &end_bits);
    const double scale = (double)zti_array_values(s->rank, s->shape) /
                         (double)(s->brick_values * s->bricks) / s->share;
    if (!status) {
        const double head = (double)zti_head_bytes(&coding);
        const bool is_table = zti_has_ends(&coding); /* a head that grows with the array */
        *bytes = (double)end_bits / 8 * scale * padding(s, &coding, plan) +
                 head * (is_table ? scale : 1);
    }
    if (codec->forget)
        codec->forget(s->context, &coding);
    return status;
}
