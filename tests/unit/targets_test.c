/* targets_test.c: bounds on mean errors, alone and beside one on each value, and limits of decoded
 * values: kept with every codec, policy and way through a file, and refused where they cannot be.
 */
#include "frame_support.h"
#include "ztile_expert.h"
#include "ztile_quality.h"

static const struct way {
    uint32_t codec, coder;
} ways[] = {{ZT_CODEC_SZ, CODER_DEFAULT},
            {ZT_CODEC_SZ, CODER_FAST},
            {ZT_CODEC_SZ, CODER_HIGH},
            {ZT_CODEC_SZ, CODER_CUSZ},
            {ZT_CODEC_SZ, CODER_TRANSFORM},
            {ZT_CODEC_SZ, CODER_MULTIPLES},
            {ZT_CODEC_ZFP, 0}};

enum { WAYS = sizeof ways / sizeof *ways };

/* With holes some values are NaN, some 1e20. */
static zt_array made_array(zt_type type, bool has_holes, uint64_t seed)
{
    static const uint64_t shape[] = {16, 30, 41};
    const zt_array a = rough_array(type, shape, seed);
    for (uint64_t i = 3; has_holes && i < values_of(3, shape); i += 19)
        set_number(&a, i, i % 2 ? (double)NAN : 1e20);
    return a;
}

static zt_quality quality_of(const zt_array *a, const zt_params *p, const struct bytes *file)
{
    zt_quality q;
    zt_array back = new_array((zt_type)a->type, a->rank, a->shape);
    assert_int_equal(zt_quality_init(&q, sizeof q), ZT_OK);
    q.fills = p->fills;
    memcpy(q.fill, p->fill, sizeof q.fill);
    q.within_lo = p->within_lo;
    q.within_hi = p->within_hi;
    q.abs_bound = info_of(file).abs_bound;
    assert_int_equal(zt_decompress(NULL, file->data, file->n, &back), ZT_OK);
    assert_int_equal(zt_compare(NULL, a, &back, &q), ZT_OK);
    free(back.data);
    return q;
}

/* What was reached, in the unit of the bound. */
static double reached_of(const zt_quality *q, uint32_t kind)
{
    const double range = q->max - q->min;
    return kind == ZT_PSNR       ? zt_quality_psnr(q)
           : kind == ZT_RMSE     ? zt_quality_rmse(q)
           : kind == ZT_RMSE_REL ? zt_quality_rmse(q) / range
           : kind == ZT_MAE      ? zt_quality_mae(q)
                                 : zt_quality_mae(q) / range;
}

static zt_params params_with(zt_bound bound, const struct way *way)
{
    zt_params p = params_of(bound);
    p.codec = way->codec;
    set_coder(&p, way->coder);
    return p;
}

/* Met, noted in the file, and with sz no more than 0.1 dB below. */
static void check_mean(const zt_array *a, const zt_params *p, zt_bound mean, bool is_tight)
{
    struct bytes file = compress(a, p);
    const zt_info info = info_of(&file);
    const zt_quality q = quality_of(a, p, &file);
    const double reached = reached_of(&q, mean.kind);
    const double most = mean.value * (1 + 1e-9), least = mean.value * 0.98855; /* 0.1 dB */
    if (!(reached <= most) || (is_tight && reached < least) ||
        fabs(info.mean_error - reached) > 1e-6 * reached)
        fail_msg("kind %u: asked %g, reached %g, noted %g", mean.kind, mean.value, reached,
                 info.mean_error);
    assert_int_equal(info.mean.kind, mean.kind);
    assert_true(info.mean.value == mean.value);
    assert_int_equal(q.beyond_bound, 0);
    assert_int_equal(q.special_changed, 0);
    free(file.data);
}

static void a_mean_error_is_met_and_not_by_much(void **state)
{
    unsigned number = 0;
    (void)state;
    for (zt_type type = ZT_F32; type <= ZT_I64; type++) {
        zt_array a = made_array(type, false, 1);
        for (uint32_t kind = ZT_RMSE; kind <= ZT_MAE_REL; kind++)
            for (double asked = 1e-5; asked < 0.01; asked *= 13)
                for (uint32_t way = 0; way < WAYS; way++) {
                    if (number++ % TEST_SHARE)
                        continue;
                    const bool is_of_range = kind == ZT_RMSE_REL || kind == ZT_MAE_REL;
                    const double value = is_of_range ? asked : 2e5 * asked * unit_of(type);
                    const zt_bound mean = zt_bound_of((zt_bound_kind)kind, value);
                    const zt_params p = params_with(mean, &ways[way]);
                    check_mean(&a, &p, mean, ways[way].codec == ZT_CODEC_SZ);
                }
        free(a.data);
    }
}

