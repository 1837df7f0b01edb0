/* instances.c: chooses the instance of the zfp codec, by coding->run.isa, for a range of tiles and
 * for runs of tiles. */
#include "codec/zfp/x86/vector.h"
#include "core/cpu.h"

struct instance {
    const zti_zfp_encode_table *encode;
    const zti_zfp_decode_table *decode;
    const zti_zfp_skip_table *skip;
    const zti_zfp_runs_table *decode_runs;
    uint32_t runs_rank; /* the highest rank of decode_runs; 0: it has none */
};

static const struct instance plain = {
    .encode = &zti_zfp_encode_plain, .decode = &zti_zfp_decode_plain, .skip = &zti_zfp_skip_plain};

#if defined(ZTI_HAS_X86_INSTANCES)
static const struct instance avx2 = {.encode = &zti_zfp_encode_avx2,
                                     .decode = &zti_zfp_decode_avx2,
                                     .skip = &zti_zfp_skip_avx2,
                                     .decode_runs = &zti_zfp_decode_runs_avx2,
                                     .runs_rank = ZTI_ZFP_RUNS_RANK_AVX2};
static const struct instance avx512 = {.encode = &zti_zfp_encode_avx512,
                                       .decode = &zti_zfp_decode_avx512,
                                       .skip = &zti_zfp_skip_avx512,
                                       .decode_runs = &zti_zfp_decode_runs_avx512,
                                       .runs_rank = ZTI_ZFP_RUNS_RANK_AVX512};
#endif

static const struct instance *instance_of(const struct zti_coding *coding)
{
#if defined(ZTI_HAS_X86_INSTANCES)
    if (coding->run.isa >= ZT_ISA_AVX2)
        return coding->run.isa >= ZT_ISA_AVX512 ? &avx512 : &avx2;
#else
    (void)coding;
#endif
    return &plain;
}

_Static_assert(ZT_F32 == 1 && ZT_F64 == 2 && ZT_I32 == 3 && ZT_I64 == 4,
               "tables are in the order of the types' numbers");

/* The function for a coding's type and rank. */
#define OF(table, coding) (*(table))[(coding)->type - 1][(coding)->grid.rank - 1]

bool zti_zfp_encode(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                    uint64_t last, struct zti_bit_writer *w)
{
    const bool is_proved = OF(instance_of(coding)->encode, coding)(coding, array, first, last, w);
    /* Not proved: a bound relative to each value; a bound where planes above the tolerance are
     * dropped. */
    return is_proved && !coding->is_of_value && coding->loose_planes == 0;
}

void zti_zfp_decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                    uint64_t last, const struct zti_view *view)
{
    OF(instance_of(coding)->decode, coding)(coding, r, first, last, view);
}

void zti_zfp_skip(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                  uint64_t last)
{
    OF(instance_of(coding)->skip, coding)(coding, r, first, last);
}

uint32_t zti_zfp_runs(const struct zti_coding *coding)
{
    return coding->grid.rank <= instance_of(coding)->runs_rank && !goes_plainly(coding) &&
                   !is_limited(coding)
               ? ZTI_RUNS_MOST
               : 0;
}

void zti_zfp_decode_runs(const struct zti_coding *coding, const uint8_t *base, uint64_t *at,
                         uint32_t runs, uint64_t first, uint32_t run_tiles,
                         const struct zti_view *view)
{
    OF(instance_of(coding)->decode_runs, coding)(coding, base, at, runs, first, run_tiles, view);
}
