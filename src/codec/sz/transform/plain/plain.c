/* plain.c: the transform coder in plain C. */
#define OPS zti_tf_plain
#include "codec/sz/transform/instance.h"
