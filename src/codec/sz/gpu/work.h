/* work.h: the host's part of encoding large tiles by kernels: copies to and from a codec's scratch
 * in the device's memory, and waits for these. The first failure is kept. */
#ifndef ZTI_SZ_GPU_WORK_H
#define ZTI_SZ_GPU_WORK_H

#include "codec/gpu.h"
#include "codec/sz/spec.h"
#include "core/device.h"

struct sz_work {
    zt_context *context;
    zt_status status;
    void *queue;
    uint8_t *memory; /* the device's */
};

static inline void sz_send(struct sz_work *w, uint64_t to, const void *from, uint64_t bytes)
{
    if (w->status == ZT_OK && bytes > 0)
        w->status =
            w->context->device->copy(w->context, ZTI_QUEUE_KERNELS, w->memory + to, from, bytes);
}

static inline void sz_fetch(struct sz_work *w, void *to, uint64_t from, uint64_t bytes)
{
    if (w->status == ZT_OK && bytes > 0)
        w->status =
            w->context->device->copy(w->context, ZTI_QUEUE_KERNELS, to, w->memory + from, bytes);
}

static inline void sz_clear(struct sz_work *w, uint64_t at, uint64_t bytes)
{
    if (w->status == ZT_OK && bytes > 0)
        w->status = w->context->device->zero(w->context, ZTI_QUEUE_KERNELS, w->memory + at, bytes);
}

/* Wait for all that is queued; false: something failed. */
static inline bool sz_settle(struct sz_work *w)
{
    w->status = zti_device_settle(w->context, w->status);
    return w->status == ZT_OK;
}

/* Say where chunks begin and how many bits all tiles have; corrections and lossless coders keep the
 * bound of all tiles. Waits. */
static inline void sz_note_stream(struct sz_work *w, const struct zti_cuda_encoding *args,
                                  const uint64_t *starts, uint64_t chunks, uint64_t bits)
{
    struct zti_device *const device = w->context->device;
    if (w->status == ZT_OK && args->unproven)
        w->status =
            device->zero(w->context, ZTI_QUEUE_KERNELS, args->unproven, args->coding->grid.count);
    if (w->status == ZT_OK && chunks > 0)
        w->status = device->copy(w->context, ZTI_QUEUE_KERNELS, args->starts, starts,
                                 chunks * sizeof *starts);
    if (w->status == ZT_OK)
        w->status =
            device->copy(w->context, ZTI_QUEUE_KERNELS, args->states + 1, &bits, sizeof bits);
    (void)sz_settle(w);
}

/* The extent of the tile that a walk has come to. */
static inline void sz_find_extent(const struct zti_grid *grid, const struct zti_walk *walk,
                                  uint32_t *extent)
{
    for (uint32_t i = 0; i < grid->rank; i++)
        extent[i] = extent_at(grid, i, walk->origin[i]);
}

/* Whether a tile begins a chunk whose place is wanted. */
static inline bool sz_begins_chunk(const struct zti_cuda_encoding *args, uint64_t tile)
{
    return args->starts && args->chunk_tiles > 0 &&
           (args->first_tile + tile) % args->chunk_tiles == 0;
}

#endif
