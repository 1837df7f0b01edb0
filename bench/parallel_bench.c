/* parallel_bench.c: what threads and the index are worth: 2 threads against 1 in every mode, beside
 * what two independent runs of one thread reach on the machine at that moment, and what a box of a
 * thousandth of an array costs, in bytes and in time.
 *
 *     parallel_bench [--side N] [--repeats N]
 *
 * The array is a made float field of N^3 values (default 512). Wall-clock times; each figure is a
 * median of alternating runs. */
#include "ztile.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_REPEATS = 31 };

struct mode {
    const char *name;
    zt_bound bound;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *list, uint32_t n)
{
    qsort(list, n, sizeof *list, by_size);
    return list[n / 2];
}

static void need(zt_status status, const zt_context *context)
{
    if (status == ZT_OK)
        return;
    fprintf(stderr, "%s: %s\n", zt_strerror(status), zt_context_error(context));
    exit(1);
}

static void *need_memory(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

/* Four waves and noise of 1e-4, from a generator of its own. */
static float *make_field(uint64_t side)
{
    float *v = need_memory(side * side * side * sizeof *v);
    uint32_t noise = 1;
    for (uint64_t i = 0, z = 0; z < side; z++)
        for (uint64_t y = 0; y < side; y++)
            for (uint64_t x = 0; x < side; x++, i++) {
                const double step = 6.28 / (double)side;
                const double u = step * (double)x, t = step * (double)y, s = step * (double)z;
                noise = noise * 1664525u + 1013904223u;
                v[i] = (float)(sin(3 * u + t) + 0.5 * cos(5 * t - s) + 0.3 * sin(7 * s + 2 * u) +
                               0.2 * cos(11 * u * t / 6.28) + 1e-4 * (noise >> 8) / 16777216.0);
            }
    return v;
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

static double time_of(struct job *j, uint32_t threads)
{
    if (threads == 1)
        need(zt_context_set_policy(j->context, ZT_SERIAL, NULL), j->context);
    else
        need(zt_context_set_policy(j->context, ZT_OMP, &(zt_omp){.threads = threads}), j->context);
    const double from = now();
    run_job(j);
    return now() - from;
}

/* Two jobs of one thread each, at the same time. */
static double time_of_two(struct job *a, struct job *b)
{
    pthread_t thread;
    need(zt_context_set_policy(a->context, ZT_SERIAL, NULL), a->context);
    need(zt_context_set_policy(b->context, ZT_SERIAL, NULL), b->context);
    const double from = now();
    if (pthread_create(&thread, NULL, run_on_thread, b) != 0)
        exit(1);
    run_job(a);
    pthread_join(thread, NULL);
    return now() - from;
}

/* Print how much 2 threads are worth, and how much two runs of 1 thread are. */
static void compare(struct job *a, struct job *b, uint32_t repeats)
{
    double one[MOST_REPEATS], two[MOST_REPEATS], both[MOST_REPEATS];
    for (uint32_t i = 0; i < repeats; i++) {
        one[i] = time_of(a, 1);
        two[i] = time_of(a, 2);
        both[i] = time_of_two(a, b);
    }
    const double t = median(one, repeats);
    printf(" %7.2f %5.2f (%4.2f)", 1e-9 * (double)(zt_type_bytes(a->array.type) *
           a->array.shape[0] * a->array.shape[1] * a->array.shape[2]) / t,
           t / median(two, repeats), 2 * t / median(both, repeats));
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
    j.file = need_memory(j.capacity);
    return j;
}

static void job_free(struct job *j)
{
    zt_context_free(j->context);
    free(j->file);
}

static void threads_in_mode(const struct mode *mode, zt_array in, zt_array out, zt_array out2,
                            uint32_t repeats)
{
    struct job a = job_of(COMPRESS, in, mode->bound, ZT_INDEX_DEFAULT);
    struct job b = job_of(COMPRESS, in, mode->bound, ZT_INDEX_DEFAULT);
    printf("%-16s", mode->name);
    compare(&a, &b, repeats);
    a.task = b.task = DECOMPRESS;
    a.array = out;
    b.array = out2;
    compare(&a, &b, repeats);
    if (mode->bound.kind != ZT_RATE) {
        a.task = b.task = COMPRESS;
        a.array = b.array = in;
        a.params.index = b.params.index = ZT_INDEX_NONE;
        run_job(&a);
        run_job(&b);
        a.task = b.task = DECOMPRESS;
        a.array = out;
        b.array = out2;
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
static void box_in_mode(const struct mode *mode, zt_array in, zt_array out, uint32_t repeats)
{
    struct job j = job_of(COMPRESS, in, mode->bound, ZT_INDEX_DEFAULT);
    const uint64_t n = in.shape[0], part = n / 10;
    double whole[MOST_REPEATS], box_time[MOST_REPEATS];
    run_job(&j);
    j.task = DECOMPRESS;
    j.array = out;
    printf("%-16s %11zu", mode->name, j.file_bytes);
    for (uint32_t shape = 0; shape < 2; shape++) {
        const uint64_t y = n * 3 / 8 + 1;
        const uint64_t thick = shape ? (uint64_t)sqrt((double)n * (double)n / 1000) : part;
        const zt_box box = {.lo = {y, y, shape ? 0 : y},
                            .hi = {y + thick, y + thick, shape ? n : y + part}};
        zt_array part_out = zt_array_3d(out.data, ZT_F32, thick, thick, shape ? n : part);
        struct counted c = {.bytes = j.file};
        for (uint32_t i = 0; i < repeats; i++) {
            zt_source source = {.read = read_counted, .user = &c, .source_bytes = j.file_bytes};
            zt_reader *reader;
            whole[i] = time_of(&j, 1);
            c.read = 0;
            const double from = now();
            need(zt_reader_open(j.context, &source, &reader), j.context);
            need(zt_reader_read_box(reader, &box, &part_out), j.context);
            zt_reader_close(reader);
            box_time[i] = now() - from;
        }
        printf("   %5.2f %%  1/%-5.0f", 100 * (double)c.read / (double)j.file_bytes,
               median(whole, repeats) / median(box_time, repeats));
    }
    printf("\n");
    fflush(stdout);
    job_free(&j);
}

int main(int argc, char **argv)
{
    uint64_t side = 512;
    uint32_t repeats = 5;
    for (int i = 1; i < argc; i++) {
        const bool has_value = i + 1 < argc;
        if (has_value && strcmp(argv[i], "--side") == 0)
            side = strtoull(argv[++i], NULL, 10);
        else if (has_value && strcmp(argv[i], "--repeats") == 0)
            repeats = (uint32_t)strtoul(argv[++i], NULL, 10);
        else
            side = 0;
    }
    if (side < 32 || side > 2048 || repeats < 1 || repeats > MOST_REPEATS) {
        fprintf(stderr, "usage: parallel_bench [--side 32..2048] [--repeats 1..%d]\n",
                MOST_REPEATS);
        return 1;
    }
    const struct mode modes[] = {
        {"rate 8", zt_rate(8)},        {"precision 16", zt_precision(16)},
        {"precision 24", zt_precision(24)}, {"abs 1e-3", zt_abs(1e-3)},
        {"abs 1e-5", zt_abs(1e-5)},    {"lossless", zt_lossless()},
    };
    const size_t count = sizeof modes / sizeof *modes, bytes = side * side * side * sizeof(float);
    float *field = make_field(side), *out = need_memory(bytes), *out2 = need_memory(bytes);
    memset(out, 0, bytes);
    memset(out2, 0, bytes);
    const zt_array in = zt_array_3d(field, ZT_F32, side, side, side);
    const zt_array back = zt_array_3d(out, ZT_F32, side, side, side);
    const zt_array back2 = zt_array_3d(out2, ZT_F32, side, side, side);
    printf("float field of %llu^3 values, %zu bytes\n\n", (unsigned long long)side, bytes);
    printf("GB/s of 1 thread, speed-up by 2 threads (and of two runs of 1 thread at once)\n");
    printf("%-16s %21s %21s %21s\n", "", "compress", "decompress", "without an index");
    for (size_t i = 0; i < count; i++)
        threads_in_mode(&modes[i], in, back, back2, repeats);
    printf("\nbox of 1/1000 by 1 thread: bytes read of the file, time of the whole\n");
    printf("%-16s %11s   %-17s %-17s\n", "", "file bytes", "cube", "rows");
    for (size_t i = 0; i < count; i++)
        box_in_mode(&modes[i], in, back, repeats < 3 ? repeats : 3);
    free(field);
    free(out);
    free(out2);
    return 0;
}
