/* policy_cases.h: random arrays through the public API under the cuda policy: byte for byte what
 * one thread of the serial policy writes and reads. The same cases run on GPUs and, with kernels
 * compiled for it, on the CPU. */
#ifndef ZTILE_TEST_POLICY_CASES_H
#define ZTILE_TEST_POLICY_CASES_H

#include "support/support.h"

struct policy_run {
    struct rng r;
    zt_context *serial, *cuda; /* the caller's */
    uint64_t seed, number;
    const char *codec; /* "zfp", "ndzip", "sz" or NULL: any; "huffman": huffman_cases.h */
    void (*before)(struct policy_run *run); /* of each case; NULL: nothing */
    unsigned failures;                      /* each was printed */
    unsigned bare_zfp, bare_ndzip, files, huffman;
};

/* Case 'number' of the run with this seed. */
void policy_case(struct policy_run *run, uint64_t number);

#endif
