/* contest_test.c: which candidates code all of an array, after samples and those coded before. */
#include "support/inside.h"
#include "unit/frame_support.h"

#include "frame/write/writer.h"
#include "plan/contest.h"

/* A bound on each value; the codec is sz. */
static struct zti_target sz_target(zt_params *params)
{
    (void)zt_params_init(params, sizeof *params);
    params->codec = ZT_CODEC_SZ;
    return (struct zti_target){.params = params, .kind = ZT_ABS};
}

/* Samples said that zfp takes 100,000 bytes; it took nearly three times as many. */
static void another_is_coded_where_samples_were_wrong(void **state)
{
    static const struct {
        uint32_t codec;
        double bytes, coded_bytes;
    } rows[] = {
        {ZT_CODEC_ZFP, 100e3, 280e3}, {ZT_CODEC_SZ, 110e3, 111e3}, {ZT_CODEC_ZFP, 300e3, 0}};
    enum { ROWS = sizeof rows / sizeof *rows };
    static struct zti_result results[ROWS];
    zt_params params;
    (void)state;
    (void)zt_params_init(&params, sizeof params);
    const struct zti_target target = {.params = &params, .kind = ZT_ABS};
    for (uint32_t i = 0; i < ROWS; i++) {
        results[i].candidate.codec = rows[i].codec;
        results[i].choice.is_sampled = true;
        results[i].choice.bytes = rows[i].bytes;
    }
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(zti_contest_next(results, ROWS, &target, 1 << 20), i);
        results[i].coded_bytes = rows[i].coded_bytes;
    }
    assert_int_equal(zti_contest_next(results, ROWS, &target, 1 << 20), ROWS);
    assert_int_equal(zti_contest_winner(results, ROWS, &params), 1);
}

/* Effort high took 100,000 bytes; samples say that effort default, on which it falls back, takes
 * one percent more. It is coded unless the codec has compared the two under the same plan. */
static void a_fallback_is_coded_unless_it_was_compared(void **state)
{
    enum { HIGH, FALLBACK, ROWS };
    static struct zti_result results[ROWS];
    const uint64_t values = 1 << 20;
    zt_params params;
    struct zti_target target = sz_target(&params);
    (void)state;
    results[HIGH] = (struct zti_result){
        .candidate = {.codec = ZT_CODEC_SZ, .has_own_predictor = true}, .coded_bytes = 100e3};
    results[FALLBACK] =
        (struct zti_result){.candidate = {.codec = ZT_CODEC_SZ, .is_fallback = true},
                            .choice = {.is_sampled = true, .bytes = 101e3}};
    assert_int_equal(zti_contest_next(results, ROWS, &target, values), FALLBACK);
    results[HIGH].is_compared = true;
    assert_int_equal(zti_contest_next(results, ROWS, &target, values), ROWS);
    target.special_values = values / 100;
    assert_int_equal(zti_contest_next(results, ROWS, &target, values), FALLBACK);
    target.special_values = 0;
    results[FALLBACK].choice.is_other = true; /* axes of its own */
    assert_int_equal(zti_contest_next(results, ROWS, &target, values), FALLBACK);
    results[FALLBACK].choice.is_other = false;
    results[FALLBACK].choice.plan.axis[0] = 1;
    assert_int_equal(zti_contest_next(results, ROWS, &target, values), FALLBACK);
}

/* Boxes promise fewer bytes of the second of two far candidates: it is coded first, and may come
 * out so small that the other cannot win any more. */
