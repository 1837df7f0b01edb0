/* encode_narrow.cu: the transform coder's kernels that encode, for narrow streams. */
#define IS_NARROW 1
#define NAME(x)   x##_narrow
#include "codec/sz/transform/gpu/encode.h"
