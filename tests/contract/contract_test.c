/* contract_test.c: all that the library does, with a codec that it does not know: rice.c by a
 * registry of its own (registry.c). Whatever fails here asks more of a codec than codec.h says. */
#include "contract/rice.h"
#include "unit/frame_support.h"
#include "ztile_quality.h"
#include "ztile_zfp.h"

enum { TYPES = 4 };

static const uint64_t shapes[ZT_MAX_RANK][ZT_MAX_RANK] = {
    {50000}, {300, 171}, {40, 37, 35}, {9, 21, 18, 17}};

static zt_params params_with(zt_bound bound)
{
    zt_params p = params_of(bound);
    p.codec = RICE_CODEC;
    return p;
}

static zt_context *omp_context(void)
{
    const zt_omp omp = {.threads = 3, .grain = 2};
    zt_context *context = NULL;
    need_ok(NULL, zt_context_new(NULL, &context));
    if (zt_context_set_omp(context, &omp) != ZT_OK)
        (void)zt_context_set_policy(context, ZT_SERIAL); /* not in this build */
    return context;
}

static zt_array filled(uint32_t type, uint32_t rank, enum data_kind kind, uint64_t seed)
{
    const zt_array a = new_array((zt_type)type, rank, shapes[rank - 1]);
    fill_array(&a, kind, seed);
    return a;
}

/* Decode a file, by one thread and by several: to the same values, which are returned. */
static zt_array decoded(const struct bytes *file, const zt_array *like)
{
    zt_context *context = omp_context();
    const zt_array one = new_array((zt_type)like->type, like->rank, like->shape);
    const zt_array several = new_array((zt_type)like->type, like->rank, like->shape);
    need_ok(NULL, zt_decompress(NULL, file->data, file->n, &one));
    need_ok(context, zt_decompress(context, file->data, file->n, &several));
    assert_memory_equal(one.data, several.data, array_bytes(&one));
    zt_context_free(context);
    free(several.data);
    return one;
}

/* Compress by one thread and by several: to the same bytes, which are returned. */
static struct bytes compressed(const zt_array *a, const zt_params *params)
{
    const struct bytes one = compress(a, params);
    unsigned char *const several = need(one.capacity);
    zt_context *context = omp_context();
    size_t n = 0;
    need_ok(context, zt_compress(context, a, params, several, one.capacity, &n));
    assert_int_equal(n, one.n);
    assert_memory_equal(one.data, several, n);
    assert_int_equal(info_of(&one).codec, RICE_CODEC);
    zt_context_free(context);
    free(several);
    return one;
}

static void need_same(const zt_array *a, const zt_array *b)
{
    assert_memory_equal(a->data, b->data, array_bytes(a));
}

static void need_within(const zt_array *a, const zt_array *b, double bound)
{
    const size_t value_bytes = zt_type_bytes((zt_type)a->type);
    const char *const original = a->data, *const back = b->data;
    for (size_t at = 0; at < array_bytes(a); at += value_bytes)
        if (!is_within_exactly(a->type, original + at, back + at, bound))
            fail_msg("the value at byte %zu is beyond %g", at, bound);
}

static void every_type_and_rank_comes_back_without_loss(void **state)
{
    (void)state;
    for (uint32_t type = 1; type <= TYPES; type++)
        for (uint32_t rank = 1; rank <= ZT_MAX_RANK; rank++) {
            const zt_params params = params_with(zt_lossless());
            const zt_array a = filled(type, rank, DATA_WAVE_NOISE, rank);
            struct bytes file = compressed(&a, &params);
            const zt_array back = decoded(&file, &a);
            need_same(&a, &back);
            free(a.data);
            free(back.data);
            free(file.data);
        }
}

static void a_bound_is_kept_though_the_codec_proves_no_tile(void **state)
{
    static const enum data_kind kinds[] = {DATA_WAVE_NOISE, DATA_SPIKE, DATA_WIDE, DATA_STEPS};
    (void)state;
    for (uint32_t i = 0; i < TYPES * 4; i++) {
        const double bound = i % TYPES < 2 ? 3 : 1e-2;
        const zt_params params = params_with(zt_abs(bound));
        const zt_array a = filled(1 + i % TYPES, 1 + i / TYPES, kinds[i / TYPES], i);
        struct bytes file = compressed(&a, &params);
        const zt_array back = decoded(&file, &a);
        need_within(&a, &back, bound);
        free(a.data);
        free(back.data);
        free(file.data);
    }
}

