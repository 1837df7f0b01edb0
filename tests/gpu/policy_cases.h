/* policy_cases.h: random arrays through the public API under the cuda policy: byte for byte what
 * one thread of the serial policy writes and reads. The same cases run on GPUs and, with kernels
 * compiled for it, on the CPU. */
#ifndef ZTILE_TEST_POLICY_CASES_H
#define ZTILE_TEST_POLICY_CASES_H

#include "support/support.h"

/* Memory of the GPU: taken, given back, and copied to, from and within. */
struct gpu_memory {
    void *(*take)(size_t bytes);
    void (*give)(void *memory);
    void (*move)(void *to, const void *from, size_t bytes);
};

/* That of the machine: gpu_memory.c, simt_memory.c. */
const struct gpu_memory *gpu_memory(void);

struct policy_run {
    struct rng r;
    zt_context *serial, *cuda; /* the caller's */
    uint64_t seed, number;
    const char *codec; /* "zfp", "ndzip", "sz" or NULL: any; "huffman": huffman_cases.h */
    void (*before)(struct policy_run *run); /* of each case; NULL: nothing */
    const struct gpu_memory *memory; /* where arrays and streams are put by chance; NULL: never */
    unsigned placed;                 /* how many were */
    unsigned failures;               /* each was printed */
    unsigned bare_zfp, bare_ndzip, files, huffman;
    /* Of files without waiting with effort default, by what came of them, those that are the serial
     * policy's byte for byte: Huffman codes, of counts of all tiles or of some; Rice codes. Then
     * files of values as they are; and those whose index has entries for two tiles each, as many as
     * pay. */
    unsigned huffman_files, sampled_files, rice_files, raw_files, fitted_files;
};

/* Where the cuda policy is given n bytes that are at 'here': there, or in the GPU's memory. */
void *policy_place(struct policy_run *run, void *here, size_t n);

/* And back, after the call. */
void policy_fetch(struct policy_run *run, void *there, void *here, size_t n);

/* Case 'number' of the run with this seed. */
void policy_case(struct policy_run *run, uint64_t number);

#endif
