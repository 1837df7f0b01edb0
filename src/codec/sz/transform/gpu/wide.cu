/* wide.cu: the transform coder's kernels for streams that are not narrow. */
#define IS_NARROW 0
#define NAME(x)   x##_wide
#include "codec/sz/transform/gpu/decode.h"
