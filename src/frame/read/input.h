/* input.h: where a reader's bytes come from: memory, a source of known size or a sequential one. */
#ifndef ZTI_FRAME_READ_INPUT_H
#define ZTI_FRAME_READ_INPUT_H

#include "core/buffer.h"

struct zti_input {
    zt_context *context;
    const uint8_t *memory; /* or NULL: source is used */
    const uint8_t *device; /* or NULL: memory of the context's GPU, instead of the source */
    zt_source source;
    uint64_t bytes; /* of all; ZT_UNKNOWN: sequential */
    uint64_t at;    /* sequential: what was read so far */
};

/* An input over bytes in the host's memory or the GPU's, where the context can use that. what: as
 * in array/memory.h. */
zt_status zti_input_open(zt_context *context, const void *data, size_t data_bytes, const char *what,
                         struct zti_input *input);

static inline bool zti_is_sequential(const struct zti_input *input)
{
    return input->bytes == ZT_UNKNOWN;
}

/* Bytes [offset, offset + n), in memory until buffer is used again. Sequentially, offset must be
 * where the last call ended, and memory is asked for as bytes arrive. ZT_CORRUPT if the input
 * ends before. */
zt_status zti_input_view(struct zti_input *input, uint64_t offset, uint64_t n,
                         struct zti_buffer *buffer, const uint8_t **view);

/* Read n bytes of a source of known size, which are there, into 'to'. */
zt_status zti_input_read(struct zti_input *input, uint64_t offset, size_t n, uint8_t *to);

/* Sequential only: read up to n bytes, fewer (*got) at the end only. */
zt_status zti_input_take(struct zti_input *input, size_t n, uint8_t *to, size_t *got);

/* Sequential only: pass over n bytes. */
zt_status zti_input_skip(struct zti_input *input, uint64_t n, struct zti_buffer *buffer);

#endif
