/* limits_test.c: what reading and writing may cost. Small files that speak of large arrays take
 * memory in proportion to their bytes and to what is asked for; a context's limits hold; searches
 * end after as many trials as the docs say. */
#include "unit/frame_pieces.h"
#include "ztile_zfp.h"

/* ---- memory that is counted by bytes ---- */

struct held {
    size_t now, most;
};

enum { BEFORE = 16 };

static void *held_alloc(void *user, size_t n)
{
    struct held *h = (struct held *)user;
    unsigned char *memory = (unsigned char *)malloc(n + BEFORE);
    assert_non_null(memory);
    memcpy(memory, &n, sizeof n);
    h->now += n;
    h->most = h->now > h->most ? h->now : h->most;
    return memory + BEFORE;
}

static void held_release(void *user, void *memory)
{
    struct held *h = (struct held *)user;
    size_t n;
    if (!memory)
        return;
    memcpy(&n, (unsigned char *)memory - BEFORE, sizeof n);
    h->now -= n;
    free((unsigned char *)memory - BEFORE);
}

static zt_context *held_context(struct held *h)
{
    zt_allocator a = {.alloc = held_alloc, .release = held_release, .user = h};
    zt_context *context = NULL;
    *h = (struct held){.now = 0};
    assert_int_equal(zt_context_new(&a, &context), ZT_OK);
    return context;
}

/* One value of a file of three dimensions; returns the most bytes that were held. */
static size_t read_one(const struct bytes *file, uint32_t type, uint64_t i, uint64_t j, uint64_t k,
                       void *value)
{
    struct held held;
    zt_context *c = held_context(&held);
    const zt_box box = {.lo = {i, j, k}, .hi = {i + 1, j + 1, k + 1}};
    const uint64_t shape[] = {1, 1, 1};
    const zt_array out = zt_array_nd(value, (zt_type)type, 3, shape);
    need_ok(c, zt_decompress_box(c, file->data, file->n, &box, &out));
    zt_context_free(c);
    assert_int_equal(held.now, 0);
    return held.most;
}

/* ---- special values ---- */

enum { FILL = -999 };

/* A file of integers at a rate that rounds to no bits, so that nothing bounds its extents, with a
 * fill value in the same place of each slice. */
static struct bytes rate_0_file(uint64_t n0, uint64_t n1, uint64_t n2)
{
    const uint64_t shape[] = {4, 8, 16};
    zt_array a = new_array(ZT_I32, 3, shape);
    for (uint32_t i = 0; i < 512; i++)
        ((int32_t *)a.data)[i] = i % 128 == 0 ? FILL : 0;
    zt_params p = params_of(zt_rate(0.001));
    p.fills = 1;
    assert_int_equal(zt_fill_bits(ZT_I32, FILL, &p.fill[0]), ZT_OK);
    struct bytes file = compress(&a, &p);
    struct pieces pieces = take_apart(&file);
    free(file.data);
    free(a.data);
    pieces.frame.shape[0] = n0;
    pieces.frame.shape[1] = n1;
    pieces.frame.shape[2] = n2;
    pieces.frame.special_values = n0;
    pieces.tail_bytes = 0;
    pieces.tail[pieces.tail_bytes++] = ZTI_SECTION_CHECKSUMS;
    pieces.tail[pieces.tail_bytes++] = 1;
    pieces.tail[pieces.tail_bytes++] = 12;
    unsigned char body[32], *at = body;
    *at++ = 1;                       /* pattern */
    *at++ = ZTI_SPECIAL_REPEATS + 0; /* k */
    at = zti_put_varint(at, n1 * n2);
    at = zti_put_varint(at, 1);
    zti_put_le32(at, (uint32_t)FILL);
    at += 4;
    *at++ = 3; /* none before the first run, which is one value */
    add_section(&pieces, ZTI_SECTION_SPECIAL, body, (size_t)(at - body));
    return put_together(&pieces);
}

