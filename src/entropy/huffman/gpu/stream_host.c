/* stream_host.c: the host's part of zt_huffman_encode and zt_huffman_decode under the cuda policy:
 * copies slabs of symbols to the device, runs kernels, copies bits back; and the reverse.
 * stream_write.c and stream_read.c handle head and tail.
 *
 * Symbols that fit in one slab are copied to the device once, for counting and coding. */
#include "core/device.h"
#include "entropy/huffman/build.h"
#include "entropy/huffman/stream.h"

bool zti_stream_is_cuda(const zt_context *context)
{
    return context && context->device && zti_cuda_huffman() != NULL;
}

/* Symbols of a slab: a multiple of 'unit'. */
static uint64_t slab_symbols(const zt_context *context, const struct zti_symbols *s, uint64_t unit)
{
    const uint64_t most = context->device->slab_bytes / s->bytes / unit * unit;
    return most > unit ? most : unit;
}

/* Copy symbols [first, first + n) to the device. */
static zt_status write_symbols(zt_context *context, const struct zti_symbols *s, uint64_t first,
                               uint64_t n, struct zti_symbols *on_device)
{
    struct zti_device *const device = context->device;
    void *memory;
    zt_status status = device->room(context, ZTI_DEVICE_VALUES, n * s->bytes + 8, &memory);
    if (status == ZT_OK)
        status = device->copy(context, ZTI_QUEUE_KERNELS, memory,
                              (const uint8_t *)s->data + first * s->bytes, n * s->bytes);
    *on_device = (struct zti_symbols){memory, s->bytes, n, s->alphabet};
    return status;
}

/* Allocate zeroed states for 'chunks' chunks, and a word after them. */
static zt_status make_states(zt_context *context, uint64_t chunks, uint64_t **states,
                             uint64_t **behind)
{
    const uint64_t words = zti_cuda_huffman()->merge_states(chunks);
    void *memory = NULL;
    zt_status status = context->device->room(context, ZTI_DEVICE_STATES, 8 * (words + 1), &memory);
    if (status == ZT_OK)
        status = context->device->zero(context, ZTI_QUEUE_KERNELS, memory, 8 * (words + 1));
    *states = memory;
    *behind = status == ZT_OK ? *states + words : NULL;
    return status;
}

/* ---- the codebook ---- */

static zt_status count_all(zt_context *context, const struct zti_symbols *s,
                           const struct zti_cuda_making *m, struct zti_symbols *slab)
{
    struct zti_device *const device = context->device;
    const uint64_t each = slab_symbols(context, s, ZTI_CHUNK_SYMBOLS);
    zt_status status =
        device->zero(context, ZTI_QUEUE_KERNELS, m->counts, 8 * ((uint64_t)s->alphabet + 1));
    for (uint64_t at = 0; status == ZT_OK && at < s->count; at += each) {
        status = write_symbols(context, s, at, each < s->count - at ? each : s->count - at, slab);
        if (status == ZT_OK) {
            const int before = device->enter(context);
            zti_cuda_huffman()->count(slab, m->counts, m->strays, device->queue);
            device->leave(before);
        }
    }
    return status;
}

zt_status zti_stream_cuda_learn(zt_context *context, const struct zti_symbols *s,
                                struct zti_codebook *book, struct zti_stream_cuda *cuda)
{
    struct zti_device *const device = context->device;
    struct zti_cuda_making m;
    uint64_t strays = 0;
    zt_status status = zti_cuda_make_room(context, s->alphabet, &m);
    if (status == ZT_OK)
        status = count_all(context, s, &m, &cuda->symbols);
    if (status == ZT_OK)
        status = device->copy(context, ZTI_QUEUE_KERNELS, &strays, m.strays, sizeof strays);
    if (status == ZT_OK && context->stage_begins) { /* somebody wants to know what takes how long */
        status = zti_device_settle(context, status);
        zti_stage(context, ZT_STAGE_MODELS);
    }
    status = status == ZT_OK ? zti_cuda_make_book(context, &m, book)
                             : zti_device_settle(context, status);
    if (status == ZT_OK && strays > 0)
        status =
            zti_fail(context, ZT_BAD_ARG, "a symbol is not below the alphabet's %u", s->alphabet);
    if (status == ZT_OK)
        cuda->book = m.book;
    return status;
}

