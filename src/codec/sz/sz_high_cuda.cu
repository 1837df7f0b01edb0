/* sz_high_cuda.cu: tiles of effort 'high' to values, in two kernels.
 *
 * A symbol's state and bits follow from those before it, and its context from the magnitudes of
 * residuals before it: not from integers. So a warp takes a tile's symbols first, of a row a symbol
 * a lane: contexts, and ANS codes of as many states; what contexts have of earlier bands, other
 * warps add up before. Then a block has a tile: what symbols leave open; and points of a band
 * depend on those of earlier ones alone, and each has a thread. */
#include "codec/sz/sz_high_cuda.h"
#include "codec/sz/sz_cuda_take_exact.h"
#include "codec/sz/sz_high_slab_cuda.h"
#include "entropy/ans_ways_cuda.h"

/* ---- which tile ---- */

struct high_tile {
    uint64_t chunk;  /* of those wanted */
    uint64_t first;  /* tile of it */
    uint64_t number; /* of the tile */
    bool is_there, is_last; /* of its chunk */
};

static __device__ __forceinline__ struct high_tile high_tile_of(const struct sz_high_tiles *h,
                                                              uint32_t number)
{
    const struct sz_tiles *const s = &h->s;
    const uint64_t item = h->first + number;
    struct high_tile t;
    t.chunk = item / h->each;
    t.first = (s->chunks ? s->chunks[t.chunk] : s->first_chunk + t.chunk) * s->chunk_tiles;
    t.number = t.first + item % h->each;
    t.is_there = t.number < s->grid.count;
    t.is_last = item % h->each + 1 == s->chunk_tiles || t.number + 1 == s->grid.count;
    return t;
}

/* A tile is bad, as if the stream were cut short: the host refuses it. */
static __device__ __forceinline__ void note_bad(const struct sz_tiles *s, uint64_t chunk)
{
    note_end(s->states, chunk, s->count, UINT64_C(1) << 62, s->places[2 * chunk + 1]);
}

/* What a tile consists of: the lengths of those before it in its chunk say where it is. One
 * thread. */
static __device__ __forceinline__ bool find_parts(const struct sz_high_tiles *h,
                                                  const struct high_tile *t,
                                                  struct high_note *note)
{
    const struct sz_tiles *const s = &h->s;
    const uint8_t *const bytes = (const uint8_t *)(const void *)s->words;
    const uint8_t *const end = bytes + 8 * s->words_count;
    const uint64_t place = s->places[2 * t->chunk] / 8;
    const uint8_t *at = place <= 8 * s->words_count ? bytes + place : NULL;
    for (uint64_t number = t->first; at && number <= t->number; number++) {
        const struct zti_sz_box box = high_box_of(s, number);
        at = zti_sz_high_parts(box.values * value_bytes_of(s->type), at, end, &note->parts);
    }
    note->end = at ? (uint64_t)(at - bytes) * 8 : 0;
    return at != NULL;
}

static __device__ __forceinline__ struct zti_bit_reader reader_from(const struct sz_tiles *s,
                                                                    const uint8_t *at)
{
    const struct zti_bit_reader r = {
        s->words, s->words_count,
        (uint64_t)(at - (const uint8_t *)(const void *)s->words) * 8};
    return r;
}

/* ---- symbols: a warp a tile, and others that help it ---- */

enum {
    TAKE_BATCH = 1536, /* tiles under way at a time: each takes as long as all */
    TAKE_THREADS = 512,
    NEAR_MODELS = 13,  /* whose tables a block has room for */
    SUMS = 1 << 12 >> 4,
    NEIGHBOURHOODS = (int)ZTI_SZ_HIGH_DEPTHS * SUMS
};

/* What a block has in shared memory; behind it are the tables of the first models. */
struct taking {
    uint32_t model[NEIGHBOURHOODS]; /* a neighbourhood's, by depth and sum / 16 */
    uint32_t window[HIGH_MOST_TAKERS][ANS_WINDOW];
};

/* A warp's way through a tile: the same in all lanes but for the states of codes. */
struct taker {
    struct high_slot slot;
    const uint32_t *model;
    struct ans_tables tables;
    struct ans_ways codes;
    uint32_t taken; /* symbols */
    struct zti_bit_reader extras;
    uint32_t opened; /* symbols before the extras that the reader is at */
};

/* The bits that symbols leave open are taken later, when all symbols are known, but for escapes:
 * these do not say their magnitudes. Of the n symbols after those taken, a lane each; returns a
 * lane's magnitude. */
