/* decoders.h: text: the decoding walks over tiles of a vector instance. The includer has
 * x86/decode.h for both widths. */

#define DECODE(kind, width, rank, is_float)                                                        \
    static void decode_##kind##_##rank##d(const struct zti_coding *coding,                         \
                                          struct zti_bit_reader *r, uint64_t first, uint64_t last, \
                                          const struct zti_view *view)                             \
    {                                                                                              \
        if (goes_plainly(coding))                                                                  \
            zti_zfp_ranges_plain[coding->type - 1][rank - 1].decode(coding, r, first, last, view); \
        else if (zti_zfp_is_reversible(zfp_of(coding)))                                            \
            decode_v##width(coding, r, first, last, view, rank, is_float, true, false);            \
        else if (is_limited(coding))                                                               \
            decode_v##width(coding, r, first, last, view, rank, is_float, false, true);            \
        else                                                                                       \
            decode_v##width(coding, r, first, last, view, rank, is_float, false, false);           \
    }                                                                                              \
    static void skip_##kind##_##rank##d(const struct zti_coding *coding, struct zti_bit_reader *r, \
                                        uint64_t first, uint64_t last)                             \
    {                                                                                              \
        if (goes_plainly(coding))                                                                  \
            zti_zfp_ranges_plain[coding->type - 1][rank - 1].skip(coding, r, first, last);         \
        else if (zti_zfp_is_reversible(zfp_of(coding)))                                            \
            skip_v##width(coding, r, first, last, rank, is_float, true, false);                    \
        else if (is_limited(coding))                                                               \
            skip_v##width(coding, r, first, last, rank, is_float, false, true);                    \
        else                                                                                       \
            skip_v##width(coding, r, first, last, rank, is_float, false, false);                   \
    }

DECODE(f32, 32, 1, true)
DECODE(f32, 32, 2, true)
DECODE(f32, 32, 3, true)
DECODE(f32, 32, 4, true)
DECODE(f64, 64, 1, true)
DECODE(f64, 64, 2, true)
DECODE(f64, 64, 3, true)
DECODE(f64, 64, 4, true)
DECODE(i32, 32, 1, false)
DECODE(i32, 32, 2, false)
DECODE(i32, 32, 3, false)
DECODE(i32, 32, 4, false)
DECODE(i64, 64, 1, false)
DECODE(i64, 64, 2, false)
DECODE(i64, 64, 3, false)
DECODE(i64, 64, 4, false)

/* Tiles of 4 values side by side: at fixed rate, and runs. */
#define DECODE_LANES4(kind, width, is_float)                                                       \
    static void decode_##kind##_1d_lanes(const struct zti_coding *coding,                          \
                                         struct zti_bit_reader *r, uint64_t first, uint64_t last,  \
                                         const struct zti_view *view)                              \
    {                                                                                              \
        if (!goes_plainly(coding) && is_limited(coding) && zti_zfp_fixed_bits(coding) > 0)         \
            decode_fixed4_v##width(coding, r, first, last, zfp_of(coding)->maxbits, view,          \
                                   is_float);                                                      \
        else                                                                                       \
            decode_##kind##_1d(coding, r, first, last, view);                                      \
    }                                                                                              \
    static void decode_runs4_##kind(const struct zti_coding *coding, const uint8_t *base,          \
                                    uint64_t *at, uint32_t runs, uint64_t first,                   \
                                    uint32_t run_tiles, const struct zti_view *view)               \
    {                                                                                              \
        if (zti_zfp_is_reversible(zfp_of(coding)))                                                 \
            decode_runs4_v##width(coding, base, at, runs, first, run_tiles, view, is_float, true); \
        else                                                                                       \
            decode_runs4_v##width(coding, base, at, runs, first, run_tiles, view, is_float,        \
                                  false);                                                          \
    }

DECODE_LANES4(f32, 32, true)
DECODE_LANES4(f64, 64, true)
DECODE_LANES4(i32, 32, false)
DECODE_LANES4(i64, 64, false)
