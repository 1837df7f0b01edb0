/* points.h: kernel text of effort 'high': the places of the points of a tile's box, and their
 * prediction.
 *
 * The integers of all levels stay in the box in C order: a point's neighbours are a power of two of
 * points away along an axis, and nothing is moved to bands. */
#ifndef ZTI_SZ_INTERP_GPU_POINTS_H
#define ZTI_SZ_INTERP_GPU_POINTS_H

#include "codec/sz/gpu/batch.h"
#include "codec/sz/interp/spec.h"

enum {
    HIGH_THREADS = 256,
    HIGH_WARPS = HIGH_THREADS / 32,
    HIGH_MOST_DECODERS = 16,
    NOTE_BYTES = 256
};

/* What is where in a slot, in bytes; to decode symbols, to encode the last three. */
struct high_places {
    uint64_t q, magnitudes, symbols, codes, exact, out;
    uint64_t bytes; /* of a slot */
};

/* What kernels are given. To decode, tiles are numbered as they are in the chunks wanted, 'each' a
 * chunk; to encode, from first_tile on, and 'each' is all. Those of a batch have a slot each. */
struct sz_high_tiles {
    struct sz_tiles s;
    uint8_t *slots;
    struct high_places in_slot;
    struct sz_batch batch;
    uint32_t points;              /* of the largest box */
    uint32_t decoders, helpers;   /* of a block, tiles of which a warp has codes; threads of each */
    uint32_t models, near_models; /* all; those whose tables are in shared memory */
    uint32_t finest_axis, finest_plane, finest_each, finest_ring; /* interp/gpu/finest_level.h */
    size_t finest_bytes;
    double farthest; /* to compress: zti_sz_high_farthest */
};

/* What kernels leave for the next ones, at the beginning of a slot. Then a box's integers, in whose
 * place there are sums before, in the order of coding; magnitudes; symbols in the order of coding;
 * and residuals in that order, of symbols that leave bits open. */
struct high_note {
    uint64_t is_good;
    uint64_t end; /* of the tile, a bit of the stream */
    uint64_t symbols;
    uint64_t taken; /* symbols of the levels whose integers are there */
    struct zti_sz_parts parts;
};

struct high_slot {
    struct high_note *note;
    int32_t *x, *q;
    uint16_t *sums;
    uint8_t *magnitudes, *symbols;
};

