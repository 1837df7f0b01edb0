/* instance.h: kernel text: all kernels of one instruction set, for both widths and each rank, as
 * the table KERNELS. The includer has chosen the instruction set (simd/vectors.h) and defines for
 * each width what tile/planes.h needs or, with HAS_PACK, these functions:
 *   pack_W(f, masks, to)      store masks and planes of 64 residuals; returns the planes' end
 *   unpack_W(masks, from, f)  the inverse
 * In this and the included files, word is uint32_t or uint64_t, WIDTH its bits, lane a vector of
 * LANES words, NAME(x) x with the width's suffix, and LE(x) x for little-endian words. */
#include "codec/ndzip/ndzip.h"
#include "simd/vectors.h"

ZTI_NDZIP_FOLD(32, u32s, i32s)
ZTI_NDZIP_FOLD(64, u64s, i64s)

#define word    uint32_t
#define lane    u32s
#define LANES   V_LANES_32
#define WIDTH   32
#define NAME(x) x##_32
#define LE(x)   x##_le32
#include "codec/ndzip/tile/differences.h"
#if !defined(HAS_PACK)
#include "codec/ndzip/tile/planes.h"
#endif
#include "codec/ndzip/tile/record.h" /* write_1d_32, stream_1d_32, read_1d_32, ... */
#undef word
#undef lane
#undef LANES
#undef WIDTH
#undef NAME
#undef LE

#define word    uint64_t
#define lane    u64s
#define LANES   V_LANES_64
#define WIDTH   64
#define NAME(x) x##_64
#define LE(x)   x##_le64
#include "codec/ndzip/tile/differences.h"
#if !defined(HAS_PACK)
#include "codec/ndzip/tile/planes.h"
#endif
#include "codec/ndzip/tile/record.h" /* write_1d_64, stream_1d_64, read_1d_64, ... */

zti_ndzip_kernel_table KERNELS = {
    {{write_1d_32, stream_1d_32, read_1d_32},
     {write_2d_32, NULL, read_2d_32},
     {write_3d_32, NULL, read_3d_32}},
    {{write_1d_64, stream_1d_64, read_1d_64},
     {write_2d_64, NULL, read_2d_64},
     {write_3d_64, NULL, read_3d_64}},
};
