/* frame_parts_test.c: frames of a file decompressed by parts, from sources of known size and
 * sequential ones. */
#include "unit/frame_support.h"
#include "ztile_expert.h"

enum { SLICES = 75, ROWS = 20, COLUMNS = 24, VALUES = SLICES * ROWS * COLUMNS };

static struct bytes file_of(uint32_t codec, uint32_t plan, uint32_t index, bool is_special,
                            float *expected)
{
    zt_params p = params_of(codec == ZT_CODEC_NDZIP ? zt_lossless() : zt_abs(0.01));
    zt_array a = zt_array_3d(need(VALUES * sizeof(float)), ZT_F32, SLICES, ROWS, COLUMNS);
    fill_array(&a, DATA_WAVE_NOISE, 6);
    for (uint32_t i = 0; is_special && i < VALUES; i += 577)
        ((float *)a.data)[i] = NAN;
    p.codec = codec;
    p.plan = plan;
    p.index = index;
    p.slab_bytes = 40 * ROWS * COLUMNS * sizeof(float); /* two frames */
    struct bytes file = compress(&a, &p);
    zt_context *c = NULL;
    zt_context_new(NULL, &c);
    zt_array out = zt_array_3d(expected, ZT_F32, SLICES, ROWS, COLUMNS);
    need_ok(c, zt_decompress(c, file.data, file.n, &out));
    zt_context_free(c);
    free(a.data);
    return file;
}

/* A reader of a file, with all that it needs. */
struct opened {
    zt_context *context;
    struct mem_source memory;
    zt_source source;
    zt_reader *reader;
};

static void open_file(struct opened *o, const struct bytes *file, bool is_sequential)
{
    *o = (struct opened){.reader = NULL};
    o->source = source_of(&o->memory, file->data, file->n, is_sequential);
    zt_context_new(NULL, &o->context);
    need_ok(o->context, zt_reader_open(o->context, &o->source, &o->reader));
}

static void close_file(struct opened *o)
{
    zt_reader_close(o->reader);
    zt_context_free(o->context);
}

/* Go through a file by parts of so many slices, 0: as many as it says are best for 'bytes'. */
static void read_by_parts(const struct bytes *file, bool is_sequential, uint64_t slices,
                          uint64_t bytes, const float *expected)
{
    enum { SLICE = ROWS * COLUMNS };
    struct opened o;
    uint64_t first, extent;
    float *const got = (float *)need(VALUES * sizeof(float));
    memset(got, 0x55, VALUES * sizeof(float));
    open_file(&o, file, is_sequential);
    zt_context *const c = o.context;
    zt_reader *const r = o.reader;
    assert_int_equal(zt_reader_part_extent(r, 1), 0);
    for (;;) {
        need_ok(c, zt_reader_next(r, &first, &extent));
        if (extent == 0)
            break;
        for (uint64_t done = 0, n; done < extent; done += n) {
            n = slices > 0 ? slices : zt_reader_part_extent(r, bytes);
            assert_true(n > 0);
            n = n < extent - done ? n : extent - done;
            zt_array part = zt_array_3d(got + (first + done) * SLICE, ZT_F32, n, ROWS, COLUMNS);
            need_ok(c, zt_reader_read(r, &part));
        }
        assert_int_equal(zt_reader_part_extent(r, 1), 0);
    }
    assert_memory_equal(got, expected, VALUES * sizeof(float));
    close_file(&o);
    free(got);
}

static void parts_are_the_frame(void **state)
{
    (void)state;
    static const uint32_t codecs[] = {ZT_CODEC_ZFP, ZT_CODEC_NDZIP, ZT_CODEC_SZ};
    float *const expected = (float *)need(VALUES * sizeof(float));
    for (uint32_t k = 0; k < 3 * 2 * 2 * 2; k++) {
        const uint32_t plan = k / 3 % 2 ? ZT_PLAN_ON : ZT_PLAN_OFF;
        struct bytes file =
            file_of(codecs[k % 3], plan, k / 6 % 2 ? ZT_INDEX_NONE : ZT_INDEX_DEFAULT, k / 12 % 2,
                    expected);
        for (uint32_t is_sequential = 0; is_sequential < 2; is_sequential++) {
            read_by_parts(&file, is_sequential, 1, 0, expected);
            read_by_parts(&file, is_sequential, 7, 0, expected);
            read_by_parts(&file, is_sequential, 0, 1, expected);
            read_by_parts(&file, is_sequential, 0, 16000, expected);
            read_by_parts(&file, is_sequential, 0, UINT64_MAX, expected);
        }
        free(file.data);
    }
    free(expected);
}

