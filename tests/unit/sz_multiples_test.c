/* sz_multiples_test.c: multiples of a step, coded without loss. The bound holds for any values and
 * shapes. An array without such multiples is coded otherwise. All instances and policies write the
 * same bytes, and these do not change. Damaged streams are decoded or refused. */
#include "codec/sz/lossless/lossless.h"
#include "unit/sz_support.h"

#include "support/awkward.h"

#include <math.h>

static bool is_of_multiples(const struct coded *c)
{
    return sz_of(&c->coding)->coder == ZTI_SZ_LOSSLESS_HIGH && ll_is_of_multiples(&c->coding);
}

/* Random shapes of up to 6000 values, in any strides. */
static struct test_array random_array(struct rng *r, uint32_t kind)
{
    static const uint64_t most[] = {0, 6000, 77, 18, 8};
    const uint32_t rank = 1 + (uint32_t)rng_below(r, ZT_MAX_RANK);
    uint64_t shape[ZT_MAX_RANK];
    int64_t stride[ZT_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = 1 + rng_below(r, rng_once_in(r, 4) ? 3 : most[rank]);
    contiguous_strides(rank, shape, stride);
    for (uint32_t i = 0; i < rank && rng_once_in(r, 3); i++)
        stride[i] *= 2;
    struct test_array a = test_array_new(1 + (uint32_t)rng_below(r, 4), rank, shape, stride);
    fill_array(&a.array, kind, (uint32_t)rng_next(r));
    return a;
}

static void the_bound_holds_for_any_values(void **state)
{
    struct rng r = {1};
    uint32_t taken = 0, wide = 0;
    (void)state;
    for (uint32_t i = 0; i < 900; i += TEST_SHARE) {
        struct test_array a = random_array(&r, i % DATA_KINDS);
        double min, max;
        range_of(&a.array, &min, &max);
        const double range = isfinite(max - min) && max > min ? max - min : 1;
        const double bound = range * ldexp(1 + rng_unit(&r), -(int)rng_below(&r, 40));
        struct coded c = code(NULL, &a.array, bound, CODER_MULTIPLES);
        taken += is_of_multiples(&c);
        wide += is_of_multiples(&c) && sz_of(&c.coding)->tuning & ZTI_LL_IS_WIDE;
        coded_free(NULL, &c);
        (void)need_bound(NULL, &a.array, bound, CODER_MULTIPLES);
        test_array_free(&a);
    }
    assert_in_range(taken, 300 / TEST_SHARE, 900 / TEST_SHARE); /* not all, and not few */
    assert_in_range(wide, 30 / TEST_SHARE, taken / 2);
}

/* A range that is not the values', as a caller may give it: a tile with values beyond is raw. */
static void values_beyond_the_range_are_kept(void **state)
{
    static const uint64_t shape[2] = {700, 800}; /* three tiles */
    (void)state;
    for (uint32_t type = ZT_F32; type <= ZT_I64; type++) {
        struct test_array a = array_of(type, 2, shape);
        fill_array(&a.array, DATA_WAVE_NOISE, type);
        double min, max;
        range_of(&a.array, &min, &max);
        const double bound = fmax((max - min) * 1e-3, 1);
        const uint64_t usual = need_bound(NULL, &a.array, bound, CODER_MULTIPLES);
        struct coded c = code(NULL, &a.array, bound, CODER_MULTIPLES);
        assert_true(is_of_multiples(&c));
        coded_free(NULL, &c);
        const uint64_t far = type == ZT_F32   ? 0x7f7fffff
                             : type == ZT_F64 ? UINT64_C(0x7fefffffffffffff)
                                              : UINT64_C(1) << (type == ZT_I32 ? 30 : 62);
        for (uint64_t i = 0; i < 2; i++) {
            set_bits(&a.array, 300 * 800 + 7 + i, i ? 0 - far : far);
            c = code_within(NULL, &a.array, bound, CODER_MULTIPLES, -1, min, max);
            const uint64_t bits = need_bound_of(NULL, &c, &a.array, bound);
            assert_true(bits > usual && bits < 8 * 700 * 800 * zt_type_bytes(type));
        }
        test_array_free(&a);
    }
}

/* What lossless coding has and nothing else here: a sequence that weights predict. */
static void weights_predict_what_differences_do_not(void **state)
{
    static const uint64_t shape[1] = {100000};
    (void)state;
    for (uint32_t type = ZT_F32; type <= ZT_F64; type++) {
        struct test_array a = array_of(type, 1, shape);
        struct rng r = {type};
        double v[3] = {0, 0, 0};
        for (uint64_t i = 0; i < shape[0]; i++) { /* a resonance, excited by noise */
            v[2] = v[1];
            v[1] = v[0];
            v[0] = -0.5 * v[1] - 0.9 * v[2] + rng_unit(&r) - 0.5;
            if (type == ZT_F32)
                ((float *)a.array.data)[i] = (float)v[0];
            else
                ((double *)a.array.data)[i] = v[0];
        }
        const uint64_t ours = need_bound(NULL, &a.array, 1e-2, CODER_MULTIPLES);
        const uint64_t high = need_bound(NULL, &a.array, 1e-2, CODER_HIGH);
        assert_true(10 * ours < 8 * high);
        test_array_free(&a);
    }
}

/* ---- the same bytes ---- */

static void all_instances_write_the_same_bytes(void **state)
{
    uint32_t taken = 0;
    (void)state;
    for (uint32_t number = 2000; number < 2000 + 4 * AWKWARD_KINDS; number += TEST_SHARE) {
        struct test_array a = awkward_array(number);
        double min, max;
        range_of(&a.array, &min, &max);
        const double bound = isfinite(max - min) && max > min ? (max - min) / 3000 : 1;
        taken += need_same_bytes(&a.array, bound, CODER_MULTIPLES, 1) == ZTI_SZ_LOSSLESS_HIGH;
        test_array_free(&a);
    }
    assert_true(taken > AWKWARD_KINDS / TEST_SHARE);
}

/* Streams of this version, by their hash: other bytes are another format. */
static void golden_streams_do_not_change(void **state)
{
    static const struct {
        double bound;
        uint64_t bytes, hash;
    } golden[] = {
        {1e-2, 6310, UINT64_C(0x408b5a8d27ea8f94)},  {1e-5, 30317, UINT64_C(0x8f010a789d687bbe)},
        {3, 16136, UINT64_C(0x6ae4f74798b8bc11)},    {5, 686, UINT64_C(0x507e928bee8e81d5)},
        {1e-2, 786, UINT64_C(0x4f81d5fd7e4f448f)},   {1e-5, 781, UINT64_C(0x20fdfaed15decfec)},
        {3, 683, UINT64_C(0x29b554f560e41b49)},      {5, 598, UINT64_C(0x5bdf11b2c6938ea2)},
        {1e-4, 33718, UINT64_C(0x5414f05cc7a7a41f)}, {1e-8, 86543, UINT64_C(0xeca3c968293b295d)}};
    static const uint64_t shape[3] = {9, 40, 50};
    bool is_good = true;
    (void)state;
    for (uint32_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        struct test_array a = array_of(1 + i % 4, 3, shape);
        fill_array(&a.array, i < 4 || i > 7 ? DATA_WAVE_NOISE : DATA_STEPS, i);
        is_good &= writes_golden(&a.array, golden[i].bound, CODER_MULTIPLES, -1, golden[i].bytes,
                                 golden[i].hash);
        test_array_free(&a);
    }
    assert_true(is_good);
}

static void damage_is_decoded_or_refused(void **state)
{
    struct rng r = {5};
    (void)state;
    for (uint32_t i = 0; i < 24; i += TEST_SHARE) {
        struct test_array a = random_array(&r, i % 2 ? DATA_WAVE_NOISE : DATA_STEPS);
        double min, max;
        range_of(&a.array, &min, &max);
        decode_damaged(&r, &a.array, fmax((max - min) * 1e-3, 1e-9), CODER_MULTIPLES, 12, 60);
        test_array_free(&a);
    }
}

static void parameters_that_make_no_sense_are_refused(void **state)
{
    static const uint64_t shape[2] = {30, 40};
    (void)state;
    struct test_array a = array_of(ZT_F64, 2, shape);
    fill_array(&a.array, DATA_WAVE_NOISE, 1);
    struct coded c = code(NULL, &a.array, 1e-2, CODER_MULTIPLES);
    assert_true(is_of_multiples(&c));
    uint8_t params[ZTI_CODEC_PARAMS_BYTES];
    for (uint32_t i = 0; i < 4; i++) {
        struct zti_coding other = c.coding;
        sz_in(&other)->tuning = i == 1 ? 4 : 0;
        sz_in(&other)->axes = i == 2;
        if (i == 3)
            sz_in(&other)->centre = INT64_C(1) << 52;
        const size_t n = zti_codec_sz.store_params(&other, params);
        struct zti_coding back = {.codec = &zti_codec_sz, .type = ZT_F64, .grid = c.coding.grid};
        assert_int_equal(zti_codec_sz.load_params(NULL, params, n, &back),
                         i == 0 ? ZT_OK : ZT_CORRUPT);
    }
    coded_free(NULL, &c);
    test_array_free(&a);
}

static void memory_that_was_used_changes_nothing(void **state)
{
    static const uint64_t shape[2] = {150, 170};
    (void)state;
    struct test_array a = array_of(ZT_F32, 2, shape);
    fill_array(&a.array, DATA_WAVE_NOISE, 1);
    need_clean_memory(&a.array, 1e-3, CODER_MULTIPLES);
    test_array_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bound_holds_for_any_values),
        cmocka_unit_test(values_beyond_the_range_are_kept),
        cmocka_unit_test(weights_predict_what_differences_do_not),
        cmocka_unit_test(all_instances_write_the_same_bytes),
        cmocka_unit_test(golden_streams_do_not_change),
        cmocka_unit_test(damage_is_decoded_or_refused),
        cmocka_unit_test(parameters_that_make_no_sense_are_refused),
        cmocka_unit_test(memory_that_was_used_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
