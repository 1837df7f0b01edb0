/* salvage_test.c: frames whose header is destroyed are read by the copy that their tail ends with,
 * and sz's tables with it. */
#include "frame_support.h"
#include "ztile_expert.h"
#include "ztile_zfp.h"

enum { SIDE = 112, HEADER_BYTES = 64, SECTOR_BYTES = 4096, DAMAGES = 12 };

static int note(void *user, zt_loss loss, const zt_box *box, const char *why)
{
    unsigned char *const is_told = user;
    assert_true((loss == ZT_LOSS_LOST || loss == ZT_LOSS_UNVERIFIED) && why[0]);
    for (uint64_t z = box->lo[0]; z < box->hi[0]; z++)
        for (uint64_t y = box->lo[1]; y < box->hi[1]; y++)
            memset(is_told + (z * SIDE + y) * SIDE + box->lo[2], 1,
                   (size_t)(box->hi[2] - box->lo[2]));
    return 0;
}

/* Salvage a file of one frame; the values that are in no box of losses are those of 'whole'. False
 * where there is no header. */
static bool salvage(const struct bytes *file, const zt_array *whole, const zt_array *out,
                    zt_salvage *s)
{
    struct mem_source memory;
    zt_source source = source_of(&memory, file->data, file->n, false);
    zt_context *context = NULL;
    zt_reader *reader = NULL;
    uint64_t first, extent;
    const size_t values = array_bytes(out) / 4;
    unsigned char *const is_told = (unsigned char *)need(values);
    uint64_t differing = 0; /* values outside the boxes that are told */
    memset(is_told, 0, values);
    assert_int_equal(zt_context_new(NULL, &context), ZT_OK);
    assert_int_equal(zt_salvage_init(s, sizeof *s), ZT_OK);
    s->part = note;
    s->user = is_told;
    const zt_status status = zt_reader_open_damaged(context, &source, &reader);
    if (status != ZT_OK) {
        need_failure(context, status, ZT_CORRUPT, "no frame's header is whole");
    } else {
        need_ok(context, zt_reader_next(reader, &first, &extent));
        assert_true(first == 0 && extent == SIDE);
        need_ok(context, zt_reader_salvage(reader, out, s));
        for (size_t i = 0; i < values; i++)
            differing += !is_told[i] && memcmp((const char *)whole->data + 4 * i,
                                               (const char *)out->data + 4 * i, 4) != 0;
        assert_int_equal(differing, 0);
    }
    zt_reader_close(reader);
    zt_context_free(context);
    free(is_told);
    return status == ZT_OK;
}

static zt_array noise(void)
{
    const uint64_t shape[] = {SIDE, SIDE, SIDE};
    zt_array a = new_array(ZT_F32, 3, shape);
    struct rng rng = {7};
    for (uint64_t i = 0; i < values_of(3, shape); i++)
        ((float *)a.data)[i] = (float)rng_unit(&rng);
    return a;
}

static void a_codec(zt_codec codec, uint32_t effort, zt_bound bound)
{
    const zt_array in = noise();
    const zt_array whole = new_array(ZT_F32, 3, in.shape), out = new_array(ZT_F32, 3, in.shape);
    zt_params p = params_of(bound);
    p.codec = codec;
    set_coder(&p, effort);
    struct bytes file = compress(&in, &p);
    assert_int_equal(zt_decompress(NULL, file.data, file.n, &whole), ZT_OK);

    zt_salvage s;
    const size_t bytes = file.n;
    unsigned char *const good = (unsigned char *)need(bytes);
    memcpy(good, file.data, bytes);

    memset(file.data, 0xff, HEADER_BYTES); /* the header alone */
    assert_true(salvage(&file, &whole, &out, &s));
    assert_int_equal(s.lost_values + s.unverified_values, 0);
    assert_int_equal(s.repaired, 1);

    memset(file.data, 0xff, SECTOR_BYTES); /* and the payload behind it, with its head */
    assert_true(salvage(&file, &whole, &out, &s));
    assert_int_equal(s.unverified_values, 0);
    print_message("codec %u, effort %u: %llu values lost\n", (unsigned)codec, (unsigned)effort,
                  (unsigned long long)s.lost_values);
    /* the head of effort 'high' has a grid of the array in it and is not copied; its other coders,
     * and the transform, have large tiles */
    const uint64_t values = values_of(3, in.shape);
    assert_true(s.lost_values > 0 &&
                s.lost_values <= (effort >= CODER_HIGH ? values : values / 64));

    memset(file.data + bytes - 80, 0xff, 20); /* and the copy: the seek table takes some 30 bytes */
    assert_false(salvage(&file, &whole, &out, &s));

    struct rng rng = {codec + 10 * effort}; /* and bytes beside a lost header, most in the tail */
    for (uint32_t i = 0; i < DAMAGES; i += TEST_SHARE) {
        memcpy(file.data, good, bytes);
        memset(file.data, 0xff, rng_once_in(&rng, 4) ? SECTOR_BYTES : HEADER_BYTES);
        for (uint32_t k = 0; k < 1 + i % 3; k++) {
            const size_t from_end = (size_t)rng_below(&rng, rng_once_in(&rng, 3) ? bytes : 256);
            file.data[bytes - 1 - from_end] ^= (unsigned char)(1 + rng_below(&rng, 255));
        }
        (void)salvage(&file, &whole, &out, &s);
    }
    free(good);
    free(file.data);
    free(in.data);
    free(whole.data);
    free(out.data);
}

