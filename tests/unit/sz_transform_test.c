/* sz_transform_test.c: the transform coder: the bound holds for any values and shapes, a PSNR is
 * met closely, lifting is undone, boxes are parts of the whole, all instances and policies write
 * the same bytes, these do not change, and damaged streams are decoded or refused. */
#include "codec/sz/transform/transform.h"
#include "unit/sz_support.h"

#include "ztile_quality.h"

#include <math.h>

/* A shape with so many values at most, often with odd and short axes. */
static void random_shape(struct rng *r, uint32_t rank, uint64_t most, uint64_t *shape)
{
    uint64_t left = most;
    for (uint32_t i = 0; i < rank; i++) {
        const uint64_t longest = i + 1 == rank ? left : (uint64_t)sqrt((double)left) + 1;
        shape[i] = 1 + rng_below(r, rng_once_in(r, 4) ? 3 : longest);
        left = left / shape[i] > 0 ? left / shape[i] : 1;
    }
}

static struct test_array random_array(struct rng *r, uint32_t kind)
{
    const uint32_t rank = 1 + (uint32_t)rng_below(r, ZT_MAX_RANK);
    uint64_t shape[ZT_MAX_RANK];
    random_shape(r, rank, 6000, shape);
    struct test_array a = array_of(rng_once_in(r, 2) ? ZT_F32 : ZT_F64, rank, shape);
    fill_array(&a.array, kind, (uint32_t)rng_next(r));
    return a;
}

static void the_bound_holds_for_any_values(void **state)
{
    struct rng r = {1};
    (void)state;
    for (uint32_t i = 0; i < 700; i += TEST_SHARE) {
        struct test_array a = random_array(&r, i % DATA_KINDS);
        double min, max;
        range_of(&a.array, &min, &max);
        const double range = isfinite(max - min) && max > min ? max - min : 1;
        const uint64_t most = a.array.type == ZT_F32 ? 26 : 54;
        (void)need_bound(NULL, &a.array, range * ldexp(1 + rng_unit(&r), -(int)rng_below(&r, most)),
                         CODER_TRANSFORM);
        test_array_free(&a);
    }
}

/* What is no float under a bound is coded at effort high. */
static void other_values_are_coded_as_effort_high_does(void **state)
{
    static const uint64_t shape[2] = {60, 70};
    (void)state;
    for (uint32_t type = ZT_F32; type <= ZT_I64; type++) {
        struct test_array a = array_of(type, 2, shape);
        fill_array(&a.array, DATA_WAVE_NOISE, type);
        struct coded whole = code(NULL, &a.array, 0, CODER_TRANSFORM);
        assert_int_equal(sz_of(&whole.coding)->coder, ZTI_SZ_LOSSLESS_HIGH);
        coded_free(NULL, &whole);
        struct coded lossy = code(NULL, &a.array, 2, CODER_TRANSFORM);
        assert_int_equal(sz_of(&lossy.coding)->coder == ZTI_SZ_TRANSFORM,
                         type == ZT_F32 || type == ZT_F64);
        coded_free(NULL, &lossy);
        test_array_free(&a);
    }
}

/* ---- levels and blocks ---- */

/* The room for lines of a tile is enough on each level, and for each smaller sample of the tile. */
static void lines_of_every_level_have_room(void **state)
{
    static const size_t longest[] = {1,    2,     7,       128,           200,
                                     1100, 20000, 1 << 16, (1 << 16) + 1, 1 << 23};
    static const size_t rows[] = {1, 2, 4, 15, 16, 17, 100, 127, 128, 500};
    (void)state;
    for (uint32_t i = 0; i < sizeof longest / sizeof *longest; i++)
        for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            const size_t room = tf_lines_room(longest[i], rows[k]);
            for (size_t n = 1; n <= longest[i]; n += n < 20000 ? 1 : n / 1000) {
                const size_t lines = tf_lines_at_once(n) < rows[k] ? tf_lines_at_once(n) : rows[k];
                assert_true((n + 4 * ZTI_TF_LINE_MARGIN) * lines <= room);
            }
        }
}

