/* plan_test.c: plans as views, in frames and in files: whatever the order of axes and whichever are
 * joined, the payload is the stream of the rearranged array, and what is read is in the user's
 * axes. */
#include "support/inside.h"
#include "unit/frame_support.h"
#include "ztile_zfp.h"

#include "array/array.h"
#include "frame/write/writer.h"
#include "plan/choose.h"
#include "plan/plan.h"
#include "plan/sample.h"

struct planned_case {
    uint32_t type, rank;
    uint64_t shape[ZT_MAX_RANK];
    enum data_kind kind;
    struct zti_plan plan;
    zt_params params;
};

static struct zti_plan random_plan(struct rng *r, uint32_t rank)
{
    struct zti_plan plan = zti_plan_none(rank);
    for (uint32_t k = rank; k-- > 1;) {
        const uint32_t other = (uint32_t)rng_below(r, k + 1);
        const uint8_t axis = plan.axis[k];
        plan.axis[k] = plan.axis[other];
        plan.axis[other] = axis;
        plan.is_joined[k] = rng_once_in(r, 2);
    }
    return plan;
}

static struct planned_case random_case(uint64_t number)
{
    static const uint64_t most[] = {0, 9000, 90, 26, 12};
    static const uint32_t kinds[] = {DATA_SMOOTH,    DATA_WAVE_NOISE, DATA_SPIKE,
                                     DATA_NONFINITE, DATA_OFFSET,     DATA_CONSTANT};
    struct rng r = {mix64(7, number)};
    struct planned_case c = {.type = 1 + (uint32_t)rng_below(&r, 4),
                             .rank = 1 + (uint32_t)rng_below(&r, ZT_MAX_RANK),
                             .kind = kinds[rng_below(&r, sizeof kinds / sizeof *kinds)]};
    for (uint32_t i = 0; i < c.rank; i++)
        c.shape[i] = 1 + rng_below(&r, rng_once_in(&r, 3) ? 4 : most[c.rank]);
    c.plan = random_plan(&r, c.rank);
    (void)zt_params_init(&c.params, sizeof c.params);
    c.params.codec = 1 + (uint32_t)rng_below(&r, 3);
    set_coder(&c.params, (uint32_t)rng_below(&r, 3));
    c.params.index = rng_once_in(&r, 2) ? ZT_INDEX_DEFAULT : 1 + (uint32_t)rng_below(&r, 5);
    c.params.index_chunk = c.params.index > ZT_INDEX_NONE ? 1 + (uint32_t)rng_below(&r, 9) : 0;
    if (c.params.codec != ZT_CODEC_NDZIP && !rng_once_in(&r, 4))
        c.params.bound = zt_abs(rng_once_in(&r, 2) ? 1e-3 : 0.3);
    if (c.params.codec == ZT_CODEC_ZFP && rng_once_in(&r, 5))
        c.params.bound = zt_rate(9);
    if (rng_once_in(&r, 3))
        c.params.slab_bytes = 1 + rng_below(&r, 30000);
    return c;
}

/* What zt_compress would make if this plan were chosen for every frame. */
static struct bytes compress_planned(zt_context *context, const zt_array *array,
                                     const zt_params *params, const struct zti_plan *plan)
{
    struct mem_sink sink = {.limit = SIZE_MAX};
    const struct zti_choice choice = {.plan = *plan};
    const struct zti_array own = inside(array);
    struct zt_writer w;
    need_ok(context, zti_writer_init(context, &own, params, &w));
    w.output.sink = sink_of(&sink);
    w.request.fixed = &choice;
    need_ok(context, zti_writer_put(&w, &own));
    need_ok(context, zti_writer_finish(&w));
    zti_writer_clear(&w);
    return sink.bytes;
}

/* The planned array, C-contiguous. */
static zt_array rearranged(const struct zti_plan *plan, const zt_array *array)
{
    uint64_t coded[ZT_MAX_RANK];
    const uint32_t rank = zti_plan_shape(plan, array->shape, coded);
    zt_array a = new_array((zt_type)array->type, rank, coded);
    const struct zti_array own = inside(array);
    zti_plan_copy(plan, &own, a.data);
    return a;
}

