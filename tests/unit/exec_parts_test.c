/* exec_parts_test.c: what exec refuses, and whom it tells, where its callers and codecs do not keep
 * to what its headers say: outputs that end before they begin, windows that hold no tile, drains
 * that fail, and codecs that leave large tiles to be verified. */
#include "exec/exec.h"
#include "exec/policy.h"
#include "support/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { NY = 64, NX = 1024, N = NY * NX };

static float field[N];
static const uint64_t shape[2] = {NY, NX};

static zt_context *context_of(uint32_t threads)
{
    zt_context *c = NULL;
    const zt_omp omp = {.threads = threads};
    assert_int_equal(zt_context_new(NULL, &c), ZT_OK);
    assert_int_equal(zt_context_set_omp(c, &omp), ZT_OK);
    return c;
}

/* zfp without loss: a word of 64 bits is its alignment. */
static struct zti_coding coding_of(zt_context *context)
{
    const struct zti_codec *const codec = zti_codec_by_id(ZT_CODEC_ZFP);
    struct zti_coding coding = zti_coding_of(codec, ZT_F32, 2, shape);
    zt_params params;
    assert_int_equal(zt_params_init(&params, sizeof params), ZT_OK);
    const struct zti_target target = {
        .params = &params, .kind = ZT_LOSSLESS, .min = NAN, .max = NAN};
    assert_int_equal(codec->configure(context, &target, &coding), ZT_OK);
    return coding;
}

static struct zti_array array_of(void)
{
    for (uint32_t i = 0; i < N; i++)
        field[i] = (float)(i % NX) * 0.37f + (float)(i / NX);
    return zti_array_packed(field, ZT_F32, 2, shape);
}

static void need_refusal(const zt_context *c, zt_status status, zt_status wanted, const char *word)
{
    if (status != wanted || !strstr(zt_context_error(c), word))
        print_error("wanted '%s' with '%s', got '%s': %s\n", zt_strerror(wanted), word,
                    zt_strerror(status), zt_context_error(c));
    assert_int_equal(status, wanted);
    assert_non_null(strstr(zt_context_error(c), word));
}

/* The bytes around the output are canaries. */
static void a_stream_that_begins_beyond_its_output_has_no_space(void **state)
{
    (void)state;
    static uint8_t memory[8 * N];
    static const uint64_t starts[] = {8 * 1024 + 8, 8 * 1024 + 1, 8 * 2048};
    const struct zti_array array = array_of();
    for (uint32_t threads = 1; threads <= 2; threads++)
        for (uint32_t i = 0; i < sizeof starts / sizeof *starts; i++) {
            zt_context *c = context_of(threads);
            const struct zti_coding coding = coding_of(c);
            uint64_t end_bits = 0;
            memset(memory, 0x5a, sizeof memory);
            need_refusal(
                c,
                zti_exec_encode(c, &coding, &array, memory, 1024, starts[i], &end_bits, NULL, NULL),
                ZT_NO_SPACE, "output buffer's 1024 bytes");
            for (size_t k = 0; k < sizeof memory; k++)
                assert_int_equal(memory[k], 0x5a);
            zt_context_free(c);
        }
}

/* A drain that fails after some calls, and what it was told of. */
struct drained {
    uint32_t calls_left;
    uint64_t bytes, slices;
};

static zt_status take(void *user, const uint8_t *bytes, uint64_t n)
{
    struct drained *const d = user;
    (void)bytes;
    if (d->calls_left == 0)
        return ZT_IO;
    d->calls_left--;
    d->bytes += n;
    return ZT_OK;
}

static void passed(void *user, uint64_t slices)
{
    struct drained *const d = user;
    d->slices = slices > d->slices ? slices : d->slices;
}

static zt_status encode_pieces(zt_context *c, size_t window_bytes, struct drained *d)
{
    const struct zti_coding coding = coding_of(c);
    const struct zti_array array = array_of();
    const struct zti_drain drain = {
        .take = take, .user = d, .passing = {.passed = passed, .user = d, .slab = &array}};
    uint8_t *const memory = need(window_bytes);
    struct zti_window window = {.bytes = memory, .capacity_bytes = window_bytes};
    const zt_status status =
        zti_exec_encode_pieces(c, &coding, &array, &window, &drain, NULL, NULL);
    free(memory);
    return status;
}

