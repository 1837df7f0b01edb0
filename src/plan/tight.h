/* tight.h: drop more planes than the worst case allows, where the measured error keeps the bound.
 */
#ifndef ZTI_PLAN_TIGHT_H
#define ZTI_PLAN_TIGHT_H

#include "codec/planning.h"
#include "exec/exec.h"
#include "plan/trial.h"

/* Set target->loose_planes: so many bit planes less than the bound allows for any values that the
 * stream, and the values that are then kept exactly beside it, take the least bytes by samples.
 * Whoever codes so has each tile decoded and compared. A codec that makes the error that it is
 * allowed, and a bound that is none on each value, are left alone. array is the coded one. Where
 * more than *misses_most values come to be kept exactly it does not pay, whatever the stream
 * takes. */
zt_status zti_plan_tighten(zt_context *context, const struct zti_array *array,
                           const struct zti_codec *codec, struct zti_target *target,
                           uint64_t *misses_most);

/* What a value kept exactly takes in a file, about: itself and its place. */
static inline double zti_exact_bits(uint32_t type)
{
    return 8 * (double)zt_type_bytes(type) + 12;
}

/* Whether a stream that was coded so takes more exact values than pay. */
bool zti_is_too_loose(const struct zti_misses *misses, uint32_t type, uint64_t stream_bytes);

#endif