/* Boxes of a file, by either policy, are the parts of the whole. */
static void need_boxes(const struct bytes *file, const zt_array *whole, struct rng *r)
{
    zt_context *context = omp_context();
    for (uint32_t i = 0; i < 12; i++) {
        uint64_t shape[ZT_MAX_RANK];
        zt_array part = *whole;
        zt_box box = {.lo = {0}};
        for (uint32_t k = 0; k < whole->rank; k++) {
            box.lo[k] = rng_below(r, whole->shape[k]);
            box.hi[k] = box.lo[k] + 1 + rng_below(r, whole->shape[k] - box.lo[k]);
            part.shape[k] = shape[k] = box.hi[k] - box.lo[k];
        }
        part.data = place_of(whole, box.lo);
        const zt_array out = new_array((zt_type)whole->type, whole->rank, shape);
        const zt_array wanted = new_array((zt_type)whole->type, whole->rank, shape);
        gather(&part, wanted.data);
        need_ok(context,
                zt_decompress_box(i % 2 ? context : NULL, file->data, file->n, &box, &out));
        need_same(&wanted, &out);
        free(out.data);
        free(wanted.data);
    }
    zt_context_free(context);
}

static void boxes_are_parts_of_the_whole_with_every_index(void **state)
{
    static const uint32_t kinds[] = {ZT_INDEX_NONE,   ZT_INDEX_DEFAULT, ZT_INDEX_OFFSETS,
                                     ZT_INDEX_HYBRID, ZT_INDEX_LENGTHS, ZT_INDEX_COMPACT};
    struct rng r = {5};
    (void)state;
    for (uint32_t i = 0; i < 24; i++) {
        zt_params params = params_with(i % 2 ? zt_abs(1e-2) : zt_lossless());
        params.index = kinds[i / 4];
        params.index_chunk = i / 4 > 1 ? 1 + i % 3 : 0;
        const zt_array a = filled(ZT_F32, 1 + i % 4, DATA_WAVE_NOISE, i);
        struct bytes file = compressed(&a, &params);
        const zt_array back = decoded(&file, &a);
        need_boxes(&file, &back, &r);
        free(a.data);
        free(back.data);
        free(file.data);
    }
}

static void holes_keep_their_bits(void **state)
{
    (void)state;
    zt_params params = params_with(zt_abs(1e-3));
    params.fills = 1;
    need_ok(NULL, zt_fill_bits(ZT_F32, -9999, &params.fill[0]));
    const zt_array a = filled(ZT_F32, 3, DATA_WAVE_NOISE, 3);
    float *const v = a.data;
    for (size_t i = 0; i < array_bytes(&a) / 4; i += 1 + i % 97)
        v[i] = i % 3 == 0 ? NAN : i % 3 == 1 ? -9999 : -INFINITY;
    struct bytes file = compressed(&a, &params);
    const zt_array back = decoded(&file, &a);
    need_within(&a, &back, 1e-3);
    assert_true(file.n < array_bytes(&a));
    free(a.data);
    free(back.data);
    free(file.data);
}

static void noise_is_copied_and_grows_by_little(void **state)
{
    const zt_params params = params_with(zt_lossless());
    struct rng r = {9};
    (void)state;
    for (uint32_t type = 1; type <= TYPES; type++) {
        const zt_array a = filled(type, 2, DATA_ANY_BITS, type);
        struct bytes file = compressed(&a, &params);
        const zt_array back = decoded(&file, &a);
        assert_true(file.n < array_bytes(&a) + 1024);
        need_same(&a, &back);
        need_boxes(&file, &back, &r);
        free(a.data);
        free(back.data);
        free(file.data);
    }
}

