/* codebook_test.c: Huffman codebooks against the method with two queues, limits, tables. */
#include "entropy/huffman/build.h"
#include "support/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* ---- the reference: two queues ---- */

struct node {
    uint64_t weight;
    uint32_t symbol, parent, depth;
};

static int by_weight_and_symbol(const void *a, const void *b)
{
    const struct node *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? -1 : 1;
    return x->symbol < y->symbol ? -1 : 1;
}

/* Depths of leaves in a Huffman tree without a limit. Leaves before inner nodes of the same weight,
 * older inner nodes before younger ones. */
static void two_queues(const uint64_t *counts, uint32_t alphabet, uint32_t *depths)
{
    struct node *node = need(2 * (size_t)alphabet * sizeof *node);
    uint32_t n = 0;
    for (uint32_t s = 0; s < alphabet; s++) {
        depths[s] = 0;
        if (counts[s] > 0)
            node[n++] = (struct node){.weight = counts[s], .symbol = s};
    }
    qsort(node, n, sizeof *node, by_weight_and_symbol);
    uint32_t leaf = 0, inner = n, end = n;
    while (end + 1 < 2 * n) {
        uint32_t two[2];
        for (int k = 0; k < 2; k++) {
            const bool takes_leaf =
                leaf < n && (inner == end || node[leaf].weight <= node[inner].weight);
            two[k] = takes_leaf ? leaf++ : inner++;
        }
        node[end].weight = node[two[0]].weight + node[two[1]].weight;
        node[two[0]].parent = node[two[1]].parent = end++;
    }
    if (n > 0)
        node[end - 1].depth = 0;
    for (uint32_t i = end - 1; n > 1 && i-- > 0;)
        node[i].depth = node[node[i].parent].depth + 1;
    for (uint32_t i = 0; n > 1 && i < n; i++)
        depths[node[i].symbol] = node[i].depth;
    free(node);
}

/* The least total length under a limit by the coin collector's recursion on sorted counts, slowly:
 * cost[l][i][k], i leaves placed with k open nodes at level l, is too large; instead, all multisets
 * of lengths are tried. For few symbols only. */
static uint64_t best_cost(const uint64_t *sorted, uint32_t n, uint32_t limit, uint32_t length,
                          uint32_t space)
{
    /* sorted descending; lengths do not fall; space is what is left, in units of 2^-limit */
    if (n == 0)
        return space == 0 ? 0 : UINT64_MAX;
    uint64_t best = UINT64_MAX;
    for (uint32_t l = length; l <= limit; l++) {
        const uint32_t part = 1u << (limit - l);
        if (part > space)
            continue;
        const uint64_t rest = best_cost(sorted + 1, n - 1, limit, l, space - part);
        if (rest != UINT64_MAX && rest + sorted[0] * l < best)
            best = rest + sorted[0] * l;
    }
    return best;
}

/* ---- what holds of every book ---- */

static void check_book(const struct zti_codebook *book, const uint64_t *counts)
{
    uint64_t space = 0;
    uint32_t used = 0;
    for (uint32_t s = 0; s < book->alphabet; s++) {
        const uint32_t l = book->lengths[s];
        assert_true(l <= zti_codebook_limit(book->alphabet));
        assert_int_equal(book->codes[s] >> 16, l);
        used += counts[s] > 0;
        if (l > 0) {
            assert_true(counts[s] > 0);
            space += UINT64_C(1) << (16 - l);
        }
    }
    assert_int_equal(book->used, used);
    if (used == 1)
        assert_true(book->longest == 0 && counts[book->order[0]] > 0);
    if (used < 2)
        return;
    assert_int_equal(space, 65536);
    uint32_t next = 0; /* codes as numbers, left-aligned in 16 bits, rise without a gap */
    for (uint32_t k = 0; k < used; k++) {
        const uint32_t s = book->order[k], l = book->lengths[s];
        uint32_t code = 0;
        for (uint32_t i = 0; i < l; i++)
            code = code << 1 | (book->codes[s] >> i & 1);
        assert_int_equal(code << (16 - l), next);
        assert_int_equal(book->first[l] + k - book->entry[l], code);
        next += 1u << (16 - l);
        if (k > 0) {
            const uint32_t before = book->order[k - 1];
            assert_true(book->lengths[before] < l || (book->lengths[before] == l && before < s));
        }
    }
}

