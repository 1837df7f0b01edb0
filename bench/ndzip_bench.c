/* ndzip_bench.c: the speed of the ndzip codec beside a copy of the same array.
 *
 *     ndzip_bench [--mib N] [--rounds N] [--isa plain|avx2|avx512] [--threads N] [--zt] [--only
 * TEXT]
 *
 * For each field - float and double, 1 to 3 dimensions, extents that are multiples of the tile's
 * and such that are not, smooth, smooth with noise, random bits - memcpy, compression and
 * decompression take turns for some rounds, on one thread and on several. Speeds are of raw data,
 * medians over the rounds; one thread is timed in processor time, several in elapsed time. 'c/copy'
 * and 'd/copy' are the medians, over the rounds, of the speed as a part of memcpy's on one thread
 * in the same round; 'times' is how many times faster than one thread several are, and 'work' how
 * much processor time they take as a multiple of one thread's: N / work is what 'times' can be on a
 * machine that has nothing else to do.
 *
 * --zt compresses to .zt files, checksums included, instead of bare streams. */
#include "measure.h"
#include "ztile.h"

#include <math.h>

enum kind { SMOOTH, NOISY, RANDOM, KINDS };
static const char *const kind_names[KINDS] = {"smooth", "noisy", "random"};

enum { ROUNDS_MOST = 101 };

struct options {
    size_t mib;
    unsigned rounds;
    zt_isa isa;
    uint32_t threads;
    int is_zt;
    const char *only;
};

struct field {
    char name[64];
    zt_array array;
    size_t bytes;
    void *raw, *back, *stream;
    size_t capacity, stream_bytes;
};

