/* zfp_test.c: bare zfp streams: worked examples, headers, what is refused and in which words.
 * The bulk of the evidence is in tests/golden and tests/property. */
#include "ztile_zfp.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static zt_zfp zfp_of(uint32_t word_bits, uint32_t flags)
{
    zt_zfp z;
    assert_int_equal(zt_zfp_init(&z, sizeof z), ZT_OK);
    z.word_bits = word_bits;
    z.flags = flags;
    return z;
}

/* Four floats at precision 6, worked out by hand: biased exponent 129, planes 31..26. */
static void the_stream_of_four_floats_is_as_worked_out(void **state)
{
    (void)state;
    const uint8_t wanted[8] = {0x03, 0x05, 0x8a, 0x05};
    const float wanted_back[4] = {1, 2.5f, -3, 0.5f};
    float in[4] = {1, 2.5f, -3, 0.75f}, back[4];
    uint8_t out[64];
    size_t n = 0, consumed = 0;
    zt_zfp z = zfp_of(64, 0);
    zt_zfp_set_precision(&z, 6, NULL);
    zt_array a = zt_array_1d(in, ZT_F32, 4), b = zt_array_1d(back, ZT_F32, 4);
    assert_int_equal(zt_zfp_compress(NULL, &a, &z, out, sizeof out, &n), ZT_OK);
    assert_int_equal(n, 8);
    assert_memory_equal(out, wanted, 8);
    assert_int_equal(zt_zfp_decompress(NULL, out, n, &z, &b, &consumed), ZT_OK);
    assert_int_equal(consumed, 8);
    assert_memory_equal(back, wanted_back, sizeof back);
}

static void the_reversible_stream_of_four_integers_is_as_worked_out(void **state)
{
    (void)state;
    const uint8_t wanted[8] = {0x1e, 0x00, 0x00, 0xb0, 0x08, 0x79, 0x05, 0x00};
    int32_t in[4] = {100, 102, 108, 112}, back[4];
    uint8_t out[64];
    size_t n = 0;
    zt_zfp z = zfp_of(64, 0);
    zt_zfp_set_reversible(&z);
    zt_array a = zt_array_1d(in, ZT_I32, 4), b = zt_array_1d(back, ZT_I32, 4);
    assert_int_equal(zt_zfp_compress(NULL, &a, &z, out, sizeof out, &n), ZT_OK);
    assert_int_equal(n, 8);
    assert_memory_equal(out, wanted, 8);
    assert_int_equal(zt_zfp_decompress(NULL, out, n, &z, &b, NULL), ZT_OK);
    assert_memory_equal(back, in, sizeof in);
}

/* Budgets that end within a group test: the decoder places the 1 at the first place unread. */
static void budgets_that_run_out_decode_as_worked_out(void **state)
{
    (void)state;
    static const struct {
        uint32_t bits;
        int32_t back[4];
    } cases[] = {
        {12, {0, 0, 0, 0}},
        {13, {-524288, -524288, -524288, -524288}},
        {16, {-262144, -262144, -262144, -262144}},
        {17, {131072, -131072, -393216, -655360}},
        {19, {-131072, 131072, -131072, -917504}},
        {21, {-131072, 131072, -131072, -917504}},
    };
    int32_t in[4] = {0, 0, 0, -(1 << 20)}, back[4];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t out[64];
        size_t n = 0;
        zt_zfp z = zfp_of(8, 0);
        assert_int_equal(zt_zfp_set_expert(&z, cases[i].bits, cases[i].bits, 64, -1074), ZT_OK);
        zt_array a = zt_array_1d(in, ZT_I32, 4), b = zt_array_1d(back, ZT_I32, 4);
        assert_int_equal(zt_zfp_compress(NULL, &a, &z, out, sizeof out, &n), ZT_OK);
        assert_int_equal(n, (cases[i].bits + 7) / 8);
        assert_int_equal(zt_zfp_decompress(NULL, out, n, &z, &b, NULL), ZT_OK);
        assert_memory_equal(back, cases[i].back, sizeof back);
    }
}

