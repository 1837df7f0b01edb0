/* squares.c: the sum of squared errors, which a PSNR is of, or of their magnitudes. It decides
 * bytes, so parts are summed in an order that does not depend on threads. */
#include "array/rows.h"
#include "core/map.h"
#include "quality/quality.h"
#include "simd/vectors.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PART_VALUES = ZTI_ERRORS_PART, LANES = 8 };

struct squares {
    const struct zti_array *array;
    const uint8_t *decoded; /* from value 'first' on */
    const uint64_t *mask;
    double scale;     /* 1 / range */
    bool is_absolute; /* magnitudes, not squares */
    uint64_t first, end;
    double *sums; /* of parts from the first value on */
};

/* What an error over the range counts. What is no normal number counts as the least that is: a PSNR
 * above 3,000 dB is told too low, and is infinite only where there is no error at all. */
ZTI_INLINE double part_of_error(double error, double scale, bool is_absolute)
{
    const double part = error * scale, counted = is_absolute ? part : part * part;
    const double least = error != 0 ? DBL_MIN : 0;
    return counted < least ? least : counted;
}

/* The same of LANES errors, added to as many sums. */
ZTI_INLINE void add_parts(const double *error, double scale, bool is_absolute, double *lanes)
{
    for (uint32_t i = 0; i < LANES; i += V_LANES_64) {
        const f64s e = (f64s)v_load_64(error + i), part = e * scale;
        const f64s counted = is_absolute ? part : part * part;
        const f64s least = (f64s)((u64s)(e != 0) & (u64s)((f64s){0} + DBL_MIN));
        const u64s is_less = (u64s)(counted < least);
        const u64s sum = ((u64s)least & is_less) | ((u64s)counted & ~is_less);
        v_store_64(lanes + i, (u64s)((f64s)v_load_64(lanes + i) + (f64s)sum));
    }
}

/* Add LANES floats that lie side by side. */
ZTI_INLINE void add_floats(uint32_t type, const char *from, const uint8_t *decoded, double scale,
                           bool is_absolute, double *lanes)
{
    double error[LANES];
    if (type == ZT_F32) {
        float a[LANES], b[LANES];
        memcpy(a, from, sizeof a);
        memcpy(b, decoded, sizeof b);
        for (uint32_t i = 0; i < LANES; i++)
            error[i] = fabs((double)a[i] - (double)b[i]);
    } else {
        double a[LANES], b[LANES];
        memcpy(a, from, sizeof a);
        memcpy(b, decoded, sizeof b);
        for (uint32_t i = 0; i < LANES; i++)
            error[i] = fabs(a[i] - b[i]);
    }
    add_parts(error, scale, is_absolute, lanes);
}

/* Add the first floats of a row of n that lie side by side, a multiple of LANES; returns how many.
 */
static uint64_t add_many(const struct squares *s, const char *from, const uint8_t *decoded,
                         uint64_t n, double *lanes)
{
    const uint32_t type = s->array->type;
    const size_t bytes = zt_type_bytes(type);
    const bool is_absolute = s->is_absolute;
    double own[LANES];
    uint64_t i = 0;
    memcpy(own, lanes, sizeof own);
    for (; i + LANES <= n; i += LANES)
        add_floats(type, from + i * bytes, decoded + i * bytes, s->scale, is_absolute, own);
    memcpy(lanes, own, sizeof own);
    return i;
}

/* Add n values of a row, from value number 'at' of the array on, to the lanes' sums. */
static void add_row(const struct squares *s, const char *from, int64_t stride, uint64_t at,
                    uint64_t n, double *lanes)
{
    const uint32_t type = s->array->type;
    const size_t value_bytes = zt_type_bytes(type);
    const uint8_t *const decoded = s->decoded + (at - s->first) * value_bytes;
    uint64_t i = 0;
    if (zti_is_float(type) && stride == 1 && !s->mask)
        i = add_many(s, from, decoded, n, lanes);
    for (; i < n; i++) {
        const double error = zti_error_of(type, zti_bits_at(from, (int64_t)i * stride, value_bytes),
                                          zti_bits_at(decoded, (int64_t)i, value_bytes));
        if (!s->mask || !(s->mask[(at + i) / 64] >> (at + i) % 64 & 1))
            lanes[i % LANES] += part_of_error(error, s->scale, s->is_absolute);
    }
}

static bool sum_part(void *shared, uint32_t worker, uint64_t number)
{
    const struct squares *s = shared;
    (void)worker;
    const struct zti_array *const array = s->array;
    const uint64_t first = s->first + number * PART_VALUES, rest = s->end - first;
    const uint64_t end = first + (rest < PART_VALUES ? rest : PART_VALUES);
    double lanes[LANES] = {0}, sum = 0;
    for (uint64_t at = first, n; at < end; at += n) {
        const char *const row = zti_array_row(array, at, &n);
        n = n < end - at ? n : end - at;
        add_row(s, row, array->stride[array->rank - 1], at, n, lanes);
    }
    for (uint32_t i = 0; i < LANES; i++)
        sum += lanes[i];
    s->sums[number] = sum;
    return true;
}

void zti_add_errors(zt_context *context, struct zti_error_sum *sum, const uint8_t *decoded,
                    uint64_t n)
{
    enum { PARTS = 512 }; /* at a time */
    const size_t value_bytes = zt_type_bytes(sum->array->type);
    const uint64_t last = sum->values + n;
    double sums[PARTS];
    while (sum->values < last) {
        const uint64_t most = (uint64_t)PARTS * PART_VALUES, left = last - sum->values;
        struct squares s = {.array = sum->array,
                            .decoded = decoded,
                            .mask = sum->mask,
                            .scale = 1 / sum->range,
                            .is_absolute = sum->is_absolute,
                            .first = sum->values,
                            .end = sum->values + (left < most ? left : most),
                            .sums = sums};
        const uint64_t parts = (s.end - s.first - 1) / PART_VALUES + 1;
        zti_map(context, parts, sum_part, &s);
        for (uint64_t i = 0; i < parts; i++)
            sum->sum += sums[i];
        decoded += (s.end - s.first) * value_bytes;
        sum->values = s.end;
    }
}

double zti_end_errors(const struct zti_error_sum *sum)
{
    return sum->sum >= 0 ? sum->sum : (double)INFINITY;
}

double zti_sum_errors(zt_context *context, const struct zti_array *array, const uint8_t *decoded,
                      const uint64_t *mask, bool is_absolute, double range)
{
    struct zti_error_sum sum = {
        .array = array, .mask = mask, .is_absolute = is_absolute, .range = range};
    zti_add_errors(context, &sum, decoded, zti_array_values(array->rank, array->shape));
    return zti_end_errors(&sum);
}
