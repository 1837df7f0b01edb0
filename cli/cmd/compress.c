/* compress.c: ztile compress: an array, slab by slab, into a .zt file; compress/bare.c has
 * the bare streams. */
#include "cmd/commands.h"

#include "cmd/compress/bare.h"
#include "cmd/compress/fill_check.h"
#include "cmd/compress/range.h"
#include "cmd/compress/scan.h"
#include "cmd/compress/shape_check.h"
#include "cmd/each.h"
#include "cmd/plan.h"
#include "cmd/whole.h"
#include "store/fill.h"
#include "store/zfp_mode.h"
#include "util/errors.h"
#include "util/numbers.h"
#include "util/paths.h"
#include "ztile_expert.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail_writer(struct compress_job *job, zt_status status, struct ztio_error *error)
{
    if (job->sink.error.exit_status) {
        *error = job->sink.error;
        return false;
    }
    return fail_zt(error, job->context, status, input_name(job->place));
}

/* Slices of the input: as they are in the file, or a temporary one, or read into *memory, which is
 * allocated when it is needed first, for that many. */
static bool next_slab(struct compress_job *job, uint64_t first, uint64_t extent, void **memory,
                      const void **values, uint64_t *got, struct ztio_error *error)
{
    *got = extent;
    *values = ztio_map(job->input, first, extent);
    if (*values)
        return true;
    if (!ztio_hold(job->input, extent, values, got, error))
        return false;
    if (*values || *got == 0)
        return true;
    if (!*memory && !allocate_slab(job, extent, memory, error))
        return false;
    *values = *memory;
    return ztio_read(job->input, first, extent, *memory, got, error);
}

/* One frame. It is scanned here, while parts of it are in a cache, if it was not before. */
static bool put_slab(struct compress_job *job, zt_writer *writer, const zt_array *slab,
                     uint64_t first, struct ztio_error *error)
{
    const bool is_lossless =
        job->params.bound.kind == ZT_LOSSLESS && job->params.fills == 0 && !job->far;
    zt_stats stats;
    if (!is_lossless && job->frame_stats) {
        stats = job->frame_stats[first / job->frame_slices];
    } else if (!is_lossless) {
        stats_begin(job, &stats);
        if (!scan_slices(job, slab, 0, &stats, error))
            return false;
    }
    const bool is_frame =
        job->meta->shape[0] != ZT_UNKNOWN || slab->shape[0] == zt_writer_slab_extent(writer);
    const zt_status status = is_lossless || !is_frame ? zt_writer_put(writer, slab)
                                                      : zt_writer_put_scanned(writer, slab, &stats);
    return status == ZT_OK || fail_writer(job, status, error);
}

static bool put_slabs(struct compress_job *job, zt_writer *writer, struct ztio_error *error)
{
    uint64_t shape[ZT_MAX_RANK], total = job->meta->shape[0], got = 0;
    uint64_t step = zt_writer_slab_extent(writer);
    bool is_known = total != ZT_UNKNOWN, done = true;
    void *slab = NULL;
    step = is_known && total < step ? total : step;
    if (!far_open(job, error))
        return false;
    memcpy(shape, job->meta->shape, sizeof shape);
    for (uint64_t first = 0; done && first < total; first += got) {
        uint64_t want = is_known && total - first < step ? total - first : step;
        const void *values = NULL;
        done = next_slab(job, first, want, &slab, &values, &got, error);
        if (!done || got == 0)
            break;
        shape[0] = got;
        job->slices += got;
        progress_slab(&job->progress, got * job->slice_bytes);
        zt_array a = zt_array_const_nd(values, (zt_type)job->meta->type, job->meta->rank, shape);
        if (first == 0 && !job->options->quiet)
            warn_of_shape(job, &a);
        done = put_slab(job, writer, &a, first, error);
        if (got < want)
            break;
    }
    free(slab);
    if (done)
        far_warn(job);
    return done && (job->slices > 0 || fail_empty(job, error));
}

/* Samples are all over a slab. */
static void note_stage(void *user, zt_stage stage)
{
    const struct compress_job *const job = user;
    if (stage == ZT_STAGE_SAMPLES)
        ztio_map_sampled(job->input);
}

