/* warp_states.h: kernel text: the streams of ans/mixed.h taken by a warp: lanes have a state
 * each, so that a round of as many symbols as there are states waits for one look-up.
 *
 *     symbol i + w      lane w: entry of its table --> bits n
 *     where its bits are: after those of the lanes before: of each of the four bits of n a ballot
 *     state             entry's base + bits
 *
 * The stream's next words are in shared memory, and those behind them on their way. A round costs
 * what one after the other takes in it: the look-up (warp_states_look), votes and counts of bits,
 * and words of the window (warp_states_advance). What else there is can be done while these are
 * waited for, and what few rounds need is behind one branch (warp_states_settle). */
#ifndef ZTI_ANS_GPU_WARP_STATES_H
#define ZTI_ANS_GPU_WARP_STATES_H

#include "gpu/simt.h"
#include "entropy/ans/mixed.h"

enum {
    ANS_PART = 32,       /* words that the lanes fetch at once: more than a round's 384 bits */
    ANS_PART_SHIFT = 10, /* bits of a part, as a power of two */
    ANS_PARTS = 4,
    ANS_WINDOW = (ANS_PARTS + 1) * ANS_PART /* the first is behind the last, so that none wrap */
};

/* Decoding tables, one after another: the first ones are in shared memory. */
struct ans_tables {
    const uint32_t *near, *far; /* far: NULL, known when compiled, where all are near */
    uint32_t near_entries;
};

struct warp_states {
    const uint32_t *words;
    uint32_t *window;      /* shared: words of the part with the next bit, and of two behind it;
                            * those of the next one are on their way */
    uint64_t first, count; /* of words: the stream's first one is in the first part */
    uint32_t part;         /* of the stream: that with the next bit, or the one before it */
    uint32_t at, turn;     /* the next bit, of the window; where the part behind that begins */
    uint32_t state;        /* of lane w: of the next symbol but w */
};

/* A lane's word of a part, to the window by the way; zeros where the stream has ended. The part
 * after the fourth one is in the first one's place, which is there twice. */
static __device__ __forceinline__ void warp_states_bring(const struct warp_states *a, uint32_t part)
{
    const uint32_t lane = threadIdx.x % 32, slot = part % ANS_PARTS;
    const uint64_t own = a->first + part * (uint32_t)ANS_PART + lane;
    uint32_t *const to = a->window + (slot * ANS_PART + lane);
    for (uint32_t i = 0; i <= (slot == 0); i++) {
        uint32_t *const word = to + i * (ANS_PARTS * ANS_PART);
        if (own < a->count)
            simt_bring(word, a->words + own, sizeof *word);
        else
            *word = 0;
    }
}

/* What is before the first symbol, of a stream with so many states: zti_ans_mixed_begin. The window
 * is there after the next barrier of the block. */
static __device__ __forceinline__ bool warp_states_begin(struct warp_states *a,
                                                         const struct zti_bit_reader *r,
                                                         uint32_t states, uint32_t *window)
{
    const uint32_t lane = threadIdx.x % 32;
    struct zti_bit_reader in = *r;
    const bool has_start = zti_ans_take_start(&in);
    struct zti_bit_reader own = in;
    own.at += lane * ZTI_ANS_STATE_BITS;
    a->state = lane < states ? (uint32_t)zti_take_bits(&own, ZTI_ANS_STATE_BITS) : 0;
    in.at += states * ZTI_ANS_STATE_BITS;
    a->words = (const uint32_t *)(const void *)in.words;
    a->count = 2 * in.count;
    a->first = in.at / 32;
    a->part = 0;
    a->at = (uint32_t)(in.at % 32);
    a->turn = 1u << ANS_PART_SHIFT;
    a->window = window;
    for (uint32_t part = 0; part < ANS_PARTS; part++)
        warp_states_bring(a, part);
    simt_wait_brought();
    return has_start;
}

/* Whether all was taken of a stream that ends at bit 'end', and no more. */
static __device__ __forceinline__ bool warp_states_end_at(const struct warp_states *a,
                                                          uint32_t states, uint64_t end)
{
    const bool is_left = __any_sync(SIMT_ALL_LANES, threadIdx.x % 32 < states && a->state != 0);
    const uint64_t part = a->first + (uint64_t)a->part * ANS_PART;
    simt_wait_brought(); /* what nobody looks at */
    return 32 * part + a->at + (1u << ANS_PART_SHIFT) == end + a->turn && !is_left;
}

