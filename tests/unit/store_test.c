/* store_test.c: what passes through little memory: a writer to a store gives the bytes of
 * zt_compress for arrays of many windows, on any number of threads; what it needs of memory does
 * not grow with the array; frames that were scanned before; what it refuses; a reader of parts. */
#include "unit/frame_support.h"
#include "ztile_quality.h"

#include <pthread.h>

/* Write an array, all at once, or each frame with what a scan of it finds. */
static struct bytes write_by(const zt_array *a, const zt_params *params, zt_omp omp,
                             bool is_scanned, struct counted *memory)
{
    struct mem_store to = {.limit = SIZE_MAX, .reads_left = -1};
    const zt_store store = store_of(&to);
    zt_context *const context = counted_context(memory);
    const size_t slice = array_bytes(a) / (size_t)a->shape[0];
    zt_writer *w = NULL;
    if (omp.threads > 0)
        need_ok(context, zt_context_set_omp(context, &omp));
    need_ok(context, zt_writer_open_store(context, &store, a, params, &w));
    const uint64_t step = is_scanned ? zt_writer_slab_extent(w) : a->shape[0];
    for (uint64_t at = 0; at < a->shape[0]; at += step) {
        zt_array slab = *a;
        zt_stats stats;
        slab.data = (char *)a->data + at * slice;
        slab.shape[0] = a->shape[0] - at < step ? a->shape[0] - at : step;
        need_ok(context, zt_stats_init(&stats, sizeof stats));
        need_ok(context, zt_scan(context, &slab, &stats));
        need_ok(context,
                is_scanned ? zt_writer_put_scanned(w, &slab, &stats) : zt_writer_put(w, &slab));
    }
    need_ok(context, zt_writer_close(w));
    zt_writer_free(w);
    zt_context_free(context);
    assert_int_equal(memory->held, 0);
    return to.bytes;
}

static struct bytes write(const zt_array *a, const zt_params *params, uint32_t threads,
                          bool is_scanned, struct counted *memory)
{
    return write_by(a, params, (zt_omp){.threads = threads}, is_scanned, memory);
}

static void need_same(struct bytes *got, const struct bytes *wanted)
{
    assert_int_equal(got->n, wanted->n);
    assert_memory_equal(got->data, wanted->data, wanted->n);
    free(got->data);
}

static zt_array array_of_slices(int data, uint64_t slices)
{
    const uint64_t shape[] = {slices, 171, 163};
    zt_array a = new_array(ZT_F32, 3, shape);
    fill_array(&a, (enum data_kind)data, 5);
    return a;
}

/* 13 MB, more than a window has room for. */
static zt_array large_array(int data)
{
    return array_of_slices(data, 117);
}

