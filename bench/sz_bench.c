/* sz_bench.c: the speed of the sz codec, whole .zt files in memory, beside a copy of the array.
 *
 *     sz_bench [--mib N] [--rounds N] [--isa plain|avx2|avx512] [--threads N] [--effort NAME]
 *              [--rel E]... [--off BYTES] [--slope S] [--write FILE] [FILE TYPE SHAPE]...
 *
 * Fields are float32 of N MiB (64 at least count): a turbulence-like one (3-D, power law -11/3), a
 * smooth one (-6.5), one with noise; and each FILE of raw values, repeated along its slowest axis
 * until there are as many. memcpy, compression and decompression take turns; speeds are of raw
 * data in GB/s, medians over the rounds; one thread in its own processor time. 'times' is how many
 * times faster --threads are, in elapsed time; 'work' the processor time they take as a multiple of
 * one thread's: N / work is what 'times' is on a machine with nothing else to do. 'extra' is the
 * most memory that one call of compression asks for, as a part of the array's.
 *
 * --off BYTES: arrays begin so many bytes behind a page, where they do without it. Large ones that
 * malloc gives do so by 16.
 * --slope S: the turbulence-like field's waves have the power k^-S instead of k^(-11/3).
 * --write FILE only writes it: float64, 128 x 128 x 128; or, where the name
 * ends in .f32, the float32 values of 256 x 256 x 256. */
#include "measure.h"
#include "turbulence.h"
#include "ztile_expert.h"
#include "ztile_sz.h"

#include <math.h>

enum { ROUNDS_MOST = 101, BOUNDS_MOST = 16 };

struct options {
    size_t mib, off; /* off: arrays begin so many bytes behind a page */
    unsigned rounds, bounds;
    zt_isa isa;
    uint32_t threads;
    int effort; /* -1: fast and default */
    double rel[BOUNDS_MOST];
    const char *write;
    double slope; /* of the turbulence-like field */
};

struct field {
    char name[64];
    zt_array array;
    size_t bytes;
    void *back, *stream;
    size_t capacity, stream_bytes;
};

/* An allocator that knows how much is in use, and how much was at most. */
struct meter {
    size_t in_use, most;
};

static void *meter_alloc(void *user, size_t bytes)
{
    struct meter *m = user;
    size_t *const memory = malloc(bytes + 64);
    if (!memory)
        return NULL;
    *memory = bytes;
    m->in_use += bytes;
    m->most = m->in_use > m->most ? m->in_use : m->most;
    return (char *)memory + 64;
}

static void meter_free(void *user, void *memory)
{
    struct meter *m = user;
    if (!memory)
        return;
    size_t *const start = (size_t *)(void *)((char *)memory - 64);
    m->in_use -= *start;
    free(start);
}

static void check(zt_context *context, zt_status status, const char *what)
{
    if (status == ZT_OK)
        return;
    fprintf(stderr, "sz_bench: %s: %s\n", what, zt_context_error(context));
    exit(1);
}

/* The efforts, and the method published for cuSZ. */
static const char *const coders[] = {"fast", "default", "high", "cusz"};
enum { CUSZ = 3 };

static zt_params params_of(int effort, double rel)
{
    zt_params p;
    (void)zt_params_init(&p, sizeof p);
    p.codec = ZT_CODEC_SZ;
    if (effort == CUSZ)
        zt_params_set_sz(&p, ZT_SZ_CUSZ, 0);
    else
        p.effort = (uint32_t)(ZT_EFFORT_FAST + effort);
    p.bound = zt_rel(rel);
    return p;
}

static void compress(zt_context *context, const zt_params *p, struct field *f)
{
    check(context, zt_compress(context, &f->array, p, f->stream, f->capacity, &f->stream_bytes),
          "compression");
}

static void decompress(zt_context *context, struct field *f)
{
    zt_array to = f->array;
    to.data = f->back;
    check(context, zt_decompress(context, f->stream, f->stream_bytes, &to), "decompression");
}

