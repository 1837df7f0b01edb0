/* rates.h: ztile bench FILE...: codecs x bounds x policies over arrays: what is measured, and the
 * tables, charts and report made of it. */
#ifndef ZTI_BENCH_RATES_H
#define ZTI_BENCH_RATES_H

#include "bench/coders.h"
#include "bench/files.h"
#include "draw/chart.h"
#include "util/progress.h"

enum {
    RATES_FILES = 38,
    RATES_NAME_BYTES = 24, /* of a codec */
    RATES_CODECS = 16,     /* that charts show */
    RATES_POINTS = 8       /* rates of codecs that have no bounds */
};

/* One codec at one bound on one file with some threads. */
struct rate {
    int file;
    char codec[RATES_NAME_BYTES];
    bool is_peer;
    uint32_t threads; /* 1: serial */
    zt_bound bound;
    double tolerance; /* absolute; NaN: none was promised */
    uint64_t bytes;
    double max_error;
    double psnr; /* dB; infinite without error */
    double encode_seconds;
    double decode_seconds; /* NaN: the codec cannot with so many threads */
};

struct rates {
    const struct options *options;
    zt_context *serial, *parallel; /* parallel: NULL where only one thread is asked for */
    uint32_t threads;              /* of parallel */
    struct subject file[RATES_FILES];
    int files;
    zt_bound bound[BENCH_BOUNDS];
    int bounds;
    struct rate *row;
    size_t rows, room;
    struct progress progress;
};

/* ---- rates_run.c ------------------------------------------------------------------------------
 */

/* ztile bench: over the arrays of the options. */
bool run_bench_rates(const struct options *options, struct ztio_error *error);

/* ---- rates.c: measuring -------------------------------------------------------------------- */

bool rates_measure(struct rates *rates, struct ztio_error *error);

/* Add the rows of a file that another program made, such as python -m ztile.bench; see below. */
bool rates_read(struct rates *rates, const char *path, struct ztio_error *error);

double rate_ratio(const struct rates *rates, const struct rate *row);
double rate_bits(const struct rates *rates, const struct rate *row); /* a value */

/* Compress and decompress with one of ztile's codecs; *n is the coded bytes. */
bool rates_round_trip(struct rates *rates, const struct subject *subject, uint32_t codec,
                      zt_bound bound, void *decoded, uint64_t *n, struct ztio_error *error);

/* ---- rates_mean.c: over the files ------------------------------------------------------------ */

/* Of the files that have the codec at the bound: harmonic mean of ratios, raw bytes over time. */
struct rate_mean {
    int files;
    double ratio;
    double encode_speed, decode_speed; /* raw bytes a second */
};

struct rate_mean rates_mean(const struct rates *rates, const char *codec, uint32_t threads,
                            const zt_bound *bound);

/* The codecs that have rows, ztile's first; returns how many. */
int rates_codecs(const struct rates *rates, const struct rate **first /* RATES_CODECS */);

/* ---- rates_report.c: tables, JSON, rows as text ---------------------------------------------- */

void rates_print(const struct rates *rates);
void rates_print_json(const struct rates *rates, FILE *file);

/* Rows as text, one a line, tabs between:
 *     file codec threads bound value bytes max_error psnr encode_seconds decode_seconds
 * file is the last part of a place; bound is abs, rel, precision or lossless. rates_read reads
 * it. */
void rates_add_rows(const struct rates *rates, struct text *text);

/* The last part of a place. */
const char *rates_name(const struct subject *subject);

/* ---- rates_plot.c: charts; rates_html.c: the report ------------------------------------------ */

enum { RATES_CHARTS = 3 }; /* over all files; the rate-distortion charts are one a file */

void rates_chart(const struct rates *rates, int which, struct chart *chart);
void rates_distortion(const struct rates *rates, int file, struct chart *chart);
const char *rates_chart_name(int which);

/* Letters and digits of a file's name, for names of files made of it. */
char *rates_slug(const struct rates *rates, int file, char *slug /* CLI_TEXT_BYTES */);

/* Everything into the directory of -o, which exists. */
bool rates_save(struct rates *rates, struct ztio_error *error);

/* report.html, of what rates_save has written before: it holds the pictures. */
bool rates_save_html(struct rates *rates, struct ztio_error *error);

#endif
