/* width32.c: the lossless coder in plain C, for values of 32 bits. */
#define WIDTH      32
#define OPS        zti_ll_plain_32
#define PUT_CODES  zti_ans_mixed_encode
#define TAKE_CODES zti_ans_mixed_decode
#include "codec/sz/lossless/instance.h"
