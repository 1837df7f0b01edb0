/* huffman_test.c: symbols to bits and back, in every instance, on hostile bits, and by merges. */
#include "entropy/huffman/huffman.h"
#include "core/cpu.h"
#include "support/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { MOST = 5000 };

/* Symbols of a geometric law around the middle; wide: of any. */
static void draw(struct rng *r, uint16_t *symbols, size_t n, uint32_t alphabet)
{
    const uint32_t scale = (uint32_t)rng_below(r, 12);
    for (size_t i = 0; i < n; i++) {
        uint64_t d = rng_below(r, UINT64_C(1) << scale);
        while (rng_once_in(r, 2))
            d += UINT64_C(1) << scale;
        d = rng_once_in(r, 2) ? d : UINT64_MAX - d;
        symbols[i] = (uint16_t)((alphabet / 2 + d) % alphabet);
    }
}

static void book_of(const uint16_t *symbols, size_t n, uint32_t alphabet, struct zti_codebook *book)
{
    void *tally = calloc(1, zti_histogram_bytes(alphabet));
    assert_non_null(tally);
    zti_histogram_add(tally, alphabet, symbols, n);
    const uint64_t *counts = zti_histogram_counts(tally, alphabet);
    assert_int_equal(zti_codebook_build(NULL, counts, alphabet, book), ZT_OK);
    free(tally);
}

/* The bits, one by one from the codebook. */
static uint64_t plain_bits(const struct zti_codebook *book, const uint16_t *symbols, size_t n,
                           uint8_t *out, uint64_t at)
{
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < book->lengths[symbols[i]]; k++, at++)
            out[at / 8] = (uint8_t)((out[at / 8] & ~(1u << at % 8)) |
                                    (book->codes[symbols[i]] >> k & 1) << at % 8);
    return at;
}

/* Code n symbols in four parts of any sizes, in every instance; decode them in every instance. */
static void check_parts(struct rng *r, const uint16_t *symbols, size_t n, uint32_t alphabet)
{
    struct zti_codebook book;
    struct zti_huffman_decoder decoder;
    book_of(symbols, n, alphabet, &book);
    assert_int_equal(
        zti_huffman_decoder_make(NULL, &book, rng_once_in(r, 2) ? n : UINT64_MAX, &decoder), ZT_OK);
    const uint32_t count = 1 + (uint32_t)rng_below(r, ZTI_HUFFMAN_PARTS);
    size_t cut[ZTI_HUFFMAN_PARTS + 1] = {0};
    uint64_t starts[ZTI_HUFFMAN_PARTS + 1];
    for (uint32_t k = 1; k <= count; k++)
        cut[k] = k == count ? n : cut[k - 1] + (size_t)rng_below(r, n - cut[k - 1] + 1);
    const size_t room = n * 2 + ZTI_BIT_MARGIN_BYTES + 8;
    uint8_t *plain = calloc(1, room), *coded = need(room);
    assert_non_null(plain);
    starts[0] = rng_below(r, 13);
    for (uint32_t k = 0; k < count; k++)
        starts[k + 1] = plain_bits(&book, symbols + cut[k], cut[k + 1] - cut[k], plain, starts[k]);
    const uint64_t end = starts[count];
    assert_int_equal(end - starts[0], zti_huffman_bits(&book, symbols, n));
    for (uint32_t isa = 0; isa <= zti_isa_of(NULL); isa++) {
        memset(coded, 0xee, room);
        struct zti_bit_writer w = zti_bit_writer_at(coded);
        zti_put_bits(&w, 0, (uint32_t)starts[0]);
        for (uint32_t k = 0; k < count; k++) {
            zti_huffman_encode(&book, isa, symbols + cut[k], cut[k + 1] - cut[k], &w);
            assert_int_equal(zti_bits_written(&w), starts[k + 1]);
        }
        zti_put_bits(&w, 0, (8 - end % 8) % 8);
        const size_t bytes = (size_t)((end + 7) / 8);
        assert_memory_equal(coded, plain, bytes);
        uint8_t *exact = need(bytes + 1); /* of which the last byte is not given */
        memcpy(exact, plain, bytes);
        uint16_t *out = need((n + 1) * sizeof *out);
        out[n] = 0xabcd;
        struct zti_huffman_part parts[ZTI_HUFFMAN_PARTS];
        for (uint32_t k = 0; k < count; k++)
            parts[k] = (struct zti_huffman_part){starts[k], starts[k + 1], out + cut[k],
                                                 cut[k + 1] - cut[k]};
        assert_true(zti_huffman_decode(&decoder, isa, exact, bytes, parts, count));
        for (uint32_t k = 0; k < count; k++)
            assert_int_equal(parts[k].at, starts[k + 1]);
        if (n > 0)
            assert_memory_equal(out, symbols, n * sizeof *out);
        assert_int_equal(out[n], 0xabcd);
        free(out);
        free(exact);
    }
    free(plain);
    free(coded);
    zti_huffman_decoder_free(NULL, &decoder);
    zti_codebook_free(NULL, &book);
}

