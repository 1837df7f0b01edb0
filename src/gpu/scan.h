/* scan.h: the least, the greatest, the not finite and the fill values of an array of the device's
 * memory. */
#ifndef ZTI_GPU_SCAN_H
#define ZTI_GPU_SCAN_H

#include "core/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* cf. zti_device. Queued and not waited for. */
void zti_cuda_scan(const struct zti_array *array, const struct zti_scan_fills *fills,
                   struct zti_scan_found *found, void *queue);

#ifdef __cplusplus
}
#endif

#endif
