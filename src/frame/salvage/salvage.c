/* salvage.c: zt_reader_open_damaged and zt_reader_salvage: finds the frames of a damaged file, by
 * its seek table or, if that is damaged, by searching for headers. salvage/frame.c decodes each.
 *
 * Header, tail and seek table each have a hash of 64 bits, which also corrects one flipped bit:
 * each bit is flipped in turn until the hash matches. That takes quadratic time, so all trials
 * together hash at most TRIAL_LEAST_BYTES and TRIAL_BYTES for each byte of the file. */
#include "array/memory.h"
#include "frame/read/reader.h"

#include <inttypes.h>

enum {
    STEP_BYTES = 1 << 20,        /* read at once */
    SECTOR_BYTES = 4096,         /* read at once where a step has failed */
    REPAIR_MOST_BYTES = 1 << 16, /* the longest part that one bit is corrected in */
    TRIAL_BYTES = 1 << 12,       /* hashed in trials for each byte of the file */
    TRIAL_LEAST_BYTES = 1 << 29, /* hashed in trials for any file */
    PIECE_VALUES = 1 << 20       /* values of missing slices reported at a time, about */
};

/* ---- bytes ---- */

static bool read_part(struct zt_reader *r, uint64_t at, size_t n, uint8_t *to)
{
    size_t got = 0;
    const zt_source *s = &r->input.source;
    return s->read(s->user, at, to, n, &got) == 0 && got == n;
}

void zti_read_leniently(struct zt_reader *r, uint64_t at, uint64_t n, uint8_t *to,
                        uint64_t *whole_bytes)
{
    *whole_bytes = n;
    for (uint64_t done = 0; done < n;) {
        const size_t step = n - done < STEP_BYTES ? (size_t)(n - done) : STEP_BYTES;
        const bool is_read = read_part(r, at + done, step, to + done);
        for (size_t part = 0; !is_read && part < step; part += SECTOR_BYTES) {
            const size_t bytes = step - part < SECTOR_BYTES ? step - part : SECTOR_BYTES;
            if (read_part(r, at + done + part, bytes, to + done + part))
                continue;
            memset(to + done + part, 0, bytes);
            if (*whole_bytes > done + part)
                *whole_bytes = done + part;
        }
        done += step;
    }
}

/* Subtract trials * bytes from *trial_bytes; false, and nothing is subtracted, if less is left. */
static bool spend_trials(uint64_t *trial_bytes, uint64_t trials, uint64_t bytes)
{
    uint64_t all;
    if (!zti_mul(trials, bytes, &all) || all > *trial_bytes)
        return false;
    *trial_bytes -= all;
    return true;
}

