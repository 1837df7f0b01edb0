/* scan.c: see scan.h. Two threads at least share the slices, part by part. A part is scanned unit
 * by unit; mapped ones are copied from the file first, to memory that stays in a cache. */
#include "cmd/compress/scan.h"

#include "cmd/compress/far_values.h"
#include "util/errors.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    UNIT_BYTES = 256 << 10,
    PART_BYTES = 4 << 20,
    LEAST_BYTES = 8 << 20, /* that are worth another thread */
    MOST_SCANNERS = 8
};

/* Each further thread may take so much memory. */
enum { THREAD_BYTES = 16 << 20 };

struct scan {
    struct compress_job *job;
    const char *data;
    uint64_t values, part_values;
    uint64_t first; /* values of the array before these */
    uint64_t next;  /* values that are taken */
    bool is_failed;
    pthread_mutex_t lock;
};

struct scanner {
    struct scan *scan;
    zt_context *context;
    struct far_values *far; /* NULL: nothing is looked for */
    zt_stats stats;
    pthread_t thread;
    bool is_begun;
    struct ztio_error error; /* with an exit status if it failed */
};

void stats_begin(const struct compress_job *job, zt_stats *stats)
{
    (void)zt_stats_init(stats, sizeof *stats);
    stats->fills = job->params.fills;
    memcpy(stats->fill, job->params.fill, sizeof stats->fill);
}

void stats_add(zt_stats *all, const zt_stats *own)
{
    all->values += own->values;
    all->nan_values += own->nan_values;
    all->inf_values += own->inf_values;
    all->fill_values += own->fill_values;
    all->min = fmin(all->min, own->min); /* NaN: no finite value */
    all->max = fmax(all->max, own->max);
}

/* n values from 'at' on. */
static bool scan_part(struct scanner *s, uint64_t at, uint64_t n)
{
    struct compress_job *const job = s->scan->job;
    const zt_type type = (zt_type)job->meta->type;
    const uint64_t value_bytes = zt_type_bytes(type), most = UNIT_BYTES / value_bytes;
    for (uint64_t done = 0, some; done < n; done += some) {
        some = n - done < most ? n - done : most;
        const zt_array unit =
            zt_array_const_1d(s->scan->data + (at + done) * value_bytes, type, some);
        zt_stats own;
        stats_begin(job, &own);
        zt_status status = zt_scan(s->context, &unit, &own);
        if (status == ZT_OK && s->far)
            status = far_take(s->far, s->context, &unit, s->scan->first + at + done, &own);
        if (status != ZT_OK)
            return fail_zt(&s->error, s->context, status, input_name(job->place));
        stats_add(&s->stats, &own);
    }
    ztio_map_read(job->input, s->scan->data + at * value_bytes, (size_t)(n * value_bytes));
    return true;
}

/* Take the next part; its number of values, 0 after the last one or a failure. */
static uint64_t take_part(struct scan *scan, uint64_t *at)
{
    (void)pthread_mutex_lock(&scan->lock);
    const uint64_t rest = scan->is_failed ? 0 : scan->values - scan->next;
    const uint64_t n = rest < scan->part_values ? rest : scan->part_values;
    *at = scan->next;
    scan->next += n;
    (void)pthread_mutex_unlock(&scan->lock);
    return n;
}

static void *scan_parts(void *user)
{
    struct scanner *const s = user;
    uint64_t at, n;
    while ((n = take_part(s->scan, &at)) > 0 && scan_part(s, at, n)) {
    }
    if (s->error.exit_status) {
        (void)pthread_mutex_lock(&s->scan->lock);
        s->scan->is_failed = true;
        (void)pthread_mutex_unlock(&s->scan->lock);
    }
    return NULL;
}

/* Begin a further scanner, where there is memory for it and a thread. */
static bool begin_scanner(struct scanner *s, struct scan *scan)
{
    struct compress_job *const job = scan->job;
    struct ztio_error ignored;
    s->scan = scan;
    stats_begin(job, &s->stats);
    if (job->far && !(s->far = far_beside(job->far)))
        return false;
    if (!context_new(&s->context, &ignored))
        return false;
    (void)zt_context_set_isa(s->context, job->options->exec.isa);
    s->is_begun = pthread_create(&s->thread, NULL, scan_parts, s) == 0;
    return s->is_begun;
}

/* Wait for a scanner and take over what it found; sets error if it failed. */
static void end_scanner(struct scanner *s, struct scanner *into, struct ztio_error *error)
{
    if (s->is_begun) {
        (void)pthread_join(s->thread, NULL);
        stats_add(&into->stats, &s->stats);
        if (s->far)
            far_merge(into->far, s->far);
        if (s->error.exit_status)
            *error = s->error;
    }
    free(s->far);
    zt_context_free(s->context);
}

static uint32_t count_scanners(const struct compress_job *job, uint64_t bytes)
{
    const uint32_t threads = threads_of(&job->options->exec);
    if (bytes < LEAST_BYTES || job->meta->shape[0] == ZT_UNKNOWN)
        return 1;
    return threads < 2 ? 2 : threads < MOST_SCANNERS ? threads : (uint32_t)MOST_SCANNERS;
}

bool scan_slices(struct compress_job *job, const zt_array *slices, uint64_t before, zt_stats *stats,
                 struct ztio_error *error)
{
    const uint64_t value_bytes = zt_type_bytes(slices->type);
    const uint64_t slice_values = job->slice_bytes / value_bytes;
    struct scan scan = {.job = job,
                        .data = slices->data,
                        .values = slices->shape[0] * slice_values,
                        .part_values = PART_BYTES / value_bytes,
                        .first = before * slice_values,
                        .lock = PTHREAD_MUTEX_INITIALIZER};
    struct scanner scanners[MOST_SCANNERS] = {
        {.scan = &scan, .context = job->context, .far = job->far}};
    struct scanner *const own = &scanners[0];
    const uint32_t wanted = count_scanners(job, scan.values * value_bytes);
    uint32_t n = 1;
    if (before == 0)
        ztio_map_again(job->input, (uint64_t)(threads_of(&job->options->exec) - 1) * THREAD_BYTES);
    stats_begin(job, &own->stats);
    while (n < wanted && begin_scanner(&scanners[n], &scan))
        n++;
    (void)scan_parts(own);
    if (own->error.exit_status)
        *error = own->error;
    for (uint32_t i = 1; i < MOST_SCANNERS; i++)
        end_scanner(&scanners[i], own, error);
    stats_add(stats, &own->stats);
    return !scan.is_failed;
}
