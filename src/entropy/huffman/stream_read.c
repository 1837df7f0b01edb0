/* stream_read.c: zt_huffman_inspect and zt_huffman_decode. Verifies the checksum, finds from head
 * and tail where each run of chunks begins, and decodes runs on threads. Every number is checked,
 * because a forged stream can have a valid checksum. */
#include "array/mirror.h"
#include "core/cpu.h"
#include "core/map.h"
#include "core/wire.h"
#include "entropy/huffman/stream.h"

#include <xxhash.h>

struct job {
    const struct zti_coded *stream;
    const struct zti_symbols *target;
    uint32_t isa;
    struct zti_huffman_decoder decoder;
    uint16_t *rooms;      /* [worker_count][ZTI_CHUNK_SYMBOLS] */
    uint64_t *run_starts; /* [runs + 1]: bytes from the first chunk */
};

/* ---- head and tail ---- */

/* Read the fields before the table, where the cursor then is. */
static zt_status read_fixed(zt_context *context, struct zti_cursor *cursor, uint32_t *alphabet,
                            uint64_t *symbols)
{
    const uint8_t *magic = zti_get_bytes(cursor, STREAM_MAGIC_BYTES);
    if (!magic || memcmp(magic, zti_stream_magic, STREAM_MAGIC_BYTES) != 0)
        return zti_fail(context, ZT_CORRUPT, "this is no stream of zt_huffman_encode");
    const uint8_t version = zti_get_byte(cursor);
    if (!cursor->is_bad && version != STREAM_VERSION)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "the Huffman stream has version %u; this library reads version %d", version,
                        STREAM_VERSION);
    const uint64_t wide = zti_get_varint(cursor);
    *symbols = zti_get_varint(cursor);
    if (cursor->is_bad)
        return zti_fail(context, ZT_CORRUPT, "the Huffman stream is cut short");
    if (wide == 0 || wide > ZTI_HUFFMAN_MAX_ALPHABET)
        return zti_fail(context, ZT_CORRUPT,
                        "the Huffman stream claims an alphabet of %llu symbols",
                        (unsigned long long)wide);
    *alphabet = (uint32_t)wide;
    return ZT_OK;
}

/* Parse the tail, and set where chunks and lengths lie. */
static zt_status read_tail(zt_context *context, struct zti_cursor *cursor, struct zti_coded *stream)
{
    const uint64_t parts = zti_measured_parts_of(stream->symbols), left = zti_cursor_left(cursor);
    if (left < TAIL_FIXED_BYTES)
        return zti_fail(context, ZT_CORRUPT, "the Huffman stream is cut short");
    const uint8_t *fixed = cursor->end - TAIL_FIXED_BYTES;
    stream->width = fixed[0];
    stream->least = fixed[1] | (uint32_t)fixed[2] << 8;
    if (stream->width > WIDTH_MOST || parts > (UINT64_MAX - 7) / (WIDTH_MOST + 1))
        return zti_fail(context, ZT_CORRUPT, "the Huffman stream's lengths of parts make no sense");
    const uint64_t bytes = (parts * stream->width + 7) / 8;
    if (bytes > left - TAIL_FIXED_BYTES)
        return zti_fail(context, ZT_CORRUPT,
                        "the Huffman stream is too short for the lengths of %llu parts",
                        (unsigned long long)parts);
    stream->lengths = fixed - bytes;
    stream->chunks = cursor->at;
    stream->chunks_bytes = (uint64_t)(stream->lengths - cursor->at);
    return ZT_OK;
}

static zt_status open_stream(zt_context *context, const uint8_t *data, size_t data_bytes,
                             struct zti_coded *stream)
{
    struct zti_cursor cursor = {data, data + data_bytes, false};
    zt_status status = read_fixed(context, &cursor, &stream->alphabet, &stream->symbols);
    if (status != ZT_OK)
        return status;
    if (zti_cursor_left(&cursor) < 8 ||
        zti_get_le64(cursor.end - 8) != XXH3_64bits(data, data_bytes - 8))
        return zti_fail(context, ZT_CORRUPT,
                        "the checksum of the Huffman stream does not match: it is damaged");
    struct zti_bit_reader reader = {cursor.at, 0, (uint64_t)zti_cursor_left(&cursor) * 8};
    status = zti_codebook_load(context, &reader, stream->alphabet, &stream->book);
    if (status != ZT_OK)
        return status;
    cursor.at += (reader.at + 7) / 8;
    status = read_tail(context, &cursor, stream);
    if (status == ZT_OK && stream->book.used == 0 && stream->symbols > 0)
        status = zti_fail(context, ZT_CORRUPT, "the Huffman stream has symbols and no code");
    if (status != ZT_OK)
        zti_codebook_free(context, &stream->book);
    return status;
}