/* The worst error as a part of the bound. */
static double worst(const struct field *f, double rel)
{
    const float *x = f->array.data, *y = f->back;
    double low = x[0], high = x[0], most = 0;
    for (size_t i = 0; i < f->bytes / 4; i++) {
        low = fmin(low, (double)x[i]);
        high = fmax(high, (double)x[i]);
        most = fmax(most, fabs((double)x[i] - (double)y[i]));
    }
    return most / (rel * (high - low));
}

/* Processor and elapsed seconds of a call on one thread and on several. */
struct times {
    double one[ROUNDS_MOST], times[ROUNDS_MOST], work[ROUNDS_MOST];
};

static void take_times(struct times *t, unsigned i, const double *cpu, const double *wall)
{
    t->one[i] = cpu[1] - cpu[0];
    t->times[i] = (wall[1] - wall[0]) / (wall[2] - wall[1]);
    t->work[i] = (cpu[2] - cpu[1]) / (cpu[1] - cpu[0]);
}

static void stamp(double *cpu, double *wall)
{
    *cpu = bench_now(CLOCK_PROCESS_CPUTIME_ID);
    *wall = bench_now(CLOCK_MONOTONIC);
}

static double extra_memory(const struct options *o, const zt_params *p, struct field *f)
{
    struct meter meter = {0, 0};
    const zt_allocator allocator = {.alloc = meter_alloc, .release = meter_free, .user = &meter};
    zt_context *metered;
    if (zt_context_new(&allocator, &metered) != ZT_OK)
        exit(1);
    check(metered, zt_context_set_isa(metered, o->isa), "isa");
    compress(metered, p, f);
    zt_context_free(metered);
    return (double)meter.most / (double)f->bytes;
}

static void measure(const struct options *o, struct field *f, int effort, double rel,
                    zt_context *one, zt_context *several)
{
    const zt_params p = params_of(effort, rel);
    double copy[ROUNDS_MOST];
    struct times c, d;
    const double extra = extra_memory(o, &p, f);
    for (unsigned i = 0; i < o->rounds; i++) {
        double cpu[4], wall[4];
        stamp(&cpu[0], &wall[0]);
        memcpy(f->back, f->array.data, f->bytes);
        stamp(&cpu[1], &wall[1]);
        copy[i] = cpu[1] - cpu[0];
        stamp(&cpu[0], &wall[0]);
        compress(one, &p, f);
        stamp(&cpu[1], &wall[1]);
        compress(several, &p, f);
        stamp(&cpu[2], &wall[2]);
        take_times(&c, i, cpu, wall);
        stamp(&cpu[0], &wall[0]);
        decompress(one, f);
        stamp(&cpu[1], &wall[1]);
        decompress(several, f);
        stamp(&cpu[2], &wall[2]);
        take_times(&d, i, cpu, wall);
    }
    if (!(worst(f, rel) <= 1 + 1e-9)) {
        fprintf(stderr, "sz_bench: %s: a value is off by more than the bound\n", f->name);
        exit(1);
    }
    const double gb = 1e-9 * (double)f->bytes;
    const unsigned n = o->rounds;
    printf("%-8s %-18s %6.0e %8.2f %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f\n",
           coders[effort], f->name, rel, (double)f->bytes / (double)f->stream_bytes,
           gb / bench_median(copy, n), gb / bench_median(c.one, n), gb / bench_median(d.one, n),
           bench_median(c.times, n), bench_median(d.times, n), bench_median(c.work, n),
           bench_median(d.work, n), extra);
    fflush(stdout);
}

/* Memory for an array, where the options want it to begin. */
static void *array_at(const struct options *o, size_t bytes)
{
    return (char *)bench_need(bytes + o->off) + o->off;
}

static void run_field(const struct options *o, struct field *f, zt_context *one,
                      zt_context *several)
{
    const zt_params p = params_of(0, 1e-3);
    f->back = array_at(o, f->bytes);
    check(one, zt_compress_bound(one, &f->array, &p, &f->capacity), "bound");
    f->stream = bench_need(f->capacity);
    for (int effort = 0; effort <= 3; effort++)
        for (unsigned i = 0; i < o->bounds; i++)
            if (o->effort == effort || (o->effort < 0 && effort < 2))
                measure(o, f, effort, o->rel[i], one, several);
    free((char *)f->back - o->off);
    free(f->stream);
    free((char *)f->array.data - o->off);
}

