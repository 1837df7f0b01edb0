/* lossless_bench.c: the speed of sz without loss, of effort high or another, in memory, on one
 * core.
 *
 *     lossless_bench [--isa plain|avx2|avx512] [--effort high|default|fast] [--rounds N]
 *         [--megabytes N] (FILE TYPE SHAPE)...
 *
 * Each FILE of raw values is repeated along its slowest axis to about N megabytes (default 16).
 * Prints a field's ratio (of the file once), MB/s of its repeated bytes, compressing and
 * decompressing, the least of the rounds in the process's processor time, and the ratio of these
 * bytes; and at the end all bytes over all times, and the geometric mean of the ratios. What comes
 * back is compared. */
#include "measure.h"
#include "ztile_expert.h"

#include <math.h>

struct field {
    zt_array array, once; /* repeated, and not */
    size_t bytes, once_bytes;
    void *back, *stream;
    size_t capacity, stream_bytes;
};

struct options {
    zt_isa isa;
    zt_effort effort;
    unsigned rounds;
    double megabytes;
};

static void check(zt_context *context, zt_status status, const char *what)
{
    if (status == ZT_OK)
        return;
    fprintf(stderr, "lossless_bench: %s: %s\n", what, zt_context_error(context));
    exit(1);
}

static zt_type type_of(const char *name)
{
    static const char *const names[] = {"f32", "f64", "i32", "i64"};
    static const zt_type types[] = {ZT_F32, ZT_F64, ZT_I32, ZT_I64};
    for (size_t i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0)
            return types[i];
    fprintf(stderr, "lossless_bench: %s is no type\n", name);
    exit(2);
}

/* Read a file, and repeat it. */
static void read_field(const struct options *o, char *const *words, struct field *f)
{
    const zt_type type = type_of(words[1]);
    uint64_t shape[ZT_MAX_RANK] = {0};
    uint32_t rank = 0;
    f->once_bytes = zt_type_bytes(type);
    for (char *at = words[2]; *at && rank < ZT_MAX_RANK; at += *at == 'x') {
        shape[rank] = strtoull(at, &at, 10);
        f->once_bytes *= (size_t)shape[rank++];
    }
    FILE *const file = fopen(words[0], "rb");
    const double most = o->megabytes * 1e6 / (double)f->once_bytes;
    const size_t times = most < 1.5 ? 1 : (size_t)(most + 0.5);
    f->bytes = times * f->once_bytes;
    char *const raw = bench_need(f->bytes);
    if (!file || fread(raw, 1, f->once_bytes, file) != f->once_bytes) {
        fprintf(stderr, "lossless_bench: cannot read %s\n", words[0]);
        exit(1);
    }
    (void)fclose(file);
    for (size_t i = 1; i < times; i++)
        memcpy(raw + i * f->once_bytes, raw, f->once_bytes);
    f->once = zt_array_nd(raw, type, rank, shape);
    shape[0] *= times;
    f->array = zt_array_nd(raw, type, rank, shape);
    f->back = bench_need(f->bytes);
}

static double seconds(void)
{
    return bench_now(CLOCK_PROCESS_CPUTIME_ID);
}

/* Add to sums: bytes, least seconds to compress and to decompress, the ratio's logarithm. */
static void measure(const struct options *o, zt_context *context, const char *name, struct field *f,
                    double *sum)
{
    double make = 1e9, read = 1e9;
    size_t once;
    zt_params p;
    (void)zt_params_init(&p, sizeof p);
    p.codec = ZT_CODEC_SZ;
    p.effort = o->effort;
    check(context, zt_compress_bound(context, &f->array, &p, &f->capacity), "bound");
    f->stream = bench_need(f->capacity);
    check(context, zt_compress(context, &f->once, &p, f->stream, f->capacity, &once), "once");
    for (unsigned i = 0; i < o->rounds; i++) {
        zt_array to = f->array;
        to.data = f->back;
        const double start = seconds();
        check(context,
              zt_compress(context, &f->array, &p, f->stream, f->capacity, &f->stream_bytes),
              "compression");
        const double middle = seconds();
        check(context, zt_decompress(context, f->stream, f->stream_bytes, &to), "decompression");
        const double end = seconds();
        make = fmin(make, middle - start);
        read = fmin(read, end - middle);
        if (memcmp(f->back, f->array.data, f->bytes) != 0) {
            fprintf(stderr, "lossless_bench: %s: what comes back is something else\n", name);
            exit(1);
        }
    }
    const double ratio = (double)f->once_bytes / (double)once, mb = 1e-6 * (double)f->bytes;
    printf("%-22s %8.3f %8.0f %8.0f %8.3f\n", name, ratio, mb / make, mb / read,
           (double)f->bytes / (double)f->stream_bytes);
    fflush(stdout);
    sum[0] += mb;
    sum[1] += make;
    sum[2] += read;
    sum[3] += log(ratio);
    free(f->stream);
    free(f->back);
    free(f->array.data);
}

static int parse(int argc, char **argv, struct options *o)
{
    static const char *const efforts[] = {"high", "default", "fast"};
    static const zt_effort effort_of[] = {ZT_EFFORT_HIGH, ZT_EFFORT_DEFAULT, ZT_EFFORT_FAST};
    static const char *const isas[] = {"plain", "avx2", "avx512"};
    static const zt_isa isa_of[] = {ZT_ISA_PLAIN, ZT_ISA_AVX2, ZT_ISA_AVX512};
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        if (strcmp(argv[i], "--rounds") == 0)
            o->rounds = (unsigned)strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--megabytes") == 0)
            o->megabytes = strtod(argv[i + 1], NULL);
        else if (strcmp(argv[i], "--isa") != 0 && strcmp(argv[i], "--effort") != 0)
            return -1;
        for (size_t k = 0; k < 3; k++) {
            if (strcmp(argv[i + 1], isas[k]) == 0)
                o->isa = isa_of[k];
            if (strcmp(argv[i + 1], efforts[k]) == 0)
                o->effort = effort_of[k];
        }
    }
    return (argc - i) % 3 == 0 && argc > i && o->rounds > 0 ? i : -1;
}

int main(int argc, char **argv)
{
    struct options o = {
        .isa = ZT_ISA_AVX512, .effort = ZT_EFFORT_HIGH, .rounds = 3, .megabytes = 16};
    double sum[4] = {0};
    zt_context *context;
    int at = parse(argc, argv, &o);
    if (at < 0) {
        fprintf(stderr,
                "use: lossless_bench [--isa plain|avx2|avx512] [--effort high|default|fast] "
                "[--rounds N] [--megabytes N] (FILE TYPE SHAPE)...\n");
        return 2;
    }
    const int fields = (argc - at) / 3;
    if (zt_context_new(NULL, &context) != ZT_OK)
        return 1;
    check(context, zt_context_set_isa(context, o.isa), "isa");
    printf("%-22s %8s %8s %8s %8s\n", zt_isa_name(zt_context_isa(context)), "ratio", "comp",
           "decomp", "repeated");
    for (; at < argc; at += 3) {
        struct field f = {.bytes = 0};
        const char *const slash = strrchr(argv[at], '/');
        read_field(&o, argv + at, &f);
        measure(&o, context, slash ? slash + 1 : argv[at], &f, sum);
    }
    printf("%-22s %8.3f %8.0f %8.0f\n", "all", exp(sum[3] / fields), sum[0] / sum[1],
           sum[0] / sum[2]);
    zt_context_free(context);
    return 0;
}
