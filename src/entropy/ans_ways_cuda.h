/* ans_ways_cuda.h: kernel text: the streams of ans_mixed.h taken by a warp: lanes have a state
 * each, so that a round of as many symbols as there are states waits for one look-up.
 *
 *     symbol i + w      lane w: entry of its table --> bits n
 *     where its bits are: after those of the lanes before: of each of the four bits of n a ballot
 *     state             entry's base + bits
 *
 * The stream's next words are in shared memory, and those behind them on their way. What a round
 * costs is its instructions and waits one after the other, so there are few of both. */
#ifndef ZTI_ANS_WAYS_CUDA_H
#define ZTI_ANS_WAYS_CUDA_H

#include "cuda/simt.h"
#include "entropy/ans_mixed.h"

enum {
    ANS_PART = 32,       /* words that the lanes fetch at once: more than a round's 384 bits */
    ANS_PART_SHIFT = 10, /* bits of a part, as a power of two */
    ANS_WINDOW = 4 * ANS_PART
};

/* Decoding tables, one after another: the first ones are in shared memory. */
struct ans_tables {
    const uint32_t *near, *far; /* far: NULL, known when compiled, where all are near */
    uint32_t near_entries;
};

struct ans_ways {
    const uint32_t *words;
    uint32_t *window;      /* shared: words of the part with the next bit, and of two behind it */
    uint64_t first, count; /* of words: bit 0 of 'at' is in the first */
    uint32_t at;           /* the next bit */
    uint32_t ahead;        /* a lane's word of the part behind the window's */
    uint32_t state;        /* of lane w: of the next symbol but w */
};

/* A lane's word of a part, on its way: nothing is asked of it before ans_ways_place. */
static __device__ __forceinline__ uint32_t ans_ways_fetch(const struct ans_ways *a, uint32_t part)
{
    const uint64_t own = a->first + part * (uint32_t)ANS_PART + threadIdx.x % 32;
    return a->words[own < a->count ? own : a->count - 1];
}

/* To the window; zeros where the stream has ended. */
static __device__ __forceinline__ void ans_ways_place(const struct ans_ways *a, uint32_t part,
                                                      uint32_t word)
{
    const uint32_t lane = threadIdx.x % 32;
    const uint64_t own = a->first + part * (uint32_t)ANS_PART + lane;
    a->window[part % 4 * ANS_PART + lane] = own < a->count ? word : 0;
}

/* What is before the first symbol, of a stream with so many states: zti_ans_mixed_begin. The window
 * is there after the next barrier of the block. */
static __device__ __forceinline__ bool ans_ways_begin(struct ans_ways *a,
                                                      const struct zti_bit_reader *r,
                                                      uint32_t ways, uint32_t *window)
{
    const uint32_t lane = threadIdx.x % 32;
    struct zti_bit_reader in = *r;
    uint32_t zeros = 0;
    while (zeros < 8 && zti_take_bits(&in, 1) == 0)
        zeros++;
    struct zti_bit_reader own = in;
    own.at += lane * ZTI_ANS_STATE_BITS;
    a->state = lane < ways ? (uint32_t)zti_take_bits(&own, ZTI_ANS_STATE_BITS) : 0;
    in.at += ways * ZTI_ANS_STATE_BITS;
    a->words = (const uint32_t *)(const void *)in.words;
    a->count = 2 * in.count;
    a->first = in.at / 32;
    a->at = (uint32_t)(in.at % 32);
    a->window = window;
    for (uint32_t part = 0; part < 3; part++)
        ans_ways_place(a, part, ans_ways_fetch(a, part));
    a->ahead = ans_ways_fetch(a, 3);
    return zeros < 8;
}

/* Whether all was taken of a stream that ends at bit 'end', and no more. */
static __device__ __forceinline__ bool ans_ways_ends_at(const struct ans_ways *a, uint32_t ways,
                                                        uint64_t end)
{
    const bool is_left = threadIdx.x % 32 < ways && a->state != 0;
    return 32 * a->first + a->at == end && !__any_sync(SIMT_ALL_LANES, is_left);
}

/* In another part: what was on its way takes the place of the part before the last one; it is
 * looked at after the next such step. */
static __device__ __forceinline__ void ans_ways_turn(struct ans_ways *a, uint32_t part)
{
    ans_ways_place(a, part + 2, a->ahead);
    a->ahead = ans_ways_fetch(a, part + 3);
    simt_order_warp(); /* rounds have ballots in between */
}

/* The next n symbols of as many states or less; see ans_ways_take. A look-up that may be of a far
 * table would wait for all that is on its way from there. */
static __device__ __forceinline__ uint32_t ans_ways_round(struct ans_ways *a,
                                                          const struct ans_tables *tables,
                                                          uint32_t ways, uint32_t model,
                                                          uint32_t n)
{
    const uint32_t lane = threadIdx.x % 32, number = model + a->state;
    uint32_t entry = 0, skip = a->at, all = 0;
    if (lane < n && (!tables->far || number < tables->near_entries))
        entry = tables->near[number];
    else if (lane < n)
        entry = tables->far[number];
    const uint32_t own = entry >> 16 & 15;
    SIMT_UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t set = __ballot_sync(SIMT_ALL_LANES, (int)(own >> i & 1));
        skip += (uint32_t)__popc(set & ((1u << lane) - 1)) << i;
        all += (uint32_t)__popc(set) << i;
    }
    const uint32_t low = a->window[skip / 32 % ANS_WINDOW];
    const uint32_t high = a->window[(skip / 32 + 1) % ANS_WINDOW];
    const uint32_t bits = (uint32_t)(((uint64_t)high << 32 | low) >> skip % 32);
    if (lane < n)
        a->state = (entry >> 20) + (bits & ((1u << own) - 1));
    const uint32_t before = a->at >> ANS_PART_SHIFT;
    a->at += all;
    const uint32_t part = a->at >> ANS_PART_SHIFT;
    if (part != before || n < ways) { /* the same in all lanes; one branch, for few rounds */
        if (part != before)
            ans_ways_turn(a, part);
        if (n < ways)
            a->state = __shfl_sync(SIMT_ALL_LANES, a->state, (int)((lane + n) % ways));
    }
    return entry & 255;
}

/* The next n <= 32 symbols, lane w symbol w in the model whose first entry has that number; of
 * lanes from n on nothing is meant. The same 'ways' throughout a stream: ZTI_ANS_WAYS or
 * ZTI_ANS_MANY. */
static __device__ __forceinline__ uint32_t ans_ways_take(struct ans_ways *a,
                                                         const struct ans_tables *tables,
                                                         uint32_t ways, uint32_t model, uint32_t n)
{
    const uint32_t lane = threadIdx.x % 32;
    uint32_t symbol = 0;
    if (ways == ZTI_ANS_MANY)
        return ans_ways_round(a, tables, ways, model, n);
    for (uint32_t k = 0; k < n; k += ways) {
        const uint32_t some = n - k < ways ? n - k : ways;
        const uint32_t of = __shfl_sync(SIMT_ALL_LANES, model, (int)(k + lane % ways));
        const uint32_t taken = ans_ways_round(a, tables, ways, of, some);
        const uint32_t own = __shfl_sync(SIMT_ALL_LANES, taken, (int)(lane % ways));
        symbol = lane / ways == k / ways ? own : symbol;
    }
    return symbol;
}

#endif
