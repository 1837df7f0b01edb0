/* width32.cu: the lossless coder's kernels for values of 32 bits. */
#define WIDTH   32
#define NAME(x) x##_32
#include "codec/sz/lossless/gpu/decode.h"
