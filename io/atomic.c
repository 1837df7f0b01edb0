/* atomic.c: files that appear whole or not at all. What is written goes to a temporary name in the
 * same directory, .NAME.XXXXXX.part, which only its owner may read until it is whole; at commit it
 * gets mode and owner and is linked or renamed to the final name. The temporary names that exist
 * are in a table, so that a signal handler can remove them. Pipes, devices and standard output are
 * written directly. */
#include "format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    OPEN_MAX_FILES = 64,
    WRITE_MAX_BYTES = 1 << 30, /* write() may take no more at once than 2 GiB less a page */
    STEM_MAX_BYTES = 200       /* of NAME in the temporary name: a name has at most 255 bytes */
};

struct ztio_bytes {
    int fd;           /* -1 once closed or handed over */
    bool may_replace; /* an existing file */
    bool sync;
    bool has_owner; /* that of the file that is replaced */
    uid_t owner;
    gid_t group; /* the one that mode is for; also of a file whose mode is copied */
    bool has_group;
    mode_t mode; /* that the file gets once it is whole */
    char *label; /* for sentences: the name as it was given */
    char *final; /* NULL where the file is written directly */
    char *part;  /* likewise */
    size_t slot; /* of part in the table */
};

/* ---- the table of temporary names ---------------------------------------------------------- */

static _Atomic(char *) open_parts[OPEN_MAX_FILES];

/* A handler must not meet a lock: C11 promises no more than that this macro tells. */
_Static_assert(ATOMIC_POINTER_LOCK_FREE == 2, "pointers are not lock-free");

static bool enter(char *part, size_t *slot)
{
    for (size_t i = 0; i < OPEN_MAX_FILES; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&open_parts[i], &none, part)) {
            *slot = i;
            return true;
        }
    }
    return false;
}

void ztio_abandon_all(void)
{
    for (size_t i = 0; i < OPEN_MAX_FILES; i++) {
        char *part = atomic_load(&open_parts[i]);
        if (part)
            (void)unlink(part);
    }
}

/* ---- names --------------------------------------------------------------------------------- */

/* Six characters that another process will hardly choose; O_EXCL sees to it if it does. */
static void random_name(char *six)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    static atomic_uint calls;
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    uint64_t seed = (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 32 ^
                    (uint64_t)atomic_fetch_add(&calls, 1) << 20;
    for (int i = 0; i < 6; i++) {
        /* Knuth's 64-bit linear congruential generator (MMIX) */
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        six[i] = letters[(seed >> 33) % (sizeof letters - 1)];
    }
}

/* Open a new file beside final, for its owner alone. errno tells why not. */
static bool open_part(struct ztio_bytes *bytes)
{
    const char *slash = strrchr(bytes->final, '/');
    const char *name = slash ? slash + 1 : bytes->final;
    size_t folder = (size_t)(name - bytes->final);
    size_t stem = strlen(name) < STEM_MAX_BYTES ? strlen(name) : STEM_MAX_BYTES;
    char *part = malloc(folder + stem + sizeof "..XXXXXX.part");
    if (!part)
        return false;
    memcpy(part, bytes->final, folder);
    part[folder] = '.';
    memcpy(part + folder + 1, name, stem);
    char *end = part + folder + 1 + stem;
    memcpy(end, ".XXXXXX.part", sizeof ".XXXXXX.part");
    for (int attempt = 0; attempt < 100; attempt++) {
        random_name(end + 1);
        if (!enter(part, &bytes->slot)) {
            errno = EMFILE;
            break;
        }
        bytes->fd = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (bytes->fd >= 0) {
            bytes->part = part;
            return true;
        }
        atomic_store(&open_parts[bytes->slot], NULL);
        if (errno != EEXIST)
            break;
    }
    int why = errno;
    free(part);
    errno = why;
    return false;
}

/* ---- mode and owner ------------------------------------------------------------------------ */

/* What the umask leaves of a new file. It can only be read by setting it. */
static mode_t default_mode(void)
{
    const mode_t mask = umask(077);
    (void)umask(mask);
    return 0666 & ~mask;
}

/* The mode of a new file: that of the file in a place, if it is one. */
static void choose_mode(struct ztio_bytes *bytes, const char *like)
{
    struct ztio_place place = {0};
    struct ztio_error ignored;
    struct stat is;
    bytes->mode = default_mode();
    if (!like || !ztio_place_of_input(like, &place, &ignored))
        return;
    const bool is_found =
        strcmp(place.path, "-") == 0 ? fstat(STDIN_FILENO, &is) == 0 : stat(place.path, &is) == 0;
    ztio_place_free(&place);
    if (!is_found || !S_ISREG(is.st_mode))
        return;
    bytes->mode = is.st_mode & 0777;
    bytes->group = is.st_gid;
    bytes->has_group = true;
}

