/* encode32.cu: the kernels that encode values of 32 bits without loss. */
#define WIDTH   32
#define NAME(x) x##_32
#include "codec/sz/lossless/gpu/encode.h"
