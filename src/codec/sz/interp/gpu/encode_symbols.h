/* encode_symbols.h: kernel text of effort 'high': a block quantizes a tile's values and converts
 * them to symbols.
 *
 * The points of a band depend only on earlier bands, so each has a thread. Contexts depend on
 * magnitudes of the band itself, so they are computed after all of these. */
#ifndef ZTI_SZ_INTERP_GPU_ENCODE_SYMBOLS_H
#define ZTI_SZ_INTERP_GPU_ENCODE_SYMBOLS_H

#include "codec/sz/interp/gpu/finest_level.h"

enum { LEVEL_COUNTERS = (int)ZTI_SZ_HIGH_MAGNITUDES * (int)ZTI_SZ_HIGH_ALPHABET };

/* What kernels note for the next ones, at the beginning of a slot. The slot continues with the
 * box's integers and magnitudes, later overwritten by the bits that states emit; residuals, and
 * symbols with their models, in the order of coding; marks of exact values; and bytes. */
struct write_note {
    uint32_t symbols;  /* in all */
    uint32_t others;   /* symbols that are not 0 */
    uint32_t exact;    /* exact values */
    uint32_t is_whole; /* the finest level is coded too */
    uint32_t is_far;   /* the bound is not proven for all values */
    uint32_t state[ZTI_ANS_MANY];
};

struct encode_slot {
    struct write_note *note;
    int32_t *x, *q;
    uint8_t *magnitudes;
    uint16_t *emitted; /* bits, and above them their number */
    uint16_t *codes;   /* symbols, and above them their models */
    uint64_t *exact;
    uint32_t *out;
};

static inline struct high_places write_places_of(uint64_t points, uint32_t value_bytes)
{
    struct high_places p;
    memset(&p, 0, sizeof p);
    p.magnitudes = NOTE_BYTES + points * sizeof(int32_t);
    p.q = NOTE_BYTES + high_up(points * (sizeof(int32_t) + 1));
    p.codes = p.q + high_up(points * sizeof(int32_t));
    p.exact = p.codes + high_up(points * sizeof(uint16_t));
    p.out = p.exact + high_up(points / 8 + 64);
    p.bytes = p.out + high_up(value_bytes * points + 256);
    return p;
}

static __device__ __forceinline__ struct encode_slot encode_slot_of(const struct sz_high_tiles *h,
                                                                    uint64_t number)
{
    uint8_t *const at = h->slots + number * h->in_slot.bytes;
    struct encode_slot slot;
    slot.note = (struct write_note *)(void *)at;
    slot.x = (int32_t *)(void *)(at + NOTE_BYTES);
    slot.emitted = (uint16_t *)(void *)(at + NOTE_BYTES);
    slot.magnitudes = at + h->in_slot.magnitudes;
    slot.q = (int32_t *)(void *)(at + h->in_slot.q);
    slot.codes = (uint16_t *)(void *)(at + h->in_slot.codes);
    slot.exact = (uint64_t *)(void *)(at + h->in_slot.exact);
    slot.out = (uint32_t *)(void *)(at + h->in_slot.out);
    return slot;
}

static __device__ __forceinline__ uint32_t states_of(const struct write_note *note)
{
    return zti_sz_high_states(note->others);
}

static __device__ __forceinline__ const uint8_t *model_at(const struct sz_tiles *s, uint64_t at)
{
    return (const uint8_t *)s->model + at;
}

/* ---- integers ---- */

/* Flags of a value: it has no integer; it is too far from the centre to keep the bound without a
 * check. */
enum { HAS_NONE = 1, IS_FAR = 2 };

static __device__ __forceinline__ double number_at(const struct sz_tiles *s, const char *from)
{
    return s->type == ZT_F32 ? (double)*(const float *)(const void *)from
                             : *(const double *)(const void *)from;
}

