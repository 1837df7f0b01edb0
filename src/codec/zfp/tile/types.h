/* types.h: text: tile/tile.h and its coder, for both widths.
 *
 * The includer defines
 *   FN                storage class
 *   OF(x, width)      x with the suffix of an instance and a width
 *   OWN_VALUES(rank)  how many values of a tile a thread has
 *   ZTI_ZFP_CODER     the coder of each width: plain/coder.h or gpu/warp_coder.h */

#define lane    int64_t
#define ulane   uint64_t
#define word    uint64_t
#define scalar  double
#define NAME(x) OF(x, 64)
#define WIDTH   64
#include ZTI_ZFP_CODER
#include "codec/zfp/tile/tile.h" /* encode_tile, decode_tile */
#undef lane
#undef ulane
#undef word
#undef scalar
#undef NAME
#undef WIDTH

#define lane    int32_t
#define ulane   uint32_t
#define word    uint32_t
#define scalar  float
#define NAME(x) OF(x, 32)
#define WIDTH   32
#include ZTI_ZFP_CODER
#include "codec/zfp/tile/tile.h" /* encode_tile, decode_tile */
#undef lane
#undef ulane
#undef word
#undef scalar
#undef NAME
#undef WIDTH
