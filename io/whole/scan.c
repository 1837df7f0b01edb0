/* scan.c: all values of a dataset, in parts: as they lie in a map of the file, by two threads from
 * chunks without filters, or block by block through HDF5. */
#include "whole/whole.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    BLOCK_BYTES = 32 << 20, /* of a block, at most */
    BLOCK_LEAST = 8 << 20,
    PIECE_BYTES = 256 << 10 /* of a chunk, read at a time: they stay in a core's cache */
};

static bool scan_mapped(struct ztio_input *plain, const struct ztio_variable *v, const char *values,
                        bool (*part)(void *user, const void *values, uint64_t count), void *user,
                        struct ztio_error *error)
{
    enum { PART_BYTES = 2 << 20 };
    const uint64_t each = zt_type_bytes(v->type), all = v->raw_bytes / each;
    bool done = true;
    for (uint64_t at = 0, n; done && at < all; at += n) {
        n = all - at < PART_BYTES / each ? all - at : PART_BYTES / each;
        done = part(user, values + at * each, n);
        ztio_map_passed(plain, at + n);
    }
    done = done && ztio_map_is_good(plain, error);
    ztio_close(plain);
    return done;
}

static bool scan_blocks(struct whole *w, hid_t dataset, hid_t native, const struct ztio_variable *v,
                        bool (*part)(void *user, const void *values, uint64_t count), void *user)
{
    hsize_t chunk[ZTIO_MAX_AXES];
    struct blocks b;
    whole_chunks_of(dataset, v, chunk);
    whole_begin_blocks(&b, v, chunk,
                       whole_chunk_bytes(v, chunk) > BLOCK_LEAST / 4 ? BLOCK_BYTES : BLOCK_LEAST);
    void *values = malloc((size_t)whole_block_bytes(&b, v));
    bool done = values || ztio_fail_memory(w->error, w->place);
    if (done)
        do {
            whole_take_block(&b);
            done =
                whole_transfer(dataset, &b, native, values, false) || whole_fail_read(w, v->path);
            done = done && part(user, values, b.values);
        } while (done && whole_next_block(&b));
    free(values);
    return done;
}

/* ---- chunks without filters ---- */

/* What two threads go through. */
struct chunks {
    const struct whole_stored *stored;
    size_t chunk_bytes, value_bytes;
    bool (*part)(void *user, const void *values, uint64_t count);
    void *user;
    pthread_mutex_t lock;  /* of the next two */
    uint64_t count, next;  /* chunks */
    pthread_mutex_t parts; /* part is called by one at a time */
    bool is_unread, is_refused;
};

/* The next chunk that is in the file as it should be. */
static bool take_chunk(struct chunks *c, hsize_t *from)
{
    bool is_found = false;
    (void)pthread_mutex_lock(&c->lock);
    while (!is_found && c->next < c->count && !c->is_unread && !c->is_refused)
        is_found = whole_stored_at(c->stored, c->next++, from);
    (void)pthread_mutex_unlock(&c->lock);
    return is_found;
}

static void stop(struct chunks *c, bool *why)
{
    (void)pthread_mutex_lock(&c->lock);
    *why = true;
    (void)pthread_mutex_unlock(&c->lock);
}

static void scan_chunk(struct chunks *c, const hsize_t *from, char *piece)
{
    for (size_t at = 0, n; at < c->chunk_bytes; at += n) {
        n = c->chunk_bytes - at < PIECE_BYTES ? c->chunk_bytes - at : PIECE_BYTES;
        if (!whole_stored_read(c->stored, from, at, piece, n)) {
            stop(c, &c->is_unread);
            return;
        }
        (void)pthread_mutex_lock(&c->parts);
        const bool is_good = c->part(c->user, piece, n / c->value_bytes);
        (void)pthread_mutex_unlock(&c->parts);
        if (!is_good) {
            stop(c, &c->is_refused);
            return;
        }
    }
}

static void *scan_chunks(void *user)
{
    struct chunks *const c = user;
    hsize_t from[ZTIO_MAX_AXES];
    char *const piece = malloc(PIECE_BYTES);
    while (piece && take_chunk(c, from))
        scan_chunk(c, from, piece);
    free(piece);
    return NULL;
}