/* Find where the parts of a chunk end, in bits from byte 'at' of the chunks; the chunk begins with
 * symbol 'first'. The stream's last part ends with its padding. Returns the chunk's bytes, more
 * than are left if the lengths are invalid. */
static uint64_t measure_chunk(const struct zti_coded *stream, uint64_t first, uint64_t at,
                              uint64_t ends[ZTI_HUFFMAN_PARTS])
{
    const uint64_t last_part = zti_measured_parts_of(stream->symbols);
    const uint64_t left = stream->chunks_bytes - at; /* at most 2^60 */
    uint64_t bits = 0;
    for (uint32_t k = 0; k < ZTI_HUFFMAN_PARTS; k++) {
        const uint64_t part = first / ZTI_PART_SYMBOLS + k;
        if (part < last_part)
            bits += zti_part_bits(stream->lengths, stream->width, stream->least, part);
        else if (part == last_part)
            bits = bits <= left * 8 ? left * 8 : bits;
        ends[k] = bits;
    }
    return (bits + 7) / 8;
}

/* ---- decoding ---- */

/* Store symbols [first, first + n) in the caller's width. */
static void give_symbols(const struct zti_symbols *s, uint64_t first, size_t n,
                         const uint16_t *symbols)
{
    if (s->bytes == 1)
        for (size_t i = 0; i < n; i++)
            ((uint8_t *)s->data)[first + i] = (uint8_t)symbols[i];
    else if (s->bytes == 4)
        for (size_t i = 0; i < n; i++)
            ((uint32_t *)s->data)[first + i] = symbols[i];
}

/* Whether a part's codes end where the part does; the stream's last part, and parts without symbols
 * after it, may end earlier in the last byte. */
static bool is_at_end(const struct zti_huffman_part *part, uint64_t number,
                      const struct zti_coded *stream)
{
    const uint64_t slack = number < zti_measured_parts_of(stream->symbols) ? 0 : 7;
    return part->end - part->at <= slack;
}

/* Decode the chunk that begins with symbol 'first' at byte 'at' of the chunks. The decoder gets all
 * chunks and the tail as its buffer, because it is slower near a buffer's end. */
static bool decode_chunk(const struct job *job, uint16_t *room, uint64_t first, uint64_t at,
                         const uint64_t ends[ZTI_HUFFMAN_PARTS])
{
    const struct zti_coded *stream = job->stream;
    const struct zti_symbols *target = job->target;
    uint16_t *out = target->bytes == 2 ? (uint16_t *)target->data + first : room;
    const uint64_t left = target->count - first;
    const size_t n = left < ZTI_CHUNK_SYMBOLS ? (size_t)left : ZTI_CHUNK_SYMBOLS;
    struct zti_huffman_part parts[ZTI_HUFFMAN_PARTS];
    for (uint32_t k = 0; k < ZTI_HUFFMAN_PARTS; k++) {
        const size_t begin = (size_t)k * ZTI_PART_SYMBOLS < n ? (size_t)k * ZTI_PART_SYMBOLS : n;
        const size_t part = n - begin < ZTI_PART_SYMBOLS ? n - begin : ZTI_PART_SYMBOLS;
        parts[k] = (struct zti_huffman_part){8 * at + (k > 0 ? ends[k - 1] : 0), 8 * at + ends[k],
                                             out + begin, part};
    }
    if (!zti_huffman_decode(&job->decoder, job->isa, stream->chunks,
                            (size_t)stream->chunks_bytes + TAIL_FIXED_BYTES, parts,
                            ZTI_HUFFMAN_PARTS))
        return false;
    for (uint32_t k = 0; k < ZTI_HUFFMAN_PARTS; k++)
        if (!is_at_end(&parts[k], first / ZTI_PART_SYMBOLS + k, stream))
            return false;
    give_symbols(target, first, n, out);
    return true;
}

static bool decode_run(void *shared, uint32_t worker, uint64_t run)
{
    struct job *job = shared;
    uint64_t first = run * RUN_SYMBOLS, at = job->run_starts[run], ends[ZTI_HUFFMAN_PARTS];
    for (uint32_t c = 0; c < RUN_CHUNKS && first < job->target->count; c++) {
        const uint64_t bytes = measure_chunk(job->stream, first, at, ends);
        if (!decode_chunk(job, job->rooms + (size_t)worker * ZTI_CHUNK_SYMBOLS, first, at, ends)) {
            job->run_starts[run] = UINT64_MAX; /* read by no other run */
            return false;
        }
        at += bytes;
        first += ZTI_CHUNK_SYMBOLS;
    }
    return true;
}