static inline uint64_t high_up(uint64_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Tiles of a batch, of so many at most if they are large. */
static inline unsigned high_batch(const struct zti_coding *coding, unsigned large)
{
    enum { SMALLER = ZTI_SZ_HIGH_VALUES / ZTI_SZ_HIGH_SMALL_VALUES };
    const bool is_small = sz_of(coding)->tuning & ZTI_SZ_HIGH_SMALL;
    return simt_at_most(coding->grid.count, is_small ? SMALLER * large : large);
}

/* Tiles of a block where a warp has a tile, so that as many blocks as multiprocessors have all. */
static inline uint32_t high_decoders(uint64_t tiles)
{
    const unsigned each = simt_multiprocessors();
    return tiles < each ? 1 : simt_at_most((tiles + each - 1) / each, HIGH_MOST_DECODERS);
}

static inline struct high_places high_places_of(uint64_t points)
{
    struct high_places p;
    memset(&p, 0, sizeof p);
    p.q = NOTE_BYTES + high_up(points * sizeof(int32_t));
    p.magnitudes = p.q + high_up(points * sizeof(int32_t));
    p.symbols = p.magnitudes + high_up(points);
    p.bytes = p.symbols + high_up(points);
    return p;
}

static __device__ __forceinline__ struct high_slot high_slot_of(const struct sz_high_tiles *h,
                                                                uint32_t number)
{
    uint8_t *const at = h->slots + number * h->in_slot.bytes;
    struct high_slot slot;
    slot.note = (struct high_note *)(void *)at;
    slot.x = (int32_t *)(void *)(at + NOTE_BYTES);
    slot.sums = (uint16_t *)(void *)(at + NOTE_BYTES);
    slot.q = (int32_t *)(void *)(at + h->in_slot.q);
    slot.magnitudes = at + h->in_slot.magnitudes;
    slot.symbols = at + h->in_slot.symbols;
    return slot;
}

static __device__ __forceinline__ uint32_t high_axes(const struct sz_tiles *s)
{
    return s->sz.axes << (ZT_MAX_RANK - s->grid.rank);
}

static __device__ __forceinline__ struct zti_sz_box high_box_of(const struct sz_tiles *s,
                                                                uint64_t number)
{
    const struct zti_walk walk = zti_walk_from(&s->grid, number);
    return zti_sz_high_box(&s->grid, s->sz.axes, &walk);
}

/* A point of a box, with coordinates c. */
static __device__ __forceinline__ uint32_t place_in_box(const struct zti_sz_box *box,
                                                        const uint32_t *c)
{
    return ((c[0] * box->dim[1] + c[1]) * box->dim[2] + c[2]) * box->dim[3] + c[3];
}

/* The bits of a value. */
static __device__ __forceinline__ uint64_t load_bits(const struct sz_tiles *s, const char *from)
{
    return value_bytes_of(s->type) == 4 ? *(const uint32_t *)(const void *)from
                                        : *(const uint64_t *)(const void *)from;
}

/* ---- division ---- */

/* Of a number below 2^20 by another one: what twice it is multiplied with, and the shift. Quotients
 * of doubles are exact enough: they are below 2^32, and 2^-20 or more from the next integer. */
struct divisor {
    uint32_t by, per, shift;
};

static __device__ __forceinline__ struct divisor divisor_of(uint32_t by)
{
    struct divisor d = {by, 0, 0};
    if (by == 0)
        return d;
    d.shift = 31 - (uint32_t)__clz((int)by);
    d.per = (uint32_t)ceil((double)(UINT64_C(1) << (31 + d.shift)) / by);
    return d;
}

static __device__ __forceinline__ uint32_t divide(uint32_t n, const struct divisor *d)
{
    return __umulhi(2 * n, d->per) >> d->shift;
}

/* ---- a band: the points of a level that are odd along the same axes ---- */

struct high_band {
    uint32_t odd, depth;
    uint32_t base;              /* of its first point in the box */
    uint32_t dim[4], own[4];    /* points along each axis; those that are coded */
    uint32_t step[4], apart[4]; /* in the box: to the next of them; to those it lies between */
    uint32_t of[4];             /* points that are even along an axis */
};

static __device__ __forceinline__ struct high_band
high_band_of(const struct zti_sz_box *box, uint32_t axes, uint32_t level, uint32_t odd)
{
    struct high_band b;
    uint32_t stride = 1;
    b.odd = odd;
    b.depth = zti_sz_high_depth(level + 1);
    b.base = 0;
    SIMT_UNROLL
    for (uint32_t i = 4; i-- > 0;) {
        const bool is_odd = odd >> i & 1, is_interpolated = axes >> i & 1;
        const uint32_t dim = ZTI_SZ_HIGH_POINTS(box->dim[i], is_interpolated, level);
        b.dim[i] = zti_sz_high_along(dim, is_odd, is_interpolated);
        b.own[i] = zti_sz_high_own_along(b.dim[i], is_odd, box->own[i] < box->dim[i]);
        b.apart[i] = stride << level;
        b.step[i] = is_interpolated ? stride << (level + 1) : stride;
        b.base += is_odd ? stride << level : 0;
        b.of[i] = zti_sz_high_along(dim, false, true);
        stride *= box->dim[i];
    }
    return b;
}

static __device__ __forceinline__ uint32_t points_in(const struct high_band *b)
{
    return b->dim[0] * b->dim[1] * b->dim[2] * b->dim[3];
}

static __device__ __forceinline__ uint32_t own_points_in(const struct high_band *b)
{
    return b->own[0] * b->own[1] * b->own[2] * b->own[3];
}

/* Whether the point with coordinates c is coded; its number among those that are. */
static __device__ __forceinline__ bool is_own(const struct high_band *b, const uint32_t *c)
{
    return c[0] < b->own[0] && c[1] < b->own[1] && c[2] < b->own[2] && c[3] < b->own[3];
}

static __device__ __forceinline__ uint32_t number_in(const struct high_band *b, const uint32_t *c)
{
    return ((c[0] * b->own[1] + c[1]) * b->own[2] + c[2]) * b->own[3] + c[3];
}

static __device__ __forceinline__ uint32_t point_at(const struct high_band *b, const uint32_t *c)
{
    return b->base + c[0] * b->step[0] + c[1] * b->step[1] + c[2] * b->step[2] + c[3] * b->step[3];
}

/* Points along all axes but the slowest, to divide by. */
struct extents {
    struct divisor along[3];
};

static __device__ __forceinline__ struct extents extents_of(const uint32_t *dim)
{
    struct extents e;
    SIMT_UNROLL
    for (uint32_t k = 0; k < 3; k++)
        e.along[k] = divisor_of(dim[k + 1]);
    return e;
}

/* The coordinates of the first point of row i. */
static __device__ __forceinline__ void row_coordinates(const struct extents *e, uint32_t i,
                                                       uint32_t *c)
{
    c[3] = 0;
    SIMT_UNROLL
    for (uint32_t k = 2; k-- > 0;) {
        const uint32_t rest = divide(i, &e->along[k]);
        c[k + 1] = i - rest * e->along[k].by;
        i = rest;
    }
    c[0] = i;
}

/* The coordinates of point i. */
static __device__ __forceinline__ void coordinates(const struct extents *e, uint32_t i, uint32_t *c)
{
    const uint32_t row = divide(i, &e->along[2]);
    row_coordinates(e, row, c);
    c[3] = i - row * e->along[2].by;
}

/* ---- prediction ---- */

/* Along an axis, where z, a, b and c of zti_sz_high_stencil are, if they are there. */
struct line {
    const int32_t *z, *a, *b, *c;
};

/* With 'by' of 32 bits offsets take fewer registers, with 64 addresses do. */
#define LINE_AT(at, by)                                                                            \
    {                                                                                              \
        (at) - 3 * (by), (at) - (by), (at) + (by), (at) + 3 * (by)                                 \
    }

/* The predictions of a point along some axes, the slowest first. */
struct guess {
    uint32_t terms, sum, last;
    uint32_t beyond; /* where there are none */
};

static __device__ __forceinline__ void add_term(struct guess *g, uint32_t t)
{
    g->terms++;
    g->sum += t;
    g->last = t;
}

/* The point is the one behind number 'at' of so many along the axis. */
static __device__ __forceinline__ void guess_along(struct guess *g, const struct line *l,
                                                   uint32_t at, uint32_t of, bool is_linear,
                                                   bool is_beyond)
{
    const enum zti_sz_high_stencil stencil = zti_sz_high_stencil(at, of, is_linear);
    const uint32_t a = (uint32_t)*l->a, z = at > 0 ? (uint32_t)*l->z : a;
    if (stencil != ZTI_SZ_HIGH_BEYOND)
        add_term(g, zti_sz_high_interpolate(stencil, z, a, (uint32_t)*l->b,
                                            at + 2 < of ? (uint32_t)*l->c : 0));
    else if (is_beyond)
        g->beyond = zti_sz_high_interpolate(stencil, z, a, 0, 0);
}

static __device__ __forceinline__ uint32_t mean_guess(const struct guess *g)
{
    return g->terms == 0 ? g->beyond : zti_sz_high_mean(g->terms, g->sum, g->last);
}

/* The prediction of the point at 'at', with coordinates c in a band. */
static __device__ __forceinline__ uint32_t predict(const struct high_band *b, const uint32_t *c,
                                                   const int32_t *at, bool is_linear)
{
    struct guess g = {0, 0, 0, 0};
    SIMT_UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        if (!(b->odd >> i & 1))
            continue;
        const int32_t apart = (int32_t)b->apart[i];
        const struct line l = LINE_AT(at, apart);
        guess_along(&g, &l, c[i], b->of[i], is_linear, zti_sz_high_is_beyond(b->odd, i));
    }
    return mean_guess(&g);
}

