/* frame_index_test.c: indexes in .zt files: they change nothing but where a decoder may begin. */
#include "frame_support.h"
#include "ztile_zfp.h"
#include "ztile_expert.h"

enum { NZ = 40, NY = 37, NX = 50 };

static const uint64_t shape[] = {NZ, NY, NX};

static zt_params params_with(zt_bound bound, uint32_t kind, uint32_t chunk)
{
    zt_params p;
    zt_params_init(&p, sizeof p);
    p.codec = ZT_CODEC_ZFP;
    p.bound = bound;
    p.index = kind;
    p.index_chunk = chunk;
    p.slab_bytes = 24 * NY * NX * 4; /* two frames */
    return p;
}

static zt_array new_field(void)
{
    zt_array a = zt_array_nd(need(sizeof(float) * NZ * NY * NX), ZT_F32, 3, shape);
    fill_array(&a, DATA_WAVE_NOISE, 7);
    return a;
}

static const zt_box boxes[] = {{{0, 0, 0}, {NZ, NY, NX}},
                               {{3, 5, 7}, {9, 11, 20}},
                               {{20, 0, 49}, {30, 1, 50}},
                               {{39, 36, 0}, {40, 37, 50}}};

/* Boxes of a file are those of the array decoded without an index, on one thread and on several. */
static void check_boxes(const struct bytes *file, const float *whole)
{
    float *out = need(sizeof(float) * NZ * NY * NX);
    for (uint32_t threads = 0; threads < 4; threads++) {
        zt_context *c;
        const zt_omp omp = {.threads = threads, .grain = 5};
        assert_int_equal(zt_context_new(NULL, &c), ZT_OK);
        if (threads)
            assert_int_equal(zt_context_set_omp(c, &omp), ZT_OK);
        for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++) {
            const zt_box *box = &boxes[b];
            uint64_t n[3];
            for (int i = 0; i < 3; i++)
                n[i] = box->hi[i] - box->lo[i];
            zt_array o = zt_array_3d(out, ZT_F32, n[0], n[1], n[2]);
            assert_int_equal(zt_decompress_box(c, file->data, file->n, box, &o), ZT_OK);
            for (uint64_t z = 0; z < n[0]; z++)
                for (uint64_t y = 0; y < n[1]; y++)
                    assert_memory_equal(out + (z * n[1] + y) * n[2],
                                        whole + ((box->lo[0] + z) * NY + box->lo[1] + y) * NX +
                                            box->lo[2],
                                        n[2] * sizeof(float));
        }
        zt_context_free(c);
    }
    free(out);
}

static void every_layout_gives_the_same_array(void **state)
{
    (void)state;
    static const uint32_t chunks[] = {0, 1, 5, 64, 100000};
    const zt_bound bounds[] = {zt_abs(1e-2), zt_abs(1e-7), zt_precision(14), zt_lossless(),
                               zt_rate(6)};
    zt_array a = new_field();
    float *whole = need(sizeof(float) * NZ * NY * NX);
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        zt_params p = params_with(bounds[b], ZT_INDEX_NONE, 0);
        struct bytes plain = compress(&a, &p);
        zt_array w = zt_array_nd(whole, ZT_F32, 3, shape);
        assert_int_equal(zt_decompress(NULL, plain.data, plain.n, &w), ZT_OK);
        const uint64_t stream_bytes = info_of(&plain).stream_bytes;
        for (uint32_t kind = ZT_INDEX_OFFSETS; kind <= ZT_INDEX_COMPACT; kind++)
            for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++) {
                p = params_with(bounds[b], kind, chunks[c]);
                struct bytes file = compress(&a, &p);
                const zt_info info = info_of(&file);
                assert_int_equal(info.stream_bytes, stream_bytes);
                const bool has_index = bounds[b].kind != ZT_RATE && chunks[c] < 1000;
                assert_int_equal(info.index, has_index ? kind : ZT_INDEX_NONE);
                assert_int_equal(info.index_bytes > 0, has_index);
                if (has_index)
                    assert_int_equal(info.index_chunk, chunks[c] ? chunks[c] : 16);
                check_boxes(&file, whole);
                free(file.data);
            }
        free(plain.data);
    }
    free(whole);
    free(a.data);
}

