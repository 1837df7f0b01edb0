/* avx2.c: the AVX2 instance of the Lorenzo coder of sz tiles. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx2.h"

#define LINES "codec/sz/lorenzo/x86/lines_avx2.h"
#define OPS   zti_sz_avx2
#include "codec/sz/lorenzo/instance.h"

#include "simd/end.h"
#endif
