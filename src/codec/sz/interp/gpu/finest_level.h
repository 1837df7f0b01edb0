/* finest_level.h: kernel text of effort 'high': the finest level of a tile, some planes at a time
 * in shared memory, so that each point is in global memory once.
 *
 * Planes follow each other along axis 1, or along axis 2 if the box has one point along axis 1. If
 * that axis is interpolated, points of an even plane lie between points of the same plane, and
 * points of an odd plane between even planes up to three away. So even planes are loaded two ahead
 * of odd ones, into a ring. The steps, with a barrier before each:
 *
 *     load the coarser level's points of even planes
 *     bands that are odd along one axis, along two, along three
 *     (to compress) contexts
 *     values of whole planes
 *
 * Axes are numbered 0 (fastest) to 2 (planes) here. */
#ifndef ZTI_SZ_INTERP_GPU_FINEST_LEVEL_H
#define ZTI_SZ_INTERP_GPU_FINEST_LEVEL_H

#include "codec/sz/interp/gpu/points.h"

enum { FINEST_BYTES = 72 << 10 /* of shared memory, so that a multiprocessor has three blocks */ };

/* Choose, on the host, the number of odd planes at a time (finest_each), of even planes in the ring
 * (a power of two), and their bytes. finest_each is 0 if shared memory has no room for one plane.
 */
static inline void finest_choose_sizes(struct sz_high_tiles *h, const struct zti_coding *coding,
                                       bool has_magnitudes)
{
    const size_t most = simt_shared_most() - (16u << 10); /* kernels have some of their own */
    const uint32_t rank = coding->grid.rank, skip = ZT_MAX_RANK - rank;
    size_t dim[4] = {1, 1, 1, 1};
    for (uint32_t i = 0; i < rank; i++)
        dim[i + skip] = coding->grid.side[i] +
                        (size_t)zti_sz_high_has_more(coding->grid.side[i], coding->grid.shape[i],
                                                     sz_of(coding)->axes >> i & 1);
    h->finest_each = h->finest_ring = 0;
    h->finest_axis = dim[1] > 1 ? 1 : 2;
    h->finest_plane = (uint32_t)(dim[1] > 1 ? dim[2] * dim[3] : dim[3]);
    for (uint32_t ring = 64; ring >= 4 && h->finest_each == 0 && dim[0] == 1; ring /= 2) {
        const size_t points = h->finest_plane * (size_t)(2 * ring - 3);
        h->finest_bytes =
            points * sizeof(int32_t) + (has_magnitudes ? 2 * (size_t)ring * h->finest_plane : 0);
        if (h->finest_bytes > (ring > 4 && most > FINEST_BYTES ? (size_t)FINEST_BYTES : most))
            continue;
        h->finest_each = ring - 3;
        h->finest_ring = ring;
    }
    if (h->finest_each == 0)
        h->finest_bytes = 0;
}

/* What all threads need of a box, in shared memory. */
struct finest_facts {
    char *at;                   /* the place in the array of point 0 of row 0 of plane 0 */
    int64_t stride[3];          /* bytes */
    uint32_t lo[3], hi[3];      /* points along each axis that are in memory */
    uint32_t first[8];          /* the number of each band's first symbol, by its odd axes */
    struct divisor along[2][2]; /* by points of a row, rows of a plane: even ones, odd ones */
    struct divisor rows[2];     /* by rows of a plane: all, own */
};

/* A box in the numbers of axes used here. */
struct finest {
    const struct sz_high_tiles *h;
    const struct zti_sz_box *box;
    struct finest_facts *facts;
    int32_t *x;                     /* the ring of even planes, then odd planes */
    uint8_t *magnitudes;            /* to compress: a ring of even planes, one of odd planes */
    uint32_t interpolated;          /* axes */
    uint32_t dim[3], own[3], of[3]; /* points along each axis: all, own, even */
    uint32_t step;
    bool is_linear, is_zero; /* is_zero: all residuals are 0 */
};

/* The number among four axes of an axis here. */
static __device__ __forceinline__ uint32_t finest_axis_of(const struct sz_high_tiles *h,
                                                          uint32_t axis)
{
    return axis == 0 ? 3 : h->finest_axis == 1 ? 3 - axis : axis;
}

