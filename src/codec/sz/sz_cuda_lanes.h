/* sz_cuda_lanes.h: kernel text, coding: groups of 64 values, a warp a group or two, in Rice codes
 * and lists: how many bits lists take, and the bits. Its parameters are those of sz_kernel.h. All
 * lanes of a warp call these functions, with the same group. */

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

static __device__ __forceinline__ uint32_t at_most(word v, uint32_t most)
{
    return v < most ? (uint32_t)v : most;
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

/* A number, of number_rest_bits, and a value, of value_bits. */
static __device__ __forceinline__ void or_number(uint32_t *out, uint32_t at, uint64_t v)
{
    const uint32_t n = number_rest_bits(v);
    const uint64_t rest = v + 1 - (UINT64_C(1) << n);
    if (WIDTH == 32) {
        or_bits(out, at, n | rest << ZTI_SZ_NUMBER_BITS);
        return;
    }
    or_bits_32(out, at, n);
    or_bits(out, at + ZTI_SZ_NUMBER_BITS, rest);
}

static __device__ __forceinline__ void or_value(uint32_t *out, uint32_t at, uint64_t v)
{
    if (v < ZTI_SZ_ROUNDS)
        or_bits_32(out, at, 1u << v);
    else
        or_number(out, at + ZTI_SZ_ROUNDS, v - ZTI_SZ_ROUNDS);
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

/* What a lane turns squares of bits by: halves of them, and of these, change places. */
struct turner {
    uint32_t kept[3], left[3]; /* by 4, 2 and 1: the bits that stay, and how far others' go */
    uint32_t order;            /* of the bytes of four values (load_both) */
};

static __device__ __forceinline__ struct turner turner_of(void)
{
    uint32_t lane = lane_of();
    struct turner t;
    simt_anew(lane); /* seven registers, but while bits are put */
SIMT_UNROLL
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t s = 4u >> i, right = UINT32_MAX / ((1u << s) + 1); /* b & s == 0 */
        t.kept[i] = __funnelshift_l(right, right, lane & s); /* or the others */
        t.left[i] = lane & s ? 32 - s : s;
    }
    t.order = lane & 8 ? 0x4501 : 0x5410; /* byte k of the one is byte k ^ 1 of the other, */
    t.order = lane & 16 ? __byte_perm(t.order, 0, 0x4401) : t.order; /* and k ^ 2 */
    return t;
}

/* Turn squares of 8 x 8 bits: of bit 8 m + i of lane 8 n + j, i and j change places. */
static __device__ __forceinline__ uint32_t turn_eights(const struct turner *t, uint32_t a)
{
SIMT_UNROLL
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t other = __shfl_xor_sync(SIMT_ALL_LANES, a, 4 >> i);
        a = (a & t->kept[i]) | (__funnelshift_l(other, other, t->left[i]) & ~t->kept[i]);
    }
    return a;
}

/* The whole one: bit i of lane j becomes bit j of lane i. */
static __device__ __forceinline__ uint32_t turn(const struct turner *t, uint32_t a)
{
    const uint32_t lane = lane_of();
    a = __byte_perm(a, __shfl_xor_sync(SIMT_ALL_LANES, a, 16), lane & 16 ? 0x3276 : 0x5410);
    a = __byte_perm(a, __shfl_xor_sync(SIMT_ALL_LANES, a, 8), lane & 8 ? 0x3715 : 0x6240);
    return turn_eights(t, a);
}

/* The bits of a word where the mask has ones, together at the low end of each byte (H. S. Warren,
 * "Hacker's Delight", compress), and then of the word. */
static __device__ __forceinline__ uint32_t gather_bits(uint32_t bits, uint32_t mask)
{
    const uint32_t one = (uint32_t)__popc(mask & 0xff), two = (uint32_t)__popc(mask & 0xffff);
    const uint32_t three = (uint32_t)__popc(mask & 0xffffff);
    uint32_t zeros = ~mask << 1 & 0xfefefefe; /* before a bit, an odd number of them */
    bits &= mask;
SIMT_UNROLL
    for (uint32_t by = 1; by < 8; by *= 2) {
        uint32_t odd = zeros ^ (zeros << 1 & 0xfefefefe);
        odd ^= odd << 2 & 0xfcfcfcfc;
        odd ^= odd << 4 & 0xf0f0f0f0;
        const uint32_t moved = odd & mask, own = bits & moved;
        mask = (mask ^ moved) | moved >> by;
        bits = (bits ^ own) | own >> by;
        zeros &= ~odd;
    }
    return (bits & 0xff) | (bits >> 8 & 0xff) << one | (bits >> 16 & 0xff) << two |
           bits >> 24 << three;
}

