/* crew.c: a crew of threads (crew.h). A step is posted under a lock; threads that see it count
 * themselves in, take items from a shared counter, and count themselves out. The leader takes items
 * too, closes the step, and waits for those that are in: never for a thread that has not come. */
#include "core/crew.h"

#include "core/threads.h"

static void run_in_order(uint64_t items,
                         void (*item)(void *shared, uint32_t worker, uint64_t number), void *shared)
{
    for (uint64_t i = 0; i < items; i++)
        item(shared, 0, i);
}

#if defined(ZTI_HAS_THREADS)
#include <pthread.h>
#include <stdatomic.h>

struct zti_crew {
    pthread_mutex_t lock;
    pthread_cond_t posted, left;
    void (*lead)(void *shared, struct zti_crew *crew);
    void *lead_shared;
    /* with the lock held: */
    bool is_open; /* there is a step that can be joined */
    bool is_over; /* there will be none */
    uint32_t in;  /* threads other than the leader that have joined it */
    /* of the step */
    void (*item)(void *shared, uint32_t worker, uint64_t number);
    void *shared;
    uint64_t items;
    _Atomic uint64_t next;
    _Atomic uint32_t steps; /* posted so far, and 1 more at the end: for threads that look for a
                               while before they sleep */
};

static void run_items(struct zti_crew *crew, uint32_t worker)
{
    for (;;) {
        const uint64_t number = atomic_fetch_add_explicit(&crew->next, 1, memory_order_relaxed);
        if (number >= crew->items)
            return;
        crew->item(crew->shared, worker, number);
    }
}

/* Look for a step other than the one that was seen last, for about as long as waking up takes. */
static void look_for_step(struct zti_crew *crew, uint32_t seen)
{
    enum { LOOKS = 400 };
    for (uint32_t i = 0; i < LOOKS; i++) {
        if (atomic_load_explicit(&crew->steps, memory_order_relaxed) != seen)
            return;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
}

static void help(struct zti_crew *crew, uint32_t worker)
{
    uint32_t seen = 0;
    for (;;) {
        look_for_step(crew, seen);
        (void)pthread_mutex_lock(&crew->lock);
        while (!crew->is_over &&
               (!crew->is_open || atomic_load_explicit(&crew->steps, memory_order_relaxed) == seen))
            (void)pthread_cond_wait(&crew->posted, &crew->lock);
        const bool is_over = crew->is_over;
        seen = atomic_load_explicit(&crew->steps, memory_order_relaxed);
        crew->in += !is_over;
        (void)pthread_mutex_unlock(&crew->lock);
        if (is_over)
            return;
        run_items(crew, worker);
        (void)pthread_mutex_lock(&crew->lock);
        if (--crew->in == 0 && !crew->is_open)
            (void)pthread_cond_signal(&crew->left);
        (void)pthread_mutex_unlock(&crew->lock);
    }
}

void zti_crew_map(struct zti_crew *crew, uint64_t items,
                  void (*item)(void *shared, uint32_t worker, uint64_t number), void *shared)
{
    if (!crew || items < 2) {
        run_in_order(items, item, shared);
        return;
    }
    (void)pthread_mutex_lock(&crew->lock);
    crew->item = item;
    crew->shared = shared;
    crew->items = items;
    atomic_store_explicit(&crew->next, 0, memory_order_relaxed);
    (void)atomic_fetch_add_explicit(&crew->steps, 1, memory_order_relaxed);
    crew->is_open = true;
    (void)pthread_cond_broadcast(&crew->posted);
    (void)pthread_mutex_unlock(&crew->lock);
    run_items(crew, 0);
    (void)pthread_mutex_lock(&crew->lock);
    crew->is_open = false;
    while (crew->in > 0)
        (void)pthread_cond_wait(&crew->left, &crew->lock);
    (void)pthread_mutex_unlock(&crew->lock);
}

static void join_crew(void *shared, uint32_t thread)
{
    struct zti_crew *const crew = shared;
    if (thread > 0) {
        help(crew, thread);
        return;
    }
    crew->lead(crew->lead_shared, crew);
    (void)pthread_mutex_lock(&crew->lock);
    crew->is_over = true;
    (void)atomic_fetch_add_explicit(&crew->steps, 1, memory_order_relaxed);
    (void)pthread_cond_broadcast(&crew->posted);
    (void)pthread_mutex_unlock(&crew->lock);
}

void zti_crew_run(uint32_t threads, void (*lead)(void *shared, struct zti_crew *crew), void *shared)
{
    struct zti_crew crew = {.lead = lead, .lead_shared = shared};
    if (threads < 2) {
        lead(shared, NULL);
        return;
    }
    (void)pthread_mutex_init(&crew.lock, NULL);
    (void)pthread_cond_init(&crew.posted, NULL);
    (void)pthread_cond_init(&crew.left, NULL);
    zti_threads_run(threads, join_crew, &crew);
    (void)pthread_cond_destroy(&crew.left);
    (void)pthread_cond_destroy(&crew.posted);
    (void)pthread_mutex_destroy(&crew.lock);
}
#else
void zti_crew_map(struct zti_crew *crew, uint64_t items,
                  void (*item)(void *shared, uint32_t worker, uint64_t number), void *shared)
{
    (void)crew;
    run_in_order(items, item, shared);
}

void zti_crew_run(uint32_t threads, void (*lead)(void *shared, struct zti_crew *crew), void *shared)
{
    (void)threads;
    lead(shared, NULL);
}
#endif
