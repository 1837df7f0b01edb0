/* sz_test.c: the sz codec below the frame: its bound in exact arithmetic, special values, shapes,
 * sizes, instances, and streams that are not its own.
 *
 *     sz_test [ARRAYS [FIRST]]    random arrays from that number on, and nothing else */
#include "codec/sz/lorenzo/spec.h"
#include "codec/sz/stored.h"
#include "unit/sz_support.h"

#include <float.h>
#include <math.h>

/* ---- the bound ---- */

static void steps_are_representable_and_no_larger_than_twice_the_bound(void **state)
{
    struct rng r = {1};
    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        const uint32_t type = i % 2 ? ZT_F32 : ZT_F64;
        const double bound = ldexp(1 + rng_unit(&r), (int)rng_below(&r, 400) - 200);
        const double most = bound * ldexp(1 + rng_unit(&r), (int)rng_below(&r, 50));
        const double step = zti_sz_step(type, bound, most), q = floor(most / step);
        assert_true(step > 0 && step <= 2 * bound && step > bound);
        const bool is_exact =
            type == ZT_F32 ? (double)(float)(q * step) == q * step : fma(q, step, -(q * step)) == 0;
        const int few = type == ZT_F32 ? 20 : 48;
        if (most / bound < ldexp(1, few) && fabs(q * step) < FLT_MAX && q * step > FLT_MIN)
            assert_true(is_exact);
    }
}

static void the_last_place_of_the_largest_values_is_a_step(void **state)
{
    (void)state;
    for (double bound = 0x1.08p-16; bound < 0x1p-15; bound += 0x1p-20)
        assert_true(zti_sz_step(ZT_F32, bound, 303.6) == 0x1p-15);
    assert_true(zti_sz_step(ZT_F64, 0x1.8p-45, 303.6) == 0x1p-44);
}

static void every_exponent_and_bound_holds(void **state)
{
    enum { N = 300 };
    static const uint64_t shape[1] = {N};
    struct test_array a = array_of(ZT_F32, 1, shape), d = array_of(ZT_F64, 1, shape);
    float *f = a.array.data;
    double *g = d.array.data;
    struct rng r = {2};
    (void)state;
    for (int exponent = -149; exponent < 128; exponent += 3 * TEST_SHARE)
        for (int below = 1; below < 30; below += 4) {
            for (uint32_t i = 0; i < N; i++) {
                g[i] = ldexp(2 * rng_unit(&r) - 1, exponent);
                f[i] = (float)g[i];
            }
            need_bound(NULL, &a.array, ldexp(1 + rng_unit(&r), exponent - below), CODER_FAST);
            need_bound(NULL, &d.array, ldexp(1 + rng_unit(&r), exponent - 2 * below),
                       (uint32_t)rng_below(&r, 4));
        }
    test_array_free(&a);
    test_array_free(&d);
}

static void means_far_from_zero_hold(void **state)
{
    enum { N = 5000 };
    static const uint64_t shape[1] = {N};
    struct test_array a = array_of(ZT_F32, 1, shape);
    float *f = a.array.data;
    struct rng r = {3};
    (void)state;
    for (double bound = 1e-1; bound > 1e-7; bound /= 3.7) {
        for (uint32_t i = 0; i < N; i++)
            f[i] = (float)(250 + 0.01 * (rng_unit(&r) - 0.5));
        for (uint32_t effort = 0; effort <= CODER_HIGH; effort++)
            need_bound(NULL, &a.array, bound * 0.01, effort);
    }
    test_array_free(&a);
}

/* Values right between two multiples, and right beside, where rounding is hardest. */
static void halves_of_steps_hold(void **state)
{
    enum { N = 4096 };
    static const uint64_t shape[1] = {N};
    struct test_array d = array_of(ZT_F64, 1, shape), a = array_of(ZT_F32, 1, shape);
    double *g = d.array.data;
    float *f = a.array.data;
    struct rng r = {4};
    (void)state;
    for (uint32_t round = 0; round < 200; round += TEST_SHARE) {
        const double bound = ldexp(1 + rng_unit(&r), (int)rng_below(&r, 60) - 30);
        const double step = zti_sz_step(ZT_F64, bound, bound * 1e9);
        for (uint32_t i = 0; i < N; i++) {
            double v = ((double)rng_below(&r, 1u << rng_below(&r, 30)) + 0.5) * step;
            for (uint64_t moves = rng_below(&r, 4); moves > 0; moves--)
                v = nextafter(v, rng_once_in(&r, 2) ? INFINITY : -INFINITY);
            g[i] = v;
            f[i] = (float)v;
        }
        need_bound(NULL, &d.array, bound, CODER_FAST);
        need_bound(NULL, &a.array, bound, CODER_FAST);
    }
    test_array_free(&d);
    test_array_free(&a);
}

/* ---- special values ---- */

