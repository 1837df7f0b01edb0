/* plan.c: ztile plan, and what --explain and --dry-run say: under which order of axes, rank and
 * codec an array gets small. */
#include "cmd/plan.h"

#include "cmd/commands.h"
#include "cmd/compress/fill_check.h"
#include "cmd/compress/range.h"
#include "cmd/compress/shape_check.h"
#include "store/fill.h"
#include "util/errors.h"
#include "util/memory.h"
#include "util/numbers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONS_MOST = 64, OTHERS_SHOWN = 4 };

/* "1446x480, axes 0+1+2 3" or "as it is". */
const char *format_plan(const zt_plan *plan, char *text)
{
    size_t used;
    if (plan->rank == 0)
        return strcpy(text, "as it is");
    (void)ztio_format_shape(plan->coded_rank, plan->coded_shape, text);
    used = strlen(text);
    used += (size_t)snprintf(text + used, CLI_TEXT_BYTES - used, ", axes");
    for (uint32_t k = 0; k < plan->rank; k++)
        used += (size_t)snprintf(text + used, CLI_TEXT_BYTES - used, "%s%u",
                                 plan->joined[k] ? "+" : " ", plan->axis[k]);
    return text;
}

/* "sz fast", "transform", "lossless"; the effort of others has no name. */
static const char *format_codec(const zt_option *option, char *text)
{
    const bool has_effort = option->codec == ZT_CODEC_SZ && option->effort != ZT_EFFORT_DEFAULT;
    if (option->lossless)
        return strcpy(text, "lossless");
    if (option->method)
        return strcpy(text, name_of_method(option->method));
    (void)snprintf(text, CLI_TEXT_BYTES, "%s%s%s", name_of_codec(option->codec),
                   has_effort ? " " : "", has_effort ? name_of_effort(option->effort) : "");
    return text;
}

static bool find_options(const struct compress_job *job, const zt_array *slab, zt_option *options,
                         uint32_t *count, struct ztio_error *error)
{
    const zt_status status =
        zt_plan_options(job->context, slab, &job->params, options, OPTIONS_MOST, count);
    return status == ZT_OK || fail_zt(error, job->context, status, input_name(job->place));
}

static double bytes_of(const zt_array *a)
{
    double bytes = (double)zt_type_bytes(a->type);
    for (uint32_t i = 0; i < a->rank; i++)
        bytes *= (double)a->shape[i];
    return bytes;
}

/* What samples said, and what came out where all was coded: of the bytes of the stream alone. */
static void print_option(FILE *file, const char *what, const zt_option *option, double raw_bytes)
{
    char codec[CLI_TEXT_BYTES], plan[CLI_TEXT_BYTES], samples[CLI_TEXT_BYTES] = "-",
                                                      coded[CLI_TEXT_BYTES] = "-";
    if (option->stream_bytes > 0)
        (void)snprintf(samples, sizeof samples, "%.2f", raw_bytes / option->stream_bytes);
    if (option->coded_bytes > 0)
        (void)snprintf(coded, sizeof coded, "%.2f", raw_bytes / option->coded_bytes);
    print(file, "  %-9s %-10s %-36s %10s %10s\n", what, format_codec(option, codec),
          format_plan(&option->plan, plan), samples, coded);
}

/* The one that was taken, or that is the best by samples; all that were coded too, and of the
 * others the first few. */
static void print_options(FILE *file, const zt_option *options, uint32_t count, double raw_bytes)
{
    uint32_t shown = 0;
    print(file, "  %-9s %-10s %-36s %10s %10s\n", "", "codec", "coded as", "samples", "coded");
    print_option(file, options[0].coded_bytes > 0 ? "chosen" : "best", &options[0], raw_bytes);
    for (uint32_t i = 1; i < count; i++)
        if (options[i].coded_bytes > 0 || shown++ < OTHERS_SHOWN)
            print_option(file, "instead", &options[i], raw_bytes);
}

