/* tight.h: spend the slack between the error that a codec must allow for and the one it makes. */
#ifndef ZTI_PLAN_TIGHT_H
#define ZTI_PLAN_TIGHT_H

#include "plan/sample.h"

/* Loosen a coding of an array, the coded one, as configure left it: by so many bit planes that its
 * stream, and the values that are then kept exactly beside it, take the least bytes by samples.
 * Whoever codes with it has each tile decoded and compared (coding->loose_planes). A codec that
 * makes the error that it is allowed, and a bound that is none on each value, are left alone. */
zt_status zti_plan_tighten(zt_context *context, const zt_array *array, const struct zti_ask *ask,
                           struct zti_coding *coding);

/* What a value kept exactly takes in a file, about: itself and its place. */
static inline double zti_exact_bits(uint32_t type)
{
    return 8 * (double)zt_type_bytes(type) + 12;
}

#endif