/* An endless loop ends by the alarm. */
static void a_window_without_room_for_a_tile_is_refused(void **state)
{
    (void)state;
    (void)alarm(60);
    for (uint32_t threads = 1; threads <= 2; threads++)
        for (size_t bytes = 8; bytes <= ZTI_WINDOW_REST_BYTES + 8; bytes *= 8) {
            zt_context *c = context_of(threads);
            struct drained d = {.calls_left = 9};
            need_refusal(c, encode_pieces(c, bytes, &d), ZT_NO_MEMORY, "too small for a tile");
            assert_int_equal(d.bytes, 0);
            zt_context_free(c);
        }
    (void)alarm(0);
}

static void slices_that_a_drain_did_not_take_are_not_passed(void **state)
{
    (void)state;
    struct drained whole = {.calls_left = UINT32_MAX};
    zt_context *c = context_of(1);
    const size_t window_bytes = 2 * ZTI_WINDOW_REST_BYTES + 16384;
    assert_int_equal(encode_pieces(c, window_bytes, &whole), ZT_OK);
    assert_int_equal(whole.slices, NY);
    const uint32_t calls = UINT32_MAX - whole.calls_left;
    assert_true(calls >= 3);
    uint64_t before = 0;
    for (uint32_t i = 0; i < calls; i++) {
        struct drained d = {.calls_left = i};
        assert_int_equal(encode_pieces(c, window_bytes, &d), ZT_IO);
        assert_true(i > 0 ? d.slices >= before : d.slices == 0);
        assert_true(d.slices < NY);
        before = d.slices;
    }
    zt_context_free(c);
}

/* ---- a codec that leaves the bound of tiles of 16384 values to exec ---- */

static struct zti_sizes large_sizes(const struct zti_coding *coding)
{
    (void)coding;
    return (struct zti_sizes){.tile_min_bits = 8,
                              .tile_max_bits = 8,
                              .tile_read_max_bits = 8,
                              .align_bits = 8,
                              .unit_bits = 1};
}

static bool large_encode(const struct zti_coding *coding, const struct zti_array *array,
                         uint64_t first, uint64_t last, struct zti_bit_writer *w)
{
    (void)coding;
    (void)array;
    for (; first < last; first++)
        zti_put_bits(w, 0, 8);
    return false;
}

static void large_decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                         uint64_t last, const struct zti_view *view)
{
    (void)coding;
    (void)view;
    r->at += 8 * (last - first);
}

static void tiles_too_large_to_verify_are_refused(void **state)
{
    (void)state;
    static const uint32_t tile_shape[ZT_MAX_RANK][ZT_MAX_RANK] = {{16384}, {16, 1024}};
    static const struct zti_codec large = {.name = "large",
                                           .id = 99,
                                           .tile_shape = tile_shape,
                                           .sizes = large_sizes,
                                           .encode = large_encode,
                                           .decode = large_decode};
    static uint8_t out[4096];
    const struct zti_array array = array_of();
    zt_context *c = context_of(1);
    struct zti_coding coding = zti_coding_of(&large, ZT_F32, 2, shape);
    struct zti_misses misses = {.limit = 10};
    uint64_t end_bits = 0;
    coding.verify_bound = 0.5;
    need_refusal(c,
                 zti_exec_encode(c, &coding, &array, out, sizeof out, 0, &end_bits, &misses, NULL),
                 ZT_UNSUPPORTED, "tiles of 16384 values");
    zti_misses_free(c, &misses);
    zt_context_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_that_begins_beyond_its_output_has_no_space),
        cmocka_unit_test(a_window_without_room_for_a_tile_is_refused),
        cmocka_unit_test(slices_that_a_drain_did_not_take_are_not_passed),
        cmocka_unit_test(tiles_too_large_to_verify_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
