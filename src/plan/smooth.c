/* smooth.c: the finest level of a cubic interpolation, at a few hundred points of an array. */
#include "plan/smooth.h"

#include "array/array.h"
#include "plan/sample.h"

#include <math.h>

enum { REACH = 3, POINTS = 512, MOST_OFF = POINTS / 8 };

/* The value at 'steps' elements along an axis from an element of the array. */
static double neighbour(const struct zti_array *array, const char *at, uint32_t axis, int64_t steps)
{
    const int64_t bytes = (int64_t)zt_type_bytes(array->type);
    return zti_number_at(array->type, at + steps * array->stride[axis] * bytes);
}

/* Count points that are farther than the bound from the cubic; NaN counts as far. */
static uint32_t count_off(const struct zti_array *array, uint32_t axis, double abs_bound)
{
    uint32_t off = 0;
    struct zti_array inner = *array; /* points that have all neighbours */
    inner.shape[axis] -= 2 * REACH;
    for (uint32_t k = 0; k < POINTS && off <= MOST_OFF; k++) {
        uint64_t at[ZT_MAX_RANK];
        zti_sample_point(&inner, k, at);
        at[axis] += REACH;
        const char *const here = zti_array_at(array, at);
        const double near = neighbour(array, here, axis, -1) + neighbour(array, here, axis, 1);
        const double far = neighbour(array, here, axis, -3) + neighbour(array, here, axis, 3);
        const double value = neighbour(array, here, axis, 0);
        off += !(fabs(value - (9 * near - far) / 16) <= abs_bound);
    }
    return off;
}

bool zti_is_smooth(const struct zti_array *array, double abs_bound)
{
    for (uint32_t axis = 0; axis < array->rank; axis++)
        if (array->shape[axis] > 2 * REACH && count_off(array, axis, abs_bound) <= MOST_OFF)
            return true;
    return false;
}
