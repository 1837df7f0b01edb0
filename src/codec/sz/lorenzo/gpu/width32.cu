/* width32.cu: the CUDA instance of the sz codec for values of 32 bits. */
#include "codec/sz/gpu/kernels.h"

typedef uint32_t word;
typedef float scalar;
#define WIDTH         32
#define IS_LOG        0
#define IS_KEYS       0
#define ENCODE_BLOCKS 4
#define DECODE_BLOCKS 6
#define NAME(x)       x##_32
#include "codec/sz/lorenzo/gpu/kernel.h"
