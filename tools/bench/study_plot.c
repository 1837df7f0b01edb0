/* study_plot.c: the index study as charts: a line a file, with its name at its end, and the means.
 */
#include "bench/study.h"
#include "draw/chart.h"
#include "util/errors.h"
#include "util/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int colors[STUDY_LAYOUTS] = {PAINT_SERIES, PAINT_SERIES + 2, PAINT_SERIES + 5,
                                          PAINT_SERIES + 1};

/* The line of a file: its name, and a colour and marker that no other of the first 40 has. */
static struct series *add_file(const struct study *s, struct chart *c, int file)
{
    char name[48];
    (void)snprintf(name, sizeof name, "%.40s", study_name(&s->file[file]));
    struct series *line = chart_add(c, name, PAINT_SERIES + file % PAINTS_OF_SERIES, 1.2);
    line->marker = (enum marker)(MARKER_DISC + file / PAINTS_OF_SERIES % (MARKERS - 1));
    return line;
}

/* A mean over the files. */
static struct series *add_mean(struct chart *c, const char *name, int paint)
{
    struct series *line = chart_add(c, name, paint, 2.6);
    line->marker = MARKER_NONE;
    return line;
}

static bool save(const struct study *s, const struct chart *c, const char *name,
                 struct ztio_error *error)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", s->options->out, name);
    return chart_save(c, path, s->options, error);
}

/* An empty chart over the chunk sizes that any file has. */
static void over_chunks(const struct study *s, struct chart *c, const char *title,
                        const char *y_axis)
{
    memset(c, 0, sizeof *c);
    (void)snprintf(c->title, sizeof c->title, "%s", title);
    c->x_axis = "C, tiles a chunk; thin: a file, with offsets";
    c->is_labelled = true;
    c->y_axis = y_axis;
    for (int i = 0; i < s->files; i++)
        c->points = s->file[i].chunks > c->points ? s->file[i].chunks : c->points;
    for (int i = 0; i < c->points; i += 2) { /* every other one has room */
        const uint32_t tiles = study_chunk(s, i), kilo = tiles >> 10, mega = tiles >> 20;
        (void)snprintf(c->label[i], sizeof c->label[i], "%" PRIu32 "%s",
                       mega   ? mega
                       : kilo ? kilo
                              : tiles,
                       mega   ? "Mi"
                       : kilo ? "Ki"
                              : "");
    }
}

static bool save_overhead(const struct study *s, struct chart *c, struct ztio_error *error)
{
    over_chunks(s, c, "Index overhead, zfp at precision 8 to 24", "f, index bits over stream bits");
    c->is_log = true;
    for (int i = 0; i < s->files; i++) {
        struct series *line = add_file(s, c, i);
        for (int j = 0; j < c->points; j++)
            line->value[j] = study_overhead(&s->file[i], j, 0);
    }
    for (int k = 0; k < STUDY_LAYOUTS; k++) {
        struct series *line = add_mean(c, name_of_index(study_layout[k]), colors[k]);
        for (int j = 0; j < c->points; j++)
            line->value[j] = study_mean_of(s, j).overhead[k];
    }
    return save(s, c, "index-overhead.png", error);
}

static bool save_throughput(const struct study *s, struct chart *c, struct ztio_error *error)
{
    char title[96];
    const uint32_t threads = s->threads[s->counts - 1];
    if (study_is_on_gpu(s))
        (void)snprintf(title, sizeof title, "Decoding on a GPU, zfp at precision 8 to 24");
    else
        (void)snprintf(title, sizeof title,
                       "Decoding, %" PRIu32 " thread%s, zfp at precision 8 to 24", threads,
                       threads == 1 ? "" : "s");
    over_chunks(s, c, title, "GB/s of raw data");
    for (int i = 0; i < s->files; i++) {
        struct series *line = add_file(s, c, i);
        for (int j = 0; j < c->points; j++)
            line->value[j] = study_speed(&s->file[i], j, 0);
    }
    for (int k = 0; k < s->timed_count; k++) {
        const int layout = s->timed[k];
        struct series *line = add_mean(c, name_of_index(study_layout[layout]), colors[layout]);
        for (int j = 0; j < c->points; j++)
            line->value[j] = study_mean_of(s, j).speed[layout];
    }
    return save(s, c, "index-throughput.png", error);
}

static bool save_speedup(const struct study *s, struct chart *c, struct ztio_error *error)
{
    memset(c, 0, sizeof *c);
    (void)snprintf(c->title, sizeof c->title,
                   "Decoding with offsets, C = %" PRIu32 ", zfp at precision 8 to 24",
                   study_chunk(s, STUDY_SPEEDUP_AT));
    c->x_axis = "threads";
    c->is_labelled = true;
    c->y_axis = "speed-up over 1 thread";
    c->points = s->counts;
    struct series *ideal = chart_add(c, "as many as threads", PAINT_SOFT, 1.2);
    for (int j = 0; j < s->counts; j++) {
        (void)snprintf(c->label[j], sizeof c->label[j], "%" PRIu32, s->threads[j]);
        ideal->value[j] = s->threads[j];
    }
    for (int i = 0; i < s->files; i++) {
        struct series *line = add_file(s, c, i);
        for (int j = 0; j < s->counts; j++)
            line->value[j] = study_speedup(&s->file[i], j);
    }
    struct series *mean = add_mean(c, "harmonic mean", PAINT_INK);
    for (int j = 0; j < s->counts; j++)
        mean->value[j] = study_mean_speedup(s, j);
    return save(s, c, "index-speedup.png", error);
}

bool study_save_plots(const struct study *s, struct ztio_error *error)
{
    struct chart *c = malloc(sizeof *c);
    if (!c)
        return fail(error, ZTIO_LACKING, "bench: no memory for a picture; free some");
    bool saved = save_overhead(s, c, error) && save_throughput(s, c, error) &&
                 (study_is_on_gpu(s) || save_speedup(s, c, error));
    free(c);
    return saved;
}
