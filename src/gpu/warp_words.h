/* warp_words.h: kernel text: words that a warp holds: their or, and squares of bits turned.
 *
 * The includer defines word (of WIDTH bits: 32 or 64) and NAME(x), x with the instance's suffix. */

static __device__ __forceinline__ word NAME(or_of_warp)(word v)
{
#if WIDTH == 64
    return (word)simt_reduce_or((unsigned)(v >> 32)) << 32 | simt_reduce_or((unsigned)v);
#else
    return simt_reduce_or(v);
#endif
}

/* Turn a square of 32 x 32 bits, a row a lane: halves of squares change places, from 16 bits on,
 * within the lane's row by turning it. */
static __device__ __forceinline__ uint32_t NAME(turn_32)(uint32_t v)
{
    const uint32_t me = threadIdx.x % 32;
    uint32_t other = __shfl_xor_sync(SIMT_ALL_LANES, v, 16);
    v = __byte_perm(v, other, me & 16 ? 0x5410 : 0x3276);
    other = __shfl_xor_sync(SIMT_ALL_LANES, v, 8);
    v = __byte_perm(v, other, me & 8 ? 0x6240 : 0x3715);
    SIMT_UNROLL
    for (uint32_t s = 4; s > 0; s /= 2) {
        const uint32_t right = UINT32_MAX / ((1u << s) + 1); /* bits b with b & s == 0 */
        const uint32_t keep = me & s ? right : ~right;
        other = __shfl_xor_sync(SIMT_ALL_LANES, v, (int)s);
        v = (v & keep) | (__funnelshift_l(other, other, me & s ? s : 32 - s) & ~keep);
    }
    return v;
}

/* Turn a square of bits, WIDTH rows, the highest bit leftmost: row 32 q + lane is a[q]. */
static __device__ __forceinline__ void NAME(turn_square)(word *a)
{
#if WIDTH == 64
    const word high = a[0], low = a[1];
    a[0] = (word)NAME(turn_32)((uint32_t)(high >> 32)) << 32 | NAME(turn_32)((uint32_t)(low >> 32));
    a[1] = (word)NAME(turn_32)((uint32_t)high) << 32 | NAME(turn_32)((uint32_t)low);
#else
    a[0] = NAME(turn_32)(a[0]);
#endif
}
