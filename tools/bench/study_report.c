/* study_report.c: the index study as tables, JSON and CSV. */
#include "bench/study.h"
#include "store/bytes.h"
#include "util/errors.h"
#include "util/json.h"
#include "util/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *study_name(const struct study_file *f)
{
    const char *slash = strrchr(f->place, '/');
    return slash && slash[1] ? slash + 1 : input_name(f->place);
}

/* Where there is no number. */
static void cell(struct table *t, const char *format, double value)
{
    char text[CLI_TEXT_BYTES];
    (void)snprintf(text, sizeof text, format, value);
    table_cell(t, "%s", isfinite(value) ? text : "-");
}

static void head(struct table *t, const char *const *names, size_t n)
{
    memset(t, 0, sizeof *t);
    table_row(t);
    for (size_t i = 0; i < n; i++)
        table_cell(t, "%s", names[i]);
}

#define HEAD(t, ...)                                                                               \
    head(t, (const char *const[]){__VA_ARGS__},                                                    \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void print_files(const struct study *s, struct table *t)
{
    char shape[CLI_TEXT_BYTES];
    HEAD(t, "file", "type", "shape", "MB", "tiles", "bits", "ratio");
    for (int i = 0; i < s->files; i++) {
        const struct study_file *f = &s->file[i];
        table_row(t);
        table_cell(t, "%s", study_name(f));
        table_cell(t, "%s", ztio_name_of_type(f->type));
        table_cell(t, "%s", ztio_format_shape(f->rank, f->shape, shape));
        table_cell(t, "%.2f", (double)f->raw_bytes / 1e6);
        table_cell(t, "%" PRIu64, f->tiles);
        table_cell(t, "%.2f", (f->type == ZT_F64 || f->type == ZT_I64 ? 64 : 32) / study_ratio(f));
        table_cell(t, "%.2f", study_ratio(f));
    }
    (void)printf("zfp, fixed precision 8 to 24; shapes slowest first; bits a value\n\n");
    table_print(t, stdout, 0x78);
}

static void print_overhead_at(const struct study *s, struct table *t, int chunk)
{
    HEAD(t, "file", "offsets", "lengths", "hybrid", "compact");
    for (int i = 0; i < s->files; i++) {
        table_row(t);
        table_cell(t, "%s", study_name(&s->file[i]));
        for (int k = 0; k < STUDY_LAYOUTS; k++)
            cell(t, "%.2g", study_overhead(&s->file[i], chunk, k));
    }
    (void)printf("\noverhead f, index bits over stream bits, at C = %" PRIu32 "\n\n",
                 study_chunk(s, chunk));
    table_print(t, stdout, 0x1e);
}

/* Table I of the paper: f by its formulas beside f measured. */
static void print_formulas(const struct study *s, struct table *t, int chunk)
{
    HEAD(t, "file", "offsets", "formula", "lengths", "formula", "hybrid", "formula");
    for (int i = 0; i < s->files; i++) {
        table_row(t);
        table_cell(t, "%s", study_name(&s->file[i]));
        for (int k = 0; k < 3; k++) {
            cell(t, "%.2g", study_overhead(&s->file[i], chunk, k));
            cell(t, "%.2g", study_formula(&s->file[i], chunk, k, study_chunk(s, chunk)));
        }
    }
    (void)printf("\noverhead f at C = %" PRIu32
                 " beside the least that each layout can take by the "
                 "paper's formulas\n\n",
                 study_chunk(s, chunk));
    table_print(t, stdout, 0x7e);
}

static void print_effective(const struct study *s, struct table *t, int chunk)
{
    HEAD(t, "file", "ratio", "offsets", "lengths", "hybrid", "compact");
    for (int i = 0; i < s->files; i++) {
        table_row(t);
        table_cell(t, "%s", study_name(&s->file[i]));
        cell(t, "%.2f", study_ratio(&s->file[i]));
        for (int k = 0; k < STUDY_LAYOUTS; k++)
            cell(t, "%.2f", study_effective(&s->file[i], chunk, k));
    }
    (void)printf("\neffective ratio R_e, the index counted, at C = %" PRIu32 "\n\n",
                 study_chunk(s, chunk));
    table_print(t, stdout, 0x3e);
}

/* Columns of overhead, then of speed. */
static void head_of_chunks(const struct study *s, struct table *t)
{
    HEAD(t, "C", "files", "offsets", "lengths", "hybrid", "compact");
    for (int k = 0; k < s->timed_count; k++)
        table_cell(t, "%s GB/s", name_of_index(study_layout[s->timed[k]]));
}

static void print_chunks(const struct study *s, struct table *t)
{
    head_of_chunks(s, t);
    for (int i = 0; i < s->sizes; i++) {
        const struct study_mean m = study_mean_of(s, i);
        if (!m.files)
            break;
        table_row(t);
        table_cell(t, "%" PRIu32, study_chunk(s, i));
        table_cell(t, "%d", m.files);
        for (int k = 0; k < STUDY_LAYOUTS; k++)
            cell(t, "%.2g", m.overhead[k]);
        for (int k = 0; k < s->timed_count; k++)
            cell(t, "%.3f", m.speed[s->timed[k]]);
    }
    if (study_is_on_gpu(s))
        (void)printf("\nof the files that have C tiles: overhead f, and decoding on the GPU\n\n");
    else
        (void)printf("\nof the files that have C tiles: overhead f, and decoding on %" PRIu32
                     " threads\n\n",
                     s->threads[s->counts - 1]);
    table_print(t, stdout, 0x3ff);
}

/* Figure 7 of the paper: each file's speed against C. */
static void print_gpu_speeds(const struct study *s, struct table *t)
{
    static const char *const names[] = {"file", "C = 1", "C = 2", "C = 4", "C = 8", "C = 16"};
    head(t, names, 1 + (size_t)s->sizes);
    for (int i = 0; i < s->files; i++) {
        table_row(t);
        table_cell(t, "%s", study_name(&s->file[i]));
        for (int k = 0; k < s->sizes; k++)
            cell(t, "%.3f", study_speed(&s->file[i], k, 0));
    }
    (void)printf("\ndecoding on the GPU with offsets, GB/s, from and to the host's memory\n\n");
    table_print(t, stdout, 0x3e);
}

static void print_speedup(const struct study *s, struct table *t)
{
    const uint64_t c = study_chunk(s, STUDY_SPEEDUP_AT);
    HEAD(t, "file", "chunks", "1 thread GB/s", "all GB/s", "speed-up");
    for (int i = 0; i < s->files; i++) {
        const struct study_file *f = &s->file[i];
        const double up = study_speedup(f, s->counts - 1), slow = study_speed_alone(f);
        table_row(t);
        table_cell(t, "%s", study_name(f));
        table_cell(t, "%" PRIu64, f->tiles / c + (f->tiles % c != 0));
        cell(t, "%.3f", slow);
        cell(t, "%.3f", slow * up);
        cell(t, "%.2f", up);
    }
    (void)printf("\ndecoding with offsets at C = %" PRIu64 "; all: %" PRIu32 " threads\n\n", c,
                 s->threads[s->counts - 1]);
    table_print(t, stdout, 0x1e);
    HEAD(t, "threads", "speed-up", "a thread");
    for (int i = 0; i < s->counts; i++) {
        const double up = study_mean_speedup(s, i);
        table_row(t);
        table_cell(t, "%" PRIu32, s->threads[i]);
        cell(t, "%.2f", up);
        cell(t, "%.0f %%", 100 * up / s->threads[i]);
    }
    (void)printf("\nharmonic mean of the files with that many tiles\n\n");
    table_print(t, stdout, 0x7);
}

void study_print(const struct study *s)
{
    struct table *t = malloc(sizeof *t);
    if (!t)
        return;
    print_files(s, t);
    print_overhead_at(s, t, 0);
    print_formulas(s, t, 0);
    print_effective(s, t, 0);
    if (study_is_on_gpu(s)) {
        print_gpu_speeds(s, t);
        print_chunks(s, t);
    } else {
        print_overhead_at(s, t, STUDY_SPEEDUP_AT);
        print_formulas(s, t, STUDY_SPEEDUP_AT);
        print_effective(s, t, STUDY_SPEEDUP_AT);
        print_chunks(s, t);
        print_speedup(s, t);
        study_print_model(s, t);
    }
    free(t);
}

static double gb_per_s(const struct study_file *f, double seconds)
{
    return (double)f->raw_bytes / 1e9 / seconds;
}

static void json_sizes(struct json *j, const struct study *s, const struct study_file *f,
                       int precision)
{
    json_list(j, "chunks");
    for (int i = 0; i < f->chunks; i++) {
        json_object(j, NULL);
        json_count(j, "chunk", study_chunk(s, i));
        json_object(j, "index_bytes");
        for (int k = 0; k < STUDY_LAYOUTS; k++)
            json_count(j, name_of_index(study_layout[k]), f->index_bytes[precision][i][k]);
        json_close(j);
        json_object(j, "gb_per_s");
        for (int k = 0; k < s->timed_count; k++)
            json_number(j, name_of_index(study_layout[s->timed[k]]),
                        gb_per_s(f, f->seconds[precision][i][s->timed[k]]));
        json_close(j);
        json_close(j);
    }
    json_close_list(j);
}

static void json_file(struct json *j, const struct study *s, const struct study_file *f)
{
    json_object(j, NULL);
    json_text(j, "file", f->place);
    json_text(j, "type", ztio_name_of_type(f->type));
    json_shape(j, "shape", f->rank, f->shape);
    json_count(j, "raw_bytes", f->raw_bytes);
    json_count(j, "tiles", f->tiles);
    json_number(j, "ratio", study_ratio(f));
    json_list(j, "precisions");
    for (int i = 0; i < STUDY_PRECISIONS; i++) {
        json_object(j, NULL);
        json_count(j, "precision", study_precision(i));
        json_count(j, "stream_bytes", f->stream_bytes[i]);
        json_sizes(j, s, f, i);
        json_close(j);
    }
    json_close_list(j);
    json_list(j, "effective_ratios");
    for (int i = 0; i < f->chunks; i++) {
        json_object(j, NULL);
        json_count(j, "chunk", study_chunk(s, i));
        for (int k = 0; k < STUDY_LAYOUTS; k++)
            json_number(j, name_of_index(study_layout[k]), study_effective(f, i, k));
        json_close(j);
    }
    json_close_list(j);
    json_list(j, "speedup");
    for (int i = 0; f->chunks > STUDY_SPEEDUP_AT && i < s->counts; i++)
        json_number(j, NULL, study_speedup(f, i));
    json_close_list(j);
    json_close(j);
}

static void json_means(struct json *j, const struct study *s)
{
    json_list(j, "means");
    for (int i = 0; i < s->sizes; i++) {
        const struct study_mean m = study_mean_of(s, i);
        if (!m.files)
            break;
        json_object(j, NULL);
        json_count(j, "chunk", study_chunk(s, i));
        json_count(j, "files", (uint64_t)m.files);
        json_number(j, "ratio", m.ratio);
        json_object(j, "overhead");
        for (int k = 0; k < STUDY_LAYOUTS; k++)
            json_number(j, name_of_index(study_layout[k]), m.overhead[k]);
        json_close(j);
        json_object(j, "gb_per_s");
        for (int k = 0; k < s->timed_count; k++)
            json_number(j, name_of_index(study_layout[s->timed[k]]), m.speed[s->timed[k]]);
        json_close(j);
        json_close(j);
    }
    json_close_list(j);
    json_list(j, "mean_speedup");
    for (int i = 0; i < s->counts; i++)
        json_number(j, NULL, study_mean_speedup(s, i));
    json_close_list(j);
}

void study_print_json(const struct study *s)
{
    struct json j;
    json_begin(&j, stdout);
    json_list(&j, "threads");
    for (int i = 0; i < s->counts; i++)
        json_count(&j, NULL, s->threads[i]);
    json_close_list(&j);
    json_list(&j, "files");
    for (int i = 0; i < s->files; i++)
        json_file(&j, s, &s->file[i]);
    json_close_list(&j);
    json_means(&j, s);
    json_end(&j);
}

/* A CSV file being written. */
struct csv {
    struct ztio_bytes *bytes;
    bool failed;
    struct ztio_error *error;
};

static bool csv_open(struct csv *c, const struct study *s, const char *name,
                     struct ztio_error *error)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", s->options->out, name);
    const struct ztio_creation how = creation_of(s->options);
    *c = (struct csv){.bytes = ztio_bytes_create(path, &how, error), .error = error};
    c->failed = !c->bytes;
    return !c->failed;
}

