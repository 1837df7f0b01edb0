/* elements.h: where elements of an array of the device's memory are; with few divisions where its
 * axes were joined (zti_array_joined). */
#ifndef ZTI_GPU_ELEMENTS_H
#define ZTI_GPU_ELEMENTS_H

#include "core/core.h"
#include "gpu/simt.h"

/* Where element i, in C order, of an array is, in elements from its first. */
static __device__ __forceinline__ int64_t offset_of(const struct zti_array *array, uint64_t i)
{
    int64_t offset = 0;
    SIMT_UNROLL
    for (uint32_t axis = ZT_MAX_RANK; axis-- > 0;) {
        if (axis >= array->rank)
            continue;
        if (axis == 0)
            return offset + (int64_t)i * array->stride[0];
        const uint64_t rest = i / array->shape[axis];
        offset += (int64_t)(i - rest * array->shape[axis]) * array->stride[axis];
        i = rest;
    }
    return offset;
}

#endif
