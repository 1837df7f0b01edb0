/* gpu_check.c: whether the cuda policy does on a GPU what it must, and how fast it is.
 *
 *     ztile-gpu-check [--cases N] [--seed N] [--codec zfp|ndzip|sz] [--device N] [--vectors DIR]
 *                     [--large] [--bench [--bytes N] [--only TEXT] [--kernels] [--once]]
 *
 * Random arrays in every mode against the serial policy, byte for byte, of one codec with --codec;
 * calls without waiting, in CUDA graphs; with --vectors the golden streams of libzfp and ndzip;
 * with --large an array of more than 2^32 elements; with --bench a table of speeds (gpu_bench.h).
 * Exit status 0: all is well; 1: not; 2: bad use; 77: there is no GPU. Prints lines of TAP. */
#include "async_cases.h"
#include "golden/golden.h"
#include "gpu_bench.h"
#include "huffman_cases.h"
#include "ztile_cuda.h"
#include "ztile_zfp.h"

#include <stdlib.h>
#include <string.h>

struct options {
    uint64_t seed, cases;
    zt_cuda cuda;
    const char *vectors, *codec;
    struct gpu_bench_options bench;
    bool is_large, is_bench;
};

static bool parse(int argc, char **argv, struct options *o)
{
    *o = (struct options){.seed = 1, .cases = 2000, .bench = {.bytes = UINT64_C(256) << 20}};
    const struct {
        const char *name;
        bool *is_on;
    } switches[] = {{"--large", &o->is_large},
                    {"--bench", &o->is_bench},
                    {"--kernels", &o->bench.is_kernels},
                    {"--once", &o->bench.is_once}};
    for (int i = 1; i < argc; i++) {
        bool is_switch = false;
        for (size_t k = 0; k < sizeof switches / sizeof *switches; k++)
            if (strcmp(argv[i], switches[k].name) == 0)
                *switches[k].is_on = is_switch = true;
        if (is_switch)
            continue;
        const char *const name = argv[i++], *const value = i < argc ? argv[i] : NULL;
        if (!value)
            return false;
        const uint64_t n = strtoull(value, NULL, 0);
        if (strcmp(name, "--seed") == 0)
            o->seed = n;
        else if (strcmp(name, "--cases") == 0)
            o->cases = n;
        else if (strcmp(name, "--bytes") == 0)
            o->bench.bytes = n;
        else if (strcmp(name, "--device") == 0)
            o->cuda.device = (int32_t)n;
        else if (strcmp(name, "--vectors") == 0)
            o->vectors = value;
        else if (strcmp(name, "--codec") == 0)
            o->codec = value;
        else if (strcmp(name, "--only") == 0)
            o->bench.only = value;
        else
            return false;
    }
    return true;
}

static void result(unsigned *number, bool ok, const char *what, uint64_t hash)
{
    printf("%s %u - %s, %016llx\n", ok ? "ok" : "not ok", ++*number, what,
           (unsigned long long)hash);
    fflush(stdout);
}

/* 2^20 + 1 rows that are one row of memory: more than 2^32 elements. */
static bool check_large(struct policy_run *run, uint32_t codec, uint64_t *hash)
{
    static float row[4096];
    zt_array a = zt_array_const_2d(row, ZT_F32, (1u << 20) + 1, 4096);
    struct rng r = {codec};
    zt_params p;
    size_t cap = 0, n = 0, m = 0;
    a.stride[0] = 0;
    for (size_t i = 0; i < 4096; i++)
        row[i] = (float)i * 0.25f + (float)rng_unit(&r);
    (void)zt_params_init(&p, sizeof p);
    p.codec = codec;
    if (codec != ZT_CODEC_NDZIP)
        p.bound = codec == ZT_CODEC_ZFP ? zt_rate(1) : zt_abs(0.01);
    if (zt_compress_bound(run->serial, &a, &p, &cap) != ZT_OK)
        return false;
    void *x = malloc(cap), *y = malloc(cap);
    bool ok = x && y && zt_compress(run->serial, &a, &p, x, cap, &n) == ZT_OK &&
              zt_compress(run->cuda, &a, &p, y, cap, &m) == ZT_OK && n == m && memcmp(x, y, n) == 0;
    const zt_box box = {{(1u << 20) - 100, 0}, {(1u << 20) + 1, 4096}};
    float *u = malloc(101 * sizeof row), *v = malloc(101 * sizeof row);
    zt_array one = zt_array_2d(u, ZT_F32, 101, 4096), two = zt_array_2d(v, ZT_F32, 101, 4096);
    ok = ok && u && v && zt_decompress_box(run->serial, x, n, &box, &one) == ZT_OK &&
         zt_decompress_box(run->cuda, x, n, &box, &two) == ZT_OK &&
         memcmp(u, v, 101 * sizeof row) == 0;
    *hash = ok ? fnv1a64(y, m) : 0;
    free(x);
    free(y);
    free(u);
    free(v);
    return ok;
}

