/* sz_high_slab_cuda.h: kernel text of effort 'high': the finest level of a tile in shared memory,
 * some planes at a time, so that global memory has each point once.
 *
 * Planes follow each other along axis 1 or, where a box has one point along that, axis 2. If that
 * axis is halved, points of an even plane lie between points of the same plane; those of an odd
 * one, along this axis, between even planes up to three away. So even planes are two ahead of odd
 * ones, in a ring:
 *
 *     the coarser level's points of even planes
 *     bands that are odd along no axis of the plane, of one, of two: even planes, and odd ones
 *     (to compress) contexts
 *     whole planes: values
 *
 * with a barrier before each. Axes are numbered 0 (fastest) to 2 (planes) here. */
#ifndef ZTI_SZ_HIGH_SLAB_CUDA_H
#define ZTI_SZ_HIGH_SLAB_CUDA_H

#include "codec/sz/sz_high_cuda.h"

enum { SLAB_BYTES = 72 << 10 /* of shared memory, if possible: three blocks a multiprocessor */ };

/* What the host chooses: odd planes that are worked on at a time; even ones in the ring, a power of
 * two; bytes of all. 'each' is 0 where there is not enough memory for one. */
static inline void slab_choose(struct sz_high_tiles *h, const struct zti_coding *coding,
                               bool has_loud)
{
    const size_t most = simt_shared_most() - (16u << 10); /* kernels have some of their own */
    const uint32_t rank = coding->grid.rank, skip = ZT_MAX_RANK - rank;
    size_t dim[4] = {1, 1, 1, 1};
    for (uint32_t i = 0; i < rank; i++)
        dim[i + skip] = coding->grid.side[i] +
                        (size_t)(coding->sz.axes >> i & 1 &&
                                 coding->grid.side[i] < coding->grid.shape[i]);
    h->slab_each = h->slab_ring = 0;
    h->slab_axis = dim[1] > 1 ? 1 : 2;
    h->slab_plane = (uint32_t)(dim[1] > 1 ? dim[2] * dim[3] : dim[3]);
    for (uint32_t ring = 64; ring >= 4 && h->slab_each == 0 && dim[0] == 1; ring /= 2) {
        const size_t points = h->slab_plane * (size_t)(2 * ring - 3);
        h->slab_bytes = points * sizeof(int32_t) +
                        (has_loud ? 2 * (size_t)ring * h->slab_plane : 0);
        if (h->slab_bytes > (ring > 4 ? (size_t)SLAB_BYTES : most))
            continue;
        h->slab_each = ring - 3;
        h->slab_ring = ring;
    }
    if (h->slab_each == 0)
        h->slab_bytes = 0;
}

/* By numbers of axes as above. */
struct slab {
    const struct sz_high_tiles *h;
    const struct zti_sz_box *box;
    int32_t *x;    /* the ring, and odd planes */
    uint8_t *loud; /* to compress: two rings */
    uint32_t *first; /* of the symbols of bands, by the axes that they are odd along */
    uint32_t halved;
    uint32_t dim[3], own[3], of[3]; /* points; own; even ones */
    uint32_t step;
    bool is_linear, is_zero;
};

/* The axes of four that a set of a slab's three is. */
static __device__ __forceinline__ uint32_t slab_axes(const struct sz_high_tiles *h, uint32_t set)
{
    return (set & 1) << 3 | (h->slab_axis == 1 ? (set >> 1 & 1) << 2 | (set >> 2 & 1) << 1
                                               : (set >> 2 & 1) << 2);
}

static __device__ __forceinline__ struct slab slab_of(const struct sz_high_tiles *h,
                                                      const struct zti_sz_box *box,
                                                      uint32_t *first, int32_t *memory)
{
    const uint32_t axes = high_axes(&h->s);
    const bool is_flat = h->slab_axis == 2;
    struct slab b;
    b.h = h;
    b.box = box;
    b.x = memory;
    b.loud = (uint8_t *)(void *)(memory + h->slab_plane * (h->slab_ring + h->slab_each));
    b.first = first;
    b.halved = (axes >> 3 & 1) | (is_flat ? axes >> 2 & 1 : axes >> 1 & 1) << 2 |
               (is_flat ? 0 : axes >> 2 & 1) << 1;
    b.dim[0] = box->dim[3];
    b.own[0] = box->own[3];
    b.dim[1] = is_flat ? 1 : box->dim[2];
    b.own[1] = is_flat ? 1 : box->own[2];
    b.dim[2] = is_flat ? box->dim[2] : box->dim[1];
    b.own[2] = is_flat ? box->own[2] : box->own[1];
    for (uint32_t i = 0; i < 3; i++)
        b.of[i] = b.halved >> i & 1 ? (b.dim[i] + 1) / 2 : b.dim[i];
    b.step = zti_sz_high_step(&h->s.sz, 1);
    b.is_linear = h->s.sz.tuning & ZTI_SZ_HIGH_LINEAR;
    b.is_zero = false;
    return b;
}

/* Where each band's symbols begin, from number 'at' on, behind those of the other levels; returns
 * where they end. One thread. */