static __device__ __forceinline__ uint32_t look_at_escapes(struct taker *t, uint32_t symbol,
                                                           uint32_t loud)
{
    uint32_t before = 0;
    simt_order_warp(); /* symbols that other lanes stored, before ballots */
    for (uint32_t i = t->opened + threadIdx.x % 32; i < t->taken; i += 32)
        before += zti_sz_high_open_bits(t->slot.symbols[i]);
    t->extras.at += __reduce_add_sync(SIMT_ALL_LANES, before);
    t->opened = t->taken;
    const uint32_t bits = zti_sz_high_open_bits(symbol), up_to = warp_sums_32(bits);
    struct zti_bit_reader r = t->extras;
    r.at += up_to - bits;
    return symbol == ZTI_SZ_HIGH_ESCAPE ? zti_sz_high_loudness((int32_t)zti_take_bits(&r, 32))
                                        : loud;
}

/* The next n symbols, a lane each, of the point at 'at' whose neighbourhood has that sum; returns
 * its magnitude. */
static __device__ __forceinline__ uint32_t take_symbols(struct taker *t, uint32_t ways,
                                                        uint32_t depth, uint32_t sum, uint32_t at,
                                                        uint32_t n)
{
    const uint32_t lane = threadIdx.x % 32, model = t->model[depth * (uint32_t)SUMS + sum / 16];
    const uint32_t taken = ans_ways_take(&t->codes, &t->tables, ways, model, n);
    const uint32_t symbol = lane < n ? taken : 0;
    uint32_t loud = simt_at_most((symbol + 1) / 2, ZTI_SZ_HIGH_LOUDEST);
    if (__any_sync(SIMT_ALL_LANES, symbol == ZTI_SZ_HIGH_ESCAPE))
        loud = look_at_escapes(t, symbol, loud);
    uint8_t *const to_symbol = t->slot.symbols + (t->taken + lane);
    uint8_t *const to_loud = t->slot.loud + at;
    if (lane < n)
        *to_symbol = (uint8_t)symbol;
    if (lane < n)
        *to_loud = (uint8_t)loud;
    t->taken += n;
    return loud;
}

/* Of the points between which those of a band are, what makes their contexts: for the warp that
 * takes the symbols, the first of which has number 'first'. */
static __device__ __forceinline__ void make_sums(const struct high_band *b,
                                                 const struct high_slot *slot, uint32_t first,
                                                 uint32_t helpers)
{
    const struct extents extents = extents_of(b->own);
    const uint32_t n = own_points_in(b);
    for (uint32_t i = threadIdx.x % helpers; i < n; i += 2 * helpers) {
        uint32_t sum[2]; /* so that loads are on their way together */
        SIMT_UNROLL
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t c[4];
            coordinates(&extents, simt_at_most(i + k * helpers, n - 1), c);
            sum[k] = weigh(b, sum_between(b, c, slot->loud + point_at(b, c)), 0, 0);
        }
        SIMT_UNROLL
        for (uint32_t k = 0; k < 2; k++)
            if (i + k * helpers < n)
                slot->sums[first + i + k * helpers] = (uint16_t)sum[k];
    }
}

/* A band's first row: four points look at the two before them, so that the warp goes from four to
 * four. */
static __device__ __forceinline__ void take_first_row(struct taker *t, const struct high_band *b,
                                                      uint32_t ways)
{
    const uint32_t lane = threadIdx.x % 32;
    uint32_t before = 0;
    for (uint32_t i = 0; i < b->own[3]; i += 4) {
        const uint32_t n = simt_at_most(b->own[3] - i, 4);
        const uint32_t own = lane < n ? t->slot.sums[t->taken + lane] : 0;
        const uint32_t sum = lane >= n ? 0 : i == 0 ? 2 * own : own + 16 * before;
        const uint32_t at = b->base + (i + lane) * b->step[3];
        const uint32_t loud = take_symbols(t, ways, b->depth, sum, at, n);
        before = __shfl_sync(SIMT_ALL_LANES, loud, 2) + __shfl_sync(SIMT_ALL_LANES, loud, 3);
    }
}

/* ---- the rows behind a band's first one, in pieces of a point a lane ---- */

/* What a lane has fetched for its point. */
struct piece {
    uint32_t sum, before[3]; /* of the points between, weighed; magnitudes */
    uint32_t at, n;
    uint32_t share; /* of the magnitudes before */
    bool is_in_lane; /* the magnitude before along axis 2 */
};

/* Where the next piece is that is fetched. */
struct ahead {
    uint32_t c[4];
    uint32_t number; /* of its first symbol */
};

/* A row's pieces; how many pieces before it the neighbour of one along an axis is at least. */
static __device__ __forceinline__ uint32_t pieces_in_row(const struct high_band *b)
{
    return (b->own[3] + 31) / 32;
}

