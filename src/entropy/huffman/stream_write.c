/* stream_write.c: zt_huffman_encode: counts symbols, builds the codebook, codes chunks, and writes
 * the lengths of their parts after them.
 *
 * Threads code a window of runs of chunks, each in memory of its own. Then the sums of their sizes
 * say where each run belongs, and threads copy them there. */
#include "array/memory.h"
#include "array/mirror.h"
#include "core/cpu.h"
#include "core/map.h"
#include "core/wire.h"
#include "entropy/items.h"
#include "entropy/huffman/stream.h"

#include <xxhash.h>

/* A worker's own memory. */
struct worker {
    void *tally;
    uint16_t *symbols; /* [ZTI_CHUNK_SYMBOLS]: a chunk's symbols in 16 bits */
    uint32_t *cells;   /* of merges; NULL where codes are written part by part */
};

enum {
    RUNS_A_WORKER = 4, /* of a window, where there are several */
    RUN_ROOM_BYTES = RUN_CHUNKS * ZTI_CHUNK_MOST_BYTES + ZTI_BIT_MARGIN_BYTES
};

struct job {
    const struct zti_symbols *source;
    uint32_t isa;
    struct zti_codebook book;
    struct worker *workers;
    uint32_t worker_count;
    uint16_t *part_bits;  /* [parts] */
    uint8_t *coded;       /* [window_runs][RUN_ROOM_BYTES] */
    size_t *run_bytes;    /* [window_runs] */
    uint64_t *run_places; /* [window_runs]: bytes from the first chunk */
    uint64_t window_runs;
    uint64_t window_first;         /* the first run of the window */
    uint8_t *out;                  /* where the first chunk goes */
    uint64_t room_bytes;           /* for chunks */
    uint32_t magnitude, reduction; /* of merges; magnitude 0: part by part */
    struct zti_stream_cuda cuda;
};

zt_status zt_huffman_bound(uint64_t symbols, uint32_t alphabet, size_t *capacity_bytes)
{
    if (!capacity_bytes || alphabet == 0 || alphabet > ZTI_HUFFMAN_MAX_ALPHABET ||
        symbols > SIZE_MAX / 8)
        return ZT_BAD_ARG;
    const uint64_t head = HEAD_FIXED_MOST + alphabet * ZTI_ITEM_SYMBOL_BITS / 8 + 8;
    const uint64_t padding = symbols / ZTI_CHUNK_SYMBOLS + 1;
    const uint64_t chunks = symbols * zti_codebook_limit(alphabet) / 8 + padding;
    const uint64_t tail = (zti_parts_of(symbols) * WIDTH_MOST + 7) / 8 + TAIL_FIXED_BYTES;
    *capacity_bytes = (size_t)(head + chunks + tail);
    return ZT_OK;
}

/* ---- symbols in 16 bits ---- */

/* The caller's symbols [first, first + n), n <= ZTI_CHUNK_SYMBOLS, as 16 bits each: converted to
 * 'room' unless they are already. */
static const uint16_t *read_symbols(const struct zti_symbols *s, uint64_t first, size_t n,
                                    uint16_t *room)
{
    if (s->bytes == 2)
        return (const uint16_t *)s->data + first;
    if (s->bytes == 1)
        for (size_t i = 0; i < n; i++)
            room[i] = ((const uint8_t *)s->data)[first + i];
    else
        for (size_t i = 0; i < n; i++)
            room[i] = (uint16_t)((const uint32_t *)s->data)[first + i];
    return room;
}

/* Whether n symbols of one width are below the alphabet. Usually already the bitwise or of all of
 * them is below it, which saves the search for the largest. */
#define ARE_SYMBOLS(name, width)                                                                   \
    static bool name(const width *symbols, size_t n, uint32_t alphabet)                            \
    {                                                                                              \
        width any = 0, most = 0;                                                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            any |= symbols[i];                                                                     \
        for (size_t i = 0; any >= alphabet && i < n; i++)                                          \
            most = symbols[i] > most ? symbols[i] : most;                                          \
        return most < alphabet;                                                                    \
    }

ARE_SYMBOLS(are_symbols_8, uint8_t)
ARE_SYMBOLS(are_symbols_16, uint16_t)
ARE_SYMBOLS(are_symbols_32, uint32_t)