static __device__ __forceinline__ uint32_t slab_find_first(const struct slab *b,
                                                           uint32_t at)
{
    const uint32_t axes = high_axes(&b->h->s);
    for (uint32_t odd = next_odd(axes, 0); odd != 0; odd = next_odd(axes, odd)) {
        const struct high_band band = high_band_of(b->box, axes, 0, odd);
        for (uint32_t set = 1; set < 8; set++)
            if ((set & ~b->halved) == 0 && slab_axes(b->h, set) == odd)
                b->first[set] = at;
        at += own_points_in(&band);
    }
    return at;
}

/* The first point of even or odd plane j, and its magnitudes. */
static __device__ __forceinline__ int32_t *slab_plane(const struct slab *b, uint32_t is_odd,
                                                      uint32_t j)
{
    const uint32_t number = is_odd ? b->h->slab_ring + j % b->h->slab_each
                                   : j & (b->h->slab_ring - 1);
    return b->x + number * b->h->slab_plane;
}

static __device__ __forceinline__ uint8_t *slab_loud(const struct slab *b, uint32_t is_odd,
                                                     uint32_t j)
{
    const uint32_t number = (is_odd ? b->h->slab_ring : 0) + (j & (b->h->slab_ring - 1));
    return b->loud + number * b->h->slab_plane;
}

/* ---- a point of a band, odd along the axes 'odd' ---- */

struct slab_point {
    uint32_t c[3]; /* in the band */
    uint32_t at;   /* in its plane */
    uint32_t number; /* of its symbol, if it is own */
    bool is_own;
};

/* A band's points of some planes. */
struct slab_band {
    uint32_t odd, from, n, first;
    uint32_t own[3];
    struct divisor row, plane; /* points and rows */
};

static __device__ __forceinline__ struct slab_band slab_band_of(const struct slab *b, uint32_t odd,
                                                                uint32_t from, uint32_t to)
{
    struct slab_band band;
    uint32_t dim[3];
    SIMT_UNROLL
    for (uint32_t i = 0; i < 3; i++) {
        dim[i] = odd >> i & 1 ? b->dim[i] / 2 : b->of[i];
        band.own[i] = dim[i] - (!(odd >> i & 1) && b->own[i] < b->dim[i] ? 1 : 0);
    }
    band.odd = odd;
    band.from = from;
    band.n = to > from ? (to - from) * dim[1] * dim[0] : 0;
    band.first = odd ? b->first[odd] : 0;
    band.row = divisor_of(dim[0]);
    band.plane = divisor_of(dim[1]);
    return band;
}

static __device__ __forceinline__ uint32_t slab_along(const struct slab *b, uint32_t odd,
                                                      uint32_t axis, uint32_t c)
{
    return b->halved >> axis & 1 ? 2 * c + (odd >> axis & 1) : c;
}

static __device__ __forceinline__ struct slab_point slab_point_of(const struct slab *b,
                                                                  const struct slab_band *band,
                                                                  uint32_t odd, uint32_t i)
{
    struct slab_point p;
    const uint32_t row = divide(i, &band->row), plane = divide(row, &band->plane);
    p.c[0] = i - row * band->row.by;
    p.c[1] = row - plane * band->plane.by;
    p.c[2] = band->from + plane;
    p.at = slab_along(b, odd, 1, p.c[1]) * b->dim[0] + slab_along(b, odd, 0, p.c[0]);
    p.is_own = p.c[0] < band->own[0] && p.c[1] < band->own[1] && p.c[2] < band->own[2];
    p.number = band->first + (p.c[2] * band->own[1] + p.c[1]) * band->own[0] + p.c[0];
    return p;
}

/* Along one axis: z, a, b and c of the format's description, NULL where there are none. */
struct slab_line {
    const int32_t *z, *a, *b, *c;
};

static __device__ __forceinline__ struct slab_line slab_line_of(const struct slab *b,
                                                                const struct slab_point *p,
                                                                uint32_t axis, const int32_t *own)
{
    const bool has_z = p->c[axis] > 0, has_b = p->c[axis] + 1 < b->of[axis];
    const bool has_c = p->c[axis] + 2 < b->of[axis];
    const uint32_t j = p->c[2], apart = axis == 0 ? 1 : b->dim[0];
    struct slab_line l;
    if (axis == 2) {
        l.z = has_z ? slab_plane(b, 0, j - 1) + p->at : NULL;
        l.a = slab_plane(b, 0, j) + p->at;
        l.b = has_b ? slab_plane(b, 0, j + 1) + p->at : NULL;
        l.c = has_c ? slab_plane(b, 0, j + 2) + p->at : NULL;
    } else {
        l.z = has_z ? own - 3 * (size_t)apart : NULL;
        l.a = own - apart;
        l.b = has_b ? own + apart : NULL;
        l.c = has_c ? own + 3 * (size_t)apart : NULL;
    }
    return l;
}

