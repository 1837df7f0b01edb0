/* sz_high_avx2.c: the AVX2 instance of effort 'high'. */
#define OPS zti_sz_high_avx2
#include "codec/sz/sz_high_text.h"
