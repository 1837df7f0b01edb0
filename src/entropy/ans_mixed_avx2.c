/* ans_mixed_avx2.c: the AVX2 instance of mixed ANS streams. AVX-512 is no faster: what takes time
 * is looking up, one symbol after another. */
#define NAME(x) x##_avx2
#include "entropy/ans_mixed_text.h"
