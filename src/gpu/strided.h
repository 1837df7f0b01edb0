/* strided.h: arrays of the device's memory with any strides to C-contiguous memory there, and
 * back. */
#ifndef ZTI_GPU_STRIDED_H
#define ZTI_GPU_STRIDED_H

#include "core/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Queued and not waited for. */
void zti_cuda_pack(const struct zti_array *from, void *to, void *queue);
void zti_cuda_unpack(const void *from, const struct zti_array *to, void *queue);

#ifdef __cplusplus
}
#endif

#endif
