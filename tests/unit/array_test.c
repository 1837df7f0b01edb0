/* array_test.c: checks of shapes and strides, slabs, boxes, the walk over tiles, copies. */
#include "array/array.h"
#include "array/copy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const uint32_t fours[] = {4, 4, 4, 4};

static zt_array shaped(uint32_t rank, uint64_t n0, uint64_t n1, uint64_t n2, uint64_t n3)
{
    static double somewhere;
    uint64_t shape[] = {n0, n1, n2, n3};
    return zt_array_nd(&somewhere, ZT_F64, rank, shape);
}

static void constructors_are_contiguous_and_slowest_first(void **state)
{
    (void)state;
    zt_array a = zt_array_4d(NULL, ZT_I32, 3, 5, 7, 11);
    assert_int_equal(a.rank, 4);
    assert_int_equal(a.shape[0], 3);
    assert_int_equal(a.shape[3], 11);
    assert_int_equal(a.stride[0], 5 * 7 * 11);
    assert_int_equal(a.stride[2], 11);
    assert_int_equal(a.stride[3], 1);
    const float values[6] = {0};
    a = zt_array_const_2d(values, ZT_F32, 2, 3);
    assert_ptr_equal(a.data, values);
    assert_int_equal(a.stride[0], 3);
}

static zt_status check(const zt_array *given, enum zti_use use)
{
    struct zti_array array;
    return zti_array_check(NULL, given, use, &array);
}

static void arrays_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    zt_array good = shaped(3, 4, 5, 6, 0), a;
    assert_int_equal(check(&good, ZTI_TO_READ), ZT_OK);
    assert_int_equal(check(NULL, ZTI_TO_READ), ZT_BAD_ARG);
    a = good;
    a.type = 5;
    assert_int_equal(check(&a, ZTI_TO_READ), ZT_BAD_ARG);
    a = good;
    a.rank = 0;
    assert_int_equal(check(&a, ZTI_TO_READ), ZT_BAD_ARG);
    a.rank = 5;
    assert_int_equal(check(&a, ZTI_TO_READ), ZT_BAD_ARG);
    a = good;
    a.shape[1] = 0;
    assert_int_equal(check(&a, ZTI_TO_READ), ZT_BAD_ARG);
    a = good;
    a.data = NULL;
    assert_int_equal(check(&a, ZTI_TO_READ), ZT_BAD_ARG);
    assert_int_equal(check(&a, ZTI_SHAPE_ONLY), ZT_OK);
    a = good;
    a.reserved[1] = 1;
    assert_int_not_equal(check(&a, ZTI_TO_READ), ZT_OK);
}

static void sizes_beyond_63_bits_are_refused(void **state)
{
    (void)state;
    zt_array a = shaped(1, UINT64_C(1) << 59, 0, 0, 0); /* 2^62 bytes */
    assert_int_equal(check(&a, ZTI_SHAPE_ONLY), ZT_OK);
    a = shaped(1, UINT64_C(1) << 60, 0, 0, 0);
    assert_int_equal(check(&a, ZTI_SHAPE_ONLY), ZT_BAD_ARG);
    a = shaped(4, 1 << 20, 1 << 20, 1 << 20, 1 << 20);
    assert_int_equal(check(&a, ZTI_SHAPE_ONLY), ZT_BAD_ARG);
    a = shaped(2, 1 << 20, 1 << 20, 0, 0);
    a.stride[0] = INT64_MIN;
    assert_int_equal(check(&a, ZTI_TO_READ), ZT_BAD_ARG);
    a.stride[0] = INT64_MAX;
    assert_int_equal(check(&a, ZTI_TO_READ), ZT_BAD_ARG);
}

static void outputs_must_not_overlap_themselves(void **state)
{
    (void)state;
    zt_array a = shaped(2, 4, 5, 0, 0);
    assert_int_equal(check(&a, ZTI_TO_WRITE), ZT_OK);
    a.stride[0] = 0;
    assert_int_equal(check(&a, ZTI_TO_READ), ZT_OK); /* reading a broadcast is fine */
    assert_int_equal(check(&a, ZTI_TO_WRITE), ZT_BAD_ARG);
    a.shape[0] = 1;
    assert_int_equal(check(&a, ZTI_TO_WRITE), ZT_OK);
}

static void errors_are_sentences(void **state)
{
    (void)state;
    zt_context *context;
    assert_int_equal(zt_context_new(NULL, &context), ZT_OK);
    zt_array a = shaped(2, 4, 0, 0, 0);
    struct zti_array inside;
    assert_int_equal(zti_array_check(context, &a, ZTI_TO_READ, &inside), ZT_BAD_ARG);
    assert_true(strlen(zt_context_error(context)) > 10);
    zt_context_free(context);
}

static void slabs_and_elements_follow_the_strides(void **state)
{
    (void)state;
    int32_t values[60];
    const uint64_t shape[] = {3, 4, 5};
    struct zti_array a = zti_array_packed(values, ZT_I32, 3, shape);
    struct zti_array slab = zti_array_slab(&a, 1, 2);
    assert_ptr_equal(slab.data, values + 20);
    assert_int_equal(slab.shape[0], 2);
    assert_int_equal(slab.stride[0], 20);
    uint64_t at[] = {2, 3, 4};
    assert_ptr_equal(zti_array_at(&a, at), values + 59);
    a.data = values + 59; /* the same array, turned around along each axis */
    for (int i = 0; i < 3; i++)
        a.stride[i] = -a.stride[i];
    assert_ptr_equal(zti_array_at(&a, at), values);
    slab = zti_array_slab(&a, 1, 2);
    assert_ptr_equal(slab.data, values + 39);
}

