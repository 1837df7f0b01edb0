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

struct start {
    void (*task)(void *shared, uint32_t thread);
    void *shared;
    uint32_t thread;
    pthread_t handle;
};

static void *begin(void *argument)
{
    const struct start *start = argument;
    start->task(start->shared, start->thread);
    return NULL;
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

void zti_threads_run(uint32_t threads, void (*task)(void *shared, uint32_t thread), void *shared)
{
    struct start starts[ZTI_MAX_THREADS];
    pthread_attr_t memory;
    const pthread_attr_t *const attributes = attributes_in(&memory);
    uint32_t made = 1;
    for (; made < threads && made < ZTI_MAX_THREADS; made++) {
        starts[made] = (struct start){.task = task, .shared = shared, .thread = made};
        if (pthread_create(&starts[made].handle, attributes, begin, &starts[made]) != 0)
            break;
    }
    if (attributes)
        (void)pthread_attr_destroy(&memory);
    task(shared, 0);
    while (--made > 0)
        (void)pthread_join(starts[made].handle, NULL);
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