static __device__ __forceinline__ uint32_t pieces_apart(const struct high_band *b)
{
    const uint32_t row = pieces_in_row(b), plane = b->own[2] * row;
    return b->own[1] > 1 ? plane : b->own[0] > 1 ? b->own[1] * plane : 3;
}

/* What a piece less than three before it has along axis 2 is not there yet: lanes have it in
 * registers. */
static __device__ __forceinline__ void fetch(const struct taker *t, const struct high_band *b,
                                             struct ahead *a, struct piece *p)
{
    const uint32_t lane = threadIdx.x % 32, each = pieces_in_row(b);
    uint32_t *const c = a->c;
    p->n = c[0] < b->own[0] ? simt_at_most(b->own[3] - c[3], 32) : 0;
    p->at = point_at(b, c) + lane * b->step[3];
    p->share = zti_sz_high_row_share((c[0] > 0) + (c[1] > 0) + (c[2] > 0));
    p->is_in_lane = c[2] > 0 && each <= 2;
    const bool is_there = lane < p->n;
    const uint8_t *const loud = t->slot.loud;
    p->sum = is_there ? t->slot.sums[a->number + lane] : 0;
    SIMT_UNROLL
    for (uint32_t i = 0; i < 3; i++)
        p->before[i] =
            is_there && c[i] > 0 && (i < 2 || each > 2) ? loud[p->at - b->step[i]] : 0;
    a->number += p->n;
    c[3] += 32;
    c[2] += c[3] >= b->own[3];
    c[3] = c[3] >= b->own[3] ? 0 : c[3];
    c[1] += c[2] == b->own[2];
    c[2] = c[2] == b->own[2] ? 0 : c[2];
    c[0] += c[1] == b->own[1];
    c[1] = c[1] == b->own[1] ? 0 : c[1];
}

/* 'last': what the lane has of the row before, if that was not fetched; returns its magnitude. */
static __device__ __forceinline__ uint32_t take_piece(struct taker *t, const struct high_band *b,
                                                      uint32_t ways, const struct piece *p,
                                                      uint32_t last)
{
    const uint32_t before =
        p->before[0] + p->before[1] + p->before[2] + (p->is_in_lane ? last : 0);
    return take_symbols(t, ways, b->depth, p->sum + before * p->share, p->at, p->n);
}

/* All points of a band that are coded. What a piece needs is fetched while the two before it are
 * taken, but where bands are so small that it is not there by then.
 *
 * Pieces need no barrier between them: what a lane fetches of its own band is the same column's,
 * which it wrote itself, but of the first row. */
static __device__ __forceinline__ void take_band(struct taker *t, const struct high_band *b,
                                                 uint32_t ways)
{
    const uint32_t each = pieces_in_row(b), lane = threadIdx.x % 32;
    const uint32_t pieces = b->own[0] * b->own[1] * b->own[2] * each;
    uint32_t last[2] = {0, 0};
    struct piece p[2];
    if (pieces == 0)
        return;
    take_first_row(t, b, ways);
    simt_order_warp(); /* four lanes wrote this row, behind shuffles */
    SIMT_UNROLL
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t own = lane + (each == 2 ? 32 * i : 0);
        last[i] = own < b->own[3] ? t->slot.loud[b->base + own * b->step[3]] : 0;
    }
    struct ahead a = {{0, 0, 0, 0}, t->taken};
    a.c[2] = b->own[2] > 1;
    a.c[1] = !a.c[2] && b->own[1] > 1;
    a.c[0] = !a.c[2] && !a.c[1];
    if (pieces_apart(b) < 3) {
        for (uint32_t number = each; number < pieces; number++) {
            fetch(t, b, &a, &p[0]);
            const uint32_t loud = take_piece(t, b, ways, &p[0], each == 1 ? last[1] : last[0]);
            last[0] = last[1];
            last[1] = loud;
        }
        return;
    }
    fetch(t, b, &a, &p[0]);
    fetch(t, b, &a, &p[1]);
    uint32_t number = each;
    for (; number + 2 <= pieces; number += 2) { /* no branches, so that waits overlap */
        SIMT_UNROLL
        for (uint32_t i = 0; i < 2; i++) {
            const struct piece now = p[i];
            fetch(t, b, &a, &p[i]);
            last[i] = take_piece(t, b, ways, &now, each == 1 ? last[1 - i] : last[i]);
        }
    }
    if (number < pieces)
        (void)take_piece(t, b, ways, &p[0], each == 1 ? last[1] : last[0]);
}

/* An address that is not worked out again from what it was made of wherever it is used. */
static __device__ __forceinline__ uint8_t *in_register(uint8_t *at)
{
    return (uint8_t *)(uintptr_t)__shfl_sync(SIMT_ALL_LANES, (uint64_t)(uintptr_t)at, 0);
}

