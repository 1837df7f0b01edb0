/* value.h: a value of an array, whatever its type. */
#ifndef ZTI_CMD_VALUE_H
#define ZTI_CMD_VALUE_H

#include "ztile.h"

/* Value i of a C-contiguous array in the host's memory, rounded to double. */
static inline double value_at(const zt_array *a, uint64_t i)
{
    switch (a->type) {
    case ZT_F32: return (double)((const float *)a->data)[i];
    case ZT_F64: return ((const double *)a->data)[i];
    case ZT_I32: return (double)((const int32_t *)a->data)[i];
    default: return (double)((const int64_t *)a->data)[i];
    }
}

/* For qsort of numbers. */
static inline int compare_values(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#endif
