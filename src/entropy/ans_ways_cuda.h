/* ans_ways_cuda.h: kernel text: the streams of ans_mixed.h taken by a warp: lanes 0 to 3 have a state
 * each, so that a round of four symbols waits for one look-up and two shuffles.
 *
 *     symbol i + w      lane w: entry of its table --> bits n
 *     where its bits are: after those of the lanes before, a sum over four lanes
 *     state             entry's base + bits
 *
 * All lanes hold the stream's next words, of which one is asked for before it is wanted. */
#ifndef ZTI_ANS_WAYS_CUDA_H
#define ZTI_ANS_WAYS_CUDA_H

#include "cuda/simt.h"
#include "entropy/ans_mixed.h"

struct ans_ways {
    struct zti_bit_reader r;   /* at: behind what was taken */
    uint64_t low, high, ahead; /* its words from r.at / 64 on */
    uint32_t state;            /* of lane w < 4: of the next symbol but w */
};

/* What is before the first symbol: zti_ans_mixed_begin. The same in all lanes. */
static __device__ __forceinline__ bool ans_ways_begin(struct ans_ways *a,
                                                      const struct zti_bit_reader *r)
{
    const uint32_t way = threadIdx.x % ZTI_ANS_WAYS;
    struct zti_ans_mixed m;
    const bool is_good = zti_ans_mixed_begin(&m, r);
    a->r = m.r;
    a->state = way == 0 ? m.state[0] : way == 1 ? m.state[1] : way == 2 ? m.state[2] : m.state[3];
    a->low = zti_word_at(&a->r, a->r.at / 64);
    a->high = zti_word_at(&a->r, a->r.at / 64 + 1);
    a->ahead = zti_word_at(&a->r, a->r.at / 64 + 2);
    return is_good;
}

/* Whether all was taken of a stream that ends at bit 'end', and no more. */
static __device__ __forceinline__ bool ans_ways_ends_at(const struct ans_ways *a, uint64_t end)
{
    const bool is_left = threadIdx.x % 32 < ZTI_ANS_WAYS && a->state != 0;
    return a->r.at == end && !__any_sync(SIMT_ALL_LANES, is_left);
}

/* The next n <= 4 symbols, lane w symbol w in the model whose decoding table is 'table'; of the other
 * lanes nothing is meant. */
static __device__ __forceinline__ uint32_t ans_ways_take(struct ans_ways *a, const uint32_t *table,
                                                         uint32_t n)
{
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t entry = lane < n ? table[a->state] : 0, own = entry >> 16 & 15;
    uint32_t up_to = own;
    SIMT_UNROLL
    for (uint32_t step = 1; step < ZTI_ANS_WAYS; step *= 2) {
        const uint32_t left = __shfl_up_sync(SIMT_ALL_LANES, up_to, (int)step);
        up_to += lane >= step ? left : 0;
    }
    const uint32_t skip = (uint32_t)(a->r.at % 64) + up_to - own; /* at most 63 + 36 */
    const uint64_t bits = skip == 0   ? a->low
                          : skip < 64 ? a->low >> skip | a->high << (64 - skip)
                                      : a->high >> (skip - 64);
    if (lane < n)
        a->state = (entry >> 20) + ((uint32_t)bits & ((1u << own) - 1));
    const uint32_t all = __shfl_sync(SIMT_ALL_LANES, up_to, ZTI_ANS_WAYS - 1);
    if (a->r.at % 64 + all >= 64) { /* the same in all lanes */
        a->low = a->high;
        a->high = a->ahead;
        a->ahead = zti_word_at(&a->r, a->r.at / 64 + 3);
    }
    a->r.at += all;
    if (n < ZTI_ANS_WAYS) /* the last round of a row */
        a->state = __shfl_sync(SIMT_ALL_LANES, a->state, (int)((lane + n) % ZTI_ANS_WAYS));
    return entry & 255;
}

#endif
