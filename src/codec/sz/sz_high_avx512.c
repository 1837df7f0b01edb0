/* sz_high_avx512.c: the AVX-512 instance of effort 'high'. */
#define OPS zti_sz_high_avx512
#include "codec/sz/sz_high_text.h"