static bool compress_zt(struct compress_job *job, struct ztio_error *error)
{
    const struct options *o = job->options;
    const struct ztio_meta *meta = job->meta;
    zt_writer *writer;
    if (o->allow_nonfinite || o->no_verify || !o->zfp_header)
        return fail(error, ZTIO_BAD_USE,
                    "%s: %s is for bare zfp streams; add --format zfp, or leave it out",
                    output_name(job->out),
                    o->allow_nonfinite ? "--allow-nonfinite"
                    : o->no_verify     ? "--no-verify"
                                       : "--zfp-header off");
    zt_array whole = zt_array_nd(NULL, (zt_type)meta->type, meta->rank, meta->shape);
    job->sink.input = job->input;
    zt_status status =
        zt_writer_open_store(job->context, &job->sink.store, &whole, &job->params, &writer);
    if (status != ZT_OK)
        return fail_writer(job, status, error);
    (void)zt_context_set_stages(job->context, note_stage, job);
    bool is_known = meta->shape[0] != ZT_UNKNOWN;
    progress_begin(&job->progress, "compress",
                   is_known ? meta->shape[0] * job->slice_bytes : ZT_UNKNOWN, o->quiet,
                   job->context);
    bool done = put_slabs(job, writer, error);
    if (done) {
        status = zt_writer_close(writer);
        job->special_values = zt_writer_special_values(writer);
        job->mean_error = zt_writer_mean_error(writer);
        done = status == ZT_OK || fail_writer(job, status, error);
    }
    progress_end(&job->progress);
    if (done && job->options->explain)
        explain_options(job, writer);
    zt_writer_free(writer);
    return done;
}

static void print_mean_error(const struct compress_job *job)
{
    const zt_params *const p = &job->params;
    const zt_bound *const mean = is_mean_bound(p->bound.kind) ? &p->bound : &p->mean;
    char text[CLI_TEXT_BYTES];
    if (mean->kind == ZT_LOSSLESS)
        return;
    (void)format_mean_error(mean, job->mean_error, text);
    if (mean->kind != ZT_PSNR)
        (void)fprintf(stderr, "  %s %s\n", name_of_bound(mean->kind), text);
    else
        (void)fprintf(stderr, "  %s%s\n", isfinite(job->mean_error) ? "PSNR " : "", text);
}

static void print_summary(const struct compress_job *job)
{
    uint64_t shape[ZT_MAX_RANK], values;
    char shape_text[CLI_TEXT_BYTES], bound[CLI_TEXT_BYTES], raw[CLI_TEXT_BYTES],
        coded[CLI_TEXT_BYTES], ratio[CLI_TEXT_BYTES], speed[CLI_TEXT_BYTES], lo[CLI_TEXT_BYTES],
        hi[CLI_TEXT_BYTES];
    const struct ztio_meta *meta = job->meta;
    memcpy(shape, meta->shape, sizeof shape);
    shape[0] = job->slices;
    double raw_bytes = (double)job->slices * (double)job->slice_bytes;
    double file_bytes = (double)job->sink.written;
    (void)count_values(meta->rank, shape, &values);
    print(stderr, "%s: %s, shape %s (slowest first), %s%s\n", input_name(job->place),
          ztio_name_of_type(meta->type), ztio_format_shape(meta->rank, shape, shape_text),
          format_bounds(&job->params.bound, &job->params.mean, bound),
          job->options->has_bound ? "" : " (no bound was given)");
    if (job->special_values > 0)
        (void)fprintf(stderr, "  %" PRIu64 " NaN, infinite or fill values kept as they are\n",
                      job->special_values);
    print_mean_error(job);
    if (job->options->verbose && job->params.bound.kind != ZT_REL && is_of_range(&job->params))
        (void)fprintf(stderr, "  range %s:%s\n", format_exact(job->params.range_lo, lo),
                      format_exact(job->params.range_hi, hi));
    if (job->options->verbose && job->params.bound.kind == ZT_REL)
        (void)fprintf(stderr, "  range %s:%s, abs %.6g\n", format_exact(job->params.range_lo, lo),
                      format_exact(job->params.range_hi, hi), tolerance_of(&job->params));
    if (job->options->verbose)
        (void)fprintf(stderr, "  %" PRIu64 " -> %" PRIu64 " bytes in %.3f s\n",
                      job->slices * job->slice_bytes, job->sink.written, job->seconds);
    print(stderr, "%s: %s -> %s, ratio %s, %.3g bits per value%s\n", output_name(job->out),
          format_size(raw_bytes, raw), format_size(file_bytes, coded),
          format_ratio(raw_bytes / file_bytes, ratio), 8 * file_bytes / (double)values,
          format_speed(raw_bytes, job->seconds, speed));
}