/* One frame: its payload is that of the rearranged array in a file without a plan. */
static void need_same_stream(const struct planned_case *c, const zt_array *array,
                             const struct bytes *file)
{
    zt_info info = info_of(file), other_info;
    zt_array other = rearranged(&c->plan, array);
    if (info.frames == 1 && info.raw_frames == 0) {
        zt_params params = c->params;
        params.slab_bytes = UINT64_C(1) << 40;
        struct bytes other_file = compress(&other, &params);
        other_info = info_of(&other_file);
        assert_true(info.stream_bytes == other_info.stream_bytes);
        size_t at = 64, at_other = 64; /* headers may differ in length by the plan */
        if (file->data[8] == 2)        /* U, see docs/format/zt.md */
            at = 128;
        if (other_file.data[8] == 2)
            at_other = 128;
        assert_memory_equal(file->data + at, other_file.data + at_other, (size_t)info.stream_bytes);
        free(other_file.data);
    }
    free(other.data);
}

static void need_values(zt_context *context, const struct planned_case *c, const zt_array *array,
                        const struct bytes *file, const zt_array *back)
{
    need_ok(context, zt_decompress(context, file->data, file->n, back));
    if (c->params.bound.kind == ZT_RATE)
        return;
    const double bound = c->params.bound.kind == ZT_ABS ? c->params.bound.value : 0;
    const size_t element = zt_type_bytes(c->type);
    for (size_t at = 0; at < array_bytes(array); at += element)
        if (!is_within_exactly(c->type, (char *)array->data + at, (char *)back->data + at, bound))
            fail_msg("element %zu is beyond %g", at / element, bound);
}

/* A box of memory of any strides, from memory and from a file, is the slice of the whole. */
static void need_box(zt_context *context, struct rng *r, const zt_array *whole,
                     const struct bytes *file)
{
    zt_box box = {.lo = {0}};
    uint64_t shape[ZT_MAX_RANK] = {0};
    int64_t stride[ZT_MAX_RANK];
    for (uint32_t i = 0; i < whole->rank; i++) {
        box.lo[i] = rng_once_in(r, 2) ? 0 : rng_below(r, whole->shape[i]);
        box.hi[i] = rng_once_in(r, 2) ? whole->shape[i]
                                      : box.lo[i] + 1 + rng_below(r, whole->shape[i] - box.lo[i]);
        shape[i] = box.hi[i] - box.lo[i];
    }
    random_strides(r, whole->rank, shape, stride);
    struct test_array out = test_array_new(whole->type, whole->rank, shape, stride);
    if (rng_once_in(r, 2)) {
        need_ok(context, zt_decompress_box(context, file->data, file->n, &box, &out.array));
    } else {
        struct mem_source memory;
        zt_source source = source_of(&memory, file->data, file->n, false);
        zt_reader *reader = NULL;
        need_ok(context, zt_reader_open(context, &source, &reader));
        need_ok(context, zt_reader_read_box(reader, &box, &out.array));
        zt_reader_close(reader);
    }
    assert_true(gaps_are_untouched(&out));
    zt_array part = *whole;
    part.data = place_of(whole, box.lo);
    memcpy(part.shape, shape, sizeof part.shape);
    const size_t n = array_bytes(&part);
    unsigned char *wanted = need(n), *got = need(n);
    gather(&part, wanted);
    gather(&out.array, got);
    assert_memory_equal(wanted, got, n);
    free(wanted);
    free(got);
    test_array_free(&out);
}

/* Frame by frame from a pipe. */
static void need_frames(zt_context *context, const zt_array *whole, const struct bytes *file)
{
    struct mem_source memory;
    zt_source source = source_of(&memory, file->data, file->n, true);
    zt_reader *reader = NULL;
    uint64_t first, extent;
    need_ok(context, zt_reader_open(context, &source, &reader));
    for (;;) {
        need_ok(context, zt_reader_next(reader, &first, &extent));
        if (extent == 0)
            break;
        const zt_array slab = slab_of(whole, first, extent);
        zt_array out = new_array((zt_type)slab.type, slab.rank, slab.shape);
        need_ok(context, zt_reader_read(reader, &out));
        assert_memory_equal(out.data, slab.data, array_bytes(&slab));
        free(out.data);
    }
    zt_reader_close(reader);
}

static void need_same_bytes_however_they_are_put(zt_context *context, struct rng *r,
                                                 const struct planned_case *c,
                                                 const zt_array *array, const struct bytes *file)
{
    int64_t stride[ZT_MAX_RANK];
    random_strides(r, c->rank, c->shape, stride);
    struct test_array other = test_array_new(c->type, c->rank, c->shape, stride);
    scatter(&other.array, array->data);
    random_policy(r, context);
    struct bytes again = compress_planned(context, &other.array, &c->params, &c->plan);
    assert_int_equal(again.n, file->n);
    assert_memory_equal(again.data, file->data, file->n);
    free(again.data);
    test_array_free(&other);
}

