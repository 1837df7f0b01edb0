/* narrow.c: the transform coder in plain C, for narrow streams. */
#define OPS       zti_tf_narrow
#define PUT_CODES zti_ans_mixed_encode
#define IS_NARROW 1
#include "codec/sz/transform/instance.h"
