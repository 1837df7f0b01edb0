/* sz_lossless_test.c: the lossless coder of effort 'high': every bit of awkward values comes back,
 * fields with a known entropy come near to it, nothing grows, all instances and policies write the
 * same bytes, and damaged streams are decoded or refused. */
#include "codec/sz/lossless/lossless.h"
#include "support/awkward.h"
#include "unit/sz_support.h"

#include <math.h>

static void every_bit_of_awkward_values_comes_back(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < 700; number += TEST_SHARE) {
        struct test_array a = awkward_array(number);
        const uint64_t raw = values_of(a.array.rank, a.array.shape) * zt_type_bytes(a.array.type);
        const uint64_t bits = need_bound(NULL, &a.array, 0, CODER_HIGH);
        assert_true(bits / 8 <= raw + raw / 5000 + 16);
        (void)need_bound(NULL, &a.array, 0, CODER_DEFAULT);
        test_array_free(&a);
    }
}

/* ---- fields of which the entropy is known ---- */

enum { MADE = 1 << 17 };

/* A random walk. */
static void fill_walk(double *x, struct rng *r)
{
    double at = 20;
    for (uint32_t i = 0; i < MADE; i++) {
        at += 0.6 * (rng_unit(r) + rng_unit(r) + rng_unit(r) - 1.5) - (at - 20) * 0.001;
        x[i] = at;
    }
}

/* Bits a value of a made field. */
static double bits_of(const zt_array *array)
{
    return (double)need_bound(NULL, array, 0, CODER_HIGH) /
           (double)values_of(array->rank, array->shape);
}

/* A step of the walk has a standard deviation of 0.3: the decimals' differences have about
 * log2(0.3 10^d sqrt(2 pi e)) bits. */
static void decimals_take_what_their_steps_do(void **state)
{
    static const uint64_t shape[1] = {MADE};
    static const uint32_t digits[] = {1, 2, 4, 6, 8, 10, 12};
    struct test_array a = array_of(ZT_F64, 1, shape);
    double *const x = need(MADE * sizeof *x);
    struct rng r = {1};
    (void)state;
    fill_walk(x, &r);
    for (uint32_t k = 0; k < sizeof digits / sizeof *digits; k++) {
        const double ten = pow(10, digits[k]);
        for (uint32_t i = 0; i < MADE; i++)
            ((double *)a.array.data)[i] = rint(x[i] * ten) / ten;
        const double ideal = log2(0.3 * ten * 4.13);
        assert_true(bits_of(&a.array) < 1.06 * ideal + 0.15);
    }
    free(x);
    test_array_free(&a);
}

/* Values from 16-bit integers, each slice with its own scale and offset, take what the integers do,
 * but for 2 % and what scales and offsets are. */
static void packed_slices_take_what_their_integers_do(void **state)
{
    enum { SLICES = 8, SIDE = 128 };
    static const uint64_t shape[3] = {SLICES, SIDE, SIDE};
    struct test_array integers = array_of(ZT_I32, 3, shape);
    struct test_array narrow = array_of(ZT_F32, 3, shape), wide = array_of(ZT_F64, 3, shape);
    struct rng r = {2};
    (void)state;
    for (uint32_t z = 0; z < SLICES; z++) {
        const double scale = (double)(float)(0.002 + 0.008 * rng_unit(&r));
        const double offset = (double)(float)(300 * rng_unit(&r));
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            const double wave = sin(i % SIDE * 0.05 + z) * cos(i / SIDE * 0.04);
            const double n = floor(16000 + 12000 * wave + 40 * (rng_unit(&r) + rng_unit(&r)));
            set_number(&integers.array, z * SIDE * SIDE + i, n);
            set_number(&narrow.array, z * SIDE * SIDE + i, n * scale + offset);
            set_number(&wide.array, z * SIDE * SIDE + i, n * scale + offset);
        }
    }
    const double most = 1.02 * bits_of(&integers.array) + 128.0 / SIDE / SIDE;
    assert_true(bits_of(&narrow.array) < most);
    assert_true(bits_of(&wide.array) < most);
    test_array_free(&integers);
    test_array_free(&narrow);
    test_array_free(&wide);
}

