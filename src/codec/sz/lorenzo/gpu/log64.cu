/* log64.cu: the CUDA instance of the sz codec for values of 64 bits that are coded as
 * logarithms. */
#include "codec/sz/gpu/kernels.h"

typedef uint64_t word;
typedef double scalar;
#define WIDTH         64
#define IS_LOG        1
#define IS_KEYS       0
#define ENCODE_BLOCKS 2
#define DECODE_BLOCKS 4
#define NAME(x)       x##_log_64
#include "codec/sz/lorenzo/gpu/kernel.h"