/* Both are kept: where the bound on each value is the tighter one, and where the mean is. */
static void a_mean_error_is_met_beside_a_bound(void **state)
{
    unsigned number = 0;
    (void)state;
    for (zt_type type = ZT_F32; type <= ZT_I64; type++) {
        zt_array a = made_array(type, type <= ZT_F64, 2);
        for (uint32_t turn = 0; turn < 16; turn++)
            for (uint32_t way = 0; way < WAYS; way++) {
                if (number++ % TEST_SHARE)
                    continue;
                const double each = turn & 1 ? 900 : 3e4, value = turn & 2 ? 30 : 1e3;
                const double unit = unit_of(type);
                const zt_bound mean = turn & 4 ? zt_rmse(value * unit) : zt_mae(value * unit);
                zt_params p =
                    params_with(turn & 8 ? zt_rel(each / 2.1e5) : zt_abs(each * unit), &ways[way]);
                p.mean = mean;
                if (type <= ZT_F64) {
                    p.fills = 1;
                    assert_int_equal(zt_fill_bits(type, 1e20, &p.fill[0]), ZT_OK);
                }
                const bool is_high = ways[way].coder == CODER_HIGH ||
                                     (ways[way].coder == CODER_TRANSFORM && type > ZT_F64);
                check_mean(&a, &p, mean,
                           ways[way].codec == ZT_CODEC_SZ && each > 4 * value && !is_high);
            }
        free(a.data);
    }
}

/* With the mean error as the step's measure the transform corrects few values. */
static void the_transform_takes_less_for_a_mean_and_a_wide_bound(void **state)
{
    zt_array a = made_array(ZT_F32, false, 3);
    const struct way transform = {ZT_CODEC_SZ, CODER_TRANSFORM};
    (void)state;
    zt_params p = params_with(zt_abs(1e3), &transform);
    p.mean = zt_rmse(200);
    struct bytes both = compress(&a, &p);
    p.bound = zt_rmse(200);
    p.mean = zt_lossless();
    struct bytes alone = compress(&a, &p);
    assert_true(both.n <= alone.n + alone.n / 20);
    free(both.data);
    free(alone.data);
    free(a.data);
}

/* 0 is lossless, and so is what has no range. */
static void no_error_is_lossless(void **state)
{
    zt_array a = made_array(ZT_F32, true, 4), b = new_array(ZT_F64, 3, a.shape);
    (void)state;
    for (uint64_t i = 0; i < values_of(3, b.shape); i++)
        ((double *)b.data)[i] = 1.5;
    for (uint32_t kind = ZT_RMSE; kind <= ZT_MAE_REL; kind++) {
        for (uint32_t is_even = 0; is_even < 2; is_even++) {
            const zt_array *const array = is_even ? &b : &a;
            const zt_params p =
                params_with(zt_bound_of((zt_bound_kind)kind, is_even ? 1e-3 : 0), &ways[0]);
            struct bytes file = compress(array, &p);
            const zt_quality q = quality_of(array, &p, &file);
            assert_true(q.different_values == 0 ||
                        (is_even && (kind == ZT_RMSE || kind == ZT_MAE)));
            free(file.data);
        }
    }
    free(a.data);
    free(b.data);
}

/* ---- limits ---- */

/* Values that decode beyond both ends without limits. */
static zt_array limited_array(zt_type type)
{
    zt_array a = made_array(type, type <= ZT_F64, 5);
    const double unit = unit_of(type);
    for (uint64_t i = 0; i < values_of(3, a.shape); i++) {
        if (type == ZT_F32 && ((float *)a.data)[i] < 1e10f) {
            float *const v = (float *)a.data + i;
            *v = *v < 0 ? 0 : *v > 9e4f ? 9e4f : *v;
        } else if (type == ZT_F64 && ((double *)a.data)[i] < 1e10) {
            double *const v = (double *)a.data + i;
            *v = *v < 0 ? 0 : *v > 9e4 ? 9e4 : *v;
        } else if (type == ZT_I32) {
            int32_t *const v = (int32_t *)a.data + i;
            *v = *v < 0 ? 0 : *v > 9e4 * unit ? (int32_t)(9e4 * unit) : *v;
        } else if (type == ZT_I64) {
            int64_t *const v = (int64_t *)a.data + i;
            *v = *v < 0 ? 0 : (double)*v > 9e4 * unit ? (int64_t)(9e4 * unit) : *v;
        }
    }
    return a;
}