static bool are_symbols(const struct zti_symbols *s, uint64_t first, size_t n)
{
    if (s->bytes == 1)
        return are_symbols_8((const uint8_t *)s->data + first, n, s->alphabet);
    if (s->bytes == 2)
        return are_symbols_16((const uint16_t *)s->data + first, n, s->alphabet);
    return are_symbols_32((const uint32_t *)s->data + first, n, s->alphabet);
}

/* The number of symbols in chunk 'chunk' of a run, and *first of them. */
static size_t chunk_at(const struct zti_symbols *s, uint64_t run, uint32_t chunk, uint64_t *first)
{
    *first = run * RUN_SYMBOLS + (uint64_t)chunk * ZTI_CHUNK_SYMBOLS;
    if (*first >= s->count)
        return 0;
    return s->count - *first < ZTI_CHUNK_SYMBOLS ? (size_t)(s->count - *first) : ZTI_CHUNK_SYMBOLS;
}

/* ---- passes over runs ---- */

static bool count_run(void *shared, uint32_t worker, uint64_t run)
{
    const struct job *job = shared;
    const struct worker *w = &job->workers[worker];
    uint64_t first;
    for (uint32_t c = 0; c < RUN_CHUNKS; c++) {
        const size_t n = chunk_at(job->source, run, c, &first);
        if (n == 0)
            break;
        if (!are_symbols(job->source, first, n))
            return false;
        zti_histogram_add(w->tally, job->source->alphabet,
                          read_symbols(job->source, first, n, w->symbols), n);
    }
    return true;
}

/* Whole chunks of 2^M symbols by merges. Returns how many symbols. */
static size_t merge_chunks(const struct job *job, const struct worker *w, const uint16_t *symbols,
                           uint64_t first, size_t n, struct zti_bit_writer *writer)
{
    const size_t each = (size_t)1 << job->magnitude, whole = n / each * each;
    for (size_t at = 0; at < whole; at += each) {
        uint64_t bits;
        uint32_t breaking;
        const uint32_t *words = zti_merge_chunk(&job->book, symbols + at, job->magnitude,
                                                job->reduction, w->cells, &bits, &breaking);
        for (uint64_t k = 0; k < bits; k += 32)
            zti_put_bits(writer, words[k / 32], bits - k < 32 ? (uint32_t)(bits - k) : 32);
    }
    for (size_t at = 0; at < whole; at += ZTI_PART_SYMBOLS)
        job->part_bits[(first + at) / ZTI_PART_SYMBOLS] =
            (uint16_t)zti_huffman_bits(&job->book, symbols + at, ZTI_PART_SYMBOLS);
    return whole;
}

/* Code a chunk; returns its bytes, after which it leaves garbage. */
static size_t code_chunk(const struct job *job, const struct worker *w, uint64_t first, size_t n,
                         uint8_t *out)
{
    const uint16_t *symbols = read_symbols(job->source, first, n, w->symbols);
    struct zti_bit_writer writer = zti_bit_writer_at(out);
    const size_t merged = w->cells ? merge_chunks(job, w, symbols, first, n, &writer) : 0;
    for (size_t at = merged; at < n; at += ZTI_PART_SYMBOLS) {
        const uint64_t start = zti_bits_written(&writer);
        zti_huffman_encode(&job->book, job->isa, symbols + at,
                           n - at < ZTI_PART_SYMBOLS ? n - at : ZTI_PART_SYMBOLS, &writer);
        job->part_bits[(first + at) / ZTI_PART_SYMBOLS] =
            (uint16_t)(zti_bits_written(&writer) - start);
    }
    const uint32_t rest = (uint32_t)(zti_bits_written(&writer) & 7);
    zti_put_bits(&writer, 0, (8 - rest) & 7);
    return (size_t)(zti_bits_written(&writer) / 8);
}

/* Code a run of the window in its own memory. */
static bool code_run(void *shared, uint32_t worker, uint64_t run)
{
    const struct job *job = shared;
    const struct worker *w = &job->workers[worker];
    uint8_t *const out = job->coded + run * RUN_ROOM_BYTES;
    size_t at = 0, n;
    uint64_t first;
    for (uint32_t c = 0;
         c < RUN_CHUNKS && (n = chunk_at(job->source, job->window_first + run, c, &first)) > 0; c++)
        at += code_chunk(job, w, first, n, out + at);
    job->run_bytes[run] = at;
    return true;
}

static bool place_run(void *shared, uint32_t worker, uint64_t run)
{
    const struct job *job = shared;
    (void)worker;
    memcpy(job->out + job->run_places[run], job->coded + run * RUN_ROOM_BYTES, job->run_bytes[run]);
    return true;
}

