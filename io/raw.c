/* raw.c: little-endian values one after another in C order and nothing else. What they are comes
 * from the hints, the name (NAME_512x512x128.f32) and the size. The reading of such values from a
 * byte on serves .npy files as well. */
#include "format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool ztio_is_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

void ztio_swap(void *values, uint64_t count, size_t value_bytes)
{
    unsigned char *p = values;
    if (value_bytes == 4) {
        for (uint64_t i = 0; i < count; i++, p += 4) {
            uint32_t v;
            memcpy(&v, p, 4);
            v = v >> 24 | (v >> 8 & 0xff00) | (v & 0xff00) << 8 | v << 24;
            memcpy(p, &v, 4);
        }
        return;
    }
    for (uint64_t i = 0; i < count; i++, p += 8) {
        uint64_t v;
        memcpy(&v, p, 8);
        v = (v >> 8 & UINT64_C(0x00ff00ff00ff00ff)) | (v & UINT64_C(0x00ff00ff00ff00ff)) << 8;
        v = (v >> 16 & UINT64_C(0x0000ffff0000ffff)) | (v & UINT64_C(0x0000ffff0000ffff)) << 16;
        v = v >> 32 | v << 32;
        memcpy(p, &v, 8);
    }
}

/* ---- values from a byte on ----------------------------------------------------------------- */

void ztio_body_close(struct ztio_input *input)
{
    struct ztio_body *body = (struct ztio_body *)input;
    ztio_body_unmap(body);
    if (body->has_held)
        (void)close(body->held_fd);
    ztio_source_close(&body->source);
    free(input->label);
    free(body);
}

static const char *advice(const struct ztio_meta *meta)
{
    return meta->format == ZTIO_RAW ? "; give the shape with -s" : "";
}

/* After the last slice of a pipe whose shape is known. */
static bool check_end(struct ztio_body *body, struct ztio_error *error)
{
    const struct ztio_meta *meta = &body->input.meta;
    char surplus, shape[96];
    size_t got = 0;
    if (!ztio_source_next(&body->source, &surplus, 1, &got, body->input.label, error))
        return false;
    if (got == 0)
        return true;
    return ztio_fail(error, ZTIO_BAD_DATA, "%s goes on after its %s array of %s (slowest first)%s",
                     body->input.label, ztio_format_shape(meta->rank, meta->shape, shape),
                     ztio_name_of_type(meta->type), advice(meta));
}

bool ztio_body_count(struct ztio_body *body, uint64_t extent, uint64_t bytes, uint64_t *got,
                     struct ztio_error *error)
{
    const struct ztio_input *input = &body->input;
    const struct ztio_meta *meta = &input->meta;
    char shape[96];
    *got = bytes / input->slice_bytes;
    if (bytes % input->slice_bytes)
        return ztio_fail(error, ZTIO_BAD_DATA,
                         "%s ends %" PRIu64 " bytes into a slice of %" PRIu64
                         " bytes (shape %s, slowest first, of %s)%s",
                         input->label, bytes % input->slice_bytes, input->slice_bytes,
                         ztio_format_shape(meta->rank, meta->shape, shape),
                         ztio_name_of_type(meta->type), advice(meta));
    if (meta->shape[0] == ZT_UNKNOWN)
        return true;
    if (*got < extent)
        return ztio_fail(error, ZTIO_BAD_DATA,
                         "%s ends after %" PRIu64 " of the %" PRIu64
                         " slices of its shape %s (slowest first)%s",
                         input->label, input->next + *got, meta->shape[0],
                         ztio_format_shape(meta->rank, meta->shape, shape), advice(meta));
    return input->next + *got < meta->shape[0] || check_end(body, error);
}

static bool read_pipe(struct ztio_body *body, uint64_t extent, void *buffer, uint64_t *got,
                      struct ztio_error *error)
{
    const struct ztio_input *const input = &body->input;
    size_t bytes;
    return ztio_source_next(&body->source, buffer, (size_t)(extent * input->slice_bytes), &bytes,
                            input->label, error) &&
           ztio_body_count(body, extent, bytes, got, error);
}

