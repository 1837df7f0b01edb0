/* held.c: slices of a pipe, as a mapped file. Who codes a slab reads it more than once, so that a
 * large one would take its length in memory. It is put into a temporary file without a name, which
 * the next slab overwrites; map.c maps it.
 *
 * The file is where TMPDIR says, else in /var/tmp or /tmp, unless that is memory itself or has not
 * much room. Where there is no place for it, the caller reads the slices into memory. */
#include "format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/vfs.h>
#endif

/* Fewer bytes are read into memory. */
enum { LEAST_BYTES = 48 << 20, BLOCK_BYTES = 256 << 10 };

static bool is_in_memory(int fd)
{
#if defined(__linux__)
    const uint32_t tmpfs = 0x01021994, ramfs = 0x858458f6; /* linux/magic.h */
    struct statfs fs;
    return fstatfs(fd, &fs) == 0 && ((uint32_t)fs.f_type == tmpfs || (uint32_t)fs.f_type == ramfs);
#else
    (void)fd;
    return false;
#endif
}

/* A file without a name in a directory that has four times the room for 'bytes'; -1: none. */
static int open_in(const char *directory, uint64_t bytes)
{
    char path[4096];
    struct statvfs fs;
    const int n = snprintf(path, sizeof path, "%s/ztile.XXXXXX", directory);
    if (n < 0 || (size_t)n >= sizeof path)
        return -1;
    const int fd = mkstemp(path);
    if (fd < 0)
        return -1;
    (void)unlink(path);
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (!is_in_memory(fd) && fstatvfs(fd, &fs) == 0 &&
        (uint64_t)fs.f_bavail * fs.f_frsize / 4 > bytes)
        return fd;
    (void)close(fd);
    return -1;
}

static int open_temporary(uint64_t bytes)
{
    const char *const places[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    int fd = -1;
    for (size_t i = 0; fd < 0 && i < sizeof places / sizeof *places; i++)
        fd = places[i] && places[i][0] ? open_in(places[i], bytes) : -1;
    return fd;
}

/* Up to 'bytes' from the pipe to the file; *got is less only at the end. */
static bool fill(struct ztio_body *body, uint64_t bytes, uint64_t *got, struct ztio_error *error)
{
    const char *const label = body->input.label;
    char *const block = malloc(BLOCK_BYTES);
    bool is_done = block || ztio_fail_memory(error, label);
    size_t want = 0, n = 0;
    for (*got = 0; is_done && *got < bytes; *got += n) {
        want = bytes - *got < BLOCK_BYTES ? (size_t)(bytes - *got) : BLOCK_BYTES;
        is_done = ztio_source_next(&body->source, block, want, &n, label, error);
        if (is_done && !ztio_write_at(body->held_fd, block, n, *got))
            is_done = ztio_fail(error, ZTIO_IO_ERROR,
                                "%s: cannot keep a slab in a temporary file: %s%s, or name another "
                                "folder in TMPDIR",
                                label, strerror(errno), ztio_remedy(errno));
        if (n < want)
            bytes = *got + n;
    }
    free(block);
    return is_done;
}

bool ztio_hold(struct ztio_input *input, uint64_t extent, const void **values, uint64_t *got,
               struct ztio_error *error)
{
    struct ztio_body *const body = (struct ztio_body *)input;
    uint64_t bytes = 0;
    *values = NULL;
    if (!input->reader->has_body || body->source.is_regular || body->is_swapped ||
        extent > INT64_MAX / input->slice_bytes ||
        (bytes = extent * input->slice_bytes) < LEAST_BYTES)
        return true;
    if (!body->has_held && !body->is_not_held) {
        body->held_fd = open_temporary(bytes);
        body->has_held = body->held_fd >= 0;
        body->is_not_held = !body->has_held;
    }
    ztio_body_unmap(body);
    if (body->is_not_held)
        return true;
    if (!fill(body, bytes, &bytes, error) || !ztio_body_count(body, extent, bytes, got, error))
        return false;
    input->next += *got;
    *values = ztio_body_map_held(body, *got);
    return *got == 0 || *values ||
           ztio_fail(error, ZTIO_IO_ERROR, "%s: a temporary file cannot be mapped: %s%s",
                     input->label, strerror(errno), ztio_remedy(errno));
}
