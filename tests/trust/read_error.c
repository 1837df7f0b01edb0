/* read_error.c: preloaded into the command by interruptions_test.py: reading of the file that
 * READ_ERROR_FILE names fails from byte READ_ERROR_AT on, up to READ_ERROR_END if that is set, as
 * it does on a bad disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether n bytes at an offset of a file hold some that cannot be read. */
static bool fails(int fd, long long offset, size_t n)
{
    char link[64], path[PATH_MAX];
    const char *name = getenv("READ_ERROR_FILE"), *at = getenv("READ_ERROR_AT");
    const char *end = getenv("READ_ERROR_END");
    if (!name || !at)
        return false;
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return false;
    path[length] = '\0';
    return strcmp(path, name) == 0 && offset + (long long)n > atoll(at) &&
           offset < (end ? atoll(end) : LLONG_MAX);
}

ssize_t pread64(int fd, void *buffer, size_t n, off64_t offset)
{
    ssize_t (*next)(int, void *, size_t, off64_t) =
        (ssize_t(*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT, "pread64");
    if (fails(fd, offset, n)) {
        errno = EIO;
        return -1;
    }
    return next(fd, buffer, n, offset);
}

ssize_t pread(int fd, void *buffer, size_t n, off_t offset)
{
    return pread64(fd, buffer, n, offset);
}

ssize_t read(int fd, void *buffer, size_t n)
{
    ssize_t (*next)(int, void *, size_t) =
        (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    if (fails(fd, lseek(fd, 0, SEEK_CUR), n)) {
        errno = EIO;
        return -1;
    }
    return next(fd, buffer, n);
}