/* Set where runs begin; false if the chunks are not as long as their parts together. */
static bool place_runs(const struct job *job)
{
    uint64_t at = 0, ends[ZTI_HUFFMAN_PARTS];
    for (uint64_t first = 0; first < job->stream->symbols; first += ZTI_CHUNK_SYMBOLS) {
        if (first % RUN_SYMBOLS == 0)
            job->run_starts[first / RUN_SYMBOLS] = at;
        const uint64_t bytes = measure_chunk(job->stream, first, at, ends);
        if (bytes > job->stream->chunks_bytes - at)
            return false;
        at += bytes;
    }
    return at == job->stream->chunks_bytes;
}

zt_status zti_codes_do_not_fill(zt_context *context)
{
    return zti_fail(context, ZT_CORRUPT, "the codes of the Huffman stream do not fill its parts");
}

static zt_status decode_all(zt_context *context, struct job *job)
{
    const uint64_t runs = zti_runs_of(job->target->count);
    const uint32_t threads = zti_stream_is_cuda(context) ? 1 : zti_map_workers(context, runs);
    zt_status status =
        zti_huffman_decoder_make(context, &job->stream->book, job->target->count, &job->decoder);
    if (status != ZT_OK)
        return status;
    job->rooms = zti_alloc(context, threads * ZTI_CHUNK_SYMBOLS * sizeof *job->rooms);
    job->run_starts = zti_alloc(context, (size_t)(runs + 1) * sizeof *job->run_starts);
    if (!job->rooms || !job->run_starts) {
        status = zti_fail(context, ZT_NO_MEMORY, "no memory to decode %llu symbols",
                          (unsigned long long)job->target->count);
    } else if (!place_runs(job)) {
        status = zti_fail(context, ZT_CORRUPT,
                          "the parts of the Huffman stream are not as long together as its chunks");
    } else if (zti_stream_is_cuda(context)) {
        status = zti_stream_cuda_decode(context, job->stream, job->target, job->run_starts);
    } else {
        zti_map(context, runs, decode_run, job);
        for (uint64_t r = 0; r < runs && status == ZT_OK; r++)
            if (job->run_starts[r] == UINT64_MAX)
                status = zti_codes_do_not_fill(context);
    }
    zti_release(context, job->rooms);
    zti_release(context, job->run_starts);
    zti_huffman_decoder_free(context, &job->decoder);
    return status;
}

zt_status zt_huffman_inspect(zt_context *context, const void *data, size_t data_bytes,
                             uint32_t *alphabet, uint64_t *symbols)
{
    if (!data || !alphabet || !symbols)
        return zti_fail(context, ZT_BAD_ARG, "no stream, or no place for what is in it, is given");
    struct zti_mirror head;
    uint32_t wide = 0;
    uint64_t count = 0;
    zt_status status = zti_check_memory(context, data, "the stream");
    if (status != ZT_OK)
        return status;
    const size_t n = data_bytes < HEAD_FIXED_MOST ? data_bytes : HEAD_FIXED_MOST;
    status = zti_mirror_open_bytes(context, data, n, &head);
    struct zti_cursor cursor = {head.bytes, (const uint8_t *)head.bytes + n, false};
    if (status == ZT_OK)
        status = read_fixed(context, &cursor, &wide, &count);
    zti_mirror_close(&head);
    if (status == ZT_OK) {
        *alphabet = wide;
        *symbols = count;
    }
    return status;
}

/* zt_huffman_decode for a stream in the host's memory. */
static zt_status decode_stream(zt_context *context, const void *data, size_t data_bytes,
                               void *symbols, uint32_t symbol_bytes, uint64_t count)
{
    struct zti_coded stream = {0};
    zt_status status = open_stream(context, data, data_bytes, &stream);
    if (status != ZT_OK)
        return status;
    const struct zti_symbols target = {symbols, symbol_bytes, count, stream.alphabet};
    status = zti_symbols_check(context, &target);
    if (status == ZT_OK && count != stream.symbols)
        status = zti_fail(context, ZT_BAD_ARG, "the stream holds %llu symbols, not %llu",
                          (unsigned long long)stream.symbols, (unsigned long long)count);
    struct job job = {.stream = &stream, .target = &target, .isa = zti_isa_of(context)};
    if (status == ZT_OK)
        status = decode_all(context, &job);
    zti_codebook_free(context, &stream.book);
    return status;
}

zt_status zt_huffman_decode(zt_context *context, const void *data, size_t data_bytes, void *symbols,
                            uint32_t symbol_bytes, uint64_t count)
{
    struct zti_mirror stream;
    if (!data)
        return zti_fail(context, ZT_BAD_ARG, "no stream is given");
    zt_status status = zti_check_memory(context, data, "the stream");
    if (status == ZT_OK)
        status = zti_check_memory(context, symbols, "the memory of the symbols");
    if (status != ZT_OK)
        return status;
    status = zti_mirror_open_bytes(context, data, data_bytes, &stream);
    if (status == ZT_OK)
        status = decode_stream(context, stream.bytes, data_bytes, symbols, symbol_bytes, count);
    zti_mirror_close(&stream);
    return status;
}
