/* whole.c: ztile compress data.nc -o data_z.nc: a netCDF-4 or HDF5 file, written again with its
 * float variables through one of ztile's HDF5 filters; and ztile decompress, the way back. */
#include "cmd/whole.h"
#include "ztile_quality.h"
#include "ztile_sz.h"

#include "store/bytes.h"
#include "util/errors.h"
#include "util/memory.h"
#include "util/numbers.h"
#include "util/progress.h"
#include "ztile_h5.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SMALL_BYTES = 1024, /* raw; below it a chunk's own header costs more than it gains */
    SHOWN = 12          /* variables in a summary that is not asked to be long */
};

struct whole_job {
    const struct options *options;
    const char *place;
    zt_context *context;
    struct progress progress;
    bool is_used[MAX_VARS]; /* of the options' variables */
    uint64_t kept, small, coordinates, already, grown, written;
    bool is_copy;                     /* the whole file */
    uint64_t raw_bytes, stored_bytes; /* of those written */
    zt_quality quality;               /* of the one that is checked */
};

/* ---- which variables, and how ---------------------------------------------------------------- */

/* NAME of "NAME:WORDS" is a path, or a variable's own name wherever it is. */
static bool is_named(const char *name, size_t bytes, const char *path)
{
    const char *last = strrchr(path, '/') + 1;
    path += name[0] != '/';
    return (strlen(path) == bytes && memcmp(path, name, bytes) == 0) ||
           (strlen(last) == bytes && memcmp(last, name, bytes) == 0);
}

/* The option that means a variable, -1 for none; *words are its own, or NULL. A name may hold
 * colons, so the whole of it is tried first. */
static int find_option(const struct options *o, const char *path, const char **words)
{
    int rest = -1;
    for (int i = 0; i < o->vars; i++) {
        const char *colon = strrchr(o->var[i], ':');
        const size_t name = colon ? (size_t)(colon - o->var[i]) : strlen(o->var[i]);
        *words = NULL;
        if (is_named(o->var[i], strlen(o->var[i]), path))
            return i;
        *words = colon ? colon + 1 : NULL;
        if (is_named(o->var[i], name, path))
            return i;
        if (name == 1 && o->var[i][0] == '*')
            rest = i;
    }
    *words = rest >= 0 ? strchr(o->var[rest], ':') : NULL;
    *words = *words ? *words + 1 : NULL;
    return rest;
}

/* What is asked of a variable, from its own words or from the command's. */
static bool find_config(const struct options *o, const char *path, const char *words,
                        struct ztile_h5_config *c, struct ztio_error *error)
{
    char text[512] = "";
    if (words) {
        (void)snprintf(text, sizeof text, "%s%s", words,
                       o->format == FORMAT_ZFP ? ",format=zfp" : "");
        /* the range is measured here, so that rel and psnr may come without it */
        const bool is_relative =
            (strstr(words, "rel=") && !strstr(words, "pwrel=")) || strstr(words, "psnr=");
        if (is_relative && !strstr(words, "range="))
            (void)strncat(text, ",range=0:0", sizeof text - strlen(text) - 1);
        return ztile_h5_parse(text, c) == 0 ||
               fail(error, ZTIO_BAD_USE, "--var: %s of %s: %s", words, path, c->error);
    }
    const zt_params *p = &o->params;
    memset(c, 0, sizeof *c);
    c->filter = o->format == FORMAT_ZFP ? ZTILE_H5_FILTER_ZFP : ZTILE_H5_FILTER;
    c->codec = p->codec;
    c->kind = p->bound.kind;
    c->flags = p->bound.flags;
    c->effort = p->effort == ZT_EFFORT_DEFAULT ? 0 : p->effort;
    c->value = p->bound.value;
    for (int i = 0; c->kind == ZT_EXPERT && i < 4; i++)
        c->expert[i] = (unsigned)(p->bound.words[i / 2] >> 32 * (i % 2));
    return true;
}

struct scan {
    zt_context *context;
    uint32_t type;
    zt_stats stats;
    zt_status status;
};

static bool scan_part(void *user, const void *values, uint64_t count)
{
    struct scan *s = user;
    const union {
        const void *in;
        void *array;
    } data = {.in = values};
    const zt_array a = zt_array_nd(data.array, (zt_type)s->type, 1, &count);
    s->status = zt_scan(s->context, &a, &s->stats);
    return s->status == ZT_OK;
}

