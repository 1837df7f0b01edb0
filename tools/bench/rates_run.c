/* rates_run.c: ztile bench FILE...: read the arrays, measure, report. rates.h has the parts. */
#include "bench/rates.h"

#include "bench/papers/papers.h"
#include "draw/picture.h"
#include "store/fill.h"
#include "util/errors.h"
#include "util/memory.h"
#include "ztile_quality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What of an array is known before it is coded. */
static bool scan(const struct rates *r, struct subject *s, const struct bench_array *a,
                 struct ztio_error *error)
{
    zt_stats stats;
    const struct ztio_meta meta = {.has_fill = a->has_fill, .fill = a->fill};
    const zt_array array = zt_array_nd(s->values, (zt_type)s->type, s->rank, s->shape);
    (void)zt_stats_init(&stats, sizeof stats);
    if (!find_fills(r->options, s->place, s->type, &meta, &s->fills, s->fill, error))
        return false;
    stats.fills = s->fills;
    memcpy(stats.fill, s->fill, sizeof stats.fill);
    const zt_status status = zt_scan(r->serial, &array, &stats);
    if (status != ZT_OK)
        return fail_zt(error, r->serial, status, input_name(s->place));
    s->values_count = stats.values;
    s->lo = isnan(stats.min) ? 0 : stats.min;
    s->hi = isnan(stats.max) ? 0 : stats.max;
    s->special_values = stats.nan_values + stats.inf_values + stats.fill_values;
    return true;
}

static bool take_file(void *user, struct bench_array *a, struct ztio_error *error)
{
    struct rates *r = user;
    if (r->files == RATES_FILES)
        return fail(error, ZTIO_BAD_USE, "%s: bench takes at most %d arrays; leave some out",
                    input_name(a->place), RATES_FILES);
    struct subject *s = &r->file[r->files++];
    *s = (struct subject){.place = a->place,
                          .type = a->type,
                          .rank = a->rank,
                          .raw_bytes = a->raw_bytes,
                          .values = a->values};
    memcpy(s->shape, a->shape, sizeof s->shape);
    a->place = NULL;
    a->values = NULL;
    return scan(r, s, a, error);
}

/* A word that is no codec would silently measure nothing. */
static bool check_codecs(const struct options *o, struct ztio_error *error)
{
    for (const char *p = o->codecs; p && *p; p += strcspn(p, ","), p += *p == ',') {
        const size_t n = strcspn(p, ",");
        bool is_known = false;
        for (int k = 0; k < coder_count; k++)
            if (strlen(coders[k]->name) == n && memcmp(coders[k]->name, p, n) == 0) {
                is_known = true;
                if (!coders[k]->is_there())
                    return fail(error, ZTIO_LACKING,
                                "--codecs: the library of %s is not on this "
                                "machine; install it, or leave it out",
                                coders[k]->name);
            }
        if (!is_known)
            return fail(error, ZTIO_BAD_USE,
                        "--codecs: '%.*s' is not zfp, zfp-rate, sz, sz-fast, sz-high, "
                        "sz-transform, sz-cusz, ndzip, libzfp, fpzip or zstd",
                        (int)n, p);
    }
    return true;
}

/* One context a policy. */
static bool open_contexts(struct rates *r, struct ztio_error *error)
{
    struct execution serial = r->options->exec;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    serial.policy = ZT_SERIAL;
    r->threads = 1;
    if (!context_open(&serial, &r->serial, error))
        return false;
    if (r->options->exec.policy == ZT_SERIAL || r->options->distortion)
        return true;
    if (!context_open(&r->options->exec, &r->parallel, error))
        return false;
    r->threads = r->options->exec.omp.threads ? r->options->exec.omp.threads
                 : processors > 0             ? (uint32_t)processors
                                              : 1;
    if (zt_context_policy(r->parallel) == ZT_SERIAL)
        r->threads = 1;
    if (r->threads == 1) {
        zt_context_free(r->parallel);
        r->parallel = NULL;
    }
    return true;
}

/* Rows of others are read first, so that a wrong line costs no time, and come last. */
static bool measure_beside_others(struct rates *r, struct ztio_error *error)
{
    const struct options *o = r->options;
    for (int i = 0; i < o->peer_files; i++)
        if (!rates_read(r, o->peer_file[i], error))
            return false;
    const size_t n = r->rows;
    void *others;
    if (n == 0)
        return rates_measure(r, error);
    if (!allocate(&others, n * sizeof *r->row, "bench", error))
        return false;
    memcpy(others, r->row, n * sizeof *r->row);
    const bool done = rates_measure(r, error);
    if (done) {
        memmove(r->row, r->row + n, (r->rows - n) * sizeof *r->row);
        memcpy(r->row + r->rows - n, others, n * sizeof *r->row);
    }
    free(others);
    return done;
}

static bool run(struct rates *r, struct ztio_error *error)
{
    static const char *const names[] = {"report.html", "bench.json",         "bench.tsv",
                                        "ratio.svg",   "speed-compress.svg", "speed-decompress.svg",
                                        NULL};
    const struct options *o = r->options;
    struct links links;
    if (o->exec.policy != ZT_SERIAL && o->exec.policy != ZT_OMP)
        return fail(error, ZTIO_LACKING,
                    "bench compares one thread with many; --exec cuda is not "
                    "among what it runs, leave it out");
    const char *const bounds = o->distortion
                                   ? "rel=1e-1,rel=1e-2,rel=1e-3,rel=1e-4,rel=1e-5,rel=1e-6"
                                   : "rel=1e-2,rel=1e-3,rel=1e-4,rel=1e-5,lossless";
    if (!bench_parse_bounds(o->bounds ? o->bounds : bounds, r->bound, &r->bounds, error) ||
        !check_codecs(o, error) || (o->link && !link_parse(o->link, &links, error)) ||
        !open_contexts(r, error) || !bench_prepare_directory(o, names, error) ||
        !bench_read_all(o, take_file, r, error) || !measure_beside_others(r, error))
        return false;
    if (o->link)
        return link_report(r, &links, error);
    if (o->json)
        rates_print_json(r, stdout);
    else if (o->distortion)
        distortion_print(r);
    else if (!o->quiet || !o->out)
        rates_print(r);
    if (!o->out)
        return true;
    if (!rates_save(r, error))
        return false;
    struct ztio_error no_charts;
    const bool has_charts = can_save_pictures(&no_charts);
    if (!o->json && !has_charts)
        (void)printf("\nno charts: %s\n", no_charts.sentence);
    if (!o->json)
        print(stdout, "\n%s/report.html: all of it%s\n", o->out, has_charts ? ", with charts" : "");
    return true;
}

bool run_bench_rates(const struct options *o, struct ztio_error *error)
{
    struct rates *r = calloc(1, sizeof *r);
    if (!r)
        return fail(error, ZTIO_LACKING, "bench: no memory; free some");
    r->options = o;
    const bool done = run(r, error);
    for (int i = 0; i < r->files; i++) {
        free(r->file[i].values);
        free(r->file[i].place);
    }
    free(r->row);
    zt_context_free(r->parallel);
    zt_context_free(r->serial);
    free(r);
    return done;
}