static void boxes_must_lie_in_the_shape(void **state)
{
    (void)state;
    const uint64_t shape[] = {4, 9};
    zt_box box = {{0, 0}, {4, 9}};
    assert_int_equal(zti_box_check(NULL, &box, 2, shape), ZT_OK);
    box.hi[1] = 10;
    assert_int_equal(zti_box_check(NULL, &box, 2, shape), ZT_BAD_ARG);
    box.hi[1] = 9;
    box.lo[0] = 4; /* empty */
    assert_int_equal(zti_box_check(NULL, &box, 2, shape), ZT_BAD_ARG);
    box.lo[0] = UINT64_MAX;
    assert_int_equal(zti_box_check(NULL, &box, 2, shape), ZT_BAD_ARG);
}

static void grids_count_cut_tiles(void **state)
{
    (void)state;
    const uint64_t shape[] = {1, 4, 5, 9};
    struct zti_grid grid = zti_grid_of(4, shape, fours);
    assert_int_equal(grid.tiles[0], 1);
    assert_int_equal(grid.tiles[1], 1);
    assert_int_equal(grid.tiles[2], 2);
    assert_int_equal(grid.tiles[3], 3);
    assert_int_equal(grid.count, 6);
    const uint64_t large[] = {UINT64_C(5000000000)}; /* more than 2^32 elements */
    assert_int_equal(zti_grid_of(1, large, fours).count, UINT64_C(1250000000));
}

static void walks_reach_every_tile_from_anywhere(void **state)
{
    (void)state;
    const uint64_t shape[] = {3, 6, 10};
    struct zti_grid grid = zti_grid_of(3, shape, fours);
    struct zti_walk walk = zti_walk_from(&grid, 0);
    for (uint64_t tile = 0; tile < grid.count; tile++) {
        struct zti_walk direct = zti_walk_from(&grid, tile);
        assert_int_equal(walk.tile, tile);
        assert_int_equal(direct.tile, tile);
        assert_memory_equal(walk.origin, direct.origin, 3 * sizeof *walk.origin);
        assert_int_equal(direct.origin[2], tile % 3 * 4); /* the last axis is fastest */
        assert_int_equal(direct.origin[1], tile / 3 % 2 * 4);
        zti_walk_next(&grid, &walk);
    }
}

enum { COPY_SIDE = 41, COPY_VALUES = COPY_SIDE * COPY_SIDE * 20 };

/* Strides of an array whose axes lie in memory in this order, the last one fastest, with gaps
 * between rows; returns where its first element is. */
static int64_t order_axes(const uint64_t *n, const uint32_t *order, uint64_t gap, bool is_reversed,
                          int64_t *stride)
{
    int64_t step = 1, first = 0;
    for (uint32_t i = 3; i-- > 0;) {
        const uint32_t axis = order[i];
        stride[axis] = is_reversed && i == 1 ? -step : step;
        first += is_reversed && i == 1 ? step * (int64_t)(n[axis] - 1) : 0;
        step *= (int64_t)(n[axis] + gap);
    }
    return first;
}

static void copy_and_compare(const uint64_t *n, const uint32_t *order, uint64_t gap,
                             bool is_reversed, size_t value_bytes)
{
    static uint8_t from[8 * COPY_VALUES], to[8 * COPY_VALUES], expected[8 * COPY_VALUES];
    static const uint32_t as_it_is[] = {0, 1, 2};
    int64_t from_stride[3], to_stride[3];
    const int64_t first = order_axes(n, order, gap, is_reversed, from_stride);
    (void)order_axes(n, as_it_is, gap, false, to_stride);
    memset(to, 0xee, sizeof to);
    memset(expected, 0xee, sizeof expected);
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)(i * 31 + i / 251);
    for (uint64_t at = 0; at < n[0] * n[1] * n[2]; at++) {
        const uint64_t index[] = {at / n[2] / n[1], at / n[2] % n[1], at % n[2]};
        int64_t in = first, out = 0;
        for (uint32_t i = 0; i < 3; i++) {
            in += (int64_t)index[i] * from_stride[i];
            out += (int64_t)index[i] * to_stride[i];
        }
        memcpy(expected + (size_t)out * value_bytes, from + (size_t)in * value_bytes, value_bytes);
    }
    zti_copy_values(value_bytes, 3, n, from + (size_t)first * value_bytes, from_stride, to,
                    to_stride);
    assert_memory_equal(to, expected, sizeof to);
}

static void copies_take_every_order_of_axes(void **state)
{
    (void)state;
    static const uint32_t orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const uint64_t shapes[][3] = {{1, 17, 33}, {5, 4, 16}, {3, 35, 2}, {18, 1, 37},
                                         {4, 19, 20}, {2, 8, 8},  {7, 1, 1},  {33, 16, 3}};
    for (uint32_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (uint32_t k = 0; k < 6; k++)
            for (uint32_t way = 0; way < 8; way++)
                copy_and_compare(shapes[i], orders[k], way & 1 ? 3 : 0, way & 2, way & 4 ? 8 : 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constructors_are_contiguous_and_slowest_first),
        cmocka_unit_test(arrays_that_make_no_sense_are_refused),
        cmocka_unit_test(sizes_beyond_63_bits_are_refused),
        cmocka_unit_test(outputs_must_not_overlap_themselves),
        cmocka_unit_test(errors_are_sentences),
        cmocka_unit_test(slabs_and_elements_follow_the_strides),
        cmocka_unit_test(boxes_must_lie_in_the_shape),
        cmocka_unit_test(grids_count_cut_tiles),
        cmocka_unit_test(walks_reach_every_tile_from_anywhere),
        cmocka_unit_test(copies_take_every_order_of_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