static void take_fills(const struct ztio_variable *v, uint32_t *fills, uint64_t *fill)
{
    *fills = 0;
    for (size_t i = 0; i < v->missing_count && *fills < ZT_MAX_FILLS; i++)
        if (!isnan(v->missing[i]) &&
            zt_fill_bits((zt_type)v->type, v->missing[i], &fill[*fills]) == ZT_OK)
            ++*fills;
}

/* Of a whole variable: a filter sees one chunk at a time. For zfp's filter, rel becomes abs. */
static bool measure(struct whole_job *job, const struct ztio_variable *v, struct ztile_h5_config *c,
                    struct ztio_error *error)
{
    struct scan scan = {.context = job->context, .type = v->type};
    if (v->has_other_missing && c->filter == ZTILE_H5_FILTER)
        c->kind = ZT_LOSSLESS; /* the filter keeps one apart */
    if (c->kind != ZT_REL && c->kind != ZT_PSNR)
        return true;
    (void)zt_stats_init(&scan.stats, sizeof scan.stats);
    take_fills(v, &scan.stats.fills, scan.stats.fill);
    if (!ztio_scan_hdf5(job->place, v, scan_part, &scan, error))
        return scan.status != ZT_OK ? fail_zt(error, job->context, scan.status, job->place) : false;
    c->range[0] = isnan(scan.stats.min) ? 0 : scan.stats.min;
    c->range[1] = isnan(scan.stats.max) ? 0 : scan.stats.max;
    c->has_range = 1;
    if (c->filter == ZTILE_H5_FILTER_ZFP && c->kind == ZT_REL) {
        c->value *= c->range[1] - c->range[0];
        c->kind = c->value > 0 ? ZT_ABS : ZT_LOSSLESS;
    }
    return true;
}

/* What H5Z-ZFP's filter has no words for. */
static bool check_config(const struct ztile_h5_config *c, struct ztio_error *error)
{
    if (c->filter != ZTILE_H5_FILTER_ZFP)
        return true;
    if (c->codec > ZT_CODEC_ZFP || c->flags || c->effort || c->kind == ZT_PWREL ||
        c->kind == ZT_PSNR)
        return fail(error, ZTIO_BAD_USE,
                    "--format zfp, filter 32013, goes with --abs, --rel, --rate, --precision, "
                    "--lossless and --expert only; leave it out");
    return true;
}

static bool choose(void *user, const struct ztio_variable *v, struct ztio_choice *choice,
                   struct ztio_error *error)
{
    struct whole_job *job = user;
    const struct options *o = job->options;
    struct ztile_h5_config config;
    const char *words = NULL;
    const int at = find_option(o, v->path, &words);
    const bool is_named_itself = at >= 0 && o->var[at][0] != '*';
    if (at >= 0)
        job->is_used[at] = true;
    if (o->vars > 0 && at < 0) {
        job->kept++;
        return true;
    }
    if (v->has_our_filter && is_named_itself)
        return fail(error, ZTIO_BAD_USE,
                    "%s: %s is compressed by ztile or H5Z-ZFP already, and once more would add to "
                    "its error; decompress the file first",
                    job->place, v->path);
    if (!is_named_itself && (v->is_coordinate || v->has_our_filter || v->raw_bytes < SMALL_BYTES)) {
        ++*(v->is_coordinate ? &job->coordinates : v->has_our_filter ? &job->already : &job->small);
        return true;
    }
    if (!find_config(o, v->path, words, &config, error) || !check_config(&config, error) ||
        !measure(job, v, &config, error))
        return false;
    choice->what = ZTIO_FILTER;
    choice->is_asked = is_named_itself;
    choice->filter = config.filter;
    choice->words = ztile_h5_words(&config, choice->word);
    choice->may_have_ways = config.filter == ZTILE_H5_FILTER && config.codec != ZT_CODEC_ZFP &&
                            config.codec != ZT_CODEC_NDZIP && config.kind <= ZT_PSNR &&
                            config.effort != ZT_EFFORT_HIGH && config.ways == 0;
    choice->is_checked =
        config.filter == ZTILE_H5_FILTER_ZFP && config.kind == ZT_ABS && !o->no_verify;
    return true;
}

static unsigned ways_of(const void *chunk, size_t chunk_bytes)
{
    zt_info info;
    (void)zt_info_init(&info, sizeof info);
    return zt_inspect(NULL, chunk, chunk_bytes, &info) == ZT_OK ? zt_info_sz_ways(&info) : 0;
}

