/* array.h: checked arrays, views of a box of an array, and the grid of tiles with a walk over it in
 * stream order. */
#ifndef ZTI_ARRAY_H
#define ZTI_ARRAY_H

#include "core/core.h"

/* What a call does with the caller's array. */
enum zti_use { ZTI_SHAPE_ONLY, ZTI_TO_READ, ZTI_TO_WRITE };

/* Check a caller's array, and make a struct zti_array of it; each public call does this once.
 * Always checked: type, rank and extents (at least 1; the bytes of all elements fit in 63 bits). To
 * read or write also: the data pointer, that the context can use its memory, and that the span of
 * the strides fits in 63 bits. To write also: no stride is 0 along an axis of more than one
 * element, and the context's limit of outputs. */
zt_status zti_array_check(zt_context *context, const zt_array *given, enum zti_use use,
                          struct zti_array *array);

/* Whether an array can have this type, rank and shape, which come from a file. */
bool zti_shape_fits(uint32_t type, uint32_t rank, const uint64_t *shape);

/* Memory of the host as a C-contiguous array. */
static inline struct zti_array zti_array_packed(void *data, uint32_t type, uint32_t rank,
                                                const uint64_t *shape)
{
    struct zti_array array = {data, type, rank, {0}, {0}, false};
    uint64_t step = 1;
    for (uint32_t i = rank; i-- > 0; step *= shape[i]) {
        array.shape[i] = shape[i];
        array.stride[i] = (int64_t)step;
    }
    return array;
}

ZTI_STATIC bool zti_is_float(uint32_t type)
{
    return type == ZT_F32 || type == ZT_F64;
}

static inline uint64_t zti_array_bytes(const struct zti_array *array)
{
    return zti_array_values(array->rank, array->shape) * zt_type_bytes(array->type);
}

/* Whether an array has this type, rank and shape. */
bool zti_array_is_of(const struct zti_array *array, uint32_t type, uint32_t rank,
                     const uint64_t *shape);

/* Slices [first, first + extent) along the slowest axis. */
struct zti_array zti_array_slab(const struct zti_array *array, uint64_t first, uint64_t extent);

/* The address of the element at these coordinates. */
ZTI_INLINE void *zti_array_at(const struct zti_array *array, const uint64_t *at)
{
    int64_t offset = 0;
    for (uint32_t i = 0; i < array->rank; i++)
        offset += (int64_t)at[i] * array->stride[i];
    return (char *)array->data + offset * (array->type == ZT_F32 || array->type == ZT_I32 ? 4 : 8);
}

/* Load a value of any type; one of int64 is rounded. */
static inline double zti_number_at(uint32_t type, const void *at)
{
    union {
        float f;
        double d;
        int32_t i;
        int64_t l;
    } u = {.l = 0};
    memcpy(&u, at, zt_type_bytes(type));
    return type == ZT_F32 ? (double)u.f : type == ZT_F64 ? u.d : type == ZT_I32 ? u.i : (double)u.l;
}

/* Copy an array to C-contiguous memory. */
void zti_array_copy(const struct zti_array *from, uint8_t *to);

/* Copy C-contiguous memory to an array. */
void zti_array_paste(const uint8_t *from, const struct zti_array *to);

/* ZT_BAD_ARG unless lo < hi <= shape along each axis and out has the box's shape. */
zt_status zti_box_check(zt_context *context, const zt_box *box, uint32_t rank,
                        const uint64_t *shape);

/* Where decoded tiles go: the box [lo, hi) of the coded array is written to out, whose element (0,
 * ..., 0) is the coded array's element lo. Values of tiles outside the box are dropped. */
struct zti_view {
    struct zti_array out;
    uint64_t lo[ZT_MAX_RANK];
    uint64_t hi[ZT_MAX_RANK];
};

struct zti_view zti_view_whole(const struct zti_array *out);

/* Set up the view of a box of 'whole' in 'out'; false unless 'out' has the type of 'whole' and the
 * shape of the box. */
bool zti_view_box(const struct zti_array *whole, const zt_box *box, const struct zti_array *out,
                  struct zti_view *view);

/* The tiles of an array: side[i] values along axis i; the last tile along an axis may have
 * fewer. */
struct zti_grid {
    uint32_t rank;
    uint32_t side[ZT_MAX_RANK];
    uint64_t shape[ZT_MAX_RANK]; /* of the array, in elements */
    uint64_t tiles[ZT_MAX_RANK]; /* along each axis */
    uint64_t count;              /* of all tiles, which are numbered in C order */
};

ZTI_STATIC struct zti_grid zti_grid_of(uint32_t rank, const uint64_t *shape, const uint32_t *side)
{
    struct zti_grid grid = {rank, {0}, {0}, {0}, 1};
    for (uint32_t i = 0; i < rank; i++) {
        grid.side[i] = side[i];
        grid.shape[i] = shape[i];
        grid.tiles[i] = zti_ceil_div(shape[i], side[i]);
        grid.count *= grid.tiles[i];
    }
    return grid;
}

/* An iterator over tiles in stream order. */
struct zti_walk {
    uint64_t tile;
    uint64_t origin[ZT_MAX_RANK]; /* of the tile, in elements */
};

ZTI_INLINE struct zti_walk zti_walk_from(const struct zti_grid *grid, uint64_t tile)
{
    struct zti_walk walk = {tile, {0, 0, 0, 0}};
    for (uint32_t i = grid->rank; i-- > 0;) {
        walk.origin[i] = tile % grid->tiles[i] * grid->side[i];
        tile /= grid->tiles[i];
    }
    return walk;
}

ZTI_INLINE void zti_walk_next(const struct zti_grid *grid, struct zti_walk *walk)
{
    walk->tile++;
    for (uint32_t i = grid->rank; i-- > 0;) {
        walk->origin[i] += grid->side[i];
        if (walk->origin[i] < grid->shape[i])
            return;
        walk->origin[i] = 0;
    }
}

#ifdef __cplusplus
extern "C" {
#endif

/* Place k of a sequence that fills 'room' evenly, whatever its length; each axis has its own. */
uint64_t zti_spread_along(uint64_t room, uint32_t axis, uint32_t k);

/* Place point number k of an array by it. */
void zti_array_point(const struct zti_array *array, uint32_t k, uint64_t *at);

/* Whether a value is farther than a bound from the cubic through four neighbours: near is the sum
 * of the two beside it, far that of the two at three times the distance. NaN is. */
bool zti_is_off_cubic(double value, double near, double far, double bound);

/* Whether a box of an array, in the host's memory, at its first ZTI_FLAT_POINTS points has a range
 * of at most 'most'. With a step of a quantizer, boxes as of zeros, which say nothing of the rest
 * of the array. And the same of the values there. */
enum { ZTI_FLAT_POINTS = 512 };
bool zti_array_is_flat(const struct zti_array *array, const uint64_t *origin, const uint64_t *shape,
                       double most);
bool zti_are_flat(const double *values, double most);

#ifdef __cplusplus
}
#endif

#endif