static void many_windows_are_the_same_bytes(void **state)
{
    enum { SLICES = ZTILE_TEST_SHARE > 1 ? 52 : 117 }; /* sanitizers take minutes */
    static const struct {
        uint32_t codec, effort, plan, index;
        zt_bound bound;
    } ways[] = {{ZT_CODEC_NDZIP, 0, 0, 0, {.kind = ZT_LOSSLESS}},
                {ZT_CODEC_ZFP, 0, 0, 0, {.kind = ZT_RATE, .value = 7}},
                {ZT_CODEC_ZFP, 0, 0, ZT_INDEX_HYBRID, {.kind = ZT_ABS, .value = 1e-4}},
                {ZT_CODEC_ZFP, 0, ZT_PLAN_ON, 0, {.kind = ZT_ABS, .value = 1e-2}},
                {ZT_CODEC_SZ, CODER_FAST, 0, 0, {.kind = ZT_ABS, .value = 1e-3}},
                {ZT_CODEC_SZ, 0, 0, ZT_INDEX_LENGTHS, {.kind = ZT_ABS, .value = 1e-5}},
                {ZT_CODEC_SZ, CODER_HIGH, 0, 0, {.kind = ZT_ABS, .value = 1e-3}},
                {ZT_CODEC_AUTO, 0, ZT_PLAN_ON, 0, {.kind = ZT_ABS, .value = 1e-3}},
                {ZT_CODEC_SZ, 0, 0, 0, {.kind = ZT_PSNR, .value = 50}},
                {ZT_CODEC_SZ, CODER_HIGH, 0, ZT_INDEX_NONE, {.kind = ZT_RMSE, .value = 1e-2}},
                {ZT_CODEC_ZFP, 0, ZT_PLAN_ON, 0, {.kind = ZT_PSNR, .value = 60}}};
    zt_array a = array_of_slices(DATA_WAVE_NOISE, SLICES);
    (void)state;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k += TEST_STEP) {
        zt_params p = params_of(ways[k].bound);
        struct counted memory;
        p.codec = ways[k].codec;
        p.plan = ways[k].plan;
        p.index = ways[k].index;
        p.range_lo = -2;
        p.range_hi = 2;
        set_coder(&p, ways[k].effort);
        const struct bytes wanted = compress(&a, &p);
        for (uint32_t threads = 0; threads < 4; threads += 3) {
            struct bytes got = write(&a, &p, threads, false, &memory);
            need_same(&got, &wanted);
        }
        struct bytes scanned = write(&a, &p, 2, true, &memory);
        need_same(&scanned, &wanted);
        for (uint32_t grain = 1; grain < 10000; grain += 9000) { /* more than a window, too */
            struct bytes got =
                write_by(&a, &p, (zt_omp){.threads = 2, .grain = grain}, false, &memory);
            need_same(&got, &wanted);
        }
        free(wanted.data);
    }
    free(a.data);
}

/* Random bits become a raw frame, whose checksums are of longer ranges. */
static void raw_frames_are_the_same_bytes(void **state)
{
    zt_array a = large_array(DATA_BITS);
    zt_params p = params_of((zt_bound){.kind = ZT_LOSSLESS});
    struct counted memory;
    (void)state;
    p.slab_bytes = 5 << 20;
    const struct bytes wanted = compress(&a, &p);
    assert_true(info_of(&wanted).raw_frames > 1);
    struct bytes got = write(&a, &p, 0, false, &memory);
    need_same(&got, &wanted);
    free(wanted.data);
    free(a.data);
}

static void memory_does_not_grow_with_the_frame(void **state)
{
    const uint64_t shape[] = {250, 256, 256}; /* 65 MB in one frame */
    zt_array a = new_array(ZT_F32, 3, shape);
    fill_array(&a, DATA_BITS, 5);
    zt_params p = params_of((zt_bound){.kind = ZT_RATE, .value = 30});
    struct counted memory;
    (void)state;
    for (uint32_t threads = 0; threads < 3; threads += 2) {
        struct bytes got = write(&a, &p, threads, false, &memory);
        assert_true(got.n > 60000000);
        assert_true(memory.largest < 8 << 20);
        free(got.data);
    }
    free(a.data);
}

/* In a search for a PSNR the frame is coded to memory and decoded, but never as a whole. */
static void memory_does_not_grow_with_a_search(void **state)
{
    const uint64_t shape[] = {250, 256, 256};
    zt_array a = new_array(ZT_F32, 3, shape);
    fill_array(&a, DATA_SMOOTH, 5);
    zt_params p = params_of((zt_bound){.kind = ZT_PSNR, .value = 40});
    struct counted memory;
    (void)state;
    p.codec = ZT_CODEC_SZ;
    p.range_lo = -2;
    p.range_hi = 2;
    for (uint32_t threads = 0; threads < 3; threads += 2) {
        struct bytes got = write(&a, &p, threads, false, &memory);
        assert_true(got.n < 14 << 20);
        assert_true(memory.largest < 24 << 20);
        free(got.data);
    }
    free(a.data);
}