/* Magnitudes that no symbol gives: foreign points have none, and those of the coarse grid. */
static __device__ __forceinline__ void clear_loud(const struct zti_sz_box *box, uint8_t *loud,
                                                  uint32_t helpers)
{
    uint32_t *const words = (uint32_t *)(void *)loud;
    for (uint32_t i = threadIdx.x % helpers; i < (box->points + 3) / 4; i += helpers)
        words[i] = 0;
}

/* The tables of models, for all warps of a block; returns where they are. */
static __device__ __forceinline__ struct ans_tables share_tables(const struct sz_high_tiles *h,
                                                                 struct taking *sh)
{
    const uint8_t *const model_of = (const uint8_t *)h->s.model;
    uint32_t *const near = (uint32_t *)(void *)(sh + 1);
    struct ans_tables tables;
    tables.near = near;
    tables.far = (const uint32_t *)(const void *)(model_of + ZTI_SZ_HIGH_TABLES_AT);
    tables.near_entries = h->near_models * (uint32_t)ZTI_SZ_HIGH_STATES;
    for (uint32_t i = 4 * threadIdx.x; i < tables.near_entries; i += 4 * blockDim.x) {
        uint32_t four[4];
        simt_load_16(four, tables.far + i);
        simt_store_16(near + i, four);
    }
    for (uint32_t i = threadIdx.x; i < NEIGHBOURHOODS; i += blockDim.x)
        sh->model[i] = model_of[zti_sz_high_kind(i % SUMS * 16, i / SUMS)] *
                       (uint32_t)ZTI_SZ_HIGH_STATES;
    return tables;
}

/* The codes of a block's tiles, all of them band after band. Whether the calling thread's tile has
 * any; its first warp knows whether they end where they must. */
static __device__ __forceinline__ bool take_codes(const struct sz_high_tiles *h,
                                                  const struct high_tile *tile, bool has_codes,
                                                  struct taker *t, uint32_t *window)
{
    const struct zti_sz_parts *const parts = &t->slot.note->parts;
    const uint32_t axes = high_axes(&h->s);
    const bool is_taker = has_codes && threadIdx.x % h->helpers < 32;
    const uint32_t ways =
        is_taker && parts->first & ZTI_SZ_HIGH_HAS_MANY ? ZTI_ANS_MANY : ZTI_ANS_WAYS;
    const uint32_t *const far = t->tables.far;
    bool is_good = true;
    uint32_t first = 0;
    struct zti_sz_box box;
    struct zti_bit_reader in = {NULL, 0, 0};
    memset(&box, 0, sizeof box);
    if (has_codes) {
        box = high_box_of(&h->s, tile->number);
        in = reader_from(&h->s, parts->codes);
        clear_loud(&box, t->slot.loud, h->helpers);
    }
    __syncthreads();
    if (has_codes)
        copy_coarse(h, &box, NULL, t->slot.loud, h->helpers);
    t->extras = reader_from(&h->s, parts->extras);
    if (is_taker)
        is_good = ans_ways_begin(&t->codes, &in, ways, window);
    for (uint32_t level = zti_sz_high_distance(axes); level-- > 0;)
        for (uint32_t odd = next_odd(axes, 0); odd != 0; odd = next_odd(axes, odd)) {
            const struct high_band b = high_band_of(&box, axes, level, odd);
            __syncthreads();
            if (has_codes)
                make_sums(&b, &t->slot, first, h->helpers);
            __syncthreads();
            if (is_taker && ways == ZTI_ANS_MANY && h->near_models == h->models) {
                t->tables.far = NULL;
                take_band(t, &b, ZTI_ANS_MANY);
            } else if (is_taker) {
                t->tables.far = far;
                if (ways == ZTI_ANS_MANY)
                    take_band(t, &b, ZTI_ANS_MANY);
                else
                    take_band(t, &b, ZTI_ANS_WAYS);
            }
            first += own_points_in(&b);
        }
    return !is_taker ||
           (is_good && ans_ways_ends_at(&t->codes, ways, in.at + 8 * parts->code_bytes));
}

