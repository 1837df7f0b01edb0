/* avx2.c: the AVX2 instance of the sz codec's tiles. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx2.h"

#define LINES "codec/sz/lorenzo/x86/lines_avx2.h"
#define OPS   zti_sz_avx2
#include "codec/sz/lorenzo/instance.h"

#include "simd/end.h"
#endif
