/* rice.h: kernel text: a warp encodes one or two groups of 64 values in Rice codes or lists, and
 * measures lists. Its parameters are those of lorenzo/gpu/kernel.h. All lanes of a warp call these
 * functions, with the same group. */

/* A lane's two values of a group, those numbered 'lane' and 32 + lane; 0 if they are missing. */
struct pair {
    word low, high;
};

static __device__ __forceinline__ uint32_t lane_of(void)
{
    return threadIdx.x % 32;
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

/* The zeros before value i, which is not 0; 'some' has a bit for each such value. */
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

/* The bits of a group's list of 'count' values. */
static __device__ __forceinline__ uint32_t list_bits(struct pair u, uint32_t count)
{
    const uint32_t lane = lane_of(), k = gap_bits_of(count);
    const uint64_t some = not_zero(u);
    return count == 0 ? 0
                      : simt_reduce_add(entry_bits(u.low, some, lane, k) +
                                        entry_bits(u.high, some, 32 + lane, k));
}

/* The bits of a number, if v is at least 'most', else 0; value_bits includes the unary part. */
static __device__ __forceinline__ uint32_t number_bits_from(word v, uint32_t most)
{
    return v < most ? 0 : number_bits(v - most);
}

/* ---- the bits -------------------------------------------------------------------------------- */

/* Or up to 32 or 64 bits into shared memory from bit 'at' on; the word after them is written
 * too. */
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

/* Write a number (number_bits) and a value (value_bits). */
static __device__ __forceinline__ void or_number(uint32_t *out, uint32_t at, uint64_t v)
{
    const uint32_t n = number_rest_bits(v);
    const uint64_t rest = number_rest(v, n);
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

/* Where the bits of each value begin, in the order of values, and their total; at most 2047 for
 * each value. */
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

/* A lane's constants for transposing squares of bits. Lanes form 16 or 8 pairs; one lane of a pair
 * has the first half of a group, the other the second, so that after a transposition the bits are
 * in the order of lanes. */
struct turner {
    uint32_t kept[3], left[3]; /* steps of 4, 2, 1: bits that stay, shifts of the others */
    uint32_t order;            /* order of the bytes of four values (load_both), */
    uint32_t first;            /* and where these begin */
};

static __device__ __forceinline__ struct turner make_transposer(void)
{
    uint32_t lane = lane_of();
    struct turner t;
    simt_anew(lane); /* saves eight registers outside of writing */
    SIMT_UNROLL
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t s = 4u >> i, right = UINT32_MAX / ((1u << s) + 1); /* b & s == 0 */
        const uint32_t is_other = lane / 2 & s;
        t.kept[i] = __funnelshift_l(right, right, is_other); /* or the others */
        t.left[i] = is_other ? 32 - s : s;
    }
    t.first = lane / 16 * 80 + lane % 2 * 40 + lane / 2 % 8;
    t.order = lane & 1 ? 0x4501 : 0x5410; /* byte k of the one is byte k ^ 1 of the other, */
    t.order = lane & 16 ? __byte_perm(t.order, 0, 0x4401) : t.order; /* and k ^ 2 */
    return t;
}

/* Transpose 8 x 8 squares of bits, or 16 x 16: in bit 8 m + i of the lane of pair 8 n + j, i and j
 * are exchanged. */
static __device__ __forceinline__ uint32_t transpose_eights(const struct turner *t, uint32_t a)
{
    SIMT_UNROLL
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t other = __shfl_xor_sync(SIMT_ALL_LANES, a, 8 >> i);
        a = (a & t->kept[i]) | (__funnelshift_l(other, other, t->left[i]) & ~t->kept[i]);
    }
    return a;
}

static __device__ __forceinline__ uint32_t transpose_sixteens(const struct turner *t, uint32_t a)
{
    const uint32_t which = lane_of() & 16 ? 0x3715 : 0x6240;
    return transpose_eights(t, __byte_perm(a, __shfl_xor_sync(SIMT_ALL_LANES, a, 16), which));
}

