/* input.h: where a reader's bytes come from: memory, a source of known size or a sequential one. */
#ifndef ZTI_FRAME_READ_INPUT_H
#define ZTI_FRAME_READ_INPUT_H

#include "core/buffer.h"

struct zti_input {
    zt_context *context;
    const uint8_t *memory; /* NULL: device or source is used */
    const uint8_t *device; /* memory of the context's GPU; NULL: none */
    zt_source source;
    uint64_t bytes;         /* of the file; ZT_UNKNOWN: sequential */
    struct zti_buffer ends; /* device: the file's first front_bytes and last back_bytes */
    uint64_t front_bytes, back_bytes;
    uint64_t at; /* sequential: bytes read so far */
};

/* Open bytes in the host's memory, or in the GPU's if the context can use that. what: for messages,
 * as in array/memory.h. */
zt_status zti_input_open(zt_context *context, const void *data, size_t data_bytes, const char *what,
                         struct zti_input *input);

/* Open a source of known size; ZT_BAD_ARG for any other. */
zt_status zti_input_of_source(zt_context *context, const zt_source *source,
                              struct zti_input *input);

/* Of a file in the GPU's memory, bring the parts that every reader looks at, with one wait for all;
 * does nothing for others. The caller frees input->ends. */
zt_status zti_input_bring_ends(struct zti_input *input);

static inline bool zti_is_sequential(const struct zti_input *input)
{
    return input->bytes == ZT_UNKNOWN;
}

/* Set *view to bytes [offset, offset + n), which stay until buffer is used again. In a sequential
 * input, offset must be where the last call ended, and memory grows as bytes arrive. ZT_CORRUPT if
 * the input ends before. */
zt_status zti_input_view(struct zti_input *input, uint64_t offset, uint64_t n,
                         struct zti_buffer *buffer, const uint8_t **view);

/* Read n bytes, which must exist, of a source of known size. */
zt_status zti_input_read(struct zti_input *input, uint64_t offset, size_t n, uint8_t *to);

/* Sequential only: read n bytes, or fewer (*got) at the end of the source. */
zt_status zti_input_next(struct zti_input *input, size_t n, uint8_t *to, size_t *got);

/* Sequential only: skip n bytes. */
zt_status zti_input_skip(struct zti_input *input, uint64_t n, struct zti_buffer *buffer);

#endif
