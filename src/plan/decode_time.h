/* decode_time.h: estimate the time of decoding under a plan. */
#ifndef ZTI_PLAN_DECODE_TIME_H
#define ZTI_PLAN_DECODE_TIME_H

#include "codec/planning.h"
#include "plan/plan.h"

/* Time to decode an array of this type and shape, which takes 'rate' bits for each value under the
 * plan. The unit is arbitrary, so only ratios mean anything; the constants were measured once. 0 if
 * the time does not depend on the plan. */
double zti_decode_time(const struct zti_codec *codec, uint32_t type, const struct zti_plan *plan,
                       const uint64_t *shape, double rate);

#endif