/* Collect the bits of a word at the mask's ones (as PEXT): first at the low end of each byte (H. S.
 * Warren, "Hacker's Delight", compress), then of the word. */
static __device__ __forceinline__ uint32_t gather_bits(uint32_t bits, uint32_t mask)
{
    const uint32_t one = (uint32_t)__popc(mask & 0xff), two = (uint32_t)__popc(mask & 0xffff);
    const uint32_t three = (uint32_t)__popc(mask & 0xffffff);
    uint32_t zeros = ~mask << 1 & 0xfefefefe; /* bits with an odd number of zeros before them */
    bits &= mask;
    SIMT_UNROLL
    for (uint32_t by = 1; by < 8; by *= 2) {
        uint32_t odd = zeros ^ (zeros << 1 & 0xfefefefe);
        odd ^= odd << 2 & 0xfcfcfcfc;
        if (by < 4) /* of every fourth zero only the first counts, and none of four before it */
            odd ^= odd << 4 & 0xf0f0f0f0;
        const uint32_t moved = odd & mask, own = bits & moved;
        mask = (mask ^ moved) | moved >> by;
        bits = (bits ^ own) | own >> by;
        zeros &= ~odd;
    }
    return (bits & 0xff) | __byte_perm(bits, 0, 0x4441) << one |
           __byte_perm(bits, 0, 0x4442) << two | bits >> 24 << three;
}

/* Load two of a group's values, 16 apart: even lanes of the first half, odd lanes of the second
 * half, in reverse order to avoid bank conflicts. */
static __device__ __forceinline__ void load_two(const word *u, word *v)
{
    const uint32_t own = lane_of() % 2 * 48 + lane_of() / 2;
    v[0] = u[own];
    v[1] = u[own ^ 16];
}

/* The low or the high sixteen bits of both, in the order of values. */
static __device__ __forceinline__ uint32_t bits_of_two(uint32_t a, uint32_t b, bool is_second)
{
    const uint32_t which = lane_of() % 2 ? 0x1054 : 0x5410;
    return __byte_perm(a, b, is_second ? which + 0x2222 : which);
}

/* Write the low k bits of n values, plane by plane. */
static __device__ __forceinline__ void write_planes(const struct turner *t, const word *u,
                                                    uint32_t n, uint32_t k, uint32_t *out,
                                                    uint32_t at)
{
    word v[2];
    load_two(u, v);
    SIMT_NO_UNROLL
    for (uint32_t first = 0; first < k; first += 16) {
        const uint32_t plane = first + lane_of() / 2;
        const uint32_t bits =
            transpose_sixteens(t, bits_of_two((uint32_t)v[0], (uint32_t)v[1], false));
        if (plane < k)
            or_bits_32(out, at + plane * n + lane_of() % 2 * 32, bits);
        v[0] >>= 16;
        v[1] >>= 16;
    }
}

/* Write a number for each value of at least 'most', in the order of values. */
static __device__ __forceinline__ void write_numbers(struct pair v, uint32_t most, uint32_t *out,
                                                     uint32_t at)
{
    const struct spans s = spans_of(number_bits_from(v.low, most), number_bits_from(v.high, most));
    if (v.low >= most)
        or_number(out, at + s.low, v.low - most);
    if (v.high >= most)
        or_number(out, at + s.high, v.high - most);
}

/* The ones of a value's unary code; more, if it has all of them. */
static __device__ __forceinline__ uint32_t ones_of(word v)
{
    return simt_ones(WIDTH == 32 ? (uint32_t)v : at_most(v, 32));
}

/* Write rounds of unary codes from bit 'at' on: each lane has half a round of 32 values, in order.
 * 'higher' has the values that go on, 'alive' the values of the first round. Returns the number of
 * bits up to the lane's end. */