static void plans_change_no_value(void **state)
{
    (void)state;
    zt_context *context = NULL;
    assert_int_equal(zt_context_new(NULL, &context), ZT_OK);
    for (uint64_t number = 0; number < 400; number += TEST_SHARE) {
        const struct planned_case c = random_case(number);
        struct rng r = {mix64(8, number)};
        zt_array array = new_array((zt_type)c.type, c.rank, c.shape);
        zt_array back = new_array((zt_type)c.type, c.rank, c.shape);
        fill_array(&array, c.kind, number);
        random_policy(&r, context);
        struct bytes file = compress_planned(context, &array, &c.params, &c.plan);
        random_policy(&r, context);
        need_values(context, &c, &array, &file, &back);
        need_same_stream(&c, &array, &file);
        need_box(context, &r, &back, &file);
        need_box(context, &r, &back, &file);
        need_frames(context, &back, &file);
        need_same_bytes_however_they_are_put(context, &r, &c, &array, &file);
        free(file.data);
        free(array.data);
        free(back.data);
    }
    zt_context_free(context);
}

/* Boxes along an axis that is joined as the faster one. */
static void thin_boxes_of_joined_axes_are_found(void **state)
{
    (void)state;
    const uint64_t shape[] = {700000, 3};
    zt_array array = new_array(ZT_F32, 2, shape);
    fill_array(&array, DATA_WAVE_NOISE, 1);
    struct zti_plan plan = zti_plan_none(2);
    plan.is_joined[1] = true;
    zt_params params = params_of(zt_lossless());
    struct bytes file = compress_planned(NULL, &array, &params, &plan);
    zt_box box = {.lo = {5, 1}, .hi = {699999, 2}};
    const uint64_t thin[] = {699994, 1};
    zt_array out = new_array(ZT_F32, 2, thin);
    assert_int_equal(zt_decompress_box(NULL, file.data, file.n, &box, &out), ZT_OK);
    for (size_t i = 0; i < thin[0]; i++)
        assert_memory_equal((float *)out.data + i, (float *)array.data + 3 * (i + 5) + 1, 4);
    free(out.data);
    free(file.data);
    free(array.data);
}

/* ---- what is decoded ---- */

/* Tiles that a codec was made to decode. */
static struct {
    const struct zti_codec *codec;
    unsigned char times[1 << 16];
    uint64_t tiles;
} counted;

static void count_decode(const struct zti_coding *coding, struct zti_bit_reader *reader,
                         uint64_t first, uint64_t last, const struct zti_view *view)
{
    for (uint64_t tile = first; tile < last; tile++)
        counted.times[tile]++;
    counted.tiles += last - first;
    counted.codec->decode(coding, reader, first, last, view);
}

/* How many tiles have a value of a box. */
static uint64_t mark_wanted(const struct zti_frame *f, const zt_box *box, unsigned char *is_wanted)
{
    const struct zti_grid *const grid = &f->coding.grid;
    uint64_t at[ZT_MAX_RANK], tiles = 0;
    uint32_t i;
    memcpy(at, box->lo, sizeof at);
    do {
        uint64_t tile = 0, x = 0;
        uint32_t coded = 0;
        for (uint32_t k = 0; k < f->rank; k++) {
            x = x * f->shape[f->plan.axis[k]] + at[f->plan.axis[k]];
            if (k + 1 < f->rank && f->plan.is_joined[k + 1])
                continue;
            tile = tile * grid->tiles[coded] + x / grid->side[coded];
            coded++;
            x = 0;
        }
        tiles += !is_wanted[tile];
        is_wanted[tile] = 1;
        for (i = f->rank; i-- > 0;) {
            if (++at[i] < box->hi[i])
                break;
            at[i] = box->lo[i];
        }
    } while (i < f->rank);
    return tiles;
}

/* Decode a box of the only frame of a file, with a codec that counts. */
static void decode_counted(const struct bytes *file, const zt_box *box, const zt_array *out,
                           const struct zti_frame *f)
{
    struct zti_codec counting = *f->coding.codec;
    struct zti_coding coding = f->coding;
    struct zti_view view = {.out = inside(out)};
    struct zti_plan_scatter parts;
    uint64_t end_bits;
    counted.codec = f->coding.codec;
    counted.tiles = 0;
    memset(counted.times, 0, sizeof counted.times);
    counting.decode = count_decode;
    coding.codec = &counting;
    memcpy(view.lo, box->lo, sizeof view.lo);
    memcpy(view.hi, box->hi, sizeof view.hi);
    zti_plan_scatter(&f->plan, f->shape, coding.grid.side, &view, &parts);
    assert_int_equal(zti_exec_decode_scattered(NULL, &coding, file->data + f->header_bytes,
                                               (size_t)f->payload_bytes, 0, NULL, &parts.scatter,
                                               &end_bits),
                     ZT_OK);
}

