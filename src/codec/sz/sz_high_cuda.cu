/* sz_high_cuda.cu: tiles of effort 'high' to values, in two kernels.
 *
 * A symbol's state and bits follow from those before it, and its context from the magnitudes of
 * residuals before it: not from integers. So a warp takes a tile's symbols first. Four of its lanes
 * go through the ANS codes of a row, a state each; contexts of a row, residuals and what symbols
 * leave open are the work of all lanes. Then a block has a tile: points of a band depend on
 * those of earlier ones alone, and each has a thread. */
#include "codec/sz/sz_high_cuda.h"
#include "codec/sz/sz_cuda_take_exact.h"
#include "entropy/ans_ways_cuda.h"

/* ---- which tile ---- */

struct high_tile {
    uint64_t chunk;  /* of those wanted */
    uint64_t first;  /* tile of it */
    uint64_t number; /* of the tile */
    bool is_there, is_last; /* of its chunk */
};

static __device__ __forceinline__ struct high_tile high_tile_of(const struct sz_high_tiles *h)
{
    const struct sz_tiles *const s = &h->s;
    const uint64_t item = h->first + blockIdx.x;
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

/* ---- symbols: a warp a tile ---- */

/* What a warp has in shared memory. */
struct taking {
    const uint32_t *tables[ZTI_SZ_HIGH_CONTEXTS];
    const uint32_t *own[ZTI_SZ_HIGH_SEGMENT]; /* the table of each symbol of a row */
    uint32_t sums[ZTI_SZ_HIGH_SEGMENT];
    uint8_t symbols[ZTI_SZ_HIGH_SEGMENT];
};

/* A warp's way through a tile: the same in all lanes but for the states of codes. */
struct taker {
    struct high_slot slot;
    struct taking *sh;
    struct ans_ways codes;
    struct zti_bit_reader extras;
    uint32_t before, before_that; /* magnitudes of the two points before, in a band's first row */
};

/* A symbol's residual into its place; returns its magnitude. */
static __device__ __forceinline__ uint32_t put_residual(struct taker *t, uint32_t symbol,
                                                        uint32_t open, uint32_t at)
{
    const int32_t q = zti_sz_high_residual(symbol, open);
    const uint8_t loud = zti_sz_high_loudness(q);
    t->slot.x[at] = q;
    t->slot.loud[at] = loud;
    return loud;
}

/* What the lanes' symbols leave open. */
static __device__ __forceinline__ uint32_t take_open(struct taker *t, uint32_t symbol)
{
    const uint32_t bits = zti_sz_high_open_bits(symbol);
    if (!__any_sync(SIMT_ALL_LANES, bits > 0))
        return 0;
    const uint32_t up_to = warp_sums_32(bits);
    struct zti_bit_reader r = t->extras;
    r.at += up_to - bits;
    t->extras.at += __shfl_sync(SIMT_ALL_LANES, up_to, 31);
    return bits ? (uint32_t)zti_take_bits(&r, bits) : 0;
}

/* Of n points of a band's first row, from coordinates c on: four look at the two before them, so
 * that the warp goes from four to four. */
static __device__ __forceinline__ void take_first_row(struct taker *t, const struct high_band *b,
                                                      uint32_t first, uint32_t n)
{
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t k = 0; k < n; k += 4) {
        const uint32_t four = n - k < 4 ? n - k : 4, more = 16 * (t->before + t->before_that);
        const uint32_t sum = lane < four ? t->sh->sums[k + lane] : 0;
        const uint32_t kind = zti_sz_high_kind(first + k == 0 ? 2 * sum : sum + more, b->depth);
        const uint32_t taken = ans_ways_take(&t->codes, t->sh->tables[kind], four);
        const uint32_t symbol = lane < four ? taken : 0, open = take_open(t, symbol);
        uint32_t loud = 0;
        if (lane < four)
            loud = put_residual(t, symbol, open, b->base + (first + k + lane) * b->step[3]);
        const uint32_t last = __shfl_sync(SIMT_ALL_LANES, loud, (int)four - 1);
        t->before_that = four > 1 ? __shfl_sync(SIMT_ALL_LANES, loud, (int)four - 2) : t->before;
        t->before = last;
    }
    simt_order_warp(); /* sums were read by four lanes, before shuffles */
}

/* The symbols of n points of another row, whose tables are known. */
static __device__ __forceinline__ void take_symbols(struct taker *t, uint32_t n)
{
    const uint32_t lane = threadIdx.x % 32, way = lane % ZTI_ANS_WAYS;
    const uint32_t *table = way < n ? t->sh->own[way] : NULL;
    for (uint32_t k = 0; k < n; k += ZTI_ANS_WAYS) {
        const uint32_t four = n - k < ZTI_ANS_WAYS ? n - k : (uint32_t)ZTI_ANS_WAYS;
        const uint32_t next = k + ZTI_ANS_WAYS + way;
        const uint32_t *const later = next < n ? t->sh->own[next] : NULL;
        const uint32_t symbol = ans_ways_take(&t->codes, table, four);
        if (lane < four)
            t->sh->symbols[k + lane] = (uint8_t)symbol;
        table = later;
    }
}