static __device__ __forceinline__ uint32_t slab_predict(const struct slab *b,
                                                        const struct slab_point *p, uint32_t odd,
                                                        const int32_t *own)
{
    uint32_t t[3] = {0, 0, 0}, terms = 0, last = 0;
    SIMT_UNROLL
    for (uint32_t axis = 3; axis-- > 0;) {
        if (!(odd >> axis & 1))
            continue;
        const struct slab_line l = slab_line_of(b, p, axis, own);
        const uint32_t a = (uint32_t)*l.a, z = l.z ? (uint32_t)*l.z : a;
        if (axis == 0 || odd >> (axis + 1) == 0)
            last = zti_sz_high_round(ZTI_SZ_HIGH_BEYOND(a, z), 1);
        if (l.b)
            t[axis] = midway(a, (uint32_t)*l.b, z, l.c ? (uint32_t)*l.c : 0, l.z, l.c,
                             b->is_linear);
        terms += l.b ? 1 : 0;
    }
    return terms == 0   ? last
           : terms == 1 ? t[0] + t[1] + t[2]
           : terms == 2 ? zti_sz_high_round(t[0] + t[1] + t[2], 1)
                        : zti_sz_high_round(ZTI_SZ_HIGH_MEAN_3(t[2], t[1], t[0]), 4);
}

/* ---- planes ---- */

/* What is worked on together: even planes, and odd ones. */
struct slab_part {
    uint32_t from[2], to[2];
};

/* A row of a tile's own or of all points: where it is. */
struct slab_row {
    uint32_t is_odd, j, y;
    uint32_t c[4];
};

static __device__ __forceinline__ uint32_t slab_rows(const struct slab_part *p, uint32_t each)
{
    return (p->to[0] - p->from[0] + p->to[1] - p->from[1]) * each;
}

static __device__ __forceinline__ struct slab_row slab_row_of(const struct slab *b,
                                                              const struct slab_part *p,
                                                              uint32_t each, uint32_t number)
{
    const uint32_t plane = number / each, evens = p->to[0] - p->from[0];
    struct slab_row r;
    r.is_odd = plane >= evens;
    r.j = r.is_odd ? p->from[1] + plane - evens : p->from[0] + plane;
    r.y = number - plane * each;
    const uint32_t z = b->halved >> 2 ? 2 * r.j + r.is_odd : r.j;
    r.c[0] = 0;
    r.c[1] = b->h->slab_axis == 1 ? z : 0;
    r.c[2] = b->h->slab_axis == 1 ? r.y : z;
    r.c[3] = 0;
    return r;
}

/* The next planes after those of a part; false after the last. */
static __device__ __forceinline__ bool slab_next(const struct slab *b, struct slab_part *p)
{
    const uint32_t odds = b->halved >> 2 ? b->dim[2] / 2 : 0, each = b->h->slab_each;
    const uint32_t ahead = b->halved >> 2 ? 2 : 0;
    p->from[0] = p->to[0];
    p->from[1] = p->to[1];
    p->to[1] = simt_at_most(odds, p->from[1] + each);
    const uint32_t reach = (b->halved >> 2 ? p->from[1] : p->from[0]) + each + ahead;
    p->to[0] = simt_at_most(b->of[2], reach);
    return p->from[0] < p->to[0] || p->from[1] < p->to[1];
}

/* The coarser level's points of a part's even planes, from a box's. */
static __device__ __forceinline__ void slab_load(const struct slab *b, const struct slab_part *p,
                                                 const int32_t *x, const uint8_t *loud)
{
    const struct slab_band band = slab_band_of(b, 0, p->from[0], p->to[0]);
    for (uint32_t i = threadIdx.x; i < band.n; i += HIGH_THREADS) {
        const struct slab_point q = slab_point_of(b, &band, 0, i);
        const uint32_t z = b->halved >> 2 ? 2 * q.c[2] : q.c[2];
        const uint32_t at = z * b->dim[0] * b->dim[1] + q.at;
        slab_plane(b, 0, q.c[2])[q.at] = x[at];
        if (loud)
            slab_loud(b, 0, q.c[2])[q.at] = loud[at];
    }
}

/* Which of a row's first n points are in the array, and where number 0 is or would be. */
static __device__ __forceinline__ char *slab_row_in(const struct slab *b, const struct slab_row *r,
                                                    uint32_t n, uint32_t *first, uint32_t *last)
{
    const struct sz_tiles *const s = &b->h->s;
    const uint32_t rank = s->grid.rank, skip = 4 - rank;
    const uint64_t origin = b->box->origin[3], lo = s->view.lo[rank - 1];
    const uint64_t hi = s->view.hi[rank - 1];
    int64_t offset = (int64_t)(origin - lo) * s->view.out.stride[rank - 1];
    bool is_there = hi > origin;
    SIMT_UNROLL
    for (uint32_t k = 0; k < 3; k++) {
        if (k < skip)
            continue;
        const uint64_t at = b->box->origin[k] + r->c[k];
        is_there = is_there && at >= s->view.lo[k - skip] && at < s->view.hi[k - skip];
        offset += (int64_t)(at - s->view.lo[k - skip]) * s->view.out.stride[k - skip];
    }
    *first = lo > origin ? simt_at_most(lo - origin, n) : 0;
    *last = is_there ? simt_at_most(hi - origin, n) : 0;
    return (char *)s->view.out.data + offset * (int64_t)value_bytes_of(s->type);
}

#endif
