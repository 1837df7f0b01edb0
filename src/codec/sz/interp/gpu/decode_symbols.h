/* decode_symbols.h: kernel text: decode the symbols of effort 'high', a warp for each tile.
 *
 * A tile has thousands of rounds of 32 symbols, one after another, and a multiprocessor has few
 * tiles. So the latency of a round counts: the look-up of entries by their states, and
 * warp_states_advance. Everything else overlaps with it. While bits are on their way, a piece's
 * magnitudes choose the models of the next piece, sums are made for the piece after that, and loads
 * are started for the one after that. Entries are looked up before it is known whether the round
 * was one of the few that need more: escapes, ends of rows, a new part of the window. */
#ifndef ZTI_SZ_INTERP_GPU_DECODE_SYMBOLS_H
#define ZTI_SZ_INTERP_GPU_DECODE_SYMBOLS_H

#include "codec/sz/interp/gpu/points.h"
#include "entropy/ans/gpu/warp_states.h"

enum {
    TAKE_BATCH = 1536, /* large tiles that are decoded at a time: one takes as long as all */
    TAKE_THREADS = 512,
    NEAR_MODELS = 13, /* models with tables in shared memory, at most */
    SUMS = 1 << 12 >> 4,
    NEIGHBOURHOODS = (int)ZTI_SZ_HIGH_DEPTHS * SUMS
};

/* The shared memory of a block; the tables of the first models follow. */
struct decode_memory {
    uint8_t model[NEIGHBOURHOODS]; /* a neighbourhood's, by depth and sum / 16 */
    uint32_t window[HIGH_MOST_DECODERS][ANS_WINDOW];
};

/* A warp's state in a tile; only the ANS states differ between lanes. */
struct decoder {
    struct high_slot slot;
    const uint8_t *model;
    struct ans_tables tables;
    struct warp_states codes;
    uint32_t taken; /* symbols */
    struct zti_bit_reader extras;
    uint32_t opened; /* symbols before the extras that the reader is at */
};

/* Read the open bits of escapes among the next n symbols, one in each lane; returns the lane's
 * magnitude. Other open bits are read later, when all symbols are known; an escape's magnitude is
 * needed at once. */
static __device__ __forceinline__ uint32_t read_escapes(struct decoder *t, uint32_t symbol,
                                                        uint32_t magnitude)
{
    uint32_t before = 0;
    simt_order_warp(); /* symbols that other lanes stored, before ballots */
    for (uint32_t i = t->opened + threadIdx.x % 32; i < t->taken; i += 32)
        before += zti_sz_high_open_bits(t->slot.symbols[i]);
    t->extras.at += simt_reduce_add(before);
    t->opened = t->taken;
    const uint32_t bits = zti_sz_high_open_bits(symbol), up_to = warp_sums_32(bits);
    struct zti_bit_reader r = t->extras;
    r.at += up_to - bits;
    return symbol == ZTI_SZ_HIGH_ESCAPE ? zti_sz_high_magnitude((int32_t)zti_get_bits(&r, 32))
                                        : magnitude;
}

/* A neighbourhood: a sum of magnitudes and the depth of the band's level. */
static __device__ __forceinline__ uint32_t neighbourhood_of(const struct high_band *b, uint32_t sum)
{
    return b->depth * (uint32_t)(16 * SUMS) + sum;
}

/* The first entry of a neighbourhood's model. */
static __device__ __forceinline__ uint32_t model_of(const struct decoder *t, uint32_t neighbourhood)
{
    return t->model[neighbourhood / 16] * (uint32_t)ZTI_SZ_HIGH_STATES;
}

/* Store n symbols, one in each lane, for the points from 'at' on. */
static __device__ __forceinline__ void write_symbols(struct decoder *t, uint32_t symbol,
                                                     uint32_t magnitude, uint32_t at, uint32_t n)
{
    const uint32_t lane = threadIdx.x % 32;
    uint8_t *const to_symbol = t->slot.symbols + (t->taken + lane);
    uint8_t *const to_magnitudes = t->slot.magnitudes + at;
    simt_store_byte_if(lane < n, to_symbol, symbol);
    simt_store_byte_if(lane < n, to_magnitudes, magnitude);
    t->taken += n;
}

static __device__ __forceinline__ uint32_t magnitude_of(uint32_t symbol)
{
    return zti_sz_high_cut(ZTI_SZ_HIGH_MAGNITUDE_OF(symbol));
}

