/* sz_ways_test.c: arrays coded in ways that were chosen for another array: zt_params_set_sz_ways.
 */
#include "unit/frame_support.h"
#include "ztile_expert.h"
#include "ztile_sz.h"

enum { ALL_RANKS = ZT_MAX_RANK, FIRST_AXES = 16, AXES_BITS = 5 };

static const uint64_t shapes[ZT_MAX_RANK][ZT_MAX_RANK] = {
    {40000}, {150, 301}, {40, 31, 50}, {9, 17, 15, 20}};

/* All numbers that are ways of a rank, one after another; false past the last. */
static bool next_ways(uint32_t rank, uint32_t *ways)
{
    const uint32_t first = rank << AXES_BITS;
    *ways = *ways == 0 ? first : *ways + 1;
    if (*ways % FIRST_AXES >> rank)
        *ways = (*ways / FIRST_AXES + 1) * FIRST_AXES;
    return *ways >> AXES_BITS == rank;
}

static struct test_array filled(uint32_t type, uint32_t rank, enum data_kind kind)
{
    int64_t stride[ZT_MAX_RANK];
    contiguous_strides(rank, shapes[rank - 1], stride);
    struct test_array a = test_array_new(type, rank, shapes[rank - 1], stride);
    fill_array(&a.array, kind, 7 * rank + kind);
    return a;
}

static zt_params params_in(zt_bound bound, uint32_t effort, uint32_t ways)
{
    zt_params p = params_of(bound);
    p.codec = ZT_CODEC_SZ;
    p.effort = effort;
    zt_params_set_sz_ways(&p, ways);
    return p;
}

/* Decode, and fail unless the bytes of plain C on one thread are those of all other roads. */
static void check(const zt_array *a, const zt_params *p, double bound)
{
    struct bytes file = compress(a, p);
    void *const decoded = need(array_bytes(a));
    unsigned char *const again = need(file.capacity);
    const zt_array out = zt_array_nd(decoded, (zt_type)a->type, a->rank, a->shape);
    zt_context *context = NULL;
    size_t n = 0;
    need_ok(context, zt_context_new(NULL, &context));
    need_ok(context, zt_decompress(context, file.data, file.n, &out));
    for (uint32_t isa = ZT_ISA_PLAIN; isa <= ZT_ISA_AVX512; isa++) {
        const zt_omp omp = {.threads = 1 + isa};
        (void)zt_context_set_isa(context, (zt_isa)isa);
        if (isa > ZT_ISA_PLAIN)
            (void)zt_context_set_omp(context, &omp);
        need_ok(context, zt_compress(context, a, p, again, file.capacity, &n));
        assert_int_equal(n, file.n);
        assert_memory_equal(again, file.data, n);
    }
    for (uint64_t i = 0; i < values_of(a->rank, a->shape); i++) {
        const size_t size = zt_type_bytes(a->type);
        assert_true(is_within_exactly(a->type, (char *)a->data + i * size,
                                      (char *)decoded + i * size, bound));
    }
    zt_context_free(context);
    free(again);
    free(decoded);
    free(file.data);
}

static void any_ways_keep_the_bound_on_every_road(void **state)
{
    (void)state;
    const uint32_t types[] = {ZT_F32, ZT_F64, ZT_I32, ZT_I64};
    const enum data_kind kinds[] = {DATA_WAVE_NOISE, DATA_SPARSE, DATA_NONFINITE};
    uint32_t turn = 0;
    for (uint32_t rank = 1; rank <= ALL_RANKS; rank++)
        for (uint32_t ways = 0; next_ways(rank, &ways); turn++) {
            const bool is_lossless = turn % 4 == 3;
            struct test_array a = filled(types[turn % 4], rank, kinds[turn / 4 % 3]);
            const double bound = is_lossless ? 0 : turn % 4 == 2 ? 3 : 1e-2;
            const zt_params p =
                params_in(zt_abs(bound), turn % 5 ? ZT_EFFORT_DEFAULT : ZT_EFFORT_FAST, ways);
            check(&a.array, &p, bound);
            test_array_free(&a);
        }
}

