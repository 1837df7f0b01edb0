/* sz_sizes_test.c: effort 'high': which arrays have small tiles, and the bytes of those that do. */
#include "codec/sz/interp/interp.h"
#include "unit/sz_support.h"

enum { LEAST = 1 << 20 /* values of an array that has small tiles */ };

/* Noise of 0 .. 255, each point summed with those before it along each axis, twice. */
static int64_t *make_noise(uint32_t rank, const uint64_t *shape)
{
    const uint64_t n = values_of(rank, shape);
    int64_t *const v = need(n * sizeof *v);
    struct rng r = {5};
    for (uint64_t i = 0; i < n; i++)
        v[i] = (int64_t)rng_below(&r, 256);
    for (uint64_t k = 2 * rank, step = 1; k-- > 0; step *= k % 2 ? 1 : shape[k / 2])
        for (uint64_t i = n; i-- > step;)
            v[i] += i / step % shape[k / 2] ? v[i - step] : 0;
    return v;
}

static struct test_array noisy_array(uint32_t type, uint32_t rank, const uint64_t *shape)
{
    struct test_array a = array_of(type, rank, shape);
    int64_t *const v = make_noise(rank, shape);
    for (uint64_t i = 0; i < values_of(rank, shape); i++)
        switch (type) {
        case ZT_F32: ((float *)a.array.data)[i] = (float)v[i]; break;
        case ZT_F64: ((double *)a.array.data)[i] = (double)v[i]; break;
        case ZT_I32: ((int32_t *)a.array.data)[i] = (int32_t)v[i]; break;
        default: ((int64_t *)a.array.data)[i] = v[i]; break;
        }
    free(v);
    return a;
}

/* The most values of a tile. */
static uint64_t tile_values(const struct zti_grid *grid)
{
    uint64_t values = 1;
    for (uint32_t i = 0; i < grid->rank; i++)
        values *= grid->side[i];
    return values;
}

static bool has_small_tiles(const zt_array *array, double bound)
{
    struct coded c = code(NULL, array, bound, CODER_HIGH);
    const bool is_small = sz_of(&c.coding)->tuning & ZTI_SZ_HIGH_SMALL;
    const uint64_t values = tile_values(&c.coding.grid);
    assert_int_equal(sz_of(&c.coding)->coder, CODER_HIGH);
    assert_in_range(values, is_small ? 1 << 15 : 1 << 17, is_small ? 1 << 16 : 1 << 18);
    assert_int_equal(zti_default_chunk_tiles(&c.coding), 1);
    coded_free(NULL, &c);
    return is_small;
}

/* At least so many values, of which residuals take 3 bits and more. */
static void large_arrays_of_many_bits_have_small_tiles(void **state)
{
    static const uint64_t enough[] = {64, 128, 128}, few[] = {63, 128, 128};
    struct test_array noisy = noisy_array(ZT_F32, 3, enough);
    struct test_array small = noisy_array(ZT_F32, 3, few);
    (void)state;
    assert_true(has_small_tiles(&noisy.array, 16));   /* some 6 bits */
    assert_true(has_small_tiles(&noisy.array, 80));   /* some 4 */
    assert_false(has_small_tiles(&noisy.array, 320)); /* some 2 */
    assert_false(has_small_tiles(&small.array, 16));
    test_array_free(&noisy);
    test_array_free(&small);
}

static const struct {
    uint32_t type, rank;
    uint64_t shape[ZT_MAX_RANK];
    double bound;
    uint32_t side[ZT_MAX_RANK];
    uint64_t bytes, hash;
} golden[] = {
    {ZT_F64, 1, {LEAST + 77}, 8, {61696}, 673720, UINT64_C(0xc29356708fbc1c77)},
    {ZT_I32, 2, {1111, 1001}, 8, {224, 256}, 822746, UINT64_C(0x35b7687e44c65b9c)},
    {ZT_F32, 3, {70, 123, 129}, 16, {24, 16, 72}, 850240, UINT64_C(0x769d35217a6c12a0)},
    {ZT_I64, 4, {32, 32, 33, 32}, 100, {16, 16, 8, 32}, 622799, UINT64_C(0x2d17f31719e839c3)},
};

enum { GOLDEN = sizeof golden / sizeof *golden };

/* Bytes are the contract: head and tiles, by a hash, of every instance. */
static void bytes_do_not_change(void **state)
{
    bool is_good = true;
    (void)state;
    for (uint32_t i = 0; i < GOLDEN; i++) {
        struct test_array a = noisy_array(golden[i].type, golden[i].rank, golden[i].shape);
        is_good &= writes_golden(&a.array, golden[i].bound, CODER_HIGH, -1, golden[i].bytes,
                                 golden[i].hash);
        test_array_free(&a);
    }
    assert_true(is_good);
}

static void the_bound_holds_and_sides_are_the_format_s(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < GOLDEN; i++) {
        struct test_array a = noisy_array(golden[i].type, golden[i].rank, golden[i].shape);
        struct coded c = code(NULL, &a.array, golden[i].bound, CODER_HIGH);
        struct zti_coding coding = loaded(NULL, &c);
        assert_memory_equal(coding.grid.side, golden[i].side,
                            golden[i].rank * sizeof *golden[i].side);
        (void)need_bound(NULL, &a.array, golden[i].bound, CODER_HIGH);
        zti_sz_forget(NULL, &coding);
        coded_free(NULL, &c);
        test_array_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_arrays_of_many_bits_have_small_tiles),
        cmocka_unit_test(bytes_do_not_change),
        cmocka_unit_test(the_bound_holds_and_sides_are_the_format_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
