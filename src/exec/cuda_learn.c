/* cuda_learn.c: what a codec learns from the values under the cuda policy, the host's part: passes
 * that count are made by kernels, slab after slab, and what was learnt goes to the device. */
#include "array/mirror.h"
#include "codec/cuda.h"
#include "core/device.h"
#include "exec/cuda.h"
#include "exec/run.h"

struct counter {
    zt_context *context;
    struct zti_device *device;
    const struct zti_cuda_learning *learning;
    struct zti_cuda_counting args;
    const zt_array *array;
};

/* A slab's values on the device, without gaps: where they are already, or copied there; *staged is
 * to be released once that is done. */
static zt_status bring(struct counter *c, const zt_array *slab, uint8_t **staged, void **memory)
{
    const uint64_t bytes =
        zti_array_values(slab->rank, slab->shape) * zt_type_bytes((zt_type)slab->type);
    const void *from = slab->data;
    if (!zti_array_is_contiguous(slab)) {
        from = *staged = zti_alloc(c->context, (size_t)bytes);
        if (!from)
            return zti_fail(c->context, ZT_NO_MEMORY, "no memory for a slab of %llu bytes",
                            (unsigned long long)bytes);
        zti_array_copy(slab, *staged);
    }
    const void *const there = zti_twin_of(c->device, from, bytes);
    *memory = (void *)(uintptr_t)there; /* only read */
    if (there != from)
        return ZT_OK;
    const zt_status status = c->device->room(c->context, ZTI_DEVICE_VALUES, bytes, memory);
    return status != ZT_OK
               ? status
               : c->device->copy(c->context, ZTI_QUEUE_KERNELS, *memory, from, bytes);
}

/* Count in rows of the array that begin at a tile's. */
static zt_status count_slab(struct counter *c, uint64_t row, uint64_t rows)
{
    const struct zti_grid *const grid = &c->args.coding->grid;
    const zt_array slab = zti_array_slab(c->array, row, rows);
    uint8_t *staged = NULL;
    void *memory = NULL;
    zt_status status = bring(c, &slab, &staged, &memory);
    if (status == ZT_OK) {
        c->args.array = zt_array_nd(memory, (zt_type)slab.type, slab.rank, slab.shape);
        c->args.grid = zti_grid_of(grid->rank, slab.shape, grid->side);
        c->args.first_tile = row / grid->side[0] * (grid->count / grid->tiles[0]);
        c->learning->count(&c->args);
    }
    status = zti_device_settle(c->context, status);
    zti_release(c->context, staged);
    return status;
}

static zt_status count_slabs(struct counter *c)
{
    const struct zti_grid *const grid = &c->args.coding->grid;
    const uint64_t layers = zti_cuda_slab_layers(c->context, c->args.coding, grid->shape);
    const uint64_t all = grid->shape[0], rows = layers * grid->side[0];
    zt_status status = ZT_OK;
    for (uint64_t row = 0; status == ZT_OK && row < all; row += rows)
        status = count_slab(c, row, rows < all - row ? rows : all - row);
    return status;
}

zt_status zti_cuda_tally(zt_context *context, const struct zti_coding *coding, uint32_t pass,
                         const zt_array *array, void *tally, bool *is_done)
{
    struct counter c = {.context = context,
                        .device = context->device,
                        .array = array,
                        .learning = zti_cuda_learning_of(coding->codec->id)};
    const uint64_t counters = c.learning ? c.learning->counters(coding, pass) : 0;
    void *memory;
    *is_done = false;
    if (counters == 0)
        return ZT_OK;
    uint64_t *const counts = zti_alloc(context, (size_t)(counters * sizeof *counts));
    if (!counts)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for %llu counts",
                        (unsigned long long)counters);
    zt_status status =
        c.device->room(context, ZTI_DEVICE_MODEL, counters * sizeof *counts, &memory);
    if (status == ZT_OK)
        status = c.device->zero(context, ZTI_QUEUE_KERNELS, memory, counters * sizeof *counts);
    if (status == ZT_OK) {
        c.args = (struct zti_cuda_counting){
            .coding = coding, .counts = memory, .queue = c.device->queue};
        status = count_slabs(&c);
    }
    if (status == ZT_OK)
        status = c.device->copy(context, ZTI_QUEUE_KERNELS, counts, memory,
                                counters * sizeof *counts);
    status = zti_device_settle(context, status);
    if (status == ZT_OK) {
        c.learning->add_counts(coding, counts, tally);
        *is_done = true;
    }
    zti_release(context, counts);
    return status;
}

uint64_t zti_cuda_learning_bytes(const struct zti_coding *coding)
{
    const struct zti_cuda_learning *const learning = zti_cuda_learning_of(coding->codec->id);
    uint64_t most = learning ? learning->model_bytes(coding) : 0;
    for (uint32_t pass = 0; learning && coding->codec->tally_bytes(coding, pass) > 0; pass++) {
        const uint64_t bytes = learning->counters(coding, pass) * sizeof(uint64_t);
        most = bytes > most ? bytes : most;
    }
    return most;
}

zt_status zti_cuda_put_model(zt_context *context, const struct zti_coding *coding,
                             const void **model)
{
    const struct zti_cuda_learning *const learning = zti_cuda_learning_of(coding->codec->id);
    const uint64_t bytes = learning && coding->model ? learning->model_bytes(coding) : 0;
    void *memory = NULL;
    *model = NULL;
    if (bytes == 0)
        return ZT_OK;
    void *const own = zti_alloc_zeroed(context, (size_t)bytes);
    if (!own)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for %llu bytes of codebooks",
                        (unsigned long long)bytes);
    learning->put_model(coding, own);
    zt_status status = context->device->room(context, ZTI_DEVICE_MODEL, bytes, &memory);
    if (status == ZT_OK)
        status = context->device->copy(context, ZTI_QUEUE_KERNELS, memory, own, bytes);
    status = zti_device_settle(context, status);
    *model = memory;
    zti_release(context, own);
    return status;
}
