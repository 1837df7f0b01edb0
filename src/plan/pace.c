/* pace.c: decoding times from constants: for each value of a tile, padding included, for each bit
 * of the stream, and for each value that is copied from a row of the coded array to a column of the
 * user's. */
#include "plan/pace.h"

/* Nanoseconds on one core with AVX-512, by the rank of the coded array. What zfp does at once is a
 * tile, which has 4^rank values. */
struct pace {
    double value[ZT_MAX_RANK], bit[ZT_MAX_RANK], turn;
};

static const struct pace zfp[] = {{{3.1, 2.1, 1.7, 1.0}, {0.24, 0.15, 0.075, 0.045}, 1.3},
                                  {{3.9, 3.5, 2.6, 1.8}, {0.21, 0.08, 0.045, 0.037}, 2.0}};
static const struct pace ndzip[] = {{{0.55, 0.55, 0.55, 0.55}, {0, 0, 0, 0}, 1.3},
                                    {{1.1, 1.1, 1.1, 1.1}, {0, 0, 0, 0}, 2.0}};

/* Whether rows of the coded array are columns of the array, or parts of rows. */
static bool is_turned(const struct zti_plan *plan, const uint64_t *shape)
{
    uint32_t last = plan->rank - 1;
    while (last > 0 && shape[last] == 1)
        last--;
    return plan->axis[plan->rank - 1] != last && shape[last] > 1;
}

double zti_pace(const struct zti_codec *codec, uint32_t type, const struct zti_plan *plan,
                const uint64_t *shape, double rate)
{
    const bool is_wide = zt_type_bytes((zt_type)type) == 8;
    const struct pace *const p = codec->id == ZT_CODEC_ZFP ? &zfp[is_wide] : &ndzip[is_wide];
    uint64_t coded[ZT_MAX_RANK];
    const uint32_t rank = zti_plan_shape(plan, shape, coded);
    const struct zti_grid grid = zti_codec_grid(codec, rank, coded);
    double padding = 1;
    for (uint32_t i = 0; i < rank; i++)
        padding *= (double)(grid.tiles[i] * grid.side[i]) / (double)coded[i];
    return padding * p->value[rank - 1] + rate * p->bit[rank - 1] +
           (is_turned(plan, shape) ? p->turn : 0);
}
