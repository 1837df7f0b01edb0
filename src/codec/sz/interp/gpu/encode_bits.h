/* encode_bits.h: kernel text of effort 'high': a block counts the bits of a tile's symbols, and
 * writes them to their place in the stream.
 *
 * All warps have the same number of symbols, and a lane has eight at a time. A warp's first bit is
 * known before any is written, so each warp writes its words independently. */
#ifndef ZTI_SZ_INTERP_GPU_ENCODE_BITS_H
#define ZTI_SZ_INTERP_GPU_ENCODE_BITS_H

#include "codec/sz/interp/gpu/encode_symbols.h"

enum {
    STATE_BITS = (int)ZTI_ANS_STATE_BITS,
    STATE_MASK = (1 << STATE_BITS) - 1,
    EIGHT = 8, /* symbols of a lane at a time */
    RUN_SYMBOLS = EIGHT * 32,
    RUN_WORDS = RUN_SYMBOLS + 2, /* for their bits, at most 32 each */
    BOTH = 0x00010001,           /* two numbers of 16 bits */
    PARTS = (int)ZTI_SZ_HIGH_VALUES / (int)ZTI_SZ_TILE_VALUES
};

/* ---- counts ---- */

/* The number of symbols of each warp, of n: a multiple of those that lanes look up together. */
static __device__ __forceinline__ uint32_t symbols_of_warp(uint32_t n)
{
    const uint32_t all = (uint32_t)RUN_SYMBOLS * HIGH_WARPS;
    return (n + all - 1) / all * RUN_SYMBOLS;
}

/* A section of a tile. Each warp has the bits of some symbols: where they begin, and the words at
 * both ends, which it shares with its neighbours. */
struct section {
    uint32_t at[HIGH_WARPS + 1]; /* the last: the section's end, at a whole byte */
    uint32_t first[HIGH_WARPS], last[HIGH_WARPS];
};

/* The sizes and places of a tile's parts. */
struct encode_memory {
    struct section codes, extras;
    uint32_t marks[PARTS], mark_ways[PARTS]; /* exact values: bytes of marks, and their way */
    uint32_t values[PARTS];
    uint32_t exact_at[PARTS + 1];
    uint32_t head[4]; /* the front, before the sections */
    uint32_t head_bytes, extra_bytes, code_bytes, exact_bytes, bytes;
    uint32_t zeros; /* bits before the codes, which end at a whole byte */
    uint64_t place;
    bool is_raw;
    uint32_t bits[HIGH_WARPS][RUN_WORDS];
};

/* Eight numbers of 16 bits, two in a word. */
struct eight {
    uint32_t two[EIGHT / 2];
};

/* Load the eight numbers of symbols i to i + 7; 0 from symbol n on. */
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

/* The open bits of two symbols. */
static __device__ __forceinline__ uint32_t open_bits_of_two(uint32_t codes)
{
    return zti_sz_high_open_bits_of(codes & 255 * BOTH, BOTH);
}

static __device__ __forceinline__ uint32_t sum_of_two(uint32_t two)
{
    return (two & 0xffff) + (two >> 16);
}

/* The first symbol of a warp. */
static __device__ __forceinline__ uint32_t first_of_warp(uint32_t n, uint32_t warp)
{
    const uint32_t at = warp * symbols_of_warp(n);
    return at < n ? at : n;
}

/* Sum the bits of each warp's symbols. Sums of emitted bits come from the states' kernel. */
static __device__ __forceinline__ void sum_bits(const struct encode_slot *slot,
                                                struct encode_memory *p)
{
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, n = slot->note->symbols;
    const uint32_t end = first_of_warp(n, warp + 1);
    const uint32_t states = states_of(slot->note);
    uint32_t codes = lane < states ? slot->out[warp * states + lane] : 0, extras = 0;
    SIMT_UNROLL_4
    for (uint32_t i = first_of_warp(n, warp) + EIGHT * lane; i < end; i += RUN_SYMBOLS) {
        const struct eight code = eight_from(slot->codes, i, end);
        SIMT_UNROLL
        for (uint32_t k = 0; k < EIGHT / 2; k++)
            extras += open_bits_of_two(code.two[k]);
    }
    codes = simt_reduce_add(codes);
    extras = simt_reduce_add(sum_of_two(extras));
    if (lane == 0) {
        p->codes.at[warp + 1] = codes;
        p->extras.at[warp + 1] = extras;
    }
}

