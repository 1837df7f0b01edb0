/* bench.c: ztile bench: which benchmark; and --index-study: read the arrays, measure, report.
 * study.h has its parts. */
#include "cmd/commands.h"
#include "ztile_quality.h"

#include "bench/end_to_end.h"
#include "bench/papers/papers.h"
#include "bench/rates.h"
#include "bench/stages.h"
#include "bench/study.h"
#include "draw/picture.h"
#include "util/errors.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    while (f->chunks < s->sizes && study_chunk(s, f->chunks) <= f->tiles)
        f->chunks++;
    return true;
}

/* An array's NaN would be found only after minutes of work on others. */
static bool take_file(void *user, struct bench_array *a, struct ztio_error *error)
{
    struct study *s = user;
    if (s->files == STUDY_FILES)
        return fail(error, ZTIO_BAD_USE, "%s: bench takes at most %d arrays; leave some out",
                    input_name(a->place), STUDY_FILES);
    struct study_file *f = &s->file[s->files++];
    *f = (struct study_file){.place = a->place,
                             .type = a->type,
                             .rank = a->rank,
                             .raw_bytes = a->raw_bytes,
                             .values = a->values,
                             .tiles = 1};
    memcpy(f->shape, a->shape, sizeof f->shape);
    a->place = NULL;
    a->values = NULL;
    return check_file(s, f, error);
}

/* 1, 2, 3 .. 16, 24, 32, 48 .. and all. */
static void choose_threads(struct study *s)
{
    long all = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t most = all > 1024 ? 1024 : all > 0 ? (uint32_t)all : 1;
    if (s->options->exec.omp.threads)
        most = s->options->exec.omp.threads;
    if (s->options->exec.policy == ZT_SERIAL || zt_context_policy(s->context) != ZT_OMP)
        most = 1;
    for (uint32_t n = 1, step = 1; n < most; n += step) {
        s->threads[s->counts++] = n;
        if (n >= 16 && (n & (n - 1)) == 0)
            step = n / 2;
    }
    s->threads[s->counts++] = most;
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
        print(stdout, "\n%s/index-{overhead,throughput%s}.{csv%s}: all of it\n", s->options->out,
              study_is_on_gpu(s) ? "" : ",speedup", has_pictures ? ",png" : "");
    return true;
}

static bool run(struct study *s, struct ztio_error *error)
{
    static const char *const names[] = {"index-overhead.csv",
                                        "index-throughput.csv",
                                        "index-speedup.csv",
                                        "index-overhead.png",
                                        "index-throughput.png",
                                        "index-speedup.png",
                                        NULL};
    const struct options *o = s->options;
    if (!context_open(&o->exec, &s->context, error) || !bench_prepare_directory(o, names, error))
        return false;
    study_choose(s);
    if (!bench_read_all(o, take_file, s, error))
        return false;
    choose_threads(s);
    return study_measure(s, error) && report(s, error);
}

bool run_bench(const struct options *o, struct ztio_error *error)
{
    if (o->huffman)
        return run_bench_huffman(o, error);
    if (!o->operands)
        return fail(error, ZTIO_BAD_USE,
                    "bench takes one or more arrays; see 'ztile bench --help'");
    if (o->end_to_end)
        return run_bench_end_to_end(o, error);
    if (o->stages)
        return run_bench_stages(o, error);
    if (!o->index_study)
        return run_bench_rates(o, error);
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
