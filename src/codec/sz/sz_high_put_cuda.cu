/* sz_high_put_cuda.cu: tiles of effort 'high' to bytes, in three kernels; and, before that, the
 * symbols of some of them to counts, in one.
 *
 * A block has a tile: points of a band depend on those of earlier ones alone, so each has a thread;
 * their contexts on the magnitudes of the band itself, all of which are there then. The ANS coder's
 * states go backwards through the symbols, each on its own: as many lanes of a warp, which leave
 * for each symbol the bits that its state sheds. Sums over these say where they go: a block has a
 * tile again, looks back for its place, and writes. */
#include "codec/sz/sz_high_put_cuda.h"

enum {
    PUT_BATCH = 512,       /* tiles under way at a time, if they are large */
    STEPS = 8,             /* symbols of a state that are looked up together */
    STATE_BITS = (int)ZTI_ANS_STATE_BITS,
    EXACT_MOST = 515,      /* bytes of the marks of 4096 values, at most */
    EIGHT = 8,             /* symbols that a lane has at a time */
    RUN_SYMBOLS = EIGHT * 32,
    RING_WORDS = 2 * RUN_SYMBOLS, /* a power of two: room for their bits, 32 of each at most */
    STATE_MASK = (1 << STATE_BITS) - 1,
    BOTH = 0x00010001,     /* two numbers of 16 bits */
    PARTS = (int)ZTI_SZ_HIGH_VALUES / (int)ZTI_SZ_TILE_VALUES
};

/* ---- symbols: a block a tile ---- */

/* The number of symbols that are not 0, of the calling thread, to that of all. */
static __device__ __forceinline__ void add_others(const struct put_slot *slot, uint32_t others)
{
    const uint32_t of_warp = __reduce_add_sync(SIMT_ALL_LANES, others);
    if (threadIdx.x % 32 == 0)
        (void)atomicAdd((unsigned *)&slot->note->others, of_warp);
}

SIMT_KERNEL void __launch_bounds__(HIGH_THREADS, 3) high_make_symbols(const struct sz_high_tiles h)
{
    const struct sz_tiles *const s = &h.s;
    const uint64_t number = s->first_tile + h.first + blockIdx.x;
    const struct put_slot slot = put_slot_of(&h, blockIdx.x);
    const struct zti_sz_box box = high_box_of(s, number);
    const struct sz_tile t = tile_of(s, number);
    uint32_t symbols;
    bool is_whole;
    for (uint32_t i = threadIdx.x; i < (t.n + 63) / 64; i += HIGH_THREADS)
        slot.exact[i] = 0;
    if (threadIdx.x == 0)
        slot.note->exact = slot.note->others = 0;
    add_others(&slot, code_box(&h, &box, &slot, NULL, &symbols, &is_whole));
    if (is_whole)
        find_exact(s, &box, &t, &slot);
    if (threadIdx.x == 0) {
        slot.note->symbols = symbols;
        slot.note->is_whole = is_whole;
    }
}

SIMT_KERNEL void __launch_bounds__(HIGH_THREADS, 3) high_make_last(const struct sz_high_tiles h)
{
    const struct put_slot slot = put_slot_of(&h, blockIdx.x);
    const struct zti_sz_box box = high_box_of(&h.s, h.s.first_tile + h.first + blockIdx.x);
    if (slot.note->is_whole)
        return;
    uint32_t symbols = slot.note->symbols;
    const uint32_t others = code_slab(&h, &box, NULL, &symbols);
    const struct put_slot again = put_slot_again(&h);
    add_others(&again, others);
    if (threadIdx.x == 0)
        again.note->symbols = symbols;
}

/* ---- counts ---- */

/* A block a tile that is counted; h.first is of these, and h.each where the slab's tiles end. */
static __device__ __forceinline__ bool counted_box(const struct sz_high_tiles *h,
                                                   struct zti_sz_box *box, uint32_t *counts)
{
    const struct sz_tiles *const s = &h->s;
    const uint64_t number = zti_sz_high_counted(s->part, h->first + blockIdx.x);
    if (number < s->first_tile || number >= h->each)
        return false;
    const struct zti_walk walk = zti_walk_from(&s->grid, number);
    *box = zti_sz_high_counted_box(&s->grid, s->sz.axes, &walk);
    for (uint32_t i = threadIdx.x; i < LEVEL_COUNTERS; i += HIGH_THREADS)
        counts[i] = 0;
    return true;
}

