/* compare.c: ztile compare: how far a compressed (or any) array is from its original. */
#include "cmd/commands.h"
#include "ztile_quality.h"

#include "store/fill.h"
#include "store/filtered.h"
#include "store/stored.h"
#include "util/errors.h"
#include "util/json.h"
#include "util/memory.h"
#include "util/numbers.h"
#include "util/progress.h"
#include "util/table.h"
#include "ztile_h5.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct job {
    const struct options *options;
    zt_context *context;
    struct stored original;
    struct stored other;
    zt_quality quality;
    double abs_bound; /* NaN: none was promised */
    bool has_mean;    /* a mean error was promised, alone or beside another bound */
    struct progress progress;
};

/* Errors and the answer, from what was accumulated. */
struct findings {
    double max_rel_error;
    double ratio;
    double bits_per_value;
    bool has_bound;
    bool is_of_values; /* the bound: of each one */
    bool holds;
};

/* What a variable of an HDF5 file was promised by ztile's filter. Where the place names none, the
 * one of that name, if it is the only one. */
static bool take_filtered(void *user, const struct ztio_filtered *dataset)
{
    struct stored *s = user;
    static const char other[] = "_nc4_non_coord_";
    const char *name = strrchr(dataset->variable.path, '/') + 1;
    name += strncmp(name, other, sizeof other - 1) == 0 ? sizeof other - 1 : 0;
    if (strcmp(name, ztio_meta_of(s->input)->name) == 0 && dataset->variable.type == s->type)
        s->filter = s->filter == 0 && info_of_filtered(dataset, &s->info) ? dataset->filter : 0;
    return true;
}

static bool is_coded(const struct stored *s)
{
    return s->kind != STORED_PLAIN || s->filter != 0;
}

/* And not only zfp's, which promises less. */
static bool is_ours(const struct stored *s)
{
    return s->kind == STORED_ZT || s->filter == ZTILE_H5_FILTER;
}

static bool check_alike(struct job *job, struct ztio_error *error)
{
    struct stored *a = &job->original, *b = &job->other;
    char own[CLI_TEXT_BYTES], other[CLI_TEXT_BYTES];
    bool is_same = a->rank == b->rank;
    if (a->type != b->type)
        return fail(error, ZTIO_BAD_USE, "%s: holds %s, but %s holds %s; compare like with like",
                    input_name(b->place), ztio_name_of_type(b->type), input_name(a->place),
                    ztio_name_of_type(a->type));
    if (is_same && b->shape[0] == ZT_UNKNOWN)
        b->shape[0] = a->shape[0]; /* a pipe: the seek table at its end says whether it is so */
    for (uint32_t i = 0; is_same && i < a->rank; i++)
        is_same = a->shape[i] == b->shape[i];
    return is_same ||
           fail(error, ZTIO_BAD_USE,
                "%s: has shape %s, but %s has %s (slowest first); compare like with like",
                input_name(b->place), ztio_format_shape(b->rank, b->shape, other),
                input_name(a->place), ztio_format_shape(a->rank, a->shape, own));
}

/* Fill values that a file notes need not be given again. */
static void add_fills(const struct stored *s, zt_quality *q)
{
    uint64_t fill[ZT_MAX_FILLS];
    uint32_t fills = 0;
    if (s->kind == STORED_ZT && zt_reader_fills(s->reader, &fills, fill) == ZT_OK)
        for (uint32_t i = 0; i < fills; i++)
            add_fill(fill[i], &q->fills, q->fill);
}

/* The other file gives the slabs, the original follows. */
static bool compare_slab(struct job *job, uint64_t first, uint64_t extent, void *left, void *right,
                         struct ztio_error *error)
{
    const struct stored *a = &job->original;
    zt_box box = {{0}, {0}};
    uint64_t shape[ZT_MAX_RANK];
    memcpy(box.hi, a->shape, sizeof box.hi);
    box.lo[0] = first;
    box.hi[0] = first + extent;
    memcpy(shape, a->shape, sizeof shape);
    shape[0] = extent;
    if (!stored_read(&job->other, right, error) ||
        !stored_read_box(&job->original, &box, left, error))
        return false;
    add_fills(&job->other, &job->quality);
    add_fills(&job->original, &job->quality);
    zt_array x = zt_array_nd(left, (zt_type)a->type, a->rank, shape);
    zt_array y = zt_array_nd(right, (zt_type)a->type, a->rank, shape);
    zt_status status = zt_compare(job->context, &x, &y, &job->quality);
    return status == ZT_OK || fail_zt(error, job->context, status, input_name(a->place));
}

