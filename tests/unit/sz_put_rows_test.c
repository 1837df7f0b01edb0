/* sz_put_rows_test.c: tiles of the sz codec that are coded in one pass over rows of an array: the
 * same bytes as value by value, for every instance, shape, set of axes and stride; the bound where
 * some values need more than that pass; and golden bytes of efforts fast and default.
 *
 *     sz_put_rows_test [ARRAYS [FIRST]]    random arrays from that number on, and nothing else */
#include "codec/sz/stored.h"
#include "unit/sz_support.h"

#include <float.h>
#include <math.h>

static uint64_t arrays = 300, first_array;

/* Shapes of about 2^12 to 2^14 values whose last extent is mostly a multiple of a register's. */
static void random_shape(struct rng *r, uint32_t rank, uint64_t *shape)
{
    static const uint64_t most[ZT_MAX_RANK] = {20000, 150, 36, 12};
    for (uint32_t i = 0; i + 1 < rank; i++)
        shape[i] = 1 + rng_below(r, most[rank - 1]);
    shape[rank - 1] = rng_once_in(r, 4) ? 1 + rng_below(r, 2 * most[rank - 1])
                                        : 16 * (1 + rng_below(r, most[rank - 1] / 16 + 1));
}

/* Waves and noise; often some values that have no multiple of the step near them, or a far one. */
static void fill_waves(const zt_array *array, struct rng *r)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 3e38, -3e38, 1e-40, -0.0, 1e9, 2e7};
    const uint64_t n = values_of(array->rank, array->shape);
    const double scale = ldexp(1, (int)rng_below(r, 20)), noise = rng_unit(r) * scale / 4;
    const double length = 3 + 40 * rng_unit(r), level = rng_once_in(r, 3) ? 1000 * scale : 0;
    for (uint64_t i = 0; i < n; i++)
        set_number(array, i, level + scale * sin((double)i / length) + noise * rng_unit(r));
    if (zti_is_float(array->type) && rng_once_in(r, 2))
        for (uint64_t k = 1 + rng_below(r, 5); k > 0; k--)
            set_number(array, rng_below(r, n), odd[rng_below(r, sizeof odd / sizeof *odd)]);
    else if (rng_once_in(r, 3))
        set_number(array, rng_below(r, n), 2147483000.0);
}

/* Near the middle between two multiples of a step, or near one, which are small or large. */
static void fill_halves(const zt_array *array, struct rng *r, double bound)
{
    const uint64_t n = values_of(array->rank, array->shape);
    const double most = ldexp(1, (int)rng_below(r, 24)), length = 20 + 400 * rng_unit(r);
    const double step = zti_sz_step(array->type, bound, most * bound);
    set_number(array, 0, 0);
    for (uint64_t i = 1; i < n; i++) {
        const double off = ldexp(rng_unit(r) - 0.5, -(int)rng_below(r, 26));
        const double k = rint(most * sin((double)i / length)) + (rng_once_in(r, 8) ? 0 : 0.5);
        set_number(array, i, (k + off) * step);
    }
}

/* The same values, not side by side: no pass over rows takes them. */
static struct test_array spread(const zt_array *array)
{
    const uint64_t n = values_of(array->rank, array->shape);
    const size_t value_bytes = zt_type_bytes(array->type);
    int64_t stride[ZT_MAX_RANK];
    contiguous_strides(array->rank, array->shape, stride);
    for (uint32_t i = 0; i < array->rank; i++)
        stride[i] *= 2;
    struct test_array to = test_array_new(array->type, array->rank, array->shape, stride);
    for (uint64_t i = 0; i < n; i++)
        memcpy((char *)to.array.data + 2 * i * value_bytes,
               (const char *)array->data + i * value_bytes, value_bytes);
    return to;
}

static void every_way_writes_the_same_bytes(void **state)
{
    static const uint32_t efforts[] = {CODER_FAST, CODER_DEFAULT, CODER_CUSZ};
    (void)state;
    for (uint64_t i = first_array; i < first_array + arrays; i += TEST_SHARE) {
        struct rng r = {i};
        uint64_t shape[ZT_MAX_RANK];
        const uint32_t type = rng_once_in(&r, 3) ? 1 + (uint32_t)rng_below(&r, 4)
                                                 : ZT_F32 + (uint32_t)rng_below(&r, 2);
        const uint32_t rank = 1 + (uint32_t)rng_below(&r, 4);
        const uint32_t effort = efforts[rng_below(&r, 10) * 3 / 13];
        const int axes = (int)rng_below(&r, (UINT64_C(1) << rank) + 1) - 1;
        random_shape(&r, rank, shape);
        struct test_array a = array_of(type, rank, shape);
        const double bound = ldexp(1 + rng_unit(&r), 10 - (int)rng_below(&r, 26));
        if (zti_is_float(type) && rng_once_in(&r, 3))
            fill_halves(&a.array, &r, bound);
        else
            fill_waves(&a.array, &r);
        struct test_array apart = spread(&a.array);
        struct coded first = {.bytes = NULL};
        for (uint32_t turn = 0; turn < 5; turn++) {
            zt_context *context;
            zt_context_new(NULL, &context);
            zt_context_set_isa(context, (zt_isa)((turn + 1) / 2));
            struct coded c =
                code_along(context, turn % 2 ? &apart.array : &a.array, bound, effort, axes);
            if (turn > 0) {
                assert_int_equal(c.end_bits, first.end_bits);
                assert_memory_equal(c.bytes, first.bytes, (size_t)(c.end_bits / 8));
                coded_free(context, &c);
            } else {
                first = c;
            }
            zt_context_free(context);
        }
        coded_free(NULL, &first);
        (void)need_bound(NULL, &a.array, bound, effort);
        test_array_free(&a);
        test_array_free(&apart);
    }
}

