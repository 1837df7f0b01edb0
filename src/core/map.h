/* map.h: work in independent items, on the threads of the context's policy. */
#ifndef ZTI_CORE_MAP_H
#define ZTI_CORE_MAP_H

#include "core/core.h"

/* Threads that zti_map works on: for what each has to itself. 1 under the serial policy. */
uint32_t zti_map_workers(const zt_context *context, uint64_t items);

/* Call item(shared, worker, 0 .. items - 1), each number once, in order where there is one worker;
 * worker is below zti_map_workers. An item should be worth some 20 microseconds. After one that
 * returns false no more are begun. */
void zti_map(const zt_context *context, uint64_t items,
             bool (*item)(void *shared, uint32_t worker, uint64_t number), void *shared);

#endif