/* The sum of the magnitudes of the points on both sides of the one at 'magnitudes'. */
static __device__ __forceinline__ uint32_t sum_between(const struct high_band *b, const uint32_t *c,
                                                       const uint8_t *magnitudes)
{
    uint32_t sum = 0;
    SIMT_UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        const int32_t apart = (int32_t)b->apart[i];
        if (b->odd >> i & 1)
            sum += magnitudes[-apart] + magnitudes[c[i] + 1 < b->of[i] ? apart : -apart];
    }
    return sum;
}

/* The sum for the points before it in its band along axes other than the last; 'rows' is their
 * number. */
static __device__ __forceinline__ uint32_t sum_before(const struct high_band *b, const uint32_t *c,
                                                      const uint8_t *magnitudes, uint32_t *rows)
{
    uint32_t sum = 0;
    *rows = 0;
    SIMT_UNROLL
    for (uint32_t i = 0; i < 3; i++) {
        sum += c[i] > 0 ? magnitudes[-(int64_t)b->step[i]] : 0;
        *rows += c[i] > 0;
    }
    return sum;
}

/* The weighted sum of both. */
static __device__ __forceinline__ uint32_t sum_neighbourhood(const struct high_band *b,
                                                             uint32_t between, uint32_t before,
                                                             uint32_t rows)
{
    return ZTI_SZ_HIGH_NEIGHBOURHOOD(uint32_t, between, zti_sz_high_axes_count(b->odd), before,
                                     rows);
}

