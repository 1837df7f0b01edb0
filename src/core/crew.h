/* crew.h: a crew: threads that wait while one of them, the leader, runs, and join it for each
 * parallel step. For work that alternates between steps in parallel and short ones that are not:
 * threads are made once for all of them. */
#ifndef ZTI_CORE_CREW_H
#define ZTI_CORE_CREW_H

#include "core/core.h"

struct zti_crew;

/* Run lead(shared, crew) on the calling thread, with threads - 1 others in the crew; with one
 * thread the crew is NULL. */
void zti_crew_run(uint32_t threads, void (*lead)(void *shared, struct zti_crew *crew),
                  void *shared);

/* For the leader: call item(shared, worker, number) for number = 0 .. items - 1, on the crew's
 * threads, in order if the crew is NULL; return when all are done. worker is below the crew's
 * threads, and the leader's is 0. */
void zti_crew_map(struct zti_crew *crew, uint64_t items,
                  void (*item)(void *shared, uint32_t worker, uint64_t number), void *shared);

#endif