/* By --format, else by the name of the output. */
static bool find_format(struct compress_job *job, struct ztio_error *error)
{
    job->format = job->options->format != FORMAT_AUTO ? job->options->format
                  : has_suffix(job->out, ".zfp")      ? FORMAT_ZFP
                  : has_suffix(job->out, ".ndz")      ? FORMAT_NDZIP
                                                      : FORMAT_ZT;
    if (job->format != FORMAT_ZT && job->options->fills > 0)
        return fail(error, ZTIO_BAD_USE,
                    "%s: --fill needs a .zt file: a bare stream has no place for fill values",
                    output_name(job->out));
    if (job->format != FORMAT_ZT && job->options->params.codec == ZT_CODEC_SZ)
        return fail(error, ZTIO_BAD_USE,
                    "%s: a bare stream is not what -c sz makes; name a .zt file",
                    output_name(job->out));
    const zt_params *const p = &job->options->params;
    if (job->format == FORMAT_ZFP && (p->bound.kind == ZT_PWREL || is_mean_bound(p->bound.kind)))
        return fail(error, ZTIO_BAD_USE,
                    "%s: zfp has no mode for --%s; name a .zt file, or use --abs or --rel",
                    output_name(job->out), name_of_bound(p->bound.kind));
    if (job->format != FORMAT_ZT &&
        (p->mean.kind != ZT_LOSSLESS || !isnan(p->within_lo) || !isnan(p->within_hi)))
        return fail(error, ZTIO_BAD_USE, "%s: --%s needs a .zt file: a bare stream cannot keep it",
                    output_name(job->out),
                    p->mean.kind != ZT_LOSSLESS ? name_of_bound(p->mean.kind) : "within");
    return true;
}

static bool run_job(struct compress_job *job, struct ztio_error *error)
{
    const struct options *o = job->options;
    bool has_hints = o->hints.type || o->hints.rank;
    double began = now_seconds();
    job->input = ztio_open(job->place, has_hints ? &o->hints : NULL, error);
    if (!job->input)
        return false;
    job->meta = ztio_meta_of(job->input);
    job->params = o->params;
    copy_utf8(job->meta->name, job->name, sizeof job->name);
    copy_utf8(job->meta->units, job->units, sizeof job->units);
    job->params.name = job->name[0] ? job->name : NULL;
    job->params.units = job->units[0] ? job->units : NULL;
    if (!count_slice_bytes(job->meta->type, job->meta->rank, job->meta->shape, &job->slice_bytes))
        return fail(error, ZTIO_BAD_USE,
                    "%s: the shape has more bytes than 64 bits count; check -s",
                    input_name(job->place));
    if (!find_format(job, error) ||
        (job->format == FORMAT_ZT && !find_fills(o, job->place, job->meta->type, job->meta,
                                                 &job->params.fills, job->params.fill, error)))
        return false;
    if (o->dry_run)
        return job->format == FORMAT_ZT
                   ? measure_range(job, error) && run_dry(job, error)
                   : fail(error, ZTIO_BAD_USE, "--dry-run is for .zt files; leave it out");
    const struct ztio_creation how = creation_of(o);
    if (!byte_sink_open(&job->sink, job->out, &how, error) || !measure_range(job, error))
        return false;
    if (!(job->format == FORMAT_ZFP     ? compress_zfp(job, error)
          : job->format == FORMAT_NDZIP ? compress_ndzip(job, error)
                                        : compress_zt(job, error)))
        return false;
    if (!ztio_map_is_good(job->input, error) || !byte_sink_commit(&job->sink, error) ||
        (job->index_sink.bytes && !byte_sink_commit(&job->index_sink, error)))
        return false;
    job->seconds = now_seconds() - began;
    if (!o->quiet)
        print_summary(job);
    return true;
}

static bool compress_place(const struct options *o, const char *place, char *out,
                           struct ztio_error *error)
{
    struct compress_job job = {.options = o, .place = place, .out = out};
    if (!context_open(&o->exec, &job.context, error))
        return false;
    bool done = run_job(&job, error);
    byte_sink_abandon(&job.sink);
    byte_sink_abandon(&job.index_sink);
    progress_end(&job.progress);
    far_free(&job);
    free(job.frame_stats);
    ztio_close(job.input);
    zt_context_free(job.context);
    return done;
}

/* The part of a place before the ':' of a variable; the whole of it where it has none. */
static size_t file_part(const char *place)
{
    if (access(place, F_OK) == 0)
        return strlen(place);
    for (const char *colon = strchr(place, ':'); colon; colon = strchr(colon + 1, ':')) {
        char *file = strndup(place, (size_t)(colon - place));
        bool exists = file && access(file, F_OK) == 0;
        free(file);
        if (exists)
            return (size_t)(colon - place);
    }
    return strlen(place);
}

/* field.f32 -> field.f32.zt; file.nc:wind -> file.wind.zt; in directory, where that is not NULL.
 * To be freed. */