/* Integers as floats, halves and floats widened, few distinct values, counters, repeated rows. */
static void other_fields_take_little_more_than_they_hold(void **state)
{
    static const uint64_t line[1] = {MADE}, rows[2] = {32, MADE / 32};
    static const double few[5] = {0.1, 0.7, 3.141592653589793, 1e10, -3.3e-5};
    struct test_array f = array_of(ZT_F32, 1, line), d = array_of(ZT_F64, 1, line);
    struct test_array i64 = array_of(ZT_I64, 1, line), block = array_of(ZT_F64, 2, rows);
    double *const x = need(MADE * sizeof *x);
    struct rng r = {3};
    (void)state;
    fill_walk(x, &r);
    for (uint32_t i = 0; i < MADE; i++)
        set_number(&f.array, i, floor(50 * x[i]));
    assert_true(bits_of(&f.array) < 1.06 * log2(0.3 * 50 * 4.13));
    for (uint32_t i = 0; i < MADE; i++)
        set_number(&d.array, i, (double)(float)x[i]);
    assert_true(bits_of(&d.array) < 20.5);
    for (uint32_t i = 0; i < MADE; i++)
        set_number(&d.array, i, few[rng_below(&r, 5)]);
    assert_true(bits_of(&d.array) < log2(5) + 0.02);
    for (uint32_t i = 0; i < MADE; i++)
        set_bits(&i64.array, i, UINT64_C(1000000000000) + i);
    assert_true(bits_of(&i64.array) < 0.05);
    for (uint32_t i = 0; i < MADE; i++)
        set_bits(&block.array, i, 0);
    for (uint32_t i = 0; i < MADE; i++)
        ((double *)block.array.data)[i] =
            i < MADE / 32 ? rng_unit(&r) : ((double *)block.array.data)[i - MADE / 32];
    assert_true(bits_of(&block.array) < 64.0 / 20);
    free(x);
    test_array_free(&f);
    test_array_free(&d);
    test_array_free(&i64);
    test_array_free(&block);
}

static void noise_grows_by_a_byte_a_tile(void **state)
{
    static const uint64_t shape[2] = {700, 800};
    (void)state;
    for (uint32_t type = ZT_F32; type <= ZT_I64; type++) {
        struct test_array a = array_of(type, 2, shape);
        fill_array(&a.array, DATA_ANY_BITS, type);
        const uint64_t raw = 700 * 800 * zt_type_bytes(type);
        assert_true(need_bound(NULL, &a.array, 0, CODER_HIGH) / 8 <= raw + 3);
        test_array_free(&a);
    }
}

/* ---- the same bytes ---- */

static void all_instances_write_the_same_bytes(void **state)
{
    (void)state;
    for (uint32_t number = 1000; number < 1000 + 3 * AWKWARD_KINDS; number += TEST_SHARE) {
        struct test_array a = awkward_array(number);
        assert_int_equal(need_same_bytes(&a.array, 0, CODER_HIGH, 1), ZTI_SZ_LOSSLESS_HIGH);
        test_array_free(&a);
    }
}

/* Magnitudes of residuals next to powers of two, where one that is rounded would be a bit longer.
 */
static void magnitudes_beside_powers_of_two_come_back(void **state)
{
    static const uint64_t shape[2] = {130, 129};
    (void)state;
    for (uint32_t type = ZT_F32; type <= ZT_I64; type++) {
        struct test_array a = array_of(type, 2, shape);
        struct rng r = {type};
        const uint32_t bits = 8 * (uint32_t)zt_type_bytes(type);
        for (uint64_t i = 0; i < 130 * 129; i++) {
            const uint64_t power = UINT64_C(1) << rng_below(&r, bits);
            const uint64_t size = power + rng_below(&r, 3) - 1;
            const uint64_t plain = i < 2000 ? rng_below(&r, 1 << 20) : i % 2; /* for no table */
            set_bits(&a.array, i, i % 61 ? plain : rng_below(&r, 2) ? size : 0 - size);
        }
        (void)need_same_bytes(&a.array, 0, CODER_HIGH, 1);
        (void)need_same_bytes(&a.array, 0, CODER_DEFAULT, 1);
        test_array_free(&a);
    }
}

