/* plan.h: how the axes of an array become those of the array that is coded: in another order, some
 * of them joined. A plan moves no value: it is a way to walk over memory. */
#ifndef ZTI_PLAN_H
#define ZTI_PLAN_H

#include "array/scatter.h"

/* The coded array has the axes of the array in the order axis[0], axis[1], ..., slowest first.
 * Where is_joined[k] is set, axis[k] and axis[k - 1] lie in one coded axis, in which axis[k] is
 * faster; an axis that has one element vanishes by that. is_joined[0] is never set. */
struct zti_plan {
    uint8_t rank; /* of the array */
    uint8_t axis[ZT_MAX_RANK];
    bool is_joined[ZT_MAX_RANK];
};

/* The plan that changes nothing. */
struct zti_plan zti_plan_none(uint32_t rank);
bool zti_plan_is_none(const struct zti_plan *plan);

/* The coded array's rank and shape. */
uint32_t zti_plan_shape(const struct zti_plan *plan, const uint64_t *shape, uint64_t *coded);

/* What users are told of a plan of an array of this shape: all zeros for one that changes nothing,
 * which *told is before. */
void zti_plan_describe(const struct zti_plan *plan, const uint64_t *shape, zt_plan *told);

/* An array seen as the coded one. False where no strides make it that. */
bool zti_plan_view(const struct zti_plan *plan, const struct zti_array *array,
                   struct zti_array *coded);

/* Copy an array, so that 'to' is the coded one, C-contiguous. */
void zti_plan_copy(const struct zti_plan *plan, const struct zti_array *array, uint8_t *to);

/* The smallest box of the coded array that holds a box of the array. */
void zti_plan_cover(const struct zti_plan *plan, const uint64_t *shape, const zt_box *box,
                    zt_box *cover);

/* The view of the coded array that a view of the array is. False where no strides make it that. */
bool zti_plan_part(const struct zti_plan *plan, const uint64_t *shape, const struct zti_view *view,
                   struct zti_view *coded);

/* A view as what is wanted of the coded array, whose tiles have these sides. Plan, shape and view
 * are looked at as long as it is in use. */
struct zti_plan_scatter {
    struct zti_scatter scatter; /* first */
    const struct zti_plan *plan;
    const uint64_t *shape;
    const struct zti_view *view;
};

void zti_plan_scatter(const struct zti_plan *plan, const uint64_t *shape, const uint32_t *side,
                      const struct zti_view *view, struct zti_plan_scatter *scatter);

/* Copy what a box of the coded array, C-contiguous at 'from', has of a view. */
void zti_plan_uncover(const struct zti_plan *plan, const uint64_t *shape, const zt_box *box,
                      const uint8_t *from, const struct zti_view *view);

/* Call for boxes of the array that together are a box of the coded one, until a call fails. */
zt_status zti_plan_boxes(const struct zti_plan *plan, const uint64_t *shape, const zt_box *coded,
                         zt_status (*call)(void *user, const zt_box *box), void *user);

/* ---- in a file: three bytes ---- */

enum { ZTI_PLAN_BYTES = 3, ZTI_PLAN_VERSION = 0 };

/* u8 version, 0; u8 the axes, two bits each, the coded array's slowest lowest; u8 bit k: axis k of
 * these is joined to the one before. */
void zti_plan_store(const struct zti_plan *plan, uint8_t *out);

/* ZT_CORRUPT or ZT_UNSUPPORTED, without a sentence. */
zt_status zti_plan_load(uint32_t rank, const uint8_t *in, uint64_t in_bytes, struct zti_plan *plan);

#endif
