/* decode.c: the AVX-512 instance, decoding. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx512.h"

#include "codec/zfp/x86/avx512/lanes.h"
#include "codec/zfp/x86/bits_to_planes.h"
#include "codec/zfp/x86/lanes4.h"
#include "codec/zfp/plain/instance.h"
#include "codec/zfp/x86/vector.h"

#include "codec/zfp/x86/avx512/width32.h"
#include "codec/zfp/x86/avx512/from_planes.h"
#include "codec/zfp/x86/decode.h" /* decode_v32 */
#include "codec/zfp/x86/runs4.h"
#include "codec/zfp/x86/avx512/runs.h"
#include "codec/zfp/x86/width_end.h"

#include "codec/zfp/x86/avx512/width64.h"
#include "codec/zfp/x86/avx512/from_planes.h"
#include "codec/zfp/x86/decode.h" /* decode_v64 */
#include "codec/zfp/x86/runs4.h"
#include "codec/zfp/x86/avx512/runs.h"
#include "codec/zfp/x86/width_end.h"

#include "codec/zfp/x86/decoders.h"

/* Runs of tiles of 4 or 16 values side by side. */
#define DECODE_RUNS(kind, width, is_float)                                                         \
    static void decode_runs_##kind(const struct zti_coding *coding, const uint8_t *base,           \
                                   uint64_t *at, uint32_t runs, uint64_t first,                    \
                                   uint32_t run_tiles, const struct zti_view *view)                \
    {                                                                                              \
        if (coding->grid.rank == 1)                                                                \
            decode_runs4_##kind(coding, base, at, runs, first, run_tiles, view);                   \
        else if (zti_zfp_is_reversible(zfp_of(coding)))                                            \
            decode_runs_v##width(coding, base, at, runs, first, run_tiles, view, is_float, true);  \
        else                                                                                       \
            decode_runs_v##width(coding, base, at, runs, first, run_tiles, view, is_float, false); \
    }

DECODE_RUNS(f32, 32, true)
DECODE_RUNS(f64, 64, true)
DECODE_RUNS(i32, 32, false)
DECODE_RUNS(i64, 64, false)

const zti_zfp_runs_table zti_zfp_decode_runs_avx512 = {decode_runs_f32, decode_runs_f64,
                                                       decode_runs_i32, decode_runs_i64};

/* At fixed rate tiles of 16 values are taken side by side, too. */
#define DECODE_LANES(kind, width, is_float)                                                        \
    static void decode_##kind##_2d_lanes(const struct zti_coding *coding,                          \
                                         struct zti_bit_reader *r, uint64_t first, uint64_t last,  \
                                         const struct zti_view *view)                              \
    {                                                                                              \
        if (!goes_plainly(coding) && is_limited(coding) && zti_zfp_fixed_bits(coding) > 0)         \
            decode_fixed_v##width(coding, r, first, last, zfp_of(coding)->maxbits, view,           \
                                  is_float);                                                       \
        else                                                                                       \
            decode_##kind##_2d(coding, r, first, last, view);                                      \
    }

DECODE_LANES(f32, 32, true)
DECODE_LANES(f64, 64, true)
DECODE_LANES(i32, 32, false)
DECODE_LANES(i64, 64, false)

const zti_zfp_decode_table zti_zfp_decode_avx512 = {
    {decode_f32_1d_lanes, decode_f32_2d_lanes, decode_f32_3d, decode_f32_4d},
    {decode_f64_1d_lanes, decode_f64_2d_lanes, decode_f64_3d, decode_f64_4d},
    {decode_i32_1d_lanes, decode_i32_2d_lanes, decode_i32_3d, decode_i32_4d},
    {decode_i64_1d_lanes, decode_i64_2d_lanes, decode_i64_3d, decode_i64_4d},
};

const zti_zfp_skip_table zti_zfp_skip_avx512 = {
    {skip_f32_1d, skip_f32_2d, skip_f32_3d, skip_f32_4d},
    {skip_f64_1d, skip_f64_2d, skip_f64_3d, skip_f64_4d},
    {skip_i32_1d, skip_i32_2d, skip_i32_3d, skip_i32_4d},
    {skip_i64_1d, skip_i64_2d, skip_i64_3d, skip_i64_4d},
};

#include "simd/end.h"
#endif
