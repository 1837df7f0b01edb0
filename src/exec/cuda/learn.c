/* learn.c: the host's part of a codec's passes over all values under the cuda policy: kernels count
 * in slab after slab, and what the codec learnt is copied to the device. */
#include "codec/gpu.h"
#include "codec/learning.h"
#include "core/device.h"
#include "exec/cuda/cuda.h"
#include "exec/run.h"

struct counter {
    zt_context *context;
    struct zti_device *device;
    const struct zti_cuda_learning *learning;
    struct zti_cuda_counting args;
    const struct zti_array *array;
    struct zti_kept *kept;
};

/* Count in slab number k, which begins at 'row', the first of a layer of tiles. Of an array on the
 * device nothing is waited for: all is in one queue. */
static zt_status count_slab(struct counter *c, uint64_t k, uint64_t row, uint64_t rows)
{
    const struct zti_grid *const grid = &c->args.coding->grid;
    const struct zti_array slab = zti_array_slab(c->array, row, rows);
    struct zti_cuda_bringing b = {.queue = ZTI_QUEUE_KERNELS, .number = k % 2, .kept = c->kept};
    zt_status status = zti_cuda_bring(c->context, &slab, &b);
    if (status == ZT_OK) {
        c->args.array = b.there;
        c->args.grid = zti_grid_of(grid->rank, slab.shape, grid->side);
        c->args.first_tile = row / grid->side[0] * (grid->count / grid->tiles[0]);
        c->learning->count(&c->args);
    }
    if (b.staged || !slab.is_on_device || status != ZT_OK)
        status = zti_device_settle(c->context, status);
    zti_release(c->context, b.staged);
    return status;
}

/* Count from the last slab to the first, so that the first two are still on the device when coding
 * begins. */
static zt_status count_slabs(struct counter *c)
{
    const struct zti_grid *const grid = &c->args.coding->grid;
    const uint64_t layers = zti_cuda_slab_layers(c->context, c->args.coding, grid->shape);
    const uint64_t all = grid->shape[0], rows = layers * grid->side[0];
    zt_status status = ZT_OK;
    for (uint64_t k = (all - 1) / rows + 1; status == ZT_OK && k-- > 0;)
        status = count_slab(c, k, k * rows, rows < all - k * rows ? rows : all - k * rows);
    return status;
}

/* Bytes of what the codec learnt so far, as kernels read it. */
static uint64_t model_bytes(const struct zti_coding *coding)
{
    const struct zti_cuda_learning *const learning = zti_cuda_learning_of(coding->codec);
    return !learning       ? 0
           : coding->model ? learning->model_bytes(coding)
                           : learning->known_bytes(coding);
}

/* Set up ZTI_DEVICE_MODEL: what the codec learnt, then 'counters' zeroed counters. */
static zt_status make_model(zt_context *context, const struct zti_coding *coding, uint64_t counters,
                            void **model, uint64_t **counts)
{
    struct zti_device *const device = context->device;
    const uint64_t bytes = model_bytes(coding), at = zti_round_up(bytes, 8);
    void *memory = NULL, *const own = bytes > 0 ? zti_alloc_zeroed(context, (size_t)bytes) : NULL;
    if (bytes > 0 && !own)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for %llu bytes of codebooks",
                        (unsigned long long)bytes);
    zt_status status =
        device->room(context, ZTI_DEVICE_MODEL, at + counters * sizeof **counts, &memory);
    if (own && status == ZT_OK) {
        zti_cuda_learning_of(coding->codec)->write_model(coding, own);
        status = device->copy(context, ZTI_QUEUE_KERNELS, memory, own, bytes);
    }
    *model = own ? memory : NULL;
    *counts = memory ? (uint64_t *)(void *)((uint8_t *)memory + at) : NULL;
    if (status == ZT_OK && counters > 0)
        status = device->zero(context, ZTI_QUEUE_KERNELS, *counts, counters * sizeof **counts);
    if (own || status != ZT_OK)
        status = zti_device_settle(context, status); /* before its memory is released */
    zti_release(context, own);
    return status;
}