/* Decode the next n symbols, one in each lane, in the lanes' neighbourhoods; returns the lane's
 * magnitude. */
static __device__ __forceinline__ uint32_t read_symbols(struct decoder *t, uint32_t states,
                                                        uint32_t neighbourhood, uint32_t at,
                                                        uint32_t n)
{
    const uint32_t model = model_of(t, neighbourhood);
    const uint32_t taken = warp_states_decode(&t->codes, &t->tables, states, model, n);
    const uint32_t symbol = threadIdx.x % 32 < n ? taken : 0;
    uint32_t magnitude = magnitude_of(symbol);
    if (__any_sync(SIMT_ALL_LANES, symbol == ZTI_SZ_HIGH_ESCAPE))
        magnitude = read_escapes(t, symbol, magnitude);
    write_symbols(t, symbol, magnitude, at, n);
    return magnitude;
}

/* Compute the parts of a band's contexts that come from the points on both sides, for the warp that
 * decodes its symbols; the first symbol has number 'first'. */
static __device__ __forceinline__ void sum_earlier_bands(const struct high_band *b,
                                                         const struct high_slot *slot,
                                                         uint32_t first, uint32_t helper,
                                                         uint32_t helpers)
{
    const struct extents extents = extents_of(b->own);
    const uint32_t n = own_points_in(b);
    const uint32_t axes = zti_sz_high_axes_count(b->odd);
    for (uint32_t i = helper; i < n; i += 2 * helpers) {
        uint32_t sum[2]; /* the loads of both are in flight together */
        SIMT_UNROLL
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t c[4];
            coordinates(&extents, simt_at_most(i + k * helpers, n - 1), c);
            sum[k] = ZTI_SZ_HIGH_NEIGHBOURHOOD(
                uint32_t, sum_between(b, c, slot->magnitudes + point_at(b, c)), axes, 0, 0);
        }
        SIMT_UNROLL
        for (uint32_t k = 0; k < 2; k++)
            if (i + k * helpers < n)
                slot->sums[first + i + k * helpers] = (uint16_t)sum[k];
    }
}

/* Decode a band's first row, four symbols at a time: contexts of four points use the magnitudes of
 * the two points before them. */
static __device__ __forceinline__ void read_first_row(struct decoder *t, const struct high_band *b,
                                                      uint32_t states)
{
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t points = simt_same(b->own[3]);
    uint32_t before = 0;
    for (uint32_t i = 0; i < points; i += 4) {
        const uint32_t n = simt_at_most(points - i, 4);
        const uint32_t own = lane < n ? t->slot.sums[t->taken + lane] : 0;
        const uint32_t sum = lane < n ? zti_sz_high_first_row(own, i == 0, before) : 0;
        const uint32_t at = b->base + (i + lane) * b->step[3];
        const uint32_t magnitude = read_symbols(t, states, neighbourhood_of(b, sum), at, n);
        before =
            __shfl_sync(SIMT_ALL_LANES, magnitude, 2) + __shfl_sync(SIMT_ALL_LANES, magnitude, 3);
    }
}

/* ---- the other rows of a band, in pieces of up to 32 points ---- */

/* The place of a piece, and the parts of its neighbourhood. */
struct place {
    uint32_t at;   /* its first point */
    uint32_t what; /* the number of points, and fields from PLACE_ on */
};

enum {
    PLACE_SHARE_SHIFT = 8,  /* the factor of magnitudes in rows before */
    PLACE_LAST_SHIFT = 16,  /* the same if registers have the row before, or 0 */
    PLACE_FETCH_SHIFT = 24, /* a bit for each axis along which magnitudes must be loaded */
    IN_LANES = 4            /* pieces before the current one whose magnitudes are in registers */
};

/* The pieces of a band: of a row, of all, and the divisors of their numbers. */
struct pieces {
    uint32_t each, count;
    struct extents extents;
};

static __device__ __forceinline__ struct pieces pieces_of(const struct high_band *b)
{
    struct pieces p;
    p.each = simt_same((b->own[3] + 31) / 32);
    p.count = simt_same(b->own[0] * b->own[1] * b->own[2] * p.each);
    const uint32_t dim[4] = {b->own[0], b->own[1], b->own[2], p.each};
    p.extents = extents_of(dim);
    return p;
}