static __device__ __forceinline__ struct finest finest_of(const struct sz_high_tiles *h,
                                                          const struct zti_sz_box *box,
                                                          struct finest_facts *facts,
                                                          int32_t *memory)
{
    const uint32_t axes = high_axes(&h->s);
    const bool is_flat = h->finest_axis == 2;
    struct finest b;
    b.h = h;
    b.box = box;
    b.facts = facts;
    b.x = memory;
    b.magnitudes =
        (uint8_t *)(void *)(memory + h->finest_plane * (h->finest_ring + h->finest_each));
    b.interpolated = (axes >> 3 & 1) | (is_flat ? axes >> 2 & 1 : axes >> 1 & 1) << 2 |
                     (is_flat ? 0 : axes >> 2 & 1) << 1;
    b.dim[0] = box->dim[3];
    b.own[0] = box->own[3];
    b.dim[1] = is_flat ? 1 : box->dim[2];
    b.own[1] = is_flat ? 1 : box->own[2];
    b.dim[2] = is_flat ? box->dim[2] : box->dim[1];
    b.own[2] = is_flat ? box->own[2] : box->own[1];
    for (uint32_t i = 0; i < 3; i++)
        b.of[i] = zti_sz_high_along(b.dim[i], false, b.interpolated >> i & 1);
    b.step = zti_sz_high_step(&h->s.sz, 1);
    b.is_linear = h->s.sz.tuning & ZTI_SZ_HIGH_LINEAR;
    b.is_zero = false;
    return b;
}

/* A set of the three axes here as a set of four axes. */
static __device__ __forceinline__ uint32_t finest_axes(const struct sz_high_tiles *h, uint32_t set)
{
    return (set & 1) << 3 |
           (h->finest_axis == 1 ? (set >> 1 & 1) << 2 | (set >> 2 & 1) << 1 : (set >> 2 & 1) << 2);
}

/* Find the first symbol of each band, from number 'at' on; returns the number after the last. */
static __device__ __forceinline__ uint32_t finest_find_first(const struct finest *b, uint32_t at)
{
    const uint32_t axes = high_axes(&b->h->s);
    for (uint32_t odd = zti_sz_high_next_band(axes, 0); odd != 0;
         odd = zti_sz_high_next_band(axes, odd)) {
        const struct high_band band = high_band_of(b->box, axes, 0, odd);
        for (uint32_t set = 1; set < 8; set++)
            if ((set & ~b->interpolated) == 0 && finest_axes(b->h, set) == odd)
                b->facts->first[set] = at;
        at += own_points_in(&band);
    }
    return at;
}

/* Find the place of the box in the array. */
static __device__ __forceinline__ void finest_find_place(const struct finest *b)
{
    const struct sz_tiles *const s = &b->h->s;
    const uint32_t skip = ZT_MAX_RANK - s->grid.rank, bytes = value_bytes_of(s->type);
    struct finest_facts *const f = b->facts;
    bool is_there = true;
    f->at = (char *)s->view.out.data;
    for (uint32_t k = skip; k < ZT_MAX_RANK; k++) {
        const uint64_t origin = b->box->origin[k], lo = s->view.lo[k - skip];
        f->at += (int64_t)(origin - lo) * s->view.out.stride[k - skip] * (int64_t)bytes;
        if (b->box->dim[k] == 1)
            is_there = is_there && origin >= lo && origin < s->view.hi[k - skip];
    }
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t k = finest_axis_of(b->h, i);
        f->stride[i] = 0;
        f->lo[i] = 0;
        f->hi[i] = is_there;
        if (k < skip || b->box->dim[k] < 2)
            continue;
        const uint64_t origin = b->box->origin[k], lo = s->view.lo[k - skip];
        const uint64_t hi = s->view.hi[k - skip];
        f->stride[i] = s->view.out.stride[k - skip] * (int64_t)bytes;
        f->lo[i] = lo > origin ? simt_at_most(lo - origin, b->dim[i]) : 0;
        f->hi[i] = is_there && hi > origin ? simt_at_most(hi - origin, b->dim[i]) : 0;
    }
}

/* Set all facts, by one thread. 'taken' symbols belong to other levels; returns the number of all.
 */
static __device__ __forceinline__ uint32_t finest_find_facts(const struct finest *b, uint32_t taken)
{
    struct finest_facts *const f = b->facts;
    for (uint32_t i = 0; i < 2; i++) {
        f->along[i][0] = divisor_of(b->of[i]);
        f->along[i][1] = divisor_of(b->dim[i] / 2);
    }
    f->rows[0] = divisor_of(b->dim[1]);
    f->rows[1] = divisor_of(b->own[1]);
    finest_find_place(b);
    return finest_find_first(b, taken);
}

/* The first point of even plane j in the ring, and of odd plane j of a part. */
static __device__ __forceinline__ int32_t *finest_even_plane(const struct finest *b, uint32_t j)
{
    return b->x + (j & (b->h->finest_ring - 1)) * b->h->finest_plane;
}

