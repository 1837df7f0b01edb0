/* next_state.h: kernel text: a step of the encoder of ans/mixed.h. */
#ifndef ZTI_ANS_GPU_NEXT_STATE_H
#define ZTI_ANS_GPU_NEXT_STATE_H

#include "gpu/simt.h"
#include "entropy/ans/mixed.h"

/* The state that follows for a symbol, given its number among the table's entries; *bits: how many
 * of its low bits the state emits. */
static __device__ __forceinline__ uint32_t ans_next_state(const struct zti_ans_mixed_entry *table,
                                                          uint32_t number, uint32_t state,
                                                          uint32_t *bits)
{
    const uint16_t *const next = (const uint16_t *)(const void *)table;
    const struct zti_ans_mixed_entry entry = table[number];
    *bits = ZTI_ANS_EMITTED(state, entry.steps);
    return next[ZTI_ANS_NUMBER(state, *bits, entry.next)];
}

#endif
