/* instance.h: the plain C texts of a tile of either width: encode_tile_32, decode_tile_64, ...
 *
 * Each instance file includes them: the plain instance for all tiles, the others for tiles that
 * their vector texts do not code. */
#ifndef ZTI_ZFP_PLAIN_INSTANCE_H
#define ZTI_ZFP_PLAIN_INSTANCE_H

#include "codec/zfp/zfp.h"
#include "codec/zfp/tile/planes.h"

#define FN ZTI_INLINE

/* One thread has all values of a tile. */
#define OF(x, width)     x##_##width
#define OWN_VALUES(rank) (1u << 2 * (rank))
#define ZTI_ZFP_CODER    "codec/zfp/plain/coder.h"
#include "codec/zfp/tile/types.h" /* encode_tile_32, gather_64, ... */
#undef OF
#undef OWN_VALUES
#undef ZTI_ZFP_CODER

#endif