static __device__ __forceinline__ struct place find_piece(const struct high_band *b,
                                                          const struct pieces *p, uint32_t number)
{
    uint32_t c[4], rows = 0, fetch = 0;
    coordinates(&p->extents, number, c);
    c[3] *= 32;
    const uint32_t n = simt_at_most(b->own[3] - c[3], 32);
    SIMT_UNROLL
    for (uint32_t i = 0; i < 3; i++) {
        rows += c[i] > 0;
        if (c[i] > 0 && (i < 2 || p->each > IN_LANES))
            fetch |= 1u << i;
    }
    const uint32_t share = zti_sz_high_row_share(rows);
    const uint32_t last = c[2] > 0 && p->each <= IN_LANES ? share : 0;
    const struct place place = {point_at(b, c), n | share << PLACE_SHARE_SHIFT |
                                                    last << PLACE_LAST_SHIFT |
                                                    fetch << PLACE_FETCH_SHIFT};
    const struct place none = {b->base, 0};
    return number < p->count ? place : none;
}

/* A piece whose inputs are loaded, except magnitudes of the row before that are in registers. */
struct turn {
    uint32_t neighbourhood, last_share, at, n;
};

static __device__ __forceinline__ struct turn
make_turn(const struct high_band *b, uint32_t at, uint32_t what, uint32_t sum, uint32_t before)
{
    const struct turn turn = {neighbourhood_of(b, sum + before * (what >> PLACE_SHARE_SHIFT & 255)),
                              what >> PLACE_LAST_SHIFT & 255, at, what & 255};
    return turn;
}

/* The magnitudes in the row before a piece, from those of the four pieces before it, the last
 * first; 'each' pieces are a row. */
static __device__ __forceinline__ uint32_t row_above(uint32_t each, const uint32_t *last)
{
    return each == 1 ? last[0] : each == 2 ? last[1] : each == 3 ? last[2] : last[3];
}

static __device__ __forceinline__ void push_magnitudes(uint32_t *last, uint32_t magnitude)
{
    last[3] = last[2];
    last[2] = last[1];
    last[1] = last[0];
    last[0] = magnitude;
}

/* Decode a piece. */
static __device__ __forceinline__ void decode_piece(struct decoder *t, const struct high_band *b,
                                                    uint32_t states, const struct pieces *pieces,
                                                    uint32_t number, uint32_t *last)
{
    const struct place place = find_piece(b, pieces, number);
    const uint32_t lane = threadIdx.x % 32, at = place.at + lane * b->step[3];
    const bool is_there = lane < (place.what & 255);
    uint32_t before = 0;
    SIMT_UNROLL
    for (uint32_t i = 0; i < 3; i++)
        if (is_there && (place.what >> PLACE_FETCH_SHIFT >> i & 1))
            before += t->slot.magnitudes[at - b->step[i]];
    const uint32_t sum = is_there ? t->slot.sums[t->taken + lane] : 0;
    const struct turn now = make_turn(b, at, place.what, sum, before);
    push_magnitudes(last,
                    read_symbols(t, states,
                                 now.neighbourhood + row_above(pieces->each, last) * now.last_share,
                                 now.at, simt_same(now.n)));
}

/* ---- pieces, pipelined ---- */

/* A piece whose loads are in flight. */
struct prefetched {
    uint32_t at, what, sum, before;
};

/* Which pieces are prefetched: the places of 32 pieces from 'first' on, one in each lane; the next
 * of these; the places of the next two; and the number of the lane's symbol there. */
struct prefetcher {
    const struct pieces *pieces;
    struct place places, two[2];
    uint32_t first, next, symbol;
    const uint8_t *before; /* of a piece at 0: magnitudes before, along the axis that needs loads */
};

/* Find the places of the next 32 pieces. */
static __device__ __forceinline__ void find_places(const struct high_band *b, struct prefetcher *s)
{
    s->places = find_piece(b, s->pieces, s->first + threadIdx.x % 32);
    s->next = 0;
}

