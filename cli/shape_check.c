/* shape_check.c: whether a raw array looks as if it had another shape than was said: values that
 * are neighbours in a wrong shape have little to do with each other. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 2048, LEAST_ROW = 8 };

static const double least_dip = 1.6;

static double value_at(const zt_array *a, uint64_t i)
{
    switch (a->type) {
    case ZT_F32: return (double)((const float *)a->data)[i];
    case ZT_F64: return ((const double *)a->data)[i];
    case ZT_I32: return (double)((const int32_t *)a->data)[i];
    default: return (double)((const int64_t *)a->data)[i];
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* By how much values 'distance' apart differ: the median over some places all over n values, which
 * a coast line or a few spikes do not move; infinite where there is nothing to compare. */
static double difference(const zt_array *a, uint64_t n, uint64_t distance)
{
    double found[PLACES];
    uint32_t count = 0;
    double sum = 0;
    if (distance >= n)
        return (double)INFINITY;
    for (uint64_t p = 0; p < PLACES; p++) {
        const double room = (double)(n - distance);
        const uint64_t i = (uint64_t)(room * ((double)p + 0.5) / PLACES);
        const double d = fabs(value_at(a, i + distance) - value_at(a, i));
        if (isfinite(d) && d > 0)
            found[count++] = d;
    }
    if (count < PLACES / 8)
        return (double)INFINITY;
    qsort(found, count, sizeof *found, compare);
    for (uint32_t k = count / 4; k < count - count / 4; k++)
        sum += found[k];
    return sum / (count - 2 * (count / 4));
}

/* By what factor values 'distance' apart are more alike than values a quarter less and a
 * quarter more apart: well above 1 where the distance is that of a row, and below in one smooth
 * row. */
static double dip(const zt_array *a, uint64_t n, uint64_t distance)
{
    const uint64_t quarter = distance / 4 > 2 ? distance / 4 : 2;
    const double here = difference(a, n, distance);
    const double less = difference(a, n, distance - quarter);
    const double more = difference(a, n, distance + quarter);
    return isfinite(here) && isfinite(less) && isfinite(more) ? fmin(less, more) / here : 0;
}

/* A shape that has rows of this length: the extents that were said, another of them last, or two
 * axes. */
static const char *shape_with(const zt_array *a, uint64_t values, uint64_t row, char *text)
{
    uint64_t shape[ZT_MAX_RANK] = {0};
    for (uint32_t i = 0; i < a->rank; i++) {
        if (a->shape[i] != row || a->rank < 2)
            continue;
        for (uint32_t k = 0; k < a->rank; k++)
            shape[k] = a->shape[a->rank - 1 - k];
        if (shape[a->rank - 1] == row)
            return ztio_format_shape(a->rank, shape, text);
    }
    shape[0] = values / row;
    shape[1] = row;
    return ztio_format_shape(2, shape, text);
}

void warn_of_shape(const struct compress_job *job, const zt_array *slab)
{
    const bool is_raw = job->options->hints.rank > 0;
    uint64_t n = 1, values, best_row = 0;
    char text[CLI_TEXT_BYTES];
    for (uint32_t i = 0; i < slab->rank; i++)
        n *= slab->shape[i];
    if (!is_raw || job->meta->shape[0] == ZT_UNKNOWN ||
        !count_values(job->meta->rank, job->meta->shape, &values))
        return;
    double declared = 0, best = 0;
    uint64_t step = slab->shape[slab->rank - 1];
    for (uint32_t i = slab->rank - 1; i-- > 0; step *= slab->shape[i])
        declared = fmax(declared, dip(slab, n, step < LEAST_ROW ? step * (LEAST_ROW / step + 1)
                                                          : step));
    for (uint64_t d = LEAST_ROW; d <= values / d; d++)
        for (int is_pair = 0; values % d == 0 && is_pair < 2; is_pair++) {
            const uint64_t row = is_pair ? values / d : d;
            if (row > n / 4)
                continue;
            const double here = dip(slab, n, row);
            if (here > best) {
                best = here;
                best_row = row;
            }
        }
    const bool is_far = best > least_dip && best > 1.5 * declared;
    if (is_far)
        (void)fprintf(stderr,
                      "ztile: warning: %s: the shape looks wrong: rows seem to have %" PRIu64
                      " values; if they do, say -s %s\n",
                      input_name(job->place), best_row, shape_with(slab, values, best_row, text));
}
