/* tight.c: the loosest tolerance that keeps a bound.
 *
 * A codec's tolerance may be a power of two that is guaranteed for the worst of all tiles; what it
 * does to real ones is 0.05 to 0.6 of that. Each plane more that is dropped doubles the error.
 * When the first few values come out beyond the bound, keeping those exactly is still cheaper
 * than a plane of all others, for a while. */
#include "plan/tight.h"

#include "exec/exec.h"
#include "quality/quality.h"

#include <math.h>

enum { PLANES_MOST = 6 };

/* Values kept exactly may take this part of a stream. */
static const double misses_part = 1.0 / 6;

/* The sample, coded and decoded again and again. */
struct trial {
    zt_context *context;
    struct zti_sample sample;
    uint8_t *stream;
    size_t stream_bytes;
    uint8_t *back; /* values decoded */
};

static bool is_within(uint32_t type, const void *a, const void *b, int64_t i, double bound)
{
    const size_t value_bytes = zt_type_bytes(type);
    return zti_within(type, zti_bits_at(a, i, value_bytes), zti_bits_at(b, i, value_bytes), bound);
}

/* Values of the sample that are beyond the bound. */
static uint64_t count_beyond(const struct trial *t, double bound)
{
    enum { ROW = 256 };
    const zt_array *const array = &t->sample.array;
    const size_t value_bytes = zt_type_bytes(array->type);
    const uint64_t values = zti_array_values(array->rank, array->shape);
    const uint8_t *const data = array->data;
    uint64_t beyond = 0;
    for (uint64_t at = 0; at < values; at += ROW) {
        const uint64_t n = values - at < ROW ? values - at : ROW;
        const uint8_t *const from = data + at * value_bytes, *const to = t->back + at * value_bytes;
        if (zti_row_within(array->type, from, 1, to, n, bound))
            continue;
        for (uint64_t i = 0; i < n; i++)
            beyond += !is_within(array->type, from, to, (int64_t)i, bound);
    }
    return beyond;
}

/* Bits of the sample's stream and of what is beyond the bound in it. */
static zt_status measure(struct trial *t, struct zti_coding *coding, double *bits)
{
    const zt_array *const array = &t->sample.array;
    const double bound = coding->verify_bound;
    const zt_array out = zt_array_nd(t->back, (zt_type)array->type, array->rank, array->shape);
    const struct zti_view view = zti_view_whole(&out);
    uint64_t end_bits = 0, end = 0;
    coding->verify_bound = (double)NAN;
    zt_status status = zti_exec_encode(t->context, coding, array, t->stream, t->stream_bytes, 0,
                                       &end_bits, NULL, NULL);
    if (!status)
        status =
            zti_exec_decode(t->context, coding, t->stream, t->stream_bytes, 0, NULL, &view, &end);
    *bits = (double)end_bits;
    if (!status)
        *bits += (double)count_beyond(t, bound) * zti_exact_bits(array->type);
    return status;
}

/* How often the greatest error of the sample, as it was decoded last, doubles before it is beyond
 * the bound. */
static uint32_t doublings(const struct trial *t, double bound)
{
    const zt_array *const array = &t->sample.array;
    const size_t value_bytes = zt_type_bytes(array->type);
    const uint64_t values = zti_array_values(array->rank, array->shape);
    const uint8_t *const data = array->data;
    double most = 0;
    for (uint64_t i = 0; i < values; i++) {
        const double error = fabs(zti_number_at(array->type, data + i * value_bytes) -
                                  zti_number_at(array->type, t->back + i * value_bytes));
        most = error > most ? error : most;
    }
    const double times = bound / most;
    if (!(times >= 2))
        return 0;
    return times < 1 << PLANES_MOST ? (uint32_t)ilogb(times) : PLANES_MOST;
}

/* Planes to drop, by the first of them after which it gets no better; those that the errors leave
 * room for are not looked at one by one. */