static __device__ __forceinline__ struct prefetcher begin_prefetch(const struct decoder *t,
                                                                   const struct high_band *b,
                                                                   const struct pieces *pieces,
                                                                   uint32_t number)
{
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t step = b->own[0] > 1   ? b->step[0]
                          : b->own[1] > 1 ? b->step[1]
                                          : b->step[2]; /* see is_in_turns */
    struct prefetcher s;
    memset(&s, 0, sizeof s);
    s.pieces = pieces;
    s.first = number;
    s.symbol = t->taken + lane;
    s.before =
        (const uint8_t *)simt_in_global(t->slot.magnitudes + (lane * b->step[3] - (int64_t)step));
    find_places(b, &s);
    return s;
}

/* Take the places of the next two pieces from their lanes. */
static __device__ __forceinline__ void place_pair(struct prefetcher *s)
{
    SIMT_UNROLL
    for (uint32_t i = 0; i < 2; i++) {
        s->two[i].at = __shfl_sync(SIMT_ALL_LANES, s->places.at, (int)s->next);
        s->two[i].what = __shfl_sync(SIMT_ALL_LANES, s->places.what, (int)s->next);
        s->next++;
    }
}

/* Start the loads of these two pieces. */
static __device__ __forceinline__ void prefetch_pair(const struct decoder *t, struct prefetcher *s,
                                                     struct prefetched *to)
{
    SIMT_UNROLL
    for (uint32_t i = 0; i < 2; i++) {
        const struct place place = s->two[i];
        const uint32_t lane = threadIdx.x % 32, n = place.what & 255;
        const uint32_t n_before = place.what >> PLACE_FETCH_SHIFT ? n : 0;
        to[i].at = place.at;
        to[i].what = place.what;
        to[i].sum = lane < n ? t->slot.sums[s->symbol] : 0;
        to[i].before = lane < n_before ? s->before[place.at] : 0;
        s->symbol += n;
    }
}

static __device__ __forceinline__ struct turn turn_of_prefetched(const struct high_band *b,
                                                                 const struct prefetched *p)
{
    return make_turn(b, p->at, p->what, p->sum, p->before);
}

static __device__ __forceinline__ uint32_t model_of_turn(const struct decoder *t, uint32_t each,
                                                         const struct turn *turn,
                                                         const uint32_t *last)
{
    return model_of(t, turn->neighbourhood + row_above(each, last) * turn->last_share);
}

static __device__ __forceinline__ void store_turn(struct decoder *t, const struct high_band *b,
                                                  const struct turn *now, uint32_t symbol,
                                                  uint32_t magnitude)
{
    write_symbols(t, symbol, magnitude, now->at + threadIdx.x % 32 * b->step[3], now->n);
}

/* Decode a piece whose entries were looked up, and look up those of the next one. Meanwhile two
 * later pieces are placed or, with 'p', prefetched. Returns true if one of its symbols is an
 * escape; *entry then has the symbols, and the caller finishes the piece. */
static __device__ __forceinline__ bool decode_turn(struct decoder *t, const struct high_band *b,
                                                   const struct turn *now, const struct turn *next,
                                                   uint32_t *last, uint32_t *entry,
                                                   struct prefetcher *s, struct prefetched *p)
{
    const uint32_t symbol = *entry & 255, each = s->pieces->each;
    const bool is_escape = threadIdx.x % 32 < now->n && symbol == ZTI_SZ_HIGH_ESCAPE;
    const bool is_more =
        warp_states_need_settling(&t->codes, ZTI_ANS_MANY, now->n); /* of the last round */
    const bool is_rare = __any_sync(SIMT_ALL_LANES, is_escape || is_more || s->next == 32);
    push_magnitudes(last, magnitude_of(symbol));
    warp_states_advance(&t->codes, *entry, now->n);
    if (p)
        prefetch_pair(t, s, p);
    else
        place_pair(s);
    *entry = warp_states_look(&t->codes, &t->tables, model_of_turn(t, each, next, last));
    simt_anew(*entry); /* load now, even if the rare case below loads another */
    if (is_rare) {
        warp_states_settle(&t->codes, ZTI_ANS_MANY, now->n);
        if (s->next == 32) {
            s->first += 32;
            find_places(b, s);
        }
        if (__any_sync(SIMT_ALL_LANES, is_escape)) {
            *entry = symbol;
            return true;
        }
        *entry = warp_states_look(&t->codes, &t->tables, model_of_turn(t, each, next, last));
    }
    store_turn(t, b, now, symbol, last[0]);
    return false;
}

/* Decode an even number of pieces from 'number' on, or fewer if one has an escape; returns the next
 * one's number. Loads of two pieces start while the two before them are decoded: two at a time,
 * because waiting for one load means waiting for all loads in flight. */
