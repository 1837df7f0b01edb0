/* huffman_stream_test.c: the public calls: any width, any policy, the inputs that break coders, and
 * streams that are not what they claim. */
#include "ztile_huffman.h"
#include "ztile_expert.h"
#include "support/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <xxhash.h>

/* ---- the same symbols in every width, with every policy and instruction set ---- */

static void *in_width(const uint16_t *symbols, size_t n, uint32_t bytes)
{
    uint8_t *wide = need(n * bytes + 1);
    for (size_t i = 0; i < n; i++) {
        const uint32_t v = symbols[i];
        const uint8_t narrow = (uint8_t)v;
        const void *const from[] = {NULL, &narrow, &symbols[i], NULL, &v};
        memcpy(wide + i * bytes, from[bytes], bytes);
    }
    return wide;
}

static zt_context *some_context(uint32_t k)
{
    zt_context *context;
    assert_int_equal(zt_context_new(NULL, &context), ZT_OK);
    const zt_omp omp = {.threads = k};
    if (k > 0 && zt_context_set_omp(context, &omp) != ZT_OK)
        print_message("SKIP: the omp policy is not in this build\n");
    assert_int_equal(zt_context_set_isa(context, (zt_isa)(k % 3)), ZT_OK);
    return context;
}

/* Returns the bytes of the stream. */
static size_t check_symbols(const uint16_t *symbols, size_t n, uint32_t alphabet)
{
    size_t capacity, first_bytes = 0;
    assert_int_equal(zt_huffman_bound(n, alphabet, &capacity), ZT_OK);
    uint8_t *first = NULL;
    for (uint32_t k = 0; k < 5; k++) {
        const uint32_t bytes = k % 3 == 0 ? 2 : k % 3 == 1 || alphabet > 256 ? 4 : 1;
        zt_context *context = some_context(k);
        void *wide = in_width(symbols, n, bytes);
        uint8_t *out = need(capacity);
        size_t used = 0;
        assert_int_equal(zt_huffman_encode(context, wide, bytes, n, alphabet, out, capacity, &used),
                         ZT_OK);
        assert_true(used <= capacity);
        if (!first) {
            first = need(used);
            memcpy(first, out, used);
            first_bytes = used;
        }
        assert_int_equal(used, first_bytes);
        assert_memory_equal(out, first, used);
        uint32_t claimed;
        uint64_t count;
        assert_int_equal(zt_huffman_inspect(context, first, used, &claimed, &count), ZT_OK);
        assert_true(claimed == alphabet && count == n);
        const uint32_t r = k == 4 ? ZT_REDUCTION_AUTO : (k + (uint32_t)n) % 5;
        memset(out, 0, capacity);
        assert_int_equal(zt_huffman_encode_merged(context, wide, bytes, n, alphabet, 10 + k % 3, r,
                                                  out, capacity, &used),
                         ZT_OK);
        assert_int_equal(used, first_bytes);
        assert_memory_equal(out, first, used);
        uint8_t *again = need(n * bytes + 1);
        again[n * bytes] = 0x5a;
        uint8_t *exact = need(used);
        memcpy(exact, out, used);
        assert_int_equal(zt_huffman_decode(context, exact, used, again, bytes, n), ZT_OK);
        assert_memory_equal(again, wide, n * bytes);
        assert_int_equal(again[n * bytes], 0x5a);
        assert_int_equal(zt_huffman_encode(context, wide, bytes, n, alphabet, exact, used, &used),
                         ZT_OK); /* room for exactly this */
        for (size_t less = 1; less < used; less += 1 + used / 7)
            assert_int_equal(zt_huffman_encode(context, wide, bytes, n, alphabet, exact,
                                               first_bytes - less, &used),
                             ZT_NO_SPACE);
        free(exact);
        free(again);
        free(out);
        free(wide);
        zt_context_free(context);
    }
    free(first);
    return first_bytes;
}

static void random_symbols_come_back(void **state)
{
    (void)state;
    struct rng r = {1};
    enum { MOST = 20000 };
    uint16_t *symbols = need(MOST * sizeof *symbols);
    for (int k = 0; k < 60; k++) {
        const uint32_t alphabet = 1 + (uint32_t)rng_below(&r, rng_once_in(&r, 2) ? 65536 : 300);
        const size_t n = (size_t)rng_below(&r, rng_once_in(&r, 3) ? MOST : 3000);
        const uint64_t spread = 1 + rng_below(&r, alphabet);
        for (size_t i = 0; i < n; i++)
            symbols[i] = (uint16_t)rng_below(&r, rng_once_in(&r, 4) ? alphabet : spread);
        check_symbols(symbols, n, alphabet);
    }
    free(symbols);
}

