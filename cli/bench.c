/* bench.c: ztile bench --index-study: read the arrays, measure, report. study.h has the parts. */
#include "study.h"

#include "picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Read a whole array; its NaN would be found only after minutes of work on others. */
static bool read_file(struct study *s, const char *place, struct ztio_error *error)
{
    const struct options *o = s->options;
    const char *name = input_name(place);
    struct study_file *f = &s->file[s->files];
    uint64_t got;
    if (s->files == STUDY_FILES)
        return fail(error, ZTIO_BAD_USE, "%s: bench takes at most %d arrays; leave some out", name,
                    STUDY_FILES);
    s->files++;
    *f = (struct study_file){.place = strdup(place), .tiles = 1};
    if (!f->place)
        return fail(error, ZTIO_LACKING, "%s: no memory for its name; free some", name);
    struct ztio_input *input = ztio_open(place, o->hints.type || o->hints.rank ? &o->hints : NULL,
                                         error);
    if (!input)
        return false;
    const struct ztio_meta *meta = ztio_meta_of(input);
    f->type = meta->type;
    f->rank = meta->rank;
    memcpy(f->shape, meta->shape, sizeof f->shape);
    bool done = f->shape[0] != ZT_UNKNOWN ||
                fail(error, ZTIO_BAD_USE,
                     "%s: bench needs to know the whole shape; give it with -s", name);
    done = done && (count_bytes(f->type, f->rank, f->shape, &f->raw_bytes) ||
                    fail(error, ZTIO_BAD_USE,
                         "%s: the shape has more bytes than 64 bits count; check -s", name));
    done = done && (f->raw_bytes > 0 || fail(error, ZTIO_BAD_USE,
                                             "%s: has no values to measure with; leave it out",
                                             name));
    done = done && allocate(&f->values, f->raw_bytes, name, error) &&
           ztio_read(input, 0, f->shape[0], f->values, &got, error);
    ztio_close(input);
    return done;
}

/* What of a file follows from its shape and values. */
static bool check_file(const struct study *s, struct study_file *f, struct ztio_error *error)
{
    zt_stats stats;
    const zt_array a = zt_array_nd(f->values, (zt_type)f->type, f->rank, f->shape);
    (void)zt_stats_init(&stats, sizeof stats);
    zt_status status = zt_scan(s->context, &a, &stats);
    if (status != ZT_OK)
        return fail_zt(error, s->context, status, input_name(f->place));
    if (stats.nan_values || stats.inf_values)
        return fail(error, ZTIO_BAD_DATA,
                    "%s: holds NaN or infinities, which fixed precision cannot keep; leave it out",
                    input_name(f->place));
    for (uint32_t i = 0; i < f->rank; i++)
        f->tiles *= f->shape[i] / 4 + (f->shape[i] % 4 != 0);
    while (f->chunks < STUDY_CHUNKS && study_chunk(f->chunks) <= f->tiles)
        f->chunks++;
    return true;
}

static bool read_files(struct study *s, char **places, size_t count, struct ztio_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!read_file(s, places[i], error) || !check_file(s, &s->file[s->files - 1], error))
            return false;
    return true;
}

/* 1, 2, 3 .. 16, 24, 32, 48 .. and all. */
static void choose_threads(struct study *s)
{
    long all = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t most = all > 1024 ? 1024 : all > 0 ? (uint32_t)all : 1;
    if (s->options->omp.threads)
        most = s->options->omp.threads;
    if (s->options->policy == ZT_SERIAL || zt_context_policy(s->context) == ZT_SERIAL)
        most = 1;
    for (uint32_t n = 1, step = 1; n < most; n += step) {
        s->threads[s->counts++] = n;
        if (n >= 16 && (n & (n - 1)) == 0)
            step = n / 2;
    }
    s->threads[s->counts++] = most;
}

/* Known before the work is done, not after. */
static bool prepare_directory(const struct options *o, struct ztio_error *error)
{
    static const char *const names[] = {"index-overhead.csv", "index-throughput.csv",
                                        "index-speedup.csv",  "index-overhead.png",
                                        "index-throughput.png", "index-speedup.png"};
    struct stat st;
    if (!o->out)
        return true;
    if (mkdir(o->out, 0777) != 0 && (stat(o->out, &st) != 0 || !S_ISDIR(st.st_mode)))
        return fail(error, ZTIO_IO_ERROR, "%s: cannot be a directory: %s; name another", o->out,
                    strerror(errno));
    for (size_t i = 0; !o->force && i < sizeof names / sizeof *names; i++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/%s", o->out, names[i]);
        if (stat(path, &st) == 0)
            return fail(error, ZTIO_BAD_USE, "%s exists; -f overwrites it", path);
    }
    return true;
}

static bool report(const struct study *s, struct ztio_error *error)
{
    struct ztio_error no_picture = {0, ""};
    if (s->options->json)
        study_print_json(s);
    else
        study_print(s);
    if (!s->options->out)
        return true;
    if (!study_save_csv(s, error))
        return false;
    const bool has_pictures = can_save_pictures(&no_picture);
    if (has_pictures && !study_save_plots(s, error))
        return false;
    if (!s->options->json && !has_pictures)
        (void)printf("\nno plots: %s\n", no_picture.sentence);
    if (!s->options->json)
        (void)printf("\n%s/index-{overhead,throughput,speedup}.{csv%s}: all of it\n",
                     s->options->out, has_pictures ? ",png" : "");
    return true;
}

/* Several where an operand is a netCDF or HDF5 file and names no variable. */
static bool read_operand(struct study *s, char *operand, struct ztio_error *error)
{
    char **places;
    size_t count;
    if (strcmp(operand, "-") == 0)
        return read_files(s, &operand, 1, error);
    if (!ztio_places(operand, &places, &count, error))
        return false;
    bool done = read_files(s, places, count, error);
    ztio_places_free(places, count);
    return done;
}

static bool run(struct study *s, struct ztio_error *error)
{
    const struct options *o = s->options;
    if (!context_open(o, &s->context, error) || !prepare_directory(o, error))
        return false;
    for (int i = 0; i < o->operands; i++)
        if (!read_operand(s, o->operands_all[i], error))
            return false;
    choose_threads(s);
    return study_measure(s, error) && report(s, error);
}

bool run_bench(const struct options *o, struct ztio_error *error)
{
    if (!o->index_study)
        return fail(error, ZTIO_LACKING,
                    "bench without --index-study is not in this version; 'make bench' runs "
                    "bench/'s ztile_bench, which compares speeds with libzfp's");
    if (!o->operands)
        return fail(error, ZTIO_BAD_USE,
                    "bench takes one or more arrays; see 'ztile bench --help'");
    struct study *s = calloc(1, sizeof *s);
    if (!s)
        return fail(error, ZTIO_LACKING, "bench: no memory; free some");
    s->options = o;
    bool done = run(s, error);
    for (int i = 0; i < s->files; i++) {
        free(s->file[i].values);
        free(s->file[i].place);
    }
    zt_context_free(s->context);
    free(s);
    return done;
}
