/* study_plot.c: the index study as charts: the means in colour over the files in grey. */
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
    c->x_axis = "C, tiles a chunk";
    c->y_axis = y_axis;
    for (int i = 0; i < s->files; i++)
        c->points = s->file[i].chunks > c->points ? s->file[i].chunks : c->points;
    for (int i = 0; i < c->points; i++)
        (void)snprintf(c->label[i], sizeof c->label[i], "%" PRIu32, study_chunk(s, i));
}

static bool save_overhead(const struct study *s, struct chart *c, struct ztio_error *error)
{
    over_chunks(s, c, "Index overhead, zfp at precision 8 to 24", "f, index bits over stream bits");
    c->is_log = true;
    for (int i = 0; i < s->files; i++) {
        struct series *line = chart_add(c, i ? NULL : "a file, offsets", PAINT_GREY, 1);
        for (int j = 0; j < c->points; j++)
            line->value[j] = study_overhead(&s->file[i], j, 0);
    }
    for (int k = 0; k < STUDY_LAYOUTS; k++) {
        struct series *line = chart_add(c, name_of_index(study_layout[k]), colors[k], 2);
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
        struct series *line = chart_add(c, i ? NULL : "a file, offsets", PAINT_GREY, 1);
        for (int j = 0; j < c->points; j++)
            line->value[j] = study_speed(&s->file[i], j, 0);
    }
    for (int k = 0; k < s->timed_count; k++) {
        const int layout = s->timed[k];
        struct series *line = chart_add(c, name_of_index(study_layout[layout]), colors[layout], 2);
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
    c->y_axis = "speed-up over 1 thread";
    c->points = s->counts;
    struct series *ideal = chart_add(c, "as many as threads", PAINT_SOFT, 1.2);
    for (int j = 0; j < s->counts; j++) {
        (void)snprintf(c->label[j], sizeof c->label[j], "%" PRIu32, s->threads[j]);
        ideal->value[j] = s->threads[j];
    }
    for (int i = 0; i < s->files; i++) {
        struct series *line = chart_add(c, i ? NULL : "a file", PAINT_GREY, 1);
        for (int j = 0; j < s->counts; j++)
            line->value[j] = study_speedup(&s->file[i], j);
    }
    struct series *mean = chart_add(c, "harmonic mean", colors[0], 2);
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
