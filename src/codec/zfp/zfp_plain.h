/* zfp_plain.h: the plain C texts of a tile for all four types: put_tile_f32, take_tile_i64, ...
 *
 * Each instance file includes them: as what it does (plain C), or for the tiles that its own
 * texts leave out. */
#ifndef ZTI_ZFP_PLAIN_H
#define ZTI_ZFP_PLAIN_H

#include "codec/zfp/zfp.h"
#include "codec/zfp/zfp_planes.h"

#if !defined(FN) /* the CUDA instance has its own */
#define FN ZTI_INLINE
#endif

#define lane int64_t
#define ulane uint64_t
#define NAME(x) x##_64
#define WIDTH 64
#define PRECISION_BITS 6
#define NEGABINARY UINT64_C(0xaaaaaaaaaaaaaaaa)
#define FEW_BITS 512
#include "codec/zfp/zfp_tile.h"
#include "codec/zfp/zfp_coder.h" /* put_lossy_64, take_exact_64, gather_64, ... */
#undef NAME
#undef PRECISION_BITS

#define NAME(x) x##_f64
#define INTS(x) x##_64
#define scalar double
#define EXPONENT_BITS 11
#define BIAS 1023
#define MANTISSA_BITS 52
#define PROOF_PLANES 8
#include "codec/zfp/zfp_float.h" /* put_tile_f64, take_tile_f64, ... */
#undef NAME

#define NAME(x) x##_i64
#define LANE_MAX INT64_MAX
#include "codec/zfp/zfp_integer.h" /* put_tile_i64, take_tile_i64, ... */
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

#define lane int32_t
#define ulane uint32_t
#define NAME(x) x##_32
#define WIDTH 32
#define PRECISION_BITS 5
#define NEGABINARY UINT32_C(0xaaaaaaaa)
#define FEW_BITS 160
#include "codec/zfp/zfp_tile.h"
#include "codec/zfp/zfp_coder.h" /* put_lossy_32, take_exact_32, gather_32, ... */
#undef NAME
#undef PRECISION_BITS

#define NAME(x) x##_f32
#define INTS(x) x##_32
#define scalar float
#define EXPONENT_BITS 8
#define BIAS 127
#define MANTISSA_BITS 23
#define PROOF_PLANES 5
#include "codec/zfp/zfp_float.h" /* put_tile_f32, take_tile_f32, ... */
#undef NAME

#define NAME(x) x##_i32
#define LANE_MAX INT32_MAX
#include "codec/zfp/zfp_integer.h" /* put_tile_i32, take_tile_i32, ... */
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

#endif