static void table_comes_back(const struct zti_codebook *book)
{
    const uint64_t bits = zti_codebook_stored_bits(book);
    uint8_t *buffer = need((size_t)(bits / 8) + 256);
    struct zti_bit_writer w = zti_bit_writer_at(buffer);
    zti_put_bits(&w, 5, 3);
    zti_codebook_write(book, &w);
    assert_int_equal(zti_bits_written(&w), bits + 3);
    const size_t bytes = (size_t)(bits + 3 + 7) / 8;
    uint8_t *exact = need(bytes); /* a byte beyond is seen by a sanitizer */
    memcpy(exact, buffer, bytes);
    struct zti_bit_reader r = {exact, 3, bits + 3};
    struct zti_codebook again;
    assert_int_equal(zti_codebook_load(NULL, &r, book->alphabet, &again), ZT_OK);
    assert_int_equal(r.at, bits + 3);
    assert_memory_equal(again.lengths, book->lengths, book->alphabet);
    assert_memory_equal(again.codes, book->codes, book->alphabet * sizeof(uint32_t));
    assert_int_equal(again.used, book->used);
    if (again.used > 0)
        assert_memory_equal(again.order, book->order, again.used * sizeof(uint16_t));
    zti_codebook_free(NULL, &again);
    free(exact);
    free(buffer);
}

/* Build, compare with the reference where no limit was needed, store and load. */
static uint64_t check_counts(const uint64_t *counts, uint32_t alphabet)
{
    uint32_t *depths = need(alphabet * sizeof *depths), deepest = 0;
    struct zti_codebook book;
    two_queues(counts, alphabet, depths);
    for (uint32_t s = 0; s < alphabet; s++)
        deepest = depths[s] > deepest ? depths[s] : deepest;
    assert_int_equal(zti_codebook_build(NULL, counts, alphabet, &book), ZT_OK);
    if (deepest <= zti_codebook_limit(alphabet))
        for (uint32_t s = 0; s < alphabet; s++)
            assert_int_equal(book.lengths[s], depths[s]);
    check_book(&book, counts);
    table_comes_back(&book);
    const uint64_t cost = zti_codebook_cost_bits(&book, counts);
    zti_codebook_free(NULL, &book);
    free(depths);
    return cost;
}

static void random_counts(struct rng *r, uint64_t *counts, uint32_t alphabet)
{
    const uint64_t kind = rng_below(r, 6), most = UINT64_C(1) << rng_below(r, 40);
    for (uint32_t s = 0; s < alphabet; s++) {
        switch (kind) {
        case 0: /* heavy ties */ counts[s] = rng_below(r, 4); break;
        case 1: /* any */ counts[s] = rng_below(r, most + 1); break;
        case 2: /* falling from the middle */
            counts[s] = most >> (s > alphabet / 2 ? s - alphabet / 2 : alphabet / 2 - s) % 64;
            break;
        case 3: /* powers of two */ counts[s] = UINT64_C(1) << rng_below(r, 20); break;
        case 4: /* sparse */ counts[s] = rng_once_in(r, 20) ? 1 + rng_below(r, most) : 0; break;
        default: /* sums of others */
            counts[s] = s < 2 ? 1 : counts[rng_below(r, s)] + counts[rng_below(r, s)];
            counts[s] &= (UINT64_C(1) << 40) - 1;
            break;
        }
    }
}

static void rounds_equal_two_queues(void **state)
{
    (void)state;
    struct rng r = {1};
    uint64_t *counts = need(5000 * sizeof *counts);
    for (int k = 0; k < 20000; k += TEST_SHARE) {
        const uint32_t alphabet = 1 + (uint32_t)rng_below(&r, rng_once_in(&r, 200) ? 5000 : 80);
        random_counts(&r, counts, alphabet);
        check_counts(counts, alphabet);
    }
    free(counts);
}

static void degenerate_alphabets_have_books(void **state)
{
    (void)state;
    uint64_t *counts = calloc(65536, sizeof *counts);
    assert_non_null(counts);
    assert_int_equal(check_counts(counts, 65536), 0); /* no symbol */
    assert_int_equal(check_counts(counts, 1), 0);
    counts[65535] = 7;
    assert_int_equal(check_counts(counts, 65536), 0); /* one symbol takes no bits */
    counts[0] = 1;
    assert_int_equal(check_counts(counts, 65536), 8); /* two take one each */
    for (uint32_t s = 0; s < 65536; s++)
        counts[s] = 3;
    assert_int_equal(check_counts(counts, 65536), 3 * 16 * 65536);
    assert_int_equal(check_counts(counts, 4096), 3 * 12 * 4096);
    free(counts);
}