/* ---- coding ---- */

/* Code a slab that is on the device; its bytes are copied to 'out' if they fit in room_bytes. */
static zt_status code_slab(zt_context *context, struct zti_cuda_merging *m, uint64_t room_bytes,
                           uint8_t *out, uint16_t *part_bits, uint64_t *bytes)
{
    struct zti_device *const device = context->device;
    const uint64_t chunks = (m->symbols.count + ZTI_CHUNK_SYMBOLS - 1) / ZTI_CHUNK_SYMBOLS;
    const uint64_t parts = chunks * ZTI_CHUNK_PARTS;
    void *memory;
    zt_status status =
        device->room(context, ZTI_DEVICE_STREAM, chunks * ZTI_CHUNK_MOST_BYTES, &memory);
    m->out = memory;
    if (status == ZT_OK)
        status = device->room(context, ZTI_DEVICE_STARTS, parts * sizeof *part_bits, &memory);
    m->part_bits = memory;
    if (status == ZT_OK)
        status = make_states(context, chunks, &m->states, &m->breaking);
    if (status != ZT_OK)
        return status;
    const int before = device->enter(context);
    if (m->merged > 0)
        zti_cuda_huffman()->merge(m, device->queue);
    else
        zti_cuda_huffman()->encode(m, device->queue);
    device->leave(before);
    status = device->copy(context, ZTI_QUEUE_KERNELS, bytes, m->states + 1, sizeof *bytes);
    if (status == ZT_OK)
        status = device->copy(context, ZTI_QUEUE_KERNELS, part_bits, m->part_bits,
                              zti_parts_of(m->symbols.count) * sizeof *part_bits);
    status = zti_device_settle(context, status);
    if (status == ZT_OK && *bytes <= room_bytes)
        status = device->copy(context, ZTI_QUEUE_KERNELS, out, m->out, *bytes);
    return zti_device_settle(context, status);
}

zt_status zti_stream_cuda_code(zt_context *context, const struct zti_symbols *s,
                               const struct zti_stream_cuda *cuda, uint8_t *out,
                               uint64_t room_bytes, uint16_t *part_bits, uint64_t *bytes)
{
    const uint64_t each = slab_symbols(context, s, ZTI_CHUNK_SYMBOLS);
    struct zti_cuda_merging m = {.symbols = cuda->symbols,
                                 .book = cuda->book,
                                 .magnitude = ZTI_CHUNK_MAGNITUDE,
                                 .merged = cuda->magnitude,
                                 .factor = cuda->reduction};
    zt_status status = ZT_OK;
    *bytes = 0;
    for (uint64_t at = 0; status == ZT_OK && at < s->count && *bytes <= room_bytes; at += each) {
        uint64_t own = 0;
        if (s->count > each)
            status = write_symbols(context, s, at, each < s->count - at ? each : s->count - at,
                                   &m.symbols);
        if (status == ZT_OK)
            status = code_slab(context, &m, room_bytes - *bytes, out + *bytes,
                               part_bits + at / ZTI_PART_SYMBOLS, &own);
        *bytes += own;
    }
    return status;
}

/* ---- decoding ---- */

/* Copy the fields of a book that the decoder needs to ZTI_DEVICE_MODEL. */
static zt_status write_book(zt_context *context, const struct zti_codebook *book,
                            const uint32_t numbers[ZTI_BOOK_NUMBERS],
                            struct zti_cuda_book *on_device)
{
    struct zti_device *const device = context->device;
    void *memory;
    zt_status status =
        device->room(context, ZTI_DEVICE_MODEL, zti_cuda_book_bytes(book->alphabet), &memory);
    if (status != ZT_OK)
        return status;
    *on_device = zti_cuda_book_in(memory, book->alphabet);
    status = device->copy(context, ZTI_QUEUE_KERNELS, on_device->numbers, numbers,
                          ZTI_BOOK_NUMBERS * sizeof *numbers);
    if (status == ZT_OK && book->used > 0)
        status = device->copy(context, ZTI_QUEUE_KERNELS, on_device->order, book->order,
                              book->used * sizeof *book->order);
    return status;
}

