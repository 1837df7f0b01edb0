/* gpu_check.c: whether the cuda policy does on a GPU what it must, and how fast it is.
 *
 *     ztile-gpu-check [--cases N] [--seed N] [--device N] [--large] [--bench [--bytes N]]
 *
 * Random arrays in every mode against the serial policy, byte for byte; with --large an array of
 * more than 2^32 elements; with --bench a table of speeds (gpu_bench.c). Exit status 0: all is
 * well; 1: not; 2: bad use; 77: there is no GPU. Prints lines of TAP. */
#include "gpu_bench.h"
#include "huffman_cases.h"

#include <stdlib.h>
#include <string.h>

struct options {
    uint64_t seed, cases, bytes;
    zt_cuda cuda;
    bool is_large, is_bench;
};

static bool parse(int argc, char **argv, struct options *o)
{
    *o = (struct options){.seed = 1, .cases = 2000, .bytes = UINT64_C(256) << 20};
    for (int i = 1; i < argc; i++) {
        const uint64_t n = i + 1 < argc ? strtoull(argv[i + 1], NULL, 0) : 0;
        const bool takes_number =
            strcmp(argv[i], "--large") != 0 && strcmp(argv[i], "--bench") != 0;
        if (takes_number && i + 1 == argc)
            return false;
        if (strcmp(argv[i], "--large") == 0)
            o->is_large = true;
        else if (strcmp(argv[i], "--bench") == 0)
            o->is_bench = true;
        else if (strcmp(argv[i], "--seed") == 0)
            o->seed = n;
        else if (strcmp(argv[i], "--cases") == 0)
            o->cases = n;
        else if (strcmp(argv[i], "--bytes") == 0)
            o->bytes = n;
        else if (strcmp(argv[i], "--device") == 0)
            o->cuda.device = (int32_t)n;
        else
            return false;
        i += takes_number;
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
    if (codec == ZT_CODEC_ZFP)
        p.bound = zt_rate(1);
    if (zt_compress_bound(run->serial, &a, &p, &cap) != ZT_OK)
        return false;
    void *x = malloc(cap), *y = malloc(cap);
    bool ok = x && y && zt_compress(run->serial, &a, &p, x, cap, &n) == ZT_OK &&
              zt_compress(run->cuda, &a, &p, y, cap, &m) == ZT_OK && n == m &&
              memcmp(x, y, n) == 0;
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

int main(int argc, char **argv)
{
    struct options o;
    struct policy_run run = {.seed = 0};
    unsigned number = 0;
    uint64_t hash = 0;
    if (!parse(argc, argv, &o)) {
        fprintf(stderr, "use: ztile-gpu-check [--cases N] [--seed N] [--device N] [--large] "
                        "[--bench [--bytes N]]\n");
        return 2;
    }
    run.memory = gpu_memory();
    if (zt_context_new(NULL, &run.serial) != ZT_OK || zt_context_new(NULL, &run.cuda) != ZT_OK)
        return 1;
    if (zt_context_set_policy(run.cuda, ZT_CUDA, &o.cuda) != ZT_OK) {
        printf("1..0 # SKIP %s\nSKIP: %s\n", zt_context_error(run.cuda),
               zt_context_error(run.cuda));
        zt_context_free(run.serial);
        zt_context_free(run.cuda);
        return TEST_SKIPPED;
    }
    run.seed = o.seed;
    for (uint64_t i = 0; i < o.cases && run.failures < 10; i++)
        policy_case(&run, i);
    result(&number, run.failures == 0, "random arrays are coded as by the serial policy", o.seed);
    const unsigned before = run.failures;
    for (uint64_t i = 0; i < (o.cases + 9) / 10 && run.failures < before + 10; i++)
        huffman_case(&run, i);
    result(&number, run.failures == before, "symbols are coded as by the serial policy", o.seed);
    if (o.is_large) {
        bool ok = check_large(&run, ZT_CODEC_NDZIP, &hash);
        result(&number, ok, "4 G elements by ndzip", hash);
        run.failures += !ok;
        ok = check_large(&run, ZT_CODEC_ZFP, &hash);
        result(&number, ok, "4 G elements by zfp", hash);
        run.failures += !ok;
    }
    if (o.is_bench)
        run.failures += !gpu_bench(run.cuda, o.bytes);
    printf("1..%u\n", number);
    zt_context_free(run.serial);
    zt_context_free(run.cuda);
    return run.failures != 0;
}