static void CLI_PRINTF(2, 3) csv_add(struct csv *c, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!c->failed && n > 0)
        c->failed = !ztio_bytes_write(c->bytes, text, strlen(text), c->error);
}

/* The first cell of a row, in quotes, of which those in the name are doubled. */
static void csv_name(struct csv *c, const struct study_file *f)
{
    csv_add(c, "\"");
    for (const char *p = study_name(f); *p; p++)
        csv_add(c, "%s%c", *p == '"' ? "\"" : "", *p);
    csv_add(c, "\"");
}

static bool csv_close(struct csv *c)
{
    if (!c->failed)
        return ztio_bytes_commit(c->bytes, c->error);
    ztio_bytes_abandon(c->bytes);
    return false;
}

static void add_overhead(struct csv *c, const struct study *s, const struct study_file *f,
                         int precision, int chunk)
{
    const uint64_t stream = f->stream_bytes[precision];
    for (int k = 0; k < STUDY_LAYOUTS; k++) {
        const uint64_t index = f->index_bytes[precision][chunk][k];
        csv_name(c, f);
        csv_add(c, ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%s,%" PRIu64 ",%" PRIu64 ",%.6g\n",
                f->tiles, study_precision(precision), study_chunk(s, chunk),
                name_of_index(study_layout[k]), stream, index, (double)index / (double)stream);
    }
}

