/* plans.h: all plans for a shape: orders of axes and joins. */
#ifndef ZTI_PLAN_PLANS_H
#define ZTI_PLAN_PLANS_H

#include "plan/plan.h"

/* The axes that have more than one element, slowest first. */
uint32_t zti_real_axes(uint32_t rank, const uint64_t *shape, uint8_t *axes);

/* The plan with n axes in this order. Bit k of 'joins' joins axis k to the one before; axes of one
 * element are joined to the first. */
struct zti_plan zti_plan_make(uint32_t rank, const uint64_t *shape, const uint8_t *order,
                              uint32_t n, uint32_t joins);

/* The permutation of n axes whose places are the base-4 digits of 'code'; false if it is none. */
bool zti_axes_order(uint32_t code, const uint8_t *axes, uint32_t n, uint8_t *order);

/* List every plan that can be chosen for a shape, at most ZTI_PLANS_MOST; returns their number. */
enum { ZTI_PLANS_MOST = 192 };
uint32_t zti_plans_of(uint32_t rank, const uint64_t *shape, struct zti_plan *list);

#endif
