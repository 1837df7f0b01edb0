/* plain.c: the plain C instance of the zfp codec, and the functions that call the instance of
 * coding->run.isa. */
#include "codec/zfp/plain/instance.h"
#include "codec/zfp/x86/vector.h"
#include "core/cpu.h"

/* Encode, decode and skip a range of tiles, for one type and rank. */
#define RANGES(type, width, rank, is_float)                                                        \
    static bool encode_##type##_##rank##d(const struct zti_coding *coding,                         \
                                          const struct zti_array *array, uint64_t first,           \
                                          uint64_t last, struct zti_bit_writer *w)                 \
    {                                                                                              \
        struct zti_walk at = zti_walk_from(&coding->grid, first);                                  \
        const struct zti_zfp z = *zfp_of(coding);                                                  \
        bool is_proved = true;                                                                     \
        for (; at.tile < last; zti_walk_next(&coding->grid, &at)) {                                \
            uint##width##_t tile[1 << 2 * rank];                                                   \
            gather_##width(array, at.origin, tile, rank);                                          \
            is_proved &= encode_tile_##width(&z, tile, rank, is_float, w);                         \
        }                                                                                          \
        return is_proved;                                                                          \
    }                                                                                              \
    static void decode_##type##_##rank##d(const struct zti_coding *coding,                         \
                                          struct zti_bit_reader *r, uint64_t first, uint64_t last, \
                                          const struct zti_view *view)                             \
    {                                                                                              \
        struct zti_walk at = zti_walk_from(&coding->grid, first);                                  \
        const struct zti_zfp z = *zfp_of(coding);                                                  \
        for (; at.tile < last; zti_walk_next(&coding->grid, &at)) {                                \
            uint##width##_t tile[1 << 2 * rank];                                                   \
            decode_tile_##width(&z, tile, rank, is_float, r);                                      \
            scatter_##width(view, at.origin, tile, rank);                                          \
        }                                                                                          \
    }                                                                                              \
    static void skip_##type##_##rank##d(const struct zti_coding *coding, struct zti_bit_reader *r, \
                                        uint64_t first, uint64_t last)                             \
    {                                                                                              \
        const struct zti_zfp z = *zfp_of(coding);                                                  \
        for (; first < last; first++)                                                              \
            decode_tile_##width(&z, NULL, rank, is_float, r);                                      \
    }

ZTI_ZFP_EACH(RANGES) /* encode_f32_1d, decode_f32_1d, skip_f32_1d, ... */

#define ENTRY(kind, width, rank, is_float)                                                         \
    ZTI_ZFP_AT(width, rank, is_float) = {encode_##kind##_##rank##d, decode_##kind##_##rank##d,     \
                                         skip_##kind##_##rank##d},

const struct zti_zfp_ranges zti_zfp_ranges_plain[4][ZT_MAX_RANK] = {ZTI_ZFP_EACH(ENTRY)};

/* A table's entry for a coding's type and rank. */
#define OF(table, coding) (table)[(coding)->type - 1][(coding)->grid.rank - 1]

#if defined(ZTI_HAS_X86_INSTANCES)
#define CHOOSE(coding, call)                                                                       \
    ((coding)->run.isa >= ZT_ISA_AVX512 ? OF(zti_zfp_##call##_avx512, coding)                      \
     : (coding)->run.isa >= ZT_ISA_AVX2 ? OF(zti_zfp_##call##_avx2, coding)                        \
                                        : OF(zti_zfp_ranges_plain, coding).call)
#else
#define CHOOSE(coding, call) OF(zti_zfp_ranges_plain, coding).call
#endif

bool zti_zfp_encode(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                    uint64_t last, struct zti_bit_writer *w)
{
    const bool is_proved = CHOOSE(coding, encode)(coding, array, first, last, w);
    /* a bound relative to each value is not proved, nor is one for which planes above the
     * tolerance are dropped */
    return is_proved && !coding->is_of_value && coding->loose_planes == 0;
}

void zti_zfp_decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                    uint64_t last, const struct zti_view *view)
{
    CHOOSE(coding, decode)(coding, r, first, last, view);
}

void zti_zfp_skip(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                  uint64_t last)
{
    CHOOSE(coding, skip)(coding, r, first, last);
}

uint32_t zti_zfp_runs(const struct zti_coding *coding)
{
#if defined(ZTI_HAS_X86_INSTANCES)
    const uint32_t ranks = coding->run.isa >= ZT_ISA_AVX512 ? ZTI_ZFP_RUNS_RANK_AVX512
                           : coding->run.isa >= ZT_ISA_AVX2 ? ZTI_ZFP_RUNS_RANK_AVX2
                                                            : 0;
    if (coding->grid.rank <= ranks && !goes_plainly(coding) && !is_limited(coding))
        return ZTI_RUNS_MOST;
#else
    (void)coding;
#endif
    return 0;
}

void zti_zfp_decode_runs(const struct zti_coding *coding, const uint8_t *base, uint64_t *at,
                         uint32_t runs, uint64_t first, uint32_t run_tiles,
                         const struct zti_view *view)
{
#if defined(ZTI_HAS_X86_INSTANCES)
    const zti_zfp_runs_table *table =
        coding->run.isa >= ZT_ISA_AVX512 ? &zti_zfp_decode_runs_avx512 : &zti_zfp_decode_runs_avx2;
    OF(*table, coding)(coding, base, at, runs, first, run_tiles, view);
#else
    (void)coding, (void)base, (void)at, (void)runs, (void)first, (void)run_tiles, (void)view;
#endif
}