static void set_ways(struct ztio_choice *choice, unsigned ways)
{
    if (ways == 0)
        return;
    while (choice->words < ZTILE_H5_ASKED_WORDS)
        choice->word[choice->words++] = 0;
    choice->word[ZTILE_H5_ASKED_WORDS - 1] = ways;
}

static bool choose_plain(void *user, const struct ztio_variable *v, struct ztio_choice *choice,
                         struct ztio_error *error)
{
    struct whole_job *job = user;
    (void)error;
    job->kept += !v->has_our_filter;
    choice->what = v->has_our_filter ? ZTIO_PLAIN : ZTIO_KEEP;
    choice->is_asked = true;
    return true;
}

static bool begin(void *user, uint64_t total_bytes, struct ztio_error *error)
{
    struct whole_job *job = user;
    const struct options *o = job->options;
    char bound[CLI_TEXT_BYTES];
    for (int i = 0; i < o->vars; i++)
        if (!job->is_used[i] && o->var[i][0] != '*')
            return fail(error, ZTIO_BAD_USE,
                        "%s: --var %s names no float variable that has dimensions; 'ncdump -h' or "
                        "'h5dump -n' lists what there is",
                        job->place, o->var[i]);
    if (total_bytes == 0 && o->command == CMD_DECOMPRESS)
        return fail(error, ZTIO_BAD_DATA,
                    "%s: has no variable that ztile's filters or H5Z-ZFP compressed; it can be "
                    "used as it is",
                    job->place);
    if (total_bytes == 0 && job->already > 0)
        return fail(error, ZTIO_BAD_DATA,
                    "%s: its float variables are compressed by ztile or H5Z-ZFP already; "
                    "decompress it first to compress it otherwise",
                    job->place);
    if (total_bytes == 0)
        return fail(error, ZTIO_BAD_DATA,
                    "%s: holds no float variable of %d bytes or more beside its coordinates; name "
                    "one with --var to compress it all the same",
                    job->place, SMALL_BYTES);
    if (!o->quiet && o->command == CMD_COMPRESS)
        print(stderr, "%s: float variables through filter %d, %s%s\n", job->place,
              o->format == FORMAT_ZFP ? ZTILE_H5_FILTER_ZFP : ZTILE_H5_FILTER,
              format_bound(&o->params.bound, bound),
              o->has_bound || o->vars ? "" : " (no bound was given)");
    progress_begin(&job->progress, o->command == CMD_COMPRESS ? "compress" : "decompress",
                   total_bytes, o->quiet, job->context);
    return true;
}

/* ---- while it runs, and after ---------------------------------------------------------------- */

static void advance(void *user, uint64_t raw_bytes)
{
    struct whole_job *job = user;
    progress_slab(&job->progress, raw_bytes);
}

/* The error of zfp's streams is no promise, so it is measured. */
static void checked(void *user, const struct ztio_variable *v, const struct ztio_choice *choice,
                    const void *before, const void *after, uint64_t count)
{
    struct whole_job *job = user;
    const union {
        const void *in;
        void *array;
    } a = {.in = before}, b = {.in = after};
    const zt_array original = zt_array_nd(a.array, (zt_type)v->type, 1, &count);
    const zt_array decoded = zt_array_nd(b.array, (zt_type)v->type, 1, &count);
    job->quality.abs_bound = ztile_h5_get_double(choice->word + 2);
    take_fills(v, &job->quality.fills, job->quality.fill);
    (void)zt_compare(job->context, &original, &decoded, &job->quality);
}

/* Say what of a variable is off by more than was asked, once it is done. */
static void warn(struct whole_job *job, const struct ztio_variable *v)
{
    const zt_quality *q = &job->quality;
    if (q->values > 0 && (q->special_changed > 0 || q->beyond_bound > 0)) {
        progress_end(&job->progress);
        print(stderr,
              "ztile: warning: %s: %" PRIu64 " values are beyond the bound (the largest "
              "error is %.6g) and %" PRIu64 " fill values changed, as zfp's streams "
              "allow; without --format zfp none would be\n",
              v->path, q->beyond_bound, q->max_abs_error, q->special_changed);
    }
    (void)zt_quality_init(&job->quality, sizeof job->quality);
}

