/* two_builds.c: two builds of the library in turns: whether the new one is as fast as the old one.
 *
 *     two_builds OLD.so NEW.so [--mib N] [--rounds N] [--isa plain|avx2|avx512] [--only WORD]
 *
 * A row is a codec with its bound, a type, a rank and a direction. In each round the old build, the
 * new one and a second copy of the old one code the same array in memory on one thread, in
 * processor time. 'new' is the median over the rounds of old time / new time: above 1 the new build
 * is faster. 'noise' is the same of the old build's copy. A row whose 'new' is below 0.97 is
 * measured three times more, and counts if the median of these stays below. The last line has the
 * geometric means.
 * Both builds must have been made from the same ztile.h. The bytes of both are compared. */
#include "measure.h"
#include "turbulence.h"
#include "ztile_expert.h"
#include "ztile_sz.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>

enum { ROUNDS_MOST = 101, BUILDS = 3, RETRIES = 3 };
static const double slow = 0.97;

/* What is called of a build. */
struct build {
    zt_status (*compress)(zt_context *, const zt_array *, const zt_params *, void *, size_t,
                          size_t *);
    zt_status (*decompress)(zt_context *, const void *, size_t, const zt_array *);
    zt_status (*bound)(zt_context *, const zt_array *, const zt_params *, size_t *);
    zt_status (*init)(zt_params *, size_t);
    void (*set_sz)(zt_params *, zt_sz_method, uint32_t);
    zt_status (*context_new)(const zt_allocator *, zt_context **);
    zt_status (*set_isa)(zt_context *, zt_isa);
    zt_isa (*isa)(const zt_context *);
    const char *(*error)(const zt_context *);
    zt_context *context;
    void *stream, *back;
    size_t stream_bytes, capacity;
};

struct method {
    const char *name;
    zt_codec codec;
    uint32_t effort; /* zt_effort, or CUSZ: the method published for it */
    zt_bound bound;
};

enum { CUSZ = 100 };

static const struct method methods[] = {
    {"zfp rel 1e-3", ZT_CODEC_ZFP, ZT_EFFORT_DEFAULT, {.kind = ZT_REL, .value = 1e-3}},
    {"zfp rate 8", ZT_CODEC_ZFP, ZT_EFFORT_DEFAULT, {.kind = ZT_RATE, .value = 8}},
    {"zfp lossless", ZT_CODEC_ZFP, ZT_EFFORT_DEFAULT, {.kind = ZT_LOSSLESS}},
    {"ndzip", ZT_CODEC_NDZIP, ZT_EFFORT_DEFAULT, {.kind = ZT_LOSSLESS}},
    {"sz fast 1e-3", ZT_CODEC_SZ, ZT_EFFORT_FAST, {.kind = ZT_REL, .value = 1e-3}},
    {"sz 1e-3", ZT_CODEC_SZ, ZT_EFFORT_DEFAULT, {.kind = ZT_REL, .value = 1e-3}},
    {"sz 1e-5", ZT_CODEC_SZ, ZT_EFFORT_DEFAULT, {.kind = ZT_REL, .value = 1e-5}},
    {"sz pwrel 1e-3", ZT_CODEC_SZ, ZT_EFFORT_DEFAULT, {.kind = ZT_PWREL, .value = 1e-3}},
    {"sz lossless", ZT_CODEC_SZ, ZT_EFFORT_DEFAULT, {.kind = ZT_LOSSLESS}},
    {"sz cusz 1e-3", ZT_CODEC_SZ, CUSZ, {.kind = ZT_REL, .value = 1e-3}},
    {"sz high 1e-3", ZT_CODEC_SZ, ZT_EFFORT_HIGH, {.kind = ZT_REL, .value = 1e-3}},
};

static const uint64_t sides[][ZT_MAX_RANK] = {{1}, {1024, 1024}, {101, 101, 101}, {16, 16, 64, 64}};

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "two_builds: %s: %s\n", what, why);
    exit(1);
}

static void *symbol(void *library, const char *name)
{
    void *const found = dlsym(library, name);
    if (!found)
        fail(name, dlerror());
    return found;
}