static void special_values_keep_their_bits(void **state)
{
    static const uint32_t specials[] = {0x7fc12345, 0xffc00001, 0x7f800001,
                                        0x7f800000, 0xff800000, 0x60ad78ec /* 1e20 */,
                                        0x79e52a5e /* about 1e35 */};
    static const uint64_t shape[2] = {70, 90};
    struct test_array a = array_of(ZT_F32, 2, shape);
    uint32_t *bits = a.array.data;
    struct rng r = {5};
    (void)state;
    for (uint32_t part = 1; part < 200; part = part * 3 + 1)
        for (uint32_t effort = 0; effort <= CODER_HIGH; effort++) {
            fill_array(&a.array, DATA_WAVE_NOISE, part);
            for (uint32_t i = 0; i < 70 * 90; i++)
                if (rng_once_in(&r, part))
                    bits[i] = specials[rng_below(&r, sizeof specials / sizeof *specials)];
            need_bound(NULL, &a.array, 0.01, effort);
        }
    test_array_free(&a);
}

static void signs_of_zero_and_subnormals_come_back_without_loss(void **state)
{
    static const enum data_kind kinds[] = {DATA_ZEROS, DATA_DENORMAL, DATA_ANY_BITS, DATA_EXTREME};
    static const uint64_t shape[3] = {9, 20, 33};
    (void)state;
    for (uint32_t type = ZT_F32; type <= ZT_I64; type++)
        for (uint32_t kind = 0; kind < 4; kind++) {
            struct test_array a = array_of(type, 3, shape);
            fill_array(&a.array, kinds[kind], 7);
            for (uint32_t effort = 0; effort <= CODER_HIGH; effort++)
                need_bound(NULL, &a.array, 0, effort);
            test_array_free(&a);
        }
}

/* ---- shapes and sizes ---- */

static void shapes_around_tiles_hold(void **state)
{
    static const uint64_t some[] = {1, 2, 15, 16, 17, 65};
    struct rng r = {8};
    (void)state;
    for (uint32_t i = 0; i < 400; i += TEST_SHARE) {
        const uint32_t rank = 1 + (uint32_t)rng_below(&r, 4), type = 1 + (uint32_t)rng_below(&r, 4);
        uint64_t shape[ZT_MAX_RANK];
        for (uint32_t j = 0; j < rank; j++)
            shape[j] = some[rng_below(&r, rank == 4 ? 5 : 6)];
        shape[0] *= rank == 1 ? 100 : 1;
        struct test_array a = array_of(type, rank, shape);
        fill_array(&a.array, DATA_WAVE_NOISE, i);
        need_bound(NULL, &a.array, 0.5, (uint32_t)rng_below(&r, 4));
        test_array_free(&a);
    }
}

static void random_bits_take_no_more_than_themselves(void **state)
{
    static const uint64_t shape[2] = {300, 200};
    (void)state;
    for (uint32_t type = ZT_F32; type <= ZT_I64; type++) {
        struct test_array a = array_of(type, 2, shape);
        fill_array(&a.array, DATA_ANY_BITS, type);
        const uint64_t raw_bits = 8 * 300 * 200 * zt_type_bytes(type);
        const uint64_t most_bits = raw_bits + raw_bits / 1000 + 64;
        for (uint32_t effort = 0; effort <= CODER_HIGH; effort++) {
            assert_true(need_bound(NULL, &a.array, 1e-3, effort) <= most_bits);
            assert_true(need_bound(NULL, &a.array, 0, effort) <= most_bits);
        }
        test_array_free(&a);
    }
}

/* In the range where a value costs some bits, half the bound costs one bit more of each; and no
 * bound costs more than no loss. */
static void half_the_bound_costs_a_bit(void **state)
{
    static const uint64_t shape[2] = {256, 256};
    struct test_array a = array_of(ZT_F64, 2, shape);
    double *g = a.array.data, before = 0;
    struct rng r = {9};
    (void)state;
    for (uint32_t i = 0; i < 256 * 256; i++)
        g[i] = rng_unit(&r) + rng_unit(&r) + 100;
    const double most = (double)need_bound(NULL, &a.array, 0, CODER_DEFAULT) / 65536;
    for (int below = 8; below < 46; below++) {
        const double bits =
            (double)need_bound(NULL, &a.array, ldexp(1, -below), CODER_DEFAULT) / 65536;
        if (before > 0 && bits < most - 1.5)
            assert_true(fabs(bits - before - 1) < 0.1);
        assert_true(bits < 1.02 * most);
        before = bits;
    }
    test_array_free(&a);
}

/* ---- the bytes ---- */

static void instances_and_threads_write_the_same_bytes(void **state)
{
    struct rng r = {10};
    (void)state;
    for (uint32_t i = 0; i < 60; i += TEST_SHARE) {
        const uint64_t shape[3] = {1 + rng_below(&r, 40), 1 + rng_below(&r, 40),
                                   1 + rng_below(&r, 70)};
        const uint32_t effort = (uint32_t)rng_below(&r, 4), type = 1 + (uint32_t)rng_below(&r, 4);
        const double bound = ldexp(1, 3 - (int)rng_below(&r, 12));
        struct test_array a = array_of(type, 3, shape);
        fill_array(&a.array, (enum data_kind)rng_below(&r, DATA_KINDS), i);
        (void)need_same_bytes(&a.array, bound, effort, 3);
        test_array_free(&a);
    }
}