/* A value's integer, and its flags. */
static __device__ __forceinline__ uint32_t integer_of(const struct sz_high_tiles *h,
                                                      const char *from, int32_t *x)
{
    const struct sz_tiles *const s = &h->s;
    if (s->sz.source == ZTI_SZ_STEPS) {
        const int64_t v = s->type == ZT_I32 ? *(const int32_t *)(const void *)from
                                            : *(const int64_t *)(const void *)from;
        *x = zti_sz_high_from_whole(v, s->sz.centre);
        return 0;
    }
    const double v = number_at(s, from);
    const double units = zti_sz_high_units(v, 1 / s->sz.step, (double)s->sz.centre);
    const bool has_one = zti_sz_high_has_integer(units);
    *x = has_one ? zti_sz_high_rint(units) : 0;
    return (has_one ? 0 : HAS_NONE) | (fabs(units) < h->farthest ? 0 : IS_FAR);
}

/* The place of a box in the array, and how many of its points along each axis are in memory: the
 * plane after a slab is not. */
struct box_place {
    const char *at;
    int64_t stride[4];
    uint32_t there[4];
};

static __device__ __forceinline__ struct box_place place_of_box(const struct sz_tiles *s,
                                                                const struct zti_sz_box *box)
{
    const uint32_t skip = 4 - s->grid.rank, bytes = value_bytes_of(s->type);
    struct box_place p;
    p.at = (const char *)s->view.out.data;
    SIMT_UNROLL
    for (uint32_t k = 0; k < 4; k++) {
        p.stride[k] = 0;
        p.there[k] = 1;
        if (k < skip)
            continue;
        p.stride[k] = s->view.out.stride[k - skip] * (int64_t)bytes;
        p.at += (int64_t)(box->origin[k] - s->view.lo[k - skip]) * p.stride[k];
        p.there[k] = simt_at_most(s->view.hi[k - skip] - box->origin[k], box->dim[k]);
    }
    return p;
}

/* The point with coordinates c, or NULL if it is not in memory. */
static __device__ __forceinline__ const char *point_in(const struct box_place *p, const uint32_t *c)
{
    bool is_there = true;
    SIMT_UNROLL
    for (uint32_t k = 0; k < 4; k++)
        is_there = is_there && c[k] < p->there[k];
    if (!is_there)
        return NULL;
    return p->at + c[0] * p->stride[0] + c[1] * p->stride[1] + c[2] * p->stride[2] +
           c[3] * p->stride[3];
}

/* Give values without an integer that of the value before. The first warp calls it; such tiles are
 * rare. */
static __device__ __forceinline__ void fill_gaps(const struct sz_high_tiles *h,
                                                 const struct zti_sz_box *box, int32_t *x)
{
    const uint32_t lane = threadIdx.x % 32, points = (uint32_t)box->points;
    const struct extents extents = extents_of(box->dim);
    const struct box_place place = place_of_box(&h->s, box);
    int32_t before = 0;
    for (uint32_t i = 0; i < points; i += 32) {
        uint32_t c[4];
        coordinates(&extents, i + lane, c);
        const char *const from = i + lane < points ? point_in(&place, c) : NULL;
        int32_t own = 0;
        const bool is_good = from && !(integer_of(h, from, &own) & HAS_NONE);
        const unsigned good = __ballot_sync(SIMT_ALL_LANES, is_good) & (0xffffffffu >> (31 - lane));
        const int last = good ? 31 - __clz((int)good) : 0;
        const int32_t found = __shfl_sync(SIMT_ALL_LANES, own, last);
        own = good ? found : before;
        before = __shfl_sync(SIMT_ALL_LANES, own, 31);
        if (i + lane < points)
            x[i + lane] = own;
    }
}

/* Quantize a box's values; store the integers with even coordinates along the axes 'interpolated'.
 * Returns the flags of the worst value: HAS_NONE, IS_FAR or 0. */
