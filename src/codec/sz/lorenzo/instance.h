/* instance.h: text: one instance of the Lorenzo coder of sz tiles, from all the other texts. The
 * includer defines
 *   LINES      the text of operations on lines for its instruction set
 *   OPS        the name of the instance's table */
#include "codec/sz/bits.h"
#include "codec/sz/common.h"
#include "codec/sz/lossless/decimals.h"
#include "simd/vectors.h"
#include "codec/sz/lorenzo/bytes.h"

/* The first n values, followed by zeros. */
static struct small small_first(struct small s, uint32_t n)
{
    uint8_t bytes[ZTI_SZ_GROUP];
    small_store(s, bytes);
    memset(bytes + n, 0, ZTI_SZ_GROUP - n);
    return small_load(bytes);
}

/* Read 'count' planes of n bits each, at most 8. */
ZTI_INLINE struct small read_planes(struct zti_bit_reader *r, uint32_t n, uint32_t count)
{
    uint64_t planes[8] = {0};
    if (count == 0)
        return small_zero();
    if (zti_likely(n == ZTI_SZ_GROUP)) {
        const uint64_t at = r->at;
        r->at += count * ZTI_SZ_GROUP;
        return small_of_bits(r->base + at / 8, at % 8, count);
    }
    for (uint32_t j = 0; j < count; j++)
        planes[j] = read_word(r, n);
    return small_of_planes(planes, count);
}

#define scalar  float
#define word    uint32_t
#define NAME(x) x##_f32
#include "codec/sz/quantize/nearest.h" /* nearest_f32, at_once_f32 */
#undef scalar
#undef word
#undef NAME

#define scalar  double
#define word    uint64_t
#define NAME(x) x##_f64
#include "codec/sz/quantize/nearest.h"
#undef scalar
#undef word
#undef NAME

#define uval     uint32_t
#define VAL_BITS 32
#define NAME(x)  x##_32
#include "codec/sz/lorenzo/lines.h"      /* load_line_32, ... */
#include "codec/sz/quantize/multiples.h" /* multiples_f32, floats_of_32, ... */
#include "codec/sz/lorenzo/words.h"      /* bytes_above_32, ... */
#include "codec/sz/lorenzo/rice.h"       /* encode_groups_32, decode_groups_32 */
#include "codec/sz/lorenzo/huffman.h"    /* write_coded_32, begin_coded_32, end_coded_32 */
#include "codec/sz/lorenzo/cusz.h"       /* encode_cusz_32, decode_cusz_32 */
#include "codec/sz/lorenzo/sums.h"       /* encode_integers_32, integers_32, bridge_32 */
#undef uval
#undef VAL_BITS
#undef NAME

#define uval     uint64_t
#define VAL_BITS 64
#define NAME(x)  x##_64
#include "codec/sz/lorenzo/lines.h"
#include "codec/sz/lorenzo/words.h"
#include "codec/sz/lorenzo/rice.h"
#include "codec/sz/lorenzo/huffman.h"
#include "codec/sz/lorenzo/cusz.h"
#include "codec/sz/lorenzo/sums.h"
#undef uval
#undef VAL_BITS
#undef NAME

#define scalar  float
#define word    uint32_t
#define NAME(x) x##_f32
#include "codec/sz/quantize/lattice.h"    /* dequantize_f32 */
#include "codec/sz/quantize/logarithms.h" /* numbers_f32 */
#include "codec/sz/quantize/keys.h"       /* of_keys_f32 */
#include "codec/sz/quantize/integers.h"   /* quantize_f32 */
#undef scalar
#undef word
#undef NAME

#define scalar  double
#define word    uint64_t
#define NAME(x) x##_f64
#include "codec/sz/quantize/lattice.h"
#include "codec/sz/quantize/logarithms.h"
#include "codec/sz/quantize/keys.h"
#include "codec/sz/quantize/integers.h"
#undef scalar
#undef word
#undef NAME

#include "codec/sz/lorenzo/tile.h"
#include "codec/sz/lorenzo/encode.h"
#include "codec/sz/lorenzo/strips.h"
#include "codec/sz/lorenzo/decode.h"

const struct zti_sz_ops OPS = {.encode = encode,
                               .decode = decode,
                               .decode_runs = decode_runs,
                               .sample = sample,
                               .try_groups = try_groups,
                               .count = count};