/* Slabs of any extents through a writer make the file that one call makes; a pipe reads it back. */
static void pipes_write_and_read_the_same_bytes(void **state)
{
    zt_params params = params_with(zt_abs(1e-2));
    struct mem_sink sink = {.limit = SIZE_MAX};
    const zt_sink to = sink_of(&sink);
    struct mem_source memory;
    zt_writer *writer = NULL;
    zt_reader *reader = NULL;
    uint64_t first, extent;
    (void)state;
    params.slab_bytes = 1 << 16;
    const zt_array a = filled(ZT_F32, 3, DATA_WAVE_NOISE, 1);
    struct bytes file = compressed(&a, &params);
    const zt_array back = decoded(&file, &a);
    zt_array announced = a;
    announced.data = NULL;
    need_ok(NULL, zt_writer_open(NULL, &to, &announced, &params, &writer));
    for (uint64_t z = 0; z < a.shape[0]; z += 7) {
        const zt_array slab = slab_of(&a, z, a.shape[0] - z < 7 ? a.shape[0] - z : 7);
        need_ok(NULL, zt_writer_put(writer, &slab));
    }
    need_ok(NULL, zt_writer_close(writer));
    assert_int_equal(sink.bytes.n, file.n);
    assert_memory_equal(sink.bytes.data, file.data, file.n);

    const zt_source source = source_of(&memory, file.data, file.n, true);
    need_ok(NULL, zt_reader_open(NULL, &source, &reader));
    const zt_array out = new_array(ZT_F32, 3, a.shape);
    for (uint64_t done = 0; done < a.shape[0]; done += extent) {
        need_ok(NULL, zt_reader_next(reader, &first, &extent));
        assert_int_equal(first, done);
        const zt_array slab = slab_of(&out, first, extent);
        need_ok(NULL, zt_reader_read(reader, &slab));
    }
    need_same(&back, &out);
    zt_reader_close(reader);
    zt_writer_free(writer);
    free(sink.bytes.data);
    free(out.data);
    free(back.data);
    free(file.data);
    free(a.data);
}

/* Another index, without coding again. */
static void an_index_is_replaced(void **state)
{
    struct mem_sink sink = {.limit = SIZE_MAX};
    const zt_sink to = sink_of(&sink);
    struct mem_source memory;
    struct rng r = {2};
    (void)state;
    zt_params params = params_with(zt_lossless());
    params.index = ZT_INDEX_NONE;
    const zt_array a = filled(ZT_I32, 2, DATA_RAMP, 1);
    struct bytes file = compressed(&a, &params);
    const zt_source source = source_of(&memory, file.data, file.n, false);
    need_ok(NULL, zt_replace_index(NULL, &source, &to, ZT_INDEX_HYBRID, 0, 0));
    assert_int_equal(info_of(&file).index, ZT_INDEX_NONE);
    assert_int_equal(info_of(&sink.bytes).index, ZT_INDEX_HYBRID);
    need_boxes(&sink.bytes, &a, &r);
    free(sink.bytes.data);
    free(file.data);
    free(a.data);
}

static void what_damage_leaves_is_salvaged(void **state)
{
    struct mem_source memory;
    zt_reader *reader = NULL;
    zt_salvage salvage;
    uint64_t first, extent, lost = 0, differing = 0;
    (void)state;
    zt_params params = params_with(zt_lossless());
    params.index = ZT_INDEX_OFFSETS;
    params.index_chunk = 1;
    const zt_array a = filled(ZT_F32, 3, DATA_WAVE_NOISE, 4);
    const zt_array out = new_array(ZT_F32, 3, a.shape);
    struct bytes file = compressed(&a, &params);
    memset(file.data + file.n / 2, 0xa5, 100);
    const zt_source source = source_of(&memory, file.data, file.n, false);
    need_ok(NULL, zt_salvage_init(&salvage, sizeof salvage));
    need_ok(NULL, zt_reader_open_damaged(NULL, &source, &reader));
    need_ok(NULL, zt_reader_next(reader, &first, &extent));
    need_ok(NULL, zt_reader_salvage(reader, &out, &salvage));
    lost = salvage.lost_values + salvage.unverified_values;
    for (size_t i = 0; i < array_bytes(&a); i += 4)
        differing += memcmp((const char *)a.data + i, (const char *)out.data + i, 4) != 0;
    assert_true(lost > 0 && differing <= lost && lost < array_bytes(&a) / 4);
    assert_int_not_equal(zt_decompress(NULL, file.data, file.n, &out), ZT_OK);
    zt_reader_close(reader);
    free(file.data);
    free(out.data);
    free(a.data);
}

