/* plain.c: the transform coder in plain C. */
#define OPS       zti_tf_plain
#define PUT_CODES zti_ans_mixed_encode
#define IS_NARROW 0
#include "codec/sz/transform/instance.h"
