/* bytes.c: zt_source and zt_sink over files and pipes. */
#include "store/bytes.h"

#include "util/errors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Up to n bytes from where the descriptor stands; less only at the end. */
static bool read_on(struct byte_source *b, void *buffer, size_t n, size_t *got)
{
    *got = 0;
    while (*got < n) {
        ssize_t k = read(b->fd, (char *)buffer + *got, n - *got);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return fail(&b->error, ZTIO_IO_ERROR, "%s: cannot read: %s%s", b->place,
                        strerror(errno), ztio_remedy(errno));
        if (k == 0)
            break;
        *got += (size_t)k;
    }
    return true;
}

static int read_file(void *user, uint64_t offset, void *buffer, size_t n, size_t *got)
{
    struct byte_source *b = user;
    *got = 0;
    while (*got < n && offset + *got < b->source.source_bytes) {
        ssize_t k = pread(b->fd, (char *)buffer + *got, n - *got, (off_t)(offset + *got));
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0) {
            fail(&b->error, ZTIO_IO_ERROR, "%s: cannot read: %s%s", b->place, strerror(errno),
                 ztio_remedy(errno));
            return 1;
        }
        if (k == 0)
            break;
        *got += (size_t)k;
    }
    return 0;
}

/* A pipe: its first bytes were taken into head when it was opened; what is passed over is read
 * and dropped. */
static int read_pipe(void *user, uint64_t offset, void *buffer, size_t n, size_t *got)
{
    struct byte_source *b = user;
    char dropped[4096];
    size_t from_head = 0, k;
    *got = 0;
    if (offset < b->head_bytes) {
        from_head = b->head_bytes - (size_t)offset;
        if (from_head > n)
            from_head = n;
        memcpy(buffer, b->head + offset, from_head);
        offset += from_head;
    }
    *got = from_head;
    if (from_head == n)
        return 0;
    if (offset < b->position) {
        fail(&b->error, ZTIO_IO_ERROR, "%s: a pipe cannot be read twice; use a file", b->place);
        return 1;
    }
    while (b->position < offset) {
        uint64_t gap = offset - b->position;
        if (!read_on(b, dropped, gap < sizeof dropped ? (size_t)gap : sizeof dropped, &k))
            return 1;
        if (k == 0)
            return 0;
        b->position += k;
    }
    if (!read_on(b, (char *)buffer + from_head, n - from_head, &k))
        return 1;
    b->position += k;
    *got += k;
    return 0;
}

