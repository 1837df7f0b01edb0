/* params.c: the parameters of an sz stream: the fineness that keeps a bound, and the sides of its
 * tiles. */
#include "codec/sz/interp/interp.h"
#include "codec/sz/transform/transform.h"

#include <math.h>

/* A lower bound of ln(1 + part): 2 artanh z, z = part / (2 + part) <= 1/5, by its series, whose
 * terms are all positive. Only sums and products of doubles are used, so that all machines write
 * the same stream. */
static double log_of_one_and(double part)
{
    const double z = part / (2 + part);
    double sum = 0, power = z;
    for (uint32_t i = 1; i < 24; i += 2, power *= z * z)
        sum += power / i;
    return 2 * sum * (1 - 0x1p-48);
}

/* codec_words[1]: 32 bits of bins, 8 of the method, 24 of the ways. A number too large for its bits
 * is stored as the largest, which is refused too. */
enum { METHOD_AT = 32, METHOD_BITS = 8, WAYS_AT = 40, WAYS_BITS = 24 };

static uint64_t field_of(uint64_t number, uint32_t bits, uint32_t at)
{
    const uint64_t most = (UINT64_C(1) << bits) - 1;
    return (number < most ? number : most) << at;
}

void zt_params_set_sz(zt_params *params, zt_sz_method method, uint32_t bins)
{
    uint64_t *const word = &params->codec_words[1];
    *word = *word >> WAYS_AT << WAYS_AT | field_of((uint32_t)method, METHOD_BITS, METHOD_AT) | bins;
}

void zt_params_set_sz_ways(zt_params *params, uint32_t ways)
{
    uint64_t *const word = &params->codec_words[1];
    *word = (*word & ((UINT64_C(1) << WAYS_AT) - 1)) | field_of(ways, WAYS_BITS, WAYS_AT);
}

uint32_t zti_sz_method(const zt_params *params)
{
    return params->codec_words[1] >> METHOD_AT & ((1u << METHOD_BITS) - 1);
}

uint32_t zti_sz_ways(const zt_params *params)
{
    return (uint32_t)(params->codec_words[1] >> WAYS_AT);
}

uint32_t zti_sz_cusz_bins(const zt_params *params)
{
    enum { DEFAULT_BINS = 1024 };
    const uint32_t bins = (uint32_t)params->codec_words[1];
    return bins ? bins : DEFAULT_BINS;
}

zt_status zt_info_sz(const zt_info *info, zt_sz_info *sz)
{
    if (!info || info->codec != ZT_CODEC_SZ || !sz)
        return ZT_BAD_ARG;
    const uint32_t coder = (uint32_t)info->codec_words[0];
    const bool is_of_multiples = coder == ZTI_SZ_LOSSLESS_HIGH && info->codec_words[2] > 0;
    *sz = (zt_sz_info){.method = coder == ZTI_SZ_CUSZ        ? ZT_SZ_CUSZ
                                 : coder == ZTI_SZ_TRANSFORM ? ZT_SZ_TRANSFORM
                                 : is_of_multiples           ? ZT_SZ_MULTIPLES
                                                             : ZT_SZ_OWN,
                       .effort = coder == ZTI_SZ_FAST   ? ZT_EFFORT_FAST
                                 : coder >= ZTI_SZ_HIGH ? ZT_EFFORT_HIGH
                                                        : ZT_EFFORT_DEFAULT,
                       .axes = (uint32_t)(info->codec_words[0] >> 32),
                       .bins = is_of_multiples ? 0 : (uint32_t)info->codec_words[2],
                       .step = zti_double_from_bits(info->codec_words[1])};
    return ZT_OK;
}

uint32_t zt_info_sz_ways(const zt_info *info)
{
    return info && info->codec == ZT_CODEC_SZ ? (uint32_t)info->codec_words[3] : 0;
}

/* Half a step of L is at most 1 / (2 sqrt 2 M / 8) relative to the value (quantize/logarithms.h). M
 * is chosen so that this is at most ln(1 + part), which keeps the bound on both sides. The errors
 * of rounding the result and L are first subtracted from the part; if they are a quarter of it, 0
 * is returned, since coding the bits is better. */
uint64_t zti_sz_fineness(uint32_t type, double part)
{
    const double lost = type == ZT_F32 ? 0x1p-24 : 0x1p-50;
    if (!(part >= 4 * lost))
        return 0;
    const double half_root = 0x1.6a09e667f3bcdp-1; /* 1 / sqrt 2 */
    const double fineness = ceil(8 * half_root / 2 / log_of_one_and(part - lost));
    return fineness < 4 ? 4 : (uint64_t)fineness;
}

/* With effort 'high', make the tiles along an axis about equally long, with origins on the coarse
 * grid. */
static void even_out_sides(const struct zti_coding *coding, uint32_t *side)
{
    const uint32_t bits = zti_sz_high_distance(sz_of(coding)->axes);
    for (uint32_t i = 0; i < coding->grid.rank; i++) {
        const uint64_t extent = coding->grid.shape[i], tiles = (extent + side[i] - 1) / side[i];
        const uint64_t least = (extent + tiles - 1) / tiles;
        const uint64_t step = sz_of(coding)->axes >> i & 1 ? UINT64_C(1) << bits : 1;
        if (tiles > 1)
            side[i] = (uint32_t)zti_round_up(least, step);
    }
}

void zti_sz_set_grid(struct zti_coding *coding)
{
    enum { HIGH_ROW = 128 };
    if (sz_of(coding)->coder == ZTI_SZ_LOSSLESS_HIGH) {
        zti_ll_set_grid(coding);
        return;
    }
    if (sz_of(coding)->coder == ZTI_SZ_TRANSFORM) {
        zti_tf_set_grid(coding);
        return;
    }
    const uint32_t rank = coding->grid.rank;
    const uint64_t *const shape = coding->grid.shape;
    if (sz_of(coding)->coder != ZTI_SZ_HIGH) {
        coding->grid = zti_sz_grid(rank, shape, sz_of(coding)->axes);
        return;
    }
    const bool is_small = sz_of(coding)->tuning & ZTI_SZ_HIGH_SMALL;
    const uint32_t most = is_small ? ZTI_SZ_HIGH_SMALL_VALUES : ZTI_SZ_HIGH_VALUES;
    uint32_t side[ZT_MAX_RANK];
    grow_sides(rank, shape, sz_of(coding)->axes, HIGH_ROW, most, is_small, side);
    even_out_sides(coding, side);
    coding->grid = zti_grid_of(rank, shape, side);
}
