/* ring.cu: see ring.h. */
#include "gpu/ring.h"
#include "gpu/memory_type.h"
extern "C" {
#include "core/map.h"
}

#include <atomic>
#include <string.h>

static const uint64_t least_bytes = 2 << 20, first_bytes = 64 << 20;

bool ring_suits(const struct ring *r, const void *host, uint64_t bytes)
{
    return bytes >= (r->memory ? least_bytes : first_bytes) &&
           memory_type_of(host) == cudaMemoryTypeUnregistered;
}

/* Allocate pieces and events, once. */
static cudaError_t open_ring(struct ring *r)
{
    if (r->memory)
        return cudaSuccess;
    void *memory = NULL;
    cudaError_t error = cudaHostAlloc(
        &memory, (size_t)RING_WORKERS * RING_PIECES * RING_PIECE_BYTES, cudaHostAllocDefault);
    unsigned made = 0;
    for (; made < RING_WORKERS * RING_PIECES && error == cudaSuccess; made += error == cudaSuccess)
        error = cudaEventCreateWithFlags(&r->done[made / RING_PIECES][made % RING_PIECES],
                                         cudaEventDisableTiming);
    if (error == cudaSuccess) {
        r->memory = (uint8_t *)memory;
        return cudaSuccess;
    }
    while (made-- > 0)
        (void)cudaEventDestroy(r->done[made / RING_PIECES][made % RING_PIECES]);
    (void)cudaFreeHost(memory);
    (void)cudaGetLastError(); /* the next call is not to report it */
    return cudaErrorMemoryAllocation;
}

/* One copy, whose pieces workers take in turn. */
struct moving {
    struct ring *ring;
    struct ring_copy copy;
    bool is_put;
    int device;
    uint64_t pieces, workers;
    std::atomic<uint64_t> next;
    std::atomic<int> error;
};

static uint8_t *piece_of(const struct moving *m, uint64_t worker, unsigned slot)
{
    return m->ring->memory + (worker * RING_PIECES + slot) * RING_PIECE_BYTES;
}

static size_t bytes_of(const struct moving *m, uint64_t piece)
{
    const uint64_t left = m->copy.bytes - piece * RING_PIECE_BYTES;
    return left < RING_PIECE_BYTES ? (size_t)left : (size_t)RING_PIECE_BYTES;
}

/* Have the GPU copy a piece of memory to or from a slot. */
static cudaError_t queue_piece(const struct moving *m, uint64_t worker, unsigned slot,
                               uint64_t piece)
{
    const uint64_t at = piece * RING_PIECE_BYTES;
    uint8_t *const own = piece_of(m, worker, slot);
    cudaError_t error = m->is_put ? cudaMemcpyAsync(m->copy.to + at, own, bytes_of(m, piece),
                                                    cudaMemcpyDefault, m->copy.queue)
                                  : cudaMemcpyAsync(own, m->copy.from + at, bytes_of(m, piece),
                                                    cudaMemcpyDefault, m->copy.queue);
    if (error == cudaSuccess)
        error = cudaEventRecord(m->ring->done[worker][slot], m->copy.queue);
    return error;
}

/* The host's copy of a piece. */
static void move_piece(const struct moving *m, uint64_t worker, unsigned slot, uint64_t piece)
{
    const uint64_t at = piece * RING_PIECE_BYTES;
    uint8_t *const own = piece_of(m, worker, slot);
    if (m->is_put)
        memcpy(own, m->copy.from + at, bytes_of(m, piece));
    else
        memcpy(m->copy.to + at, own, bytes_of(m, piece));
}

/* A worker fills a slot when the GPU has emptied it, or empties it when the GPU has filled it. */
static cudaError_t work(struct moving *m, uint64_t worker)
{
    uint64_t piece[RING_PIECES];
    bool is_busy[RING_PIECES] = {false};
    cudaError_t error = cudaSetDevice(m->device);
    for (unsigned k = 0; error == cudaSuccess; k++) {
        const unsigned slot = k % RING_PIECES;
        if (is_busy[slot])
            error = cudaEventSynchronize(m->ring->done[worker][slot]);
        if (error == cudaSuccess && is_busy[slot] && !m->is_put)
            move_piece(m, worker, slot, piece[slot]);
        is_busy[slot] = false;
        piece[slot] = m->next++;
        if (error != cudaSuccess || piece[slot] >= m->pieces)
            break;
        if (m->is_put)
            move_piece(m, worker, slot, piece[slot]);
        error = queue_piece(m, worker, slot, piece[slot]);
        is_busy[slot] = true;
    }
    for (unsigned slot = 0; slot < RING_PIECES; slot++)
        if (is_busy[slot] && cudaEventSynchronize(m->ring->done[worker][slot]) == cudaSuccess &&
            !m->is_put)
            move_piece(m, worker, slot, piece[slot]);
    return error;
}

static bool work_item(void *shared, uint32_t, uint64_t number)
{
    struct moving *const m = (struct moving *)shared;
    const cudaError_t error = work(m, number);
    if (error != cudaSuccess)
        m->error = (int)error;
    return true;
}

static cudaError_t move(const zt_context *context, struct ring *r, const struct ring_copy *copy,
                        bool is_put)
{
    struct moving m;
    m.ring = r;
    m.copy = *copy;
    m.is_put = is_put;
    m.pieces = (copy->bytes - 1) / RING_PIECE_BYTES + 1;
    m.next = 0;
    m.error = (int)cudaGetDevice(&m.device);
    const uint32_t most = zti_map_workers(context, m.pieces);
    m.workers = most < RING_WORKERS ? most : (uint32_t)RING_WORKERS;
    if (m.error == (int)cudaSuccess)
        zti_map(context, m.workers, work_item, &m);
    return (cudaError_t)m.error.load();
}

cudaError_t ring_write(const zt_context *context, struct ring *r, void *to, const void *from,
                       uint64_t bytes, cudaStream_t queue)
{
    const struct ring_copy copy = {(uint8_t *)to, (const uint8_t *)from, bytes, queue};
    const cudaError_t error = open_ring(r);
    return error != cudaSuccess ? error : move(context, r, &copy, true);
}

bool ring_note(struct ring *r, void *to, const void *from, uint64_t bytes, cudaStream_t queue)
{
    if (r->waiting_count == RING_COPIES || open_ring(r) != cudaSuccess)
        return false;
    r->waiting[r->waiting_count++] = {(uint8_t *)to, (const uint8_t *)from, bytes, queue};
    return true;
}

cudaError_t ring_finish(const zt_context *context, struct ring *r, cudaStream_t queue)
{
    cudaError_t first = cudaSuccess;
    unsigned left = 0;
    for (unsigned i = 0; i < r->waiting_count; i++) {
        const struct ring_copy copy = r->waiting[i];
        if (copy.queue != queue) {
            r->waiting[left++] = copy;
            continue;
        }
        const cudaError_t error = move(context, r, &copy, false);
        first = first != cudaSuccess ? first : error;
    }
    r->waiting_count = left;
    return first;
}

void ring_free(struct ring *r)
{
    for (unsigned i = 0; r->memory && i < RING_WORKERS * RING_PIECES; i++)
        (void)cudaEventDestroy(r->done[i / RING_PIECES][i % RING_PIECES]);
    (void)cudaFreeHost(r->memory);
    r->memory = NULL;
}
