/* decode.c: the AVX2 and BMI2 instance, decoding. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx2.h"

#include "codec/zfp/x86/avx2/cube.h"
#include "codec/zfp/tables/avx2_permutations.h"
#include "codec/zfp/x86/bits_to_planes.h"
#include "codec/zfp/x86/lanes4.h"
#include "codec/zfp/plain/instance.h"
#include "codec/zfp/x86/vector.h"

#include "codec/zfp/x86/avx2/width32.h"
#include "codec/zfp/x86/avx2/from_planes.h"
#include "codec/zfp/x86/decode.h" /* decode_v32 */
#include "codec/zfp/x86/runs4.h"
#include "codec/zfp/x86/width_end.h"

#include "codec/zfp/x86/avx2/width64.h"
#include "codec/zfp/x86/avx2/from_planes.h"
#include "codec/zfp/x86/decode.h" /* decode_v64 */
#include "codec/zfp/x86/runs4.h"
#include "codec/zfp/x86/width_end.h"

#include "codec/zfp/x86/decoders.h"

const zti_zfp_decode_table zti_zfp_decode_avx2 = {
    {decode_f32_1d_lanes, decode_f32_2d, decode_f32_3d, decode_f32_4d},
    {decode_f64_1d_lanes, decode_f64_2d, decode_f64_3d, decode_f64_4d},
    {decode_i32_1d_lanes, decode_i32_2d, decode_i32_3d, decode_i32_4d},
    {decode_i64_1d_lanes, decode_i64_2d, decode_i64_3d, decode_i64_4d},
};

const zti_zfp_skip_table zti_zfp_skip_avx2 = {
    {skip_f32_1d, skip_f32_2d, skip_f32_3d, skip_f32_4d},
    {skip_f64_1d, skip_f64_2d, skip_f64_3d, skip_f64_4d},
    {skip_i32_1d, skip_i32_2d, skip_i32_3d, skip_i32_4d},
    {skip_i64_1d, skip_i64_2d, skip_i64_3d, skip_i64_4d},
};

/* Of tiles of 4 values. */
const zti_zfp_runs_table zti_zfp_decode_runs_avx2 = {decode_runs4_f32, decode_runs4_f64,
                                                     decode_runs4_i32, decode_runs4_i64};

#include "simd/end.h"
#endif