/* A store that notes how far passes are, and that only one thread calls it. */
struct passes {
    struct mem_store to; /* the functions of a store take it for one */
    uint64_t slices, ends, all, writes;
    pthread_t caller;
};

static void pass(void *user, uint64_t slices)
{
    struct passes *const p = user;
    assert_true(pthread_equal(pthread_self(), p->caller));
    assert_true(slices > 0 && slices <= p->all);
    assert_true(slices >= p->slices ||
                p->slices == p->all); /* a pass begins after the end of one */
    p->slices = slices;
    p->ends += slices == p->all;
}

static int write_here(void *user, uint64_t offset, const void *data, size_t n)
{
    struct passes *const p = user;
    assert_true(pthread_equal(pthread_self(), p->caller));
    p->writes++;
    return store_of(&p->to).write(&p->to, offset, data, n);
}

static void a_store_is_told_how_far_passes_are(void **state)
{
    zt_array a = large_array(DATA_WAVE_NOISE);
    zt_params p = params_of((zt_bound){.kind = ZT_ABS, .value = 1e-5});
    (void)state;
    p.codec = ZT_CODEC_SZ;
    for (uint32_t threads = 1; threads < 4; threads++) {
        struct passes passes = {.to = {.limit = SIZE_MAX, .reads_left = -1},
                                .all = a.shape[0],
                                .caller = pthread_self()};
        zt_store store = store_of(&passes.to);
        const zt_omp omp = {.threads = threads};
        zt_context *context = NULL;
        zt_writer *w = NULL;
        store.user = &passes;
        store.passed = pass;
        store.write = write_here;
        need_ok(NULL, zt_context_new(NULL, &context));
        need_ok(context, zt_context_set_omp(context, &omp));
        need_ok(context, zt_writer_open_store(context, &store, &a, &p, &w));
        need_ok(context, zt_writer_put(w, &a));
        need_ok(context, zt_writer_close(w));
        assert_int_equal(passes.slices, passes.all);
        assert_true(passes.ends >= 3); /* planning, counting, coding */
        assert_true(passes.writes > 4);
        zt_writer_free(w);
        zt_context_free(context);
        free(passes.to.bytes.data);
    }
    free(a.data);
}

static int write_next(void *user, uint64_t offset, const void *data, size_t n)
{
    const struct passes *const p = user;
    assert_int_equal(offset, p->to.bytes.n);
    return write_here(user, offset, data, n);
}

/* A store that cannot be read back, as a pipe is. */
static void a_store_without_places_is_written_in_order(void **state)
{
    static const struct {
        uint32_t codec, plan;
        zt_bound bound;
    } ways[] = {{ZT_CODEC_SZ, 0, {.kind = ZT_ABS, .value = 1e-5}},
                {ZT_CODEC_ZFP, 0, {.kind = ZT_RATE, .value = 7}},
                {ZT_CODEC_AUTO, ZT_PLAN_ON, {.kind = ZT_ABS, .value = 1e-3}},
                {ZT_CODEC_SZ, 0, {.kind = ZT_PSNR, .value = 50}}};
    (void)state;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        for (uint32_t threads = 1; threads < 4; threads += 2) {
            if ((2 * k + threads / 2) % TEST_STEP != 0)
                continue;
            const bool is_slow = ways[k].plan || TEST_SHARE > 1;
            const zt_array a = array_of_slices(DATA_WAVE_NOISE, is_slow ? 52 : 117);
            zt_params p = params_of(ways[k].bound);
            struct passes passes = {.to = {.limit = SIZE_MAX}, .caller = pthread_self()};
            const zt_store store = {.write = write_next, .passed = pass, .user = &passes};
            const zt_omp omp = {.threads = threads};
            zt_context *context = NULL;
            zt_writer *w = NULL;
            p.codec = ways[k].codec;
            p.plan = ways[k].plan;
            p.slab_bytes = is_slow ? 3 << 20 : 6 << 20;
            p.range_lo = -2;
            p.range_hi = 2;
            const struct bytes wanted = compress(&a, &p);
            need_ok(NULL, zt_context_new(NULL, &context));
            need_ok(context, zt_context_set_omp(context, &omp));
            need_ok(context, zt_writer_open_store(context, &store, &a, &p, &w));
            passes.all = zt_writer_slab_extent(w);
            for (uint64_t at = 0; at < a.shape[0]; at += passes.all) {
                zt_array slab = a;
                slab.data = (char *)a.data + at * (array_bytes(&a) / (size_t)a.shape[0]);
                slab.shape[0] = a.shape[0] - at < passes.all ? a.shape[0] - at : passes.all;
                passes.slices = passes.all = slab.shape[0];
                need_ok(context, zt_writer_put(w, &slab));
                passes.all = zt_writer_slab_extent(w);
            }
            need_ok(context, zt_writer_close(w));
            assert_true(passes.ends >= 6); /* of several frames */
            need_same(&passes.to.bytes, &wanted);
            zt_writer_free(w);
            zt_context_free(context);
            free(wanted.data);
            free(a.data);
        }
}

