/* threads.c: creates and joins the threads of a call, and decides how many (threads.h).
 *
 * OpenMP's settings give the number of threads (OMP_NUM_THREADS, omp_set_num_threads, nesting), but
 * the threads are POSIX threads that live for one call. So the caller's OpenMP state is not
 * changed, a child forked after a parallel region can use the policy (OpenMP's thread pool does not
 * survive a fork), and ThreadSanitizer sees every synchronization. Creating and joining a thread
 * takes about 20 microseconds; the policies create none for less work. */
#include "core/threads.h"

#if defined(ZTI_HAS_THREADS)
#include <pthread.h>

#if defined(_OPENMP)
#include <omp.h>
#else
#include <unistd.h>
#endif

uint32_t zti_threads_wanted(const zt_context *context)
{
    if (!context || context->policy == ZT_SERIAL)
        return 1;
    uint32_t n = context->omp.threads;
#if defined(_OPENMP)
    if (n == 0 && omp_in_parallel() && omp_get_active_level() >= omp_get_max_active_levels())
        n = 1; /* OpenMP would not nest here */
    if (n == 0)
        n = (uint32_t)omp_get_max_threads();
#else
    const long processors = n == 0 ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    if (n == 0 && processors > 0)
        n = (uint32_t)processors;
#endif
    return n < 1 ? 1 : n < ZTI_MAX_THREADS ? n : ZTI_MAX_THREADS;
}

/* A thread needs at most about 300 KiB of stack, beside what the caller's allocator uses. Some C
 * libraries give a thread only 128 KiB by default, which a codec would overrun. */
enum { STACK_BYTES = 2 << 20 };

/* Attributes with at least STACK_BYTES of stack; NULL: the default. */
static const pthread_attr_t *attributes_in(pthread_attr_t *memory)
{
    size_t stack_bytes;
    if (pthread_attr_init(memory) != 0)
        return NULL;
    if (pthread_attr_getstacksize(memory, &stack_bytes) != 0 || stack_bytes < STACK_BYTES)
        (void)pthread_attr_setstacksize(memory, STACK_BYTES);
    return memory;
}

/* What all threads of a call need. */
struct call {
    void (*task)(void *shared, uint32_t thread);
    void *shared;
    uint32_t threads;
    const pthread_attr_t *attributes;
    struct start {
        struct call *call;
        uint32_t thread;
        pthread_t handle;
        bool is_made;
    } start[ZTI_MAX_THREADS];
};

static void *begin(void *argument);

/* Each thread creates two more before its task, and joins them after it. So the last one begins
 * after a few creations, not after all of them. */
static void run_thread(struct call *call, uint32_t thread)
{
    const uint32_t first = 2 * thread + 1;
    for (uint32_t i = first; i < first + 2 && i < call->threads; i++) {
        struct start *const start = &call->start[i];
        start->call = call;
        start->thread = i;
        start->is_made = pthread_create(&start->handle, call->attributes, begin, start) == 0;
    }
    call->task(call->shared, thread);
    for (uint32_t i = first; i < first + 2 && i < call->threads; i++)
        if (call->start[i].is_made)
            (void)pthread_join(call->start[i].handle, NULL);
}

static void *begin(void *argument)
{
    const struct start *const start = argument;
    run_thread(start->call, start->thread);
    return NULL;
}

void zti_threads_run(uint32_t threads, void (*task)(void *shared, uint32_t thread), void *shared)
{
    struct call call;
    pthread_attr_t memory;
    call.task = task;
    call.shared = shared;
    call.threads = threads < ZTI_MAX_THREADS ? threads : ZTI_MAX_THREADS;
    call.attributes = attributes_in(&memory);
    run_thread(&call, 0);
    if (call.attributes)
        (void)pthread_attr_destroy(&memory);
}
#else
uint32_t zti_threads_wanted(const zt_context *context)
{
    (void)context;
    return 1;
}

void zti_threads_run(uint32_t threads, void (*task)(void *shared, uint32_t thread), void *shared)
{
    (void)threads;
    task(shared, 0);
}
#endif
