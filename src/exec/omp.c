/* omp.c: the omp policy: runs the tiles of a stream on several threads; the bytes are those of one
 * thread.
 *
 * Encoding. The tiles are cut into pieces. A thread takes the next piece in order and codes it into
 * a buffer from a pool. When a piece and all before it are coded, its place in the stream is known.
 * The bits of its first and last byte are then joined with the neighbours' in order, under the
 * lock; the next free thread shifts the bytes between into place. A piece whose place is known when
 * a thread takes it is coded in place.
 *
 *     pieces    0 placed | 1 placed | 2 being placed | 3 coded | 4 being coded | 5 coded | 6 ...
 *                                                              ^ frontier
 *
 * At fixed rate all places are known and pieces are whole bytes: all are coded in place.
 *
 * Decoding. A piece's start is computed at fixed rate, or looked up in the index. Without an index,
 * one thread at a time parses the stream and notes where pieces, and if wanted chunks, begin, while
 * the other threads decode. */
#include "core/threads.h"
#include "exec/policy.h"
#include "exec/run.h"

#include <pthread.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* A piece should be long against the time under the lock, and its worst case fit a core's cache. */
enum { PIECE_BYTES = 256 * 1024, PIECES_A_THREAD = 8, BUFFERS_A_THREAD = 3 };

/* Pieces to decode whose places are known may be larger, because codecs prefetch only within a
 * piece. A thread gets at least KNOWN_PIECES_A_THREAD pieces, so that threads end at about the same
 * time. */
enum { KNOWN_PIECE_RAW_BYTES = 2 * 1024 * 1024, KNOWN_PIECES_A_THREAD = 32 };

/* The smallest piece if the caller sets no grain: creating a thread takes as long as coding a few
 * of these. */
enum { LEAST_PIECE_RAW_BYTES = 16 * 1024 };

/* Tiles of a piece of 'count' tiles. */
static uint64_t grain_of(const zt_context *context, const struct zti_coding *coding, uint64_t count,
                         uint32_t threads)
{
    if (context->omp.grain)
        return context->omp.grain;
    const struct zti_sizes sizes = coding->codec->sizes(coding);
    const uint64_t tile_bytes = sizes.tile_max_bits / 8 + 1;
    const uint64_t least = LEAST_PIECE_RAW_BYTES / zti_tile_bytes(coding) + 1;
    const uint64_t fair = count / ((uint64_t)threads * PIECES_A_THREAD) + 1;
    const uint32_t piece_bytes = sizes.piece_bytes ? sizes.piece_bytes : PIECE_BYTES;
    uint64_t grain = piece_bytes / tile_bytes + 1;
    if (grain > fair)
        grain = fair;
    return grain > least ? grain : least;
}

/* Tiles of a piece to decode whose place is known. */
static uint64_t known_grain_of(const zt_context *context, const struct zti_coding *coding,
                               uint32_t threads)
{
    const uint64_t grain = grain_of(context, coding, coding->grid.count, threads);
    if (context->omp.grain)
        return grain;
    const uint64_t most = KNOWN_PIECE_RAW_BYTES / zti_tile_bytes(coding) + 1;
    const uint64_t fair = coding->grid.count / ((uint64_t)threads * KNOWN_PIECES_A_THREAD) + 1;
    const uint64_t larger = fair < most ? fair : most;
    return grain > larger ? grain : larger;
}

/* A context for a thread: with its own error message, and without progress, which only the calling
 * thread reports. */
static zt_context context_of_thread(const zt_context *context)
{
    return (zt_context){.allocator = context->allocator,
                        .policy = ZT_SERIAL,
                        .isa = context->isa,
                        .most_bytes = context->most_bytes,
                        .held = context->held};
}

/* State that encoding and decoding share: the lock, the first failure, the progress. */
struct team {
    zt_context *context;
    const struct zti_coding *coding;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    zt_status status;
    uint64_t done_tiles;
    uint64_t reported;
};

