/* plot.c: ztile plot: a slice of an array, of its reconstruction, and the error between them. */
#include "cmd/commands.h"

#include "draw/picture.h"
#include "store/stored.h"
#include "util/errors.h"
#include "util/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SLICE_MAX_VALUES = 1 << 27 }; /* three times as doubles in memory: 3 GiB */

struct job {
    const struct options *options;
    zt_context *context;
    struct stored original;
    struct stored other;
    bool has_other;
    zt_box box;
    uint32_t kept[2]; /* the axes that stay: rows (if two), columns */
    uint32_t kept_n;
    char slice[CLI_TEXT_BYTES]; /* "64,:,:" */
    struct figure figure;
};

/* The middle of every axis but the last two. */
static void default_slice(const struct stored *s, char *text)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < s->rank; i++) {
        const char *comma = i ? "," : "";
        int n = i + 2 < s->rank ? snprintf(text + used, CLI_TEXT_BYTES - used, "%s%" PRIu64, comma,
                                           s->shape[i] / 2)
                                : snprintf(text + used, CLI_TEXT_BYTES - used, "%s:", comma);
        used += (size_t)n;
    }
}

/* --slice is a box of which one or two axes are ':' and the others one index. */
static bool choose_slice(struct job *job, struct ztio_error *error)
{
    const struct stored *s = &job->original;
    const char *asked = job->options->slice, *p;
    char shape[CLI_TEXT_BYTES];
    uint32_t axis = 0, kept = 0;
    if (!asked)
        default_slice(s, job->slice);
    else
        (void)snprintf(job->slice, sizeof job->slice, "%s", asked);
    for (p = job->slice; *p; p += strcspn(p, ","), p += *p == ',', axis++) {
        bool is_whole = p[0] == ':' && (p[1] == ',' || p[1] == '\0');
        if (is_whole && kept < 2)
            job->kept[kept] = axis;
        kept += is_whole;
        if (!is_whole && memchr(p, ':', strcspn(p, ",")))
            kept = 3;
    }
    if (axis != s->rank || kept < 1 || kept > 2)
        return fail(error, ZTIO_BAD_USE,
                    "%s: '%s' is no slice of an array of shape %s (slowest first); write an index "
                    "or ':' for each axis and leave one or two ':'",
                    input_name(s->place), job->slice, ztio_format_shape(s->rank, s->shape, shape));
    job->kept_n = kept;
    return parse_box(job->slice, s->rank, s->shape, input_name(s->place), &job->box, error);
}

/* The slice as doubles; *values is to be freed. */
static bool read_slice(const struct job *job, struct stored *s, double **values,
                       struct ztio_error *error)
{
    uint64_t shape[ZT_MAX_RANK] = {0}, n, bytes;
    void *raw, *memory;
    for (uint32_t i = 0; i < s->rank; i++)
        shape[i] = job->box.hi[i] - job->box.lo[i];
    (void)count_values(s->rank, shape, &n);
    (void)count_bytes(s->type, s->rank, shape, &bytes);
    if (n > SLICE_MAX_VALUES)
        return fail(error, ZTIO_LACKING,
                    "%s: the slice has %" PRIu64 " values, pictures are drawn of at most %d; "
                    "choose another with --slice",
                    input_name(s->place), n, SLICE_MAX_VALUES);
    if (!allocate(&raw, bytes, input_name(s->place), error))
        return false;
    bool done = stored_read_box(s, &job->box, raw, error) &&
                allocate(&memory, n * sizeof(double), input_name(s->place), error);
    if (done) {
        *values = memory;
        to_doubles(s->type, raw, n, *values);
    }
    free(raw);
    return done;
}

static void describe(struct job *job)
{
    const struct stored *s = &job->original;
    struct figure *f = &job->figure;
    char shape[CLI_TEXT_BYTES];
    const char *name = strrchr(s->place, '/');
    bool is_lines = job->kept_n == 1;
    (void)snprintf(f->title, sizeof f->title, "%.90s   %s %s, slice [%s]",
                   name ? name + 1 : s->place, ztio_name_of_type(s->type),
                   ztio_format_shape(s->rank, s->shape, shape), job->slice);
    f->rows = is_lines ? 1 : s->shape[job->kept[0]];
    f->columns = s->shape[job->kept[is_lines ? 0 : 1]];
    if (!is_lines)
        name_axis(f->row_axis, sizeof f->row_axis, job->kept[0], s->rank);
    name_axis(f->column_axis, sizeof f->column_axis, job->kept[is_lines ? 0 : 1], s->rank);
}

