/* rates_save.c: the files of a report of ztile bench: rows, JSON, charts and pictures of slices. */
#include "bench/rates.h"
#include "draw/picture.h"
#include "store/stored.h"
#include "util/errors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void path_of(const struct rates *r, const char *name, char *path, size_t path_bytes)
{
    (void)snprintf(path, path_bytes, "%s/%s", r->options->out, name);
}

static bool save_chart(const struct rates *r, const struct chart *c, const char *stem,
                       struct ztio_error *error)
{
    static const char *const suffixes[] = {"svg", "png"};
    char name[CLI_TEXT_BYTES + 32], path[4096];
    bool saved = true;
    for (int i = 0; saved && i < 2; i++) {
        (void)snprintf(name, sizeof name, "%s.%s", stem, suffixes[i]);
        path_of(r, name, path, sizeof path);
        saved = chart_save(c, path, r->options, error);
    }
    return saved;
}

static bool save_charts(const struct rates *r, struct ztio_error *error)
{
    char slug[CLI_TEXT_BYTES], stem[CLI_TEXT_BYTES + 24];
    struct chart *c = malloc(sizeof *c);
    if (!c)
        return fail(error, ZTIO_LACKING, "bench: no memory for a picture; free some");
    bool saved = true;
    for (int i = 0; saved && i < RATES_CHARTS; i++) {
        rates_chart(r, i, c);
        saved = save_chart(r, c, rates_chart_name(i), error);
    }
    for (int i = 0; saved && i < r->files; i++) {
        rates_distortion(r, i, c);
        (void)snprintf(stem, sizeof stem, "rate-distortion-%s", rates_slug(r, i, slug));
        saved = save_chart(r, c, stem, error);
    }
    free(c);
    return saved;
}

/* ---- slices -------------------------------------------------------------------------------- */

/* The loosest bound but one, if there are so many: errors are seen, and the field is too. */
static bool shown_bound(const struct rates *r, zt_bound *bound)
{
    int lossy = 0;
    for (int i = 0; i < r->bounds && lossy < 2; i++)
        if (r->bound[i].kind != ZT_LOSSLESS) {
            *bound = r->bound[i];
            lossy++;
        }
    return lossy > 0;
}

/* The middle of every axis but the last two. */
static void middle_of(const struct subject *s, zt_box *box, uint64_t *rows, uint64_t *columns)
{
    memset(box, 0, sizeof *box);
    for (uint32_t i = 0; i < s->rank; i++) {
        const bool stays = i + 2 >= s->rank;
        box->lo[i] = stays ? 0 : s->shape[i] / 2;
        box->hi[i] = stays ? s->shape[i] : box->lo[i] + 1;
    }
    *rows = s->rank > 1 ? s->shape[s->rank - 2] : 1;
    *columns = s->shape[s->rank - 1];
}

struct slices {
    struct figure figure;
    zt_box box;
    uint64_t count;
    void *part;    /* in the array's type */
    void *decoded; /* the whole array */
    double *original, *other, *errors;
};

static bool draw_slices(struct rates *r, int file, uint32_t codec, zt_bound bound, struct slices *s,
                        struct ztio_error *error)
{
    const struct subject *a = &r->file[file];
    char what[CLI_TEXT_BYTES], text[CLI_TEXT_BYTES], slug[CLI_TEXT_BYTES];
    char name[2 * CLI_TEXT_BYTES], path[4096];
    uint64_t n;
    if (!rates_round_trip(r, a, codec, bound, s->decoded, &n, error))
        return false;
    cut_box(a->type, a->rank, a->shape, s->decoded, &s->box, s->part);
    to_doubles(a->type, s->part, s->count, s->other);
    (void)snprintf(what, sizeof what, "%s, %.40s, ratio %.1f", name_of_codec(codec),
                   format_bound(&bound, text), (double)a->raw_bytes / (double)n);
    fill_panels(&s->figure, s->original, s->other, s->errors, what);
    (void)snprintf(name, sizeof name, "slices-%s-%s.png", rates_slug(r, file, slug),
                   name_of_codec(codec));
    path_of(r, name, path, sizeof path);
    return figure_save(&s->figure, path, r->options, error);
}