static void a_file_says_the_ways_it_was_coded_in(void **state)
{
    (void)state;
    for (uint32_t rank = 1; rank <= ALL_RANKS; rank++) {
        struct test_array a = filled(ZT_F32, rank, DATA_WAVE_NOISE);
        for (uint32_t ways = 0; next_ways(rank, &ways);) {
            const zt_params p = params_in(zt_abs(1e-2), ZT_EFFORT_DEFAULT, ways);
            struct bytes file = compress(&a.array, &p);
            const zt_info info = info_of(&file);
            assert_int_equal(zt_info_sz_ways(&info), ways);
            free(file.data);
        }
        test_array_free(&a);
    }
}

/* Tiles' bases are stored less a centre, which is chosen anew; all else is the same. */
static void the_ways_of_a_file_give_about_its_size(void **state)
{
    (void)state;
    for (uint32_t rank = 1; rank <= ALL_RANKS; rank++) {
        struct test_array a = filled(ZT_F64, rank, DATA_WAVE_NOISE);
        zt_params p = params_in(zt_abs(1e-3), ZT_EFFORT_DEFAULT, 0);
        struct bytes own = compress(&a.array, &p);
        const zt_info info = info_of(&own);
        zt_params_set_sz_ways(&p, zt_info_sz_ways(&info));
        struct bytes given = compress(&a.array, &p);
        assert_in_range(given.n, own.n - own.n / 100, own.n + own.n / 100);
        free(given.data);
        free(own.data);
        test_array_free(&a);
    }
}

static void method_cusz_plans_and_other_codecs_ignore_ways(void **state)
{
    (void)state;
    struct test_array a = filled(ZT_F32, 3, DATA_WAVE_NOISE);
    for (uint32_t i = 0; i < 3; i++) {
        zt_params p = params_in(zt_abs(1e-3), ZT_EFFORT_DEFAULT, 0);
        p.plan = i == 0 ? ZT_PLAN_ON : ZT_PLAN_OFF;
        p.codec = i == 2 ? ZT_CODEC_ZFP : ZT_CODEC_SZ;
        if (i == 1)
            zt_params_set_sz(&p, ZT_SZ_CUSZ, 64);
        struct bytes without = compress(&a.array, &p);
        zt_params_set_sz_ways(&p, (3 << AXES_BITS) + 1);
        struct bytes with = compress(&a.array, &p);
        const zt_info info = info_of(&with);
        assert_int_equal(with.n, without.n);
        assert_memory_equal(with.data, without.data, with.n);
        assert_true(i == 0 || zt_info_sz_ways(&info) == 0);
        free(with.data);
        free(without.data);
    }
    test_array_free(&a);
}

static void numbers_that_are_no_ways_are_refused(void **state)
{
    (void)state;
    const uint32_t wrong[] = {1,
                              31,
                              2 << AXES_BITS,
                              4 << AXES_BITS,
                              (3 << AXES_BITS) + 8,
                              (3 << AXES_BITS) + (1 << 8),
                              1 << 24,
                              UINT32_MAX};
    struct test_array a = filled(ZT_F32, 3, DATA_SMOOTH);
    zt_context *context = NULL;
    size_t n;
    need_ok(context, zt_context_new(NULL, &context));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        zt_params p = params_in(zt_abs(1e-2), ZT_EFFORT_DEFAULT, wrong[i]);
        need_failure(context, zt_compress_bound(context, &a.array, &p, &n), ZT_BAD_ARG, "no ways");
        zt_params_set_sz(&p, ZT_SZ_OWN, 0); /* leaves them */
        need_failure(context, zt_compress_bound(context, &a.array, &p, &n), ZT_BAD_ARG, "no ways");
        zt_params_set_sz_ways(&p, 0);
        need_ok(context, zt_compress_bound(context, &a.array, &p, &n));
    }
    zt_params p = params_in(zt_abs(1e-2), ZT_EFFORT_DEFAULT, 3 << AXES_BITS);
    zt_params_set_sz(&p, (zt_sz_method)UINT32_MAX, 0); /* does not reach them */
    need_failure(context, zt_compress_bound(context, &a.array, &p, &n), ZT_BAD_ARG, "method");
    assert_int_equal(zt_info_sz_ways(NULL), 0);
    zt_context_free(context);
    test_array_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_ways_keep_the_bound_on_every_road),
        cmocka_unit_test(a_file_says_the_ways_it_was_coded_in),
        cmocka_unit_test(the_ways_of_a_file_give_about_its_size),
        cmocka_unit_test(method_cusz_plans_and_other_codecs_ignore_ways),
        cmocka_unit_test(numbers_that_are_no_ways_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