SIMT_KERNEL void __launch_bounds__(TAKE_THREADS, 1)
high_take_symbols(const struct sz_high_tiles h)
{
    SIMT_SHARED_DYNAMIC(struct taking, sh);
    const uint32_t own = threadIdx.x / h.helpers;
    const uint32_t number = blockIdx.x * h.takers + own;
    const struct high_tile tile = high_tile_of(&h, number);
    const bool is_there = number < h.batch && tile.is_there;
    struct taker t;
    memset(&t, 0, sizeof t);
    t.slot = high_slot_of(&h, is_there ? number : 0);
    t.slot.loud = in_register(t.slot.loud);
    t.slot.symbols = in_register(t.slot.symbols);
    t.tables = share_tables(&h, sh);
    t.model = sh->model;
    if (is_there && threadIdx.x % h.helpers == 0)
        t.slot.note->is_good = find_parts(&h, &tile, t.slot.note);
    __syncthreads();
    const bool is_found = is_there && t.slot.note->is_good;
    const uint32_t first = is_found ? t.slot.note->parts.first : (uint32_t)ZTI_SZ_HIGH_RAW;
    const bool has_codes = first != ZTI_SZ_HIGH_RAW && (first & ZTI_SZ_HIGH_CODED);
    const bool is_good = take_codes(&h, &tile, has_codes, &t, sh->window[own]) && is_found;
    if (is_there && threadIdx.x % h.helpers == 0) {
        t.slot.note->symbols = has_codes ? t.taken : 0;
        t.slot.note->is_good = is_good;
        if (!is_good)
            note_bad(&h.s, tile.chunk);
    }
}

/* ---- values: a block a tile ---- */

/* Symbols of a word; the bits that they leave open. */
static __device__ __forceinline__ uint32_t open_bits_of_four(uint32_t four, uint32_t n)
{
    uint32_t bits = 0;
    SIMT_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        bits += i < n ? zti_sz_high_open_bits(four >> 8 * i & 255) : 0;
    return bits;
}

/* The residuals of symbols that leave bits open. A warp has a part of the symbols, a lane four of
 * them at a time; sums of the parts before say where its bits begin. False where there are too few
 * bits. */
static __device__ __forceinline__ bool take_open(const struct sz_tiles *s,
                                                 const struct high_slot *slot)
{
    SIMT_SHARED(uint32_t, sums, [HIGH_WARPS]);
    const struct zti_sz_parts *const parts = &slot->note->parts;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t n = (uint32_t)slot->note->symbols;
    const uint32_t each = (n + 128 * HIGH_WARPS - 1) / (128 * HIGH_WARPS) * 128;
    const uint32_t from = warp * each, to = simt_at_most(n, from + each);
    const uint32_t *const words = (const uint32_t *)(const void *)slot->symbols;
    uint32_t bits = 0, all = 0;
    SIMT_UNROLL_4
    for (uint32_t i = from + 4 * lane; i < to; i += 128)
        bits += open_bits_of_four(words[i / 4], to - i);
    bits = __reduce_add_sync(SIMT_ALL_LANES, bits);
    if (lane == 0)
        sums[warp] = bits;
    __syncthreads();
    struct zti_bit_reader in = reader_from(s, parts->extras);
    for (uint32_t i = 0; i < HIGH_WARPS; i++) {
        all += sums[i];
        in.at += i < warp ? sums[i] : 0;
    }
    uint32_t next = from + 4 * lane < to ? words[from / 4 + lane] : 0;
    for (uint32_t k = from; k < to && bits > 0; k += 128) {
        const uint32_t i = k + 4 * lane, four = next;
        next = i + 128 < to ? words[i / 4 + 32] : 0;
        const uint32_t own = i < to ? open_bits_of_four(four, to - i) : 0;
        if (!__any_sync(SIMT_ALL_LANES, own > 0))
            continue;
        const uint32_t up_to = warp_sums_32(own);
        struct zti_bit_reader r = in;
        r.at += up_to - own;
        in.at += __shfl_sync(SIMT_ALL_LANES, up_to, 31);
        for (uint32_t l = 0; l < 4 && i + l < to && own > 0; l++) {
            const uint32_t symbol = four >> 8 * l & 255;
            if (symbol >= ZTI_SZ_HIGH_DIRECT)
                slot->q[i + l] = zti_sz_high_residual(
                    symbol, (uint32_t)zti_take_bits(&r, zti_sz_high_open_bits(symbol)));
        }
    }
    return all <= 8 * parts->extra_bytes;
}

/* The residual of symbol 'number', if there is one. */
static __device__ __forceinline__ uint32_t residual_of(const struct high_slot *slot, bool has_one,
                                                       uint32_t number)
{
    const uint32_t symbol = has_one ? slot->symbols[number] : 0;
    return (uint32_t)(symbol < ZTI_SZ_HIGH_DIRECT ? zti_sz_high_residual(symbol, 0)
                                                  : slot->q[number]);
}

/* Symbols, or none, to integers of all levels from 'last' on; returns the number of their
 * symbols. */
