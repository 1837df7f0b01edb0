/* holes.c: the AVX2 instance of the choice of the values of holes. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx2.h"

#include "codec/zfp/zfp.h"

#include <math.h>

#define FIT_HOLES zti_zfp_fit_holes_avx2
#include "codec/zfp/tile/holes.h"

#include "simd/end.h"
#endif