static zt_status find_planes(struct trial *t, const struct zti_coding *coding, uint32_t *planes,
                             double *taken)
{
    double least = 0, bits;
    for (uint32_t n = 0, least_planes = 0; n <= PLANES_MOST; n++) {
        struct zti_coding loose = *coding;
        if (!zti_planning_of(coding->codec)->loosen(&loose, n))
            break;
        const zt_status status = measure(t, &loose, &bits);
        if (status)
            return status;
        if (n > 0 && bits >= least)
            break;
        *planes = n;
        *taken = least = bits;
        if (n == 0)
            least_planes = doublings(t, coding->verify_bound);
        n = n + 1 < least_planes ? least_planes - 1 : n;
    }
    return ZT_OK;
}

/* A sample, C-contiguous, with room for its stream and for what comes back. */
static zt_status set_up(struct trial *t, const zt_array *array, const struct zti_codec *codec,
                        const struct zti_ask *ask, struct zti_coding *coding)
{
    enum { PART = 48, SMALL_PART = 16, SMALL = 1 << 16, LEAST = 1 << 12, BOX_VALUES = 1024 };
    const uint64_t all = zti_array_values(array->rank, array->shape);
    const uint64_t small = all / SMALL_PART < SMALL ? all / SMALL_PART : SMALL;
    const uint64_t some = all / PART > small ? all / PART : small;
    uint64_t box[ZT_MAX_RANK];
    zti_sample_shape(array, BOX_VALUES, box);
    zt_status status =
        zti_sample_take(t->context, array, box, some > LEAST ? some : LEAST, &t->sample);
    if (status)
        return status;
    zt_array *const sample = &t->sample.array;
    const size_t bytes =
        (size_t)zti_array_values(sample->rank, sample->shape) * zt_type_bytes(sample->type);
    if (!t->sample.memory) { /* all of the array, whose strides may be any */
        t->sample.memory = zti_alloc(t->context, bytes);
        if (t->sample.memory)
            zti_array_copy(sample, t->sample.memory);
        *sample = zt_array_nd(t->sample.memory, (zt_type)sample->type, sample->rank, sample->shape);
    }
    *coding = zti_coding_of(codec, sample->type, sample->rank, sample->shape);
    status = codec->configure(t->context, ask, coding);
    if (!status)
        status = zti_exec_capacity(t->context, coding, &t->stream_bytes);
    t->back = zti_alloc(t->context, bytes);
    t->stream = zti_alloc(t->context, t->stream_bytes ? t->stream_bytes : 1);
    if (!status && (!t->back || !t->stream || !t->sample.memory))
        status = zti_fail(t->context, ZT_NO_MEMORY, "no memory for a sample of an array");
    return status;
}

bool zti_is_too_loose(const struct zti_misses *misses, uint32_t type, uint64_t stream_bytes)
{
    return misses->is_over ||
           (double)misses->count * zti_exact_bits(type) > misses_part * 8 * (double)stream_bytes;
}

zt_status zti_plan_tighten(zt_context *context, const zt_array *array,
                           const struct zti_codec *codec, struct zti_ask *ask,
                           uint64_t *misses_most)
{
    struct trial t = {.context = context};
    struct zti_coding coding;
    double bits = 0;
    *misses_most = UINT64_MAX;
    if (!zti_planning_of(codec) || !zti_planning_of(codec)->loosen || ask->kind != ZT_ABS)
        return ZT_OK;
    zt_status status = set_up(&t, array, codec, ask, &coding);
    if (!status && !isnan(coding.verify_bound))
        status = find_planes(&t, &coding, &ask->loose_planes, &bits);
    if (ask->loose_planes > 0) { /* twice what is expected to be too many */
        const zt_array *const sample = &t.sample.array;
        const double all = (double)zti_array_values(array->rank, array->shape);
        const double part = all / (double)zti_array_values(sample->rank, sample->shape);
        *misses_most = (uint64_t)(2 * misses_part * bits * part / zti_exact_bits(array->type)) + 1;
    }
    zti_release(context, t.back);
    zti_release(context, t.stream);
    zti_sample_free(context, &t.sample);
    return status;
}
