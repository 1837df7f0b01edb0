/* lossless_property_test.c: arrays that are awkward to code without loss, through the sz codec's
 * efforts.
 *
 *     lossless_property_test [--seed N] [--cases N] [--only N] [--small 1]
 *
 * --small: arrays of some hundred values, in one thread: a million take minutes.
 *
 * For each case and each effort, with a plan for every second case:
 *   - every bit comes back: NaN payloads, -0, subnormals and any other bits;
 *   - the file is not larger than the values by more than 0.02 % and 160 bytes. */
#include "support/awkward.h"

#include "ztile_expert.h"

#include <stdlib.h>
#include <string.h>

enum { GROWTH_PART = 5000, GROWTH_BYTES = 160 };

static const uint32_t efforts[] = {CODER_HIGH, CODER_DEFAULT, CODER_FAST};

/* Why a case fails under an effort; NULL: it does not. */
static const char *fault(zt_context *context, const struct test_array *a, uint32_t effort)
{
    const size_t raw =
        (size_t)values_of(a->array.rank, a->array.shape) * zt_type_bytes(a->array.type);
    const char *why = NULL;
    zt_params params;
    size_t capacity, bytes;
    (void)zt_params_init(&params, sizeof params);
    params.codec = ZT_CODEC_SZ;
    set_coder(&params, effort);
    params.plan = a->array.shape[0] % 2 ? ZT_PLAN_ON : ZT_PLAN_OFF;
    if (zt_compress_bound(context, &a->array, &params, &capacity) != ZT_OK)
        return "its size has no bound";
    void *const file = need(capacity);
    zt_array back = a->array;
    back.data = need(raw);
    memset(back.data, 0x5a, raw);
    if (zt_compress(context, &a->array, &params, file, capacity, &bytes) != ZT_OK)
        why = "it is not compressed";
    else if (bytes > raw + raw / GROWTH_PART + GROWTH_BYTES)
        why = "it grows";
    else if (zt_decompress(context, file, bytes, &back) != ZT_OK)
        why = zt_context_error(context);
    else if (memcmp(back.data, a->array.data, raw) != 0)
        why = "other bits come back";
    free(back.data);
    free(file);
    return why;
}

int main(int argc, char **argv)
{
    struct case_range range = {.seed = seed_of_today(), .first = 0, .cases = 1000};
    uint64_t failed = 0;
    bool is_small = false;
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--small") == 0) {
            is_small = strcmp(argv[i + 1], "0") != 0;
        } else if (!take_case_option(argv[i], argv[i + 1], &range)) {
            fprintf(stderr, "use: lossless_property_test [--seed N] [--cases N] [--only N] "
                            "[--small 1]\n");
            return 2;
        }
    zt_context *context = NULL;
    if (zt_context_new(NULL, &context) != ZT_OK)
        return 1;
    for (uint64_t n = range.first; n < range.cases; n++) {
        struct rng r = {mix64(range.seed, n)};
        const uint64_t number = rng_next(&r) >> 1;
        struct test_array a = is_small ? small_awkward_array(number) : awkward_array(number);
        if (is_small)
            (void)zt_context_set_isa(context, (zt_isa)rng_below(&r, ZT_ISA_AVX512 + 1));
        else
            random_policy(&r, context);
        for (uint32_t i = 0; i < sizeof efforts / sizeof *efforts; i++) {
            const char *const why = fault(context, &a, efforts[i]);
            char shape[96];
            if (!why)
                continue;
            printf("case %llu of seed %llu, coder %u: %s %s: %s\n", (unsigned long long)n,
                   (unsigned long long)range.seed, efforts[i], type_name(a.array.type),
                   shape_text(a.array.rank, a.array.shape, shape), why);
            failed++;
        }
        test_array_free(&a);
    }
    zt_context_free(context);
    printf("%llu cases of seed %llu, %llu failed\n",
           (unsigned long long)(range.cases - range.first), (unsigned long long)range.seed,
           (unsigned long long)failed);
    return failed > 0;
}
