/* encode64.cu: the kernels that encode values of 64 bits without loss. */
#define WIDTH   64
#define NAME(x) x##_64
#include "codec/sz/lossless/gpu/encode.h"
