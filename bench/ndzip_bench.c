/* ndzip_bench.c: the speed of the ndzip codec beside a copy of the same array.
 *
 *     ndzip_bench [--mib N] [--rounds N] [--isa plain|avx2|avx512] [--threads N] [--zt]
 *                 [--only TEXT] [--peer LIBRARY]
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
 * --zt compresses to .zt files, checksums included, instead of bare streams. --peer takes turns
 * with ndzip itself as well, in a library made of ndzip_peer.cc: 'c/peer' and 'd/peer' are how many
 * times faster one thread is than it. */
#include "measure.h"
#include "ztile_ndzip.h"
#include "ztile_expert.h"

#include <dlfcn.h>
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
    const char *only, *peer;
};

/* The functions of ndzip_peer.cc; NULL without a peer. */
static size_t (*peer_compress)(size_t value_bytes, uint32_t rank, const uint32_t *shape,
                               const void *values, void *stream);
static void (*peer_decompress)(size_t value_bytes, uint32_t rank, const uint32_t *shape,
                               const void *stream, void *values);

struct field {
    char name[64];
    zt_array array;
    size_t bytes;
    void *raw, *back, *stream;
    size_t capacity, stream_bytes;
    void *peer_stream;
    size_t peer_bytes;
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

enum {
    COPY,
    COMPRESS,
    DECOMPRESS,
    COMPRESS_N,
    DECOMPRESS_N,
    COMPRESS_PEER,
    DECOMPRESS_PEER,
    TASKS
};

static void run_task(int task, const struct options *o, struct field *f, zt_context *one,
                     zt_context *several)
{
    uint32_t shape[ZT_MAX_RANK];
    for (uint32_t i = 0; i < f->array.rank; i++)
        shape[i] = (uint32_t)f->array.shape[i];
    const size_t value_bytes = zt_type_bytes(f->array.type);
    switch (task) {
    case COPY: memcpy(f->back, f->raw, f->bytes); break;
    case COMPRESS: compress(one, o, f); break;
    case COMPRESS_N: compress(several, o, f); break;
    case DECOMPRESS: decompress(one, o, f); break;
    case DECOMPRESS_N: decompress(several, o, f); break;
    case COMPRESS_PEER:
        f->peer_bytes = peer_compress(value_bytes, f->array.rank, shape, f->raw, f->peer_stream);
        break;
    default: peer_decompress(value_bytes, f->array.rank, shape, f->peer_stream, f->back); break;
    }
}

static double median_of(const double *list, unsigned n)
{
    double copy[ROUNDS_MOST];
    memcpy(copy, list, n * sizeof *copy);
    return bench_median(copy, n);
}

/* The median, over the rounds, of a[i] / b[i]. */
static double median_ratio(const double *a, const double *b, unsigned n)
{
    double ratio[ROUNDS_MOST];
    for (unsigned i = 0; i < n; i++)
        ratio[i] = a[i] / b[i];
    return bench_median(ratio, n);
}

static void measure(const struct options *o, struct field *f, zt_context *one, zt_context *several)
{
    static double cpu[TASKS][ROUNDS_MOST], wall[TASKS][ROUNDS_MOST];
    const int tasks = peer_compress ? TASKS : COMPRESS_PEER;
    for (unsigned i = 0; i < o->rounds; i++)
        for (int task = 0; task < tasks; task++) {
            if (task != COPY)
                memset(f->back, 0xa5, 4096);
            const double c = bench_now(CLOCK_PROCESS_CPUTIME_ID), w = bench_now(CLOCK_MONOTONIC);
            run_task(task, o, f, one, several);
            cpu[task][i] = bench_now(CLOCK_PROCESS_CPUTIME_ID) - c;
            wall[task][i] = bench_now(CLOCK_MONOTONIC) - w;
            if (task >= DECOMPRESS && task != COMPRESS_N && task != COMPRESS_PEER &&
                memcmp(f->raw, f->back, f->bytes) != 0) {
                fprintf(stderr, "ndzip_bench: %s: the array differs\n", f->name);
                exit(1);
            }
        }
    const double gb = 1e-9 * (double)f->bytes;
    const unsigned n = o->rounds;
    printf("%-24s %6.3f %6.2f %6.2f %6.2f %7.2f %7.2f %6.2f %6.2f", f->name,
           (double)f->bytes / (double)f->stream_bytes, gb / median_of(cpu[COPY], n),
           gb / median_of(cpu[COMPRESS], n), gb / median_of(cpu[DECOMPRESS], n),
           median_ratio(cpu[COPY], cpu[COMPRESS], n), median_ratio(cpu[COPY], cpu[DECOMPRESS], n),
           gb / median_of(wall[COMPRESS_N], n), gb / median_of(wall[DECOMPRESS_N], n));
    printf(" %6.2f %6.2f %6.2f %6.2f", median_ratio(wall[COMPRESS], wall[COMPRESS_N], n),
           median_ratio(wall[DECOMPRESS], wall[DECOMPRESS_N], n),
           median_ratio(cpu[COMPRESS_N], cpu[COMPRESS], n),
           median_ratio(cpu[DECOMPRESS_N], cpu[DECOMPRESS], n));
    if (peer_compress)
        printf(" %6.2f %6.2f %s", median_ratio(cpu[COMPRESS_PEER], cpu[COMPRESS], n),
               median_ratio(cpu[DECOMPRESS_PEER], cpu[DECOMPRESS], n),
               f->peer_bytes == f->stream_bytes ? "" : "(another length)");
    printf("\n");
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
    f.peer_stream = peer_compress ? bench_need(f.capacity) : NULL;
    fill(&f, kind);
    measure(o, &f, one, several);
    free(f.raw);
    free(f.back);
    free(f.stream);
    free(f.peer_stream);
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
        else if (strcmp(argv[i], "--peer") == 0)
            o->peer = value;
        else if (strcmp(argv[i], "--isa") == 0)
            o->isa = strcmp(value, "plain") == 0  ? ZT_ISA_PLAIN
                     : strcmp(value, "avx2") == 0 ? ZT_ISA_AVX2
                                                  : ZT_ISA_AVX512;
        else
            value = "";
        i++;
        if (*value == 0) {
            fprintf(stderr, "use: ndzip_bench [--mib N] [--rounds N] [--isa plain|avx2|avx512] "
                            "[--threads N] [--zt] [--only TEXT] [--peer LIBRARY]\n");
            exit(2);
        }
    }
    if (o->mib < 4 || o->rounds < 1 || o->rounds > ROUNDS_MOST) {
        fprintf(stderr, "ndzip_bench: at least 4 MiB, and 1 to %d rounds\n", ROUNDS_MOST);
        exit(2);
    }
}

