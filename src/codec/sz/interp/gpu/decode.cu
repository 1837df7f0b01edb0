/* decode.cu: tiles of effort 'high' to values, in four kernels.
 *
 * high_decode_symbols: a symbol depends on the ANS states after the symbols before it, and on a
 * context made from magnitudes before it, but on no integer. So a warp decodes the symbols of a
 * tile first, a lane for each symbol of a row. Other warps add up what contexts take from earlier
 * bands.
 * high_decode_levels: a block for each tile reads the open bits of symbols, then predicts band
 * after band, a thread for each point, since a band depends on earlier bands only.
 * high_decode_values: the finest level in shared memory, and values to the view; or raw values.
 * high_decode_exact: exact values over the others, and the check of where chunks end. */
#include "codec/sz/interp/gpu/points.h"
#include "codec/sz/runs.h"
#include "codec/sz/interp/gpu/finest_level.h"
#include "codec/sz/interp/gpu/decode_symbols.h"

/* ---- which tile ---- */

/* Find a tile's parts: the lengths of the tiles before it in its chunk tell its place. One
 * thread. */
static __device__ __forceinline__ bool
find_parts(const struct sz_high_tiles *h, const struct sz_numbered *t, struct high_note *note)
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
    const struct zti_bit_reader r = {s->words, s->words_count,
                                     (uint64_t)(at - (const uint8_t *)(const void *)s->words) * 8};
    return r;
}

/* ---- symbols: a warp for each tile, and helping warps (interp/gpu/decode_symbols.h) ---- */

/* Load the tables of the first models to shared memory, for all warps of a block. */
static __device__ __forceinline__ struct ans_tables share_tables(const struct sz_high_tiles *h,
                                                                 struct decode_memory *sh)
{
    const uint8_t *const model_of = (const uint8_t *)h->s.model;
    uint32_t *const near = (uint32_t *)(void *)(sh + 1);
    struct ans_tables tables;
    tables.near = (const uint32_t *)simt_in_shared(near);
    tables.far = (const uint32_t *)(const void *)(model_of + ZTI_SZ_HIGH_TABLES_AT);
    tables.near_entries = h->near_models * (uint32_t)ZTI_SZ_HIGH_STATES;
    for (uint32_t i = 4 * threadIdx.x; i < tables.near_entries; i += 4 * blockDim.x) {
        uint32_t four[4];
        simt_load_16(four, tables.far + i);
        simt_store_16(near + i, four);
    }
    for (uint32_t i = threadIdx.x; i < NEIGHBOURHOODS; i += blockDim.x)
        sh->model[i] = model_of[zti_sz_high_context(i % SUMS * 16, i / SUMS)];
    return tables;
}

/* Decode a band, by the text compiled for its number of states and for where the tables are. */
static __device__ __forceinline__ void decode_any_band(const struct sz_high_tiles *h,
                                                       struct decoder *t, const struct high_band *b,
                                                       bool is_many)
{
    const uint32_t *const far = t->tables.far;
    if (is_many && h->near_models == h->models) {
        t->tables.far = NULL;
        decode_band(t, b, ZTI_ANS_MANY);
    } else if (is_many) {
        decode_band(t, b, ZTI_ANS_MANY);
    } else {
        decode_band(t, b, ZTI_ANS_FEW);
    }
    t->tables.far = far;
}

/* Decode the symbols of a block's tiles, all tiles band by band. Meanwhile helping warps sum the
 * next band, if its points lie between none of this band's. has_codes: whether the calling thread's
 * tile has symbols. Returns, in the tile's first warp, whether the states end where they must. */
