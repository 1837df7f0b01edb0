/* sz_wide_test.c: effort 'high' with integers of 64 bits: under bounds for which 32 are too few,
 * and of wide ranges of integers. */
#include "codec/sz/interp/interp.h"
#include "unit/sz_support.h"

#include <math.h>

/* Oblique waves with a jump in the middle, from -span / 4 to span * 3 / 8. */
static struct test_array waves(uint32_t type, uint32_t rank, const uint64_t *shape, double span)
{
    struct test_array a = array_of(type, rank, shape);
    const uint64_t n = values_of(rank, shape);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t rest = i;
        double up = 0, down = 0;
        for (uint32_t axis = rank; axis-- > 0; rest /= shape[axis]) {
            up += 0.05 * (double)(axis + 1) * (double)(rest % shape[axis]);
            down += 0.07 * (double)(rest % shape[axis]) * (axis % 2 ? 1 : -1);
        }
        const double v = ((i < n / 2 ? 0 : 1) + sin(up) + sin(down)) * span / 8;
        if (type == ZT_F64)
            ((double *)a.array.data)[i] = v;
        else if (type == ZT_F32)
            ((float *)a.array.data)[i] = (float)v;
        else if (type == ZT_I32)
            ((int32_t *)a.array.data)[i] = (int32_t)v;
        else
            ((int64_t *)a.array.data)[i] = (int64_t)v;
    }
    return a;
}

/* Whether an array is coded by a wide stream. */
static bool is_wide(const zt_array *array, double bound)
{
    struct coded c = code(NULL, array, bound, CODER_HIGH);
    const bool is = sz_of(&c.coding)->coder == CODER_HIGH && zti_sz_high_is_wide(&c.coding);
    coded_free(NULL, &c);
    return is;
}

/* Differences are better where four axes are short. The last two have rows that are joined. */
static const uint64_t shapes[][ZT_MAX_RANK] = {{30001},         {90, 170},  {31, 40, 50},
                                               {9, 17, 20, 33}, {4000, 15}, {40, 90, 3}};
static const uint32_t ranks[] = {1, 2, 3, 4, 2, 3};

/* Integers of 32 bits end at about 2.6e-8 of the range. */
static void doubles_are_interpolated_down_to_a_millionth_of_a_millionth(void **state)
{
    (void)state;
    for (uint32_t s = 0; s < 6; s += TEST_SHARE == 1 ? 1 : 2) {
        struct test_array a = waves(ZT_F64, ranks[s], shapes[s], 8);
        assert_false(is_wide(&a.array, 4e-7));
        for (double bound = 4e-8; bound > 1e-12; bound /= 300) {
            assert_true(is_wide(&a.array, bound) || ranks[s] == 4);
            (void)need_same_bytes(&a.array, bound, CODER_HIGH, s % 3);
        }
        need_clean_memory(&a.array, 1e-10, CODER_HIGH);
        test_array_free(&a);
    }
}

static void integers_of_wide_ranges_are_interpolated(void **state)
{
    (void)state;
    for (uint32_t s = 0; s < 6; s += TEST_STEP) {
        struct test_array a = waves(ZT_I32, ranks[s], shapes[s], 0x1p31);
        assert_true(is_wide(&a.array, 1) || ranks[s] == 4);
        (void)need_same_bytes(&a.array, 1, CODER_HIGH, 0);
        test_array_free(&a);
        a = waves(ZT_I64, ranks[s], shapes[s], 0x1p44);
        for (double bound = 3; bound < 1e6; bound *= 400) {
            assert_true(is_wide(&a.array, bound) || ranks[s] == 4);
            (void)need_same_bytes(&a.array, bound, CODER_HIGH, 0);
        }
        test_array_free(&a);
    }
}

/* Where a type, or the range of integers of 64 bits, has no room. */
static void what_is_too_wide_has_another_effort(void **state)
{
    (void)state;
    struct test_array a = waves(ZT_F32, 2, shapes[1], 8);
    assert_false(is_wide(&a.array, 1e-7));
    test_array_free(&a);
    a = waves(ZT_F64, 2, shapes[1], 8);
    assert_false(is_wide(&a.array, 1e-14));
    (void)need_bound(NULL, &a.array, 1e-14, CODER_HIGH);
    test_array_free(&a);
    a = waves(ZT_I64, 2, shapes[1], 0x1p60);
    assert_false(is_wide(&a.array, 5));
    test_array_free(&a);
}

/* Residuals of 38 bits have a symbol, larger ones the escape; alone, and in blocks of small
 * ones. */
static void residuals_of_all_sizes_come_back(void **state)
{
    static const uint64_t shape[] = {20000};
    struct test_array a = array_of(ZT_I64, 1, shape);
    int64_t *const v = a.array.data;
    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        const uint32_t bits = i / 64 % 44;
        v[i] = i % 64 == 21 ? (INT64_C(1) << bits) + i % 3 - 1 : 0;
        v[i] = i % 128 < 64 ? v[i] : -v[i];
    }
    assert_true(is_wide(&a.array, 0.5));
    assert_int_equal(need_same_bytes(&a.array, 0.5, CODER_HIGH, 0), CODER_HIGH);
    test_array_free(&a);
    for (uint32_t bits = 0; bits < 63; bits++)
        for (int64_t by = -1; by <= 1; by++) {
            const int64_t q = (INT64_C(1) << bits) + by;
            for (int64_t sign = -1; sign <= 1; sign += 2) {
                const uint32_t symbol = zti_sz_wide_symbol(sign * q);
                const uint32_t open = zti_sz_wide_open_bits(symbol);
                assert_int_equal(symbol == ZTI_SZ_HIGH_ESCAPE, q >= INT64_C(1) << 38);
                assert_true(zti_sz_wide_residual(symbol, zti_sz_wide_open(open, sign * q)) ==
                            sign * q);
            }
        }
}

/* Narrow and wide streams have the same symbols of small residuals. */
static void symbols_are_those_of_narrow_streams(void **state)
{
    (void)state;
    for (int32_t q = -70000; q < 70000; q++) {
        const uint32_t symbol = zti_sz_high_symbol(q), open = zti_sz_high_open_bits(symbol);
        assert_int_equal(zti_sz_wide_symbol(q), symbol);
        assert_int_equal(zti_sz_wide_open_bits(symbol), open);
        assert_int_equal(zti_sz_wide_open(open, q), zti_sz_high_open(open, q));
    }
}

static void damaged_streams_become_values_or_are_refused(void **state)
{
    struct rng r = {5};
    (void)state;
    for (uint32_t s = 0; s < 6; s += TEST_SHARE == 1 ? 1 : 2) {
        struct test_array a = waves(ZT_F64, ranks[s], shapes[s], 8);
        decode_damaged(&r, &a.array, 1e-10, CODER_HIGH, 60, 40);
        test_array_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_are_interpolated_down_to_a_millionth_of_a_millionth),
        cmocka_unit_test(integers_of_wide_ranges_are_interpolated),
        cmocka_unit_test(what_is_too_wide_has_another_effort),
        cmocka_unit_test(residuals_of_all_sizes_come_back),
        cmocka_unit_test(symbols_are_those_of_narrow_streams),
        cmocka_unit_test(damaged_streams_become_values_or_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