/* The chunks that are left: cut ones, and those that the file does not have. */
static bool scan_others(struct whole *w, const struct chunks *c, hid_t dataset, hid_t native,
                        const struct ztio_variable *v)
{
    hsize_t from[ZTIO_MAX_AXES];
    struct blocks b = {.rank = v->rank};
    char *const values = malloc(c->chunk_bytes);
    bool done = values || ztio_fail_memory(w->error, w->place);
    for (uint32_t i = 0; i < v->rank; i++) {
        b.shape[i] = v->shape[i];
        b.block[i] = whole_stored_chunk(c->stored)[i];
    }
    for (uint64_t k = 0; k < c->count && done; k++) {
        if (whole_stored_at(c->stored, k, from) && !c->is_unread)
            continue;
        for (uint32_t i = 0; i < v->rank; i++)
            b.from[i] = from[i];
        whole_take_block(&b);
        done = whole_transfer(dataset, &b, native, values, false) || whole_fail_read(w, v->path);
        done = done && (c->is_unread || c->part(c->user, values, b.values));
    }
    free(values);
    return done;
}

/* By this thread and another one. */
static bool scan_stored(struct whole *w, const struct whole_stored *stored, hid_t dataset,
                        hid_t native, const struct ztio_variable *v,
                        bool (*part)(void *user, const void *values, uint64_t count), void *user)
{
    pthread_t other;
    struct chunks c = {.stored = stored, .part = part, .user = user};
    c.value_bytes = zt_type_bytes(v->type);
    c.chunk_bytes = (size_t)whole_chunk_bytes(v, whole_stored_chunk(stored));
    c.count = whole_stored_count(stored);
    (void)pthread_mutex_init(&c.lock, NULL);
    (void)pthread_mutex_init(&c.parts, NULL);
    const bool has_other = c.count > 1 && pthread_create(&other, NULL, scan_chunks, &c) == 0;
    (void)scan_chunks(&c);
    if (has_other)
        (void)pthread_join(other, NULL);
    (void)pthread_mutex_destroy(&c.parts);
    (void)pthread_mutex_destroy(&c.lock);
    if (c.next < c.count && !c.is_unread && !c.is_refused)
        return ztio_fail_memory(w->error, w->place);
    /* where reading failed, HDF5 reads too, and says why */
    const bool done = !c.is_refused && scan_others(w, &c, dataset, native, v);
    return done && (!c.is_unread ||
                    ztio_fail(w->error, ZTIO_IO_ERROR,
                              "%s: the file was changed while it was read; try again", w->place));
}

/* ---- all kinds ---- */

bool ztio_scan_hdf5(const char *path, const struct ztio_variable *v,
                    bool (*part)(void *user, const void *values, uint64_t count), void *user,
                    struct ztio_error *error)
{
    struct whole w = {.in = -1, .out = -1, .place = path, .error = error};
    hid_t native = v->type == ZT_F32   ? H5T_NATIVE_FLOAT
                   : v->type == ZT_F64 ? H5T_NATIVE_DOUBLE
                   : v->type == ZT_I32 ? H5T_NATIVE_INT32
                                       : H5T_NATIVE_INT64;
    w.in = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dataset = w.in >= 0 ? whole_open_dataset(w.in, v->path, BLOCK_BYTES) : -1;
    const bool is_open = dataset >= 0;
    if (!is_open)
        (void)whole_fail_read(&w, v->path);
    if (!is_open || !ztio_check_filters(w.in, v->path, path, error)) {
        if (is_open)
            (void)H5Dclose(dataset);
        if (w.in >= 0)
            (void)H5Fclose(w.in);
        return false;
    }
    const void *values = NULL;
    struct ztio_input *const plain = whole_map(w.in, path, dataset, native, v, &values);
    struct whole_stored *const stored = plain ? NULL : whole_stored_open(w.in, dataset, native, v);
    const bool done = plain    ? scan_mapped(plain, v, values, part, user, error)
                      : stored ? scan_stored(&w, stored, dataset, native, v, part, user)
                               : scan_blocks(&w, dataset, native, v, part, user);
    whole_stored_close(stored);
    (void)H5Dclose(dataset);
    (void)H5Fclose(w.in);
    return done;
}