static __device__ __forceinline__ uint32_t write_halves(uint32_t higher, uint32_t alive,
                                                        uint32_t most, uint32_t width,
                                                        uint32_t *out, uint32_t at)
{
    const uint32_t own = lane_of() % width;
    const uint32_t before = __shfl_up_sync(SIMT_ALL_LANES, higher, 2);
    alive = own < 2 ? alive : own < most ? before : 0;
    const uint32_t bits = gather_bits(higher, alive), count = (uint32_t)__popc(alive);
    const uint32_t up_to = part_sums(count, width);
    if (bits != 0)
        or_bits_32(out, at + up_to - count, bits);
    return up_to;
}

/* Write the bits above the low k, in unary code. */
static __device__ __forceinline__ void encode_rounds(const struct turner *t, const word *u,
                                                     uint32_t n, uint32_t k, uint32_t *out,
                                                     uint32_t at)
{
    const uint32_t begin = lane_of() % 2 * 32, rounds = ZTI_SZ_ROUNDS;
    word v[2];
    load_two(u, v);
    v[0] = above(v[0], k);
    v[1] = above(v[1], k);
    const uint32_t ones = bits_of_two(ones_of(v[0]), ones_of(v[1]), false);
    const uint32_t up_to = write_halves(
        transpose_sixteens(t, ones), simt_ones(n > begin ? n - begin : 0), 2 * rounds, 32, out, at);
    if (__any_sync(SIMT_ALL_LANES, v[0] >= rounds || v[1] >= rounds)) {
        const struct pair high = {above(u[lane_of()], k), above(u[32 + lane_of()], k)};
        write_numbers(high, rounds, out, at + __shfl_sync(SIMT_ALL_LANES, up_to, 31));
    }
}

/* ---- two groups at once ---------------------------------------------------------------------- */

enum { BOTH_BITS = 8 }; /* bits of each value in a square of two groups */

/* Load four values, 8 apart, of two consecutive groups at u; half a warp has a group, and lanes
 * alternate between its halves as in load_two. The order differs between pairs of lanes and halves,
 * to avoid bank conflicts. */
static __device__ __forceinline__ void load_both(const struct turner *t, const word *u, uint32_t g,
                                                 word *v)
{
    const uint32_t own = g * ZTI_SZ_GROUP + t->first;
    SIMT_UNROLL
    for (uint32_t k = 0; k < 4; k++)
        v[k] = u[own ^ 8 * k];
}

/* The first or second byte of each value, in the order of values. */
static __device__ __forceinline__ uint32_t bytes_of_both(const struct turner *t, const uint32_t *v,
                                                         bool is_second)
{
    const uint32_t which = is_second ? 0x0051 : 0x0040;
    return __byte_perm(__byte_perm(v[0], v[1], which), __byte_perm(v[2], v[3], which), t->order);
}

/* Write the low k bits of two groups, plane by plane from bit 'at' on; k and 'at' are those of the
 * lane's group. */
static __device__ __forceinline__ void write_planes_of_both(const struct turner *t, const word *v,
                                                            uint32_t k, uint32_t *out, uint32_t at)
{
    const uint32_t low[4] = {(uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2], (uint32_t)v[3]};
    const uint32_t bits = transpose_eights(t, bytes_of_both(t, low, false)), own = lane_of() % 16;
    or_bits_32(out, at + own * 32, own < 2 * k ? bits : 0); /* no branch */
}

/* Write the last rounds of the only value of a group with more than BOTH_BITS rounds; they end the
 * group. Returns whether a group has several such values, or one that needs a number. */
static __device__ __forceinline__ bool write_last_of_both(const uint32_t *all, uint32_t ones,
                                                          uint32_t *out, uint32_t at)
{
    const uint32_t any = all[0] | all[1] | all[2] | all[3], marks = ones & 0x80808080;
    const uint32_t lanes = __ballot_sync(SIMT_ALL_LANES, marks != 0) >> (lane_of() & 16) & 0xffff;
    const bool is_more = (marks & (marks - 1)) != 0 || (lanes & (lanes - 1)) != 0 ||
                         (any >> (ZTI_SZ_ROUNDS - 1) & 1) != 0;
    if (__any_sync(SIMT_ALL_LANES, is_more))
        return true;
    if (any >> BOTH_BITS != 0)
        or_bits_32(out, at, any >> BOTH_BITS);
    return false;
}

