/* race.h: what the runtime tells the checker of races (race.c). Without SIMT_RACES: nothing. */
#ifndef SIMT_RACE_H
#define SIMT_RACE_H

#include <stddef.h>
#include <stdint.h>

enum { SIMT_MOST_WARPS = 32 };

/* When threads of a block in flight were last ordered, all of them or those of one warp: numbers
 * that only grow, also from one launch to the next. */
struct simt_order {
    uint32_t block, number; /* of the block: no two ever have the same */
    uint32_t warp[SIMT_MOST_WARPS];
    const void *shared; /* its shared memory, for messages */
    unsigned index;     /* blockIdx */
};

/* What is the running thread's own: nobody else reaches it, or it is the runtime's. */
struct simt_own {
    const void *stack, *fiber;
    size_t stack_bytes, fiber_bytes;
};

#if defined(SIMT_RACES)
void simt_race_kernel(const char *name);
void simt_race_begin(struct simt_order *order, const void *shared, unsigned index);
void simt_race_order_block(struct simt_order *order);
void simt_race_order_warp(struct simt_order *order, unsigned warp);

/* Who runs from here on; order is NULL: the host. */
void simt_race_runs(struct simt_order *order, unsigned thread, const struct simt_own *own);

/* The running thread is about to copy, as the compiler says of other accesses. */
void simt_race_copy(void *to, const void *from, size_t bytes, const void *place);
#else
#define simt_race_kernel(name)                ((void)0)
#define simt_race_begin(order, shared, index) ((void)0)
#define simt_race_order_block(order)          ((void)0)
#define simt_race_order_warp(order, warp)     ((void)0)
#define simt_race_runs(order, thread, own)    ((void)0)
#define simt_race_copy(to, from, n, place)    ((void)0)
#endif

#endif
