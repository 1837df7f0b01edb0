/* huffman.h: kernel text: a warp encodes a group of 64 values in Huffman codes: the symbols of
 * effort 'default' (lorenzo/huffman.h) and the cuSZ coder (lorenzo/cusz.h), their number of bits,
 * the bits, and counts. Its parameters are those of lorenzo/gpu/kernel.h. All lanes of a warp call
 * these functions, with the same group, whose values are in shared memory at u, followed by
 * zeros. */

static __device__ __forceinline__ uint32_t code_count(uint32_t code)
{
    return code >> 16;
}

/* Write the lanes' codes in order from bit 'at' on; a code of no bits is 0. Four codes are joined
 * before they are written. */
static __device__ __forceinline__ void write_codes(uint32_t code, uint32_t *out, uint32_t at)
{
    const uint32_t lane = threadIdx.x % 32, count = code_count(code);
    const uint32_t begin = at + warp_sums_32(count) - count;
    const uint32_t next = __shfl_down_sync(SIMT_ALL_LANES, code, 1);
    const uint32_t two = (code & 0xffff) | (next & 0xffff) << count;
    const uint32_t bits = count + code_count(next);
    const uint32_t more = __shfl_down_sync(SIMT_ALL_LANES, two, 2);
    if (lane % 4 == 0)
        or_bits(out, begin, two | (uint64_t)more << bits);
}

/* ---- effort 'default' ------------------------------------------------------------------------ */

/* Symbol i of a group of class c. */
static __device__ __forceinline__ uint32_t symbol_of(const word *u, uint32_t c, uint32_t i)
{
    const uint32_t book = book_of(c), shift = class_shift(c), most = symbol_most(book);
    if (symbol_bits(book) == 4)
        return at_most(above(u[2 * i], shift), most) | at_most(above(u[2 * i + 1], shift), most)
                                                           << 4;
    uint32_t symbol = 0;
    SIMT_UNROLL
    for (uint32_t k = 0; k < 4; k++)
        symbol |= at_most(u[4 * i + k], most) << 2 * k;
    return symbol;
}

/* The code of the lane's symbol of a group, which has at most 32 symbols. */
static __device__ __forceinline__ uint32_t code_in(const uint32_t *codes, const word *u, uint32_t n,
                                                   uint32_t c)
{
    const uint32_t lane = threadIdx.x % 32, book = book_of(c);
    return lane < symbols_in(n, book) ? codes[book * 256 + symbol_of(u, c, lane)] : 0;
}

/* The codes of four of a group's values, from value i on: one or two codes; none for missing
 * values. */
struct codes {
    uint32_t low, high;
};

static __device__ __forceinline__ struct codes codes_of_four(const uint32_t *codes, const word *v,
                                                             uint32_t i, uint32_t n, uint32_t c)
{
    const uint32_t book = book_of(c), shift = class_shift(c), most = symbol_most(book);
    const uint32_t *const own = codes + book * 256;
    uint32_t u[4];
    SIMT_UNROLL
    for (uint32_t k = 0; k < 4; k++)
        u[k] = at_most(v[k] >> shift, most); /* a bit less than all at most */
    const uint32_t by = symbol_bits(book);
    const uint32_t low = u[0] | u[1] << by, high = u[2] | u[3] << by;
    const struct codes two = {i < n ? own[by == 4 ? low : low | high << 4] : 0,
                              i + 2 < n && by == 4 ? own[high] : 0};
    return two;
}

/* Write the codes of two groups, with four values in each lane, in order, from bit 'at' of the
 * lane's group on. The codes of two lanes are joined before they are written. */
static __device__ __forceinline__ void write_codes_of_both(struct codes code, uint32_t *out,
                                                           uint32_t at)
{
    const uint32_t lane = threadIdx.x % 32, low = code_count(code.low);
    const uint32_t bits = (code.low & 0xffff) | (code.high & 0xffff) << low;
    const uint32_t count = low + code_count(code.high);
    const uint32_t next = __shfl_down_sync(SIMT_ALL_LANES, bits, 1);
    const uint32_t begin = at + part_sums(count, 16) - count;
    if (lane % 2 == 0)
        or_bits(out, begin, bits | (uint64_t)next << count);
}

static __device__ __forceinline__ uint32_t excess_of(word v, uint32_t most)
{
    return v < most ? 0 : value_bits(v - most);
}

/* Write the excesses of values over their symbols. */
static __device__ __forceinline__ void write_excess(struct pair u, uint32_t c, uint32_t *out,
                                                    uint32_t at)
{
    const struct pair high = pair_above(u, class_shift(c));
    const uint32_t most = symbol_most(book_of(c));
    if (!__any_sync(SIMT_ALL_LANES, high.low >= most || high.high >= most))
        return;
    const struct spans s = spans_of(excess_of(high.low, most), excess_of(high.high, most));
    if (high.low >= most)
        or_value(out, at + s.low, high.low - most);
    if (high.high >= most)
        or_value(out, at + s.high, high.high - most);
}

/* Count a group's symbols; a book has 256. */
static __device__ __forceinline__ void count_symbols(const word *u, uint32_t n, uint32_t c,
                                                     uint32_t *counts)
{
    const uint32_t lane = threadIdx.x % 32, book = book_of(c);
    if (lane < symbols_in(n, book))
        (void)atomicAdd((unsigned *)counts + book * 256 + symbol_of(u, c, lane), 1u);
}

/* ---- the cuSZ coder -------------------------------------------------------------------------- */

/* The symbol of a residual; 0: it is stored unchanged. */
static __device__ __forceinline__ uint32_t cusz_symbol(word d, uint32_t bins, bool is_narrow)
{
    return is_narrow ? ZTI_SZ_CUSZ_SYMBOL(uint32_t, (uint32_t)d, bins)
                     : ZTI_SZ_CUSZ_SYMBOL(word, d, bins);
}

/* A group's codes, and residuals that are stored unchanged. */
struct cusz {
    uint32_t low, high; /* codes; 0 after the last value */
    bool is_low_kept, is_high_kept;
};

static __device__ __forceinline__ struct cusz cusz_of(const uint32_t *codes, struct pair d,
                                                      uint32_t n, uint32_t bins, bool is_narrow)
{
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t low = cusz_symbol(d.low, bins, is_narrow);
    const uint32_t high = cusz_symbol(d.high, bins, is_narrow);
    const bool has_low = lane < n, has_high = 32 + lane < n;
    const struct cusz p = {has_low ? codes[low] : 0, has_high ? codes[high] : 0,
                           has_low && low == 0, has_high && high == 0};
    return p;
}

static __device__ __forceinline__ uint32_t cusz_kept(struct cusz p)
{
    return (uint32_t)(__popc(__ballot_sync(SIMT_ALL_LANES, p.is_low_kept)) +
                      __popc(__ballot_sync(SIMT_ALL_LANES, p.is_high_kept)));
}

static __device__ __forceinline__ void write_kept(struct pair d, struct cusz p, uint32_t width,
                                                  uint32_t *out, uint32_t at)
{
    if (!__any_sync(SIMT_ALL_LANES, p.is_low_kept || p.is_high_kept))
        return;
    const struct spans s = spans_of(p.is_low_kept ? width : 0, p.is_high_kept ? width : 0);
    if (p.is_low_kept)
        or_bits(out, at + s.low, width == 32 ? (uint32_t)d.low : d.low);
    if (p.is_high_kept)
        or_bits(out, at + s.high, width == 32 ? (uint32_t)d.high : d.high);
}