static __device__ __forceinline__ int32_t *finest_odd_plane(const struct finest *b, uint32_t j)
{
    return b->x + (b->h->finest_ring + j) * b->h->finest_plane;
}

/* The magnitudes of an even or odd plane j. */
static __device__ __forceinline__ uint8_t *finest_magnitudes(const struct finest *b,
                                                             uint32_t is_odd, uint32_t j)
{
    const uint32_t number = (is_odd ? b->h->finest_ring : 0) + (j & (b->h->finest_ring - 1));
    return b->magnitudes + number * b->h->finest_plane;
}

/* ---- a band: points that are odd along the axes 'odd' ---- */

struct finest_point {
    uint32_t c[3];   /* in the band */
    uint32_t at;     /* in its plane */
    uint32_t number; /* of its symbol, if it is own */
    bool is_own;
    int32_t *x;
};

/* The points of a band in some planes. */
struct finest_band {
    uint32_t from, n, first;
    uint32_t own[3];
    uint32_t at, step[2];      /* in a plane: of the first point; from a point or row to the next */
    struct divisor row, plane; /* points and rows */
};

static __device__ __forceinline__ struct finest_band
finest_band_of(const struct finest *b, uint32_t odd, uint32_t from, uint32_t to)
{
    struct finest_band band;
    SIMT_UNROLL
    for (uint32_t i = 0; i < 3; i++) {
        const bool is_odd = odd >> i & 1;
        const uint32_t along = zti_sz_high_along(b->dim[i], is_odd, b->interpolated >> i & 1);
        band.own[i] = zti_sz_high_own_along(along, is_odd, b->own[i] < b->dim[i]);
    }
    band.row = b->facts->along[0][odd & 1];
    band.plane = b->facts->along[1][odd >> 1 & 1];
    band.from = from;
    band.n = to > from ? (to - from) * band.plane.by * band.row.by : 0;
    band.first = odd ? b->facts->first[odd] : 0;
    band.at = (odd & 1) + (odd >> 1 & 1) * b->dim[0];
    band.step[0] = 1 + (b->interpolated & 1);
    band.step[1] = (1 + (b->interpolated >> 1 & 1)) * b->dim[0];
    return band;
}

static __device__ __forceinline__ struct finest_point
finest_point_of(const struct finest *b, const struct finest_band *band, uint32_t odd, uint32_t i)
{
    struct finest_point p;
    const uint32_t row = divide(i, &band->row), plane = divide(row, &band->plane);
    p.c[0] = i - row * band->row.by;
    p.c[1] = row - plane * band->plane.by;
    p.c[2] = band->from + plane;
    p.at = band->at + p.c[1] * band->step[1] + p.c[0] * band->step[0];
    p.is_own = p.c[0] < band->own[0] && p.c[1] < band->own[1] && p.c[2] < band->own[2];
    p.number = band->first + (p.c[2] * band->own[1] + p.c[1]) * band->own[0] + p.c[0];
    p.x = (odd >> 2 ? finest_odd_plane(b, plane) : finest_even_plane(b, p.c[2])) + p.at;
    return p;
}

static __device__ __forceinline__ struct line
finest_line_of(const struct finest *b, const struct finest_point *p, uint32_t axis)
{
    const uint32_t j = p->c[2];
    const int64_t apart = axis == 0 ? 1 : b->dim[0];
    const struct line in_plane = LINE_AT(p->x, apart);
    if (axis < 2)
        return in_plane;
    const struct line l = {finest_even_plane(b, j - 1) + p->at, finest_even_plane(b, j) + p->at,
                           finest_even_plane(b, j + 1) + p->at,
                           finest_even_plane(b, j + 2) + p->at};
    return l;
}

/* Predict a point near a border, or linearly. */
static __device__ __forceinline__ uint32_t finest_predict_at_border(const struct finest *b,
                                                                    const struct finest_point *p,
                                                                    uint32_t odd)
{
    const uint32_t in_order = (odd & 1) << 3 | (odd & 2) << 1 | (odd & 4) >> 1;
    struct guess g = {0, 0, 0, 0};
    SIMT_UNROLL
    for (uint32_t axis = 3; axis-- > 0;) {
        const struct line l = finest_line_of(b, p, axis);
        if (odd >> axis & 1)
            guess_along(&g, &l, p->c[axis], b->of[axis], b->is_linear,
                        zti_sz_high_is_beyond(in_order, 3 - axis));
    }
    return mean_guess(&g);
}

