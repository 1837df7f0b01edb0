/* ring.h: large copies between a GPU and memory of the host that is not pinned. The driver copies
 * such memory with one thread; here all threads copy it to or from pinned pieces, which the GPU
 * copies meanwhile. */
#ifndef ZTI_GPU_RING_H
#define ZTI_GPU_RING_H

#include "core/core.h"

#include <cuda_runtime.h>

enum { RING_PIECES = 4, RING_PIECE_BYTES = 8 << 20 };

/* One direction. Zeros: nothing is allocated yet. */
struct ring {
    uint8_t *memory;
    cudaEvent_t done[RING_PIECES]; /* the GPU's copy of a piece */
    bool is_busy[RING_PIECES];     /* it may not be */
    void *to[RING_PIECES];         /* where the host has to copy a piece when it is; or NULL */
    size_t bytes[RING_PIECES];
    unsigned next;
};

/* Whether a copy goes through a ring: it is large, and this side of it is memory that is not
 * pinned. */
bool ring_takes(const void *host, uint64_t bytes);

/* Copy to the GPU: from may change when this returns. cudaErrorMemoryAllocation: there is no pinned
 * memory, and nothing was copied. */
cudaError_t ring_put(const zt_context *context, struct ring *ring, void *to, const void *from,
                     uint64_t bytes, cudaStream_t queue);

/* Copy from the GPU: the bytes are there after ring_finish. */
cudaError_t ring_take(const zt_context *context, struct ring *ring, void *to, const void *from,
                      uint64_t bytes, cudaStream_t queue);
cudaError_t ring_finish(const zt_context *context, struct ring *ring);

void ring_free(struct ring *ring);

#endif
