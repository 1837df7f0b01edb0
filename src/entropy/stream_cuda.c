/* stream_cuda.c: zt_huffman_encode and zt_huffman_decode under the cuda policy, the host's part:
 * slabs of symbols to the device, kernels over them, bits back, and the other way round. Head and
 * tail are the business of stream_write.c and stream_read.c.
 *
 * Symbols that fit in one slab go to the device once: counted, and coded where they lie. */
#include "core/device.h"
#include "entropy/huffman_build.h"
#include "entropy/stream.h"

bool zti_stream_is_cuda(const zt_context *context)
{
    return context && context->policy == ZT_CUDA && zti_cuda_huffman() != NULL;
}

/* Symbols of a slab: whole chunks. */
static uint64_t slab_symbols(const zt_context *context, const struct zti_symbols *s, uint64_t unit)
{
    const uint64_t most = context->device->slab_bytes / s->bytes / unit * unit;
    return most > unit ? most : unit;
}

/* Symbols [first, first + n) to the device. */
static zt_status put_symbols(zt_context *context, const struct zti_symbols *s, uint64_t first,
                             uint64_t n, struct zti_symbols *on_device)
{
    struct zti_device *const device = context->device;
    void *memory;
    zt_status status = device->room(context, ZTI_DEVICE_VALUES, n * s->bytes + 8, &memory);
    if (status == ZT_OK)
        status = device->copy(context, ZTI_QUEUE_KERNELS, memory,
                              (const uint8_t *)s->data + first * s->bytes,
                             n * s->bytes);
    *on_device = (struct zti_symbols){memory, s->bytes, n, s->alphabet};
    return status;
}

/* The sums and flags of so many chunks, zeroed, and a word behind them. */
static zt_status make_states(zt_context *context, uint64_t chunks, uint64_t **states,
                             uint64_t **behind)
{
    const uint64_t words = zti_cuda_huffman()->merge_states(chunks);
    void *memory = NULL;
    zt_status status =
        context->device->room(context, ZTI_DEVICE_STATES, 8 * (words + 1), &memory);
    if (status == ZT_OK)
        status = context->device->zero(context, ZTI_QUEUE_KERNELS, memory, 8 * (words + 1));
    *states = memory;
    *behind = status == ZT_OK ? *states + words : NULL;
    return status;
}

/* ---- the codebook ---- */

/* Places in ZTI_DEVICE_MODEL: the book, padded; counts; the number of strays; scratch. */
struct places {
    struct zti_cuda_book book;
    uint64_t *counts, *strays;
    void *scratch;
};

static uint64_t book_bytes(uint32_t alphabet)
{
    return zti_round_up(zti_cuda_book_bytes(alphabet), 8);
}

static struct places places_in(void *memory, uint32_t alphabet)
{
    struct places p = {.book = zti_cuda_book_in(memory, alphabet)};
    p.counts = (uint64_t *)(void *)((uint8_t *)memory + book_bytes(alphabet));
    p.strays = p.counts + alphabet;
    p.scratch = p.strays + 1;
    return p;
}

static zt_status model_room(zt_context *context, uint32_t alphabet, void **memory)
{
    const uint64_t counts = 8 * ((uint64_t)alphabet + 1);
    return context->device->room(context, ZTI_DEVICE_MODEL,
                                 book_bytes(alphabet) + counts +
                                     zti_cuda_huffman()->build_bytes(alphabet),
                                 memory);
}

static zt_status count_all(zt_context *context, const struct zti_symbols *s,
                           const struct places *p, struct zti_symbols *slab)
{
    struct zti_device *const device = context->device;
    const uint64_t each = slab_symbols(context, s, CHUNK_SYMBOLS);
    zt_status status = device->zero(context, ZTI_QUEUE_KERNELS, p->counts,
                                    8 * ((uint64_t)s->alphabet + 1));
    for (uint64_t at = 0; status == ZT_OK && at < s->count; at += each) {
        status = put_symbols(context, s, at, each < s->count - at ? each : s->count - at, slab);
        if (status == ZT_OK)
            zti_cuda_huffman()->count(slab, p->counts, p->strays, device->queue);
    }
    return status;
}

/* The host's book from the device's: numbers are those of zti_cuda_book. */
static void book_from(const uint32_t *numbers, uint16_t only, struct zti_codebook *book)
{
    book->used = numbers[ZTI_BOOK_USED];
    if (book->used == 1)
        book->order[0] = only;
    zti_codebook_generate(book);
}