static void team_open(struct team *team, zt_context *context, const struct zti_coding *coding)
{
    *team = (struct team){.context = context, .coding = coding};
    (void)pthread_mutex_init(&team->lock, NULL);
    (void)pthread_cond_init(&team->changed, NULL);
}

static void team_close(struct team *team)
{
    (void)pthread_cond_destroy(&team->changed);
    (void)pthread_mutex_destroy(&team->lock);
}

/* With the lock held: keep the first failure and its message. */
static void team_fail(struct team *team, zt_status status, const zt_context *own)
{
    if (status == ZT_OK || team->status != ZT_OK)
        return;
    team->status = status;
    memcpy(team->context->sentence, own->sentence, sizeof own->sentence);
}

/* With the lock held: count a piece's tiles, note its failure, and report progress if this is the
 * calling thread. The lock is released while the progress function runs. */
static void team_note(struct team *team, uint32_t thread, zt_status status, const zt_context *own,
                      uint64_t tiles)
{
    team->done_tiles += tiles;
    team_fail(team, status, own);
    if (thread == 0 && team->status == ZT_OK &&
        team->done_tiles - team->reported >= zti_report_tiles(team->coding)) {
        zt_context teller = *own;
        teller.progress = team->context->progress;
        teller.progress_user = team->context->progress_user;
        const uint64_t done = team->reported = team->done_tiles;
        (void)pthread_cond_broadcast(&team->changed);
        (void)pthread_mutex_unlock(&team->lock);
        status = zti_report(&teller, done, team->coding->grid.count);
        (void)pthread_mutex_lock(&team->lock);
        team_fail(team, status, &teller);
    }
    (void)pthread_cond_broadcast(&team->changed);
}

/* ---- encoding ---- */

