/* sz_states_test.c: effort 'high': tiles whose symbols have few states and many. Sides are such
 * that rows are of all lengths, so that they begin at any state. */
#include "codec/sz/interp/interp.h"
#include "core/cpu.h"
#include "support/rare.h"
#include "unit/sz_support.h"

#include <math.h>

enum { ISAS = 3 };

/* An array by its number, and a bound; larger than a tile along some axis where that is cheap. */
static struct test_array array_number(uint32_t number, double *bound)
{
    static const uint64_t least[ZT_MAX_RANK] = {9000, 90, 21, 9};
    static const uint64_t most[ZT_MAX_RANK] = {40000, 300, 70, 20};
    struct rng r = {number};
    const uint32_t rank = 1 + number % 4, type = 1 + (uint32_t)rng_below(&r, 4);
    uint64_t shape[ZT_MAX_RANK];
    double lo, hi;
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = least[rank - 1] + rng_below(&r, most[rank - 1] - least[rank - 1]);
    struct test_array a = array_of(type, rank, shape);
    fill_array(&a.array, number % 3 ? DATA_WAVE_NOISE : DATA_SMOOTH, rng_next(&r));
    range_of(&a.array, &lo, &hi);
    *bound = ldexp(hi - lo, -(int)rng_below(&r, 17));
    return a;
}

static zt_context *context_of(uint32_t isa)
{
    zt_context *context;
    assert_int_equal(zt_context_new(NULL, &context), ZT_OK);
    zt_context_set_isa(context, (zt_isa)isa);
    return context;
}

/* Symbols of a tile that are not 0. */
static uint64_t sounding_in(const struct coded *c, const zt_array *array, uint64_t tile)
{
    struct zti_sz_high_counts *const counts = need(sizeof *counts);
    const struct zti_array own = inside(array);
    uint64_t sum = 0;
    memset(counts, 0, sizeof *counts);
    zti_sz_high_count(&c->coding, &own, tile, counts);
    for (uint32_t i = 0; i < ZTI_SZ_HIGH_CONTEXTS; i++)
        for (uint32_t s = 1; s < ZTI_SZ_HIGH_ALPHABET; s++)
            sum += counts->count[i][s];
    free(counts);
    return sum;
}

/* Tiles by what their first bytes say. */
struct found {
    uint64_t few, many, zero, raw;
};

/* Look at each tile, and make of it one with the other number of states, which none can be. */
static void look_at_tiles(const struct coded *c, const zt_array *array, struct found *found)
{
    const struct zti_grid *const grid = &c->coding.grid;
    const uint8_t *const end = c->bytes + c->end_bits / 8, *at = c->bytes;
    struct zti_coding coding = loaded(NULL, c);
    struct test_array back = array_of(array->type, array->rank, array->shape);
    const struct zti_view view = view_of(&back.array);
    struct zti_walk walk = zti_walk_from(grid, 0);
    assert_false(zti_sz_high_is_in_pieces(grid));
    for (; walk.tile < grid->count; zti_walk_next(grid, &walk)) {
        const struct zti_sz_box box = zti_sz_high_box(grid, sz_of(&c->coding)->axes, &walk);
        uint8_t *const first = c->bytes + (at - c->bytes);
        struct zti_sz_parts parts;
        uint64_t end_bits;
        at = zti_sz_high_parts(box.values * zt_type_bytes(array->type), at, end, &parts);
        assert_non_null(at);
        const bool has_many = parts.first & ZTI_SZ_HIGH_HAS_MANY;
        const bool is_coded = (parts.first & ZTI_SZ_HIGH_KIND) == ZTI_SZ_HIGH_CODED;
        found->raw += parts.first == ZTI_SZ_HIGH_RAW;
        found->zero += (parts.first & ZTI_SZ_HIGH_KIND) == ZTI_SZ_HIGH_ZERO;
        found->few += is_coded && !has_many;
        found->many += is_coded && has_many;
        if (is_coded)
            assert_int_equal(has_many, sounding_in(c, array, walk.tile) >= ZTI_SZ_HIGH_MANY_FROM);
        *first ^= ZTI_SZ_HIGH_HAS_MANY;
        assert_int_equal(zti_exec_decode(NULL, &coding, c->bytes, (size_t)(c->end_bits / 8), 0,
                                         NULL, &view, &end_bits),
                         ZT_CORRUPT);
        *first ^= ZTI_SZ_HIGH_HAS_MANY;
    }
    assert_ptr_equal(at, end);
    zti_sz_forget(NULL, &coding);
    test_array_free(&back);
}

