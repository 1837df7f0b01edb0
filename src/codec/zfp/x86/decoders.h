/* decoders.h: text: the functions of a vector instance that decode a range of tiles, and their
 * tables.
 *
 * The includer has x86/decode.h and x86/runs4.h for both widths (for AVX-512 x86/avx512/runs.h
 * too), and defines
 *   ZTI_ZFP_TABLE(x)        x with the instruction set's suffix
 *   LANES(x, width, rank)   x(4)_v32, ...: decodes tiles of 4 or 16 values side by side
 *   LANES_RANK              highest rank of tiles that LANES decodes */

/* M(kind, width, rank, is_float) for each type and rank of LANES. */
#if defined(ZTI_WITH_AVX512)
#define EACH_OF_LANES(M) ZTI_ZFP_EACH_TYPE(M, 1) ZTI_ZFP_EACH_TYPE(M, 2)
#else
#define EACH_OF_LANES(M) ZTI_ZFP_EACH_TYPE(M, 1)
#endif

#define LANES_ENTRY(call, kind, width, rank, is_float)                                             \
    ZTI_ZFP_AT(width, rank, is_float) = call##_##kind##_##rank##d,
#define RATE_ENTRY(kind, width, rank, is_float)                                                    \
    LANES_ENTRY(decode_at_rate, kind, width, rank, is_float)
#define RUNS_ENTRY(kind, width, rank, is_float)                                                    \
    LANES_ENTRY(decode_runs, kind, width, rank, is_float)

/* Decode tiles side by side: all of one size, or runs whose places are known. */
#define DECODE_LANES(kind, width, rank, is_float)                                                  \
    static void decode_at_rate_##kind##_##rank##d(const struct zti_coding *coding,                 \
                                                  struct zti_bit_reader *r, uint64_t first,        \
                                                  uint64_t last, const struct zti_view *view)      \
    {                                                                                              \
        const uint64_t bits = zfp_of(coding)->maxbits;                                             \
        LANES(decode_fixed, width, rank)(coding, r, first, last, bits, view, is_float);            \
    }                                                                                              \
    static void decode_runs_##kind##_##rank##d(                                                    \
        const struct zti_coding *coding, const uint8_t *base, uint64_t *at, uint32_t runs,         \
        uint64_t first, uint32_t tiles, const struct zti_view *view)                               \
    {                                                                                              \
        if (zti_zfp_is_reversible(zfp_of(coding))) {                                               \
            LANES(decode_runs, width, rank)                                                        \
            (coding, base, at, runs, first, tiles, view, is_float, true);                          \
        } else {                                                                                   \
            LANES(decode_runs, width, rank)                                                        \
            (coding, base, at, runs, first, tiles, view, is_float, false);                         \
        }                                                                                          \
    }

EACH_OF_LANES(DECODE_LANES)

static const zti_zfp_decode_table decode_at_rate = {EACH_OF_LANES(RATE_ENTRY)};

#define DECODE(kind, width, rank, is_float)                                                        \
    static void decode_##kind##_##rank##d(const struct zti_coding *coding,                         \
                                          struct zti_bit_reader *r, uint64_t first, uint64_t last, \
                                          const struct zti_view *view)                             \
    {                                                                                              \
        if (goes_plainly(coding))                                                                  \
            zti_zfp_decode_plain[coding->type - 1][rank - 1](coding, r, first, last, view);        \
        else if (zti_zfp_is_reversible(zfp_of(coding)))                                            \
            decode_v##width(coding, r, first, last, view, rank, is_float, true, false);            \
        else if (!is_limited(coding))                                                              \
            decode_v##width(coding, r, first, last, view, rank, is_float, false, false);           \
        else if (rank <= LANES_RANK && zti_zfp_fixed_bits(coding) > 0)                             \
            decode_at_rate[coding->type - 1][rank - 1](coding, r, first, last, view);              \
        else                                                                                       \
            decode_v##width(coding, r, first, last, view, rank, is_float, false, true);            \
    }

ZTI_ZFP_EACH_TEXT(DECODE) /* decode_f32_1d, decode_32_3d, ... */

/* Tiles are skipped by one function for floats and integers. */
#define SKIP(kind, width, rank, is_float)                                                          \
    static void skip_##kind##_##rank##d(const struct zti_coding *coding, struct zti_bit_reader *r, \
                                        uint64_t first, uint64_t last)                             \
    {                                                                                              \
        if (goes_plainly(coding))                                                                  \
            zti_zfp_skip_plain[coding->type - 1][rank - 1](coding, r, first, last);                \
        else if (zti_zfp_is_reversible(zfp_of(coding)))                                            \
            skip_v##width(coding, r, first, last, rank, is_float, true, false);                    \
        else if (is_limited(coding))                                                               \
            skip_v##width(coding, r, first, last, rank, is_float, false, true);                    \
        else                                                                                       \
            skip_v##width(coding, r, first, last, rank, is_float, false, false);                   \
    }
ZTI_ZFP_EACH_RANK(SKIP, 32, 32, zti_is_float(coding->type)) /* skip_32_1d, ... */
ZTI_ZFP_EACH_RANK(SKIP, 64, 64, zti_is_float(coding->type))

const zti_zfp_decode_table ZTI_ZFP_TABLE(decode) = ZTI_ZFP_TEXTS(decode);
const zti_zfp_skip_table ZTI_ZFP_TABLE(skip) = {
    ZTI_ZFP_ROW(skip, 32, 32), ZTI_ZFP_ROW(skip, 64, 64), ZTI_ZFP_ROW(skip, 32, 32),
    ZTI_ZFP_ROW(skip, 64, 64)};
const zti_zfp_runs_table ZTI_ZFP_TABLE(decode_runs) = {EACH_OF_LANES(RUNS_ENTRY)};
