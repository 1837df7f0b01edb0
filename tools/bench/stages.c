/* stages.c: ztile bench --stages: where the time of the sz codec goes, stage by stage, for each
 * effort; whole .zt files in memory. The library says when a stage begins. */
#include "bench/stages.h"

#include "bench/files.h"
#include "util/errors.h"
#include "util/json.h"
#include "util/memory.h"
#include "util/numbers.h"
#include "util/table.h"
#include "ztile_sz.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of so many runs at least, and of more while they take together no longer than so many seconds,
 * the fastest. */
enum { LEAST_RUNS = 3, MOST_RUNS = 50, EFFORTS = 4 };
static const double enough_seconds = 0.3;

/* The efforts, and the method published for cuSZ. */
static const char *const coder_name[EFFORTS] = {"fast", "default", "high", "cusz"};
static const char *const stage_name[ZT_STAGES] = {"rest",   "range",  "samples", "count",
                                                  "models", "encode", "tables",  "decode"};

/* Seconds by stage of one direction, and together. */
struct spent {
    double by[ZT_STAGES], all;
};

/* One effort at one bound. */
struct cell {
    struct spent compress, decompress;
    uint64_t bytes;
};

struct stages {
    const struct options *options;
    zt_context *context;
    bool is_serial;
    zt_bound bound[BENCH_BOUNDS];
    int bounds;
    bool is_first; /* row of JSON or table of text */
    struct json json;
    double since; /* the stage that runs */
    zt_stage stage;
    struct spent spent;
};

/* Of one thread, the processor's time, which others disturb little; of more, the clock's. */
static double seconds_of(const struct stages *s)
{
    struct timespec time;
    if (!s->is_serial || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) != 0)
        return now_seconds();
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void begin_stage(void *user, zt_stage stage)
{
    struct stages *const s = user;
    const double now = seconds_of(s);
    s->spent.by[s->stage] += now - s->since;
    s->spent.all += now - s->since;
    s->since = now;
    s->stage = stage;
}

static void begin_call(struct stages *s)
{
    memset(&s->spent, 0, sizeof s->spent);
    s->stage = ZT_STAGE_OTHER;
    s->since = seconds_of(s);
}

static void end_call(struct stages *s, struct spent *least)
{
    begin_stage(s, ZT_STAGE_OTHER);
    if (s->spent.all < least->all)
        *least = s->spent;
}

static bool measure(struct stages *s, const zt_array *array, const zt_array *back,
                    const zt_params *params, struct cell *cell, const char *name,
                    struct ztio_error *error)
{
    size_t capacity = 0, bytes = 0;
    void *coded = NULL;
    zt_status status = zt_compress_bound(s->context, array, params, &capacity);
    if (status != ZT_OK)
        return fail_zt(error, s->context, status, name);
    if (!allocate(&coded, capacity, name, error))
        return false;
    cell->compress.all = cell->decompress.all = (double)INFINITY;
    const double began = now_seconds();
    for (int run = 0; run < MOST_RUNS && status == ZT_OK; run++) {
        if (run >= LEAST_RUNS && now_seconds() - began > enough_seconds)
            break;
        begin_call(s);
        status = zt_compress(s->context, array, params, coded, capacity, &bytes);
        end_call(s, &cell->compress);
        begin_call(s);
        if (status == ZT_OK)
            status = zt_decompress(s->context, coded, bytes, back);
        end_call(s, &cell->decompress);
    }
    cell->bytes = bytes;
    free(coded);
    return status == ZT_OK || fail_zt(error, s->context, status, name);
}

/* ---- report ---------------------------------------------------------------------------------- */

static bool is_any(const struct cell *cells, bool is_decoding, int stage)
{
    for (int i = 0; i < EFFORTS; i++)
        if ((is_decoding ? cells[i].decompress : cells[i].compress).by[stage] > 0)
            return true;
    return false;
}

/* Milliseconds, and GB/s of raw data where that says something. */
static void add_time(struct table *t, double seconds, uint64_t raw_bytes)
{
    if (seconds >= 1e-3)
        table_cell(t, "%.1f (%.2f)", 1e3 * seconds, 1e-9 * (double)raw_bytes / seconds);
    else if (seconds > 0)
        table_cell(t, "%.3f", 1e3 * seconds);
    else
        table_cell(t, "-");
}

static void add_rows(struct table *t, const struct cell *cells, bool is_decoding,
                     uint64_t raw_bytes)
{
    for (int stage = 1; stage <= ZT_STAGES; stage++) { /* what is left comes last */
        const int k = stage % ZT_STAGES;
        if (!is_any(cells, is_decoding, k))
            continue;
        table_row(t);
        table_cell(t, "%s", stage_name[k]);
        for (int i = 0; i < EFFORTS; i++)
            add_time(t, (is_decoding ? cells[i].decompress : cells[i].compress).by[k], raw_bytes);
    }
    table_row(t);
    table_cell(t, is_decoding ? "decompress" : "compress");
    for (int i = 0; i < EFFORTS; i++)
        add_time(t, is_decoding ? cells[i].decompress.all : cells[i].compress.all, raw_bytes);
}