/* memcpy with stores past the caches: lines that will not be read soon are not loaded first. */
static void copy_past(uint8_t *to, const uint8_t *from, size_t n)
{
#if defined(__SSE2__)
    const size_t first = -(uintptr_t)to % 64 < n ? -(uintptr_t)to % 64 : n;
    memcpy(to, from, first);
    to += first, from += first, n -= first;
    for (; n >= 64; n -= 64, to += 64, from += 64)
        for (uint32_t i = 0; i < 64; i += 16)
            _mm_stream_si128((__m128i *)(void *)(to + i),
                             _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
    _mm_sfence(); /* before another thread learns of it */
#endif
    memcpy(to, from, n);
}

/* Copy n bits from bit 'from' (0..7) of bytes to whole bytes at 'to'; n is a multiple of 8. The
 * source is readable 8 bytes beyond its end. */
static void copy_bits(uint8_t *to, const uint8_t *bytes, uint32_t from, uint64_t n,
                      bool is_streamed)
{
    uint64_t left = n / 8;
    if (from == 0) {
        if (is_streamed)
            copy_past(to, bytes, (size_t)left);
        else
            memcpy(to, bytes, (size_t)left);
        return;
    }
    for (; left >= 8; left -= 8, to += 8, bytes += 8)
        zti_put_le64(to, zti_get_le64(bytes) >> from | (uint64_t)bytes[8] << (64 - from));
    for (; left > 0; left--, to++, bytes++)
        *to = (uint8_t)(bytes[0] >> from | bytes[1] << (8 - from));
}

enum piece_state { FREE, CODING, CODED, PLACEABLE, PLACING };

struct piece {
    enum piece_state state;
    uint64_t number;
    uint8_t *bytes;
    uint64_t bits;
    uint64_t at_bits; /* place in the stream, set when PLACEABLE */
    bool is_in_place; /* coded at its place in the output */
    struct zti_misses misses;
};

struct encoder {
    struct team team;
    const struct zti_array *array;
    struct zti_tiles tiles;
    uint8_t *out;
    uint64_t capacity_bits;
    uint64_t grain;
    uint64_t pieces;
    uint64_t next;     /* number of the next piece to code */
    uint64_t frontier; /* first piece whose place is not known yet */
    uint64_t placed;
    uint64_t end_bits;   /* where the frontier's bits go */
    uint64_t fixed_bits; /* of a piece, at fixed rate */
    uint64_t start_bits;
    bool is_streamed;                  /* the stream is larger than the caches */
    const struct zti_coding *in_place; /* the coding for pieces coded in place */
    struct zti_misses *misses;
    const struct zti_starts *starts;
    struct piece *pool;
    uint32_t pool_n;
    size_t buffer_bytes;
};

static void piece_tiles(const struct encoder *e, uint64_t number, uint64_t *first, uint64_t *last)
{
    const uint64_t end = e->tiles.last;
    *first = e->tiles.first + number * e->grain;
    *last = end - *first < e->grain ? end : *first + e->grain;
}

static bool is_over(const struct encoder *e)
{
    return e->team.status != ZT_OK || (e->misses && e->misses->is_over);
}

/* With the lock held: append a piece's misses to the stream's. */
static void join_misses(struct encoder *e, struct zti_misses *own)
{
    zt_status status = ZT_OK;
    for (uint64_t i = 0; i < own->count && status == ZT_OK; i++)
        status = zti_add_miss(e->team.context, e->misses, own->list[i].at, own->list[i].bits);
    if (status != ZT_OK && e->team.status == ZT_OK)
        e->team.status = status;
}

/* With the lock held: give a coded piece its place, and store its bits in the byte where the stream
 * ended and in its own last byte; piece_place stores the others. */
static void piece_commit(struct encoder *e, struct piece *p)
{
    const uint64_t at = e->end_bits, end = at + p->bits;
    p->at_bits = at;
    if (e->misses)
        join_misses(e, &p->misses);
    if (end > e->capacity_bits) {
        if (e->team.status == ZT_OK)
            e->team.status = zti_fail(e->team.context, ZT_NO_SPACE,
                                      "the stream needs more than the output buffer's %llu bytes",
                                      (unsigned long long)(e->capacity_bits / 8));
        return;
    }
    const uint32_t used = at % 8, room = (8 - used) % 8;
    if (used && !p->is_in_place) { /* the next piece overwrites bits beyond this one's */
        const uint32_t keep = (1u << used) - 1;
        e->out[at / 8] = (uint8_t)((e->out[at / 8] & keep) | (uint32_t)p->bytes[0] << used);
    }
    if (p->bits > room && end % 8 && !p->is_in_place) {
        const uint64_t from = p->bits - end % 8;
        const uint32_t two = p->bytes[from / 8] | (uint32_t)p->bytes[from / 8 + 1] << 8;
        e->out[end / 8] = (uint8_t)(two >> from % 8);
    }
    e->end_bits = end;
    p->state = PLACEABLE;
}

/* Starts of chunks in a piece were counted from its beginning; count them from the stream's. */
static void move_starts(const struct encoder *e, const struct piece *p)
{
    uint64_t first, last;
    if (!e->starts)
        return;
    piece_tiles(e, p->number, &first, &last);
    for (uint64_t chunk = zti_index_chunks(first, e->starts->chunk_tiles);
         chunk < zti_index_chunks(last, e->starts->chunk_tiles); chunk++)
        e->starts->list[chunk] += p->at_bits - e->start_bits;
}

/* Without the lock: store the bytes that only this piece has bits in, and the starts of its
 * chunks. */
static void piece_place(const struct encoder *e, const struct piece *p)
{
    move_starts(e, p);
    const uint32_t room = (8 - p->at_bits % 8) % 8;
    if (p->bits <= room || p->is_in_place)
        return;
    const uint64_t n = (p->bits - room) & ~UINT64_C(7);
    copy_bits(e->out + zti_bytes_of_bits(p->at_bits), p->bytes, room, n, e->is_streamed);
}

static struct piece *find(struct encoder *e, enum piece_state state)
{
    for (uint32_t i = 0; i < e->pool_n; i++)
        if (e->pool[i].state == state)
            return &e->pool[i];
    return NULL;
}

/* With the lock held: commit coded pieces in order, up to the first that is not coded. */
static void advance(struct encoder *e)
{
    for (bool is_found = true; is_found && !is_over(e);) {
        is_found = false;
        for (uint32_t i = 0; i < e->pool_n; i++)
            if (e->pool[i].state == CODED && e->pool[i].number == e->frontier) {
                is_found = true;
                e->frontier++;
                piece_commit(e, &e->pool[i]);
                break;
            }
    }
}

static void code_piece(struct encoder *e, uint32_t thread, zt_context *own, struct piece *p)
{
    uint64_t first, last;
    p->state = CODING;
    p->number = e->next++;
    p->misses.count = 0;
    p->misses.is_over = false;
    p->misses.limit = e->misses ? e->misses->limit : 0;
    piece_tiles(e, p->number, &first, &last);
    p->is_in_place = p->number == e->frontier; /* no other thread moves end_bits meanwhile */
    const uint64_t at = p->is_in_place ? e->end_bits : 0;
    (void)pthread_mutex_unlock(&e->team.lock);
    const zt_status status =
        zti_encode_run(own, p->is_in_place ? e->in_place : e->team.coding, e->array, first, last,
                       p->is_in_place ? e->out : p->bytes,
                       p->is_in_place ? (size_t)(e->capacity_bits / 8) : e->buffer_bytes, at,
                       &p->bits, e->misses ? &p->misses : NULL, e->starts);
    p->bits -= status == ZT_OK ? at : 0;
    (void)pthread_mutex_lock(&e->team.lock);
    p->state = CODED;
    if (p->misses.is_over)
        e->misses->is_over = true;
    team_note(&e->team, thread, status, own, last - first);
    advance(e);
}

static void place_piece(struct encoder *e, struct piece *p)
{
    p->state = PLACING;
    (void)pthread_mutex_unlock(&e->team.lock);
    piece_place(e, p);
    (void)pthread_mutex_lock(&e->team.lock);
    p->state = FREE;
    e->placed++;
    (void)pthread_cond_broadcast(&e->team.changed);
}

static void encode_task(void *shared, uint32_t thread)
{
    struct encoder *e = shared;
    zt_context own = context_of_thread(e->team.context);
    struct piece *p;
    (void)pthread_mutex_lock(&e->team.lock);
    while (!is_over(e) && e->placed < e->pieces) {
        if ((p = find(e, PLACEABLE)) != NULL)
            place_piece(e, p);
        else if (e->next < e->pieces && (p = find(e, FREE)) != NULL)
            code_piece(e, thread, &own, p);
        else
            (void)pthread_cond_wait(&e->team.changed, &e->team.lock);
    }
    (void)pthread_cond_broadcast(&e->team.changed);
    (void)pthread_mutex_unlock(&e->team.lock);
}

/* At fixed rate: code pieces in place. */
static void encode_fixed_task(void *shared, uint32_t thread)
{
    struct encoder *e = shared;
    zt_context own = context_of_thread(e->team.context);
    (void)pthread_mutex_lock(&e->team.lock);
    while (!is_over(e) && e->next < e->pieces) {
        const uint64_t number = e->next++;
        uint64_t first, last, end_bits;
        piece_tiles(e, number, &first, &last);
        (void)pthread_mutex_unlock(&e->team.lock);
        const uint64_t tile_bits = e->fixed_bits / e->grain;
        const uint64_t bytes = zti_bytes_of_bits((last - first) * tile_bits);
        const zt_status status =
            zti_encode_run(&own, e->team.coding, e->array, first, last,
                           e->out + (e->start_bits + number * e->fixed_bits) / 8, (size_t)bytes, 0,
                           &end_bits, NULL, NULL);
        (void)pthread_mutex_lock(&e->team.lock);
        team_note(&e->team, thread, status, &own, last - first);
    }
    (void)pthread_mutex_unlock(&e->team.lock);
}

static zt_status encode_in_place(struct encoder *e, uint32_t threads, uint64_t tile_bits)
{
    const uint64_t count = e->tiles.last - e->tiles.first;
    e->grain = zti_round_up(e->grain, 8); /* pieces become whole bytes */
    e->pieces = count / e->grain + (count % e->grain != 0);
    e->fixed_bits = e->grain * tile_bits;
    uint64_t bits;
    if (!zti_mul(count, tile_bits, &bits) || !zti_add(bits, e->start_bits, &bits) ||
        bits > e->capacity_bits)
        return zti_fail(e->team.context, ZT_NO_SPACE,
                        "the stream needs more than the output buffer's %llu bytes",
                        (unsigned long long)(e->capacity_bits / 8));
    zti_threads_run(e->pieces < threads ? (uint32_t)e->pieces : threads, encode_fixed_task, e);
    e->end_bits = bits;
    return e->team.status;
}

static zt_status make_pool(struct encoder *e, uint32_t threads)
{
    uint64_t bits;
    const uint64_t tile_bits = e->team.coding->codec->sizes(e->team.coding).tile_max_bits;
    e->pool_n = threads * BUFFERS_A_THREAD;
    if (e->pieces < e->pool_n)
        e->pool_n = (uint32_t)e->pieces;
    e->pool = zti_alloc(e->team.context, e->pool_n * sizeof *e->pool);
    if (e->pool)
        memset(e->pool, 0, e->pool_n * sizeof *e->pool);
    bool is_good = e->pool && zti_mul(e->grain, tile_bits, &bits) &&
                   bits / 8 <= SIZE_MAX - 3 * ZTI_BIT_MARGIN_BYTES;
    e->buffer_bytes = is_good ? (size_t)(bits / 8) + 3 * ZTI_BIT_MARGIN_BYTES : 0;
    for (uint32_t i = 0; is_good && i < e->pool_n; i++) {
        e->pool[i].bytes = zti_alloc(e->team.context, e->buffer_bytes);
        is_good = e->pool[i].bytes != NULL;
    }
    return is_good ? ZT_OK
                   : zti_fail(e->team.context, ZT_NO_MEMORY,
                              "no memory for %u buffers of %llu tiles; lower the grain", e->pool_n,
                              (unsigned long long)e->grain);
}

static void free_pool(struct encoder *e)
{
    for (uint32_t i = 0; e->pool && i < e->pool_n; i++) {
        zti_misses_free(e->team.context, &e->pool[i].misses);
        zti_release(e->team.context, e->pool[i].bytes);
    }
    zti_release(e->team.context, e->pool);
}

static zt_status encode_anywhere(struct encoder *e, uint32_t threads)
{
    struct zti_coding own = *e->team.coding;
    e->is_streamed = own.run.is_streamed;
    e->in_place = e->team.coding;
    own.run.is_streamed = false; /* pieces in buffers are copied soon */
    e->team.coding = &own;
    const uint64_t count = e->tiles.last - e->tiles.first;
    if (e->grain > count)
        e->grain = count;
    e->pieces = count / e->grain + (count % e->grain != 0);
    zt_status status = make_pool(e, threads);
    if (status == ZT_OK) {
        zti_threads_run(e->pieces < threads ? (uint32_t)e->pieces : threads, encode_task, e);
        status = e->team.status;
    }
    free_pool(e);
    return status;
}

static zt_status omp_encode(zt_context *context, const struct zti_coding *coding,
                            const struct zti_array *array, struct zti_tiles tiles, uint8_t *out,
                            size_t out_capacity_bytes, uint64_t start_bits, uint64_t *end_bits,
                            struct zti_misses *misses, const struct zti_starts *starts)
{
    const uint32_t threads = zti_threads_wanted(context);
    const uint64_t fixed = zti_fixed_bits(coding);
    struct encoder e = {.array = array,
                        .tiles = tiles,
                        .out = out,
                        .capacity_bits = (uint64_t)out_capacity_bytes * 8,
                        .grain = grain_of(context, coding, tiles.last - tiles.first, threads),
                        .start_bits = start_bits,
                        .end_bits = start_bits,
                        .misses = misses,
                        .starts = starts};
    team_open(&e.team, context, coding);
    e.team.done_tiles = e.team.reported = tiles.first;
    const zt_status status = fixed > 0 && start_bits % 8 == 0 && !starts
                                 ? encode_in_place(&e, threads, fixed)
                                 : encode_anywhere(&e, threads);
    *end_bits = e.end_bits;
    team_close(&e.team);
    return status;
}

/* ---- decoding ---- */

/* A piece whose place is known and that waits to be decoded. */
struct found {
    uint64_t first, last; /* tiles */
    uint64_t at_tile;     /* a tile at or before the first, which begins at at_bits */
    uint64_t at_bits;
};

enum { FOUND_MOST = 64 };

struct decoder {
    struct team team;
    const uint8_t *data;
    size_t data_bytes;
    const struct zti_view *view;
    const struct zti_scatter *scatter; /* NULL: none */
    uint64_t grain;
    uint64_t start_bits;
    const struct zti_index *index;   /* NULL: at fixed rate, or the walk finds places */
    const struct zti_starts *starts; /* starts of chunks, noted by the walk; NULL: not wanted */
    struct zti_runs runs;
    struct zti_tile_source walk;
    uint64_t walk_tile;
    bool is_walking;
    bool is_found; /* the walk has ended */
    struct found queue[FOUND_MOST];
    uint32_t queue_first, queue_n, queue_most;
    uint64_t end_bits;
};

/* Decode a piece; the lock is held before and after. */
static void decode_piece(struct decoder *d, const struct zti_coding *coding,
                         const struct zti_output *output, uint32_t thread, zt_context *own,
                         const struct found *piece)
{
    (void)pthread_mutex_unlock(&d->team.lock);
    struct zti_tile_source source =
        zti_tile_source_at(coding, d->data, d->data_bytes, piece->at_bits);
    zt_status status =
        zti_go_to(own, coding, &source, d->start_bits, d->index, piece->at_tile, piece->first);
    if (status == ZT_OK)
        status = zti_take_out(own, coding, &source, d->start_bits, d->index, piece->first,
                              piece->last, output);
    if (status == ZT_OK && d->index)
        status = zti_end_chunk(own, coding, &source, d->start_bits, d->index, piece->last);
    const uint64_t end = zti_tile_source_bits(&source);
    zti_tile_source_free(own, &source);
    (void)pthread_mutex_lock(&d->team.lock);
    if (end > d->end_bits)
        d->end_bits = end;
    team_note(&d->team, thread, status, own, piece->last - piece->first);
}

/* Decode pieces whose places are known, at fixed rate or by the index. */
static void decode_known_task(void *shared, uint32_t thread)
{
    struct decoder *d = shared;
    zt_context own = context_of_thread(d->team.context);
    struct zti_coding coding = *d->team.coding;
    struct found piece = {.at_tile = 0, .at_bits = d->start_bits};
    struct zti_output output;
    zti_room_open(&own, d->view, &coding);
    const zt_status status = zti_output_open(&own, &coding, d->view, d->scatter, &output);
    (void)pthread_mutex_lock(&d->team.lock);
    team_fail(&d->team, status, &own);
    while (d->team.status == ZT_OK && zti_runs_next(&d->runs, d->grain, &piece.first, &piece.last))
        decode_piece(d, &coding, &output, thread, &own, &piece);
    (void)pthread_mutex_unlock(&d->team.lock);
    zti_output_close(&own, &output);
    zti_room_close(&own, &coding);
}

/* Parse the stream to the next piece, queue it, and parse past it. The lock is held before and
 * after; only one thread walks at a time. */
static void walk_on(struct decoder *d, uint32_t thread, zt_context *own)
{
    struct found piece;
    if (!zti_runs_next(&d->runs, d->grain, &piece.first, &piece.last)) {
        const zt_status status =
            zti_end_chunk(own, d->team.coding, &d->walk, d->start_bits, NULL, d->walk_tile);
        const uint64_t end = zti_tile_source_bits(&d->walk);
        d->is_found = true;
        if (end > d->end_bits)
            d->end_bits = end;
        team_note(&d->team, thread, status, own, 0);
        return;
    }
    d->is_walking = true;
    (void)pthread_mutex_unlock(&d->team.lock);
    zt_status status =
        zti_take_tiles(own, d->team.coding, &d->walk, d->walk_tile, piece.first, NULL);
    piece.at_tile = piece.first;
    piece.at_bits = zti_tile_source_bits(&d->walk);
    if (status == ZT_OK)
        status = zti_take_noting(own, d->team.coding, &d->walk, d->start_bits, piece.first,
                                 piece.last, NULL, d->starts);
    (void)pthread_mutex_lock(&d->team.lock);
    d->is_walking = false;
    d->walk_tile = piece.last;
    d->queue[(d->queue_first + d->queue_n++) % FOUND_MOST] = piece;
    team_note(&d->team, thread, status, own, 0);
}

static void decode_task(void *shared, uint32_t thread)
{
    struct decoder *d = shared;
    zt_context own = context_of_thread(d->team.context);
    struct zti_coding coding = *d->team.coding;
    struct zti_output output;
    zti_room_open(&own, d->view, &coding);
    const zt_status status = zti_output_open(&own, &coding, d->view, d->scatter, &output);
    (void)pthread_mutex_lock(&d->team.lock);
    team_fail(&d->team, status, &own);
    while (d->team.status == ZT_OK && !(d->is_found && d->queue_n == 0)) {
        /* Find pieces for the others first; a single thread decodes what it has found. */
        if (!d->is_found && !d->is_walking && d->queue_n < d->queue_most) {
            walk_on(d, thread, &own);
        } else if (d->queue_n > 0) {
            const struct found piece = d->queue[d->queue_first];
            d->queue_first = (d->queue_first + 1) % FOUND_MOST;
            d->queue_n--;
            decode_piece(d, &coding, &output, thread, &own, &piece);
        } else {
            (void)pthread_cond_wait(&d->team.changed, &d->team.lock);
        }
    }
    (void)pthread_cond_broadcast(&d->team.changed);
    (void)pthread_mutex_unlock(&d->team.lock);
    zti_output_close(&own, &output);
    zti_room_close(&own, &coding);
}

static zt_status omp_decode(zt_context *context, const struct zti_coding *coding,
                            const uint8_t *data, size_t data_bytes, uint64_t start_bits,
                            const struct zti_index *index, const struct zti_view *view,
                            const struct zti_scatter *scatter, const struct zti_starts *starts,
                            uint64_t *end_bits)
{
    uint32_t threads = zti_threads_wanted(context);
    const bool is_known = index || zti_fixed_bits(coding) > 0;
    struct decoder d = {.data = data,
                        .data_bytes = data_bytes,
                        .view = view,
                        .scatter = scatter,
                        .grain = is_known ? known_grain_of(context, coding, threads)
                                          : grain_of(context, coding, coding->grid.count, threads),
                        .start_bits = start_bits,
                        .index = index,
                        .starts = starts,
                        .runs = zti_runs_of(&coding->grid, view, scatter ? scatter->spans : NULL),
                        .walk = zti_tile_source_at(coding, data, data_bytes, start_bits),
                        .end_bits = start_bits};
    d.runs.gap = zti_side_by_side(coding, index);
    if (index) /* pieces begin where chunks do */
        d.grain = (d.grain + index->layout.chunk_tiles - 1) / index->layout.chunk_tiles *
                  index->layout.chunk_tiles;
    const uint64_t pieces = coding->grid.count / d.grain + 1;
    threads = pieces < threads ? (uint32_t)pieces : threads;
    d.queue_most = 2 * threads < FOUND_MOST ? 2 * threads : FOUND_MOST;
    team_open(&d.team, context, coding);
    zti_threads_run(threads, is_known ? decode_known_task : decode_task, &d);
    *end_bits = d.end_bits;
    const zt_status status = d.team.status;
    zti_tile_source_free(context, &d.walk);
    team_close(&d.team);
    return status;
}

const struct zti_policy zti_omp = {
    .encode = omp_encode, .decode = omp_decode, .tally = zti_tally_on_host};