static bool prepare_slices(const struct rates *r, int file, struct slices *s,
                           struct ztio_error *error)
{
    const struct subject *a = &r->file[file];
    struct figure *f = &s->figure;
    char shape[CLI_TEXT_BYTES];
    middle_of(a, &s->box, &f->rows, &f->columns);
    s->count = f->rows * f->columns;
    (void)snprintf(f->title, sizeof f->title, "%.90s   %s %s, the middle slice", rates_name(a),
                   ztio_name_of_type(a->type), ztio_format_shape(a->rank, a->shape, shape));
    if (a->rank > 1)
        name_axis(f->row_axis, sizeof f->row_axis, a->rank - 2, a->rank);
    name_axis(f->column_axis, sizeof f->column_axis, a->rank - 1, a->rank);
    s->part = malloc((size_t)s->count * 8);
    s->decoded = malloc((size_t)a->raw_bytes);
    s->original = malloc((size_t)s->count * sizeof(double));
    s->other = malloc((size_t)s->count * sizeof(double));
    s->errors = malloc((size_t)s->count * sizeof(double));
    if (!s->part || !s->decoded || !s->original || !s->other || !s->errors)
        return fail(error, ZTIO_LACKING, "%s: no memory for its picture; free some", a->place);
    cut_box(a->type, a->rank, a->shape, a->values, &s->box, s->part);
    to_doubles(a->type, s->part, s->count, s->original);
    for (uint64_t i = 0; i < s->count; i++) /* fill values are no part of the picture */
        for (uint32_t k = 0; k < a->fills; k++)
            if (memcmp((const char *)s->part + i * zt_type_bytes(a->type), &a->fill[k],
                       zt_type_bytes(a->type)) == 0)
                s->original[i] = (double)NAN;
    return true;
}

static bool save_slices(struct rates *r, int file, struct ztio_error *error)
{
    struct slices *s = calloc(1, sizeof *s);
    zt_bound bound;
    if (!s)
        return fail(error, ZTIO_LACKING, "bench: no memory for a picture; free some");
    bool saved = !shown_bound(r, &bound) || (prepare_slices(r, file, s, error) &&
                                             draw_slices(r, file, ZT_CODEC_ZFP, bound, s, error) &&
                                             draw_slices(r, file, ZT_CODEC_SZ, bound, s, error));
    free(s->errors);
    free(s->other);
    free(s->original);
    free(s->decoded);
    free(s->part);
    free(s);
    return saved;
}

/* ---- all ----------------------------------------------------------------------------------- */

static bool save_rows(const struct rates *r, struct ztio_error *error)
{
    struct text t = {NULL, 0, 0, false};
    char path[4096];
    rates_add_rows(r, &t);
    path_of(r, "bench.tsv", path, sizeof path);
    const bool saved = text_save(&t, path, r->options, error);
    text_free(&t);
    return saved;
}

static bool save_json(const struct rates *r, struct ztio_error *error)
{
    struct text t = {NULL, 0, 0, false};
    char path[4096];
    FILE *memory = open_memstream(&t.bytes, &t.n);
    if (!memory)
        return fail(error, ZTIO_LACKING, "bench: no memory for its JSON; free some");
    rates_print_json(r, memory);
    t.is_failed = fclose(memory) != 0;
    path_of(r, "bench.json", path, sizeof path);
    const bool saved = text_save(&t, path, r->options, error);
    text_free(&t);
    return saved;
}

bool rates_save(struct rates *r, struct ztio_error *error)
{
    struct ztio_error ignored;
    const bool has_pictures = can_save_pictures(&ignored);
    bool saved =
        save_rows(r, error) && save_json(r, error) && (!has_pictures || save_charts(r, error));
    for (int i = 0; saved && has_pictures && i < r->files; i++)
        saved = save_slices(r, i, error);
    return saved && rates_save_html(r, error);
}
