/* choice_property_test.c: what -c auto and planning choose for random arrays that are large enough
 * to be planned.
 *
 *     choice_property_test [--seed N] [--cases N] [--only N]
 *
 * An array is a sum of terms, each as rough along some axes as smooth along others; its axes are
 * declared in any order, it lies in memory in any other, and it may have holes. For each case:
 *   - the file of auto is at most a ninth larger than that of the best codec and effort that could
 *     have been named, each with a plan and without;
 *   - no codec loses more than a hundredth by a plan, and effort 'high' is no larger than
 *     'default';
 *   - the file has the same bytes from C-contiguous memory, and holds the values. */
#include "support/support.h"
#include "ztile_quality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SLACK_BYTES = 320 }; /* headers, indexes and checksums, which are rounded */

struct test_case {
    uint64_t seed;
    uint32_t type, rank;
    uint64_t shape[ZT_MAX_RANK];
    double rough[ZT_MAX_RANK]; /* of what goes on along each axis, a part of the whole */
    double noise;
    bool has_holes;
    bool is_lossless;
    zt_params params;
};

static const struct {
    uint32_t codec, effort;
    bool is_lossy, is_lossless;
    const char *name;
} fixed[] = {
    {ZT_CODEC_ZFP, CODER_DEFAULT, true, true, "zfp"},
    {ZT_CODEC_NDZIP, CODER_DEFAULT, false, true, "ndzip"},
    {ZT_CODEC_SZ, CODER_DEFAULT, true, true, "sz"},
    {ZT_CODEC_SZ, CODER_HIGH, true, false, "sz high"},
    {ZT_CODEC_SZ, CODER_TRANSFORM, true, false, "sz transform"},
    {ZT_CODEC_SZ, CODER_MULTIPLES, true, false, "sz multiples"},
};

enum { FIXED = sizeof fixed / sizeof *fixed };

static struct test_case random_case(uint64_t seed, uint64_t number)
{
    static const uint64_t most[] = {0, 60000, 400, 60, 26};
    struct rng r = {mix64(seed, number)};
    struct test_case c = {.seed = rng_next(&r), .rank = 1 + (uint32_t)rng_below(&r, ZT_MAX_RANK)};
    c.type = rng_once_in(&r, 3) ? 1 + (uint32_t)rng_below(&r, 4) : ZT_F32;
    do
        for (uint32_t i = 0; i < c.rank; i++)
            c.shape[i] = rng_once_in(&r, 5) ? 1 + rng_below(&r, 8)
                                            : most[c.rank] / 4 + rng_below(&r, most[c.rank]);
    while (values_of(c.rank, c.shape) < 1 << 14 || values_of(c.rank, c.shape) > 1 << 17);
    for (uint32_t i = 0; i < c.rank; i++)
        c.rough[i] = rng_once_in(&r, 3) ? pow(10, -4 * rng_unit(&r)) : 0;
    c.noise = rng_once_in(&r, 2) ? pow(10, -5 * rng_unit(&r)) : 0;
    c.has_holes = c.type == ZT_F32 && rng_once_in(&r, 6);
    (void)zt_params_init(&c.params, sizeof c.params);
    c.is_lossless = rng_once_in(&r, 4);
    if (!c.is_lossless)
        c.params.bound = rng_once_in(&r, 6) ? zt_psnr(40 + 50 * rng_unit(&r))
                                            : zt_rel(pow(10, -1.5 - 3.5 * rng_unit(&r)));
    return c;
}

/* A value of -1 to 1 for a place along an axis. */
static double hashed(const struct test_case *c, uint32_t axis, uint64_t at)
{
    return (double)(mix64(c->seed ^ axis, at) >> 11) * 0x1p-52 - 1;
}

static void fill(const struct test_case *c, const zt_array *a)
{
    const bool is_integer = c->type == ZT_I32 || c->type == ZT_I64;
    const uint64_t n = values_of(c->rank, c->shape);
    const double pace = 2 + 12 * fabs(hashed(c, 9, 0));
    for (uint64_t i = 0, left; i < n; i++) {
        double sum = c->noise * hashed(c, 8, i), phase = hashed(c, 10, 1);
        char *at = a->data;
        left = i;
        for (uint32_t k = c->rank; k-- > 0; left /= c->shape[k]) {
            const uint64_t place = left % c->shape[k];
            const double x = (double)place / (double)c->shape[k];
            phase += pace * hashed(c, 11, k) * x;
            sum += x * hashed(c, 12, k) + c->rough[k] * hashed(c, k, place);
            at += (int64_t)place * a->stride[k] * (int64_t)zt_type_bytes(c->type);
        }
        sum += sin(phase);
        if (is_integer)
            sum *= 3000;
        const float f = c->has_holes && sin(3 * phase) > 0.6 ? NAN : (float)sum;
        const int32_t word = is_integer ? (int32_t)sum : 0;
        const int64_t wide = word;
        memcpy(at,
               c->type == ZT_F32   ? (const void *)&f
               : c->type == ZT_F64 ? (const void *)&sum
               : c->type == ZT_I32 ? (const void *)&word
                                   : (const void *)&wide,
               zt_type_bytes(c->type));
    }
}

struct file {
    unsigned char *data;
    size_t bytes;
};

static struct file compressed(zt_context *context, const zt_array *a, const zt_params *params)
{
    struct file f = {NULL, 0};
    size_t capacity = 0;
    zt_status status = zt_compress_bound(context, a, params, &capacity);
    f.data = malloc(capacity ? capacity : 1);
    if (!status && f.data)
        status = zt_compress(context, a, params, f.data, capacity, &f.bytes);
    if (status || !f.data) {
        printf("zt_compress: %s\n", zt_context_error(context));
        exit(1);
    }
    return f;
}