static void chunk_borders_are_met(void **state)
{
    (void)state;
    struct rng r = {2};
    static const size_t sizes[] = {0,    1,    2,      1023,   1024,   1025,  4095,
                                   4096, 4097, 262143, 262144, 262145, 524289};
    uint16_t *symbols = need(524289 * sizeof *symbols);
    for (size_t i = 0; i < 524289; i++)
        symbols[i] = (uint16_t)(__builtin_ctzll(rng_next(&r) | 1u << 9));
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        check_symbols(symbols, sizes[k], 10);
    free(symbols);
}

/* ---- inputs beyond arrays ---- */

static void equal_symbols_take_no_bits(void **state)
{
    (void)state;
    enum { N = 300000 };
    uint16_t *symbols = calloc(N, sizeof *symbols);
    assert_non_null(symbols);
    for (size_t i = 0; i < N; i++)
        symbols[i] = 65535;
    assert_true(check_symbols(symbols, N, 65536) <= 32);
    for (size_t i = 0; i < N; i += 2)
        symbols[i] = 0; /* two symbols: a bit each */
    const size_t two = check_symbols(symbols, N, 65536);
    assert_true(two > N / 8 && two < N / 8 + 64);
    free(symbols);
}

static void all_symbols_once_take_16_bits(void **state)
{
    (void)state;
    uint16_t *symbols = need(65536 * sizeof *symbols);
    for (uint32_t i = 0; i < 65536; i++)
        symbols[i] = (uint16_t)(i * 40503u);
    const size_t bytes = check_symbols(symbols, 65536, 65536);
    assert_true(bytes > 131072 && bytes < 131072 + 64);
    free(symbols);
}

/* Overlapping words of eight bases of a made genome: 16 bits each. */
static void words_of_a_genome_come_back(void **state)
{
    (void)state;
    struct rng r = {4};
    enum { N = 100000 };
    uint16_t *symbols = need(N * sizeof *symbols);
    uint16_t word = 0;
    for (size_t i = 0; i < N; i++) { /* repeats, and more A and T than C and G */
        const uint64_t again = (word >> 5 & 1) * 3u;
        const uint16_t base = (uint16_t)(rng_once_in(&r, 3) ? rng_below(&r, 4) : again);
        word = (uint16_t)(word << 2 | base);
        symbols[i] = word;
    }
    const size_t bytes = check_symbols(symbols, N, 65536);
    assert_true(bytes < 2 * N * 9 / 10);
    free(symbols);
}

static void text_comes_back(void **state)
{
    (void)state;
    static const char text[] =
        "It is a truth universally acknowledged, that a single man in possession of a good "
        "fortune, must be in want of a wife. However little known the feelings or views of such "
        "a man may be on his first entering a neighbourhood, this truth is so well fixed in the "
        "minds of the surrounding families, that he is considered as the rightful property of "
        "some one or other of their daughters.";
    uint16_t symbols[sizeof text];
    for (size_t i = 0; i < sizeof text; i++)
        symbols[i] = (uint8_t)text[i];
    assert_true(check_symbols(symbols, sizeof text, 256) < sizeof text * 3 / 4);
}

/* Fibonacci counts: 24 symbols whose codes would have 23 bits. */
static void fibonacci_counts_are_limited(void **state)
{
    (void)state;
    enum { SYMBOLS = 24 };
    uint64_t count[SYMBOLS], n = 0;
    for (uint32_t s = 0; s < SYMBOLS; s++)
        n += count[s] = s < 2 ? 1 : count[s - 1] + count[s - 2];
    uint16_t *symbols = need((size_t)n * sizeof *symbols);
    size_t at = 0;
    for (uint32_t s = 0; s < SYMBOLS; s++)
        for (uint64_t k = 0; k < count[s]; k++)
            symbols[at++] = (uint16_t)s;
    check_symbols(symbols, at, SYMBOLS);
    free(symbols);
}