/* A write fails while other threads code. */
static void a_full_store_ends_all_threads(void **state)
{
    zt_array a = large_array(DATA_BITS);
    zt_params p = params_of((zt_bound){.kind = ZT_RATE, .value = 16});
    (void)state;
    for (uint32_t threads = 1; threads < 4; threads++)
        for (size_t limit = 0; limit < 6 << 20; limit += 1 << 20) {
            struct mem_store to = {.limit = limit, .reads_left = -1};
            const zt_store store = store_of(&to);
            const zt_omp omp = {.threads = threads};
            struct counted memory;
            zt_context *const context = counted_context(&memory);
            zt_writer *w = NULL;
            need_ok(context, zt_context_set_omp(context, &omp));
            need_ok(context, zt_writer_open_store(context, &store, &a, &p, &w));
            const zt_status status = zt_writer_put(w, &a);
            assert_int_equal(status, ZT_IO);
            zt_writer_free(w);
            zt_context_free(context);
            assert_int_equal(memory.held, 0);
            free(to.bytes.data);
        }
    free(a.data);
}

static void what_makes_no_sense_is_refused(void **state)
{
    zt_array a = large_array(DATA_WAVE_NOISE), part = a;
    zt_params p = params_of((zt_bound){.kind = ZT_ABS, .value = 1e-3});
    struct mem_store to = {.limit = SIZE_MAX, .reads_left = -1};
    const zt_store good = store_of(&to);
    zt_store bad = good;
    struct counted memory;
    zt_context *const context = counted_context(&memory);
    zt_writer *w = NULL;
    zt_stats stats;
    (void)state;
    bad.read = NULL;
    need_failure(context, zt_writer_open_store(context, &bad, &a, &p, &w), ZT_BAD_ARG, "store");
    bad = good;
    bad.reserved[1] = 1;
    need_failure(context, zt_writer_open_store(context, &bad, &a, &p, &w), ZT_BAD_ARG, "reserved");
    need_failure(context, zt_writer_open_store(context, NULL, &a, &p, &w), ZT_BAD_ARG, "store");
    need_ok(context, zt_writer_open_store(context, &good, &a, &p, &w));
    need_ok(context, zt_stats_init(&stats, sizeof stats));
    part.shape[0] = 4;
    need_failure(context, zt_writer_put_scanned(w, &part, &stats), ZT_BAD_ARG, "no frame");
    need_failure(context, zt_writer_put_scanned(w, &a, NULL), ZT_BAD_ARG, "statistics");
    need_ok(context, zt_scan(context, &a, &stats));
    need_ok(context, zt_writer_put_scanned(w, &a, &stats)); /* nothing has failed so far */
    need_ok(context, zt_writer_close(w));
    zt_writer_free(w);
    need_ok(context, zt_writer_open_store(context, &good, &a, &p, &w));
    stats.nan_values = 1;
    need_failure(context, zt_writer_put_scanned(w, &a, &stats), ZT_BAD_ARG, "when it was scanned");
    zt_writer_free(w);
    zt_context_free(context);
    free(to.bytes.data);
    free(a.data);
}

