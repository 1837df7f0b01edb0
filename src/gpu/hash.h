/* hash.h: checksums of ranges of bytes of the device's memory. */
#ifndef ZTI_GPU_HASH_H
#define ZTI_GPU_HASH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* cf. zti_device. Queued and not waited for. */
void zti_cuda_hash(const uint8_t *bytes, uint64_t n, uint32_t log2, uint32_t *sums, void *queue);

#ifdef __cplusplus
}
#endif

#endif
