/* demo.c: ztile demo: simulate a field, compress it in many ways, show what comes out. */
#include "cmd/commands.h"
#include "ztile_quality.h"
#include "ztile_zfp.h"

#include "cmd/solver.h"
#include "draw/picture.h"
#include "store/bytes.h"
#include "util/errors.h"
#include "util/memory.h"
#include "util/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { STEPS = 1500, REPEATS = 3 };

static const uint64_t values_n = (uint64_t)FIELD_N * FIELD_N * FIELD_N;

struct demo {
    const struct options *options;
    zt_context *context;
    float *field;
    float *decoded;
    void *file;
    size_t file_capacity;
    struct ztio_output *saved; /* the file of --save while it is open, else NULL */
    struct table table;
};

/* A way to compress: a codec with its effort, and a bound. */
struct way {
    const char *name;
    zt_codec codec;
    zt_effort effort;
    zt_bound bound;
};

/* What one of them came to. */
struct outcome {
    size_t file_bytes;
    double compress_seconds; /* fastest of REPEATS */
    double decompress_seconds;
    zt_quality quality;
};

static bool measure(struct demo *d, const struct way *way, struct outcome *r,
                    struct ztio_error *error)
{
    zt_params p;
    zt_array in = zt_array_3d(d->field, ZT_F32, FIELD_N, FIELD_N, FIELD_N);
    zt_array out = zt_array_3d(d->decoded, ZT_F32, FIELD_N, FIELD_N, FIELD_N);
    zt_status s = zt_params_init(&p, sizeof p);
    p.codec = way->codec;
    p.effort = way->effort;
    p.bound = way->bound;
    r->compress_seconds = r->decompress_seconds = (double)INFINITY;
    for (int i = 0; i < REPEATS && s == ZT_OK; i++) {
        double start = now_seconds();
        s = zt_compress(d->context, &in, &p, d->file, d->file_capacity, &r->file_bytes);
        double middle = now_seconds();
        if (s == ZT_OK)
            s = zt_decompress(d->context, d->file, r->file_bytes, &out);
        r->compress_seconds = fmin(r->compress_seconds, middle - start);
        r->decompress_seconds = fmin(r->decompress_seconds, now_seconds() - middle);
    }
    (void)zt_quality_init(&r->quality, sizeof r->quality);
    if (way->bound.kind == ZT_ABS)
        r->quality.abs_bound = way->bound.value;
    if (s == ZT_OK)
        s = zt_compare(d->context, &in, &out, &r->quality);
    return s == ZT_OK || fail_zt(error, d->context, s, "demo");
}

static void add_row(struct demo *d, const struct way *way, const struct outcome *r)
{
    char text[CLI_TEXT_BYTES];
    struct table *t = &d->table;
    const zt_bound bound = way->bound;
    double raw = (double)values_n * sizeof(float), psnr = zt_quality_psnr(&r->quality);
    table_row(t);
    table_cell(t, "%s", way->name);
    table_cell(t, "%s", format_bound(&bound, text));
    table_cell(t, "%.2f", raw / (double)r->file_bytes);
    table_cell(t, "%.2f", 8 * (double)r->file_bytes / (double)values_n);
    table_cell(t, "%.2e", r->quality.max_abs_error);
    if (bound.kind == ZT_ABS)
        table_cell(t, "%.0f %%", 100 * r->quality.max_abs_error / bound.value);
    else if (bound.kind == ZT_LOSSLESS)
        table_cell(t, "%s", r->quality.different_values ? "broken" : "exact");
    else
        table_cell(t, "-");
    table_cell(t, isfinite(psnr) ? "%.1f" : "infinite", psnr);
    table_cell(t, "%.0f", raw / 1e6 / r->compress_seconds);
    table_cell(t, "%.0f", raw / 1e6 / r->decompress_seconds);
}

static void add_head(struct demo *d)
{
    static const char *const names[] = {"codec",    "bound",   "ratio",    "bits/val", "max error",
                                        "of bound", "PSNR dB", "enc MB/s", "dec MB/s"};
    table_row(&d->table);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        table_cell(&d->table, "%s", names[i]);
}

#define ZFP(bound)                                                                                 \
    {                                                                                              \
        "zfp", ZT_CODEC_ZFP, ZT_EFFORT_DEFAULT, bound                                              \
    }
