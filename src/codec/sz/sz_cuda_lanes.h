/* sz_cuda_lanes.h: kernel text, coding: groups of 64 values, a warp a group, in Rice codes and
 * lists: their classes, how many bits they take, and the bits. Its parameters are those of
 * sz_kernel.h. All lanes of a warp call these functions, with the same group. */

/* A group's values, of which a lane has number 'lane' and number 32 + lane; 0 beyond the n-th. */
struct pair {
    word low, high;
};

static __device__ __forceinline__ uint32_t lane_of(void)
{
    return threadIdx.x % 32;
}

/* The lowest n bits. */
static __device__ __forceinline__ uint32_t lowest(uint32_t n)
{
    return n < 32 ? (1u << n) - 1 : UINT32_MAX;
}

static __device__ __forceinline__ struct pair pair_above(struct pair u, uint32_t k)
{
    const struct pair high = {above(u.low, k), above(u.high, k)};
    return high;
}

/* How many values have more than k bits. */
static __device__ __forceinline__ uint32_t longer(struct pair u, uint32_t k)
{
    const struct pair high = pair_above(u, k);
    return (uint32_t)(__popc(__ballot_sync(SIMT_ALL_LANES, high.low != 0)) +
                      __popc(__ballot_sync(SIMT_ALL_LANES, high.high != 0)));
}

static __device__ __forceinline__ uint32_t at_most(word v, uint32_t most)
{
    return v < most ? (uint32_t)v : most;
}

static __device__ __forceinline__ uint32_t rice_bits(struct pair u, uint32_t n, uint32_t k)
{
    const struct pair high = pair_above(u, k);
    return n * k + __reduce_add_sync(SIMT_ALL_LANES, at_most(high.low, ZTI_SZ_UNARY_MOST) +
                                                         at_most(high.high, ZTI_SZ_UNARY_MOST));
}

/* class_of of sz_groups.h: a list of list_most values at most, or the k of the fewest bits near the
 * smallest one that leaves at most 39 of 64 values longer. *near is where the search for that
 * begins, and becomes k; *bits: of what is no list, by rice_bits. */
static __device__ __forceinline__ uint32_t class_of(struct pair u, uint32_t n, uint32_t width,
                                                    uint32_t list_most, uint32_t *near,
                                                    uint32_t *bits)
{
    const uint32_t some = longer(u, 0), most = n * 39 / 64;
    uint32_t k = *near, other;
    *bits = 0;
    if (some <= list_most)
        return some;
    if (longer(u, k) <= most) {
        while (k > 0 && longer(u, k - 1) <= most)
            k--;
    } else {
        do
            k++;
        while (longer(u, k) > most);
    }
    const uint32_t first = k;
    uint32_t least = rice_bits(u, n, k);
    while (k > 0 && (other = rice_bits(u, n, k - 1)) < least) {
        least = other;
        k--;
    }
    while (k >= first && k < width && (other = rice_bits(u, n, k + 1)) < least) {
        least = other;
        k++;
    }
    *near = k;
    *bits = least;
    return k == 0 && some <= ZTI_SZ_FEW_MOST ? (uint32_t)ZTI_SZ_FEW : ZTI_SZ_FEW + 1 + k;
}

/* ---- how many bits --------------------------------------------------------------------------- */

/* The zeros before a value that is not 0 in a list, by which values are not. */
static __device__ __forceinline__ uint32_t gap_before(uint64_t some, uint32_t i)
{
    const uint64_t before = some & ((UINT64_C(1) << i) - 1);
    return i - (64 - (uint32_t)__clzll((long long)before));
}

static __device__ __forceinline__ uint64_t not_zero(struct pair u)
{
    return __ballot_sync(SIMT_ALL_LANES, u.low != 0) |
           (uint64_t)__ballot_sync(SIMT_ALL_LANES, u.high != 0) << 32;
}

/* Bits of one value in a list with parameter k. */
static __device__ __forceinline__ uint32_t entry_bits(word u, uint64_t some, uint32_t i, uint32_t k)
{
    return u == 0 ? 0 : rice_code(gap_before(some, i), k).count + value_bits(u - 1);
}