static void special_values_of_a_tiny_file_take_no_bit_a_value(void **state)
{
    (void)state;
    struct bytes file = rate_0_file(2048, 8192, 8192);
    int32_t value = 1;
    assert_true(file.n < 200);
    assert_in_range(read_one(&file, ZT_I32, 2000, 0, 0, &value), 1, 1 << 14);
    assert_int_equal(value, FILL);
    assert_in_range(read_one(&file, ZT_I32, 2000, 0, 1, &value), 1, 1 << 14);
    assert_int_equal(value, 0);

    struct held held;
    struct mem_source source;
    zt_context *c = held_context(&held);
    zt_source s = source_of(&source, file.data, file.n, false);
    zt_reader *r = NULL;
    need_ok(c, zt_reader_open(c, &s, &r));
    need_ok(c, zt_reader_check(r));
    zt_reader_close(r);
    zt_context_free(c);
    assert_in_range(held.most, 1, 1 << 14);
    free(file.data);
}

/* Special values of this kind by their places: few in a slice of 64 x 128, most of them the same
 * in all slices; runs that go from one slice into the next, and over several. */
static uint32_t special_kind(uint64_t i, uint64_t j, uint64_t k, uint32_t patterns)
{
    const uint64_t at = (i * 64 + j) * 128 + k;
    const bool is_there = (j == 40 && k > 20 && k < 24) || (at > 8180 && at < 8200) ||
                          (patterns == 1 && i > 50 && i < 55 && at > 51 * 8192 + 9) ||
                          (i > 30 && j == 2 && k == 127) || (i == 63 && j == 63 && k == 127);
    return is_there ? 1 + (uint32_t)(at % patterns) : 0;
}

/* Box by box, the values of an array whose special values are these. */
static void need_special(const struct bytes *file, uint32_t patterns, uint64_t seed)
{
    struct rng rng = {.state = seed};
    float *out = (float *)need(64 * 64 * 128 * sizeof *out);
    for (uint32_t run = 0; run < 40; run++) {
        static const uint64_t shape[] = {64, 64, 128};
        zt_box box = {{0}, {0}};
        uint64_t dim[3], at = 0, wrong = 0;
        for (uint32_t i = 0; i < 3; i++) {
            box.lo[i] = run == 0 ? 0 : rng_below(&rng, shape[i]);
            const uint64_t left = shape[i] - box.lo[i];
            box.hi[i] = box.lo[i] + (run == 0 ? left : 1 + rng_below(&rng, left));
            dim[i] = box.hi[i] - box.lo[i];
        }
        const zt_array a = zt_array_nd(out, ZT_F32, 3, dim);
        assert_int_equal(zt_decompress_box(NULL, file->data, file->n, &box, &a), ZT_OK);
        for (uint64_t i = box.lo[0]; i < box.hi[0]; i++)
            for (uint64_t j = box.lo[1]; j < box.hi[1]; j++)
                for (uint64_t k = box.lo[2]; k < box.hi[2]; k++, at++) {
                    const uint32_t kind = special_kind(i, j, k, patterns);
                    uint32_t bits;
                    memcpy(&bits, &out[at], sizeof bits);
                    wrong += (bits > 0x7f800000 ? bits - 0x7fc00000 : 0) != kind;
                }
        assert_int_equal(wrong, 0);
    }
    free(out);
}

/* One pattern, several, and so many that each value is stored; places as changes from slice to
 * slice, which are read without a map. */
static void special_values_alike_in_slices_are_read_without_a_map(void **state)
{
    (void)state;
    const uint64_t shape[] = {64, 64, 128};
    static const uint32_t patterns[] = {1, 3, 24};
    zt_array a = new_array(ZT_F32, 3, shape);
    for (uint32_t n = 0; n < 3; n++) {
        for (uint64_t i = 0; i < 64 * 64 * 128; i++) {
            const uint32_t kind = special_kind(i / 8192, i / 128 % 64, i % 128, patterns[n]);
            const uint32_t bits = 0x7fc00000 + kind;
            ((float *)a.data)[i] = 1;
            if (kind > 0)
                memcpy((float *)a.data + i, &bits, sizeof bits);
        }
        zt_params p = params_of(zt_abs(0.5));
        p.index = ZT_INDEX_COMPACT;
        struct bytes file = compress(&a, &p);
        float value;
        assert_in_range(file.n - info_of(&file).stream_bytes, 1, 2200);
        /* a map has 64 KiB */
        assert_in_range(read_one(&file, ZT_F32, 1, 2, 3, &value), 1, n < 2 ? 24000 : 32000);
        need_special(&file, patterns[n], n);
        free(file.data);
    }
    free(a.data);
}