SIMT_KERNEL void __launch_bounds__(HIGH_THREADS, 3) high_count_symbols(const struct sz_high_tiles h)
{
    SIMT_SHARED(uint32_t, counts, [LEVEL_COUNTERS]);
    const struct put_slot slot = put_slot_of(&h, blockIdx.x);
    struct zti_sz_box box;
    uint32_t symbols;
    bool is_whole;
    if (!counted_box(&h, &box, counts))
        return;
    (void)code_box(&h, &box, &slot, counts, &symbols, &is_whole);
    if (threadIdx.x == 0) {
        slot.note->symbols = symbols;
        slot.note->is_whole = is_whole;
    }
}

SIMT_KERNEL void __launch_bounds__(HIGH_THREADS, 2) high_count_last(const struct sz_high_tiles h)
{
    SIMT_SHARED(uint32_t, counts, [LEVEL_COUNTERS]);
    const struct put_slot slot = put_slot_of(&h, blockIdx.x);
    struct zti_sz_box box;
    if (!counted_box(&h, &box, counts) || slot.note->is_whole)
        return;
    uint32_t symbols = slot.note->symbols;
    (void)code_slab(&h, &box, counts, &symbols);
}

/* ---- states: a warp a tile, of which lanes have one each ---- */

enum {
    NEAR_RUNNERS = 22, /* models whose tables a block has room for */
    MODEL_STEPS = (int)ZTI_SZ_HIGH_ALPHABET,
    RUN_BYTES = MODEL_STEPS * 8 + (int)ZTI_SZ_HIGH_STATES * 2 /* of a model */
};

/* What a state does with a symbol: known before the state is. */
struct way_step {
    uint32_t bits, next; /* see make_steps in ans_model.c; 'next' among those of all models */
};

/* Tables of all models, one after another: the first ones are in shared memory too. */
struct runner {
    const uint32_t *steps, *near_steps;
    const uint16_t *next, *near_next;
    uint32_t near_models;
};

/* Each of a lane's symbols is one of so many. */
struct lane_codes {
    const uint16_t *code;
    uint16_t *shed;
    uint32_t ways;
};

static __device__ __forceinline__ struct way_step step_of(const struct runner *r, uint32_t code,
                                                          bool is_near)
{
    const uint32_t model = code / (uint32_t)MODEL_STEPS;
    const uint32_t *const own =
        (is_near || model < r->near_models ? r->near_steps : r->steps) + 2 * code;
    const struct way_step step = {own[0], own[1] + model * (uint32_t)ZTI_SZ_HIGH_STATES};
    return step;
}

/* What a state sheds for symbol i of the lane; returns its next one. 'is_near': all tables are; a
 * load that may be from elsewhere would wait for what is on its way from there. */
static __device__ __forceinline__ uint32_t run_step(const struct runner *r,
                                                    const struct lane_codes *l, uint32_t i,
                                                    struct way_step step, uint32_t state,
                                                    bool is_near)
{
    const uint32_t bits = (state + step.bits) >> 16, number = (state >> bits) + step.next;
    l->shed[i * l->ways] = (uint16_t)((state & ((1u << bits) - 1)) | bits << STATE_BITS);
    if (is_near || number < r->near_models * (uint32_t)ZTI_SZ_HIGH_STATES)
        return r->near_next[number];
    return r->next[number];
}

static __device__ __forceinline__ void load_codes(const struct lane_codes *l, uint32_t from,
                                                  uint32_t *code)
{
    SIMT_UNROLL
    for (uint32_t i = 0; i < STEPS; i++)
        code[i] = l->code[(from + i) * l->ways];
}

/* From the last of a lane's n symbols to the first. Only a state's own look-up waits for the symbol
 * behind it: what was coded is fetched for STEPS symbols at a time, and what they do to states is
 * looked up, while the ones behind are coded. */
static __device__ __forceinline__ uint32_t run_states(const struct runner *r,
                                                      const struct lane_codes *l, uint32_t n,
                                                      bool is_near)
{
    uint32_t state = ZTI_SZ_HIGH_STATES, from = n / STEPS * STEPS, code[STEPS];
    struct way_step step[STEPS];
    for (uint32_t i = n; i-- > from;)
        state = run_step(r, l, i, step_of(r, l->code[i * l->ways], is_near), state, is_near);
    if (from == 0)
        return state;
    load_codes(l, from - STEPS, code);
    SIMT_UNROLL
    for (uint32_t i = 0; i < STEPS; i++)
        step[i] = step_of(r, code[i], is_near);
    load_codes(l, from > STEPS ? from - 2 * STEPS : 0, code);
    for (; from > 0; from -= STEPS) {
        struct way_step ahead[STEPS];
        SIMT_UNROLL
        for (uint32_t i = 0; i < STEPS; i++)
            ahead[i] = step_of(r, code[i], is_near);
        load_codes(l, from > 2 * STEPS ? from - 3 * STEPS : 0, code);
        SIMT_UNROLL
        for (uint32_t i = STEPS; i-- > 0;)
            state = run_step(r, l, from - STEPS + i, step[i], state, is_near);
        SIMT_UNROLL
        for (uint32_t i = 0; i < STEPS; i++)
            step[i] = ahead[i];
    }
    return state;
}