/* Bits of a group's list of so many values. */
static __device__ __forceinline__ uint32_t list_bits(struct pair u, uint32_t count)
{
    const uint32_t lane = lane_of(), k = gap_bits_of(count);
    const uint64_t some = not_zero(u);
    return count == 0 ? 0
                      : __reduce_add_sync(SIMT_ALL_LANES,
                                          entry_bits(u.low, some, lane, k) +
                                              entry_bits(u.high, some, 32 + lane, k));
}

/* Bits of numbers for what is 'most' or more, of which value_bits says the unary part as well. */
static __device__ __forceinline__ uint32_t number_bits(word v, uint32_t most)
{
    return v < most ? 0 : ZTI_SZ_NUMBER_BITS + number_rest_bits(v - most);
}

/* Bits of what is above k planes, in unary code. */
static __device__ __forceinline__ uint32_t rounds_bits(struct pair u, uint32_t n, uint32_t k)
{
    const struct pair high = pair_above(u, k);
    uint32_t bits = at_most(high.low, ZTI_SZ_ROUNDS - 1) + at_most(high.high, ZTI_SZ_ROUNDS - 1);
    if (__any_sync(SIMT_ALL_LANES, high.low >= ZTI_SZ_ROUNDS || high.high >= ZTI_SZ_ROUNDS))
        bits += number_bits(high.low, ZTI_SZ_ROUNDS) + number_bits(high.high, ZTI_SZ_ROUNDS);
    return n + __reduce_add_sync(SIMT_ALL_LANES, bits);
}

/* ---- the bits -------------------------------------------------------------------------------- */

/* Or up to 32 or 64 bits into shared memory, from bit 'at' on; in any case up to the word behind
 * them. */
static __device__ __forceinline__ void or_bits_32(uint32_t *out, uint32_t at, uint32_t v)
{
    unsigned *const to = (unsigned *)out + at / 32;
    (void)atomicOr(to, v << at % 32);
    (void)atomicOr(to + 1, __funnelshift_l(v, 0, at));
}

static __device__ __forceinline__ void or_bits(uint32_t *out, uint32_t at, uint64_t v)
{
    const uint32_t low = (uint32_t)v, high = (uint32_t)(v >> 32);
    unsigned *const to = (unsigned *)out + at / 32;
    (void)atomicOr(to, low << at % 32);
    (void)atomicOr(to + 1, __funnelshift_l(low, high, at));
    (void)atomicOr(to + 2, __funnelshift_l(high, 0, at));
}

/* Where bits of each value begin that come in the order of values, and how many there are: at most
 * 2047 a value. */
struct spans {
    uint32_t low, high, all;
};

static __device__ __forceinline__ struct spans spans_of(uint32_t low, uint32_t high)
{
    const uint32_t up_to = warp_sums_32(low | high << 16);
    const uint32_t all = __shfl_sync(SIMT_ALL_LANES, up_to, 31), half = all & 0xffff;
    const struct spans s = {(up_to & 0xffff) - low, half + (up_to >> 16) - high,
                            half + (all >> 16)};
    return s;
}

/* Turn a square of bits: bit i of lane j becomes bit j of lane i. */
static __device__ __forceinline__ uint32_t turn(uint32_t a)
{
    const uint32_t lane = lane_of();
SIMT_UNROLL
    for (uint32_t s = 16; s > 0; s /= 2) {
        const uint32_t right = UINT32_MAX / ((1u << s) + 1); /* bits b with b & s == 0 */
        const uint32_t kept = __funnelshift_l(right, right, lane & s); /* or the others */
        const uint32_t other = __shfl_xor_sync(SIMT_ALL_LANES, a, (int)s);
        const uint32_t moved = __funnelshift_l(other, other, s - 2 * (lane & s));
        a = (a & kept) | (moved & ~kept);
    }
    return a;
}

/* The bits of a word where the mask has ones, together at the low end of each half (H. S. Warren,
 * "Hacker's Delight", compress), and then of the word. */
static __device__ __forceinline__ uint32_t gather_bits(uint32_t bits, uint32_t mask)
{
    const uint32_t low = (uint32_t)__popc(mask & 0xffff);
    uint32_t zeros = ~mask << 1 & 0xfffefffe; /* before a bit, an odd number of them */
    bits &= mask;
SIMT_UNROLL
    for (uint32_t by = 1; by < 16; by *= 2) {
        uint32_t odd = zeros ^ (zeros << 1 & 0xfffefffe);
        odd ^= odd << 2 & 0xfffcfffc;
        odd ^= odd << 4 & 0xfff0fff0;
        odd ^= odd << 8 & 0xff00ff00;
        const uint32_t moved = odd & mask, own = bits & moved;
        mask = (mask ^ moved) | moved >> by;
        bits = (bits ^ own) | own >> by;
        zeros &= ~odd;
    }
    return (bits & 0xffff) | bits >> 16 << low;
}

