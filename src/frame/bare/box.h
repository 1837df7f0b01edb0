/* box.h: what calls for a box of a bare stream check: the box, and the caller's array for its
 * values. */
#ifndef ZTI_FRAME_BARE_BOX_H
#define ZTI_FRAME_BARE_BOX_H

#include "array/array.h"

/* Check a box of the array 'whole', which was checked, and the caller's array 'given', which must
 * have its type and the box's shape; set up the view of the box in it. */
static inline zt_status zti_bare_box_check(zt_context *context, const struct zti_array *whole,
                                           const zt_box *box, const zt_array *given,
                                           enum zti_use use, struct zti_view *view)
{
    struct zti_array values;
    zt_status status = zti_array_check(context, given, use, &values);
    if (status == ZT_OK)
        status = zti_box_check(context, box, whole->rank, whole->shape);
    if (status == ZT_OK && !zti_view_box(whole, box, &values, view))
        status = zti_fail(context, ZT_BAD_ARG,
                          "the box's array does not have the array's type and the box's shape");
    return status;
}

#endif
