/* lift.h: kernel text of the transform coder: a level of lifting and its inverse, for values of one
 * type. A thread has a pair of values of a line, and what it needs of others it works out itself; a
 * level goes to other memory, as threads still read what it was made from. */

/* A level of a tile. */
struct lifting {
    const struct zti_tf_layout *layout;
    const struct zti_tf_level *level;
    uint32_t pairs; /* of all lines */
    uint32_t n;     /* values of a line */
    size_t step;    /* between them */
};

static __device__ __forceinline__ struct lifting lifting_of(const struct zti_tf_layout *layout,
                                                            uint32_t index)
{
    struct lifting g;
    g.layout = layout;
    g.level = &layout->level[index];
    g.pairs = 1;
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        g.pairs *= a == g.level->axis ? (g.level->extent[a] + 1) / 2 : g.level->extent[a];
    g.n = g.level->extent[g.level->axis];
    g.step = layout->stride[g.level->axis];
    return g;
}

/* Where pair number i of a level's lines is, in C order: the first value of its line, and its place
 * in it. */
static __device__ __forceinline__ size_t pair_at(const struct lifting *g, uint32_t i,
                                                 uint32_t *pair)
{
    const struct zti_tf_level *const level = g->level;
    size_t at = 0;
    for (uint32_t a = ZTI_TF_AXES; a-- > 0;) {
        const uint32_t n = a == level->axis ? (level->extent[a] + 1) / 2 : level->extent[a];
        const uint32_t own = i % n;
        i /= n;
        if (a == level->axis)
            *pair = own;
        else
            at += own * g->layout->stride[a];
    }
    return at;
}

/* ---- coefficients to values ---- */

/* A line of a level: its low and high coefficients, 'step' apart. */
struct line {
    const number *low, *high;
    uint32_t n;
    size_t step;
};

/* The place that one beyond the line's ends is mirrored to. */
static __device__ __forceinline__ uint32_t mirrored(const struct line *l, int32_t place)
{
    return place >= 0 && place < (int32_t)l->n ? (uint32_t)place : tf_mirror(place, l->n);
}

/* The even and the odd value of pair k, of coefficients that other threads still read: an odd value
 * needs six even ones, these nine high coefficients. */
static __device__ __forceinline__ void values_of_pair(const struct line *l, int32_t k,
                                                      number *values)
{
    enum { HIGH = 9, EVEN = 6 };
    const bool is_inside = k >= 4 && 2 * (k + 4) + 1 < (int32_t)l->n;
    number high[HIGH], even[EVEN];
    SIMT_UNROLL
    for (int32_t j = 0; j < HIGH; j++) {
        const int32_t i = k - 4 + j;
        high[j] = l->high[(is_inside ? (uint32_t)i : mirrored(l, 2 * i + 1) / 2) * l->step];
    }
    SIMT_UNROLL
    for (int32_t j = 0; j < EVEN; j++) {
        const int32_t i = k - 2 + j;
        even[j] = l->low[(is_inside ? (uint32_t)i : mirrored(l, 2 * i) / 2) * l->step] -
                  ZTI_TF_UPDATE(number, high[j], high[j + 1], high[j + 2], high[j + 3]);
    }
    values[0] = even[2];
    values[1] =
        high[4] + ZTI_TF_PREDICT(number, even[0], even[1], even[2], even[3], even[4], even[5]);
}

/* The values of a level. This function and those below are called by 'threads' threads; 'own' is
 * the calling thread's number. */
static __device__ __forceinline__ void unlift_pairs(const struct lifting *g,
                                                    const void *coefficients, void *values,
                                                    uint32_t own, uint32_t threads)
{
    for (uint32_t i = own; i < g->pairs; i += threads) {
        uint32_t pair = 0;
        const size_t at = pair_at(g, i, &pair);
        const number *const from = (const number *)coefficients + at;
        const struct line l = {from, from + (size_t)((g->n + 1) / 2) * g->step, g->n, g->step};
        number *const to = (number *)values + at + 2 * (size_t)pair * g->step;
        number v[2];
        values_of_pair(&l, (int32_t)pair, v);
        to[0] = v[0];
        if (2 * pair + 1 < g->n)
            to[g->step] = v[1];
    }
}

/* ---- and back ---- */

/* The low and the high coefficient of pair k of a line: a low one needs four high ones, these nine
 * even values. */
static __device__ __forceinline__ void coefficients_of_pair(const struct lifting *g,
                                                            const number *line, int32_t k,
                                                            number *low, number *high)
{
    enum { EVEN = 9, HIGH = 4 };
    const bool is_inside = k >= 4 && 2 * (k + 4) + 1 < (int32_t)g->n;
    const struct line l = {NULL, NULL, g->n, g->step};
    number even[EVEN], odd[HIGH];
    SIMT_UNROLL
    for (int32_t j = 0; j < EVEN; j++) {
        const int32_t place = 2 * (k - 4 + j);
        even[j] = line[(is_inside ? (uint32_t)place : mirrored(&l, place)) * g->step];
    }
    SIMT_UNROLL
    for (int32_t j = 0; j < HIGH; j++) {
        const int32_t place = 2 * (k - 2 + j) + 1;
        odd[j] = line[(is_inside ? (uint32_t)place : mirrored(&l, place)) * g->step] -
                 ZTI_TF_PREDICT(number, even[j], even[j + 1], even[j + 2], even[j + 3], even[j + 4],
                                even[j + 5]);
    }
    *low = even[4] + ZTI_TF_UPDATE(number, odd[0], odd[1], odd[2], odd[3]);
    *high = odd[2];
}

/* The coefficients of a level. */
static __device__ __forceinline__ void lift_pairs(const struct lifting *g, const void *values,
                                                  void *coefficients, uint32_t own,
                                                  uint32_t threads)
{
    for (uint32_t i = own; i < g->pairs; i += threads) {
        uint32_t pair = 0;
        const size_t at = pair_at(g, i, &pair);
        number *const to = (number *)coefficients + at;
        number low, high;
        coefficients_of_pair(g, (const number *)values + at, (int32_t)pair, &low, &high);
        to[pair * g->step] = low;
        if (2 * pair + 1 < g->n)
            to[((g->n + 1) / 2 + pair) * g->step] = high;
    }
}

/* ---- back to the first memory ---- */

/* Copy all of a level's lines. */
static __device__ __forceinline__ void copy_pairs(const struct lifting *g, const void *from,
                                                  void *to, uint32_t own, uint32_t threads)
{
    for (uint32_t i = own; i < g->pairs; i += threads) {
        uint32_t pair = 0;
        const size_t at = pair_at(g, i, &pair) + 2 * (size_t)pair * g->step;
        ((number *)to)[at] = ((const number *)from)[at];
        if (2 * pair + 1 < g->n)
            ((number *)to)[at + g->step] = ((const number *)from)[at + g->step];
    }
}
