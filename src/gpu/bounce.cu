/* bounce.cu: see bounce.h. */
#include "gpu/bounce.h"
#include "gpu/memory_type.h"

#include <string.h>

enum { ALIGN_BYTES = 64 };

void bounce_open(struct bounce *b)
{
    void *memory = NULL;
    if (cudaHostAlloc(&memory, BOUNCE_BYTES, cudaHostAllocDefault) == cudaSuccess)
        b->memory = (uint8_t *)memory;
    else
        (void)cudaGetLastError(); /* the next call is not to report it */
}

void bounce_free(struct bounce *b)
{
    (void)cudaFreeHost(b->memory);
    b->memory = NULL;
}

bool bounce_take(struct bounce *b, void *to, const void *from, uint64_t bytes, cudaStream_t queue,
                 cudaError_t *error)
{
    if (!b->memory || bytes > BOUNCE_COPY_BYTES || bytes > BOUNCE_BYTES - b->used_bytes ||
        b->waiting_count == BOUNCE_COPIES)
        return false;
    const cudaMemoryType from_type = memory_type_of(from), to_type = memory_type_of(to);
    const bool is_put = from_type == cudaMemoryTypeUnregistered && to_type == cudaMemoryTypeDevice;
    if (!is_put && (from_type != cudaMemoryTypeDevice || to_type != cudaMemoryTypeUnregistered))
        return false;
    uint8_t *const pinned = b->memory + b->used_bytes;
    if (is_put)
        memcpy(pinned, from, (size_t)bytes);
    *error = cudaMemcpyAsync(is_put ? to : pinned, is_put ? pinned : from, (size_t)bytes,
                             cudaMemcpyDefault, queue);
    b->waiting[b->waiting_count++] = {is_put ? NULL : to, pinned, (size_t)bytes, queue};
    b->used_bytes += (size_t)(bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    return true;
}

void bounce_finish(struct bounce *b, cudaStream_t queue)
{
    unsigned left = 0;
    for (unsigned i = 0; i < b->waiting_count; i++) {
        const struct bounce_copy copy = b->waiting[i];
        if (copy.queue != queue)
            b->waiting[left++] = copy;
        else if (copy.to)
            memcpy(copy.to, copy.pinned, copy.bytes);
    }
    b->waiting_count = left;
    b->used_bytes = left > 0 ? b->used_bytes : 0;
}
