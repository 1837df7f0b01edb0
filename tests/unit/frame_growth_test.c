/* frame_growth_test.c: no array grows, whatever its values, shape, codec and bound; and files in
 * which some frames hold their values as they are. */
#include "unit/frame_support.h"
#include "ztile_expert.h"

/* 0.02 % and 160 bytes: header, seek table, checksums of 32 KiB ranges. */
static void need_short(const zt_array *a, const zt_params *p, size_t file_bytes)
{
    const size_t raw = array_bytes(a);
    char text[96];
    if (file_bytes > raw + raw / 5000 + 160)
        fail_msg("%s %s, codec %u, effort %u, plan %u, bound %u %g: %zu of %zu bytes",
                 type_name(a->type), shape_text(a->rank, a->shape, text), p->codec, p->effort,
                 p->plan, p->bound.kind, p->bound.value, file_bytes, raw);
}

/* That the bound holds is what others test; here, that the way of a raw frame back is right. */
static void need_promise(zt_context *c, const zt_array *a, const struct bytes *file)
{
    zt_array back = new_array((zt_type)a->type, a->rank, a->shape);
    need_ok(c, zt_decompress(c, file->data, file->n, &back));
    const zt_info info = info_of(file);
    if (info.raw_frames == info.frames || info.abs_bound == 0)
        assert_memory_equal(a->data, back.data, array_bytes(a));
    free(back.data);
}

enum { CODINGS = 7, BOUNDS = 9, SHAPES = 16 };

static const struct {
    uint32_t codec, effort;
} codings[CODINGS] = {{ZT_CODEC_AUTO, CODER_DEFAULT},  {ZT_CODEC_ZFP, CODER_DEFAULT},
                      {ZT_CODEC_NDZIP, CODER_DEFAULT}, {ZT_CODEC_SZ, CODER_DEFAULT},
                      {ZT_CODEC_SZ, CODER_FAST},       {ZT_CODEC_SZ, CODER_HIGH},
                      {ZT_CODEC_SZ, CODER_CUSZ}};

static zt_bound bound_number(uint32_t i)
{
    const zt_bound bounds[BOUNDS] = {zt_lossless(),  zt_abs(1e-30), zt_abs(1e-3),
                                     zt_rel(1e-12),  zt_rel(1e-3),  zt_pwrel(1e-9),
                                     zt_pwrel(1e-2), zt_psnr(300),  zt_psnr(40)};
    return bounds[i];
}

/* Whether the codec and the type have the bound. */
static bool is_possible(const zt_params *p, uint32_t type)
{
    const bool is_integer = type == ZT_I32 || type == ZT_I64;
    return !(p->codec == ZT_CODEC_NDZIP && p->bound.kind != ZT_LOSSLESS) &&
           !(is_integer && p->bound.kind == ZT_PWREL);
}

static void need_all_short(zt_context *c, struct rng *r, const zt_array *a, uint32_t shares)
{
    for (uint32_t k = 0; k < CODINGS; k++)
        for (uint32_t b = 0; b < BOUNDS; b++) {
            zt_params p = params_of(bound_number(b));
            p.codec = codings[k].codec;
            set_coder(&p, codings[k].effort);
            p.plan = rng_once_in(r, 4) ? ZT_PLAN_ON : ZT_PLAN_OFF;
            if (!is_possible(&p, a->type) || !rng_once_in(r, shares))
                continue;
            random_policy(r, c);
            struct bytes file = {.data = NULL};
            need_ok(c, zt_compress_bound(c, a, &p, &file.capacity));
            assert_true(file.capacity <= array_bytes(a) + array_bytes(a) / 400 + 1200);
            file.data = need(file.capacity);
            need_ok(c, zt_compress(c, a, &p, file.data, file.capacity, &file.n));
            need_short(a, &p, file.n);
            need_promise(c, a, &file);
            free(file.data);
        }
}

