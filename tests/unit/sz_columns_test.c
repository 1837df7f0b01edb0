/* sz_columns_test.c: arrays of few columns through the sz codec: short rows are worked on many at a
 * time. The same bytes and values by every instance, with rows that follow each other and that do
 * not, in whole and in part; and golden bytes. */
#include "unit/sz_support.h"

#include <math.h>

enum { ISAS = 3, COLUMNS = 20 };

/* Up to a few tiles of rows of 1 to COLUMNS - 1 values. */
static void random_shape(struct rng *r, uint32_t effort, uint32_t rank, uint64_t *shape)
{
    static const uint64_t most[ZT_MAX_RANK] = {1, 4000, 60, 16};
    for (uint32_t i = 0; i + 1 < rank; i++)
        shape[i] = 1 + rng_below(r, most[rank - 1]);
    if (rng_once_in(r, 4))
        shape[rng_below(r, rank - 1)] = 1 + rng_below(r, 3);
    if (effort == CODER_HIGH && rank == 2 && rng_once_in(r, 2))
        shape[0] += rng_below(r, 70000);
    shape[rank - 1] = 1 + rng_below(r, rng_once_in(r, 4) ? COLUMNS - 1 : 7);
}

/* Columns that go their own ways, in whole numbers and with noise; one value in 'rare' is far
 * off. */
static void fill_columns(const zt_array *array, struct rng *r, uint32_t most, uint64_t rare)
{
    const uint64_t n = values_of(array->rank, array->shape);
    const uint64_t columns = array->shape[array->rank - 1];
    int64_t at[COLUMNS] = {0};
    for (uint64_t i = 0; i < n; i++) {
        int64_t *const own = &at[i % columns];
        *own += (int64_t)rng_below(r, 3) - 1;
        const int64_t v = *own + (int64_t)rng_below(r, most);
        set_number(array, i, (double)(rng_once_in(r, rare) ? v * 1000 + 7 : v));
    }
}

/* The same values, in rows so many elements apart and with so many from one to the next. */
static struct test_array spread(const zt_array *array, int64_t gap, int64_t between)
{
    const size_t bytes = values_of(array->rank, array->shape) * zt_type_bytes(array->type);
    uint8_t *const values = need(bytes);
    int64_t stride[ZT_MAX_RANK], step = between;
    for (uint32_t i = array->rank; i-- > 0; step *= (int64_t)array->shape[i]) {
        stride[i] = step;
        step += i + 1 == array->rank ? gap : 0;
    }
    struct test_array to = test_array_new(array->type, array->rank, array->shape, stride);
    gather(array, values);
    scatter(&to.array, values);
    free(values);
    return to;
}

static struct coded code_by(uint32_t isa, const zt_array *array, double bound, uint32_t effort,
                            int axes)
{
    zt_context *context;
    zt_context_new(NULL, &context);
    zt_context_set_isa(context, (zt_isa)isa);
    struct coded c = code_along(context, array, bound, effort, axes);
    zt_context_free(context);
    return c;
}

static void decode_by(uint32_t isa, const struct coded *c, const struct zti_view *view)
{
    zt_context *context;
    uint64_t end_bits;
    zt_context_new(NULL, &context);
    zt_context_set_isa(context, (zt_isa)isa);
    struct zti_coding coding = loaded(context, c);
    coding.run.isa = (uint32_t)zt_context_isa(context);
    assert_int_equal(zti_exec_decode(context, &coding, c->bytes, (size_t)(c->end_bits / 8), 0, NULL,
                                     view, &end_bits),
                     ZT_OK);
    assert_true(end_bits <= c->end_bits);
    zti_sz_forget(context, &coding);
    zt_context_free(context);
}