zt_status zti_stream_cuda_learn(zt_context *context, const struct zti_symbols *s,
                                struct zti_codebook *book, struct zti_stream_cuda *cuda)
{
    struct zti_device *const device = context->device;
    uint32_t numbers[ZTI_BOOK_NUMBERS];
    uint16_t only = 0;
    uint64_t strays = 0;
    void *memory;
    uint64_t *counts = zti_alloc(context, s->alphabet * sizeof *counts);
    if (!counts)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for the counts of %u symbols",
                        s->alphabet);
    zt_status status = model_room(context, s->alphabet, &memory);
    const struct places p = places_in(status == ZT_OK ? memory : NULL, s->alphabet);
    if (status == ZT_OK)
        status = count_all(context, s, &p, &cuda->symbols);
    if (status == ZT_OK) {
        zti_cuda_huffman()->build(p.counts, &p.book, p.scratch, device->queue);
        status = zti_codebook_alloc(context, s->alphabet, book);
    }
    if (status == ZT_OK)
        status = device->copy(context, ZTI_QUEUE_KERNELS, book->lengths, p.book.lengths,
                              s->alphabet);
    if (status == ZT_OK)
        status = device->copy(context, ZTI_QUEUE_KERNELS, numbers, p.book.numbers, sizeof numbers);
    if (status == ZT_OK)
        status = device->copy(context, ZTI_QUEUE_KERNELS, &only, p.book.order, sizeof only);
    if (status == ZT_OK)
        status = device->copy(context, ZTI_QUEUE_KERNELS, &strays, p.strays, sizeof strays);
    if (status == ZT_OK)
        status = device->copy(context, ZTI_QUEUE_KERNELS, counts, p.counts,
                              s->alphabet * sizeof *counts);
    status = zti_device_settle(context, status);
    if (status == ZT_OK && strays > 0)
        status = zti_fail(context, ZT_BAD_ARG, "a symbol is not below the alphabet's %u",
                          s->alphabet);
    if (status == ZT_OK) {
        book_from(numbers, only, book);
        cuda->book = p.book;
        cuda->code_bits = zti_codebook_cost_bits(book, counts);
    }
    zti_release(context, counts);
    return status;
}

/* ---- coding ---- */

/* Code a slab that is on the device, of whose stream so many bytes are wanted at most. */
static zt_status code_slab(zt_context *context, struct zti_cuda_merging *m, uint64_t room_bytes,
                           uint8_t *out, uint16_t *part_bits, uint64_t *bytes)
{
    struct zti_device *const device = context->device;
    const uint64_t chunks = (m->symbols.count + CHUNK_SYMBOLS - 1) / CHUNK_SYMBOLS;
    const uint64_t parts = chunks * 4;
    void *memory;
    zt_status status =
        device->room(context, ZTI_DEVICE_STREAM, chunks * CHUNK_MOST_BYTES, &memory);
    m->out = memory;
    if (status == ZT_OK)
        status = device->room(context, ZTI_DEVICE_STARTS, parts * sizeof *part_bits, &memory);
    m->part_bits = memory;
    if (status == ZT_OK)
        status = make_states(context, chunks, &m->states, &m->breaking);
    if (status != ZT_OK)
        return status;
    zti_cuda_huffman()->encode(m, device->queue);
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
    const uint64_t each = slab_symbols(context, s, CHUNK_SYMBOLS);
    struct zti_cuda_merging m = {.symbols = cuda->symbols,
                                 .book = cuda->book,
                                 .magnitude = ZTI_CHUNK_MAGNITUDE};
    zt_status status = ZT_OK;
    m.factor = s->count > 0 ? zti_merge_factor(cuda->code_bits, s->count) : 0;
    *bytes = 0;
    for (uint64_t at = 0; status == ZT_OK && at < s->count && *bytes <= room_bytes; at += each) {
        uint64_t own = 0;
        if (s->count > each)
            status = put_symbols(context, s, at, each < s->count - at ? each : s->count - at,
                                 &m.symbols);
        if (status == ZT_OK)
            status = code_slab(context, &m, room_bytes - *bytes, out + *bytes,
                               part_bits + at / PART_SYMBOLS, &own);
        *bytes += own;
    }
    return status;
}

/* ---- decoding ---- */

/* What kernels need of a book that the host has. 'memory': ZTI_DEVICE_MODEL. */
static zt_status put_book(zt_context *context, const struct zti_codebook *book,
                          const uint32_t numbers[ZTI_BOOK_NUMBERS], struct zti_cuda_book *on_device)
{
    struct zti_device *const device = context->device;
    void *memory;
    zt_status status = device->room(context, ZTI_DEVICE_MODEL, book_bytes(book->alphabet), &memory);
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

/* The slab's bits and lengths to the device, and room for its symbols. at: bytes of the chunks. */
static zt_status put_slab(zt_context *context, const struct zti_coded *coded, uint64_t at,
                          struct zti_cuda_unmerging *u)
{
    struct zti_device *const device = context->device;
    const uint64_t chunks = (u->symbols.count + CHUNK_SYMBOLS - 1) / CHUNK_SYMBOLS;
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

/* All lengths of parts, with what follows them in the stream. */
static zt_status put_lengths(zt_context *context, const struct zti_coded *coded,
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
    zt_status status = put_book(context, book, numbers, &u.book);
    if (status == ZT_OK)
        status = put_lengths(context, coded, &u);
    for (uint64_t at = 0; status == ZT_OK && bad == 0 && at < target->count; at += each) {
        const uint64_t n = each < target->count - at ? each : target->count - at;
        const uint64_t first = run_starts[at / RUN_SYMBOLS];
        const uint64_t last =
            at + n < target->count ? run_starts[(at + n) / RUN_SYMBOLS] : coded->chunks_bytes;
        u.symbols = (struct zti_symbols){NULL, target->bytes, n, target->alphabet};
        u.bytes = last - first;
        u.first_part = at / PART_SYMBOLS;
        status = put_slab(context, coded, first, &u);
        if (status == ZT_OK) {
            zti_cuda_huffman()->decode(&u, device->queue);
            status = device->copy(context, ZTI_QUEUE_KERNELS,
                                  (uint8_t *)target->data + at * target->bytes,
                                 u.symbols.data, n * target->bytes);
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