static __device__ __forceinline__ uint32_t gather_integers(const struct sz_high_tiles *h,
                                                           const struct zti_sz_box *box,
                                                           uint32_t interpolated, int32_t *x)
{
    const struct extents extents = extents_of(box->dim);
    const struct box_place place = place_of_box(&h->s, box);
    const uint32_t rows = box->dim[0] * box->dim[1] * box->dim[2];
    uint32_t is_not = 0;
    for (uint32_t row = threadIdx.x / 32; row < rows; row += HIGH_WARPS) {
        uint32_t c[4];
        row_coordinates(&extents, row, c);
        const char *const from = point_in(&place, c);
        const uint32_t odd =
            (c[0] & interpolated) | (c[1] & interpolated >> 1) | (c[2] & interpolated >> 2);
        const uint32_t at = place_in_box(box, c), there = from ? place.there[3] : 0;
        for (uint32_t k = threadIdx.x % 32; k < box->dim[3]; k += 3 * 32) {
            int32_t own[3] = {0, 0, 0}; /* the loads of all three are in flight together */
            SIMT_UNROLL
            for (uint32_t i = 0; i < 3; i++)
                if (k + 32 * i < there)
                    is_not |= integer_of(h, from + (k + 32 * i) * place.stride[3], &own[i]);
            SIMT_UNROLL
            for (uint32_t i = 0; i < 3; i++)
                if (k + 32 * i < box->dim[3] && ((odd | (k & interpolated >> 3)) & 1) == 0)
                    x[at + k + 32 * i] = own[i];
        }
    }
    const bool has_none = __syncthreads_or((int)(is_not & HAS_NONE));
    return has_none ? HAS_NONE : __syncthreads_or((int)is_not) ? IS_FAR : 0;
}

/* ---- residuals and symbols ---- */

/* Store the residual of symbol 'number' until its context is known. */
static __device__ __forceinline__ void store_residual(const struct encode_slot *slot,
                                                      uint32_t number, int32_t q)
{
    const uint32_t symbol = zti_sz_high_symbol(q);
    slot->codes[number] = (uint16_t)symbol;
    if (symbol >= ZTI_SZ_HIGH_DIRECT)
        slot->q[number] = q;
}

/* Give a symbol its context: store it with its model or, with 'counts', count it (256 counters for
 * each context of the level). Returns whether the symbol is not 0. */
static __device__ __forceinline__ bool assign_context(const struct sz_tiles *s,
                                                      const struct encode_slot *slot,
                                                      uint32_t number, uint32_t context,
                                                      uint32_t *counts)
{
    const uint8_t *const has = model_at(s, ZTI_SZ_HIGH_HAS_AT), *const model_of = model_at(s, 0);
    const uint32_t own = slot->codes[number];
    const bool is_there = has[context * (uint32_t)ZTI_SZ_HIGH_ALPHABET + own];
    const uint32_t symbol = is_there ? own : (uint32_t)ZTI_SZ_HIGH_ESCAPE;
    const uint32_t kind = context % ZTI_SZ_HIGH_MAGNITUDES;
    if (counts)
        (void)atomicAdd((unsigned *)counts + kind * (uint32_t)ZTI_SZ_HIGH_ALPHABET + symbol, 1u);
    else
        slot->codes[number] = (uint16_t)(symbol | (uint32_t)model_of[context] << 8);
    if (!is_there && own < ZTI_SZ_HIGH_DIRECT)
        slot->q[number] = zti_sz_high_residual(own, 0);
    return symbol != 0;
}

/* Quantize a point: it becomes the decoded integer; returns its magnitude. */
static __device__ __forceinline__ uint8_t quantize_point(const struct encode_slot *slot,
                                                         bool is_own, uint32_t number, int32_t *x,
                                                         uint32_t predicted, uint32_t step,
                                                         double per)
{
    int32_t q = 0;
    if (is_own) {
        q = zti_sz_high_nearest((int32_t)((uint32_t)*x - predicted), per);
        store_residual(slot, number, q);
    }
    *x = (int32_t)(predicted + (uint32_t)q * step);
    return zti_sz_high_magnitude(q);
}

