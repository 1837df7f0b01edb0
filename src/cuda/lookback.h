/* lookback.h: where each block's bits go, in one pass: sums within a block, and of all blocks
 * before it by decoupled look-back (D. Merrill, M. Garland, "Single-pass Parallel Prefix Scan with
 * Decoupled Look-back", 2016).
 *
 *     ticket         blocks take numbers in the order in which they start, so that a block waits
 *                    for blocks only that have started and will go on
 *     state[number]  0 at first; then the block's own sum; then the sum of it and all before it:
 *                    two bits say which, 62 hold the sum, in one word, so that nothing else has to
 *                    be ordered
 *
 *     block     5        6        7        8 (looks back, 32 states at a time)
 *     state     prefix   own      own      ?
 *               \_________ added ______/
 */
#ifndef ZTI_CUDA_LOOKBACK_H
#define ZTI_CUDA_LOOKBACK_H

#include "cuda/simt.h"

#define LOOKBACK_OWN    1u
#define LOOKBACK_PREFIX 2u

/* Words of global memory, zeroed before the launch: the ticket, the sum of all blocks once the last
 * one has come by, and a state a block. */
static inline uint64_t lookback_words(uint64_t blocks)
{
    return 2 + blocks;
}

/* The number of the calling block; all threads of the block call it. */
static __device__ __forceinline__ uint64_t lookback_ticket(uint64_t *words)
{
    SIMT_SHARED(unsigned long long, ticket, );
    if (threadIdx.x == 0)
        ticket = atomicAdd((unsigned long long *)words, 1ull);
    __syncthreads();
    return ticket;
}

/* Inclusive sums over a warp. */
#define WARP_SUMS(name, type)                                                                      \
    static __device__ __forceinline__ type name(type v)                                            \
    {                                                                                              \
        const unsigned lane = threadIdx.x % 32;                                                    \
        for (unsigned step = 1; step < 32; step *= 2) {                                            \
            const type left = __shfl_up_sync(SIMT_ALL_LANES, v, (int)step);                        \
            v += lane >= step ? left : 0;                                                          \
        }                                                                                          \
        return v;                                                                                  \
    }
WARP_SUMS(warp_sums, uint64_t)
WARP_SUMS(warp_sums_32, uint32_t)

/* What each lane sees of the state of block number - 1 - lane; blocks before the first are a prefix
 * of nothing. Spins until all have at least their own sum. */
static __device__ __forceinline__ uint64_t states_before(const uint64_t *states, uint64_t number)
{
    const unsigned lane = threadIdx.x % 32;
    uint64_t state;
    do
        state = lane < number ? simt_load_acquire(states + number - 1 - lane)
                              : (uint64_t)LOOKBACK_PREFIX << 62;
    while (__any_sync(SIMT_ALL_LANES, state >> 62 == 0));
    return state;
}

/* The sum of all blocks before 'number', whose own is what the first lane has as 'own'. The block's
 * first warp calls it; all its lanes get the sum. */
static __device__ __forceinline__ uint64_t lookback(uint64_t *words, uint64_t number,
                                                    uint64_t blocks, uint64_t own)
{
    uint64_t *const states = words + 2;
    const unsigned lane = threadIdx.x % 32;
    uint64_t before = 0;
    if (lane == 0)
        simt_store_release(states + number,
                           (uint64_t)(number == 0 ? LOOKBACK_PREFIX : LOOKBACK_OWN) << 62 | own);
    for (uint64_t at = number; at > 0;) {
        const uint64_t state = states_before(states, at);
        const unsigned prefixes = __ballot_sync(SIMT_ALL_LANES, state >> 62 == LOOKBACK_PREFIX);
        const unsigned most = prefixes ? (unsigned)__ffs((int)prefixes) - 1 : 31;
        uint64_t sum = lane <= most ? state & (~UINT64_C(0) >> 2) : 0;
        sum = warp_sums(sum);
        before += __shfl_sync(SIMT_ALL_LANES, sum, 31);
        if (prefixes)
            break;
        at -= 32;
    }
    if (lane == 0 && number > 0)
        simt_store_release(states + number, (uint64_t)LOOKBACK_PREFIX << 62 | (before + own));
    if (lane == 0 && number == blocks - 1)
        words[1] = before + own;
    return before;
}

/* After decoding: chunk i of 'count' ended at a bit, and should have at another (UINT64_MAX: not
 * known). Of several blocks that have parts of a chunk the last place counts. states: cf.
 * zti_cuda_decoding in codec/cuda.h. */
static __device__ __forceinline__ void note_end(uint64_t *states, uint64_t i, uint64_t count,
                                                uint64_t end, uint64_t wanted)
{
    if (wanted != UINT64_MAX && end != wanted)
        (void)atomicMax((unsigned long long *)states, (unsigned long long)(count - i));
    if (i == count - 1)
        (void)atomicMax((unsigned long long *)states + 1, (unsigned long long)end);
}

#endif
