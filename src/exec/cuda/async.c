/* async.c: coding under the cuda policy without waiting: all tiles of an array that is on the
 * device by one launch, into a stream that is there, where each tile's place is known. */
#include "exec/async.h"

#include "codec/gpu.h"
#include "core/device.h"

/* What encoding and decoding both begin with: zeroed scratch. */
static zt_status begin(zt_context *context, const struct zti_coding *coding, void *scratch)
{
    uint64_t bytes = 0;
    const zt_status status = zti_async_scratch_bytes(context, coding, &bytes);
    return status ? status : context->device->zero(context, ZTI_QUEUE_KERNELS, scratch, bytes);
}

zt_status zti_async_scratch_bytes(zt_context *context, const struct zti_coding *coding,
                                  uint64_t *bytes)
{
    enum { DECODING_WORDS = 2 };
    if (!context || !context->device)
        return zti_fail(context, ZT_BAD_ARG, "calls that do not wait are for the cuda policy");
    const struct zti_cuda_codec *const codec = zti_cuda_codec_of(coding->codec->id);
    if (!codec || zti_fixed_bits(coding) == 0)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "only zfp streams of fixed rate are coded without waiting");
    const int before = context->device->enter(context);
    const uint64_t words = codec->state_words(coding, coding->grid.count);
    context->device->leave(before);
    *bytes = 8 * (words > DECODING_WORDS ? words : DECODING_WORDS);
    return ZT_OK;
}

zt_status zti_encode_async(zt_context *context, const struct zti_coding *coding,
                           const struct zti_array *array, void *words, void *scratch)
{
    zt_status status = begin(context, coding, scratch);
    if (status)
        return status;
    struct zti_device *const device = context->device;
    const struct zti_cuda_codec *const codec = zti_cuda_codec_of(coding->codec->id);
    const struct zti_cuda_encoding e = {.coding = coding,
                                        .array = *array,
                                        .words = words,
                                        .whole = coding,
                                        .states = scratch,
                                        .queue = device->queue};
    if (codec->adds_to_first_word)
        status = device->zero(context, ZTI_QUEUE_KERNELS, words, 8);
    if (status)
        return status;
    const int before = device->enter(context);
    codec->encode(&e);
    device->leave(before);
    return device->launched(context);
}

zt_status zti_decode_async(zt_context *context, const struct zti_coding *coding, const void *words,
                           uint64_t words_count, const struct zti_array *out, void *scratch)
{
    const zt_status status = begin(context, coding, scratch);
    if (status)
        return status;
    struct zti_device *const device = context->device;
    const struct zti_cuda_decoding d = {.coding = coding,
                                        .view = zti_view_whole(out),
                                        .words = words,
                                        .words_count = words_count,
                                        .count = coding->grid.count,
                                        .chunk_tiles = 1,
                                        .states = scratch,
                                        .queue = device->queue};
    const int before = device->enter(context);
    zti_cuda_codec_of(coding->codec->id)->decode(&d);
    device->leave(before);
    return device->launched(context);
}
