/* parallel_bench.c: what threads and the index are worth: 2 threads against 1 in every mode, beside
 * what two independent runs of one thread reach on the machine at that moment, and what a box of a
 * thousandth of an array costs, in bytes and in time.
 *
 *     parallel_bench [--mib N] [--repeats N] [--type f32|f64] [--rank 1..4]
 *
 * Arrays are made fields of N MiB (default 64) of both types and 1 to 4 dimensions. Each figure is
 * a median of alternating runs. Speeds are by the clock, which other programs' use of the
 * processors lowers; "work" is the processor time that 2 threads take, as a multiple of what one
 * takes: where it is w, 2 threads that share it evenly are 2 / w times as fast. */
#include "measure.h"
#include "ztile_zfp.h"
#include "ztile_expert.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { MOST_REPEATS = 31, MODES = 6 };

struct mode {
    const char *name;
    zt_bound bound;
};

/* A made field, and room for two decoded ones. */
struct field {
    zt_array in, out[2];
};

static void need(zt_status status, const zt_context *context)
{
    if (status == ZT_OK)
        return;
    fprintf(stderr, "%s: %s\n", zt_strerror(status), zt_context_error(context));
    exit(1);
}

static uint64_t values_of(const zt_array *a)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < a->rank; i++)
        n *= a->shape[i];
    return n;
}

/* Waves along every axis and noise of 1e-4, from a generator of its own. */
static void fill(const zt_array *a)
{
    const uint64_t n = values_of(a);
    uint32_t noise = 1;
    for (uint64_t i = 0; i < n; i++) {
        double value = 0, phase = 0;
        uint64_t rest = i;
        for (uint32_t axis = a->rank; axis-- > 0;) {
            const double length = a->rank == 1 ? 1000 : (double)a->shape[axis];
            phase += (2 * axis + 1) * 6.28 / length * (double)(rest % a->shape[axis]);
            rest /= a->shape[axis];
            value += sin(phase);
        }
        noise = noise * 1664525u + 1013904223u;
        value += 1e-4 * (noise >> 8) / 16777216.0;
        if (a->type == ZT_F32)
            ((float *)a->data)[i] = (float)value;
        else
            ((double *)a->data)[i] = value;
    }
}

/* A field of about so many bytes, of equal extents, the fastest a multiple of 16. */
static struct field make_field(zt_type type, uint32_t rank, uint64_t bytes)
{
    const double values = (double)bytes / (double)zt_type_bytes(type);
    uint64_t shape[ZT_MAX_RANK], n = 1;
    for (uint32_t i = 0; i < rank; i++) {
        shape[i] = (uint64_t)(pow(values, 1.0 / rank) / 16 + 0.5) * 16;
        n *= shape[i];
    }
    struct field f;
    for (uint32_t i = 0; i < 3; i++) {
        zt_array *const a = i ? &f.out[i - 1] : &f.in;
        *a = zt_array_nd(bench_need(n * zt_type_bytes(type)), type, rank, shape);
    }
    fill(&f.in);
    return f;
}

/* ---- one run, timed ---- */

enum task { COMPRESS, DECOMPRESS };

struct job {
    enum task task;
    zt_context *context;
    zt_array array; /* input of compression, output of decompression */
    zt_params params;
    unsigned char *file;
    size_t capacity, file_bytes;
};

static void run_job(struct job *j)
{
    if (j->task == COMPRESS)
        need(zt_compress(j->context, &j->array, &j->params, j->file, j->capacity, &j->file_bytes),
             j->context);
    else
        need(zt_decompress(j->context, j->file, j->file_bytes, &j->array), j->context);
}

static void *run_on_thread(void *job)
{
    run_job(job);
    return NULL;
}

struct seconds {
    double clock, work;
};

static struct seconds now(void)
{
    return (struct seconds){bench_now(CLOCK_MONOTONIC), bench_now(CLOCK_PROCESS_CPUTIME_ID)};
}

static struct seconds since(struct seconds from)
{
    const struct seconds to = now();
    return (struct seconds){to.clock - from.clock, to.work - from.work};
}

