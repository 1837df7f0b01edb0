/* look.h: what points and boxes of an array tell before all of it is coded. */
#ifndef ZTI_PLAN_LOOK_H
#define ZTI_PLAN_LOOK_H

#include "codec/planning.h"
#include "exec/exec.h"

/* Whether along some axis most sampled values of a float array are within abs_bound of the cubic
 * through their four neighbours at distances -3, -1, 1 and 3. Interpolation then leaves mostly
 * zeros. */
bool zti_is_smooth(const struct zti_array *array, double abs_bound);

/* Boxes to code: one or two, and the values of one at least. */
struct zti_boxes {
    uint32_t count;
    uint64_t least_values;
};

/* Code boxes with one candidate and with another, each box as an array by itself; *part: the first
 * one's bytes over the other's, of a far candidate without 512 bytes a box, as much as a box may
 * have beside its values. A box has a 32nd of the array's values, and at most four times
 * least_values. For candidates that predict from far away. Boxes that are one value within the
 * bound, as boxes of zeros, tell nothing of the rest of the array: of eight boxes the first others
 * are coded, and *part stays as it is if there are none. */
zt_status zti_plan_compare_boxes(zt_context *context, const struct zti_array *array,
                                 const struct zti_candidate *one, const struct zti_candidate *other,
                                 const struct zti_target *target, const struct zti_boxes *boxes,
                                 double *part);

/* What to expect of a candidate. */
struct zti_expected {
    double bytes;    /* 0: not known */
    double least;    /* bytes less two standard errors */
    double of_boxes; /* bytes by the boxes alone, of a far candidate less what a box may have beside
                        its values; 0: they were tiles, or too small */
};

/* Expect what each of 'count' candidates makes of an array of 2^22 values or more, which has no
 * special values, from four to eight boxes of 2^17 values, or tiles of the candidate's where these
 * have 2^17 to 2^19. Boxes that are rougher or smoother than the array are corrected for that. What
 * a candidate gains over distances longer than a box is not in it. Nothing is known where most
 * boxes are one value within the bound. */
zt_status zti_plan_expect(zt_context *context, const struct zti_array *array,
                          const struct zti_candidate *of, uint32_t count,
                          const struct zti_target *target, struct zti_expected *expected);

/* Estimate what an array takes by a candidate that loses nothing, from two small boxes. */
zt_status zti_plan_measure_lossless(zt_context *context, const struct zti_array *array,
                                    const struct zti_candidate *candidate,
                                    const struct zti_target *target, double *bytes);

#endif