SIMT_KERNEL void __launch_bounds__(32 * HIGH_MOST_TAKERS, 1)
high_run_states(const struct sz_high_tiles h)
{
    SIMT_SHARED_DYNAMIC(uint32_t, shared);
    const uint32_t number = blockIdx.x * h.takers + threadIdx.x / 32;
    const uint32_t steps = h.near_models * 2 * (uint32_t)MODEL_STEPS;
    const uint32_t words = h.near_models * (uint32_t)RUN_BYTES / 4;
    const struct put_slot slot = put_slot_of(&h, number);
    struct runner r;
    r.steps = (const uint32_t *)(const void *)model_at(&h.s, ZTI_SZ_HIGH_STEPS_AT);
    r.next = (const uint16_t *)(const void *)model_at(&h.s, ZTI_SZ_HIGH_NEXT_AT);
    r.near_steps = shared;
    r.near_next = (const uint16_t *)(const void *)(shared + steps);
    r.near_models = h.near_models;
    for (uint32_t i = 4 * threadIdx.x; i < words; i += 4 * blockDim.x) {
        const uint32_t *const next = (const uint32_t *)(const void *)r.next;
        uint32_t four[4];
        simt_load_16(four, i < steps ? r.steps + i : next + (i - steps));
        simt_store_16(shared + i, four);
    }
    __syncthreads();
    if (number >= h.batch || slot.note->others == 0)
        return;
    const uint32_t n = slot.note->symbols, way = threadIdx.x % 32, ways = ways_of(slot.note);
    const struct lane_codes l = {slot.codes + way, slot.shed + way, ways};
    const uint32_t own = n > way ? (n - 1 - way) / ways + 1 : 0;
    if (way < ways)
        slot.note->state[way] = (h.near_models == h.models ? run_states(&r, &l, own, true)
                                                           : run_states(&r, &l, own, false)) -
                                ZTI_SZ_HIGH_STATES;
}

/* ---- bytes: a block a tile ---- */

/* Bits of a section of a tile. A warp has those of some symbols: where they begin, and the words at
 * both ends of them, which others have bits of. */
struct section {
    uint32_t at[HIGH_WARPS + 1]; /* the last: its end, where a byte is */
    uint32_t first[HIGH_WARPS], last[HIGH_WARPS];
};

/* What a block knows of the bytes of its tile. */
struct putting {
    struct section codes, extras;
    uint32_t marks[PARTS], ways[PARTS]; /* exact values: bytes of marks, and their way */
    uint32_t values[PARTS];
    uint32_t exact_at[PARTS + 1];
    uint32_t head[4]; /* what is before the sections */
    uint32_t head_bytes, extra_bytes, code_bytes, exact_bytes, bytes;
    uint32_t zeros; /* before what is coded, to whole bytes */
    uint64_t place;
    bool is_raw;
    uint32_t ring[HIGH_WARPS][RING_WORDS];
};

/* Numbers of 16 bits of eight symbols, two a word. */
struct eight {
    uint32_t two[EIGHT / 2];
};

/* From symbol i on, zeros from n on. */
static __device__ __forceinline__ struct eight eight_from(const uint16_t *from, uint32_t i,
                                                          uint32_t n)
{
    struct eight e = {{0}};
    if (i < n)
        simt_load_16(e.two, from + i);
    if (i < n && n - i < EIGHT) {
        SIMT_UNROLL
        for (uint32_t k = 0; k < EIGHT / 2; k++)
            e.two[k] &= n - i > 2 * k ? simt_ones(16 * (n - i - 2 * k)) : 0;
    }
    return e;
}

static_assert(ZTI_SZ_HIGH_DIRECT + 1 == 1 << 7 && ZTI_SZ_HIGH_ESCAPE + 1 == 1 << 8,
              "one more sets bit 7 of symbols that leave some bits open, and bit 8 of the escape");

/* zti_sz_high_open_bits of two residuals' symbols at a time. */
static __device__ __forceinline__ uint32_t open_bits_of_two(uint32_t codes)
{
    const uint32_t symbols = codes & 255 * BOTH, more = symbols + BOTH;
    const uint32_t sizes = (symbols + (256 + 5 * 4 - ZTI_SZ_HIGH_DIRECT) * BOTH) >> 2;
    return (sizes & (more >> 7 & BOTH) * 63) | (more >> 3 & 32 * BOTH);
}

static __device__ __forceinline__ uint32_t sum_of_two(uint32_t two)
{
    return (two & 0xffff) + (two >> 16);
}

