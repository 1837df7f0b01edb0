/* narrow.c: the transform coder in plain C, for narrow streams. */
#define OPS       zti_tf_narrow
#define IS_NARROW 1
#include "codec/sz/transform/instance.h"
