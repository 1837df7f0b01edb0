/* warp_words.h: kernel text: words that a warp holds: their or, and squares of bits turned.
 *
 * The includer defines word (of WIDTH bits: 32 or 64) and NAME(x), x with the instance's suffix. */

static __device__ __forceinline__ word NAME(or_of_warp)(word v)
{
#if WIDTH == 64
    return (word)__reduce_or_sync(SIMT_ALL_LANES, (unsigned)(v >> 32)) << 32 |
           __reduce_or_sync(SIMT_ALL_LANES, (unsigned)v);
#else
    return __reduce_or_sync(SIMT_ALL_LANES, v);
#endif
}

/* Turn a square of bits, WIDTH rows, the highest bit leftmost: row 32 q + lane is a[q]. */
static __device__ __forceinline__ void NAME(turn_square)(word *a)
{
    const uint32_t me = threadIdx.x % 32;
#if WIDTH == 64
    const word high = a[0], low = a[1];
    a[0] = (high & 0xffffffff00000000u) | low >> 32;
    a[1] = (low & 0xffffffffu) | high << 32;
#endif
SIMT_UNROLL
    for (uint32_t s = 16; s > 0; s /= 2) {
        const word right = (word)-1 / (((word)1 << s) + 1); /* bits b with b & s == 0 */
        for (uint32_t q = 0; q < WIDTH / 32; q++) {
            const word other = __shfl_xor_sync(SIMT_ALL_LANES, a[q], (int)s);
            a[q] = me & s ? (a[q] & right) | (other << s & ~right)
                                 : (a[q] & ~right) | (other >> s & right);
        }
    }
}