static void what_memory_held_does_not_matter(void **state)
{
    static const uint64_t shape[3] = {5, 150, 129};
    struct test_array a = array_of(ZT_F32, 3, shape);
    (void)state;
    fill_array(&a.array, DATA_WAVE_NOISE, 1);
    for (uint64_t i = 0; i < values_of(3, shape); i++)
        if (i / 129 % 150 < 30 + i % 129 / 3)
            set_number(&a.array, i, 1e20);
    need_clean_memory(&a.array, 0, CODER_HIGH);
    test_array_free(&a);
}

/* docs/format/sz.md shows these bytes. */
static void the_example_of_the_page_is_written(void **state)
{
    static const uint8_t page[] = {0x00, 0x13, 0x08, 0x07, 0x01, 0x40, 0x10, 0x84, 0xd1, 0x51, 0x07,
                                   0xfe, 0x29, 0x5c, 0xcf, 0x02, 0x2d, 0xd0, 0x02, 0xdd, 0x68};
    static const uint64_t shape[1] = {64};
    struct test_array a = array_of(ZT_I32, 1, shape);
    (void)state;
    for (uint32_t i = 0; i < 64; i++)
        set_number(&a.array, i, 1000 + 3.0 * i);
    struct coded c = code(NULL, &a.array, 0, CODER_HIGH);
    assert_int_equal(c.end_bits, 8 * sizeof page);
    assert_memory_equal(c.bytes, page, sizeof page);
    coded_free(NULL, &c);
    test_array_free(&a);
}

/* Rows of a volume repeat those of its other half: tiles are large, and the second half is little.
 */
static void rows_far_away_are_found(void **state)
{
    enum { SIDE = 84 };
    static const uint64_t shape[3] = {SIDE, SIDE, SIDE};
    struct test_array a = array_of(ZT_F32, 3, shape);
    float *const f = a.array.data;
    const uint32_t plane = SIDE * SIDE;
    (void)state;
    fill_array(&a.array, DATA_WAVE_NOISE, 1);
    const uint64_t plain = need_bound(NULL, &a.array, 0, CODER_HIGH);
    for (uint32_t z = SIDE / 2; z < SIDE; z++)
        memcpy(f + z * plane, f + (SIDE - 1 - z) * plane, plane * sizeof *f);
    struct coded c = code(NULL, &a.array, 0, CODER_HIGH);
    assert_int_equal(sz_of(&c.coding)->tuning, ZTI_LL_IS_LARGE);
    assert_true((double)c.end_bits < 0.55 * (double)plain);
    coded_free(NULL, &c);
    (void)need_bound(NULL, &a.array, 0, CODER_HIGH);
    test_array_free(&a);
}

/* ---- damage ---- */

/* Any bytes decode to something or are refused; sanitizers watch. */
static void damaged_streams_are_decoded_or_refused(void **state)
{
    struct rng r = {5};
    (void)state;
    for (uint32_t number = 2000; number < 2300; number += TEST_SHARE) {
        struct test_array a = awkward_array(number);
        decode_damaged(&r, &a.array, 0, CODER_HIGH, 8, 100);
        test_array_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_of_awkward_values_comes_back),
        cmocka_unit_test(decimals_take_what_their_steps_do),
        cmocka_unit_test(packed_slices_take_what_their_integers_do),
        cmocka_unit_test(other_fields_take_little_more_than_they_hold),
        cmocka_unit_test(noise_grows_by_a_byte_a_tile),
        cmocka_unit_test(all_instances_write_the_same_bytes),
        cmocka_unit_test(magnitudes_beside_powers_of_two_come_back),
        cmocka_unit_test(what_memory_held_does_not_matter),
        cmocka_unit_test(the_example_of_the_page_is_written),
        cmocka_unit_test(rows_far_away_are_found),
        cmocka_unit_test(damaged_streams_are_decoded_or_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