/* Lines of more values than are lifted side by side, and their halves. */
static void long_axes_come_back(void **state)
{
    static const uint64_t shapes[][2] = {{120000, 4}, {66000, 20}, {1100, 130}, {3, 70000}};
    (void)state;
    for (uint32_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct test_array a = array_of(ZT_F32, 2, shapes[i]);
        double min, max;
        fill_array(&a.array, DATA_WAVE_NOISE, i);
        range_of(&a.array, &min, &max);
        (void)need_bound(NULL, &a.array, (max - min) * 1e-3, CODER_TRANSFORM);
        test_array_free(&a);
    }
}

/* Count the coefficients of a run's blocks. */
static void count_run(const struct zti_tf_layout *layout, const struct zti_tf_run *run,
                      uint8_t *times)
{
    for (uint32_t lane = 0; lane < run->lanes; lane++)
        for (uint32_t k = 0; k < run->extent[0] * run->extent[1] * run->extent[2]; k++) {
            const uint32_t at[3] = {k / run->extent[2] / run->extent[1],
                                    k / run->extent[2] % run->extent[1], k % run->extent[2]};
            const size_t row = run->at[lane] + at[0] * layout->stride[0] +
                               at[1] * layout->stride[1] + at[2] * layout->stride[2];
            for (uint32_t x = 0; x < run->extent[3]; x++)
                times[row + x]++;
        }
}

/* A tile of random extents, with a random way, and its memory. */
static void random_layout(struct rng *r, struct zti_tf_layout *layout)
{
    struct zti_tf_way way = {.least_code = (uint8_t)rng_below(r, ZTI_TF_LEAST_CODES)};
    uint64_t shape[ZTI_TF_AXES];
    uint32_t extent[ZTI_TF_AXES];
    random_shape(r, ZTI_TF_AXES, 90000, shape);
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
        extent[a] = (uint32_t)shape[a];
        way.axis[a] = (uint8_t)(extent[a] > 1 ? rng_below(r, ZTI_TF_FIRST + 1) : 0);
    }
    zti_tf_set_extent(layout, extent);
    const uint32_t most = zti_tf_most_bands(extent);
    layout->band = need(most * sizeof *layout->band);
    layout->item = need(zti_tf_most_parts(layout->values) * sizeof *layout->item);
    zti_tf_set_way(layout, &way);
    assert_true(layout->bands <= most && layout->levels <= ZTI_TF_LEVELS);
}

/* Parts cover each coefficient once, whatever the way, and have room for their symbols. */
static void parts_cover_a_tile_once(void **state)
{
    struct rng r = {2};
    (void)state;
    for (uint32_t i = 0; i < 600; i += TEST_SHARE) {
        struct zti_tf_layout layout;
        random_layout(&r, &layout);
        uint8_t *const times = need(layout.values);
        for (uint32_t parts_way = 0; parts_way < ZTI_TF_PARTS_WAYS; parts_way += 3) {
            uint32_t parts = 0;
            size_t symbols = 0;
            memset(times, 0, layout.values);
            zti_tf_set_items(&layout, parts_way);
            assert_int_equal(layout.parts, zti_tf_count_parts(&layout, parts_way));
            assert_true(layout.parts <= zti_tf_most_parts(layout.values));
            for (uint32_t k = 0; k < layout.items; k++) {
                const struct zti_tf_item *const item = &layout.item[k];
                struct zti_tf_walk walk = item->walk;
                struct zti_tf_run run = {.lanes = 0};
                assert_int_equal(item->part, parts);
                assert_int_equal(item->symbols_at, symbols);
                for (uint32_t n = 0; n < item->runs; n++) {
                    assert_true(zti_tf_next_run(&layout, &walk, &run));
                    count_run(&layout, &run, times);
                    symbols += run.lanes * zti_tf_block_symbols(run.extent);
                }
                assert_int_equal(item->parts, item->is_alone ? run.lanes : 1);
                parts += item->parts;
            }
            assert_int_equal(parts, layout.parts);
            for (size_t k = 0; k < layout.values; k++)
                assert_int_equal(times[k], 1);
        }
        free(times);
        free(layout.band);
        free(layout.item);
    }
}