bool byte_source_open(struct byte_source *b, const char *place, struct ztio_error *error)
{
    struct stat st;
    memset(b, 0, sizeof *b);
    b->place = input_name(place);
    b->close_fd = strcmp(place, "-") != 0;
    b->fd = b->close_fd ? open(place, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (b->fd < 0 || fstat(b->fd, &st) != 0) {
        fail(error, ZTIO_IO_ERROR, "cannot open %s: %s%s", b->place, strerror(errno),
             ztio_remedy(errno));
        b->close_fd = b->close_fd && b->fd >= 0;
        return false;
    }
    if (S_ISDIR(st.st_mode))
        return fail(error, ZTIO_IO_ERROR, "%s is a directory; name a file in it", b->place);
    bool is_file = S_ISREG(st.st_mode) && lseek(b->fd, 0, SEEK_CUR) == 0;
    b->source.user = b;
    b->source.read = is_file ? read_file : read_pipe;
    b->source.source_bytes = is_file ? (uint64_t)st.st_size : ZT_UNKNOWN;
    bool was_read = is_file ? read_file(b, 0, b->head, sizeof b->head, &b->head_bytes) == 0
                            : read_on(b, b->head, sizeof b->head, &b->head_bytes);
    b->position = is_file ? 0 : b->head_bytes;
    if (!was_read)
        *error = b->error;
    return was_read;
}

void byte_source_close(struct byte_source *b)
{
    if (b->close_fd)
        (void)close(b->fd);
    b->close_fd = false;
}

bool byte_source_slurp(struct byte_source *b, unsigned char **data, size_t *data_bytes,
                       struct ztio_error *error)
{
    bool has_size = b->source.source_bytes != ZT_UNKNOWN;
    uint64_t capacity = has_size ? b->source.source_bytes + 1 : 1u << 20;
    unsigned char *buffer = NULL;
    size_t used = 0, got;
    for (;;) {
        unsigned char *more = capacity <= SIZE_MAX ? realloc(buffer, (size_t)capacity) : NULL;
        if (!more) {
            free(buffer);
            return fail(error, ZTIO_LACKING,
                        "%s: no memory for the whole stream, which a bare zfp stream needs; use "
                        "the .zt format",
                        b->place);
        }
        buffer = more;
        if (b->source.read(b, used, buffer + used, (size_t)capacity - used, &got) != 0) {
            *error = b->error;
            free(buffer);
            return false;
        }
        used += got;
        if (used < capacity)
            break;
        capacity *= 2;
    }
    *data = buffer;
    *data_bytes = used;
    return true;
}

bool fail_source(struct ztio_error *error, const struct byte_source *b, const zt_context *context,
                 zt_status status)
{
    if (b->error.exit_status == 0)
        return fail_zt(error, context, status, b->place);
    *error = b->error;
    return false;
}

static int write_sink(void *user, const void *data, size_t n)
{
    struct byte_sink *s = user;
    if (!ztio_bytes_write(s->bytes, data, n, &s->error))
        return 1;
    s->written += n;
    return 0;
}

/* Longer parts than WHOLE_BYTES are copied and written behind, COPY_BYTES at a time: until the call
 * returns they are the library's. */
enum { WHOLE_BYTES = 64 << 10, COPY_BYTES = 4 << 20, COPY_ALIGN = 2 << 20 /* huge pages */ };

static bool patch(void *user, uint64_t at, const void *data, uint64_t n, struct ztio_error *error)
{
    return ztio_bytes_patch(user, at, data, (size_t)n, error);
}

/* The copy that is not being written. NULL: write without one. */
static void *next_copy(struct byte_sink *s)
{
    void **const copy = &s->copy[s->turn++ % 2];
    if (*copy)
        return *copy;
    *copy = aligned_alloc(COPY_ALIGN, COPY_BYTES);
    zt_expect_writes(*copy, COPY_BYTES);
    if (!s->behind.is_begun)
        behind_begin(&s->behind, patch, s->bytes);
    return *copy;
}

static bool write_behind(struct byte_sink *s, uint64_t at, const char *from, size_t n)
{
    bool done = true;
    for (size_t part; done && n > 0; at += part, from += part, n -= part) {
        void *const copy = next_copy(s);
        part = n < COPY_BYTES ? n : COPY_BYTES;
        if (copy)
            memcpy(copy, from, part);
        done = copy ? behind_write(&s->behind, at, copy, part, &s->error)
                    : behind_wait(&s->behind, &s->error) &&
                          ztio_bytes_patch(s->bytes, at, from, part, &s->error);
    }
    return done;
}

static int write_store(void *user, uint64_t offset, const void *data, size_t n)
{
    struct byte_sink *s = user;
    const bool done = n > WHOLE_BYTES ? write_behind(s, offset, data, n)
                                      : behind_wait(&s->behind, &s->error) &&
                                            ztio_bytes_patch(s->bytes, offset, data, n, &s->error);
    if (!done)
        return 1;
    s->written = offset + n > s->written ? offset + n : s->written;
    return 0;
}

/* Of a pipe. */
static int write_on(void *user, uint64_t offset, const void *data, size_t n)
{
    (void)offset; /* where it ends */
    return write_sink(user, data, n);
}

static int read_store(void *user, uint64_t offset, void *buffer, size_t n)
{
    struct byte_sink *s = user;
    return behind_wait(&s->behind, &s->error) &&
                   ztio_bytes_read(s->bytes, offset, buffer, n, &s->error)
               ? 0
               : 1;
}

static int cut_store(void *user, uint64_t bytes)
{
    struct byte_sink *s = user;
    s->written = bytes;
    return behind_wait(&s->behind, &s->error) && ztio_bytes_cut(s->bytes, bytes, &s->error) ? 0 : 1;
}

static void pass_input(void *user, uint64_t slices)
{
    const struct byte_sink *s = user;
    if (s->input)
        ztio_map_passed(s->input, slices);
}

bool refuse_terminal(const char *path, bool force, struct ztio_error *error)
{
    if (force || strcmp(path, "-") != 0 || !isatty(STDOUT_FILENO))
        return false;
    return !fail(error, ZTIO_BAD_USE,
                 "standard output is a terminal and the output is binary; name a file with -o, or "
                 "write to the terminal with -f");
}

struct ztio_creation creation_of(const struct options *o)
{
    return (struct ztio_creation){.overwrite = o->force, .sync = o->sync, .like = o->operand[0]};
}

bool byte_sink_open(struct byte_sink *s, const char *path, const struct ztio_creation *how,
                    struct ztio_error *error)
{
    memset(s, 0, sizeof *s);
    if (refuse_terminal(path, how->overwrite, error))
        return false;
    s->bytes = ztio_bytes_create(path, how, error);
    s->sink.write = write_sink;
    s->sink.user = s;
    if (!s->bytes)
        return false;
    const bool is_file = ztio_bytes_is_file(s->bytes);
    s->store = (zt_store){.write = is_file ? write_store : write_on,
                          .read = is_file ? read_store : NULL,
                          .cut = is_file ? cut_store : NULL,
                          .passed = pass_input,
                          .user = s};
    return true;
}

/* End what is behind. */
static bool end_behind(struct byte_sink *s, struct ztio_error *error)
{
    const bool done = behind_end(&s->behind, error);
    free(s->copy[0]);
    free(s->copy[1]);
    s->copy[0] = s->copy[1] = NULL;
    return done;
}

bool byte_sink_commit(struct byte_sink *s, struct ztio_error *error)
{
    struct ztio_bytes *bytes = s->bytes;
    if (!end_behind(s, error))
        return false;
    s->bytes = NULL;
    return ztio_bytes_commit(bytes, error);
}

void byte_sink_abandon(struct byte_sink *s)
{
    struct ztio_error ignored;
    (void)end_behind(s, &ignored);
    if (s->bytes)
        ztio_bytes_abandon(s->bytes);
    s->bytes = NULL;
}