/* A made field: repeated along its slowest axis to as many MiB as asked for. */
static void run_made(const struct options *o, const char *name, double slope, double noise,
                     zt_context *one, zt_context *several)
{
    enum { SIDE = 256 };
    const size_t cube = (size_t)SIDE * SIDE * SIDE;
    const size_t values = o->mib * (1u << 20) / 4 / SIDE / SIDE * SIDE * SIDE;
    const uint64_t shape[3] = {values / SIDE / SIDE, SIDE, SIDE};
    struct field f = {.bytes = values * 4};
    double *const made = bench_need(cube * sizeof *made);
    float *const out = array_at(o, f.bytes);
    snprintf(f.name, sizeof f.name, "%s", name);
    if (make_turbulence(made, SIDE, 3, slope, 1) != 0)
        exit(1);
    uint64_t state = 1;
    for (size_t i = 0; i < values; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        out[i] = (float)(made[i % cube] + noise * ((double)(state >> 11) * 0x1p-53 - 0.5));
    }
    free(made);
    f.array = zt_array_nd(out, ZT_F32, 3, shape);
    run_field(o, &f, one, several);
}

/* A file of raw values, as float32, the slowest axis repeated. */
static int run_file(const struct options *o, char *const *words, zt_context *one,
                    zt_context *several)
{
    struct field f = {.bytes = 0};
    const int is_double = strcmp(words[1], "f64") == 0;
    const char *const slash = strrchr(words[0], '/');
    uint64_t shape[ZT_MAX_RANK] = {0}, values = 1;
    uint32_t rank = 0;
    for (char *at = words[2]; *at && rank < ZT_MAX_RANK; at += *at == 'x') {
        shape[rank] = strtoull(at, &at, 10);
        values *= shape[rank++];
        if (*at && *at != 'x')
            return -1;
    }
    FILE *const file = fopen(words[0], "rb");
    const size_t value_bytes = is_double ? 8 : 4;
    char *const raw = file && values ? bench_need((size_t)values * value_bytes) : NULL;
    if (!raw || fread(raw, value_bytes, (size_t)values, file) != values)
        return -1;
    (void)fclose(file);
    const uint64_t times = (o->mib * (1u << 20) / 4 + values - 1) / values;
    shape[0] *= times;
    f.bytes = (size_t)(4 * values * times);
    float *const out = array_at(o, f.bytes);
    for (size_t i = 0; i < values * times; i++)
        out[i] = is_double ? (float)((double *)(void *)raw)[i % values]
                           : ((float *)(void *)raw)[i % values];
    free(raw);
    snprintf(f.name, sizeof f.name, "%.18s", slash ? slash + 1 : words[0]);
    f.array = zt_array_nd(out, ZT_F32, rank, shape);
    run_field(o, &f, one, several);
    return 0;
}

/* 128 x 128 x 128 doubles; or floats, 256 x 256 x 256, where the name ends in .f32. */
static int write_turbulence(const char *name, double slope)
{
    const size_t length = strlen(name);
    const int is_float = length > 4 && strcmp(name + length - 4, ".f32") == 0;
    const size_t side = is_float ? 256 : 128, n = side * side * side;
    const size_t value_bytes = is_float ? sizeof(float) : sizeof(double);
    double *const made = bench_need(n * sizeof *made);
    void *const narrow = is_float ? bench_need(n * sizeof(float)) : NULL;
    const int is_made = make_turbulence(made, side, 3, slope, 1) == 0;
    for (size_t i = 0; i < n && is_float; i++)
        ((float *)narrow)[i] = (float)made[i];
    FILE *const file = fopen(name, "wb");
    const int is_good =
        file && is_made && fwrite(is_float ? narrow : made, value_bytes, n, file) == n;
    free(narrow);
    free(made);
    return file && fclose(file) == 0 && is_good ? 0 : -1;
}