void explain_options(const struct compress_job *job, const zt_writer *writer)
{
    zt_option options[OPTIONS_MOST];
    const uint32_t count = zt_writer_options(writer, options, OPTIONS_MOST);
    const uint64_t extent = zt_writer_slab_extent(writer);
    const uint64_t slices = job->slices < extent ? job->slices : extent;
    print(stderr, "%s: ratios%s%s:\n", input_name(job->place),
          slices < job->slices ? " of the first frame" : "",
          job->params.codec != ZT_CODEC_AUTO         ? ""
          : job->params.prefer == ZT_PREFER_SPEED    ? ", and speed counts more"
          : job->params.prefer == ZT_PREFER_BALANCED ? ", and speed counts too"
                                                     : "");
    print_options(stderr, options, count, (double)slices * (double)job->slice_bytes);
}

/* ---- the first slab of an array ---- */

/* Read so many slices that they are about as much as a frame; *slab is to be freed by its data. */
static bool read_first(struct compress_job *job, zt_array *slab, struct ztio_error *error)
{
    enum { SLAB_BYTES = 64 << 20 };
    uint64_t shape[ZT_MAX_RANK], got;
    void *values;
    memcpy(shape, job->meta->shape, sizeof shape);
    const uint64_t most =
        job->slice_bytes < SLAB_BYTES && job->slice_bytes ? SLAB_BYTES / job->slice_bytes : 1;
    shape[0] = shape[0] < most ? shape[0] : most;
    if (!allocate(&values, shape[0] * job->slice_bytes, input_name(job->place), error))
        return false;
    if (!ztio_read(job->input, 0, shape[0], values, &got, error) ||
        (got == 0 && !fail_empty(job, error))) {
        free(values);
        return false;
    }
    shape[0] = got;
    *slab = zt_array_nd(values, (zt_type)job->meta->type, job->meta->rank, shape);
    return true;
}

/* How long coding a piece of the array takes, for each byte. */
static bool time_piece(struct compress_job *job, const zt_array *slab, double *seconds,
                       struct ztio_error *error)
{
    size_t capacity = 0, n = 0;
    void *out = NULL;
    zt_params params = job->params;
    zt_status status = zt_compress_bound(job->context, slab, &params, &capacity);
    bool done = status == ZT_OK && allocate(&out, capacity, input_name(job->place), error);
    const double began = now_seconds();
    if (done)
        status = zt_compress(job->context, slab, &params, out, capacity, &n);
    *seconds = (now_seconds() - began) / bytes_of(slab);
    free(out);
    return status == ZT_OK ? done : fail_zt(error, job->context, status, input_name(job->place));
}

bool run_dry(struct compress_job *job, struct ztio_error *error)
{
    zt_option options[OPTIONS_MOST];
    uint32_t count = 0;
    zt_array slab = {.data = NULL};
    double seconds = 0;
    char raw_text[CLI_TEXT_BYTES], coded_text[CLI_TEXT_BYTES], ratio[CLI_TEXT_BYTES];
    bool done = read_first(job, &slab, error) && find_options(job, &slab, options, &count, error) &&
                time_piece(job, &slab, &seconds, error);
    if (done) {
        const zt_option *taken = &options[0];
        for (uint32_t i = 1; i < count && job->params.plan == ZT_PLAN_OFF; i++)
            if (options[i].codec == options[0].codec && options[i].plan.rank == 0 &&
                options[i].stream_bytes > 0)
                taken = &options[i];
        const double raw = (double)job->meta->shape[0] * (double)job->slice_bytes;
        const double part = raw / bytes_of(&slab);
        print(stderr,
              "%s: %s -> about %s, ratio %s, in about %.2g s; nothing was "
              "written\n",
              input_name(job->place), format_size(raw, raw_text),
              format_size(taken->stream_bytes * part, coded_text),
              format_ratio(bytes_of(&slab) / taken->stream_bytes, ratio), seconds * raw);
        if (job->options->explain)
            print_options(stderr, options, count, bytes_of(&slab));
    }
    free(slab.data);
    return done;
}