/* The symbols of the calling warp. */
static __device__ __forceinline__ uint32_t first_of_warp(uint32_t n, uint32_t warp)
{
    const uint32_t all = (uint32_t)RUN_SYMBOLS * HIGH_WARPS;
    const uint32_t each = (n + all - 1) / all * RUN_SYMBOLS, at = warp * each;
    return at < n ? at : n;
}

/* The bits of each warp's symbols. */
static __device__ __forceinline__ void sum_bits(const struct put_slot *slot, struct putting *p)
{
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, n = slot->note->symbols;
    uint32_t codes = 0, extras = 0;
    const uint32_t end = first_of_warp(n, warp + 1);
    SIMT_UNROLL_4
    for (uint32_t i = first_of_warp(n, warp) + EIGHT * lane; i < end; i += RUN_SYMBOLS) {
        const struct eight shed = eight_from(slot->shed, i, end);
        const struct eight code = eight_from(slot->codes, i, end);
        SIMT_UNROLL
        for (uint32_t k = 0; k < EIGHT / 2; k++) {
            codes += shed.two[k] >> STATE_BITS & 15 * BOTH;
            extras += open_bits_of_two(code.two[k]);
        }
    }
    codes = __reduce_add_sync(SIMT_ALL_LANES, sum_of_two(codes));
    extras = __reduce_add_sync(SIMT_ALL_LANES, sum_of_two(extras));
    if (lane == 0) {
        p->codes.at[warp + 1] = codes;
        p->extras.at[warp + 1] = extras;
    }
}

/* Where the bits of each warp's symbols begin, and how many bytes they are. The first warp begins
 * with zeros, a one and the states. One thread. */
static __device__ __forceinline__ void place_bits(struct putting *p, uint32_t ways, bool is_zero)
{
    uint32_t codes = 1 + ways * STATE_BITS, extras = 0;
    SIMT_UNROLL
    for (uint32_t i = 1; i <= HIGH_WARPS; i++) {
        codes += p->codes.at[i];
        extras += p->extras.at[i];
        p->codes.at[i] = codes;
        p->extras.at[i] = extras;
    }
    p->code_bytes = is_zero ? 0 : (codes + 7) / 8;
    p->extra_bytes = (extras + 7) / 8;
    p->zeros = -codes & 7;
    p->codes.at[0] = p->extras.at[0] = 0;
    SIMT_UNROLL
    for (uint32_t i = 1; i <= HIGH_WARPS; i++)
        p->codes.at[i] += p->zeros;
}

static __device__ __forceinline__ uint32_t part_values(uint32_t n, uint32_t part)
{
    return simt_at_most(n - part * ZTI_SZ_TILE_VALUES, ZTI_SZ_TILE_VALUES);
}

/* Exact values: the bytes of each 4096 values, a thread each. */
static __device__ __forceinline__ void measure_exact(const struct sz_tile *t,
                                                     const struct put_slot *slot,
                                                     struct putting *p)
{
    const uint32_t part = threadIdx.x, parts = (t->n - 1) / ZTI_SZ_TILE_VALUES + 1;
    if (part >= parts || slot->note->exact == 0)
        return;
    const uint32_t n = part_values(t->n, part);
    const uint64_t *const bits = slot->exact + part * ZTI_SZ_GROUPS;
    uint32_t count = 0;
    for (uint32_t i = 0; i * 64 < n; i++)
        count += (uint32_t)__popcll(bits[i]);
    p->marks[part] = exact_mark_bytes(bits, n, &p->ways[part]);
    p->values[part] = count;
}

/* All lengths, and what is before the sections. One thread. */
static __device__ __forceinline__ void measure_tile(const struct sz_tile *t, uint32_t value_bytes,
                                                    const struct put_slot *slot,
                                                    struct putting *p)
{
    const uint32_t raw_bytes = t->n * value_bytes, exact = slot->note->exact;
    const uint32_t ways = ways_of(slot->note);
    const bool is_zero = slot->note->others == 0;
    const uint32_t parts = (t->n - 1) / ZTI_SZ_TILE_VALUES + 1;
    uint8_t *const head = (uint8_t *)(void *)p->head, *at = head;
    place_bits(p, ways, is_zero);
    const uint64_t exact_most =
        exact ? (uint64_t)exact * value_bytes + 4 + (t->n / ZTI_SZ_TILE_VALUES + 1) * EXACT_MOST
              : 0;
    p->is_raw = p->code_bytes + (uint64_t)p->extra_bytes + exact_most + 8 > raw_bytes;
    p->exact_at[0] = 4;
    for (uint32_t i = 0; i < parts && exact; i++)
        p->exact_at[i + 1] = p->exact_at[i] + p->marks[i] + p->values[i] * value_bytes;
    p->exact_bytes = exact ? p->exact_at[parts] : 0;
    *at++ = p->is_raw ? (uint8_t)ZTI_SZ_HIGH_RAW
                      : (uint8_t)((is_zero ? ZTI_SZ_HIGH_ZERO : ZTI_SZ_HIGH_CODED) |
                                  (ways == ZTI_ANS_MANY ? ZTI_SZ_HIGH_HAS_MANY : 0) |
                                  (p->extra_bytes ? ZTI_SZ_HIGH_HAS_EXTRAS : 0) |
                                  (exact ? ZTI_SZ_HIGH_HAS_EXACT : 0));
    if (!p->is_raw && !is_zero)
        at = zti_put_varint(at, p->code_bytes + p->extra_bytes +
                                    (p->extra_bytes ? zti_varint_bytes(p->extra_bytes) : 0));
    if (!p->is_raw && p->extra_bytes)
        at = zti_put_varint(at, p->extra_bytes);
    p->head_bytes = (uint32_t)(at - head);
    p->bytes = p->is_raw ? 1 + raw_bytes
                         : p->head_bytes + p->extra_bytes + p->code_bytes + p->exact_bytes;
}