static bool compare_all(struct job *job, struct ztio_error *error)
{
    uint64_t slice_bytes, first, extent, held = 0, end = job->original.shape[0];
    void *left = NULL, *right = NULL;
    bool done = true;
    const char *place = input_name(job->other.place);
    (void)count_slice_bytes(job->other.type, job->other.rank, job->other.shape, &slice_bytes);
    while (done) {
        done = stored_next(&job->other, &first, &extent, error);
        if (!done || extent == 0)
            break;
        if (first > end || extent > end - first) {
            done =
                fail(error, ZTIO_BAD_USE,
                     "%s: has more slices than %s, which has %" PRIu64 "; compare like with like",
                     place, input_name(job->original.place), end);
            break;
        }
        if (extent > held) {
            free(left);
            free(right);
            left = right = NULL;
            held = extent;
            done = allocate(&left, extent * slice_bytes, place, error) &&
                   allocate(&right, extent * slice_bytes, place, error);
        }
        progress_slab(&job->progress, extent * slice_bytes);
        done = done && compare_slab(job, first, extent, left, right, error);
    }
    free(left);
    free(right);
    return done;
}

/* The mean error that was promised, of the original's range; of a PSNR that which the file says,
 * which may have been given. A part in 10^12 is rounding. */
static bool is_mean_met(const struct job *job)
{
    const double rmse = zt_quality_rmse(&job->quality), mae = zt_quality_mae(&job->quality);
    const zt_bound *const mean = &job->other.info.mean;
    const double range = job->quality.max - job->quality.min, most = mean->value * (1 + 1e-12);
    if (!job->has_mean || isnan(rmse) || rmse == 0)
        return true;
    switch (mean->kind) {
    case ZT_PSNR: return 20 * log10(job->other.info.range / rmse) >= mean->value;
    case ZT_RMSE: return rmse <= most;
    case ZT_RMSE_REL: return rmse <= most * range;
    case ZT_MAE: return mae <= most;
    default: return mae <= most * range;
    }
}

static struct findings find(const struct job *job)
{
    const zt_quality *q = &job->quality;
    double file_bytes =
        (double)(job->other.filter ? job->other.info.file_bytes : stored_file_bytes(&job->other));
    struct findings f = {.ratio = (double)NAN, .bits_per_value = (double)NAN};
    double range = q->max - q->min, error = q->max_abs_error;
    if (isinf(range)) { /* of values near the largest; halves do not overflow */
        range = q->max / 2 - q->min / 2;
        error /= 2;
    }
    f.max_rel_error = range > 0 ? error / range : error > 0 ? (double)NAN : 0;
    if (is_coded(&job->other)) {
        f.ratio = (double)q->values * (double)zt_type_bytes(job->other.type) / file_bytes;
        f.bits_per_value = 8 * file_bytes / (double)q->values;
    }
    f.has_bound = !isnan(job->abs_bound) || !isnan(q->pwrel_bound) || job->has_mean;
    f.is_of_values = job->abs_bound > 0 || q->pwrel_bound > 0;
    if (f.is_of_values)
        f.holds = q->beyond_bound == 0 && q->special_changed == 0;
    else if (job->has_mean)
        f.holds = q->special_changed == 0;
    else
        f.holds = q->different_values == 0;
    f.holds = f.holds && is_mean_met(job) && q->outside == 0;
    return f;
}