/* ---- ztile plan ---- */

/* What to do to an array before it is coded as a bare stream: in NumPy's words. */
static void print_advice(const zt_option *option)
{
    const zt_plan *plan = &option->plan;
    char shape[CLI_TEXT_BYTES];
    (void)printf("  bare stream  %s: ", name_of_codec(option->codec));
    if (plan->rank == 0) {
        (void)printf("keep the shape\n");
        return;
    }
    (void)printf("numpy: a.transpose(");
    for (uint32_t k = 0; k < plan->rank; k++)
        (void)printf("%s%u", k ? ", " : "", plan->axis[k]);
    (void)printf(").reshape(");
    for (uint32_t k = 0; k < plan->coded_rank; k++)
        (void)printf("%s%" PRIu64, k ? ", " : "", plan->coded_shape[k]);
    (void)printf("), then -s %s\n", ztio_format_shape(plan->coded_rank, plan->coded_shape, shape));
}

/* The best plan of one codec. */
static bool advise(struct compress_job *job, const zt_array *slab, uint32_t codec,
                   struct ztio_error *error)
{
    zt_option options[OPTIONS_MOST];
    uint32_t count = 0;
    const uint32_t asked = job->params.codec;
    job->params.codec = codec;
    const bool found = find_options(job, slab, options, &count, error);
    job->params.codec = asked;
    if (found)
        print_advice(&options[0]);
    return found;
}

static bool plan_job(struct compress_job *job, struct ztio_error *error)
{
    const struct options *o = job->options;
    zt_option options[OPTIONS_MOST];
    uint32_t count = 0;
    zt_array slab = {.data = NULL};
    char text[CLI_TEXT_BYTES], bound[CLI_TEXT_BYTES];
    const bool has_hints = o->hints.type || o->hints.rank;
    job->input = ztio_open(job->place, has_hints ? &o->hints : NULL, error);
    if (!job->input)
        return false;
    job->meta = ztio_meta_of(job->input);
    job->params = o->params;
    if (!count_slice_bytes(job->meta->type, job->meta->rank, job->meta->shape, &job->slice_bytes))
        return fail(error, ZTIO_BAD_USE,
                    "%s: the shape has more bytes than 64 bits count; check -s",
                    input_name(job->place));
    if (!find_fills(o, job->place, job->meta->type, job->meta, &job->params.fills, job->params.fill,
                    error) ||
        !measure_range(job, error) || !read_first(job, &slab, error))
        return false;
    bool done = find_options(job, &slab, options, &count, error);
    if (done) {
        print(stdout, "%s: %s, shape %s (slowest first), %s\n", input_name(job->place),
              ztio_name_of_type(job->meta->type),
              ztio_format_shape(job->meta->rank, job->meta->shape, text),
              format_bounds(&job->params.bound, &job->params.mean, bound));
        print_options(stdout, options, count, bytes_of(&slab));
        warn_of_shape(job, &slab);
        done = far_check(job, &slab, error);
        if (done && job->params.bound.kind != ZT_PWREL && job->params.mean.kind == ZT_LOSSLESS &&
            !is_mean_bound(job->params.bound.kind))
            done = advise(job, &slab, ZT_CODEC_ZFP, error); /* which has no mode for these */
    }
    if (done && job->params.bound.kind == ZT_LOSSLESS)
        done = advise(job, &slab, ZT_CODEC_NDZIP, error);
    free(slab.data);
    return done;
}

bool run_plan(const struct options *o, struct ztio_error *error)
{
    struct compress_job job = {.options = o, .place = o->operand[0]};
    if (!context_open(&o->exec, &job.context, error))
        return false;
    const bool done = plan_job(&job, error);
    far_free(&job);
    ztio_close(job.input);
    zt_context_free(job.context);
    return done;
}
