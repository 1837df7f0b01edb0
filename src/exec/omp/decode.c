/* decode.c: the omp policy: decodes the tiles of a stream on several threads.
 *
 * A piece's start is computed at fixed rate, or looked up in the index. Without an index, one
 * thread at a time parses the stream and notes where pieces, and if wanted chunks, begin, while the
 * other threads decode. */
#include "exec/omp/team.h"

/* Pieces to decode whose places are known may be larger, because codecs prefetch only within a
 * piece. A thread gets at least KNOWN_PIECES_A_THREAD pieces, so that threads end at about the same
 * time. */
enum { KNOWN_PIECE_RAW_BYTES = 2 * 1024 * 1024, KNOWN_PIECES_A_THREAD = 32 };

/* Tiles of a piece to decode whose place is known. */
static uint64_t known_grain_of(const zt_context *context, const struct zti_coding *coding,
                               uint32_t threads)
{
    const uint64_t grain = zti_team_grain(context, coding, coding->grid.count, threads);
    if (context->omp.grain)
        return grain;
    const uint64_t most = KNOWN_PIECE_RAW_BYTES / zti_tile_bytes(coding) + 1;
    const uint64_t fair = coding->grid.count / ((uint64_t)threads * KNOWN_PIECES_A_THREAD) + 1;
    const uint64_t larger = fair < most ? fair : most;
    return grain > larger ? grain : larger;
}

/* A piece whose place is known and that waits to be decoded. */
struct found {
    uint64_t first, last; /* tiles */
    uint64_t at_tile;     /* a tile at or before the first, which begins at at_bits */
    uint64_t at_bits;
};

enum { FOUND_MOST = 64 };

struct decoder {
    struct zti_team team;
    const uint8_t *data;
    size_t data_bytes;
    const struct zti_view *view;
    const struct zti_scatter *scatter; /* NULL: none */
    uint64_t grain;
    uint64_t start_bits;
    bool is_known; /* places are computed, at fixed rate, or looked up in the index */
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
                         const struct zti_tile_sink *sink, uint32_t thread, zt_context *own,
                         const struct found *piece)
{
    (void)pthread_mutex_unlock(&d->team.lock);
    struct zti_tile_source source =
        zti_tile_source_at(coding, d->data, d->data_bytes, piece->at_bits);
    zt_status status =
        zti_seek_tile(own, coding, &source, d->start_bits, d->index, piece->at_tile, piece->first);
    if (status == ZT_OK)
        status = zti_decode_to_sink(own, coding, &source, d->start_bits, d->index, piece->first,
                                    piece->last, sink);
    if (status == ZT_OK && d->index)
        status = zti_skip_to_chunk_end(own, coding, &source, d->start_bits, d->index, piece->last);
    const uint64_t end = zti_tile_source_bits(&source);
    zti_tile_source_free(own, &source);
    (void)pthread_mutex_lock(&d->team.lock);
    if (end > d->end_bits)
        d->end_bits = end;
    zti_team_note(&d->team, thread, status, own, piece->last - piece->first);
}

/* Parse the stream to the next piece, queue it, and parse past it. The lock is held before and
 * after; only one thread walks at a time. */
static void walk_on(struct decoder *d, uint32_t thread, zt_context *own)
{
    struct found piece;
    if (!zti_runs_next(&d->runs, d->grain, &piece.first, &piece.last)) {
        const zt_status status =
            zti_skip_to_chunk_end(own, d->team.coding, &d->walk, d->start_bits, NULL, d->walk_tile);
        const uint64_t end = zti_tile_source_bits(&d->walk);
        d->is_found = true;
        if (end > d->end_bits)
            d->end_bits = end;
        zti_team_note(&d->team, thread, status, own, 0);
        return;
    }
    d->is_walking = true;
    (void)pthread_mutex_unlock(&d->team.lock);
    zt_status status =
        zti_decode_tiles(own, d->team.coding, &d->walk, d->walk_tile, piece.first, NULL);
    piece.at_tile = piece.first;
    piece.at_bits = zti_tile_source_bits(&d->walk);
    if (status == ZT_OK)
        status = zti_decode_noting(own, d->team.coding, &d->walk, d->start_bits, piece.first,
                                   piece.last, NULL, d->starts);
    (void)pthread_mutex_lock(&d->team.lock);
    d->is_walking = false;
    d->walk_tile = piece.last;
    d->queue[(d->queue_first + d->queue_n++) % FOUND_MOST] = piece;
    zti_team_note(&d->team, thread, status, own, 0);
}

