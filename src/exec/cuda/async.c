/* async.c: coding under the cuda policy without waiting: all tiles of an array that is on the
 * device by one launch, into a stream that is there. Either each tile's place is known (fixed
 * bits), or kernels write and read the head that says it (codec/gpu_heads.h).
 *
 *     scratch:  states | starts of tiles (encoding)
 *               states | places of tiles (decoding) */
#include "exec/async.h"

#include "codec/gpu.h"
#include "codec/gpu_heads.h"
#include "core/device.h"

enum { DECODING_STATES = 2 };

static uint64_t state_words(const zt_context *context, const struct zti_coding *coding)
{
    const int before = context->device->enter(context);
    const uint64_t words =
        zti_cuda_codec_of(coding->codec->id)->state_words(coding, coding->grid.count);
    context->device->leave(before);
    return words;
}

zt_status zti_async_scratch_bytes(zt_context *context, const struct zti_coding *coding,
                                  uint64_t *bytes)
{
    if (!context || !context->device)
        return zti_fail(context, ZT_BAD_ARG, "calls that do not wait are for the cuda policy");
    const bool has_head = zti_cuda_heads_of(coding->codec->id) != NULL;
    if (!zti_cuda_codec_of(coding->codec->id) || (zti_fixed_bits(coding) == 0 && !has_head))
        return zti_fail(context, ZT_UNSUPPORTED,
                        "only zfp streams of fixed rate and ndzip streams are coded without "
                        "waiting");
    const uint64_t each = has_head ? coding->grid.count : 0;
    const uint64_t encoding = state_words(context, coding) + each;
    const uint64_t decoding = DECODING_STATES + 2 * each;
    *bytes = 8 * (encoding > decoding ? encoding : decoding);
    return ZT_OK;
}

zt_status zti_encode_async(zt_context *context, const struct zti_coding *coding,
                           const struct zti_array *array, void *stream, void *scratch,
                           uint64_t *result)
{
    struct zti_device *const device = context->device;
    const struct zti_cuda_codec *const codec = zti_cuda_codec_of(coding->codec->id);
    const struct zti_cuda_heads *const heads = zti_cuda_heads_of(coding->codec->id);
    const uint64_t states = state_words(context, coding);
    struct zti_cuda_head head = {.coding = coding,
                                 .head = stream,
                                 .head_bytes = heads ? heads->bytes(coding) : 0,
                                 .starts = (uint64_t *)scratch + states,
                                 .states = scratch,
                                 .result = result,
                                 .queue = device->queue};
    const struct zti_cuda_encoding e = {
        .coding = coding,
        .array = *array,
        .words = (uint64_t *)(void *)((uint8_t *)stream + head.head_bytes),
        .starts = heads ? (uint64_t *)scratch + states : NULL,
        .chunk_tiles = heads ? 1 : 0,
        .whole = coding,
        .states = scratch,
        .queue = device->queue};
    zt_status status = device->zero(context, ZTI_QUEUE_KERNELS, scratch, 8 * states);
    if (status == ZT_OK && codec->adds_to_first_word)
        status = device->zero(context, ZTI_QUEUE_KERNELS, e.words, 8);
    if (status)
        return status;
    const int before = device->enter(context);
    status = codec->encode(context, &e);
    if (heads && status == ZT_OK)
        heads->put(&head);
    device->leave(before);
    return status ? status : device->launched(context);
}

zt_status zti_decode_async(zt_context *context, const struct zti_coding *coding, const void *stream,
                           uint64_t stream_bytes, const struct zti_array *out, void *scratch,
                           uint64_t *result)
{
    struct zti_device *const device = context->device;
    const struct zti_cuda_heads *const heads = zti_cuda_heads_of(coding->codec->id);
    uint64_t *const places = (uint64_t *)scratch + DECODING_STATES;
    union {
        const void *in;
        void *head; /* not written to when decoding */
    } from = {.in = stream};
    const struct zti_cuda_head head = {.coding = coding,
                                       .head = from.head,
                                       .head_bytes = heads ? heads->bytes(coding) : 0,
                                       .data_bytes = stream_bytes,
                                       .states = scratch,
                                       .places = places,
                                       .result = result,
                                       .queue = device->queue};
    const struct zti_cuda_decoding d = {.coding = coding,
                                        .view = zti_view_whole(out),
                                        .words = stream,
                                        .words_count = (stream_bytes + 7) / 8,
                                        .places = heads ? places : NULL,
                                        .count = coding->grid.count,
                                        .chunk_tiles = 1,
                                        .states = scratch,
                                        .queue = device->queue};
    zt_status status = device->zero(context, ZTI_QUEUE_KERNELS, scratch, 8 * DECODING_STATES);
    if (status == ZT_OK && heads)
        status = device->zero(context, ZTI_QUEUE_KERNELS, result, sizeof *result);
    if (status)
        return status;
    const int before = device->enter(context);
    if (heads)
        heads->take(&head);
    zti_cuda_codec_of(coding->codec->id)->decode(&d);
    if (heads)
        heads->finish(&head);
    device->leave(before);
    return device->launched(context);
}
