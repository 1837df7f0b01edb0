/* rates.c: the measurements of ztile bench: each codec at each bound, with one thread and with all,
 * in memory; what comes back is compared with what went in. */
#include "bench/rates.h"
#include "ztile_quality.h"
#include "ztile_zfp.h"

#include "store/bytes.h"
#include "util/errors.h"
#include "util/memory.h"
#include "util/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A time is the fastest of LEAST_RUNS runs, and of more until they have taken enough_seconds. Where
 * no speeds are shown there is one run. */
enum { LEAST_RUNS = 3, MOST_RUNS = 50 };
static const double enough_seconds = 0.15;

double rate_ratio(const struct rates *r, const struct rate *row)
{
    return (double)r->file[row->file].raw_bytes / (double)row->bytes;
}

double rate_bits(const struct rates *r, const struct rate *row)
{
    return 8 * (double)row->bytes / (double)r->file[row->file].values_count;
}

static struct rate *add_row(struct rates *r, struct ztio_error *error)
{
    if (r->rows == r->room) {
        const size_t room = r->room ? 2 * r->room : 256;
        struct rate *more = realloc(r->row, room * sizeof *more);
        if (!more) {
            (void)fail(error, ZTIO_LACKING, "bench: no memory for its table; free some");
            return NULL;
        }
        r->row = more;
        r->room = room;
    }
    struct rate *row = &r->row[r->rows++];
    *row = (struct rate){.max_error = (double)NAN, .psnr = (double)NAN};
    return row;
}

/* ---- one measurement ------------------------------------------------------------------------- */

struct trial {
    const struct coder *coder;
    const struct subject *subject;
    struct target target;
    void *coded;
    size_t capacity;
    void *decoded;
};

static bool fail_trial(const struct trial *t, const char *what, struct ztio_error *error)
{
    char bound[CLI_TEXT_BYTES];
    const char *sentence = t->coder->is_peer ? "" : zt_context_error(t->target.context);
    return fail(error, ZTIO_BAD_DATA, "%s: %s cannot %s it with %s%s%s; leave one of them out",
                t->subject->place, t->coder->name, what, format_bound(&t->target.bound, bound),
                sentence[0] ? ": " : "", sentence);
}

/* Of one thread, the processor's time, which others disturb little; of more, the clock's. */
static double seconds_of(const struct trial *t)
{
    struct timespec time;
    if (t->target.threads > 1 || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) != 0)
        return now_seconds();
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool run_trial(const struct trial *t, int most_runs, struct rate *row,
                      struct ztio_error *error)
{
    const double began = now_seconds();
    row->encode_seconds = row->decode_seconds = (double)INFINITY;
    for (int run = 0; run < most_runs; run++) {
        if (run >= LEAST_RUNS && now_seconds() - began > enough_seconds)
            break;
        double start = seconds_of(t);
        const size_t n = t->coder->encode(t->subject, &t->target, t->coded, t->capacity);
        row->encode_seconds = fmin(row->encode_seconds, seconds_of(t) - start);
        if (n == 0)
            return fail_trial(t, "compress", error);
        row->bytes = n;
        start = seconds_of(t);
        if (!t->coder->decode(t->subject, &t->target, t->coded, n, t->decoded))
            return fail_trial(t, "decompress", error);
        row->decode_seconds = fmin(row->decode_seconds, seconds_of(t) - start);
    }
    if (t->coder->decodes_alone && t->target.threads > 1)
        row->decode_seconds = (double)NAN;
    return true;
}

static bool compare_trial(const struct trial *t, struct rate *row, struct ztio_error *error)
{
    const struct subject *s = t->subject;
    const zt_array a = zt_array_nd(s->values, (zt_type)s->type, s->rank, s->shape);
    const zt_array b = zt_array_nd(t->decoded, (zt_type)s->type, s->rank, s->shape);
    zt_quality q;
    (void)zt_quality_init(&q, sizeof q);
    q.fills = s->fills;
    memcpy(q.fill, s->fill, sizeof q.fill);
    const zt_status status = zt_compare(t->target.context, &a, &b, &q);
    if (status != ZT_OK)
        return fail_zt(error, t->target.context, status, s->place);
    row->max_error = q.max_abs_error;
    row->psnr = zt_quality_psnr(&q);
    return true;
}

/* The table of distortion has none. */
static bool shows_speeds(const struct options *o)
{
    return !o->distortion || o->json || o->out;
}

