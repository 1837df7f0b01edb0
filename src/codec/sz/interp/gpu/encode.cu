/* encode.cu: tiles of effort 'high' to bytes, in four kernels; and before that the symbols of some
 * tiles to counts, in two.
 *
 * high_make_symbols, high_make_last (high_count_symbols, high_count_last): a block for each tile.
 * The points of a band depend on earlier bands only, so each has a thread. Contexts depend on
 * magnitudes of the band itself and follow after a barrier. The second kernel has the finest level.
 * high_run_states: a warp for each tile, a lane for each ANS state. States run backwards through
 * the symbols and store the bits that each symbol emits. high_encode_tiles: a block for each tile
 * sums these bits, finds its place in the stream by look-back, and writes. */
#include "codec/sz/interp/gpu/encode_bits.h"

enum {
    PUT_BATCH = 512, /* large tiles that are encoded at a time */
    STEPS = 8        /* symbols of a state that are looked up together */
};

/* ---- symbols: a block for each tile ---- */

/* Add the calling thread's number of symbols that are not 0 to the tile's. */
static __device__ __forceinline__ void add_others(const struct encode_slot *slot, uint32_t others)
{
    const uint32_t of_warp = simt_reduce_add(others);
    if (threadIdx.x % 32 == 0)
        (void)atomicAdd((unsigned *)&slot->note->others, of_warp);
}