static void describe_other(const struct job *job, char *text)
{
    const struct stored *s = &job->other;
    char bound[CLI_TEXT_BYTES];
    if (s->kind == STORED_PLAIN)
        (void)snprintf(text, CLI_TEXT_BYTES, "other");
    else
        (void)snprintf(text, CLI_TEXT_BYTES, "%.40s, ratio %.4g",
                       format_bound(&s->info.bound, bound),
                       (double)s->info.raw_bytes / (double)stored_file_bytes(s));
}

static bool draw(struct job *job, const char *out, struct ztio_error *error)
{
    double *original = NULL, *other = NULL;
    void *errors = NULL;
    char what[CLI_TEXT_BYTES] = "";
    uint64_t n = job->figure.rows * job->figure.columns;
    bool done = read_slice(job, &job->original, &original, error);
    if (done && job->has_other) {
        describe_other(job, what);
        done = read_slice(job, &job->other, &other, error) &&
               allocate(&errors, n * sizeof(double), input_name(job->other.place), error);
    }
    if (done) {
        fill_panels(&job->figure, original, other, errors, what);
        done = figure_save(&job->figure, out, job->options, error);
    }
    free(original);
    free(other);
    free(errors);
    return done;
}

/* A slice is read out of the middle. */
static bool is_whole(const struct stored *s, struct ztio_error *error)
{
    return s->shape[0] != ZT_UNKNOWN ||
           fail(error, ZTIO_BAD_USE, "%s: a pipe cannot be looked through; name a file",
                input_name(s->place));
}

/* FILE first: it tells what a raw original is. */
static bool open_all(struct job *job, struct ztio_error *error)
{
    const struct options *o = job->options;
    struct options of_original = *o;
    struct stored *a = &job->original, *b = &job->other;
    struct ztio_meta hints;
    memset(&hints, 0, sizeof hints);
    job->has_other = o->operands == 2;
    if (!job->has_other)
        return stored_open(a, o->operand[0], o, true, NULL, job->context, error) &&
               is_whole(a, error);
    if (!stored_open(b, o->operand[1], o, true, NULL, job->context, error) || !is_whole(b, error))
        return false;
    of_original.format = FORMAT_AUTO; /* --format is about FILE */
    hints.type = b->type;
    hints.rank = b->rank;
    memcpy(hints.shape, b->shape, sizeof hints.shape);
    if (!stored_open(a, o->operand[0], &of_original, true, &hints, job->context, error) ||
        !is_whole(a, error))
        return false;
    if (a->type == b->type && a->rank == b->rank &&
        memcmp(a->shape, b->shape, a->rank * sizeof a->shape[0]) == 0)
        return true;
    char left[CLI_TEXT_BYTES], right[CLI_TEXT_BYTES];
    return fail(error, ZTIO_BAD_USE,
                "%s: holds %s of shape %s, but %s %s of shape %s (slowest first); give a pair",
                input_name(b->place), ztio_name_of_type(b->type),
                ztio_format_shape(b->rank, b->shape, right), input_name(a->place),
                ztio_name_of_type(a->type), ztio_format_shape(a->rank, a->shape, left));
}

static bool run_job(struct job *job, struct ztio_error *error)
{
    const struct options *o = job->options;
    char named[300];
    const char *name = strrchr(o->operand[0], '/');
    (void)snprintf(named, sizeof named, "%.250s.png", name ? name + 1 : o->operand[0]);
    const char *out = o->out ? o->out : named;
    if (!can_save_pictures(error) || !open_all(job, error))
        return false;
    if (!choose_slice(job, error))
        return false;
    describe(job);
    if (!draw(job, out, error))
        return false;
    if (!o->quiet)
        print(stderr, "%s: slice [%s] of %s\n", output_name(out), job->slice, o->operand[0]);
    return true;
}

bool run_plot(const struct options *o, struct ztio_error *error)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return fail(error, ZTIO_LACKING, "%s: no memory; free some", o->operand[0]);
    if (!context_open(&o->exec, &job->context, error)) {
        free(job);
        return false;
    }
    job->options = o;
    bool done = run_job(job, error);
    stored_close(&job->original);
    stored_close(&job->other);
    zt_context_free(job->context);
    free(job);
    return done;
}