/* ---- the coarse grid ---- */

/* Copy a box's part of the coarse grid to its coarsest level: integers or magnitudes, whichever is
 * not NULL. */
static __device__ __forceinline__ void copy_coarse(const struct sz_high_tiles *h,
                                                   const struct zti_sz_box *box, int32_t *x,
                                                   uint8_t *to, uint32_t thread, uint32_t threads)
{
    const struct sz_tiles *const s = &h->s;
    const uint32_t axes = high_axes(s), bits = zti_sz_high_distance(axes);
    const uint32_t skip = 4 - s->grid.rank;
    uint32_t dim[4], step[4], stride = 1, points = 1;
    uint64_t all[4], from[4], n = 1;
    SIMT_UNROLL
    for (uint32_t i = 4; i-- > 0;) {
        const bool is_interpolated = axes >> i & 1;
        const uint32_t down = is_interpolated ? bits : 0;
        all[i] = i < skip ? 1 : ZTI_SZ_HIGH_POINTS(s->grid.shape[i - skip], is_interpolated, bits);
        from[i] = box->origin[i] >> down;
        dim[i] = ZTI_SZ_HIGH_POINTS(box->dim[i], is_interpolated, bits);
        step[i] = stride << down;
        stride *= box->dim[i];
        points *= dim[i];
        n *= all[i];
    }
    const int32_t *const integers =
        (const int32_t *)(const void *)((const uint8_t *)s->model + ZTI_SZ_HIGH_COARSE_AT);
    const uint8_t *const magnitudes = (const uint8_t *)(integers + n);
    const struct extents extents = extents_of(dim);
    for (uint32_t i = thread; i < points; i += threads) {
        uint32_t c[4];
        coordinates(&extents, i, c);
        const uint64_t there =
            (((from[0] + c[0]) * all[1] + from[1] + c[1]) * all[2] + from[2] + c[2]) * all[3] +
            from[3] + c[3];
        const uint32_t here = c[0] * step[0] + c[1] * step[1] + c[2] * step[2] + c[3] * step[3];
        if (x)
            x[here] = integers[there];
        if (to)
            to[here] = magnitudes[there];
    }
}

#endif
