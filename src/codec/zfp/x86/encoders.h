/* encoders.h: text: the encoding walks over tiles of a vector instance.
 *
 * The includer has x86/encode.h for both widths and defines ZTI_ZFP_ENCODERS, the name of
 * its table. */

#define ENCODE(kind, width, rank, is_float)                                                        \
    static bool encode_##kind##_##rank##d(const struct zti_coding *coding, const zt_array *array,  \
                                          uint64_t first, uint64_t last, struct zti_bit_writer *w) \
    {                                                                                              \
        if (goes_plainly(coding))                                                                  \
            return zti_zfp_ranges_plain[coding->type - 1][rank - 1].encode(coding, array, first,   \
                                                                           last, w);               \
        if (zti_zfp_is_reversible(zfp_of(coding)))                                                 \
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

const zti_zfp_encode_table ZTI_ZFP_ENCODERS = {
    {encode_f32_1d, encode_f32_2d, encode_f32_3d, encode_f32_4d},
    {encode_f64_1d, encode_f64_2d, encode_f64_3d, encode_f64_4d},
    {encode_i32_1d, encode_i32_2d, encode_i32_3d, encode_i32_4d},
    {encode_i64_1d, encode_i64_2d, encode_i64_3d, encode_i64_4d},
};
