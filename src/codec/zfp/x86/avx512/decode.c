/* decode.c: the decoder of zfp tiles with AVX-512: x86/decode.h and its parts, for both widths. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx512.h"

#include "codec/zfp/x86/avx512/cube.h"
#include "codec/zfp/x86/bits_to_planes.h"
#include "codec/zfp/x86/lanes4.h"
#include "codec/zfp/plain/instance.h"
#include "codec/zfp/x86/vector.h"

#include "codec/zfp/x86/width32.h"
#include "codec/zfp/x86/avx512/from_planes.h"
#include "codec/zfp/x86/decode.h" /* decode_v32 */
#include "codec/zfp/x86/runs4.h"
#include "codec/zfp/x86/avx512/runs.h"
#include "codec/zfp/x86/width_end.h"

#include "codec/zfp/x86/width64.h"
#include "codec/zfp/x86/avx512/from_planes.h"
#include "codec/zfp/x86/decode.h" /* decode_v64 */
#include "codec/zfp/x86/runs4.h"
#include "codec/zfp/x86/avx512/runs.h"
#include "codec/zfp/x86/width_end.h"

#define ZTI_ZFP_TABLE(x)      zti_zfp_##x##_avx512
#define LANES(x, width, rank) ((rank) == 1 ? x##4_v##width : x##_v##width)
#define LANES_RANK            ZTI_ZFP_RUNS_RANK_AVX512
#include "codec/zfp/x86/decoders.h"

#include "simd/end.h"
#endif
