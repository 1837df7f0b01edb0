/* source.c: where bytes come from: regular files, read at any offset, and pipes, read on. */
#include "format.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_MAX_BYTES = 1 << 30 }; /* read() may take no more at once than 2 GiB less a page */

static bool fail_read(struct ztio_error *error, const char *label)
{
    return ztio_fail(error, ZTIO_IO_ERROR, "%s: cannot read: %s%s", label, strerror(errno),
                     ztio_remedy(errno));
}

/* read() until n bytes are there or the data end. */
static bool read_on(int fd, void *buffer, size_t n, size_t *got)
{
    size_t done = 0;
    while (done < n) {
        size_t step = n - done < READ_MAX_BYTES ? n - done : READ_MAX_BYTES;
        ssize_t r = read(fd, (char *)buffer + done, step);
        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0)
            return false;
        if (r == 0)
            break;
        done += (size_t)r;
    }
    *got = done;
    return true;
}

/* Size and kind of what fd is, and the first bytes. */
static bool look(struct ztio_source *source, const char *path, const char *label,
                 struct ztio_error *error)
{
    struct stat is;
    if (fstat(source->fd, &is) != 0)
        return fail_read(error, label);
    if (S_ISDIR(is.st_mode))
        return ztio_fail(error, ZTIO_IO_ERROR, "%s is a directory; name a file in it", path);
    /* standard input that is redirected from a file is as good as that file */
    off_t here = S_ISREG(is.st_mode) ? lseek(source->fd, 0, SEEK_CUR) : -1;
    source->is_regular = here >= 0;
    source->bytes = ZT_UNKNOWN;
    if (!source->is_regular) {
        if (!read_on(source->fd, source->head, sizeof source->head, &source->head_bytes))
            return fail_read(error, label);
        return true;
    }
    source->base = (uint64_t)here;
    source->bytes = is.st_size > here ? (uint64_t)(is.st_size - here) : 0;
    size_t n = source->bytes < sizeof source->head ? (size_t)source->bytes : sizeof source->head;
    source->head_bytes = n;
    return n == 0 || ztio_source_at(source, 0, source->head, n, label, error);
}

bool ztio_source_open(const char *path, const char *label, struct ztio_source *source,
                      struct ztio_error *error)
{
    *source = (struct ztio_source){.fd = -1};
    source->fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (source->fd < 0)
        return ztio_fail(error, ZTIO_IO_ERROR, "cannot open %s: %s%s",
                         strcmp(path, "-") == 0 ? label : path, strerror(errno),
                         ztio_remedy(errno));
    if (look(source, path, label, error))
        return true;
    ztio_source_close(source);
    return false;
}

void ztio_source_close(struct ztio_source *source)
{
    if (source->fd >= 0)
        (void)close(source->fd);
    source->fd = -1;
}

/* Bytes to be read of a regular source. */
struct part {
    const struct ztio_source *source;
    uint64_t offset;
    char *buffer;
    size_t n;
    const char *label;
    struct ztio_error error;
    bool is_read;
};

static bool read_part(const struct ztio_source *source, uint64_t offset, char *buffer, size_t n,
                      const char *label, struct ztio_error *error)
{
    size_t done = 0;
    while (done < n) {
        size_t step = n - done < READ_MAX_BYTES ? n - done : READ_MAX_BYTES;
        ssize_t r = pread(source->fd, buffer + done, step, (off_t)(source->base + offset + done));
        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0)
            return fail_read(error, label);
        if (r == 0)
            return ztio_fail(error, ZTIO_IO_ERROR, "%s: the file was cut while it was read", label);
        done += (size_t)r;
    }
    return true;
}

static void *read_beside(void *user)
{
    struct part *const p = user;
    p->is_read = read_part(p->source, p->offset, p->buffer, p->n, p->label, &p->error);
    return NULL;
}

/* Many bytes are read by two threads: most of the time goes into copying them out of the cache of
 * files, and into clearing the pages that they are read to. */
bool ztio_source_at(struct ztio_source *source, uint64_t offset, void *buffer, size_t n,
                    const char *label, struct ztio_error *error)
{
    enum { SHARED_BYTES = 4 << 20, PAGE_BYTES = 2 << 20 };
    const size_t half = n < SHARED_BYTES ? n : n / 2 / PAGE_BYTES * PAGE_BYTES;
    struct part other = {.source = source,
                         .offset = offset + half,
                         .buffer = (char *)buffer + half,
                         .n = n - half,
                         .label = label};
    pthread_t thread;
    if (n < SHARED_BYTES || pthread_create(&thread, NULL, read_beside, &other) != 0)
        return read_part(source, offset, buffer, n, label, error);
    const bool is_read = read_part(source, offset, buffer, half, label, error);
    (void)pthread_join(thread, NULL);
    if (is_read && !other.is_read && error)
        *error = other.error;
    return is_read && other.is_read;
}

bool ztio_source_next(struct ztio_source *source, void *buffer, size_t n, size_t *got,
                      const char *label, struct ztio_error *error)
{
    size_t from_head = 0;
    if (source->is_regular) {
        uint64_t left = source->bytes - source->at;
        *got = left < n ? (size_t)left : n;
        if (!ztio_source_at(source, source->at, buffer, *got, label, error))
            return false;
        source->at += *got;
        return true;
    }
    if (source->at < source->head_bytes) {
        from_head = source->head_bytes - (size_t)source->at;
        from_head = from_head < n ? from_head : n;
        memcpy(buffer, source->head + source->at, from_head);
    }
    if (!read_on(source->fd, (char *)buffer + from_head, n - from_head, got))
        return fail_read(error, label);
    *got += from_head;
    source->at += *got;
    return true;
}

bool ztio_source_spool(struct ztio_source *source, const char *label, struct ztio_error *error)
{
    enum { BLOCK_BYTES = 1 << 20 };
    FILE *spool = tmpfile();
    char *block = malloc(BLOCK_BYTES);
    size_t got = BLOCK_BYTES;
    uint64_t bytes = 0;
    bool is_done = false;
    if (!block) {
        ztio_fail_memory(error, label);
        goto done;
    }
    if (!spool)
        goto failed;
    while (got == BLOCK_BYTES) {
        if (!ztio_source_next(source, block, BLOCK_BYTES, &got, label, error))
            goto done;
        if (fwrite(block, 1, got, spool) != got)
            goto failed;
        bytes += got;
    }
    int fd = -1;
    if (fflush(spool) != 0 || (fd = dup(fileno(spool))) < 0)
        goto failed;
    (void)close(source->fd);
    *source = (struct ztio_source){.fd = fd, .is_regular = true, .bytes = bytes};
    is_done = true;
    goto done;
failed:
    ztio_fail(error, ZTIO_IO_ERROR, "%s: cannot keep it in a temporary file: %s%s", label,
              strerror(errno), ztio_remedy(errno));
done:
    if (spool)
        (void)fclose(spool);
    free(block);
    return is_done;
}