static void large_tiles_have_many_states_and_no_tile_the_other_number(void **state)
{
    struct found found = {0};
    (void)state;
    for (uint32_t number = 0; number < 48; number += TEST_SHARE) {
        double bound;
        struct test_array a = array_number(number, &bound);
        struct coded c = code(NULL, &a.array, bound, CODER_HIGH);
        if (sz_of(&c.coding)->coder == CODER_HIGH)
            look_at_tiles(&c, &a.array, &found);
        coded_free(NULL, &c);
        test_array_free(&a);
    }
    print_message("tiles of few states %llu, of many %llu, zero %llu, raw %llu\n",
                  (unsigned long long)found.few, (unsigned long long)found.many,
                  (unsigned long long)found.zero, (unsigned long long)found.raw);
    assert_true(found.few > 0 && found.many > 4 / (uint32_t)TEST_SHARE &&
                (found.zero > 0 || TEST_SHARE > 1));
}

/* Of all first bytes of tiles, with what may follow any of them. */
static void first_bytes_that_make_no_sense_are_refused(void **state)
{
    uint8_t tile[32] = {0, 1};
    struct zti_sz_parts parts;
    (void)state;
    for (uint32_t first = 0; first < 256; first++) {
        const uint32_t kind = first & ZTI_SZ_HIGH_KIND;
        const bool is_coded = kind == ZTI_SZ_HIGH_CODED && first < 32;
        const bool is_zero = first == ZTI_SZ_HIGH_ZERO || first == ZTI_SZ_HIGH_HAS_EXACT;
        tile[0] = (uint8_t)first;
        assert_int_equal(zti_sz_high_parts(16, tile, tile + sizeof tile, &parts) != NULL,
                         is_coded || is_zero || first == ZTI_SZ_HIGH_RAW);
    }
}

/* What each instance makes of what plain C wrote, of an array of floats within a bound if there is
 * one. */
static void decode_by_all(const struct coded *c, const zt_array *array, float bound)
{
    struct test_array first = array_of(array->type, array->rank, array->shape);
    struct test_array back = array_of(array->type, array->rank, array->shape);
    const size_t bytes = values_of(array->rank, array->shape) * zt_type_bytes((zt_type)array->type);
    for (uint32_t isa = 0; isa < ISAS; isa++) {
        zt_context *const context = context_of(isa);
        struct zti_coding coding = loaded(context, c);
        const struct zti_view view = view_of(isa ? &back.array : &first.array);
        uint64_t end_bits;
        coding.run.isa = zti_isa_of(context);
        assert_int_equal(zti_exec_decode(context, &coding, c->bytes, (size_t)(c->end_bits / 8), 0,
                                         NULL, &view, &end_bits),
                         ZT_OK);
        assert_int_equal(end_bits, c->end_bits);
        if (isa > 0)
            assert_memory_equal(first.array.data, back.array.data, bytes);
        zti_sz_forget(context, &coding);
        zt_context_free(context);
    }
    const float *const in = array->data, *const out = first.array.data;
    for (size_t i = 0; i < bytes / sizeof *in && bound > 0; i++)
        assert_true(fabsf(in[i] - out[i]) <= bound);
    test_array_free(&first);
    test_array_free(&back);
}

static void instances_do_the_same_with_rows_of_all_lengths(void **state)
{
    (void)state;
    for (uint32_t number = 100; number < 148; number += TEST_SHARE) {
        double bound;
        struct test_array a = array_number(number, &bound);
        struct coded first = code(NULL, &a.array, bound, CODER_HIGH);
        for (uint32_t isa = 0; isa < ISAS; isa++) {
            zt_context *const context = context_of(isa);
            struct coded c = code(context, &a.array, bound, CODER_HIGH);
            assert_int_equal(c.end_bits, first.end_bits);
            assert_memory_equal(c.bytes, first.bytes, (size_t)(c.end_bits / 8));
            coded_free(context, &c);
            zt_context_free(context);
        }
        decode_by_all(&first, &a.array, 0);
        coded_free(NULL, &first);
        (void)need_bound(NULL, &a.array, bound, CODER_HIGH);
        test_array_free(&a);
    }
}

/* Of an array's only row, and of rows that are joined. */
static void symbols_that_no_model_has_are_escapes(void **state)
{
    enum { N = RARE_TILES * RARE_TILE };
    static const uint64_t shapes[][2] = {{N, 1}, {N / 3 + 1, 3}};
    (void)state;
    for (uint32_t i = 0; i < 2 && (i == 0 || TEST_SHARE == 1); i++) {
        struct test_array a = array_of(ZT_F32, 1 + i, shapes[i]);
        fill_with_rare(&a.array);
        struct coded c = code(NULL, &a.array, RARE_UNIT / 2, CODER_HIGH);
        assert_int_equal(sz_of(&c.coding)->coder, CODER_HIGH);
        assert_int_equal(sz_of(&c.coding)->axes, 1);
        decode_by_all(&c, &a.array, RARE_UNIT / 2);
        coded_free(NULL, &c);
        test_array_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_tiles_have_many_states_and_no_tile_the_other_number),
        cmocka_unit_test(first_bytes_that_make_no_sense_are_refused),
        cmocka_unit_test(instances_do_the_same_with_rows_of_all_lengths),
        cmocka_unit_test(symbols_that_no_model_has_are_escapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
