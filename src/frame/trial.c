/* trial.c: a sample of a slab, and what a codec makes of it under one bound or another. */
#include "frame/trial.h"

#include "quality/quality.h"

#include <math.h>

/* ---- the sample ---- */

/* Tiles stand one after another along the longest axis, each with that axis slowest in memory, so
 * that one stride goes through all of them. */
struct layout {
    uint32_t along;             /* that axis */
    uint64_t box[ZT_MAX_RANK];  /* values of a tile along each axis */
    uint64_t full[ZT_MAX_RANK]; /* whole tiles of the slab along each axis */
    uint64_t tiles;             /* of these */
    uint64_t box_values;
};

static struct layout layout_of(const struct zti_codec *codec, const zt_array *slab)
{
    const uint32_t *const side = codec->tile_shape[slab->rank - 1];
    struct layout l = {.tiles = 1, .box_values = 1};
    for (uint32_t i = 0; i < slab->rank; i++) {
        l.along = slab->shape[i] > slab->shape[l.along] ? i : l.along;
        l.box[i] = slab->shape[i] < side[i] ? slab->shape[i] : side[i];
        l.full[i] = slab->shape[i] / l.box[i];
        l.tiles *= l.full[i];
        l.box_values *= l.box[i];
    }
    return l;
}

/* Copy the box at 'origin' in C order but for the axis that is slowest. */
static uint8_t *copy_box(const zt_array *slab, const struct layout *l, const uint64_t *origin,
                         uint8_t *to)
{
    const size_t value_bytes = zt_type_bytes(slab->type);
    uint32_t order[ZT_MAX_RANK], n = 0;
    uint64_t at[ZT_MAX_RANK];
    order[n++] = l->along;
    for (uint32_t i = 0; i < slab->rank; i++)
        if (i != l->along)
            order[n++] = i;
    memcpy(at, origin, sizeof at);
    for (uint64_t i = 0; i < l->box_values; i++, to += value_bytes) {
        memcpy(to, zti_array_at(slab, at), value_bytes);
        for (uint32_t k = slab->rank; k-- > 0;) {
            const uint32_t axis = order[k];
            if (++at[axis] < origin[axis] + l->box[axis])
                break;
            at[axis] = origin[axis];
        }
    }
    return to;
}

/* Tile i of n: one of each part of all whole tiles, at no regular distance. */
static void tile_origin(const struct layout *l, uint32_t rank, uint64_t i, uint64_t n,
                        uint64_t *origin)
{
    const uint64_t part = l->tiles / n;
    uint64_t tile = i * part + (i + 1) * UINT64_C(2654435769) % UINT32_MAX % part;
    for (uint32_t axis = rank; axis-- > 0; tile /= l->full[axis])
        origin[axis] = tile % l->full[axis] * l->box[axis];
}

zt_status zti_trial_take(zt_context *context, const struct zti_codec *codec, const zt_array *slab,
                         uint64_t values, struct zti_trial *sample)
{
    const struct layout l = layout_of(codec, slab);
    const uint64_t n = values / l.box_values + 1;
    memset(sample, 0, sizeof *sample);
    sample->array = *slab;
    if (zti_array_values(slab->rank, slab->shape) <= 2 * values || l.tiles < 2 * n)
        return ZT_OK;
    sample->memory = zti_alloc(context, (size_t)(n * l.box_values) * zt_type_bytes(slab->type));
    if (!sample->memory)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a sample of the values");
    uint8_t *to = sample->memory;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t origin[ZT_MAX_RANK];
        tile_origin(&l, slab->rank, i, n, origin);
        to = copy_box(slab, &l, origin, to);
    }
    zt_array *const a = &sample->array;
    int64_t step = 1;
    a->data = sample->memory;
    for (uint32_t i = slab->rank; i-- > 0;) {
        a->shape[i] = i == l.along ? n * l.box[i] : l.box[i];
        a->stride[i] = step;
        step *= i == l.along ? 1 : (int64_t)l.box[i];
    }
    a->stride[l.along] = step;
    return ZT_OK;
}

void zti_trial_free(zt_context *context, struct zti_trial *sample)
{
    zti_release(context, sample->memory);
    zti_buffer_free(context, &sample->room);
    zti_buffer_free(context, &sample->decoded);
}

/* ---- trials ---- */