/* Calls without waiting, under a context of their own: a graph is not made of the default stream.
 */
static bool check_async(const struct policy_run *whole, const struct options *o)
{
    struct policy_run run = {.seed = o->seed, .serial = whole->serial, .memory = whole->memory};
    const zt_cuda cuda = {.device = o->cuda.device, .stream = gpu_queue()->stream};
    bool ok =
        zt_context_new(NULL, &run.cuda) == ZT_OK && zt_context_set_cuda(run.cuda, &cuda) == ZT_OK;
    for (uint64_t i = 0; ok && i < (o->cases + 4) / 5 && run.failures < 10; i++)
        async_case(&run, gpu_queue(), i);
    zt_context_free(run.cuda);
    return ok && run.failures == 0;
}

/* The golden streams, by the tests that the other policies have. */
static bool check_vectors(const char *dir)
{
    char zfp[4096], ndzip[4096], none[] = "", cuda[] = "--cuda";
    char *zfp_words[] = {none, zfp, none, cuda}, *ndzip_words[] = {none, ndzip, cuda};
    snprintf(zfp, sizeof zfp, "%s/zfp", dir);
    snprintf(ndzip, sizeof ndzip, "%s/ndzip", dir);
    return zfp_vectors(4, zfp_words) == 0 && ndzip_vectors(3, ndzip_words) == 0;
}

int main(int argc, char **argv)
{
    struct options o;
    struct policy_run run = {.seed = 0};
    unsigned number = 0;
    uint64_t hash = 0;
    if (!parse(argc, argv, &o)) {
        fprintf(stderr, "use: ztile-gpu-check [--cases N] [--seed N] [--codec NAME] [--device N] "
                        "[--vectors DIR] [--large]\n"
                        "         [--bench [--bytes N] [--only TEXT] [--kernels] [--once]]\n");
        return 2;
    }
    run.memory = gpu_memory();
    if (zt_context_new(NULL, &run.serial) != ZT_OK || zt_context_new(NULL, &run.cuda) != ZT_OK)
        return 1;
    if (zt_context_set_cuda(run.cuda, &o.cuda) != ZT_OK) {
        printf("1..0 # SKIP %s\nSKIP: %s\n", zt_context_error(run.cuda),
               zt_context_error(run.cuda));
        zt_context_free(run.serial);
        zt_context_free(run.cuda);
        return TEST_SKIPPED;
    }
    run.seed = o.seed;
    run.codec = o.codec;
    for (uint64_t i = 0; i < o.cases && run.failures < 10; i++)
        policy_case(&run, i);
    result(&number, run.failures == 0, "random arrays are coded as by the serial policy", o.seed);
    const unsigned before = run.failures;
    for (uint64_t i = 0; i < (o.cases + 9) / 10 && run.failures < before + 10; i++)
        huffman_case(&run, i);
    result(&number, run.failures == before, "symbols are coded as by the serial policy", o.seed);
    const bool is_async = check_async(&run, &o);
    result(&number, is_async, "calls without waiting, in graphs", o.seed);
    run.failures += !is_async;
    if (o.vectors) {
        const bool ok = check_vectors(o.vectors);
        result(&number, ok, "golden streams of libzfp and ndzip", 0);
        run.failures += !ok;
    }
    static const char *const large[] = {"4 G elements by zfp", "4 G elements by ndzip",
                                        "4 G elements by sz"};
    for (uint32_t codec = ZT_CODEC_ZFP; o.is_large && codec <= ZT_CODEC_SZ; codec++) {
        const bool ok = check_large(&run, codec, &hash);
        result(&number, ok, large[codec - ZT_CODEC_ZFP], hash);
        run.failures += !ok;
    }
    if (o.is_bench)
        run.failures += !gpu_bench(run.cuda, &o.bench);
    printf("1..%u\n", number);
    zt_context_free(run.serial);
    zt_context_free(run.cuda);
    return run.failures != 0;
}