/* Whatever the plan and the box, each tile that has a value of the box is decoded once, and no
 * other. */
static void a_tile_is_decoded_once_and_only_if_it_is_wanted(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 600; number += TEST_SHARE) {
        struct rng r = {mix64(17, number)};
        const uint32_t rank = 2 + (uint32_t)rng_below(&r, 3);
        static const uint64_t most[] = {0, 0, 300, 60, 22};
        uint64_t shape[ZT_MAX_RANK] = {0}, box_shape[ZT_MAX_RANK] = {0};
        zt_box box = {{0}, {0}};
        for (uint32_t i = 0; i < rank; i++) {
            shape[i] = 1 + rng_below(&r, rng_once_in(&r, 3) ? 6 : most[rank]);
            box.lo[i] = rng_once_in(&r, 3) ? 0 : rng_below(&r, shape[i]);
            box.hi[i] =
                rng_once_in(&r, 3) ? shape[i] : box.lo[i] + 1 + rng_below(&r, shape[i] - box.lo[i]);
            box_shape[i] = box.hi[i] - box.lo[i];
        }
        const struct zti_plan plan = random_plan(&r, rank);
        zt_array array = new_array(ZT_F32, rank, shape), out = new_array(ZT_F32, rank, box_shape);
        fill_array(&array, DATA_WAVE_NOISE, number);
        const zt_params params = params_of(zt_precision(20)); /* no frame is raw */
        struct bytes file = compress_planned(NULL, &array, &params, &plan);
        assert_int_equal(zt_decompress(NULL, file.data, file.n, &array), ZT_OK);
        struct zti_frame f;
        uint32_t header_bytes;
        assert_int_equal(zti_header_bytes(NULL, 0, file.data, &header_bytes), ZT_OK);
        assert_int_equal(zti_header_parse(NULL, 0, file.data, header_bytes, &f), ZT_OK);
        unsigned char *is_wanted = calloc(f.coding.grid.count, 1);
        assert_non_null(is_wanted);
        assert_true(f.coding.grid.count <= sizeof counted.times);
        const uint64_t wanted = mark_wanted(&f, &box, is_wanted);
        decode_counted(&file, &box, &out, &f);
        assert_memory_equal(counted.times, is_wanted, f.coding.grid.count);
        assert_int_equal(counted.tiles, wanted);
        zt_array part = array;
        part.data = place_of(&array, box.lo);
        memcpy(part.shape, box_shape, sizeof box_shape);
        unsigned char *const expected = need(array_bytes(&part));
        gather(&part, expected);
        assert_memory_equal(out.data, expected, array_bytes(&part));
        free(expected);
        free(is_wanted);
        free(file.data);
        free(array.data);
        free(out.data);
    }
}

static int count_whole(void *user, uint64_t done, uint64_t total)
{
    *(uint32_t *)user += done == total;
    return 0;
}

/* The fastest axis of memory is joined before the slowest one: an array that was decoded in many
 * parts, each of which took most of its tiles. */
static void a_frame_is_decoded_in_one_go(void **state)
{
    static const uint64_t shape[] = {7, 20, 53, 60};
    const struct zti_plan plan = {.rank = 4, .axis = {1, 2, 3, 0}, .is_joined = {0, 0, 1, 1}};
    zt_array array = new_array(ZT_F32, 4, shape), back = new_array(ZT_F32, 4, shape);
    zt_params params = params_of(zt_lossless());
    zt_context *context = NULL;
    (void)state;
    fill_array(&array, DATA_SMOOTH, 3);
    params.codec = ZT_CODEC_ZFP;
    struct bytes file = compress_planned(NULL, &array, &params, &plan);
    assert_int_equal(zt_context_new(NULL, &context), ZT_OK);
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        const zt_omp omp = {.threads = threads};
        uint32_t calls = 0;
        need_ok(context, zt_context_set_omp(context, &omp));
        need_ok(context, zt_context_set_progress(context, count_whole, &calls));
        need_ok(context, zt_decompress(context, file.data, file.n, &back));
        assert_in_range(calls, 1, 2); /* tiles' end and the call's */
        assert_memory_equal(back.data, array.data, array_bytes(&array));
    }
    zt_context_free(context);
    free(file.data);
    free(array.data);
    free(back.data);
}

