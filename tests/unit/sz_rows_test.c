/* sz_rows_test.c: tiles of the sz codec decoded straight to where they go, a row at a time, against
 * the way by way of a tile's values; of every instance. */
#include "unit/sz_support.h"

#include <math.h>

/* A stream in memory that decoders may look beyond. */
struct stream {
    struct coded coded;
    struct zti_coding coding; /* as a reader has it */
    uint8_t *bytes;
};

static struct stream stream_of(const zt_array *array, double bound, uint32_t effort, int axes)
{
    struct stream s = {.coded = code_along(NULL, array, bound, effort, axes)};
    s.coding = loaded(NULL, &s.coded);
    const size_t reach =
        (size_t)(s.coding.grid.count * zti_codec_sz.sizes(&s.coding).tile_read_max_bits / 8);
    s.bytes = need(s.coded.capacity + reach);
    memset(s.bytes, 0, s.coded.capacity + reach);
    memcpy(s.bytes, s.coded.bytes, (size_t)(s.coded.end_bits / 8));
    return s;
}

static void stream_free(struct stream *s)
{
    free(s->bytes);
    zti_sz_forget(NULL, &s->coding);
    coded_free(NULL, &s->coded);
}

/* All tiles, into a view, by an instance; past the caches or not, and if so, with so much room to
 * put them together in. */
static void decode_into(struct stream *s, const struct zti_view *view, uint32_t isa,
                        bool is_streamed, size_t room_bytes)
{
    zt_context *context;
    struct test_room room = test_room_open(room_bytes, &s->coding);
    struct zti_bit_reader r = {.base = s->bytes, .at = 0, .end = s->coded.end_bits};
    zt_context_new(NULL, &context);
    zt_context_set_isa(context, (zt_isa)isa);
    s->coding.run.isa = (uint32_t)zt_context_isa(context);
    s->coding.run.is_streamed = is_streamed;
    zti_codec_sz.decode(&s->coding, &r, 0, s->coding.grid.count, view);
    assert_true(r.at == s->coded.end_bits);
    test_room_close(&room);
    zt_context_free(context);
}

/* What values must be: by way of the tile's values, as where elements have gaps, and of the plain
 * instance. Contiguous; the caller frees it. */
static uint8_t *values_with_gaps(struct stream *s, const zt_array *array)
{
    int64_t stride[ZT_MAX_RANK];
    contiguous_strides(array->rank, array->shape, stride);
    for (uint32_t i = 0; i < array->rank; i++)
        stride[i] *= 2;
    struct test_array back = test_array_new(array->type, array->rank, array->shape, stride);
    uint8_t *const out = need(values_of(array->rank, array->shape) * zt_type_bytes(array->type));
    const struct zti_view view = view_of(&back.array);
    decode_into(s, &view, ZT_ISA_PLAIN, false, 0);
    gather(&back.array, out);
    assert_true(gaps_are_untouched(&back));
    test_array_free(&back);
    return out;
}

/* Every instance decodes these values, and writes nothing else, to rows that follow one another
 * 'gap' elements apart and begin at a line of memory. */
static void need_values(struct stream *s, const zt_array *array, const uint8_t *values,
                        uint32_t gap)
{
    enum { LINE = 64 };
    const uint32_t last = array->rank - 1;
    const size_t room_bytes =
        zti_codec_sz.sizes(&s->coding).room_bytes; /* and so little that some do not fit */
    zt_array out = *array, expected = *array;
    int64_t step = 1;
    for (uint32_t i = array->rank; i-- > 0; step *= (int64_t)array->shape[i]) {
        out.stride[i] = expected.stride[i] = step;
        step += i == last ? gap : 0;
    }
    const size_t bytes = (size_t)step * zt_type_bytes(array->type) + 3 * LINE;
    uint8_t *const memory = need(2 * bytes + LINE), *const good = memory + bytes + LINE;
    out.data = memory + LINE - (uintptr_t)memory % LINE;
    expected.data = good + ((uint8_t *)out.data - memory);
    memset(good, 0x5a, bytes);
    scatter(&expected, values);
    for (uint32_t turn = 0; turn < 9; turn++) {
        const struct zti_view view = view_of(&out);
        memset(memory, 0x5a, bytes);
        decode_into(s, &view, turn % 3, turn >= 3, turn < 6 ? 0 : room_bytes >> turn % 2 * 4);
        assert_memory_equal(memory, good, bytes);
    }
    free(memory);
}