/* Decode tile by tile, or runs of tiles side by side, by the instance of a coding; into *back,
 * which is filled with something else before. */
static void decode_with(const struct zti_coding *coding, const uint8_t *bytes, uint64_t end_bits,
                        bool is_side_by_side, struct test_array *back)
{
    enum { RUNS = 4 };
    const struct zti_view view = view_of(&back->array);
    const uint64_t count = coding->grid.count, run = count / RUNS;
    struct zti_bit_reader r = {.base = bytes, .end = end_bits};
    uint64_t starts[RUNS], expected[RUNS];
    memset(back->array.data, 0x5a,
           (size_t)values_of(back->array.rank, back->array.shape) *
               zt_type_bytes(back->array.type));
    for (uint64_t tile = 0; tile < count; tile++) {
        if (tile % run == 0 && tile / run < RUNS)
            starts[tile / run] = r.at;
        zti_codec_sz.decode(coding, &r, tile, tile + 1,
                            is_side_by_side && tile < RUNS * run ? NULL : &view);
        if ((tile + 1) % run == 0 && tile / run < RUNS)
            expected[tile / run] = r.at;
    }
    assert_int_equal(r.at, end_bits);
    if (!is_side_by_side)
        return;
    zti_codec_sz.tables->batch->decode(coding, bytes, starts, RUNS, 0, (uint32_t)run, &view);
    assert_memory_equal(starts, expected, sizeof starts);
}

static void instances_decode_the_same_values_in_turns_and_past_the_caches(void **state)
{
    struct rng r = {11};
    (void)state;
    for (uint32_t i = 0; i < 24; i++) {
        const uint64_t shape[3] = {17 + rng_below(&r, 32), 33 + rng_below(&r, 16),
                                   i % 2 ? 64 : 48 + rng_below(&r, 20)};
        const uint32_t effort = (uint32_t)rng_below(&r, 3), type = 1 + (uint32_t)rng_below(&r, 4);
        struct test_array a = array_of(type, 3, shape), first = array_of(type, 3, shape);
        struct test_array back = array_of(type, 3, shape);
        const size_t bytes = (size_t)values_of(3, shape) * zt_type_bytes(type);
        fill_array(&a.array, (enum data_kind)rng_below(&r, DATA_KINDS), i);
        struct coded c = code(NULL, &a.array, ldexp(1, 3 - (int)rng_below(&r, 20)), effort);
        struct zti_coding coding = loaded(NULL, &c);
        const size_t reach =
            (size_t)(coding.grid.count * zti_codec_sz.sizes(&coding).tile_read_max_bits / 8);
        uint8_t *const stream = need(c.capacity + reach);
        memset(stream, 0, c.capacity + reach);
        memcpy(stream, c.bytes, (size_t)(c.end_bits / 8));
        decode_with(&coding, stream, c.end_bits, false, &first);
        for (uint32_t turn = 1; turn < 18; turn++) {
            zt_context *context;
            zt_context_new(NULL, &context);
            zt_context_set_isa(context, (zt_isa)(turn % 3));
            coding.run.isa = (uint32_t)zt_context_isa(context);
            coding.run.is_streamed = turn / 3 % 2;
            const size_t room_bytes = turn < 12 ? 0 : zti_codec_sz.sizes(&coding).room_bytes;
            struct test_room room = test_room_open(room_bytes, &coding);
            decode_with(&coding, stream, c.end_bits,
                        turn >= 6 && coding.grid.count >= 4 && effort == CODER_DEFAULT, &back);
            assert_memory_equal(back.array.data, first.array.data, bytes);
            test_room_close(&room);
            zt_context_free(context);
        }
        free(stream);
        zti_sz_forget(NULL, &coding);
        coded_free(NULL, &c);
        test_array_free(&a);
        test_array_free(&first);
        test_array_free(&back);
    }
}

/* ---- foreign streams ---- */

static void damaged_streams_decode_or_are_refused(void **state)
{
    static const uint64_t shape[3] = {20, 30, 40};
    struct rng r = {11};
    (void)state;
    for (uint32_t type = ZT_F32; type <= ZT_F64; type++)
        for (uint32_t effort = 0; effort <= CODER_HIGH; effort++) {
            struct test_array a = array_of(type, 3, shape), back = array_of(type, 3, shape);
            fill_array(&a.array, DATA_NONFINITE, 3);
            struct coded c = code(NULL, &a.array, 1e-3, effort);
            struct zti_coding coding = loaded(NULL, &c);
            const struct zti_view view = view_of(&back.array);
            const size_t bytes = (size_t)(c.end_bits / 8);
            uint8_t *bad = need(bytes);
            for (uint32_t i = 0; i < 300; i += TEST_SHARE) {
                uint64_t end;
                size_t n = rng_once_in(&r, 3) ? (size_t)rng_below(&r, bytes) : bytes;
                memcpy(bad, c.bytes, bytes);
                for (uint32_t flips = 0; flips < 1 + i % 40; flips++)
                    bad[rng_below(&r, bytes)] ^= (uint8_t)rng_next(&r);
                if (i % 5 == 0)
                    for (size_t j = 0; j < bytes; j++)
                        bad[j] = (uint8_t)rng_next(&r);
                uint8_t *exact = need(n + 1); /* so that a sanitizer sees every byte beyond */
                memcpy(exact, bad, n);
                const zt_status s = zti_exec_decode(NULL, &coding, exact, n, 0, NULL, &view, &end);
                assert_true(s == ZT_OK || s == ZT_CORRUPT);
                free(exact);
            }
            free(bad);
            zti_sz_forget(NULL, &coding);
            coded_free(NULL, &c);
            test_array_free(&a);
            test_array_free(&back);
        }
}

