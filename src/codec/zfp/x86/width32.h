/* width32.h: the macros of the vector texts for 32-bit values; x86/encode.h lists them.
 * x86/width_end.h undefines it. */
#define WIDTH     32
#define ELEMENTS  V_LANES_32
#define REGISTERS (64 / ELEMENTS)
#define PARTS     (16 / ELEMENTS)
#define word      uint32_t
#define lane      i32s
#define ulane     u32s
#define floats    f32s
#define NAME(x)   x##_v32
#define OF(x)     x##_32
#define FN        ZTI_INLINE
#include "codec/zfp/tile/arithmetic.h"
