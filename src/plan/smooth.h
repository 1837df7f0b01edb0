/* smooth.h: whether values are smooth beside a bound, by a quick look. */
#ifndef ZTI_PLAN_SMOOTH_H
#define ZTI_PLAN_SMOOTH_H

#include "codec/codec.h"

/* Whether along some axis most sampled values of a float array are within abs_bound of the cubic
 * through their four neighbours at distances -3, -1, 1 and 3. Interpolation then leaves mostly
 * zeros. */
bool zti_is_smooth(const struct zti_array *array, double abs_bound);

#endif
