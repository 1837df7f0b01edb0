/* pace.h: about how long decoding takes under a plan. */
#ifndef ZTI_PLAN_PACE_H
#define ZTI_PLAN_PACE_H

#include "codec/planning.h"
#include "plan/plan.h"

/* Time to decode an array of this type and shape, in arbitrary units for each value, where the
 * codec takes 'rate' bits for each value under the plan. It is a function of its arguments alone,
 * measured once: only ratios of it mean anything. 0 where it does not depend on the plan. */
double zti_pace(const struct zti_codec *codec, uint32_t type, const struct zti_plan *plan,
                const uint64_t *shape, double rate);

#endif