/* Code all chunks, as far as there is room for them; *bytes is what they take. */
static bool code_all(const zt_context *context, struct job *job, uint64_t *bytes)
{
    const uint64_t runs = zti_runs_of(job->source->count);
    *bytes = 0;
    for (job->window_first = 0; job->window_first < runs; job->window_first += job->window_runs) {
        const uint64_t left = runs - job->window_first;
        const uint64_t n = left < job->window_runs ? left : job->window_runs;
        zti_map(context, n, code_run, job);
        for (uint64_t k = 0; k < n; k++) {
            job->run_places[k] = *bytes;
            *bytes += job->run_bytes[k];
        }
        if (*bytes > job->room_bytes)
            return false;
        zti_map(context, n, place_run, job);
    }
    return true;
}

/* ---- memory ---- */

static void release_job(zt_context *context, struct job *job)
{
    for (uint32_t k = 0; job->workers && k < job->worker_count; k++)
        zti_release(context, job->workers[k].tally);
    zti_release(context, job->workers);
    zti_release(context, job->coded);
    zti_release(context, job->run_places);
    zti_release(context, job->run_bytes);
    zti_release(context, job->part_bits);
    zti_codebook_free(context, &job->book);
}

/* Allocate a worker's memory: one block, which begins with its tally. */
static bool provide_worker(zt_context *context, const struct job *job, struct worker *w)
{
    const size_t tally = (size_t)zti_round_up(zti_histogram_bytes(job->source->alphabet), 64);
    const size_t symbols = ZTI_CHUNK_SYMBOLS * sizeof(uint16_t);
    const size_t cells = job->magnitude ? zti_merge_room_words(job->magnitude) : 0;
    uint8_t *memory = zti_alloc(context, tally + symbols + cells * sizeof(uint32_t));
    if (!memory)
        return false;
    memset(memory, 0, tally);
    w->tally = memory;
    w->symbols = (uint16_t *)(void *)(memory + tally);
    w->cells = cells > 0 ? (uint32_t *)(void *)(memory + tally + symbols) : NULL;
    return true;
}

/* A window's memory. A single run may be short. */
static bool provide_window(zt_context *context, struct job *job)
{
    const uint64_t runs = job->window_runs, chunks = job->source->count / ZTI_CHUNK_SYMBOLS + 1;
    const uint64_t most = chunks < RUN_CHUNKS ? chunks : RUN_CHUNKS; /* of a run */
    const uint64_t run = most * ZTI_CHUNK_MOST_BYTES + ZTI_BIT_MARGIN_BYTES;
    job->coded = zti_alloc(context, (size_t)(runs > 1 ? runs * RUN_ROOM_BYTES : run));
    job->run_places = zti_alloc(context, (size_t)(runs + 1) * sizeof *job->run_places);
    job->run_bytes = zti_alloc(context, (size_t)(runs + 1) * sizeof *job->run_bytes);
    return job->coded && job->run_places && job->run_bytes;
}

static zt_status provide_job(zt_context *context, struct job *job)
{
    const uint64_t parts = zti_parts_of(job->source->count), runs = zti_runs_of(job->source->count);
    job->worker_count = zti_stream_is_cuda(context) ? 1 : zti_map_workers(context, runs);
    job->window_runs = job->worker_count > 1 ? (uint64_t)job->worker_count * RUNS_A_WORKER : 1;
    job->window_runs = runs < job->window_runs ? runs : job->window_runs;
    job->workers = zti_alloc_zeroed(context, job->worker_count * sizeof *job->workers);
    job->part_bits = zti_alloc(context, (size_t)(parts + 1) * sizeof *job->part_bits);
    bool has_all = job->workers && job->part_bits;
    has_all = has_all && (zti_stream_is_cuda(context) || provide_window(context, job));
    for (uint32_t k = 0; has_all && k < job->worker_count; k++)
        has_all = provide_worker(context, job, &job->workers[k]);
    if (!has_all)
        return zti_fail(context, ZT_NO_MEMORY, "no memory to encode %llu symbols",
                        (unsigned long long)job->source->count);
    return ZT_OK;
}

/* ---- the whole ---- */