static bool measure_one(struct rates *r, struct trial *t, struct ztio_error *error)
{
    void *memory;
    t->capacity = t->coder->capacity(t->subject, &t->target);
    if (t->capacity == 0)
        return fail_trial(t, "compress", error);
    if (!allocate(&memory, t->capacity, t->subject->place, error))
        return false;
    t->coded = memory;
    struct rate *row = add_row(r, error);
    bool done = row != NULL;
    if (done) {
        row->file = (int)(t->subject - r->file);
        (void)snprintf(row->codec, sizeof row->codec, "%s", t->coder->name);
        row->is_peer = t->coder->is_peer;
        row->threads = t->target.threads;
        row->bound = t->target.bound;
        const bool has_bound = row->bound.kind != ZT_PRECISION && row->bound.kind != ZT_RATE;
        row->tolerance = has_bound ? t->target.tolerance : (double)NAN;
        done = run_trial(t, shows_speeds(r->options) ? MOST_RUNS : 1, row, error) &&
               compare_trial(t, row, error);
    }
    free(memory);
    return done;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static double tolerance_on(const struct subject *s, const zt_bound *bound)
{
    return bound->kind == ZT_ABS   ? bound->value
           : bound->kind == ZT_REL ? bound->value * (s->hi - s->lo)
                                   : 0;
}

/* True where --codecs names it, or is not given. */
static bool is_wanted(const struct options *o, const struct coder *coder)
{
    const char *const name = coder->name;
    const size_t bytes = strlen(name);
    for (const char *p = o->codecs; p && *p; p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == bytes && memcmp(p, name, bytes) == 0)
            return true;
    return o->codecs == NULL && (!coder->is_study || o->distortion);
}

/* What of fpzip, which has no bounds, is set beside them: bits that are kept. */
static int precisions_of(const struct subject *s, zt_bound *bounds)
{
    const bool is_double = s->type == ZT_F64;
    for (uint32_t i = 0; i < 4; i++)
        bounds[i] = zt_precision(is_double ? 16 + 8 * i : 12 + 4 * i);
    return 4;
}

/* What of a codec at fixed rate is set beside them in a study of distortion: bits a value. */
static int rates_of(const struct subject *s, zt_bound *bounds)
{
    static const double bits[RATES_POINTS] = {1, 2, 3, 4, 6, 8, 12, 16};
    (void)s;
    for (int i = 0; i < RATES_POINTS; i++)
        bounds[i] = zt_rate(bits[i]);
    return RATES_POINTS;
}

typedef bool each_trial(struct rates *r, struct trial *t, struct ztio_error *error);

/* Call what for each measurement there is to do. */
static bool for_each(struct rates *r, void *decoded, each_trial *what, struct ztio_error *error)
{
    zt_bound bounds[BENCH_BOUNDS + 4 + RATES_POINTS];
    for (int i = 0; i < r->files; i++) {
        const struct subject *s = &r->file[i];
        memcpy(bounds, r->bound, sizeof r->bound);
        int all = r->bounds + precisions_of(s, bounds + r->bounds);
        all += rates_of(s, bounds + all);
        for (int k = 0; k < coder_count; k++) {
            if (!is_wanted(r->options, coders[k]) || !coders[k]->is_there())
                continue;
            for (int j = 0; j < 2 * all; j++) {
                struct trial t = {.coder = coders[k], .subject = s, .decoded = decoded};
                const bool is_parallel = j % 2 == 1;
                t.target = (struct target){.bound = bounds[j / 2],
                                           .tolerance = tolerance_on(s, &bounds[j / 2]),
                                           .threads = is_parallel ? r->threads : 1,
                                           .context = is_parallel ? r->parallel : r->serial};
                if ((bounds[j / 2].kind == ZT_RATE) != coders[k]->has_rates)
                    continue;
                if (t.target.context && coders[k]->fits(s, &t.target) && !what(r, &t, error))
                    return false;
            }
        }
    }
    return true;
}

static bool count_one(struct rates *r, struct trial *t, struct ztio_error *error)
{
    (void)error;
    r->progress.total_bytes += t->subject->raw_bytes;
    return true;
}

static bool measure_and_tell(struct rates *r, struct trial *t, struct ztio_error *error)
{
    progress_slab(&r->progress, t->subject->raw_bytes);
    return measure_one(r, t, error);
}

bool rates_measure(struct rates *r, struct ztio_error *error)
{
    uint64_t most = 0;
    void *decoded;
    for (int i = 0; i < r->files; i++)
        most = r->file[i].raw_bytes > most ? r->file[i].raw_bytes : most;
    if (!allocate(&decoded, most, "bench", error))
        return false;
    progress_begin(&r->progress, "bench", 0, r->options->quiet, NULL);
    r->progress.counts_steps = true;
    bool done =
        for_each(r, decoded, count_one, error) && for_each(r, decoded, measure_and_tell, error);
    progress_end(&r->progress);
    free(decoded);
    return done;
}

bool rates_round_trip(struct rates *r, const struct subject *s, uint32_t codec, zt_bound bound,
                      void *decoded, uint64_t *n, struct ztio_error *error)
{
    struct trial t = {
        .coder = coders[codec == ZT_CODEC_ZFP ? 0 : 1], .subject = s, .decoded = decoded};
    void *memory;
    t.target = (struct target){
        .bound = bound, .tolerance = tolerance_on(s, &bound), .threads = 1, .context = r->serial};
    t.capacity = t.coder->capacity(s, &t.target);
    if (!allocate(&memory, t.capacity, s->place, error))
        return false;
    *n = t.coder->encode(s, &t.target, memory, t.capacity);
    const bool done = *n > 0 && t.coder->decode(s, &t.target, memory, (size_t)*n, decoded);
    free(memory);
    return done || fail_trial(&t, "code", error);
}

/* ---- rows of others -------------------------------------------------------------------------- */

static bool parse_bound_name(const char *name, double value, zt_bound *bound)
{
    if (strcmp(name, "lossless") == 0)
        *bound = zt_lossless();
    else if (strcmp(name, "abs") == 0)
        *bound = zt_abs(value);
    else if (strcmp(name, "rel") == 0)
        *bound = zt_rel(value);
    else if (strcmp(name, "precision") == 0 && value >= 1 && value <= 64)
        *bound = zt_precision((uint32_t)value);
    else
        return false;
    return true;
}

/* One line; rows of files that are not measured here are passed over. */
static bool read_row(struct rates *r, char *line, const char *path, int number,
                     struct ztio_error *error)
{
    char name[256], codec[RATES_NAME_BYTES], kind[16];
    double value, bytes, max_error, psnr, encode, decode;
    unsigned threads;
    zt_bound bound;
    if (line[0] == '#' || line[strspn(line, " \t\r\n")] == 0)
        return true;
    if (sscanf(line, "%255[^\t]\t%23[^\t]\t%u\t%15[^\t]\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf", name, codec,
               &threads, kind, &value, &bytes, &max_error, &psnr, &encode, &decode) != 10 ||
        !(bytes >= 1 && bytes < 0x1p53) || !(encode > 0) || decode <= 0 || threads < 1 ||
        threads > 1024 || !parse_bound_name(kind, value, &bound))
        return fail(error, ZTIO_BAD_DATA,
                    "%s: line %d is no row of a benchmark; "
                    "'python -m ztile.bench' writes them, see ztile-bench(1)",
                    path, number);
    for (int i = 0; i < r->files; i++) {
        if (strcmp(rates_name(&r->file[i]), name) != 0)
            continue;
        struct rate *row = add_row(r, error);
        if (!row)
            return false;
        *row = (struct rate){.file = i,
                             .is_peer = true,
                             .threads = threads,
                             .bound = bound,
                             .bytes = (uint64_t)bytes,
                             .max_error = max_error,
                             .psnr = psnr,
                             .encode_seconds = encode,
                             .decode_seconds = decode};
        row->tolerance =
            bound.kind == ZT_PRECISION ? (double)NAN : tolerance_on(&r->file[i], &bound);
        memcpy(row->codec, codec, sizeof row->codec);
    }
    return true;
}

bool rates_read(struct rates *r, const char *path, struct ztio_error *error)
{
    struct byte_source bytes;
    unsigned char *data;
    size_t n;
    if (!byte_source_open(&bytes, path, error))
        return false;
    bool done = byte_source_slurp(&bytes, &data, &n, error);
    byte_source_close(&bytes);
    if (!done)
        return false;
    char line[1024];
    int number = 0;
    for (size_t at = 0; done && at < n;) {
        const unsigned char *end = memchr(data + at, '\n', n - at);
        const size_t length = (end ? (size_t)(end - data) : n) - at;
        const size_t kept = length < sizeof line ? length : sizeof line - 1;
        memcpy(line, data + at, kept);
        line[kept] = 0;
        done = read_row(r, line, path, ++number, error);
        at += length + 1;
    }
    free(data);
    return done;
}