static void add_throughput(struct csv *c, const struct study *s, const struct study_file *f,
                           int precision, int chunk)
{
    const uint32_t threads = s->threads[s->counts - 1];

    for (int k = 0; k < s->timed_count; k++) {
        const double seconds = f->seconds[precision][chunk][s->timed[k]];
        csv_name(c, f);
        csv_add(c, ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%s,%" PRIu32 ",%.6g,%.4g\n", f->raw_bytes,
                study_precision(precision), study_chunk(s, chunk),
                name_of_index(study_layout[s->timed[k]]), threads, seconds, gb_per_s(f, seconds));
    }
}

static void add_speedup(struct csv *c, const struct study *s, const struct study_file *f,
                        int precision)
{
    for (int i = 0; f->chunks > STUDY_SPEEDUP_AT && i < s->counts; i++) {
        csv_name(c, f);
        csv_add(c, ",%" PRIu32 ",%" PRIu32 ",%.6g,%.4g\n", study_precision(precision),
                s->threads[i], f->seconds_on[precision][i],
                f->seconds_on[precision][0] / f->seconds_on[precision][i]);
    }
}

bool study_save_csv(const struct study *s, struct ztio_error *error)
{
    struct csv overhead, throughput, speedup;
    if (!csv_open(&overhead, s, "index-overhead.csv", error))
        return false;
    csv_add(&overhead, "file,tiles,precision,chunk,layout,stream_bytes,index_bytes,overhead\n");
    for (int i = 0; i < s->files; i++)
        for (int j = 0; j < STUDY_PRECISIONS; j++)
            for (int k = 0; k < s->file[i].chunks; k++)
                add_overhead(&overhead, s, &s->file[i], j, k);
    if (!csv_close(&overhead) || !csv_open(&throughput, s, "index-throughput.csv", error))
        return false;
    csv_add(&throughput, "file,raw_bytes,precision,chunk,layout,threads,seconds,gb_per_s\n");
    for (int i = 0; i < s->files; i++)
        for (int j = 0; j < STUDY_PRECISIONS; j++)
            for (int k = 0; k < s->file[i].chunks; k++)
                add_throughput(&throughput, s, &s->file[i], j, k);
    if (!csv_close(&throughput))
        return false;
    if (study_is_on_gpu(s)) /* which has no threads to choose */
        return true;
    if (!csv_open(&speedup, s, "index-speedup.csv", error))
        return false;
    csv_add(&speedup, "file,precision,threads,seconds,speedup\n");
    for (int i = 0; i < s->files; i++)
        for (int j = 0; j < STUDY_PRECISIONS; j++)
            add_speedup(&speedup, s, &s->file[i], j);
    return csv_close(&speedup);
}