static void no_array_grows(void **state)
{
    (void)state;
    static const zt_type types[] = {ZT_F32, ZT_F64, ZT_I32, ZT_I64};
    static const enum data_kind kinds[] = {DATA_ANY_BITS,   DATA_BITS,      DATA_WIDE,
                                           DATA_WAVE_NOISE, DATA_NONFINITE, DATA_DENORMAL};
    static const struct {
        uint32_t rank;
        uint64_t shape[ZT_MAX_RANK];
    } shapes[SHAPES] = {
        {1, {1}},         {1, {2}},        {1, {7}},         {1, {257}},        {1, {1000}},
        {1, {4097}},      {2, {1, 1}},     {2, {33, 3}},     {2, {65, 67}},     {2, {1, 999}},
        {3, {1, 1, 1}},   {3, {37, 2, 3}}, {3, {17, 5, 18}}, {4, {1, 1, 1, 1}}, {4, {127, 2, 2, 2}},
        {4, {5, 3, 7, 9}}};
    zt_context *c = NULL;
    assert_int_equal(zt_context_new(NULL, &c), ZT_OK);
    for (uint32_t i = 0; i < SHAPES * 4 * 6; i += TEST_SHARE) {
        struct rng r = {mix64(31, i)};
        zt_array a =
            new_array(types[i / SHAPES % 4], shapes[i % SHAPES].rank, shapes[i % SHAPES].shape);
        fill_array(&a, kinds[i / SHAPES / 4], i);
        need_all_short(c, &r, &a, 8);
        free(a.data);
    }
    zt_context_free(c);
}

/* Where checksums, the default index and the copy of the header count. */
static void no_large_array_grows(void **state)
{
    (void)state;
    static const struct {
        zt_type type;
        uint32_t rank;
        uint64_t shape[ZT_MAX_RANK];
    } rows[] = {{ZT_F32, 4, {12784, 2, 2, 2}}, {ZT_F64, 3, {41, 40, 40}}, {ZT_I32, 2, {409, 321}}};
    zt_context *c = NULL;
    assert_int_equal(zt_context_new(NULL, &c), ZT_OK);
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rng r = {mix64(32, i)};
        zt_array a = new_array(rows[i].type, rows[i].rank, rows[i].shape);
        fill_array(&a, i % 2 ? DATA_ANY_BITS : DATA_WAVE_NOISE, i);
        need_all_short(c, &r, &a, 6 * TEST_SHARE);
        free(a.data);
    }
    zt_context_free(c);
}

/* Noise, of which more and more is 0. */
static void an_index_does_not_change_what_is_raw(void **state)
{
    (void)state;
    const uint64_t shape[] = {64, 64, 64};
    zt_array a = new_array(ZT_F32, 3, shape);
    fill_array(&a, DATA_BITS, 3);
    uint64_t raw = 0, coded = 0;
    for (uint32_t share = 0; share <= 16; share++) { /* slices that are 0 */
        memset(a.data, 0, share * sizeof(float) * 64 * 64);
        zt_params p = params_of(zt_lossless());
        p.index = ZT_INDEX_NONE;
        struct bytes none = compress(&a, &p);
        p.index = ZT_INDEX_DEFAULT;
        struct bytes usual = compress(&a, &p);
        need_short(&a, &p, usual.n);
        p.index = ZT_INDEX_OFFSETS;
        struct bytes offsets = compress(&a, &p);
        assert_int_equal(info_of(&none).stream_bytes, info_of(&usual).stream_bytes);
        assert_int_equal(info_of(&none).stream_bytes, info_of(&offsets).stream_bytes);
        assert_int_equal(info_of(&none).raw_frames, info_of(&usual).raw_frames);
        raw += info_of(&none).raw_frames;
        coded += info_of(&none).raw_frames == 0;
        free(none.data);
        free(usual.data);
        free(offsets.data);
    }
    assert_true(raw > 0 && coded > 0);
    free(a.data);
}

/* ---- files of both ---- */

/* Three frames: noise, a wave, noise. */
static zt_array mixed_array(const uint64_t *shape)
{
    zt_array a = new_array(ZT_F32, 3, shape);
    const uint64_t part[] = {8, shape[1], shape[2]};
    const size_t bytes = (size_t)(8 * shape[1] * shape[2] * sizeof(float));
    fill_array(&a, DATA_ANY_BITS, 5);
    zt_array middle = zt_array_nd((char *)a.data + bytes, ZT_F32, 3, part);
    fill_array(&middle, DATA_SMOOTH, 6);
    return a;
}