/* The low k bits of n values, plane by plane. */
static __device__ __forceinline__ void put_planes(const struct turner *t, struct pair u,
                                                  uint32_t n, uint32_t k, uint32_t *out,
                                                  uint32_t at)
{
    const uint32_t lane = lane_of();
    for (uint32_t first = 0; first < k; first += 32) {
        const uint32_t low = turn(t, (uint32_t)(u.low >> first));
        const uint32_t high = turn(t, (uint32_t)(u.high >> first));
        if (first + lane < k)
            or_bits(out, at + (first + lane) * n, low | (uint64_t)high << 32);
    }
}

/* Numbers for what is 'most' or more, in the order of values. */
static __device__ __forceinline__ void put_numbers(struct pair v, uint32_t most, uint32_t *out,
                                                   uint32_t at)
{
    const struct spans s = spans_of(number_bits(v.low, most), number_bits(v.high, most));
    if (v.low >= most)
        or_number(out, at + s.low, v.low - most);
    if (v.high >= most)
        or_number(out, at + s.high, v.high - most);
}

/* As many ones as a value has in unary code, or more than any has, and zeros. */
static __device__ __forceinline__ uint32_t ones_of(word v)
{
    return __funnelshift_lc(UINT32_MAX, 0, at_most(v, 32));
}

/* What is above k bits, in unary code: lane t has the first 32 values' bits of round t, lane 16 + t
 * the others'. */