/* ---- effort high ---- */

/* A file of effort high of so many tiles, a byte for each: all residuals of tiles are 0, and all of
 * the coarse grid, which has 2^12 points a tile, have one symbol. */
static struct bytes grid_file(uint32_t tiles, uint32_t symbol, float *value)
{
    enum { TILE_SLICES = 4096, HEAD_BYTES = 16 };
    const uint64_t shape[] = {64, 64, 64};
    zt_array a = new_array(ZT_F32, 3, shape);
    fill_array(&a, DATA_RAMP, 1);
    zt_params p = params_of(zt_rel(1e-2));
    p.codec = ZT_CODEC_SZ;
    set_coder(&p, CODER_HIGH);
    p.index = ZT_INDEX_NONE;
    struct bytes file = compress(&a, &p);
    const zt_info info = info_of(&file);
    assert_int_equal(coder_of_info(&info), CODER_HIGH);
    struct pieces pieces = take_apart(&file);
    free(file.data);
    free(a.data);
    struct zti_sz *const sz = sz_in(&pieces.frame.coding);
    sz->axes = 1;
    sz->tuning = 0;
    sz->head_bits = 8 * HEAD_BYTES;
    *value = (float)(sz->step * (double)sz->centre);
    pieces.frame.shape[0] = UINT64_C(1) * tiles / 64 * TILE_SLICES;
    pieces.frame.payload_bytes = HEAD_BYTES + tiles;
    memset(pieces.payload, 0, HEAD_BYTES + tiles);
    pieces.payload[6] = 0x40; /* one model of one symbol */
    pieces.payload[7] = (unsigned char)symbol;
    pieces.payload[9] = 0x80; /* no extras; and where the states begin */
    checksum_again(&pieces);
    return put_together(&pieces);
}

static void a_coarse_grid_of_zeros_takes_no_memory(void **state)
{
    (void)state;
    float wanted, value;
    struct bytes file = grid_file(3840, 0, &wanted);
    assert_true(file.n < 5000); /* 1,006,632,960 values */
    assert_in_range(read_one(&file, ZT_F32, 245759, 63, 63, &value), 1, 16 << 20);
    assert_true(value == wanted);
    free(file.data);
}

static void a_coarse_grid_takes_nine_bytes_a_point(void **state)
{
    (void)state;
    const size_t points = (960 / 64 * 64 + 1) * 64 * 64;
    float wanted, value;
    struct bytes file = grid_file(960, 2, &wanted);
    assert_in_range(read_one(&file, ZT_F32, 1, 2, 3, &value), 1, 9 * points + (16 << 20));
    assert_true(value != wanted);
    free(file.data);
}

/* ---- searches ---- */

struct stages {
    uint32_t encodes;
};

static void count_stage(void *user, zt_stage stage)
{
    ((struct stages *)user)->encodes += stage == ZT_STAGE_ENCODE;
}

/* Any bits: of any two bounds, the tighter one is better for some of the values. */
static void a_psnr_that_no_bound_meets_is_given_up_soon(void **state)
{
    (void)state;
    const uint64_t shape[] = {61, 67};
    zt_array a = new_array(ZT_F32, 2, shape), back = new_array(ZT_F32, 2, shape);
    struct stages stages;
    zt_context *c = NULL;
    size_t capacity, n;
    fill_array(&a, DATA_BITS, 1);
    for (uint32_t codec = ZT_CODEC_ZFP; codec <= ZT_CODEC_SZ; codec += 2) {
        zt_params p = params_of(zt_psnr(328.7));
        p.codec = codec;
        p.fills = 1;
        memcpy(&p.fill[0], (float *)a.data + 7, sizeof(float));
        assert_int_equal(zt_context_new(NULL, &c), ZT_OK);
        need_ok(c, zt_context_set_stages(c, count_stage, &stages));
        need_ok(c, zt_compress_bound(c, &a, &p, &capacity));
        unsigned char *file = (unsigned char *)need(capacity);
        stages.encodes = 0;
        need_ok(c, zt_compress(c, &a, &p, file, capacity, &n));
        assert_in_range(stages.encodes, 1, 36);
        need_ok(c, zt_decompress(c, file, n, &back));
        const struct bytes b = {.data = file, .n = n};
        assert_true(info_of(&b).psnr >= 328.7);
        free(file);
        zt_context_free(c);
    }
    free(a.data);
    free(back.data);
}

