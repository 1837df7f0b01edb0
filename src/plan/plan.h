/* plan.h: how the axes of an array become the axes of the coded array: in another order, some of
 * them joined. A plan moves no value; it is an order in which memory is visited. */
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

/* Describe a plan to users. *described must be all zeros, and stays so if the plan changes nothing.
 */
void zti_plan_describe(const struct zti_plan *plan, const uint64_t *shape, zt_plan *described);

/* The coded array as a view of the array's memory. False if no strides describe it. */
bool zti_plan_view(const struct zti_plan *plan, const struct zti_array *array,
                   struct zti_array *coded);

/* Copy an array to 'to' in the order of the coded array, C-contiguous. */
void zti_plan_copy(const struct zti_plan *plan, const struct zti_array *array, uint8_t *to);

/* The end of the axes of plan->axis that make one coded axis, beginning at 'from'. */
static inline uint32_t zti_plan_axis_end(const struct zti_plan *plan, uint32_t from)
{
    uint32_t to = from + 1;
    while (to < plan->rank && plan->is_joined[to])
        to++;
    return to;
}

/* The place in the coded array of a place of the array; returns the coded array's rank. */
uint32_t zti_plan_place(const struct zti_plan *plan, const uint64_t *shape, const uint64_t *place,
                        uint64_t *coded);

/* The view of the coded array that has the same values as a view of the array. False if no strides
 * describe it. */
bool zti_plan_part(const struct zti_plan *plan, const uint64_t *shape, const struct zti_view *view,
                   struct zti_view *coded);

/* A scatter (array/scatter.h) of the coded array's tiles into a view of the array. It refers to
 * plan, shape and view while it is used. */
struct zti_plan_scatter {
    struct zti_scatter scatter; /* first */
    const struct zti_plan *plan;
    const uint64_t *shape;
    const struct zti_view *view;
};

void zti_plan_scatter(const struct zti_plan *plan, const uint64_t *shape, const uint32_t *side,
                      const struct zti_view *view, struct zti_plan_scatter *scatter);

/* Copy the values that a box of the coded array, C-contiguous at 'from', shares with a view. */
void zti_plan_uncover(const struct zti_plan *plan, const uint64_t *shape, const zt_box *box,
                      const uint8_t *from, const struct zti_view *view);

/* ---- in a file: three bytes ---- */

enum { ZTI_PLAN_BYTES = 3, ZTI_PLAN_VERSION = 0 };

/* u8 version, 0; u8 the axes, two bits each, the coded array's slowest lowest; u8 bit k: axis k of
 * these is joined to the one before. */
void zti_plan_store(const struct zti_plan *plan, uint8_t *out);

/* ZT_CORRUPT or ZT_UNSUPPORTED, without a sentence. */
zt_status zti_plan_load(uint32_t rank, const uint8_t *in, uint64_t in_bytes, struct zti_plan *plan);

#endif
