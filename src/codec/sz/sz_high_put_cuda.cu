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
    FOUR = 4,              /* symbols that a lane has at a time */
    RUN_SYMBOLS = FOUR * 32,
    RUN_WORDS = RUN_SYMBOLS + 2, /* of their bits, 32 of each at most */
    HEAD_WORDS = (8 + (int)ZTI_ANS_MANY * (int)ZTI_ANS_STATE_BITS) / 32 + 1,
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
    for (uint32_t i = threadIdx.x; i < (box.values + 63) / 64; i += HIGH_THREADS)
        slot.exact[i] = 0;
    if (threadIdx.x == 0)
        slot.note->exact = slot.note->others = 0;
    add_others(&slot, code_box(&h, &box, &slot, NULL, &symbols));
    if (slot.note->is_whole && slot.note->is_far)
        find_exact(s, &box, &t, &slot);
    if (threadIdx.x == 0)
        slot.note->symbols = symbols;
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
    if (!counted_box(&h, &box, counts))
        return;
    (void)code_box(&h, &box, &slot, counts, &symbols);
    if (threadIdx.x == 0)
        slot.note->symbols = symbols;
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

/* What a block knows of the bytes of its tile. */
struct putting {
    uint32_t code_bits[HIGH_WARPS + 1], extra_bits[HIGH_WARPS + 1]; /* of the warps before */
    uint32_t marks[PARTS], ways[PARTS]; /* exact values: bytes of marks, and their way */
    uint32_t values[PARTS];
    uint32_t exact_at[PARTS + 1];
    uint32_t head[4]; /* what is before the sections */
    uint32_t head_bytes, extra_bytes, code_bytes, exact_bytes, bytes;
    uint64_t place;
    bool is_raw;
    uint32_t bits[HIGH_WARPS][RUN_WORDS];
};

/* Numbers of 16 bits of four symbols, from symbol i on, zeros from n on. */
static __device__ __forceinline__ uint64_t four_from(const uint16_t *from, uint32_t i, uint32_t n)
{
    const uint64_t four = i < n ? *(const uint64_t *)(const void *)(from + i) : 0;
    return i + FOUR <= n || i >= n ? four : four & ((UINT64_C(1) << 16 * (n - i)) - 1);
}

static __device__ __forceinline__ uint32_t code_bits_of(uint64_t shed)
{
    const uint64_t bits = shed >> STATE_BITS & UINT64_C(0x000f000f000f000f);
    return (uint32_t)(bits * UINT64_C(0x0001000100010001) >> 48);
}

static __device__ __forceinline__ uint32_t open_bits_of(uint64_t codes)
{
    uint32_t bits = 0;
    SIMT_UNROLL
    for (uint32_t i = 0; i < FOUR; i++)
        bits += zti_sz_high_open_bits((uint32_t)(codes >> 16 * i) & 255);
    return bits;
}

/* The symbols of the calling warp. */
static __device__ __forceinline__ uint32_t first_of_warp(uint32_t n, uint32_t warp)
{
    const uint32_t all = (uint32_t)RUN_SYMBOLS * HIGH_WARPS;
    const uint32_t each = (n + all - 1) / all * RUN_SYMBOLS, at = warp * each;
    return at < n ? at : n;
}