static size_t size_of(zt_context *context, const struct test_case *c, const zt_array *a, uint32_t i,
                      uint32_t plan)
{
    zt_params params = c->params;
    params.codec = fixed[i].codec;
    set_coder(&params, fixed[i].effort);
    params.plan = plan;
    const struct file f = compressed(context, a, &params);
    free(f.data);
    return f.bytes;
}

/* Sizes of all that can be named; returns the least. */
static size_t best_of(zt_context *context, const struct test_case *c, const zt_array *a, char *why,
                      size_t why_bytes)
{
    size_t best = SIZE_MAX, bytes[FIXED][2] = {{0}};
    for (uint32_t i = 0; i < FIXED; i++) {
        if (c->is_lossless ? !fixed[i].is_lossless : !fixed[i].is_lossy)
            continue;
        for (uint32_t plan = 0; plan < 2; plan++) {
            bytes[i][plan] = size_of(context, c, a, i, plan);
            best = bytes[i][plan] < best ? bytes[i][plan] : best;
            if (fixed[i].effort == CODER_HIGH && c->params.bound.kind != ZT_PSNR &&
                bytes[i][plan] > bytes[i - 1][plan] + bytes[i - 1][plan] / 200 + SLACK_BYTES)
                (void)snprintf(why, why_bytes, "high takes %zu bytes, default %zu (plan %u)",
                               bytes[i][plan], bytes[i - 1][plan], plan);
        }
        if (bytes[i][1] > bytes[i][0] + bytes[i][0] / 100 + SLACK_BYTES)
            (void)snprintf(why, why_bytes, "%s takes %zu bytes with a plan, %zu without",
                           fixed[i].name, bytes[i][1], bytes[i][0]);
    }
    return best;
}

static bool holds(zt_context *context, const struct test_case *c, const zt_array *a,
                  const struct file *f)
{
    const zt_array back = zt_array_nd(malloc(f->bytes + values_of(c->rank, c->shape) * 8),
                                      (zt_type)c->type, c->rank, c->shape);
    zt_info info;
    zt_quality quality;
    (void)zt_info_init(&info, sizeof info);
    (void)zt_quality_init(&quality, sizeof quality);
    bool ok = back.data && zt_inspect(context, f->data, f->bytes, &info) == ZT_OK;
    quality.abs_bound = info.abs_bound;
    ok = ok && zt_decompress(context, f->data, f->bytes, &back) == ZT_OK &&
         zt_compare(context, a, &back, &quality) == ZT_OK && quality.special_changed == 0;
    ok = ok &&
         (c->params.bound.kind == ZT_PSNR ? !(zt_quality_psnr(&quality) < c->params.bound.value)
                                          : quality.beyond_bound == 0);
    free(back.data);
    return ok;
}

static bool run_case(zt_context *context, const struct test_case *c, char *why, size_t why_bytes)
{
    struct rng r = {c->seed ^ 1};
    int64_t stride[ZT_MAX_RANK];
    why[0] = 0;
    random_strides(&r, c->rank, c->shape, stride);
    struct test_array turned = test_array_new(c->type, c->rank, c->shape, stride);
    contiguous_strides(c->rank, c->shape, stride);
    struct test_array array = test_array_new(c->type, c->rank, c->shape, stride);
    fill(c, &turned.array);
    fill(c, &array.array);
    zt_params params = c->params;
    params.plan = ZT_PLAN_ON;
    const struct file a = compressed(context, &array.array, &params);
    const struct file b = compressed(context, &turned.array, &params);
    const size_t best = best_of(context, c, &array.array, why, why_bytes);
    if (a.bytes > best + best / 9 + SLACK_BYTES)
        (void)snprintf(why, why_bytes, "auto takes %zu bytes, the best fixed choice %zu", a.bytes,
                       best);
    if (a.bytes != b.bytes || memcmp(a.data, b.data, a.bytes) != 0)
        (void)snprintf(why, why_bytes, "other strides give other bytes");
    if (!holds(context, c, &turned.array, &b))
        (void)snprintf(why, why_bytes, "the values do not come back");
    free(a.data);
    free(b.data);
    test_array_free(&array);
    test_array_free(&turned);
    return why[0] == 0;
}

int main(int argc, char **argv)
{
    uint64_t seed = 1, cases = 40, only = UINT64_MAX, failed = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        const uint64_t value = strtoull(argv[i + 1], NULL, 10);
        *(strcmp(argv[i], "--seed") == 0    ? &seed
          : strcmp(argv[i], "--cases") == 0 ? &cases
                                            : &only) = value;
    }
    zt_context *context = NULL;
    (void)zt_context_new(NULL, &context);
    const bool is_one = only != UINT64_MAX;
    for (uint64_t n = is_one ? only : 0; n < (is_one ? only + 1 : cases); n++) {
        const struct test_case c = random_case(seed, n);
        char why[256], shape[96];
        if (run_case(context, &c, why, sizeof why))
            continue;
        printf("case %llu of seed %llu: %s, %s, bound %u %.3g: %s\n", (unsigned long long)n,
               (unsigned long long)seed, type_name(c.type), shape_text(c.rank, c.shape, shape),
               c.params.bound.kind, c.params.bound.value, why);
        failed++;
    }
    zt_context_free(context);
    printf("%llu cases failed\n", (unsigned long long)failed);
    return failed > 0;
}
