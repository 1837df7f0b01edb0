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
 *     block     5        6        7        8 (looks back, 128 states at a time)
 *     state     prefix   own      own      ?
 *               \_________ added ______/
 */
#ifndef ZTI_GPU_LOOKBACK_H
#define ZTI_GPU_LOOKBACK_H

#include "gpu/simt.h"

#define LOOKBACK_OWN     1u
#define LOOKBACK_PREFIX  2u
#define LOOKBACK_EACH    4u /* states that a lane looks at at a time */
#define LOOKBACK_AT_ONCE (32 * LOOKBACK_EACH)

/* Words of global memory, zeroed before the launch: the ticket, the sum of all blocks once the last
 * one has come by, and a state a block. */
static inline uint64_t lookback_words(uint64_t blocks)
{
    return 2 + blocks;
}

/* The number of the calling block; one thread of the block calls it, once. */
static __device__ __forceinline__ uint64_t lookback_claim(uint64_t *words)
{
    return atomicAdd((unsigned long long *)words, 1ull);
}

/* The same for all threads of the block, which call it. */
static __device__ __forceinline__ uint64_t lookback_ticket(uint64_t *words)
{
    SIMT_SHARED(uint64_t, ticket, );
    if (threadIdx.x == 0)
        ticket = lookback_claim(words);
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

/* What the threads of a block before this one have, and *all of them; sums: a word for each of its
 * warps. All threads call it. */
static __device__ __forceinline__ uint64_t block_sum_before(uint64_t own, uint32_t warps,
                                                            uint64_t *sums, uint64_t *all)
{
    const uint32_t warp = threadIdx.x / 32;
    const uint64_t up_to = warp_sums(own);
    uint64_t before = up_to - own;
    *all = 0;
    if (threadIdx.x % 32 == 31)
        sums[warp] = up_to;
    __syncthreads();
    for (uint32_t k = 0; k < warps; k++) {
        before += k < warp ? sums[k] : 0;
        *all += sums[k];
    }
    __syncthreads();
    return before;
}

/* Inclusive sums over each part of a warp, of 'width' lanes. */
static __device__ __forceinline__ uint32_t part_sums(uint32_t v, unsigned width)
{
    SIMT_UNROLL
    for (unsigned step = 1; step < width; step *= 2)
        simt_add_before(&v, step, width);
    return v;
}

/* Say what the block's own sum is, as soon as it is known: the blocks behind wait for it. One
 * thread calls it. */
static __device__ __forceinline__ void lookback_publish(uint64_t *words, uint64_t number,
                                                        uint64_t own)
{
    simt_store_flag(words + 2 + number,
                    (uint64_t)(number == 0 ? LOOKBACK_PREFIX : LOOKBACK_OWN) << 62 | own);
}

/* What each lane sees of the states of blocks number - 1 - lane, 32 blocks further and so on;
 * blocks before the first are a prefix of nothing. Spins until all have at least their own sum. */
static __device__ __forceinline__ void states_before(const uint64_t *states, uint64_t number,
                                                     uint64_t *state)
{
    const unsigned lane = threadIdx.x % 32;
    SIMT_UNROLL
    for (unsigned i = 0; i < LOOKBACK_EACH; i++)
        state[i] = 32 * i + lane < number ? 0 : (uint64_t)LOOKBACK_PREFIX << 62;
    bool is_there;
    do {
        is_there = true;
        SIMT_UNROLL
        for (unsigned i = 0; i < LOOKBACK_EACH; i++)
            if (state[i] >> 62 == 0)
                state[i] = simt_load_flag(states + number - 1 - 32 * i - lane);
        SIMT_UNROLL
        for (unsigned i = 0; i < LOOKBACK_EACH; i++)
            is_there &= state[i] >> 62 != 0;
    } while (!__all_sync(SIMT_ALL_LANES, is_there));
}

/* A lane's share of the sum of the 128 blocks before 'number', no further than to the nearest
 * prefix; whether there was one. */
static __device__ __forceinline__ uint64_t lookback_window(const uint64_t *words, uint64_t number,
                                                           bool *is_found)
{
    const unsigned lane = threadIdx.x % 32;
    uint64_t sum = 0, state[LOOKBACK_EACH];
    *is_found = false;
    states_before(words + 2, number, state);
    SIMT_UNROLL
    for (unsigned i = 0; i < LOOKBACK_EACH; i++) {
        const unsigned prefixes = __ballot_sync(SIMT_ALL_LANES, state[i] >> 62 == LOOKBACK_PREFIX);
        const unsigned most = prefixes ? (unsigned)__ffs((int)prefixes) - 1 : 31;
        sum += !*is_found && lane <= most ? state[i] & (~UINT64_C(0) >> 2) : 0;
        *is_found |= prefixes != 0;
    }
    return sum;
}

/* All lanes' shares, in all lanes. */
static __device__ __forceinline__ uint64_t lookback_total(uint64_t sum)
{
    for (unsigned step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(SIMT_ALL_LANES, sum, (int)step);
    return sum;
}

/* Say what all blocks before 'number' have together. One thread calls it. */
static __device__ __forceinline__ void
lookback_finish(uint64_t *words, uint64_t number, uint64_t blocks, uint64_t own, uint64_t before)
{
    simt_store_flag(words + 2 + number, (uint64_t)LOOKBACK_PREFIX << 62 | (before + own));
    if (number == blocks - 1)
        words[1] = before + own;
}

/* The sum of all blocks before 'number', whose own was published. A warp calls it, whose first lane
 * has 'own'; all lanes get the sum. */
static __device__ __forceinline__ uint64_t lookback_sum(uint64_t *words, uint64_t number,
                                                        uint64_t blocks, uint64_t own)
{
    uint64_t before = 0;
    bool is_found = number == 0;
    for (uint64_t at = number; !is_found; at -= LOOKBACK_AT_ONCE)
        before += lookback_window(words, at, &is_found);
    before = lookback_total(before);
    if (threadIdx.x % 32 == 0)
        lookback_finish(words, number, blocks, own, before);
    return before;
}

/* Both at once, where there is nothing to do in between. */
static __device__ __forceinline__ uint64_t lookback(uint64_t *words, uint64_t number,
                                                    uint64_t blocks, uint64_t own)
{
    if (threadIdx.x % 32 == 0)
        lookback_publish(words, number, own);
    return lookback_sum(words, number, blocks, own);
}

/* After decoding: chunk i of 'count' ended at a bit, and should have at another (UINT64_MAX: not
 * known). Of several blocks that have parts of a chunk the last place counts. states: cf.
 * zti_cuda_decoding in codec/gpu.h. */
static __device__ __forceinline__ void note_end(uint64_t *states, uint64_t i, uint64_t count,
                                                uint64_t end, uint64_t wanted)
{
    if (wanted != UINT64_MAX && end != wanted)
        (void)atomicMax((unsigned long long *)states, (unsigned long long)(count - i));
    if (i == count - 1)
        (void)atomicMax((unsigned long long *)states + 1, (unsigned long long)end);
}

#endif