static __device__ __forceinline__ uint32_t make_integers(const struct sz_high_tiles *h,
                                                         const struct zti_sz_box *box,
                                                         const struct high_slot *slot,
                                                         bool is_zero, uint32_t last)
{
    const struct sz_tiles *const s = &h->s;
    const uint32_t axes = high_axes(s);
    const bool is_linear = s->sz.tuning & ZTI_SZ_HIGH_LINEAR;
    uint32_t first = 0; /* of a band's symbols */
    copy_coarse(h, box, slot->x, NULL, HIGH_THREADS);
    for (uint32_t level = zti_sz_high_distance(axes); level-- > last;) {
        const uint32_t step = zti_sz_high_step(&s->sz, level + 1);
        for (uint32_t odd = next_odd(axes, 0); odd != 0; odd = next_odd(axes, odd)) {
            const struct high_band b = high_band_of(box, axes, level, odd);
            const struct extents extents = extents_of(b.dim);
            const uint32_t n = points_in(&b);
            __syncthreads();
            for (uint32_t i = threadIdx.x; i < n; i += HIGH_THREADS) {
                uint32_t c[4];
                coordinates(&extents, i, c);
                const uint32_t at = point_at(&b, c), number = first + number_in(&b, c);
                const uint32_t q = residual_of(slot, !is_zero && is_own(&b, c), number);
                slot->x[at] = (int32_t)(predict(&b, c, slot->x + at, is_linear) + q * step);
            }
            first += own_points_in(&b);
        }
    }
    return first;
}

/* The value of an integer. */
static __device__ __forceinline__ void store_value(const struct sz_tiles *s, char *to, int32_t x)
{
    const double number = zti_sz_high_number(x, (double)s->sz.centre, s->sz.step);
    if (s->type == ZT_F32)
        *(float *)(void *)to = (float)number;
    else if (s->type == ZT_F64)
        *(double *)(void *)to = number;
    else if (s->type == ZT_I32)
        *(int32_t *)(void *)to = zti_sz_high_whole_32(x, s->sz.centre);
    else
        *(int64_t *)(void *)to = zti_sz_high_whole_64(x, s->sz.centre);
}

/* A tile's values to the view: of its integers, or as they are. */
static __device__ __forceinline__ void put_tile_values(const struct sz_high_tiles *h,
                                                       const struct zti_sz_box *box,
                                                       const struct sz_tile *t,
                                                       const struct high_slot *slot)
{
    const struct sz_tiles *const s = &h->s;
    const struct extents extents = extents_of(box->own);
    const uint8_t *const raw = slot->note->parts.raw;
    const uint32_t value_bits = 8 * value_bytes_of(s->type);
    for (uint32_t i = threadIdx.x; i < t->n; i += HIGH_THREADS) {
        char *const to = value_at(s, t, i);
        if (!to)
            continue;
        if (raw) {
            struct zti_bit_reader r = reader_from(s, raw);
            r.at += (uint64_t)i * value_bits;
            store_bits(s, to, zti_take_bits(&r, value_bits));
            continue;
        }
        uint32_t c[4];
        coordinates(&extents, i, c);
        store_value(s, to, slot->x[place_in_box(box, c)]);
    }
}

/* ---- the finest level, and values: some planes at a time ---- */

static __device__ __forceinline__ void slab_take_band(const struct slab *b,
                                                      const struct slab_part *part, uint32_t odd,
                                                      const struct high_slot *slot)
{
    if (odd & ~b->halved)
        return;
    const uint32_t is_odd = odd >> 2;
    const struct slab_band band = slab_band_of(b, odd, part->from[is_odd], part->to[is_odd]);
    for (uint32_t i = threadIdx.x; i < band.n; i += HIGH_THREADS) {
        const struct slab_point p = slab_point_of(b, &band, odd, i);
        int32_t *const own = slab_plane(b, is_odd, p.c[2]) + p.at;
        const uint32_t q = residual_of(slot, !b->is_zero && p.is_own, p.number);
        *own = (int32_t)(slab_predict(b, &p, odd, own) + q * b->step);
    }
}

static __device__ __forceinline__ void slab_put_values(const struct slab *b,
                                                       const struct slab_part *part)
{
    const uint32_t rows = slab_rows(part, b->own[1]), bytes = value_bytes_of(b->h->s.type);
    const int64_t stride = b->h->s.view.out.stride[b->h->s.grid.rank - 1] * (int64_t)bytes;
    for (uint32_t i = threadIdx.x / 32; i < rows; i += HIGH_WARPS) {
        const struct slab_row r = slab_row_of(b, part, b->own[1], i);
        uint32_t first, last;
        char *const to = slab_row_in(b, &r, b->own[0], &first, &last);
        const int32_t *const x = slab_plane(b, r.is_odd, r.j) + r.y * b->dim[0];
        if (slab_along(b, r.is_odd << 2, 2, r.j) >= b->own[2])
            continue;
        for (uint32_t k = first + threadIdx.x % 32; k < last; k += 32)
            store_value(&b->h->s, to + (int64_t)k * stride, x[k]);
    }
}