/* The axis along which values change least is not the last one. */
static void planning_finds_a_better_order_of_axes(void **state)
{
    const uint64_t shape[3] = {128, 96, 64};
    const zt_array a = new_array(ZT_I32, 3, shape);
    zt_option options[64];
    uint32_t count = 0;
    (void)state;
    for (uint64_t i = 0; i < values_of(3, shape); i++)
        ((int32_t *)a.data)[i] = (int32_t)(i % 64 * 5557 % 8192 + i / 64 / 96);
    zt_params params = params_with(zt_lossless());
    struct bytes plain = compressed(&a, &params);
    params.codec = ZT_CODEC_AUTO;
    params.plan = ZT_PLAN_ON;
    struct bytes planned = compressed(&a, &params);
    const zt_array back = decoded(&planned, &a);
    need_same(&a, &back);
    assert_true(planned.n < plain.n / 2);
    need_ok(NULL, zt_plan_options(NULL, &a, &params, options, 64, &count));
    assert_true(count > 0 && options[0].codec == RICE_CODEC && options[0].plan.rank == 3);
    params.plan = ZT_PLAN_TIGHT;
    params.bound = zt_abs(2);
    free(planned.data);
    planned = compressed(&a, &params);
    free(back.data);
    const zt_array near = decoded(&planned, &a);
    need_within(&a, &near, 2);
    free(near.data);
    free(planned.data);
    free(plain.data);
    free(a.data);
}

static void a_psnr_is_met(void **state)
{
    zt_quality quality;
    (void)state;
    const zt_params params = params_with(zt_psnr(70));
    const zt_array a = filled(ZT_F64, 2, DATA_WAVE_NOISE, 8);
    struct bytes file = compressed(&a, &params);
    const zt_array back = decoded(&file, &a);
    need_ok(NULL, zt_quality_init(&quality, sizeof quality));
    need_ok(NULL, zt_compare(NULL, &a, &back, &quality));
    assert_true(zt_quality_psnr(&quality) >= 70 && zt_quality_psnr(&quality) < 71);
    free(a.data);
    free(back.data);
    free(file.data);
}

/* What the codec cannot do is told in its own words; other codecs and efforts there are none. */
static void what_cannot_be_is_told(void **state)
{
    const zt_array a = filled(ZT_F32, 1, DATA_SMOOTH, 1);
    zt_params params = params_with(zt_rate(8));
    zt_context *context = NULL;
    size_t n;
    (void)state;
    need_ok(NULL, zt_context_new(NULL, &context));
    need_failure(context, zt_compress_bound(context, &a, &params, &n), ZT_UNSUPPORTED, "rice");
    params = params_with(zt_lossless());
    params.codec = ZT_CODEC_ZFP;
    need_failure(context, zt_compress_bound(context, &a, &params, &n), ZT_BAD_ARG, "no codec");
    params = params_with(zt_lossless());
    params.effort = ZT_EFFORT_FAST;
    need_failure(context, zt_compress_bound(context, &a, &params, &n), ZT_BAD_ARG, "no effort");
    zt_context_free(context);
    free(a.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_rank_comes_back_without_loss),
        cmocka_unit_test(a_bound_is_kept_though_the_codec_proves_no_tile),
        cmocka_unit_test(boxes_are_parts_of_the_whole_with_every_index),
        cmocka_unit_test(holes_keep_their_bits),
        cmocka_unit_test(noise_is_copied_and_grows_by_little),
        cmocka_unit_test(pipes_write_and_read_the_same_bytes),
        cmocka_unit_test(an_index_is_replaced),
        cmocka_unit_test(what_damage_leaves_is_salvaged),
        cmocka_unit_test(planning_finds_a_better_order_of_axes),
        cmocka_unit_test(a_psnr_is_met),
        cmocka_unit_test(what_cannot_be_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
