/* study.h: the index study of ztile bench: what is measured, and what is said about it. After
 * Noordsij et al., "Parallelization of Variable Rate Decompression through Metadata", PDP 2020,
 * section V: fixed precision, chunk sizes that are powers of 2, means over the precisions. Sizes
 * are of the index in a .zt file; times are of bare streams with their index, values to values in
 * memory, on a GPU in its memory, with the index expanded, without checksums. */
#ifndef ZTI_BENCH_STUDY_H
#define ZTI_BENCH_STUDY_H

#include "util/options.h"
#include "util/progress.h"
#include "util/table.h"

enum {
    STUDY_CHUNKS = 24,     /* C = 2^0 .. 2^23 tiles a chunk; */
    STUDY_CHUNKS_CUDA = 5, /* 2^0 .. 2^4 on a GPU */
    STUDY_PRECISIONS = 5,  /* 8, 12 .. 24 bit planes */
    STUDY_LAYOUTS = 4,     /* offsets, lengths, hybrid, compact */
    STUDY_SPEEDUP_AT = 12, /* speed-up is measured at C = 2^12 = 4096 */
    STUDY_PARTITION = 32,  /* chunks a partition of the hybrid layout */
    STUDY_COUNTS = 24,     /* thread counts at most */
    STUDY_FILES = TABLE_ROWS - 2
};

extern const uint32_t study_layout[STUDY_LAYOUTS];
uint32_t study_precision(int i);

/* An array and what came of it. */
struct study_file {
    char *place;
    uint32_t type;
    uint32_t rank;
    uint64_t shape[ZT_MAX_RANK];
    uint64_t raw_bytes;
    uint64_t tiles;
    void *values;
    int chunks; /* so many chunk sizes are no larger than the array */
    uint64_t stream_bytes[STUDY_PRECISIONS];
    uint64_t index_bytes[STUDY_PRECISIONS][STUDY_CHUNKS][STUDY_LAYOUTS];
    double seconds[STUDY_PRECISIONS][STUDY_CHUNKS][STUDY_LAYOUTS]; /* to decode on all threads, with
                                                                      layouts that are timed */
    double seconds_on[STUDY_PRECISIONS][STUDY_COUNTS];             /* at C = 4096, with offsets */
};

struct study {
    const struct options *options;
    zt_context *context;
    struct study_file file[STUDY_FILES];
    int files;
    int sizes;                      /* of chunks: so many */
    int timed[STUDY_LAYOUTS];       /* which of study_layout are also timed: offsets and compact, */
    int timed_count;                /* or on a GPU all */
    uint32_t threads[STUDY_COUNTS]; /* 1, 2, ... all; on a GPU 1 */
    int counts;
    struct progress progress;
};

/* ---- study.c: measuring ---------------------------------------------------------------------- */

/* Choose what is measured, by where the context runs. */
void study_choose(struct study *study);
bool study_is_on_gpu(const struct study *study);

/* Tiles of chunk size number i. */
uint32_t study_chunk(const struct study *study, int i);

/* Fill in what came of each file, whose values are in memory. */
bool study_measure(struct study *study, struct ztio_error *error);

/* Of one file: raw over stream bytes, harmonic mean over the precisions. */
double study_ratio(const struct study_file *file);

/* Of one file: index bits over stream bits, of a chunk size and layout; NaN where the array is
 * smaller than a chunk. */
double study_overhead(const struct study_file *file, int chunk, int layout);

/* The same by the paper's formula (table I), of offsets, lengths or hybrid: of the stream of mean
 * length, chunk lengths with room for tiles as they were. */
double study_formula(const struct study_file *file, int chunk, int layout, uint64_t chunk_tiles);

/* Of one file: its ratio with the index counted, R / (1 + f). NaN likewise. */
double study_effective(const struct study_file *file, int chunk, int layout);

/* Of one file: seconds to decode on threads[count] with offsets at C = 4096, mean over the
 * precisions. NaN likewise. */
double study_seconds_on(const struct study_file *file, int count);

/* Of one file: raw GB/s of decoding on all threads; mean of the times. NaN likewise. */
double study_speed(const struct study_file *file, int chunk, int layout);

/* Of one file: raw GB/s of decoding on one thread, with offsets at C = 4096. NaN likewise. */
double study_speed_alone(const struct study_file *file);

/* Of one file: time on one thread over time on threads[count]. NaN likewise. */
double study_speedup(const struct study_file *file, int count);

/* Over the files that have the chunk size: harmonic means of ratio, speed and speed-up; the
 * overhead is that of the mean ratio, so that the harmonic mean of the effective ratios is
 * ratio / (1 + overhead). NaN where there is no file. */
struct study_mean {
    int files;
    double ratio;
    double overhead[STUDY_LAYOUTS];
    double speed[STUDY_LAYOUTS]; /* NaN where it is not timed */
};

struct study_mean study_mean_of(const struct study *study, int chunk);
double study_mean_speedup(const struct study *study, int count);

/* ---- study_report.c: tables, JSON and CSV; study_plot.c: pictures --------------------------- */

void study_print(const struct study *study);
void study_print_model(const struct study *study, struct table *table); /* study_model.c */
void study_print_json(const struct study *study);

/* Into the directory of -o, which exists. */
bool study_save_csv(const struct study *study, struct ztio_error *error);
bool study_save_plots(const struct study *study, struct ztio_error *error);

/* The last part of a place. */
const char *study_name(const struct study_file *file);

#endif