/* A file whose tail is long beside it: NaN of so many bit patterns that each is kept. */
static struct bytes long_tail_file(uint64_t nans, zt_array *whole)
{
    const uint64_t shape[] = {64, 32, 32}, values = 64 * 32 * 32;
    struct rng rng = {.state = 5};
    *whole = new_array(ZT_F32, 3, shape);
    for (uint64_t i = 0; i < values; i++)
        ((float *)whole->data)[i] = 1;
    for (uint64_t i = 0; i < nans; i++) {
        const uint32_t bits = 0x7fc00000 + (uint32_t)rng_below(&rng, 1 << 20);
        memcpy((float *)whole->data + rng_below(&rng, values), &bits, sizeof bits);
    }
    zt_params p = params_of(zt_abs(0.5));
    return compress(whole, &p);
}

/* Salvage a file in whose tail a bit was changed; returns how many were put right. */
static uint64_t repaired_bits(uint64_t nans)
{
    zt_array whole;
    struct bytes file = long_tail_file(nans, &whole);
    struct mem_source memory;
    zt_reader *reader = NULL;
    zt_salvage s;
    uint64_t first, extent;
    file.data[file.n - 300] ^= 4;
    zt_source source = source_of(&memory, file.data, file.n, false);
    assert_int_equal(zt_salvage_init(&s, sizeof s), ZT_OK);
    assert_int_equal(zt_reader_open_damaged(NULL, &source, &reader), ZT_OK);
    assert_int_equal(zt_reader_next(reader, &first, &extent), ZT_OK);
    assert_int_equal(zt_reader_salvage(reader, &whole, &s), ZT_OK);
    assert_int_equal(s.damaged_frames, 1);
    zt_reader_close(reader);
    free(file.data);
    free(whole.data);
    return s.repaired;
}

static void changed_bits_are_not_looked_for_without_end(void **state)
{
    (void)state;
    assert_int_equal(repaired_bits(500), 1);
    assert_int_equal(repaired_bits(7000), 0); /* 250,000 trials of 31 kB */
}

/* ---- limits of a context ---- */

static void limits_of_a_context_are_kept(void **state)
{
    (void)state;
    const uint64_t shape[] = {64, 64, 64};
    zt_array a = new_array(ZT_F32, 3, shape), back = new_array(ZT_F32, 3, shape);
    zt_context *c = NULL;
    zt_limits limits;
    fill_array(&a, DATA_SMOOTH, 1);
    zt_params p = params_of(zt_abs(1e-3));
    struct bytes file = compress(&a, &p);
    assert_int_equal(zt_context_new(NULL, &c), ZT_OK);
    assert_int_equal(zt_limits_init(&limits, sizeof limits), ZT_OK);
    for (uint32_t codec = ZT_CODEC_ZFP; codec <= ZT_CODEC_SZ; codec++) {
        p = params_of(zt_abs(1e-3));
        p.codec = codec;
        p.bound = codec == ZT_CODEC_NDZIP ? zt_lossless() : p.bound;
        limits.memory_bytes = 1000;
        need_ok(c, zt_context_set_limits(c, &limits));
        size_t n;
        struct bytes again = {.capacity = 2 << 20};
        again.data = (unsigned char *)need(again.capacity);
        if (codec != ZT_CODEC_NDZIP)
            need_failure(c, zt_compress(c, &a, &p, again.data, again.capacity, &n), ZT_NO_MEMORY,
                         "memory limit of 1000 bytes");
        limits.memory_bytes = 64 << 20;
        need_ok(c, zt_context_set_limits(c, &limits));
        need_ok(c, zt_compress(c, &a, &p, again.data, again.capacity, &again.n));
        need_ok(c, zt_decompress(c, again.data, again.n, &back));
        free(again.data);
    }
    limits.memory_bytes = 0;
    limits.output_bytes = (1 << 20) - 1;
    need_ok(c, zt_context_set_limits(c, &limits));
    need_failure(c, zt_decompress(c, file.data, file.n, &back), ZT_NO_MEMORY,
                 "output limit of 1048575 bytes");
    limits.output_bytes++;
    need_ok(c, zt_context_set_limits(c, &limits));
    need_ok(c, zt_decompress(c, file.data, file.n, &back));
    need_ok(c, zt_context_set_limits(c, NULL));
    limits.reserved = 1;
    need_failure(c, zt_context_set_limits(c, &limits), ZT_BAD_ARG, "reserved");
    limits.reserved = 0;
    limits.struct_bytes = 8;
    need_failure(c, zt_context_set_limits(c, &limits), ZT_BAD_ARG, "zt_limits_init");
    assert_int_equal(zt_limits_init(&limits, 8), ZT_BAD_ARG);
    assert_int_equal(zt_context_set_limits(NULL, NULL), ZT_BAD_ARG);
    zt_context_free(c);
    free(file.data);
    free(a.data);
    free(back.data);
}