static void open_peer(const char *path)
{
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *const c = library ? dlsym(library, "ndzip_peer_compress") : NULL;
    void *const d = library ? dlsym(library, "ndzip_peer_decompress") : NULL;
    if (!c || !d) {
        fprintf(stderr, "ndzip_bench: %s\n", dlerror());
        exit(1);
    }
    memcpy(&peer_compress, &c, sizeof c);
    memcpy(&peer_decompress, &d, sizeof d);
}

int main(int argc, char **argv)
{
    struct options o = {.mib = 256, .rounds = 7, .isa = ZT_ISA_AVX512, .threads = 2};
    zt_context *one, *several;
    parse(argc, argv, &o);
    if (o.peer)
        open_peer(o.peer);
    const zt_omp omp = {.threads = o.threads};
    if (zt_context_new(NULL, &one) != ZT_OK || zt_context_new(NULL, &several) != ZT_OK)
        return 1;
    check(one, zt_context_set_isa(one, o.isa), "isa");
    check(several, zt_context_set_isa(several, o.isa), "isa");
    check(several, zt_context_set_omp(several, &omp), "policy");
    printf("ndzip_bench: ztile %s, %s, %s, %zu MiB, %u rounds\n", zt_version(),
           zt_isa_name(zt_context_isa(one)), o.is_zt ? ".zt" : "bare streams", o.mib, o.rounds);
    printf("%-24s %6s %6s %6s %6s %7s %7s %6s %6s %6s %6s %6s %6s%s\n", "field", "ratio", "copy",
           "comp", "decomp", "c/copy", "d/copy", "compN", "decoN", "times", "times", "work", "work",
           o.peer ? " c/peer d/peer" : "");
    for (int type = ZT_F32; type <= ZT_F64; type++)
        for (uint32_t rank = 1; rank <= 3; rank++)
            for (int is_odd = 0; is_odd < 2; is_odd++)
                for (int kind = 0; kind < KINDS; kind++)
                    run_field(&o, (zt_type)type, rank, is_odd, (enum kind)kind, one, several);
    zt_context_free(one);
    zt_context_free(several);
    return 0;
}
