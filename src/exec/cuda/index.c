/* index.c: the host's part of expanding an index by kernels (index/gpu/expand.h) to the places of a
 * slab's chunks. Copies the needed bytes of the index to the device, and a few numbers back, which
 * give the slab's bits. The host does no work for each chunk.
 *
 *     ZTI_DEVICE_INDEX   result | states | the index's bytes, in one part or two */
#include "codec/gpu.h"
#include "core/device.h"
#include "exec/cuda/cuda.h"

_Static_assert(ZTI_PLACE_ANY_END == ZTI_CUDA_ANY_END, "codecs and indexes name the same thing");

bool zti_cuda_expands(const struct zti_coding *coding, const struct zti_index *index,
                      const struct zti_view *view)
{
    const struct zti_grid *const grid = &coding->grid;
    for (uint32_t i = 0; i < grid->rank; i++)
        if (view->lo[i] > 0 || view->hi[i] < grid->shape[i])
            return false;
    return index && zti_fixed_bits(coding) == 0 && index->chunks > 0 &&
           zti_cuda_can_expand(index, index->chunks);
}

static uint64_t bytes_before(uint64_t count)
{
    return zti_round_up(sizeof(struct zti_index_expand_result) + 8 * zti_cuda_index_words(count),
                        16);
}

uint64_t zti_cuda_index_bytes(const struct zti_index_layout *layout, uint64_t count)
{
    return bytes_before(count) + zti_index_window_max(layout, count) + 32;
}

/* Queue the copy of the window's bytes to the device. */
static zt_status write_window(zt_context *context, uint8_t *memory, struct zti_index_expand_args *x)
{
    struct zti_device *const device = context->device;
    zt_status status = ZT_OK;
    for (uint32_t i = 0; i < 2 && status == ZT_OK; i++) {
        const uint64_t bytes = x->window.bytes[i];
        const uint8_t *const from = x->index.body + x->window.at[i];
        x->parts[i] = memory;
        if (bytes > 0)
            status = device->copy(context, ZTI_QUEUE_IN, memory,
                                  zti_original_of(device, from, bytes), bytes);
        memory += zti_round_up(bytes, 16);
    }
    return status;
}

zt_status zti_cuda_expand(zt_context *context, const struct zti_coding *coding,
                          const struct zti_index *index, uint64_t start_bits,
                          struct zti_cuda_places *p)
{
    struct zti_device *const device = context->device;
    struct zti_index_expand_args x = {.index = *index,
                                      .window =
                                          zti_index_window_of(index, p->first, p->first + p->count),
                                      .first = p->first,
                                      .count = p->count,
                                      .before = p->expected,
                                      .unit_bits = zti_unit_bits(coding),
                                      .start_bits = start_bits};
    const uint64_t before = bytes_before(p->count);
    void *memory, *places;
    zt_status status = device->room(context, zti_part_of(ZTI_DEVICE_INDEX, p->slab),
                                    before + x.window.bytes[0] + x.window.bytes[1] + 32, &memory);
    if (status == ZT_OK)
        status =
            device->room(context, zti_part_of(ZTI_DEVICE_STARTS, p->slab), 16 * p->count, &places);
    if (status == ZT_OK)
        status = device->zero(context, ZTI_QUEUE_IN, memory, before);
    if (status == ZT_OK)
        status = write_window(context, (uint8_t *)memory + before, &x);
    if (status == ZT_OK)
        status = device->after(context, ZTI_QUEUE_KERNELS, ZTI_QUEUE_IN);
    if (status != ZT_OK)
        return status;
    x.result = memory;
    x.states = (uint64_t *)(void *)(x.result + 1);
    p->places = x.places = places;
    zti_cuda_index_expand(&x, device->queue);
    status = device->after(context, ZTI_QUEUE_IN, ZTI_QUEUE_KERNELS);
    return status != ZT_OK
               ? status
               : device->copy(context, ZTI_QUEUE_IN, &p->result, x.result, sizeof p->result);
}

/* Fail with the message of the host's own check of the whole index. */
static zt_status is_bad(zt_context *context, const struct zti_index *index)
{
    struct zti_index own = *index;
    own.sums = NULL;
    own.is_checked = false;
    const zt_status status = zti_index_check(context, &own);
    zti_index_close(context, &own);
    return status != ZT_OK ? status
                           : zti_fail(context, ZT_CORRUPT,
                                      "the index is not this stream's: chunks do not begin where "
                                      "those before them end");
}

zt_status zti_cuda_fetch_result(zt_context *context, const struct zti_index *index,
                                const struct zti_cuda_places *p)
{
    const struct zti_index_expand_result *const b = &p->result;
    const zt_status status = context->device->wait(context, ZTI_QUEUE_IN);
    if (status != ZT_OK)
        return status;
    const bool is_last = p->first + p->count == index->chunks;
    if (b->is_bad || b->first != p->expected ||
        (is_last && index->end - b->end > ZTI_INDEX_PADDING_UNITS))
        return is_bad(context, index);
    return ZT_OK;
}