/* Code the sample; *coding is then to be forgotten, and sample->room has the stream. */
static zt_status code_sample(zt_context *context, const struct zti_codec *codec,
                             const struct zti_ask *ask, struct zti_trial *sample,
                             struct zti_coding *coding, struct zti_misses *misses,
                             uint64_t *stream_bytes)
{
    size_t capacity = 0;
    uint64_t end_bits = 0;
    memset(coding, 0, sizeof *coding);
    coding->codec = codec;
    coding->type = sample->array.type;
    coding->grid = zti_codec_grid(codec, sample->array.rank, sample->array.shape);
    zt_status status = codec->configure(context, ask, coding);
    if (!misses)
        coding->verify_bound = (double)NAN;
    if (!status)
        status = zti_exec_survey(context, coding, &sample->array);
    if (!status)
        status = zti_exec_capacity(context, coding, &capacity);
    const uint64_t head_bytes = status ? 0 : zti_head_bytes(coding);
    if (!status)
        status = zti_buffer_reserve(context, &sample->room, head_bytes + capacity, 0);
    if (!status)
        status = zti_exec_encode(context, coding, &sample->array, sample->room.bytes,
                                 sample->room.capacity, head_bytes * 8, &end_bits, misses, NULL);
    if (!status && codec->put_head && head_bytes > 0)
        codec->put_head(coding, NULL, sample->room.bytes);
    *stream_bytes = end_bits / 8;
    return status;
}

zt_status zti_trial_error(zt_context *context, const struct zti_codec *codec,
                          const struct zti_ask *ask, struct zti_trial *sample, double range,
                          double *error)
{
    const uint64_t values = zti_array_values(sample->array.rank, sample->array.shape);
    struct zti_coding coding;
    uint64_t bytes;
    zt_status status = code_sample(context, codec, ask, sample, &coding, NULL, &bytes);
    if (!status)
        status = zti_buffer_reserve(context, &sample->decoded,
                                    values * zt_type_bytes(sample->array.type), 0);
    if (!status)
        status = zti_decode_own(context, &coding, sample->room.bytes, bytes, sample->decoded.bytes);
    if (!status)
        *error = zti_sum_squares(context, &sample->array, sample->decoded.bytes, NULL, range) /
                 (double)values;
    if (codec->forget)
        codec->forget(context, &coding);
    return status;
}

/* Bits that the sample takes when coded as is asked, exact values with their places included;
 * UINT64_MAX where these are more than a frame may have. */
static zt_status sample_bits(zt_context *context, const struct zti_codec *codec,
                             const struct zti_ask *ask, struct zti_trial *sample, uint64_t limit,
                             uint64_t *bits)
{
    const uint64_t values = zti_array_values(sample->array.rank, sample->array.shape);
    struct zti_misses misses = {.limit = limit};
    struct zti_coding coding;
    uint64_t bytes;
    zt_status status = code_sample(context, codec, ask, sample, &coding, &misses, &bytes);
    const uint64_t gap = misses.count ? values / misses.count : 0;
    *bits = 8 * (bytes + misses.count * (zt_type_bytes(coding.type) + (gap < 128 ? 1 : 2)));
    if (misses.is_over)
        *bits = UINT64_MAX;
    zti_misses_free(context, &misses);
    if (codec->forget)
        codec->forget(context, &coding);
    return status;
}

/* Within a run, from the loosest way to the tightest, the bits fall while exact values become
 * fewer, and then rise: a run is left when they have risen twice. */
zt_status zti_choose(struct zt_writer *w, const struct zti_frame *f, struct zti_ask *ask,
                     const zt_array *slab)
{
    enum { SAMPLE_VALUES = 1 << 15, RISES = 2, PART = 8 };
    const struct zti_codec *codec = f->coding.codec;
    uint32_t ends[ZTI_CHOICE_RUNS], best = 0, at = 0;
    uint64_t least = UINT64_MAX, bits;
    struct zti_trial sample;
    if (!codec->choices)
        return ZT_OK;
    const uint32_t runs = codec->choices(&f->coding, ends);
    zt_status status = zti_trial_take(w->context, codec, slab, SAMPLE_VALUES, &sample);
    const uint64_t limit = zti_array_values(slab->rank, sample.array.shape) / PART;
    const zt_progress progress = zti_pause_progress(w->context);
    for (uint32_t run = 0; run < runs; run++) {
        uint64_t low = UINT64_MAX;
        uint32_t rises = 0;
        for (at = run > 0 ? ends[run - 1] : 0; at < ends[run] && rises < RISES && !status; at++) {
            ask->choice = at;
            status = sample_bits(w->context, codec, ask, &sample, limit, &bits);
            rises = bits < low || bits == UINT64_MAX ? 0 : rises + 1;
            low = bits < low ? bits : low;
            if (bits < least) {
                least = bits;
                best = at;
            }
        }
    }
    zti_resume_progress(w->context, progress);
    ask->choice = least == UINT64_MAX ? ends[0] - 1 : best;
    zti_trial_free(w->context, &sample);
    return status;
}