/* A box of what was decoded, with the rows that it has. */
static void need_box(const struct coded *c, uint32_t isa, const zt_array *good, struct rng *r)
{
    const size_t value_bytes = zt_type_bytes(good->type);
    struct zti_view view;
    zt_array part = *good;
    memset(&view, 0, sizeof view);
    for (uint32_t i = 0; i < good->rank; i++) {
        const uint64_t extent = good->shape[i];
        view.lo[i] = rng_once_in(r, 2) ? rng_below(r, extent) : 0;
        view.hi[i] =
            rng_once_in(r, 2) ? view.lo[i] + 1 + rng_below(r, extent - view.lo[i]) : extent;
        part.shape[i] = view.hi[i] - view.lo[i];
        part.data =
            (char *)part.data + (int64_t)view.lo[i] * good->stride[i] * (int64_t)value_bytes;
    }
    const size_t bytes = values_of(part.rank, part.shape) * value_bytes;
    struct test_array back = array_of(part.type, part.rank, part.shape);
    uint8_t *const values = need(2 * bytes);
    view.out = inside(&back.array);
    decode_by(isa, c, &view);
    gather(&part, values);
    gather(&back.array, values + bytes);
    assert_memory_equal(values, values + bytes, bytes);
    assert_true(gaps_are_untouched(&back));
    free(values);
    test_array_free(&back);
}

/* What is decoded is the same by every instance, wherever it goes. */
static void need_values(const struct coded *c, const zt_array *array, double bound, struct rng *r)
{
    const uint64_t n = values_of(array->rank, array->shape);
    const size_t value_bytes = zt_type_bytes(array->type);
    struct test_array first = spread(array, 0, 2);
    struct zti_view view = view_of(&first.array);
    uint8_t *const good = need(2 * n * value_bytes), *const values = good + n * value_bytes;
    decode_by(ZT_ISA_PLAIN, c, &view);
    gather(&first.array, good);
    gather(array, values);
    for (uint64_t i = 0; i < n; i++)
        assert_true(is_within_exactly(array->type, values + i * value_bytes, good + i * value_bytes,
                                      bound));
    for (uint32_t turn = 0; turn < 2 * ISAS; turn++) {
        struct test_array back = spread(array, turn < ISAS ? 0 : 2, 1);
        view = view_of(&back.array);
        decode_by(turn % ISAS, c, &view);
        gather(&back.array, values);
        assert_memory_equal(values, good, n * value_bytes);
        assert_true(gaps_are_untouched(&back));
        test_array_free(&back);
        need_box(c, turn % ISAS, &first.array, r);
    }
    free(good);
    test_array_free(&first);
}

/* All of it, by an instance, is within the bound. */
static void need_whole(const struct coded *c, uint32_t isa, const zt_array *array, double bound)
{
    const size_t value_bytes = zt_type_bytes(array->type);
    struct test_array back = array_of(array->type, array->rank, array->shape);
    const struct zti_view view = view_of(&back.array);
    decode_by(isa, c, &view);
    for (uint64_t i = 0, n = values_of(array->rank, array->shape); i < n; i++)
        if (!is_within_exactly(array->type, (const uint8_t *)array->data + i * value_bytes,
                               (const uint8_t *)back.array.data + i * value_bytes, bound))
            fail_msg("value %llu is beyond the bound", (unsigned long long)i);
    test_array_free(&back);
}

static void every_way_does_the_same(void **state)
{
    static const uint32_t efforts[] = {CODER_FAST, CODER_DEFAULT, CODER_HIGH, CODER_CUSZ};
    (void)state;
    for (uint32_t i = 0; i < 120; i += TEST_SHARE) {
        struct rng r = {i};
        uint64_t shape[ZT_MAX_RANK];
        const uint32_t effort = efforts[rng_below(&r, 13) / 4], rank = 2 + i % 3;
        const uint32_t type = rng_once_in(&r, 2) ? ZT_F32 : 1 + (uint32_t)rng_below(&r, 4);
        const int axes =
            effort == CODER_HIGH ? -1 : (int)rng_below(&r, (UINT64_C(1) << rank) + 1) - 1;
        const double bound = ldexp(1 + rng_unit(&r), (int)rng_below(&r, 6) - 3);
        random_shape(&r, effort, rank, shape);
        struct test_array a = array_of(type, rank, shape);
        fill_columns(&a.array, &r, 1 + (uint32_t)rng_below(&r, 200), 1 + rng_below(&r, 3000));
        struct test_array other[2] = {spread(&a.array, 0, 2), spread(&a.array, 3, 1)};
        struct coded first = code_by(ZT_ISA_PLAIN, &other[0].array, bound, effort, axes);
        for (uint32_t turn = 0; turn < 2 * ISAS; turn++) {
            struct coded c =
                code_by(turn % ISAS, turn < ISAS ? &a.array : &other[1].array, bound, effort, axes);
            assert_int_equal(c.end_bits, first.end_bits);
            assert_memory_equal(c.bytes, first.bytes, (size_t)(c.end_bits / 8));
            coded_free(NULL, &c);
        }
        need_values(&first, &a.array, bound, &r);
        coded_free(NULL, &first);
        test_array_free(&a);
        test_array_free(&other[0]);
        test_array_free(&other[1]);
    }
}