/* The next piece whose place is found, once it is; false: there is none. Until then the thread
 * walks, or waits for the one that does. */
static bool next_found(struct decoder *d, uint32_t thread, zt_context *own, struct found *piece)
{
    while (d->team.status == ZT_OK && !(d->is_found && d->queue_n == 0)) {
        /* Find pieces for the others first; a single thread decodes what it has found. */
        if (!d->is_found && !d->is_walking && d->queue_n < d->queue_most) {
            walk_on(d, thread, own);
        } else if (d->queue_n > 0) {
            *piece = d->queue[d->queue_first];
            d->queue_first = (d->queue_first + 1) % FOUND_MOST;
            d->queue_n--;
            return true;
        } else {
            (void)pthread_cond_wait(&d->team.changed, &d->team.lock);
        }
    }
    return false;
}

static void decode_task(void *shared, uint32_t thread)
{
    struct decoder *d = shared;
    zt_context own = zti_context_of_thread(d->team.context);
    struct zti_coding coding = *d->team.coding;
    struct found piece = {.at_tile = 0, .at_bits = d->start_bits};
    struct zti_tile_sink sink;
    zti_room_open(&own, d->view, &coding);
    const zt_status status = zti_tile_sink_open(&own, &coding, d->view, d->scatter, &sink);
    (void)pthread_mutex_lock(&d->team.lock);
    zti_team_fail(&d->team, status, &own);
    while (d->team.status == ZT_OK &&
           (d->is_known ? zti_runs_next(&d->runs, d->grain, &piece.first, &piece.last)
                        : next_found(d, thread, &own, &piece)))
        decode_piece(d, &coding, &sink, thread, &own, &piece);
    (void)pthread_cond_broadcast(&d->team.changed);
    (void)pthread_mutex_unlock(&d->team.lock);
    zti_tile_sink_close(&own, &sink);
    zti_room_close(&own, &coding);
}

zt_status zti_omp_decode(zt_context *context, const struct zti_coding *coding, const uint8_t *data,
                         size_t data_bytes, uint64_t start_bits, const struct zti_index *index,
                         const struct zti_view *view, const struct zti_scatter *scatter,
                         const struct zti_starts *starts, uint64_t *end_bits)
{
    uint32_t threads = zti_threads_wanted(context);
    const bool is_known = index || zti_fixed_bits(coding) > 0;
    struct decoder d = {.data = data,
                        .data_bytes = data_bytes,
                        .view = view,
                        .scatter = scatter,
                        .grain = is_known
                                     ? known_grain_of(context, coding, threads)
                                     : zti_team_grain(context, coding, coding->grid.count, threads),
                        .start_bits = start_bits,
                        .is_known = is_known,
                        .index = index,
                        .starts = starts,
                        .runs = zti_runs_of(&coding->grid, view, scatter ? scatter->spans : NULL),
                        .walk = zti_tile_source_at(coding, data, data_bytes, start_bits),
                        .end_bits = start_bits};
    d.runs.join_below_tiles = zti_interleaved_chunk_tiles(coding, index);
    if (index) /* pieces begin where chunks do */
        d.grain = (d.grain + index->layout.chunk_tiles - 1) / index->layout.chunk_tiles *
                  index->layout.chunk_tiles;
    const uint64_t pieces = coding->grid.count / d.grain + 1;
    threads = pieces < threads ? (uint32_t)pieces : threads;
    d.queue_most = 2 * threads < FOUND_MOST ? 2 * threads : FOUND_MOST;
    zti_team_open(&d.team, context, coding);
    zti_threads_run(threads, decode_task, &d);
    *end_bits = d.end_bits;
    const zt_status status = d.team.status;
    zti_tile_source_free(context, &d.walk);
    zti_team_close(&d.team);
    return status;
}