#define SZ(name, e, bound)                                                                         \
    {                                                                                              \
        name, ZT_CODEC_SZ, ZT_EFFORT_##e, bound                                                    \
    }
#define NDZIP                                                                                      \
    {                                                                                              \
        "ndzip", ZT_CODEC_NDZIP, ZT_EFFORT_DEFAULT, zt_lossless()                                  \
    }

/* Every way, the one that is drawn last, so that its reconstruction is at hand. */
static bool compress_every_way(struct demo *d, struct outcome *last, const struct way *drawn,
                               struct ztio_error *error)
{
    const struct way ways[] = {SZ("sz high", HIGH, zt_abs(1e-2)),
                               SZ("sz high", HIGH, zt_abs(1e-3)),
                               SZ("sz high", HIGH, zt_abs(1e-4)),
                               SZ("sz", DEFAULT, zt_abs(1e-2)),
                               SZ("sz", DEFAULT, zt_abs(1e-3)),
                               SZ("sz", DEFAULT, zt_abs(1e-4)),
                               SZ("sz fast", FAST, zt_abs(1e-3)),
                               ZFP(zt_abs(1e-2)),
                               ZFP(zt_abs(1e-3)),
                               ZFP(zt_abs(1e-4)),
                               ZFP(zt_rate(4)),
                               ZFP(zt_rate(8)),
                               ZFP(zt_precision(16)),
                               SZ("sz high", HIGH, zt_lossless()),
                               SZ("sz", DEFAULT, zt_lossless()),
                               ZFP(zt_lossless()),
                               NDZIP};
    add_head(d);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (!measure(d, &ways[i], last, error))
            return false;
        add_row(d, &ways[i], last);
    }
    return measure(d, drawn, last, error);
}

/* The middle slice, as plot draws it. */
static bool draw(const struct demo *d, const struct way *way, const struct outcome *r,
                 const char *out, struct ztio_error *error)
{
    const uint64_t n = (uint64_t)FIELD_N * FIELD_N, start = FIELD_N / 2 * n;
    char text[CLI_TEXT_BYTES], what[CLI_TEXT_BYTES];
    void *memory;
    struct figure f;
    memset(&f, 0, sizeof f);
    if (!allocate(&memory, 3 * n * sizeof(double), "demo", error))
        return false;
    double *original = memory, *other = original + n, *errors = other + n;
    to_doubles(ZT_F32, d->field + start, n, original);
    to_doubles(ZT_F32, d->decoded + start, n, other);
    (void)snprintf(f.title, sizeof f.title, "Reaction and diffusion, f32 %dx%dx%d, slice [%d,:,:]",
                   FIELD_N, FIELD_N, FIELD_N, FIELD_N / 2);
    (void)snprintf(f.row_axis, sizeof f.row_axis, "axis 1");
    (void)snprintf(f.column_axis, sizeof f.column_axis, "axis 2 (fastest)");
    f.rows = f.columns = FIELD_N;
    (void)snprintf(what, sizeof what, "%s, %.40s, ratio %.1f", way->name,
                   format_bound(&way->bound, text),
                   (double)values_n * sizeof(float) / (double)r->file_bytes);
    fill_panels(&f, original, other, errors, what);
    bool saved = figure_save(&f, out, d->options, error);
    free(memory);
    return saved;
}

static bool simulate_field(struct demo *d, struct ztio_error *error)
{
    struct progress progress;
    double began = now_seconds();
    progress_begin(&progress, "simulate", STEPS, d->options->quiet, NULL);
    progress.counts_steps = true;
    bool done = simulate(d->field, STEPS, &progress, error);
    progress_end(&progress);
    if (!done)
        return false;
    double lo = d->field[0], hi = lo;
    for (uint64_t i = 1; i < values_n; i++) {
        lo = fmin(lo, d->field[i]);
        hi = fmax(hi, d->field[i]);
    }
    (void)printf("field: reaction and diffusion, %d steps, f32, shape %dx%dx%d (slowest first),\n"
                 "       values %.3g to %.3g, simulated in %.1f s\n\n",
                 STEPS, FIELD_N, FIELD_N, FIELD_N, lo, hi, now_seconds() - began);
    return true;
}

