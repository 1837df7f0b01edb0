/* avx512.c: the AVX-512 instance of the Lorenzo coder of sz tiles. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx512.h"

#define LINES "codec/sz/lorenzo/x86/lines_avx512.h"
#define OPS   zti_sz_avx512
#include "codec/sz/lorenzo/instance.h"

#include "simd/end.h"
#endif