/* Bytes are the contract: head and tiles, by a hash, of every instance. The last has so many tiles
 * that models are made of some of them, and symbols that these have not are coded another way. */
static void bytes_do_not_change(void **state)
{
    static const struct {
        uint32_t type, rank, effort;
        uint64_t shape[ZT_MAX_RANK];
        uint32_t most;
        uint64_t rare, bytes, hash;
    } golden[] = {
        {ZT_F32, 2, CODER_FAST, {5000, 3}, 40, 900, 9863, UINT64_C(0x6ca452f350fa61eb)},
        {ZT_F32, 2, CODER_DEFAULT, {9001, 2}, 40, 900, 11693, UINT64_C(0xf5cbc5a908122bbd)},
        {ZT_F64, 3, CODER_DEFAULT, {70, 80, 3}, 40, 900, 11135, UINT64_C(0x755a68fed0e0b46e)},
        {ZT_F32, 2, CODER_HIGH, {90001, 3}, 40, 900, 167769, UINT64_C(0x9c56bf8ee427d349)},
        {ZT_F64, 2, CODER_HIGH, {30000, 2}, 9, 100000, 21317, UINT64_C(0x94d3263f8b4efce6)},
        {ZT_I32, 2, CODER_HIGH, {20011, 7}, 300, 50, 141645, UINT64_C(0xfa406d72c6a5a5b8)},
        {ZT_F32, 3, CODER_HIGH, {150, 160, 3}, 4, 900, 18963, UINT64_C(0x26931c313a9d9c46)},
        {ZT_F32, 4, CODER_HIGH, {12, 25, 30, 5}, 4, 900, 12587, UINT64_C(0x7892d4aba86ee961)},
        {ZT_F32, 2, CODER_HIGH, {2200000, 3}, 3, 200000, 1470719, UINT64_C(0x792d4d8cbc8c7fff)},
    };
    enum { MANY = sizeof golden / sizeof *golden - (TEST_SHARE > 1) };
    bool is_good = true;
    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        struct test_array a = array_of(golden[i].type, golden[i].rank, golden[i].shape);
        struct rng r = {i};
        fill_columns(&a.array, &r, golden[i].most, golden[i].rare);
        is_good &=
            writes_golden(&a.array, 1, golden[i].effort, -1, golden[i].bytes, golden[i].hash);
        struct coded c = code(NULL, &a.array, 1, golden[i].effort);
        for (uint32_t isa = 0; isa < ISAS; isa++)
            need_whole(&c, isa, &a.array, 1);
        coded_free(NULL, &c);
        test_array_free(&a);
    }
    assert_true(is_good);
}

/* Columns that are alike but for noise are not interpolated between, as that would save little and
 * take several times as long; a ramp over columns is. */
static void short_rows_are_halved_where_it_is_worth_it(void **state)
{
    static const uint64_t shape[2] = {30000, 7};
    (void)state;
    for (uint32_t is_ramp = 0; is_ramp < 2; is_ramp++) {
        struct test_array a = array_of(ZT_F32, 2, shape);
        struct rng r = {5};
        for (uint64_t i = 0; i < shape[0] * shape[1]; i++) {
            const double row = (double)(i / shape[1]), column = (double)(i % shape[1]);
            set_number(&a.array, i,
                       is_ramp ? 9 * (double)rng_below(&r, 2) + 60 * column * sin(row)
                               : rint(2000 * sin(row / 300)) + (double)rng_below(&r, 12));
        }
        struct coded c = code(NULL, &a.array, 1, CODER_HIGH);
        assert_int_equal(sz_of(&c.coding)->coder, CODER_HIGH);
        assert_int_equal(sz_of(&c.coding)->axes >> 1 & 1, is_ramp);
        for (uint32_t isa = 0; isa < ISAS; isa++)
            need_whole(&c, isa, &a.array, 1);
        coded_free(NULL, &c);
        test_array_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_does_the_same),
        cmocka_unit_test(bytes_do_not_change),
        cmocka_unit_test(short_rows_are_halved_where_it_is_worth_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