static void need_frames(zt_context *c, const zt_array *a, const struct bytes *file)
{
    struct mem_source memory;
    zt_source source = source_of(&memory, file->data, file->n, true);
    zt_reader *reader = NULL;
    zt_info info;
    uint64_t first, extent = 1;
    size_t at = 0;
    need_ok(c, zt_reader_open(c, &source, &reader));
    while (extent > 0) {
        need_ok(c, zt_reader_next(reader, &first, &extent));
        const uint64_t shape[] = {extent, a->shape[1], a->shape[2]};
        zt_array out = new_array(ZT_F32, 3, shape);
        if (extent > 0)
            need_ok(c, zt_reader_read(reader, &out));
        assert_memory_equal((char *)a->data + at, out.data, array_bytes(&out));
        at += array_bytes(&out);
        free(out.data);
    }
    zt_info_init(&info, sizeof info);
    need_ok(c, zt_reader_info(reader, &info));
    assert_int_equal(info.raw_frames, 2);
    zt_reader_close(reader);
}

static void need_box(zt_context *c, const zt_array *a, const struct bytes *file)
{
    const zt_box box = {{3, 2, 4}, {22, 9, 6}};
    const uint64_t shape[] = {19, 7, 2};
    zt_array out = new_array(ZT_F32, 3, shape), part = *a;
    unsigned char *wanted = need(array_bytes(&out));
    need_ok(c, zt_decompress_box(c, file->data, file->n, &box, &out));
    part.data = (float *)a->data + (3 * a->shape[1] + 2) * a->shape[2] + 4;
    memcpy(part.shape, shape, sizeof shape);
    gather(&part, wanted);
    assert_memory_equal(wanted, out.data, array_bytes(&out));
    free(wanted);
    free(out.data);
}

/* The index goes and comes back with the frames that have one. */
static void need_same_after_indexing(zt_context *c, const struct bytes *file,
                                     const zt_params *params)
{
    struct mem_source memory;
    struct mem_sink bare = {.limit = SIZE_MAX}, again = bare;
    zt_sink sink = sink_of(&bare);
    zt_source source = source_of(&memory, file->data, file->n, false);
    need_ok(c, zt_replace_index(c, &source, &sink, ZT_INDEX_NONE, 0, 0));
    source = source_of(&memory, bare.bytes.data, bare.bytes.n, false);
    sink = sink_of(&again);
    need_ok(c, zt_replace_index(c, &source, &sink, (zt_index_kind)params->index,
                                params->index_chunk, params->index_partition));
    assert_int_equal(again.bytes.n, file->n);
    assert_memory_equal(again.bytes.data, file->data, file->n);
    assert_true(bare.bytes.n < file->n);
    free(bare.bytes.data);
    free(again.bytes.data);
}

/* Of a raw frame all is found but the range of the payload that is damaged. */
static void need_salvage(zt_context *c, const zt_array *a, const struct bytes *file)
{
    struct mem_source memory;
    zt_reader *reader = NULL;
    zt_salvage found;
    uint64_t first, extent;
    size_t same = 0;
    file->data[64 + 40000] ^= 4; /* in the second range */
    zt_source source = source_of(&memory, file->data, file->n, false);
    need_ok(c, zt_reader_open_damaged(c, &source, &reader));
    need_ok(c, zt_reader_next(reader, &first, &extent));
    zt_array out =
        new_array(ZT_F32, 3, reader ? (uint64_t[]){extent, a->shape[1], a->shape[2]} : a->shape);
    assert_int_equal(zt_salvage_init(&found, sizeof found), ZT_OK);
    (void)zt_reader_salvage(reader, &out, &found);
    for (size_t i = 0; i < array_bytes(&out); i += 4)
        same += memcmp((char *)out.data + i, (char *)a->data + i, 4) == 0;
    assert_true(same == (1 << 15) / 4);
    file->data[64 + 40000] ^= 4;
    free(out.data);
    zt_reader_close(reader);
}