/* Compute where the bits of each warp begin, and the bytes of both sections. The first warp's codes
 * begin with zeros, a one and the states. One thread calls it. */
static __device__ __forceinline__ void place_bits(struct encode_memory *p, uint32_t states,
                                                  bool is_zero)
{
    uint32_t codes = 1 + states * STATE_BITS, extras = 0;
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

/* ---- writing ---- */

/* A run of bytes of the stream: the word of the first byte, and its bit in that word. */
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

/* The bits that a warp writes to a stretch. Words are composed in shared memory and stored when
 * they are complete. The first word, and the rest in the last, are kept for the section
 * (write_ends).
 */
struct bit_run {
    uint32_t *bits;       /* the word of the next bit, and later ones, which are 0 */
    uint32_t *to, *first; /* the place of that word; the section's first word */
    uint32_t at;          /* bits in that word so far */
    bool is_begun;        /* *first is stored */
};

static __device__ __forceinline__ struct bit_run
bit_run_from(struct encode_memory *p, struct section *section, const struct stretch *to)
{
    const uint32_t warp = threadIdx.x / 32, at = to->shift + section->at[warp];
    const struct bit_run run = {p->bits[warp], to->words + at / 32, &section->first[warp], at % 32,
                                false};
    if (threadIdx.x % 32 == 0)
        *run.first = 0;
    return run;
}

/* Or a lane's bits into the words; the word after the first is written too. */
static __device__ __forceinline__ void bit_run_or(const struct bit_run *run, uint32_t at,
                                                  uint64_t bits)
{
    unsigned *const word = (unsigned *)run->bits + at / 32;
    const uint32_t low = (uint32_t)bits, high = (uint32_t)(bits >> 32);
    const uint32_t last = __funnelshift_l(high, 0, at);
    (void)atomicOr(word, low << at % 32);
    (void)atomicOr(word + 1, __funnelshift_l(low, high, at));
    if (last != 0)
        (void)atomicOr(word + 2, last);
}

/* After all lanes have written 'bits' bits: store the whole words. */
static __device__ __forceinline__ void bit_run_flush(struct bit_run *run, uint32_t bits)
{
    const uint32_t words = (run->at + bits) / 32, lane = threadIdx.x % 32;
    uint32_t i = lane;
    __syncwarp();
    if (!run->is_begun && words > 0) {
        run->is_begun = true;
        if (lane == 0) {
            *run->first = run->bits[0];
            i += 32;
        }
    }
    SIMT_NO_UNROLL
    for (; i < words; i += 32) {
        run->to[i] = run->bits[i];
        run->bits[i] = 0;
    }
    if (lane == 0 && words > 0) {
        run->bits[0] = run->bits[words];
        run->bits[words] = 0;
    }
    run->to += words;
    run->at = (run->at + bits) % 32;
    simt_order_warp(); /* words are read before new bits are put into them */
}

static __device__ __forceinline__ void bit_run_end(const struct bit_run *run, uint32_t *last)
{
    if (threadIdx.x % 32 == 0) {
        *last = run->bits[0];
        run->bits[0] = 0;
    }
    simt_order_warp();
}

/* The place of the calling lane's 'own' bits, after those of the lanes before; *all: of all lanes.
 */
static __device__ __forceinline__ uint32_t bit_run_place(const struct bit_run *run, uint32_t own,
                                                         uint32_t *all)
{
    const uint32_t up_to = part_sums(own, 32);
    *all = __shfl_sync(SIMT_ALL_LANES, up_to, 31);
    return run->at + up_to - own;
}

/* The symbols of the calling warp. */
static __device__ __forceinline__ void own_symbols(const struct encode_slot *slot, uint32_t *first,
                                                   uint32_t *end)
{
    const uint32_t n = slot->note->symbols, warp = threadIdx.x / 32;
    *first = simt_same(first_of_warp(n, warp));
    *end = simt_same(first_of_warp(n, warp + 1));
}

/* The bits that states emit for four symbols. */
static __device__ __forceinline__ uint64_t emitted_of_four(const uint32_t *two, uint32_t *count)
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

/* Write the states, and the bits that they emit. */
static __device__ __forceinline__ void
write_codes(const struct encode_slot *slot, struct encode_memory *p, const struct stretch *to)
{
    const uint32_t warp = simt_same(threadIdx.x / 32), lane = threadIdx.x % 32;
    struct bit_run run = bit_run_from(p, &p->codes, to);
    uint32_t first, end, all;
    own_symbols(slot, &first, &end);
    uint32_t i = first + EIGHT * lane;
    struct eight emitted = eight_from(slot->emitted, i, end);
    struct eight next = eight_from(slot->emitted, i + RUN_SYMBOLS, end);
    if (warp == 0) {
        const uint32_t states = states_of(slot->note), before = lane == 0 ? p->zeros + 1 : 0;
        const uint32_t one = lane == 0 ? 1u << p->zeros : 0;
        const uint32_t state = lane < states ? slot->note->state[lane] : 0;
        const uint32_t own = before + (lane < states ? (uint32_t)STATE_BITS : 0);
        const uint32_t at = bit_run_place(&run, own, &all);
        bit_run_or(&run, at, one | state << before);
        bit_run_flush(&run, all);
    }
    for (uint32_t k = first; k < end; k += RUN_SYMBOLS, i += RUN_SYMBOLS) {
        const struct eight later = eight_from(slot->emitted, i + 2 * RUN_SYMBOLS, end);
        uint32_t low_count, high_count;
        const uint64_t low = emitted_of_four(emitted.two, &low_count);
        const uint64_t high = emitted_of_four(emitted.two + 2, &high_count);
        const uint32_t at = bit_run_place(&run, low_count + high_count, &all);
        bit_run_or(&run, at, low);
        bit_run_or(&run, at + low_count, high);
        bit_run_flush(&run, all);
        emitted = next;
        next = later;
    }
    bit_run_end(&run, &p->codes.last[warp]);
}

/* The open bits of four symbols, fewer than 32 in all, so none is an escape. */
static __device__ __forceinline__ uint32_t open_of_four(const uint32_t *open, const int32_t *q)
{
    uint32_t bits = 0, count = 0;
    SIMT_UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t own = open[i / 2] >> 16 * (i % 2) & 0xffff;
        bits |= zti_sz_high_open_of((uint32_t)q[i], own) << count;
        count += own;
    }
    return bits;
}

