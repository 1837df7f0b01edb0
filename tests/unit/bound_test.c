/* bound_test.c: absolute bounds on tiles made to break them: values just below what the bound is
 * of, and coefficients that all lose the most that dropping planes can take. */
#include "frame_support.h"

#include <float.h>

/* What four values become in a file. */
static void through_a_file(zt_type type, const void *values, double bound, void *back)
{
    const uint64_t n = 4;
    zt_array a = zt_array_const_nd(values, type, 1, &n), b = zt_array_nd(back, type, 1, &n);
    zt_params p = params_of(zt_abs(bound));
    struct bytes file = compress(&a, &p);
    assert_int_equal(zt_decompress(NULL, file.data, file.n, &b), ZT_OK);
    free(file.data);
}

static void need_within(zt_type type, const void *values, const void *back, double bound)
{
    const size_t bytes = zt_type_bytes(type);
    for (size_t i = 0; i < 4; i++)
        assert_true(is_within_exactly(type, (const char *)values + i * bytes,
                                      (const char *)back + i * bytes, bound));
}

/* Of a tile below half the bound, the few planes coded can come back as more than the integers of
 * a decoder hold, which then change sign. */
static void tiles_of_half_the_bound_do_not_wrap(void **state)
{
    (void)state;
    const int32_t i32[4] = {-124436472, -134217720, 24869878, 132120568};
    const int64_t i64[4] = {-138110388572695211, -126171158310551552, 30022417517313707,
                            138110388572695211};
    const double f64[4] = {-0x1.eb1fe5a8a9a2bp-1, -0x1.c08p-1, 0x1.aa9aaaaaaab23p-3,
                           0x1.eaaaaaaaaaaabp-1};
    const float f32[4] = {-995491776.0f, -1073741760.0f, 198959024.0f, 1056964544.0f};
    int32_t back_i32[4];
    int64_t back_i64[4];
    double back_f64[4];
    float back_f32[4];
    through_a_file(ZT_I32, i32, 268435456, back_i32);
    need_within(ZT_I32, i32, back_i32, 268435456);
    through_a_file(ZT_I64, i64, 0x1p58, back_i64);
    need_within(ZT_I64, i64, back_i64, 0x1p58);
    through_a_file(ZT_F64, f64, 2, back_f64);
    need_within(ZT_F64, f64, back_f64, 2);
    through_a_file(ZT_F32, f32, 0x1p31, back_f32);
    need_within(ZT_F32, f32, back_f32, 0x1p31);
}

/* A bound may be beyond all floats; what comes back must be finite all the same. */
static void bounds_beyond_the_type_keep_values_finite(void **state)
{
    (void)state;
    const float low[4] = {-0x1.fffffep+126f, -0x1.fffffep+126f, -0x1.fffffep+126f,
                          -0x1.fffffep+126f};
    float back[4];
    for (int e = 120; e < 140; e++) {
        through_a_file(ZT_F32, low, ldexp(1, e), back);
        need_within(ZT_F32, low, back, ldexp(1, e));
    }
}

/* Random tiles of extremes, each under bounds from far above its values to near their last bit;
 * none may break one, whether the codec proves the tile or it is decoded and compared. */
static void extreme_tiles_keep_every_bound(void **state)
{
    (void)state;
    enum { RUNS = 40000 };
    struct rng r = {11};
    for (uint32_t run = 0; run < RUNS; run++) {
        const zt_type type = 1 + (zt_type)rng_below(&r, 4);
        const bool is_float = type == ZT_F32 || type == ZT_F64;
        union {
            float f[4];
            double d[4];
            int32_t i[4];
            int64_t l[4];
        } x, back;
        const int top = is_float ? 1 : type == ZT_I32 ? 30 : 61;
        for (uint32_t i = 0; i < 4; i++) {
            const double v = ldexp(rng_once_in(&r, 2) ? 1 - 0x1p-20 : rng_unit(&r),
                                   top - (rng_once_in(&r, 8) ? 20 : 0));
            const double s = rng_once_in(&r, 2) ? v : -v;
            if (type == ZT_F32)
                x.f[i] = (float)s;
            else if (type == ZT_F64)
                x.d[i] = s;
            else if (type == ZT_I32)
                x.i[i] = (int32_t)s;
            else
                x.l[i] = (int64_t)s;
        }
        const double bound = ldexp(1, top + 3 - (int)rng_below(&r, type == ZT_F64 ? 60 : 30));
        through_a_file(type, &x, bound, &back);
        need_within(type, &x, &back, bound);
    }
}

