/* zfp_cpu.c: the plain C instance of the zfp codec, and the choice among the instances. */
#include "codec/zfp/zfp_plain.h"
#include "core/cpu.h"

#define ZTI_ZFP_INSTANCE zti_zfp_ranges_plain
#include "codec/zfp/zfp_ranges.h"

static const struct zti_zfp_ranges *ranges_of(const struct zti_coding *coding)
{
    const uint32_t type = coding->type - 1, rank = coding->grid.rank - 1;
#if defined(ZTI_HAS_X86_INSTANCES)
    if (coding->isa >= ZT_ISA_AVX512)
        return &zti_zfp_ranges_avx512[type][rank];
    if (coding->isa >= ZT_ISA_AVX2)
        return &zti_zfp_ranges_avx2[type][rank];
#endif
    return &zti_zfp_ranges_plain[type][rank];
}

bool zti_zfp_encode(const struct zti_coding *coding, const zt_array *array, uint64_t first,
                    uint64_t last, struct zti_bit_writer *w)
{
    return ranges_of(coding)->encode(coding, array, first, last, w);
}

void zti_zfp_decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                    uint64_t last, const struct zti_view *view)
{
    ranges_of(coding)->decode(coding, r, first, last, view);
}

void zti_zfp_skip(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                  uint64_t last)
{
    ranges_of(coding)->skip(coding, r, first, last);
}
