/* bench.h: what the parts of ztile_bench share. */
#ifndef ZTILE_BENCH_H
#define ZTILE_BENCH_H

#include "ztile.h"

#include <stdbool.h>
#include <stdio.h>

enum bench_mode { BENCH_RATE, BENCH_PRECISION, BENCH_ACCURACY, BENCH_REVERSIBLE };

/* One row: an array and what is asked of both codecs. */
struct bench_case {
    uint32_t type;
    uint32_t rank;
    uint64_t shape[ZT_MAX_RANK]; /* slowest first */
    const void *data;
    uint64_t raw_bytes;
    enum bench_mode mode;
    double value; /* bits per value, planes, or absolute tolerance */
    char source[64];
};

enum { BENCH_MOST_PAIRS = 99 };

/* What is timed: compressing, decompressing the plain stream, and with the default index. */
enum bench_way { BENCH_COMPRESS, BENCH_DECOMPRESS, BENCH_INDEXED, BENCH_WAYS };

/* One direction of one row: seconds of each of the alternated runs, ztile's and libzfp's. */
struct bench_times {
    uint32_t pairs;
    double ztile[BENCH_MOST_PAIRS];
    double libzfp[BENCH_MOST_PAIRS];
};

struct bench_result {
    struct bench_case c;
    uint64_t stream_bytes;
    double max_error; /* of ztile's output; libzfp's is the same, which is verified */
    struct bench_times times[BENCH_WAYS];
};

struct bench_options {
    uint32_t pairs;      /* alternated runs of each */
    bool use_wall_clock; /* instead of the process's CPU time */
    uint32_t isa;        /* zt_isa: the most that ztile may use */
};

/* Run a row. Both streams and both outputs are compared: numbers of codecs that do different
 * things are not printed. False, with a sentence on standard error, if they differ. */
bool bench_run(const struct bench_options *options, const struct bench_case *c,
               struct bench_result *result);

/* "rate 8" and so on; the text is overwritten by the next call. */
const char *bench_mode_text(const struct bench_case *c);

struct bench_summary {
    double fastest_ztile, fastest_libzfp; /* seconds */
    double median_ztile, median_libzfp;
    double spread_ztile, spread_libzfp; /* (slowest - fastest) / fastest */
    double speedup;                     /* median of libzfp / ztile over the pairs */
    double speedup_low, speedup_high;   /* of the pairs */
};

struct bench_summary bench_summarize(const struct bench_times *times);

void bench_table_head(FILE *out);
void bench_table_row(FILE *out, const struct bench_result *r);
bool bench_write_csv(const char *path, const struct bench_result *r, size_t n);
bool bench_write_json(const char *path, const struct bench_options *options,
                      const struct bench_result *r, size_t n);
void bench_closing_lines(FILE *out, const struct bench_result *r, size_t n);

#endif