static void headers_are_the_known_bytes(void **state)
{
    (void)state;
    static const uint8_t wanted[] = {0x7a, 0x66, 0x70, 0x05, 0x3a, 0x06,
                                     0x90, 0x05, 0xf0, 0x04, 0xf0, 0x1f};
    float *zeros = calloc(80 * 90 * 100, sizeof *zeros);
    assert_non_null(zeros);
    zt_zfp z = zfp_of(64, ZT_ZFP_HEADER), found = zfp_of(64, 0);
    zt_array a = zt_array_3d(zeros, ZT_F32, 80, 90, 100), described;
    double rate = 0;
    size_t capacity = 0, n = 0;
    uint32_t bits = 0;
    zt_zfp_set_rate(&z, 8, ZT_F32, 3, 0, &rate);
    assert_true(rate == 8);
    assert_int_equal(zt_zfp_compress_bound(NULL, &a, &z, &capacity), ZT_OK);
    assert_int_equal(capacity, 736024);
    uint8_t *out = malloc(capacity);
    assert_non_null(out);
    assert_int_equal(zt_zfp_compress(NULL, &a, &z, out, capacity, &n), ZT_OK);
    assert_memory_equal(out, wanted, sizeof wanted);
    assert_int_equal(zt_zfp_read_header(NULL, out, n, &found, &described, &bits), ZT_OK);
    assert_int_equal(bits, 96);
    assert_int_equal(found.minbits, 512);
    assert_int_equal(found.maxbits, 512);
    assert_int_equal(described.type, ZT_F32);
    assert_int_equal(described.shape[0], 80); /* slowest first */
    assert_int_equal(described.shape[2], 100);
    assert_ptr_equal(described.data, NULL);
    free(out);
    free(zeros);
}

static void foreign_headers_are_refused_in_words(void **state)
{
    (void)state;
    zt_context *c;
    assert_int_equal(zt_context_new(NULL, &c), ZT_OK);
    int32_t in[7] = {1, 2, 3, 4, 5, 6, 7};
    uint8_t out[128];
    size_t n = 0;
    zt_zfp z = zfp_of(8, ZT_ZFP_HEADER), found = zfp_of(8, 0);
    zt_array a = zt_array_1d(in, ZT_I32, 7), described;
    zt_zfp_set_precision(&z, 12, NULL);
    assert_int_equal(zt_zfp_compress(c, &a, &z, out, sizeof out, &n), ZT_OK);
    out[0] ^= 1;
    assert_int_equal(zt_zfp_read_header(c, out, n, &found, &described, NULL), ZT_CORRUPT);
    out[0] ^= 1;
    out[3] = 6; /* a later codec */
    assert_int_equal(zt_zfp_read_header(c, out, n, &found, &described, NULL), ZT_UNSUPPORTED);
    assert_non_null(strstr(zt_context_error(c), "6"));
    out[3] = 5;
    for (size_t cut = 0; cut < 12; cut++)
        assert_int_equal(zt_zfp_read_header(c, out, cut, &found, &described, NULL), ZT_CORRUPT);
    zt_array other = zt_array_1d(in, ZT_I32, 6);
    assert_int_equal(zt_zfp_decompress(c, out, n, &z, &other, NULL), ZT_BAD_ARG);
    other = zt_array_1d(in, ZT_F32, 7);
    assert_int_equal(zt_zfp_decompress(c, out, n, &z, &other, NULL), ZT_BAD_ARG);
    zt_context_free(c);
}

static void streams_that_are_cut_are_corrupt(void **state)
{
    (void)state;
    double in[100], back[100];
    uint8_t out[2048];
    size_t n = 0;
    for (int i = 0; i < 100; i++)
        in[i] = sin(i * 0.7);
    zt_zfp z = zfp_of(8, 0);
    zt_zfp_set_reversible(&z);
    zt_array a = zt_array_2d(in, ZT_F64, 10, 10), b = zt_array_2d(back, ZT_F64, 10, 10);
    assert_int_equal(zt_zfp_compress(NULL, &a, &z, out, sizeof out, &n), ZT_OK);
    for (size_t cut = 0; cut < n; cut++) {
        uint8_t *exact = malloc(cut + 1); /* so that AddressSanitizer sees what is read beyond */
        memcpy(exact, out, cut);
        assert_int_equal(zt_zfp_decompress(NULL, exact, cut, &z, &b, NULL), ZT_CORRUPT);
        free(exact);
    }
    assert_int_equal(zt_zfp_decompress(NULL, out, n, &z, &b, NULL), ZT_OK);
    assert_memory_equal(in, back, sizeof in);
    size_t consumed = 0;
    const double none[4] = {0, 0, 0, 0}; /* one bit; the word around it may lack its padding */
    a = zt_array_const_1d(none, ZT_F64, 4);
    b = zt_array_1d(back, ZT_F64, 4);
    assert_int_equal(zt_zfp_compress(NULL, &a, &z, out, sizeof out, &n), ZT_OK);
    assert_int_equal(n, 1);
    z.word_bits = 64;
    assert_int_equal(zt_zfp_decompress(NULL, out, n, &z, &b, &consumed), ZT_OK);
    assert_int_equal(consumed, 1);
}

