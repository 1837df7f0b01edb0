/* measure.h: kernel text: choose the classes of groups of 64 values, and measure their bits. A warp
 * has several groups at once, each in a few lanes. Its parameters are those of
 * lorenzo/gpu/kernel.h. All lanes of a warp call these functions. */

enum {
    OF_GROUP = 512 / WIDTH,                /* values of its group in a lane, by fours */
    GROUP_LANES = ZTI_SZ_GROUP / OF_GROUP, /* lanes of a group */
    GROUPS_AT_ONCE = 32 / GROUP_LANES
};

/* The codes of effort 'default'; a book has 256. */
static __device__ __forceinline__ uint32_t *codes_in(struct encode_state *sh)
{
    return (uint32_t *)(void *)(marks_in(sh) + IS_LOG);
}

static __device__ __forceinline__ struct pair pair_of(const struct encode_state *sh, uint32_t g)
{
    const struct pair u = {sh->u[g * ZTI_SZ_GROUP + threadIdx.x % 32],
                           sh->u[g * ZTI_SZ_GROUP + 32 + threadIdx.x % 32]};
    return u;
}

/* A lane's values of a group of n; missing ones are zero. */
struct lane_values {
    word v[OF_GROUP];
    uint32_t group, n;
    word top;                       /* the lane's largest value */
    uint32_t lengths[OF_GROUP / 4]; /* bits of each value, one byte each */
};

/* The class found for a group. */
struct found_class {
    uint32_t c, k; /* its class, and the parameter of Rice codes that this means */
    /* estimated bits in Rice codes, at most 20 unary ones for a value; not for lists */
    uint32_t bits;
};

/* The sum over a group's lanes. */
static __device__ __forceinline__ uint32_t sum_of_group(uint32_t v)
{
    SIMT_UNROLL
    for (uint32_t step = 1; step < GROUP_LANES; step *= 2)
        v += __shfl_xor_sync(SIMT_ALL_LANES, v, (int)step);
    return v;
}

/* The index in the group of the lane's value j, the first of four. Lanes have their fours in an
 * order that avoids bank conflicts between neighbouring groups. */
static __device__ __forceinline__ uint32_t number_in_group(uint32_t group, uint32_t j)
{
    return 4 * (threadIdx.x % GROUP_LANES + GROUP_LANES * (j / 4 ^ (group & 1)));
}

/* The number of bits of a value. */
static __device__ __forceinline__ uint32_t bits_in(word v)
{
    return WIDTH == 32 ? simt_highest((uint32_t)v) + 1 : 64 - (uint32_t)__clzll((long long)v);
}

static __device__ __forceinline__ uint32_t highest_of(uint32_t v)
{
    return v == 0 ? 0 : 0x80000000u >> __clz((int)v);
}

static __device__ __forceinline__ void load_lane(const struct encode_state *sh, uint32_t group,
                                                 uint32_t last, struct lane_values *s)
{
    s->group = group;
    s->n = group < last ? in_group(sh->walk.n, group) : 0;
    s->top = 0;
    SIMT_UNROLL
    for (uint32_t j = 0; j < OF_GROUP; j++)
        s->v[j] = 0;
    SIMT_UNROLL
    for (uint32_t j = 0; j < OF_GROUP && group < last; j += AT_ONCE)
        simt_load_16(s->v + j, sh->u + group * ZTI_SZ_GROUP + number_in_group(group, j) + j % 4);
    SIMT_UNROLL
    for (uint32_t j = 0; j < OF_GROUP; j++) {
        const uint32_t highest = bits_in(s->v[j]) - 1;
        s->top = s->v[j] > s->top ? s->v[j] : s->top;
        s->lengths[j / 4] = (j % 4 == 0 ? 0x01010101 : s->lengths[j / 4]) + (highest << j % 4 * 8);
    }
}

/* The number of a group's values with more than k bits, counted by the bytes' top bits. */
static __device__ __forceinline__ uint32_t count_longer(const struct lane_values *s, uint32_t k)
{
    const uint32_t more = (127 - k) * 0x01010101;
    uint32_t marks = 0;
    SIMT_UNROLL
    for (uint32_t j = 0; j < OF_GROUP / 4; j++)
        marks |= ((s->lengths[j] + more) & 0x80808080) >> j;
    return sum_of_group((uint32_t)__popc(marks));
}

