/* part.h: where the values of a cube are: in an array, and cut by its end or a view.
 *
 * A cube at the array's end is padded. Padding repeats the last value along each axis, so that all
 * its residuals are zero, and such a cube is turned first: its axes are ordered by its extents
 * along them, the longest last, so that its values fill as few groups as can be. */
#ifndef ZTI_NDZIP_TILE_PART_H
#define ZTI_NDZIP_TILE_PART_H

#include "codec/ndzip/ndzip.h"

/* The axes of the array that cubes have, slowest first. */
struct shape {
    uint32_t rank; /* of cubes */
    uint32_t axis[3];
    uint32_t side;
    uint32_t value_bytes;
};

/* The part of a cube that is worked on: extents and strides along the cube's own three axes, those
 * that it does not have first with an extent of 1. */
struct part {
    uint8_t *data;    /* of its first value */
    uint32_t skip[3]; /* values of the cube before it, along each axis */
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

/* Order the axes of a cube that the array's end cuts. */
ZTI_INLINE void turn(const struct zti_grid *grid, const struct zti_walk *at, struct shape *s)
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

/* What a cube has inside the box [lo, hi) of the array, in memory whose first element is lo's. */
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
        turn(grid, at, &s);
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
