/* gpu_bench.h: how fast the kernels of the cuda policy are. */
#ifndef ZTILE_TEST_GPU_BENCH_H
#define ZTILE_TEST_GPU_BENCH_H

#include "support/support.h"

/* What to measure. */
struct gpu_bench_options {
    uint64_t bytes;   /* of a field */
    const char *only; /* rows that have this in their name, type and rank; NULL: all */
    bool is_kernels;  /* kernels alone, not from and to the host */
    bool is_once;     /* each kernel once, as profilers want it */
};

/* Print a table, on the context's device. False, with a line, where something failed or did not
 * come back as it was. */
bool gpu_bench(zt_context *cuda, const struct gpu_bench_options *options);

/* The same of Huffman coding by itself, for so many bytes of symbols. copy_rate: bytes that a copy
 * within the device's memory reads and writes in a second. */
bool huffman_bench(zt_context *cuda, uint64_t bytes, double copy_rate);

#endif