/* Residuals of n symbols of a row that begins at a point, a symbol a lane. */
static __device__ __forceinline__ void take_residuals(struct taker *t, const struct high_band *b,
                                                      uint32_t at, uint32_t n)
{
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t k = 0; k < n; k += 32) {
        const bool is_there = k + lane < n;
        const uint32_t symbol = is_there ? t->sh->symbols[k + lane] : 0;
        const uint32_t open = take_open(t, symbol);
        if (is_there)
            (void)put_residual(t, symbol, open, at + (k + lane) * b->step[3]);
    }
}

/* Up to 256 coded points of a row, from coordinates c on. */
static __device__ __forceinline__ void take_segment(struct taker *t, const struct high_band *b,
                                                    const uint32_t *c, uint32_t n)
{
    const uint32_t lane = threadIdx.x % 32, at = point_at(b, c);
    uint32_t rows = 0;
    for (uint32_t k = lane; k < n; k += 32) {
        const uint32_t own[4] = {c[0], c[1], c[2], c[3] + k};
        const uint32_t sum = sum_around(b, own, t->slot.loud + at + k * b->step[3], &rows);
        t->sh->sums[k] = sum;
        t->sh->own[k] = t->sh->tables[zti_sz_high_kind(sum, b->depth)];
    }
    __syncwarp();
    rows = c[0] | c[1] | c[2]; /* what sum_around counts is not 0 */
    if (rows == 0) {
        take_first_row(t, b, c[3], n);
        return;
    }
    take_symbols(t, n);
    __syncwarp();
    take_residuals(t, b, at, n);
}

/* What a lane adds up for its point of a row of at most 32, before the row before it is known. */
struct row_ahead {
    uint32_t between, before; /* without the row before it */
    bool is_there;
};

static __device__ __forceinline__ void look_ahead(const struct taker *t, const struct high_band *b,
                                                  const uint32_t *c, struct row_ahead *ahead)
{
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t own[4] = {c[0], c[1], c[2], lane};
    ahead->is_there = c[0] < b->own[0] && c[1] < b->own[1] && c[2] < b->own[2];
    ahead->between = ahead->before = 0;
    if (ahead->is_there && lane < b->own[3]) {
        const uint8_t *const loud = t->slot.loud + point_at(b, own);
        ahead->between = sum_between(b, own, loud);
        ahead->before = sum_before(b, own, 2, loud);
    }
}

/* A row of at most 32 points, none of a band's first; 'last': the magnitudes of the row before it
 * along axis 2, and then its own. */
static __device__ __forceinline__ void take_short_row(struct taker *t, const struct high_band *b,
                                                      const uint32_t *c,
                                                      const struct row_ahead *ahead,
                                                      uint32_t *last)
{
    const uint32_t lane = threadIdx.x % 32, n = b->own[3];
    const uint32_t before = ahead->before + (c[2] > 0 ? *last : 0);
    uint32_t rows;
    const uint32_t sum = weigh_around(b, c, ahead->between, before, &rows);
    if (lane < n)
        t->sh->own[lane] = t->sh->tables[zti_sz_high_kind(sum, b->depth)];
    __syncwarp();
    take_symbols(t, n);
    __syncwarp();
    const uint32_t symbol = lane < n ? t->sh->symbols[lane] : 0, open = take_open(t, symbol);
    if (lane < n)
        *last = put_residual(t, symbol, open, point_at(b, c) + lane * b->step[3]);
}

/* The row behind one. */
static __device__ __forceinline__ void next_row(const struct high_band *b, uint32_t *c)
{
    c[2]++;
    c[1] += c[2] == b->dim[2];
    c[2] = c[2] == b->dim[2] ? 0 : c[2];
    c[0] += c[1] == b->dim[1];
    c[1] = c[1] == b->dim[1] ? 0 : c[1];
}

/* Points of a row from 'own' on, which are as if they were predicted well. */
static __device__ __forceinline__ void clear_row(struct taker *t, const struct high_band *b,
                                                 const uint32_t *c, uint32_t own)
{
    const uint32_t at = point_at(b, c);
    for (uint32_t k = own + threadIdx.x % 32; k < b->dim[3]; k += 32) {
        t->slot.x[at + k * b->step[3]] = 0;
        t->slot.loud[at + k * b->step[3]] = 0;
    }
}

