/* plans.h: the plans there are for a shape: orders of axes, and which of them are joined. */
#ifndef ZTI_PLAN_PLANS_H
#define ZTI_PLAN_PLANS_H

#include "plan/plan.h"

/* The axes that have more than one element, slowest first. */
uint32_t zti_real_axes(uint32_t rank, const uint64_t *shape, uint8_t *axes);

/* The plan with n axes in this order; bit k of joins: axis k is joined to the one before. Axes of
 * one element are joined to the first. */
struct zti_plan zti_plan_make(uint32_t rank, const uint64_t *shape, const uint8_t *order,
                              uint32_t n, uint32_t joins);

/* Permutation number 'code' of n axes, by its digits in base 4; false where that is none. */
bool zti_axes_order(uint32_t code, const uint8_t *axes, uint32_t n, uint8_t *order);

/* Every plan that can be chosen for a shape: for bounds of sizes. At most ZTI_PLANS_MOST. */
enum { ZTI_PLANS_MOST = 192 };
uint32_t zti_plans_of(uint32_t rank, const uint64_t *shape, struct zti_plan *list);

#endif
