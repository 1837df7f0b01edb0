/* ring.h: large copies between a GPU and memory of the host that is not pinned. The driver copies
 * such memory with one thread; here all threads of the policy do, each through pinned pieces of its
 * own which the GPU copies meanwhile. */
#ifndef ZTI_GPU_RING_H
#define ZTI_GPU_RING_H

#include "core/core.h"

#include <cuda_runtime.h>

enum {
    RING_WORKERS = 16,
    RING_PIECES = 2, /* of each worker: one is copied by the host while the GPU copies the other */
    RING_PIECE_BYTES = 1 << 20,
    RING_COPIES = 8
};

/* A copy from the GPU that nobody has waited for. */
struct ring_copy {
    uint8_t *to;
    const uint8_t *from;
    uint64_t bytes;
    cudaStream_t queue;
};

/* Zeros: nothing is allocated yet. */
struct ring {
    uint8_t *memory;
    cudaEvent_t done[RING_WORKERS][RING_PIECES];
    struct ring_copy waiting[RING_COPIES];
    unsigned waiting_count;
};

/* Whether a copy goes through a ring: it is large, and this side of it is memory that is not
 * pinned. To allocate the ring takes some 10 ms, so the first one has to be larger. */
bool ring_suits(const struct ring *ring, const void *host, uint64_t bytes);

/* Copy to the GPU: the host's memory may change when this returns. cudaErrorMemoryAllocation: there
 * is no pinned memory, and nothing was copied. Here and below the GPU is the current device. */
cudaError_t ring_write(const zt_context *context, struct ring *ring, void *to, const void *from,
                       uint64_t bytes, cudaStream_t queue);

/* Note a copy from the GPU, which begins and ends in ring_finish for its queue. false: no room. */
bool ring_note(struct ring *ring, void *to, const void *from, uint64_t bytes, cudaStream_t queue);
cudaError_t ring_finish(const zt_context *context, struct ring *ring, cudaStream_t queue);

void ring_free(struct ring *ring);

#endif