/* Quantize all points of a band; its first symbol has number 'first'. */
static __device__ __forceinline__ void quantize_band(const struct sz_tiles *s,
                                                     const struct encode_slot *slot,
                                                     const struct high_band *b, uint32_t step,
                                                     uint32_t first)
{
    const bool is_linear = s->sz.tuning & ZTI_SZ_HIGH_LINEAR;
    const double per = 1.0 / step;
    const struct extents extents = extents_of(b->dim);
    const uint32_t n = points_in(b);
    for (uint32_t i = threadIdx.x; i < n; i += HIGH_THREADS) {
        uint32_t c[4];
        coordinates(&extents, i, c);
        const uint32_t at = point_at(b, c);
        const uint32_t predicted = predict(b, c, slot->x + at, is_linear);
        slot->magnitudes[at] = quantize_point(slot, is_own(b, c), first + number_in(b, c),
                                              slot->x + at, predicted, step, per);
    }
}

/* The sum of point c in a band's first row: contexts of four points use the magnitudes of the two
 * points before them. */
static __device__ __forceinline__ uint32_t add_two_before(uint32_t sum, uint32_t c,
                                                          const uint8_t *magnitudes, uint32_t step)
{
    const uint8_t *const four = magnitudes - (int64_t)(c % 4) * step;
    const uint32_t two = c < 4 ? 0 : (uint32_t)four[-(int64_t)step] + four[-2 * (int64_t)step];
    return zti_sz_high_first_row(sum, c < 4, two);
}

/* Load the table of neighbourhoods' kinds by sum / 16 to shared memory; valid after the next
 * barrier. */
static __device__ __forceinline__ const uint8_t *share_kinds(void)
{
    SIMT_SHARED(uint8_t, kinds, [HIGH_THREADS]);
    kinds[threadIdx.x] = zti_sz_high_context(16 * threadIdx.x, 0);
    return kinds;
}

/* A point's context; the magnitudes of its band must be complete. */
static __device__ __forceinline__ uint32_t context_of(const struct high_band *b, const uint32_t *c,
                                                      const uint8_t *magnitudes,
                                                      const uint8_t *kinds)
{
    uint32_t rows;
    const uint32_t before = sum_before(b, c, magnitudes, &rows);
    uint32_t sum = sum_neighbourhood(b, sum_between(b, c, magnitudes), before, rows);
    if (rows == 0)
        sum = add_two_before(sum, c[3], magnitudes, b->step[3]);
    return zti_sz_high_first_context(b->depth) + kinds[sum / 16];
}

/* Give the coded points of a band their contexts. Returns the calling thread's number of symbols
 * that are not 0. */
static __device__ __forceinline__ uint32_t assign_contexts(const struct sz_tiles *s,
                                                           const struct encode_slot *slot,
                                                           const struct high_band *b,
                                                           uint32_t first, const uint8_t *kinds,
                                                           uint32_t *counts)
{
    const struct extents extents = extents_of(b->own);
    const uint32_t n = own_points_in(b);
    uint32_t others = 0;
    for (uint32_t i = threadIdx.x; i < n; i += HIGH_THREADS) {
        uint32_t c[4];
        coordinates(&extents, i, c);
        const uint32_t context = context_of(b, c, slot->magnitudes + point_at(b, c), kinds);
        others += assign_context(s, slot, first + i, context, counts);
    }
    return others;
}

/* Add a block's counts of a level to those of all blocks, and clear them. Each level has contexts
 * of its own. */
static __device__ __forceinline__ void add_level(const struct sz_tiles *s, uint32_t depth,
                                                 uint32_t *counts)
{
    uint64_t *const all = s->counts + depth * (uint32_t)LEVEL_COUNTERS;
    for (uint32_t i = threadIdx.x; i < LEVEL_COUNTERS; i += HIGH_THREADS) {
        if (counts[i] > 0)
            (void)atomicAdd((unsigned long long *)all + i, (unsigned long long)counts[i]);
        counts[i] = 0;
    }
}

