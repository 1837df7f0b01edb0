/* encoders.h: text: the functions of a vector instance that encode a range of tiles.
 *
 * The includer has x86/encode.h for both widths and defines ZTI_ZFP_ENCODERS, the name of
 * its table. */

#define ENCODE(kind, width, rank, is_float)                                                        \
    static bool encode_##kind##_##rank##d(const struct zti_coding *coding,                         \
                                          const struct zti_array *array, uint64_t first,           \
                                          uint64_t last, struct zti_bit_writer *w)                 \
    {                                                                                              \
        if (goes_plainly(coding))                                                                  \
            return zti_zfp_encode_plain[coding->type - 1][rank - 1](coding, array, first, last,    \
                                                                    w);                            \
        if (zti_zfp_is_reversible(zfp_of(coding)))                                                 \
            return encode_v##width(coding, array, first, last, w, rank, is_float, true, false);    \
        if (is_limited(coding))                                                                    \
            return encode_v##width(coding, array, first, last, w, rank, is_float, false, true);    \
        return encode_v##width(coding, array, first, last, w, rank, is_float, false, false);       \
    }

ZTI_ZFP_EACH_TEXT(ENCODE) /* encode_f32_1d, encode_32_3d, ... */

const zti_zfp_encode_table ZTI_ZFP_ENCODERS = ZTI_ZFP_TEXTS(encode);