/* All points of a band of rows of at most 32, at least two along axis 2. What a row's contexts are
 * made of is fetched while the row before it is taken, but for that row's own magnitudes, which
 * lanes have. */
static __device__ __forceinline__ void take_short_band(struct taker *t, const struct high_band *b)
{
    const uint32_t rows = b->dim[0] * b->dim[1] * b->dim[2];
    uint32_t c[4] = {0, 0, 0, 0}, last = 0;
    struct row_ahead ahead = {0, 0, false};
    t->before = t->before_that = 0;
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t next[4] = {c[0], c[1], c[2], 0};
        next_row(b, next);
        if (row == 0) {
            take_segment(t, b, c, b->own[3]);
            simt_order_warp(); /* four lanes have written this row, behind shuffles */
            look_ahead(t, b, next, &ahead);
            last = threadIdx.x % 32 < b->own[3]
                       ? t->slot.loud[b->base + threadIdx.x % 32 * b->step[3]] : 0;
            clear_row(t, b, c, b->own[3]);
        } else {
            const struct row_ahead now = ahead;
            look_ahead(t, b, next, &ahead);
            if (now.is_there)
                take_short_row(t, b, c, &now, &last);
            clear_row(t, b, c, now.is_there ? b->own[3] : 0);
        }
        for (uint32_t i = 0; i < 3; i++)
            c[i] = next[i];
    }
}

/* All points of a band. A neighbour's are as if they were predicted well.
 *
 * Rows need no barrier between them. What a lane looks at before lanes meet next, in the next
 * segment, and what was written since they met last, is the same only where it wrote it itself: of
 * the row before, the same column; at the beginning of a band, of the band before it columns that
 * both have, or its first row, after which lanes meet. */
static __device__ __forceinline__ void take_band(struct taker *t, const struct high_band *b)
{
    const uint32_t rows = b->dim[0] * b->dim[1] * b->dim[2];
    uint32_t c[4] = {0, 0, 0, 0};
    if (b->own[3] <= 32 && b->dim[2] > 1 && own_points_in(b) > 0) {
        take_short_band(t, b);
        return;
    }
    t->before = t->before_that = 0;
    for (uint32_t row = 0; row < rows; row++) {
        const bool is_own = c[0] < b->own[0] && c[1] < b->own[1] && c[2] < b->own[2];
        const uint32_t own = is_own ? b->own[3] : 0;
        for (c[3] = 0; c[3] < own; c[3] += ZTI_SZ_HIGH_SEGMENT) {
            const uint32_t left = own - c[3];
            take_segment(t, b, c, simt_at_most(left, ZTI_SZ_HIGH_SEGMENT));
        }
        c[3] = 0;
        clear_row(t, b, c, own);
        next_row(b, c);
    }
}

/* The residuals of a tile, of which the slot's note says what it consists of; whether its codes end
 * where they must. */
static __device__ __forceinline__ bool take_codes(const struct sz_high_tiles *h,
                                                  const struct zti_sz_box *box,
                                                  const struct high_slot *slot)
{
    SIMT_SHARED(struct taking, sh, );
    const struct sz_tiles *const s = &h->s;
    const struct zti_sz_parts *const parts = &slot->note->parts;
    const uint32_t axes = high_axes(s);
    const uint8_t *const model_of = (const uint8_t *)s->model;
    const uint32_t *const tables =
        (const uint32_t *)(const void *)(model_of + ZTI_SZ_HIGH_TABLES_AT);
    const struct zti_bit_reader in = reader_from(s, parts->codes);
    struct taker t;
    t.slot = *slot;
    t.sh = &sh;
    t.extras = reader_from(s, parts->extras);
    const uint64_t extras_end = t.extras.at + 8 * parts->extra_bytes;
    for (uint32_t i = threadIdx.x; i < ZTI_SZ_HIGH_CONTEXTS; i += 32)
        sh.tables[i] = tables + model_of[i] * (uint32_t)ZTI_SZ_HIGH_STATES;
    bool is_good = ans_ways_begin(&t.codes, &in);
    copy_coarse(h, box, NULL, slot->loud, 32);
    __syncwarp();
    for (uint32_t level = zti_sz_high_distance(axes); level-- > 0 && is_good;)
        for (uint32_t odd = next_odd(axes, 0); odd != 0; odd = next_odd(axes, odd)) {
            const struct high_band b = high_band_of(box, axes, level, odd);
            take_band(&t, &b);
        }
    return is_good && t.extras.at <= extras_end &&
           ans_ways_ends_at(&t.codes, in.at + 8 * parts->code_bytes);
}