/* A box of them, too. */
static void need_box(struct stream *s, const zt_array *array, const uint8_t *values, struct rng *r)
{
    const size_t value_bytes = zt_type_bytes(array->type);
    struct zti_view view = {.lo = {0}};
    uint64_t shape[ZT_MAX_RANK];
    for (uint32_t i = 0; i < array->rank; i++) {
        view.lo[i] = rng_below(r, array->shape[i]);
        view.hi[i] = view.lo[i] + 1 + rng_below(r, array->shape[i] - view.lo[i]);
        shape[i] = view.hi[i] - view.lo[i];
    }
    for (uint32_t isa = 0; isa < 3; isa++) {
        struct test_array back = array_of(array->type, array->rank, shape);
        view.out = inside(&back.array);
        decode_into(s, &view, isa, isa > 0,
                    isa > 0 ? zti_codec_sz.sizes(&s->coding).room_bytes : 0);
        for (uint64_t k = 0, n = values_of(array->rank, shape); k < n; k++) {
            uint64_t at = 0, rest = k, place[ZT_MAX_RANK];
            for (uint32_t i = array->rank; i-- > 0; rest /= shape[i])
                place[i] = rest % shape[i] + view.lo[i];
            for (uint32_t i = 0; i < array->rank; i++)
                at = at * array->shape[i] + place[i];
            assert_memory_equal((uint8_t *)back.array.data + k * value_bytes,
                                values + at * value_bytes, value_bytes);
        }
        assert_true(gaps_are_untouched(&back));
        test_array_free(&back);
    }
}

static void need_rows(const zt_array *array, double bound, uint32_t effort, int axes, struct rng *r)
{
    struct stream s = stream_of(array, bound, effort, axes);
    uint8_t *const values = values_with_gaps(&s, array);
    const size_t value_bytes = zt_type_bytes(array->type);
    for (uint64_t i = 0, n = values_of(array->rank, array->shape); i < n && bound > 0; i++)
        assert_true(is_within_exactly(array->type, (uint8_t *)array->data + i * value_bytes,
                                      values + i * value_bytes, bound));
    need_values(&s, array, values, 0);
    need_values(&s, array, values, 3);
    need_values(&s, array, values, 16);
    need_box(&s, array, values, r);
    free(values);
    stream_free(&s);
}

/* Rows that fill registers, and that do not; groups that are blocks where tiles are made of these,
 * and that are not; differences along every set of axes. */
static void rows_of_any_length_hold(void **state)
{
    static const struct {
        uint32_t rank;
        uint64_t shape[ZT_MAX_RANK];
    } shapes[] = {{1, {4096}},       {1, {9001}},         {1, {7}},          {2, {64, 64}},
                  {2, {130, 77}},    {2, {24, 200}},      {2, {300, 9}},     {3, {16, 16, 16}},
                  {3, {20, 20, 36}}, {3, {17, 19, 23}},   {3, {12, 32, 8}},  {3, {5, 40, 1}},
                  {4, {8, 8, 8, 8}}, {4, {3, 9, 10, 13}}, {4, {2, 4, 8, 40}}};
    struct rng r = {1};
    (void)state;
    for (uint32_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int axes = -1 + (int)(i % TEST_SHARE); axes < 1 << shapes[i].rank;
             axes += TEST_SHARE) {
            const uint32_t type = 1 + (uint32_t)rng_below(&r, 4);
            struct test_array a =
                array_of(axes < 0 ? ZT_F32 : type, shapes[i].rank, shapes[i].shape);
            for (uint32_t effort = 0; effort < 3; effort++) {
                fill_array(&a.array, rng_once_in(&r, 2) ? DATA_WAVE_NOISE : DATA_SMOOTH,
                           rng_next(&r));
                need_rows(&a.array, ldexp(1 + rng_unit(&r), -(int)rng_below(&r, 18)), effort, axes,
                          &r);
            }
            test_array_free(&a);
        }
}

