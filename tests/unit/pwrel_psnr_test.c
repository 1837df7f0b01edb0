/* pwrel_psnr_test.c: bounds that are a part of each value, bounds on the PSNR, and all bounds where
 * numbers end: subnormal and huge values, tolerances and ranges. Checked in whole numbers and long
 * doubles, by code of the tests' own. */
#include "frame_support.h"
#include "ztile_quality.h"

#include "codec/sz/sz.h"
#include "quality/quality.h"

#include <float.h>

struct way {
    uint32_t codec, effort;
};

static const struct way ways[] = {{ZT_CODEC_SZ, CODER_DEFAULT},
                                  {ZT_CODEC_SZ, CODER_FAST},
                                  {ZT_CODEC_SZ, CODER_CUSZ},
                                  {ZT_CODEC_ZFP, 0}};

enum { WAYS = sizeof ways / sizeof *ways };

/* Through a file and back, to memory from malloc. */
static void *through_a_file(const zt_array *a, zt_bound bound, struct way way, zt_info *info)
{
    zt_params p = params_of(bound);
    p.codec = way.codec;
    set_coder(&p, way.effort);
    struct bytes file = compress(a, &p);
    zt_array back = new_array((zt_type)a->type, a->rank, a->shape);
    assert_int_equal(zt_decompress(NULL, file.data, file.n, &back), ZT_OK);
    if (info)
        *info = info_of(&file);
    free(file.data);
    return back.data;
}

static void need_parts(const zt_array *a, const void *back, double part)
{
    const size_t bytes = zt_type_bytes(a->type);
    for (uint64_t i = 0; i < values_of(a->rank, a->shape); i++)
        assert_true(is_within_part_exactly(a->type, (const char *)a->data + i * bytes,
                                           (const char *)back + i * bytes, part));
}

/* ---- the checkers ---- */

/* Beside the places where a value is off by just the bound, the library and the tests say the
 * same. */
static void checkers_agree_at_the_last_bit(void **state)
{
    (void)state;
    enum { RUNS = 200000 };
    struct rng r = {5};
    uint32_t within = 0;
    for (uint32_t run = 0; run < RUNS; run++) {
        const double part = ldexp(0.5 + 0.48 * rng_unit(&r), -(int)rng_below(&r, 50));
        const int exponent = (int)rng_below(&r, 2090) - 1070;
        const double x = ldexp(0.5 + rng_unit(&r), exponent);
        double y = rng_once_in(&r, 2) ? x + part * x : x - part * x;
        for (uint64_t i = rng_below(&r, 3); i > 0; i--)
            y = nextafter(y, rng_once_in(&r, 2) ? 0 : (double)INFINITY);
        const bool is_within = is_within_part_exactly(ZT_F64, &x, &y, part);
        within += is_within;
        assert_int_equal(
            is_within, zti_within_part(ZT_F64, zti_bits_of_double(x), zti_bits_of_double(y), part));
        if (zti_row_within_part(ZT_F64, &x, 1, &y, 1, part))
            assert_true(is_within);
    }
    assert_in_range(within, RUNS / 4, RUNS / 4 * 3);
    const double three = 3, four = 4, one = 1, half_more = 1.5, zero = 0, minus_zero = -0.0;
    assert_true(is_within_part_exactly(ZT_F64, &one, &half_more, 0.5));
    /* 1 / 3 is rounded down */
    assert_false(is_within_part_exactly(ZT_F64, &three, &four, 1.0 / 3));
    assert_false(is_within_part_exactly(ZT_F64, &zero, &minus_zero, 0.5));
    assert_false(zti_within_part(ZT_F64, 0, zti_bits_of_double(minus_zero), 0.5));
    assert_false(is_within_part_exactly(ZT_F64, &zero, &one, 0.5));
}

/* ---- a part of each value ---- */

