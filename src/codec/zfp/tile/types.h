/* types.h: text: a tile of each of the four types, over either width.
 *
 * The includer defines
 *   FN                storage class
 *   OF(x, type)       x with the suffix of an instance and a type, or of the width 32 or 64
 *   OWN_VALUES(rank)  how many of a tile's values who runs the text has
 *   ZTI_ZFP_CODER     the file that works on them: plain/coder.h or gpu/warp_coder.h */

#define lane           int64_t
#define ulane          uint64_t
#define NAME(x)        OF(x, 64)
#define WIDTH          64
#define PRECISION_BITS 6
#define NEGABINARY     UINT64_C(0xaaaaaaaaaaaaaaaa)
#define FEW_BITS       512
#include ZTI_ZFP_CODER
#include "codec/zfp/tile/stages.h" /* put_lossy, take_exact, ... */
#undef NAME
#undef PRECISION_BITS

#define NAME(x)       OF(x, f64)
#define INTS(x)       OF(x, 64)
#define scalar        double
#define EXPONENT_BITS 11
#define BIAS          1023
#define MANTISSA_BITS 52
#define PROOF_PLANES  8
#include "codec/zfp/tile/float.h" /* put_tile, take_tile */
#undef NAME

#define NAME(x)  OF(x, i64)
#define LANE_MAX INT64_MAX
#include "codec/zfp/tile/integer.h" /* put_tile, take_tile */
#undef LANE_MAX
#undef lane
#undef ulane
#undef NAME
#undef INTS
#undef WIDTH
#undef NEGABINARY
#undef FEW_BITS
#undef scalar
#undef EXPONENT_BITS
#undef BIAS
#undef MANTISSA_BITS
#undef PROOF_PLANES

#define lane           int32_t
#define ulane          uint32_t
#define NAME(x)        OF(x, 32)
#define WIDTH          32
#define PRECISION_BITS 5
#define NEGABINARY     UINT32_C(0xaaaaaaaa)
#define FEW_BITS       160
#include ZTI_ZFP_CODER
#include "codec/zfp/tile/stages.h" /* put_lossy, take_exact, ... */
#undef NAME
#undef PRECISION_BITS

#define NAME(x)       OF(x, f32)
#define INTS(x)       OF(x, 32)
#define scalar        float
#define EXPONENT_BITS 8
#define BIAS          127
#define MANTISSA_BITS 23
#define PROOF_PLANES  5
#include "codec/zfp/tile/float.h" /* put_tile, take_tile */
#undef NAME

#define NAME(x)  OF(x, i32)
#define LANE_MAX INT32_MAX
#include "codec/zfp/tile/integer.h" /* put_tile, take_tile */
#undef LANE_MAX
#undef lane
#undef ulane
#undef NAME
#undef INTS
#undef WIDTH
#undef NEGABINARY
#undef FEW_BITS
#undef scalar
#undef EXPONENT_BITS
#undef BIAS
#undef MANTISSA_BITS
#undef PROOF_PLANES