/* Bytes of the stream: the word that the first one is in, and which bit of it that begins at. */
struct stretch {
    uint32_t *words;
    uint32_t shift, bytes;
};

static __device__ __forceinline__ struct stretch stretch_at(const struct sz_tiles *s, uint64_t at,
                                                            uint32_t bytes)
{
    uint32_t *const words = (uint32_t *)(void *)s->words;
    const struct stretch to = {words + at / 4, 8 * (uint32_t)(at % 4), bytes};
    return to;
}

/* A warp's way through bits of a stretch: words are put together in shared memory, of which the
 * calling block has a few, and stored where they are whole. But the first one's, and what is left
 * of the last one, are the section's. */
struct bit_run {
    uint32_t *ring;       /* 0 where no bit is yet */
    uint32_t *to, *first; /* where words go */
    uint32_t at, begin;   /* the next bit; the word of the first one */
};

static __device__ __forceinline__ struct bit_run bit_run_from(struct putting *p,
                                                              struct section *section,
                                                              const struct stretch *to)
{
    const uint32_t warp = threadIdx.x / 32, at = to->shift + section->at[warp];
    const struct bit_run run = {p->ring[warp], to->words, &section->first[warp], at, at / 32};
    if (threadIdx.x % 32 == 0)
        *run.first = 0;
    return run;
}

/* Bits of a lane, into words that have room. */
static __device__ __forceinline__ void bit_run_or(const struct bit_run *run, uint32_t at,
                                                  uint64_t bits)
{
    const uint32_t low = (uint32_t)bits, high = (uint32_t)(bits >> 32), word = at / 32;
    const uint32_t next = __funnelshift_l(low, high, at), last = __funnelshift_l(high, 0, at);
    (void)atomicOr((unsigned *)run->ring + word % RING_WORDS, low << at % 32);
    if (next != 0)
        (void)atomicOr((unsigned *)run->ring + (word + 1) % RING_WORDS, next);
    if (last != 0)
        (void)atomicOr((unsigned *)run->ring + (word + 2) % RING_WORDS, last);
}

/* All lanes have put theirs, so many: whole words leave. */
static __device__ __forceinline__ void bit_run_go(struct bit_run *run, uint32_t bits)
{
    const uint32_t from = run->at / 32;
    run->at += bits;
    __syncwarp();
    for (uint32_t i = from + threadIdx.x % 32; i < run->at / 32; i += 32) {
        uint32_t *const word = run->ring + i % RING_WORDS;
        if (i == run->begin)
            *run->first = *word;
        else
            run->to[i] = *word;
        *word = 0;
    }
    simt_order_warp(); /* words were read that bits are put into again, behind sums */
}

static __device__ __forceinline__ void bit_run_end(const struct bit_run *run, uint32_t *last)
{
    uint32_t *const word = run->ring + run->at / 32 % RING_WORDS;
    if (threadIdx.x % 32 == 0) {
        *last = *word;
        *word = 0;
    }
    simt_order_warp();
}

/* Bits of each lane; where a lane's own are, for it to put. */
static __device__ __forceinline__ uint32_t bit_run_place(const struct bit_run *run, uint32_t own,
                                                         uint32_t *all)
{
    const uint32_t up_to = part_sums(own, 32);
    *all = __shfl_sync(SIMT_ALL_LANES, up_to, 31);
    return run->at + up_to - own;
}