static void print_json(const struct job *job, const struct findings *f)
{
    const zt_quality *q = &job->quality;
    struct json j;
    json_begin(&j, stdout);
    json_number(&j, "max_abs_error", q->max_abs_error);
    json_number(&j, "max_rel_error", f->max_rel_error);
    json_number(&j, "max_pwrel_error", q->max_pwrel_error);
    json_number(&j, "rmse", zt_quality_rmse(q));
    json_number(&j, "psnr", zt_quality_psnr(q));
    json_number(&j, "mae", zt_quality_mae(q));
    json_number(&j, "ratio", f->ratio);
    json_number(&j, "bits_per_value", f->bits_per_value);
    if (f->has_bound)
        json_bool(&j, "bound_held", f->holds);
    else
        json_null(&j, "bound_held");
    json_bool(&j, "identical", q->different_values == 0);
    json_count(&j, "special_changed", q->special_changed);
    json_number(&j, "abs_bound", job->abs_bound);
    json_count_or_null(&j, "beyond_bound", f->has_bound && (f->is_of_values || !job->has_mean),
                       q->beyond_bound);
    json_count(&j, "outside", q->outside);
    json_count(&j, "values", q->values);
    json_count(&j, "different_values", q->different_values);
    json_end(&j);
}

static void number_row(struct table *t, const char *name, double value, const char *none)
{
    table_row(t);
    table_cell(t, "%s", name);
    if (isfinite(value))
        table_cell(t, "%.6g", value);
    else
        table_cell(t, "%s", none);
}

static void print_table(const struct job *job, const struct findings *f, struct table *t)
{
    const zt_quality *q = &job->quality;
    char bound[CLI_TEXT_BYTES];
    number_row(t, "max abs error", q->max_abs_error, "none");
    number_row(t, "max error / range", f->max_rel_error, "no range");
    number_row(t, "max error / value", q->max_pwrel_error, "none");
    number_row(t, "RMSE", zt_quality_rmse(q), "none");
    if (job->has_mean && job->other.info.mean.kind >= ZT_MAE)
        number_row(t, "mean abs error", zt_quality_mae(q), "none");
    number_row(t, "PSNR (dB)", zt_quality_psnr(q), q->sum_squares == 0 ? "infinite" : "no range");
    if (is_coded(&job->other)) {
        number_row(t, "ratio", f->ratio, "none");
        number_row(t, "bits per value", f->bits_per_value, "none");
    }
    table_row(t);
    table_cell(t, "different values");
    table_cell(t, "%" PRIu64 " of %" PRIu64 "%s", q->different_values, q->values,
               q->different_values ? "" : " (identical)");
    if (q->values != q->finite_values) {
        table_row(t);
        table_cell(t, q->fills ? "NaN, infinite, fill" : "NaN and infinities");
        table_cell(t, "%" PRIu64 ", %" PRIu64 " changed", q->values - q->finite_values,
                   q->special_changed);
    }
    table_row(t);
    table_cell(t, "bound");
    if (!is_coded(&job->other))
        table_cell(t, "none is stored");
    else
        table_cell(t, "%s: %s", format_bounds(&job->other.info.bound, &job->other.info.mean, bound),
                   !f->has_bound ? "promises no error"
                   : f->holds    ? "holds"
                                 : "does not hold");
    table_print(t, stdout, 0);
}

static bool report(struct job *job, struct ztio_error *error)
{
    struct findings f = find(job);
    char bound[CLI_TEXT_BYTES];
    if (job->options->json) {
        print_json(job, &f);
    } else {
        struct table *t = calloc(1, sizeof *t);
        if (!t)
            return fail(error, ZTIO_LACKING, "%s: no memory; free some", job->other.place);
        print_table(job, &f, t);
        free(t);
    }
    if (!f.has_bound || f.holds)
        return true;
    if (job->quality.outside > 0)
        return fail(error, CLI_BOUND_BROKEN,
                    "%s: %" PRIu64 " values are not within %g to %g, as the file says",
                    input_name(job->other.place), job->quality.outside, job->quality.within_lo,
                    job->quality.within_hi);
    if (job->has_mean && job->quality.beyond_bound == 0)
        return fail(error, CLI_BOUND_BROKEN,
                    "%s: the bound %s does not hold; compare it with the original that it was made "
                    "from",
                    input_name(job->other.place), format_bound(&job->other.info.mean, bound));
    uint64_t wrong = f.is_of_values ? job->quality.beyond_bound + job->quality.special_changed
                                    : job->quality.different_values;
    return fail(error, CLI_BOUND_BROKEN,
                "%s: the bound %s does not hold for %" PRIu64
                " values, the worst is off by %.6g; %s",
                input_name(job->other.place), format_bound(&job->other.info.bound, bound), wrong,
                job->quality.max_abs_error,
                is_ours(&job->other)
                    ? "compare it with the original that it was made from"
                    : "a bare zfp stream promises no more than zfp does, .zt holds the bound");
}

