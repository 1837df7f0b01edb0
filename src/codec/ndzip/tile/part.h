/* part.h: the part of a cube that lies inside the array and a view, and where its values are in
 * memory.
 *
 * A cube at the array's end is padded by repeating the last value along each axis, so that the
 * padding's residuals are zero. Its axes are first sorted by extent, the longest last, so that its
 * values fill as few groups as possible. */
#ifndef ZTI_NDZIP_TILE_PART_H
#define ZTI_NDZIP_TILE_PART_H

#include "codec/ndzip/ndzip.h"

/* The axes of the array along which cubes have more than one value, slowest first. */
struct shape {
    uint32_t rank; /* number of these axes */
    uint32_t axis[3];
    uint32_t side;
    uint32_t value_bytes;
};

/* The part of a cube that is coded: extents and strides along three axes; a cube of lower rank has
 * extents of 1 along the first ones. */
struct part {
    uint8_t *data;    /* the part's first value */
    uint32_t skip[3]; /* values of the cube before the part, along each axis */
    uint32_t extent[3];
    int64_t stride_bytes[3];
    bool is_plain; /* a whole cube with rows of consecutive values */
};

ZTI_INLINE struct shape shape_of(const struct zti_coding *coding)
{
    struct shape s = {0, {0, 0, 0}, 0, coding->type == ZT_F32 || coding->type == ZT_I32 ? 4u : 8u};
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        if (coding->grid.side[i] > 1) {
            s.axis[s.rank++] = i;
            s.side = coding->grid.side[i];
        }
    return s;
}

/* Sort the axes of a cube that the array's end cuts. */
ZTI_INLINE void sort_axes(const struct zti_grid *grid, const struct zti_walk *at, struct shape *s)
{
    uint64_t rest[3];
    for (uint32_t i = 0; i < s->rank; i++) {
        const uint32_t axis = s->axis[i];
        const uint64_t r = grid->shape[axis] - at->origin[axis];
        const uint64_t here = r < s->side ? r : s->side;
        uint32_t k = i;
        for (; k > 0 && rest[k - 1] > here; k--) {
            rest[k] = rest[k - 1];
            s->axis[k] = s->axis[k - 1];
        }
        rest[k] = here;
        s->axis[k] = axis;
    }
}

/* The part of a cube inside the box [lo, hi) of the array; the first element of 'memory' is that at
 * lo. */
ZTI_INLINE struct part part_of(const struct zti_grid *grid, struct shape s,
                               const struct zti_walk *at, const struct zti_array *memory,
                               const uint64_t *lo, const uint64_t *hi)
{
    struct part p = {NULL, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}, true};
    int64_t offset = 0;
    for (uint32_t i = 0; i < grid->rank; i++) {
        const uint64_t from = at->origin[i] > lo[i] ? at->origin[i] : lo[i];
        offset += (int64_t)(from - lo[i]) * memory->stride[i];
        if (grid->side[i] > grid->shape[i] - at->origin[i])
            p.is_plain = false;
    }
    if (!p.is_plain)
        sort_axes(grid, at, &s);
    for (uint32_t i = 0; i < s.rank; i++) {
        const uint32_t axis = s.axis[i], k = 3 - s.rank + i;
        const uint64_t end =
            at->origin[axis] + s.side < hi[axis] ? at->origin[axis] + s.side : hi[axis];
        p.skip[k] = at->origin[axis] < lo[axis] ? (uint32_t)(lo[axis] - at->origin[axis]) : 0;
        p.extent[k] = (uint32_t)(end - at->origin[axis]) - p.skip[k];
        p.stride_bytes[k] = memory->stride[axis] * (int64_t)s.value_bytes;
        p.is_plain &= p.extent[k] == s.side;
    }
    p.is_plain &= p.stride_bytes[2] == (int64_t)s.value_bytes;
    p.data = (uint8_t *)memory->data + offset * (int64_t)s.value_bytes;
    return p;
}

#endif
