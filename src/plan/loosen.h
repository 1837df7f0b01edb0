/* loosen.h: drop more bit planes than the worst case allows, where measured errors keep the bound.
 */
#ifndef ZTI_PLAN_LOOSEN_H
#define ZTI_PLAN_LOOSEN_H

#include "codec/planning.h"
#include "exec/exec.h"
#include "plan/trial.h"

/* Set target->loose_planes, the number of further planes to drop: by samples of the coded array,
 * that with which the stream and the values kept exactly beside it take the fewest bytes. The
 * caller then has each tile decoded and compared. 0 for a codec that has no planes to drop, and
 * unless the bound is absolute. *misses_most: if more values must be kept exactly, dropping does
 * not pay. */
zt_status zti_plan_loosen(zt_context *context, const struct zti_array *array,
                          const struct zti_codec *codec, struct zti_target *target,
                          uint64_t *misses_most);

/* What a value kept exactly takes in a file, about: itself and its place. */
static inline double zti_exact_bits(uint32_t type)
{
    return 8 * (double)zt_type_bytes(type) + 12;
}

/* Whether a stream coded with dropped planes has more exact values than pay. */
bool zti_is_too_loose(const struct zti_misses *misses, uint32_t type, uint64_t stream_bytes);

#endif
