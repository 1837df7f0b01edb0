/* read_error.c: preloaded into the command by interruptions_test.py: reading of the file that
 * READ_ERROR_FILE names fails from byte READ_ERROR_AT on, up to READ_ERROR_END if that is set, as
 * it does on a bad disk. With READ_ERROR_DOES=exit the program ends there instead, with =overflow
 * its stack does, as in a library that a file is too much for. SYNC_LOG names a file that gets a
 * line for each call by which a file becomes durable or gets its name; with SYNC_FAILS syncing
 * fails. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More frames than a stack has. */
static int overflow(const volatile char *above)
{
    volatile char frame[4096] = {0};
    frame[0] = *above;
    return above[0] == frame[0] ? overflow(frame) + frame[1] : 0;
}

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
    if (strcmp(path, name) != 0 || offset + (long long)n <= atoll(at) ||
        offset >= (end ? atoll(end) : LLONG_MAX))
        return false;
    const char *what = getenv("READ_ERROR_DOES");
    if (what && strcmp(what, "exit") == 0)
        exit(7);
    return !what || overflow("") == 0;
}

static void note(const char *line)
{
    const char *name = getenv("SYNC_LOG");
    FILE *log = name ? fopen(name, "a") : NULL;
    if (log) {
        (void)fprintf(log, "%s\n", line);
        (void)fclose(log);
    }
}

int fsync(int fd)
{
    struct stat is;
    note(fstat(fd, &is) == 0 && S_ISDIR(is.st_mode) ? "sync folder" : "sync file");
    if (getenv("SYNC_FAILS"))
        errno = EIO;
    return getenv("SYNC_FAILS") ? -1 : 0;
}

int link(const char *from, const char *to)
{
    int (*next)(const char *, const char *) =
        (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "link");
    note("name");
    return next(from, to);
}

int rename(const char *from, const char *to)
{
    int (*next)(const char *, const char *) =
        (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    note("name");
    return next(from, to);
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
