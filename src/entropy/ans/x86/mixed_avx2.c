/* mixed_avx2.c: the AVX2 instance of mixed ANS streams (mixed_text.h). AVX-512 has a decoder for
 * few models (mixed_avx512.c); its encoder is this one: table look-ups, one symbol after another,
 * take most of the time. */
#include "core/cpu.h"
#include "entropy/ans/mixed.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx2.h"

#define NAME(x) x##_avx2
#include "entropy/ans/mixed_text.h"

#include "simd/end.h"
#endif
