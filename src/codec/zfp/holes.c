/* holes.c: the values of holes: which arrays they are chosen for, the plain instance of
 * tile/holes.h, and the choice of an instance. */
#include "codec/zfp/zfp.h"
#include "core/cpu.h"

#include <math.h>

#define FIT_HOLES zti_zfp_fit_holes_plain
#include "codec/zfp/tile/holes.h"

bool zti_zfp_learn_holes(struct zti_coding *coding, const struct zti_array *array,
                         const uint64_t *holes)
{
    (void)array;
    (void)holes;
    return (coding->type == ZT_F32 || coding->type == ZT_F64) && zfp_of(coding)->minexp > -400 &&
           zfp_of(coding)->minexp < 400;
}

void zti_zfp_fit_holes(const struct zti_coding *coding, const struct zti_array *array,
                       const uint64_t *holes, uint64_t first, uint64_t last)
{
#if defined(ZTI_HAS_X86_INSTANCES)
    if (coding->run.isa >= ZT_ISA_AVX2) {
        zti_zfp_fit_holes_avx2(coding, array, holes, first, last);
        return;
    }
#endif
    zti_zfp_fit_holes_plain(coding, array, holes, first, last);
}
