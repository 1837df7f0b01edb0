/* threads.h: runs a task on several threads, and tells how many threads the policy wants. */
#ifndef ZTI_THREADS_H
#define ZTI_THREADS_H

#include "core/core.h"

/* Run task(shared, thread) for thread = 0 .. threads - 1, each on a thread of its own; 0 is the
 * calling thread. Fewer run if the system cannot create more, so a task must not wait for another
 * one, and tasks take their work from 'shared'. */
void zti_threads_run(uint32_t threads, void (*task)(void *shared, uint32_t thread), void *shared);

/* Threads of the host that the context's policy wants: one for serial; the same for cuda as for
 * omp. */
uint32_t zti_threads_wanted(const zt_context *context);

#endif