/* What states shed for four symbols. */
static __device__ __forceinline__ uint64_t shed_of_four(const uint32_t *two, uint32_t *count)
{
    uint32_t bits[2], counts[2];
    SIMT_UNROLL
    for (uint32_t i = 0; i < 2; i++) {
        counts[i] = two[i] >> STATE_BITS & 15;
        bits[i] = (two[i] & STATE_MASK) | (two[i] >> 16 & STATE_MASK) << counts[i];
        counts[i] += two[i] >> (16 + STATE_BITS);
    }
    *count = counts[0] + counts[1];
    return bits[0] | (uint64_t)bits[1] << counts[0];
}

/* The states, and what they shed. */
static __device__ __forceinline__ void put_codes(const struct put_slot *slot, struct putting *p,
                                                 const struct stretch *to)
{
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, n = slot->note->symbols;
    const uint32_t end = first_of_warp(n, warp + 1);
    struct bit_run run = bit_run_from(p, &p->codes, to);
    uint32_t i = first_of_warp(n, warp) + EIGHT * lane, all;
    struct eight shed = eight_from(slot->shed, i, end);
    struct eight next = eight_from(slot->shed, i + RUN_SYMBOLS, end);
    if (warp == 0) {
        const uint32_t ways = ways_of(slot->note), before = lane == 0 ? p->zeros + 1 : 0;
        const uint32_t one = lane == 0 ? 1u << p->zeros : 0;
        const uint32_t state = lane < ways ? slot->note->state[lane] : 0;
        const uint32_t own = before + (lane < ways ? (uint32_t)STATE_BITS : 0);
        const uint32_t at = bit_run_place(&run, own, &all);
        bit_run_or(&run, at, one | state << before);
        bit_run_go(&run, all);
    }
    for (uint32_t k = first_of_warp(n, warp); k < end; k += RUN_SYMBOLS, i += RUN_SYMBOLS) {
        const struct eight later = eight_from(slot->shed, i + 2 * RUN_SYMBOLS, end);
        uint32_t low_count, high_count;
        const uint64_t low = shed_of_four(shed.two, &low_count);
        const uint64_t high = shed_of_four(shed.two + 2, &high_count);
        const uint32_t at = bit_run_place(&run, low_count + high_count, &all);
        bit_run_or(&run, at, low);
        bit_run_or(&run, at + low_count, high);
        bit_run_go(&run, all);
        shed = next;
        next = later;
    }
    bit_run_end(&run, &p->codes.last[warp]);
}

/* What four symbols leave open, of which the bits are known, 32 at most in all. */
static __device__ __forceinline__ uint32_t open_of_four(const uint32_t *open, const int32_t *q)
{
    uint32_t bits = 0, count = 0;
    SIMT_UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t own = open[i / 2] >> 16 * (i % 2) & 0xffff;
        bits |= zti_sz_high_open_of(own, q[i]) << count % 32;
        count += own;
    }
    return bits;
}

/* What eight symbols a lane leave open. */
static __device__ __forceinline__ void put_open(struct bit_run *run, const struct eight *code,
                                                const int32_t *from)
{
    uint32_t open[EIGHT / 2], all;
    int32_t q[EIGHT] = {0};
    SIMT_UNROLL
    for (uint32_t k = 0; k < EIGHT / 2; k++)
        open[k] = open_bits_of_two(code->two[k]);
    const uint32_t low = sum_of_two(open[0] + open[1]), high = sum_of_two(open[2] + open[3]);
    if (!__any_sync(SIMT_ALL_LANES, low + high > 0))
        return;
    if (low > 0)
        simt_load_16(q, from);
    if (high > 0)
        simt_load_16(q + 4, from + 4);
    uint32_t at = bit_run_place(run, low + high, &all);
    if (__all_sync(SIMT_ALL_LANES, low <= 32 && high <= 32)) {
        const uint64_t bits = open_of_four(open + 2, q + 4);
        bit_run_or(run, at, open_of_four(open, q) | bits << low);
    } else {
        SIMT_UNROLL
        for (uint32_t i = 0; i < EIGHT; i++) {
            const uint32_t own = open[i / 2] >> 16 * (i % 2) & 0xffff;
            if (own > 0)
                bit_run_or(run, at, zti_sz_high_open_of(own, q[i]));
            at += own;
        }
    }
    bit_run_go(run, all);
}

static __device__ __forceinline__ void put_extras(const struct put_slot *slot, struct putting *p,
                                                  const struct stretch *to)
{
    const uint32_t warp = threadIdx.x / 32, n = slot->note->symbols;
    const uint32_t first = first_of_warp(n, warp), end = first_of_warp(n, warp + 1);
    struct bit_run run = bit_run_from(p, &p->extras, to);
    if (p->extras.at[warp] != p->extras.at[warp + 1]) {
        uint32_t i = first + EIGHT * (threadIdx.x % 32);
        struct eight code = eight_from(slot->codes, i, end);
        for (uint32_t k = first; k < end; k += RUN_SYMBOLS, i += RUN_SYMBOLS) {
            const struct eight next = eight_from(slot->codes, i + RUN_SYMBOLS, end);
            put_open(&run, &code, slot->q + i);
            code = next;
        }
    }
    bit_run_end(&run, &p->extras.last[warp]);
}

