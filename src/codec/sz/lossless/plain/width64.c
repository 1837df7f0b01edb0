/* width64.c: the lossless coder in plain C, for values of 64 bits. */
#define WIDTH      64
#define OPS        zti_ll_plain_64
#define PUT_CODES  zti_ans_mixed_encode
#define TAKE_CODES zti_ans_mixed_decode
#include "codec/sz/lossless/instance.h"