/* A tile of which all levels but the finest are there, and 'taken' symbols are theirs. */
static __device__ __forceinline__ void take_slab(const struct sz_high_tiles *h,
                                                 const struct zti_sz_box *box,
                                                 const struct high_slot *slot, bool is_zero,
                                                 uint32_t taken)
{
    SIMT_SHARED_DYNAMIC(int32_t, memory);
    SIMT_SHARED(uint32_t, first, [8]);
    struct slab b = slab_of(h, box, first, memory);
    struct slab_part part = {{0, 0}, {0, 0}};
    b.is_zero = is_zero;
    if (threadIdx.x == 0)
        (void)slab_find_first(&b, taken);
    while (slab_next(&b, &part)) {
        __syncthreads();
        slab_load(&b, &part, slot->x, NULL);
        __syncthreads();
        slab_take_band(&b, &part, 1, slot);
        slab_take_band(&b, &part, 2, slot);
        slab_take_band(&b, &part, 4, slot);
        __syncthreads();
        slab_take_band(&b, &part, 3, slot);
        slab_take_band(&b, &part, 5, slot);
        slab_take_band(&b, &part, 6, slot);
        if (b.halved == 7) {
            __syncthreads();
            slab_take_band(&b, &part, 7, slot);
        }
        __syncthreads();
        slab_put_values(&b, &part);
    }
}

/* What a block knows of 4096 values of which some are exact. */
struct exact_marks {
    uint64_t bits[EXACT_WORDS];
    uint32_t before[EXACT_WORDS];
    uint64_t at, next; /* bits of the stream: where the values are, and what comes behind them */
    bool is_good;
};

static __device__ __forceinline__ void take_exact_marks(const struct sz_tiles *s, uint32_t n,
                                                        uint64_t at, uint64_t end,
                                                        struct exact_marks *m)
{
    struct zti_bit_reader r = {s->words, s->words_count, at};
    uint32_t all, count = 0;
    m->is_good = take_exact(&r, end, n, value_bytes_of(s->type), m->bits, &all);
    for (uint32_t i = 0; i < EXACT_WORDS; i++) {
        m->before[i] = count;
        count += (uint32_t)__popcll(m->bits[i]);
    }
    m->at = r.at;
    m->next = r.at + (uint64_t)count * 8 * value_bytes_of(s->type);
}

/* Values that are kept as they are; false where they are not a tile's. */
static __device__ __forceinline__ bool put_exact_values(const struct sz_tiles *s,
                                                        const struct sz_tile *t,
                                                        const struct zti_sz_parts *parts)
{
    SIMT_SHARED(struct exact_marks, marks, [2]); /* by turns: one is read, one is written */
    const uint64_t end = reader_from(s, parts->exact_end).at;
    const uint32_t value_bits = 8 * value_bytes_of(s->type);
    uint64_t at = reader_from(s, parts->exact).at;
    bool is_good = true;
    for (uint32_t first = 0; first < t->n && is_good; first += ZTI_SZ_TILE_VALUES) {
        struct exact_marks *const m = &marks[first / ZTI_SZ_TILE_VALUES % 2];
        const uint32_t left = t->n - first;
        const uint32_t n = simt_at_most(left, ZTI_SZ_TILE_VALUES);
        if (threadIdx.x == 0)
            take_exact_marks(s, n, at, end, m);
        __syncthreads();
        is_good = m->is_good;
        at = m->next;
        for (uint32_t i = threadIdx.x; i < n && is_good; i += HIGH_THREADS) {
            char *const to = bit_at(m->bits, i) ? value_at(s, t, first + i) : NULL;
            const uint64_t before = m->bits[i / 64] & ((UINT64_C(1) << i % 64) - 1);
            const uint32_t number = m->before[i / 64] + (uint32_t)__popcll(before);
            struct zti_bit_reader r = {s->words, s->words_count,
                                       m->at + (uint64_t)number * value_bits};
            if (to)
                store_bits(s, to, zti_take_bits(&r, value_bits));
        }
    }
    return is_good && at == end;
}

/* All levels, or all but the finest where the next kernel has room for that. */
SIMT_KERNEL void __launch_bounds__(HIGH_THREADS, 3) high_take_levels(const struct sz_high_tiles h)
{
    const struct high_tile t = high_tile_of(&h, blockIdx.x);
    const struct high_slot slot = high_slot_of(&h, blockIdx.x);
    if (!t.is_there || !slot.note->is_good || slot.note->parts.first == ZTI_SZ_HIGH_RAW)
        return;
    const struct zti_sz_box box = high_box_of(&h.s, t.number);
    const bool is_zero = !(slot.note->parts.first & ZTI_SZ_HIGH_CODED);
    if (!is_zero && !take_open(&h.s, &slot)) { /* the same in all threads */
        __syncthreads();
        if (threadIdx.x == 0) {
            slot.note->is_good = 0;
            note_bad(&h.s, t.chunk);
        }
        return;
    }
    const uint32_t taken = make_integers(&h, &box, &slot, is_zero, h.slab_each > 0);
    if (threadIdx.x == 0)
        slot.note->taken = taken;
}

