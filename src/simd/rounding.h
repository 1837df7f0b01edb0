/* rounding.h: the self-test for fused multiply-add. Bytes depend on the rounding of each operation,
 * so a library whose compiler joined products and sums is refused. */
#ifndef ZTI_SIMD_ROUNDING_H
#define ZTI_SIMD_ROUNDING_H

#include "core/core.h"

/* Whether plain C and the instances of an instruction set (zt_isa; the machine supports it) round
 * a product before they add to it. */
bool zti_rounds_products(uint32_t isa);

#endif