static zt_status learn(zt_context *context, struct job *job)
{
    const uint32_t alphabet = job->source->alphabet;
    zti_stage(context, ZT_STAGE_COUNT);
    if (zti_stream_is_cuda(context))
        return zti_stream_cuda_learn(context, job->source, &job->book, &job->cuda);
    zti_map(context, zti_runs_of(job->source->count), count_run, job);
    for (uint32_t k = 1; k < job->worker_count; k++)
        zti_histogram_merge(job->workers[0].tally, alphabet, job->workers[k].tally);
    const uint64_t *counts = zti_histogram_counts(job->workers[0].tally, alphabet);
    uint64_t counted = 0;
    for (uint32_t s = 0; s < alphabet; s++)
        counted += counts[s];
    if (counted != job->source->count)
        return zti_fail(context, ZT_BAD_ARG, "a symbol is not below the alphabet's %u", alphabet);
    zti_stage(context, ZT_STAGE_MODELS);
    return zti_codebook_build(context, counts, alphabet, &job->book);
}

/* Set the parameters of merges, which may depend on the book. */
static void choose_merges(struct job *job)
{
    if (job->reduction == ZT_REDUCTION_AUTO)
        job->reduction = zti_merge_factor_of(&job->book);
    job->cuda.magnitude = job->magnitude;
    job->cuda.reduction = job->reduction;
}

/* Write the head; returns its bytes, 0 if there is no room. */
static size_t encode_head(const struct job *job, uint8_t *out, size_t room_bytes, uint8_t *scratch)
{
    uint8_t fixed[HEAD_FIXED_MOST], *at = fixed;
    memcpy(at, zti_stream_magic, STREAM_MAGIC_BYTES);
    at += STREAM_MAGIC_BYTES;
    *at++ = STREAM_VERSION;
    at = zti_put_varint(at, job->source->alphabet);
    at = zti_put_varint(at, job->source->count);
    const size_t fixed_bytes = (size_t)(at - fixed);
    struct zti_bit_writer writer = zti_bit_writer_at(scratch);
    zti_codebook_write(&job->book, &writer);
    const size_t table_bytes = (size_t)(zti_bits_written(&writer) + 7) / 8;
    zti_put_bits(&writer, 0, 7);
    if (room_bytes < fixed_bytes || room_bytes - fixed_bytes < table_bytes)
        return 0;
    memcpy(out, fixed, fixed_bytes);
    memcpy(out + fixed_bytes, scratch, table_bytes);
    return fixed_bytes + table_bytes;
}

struct tail {
    uint32_t least, width; /* bits of the shortest part, and width of the differences */
    uint64_t bytes;        /* with the checksum */
};

static struct tail tail_of(const struct job *job)
{
    const uint64_t parts = zti_measured_parts_of(job->source->count);
    uint32_t least = parts > 0 ? UINT16_MAX : 0, most = 0, width = 0;
    for (uint64_t p = 0; p < parts; p++) {
        least = job->part_bits[p] < least ? job->part_bits[p] : least;
        most = job->part_bits[p] > most ? job->part_bits[p] : most;
    }
    while ((most - least) >> width > 0)
        width++;
    return (struct tail){least, width, (parts * width + 7) / 8 + TAIL_FIXED_BYTES};
}

/* Write the tail without its checksum. */
static uint8_t *write_tail(const struct job *job, const struct tail *tail, uint8_t *at)
{
    const uint64_t parts = zti_measured_parts_of(job->source->count);
    uint64_t held = 0;
    uint32_t held_bits = 0;
    for (uint64_t p = 0; p < parts; p++) {
        held |= (uint64_t)(job->part_bits[p] - tail->least) << held_bits;
        for (held_bits += tail->width; held_bits >= 8; held_bits -= 8, held >>= 8)
            *at++ = (uint8_t)held;
    }
    if (held_bits > 0)
        *at++ = (uint8_t)held;
    *at++ = (uint8_t)tail->width;
    *at++ = (uint8_t)tail->least;
    *at++ = (uint8_t)(tail->least >> 8);
    return at;
}

static zt_status no_space(zt_context *context, size_t capacity_bytes)
{
    return zti_fail(context, ZT_NO_SPACE,
                    "%zu bytes are too few; zt_huffman_bound says how many always suffice",
                    capacity_bytes);
}