/* Residuals that fit in bytes, that just do not, and that do in all groups but the last ones. */
static void residuals_beyond_a_byte_hold(void **state)
{
    static const uint64_t shape[2] = {128, 96};
    struct rng r = {2};
    (void)state;
    for (uint32_t type = ZT_F32; type <= ZT_F64; type++) {
        struct test_array a = array_of(type, 2, shape);
        for (uint32_t i = 0; i < 160; i += TEST_SHARE) {
            const uint64_t most = 100 + rng_below(&r, 400), rare = 1 + rng_below(&r, 3000);
            for (uint64_t k = 0; k < 128 * 96; k++) {
                const bool is_large = i % 4 > 0 && rng_once_in(&r, rare);
                const double v = (double)rng_below(&r, is_large ? most << 4 * (i % 4) : 1 + i / 2);
                if (type == ZT_F32)
                    ((float *)a.array.data)[k] = (float)v;
                else
                    ((double *)a.array.data)[k] = v;
            }
            need_rows(&a.array, 0.5, i / 4 % 2 ? CODER_FAST : CODER_DEFAULT, (int)(i / 8 % 4), &r);
        }
        test_array_free(&a);
    }
}

/* Multiples of which 24 bits do not hold the number, of steps that floats hold and do not. */
static void numbers_beyond_24_bits_are_rounded_once(void **state)
{
    static const uint64_t shape[1] = {5000};
    struct test_array a = array_of(ZT_F32, 1, shape);
    float *const f = a.array.data;
    struct rng r = {3};
    (void)state;
    for (int exponent = -149; exponent < 128; exponent += 3)
        for (int bits = 20; bits < 30; bits++) {
            for (uint32_t i = 0; i < 5000; i++)
                f[i] = (float)ldexp(1 + rng_unit(&r) * 0x1p-9, exponent);
            need_rows(&a.array, ldexp(1 + rng_unit(&r), exponent - bits), CODER_FAST, -1, &r);
            exponent += TEST_SHARE - 1;
        }
    test_array_free(&a);
}

/* Values that are kept as they are go the other way, and so do tiles of zeros. */
static void tiles_with_exact_values_hold(void **state)
{
    static const uint64_t shape[3] = {40, 40, 48};
    struct rng r = {4};
    (void)state;
    for (uint32_t type = ZT_F32; type <= ZT_F64; type++)
        for (uint32_t effort = 0; effort < 3; effort++) {
            struct test_array a = array_of(type, 3, shape);
            fill_array(&a.array, DATA_WAVE_NOISE, 5);
            for (uint32_t i = 0; i < 12; i++) {
                const uint64_t at = rng_below(&r, 40 * 40 * 48);
                if (type == ZT_F32)
                    ((float *)a.array.data)[at] = i % 2 ? NAN : INFINITY;
                else
                    ((double *)a.array.data)[at] = i % 2 ? NAN : 1e300;
            }
            memset(a.array.data, 0, 20 * 40 * 48 * zt_type_bytes(type));
            need_rows(&a.array, 1e-3, effort, -1, &r);
            test_array_free(&a);
        }
}

/* Damaged tiles end where they do without room, and what was put together of a window with one goes
 * nowhere. */