static void a_plan_in_a_file_is_checked(void **state)
{
    (void)state;
    struct zti_plan plan;
    static const struct {
        uint32_t rank;
        uint8_t bytes[4];
        uint64_t n;
        zt_status status;
    } rows[] = {
        {3, {0, 0x06, 0}, 3, ZT_OK},      /* 2 1 0 */
        {3, {0, 0x24, 2}, 3, ZT_OK},      /* 0 1 2, the first two joined */
        {3, {0, 0x24, 0}, 3, ZT_CORRUPT}, /* changes nothing */
        {3, {0, 0x24, 1}, 3, ZT_CORRUPT}, /* the first has none before it */
        {3, {0, 0x24, 8}, 3, ZT_CORRUPT}, /* no fourth axis */
        {3, {0, 0x64, 2}, 3, ZT_CORRUPT}, /* the same */
        {3, {0, 0x05, 2}, 3, ZT_CORRUPT}, /* an axis twice */
        {3, {0, 0x34, 2}, 3, ZT_CORRUPT}, /* axis 3 of rank 3 */
        {3, {0, 0x24}, 2, ZT_CORRUPT},    {3, {0, 0x24, 2, 0}, 4, ZT_CORRUPT},
        {3, {0}, 0, ZT_CORRUPT},          {3, {1, 0x24, 2}, 3, ZT_UNSUPPORTED},
        {4, {0, 0xe4, 14}, 3, ZT_OK},     {1, {0, 0, 0}, 3, ZT_CORRUPT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(zti_plan_load(rows[i].rank, rows[i].bytes, rows[i].n, &plan),
                         rows[i].status);
}

/* A smooth array of which the last axis was split into pairs, or that has axes of one element,
 * takes hardly more with sz than as it should be declared. */
static void split_axes_are_joined_again(void **state)
{
    enum { ROWS = 300, COLUMNS = 400 };
    const uint64_t shapes[][ZT_MAX_RANK] = {{ROWS, COLUMNS},
                                            {ROWS, COLUMNS / 2, 2},
                                            {2, ROWS / 2, COLUMNS},
                                            {1, ROWS, 1, COLUMNS},
                                            {ROWS, 1, COLUMNS / 2, 2}};
    const uint32_t ranks[] = {2, 3, 3, 4, 4};
    float *const values = malloc(sizeof(float) * ROWS * COLUMNS);
    zt_params params;
    size_t right = 0;
    (void)state;
    assert_non_null(values);
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
        const int32_t x = (int32_t)(i % COLUMNS) - 170, y = (int32_t)(i / COLUMNS) - 90;
        values[i] = (float)(x * x + 3 * y * y - x * y);
    }
    (void)zt_params_init(&params, sizeof params);
    params.codec = ZT_CODEC_SZ;
    params.bound = zt_abs(2);
    params.plan = ZT_PLAN_ON;
    for (uint32_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        const zt_array array = zt_array_nd(values, ZT_F32, ranks[i], shapes[i]);
        struct bytes file = compress(&array, &params);
        if (i == 0)
            right = file.n;
        if (file.n > right + right / 20)
            fail_msg("declaration %u takes %zu bytes, the right one %zu", i, file.n, right);
        free(file.data);
    }
    free(values);
}

/* Points are spread over axes of any length, or short ones would be judged by some of their
 * elements. */
static void points_reach_all_elements_of_short_axes(void **state)
{
    enum { POINTS = 24, LONGEST = 6 };
    (void)state;
    for (uint64_t extent = 1; extent <= LONGEST; extent++)
        for (uint32_t axis = 0; axis < ZT_MAX_RANK; axis++) {
            uint64_t shape[ZT_MAX_RANK] = {100, 100, 100, 100}, at[ZT_MAX_RANK];
            uint32_t seen = 0;
            shape[axis] = extent;
            const struct zti_array array = zti_array_packed(NULL, ZT_F32, ZT_MAX_RANK, shape);
            for (uint32_t k = 0; k < POINTS; k++) {
                zti_array_point(&array, k, at);
                assert_true(at[axis] < extent);
                seen |= 1u << at[axis];
            }
            assert_int_equal(seen, (1u << extent) - 1);
        }
}

/* Arrays in which something else matters along each axis: nowhere does planning cost a hundredth
 * with sz. */
static void sz_is_not_larger_with_a_plan(void **state)
{
    static const uint64_t shapes[][ZT_MAX_RANK] = {
        {300, 250}, {3, 130, 170}, {70, 5, 200}, {2, 24, 40, 32}, {90, 100, 2}};
    static const uint32_t ranks[] = {2, 3, 3, 4, 3};
    (void)state;
    for (uint32_t c = 0; c < 3 * sizeof ranks / sizeof *ranks; c++) {
        const uint32_t kind = c % 3;
        const uint64_t *const shape = shapes[c / 3];
        const uint32_t rank = ranks[c / 3];
        const uint64_t n = zti_array_values(rank, shape), row = shape[rank - 1];
        float *const values = malloc(sizeof(float) * n);
        struct rng r = {mix64(91, c)};
        zt_params params;
        size_t bytes[2];
        assert_non_null(values);
        for (uint64_t i = 0; i < n; i++) {
            const float x = (float)(i % row), y = (float)(i / row % 50);
            const float noise = (float)rng_below(&r, 1000) / 1000;
            values[i] = kind == 0   ? x * x / 40 + y * (x - y) / 9 + noise
                        : kind == 1 ? (float)(mix64(5, i % row) % 1000) + y * y / 20 + noise
                                    : noise * (i > n / 8 * 7 ? 60 : 1); /* most of it in one part */
        }
        (void)zt_params_init(&params, sizeof params);
        params.codec = ZT_CODEC_SZ;
        params.bound = zt_abs(0.1);
        for (uint32_t k = 0; k < 2; k++) {
            params.plan = k ? ZT_PLAN_ON : ZT_PLAN_OFF;
            const zt_array array = zt_array_nd(values, ZT_F32, rank, shape);
            struct bytes file = compress(&array, &params);
            bytes[k] = file.n;
            free(file.data);
        }
        if (bytes[1] > bytes[0] + bytes[0] / 100)
            fail_msg("case %u takes %zu bytes with a plan, %zu without", c, bytes[1], bytes[0]);
        free(values);
    }
}

/* ---- how small files get ---- */

enum made { MADE_TABLE, MADE_STACK, MADE_NOISE, MADE_HOLES, MADE_KINDS };

/* Fields of which effort 'high' was larger with a plan than without, or than 'default'. */
static zt_array made_field(enum made kind)
{
    static const uint64_t shapes[MADE_KINDS][ZT_MAX_RANK] = {
        {5200, 40}, {12, 20, 20, 30}, {40, 50, 60}, {300, 400}};
    static const uint32_t ranks[MADE_KINDS] = {2, 4, 3, 2};
    const zt_array a = new_array(ZT_F32, ranks[kind], shapes[kind]);
    const uint64_t n = zti_array_values(a.rank, a.shape), row = a.shape[a.rank - 1];
    float *const values = a.data;
    struct rng r = {mix64(17, kind)};
    double walk[64] = {0};
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t column = i % row, first = i / (n / a.shape[0]);
        const double x = (double)column, y = (double)(i / row), z = (double)(i / row % 20);
        const double of_column = (double)(mix64(3, column) % 1000) / 1000,
                     of_first = (double)(mix64(4, first) % 1000) / 1000;
        const double noise = rng_unit(&r);
        walk[column % 64] += 0.01 * (noise - 0.5);
        double v = noise;
        if (kind == MADE_TABLE)
            v = (sin(y / 40) + walk[column % 64]) * exp(4.6 * of_column) + 10 * of_column;
        else if (kind == MADE_STACK)
            v = exp(9 * of_first - 4) *
                (sin(x / 4 + z / 5 + (double)first) + noise * exp(-12 * of_first) + 3 * of_first);
        else if (kind == MADE_HOLES)
            v = sin(x / 29) + cos(y / 31) + noise / 900;
        values[i] = (float)v;
        if (kind == MADE_HOLES && sin(x / 25) * cos(y / 31) > 0.1)
            values[i] = NAN;
    }
    return a;
}