/* The bits of each warp's symbols; then, for the first thread, of those before it. */
static __device__ __forceinline__ void sum_bits(const struct put_slot *slot, struct putting *p)
{
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, n = slot->note->symbols;
    uint32_t codes = 0, extras = 0;
    const uint32_t end = first_of_warp(n, warp + 1);
    SIMT_UNROLL_4
    for (uint32_t i = first_of_warp(n, warp) + FOUR * lane; i < end; i += RUN_SYMBOLS) {
        codes += code_bits_of(four_from(slot->shed, i, end));
        extras += open_bits_of(four_from(slot->codes, i, end));
    }
    codes = warp_sums_32(codes);
    extras = warp_sums_32(extras);
    if (lane == 31) {
        p->code_bits[warp + 1] = codes;
        p->extra_bits[warp + 1] = extras;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        /* and zeros before them, to whole bytes */
        p->code_bits[0] = 1 + ways_of(slot->note) * STATE_BITS;
        p->extra_bits[0] = 0;
        for (uint32_t i = 1; i <= HIGH_WARPS; i++) {
            p->code_bits[i] += p->code_bits[i - 1];
            p->extra_bits[i] += p->extra_bits[i - 1];
        }
    }
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
    p->code_bytes = is_zero ? 0 : (p->code_bits[HIGH_WARPS] + 7) / 8;
    p->extra_bytes = (p->extra_bits[HIGH_WARPS] + 7) / 8;
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

/* A warp's way through bits, of which whole words are stored. Those at both ends, which others have
 * bits of, must be 0 before. */
struct bit_run {
    uint32_t *bits, *to; /* shared; where they go */
    uint32_t at, carry;  /* the next bit; those of its word before it */
    bool is_first;       /* word of the warp */
};

static __device__ __forceinline__ struct bit_run bit_run_from(uint32_t *bits, uint32_t *to,
                                                              uint32_t at)
{
    const struct bit_run run = {bits, to, at, 0, true};
    return run;
}

/* Room for so many bits; they are or'ed in from bit run->at % 32 of run->bits on. */
static __device__ __forceinline__ void bit_run_open(const struct bit_run *run, uint32_t bits)
{
    for (uint32_t i = threadIdx.x % 32; i <= (run->at % 32 + bits) / 32; i += 32)
        run->bits[i] = i == 0 ? run->carry : 0;
    __syncwarp();
}

static __device__ __forceinline__ void bit_run_close(struct bit_run *run, uint32_t bits)
{
    const uint32_t words = (run->at % 32 + bits) / 32;
    uint32_t *const to = run->to + run->at / 32;
    __syncwarp();
    for (uint32_t i = threadIdx.x % 32; i < words; i += 32) {
        if (i == 0 && run->is_first)
            (void)atomicOr((unsigned *)to, run->bits[0]);
        else
            to[i] = run->bits[i];
    }
    run->carry = run->bits[words];
    run->at += bits;
    run->is_first = run->is_first && words == 0;
    simt_order_warp(); /* bits were read that the next ones take the place of, behind a ballot */
}

static __device__ __forceinline__ void bit_run_end(const struct bit_run *run)
{
    if (threadIdx.x % 32 == 0 && run->carry != 0)
        (void)atomicOr((unsigned *)run->to + run->at / 32, run->carry);
}

/* What the symbols of a lane leave open. */
static __device__ __forceinline__ void put_open(const struct put_slot *slot, struct bit_run *run,
                                                uint64_t codes, uint32_t number)
{
    const uint32_t own = open_bits_of(codes);
    if (!__any_sync(SIMT_ALL_LANES, own > 0))
        return;
    const uint32_t up_to = warp_sums_32(own), all = __shfl_sync(SIMT_ALL_LANES, up_to, 31);
    uint32_t at = run->at % 32 + up_to - own;
    bit_run_open(run, all);
    for (uint32_t i = 0; i < FOUR && own > 0; i++) {
        const uint32_t symbol = (uint32_t)(codes >> 16 * i) & 255;
        const uint32_t bits = zti_sz_high_open_bits(symbol);
        if (bits > 0)
            put_at(run->bits, &at, zti_sz_high_open(symbol, slot->q[number + i]), bits);
    }
    bit_run_close(run, all);
}

/* What states shed and symbols leave open. */
static __device__ __forceinline__ void put_bits(const struct put_slot *slot, struct putting *p,
                                                uint32_t *extras, uint32_t *codes)
{
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, n = slot->note->symbols;
    const uint32_t zeros = 8 * p->code_bytes - p->code_bits[HIGH_WARPS];
    const uint32_t end = first_of_warp(n, warp + 1);
    struct bit_run code_run = bit_run_from(p->bits[warp], codes, p->code_bits[warp] + zeros);
    struct bit_run open_run = bit_run_from(p->bits[warp], extras, p->extra_bits[warp]);
    if (threadIdx.x <= ways_of(slot->note)) {
        uint32_t at = zeros + (threadIdx.x > 0 ? 1 + (threadIdx.x - 1) * STATE_BITS : 0);
        put_at(codes, &at, threadIdx.x > 0 ? slot->note->state[threadIdx.x - 1] : 1,
               threadIdx.x > 0 ? (uint32_t)STATE_BITS : 1);
    }
    uint32_t i = first_of_warp(n, warp) + FOUR * lane;
    uint64_t shed = four_from(slot->shed, i, end), code = four_from(slot->codes, i, end);
    for (uint32_t k = first_of_warp(n, warp); k < end; k += RUN_SYMBOLS, i += RUN_SYMBOLS) {
        const uint64_t next_shed = four_from(slot->shed, i + RUN_SYMBOLS, end);
        const uint64_t next_code = four_from(slot->codes, i + RUN_SYMBOLS, end);
        const uint32_t own = code_bits_of(shed), up_to = warp_sums_32(own);
        const uint32_t all = __shfl_sync(SIMT_ALL_LANES, up_to, 31);
        uint32_t at = code_run.at % 32 + up_to - own, count = 0;
        uint64_t bits = 0;
        SIMT_UNROLL
        for (uint32_t l = 0; l < FOUR; l++) {
            const uint64_t one = shed >> 16 * l;
            bits |= (one & ((1u << STATE_BITS) - 1)) << count;
            count += (uint32_t)(one >> STATE_BITS) & 15;
        }
        bit_run_open(&code_run, all);
        put_at(code_run.bits, &at, bits, count);
        bit_run_close(&code_run, all);
        put_open(slot, &open_run, code, i);
        shed = next_shed;
        code = next_code;
    }
    bit_run_end(&code_run);
    bit_run_end(&open_run);
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
                                                    const struct sz_tile *t,
                                                    const struct put_slot *slot,
                                                    struct putting *p, uint64_t at)
{
    uint8_t *const stream = (uint8_t *)(void *)s->words;
    uint32_t *const extras = slot->out, *const codes = extras + p->extra_bytes / 4 + 1;
    uint32_t *const exact = codes + p->code_bytes / 4 + 1;
    const uint32_t zeros = 8 * p->code_bytes - p->code_bits[HIGH_WARPS];
    if (p->code_bytes > 0 && threadIdx.x <= HIGH_WARPS) { /* words that warps share */
        extras[p->extra_bits[threadIdx.x] / 32] = 0;
        codes[(zeros + p->code_bits[threadIdx.x]) / 32] = 0;
    }
    if (p->code_bytes > 0 && threadIdx.x < HEAD_WORDS && threadIdx.x <= p->code_bytes / 4)
        codes[threadIdx.x] = 0;
    for (uint32_t i = threadIdx.x; i < p->exact_bytes / 4 + 1 && p->exact_bytes; i += HIGH_THREADS)
        exact[i] = 0;
    __syncthreads();
    if (p->code_bytes > 0)
        put_bits(slot, p, extras, codes);
    if (p->exact_bytes > 0)
        put_exact_part(s, t, slot, p, exact);
    __syncthreads();
    at += p->head_bytes;
    place_bytes(extras, p->extra_bytes, stream, at, HIGH_THREADS);
    at += p->extra_bytes;
    place_bytes(codes, p->code_bytes, stream, at, HIGH_THREADS);
    at += p->code_bytes;
    place_bytes(exact, p->exact_bytes, stream, at, HIGH_THREADS);
}

SIMT_KERNEL void __launch_bounds__(HIGH_THREADS, 2) high_put_tiles(const struct sz_high_tiles h)
{
    SIMT_SHARED(struct putting, p, );
    const struct sz_tiles *const s = &h.s;
    const uint64_t ticket = lookback_ticket(s->states), number = s->first_tile + ticket;
    const struct put_slot slot = put_slot_of(&h, ticket - h.first);
    const struct sz_tile t = tile_of(s, number);
    measure_exact(&t, &slot, &p);
    sum_bits(&slot, &p);
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
    if (p.is_raw)
        put_raw(s, &t, stream + p.place + 1);
    else
        put_sections(s, &t, &slot, &p, p.place);
}

/* ---- launches ---- */

extern "C" uint64_t zti_sz_high_cuda_put_bytes(const struct zti_coding *coding)
{
    return high_batch(coding, PUT_BATCH) *
           put_places_of(zti_sz_high_points(coding), (uint32_t)zt_type_bytes(coding->type)).bytes;
}

static struct sz_high_tiles tiles_of(const struct sz_tiles *s, const struct zti_coding *whole,
                                     void *work)
{
    struct sz_high_tiles h;
    memset(&h, 0, sizeof h);
    h.s = *s;
    h.slots = (uint8_t *)work;
    h.points = (uint32_t)zti_sz_high_points(whole);
    h.in_slot = put_places_of(h.points, (uint32_t)zt_type_bytes(whole->type));
    h.farthest = zti_sz_high_farthest(whole);
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