static __device__ __forceinline__ uint32_t finest_predict(const struct finest *b,
                                                          const struct finest_point *p,
                                                          uint32_t odd)
{
    uint32_t t[3] = {0, 0, 0};
    bool is_inner = !b->is_linear;
    SIMT_UNROLL
    for (uint32_t axis = 0; axis < 3; axis++)
        if (odd >> axis & 1)
            is_inner = is_inner && ZTI_SZ_HIGH_HAS_FOUR(p->c[axis], b->of[axis]);
    if (!is_inner)
        return finest_predict_at_border(b, p, odd);
    SIMT_UNROLL
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (!(odd >> axis & 1))
            continue;
        const struct line l = finest_line_of(b, p, axis);
        t[axis] = zti_sz_high_interpolate(ZTI_SZ_HIGH_CUBIC, (uint32_t)*l.z, (uint32_t)*l.a,
                                          (uint32_t)*l.b, (uint32_t)*l.c);
    }
    return zti_sz_high_mean(zti_sz_high_axes_count(odd), t[0] + t[1] + t[2], t[0]);
}

/* ---- planes ---- */

/* The planes in work: even ones from[0] to to[0], odd ones from[1] to to[1]. */
struct finest_part {
    uint32_t from[2], to[2];
};

/* A row of a plane: its integers, the place in the array of its point 0, and its points in memory.
 */
struct finest_row {
    uint32_t z, y;
    bool is_even; /* along both axes, if they are interpolated */
    int32_t *x;
    char *at;
    uint32_t first, last;
};

/* The number of rows of a part; is_own: only the rows of the tile's own points. */
static __device__ __forceinline__ uint32_t finest_rows(const struct finest *b,
                                                       const struct finest_part *p, bool is_own)
{
    return (p->to[0] - p->from[0] + p->to[1] - p->from[1]) * (is_own ? b->own[1] : b->dim[1]);
}

static __device__ __forceinline__ struct finest_row
finest_row_of(const struct finest *b, const struct finest_part *p, bool is_own, uint32_t number)
{
    const struct finest_facts *const f = b->facts;
    const struct divisor each = f->rows[is_own];
    const uint32_t plane = divide(number, &each), evens = p->to[0] - p->from[0];
    const bool is_odd = plane >= evens;
    const uint32_t j = is_odd ? p->from[1] + plane - evens : p->from[0] + plane;
    struct finest_row r;
    r.y = number - plane * each.by;
    r.z = b->interpolated >> 2 ? 2 * j + is_odd : j;
    r.is_even = !is_odd && !(b->interpolated >> 1 & r.y & 1);
    r.x = (is_odd ? finest_odd_plane(b, plane - evens) : finest_even_plane(b, j)) + r.y * b->dim[0];
    r.at = f->at + r.z * f->stride[2] + r.y * f->stride[1];
    const bool is_there = r.z >= f->lo[2] && r.z < f->hi[2] && r.y >= f->lo[1] && r.y < f->hi[1];
    r.first = f->lo[0];
    r.last = is_there ? f->hi[0] : 0;
    return r;
}

/* The next planes after those of a part; false after the last. */
static __device__ __forceinline__ bool finest_next(const struct finest *b, struct finest_part *p)
{
    const uint32_t odds = b->interpolated >> 2 ? b->dim[2] / 2 : 0, each = b->h->finest_each;
    const uint32_t ahead = b->interpolated >> 2 ? 2 : 0;
    p->from[0] = p->to[0];
    p->from[1] = p->to[1];
    p->to[1] = simt_at_most(odds, p->from[1] + each);
    const uint32_t reach = (b->interpolated >> 2 ? p->from[1] : p->from[0]) + each + ahead;
    p->to[0] = simt_at_most(b->of[2], reach);
    return p->from[0] < p->to[0] || p->from[1] < p->to[1];
}

/* Load the coarser level's points of a part's even planes from the box. */
static __device__ __forceinline__ void finest_load(const struct finest *b,
                                                   const struct finest_part *p, const int32_t *x,
                                                   const uint8_t *magnitudes)
{
    const struct finest_band band = finest_band_of(b, 0, p->from[0], p->to[0]);
    for (uint32_t i = threadIdx.x; i < band.n; i += HIGH_THREADS) {
        const struct finest_point q = finest_point_of(b, &band, 0, i);
        const uint32_t z = b->interpolated >> 2 ? 2 * q.c[2] : q.c[2];
        const uint32_t at = z * b->dim[0] * b->dim[1] + q.at;
        *q.x = x[at];
        if (magnitudes)
            finest_magnitudes(b, 0, q.c[2])[q.at] = magnitudes[at];
    }
}

#endif
