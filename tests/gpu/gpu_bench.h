/* gpu_bench.h: how fast the kernels of the cuda policy are. */
#ifndef ZTILE_TEST_GPU_BENCH_H
#define ZTILE_TEST_GPU_BENCH_H

#include "support/support.h"

/* Print a table for fields of so many bytes, on the context's device. False, with a line, where
 * something failed or did not come back as it was. */
bool gpu_bench(zt_context *cuda, uint64_t bytes);

/* The same of Huffman coding by itself, for so many bytes of symbols. copy_rate: bytes that a copy
 * within the device's memory reads and writes in a second. */
bool huffman_bench(zt_context *cuda, uint64_t bytes, double copy_rate);

#endif