/* Both make the same context of a sum. */
static void contexts_of_one_and_of_vectors_are_the_same(void **state)
{
    (void)state;
    for (uint32_t weights = 1; weights <= 156; weights++)
        for (uint32_t sum = 0; sum <= 4095 * weights; sum += 1 + sum / 100) {
            const uint32_t scale = ZTI_TF_SCALE(weights), context = tf_context(sum, scale);
            assert_int_equal(context, tf_context_of_one(sum, scale));
            assert_true(context < ZTI_TF_MAGNITUDE_CONTEXTS);
        }
}

static void symbols_and_what_they_leave_open_are_magnitudes(void **state)
{
    struct rng r = {3};
    (void)state;
    for (uint32_t i = 0; i < 4000; i++) {
        const uint64_t m = i < 2000 ? i : rng_next(&r) >> (12 + rng_below(&r, 40));
        const uint32_t symbol = tf_symbol((double)m);
        assert_true(symbol < ZTI_TF_SYMBOLS && tf_least_magnitude(symbol) <= m &&
                    m - tf_least_magnitude(symbol) < UINT64_C(1) << tf_open_bits(symbol));
    }
}

/* ---- targets ---- */

static double psnr_of(const zt_array *array, const zt_array *back)
{
    zt_quality quality;
    (void)zt_quality_init(&quality, sizeof quality);
    assert_int_equal(zt_compare(NULL, array, back, &quality), ZT_OK);
    return zt_quality_psnr(&quality);
}

/* Of noise, whose error is a smooth function of the step. */
static void a_psnr_is_met_and_not_by_far(void **state)
{
    static const uint64_t shape[3] = {30, 41, 50};
    (void)state;
    for (uint32_t type = ZT_F32; type <= ZT_F64; type++)
        for (double decibel = 35; decibel < 110; decibel += TEST_SHARE == 1 ? 12.3 : 24.6) {
            struct test_array a = array_of(type, 3, shape), b = array_of(type, 3, shape);
            zt_params p;
            size_t capacity, bytes;
            fill_array(&a.array, DATA_NOISE, type);
            zt_params_init(&p, sizeof p);
            p.codec = ZT_CODEC_SZ;
            set_coder(&p, CODER_TRANSFORM);
            p.bound = zt_psnr(decibel);
            assert_int_equal(zt_compress_bound(NULL, &a.array, &p, &capacity), ZT_OK);
            void *const out = need(capacity);
            assert_int_equal(zt_compress(NULL, &a.array, &p, out, capacity, &bytes), ZT_OK);
            assert_int_equal(zt_decompress(NULL, out, bytes, &b.array), ZT_OK);
            const double psnr = psnr_of(&a.array, &b.array);
            assert_true(psnr >= decibel && psnr < decibel + 0.11);
            free(out);
            test_array_free(&a);
            test_array_free(&b);
        }
}

/* A wave whose octaves fall steeply takes less than interpolation makes of it. */
static void smooth_noise_takes_less_than_at_effort_high(void **state)
{
    static const uint64_t shape[2] = {300, 400};
    struct test_array a = array_of(ZT_F32, 2, shape);
    float *const f = a.array.data;
    (void)state;
    for (uint32_t i = 0; i < 300 * 400; i++) {
        const double y = i / 400, x = i % 400;
        f[i] = 0;
        for (uint32_t k = 1; k < 60; k++)
            f[i] +=
                (float)(sin(0.011 * k * x + 0.7 * k * k) * cos(0.013 * k * y + 1.3 * k * k) / k);
    }
    const uint64_t ours = need_bound(NULL, &a.array, 0.02, CODER_TRANSFORM);
    const uint64_t high = need_bound(NULL, &a.array, 0.02, CODER_HIGH);
    print_message("%llu bits, %llu at effort high\n", (unsigned long long)ours,
                  (unsigned long long)high);
    assert_true(ours < high);
    test_array_free(&a);
}