/* Read a file by parts of about 'bytes'; returns how many parts there were. */
static uint32_t read_by_parts(const struct bytes *file, const zt_array *wanted, uint64_t bytes,
                              struct counted *memory)
{
    zt_context *const context = counted_context(memory);
    struct mem_source from;
    const zt_source source = source_of(&from, file->data, file->n, false);
    zt_array out = new_array((zt_type)wanted->type, wanted->rank, wanted->shape);
    const size_t slice = array_bytes(&out) / (size_t)out.shape[0];
    zt_reader *r = NULL;
    uint32_t parts = 0;
    uint64_t first = 0, extent = 1, n;
    need_ok(context, zt_reader_open(context, &source, &r));
    need_ok(context, zt_reader_next(r, &first, &extent));
    assert_int_equal(extent, wanted->shape[0]);
    for (uint64_t done = 0; done < extent; done += n, parts++) {
        zt_array part = out;
        n = zt_reader_part_extent(r, bytes);
        part.shape[0] = n;
        part.data = (char *)out.data + done * slice;
        need_ok(context, zt_reader_read(r, &part));
    }
    zt_reader_close(r);
    zt_context_free(context);
    assert_memory_equal(out.data, wanted->data, array_bytes(&out));
    free(out.data);
    return parts;
}

static void parts_take_little_memory(void **state)
{
    zt_array a = large_array(DATA_BITS);
    zt_params p = params_of((zt_bound){.kind = ZT_LOSSLESS});
    struct counted memory;
    (void)state;
    p.codec = ZT_CODEC_NDZIP;
    const struct bytes file = compress(&a, &p);
    assert_true(file.n > 10 << 20);
    assert_true(read_by_parts(&file, &a, 1 << 20, &memory) > 4);
    assert_true(memory.largest < 3 << 20);
    free(file.data);
    free(a.data);
}

/* Parts of frames whose first axes are joined end where tiles of the joined axis do. */
static void joined_first_axes_are_read_by_parts(void **state)
{
    static const uint64_t shapes[][3] = {{300, 2, 400}, {100, 5, 100}};
    static const int data[] = {DATA_NOISE, DATA_SPARSE};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        zt_array a = new_array(ZT_F32, 3, shapes[k]);
        fill_array(&a, (enum data_kind)data[k], 7);
        zt_params p = params_of((zt_bound){.kind = ZT_ABS, .value = 1e-3});
        struct counted memory;
        zt_plan plan;
        p.plan = ZT_PLAN_ON;
        const struct bytes file = compress(&a, &p);
        const zt_info info = info_of(&file);
        need_ok(NULL, zt_info_plan(&info, &plan));
        assert_true(plan.axis[0] == 0 && plan.joined[1]);
        need_ok(NULL, zt_decompress(NULL, file.data, file.n, &a));
        assert_true(read_by_parts(&file, &a, 1, &memory) > 50);
        (void)read_by_parts(&file, &a, 20000, &memory);
        free(file.data);
        free(a.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_windows_are_the_same_bytes),
        cmocka_unit_test(raw_frames_are_the_same_bytes),
        cmocka_unit_test(memory_does_not_grow_with_the_frame),
        cmocka_unit_test(memory_does_not_grow_with_a_search),
        cmocka_unit_test(a_store_is_told_how_far_passes_are),
        cmocka_unit_test(a_store_without_places_is_written_in_order),
        cmocka_unit_test(a_full_store_ends_all_threads),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(parts_take_little_memory),
        cmocka_unit_test(joined_first_axes_are_read_by_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
