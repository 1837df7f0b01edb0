/* shape_rows.c: the length of an array's rows, from its values.
 *
 * Values a row apart are much more alike than values a quarter of a row less and more apart: the
 * dip of the mean difference at that distance. A time series has dips too, at its periods; what
 * tells rows from periods is that
 *
 *   - values that follow each other differ by another amount where one row ends and the next one
 *     begins (the seam) than elsewhere; or the length is one of the extents that were said, and
 *     values two rows apart differ more than those one row apart;
 *   - the neighbours that the shape has are less alike than those that it would have. */
#include "cmd/compress/shape_rows.h"
#include "cmd/compress/value.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { PLACES = 2048, FEW_PLACES = 256, LEAST_ROW = 8, LEAST_SEAMS = 8 };

static const double least_dip = 1.6, declared_part = 1.5, alike_part = 0.67, least_growth = 1.4;
static const double least_seam = 2, flat_seam = 0.05;
static const double few_part = 0.75; /* of a dip that few places are to see */

/* A slab, and what the shape says of it. */
struct search {
    const zt_array *slab;
    uint64_t n, values; /* of the slab, of the array */
    double beside;      /* difference of values that follow each other */
    uint64_t places;    /* at which values are compared */
};

/* The mean of the middle half, which a coast line or a few spikes do not move. */
static double middle_mean(double *found, uint32_t count)
{
    double sum = 0;
    qsort(found, count, sizeof *found, compare_values);
    for (uint32_t k = count / 4; k < count - count / 4; k++)
        sum += found[k];
    return sum / (count - 2 * (count / 4));
}

/* By how much values 'distance' apart differ, where they do, at some places all over the slab;
 * infinite where there is nothing to compare. */
static double difference(const struct search *s, uint64_t distance)
{
    double found[PLACES];
    uint32_t count = 0;
    if (distance >= s->n)
        return (double)INFINITY;
    for (uint64_t p = 0; p < s->places; p++) {
        const double room = (double)(s->n - distance);
        const uint64_t i = (uint64_t)(room * ((double)p + 0.5) / (double)s->places);
        const double d = fabs(value_at(s->slab, i + distance) - value_at(s->slab, i));
        if (isfinite(d) && d > 0)
            found[count++] = d;
    }
    return count < s->places / 8 ? (double)INFINITY : middle_mean(found, count);
}

/* By what factor values 'distance' apart are more alike than values a quarter less and a
 * quarter more apart: well above 1 where the distance is that of a row, and below in one smooth
 * row. */
static double dip(const struct search *s, uint64_t distance)
{
    const uint64_t quarter = distance / 4 > 2 ? distance / 4 : 2;
    const double here = difference(s, distance);
    const double less = difference(s, distance - quarter);
    const double more = difference(s, distance + quarter);
    return isfinite(here) && isfinite(less) && isfinite(more) ? fmin(less, more) / here : 0;
}

/* How much more values differ where a row of this length ends than elsewhere; 1 where there are
 * too few rows to say so. */
static double seam(const struct search *s, uint64_t row)
{
    double found[PLACES];
    const uint64_t seams = s->n / row - 1, places = seams < PLACES ? seams : PLACES;
    uint32_t count = 0;
    for (uint64_t p = 0; p < places; p++) {
        const uint64_t k = 1 + (uint64_t)((double)seams * ((double)p + 0.5) / (double)places);
        const double d = fabs(value_at(s->slab, k * row) - value_at(s->slab, k * row - 1));
        if (isfinite(d))
            found[count++] = d;
    }
    return count < LEAST_SEAMS ? 1 : middle_mean(found, count) / s->beside;
}

/* Whether few places, which are soon compared, see most of a dip. */
static bool may_dip(const struct search *s, uint64_t distance, double least)
{
    struct search few = *s;
    few.places = FEW_PLACES;
    return dip(&few, distance) > few_part * least;
}

static bool is_declared(const struct search *s, uint64_t row)
{
    for (uint32_t i = 0; i < s->slab->rank && s->slab->rank > 1; i++)
        if (s->slab->shape[i] == row)
            return true;
    return false;
}

/* Whether a length that values dip at is better than what was said. Rows that are whole parts of
 * the planes that were said do not contradict these; that many of the rows that were said, if they
 * are good ones, prove nothing. */
static bool is_better(const struct search *s, uint64_t row, double row_dip)
{
    const zt_array *const a = s->slab;
    const double here = difference(s, row);
    uint64_t step = a->shape[a->rank - 1];
    for (uint32_t i = a->rank - 1; i-- > 0; step *= a->shape[i]) {
        const uint64_t far = step < LEAST_ROW ? step * (LEAST_ROW / step + 1) : step;
        if (step > row && step % row == 0)
            continue;
        const double far_dip = dip(s, far);
        if (row_dip < declared_part * far_dip || here > alike_part * difference(s, far) ||
            (row % step == 0 && far_dip > least_dip))
            return false;
    }
    const double edge = seam(s, row);
    return edge >= least_seam || edge <= flat_seam ||
           (is_declared(s, row) && difference(s, 2 * row) >= least_growth * here);
}

uint64_t find_other_rows(const zt_array *slab, uint64_t values)
{
    struct search s = {.slab = slab, .n = 1, .values = values, .places = PLACES};
    double best = least_dip;
    uint64_t best_row = 0;
    for (uint32_t i = 0; i < slab->rank; i++)
        s.n *= slab->shape[i];
    s.beside = difference(&s, 1);
    for (uint64_t d = LEAST_ROW; d <= values / d; d++)
        for (int is_pair = 0; values % d == 0 && is_pair < 2; is_pair++) {
            const uint64_t row = is_pair ? values / d : d;
            const double here = row > s.n / 4 || !may_dip(&s, row, best) ? 0 : dip(&s, row);
            if (here > best && row != slab->shape[slab->rank - 1] && is_better(&s, row, here)) {
                best = here;
                best_row = row;
            }
        }
    return best_row;
}
