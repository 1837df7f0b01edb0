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
#include "support/awkward.h"
#include "support/made.h"

enum { CHUNKS = 3, MANY_CASES = 200 };

static struct {
    unsigned coded, raw, fitted; /* tiles; regimes whose weights kernels listed points for */
} launched;

static void note_kernel(const char *name)
{
    launched.coded += strcmp(name, "ll_join") == 0;
    launched.raw += strcmp(name, "ll_put_raw") == 0;
    launched.fitted += strcmp(name, "NAME(ll_list_points)") == 0;
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
        check_policies(serial, cuda, &field.values.array, &p, k % 2, k);
        set_coder(&p, CODER_DEFAULT);
        check_policies(serial, cuda, &field.values.array, &p, false, k);
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
    check_policies(serial, cuda, &a.array, &p, rng_once_in(r, 2), number);
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
    simt_begins = note_kernel;
    const bool are_many = range.cases - range.first >= MANY_CASES;
    if (range.first == 0)
        check_made(serial, cuda, are_many);
    for (uint64_t n = range.first; n < range.cases; n++) {
        struct rng r = {mix64(range.seed, n)};
        check_case(serial, cuda, &r, (unsigned)n);
    }
    printf("%llu cases of seed %llu, %u failures; %u tiles coded, %u raw; %u regimes fitted\n",
           (unsigned long long)(range.cases - range.first), (unsigned long long)range.seed,
           failures, launched.coded, launched.raw, launched.fitted);
    zt_context_free(serial);
    zt_context_free(cuda);
    return failures != 0;
}