/* Copy a slab's bits, from byte 'at' of the chunks on, to the device, and allocate its symbols. */
static zt_status write_slab(zt_context *context, const struct zti_coded *coded, uint64_t at,
                            struct zti_cuda_unmerging *u)
{
    struct zti_device *const device = context->device;
    const uint64_t chunks = (u->symbols.count + ZTI_CHUNK_SYMBOLS - 1) / ZTI_CHUNK_SYMBOLS;
    const uint64_t words = u->bytes / 4 + 2;
    void *memory;
    zt_status status = device->room(context, ZTI_DEVICE_STREAM, words * 4, &memory);
    if (status == ZT_OK)
        status = device->zero(context, ZTI_QUEUE_KERNELS, (uint8_t *)memory + u->bytes / 4 * 4, 8);
    if (status == ZT_OK)
        status = device->copy(context, ZTI_QUEUE_KERNELS, memory, coded->chunks + at, u->bytes);
    u->words = memory;
    if (status == ZT_OK)
        status = make_states(context, chunks, &u->states, &u->bad);
    if (status != ZT_OK)
        return status;
    status = device->room(context, ZTI_DEVICE_VALUES, u->symbols.count * u->symbols.bytes, &memory);
    u->symbols.data = memory;
    return status;
}

/* Copy the lengths of all parts, with the tail's rest, to the device. */
static zt_status write_lengths(zt_context *context, const struct zti_coded *coded,
                               struct zti_cuda_unmerging *u)
{
    const uint64_t bytes =
        (zti_measured_parts_of(coded->symbols) * coded->width + 7) / 8 + TAIL_FIXED_BYTES;
    void *memory;
    zt_status status = context->device->room(context, ZTI_DEVICE_STARTS, bytes, &memory);
    if (status == ZT_OK)
        status = context->device->copy(context, ZTI_QUEUE_KERNELS, memory, coded->lengths, bytes);
    u->lengths = memory;
    u->width = coded->width;
    u->least = coded->least;
    u->measured_parts = zti_measured_parts_of(coded->symbols);
    return status;
}

zt_status zti_stream_cuda_decode(zt_context *context, const struct zti_coded *coded,
                                 const struct zti_symbols *target, const uint64_t *run_starts)
{
    struct zti_device *const device = context->device;
    const uint64_t each = slab_symbols(context, target, RUN_SYMBOLS);
    const struct zti_codebook *const book = &coded->book;
    struct zti_cuda_unmerging u = {.width = 0};
    uint32_t numbers[ZTI_BOOK_NUMBERS] = {book->used, book->longest};
    uint64_t bad = 0;
    memcpy(numbers + ZTI_BOOK_FIRST, book->first, sizeof book->first);
    memcpy(numbers + ZTI_BOOK_ENTRY, book->entry, sizeof book->entry);
    zt_status status = write_book(context, book, numbers, &u.book);
    if (status == ZT_OK)
        status = write_lengths(context, coded, &u);
    for (uint64_t at = 0; status == ZT_OK && bad == 0 && at < target->count; at += each) {
        const uint64_t n = each < target->count - at ? each : target->count - at;
        const uint64_t first = run_starts[at / RUN_SYMBOLS];
        const uint64_t last =
            at + n < target->count ? run_starts[(at + n) / RUN_SYMBOLS] : coded->chunks_bytes;
        u.symbols = (struct zti_symbols){NULL, target->bytes, n, target->alphabet};
        u.bytes = last - first;
        u.first_part = at / ZTI_PART_SYMBOLS;
        status = write_slab(context, coded, first, &u);
        if (status == ZT_OK) {
            const int before = device->enter(context);
            zti_cuda_huffman()->decode(&u, device->queue);
            device->leave(before);
            status = device->copy(context, ZTI_QUEUE_KERNELS,
                                  (uint8_t *)target->data + at * target->bytes, u.symbols.data,
                                  n * target->bytes);
        }
        if (status == ZT_OK)
            status = device->copy(context, ZTI_QUEUE_KERNELS, &bad, u.bad, sizeof bad);
        status = zti_device_settle(context, status); /* for 'bad' */
    }
    status = zti_device_settle(context, status);
    if (status == ZT_OK && bad > 0)
        status = zti_codes_do_not_fill(context);
    return status;
}