/* Words that several warps, or others before and behind the section, have bits of: its bytes. A
 * thread each place where a warp begins, of which several may be in a word. */
static __device__ __forceinline__ void put_ends(const struct section *section,
                                                const struct stretch *to, uint32_t number)
{
    const uint32_t word = (to->shift + section->at[number]) / 32;
    uint32_t bits = 0;
    if (number > 0 && (to->shift + section->at[number - 1]) / 32 == word)
        return;
    for (uint32_t i = 0; i < HIGH_WARPS; i++) {
        bits |= (to->shift + section->at[i]) / 32 == word ? section->first[i] : 0;
        bits |= (to->shift + section->at[i + 1]) / 32 == word ? section->last[i] : 0;
    }
    for (uint32_t i = 0; i < 4; i++)
        if (4 * word + i - to->shift / 8 < to->bytes)
            ((uint8_t *)(to->words + word))[i] = (uint8_t)(bits >> 8 * i);
}

/* Values as they are: marks by a thread each 4096 values, then these. */
static __device__ __forceinline__ void put_exact_part(const struct sz_tiles *s,
                                                      const struct sz_tile *t,
                                                      const struct put_slot *slot,
                                                      const struct putting *p, uint32_t *out)
{
    const uint32_t part = threadIdx.x, value_bits = 8 * value_bytes_of(s->type);
    const uint32_t parts = (t->n - 1) / ZTI_SZ_TILE_VALUES + 1;
    uint32_t at = 0;
    if (part == 0)
        put_at(out, &at, p->exact_bytes - 4, 32);
    if (part >= parts)
        return;
    const uint32_t n = part_values(t->n, part), first = part * ZTI_SZ_TILE_VALUES;
    const uint64_t *const bits = slot->exact + part * ZTI_SZ_GROUPS;
    at = 8 * p->exact_at[part];
    put_exact(out, &at, bits, n, p->ways[part]);
    for (uint32_t i = 0; i < n; i++)
        if (bit_at(bits, i))
            put_at(out, &at, load_bits(s, value_at(s, t, first + i)), value_bits);
}

/* A raw tile's values, behind its first byte. */
static __device__ __forceinline__ void put_raw(const struct sz_tiles *s, const struct sz_tile *t,
                                               uint8_t *to)
{
    const uint32_t value_bytes = value_bytes_of(s->type);
    for (uint32_t i = threadIdx.x; i < t->n; i += HIGH_THREADS) {
        const uint64_t bits = load_bits(s, value_at(s, t, i));
        for (uint32_t k = 0; k < value_bytes; k++)
            to[(uint64_t)i * value_bytes + k] = (uint8_t)(bits >> 8 * k);
    }
}

/* The sections of a tile that is not raw, to their places. */
static __device__ __forceinline__ void put_sections(const struct sz_tiles *s,
                                                    const struct put_slot *slot,
                                                    struct putting *p)
{
    const uint64_t at = p->place + p->head_bytes;
    const struct stretch extras = stretch_at(s, at, p->extra_bytes);
    const struct stretch codes = stretch_at(s, at + p->extra_bytes, p->code_bytes);
    if (p->code_bytes == 0)
        return;
    put_codes(slot, p, &codes);
    put_extras(slot, p, &extras);
    __syncthreads();
    const uint32_t number = threadIdx.x % 32;
    if (number <= HIGH_WARPS && threadIdx.x / 32 == 0)
        put_ends(&p->codes, &codes, number);
    if (number <= HIGH_WARPS && threadIdx.x / 32 == 1)
        put_ends(&p->extras, &extras, number);
}

/* Values as they are, by way of the slot. */
static __device__ __forceinline__ void put_exact_values(const struct sz_tiles *s,
                                                        const struct sz_tile *t,
                                                        const struct put_slot *slot,
                                                        const struct putting *p)
{
    const uint64_t at = p->place + p->head_bytes + p->extra_bytes + p->code_bytes;
    for (uint32_t i = threadIdx.x; i < p->exact_bytes / 4 + 1; i += HIGH_THREADS)
        slot->out[i] = 0;
    __syncthreads();
    put_exact_part(s, t, slot, p, slot->out);
    __syncthreads();
    place_bytes(slot->out, p->exact_bytes, (uint8_t *)(void *)s->words, at, HIGH_THREADS);
}