static __device__ __forceinline__ bool read_codes(const struct sz_high_tiles *h,
                                                  const struct sz_numbered *tile, bool has_codes,
                                                  struct decoder *t, uint32_t *window)
{
    const struct zti_sz_parts *const parts = &t->slot.note->parts;
    const uint32_t axes = high_axes(&h->s), helper = helper_number(h);
    const bool is_decoder = __any_sync(SIMT_ALL_LANES, has_codes && helper < 32);
    const bool is_many = __any_sync(
        SIMT_ALL_LANES, is_decoder && zti_sz_high_states_in(parts->first) == ZTI_ANS_MANY);
    const uint32_t states = is_many ? ZTI_ANS_MANY : ZTI_ANS_FEW;
    bool is_good = true, is_made = false; /* the sums of the next band */
    uint32_t first = 0;
    struct zti_sz_box box;
    struct zti_bit_reader in = {NULL, 0, 0};
    memset(&box, 0, sizeof box);
    if (has_codes) {
        box = high_box_of(&h->s, tile->number);
        in = reader_from(&h->s, parts->codes);
        clear_magnitudes(&box, t->slot.magnitudes, helper, h->helpers);
    }
    __syncthreads();
    if (has_codes)
        copy_coarse(h, &box, NULL, t->slot.magnitudes, helper, h->helpers);
    t->extras = reader_from(&h->s, parts->extras);
    if (is_decoder)
        is_good = warp_states_begin(&t->codes, &in, states, window);
    for (uint32_t level = zti_sz_high_distance(axes); level-- > 0;)
        for (uint32_t odd = zti_sz_high_next_band(axes, 0); odd != 0;
             odd = zti_sz_high_next_band(axes, odd)) {
            const struct high_band b = high_band_of(&box, axes, level, odd);
            __syncthreads();
            if (!is_made) {
                if (has_codes)
                    sum_earlier_bands(&b, &t->slot, first, helper, h->helpers);
                __syncthreads();
            }
            const uint32_t next = zti_sz_high_next_band(axes, odd);
            is_made = h->helpers > 32 && next != 0 && (next & odd) != odd;
            if (is_decoder)
                decode_any_band(h, t, &b, is_many);
            else if (is_made && has_codes) {
                const struct high_band behind = high_band_of(&box, axes, level, next);
                sum_earlier_bands(&behind, &t->slot, first + own_points_in(&b), helper - 32,
                                  h->helpers - 32);
            }
            first += own_points_in(&b);
        }
    if (is_decoder)
        is_good &= warp_states_end_at(&t->codes, states, in.at + 8 * parts->code_bytes);
    return is_good;
}

SIMT_KERNEL void __launch_bounds__(TAKE_THREADS, 1)
    high_decode_symbols(const struct sz_high_tiles h)
{
    SIMT_SHARED_DYNAMIC(struct decode_memory, sh);
    const uint32_t own = tile_of_warp(&h);
    const uint32_t number = blockIdx.x * h.decoders + own;
    const struct sz_numbered tile = sz_numbered_of(&h.s, &h.batch, number);
    const bool is_there = number < h.batch.count && tile.is_there;
    struct decoder t;
    memset(&t, 0, sizeof t);
    t.slot = high_slot_of(&h, is_there ? number : 0);
    t.slot.magnitudes = (uint8_t *)simt_in_global(t.slot.magnitudes);
    t.slot.symbols = (uint8_t *)simt_in_global(t.slot.symbols);
    t.slot.sums = (uint16_t *)simt_in_global(t.slot.sums);
    t.tables = share_tables(&h, sh);
    t.model = (const uint8_t *)simt_in_shared(sh->model);
    if (is_there && helper_number(&h) == 0)
        t.slot.note->is_good = find_parts(&h, &tile, t.slot.note);
    __syncthreads();
    const bool is_found = is_there && t.slot.note->is_good;
    const uint32_t first = is_found ? t.slot.note->parts.first : (uint32_t)ZTI_SZ_HIGH_RAW;
    const bool has_codes = first != ZTI_SZ_HIGH_RAW && (first & ZTI_SZ_HIGH_CODED);
    const bool is_good =
        read_codes(&h, &tile, has_codes, &t, (uint32_t *)simt_in_shared(sh->window[own])) &&
        is_found;
    if (is_there && helper_number(&h) == 0) {
        t.slot.note->symbols = has_codes ? t.taken : 0;
        t.slot.note->is_good = is_good;
        if (!is_good)
            note_bad(&h.s, tile.chunk);
    }
}

/* ---- values: a block for each tile ---- */

/* The open bits of the first n of four symbols (a byte each), added up. */
static __device__ __forceinline__ uint32_t open_bits_of_four(uint32_t four, uint32_t n)
{
    const uint32_t each = 0x01010101;
    return zti_sz_high_open_bits_of(four & (n < 4 ? (1u << 8 * n) - 1 : ~0u), each) * each >> 24;
}

/* Read the residuals of those of the first n symbols of a word that leave bits open; these bits
 * begin at 'at'. */
