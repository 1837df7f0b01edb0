/* async.c: zt_decompress_async: a file of one frame, decoded on a GPU without waiting. Kernels
 * parse and check it; the host never reads it, and knows only the array that is to be filled. Calls
 * that wait take the same kernels for such files, and wait once.
 *
 *     scratch:  stored | index | tiles, first bit, chunks, tiles of a chunk | places of chunks |
 *               codec
 */
#include "array/on_device.h"
#include "codec/gpu_alone.h"
#include "core/device.h"
#include "frame/format/format.h"
#include "frame/read/gpu/open.h"
#include "frame/read/reader.h"
#include "ztile_cuda.h"

#include <math.h>

/* What is expected, and where in scratch the parts of the work are. */
struct alone {
    const struct zti_cuda_alone *codec;
    struct zti_coding coding; /* its type and shape count */
    struct {
        uint64_t stored, index, tiles, first_bit, chunks, chunk_tiles, status, places, work, end;
    } at;
};

static zt_status open_alone(zt_context *context, const struct zti_array *array, struct alone *a)
{
    if (!context || !context->device)
        return zti_fail(context, ZT_BAD_ARG, "calls that do not wait are for the cuda policy");
    const struct zti_codec *const codec = zti_codec_auto(array->type, ZT_ABS);
    memset(a, 0, sizeof *a);
    a->codec = zti_cuda_alone_of(codec->id);
    a->coding = zti_coding_of(codec, array->type, array->rank, array->shape);
    if (!a->codec)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "arrays of this type are not decoded without "
                        "waiting; use zt_decompress");
    const uint64_t sizes[] = {
        sizeof(struct zti_cuda_stored),        sizeof(struct zti_index_stored),     8, 8, 8, 8, 8,
        16 * a->codec->tiles_most(&a->coding), a->codec->decoding_bytes(&a->coding)};
    zti_lay_out_scratch(sizes, sizeof sizes / sizeof *sizes, &a->at.stored);
    return ZT_OK;
}

/* What the file is opened with; scratch is a multiple of 8. */
static struct zti_opening opening_of(const struct alone *a, const struct zti_array *array,
                                     uint8_t *scratch)
{
    struct zti_coding raw = zti_coding_of(zti_codec_raw(), array->type, array->rank, array->shape);
    struct zti_opening o = {.array = *array,
                            .values_bytes = zti_array_values(array->rank, array->shape) *
                                            zt_type_bytes(array->type),
                            .codec = (uint8_t)a->coding.codec->id,
                            .raw_codec = (uint8_t)zti_codec_raw()->id,
                            .stored = (struct zti_cuda_stored *)(void *)(scratch + a->at.stored),
                            .index = (struct zti_index_stored *)(void *)(scratch + a->at.index)};
    raw.codec->copy(&raw);
    o.raw_params_bytes = (uint32_t)raw.codec->store_params(&raw, o.raw_params);
    return o;
}

/* known: the frame's header, or NULL. */
static zt_status queue_all(zt_context *context, const struct alone *a, const struct zti_opening *o,
                           const struct zti_frame *known, uint8_t *scratch)
{
    struct zti_device *const device = context->device;
    const struct zti_cuda_alone_decoding d = {
        .coding = &a->coding,
        .array = o->array,
        .stored = o->stored,
        .tiles = (uint64_t *)(void *)(scratch + a->at.tiles),
        .first_bit = (uint64_t *)(void *)(scratch + a->at.first_bit),
        .places = (const uint64_t *)(void *)(scratch + a->at.places),
        .chunks = (const uint64_t *)(void *)(scratch + a->at.chunks),
        .chunk_tiles = (const uint32_t *)(void *)(scratch + a->at.chunk_tiles),
        .known = known ? &known->coding : NULL,
        .known_chunk_tiles = known ? known->index.chunk_tiles : 0,
        .work = scratch + a->at.work,
        .status = o->status,
        .queue = device->queue};
    const struct zti_index_find_args find_args = {
        .index = o->index,
        .tiles = d.tiles,
        .tiles_most = a->codec->tiles_most(&a->coding),
        .first_bit = d.first_bit,
        .stream_bits = &o->stored->bits,
        .unit_bits = zti_unit_bits(&a->coding),
        .chunks = (uint64_t *)(void *)(scratch + a->at.chunks),
        .chunk_tiles = (uint32_t *)(void *)(scratch + a->at.chunk_tiles),
        .places = (uint64_t *)(void *)(scratch + a->at.places),
        .status = o->status};
    const int before = device->enter(context);
    zti_cuda_open(o, device->queue);
    zti_cuda_unpack_raw(o, device->queue);
    a->codec->load(&d);
    zti_cuda_index_find(&find_args, device->queue);
    a->codec->decode(&d);
    device->leave(before);
    return device->launched(context);
}

