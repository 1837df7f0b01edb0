/* rates_plot.c: what ztile bench measured as charts. Colours and markers of a codec are the same in
 * all; peers are dashed. */
#include "bench/rates.h"
#include "util/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *codec;
    int paint;
    enum marker marker;
} styles[] = {
    {"zfp", PAINT_SERIES, MARKER_DISC},
    {"sz", PAINT_SERIES + 1, MARKER_SQUARE},
    {"zfp-rate", PAINT_SERIES, MARKER_CROSS},
    {"sz-cusz", PAINT_SERIES + 7, MARKER_DOWN},
    {"sz-fast", PAINT_SERIES + 1, MARKER_RING},
    {"sz-high", PAINT_SERIES + 1, MARKER_UP},
    {"sz-transform", PAINT_SERIES + 1, MARKER_DIAMOND},
    {"ndzip", PAINT_SERIES + 2, MARKER_UP},
    {"libzfp", PAINT_SERIES + 3, MARKER_RING},
    {"SZ3", PAINT_SERIES + 5, MARKER_DOWN},
    {"fpzip", PAINT_SERIES + 4, MARKER_DIAMOND},
    {"zstd", PAINT_SERIES + 6, MARKER_CROSS},
    {"Blosc2", PAINT_SERIES + 7, MARKER_SQUARE},
    {"pcodec", PAINT_SERIES + 4, MARKER_UP},
    {"SPERR", PAINT_SERIES + 2, MARKER_DOWN},
};

static struct series *add_codec(struct chart *c, const struct rate *first, const char *name,
                                bool is_thin)
{
    struct series *line = chart_add(c, name, PAINT_SERIES + 7, is_thin ? 1.2 : 2.2);
    line->marker = MARKER_DIAMOND;
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (strcmp(styles[i].codec, first->codec) == 0) {
            line->paint = styles[i].paint;
            line->marker = styles[i].marker;
        }
    line->is_dashed = first->is_peer;
    return line;
}

static int compare_bits(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return x[0] < y[0] ? -1 : x[0] > y[0];
}

/* The lossy rows of a codec, by their bits. */
static int points_of(const struct rates *r, int file, const char *codec, double (*points)[2])
{
    int n = 0;
    for (size_t i = 0; i < r->rows && n < CHART_POINTS; i++) {
        const struct rate *row = &r->row[i];
        if (row->file == file && row->threads == 1 && isfinite(row->psnr) &&
            strcmp(row->codec, codec) == 0) {
            points[n][0] = rate_bits(r, row);
            points[n++][1] = row->psnr;
        }
    }
    qsort(points, (size_t)n, sizeof *points, compare_bits);
    return n;
}

void rates_distortion(const struct rates *r, int file, struct chart *c)
{
    const struct rate *first[RATES_CODECS];
    double points[CHART_POINTS][2];
    const int codecs = rates_codecs(r, first);
    memset(c, 0, sizeof *c);
    (void)snprintf(c->title, sizeof c->title, "Rate and distortion: %.80s",
                   rates_name(&r->file[file]));
    c->x_axis = "bits per value";
    c->y_axis = "PSNR, dB";
    c->has_numbers = c->is_from_any = c->is_first_on_top = true;
    for (int k = 0; k < codecs; k++) {
        const int n = points_of(r, file, first[k]->codec, points);
        if (n == 0)
            continue;
        struct series *line = add_codec(c, first[k], first[k]->codec, false);
        c->points = n > c->points ? n : c->points;
        for (int i = 0; i < n; i++) {
            line->at[i] = points[i][0];
            line->value[i] = points[i][1];
        }
    }
}

static const struct {
    const char *name, *title, *axis;
} charts[RATES_CHARTS] = {{"ratio", "Compression ratio", "ratio, raw bytes over compressed"},
                          {"speed-compress", "Compressing: speed of raw data", "GB/s"},
                          {"speed-decompress", "Decompressing: speed of raw data", "GB/s"}};

const char *rates_chart_name(int which)
{
    return charts[which].name;
}

static double value_of(const struct rate_mean *m, int which)
{
    return which == 0 ? m->ratio : (which == 1 ? m->encode_speed : m->decode_speed) / 1e9;
}

/* A line for a codec with so many threads, if there is anything to it. */
static void add_over_bounds(const struct rates *r, struct chart *c, int which,
                            const struct rate *first, uint32_t threads)
{
    char name[RATES_NAME_BYTES + 24];
    double values[CHART_POINTS];
    int found = 0;
    for (int i = 0; i < r->bounds; i++) {
        const struct rate_mean m = rates_mean(r, first->codec, threads, &r->bound[i]);
        values[i] = m.files > 0 ? value_of(&m, which) : (double)NAN;
        found += isfinite(values[i]);
    }
    if (found == 0 || c->count == RATES_CODECS * 2)
        return;
    if (which == 0)
        (void)snprintf(name, sizeof name, "%s", first->codec);
    else
        (void)snprintf(name, sizeof name, "%s, %u thread%s", first->codec, (unsigned)threads,
                       threads == 1 ? "" : "s");
    struct series *line =
        add_codec(c, first, name, which > 0 && threads == 1 && r->threads > 1 && !first->is_peer);
    memcpy(line->value, values, sizeof values[0] * (size_t)r->bounds);
}

void rates_chart(const struct rates *r, int which, struct chart *c)
{
    const struct rate *first[RATES_CODECS];
    char text[CLI_TEXT_BYTES];
    const int codecs = rates_codecs(r, first);
    memset(c, 0, sizeof *c);
    (void)snprintf(c->title, sizeof c->title, "%s", charts[which].title);
    c->x_axis = "bound";
    c->y_axis = charts[which].axis;
    c->is_log = c->is_first_on_top = true;
    c->points = r->bounds;
    for (int i = 0; i < r->bounds; i++) {
        (void)snprintf(c->label[i], sizeof c->label[i], "%.19s", format_bound(&r->bound[i], text));
        c->is_apart[i] = i > 0 && r->bound[i].kind != r->bound[i - 1].kind;
    }
    for (int k = 0; k < codecs; k++) {
        if (which > 0 && r->threads > 1)
            add_over_bounds(r, c, which, first[k], r->threads);
        add_over_bounds(r, c, which, first[k], 1);
    }
}

char *rates_slug(const struct rates *r, int file, char *slug)
{
    const char *name = rates_name(&r->file[file]);
    size_t n = 0;
    for (; *name && n < 60; name++) {
        const bool is_plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                              (*name >= '0' && *name <= '9') || *name == '_';
        if (is_plain || (n > 0 && slug[n - 1] != '-'))
            slug[n++] = (char)(is_plain ? *name : '-');
    }
    (void)snprintf(slug + n, CLI_TEXT_BYTES - n, "%s", n ? "" : "array");
    for (int i = 0; i < file; i++) /* two of one name, from two folders */
        if (strcmp(rates_name(&r->file[i]), rates_name(&r->file[file])) == 0) {
            n = strlen(slug);
            (void)snprintf(slug + n, CLI_TEXT_BYTES - n, "-%d", file);
            break;
        }
    return slug;
}