/* Allocate device memory for data that kernels pass to later kernels; NULL: none is needed. */
static zt_status make_work(zt_context *context, const struct zti_coding *coding, void **work)
{
    const struct zti_cuda_codec *const codec = zti_cuda_codec_of(coding->codec->id);
    const uint64_t bytes = codec->work_bytes ? codec->work_bytes(coding) : 0;
    *work = NULL;
    return bytes > 0 ? context->device->room(context, ZTI_DEVICE_WORK, bytes, work) : ZT_OK;
}

zt_status zti_cuda_send_model(zt_context *context, const struct zti_coding *coding,
                              const void **model, void **work)
{
    void *memory = NULL;
    uint64_t *counts;
    zt_status status = ZT_OK;
    if (model_bytes(coding) > 0)
        status = make_model(context, coding, 0, &memory, &counts);
    *model = memory;
    return status == ZT_OK ? make_work(context, coding, work) : status;
}

/* Count in samples of an array that is on the device. */
static zt_status count_samples(struct counter *c)
{
    c->args.array = *c->array;
    c->args.grid = c->args.coding->grid;
    c->args.first_tile = 0;
    c->learning->count(&c->args);
    return ZT_OK;
}

/* Count in samples or in all slabs, and copy the counts to the host. */
static zt_status run_pass(struct counter *c, struct zti_coding *coding, uint64_t counters,
                          uint64_t *counts)
{
    void *model = NULL;
    zt_status status = make_model(c->context, coding, counters, &model, &c->args.counts);
    c->args.model = model;
    if (status == ZT_OK)
        status = make_work(c->context, coding, &c->args.work);
    if (status == ZT_OK)
        status = zti_learning_of(coding->codec)->is_sampled(coding, c->args.pass) ? count_samples(c)
                                                                                  : count_slabs(c);
    if (status == ZT_OK)
        status = c->device->copy(c->context, ZTI_QUEUE_KERNELS, counts, c->args.counts,
                                 counters * sizeof *counts);
    return zti_device_settle(c->context, status);
}

/* Whether kernels make a pass: not of samples of an array in the host's memory, which they would
 * have to be copied from. */
static bool has_counters(const struct zti_coding *coding, uint32_t pass,
                         const struct zti_array *array)
{
    const struct zti_cuda_learning *const learning = zti_cuda_learning_of(coding->codec);
    return learning && learning->counters(coding, pass) > 0 &&
           (array->is_on_device || !zti_learning_of(coding->codec)->is_sampled(coding, pass));
}

zt_status zti_cuda_tally(zt_context *context, struct zti_coding *coding, uint32_t pass,
                         const struct zti_array *array, void *tally, bool *is_done)
{
    struct counter c = {.context = context,
                        .device = context->device,
                        .array = array,
                        .kept = &coding->run.kept,
                        .args = {.coding = coding, .pass = pass, .queue = context->device->queue},
                        .learning = zti_cuda_learning_of(coding->codec)};
    *is_done = false;
    if (!has_counters(coding, pass, array))
        return ZT_OK;
    const uint64_t counters = c.learning->counters(coding, pass);
    uint64_t *const counts = zti_alloc(context, (size_t)(counters * sizeof *counts));
    if (!counts)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for %llu counts",
                        (unsigned long long)counters);
    const zt_status status = run_pass(&c, coding, counters, counts);
    if (status == ZT_OK) {
        c.learning->add_counts(coding, pass, counts, tally);
        *is_done = true;
    }
    zti_release(context, counts);
    return status;
}

uint64_t zti_cuda_learning_bytes(const struct zti_coding *coding)
{
    const struct zti_cuda_learning *const learning = zti_cuda_learning_of(coding->codec);
    uint64_t most = 0;
    for (uint32_t pass = 0;
         learning && zti_learning_of(coding->codec)->tally_bytes(coding, pass) > 0; pass++) {
        const uint64_t bytes = learning->counters(coding, pass) * sizeof(uint64_t);
        most = bytes > most ? bytes : most;
    }
    if (!learning)
        return 0;
    const uint64_t counting = zti_round_up(learning->model_bytes(coding), 8) + most;
    const uint64_t own = learning->learn_bytes(coding);
    return own > counting ? own : counting;
}
