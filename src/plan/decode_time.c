/* decode_time.c: the time of decoding, from a codec's constants: for each value of a tile, padding
 * included, for each bit of the stream, and for each value copied from a row of the coded array to
 * a column of the user's. */
#include "plan/decode_time.h"

/* Whether the fastest axis of the coded array is not that of the array. */
static bool is_transposed(const struct zti_plan *plan, const uint64_t *shape)
{
    uint32_t last = plan->rank - 1;
    while (last > 0 && shape[last] == 1)
        last--;
    return plan->axis[plan->rank - 1] != last && shape[last] > 1;
}

double zti_decode_time(const struct zti_codec *codec, uint32_t type, const struct zti_plan *plan,
                       const uint64_t *shape, double rate)
{
    const struct zti_planning *const planning = zti_planning_of(codec);
    uint64_t coded[ZT_MAX_RANK];
    if (!planning || !planning->decode_times)
        return 0;
    const struct zti_decode_times *const p =
        &planning->decode_times[zt_type_bytes((zt_type)type) == 8];
    const uint32_t rank = zti_plan_shape(plan, shape, coded);
    const struct zti_grid grid = zti_codec_grid(codec, rank, coded);
    double padding = 1;
    for (uint32_t i = 0; i < rank; i++)
        padding *= (double)(grid.tiles[i] * grid.side[i]) / (double)coded[i];
    return padding * p->value[rank - 1] + rate * p->bit[rank - 1] +
           (is_transposed(plan, shape) ? p->transpose : 0);
}