SIMT_KERNEL void __launch_bounds__(32, 1) high_take_symbols(const struct sz_high_tiles h)
{
    const struct high_tile t = high_tile_of(&h);
    const struct high_slot slot = high_slot_of(&h);
    if (!t.is_there)
        return;
    if (threadIdx.x == 0)
        slot.note->is_good = find_parts(&h, &t, slot.note);
    __syncwarp();
    bool is_good = slot.note->is_good;
    const uint32_t first = slot.note->parts.first;
    if (is_good && first != ZTI_SZ_HIGH_RAW && (first & ZTI_SZ_HIGH_CODED)) {
        const struct zti_sz_box box = high_box_of(&h.s, t.number);
        is_good = take_codes(&h, &box, &slot);
    }
    if (threadIdx.x == 0 && !is_good) {
        slot.note->is_good = 0;
        note_bad(&h.s, t.chunk);
    }
}

/* ---- values: a block a tile ---- */

/* Residuals, or none, to integers, in place. */
static __device__ __forceinline__ void make_integers(const struct sz_high_tiles *h,
                                                     const struct zti_sz_box *box,
                                                     const struct high_slot *slot, bool is_zero)
{
    const struct sz_tiles *const s = &h->s;
    const uint32_t axes = high_axes(s);
    const bool is_linear = s->sz.tuning & ZTI_SZ_HIGH_LINEAR;
    copy_coarse(h, box, slot->x, NULL, HIGH_THREADS);
    for (uint32_t level = zti_sz_high_distance(axes); level-- > 0;) {
        const uint32_t step = zti_sz_high_step(&s->sz, level + 1);
        for (uint32_t odd = next_odd(axes, 0); odd != 0; odd = next_odd(axes, odd)) {
            const struct high_band b = high_band_of(box, axes, level, odd);
            const uint32_t n = points_in(&b);
            __syncthreads();
            for (uint32_t i = threadIdx.x; i < n; i += HIGH_THREADS) {
                uint32_t c[4];
                coordinates(b.dim, i, c);
                int32_t *const at = slot->x + point_at(&b, c);
                const uint32_t residual = is_zero ? 0 : (uint32_t)*at * step;
                *at = (int32_t)(predict(&b, c, at, is_linear) + residual);
            }
        }
    }
    __syncthreads();
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
        coordinates(box->own, i, c);
        store_value(s, to, slot->x[place_in_box(box, c)]);
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

SIMT_KERNEL void __launch_bounds__(HIGH_THREADS, 2) high_take_values(const struct sz_high_tiles h)
{
    const struct sz_tiles *const s = &h.s;
    const struct high_tile t = high_tile_of(&h);
    const struct high_slot slot = high_slot_of(&h);
    if (!t.is_there || !slot.note->is_good)
        return;
    const uint32_t first = slot.note->parts.first;
    const bool is_raw = first == ZTI_SZ_HIGH_RAW;
    const struct zti_sz_box box = high_box_of(s, t.number);
    const struct sz_tile tile = tile_of(s, t.number);
    bool is_good = true;
    if (!is_raw)
        make_integers(&h, &box, &slot, !(first & ZTI_SZ_HIGH_CODED));
    put_tile_values(&h, &box, &tile, &slot);
    if (!is_raw && (first & ZTI_SZ_HIGH_HAS_EXACT))
        is_good = put_exact_values(s, &tile, &slot.note->parts);
    if (threadIdx.x == 0 && !is_good)
        note_bad(s, t.chunk);
    if (threadIdx.x == 0 && is_good && t.is_last)
        note_end(s->states, t.chunk, s->count, slot.note->end, s->places[2 * t.chunk + 1]);
}

/* ---- launches ---- */

extern "C" uint64_t zti_sz_high_cuda_take_bytes(const struct zti_coding *coding)
{
    return simt_at_most(coding->grid.count, HIGH_BATCH) *
           high_slot_bytes(zti_sz_high_points(coding));
}

extern "C" void zti_sz_high_cuda_take(const struct sz_tiles *s, const struct zti_coding *coding,
                                      void *work, void *queue)
{
    const uint64_t tiles = s->grid.count;
    const unsigned slots = simt_at_most(tiles, HIGH_BATCH);
    struct sz_high_tiles h;
    memset(&h, 0, sizeof h);
    h.s = *s;
    h.slots = (uint8_t *)work;
    h.points = (uint32_t)zti_sz_high_points(coding);
    h.slot_bytes = high_slot_bytes(h.points);
    h.each = tiles < s->chunk_tiles ? tiles : s->chunk_tiles;
    for (; h.first < s->count * h.each; h.first += slots) {
        const uint64_t left = s->count * h.each - h.first;
        const unsigned blocks = simt_at_most(left, slots);
        SIMT_LAUNCH(high_take_symbols, blocks, 32, 0, queue, h);
        SIMT_LAUNCH(high_take_values, blocks, HIGH_THREADS, 0, queue, h);
    }
}
