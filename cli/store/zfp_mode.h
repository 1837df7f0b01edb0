/* zfp_mode.h: between a bound and zfp's four numbers. */
#ifndef ZTI_STORE_ZFP_MODE_H
#define ZTI_STORE_ZFP_MODE_H

#include "io.h"
#include "ztile_zfp.h"

/* zfp's parameters for a bound; rel needs the range in params. */
bool zfp_of_bound(zt_zfp *zfp, const zt_params *params, uint32_t word_bits, uint32_t type,
                  uint32_t rank, const char *place, struct ztio_error *error);

/* The bound that a stream's parameters stand for, and the absolute bound that libzfp promises
 * with them: NaN if none, 0 if lossless. */
void bound_of_zfp(const zt_zfp *zfp, uint32_t type, uint32_t rank, zt_bound *bound,
                  double *abs_bound);

/* The absolute tolerance a bound asks for; NaN if it does not. */
double tolerance_of(const zt_params *params);

#endif