bool ztio_body_read(struct ztio_input *input, uint64_t first, uint64_t extent, void *buffer,
                    uint64_t *got, struct ztio_error *error)
{
    struct ztio_body *body = (struct ztio_body *)input;
    size_t value_bytes = zt_type_bytes(input->meta.type);
    *got = extent;
    if (!body->source.is_regular) {
        if (!read_pipe(body, extent, buffer, got, error))
            return false;
    } else if (!ztio_source_at(&body->source, body->start + first * input->slice_bytes, buffer,
                               (size_t)(extent * input->slice_bytes), input->label, error)) {
        return false;
    }
    if (body->is_swapped)
        ztio_swap(buffer, *got * input->slice_bytes / value_bytes, value_bytes);
    return true;
}

bool ztio_body_check_size(const struct ztio_body *body, const char *label, struct ztio_error *error)
{
    const struct ztio_meta *meta = &body->input.meta;
    char shape[96];
    if (!body->source.is_regular)
        return true;
    uint64_t needed = body->input.slice_bytes * meta->shape[0];
    uint64_t bytes = body->source.bytes - body->start;
    if (bytes == needed)
        return true;
    return ztio_fail(error, ZTIO_BAD_DATA,
                     "%s: %" PRIu64 " bytes are no %s array of %s (slowest first), which takes "
                     "%" PRIu64 " bytes%s",
                     label, bytes, ztio_format_shape(meta->rank, meta->shape, shape),
                     ztio_name_of_type(meta->type), needed, advice(meta));
}

/* ---- raw files ----------------------------------------------------------------------------- */

static const struct ztio_reader raw_reader = {ztio_body_read, ztio_body_close, true};

/* A regular file's first extent, where only the others were given. */
static bool derive_extent(struct ztio_body *body, const char *label, struct ztio_error *error)
{
    struct ztio_meta *meta = &body->input.meta;
    char shape[96];
    if (meta->shape[0] != ZT_UNKNOWN || !body->source.is_regular)
        return true;
    if (body->source.bytes % body->input.slice_bytes)
        return ztio_fail(error, ZTIO_BAD_DATA,
                         "%s: %" PRIu64 " bytes are no whole number of slices of %" PRIu64
                         " bytes (shape %s, slowest first, of %s); give the shape with -s",
                         label, body->source.bytes, body->input.slice_bytes,
                         ztio_format_shape(meta->rank, meta->shape, shape),
                         ztio_name_of_type(meta->type));
    meta->shape[0] = body->source.bytes / body->input.slice_bytes;
    return true;
}

/* Put together what the hints and the name say. A name that ends in one number alone (step_0100)
 * is taken for a shape only where the size agrees. */
static bool find_meta(const struct ztio_place *place, const struct ztio_source *source,
                      const struct ztio_meta *hints, struct ztio_meta *meta,
                      struct ztio_error *error)
{
    if (strcmp(place->path, "-") != 0)
        ztio_meta_of_name(place->path, meta);
    if (hints && hints->type)
        meta->type = hints->type;
    size_t value_bytes = zt_type_bytes(meta->type);
    if (meta->rank == 1 &&
        !(source->is_regular && value_bytes && source->bytes % value_bytes == 0 &&
          source->bytes / value_bytes == meta->shape[0]))
        meta->rank = 0;
    if (hints && hints->rank) {
        meta->rank = hints->rank;
        memcpy(meta->shape, hints->shape, sizeof meta->shape);
    }
    if (!meta->type)
        return ztio_fail(error, ZTIO_BAD_USE,
                         "%s does not say its type; give it with -t: f32, f64, i32 or i64",
                         place->label);
    if (!meta->rank)
        return ztio_fail(error, ZTIO_BAD_USE,
                         "%s does not say its shape; give it with -s, slowest first, "
                         "e.g. 128x512x512",
                         place->label);
    return true;
}

