/* spool.c: hands a payload on to a store (ztile_store.h) while it is coded, piece by piece. In: a
 * window of a stream, as exec fills it. Out: bytes in the file, and the checksums of ranges of
 * 2^ZTI_RANGE_LOG2 bytes.
 *
 *     payload    head | stream ...
 *     ranges     0      | 1      | 2      | 3 ...
 *                front           | written to the file when they leave the window
 *
 * The ranges that the head has bytes in (front) stay in memory, as the head is known last. */
#include "frame/write/stages.h"

#include <inttypes.h>

enum { RANGE_BYTES = 1 << ZTI_RANGE_LOG2, MOVE_BYTES = 1 << 20 };

_Static_assert((int)RANGE_BYTES == (int)ZTI_DRAIN_UNIT_BYTES, "what a spool takes from its window");

bool zti_spools(const struct zti_job *j)
{
    return zti_output_has_places(j->output) && !j->has_search &&
           !zti_exec_is_by_kernels(j->context, &j->frame.coding);
}

static uint64_t ranges_of(uint64_t bytes)
{
    return zti_ceil_div(bytes, RANGE_BYTES);
}

/* Bytes from the payload's first that stay in memory. */
static uint64_t front_bytes_of(const struct zti_spool *s)
{
    return ranges_of(s->head_bytes) * RANGE_BYTES;
}

/* Where the payload goes: after the largest header that it can have, if it is the first coding of
 * the slab; else behind what is in the file. */
static uint64_t place_of(const struct zti_job *j, uint64_t most_bytes)
{
    return zti_payload_at_most(j->is_aside ? j->output->end : j->output->at, &j->frame, most_bytes);
}

static zt_status store_bytes(const struct zti_job *j, uint64_t from, const uint8_t *bytes,
                             uint64_t n)
{
    return zti_output_write_at(j->context, j->output, j->spool.at + from, bytes, (size_t)n);
}

static zt_status make_sums(struct zti_job *j, uint64_t from, const uint8_t *bytes, uint64_t n)
{
    struct zti_spool *const s = &j->spool;
    const uint64_t made = from / RANGE_BYTES * ZTI_CHECKSUM_BYTES;
    const uint64_t needed = made + ranges_of(n) * ZTI_CHECKSUM_BYTES;
    zt_status status = ZT_OK;
    if (needed > s->sums.capacity)
        status = zti_buffer_reserve(j->context, &s->sums, 2 * needed, s->sums.capacity);
    if (!status)
        zti_checksums_make(NULL, bytes, n, ZTI_RANGE_LOG2, s->sums.bytes + made);
    return status;
}

/* zti_drain.take of a job: write whole ranges of checksums, at the end all bytes. */
static zt_status drain_window(void *user, const uint8_t *bytes, uint64_t n)
{
    struct zti_job *const j = user;
    struct zti_spool *const s = &j->spool;
    const uint64_t front = front_bytes_of(s);
    const uint64_t kept = s->bytes >= front ? 0 : front - s->bytes < n ? front - s->bytes : n;
    zt_status status = ZT_OK;
    if (s->bytes + n > s->limit_bytes)
        return ZT_NO_SPACE;
    if (kept > 0)
        memcpy(s->front.bytes + s->bytes, bytes, (size_t)kept);
    if (n > kept) {
        status = make_sums(j, s->bytes + kept, bytes + kept, n - kept);
        if (!status)
            status = store_bytes(j, s->bytes + kept, bytes + kept, n - kept);
    }
    s->bytes += n;
    return status;
}

/* Reserve memory, and begin the window with the last range of the front. */
static zt_status open_window(struct zti_job *j, const struct zti_coding *coding,
                             struct zti_window *w)
{
    struct zti_spool *const s = &j->spool;
    struct zti_buffer *const memory = &j->scratch->window;
    uint64_t bytes = 0;
    s->bytes = s->head_bytes - s->head_bytes % RANGE_BYTES;
    zt_status status = zti_exec_window_bytes(j->context, coding, &bytes);
    if (!status)
        status = zti_buffer_reserve(j->context, memory, bytes, 0);
    if (!status)
        status = zti_buffer_reserve(j->context, &s->front, front_bytes_of(s) + 1, 0);
    if (status)
        return status;
    *w = (struct zti_window){.bytes = memory->bytes,
                             .capacity_bytes = (size_t)bytes,
                             .used_bits = (s->head_bytes - s->bytes) * 8};
    memset(w->bytes, 0, (size_t)(s->head_bytes - s->bytes));
    return ZT_OK;
}