static __device__ __forceinline__ void read_open_of_four(const struct zti_bit_reader *at,
                                                         uint32_t four, uint32_t n, int32_t *q)
{
    struct zti_bit_reader r = *at;
    uint64_t ahead = zti_peek_bits(&r);
    uint32_t left = 64;
    SIMT_UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t symbol = four >> 8 * i & 255, bits = zti_sz_high_open_bits(symbol);
        if (i >= n || bits == 0)
            continue;
        if (left < bits) {
            r.at += 64 - left;
            ahead = zti_peek_bits(&r);
            left = 64;
        }
        q[i] = zti_sz_high_residual(symbol, (uint32_t)(ahead & ((UINT64_C(1) << bits) - 1)));
        ahead >>= bits;
        left -= bits;
    }
}

/* Read the residuals of all symbols that leave bits open. A warp has a part of the symbols, a lane
 * four at a time; the sums of the parts before tell where its bits begin. False if the tile has too
 * few bits. */
static __device__ __forceinline__ bool read_open(const struct sz_tiles *s,
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
    bits = simt_reduce_add(bits);
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
        if (own > 0)
            read_open_of_four(&r, four, to - i, slot->q + i);
    }
    return all <= 8 * parts->extra_bytes;
}

/* The residual of symbol 'number', or 0 if there are no symbols. */
static __device__ __forceinline__ uint32_t residual_of(const struct high_slot *slot, bool has_one,
                                                       uint32_t number)
{
    const uint32_t symbol = has_one ? slot->symbols[number] : 0;
    return (uint32_t)(symbol < ZTI_SZ_HIGH_DIRECT ? zti_sz_high_residual(symbol, 0)
                                                  : slot->q[number]);
}

/* Symbols to the integers of the coarse levels down to level 'last'; is_zero: all residuals are 0.
 * Returns the number of these symbols. */
