/* plan_boxes_test.c: samples and boxes that threads look at before all of an array is coded. */
#include "unit/frame_support.h"
#include "ztile_expert.h"
#include "ztile_sz.h"

#include "plan/contest.h"
#include "plan/look.h"

#include <math.h>

static const struct zti_boxes boxes = {2, 1 << 17};

/* Boxes of two coders are compared on one thread or several; one of them may lack memory. */
static void boxes_are_compared_alike_on_threads(void **state)
{
    const uint64_t shape[] = {96, 96, 96};
    zt_array a = new_array(ZT_F32, 3, shape);
    struct zti_candidate list[ZTI_CANDIDATES_MOST];
    struct zti_array array;
    const double bound = 1e-21; /* of values up to 6e-20 */
    zt_params params = params_of(zt_abs(bound));
    (void)state;
    fill_array(&a, DATA_WAVE_NOISE, 3);
    params.codec = ZT_CODEC_SZ;
    params.effort = ZT_EFFORT_HIGH;
    assert_int_equal(zti_array_check(NULL, &a, ZTI_TO_READ, &array), ZT_OK);
    const uint32_t n = zti_candidates(ZT_F32, true, &params, list);
    assert_true(n == 5 && list[1].has_own_predictor && list[2].is_far && list[4].is_lossless);
    const struct zti_target target = {.kind = ZT_ABS, .abs_bound = bound, .params = &params};
    double wanted = 0;
    uint64_t calls = 0;
    for (uint32_t threads = 0; threads < 8; threads += threads < 3 ? 1 : 2) {
        struct counted memory;
        zt_context *const context = counted_context(&memory);
        const zt_omp omp = {.threads = threads};
        double part = 0;
        if (threads > 0)
            need_ok(context, zt_context_set_omp(context, &omp));
        need_ok(context, zti_plan_compare_boxes(context, &array, &list[2], &list[1], &target,
                                                &boxes, &part));
        wanted = threads == 0 ? part : wanted;
        assert_true(part > 0 && memcmp(&part, &wanted, sizeof part) == 0);
        calls = threads == 0 ? memory.calls : calls;
        for (uint64_t left = 0; left < calls; left += 1 + calls / (TEST_SHARE == 1 ? 5 : 2)) {
            memory.calls_left = (int64_t)left;
            need_failure(
                context,
                zti_plan_compare_boxes(context, &array, &list[2], &list[1], &target, &boxes, &part),
                ZT_NO_MEMORY, "no memory");
        }
        zt_context_free(context);
        assert_int_equal(memory.held, 0);
    }
    free(a.data);
}

/* A few boxes tell how many bytes each of three coders takes for an array with a rough part, to
 * within a tenth, and the same on one thread or several. */
static void what_to_expect_is_told_by_boxes(void **state)
{
    enum { SIDE = 164, CODERS = 3 };
    static const uint64_t shape[3] = {SIDE, SIDE, SIDE};
    const zt_array a = new_array(ZT_F32, 3, shape);
    struct zti_candidate all[ZTI_CANDIDATES_MOST], list[CODERS];
    struct zti_expected wanted[CODERS], got[CODERS];
    struct zti_array array;
    struct rng r = {5};
    zt_params params = params_of(zt_abs(1e-3));
    (void)state;
    for (uint32_t i = 0; i < SIDE * SIDE * SIDE; i++) {
        const double z = i / (SIDE * SIDE), y = i / SIDE % SIDE, x = i % SIDE;
        const double rough = x < 30 ? 0.03 : 1e-4; /* few boxes see it */
        ((float *)a.data)[i] = (float)(sin(x / 9 + z / 30) * cos(y / 7) + rough * rng_unit(&r));
    }
    params.codec = ZT_CODEC_SZ;
    params.effort = ZT_EFFORT_HIGH;
    assert_int_equal(zti_array_check(NULL, &a, ZTI_TO_READ, &array), ZT_OK);
    const uint32_t n = zti_candidates(ZT_F32, true, &params, all);
    assert_true(n == 5 && all[1].has_own_predictor && all[2].method == ZT_SZ_MULTIPLES &&
                all[3].method == ZT_SZ_TRANSFORM);
    memcpy(list, &all[1], sizeof list);
    const struct zti_target target = {
        .kind = ZT_ABS, .abs_bound = 1e-3, .min = -1, .max = 1.03, .params = &params};
    need_ok(NULL, zti_plan_expect(NULL, &array, list, CODERS, &target, wanted));
    for (uint32_t i = 0; i < CODERS; i++) {
        zt_params own = params;
        set_coder(&own, i == 0 ? CODER_HIGH : i == 1 ? CODER_MULTIPLES : CODER_TRANSFORM);
        struct bytes file = compress(&a, &own);
        const double bytes = (double)file.n;
        if (fabs(wanted[i].bytes - bytes) > bytes / 10 || wanted[i].least > bytes)
            fail_msg("coder %u takes %zu bytes, %.0f expected, %.0f at least", i, file.n,
                     wanted[i].bytes, wanted[i].least);
        free(file.data);
    }
    for (uint32_t threads = 2; threads < 8; threads += 3) {
        struct counted memory;
        zt_context *const context = counted_context(&memory);
        const zt_omp omp = {.threads = threads};
        need_ok(context, zt_context_set_omp(context, &omp));
        need_ok(context, zti_plan_expect(context, &array, list, CODERS, &target, got));
        assert_memory_equal(got, wanted, sizeof wanted);
        const uint64_t calls = memory.calls;
        for (uint64_t left = 0; left < calls; left += 1 + calls / 3) {
            memory.calls_left = (int64_t)left;
            need_failure(context, zti_plan_expect(context, &array, list, CODERS, &target, got),
                         ZT_NO_MEMORY, "no memory");
        }
        zt_context_free(context);
        assert_int_equal(memory.held, 0);
    }
    free(a.data);
}