bool zti_repair(struct zt_reader *r, uint8_t *bytes, size_t n, uint64_t *trial_bytes)
{
    if (n < ZTI_HASH_BYTES)
        return false;
    const size_t end = n - ZTI_HASH_BYTES;
    const uint64_t wanted = zti_get_le64(bytes + end), hash = zti_hash(bytes, end);
    if (hash == wanted)
        return true;
    if (zti_popcount64(hash ^ wanted) == 1) {
        zti_put_le64(bytes + end, hash);
        r->repairs.repaired++;
        return true;
    }
    if (n > REPAIR_MOST_BYTES || !spend_trials(trial_bytes, end * 8, end))
        return false;
    for (size_t bit = 0; bit < end * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (zti_hash(bytes, end) == wanted) {
            r->repairs.repaired++;
            return true;
        }
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    return false;
}

/* ---- headers ---- */

/* Parse the header in n bytes; if may_repair, also after flipping one bit. */
static bool parse_header(struct zt_reader *r, uint64_t number, uint8_t *bytes, size_t n,
                         bool may_repair, struct zti_frame *f)
{
    uint32_t length;
    if (zti_header_bytes(r->context, number, bytes, &length) == ZT_OK && length <= n) {
        if (may_repair ? zti_repair(r, bytes, length, &r->repairs.header_trial_bytes)
                       : zti_get_le64(bytes + length - ZTI_HASH_BYTES) ==
                             zti_hash(bytes, length - ZTI_HASH_BYTES))
            return zti_header_parse(r->context, number, bytes, length, f) == ZT_OK;
    }
    /* flip a bit of the magic, the version or the length */
    static const uint8_t at[] = {0, 1, 2, 3, 4, 8};
    may_repair = may_repair && spend_trials(&r->repairs.header_trial_bytes, sizeof at * 8, n);
    for (size_t bit = 0; may_repair && bit < sizeof at * 8; bit++) {
        uint8_t *const byte = bytes + at[bit / 8];
        *byte ^= (uint8_t)(1u << bit % 8);
        if (zti_header_bytes(NULL, number, bytes, &length) == ZT_OK && length <= n &&
            zti_header_parse(r->context, number, bytes, length, f) == ZT_OK) {
            r->repairs.repaired++;
            return true;
        }
        *byte ^= (uint8_t)(1u << bit % 8);
    }
    return false;
}

/* Find a header at byte 'at'; it may be of another array than the first. */
static zt_status find_header(struct zt_reader *r, uint64_t number, uint64_t at, bool may_repair,
                             struct zti_frame *f, bool *is_found)
{
    const uint64_t left = at < r->input.bytes ? r->input.bytes - at : 0;
    const size_t n = left < ZTI_HEADER_MAX_BYTES ? (size_t)left : ZTI_HEADER_MAX_BYTES;
    uint64_t whole;
    *is_found = false;
    if (left < ZTI_FRAME_ALIGN_BYTES)
        return ZT_OK;
    zt_status status = zti_buffer_reserve(r->context, &r->head, ZTI_HEADER_MAX_BYTES, 0);
    if (status)
        return status;
    zti_read_leniently(r, at, n, r->head.bytes, &whole);
    *is_found = parse_header(r, number, r->head.bytes, n, may_repair, f);
    return ZT_OK;
}

/* Find the copy of the header at the end of a frame's tail, see format.h. */
static zt_status find_copy(struct zt_reader *r, uint64_t number, const struct zti_place *place,
                           struct zti_frame *f, bool *is_found)
{
    enum { MOST = ZTI_HEADER_STORED_BYTES + ZTI_HASH_BYTES };
    uint8_t bytes[MOST];
    uint64_t whole;
    *is_found = false;
    if (place->bytes < MOST || place->at > r->input.bytes ||
        place->bytes > r->input.bytes - place->at)
        return ZT_OK;
    zti_read_leniently(r, place->at + place->bytes - MOST, MOST, bytes, &whole);
    for (size_t n = ZTI_FRAME_ALIGN_BYTES; n <= ZTI_HEADER_STORED_BYTES && !*is_found;
         n += ZTI_FRAME_ALIGN_BYTES)
        *is_found = parse_header(r, number, bytes + ZTI_HEADER_STORED_BYTES - n, n, false, f) &&
                    f->header_bytes == n;
    return ZT_OK;
}

/* Find a frame's header: as stored, else its copy, else with one bit corrected. */
static zt_status find_frame(struct zt_reader *r, uint64_t number, const struct zti_place *place,
                            struct zti_frame *f, bool *is_found)
{
    zt_status status = find_header(r, number, place->at, false, f, is_found);
    *is_found = *is_found && zti_fits_place(f, place);
    if (status || *is_found)
        return status;
    status = find_copy(r, number, place, f, is_found);
    *is_found = *is_found && zti_fits_place(f, place);
    r->repairs.repaired += *is_found;
    if (status || *is_found)
        return status;
    status = find_header(r, number, place->at, true, f, is_found);
    *is_found = *is_found && zti_fits_place(f, place);
    return status;
}

/* Set *at to the next aligned byte that looks like a header; to the end of the file if there is
 * none. */
static zt_status find_magic(struct zt_reader *r, uint64_t *at)
{
    uint64_t whole, from = *at;
    zt_status status = zti_buffer_reserve(r->context, &r->payload, STEP_BYTES, 0);
    while (!status && from < r->input.bytes) {
        const uint64_t left = r->input.bytes - from;
        const size_t n = left < STEP_BYTES ? (size_t)left : STEP_BYTES;
        zti_read_leniently(r, from, n, r->payload.bytes, &whole);
        for (size_t i = 0; i + sizeof zti_frame_magic <= n; i += ZTI_FRAME_ALIGN_BYTES)
            if (memcmp(r->payload.bytes + i, zti_frame_magic, sizeof zti_frame_magic) == 0) {
                *at = from + i;
                return ZT_OK;
            }
        from += n;
    }
    *at = r->input.bytes;
    return status;
}

/* ---- places ---- */

/* Whether 'bytes' bytes of a file can have held 'slices' slices like those of f. Limits the output
 * that a damaged extent can demand. */
static bool can_hold(const struct zti_frame *f, uint64_t bytes, uint64_t slices)
{
    const struct zti_coding *c = &f->coding;
    const uint64_t least = c->codec->sizes(c).tile_min_bits;
    uint64_t values = zti_array_values(f->rank, f->shape) / f->shape[0];
    if (!zti_mul(values, slices, &values))
        return false;
    for (uint32_t i = 0; i < c->grid.rank; i++)
        values /= c->grid.side[i];
    return values <= bytes * 8 / (least > 0 ? least : 1);
}

/* The places found so far. */
struct list {
    struct zti_buffer buffer;
    uint64_t count;
};

static zt_status add_place(struct zt_reader *r, struct list *l, uint64_t at, uint64_t first,
                           uint64_t bytes)
{
    const size_t used = (size_t)l->count * sizeof(struct zti_place);
    const size_t want = used + sizeof(struct zti_place);
    if (want > l->buffer.capacity) {
        const zt_status status = zti_buffer_reserve(r->context, &l->buffer, 2 * want, used);
        if (status)
            return status;
    }
    ((struct zti_place *)(void *)l->buffer.bytes)[l->count++] =
        (struct zti_place){.at = at, .first = first, .bytes = bytes};
    return ZT_OK;
}

/* Add places for missing slices [first, last), in parts. */
static zt_status add_missing(struct zt_reader *r, struct list *l, const struct zti_frame *like,
                             uint64_t first, uint64_t last)
{
    const uint64_t values = zti_array_values(like->rank, like->shape) / like->shape[0];
    uint64_t step = PIECE_VALUES / values + 1;
    step = step < like->shape[0] ? like->shape[0] : step;
    zt_status status = ZT_OK;
    for (uint64_t at = first; !status && at < last;) {
        status = add_place(r, l, ZT_UNKNOWN, at, 0);
        at = last - at < step ? last : at + step;
    }
    return status;
}

/* ---- by the seek table ---- */

/* Read the headers that the table names. *is_good is false if none is valid, or if the table cannot
 * be this file's; the caller then drops the places. */
static zt_status check_places(struct zt_reader *r, bool *is_good)
{
    bool has_first = false;
    zt_status status = ZT_OK;
    *is_good = true;
    for (uint64_t i = 0; !status && i < r->frames; i++) {
        struct zti_place *const place = &r->places[i];
        struct zti_frame f;
        bool is_found;
        status = find_frame(r, i, place, &f, &is_found);
        is_found = is_found && (!has_first || zti_check_same_array(r, i, &f) == ZT_OK);
        if (is_found && !has_first)
            r->first = f;
        has_first = has_first || is_found;
        if (is_found)
            zti_reader_count(r, &f);
        else
            place->at = ZT_UNKNOWN;
    }
    *is_good = has_first && zti_extent_fits(&r->first, r->places[r->frames].first);
    for (uint64_t i = 0; *is_good && i < r->frames; i++)
        *is_good =
            r->places[i].at != ZT_UNKNOWN ||
            can_hold(&r->first, r->places[i].bytes, r->places[i + 1].first - r->places[i].first);
    return status;
}

static zt_status open_by_table(struct zt_reader *r, bool *is_good)
{
    const uint64_t file_bytes = r->input.bytes;
    uint8_t foot[8];
    uint64_t whole;
    *is_good = false;
    if (file_bytes < ZTI_FRAME_ALIGN_BYTES + ZTI_TABLE_MIN_BYTES)
        return ZT_OK;
    zti_read_leniently(r, file_bytes - sizeof foot, sizeof foot, foot, &whole);
    const uint64_t table_bytes = zti_get_le32(foot);
    if (memcmp(foot + 4, zti_end_magic, sizeof zti_end_magic) != 0 ||
        table_bytes < ZTI_TABLE_MIN_BYTES || table_bytes > file_bytes - ZTI_FRAME_ALIGN_BYTES)
        return ZT_OK;
    zt_status status = zti_buffer_reserve(r->context, &r->tail, table_bytes, 0);
    if (!status)
        zti_read_leniently(r, file_bytes - table_bytes, table_bytes, r->tail.bytes, &whole);
    if (status || !zti_repair(r, r->tail.bytes, (size_t)table_bytes - sizeof foot,
                              &r->repairs.header_trial_bytes))
        return status;
    status = zti_table_parse(r->context, r->tail.bytes, (size_t)table_bytes, file_bytes, &r->places,
                             &r->frames);
    if (status)
        return status == ZT_NO_MEMORY ? status : ZT_OK;
    status = check_places(r, is_good);
    r->repairs.table = ZT_TABLE_WHOLE;
    if (!status && *is_good)
        return ZT_OK;
    zti_release(r->context, r->places);
    r->places = NULL;
    r->frames = r->sums.frames = r->sums.raw_frames = r->sums.stream_bytes = r->sums.index_bytes =
        0;
    r->sums.exact_values = r->sums.special_values = r->sums.counted_values = 0;
    r->sums.error = 0;
    return status;
}

/* ---- by searching for headers ---- */

/* Whether the frames found, up to byte 'end', are all of the file: whether the rest is as long as
 * their seek table. */
static zt_status is_complete(struct zt_reader *r, const struct list *l, uint64_t end,
                             uint64_t extent, bool *is_all)
{
    struct zti_table table = {.entries = NULL};
    const struct zti_place *places = (const struct zti_place *)(const void *)l->buffer.bytes;
    zt_status status = ZT_OK;
    *is_all = end <= r->input.bytes;
    for (uint64_t i = 0; !status && *is_all && i < l->count; i++) {
        const uint64_t next = i + 1 < l->count ? places[i + 1].first : extent;
        *is_all = places[i].at != ZT_UNKNOWN;
        if (*is_all)
            status = zti_table_add(r->context, &table, places[i].bytes, next - places[i].first);
    }
    *is_all = *is_all && !status && r->input.bytes - end == zti_table_bytes(&table);
    zti_table_free(r->context, &table);
    return status;
}

/* Whether a frame found at byte 'at' can follow frames that end at slice 'extent' and byte
 * 'end'. */
static bool goes_on(struct zt_reader *r, const struct zti_frame *f, const struct list *l,
                    uint64_t at, uint64_t end, uint64_t extent)
{
    uint64_t last;
    if (f->first < extent || !zti_add(f->first, f->shape[0], &last) || !zti_extent_fits(f, last))
        return false;
    if (f->first > extent && !can_hold(f, at - end, f->first - extent))
        return false;
    return l->count == 0 || zti_check_same_array(r, l->count, f) == ZT_OK;
}

static zt_status walk(struct zt_reader *r, struct list *l)
{
    uint64_t at = 0, end = 0, extent = 0; /* end of the last frame found */
    bool is_expected = true, is_all = false;
    zt_status status = ZT_OK;
    while (!status && at < r->input.bytes) {
        struct zti_frame f;
        bool is_found;
        status = find_header(r, l->count, at, is_expected, &f, &is_found);
        if (!status && is_found && goes_on(r, &f, l, at, end, extent)) {
            if (l->count == 0)
                r->first = f;
            if (f.first > extent)
                status = add_missing(r, l, &f, extent, f.first);
            if (!status)
                status = add_place(r, l, at, f.first, zti_frame_bytes(&f));
            zti_reader_count(r, &f);
            extent = f.first + f.shape[0];
            end = at + zti_frame_bytes(&f);
            at = zti_frame_at(end);
            is_expected = true;
        } else if (!status) {
            at += ZTI_FRAME_ALIGN_BYTES;
            status = find_magic(r, &at);
            is_expected = false;
        }
    }
    if (!status && l->count > 0)
        status = is_complete(r, l, end, extent, &is_all);
    if (!status && l->count > 0)
        status = add_place(r, l, end, extent, 0);
    r->repairs.table = is_all ? ZT_TABLE_REBUILT : ZT_TABLE_MISSING;
    return status;
}

static zt_status open_by_walk(struct zt_reader *r)
{
    struct list l = {.count = 0};
    zt_status status = walk(r, &l);
    if (status || l.count == 0) {
        zti_buffer_free(r->context, &l.buffer);
        return status ? status
                      : zti_fail(r->context, ZT_CORRUPT,
                                 "nothing can be salvaged: no frame's header is whole");
    }
    r->places = (struct zti_place *)(void *)l.buffer.bytes;
    r->frames = l.count - 1;
    r->sums.frames = r->frames;
    return ZT_OK;
}

/* ---- public calls ---- */

zt_status zt_reader_open_damaged(zt_context *context, const zt_source *source, zt_reader **reader)
{
    bool is_good = false;
    zt_status status = zti_source_check(context, source, reader);
    if (status)
        return status;
    if (source->source_bytes == ZT_UNKNOWN)
        return zti_fail(context, ZT_BAD_ARG,
                        "a damaged file cannot be salvaged from a pipe; use a source of known "
                        "size");
    struct zt_reader *r = (struct zt_reader *)zti_alloc_zeroed(context, sizeof *r);
    if (!r)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a reader");
    r->context = context;
    r->input =
        (struct zti_input){.context = context, .source = *source, .bytes = source->source_bytes};
    r->is_damaged = true;
    const uint64_t trial_bytes =
        TRIAL_LEAST_BYTES +
        (r->input.bytes < INT64_MAX / TRIAL_BYTES ? r->input.bytes * TRIAL_BYTES : INT64_MAX);
    r->repairs.header_trial_bytes = r->repairs.tail_trial_bytes = trial_bytes;
    status = open_by_table(r, &is_good);
    if (!status && is_good)
        r->sums.frames = r->frames;
    else if (!status)
        status = open_by_walk(r);
    r->repairs.header_trial_bytes = trial_bytes; /* the same headers are repaired again */
    if (status) {
        zt_reader_close(r);
        return status;
    }
    *reader = r;
    return ZT_OK;
}

zt_status zti_salvage_next(struct zt_reader *r)
{
    const uint64_t number = r->now.has_frame ? r->now.number + 1 : 0;
    struct zti_place *const place = &r->places[number];
    if (number == r->frames) {
        r->now.is_ended = true;
        return ZT_OK;
    }
    r->now.number = number;
    if (place->at != ZT_UNKNOWN) {
        /* its repair was counted when the file was opened */
        const uint64_t repaired = r->repairs.repaired;
        bool is_found = false;
        const zt_status status = find_frame(r, number, place, &r->now.frame, &is_found);
        r->repairs.repaired = repaired;
        if (status || is_found)
            return status;
        place->at = ZT_UNKNOWN; /* it has become unreadable since the file was opened */
    }
    r->now.frame = r->first;
    r->now.frame.first = place->first;
    r->now.frame.shape[0] = place[1].first - place->first;
    return ZT_OK;
}

zt_status zt_salvage_init(zt_salvage *salvage, size_t salvage_bytes)
{
    if (!salvage || salvage_bytes < sizeof *salvage || salvage_bytes > UINT32_MAX)
        return ZT_BAD_ARG;
    memset(salvage, 0, salvage_bytes);
    salvage->struct_bytes = (uint32_t)salvage_bytes;
    return ZT_OK;
}

static zt_status check_salvage(zt_context *context, const zt_salvage *salvage)
{
    if (!salvage || salvage->struct_bytes < sizeof *salvage)
        return zti_fail(context, ZT_BAD_ARG, "no zt_salvage that zt_salvage_init has set");
    const uint8_t *more = (const uint8_t *)salvage + sizeof *salvage;
    if (salvage->reserved || salvage->has_fill > 1 ||
        !zti_all_zero(more, salvage->struct_bytes - sizeof *salvage))
        return zti_fail(context, ZT_UNSUPPORTED,
                        "zt_salvage asks for what this version does not have; use a later one");
    return ZT_OK;
}

zt_status zt_reader_salvage(zt_reader *reader, const zt_array *out, zt_salvage *salvage)
{
    struct zti_array array;
    if (!reader)
        return ZT_BAD_ARG;
    if (!reader->is_damaged)
        return zti_fail(reader->context, ZT_BAD_ARG,
                        "the file was not opened as a damaged one; use zt_reader_open_damaged");
    if (!reader->now.has_frame || reader->now.is_ended || reader->now.is_read ||
        reader->now.is_failed)
        return zti_fail(reader->context, ZT_BAD_ARG,
                        "there is no frame to be read; zt_reader_next goes to the next one");
    zt_status status = check_salvage(reader->context, salvage);
    if (!status)
        status = zti_output_check(reader, out, reader->now.frame.shape, "frame", &array);
    if (!status)
        status = zti_check_on_host(reader->context, out->data, "the output array");
    if (status)
        return status;
    reader->now.is_read = true;
    salvage->frames++;
    if (reader->places[reader->now.number].at == ZT_UNKNOWN) {
        zt_box box = {{0}, {0}};
        memcpy(box.hi, reader->now.frame.shape, reader->now.frame.rank * sizeof *box.hi);
        salvage->damaged_frames++;
        status = zti_salvage_lost(reader, &array, &box, "the header is damaged", salvage);
    } else {
        status = zti_salvage_frame(reader, &array, salvage);
    }
    salvage->table = reader->repairs.table;
    salvage->repaired = reader->repairs.repaired;
    return status;
}