/* Encode a box's integers as symbols, from the coarsest level to level 'last'. *symbols: their
 * number; returns the calling thread's number of symbols that are not 0. 'counts': see
 * assign_context; zeros before and after. */
static __device__ __forceinline__ uint32_t code_levels(const struct sz_high_tiles *h,
                                                       const struct zti_sz_box *box,
                                                       const struct encode_slot *slot,
                                                       uint32_t last, uint32_t *counts,
                                                       uint32_t *symbols)
{
    const struct sz_tiles *const s = &h->s;
    const uint32_t axes = high_axes(s);
    const uint8_t *const kinds = share_kinds();
    uint32_t others = 0;
    *symbols = 0;
    copy_coarse(h, box, slot->x, slot->magnitudes, threadIdx.x, HIGH_THREADS);
    for (uint32_t level = zti_sz_high_distance(axes); level-- > last;) {
        const uint32_t step = zti_sz_high_step(&s->sz, level + 1);
        for (uint32_t odd = zti_sz_high_next_band(axes, 0); odd != 0;
             odd = zti_sz_high_next_band(axes, odd)) {
            const struct high_band b = high_band_of(box, axes, level, odd);
            __syncthreads();
            quantize_band(s, slot, &b, step, *symbols);
            __syncthreads();
            others += assign_contexts(s, slot, &b, *symbols, kinds, counts);
            *symbols += own_points_in(&b);
        }
        if (counts) {
            __syncthreads();
            add_level(s, zti_sz_high_depth(level + 1), counts);
        }
    }
    return others;
}

/* ---- values that do not keep the bound ---- */

static __device__ __forceinline__ bool keeps_bound(const struct sz_tiles *s, const char *from,
                                                   int32_t x)
{
    const double y = zti_sz_high_number(x, (double)s->sz.centre, s->sz.step);
    return zti_sz_high_is_near(number_at(s, from), s->type == ZT_F32 ? (double)(float)y : y,
                               s->sz.bound);
}

/* Mark value i of a tile as exact. */
static __device__ __forceinline__ void note_exact(const struct encode_slot *slot, uint32_t i)
{
    simt_or(slot->exact + i / 64, UINT64_C(1) << i % 64);
    (void)atomicAdd((unsigned *)&slot->note->exact, 1u);
}

static __device__ __forceinline__ void find_exact(const struct sz_tiles *s,
                                                  const struct zti_sz_box *box,
                                                  const struct sz_tile *t,
                                                  const struct encode_slot *slot)
{
    const struct extents extents = extents_of(box->own);
    for (uint32_t i = threadIdx.x; i < t->n && s->sz.source == ZTI_SZ_LATTICE; i += HIGH_THREADS) {
        uint32_t c[4];
        coordinates(&extents, i, c);
        if (!keeps_bound(s, value_at(s, t, i), slot->x[place_in_box(box, c)]))
            note_exact(slot, i);
    }
}

/* ---- the finest level: some planes at a time ---- */

/* Quantize a part's integers, except those of the coarser level. */
static __device__ __forceinline__ void finest_gather(const struct finest *b,
                                                     const struct finest_part *part)
{
    const uint32_t rows = finest_rows(b, part, false);
    const int64_t stride = b->facts->stride[0];
    for (uint32_t i = threadIdx.x / 32; i < rows; i += HIGH_WARPS) {
        const struct finest_row r = finest_row_of(b, part, false, i);
        const uint32_t dim = r.is_even && !(b->interpolated & 1) ? 0 : b->dim[0];
        const uint32_t each = r.is_even ? 2 : 1, first = threadIdx.x % 32 * each + each - 1;
        const char *from = r.at + first * stride;
        for (uint32_t k = first; k < dim; k += 32 * each, from += 32 * each * stride) {
            int32_t own = 0;
            if (k < r.last)
                (void)integer_of(b->h, from, &own);
            r.x[k] = own;
        }
    }
}

