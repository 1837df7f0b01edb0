/* ahead.c: a thread that goes through a mapped file before and behind whoever reads it. Ahead it
 * touches one page of each 64 KiB, at which the system enters all of these in the tables of the
 * process, so that the reader meets no fault; behind it gives memory back.
 *
 *     0       kept         at - GIVEN_BYTES   at           at + AHEAD_BYTES
 *     | stays | given back | stays            | entered    | ...
 *
 * Where more than one pass is to be expected, the first bytes stay for the next one. Samples are
 * taken anywhere: whoever takes them says so now and then, and the thread looks from time to time
 * whether the process has too many pages of files. Without a thread memory is given back by the
 * reader. */
#include "format.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* STEP_BYTES are entered at a time, so that the thread soon sees where the reader is. A smaller map
 * than LEAST_BYTES is not worth a thread. */
enum {
    AHEAD_BYTES = 8 << 20,
    STRIDE_BYTES = 8 << 20, /* at most, that the reader is told to have gone at a time */
    STEP_BYTES = 1 << 20,
    AROUND_BYTES = 64 << 10,
    GIVEN_BYTES = 4 << 20,
    KEPT_BYTES = 24 << 20,
    LEAST_BYTES = 16 << 20,
    LATE_BYTES = 16 << 20,    /* with so much to give back the thread is late: the reader does it */
    MOST_BYTES = 52 << 20,    /* of pages of files, at first */
    SAMPLED_BYTES = 40 << 20, /* of these, while samples are taken, at first */
    SAMPLED_MORE_BYTES = 2 << 20, /* then */
    LOOK_NANOSECONDS = 1000000
};

struct ztio_ahead {
    char *map;
    size_t bytes, page_bytes;
    size_t at;      /* the reader has gone past bytes before this */
    size_t given;   /* in this pass memory of the bytes before this was given back, or is to stay */
    size_t front;   /* bytes that were entered in this pass */
    size_t stride;  /* the reader goes so far at a time; it reads all of that before it says so */
    size_t stays;   /* bytes that stay entered */
    size_t kept;    /* of these, bytes that were entered */
    size_t most;    /* bytes of pages of files that the process may have */
    size_t sampled; /* the same while samples are taken; only for who takes them */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool has_thread, is_ended;
    int statm; /* where the system says how much memory the process has; -1: nowhere */
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Give back what the reader has gone past. With the lock, which is released meanwhile if there is a
 * thread. False: that is too little. */
static bool give_back(struct ztio_ahead *a)
{
    const size_t first = a->given, last = a->at;
    if (last <= first || (last - first < GIVEN_BYTES && last < a->bytes))
        return false;
    a->given = last;
    if (a->has_thread)
        (void)pthread_mutex_unlock(&a->lock);
    (void)madvise(a->map + first, last - first, MADV_DONTNEED);
    if (a->has_thread)
        (void)pthread_mutex_lock(&a->lock);
    return true;
}

/* The reader is through: have the first bytes for its next pass. */
static bool begin_again(struct ztio_ahead *a)
{
    if (a->at < a->bytes)
        return false;
    a->at = 0;
    a->given = a->stays;
    a->front = a->kept;
    return true;
}

/* Have the system enter pages. Linux enters those of AROUND_BYTES around one that is touched, in
 * half of the time that MADV_POPULATE_READ takes; but where it has to read the page itself, only at
 * the next touch. */
static void touch(const char *from, const char *end)
{
    while (from < end) {
        const size_t n = AROUND_BYTES - (uintptr_t)from % AROUND_BYTES;
        const char *const next = n < (size_t)(end - from) ? from + n : end;
        (void)*(const volatile char *)from;
        (void)*(const volatile char *)(next - 1);
        from = next;
    }
}

/* With the lock, which is released meanwhile. False: nothing is missing. */
static bool enter_some(struct ztio_ahead *a)
{
    const size_t first = a->front, last = least(a->bytes, a->at + AHEAD_BYTES + a->stride);
    const size_t end = least(last, first + STEP_BYTES);
    if (first >= last || a->at == a->bytes)
        return false;
    a->front = end;
    (void)pthread_mutex_unlock(&a->lock);
    touch(a->map + first, a->map + end);
    (void)pthread_mutex_lock(&a->lock);
    if (first == a->kept && end <= a->stays)
        a->kept = end;
    return true;
}

/* Bytes of pages of files that the process has. */
static size_t count_file_bytes(const struct ztio_ahead *a)
{
    char text[128];
    unsigned long long all, files;
    const ssize_t n = a->statm < 0 ? 0 : pread(a->statm, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    char *end = NULL;
    (void)strtoull(text, &end, 10);
    all = strtoull(end, &end, 10);
    files = strtoull(end, &end, 10);
    return files <= all ? (size_t)files * a->page_bytes : 0;
}

/* Wait for the reader. If nothing comes, give back what samples have touched if that is much. With
 * the lock. */
static void wait_and_look(struct ztio_ahead *a)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_cond_timedwait(&a->changed, &a->lock, &until) == 0 || a->front >= a->bytes ||
        count_file_bytes(a) < a->most)
        return;
    const size_t first = a->front > a->stays ? a->front : a->stays;
    a->most += SAMPLED_MORE_BYTES; /* what is needed again and again is in the end left alone */
    (void)pthread_mutex_unlock(&a->lock);
    (void)madvise(a->map + first, a->bytes - first, MADV_DONTNEED);
    (void)pthread_mutex_lock(&a->lock);
}

