/* encode.c: the encoder of zfp tiles with AVX-512: x86/encode.h and its parts, for both widths. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx512.h"

#include "codec/zfp/x86/vector.h"
#include "codec/zfp/x86/avx512/cube.h"
#include "codec/zfp/tables/short_strings.h"
#include "codec/zfp/x86/planes_to_bits.h"
#include "codec/zfp/plain/instance.h"

#include "codec/zfp/x86/width32.h"
#include "codec/zfp/x86/avx512/to_planes.h"
#include "codec/zfp/x86/encode.h" /* encode_v32 */
#include "codec/zfp/x86/width_end.h"

#include "codec/zfp/x86/width64.h"
#include "codec/zfp/x86/avx512/to_planes.h"
#include "codec/zfp/x86/encode.h" /* encode_v64 */
#include "codec/zfp/x86/width_end.h"

#define ZTI_ZFP_ENCODERS zti_zfp_encode_avx512
#include "codec/zfp/x86/encoders.h"

#include "simd/end.h"
#endif