/* Three values are kept beside the stream in every tile with a spike: by as many threads as there
 * are, in one order; and when all threads together keep too many, the frame is coded losslessly. */
static void exact_values_do_not_depend_on_threads(void **state)
{
    (void)state;
    enum { TILES = 16384 };
    const uint64_t n = 4 * TILES;
    zt_context *context;
    assert_int_equal(zt_context_new(NULL, &context), ZT_OK);
    zt_params p = params_of(zt_abs(1e-3));
    for (uint32_t every = 4; every <= 16; every *= 4) {
        zt_array a = new_array(ZT_F32, 1, &n), back = new_array(ZT_F32, 1, &n);
        float *v = (float *)a.data;
        for (uint32_t i = 0; i < n; i++)
            v[i] = i % (4 * every) == 0 ? 1e20f : (float)sin(i);
        struct bytes serial = compress(&a, &p);
        const zt_info info = info_of(&serial);
        assert_true(every == 4 ? info.exact_values == 0 && zfp_of_info(&info).minexp < -1074
                               : info.exact_values > 2048);
        for (uint32_t grain = 0; grain <= 64; grain += 32) {
            const zt_omp omp = {.threads = 3, .grain = grain};
            size_t bytes = serial.n + (1 << 20);
            unsigned char *file = need(bytes);
            assert_int_equal(zt_context_set_omp(context, &omp), ZT_OK);
            assert_int_equal(zt_compress(context, &a, &p, file, bytes, &bytes), ZT_OK);
            assert_int_equal(bytes, serial.n);
            assert_memory_equal(file, serial.data, bytes);
            free(file);
        }
        assert_int_equal(zt_decompress(NULL, serial.data, serial.n, &back), ZT_OK);
        for (uint32_t i = 0; i < n; i++)
            assert_true(is_within_exactly(ZT_F32, v + i, (float *)back.data + i, 1e-3));
        free(serial.data);
        free(a.data);
        free(back.data);
    }
    zt_context_free(context);
}

/* Integers that no lattice of effort high has are not converted to one: seen by the sanitizers. */
static void the_largest_integers_keep_their_bound_at_effort_high(void **state)
{
    (void)state;
    enum { N = 4096 };
    const uint64_t n = N;
    zt_array a = new_array(ZT_I64, 1, &n), back = new_array(ZT_I64, 1, &n);
    zt_params p = params_of(zt_abs(1));
    p.codec = ZT_CODEC_SZ;
    set_coder(&p, CODER_HIGH);
    for (int64_t i = 0; i < N; i++)
        ((int64_t *)a.data)[i] = INT64_MAX - (i & 3);
    struct bytes file = compress(&a, &p);
    assert_int_equal(zt_decompress(NULL, file.data, file.n, &back), ZT_OK);
    for (uint32_t i = 0; i < N; i++)
        assert_true(is_within_exactly(ZT_I64, (int64_t *)a.data + i, (int64_t *)back.data + i, 1));
    free(file.data);
    free(a.data);
    free(back.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_of_half_the_bound_do_not_wrap),
        cmocka_unit_test(bounds_beyond_the_type_keep_values_finite),
        cmocka_unit_test(extreme_tiles_keep_every_bound),
        cmocka_unit_test(exact_values_do_not_depend_on_threads),
        cmocka_unit_test(the_largest_integers_keep_their_bound_at_effort_high),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