static void parts_come_back(void **state)
{
    (void)state;
    struct rng r = {1};
    uint16_t *symbols = need(MOST * sizeof *symbols);
    static const uint32_t alphabets[] = {1, 2, 3, 17, 256, 703, 1024, 4096, 4097, 65536};
    for (int k = 0; k < 1500; k++) {
        const uint32_t alphabet = alphabets[rng_below(&r, sizeof alphabets / sizeof *alphabets)];
        const size_t n = (size_t)rng_below(&r, rng_once_in(&r, 4) ? MOST : 200);
        draw(&r, symbols, n, alphabet);
        check_parts(&r, symbols, n, alphabet);
    }
    free(symbols);
}

static void the_longest_codes_come_back(void **state)
{
    (void)state;
    struct rng r = {2};
    enum { DEEP = 24 };
    uint64_t counts[5000] = {0};
    for (uint32_t alphabet = 100; alphabet <= 5000; alphabet += 4900) {
        struct zti_codebook book;
        uint16_t symbols[MOST], out[MOST];
        uint8_t coded[MOST * 2 + 256];
        for (uint32_t s = 0; s < DEEP; s++)
            counts[s] = s < 2 ? 1 : counts[s - 1] + counts[s - 2];
        assert_int_equal(zti_codebook_build(NULL, counts, alphabet, &book), ZT_OK);
        assert_int_equal(book.longest, zti_codebook_limit(alphabet));
        for (size_t i = 0; i < MOST; i++)
            symbols[i] = (uint16_t)rng_below(&r, rng_once_in(&r, 2) ? DEEP : 4);
        struct zti_huffman_decoder decoder;
        assert_int_equal(zti_huffman_decoder_make(NULL, &book, UINT64_MAX, &decoder), ZT_OK);
        for (uint32_t isa = 0; isa <= zti_isa_of(NULL); isa++) {
            struct zti_bit_writer w = zti_bit_writer_at(coded);
            zti_huffman_encode(&book, isa, symbols, MOST, &w);
            const uint64_t end = zti_bits_written(&w);
            assert_int_equal(end, zti_huffman_bits(&book, symbols, MOST));
            zti_put_bits(&w, 0, 7);
            memset(out, 0, sizeof out);
            struct zti_huffman_part part = {0, end, out, MOST};
            assert_true(zti_huffman_decode(&decoder, isa, coded, (size_t)(end + 7) / 8, &part, 1));
            assert_int_equal(part.at, end);
            assert_memory_equal(out, symbols, sizeof out);
        }
        zti_huffman_decoder_free(NULL, &decoder);
        zti_codebook_free(NULL, &book);
    }
}