static void parts_hold_for_every_exponent_of_floats(void **state)
{
    (void)state;
    enum { EACH = 24 };
    static const double parts[] = {0.97, 0.5, 0.1, 1e-3, 3e-6, 3e-7, 1.5e-7, 1e-7, 1e-9};
    struct rng r = {21};
    const uint64_t shape[] = {255, EACH};
    zt_array a = new_array(ZT_F32, 2, shape);
    for (uint32_t i = 0; i < 255 * EACH; i++) {
        const uint32_t bits = (uint32_t)rng_next(&r) & 0x807fffff;
        const uint32_t value = rng_once_in(&r, 20) ? bits & 0x80000000 : bits | i / EACH << 23;
        memcpy((char *)a.data + 4 * (size_t)i, &value, sizeof value);
    }
    for (uint32_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (uint32_t way = 0; way < WAYS; way++) {
            void *back = through_a_file(&a, zt_pwrel(parts[i]), ways[way], NULL);
            need_parts(&a, back, parts[i]);
            free(back);
        }
    free(a.data);
}

static void parts_hold_for_every_exponent_of_doubles(void **state)
{
    (void)state;
    enum { EACH = 6 };
    static const double parts[] = {0.9, 0.1, 1e-4, 1e-7, 1e-10, 1e-13, 5e-15, 2e-16, 1e-17};
    struct rng r = {22};
    const uint64_t shape[] = {2047, EACH};
    zt_array a = new_array(ZT_F64, 2, shape);
    for (uint64_t i = 0; i < 2047 * EACH; i++) {
        const uint64_t bits = rng_next(&r) & UINT64_C(0x800fffffffffffff);
        const uint64_t value =
            rng_once_in(&r, 20) ? bits & UINT64_C(1) << 63 : bits | i / EACH << 52;
        memcpy((char *)a.data + 8 * i, &value, sizeof value);
    }
    for (uint32_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (uint32_t way = 0; way < WAYS; way++) {
            void *back = through_a_file(&a, zt_pwrel(parts[i]), ways[way], NULL);
            need_parts(&a, back, parts[i]);
            free(back);
        }
    free(a.data);
}

/* Zeros and signs in runs, in columns, by chance; they cost little where they are regular. */
static void zeros_and_signs_come_back(void **state)
{
    (void)state;
    struct rng r = {23};
    for (uint32_t run = 0; run < 60; run++) {
        const uint32_t rank = 1 + run % 3;
        const uint64_t shape[] = {1 + rng_below(&r, 70), 1 + rng_below(&r, 70),
                                  1 + rng_below(&r, 20)};
        zt_array a = new_array(ZT_F32, rank, shape);
        const uint64_t n = values_of(rank, shape), row = shape[rank - 1];
        const uint32_t pattern = (uint32_t)rng_below(&r, 5);
        const uint32_t length = 1 + (uint32_t)rng_below(&r, 90);
        for (uint64_t i = 0; i < n; i++) {
            const bool by_chance = rng_once_in(&r, 3);
            const bool is_set = pattern == 0   ? (bool)(i / length % 2)
                                : pattern == 1 ? (bool)(i % row > row / 2)
                                : pattern == 2 ? by_chance
                                               : (bool)(pattern == 3);
            const float v = 1 + 0.1f * (float)sin(0.1 * (double)i);
            const float zero = i % 5 ? 0.0f : -0.0f;
            ((float *)a.data)[i] = !is_set ? v : run % 2 ? -v : zero;
        }
        for (uint32_t way = 0; way < WAYS; way++) {
            void *back = through_a_file(&a, zt_pwrel(1e-2), ways[way], NULL);
            need_parts(&a, back, 1e-2);
            free(back);
        }
        free(a.data);
    }
    enum { LARGE = 1 << 17 };
    const uint64_t large = LARGE;
    zt_array a = new_array(ZT_F32, 1, &large);
    zt_params p = params_of(zt_pwrel(1e-2));
    p.codec = ZT_CODEC_SZ;
    for (uint32_t i = 0; i < LARGE; i++) /* only zeros: some bytes a tile */
        ((float *)a.data)[i] = i < LARGE / 2 ? 0.0f : -0.0f;
    struct bytes file = compress(&a, &p);
    assert_true(file.n < LARGE / 4096 * 8 + 256);
    free(file.data);
    free(a.data);
}

/* Marks of every length come back, and no bytes make their reader read beyond them. */
static void marks_of_any_kind_are_read_back(void **state)
{
    (void)state;
    struct rng r = {24};
    uint64_t zero[ZTI_SZ_GROUPS], minus[ZTI_SZ_GROUPS], got_zero[ZTI_SZ_GROUPS],
        got_minus[ZTI_SZ_GROUPS];
    for (uint32_t run = 0; run < 20000; run++) {
        const uint32_t n = 1 + (uint32_t)rng_below(&r, ZTI_SZ_TILE_VALUES);
        const uint32_t row = 1 + (uint32_t)rng_below(&r, n), density = 1 + run % 70;
        memset(zero, 0, sizeof zero);
        memset(minus, 0, sizeof minus);
        for (uint32_t i = 0; i < n; i++) {
            zero[i / 64] |= (uint64_t)rng_once_in(&r, density) << i % 64;
            minus[i / 64] |= (uint64_t)(i % row > row / 3) << i % 64;
        }
        uint8_t *const bytes = need(ZTI_SZ_MARKS_MOST_BYTES + 16);
        uint8_t *const end = zti_sz_encode_marks(bytes, zero, minus, n, row);
        assert_true(end <= bytes + ZTI_SZ_MARKS_MOST_BYTES);
        assert_ptr_equal(zti_sz_decode_marks(bytes, end, n, row, got_zero, got_minus), end);
        assert_memory_equal(zero, got_zero, sizeof zero);
        assert_memory_equal(minus, got_minus, sizeof minus);
        for (uint8_t *at = bytes; at < end; at++)
            *at = rng_once_in(&r, 8) ? (uint8_t)rng_next(&r) : *at;
        const uint8_t *const stop = zti_sz_decode_marks(bytes, end, n, row, got_zero, got_minus);
        assert_true(!stop || stop <= end);
        free(bytes);
    }
}

/* ---- the PSNR ---- */

static double psnr_between(const zt_array *a, const void *back)
{
    zt_quality q;
    assert_int_equal(zt_quality_init(&q, sizeof q), ZT_OK);
    const zt_array b = zt_array_const_nd(back, (zt_type)a->type, a->rank, a->shape);
    assert_int_equal(zt_compare(NULL, a, &b, &q), ZT_OK);
    return zt_quality_psnr(&q);
}

static const uint64_t rough_shape[] = {48, 50, 52};

/* Never below what was asked for, with sz half a decibel above at most, and noted in the file. */
static void a_psnr_is_met_and_not_by_much(void **state)
{
    unsigned number = 0;
    (void)state;
    for (zt_type type = ZT_F32; type <= ZT_I64; type++) {
        zt_array a = rough_array(type, rough_shape, 31);
        for (double asked = 15; asked < 100; asked += 23.7)
            for (uint32_t way = 0; way < WAYS; way++) {
                if (number++ % TEST_SHARE)
                    continue;
                zt_info info;
                void *back = through_a_file(&a, zt_psnr(asked), ways[way], &info);
                const double got = psnr_between(&a, back);
                assert_true(got >= asked);
                assert_true(got < asked + (ways[way].codec == ZT_CODEC_SZ ? 0.5 : 12));
                assert_true(fabs(info.psnr - got) < 1e-6);
                free(back);
            }
        free(a.data);
    }
}

/* zfp's bounds are powers of two: the next looser one does not meet the target. */
static void zfp_takes_the_loosest_power(void **state)
{
    (void)state;
    zt_array a = rough_array(ZT_F32, rough_shape, 32);
    for (double asked = 10; asked < 120; asked += 7.3) {
        zt_info info;
        void *back = through_a_file(&a, zt_psnr(asked), ways[WAYS - 1], &info);
        assert_true(psnr_between(&a, back) >= asked);
        free(back);
        back = through_a_file(&a, zt_abs(ldexp(1, zfp_of_info(&info).minexp + 1)), ways[WAYS - 1],
                              NULL);
        assert_true(psnr_between(&a, back) < asked);
        free(back);
    }
    free(a.data);
}

/* Frames meet the target one by one, so all together do; a writer must know the range. */
static void frames_meet_a_psnr_together(void **state)
{
    (void)state;
    zt_array a = rough_array(ZT_F64, rough_shape, 33);
    zt_params p = params_of(zt_psnr(70));
    p.codec = ZT_CODEC_SZ;
    p.slab_bytes = 1 << 17;
    struct bytes file = compress(&a, &p);
    const zt_info info = info_of(&file);
    assert_true(info.frames > 2);
    assert_true(info.psnr >= 70 && info.psnr < 71);
    zt_array back = new_array(ZT_F64, 3, a.shape);
    assert_int_equal(zt_decompress(NULL, file.data, file.n, &back), ZT_OK);
    assert_true(psnr_between(&a, back.data) >= 70);
    free(back.data);
    free(file.data);
    zt_context *context = NULL;
    zt_writer *writer = NULL;
    struct mem_sink sunk = {.limit = SIZE_MAX};
    const zt_sink sink = sink_of(&sunk);
    assert_int_equal(zt_context_new(NULL, &context), ZT_OK);
    need_failure(context, zt_writer_open(context, &sink, &a, &p, &writer), ZT_BAD_ARG, "range");
    zt_context_free(context);
    free(a.data);
}

/* What has no range, or no value, or one value. */
static void arrays_without_a_range_are_kept(void **state)
{
    (void)state;
    const uint64_t n = 5000;
    for (uint32_t kind = 0; kind < 4; kind++) {
        zt_array a = new_array(ZT_F64, 1, &n);
        for (uint64_t i = 0; i < n; i++)
            ((double *)a.data)[i] = kind == 0             ? 3.25
                                    : kind == 1           ? (double)NAN
                                    : kind == 2 && i != 7 ? (double)NAN
                                    : kind == 2           ? 1e300
                                                          : (i % 2 ? DBL_MAX : -DBL_MAX);
        for (uint32_t way = 0; way < WAYS; way++)
            for (uint32_t is_part = 0; is_part < 2; is_part++) {
                void *back =
                    through_a_file(&a, is_part ? zt_pwrel(1e-3) : zt_psnr(60), ways[way], NULL);
                if (is_part)
                    need_parts(&a, back, 1e-3);
                else
                    assert_memory_equal(a.data, back, n * sizeof(double));
                free(back);
            }
        free(a.data);
    }
}

/* ---- absolute bounds and bounds of the range where numbers end ---- */

static void bounds_hold_where_numbers_end(void **state)
{
    (void)state;
    enum { N = 4000 };
    const uint64_t n = N;
    static const double scales[] = {0x1p1023, 0x1p1000, 1, 0x1p-1000, 0x1p-1030, 0x1p-1070};
    static const double tolerances[] = {0.3, 1e-3, 1e-9, 1e-14, 1e-17};
    struct rng r = {41};
    for (uint32_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        zt_array a = new_array(ZT_F64, 1, &n), f = new_array(ZT_F32, 1, &n);
        for (uint32_t k = 0; k < N; k++) {
            const double v = (1 - 2 * rng_unit(&r)) * (rng_once_in(&r, 9) ? 1 : 1e-3);
            ((double *)a.data)[k] = 1.99 * v * scales[i];
            ((float *)f.data)[k] = (float)(1.99 * v *
                                           (scales[i] > 1    ? 0x1p127
                                            : scales[i] == 1 ? 1
                                                             : 0x1p-130));
        }
        for (uint32_t k = 0; k < sizeof tolerances / sizeof *tolerances; k++)
            for (uint32_t way = 0; way < WAYS; way++)
                for (uint32_t kind = 0; kind < 4; kind++) {
                    const zt_array *const x = kind < 2 ? &a : &f;
                    const double size = kind < 2         ? scales[i]
                                        : scales[i] > 1  ? 0x1p127
                                        : scales[i] == 1 ? 1
                                                         : 0x1p-130;
                    zt_info info;
                    void *back = through_a_file(
                        x, kind % 2 ? zt_abs(tolerances[k] * size) : zt_rel(tolerances[k]),
                        ways[way], &info);
                    const size_t bytes = zt_type_bytes(x->type);
                    for (uint32_t at = 0; at < N; at++)
                        assert_true(is_within_exactly(x->type, (char *)x->data + at * bytes,
                                                      (char *)back + at * bytes, info.abs_bound));
                    free(back);
                }
        free(a.data);
        free(f.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checkers_agree_at_the_last_bit),
        cmocka_unit_test(parts_hold_for_every_exponent_of_floats),
        cmocka_unit_test(parts_hold_for_every_exponent_of_doubles),
        cmocka_unit_test(zeros_and_signs_come_back),
        cmocka_unit_test(marks_of_any_kind_are_read_back),
        cmocka_unit_test(a_psnr_is_met_and_not_by_much),
        cmocka_unit_test(zfp_takes_the_loosest_power),
        cmocka_unit_test(frames_meet_a_psnr_together),
        cmocka_unit_test(arrays_without_a_range_are_kept),
        cmocka_unit_test(bounds_hold_where_numbers_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