/* What a writer would not have written for it is no class. */
static void steps_to_no_class_are_refused(void **state)
{
    const uint32_t most = class_number(ZTI_SZ_FEW + 1 + 64);
    (void)state;
    for (uint32_t before = 0; before <= most; before++)
        for (uint32_t step = 0; step < 256; step++) {
            const uint32_t c = class_of_number(class_after(step, before));
            if (c <= ZTI_SZ_FEW + 1 + 64)
                assert_int_equal(class_step(class_number(c), before), step);
        }
}

static void parameters_that_make_no_sense_are_refused(void **state)
{
    struct rng r = {12};
    static const uint64_t shape[2] = {100, 100};
    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        uint8_t params[ZTI_CODEC_PARAMS_BYTES];
        struct zti_coding coding = {.codec = &zti_codec_sz, .type = 1 + (uint32_t)rng_below(&r, 4)};
        const size_t n = (size_t)rng_below(&r, sizeof params + 1);
        coding.grid = zti_codec_grid(&zti_codec_sz, 2, shape);
        for (size_t j = 0; j < sizeof params; j++)
            params[j] = (uint8_t)rng_below(&r, rng_once_in(&r, 2) ? 4 : 256);
        const zt_status s = zti_codec_sz.load_params(NULL, params, n, &coding);
        assert_true(s == ZT_OK || s == ZT_CORRUPT || s == ZT_UNSUPPORTED);
        if (s == ZT_OK)
            assert_true(zti_head_bytes(&coding) <= zti_sz_learning.head_max_bytes(&coding));
    }
}

/* ---- effort high ---- */

/* Waves that interpolation follows, with some noise; integers span some thousands. */
static struct test_array smooth_array(uint32_t type, uint32_t rank, const uint64_t *shape,
                                      uint64_t seed)
{
    struct test_array a = array_of(type, rank, shape);
    struct rng r = {seed};
    const uint64_t n = values_of(rank, shape);
    for (uint64_t i = 0; i < n; i++) {
        double v = 0.002 * rng_unit(&r);
        uint64_t rest = i;
        for (uint32_t axis = rank; axis-- > 0; rest /= shape[axis])
            v += sin(0.07 * (double)(axis + 1) * (double)(rest % shape[axis]) + (double)axis);
        if (type == ZT_F32)
            ((float *)a.array.data)[i] = (float)v;
        else if (type == ZT_F64)
            ((double *)a.array.data)[i] = v;
        else if (type == ZT_I32)
            ((int32_t *)a.array.data)[i] = (int32_t)(2000 * v) - 70000;
        else
            ((int64_t *)a.array.data)[i] = (int64_t)(2000 * v) + INT64_C(5000000000);
    }
    return a;
}

/* A short axis looks best inside of tiles, but all values are first or second along it: the set of
 * axes that is chosen is nearly the best of all. */
static void axes_are_chosen_with_the_edges_of_tiles(void **state)
{
    static const uint64_t shapes[][ZT_MAX_RANK] = {{250, 130, 2}, {2, 90, 200}, {90, 3, 140}};
    (void)state;
    for (uint32_t s = 0; s < 3; s++) {
        struct test_array a = smooth_array(ZT_F32, 3, shapes[s], s);
        struct coded chosen = code(NULL, &a.array, 1e-3, CODER_DEFAULT);
        uint64_t least = UINT64_MAX;
        for (int axes = 0; axes < 8; axes++) {
            struct coded c = code_along(NULL, &a.array, 1e-3, CODER_DEFAULT, axes);
            least = c.end_bits < least ? c.end_bits : least;
            coded_free(NULL, &c);
        }
        assert_true((double)chosen.end_bits <= 1.05 * (double)least);
        coded_free(NULL, &chosen);
        test_array_free(&a);
    }
}

/* Axes that were asked for are not learnt, and tiles that are not the codec's stay: planning codes
 * tiles of an array by themselves. */
