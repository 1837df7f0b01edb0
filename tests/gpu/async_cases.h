/* async_cases.h: streams of fixed-rate zfp and of ndzip and files of sz, coded without waiting,
 * against the serial policy. The calls of a case are recorded, on a GPU as a CUDA graph, and done
 * afterwards. */
#ifndef ZTILE_TEST_ASYNC_CASES_H
#define ZTILE_TEST_ASYNC_CASES_H

#include "policy_cases.h"

/* A queue of the GPU on which calls are recorded. */
struct gpu_queue {
    void *stream;
    void (*record)(void *stream);
    bool (*play)(void *stream); /* do what was recorded; false: a call waited, or took memory */
};

/* That of the machine: gpu_memory.c, simt_memory.c. */
const struct gpu_queue *gpu_queue(void);

/* Case 'number'; the cuda policy of the run works on this queue's stream. */
void async_case(struct policy_run *run, const struct gpu_queue *queue, uint64_t number);

#endif
