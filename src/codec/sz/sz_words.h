/* sz_words.h: kernel text: words of 64 bits from a group of 64 integers and back. The includer
 * defines
 *   uval        uint32_t or uint64_t
 *   VAL_BITS    their width
 *   NAME(x)     x with this instance's suffix
 * This text is the specification; instances for 32 bits have their own of most of it, in
 * sz_words_avx2.h and sz_words_avx512.h. */

/* Bit i: u[i] > limit. */
ZTI_INLINE uint64_t NAME(above)(const uval *u, uval limit)
{
    uint64_t word = 0;
    for (uint32_t i = 0; i < 64; i++)
        word |= (uint64_t)(u[i] > limit) << i;
    return word;
}

/* Bit i: bit j of u[i]. */
ZTI_INLINE uint64_t NAME(plane)(const uval *u, uint32_t j)
{
    uint64_t word = 0;
    for (uint32_t i = 0; i < 64; i++)
        word |= (uint64_t)(u[i] >> j & 1) << i;
    return word;
}

/* About the bits of unary codes of u[i] >> k: ZTI_SZ_UNARY_MOST at most of each. */
ZTI_INLINE uint32_t NAME(unary)(const uval *u, uint32_t k)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 64; i++) {
        const uval high = k < VAL_BITS ? u[i] >> k : 0;
        sum += high < ZTI_SZ_UNARY_MOST ? (uint32_t)high : ZTI_SZ_UNARY_MOST;
    }
    return sum;
}

/* A group while it is put together. */
struct NAME(group) {
    uval v[64];
};

ZTI_INLINE struct NAME(group) NAME(load)(const uval *u)
{
    struct NAME(group) g;
    memcpy(g.v, u, sizeof g.v);
    return g;
}

ZTI_INLINE void NAME(store)(const struct NAME(group) *g, uval *u)
{
    memcpy(u, g->v, sizeof g->v);
}

/* Raise those by amount whose bit is set. */
ZTI_INLINE void NAME(add)(struct NAME(group) *g, uint64_t word, uval amount)
{
    for (uint32_t i = 0; i < 64; i++)
        g->v[i] += (uval)(0 - (uval)(word >> i & 1)) & amount;
}

/* The part of each value above 'shift' bits, at most 'most', in symbols: two of four bits in each
 * of 32, or four of two bits in each of 16. Returns whether one of them is 'most'. */
ZTI_INLINE bool NAME(pack)(const uval *u, uint32_t shift, bool is_pairs, uint16_t *to)
{
    const uint32_t most = is_pairs ? 15 : 3;
    uint8_t bytes[64];
    bool any = false;
    for (uint32_t i = 0; i < 64; i++) {
        const uval high = u[i] >> shift;
        bytes[i] = (uint8_t)(high < most ? high : most);
        any |= bytes[i] == most;
    }
    for (uint32_t i = 0; i < 32 && is_pairs; i++)
        to[i] = (uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 4);
    for (uint32_t i = 0; i < 16 && !is_pairs; i++)
        to[i] = (uint16_t)(bytes[4 * i] | bytes[4 * i + 1] << 2 | bytes[4 * i + 2] << 4 |
                           bytes[4 * i + 3] << 6);
    return any;
}

/* And back. */
ZTI_INLINE void NAME(spread)(const uint16_t *from, bool is_pairs, uint32_t shift, uval *u)
{
    for (uint32_t i = 0; i < 32 && is_pairs; i++) {
        u[2 * i] = (uval)(from[i] & 15) << shift;
        u[2 * i + 1] = (uval)(from[i] >> 4) << shift;
    }
    for (uint32_t i = 0; i < 64 && !is_pairs; i++)
        u[i] = (uval)(from[i / 4] >> 2 * (i % 4) & 3);
}

/* Each of n integers becomes the sum of all up to it. */
ZTI_INLINE void NAME(sum_row)(uval *u, uint32_t n)
{
    uval sum = 0;
    for (uint32_t i = 0; i < n; i++)
        u[i] = sum = (uval)(sum + u[i]);
}
