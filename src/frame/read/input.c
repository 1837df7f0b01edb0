/* input.c: reads a file's bytes from memory, a source of known size or a sequential one
 * (input.h). */
#include "frame/read/input.h"

#include "array/memory.h"
#include "core/device.h"

#include <inttypes.h>

/* Bytes of the first request for a long part of a sequential source, and of each when skipping. */
enum { STEP_BYTES = 4 << 20, SKIP_BYTES = 1 << 16 };

/* What is brought of a file in a GPU's memory: header and head of the first frame; tail and seek
 * table of the last, which are mostly below a 256th of it. */
enum { FRONT_BYTES = 1 << 10, BACK_LEAST_BYTES = 1 << 10, BACK_MOST_BYTES = 1 << 16 };

static uint64_t back_of(uint64_t bytes, uint64_t rest)
{
    const uint64_t part = bytes / 256;
    const uint64_t most = part < BACK_LEAST_BYTES  ? (uint64_t)BACK_LEAST_BYTES
                          : part < BACK_MOST_BYTES ? part
                                                   : (uint64_t)BACK_MOST_BYTES;
    return rest < most ? rest : most;
}

static zt_status cut_short(const struct zti_input *input, uint64_t at)
{
    return zti_fail(input->context, ZT_CORRUPT,
                    "the file is cut short: it ends at byte %" PRIu64 ", before it is complete",
                    at);
}

zt_status zti_input_bring_ends(struct zti_input *input)
{
    struct zti_device *const device = input->device ? input->context->device : NULL;
    const uint64_t front = input->bytes < FRONT_BYTES ? input->bytes : FRONT_BYTES;
    const uint64_t back = back_of(input->bytes, input->bytes - front);
    if (!device || input->bytes == 0)
        return ZT_OK;
    zt_status status = zti_buffer_reserve(input->context, &input->ends, front + back, 0);
    if (!status)
        status = device->copy(input->context, ZTI_QUEUE_KERNELS, input->ends.bytes, input->device,
                              front);
    if (!status && back > 0)
        status = device->copy(input->context, ZTI_QUEUE_KERNELS, input->ends.bytes + front,
                              input->device + (input->bytes - back), back);
    status = zti_device_settle(input->context, status);
    input->front_bytes = status ? 0 : front;
    input->back_bytes = status ? 0 : back;
    return status;
}

/* The bytes, if they were brought. */
static const uint8_t *find_brought(const struct zti_input *input, uint64_t offset, size_t n)
{
    const uint64_t from = input->bytes - input->back_bytes; /* of the last ones */
    if (offset + n <= input->front_bytes)
        return input->ends.bytes + offset;
    return input->back_bytes > 0 && offset >= from
               ? input->ends.bytes + input->front_bytes + (offset - from)
               : NULL;
}

/* Read n bytes of the device or the source, or fewer (*got) at the end of a sequential one. */
static zt_status request(const struct zti_input *input, uint64_t offset, size_t n, uint8_t *to,
                         size_t *got)
{
    *got = 0;
    if (n == 0)
        return ZT_OK;
    if (input->device) {
        const uint8_t *const brought = find_brought(input, offset, n);
        *got = n;
        if (brought) {
            memcpy(to, brought, n);
            return ZT_OK;
        }
        return zti_copy_bytes(input->context, to, input->device + offset, n);
    }
    if (input->source.read(input->source.user, offset, to, n, got) != 0 || *got > n)
        return zti_fail(input->context, ZT_IO, "reading %zu bytes at byte %" PRIu64 " failed", n,
                        offset);
    return ZT_OK;
}

zt_status zti_input_open(zt_context *context, const void *data, size_t data_bytes, const char *what,
                         struct zti_input *input)
{
    bool is_on_device;
    const zt_status status = zti_find_memory(context, data, what, &is_on_device);
    *input = (struct zti_input){.context = context,
                                .memory = is_on_device ? NULL : data,
                                .device = is_on_device ? data : NULL,
                                .bytes = data_bytes};
    return status;
}

zt_status zti_input_of_source(zt_context *context, const zt_source *source, struct zti_input *input)
{
    if (!source || !source->read || source->reserved[0] || source->reserved[1] ||
        source->source_bytes > INT64_MAX)
        return zti_fail(context, ZT_BAD_ARG,
                        "no source of known size with a read function and reserved words of 0");
    *input =
        (struct zti_input){.context = context, .source = *source, .bytes = source->source_bytes};
    return ZT_OK;
}

zt_status zti_input_read(struct zti_input *input, uint64_t offset, size_t n, uint8_t *to)
{
    size_t got = 0;
    zt_status status = request(input, offset, n, to, &got);
    if (!status && got < n)
        status =
            zti_fail(input->context, ZT_IO,
                     "the file ends at byte %" PRIu64 ", it had %" PRIu64 " when it was opened",
                     offset + got, input->bytes);
    return status;
}

zt_status zti_input_next(struct zti_input *input, size_t n, uint8_t *to, size_t *got)
{
    zt_status status = request(input, input->at, n, to, got);
    if (!status)
        input->at += *got;
    return status;
}

/* Read the next n bytes of a sequential source. The buffer doubles as they arrive, so that a wrong
 * length in a file costs at most twice the memory of the bytes that exist. */
static zt_status read_all(struct zti_input *input, uint64_t n, struct zti_buffer *buffer)
{
    size_t have = 0;
    while (have < n) {
        uint64_t step = have > STEP_BYTES ? have : STEP_BYTES;
        size_t want = n - have < step ? (size_t)(n - have) : (size_t)step, got = 0;
        zt_status status = zti_buffer_reserve(input->context, buffer, have + want, have);
        if (!status)
            status = zti_input_next(input, want, buffer->bytes + have, &got);
        if (status)
            return status;
        if (got < want)
            return cut_short(input, input->at);
        have += want;
    }
    return ZT_OK;
}

zt_status zti_input_view(struct zti_input *input, uint64_t offset, uint64_t n,
                         struct zti_buffer *buffer, const uint8_t **view)
{
    zt_status status = ZT_OK;
    bool is_inside = offset <= input->bytes && n <= input->bytes - offset;
    if (!is_inside && !zti_is_sequential(input))
        return cut_short(input, input->bytes);
    if (input->memory) {
        *view = input->memory + offset;
        return ZT_OK;
    }
    if (zti_is_sequential(input)) {
        status = zti_buffer_reserve(input->context, buffer, 1, 0);
        if (!status)
            status = read_all(input, n, buffer);
    } else {
        status = zti_buffer_reserve(input->context, buffer, n > 0 ? n : 1, 0);
        if (!status)
            status = zti_input_read(input, offset, (size_t)n, buffer->bytes);
    }
    *view = buffer->bytes;
    return status;
}

zt_status zti_input_skip(struct zti_input *input, uint64_t n, struct zti_buffer *buffer)
{
    zt_status status = zti_buffer_reserve(input->context, buffer, SKIP_BYTES, 0);
    while (!status && n > 0) {
        size_t want = n < SKIP_BYTES ? (size_t)n : SKIP_BYTES, got = 0;
        status = zti_input_next(input, want, buffer->bytes, &got);
        if (!status && got < want)
            status = cut_short(input, input->at);
        n -= got;
    }
    return status;
}