static void costs_are_those_of_the_codes(void **state)
{
    (void)state;
    const uint64_t counts[] = {4, 0, 2, 1, 1}, others[] = {1, 1, 0, 0, 0}, one[] = {0, 0, 9, 0, 0};
    struct zti_codebook book;
    assert_int_equal(zti_codebook_build(NULL, counts, 5, &book), ZT_OK);
    assert_int_equal(zti_codebook_cost_bits(&book, counts), 4 * 1 + 2 * 2 + 1 * 3 + 1 * 3);
    assert_true(zti_codebook_cost_bits(&book, others) == UINT64_MAX); /* 1 has no code */
    zti_codebook_free(NULL, &book);
    assert_int_equal(zti_codebook_build(NULL, one, 5, &book), ZT_OK);
    assert_int_equal(zti_codebook_cost_bits(&book, one), 0);
    assert_true(zti_codebook_cost_bits(&book, counts) == UINT64_MAX);
    zti_codebook_free(NULL, &book);
    assert_int_equal(zti_codebook_build(NULL, one, 0, &book), ZT_BAD_ARG);
    assert_int_equal(zti_codebook_build(NULL, one, 65537, &book), ZT_BAD_ARG);
}

static void fibonacci_counts_are_limited(void **state)
{
    (void)state;
    uint64_t counts[90];
    for (uint32_t s = 0; s < 90; s++)
        counts[s] = s < 2 ? 1 : counts[s - 1] + counts[s - 2];
    for (uint32_t alphabet = 2; alphabet <= 90; alphabet++)
        check_counts(counts, alphabet);
}

static void limited_codes_are_the_shortest(void **state)
{
    (void)state;
    struct rng r = {3};
    for (int k = 0; k < 300; k++) {
        const uint32_t n = 2 + (uint32_t)rng_below(&r, 9), limit = n <= 4 ? 2 : n <= 8 ? 3 : 4;
        uint64_t rising[10], falling[10], cost = 0;
        uint8_t lengths[10];
        for (uint32_t i = 0; i < n; i++) {
            rising[i] = (i ? rising[i - 1] : 1) + rng_below(&r, UINT64_C(1) << rng_below(&r, 10));
            falling[n - 1 - i] = rising[i];
        }
        assert_int_equal(zti_limit_lengths(NULL, rising, n, limit, lengths), ZT_OK);
        for (uint32_t i = 0; i < n; i++) {
            assert_true(lengths[i] >= 1 && lengths[i] <= limit);
            cost += rising[i] * lengths[i];
        }
        assert_int_equal(cost, best_cost(falling, n, limit, 1, 1u << limit));
    }
}

/* ---- tables that are wrong ---- */

static zt_status take_bits(const char *bits, uint32_t alphabet)
{
    uint8_t buffer[64] = {0};
    uint64_t n = 0;
    for (; *bits; bits++)
        if (*bits != ' ') {
            buffer[n / 8] = (uint8_t)(buffer[n / 8] | (*bits - '0') << n % 8);
            n++;
        }
    struct zti_bit_reader r = {buffer, 0, n};
    struct zti_codebook book;
    const zt_status status = zti_codebook_load(NULL, &r, alphabet, &book);
    if (status == ZT_OK)
        zti_codebook_free(NULL, &book);
    return status;
}

static void bad_tables_are_refused(void **state)
{
    (void)state;
    assert_int_equal(take_bits("00", 4), ZT_OK);
    assert_int_equal(take_bits("10 01", 4), ZT_OK);        /* one symbol: 2 */
    assert_int_equal(take_bits("01 1100000 0", 4), ZT_OK); /* two of one bit */
    assert_int_equal(take_bits("01 1110 1 1100000 0", 4), ZT_OK);
    assert_int_equal(take_bits("01 1100000 101 0", 4), ZT_OK); /* 1, 2, 2 */
    assert_int_equal(take_bits("11", 4), ZT_CORRUPT);          /* no such kind */
    assert_int_equal(take_bits("0", 4), ZT_CORRUPT);
    assert_int_equal(take_bits("", 4), ZT_CORRUPT);
    assert_int_equal(take_bits("10 0", 4), ZT_CORRUPT);       /* cut short */
    assert_int_equal(take_bits("10 11", 3), ZT_CORRUPT);      /* symbol 3 of 3 */
    assert_int_equal(take_bits("01 1100000", 4), ZT_CORRUPT); /* one code of one bit */
    assert_int_equal(take_bits("01 1100000 101", 4), ZT_CORRUPT);
    assert_int_equal(take_bits("01 1100000 101 100", 4), ZT_CORRUPT);      /* 1, 2, 1 */
    assert_int_equal(take_bits("01 1100000 100", 4), ZT_CORRUPT);          /* length 0 by a step */
    assert_int_equal(take_bits("01 101", 4), ZT_CORRUPT);                  /* 16 of 15 */
    assert_int_equal(take_bits("01 1101111", 4), ZT_CORRUPT);              /* 16 of 15 */
    assert_int_equal(take_bits("01 1100000 101 1110 1 0", 3), ZT_CORRUPT); /* symbol 3 of 3 */
    assert_int_equal(take_bits("01 1110 0010100000", 4), ZT_CORRUPT);      /* a gap of 5 of 4 */
    assert_int_equal(take_bits("01 1110 00000000000000000 1 00000000000000000", 4), ZT_CORRUPT);
    assert_int_equal(take_bits("01 1100000 1111 010 0 0", 4), ZT_CORRUPT); /* three of one bit */
}

