/* plain.c: the plain C instance of effort 'high'. */
#define OPS        zti_sz_high_plain
#define PUT_CODES  zti_ans_mixed_put
#define TAKE_CODES zti_ans_mixed_take
#include "codec/sz/interp/instance.h"
