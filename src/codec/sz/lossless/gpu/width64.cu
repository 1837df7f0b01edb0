/* width64.cu: the lossless coder's kernels for values of 64 bits. */
#define WIDTH   64
#define NAME(x) x##_64
#include "codec/sz/lossless/gpu/decode.h"
