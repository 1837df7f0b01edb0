/* threads.h: threads for the policies, and how many of them. */
#ifndef ZTI_THREADS_H
#define ZTI_THREADS_H

#include "core/core.h"

/* Run task(shared, 0 .. threads - 1), each on a thread of its own, 0 on the calling one. Fewer if
 * the system has no more: tasks must not wait for a thread that may not exist, and take what there
 * is to do from 'shared'. */
void zti_threads_run(uint32_t threads, void (*task)(void *shared, uint32_t thread), void *shared);

/* Threads of the host that the context's policy asks for: one for serial; omp's for cuda, too. */
uint32_t zti_threads_wanted(const zt_context *context);

#endif