static void raw_frames_and_coded_ones_make_one_file(void **state)
{
    (void)state;
    const uint64_t shape[] = {24, 40, 41};
    zt_array a = mixed_array(shape);
    struct bytes of_policy = {.data = NULL};
    for (uint32_t threads = 0; threads < 3; threads++) {
        zt_context *c = NULL;
        const zt_omp omp = {.threads = threads, .grain = 3};
        assert_int_equal(zt_context_new(NULL, &c), ZT_OK);
        if (threads > 0 && zt_context_set_omp(c, &omp) != ZT_OK)
            threads = 3;
        zt_params p = params_of(zt_lossless());
        p.slab_bytes = 8 * 40 * 41 * 4;
        p.index = ZT_INDEX_COMPACT;
        p.index_chunk = 2;
        struct bytes file = {.data = need(1 << 20), .capacity = 1 << 20};
        need_ok(c, zt_compress(c, &a, &p, file.data, file.capacity, &file.n));
        const zt_info info = info_of(&file);
        assert_int_equal(info.frames, 3);
        assert_int_equal(info.raw_frames, 2);
        assert_int_equal(info.codec, ZT_CODEC_ZFP);
        assert_int_equal(info.index, ZT_INDEX_COMPACT);
        need_promise(c, &a, &file);
        need_frames(c, &a, &file);
        need_box(c, &a, &file);
        need_same_after_indexing(c, &file, &p);
        need_salvage(c, &a, &file);
        if (of_policy.data) {
            assert_int_equal(of_policy.n, file.n);
            assert_memory_equal(of_policy.data, file.data, file.n);
            free(of_policy.data);
        }
        of_policy = file;
        zt_context_free(c);
    }
    free(of_policy.data);
    free(a.data);
}

/* What a raw frame comes to does not depend on how little room there is. */
static void a_raw_file_fits_in_its_own_bytes(void **state)
{
    (void)state;
    const uint64_t shape[] = {24, 40, 41};
    zt_array a = mixed_array(shape);
    zt_params p = params_of(zt_abs(1e-9));
    struct bytes file = compress(&a, &p);
    unsigned char *out = need(file.n);
    size_t n = 0;
    need_ok(NULL, zt_compress(NULL, &a, &p, out, file.n, &n));
    assert_int_equal(n, file.n);
    assert_memory_equal(out, file.data, n);
    assert_int_equal(zt_compress(NULL, &a, &p, out, file.n - 1, &n), ZT_NO_SPACE);
    free(out);
    free(file.data);
    free(a.data);
}

/* The PSNR of finite values, by its definition. */
static double psnr_of(const double *a, const double *b, size_t n, double range)
{
    double squares = 0;
    size_t counted = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(a[i])) {
            squares += (a[i] - b[i]) * (a[i] - b[i]);
            counted++;
        }
    return 10 * log10(range * range * (double)counted / squares);
}

/* Every other slab of four values is half NaN and so becomes a raw frame, whose NaN count as little
 * as those that are stored apart. */
static void the_psnr_noted_is_right_with_nan_in_raw_frames(void **state)
{
    (void)state;
    enum { VALUES = 32, SLAB = 4 };
    static const uint64_t shape[ZT_MAX_RANK] = {VALUES};
    double values[VALUES], back[VALUES];
    for (size_t i = 0; i < VALUES; i++)
        values[i] = i / SLAB % 2 && i % 2 ? (double)NAN : sin((double)i * 7.3);
    zt_context *c = NULL;
    assert_int_equal(zt_context_new(NULL, &c), ZT_OK);
    zt_array a = zt_array_nd(values, ZT_F64, 1, shape), b = zt_array_nd(back, ZT_F64, 1, shape);
    zt_params p = params_of(zt_psnr(250));
    p.codec = ZT_CODEC_ZFP;
    p.slab_bytes = SLAB * sizeof values[0];
    struct bytes file = {.data = need(1 << 16), .capacity = 1 << 16};
    need_ok(c, zt_compress(c, &a, &p, file.data, file.capacity, &file.n));
    need_ok(c, zt_decompress(c, file.data, file.n, &b));
    const zt_info info = info_of(&file);
    assert_true(info.raw_frames > 0 && info.raw_frames < info.frames);
    const double psnr = psnr_of(values, back, VALUES, info.range);
    if (!(fabs(info.psnr - psnr) < 1e-6))
        fail_msg("noted: %g dB, measured: %g dB", info.psnr, psnr);
    free(file.data);
    zt_context_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_array_grows),
        cmocka_unit_test(no_large_array_grows),
        cmocka_unit_test(an_index_does_not_change_what_is_raw),
        cmocka_unit_test(raw_frames_and_coded_ones_make_one_file),
        cmocka_unit_test(the_psnr_noted_is_right_with_nan_in_raw_frames),
        cmocka_unit_test(a_raw_file_fits_in_its_own_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