static void tiles_stay_where_axes_were_asked_for(void **state)
{
    static const uint64_t shape[] = {2, 100, 60};
    static const uint32_t side[] = {1, 10, 60};
    struct test_array a = smooth_array(ZT_F32, 3, shape, 1);
    const struct zti_array own = inside(&a.array);
    const struct zti_found axes = {.has_axes = true, .axes = 5};
    zt_params p;
    (void)state;
    (void)zt_params_init(&p, sizeof p);
    const struct zti_target t = {.params = &p, .kind = ZT_ABS, .abs_bound = 1e-3, .found = axes};
    struct zti_coding coding = {.codec = &zti_codec_sz, .type = ZT_F32};
    coding.grid = zti_codec_grid(&zti_codec_sz, 3, shape);
    assert_int_equal(zti_codec_sz.configure(NULL, &t, &coding), ZT_OK);
    coding.grid = zti_grid_of(3, shape, side);
    for (uint32_t pass = ZTI_SZ_LOOK_PASS; pass < ZTI_SZ_BOOKS_PASS; pass++) {
        struct zti_sz_tally tally = {.bits = {0}};
        zti_sz_learning.tally(&coding, pass, &own, 0, coding.grid.count, &tally);
        assert_int_equal(zti_sz_learning.learn(NULL, &coding, pass, &own, &tally), ZT_OK);
        assert_int_equal(sz_of(&coding)->axes, axes.axes);
        assert_memory_equal(coding.grid.side, side, sizeof side);
    }
    test_array_free(&a);
}

static const uint64_t smooth_shapes[][ZT_MAX_RANK] = {{300001},         {5000},        {600, 520},
                                                      {33, 70},         {67, 70, 150}, {20, 30, 40},
                                                      {5, 17, 66, 130}, {3, 9, 10, 33}};
static const uint32_t smooth_ranks[] = {1, 1, 2, 2, 3, 3, 4, 4};

/* Small bounds too: down to where a lattice has no room for interpolation. */
static void interpolation_keeps_the_bound(void **state)
{
    (void)state;
    for (uint32_t s = 0; s < 8; s++)
        for (uint32_t type = ZT_F32; type <= ZT_I64; type++) {
            if ((4 * s + type) % TEST_SHARE)
                continue;
            struct test_array a = smooth_array(type, smooth_ranks[s], smooth_shapes[s], s);
            const double unit = type == ZT_F32 || type == ZT_F64 ? 1 : 2000;
            for (double bound = 0.03; bound > 1e-8; bound /= s % 2 ? 31 : 30000) {
                struct coded c = code(NULL, &a.array, bound * unit, CODER_HIGH);
                if (bound == 0.03 && s % 2 == 0) /* else the test is of something else */
                    assert_int_equal(sz_of(&c.coding)->coder, CODER_HIGH);
                coded_free(NULL, &c);
                (void)need_bound(NULL, &a.array, bound * unit, CODER_HIGH);
            }
            test_array_free(&a);
        }
}

/* Values that no lattice has, alone, in runs and everywhere in a tile; and an array's ends. */
static void interpolation_keeps_special_values(void **state)
{
    static const uint64_t shape[3] = {70, 80, 140};
    (void)state;
    for (uint32_t part = 1; part < 4; part++) {
        struct test_array a = smooth_array(ZT_F32, 3, shape, part);
        struct rng r = {part};
        float *f = a.array.data;
        for (uint32_t i = 0; i < 70 * 80 * 140; i++)
            if (part == 1   ? rng_once_in(&r, 1000)
                : part == 2 ? i % 140 < 5 && i > 80 * 140 * 60
                            : i < 80 * 140 * 40 && i % 9)
                f[i] = rng_once_in(&r, 3) ? INFINITY : NAN;
        struct coded c = code(NULL, &a.array, 0.01, CODER_HIGH);
        assert_true(part == 3 || sz_of(&c.coding)->coder == CODER_HIGH);
        coded_free(NULL, &c);
        (void)need_bound(NULL, &a.array, 0.01, CODER_HIGH);
        test_array_free(&a);
    }
}

/* Marks are of 4096 values each; behind a tile's last ones nothing may follow. */
static void marks_may_end_in_a_run_of_a_byte(void **state)
{
    static const uint64_t shape[2] = {64, 129};
    (void)state;
    struct test_array a = smooth_array(ZT_F32, 2, shape, 1);
    ((float *)a.array.data)[10] = INFINITY;
    struct coded c = code(NULL, &a.array, 0.03, CODER_HIGH);
    assert_int_equal(sz_of(&c.coding)->coder, CODER_HIGH);
    coded_free(NULL, &c);
    (void)need_bound(NULL, &a.array, 0.03, CODER_HIGH);
    test_array_free(&a);
}