static void copies_of_headers_save_frames(void **state)
{
    (void)state;
    a_codec(ZT_CODEC_ZFP, CODER_DEFAULT, zt_precision(24));
    a_codec(ZT_CODEC_NDZIP, CODER_DEFAULT, zt_lossless());
    a_codec(ZT_CODEC_SZ, CODER_DEFAULT, zt_abs(1e-6));
    a_codec(ZT_CODEC_SZ, CODER_FAST, zt_abs(1e-6));
    a_codec(ZT_CODEC_SZ, CODER_HIGH, zt_abs(1e-6));
    a_codec(ZT_CODEC_SZ, CODER_HIGH, zt_lossless());
    a_codec(ZT_CODEC_SZ, CODER_TRANSFORM, zt_abs(1e-6));
    a_codec(ZT_CODEC_SZ, CODER_MULTIPLES, zt_abs(1e-6));
}

static int count_lost(void *user, zt_loss loss, const zt_box *box, const char *why)
{
    (void)why;
    *(uint64_t *)user += (loss == ZT_LOSS_LOST) * (box->hi[0] - box->lo[0]);
    return 0;
}

/* A header that could be read when the file was opened, and cannot when its turn comes. */
static void a_header_that_fades_costs_its_frame_only(void **state)
{
    (void)state;
    enum { VALUES = 3000, SLAB = 1000 };
    const uint64_t shape[] = {VALUES, 1, 1};
    zt_array in = new_array(ZT_F32, 3, shape), out = new_array(ZT_F32, 3, shape);
    struct bytes file = {.data = need(1 << 16), .capacity = 1 << 16};
    struct mem_source memory;
    zt_context *context = NULL;
    zt_reader *reader = NULL;
    zt_salvage s;
    uint64_t first, extent, lost = 0;
    fill_array(&in, DATA_WAVE_NOISE, 5);
    zt_params p = params_of(zt_lossless());
    p.slab_bytes = SLAB * 4;
    assert_int_equal(zt_context_new(NULL, &context), ZT_OK);
    need_ok(context, zt_compress(context, &in, &p, file.data, file.capacity, &file.n));
    const zt_source source = source_of(&memory, file.data, file.n, false);
    need_ok(context, zt_reader_open_damaged(context, &source, &reader));
    size_t at = HEADER_BYTES; /* of the second frame */
    while (memcmp(file.data + at, file.data, 4) != 0)
        at += HEADER_BYTES;
    memset(file.data + at, 0, HEADER_BYTES);
    assert_int_equal(zt_salvage_init(&s, sizeof s), ZT_OK);
    s.part = count_lost;
    s.user = &lost;
    for (uint64_t i = 0; i < VALUES / SLAB; i++) {
        need_ok(context, zt_reader_next(reader, &first, &extent));
        assert_true(first == i * SLAB && extent == SLAB);
        zt_array part = out;
        part.data = (float *)out.data + first;
        part.shape[0] = extent;
        need_ok(context, zt_reader_salvage(reader, &part, &s));
        if (i != 1)
            assert_memory_equal(part.data, (float *)in.data + first, SLAB * 4);
    }
    assert_int_equal(lost, SLAB);
    assert_int_equal(s.damaged_frames, 1);
    zt_reader_close(reader);
    zt_context_free(context);
    free(file.data);
    free(in.data);
    free(out.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(copies_of_headers_save_frames),
                                       cmocka_unit_test(a_header_that_fades_costs_its_frame_only)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