static int use(void)
{
    fprintf(stderr, "use: sz_bench [--mib N] [--rounds N] [--isa plain|avx2|avx512] [--threads N] "
                    "[--effort fast|default|high|cusz] [--rel E]... [--off BYTES] [--slope S] "
                    "[--write FILE] "
                    "[FILE f32|f64 SHAPE]...\n");
    return 2;
}

static int number_of(const char *const *names, int n, const char *text)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    return -1;
}

/* Returns the number of the first word that is no option, or -1. */
static int parse(int argc, char **argv, struct options *o)
{
    static const char *const isas[] = {"plain", "avx2", "avx512"};
    static const zt_isa isa_of[] = {ZT_ISA_PLAIN, ZT_ISA_AVX2, ZT_ISA_AVX512};
    int i = 1, at = 0;
    for (; i + 1 < argc && argv[i][0] == '-' && at >= 0; i += 2) {
        const char *const value = argv[i + 1];
        if (strcmp(argv[i], "--mib") == 0)
            o->mib = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--rounds") == 0)
            o->rounds = (unsigned)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--threads") == 0)
            o->threads = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--isa") == 0)
            o->isa = (at = number_of(isas, 3, value)) < 0 ? o->isa : isa_of[at];
        else if (strcmp(argv[i], "--effort") == 0)
            o->effort = at = number_of(coders, 4, value);
        else if (strcmp(argv[i], "--rel") == 0 && o->bounds < BOUNDS_MOST)
            o->rel[o->bounds++] = strtod(value, NULL);
        else if (strcmp(argv[i], "--off") == 0)
            o->off = strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--slope") == 0)
            o->slope = strtod(value, NULL);
        else if (strcmp(argv[i], "--write") == 0)
            o->write = value;
        else
            at = -1;
    }
    const int is_good =
        at >= 0 && o->mib >= 1 && o->off % 8 == 0 && o->rounds >= 1 && o->rounds <= ROUNDS_MOST;
    return is_good && (argc - i) % 3 == 0 ? i : -1;
}

int main(int argc, char **argv)
{
    struct options o = {.mib = 64,
                        .rounds = 7,
                        .isa = ZT_ISA_AVX512,
                        .threads = 2,
                        .effort = -1,
                        .slope = 11.0 / 3};
    zt_context *one, *several;
    int at = parse(argc, argv, &o);
    if (at < 0)
        return use();
    if (o.write)
        return write_turbulence(o.write, o.slope) == 0 ? 0 : 1;
    const int is_given = o.bounds > 0;
    for (int i = 2; i < 5 && !is_given; i++)
        o.rel[o.bounds++] = pow(10, -i);
    const zt_omp omp = {.threads = o.threads};
    if (zt_context_new(NULL, &one) != ZT_OK || zt_context_new(NULL, &several) != ZT_OK)
        return 1;
    check(one, zt_context_set_isa(one, o.isa), "isa");
    check(several, zt_context_set_isa(several, o.isa), "isa");
    check(several, zt_context_set_omp(several, &omp), "policy");
    printf("sz_bench: ztile %s, %s, %zu MiB, %u rounds\n", zt_version(),
           zt_isa_name(zt_context_isa(one)), o.mib, o.rounds);
    printf("%-8s %-18s %6s %8s %6s %6s %6s %6s %6s %6s %6s %6s\n", "effort", "field", "rel",
           "ratio", "copy", "comp", "decomp", "c time", "d time", "c work", "d work", "extra");
    if (at == argc) {
        run_made(&o, "turbulence", o.slope, 0, one, several);
        run_made(&o, "smooth", 6.5, 0, one, several);
        run_made(&o, "noisy", 6.5, 1e-2, one, several);
    }
    for (; at < argc; at += 3)
        if (run_file(&o, argv + at, one, several) != 0) {
            fprintf(stderr, "sz_bench: cannot read %s as %s of shape %s\n", argv[at], argv[at + 1],
                    argv[at + 2]);
            return 1;
        }
    zt_context_free(one);
    zt_context_free(several);
    return 0;
}