/* Open the file of --save. What is wrong with it is said before the field is simulated. */
static bool open_field(struct demo *d, const char *place, struct ztio_error *error)
{
    struct ztio_meta meta;
    memset(&meta, 0, sizeof meta);
    meta.format = ZTIO_AUTO;
    meta.type = ZT_F32;
    meta.rank = 3;
    for (uint32_t i = 0; i < 3; i++)
        meta.shape[i] = FIELD_N;
    const struct ztio_creation how = creation_of(d->options);
    d->saved = ztio_create(place, &meta, &how, error);
    return d->saved != NULL;
}

/* The simulated field as a file, to try the other subcommands on. */
static bool save_field(struct demo *d, const char *place, struct ztio_error *error)
{
    if (!ztio_write(d->saved, FIELD_N, d->field, error))
        return false;
    struct ztio_output *output = d->saved;
    d->saved = NULL; /* committing it frees it */
    if (!ztio_commit(output, error))
        return false;
    print(stdout, "%s: the field\n", place);
    (void)fputs(d->options->out ? "\n" : "", stdout);
    return true;
}

/* What is wrong with the name of an output; known before the work is done, not after. */
static bool check_name(const struct demo *d, const char *path, struct ztio_error *error)
{
    struct stat st;
    if (strcmp(path, "-") == 0)
        return fail(error, ZTIO_BAD_USE,
                    "demo prints its table on standard output; give the file a name instead of -");
    if (!d->options->force && stat(path, &st) == 0 && S_ISREG(st.st_mode))
        return fail(error, ZTIO_BAD_USE, "%s exists; -f overwrites it", path);
    return true;
}

static bool run(struct demo *d, struct ztio_error *error)
{
    const struct options *o = d->options;
    const char *out = o->out ? o->out : "demo.png";
    const struct way drawn = SZ("sz high", HIGH, zt_abs(1e-3));
    struct outcome last;
    struct ztio_error no_picture = {0, ""};
    bool only_field = o->save && !o->out;
    bool has_picture = !only_field && can_save_pictures(&no_picture);
    bool has_out = has_picture || o->out;
    if ((has_out && !check_name(d, out, error)) || (o->save && !check_name(d, o->save, error)))
        return false;
    if (o->save && has_out && strcmp(o->save, out) == 0)
        return fail(error, ZTIO_BAD_USE, "%s: cannot be picture and field; give each its name",
                    out);
    zt_params p;
    (void)zt_params_init(&p, sizeof p);
    zt_array whole = zt_array_3d(NULL, ZT_F32, FIELD_N, FIELD_N, FIELD_N);
    zt_status s = zt_compress_bound(d->context, &whole, &p, &d->file_capacity);
    if (s != ZT_OK)
        return fail_zt(error, d->context, s, "demo");
    d->file_capacity *= 2; /* of every other bound as well */
    void *field, *decoded;
    if (!allocate(&field, values_n * sizeof(float), "demo", error))
        return false;
    d->field = field;
    if (!allocate(&decoded, values_n * sizeof(float), "demo", error))
        return false;
    d->decoded = decoded;
    if (!allocate(&d->file, d->file_capacity, "demo", error) ||
        (o->save && !open_field(d, o->save, error)) || !simulate_field(d, error) ||
        (o->save && !save_field(d, o->save, error)))
        return false;
    if (only_field)
        return true;
    if (!compress_every_way(d, &last, &drawn, error))
        return false;
    table_print(&d->table, stdout, 0x1fc);
    if (!has_picture) {
        (void)printf("\nno picture: %s\n", no_picture.sentence);
        return true;
    }
    if (!draw(d, &drawn, &last, out, error))
        return false;
    print(stdout, "\n%s: a slice, its reconstruction at abs 0.001, and the error\n", out);
    return true;
}

bool run_demo(const struct options *o, struct ztio_error *error)
{
    struct demo *d = calloc(1, sizeof *d);
    if (!d)
        return fail(error, ZTIO_LACKING, "demo: no memory; free some");
    if (!context_open(&o->exec, &d->context, error)) {
        free(d);
        return false;
    }
    d->options = o;
    bool done = run(d, error);
    ztio_abandon(d->saved);
    free(d->field);
    free(d->decoded);
    free(d->file);
    zt_context_free(d->context);
    free(d);
    return done;
}