static uint64_t random_bits(uint64_t *state)
{
    uint64_t t = *state += UINT64_C(0x9E3779B97F4A7C15);
    t = (t ^ (t >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    t = (t ^ (t >> 27)) * UINT64_C(0x94D049BB133111EB);
    return t ^ (t >> 31);
}

/* A wave along each axis, and their product; noise of about a thousandth of it. */
static void fill(struct field *f, enum kind kind)
{
    const uint64_t *shape = f->array.shape;
    const uint32_t rank = f->array.rank;
    uint64_t state = 1, rows = 1, nx = shape[rank - 1];
    double *wave = bench_need(2 * nx * sizeof *wave);
    for (uint64_t x = 0; x < nx; x++) {
        wave[x] = sin(0.003 * (double)(x % 100000));
        wave[nx + x] = cos(0.011 * (double)(x % 100000));
    }
    for (uint32_t i = 0; i + 1 < rank; i++)
        rows *= shape[i];
    float *out32 = f->raw;
    double *out64 = f->raw;
    for (uint64_t row = 0; row < rows; row++) {
        const double y = rank > 1 ? (double)(row % shape[rank - 2]) : 0;
        const double z = rank > 2 ? (double)(row / shape[rank - 2]) : 0;
        const double a = 3 + sin(0.007 * y) + cos(0.005 * z), b = cos(0.013 * y + 0.004 * z);
        for (uint64_t x = 0; x < nx; x++) {
            double v = a + wave[x] + b * wave[nx + x];
            const uint64_t r = kind == SMOOTH ? 0 : random_bits(&state);
            if (kind == NOISY)
                v += 1e-3 * ((double)(r >> 11) * 0x1p-53 - 0.5);
            if (f->array.type == ZT_F32)
                *out32++ = (float)v;
            else
                *out64++ = v;
            if (kind == RANDOM)
                memcpy(f->array.type == ZT_F32 ? (void *)(out32 - 1) : (void *)(out64 - 1), &r,
                       zt_type_bytes(f->array.type));
        }
    }
    free(wave);
}

static void shape_of(const struct options *o, zt_type type, uint32_t rank, int is_odd,
                     uint64_t *shape)
{
    const uint64_t values = (uint64_t)o->mib * (1u << 20) / zt_type_bytes(type);
    uint64_t side = 64;
    if (rank == 1) {
        shape[0] = values - (is_odd ? 1357 : 0);
    } else if (rank == 2) {
        while (4 * side * side <= values)
            side *= 2;
        shape[0] = values / side;
        shape[1] = side;
    } else {
        while (8 * side * side * side <= values)
            side *= 2;
        shape[1] = values / side / side >= 2 * side ? 2 * side : side;
        shape[0] = values / side / shape[1];
        shape[2] = side;
    }
    if (is_odd && rank > 1)
        for (uint32_t i = 0; i < rank; i++)
            shape[i] += i + 1 < rank ? (uint64_t)-3 : 1;
}

static void check(zt_context *context, zt_status status, const char *what)
{
    if (status == ZT_OK)
        return;
    fprintf(stderr, "ndzip_bench: %s: %s\n", what, zt_context_error(context));
    exit(1);
}

static void compress(zt_context *context, const struct options *o, struct field *f)
{
    zt_params p;
    (void)zt_params_init(&p, sizeof p);
    p.codec = ZT_CODEC_NDZIP;
    p.slab_bytes = UINT64_C(1) << 40;
    check(context,
          o->is_zt
              ? zt_compress(context, &f->array, &p, f->stream, f->capacity, &f->stream_bytes)
              : zt_ndzip_compress(context, &f->array, f->stream, f->capacity, &f->stream_bytes),
          "compression");
}

static void decompress(zt_context *context, const struct options *o, struct field *f)
{
    zt_array to = f->array;
    to.data = f->back;
    check(context,
          o->is_zt ? zt_decompress(context, f->stream, f->stream_bytes, &to)
                   : zt_ndzip_decompress(context, f->stream, f->stream_bytes, &to, NULL),
          "decompression");
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *list, unsigned n)
{
    qsort(list, n, sizeof *list, by_size);
    return list[n / 2];
}

static void measure(const struct options *o, struct field *f, zt_context *one, zt_context *several)
{
    double copy[ROUNDS_MOST], c[ROUNDS_MOST], d[ROUNDS_MOST], cn[ROUNDS_MOST], dn[ROUNDS_MOST];
    double c_part[ROUNDS_MOST], d_part[ROUNDS_MOST], c_times[ROUNDS_MOST], d_times[ROUNDS_MOST];
    double c_work[ROUNDS_MOST], d_work[ROUNDS_MOST];
    for (unsigned i = 0; i < o->rounds; i++) {
        double t[8], wall[2], work[2];
        t[0] = bench_now(CLOCK_PROCESS_CPUTIME_ID);
        memcpy(f->back, f->raw, f->bytes);
        t[1] = bench_now(CLOCK_PROCESS_CPUTIME_ID);
        wall[0] = bench_now(CLOCK_MONOTONIC);
        compress(one, o, f);
        t[2] = bench_now(CLOCK_PROCESS_CPUTIME_ID);
        wall[0] = bench_now(CLOCK_MONOTONIC) - wall[0];
        t[3] = bench_now(CLOCK_MONOTONIC);
        compress(several, o, f);
        t[4] = bench_now(CLOCK_MONOTONIC);
        work[0] = bench_now(CLOCK_PROCESS_CPUTIME_ID) - t[2];
        memset(f->back, 0xa5, 4096);
        t[5] = bench_now(CLOCK_PROCESS_CPUTIME_ID);
        wall[1] = bench_now(CLOCK_MONOTONIC);
        decompress(one, o, f);
        t[6] = bench_now(CLOCK_PROCESS_CPUTIME_ID);
        wall[1] = bench_now(CLOCK_MONOTONIC) - wall[1];
        t[7] = bench_now(CLOCK_MONOTONIC);
        decompress(several, o, f);
        dn[i] = bench_now(CLOCK_MONOTONIC) - t[7];
        work[1] = bench_now(CLOCK_PROCESS_CPUTIME_ID) - t[6];
        copy[i] = t[1] - t[0];
        c[i] = t[2] - t[1];
        cn[i] = t[4] - t[3];
        d[i] = t[6] - t[5];
        c_part[i] = copy[i] / c[i];
        d_part[i] = copy[i] / d[i];
        c_times[i] = wall[0] / cn[i];
        d_times[i] = wall[1] / dn[i];
        c_work[i] = work[0] / c[i];
        d_work[i] = work[1] / d[i];
    }
    if (memcmp(f->raw, f->back, f->bytes) != 0) {
        fprintf(stderr, "ndzip_bench: %s: the array differs\n", f->name);
        exit(1);
    }
    const double gb = 1e-9 * (double)f->bytes;
    const unsigned n = o->rounds;
    printf("%-24s %6.3f %6.2f %6.2f %6.2f %7.2f %7.2f %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f\n",
           f->name,
           (double)f->bytes / (double)f->stream_bytes, gb / median(copy, n), gb / median(c, n),
           gb / median(d, n), median(c_part, n), median(d_part, n), gb / median(cn, n),
           gb / median(dn, n), median(c_times, n), median(d_times, n), median(c_work, n),
           median(d_work, n));
    fflush(stdout);
}

static void run_field(const struct options *o, zt_type type, uint32_t rank, int is_odd,
                      enum kind kind, zt_context *one, zt_context *several)
{
    struct field f;
    uint64_t shape[ZT_MAX_RANK] = {0};
    char text[32] = "";
    shape_of(o, type, rank, is_odd, shape);
    for (uint32_t i = 0; i < rank; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%llu", i ? "x" : "",
                 (unsigned long long)shape[i]);
    snprintf(f.name, sizeof f.name, "%s %s %s", type == ZT_F32 ? "f32" : "f64", text,
             kind_names[kind]);
    if (o->only && !strstr(f.name, o->only))
        return;
    f.array = zt_array_nd(NULL, type, rank, shape);
    f.bytes = zt_type_bytes(type);
    for (uint32_t i = 0; i < rank; i++)
        f.bytes *= (size_t)shape[i];
    check(one, zt_ndzip_compress_bound(one, &f.array, &f.capacity), "bound");
    f.capacity += 1 << 20; /* what a .zt file has beside the stream */
    f.array.data = f.raw = bench_need(f.bytes);
    f.back = bench_need(f.bytes);
    f.stream = bench_need(f.capacity);
    fill(&f, kind);
    measure(o, &f, one, several);
    free(f.raw);
    free(f.back);
    free(f.stream);
}

static void parse(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--zt") == 0) {
            o->is_zt = 1;
            continue;
        }
        if (strcmp(argv[i], "--mib") == 0)
            o->mib = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--rounds") == 0)
            o->rounds = (unsigned)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--threads") == 0)
            o->threads = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--only") == 0)
            o->only = value;
        else if (strcmp(argv[i], "--isa") == 0)
            o->isa = strcmp(value, "plain") == 0  ? ZT_ISA_PLAIN
                     : strcmp(value, "avx2") == 0 ? ZT_ISA_AVX2
                                                  : ZT_ISA_AVX512;
        else
            value = "";
        i++;
        if (*value == 0) {
            fprintf(stderr, "use: ndzip_bench [--mib N] [--rounds N] [--isa plain|avx2|avx512] "
                            "[--threads N] [--zt] [--only TEXT]\n");
            exit(2);
        }
    }
    if (o->mib < 4 || o->rounds < 1 || o->rounds > ROUNDS_MOST) {
        fprintf(stderr, "ndzip_bench: at least 4 MiB, and 1 to %d rounds\n", ROUNDS_MOST);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    struct options o = {.mib = 256, .rounds = 7, .isa = ZT_ISA_AVX512, .threads = 2};
    zt_context *one, *several;
    parse(argc, argv, &o);
    const zt_omp omp = {.threads = o.threads};
    if (zt_context_new(NULL, &one) != ZT_OK || zt_context_new(NULL, &several) != ZT_OK)
        return 1;
    check(one, zt_context_set_isa(one, o.isa), "isa");
    check(several, zt_context_set_isa(several, o.isa), "isa");
    check(several, zt_context_set_policy(several, ZT_OMP, &omp), "policy");
    printf("ndzip_bench: ztile %s, %s, %s, %zu MiB, %u rounds\n", zt_version(),
           zt_isa_name(zt_context_isa(one)), o.is_zt ? ".zt" : "bare streams", o.mib, o.rounds);
    printf("%-24s %6s %6s %6s %6s %7s %7s %6s %6s %6s %6s %6s %6s\n", "field", "ratio",
           "copy", "comp", "decomp", "c/copy", "d/copy", "compN", "decoN", "times", "times", "work",
           "work");
    for (int type = ZT_F32; type <= ZT_F64; type++)
        for (uint32_t rank = 1; rank <= 3; rank++)
            for (int is_odd = 0; is_odd < 2; is_odd++)
                for (int kind = 0; kind < KINDS; kind++)
                    run_field(&o, (zt_type)type, rank, is_odd, (enum kind)kind, one, several);
    zt_context_free(one);
    zt_context_free(several);
    return 0;
}