static __device__ __forceinline__ uint32_t rice_bits(const struct lane_values *s, uint32_t k)
{
    const uint32_t by = k < WIDTH ? k : WIDTH - 1;
    uint32_t sum = 0;
    SIMT_UNROLL
    for (uint32_t j = 0; j < OF_GROUP; j++)
        sum += at_most(s->v[j] >> by, ZTI_SZ_UNARY_MOST);
    return s->n * k + sum_of_group(k < WIDTH ? sum : 0);
}

/* The Rice bits, without planes, for k (10 bits of the result), k + 1 (10) and k - 1 (12), if at
 * most 39 values are longer than k. */
static __device__ __forceinline__ uint32_t three_rice_bits(const struct lane_values *s, uint32_t k)
{
    const uint32_t most = ZTI_SZ_UNARY_MOST, down = k > 0, less = k - down;
    uint32_t below_it = 0, own = 0, above_it = 0;
    SIMT_UNROLL
    for (uint32_t j = 0; j < OF_GROUP; j++) {
        const word v = s->v[j] >> less; /* k is at most WIDTH */
        below_it += at_most(v, most);
        own += at_most(v >> down, most);
        above_it += at_most(v >> down >> 1, most);
    }
    return sum_of_group(own | above_it << 10 | below_it << 20);
}

/* Go from k to the local minimum of bits. */
static __device__ __forceinline__ void find_minimum(const struct lane_values *s, uint32_t width,
                                                    struct found_class *f)
{
    const uint32_t three = three_rice_bits(s, f->k);
    const uint32_t above_it = s->n * (f->k + 1) + (three >> 10 & 1023);
    const uint32_t below_it = s->n * (f->k - 1) + (three >> 20);
    f->bits = s->n * f->k + (three & 1023);
    const bool goes_down = f->k > 0 && below_it < f->bits;
    bool goes_on = goes_down || (f->k < width && above_it < f->bits);
    if (goes_on) {
        f->bits = goes_down ? below_it : above_it;
        f->k = goes_down ? f->k - 1 : f->k + 1;
    }
    for (;;) {
        goes_on = goes_on && f->k != (goes_down ? 0 : width);
        if (!__any_sync(SIMT_ALL_LANES, goes_on))
            return;
        const uint32_t k = goes_down ? f->k - 1 : f->k + 1;
        const uint32_t other = rice_bits(s, goes_on ? k : 0);
        goes_on = goes_on && other < f->bits;
        f->bits = goes_on ? other : f->bits;
        f->k = goes_on ? k : f->k;
    }
}

/* As class_of of lorenzo/rice.h. */
static __device__ __forceinline__ struct found_class class_of(const struct lane_values *s,
                                                              uint32_t width, uint32_t list_most)
{
    const uint32_t most = longer_most(s->n);
    const uint32_t longest = simt_reduce_max(bits_in(s->top));
    struct found_class f = {0, 0, 0};
    SIMT_NO_UNROLL
    for (uint32_t step = highest_of(longest); step > 0; step /= 2)
        f.k += count_longer(s, f.k + step - 1) > most ? step : 0;
    const uint32_t begin = f.k;
    find_minimum(s, width, &f);
    f.c = class_most(f.k);
    /* a small group's list may have more than 39 of 64 values */
    if (!__any_sync(SIMT_ALL_LANES, begin == 0 || f.k == 0 || most < list_most))
        return f;
    const uint32_t some = count_longer(s, 0);
    f.c = class_of_planes(f.k, some);
    if (some <= list_most) {
        f.c = some;
        f.bits = 0;
    }
    return f;
}

/* ---- how many bits --------------------------------------------------------------------------- */

/* The lane's values that are at least 'most' above the low k bits. */
static __device__ __forceinline__ uint32_t find_beyond(const struct lane_values *s, uint32_t k,
                                                       uint32_t most)
{
    uint32_t marks = 0;
    if (above(s->top, k) < most)
        return 0;
    SIMT_UNROLL
    for (uint32_t j = 0; j < OF_GROUP; j++)
        marks |= (uint32_t)(above(s->v[j], k) >= most) << j;
    return marks;
}

/* The next of these values, without its low k bits. */
static __device__ __forceinline__ word next_beyond(const struct encode_state *sh,
                                                   const struct lane_values *s, uint32_t k,
                                                   uint32_t *marks)
{
    const uint32_t j = (uint32_t)__ffs((int)*marks) - 1;
    *marks &= *marks - 1;
    return above(sh->u[s->group * ZTI_SZ_GROUP + number_in_group(s->group, j) + j % 4], k);
}