/* ---- the same bytes ---- */

static void all_instances_write_the_same_bytes(void **state)
{
    struct rng r = {4};
    (void)state;
    for (uint32_t i = 0; i < 2 * DATA_KINDS; i += TEST_SHARE) {
        struct test_array a = random_array(&r, i % DATA_KINDS);
        double min, max;
        range_of(&a.array, &min, &max);
        const double bound = isfinite(max - min) && max > min ? 1e-3 * (max - min) : 1;
        (void)need_same_bytes(&a.array, bound, CODER_TRANSFORM, 1);
        test_array_free(&a);
    }
}

/* Blocks that are parts of their own, which vectors decode side by side: of several numbers, whose
 * rows end within a vector; some segments are 0, and some bounds leave many bits open. */
static void all_instances_read_the_same_values(void **state)
{
    static const struct {
        uint32_t rank;
        uint64_t shape[ZT_MAX_RANK];
    } arrays[] = {{1, {60001}},      {2, {301, 517}},    {2, {130, 70}},
                  {3, {70, 81, 90}}, {3, {33, 135, 37}}, {4, {9, 20, 31, 40}}};
    static const double of_range[] = {1e-2, 1e-3, 1e-5};
    (void)state;
    /* by steps of 5 and 11 each type and each bound has its turn */
    for (uint32_t i = 0; i < 6 * sizeof arrays / sizeof *arrays; i += TEST_SHARE == 1 ? 5 : 11) {
        const uint32_t which = i / 6;
        const zt_type type = i % 2 ? ZT_F64 : ZT_F32;
        struct test_array a = array_of(type, arrays[which].rank, arrays[which].shape);
        struct test_array plain = array_of(type, arrays[which].rank, arrays[which].shape);
        double min, max;
        fill_array(&a.array, DATA_WAVE_NOISE, i);
        range_of(&a.array, &min, &max);
        struct coded c = code(NULL, &a.array, (max - min) * of_range[i % 3], CODER_TRANSFORM);
        for (uint32_t isa = 0; isa < 3; isa++) {
            zt_context *context;
            uint64_t end_bits;
            zt_context_new(NULL, &context);
            zt_context_set_isa(context, (zt_isa)isa);
            struct zti_coding coding = loaded(context, &c);
            struct zti_view view = view_of(isa == 0 ? &plain.array : &a.array);
            assert_int_equal(zti_exec_decode(context, &coding, c.bytes, (size_t)(c.end_bits / 8), 0,
                                             NULL, &view, &end_bits),
                             ZT_OK);
            if (isa > 0)
                assert_memory_equal(a.array.data, plain.array.data, array_bytes(&a.array));
            zti_sz_forget(context, &coding);
            zt_context_free(context);
        }
        coded_free(NULL, &c);
        test_array_free(&a);
        test_array_free(&plain);
    }
}

/* Decode a random box of a stream whose whole values are known; or of one value. */
static void need_box(struct rng *r, zt_context *context, const struct zti_coding *coding,
                     const struct coded *c, const zt_array *whole, bool is_one)
{
    zt_box box;
    uint64_t shape[ZT_MAX_RANK], end_bits, at[ZT_MAX_RANK] = {0};
    for (uint32_t i = 0; i < whole->rank; i++) {
        box.lo[i] = rng_below(r, whole->shape[i]);
        box.hi[i] =
            is_one ? box.lo[i] + 1 : box.lo[i] + 1 + rng_below(r, whole->shape[i] - box.lo[i]);
        shape[i] = box.hi[i] - box.lo[i];
    }
    struct test_array part = array_of(whole->type, whole->rank, shape);
    const struct zti_array all = inside(whole), out = inside(&part.array);
    const size_t bytes = zt_type_bytes(whole->type);
    struct zti_view view;
    assert_true(zti_view_box(&all, &box, &out, &view));
    assert_int_equal(zti_exec_decode(context, coding, c->bytes, (size_t)(c->end_bits / 8), 0, NULL,
                                     &view, &end_bits),
                     ZT_OK);
    for (bool is_left = true; is_left;) {
        uint64_t from[ZT_MAX_RANK];
        for (uint32_t i = 0; i < whole->rank; i++)
            from[i] = box.lo[i] + at[i];
        assert_memory_equal(zti_array_at(&out, at), zti_array_at(&all, from), bytes);
        is_left = false;
        for (uint32_t i = whole->rank; i-- > 0 && !is_left; at[i] = is_left ? at[i] : 0)
            is_left = ++at[i] < shape[i];
    }
    test_array_free(&part);
}

