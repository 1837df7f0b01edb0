/* wide.c: the instance of effort 'high' for integers of 64 bits, on every instruction set. */
#define IS_WIDE    1
#define OPS        zti_sz_high_wide
#define PUT_CODES  zti_ans_mixed_encode
#define TAKE_CODES zti_ans_mixed_decode
#include "codec/sz/interp/instance.h"
