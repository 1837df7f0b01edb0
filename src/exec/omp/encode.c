/* encode.c: the omp policy: encodes tiles on several threads; the bytes are those of one thread.
 *
 * The tiles are cut into pieces. A thread takes the next piece in order and codes it into a buffer
 * from a pool. When a piece and all before it are coded, its place in the stream is known. The bits
 * of its first and last byte are then joined with the neighbours' in order, under the lock; the
 * next free thread shifts the bytes between into place. A piece whose place is known when a thread
 * takes it is coded in place.
 *
 *     pieces    0 placed | 1 placed | 2 being placed | 3 coded | 4 being coded | 5 coded | 6 ...
 *                                                              ^ frontier
 *
 * At fixed rate all places are known and pieces are whole bytes: all are coded in place.
 *
 * A stream that is not kept goes through two windows by turns. When one is full, pieces get their
 * places in the other, and the calling thread hands on the full one while the others go on. */
#include "exec/omp/team.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { BUFFERS_A_THREAD = 3, LARGE_BUFFER_BYTES = 4 << 20 };

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
    uint64_t at_bits;     /* place in the output, set when PLACEABLE */
    uint64_t stream_bits; /* place in the stream, likewise */
    bool is_in_place;     /* coded at its place in the output */
    struct zti_misses misses;
};

struct encoder {
    struct zti_team team;
    const struct zti_array *array;
    struct zti_tiles tiles;
    uint8_t *out;
    uint64_t capacity_bits;
    uint64_t grain;
    uint64_t pieces;
    uint64_t next;        /* number of the next piece to code */
    uint64_t frontier;    /* first piece whose place is not known yet */
    uint64_t taken;       /* first piece that no thread has begun to place */
    uint64_t placed;      /* number of pieces that are in place */
    uint64_t end_bits;    /* where the frontier's bits go */
    uint64_t stream_bits; /* before the frontier */
    uint64_t fixed_bits;  /* of a piece, at fixed rate */
    uint64_t start_bits;
    bool is_streamed;                  /* the stream is larger than the caches */
    const struct zti_coding *in_place; /* the coding for pieces coded in place */
    struct zti_misses *misses;
    const struct zti_starts *starts;
    struct piece *pool;
    uint32_t pool_n;
    size_t buffer_bytes;
    /* where the output is a window: */
    const struct zti_drain *drain; /* NULL: it is all of the stream */
    uint8_t *other;                /* the other window */
    uint32_t coded_in_place;       /* pieces that are being coded in the window */
    bool is_full;                  /* the frontier's bits have no room */
    uint64_t told_tiles;           /* that drain->passing was told of */
};

static void piece_tiles(const struct encoder *e, uint64_t number, uint64_t *first, uint64_t *last)
{
    const uint64_t end = e->tiles.last;
    *first = e->tiles.first + number * e->grain;
    *last = end - *first < e->grain ? end : *first + e->grain;
}

