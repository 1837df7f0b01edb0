/* zfp_mode.c: between a bound and zfp's four numbers. */
#include "store/zfp_mode.h"

#include "util/errors.h"
#include "util/numbers.h"

#include <math.h>
#include <string.h>

double tolerance_of(const zt_params *params)
{
    if (params->bound.kind == ZT_ABS)
        return params->bound.value;
    double value = params->bound.value, range = params->range_hi - params->range_lo;
    if (params->bound.kind == ZT_REL) /* the range of huge values may overflow, a part of it not */
        return isinf(range) ? value * params->range_hi - value * params->range_lo : value * range;
    return (double)NAN;
}

bool zfp_of_bound(zt_zfp *zfp, const zt_params *params, uint32_t word_bits, uint32_t type,
                  uint32_t rank, const char *place, struct ztio_error *error)
{
    const zt_bound *b = &params->bound;
    bool is_aligned = (b->flags & ZT_RATE_ALIGN) != 0;
    double tolerance = tolerance_of(params);
    zt_status status = zt_zfp_init(zfp, sizeof *zfp);
    if (status == ZT_OK) {
        zfp->word_bits = word_bits;
        if (b->kind == ZT_RATE)
            status = zt_zfp_set_rate(zfp, b->value, (zt_type)type, rank, is_aligned, NULL);
        else if (b->kind == ZT_PRECISION)
            status = zt_zfp_set_precision(zfp, (uint32_t)b->value, NULL);
        else if (b->kind == ZT_EXPERT)
            status = zt_zfp_set_bound(zfp, b);
        else if (tolerance > 0)
            status = zt_zfp_set_accuracy(zfp, tolerance, NULL);
        else
            status = zt_zfp_set_reversible(zfp);
    }
    if (status == ZT_OK)
        return true;
    char text[CLI_TEXT_BYTES];
    return fail(error, ZTIO_BAD_USE,
                "%s: zfp has no mode for the bound %s on this type and rank; choose another value",
                place, format_bound(b, text));
}

void bound_of_zfp(const zt_zfp *zfp, uint32_t type, uint32_t rank, zt_bound *bound,
                  double *abs_bound)
{
    bool is_float = type == ZT_F32 || type == ZT_F64;
    *abs_bound = (double)NAN;
    switch (zt_zfp_mode_of(zfp)) {
    case ZT_ZFP_FIXED_RATE:
        *bound = zt_rate((double)zfp->maxbits / (double)(1u << 2 * rank));
        return;
    case ZT_ZFP_FIXED_PRECISION: *bound = zt_precision(zfp->maxprec); return;
    case ZT_ZFP_FIXED_ACCURACY:
        *bound = zt_abs(ldexp(1, zfp->minexp));
        if (is_float) /* for integers zfp does not use the tolerance */
            *abs_bound = bound->value;
        return;
    case ZT_ZFP_REVERSIBLE:
        *bound = zt_lossless();
        *abs_bound = 0;
        return;
    case ZT_ZFP_EXPERT:
    case ZT_ZFP_INVALID: break;
    }
    *bound = zt_expert(zfp->minbits, zfp->maxbits, zfp->maxprec, zfp->minexp);
}