static void values_without_a_place_are_refused_with_their_count(void **state)
{
    (void)state;
    zt_context *c;
    assert_int_equal(zt_context_new(NULL, &c), ZT_OK);
    float in[16] = {1, NAN, 2, INFINITY, 3, NAN, -INFINITY, NAN}, back[16];
    uint8_t out[512];
    size_t n = 0;
    zt_zfp z = zfp_of(64, 0);
    zt_array a = zt_array_2d(in, ZT_F32, 4, 4), b = zt_array_2d(back, ZT_F32, 4, 4);
    zt_zfp_set_accuracy(&z, 1e-3, NULL);
    assert_int_equal(zt_zfp_compress(c, &a, &z, out, sizeof out, &n), ZT_NONFINITE);
    assert_non_null(strstr(zt_context_error(c), "3 NaN"));
    assert_non_null(strstr(zt_context_error(c), "2 inf"));
    z.flags = ZT_ZFP_AS_LIBZFP;
    assert_int_equal(zt_zfp_compress(c, &a, &z, out, sizeof out, &n), ZT_OK);
    z.flags = 0;
    zt_zfp_set_reversible(&z);
    assert_int_equal(zt_zfp_compress(c, &a, &z, out, sizeof out, &n), ZT_OK);
    assert_int_equal(zt_zfp_decompress(c, out, n, &z, &b, NULL), ZT_OK);
    assert_memory_equal(in, back, sizeof in);
    zt_context_free(c);
}

static void streams_nobody_can_decode_are_refused(void **state)
{
    (void)state;
    float in[8] = {0};
    uint8_t out[512];
    size_t n = 0;
    zt_zfp z = zfp_of(64, 0);
    zt_array a = zt_array_2d(in, ZT_F32, 2, 4);
    assert_int_equal(zt_zfp_set_expert(&z, 300, 16658, 64, -1075), ZT_OK);
    assert_int_equal(zt_zfp_compress(NULL, &a, &z, out, sizeof out, &n), ZT_UNSUPPORTED);
    z.flags = ZT_ZFP_AS_LIBZFP;
    assert_int_equal(zt_zfp_compress(NULL, &a, &z, out, sizeof out, &n), ZT_OK);
}

static void setters_do_as_libzfp_s(void **state)
{
    (void)state;
    zt_zfp z = zfp_of(64, 0);
    double actual = -1;
    uint32_t planes = 0;
    assert_int_equal(zt_zfp_mode_of(&z), ZT_ZFP_EXPERT);
    zt_zfp_set_accuracy(&z, 0.3, &actual);
    assert_true(actual == 0.25);
    assert_int_equal(z.minexp, -2);
    zt_zfp_set_accuracy(&z, 0, &actual);
    assert_true(actual == 0);
    assert_int_equal(zt_zfp_mode_of(&z), ZT_ZFP_EXPERT); /* accuracy 0 is the initial state */
    zt_zfp_set_precision(&z, 100, &planes);
    assert_int_equal(planes, 64);
    zt_zfp_set_rate(&z, 0.1, ZT_F64, 1, 0, &actual);
    assert_int_equal(z.maxbits, 12); /* a block of doubles needs its header */
    assert_true(actual == 3);
    zt_zfp_set_rate(&z, 3, ZT_F32, 1, 1, &actual);
    assert_true(actual == 16); /* up to whole 64-bit words */
    zt_zfp before = z;
    assert_int_equal(zt_zfp_set_expert(&z, 5, 4, 10, 0), ZT_BAD_ARG);
    assert_int_equal(zt_zfp_set_expert(&z, 4, 5, 65, 0), ZT_BAD_ARG);
    assert_int_equal(zt_zfp_set_expert(&z, 4, 5, 0, 0), ZT_BAD_ARG);
    assert_memory_equal(&z, &before, sizeof z);
}

static void extents_must_fit_the_header(void **state)
{
    (void)state;
    uint64_t code;
    zt_array a = zt_array_2d(NULL, ZT_F32, 1, 1 << 24);
    assert_int_equal(zt_zfp_field_code(&a, &code), ZT_OK);
    a = zt_array_2d(NULL, ZT_F32, 1, (1 << 24) + 1);
    assert_int_equal(zt_zfp_field_code(&a, &code), ZT_BAD_ARG);
    a = zt_array_4d(NULL, ZT_I64, 4096, 1, 1, 1);
    assert_int_equal(zt_zfp_field_code(&a, &code), ZT_OK);
    a = zt_array_4d(NULL, ZT_I64, 4097, 1, 1, 1);
    assert_int_equal(zt_zfp_field_code(&a, &code), ZT_BAD_ARG);
}