/* Random bits, random ends: symbols of the book or an error, never a byte outside. */
static void hostile_parts_are_contained(void **state)
{
    (void)state;
    struct rng r = {3};
    uint16_t symbols[MOST];
    for (int k = 0; k < 400; k++) {
        const uint32_t alphabet = 2 + (uint32_t)rng_below(&r, 5000);
        struct zti_codebook book;
        struct zti_huffman_decoder decoder;
        draw(&r, symbols, MOST, alphabet);
        book_of(symbols, 1 + (size_t)rng_below(&r, MOST), alphabet, &book);
        assert_int_equal(zti_huffman_decoder_make(NULL, &book, k % 2 ? 0 : UINT64_MAX, &decoder),
                         ZT_OK);
        for (int round = 0; round < 20; round++) {
            const size_t bytes = (size_t)rng_below(&r, 600);
            uint8_t *buffer = need(bytes + 1);
            for (size_t i = 0; i <= bytes; i++)
                buffer[i] = (uint8_t)rng_next(&r);
            uint8_t *shifted = buffer + 1; /* so that the last byte is the last of its block */
            bool held[4];
            for (uint32_t isa = 0; isa <= zti_isa_of(NULL); isa++) {
                struct rng same = {(uint64_t)k * 100 + (uint64_t)round};
                struct zti_huffman_part parts[4];
                uint16_t *out[4];
                for (int p = 0; p < 4; p++) {
                    const size_t n = (size_t)rng_below(&same, 1000);
                    out[p] = need(n * sizeof **out + 1);
                    const uint64_t at = rng_below(&same, bytes * 8 + 1);
                    const uint64_t end = rng_below(&same, bytes * 8 + 9);
                    parts[p] = (struct zti_huffman_part){at, end, out[p], n};
                }
                const bool ok = zti_huffman_decode(&decoder, isa, shifted, bytes, parts, 4);
                held[isa] = ok;
                assert_int_equal(held[0], ok);
                for (int p = 0; p < 4; p++) {
                    for (uint16_t *s = out[p]; ok && s < parts[p].out; s++)
                        assert_true(*s < alphabet && (book.used == 1 || book.lengths[*s] > 0));
                    free(out[p]);
                }
            }
            free(buffer);
        }
        zti_huffman_decoder_free(NULL, &decoder);
        zti_codebook_free(NULL, &book);
    }
}

static void a_part_that_is_cut_short_is_refused(void **state)
{
    (void)state;
    const uint64_t counts[] = {9, 5, 3, 1, 1};
    struct zti_codebook book;
    struct zti_huffman_decoder decoder;
    uint16_t symbols[100], out[100];
    uint8_t coded[300];
    assert_int_equal(zti_codebook_build(NULL, counts, 5, &book), ZT_OK);
    assert_int_equal(zti_huffman_decoder_make(NULL, &book, 100, &decoder), ZT_OK);
    for (uint32_t i = 0; i < 100; i++)
        symbols[i] = (uint16_t)(i % 5);
    struct zti_bit_writer w = zti_bit_writer_at(coded);
    zti_huffman_encode(&book, ZT_ISA_PLAIN, symbols, 100, &w);
    const uint64_t end = zti_bits_written(&w);
    zti_put_bits(&w, 0, 7);
    for (uint32_t isa = 0; isa <= zti_isa_of(NULL); isa++)
        for (uint64_t cut = 0; cut <= end; cut++)
            for (size_t behind = 0; behind < 40; behind += 13) {
                struct zti_huffman_part part = {0, cut, out, 100};
                assert_int_equal(zti_huffman_decode(&decoder, isa, coded,
                                                    (size_t)(cut + 7) / 8 + behind, &part, 1),
                                 cut == end);
            }
    zti_huffman_decoder_free(NULL, &decoder);
    zti_codebook_free(NULL, &book);
}

