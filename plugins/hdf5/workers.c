/* workers.c: see workers.h. A few workers that no call needs wait in a list. The list's lock is
 * never waited for: who finds it taken makes a worker of their own, or frees it. */
#include "workers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { IDLE_MOST = 8, KEPT_BYTES = 64 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct zh_worker idle[IDLE_MOST];
static uint32_t idle_count;

/* Take a waiting worker that has this number of threads, the last one given back; false: none. */
static bool find_idle(uint32_t threads, struct zh_worker *worker)
{
    bool is_found = false;
    if (pthread_mutex_trylock(&lock) != 0)
        return false;
    for (uint32_t i = idle_count; i-- > 0 && !is_found;) {
        is_found = idle[i].threads == threads;
        if (is_found) {
            *worker = idle[i];
            idle[i] = idle[--idle_count];
        }
    }
    (void)pthread_mutex_unlock(&lock);
    return is_found;
}

bool zh_worker_take_of(void *caller, uint32_t threads, struct zh_worker *worker)
{
    if (find_idle(threads, worker))
        return true;
    *worker = (struct zh_worker){.context = zh_context_of(caller, threads), .threads = threads};
    return worker->context != NULL;
}

bool zh_worker_take(void *caller, struct zh_worker *worker)
{
    uint32_t threads;
    return zh_threads(caller, &threads) && zh_worker_take_of(caller, threads, worker);
}

void zh_worker_give(struct zh_worker *worker)
{
    bool is_kept = false;
    if (worker->memory_bytes > KEPT_BYTES) {
        free(worker->memory);
        worker->memory = NULL;
        worker->memory_bytes = 0;
    }
    if (pthread_mutex_trylock(&lock) == 0) {
        is_kept = idle_count < IDLE_MOST;
        if (is_kept)
            idle[idle_count++] = *worker;
        (void)pthread_mutex_unlock(&lock);
    }
    if (is_kept)
        return;
    free(worker->memory);
    zt_context_free(worker->context);
}

void *zh_worker_memory(struct zh_worker *worker, size_t bytes)
{
    if (bytes > worker->memory_bytes) {
        free(worker->memory);
        worker->memory = malloc(bytes);
        worker->memory_bytes = worker->memory ? bytes : 0;
    }
    return worker->memory;
}

size_t zh_replace(void *caller, const void *coded, size_t bytes, size_t *buf_size, void **buf)
{
    if (bytes > *buf_size) {
        void *const larger = malloc(bytes);
        if (!larger) {
            zh_complain(caller, "no memory for a chunk of %zu bytes", bytes);
            return 0;
        }
        free(*buf);
        *buf = larger;
        *buf_size = bytes;
    }
    memcpy(*buf, coded, bytes);
    return bytes;
}
