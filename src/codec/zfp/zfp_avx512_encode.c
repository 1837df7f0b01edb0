/* zfp_avx512_encode.c: the AVX-512 instance, encoding. */
#include "codec/zfp/zfp_avx512.h"
#include "codec/zfp/zfp_avx512_put.h"
#include "codec/zfp/zfp_plain.h"

#include "codec/zfp/zfp_avx512_width32.h"
#include "codec/zfp/zfp_avx512_encode.h" /* encode_v32 */
#include "codec/zfp/zfp_avx512_width_end.h"

#include "codec/zfp/zfp_avx512_width64.h"
#include "codec/zfp/zfp_avx512_encode.h" /* encode_v64 */
#include "codec/zfp/zfp_avx512_width_end.h"

#define ENCODE(kind, width, rank, is_float)                                                        \
    static bool encode_##kind##_##rank##d(const struct zti_coding *coding, const zt_array *array,  \
                                          uint64_t first, uint64_t last, struct zti_bit_writer *w) \
    {                                                                                              \
        if (goes_plainly(coding))                                                                  \
            return zti_zfp_ranges_plain[coding->type - 1][rank - 1].encode(coding, array, first,   \
                                                                           last, w);               \
        if (zti_zfp_is_reversible(&coding->zfp))                                                   \
            return encode_v##width(coding, array, first, last, w, rank, is_float, true, false);    \
        if (is_limited(coding))                                                                    \
            return encode_v##width(coding, array, first, last, w, rank, is_float, false, true);    \
        return encode_v##width(coding, array, first, last, w, rank, is_float, false, false);       \
    }

ENCODE(f32, 32, 1, true)
ENCODE(f32, 32, 2, true)
ENCODE(f32, 32, 3, true)
ENCODE(f32, 32, 4, true)
ENCODE(f64, 64, 1, true)
ENCODE(f64, 64, 2, true)
ENCODE(f64, 64, 3, true)
ENCODE(f64, 64, 4, true)
ENCODE(i32, 32, 1, false)
ENCODE(i32, 32, 2, false)
ENCODE(i32, 32, 3, false)
ENCODE(i32, 32, 4, false)
ENCODE(i64, 64, 1, false)
ENCODE(i64, 64, 2, false)
ENCODE(i64, 64, 3, false)
ENCODE(i64, 64, 4, false)

bool (*const zti_zfp_encode_avx512[4][ZT_MAX_RANK])(const struct zti_coding *, const zt_array *,
                                                    uint64_t, uint64_t,
                                                    struct zti_bit_writer *) = {
    {encode_f32_1d, encode_f32_2d, encode_f32_3d, encode_f32_4d},
    {encode_f64_1d, encode_f64_2d, encode_f64_3d, encode_f64_4d},
    {encode_i32_1d, encode_i32_2d, encode_i32_3d, encode_i32_4d},
    {encode_i64_1d, encode_i64_2d, encode_i64_3d, encode_i64_4d},
};