static __device__ __forceinline__ uint32_t decode_turns(struct decoder *t,
                                                        const struct high_band *b,
                                                        const struct pieces *pieces,
                                                        uint32_t number, uint32_t *last)
{
    struct prefetcher s = begin_prefetch(t, b, pieces, number);
    struct prefetched p[2];
    place_pair(&s);
    prefetch_pair(t, &s, p);
    struct turn first = turn_of_prefetched(b, &p[0]), second = turn_of_prefetched(b, &p[1]),
                now = first;
    place_pair(&s);
    prefetch_pair(t, &s, p);
    uint32_t entry =
        warp_states_look(&t->codes, &t->tables, model_of_turn(t, pieces->each, &first, last));
    for (; number < pieces->count; number++) {
        now = first;
        if (decode_turn(t, b, &now, &second, last, &entry, &s, NULL))
            break;
        number++;
        now = second;
        first = turn_of_prefetched(b, &p[0]);
        second = turn_of_prefetched(b, &p[1]);
        if (decode_turn(t, b, &now, &first, last, &entry, &s, p))
            break;
    }
    if (number == pieces->count)
        return number;
    last[0] = read_escapes(t, threadIdx.x % 32 < now.n ? entry : 0, last[0]);
    store_turn(t, b, &now, entry, last[0]);
    return number + 1;
}

/* Whether pieces can be prefetched. Their loads start when the fifth piece before was decoded, so
 * neighbours that are not in registers must be at least that far away, and along one axis. */
static __device__ __forceinline__ bool is_in_turns(const struct high_band *b,
                                                   const struct pieces *p)
{
    const uint32_t plane = b->own[2] * p->each;
    const uint32_t apart = b->own[1] > 1 ? plane : b->own[0] > 1 ? b->own[1] * plane : UINT32_MAX;
    return apart > 4 && (b->own[0] > 1) + (b->own[1] > 1) + (p->each > IN_LANES) <= 1;
}

/* Decode all coded points of a band.
 *
 * Pieces need no barrier between them: except from the first row, a lane loads only values of its
 * own column, which it wrote itself. */
static __device__ __forceinline__ void decode_band(struct decoder *t, const struct high_band *b,
                                                   uint32_t states)
{
    const struct pieces pieces = pieces_of(b);
    const uint32_t lane = threadIdx.x % 32, each = pieces.each;
    uint32_t last[IN_LANES];
    if (pieces.count == 0)
        return;
    read_first_row(t, b, states);
    simt_order_warp(); /* four lanes wrote this row, behind shuffles */
    SIMT_UNROLL
    for (uint32_t i = 0; i < IN_LANES; i++) { /* if a row has at most this many pieces */
        const uint32_t own = lane + 32 * (each - 1 - i);
        last[i] = own < b->own[3] ? t->slot.magnitudes[b->base + own * b->step[3]] : 0;
    }
    const bool is_fast = states == ZTI_ANS_MANY && simt_same(is_in_turns(b, &pieces));
    for (uint32_t number = each; number < pieces.count;)
        if (is_fast && (pieces.count - number) % 2 == 0)
            number = decode_turns(t, b, &pieces, number, last);
        else
            decode_piece(t, b, states, &pieces, number++, last);
}

/* The number of a warp's tile in its block. The warps that decode are the first of a block, so they
 * are spread over the schedulers. */
static __device__ __forceinline__ uint32_t tile_of_warp(const struct sz_high_tiles *h)
{
    return simt_same(threadIdx.x / 32 % h->decoders);
}

/* A thread's number among the threads of its tile; the first 32 decode. */
static __device__ __forceinline__ uint32_t helper_number(const struct sz_high_tiles *h)
{
    return threadIdx.x / 32 / h->decoders * 32 + threadIdx.x % 32;
}

/* Clear the magnitudes of points without symbols: those of the next tile and of the coarse grid. */
static __device__ __forceinline__ void clear_magnitudes(const struct zti_sz_box *box,
                                                        uint8_t *magnitudes, uint32_t helper,
                                                        uint32_t helpers)
{
    uint32_t *const words = (uint32_t *)(void *)magnitudes;
    for (uint32_t i = helper; i < (box->points + 3) / 4; i += helpers)
        words[i] = 0;
}

#endif