static __device__ __forceinline__ void finest_quantize_band(const struct finest *b,
                                                            const struct finest_part *part,
                                                            uint32_t odd,
                                                            const struct encode_slot *slot)
{
    if (odd & ~b->interpolated)
        return;
    const uint32_t is_odd = odd >> 2;
    const struct finest_band band = finest_band_of(b, odd, part->from[is_odd], part->to[is_odd]);
    const double per = 1.0 / b->step;
    for (uint32_t i = threadIdx.x; i < band.n; i += HIGH_THREADS) {
        const struct finest_point p = finest_point_of(b, &band, odd, i);
        const uint32_t predicted = finest_predict(b, &p, odd);
        finest_magnitudes(b, is_odd, p.c[2])[p.at] =
            quantize_point(slot, p.is_own, p.number, p.x, predicted, b->step, per);
    }
}

/* As context_of. */
static __device__ __forceinline__ uint32_t finest_context_of(const struct finest *b,
                                                             const struct finest_point *p,
                                                             uint32_t odd, const uint8_t *kinds)
{
    const uint32_t apart = b->dim[0], j = p->c[2], is_odd = odd >> 2;
    const uint32_t x_step = b->interpolated & 1 ? 2 : 1,
                   y_step = (b->interpolated >> 1 & 1 ? 2 : 1) * apart;
    const uint8_t *const own = finest_magnitudes(b, is_odd, j) + p->at;
    uint32_t between = 0, before = 0;
    if (odd & 1)
        between += own[-1] + own[p->c[0] + 1 < b->of[0] ? 1 : -1];
    if (odd & 2)
        between +=
            own[-(int64_t)apart] + own[p->c[1] + 1 < b->of[1] ? (int64_t)apart : -(int64_t)apart];
    if (odd & 4)
        between += finest_magnitudes(b, 0, j)[p->at] +
                   finest_magnitudes(b, 0, j + (j + 1 < b->of[2]))[p->at];
    before += p->c[1] > 0 ? own[-(int64_t)y_step] : 0;
    before += j > 0 ? finest_magnitudes(b, is_odd, j - 1)[p->at] : 0;
    const uint32_t rows = (p->c[1] > 0) + (j > 0), c = p->c[0];
    uint32_t sum =
        ZTI_SZ_HIGH_NEIGHBOURHOOD(uint32_t, between, zti_sz_high_axes_count(odd), before, rows);
    if (rows == 0)
        sum = add_two_before(sum, c, own, x_step);
    return kinds[sum / 16];
}

static __device__ __forceinline__ uint32_t
finest_assign_contexts(const struct finest *b, const struct finest_part *part, uint32_t odd,
                       const struct encode_slot *slot, const uint8_t *kinds, uint32_t *counts)
{
    if (odd & ~b->interpolated)
        return 0;
    const uint32_t is_odd = odd >> 2;
    const struct finest_band band = finest_band_of(b, odd, part->from[is_odd], part->to[is_odd]);
    uint32_t others = 0;
    for (uint32_t i = threadIdx.x; i < band.n; i += HIGH_THREADS) {
        const struct finest_point p = finest_point_of(b, &band, odd, i);
        if (p.is_own)
            others += assign_context(&b->h->s, slot, p.number, finest_context_of(b, &p, odd, kinds),
                                     counts);
    }
    return others;
}