/* A lane's entry, of the model whose first one has that number. A look-up that may be of a far
 * table would wait for all that is on its way from there. */
static __device__ __forceinline__ uint32_t warp_states_look(const struct warp_states *a,
                                                            const struct ans_tables *tables,
                                                            uint32_t model)
{
    const uint32_t number = model + a->state;
    if (!tables->far || number < tables->near_entries)
        return tables->near[number];
    return tables->far[number];
}

/* The next n <= states symbols' states and bits, of those entries; of lanes from n on nothing is
 * meant. */
static __device__ __forceinline__ void warp_states_advance(struct warp_states *a, uint32_t entry,
                                                           uint32_t n)
{
    const uint32_t lane = threadIdx.x % 32, own = ZTI_ANS_BITS(entry);
    uint32_t skip = a->at;
    SIMT_UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t set = simt_vote_bit(entry, UINT32_C(0x10000) << i);
        skip += (uint32_t)__popc(set & ((1u << lane) - 1)) << i;
    }
    const uint32_t *const word = a->window + skip / 32;
    const uint32_t bits = __funnelshift_r(word[0], word[1], skip);
    if (lane < n)
        a->state = ZTI_ANS_BASE(entry) + (bits & ((1u << own) - 1));
    a->at = __shfl_sync(SIMT_ALL_LANES, skip + own, (int)((n - 1) % 32));
}

/* Whether warp_states_settle is needed after a round of n symbols, but one may be taken before: a
 * part has more bits than two rounds. */
static __device__ __forceinline__ bool warp_states_need_settling(const struct warp_states *a,
                                                                 uint32_t states, uint32_t n)
{
    return a->at >= a->turn || n < states;
}

/* In another part: the place of the one before it is for the part behind those that are there. */
static __device__ __forceinline__ void warp_states_turn(struct warp_states *a)
{
    a->part++;
    const uint32_t slot = a->part % ANS_PARTS;
    a->at -= slot == 0 ? ANS_PARTS << ANS_PART_SHIFT : 0;
    a->turn = (slot + 1) << ANS_PART_SHIFT;
    simt_wait_brought();
    simt_order_warp(); /* other lanes' words; and the last part's, which all have looked at */
    warp_states_bring(a, a->part + ANS_PARTS - 1);
}

/* After a round of n symbols: to the next part, and lanes to the states of the symbols behind. */
static __device__ __forceinline__ void warp_states_settle(struct warp_states *a, uint32_t states,
                                                          uint32_t n)
{
    const uint32_t lane = threadIdx.x % 32;
    if (__any_sync(SIMT_ALL_LANES, a->at >= a->turn))
        warp_states_turn(a);
    if (__any_sync(SIMT_ALL_LANES, n < states))
        a->state = __shfl_sync(SIMT_ALL_LANES, a->state, (int)((lane + n) % states));
}

/* The next n symbols of as many states or less; see warp_states_take. */
static __device__ __forceinline__ uint32_t warp_states_round(struct warp_states *a,
                                                             const struct ans_tables *tables,
                                                             uint32_t states, uint32_t model,
                                                             uint32_t n)
{
    const uint32_t entry = warp_states_look(a, tables, model);
    warp_states_advance(a, entry, n);
    if (__any_sync(SIMT_ALL_LANES, warp_states_need_settling(a, states, n)))
        warp_states_settle(a, states, n);
    return entry & 255;
}

/* The next n <= 32 symbols, lane w symbol w in the model whose first entry has that number; of
 * lanes from n on nothing is meant. The same 'states' throughout a stream: ZTI_ANS_FEW or
 * ZTI_ANS_MANY. */
static __device__ __forceinline__ uint32_t warp_states_take(struct warp_states *a,
                                                            const struct ans_tables *tables,
                                                            uint32_t states, uint32_t model,
                                                            uint32_t n)
{
    const uint32_t lane = threadIdx.x % 32;
    uint32_t symbol = 0;
    if (states == ZTI_ANS_MANY)
        return warp_states_round(a, tables, states, model, n);
    for (uint32_t k = 0; k < n; k += states) {
        const uint32_t some = n - k < states ? n - k : states;
        const uint32_t of = __shfl_sync(SIMT_ALL_LANES, model, (int)(k + lane % states));
        const uint32_t taken = warp_states_round(a, tables, states, of, some);
        const uint32_t own = __shfl_sync(SIMT_ALL_LANES, taken, (int)(lane % states));
        symbol = lane / states == k / states ? own : symbol;
    }
    return symbol;
}

#endif
