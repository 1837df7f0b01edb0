/* rows.h: the rows of an array (lines along its last axis) in C order. */
#ifndef ZTI_ARRAY_ROWS_H
#define ZTI_ARRAY_ROWS_H

#include "array/array.h"

/* The address of element number 'at' in C order; *left: how many elements its row has from there
 * on. */
ZTI_INLINE const char *zti_array_row(const struct zti_array *array, uint64_t at, uint64_t *left)
{
    uint64_t place[ZT_MAX_RANK] = {0};
    const uint32_t last = array->rank - 1;
    for (uint32_t i = array->rank; i-- > 0; at /= array->shape[i])
        place[i] = at % array->shape[i];
    *left = array->shape[last] - place[last];
    return (const char *)zti_array_at(array, place);
}

#endif
