/* threads.h: threads for the omp policy, and how many of them. */
#ifndef ZTI_THREADS_H
#define ZTI_THREADS_H

#include "core/core.h"

/* Run task(shared, 0 .. threads - 1), each on a thread of its own, 0 on the calling one. Fewer if
 * the system has no more: tasks must not wait for a thread that may not exist, and take what there
 * is to do from 'shared'. */
void zti_threads_run(uint32_t threads, void (*task)(void *shared, uint32_t thread), void *shared);

/* Call part(shared, 0 .. parts - 1), each number once, in any order, on the threads that the
 * context's policy asks for; a part should be worth some 20 microseconds. */
void zti_parts_run(const zt_context *context, uint64_t parts,
                   void (*part)(void *shared, uint64_t number), void *shared);

/* Threads that the context's policy asks for; 1 but under omp. */
uint32_t zti_threads_wanted(const zt_context *context);

#endif