static __device__ __forceinline__ void put_rounds(const struct turner *t, struct pair u,
                                                  uint32_t n, uint32_t k, uint32_t *out,
                                                  uint32_t at)
{
    const struct pair high = pair_above(u, k);
    const uint32_t lane = lane_of(), round = lane % 16;
    const uint32_t higher = turn(t, __byte_perm(ones_of(high.low), ones_of(high.high), 0x5410));
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

/* ---- two groups at once ---------------------------------------------------------------------- */

enum { BOTH_BITS = 8 }; /* of each value, that a square of bits holds of two groups */

/* Four values a lane of two groups, one after another. A quarter of a warp has 32 of them, a lane
 * those 8 apart; later it looks after one of BOTH_BITS planes or rounds of its quarter's. Quarters
 * begin with different ones, which are in different banks. */
static __device__ __forceinline__ void load_both(const word *u, word *v)
{
    const uint32_t lane = lane_of(), own = lane / 8 * 40 + lane % 8;
SIMT_UNROLL
    for (uint32_t k = 0; k < 4; k++)
        v[k] = u[own ^ 8 * k];
}

/* A byte of each, the first or second one, in the order of values. */
static __device__ __forceinline__ uint32_t bytes_of_both(const struct turner *t, const uint32_t *v,
                                                         bool is_second)
{
    const uint32_t which = is_second ? 0x0051 : 0x0040;
    return __byte_perm(__byte_perm(v[0], v[1], which), __byte_perm(v[2], v[3], which), t->order);
}

/* The low k bits, k for the lane's group, plane by plane from bit 'at' on. */
static __device__ __forceinline__ void put_planes_of_both(const struct turner *t, const word *v,
                                                          uint32_t k, uint32_t *out, uint32_t at)
{
    const uint32_t plane = lane_of() % BOTH_BITS, half = lane_of() / 8 % 2 * 32;
    const uint32_t low[4] = {(uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2], (uint32_t)v[3]};
    const uint32_t bits = turn_eights(t, bytes_of_both(t, low, false));
    if (plane < k)
        or_bits_32(out, at + plane * ZTI_SZ_GROUP + half, bits);
}

/* Of the only value of its group that has more than BOTH_BITS rounds, the others' bits, which end
 * the group: the ones of its lane's four values, where it has it. Returns whether any group has
 * more such values, or one that is more than rounds say. */
static __device__ __forceinline__ bool put_last_of_both(const uint32_t *ones, uint32_t first_ones,
                                                        uint32_t *out, uint32_t end)
{
    const uint32_t any = ones[0] | ones[1] | ones[2] | ones[3];
    const uint32_t marks = first_ones & 0x80808080;
    const uint32_t lanes = __ballot_sync(SIMT_ALL_LANES, marks != 0) >> (lane_of() & 16) & 0xffff;
    const bool is_more = (marks & (marks - 1)) != 0 || (lanes & (lanes - 1)) != 0 ||
                         (any >> (ZTI_SZ_ROUNDS - 1) & 1) != 0;
    if (__any_sync(SIMT_ALL_LANES, is_more))
        return true;
    if (any >> BOTH_BITS != 0)
        or_bits_32(out, end, any >> BOTH_BITS);
    return false;
}

/* What is above the low bits, v, in unary code from bit 'at' on, for the lane's group; BOTH_BITS
 * rounds at a time, the later ones where any value has them: returns whether any value is more than
 * all rounds say, and where its group's end. */
static __device__ __forceinline__ bool put_rounds_of_both(const struct turner *t, const word *v,
                                                          uint32_t *out, uint32_t at,
                                                          uint32_t *end)
{
    const uint32_t own = lane_of() % BOTH_BITS;
    const bool is_first_half = lane_of() / 8 % 2 == 0;
    const uint32_t all[4] = {ones_of(v[0]), ones_of(v[1]), ones_of(v[2]), ones_of(v[3])};
    uint32_t ones = bytes_of_both(t, all, false), alive = UINT32_MAX;
    bool is_next = false;
SIMT_NO_UNROLL
    for (;; is_next = true) {
        const uint32_t higher = turn_eights(t, ones);
        const uint32_t before = __shfl_up_sync(SIMT_ALL_LANES, higher, 1);
        const bool is_round = !is_next || own + BOTH_BITS < (uint32_t)ZTI_SZ_ROUNDS;
        alive = own == 0 ? alive : is_round ? before : 0;
        const uint32_t bits = gather_bits(higher, alive), count = (uint32_t)__popc(alive);
        const uint32_t other = __shfl_xor_sync(SIMT_ALL_LANES, count, BOTH_BITS);
        uint32_t up_to = count + other;
        for (uint32_t step = 1; step < BOTH_BITS; step *= 2) {
            const uint32_t left = __shfl_up_sync(SIMT_ALL_LANES, up_to, (int)step, BOTH_BITS);
            up_to += own >= step ? left : 0;
        }
        if (bits != 0)
            or_bits_32(out, at + up_to - (is_first_half ? count + other : count), bits);
        if (!is_next && !__any_sync(SIMT_ALL_LANES, (ones & 0x80808080) != 0))
            break;
        at += __shfl_sync(SIMT_ALL_LANES, up_to, BOTH_BITS - 1, BOTH_BITS);
        if (is_next || !put_last_of_both(all, ones, out, at))
            break;
        alive = __shfl_sync(SIMT_ALL_LANES, higher, BOTH_BITS - 1, BOTH_BITS);
        ones = bytes_of_both(t, all, true);
    }
    *end = at;
    const uint32_t last = 0x01010101u << ((uint32_t)ZTI_SZ_ROUNDS - BOTH_BITS - 1);
    return is_next && __any_sync(SIMT_ALL_LANES, (ones & last) != 0);
}

/* What four values a lane, the n-th of two groups and so on, are more than 'most' above the low
 * bits, as numbers or values, from bit 'at' on, which is that of the lane's group. */
static __device__ __forceinline__ void put_more_of_both(const word *four, uint32_t shift,
                                                        word most, bool is_number, uint32_t *out,
                                                        uint32_t at)
{
    uint32_t count = 0, marks = 0;
SIMT_UNROLL
    for (uint32_t k = 0; k < 4; k++) {
        const word v = four[k] >> shift;
        count += v < most ? 0 : is_number ? number_bits(v, (uint32_t)most) : value_bits(v - most);
        marks |= (uint32_t)(v >= most) << k;
    }
    if (!__any_sync(SIMT_ALL_LANES, marks != 0))
        return;
    uint32_t up_to = count;
    for (uint32_t step = 1; step < 16; step *= 2) {
        const uint32_t left = __shfl_up_sync(SIMT_ALL_LANES, up_to, (int)step, 16);
        up_to += lane_of() % 16 >= step ? left : 0;
    }
    at += up_to - count;
    for (; marks != 0; marks &= marks - 1) {
        const word v = (four[__ffs((int)marks) - 1] >> shift) - most;
        if (is_number)
            or_number(out, at, v);
        else
            or_value(out, at, v);
        at += is_number ? ZTI_SZ_NUMBER_BITS + number_rest_bits(v) : value_bits(v);
    }
}

static __device__ __forceinline__ void put_entry(word u, uint64_t some, uint32_t i, uint32_t k,
                                                 uint32_t *out, uint32_t at)
{
    if (u == 0)
        return;
    const struct zti_sz_code gap = rice_code(gap_before(some, i), k);
    or_bits(out, at, gap.bits);
    or_value(out, at + gap.count, u - 1);
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