/* ---- what is refused ---- */

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    uint16_t symbols[4] = {0, 1, 2, 3};
    uint8_t out[256];
    size_t bytes;
    assert_int_equal(zt_huffman_bound(10, 0, &bytes), ZT_BAD_ARG);
    assert_int_equal(zt_huffman_bound(10, 65537, &bytes), ZT_BAD_ARG);
    assert_int_equal(zt_huffman_bound(10, 5, NULL), ZT_BAD_ARG);
    static const uint32_t wrong[][2] = {{2, 3}, {3, 4}, {2, 0}, {1, 257}}; /* width, alphabet */
    for (int k = 0; k < 4; k++)
        assert_int_equal(
            zt_huffman_encode(NULL, symbols, wrong[k][0], 4, wrong[k][1], out, sizeof out, &bytes),
            ZT_BAD_ARG);
    assert_int_equal(zt_huffman_encode(NULL, NULL, 2, 4, 4, out, sizeof out, &bytes), ZT_BAD_ARG);
    assert_int_equal(zt_huffman_encode(NULL, symbols, 2, 4, 4, NULL, 0, &bytes), ZT_BAD_ARG);
    assert_int_equal(zt_huffman_encode(NULL, symbols, 2, 4, 300, out, sizeof out, &bytes), ZT_OK);
    static const uint32_t no_merges[][2] = {{9, 2}, {13, 2}, {10, 5}}; /* M, r */
    for (int k = 0; k < 3; k++)
        assert_int_equal(zt_huffman_encode_merged(NULL, symbols, 2, 4, 300, no_merges[k][0],
                                                  no_merges[k][1], out, sizeof out, &bytes),
                         ZT_BAD_ARG);
    assert_int_equal(zt_huffman_encode(NULL, symbols, 2, 4, 300, out, sizeof out, &bytes), ZT_OK);
    assert_int_equal(zt_huffman_decode(NULL, out, bytes, symbols, 2, 3), ZT_BAD_ARG);
    assert_int_equal(zt_huffman_decode(NULL, out, bytes, symbols, 1, 4), ZT_BAD_ARG);
    assert_int_equal(zt_huffman_decode(NULL, out, bytes, NULL, 2, 4), ZT_BAD_ARG);
}

