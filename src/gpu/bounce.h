/* bounce.h: small copies between a GPU and memory of the host that is not pinned, by way of pinned
 * memory. The driver makes the caller wait for such a copy; a copy from pinned memory is queued. */
#ifndef ZTI_GPU_BOUNCE_H
#define ZTI_GPU_BOUNCE_H

#include <cuda_runtime.h>
#include <stdint.h>

enum { BOUNCE_BYTES = 1 << 18, BOUNCE_COPY_BYTES = 1 << 17, BOUNCE_COPIES = 32 };

/* A copy that nobody has waited for. */
struct bounce_copy {
    void *to; /* NULL: it is to the GPU, and its pinned bytes are only in use */
    const uint8_t *pinned;
    size_t bytes;
    cudaStream_t queue;
};

/* Zeros: there is no pinned memory, and copies are not taken. */
struct bounce {
    uint8_t *memory;
    size_t used_bytes;
    struct bounce_copy waiting[BOUNCE_COPIES];
    unsigned waiting_count;
};

void bounce_open(struct bounce *bounce);
void bounce_free(struct bounce *bounce);

/* Queue a copy, if it suits: *error says how that went. false: it is not taken. A copy to the
 * host's memory ends in bounce_finish. */
bool bounce_take(struct bounce *bounce, void *to, const void *from, uint64_t bytes,
                 cudaStream_t queue, cudaError_t *error);

/* End the copies of a queue, which was waited for. */
void bounce_finish(struct bounce *bounce, cudaStream_t queue);

#endif