/* Mode and owner of the file that is replaced. */
static void keep_mode(struct ztio_bytes *bytes, const struct stat *is)
{
    bytes->mode = is->st_mode & 0777;
    bytes->owner = is->st_uid;
    bytes->group = is->st_gid;
    bytes->has_owner = bytes->has_group = true;
}

/* The file is whole: let others see it that may. The rights of a group are not given to another
 * one. Some file systems have neither owners nor modes. */
static void open_to_others(const struct ztio_bytes *bytes, int fd)
{
    struct stat is;
    mode_t mode = bytes->mode;
    if (bytes->has_owner && fchown(fd, bytes->owner, bytes->group) != 0)
        (void)(fchown(fd, (uid_t)-1, bytes->group) != 0);
    if (bytes->has_group && (fstat(fd, &is) != 0 || is.st_gid != bytes->group))
        mode &= ~(mode_t)070 | (mode & 07) << 3;
    (void)fchmod(fd, mode);
}

/* ---- create -------------------------------------------------------------------------------- */

static void release(struct ztio_bytes *bytes)
{
    if (bytes->fd >= 0)
        (void)close(bytes->fd);
    if (bytes->part) {
        (void)unlink(bytes->part); /* gone already where it got its name */
        atomic_store(&open_parts[bytes->slot], NULL);
    }
    free(bytes->part);
    free(bytes->final);
    free(bytes->label);
    free(bytes);
}