/* Write the open bits of eight symbols of each lane. */
static __device__ __forceinline__ void write_open(struct bit_run *run, const struct eight *code,
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
    if (__all_sync(SIMT_ALL_LANES, low < 32 && high < 32)) {
        const uint64_t bits = open_of_four(open + 2, q + 4);
        bit_run_or(run, at, open_of_four(open, q) | bits << low);
    } else {
        SIMT_UNROLL
        for (uint32_t i = 0; i < EIGHT; i++) {
            const uint32_t own = open[i / 2] >> 16 * (i % 2) & 0xffff;
            if (own > 0)
                bit_run_or(run, at, zti_sz_high_open(own, q[i]));
            at += own;
        }
    }
    bit_run_flush(run, all);
}

static __device__ __forceinline__ void
write_extras(const struct encode_slot *slot, struct encode_memory *p, const struct stretch *to)
{
    const uint32_t warp = threadIdx.x / 32;
    struct bit_run run = bit_run_from(p, &p->extras, to);
    uint32_t first, end;
    own_symbols(slot, &first, &end);
    if (simt_same(p->extras.at[warp + 1] - p->extras.at[warp]) != 0) {
        uint32_t i = first + EIGHT * (threadIdx.x % 32);
        struct eight code = eight_from(slot->codes, i, end);
        for (uint32_t k = first; k < end; k += RUN_SYMBOLS, i += RUN_SYMBOLS) {
            const struct eight next = eight_from(slot->codes, i + RUN_SYMBOLS, end);
            write_open(&run, &code, slot->q + i);
            code = next;
        }
    }
    bit_run_end(&run, &p->extras.last[warp]);
}

/* Write the words that several warps, or neighbours of the section, have bits of, byte by byte: a
 * thread for each place where a warp begins. Several of these may be in one word. */
static __device__ __forceinline__ void write_ends(const struct section *section,
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

#endif