static void print_variable(const struct ztio_variable *v, uint64_t before, uint64_t after,
                           double ratio)
{
    char old[CLI_TEXT_BYTES], new[CLI_TEXT_BYTES], ratio_text[CLI_TEXT_BYTES];
    print(stderr, "  %s: %s, ", v->path, ztio_name_of_type(v->type));
    for (uint32_t i = 0; i < v->rank; i++)
        (void)fprintf(stderr, "%s%" PRIu64, i ? "x" : "", v->shape[i]);
    print(stderr, ", %s -> %s, ratio %s\n", format_size((double)before, old),
          format_size((double)after, new), format_ratio(ratio, ratio_text));
}

static void done(void *user, const struct ztio_variable *v, uint64_t stored_bytes)
{
    struct whole_job *job = user;
    const struct options *o = job->options;
    const bool is_back = o->command == CMD_DECOMPRESS;
    const uint64_t coded = is_back ? v->stored_bytes : stored_bytes;
    warn(job, v);
    job->raw_bytes += v->raw_bytes;
    job->stored_bytes += coded;
    if (!o->quiet && (o->verbose || job->written < SHOWN)) {
        if (job->progress.is_drawn)
            (void)fputs("\r\033[K", stderr);
        print_variable(v, is_back ? coded : v->raw_bytes, is_back ? v->raw_bytes : coded,
                       (double)v->raw_bytes / (double)(coded ? coded : 1));
    }
    job->written++;
}

static void kept(void *user, const struct ztio_variable *v)
{
    struct whole_job *job = user;
    job->grown++;
    (void)zt_quality_init(&job->quality, sizeof job->quality);
    if (!job->options->quiet && job->options->verbose)
        print(stderr, "  %s: would not become smaller\n", v->path);
}

static void copied(void *user)
{
    struct whole_job *job = user;
    job->is_copy = true;
}

static uint64_t bytes_of_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* What float variables were not touched, and why. */
static void print_left(const struct whole_job *job)
{
    const struct {
        uint64_t count;
        const char *what;
    } parts[] = {{job->coordinates, "coordinates, bounds or the like"},
                 {job->small, "smaller than 1024 bytes"},
                 {job->grown, "that would not become smaller"},
                 {job->already, "compressed before"},
                 {job->kept, job->options->command == CMD_COMPRESS ? "not asked for"
                                                                   : "other float variables"}};
    bool is_begun = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count > 0) {
            (void)fprintf(stderr, "%s%" PRIu64 " %s",
                          is_begun ? ", " : "  as they were: ", parts[i].count, parts[i].what);
            is_begun = true;
        }
    if (is_begun)
        (void)fputc('\n', stderr);
}

static void print_summary(const struct whole_job *job, double seconds)
{
    const struct options *o = job->options;
    char old[CLI_TEXT_BYTES], new[CLI_TEXT_BYTES], ratio[CLI_TEXT_BYTES], speed[CLI_TEXT_BYTES];
    const double before = (double)bytes_of_file(job->place), after = (double)bytes_of_file(o->out);
    if (job->written > SHOWN && !o->verbose)
        (void)fprintf(stderr, "  and %" PRIu64 " more (-v lists them)\n", job->written - SHOWN);
    print_left(job);
    if (job->is_copy) {
        print(stderr, "%s: would not become smaller than %s and is a copy of it\n", o->out,
              job->place);
        return;
    }
    print(stderr, "%s: %s -> %s, ratio %s%s\n", o->out, format_size(before, old),
          format_size(after, new),
          format_ratio(o->command == CMD_COMPRESS ? before / after : after / before, ratio),
          format_speed((double)job->raw_bytes, seconds, speed));
}

/* ---- the two subcommands --------------------------------------------------------------------- */

