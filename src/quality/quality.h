/* quality.h: inside the library, the public zt_scan and zt_compare are all there is to it, and
 * this test of one value against a bound. */
#ifndef ZTI_QUALITY_H
#define ZTI_QUALITY_H

#include "array/array.h"

/* True where both elements (of one type, given as their bits) are within an absolute bound of
 * each other in exact arithmetic, or are the same bits. */
bool zti_within(uint32_t type, uint64_t original_bits, uint64_t reconstructed_bits, double bound);

#endif