/* Two tiles and more: the same bytes on two threads, the bound, and boxes as of the whole. */
static void large_arrays_have_several_tiles(void **state)
{
    enum { WIDTH = 1 << 20, HEIGHT = 9 };
    static const uint64_t shape[2] = {HEIGHT, WIDTH};
    static const zt_box box = {{3, WIDTH / 2 - 70}, {7, WIDTH / 2 + 90}};
    static const uint64_t part[2] = {4, 160};
    struct test_array a = array_of(ZT_F32, 2, shape), whole = array_of(ZT_F32, 2, shape);
    struct test_array some = array_of(ZT_F32, 2, part);
    zt_context *context;
    uint64_t end_bits;
    (void)state;
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        ((float *)a.array.data)[i] = (float)((i % WIDTH) * 1e-5) * (float)(1 + i / WIDTH);
    zt_context_new(NULL, &context);
    const zt_omp omp = {.threads = 2, .grain = 1};
    zt_context_set_omp(context, &omp);
    struct coded c = code(context, &a.array, 1e-4, CODER_TRANSFORM);
    assert_true(c.coding.grid.count > 1);
    if (TEST_SHARE == 1) {
        struct coded other = code(NULL, &a.array, 1e-4, CODER_TRANSFORM);
        assert_int_equal(c.end_bits, other.end_bits);
        assert_memory_equal(c.bytes, other.bytes, (size_t)(c.end_bits / 8));
        coded_free(NULL, &other);
    }
    struct zti_coding coding = loaded(context, &c);
    struct zti_view view = view_of(&whole.array);
    assert_int_equal(zti_exec_decode(context, &coding, c.bytes, (size_t)(c.end_bits / 8), 0, NULL,
                                     &view, &end_bits),
                     ZT_OK);
    const struct zti_array all = inside(&whole.array), out = inside(&some.array);
    assert_true(zti_view_box(&all, &box, &out, &view));
    assert_int_equal(zti_exec_decode(context, &coding, c.bytes, (size_t)(c.end_bits / 8), 0, NULL,
                                     &view, &end_bits),
                     ZT_OK);
    for (uint64_t y = 0; y < part[0]; y++)
        assert_memory_equal((float *)some.array.data + y * part[1],
                            (float *)whole.array.data + (y + box.lo[0]) * WIDTH + box.lo[1],
                            part[1] * sizeof(float));
    zti_sz_forget(context, &coding);
    coded_free(context, &c);
    zt_context_free(context);
    test_array_free(&a);
    test_array_free(&whole);
    test_array_free(&some);
}

