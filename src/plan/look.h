/* look.h: what points and boxes of an array tell before all of it is coded. */
#ifndef ZTI_PLAN_LOOK_H
#define ZTI_PLAN_LOOK_H

#include "codec/planning.h"
#include "exec/exec.h"

/* Whether along some axis most sampled values of a float array are within abs_bound of the cubic
 * through their four neighbours at distances -3, -1, 1 and 3. Interpolation then leaves mostly
 * zeros. */
bool zti_is_smooth(const struct zti_array *array, double abs_bound);

/* Code two boxes with one candidate and with another, each box as an array by itself; *part: the
 * first one's bytes over the other's. A box has a 32nd of the array's values, but 2^17 to 2^19. For
 * candidates that predict from far away. Of the boxes spread over the array those count that are
 * not one value within the bound, as boxes of zeros, which tell nothing of the rest of an array:
 * the first two of eight. *part is 0 if there is none. */
zt_status zti_plan_compare_boxes(zt_context *context, const struct zti_array *array,
                                 const struct zti_candidate *one, const struct zti_candidate *other,
                                 const struct zti_target *target, double *part);

/* The same with a faster candidate and the first such box, of 2^14 to 2^16 values. *part is 1 if
 * there is none. */
enum { ZTI_BOX_VALUES = 1 << 14 };
zt_status zti_plan_compare_with_faster(zt_context *context, const struct zti_array *array,
                                       const struct zti_candidate *one,
                                       const struct zti_candidate *faster,
                                       const struct zti_target *target, double *part);

/* Estimate what an array takes by a candidate that loses nothing, from two small boxes. */
zt_status zti_plan_measure_lossless(zt_context *context, const struct zti_array *array,
                                    const struct zti_candidate *candidate,
                                    const struct zti_target *target, double *bytes);

#endif