static void check_box(const zt_array *a, const struct bytes *file)
{
    const zt_box box = {{2, 3, 4}, {9, 21, 40}};
    const uint64_t shape[] = {7, 18, 36};
    zt_array all = new_array((zt_type)a->type, 3, a->shape);
    zt_array part = new_array((zt_type)a->type, 3, shape);
    const size_t bytes = zt_type_bytes(a->type);
    assert_int_equal(zt_decompress(NULL, file->data, file->n, &all), ZT_OK);
    assert_int_equal(zt_decompress_box(NULL, file->data, file->n, &box, &part), ZT_OK);
    for (uint64_t i = 0; i < 7; i++)
        for (uint64_t j = 0; j < 18; j++)
            assert_memory_equal((char *)part.data + (i * 18 + j) * 36 * bytes,
                                (char *)all.data + (((i + 2) * 30 + j + 3) * 41 + 4) * bytes,
                                36 * bytes);
    free(all.data);
    free(part.data);
}

static void decoded_values_stay_within_limits(void **state)
{
    uint64_t beyond = 0;
    (void)state;
    for (uint32_t type = ZT_F32; type <= ZT_I64; type += TEST_SHARE == 1 ? 1 : 3) {
        const zt_array a = limited_array(type);
        const double unit = unit_of(type);
        const zt_bound bounds[] = {zt_abs(4e3 * unit), zt_rel(0.02), zt_mae(500 * unit), zt_rate(6),
                                   zt_lossless()};
        for (uint32_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
            for (uint32_t way = 0; way < WAYS; way++) {
                if (bounds[i].kind == ZT_RATE && ways[way].codec != ZT_CODEC_ZFP)
                    continue;
                zt_params p = params_with(bounds[i], &ways[way]);
                if (type <= ZT_F64) {
                    p.fills = 1;
                    assert_int_equal(zt_fill_bits(type, 1e20, &p.fill[0]), ZT_OK);
                }
                p.slab_bytes = way % 2 ? 1 << 15 : p.slab_bytes;
                struct bytes free_file = compress(&a, &p);
                zt_params limited = p;
                limited.within_lo = 0;
                limited.within_hi = i % 2 ? (double)NAN : 9e4 * unit;
                struct bytes file = compress(&a, &limited);
                const zt_info info = info_of(&file);
                assert_true(info.within_lo == 0);
                assert_true(i % 2 ? isnan(info.within_hi) : info.within_hi == 9e4 * unit);
                const zt_quality q = quality_of(&a, &limited, &file);
                assert_int_equal(q.outside, 0);
                assert_true(bounds[i].kind == ZT_RATE ||
                            (q.beyond_bound == 0 && q.special_changed == 0));
                check_box(&a, &file);
                zt_quality other = quality_of(&a, &limited, &free_file);
                beyond += other.outside;
                free(free_file.data);
                free(file.data);
            }
        free(a.data);
    }
    assert_true(beyond > 1000);
}

/* A target that limits help to keep is not missed by their help: the error is measured with them.
 */
static void a_mean_error_counts_limited_values(void **state)
{
    const zt_array a = limited_array(ZT_F32);
    (void)state;
    zt_params p = params_with(zt_rmse(1500), &ways[0]);
    p.fills = 1;
    assert_int_equal(zt_fill_bits(ZT_F32, 1e20, &p.fill[0]), ZT_OK);
    p.within_lo = 0;
    p.within_hi = 9e4;
    struct bytes file = compress(&a, &p);
    const zt_info info = info_of(&file);
    const zt_quality q = quality_of(&a, &p, &file);
    assert_true(fabs(info.mean_error - zt_quality_rmse(&q)) < 1e-6 * info.mean_error);
    free(file.data);
    free(a.data);
}

static void values_outside_of_limits_are_refused(void **state)
{
    zt_context *context = NULL;
    (void)state;
    assert_int_equal(zt_context_new(NULL, &context), ZT_OK);
    for (zt_type type = ZT_F32; type <= ZT_I64; type++) {
        const zt_array a = made_array(type, false, 6);
        const double unit = unit_of(type);
        for (uint32_t i = 0; i < 3; i++) {
            zt_params p = params_with(i == 2 ? zt_lossless() : zt_abs(unit), &ways[0]);
            size_t capacity = 0, n;
            *(i ? &p.within_hi : &p.within_lo) = (i ? 9e4 : -9e4) * unit;
            need_ok(context, zt_compress_bound(context, &a, &p, &capacity));
            void *const out = need(capacity);
            need_failure(context, zt_compress(context, &a, &p, out, capacity, &n), ZT_BAD_ARG,
                         "fill values");
            free(out);
        }
        free(a.data);
    }
    zt_context_free(context);
}

/* ---- what cannot be ---- */

static void refuse(zt_context *context, const zt_params *p, zt_status wanted, const char *word)
{
    const zt_array a = made_array(ZT_F32, false, 7);
    size_t capacity = 0, n;
    void *out = NULL;
    zt_status status = zt_compress_bound(context, &a, p, &capacity);
    if (status == ZT_OK) {
        out = need(capacity);
        status = zt_compress(context, &a, p, out, capacity, &n);
    }
    need_failure(context, status, wanted, word);
    free(out);
    free(a.data);
}

static void what_cannot_be_kept_is_refused(void **state)
{
    zt_context *context = NULL;
    (void)state;
    assert_int_equal(zt_context_new(NULL, &context), ZT_OK);
    const zt_bound beside[] = {zt_lossless(), zt_pwrel(0.1), zt_psnr(50), zt_rmse(3),
                               zt_bound_of(ZT_RATE, 8)};
    for (uint32_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        zt_params p = params_of(beside[i]);
        p.mean = zt_mae(1);
        refuse(context, &p, ZT_BAD_ARG, "alone or beside");
    }
    zt_params p = params_of(zt_abs(1));
    p.mean = zt_rel(1e-3);
    refuse(context, &p, ZT_BAD_ARG, "mean");
    p.mean = zt_rmse(-1);
    refuse(context, &p, ZT_BAD_ARG, "mean error");
    p.mean = zt_rmse((double)NAN);
    refuse(context, &p, ZT_BAD_ARG, "mean error");
    p.mean = zt_lossless();
    p.within_lo = 2;
    p.within_hi = 1;
    refuse(context, &p, ZT_BAD_ARG, "ascending");
    p.within_hi = (double)INFINITY;
    refuse(context, &p, ZT_BAD_ARG, "finite");
    p = params_of(zt_rmse(1));
    p.codec = ZT_CODEC_NDZIP;
    refuse(context, &p, ZT_UNSUPPORTED, "ndzip");
    zt_context_free(context);
}

/* A writer needs the range for a mean of it; with it, and on any policy, it writes the bytes of
 * zt_compress. */
static void writers_and_policies_write_the_same_bytes(void **state)
{
    const zt_array a = limited_array(ZT_F64);
    zt_context *context = NULL;
    (void)state;
    assert_int_equal(zt_context_new(NULL, &context), ZT_OK);
    for (uint32_t way = 0; way < WAYS; way++) {
        zt_params p = params_with(zt_abs(2e3), &ways[way]);
        p.mean = zt_bound_of(ZT_MAE_REL, 1e-3);
        p.within_lo = 0;
        p.fills = 1;
        assert_int_equal(zt_fill_bits(ZT_F64, 1e20, &p.fill[0]), ZT_OK);
        p.slab_bytes = 1 << 16;
        struct bytes file = compress(&a, &p);
        struct mem_sink sunk = {.limit = SIZE_MAX};
        const zt_sink sink = sink_of(&sunk);
        zt_writer *writer = NULL;
        need_failure(context, zt_writer_open(context, &sink, &a, &p, &writer), ZT_BAD_ARG, "range");
        const zt_omp omp = {.threads = 1 + way};
        need_ok(context, zt_context_set_omp(context, &omp));
        p.range_lo = 0;
        p.range_hi = 9e4;
        need_ok(context, zt_writer_open(context, &sink, &a, &p, &writer));
        need_ok(context, zt_writer_put(writer, &a));
        need_ok(context, zt_writer_close(writer));
        assert_true(zt_writer_mean_error(writer) <= 1e-3);
        zt_writer_free(writer);
        assert_int_equal(sunk.bytes.n, file.n);
        assert_memory_equal(sunk.bytes.data, file.data, file.n);
        free(sunk.bytes.data);
        free(file.data);
    }
    zt_context_free(context);
    free(a.data);
}

static void writers_tell_what_was_reached(void **state)
{
    static const uint32_t kinds[] = {ZT_PSNR, ZT_RMSE_REL, ZT_ABS};
    const zt_array a = made_array(ZT_F32, true, 3);
    (void)state;
    for (uint32_t k = 0; k < 3; k++) {
        zt_params p = params_with(zt_bound_of(kinds[k], kinds[k] == ZT_PSNR ? 60 : 1e-3), &ways[0]);
        struct mem_sink sunk = {.limit = SIZE_MAX};
        const zt_sink sink = sink_of(&sunk);
        zt_writer *writer = NULL;
        p.range_lo = -1e4;
        p.range_hi = 1e4;
        need_ok(NULL, zt_writer_open(NULL, &sink, &a, &p, &writer));
        need_ok(NULL, zt_writer_put(writer, &a));
        need_ok(NULL, zt_writer_close(writer));
        assert_true(zt_writer_special_values(writer) > 0);
        const double psnr = zt_writer_psnr(writer), mean = zt_writer_mean_error(writer);
        assert_true(kinds[k] == ZT_PSNR ? psnr >= 60 && psnr == mean : isnan(psnr));
        assert_true(kinds[k] == ZT_RMSE_REL ? mean <= 1e-3 : kinds[k] == ZT_PSNR || isnan(mean));
        zt_writer_free(writer);
        free(sunk.bytes.data);
    }
    assert_int_equal(zt_writer_special_values(NULL), 0);
    assert_true(isnan(zt_writer_psnr(NULL)) && isnan(zt_writer_mean_error(NULL)));
    free(a.data);
}

static void options_are_told_under_every_bound(void **state)
{
    static const uint32_t kinds[] = {ZT_ABS, ZT_REL, ZT_PWREL, ZT_PSNR, ZT_RMSE_REL, ZT_MAE_REL};
    const zt_array a = made_array(ZT_F32, false, 5);
    zt_option options[64];
    zt_context *context = NULL;
    uint32_t count;
    (void)state;
    assert_int_equal(zt_context_new(NULL, &context), ZT_OK);
    for (uint32_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        zt_params p = params_with(zt_bound_of(kinds[k], kinds[k] == ZT_PSNR ? 60 : 1e-3), &ways[0]);
        count = 0;
        need_ok(context, zt_plan_options(context, &a, &p, options, 64, &count));
        assert_in_range(count, 1, 64);
        assert_int_equal(options[0].codec, ZT_CODEC_SZ);
        assert_true(options[0].stream_bytes > 0 || options[0].coded_bytes > 0);
    }
    zt_params p = params_of(zt_bound_of(ZT_REL, 1e-3)); /* whatever its plan is */
    bool has_zfp = false;
    p.plan = ZT_PLAN_OFF;
    need_ok(context, zt_plan_options(context, &a, &p, options, 64, &count));
    for (uint32_t i = 0; i < count; i++)
        has_zfp |= options[i].codec == ZT_CODEC_ZFP;
    assert_true(has_zfp);
    p = params_with(zt_bound_of(ZT_PWREL, 1e-3), &ways[WAYS - 1]);
    need_failure(context, zt_plan_options(context, &a, &p, options, 64, &count), ZT_UNSUPPORTED,
                 "relative to each value");
    need_failure(context, zt_plan_options(context, &a, &p, options, 0, &count), ZT_BAD_ARG, "room");
    zt_context_free(context);
    free(a.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mean_error_is_met_and_not_by_much),
        cmocka_unit_test(a_mean_error_is_met_beside_a_bound),
        cmocka_unit_test(the_transform_takes_less_for_a_mean_and_a_wide_bound),
        cmocka_unit_test(no_error_is_lossless),
        cmocka_unit_test(decoded_values_stay_within_limits),
        cmocka_unit_test(a_mean_error_counts_limited_values),
        cmocka_unit_test(values_outside_of_limits_are_refused),
        cmocka_unit_test(what_cannot_be_kept_is_refused),
        cmocka_unit_test(writers_and_policies_write_the_same_bytes),
        cmocka_unit_test(writers_tell_what_was_reached),
        cmocka_unit_test(options_are_told_under_every_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