static struct build open_build(const char *path, zt_isa isa)
{
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail(path, dlerror());
    struct build b = {0};
    *(void **)&b.compress = symbol(library, "zt_compress");
    *(void **)&b.decompress = symbol(library, "zt_decompress");
    *(void **)&b.bound = symbol(library, "zt_compress_bound");
    *(void **)&b.init = symbol(library, "zt_params_init");
    *(void **)&b.set_sz = symbol(library, "zt_params_set_sz");
    *(void **)&b.context_new = symbol(library, "zt_context_new");
    *(void **)&b.set_isa = symbol(library, "zt_context_set_isa");
    *(void **)&b.isa = symbol(library, "zt_context_isa");
    *(void **)&b.error = symbol(library, "zt_context_error");
    if (b.context_new(NULL, &b.context) || b.set_isa(b.context, isa) || b.isa(b.context) != isa)
        fail(path, "this machine lacks the instruction set");
    return b;
}

/* A build of its own in memory: a file that is opened twice is mapped once, and code that runs
 * twice as often as the other build's stays in the caches and in branch predictors. */
static struct build open_copy(const char *path, zt_isa isa)
{
    static char bytes[1 << 16];
    char copy[] = "/tmp/two_builds_XXXXXX";
    FILE *const from = fopen(path, "rb");
    const int number = mkstemp(copy);
    FILE *const to = number < 0 ? NULL : fdopen(number, "wb");
    if (!from || !to)
        fail(from ? copy : path, "cannot be opened");
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, from)) > 0;)
        if (fwrite(bytes, 1, n, to) != n)
            fail(copy, "cannot be written");
    (void)fclose(from);
    if (fclose(to))
        fail(copy, "cannot be written");
    const struct build b = open_build(copy, isa);
    (void)remove(copy);
    return b;
}

static void check(const struct build *b, zt_status status, const char *what)
{
    if (status)
        fail(what, b->error(b->context));
}

/* Processor seconds of a call. */
static double time_of(struct build *b, const zt_array *array, const zt_params *params,
                      bool is_decoding)
{
    zt_array to = *array;
    to.data = b->back;
    const double begin = bench_now(CLOCK_THREAD_CPUTIME_ID);
    if (is_decoding)
        check(b, b->decompress(b->context, b->stream, b->stream_bytes, &to), "decompress");
    else
        check(b, b->compress(b->context, array, params, b->stream, b->capacity, &b->stream_bytes),
              "compress");
    return bench_now(CLOCK_THREAD_CPUTIME_ID) - begin;
}

/* The medians of old time / time of the new build, and of the old one's copy. */
static void race(struct build *builds, const zt_array *array, const zt_params *params,
                 bool is_decoding, unsigned rounds, double *fresh, double *noise)
{
    double ratios[2][ROUNDS_MOST];
    for (unsigned r = 0; r < rounds; r++) {
        double seconds[BUILDS];
        for (unsigned k = 0; k < BUILDS; k++) { /* another one first in each round */
            const unsigned b = (k + r) % BUILDS;
            seconds[b] = time_of(&builds[b], array, params, is_decoding);
        }
        ratios[0][r] = seconds[0] / seconds[1];
        ratios[1][r] = seconds[0] / seconds[2];
    }
    *fresh = bench_median(ratios[0], rounds);
    *noise = bench_median(ratios[1], rounds);
}

struct sums {
    double fresh, noise;
    unsigned rows, below;
};

static void row(struct build *builds, const zt_array *array, const zt_params *params,
                const char *name, bool is_decoding, unsigned rounds, struct sums *sums)
{
    double fresh, noise;
    race(builds, array, params, is_decoding, rounds, &fresh, &noise);
    if (fresh < slow) {
        double again[RETRIES], rest;
        for (unsigned i = 0; i < RETRIES; i++)
            race(builds, array, params, is_decoding, rounds, &again[i], &rest);
        fresh = bench_median(again, RETRIES);
    }
    const bool is_below = fresh < slow;
    printf("%-14s %-3s %u-D %-10s %6.3f %6.3f%s\n", name, array->type == ZT_F32 ? "f32" : "f64",
           array->rank, is_decoding ? "decompress" : "compress", fresh, noise,
           is_below ? "  slower" : "");
    fflush(stdout);
    sums->fresh += log(fresh);
    sums->noise += log(noise);
    sums->rows++;
    sums->below += is_below;
}

