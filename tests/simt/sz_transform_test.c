/* sz_transform_test.c: the transform of sz by kernels: files byte for byte those of the serial
 * policy, and values as it decodes them.
 *
 *     sz_transform_test [--seed N] [--cases N] [--only N]
 *
 * Random arrays under any bound that the transform is for, in the host's memory or the device's.
 * Where there are 200 cases and more, also arrays of two tiles. The program prints how many tiles
 * kernels wrote, and of these which had corrections or were stored as they are. */
#include "ztile_expert.h"
#include "compare.h"

enum { CHUNKS = 3, MANY_CASES = 200 };

static struct {
    unsigned coded, corrected, raw; /* tiles */
} launched;

static void note_kernel(const char *name)
{
    launched.coded += strcmp(name, "NAME(tf_join_parts)") == 0;
    launched.corrected += strcmp(name, "tf_join_chunks") == 0;
    launched.raw += strcmp(name, "tf_put_raw") == 0;
}

/* A random bound of a kind that the transform can keep. Most are on each value: these need
 * corrections. */
static zt_bound draw_bound(struct rng *r, double range)
{
    const double part = range / (double)(UINT64_C(8) << rng_below(r, 35));
    switch (rng_below(r, 8)) {
    case 0: return zt_psnr(40 + (double)rng_below(r, 60));
    case 1: return zt_rmse(part);
    case 2: return zt_mae(part);
    case 3: return zt_rel(part / range);
    default: return zt_abs(part);
    }
}

/* Waves, noise, jumps, rows of any length. */
static void check_case(zt_context *serial, zt_context *cuda, struct rng *r, unsigned number)
{
    static const uint64_t most[ZT_MAX_RANK + 1] = {0, 20000, 200, 40, 16};
    static const enum data_kind kinds[] = {DATA_SMOOTH, DATA_WAVE_NOISE, DATA_SPARSE, DATA_STEPS,
                                           DATA_NOISE,  DATA_SPIKE,      DATA_WIDE,   DATA_OFFSET};
    const uint32_t rank = 1 + (uint32_t)rng_below(r, ZT_MAX_RANK);
    uint64_t shape[ZT_MAX_RANK];
    int64_t stride[ZT_MAX_RANK];
    double lo, hi;
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = 1 + rng_below(r, most[rank]);
    contiguous_strides(rank, shape, stride);
    struct test_array a = test_array_new(number % 2 ? ZT_F32 : ZT_F64, rank, shape, stride);
    zt_params p;
    (void)zt_params_init(&p, sizeof p);
    fill_array(&a.array, kinds[rng_below(r, sizeof kinds / sizeof *kinds)], number);
    range_of(&a.array, &lo, &hi);
    p.codec = ZT_CODEC_SZ;
    p.index_chunk = (uint32_t)rng_below(r, CHUNKS);
    p.slab_bytes = rng_once_in(r, 4) ? 1 + rng_below(r, 1 << 14) : p.slab_bytes;
    set_coder(&p, CODER_TRANSFORM);
    p.bound = draw_bound(r, hi - lo);
    if (hi > lo && hi - lo < 1e30)
        check_policies(serial, cuda, &a.array, &p, rng_once_in(r, 2), number);
    test_array_free(&a);
}

/* Transformed tiles have up to 2^23 values: an array of two. */
static void check_two_tiles(zt_context *serial, zt_context *cuda, bool is_there)
{
    static const uint64_t shape[3] = {210, 210, 210};
    static const int64_t stride[3] = {210 * 210, 210, 1};
    struct test_array a = test_array_new(ZT_F32, 3, shape, stride);
    zt_params p = zt_params_abs(1e-2);
    fill_array(&a.array, DATA_WAVE_NOISE, 1);
    p.codec = ZT_CODEC_SZ;
    set_coder(&p, CODER_TRANSFORM);
    p.index = ZT_INDEX_HYBRID;
    p.index_chunk = 1;
    check_policies(serial, cuda, &a.array, &p, is_there, 2 + is_there);
    test_array_free(&a);
}

int main(int argc, char **argv)
{
    struct case_range range = {.seed = 1, .first = 0, .cases = 8 / TEST_SHARE};
    for (int i = 1; i + 1 < argc; i += 2)
        if (!take_case_option(argv[i], argv[i + 1], &range)) {
            fprintf(stderr, "use: sz_transform_test [--seed N] [--cases N] [--only N]\n");
            return 2;
        }
    zt_context *serial = NULL, *cuda = NULL;
    if (zt_context_new(NULL, &serial) != ZT_OK || zt_context_new(NULL, &cuda) != ZT_OK)
        return 1;
    simt_begins = note_kernel;
    for (uint32_t k = 0; k < 2 && range.cases - range.first >= MANY_CASES; k++)
        check_two_tiles(serial, cuda, k);
    for (uint64_t n = range.first; n < range.cases; n++) {
        struct rng r = {mix64(range.seed, n)};
        check_case(serial, cuda, &r, (unsigned)n);
    }
    need_that(launched.coded > 0 || range.cases - range.first < 4, "no tile was coded by kernels",
              0, cuda);
    printf("%llu cases of seed %llu, %u failures; %u tiles coded, %u with corrections, %u raw\n",
           (unsigned long long)(range.cases - range.first), (unsigned long long)range.seed,
           failures, launched.coded, launched.corrected, launched.raw);
    zt_context_free(serial);
    zt_context_free(cuda);
    return failures != 0;
}