static void interpolation_reaches_the_largest_numbers(void **state)
{
    static const uint64_t shape[1] = {5000};
    (void)state;
    struct test_array a = smooth_array(ZT_F64, 1, shape, 2);
    for (uint32_t i = 0; i < 5000; i++)
        ((double *)a.array.data)[i] = (1.5 + 0.2 * ((double *)a.array.data)[i]) * 0x1p1023;
    struct coded c = code(NULL, &a.array, 0x1p1015, CODER_HIGH);
    assert_int_equal(sz_of(&c.coding)->coder, CODER_HIGH);
    coded_free(NULL, &c);
    (void)need_bound(NULL, &a.array, 0x1p1015, CODER_HIGH);
    test_array_free(&a);
    a = smooth_array(ZT_F32, 1, shape, 2); /* many of them the largest of all */
    float *const f = a.array.data;
    for (uint32_t i = 0; i < 5000; i++)
        f[i] = fminf(1.6f + 0.4f * f[i], 2 - 0x1p-23f) * 0x1p127f;
    for (int power = 105; power < 122; power++)
        (void)need_bound(NULL, &a.array, ldexp(1.3, power), CODER_HIGH);
    test_array_free(&a);
}

/* Where the type has only multiples of 2^-149, rounding to it may take half of one. */
static void interpolation_keeps_bounds_of_subnormal_numbers(void **state)
{
    (void)state;
    struct test_array a = smooth_array(ZT_F32, 2, (const uint64_t[]){90, 100}, 2);
    for (uint32_t i = 0; i < 90 * 100; i++)
        ((float *)a.array.data)[i] = rintf(400 * ((float *)a.array.data)[i]) * 0x1p-149f;
    for (double multiples = 1; multiples < 12; multiples += 0.15)
        (void)need_bound(NULL, &a.array, multiples * 0x1p-149, CODER_HIGH);
    test_array_free(&a);
}

static void interpolation_writes_the_same_bytes(void **state)
{
    (void)state;
    for (uint32_t s = 0; s < 8; s += TEST_SHARE == 1 ? 1 : 3) {
        struct test_array a = smooth_array(1 + s % 4, smooth_ranks[s], smooth_shapes[s], 3);
        struct coded first = {.bytes = NULL};
        uint8_t *first_head = NULL;
        for (uint32_t turn = 0; turn < 6; turn++) {
            zt_context *context;
            zt_context_new(NULL, &context);
            zt_context_set_isa(context, (zt_isa)(turn % 3));
            const zt_omp omp = {.threads = turn, .grain = 1};
            if (turn >= 3)
                zt_context_set_omp(context, &omp);
            struct coded c = code(context, &a.array, s % 2 ? 0.02 : 0.001, CODER_HIGH);
            const size_t head_bytes = (size_t)zti_head_bytes(&c.coding);
            uint8_t *head = need(head_bytes + 1);
            zti_sz_learning.encode_head(&c.coding, NULL, head);
            if (turn > 0) {
                assert_int_equal(head_bytes, zti_head_bytes(&first.coding));
                assert_memory_equal(head, first_head, head_bytes);
                assert_int_equal(c.end_bits, first.end_bits);
                assert_memory_equal(c.bytes, first.bytes, (size_t)(c.end_bits / 8));
                coded_free(context, &c);
                free(head);
            } else {
                first = c;
                first_head = head;
            }
            zt_context_free(context);
        }
        free(first_head);
        coded_free(NULL, &first);
        test_array_free(&a);
    }
}

/* A box is what the whole array has there. */
static void boxes_of_interpolated_arrays_are_parts_of_them(void **state)
{
    static const uint64_t shape[3] = {67, 70, 150};
    struct test_array a = smooth_array(ZT_F32, 3, shape, 5), back = array_of(ZT_F32, 3, shape);
    struct coded c = code(NULL, &a.array, 0.001, CODER_HIGH);
    struct zti_coding coding = loaded(NULL, &c);
    const struct zti_view all = view_of(&back.array);
    struct rng r = {6};
    uint64_t end;
    (void)state;
    assert_int_equal(sz_of(&coding)->coder, CODER_HIGH);
    const size_t n = (size_t)(c.end_bits / 8);
    assert_int_equal(zti_exec_decode(NULL, &coding, c.bytes, n, 0, NULL, &all, &end), 0);
    for (uint32_t k = 0; k < 40; k++) {
        struct zti_view view = {.lo = {0}};
        uint64_t box[3];
        for (uint32_t i = 0; i < 3; i++) {
            view.lo[i] = rng_below(&r, shape[i]);
            view.hi[i] = view.lo[i] + 1 + rng_below(&r, shape[i] - view.lo[i]);
            box[i] = view.hi[i] - view.lo[i];
        }
        struct test_array part = array_of(ZT_F32, 3, box);
        view.out = inside(&part.array);
        assert_int_equal(zti_exec_decode(NULL, &coding, c.bytes, n, 0, NULL, &view, &end), 0);
        for (uint64_t y = 0; y < box[0] * box[1]; y++) {
            const uint64_t row = (view.lo[0] + y / box[1]) * shape[1] + view.lo[1] + y % box[1];
            const float *from = (float *)back.array.data + row * shape[2] + view.lo[2];
            assert_memory_equal((float *)part.array.data + y * box[2], from, 4 * box[2]);
        }
        test_array_free(&part);
    }
    zti_sz_forget(NULL, &coding);
    coded_free(NULL, &c);
    test_array_free(&back);
    test_array_free(&a);
}