SIMT_KERNEL void __launch_bounds__(HIGH_THREADS, 3) high_take_values(const struct sz_high_tiles h)
{
    const struct high_tile t = high_tile_of(&h, blockIdx.x);
    const struct high_slot slot = high_slot_of(&h, blockIdx.x);
    if (!t.is_there || !slot.note->is_good)
        return;
    const uint32_t first = slot.note->parts.first;
    const struct zti_sz_box box = high_box_of(&h.s, t.number);
    if (first != ZTI_SZ_HIGH_RAW && h.slab_each > 0) {
        take_slab(&h, &box, &slot, !(first & ZTI_SZ_HIGH_CODED),
                  (uint32_t)slot.note->taken);
        return;
    }
    const struct sz_tile tile = tile_of(&h.s, t.number);
    put_tile_values(&h, &box, &tile, &slot);
}

/* What a tile keeps as it is, over other values; and, of a chunk's last tile, where it ends. */
SIMT_KERNEL void __launch_bounds__(HIGH_THREADS, 3) high_take_exact(const struct sz_high_tiles h)
{
    const struct sz_tiles *const s = &h.s;
    const struct high_tile t = high_tile_of(&h, blockIdx.x);
    const struct high_slot slot = high_slot_of(&h, blockIdx.x);
    if (!t.is_there || !slot.note->is_good)
        return;
    const uint32_t first = slot.note->parts.first;
    bool is_good = true;
    if (first != ZTI_SZ_HIGH_RAW && (first & ZTI_SZ_HIGH_HAS_EXACT)) {
        const struct sz_tile tile = tile_of(s, t.number);
        is_good = put_exact_values(s, &tile, &slot.note->parts);
    }
    if (threadIdx.x == 0 && !is_good)
        note_bad(s, t.chunk);
    if (threadIdx.x == 0 && is_good && t.is_last)
        note_end(s->states, t.chunk, s->count, slot.note->end, s->places[2 * t.chunk + 1]);
}

/* ---- launches ---- */

/* How many models' tables a block of this GPU has room for. */
static unsigned near_models(void)
{
    const size_t most = simt_shared_most(), table = sizeof(uint32_t) * ZTI_SZ_HIGH_STATES;
    const size_t own = sizeof(struct taking);
    return most > own ? simt_at_most((most - own) / table, NEAR_MODELS) : 0;
}

extern "C" uint64_t zti_sz_high_cuda_take_bytes(const struct zti_coding *coding)
{
    return simt_at_most(coding->grid.count, TAKE_BATCH) *
           high_slot_bytes(zti_sz_high_points(coding));
}

extern "C" void zti_sz_high_cuda_take(const struct sz_tiles *s, const struct zti_coding *coding,
                                      void *work, void *queue)
{
    const uint64_t tiles = s->grid.count;
    const unsigned slots = simt_at_most(tiles, TAKE_BATCH);
    struct sz_high_tiles h;
    memset(&h, 0, sizeof h);
    h.s = *s;
    h.slots = (uint8_t *)work;
    h.points = (uint32_t)zti_sz_high_points(coding);
    h.slot_bytes = high_slot_bytes(h.points);
    h.each = tiles < s->chunk_tiles ? tiles : s->chunk_tiles;
    h.models = zti_sz_high_models(coding);
    h.near_models = simt_at_most(h.models, near_models());
    slab_choose(&h, coding, false);
    const size_t shared =
        sizeof(struct taking) + h.near_models * sizeof(uint32_t) * ZTI_SZ_HIGH_STATES;
    for (; h.first < s->count * h.each; h.first += slots) {
        const uint64_t left = s->count * h.each - h.first;
        h.batch = simt_at_most(left, slots);
        h.takers = high_takers(h.batch);
        h.helpers = 32 * simt_at_most(TAKE_THREADS / 32 / h.takers, 4);
        SIMT_LAUNCH(high_take_symbols, (h.batch + h.takers - 1) / h.takers, h.helpers * h.takers,
                    shared, queue, h);
        SIMT_LAUNCH(high_take_levels, h.batch, HIGH_THREADS, 0, queue, h);
        SIMT_LAUNCH(high_take_values, h.batch, HIGH_THREADS, h.slab_bytes, queue, h);
        SIMT_LAUNCH(high_take_exact, h.batch, HIGH_THREADS, 0, queue, h);
    }
}