/* Boxes of an array of one tile are parts of the whole, decoded on one thread or three. */
static void boxes_are_parts_of_the_whole(void **state)
{
    enum { ARRAYS = 5 };
    static const struct {
        uint32_t rank;
        uint64_t shape[ZT_MAX_RANK];
    } arrays[ARRAYS] = {
        {1, {150001}}, {2, {301, 517}}, {3, {70, 81, 90}}, {4, {9, 20, 31, 40}}, {2, {2, 70002}}};
    struct rng r = {6};
    zt_context *context;
    (void)state;
    zt_context_new(NULL, &context);
    const zt_omp omp = {.threads = 3};
    zt_context_set_omp(context, &omp);
    for (uint32_t i = 0; i < 4 * ARRAYS; i += TEST_STEP) {
        const uint32_t rank = arrays[i % ARRAYS].rank;
        const uint64_t *const shape = arrays[i % ARRAYS].shape;
        struct test_array a = array_of(i % 2 ? ZT_F64 : ZT_F32, rank, shape);
        struct test_array whole = array_of(a.array.type, rank, shape);
        double min, max;
        uint64_t end_bits;
        fill_array(&a.array, i < 2 * ARRAYS ? DATA_WAVE_NOISE : DATA_NOISE, i);
        range_of(&a.array, &min, &max);
        struct coded c =
            code(NULL, &a.array, (max - min) * (i < ARRAYS ? 1e-7 : 1e-3), CODER_TRANSFORM);
        struct coded other =
            code(context, &a.array, (max - min) * (i < ARRAYS ? 1e-7 : 1e-3), CODER_TRANSFORM);
        assert_int_equal(c.end_bits, other.end_bits);
        assert_memory_equal(c.bytes, other.bytes, (size_t)(c.end_bits / 8));
        struct zti_coding coding = loaded(context, &c);
        struct zti_view view = view_of(&whole.array);
        assert_int_equal(zti_exec_decode(NULL, &c.coding, c.bytes, (size_t)(c.end_bits / 8), 0,
                                         NULL, &view, &end_bits),
                         ZT_OK);
        for (uint32_t n = 0; n < 12; n += TEST_STEP)
            need_box(&r, context, &coding, &c, &whole.array, n % 3 == 0);
        zti_sz_forget(context, &coding);
        coded_free(NULL, &c);
        coded_free(context, &other);
        test_array_free(&a);
        test_array_free(&whole);
    }
    zt_context_free(context);
}

static void what_memory_held_does_not_matter(void **state)
{
    static const uint64_t shape[3] = {5, 50, 69};
    struct test_array a = array_of(ZT_F32, 3, shape);
    (void)state;
    fill_array(&a.array, DATA_WAVE_NOISE, 1);
    need_clean_memory(&a.array, 1e-3, CODER_TRANSFORM);
    test_array_free(&a);
}

static void bytes_do_not_change(void **state)
{
    static const struct {
        uint32_t type, rank;
        uint64_t shape[ZT_MAX_RANK];
        double bound; /* over the range */
        uint64_t bytes, hash;
    } golden[] = {{ZT_F32, 1, {5001}, 1e-3, 2764, UINT64_C(0x1a78762f2d5eb6cb)},
                  {ZT_F64, 2, {131, 77}, 1e-9, 30738, UINT64_C(0x4c87ea2a042ccc1c)},
                  {ZT_F32, 3, {19, 40, 71}, 3e-2, 877, UINT64_C(0x7169eee957cdbf18)},
                  {ZT_F64, 4, {3, 9, 17, 33}, 1e-2, 1511, UINT64_C(0x5f08a9ffa27ec2fc)}};
    bool is_good = true;
    (void)state;
    for (uint32_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        struct test_array a = array_of(golden[i].type, golden[i].rank, golden[i].shape);
        double min, max;
        fill_array(&a.array, DATA_WAVE_NOISE, i);
        range_of(&a.array, &min, &max);
        is_good &= writes_golden(&a.array, golden[i].bound * (max - min), CODER_TRANSFORM, -1,
                                 golden[i].bytes, golden[i].hash);
        test_array_free(&a);
    }
    assert_true(is_good);
}