static __device__ __forceinline__ uint32_t make_integers(const struct sz_high_tiles *h,
                                                         const struct zti_sz_box *box,
                                                         const struct high_slot *slot, bool is_zero,
                                                         uint32_t last)
{
    const struct sz_tiles *const s = &h->s;
    const uint32_t axes = high_axes(s);
    const bool is_linear = s->sz.tuning & ZTI_SZ_HIGH_LINEAR;
    uint32_t first = 0; /* of a band's symbols */
    copy_coarse(h, box, slot->x, NULL, threadIdx.x, HIGH_THREADS);
    for (uint32_t level = zti_sz_high_distance(axes); level-- > last;) {
        const uint32_t step = zti_sz_high_step(&s->sz, level + 1);
        for (uint32_t odd = zti_sz_high_next_band(axes, 0); odd != 0;
             odd = zti_sz_high_next_band(axes, odd)) {
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

/* Store the value of an integer. */
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

/* Write a tile's values to the view, from its integers or from raw values. */
static __device__ __forceinline__ void store_tile_values(const struct sz_high_tiles *h,
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
            store_bits(s, to, zti_get_bits(&r, value_bits));
            continue;
        }
        uint32_t c[4];
        coordinates(&extents, i, c);
        store_value(s, to, slot->x[place_in_box(box, c)]);
    }
}

/* ---- the finest level, and values: some planes at a time ---- */

static __device__ __forceinline__ void finest_decode_band(const struct finest *b,
                                                          const struct finest_part *part,
                                                          uint32_t odd,
                                                          const struct high_slot *slot)
{
    if (odd & ~b->interpolated)
        return;
    const uint32_t is_odd = odd >> 2;
    const struct finest_band band = finest_band_of(b, odd, part->from[is_odd], part->to[is_odd]);
    for (uint32_t i = threadIdx.x; i < band.n; i += HIGH_THREADS) {
        const struct finest_point p = finest_point_of(b, &band, odd, i);
        const uint32_t q = residual_of(slot, !b->is_zero && p.is_own, p.number);
        *p.x = (int32_t)(finest_predict(b, &p, odd) + q * b->step);
    }
}

static __device__ __forceinline__ void finest_store_values(const struct finest *b,
                                                           const struct finest_part *part)
{
    const uint32_t rows = finest_rows(b, part, true);
    const int64_t stride = b->facts->stride[0];
    for (uint32_t i = threadIdx.x / 32; i < rows; i += HIGH_WARPS) {
        const struct finest_row r = finest_row_of(b, part, true, i);
        const uint32_t last = r.z < b->own[2] ? simt_at_most(r.last, b->own[0]) : 0;
        const uint32_t first = r.first + threadIdx.x % 32;
        char *to = r.at + first * stride;
        for (uint32_t k = first; k < last; k += 32, to += 32 * stride)
            store_value(&b->h->s, to, r.x[k]);
    }
}

/* Decode the finest level of a tile and write its values. 'taken' symbols belong to the other
 * levels, whose integers are in the slot. */
static __device__ __forceinline__ void decode_finest_level(const struct sz_high_tiles *h,
                                                           const struct zti_sz_box *box,
                                                           const struct high_slot *slot,
                                                           bool is_zero, uint32_t taken)
{
    SIMT_SHARED_DYNAMIC(int32_t, memory);
    SIMT_SHARED(struct finest_facts, facts, );
    struct finest b = finest_of(h, box, &facts, memory);
    struct finest_part part = {{0, 0}, {0, 0}};
    b.is_zero = is_zero;
    if (threadIdx.x == 0)
        (void)finest_find_facts(&b, taken);
    while (finest_next(&b, &part)) {
        __syncthreads();
        finest_load(&b, &part, slot->x, NULL);
        __syncthreads();
        finest_decode_band(&b, &part, 1, slot);
        finest_decode_band(&b, &part, 2, slot);
        finest_decode_band(&b, &part, 4, slot);
        __syncthreads();
        finest_decode_band(&b, &part, 3, slot);
        finest_decode_band(&b, &part, 5, slot);
        finest_decode_band(&b, &part, 6, slot);
        if (b.interpolated == 7) {
            __syncthreads();
            finest_decode_band(&b, &part, 7, slot);
        }
        __syncthreads();
        finest_store_values(&b, &part);
    }
}

/* The exact values among 4096 values of a tile. */
struct exact_marks {
    uint64_t bits[EXACT_WORDS];
    uint32_t before[EXACT_WORDS];
    uint64_t at, next; /* bits of the stream: the values begin, and end */
    bool is_good;
};

static __device__ __forceinline__ void read_exact_marks(const struct sz_tiles *s, uint32_t n,
                                                        uint64_t at, uint64_t end,
                                                        struct exact_marks *m)
{
    struct zti_bit_reader r = {s->words, s->words_count, at};
    uint32_t all, count = 0;
    m->is_good = read_exact(&r, end, n, value_bytes_of(s->type), m->bits, &all);
    for (uint32_t i = 0; i < EXACT_WORDS; i++) {
        m->before[i] = count;
        count += (uint32_t)__popcll(m->bits[i]);
    }
    m->at = r.at;
    m->next = r.at + (uint64_t)count * 8 * value_bytes_of(s->type);
}

/* Write the exact values of a tile; false if they are damaged. */
static __device__ __forceinline__ bool write_exact_values(const struct sz_tiles *s,
                                                          const struct sz_tile *t,
                                                          const struct zti_sz_parts *parts)
{
    SIMT_SHARED(struct exact_marks, marks, [2]); /* one is read while the other is written */
    const uint64_t end = reader_from(s, parts->exact_end).at;
    const uint32_t value_bits = 8 * value_bytes_of(s->type);
    uint64_t at = reader_from(s, parts->exact).at;
    bool is_good = true;
    for (uint32_t first = 0; first < t->n && is_good; first += ZTI_SZ_TILE_VALUES) {
        struct exact_marks *const m = &marks[first / ZTI_SZ_TILE_VALUES % 2];
        const uint32_t left = t->n - first;
        const uint32_t n = simt_at_most(left, ZTI_SZ_TILE_VALUES);
        if (threadIdx.x == 0)
            read_exact_marks(s, n, at, end, m);
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
                store_bits(s, to, zti_get_bits(&r, value_bits));
        }
    }
    return is_good && at == end;
}

/* All levels, or all but the finest if the next kernel decodes that. */
SIMT_KERNEL void SIMT_BOUNDS(HIGH_THREADS, 3) high_decode_levels(const struct sz_high_tiles h)
{
    const struct sz_numbered t = sz_numbered_of(&h.s, &h.batch, blockIdx.x);
    const struct high_slot slot = high_slot_of(&h, blockIdx.x);
    if (!t.is_there || !slot.note->is_good || slot.note->parts.first == ZTI_SZ_HIGH_RAW)
        return;
    const struct zti_sz_box box = high_box_of(&h.s, t.number);
    const bool is_zero = !(slot.note->parts.first & ZTI_SZ_HIGH_CODED);
    if (!is_zero && !read_open(&h.s, &slot)) { /* the same in all threads */
        __syncthreads();
        if (threadIdx.x == 0) {
            slot.note->is_good = 0;
            note_bad(&h.s, t.chunk);
        }
        return;
    }
    const uint32_t taken = make_integers(&h, &box, &slot, is_zero, h.finest_each > 0);
    if (threadIdx.x == 0)
        slot.note->taken = taken;
}

