/* ans_ways_cuda.h: kernel text: the streams of ans_mixed.h taken by a warp: lanes 0 to 3 have a
 * state each, so that a round of four symbols waits for one look-up and two rounds of shuffles.
 *
 *     symbol i + w      lane w: entry of its table --> bits n
 *     where its bits are: after those of the lanes before, a sum over four lanes
 *     state             entry's base + bits
 *
 * The lanes hold the stream's next words, one each. What a round costs is its instructions and
 * waits one after the other, so there are few of both. */
#ifndef ZTI_ANS_WAYS_CUDA_H
#define ZTI_ANS_WAYS_CUDA_H

#include "cuda/simt.h"
#include "entropy/ans_mixed.h"

enum {
    ANS_WINDOW_BITS = 32 * 32,
    ANS_ROUND_BITS = 4 * 12 /* at most: ZTI_ANS_WAYS * ZTI_ANS_STATE_BITS */
};

struct ans_ways {
    const uint32_t *words;
    uint64_t count, base; /* of words; the one that the first lane has */
    uint32_t window;      /* word base + lane; zeros where the stream has ended */
    uint32_t at;          /* the next bit, from word base on */
    uint32_t state;       /* of lane w < 4: of the next symbol but w */
};

static __device__ __forceinline__ void ans_ways_load(struct ans_ways *a)
{
    a->base += a->at / 32;
    a->at %= 32;
    const uint64_t own = a->base + threadIdx.x % 32;
    a->window = own < a->count ? a->words[own] : 0;
}

/* What is before the first symbol: zti_ans_mixed_begin. The same in all lanes. */
static __device__ __forceinline__ bool ans_ways_begin(struct ans_ways *a,
                                                      const struct zti_bit_reader *r)
{
    const uint32_t way = threadIdx.x % ZTI_ANS_WAYS;
    struct zti_ans_mixed m;
    const bool is_good = zti_ans_mixed_begin(&m, r, ZTI_ANS_WAYS);
    a->words = (const uint32_t *)(const void *)r->words;
    a->count = 2 * r->count;
    a->base = m.r.at / 32;
    a->at = (uint32_t)(m.r.at % 32);
    a->state = way == 0 ? m.state[0] : way == 1 ? m.state[1] : way == 2 ? m.state[2] : m.state[3];
    ans_ways_load(a);
    return is_good;
}

/* Whether all was taken of a stream that ends at bit 'end', and no more. */
static __device__ __forceinline__ bool ans_ways_ends_at(const struct ans_ways *a, uint64_t end)
{
    const bool is_left = threadIdx.x % 32 < ZTI_ANS_WAYS && a->state != 0;
    return 32 * a->base + a->at == end && !__any_sync(SIMT_ALL_LANES, is_left);
}

/* The next n <= 4 symbols, lane w symbol w in the model whose decoding table is 'table'; of the
 * other lanes nothing is meant. */
static __device__ __forceinline__ uint32_t ans_ways_take(struct ans_ways *a, const uint32_t *table,
                                                         uint32_t n)
{
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t entry = lane < n ? table[a->state] : 0, own = entry >> 16 & 15;
    const uint32_t first = __shfl_sync(SIMT_ALL_LANES, own, 0);
    const uint32_t second = __shfl_sync(SIMT_ALL_LANES, own, 1);
    const uint32_t third = __shfl_sync(SIMT_ALL_LANES, own, 2);
    const uint32_t fourth = __shfl_sync(SIMT_ALL_LANES, own, 3);
    const uint32_t skip = a->at + (lane > 0 ? first : 0) + (lane > 1 ? second : 0) +
                          (lane > 2 ? third : 0);
    const uint32_t low = __shfl_sync(SIMT_ALL_LANES, a->window, (int)(skip / 32));
    const uint32_t high = __shfl_sync(SIMT_ALL_LANES, a->window, (int)(skip / 32 + 1));
    const uint32_t bits = (uint32_t)(((uint64_t)high << 32 | low) >> skip % 32);
    if (lane < n)
        a->state = (entry >> 20) + (bits & ((1u << own) - 1));
    a->at += first + second + third + fourth;
    if (a->at + ANS_ROUND_BITS + 32 > ANS_WINDOW_BITS) /* the same in all lanes */
        ans_ways_load(a);
    if (n < ZTI_ANS_WAYS) /* the last round of a row */
        a->state = __shfl_sync(SIMT_ALL_LANES, a->state, (int)((lane + n) % ZTI_ANS_WAYS));
    return entry & 255;
}

#endif