SIMT_KERNEL void SIMT_BOUNDS(HIGH_THREADS, 3) high_make_symbols(const struct sz_high_tiles h)
{
    const struct sz_tiles *const s = &h.s;
    const uint64_t number = s->first_tile + h.batch.first + blockIdx.x;
    const struct encode_slot slot = encode_slot_of(&h, blockIdx.x);
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

SIMT_KERNEL void SIMT_BOUNDS(HIGH_THREADS, 3) high_make_last(const struct sz_high_tiles h)
{
    const struct encode_slot slot = encode_slot_of(&h, blockIdx.x);
    const struct zti_sz_box box = high_box_of(&h.s, h.s.first_tile + h.batch.first + blockIdx.x);
    if (slot.note->is_whole)
        return;
    uint32_t symbols = slot.note->symbols;
    const uint32_t others = code_finest_level(&h, &box, NULL, &symbols);
    const struct encode_slot again = reload_encode_slot(&h);
    add_others(&again, others);
    if (threadIdx.x == 0)
        again.note->symbols = symbols;
}

/* ---- counts ---- */

/* The box that a block counts, if it is in the slab: h->batch.first numbers the counted tiles, and
 * h->batch.each is the end of the slab's tiles. Clears the counts. */
static __device__ __forceinline__ bool counted_box(const struct sz_high_tiles *h,
                                                   struct zti_sz_box *box, uint32_t *counts)
{
    const struct sz_tiles *const s = &h->s;
    const uint64_t number = zti_sz_high_counted(s->part, h->batch.first + blockIdx.x);
    if (number < s->first_tile || number >= h->batch.each)
        return false;
    const struct zti_walk walk = zti_walk_from(&s->grid, number);
    *box = zti_sz_high_counted_box(&s->grid, s->sz.axes, &walk);
    for (uint32_t i = threadIdx.x; i < LEVEL_COUNTERS; i += HIGH_THREADS)
        counts[i] = 0;
    return true;
}

SIMT_KERNEL void SIMT_BOUNDS(HIGH_THREADS, 3) high_count_symbols(const struct sz_high_tiles h)
{
    SIMT_SHARED(uint32_t, counts, [LEVEL_COUNTERS]);
    const struct encode_slot slot = encode_slot_of(&h, blockIdx.x);
    struct zti_sz_box box;
    uint32_t symbols;
    if (!counted_box(&h, &box, counts))
        return;
    (void)code_box(&h, &box, &slot, counts, &symbols);
    if (threadIdx.x == 0)
        slot.note->symbols = symbols;
}

SIMT_KERNEL void SIMT_BOUNDS(HIGH_THREADS, 2) high_count_last(const struct sz_high_tiles h)
{
    SIMT_SHARED(uint32_t, counts, [LEVEL_COUNTERS]);
    const struct encode_slot slot = encode_slot_of(&h, blockIdx.x);
    struct zti_sz_box box;
    if (!counted_box(&h, &box, counts) || slot.note->is_whole)
        return;
    uint32_t symbols = slot.note->symbols;
    (void)code_finest_level(&h, &box, counts, &symbols);
}

/* ---- states: a warp for each tile, a lane for each state ---- */

enum {
    NEAR_RUNNERS = 22, /* models whose tables a block has room for */
    MODEL_STEPS = (int)ZTI_SZ_HIGH_ALPHABET,
    RUN_BYTES = MODEL_STEPS * 8 + (int)ZTI_SZ_HIGH_STATES * 2 /* of a model */
};

/* What a state does with a symbol: known before the state is. */
struct state_step {
    uint32_t bits, next; /* steps[0] and [1] of ans/spec.h; 'next' among those of all models */
};

/* Tables of all models, one after another: the first ones are in shared memory too. */
struct runner {
    const uint32_t *steps, *near_steps;
    const uint16_t *next, *near_next;
    uint32_t near_models;
};

/* Each of a lane's symbols is one of so many. Sums of the bits that are emitted are kept of so many
 * of them each, the first ones first. */
struct lane_codes {
    const uint16_t *code;
    uint16_t *emitted;
    uint32_t *sums, states, each;
};

/* The sum under way, and the first symbol that it is of. */
struct state_sum {
    uint32_t bits, begin, *to;
};

static_assert(RUN_SYMBOLS % ((int)ZTI_ANS_MANY * STEPS) == 0, "sums end between look-ups");

/* Of a lane whose last symbols are from 'from' on, and more before. */
static __device__ __forceinline__ struct state_sum state_sum_from(const struct lane_codes *l,
                                                                  uint32_t from)
{
    const uint32_t number = simt_at_most(from / l->each, HIGH_WARPS - 1);
    const struct state_sum sum = {0, number * l->each, l->sums + number * l->states};
    for (uint32_t i = number + 1; i < HIGH_WARPS; i++)
        l->sums[i * l->states] = 0;
    return sum;
}

/* All symbols from 'from' on are coded. */
static __device__ __forceinline__ void store_sum(const struct lane_codes *l, struct state_sum *sum,
                                                 uint32_t from)
{
    if (from != sum->begin)
        return;
    *sum->to = sum->bits;
    sum->to -= l->states;
    sum->begin -= l->each;
    sum->bits = 0;
}

static __device__ __forceinline__ struct state_step step_of(const struct runner *r, uint32_t code,
                                                            bool is_near)
{
    const uint32_t model = code / (uint32_t)MODEL_STEPS;
    const uint32_t *const own =
        (is_near || model < r->near_models ? r->near_steps : r->steps) + 2 * code;
    const struct state_step step = {own[0], own[1] + model * (uint32_t)ZTI_SZ_HIGH_STATES};
    return step;
}

/* What a state emits for symbol i of the lane; returns its next one. 'is_near': all tables are; a
 * load that may be from elsewhere would wait for what is on its way from there. */
static __device__ __forceinline__ uint32_t step_state(const struct runner *r,
                                                      const struct lane_codes *l, uint32_t i,
                                                      struct state_step step, uint32_t state,
                                                      struct state_sum *sum, bool is_near)
{
    const uint32_t bits = ZTI_ANS_EMITTED(state, step.bits);
    const uint32_t number = ZTI_ANS_NUMBER(state, bits, step.next);
    sum->bits += bits;
    l->emitted[i * l->states] = (uint16_t)((state & ((1u << bits) - 1)) | bits << STATE_BITS);
    if (is_near || number < r->near_models * (uint32_t)ZTI_SZ_HIGH_STATES)
        return r->near_next[number];
    return r->next[number];
}

static __device__ __forceinline__ void load_codes(const struct lane_codes *l, uint32_t from,
                                                  uint32_t *code)
{
    SIMT_UNROLL
    for (uint32_t i = 0; i < STEPS; i++)
        code[i] = l->code[(from + i) * l->states];
}

/* Run a lane's state from the last of its n symbols to the first. Each step needs the state after
 * the next symbol. Everything else is prefetched: symbols and their steps are loaded for STEPS
 * symbols at a time while the symbols after them are coded. */
static __device__ __forceinline__ uint32_t run_states(const struct runner *r,
                                                      const struct lane_codes *l, uint32_t n,
                                                      bool is_near)
{
    uint32_t state = ZTI_SZ_HIGH_STATES, from = n / STEPS * STEPS, code[STEPS];
    struct state_step step[STEPS];
    struct state_sum sum = state_sum_from(l, from);
    for (uint32_t i = n; i-- > from;) {
        step[0] = step_of(r, l->code[i * l->states], is_near);
        state = step_state(r, l, i, step[0], state, &sum, is_near);
    }
    store_sum(l, &sum, from);
    if (from == 0)
        return state;
    load_codes(l, from - STEPS, code);
    SIMT_UNROLL
    for (uint32_t i = 0; i < STEPS; i++)
        step[i] = step_of(r, code[i], is_near);
    load_codes(l, from > STEPS ? from - 2 * STEPS : 0, code);
    for (; from > 0; from -= STEPS) {
        struct state_step ahead[STEPS];
        SIMT_UNROLL
        for (uint32_t i = 0; i < STEPS; i++)
            ahead[i] = step_of(r, code[i], is_near);
        load_codes(l, from > 2 * STEPS ? from - 3 * STEPS : 0, code);
        SIMT_UNROLL
        for (uint32_t i = STEPS; i-- > 0;)
            state = step_state(r, l, from - STEPS + i, step[i], state, &sum, is_near);
        store_sum(l, &sum, from - STEPS);
        SIMT_UNROLL
        for (uint32_t i = 0; i < STEPS; i++)
            step[i] = ahead[i];
    }
    return state;
}

SIMT_KERNEL void __launch_bounds__(32 * HIGH_MOST_DECODERS, 1)
    high_run_states(const struct sz_high_tiles h)
{
    SIMT_SHARED_DYNAMIC(uint32_t, shared);
    const uint32_t number = blockIdx.x * h.decoders + threadIdx.x / 32;
    const uint32_t steps = h.near_models * 2 * (uint32_t)MODEL_STEPS;
    const uint32_t words = h.near_models * (uint32_t)RUN_BYTES / 4;
    const struct encode_slot slot = encode_slot_of(&h, number);
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
    if (number >= h.batch.count || slot.note->others == 0)
        return;
    const uint32_t n = slot.note->symbols, way = threadIdx.x % 32, states = states_of(slot.note);
    const struct lane_codes l = {slot.codes + way, slot.emitted + way, slot.out + way, states,
                                 symbols_of_warp(n) / states};
    const uint32_t own = n > way ? (n - 1 - way) / states + 1 : 0;
    if (way < states)
        slot.note->state[way] = (h.near_models == h.models ? run_states(&r, &l, own, true)
                                                           : run_states(&r, &l, own, false)) -
                                ZTI_SZ_HIGH_STATES;
}

/* ---- bytes: a block for each tile ---- */

static __device__ __forceinline__ uint32_t part_values(uint32_t n, uint32_t part)
{
    return simt_at_most(n - part * ZTI_SZ_TILE_VALUES, ZTI_SZ_TILE_VALUES);
}

/* Measure the marks of exact values, a thread for each 4096 values. */
static __device__ __forceinline__ void
measure_exact(uint32_t values, const struct encode_slot *slot, struct encode_memory *p)
{
    const uint32_t part = threadIdx.x, parts = (values - 1) / ZTI_SZ_TILE_VALUES + 1;
    if (part >= parts || slot->note->exact == 0)
        return;
    const uint32_t n = part_values(values, part);
    const uint64_t *const bits = slot->exact + part * ZTI_SZ_GROUPS;
    uint32_t count = 0;
    for (uint32_t i = 0; i * 64 < n; i++)
        count += (uint32_t)__popcll(bits[i]);
    p->marks[part] = exact_mark_bytes(bits, n, &p->mark_ways[part]);
    p->values[part] = count;
}

/* Compute all lengths, and write the tile's front. One thread. */
static __device__ __forceinline__ void measure_tile(uint32_t values, uint32_t value_bytes,
                                                    const struct encode_slot *slot,
                                                    struct encode_memory *p)
{
    const uint32_t exact = slot->note->exact;
    const uint32_t states = states_of(slot->note);
    const bool is_zero = slot->note->others == 0;
    const uint32_t parts = (values - 1) / ZTI_SZ_TILE_VALUES + 1;
    uint8_t *const head = (uint8_t *)(void *)p->head;
    place_bits(p, states, is_zero);
    p->exact_at[0] = 4;
    for (uint32_t i = 0; i < parts && exact; i++)
        p->exact_at[i + 1] = p->exact_at[i] + p->marks[i] + p->values[i] * value_bytes;
    p->exact_bytes = exact ? p->exact_at[parts] : 0;
    p->head_bytes =
        (uint32_t)(zti_sz_high_encode_front(head, values, value_bytes, exact, slot->note->others,
                                            p->extra_bytes, p->code_bytes) -
                   head);
    p->is_raw = *head == ZTI_SZ_HIGH_RAW;
    p->bytes = p->is_raw ? 1 + values * value_bytes
                         : p->head_bytes + p->extra_bytes + p->code_bytes + p->exact_bytes;
}

/* OR bits into words of 32 bits at bit *at, which advances. */
static __device__ __forceinline__ void write_at(uint32_t *words, uint32_t *at, uint64_t v,
                                                uint32_t count)
{
    for (uint32_t done = 0; done < count;) {
        const uint32_t skip = *at % 32, left = count - done;
        const uint32_t some = left < 32 - skip ? left : 32 - skip;
        const uint32_t piece = (uint32_t)(v >> done) & (0xffffffffu >> (32 - some));
        if (piece != 0)
            (void)atomicOr((unsigned *)words + *at / 32, piece << skip);
        *at += some;
        done += some;
    }
}

/* Write the marks of exact values, in the way that exact_mark_bytes chose. One thread. */
static __device__ __forceinline__ void write_exact(uint32_t *words, uint32_t *at,
                                                   const uint64_t *bits, uint32_t n, uint32_t way)
{
    bool is_set = false;
    write_at(words, at, way, 8);
    for (uint32_t from = 0, end; way == ZTI_SZ_EXACT_RUNS && from < n;
         from = end, is_set = !is_set) {
        end = run_end(bits, from, n, is_set);
        const struct zti_sz_code run = exact_run_code(end - from);
        write_at(words, at, run.bits, run.count);
    }
    for (uint32_t from = 0; way == ZTI_SZ_EXACT_BITMAP && from < n; from += 8)
        write_at(words, at, bits[from / 64] >> from % 64 & 255, 8);
}

/* Write exact values, a thread for each 4096 values: marks, then the values. */
static __device__ __forceinline__ void
write_exact_part(const struct sz_tiles *s, const struct sz_tile *t, const struct encode_slot *slot,
                 const struct encode_memory *p, uint32_t *out)
{
    const uint32_t part = threadIdx.x, value_bits = 8 * value_bytes_of(s->type);
    const uint32_t parts = (t->n - 1) / ZTI_SZ_TILE_VALUES + 1;
    uint32_t at = 0;
    if (part == 0)
        write_at(out, &at, p->exact_bytes - 4, 32);
    if (part >= parts)
        return;
    const uint32_t n = part_values(t->n, part), first = part * ZTI_SZ_TILE_VALUES;
    const uint64_t *const bits = slot->exact + part * ZTI_SZ_GROUPS;
    at = 8 * p->exact_at[part];
    write_exact(out, &at, bits, n, p->mark_ways[part]);
    for (uint32_t i = 0; i < n; i++)
        if (bit_at(bits, i))
            write_at(out, &at, load_bits(s, value_at(s, t, first + i)), value_bits);
}

/* Write a raw tile's values, which follow its first byte. */
static __device__ __forceinline__ void write_raw(const struct sz_tiles *s, uint64_t number,
                                                 uint8_t *to)
{
    const struct sz_tile t = tile_of(s, number);
    const uint32_t value_bytes = value_bytes_of(s->type);
    for (uint32_t i = threadIdx.x; i < t.n; i += HIGH_THREADS) {
        const uint64_t bits = load_bits(s, value_at(s, &t, i));
        for (uint32_t k = 0; k < value_bytes; k++)
            to[(uint64_t)i * value_bytes + k] = (uint8_t)(bits >> 8 * k);
    }
}

/* Write codes and open bits to their places in the stream. */
static __device__ __forceinline__ void
write_sections(const struct sz_tiles *s, const struct encode_slot *slot, struct encode_memory *p)
{
    const uint64_t at = p->place + p->head_bytes;
    const struct stretch extras = stretch_at(s, at, p->extra_bytes);
    const struct stretch codes = stretch_at(s, at + p->extra_bytes, p->code_bytes);
    if (p->code_bytes == 0)
        return;
    write_codes(slot, p, &codes);
    write_extras(slot, p, &extras);
    __syncthreads();
    const uint32_t number = threadIdx.x % 32;
    if (number <= HIGH_WARPS && threadIdx.x / 32 == 0)
        write_ends(&p->codes, &codes, number);
    if (number <= HIGH_WARPS && threadIdx.x / 32 == 1)
        write_ends(&p->extras, &extras, number);
}

/* Write exact values to the slot, and copy them to their place in the stream. */
static __device__ __forceinline__ void write_exact_values(const struct sz_tiles *s, uint64_t number,
                                                          const struct encode_slot *slot,
                                                          const struct encode_memory *p)
{
    const struct sz_tile t = tile_of(s, number);
    const uint64_t at = p->place + p->head_bytes + p->extra_bytes + p->code_bytes;
    for (uint32_t i = threadIdx.x; i < p->exact_bytes / 4 + 1; i += HIGH_THREADS)
        slot->out[i] = 0;
    __syncthreads();
    write_exact_part(s, &t, slot, p, slot->out);
    __syncthreads();
    place_bytes(slot->out, p->exact_bytes, (uint8_t *)(void *)s->words, at, HIGH_THREADS);
}

SIMT_KERNEL void SIMT_BOUNDS(HIGH_THREADS, 4) high_encode_tiles(const struct sz_high_tiles h)
{
    SIMT_SHARED(struct encode_memory, p, );
    const struct sz_tiles *const s = &h.s;
    const uint64_t ticket = lookback_ticket(s->states), number = s->first_tile + ticket;
    const struct encode_slot slot = encode_slot_of(&h, ticket - h.batch.first);
    const uint32_t values = tile_of(s, number).n;
    for (uint32_t i = threadIdx.x % 32; i < RUN_WORDS; i += 32)
        p.bits[threadIdx.x / 32][i] = 0;
    measure_exact(values, &slot, &p);
    sum_bits(&slot, &p);
    __syncthreads();
    if (threadIdx.x == 0)
        measure_tile(values, value_bytes_of(s->type), &slot, &p);
    if (threadIdx.x < 32) {
        simt_order_warp(); /* lane 0 wrote p.bytes, which all lanes load */
        const uint64_t before = lookback(s->states, ticket, h.batch.each, 8 * (uint64_t)p.bytes);
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
        write_raw(s, number, stream + p.place + 1);
        return;
    }
    write_sections(s, &slot, &p);
    if (p.exact_bytes > 0)
        write_exact_values(s, number, &slot, &p);
}

/* ---- launches ---- */

extern "C" uint64_t zti_sz_high_cuda_encode_bytes(const struct zti_coding *coding)
{
    return high_batch(coding, PUT_BATCH) *
           write_places_of(zti_sz_high_points(coding), (uint32_t)zt_type_bytes(coding->type)).bytes;
}

static struct sz_high_tiles tiles_of(const struct sz_tiles *s, const struct zti_coding *whole,
                                     void *work)
{
    struct sz_high_tiles h;
    memset(&h, 0, sizeof h);
    h.s = *s;
    h.slots = (uint8_t *)work;
    h.points = (uint32_t)zti_sz_high_points(whole);
    h.in_slot = write_places_of(h.points, (uint32_t)zt_type_bytes(whole->type));
    h.farthest = zti_sz_high_farthest(whole);
    finest_choose_sizes(&h, whole, true);
    return h;
}

extern "C" void zti_sz_high_cuda_count(const struct sz_tiles *s, const struct zti_coding *whole,
                                       uint64_t tiles, void *work, void *queue)
{
    const unsigned slots = high_batch(whole, PUT_BATCH);
    const uint64_t end = (s->first_tile + tiles + s->part - 1) / s->part;
    struct sz_high_tiles h = tiles_of(s, whole, work);
    h.batch.each = s->first_tile + tiles;
    for (h.batch.first = s->first_tile / s->part; h.batch.first < end; h.batch.first += slots) {
        const unsigned blocks = simt_at_most(end - h.batch.first, slots);
        SIMT_LAUNCH(high_count_symbols, blocks, HIGH_THREADS, 0, queue, h);
        if (h.finest_each > 0)
            SIMT_LAUNCH(high_count_last, blocks, HIGH_THREADS, h.finest_bytes, queue, h);
    }
}

extern "C" void zti_sz_high_cuda_encode(const struct sz_tiles *s, const struct zti_coding *whole,
                                        uint64_t tiles, void *work, void *queue)
{
    const unsigned slots = high_batch(whole, PUT_BATCH);
    struct sz_high_tiles h = tiles_of(s, whole, work);
    h.batch.each = tiles;
    h.models = zti_sz_high_models(whole);
    h.near_models = simt_at_most(h.models, NEAR_RUNNERS);
    h.near_models = simt_at_most(simt_shared_most() / RUN_BYTES, h.near_models);
    for (; h.batch.first < tiles; h.batch.first += slots) {
        const unsigned blocks = simt_at_most(tiles - h.batch.first, slots);
        h.batch.count = blocks;
        SIMT_LAUNCH(high_make_symbols, blocks, HIGH_THREADS, 0, queue, h);
        if (h.finest_each > 0)
            SIMT_LAUNCH(high_make_last, blocks, HIGH_THREADS, h.finest_bytes, queue, h);
        h.decoders = high_decoders(blocks);
        SIMT_LAUNCH(high_run_states, (blocks + h.decoders - 1) / h.decoders, 32 * h.decoders,
                    h.near_models * (size_t)RUN_BYTES, queue, h);
        SIMT_LAUNCH(high_encode_tiles, blocks, HIGH_THREADS, 0, queue, h);
    }
}