/* The low k bits of n values, plane by plane. */
static __device__ __forceinline__ void put_planes(struct pair u, uint32_t n, uint32_t k,
                                                  uint32_t *out, uint32_t at)
{
    const uint32_t lane = lane_of();
    for (uint32_t first = 0; first < k; first += 32) {
        const uint32_t low = turn((uint32_t)(u.low >> first));
        const uint32_t high = turn((uint32_t)(u.high >> first));
        if (first + lane < k)
            or_bits(out, at + (first + lane) * n, low | (uint64_t)high << 32);
    }
}

/* Numbers for what is 'most' or more, in the order of values. */
static __device__ __forceinline__ void put_numbers(struct pair v, uint32_t most, uint32_t *out,
                                                   uint32_t at)
{
    const struct spans s = spans_of(number_bits(v.low, most), number_bits(v.high, most));
    uint32_t low_at = at + s.low, high_at = at + s.high;
    if (v.low >= most)
        put_number_at(out, &low_at, v.low - most);
    if (v.high >= most)
        put_number_at(out, &high_at, v.high - most);
}

/* What is above k bits, in unary code: lane t has the first 32 values' bits of round t, lane 16 + t
 * the others'. */
static __device__ __forceinline__ void put_rounds(struct pair u, uint32_t n, uint32_t k,
                                                  uint32_t *out, uint32_t at)
{
    const struct pair high = pair_above(u, k);
    const uint32_t lane = lane_of(), round = lane % 16;
    const uint32_t ones = (1u << at_most(high.low, ZTI_SZ_ROUNDS)) - 1;
    const uint32_t more = (1u << at_most(high.high, ZTI_SZ_ROUNDS)) - 1;
    const uint32_t higher = turn(ones | more << 16);
    const uint32_t before = __shfl_up_sync(SIMT_ALL_LANES, higher, 1);
    const uint32_t all = lowest(lane < 16 ? n : n > 32 ? n - 32 : 0);
    const uint32_t alive = round == 0 ? all : round < ZTI_SZ_ROUNDS ? before : 0;
    const uint32_t bits = gather_bits(higher, alive), count = (uint32_t)__popc(alive);
    const uint32_t other = __shfl_xor_sync(SIMT_ALL_LANES, count, 16);
    uint32_t up_to = count + other;
    for (uint32_t step = 1; step < 16; step *= 2) {
        const uint32_t left = __shfl_up_sync(SIMT_ALL_LANES, up_to, (int)step, 16);
        up_to += round >= step ? left : 0;
    }
    if (count > 0)
        or_bits_32(out, at + up_to - (lane < 16 ? count + other : count), bits);
    if (__any_sync(SIMT_ALL_LANES, high.low >= ZTI_SZ_ROUNDS || high.high >= ZTI_SZ_ROUNDS))
        put_numbers(high, ZTI_SZ_ROUNDS, out, at + __shfl_sync(SIMT_ALL_LANES, up_to, 15));
}

static __device__ __forceinline__ void put_entry(word u, uint64_t some, uint32_t i, uint32_t k,
                                                 uint32_t *out, uint32_t at)
{
    if (u == 0)
        return;
    const struct zti_sz_code gap = rice_code(gap_before(some, i), k);
    or_bits(out, at, gap.bits);
    at += gap.count;
    put_value_at(out, &at, u - 1);
}

static __device__ __forceinline__ void put_list(struct pair u, uint32_t count, uint32_t *out,
                                                uint32_t at)
{
    const uint32_t lane = lane_of(), k = gap_bits_of(count);
    const uint64_t some = not_zero(u);
    if (count == 0)
        return;
    const struct spans s = spans_of(entry_bits(u.low, some, lane, k),
                                    entry_bits(u.high, some, 32 + lane, k));
    put_entry(u.low, some, lane, k, out, at + s.low);
    put_entry(u.high, some, 32 + lane, k, out, at + s.high);
}