/* docs/format/sz.md shows these bytes. */
static void the_example_of_the_page_is_written(void **state)
{
    static const uint8_t page[] = {0x00, 0x3e, 0x16, 0x40, 0x4d, 0x20, 0x81, 0x90, 0x08, 0x0b, 0xe3,
                                   0x9b, 0x23, 0x39, 0x2c, 0xe1, 0x71, 0xad, 0xaf, 0x13, 0x47, 0x9c,
                                   0x1d, 0xc2, 0x19, 0x04, 0x11, 0x40, 0xab, 0x9e, 0x75, 0xc0, 0x6b,
                                   0x60, 0x37, 0x4f, 0x4b, 0xcc, 0xad, 0x79, 0x70, 0x90, 0xb0, 0x62,
                                   0xf6, 0x8f, 0xf5, 0x10, 0x03, 0x01, 0x04, 0x00, 0x0b, 0x00, 0x01,
                                   0x07, 0x01, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
    static const uint64_t shape[1] = {64};
    struct test_array a = array_of(ZT_F64, 1, shape);
    (void)state;
    for (uint32_t i = 0; i < 64; i++)
        ((double *)a.array.data)[i] = i < 32 ? i : 63 - i;
    struct coded c = code(NULL, &a.array, 0.25, CODER_TRANSFORM);
    assert_int_equal(c.end_bits, 8 * sizeof page);
    assert_memory_equal(c.bytes, page, sizeof page);
    coded_free(NULL, &c);
    test_array_free(&a);
}

/* ---- plans ---- */

/* Samples say nothing of the transform, nor of what it leaves to effort high: a layout takes the
 * array as it lies. */
static void a_plan_takes_the_array_as_it_lies(void **state)
{
    static const uint64_t shape[3] = {60, 3, 900};
    (void)state;
    for (uint32_t type = ZT_F32; type <= ZT_I64; type++) {
        struct test_array a = array_of(type, 3, shape);
        void *bytes[2];
        size_t n[2];
        fill_array(&a.array, DATA_WAVE_NOISE, type);
        for (uint32_t is_planned = 0; is_planned < 2; is_planned++) {
            zt_params p = zt_params_abs(2);
            p.codec = ZT_CODEC_SZ;
            p.plan = is_planned ? ZT_PLAN_ON : ZT_PLAN_OFF;
            zt_params_set_sz(&p, ZT_SZ_TRANSFORM, 0);
            size_t most;
            assert_int_equal(zt_compress_bound(NULL, &a.array, &p, &most), ZT_OK);
            bytes[is_planned] = need(most);
            assert_int_equal(
                zt_compress(NULL, &a.array, &p, bytes[is_planned], most, &n[is_planned]), ZT_OK);
        }
        assert_int_equal(n[0], n[1]);
        assert_memory_equal(bytes[0], bytes[1], n[0]);
        free(bytes[0]);
        free(bytes[1]);
        test_array_free(&a);
    }
}

/* ---- damage ---- */

/* Any bytes decode to something or are refused; sanitizers watch. */
static void damaged_streams_are_decoded_or_refused(void **state)
{
    struct rng r = {5};
    (void)state;
    for (uint32_t number = 0; number < 300; number += TEST_SHARE) {
        struct test_array a = random_array(&r, number % DATA_KINDS);
        double min, max;
        range_of(&a.array, &min, &max);
        const double range = isfinite(max - min) && max > min ? max - min : 1;
        decode_damaged(&r, &a.array, range * 1e-3, CODER_TRANSFORM, 12, 60);
        test_array_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bound_holds_for_any_values),
        cmocka_unit_test(other_values_are_coded_as_effort_high_does),
        cmocka_unit_test(lines_of_every_level_have_room),
        cmocka_unit_test(long_axes_come_back),
        cmocka_unit_test(parts_cover_a_tile_once),
        cmocka_unit_test(contexts_of_one_and_of_vectors_are_the_same),
        cmocka_unit_test(symbols_and_what_they_leave_open_are_magnitudes),
        cmocka_unit_test(a_psnr_is_met_and_not_by_far),
        cmocka_unit_test(smooth_noise_takes_less_than_at_effort_high),
        cmocka_unit_test(all_instances_write_the_same_bytes),
        cmocka_unit_test(all_instances_read_the_same_values),
        cmocka_unit_test(large_arrays_have_several_tiles),
        cmocka_unit_test(boxes_are_parts_of_the_whole),
        cmocka_unit_test(what_memory_held_does_not_matter),
        cmocka_unit_test(bytes_do_not_change),
        cmocka_unit_test(a_plan_takes_the_array_as_it_lies),
        cmocka_unit_test(the_example_of_the_page_is_written),
        cmocka_unit_test(damaged_streams_are_decoded_or_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
