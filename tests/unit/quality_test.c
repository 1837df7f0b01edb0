/* quality_test.c: what zt_scan and zt_compare count, and the test of one value against a bound. */
#include "quality/quality.h"
#include "support/support.h"
#include "ztile_quality.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static uint64_t bits64(double v)
{
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

static bool within(double a, double b, double bound)
{
    return zti_within(ZT_F64, bits64(a), bits64(b), bound);
}

static void bounds_are_compared_exactly(void **state)
{
    (void)state;
    assert_true(within(1, 1.5, 0.5));
    assert_false(within(1, 1.5, nextafter(0.5, 0)));
    /* 1 - 2^-80 is 1 after rounding: only exact arithmetic sees on which side of the bound it is */
    assert_true(within(ldexp(1, -80), 1, 1));
    assert_false(within(-ldexp(1, -80), 1, 1));
    assert_true(within(NAN, NAN, 0));
    assert_false(within(NAN, 1, 1e300));
    assert_false(within(1, NAN, 1e300));
    assert_true(within(0.0, -0.0, 0));
    assert_false(within(-DBL_MAX, DBL_MAX, DBL_MAX));
    assert_false(within(1, INFINITY, DBL_MAX));
}

static void integer_differences_do_not_overflow(void **state)
{
    (void)state;
    uint64_t low = (uint64_t)INT64_MIN, high = (uint64_t)INT64_MAX;
    assert_false(zti_within(ZT_I64, low, high, 18446744073709549568.0)); /* 2^64 - 2048 */
    assert_true(zti_within(ZT_I64, low, high, 18446744073709551616.0));
    assert_true(zti_within(ZT_I64, 5, 8, 3));
    assert_true(zti_within(ZT_I64, 5, 8, 3.9));
    assert_false(zti_within(ZT_I64, 5, 8, 2.9));
    assert_true(zti_within(ZT_I32, (uint32_t)-1, 1, 2));
    assert_false(zti_within(ZT_I32, 0x80000000u, 0x7fffffffu, 4294967294.0));
    assert_true(zti_within(ZT_I32, 0x80000000u, 0x7fffffffu, 4294967295.0));
}

static void random_pairs_agree_with_the_tests_own_arithmetic(void **state)
{
    (void)state;
    struct rng r = {3};
    for (int i = 0; i < 200000; i++) {
        uint32_t type = 1 + (uint32_t)rng_below(&r, 4);
        uint64_t a = rng_next(&r), b = rng_once_in(&r, 2) ? a + rng_below(&r, 16) : rng_next(&r);
        double bound = ldexp(1 + rng_unit(&r), (int)rng_below(&r, 140) - 70);
        if (zt_type_bytes(type) == 4) {
            a &= UINT32_MAX;
            b &= UINT32_MAX;
        }
        assert_int_equal(zti_within(type, a, b, bound), is_within_exactly(type, &a, &b, bound));
    }
}

/* The quick test of a row never accepts what the exact one refuses. */
static void rows_within_are_so_value_by_value(void **state)
{
    (void)state;
    struct rng r = {5};
    uint32_t accepted = 0;
    for (int run = 0; run < 50000; run++) {
        const uint32_t type = 1 + (uint32_t)rng_below(&r, 4);
        const size_t bytes = zt_type_bytes(type);
        const double bound = ldexp(1 + rng_unit(&r), (int)rng_below(&r, 66) - 3);
        unsigned char a[4 * 8], b[4 * 8];
        bool is_within = true;
        for (size_t i = 0; i < 4; i++) {
            uint64_t x = rng_next(&r) & UINT64_C(0xc1ffffffc1ffffff), y = x + rng_below(&r, 1024);
            memcpy(a + (3 - i) * bytes, &x, bytes);
            memcpy(b + i * bytes, &y, bytes);
            is_within &= is_within_exactly(type, &x, &y, bound);
        }
        const bool is_sure = zti_row_within(type, a + 3 * bytes, -1, b, 4, bound);
        assert_true(is_within || !is_sure);
        accepted += is_sure;
    }
    assert_true(accepted > 10000);
    const double x = 1, nan_value = NAN;
    assert_false(zti_row_within(ZT_F64, &x, 1, &nan_value, 1, DBL_MAX));
}

static void scans_add_up_over_slabs(void **state)
{
    (void)state;
    float values[] = {3, NAN, -7.5f, INFINITY, 2, -INFINITY, NAN, 11};
    zt_stats s;
    assert_int_equal(zt_stats_init(&s, sizeof s), ZT_OK);
    assert_true(isnan(s.min) && isnan(s.max));
    zt_array first = zt_array_1d(values, ZT_F32, 3), second = zt_array_1d(values + 3, ZT_F32, 5);
    assert_int_equal(zt_scan(NULL, &first, &s), ZT_OK);
    assert_int_equal(zt_scan(NULL, &second, &s), ZT_OK);
    assert_int_equal(s.values, 8);
    assert_int_equal(s.nan_values, 2);
    assert_int_equal(s.inf_values, 2);
    assert_true(s.min == -7.5 && s.max == 11);
    float none[] = {NAN, NAN};
    zt_array nans = zt_array_1d(none, ZT_F32, 2);
    zt_stats_init(&s, sizeof s);
    assert_int_equal(zt_scan(NULL, &nans, &s), ZT_OK);
    assert_true(isnan(s.min) && isnan(s.max));
}

static void comparisons_count_and_measure(void **state)
{
    (void)state;
    double a[] = {0, 10, -4, NAN, INFINITY, 2}, b[] = {0.5, 10, -4, NAN, 1, 1};
    zt_array original = zt_array_2d(a, ZT_F64, 2, 3), back = zt_array_2d(b, ZT_F64, 2, 3);
    zt_quality q;
    assert_int_equal(zt_quality_init(&q, sizeof q), ZT_OK);
    q.abs_bound = 0.5;
    assert_int_equal(zt_compare(NULL, &original, &back, &q), ZT_OK);
    assert_int_equal(q.values, 6);
    assert_int_equal(q.finite_values, 4);
    assert_int_equal(q.special_changed, 1);
    assert_int_equal(q.different_values, 3);
    assert_true(q.max_abs_error == 1);
    assert_true(q.max_pwrel_error == 0.5); /* 2 became 1; 0 has no relative error */
    assert_true(q.min == -4 && q.max == 10);
    assert_true(q.sum_squares == 1.25);
    assert_true(fabs(zt_quality_rmse(&q) - sqrt(1.25 / 4)) < 1e-15);
    assert_true(fabs(zt_quality_psnr(&q) - 20 * log10(14 / sqrt(1.25 / 4))) < 1e-9);
    assert_true(q.beyond_bound >= 1);
}

static void no_error_is_infinitely_good(void **state)
{
    (void)state;
    int64_t a[] = {INT64_MIN, INT64_MAX, 0};
    zt_array array = zt_array_1d(a, ZT_I64, 3);
    zt_quality q;
    zt_quality_init(&q, sizeof q);
    assert_int_equal(zt_compare(NULL, &array, &array, &q), ZT_OK);
    assert_true(zt_quality_rmse(&q) == 0);
    assert_true(isinf(zt_quality_psnr(&q)));
    assert_int_equal(q.different_values, 0);
    zt_quality_init(&q, sizeof q);
    assert_true(isnan(zt_quality_rmse(&q)));
    assert_true(isnan(zt_quality_psnr(&q)));
}

static void arrays_of_other_shape_are_not_compared(void **state)
{
    (void)state;
    float v[6] = {0};
    zt_array a = zt_array_2d(v, ZT_F32, 2, 3), b = zt_array_2d(v, ZT_F32, 3, 2);
    zt_quality q;
    zt_quality_init(&q, sizeof q);
    assert_int_equal(zt_compare(NULL, &a, &b, &q), ZT_BAD_ARG);
    b = a;
    b.type = ZT_I32;
    assert_int_equal(zt_compare(NULL, &a, &b, &q), ZT_BAD_ARG);
    q.struct_bytes = 0;
    assert_int_equal(zt_compare(NULL, &a, &a, &q), ZT_BAD_ARG);
}

/* Large enough for several parts a thread; special values in some of them. */
static void a_scan_does_not_depend_on_threads(void **state)
{
    (void)state;
    const uint64_t shape[] = {1031, 41, 67};
    const size_t n = 1031 * 41 * 67;
    float *values = need(n * sizeof *values);
    struct rng r = {5};
    for (size_t i = 0; i < n; i++)
        values[i] = (float)(rng_unit(&r) - 0.5);
    values[n / 3] = NAN;
    values[n / 3 + 1] = -INFINITY;
    values[n / 2] = -7;
    values[n - 1] = 9;
    for (uint32_t threads = 1; threads < 8; threads++)
        for (int backwards = 0; backwards < 2; backwards++) {
            zt_context *c;
            const zt_omp omp = {.threads = threads};
            zt_stats stats;
            zt_array a = zt_array_nd(values, ZT_F32, 3, shape);
            if (backwards) {
                a.data = values + (shape[0] - 1) * 41 * 67;
                a.stride[0] = -a.stride[0];
            }
            assert_int_equal(zt_context_new(NULL, &c), ZT_OK);
            assert_int_equal(zt_context_set_omp(c, &omp), ZT_OK);
            zt_stats_init(&stats, sizeof stats);
            assert_int_equal(zt_scan(c, &a, &stats), ZT_OK);
            assert_int_equal(stats.values, n);
            assert_int_equal(stats.nan_values, 1);
            assert_int_equal(stats.inf_values, 1);
            assert_true(stats.min == -7 && stats.max == 9);
            zt_context_free(c);
        }
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scan_does_not_depend_on_threads),
        cmocka_unit_test(bounds_are_compared_exactly),
        cmocka_unit_test(integer_differences_do_not_overflow),
        cmocka_unit_test(random_pairs_agree_with_the_tests_own_arithmetic),
        cmocka_unit_test(rows_within_are_so_value_by_value),
        cmocka_unit_test(scans_add_up_over_slabs),
        cmocka_unit_test(comparisons_count_and_measure),
        cmocka_unit_test(no_error_is_infinitely_good),
        cmocka_unit_test(arrays_of_other_shape_are_not_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
