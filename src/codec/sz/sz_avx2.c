/* sz_avx2.c: the AVX2 instance of the sz codec's tiles. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/begin_avx2.h"

#define SMALL "codec/sz/sz_small_avx2.h"
#define WORDS_32 "codec/sz/sz_words_avx2.h"
#define LINES_TEXT "codec/sz/sz_lines_avx2.h"
#define OPS zti_sz_avx2
#include "codec/sz/sz_instance.h"

#include "simd/end.h"
#endif
