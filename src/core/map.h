/* map.h: parallel map: runs independent items of work on the threads of the context's policy. */
#ifndef ZTI_CORE_MAP_H
#define ZTI_CORE_MAP_H

#include "core/core.h"

/* The most threads that zti_map will use, for allocating memory for each. 1 under the serial
 * policy. */
uint32_t zti_map_workers(const zt_context *context, uint64_t items);

/* Call item(shared, worker, number) for number = 0 .. items - 1, in order if there is one worker;
 * worker is below zti_map_workers. An item should take at least about 20 microseconds. After one
 * that returns false, no more are begun. */
void zti_map(const zt_context *context, uint64_t items,
             bool (*item)(void *shared, uint32_t worker, uint64_t number), void *shared);

/* A context for a thread: serial, with its own error message, and without progress, which only the
 * calling thread reports. */
zt_context zti_context_of_thread(const zt_context *context);

#endif