/* ---- calls that wait ---- */

uint64_t zti_decoding_at_once_bytes(zt_context *context, const struct zti_array *array)
{
    struct alone a;
    return open_alone(context, array, &a) == ZT_OK ? a.at.end : 0;
}

zt_status zti_load_at_once(struct zt_reader *r, const struct zti_frame *f,
                           const struct zti_array *out, bool *is_done)
{
    zt_context *const context = r->context;
    struct zti_device *const device = context ? context->device : NULL;
    struct alone a;
    uint64_t result = ZT_OK;
    void *scratch;
    *is_done = false;
    if (!device || r->frames != 1 || !r->input.device || (uintptr_t)r->input.device % 8 > 0 ||
        !out->is_on_device || context->progress || open_alone(context, out, &a) != ZT_OK ||
        f->coding.codec != a.coding.codec || !a.codec->reads(&f->coding) ||
        f->index.kind == ZT_INDEX_NONE ||
        device->room(context, ZTI_DEVICE_WORK, a.at.end, &scratch) != ZT_OK)
        return ZT_OK;
    struct zti_opening o = opening_of(&a, out, scratch);
    o.data = r->input.device;
    o.data_bytes = r->input.bytes;
    o.status = (uint64_t *)(void *)((uint8_t *)scratch + a.at.status);
    zt_status status = queue_all(context, &a, &o, f, scratch);
    if (!status)
        status = device->copy(context, ZTI_QUEUE_KERNELS, &result, o.status, sizeof result);
    status = zti_device_settle(context, status);
    *is_done = !status && result == ZT_OK;
    return status;
}

/* ---- public calls ---- */

zt_status zt_decompress_async_bytes(zt_context *context, const zt_array *given,
                                    size_t *scratch_bytes)
{
    struct zti_array array;
    struct alone a;
    zt_status status = zti_check_shape_there(context, given, scratch_bytes, &array);
    if (!status)
        status = open_alone(context, &array, &a);
    if (!status)
        *scratch_bytes = (size_t)a.at.end;
    return status;
}

zt_status zt_decompress_async(zt_context *context, const void *data, size_t data_bytes,
                              const zt_array *given, void *scratch, size_t scratch_bytes,
                              uint64_t *result)
{
    struct zti_array array;
    struct alone a;
    zt_status status = zti_check_array_there(context, given, ZTI_TO_WRITE, &array);
    if (!status)
        status = open_alone(context, &array, &a);
    if (!status)
        status = zti_check_words_there(context, data, "the file");
    if (!status)
        status = zti_check_words_there(context, result, "the place for the status");
    if (!status)
        status = zti_check_scratch_there(context, scratch, scratch_bytes, a.at.end);
    if (!status && data_bytes < ZTI_FRAME_ALIGN_BYTES)
        status = zti_fail(context, ZT_CORRUPT, "%zu bytes are no .zt file", data_bytes);
    if (status)
        return status;
    struct zti_opening o = opening_of(&a, &array, scratch);
    o.data = data;
    o.data_bytes = data_bytes;
    o.status = result;
    return queue_all(context, &a, &o, NULL, scratch);
}