static struct seconds time_of(struct job *j, uint32_t threads)
{
    if (threads == 1)
        need(zt_context_set_policy(j->context, ZT_SERIAL), j->context);
    else
        need(zt_context_set_omp(j->context, &(zt_omp){.threads = threads}), j->context);
    const struct seconds from = now();
    run_job(j);
    return since(from);
}

/* Two jobs of one thread each, at the same time. */
static struct seconds time_of_two(struct job *a, struct job *b)
{
    pthread_t thread;
    need(zt_context_set_policy(a->context, ZT_SERIAL), a->context);
    need(zt_context_set_policy(b->context, ZT_SERIAL), b->context);
    const struct seconds from = now();
    if (pthread_create(&thread, NULL, run_on_thread, b) != 0)
        exit(1);
    run_job(a);
    pthread_join(thread, NULL);
    return since(from);
}

/* Print how much 2 threads are worth, how much two runs of 1 thread are, and the work of 2 threads.
 */
static void compare(struct job *a, struct job *b, uint32_t repeats)
{
    double one[MOST_REPEATS], two[MOST_REPEATS], both[MOST_REPEATS], work[MOST_REPEATS];
    for (uint32_t i = 0; i < repeats; i++) {
        const struct seconds s = time_of(a, 1), t = time_of(a, 2);
        one[i] = s.clock;
        two[i] = s.clock / t.clock;
        work[i] = t.work / s.work;
        both[i] = 2 * s.clock / time_of_two(a, b).clock;
    }
    const uint64_t bytes = values_of(&a->array) * zt_type_bytes(a->array.type);
    printf(" %5.2f %5.2f (%4.2f) %4.2f", 1e-9 * (double)bytes / bench_median(one, repeats),
           bench_median(two, repeats), bench_median(both, repeats), bench_median(work, repeats));
    fflush(stdout);
}

static struct job job_of(enum task task, zt_array array, zt_bound bound, uint32_t index)
{
    struct job j = {.task = task, .array = array};
    need(zt_context_new(NULL, &j.context), NULL);
    need(zt_params_init(&j.params, sizeof j.params), NULL);
    j.params.bound = bound;
    j.params.index = index;
    need(zt_compress_bound(j.context, &array, &j.params, &j.capacity), j.context);
    j.file = bench_need(j.capacity);
    return j;
}

static void job_free(struct job *j)
{
    zt_context_free(j->context);
    free(j->file);
}

static void threads_in_mode(const struct mode *mode, const struct field *f, uint32_t repeats)
{
    struct job a = job_of(COMPRESS, f->in, mode->bound, ZT_INDEX_DEFAULT);
    struct job b = job_of(COMPRESS, f->in, mode->bound, ZT_INDEX_DEFAULT);
    printf("%s %u-D %-13s", f->in.type == ZT_F32 ? "f32" : "f64", f->in.rank, mode->name);
    compare(&a, &b, repeats);
    a.task = b.task = DECOMPRESS;
    a.array = f->out[0];
    b.array = f->out[1];
    compare(&a, &b, repeats);
    if (mode->bound.kind != ZT_RATE) {
        a.task = b.task = COMPRESS;
        a.array = b.array = f->in;
        a.params.index = b.params.index = ZT_INDEX_NONE;
        run_job(&a);
        run_job(&b);
        a.task = b.task = DECOMPRESS;
        a.array = f->out[0];
        b.array = f->out[1];
        compare(&a, &b, repeats);
    }
    printf("\n");
    job_free(&a);
    job_free(&b);
}

/* ---- boxes ---- */

struct counted {
    const unsigned char *bytes;
    uint64_t read;
};

static int read_counted(void *user, uint64_t offset, void *into, size_t n, size_t *got)
{
    struct counted *c = user;
    memcpy(into, c->bytes + offset, n);
    c->read += n;
    *got = n;
    return 0;
}