/* The bits of a group's unary codes. */
static __device__ __forceinline__ uint32_t rounds_bits(const struct encode_state *sh,
                                                       const struct lane_values *s,
                                                       struct found_class f)
{
    uint32_t marks = is_list(f.c) ? 0 : find_beyond(s, f.k, ZTI_SZ_ROUNDS), more = 0;
    if (__any_sync(SIMT_ALL_LANES, marks != 0)) {
        while (marks != 0) {
            const word v = next_beyond(sh, s, f.k, &marks);
            more +=
                ZTI_SZ_ROUNDS - 1 + number_bits(v - ZTI_SZ_ROUNDS) - at_most(v, ZTI_SZ_UNARY_MOST);
        }
        more = sum_of_group(more);
    }
    return s->n + f.bits - s->n * f.k + more;
}

/* The bits of a group's codes; *excess: the bits of its excesses. */
static __device__ __forceinline__ uint32_t symbols_bits(struct encode_state *sh,
                                                        const struct lane_values *s, uint32_t c,
                                                        uint32_t *excess)
{
    const uint32_t n = is_list(c) ? 0 : s->n, most = symbol_most(book_of(c));
    uint32_t sum = 0, marks = n == 0 ? 0 : find_beyond(s, class_shift(c), most);
    SIMT_UNROLL
    for (uint32_t j = 0; j < OF_GROUP; j += 4) {
        const struct codes two =
            codes_of_four(codes_in(sh), s->v + j, number_in_group(s->group, j), n, c);
        sum += code_count(two.low) + code_count(two.high);
    }
    *excess = 0;
    if (__any_sync(SIMT_ALL_LANES, marks != 0)) {
        while (marks != 0)
            *excess += value_bits(next_beyond(sh, s, class_shift(c), &marks) - most);
        *excess = sum_of_group(*excess);
    }
    return sum_of_group(sum);
}

/* Measure lists, group after group; c: the class of the lane's group. */
static __device__ __forceinline__ void measure_lists(struct encode_state *sh, uint32_t group,
                                                     uint32_t c)
{
    const bool is_one = threadIdx.x % GROUP_LANES == 0 && is_list(c) && c > 0;
    uint32_t lists = __ballot_sync(SIMT_ALL_LANES, is_one);
    for (; lists != 0; lists &= lists - 1) {
        const int lane = __ffs((int)lists) - 1;
        const uint32_t g = __shfl_sync(SIMT_ALL_LANES, group, lane);
        const uint32_t bits = list_bits(pair_of(sh, g), __shfl_sync(SIMT_ALL_LANES, c, lane));
        if (threadIdx.x % 32 == 0)
            sh->rest_at[g] = bits;
    }
}

/* Set the classes of a warp's groups, and measure their bits of each kind, without classes;
 * is_counted: only classes. Returns whether a value is not 0; *all: bits in Rice codes of the
 * lane's groups that are not lists. */
static __device__ __forceinline__ bool measure_warp(struct encode_state *sh, uint32_t first,
                                                    uint32_t last, uint32_t width, bool is_coded,
                                                    bool is_counted, uint32_t *all)
{
    bool differs = false;
    SIMT_NO_UNROLL
    for (uint32_t g = first; g < last; g += GROUPS_AT_ONCE) {
        struct lane_values s;
        load_lane(sh, g + threadIdx.x % 32 / GROUP_LANES, last, &s);
        const struct found_class f = class_of(&s, width, list_most(is_coded));
        const bool is_own = threadIdx.x % GROUP_LANES == 0 && s.group < last;
        uint32_t excess = 0, rest = 0;
        differs = differs || s.top != 0;
        if (is_counted)
            *all += is_own && !is_list(f.c) ? bits_above(f.bits, s.n, f.c) : 0;
        else if (is_coded)
            rest = symbols_bits(sh, &s, f.c, &excess);
        else
            rest = rounds_bits(sh, &s, f);
        if (is_own) {
            sh->classes[s.group] = f.c;
            if (!is_counted) {
                sh->plane_at[s.group] = planes_of(f.c, is_coded) * s.n;
                sh->rest_at[s.group] = is_list(f.c) ? 0 : rest;
                sh->excess_at[s.group] = excess;
            }
        }
        simt_order_warp();
        if (!is_counted)
            measure_lists(sh, s.group, s.group < last ? f.c : 0);
    }
    return differs;
}
