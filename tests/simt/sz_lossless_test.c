/* sz_lossless_test.c: tiles of sz that kernels only decode, value for value as the serial policy
 * does: of the lossless coder, effort 'high' without loss and method 'multiples'; and keys of
 * effort 'default' without loss.
 *
 *     sz_lossless_test [--seed N] [--cases N] [--only N]
 *
 * Made fields, one for each way to keys; then cases: awkward arrays without loss, or under a bound.
 */
#include "ztile_expert.h"
#include "compare.h"
#include "simt_device.h"
#include "simt_runtime.h"
#include "support/awkward.h"
#include "support/made.h"

enum { CHUNKS = 3, LEAST_SLAB = 1, SLAB = 1 << 22, MANY_CASES = 200 };

/* Compress by the CPU, and read by both policies. */
static void check(zt_context *serial, zt_context *cuda, const zt_array *a, const zt_params *params,
                  unsigned number)
{
    size_t cap = 0, n = 0;
    simt_opt.seed = number;
    simt_slab_bytes = number % 2 ? LEAST_SLAB : SLAB; /* a layer of tiles, or several */
    need_that(zt_context_set_policy(cuda, ZT_CUDA) == ZT_OK &&
                  zt_compress_bound(serial, a, params, &cap) == ZT_OK,
              "no policy or bound", number, cuda);
    uint8_t *const file = need(cap);
    need_that(zt_compress(serial, a, params, file, cap, &n) == ZT_OK, "it is not compressed",
              number, serial);
    compare_values(serial, cuda, a, file, n, number);
    free(file);
}

/* The first fields are alike: decimals that differ in their number of digits only. */
static void check_made(zt_context *serial, zt_context *cuda, bool are_all)
{
    enum { ALIKE = 12, OF_ALIKE = 4 };
    for (uint32_t k = 0; k < MADE_FIELDS; k += TEST_SHARE) {
        if (k < ALIKE && k % OF_ALIKE != 0 && !are_all)
            continue;
        struct made_field field = made_field_of(k);
        zt_params p = zt_params_lossless();
        p.codec = ZT_CODEC_SZ;
        p.index_chunk = 1;
        set_coder(&p, CODER_HIGH);
        check(serial, cuda, &field.values.array, &p, k);
        set_coder(&p, CODER_DEFAULT);
        check(serial, cuda, &field.values.array, &p, k);
        test_array_free(&field.values);
    }
}

static void check_case(zt_context *serial, zt_context *cuda, struct rng *r, unsigned number)
{
    struct test_array a = awkward_array(rng_next(r) >> 1);
    zt_params p = zt_params_lossless();
    double lo, hi;
    p.codec = ZT_CODEC_SZ;
    p.index_chunk = 1 + (uint32_t)rng_below(r, CHUNKS);
    set_coder(&p, rng_once_in(r, 3) ? CODER_DEFAULT : CODER_HIGH);
    range_of(&a.array, &lo, &hi);
    if (number % 2 && hi > lo && hi - lo < 1e30) {
        p.bound = zt_abs((hi - lo) / (double)(16 << rng_below(r, 20)));
        set_coder(&p, CODER_MULTIPLES);
    }
    check(serial, cuda, &a.array, &p, number);
    test_array_free(&a);
}

int main(int argc, char **argv)
{
    struct case_range range = {.seed = 1, .first = 0, .cases = 16 / TEST_SHARE};
    for (int i = 1; i + 1 < argc; i += 2)
        if (!take_case_option(argv[i], argv[i + 1], &range)) {
            fprintf(stderr, "use: sz_lossless_test [--seed N] [--cases N] [--only N]\n");
            return 2;
        }
    zt_context *serial = NULL, *cuda = NULL;
    if (zt_context_new(NULL, &serial) != ZT_OK || zt_context_new(NULL, &cuda) != ZT_OK)
        return 1;
    const bool are_many = range.cases - range.first >= MANY_CASES;
    if (range.first == 0)
        check_made(serial, cuda, are_many);
    for (uint64_t n = range.first; n < range.cases; n++) {
        struct rng r = {mix64(range.seed, n)};
        check_case(serial, cuda, &r, (unsigned)n);
    }
    printf("%llu cases of seed %llu, %u failures\n",
           (unsigned long long)(range.cases - range.first), (unsigned long long)range.seed,
           failures);
    zt_context_free(serial);
    zt_context_free(cuda);
    return failures != 0;
}