/* A name for what is open already; its bytes go there, not to a new file. */
static bool is_stream_name(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

static bool open_target(struct ztio_bytes *bytes, const char *path, const struct ztio_creation *how,
                        struct ztio_error *error)
{
    struct stat is;
    size_t n = strlen(path);
    const bool overwrite = how && how->overwrite;
    bytes->may_replace = overwrite;
    bytes->sync = how && how->sync;
    if (n == 0 || path[n - 1] == '/')
        return ztio_fail(error, ZTIO_BAD_USE, "%s names no file; give the output a name",
                         n ? path : "\"\"");
    if (is_stream_name(path)) {
        bytes->fd = dup(STDOUT_FILENO);
    } else if (stat(path, &is) != 0) {
        if (!overwrite && lstat(path, &is) == 0) /* a link to nothing */
            return ztio_fail(error, ZTIO_BAD_USE, "%s exists; -f overwrites it", path);
        bytes->final = strdup(path);
        if (!bytes->final)
            return ztio_fail_memory(error, path);
        choose_mode(bytes, how ? how->like : NULL);
        (void)open_part(bytes);
    } else if (S_ISDIR(is.st_mode)) {
        return ztio_fail(error, ZTIO_IO_ERROR, "%s is a directory; name a file in it", path);
    } else if (!S_ISREG(is.st_mode) || strncmp(path, "/dev/fd/", 8) == 0) {
        bytes->fd = open(path, O_WRONLY | O_CLOEXEC);
    } else if (!overwrite) {
        return ztio_fail(error, ZTIO_BAD_USE, "%s exists; -f overwrites it", path);
    } else {
        keep_mode(bytes, &is);
        bytes->final = realpath(path, NULL); /* a link stays, the file it names is replaced */
        if (bytes->final)
            (void)open_part(bytes);
    }
    if (bytes->fd < 0)
        return ztio_fail(error, ZTIO_IO_ERROR, "cannot create %s: %s%s", bytes->label,
                         strerror(errno), ztio_remedy(errno));
    if (bytes->sync && !bytes->part)
        return ztio_fail(error, ZTIO_BAD_USE,
                         "%s: only a file of its own can be made durable; name one, or leave out "
                         "--sync",
                         bytes->label);
    return true;
}

struct ztio_bytes *ztio_bytes_create(const char *path, const struct ztio_creation *how,
                                     struct ztio_error *error)
{
    struct ztio_bytes *bytes = calloc(1, sizeof *bytes);
    if (bytes)
        bytes->label = strdup(strcmp(path, "-") == 0 ? "standard output" : path);
    if (!bytes || !bytes->label) {
        free(bytes);
        ztio_fail_memory(error, path);
        return NULL;
    }
    bytes->fd = -1;
    if (open_target(bytes, path, how, error))
        return bytes;
    release(bytes);
    return NULL;
}

bool ztio_bytes_is_file(const struct ztio_bytes *bytes)
{
    return bytes->part != NULL;
}

const char *ztio_bytes_label(const struct ztio_bytes *bytes)
{
    return bytes->label;
}

const char *ztio_bytes_hand_over(struct ztio_bytes *bytes)
{
    if (bytes->fd >= 0)
        (void)close(bytes->fd);
    bytes->fd = -1;
    return bytes->part;
}

/* ---- write --------------------------------------------------------------------------------- */

static bool fail_write(const struct ztio_bytes *bytes, struct ztio_error *error)
{
    return ztio_fail(error, ZTIO_IO_ERROR, "%s: cannot write: %s%s", bytes->label, strerror(errno),
                     ztio_remedy(errno));
}

bool ztio_bytes_write(struct ztio_bytes *bytes, const void *data, size_t n,
                      struct ztio_error *error)
{
    const char *from = data;
    while (n > 0) {
        ssize_t done = write(bytes->fd, from, n < WRITE_MAX_BYTES ? n : WRITE_MAX_BYTES);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fail_write(bytes, error);
        from += done;
        n -= (size_t)done;
    }
    return true;
}

bool ztio_write_at(int fd, const void *data, size_t n, uint64_t offset)
{
    const char *from = data;
    while (n > 0) {
        ssize_t done = pwrite(fd, from, n, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        from += done;
        offset += (uint64_t)done;
        n -= (size_t)done;
    }
    return true;
}

bool ztio_bytes_patch(struct ztio_bytes *bytes, uint64_t offset, const void *data, size_t n,
                      struct ztio_error *error)
{
    return ztio_write_at(bytes->fd, data, n, offset) || fail_write(bytes, error);
}

bool ztio_bytes_read(struct ztio_bytes *bytes, uint64_t offset, void *buffer, size_t n,
                     struct ztio_error *error)
{
    char *to = buffer;
    while (n > 0) {
        const ssize_t done = pread(bytes->fd, to, n, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return ztio_fail(error, ZTIO_IO_ERROR, "%s: cannot read what was written: %s",
                             bytes->label, done < 0 ? strerror(errno) : "it was cut");
        to += done;
        offset += (uint64_t)done;
        n -= (size_t)done;
    }
    return true;
}

bool ztio_bytes_cut(struct ztio_bytes *bytes, uint64_t file_bytes, struct ztio_error *error)
{
    return ftruncate(bytes->fd, (off_t)file_bytes) == 0 || fail_write(bytes, error);
}

/* ---- commit and abandon -------------------------------------------------------------------- */

/* Give the file its name. link() refuses a name that came into use meanwhile, which rename() would
 * replace; some file systems have no links. */
static bool publish(const struct ztio_bytes *bytes, struct ztio_error *error)
{
    if (!bytes->may_replace) {
        if (link(bytes->part, bytes->final) == 0)
            return true;
        if (errno == EEXIST)
            return ztio_fail(error, ZTIO_BAD_USE,
                             "%s has come into being while it was written; -f overwrites it",
                             bytes->label);
    }
    if (rename(bytes->part, bytes->final) == 0)
        return true;
    return ztio_fail(error, ZTIO_IO_ERROR, "cannot give %s its name: %s%s", bytes->label,
                     strerror(errno), ztio_remedy(errno));
}

/* What is written is all: have it on the disk, if that was asked for, and close it. A library that
 * wrote by name has closed it. */
static bool finish(struct ztio_bytes *bytes, struct ztio_error *error)
{
    if (bytes->part && bytes->fd < 0)
        bytes->fd = open(bytes->part, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool is_whole = bytes->fd >= 0;
    if (is_whole && bytes->sync)
        is_whole = fsync(bytes->fd) == 0;
    if (is_whole && bytes->part)
        open_to_others(bytes, bytes->fd);
    if (is_whole) {
        is_whole = close(bytes->fd) == 0; /* some file systems say only here that they are full */
        bytes->fd = -1;
    }
    return is_whole || fail_write(bytes, error);
}

/* Have the file's name on the disk: it is in its folder. */
static bool sync_folder(struct ztio_bytes *bytes, struct ztio_error *error)
{
    char *slash = strrchr(bytes->final, '/');
    if (slash)
        slash[slash == bytes->final] = '\0';
    const int fd = open(slash ? bytes->final : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool is_synced = fd >= 0 && fsync(fd) == 0;
    const int why = errno;
    if (fd >= 0)
        (void)close(fd);
    return is_synced || ztio_fail(error, ZTIO_IO_ERROR,
                                  "%s is written, but its folder cannot be made durable: %s",
                                  bytes->label, strerror(why));
}

bool ztio_bytes_commit(struct ztio_bytes *bytes, struct ztio_error *error)
{
    bool is_done = finish(bytes, error);
    if (is_done && bytes->part)
        is_done = publish(bytes, error);
    if (is_done && bytes->sync) {
        (void)unlink(bytes->part); /* before the folder is on the disk */
        is_done = sync_folder(bytes, error);
    }
    release(bytes);
    return is_done;
}

void ztio_bytes_abandon(struct ztio_bytes *bytes)
{
    if (bytes)
        release(bytes);
}
