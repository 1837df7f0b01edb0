/* ring.cu: see ring.h. */
#include "gpu/ring.h"
extern "C" {
#include "core/map.h"
}

#include <string.h>

static const size_t least_bytes = 2 << 20, part_bytes = 256 << 10;

bool ring_takes(const void *host, uint64_t bytes)
{
    cudaPointerAttributes attributes;
    if (bytes < least_bytes)
        return false;
    if (cudaPointerGetAttributes(&attributes, host) != cudaSuccess) {
        (void)cudaGetLastError();
        return true;
    }
    return attributes.type == cudaMemoryTypeUnregistered;
}

/* Allocate pieces and events, once. */
static cudaError_t open_ring(struct ring *r)
{
    if (r->memory)
        return cudaSuccess;
    void *memory = NULL;
    cudaError_t error =
        cudaHostAlloc(&memory, (size_t)RING_PIECES * RING_PIECE_BYTES, cudaHostAllocDefault);
    if (error != cudaSuccess) {
        (void)cudaGetLastError(); /* the next call is not to report it */
        return cudaErrorMemoryAllocation;
    }
    r->memory = (uint8_t *)memory;
    for (unsigned i = 0; i < RING_PIECES && error == cudaSuccess; i++)
        error = cudaEventCreateWithFlags(&r->done[i], cudaEventDisableTiming);
    return error;
}

static uint8_t *piece_of(const struct ring *r, unsigned i)
{
    return r->memory + (size_t)i * RING_PIECE_BYTES;
}

/* ---- the host's copies ---- */

struct host_copy {
    uint8_t *to;
    const uint8_t *from;
    size_t bytes;
};

static bool move_part(void *shared, uint32_t, uint64_t number)
{
    const struct host_copy *const m = (const struct host_copy *)shared;
    const size_t at = (size_t)number * part_bytes, left = m->bytes - at;
    memcpy(m->to + at, m->from + at, left < part_bytes ? left : part_bytes);
    return true;
}

static void move(const zt_context *context, void *to, const void *from, size_t bytes)
{
    struct host_copy m = {(uint8_t *)to, (const uint8_t *)from, bytes};
    zti_map(context, (bytes - 1) / part_bytes + 1, move_part, &m);
}

/* Wait until a piece can be used again; what the GPU copied to it goes where it shall. */
static cudaError_t settle(const zt_context *context, struct ring *r, unsigned i)
{
    if (!r->is_busy[i])
        return cudaSuccess;
    const cudaError_t error = cudaEventSynchronize(r->done[i]);
    if (error == cudaSuccess && r->to[i])
        move(context, r->to[i], piece_of(r, i), r->bytes[i]);
    r->is_busy[i] = false;
    r->to[i] = NULL;
    return error;
}

/* ---- copies ---- */

static size_t piece_bytes(uint64_t left)
{
    return left < RING_PIECE_BYTES ? (size_t)left : (size_t)RING_PIECE_BYTES;
}

cudaError_t ring_put(const zt_context *context, struct ring *r, void *to, const void *from,
                     uint64_t bytes, cudaStream_t queue)
{
    cudaError_t error = open_ring(r);
    for (uint64_t at = 0; at < bytes && error == cudaSuccess; at += RING_PIECE_BYTES) {
        const unsigned i = r->next++ % RING_PIECES;
        const size_t n = piece_bytes(bytes - at);
        error = settle(context, r, i);
        if (error != cudaSuccess)
            break;
        move(context, piece_of(r, i), (const uint8_t *)from + at, n);
        error = cudaMemcpyAsync((uint8_t *)to + at, piece_of(r, i), n, cudaMemcpyDefault, queue);
        if (error == cudaSuccess)
            error = cudaEventRecord(r->done[i], queue);
        r->is_busy[i] = true;
    }
    return error;
}

cudaError_t ring_take(const zt_context *context, struct ring *r, void *to, const void *from,
                      uint64_t bytes, cudaStream_t queue)
{
    cudaError_t error = open_ring(r);
    for (uint64_t at = 0; at < bytes && error == cudaSuccess; at += RING_PIECE_BYTES) {
        const unsigned i = r->next++ % RING_PIECES;
        const size_t n = piece_bytes(bytes - at);
        error = settle(context, r, i);
        if (error != cudaSuccess)
            break;
        error = cudaMemcpyAsync(piece_of(r, i), (const uint8_t *)from + at, n, cudaMemcpyDefault,
                                queue);
        if (error == cudaSuccess)
            error = cudaEventRecord(r->done[i], queue);
        r->is_busy[i] = true;
        r->to[i] = (uint8_t *)to + at;
        r->bytes[i] = n;
    }
    return error;
}

cudaError_t ring_finish(const zt_context *context, struct ring *r)
{
    cudaError_t first = cudaSuccess;
    for (unsigned k = 0; k < RING_PIECES; k++) { /* the oldest first */
        const cudaError_t error = settle(context, r, (r->next + k) % RING_PIECES);
        first = first != cudaSuccess ? first : error;
    }
    return first;
}

void ring_free(struct ring *r)
{
    for (unsigned i = 0; r->memory && i < RING_PIECES; i++)
        (void)cudaEventDestroy(r->done[i]);
    (void)cudaFreeHost(r->memory);
    r->memory = NULL;
}