static void the_far_candidate_that_promises_most_is_first(void **state)
{
    enum { NEAR, LARGER, SMALLER, ROWS };
    static struct zti_result results[ROWS];
    const struct zti_candidate far = {
        .codec = ZT_CODEC_SZ, .is_far = true, .is_for_ratio = true, .far_most = 1.1};
    const uint64_t values = 1 << 20;
    zt_params params;
    const struct zti_target target = sz_target(&params);
    (void)state;
    results[NEAR] = (struct zti_result){
        .candidate = {.codec = ZT_CODEC_SZ, .has_own_predictor = true}, .coded_bytes = 100e3};
    results[LARGER] = (struct zti_result){.candidate = far, .far_part = 1.08};
    results[SMALLER] = (struct zti_result){.candidate = far, .far_part = 1.02};
    assert_int_equal(zti_contest_next(results, ROWS, &target, values), SMALLER);
    results[SMALLER].coded_bytes = 99e3;
    assert_int_equal(zti_contest_next(results, ROWS, &target, values), LARGER);
    results[SMALLER].coded_bytes = 95e3;
    assert_int_equal(zti_contest_next(results, ROWS, &target, values), ROWS);
    results[SMALLER].coded_bytes = 99e3;
    results[LARGER].candidate.far_most = 1.06;
    assert_int_equal(zti_contest_next(results, ROWS, &target, values), ROWS);
}

/* Of a large array boxes tell what to expect. The candidate that promises most is coded first, be
 * it far or not, and others only where they may save 5 %. */
static void of_a_large_array_few_candidates_are_coded(void **state)
{
    enum { NEAR, FALLBACK, TRANSFORM, MULTIPLES, ROWS };
    static struct zti_result results[ROWS];
    const struct zti_candidate far = {
        .codec = ZT_CODEC_SZ, .is_far = true, .is_for_ratio = true, .far_most = 1.06};
    const uint64_t values = 1 << 24;
    zt_params params;
    const struct zti_target target = sz_target(&params);
    (void)state;
    results[NEAR] =
        (struct zti_result){.candidate = {.codec = ZT_CODEC_SZ, .has_own_predictor = true},
                            .choice = {.is_sampled = true, .bytes = 106e3},
                            .expected = {.bytes = 101e3, .least = 100e3, .of_boxes = 99e3}};
    results[FALLBACK] =
        (struct zti_result){.candidate = {.codec = ZT_CODEC_SZ, .is_fallback = true},
                            .choice = {.is_sampled = true, .bytes = 107e3}};
    results[TRANSFORM] =
        (struct zti_result){.candidate = far,
                            .far_part = 1.08,
                            .expected = {.bytes = 98e3, .least = 96e3, .of_boxes = 107e3}};
    results[MULTIPLES] =
        (struct zti_result){.candidate = far, .expected = {.bytes = 95e3, .least = 94e3}};
    assert_int_equal(zti_contest_next(results, ROWS, &target, values), MULTIPLES);
    results[MULTIPLES].coded_bytes = 93e3; /* the others may save 4 % at most */
    assert_int_equal(zti_contest_next(results, ROWS, &target, values), ROWS);
    results[MULTIPLES].coded_bytes = 99e3; /* more than was expected */
    assert_int_equal(zti_contest_next(results, ROWS, &target, values), TRANSFORM);
    results[TRANSFORM].expected.least = 100e3;
    assert_int_equal(zti_contest_next(results, ROWS, &target, values), ROWS);
    results[MULTIPLES].coded_bytes = 0;
    results[MULTIPLES].expected.bytes = 103e3;
    results[TRANSFORM].expected.bytes = 102e3;
    results[TRANSFORM].expected.least = 96e3;
    assert_int_equal(zti_contest_next(results, ROWS, &target, values), NEAR);
    results[NEAR].coded_bytes = 100e3; /* on the same boxes the transform takes 8 % more */
    results[NEAR].is_compared = true;
    assert_int_equal(zti_contest_next(results, ROWS, &target, values), MULTIPLES);
    results[MULTIPLES].expected.least = 98e3;
    assert_int_equal(zti_contest_next(results, ROWS, &target, values), ROWS);
    results[TRANSFORM].far_part = 1.04;
    assert_int_equal(zti_contest_next(results, ROWS, &target, values), TRANSFORM);
}

