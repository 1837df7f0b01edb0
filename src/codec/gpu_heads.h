/* gpu_heads.h: kernels for a codec whose stream begins with a head that says where tiles end. With
 * them the host need not see the head, so nothing is waited for. A table beside that of gpu.h. */
#ifndef ZTI_GPU_HEADS_H
#define ZTI_GPU_HEADS_H

#include "codec/codec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is queued. Pointers are to the device's memory, except coding. */
struct zti_cuda_head {
    const struct zti_coding *coding;
    void *head;             /* where the stream begins; tiles follow */
    uint64_t head_bytes;    /* of the head */
    uint64_t data_bytes;    /* of the stream, or more that can be read (take, finish) */
    const uint64_t *starts; /* where each tile begins, in bits from the first (put) */
    const uint64_t *states; /* [1]: bits of all tiles (put); [0]: 0 if all ended well (finish) */
    uint64_t *places;       /* two for each tile, in bits of the stream: begin and end (take) */
    uint64_t *result;       /* put: bytes of the stream. take: zeroed, and damage is added to it;
                               finish adds what states say */
    void *queue;
};

struct zti_cuda_heads {
    uint64_t (*bytes)(const struct zti_coding *coding);
    void (*put)(const struct zti_cuda_head *h);
    void (*take)(const struct zti_cuda_head *h);
    void (*finish)(const struct zti_cuda_head *h);
};

/* Those of the codec with this zt_codec number, or NULL. */
const struct zti_cuda_heads *zti_cuda_heads_of(uint32_t id);

#ifdef __cplusplus
}
#endif

#endif