/* Where a value is as far from a multiple as the bound lets it, or farther than anything. */
static void values_at_the_edge_of_the_limits_hold(void **state)
{
    static const uint64_t shape[2] = {32, 64};
    struct rng r = {3};
    (void)state;
    for (uint32_t i = 0; i < 400; i += TEST_SHARE) {
        const uint32_t type = i % 2 ? ZT_F32 : ZT_F64;
        struct test_array a = array_of(type, 2, shape);
        const double bound = ldexp(1, (int)rng_below(&r, 200) - 100);
        const double step = zti_sz_step(type, bound, 100 * bound);
        for (uint64_t k = 0; k < 32 * 64; k++) {
            const double at = (double)rng_below(&r, 64) - 32;
            const double off = rng_once_in(&r, 3) ? 0.5 : rng_once_in(&r, 2) ? bound / step : 0;
            set_number(&a.array, k, (at + (rng_once_in(&r, 2) ? off : -off)) * step);
        }
        if (i % 3 == 0)
            set_number(&a.array, rng_below(&r, 32 * 64), ldexp(step, 29 + (int)rng_below(&r, 3)));
        (void)need_bound(NULL, &a.array, bound, i % 4 < 2 ? CODER_FAST : CODER_DEFAULT);
        test_array_free(&a);
    }
}

/* Bytes are the contract: head and tiles, by a hash, of every instance. */
static void bytes_do_not_change(void **state)
{
    static const struct {
        uint32_t type, rank, effort;
        uint64_t shape[ZT_MAX_RANK];
        int axes;
        double bound;
        uint64_t bytes, hash;
    } golden[] = {
        {ZT_F32, 1, CODER_FAST, {20000}, -1, 0.25, 22639, UINT64_C(0x4c99bf197165c4cb)},
        {ZT_F32, 2, CODER_DEFAULT, {160, 320}, 3, 0.5, 48658, UINT64_C(0x8ca2bcd2eebf461d)},
        {ZT_F32, 2, CODER_FAST, {160, 320}, 1, 1e-3, 137845, UINT64_C(0x37c9ff4d348faa86)},
        {ZT_F32, 3, CODER_DEFAULT, {48, 48, 64}, 7, 0.5, 173366, UINT64_C(0xfca303798e47770b)},
        {ZT_F32, 3, CODER_FAST, {40, 50, 60}, 6, 0.01, 220135, UINT64_C(0xbeeedc18fbc9605a)},
        {ZT_F32, 4, CODER_DEFAULT, {8, 10, 16, 32}, 15, 0.5, 53706, UINT64_C(0x6372ced25609553d)},
        {ZT_F64, 2, CODER_DEFAULT, {127, 128}, -1, 1e-6, 53371, UINT64_C(0x1b222e364a087aa7)},
        {ZT_F64, 3, CODER_FAST, {32, 32, 48}, 7, 1e-9, 234194, UINT64_C(0x487757eb32f30fa0)},
        {ZT_I32, 3, CODER_DEFAULT, {32, 48, 64}, 7, 3, 75746, UINT64_C(0xbd3436e96deaebca)},
        {ZT_I64, 2, CODER_FAST, {127, 512}, 3, 1, 60600, UINT64_C(0x21e83ec191e436ad)},
    };
    bool is_good = true;
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        struct test_array a = array_of(golden[i].type, golden[i].rank, golden[i].shape);
        const uint64_t n = values_of(a.array.rank, a.array.shape);
        struct rng r = {i};
        for (uint64_t k = 0; k < n; k++) { /* parabolas, so that every machine makes the same */
            const double x = (double)(k % 97) - 48, y = (double)(k / 61 % 89) - 44;
            set_number(&a.array, k, x * x - 2 * y * y + (double)rng_below(&r, 64) / 8);
        }
        if (golden[i].type == ZT_F32 && i % 2)
            set_number(&a.array, n / 2, NAN);
        is_good &= writes_golden(&a.array, golden[i].bound, golden[i].effort, golden[i].axes,
                                 golden[i].bytes, golden[i].hash);
        test_array_free(&a);
    }
    assert_true(is_good);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest some[] = {cmocka_unit_test(every_way_writes_the_same_bytes)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_writes_the_same_bytes),
        cmocka_unit_test(values_at_the_edge_of_the_limits_hold),
        cmocka_unit_test(bytes_do_not_change),
    };
    if (argc > 1) {
        arrays = strtoull(argv[1], NULL, 10);
        first_array = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
        return cmocka_run_group_tests(some, NULL, NULL);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
