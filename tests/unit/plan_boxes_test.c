/* plan_boxes_test.c: samples and boxes that threads look at before all of an array is coded. */
#include "unit/frame_support.h"
#include "ztile_expert.h"

#include "plan/choose.h"
#include "plan/contest.h"

/* Boxes of two coders are compared on one thread or several; one of them may lack memory. */
static void boxes_are_compared_alike_on_threads(void **state)
{
    const uint64_t shape[] = {96, 96, 96};
    zt_array a = new_array(ZT_F32, 3, shape);
    struct zti_candidate list[ZTI_CANDIDATES_MOST];
    struct zti_array array;
    zt_params params = params_of(zt_abs(1e-2));
    (void)state;
    fill_array(&a, DATA_WAVE_NOISE, 3);
    params.codec = ZT_CODEC_SZ;
    params.effort = ZT_EFFORT_HIGH;
    assert_int_equal(zti_array_check(NULL, &a, ZTI_TO_READ, &array), ZT_OK);
    const uint32_t n = zti_candidates(ZT_F32, true, &params, list);
    assert_true(n == 4 && list[1].has_own_predictor && list[2].is_far && list[3].is_lossless);
    const struct zti_target target = {.kind = ZT_ABS, .abs_bound = 1e-2, .params = &params};
    double wanted = 0;
    uint64_t calls = 0;
    for (uint32_t threads = 0; threads < 8; threads += threads < 3 ? 1 : 2) {
        struct counted memory;
        zt_context *const context = counted_context(&memory);
        const zt_omp omp = {.threads = threads};
        double part = 0;
        if (threads > 0)
            need_ok(context, zt_context_set_omp(context, &omp));
        need_ok(context,
                zti_plan_compare_boxes(context, &array, &list[2], &list[1], &target, &part));
        wanted = threads == 0 ? part : wanted;
        assert_true(part > 0 && memcmp(&part, &wanted, sizeof part) == 0);
        calls = threads == 0 ? memory.calls : calls;
        for (uint64_t left = 0; left < calls; left += 1 + calls / (TEST_SHARE == 1 ? 5 : 2)) {
            memory.calls_left = (int64_t)left;
            need_failure(
                context,
                zti_plan_compare_boxes(context, &array, &list[2], &list[1], &target, &part),
                ZT_NO_MEMORY, "no memory");
        }
        zt_context_free(context);
        assert_int_equal(memory.held, 0);
    }
    free(a.data);
}

/* What samples say does not depend on threads. */
static void samples_are_looked_at_alike_on_threads(void **state)
{
    static const uint64_t shapes[][3] = {{70, 91, 80}, {9, 4, 7}, {3, 500, 200}};
    (void)state;
    for (uint32_t k = 0; k < 9; k += TEST_SHARE == 1 ? 1 : 4) {
        const zt_type type = k % 3 == 0 ? ZT_F32 : k % 3 == 1 ? ZT_F64 : ZT_I32;
        zt_array a = new_array(type, 3, shapes[k / 3]);
        zt_params params = params_of(k % 2 == 0 ? zt_abs(1e-2) : zt_lossless());
        zt_option wanted[64], got[64];
        uint32_t all = 0, n = 0;
        fill_array(&a, DATA_WAVE_NOISE, k);
        params.codec = ZT_CODEC_SZ;
        need_ok(NULL, zt_plan_options(NULL, &a, &params, wanted, 64, &all));
        for (uint32_t threads = 2; threads < 8; threads += 1 + threads / 3) {
            zt_context *context = NULL;
            const zt_omp omp = {.threads = threads};
            need_ok(NULL, zt_context_new(NULL, &context));
            need_ok(context, zt_context_set_omp(context, &omp));
            need_ok(context, zt_plan_options(context, &a, &params, got, 64, &n));
            assert_int_equal(n, all);
            assert_memory_equal(got, wanted, n * sizeof *got);
            zt_context_free(context);
        }
        free(a.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_compared_alike_on_threads),
        cmocka_unit_test(samples_are_looked_at_alike_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
