/* sz_words.h: kernel text: words of 64 bits from a group of 64 integers and back. The includer
 * defines
 *   uval        uint32_t or uint64_t
 *   VAL_BITS    their width
 *   NAME(x)     x with this instance's suffix
 * This text is the specification; instances for 32 bits have their own in sz_words_avx2.h and
 * sz_words_avx512.h. */

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

/* u[i] += amount where bit i is set. */
ZTI_INLINE void NAME(add)(uval *u, uint64_t word, uval amount)
{
    for (uint32_t i = 0; i < 64; i++)
        u[i] += (uval)(0 - (uval)(word >> i & 1)) & amount;
}