/* Of large arrays effort high takes a coder that is nearly the best, though boxes say little: most
 * of the first array are zeros, of the second all coders need a few bytes, and boxes of the third
 * are longer than they are without the transform unless its step is another one. */
static void a_coder_is_found_where_boxes_say_little(void **state)
{
    enum { ZEROS, FEW, STEEP, ARRAYS };
    static const uint64_t shapes[ARRAYS][ZT_MAX_RANK] = {
        {1900, 2300}, {(1 << 22) + 9}, {12, 30, 108, 110}};
    static const uint32_t ranks[ARRAYS] = {2, 1, 4},
                          coders[] = {CODER_TRANSFORM, CODER_MULTIPLES, CODER_HIGH};
    (void)state;
    for (uint32_t k = 0; k < ARRAYS; k += TEST_SHARE == 1 ? 1 : 2) {
        const zt_array a = new_array(ZT_F64, ranks[k], shapes[k]);
        const uint64_t n = values_of(a.rank, a.shape);
        zt_params params = params_of(zt_abs(k == FEW ? 1e-3 : 1e-4));
        size_t least = SIZE_MAX;
        for (uint64_t i = 0; i < n; i++) {
            const double x = (double)(i % shapes[k][ranks[k] - 1]), all = (double)i / (double)n;
            const double wave = sin(x / 40 + 9 * all) + sin(x / 9 - 30 * all) / 2;
            ((double *)a.data)[i] = k == ZEROS ? (all < 0.6 ? 0 : wave)
                                    : k == FEW ? sin((double)i / 2e4)
                                               : exp(2 * wave);
        }
        params.codec = ZT_CODEC_SZ;
        for (uint32_t c = 0; c < 3; c++) {
            set_coder(&params, coders[c]);
            struct bytes file = compress(&a, &params);
            least = file.n < least ? file.n : least;
            free(file.data);
        }
        params.effort = ZT_EFFORT_HIGH;
        zt_params_set_sz(&params, ZT_SZ_OWN, 0);
        struct bytes high = compress(&a, &params);
        if (high.n > least + least / 50 + 256)
            fail_msg("array %u: high takes %zu bytes, the best coder %zu", k, high.n, least);
        free(high.data);
        free(a.data);
    }
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

/* Waves that are long beside the distance of values, and noise of this amplitude. */
static zt_array long_waves(zt_type type, uint32_t rank, double noise)
{
    const uint64_t shapes[][ZT_MAX_RANK] = {{40000}, {190, 210}, {30, 40, 35}, {12, 18, 14, 16}};
    const zt_array a = new_array(type, rank, shapes[rank - 1]);
    struct rng r = {rank};
    uint64_t at[ZT_MAX_RANK] = {0};
    for (uint64_t i = 0; i < values_of(rank, a.shape); i++) {
        double v = 0;
        for (uint32_t k = 0; k < rank; k++)
            v += sin((double)at[k] / (rank == 1 ? 300 : 12 + 3 * k) + k);
        v += noise * (rng_unit(&r) - 0.5);
        if (type == ZT_F32)
            ((float *)a.data)[i] = (float)v;
        else if (type == ZT_F64)
            ((double *)a.data)[i] = v;
        else
            ((int32_t *)a.data)[i] = (int32_t)(1e6 * v);
        for (uint32_t k = rank; k-- > 0 && ++at[k] == a.shape[k];)
            at[k] = 0;
    }
    return a;
}

/* The bytes of a file and the effort of its coder; the file is the same on any number of threads.
 */
static size_t file_bytes(const zt_array *array, const zt_params *params, uint32_t *effort)
{
    struct bytes file = compress(array, params);
    zt_info info = {.struct_bytes = sizeof info};
    zt_sz_info sz;
    assert_int_equal(zt_inspect(NULL, file.data, file.n, &info), ZT_OK);
    assert_int_equal(zt_info_sz(&info, &sz), ZT_OK);
    *effort = sz.effort;
    for (uint32_t threads = 2; threads < 8; threads += 3) {
        zt_context *context = NULL;
        const zt_omp omp = {.threads = threads};
        size_t n = 0;
        unsigned char *const other = malloc(file.capacity);
        assert_non_null(other);
        need_ok(NULL, zt_context_new(NULL, &context));
        need_ok(context, zt_context_set_omp(context, &omp));
        need_ok(context, zt_compress(context, array, params, other, file.capacity, &n));
        assert_int_equal(n, file.n);
        assert_memory_equal(other, file.data, n);
        free(other);
        zt_context_free(context);
    }
    free(file.data);
    return file.n;
}

/* Effort default with a plan interpolates smooth floats, and nothing else. */
static void effort_default_interpolates_where_that_halves_the_file(void **state)
{
    static const zt_type types[] = {ZT_F32, ZT_F64, ZT_I32};
    (void)state;
    for (uint32_t i = 0; i < 12; i += TEST_SHARE == 1 ? 1 : 4) {
        const zt_type type = types[i % 3];
        const uint32_t rank = 1 + i / 3;
        const double unit = type == ZT_I32 ? 1e6 : 1;
        const zt_array smooth = long_waves(type, rank, 0), rough = long_waves(type, rank, 0.05);
        zt_params params = params_of(zt_abs(4e-3 * unit));
        uint32_t effort = 0;
        params.codec = ZT_CODEC_SZ;
        params.prefer = ZT_PREFER_SPEED;
        const size_t differences = file_bytes(&smooth, &params, &effort);
        assert_int_equal(effort, ZT_EFFORT_DEFAULT);
        params.prefer = ZT_PREFER_RATIO;
        params.plan = ZT_PLAN_ON;
        const size_t chosen = file_bytes(&smooth, &params, &effort);
        if (effort != (type == ZT_I32 ? ZT_EFFORT_DEFAULT : ZT_EFFORT_HIGH) ||
            (type != ZT_I32 && 2 * chosen > differences))
            fail_msg("type %u, rank %u: effort %u takes %zu bytes, differences %zu", (uint32_t)type,
                     rank, effort, chosen, differences);
        (void)file_bytes(&rough, &params, &effort);
        assert_int_equal(effort, ZT_EFFORT_DEFAULT);
        params.prefer = ZT_PREFER_SPEED;
        (void)file_bytes(&smooth, &params, &effort);
        assert_int_equal(effort, ZT_EFFORT_DEFAULT);
        free(smooth.data);
        free(rough.data);
    }
}

/* Boxes of zeros, as the middle of this array, do not tell that interpolation halves the file. */
static void boxes_of_zeros_do_not_count(void **state)
{
    enum { SIDE = 128, ROUGH = 12 };
    static const uint64_t shape[3] = {SIDE, SIDE, SIDE};
    const zt_array a = new_array(ZT_F32, 3, shape);
    zt_params params = params_of(zt_abs(1e-2));
    struct rng r = {5};
    uint32_t effort = 0;
    (void)state;
    memset(a.data, 0, SIDE * SIDE * SIDE * sizeof(float));
    params.codec = ZT_CODEC_SZ;
    params.plan = ZT_PLAN_ON;
    (void)file_bytes(&a, &params, &effort);
    assert_int_not_equal(effort, ZT_EFFORT_HIGH);
    for (uint32_t i = 0; i < ROUGH * SIDE * SIDE; i++)
        ((float *)a.data)[i] = (float)rng_unit(&r);
    (void)file_bytes(&a, &params, &effort);
    assert_int_equal(effort, ZT_EFFORT_DEFAULT);
    free(a.data);
}

/* Effort high takes the transform, which is much the smaller, though two boxes are zeros: they say
 * that it is larger, as its head is. */
static void boxes_of_zeros_hide_no_coder(void **state)
{
    enum { ROWS = 1024, WAVES = ROWS / 4, COLUMNS = 1024 };
    static const uint64_t shape[2] = {ROWS, COLUMNS};
    const zt_array a = new_array(ZT_F64, 2, shape);
    zt_params params = params_of(zt_abs(1e-6));
    double *const v = a.data;
    (void)state;
    memset(v, 0, ROWS * COLUMNS * sizeof *v);
    for (uint32_t i = 0; i < WAVES * COLUMNS; i++)
        v[i] = sin(i / COLUMNS / 9.0) * cos(i % COLUMNS / 7.0);
    params.codec = ZT_CODEC_SZ;
    set_coder(&params, CODER_TRANSFORM);
    struct bytes transform = compress(&a, &params);
    set_coder(&params, CODER_HIGH);
    struct bytes prediction = compress(&a, &params);
    params = params_of(zt_abs(1e-6));
    params.codec = ZT_CODEC_SZ;
    params.effort = ZT_EFFORT_HIGH;
    struct bytes high = compress(&a, &params);
    if (2 * transform.n > prediction.n || high.n > transform.n + transform.n / 100)
        fail_msg("high takes %zu bytes, the transform %zu, prediction %zu", high.n, transform.n,
                 prediction.n);
    free(transform.data);
    free(prediction.data);
    free(high.data);
    free(a.data);
}

/* Coders choose ways by samples: of five fields that are not alike, and fifteen times as many
 * zeros, they find the fields. */
static void samples_are_not_of_zeros(void **state)
{
    enum { FIELDS = 5, TIMES = 16, VALUES = 12 * 30 * 30 };
    static const uint64_t shape[4] = {TIMES * FIELDS, 12, 30, 30};
    const zt_array a = new_array(ZT_F32, 4, shape);
    zt_array fields = a;
    float *const v = a.data;
    (void)state;
    fields.shape[0] = FIELDS;
    memset(v, 0, TIMES * FIELDS * VALUES * sizeof *v);
    for (uint32_t i = 0; i < FIELDS * VALUES; i++) {
        const double f = i / VALUES, z = i / 900 % 12, y = i / 30 % 30, x = i % 30;
        v[i] = (float)(100 * f + sin(x / 9 + f * f) * cos(y / 7 - f) + z / 9);
    }
    for (uint32_t i = 0; i < 2; i++) {
        zt_params params = params_of(zt_abs(1e-3));
        params.codec = ZT_CODEC_SZ;
        set_coder(&params, i == 0 ? CODER_HIGH : CODER_TRANSFORM);
        struct bytes dense = compress(&fields, &params), all = compress(&a, &params);
        if (all.n > dense.n + dense.n / 2) /* nearly twice that, and more, by samples of zeros */
            fail_msg("%u: fields take %zu bytes, with zeros %zu", i, dense.n, all.n);
        free(dense.data);
        free(all.data);
    }
    free(a.data);
}

/* What 'auto' chose with the first frame codes the second, though effort default by itself would be
 * replaced. */
static void later_frames_are_not_interpolated_where_speed_counts(void **state)
{
    static const uint64_t shape[2] = {384, 224};
    const zt_array a = new_array(ZT_F64, 2, shape);
    zt_params params = params_of(zt_abs(2.5e-3));
    (void)state;
    for (uint64_t i = 0; i < shape[0] * shape[1]; i++)
        ((double *)a.data)[i] = sin((double)(i / 224 % 192) / 12) + sin(1 + (double)(i % 224) / 15);
    params.codec = ZT_CODEC_AUTO;
    params.plan = ZT_PLAN_ON;
    params.prefer = ZT_PREFER_BALANCED;
    params.slab_bytes = 192 * 224 * sizeof(double);
    struct bytes both = compress(&a, &params);
    const zt_info info = info_of(&both);
    assert_true(info.frames == 2 && info.codec == ZT_CODEC_SZ);
    params.codec = ZT_CODEC_SZ;
    struct bytes interpolated = compress(&a, &params);
    assert_true(4 * interpolated.n < both.n); /* of both frames; of one it would be less */
    free(both.data);
    free(interpolated.data);
    free(a.data);
}

/* Without a plan, small arrays of smooth values are interpolated, and no others. */
static void small_smooth_arrays_are_interpolated_without_a_plan(void **state)
{
    static const zt_type types[] = {ZT_F32, ZT_F64, ZT_I32};
    static const uint64_t large[3] = {128, 64, 36};
    (void)state;
    for (uint32_t i = 0; i < 12; i += TEST_SHARE == 1 ? 1 : 4) {
        const zt_type type = types[i % 3];
        const double unit = type == ZT_I32 ? 1e6 : 1;
        const zt_array smooth = long_waves(type, 1 + i / 3, 0);
        const zt_array rough = long_waves(type, 1 + i / 3, 0.05);
        zt_params params = params_of(zt_abs(4e-3 * unit));
        uint32_t effort = 0;
        params.codec = ZT_CODEC_SZ;
        const size_t chosen = file_bytes(&smooth, &params, &effort);
        if (effort != (type == ZT_I32 ? ZT_EFFORT_DEFAULT : ZT_EFFORT_HIGH))
            fail_msg("type %u, rank %u: effort %u", (uint32_t)type, 1 + i / 3, effort);
        (void)file_bytes(&rough, &params, &effort);
        assert_int_equal(effort, ZT_EFFORT_DEFAULT);
        params.bound = zt_abs(unit); /* hardly a value differs from the one before it */
        (void)file_bytes(&smooth, &params, &effort);
        assert_int_not_equal(effort, ZT_EFFORT_HIGH);
        params.bound = zt_abs(4e-3 * unit);
        params.prefer = ZT_PREFER_SPEED;
        const size_t differences = file_bytes(&smooth, &params, &effort);
        assert_int_equal(effort, ZT_EFFORT_DEFAULT);
        assert_true(type == ZT_I32 || 3 * chosen < differences);
        free(smooth.data);
        free(rough.data);
    }
    const zt_array a = new_array(ZT_F32, 3, large);
    zt_params params = params_of(zt_abs(1e-3));
    uint32_t effort = 0;
    for (uint64_t k = 0; k < values_of(3, large); k++)
        ((float *)a.data)[k] = sinf((float)k / 300);
    params.codec = ZT_CODEC_SZ;
    (void)file_bytes(&a, &params, &effort);
    assert_int_equal(effort, ZT_EFFORT_DEFAULT);
    free(a.data);
}

/* One smooth axis is enough; axes of less than seven values and arrays with NaN are not smooth. */
static void smooth_values_are_found_along_one_axis(void **state)
{
    const uint64_t shapes[][2] = {{300, 40}, {300, 7}, {7, 6}, {6, 6}};
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        const uint64_t *const shape = shapes[i / 2];
        const zt_array a = new_array(ZT_F64, 2, shape);
        struct zti_array array;
        for (uint64_t k = 0; k < shape[0] * shape[1]; k++) {
            const uint64_t along = k / shape[1], across = k % shape[1];
            ((double *)a.data)[k] = (double)(along * along) + (double)(across * 7919 % 13);
        }
        if (i % 2)
            for (uint64_t k = 0; k < shape[0] * shape[1]; k += 3)
                ((double *)a.data)[k] = (double)NAN;
        assert_int_equal(zti_array_check(NULL, &a, ZTI_TO_READ, &array), ZT_OK);
        assert_int_equal(zti_is_smooth(&array, 1e-6), i % 2 == 0 && shape[0] > 6);
        free(a.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_compared_alike_on_threads),
        cmocka_unit_test(what_to_expect_is_told_by_boxes),
        cmocka_unit_test(a_coder_is_found_where_boxes_say_little),
        cmocka_unit_test(samples_are_looked_at_alike_on_threads),
        cmocka_unit_test(effort_default_interpolates_where_that_halves_the_file),
        cmocka_unit_test(boxes_of_zeros_do_not_count),
        cmocka_unit_test(boxes_of_zeros_hide_no_coder),
        cmocka_unit_test(samples_are_not_of_zeros),
        cmocka_unit_test(later_frames_are_not_interpolated_where_speed_counts),
        cmocka_unit_test(small_smooth_arrays_are_interpolated_without_a_plan),
        cmocka_unit_test(smooth_values_are_found_along_one_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