/* All rows of an array. */
static void rows_of(struct build *builds, const zt_array *array, size_t bytes, const char *only,
                    unsigned rounds, struct sums *sums)
{
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        zt_params params;
        if (only && !strstr(methods[m].name, only))
            continue;
        check(&builds[0], builds[0].init(&params, sizeof params), "parameters");
        params.codec = (uint32_t)methods[m].codec;
        if (methods[m].effort == CUSZ)
            builds[0].set_sz(&params, ZT_SZ_CUSZ, 0);
        else
            params.effort = methods[m].effort;
        params.bound = methods[m].bound;
        for (unsigned b = 0; b < BUILDS; b++) {
            check(&builds[b],
                  builds[b].bound(builds[b].context, array, &params, &builds[b].capacity), "bound");
            builds[b].stream = bench_need(builds[b].capacity);
            builds[b].back = bench_need(bytes);
            (void)time_of(&builds[b], array, &params, false);
            (void)time_of(&builds[b], array, &params, true);
        }
        if (builds[0].stream_bytes != builds[1].stream_bytes ||
            memcmp(builds[0].stream, builds[1].stream, builds[0].stream_bytes) != 0 ||
            memcmp(builds[0].back, builds[1].back, bytes) != 0)
            fail(methods[m].name, "the builds write or read other bytes");
        row(builds, array, &params, methods[m].name, false, rounds, sums);
        row(builds, array, &params, methods[m].name, true, rounds, sums);
        for (unsigned b = 0; b < BUILDS; b++) {
            free(builds[b].stream);
            free(builds[b].back);
        }
    }
}

/* A turbulence-like field, seen as an array of some rank and cut or repeated to its size. */
static void *make_values(zt_type type, size_t values, const double *field, size_t field_values)
{
    void *const data = bench_need(values * zt_type_bytes(type));
    for (size_t i = 0; i < values; i++) {
        const double x = field[i % field_values];
        if (type == ZT_F32)
            ((float *)data)[i] = (float)x;
        else
            ((double *)data)[i] = x;
    }
    return data;
}

static void all_rows(struct build *builds, size_t mib, const char *only, unsigned rounds,
                     struct sums *sums)
{
    enum { SIDE = 128 };
    const size_t field_values = (size_t)SIDE * SIDE * SIDE;
    double *const field = bench_need(field_values * sizeof *field);
    if (make_turbulence(field, SIDE, 3, 11.0 / 3, 1))
        fail("field", "no memory");
    for (uint32_t rank = 1; rank <= ZT_MAX_RANK; rank++)
        for (int is_double = 0; is_double < 2; is_double++) {
            const zt_type type = is_double ? ZT_F64 : ZT_F32;
            uint64_t shape[ZT_MAX_RANK], slice = 1;
            memcpy(shape, sides[rank - 1], sizeof shape);
            for (uint32_t i = 1; i < rank; i++)
                slice *= shape[i];
            shape[0] = (mib << 20) / zt_type_bytes(type) / slice;
            const size_t values = (size_t)(shape[0] * slice);
            const zt_array array =
                zt_array_nd(make_values(type, values, field, field_values), type, rank, shape);
            rows_of(builds, &array, values * zt_type_bytes(type), only, rounds, sums);
            free(array.data);
        }
    free(field);
}

int main(int argc, char **argv)
{
    size_t mib = 16;
    unsigned rounds = 11;
    zt_isa isa = ZT_ISA_AVX512;
    const char *only = NULL;
    if (argc < 3)
        fail("use", "two_builds OLD.so NEW.so [--mib N] [--rounds N] [--isa NAME] [--only WORD]");
    for (int i = 3; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--mib"))
            mib = (size_t)atol(argv[i + 1]);
        else if (!strcmp(argv[i], "--rounds"))
            rounds = (unsigned)atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--isa"))
            isa = !strcmp(argv[i + 1], "plain")  ? ZT_ISA_PLAIN
                  : !strcmp(argv[i + 1], "avx2") ? ZT_ISA_AVX2
                                                 : ZT_ISA_AVX512;
        else if (!strcmp(argv[i], "--only"))
            only = argv[i + 1];
        else
            fail(argv[i], "is no option");
    }
    if (mib < 1 || rounds < 1 || rounds > ROUNDS_MOST)
        fail("--mib, --rounds", "out of range");
    /* the second copy of the old build tells what noise there is */
    struct build builds[BUILDS] = {open_build(argv[1], isa), open_build(argv[2], isa),
                                   open_copy(argv[1], isa)};
    struct sums sums = {0};
    printf("%-14s %-3s %-3s %-10s %6s %6s\n", "codec", "", "", "", "new", "noise");
    all_rows(builds, mib, only, rounds, &sums);
    printf("geometric mean of %u rows: new %.4f, noise %.4f; below %.2f: %u\n", sums.rows,
           exp(sums.fresh / sums.rows), exp(sums.noise / sums.rows), slow, sums.below);
    return 0;
}