static void print_table(struct stages *s, const struct bench_array *a, const zt_bound *bound,
                        const struct cell *cells)
{
    char text[CLI_TEXT_BYTES];
    struct table *const t = calloc(1, sizeof *t);
    if (!t)
        return;
    if (s->is_first)
        (void)printf("milliseconds (GB/s of raw data), the fastest of some runs, %s, %s\n",
                     zt_isa_name(zt_context_isa(s->context)),
                     s->is_serial ? "one thread's processor time" : "all threads, by the clock");
    s->is_first = false;
    print(stdout, "\n%s, %s\n", input_name(a->place), format_bound(bound, text));
    table_row(t);
    table_cell(t, "stage");
    for (int i = 0; i < EFFORTS; i++)
        table_cell(t, "%s", coder_name[i]);
    add_rows(t, cells, false, a->raw_bytes);
    add_rows(t, cells, true, a->raw_bytes);
    table_row(t);
    table_cell(t, "ratio");
    for (int i = 0; i < EFFORTS; i++)
        table_cell(t, "%.2f", (double)a->raw_bytes / (double)cells[i].bytes);
    table_print(t, stdout, 0x1e);
    free(t);
}

static void json_spent(struct json *j, const char *key, const struct spent *spent)
{
    json_object(j, key);
    for (int k = 0; k < ZT_STAGES; k++)
        json_number(j, stage_name[k], spent->by[k]);
    json_number(j, "all", spent->all);
    json_close(j);
}

static void json_cells(struct stages *s, const struct bench_array *a, const zt_bound *bound,
                       const struct cell *cells)
{
    struct json *const j = &s->json;
    for (int i = 0; i < EFFORTS; i++) {
        json_object(j, NULL);
        json_text(j, "file", a->place);
        json_text(j, "effort", coder_name[i]);
        json_text(j, "bound", name_of_bound(bound->kind));
        json_number(j, "bound_value", bound->kind == ZT_LOSSLESS ? (double)NAN : bound->value);
        json_count(j, "raw_bytes", a->raw_bytes);
        json_count(j, "bytes", cells[i].bytes);
        json_spent(j, "compress_seconds", &cells[i].compress);
        json_spent(j, "decompress_seconds", &cells[i].decompress);
        json_close(j);
    }
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static bool take_file(void *user, struct bench_array *a, struct ztio_error *error)
{
    struct stages *const s = user;
    const zt_array array = zt_array_nd(a->values, (zt_type)a->type, a->rank, a->shape);
    zt_array back = array;
    bool done = allocate(&back.data, a->raw_bytes, input_name(a->place), error);
    for (int b = 0; done && b < s->bounds; b++) {
        struct cell cells[EFFORTS];
        zt_params params;
        (void)zt_params_init(&params, sizeof params);
        params.codec = ZT_CODEC_SZ;
        params.bound = s->bound[b];
        for (int i = 0; done && i < EFFORTS; i++) {
            if (i < 3)
                params.effort = (uint32_t)(ZT_EFFORT_FAST + i);
            else
                zt_params_set_sz(&params, ZT_SZ_CUSZ, 0);
            done = measure(s, &array, &back, &params, &cells[i], input_name(a->place), error);
        }
        if (done && s->options->json)
            json_cells(s, a, &s->bound[b], cells);
        else if (done)
            print_table(s, a, &s->bound[b], cells);
    }
    free(back.data);
    return done;
}

bool run_bench_stages(const struct options *o, struct ztio_error *error)
{
    struct stages s = {.options = o, .is_first = true};
    if (!bench_parse_bounds(o->bounds ? o->bounds : "rel=1e-2,rel=1e-3,rel=1e-4", s.bound,
                            &s.bounds, error) ||
        !context_open(&o->exec, &s.context, error))
        return false;
    s.is_serial = zt_context_policy(s.context) == ZT_SERIAL;
    (void)zt_context_set_stages(s.context, begin_stage, &s);
    if (o->json) {
        json_begin(&s.json, stdout);
        json_text(&s.json, "version", zt_version());
        json_text(&s.json, "isa", zt_isa_name(zt_context_isa(s.context)));
        json_text(&s.json, "policy", s.is_serial ? "serial" : "omp");
        json_list(&s.json, "rows");
    }
    const bool done = bench_read_all(o, take_file, &s, error);
    if (o->json) {
        json_close_list(&s.json);
        json_end(&s.json);
    }
    zt_context_free(s.context);
    return done;
}