static char *default_out(const char *place, const char *directory, const char *suffix)
{
    size_t file_bytes = file_part(place), start = 0;
    const char *variable = place + file_bytes;
    for (size_t i = 0; directory && i < file_bytes; i++)
        if (place[i] == '/')
            start = i + 1;
    if (*variable == ':') {
        variable += strspn(variable, ":/");
        for (size_t i = file_bytes; i-- > start && place[i] != '/';)
            if (place[i] == '.' && i > start) {
                file_bytes = i;
                break;
            }
    }
    size_t n = (directory ? strlen(directory) + 1 : 0) + strlen(place) + strlen(suffix) + 2;
    char *out = malloc(n);
    if (!out)
        return NULL;
    (void)snprintf(out, n, "%s%s%.*s%s", directory ? directory : "", directory ? "/" : "",
                   (int)(file_bytes - start), place + start, *variable ? "." : "");
    size_t used = strlen(out);
    for (; *variable; variable++)
        out[used++] = (char)(*variable == '/' ? '.' : *variable);
    memcpy(out + used, suffix, strlen(suffix) + 1);
    return out;
}

/* The name of the file for one place. */
static char *name_out(const struct options *o, const char *place)
{
    const char *suffix = o->format == FORMAT_ZFP     ? ".zfp"
                         : o->format == FORMAT_NDZIP ? ".ndz"
                                                     : ".zt";
    if (o->out && is_directory(o->out))
        return default_out(place, o->out, suffix);
    if (o->out || strcmp(place, "-") == 0)
        return strdup(o->out ? o->out : "-");
    return default_out(place, NULL, suffix);
}

/* Several variables need several files; only a device takes all. */
static bool name_all(const struct options *o, char **places, char **outs, size_t count,
                     struct ztio_error *error)
{
    bool is_shared = o->out && is_device(o->out);
    if (count > 1 && o->out && strcmp(o->out, "-") == 0)
        return fail(error, ZTIO_BAD_USE,
                    "standard output: takes one array, %s has %zu; name one as %s:NAME, or a "
                    "directory with -o",
                    o->operand[0], count, o->operand[0]);
    bool is_file_name =
        o->out && !is_directory(o->out) &&
        (has_suffix(o->out, ".zt") || has_suffix(o->out, ".zfp") || has_suffix(o->out, ".ndz"));
    if (count > 1 && is_file_name)
        return fail(error, ZTIO_BAD_USE,
                    "%s: names one file, but %s has %zu variables; name one as %s:NAME, or a "
                    "directory with -o",
                    o->out, o->operand[0], count, o->operand[0]);
    if (count > 1 && o->out && !is_shared && mkdir(o->out, 0777) != 0 && !is_directory(o->out))
        return fail(error, ZTIO_IO_ERROR,
                    "%s: cannot be a directory for %zu variables: %s; name another, or one "
                    "variable as %s:NAME",
                    o->out, count, strerror(errno), o->operand[0]);
    for (size_t i = 0; i < count; i++) {
        outs[i] = name_out(o, places[i]);
        if (!outs[i])
            return fail(error, ZTIO_LACKING, "%s: no memory for a file name; free some", places[i]);
        for (size_t j = 0; j < i && !is_shared; j++)
            if (strcmp(outs[i], outs[j]) == 0)
                return fail(error, ZTIO_BAD_USE,
                            "%s and %s would both be written to %s; name one at a time, with -o",
                            places[j], places[i], outs[i]);
    }
    return true;
}

static bool compress_places(const struct options *o, char **places, size_t count,
                            struct ztio_error *error)
{
    char **outs = calloc(count, sizeof *outs);
    if (!outs)
        return fail(error, ZTIO_LACKING, "%s: no memory for file names; free some", places[0]);
    bool done = name_all(o, places, outs, count, error);
    for (size_t i = 0; done && i < count; i++)
        done = compress_place(o, places[i], outs[i], error);
    for (size_t i = 0; i < count; i++)
        free(outs[i]);
    free(outs);
    return done;
}

static bool compress_one(const struct options *o, struct ztio_error *error)
{
    char **places, *single[1];
    size_t count;
    union { /* places are only read, but their list is not of const */
        const char *in;
        char *out;
    } operand = {.in = o->operand[0]};
    if (wants_whole_file(o))
        return run_whole(o, error);
    single[0] = operand.out;
    if (strcmp(operand.in, "-") == 0)
        return compress_places(o, single, 1, error);
    if (!ztio_places(operand.in, &places, &count, error))
        return false;
    bool done = count ? compress_places(o, places, count, error)
                      : fail(error, ZTIO_BAD_DATA,
                             "%s: holds no float variable of 1 to 4 dimensions; name one as "
                             "%s:NAME",
                             operand.in, operand.in);
    ztio_places_free(places, count);
    return done;
}

bool run_compress(const struct options *o, struct ztio_error *error)
{
    return run_each(o, compress_one, error);
}