static bool is_over(const struct encoder *e)
{
    return e->team.status != ZT_OK || (e->misses && e->misses->exceeds_limit);
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
 * ended and in its own last byte; copy_piece stores the others. */
static void commit_piece(struct encoder *e, struct piece *p)
{
    const uint64_t at = e->end_bits, end = at + p->bits;
    p->at_bits = at;
    p->stream_bits = e->stream_bits;
    e->stream_bits += p->bits;
    if (e->misses)
        join_misses(e, &p->misses);
    if (end > e->capacity_bits) {
        if (e->team.status == ZT_OK)
            e->team.status = zti_fail_for_space(e->team.context, e->capacity_bits / 8);
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

/* Without the lock: store the bytes that only this piece has bits in, and the starts of its
 * chunks. */
static void copy_piece(const struct encoder *e, const struct piece *p)
{
    struct zti_tiles tiles;
    piece_tiles(e, p->number, &tiles.first, &tiles.last);
    if (e->starts)
        zti_offset_starts(e->starts, tiles, p->stream_bits);
    const uint32_t room = (8 - p->at_bits % 8) % 8;
    if (p->bits <= room || p->is_in_place)
        return;
    const uint64_t n = (p->bits - room) & ~UINT64_C(7);
    copy_bits(e->out + zti_bytes_of_bits(p->at_bits), p->bytes, room, n, e->is_streamed);
}

/* Pieces have buffers by turns, so that none is searched for: lines of the pool that other cores
 * have written take long to read under the lock. */
static struct piece *slot_of(const struct encoder *e, uint64_t number)
{
    return &e->pool[number % e->pool_n];
}

/* With the lock held: commit coded pieces in order, up to the first that is not coded or does not
 * fit in its window. */
static void commit_pieces(struct encoder *e)
{
    while (e->frontier < e->next && !is_over(e)) {
        struct piece *const p = slot_of(e, e->frontier);
        if (p->state != CODED)
            return;
        e->is_full = e->drain && p->bits > e->capacity_bits - e->end_bits;
        if (e->is_full)
            return;
        e->coded_in_place -= p->is_in_place;
        e->frontier++;
        commit_piece(e, p);
    }
}

/* Where a piece is coded. */
struct room {
    const struct zti_coding *coding;
    uint8_t *bytes;
    size_t capacity_bytes;
    uint64_t at_bits;
};

/* With the lock held: the room for piece p. In place, if its place is known: that of the frontier,
 * which no other thread moves meanwhile, or at fixed rate any; in a window, if that surely has
 * room. */
static struct room choose_room(struct encoder *e, struct piece *p, uint64_t tiles)
{
    const uint64_t left_bits = e->capacity_bits - e->end_bits;
    const uint64_t before = p->number - e->frontier;
    const bool is_fixed = e->drain && e->fixed_bits > 0;
    const uint64_t most_bits = is_fixed ? e->fixed_bits : (uint64_t)e->buffer_bytes * 8;
    struct room room = {e->team.coding, p->bytes, e->buffer_bytes, 0};
    p->is_in_place = (before == 0 || is_fixed) &&
                     (!e->drain || (!e->is_full && before + 1 <= left_bits / most_bits));
    e->coded_in_place += p->is_in_place;
    if (!p->is_in_place)
        return room;
    room = (struct room){e->in_place, e->out, (size_t)(e->capacity_bits / 8), e->end_bits};
    if (is_fixed) { /* nothing is stored beyond it */
        const uint64_t bits = tiles * (e->fixed_bits / e->grain);
        room.bytes += (e->end_bits + before * e->fixed_bits) / 8;
        room.capacity_bytes = (size_t)zti_bytes_of_bits(bits);
        room.at_bits = 0;
    }
    return room;
}

static void code_piece(struct encoder *e, uint32_t thread, zt_context *own, struct piece *p)
{
    uint64_t first, last;
    p->state = CODING;
    p->number = e->next++;
    p->misses.count = 0;
    p->misses.exceeds_limit = false;
    p->misses.limit = e->misses ? e->misses->limit : 0;
    piece_tiles(e, p->number, &first, &last);
    const struct room room = choose_room(e, p, last - first);
    (void)pthread_mutex_unlock(&e->team.lock);
    struct zti_coding coding = *room.coding;
    coding.run.first = first;
    coding.run.last = last;
    const zt_status status =
        zti_encode_run(own, &coding, e->array, first, last, room.bytes, room.capacity_bytes,
                       room.at_bits, &p->bits, e->misses ? &p->misses : NULL, e->starts);
    p->bits -= status == ZT_OK ? room.at_bits : 0;
    (void)pthread_mutex_lock(&e->team.lock);
    p->state = CODED;
    if (p->misses.exceeds_limit)
        e->misses->exceeds_limit = true;
    zti_team_note(&e->team, thread, status, own, last - first);
    commit_pieces(e);
}

static void finish_piece(struct encoder *e, struct piece *p)
{
    p->state = PLACING;
    (void)pthread_mutex_unlock(&e->team.lock);
    copy_piece(e, p);
    (void)pthread_mutex_lock(&e->team.lock);
    p->state = FREE;
    e->placed++;
    (void)pthread_cond_broadcast(&e->team.changed);
}

/* ---- windows ---- */

/* With the lock held: tell how far the pieces are, if that is some more. The lock is released
 * meanwhile. */
static bool tell(struct encoder *e)
{
    uint64_t first, last;
    const struct zti_drain *const drain = e->drain;
    piece_tiles(e, e->frontier < e->pieces ? e->frontier : e->pieces - 1, &first, &last);
    if (!drain->passing.passed || first - e->told_tiles < zti_report_tiles(e->team.coding))
        return false;
    e->told_tiles = first;
    (void)pthread_mutex_unlock(&e->team.lock);
    zti_pass(&drain->passing, &e->team.coding->grid, e->array, first);
    (void)pthread_mutex_lock(&e->team.lock);
    return true;
}

/* With the lock held: let pieces get their places in the other window, at whose beginning is what
 * is no whole unit in this one, and hand on the rest of this one. The lock is released
 * meanwhile. */
static void turn_window(struct encoder *e)
{
    uint8_t *const full = e->out;
    const uint64_t used = e->end_bits / 8, n = used - used % ZTI_DRAIN_UNIT_BYTES;
    memcpy(e->other, full + n, (size_t)(used - n + 1));
    e->out = e->other;
    e->other = full;
    e->end_bits -= n * 8;
    e->is_full = false;
    commit_pieces(e);
    (void)pthread_cond_broadcast(&e->team.changed);
    (void)pthread_mutex_unlock(&e->team.lock);
    zti_stage(e->team.context, ZT_STAGE_OTHER);
    const zt_status status = e->drain->take(e->drain->user, full, n);
    zti_stage(e->team.context, ZT_STAGE_ENCODE);
    (void)pthread_mutex_lock(&e->team.lock);
    if (status && !e->team.status)
        e->team.status = status;
}

/* With the lock held, on the calling thread: what there is to do for windows; false: nothing. A
 * window can be left when all pieces that have places in it are there. */
static bool tend_window(struct encoder *e)
{
    const bool is_whole = e->frontier == e->placed && e->coded_in_place == 0;
    if (is_whole && (e->is_full || e->end_bits > e->capacity_bits / 2)) {
        turn_window(e);
        return true;
    }
    return tell(e);
}

/* ---- threads ---- */

static void encode_task(void *shared, uint32_t thread)
{
    struct encoder *e = shared;
    zt_context own = zti_context_of_thread(e->team.context);
    (void)pthread_mutex_lock(&e->team.lock);
    while (!is_over(e) && e->placed < e->pieces) {
        const bool is_tending = e->drain && thread == 0;
        if (is_tending && tend_window(e))
            continue;
        if (e->taken < e->frontier)
            finish_piece(e, slot_of(e, e->taken++));
        else if (e->next < e->pieces && !(is_tending && e->is_full) &&
                 slot_of(e, e->next)->state == FREE)
            code_piece(e, thread, &own, slot_of(e, e->next));
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
    zt_context own = zti_context_of_thread(e->team.context);
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
        zti_team_note(&e->team, thread, status, &own, last - first);
    }
    (void)pthread_mutex_unlock(&e->team.lock);
}

static zt_status encode_in_place(struct encoder *e, uint32_t threads, uint64_t tile_bits)
{
    const uint64_t count = e->tiles.last - e->tiles.first;
    e->grain = zti_round_up(e->grain, 8); /* pieces become whole bytes */
    e->pieces = zti_ceil_div(count, e->grain);
    e->fixed_bits = e->grain * tile_bits;
    uint64_t bits;
    if (!zti_mul(count, tile_bits, &bits) || !zti_add(bits, e->start_bits, &bits) ||
        bits > e->capacity_bits)
        return zti_fail_for_space(e->team.context, e->capacity_bits / 8);
    zti_threads_run(e->pieces < threads ? (uint32_t)e->pieces : threads, encode_fixed_task, e);
    e->end_bits = bits;
    return e->team.status;
}

static zt_status make_pool(struct encoder *e, uint32_t threads)
{
    uint64_t bits;
    const uint64_t tile_bits = e->team.coding->codec->sizes(e->team.coding).tile_max_bits;
    bool is_good =
        zti_mul(e->grain, tile_bits, &bits) && bits / 8 <= SIZE_MAX - 3 * ZTI_BIT_MARGIN_BYTES;
    e->buffer_bytes = is_good ? (size_t)(bits / 8) + 3 * ZTI_BIT_MARGIN_BYTES : 0;
    e->pool_n = e->buffer_bytes > LARGE_BUFFER_BYTES ? threads + 1 : threads * BUFFERS_A_THREAD;
    if (e->pieces < e->pool_n)
        e->pool_n = (uint32_t)e->pieces;
    e->pool = zti_alloc(e->team.context, e->pool_n * sizeof *e->pool);
    if (e->pool)
        memset(e->pool, 0, e->pool_n * sizeof *e->pool);
    is_good = is_good && e->pool;
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
    e->pieces = zti_ceil_div(count, e->grain);
    zt_status status = make_pool(e, threads);
    if (status == ZT_OK) {
        zti_threads_run(e->pieces < threads ? (uint32_t)e->pieces : threads, encode_task, e);
        status = e->team.status;
    }
    free_pool(e);
    return status;
}

zt_status zti_omp_encode(zt_context *context, const struct zti_coding *coding,
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
                        .grain = zti_team_grain(context, coding, tiles.last - tiles.first, threads),
                        .start_bits = start_bits,
                        .end_bits = start_bits,
                        .misses = misses,
                        .starts = starts};
    zti_team_open(&e.team, context, coding);
    e.team.done_tiles = e.team.reported = tiles.first;
    const zt_status status = fixed > 0 && start_bits % 8 == 0 && !starts
                                 ? encode_in_place(&e, threads, fixed)
                                 : encode_anywhere(&e, threads);
    *end_bits = e.end_bits;
    zti_team_close(&e.team);
    return status;
}

zt_status zti_omp_encode_pieces(zt_context *context, const struct zti_coding *coding,
                                const struct zti_array *array, struct zti_window *w,
                                const struct zti_drain *drain, uint64_t *stream_bits,
                                struct zti_misses *misses, const struct zti_starts *starts)
{
    const uint32_t threads = zti_threads_wanted(context);
    const uint64_t half = w->capacity_bytes / 2 / 64 * 64;
    uint64_t most;
    zt_status status = zti_tiles_in_window(context, coding, half, &most);
    if (status)
        return status;
    const uint64_t fixed = starts ? 0 : zti_fixed_bits(coding);
    struct encoder e = {.array = array,
                        .tiles = {0, coding->grid.count},
                        .out = w->bytes,
                        .other = w->bytes + half,
                        .capacity_bits = (half - 2 * ZTI_BIT_MARGIN_BYTES) * 8,
                        .grain = zti_team_grain(context, coding, coding->grid.count, threads),
                        .start_bits = w->used_bits,
                        .end_bits = w->used_bits,
                        .misses = misses,
                        .starts = starts,
                        .drain = drain};
    e.grain = e.grain < most ? e.grain : most;
    if (fixed > 0 && e.grain >= 8) { /* pieces become whole bytes */
        e.grain -= e.grain % 8;
        e.fixed_bits = e.grain * fixed;
    }
    zti_team_open(&e.team, context, coding);
    status = encode_anywhere(&e, threads);
    zti_team_close(&e.team);
    w->bytes = e.out;
    w->capacity_bytes = (size_t)half;
    w->used_bits = e.end_bits;
    *stream_bits = e.stream_bits;
    return status;
}