/* Of noise effort high makes the stream of effort default: it is made once. */
static void noise_is_coded_once(void **state)
{
    struct mem_sink sink = {.limit = SIZE_MAX};
    const zt_sink to = sink_of(&sink);
    const uint64_t shape[3] = {70, 70, 70};
    zt_array array = new_array(ZT_F32, 3, shape);
    zt_option options[64];
    zt_writer *writer = NULL;
    zt_params params;
    uint32_t coded = 0;
    (void)state;
    for (uint64_t i = 0; i < 70 * 70 * 70; i++)
        ((float *)array.data)[i] = (float)(mix64(3, i) % 60000) / 10000;
    (void)zt_params_init(&params, sizeof params);
    params.codec = ZT_CODEC_SZ;
    params.effort = ZT_EFFORT_HIGH;
    params.bound = zt_abs(0.01);
    zt_params_set_sz(&params, ZT_SZ_PREDICTION, 0);
    need_ok(NULL, zt_writer_open(NULL, &to, &array, &params, &writer));
    need_ok(NULL, zt_writer_put(writer, &array));
    need_ok(NULL, zt_writer_close(writer));
    const uint32_t count = zt_writer_options(writer, options, 64);
    for (uint32_t i = 0; i < count; i++)
        coded += options[i].coded_bytes > 0;
    assert_int_equal(count, 2);
    assert_int_equal(coded, 1);
    zt_writer_free(writer);
    free(sink.bytes.data);
    free(array.data);
}

/* The bytes of an array by effort high of sz, and whether all its bits come back. */
static size_t bytes_at_high(const zt_array *array, zt_bound bound, zt_sz_method method,
                            bool *is_same)
{
    zt_params params = params_of(bound);
    params.codec = ZT_CODEC_SZ;
    params.effort = ZT_EFFORT_HIGH;
    params.fills = 1;
    memcpy(params.fill, array->data, sizeof *params.fill);
    zt_params_set_sz(&params, method, 0);
    const struct bytes file = compress(array, &params);
    zt_array back = new_array(ZT_F64, 1, array->shape);
    need_ok(NULL, zt_decompress(NULL, file.data, file.n, &back));
    *is_same = memcmp(back.data, array->data, (size_t)array->shape[0] * sizeof(double)) == 0;
    free(file.data);
    free(back.data);
    return file.n;
}

/* Values with two decimals: bounds far below these take more bytes than no loss at all. */
static void what_is_smaller_without_loss_loses_nothing(void **state)
{
    const zt_bound bounds[] = {zt_abs(1e-5), zt_rel(1e-7), zt_psnr(160), zt_mae(1e-6)};
    const uint64_t shape[1] = {40000};
    const zt_array array = new_array(ZT_F64, 1, shape);
    bool is_same;
    (void)state;
    for (uint64_t i = 0; i < shape[0]; i++)
        ((double *)array.data)[i] =
            i % 997 == 0 ? (double)NAN : (double)((i * i / 5000 + mix64(5, i) % 30) % 9000) / 100;
    const size_t lossless = bytes_at_high(&array, zt_lossless(), ZT_SZ_OWN, &is_same);
    assert_true(is_same);
    for (uint32_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        assert_in_range(bytes_at_high(&array, bounds[i], ZT_SZ_OWN, &is_same), 1, lossless + 64);
        assert_true(is_same);
        assert_true(bytes_at_high(&array, bounds[i], ZT_SZ_PREDICTION, &is_same) >
                    lossless + lossless / 4);
        assert_false(is_same);
    }
    assert_true(bytes_at_high(&array, zt_abs(0.1), ZT_SZ_OWN, &is_same) < lossless);
    assert_false(is_same);
    free(array.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_is_coded_where_samples_were_wrong),
        cmocka_unit_test(a_fallback_is_coded_unless_it_was_compared),
        cmocka_unit_test(the_far_candidate_that_promises_most_is_first),
        cmocka_unit_test(of_a_large_array_few_candidates_are_coded),
        cmocka_unit_test(noise_is_coded_once),
        cmocka_unit_test(what_is_smaller_without_loss_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