static size_t size_of(const zt_array *array, zt_params params, uint32_t codec, uint32_t effort,
                      uint32_t plan)
{
    params.codec = codec;
    set_coder(&params, effort);
    params.plan = plan;
    struct bytes file = compress(array, &params);
    free(file.data);
    return file.n;
}

static void high_is_never_larger_than_default_nor_with_a_plan(void **state)
{
    static const double bounds[] = {1e-2, 1e-3, 1e-4, 1e-6};
    enum { SLACK_BYTES = 64 }; /* a header, rounded */
    (void)state;
    for (uint32_t c = 0; c < MADE_KINDS * sizeof bounds / sizeof *bounds; c += TEST_STEP) {
        const zt_array array = made_field(c % MADE_KINDS);
        zt_params params;
        (void)zt_params_init(&params, sizeof params);
        params.bound = zt_rel(bounds[c / MADE_KINDS]);
        size_t high[2], normal[2];
        for (uint32_t plan = 0; plan < 2; plan++) {
            high[plan] = size_of(&array, params, ZT_CODEC_SZ, CODER_HIGH, plan);
            normal[plan] = size_of(&array, params, ZT_CODEC_SZ, CODER_DEFAULT, plan);
            if (high[plan] > normal[plan] + normal[plan] / 200 + SLACK_BYTES)
                fail_msg("case %u, plan %u: high takes %zu bytes, default %zu", c, plan, high[plan],
                         normal[plan]);
        }
        if (high[1] > high[0] + high[0] / 100 + SLACK_BYTES)
            fail_msg("case %u: high takes %zu bytes with a plan, %zu without", c, high[1], high[0]);
        free(array.data);
    }
}