SIMT_KERNEL void SIMT_BOUNDS(HIGH_THREADS, 3) high_decode_values(const struct sz_high_tiles h)
{
    const struct sz_numbered t = sz_numbered_of(&h.s, &h.batch, blockIdx.x);
    const struct high_slot slot = high_slot_of(&h, blockIdx.x);
    if (!t.is_there || !slot.note->is_good)
        return;
    const uint32_t first = slot.note->parts.first;
    const struct zti_sz_box box = high_box_of(&h.s, t.number);
    if (first != ZTI_SZ_HIGH_RAW && h.finest_each > 0) {
        decode_finest_level(&h, &box, &slot, !(first & ZTI_SZ_HIGH_CODED),
                            (uint32_t)slot.note->taken);
        return;
    }
    const struct sz_tile tile = tile_of(&h.s, t.number);
    store_tile_values(&h, &box, &tile, &slot);
}

/* Exact values replace others; the last tile of a chunk notes where the chunk ends. */
SIMT_KERNEL void SIMT_BOUNDS(HIGH_THREADS, 3) high_decode_exact(const struct sz_high_tiles h)
{
    const struct sz_tiles *const s = &h.s;
    const struct sz_numbered t = sz_numbered_of(&h.s, &h.batch, blockIdx.x);
    const struct high_slot slot = high_slot_of(&h, blockIdx.x);
    if (!t.is_there || !slot.note->is_good)
        return;
    const uint32_t first = slot.note->parts.first;
    bool is_good = true;
    if (first != ZTI_SZ_HIGH_RAW && (first & ZTI_SZ_HIGH_HAS_EXACT)) {
        const struct sz_tile tile = tile_of(s, t.number);
        is_good = write_exact_values(s, &tile, &slot.note->parts);
    }
    if (threadIdx.x == 0 && !is_good)
        note_bad(s, t.chunk);
    if (threadIdx.x == 0 && is_good && t.is_last)
        note_end(s->states, t.chunk, s->count, slot.note->end, s->places[2 * t.chunk + 1]);
}

/* ---- launches ---- */

/* The number of models whose tables fit the shared memory of a block. */
static unsigned models_in_shared(void)
{
    const size_t most = simt_shared_most(), table = sizeof(uint32_t) * ZTI_SZ_HIGH_STATES;
    const size_t own = sizeof(struct decode_memory);
    return most > own ? simt_at_most((most - own) / table, NEAR_MODELS) : 0;
}

extern "C" uint64_t zti_sz_high_cuda_decode_bytes(const struct zti_coding *coding)
{
    return high_batch(coding, TAKE_BATCH) * high_places_of(zti_sz_high_points(coding)).bytes;
}

extern "C" void zti_sz_high_cuda_decode(const struct sz_tiles *s, const struct zti_coding *coding,
                                        void *work, void *queue)
{
    const uint64_t tiles = s->grid.count;
    const unsigned slots = high_batch(coding, TAKE_BATCH);
    struct sz_high_tiles h;
    memset(&h, 0, sizeof h);
    h.s = *s;
    h.slots = (uint8_t *)work;
    h.points = (uint32_t)zti_sz_high_points(coding);
    h.in_slot = high_places_of(h.points);
    h.batch.each = tiles < s->chunk_tiles ? tiles : s->chunk_tiles;
    h.models = zti_sz_high_models(coding);
    h.near_models = simt_at_most(h.models, models_in_shared());
    finest_choose_sizes(&h, coding, false);
    const size_t shared =
        sizeof(struct decode_memory) + h.near_models * sizeof(uint32_t) * ZTI_SZ_HIGH_STATES;
    for (; h.batch.first < s->count * h.batch.each; h.batch.first += slots) {
        const uint64_t left = s->count * h.batch.each - h.batch.first;
        h.batch.count = simt_at_most(left, slots);
        h.decoders = high_decoders(h.batch.count);
        h.helpers = 32 * simt_at_most(TAKE_THREADS / 32 / h.decoders, 4);
        SIMT_LAUNCH(high_decode_symbols, (h.batch.count + h.decoders - 1) / h.decoders,
                    h.helpers * h.decoders, shared, queue, h);
        SIMT_LAUNCH(high_decode_levels, h.batch.count, HIGH_THREADS, 0, queue, h);
        SIMT_LAUNCH(high_decode_values, h.batch.count, HIGH_THREADS, h.finest_bytes, queue, h);
        SIMT_LAUNCH(high_decode_exact, h.batch.count, HIGH_THREADS, 0, queue, h);
    }
}
