/* zfp_avx2_encode.c: the AVX2 and BMI2 instance, encoding. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/begin_avx2.h"

#include "codec/zfp/zfp_avx2_cube.h"
#include "codec/zfp/zfp_avx2_tables.h"
#include "codec/zfp/zfp_plain.h"
#include "codec/zfp/zfp_short_tables.h"
#include "codec/zfp/zfp_vector.h"
#include "codec/zfp/zfp_vector_put.h"

#include "codec/zfp/zfp_avx2_width32.h"
#include "codec/zfp/zfp_avx2_to_planes.h"
#include "codec/zfp/zfp_vector_encode.h" /* encode_v32 */
#include "codec/zfp/zfp_vector_width_end.h"

#include "codec/zfp/zfp_avx2_width64.h"
#include "codec/zfp/zfp_avx2_to_planes.h"
#include "codec/zfp/zfp_vector_encode.h" /* encode_v64 */
#include "codec/zfp/zfp_vector_width_end.h"

#define ZTI_ZFP_ENCODERS zti_zfp_encode_avx2
#include "codec/zfp/zfp_vector_encoders.h"

#include "simd/end.h"
#endif