static void auto_under_a_psnr_tries_effort_high(void **state)
{
    const zt_array array = made_field(MADE_TABLE);
    zt_params params;
    (void)state;
    (void)zt_params_init(&params, sizeof params);
    params.bound = zt_psnr(60);
    const size_t high = size_of(&array, params, ZT_CODEC_SZ, CODER_HIGH, ZT_PLAN_ON);
    const size_t chosen = size_of(&array, params, ZT_CODEC_AUTO, CODER_DEFAULT, ZT_PLAN_ON);
    if (chosen > high + high / 100)
        fail_msg("auto takes %zu bytes, effort high %zu", chosen, high);
    free(array.data);
}

/* Waves, of which the transform takes fewer bytes than interpolation, or steps, of which it takes
 * more. */
static zt_array wave_or_steps(bool is_steps, uint32_t planes)
{
    const uint64_t shape[] = {planes, 64, 96};
    const zt_array a = new_array(ZT_F32, 3, shape);
    struct rng r = {11};
    for (uint64_t i = 0; i < values_of(3, shape); i++) {
        const double x = (double)(i % 96), y = (double)(i / 96 % 64), z = (double)(i / 96 / 64);
        const double v =
            sin(x / 2.3 + z / 9) * cos(y / 3.1) + sin((x + y) / 1.9) + rng_unit(&r) / 200;
        ((float *)a.data)[i] =
            (float)(is_steps ? floor(2 * sin(x / 9) * cos(y / 8)) + 1e-4 * v : v);
    }
    return a;
}

/* Small arrays, and two of which boxes tell first what may win. */
static void high_and_auto_take_the_smallest_coder(void **state)
{
    static const zt_bound bounds[] = {
        {ZT_REL, 0, 1e-3, {0, 0}}, {ZT_PSNR, 0, 60, {0, 0}}, {ZT_MAE_REL, 0, 1e-3, {0, 0}}};
    uint32_t won[2] = {0, 0};
    (void)state;
    for (uint32_t c = 0; c < 8; c += TEST_STEP) {
        const zt_array array = wave_or_steps(c % 2, c < 6 ? 12 : 88);
        zt_params params;
        (void)zt_params_init(&params, sizeof params);
        params.bound = bounds[c / 2 % 3];
        const size_t transform = size_of(&array, params, ZT_CODEC_SZ, CODER_TRANSFORM, 0);
        const size_t chosen = size_of(&array, params, ZT_CODEC_AUTO, CODER_DEFAULT, 1);
        for (uint32_t plan = 0; plan < 2; plan++) {
            zt_params own = params;
            own.codec = ZT_CODEC_SZ;
            own.effort = ZT_EFFORT_HIGH;
            own.plan = plan;
            struct bytes file = compress(&array, &own);
            const size_t predicted = size_of(&array, params, ZT_CODEC_SZ, CODER_HIGH, plan);
            const size_t least = predicted < transform ? predicted : transform, high = file.n;
            free(file.data);
            won[transform < predicted]++;
            if (high > least + least / 100 || chosen > least + least / 100)
                fail_msg("case %u, plan %u: high takes %zu bytes, auto %zu, the transform %zu, "
                         "prediction %zu",
                         c, plan, high, chosen, transform, predicted);
        }
        free(array.data);
    }
    assert_true(won[0] > 0 && won[1] > 0);
}