/* A box of about a thousandth of the array, a cube or rows, through a source that counts. */
static void box_in_mode(const struct mode *mode, const struct field *f, uint32_t repeats)
{
    struct job j = job_of(COMPRESS, f->in, mode->bound, ZT_INDEX_DEFAULT);
    const uint64_t n = f->in.shape[0], part = n / 10;
    double whole[MOST_REPEATS], box_time[MOST_REPEATS];
    run_job(&j);
    j.task = DECOMPRESS;
    j.array = f->out[0];
    printf("%-16s %11zu", mode->name, j.file_bytes);
    for (uint32_t shape = 0; shape < 2; shape++) {
        const uint64_t y = n * 3 / 8 + 1;
        const uint64_t thick = shape ? (uint64_t)sqrt((double)n * (double)n / 1000) : part;
        const zt_box box = {.lo = {y, y, shape ? 0 : y},
                            .hi = {y + thick, y + thick, shape ? n : y + part}};
        zt_array part_out = zt_array_3d(f->out[1].data, ZT_F32, thick, thick, shape ? n : part);
        struct counted c = {.bytes = j.file};
        for (uint32_t i = 0; i < repeats; i++) {
            zt_source source = {.read = read_counted, .user = &c, .source_bytes = j.file_bytes};
            zt_reader *reader;
            whole[i] = time_of(&j, 1).clock;
            c.read = 0;
            const struct seconds from = now();
            need(zt_reader_open(j.context, &source, &reader), j.context);
            need(zt_reader_read_box(reader, &box, &part_out), j.context);
            zt_reader_close(reader);
            box_time[i] = since(from).clock;
        }
        printf("   %5.2f %%  1/%-5.0f", 100 * (double)c.read / (double)j.file_bytes,
               bench_median(whole, repeats) / bench_median(box_time, repeats));
    }
    printf("\n");
    fflush(stdout);
    job_free(&j);
}

struct options {
    uint64_t mib;
    uint32_t repeats, rank; /* rank 0: all */
    int type;               /* 0: both */
};

static bool parse(int argc, char **argv, struct options *o)
{
    *o = (struct options){.mib = 64, .repeats = 5};
    for (int i = 1; i < argc; i += 2) {
        const char *const value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--mib") == 0)
            o->mib = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--repeats") == 0)
            o->repeats = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--rank") == 0)
            o->rank = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--type") == 0 && strcmp(value, "f32") == 0)
            o->type = ZT_F32;
        else if (strcmp(argv[i], "--type") == 0 && strcmp(value, "f64") == 0)
            o->type = ZT_F64;
        else
            return false;
    }
    return o->mib >= 1 && o->mib <= 8192 && o->repeats >= 1 && o->repeats <= MOST_REPEATS &&
           o->rank <= ZT_MAX_RANK;
}

static void bench_field(const struct options *o, zt_type type, uint32_t rank)
{
    const struct mode modes[MODES] = {
        {"rate 8", zt_rate(8)},
        {"rate 16", zt_rate(16)},
        {"precision 16", zt_precision(16)},
        {"precision 24", zt_precision(24)},
        {"abs 1e-3", zt_abs(1e-3)},
        {"lossless", zt_lossless()},
    };
    const struct field f = make_field(type, rank, o->mib << 20);
    for (size_t i = 0; i < MODES; i++)
        threads_in_mode(&modes[i], &f, o->repeats);
    if (type == ZT_F32 && rank == 3) {
        printf("\nboxes of 1/1000 of it by 1 thread: bytes read of the file, time of the whole\n");
        printf("%-16s %11s   %-17s %-17s\n", "", "file bytes", "cube", "rows");
        for (size_t i = 0; i < MODES; i++)
            box_in_mode(&modes[i], &f, o->repeats);
        printf("\n");
    }
    free(f.in.data);
    free(f.out[0].data);
    free(f.out[1].data);
}

int main(int argc, char **argv)
{
    struct options o;
    if (!parse(argc, argv, &o)) {
        fprintf(stderr,
                "use: parallel_bench [--mib 1..8192] [--repeats 1..%d] [--type f32|f64] "
                "[--rank 1..4]\n",
                MOST_REPEATS);
        return 1;
    }
    printf(
        "fields of %llu MiB: GB/s of 1 thread, speed-up by 2 threads (and of two runs of 1 thread "
        "at once), work of 2\n%-21s %-23s %-23s %s\n",
        (unsigned long long)o.mib, "", " compress", " decompress", " without an index");
    for (int type = ZT_F32; type <= ZT_F64; type++)
        for (uint32_t rank = 1; rank <= ZT_MAX_RANK; rank++)
            if ((!o.type || type == o.type) && (!o.rank || rank == o.rank))
                bench_field(&o, (zt_type)type, rank);
    return 0;
}