static void bounds_of_large_arrays_do_not_overflow(void **state)
{
    (void)state;
    zt_zfp z = zfp_of(64, 0);
    size_t capacity = 0;
    zt_array a = zt_array_1d(NULL, ZT_F32, UINT64_C(6000000000)); /* 24 GB */
    zt_zfp_set_rate(&z, 8, ZT_F32, 1, 0, NULL);
    assert_int_equal(zt_zfp_compress_bound(NULL, &a, &z, &capacity), ZT_OK);
    assert_true(capacity >= UINT64_C(6000000000) && capacity < UINT64_C(6000000100));
    a = zt_array_1d(NULL, ZT_F32, UINT64_C(1) << 60);
    zt_zfp_set_reversible(&z);
    assert_int_equal(zt_zfp_compress_bound(NULL, &a, &z, &capacity), ZT_BAD_ARG);
}

static void buffers_that_are_too_small_are_reported(void **state)
{
    (void)state;
    float in[64], back[64];
    uint8_t out[512];
    size_t n = 0, need = 0;
    for (int i = 0; i < 64; i++)
        in[i] = sinf((float)i);
    zt_zfp z = zfp_of(8, ZT_ZFP_HEADER);
    zt_array a = zt_array_3d(in, ZT_F32, 4, 4, 4), b = zt_array_3d(back, ZT_F32, 4, 4, 4);
    zt_zfp_set_precision(&z, 20, NULL);
    assert_int_equal(zt_zfp_compress(NULL, &a, &z, out, sizeof out, &need), ZT_OK);
    for (size_t capacity = 0; capacity < need; capacity++) {
        memset(out, 0x5a, sizeof out);
        assert_int_equal(zt_zfp_compress(NULL, &a, &z, out, capacity, &n), ZT_NO_SPACE);
        for (size_t i = capacity; i < sizeof out; i++)
            assert_int_equal(out[i], 0x5a);
    }
    assert_int_equal(zt_zfp_compress(NULL, &a, &z, out, need, &n), ZT_OK);
    assert_int_equal(n, need);
    assert_int_equal(zt_zfp_decompress(NULL, out, n, &z, &b, NULL), ZT_OK);
}

static void parameters_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    float in[4] = {0};
    uint8_t out[64];
    size_t n;
    zt_array a = zt_array_1d(in, ZT_F32, 4);
    zt_zfp z = zfp_of(12, 0);
    assert_int_equal(zt_zfp_compress(NULL, &a, &z, out, sizeof out, &n), ZT_BAD_ARG);
    z = zfp_of(64, 0x80);
    assert_int_not_equal(zt_zfp_compress(NULL, &a, &z, out, sizeof out, &n), ZT_OK);
    z = zfp_of(64, 0);
    z.struct_bytes = 8;
    assert_int_equal(zt_zfp_compress(NULL, &a, &z, out, sizeof out, &n), ZT_BAD_ARG);
    z = zfp_of(64, 0);
    assert_int_equal(zt_zfp_compress(NULL, NULL, &z, out, sizeof out, &n), ZT_BAD_ARG);
    assert_int_equal(zt_zfp_compress(NULL, &a, NULL, out, sizeof out, &n), ZT_BAD_ARG);
    assert_int_equal(zt_zfp_compress(NULL, &a, &z, NULL, sizeof out, &n), ZT_BAD_ARG);
    assert_int_equal(zt_zfp_decompress(NULL, NULL, 8, &z, &a, NULL), ZT_BAD_ARG);
}

static void word_sizes_beyond_32_bits_are_not_cut(void **state)
{
    (void)state;
    float values[16] = {0};
    const zt_array a = zt_array_1d(values, ZT_F32, 16);
    zt_params p;
    size_t capacity;
    assert_int_equal(zt_params_init(&p, sizeof p), ZT_OK);
    p.codec = ZT_CODEC_ZFP;
    p.codec_words[0] = 32;
    assert_int_equal(zt_compress_bound(NULL, &a, &p, &capacity), ZT_OK);
    p.codec_words[0] = UINT64_C(1) << 32 | 32;
    assert_int_equal(zt_compress_bound(NULL, &a, &p, &capacity), ZT_BAD_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stream_of_four_floats_is_as_worked_out),
        cmocka_unit_test(the_reversible_stream_of_four_integers_is_as_worked_out),
        cmocka_unit_test(budgets_that_run_out_decode_as_worked_out),
        cmocka_unit_test(headers_are_the_known_bytes),
        cmocka_unit_test(foreign_headers_are_refused_in_words),
        cmocka_unit_test(streams_that_are_cut_are_corrupt),
        cmocka_unit_test(values_without_a_place_are_refused_with_their_count),
        cmocka_unit_test(streams_nobody_can_decode_are_refused),
        cmocka_unit_test(setters_do_as_libzfp_s),
        cmocka_unit_test(extents_must_fit_the_header),
        cmocka_unit_test(bounds_of_large_arrays_do_not_overflow),
        cmocka_unit_test(buffers_that_are_too_small_are_reported),
        cmocka_unit_test(parameters_that_make_no_sense_are_refused),
        cmocka_unit_test(word_sizes_beyond_32_bits_are_not_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
