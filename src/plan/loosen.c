/* loosen.c: how many bit planes to drop: the loosest tolerance that keeps a bound.
 *
 * A codec may guarantee its tolerance, a power of two, for the worst possible tile. Errors of real
 * tiles are 0.05 to 0.6 of it. Each further plane that is dropped doubles them. While few values
 * exceed the bound, keeping these exactly costs less than a plane of all values. */
#include "plan/loosen.h"

#include "exec/exec.h"
#include "quality/quality.h"

#include <math.h>

enum { PLANES_MOST = 6 };

/* The part of a stream that exact values may take. */
static const double misses_part = 1.0 / 6;

static bool is_within(uint32_t type, const void *a, const void *b, int64_t i, double bound)
{
    const size_t value_bytes = zt_type_bytes(type);
    return zti_within(type, zti_bits_at(a, i, value_bytes), zti_bits_at(b, i, value_bytes), bound);
}

/* Count the decoded values of the sample that exceed the bound. */
static uint64_t count_beyond(const struct zti_trial *t, double bound)
{
    enum { ROW = 256 };
    const struct zti_array *const array = &t->sample.array;
    const size_t value_bytes = zt_type_bytes(array->type);
    const uint64_t values = zti_array_values(array->rank, array->shape);
    const uint8_t *const data = array->data;
    uint64_t beyond = 0;
    for (uint64_t at = 0; at < values; at += ROW) {
        const uint64_t n = values - at < ROW ? values - at : ROW;
        const uint8_t *const from = data + at * value_bytes, *const to = t->decoded.bytes +
                                                                         at * value_bytes;
        if (zti_row_within(array->type, from, 1, to, n, bound))
            continue;
        for (uint64_t i = 0; i < n; i++)
            beyond += !is_within(array->type, from, to, (int64_t)i, bound);
    }
    return beyond;
}

/* Encode and decode the sample: bits of its stream and of the exact values it needs. */
static zt_status measure_bits(zt_context *context, struct zti_trial *t,
                              const struct zti_coding *like, const struct zti_target *target,
                              double *bits)
{
    const struct zti_array *const array = &t->sample.array;
    struct zti_coding coding;
    uint64_t bytes = 0;
    zt_status status =
        zti_trial_encode(context, like->codec, target, array, NULL, &t->stream, &coding, &bytes);
    if (!status)
        status = zti_trial_decode(context, &coding, t->stream.bytes, bytes, &t->decoded);
    *bits = 8 * (double)bytes;
    if (!status)
        *bits += (double)count_beyond(t, like->verify_bound) * zti_exact_bits(array->type);
    zti_forget(context, &coding);
    return status;
}

/* How often the largest error of the sample, as last decoded, can double within the bound. */
static uint32_t count_doublings(const struct zti_trial *t, double bound)
{
    const struct zti_array *const array = &t->sample.array;
    const size_t value_bytes = zt_type_bytes(array->type);
    const uint64_t values = zti_array_values(array->rank, array->shape);
    const uint8_t *const data = array->data;
    double most = 0;
    for (uint64_t i = 0; i < values; i++) {
        const double error = fabs(zti_number_at(array->type, data + i * value_bytes) -
                                  zti_number_at(array->type, t->decoded.bytes + i * value_bytes));
        most = error > most ? error : most;
    }
    const double times = bound / most;
    if (!(times >= 2))
        return 0;
    return times < 1 << PLANES_MOST ? (uint32_t)ilogb(times) : PLANES_MOST;
}

/* Find how many planes to drop: increase the number until the bits no longer decrease. The first
 * trial's errors tell how many planes can be skipped at once. */
static zt_status find_planes(zt_context *context, struct zti_trial *t,
                             const struct zti_coding *coding, struct zti_target *target,
                             double *taken)
{
    struct zti_target trial = *target;
    double least = 0, bits;
    for (uint32_t n = 0, least_planes = 0; n <= PLANES_MOST; n++) {
        struct zti_coding loose = *coding;
        if (!zti_planning_of(coding->codec)->loosen(&loose, n))
            break;
        trial.loose_planes = n;
        const zt_status status = measure_bits(context, t, coding, &trial, &bits);
        if (status)
            return status;
        if (n > 0 && bits >= least)
            break;
        target->loose_planes = n;
        *taken = least = bits;
        if (n == 0)
            least_planes = count_doublings(t, coding->verify_bound);
        n = n + 1 < least_planes ? least_planes - 1 : n;
    }
    return ZT_OK;
}

/* Take a sample; its values are C-contiguous, also if it is the whole array. */
static zt_status copy_sample(zt_context *context, const struct zti_array *array,
                             struct zti_trial *t)
{
    enum { PART = 48, SMALL_PART = 16, SMALL = 1 << 16, LEAST = 1 << 12, BOX_VALUES = 1024 };
    const uint64_t all = zti_array_values(array->rank, array->shape);
    const uint64_t small = all / SMALL_PART < SMALL ? all / SMALL_PART : SMALL;
    const uint64_t some = all / PART > small ? all / PART : small;
    uint64_t box[ZT_MAX_RANK];
    zti_sample_shape(array, BOX_VALUES, box);
    const zt_status status =
        zti_sample_copy(context, array, box, some > LEAST ? some : LEAST, &t->sample);
    if (status || t->sample.memory)
        return status;
    struct zti_array *const sample = &t->sample.array; /* the whole array, with any strides */
    t->sample.memory = zti_alloc(context, (size_t)all * zt_type_bytes(sample->type));
    if (!t->sample.memory)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a sample of an array");
    zti_array_copy(array, t->sample.memory);
    *sample = zti_array_packed(t->sample.memory, sample->type, sample->rank, sample->shape);
    return ZT_OK;
}

bool zti_is_too_loose(const struct zti_misses *misses, uint32_t type, uint64_t stream_bytes)
{
    return misses->exceeds_limit ||
           (double)misses->count * zti_exact_bits(type) > misses_part * 8 * (double)stream_bytes;
}

zt_status zti_plan_loosen(zt_context *context, const struct zti_array *array,
                          const struct zti_codec *codec, struct zti_target *target,
                          uint64_t *misses_most)
{
    struct zti_trial t = {.sample = {.memory = NULL}};
    double bits = 0;
    *misses_most = UINT64_MAX;
    if (!zti_planning_of(codec) || !zti_planning_of(codec)->loosen || target->kind != ZT_ABS)
        return ZT_OK;
    zt_status status = copy_sample(context, array, &t);
    const struct zti_array *const sample = &t.sample.array;
    struct zti_coding coding = zti_coding_of(codec, sample->type, sample->rank, sample->shape);
    if (!status)
        status = codec->configure(context, target, &coding);
    if (!status && !isnan(coding.verify_bound))
        status = find_planes(context, &t, &coding, target, &bits);
    if (target->loose_planes > 0) { /* stop at twice as many misses as are expected to pay */
        const double all = (double)zti_array_values(array->rank, array->shape);
        const double part = all / (double)zti_array_values(sample->rank, sample->shape);
        *misses_most = (uint64_t)(2 * misses_part * bits * part / zti_exact_bits(array->type)) + 1;
    }
    zti_trial_free(context, &t);
    return status;
}