static void the_default_is_compact_and_costs_little(void **state)
{
    (void)state;
    zt_array a = new_field();
    zt_params p = params_of(zt_abs(1e-3));
    struct bytes file = compress(&a, &p);
    const zt_info info = info_of(&file);
    assert_int_equal(info.index, ZT_INDEX_COMPACT);
    assert_int_equal(info.index_chunk, 16);
    assert_true(info.index_bytes * 100 < info.stream_bytes);
    free(file.data);
    zt_array few = a; /* too few tiles to be worth one */
    few.shape[0] = 4;
    file = compress(&few, &p);
    assert_int_equal(info_of(&file).index, ZT_INDEX_NONE);
    free(file.data);
    free(a.data);
}

/* 64 tiles of sz, 16 chunks: they have an index where they are long enough to be worth it. */
static void few_large_tiles_have_an_index_unless_they_are_short(void **state)
{
    const uint64_t n[] = {64, 64, 64};
    zt_array a = zt_array_nd(need(4 * 64 * 64 * 64), ZT_F32, 3, n);
    zt_params p = params_of(zt_rel(1e-4));
    (void)state;
    p.codec = ZT_CODEC_SZ;
    for (int is_short = 0; is_short < 2; is_short++) {
        if (is_short)
            memset(a.data, 0, 4 * 64 * 64 * 64);
        else
            fill_array(&a, DATA_WAVE_NOISE, 3);
        struct bytes file = compress(&a, &p);
        const zt_info info = info_of(&file);
        assert_int_equal(info.index, is_short ? ZT_INDEX_NONE : ZT_INDEX_COMPACT);
        assert_true(info.index_bytes * 400 <= info.stream_bytes);
        free(file.data);
    }
    free(a.data);
}

/* Reads are counted through the source. */
static void a_box_reads_only_its_part_of_the_file(void **state)
{
    (void)state;
    const uint64_t n[] = {64, 128, 128};
    zt_array a = zt_array_nd(need(4 * 64 * 128 * 128), ZT_F32, 3, n);
    fill_array(&a, DATA_NOISE, 3);
    zt_params p;
    zt_params_init(&p, sizeof p);
    struct bytes file = compress(&a, &p);
    struct mem_source memory;
    zt_source source = source_of(&memory, file.data, file.n, false);
    zt_reader *r;
    float out[8 * 8 * 8];
    const zt_box box = {{24, 40, 40}, {32, 48, 48}};
    zt_array o = zt_array_3d(out, ZT_F32, 8, 8, 8);
    assert_int_equal(zt_reader_open(NULL, &source, &r), ZT_OK);
    assert_int_equal(zt_reader_read_box(r, &box, &o), ZT_OK);
    assert_true(memory.read_bytes < file.n / 8);
    for (uint64_t z = 0; z < 8; z++)
        for (uint64_t y = 0; y < 8; y++)
            assert_memory_equal(out + (z * 8 + y) * 8,
                                (float *)a.data + ((24 + z) * 128 + 40 + y) * 128 + 40,
                                8 * sizeof(float));
    zt_reader_close(r);
    free(file.data);
    free(a.data);
}

static void impossible_indexes_are_refused(void **state)
{
    (void)state;
    zt_array a = new_field();
    size_t capacity;
    zt_params p = params_with(zt_abs(1), ZT_INDEX_COMPACT + 1, 0);
    assert_int_equal(zt_compress_bound(NULL, &a, &p, &capacity), ZT_BAD_ARG);
    p = params_with(zt_abs(1), ZT_INDEX_NONE, 16);
    assert_int_equal(zt_compress_bound(NULL, &a, &p, &capacity), ZT_BAD_ARG);
    p = params_with(zt_abs(1), ZT_INDEX_OFFSETS, 16);
    p.index_partition = 32;
    assert_int_equal(zt_compress_bound(NULL, &a, &p, &capacity), ZT_BAD_ARG);
    p = params_with(zt_abs(1), ZT_INDEX_HYBRID, 1);
    p.index_partition = 1u << 17;
    assert_int_equal(zt_compress_bound(NULL, &a, &p, &capacity), ZT_BAD_ARG);
    free(a.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_gives_the_same_array),
        cmocka_unit_test(the_default_is_compact_and_costs_little),
        cmocka_unit_test(few_large_tiles_have_an_index_unless_they_are_short),
        cmocka_unit_test(a_box_reads_only_its_part_of_the_file),
        cmocka_unit_test(impossible_indexes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