/* Any bit flipped, any cut: refused, with a sentence. */
static void damaged_streams_are_refused(void **state)
{
    (void)state;
    struct rng r = {6};
    uint16_t symbols[3000], again[3000];
    uint8_t stream[8192];
    size_t bytes;
    for (size_t i = 0; i < 3000; i++)
        symbols[i] = (uint16_t)__builtin_ctzll(rng_next(&r) | 1u << 12);
    assert_int_equal(zt_huffman_encode(NULL, symbols, 2, 3000, 20, stream, sizeof stream, &bytes),
                     ZT_OK);
    zt_context *context = some_context(0);
    for (size_t bit = 0; bit < 8 * bytes; bit += TEST_SHARE) {
        stream[bit / 8] ^= (uint8_t)(1u << bit % 8);
        const zt_status status = zt_huffman_decode(context, stream, bytes, again, 2, 3000);
        assert_true(status == ZT_CORRUPT || status == ZT_UNSUPPORTED);
        assert_true(zt_context_error(context)[0] != 0);
        stream[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t cut = 0; cut < bytes; cut += TEST_SHARE) {
        uint8_t *exact = need(cut + 1);
        memcpy(exact + 1, stream, cut);
        assert_int_equal(zt_huffman_decode(context, exact + 1, cut, again, 2, 3000), ZT_CORRUPT);
        free(exact);
    }
    zt_context_free(context);
}

/* The same with checksums that fit: decoded to something or refused, and nothing else touched. */
static void hostile_streams_are_contained(void **state)
{
    (void)state;
    struct rng r = {7};
    enum { N = 5000 };
    uint16_t symbols[N], again[N + 1];
    uint8_t stream[16384];
    uint32_t decoded = 0, refused = 0;
    for (int k = 0; k < 20000; k += TEST_SHARE) {
        static size_t bytes;
        if (k % 100 == 0) {
            const uint64_t spread = 1 + rng_below(&r, 40);
            for (size_t i = 0; i < N; i++)
                symbols[i] = (uint16_t)(rng_below(&r, spread) & rng_next(&r));
            assert_int_equal(
                zt_huffman_encode(NULL, symbols, 2, N, 64, stream, sizeof stream, &bytes), ZT_OK);
        }
        size_t n = bytes;
        uint8_t *copy = need(n);
        memcpy(copy, stream, n);
        for (uint64_t flips = 1 + rng_below(&r, 4); flips > 0; flips--) {
            const size_t at = (size_t)(rng_once_in(&r, 2)   ? rng_below(&r, 40 < n ? 40 : n)
                                       : rng_once_in(&r, 2) ? n - 1 - rng_below(&r, 20)
                                                            : rng_below(&r, n));
            copy[at] ^= (uint8_t)(1u << rng_below(&r, 8));
        }
        if (rng_once_in(&r, 10))
            n -= (size_t)rng_below(&r, n - 12);
        const uint64_t check = XXH3_64bits(copy, n - 8);
        for (int b = 0; b < 8; b++)
            copy[n - 8 + (size_t)b] = (uint8_t)(check >> 8 * b);
        again[N] = 0x1234;
        const zt_status status = zt_huffman_decode(NULL, copy, n, again, 2, N);
        decoded += status == ZT_OK;
        refused += status != ZT_OK;
        assert_true(status == ZT_OK || status == ZT_CORRUPT || status == ZT_UNSUPPORTED ||
                    status == ZT_BAD_ARG);
        assert_int_equal(again[N], 0x1234);
        free(copy);
    }
    assert_true(decoded > 100 / TEST_SHARE && refused > 1000 / TEST_SHARE);
}

/* ---- the page docs/format/huffman.md, its example byte by byte ---- */

static void the_documented_example_is_what_is_written(void **state)
{
    (void)state;
    static const uint8_t symbols[] = {'a', 'b', 'r', 'a', 'c', 'a', 'd', 'a', 'b', 'r', 'a'};
    uint8_t out[256];
    size_t bytes;
    assert_int_equal(
        zt_huffman_encode(NULL, symbols, 1, sizeof symbols, 256, out, sizeof out, &bytes), ZT_OK);
    char *text = need(3 * bytes + 1), *page;
    for (size_t i = 0; i < bytes; i++)
        sprintf(text + 3 * i, "%02x ", out[i]);
    text[3 * bytes - 1] = 0;
    size_t page_bytes;
    page = (char *)read_file(ZTILE_SOURCE_DIR "/docs/format/huffman.md", &page_bytes);
    assert_non_null(page);
    page[page_bytes - 1] = 0;
    if (!strstr(page, text))
        print_error("not in docs/format/huffman.md: %s\n", text);
    assert_non_null(strstr(page, text));
    free(page);
    free(text);
}

/* Bytes are the contract: streams of symbols that are the same everywhere, by their hashes. */
static void bytes_do_not_change(void **state)
{
    (void)state;
    static const struct {
        uint32_t alphabet, spread;
        size_t n, bytes;
        uint64_t hash;
    } pinned[] = {{1024, 6, 10000, 1697, UINT64_C(0x9128eafc25d0d33b)},
                  {65536, 60000, 70000, 112231, UINT64_C(0x09cf408356dbf957)},
                  {256, 200, 5000, 3439, UINT64_C(0x20d619c9415ce425)}};
    for (size_t k = 0; k < sizeof pinned / sizeof *pinned; k++) {
        struct rng r = {k + 1};
        uint16_t *symbols = need(pinned[k].n * sizeof *symbols);
        for (size_t i = 0; i < pinned[k].n; i++) {
            const uint64_t any = rng_below(&r, pinned[k].spread);
            symbols[i] = (uint16_t)(pinned[k].alphabet / 2 + (any & rng_next(&r)) / 2);
        }
        size_t capacity, bytes;
        assert_int_equal(zt_huffman_bound(pinned[k].n, pinned[k].alphabet, &capacity), ZT_OK);
        uint8_t *out = need(capacity);
        assert_int_equal(zt_huffman_encode(NULL, symbols, 2, pinned[k].n, pinned[k].alphabet, out,
                                           capacity, &bytes),
                         ZT_OK);
        assert_int_equal(bytes, pinned[k].bytes);
        assert_true(fnv1a64(out, bytes) == pinned[k].hash);
        free(out);
        free(symbols);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_symbols_come_back),
        cmocka_unit_test(chunk_borders_are_met),
        cmocka_unit_test(equal_symbols_take_no_bits),
        cmocka_unit_test(all_symbols_once_take_16_bits),
        cmocka_unit_test(words_of_a_genome_come_back),
        cmocka_unit_test(text_comes_back),
        cmocka_unit_test(fibonacci_counts_are_limited),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(damaged_streams_are_refused),
        cmocka_unit_test(hostile_streams_are_contained),
        cmocka_unit_test(the_documented_example_is_what_is_written),
        cmocka_unit_test(bytes_do_not_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
