/* measure.h: what benchmarks of whole arrays have in common: time, medians and memory. */
#ifndef ZTILE_MEASURE_H
#define ZTILE_MEASURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds of a clock. */
static inline double bench_now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int bench_by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of a list, which is sorted. */
static inline double bench_median(double *list, size_t n)
{
    qsort(list, n, sizeof *list, bench_by_size);
    return list[n / 2];
}

/* Memory whose pages are there; the program ends where there is none. */
static inline void *bench_need(size_t bytes)
{
    void *const memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!memory) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    memset(memory, 1, bytes);
    return memory;
}

#endif