void ztio_ahead_sampled(struct ztio_ahead *a)
{
    if (!a->has_thread || count_file_bytes(a) < a->sampled)
        return;
    (void)madvise(a->map, a->bytes, MADV_DONTNEED);
    a->sampled += SAMPLED_MORE_BYTES; /* likewise */
}

static void *go_ahead(void *user)
{
    struct ztio_ahead *const a = user;
    (void)pthread_mutex_lock(&a->lock);
    while (!a->is_ended)
        if (!give_back(a) && !enter_some(a) && !begin_again(a))
            wait_and_look(a);
    (void)pthread_mutex_unlock(&a->lock);
    return NULL;
}

/* What only the thread needs. */
static void free_thread_of(struct ztio_ahead *a)
{
    (void)pthread_cond_destroy(&a->changed);
    (void)pthread_mutex_destroy(&a->lock);
    if (a->statm >= 0)
        (void)close(a->statm);
}

struct ztio_ahead *ztio_ahead_begin(char *map, size_t bytes)
{
    struct ztio_ahead *const a = calloc(1, sizeof *a);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    if (!a)
        return NULL;
    *a = (struct ztio_ahead){.map = map,
                             .bytes = bytes,
                             .page_bytes = (size_t)page_bytes,
                             .most = MOST_BYTES,
                             .sampled = SAMPLED_BYTES};
    if (bytes < LEAST_BYTES)
        return a;
    (void)pthread_mutex_init(&a->lock, NULL);
    (void)pthread_cond_init(&a->changed, NULL);
    a->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    (void)pthread_mutex_lock(&a->lock);
    a->has_thread = pthread_create(&a->thread, NULL, go_ahead, a) == 0;
    (void)pthread_mutex_unlock(&a->lock);
    if (!a->has_thread)
        free_thread_of(a);
    return a;
}

void ztio_ahead_keep(struct ztio_ahead *a, size_t more_bytes)
{
    if (!a->has_thread)
        return;
    (void)pthread_mutex_lock(&a->lock);
    a->stays = least(KEPT_BYTES + more_bytes, a->bytes);
    a->most = MOST_BYTES + more_bytes;
    a->given = a->given > a->stays ? a->given : a->stays;
    (void)pthread_mutex_unlock(&a->lock);
}

void ztio_ahead_at(struct ztio_ahead *a, size_t end)
{
    const size_t at = end < a->bytes ? end / a->page_bytes * a->page_bytes : a->bytes;
    if (!a->has_thread) {
        a->given = at < a->at ? 0 : a->given; /* another pass */
        a->at = at;
        (void)give_back(a);
        (void)begin_again(a);
        return;
    }
    (void)pthread_mutex_lock(&a->lock);
    if (at < a->at) { /* another pass before the last one's end was seen */
        a->given = a->stays;
        a->front = a->kept;
    }
    if (at > a->at)
        a->stride = least(at - a->at, STRIDE_BYTES);
    a->at = at;
    a->front = a->front > at ? a->front : at;
    if (at < a->bytes && at > a->given && at - a->given >= LATE_BYTES)
        (void)give_back(a);
    (void)pthread_cond_signal(&a->changed);
    (void)pthread_mutex_unlock(&a->lock);
}

void ztio_ahead_read(struct ztio_ahead *a, size_t first, size_t last)
{
    last = last < a->bytes ? last / a->page_bytes * a->page_bytes : a->bytes;
    first = first / a->page_bytes * a->page_bytes;
    if (a->has_thread) {
        (void)pthread_mutex_lock(&a->lock);
        if (first <= a->kept && last > a->kept)
            a->kept = least(last, a->stays);
        first = first > a->stays ? first : a->stays;
        (void)pthread_mutex_unlock(&a->lock);
    }
    if (first < last)
        (void)madvise(a->map + first, last - first, MADV_DONTNEED);
}

void ztio_ahead_end(struct ztio_ahead *a)
{
    if (!a)
        return;
    if (a->has_thread) {
        (void)pthread_mutex_lock(&a->lock);
        a->is_ended = true;
        (void)pthread_cond_signal(&a->changed);
        (void)pthread_mutex_unlock(&a->lock);
        (void)pthread_join(a->thread, NULL);
        free_thread_of(a);
    }
    free(a);
}