/* What a writer says that it chose is what is in the file, and the smallest that was coded. */
static void a_writer_says_what_it_chose(void **state)
{
    struct mem_sink sink = {.limit = SIZE_MAX};
    const zt_sink to = sink_of(&sink);
    const zt_array array = made_field(MADE_TABLE);
    zt_option options[64];
    zt_writer *writer = NULL;
    zt_params params;
    (void)state;
    (void)zt_params_init(&params, sizeof params);
    params.bound = zt_abs(0.5);
    params.plan = ZT_PLAN_ON;
    need_ok(NULL, zt_writer_open(NULL, &to, &array, &params, &writer));
    assert_int_equal(zt_writer_options(writer, options, 64), 0);
    need_ok(NULL, zt_writer_put(writer, &array));
    need_ok(NULL, zt_writer_close(writer));
    const uint32_t count = zt_writer_options(writer, options, 64);
    const zt_info info = info_of(&sink.bytes);
    assert_true(count > 1 && options[0].codec == info.codec);
    assert_true(options[0].coded_bytes > 0 && options[0].coded_bytes <= (double)info.file_bytes);
    for (uint32_t i = 1; i < count; i++)
        assert_true(options[i].coded_bytes == 0 ||
                    options[i].coded_bytes >= options[0].coded_bytes);
    zt_writer_free(writer);
    free(sink.bytes.data);
    free(array.data);
}

/* Sums of a function of each axis, which is noise where 'rough' has its bit, and else smooth. */
static zt_array sums_of_axes(const uint64_t *shape, uint32_t rough)
{
    zt_array array = new_array(ZT_F32, 3, shape);
    float *const values = array.data;
    for (uint64_t i = 0; i < zti_array_values(3, shape); i++) {
        uint64_t rest = i;
        double sum = 0;
        for (uint32_t axis = 3; axis-- > 0; rest /= shape[axis]) {
            const uint64_t k = rest % shape[axis];
            sum += rough >> axis & 1 ? (double)(mix64(axis, k) % 60000) / 10000
                                     : sin(0.05 * (double)k);
        }
        values[i] = (float)sum;
    }
    return array;
}

/* Fewer coded axes and a copy of what was decoded took two to three times as long to decode as the
 * array as it is. */
static void a_plan_that_decodes_at_half_the_speed_is_not_taken(void **state)
{
    static const struct {
        uint32_t codec, rough;
        uint64_t shape[ZT_MAX_RANK];
    } cases[] = {{ZT_CODEC_ZFP, 4, {300, 59, 34}},
                 {ZT_CODEC_ZFP, 4, {67, 259, 69}},
                 {ZT_CODEC_NDZIP, 7, {256, 32, 144}}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        zt_array array = sums_of_axes(cases[c].shape, cases[c].rough);
        zt_params params;
        struct zti_choice choice;
        (void)zt_params_init(&params, sizeof params);
        params.codec = cases[c].codec;
        const struct zti_target target = {.params = &params,
                                          .abs_bound = 1e-3,
                                          .min = -10,
                                          .max = 30,
                                          .kind =
                                              params.codec == ZT_CODEC_ZFP ? ZT_ABS : ZT_LOSSLESS};
        const struct zti_array own = inside(&array);
        assert_int_equal(
            zti_plan_choose(NULL, &own, zti_codec_by_id(params.codec), &target, &choice), ZT_OK);
        uint64_t coded[ZT_MAX_RANK];
        const uint32_t rank = zti_plan_shape(&choice.plan, array.shape, coded);
        if (rank < 3 && choice.plan.axis[2] != 2)
            fail_msg("case %zu is coded with %u axes, and copied", c, rank);
        free(array.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_axes_are_joined_again),
        cmocka_unit_test(points_reach_all_elements_of_short_axes),
        cmocka_unit_test(sz_is_not_larger_with_a_plan),
        cmocka_unit_test(a_plan_that_decodes_at_half_the_speed_is_not_taken),
        cmocka_unit_test(high_is_never_larger_than_default_nor_with_a_plan),
        cmocka_unit_test(auto_under_a_psnr_tries_effort_high),
        cmocka_unit_test(high_and_auto_take_the_smallest_coder),
        cmocka_unit_test(a_writer_says_what_it_chose),
        cmocka_unit_test(plans_change_no_value),
        cmocka_unit_test(thin_boxes_of_joined_axes_are_found),
        cmocka_unit_test(a_tile_is_decoded_once_and_only_if_it_is_wanted),
        cmocka_unit_test(a_frame_is_decoded_in_one_go),
        cmocka_unit_test(a_plan_in_a_file_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
