/* instance.h: kernel text of the lossless coder, for values of one width. The includer defines
 * WIDTH, OPS, and which coder of symbols it takes; it is compiled for each instruction set, and all
 * do the same. */
#include "codec/sz/large_tile.h"
#include "codec/sz/lossless/kernels.h"
#include "codec/sz/lossless/lossless.h"
#if defined(ZTI_WITH_AVX2)
#include "simd/vectors.h"
#endif

#include "codec/sz/lossless/keys.h"

#include "codec/sz/lossless/predict.h"

#include "codec/sz/lossless/context.h"

#if defined(ZTI_WITH_AVX2)
#include "codec/sz/lossless/x86/wave.h"
#endif

#include "codec/sz/lossless/fit.h"

#include "codec/sz/lossless/measure.h"

#include "codec/sz/lossless/look.h"

#include "codec/sz/lossless/candidates.h"

#include "codec/sz/lossless/rows.h"

#include "codec/sz/lossless/choose.h"

#include "codec/sz/lossless/tile.h"

const struct zti_ll_ops OPS = {.encode = encode,
                               .decode = decode,
                               .encode_by = encode_by,
                               .learn = learn,
                               .look_far = look_far,
                               .repeats_far = repeats_far};