static void damage(struct rng *r, uint8_t *bytes, size_t n, uint32_t flips)
{
    for (uint32_t i = 0; i < flips && n > 0; i++)
        bytes[rng_below(r, n)] ^= (uint8_t)(1 + rng_below(r, 255));
}

/* Heads and tiles whose bits were changed, or that end too early. */
static void damaged_interpolation_decodes_or_is_refused(void **state)
{
    static const uint64_t shape[3] = {20, 30, 70};
    struct test_array a = smooth_array(ZT_F64, 3, shape, 7), back = array_of(ZT_F64, 3, shape);
    struct rng r = {13};
    (void)state;
    ((double *)a.array.data)[1000] = NAN;
    struct coded c = code(NULL, &a.array, 1e-4, CODER_HIGH);
    assert_int_equal(sz_of(&c.coding)->coder, CODER_HIGH);
    const size_t head_bytes = (size_t)zti_head_bytes(&c.coding), bytes = (size_t)(c.end_bits / 8);
    uint8_t params[ZTI_CODEC_PARAMS_BYTES], *good_head = need(head_bytes);
    const size_t params_bytes = zti_codec_sz.store_params(&c.coding, params);
    const struct zti_view view = view_of(&back.array);
    uint32_t heads = 0, streams = 0;
    zti_sz_learning.encode_head(&c.coding, NULL, good_head);
    for (uint32_t i = 0; i < 400; i++) {
        struct zti_coding coding = {.codec = &zti_codec_sz, .type = ZT_F64};
        const size_t n = i % 3 ? bytes : (size_t)rng_below(&r, bytes);
        uint8_t *head = need(head_bytes), *stream = need(n + 1);
        uint64_t end;
        coding.grid = zti_codec_grid(&zti_codec_sz, 3, shape);
        assert_int_equal(zti_codec_sz.load_params(NULL, params, params_bytes, &coding), ZT_OK);
        memcpy(head, good_head, head_bytes);
        memcpy(stream, c.bytes, n);
        damage(&r, head, head_bytes, i % 2 ? 1 + i % 9 : 0);
        damage(&r, stream, n, i % 4 ? 1 + i % 20 : 0);
        if (zti_sz_learning.decode_head(NULL, &coding, head) == ZT_OK) {
            heads++;
            streams += zti_exec_decode(NULL, &coding, stream, n, 0, NULL, &view, &end) == ZT_OK;
        }
        zti_sz_forget(NULL, &coding);
        free(head);
        free(stream);
    }
    assert_true(heads > 200 && heads < 400 && streams < heads);
    free(good_head);
    coded_free(NULL, &c);
    test_array_free(&a);
    test_array_free(&back);
}

/* Parabolas along each axis, and noise: integers, so that every machine makes the same. */
static void fill_golden(const zt_array *array)
{
    const uint64_t n = values_of(array->rank, array->shape);
    struct rng r = {77};
    for (uint64_t i = 0; i < n; i++) {
        int64_t v = (int64_t)rng_below(&r, 9);
        uint64_t rest = i;
        for (uint32_t k = array->rank; k-- > 0; rest /= array->shape[k]) {
            const int64_t x = (int64_t)(rest % array->shape[k] % 97) - 48;
            v += (x * x - 800) * (k % 2 ? 1 : -1) * (1 + (int64_t)k);
        }
        switch (array->type) {
        case ZT_F32: ((float *)array->data)[i] = (float)v / 8; break;
        case ZT_F64: ((double *)array->data)[i] = (double)v / 8; break;
        case ZT_I32: ((int32_t *)array->data)[i] = (int32_t)v; break;
        default: ((int64_t *)array->data)[i] = v - (INT64_C(1) << 40); break;
        }
    }
    if (array->type == ZT_F32)
        ((float *)array->data)[n / 2] = NAN;
}

/* Bytes are the contract: head and tiles of effort 'high', by a hash, of every instance. */
static void bytes_of_interpolation_do_not_change(void **state)
{
    static const struct {
        uint32_t type, rank;
        uint64_t shape[ZT_MAX_RANK];
        double bound;
        uint64_t bytes, hash;
    } golden[] = {
        {ZT_F32, 1, {20000}, 0.25, 6769, UINT64_C(0x1b1f0c22e65b1ba7)},
        {ZT_F32, 2, {300, 411}, 0.5, 23402, UINT64_C(0x303ad1da4d73f363)},
        {ZT_F32, 3, {67, 70, 150}, 0.125, 257273, UINT64_C(0x3342759a10e63dbf)},
        {ZT_F32, 4, {5, 18, 33, 40}, 4, 421, UINT64_C(0xdab9fa18bfab97f8)},
        {ZT_F64, 1, {9001}, 0.01, 7595, UINT64_C(0x263344c84aaf3496)},
        {ZT_F64, 2, {64, 64}, 1, 144, UINT64_C(0xbc3990c527e3c356)},
        {ZT_F64, 3, {65, 65, 65}, 0.02, 182775, UINT64_C(0xc284ebf68a5d88f5)},
        {ZT_I32, 3, {40, 64, 100}, 3, 42675, UINT64_C(0x6368755853266c6c)},
        {ZT_I64, 2, {127, 513}, 1, 21365, UINT64_C(0x430bb34d8a1cbedc)},
        {ZT_F64, 2, {100, 90}, 1e-6, 22180, UINT64_C(0xd9994147f1a6ee46)}, /* wide */
        {ZT_F64, 3, {30, 50, 3}, 1e-9, 16457, UINT64_C(0xf4e61a5bf7624a47)},
    };
    bool is_good = true;
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        struct test_array a = array_of(golden[i].type, golden[i].rank, golden[i].shape);
        fill_golden(&a.array);
        is_good &= writes_golden(&a.array, golden[i].bound, CODER_HIGH, -1, golden[i].bytes,
                                 golden[i].hash);
        test_array_free(&a);
    }
    assert_true(is_good);
}