static zt_status write_stream(zt_context *context, struct job *job, uint8_t *out,
                              size_t capacity_bytes, size_t *out_bytes)
{
    uint64_t chunks;
    const size_t scratch_bytes =
        (size_t)(zti_codebook_stored_bits(&job->book) / 8) + ZTI_BIT_MARGIN_BYTES;
    uint8_t *scratch = zti_alloc(context, scratch_bytes);
    if (!scratch)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for the Huffman table");
    const size_t head = encode_head(job, out, capacity_bytes, scratch);
    zti_release(context, scratch);
    if (head == 0)
        return no_space(context, capacity_bytes);
    job->out = out + head;
    job->room_bytes = capacity_bytes - head;
    if (zti_stream_is_cuda(context)) {
        const zt_status status = zti_stream_cuda_code(context, job->source, &job->cuda, job->out,
                                                      job->room_bytes, job->part_bits, &chunks);
        if (status != ZT_OK)
            return status;
    } else if (!code_all(context, job, &chunks)) {
        return no_space(context, capacity_bytes);
    }
    const struct tail tail = tail_of(job);
    if (chunks > job->room_bytes || tail.bytes > job->room_bytes - chunks)
        return no_space(context, capacity_bytes);
    uint8_t *end = write_tail(job, &tail, job->out + chunks);
    zti_put_le64(end, XXH3_64bits(out, (size_t)(end - out)));
    *out_bytes = (size_t)(end + 8 - out);
    return ZT_OK;
}

/* Write the stream to the host's or a GPU's memory; the host computes its checksum. */
static zt_status write_anywhere(zt_context *context, struct job *job, uint8_t *out,
                                size_t capacity_bytes, size_t *out_bytes)
{
    struct zti_mirror room = {.own = NULL};
    size_t most;
    zt_status status = zt_huffman_bound(job->source->count, job->source->alphabet, &most);
    most = status == ZT_OK && capacity_bytes > most ? most : capacity_bytes;
    if (status == ZT_OK)
        status = zti_mirror_open_room(context, out, most, &room);
    if (status == ZT_OK)
        status = write_stream(context, job, room.room, most, out_bytes);
    if (status == ZT_OK)
        status = zti_mirror_store_bytes(&room, out, *out_bytes);
    zti_mirror_close(&room);
    return status;
}

static zt_status encode(zt_context *context, const struct zti_symbols *source, uint32_t magnitude,
                        uint32_t reduction, void *out, size_t out_capacity_bytes, size_t *out_bytes)
{
    if (!out || !out_bytes)
        return zti_fail(context, ZT_BAD_ARG, "no place is given for the result");
    zt_status status = zti_symbols_check(context, source);
    if (status != ZT_OK)
        return status;
    struct job job = {.source = source,
                      .isa = zti_isa_of(context),
                      .magnitude = magnitude,
                      .reduction = reduction};
    status = zti_check_memory(context, source->data, "the memory of the symbols");
    if (status == ZT_OK)
        status = zti_check_memory(context, out, "the output buffer");
    if (status == ZT_OK)
        status = provide_job(context, &job);
    if (status == ZT_OK)
        status = learn(context, &job);
    if (status == ZT_OK) {
        choose_merges(&job);
        zti_stage(context, ZT_STAGE_ENCODE);
        status = write_anywhere(context, &job, out, out_capacity_bytes, out_bytes);
    }
    zti_stage(context, ZT_STAGE_OTHER);
    release_job(context, &job);
    return status;
}

static struct zti_symbols symbols_in(const void *symbols, uint32_t symbol_bytes, uint64_t count,
                                     uint32_t alphabet)
{
    union {
        const void *in;
        void *data;
    } u = {symbols};
    return (struct zti_symbols){u.data, symbol_bytes, count, alphabet};
}

zt_status zt_huffman_encode(zt_context *context, const void *symbols, uint32_t symbol_bytes,
                            uint64_t count, uint32_t alphabet, void *out, size_t out_capacity_bytes,
                            size_t *out_bytes)
{
    const struct zti_symbols source = symbols_in(symbols, symbol_bytes, count, alphabet);
    return encode(context, &source, 0, 0, out, out_capacity_bytes, out_bytes);
}

zt_status zt_huffman_encode_merged(zt_context *context, const void *symbols, uint32_t symbol_bytes,
                                   uint64_t count, uint32_t alphabet, uint32_t magnitude,
                                   uint32_t reduction, void *out, size_t out_capacity_bytes,
                                   size_t *out_bytes)
{
    const struct zti_symbols source = symbols_in(symbols, symbol_bytes, count, alphabet);
    const zt_status status = zti_merges_check(context, magnitude, reduction);
    if (status != ZT_OK)
        return status;
    return encode(context, &source, magnitude, reduction, out, out_capacity_bytes, out_bytes);
}
