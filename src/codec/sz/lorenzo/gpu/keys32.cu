/* keys32.cu: the CUDA instance of the sz codec for keys of values of 32 bits. */
#include "codec/sz/gpu/kernels.h"

typedef uint32_t word;
typedef float scalar;
#define WIDTH         32
#define IS_LOG        0
#define IS_KEYS       1
#define ENCODE_BLOCKS 2
#define DECODE_BLOCKS 5
#define NAME(x)       x##_keys_32
#include "codec/sz/lorenzo/gpu/kernel.h"
