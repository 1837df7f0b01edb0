/* warp_states.h: kernel text: a warp decodes a stream of ans/mixed.h. Each lane has a state, so
 * that a round, one symbol for each state, waits for one look-up.
 *
 *     symbol i + w      lane w looks up its state's entry: symbol, number of bits n, base
 *     position of bits  a prefix sum of n over lanes: a ballot for each of the four bits of n
 *     next state        base + bits
 *
 * A window in shared memory has the stream's next words; later words are being copied to it. A
 * round's latency is that of the look-up (warp_states_look), and of ballots, bit counts and loads
 * from the window (warp_states_advance). All else overlaps with these; what only few rounds need is
 * in one branch (warp_states_settle). */
#ifndef ZTI_ANS_GPU_WARP_STATES_H
#define ZTI_ANS_GPU_WARP_STATES_H

#include "gpu/simt.h"
#include "entropy/ans/mixed.h"

enum {
    ANS_PART = 32,       /* words that a warp copies at once: more than a round's 384 bits */
    ANS_PART_SHIFT = 10, /* logarithm of a part's bits */
    ANS_PARTS = 4,
    ANS_WINDOW = (ANS_PARTS + 1) * ANS_PART /* the last part repeats the first: loads never wrap */
};

/* The decoding tables of all models in a row; the first ones are in shared memory. */
struct ans_tables {
    const uint32_t *near, *far; /* far: NULL (a compile-time constant) if all are near */
    uint32_t near_entries;
};

struct warp_states {
    const uint32_t *words;
    uint32_t *window; /* shared: the part with the next bit, and two more; a fourth is copied */
    uint64_t first, count; /* words: where the stream begins, and their number */
    uint32_t part;         /* of the stream: the one with the next bit, or the one before */
    uint32_t at, turn;     /* the next bit in the window; where the following part begins */
    uint32_t state;        /* lane w: the state of the w-th next symbol */
};

/* Start to copy a part to the window, a word a lane; zeros beyond the stream's end. The window is a
 * ring of ANS_PARTS parts, of which the first is stored twice. */
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

/* zti_ans_mixed_begin for a warp. The window is filled after the block's next barrier. */
static __device__ __forceinline__ bool warp_states_begin(struct warp_states *a,
                                                         const struct zti_bit_reader *r,
                                                         uint32_t states, uint32_t *window)
{
    const uint32_t lane = threadIdx.x % 32;
    struct zti_bit_reader in = *r;
    const bool has_start = zti_ans_read_start(&in);
    struct zti_bit_reader own = in;
    own.at += lane * ZTI_ANS_STATE_BITS;
    a->state = lane < states ? (uint32_t)zti_get_bits(&own, ZTI_ANS_STATE_BITS) : 0;
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

/* Whether exactly the stream, which ends at bit 'end', was read, and all states are 0. */
static __device__ __forceinline__ bool warp_states_end_at(const struct warp_states *a,
                                                          uint32_t states, uint64_t end)
{
    const bool is_left = __any_sync(SIMT_ALL_LANES, threadIdx.x % 32 < states && a->state != 0);
    const uint64_t part = a->first + (uint64_t)a->part * ANS_PART;
    simt_wait_brought(); /* copies that were not used */
    return 32 * part + a->at + (1u << ANS_PART_SHIFT) == end + a->turn && !is_left;
}

/* A lane's entry in the table that begins at entry 'model'. Near and far look-ups have separate
 * branches, because a load that may be far would wait for all loads from global memory. */
static __device__ __forceinline__ uint32_t warp_states_look(const struct warp_states *a,
                                                            const struct ans_tables *tables,
                                                            uint32_t model)
{
    const uint32_t number = model + a->state;
    if (!tables->far || number < tables->near_entries)
        return tables->near[number];
    return tables->far[number];
}

/* Advance the states of the next n <= states symbols by their entries and bits. Lanes from n on
 * have no symbol. */
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

/* Whether warp_states_settle is needed after a round of n symbols. One more round is allowed before
 * it, because a part has more bits than two rounds. */
static __device__ __forceinline__ bool warp_states_need_settling(const struct warp_states *a,
                                                                 uint32_t states, uint32_t n)
{
    return a->at >= a->turn || n < states;
}

/* Go to the next part; start to copy the part after the window's last to the place of the one
 * before. */
static __device__ __forceinline__ void warp_states_turn(struct warp_states *a)
{
    a->part++;
    const uint32_t slot = a->part % ANS_PARTS;
    a->at -= slot == 0 ? ANS_PARTS << ANS_PART_SHIFT : 0;
    a->turn = (slot + 1) << ANS_PART_SHIFT;
    simt_wait_brought();
    simt_order_warp(); /* other lanes' words are visible, and all have read the old part */
    warp_states_bring(a, a->part + ANS_PARTS - 1);
}

/* After a round of n symbols: go to the next part if needed, and rotate the states so that lane w
 * has that of the w-th next symbol. */
static __device__ __forceinline__ void warp_states_settle(struct warp_states *a, uint32_t states,
                                                          uint32_t n)
{
    const uint32_t lane = threadIdx.x % 32;
    if (__any_sync(SIMT_ALL_LANES, a->at >= a->turn))
        warp_states_turn(a);
    if (__any_sync(SIMT_ALL_LANES, n < states))
        a->state = __shfl_sync(SIMT_ALL_LANES, a->state, (int)((lane + n) % states));
}

/* Decode the next n <= states symbols; see warp_states_decode. */
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

/* Decode the next n <= 32 symbols: lane w returns symbol w, whose table begins at the lane's entry
 * 'model'. Lanes from n on return nothing of use. states: ZTI_ANS_FEW or ZTI_ANS_MANY, the same
 * throughout a stream. */
static __device__ __forceinline__ uint32_t warp_states_decode(struct warp_states *a,
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