/* Threads take memory in a call and others give it back: what is held is known all the same. */
static void memory_is_counted_over_threads(void **state)
{
    (void)state;
    const uint64_t shape[] = {40, 40, 40};
    zt_array a = new_array(ZT_F32, 3, shape), back = new_array(ZT_F32, 3, shape);
    const zt_omp omp = {.threads = 4, .grain = 2};
    zt_context *c = NULL;
    zt_limits limits;
    fill_array(&a, DATA_WAVE_NOISE, 1);
    assert_int_equal(zt_context_new(NULL, &c), ZT_OK);
    if (zt_context_set_omp(c, &omp) == ZT_UNSUPPORTED)
        print_message("SKIP: no threads in this build\n");
    assert_int_equal(zt_limits_init(&limits, sizeof limits), ZT_OK);
    limits.memory_bytes = 256 << 20;
    need_ok(c, zt_context_set_limits(c, &limits));
    for (uint32_t run = 0; run < 12; run++) {
        zt_params p = params_of(run % 4 == 0   ? zt_lossless()
                                : run % 4 == 1 ? zt_psnr(60)
                                               : zt_abs(1e-3));
        p.codec = run % 4 == 0 ? ZT_CODEC_NDZIP : run % 2 ? ZT_CODEC_SZ : ZT_CODEC_ZFP;
        set_coder(&p, run == 3 ? CODER_HIGH : CODER_DEFAULT);
        p.slab_bytes = run % 3 ? 1 << 16 : p.slab_bytes;
        p.plan = run > 8 ? ZT_PLAN_ON : ZT_PLAN_OFF;
        struct bytes file = {.data = NULL};
        need_ok(c, zt_compress_bound(c, &a, &p, &file.capacity));
        file.data = (unsigned char *)need(file.capacity);
        need_ok(c, zt_compress(c, &a, &p, file.data, file.capacity, &file.n));
        assert_int_equal(c->held->bytes, c->held->kept.bytes);
        need_ok(c, zt_decompress(c, file.data, file.n, &back));
        assert_int_equal(c->held->bytes, c->held->kept.bytes);
        free(file.data);
    }
    zt_context_free(c);
    free(a.data);
    free(back.data);
}

/* A caller that knows of later fields gets a sentence, not silence. */
static void later_limits_are_refused(void **state)
{
    (void)state;
    struct {
        zt_limits known;
        uint64_t more;
    } later;
    zt_context *c = NULL;
    assert_int_equal(zt_context_new(NULL, &c), ZT_OK);
    assert_int_equal(zt_limits_init(&later.known, sizeof later), ZT_OK);
    assert_int_equal(later.more, 0);
    need_ok(c, zt_context_set_limits(c, &later.known));
    later.more = 1;
    need_failure(c, zt_context_set_limits(c, &later.known), ZT_UNSUPPORTED, "later one");
    zt_context_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_values_of_a_tiny_file_take_no_bit_a_value),
        cmocka_unit_test(special_values_alike_in_slices_are_read_without_a_map),
        cmocka_unit_test(a_coarse_grid_of_zeros_takes_no_memory),
        cmocka_unit_test(a_coarse_grid_takes_nine_bytes_a_point),
        cmocka_unit_test(a_psnr_that_no_bound_meets_is_given_up_soon),
        cmocka_unit_test(changed_bits_are_not_looked_for_without_end),
        cmocka_unit_test(limits_of_a_context_are_kept),
        cmocka_unit_test(memory_is_counted_over_threads),
        cmocka_unit_test(later_limits_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