static void random_tables_are_books_or_refused(void **state)
{
    (void)state;
    struct rng r = {11};
    uint32_t books = 0;
    for (int k = 0; k < 200000; k += TEST_SHARE) {
        uint8_t bytes[24];
        const uint64_t bits = 1 + rng_below(&r, 8 * sizeof bytes);
        for (size_t i = 0; i < sizeof bytes; i += 8) {
            const uint64_t v = rng_next(&r) & (rng_once_in(&r, 2) ? UINT64_MAX : rng_next(&r));
            memcpy(bytes + i, &v, 8);
        }
        struct zti_bit_reader reader = {bytes, 0, bits};
        struct zti_codebook book;
        const uint32_t alphabet = 1 + (uint32_t)rng_below(&r, 100);
        if (zti_codebook_load(NULL, &reader, alphabet, &book) != ZT_OK)
            continue;
        uint64_t counts[100];
        for (uint32_t s = 0; s < alphabet; s++)
            counts[s] = book.lengths[s] > 0 || (book.used == 1 && book.order[0] == s);
        check_book(&book, counts);
        table_comes_back(&book);
        zti_codebook_free(NULL, &book);
        books++;
    }
    assert_true(books > 1000 / TEST_SHARE);
}

/* ---- histograms ---- */

static void count_in_any_dealing(struct rng *r, uint32_t alphabet)
{
    enum { SYMBOLS = 5001 };
    uint16_t symbols[SYMBOLS];
    uint64_t *plain = calloc(alphabet, sizeof *plain);
    assert_non_null(plain);
    for (int i = 0; i < SYMBOLS; i++) {
        symbols[i] = (uint16_t)(rng_once_in(r, 3) ? rng_below(r, alphabet) : alphabet - 1);
        plain[symbols[i]]++;
    }
    void *tally[3];
    for (int k = 0; k < 3; k++)
        assert_non_null(tally[k] = calloc(1, zti_histogram_bytes(alphabet)));
    for (size_t at = 0; at < SYMBOLS;) {
        size_t n = 1 + (size_t)rng_below(r, 50);
        n = n < SYMBOLS - at ? n : SYMBOLS - at;
        zti_histogram_add(tally[rng_below(r, 3)], alphabet, symbols + at, n);
        at += n;
    }
    (void)zti_histogram_counts(tally[1], alphabet); /* settled or not */
    zti_histogram_merge(tally[0], alphabet, tally[1]);
    zti_histogram_merge(tally[0], alphabet, tally[2]);
    assert_memory_equal(zti_histogram_counts(tally[0], alphabet), plain, alphabet * sizeof *plain);
    for (int k = 0; k < 3; k++)
        free(tally[k]);
    free(plain);
}

static void histograms_count_in_any_dealing(void **state)
{
    (void)state;
    struct rng r = {5};
    static const uint32_t alphabets[] = {1, 2, 300, 1024, 4096, 4097, 65536};
    for (size_t k = 0; k < sizeof alphabets / sizeof *alphabets; k++)
        count_in_any_dealing(&r, alphabets[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_equal_two_queues),
        cmocka_unit_test(degenerate_alphabets_have_books),
        cmocka_unit_test(costs_are_those_of_the_codes),
        cmocka_unit_test(fibonacci_counts_are_limited),
        cmocka_unit_test(limited_codes_are_the_shortest),
        cmocka_unit_test(bad_tables_are_refused),
        cmocka_unit_test(random_tables_are_books_or_refused),
        cmocka_unit_test(histograms_count_in_any_dealing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
