/* sz_high_avx2.c: the AVX2 instance of effort 'high'. */
#define OPS zti_sz_high_avx2
#define PUT_CODES  zti_ans_mixed_put_avx2
#define TAKE_CODES zti_ans_mixed_take_avx2
#include "codec/sz/sz_high_text.h"
