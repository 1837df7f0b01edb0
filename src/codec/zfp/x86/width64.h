/* width64.h: the macros of the vector texts for 64-bit values; x86/encode.h lists them.
 * x86/width_end.h undefines it. */
#define WIDTH     64
#define ELEMENTS  V_LANES_64
#define REGISTERS (64 / ELEMENTS)
#define PARTS     (16 / ELEMENTS)
#define word      uint64_t
#define lane      i64s
#define ulane     u64s
#define floats    f64s
#define NAME(x)   x##_v64
#define OF(x)     x##_64
#define FN        ZTI_INLINE
#include "codec/zfp/tile/arithmetic.h"
