/* mixed_avx2.c: the AVX2 instance of mixed ANS streams. AVX-512 is no faster: what takes time
 * is looking up, one symbol after another. */
#include "core/cpu.h"
#include "entropy/ans/mixed.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx2.h"

#define NAME(x) x##_avx2
#include "entropy/ans/mixed_text.h"

#include "simd/end.h"
#endif
