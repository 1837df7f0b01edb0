/* encode_wide.cu: the transform coder's kernels that encode, for streams that are not narrow. */
#define IS_NARROW 0
#define NAME(x)   x##_wide
#include "codec/sz/transform/gpu/encode.h"