SIMT_KERNEL void __launch_bounds__(HIGH_THREADS, 2) high_put_tiles(const struct sz_high_tiles h)
{
    SIMT_SHARED(struct putting, p, );
    const struct sz_tiles *const s = &h.s;
    const uint64_t ticket = lookback_ticket(s->states), number = s->first_tile + ticket;
    const struct put_slot slot = put_slot_of(&h, ticket - h.first);
    const struct sz_tile t = tile_of(s, number);
    for (uint32_t i = threadIdx.x % 32; i < RING_WORDS; i += 32)
        p.ring[threadIdx.x / 32][i] = 0;
    measure_exact(&t, &slot, &p);
    sum_bits(&slot, &p);
    __syncthreads();
    if (threadIdx.x == 0)
        measure_tile(&t, value_bytes_of(s->type), &slot, &p);
    if (threadIdx.x < 32) {
        simt_order_warp(); /* all lanes load what one has written, though one is asked */
        const uint64_t before = lookback(s->states, ticket, h.each, 8 * (uint64_t)p.bytes);
        if (threadIdx.x == 0) {
            p.place = before / 8;
            if (s->starts && number % s->chunk_tiles == 0)
                s->starts[number / s->chunk_tiles - s->first_chunk] = before;
        }
    }
    __syncthreads();
    uint8_t *const stream = (uint8_t *)(void *)s->words;
    if (threadIdx.x < p.head_bytes)
        stream[p.place + threadIdx.x] = ((const uint8_t *)(const void *)p.head)[threadIdx.x];
    if (p.is_raw) {
        put_raw(s, &t, stream + p.place + 1);
        return;
    }
    put_sections(s, &slot, &p);
    if (p.exact_bytes > 0)
        put_exact_values(s, &t, &slot, &p);
}

/* ---- launches ---- */

extern "C" uint64_t zti_sz_high_cuda_put_bytes(const struct zti_coding *coding)
{
    return high_batch(coding, PUT_BATCH) *
           put_slot_bytes(zti_sz_high_points(coding), (uint32_t)zt_type_bytes(coding->type));
}

static struct sz_high_tiles tiles_of(const struct sz_tiles *s, const struct zti_coding *whole,
                                     void *work)
{
    struct sz_high_tiles h;
    memset(&h, 0, sizeof h);
    h.s = *s;
    h.slots = (uint8_t *)work;
    h.points = (uint32_t)zti_sz_high_points(whole);
    h.slot_bytes = put_slot_bytes(h.points, (uint32_t)zt_type_bytes(whole->type));
    slab_choose(&h, whole, true);
    return h;
}

extern "C" void zti_sz_high_cuda_count(const struct sz_tiles *s, const struct zti_coding *whole,
                                       uint64_t tiles, void *work, void *queue)
{
    const unsigned slots = high_batch(whole, PUT_BATCH);
    const uint64_t end = (s->first_tile + tiles + s->part - 1) / s->part;
    struct sz_high_tiles h = tiles_of(s, whole, work);
    h.each = s->first_tile + tiles;
    for (h.first = s->first_tile / s->part; h.first < end; h.first += slots) {
        const unsigned blocks = simt_at_most(end - h.first, slots);
        SIMT_LAUNCH(high_count_symbols, blocks, HIGH_THREADS, 0, queue, h);
        if (h.slab_each > 0)
            SIMT_LAUNCH(high_count_last, blocks, HIGH_THREADS, h.slab_bytes, queue, h);
    }
}

extern "C" void zti_sz_high_cuda_put(const struct sz_tiles *s, const struct zti_coding *whole,
                                     uint64_t tiles, void *work, void *queue)
{
    const unsigned slots = high_batch(whole, PUT_BATCH);
    struct sz_high_tiles h = tiles_of(s, whole, work);
    h.each = tiles;
    h.models = zti_sz_high_models(whole);
    h.near_models = simt_at_most(h.models, NEAR_RUNNERS);
    h.near_models = simt_at_most(simt_shared_most() / RUN_BYTES, h.near_models);
    for (; h.first < tiles; h.first += slots) {
        const unsigned blocks = simt_at_most(tiles - h.first, slots);
        h.batch = blocks;
        SIMT_LAUNCH(high_make_symbols, blocks, HIGH_THREADS, 0, queue, h);
        if (h.slab_each > 0)
            SIMT_LAUNCH(high_make_last, blocks, HIGH_THREADS, h.slab_bytes, queue, h);
        h.takers = high_takers(blocks);
        SIMT_LAUNCH(high_run_states, (blocks + h.takers - 1) / h.takers, 32 * h.takers,
                    h.near_models * (size_t)RUN_BYTES, queue, h);
        SIMT_LAUNCH(high_put_tiles, blocks, HIGH_THREADS, 0, queue, h);
    }
}
