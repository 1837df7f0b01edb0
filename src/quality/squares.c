/* squares.c: the sum of squared errors, which a PSNR is of, or of their magnitudes. It decides
 * bytes, so parts are summed in an order that does not depend on threads. */
#include "array/rows.h"
#include "core/map.h"
#include "quality/quality.h"

#include <float.h>

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

/* The square of an error over the range. What is no normal number counts as the least that is:
 * a PSNR above 3,000 dB is told too low, and is infinite only where there is no error at all. */
static double square_of(double error, double scale)
{
    const double part = error * scale, square = part * part;
    return square < DBL_MIN && error != 0 ? DBL_MIN : square;
}

static double magnitude_of(double error, double scale)
{
    const double part = error * scale;
    return part < DBL_MIN && error != 0 ? DBL_MIN : part;
}

/* Add n values of a row, from value number 'at' of the array on, to the lanes' sums. */
static void add_row(const struct squares *s, const char *from, int64_t stride, uint64_t at,
                    uint64_t n, double *lanes)
{
    const uint32_t type = s->array->type;
    const size_t value_bytes = zt_type_bytes(type);
    const uint8_t *const decoded = s->decoded + (at - s->first) * value_bytes;
    for (uint64_t i = 0; i < n; i++) {
        const double error = zti_error_of(type, zti_bits_at(from, (int64_t)i * stride, value_bytes),
                                          zti_bits_at(decoded, (int64_t)i, value_bytes));
        if (!s->mask || !(s->mask[(at + i) / 64] >> (at + i) % 64 & 1))
            lanes[i % LANES] +=
                s->is_absolute ? magnitude_of(error, s->scale) : square_of(error, s->scale);
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