bool is_hdf5_name(const char *path)
{
    static const char *const suffixes[] = {".nc", ".nc4", ".h5", ".hdf5", ".he5"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (has_suffix(path, suffixes[i]))
            return true;
    return false;
}

bool is_zarr_name(const char *path)
{
    return has_suffix(path, ".zarr") || has_suffix(path, ".zarr/");
}

bool wants_whole_file(const struct options *o)
{
    if (is_zarr_name(o->operand[0]) || (o->out && is_zarr_name(o->out)))
        return true;
    return o->command == CMD_COMPRESS ? o->vars > 0 || (o->out && is_hdf5_name(o->out))
                                      : ztio_is_hdf5(o->operand[0]);
}

/* Options that a filter's words cannot say. */
static bool check_options(const struct options *o, struct ztio_error *error)
{
    zt_params defaults;
    (void)zt_params_init(&defaults, sizeof defaults);
    const zt_params *p = &o->params;
    const char *odd =
        o->has_slab_bytes                                         ? "--slab-bytes"
        : o->fills > 0                                            ? "--fill"
        : o->hints.type || o->hints.rank                          ? "--type or --shape"
        : o->format == FORMAT_NDZIP                               ? "--format ndzip"
        : !o->zfp_header                                          ? "--zfp-header"
        : o->box                                                  ? "--box"
        : o->exec.isa != ZT_ISA_AVX512                            ? "--isa"
        : o->exec.policy != ZT_SERIAL && o->exec.policy != ZT_OMP ? "--exec cuda"
        : !isnan(p->range_lo)                                     ? "--range"
        : !isnan(p->within_lo) || !isnan(p->within_hi)            ? "--within"
        : p->mean.kind != ZT_LOSSLESS ? "a bound on the mean beside another"
        : p->bound.kind > ZT_EXPERT   ? "a bound on the mean other than --psnr"
        : o->has_method || o->has_transform || o->has_multiples || o->has_prediction ? "--method"
        : p->codec_words[0] != 0 ? "--zfp-word-bits"
        : p->index != defaults.index || p->index_chunk != defaults.index_chunk ||
                p->index_partition != defaults.index_partition
            ? "--index"
        : o->dry_run                                    ? "--dry-run"
        : o->explain                                    ? "--explain"
        : o->has_plan                                   ? "--plan"
        : p->prefer != defaults.prefer                  ? "--prefer"
        : o->allow_nonfinite && o->format != FORMAT_ZFP ? "--allow-nonfinite without --format zfp"
                                                        : NULL;
    return !odd || fail(error, ZTIO_BAD_USE, "%s: %s is not for whole files; leave it out",
                        o->operand[0], odd);
}

static bool check_places(const struct options *o, struct ztio_error *error)
{
    const char *in = o->operand[0];
    if (is_zarr_name(in) || (o->out && is_zarr_name(o->out)))
        return fail(error, ZTIO_LACKING,
                    "%s: Zarr stores are written through Python only: "
                    "zarr.create_array(..., serializer=ztile.zarr.ZTileCodec(...)), see 'Zarr' in "
                    "docs/python.md",
                    is_zarr_name(in) ? in : o->out);
    if (!o->out || !is_hdf5_name(o->out))
        return fail(error, ZTIO_BAD_USE,
                    "%s: a whole file goes to another whole file; name one with -o that ends in "
                    ".nc or .h5",
                    in);
    const char *colon = strrchr(in, ':');
    if (colon && access(in, F_OK) != 0)
        return fail(error, ZTIO_BAD_USE,
                    "%s: one variable goes to a .zt file; for a whole file with only this one "
                    "compressed, name the file and --var %s",
                    in, colon + 1);
    if (strcmp(in, "-") == 0)
        return fail(error, ZTIO_BAD_USE,
                    "standard input: netCDF and HDF5 are read from files "
                    "only; name one");
    return true;
}

/* The filters read it from the environment, wherever they run. */
static void set_threads(const struct options *o)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%" PRIu32,
                   o->exec.policy == ZT_SERIAL ? 1 : o->exec.omp.threads);
    (void)setenv("ZTILE_THREADS", text, 1);
    if (o->allow_nonfinite)
        (void)setenv("ZTILE_ALLOW_NONFINITE", "1", 1);
}

bool run_whole(const struct options *o, struct ztio_error *error)
{
    struct whole_job job = {.options = o, .place = o->operand[0]};
    const bool is_back = o->command == CMD_DECOMPRESS;
    const struct ztio_rewrite how = {.user = &job,
                                     .threads = threads_of(&o->exec),
                                     .choose = is_back ? choose_plain : choose,
                                     .begin = begin,
                                     .advance = advance,
                                     .checked = checked,
                                     .ways_of = ways_of,
                                     .set_ways = set_ways,
                                     .done = done,
                                     .kept = kept,
                                     .copied = copied};
    keep_freed_memory();
    if (!check_places(o, error) || !check_options(o, error) ||
        !context_open(&o->exec, &job.context, error))
        return false;
    set_threads(o);
    (void)zt_quality_init(&job.quality, sizeof job.quality);
    const double began = now_seconds();
    const struct ztio_creation creation = creation_of(o);
    const bool is_done = ztio_rewrite_hdf5(job.place, o->out, &creation, &how, error);
    progress_end(&job.progress);
    if (is_done && !o->quiet)
        print_summary(&job, now_seconds() - began);
    zt_context_free(job.context);
    return is_done;
}