struct ztio_input *ztio_open_raw(struct ztio_place *place, struct ztio_source *source,
                                 const struct ztio_meta *hints, struct ztio_error *error)
{
    struct ztio_body *body = calloc(1, sizeof *body);
    if (!body) {
        ztio_fail_memory(error, place->label);
        return NULL;
    }
    struct ztio_input *input = &body->input;
    input->reader = &raw_reader;
    input->meta.format = ZTIO_RAW;
    body->source = *source;
    body->is_swapped = ztio_is_big_endian();
    if (!find_meta(place, source, hints, &input->meta, error) ||
        !ztio_check_shape(&input->meta, place->label, &input->slice_bytes, error) ||
        !derive_extent(body, place->label, error) ||
        !ztio_check_shape(&input->meta, place->label, &input->slice_bytes, error) ||
        !ztio_body_check_size(body, place->label, error)) {
        free(body);
        return NULL;
    }
    input->is_seekable = source->is_regular;
    input->label = place->label;
    place->label = NULL;
    source->fd = -1;
    return input;
}

struct ztio_input *ztio_open_values(const char *path, uint32_t type, uint64_t start, uint64_t count,
                                    struct ztio_error *error)
{
    struct ztio_body *const body = calloc(1, sizeof *body);
    char *const label = strdup(path);
    if (!body || !label) {
        ztio_fail_memory(error, path);
        goto none;
    }
    body->input.reader = &raw_reader;
    body->input.label = label;
    body->input.is_seekable = true;
    body->input.meta =
        (struct ztio_meta){.format = ZTIO_RAW, .type = type, .rank = 1, .shape = {count}};
    body->start = start;
    if (!ztio_check_shape(&body->input.meta, path, &body->input.slice_bytes, error) ||
        !ztio_source_open(path, path, &body->source, error))
        goto none;
    const uint64_t bytes = count * body->input.slice_bytes;
    if (body->source.is_regular && start <= body->source.bytes &&
        bytes <= body->source.bytes - start)
        return &body->input;
    ztio_source_close(&body->source);
    (void)ztio_fail(error, ZTIO_BAD_DATA, "%s: ends before its values", path);
none:
    free(label);
    free(body);
    return NULL;
}

/* ---- writing ------------------------------------------------------------------------------- */

/* Values of value_bytes each, made little-endian where the machine is not. */
static bool put_values(struct ztio_bytes *bytes, const void *values, uint64_t count,
                       size_t value_bytes, struct ztio_error *error)
{
    enum { PIECE_BYTES = 1 << 16 };
    if (!ztio_is_big_endian())
        return ztio_bytes_write(bytes, values, (size_t)count * value_bytes, error);
    unsigned char piece[PIECE_BYTES];
    const unsigned char *from = values;
    for (uint64_t left = count * value_bytes; left > 0;) {
        size_t n = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
        memcpy(piece, from, n);
        ztio_swap(piece, n / value_bytes, value_bytes);
        if (!ztio_bytes_write(bytes, piece, n, error))
            return false;
        from += n;
        left -= n;
    }
    return true;
}

bool ztio_plain_write(struct ztio_output *output, uint64_t extent, const void *buffer,
                      struct ztio_error *error)
{
    size_t value_bytes = zt_type_bytes(output->meta.type);
    return put_values(output->bytes, buffer, extent * output->slice_bytes / value_bytes,
                      value_bytes, error);
}

void ztio_plain_drop(struct ztio_output *output)
{
    free(output);
}

static bool finish_raw(struct ztio_output *output, struct ztio_error *error)
{
    (void)output;
    (void)error;
    return true;
}

static const struct ztio_writer raw_writer = {ztio_plain_write, finish_raw, ztio_plain_drop};

struct ztio_output *ztio_start_raw(struct ztio_bytes *bytes, const struct ztio_meta *meta,
                                   struct ztio_error *error)
{
    struct ztio_output *output = calloc(1, sizeof *output);
    if (!output) {
        ztio_fail_memory(error, ztio_bytes_label(bytes));
        return NULL;
    }
    output->writer = &raw_writer;
    output->meta = *meta;
    output->bytes = bytes;
    return output;
}