static void boxes_checks_and_the_next_frame_may_come_between_parts(void **state)
{
    (void)state;
    float *const expected = (float *)need(VALUES * sizeof(float));
    struct bytes file = file_of(ZT_CODEC_SZ, ZT_PLAN_OFF, ZT_INDEX_DEFAULT, true, expected);
    struct opened o;
    uint64_t first, extent;
    float got[2 * ROWS * COLUMNS];
    zt_array part = zt_array_3d(got, ZT_F32, 2, ROWS, COLUMNS), one = part;
    const zt_box box = {.lo = {50, 0, 0}, .hi = {51, ROWS, COLUMNS}};
    one.shape[0] = 1;
    open_file(&o, &file, false);
    zt_context *const c = o.context;
    zt_reader *const r = o.reader;
    need_failure(c, zt_reader_read(r, &part), ZT_BAD_ARG, "zt_reader_next");
    need_ok(c, zt_reader_next(r, &first, &extent));
    need_ok(c, zt_reader_read(r, &part));
    need_ok(c, zt_reader_read_box(r, &box, &one));
    assert_memory_equal(got, expected + 50 * ROWS * COLUMNS, sizeof got / 2);
    need_ok(c, zt_reader_check(r));
    need_ok(c, zt_reader_read(r, &part));
    assert_memory_equal(got, expected + 2 * ROWS * COLUMNS, sizeof got);
    need_ok(c, zt_reader_next(r, &first, &extent));
    need_ok(c, zt_reader_read(r, &part));
    assert_memory_equal(got, expected + first * ROWS * COLUMNS, sizeof got);
    zt_array large = part;
    large.shape[0] = extent;
    need_failure(c, zt_reader_read(r, &large), ZT_BAD_ARG, "part of a frame");
    need_failure(c, zt_reader_read(r, NULL), ZT_BAD_ARG, "no output array");
    assert_int_equal(zt_reader_read(NULL, &part), ZT_BAD_ARG);
    assert_int_equal(zt_reader_part_extent(NULL, 1), 0);
    close_file(&o);
    free(file.data);
    free(expected);
}

/* Of a damaged part nothing is given out, and no other part of its frame. */
static void a_damaged_part_ends_its_frame(void **state)
{
    (void)state;
    float *const expected = (float *)need(VALUES * sizeof(float));
    struct bytes file = file_of(ZT_CODEC_NDZIP, ZT_PLAN_OFF, ZT_INDEX_DEFAULT, false, expected);
    struct opened o;
    uint64_t first, extent;
    float *const got = (float *)need(VALUES * sizeof(float));
    zt_array part = zt_array_3d(got, ZT_F32, 16, ROWS, COLUMNS);
    file.data[file.n / 4] ^= 1;
    open_file(&o, &file, false);
    zt_context *const c = o.context;
    zt_reader *const r = o.reader;
    need_ok(c, zt_reader_next(r, &first, &extent));
    zt_status status = ZT_OK;
    for (uint32_t k = 0; k < 2 && !status; k++)
        status = zt_reader_read(r, &part);
    assert_int_equal(status, ZT_CORRUPT);
    need_failure(c, zt_reader_read(r, &part), ZT_BAD_ARG, "zt_reader_next");
    need_ok(c, zt_reader_next(r, &first, &extent));
    need_ok(c, zt_reader_read(r, &part));
    assert_memory_equal(got, expected + first * ROWS * COLUMNS, 16 * ROWS * COLUMNS * 4);
    close_file(&o);
    free(file.data);
    free(expected);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_the_frame),
        cmocka_unit_test(boxes_checks_and_the_next_frame_may_come_between_parts),
        cmocka_unit_test(a_damaged_part_ends_its_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
