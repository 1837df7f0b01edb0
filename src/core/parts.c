/* parts.c: work in independent parts, dealt to threads one after the other. */
#include "core/threads.h"

#if defined(ZTI_HAS_THREADS)
#include <pthread.h>

struct deal {
    void (*part)(void *shared, uint64_t number);
    void *shared;
    uint64_t next, parts;
    pthread_mutex_t lock;
};

static void deal_task(void *shared, uint32_t thread)
{
    struct deal *d = shared;
    (void)thread;
    (void)pthread_mutex_lock(&d->lock);
    while (d->next < d->parts) {
        const uint64_t number = d->next++;
        (void)pthread_mutex_unlock(&d->lock);
        d->part(d->shared, number);
        (void)pthread_mutex_lock(&d->lock);
    }
    (void)pthread_mutex_unlock(&d->lock);
}

static bool run_on_threads(const zt_context *context, uint64_t parts,
                           void (*part)(void *shared, uint64_t number), void *shared)
{
    const uint32_t threads = parts > 1 ? zti_threads_wanted(context) : 1;
    if (threads == 1)
        return false;
    struct deal d = {.part = part, .shared = shared, .parts = parts};
    (void)pthread_mutex_init(&d.lock, NULL);
    zti_threads_run(threads < parts ? threads : (uint32_t)parts, deal_task, &d);
    (void)pthread_mutex_destroy(&d.lock);
    return true;
}
#else
#define run_on_threads(...) false /* the policy cannot be set */
#endif

void zti_parts_run(const zt_context *context, uint64_t parts,
                   void (*part)(void *shared, uint64_t number), void *shared)
{
    if (run_on_threads(context, parts, part, shared))
        return;
    for (uint64_t i = 0; i < parts; i++)
        part(shared, i);
}