/* Mark the values of a part that do not keep the bound. */
static __device__ __forceinline__ void finest_find_exact(const struct finest *b,
                                                         const struct finest_part *part,
                                                         const struct encode_slot *slot)
{
    const struct sz_tiles *const s = &b->h->s;
    const uint32_t rows = s->sz.source == ZTI_SZ_LATTICE ? finest_rows(b, part, true) : 0;
    const int64_t stride = b->facts->stride[0];
    for (uint32_t i = threadIdx.x / 32; i < rows; i += HIGH_WARPS) {
        const struct finest_row r = finest_row_of(b, part, true, i);
        if (r.z >= b->own[2])
            continue;
        for (uint32_t k = threadIdx.x % 32; k < b->own[0]; k += 32)
            if (!keeps_bound(s, r.at + k * stride, r.x[k]))
                note_exact(slot, (r.z * b->own[1] + r.y) * b->own[0] + k);
    }
}

/* The block's slot, computed again, so that no register holds it meanwhile. */
static __device__ __forceinline__ struct encode_slot
reload_encode_slot(const struct sz_high_tiles *h)
{
    uint32_t number = blockIdx.x;
    simt_anew(number);
    return encode_slot_of(h, number);
}

/* Encode the finest level of a box whose other levels are coded; as code_levels. *symbols: their
 * number before and after. */
static __device__ __forceinline__ uint32_t code_finest_level(const struct sz_high_tiles *h,
                                                             const struct zti_sz_box *box,
                                                             uint32_t *counts, uint32_t *symbols)
{
    SIMT_SHARED_DYNAMIC(int32_t, memory);
    SIMT_SHARED(struct finest_facts, facts, );
    struct finest b = finest_of(h, box, &facts, memory);
    struct finest_part part = {{0, 0}, {0, 0}};
    const uint8_t *const kinds = share_kinds();
    uint32_t others = 0;
    if (threadIdx.x == 0)
        *symbols = finest_find_facts(&b, *symbols);
    while (finest_next(&b, &part)) {
        const struct encode_slot from = reload_encode_slot(h);
        __syncthreads();
        finest_gather(&b, &part);
        finest_load(&b, &part, from.x, from.magnitudes);
        __syncthreads();
        const struct encode_slot slot = reload_encode_slot(h);
        SIMT_UNROLL
        for (uint32_t odd = 1; odd < 5; odd *= 2)
            finest_quantize_band(&b, &part, odd, &slot);
        __syncthreads();
        finest_quantize_band(&b, &part, 3, &slot);
        finest_quantize_band(&b, &part, 5, &slot);
        finest_quantize_band(&b, &part, 6, &slot);
        simt_order_block(); /* without band 7, one of these two barriers would do */
        finest_quantize_band(&b, &part, 7, &slot);
        simt_order_block();
        const struct encode_slot to = reload_encode_slot(h);
        SIMT_UNROLL
        for (uint32_t odd = 1; odd < 8; odd++)
            others += finest_assign_contexts(&b, &part, odd, &to, kinds, counts);
        if (!counts && to.note->is_far)
            finest_find_exact(&b, &part, &to);
    }
    if (counts) {
        __syncthreads();
        add_level(&h->s, 0, counts);
    }
    return others;
}

/* Encode a box's values as symbols: all levels if the finest one does not fit shared memory, or if
 * a value has no integer; else all but the finest, which code_finest_level encodes. */
static __device__ __forceinline__ uint32_t code_box(const struct sz_high_tiles *h,
                                                    const struct zti_sz_box *box,
                                                    const struct encode_slot *slot,
                                                    uint32_t *counts, uint32_t *symbols)
{
    const bool has_finest = h->finest_each > 0;
    const uint32_t is_not = gather_integers(h, box, has_finest ? high_axes(&h->s) : 0, slot->x);
    const bool is_bad = is_not & HAS_NONE, is_whole = !has_finest || is_bad;
    if (threadIdx.x == 0) {
        slot->note->is_whole = is_whole;
        slot->note->is_far = is_not != 0;
    }
    if (is_bad) { /* few tiles are */
        if (has_finest)
            (void)gather_integers(h, box, 0, slot->x);
        if (threadIdx.x < 32)
            fill_gaps(h, box, slot->x);
        __syncthreads();
    }
    return code_levels(h, box, slot, !is_whole, counts, symbols);
}

#endif