/* Write the excesses over 'most' of four values in each lane, above the low bits, as numbers or
 * values, from bit 'at' of the lane's group on. */
static __device__ __forceinline__ void write_more_of_both(const word *four, uint32_t shift,
                                                          word most, bool is_number, uint32_t *out,
                                                          uint32_t at)
{
    uint32_t count = 0, marks = 0;
    SIMT_UNROLL
    for (uint32_t k = 0; k < 4; k++) {
        const word v = four[k] >> shift;
        count += v < most ? 0 : is_number ? number_bits(v - most) : value_bits(v - most);
        marks |= (uint32_t)(v >= most) << k;
    }
    if (!__any_sync(SIMT_ALL_LANES, marks != 0))
        return;
    at += part_sums(count, 16) - count;
    for (; marks != 0; marks &= marks - 1) {
        const word v = (four[__ffs((int)marks) - 1] >> shift) - most;
        if (is_number)
            or_number(out, at, v);
        else
            or_value(out, at, v);
        at += is_number ? number_bits(v) : value_bits(v);
    }
}

/* Write v, the bits above the low ones, in unary code from bit 'at' of the lane's group on:
 * BOTH_BITS rounds at a time, later rounds only if a value has them, and numbers, from 'four' and
 * 'shift', if a value exceeds all rounds. */
static __device__ __forceinline__ void encode_rounds_of_both(const struct turner *t, const word *v,
                                                             const word *four, uint32_t shift,
                                                             uint32_t *out, uint32_t at)
{
    const uint32_t all[4] = {ones_of(v[0]), ones_of(v[1]), ones_of(v[2]), ones_of(v[3])};
    uint32_t ones = bytes_of_both(t, all, false), alive = UINT32_MAX, most = 16, up_to;
    uint32_t marks = 0x80808080;
    SIMT_NO_UNROLL
    for (;;) {
        const uint32_t higher = transpose_eights(t, ones);
        up_to = write_halves(higher, alive, most, 16, out, at);
        if (!__any_sync(SIMT_ALL_LANES, (ones & marks) != 0))
            break;
        at += __shfl_sync(SIMT_ALL_LANES, up_to, 15, 16);
        if (!write_last_of_both(all, ones, out, at))
            return;
        alive = __shfl_sync(SIMT_ALL_LANES, higher, 14 + (int)lane_of() % 2, 16);
        ones = bytes_of_both(t, all, true);
        most = 2 * ((uint32_t)ZTI_SZ_ROUNDS - BOTH_BITS);
        marks = 0;
    }
    if (marks != 0)
        return;
    const uint32_t last = 0x01010101u << ((uint32_t)ZTI_SZ_ROUNDS - BOTH_BITS - 1);
    if (__any_sync(SIMT_ALL_LANES, (ones & last) != 0))
        write_more_of_both(four, shift, ZTI_SZ_ROUNDS, true, out,
                           at + __shfl_sync(SIMT_ALL_LANES, up_to, 15, 16));
}

static __device__ __forceinline__ void write_entry(word u, uint64_t some, uint32_t i, uint32_t k,
                                                   uint32_t *out, uint32_t at)
{
    if (u == 0)
        return;
    const struct zti_sz_code gap = rice_code(gap_before(some, i), k);
    or_bits(out, at, gap.bits);
    or_value(out, at + gap.count, u - 1);
}

static __device__ __forceinline__ void write_list(struct pair u, uint32_t count, uint32_t *out,
                                                  uint32_t at)
{
    const uint32_t lane = lane_of(), k = gap_bits_of(count);
    const uint64_t some = not_zero(u);
    if (count == 0)
        return;
    const struct spans s =
        spans_of(entry_bits(u.low, some, lane, k), entry_bits(u.high, some, 32 + lane, k));
    write_entry(u.low, some, lane, k, out, at + s.low);
    write_entry(u.high, some, 32 + lane, k, out, at + s.high);
}
