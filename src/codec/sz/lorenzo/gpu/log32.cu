/* log32.cu: the CUDA instance of the sz codec for values of 32 bits that are coded as
 * logarithms. */
#include "codec/sz/gpu/kernels.h"

typedef uint32_t word;
typedef float scalar;
#define WIDTH         32
#define IS_LOG        1
#define IS_KEYS       0
#define ENCODE_BLOCKS 3
#define DECODE_BLOCKS 5
#define NAME(x)       x##_log_32
#include "codec/sz/lorenzo/gpu/kernel.h"
