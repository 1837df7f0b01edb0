/* plain.c: the plain C instance of effort 'high'. */
#define IS_WIDE    0
#define OPS        zti_sz_high_plain
#define PUT_CODES  zti_ans_mixed_encode
#define TAKE_CODES zti_ans_mixed_decode
#include "codec/sz/interp/instance.h"