zt_status zti_spool_encode(struct zti_job *j, const struct zti_coding *coding,
                           const struct zti_array *values, uint64_t limit_bytes,
                           struct zti_misses *misses, const struct zti_starts *starts)
{
    struct zti_spool *const s = &j->spool;
    const struct zti_drain drain = {
        .take = drain_window, .user = j, .passing = zti_passing_of(j->output, j->slab)};
    struct zti_window window;
    s->head_bytes = zti_head_bytes(coding);
    s->limit_bytes = limit_bytes;
    if (s->at == 0)
        s->at = place_of(j, limit_bytes);
    zt_status status = open_window(j, coding, &window);
    if (!status)
        status =
            zti_exec_encode_pieces(j->context, coding, values, &window, &drain, misses, starts);
    j->stream = s->front.bytes;
    return status;
}

/* Write the front, whose head is known now. */
static zt_status end_front(struct zti_job *j)
{
    struct zti_spool *const s = &j->spool;
    const uint64_t front = front_bytes_of(s), n = front < s->bytes ? front : s->bytes;
    if (n == 0)
        return ZT_OK;
    zti_checksums_make(j->context, s->front.bytes, n, ZTI_RANGE_LOG2, s->sums.bytes);
    return store_bytes(j, 0, s->front.bytes, n);
}

/* Make the checksums again, of longer ranges: the payload is read back from the file. */
static zt_status sum_longer(struct zti_job *j)
{
    struct zti_spool *const s = &j->spool;
    struct zti_buffer *const memory = &j->scratch->window;
    const uint32_t log2 = j->frame.range_log2;
    const uint64_t ranges = ((s->bytes - 1) >> log2) + 1;
    zt_status status = zti_buffer_reserve(j->context, memory, MOVE_BYTES, 0);
    if (!status)
        status = zti_buffer_reserve(j->context, &s->sums, ranges * ZTI_CHECKSUM_BYTES, 0);
    for (uint64_t from = 0, n; !status && from < s->bytes; from += n) {
        n = s->bytes - from < MOVE_BYTES ? s->bytes - from : MOVE_BYTES;
        status = zti_output_read_at(j->context, j->output, s->at + from, memory->bytes, (size_t)n);
        if (!status)
            zti_checksums_make(j->context, memory->bytes, n, log2,
                               s->sums.bytes + (from >> log2) * ZTI_CHECKSUM_BYTES);
    }
    return status;
}

/* Move n bytes within the file; the two places may overlap. */
static zt_status move_in_file(struct zti_job *j, uint64_t from, uint64_t to, uint64_t n)
{
    struct zti_buffer *const memory = &j->scratch->window;
    zt_status status = zti_buffer_reserve(j->context, memory, MOVE_BYTES, 0);
    for (uint64_t done = 0, part; !status && done < n; done += part) {
        part = n - done < MOVE_BYTES ? n - done : MOVE_BYTES;
        const uint64_t at = to < from ? done : n - done - part;
        status = zti_output_read_at(j->context, j->output, from + at, memory->bytes, (size_t)part);
        if (!status)
            status =
                zti_output_write_at(j->context, j->output, to + at, memory->bytes, (size_t)part);
    }
    return status;
}

zt_status zti_spool_end(struct zti_job *j)
{
    struct zti_spool *const s = &j->spool;
    /* the front's checksums come first; there may be no others */
    const uint64_t sums = ranges_of(s->bytes) * ZTI_CHECKSUM_BYTES;
    const uint64_t place = zti_payload_at(j->output->at, &j->frame);
    if (s->at == 0)
        return ZT_OK;
    zt_status status = zti_buffer_reserve(j->context, &s->sums, sums, s->sums.capacity);
    if (!status)
        status = end_front(j);
    if (!status && j->frame.range_log2 != ZTI_RANGE_LOG2 && s->bytes > 0)
        status = sum_longer(j);
    if (!status && s->at != place)
        status = move_in_file(j, s->at, place, s->bytes);
    s->at = place;
    return status;
}

void zti_spool_free(zt_context *context, struct zti_spool *s)
{
    zti_buffer_free(context, &s->front);
    zti_buffer_free(context, &s->sums);
}
