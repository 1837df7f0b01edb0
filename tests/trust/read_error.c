/* read_error.c: preloaded into the command by interruptions_test.py: reading of the file that
 * READ_ERROR_FILE names fails from byte READ_ERROR_AT on, up to READ_ERROR_END if that is set, as
 * it does on a bad disk; what is mapped of it is a SIGBUS there, or with READ_ERROR_DOES=touch the
 * file is changed once it is mapped. With READ_ERROR_DOES=exit the
 * program ends there instead, with =overflow its stack does, as in a library that a file is too
 * much for. SYNC_LOG names a file that gets a line for each call by which a file becomes durable or
 * gets its name; with SYNC_FAILS syncing fails. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* More frames than a stack has. */
static int overflow(const volatile char *above)
{
    volatile char frame[4096] = {0};
    frame[0] = *above;
    return above[0] == frame[0] ? overflow(frame) + frame[1] : 0;
}

static bool is_its_file(int fd)
{
    char link[64], path[PATH_MAX];
    const char *name = getenv("READ_ERROR_FILE");
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = name ? readlink(link, path, sizeof path - 1) : -1;
    if (length < 0)
        return false;
    path[length] = '\0';
    return strcmp(path, name) == 0;
}

/* Whether n bytes at an offset of a file hold some that cannot be read. */
static bool fails(int fd, long long offset, size_t n)
{
    const char *at = getenv("READ_ERROR_AT"), *end = getenv("READ_ERROR_END");
    if (!at || !is_its_file(fd) || offset + (long long)n <= atoll(at) ||
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

/* Have the bad pages of a map be of a file that has none. Where the program is to end in reading,
 * nothing can be mapped. */
void *mmap64(void *address, size_t n, int protection, int flags, int fd, off64_t offset)
{
    void *(*next)(void *, size_t, int, int, int, off64_t) =
        (void *(*)(void *, size_t, int, int, int, off64_t))dlsym(RTLD_NEXT, "mmap64");
    const char *at = getenv("READ_ERROR_AT");
    const char *does = getenv("READ_ERROR_DOES");
    const bool is_bad = fd >= 0 && at && !does && fails(fd, offset, n);
    const bool is_touched = does && strcmp(does, "touch") == 0;
    if (fd >= 0 && at && does && !is_touched && is_its_file(fd)) {
        errno = ENODEV;
        return MAP_FAILED;
    }
    char *const map = next(address, n, protection, flags, fd, offset);
    if (fd >= 0 && is_touched && is_its_file(fd))
        (void)futimens(fd, (const struct timespec[2]){{.tv_sec = 1}, {.tv_sec = 1}});
    const long long first = is_bad && atoll(at) > offset ? (atoll(at) - offset) / 4096 * 4096 : 0;
    if (is_bad && map != MAP_FAILED)
        (void)next(map + first, n - (size_t)first, protection, flags | MAP_FIXED,
                   memfd_create("bad", 0), 0);
    return map;
}

void *mmap(void *address, size_t n, int protection, int flags, int fd, off_t offset)
{
    return mmap64(address, n, protection, flags, fd, offset);
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