static uint64_t arrays = 500, first_array;

/* Arrays of all types, ranks and kinds, with any effort and bounds from twice the range to far
 * below what the type can tell. Number i depends on i alone. */
static void random_arrays_hold(void **state)
{
    uint64_t efforts[4] = {0};
    (void)state;
    for (uint64_t i = first_array; i < first_array + arrays; i += TEST_SHARE) {
        struct rng r = {i};
        uint64_t shape[ZT_MAX_RANK];
        double min, max;
        const uint32_t type = 1 + (uint32_t)rng_below(&r, 4), rank = 1 + (uint32_t)rng_below(&r, 4);
        const uint32_t effort = (uint32_t)rng_below(&r, 4);
        static const uint64_t most[ZT_MAX_RANK] = {3000, 70, 20, 9};
        for (uint32_t k = 0; k < rank; k++)
            shape[k] = 1 + rng_below(&r, most[rank - 1]);
        struct test_array a = array_of(type, rank, shape);
        fill_array(&a.array, (enum data_kind)rng_below(&r, DATA_KINDS), rng_next(&r));
        range_of(&a.array, &min, &max);
        const double range = max - min > 0 ? fmin(max - min, DBL_MAX) : 1;
        const double bound =
            rng_once_in(&r, 30) ? 0 : ldexp(range * (1 + rng_unit(&r)), -(int)rng_below(&r, 60));
        efforts[effort]++;
        if (arrays > 1000 && i % 65536 == 0)
            print_message("array %llu\n", (unsigned long long)i);
        (void)need_bound(NULL, &a.array, fmin(bound, DBL_MAX), effort);
        test_array_free(&a);
    }
    print_message("%llu arrays, of these with effort high %llu\n",
                  (unsigned long long)(efforts[0] + efforts[1] + efforts[2] + efforts[3]),
                  (unsigned long long)efforts[CODER_HIGH]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest some[] = {cmocka_unit_test(random_arrays_hold)};
    if (argc > 1) {
        arrays = strtoull(argv[1], NULL, 10);
        first_array = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
        return cmocka_run_group_tests(some, NULL, NULL);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_arrays_hold),
        cmocka_unit_test(steps_are_representable_and_no_larger_than_twice_the_bound),
        cmocka_unit_test(the_last_place_of_the_largest_values_is_a_step),
        cmocka_unit_test(every_exponent_and_bound_holds),
        cmocka_unit_test(means_far_from_zero_hold),
        cmocka_unit_test(halves_of_steps_hold),
        cmocka_unit_test(special_values_keep_their_bits),
        cmocka_unit_test(signs_of_zero_and_subnormals_come_back_without_loss),
        cmocka_unit_test(shapes_around_tiles_hold),
        cmocka_unit_test(random_bits_take_no_more_than_themselves),
        cmocka_unit_test(half_the_bound_costs_a_bit),
        cmocka_unit_test(instances_and_threads_write_the_same_bytes),
        cmocka_unit_test(instances_decode_the_same_values_in_turns_and_past_the_caches),
        cmocka_unit_test(damaged_streams_decode_or_are_refused),
        cmocka_unit_test(axes_are_chosen_with_the_edges_of_tiles),
        cmocka_unit_test(tiles_stay_where_axes_were_asked_for),
        cmocka_unit_test(steps_to_no_class_are_refused),
        cmocka_unit_test(parameters_that_make_no_sense_are_refused),
        cmocka_unit_test(interpolation_keeps_the_bound),
        cmocka_unit_test(interpolation_keeps_special_values),
        cmocka_unit_test(marks_may_end_in_a_run_of_a_byte),
        cmocka_unit_test(interpolation_reaches_the_largest_numbers),
        cmocka_unit_test(interpolation_keeps_bounds_of_subnormal_numbers),
        cmocka_unit_test(interpolation_writes_the_same_bytes),
        cmocka_unit_test(bytes_of_interpolation_do_not_change),
        cmocka_unit_test(boxes_of_interpolated_arrays_are_parts_of_them),
        cmocka_unit_test(damaged_interpolation_decodes_or_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