/* FILE first: it says what a raw original is; where it is plain itself, the original says it. */
static bool open_both(struct job *job, struct ztio_error *error)
{
    const struct options *o = job->options;
    struct options of_original = *o;
    struct ztio_meta hints;
    struct ztio_error first = {0, ""};
    memset(&hints, 0, sizeof hints);
    of_original.format = FORMAT_AUTO; /* --format is about FILE */
    const struct stored *known = &job->other;
    bool other_is_open =
        stored_open(&job->other, o->operand[1], o, true, NULL, job->context, &first);
    if (!other_is_open && first.exit_status != ZTIO_BAD_USE) {
        *error = first;
        return false;
    }
    hints.type = known->type;
    hints.rank = known->rank;
    memcpy(hints.shape, known->shape, sizeof hints.shape);
    if (!stored_open(&job->original, o->operand[0], &of_original, true,
                     other_is_open ? &hints : NULL, job->context, error))
        return false;
    if (other_is_open)
        return true;
    stored_close(&job->other);
    known = &job->original;
    hints.type = known->type;
    hints.rank = known->rank;
    memcpy(hints.shape, known->shape, sizeof hints.shape);
    return stored_open(&job->other, o->operand[1], o, true, &hints, job->context, error);
}

/* What .zt files promise beside a bound on each value. */
static void take_targets(struct job *job)
{
    const zt_info *const info = &job->other.info;
    const bool is_alone = info->bound.kind == info->mean.kind;
    job->quality.within_lo = info->within_lo;
    job->quality.within_hi = info->within_hi;
    if (info->mean.kind == ZT_LOSSLESS)
        return;
    const bool is_lossless =
        info->mean.kind == ZT_PSNR ? !(info->range > 0) : !(info->mean.value > 0);
    job->has_mean = !is_lossless;
    if (is_alone) /* of no range, or 0: without loss */
        job->abs_bound = is_lossless ? 0 : (double)NAN;
}

static bool run_job(struct job *job, struct ztio_error *error)
{
    uint64_t bytes = ZT_UNKNOWN, others;
    if (!open_both(job, error) || !check_alike(job, error))
        return false;
    (void)zt_quality_init(&job->quality, sizeof job->quality);
    if (job->other.kind == STORED_PLAIN && is_hdf5_place(job->other.place) &&
        !ztio_each_filtered(job->other.place, take_filtered, &job->other, &others, error))
        return false;
    job->abs_bound = is_coded(&job->other) ? job->other.info.abs_bound : (double)NAN;
    job->quality.abs_bound = job->abs_bound;
    if (is_ours(&job->other) && job->other.info.bound.kind == ZT_PWREL &&
        job->other.info.bound.value > 0)
        job->quality.pwrel_bound = job->other.info.bound.value;
    if (is_ours(&job->other))
        take_targets(job);
    if (!find_fills(job->options, job->original.place, job->original.type,
                    job->original.input ? ztio_meta_of(job->original.input) : NULL,
                    &job->quality.fills, job->quality.fill, error))
        return false;
    if (!count_bytes(job->original.type, job->original.rank, job->original.shape, &bytes))
        return fail(error, ZTIO_BAD_DATA,
                    "%s: its shape has more bytes than 64 bits count; check -s",
                    input_name(job->original.place));
    progress_begin(&job->progress, "compare", bytes, job->options->quiet, job->context);
    bool done = compare_all(job, error);
    progress_end(&job->progress);
    return done && report(job, error);
}

bool run_compare(const struct options *o, struct ztio_error *error)
{
    struct job job;
    memset(&job, 0, sizeof job);
    job.options = o;
    if (!context_open(&o->exec, &job.context, error))
        return false;
    bool done = run_job(&job, error);
    stored_close(&job.original);
    stored_close(&job.other);
    zt_context_free(job.context);
    return done;
}
