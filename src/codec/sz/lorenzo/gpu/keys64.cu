/* keys64.cu: the CUDA instance of the sz codec for keys of values of 64 bits. */
#include "codec/sz/gpu/kernels.h"

typedef uint64_t word;
typedef double scalar;
#define WIDTH         64
#define IS_LOG        0
#define IS_KEYS       1
#define ENCODE_BLOCKS 3
#define DECODE_BLOCKS 4
#define NAME(x)       x##_keys_64
#include "codec/sz/lorenzo/gpu/kernel.h"