/* Reduce-merge and shuffle-merge, with every factor, also such that units break. */
static void merges_give_the_same_bits(void **state)
{
    (void)state;
    struct rng r = {5};
    uint16_t *symbols = need(4096 * sizeof *symbols);
    uint8_t *coded = need(4096 * 2 + ZTI_BIT_MARGIN_BYTES);
    uint32_t *room = need(zti_merge_room_words(12) * sizeof *room);
    uint32_t broken = 0, whole = 0;
    for (int k = 0; k < 300; k++) {
        const uint32_t magnitude = (uint32_t)rng_below(&r, 13), n = 1u << magnitude;
        const uint32_t alphabet = 1 + (uint32_t)rng_below(&r, 5000);
        struct zti_codebook book;
        draw(&r, symbols, n, alphabet);
        book_of(symbols, n, alphabet, &book);
        struct zti_bit_writer w = zti_bit_writer_at(coded);
        zti_huffman_encode(&book, ZT_ISA_PLAIN, symbols, n, &w);
        const uint64_t bits = zti_bits_written(&w);
        zti_put_bits(&w, 0, 7);
        for (uint32_t factor = 0; factor <= magnitude; factor++) {
            uint64_t merged_bits;
            uint32_t breaking;
            memset(room, 0xcc, zti_merge_room_words(12) * sizeof *room);
            const uint32_t *words =
                zti_merge_chunk(&book, symbols, magnitude, factor, room, &merged_bits, &breaking);
            assert_int_equal(merged_bits, bits);
            for (uint64_t i = 0; i < (bits + 31) / 32 * 32; i++)
                assert_int_equal(words[i / 32] >> i % 32 & 1,
                                 i < bits ? coded[i / 8] >> i % 8 & 1 : 0);
            broken += breaking > 0;
            whole += breaking == 0;
        }
        zti_codebook_free(NULL, &book);
    }
    assert_true(broken > 100 && whole > 100);
    free(room);
    free(coded);
    free(symbols);
}

static void the_reduction_factor_follows_the_mean_length(void **state)
{
    (void)state;
    assert_int_equal(zti_merge_factor(1027, 1000), 4); /* 16 codes of 1.027 bits: 16.4 of 32 bits */
    assert_int_equal(zti_merge_factor(2300, 1000), 3); /* the paper's: 8 codes of 2.3 bits, 18.4 */
    assert_int_equal(zti_merge_factor(4000, 1000), 2);
    assert_int_equal(zti_merge_factor(7999, 1000), 2);
    assert_int_equal(zti_merge_factor(15999, 1000), 1);
    assert_int_equal(zti_merge_factor(16000, 1000), 0);
    assert_int_equal(zti_merge_factor(0, 1000), 4);
}

/* Books of short and of long codes, in small tables and large ones. */
static void each_instance_fills_the_same_table(void **state)
{
    (void)state;
    struct rng r = {7};
    uint16_t symbols[MOST];
    zt_context *plain;
    assert_int_equal(zt_context_new(NULL, &plain), ZT_OK);
    assert_int_equal(zt_context_set_isa(plain, ZT_ISA_PLAIN), ZT_OK);
    for (int k = 0; k < 400; k++) {
        const uint32_t alphabet = 2 + (uint32_t)rng_below(&r, 255);
        struct zti_codebook book;
        struct zti_huffman_decoder a, b;
        draw(&r, symbols, MOST, alphabet);
        book_of(symbols, 1 + (size_t)rng_below(&r, MOST), alphabet, &book);
        const uint64_t some = k % 2 ? 0 : UINT64_MAX;
        assert_int_equal(zti_huffman_decoder_make(plain, &book, some, &a), ZT_OK);
        assert_int_equal(zti_huffman_decoder_make(NULL, &book, some, &b), ZT_OK);
        assert_int_equal(a.table_bits, b.table_bits);
        if (a.table)
            assert_memory_equal(a.table, b.table, sizeof(uint32_t) << a.table_bits);
        zti_huffman_decoder_free(plain, &a);
        zti_huffman_decoder_free(NULL, &b);
        zti_codebook_free(NULL, &book);
    }
    zt_context_free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_come_back),
        cmocka_unit_test(the_longest_codes_come_back),
        cmocka_unit_test(hostile_parts_are_contained),
        cmocka_unit_test(a_part_that_is_cut_short_is_refused),
        cmocka_unit_test(each_instance_fills_the_same_table),
        cmocka_unit_test(merges_give_the_same_bits),
        cmocka_unit_test(the_reduction_factor_follows_the_mean_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