static void damaged_tiles_with_room_end_where_they_do_without(void **state)
{
    static const uint64_t shape[3] = {33, 40, 51};
    struct rng r = {6};
    uint32_t damaged = 0;
    (void)state;
    for (uint32_t effort = 0; effort < 3; effort++) {
        struct test_array a = array_of(ZT_F32, 3, shape), back = array_of(ZT_F32, 3, shape);
        const size_t bytes = (size_t)values_of(3, shape) * sizeof(float);
        fill_array(&a.array, DATA_WAVE_NOISE, 7);
        struct stream s = stream_of(&a.array, 1e-3, effort, -1);
        const size_t stream_bytes = (size_t)(s.coded.end_bits / 8);
        const struct zti_view view = view_of(&back.array);
        uint8_t *const first = need(bytes);
        s.coding.run.is_streamed = true;
        for (uint32_t i = 0; i < 200; i += TEST_SHARE) {
            uint64_t end[2];
            memcpy(s.bytes, s.coded.bytes, stream_bytes);
            for (uint32_t flips = 0; flips < 1 + i % 30; flips++)
                s.bytes[rng_below(&r, stream_bytes)] ^= (uint8_t)rng_next(&r);
            for (uint32_t turn = 0; turn < 2; turn++) {
                struct test_room room =
                    test_room_open(turn ? zti_codec_sz.sizes(&s.coding).room_bytes : 0, &s.coding);
                struct zti_bit_reader reader = {.base = s.bytes, .end = s.coded.end_bits};
                memset(room.bytes, 0x77, room.n);
                memset(back.array.data, 0x5a, bytes);
                zti_codec_sz.decode(&s.coding, &reader, 0, s.coding.grid.count, &view);
                end[turn] = reader.at;
                test_room_close(&room);
                if (turn == 0)
                    memcpy(first, back.array.data, bytes);
            }
            assert_true(end[0] == end[1]);
            const bool is_good = end[0] <= s.coded.end_bits;
            damaged += !is_good;
            for (size_t k = 0; k < bytes; k += sizeof(float)) { /* the same, or untouched */
                const uint8_t *const v = (uint8_t *)back.array.data + k;
                if (memcmp(v, first + k, sizeof(float)) != 0)
                    assert_true(!is_good && v[0] == 0x5a && v[1] == 0x5a && v[2] == 0x5a);
            }
        }
        free(first);
        stream_free(&s);
        test_array_free(&a);
        test_array_free(&back);
    }
    assert_true(damaged > 60 / TEST_SHARE);
}

static void *none(void *user, size_t bytes)
{
    (void)user, (void)bytes;
    return NULL;
}

static void ignore(void *user, void *memory)
{
    (void)user, (void)memory;
}

/* Arrays that are too much for caches have rows put together; where there is no memory for that
 * they do without. */
static void large_arrays_decode_the_same_with_and_without_room(void **state)
{
    static const uint64_t shape[3] = {251, 259, 261};
    static const zt_allocator no_memory = {.alloc = none, .release = ignore};
    struct test_array a = array_of(ZT_F32, 3, shape), first = array_of(ZT_F32, 3, shape);
    struct test_array back = array_of(ZT_F32, 3, shape);
    const size_t bytes = (size_t)values_of(3, shape) * sizeof(float);
    zt_context *with, *without;
    uint64_t end;
    (void)state;
    for (uint64_t i = 0; i < bytes / sizeof(float); i++)
        ((float *)a.array.data)[i] = (float)(i % 261 * (i / 261 % 259)) + (float)(i % 7);
    assert_true(bytes >= 64 << 20);
    assert_int_equal(zt_context_new(NULL, &with), ZT_OK);
    assert_int_equal(zt_context_new(NULL, &without), ZT_OK);
    struct coded c = code(with, &a.array, 0.5, CODER_FAST);
    struct zti_coding coding = loaded(with, &c);
    const struct zti_view to_first = view_of(&first.array);
    const struct zti_view to_back = view_of(&back.array);
    assert_int_equal(zti_exec_decode(with, &coding, c.bytes, c.capacity, 0, NULL, &to_first, &end),
                     ZT_OK);
    without->allocator = no_memory;
    assert_int_equal(
        zti_exec_decode(without, &coding, c.bytes, c.capacity, 0, NULL, &to_back, &end), ZT_OK);
    assert_memory_equal(first.array.data, back.array.data, bytes);
    for (uint64_t i = 0; i < bytes / sizeof(float); i++)
        assert_true(fabsf(((float *)a.array.data)[i] - ((float *)back.array.data)[i]) <= 0.5F);
    without->allocator = with->allocator;
    zt_context_free(with);
    zt_context_free(without);
    zti_sz_forget(NULL, &coding);
    coded_free(NULL, &c);
    test_array_free(&a);
    test_array_free(&first);
    test_array_free(&back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_any_length_hold),
        cmocka_unit_test(residuals_beyond_a_byte_hold),
        cmocka_unit_test(numbers_beyond_24_bits_are_rounded_once),
        cmocka_unit_test(tiles_with_exact_values_hold),
        cmocka_unit_test(damaged_tiles_with_room_end_where_they_do_without),
        cmocka_unit_test(large_arrays_decode_the_same_with_and_without_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
