/* instance.h: kernel text of the transform coder. The includer defines OPS, IS_NARROW and
 * PUT_CODES, the coder of symbols; it is compiled for each instruction set, and all do the same. */
#include "array/array.h"
#include "codec/sz/bits.h"
#include "codec/sz/large_tile.h"
#include "codec/sz/transform/transform.h"
#include "core/crew.h"
#include "quality/quality.h"
#include "simd/vectors.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "codec/sz/transform/numbers.h"

#include "codec/sz/transform/lift.h"

#if IS_NARROW && defined(ZTI_WITH_AVX2)
#include "codec/sz/transform/x86/quantize.h"
#else
#include "codec/sz/transform/quantize.h"
#endif

#if defined(ZTI_WITH_AVX2)
#include "codec/sz/transform/x86/contexts.h"
#endif

#include "codec/sz/transform/code.h"

#include "codec/sz/transform/values.h"

#include "codec/sz/transform/parts.h"

#if defined(ZTI_WITH_AVX2)
#include "codec/sz/transform/x86/lanes.h"
#endif

#include "codec/sz/transform/decode.h"

#include "codec/sz/transform/choose.h"

#include "codec/sz/transform/find.h"

#include "codec/sz/transform/correct.h"

#include "codec/sz/transform/tile.h"

const struct zti_tf_ops OPS = {.encode = encode, .decode = decode, .encode_by = encode_by};
