/* sz_lossless_test.c: the lossless coder of sz by kernels, effort 'high' without loss and method
 * 'multiples', and keys of effort 'default' without loss: files byte for byte those of the serial
 * policy, and values as it decodes them.
 *
 *     sz_lossless_test [--seed N] [--cases N] [--only N]
 *
 * Made fields, one for each way to keys; arrays whose rows repeat rows; then cases: awkward arrays
 * without loss, or under a bound. Where there are 200 cases and more, also arrays of several tiles.
 */
#include "ztile_expert.h"
#include "compare.h"
#include "support/awkward.h"
#include "support/made.h"

enum { CHUNKS = 3, MANY_CASES = 200 };

static struct {
    unsigned coded, raw, fitted, hits, sources; /* tiles; regimes; looks for rows; rows found */
    unsigned keys;                              /* slabs coded from keys */
} launched;

static void note_kernel(const char *name)
{
    launched.coded += strcmp(name, "ll_join") == 0;
    launched.keys += strstr(name, "encode_keys_") != NULL;
    launched.raw += strcmp(name, "ll_put_raw") == 0;
    launched.hits += strcmp(name, "NAME(ll_find_hits)") == 0;
    launched.sources += strcmp(name, "NAME(ll_find_sources)") == 0;
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
        check_policies(serial, cuda, &field.values.array, &p, k % 2 == 0, k);
        test_array_free(&field.values);
    }
}

/* Make a row of noise, or of an earlier row: as it is or mirrored, negated or not, with some other
 * values in it, or all of them a little off. */
static void make_row(struct rng *r, float *values, uint64_t row, uint64_t width, uint64_t *source)
{
    float *const own = values + row * width;
    const bool is_new = row < 8 || rng_once_in(r, 3), goes_on = !rng_once_in(r, 4);
    const bool is_mirrored = rng_once_in(r, 4), is_negated = rng_once_in(r, 4);
    const uint64_t others = rng_once_in(r, 2) ? 0 : rng_below(r, 8), off = rng_below(r, 3);
    *source = goes_on && *source + 1 < row ? *source + 1 : rng_below(r, row + 1);
    for (uint64_t x = 0; x < width; x++) {
        const uint64_t from = is_mirrored ? (width + 5 - x) % width : x;
        float v = values[*source * width + from];
        v = is_negated ? -v : v;
        v += off == 1 ? v * (float)rng_below(r, 16) * 0x1p-22F : 0;
        if (is_new || *source == row || (others > 0 && rng_once_in(r, 10 * others)))
            v = (float)rng_below(r, 1 << 24) - (float)(1 << 23) + 0.25F;
        own[x] = v;
    }
}

/* Arrays of many values whose rows repeat earlier rows. */
static void check_repeats(zt_context *serial, zt_context *cuda, unsigned number)
{
    enum { VALUES = 34000 };
    static const uint64_t widths[] = {20, 41, 300, 2500};
    struct rng r = {mix64(7, number)};
    const uint64_t width = widths[number % 4], rows = VALUES / width + 1;
    uint64_t shape[3] = {rows, width, 1}, source = 0;
    zt_params p = zt_params_lossless();
    float *const values = need(rows * width * sizeof *values);
    int32_t *const whole = need(rows * width * sizeof *whole);
    zt_array a = zt_array_nd(values, ZT_F32, 2, shape);
    for (uint64_t row = 0; row < rows; row++)
        make_row(&r, values, row, width, &source);
    for (uint64_t i = 0; i < rows * width; i++)
        whole[i] = (int32_t)values[i];
    if (number / 4 % 2) {
        a.type = ZT_I32;
        a.data = whole;
    }
    p.codec = ZT_CODEC_SZ;
    set_coder(&p, CODER_HIGH);
    check_policies(serial, cuda, &a, &p, number % 2, number);
    free(whole);
    free(values);
}

/* Five tiles: choosing is learnt from one of them, and they are coded side by side. */
static void check_tiles(zt_context *serial, zt_context *cuda, bool is_there)
{
    static const uint64_t shape[3] = {260, 64, 64};
    static const int64_t stride[3] = {64 * 64, 64, 1};
    struct test_array a = test_array_new(is_there ? ZT_F32 : ZT_I32, 3, shape, stride);
    zt_params p = zt_params_lossless();
    fill_array(&a.array, DATA_WAVE_NOISE, 1);
    p.codec = ZT_CODEC_SZ;
    set_coder(&p, CODER_HIGH);
    p.index = ZT_INDEX_HYBRID;
    p.index_chunk = 2;
    check_policies(serial, cuda, &a.array, &p, is_there, is_there);
    test_array_free(&a);
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
    for (uint32_t k = 0; k < 2 && are_many; k++)
        check_tiles(serial, cuda, k);
    for (unsigned n = 0; n < (are_many ? 32u : 4u / TEST_SHARE) && range.first == 0; n++)
        check_repeats(serial, cuda, are_many ? n : 2 * n + 1);
    for (uint64_t n = range.first; n < range.cases; n++) {
        struct rng r = {mix64(range.seed, n)};
        check_case(serial, cuda, &r, (unsigned)n);
    }
    printf(
        "%llu cases of seed %llu, %u failures; %u tiles coded, %u raw; kernels fitted %u regimes, "
        "looked %u times for rows that repeat rows, and found some %u times; %u slabs of keys\n",
        (unsigned long long)(range.cases - range.first), (unsigned long long)range.seed, failures,
        launched.coded, launched.raw, launched.fitted, launched.hits, launched.sources,
        launched.keys);
    need_that(launched.keys > 0 || range.first > 0, "no keys were coded", 0, cuda);
    zt_context_free(serial);
    zt_context_free(cuda);
    return failures != 0;
}
